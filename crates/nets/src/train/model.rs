use std::collections::BTreeMap;

use super::layer::{End, Layer, Norm, Window, add};
use super::loss::Said;
use super::parameter::Parameter;
use crate::{Dims, NetKind, Tensor, Weights, plan};

/// The layers of a network, by the names that files give them, and what the way back needs.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    kind: NetKind,
    dims: Dims,
    layers: BTreeMap<String, Layer>,
    /// What layers gave in the last batch, after their ReLU.
    kept: BTreeMap<String, Vec<f32>>,
    /// Whether all threads of the pool work at a layer.
    pub(crate) is_shared: bool,
}

impl Model {
    /// The weights must be those of a network for such a game.
    pub(crate) fn new(weights: &Weights, dims: &Dims) -> Self {
        let mut layers = BTreeMap::new();
        for planned in plan(&weights.kind, dims) {
            if let Some(name) = planned.name.strip_suffix(".weight") {
                let name = name.strip_suffix(".conv").unwrap_or(name);
                layers.insert(name.to_owned(), read_layer(weights, dims, name));
            }
        }
        let kept = BTreeMap::new();
        Self { kind: weights.kind.clone(), dims: *dims, layers, kept, is_shared: false }
    }

    pub(crate) fn parameters(&mut self) -> impl Iterator<Item = &mut Parameter> {
        self.layers.values_mut().flat_map(Layer::parameters)
    }

    /// All tensors, as files have them.
    pub(crate) fn tensors(&self) -> BTreeMap<String, Tensor> {
        let planned = plan(&self.kind, &self.dims).into_iter();
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
        match (&layer.end, part) {
            (_, "weight") => {
                let mut data = vec![0.0; layer.weight.value.len()];
                for (index, place) in places(base, shape, &self.dims).into_iter().enumerate() {
                    data[index] = layer.weight.value[place];
                }
                data
            }
            (End::Bias(bias), _) => bias.value.clone(),
            (End::Norm(norm), "gamma") => norm.gamma.value.clone(),
            (End::Norm(norm), "beta") => norm.beta.value.clone(),
            (End::Norm(norm), "mean") => norm.mean.clone(),
            (End::Norm(norm), _) => norm.variance.clone(),
        }
    }

    /// What the network says about a batch of inputs, one after the other.
    pub(crate) fn forward(&mut self, inputs: &[&[f32]], is_training: bool) -> Said {
        match self.kind.clone() {
            NetKind::Mlp(sizes) => {
                let mut values = inputs.concat();
                for layer in 0..sizes.len() - 1 {
                    let name = format!("layer.{layer}");
                    values = self.layer(&name, &values, is_training);
                    if layer + 2 < sizes.len() {
                        self.relu(&name, &mut values, is_training);
                    }
                }
                Said { value: tanh(values), ..Said::default() }
            }
            NetKind::Resnet(resnet) => {
                let mut trunk = by_square(inputs, resnet.planes(&self.dims), self.dims.squares());
                trunk = self.layer_relu("input", &trunk, is_training);
                for block in 0..resnet.blocks {
                    let [first, second] = block_names(block);
                    let inside = self.layer_relu(&first, &trunk, is_training);
                    let mut sum = self.layer(&second, &inside, is_training);
                    add(&mut sum, &trunk);
                    self.relu(&second, &mut sum, is_training);
                    trunk = sum;
                }
                let mix = self.layer_relu("policy.mix", &trunk, is_training);
                let moves = Some(self.layer("policy.out", &mix, is_training));
                let mix = self.layer_relu("value.mix", &trunk, is_training);
                let hidden = self.layer_relu("value.hidden", &mix, is_training);
                let value = tanh(self.layer("value.out", &hidden, is_training));
                let ownership =
                    resnet.ownership.then(|| tanh(self.layer("ownership", &trunk, is_training)));
                Said { value, moves, ownership }
            }
        }
    }

    /// From the loss's gradients for what was said to those of all parameters.
    pub(crate) fn backward(&mut self, gradients: Said) {
        match self.kind.clone() {
            NetKind::Mlp(sizes) => {
                let mut gradient = gradients.value;
                for layer in (0..sizes.len() - 1).rev() {
                    let name = format!("layer.{layer}");
                    if layer + 2 < sizes.len() {
                        self.relu_back(&name, &mut gradient);
                    }
                    if layer == 0 {
                        return self.last_layer_back(&name, gradient);
                    }
                    gradient = self.layer_back(&name, gradient);
                }
            }
            NetKind::Resnet(resnet) => {
                let mut gradient = self.layer_back("value.out", gradients.value);
                for name in ["value.hidden", "value.mix"] {
                    gradient = self.relu_layer_back(name, gradient);
                }
                if let Some(moves) = gradients.moves {
                    let mix = self.layer_back("policy.out", moves);
                    add(&mut gradient, &self.relu_layer_back("policy.mix", mix));
                }
                if let Some(ownership) = gradients.ownership {
                    add(&mut gradient, &self.layer_back("ownership", ownership));
                }
                for block in (0..resnet.blocks).rev() {
                    let [first, second] = block_names(block);
                    self.relu_back(&second, &mut gradient);
                    let inside = self.layer_back(&second, gradient.clone());
                    add(&mut gradient, &self.relu_layer_back(&first, inside));
                }
                self.relu_back("input", &mut gradient);
                self.last_layer_back("input", gradient);
            }
        }
    }

    fn layer(&mut self, name: &str, input: &[f32], is_training: bool) -> Vec<f32> {
        let is_shared = self.is_shared;
        self.named(name).forward(input, is_training, is_shared)
    }

    fn layer_relu(&mut self, name: &str, input: &[f32], is_training: bool) -> Vec<f32> {
        let mut output = self.layer(name, input, is_training);
        self.relu(name, &mut output, is_training);
        output
    }

    fn relu(&mut self, name: &str, output: &mut [f32], is_training: bool) {
        output.iter_mut().for_each(|value| *value = value.max(0.0));
        if is_training {
            self.kept.insert(name.to_owned(), output.to_vec());
        }
    }

    fn layer_back(&mut self, name: &str, gradient: Vec<f32>) -> Vec<f32> {
        let is_shared = self.is_shared;
        self.named(name).backward(gradient, true, is_shared)
    }

    /// The way back ends with the layer that the inputs come to.
    fn last_layer_back(&mut self, name: &str, gradient: Vec<f32>) {
        let is_shared = self.is_shared;
        self.named(name).backward(gradient, false, is_shared);
    }

    fn relu_layer_back(&mut self, name: &str, mut gradient: Vec<f32>) -> Vec<f32> {
        self.relu_back(name, &mut gradient);
        self.layer_back(name, gradient)
    }

    fn relu_back(&self, name: &str, gradient: &mut [f32]) {
        for (gradient, value) in gradient.iter_mut().zip(&self.kept[name]) {
            if *value <= 0.0 {
                *gradient = 0.0;
            }
        }
    }

    fn named(&mut self, name: &str) -> &mut Layer {
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

/// Planes, one after the other, become squares, one after the other.
fn by_square(inputs: &[&[f32]], planes: usize, squares: usize) -> Vec<f32> {
    let mut values = vec![0.0; inputs.len() * planes * squares];
    for (input, values) in inputs.iter().zip(values.chunks_exact_mut(planes * squares)) {
        for (index, value) in input.iter().enumerate() {
            values[index % squares * planes + index / squares] = *value;
        }
    }
    values
}

fn read_layer(weights: &Weights, dims: &Dims, name: &str) -> Layer {
    let tensor = |part: &str| weights.tensors.get(&format!("{name}.{part}"));
    let data = |part: &str| tensor(part).map(|tensor| tensor.data.clone()).unwrap_or_default();
    let weight = tensor("weight").or(tensor("conv.weight"));
    let (shape, values) =
        weight.map(|weight| (&weight.shape[..], &weight.data[..])).unwrap_or_default();
    let mut matrix = vec![0.0; values.len()];
    for (value, place) in values.iter().zip(places(name, shape, dims)) {
        matrix[place] = *value;
    }
    let nine = Window::Nine { width: dims.width, height: dims.height };
    let window = if shape.get(2) == Some(&3) { nine } else { Window::One };
    let end = match tensor("bias") {
        Some(bias) => End::Bias(Parameter::new(bias.data.clone(), false)),
        None => End::Norm(Norm::new(
            data("norm.gamma"),
            data("norm.beta"),
            data("norm.mean"),
            data("norm.variance"),
        )),
    };
    Layer::new(window, shape[1], shape[0], matrix, end)
}

/// For every number of a file's tensor its place in the matrix: rows are cells of the window, and for
/// each the inputs; columns are outputs.
fn places(name: &str, shape: &[usize], dims: &Dims) -> Vec<usize> {
    let (outputs, inputs) = (shape[0], shape[1]);
    let taps: usize = shape[2..].iter().product();
    let row = |input: usize, tap: usize| match name {
        // A fully connected layer after squares: the file has them plane by plane.
        "value.hidden" => {
            let planes = inputs / dims.squares();
            input % dims.squares() * planes + input / dims.squares()
        }
        _ => tap * inputs + input,
    };
    let place = |index: usize| {
        let (tap, rest) = (index % taps, index / taps);
        row(rest % inputs, tap) * outputs + rest / inputs
    };
    (0..outputs * inputs * taps).map(place).collect()
}
