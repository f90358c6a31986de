use crate::{EncodingSpec, Mlp, NetKind, Resnet};

/// Batch normalization's epsilon.
pub const NORM_EPSILON: f32 = 1e-5;

/// Filters and hidden neurons of the value head.
const VALUE_FILTERS: usize = 8;
const VALUE_HIDDEN: usize = 64;

/// The name and shape of a tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorSpec {
    /// Its name in files.
    pub name: String,
    /// Its shape: outputs, inputs, kernel rows, kernel columns.
    pub shape: Vec<usize>,
}

/// The tensors of a network.
///
/// - `mlp`: `layer.N.weight` and `layer.N.bias`.
/// - `resnet`: the input convolution `input`, the blocks `block.N.first` and `block.N.second` (the skip
///   connection is added before the last ReLU), and the heads. A convolution with batch normalization has
///   `conv.weight`, `norm.gamma`, `norm.beta`, `norm.mean` and `norm.variance`. Policy head: `policy.mix`
///   (1x1, batch normalization, ReLU), `policy.out` (1x1). Value head: `value.mix` (1x1, batch normalization,
///   ReLU), `value.hidden` (ReLU), `value.out` (tanh). Ownership head: `ownership` (1x1, tanh).
pub fn tensor_specs(kind: &NetKind, spec: &EncodingSpec) -> Vec<TensorSpec> {
    let mut list = TensorList(Vec::new());
    match kind {
        NetKind::Mlp(Mlp { sizes, .. }) => {
            for (layer, pair) in sizes.windows(2).enumerate() {
                list.linear(&format!("layer.{layer}"), &[pair[1], pair[0]]);
            }
        }
        NetKind::Resnet(resnet) => list.resnet(resnet, spec),
    }
    list.0
}

/// Floating-point operations to evaluate one position, with batch normalization folded; a multiply-add counts
/// as two.
pub fn flops(kind: &NetKind, spec: &EncodingSpec) -> u64 {
    let of_tensor = |tensor: TensorSpec| {
        let applications = match tensor.shape.len() {
            4 => spec.squares(),
            2 => 1,
            _ => 0,
        };
        2 * applications as u64 * tensor.shape.iter().product::<usize>() as u64
    };
    tensor_specs(kind, spec).into_iter().map(of_tensor).sum()
}

struct TensorList(Vec<TensorSpec>);

impl TensorList {
    fn tensor(&mut self, name: String, shape: &[usize]) {
        self.0.push(TensorSpec { name, shape: shape.to_vec() });
    }

    /// A layer with a bias.
    fn linear(&mut self, name: &str, shape: &[usize]) {
        self.tensor(format!("{name}.weight"), shape);
        self.tensor(format!("{name}.bias"), &shape[..1]);
    }

    /// A convolution with batch normalization.
    fn conv_bn(&mut self, name: &str, outputs: usize, inputs: usize, kernel_size: usize) {
        self.tensor(format!("{name}.conv.weight"), &[outputs, inputs, kernel_size, kernel_size]);
        for part in ["gamma", "beta", "mean", "variance"] {
            self.tensor(format!("{name}.norm.{part}"), &[outputs]);
        }
    }

    fn resnet(&mut self, resnet: &Resnet, spec: &EncodingSpec) {
        let filters = resnet.filters;
        self.conv_bn("input", filters, resnet.planes(spec), 3);
        for block in 0..resnet.blocks {
            self.conv_bn(&format!("block.{block}.first"), filters, filters, 3);
            self.conv_bn(&format!("block.{block}.second"), filters, filters, 3);
        }
        self.conv_bn("policy.mix", filters, filters, 1);
        self.linear("policy.out", &[spec.policy_planes, filters, 1, 1]);
        self.conv_bn("value.mix", VALUE_FILTERS, filters, 1);
        self.linear("value.hidden", &[VALUE_HIDDEN, VALUE_FILTERS * spec.squares()]);
        self.linear("value.out", &[1, VALUE_HIDDEN]);
        if resnet.ownership {
            self.linear("ownership", &[1, filters, 1, 1]);
        }
    }
}
