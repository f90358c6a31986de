/// When a puzzle is due again: spaced repetition in the manner of SM-2.
///
/// ```
/// use tablero_training::Card;
/// let card = Card::default().answered(false);
/// assert!(card.interval_days < 0.1, "soon again");
/// let card = card.answered(true).answered(true).answered(true);
/// assert!(card.interval_days > 5.0);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Card {
    /// Days from the last answer until it is due.
    pub interval_days: f64,
    /// By how much the interval grows with each right answer.
    pub ease: f64,
    /// Right answers in a row.
    pub streak: u32,
}

/// A puzzle that was not solved comes back after ten minutes.
const AGAIN_DAYS: f64 = 10.0 / (24.0 * 60.0);
const MIN_EASE: f64 = 1.3;
/// Intervals end here.
const MAX_DAYS: f64 = 365.0;

impl Default for Card {
    fn default() -> Self {
        Self { interval_days: 0.0, ease: 2.5, streak: 0 }
    }
}

impl Card {
    /// The card after an answer.
    #[must_use]
    pub fn answered(self, solved: bool) -> Self {
        if !solved {
            let ease = (self.ease - 0.2).max(MIN_EASE);
            return Self { interval_days: AGAIN_DAYS, ease, streak: 0 };
        }
        let interval_days = match self.streak {
            // Known at first sight: no hurry.
            0 if self.interval_days == 0.0 => 4.0,
            0 => 1.0,
            1 => 3.0_f64.max(self.interval_days),
            _ => self.interval_days * self.ease,
        };
        Self {
            interval_days: interval_days.min(MAX_DAYS),
            ease: (self.ease + 0.05).min(3.0),
            streak: self.streak + 1,
        }
    }
}
