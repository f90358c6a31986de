//! A naive implementation in `f64`, the reference for tests of the evaluator.

use crate::{EncodingSpec, Mlp, NORM_EPSILON, NetKind, Weights};

/// Value, policy logits (with the trailing 0), ownership.
pub(crate) struct Outputs {
    pub(crate) value: f64,
    pub(crate) policy: Vec<f64>,
    pub(crate) ownership: Vec<f64>,
}

pub(crate) fn evaluate(weights: &Weights, spec: &EncodingSpec, input: &[f32]) -> Outputs {
    let input: Vec<f64> = input.iter().map(|&value| f64::from(value)).collect();
    let net = ReferenceNet { weights, width: spec.width, height: spec.height };
    match &weights.kind {
        NetKind::Mlp(Mlp { sizes, .. }) => {
            let mut values = input;
            for layer in 0..sizes.len() - 1 {
                values = net.dense(&format!("layer.{layer}"), &values);
                if layer + 2 < sizes.len() {
                    values = relu(values);
                }
            }
            Outputs { value: values[0].tanh(), policy: Vec::new(), ownership: Vec::new() }
        }
        NetKind::Resnet(resnet) => {
            let mut trunk = relu(net.conv_bn("input", &input));
            for block in 0..resnet.blocks {
                let inner = relu(net.conv_bn(&format!("block.{block}.first"), &trunk));
                let inner = net.conv_bn(&format!("block.{block}.second"), &inner);
                trunk = relu(inner.iter().zip(&trunk).map(|(a, b)| a + b).collect());
            }
            let mut policy = net.conv_bias("policy.out", &relu(net.conv_bn("policy.mix", &trunk)));
            policy.push(0.0);
            let value = relu(net.conv_bn("value.mix", &trunk));
            let value = net.dense("value.out", &relu(net.dense("value.hidden", &value)));
            let ownership = match resnet.ownership {
                true => {
                    net.conv_bias("ownership", &trunk).iter().map(|value| value.tanh()).collect()
                }
                false => Vec::new(),
            };
            Outputs { value: value[0].tanh(), policy, ownership }
        }
    }
}

fn relu(values: Vec<f64>) -> Vec<f64> {
    values.into_iter().map(|value| value.max(0.0)).collect()
}

struct ReferenceNet<'a> {
    weights: &'a Weights,
    width: usize,
    height: usize,
}

impl ReferenceNet<'_> {
    fn at(&self, name: &str, index: usize) -> f64 {
        f64::from(self.weights.tensors[name].data[index])
    }

    fn dense(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let (weight, bias) = (format!("{name}.weight"), format!("{name}.bias"));
        let outputs = self.weights.tensors[&weight].shape[0];
        let output = |output: usize| {
            let products =
                (0..input.len()).map(|n| input[n] * self.at(&weight, output * input.len() + n));
            products.sum::<f64>() + self.at(&bias, output)
        };
        (0..outputs).map(output).collect()
    }

    fn conv_bias(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let output = self.conv(&format!("{name}.weight"), input);
        let squares = self.width * self.height;
        let bias = |index: usize| self.at(&format!("{name}.bias"), index / squares);
        output.iter().enumerate().map(|(index, value)| value + bias(index)).collect()
    }

    fn conv_bn(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let output = self.conv(&format!("{name}.conv.weight"), input);
        let squares = self.width * self.height;
        let norm = |(index, value): (usize, &f64)| {
            let part = |part: &str| self.at(&format!("{name}.norm.{part}"), index / squares);
            let root = (part("variance") + f64::from(NORM_EPSILON)).sqrt();
            (value - part("mean")) / root * part("gamma") + part("beta")
        };
        output.iter().enumerate().map(norm).collect()
    }

    fn conv(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let shape = &self.weights.tensors[name].shape;
        let (filters, channels, size) = (shape[0], shape[1], shape[2]);
        let (width, height) = (self.width as isize, self.height as isize);
        let reach = size as isize / 2;
        let mut output = Vec::new();
        for filter in 0..filters {
            for square in 0..width * height {
                let mut sum = 0.0;
                for channel in 0..channels {
                    for tap in 0..size * size {
                        let row = square / width + (tap / size) as isize - reach;
                        let column = square % width + (tap % size) as isize - reach;
                        if (0..height).contains(&row) && (0..width).contains(&column) {
                            let from = channel as isize * width * height + row * width + column;
                            let weight = (filter * channels + channel) * size * size + tap;
                            sum += input[from as usize] * self.at(name, weight);
                        }
                    }
                }
                output.push(sum);
            }
        }
        output
    }
}
