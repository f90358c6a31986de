use super::parameter::Parameter;

/// The update rule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Optimizer {
    /// Plain stochastic gradient descent, as in Otelo.
    Sgd,
    /// Adam (Kingma and Ba 2015), as in Hatchet1, with decoupled weight decay (Loshchilov and Hutter 2019).
    AdamW {
        /// At each step a weight shrinks by this times the learning rate.
        weight_decay: f32,
    },
}

impl Optimizer {
    /// Adam's decay rate of the first moment.
    pub const BETA1: f32 = 0.9;
    /// Adam's decay rate of the second moment.
    pub const BETA2: f32 = 0.999;
    /// Added to Adam's denominator.
    pub const EPSILON: f32 = 1e-8;

    /// Updates a parameter; `step` counts from 1.
    pub(crate) fn step(self, parameter: &mut Parameter, lr: f32, step: u64) {
        match self {
            Self::Sgd => {
                for (value, gradient) in parameter.value.iter_mut().zip(&parameter.gradient) {
                    *value -= lr * gradient;
                }
            }
            Self::AdamW { weight_decay } => {
                let step = i32::try_from(step).unwrap_or(i32::MAX);
                let bias_corrections = (1.0 - Self::BETA1.powi(step), 1.0 - Self::BETA2.powi(step));
                let decay = if parameter.has_weight_decay { lr * weight_decay } else { 0.0 };
                let gradients = parameter.gradient.iter();
                let moments = parameter.first_moment.iter_mut().zip(&mut parameter.second_moment);
                for ((value, gradient), (m, v)) in
                    parameter.value.iter_mut().zip(gradients).zip(moments)
                {
                    *m = Self::BETA1 * *m + (1.0 - Self::BETA1) * gradient;
                    *v = Self::BETA2 * *v + (1.0 - Self::BETA2) * gradient * gradient;
                    let update = (*m / bias_corrections.0)
                        / ((*v / bias_corrections.1).sqrt() + Self::EPSILON);
                    *value -= lr * update + decay * *value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(optimizer: Optimizer, steps: u64) -> f32 {
        let mut parameter = Parameter::new(vec![1.0], true);
        for step in 1..=steps {
            parameter.gradient = vec![2.0 * parameter.value[0]];
            optimizer.step(&mut parameter, 0.1, step);
        }
        parameter.value[0]
    }

    #[test]
    fn first_steps_match_hand_computation() {
        // SGD: 1 - 0.1 * 2; the first step of Adam is the learning rate.
        assert!((after(Optimizer::Sgd, 1) - 0.8).abs() < 1e-6);
        assert!((after(Optimizer::AdamW { weight_decay: 0.0 }, 1) - 0.9).abs() < 1e-6);
        assert!((after(Optimizer::AdamW { weight_decay: 0.5 }, 1) - 0.85).abs() < 1e-6);
    }

    #[test]
    fn both_converge() {
        assert!(after(Optimizer::Sgd, 100).abs() < 1e-6);
        assert!(after(Optimizer::AdamW { weight_decay: 0.0 }, 500).abs() < 1e-2);
    }
}
