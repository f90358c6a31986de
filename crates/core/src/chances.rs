use crate::Value;

/// How likely a win, a draw and a loss are at a value: a logistic model of two numbers, which were
/// fitted to games.
///
/// ```
/// use tablero_core::{Chances, Value};
/// let chances = Chances { edge: 100.0, spread: 100.0 };
/// assert_eq!(chances.expected(Value::Hundredths(0)), 0.5);
/// assert_eq!(chances.expected(Value::WinIn(3)), 1.0);
/// assert!(chances.expected(Value::Hundredths(-300)) < 0.1);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chances {
    /// Hundredths of the game's unit at which a win is as likely as no win.
    pub edge: f64,
    /// By how many hundredths more the odds of a win grow e-fold.
    pub spread: f64,
}

impl Chances {
    /// How likely a win, a draw and a loss are; together 1.
    pub fn wdl(self, value: Value) -> [f64; 3] {
        let win_at = |value: f64| 1.0 / (1.0 + ((self.edge - value) / self.spread).exp());
        match value {
            Value::WinIn(_) => [1.0, 0.0, 0.0],
            Value::LossIn(_) => [0.0, 0.0, 1.0],
            Value::Hundredths(n) => {
                let (win, loss) = (win_at(f64::from(n)), win_at(-f64::from(n)));
                [win, 1.0 - win - loss, loss]
            }
        }
    }

    /// The points to expect: 1 for a win, a half for a draw.
    pub fn expected(self, value: Value) -> f64 {
        let [win, draw, _] = self.wdl(value);
        win + draw / 2.0
    }
}
