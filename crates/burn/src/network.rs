use burn::tensor::{Device, Tensor, TensorData};
use tablero_nets::{EncodingSpec, NetError, Weights};

use crate::BurnDevice;
use crate::net::{Net, to_vec};

/// Inference by burn.
pub struct BurnNetwork {
    net: Net,
    spec: EncodingSpec,
    device: Device,
}

/// The outputs for a batch of positions.
#[derive(Clone, PartialEq, Debug)]
pub struct BatchOutputs {
    /// The values.
    pub value: Vec<f32>,
    /// The policy logits, position by position, without the constant 0.
    pub policy: Option<Vec<f32>>,
    /// The ownership, position by position.
    pub ownership: Option<Vec<f32>>,
}

impl BurnNetwork {
    /// Loads the weights; an error if they do not fit the game.
    pub fn new(
        weights: &Weights,
        spec: &EncodingSpec,
        device: &BurnDevice,
    ) -> Result<Self, NetError> {
        weights.check(spec)?;
        let device = device.inner.clone();
        Ok(Self { net: Net::read(weights, &device), spec: *spec, device })
    }

    /// Evaluates positions encoded by [`NetKind::encode`](tablero_nets::NetKind::encode).
    ///
    /// # Panics
    /// If an input does not have the network's input length.
    pub fn run(&self, inputs: &[&[f32]]) -> BatchOutputs {
        let width = inputs.first().map_or(0, |input| input.len());
        let data = TensorData::new(inputs.concat(), [inputs.len(), width]);
        let outputs = self.net.forward(Tensor::from_data(data, &self.device), &self.spec);
        BatchOutputs {
            value: to_vec(outputs.value),
            policy: outputs.policy.map(to_vec),
            ownership: outputs.ownership.map(to_vec),
        }
    }
}
