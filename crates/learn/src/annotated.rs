//! From recorded games to annotated positions, from which training targets are made.

use std::sync::Arc;

use tablero_core::{ForFirst, ForMover, GameType, Outcome, Wdl};

use crate::data::{FIXED_POINT_ONE, distinct_moves};
use crate::{GameData, LabeledPosition, Learnable, SearchTarget, TargetConfig};

/// A position with its search result and the result of its game.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AnnotatedPosition<G> {
    pub(crate) position: G,
    /// Earlier occurrences in the game.
    pub(crate) seen: u32,
    /// The search's value (Q) for the side to move, fixed-point.
    pub(crate) q: i16,
    /// The game's result (Z) for the side to move, from -1 to 1, if the position occurred in it.
    pub(crate) z: Option<i8>,
    /// No random move was played from here on, so that the result is that of the player's own moves. Assumed of
    /// searches with several moves in their policy, and of packed positions.
    pub(crate) undisturbed: bool,
    /// Policy surprise, relative to the game's mean.
    pub(crate) surprise: f32,
    /// As in [`SearchTarget::policy`](crate::SearchTarget::policy).
    pub(crate) policy: Vec<(u16, u16)>,
    /// The final position, for ownership targets, if the game was played to its end.
    pub(crate) last: Option<Arc<G>>,
}

impl<G: Learnable> AnnotatedPosition<G> {
    /// The searched positions of a game, and with `alternatives` also those after moves that were not played.
    pub(crate) fn of_game(data: &GameData, with_alternatives: bool) -> Result<Vec<Self>, String> {
        let game = data.replay_typed::<G>()?;
        let positions: Vec<&G> = game.positions().collect();
        let mut annotated = Vec::with_capacity(data.targets.len());
        add_searched(data, &positions, &mut annotated)?;
        if with_alternatives {
            add_alternatives(data, &positions, &mut annotated)?;
        }
        Ok(annotated)
    }

    /// The training targets; none if the value target is unknown.
    pub(crate) fn label(self, targets: &TargetConfig, game: u32) -> Option<LabeledPosition<G>> {
        let q = f64::from(self.q) / FIXED_POINT_ONE;
        let value = match self.z {
            Some(z) => targets.q_ratio * q + (1.0 - targets.q_ratio) * f64::from(z),
            None if targets.q_ratio > 0.0 => q,
            None => return None,
        };
        let surprise = targets.policy_surprise_weight;
        let weight = (1.0 - surprise) + surprise * f64::from(self.surprise);
        Some(LabeledPosition {
            position: self.position,
            seen: self.seen,
            value: ForMover(value as f32),
            policy: normalize(&self.policy),
            weight: weight as f32,
            game,
            last: self.last,
        })
    }
}

/// Adds the positions of full searches.
fn add_searched<G: Learnable>(
    data: &GameData,
    positions: &[&G],
    annotated: &mut Vec<AnnotatedPosition<G>>,
) -> Result<(), String> {
    let outcome = Outcome::by_margin(ForFirst(data.margin));
    let total: f64 = data.targets.iter().map(|target| f64::from(target.surprise)).sum();
    let mean = total / data.targets.len().max(1) as f64;
    let last = positions.last().filter(|last| G::HAS_OWNERSHIP && last.outcome().is_some());
    let last = last.map(|&last| Arc::new(last.clone()));
    let last_random = last_random_move(data, positions);
    for target in &data.targets {
        let ply = usize::from(target.ply);
        let position = position_at(positions, target.ply)?;
        let key = position.key();
        let seen = positions[..ply].iter().filter(|earlier| earlier.key() == key).count();
        let z = match outcome.wdl(position.side()) {
            Wdl::Win => 1,
            Wdl::Draw => 0,
            Wdl::Loss => -1,
        };
        annotated.push(AnnotatedPosition {
            position: position.clone(),
            seen: seen as u32,
            q: target.value,
            z: Some(z),
            undisturbed: last_random.is_none_or(|last| target.ply > last),
            surprise: if mean > 0.0 { (f64::from(target.surprise) / mean) as f32 } else { 1.0 },
            policy: target.policy.clone(),
            last: last.clone(),
        });
    }
    Ok(())
}

/// The last ply at which another move was played than the only one in the search's policy.
fn last_random_move<G: Learnable>(data: &GameData, positions: &[&G]) -> Option<u16> {
    let is_random = |target: &&SearchTarget| {
        let ply = usize::from(target.ply);
        let (Some(position), Some(played), &[(best, _)]) =
            (positions.get(ply), positions.get(ply + 1), &target.policy[..])
        else {
            return false;
        };
        let best = distinct_moves(*position).get(usize::from(best)).copied();
        best.is_some_and(|best| position.after(best).key() != played.key())
    };
    data.targets.iter().rev().find(is_random).map(|target| target.ply)
}

/// Adds the positions after moves that were not played, and after replies to them.
fn add_alternatives<G: Learnable>(
    data: &GameData,
    positions: &[&G],
    annotated: &mut Vec<AnnotatedPosition<G>>,
) -> Result<(), String> {
    // A move's Q-value is for the side that makes it, the opponent of the side to move after it.
    let mut push = |position: G, q: i16| {
        if position.outcome().is_none() {
            annotated.push(AnnotatedPosition {
                position,
                seen: 0,
                q: q.saturating_neg(),
                z: None,
                undisturbed: false,
                surprise: 1.0,
                policy: Vec::new(),
                last: None,
            });
        }
    };
    for &(ply, index, q) in &data.alternatives {
        push(after(position_at(positions, ply)?, index)?, q);
    }
    for &(ply, index, reply, q) in &data.replies {
        push(after(&after(position_at(positions, ply)?, index)?, reply)?, q);
    }
    Ok(())
}

fn position_at<'a, G>(positions: &[&'a G], ply: u16) -> Result<&'a G, String> {
    let position = positions.get(usize::from(ply)).copied();
    position.ok_or_else(|| format!("there is no position at ply {ply}"))
}

/// The position after the distinct move of this index.
fn after<G: GameType>(position: &G, index: u16) -> Result<G, String> {
    let m = distinct_moves(position).get(usize::from(index)).copied();
    Ok(position.after(m.ok_or_else(|| format!("there is no move of index {index}"))?))
}

fn normalize(policy: &[(u16, u16)]) -> Box<[(u16, f32)]> {
    let sum: f32 = policy.iter().map(|(_, prob)| f32::from(*prob)).sum();
    policy.iter().map(|&(index, prob)| (index, f32::from(prob) / sum.max(1.0))).collect()
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Notation, StandardRules};
    use tablero_tictactoe::TicTacToe;

    use super::*;
    use crate::data::move_index;

    /// A game in which the search wanted `wanted[ply]` before the move of that ply.
    fn undisturbed(played: [&str; 4], wanted: [&str; 4]) -> Vec<bool> {
        let mut position = TicTacToe::start(StandardRules);
        let mut targets = Vec::new();
        for (ply, (played, wanted)) in played.into_iter().zip(wanted).enumerate() {
            let moves = distinct_moves(&position);
            let wanted = position.parse_move(wanted).expect("a legal move");
            let index = move_index(&position, &moves, wanted).expect("a distinct move");
            let policy = vec![(index as u16, 10_000)];
            targets.push(SearchTarget { ply: ply as u16, value: 0, surprise: 0, policy });
            position.play(position.parse_move(played).expect("a legal move"));
        }
        let game = serde_json::json!({
            "moves": played, "margin": 0, "ending": "normal", "targets": targets,
        });
        let game: GameData = serde_json::from_value(game).expect("a game");
        let annotated = AnnotatedPosition::<TicTacToe>::of_game(&game, false).expect("legal");
        annotated.iter().map(|position| position.undisturbed).collect()
    }

    #[test]
    fn a_random_move_disturbs_the_positions_before_it() {
        let played = ["b2", "a1", "c3", "a3"];
        assert_eq!(undisturbed(played, played), [true; 4]);
        let wanted = ["b2", "c1", "c3", "a3"];
        assert_eq!(undisturbed(played, wanted), [false, false, true, true]);
    }
}
