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

    /// The score, in centi-units, whose expected score is this: the inverse of
    /// [`expected_score`](Self::expected_score), bounded near 0 and 1.
    ///
    /// ```
    /// use tablero_core::{Value, WdlModel};
    /// let model = WdlModel { midpoint: 100.0, scale: 90.0 };
    /// let expected = model.expected_score(Value::Centi(-250));
    /// assert!((model.score(expected) + 250.0).abs() < 1e-6);
    /// ```
    pub fn score(self, expected: f64) -> f64 {
        let p = expected.clamp(1e-4, 1.0 - 1e-4);
        // With u = e^(score / scale) and m = e^(midpoint / scale), p = (u / (u + m) + um / (um + 1)) / 2: a
        // quadratic equation with one positive root.
        let m = (self.midpoint / self.scale).exp();
        let (a, b, c) = (2.0 * m * (1.0 - p), (1.0 + m * m) * (1.0 - 2.0 * p), -2.0 * m * p);
        let root = (b * b - 4.0 * a * c).sqrt();
        // The form without cancellation.
        let u = if b > 0.0 { -2.0 * c / (b + root) } else { (root - b) / (2.0 * a) };
        self.scale * u.ln()
    }

    /// The expected score: 1 for a win, 1/2 for a draw.
    pub fn expected_score(self, value: Value) -> f64 {
        let [win, draw, _] = self.wdl(value);
        win + draw / 2.0
    }
}
