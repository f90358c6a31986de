//! ONNX: the graph of any network, for onnxruntime and others.
//!
//! Input `input`: the encoded positions, `[batch, inputs]` of an MLP, `[batch, planes, rows, columns]` of a residual
//! network. Outputs: `value`, `[batch, 1]`; of residual networks also `policy`, the logits as planes,
//! `[batch, planes, rows, columns]`, and `ownership`, `[batch, 1, rows, columns]`, if there is that head.
//!
//! The numbers of fields are those of `onnx.proto3`.

use super::protobuf::Message;
use crate::{EncodingSpec, NORM_EPSILON, NetKind, Resnet, Tensor, Weights};

const IR_VERSION: u64 = 8;
const OPSET: u64 = 13;
const BATCH: &str = "batch";
// Types of elements and of attributes.
const FLOAT: u64 = 1;
const FLOAT_ATTRIBUTE: u64 = 1;
const INT_ATTRIBUTE: u64 = 2;
const INTS_ATTRIBUTE: u64 = 7;

pub(super) fn write(weights: &Weights, spec: &EncodingSpec) -> Vec<u8> {
    let mut graph = Graph { weights, nodes: Vec::new(), initializers: Vec::new() };
    let board = [spec.height, spec.width];
    let shape = |planes: usize| [&[planes][..], &board].concat();
    let (input, outputs) = match &weights.kind {
        NetKind::Mlp(mlp) => {
            graph.mlp(mlp.sizes.len() - 1);
            (vec![mlp.sizes[0]], vec![("value", vec![1])])
        }
        NetKind::Resnet(resnet) => {
            graph.resnet(resnet);
            let mut outputs = vec![("value", vec![1]), ("policy", shape(spec.policy_planes))];
            outputs.extend(resnet.ownership.then(|| ("ownership", shape(1))));
            (shape(resnet.planes(spec)), outputs)
        }
    };
    let outputs: Vec<_> = outputs.iter().map(|(name, shape)| value_info(name, shape)).collect();
    let graph = Message::default()
        .messages(1, &graph.nodes)
        .text(2, "network")
        .messages(5, &graph.initializers)
        .message(11, &value_info("input", &input))
        .messages(12, &outputs);
    let metadata = [
        ("game", weights.game.clone()),
        ("net", weights.kind.to_string()),
        ("encoding", weights.version.to_string()),
        ("provenance", weights.provenance.join("\n")),
    ];
    let metadata = metadata.map(|(key, value)| Message::default().text(1, key).text(2, &value));
    Message::default()
        .int(1, IR_VERSION)
        .text(2, "tablero")
        .message(7, &graph)
        .message(8, &Message::default().int(2, OPSET))
        .messages(14, &metadata)
        .into_bytes()
}

/// A graph under construction. Values are named like the layers that compute them.
struct Graph<'a> {
    weights: &'a Weights,
    nodes: Vec<Message>,
    initializers: Vec<Message>,
}

impl Graph<'_> {
    fn mlp(&mut self, layers: usize) {
        let mut value = String::from("input");
        for layer in 0..layers {
            value = self.dense(&format!("layer.{layer}"), &value);
            if layer + 1 < layers {
                value = self.relu(&value);
            }
        }
        self.node("Tanh", &[&value], "value", &[]);
    }

    fn resnet(&mut self, resnet: &Resnet) {
        let mut trunk = self.conv_norm_relu("input", "input", 1);
        for block in 0..resnet.blocks {
            let inner = self.conv_norm_relu(&format!("block.{block}.first"), &trunk, 1);
            let inner = self.conv_norm(&format!("block.{block}.second"), &inner, 1);
            let sum = format!("block.{block}.sum");
            self.node("Add", &[&inner, &trunk], &sum, &[]);
            trunk = self.relu(&sum);
        }
        let policy = self.conv_norm_relu("policy.mix", &trunk, 0);
        self.conv_bias("policy.out", &policy, "policy");
        let value = self.conv_norm_relu("value.mix", &trunk, 0);
        self.node("Flatten", &[&value], "value.flat", &[int("axis", 1)]);
        let value = self.dense("value.hidden", "value.flat");
        let value = self.relu(&value);
        let value = self.dense("value.out", &value);
        self.node("Tanh", &[&value], "value", &[]);
        if resnet.ownership {
            self.conv_bias("ownership", &trunk, "ownership.logits");
            self.node("Tanh", &["ownership.logits"], "ownership", &[]);
        }
    }

    /// A fully connected layer; returns the name of its output.
    fn dense(&mut self, layer: &str, input: &str) -> String {
        let [weight, bias] = self.tensors(layer, ["weight", "bias"]);
        let output = format!("{layer}.out");
        self.node("Gemm", &[input, &weight, &bias], &output, &[int("transB", 1)]);
        output
    }

    /// A convolution with batch normalization; returns the name of its output.
    fn conv_norm(&mut self, layer: &str, input: &str, padding: u64) -> String {
        let [weight] = self.tensors(&format!("{layer}.conv"), ["weight"]);
        let convolved = format!("{layer}.conv.out");
        self.node("Conv", &[input, &weight], &convolved, &[ints("pads", &[padding; 4])]);
        let [gamma, beta, mean, variance] =
            self.tensors(&format!("{layer}.norm"), ["gamma", "beta", "mean", "variance"]);
        let output = format!("{layer}.norm.out");
        let inputs = [&convolved[..], &gamma, &beta, &mean, &variance];
        self.node("BatchNormalization", &inputs, &output, &[float("epsilon", NORM_EPSILON)]);
        output
    }

    fn conv_norm_relu(&mut self, layer: &str, input: &str, padding: u64) -> String {
        let output = self.conv_norm(layer, input, padding);
        self.relu(&output)
    }

    /// A convolution of single squares with a bias.
    fn conv_bias(&mut self, layer: &str, input: &str, output: &str) {
        let [weight, bias] = self.tensors(layer, ["weight", "bias"]);
        self.node("Conv", &[input, &weight, &bias], output, &[]);
    }

    fn relu(&mut self, input: &str) -> String {
        let output = format!("{input}.relu");
        self.node("Relu", &[input], &output, &[]);
        output
    }

    fn node(&mut self, operator: &str, inputs: &[&str], output: &str, attributes: &[Message]) {
        let node = inputs.iter().fold(Message::default(), |node, input| node.text(1, input));
        // The name of a node need only be unique.
        let node = node.text(2, output).text(3, &format!("{output}.node")).text(4, operator);
        self.nodes.push(node.messages(5, attributes));
    }

    /// Adds tensors of a layer; returns their names.
    fn tensors<const N: usize>(&mut self, layer: &str, parts: [&str; N]) -> [String; N] {
        parts.map(|part| {
            let name = format!("{layer}.{part}");
            let Tensor { shape, data } = &self.weights.tensors[&name];
            let bytes: Vec<u8> = data.iter().flat_map(|value| value.to_le_bytes()).collect();
            let tensor =
                shape.iter().fold(Message::default(), |tensor, &size| tensor.int(1, size as u64));
            self.initializers.push(tensor.int(2, FLOAT).text(8, &name).bytes(9, &bytes));
            name
        })
    }
}

/// An input or output of floats; the first dimension is the batch.
fn value_info(name: &str, shape: &[usize]) -> Message {
    let mut dimensions = vec![Message::default().text(2, BATCH)];
    dimensions.extend(shape.iter().map(|&size| Message::default().int(1, size as u64)));
    let shape = Message::default().messages(1, &dimensions);
    let tensor = Message::default().int(1, FLOAT).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}

fn int(name: &str, value: u64) -> Message {
    Message::default().text(1, name).int(3, value).int(20, INT_ATTRIBUTE)
}

fn float(name: &str, value: f32) -> Message {
    Message::default().text(1, name).float(2, value).int(20, FLOAT_ATTRIBUTE)
}

fn ints(name: &str, values: &[u64]) -> Message {
    let attribute = Message::default().text(1, name);
    let attribute = values.iter().fold(attribute, |attribute, &value| attribute.int(8, value));
    attribute.int(20, INTS_ATTRIBUTE)
}
