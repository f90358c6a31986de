//! Measures an evaluation by how well it foretells the results of games: the better one guesses who
//! wins from a position, the better one chooses positions. It takes no games, and no chance, to see
//! which of two genomes is better: so hundreds of weights can be evolved.

use tablero_catalog::{Catalogued, Input, open_as};
use tablero_core::{Evaluation, Game, Record};
use tablero_genomes::Kind;

use crate::{EvolveError, Games};

/// The first plies come from a book; what is judged of them is not the player's merit.
const FIRST_PLY: usize = 8;
/// Positions of one game are alike: every so manieth is enough.
const EVERY: usize = 2;

/// Positions with the results of their games.
pub(crate) struct Foreteller<G: Game> {
    /// A quiet position, and its mover's points at the end of the game.
    positions: Vec<(G, f64)>,
    /// How much an advantage of one hundredth changes the odds, by their logarithm.
    slope: f64,
}

impl<G: Catalogued> Foreteller<G> {
    /// The games of a file; `kind` says by hand how much an advantage is worth.
    pub(crate) fn new(games: &Games, kind: &dyn Kind<G>) -> Result<Self, EvolveError> {
        let (bytes, path) = (games.bytes()?, &games.path);
        let wrong = |problem: String| EvolveError::Config(format!("{}: {problem}", path.display()));
        let input = Input { bytes: &bytes, path: Some(path) };
        let (records, _) = open_as::<G>(&input, None).map_err(|error| wrong(error.to_string()))?;
        let positions: Vec<(G, f64)> = records.iter().flat_map(quiet_positions).collect();
        if positions.is_empty() {
            return Err(wrong("there is no game with a result in it".into()));
        }
        let mut foreteller = Self { positions, slope: 0.01 };
        if let Some(genome) = kind.by_hand() {
            foreteller.fit_slope(&*kind.build(&genome));
        }
        Ok(foreteller)
    }

    /// How well an evaluation foretells the games: minus the mean squared error, in thousandths.
    pub(crate) fn score(&self, evaluation: &dyn Evaluation<G>) -> f64 {
        let errors = self.positions.iter().map(|(position, points)| {
            let odds = self.slope * f64::from(evaluation.evaluate(position).0);
            (points - 1.0 / (1.0 + (-odds).exp())).powi(2)
        });
        -1000.0 * errors.sum::<f64>() / self.positions.len() as f64
    }

    /// Finds the slope with which an evaluation foretells best.
    fn fit_slope(&mut self, evaluation: &dyn Evaluation<G>) {
        let mut best = (f64::NEG_INFINITY, self.slope);
        // From odds that hardly change in a hundred pawns to odds that change in a tenth of one.
        for step in 0..100 {
            self.slope = 1e-4 * 1.1f64.powi(step);
            let score = self.score(evaluation);
            if score > best.0 {
                best = (score, self.slope);
            }
        }
        self.slope = best.1;
    }
}

/// Positions of a finished game in which nothing is about to be taken, as an evaluation should judge.
fn quiet_positions<G: Catalogued>(record: &Record<G>) -> Vec<(G, f64)> {
    let Some(end) = record.end else { return Vec::new() };
    let (mut position, mut found) = (record.start.clone(), Vec::new());
    for (ply, played) in record.plies.iter().enumerate() {
        let quiet = !position.in_danger() && !position.is_noisy(played.m);
        if ply >= FIRST_PLY && ply % EVERY == 0 && quiet {
            let margin = end.outcome.margin().for_mover(position.side()).0;
            found.push((position.clone(), f64::from(1 + margin.signum()) / 2.0));
        }
        position.play(played.m);
    }
    found
}
