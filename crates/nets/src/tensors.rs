use crate::{Dims, NetKind, Resnet};

/// Added to variances before their root is taken, as in training.
pub const NORM_EPSILON: f32 = 1e-5;

/// Filters and hidden neurons of the head for the value.
const VALUE_FILTERS: usize = 8;
const VALUE_HIDDEN: usize = 64;

/// A tensor that a network has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorPlan {
    /// Its name in files.
    pub name: String,
    /// Its shape: outputs first, then inputs, then rows and columns.
    pub shape: Vec<usize>,
}

/// All tensors of a network of that kind for a game of these dimensions.
///
/// - `mlp`: `layer.N.weight` and `layer.N.bias`.
/// - `resnet`: a convolution, the blocks (two convolutions each, the input added before the last ReLU),
///   and the heads. A convolution that a normalisation follows has `conv.weight`, `norm.gamma`,
///   `norm.beta`, `norm.mean` and `norm.variance`. For moves: `policy.mix` (1x1, with normalisation and
///   ReLU), `policy.out` (1x1). For the value: `value.mix` (1x1, with normalisation and ReLU),
///   `value.hidden` (ReLU), `value.out` (tanh). For ownership: `ownership` (1x1, tanh).
pub fn plan(kind: &NetKind, dims: &Dims) -> Vec<TensorPlan> {
    let mut plan = Plan(Vec::new());
    match kind {
        NetKind::Mlp(sizes) => {
            for (layer, pair) in sizes.windows(2).enumerate() {
                plan.layer(&format!("layer.{layer}"), &[pair[1], pair[0]]);
            }
        }
        NetKind::Resnet(resnet) => plan.resnet(resnet, dims),
    }
    plan.0
}

/// Multiplications and additions for one position, normalisations being folded into convolutions.
pub fn operations(kind: &NetKind, dims: &Dims) -> u64 {
    let of_tensor = |tensor: TensorPlan| {
        let places = match tensor.shape.len() {
            4 => dims.squares(),
            2 => 1,
            _ => 0,
        };
        2 * places as u64 * tensor.shape.iter().product::<usize>() as u64
    };
    plan(kind, dims).into_iter().map(of_tensor).sum()
}

struct Plan(Vec<TensorPlan>);

impl Plan {
    fn tensor(&mut self, name: String, shape: &[usize]) {
        self.0.push(TensorPlan { name, shape: shape.to_vec() });
    }

    fn layer(&mut self, name: &str, shape: &[usize]) {
        self.tensor(format!("{name}.weight"), shape);
        self.tensor(format!("{name}.bias"), &shape[..1]);
    }

    fn normed(&mut self, name: &str, outputs: usize, inputs: usize, size: usize) {
        self.tensor(format!("{name}.conv.weight"), &[outputs, inputs, size, size]);
        for part in ["gamma", "beta", "mean", "variance"] {
            self.tensor(format!("{name}.norm.{part}"), &[outputs]);
        }
    }

    fn resnet(&mut self, resnet: &Resnet, dims: &Dims) {
        let filters = resnet.filters;
        self.normed("input", filters, resnet.planes(dims), 3);
        for block in 0..resnet.blocks {
            self.normed(&format!("block.{block}.first"), filters, filters, 3);
            self.normed(&format!("block.{block}.second"), filters, filters, 3);
        }
        self.normed("policy.mix", filters, filters, 1);
        self.layer("policy.out", &[dims.move_planes, filters, 1, 1]);
        self.normed("value.mix", VALUE_FILTERS, filters, 1);
        self.layer("value.hidden", &[VALUE_HIDDEN, VALUE_FILTERS * dims.squares()]);
        self.layer("value.out", &[1, VALUE_HIDDEN]);
        if resnet.ownership {
            self.layer("ownership", &[1, filters, 1, 1]);
        }
    }
}
