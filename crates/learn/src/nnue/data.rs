use std::collections::HashSet;
use std::path::Path;

use tablero_core::{Rng, WdlModel};
use tablero_nets::nnue::{NnueSamples, NnueSpec};

use crate::annotated::AnnotatedPosition;
use crate::data::{FIXED_POINT_ONE, distinct_moves};
use crate::{GameData, LearnError, Learnable, LearningGame, SelfPlayTask, read_games};

/// Positions of games, without duplicates, as training and validation set by whole games.
#[derive(Clone, Debug)]
pub struct NnueData {
    /// Training positions.
    pub training: NnueSamples,
    /// Validation positions.
    pub held_out: NnueSamples,
    /// Keys of all positions.
    keys: HashSet<u64>,
    games: u32,
    /// Positions in all, whether learned from or not.
    seen: u64,
    targets: Targets,
    holdout_every: u32,
    /// See [`ignoring_disturbed`](Self::ignoring_disturbed).
    ignores_disturbed: bool,
    rng: Rng,
}

/// How targets are made from values and results.
#[derive(Clone, Copy, Debug)]
struct Targets {
    q_ratio: f64,
    /// Of the values.
    model: WdlModel,
    /// Of the network.
    scale: f64,
}

impl Targets {
    /// The probability of winning: the search's value on the network's scale, mixed with the result.
    fn target(&self, q: i16, z: Option<i8>) -> f32 {
        let expected = (f64::from(q) / FIXED_POINT_ONE + 1.0) / 2.0;
        let value = self.model.score(expected);
        let value = 1.0 / (1.0 + (-value / self.scale).exp());
        let target = match z {
            Some(z) => self.q_ratio * value + (1.0 - self.q_ratio) * (f64::from(z) + 1.0) / 2.0,
            None => value,
        };
        target as f32
    }
}

impl NnueData {
    /// No positions yet; every `holdout_every`-th game will be held out. The seed chooses symmetric images.
    pub fn new(
        spec: NnueSpec,
        model: WdlModel,
        q_ratio: f64,
        holdout_every: u32,
        seed: u64,
    ) -> Self {
        Self {
            training: NnueSamples::default(),
            held_out: NnueSamples::default(),
            keys: HashSet::new(),
            games: 0,
            seen: 0,
            targets: Targets { q_ratio, model, scale: spec.scale },
            holdout_every: holdout_every.max(2),
            ignores_disturbed: false,
            rng: Rng::seeded(seed),
        }
    }

    /// Results count from a game's last random move on; before it the target is the value alone. That takes values
    /// of a good player, which a run from nothing does not have.
    pub const fn ignoring_disturbed(mut self) -> Self {
        self.ignores_disturbed = true;
        self
    }

    /// Games so far.
    pub const fn games(&self) -> u32 {
        self.games
    }

    /// Positions in all, whether learned from or not.
    pub const fn seen(&self) -> u64 {
        self.seen
    }

    /// Adds the games of a log; returns their settings.
    pub fn add_log(
        &mut self,
        game: &dyn LearningGame,
        path: &Path,
    ) -> Result<Vec<SelfPlayTask>, LearnError> {
        read_games(path, |data| {
            game.add_positions(&data, self).map_err(|problem| LearnError::File {
                path: path.to_owned(),
                problem: format!("game {}: {problem}", self.games + 1),
            })
        })
    }
}

/// Adds the positions of a game that are new and worth learning from.
pub fn add_positions<G: Learnable>(data: &GameData, to: &mut NnueData) -> Result<(), String> {
    to.games += 1;
    let is_held_out = to.games.is_multiple_of(to.holdout_every);
    for annotated in AnnotatedPosition::<G>::of_game(data, false)? {
        to.seen += 1;
        let position = &annotated.position;
        if !is_worth_learning(&annotated) || !to.keys.insert(position.key()) {
            continue;
        }
        let image = position.transform(to.rng.below(G::SYMMETRIES as u64) as usize);
        let z = annotated.z.filter(|_| annotated.undisturbed || !to.ignores_disturbed);
        let target = to.targets.target(annotated.q, z);
        let samples = if is_held_out { &mut to.held_out } else { &mut to.training };
        samples.push(&image, target);
    }
    Ok(())
}

/// Whether a static evaluation has to be right here: the game is not decided, and quiet if the game
/// [asks for that](tablero_core::SparseInputs::QUIET_ONLY), without check and with a best move that is not noisy.
fn is_worth_learning<G: Learnable>(annotated: &AnnotatedPosition<G>) -> bool {
    let is_decided = f64::from(annotated.q).abs() >= FIXED_POINT_ONE;
    !is_decided && (!G::QUIET_ONLY || is_quiet(annotated))
}

fn is_quiet<G: Learnable>(annotated: &AnnotatedPosition<G>) -> bool {
    let position = &annotated.position;
    let best = annotated.policy.iter().max_by_key(|(_, probability)| probability);
    let best =
        best.and_then(|&(index, _)| distinct_moves(position).get(usize::from(index)).copied());
    !position.in_check() && best.is_none_or(|m| !position.is_noisy(m))
}
