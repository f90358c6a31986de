//! Labeled positions of self-play games.

use serde::Deserialize;
use tablero_core::{Game, Side, StandardRules};
use tablero_jobs::read_log;
use tablero_learn::LearnError;
use tablero_learn::generations::GenerationSamples;
use tablero_othello::{Othello, Square};

use crate::games::{GameRecord, pass_if_needed};
use crate::run::PatternRun;

/// A labeled position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Sample {
    /// The discs of the side to move.
    pub(crate) player: u64,
    /// The discs of the opponent.
    pub(crate) opponent: u64,
    /// Target: expected final disc difference for the side to move.
    pub(crate) label: f32,
}

/// How positions are labeled.
#[derive(Clone, Copy, PartialEq, Debug)]
struct LabelConfig {
    /// Maximum empties with exact values.
    exact_empties: u32,
    /// See [`Plan::q_ratio`](crate::Plan::q_ratio).
    q_ratio: f32,
}

impl Sample {
    /// Number of empties.
    pub(crate) const fn empties(&self) -> u32 {
        (!(self.player | self.opponent)).count_ones()
    }
}

/// Collects the samples of a generation's games.
pub(crate) struct GenerationGames<'a> {
    run: &'a PatternRun,
    generation: usize,
    labels: LabelConfig,
    pub(crate) games: u64,
    pub(crate) samples: GenerationSamples<Sample>,
}

/// A line of the log of games.
#[derive(Deserialize)]
struct LoggedGames {
    output: Vec<GameRecord>,
}

impl<'a> GenerationGames<'a> {
    pub(crate) fn new(run: &'a PatternRun, generation: usize) -> Result<Self, LearnError> {
        let plan = run.plan(generation)?;
        let labels =
            LabelConfig { exact_empties: plan.self_play.exact_empties, q_ratio: plan.q_ratio };
        Ok(Self { run, generation, labels, games: 0, samples: GenerationSamples::default() })
    }

    /// Reads the games of an earlier generation.
    pub(crate) fn read(
        run: &'a PatternRun,
        generation: usize,
    ) -> Result<GenerationSamples<Sample>, LearnError> {
        let mut samples = Self::new(run, generation)?;
        for line in read_log::<LoggedGames>(&run.games_file(generation))? {
            line?.output.iter().try_for_each(|game| samples.add(game))?;
        }
        Ok(samples.samples)
    }

    pub(crate) fn add(&mut self, game: &GameRecord) -> Result<(), LearnError> {
        let found = samples(game, &self.labels).map_err(|problem| LearnError::File {
            path: self.run.games_file(self.generation),
            problem,
        })?;
        self.samples.add(found, self.games.is_multiple_of(self.run.config.holdout_every));
        self.games += 1;
        Ok(())
    }
}

/// The searched positions of a game with their labels, from the last to the first.
fn samples(game: &GameRecord, labels: &LabelConfig) -> Result<Vec<Sample>, String> {
    let positions = replay(game)?;
    let searched = positions.iter().skip(game.random_plies).zip(&game.values);
    let mut samples = Vec::with_capacity(game.values.len());
    // The label of the next position, for the first player.
    let mut next_label: Option<f32> = None;
    for (position, &value) in searched.rev() {
        let sign = if position.side() == Side::First { 1.0 } else { -1.0 };
        let is_exact = position.empties().count_ones() <= labels.exact_empties;
        let label = match next_label {
            Some(next_label) if !is_exact => {
                labels.q_ratio * value as f32 + (1.0 - labels.q_ratio) * next_label * sign
            }
            _ => value as f32,
        };
        next_label = Some(label * sign);
        samples.push(Sample { player: position.mover(), opponent: position.other(), label });
    }
    Ok(samples)
}

/// The positions of a game, without passes.
fn replay(game: &GameRecord) -> Result<Vec<Othello>, String> {
    let plies = game.moves.len() / 2;
    if game.values.len() + game.random_plies != plies {
        return Err(format!(
            "{} values for {plies} moves, {} random",
            game.values.len(),
            game.random_plies
        ));
    }
    let mut position = Othello::start(StandardRules);
    let mut positions = Vec::with_capacity(plies);
    for ply in 0..plies {
        let name = game.moves.get(2 * ply..2 * ply + 2).unwrap_or_default();
        let square = Square::from_name(name).ok_or_else(|| format!("invalid square `{name}`"))?;
        if !pass_if_needed(&mut position) || !position.moves().contains(&square) {
            return Err(format!("move {}, {name}, is not legal in {}", ply + 1, game.moves));
        }
        positions.push(position);
        position.play(square);
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> GameRecord {
        GameRecord { moves: "f5d6c3d3c4".into(), random_plies: 2, values: vec![3, -1, 5] }
    }

    fn label_list(labels: &LabelConfig) -> Vec<f32> {
        samples(&game(), labels).unwrap().iter().map(|sample| sample.label).collect()
    }

    #[test]
    fn labels_are_lambda_returns() {
        let labels = LabelConfig { exact_empties: 0, q_ratio: 0.5 };
        // From the end: 5; half of -1 and half of -5; half of 3 and half of 3.
        assert_eq!(label_list(&labels), [5.0, -3.0, 3.0]);
        assert_eq!(label_list(&LabelConfig { q_ratio: 1.0, ..labels }), [5.0, -1.0, 3.0]);
        assert_eq!(label_list(&LabelConfig { q_ratio: 0.0, ..labels }), [5.0, -5.0, 5.0]);
        assert_eq!(label_list(&LabelConfig { exact_empties: 60, ..labels }), [5.0, -1.0, 3.0]);
    }

    #[test]
    fn illegal_games_are_rejected() {
        let labels = LabelConfig { exact_empties: 0, q_ratio: 0.5 };
        let error = |game: GameRecord| samples(&game, &labels).unwrap_err();
        assert!(error(GameRecord { moves: "f5d6c3d3a1".into(), ..game() }).contains("a1"));
        assert!(error(GameRecord { moves: "f5d6c3d3z9".into(), ..game() }).contains("z9"));
        assert!(error(GameRecord { random_plies: 1, ..game() }).contains("3 values"));
    }
}
