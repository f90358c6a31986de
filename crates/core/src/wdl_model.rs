use crate::Value;

/// Win, draw and loss probabilities of a score: a logistic model with two parameters, fitted to games
/// (Stockfish's `win_rate_model` without its dependence on the ply).
///
/// ```
/// use tablero_core::{Value, WdlModel};
/// let model = WdlModel { midpoint: 100.0, scale: 100.0 };
/// assert_eq!(model.expected_score(Value::Centi(0)), 0.5);
/// assert_eq!(model.expected_score(Value::WinIn(3)), 1.0);
/// assert!(model.expected_score(Value::Centi(-300)) < 0.1);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WdlModel {
    /// The score, in centi-units, at which the win probability is 1/2.
    pub midpoint: f64,
    /// The increase of the score, in centi-units, that multiplies the odds of a win by e.
    pub scale: f64,
}

impl WdlModel {
    /// The probabilities of win, draw and loss.
    pub fn wdl(self, value: Value) -> [f64; 3] {
        let win_at = |value: f64| 1.0 / (1.0 + ((self.midpoint - value) / self.scale).exp());
        match value {
            Value::WinIn(_) => [1.0, 0.0, 0.0],
            Value::LossIn(_) => [0.0, 0.0, 1.0],
            Value::Centi(n) => {
                let (win, loss) = (win_at(f64::from(n)), win_at(-f64::from(n)));
                [win, 1.0 - win - loss, loss]
            }
        }
    }

    /// The expected score: 1 for a win, 1/2 for a draw.
    pub fn expected_score(self, value: Value) -> f64 {
        let [win, draw, _] = self.wdl(value);
        win + draw / 2.0
    }
}
