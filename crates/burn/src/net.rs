//! The kinds of networks as modules of burn. Fields have the names of the files' tensors.

use std::cell::Cell;
use std::collections::BTreeMap;

use burn::module::{Module, Param, ParamId, RunningState};
use burn::nn::conv::Conv2d;
use burn::nn::{BatchNorm, Linear, PaddingConfig2d};
use burn::tensor::activation::{relu, tanh};
use burn::tensor::{Device, Tensor, TensorData};
use tablero_nets::{EncodingSpec, NORM_EPSILON, NetKind, Resnet, Tensor as Numbers, Weights};

/// How much of a batch's mean and variance goes into the running ones.
const MOMENTUM: f64 = 0.1;

/// A network of any kind.
#[derive(Module, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of them, and modules cannot be boxed")]
pub(crate) enum Net {
    Mlp(Mlp),
    Resnet(Residual),
}

/// Fully connected layers.
#[derive(Module, Debug)]
pub(crate) struct Mlp {
    layer: Vec<Linear>,
}

/// Residual blocks with their heads.
#[derive(Module, Debug)]
pub(crate) struct Residual {
    input: Normed,
    block: Vec<Block>,
    policy: Policy,
    value: Value,
    ownership: Option<Conv2d>,
}

#[derive(Module, Debug)]
struct Block {
    first: Normed,
    second: Normed,
}

#[derive(Module, Debug)]
struct Policy {
    mix: Normed,
    out: Conv2d,
}

#[derive(Module, Debug)]
struct Value {
    mix: Normed,
    hidden: Linear,
    out: Linear,
}

/// A convolution that a normalisation follows.
#[derive(Module, Debug)]
struct Normed {
    conv: Conv2d,
    norm: BatchNorm,
}

/// What a network says about a batch.
pub(crate) struct Said {
    /// One number a position.
    pub(crate) value: Tensor<1>,
    /// A row of outputs for every position, numbered as the game's encoding does.
    pub(crate) moves: Option<Tensor<2>>,
    /// A row of squares for every position.
    pub(crate) ownership: Option<Tensor<2>>,
}

impl Net {
    /// The weights must be those of a network for such a game.
    pub(crate) fn read(weights: &Weights, device: &Device) -> Self {
        let source = Source { weights, device, next: Cell::new(1) };
        match &weights.kind {
            NetKind::Mlp(sizes) => {
                let layer = |number| source.linear(&format!("layer.{number}"));
                Self::Mlp(Mlp { layer: (0..sizes.len() - 1).map(layer).collect() })
            }
            NetKind::Resnet(resnet) => Self::Resnet(source.residual(resnet)),
        }
    }

    /// The tensors of a file.
    pub(crate) fn write(&self) -> BTreeMap<String, Numbers> {
        let mut sink = Sink(BTreeMap::new());
        match self {
            Self::Mlp(mlp) => {
                for (number, layer) in mlp.layer.iter().enumerate() {
                    sink.linear(&format!("layer.{number}"), layer);
                }
            }
            Self::Resnet(residual) => sink.residual(residual),
        }
        sink.0
    }

    /// What the network says about rows of inputs.
    pub(crate) fn forward(&self, inputs: Tensor<2>, spec: &EncodingSpec) -> Said {
        match self {
            Self::Mlp(mlp) => Said { value: mlp.forward(inputs), moves: None, ownership: None },
            Self::Resnet(residual) => {
                let [count, numbers] = inputs.dims();
                let planes = numbers / spec.squares();
                residual.forward(inputs.reshape([count, planes, spec.height, spec.width]))
            }
        }
    }

    /// Takes the means and variances of the last batch over, on whatever thread the next one comes.
    pub(crate) fn settle(&self) {
        let Self::Resnet(residual) = self else { return };
        let blocks = residual.block.iter().flat_map(|block| [&block.first, &block.second]);
        let others = [&residual.input, &residual.policy.mix, &residual.value.mix];
        for Normed { norm, .. } in blocks.chain(others) {
            norm.running_mean.value_sync();
            norm.running_var.value_sync();
        }
    }
}

impl Mlp {
    fn forward(&self, mut values: Tensor<2>) -> Tensor<1> {
        for (number, layer) in self.layer.iter().enumerate() {
            values = layer.forward(values);
            if number + 1 < self.layer.len() {
                values = relu(values);
            }
        }
        tanh(values).flatten(0, 1)
    }
}

impl Residual {
    fn forward(&self, planes: Tensor<4>) -> Said {
        let mut trunk = relu(self.input.forward(planes));
        for block in &self.block {
            let inside = relu(block.first.forward(trunk.clone()));
            trunk = relu(block.second.forward(inside) + trunk);
        }
        let mix = relu(self.policy.mix.forward(trunk.clone()));
        let moves = self.policy.out.forward(mix).flatten(1, 3);
        let ownership = self.ownership.as_ref();
        let ownership = ownership.map(|out| tanh(out.forward(trunk.clone())).flatten(1, 3));
        let mix = relu(self.value.mix.forward(trunk)).flatten::<2>(1, 3);
        let hidden = relu(self.value.hidden.forward(mix));
        let value = tanh(self.value.out.forward(hidden)).flatten(0, 1);
        Said { value, moves: Some(moves), ownership }
    }
}

impl Normed {
    fn forward(&self, input: Tensor<4>) -> Tensor<4> {
        self.norm.forward(self.conv.forward(input))
    }
}

/// Makes modules of the tensors of a file.
struct Source<'a> {
    weights: &'a Weights,
    device: &'a Device,
    /// Parameters are numbered in the order of the file's plan, so that an optimizer's memory finds them
    /// again.
    next: Cell<u64>,
}

impl Source<'_> {
    fn id(&self) -> ParamId {
        ParamId::from(self.next.replace(self.next.get() + 1))
    }

    fn tensor<const D: usize>(&self, name: &str) -> Tensor<D> {
        let Numbers { shape, data } = &self.weights.tensors[name];
        Tensor::from_data(TensorData::new(data.clone(), shape.clone()), self.device)
    }

    fn parameter<const D: usize>(&self, tensor: Tensor<D>) -> Param<Tensor<D>> {
        let learns = self.device.is_autodiff();
        Param::initialized(self.id(), if learns { tensor.require_grad() } else { tensor })
    }

    fn named<const D: usize>(&self, name: &str) -> Param<Tensor<D>> {
        self.parameter(self.tensor(name))
    }

    fn running(&self, name: &str) -> RunningState<Tensor<1>> {
        RunningState::with_id(self.id(), self.tensor(name))
    }

    /// Files have a row for every output, burn has one for every input.
    fn linear(&self, name: &str) -> Linear {
        let rows = &self.weights.tensors[&format!("{name}.weight")];
        let turned =
            TensorData::new(turn(&rows.data, rows.shape[1]), [rows.shape[1], rows.shape[0]]);
        Linear {
            weight: self.parameter(Tensor::from_data(turned, self.device)),
            bias: Some(self.named(&format!("{name}.bias"))),
        }
    }

    fn conv(&self, name: &str, has_bias: bool) -> Conv2d {
        let weight = self.named::<4>(&format!("{name}.weight"));
        let size = weight.dims()[2];
        let around = size / 2;
        Conv2d {
            weight,
            bias: has_bias.then(|| self.named(&format!("{name}.bias"))),
            stride: [1, 1],
            kernel_size: [size, size],
            dilation: [1, 1],
            groups: 1,
            padding: PaddingConfig2d::Explicit(around, around, around, around),
        }
    }

    fn normed(&self, name: &str) -> Normed {
        let part = |part: &str| format!("{name}.norm.{part}");
        Normed {
            conv: self.conv(&format!("{name}.conv"), false),
            norm: BatchNorm {
                gamma: self.named(&part("gamma")),
                beta: self.named(&part("beta")),
                training: Param::from_bool(true),
                running_mean: self.running(&part("mean")),
                running_var: self.running(&part("variance")),
                momentum: MOMENTUM,
                epsilon: f64::from(NORM_EPSILON),
            },
        }
    }

    fn residual(&self, resnet: &Resnet) -> Residual {
        let block = |number: usize| Block {
            first: self.normed(&format!("block.{number}.first")),
            second: self.normed(&format!("block.{number}.second")),
        };
        Residual {
            input: self.normed("input"),
            block: (0..resnet.blocks).map(block).collect(),
            policy: Policy { mix: self.normed("policy.mix"), out: self.conv("policy.out", true) },
            value: Value {
                mix: self.normed("value.mix"),
                hidden: self.linear("value.hidden"),
                out: self.linear("value.out"),
            },
            ownership: resnet.ownership.then(|| self.conv("ownership", true)),
        }
    }
}

/// Collects the tensors of a file.
struct Sink(BTreeMap<String, Numbers>);

impl Sink {
    fn tensor<const D: usize>(&mut self, name: String, tensor: Tensor<D>) {
        let shape = tensor.dims().to_vec();
        self.0.insert(name, Numbers { shape, data: numbers(tensor) });
    }

    fn linear(&mut self, name: &str, linear: &Linear) {
        let [inputs, outputs] = linear.weight.dims();
        let data = turn(&numbers(linear.weight.val()), outputs);
        self.0.insert(format!("{name}.weight"), Numbers { shape: vec![outputs, inputs], data });
        self.bias(name, linear.bias.as_ref());
    }

    fn conv(&mut self, name: &str, conv: &Conv2d) {
        self.tensor(format!("{name}.weight"), conv.weight.val());
        self.bias(name, conv.bias.as_ref());
    }

    fn bias(&mut self, name: &str, bias: Option<&Param<Tensor<1>>>) {
        if let Some(bias) = bias {
            self.tensor(format!("{name}.bias"), bias.val());
        }
    }

    fn normed(&mut self, name: &str, normed: &Normed) {
        self.conv(&format!("{name}.conv"), &normed.conv);
        let norm = &normed.norm;
        self.tensor(format!("{name}.norm.gamma"), norm.gamma.val());
        self.tensor(format!("{name}.norm.beta"), norm.beta.val());
        self.tensor(format!("{name}.norm.mean"), norm.running_mean.value());
        self.tensor(format!("{name}.norm.variance"), norm.running_var.value());
    }

    fn residual(&mut self, residual: &Residual) {
        self.normed("input", &residual.input);
        for (number, block) in residual.block.iter().enumerate() {
            self.normed(&format!("block.{number}.first"), &block.first);
            self.normed(&format!("block.{number}.second"), &block.second);
        }
        self.normed("policy.mix", &residual.policy.mix);
        self.conv("policy.out", &residual.policy.out);
        self.normed("value.mix", &residual.value.mix);
        self.linear("value.hidden", &residual.value.hidden);
        self.linear("value.out", &residual.value.out);
        if let Some(ownership) = &residual.ownership {
            self.conv("ownership", ownership);
        }
    }
}

/// All numbers of a tensor, the last direction being the nearest.
pub(crate) fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.try_into_vec_as().expect("a tensor of numbers can be read")
}

/// Rows of this width become columns.
fn turn(rows: &[f32], width: usize) -> Vec<f32> {
    let column = |column: usize| rows.iter().skip(column).step_by(width).copied();
    (0..width).flat_map(column).collect()
}
