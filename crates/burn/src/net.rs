//! The architectures as burn modules. Fields are named after the tensors in files.

use std::cell::Cell;
use std::collections::BTreeMap;

use burn::module::{Module, Param, ParamId, RunningState};
use burn::nn::conv::Conv2d;
use burn::nn::{BatchNorm, Linear, PaddingConfig2d};
use burn::tensor::activation::{relu, tanh};
use burn::tensor::{Device, Tensor, TensorData};
use tablero_nets::{EncodingSpec, NORM_EPSILON, NetKind, Resnet, Tensor as FileTensor, Weights};

/// The weight of a batch in the running statistics.
const MOMENTUM: f64 = 0.1;

/// A network of any architecture.
#[derive(Module, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of them, and modules cannot be boxed")]
pub(crate) enum Net {
    Mlp(Mlp),
    Resnet(ResidualNet),
}

/// Fully connected layers.
#[derive(Module, Debug)]
pub(crate) struct Mlp {
    layer: Vec<Linear>,
}

/// A residual tower with its heads.
#[derive(Module, Debug)]
pub(crate) struct ResidualNet {
    input: ConvBn,
    block: Vec<Block>,
    policy: Policy,
    value: Value,
    ownership: Option<Conv2d>,
}

#[derive(Module, Debug)]
struct Block {
    first: ConvBn,
    second: ConvBn,
}

#[derive(Module, Debug)]
struct Policy {
    mix: ConvBn,
    out: Conv2d,
}

#[derive(Module, Debug)]
struct Value {
    mix: ConvBn,
    hidden: Linear,
    out: Linear,
}

/// A convolution with batch normalization.
#[derive(Module, Debug)]
struct ConvBn {
    conv: Conv2d,
    norm: BatchNorm,
}

/// The outputs of a batch.
pub(crate) struct Outputs {
    /// One value per position.
    pub(crate) value: Tensor<1>,
    /// A row of policy logits per position, by policy index.
    pub(crate) policy: Option<Tensor<2>>,
    /// A row of squares per position.
    pub(crate) ownership: Option<Tensor<2>>,
}

impl Net {
    /// The weights must fit the game.
    pub(crate) fn read(weights: &Weights, device: &Device) -> Self {
        let loader = Loader { weights, device, next: Cell::new(1) };
        match &weights.kind {
            NetKind::Mlp(tablero_nets::Mlp { sizes, .. }) => {
                let layer = |number| loader.linear(&format!("layer.{number}"));
                Self::Mlp(Mlp { layer: (0..sizes.len() - 1).map(layer).collect() })
            }
            NetKind::Resnet(resnet) => Self::Resnet(loader.residual(resnet)),
        }
    }

    /// The tensors, in file layout.
    pub(crate) fn write(&self) -> BTreeMap<String, FileTensor> {
        let mut exporter = Exporter(BTreeMap::new());
        match self {
            Self::Mlp(mlp) => {
                for (number, layer) in mlp.layer.iter().enumerate() {
                    exporter.linear(&format!("layer.{number}"), layer);
                }
            }
            Self::Resnet(residual) => exporter.residual(residual),
        }
        exporter.0
    }

    /// The outputs for rows of inputs.
    pub(crate) fn forward(&self, inputs: Tensor<2>, spec: &EncodingSpec) -> Outputs {
        match self {
            Self::Mlp(mlp) => Outputs { value: mlp.forward(inputs), policy: None, ownership: None },
            Self::Resnet(residual) => {
                let [count, inputs_len] = inputs.dims();
                let planes = inputs_len / spec.squares();
                residual.forward(inputs.reshape([count, planes, spec.height, spec.width]))
            }
        }
    }

    /// Publishes the running statistics of the last batch to other threads.
    pub(crate) fn sync_running_stats(&self) {
        let Self::Resnet(residual) = self else { return };
        let blocks = residual.block.iter().flat_map(|block| [&block.first, &block.second]);
        let others = [&residual.input, &residual.policy.mix, &residual.value.mix];
        for ConvBn { norm, .. } in blocks.chain(others) {
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

impl ResidualNet {
    fn forward(&self, planes: Tensor<4>) -> Outputs {
        let mut trunk = relu(self.input.forward(planes));
        for block in &self.block {
            let inner = relu(block.first.forward(trunk.clone()));
            trunk = relu(block.second.forward(inner) + trunk);
        }
        let mix = relu(self.policy.mix.forward(trunk.clone()));
        let policy = self.policy.out.forward(mix).flatten(1, 3);
        let ownership = self.ownership.as_ref();
        let ownership = ownership.map(|out| tanh(out.forward(trunk.clone())).flatten(1, 3));
        let mix = relu(self.value.mix.forward(trunk)).flatten::<2>(1, 3);
        let hidden = relu(self.value.hidden.forward(mix));
        let value = tanh(self.value.out.forward(hidden)).flatten(0, 1);
        Outputs { value, policy: Some(policy), ownership }
    }
}

impl ConvBn {
    fn forward(&self, input: Tensor<4>) -> Tensor<4> {
        self.norm.forward(self.conv.forward(input))
    }
}

/// Builds modules from tensors.
struct Loader<'a> {
    weights: &'a Weights,
    device: &'a Device,
    /// Parameter ids are deterministic, so that a saved optimizer state can be restored.
    next: Cell<u64>,
}

impl Loader<'_> {
    fn id(&self) -> ParamId {
        ParamId::from(self.next.replace(self.next.get() + 1))
    }

    fn tensor<const D: usize>(&self, name: &str) -> Tensor<D> {
        let FileTensor { shape, data } = &self.weights.tensors[name];
        Tensor::from_data(TensorData::new(data.clone(), shape.clone()), self.device)
    }

    fn parameter<const D: usize>(&self, tensor: Tensor<D>) -> Param<Tensor<D>> {
        let is_training = self.device.is_autodiff();
        Param::initialized(self.id(), if is_training { tensor.require_grad() } else { tensor })
    }

    fn named<const D: usize>(&self, name: &str) -> Param<Tensor<D>> {
        self.parameter(self.tensor(name))
    }

    fn running(&self, name: &str) -> RunningState<Tensor<1>> {
        RunningState::with_id(self.id(), self.tensor(name))
    }

    /// Files are outputs x inputs, burn is inputs x outputs.
    fn linear(&self, name: &str) -> Linear {
        let rows = &self.weights.tensors[&format!("{name}.weight")];
        let transposed =
            TensorData::new(transpose(&rows.data, rows.shape[1]), [rows.shape[1], rows.shape[0]]);
        Linear {
            weight: self.parameter(Tensor::from_data(transposed, self.device)),
            bias: Some(self.named(&format!("{name}.bias"))),
        }
    }

    fn conv(&self, name: &str, has_bias: bool) -> Conv2d {
        let weight = self.named::<4>(&format!("{name}.weight"));
        let size = weight.dims()[2];
        let padding = size / 2;
        Conv2d {
            weight,
            bias: has_bias.then(|| self.named(&format!("{name}.bias"))),
            stride: [1, 1],
            kernel_size: [size, size],
            dilation: [1, 1],
            groups: 1,
            padding: PaddingConfig2d::Explicit(padding, padding, padding, padding),
        }
    }

    fn conv_bn(&self, name: &str) -> ConvBn {
        let part = |part: &str| format!("{name}.norm.{part}");
        ConvBn {
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

    fn residual(&self, resnet: &Resnet) -> ResidualNet {
        let block = |number: usize| Block {
            first: self.conv_bn(&format!("block.{number}.first")),
            second: self.conv_bn(&format!("block.{number}.second")),
        };
        ResidualNet {
            input: self.conv_bn("input"),
            block: (0..resnet.blocks).map(block).collect(),
            policy: Policy { mix: self.conv_bn("policy.mix"), out: self.conv("policy.out", true) },
            value: Value {
                mix: self.conv_bn("value.mix"),
                hidden: self.linear("value.hidden"),
                out: self.linear("value.out"),
            },
            ownership: resnet.ownership.then(|| self.conv("ownership", true)),
        }
    }
}

/// Collects tensors in file layout.
struct Exporter(BTreeMap<String, FileTensor>);

impl Exporter {
    fn tensor<const D: usize>(&mut self, name: String, tensor: Tensor<D>) {
        let shape = tensor.dims().to_vec();
        self.0.insert(name, FileTensor { shape, data: to_vec(tensor) });
    }

    fn linear(&mut self, name: &str, linear: &Linear) {
        let [inputs, outputs] = linear.weight.dims();
        let data = transpose(&to_vec(linear.weight.val()), outputs);
        self.0.insert(format!("{name}.weight"), FileTensor { shape: vec![outputs, inputs], data });
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

    fn conv_bn(&mut self, name: &str, conv_bn: &ConvBn) {
        self.conv(&format!("{name}.conv"), &conv_bn.conv);
        let norm = &conv_bn.norm;
        self.tensor(format!("{name}.norm.gamma"), norm.gamma.val());
        self.tensor(format!("{name}.norm.beta"), norm.beta.val());
        self.tensor(format!("{name}.norm.mean"), norm.running_mean.value());
        self.tensor(format!("{name}.norm.variance"), norm.running_var.value());
    }

    fn residual(&mut self, residual: &ResidualNet) {
        self.conv_bn("input", &residual.input);
        for (number, block) in residual.block.iter().enumerate() {
            self.conv_bn(&format!("block.{number}.first"), &block.first);
            self.conv_bn(&format!("block.{number}.second"), &block.second);
        }
        self.conv_bn("policy.mix", &residual.policy.mix);
        self.conv("policy.out", &residual.policy.out);
        self.conv_bn("value.mix", &residual.value.mix);
        self.linear("value.hidden", &residual.value.hidden);
        self.linear("value.out", &residual.value.out);
        if let Some(ownership) = &residual.ownership {
            self.conv("ownership", ownership);
        }
    }
}

/// A tensor's elements in row-major order.
pub(crate) fn to_vec<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.try_into_vec_as().expect("float tensors convert to f32")
}

/// Transposes a matrix with rows of this width.
fn transpose(rows: &[f32], width: usize) -> Vec<f32> {
    let column = |column: usize| rows.iter().skip(column).step_by(width).copied();
    (0..width).flat_map(column).collect()
}
