//! Positions with training targets.

use std::sync::Arc;

use tablero_core::{ForMover, Rng};
use tablero_nets::train::Sample;
use tablero_nets::{EncodingSpec, NetKind, Resnet};

use crate::annotated::AnnotatedPosition;
use crate::data::distinct_moves;
use crate::{GameData, LearnError, Learnable, SelfPlayTask};

/// A position with its training targets.
#[derive(Clone, PartialEq, Debug)]
pub struct LabeledPosition<G> {
    /// The position.
    pub position: G,
    /// Earlier occurrences in the game.
    pub seen: u32,
    /// The value target.
    pub value: ForMover<f32>,
    /// The policy target: index among the distinct moves, and probability.
    pub policy: Box<[(u16, f32)]>,
    /// The sampling weight, 1 on average.
    pub weight: f32,
    /// The index of its game.
    pub game: u32,
    /// The final position of its game, for ownership targets.
    pub last: Option<Arc<G>>,
}

/// How training targets are made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TargetConfig {
    /// Value target mix: the weight of the search's value (Q) against the game's result (Z), as in lc0.
    pub q_ratio: f64,
    /// The share of sampling weight assigned by policy surprise, the rest being uniform (KataGo: 0.5).
    pub policy_surprise_weight: f64,
}

/// Labeled positions of many games.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainingSet<G> {
    positions: Vec<LabeledPosition<G>>,
    games: u32,
}

impl<G> Default for TrainingSet<G> {
    fn default() -> Self {
        Self { positions: Vec::new(), games: 0 }
    }
}

impl<G: Learnable> TrainingSet<G> {
    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The number of games.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// All positions.
    pub fn positions(&self) -> &[LabeledPosition<G>] {
        &self.positions
    }

    /// Adds a position.
    pub fn push(&mut self, position: LabeledPosition<G>) {
        self.positions.push(position);
    }

    /// Starts a new game; returns its index.
    pub fn next_game(&mut self) -> u32 {
        self.games += 1;
        self.games - 1
    }

    /// Reserves the indices of `count` games.
    pub(crate) fn skip_games(&mut self, count: u32) -> Result<(), String> {
        self.games = self.games.checked_add(count).ok_or("too many games")?;
        Ok(())
    }

    /// Adds the positions of a game; returns their number.
    pub fn add(&mut self, data: &GameData, targets: &TargetConfig) -> Result<usize, String> {
        let positions = LabeledPosition::of_game(data, targets, self.games)?;
        self.next_game();
        let count = positions.len();
        self.positions.extend(positions);
        Ok(count)
    }

    /// Splits off a random share of the games, for validation.
    pub fn split_games(self, share: f64, seed: u64) -> (Self, Self) {
        let chosen = choose(self.games as usize, share, seed);
        self.split(|_, position| chosen[position.game as usize])
    }

    /// Splits off a random share of the positions. Positions of one game end up on both sides, so the
    /// validation loss is optimistic; see [`split_games`](Self::split_games).
    pub fn split_positions(self, share: f64, seed: u64) -> (Self, Self) {
        let chosen = choose(self.len(), share, seed);
        self.split(|index, _| chosen[index])
    }

    fn split(self, is_held_out: impl Fn(usize, &LabeledPosition<G>) -> bool) -> (Self, Self) {
        let (mut training, mut held_out) = (Self::default(), Self::default());
        for (index, position) in self.positions.into_iter().enumerate() {
            let side = if is_held_out(index, &position) { &mut held_out } else { &mut training };
            side.push(position);
        }
        (training.games, held_out.games) = (self.games, self.games);
        (training, held_out)
    }
}

/// Chooses a share of the indices at random: at least one unless the share is 0, but never all.
fn choose(count: usize, share: f64, seed: u64) -> Vec<bool> {
    let least = usize::from(share > 0.0);
    let chosen_count =
        ((share * count as f64).round() as usize).max(least).min(count.saturating_sub(1));
    let mut chosen: Vec<bool> = (0..count).map(|index| index < chosen_count).collect();
    Rng::seeded(seed).shuffle(&mut chosen);
    chosen
}

impl<G: Learnable> LabeledPosition<G> {
    /// The labeled positions of a game.
    pub(crate) fn of_game(
        data: &GameData,
        targets: &TargetConfig,
        game: u32,
    ) -> Result<Vec<Self>, String> {
        let annotated = AnnotatedPosition::of_game(data, targets.q_ratio > 0.0)?;
        Ok(annotated.into_iter().filter_map(|position| position.label(targets, game)).collect())
    }

    /// Encodes the position and its targets for a network, transformed by a board symmetry.
    pub fn sample(&self, kind: &NetKind, symmetry: usize) -> Sample {
        let position = self.position.transform(symmetry);
        let mut input = vec![0.0; kind.inputs(&EncodingSpec::of::<G>())];
        kind.encode(&position, self.seen, &mut input);
        let mut policy = Vec::new();
        if matches!(kind, NetKind::Resnet(_)) && !self.policy.is_empty() {
            for m in distinct_moves(&self.position) {
                let m = self.position.transform_move(m, symmetry);
                policy.push((kind.policy_indices(&position, m), 0.0));
            }
            for &(index, prob) in &self.policy {
                if let Some(target) = policy.get_mut(usize::from(index)) {
                    target.1 = prob;
                }
            }
        }
        let value = kind.value_for(position.side(), self.value.0);
        Sample { input, value, policy, ownership: self.ownership(kind, symmetry) }
    }

    /// The ownership target, if the network has that head and the final position is known.
    fn ownership(&self, kind: &NetKind, symmetry: usize) -> Vec<f32> {
        match (kind, &self.last) {
            (NetKind::Resnet(Resnet { ownership: true, .. }), Some(last)) => {
                let mut ownership = vec![0.0; G::SQUARES];
                last.transform(symmetry).write_ownership(self.position.side(), &mut ownership);
                ownership
            }
            _ => Vec::new(),
        }
    }
}

impl<G: Learnable> TrainingSet<G> {
    /// Adds all games of a log; returns [their settings](crate::read_games).
    pub fn add_log(
        &mut self,
        path: &std::path::Path,
        targets: &TargetConfig,
    ) -> Result<Vec<SelfPlayTask>, LearnError> {
        let mut count = 0;
        crate::read_games(path, |game| {
            count += 1;
            let added = self.add(&game, targets);
            added.map(drop).map_err(|problem| LearnError::File {
                path: path.to_owned(),
                problem: format!("game {count}: {problem}"),
            })
        })
    }
}
