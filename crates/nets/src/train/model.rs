use std::collections::BTreeMap;

use super::batch_norm::BatchNorm;
use super::layer::{Affine, Kernel, Layer, add};
use super::loss::Outputs;
use super::parameter::Parameter;
use crate::{EncodingSpec, Mlp, NetKind, Tensor, Weights, tensor_specs};

/// A network's layers by tensor name, with the activations that the backward pass needs.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    kind: NetKind,
    spec: EncodingSpec,
    layers: BTreeMap<String, Layer>,
    /// Outputs of the last batch, after ReLU.
    activations: BTreeMap<String, Vec<f32>>,
    /// Whether layers run on the current thread pool.
    pub(crate) is_parallel: bool,
}

impl Model {
    /// The weights must fit the game.
    pub(crate) fn new(weights: &Weights, spec: &EncodingSpec) -> Self {
        let mut layers = BTreeMap::new();
        for planned in tensor_specs(&weights.kind, spec) {
            if let Some(name) = planned.name.strip_suffix(".weight") {
                let name = name.strip_suffix(".conv").unwrap_or(name);
                layers.insert(name.to_owned(), read_layer(weights, spec, name));
            }
        }
        let activations = BTreeMap::new();
        Self { kind: weights.kind.clone(), spec: *spec, layers, activations, is_parallel: false }
    }

    pub(crate) fn parameters(&mut self) -> impl Iterator<Item = &mut Parameter> {
        self.layers.values_mut().flat_map(Layer::parameters)
    }

    /// All tensors, in file layout.
    pub(crate) fn tensors(&self) -> BTreeMap<String, Tensor> {
        let planned = tensor_specs(&self.kind, &self.spec).into_iter();
        let tensors = planned.map(|planned| {
            let data = self.tensor(&planned.name, &planned.shape);
            (planned.name, Tensor { shape: planned.shape, data })
        });
        tensors.collect()
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Vec<f32> {
        let (layer, part) = name.rsplit_once('.').unwrap_or((name, ""));
        let base = layer.strip_suffix(".norm").or(layer.strip_suffix(".conv")).unwrap_or(layer);
        let layer = &self.layers[base];
        match (&layer.affine, part) {
            (_, "weight") => {
                let mut data = vec![0.0; layer.weight.value.len()];
                for (index, at) in weight_indices(base, shape, &self.spec).into_iter().enumerate() {
                    data[index] = layer.weight.value[at];
                }
                data
            }
            (Affine::Bias(bias), _) => bias.value.clone(),
            (Affine::BatchNorm(norm), "gamma") => norm.gamma.value.clone(),
            (Affine::BatchNorm(norm), "beta") => norm.beta.value.clone(),
            (Affine::BatchNorm(norm), "mean") => norm.mean.clone(),
            (Affine::BatchNorm(norm), _) => norm.variance.clone(),
        }
    }

    /// The outputs for a batch of inputs.
    pub(crate) fn forward(&mut self, inputs: &[&[f32]], is_training: bool) -> Outputs {
        match self.kind.clone() {
            NetKind::Mlp(Mlp { sizes, .. }) => {
                let mut values = inputs.concat();
                for layer in 0..sizes.len() - 1 {
                    let name = format!("layer.{layer}");
                    values = self.layer(&name, &values, is_training);
                    if layer + 2 < sizes.len() {
                        self.relu(&name, &mut values, is_training);
                    }
                }
                Outputs { value: tanh(values), ..Outputs::default() }
            }
            NetKind::Resnet(resnet) => {
                let mut trunk =
                    nchw_to_nhwc(inputs, resnet.planes(&self.spec), self.spec.squares());
                trunk = self.layer_relu("input", &trunk, is_training);
                for block in 0..resnet.blocks {
                    let [first, second] = block_names(block);
                    let inner = self.layer_relu(&first, &trunk, is_training);
                    let mut sum = self.layer(&second, &inner, is_training);
                    add(&mut sum, &trunk);
                    self.relu(&second, &mut sum, is_training);
                    trunk = sum;
                }
                let mix = self.layer_relu("policy.mix", &trunk, is_training);
                let policy = Some(self.layer("policy.out", &mix, is_training));
                let mix = self.layer_relu("value.mix", &trunk, is_training);
                let hidden = self.layer_relu("value.hidden", &mix, is_training);
                let value = tanh(self.layer("value.out", &hidden, is_training));
                let ownership =
                    resnet.ownership.then(|| tanh(self.layer("ownership", &trunk, is_training)));
                Outputs { value, policy, ownership }
            }
        }
    }

    /// Backpropagates the loss's gradients with respect to the outputs to all parameters.
    pub(crate) fn backward(&mut self, gradients: Outputs) {
        match self.kind.clone() {
            NetKind::Mlp(Mlp { sizes, .. }) => {
                let mut gradient = gradients.value;
                for layer in (0..sizes.len() - 1).rev() {
                    let name = format!("layer.{layer}");
                    if layer + 2 < sizes.len() {
                        self.relu_backward(&name, &mut gradient);
                    }
                    if layer == 0 {
                        return self.input_layer_backward(&name, gradient);
                    }
                    gradient = self.layer_backward(&name, gradient);
                }
            }
            NetKind::Resnet(resnet) => {
                let mut gradient = self.layer_backward("value.out", gradients.value);
                for name in ["value.hidden", "value.mix"] {
                    gradient = self.relu_layer_backward(name, gradient);
                }
                if let Some(policy) = gradients.policy {
                    let mix = self.layer_backward("policy.out", policy);
                    add(&mut gradient, &self.relu_layer_backward("policy.mix", mix));
                }
                if let Some(ownership) = gradients.ownership {
                    add(&mut gradient, &self.layer_backward("ownership", ownership));
                }
                for block in (0..resnet.blocks).rev() {
                    let [first, second] = block_names(block);
                    self.relu_backward(&second, &mut gradient);
                    let inner = self.layer_backward(&second, gradient.clone());
                    add(&mut gradient, &self.relu_layer_backward(&first, inner));
                }
                self.relu_backward("input", &mut gradient);
                self.input_layer_backward("input", gradient);
            }
        }
    }

    fn layer(&mut self, name: &str, input: &[f32], is_training: bool) -> Vec<f32> {
        let is_parallel = self.is_parallel;
        self.layer_mut(name).forward(input, is_training, is_parallel)
    }

    fn layer_relu(&mut self, name: &str, input: &[f32], is_training: bool) -> Vec<f32> {
        let mut output = self.layer(name, input, is_training);
        self.relu(name, &mut output, is_training);
        output
    }

    fn relu(&mut self, name: &str, output: &mut [f32], is_training: bool) {
        output.iter_mut().for_each(|value| *value = value.max(0.0));
        if is_training {
            self.activations.insert(name.to_owned(), output.to_vec());
        }
    }

    fn layer_backward(&mut self, name: &str, gradient: Vec<f32>) -> Vec<f32> {
        let is_parallel = self.is_parallel;
        self.layer_mut(name).backward(gradient, true, is_parallel)
    }

    /// Like [`layer_backward`](Self::layer_backward), without the gradient of the network's input.
    fn input_layer_backward(&mut self, name: &str, gradient: Vec<f32>) {
        let is_parallel = self.is_parallel;
        self.layer_mut(name).backward(gradient, false, is_parallel);
    }

    fn relu_layer_backward(&mut self, name: &str, mut gradient: Vec<f32>) -> Vec<f32> {
        self.relu_backward(name, &mut gradient);
        self.layer_backward(name, gradient)
    }

    fn relu_backward(&self, name: &str, gradient: &mut [f32]) {
        for (gradient, value) in gradient.iter_mut().zip(&self.activations[name]) {
            if *value <= 0.0 {
                *gradient = 0.0;
            }
        }
    }

    fn layer_mut(&mut self, name: &str) -> &mut Layer {
        self.layers.get_mut(name).expect("the plan of a network names all its layers")
    }
}

fn block_names(block: usize) -> [String; 2] {
    ["first", "second"].map(|part| format!("block.{block}.{part}"))
}

fn tanh(mut values: Vec<f32>) -> Vec<f32> {
    values.iter_mut().for_each(|value| *value = value.tanh());
    values
}

/// Planes (NCHW) to squares (NHWC).
fn nchw_to_nhwc(inputs: &[&[f32]], planes: usize, squares: usize) -> Vec<f32> {
    let mut values = vec![0.0; inputs.len() * planes * squares];
    for (input, values) in inputs.iter().zip(values.chunks_exact_mut(planes * squares)) {
        for (index, value) in input.iter().enumerate() {
            values[index % squares * planes + index / squares] = *value;
        }
    }
    values
}

fn read_layer(weights: &Weights, spec: &EncodingSpec, name: &str) -> Layer {
    let tensor = |part: &str| weights.tensors.get(&format!("{name}.{part}"));
    let data = |part: &str| tensor(part).map(|tensor| tensor.data.clone()).unwrap_or_default();
    let weight = tensor("weight").or(tensor("conv.weight"));
    let (shape, values) =
        weight.map(|weight| (&weight.shape[..], &weight.data[..])).unwrap_or_default();
    let mut matrix = vec![0.0; values.len()];
    for (value, at) in values.iter().zip(weight_indices(name, shape, spec)) {
        matrix[at] = *value;
    }
    let conv3x3 = Kernel::Conv3x3 { width: spec.width, height: spec.height };
    let kernel = if shape.get(2) == Some(&3) { conv3x3 } else { Kernel::Pointwise };
    let affine = match tensor("bias") {
        Some(bias) => Affine::Bias(Parameter::new(bias.data.clone(), false)),
        None => Affine::BatchNorm(BatchNorm::new(
            data("norm.gamma"),
            data("norm.beta"),
            data("norm.mean"),
            data("norm.variance"),
        )),
    };
    Layer::new(kernel, shape[1], shape[0], matrix, affine)
}

/// Where each element of a file's tensor (outputs, inputs, kernel taps) is in the weight matrix (kernel taps,
/// inputs; outputs).
fn weight_indices(name: &str, shape: &[usize], spec: &EncodingSpec) -> Vec<usize> {
    let (outputs, inputs) = (shape[0], shape[1]);
    let taps: usize = shape[2..].iter().product();
    let row = |input: usize, tap: usize| match name {
        // The flattened input is NCHW in files and NHWC here.
        "value.hidden" => {
            let planes = inputs / spec.squares();
            input % spec.squares() * planes + input / spec.squares()
        }
        _ => tap * inputs + input,
    };
    let to_matrix = |index: usize| {
        let (tap, rest) = (index % taps, index / taps);
        row(rest % inputs, tap) * outputs + rest / inputs
    };
    (0..outputs * inputs * taps).map(to_matrix).collect()
}
