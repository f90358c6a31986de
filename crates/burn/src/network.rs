use burn::tensor::{Device, Tensor, TensorData};
use tablero_nets::{EncodingSpec, NetError, Weights};

use crate::device::device;
use crate::net::{Net, numbers};

/// A network as burn evaluates it.
pub struct BurnNetwork {
    net: Net,
    spec: EncodingSpec,
    device: Device,
}

/// What a network says about positions, one after the other.
#[derive(Clone, PartialEq, Debug)]
pub struct Answers {
    /// A number for every position.
    pub value: Vec<f32>,
    /// For every position the outputs for moves, without the one that is always 0.
    pub policy: Option<Vec<f32>>,
    /// For every position whose every square will be.
    pub ownership: Option<Vec<f32>>,
}

impl BurnNetwork {
    /// An error if the weights are not those of a network for such a game.
    pub fn new(weights: &Weights, spec: &EncodingSpec) -> Result<Self, NetError> {
        weights.check(spec)?;
        let device = device();
        Ok(Self { net: Net::read(weights, &device), spec: *spec, device })
    }

    /// What the network says about positions that were written as planes or, if it
    /// [reads them](tablero_nets::NetKind::reads_table), as tables.
    ///
    /// # Panics
    /// If there are not as many numbers as the network reads.
    pub fn run(&self, inputs: &[&[f32]]) -> Answers {
        let width = inputs.first().map_or(0, |input| input.len());
        let data = TensorData::new(inputs.concat(), [inputs.len(), width]);
        let said = self.net.forward(Tensor::from_data(data, &self.device), &self.spec);
        Answers {
            value: numbers(said.value),
            policy: said.moves.map(numbers),
            ownership: said.ownership.map(numbers),
        }
    }
}
