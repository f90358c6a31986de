/// Numbers that are learned, with what the optimiser needs to know about them.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) value: Vec<f32>,
    /// Of the last batch.
    pub(crate) gradient: Vec<f32>,
    /// Running means of the gradient and of its square.
    pub(crate) mean: Vec<f32>,
    pub(crate) square: Vec<f32>,
    /// Whether it may be pulled towards 0.
    pub(crate) decays: bool,
}

impl Parameter {
    pub(crate) fn new(value: Vec<f32>, decays: bool) -> Self {
        let zeros = vec![0.0; value.len()];
        Self { gradient: zeros.clone(), mean: zeros.clone(), square: zeros, value, decays }
    }
}
