/// Trainable values with their optimizer state.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) value: Vec<f32>,
    /// Of the last batch.
    pub(crate) gradient: Vec<f32>,
    /// Adam's moment estimates: running means of the gradient and of its square.
    pub(crate) first_moment: Vec<f32>,
    pub(crate) second_moment: Vec<f32>,
    /// Whether weight decay applies: to weights, not to biases and normalizations.
    pub(crate) has_weight_decay: bool,
}

impl Parameter {
    pub(crate) fn new(value: Vec<f32>, has_weight_decay: bool) -> Self {
        let zeros = vec![0.0; value.len()];
        Self {
            gradient: zeros.clone(),
            first_moment: zeros.clone(),
            second_moment: zeros,
            value,
            has_weight_decay,
        }
    }
}
