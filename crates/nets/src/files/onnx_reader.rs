//! Reads ONNX: graphs of the shape of our networks, whoever wrote them.
//!
//! The graph is matched from its input on, so that names do not matter. A convolution may have its batch normalization
//! folded into its weights, as PyTorch's export does; a dense layer may be `Gemm`, or `MatMul` and `Add`.

use std::collections::{BTreeMap, HashMap};

use tablero_core::excerpt;

use super::protobuf::{Field, read, read_ints};
use crate::weights::content;
use crate::{EncodingSpec, Mlp, NORM_EPSILON, NetError, NetKind, Resnet, Tensor, View, Weights};

/// More nodes than the largest network has.
const MAX_NODES: usize = 10_000;
/// More layers or blocks than any network has: a graph with a cycle has no end.
const MAX_DEPTH: usize = 200;
const FLOAT: u64 = 1;

/// Whether the file may be ONNX: it begins with the version of the format.
pub(super) fn is_onnx(bytes: &[u8]) -> bool {
    bytes.first() == Some(&0x08) && bytes.get(8) != Some(&b'{')
}

/// Reads a network of this game.
pub(super) fn read_onnx(bytes: &[u8], spec: &EncodingSpec) -> Result<Weights, NetError> {
    let model = Model::read(bytes)?;
    let mut matcher = Matcher { graph: &model.graph, tensors: BTreeMap::new() };
    let kind = matcher.network(&model, spec)?;
    let text = |name: &str| model.metadata.get(name).cloned();
    let provenance = match text("provenance") {
        Some(provenance) => provenance.lines().map(str::to_owned).collect(),
        None => vec![format!("imported from ONNX, written by {}", excerpt(&model.producer))],
    };
    let version = text("encoding").and_then(|version| version.parse().ok());
    Ok(Weights {
        game: text("game").unwrap_or_else(|| spec.game.into()),
        version: version.unwrap_or_else(|| spec.version_for(&kind)),
        kind,
        provenance,
        tensors: matcher.tensors,
    })
}

struct Model {
    producer: String,
    metadata: HashMap<String, String>,
    graph: Graph,
}

#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    /// Constants by name.
    tensors: HashMap<String, Tensor>,
    /// Inputs that are not constants.
    inputs: Vec<String>,
}

#[derive(Default)]
struct Node {
    operator: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    ints: HashMap<String, Vec<u64>>,
    floats: HashMap<String, f32>,
    tensor: Option<Tensor>,
}

fn malformed() -> NetError {
    content("not an ONNX file: its messages are malformed")
}

fn fields(bytes: &[u8]) -> Result<Vec<(u64, Field<'_>)>, NetError> {
    read(bytes).ok_or_else(malformed)
}

fn bytes_of<'a>(field: Field<'a>) -> Result<&'a [u8], NetError> {
    field.bytes().ok_or_else(malformed)
}

fn text_of(field: Field<'_>) -> Result<String, NetError> {
    field.text().map(str::to_owned).ok_or_else(malformed)
}

impl Model {
    /// The numbers of fields are those of `onnx.proto3`.
    fn read(bytes: &[u8]) -> Result<Self, NetError> {
        let (mut graph, mut producer, mut metadata) = (None, String::from("?"), HashMap::new());
        for (number, field) in fields(bytes)? {
            match number {
                2 => producer = text_of(field)?,
                7 => graph = Some(Graph::read(bytes_of(field)?)?),
                14 => {
                    let (mut key, mut value) = (String::new(), String::new());
                    for (number, field) in fields(bytes_of(field)?)? {
                        match number {
                            1 => key = text_of(field)?,
                            2 => value = text_of(field)?,
                            _ => {}
                        }
                    }
                    metadata.insert(key, value);
                }
                _ => {}
            }
        }
        let graph = graph.ok_or_else(|| content("an ONNX file without a graph"))?;
        Ok(Self { producer, metadata, graph })
    }
}

impl Graph {
    fn read(bytes: &[u8]) -> Result<Self, NetError> {
        let mut graph = Self::default();
        for (number, field) in fields(bytes)? {
            match number {
                1 => graph.add(Node::read(bytes_of(field)?)?)?,
                5 => {
                    let (name, tensor) = read_tensor(bytes_of(field)?)?;
                    graph.tensors.extend(tensor.map(|tensor| (name, tensor)));
                }
                11 => graph.inputs.push(value_name(bytes_of(field)?)?),
                _ => {}
            }
        }
        // Older files list constants among the inputs.
        graph.inputs.retain(|input| !graph.tensors.contains_key(input));
        Ok(graph)
    }

    fn add(&mut self, node: Node) -> Result<(), NetError> {
        if self.nodes.len() >= MAX_NODES {
            return Err(content(&format!("an ONNX graph of more than {MAX_NODES} nodes")));
        }
        match (&node.operator[..], &node.tensor, node.outputs.first()) {
            ("Constant", Some(tensor), Some(output)) => {
                self.tensors.insert(output.clone(), tensor.clone());
            }
            _ => self.nodes.push(node),
        }
        Ok(())
    }

    /// The nodes that read a value.
    fn readers<'a>(&'a self, value: &str) -> impl Iterator<Item = &'a Node> {
        self.nodes.iter().filter(move |node| node.inputs.iter().any(|input| input == value))
    }

    /// A constant, or a copy of one.
    fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.get(name).or_else(|| {
            let copies = |node: &&Node| node.operator == "Identity" && node.output() == name;
            self.tensors.get(self.nodes.iter().find(copies)?.inputs.first()?)
        })
    }
}

impl Node {
    fn read(bytes: &[u8]) -> Result<Self, NetError> {
        let mut node = Self::default();
        for (number, field) in fields(bytes)? {
            match number {
                1 => node.inputs.push(text_of(field)?),
                2 => node.outputs.push(text_of(field)?),
                4 => node.operator = text_of(field)?,
                5 => node.attribute(bytes_of(field)?)?,
                _ => {}
            }
        }
        Ok(node)
    }

    fn attribute(&mut self, bytes: &[u8]) -> Result<(), NetError> {
        let (mut name, mut ints, mut float) = (String::new(), Vec::new(), None);
        for (number, field) in fields(bytes)? {
            match (number, field) {
                (1, field) => name = text_of(field)?,
                (2, Field::Float(value)) => float = Some(value),
                (3 | 8, field) => ints.extend(read_ints(field).ok_or_else(malformed)?),
                (5, field) => self.tensor = read_tensor(bytes_of(field)?)?.1,
                _ => {}
            }
        }
        self.floats.extend(float.map(|value| (name.clone(), value)));
        self.ints.insert(name, ints);
        Ok(())
    }

    fn output(&self) -> &str {
        self.outputs.first().map_or("", String::as_str)
    }

    fn input(&self, index: usize) -> &str {
        self.inputs.get(index).map_or("", String::as_str)
    }

    /// Whether an attribute consists of this number alone; one that is not there has its default.
    fn all_are(&self, name: &str, value: u64) -> bool {
        self.ints.get(name).is_none_or(|ints| ints.iter().all(|found| *found == value))
    }

    fn float_is_one(&self, name: &str) -> bool {
        self.floats.get(name).is_none_or(|value| *value == 1.0)
    }
}

/// The name of an input or output of a graph.
fn value_name(bytes: &[u8]) -> Result<String, NetError> {
    let name = fields(bytes)?.into_iter().find(|(number, _)| *number == 1);
    name.map_or_else(|| Err(malformed()), |(_, field)| text_of(field))
}

/// A tensor with its name; none if its elements are not floats.
fn read_tensor(bytes: &[u8]) -> Result<(String, Option<Tensor>), NetError> {
    let (mut name, mut shape, mut data, mut is_float) =
        (String::new(), Vec::new(), Vec::new(), false);
    for (number, field) in fields(bytes)? {
        match (number, field) {
            (1, field) => shape.extend(read_ints(field).ok_or_else(malformed)?),
            (2, field) => is_float = field.int() == Some(FLOAT),
            (4, Field::Float(value)) => data.push(value),
            (4 | 9, Field::Bytes(raw)) => {
                let (floats, _) = raw.as_chunks::<4>();
                data.extend(floats.iter().map(|bytes| f32::from_le_bytes(*bytes)));
            }
            (8, field) => name = text_of(field)?,
            (14, Field::Int(1)) => {
                return Err(content(
                    "the weights are in another file; save the ONNX file with its weights",
                ));
            }
            _ => {}
        }
    }
    if !is_float {
        return Ok((name, None));
    }
    let shape: Vec<usize> = shape.iter().map(|&size| size as usize).collect();
    let count = shape.iter().try_fold(1usize, |count, size| count.checked_mul(*size));
    if count != Some(data.len()) || data.iter().any(|value| !value.is_finite()) {
        let name = excerpt(&name);
        let problem = format!("tensor `{name}` has values that are missing or not finite");
        return Err(content(&problem));
    }
    Ok((name, Some(Tensor { shape, data })))
}

/// Matches a graph with the layers of our networks and collects their tensors.
struct Matcher<'a> {
    graph: &'a Graph,
    tensors: BTreeMap<String, Tensor>,
}

/// The graph has another shape.
fn unfit(expected: &str, value: &str) -> NetError {
    let value = excerpt(value);
    content(&format!(
        "the ONNX graph is neither an mlp nor a resnet of this program: expected {expected} after `{value}`"
    ))
}

impl<'a> Matcher<'a> {
    fn network(&mut self, model: &Model, spec: &EncodingSpec) -> Result<NetKind, NetError> {
        let [input] = &self.graph.inputs[..] else {
            let count = self.graph.inputs.len();
            return Err(content(&format!("the ONNX graph has {count} inputs, not 1")));
        };
        // What the file says of itself, if it is ours, tells networks apart that differ only in their inputs.
        let named: Option<NetKind> = model.metadata.get("net").and_then(|net| net.parse().ok());
        if self.graph.readers(input).any(|node| node.operator == "Conv") {
            let resnet = self.resnet(input, spec)?;
            return Ok(match named {
                Some(NetKind::Resnet(named)) => {
                    NetKind::Resnet(Resnet { view: named.view, ..resnet })
                }
                _ => NetKind::Resnet(resnet),
            });
        }
        let sizes = self.mlp(input)?;
        let is_absolute = match named {
            Some(NetKind::Mlp(named)) => named.is_absolute,
            // As for files of Keras.
            _ => spec.absolute_size > 0 && sizes[0] == spec.absolute_size,
        };
        Ok(NetKind::Mlp(Mlp { sizes, is_absolute }))
    }

    fn mlp(&mut self, input: &str) -> Result<Vec<usize>, NetError> {
        let mut value = self.skip_reshape(input);
        let mut sizes = Vec::new();
        loop {
            if sizes.len() > MAX_DEPTH {
                return Err(content(&format!("the ONNX graph has more than {MAX_DEPTH} layers")));
            }
            let layer = format!("layer.{}", sizes.len().saturating_sub(1));
            let (output, [outputs, inputs]) = self.dense(&value, &layer)?;
            if sizes.is_empty() {
                sizes.push(inputs);
            }
            sizes.push(outputs);
            if let Some(node) = self.reader(&output, "Relu") {
                value = node.output().to_owned();
            } else if self.reader(&output, "Tanh").is_some() {
                return Ok(sizes);
            } else {
                return Err(unfit("Relu or Tanh", &output));
            }
        }
    }

    fn resnet(&mut self, input: &str, spec: &EncodingSpec) -> Result<Resnet, NetError> {
        let stem = self.conv_after(input, 3, |_| true)?;
        let planes = stem.weight.shape[1];
        let filters = stem.weight.shape[0];
        let mut trunk = self.conv_norm_relu(&stem, "input")?;
        let mut blocks = 0;
        while let Ok(first) = self.conv_after(&trunk, 3, |_| true) {
            let inner = self.conv_norm_relu(&first, &format!("block.{blocks}.first"))?;
            let second = self.conv_after(&inner, 3, |_| true)?;
            let inner = self.conv_norm(&second, &format!("block.{blocks}.second"))?;
            let sum = self.reader(&inner, "Add").filter(|node| node.inputs.contains(&trunk));
            let sum = sum.ok_or_else(|| unfit("the sum with the skip connection", &inner))?;
            trunk = self.relu(sum.output())?;
            blocks += 1;
            if blocks > MAX_DEPTH {
                return Err(content(&format!("the ONNX graph has more than {MAX_DEPTH} blocks")));
            }
        }
        let ownership = self.heads(&trunk)?;
        let view = match planes {
            planes if planes == spec.planes => View::Planes,
            _ => View::Attacks,
        };
        Ok(Resnet { blocks, filters, ownership, view })
    }

    /// The heads; returns whether there is one for ownership.
    fn heads(&mut self, trunk: &str) -> Result<bool, NetError> {
        let graph = self.graph;
        // The policy head has a second convolution, the value head a dense layer, the ownership head tanh.
        let leads_to = |conv: &Conv<'_>, operator: &str| {
            let relu = graph.readers(conv.end).find(|node| node.operator == "Relu");
            let next = relu.and_then(|relu| graph.readers(relu.output()).next());
            next.is_some_and(|node| node.operator == operator)
        };
        let policy = self.conv_after(trunk, 1, |conv| leads_to(conv, "Conv"))?;
        let mixed = self.conv_norm_relu(&policy, "policy.mix")?;
        let out = self.conv_after(&mixed, 1, |_| true)?;
        self.conv_bias(&out, "policy.out");
        let is_value = |conv: &Conv<'_>| leads_to(conv, "Flatten") || leads_to(conv, "Reshape");
        let value = self.conv_after(trunk, 1, is_value)?;
        let mixed = self.conv_norm_relu(&value, "value.mix")?;
        let flat = self.skip_reshape(&mixed);
        let (hidden, _) = self.dense(&flat, "value.hidden")?;
        let hidden = self.relu(&hidden)?;
        let (out, _) = self.dense(&hidden, "value.out")?;
        self.reader(&out, "Tanh").ok_or_else(|| unfit("Tanh", &out))?;
        let is_owner =
            |conv: &Conv<'_>| graph.readers(conv.end).any(|node| node.operator == "Tanh");
        let Ok(ownership) = self.conv_after(trunk, 1, is_owner) else { return Ok(false) };
        self.conv_bias(&ownership, "ownership");
        Ok(true)
    }

    /// The node with this operator that reads a value.
    fn reader(&self, value: &str, operator: &str) -> Option<&'a Node> {
        let mut nodes = self.graph.nodes.iter();
        nodes.find(|node| {
            node.operator == operator && node.inputs.iter().any(|input| input == value)
        })
    }

    fn conv_norm_relu(&mut self, conv: &Conv<'a>, layer: &str) -> Result<String, NetError> {
        let output = self.conv_norm(conv, layer)?;
        self.relu(&output)
    }

    fn relu(&self, value: &str) -> Result<String, NetError> {
        let node = self.reader(value, "Relu");
        node.map(|node| node.output().to_owned()).ok_or_else(|| unfit("Relu", value))
    }

    fn skip_reshape(&self, value: &str) -> String {
        let is_reshape = |node: &&Node| matches!(&node.operator[..], "Flatten" | "Reshape");
        let node = self.graph.readers(value).find(is_reshape);
        node.map_or(value, Node::output).to_owned()
    }

    /// A fully connected layer; returns its output and its size.
    fn dense(&mut self, value: &str, layer: &str) -> Result<(String, [usize; 2]), NetError> {
        let graph = self.graph;
        let is_dense = |node: &&Node| matches!(&node.operator[..], "Gemm" | "MatMul");
        let wrong = || unfit("a dense layer", value);
        let node = graph.readers(value).find(is_dense).ok_or_else(wrong)?;
        let weight = graph.tensor(node.input(1)).filter(|weight| weight.shape.len() == 2);
        let weight = weight.ok_or_else(wrong)?;
        let is_plain =
            node.float_is_one("alpha") && node.float_is_one("beta") && node.all_are("transA", 0);
        let is_transposed = node.operator == "Gemm" && !node.all_are("transB", 0);
        let weight = if is_transposed { weight.clone() } else { transposed(weight) };
        let (output, bias) = match node.operator == "Gemm" {
            true => (node.output(), graph.tensor(node.input(2))),
            false => graph.added_constant(node.output()).ok_or_else(wrong)?,
        };
        let [outputs, inputs] = weight.shape[..] else { return Err(wrong()) };
        let bias = bias
            .cloned()
            .unwrap_or_else(|| Tensor { shape: vec![outputs], data: vec![0.0; outputs] });
        if !is_plain || bias.data.len() != outputs {
            return Err(wrong());
        }
        self.tensors.insert(format!("{layer}.weight"), weight);
        self.tensors.insert(format!("{layer}.bias"), Tensor { shape: vec![outputs], ..bias });
        Ok((output.to_owned(), [outputs, inputs]))
    }

    /// The convolution of this kernel size after a value that `is_wanted`.
    fn conv_after(
        &self,
        value: &str,
        kernel: usize,
        is_wanted: impl Fn(&Conv<'a>) -> bool,
    ) -> Result<Conv<'a>, NetError> {
        let graph = self.graph;
        let convs =
            graph.nodes.iter().filter(|node| node.operator == "Conv" && node.input(0) == value);
        let mut convs = convs.filter_map(|node| Conv::new(graph, node, kernel));
        convs
            .find(is_wanted)
            .ok_or_else(|| unfit(&format!("a {kernel}x{kernel} convolution"), value))
    }

    /// A convolution with batch normalization; returns its output. A folded one becomes the identity with a bias.
    fn conv_norm(&mut self, conv: &Conv<'a>, layer: &str) -> Result<String, NetError> {
        let filters = conv.weight.shape[0];
        let constant = |value: f32| Tensor { shape: vec![filters], data: vec![value; filters] };
        let bias = conv.bias.cloned().unwrap_or_else(|| constant(0.0));
        let norm = match conv.norm {
            Some(norm) => {
                let part = |index: usize| {
                    let tensor = self.graph.tensor(norm.input(index)).cloned();
                    tensor.filter(|tensor| tensor.data.len() == filters)
                };
                let epsilon = norm.floats.get("epsilon").copied().unwrap_or(1e-5);
                let parts = [part(1), part(2), part(3), part(4)];
                let [Some(gamma), Some(beta), Some(mut mean), Some(mut variance)] = parts else {
                    return Err(unfit("the tensors of a batch normalization", conv.end));
                };
                mean.data.iter_mut().zip(&bias.data).for_each(|(mean, bias)| *mean -= bias);
                variance.data.iter_mut().for_each(|variance| *variance += epsilon - NORM_EPSILON);
                [gamma, beta, mean, variance]
            }
            None => {
                let identity = constant((1.0 + NORM_EPSILON).sqrt());
                [identity, bias, constant(0.0), constant(1.0)]
            }
        };
        self.tensors.insert(format!("{layer}.conv.weight"), conv.weight.clone());
        for (name, tensor) in ["gamma", "beta", "mean", "variance"].into_iter().zip(norm) {
            self.tensors.insert(format!("{layer}.norm.{name}"), tensor);
        }
        Ok(conv.end.to_owned())
    }

    fn conv_bias(&mut self, conv: &Conv<'a>, layer: &str) {
        let filters = conv.weight.shape[0];
        let zeros = || Tensor { shape: vec![filters], data: vec![0.0; filters] };
        self.tensors.insert(format!("{layer}.weight"), conv.weight.clone());
        self.tensors.insert(format!("{layer}.bias"), conv.bias.cloned().unwrap_or_else(zeros));
    }
}

impl Graph {
    /// The output of an addition of a constant to a value, and the constant; the value itself if there is none.
    fn added_constant<'a>(&'a self, value: &'a str) -> Option<(&'a str, Option<&'a Tensor>)> {
        let Some(add) = self.readers(value).find(|node| node.operator == "Add") else {
            return Some((value, None));
        };
        let constant = add.inputs.iter().find_map(|input| self.tensor(input))?;
        Some((add.output(), Some(constant)))
    }
}

/// A convolution, perhaps followed by a batch normalization.
struct Conv<'a> {
    weight: &'a Tensor,
    bias: Option<&'a Tensor>,
    norm: Option<&'a Node>,
    /// The output of both.
    end: &'a str,
}

impl<'a> Conv<'a> {
    /// A convolution that keeps the size of the board.
    fn new(graph: &'a Graph, node: &'a Node, kernel: usize) -> Option<Self> {
        let weight = graph.tensor(node.input(1))?;
        let [filters, _, rows, columns] = weight.shape[..] else { return None };
        let padding = (kernel as u64 - 1) / 2;
        let is_padded = match kernel {
            1 => node.all_are("pads", 0),
            _ => node.ints.get("pads").is_some_and(|pads| pads.iter().all(|pad| *pad == padding)),
        };
        let is_plain = ["strides", "dilations", "group"].iter().all(|name| node.all_are(name, 1));
        if [rows, columns] != [kernel; 2] || !is_padded || !is_plain {
            return None;
        }
        let bias = graph.tensor(node.input(2)).filter(|bias| bias.data.len() == filters);
        let norm = graph.readers(node.output()).find(|node| node.operator == "BatchNormalization");
        let end = norm.map_or(node.output(), Node::output);
        Some(Self { weight, bias, norm, end })
    }
}

fn transposed(matrix: &Tensor) -> Tensor {
    let (rows, columns) = (matrix.shape[0], matrix.shape[1]);
    let element = |index: usize| matrix.data[index % rows * columns + index / rows];
    Tensor { shape: vec![columns, rows], data: (0..rows * columns).map(element).collect() }
}
