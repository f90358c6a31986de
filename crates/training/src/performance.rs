use std::f64::consts::LN_10;

/// A rating by results, with its standard error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Performance {
    /// The rating, on the opponents' scale.
    pub rating: f64,
    /// Its standard error.
    pub error: f64,
}

/// The standard deviation of strength before any game, around the mean of the opponents: without it a person who won
/// every game would be infinitely strong.
const PRIOR_DEVIATION: f64 = 400.0;

/// The most probable rating by results `(opponent's rating, score)` in the Elo model; `None` without games.
///
/// ```
/// use tablero_training::performance;
/// let even = performance(&[(1000.0, 1.0), (1000.0, 0.0)]).unwrap();
/// assert_eq!(even.rating.round(), 1000.0);
/// let better = performance(&[(1000.0, 1.0); 20]).unwrap();
/// assert!(better.rating > 1300.0);
/// ```
pub fn performance(results: &[(f64, f64)]) -> Option<Performance> {
    if results.is_empty() {
        return None;
    }
    let scale = LN_10 / 400.0;
    let prior = PRIOR_DEVIATION.powi(-2);
    let mean = results.iter().map(|(opponent, _)| opponent).sum::<f64>() / results.len() as f64;
    let (mut rating, mut information) = (mean, prior);
    // Newton's method; the likelihood is concave.
    for _ in 0..50 {
        let mut gradient = -(rating - mean) * prior;
        information = prior;
        for (opponent, score) in results {
            let expected = 1.0 / (1.0 + (-scale * (rating - opponent)).exp());
            gradient += scale * (score - expected);
            information += scale * scale * expected * (1.0 - expected);
        }
        let step = (gradient / information).clamp(-300.0, 300.0);
        rating += step;
        if step.abs() < 0.01 {
            break;
        }
    }
    Some(Performance { rating, error: information.powf(-0.5) })
}
