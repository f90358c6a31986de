use super::parameter::Parameter;

/// How weights follow gradients.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Optimiser {
    /// Straight down, as in Otelo.
    Sgd,
    /// With a step of its own for every weight, as in Hatchet1; weights are pulled towards 0 by
    /// `decay` times the learning rate.
    Adam {
        /// How strongly.
        decay: f32,
    },
}

impl Optimiser {
    /// How much Adam's running means of gradients keep at a step.
    pub const MEAN_KEEPS: f32 = 0.9;
    /// How much those of their squares keep.
    pub const SQUARE_KEEPS: f32 = 0.999;
    /// What Adam adds to a root before it divides by it.
    pub const EPSILON: f32 = 1e-8;

    /// One step; `steps` counts from 1.
    pub(crate) fn step(self, parameter: &mut Parameter, rate: f32, steps: u64) {
        match self {
            Self::Sgd => {
                for (value, gradient) in parameter.value.iter_mut().zip(&parameter.gradient) {
                    *value -= rate * gradient;
                }
            }
            Self::Adam { decay } => {
                let steps = i32::try_from(steps).unwrap_or(i32::MAX);
                let (first, second) =
                    (1.0 - Self::MEAN_KEEPS.powi(steps), 1.0 - Self::SQUARE_KEEPS.powi(steps));
                let pull = if parameter.decays { rate * decay } else { 0.0 };
                let gradients = parameter.gradient.iter();
                let means = parameter.mean.iter_mut().zip(&mut parameter.square);
                for ((value, gradient), (mean, square)) in
                    parameter.value.iter_mut().zip(gradients).zip(means)
                {
                    *mean = Self::MEAN_KEEPS * *mean + (1.0 - Self::MEAN_KEEPS) * gradient;
                    *square = Self::SQUARE_KEEPS * *square
                        + (1.0 - Self::SQUARE_KEEPS) * gradient * gradient;
                    let step = (*mean / first) / ((*square / second).sqrt() + Self::EPSILON);
                    *value -= rate * step + pull * *value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(optimiser: Optimiser, steps: u64) -> f32 {
        let mut parameter = Parameter::new(vec![1.0], true);
        for step in 1..=steps {
            parameter.gradient = vec![2.0 * parameter.value[0]];
            optimiser.step(&mut parameter, 0.1, step);
        }
        parameter.value[0]
    }

    #[test]
    fn first_steps_by_hand() {
        // 1 - 0.1 * 2, and a first step of the learning rate itself.
        assert!((after(Optimiser::Sgd, 1) - 0.8).abs() < 1e-6);
        assert!((after(Optimiser::Adam { decay: 0.0 }, 1) - 0.9).abs() < 1e-6);
        assert!((after(Optimiser::Adam { decay: 0.5 }, 1) - 0.85).abs() < 1e-6);
    }

    #[test]
    fn both_reach_the_bottom() {
        assert!(after(Optimiser::Sgd, 100).abs() < 1e-6);
        assert!(after(Optimiser::Adam { decay: 0.0 }, 500).abs() < 1e-2);
    }
}
