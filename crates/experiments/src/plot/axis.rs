use crate::table::number;

/// From values to places along an axis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    log: bool,
    /// Where `low` and `high` are drawn.
    ends: (f64, f64),
}

impl Axis {
    /// An axis that shows all of `values`, widened to whole steps. A logarithmic one shows only
    /// those above 0.
    pub(super) fn around(values: impl Iterator<Item = f64>, log: bool, ends: (f64, f64)) -> Self {
        let usable = values.filter(|value| value.is_finite() && (!log || *value > 0.0));
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = if low <= high { (low, high) } else { (1.0, 1.0) };
        if log {
            let (low, high) = (low.log10().floor(), high.log10().ceil());
            return Self { low: 10f64.powf(low), high: 10f64.powf(high.max(low + 1.0)), log, ends };
        }
        let high = if high > low { high } else { low + 1.0 };
        let step = step(low, high);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Self { low, high, log, ends }
    }

    /// Where a value is drawn.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = if self.log {
            (value / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.ends.0 + share * (self.ends.1 - self.ends.0)
    }

    /// Values to mark, with their names.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        if self.log {
            let (low, high) = (self.low.log10().round() as i32, self.high.log10().round() as i32);
            return (low..=high).map(|power| (10f64.powi(power), power_of_ten(power))).collect();
        }
        let step = step(self.low, self.high);
        let count = ((self.high - self.low) / step).round() as u32;
        let value = |index: u32| {
            let value = self.low + f64::from(index) * step;
            // What is left of 0 after additions.
            if value.abs() < step * 1e-9 { 0.0 } else { value }
        };
        (0..=count).map(value).map(|value| (value, number(value))).collect()
    }
}

fn power_of_ten(power: i32) -> String {
    match power {
        0..=7 => number(10f64.powi(power)),
        -3..=-1 => format!("{:.*}", power.unsigned_abs() as usize, 10f64.powi(power)),
        _ => format!("1e{power}"),
    }
}

/// 1, 2 or 5 times a power of ten, such that some 5 to 10 steps make the whole.
fn step(low: f64, high: f64) -> f64 {
    let rough = (high - low) / 8.0;
    let power = 10f64.powf(rough.log10().floor());
    let nice = [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * power >= rough);
    nice.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_hold_all_values() {
        let axis = Axis::around([0.0, 11.3].into_iter(), false, (0.0, 100.0));
        let names: Vec<_> = axis.ticks().into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["0", "2", "4", "6", "8", "10", "12"]);
        assert!((axis.at(6.0) - 50.0).abs() < 1e-9);
        let axis = Axis::around([4.0, 3e6].into_iter(), true, (100.0, 0.0));
        let ticks = axis.ticks();
        assert_eq!(ticks.first().map(|tick| tick.1.as_str()), Some("1"));
        assert_eq!(ticks.last().map(|tick| tick.1.as_str()), Some("10,000,000"));
        assert!((axis.at(1.0) - 100.0).abs() < 1e-9 && axis.at(1e7).abs() < 1e-9);
    }

    #[test]
    fn odd_values_have_an_axis_too() {
        for log in [false, true] {
            for values in [&[][..], &[0.0], &[5.0, 5.0], &[f64::NAN, 1.0]] {
                let axis = Axis::around(values.iter().copied(), log, (0.0, 1.0));
                assert!(axis.ticks().len() >= 2 && axis.ticks().len() < 15, "{axis:?}");
            }
        }
    }
}
