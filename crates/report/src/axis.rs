/// The scale of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scale {
    Linear,
    /// Linear, with ticks at integers only.
    Integer,
    /// Logarithmic; shows only positive values.
    Log,
}

/// Maps values to coordinates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
    scale: Scale,
    /// The coordinates of `low` and `high`.
    ends: (f64, f64),
}

impl Axis {
    /// An axis that covers `values`, extended to whole steps.
    pub(crate) fn around(
        values: impl Iterator<Item = f64>,
        scale: Scale,
        ends: (f64, f64),
    ) -> Self {
        let log = scale == Scale::Log;
        let usable = values.filter(|value| value.is_finite() && (!log || *value > 0.0));
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = if low <= high { (low, high) } else { (1.0, 1.0) };
        if log {
            let (low, high) = (low.log10().floor(), high.log10().ceil());
            return Self {
                low: 10f64.powf(low),
                high: 10f64.powf(high.max(low + 1.0)),
                scale,
                ends,
            };
        }
        let high = if high > low { high } else { low + 1.0 };
        let step = scale.step(low, high);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Self { low, high, scale, ends }
    }

    /// The coordinate of a value.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = if self.scale == Scale::Log {
            (value / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.ends.0 + share * (self.ends.1 - self.ends.0)
    }

    /// The tick values.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        if self.scale == Scale::Log {
            let (low, high) = (self.low.log10().round() as i32, self.high.log10().round() as i32);
            return (low..=high).map(|power| 10f64.powi(power)).collect();
        }
        let step = self.scale.step(self.low, self.high);
        let count = ((self.high - self.low) / step).round() as u32;
        let value = |index: u32| {
            let value = self.low + f64::from(index) * step;
            // A rounding error instead of 0.
            if value.abs() < step * 1e-9 { 0.0 } else { value }
        };
        (0..=count).map(value).collect()
    }
}

impl Scale {
    /// The tick spacing: 1, 2 or 5 times a power of ten, for 5 to 10 steps.
    fn step(self, low: f64, high: f64) -> f64 {
        let rough = (high - low) / 8.0;
        let power = 10f64.powf(rough.log10().floor());
        let nice = [1.0, 2.0, 5.0].into_iter().find(|step| step * power >= rough);
        let step = nice.unwrap_or(10.0) * power;
        if self == Self::Integer { step.max(1.0) } else { step }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_all_values() {
        let axis = Axis::around([0.0, 11.3].into_iter(), Scale::Linear, (0.0, 100.0));
        assert_eq!(axis.ticks(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
        assert!((axis.at(6.0) - 50.0).abs() < 1e-9);
        let axis = Axis::around([4.0, 3e6].into_iter(), Scale::Log, (100.0, 0.0));
        assert_eq!(axis.ticks(), (0..=7).map(|power| 10f64.powi(power)).collect::<Vec<_>>());
        let depths = Axis::around([1.0, 4.0].into_iter(), Scale::Integer, (0.0, 1.0));
        assert_eq!(depths.ticks(), [1.0, 2.0, 3.0, 4.0]);
        assert!((axis.at(1.0) - 100.0).abs() < 1e-9 && axis.at(1e7).abs() < 1e-9);
    }

    #[test]
    fn degenerate_values_have_an_axis() {
        for scale in [Scale::Linear, Scale::Integer, Scale::Log] {
            for values in [&[][..], &[0.0], &[5.0, 5.0], &[f64::NAN, 1.0]] {
                let axis = Axis::around(values.iter().copied(), scale, (0.0, 1.0));
                assert!(axis.ticks().len() >= 2 && axis.ticks().len() < 15, "{axis:?}");
            }
        }
    }
}
