//! From games to positions with labels.

use serde::Deserialize;
use tablero_core::{Game, Side, StandardRules};
use tablero_jobs::read_log;
use tablero_learn::LearnError;
use tablero_learn::generations::GenerationSamples;
use tablero_othello::{Othello, Square};

use crate::games::{GameRecord, pass_if_needed};
use crate::run::PatternRun;

/// A position and what it is worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Sample {
    /// The discs of the side to move.
    pub(crate) player: u64,
    /// The discs of the other side.
    pub(crate) opponent: u64,
    /// The final margin to expect for the side to move, in discs.
    pub(crate) label: f32,
}

/// How labels are made of a game.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Labels {
    /// Values are exact from so many empty squares on.
    exact: u32,
    /// How much of a label is the search's own value, rather than what came after the move.
    trust: f32,
}

impl Sample {
    /// Empty squares.
    pub(crate) const fn empties(&self) -> u32 {
        (!(self.player | self.opponent)).count_ones()
    }
}

/// The games of a generation, turned into samples as they come.
pub(crate) struct GamesOf<'a> {
    run: &'a PatternRun,
    generation: usize,
    labels: Labels,
    pub(crate) games: u64,
    pub(crate) samples: GenerationSamples<Sample>,
}

/// A line of the log of games.
#[derive(Deserialize)]
struct LoggedGames {
    output: Vec<GameRecord>,
}

impl<'a> GamesOf<'a> {
    pub(crate) fn new(run: &'a PatternRun, generation: usize) -> Result<Self, LearnError> {
        let plan = run.plan(generation)?;
        let labels = Labels { exact: plan.style.exact, trust: plan.trust };
        Ok(Self { run, generation, labels, games: 0, samples: GenerationSamples::default() })
    }

    /// Those of a generation whose games are in a file.
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
        self.samples.add(found, self.games.is_multiple_of(self.run.config.held_out));
        self.games += 1;
        Ok(())
    }
}

/// The positions of a game that were searched, with labels, from its end to its start.
fn samples(game: &GameRecord, labels: &Labels) -> Result<Vec<Sample>, String> {
    let positions = replay(game)?;
    let searched = positions.iter().skip(game.random).zip(&game.values);
    let mut samples = Vec::with_capacity(game.values.len());
    // What the position after is worth, for the first player.
    let mut later: Option<f32> = None;
    for (position, &value) in searched.rev() {
        let sign = if position.side() == Side::First { 1.0 } else { -1.0 };
        let is_exact = position.empties().count_ones() <= labels.exact;
        let label = match later {
            Some(later) if !is_exact => {
                labels.trust * value as f32 + (1.0 - labels.trust) * later * sign
            }
            _ => value as f32,
        };
        later = Some(label * sign);
        samples.push(Sample { player: position.mover(), opponent: position.other(), label });
    }
    Ok(samples)
}

/// The positions in which a move was made.
fn replay(game: &GameRecord) -> Result<Vec<Othello>, String> {
    let plies = game.moves.len() / 2;
    if game.values.len() + game.random != plies {
        return Err(format!(
            "{} values for {plies} moves, {} random",
            game.values.len(),
            game.random
        ));
    }
    let mut position = Othello::start(StandardRules);
    let mut positions = Vec::with_capacity(plies);
    for ply in 0..plies {
        let name = game.moves.get(2 * ply..2 * ply + 2).unwrap_or_default();
        let square = Square::from_name(name).ok_or_else(|| format!("`{name}` is no square"))?;
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
        GameRecord { moves: "f5d6c3d3c4".into(), random: 2, values: vec![3, -1, 5] }
    }

    fn label_list(labels: &Labels) -> Vec<f32> {
        samples(&game(), labels).unwrap().iter().map(|sample| sample.label).collect()
    }

    #[test]
    fn labels_mix_what_was_found_with_what_came_later() {
        let labels = Labels { exact: 0, trust: 0.5 };
        // From the end: 5; half of -1 and half of -5; half of 3 and half of 3.
        assert_eq!(label_list(&labels), [5.0, -3.0, 3.0]);
        assert_eq!(label_list(&Labels { trust: 1.0, ..labels }), [5.0, -1.0, 3.0]);
        assert_eq!(label_list(&Labels { trust: 0.0, ..labels }), [5.0, -5.0, 5.0]);
        assert_eq!(label_list(&Labels { exact: 60, ..labels }), [5.0, -1.0, 3.0]);
    }

    #[test]
    fn a_game_that_cannot_be_is_told() {
        let labels = Labels { exact: 0, trust: 0.5 };
        let error = |game: GameRecord| samples(&game, &labels).unwrap_err();
        assert!(error(GameRecord { moves: "f5d6c3d3a1".into(), ..game() }).contains("a1"));
        assert!(error(GameRecord { moves: "f5d6c3d3z9".into(), ..game() }).contains("z9"));
        assert!(error(GameRecord { random: 1, ..game() }).contains("3 values"));
    }
}
