//! Many positions of a game in one object.

use tablero_core::{
    AnyGame, AnyGameHistory, AnyPosition, Draw, Outcome, Playable, Rng, Side, in_parallel,
    random_playout,
};
use tablero_nets::{EncodingSpec, NetKind};
use tablero_registry::{IllegalAction, LegalActions, Playout, PositionBatch};

/// Positions per work item of a thread: enough to outweigh the hand-over, few enough to balance the threads.
const CHUNK: usize = 256;

/// A position with the history that its game's draws depend on: a [`GameHistory`](tablero_core::GameHistory)
/// without undo.
#[derive(Clone)]
struct Slot<G> {
    position: G,
    plies: u32,
    /// The keys of all earlier positions, where repetition matters.
    earlier: Vec<u64>,
}

impl<G: Playable> Slot<G> {
    /// The current position of a game in its own type.
    fn new(position: &G, game: &AnyGameHistory) -> Self {
        let earlier = match G::HISTORY.counts_repetitions() {
            true => game.positions().take(game.plies()).map(AnyPosition::key).collect(),
            false => Vec::new(),
        };
        Self { position: position.clone(), plies: game.plies() as u32, earlier }
    }

    /// A position without history.
    fn fresh(position: G) -> Self {
        Self { position, plies: 0, earlier: Vec::new() }
    }

    /// Earlier occurrences of the position.
    fn seen(&self) -> u32 {
        if self.earlier.is_empty() {
            return 0;
        }
        let key = self.position.key();
        self.earlier.iter().filter(|earlier| **earlier == key).count() as u32
    }

    /// Whether the rules declare a draw although moves remain.
    fn is_drawn(&self) -> bool {
        let by_history = || G::HISTORY.draw(self.plies as usize, || self.seen() + 1);
        let is_forced = |draw: Option<Draw>| draw.is_some_and(|draw| draw.forced);
        is_forced(self.position.draw()) || is_forced(by_history())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome().or_else(|| self.is_drawn().then_some(Outcome::DRAW))
    }

    fn each_move(&self, visit: impl FnMut(G::Move)) {
        if !self.is_drawn() {
            self.position.each_move(visit);
        }
    }

    fn random_move(&self, rng: &mut Rng) -> Option<G::Move> {
        if self.is_drawn() { None } else { self.position.random_move(rng) }
    }

    fn play(&mut self, m: G::Move) {
        if G::HISTORY.counts_repetitions() {
            self.earlier.push(self.position.key());
        }
        self.position.play(m);
        self.plies += 1;
    }

    /// Plies until the rules end the game.
    fn plies_left(&self) -> u32 {
        let limit = G::HISTORY.draw_at_ply.map_or(u32::MAX, |plies| plies as u32);
        limit.saturating_sub(self.plies)
    }

    /// Plays random games of at most `max_plies` plies.
    fn playouts(&self, max_plies: u32, rng: &mut Rng, playouts: &mut [Playout]) {
        if let Some(outcome) = self.outcome() {
            playouts.fill(Playout { outcome, plies: 0 });
            return;
        }
        let limit = self.plies_left().min(max_plies);
        for playout in playouts {
            let (outcome, plies) = random_playout(self.position.clone(), limit, rng);
            *playout = Playout { outcome, plies };
        }
    }

    /// The image under a board symmetry. The keys of earlier images are not known; how often this one occurred is.
    fn transform(&self, symmetry: usize) -> Self {
        let position = self.position.transform(symmetry);
        let earlier = vec![position.key(); self.seen() as usize];
        Self { position, plies: self.plies, earlier }
    }

    /// The move of an action; `None` for -1.
    fn resolve(&self, action: i64, index: usize) -> Result<Option<G::Move>, IllegalAction> {
        if action == -1 {
            return Ok(None);
        }
        let m = usize::try_from(action).ok().and_then(|at| self.position.move_of_action(at));
        match m {
            Some(m) if !self.is_drawn() => Ok(Some(m)),
            None if self.outcome().is_none() => Err(IllegalAction::NotLegal {
                index,
                action,
                position: self.position.position_text(),
            }),
            _ => Err(IllegalAction::Over { index }),
        }
    }
}

/// Positions of game `G`.
pub(crate) struct Batch<G>(Vec<Slot<G>>);

impl<G: Playable> Batch<G> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Positions without history that have occurred before as often as given.
    pub(crate) fn of<'a>(positions: impl Iterator<Item = (&'a G, u32)>) -> Self {
        let slot = |(position, seen): (&G, u32)| Slot {
            earlier: vec![position.key(); seen as usize],
            ..Slot::fresh(position.clone())
        };
        Self(positions.map(slot).collect())
    }

    /// Calls `work` with the positions of a chunk, the index of the first, and `size` elements of `output` for
    /// each.
    fn fill<T: Send>(
        &self,
        output: &mut [T],
        size: usize,
        threads: usize,
        work: impl Fn(usize, &[Slot<G>], &mut [T]) + Sync,
    ) {
        let chunks = self.0.chunks(CHUNK).zip(output.chunks_mut((CHUNK * size).max(1)));
        let chunks = chunks.enumerate().collect();
        in_parallel(
            chunks,
            threads,
            || (),
            |(), (chunk, (slots, output)): (usize, _)| {
                work(chunk * CHUNK, slots, output);
            },
        );
    }

    /// Writes one element of `output` for each position.
    fn fill_each<T: Send>(
        &self,
        output: &mut [T],
        threads: usize,
        value: impl Fn(usize, &Slot<G>) -> T + Sync,
    ) {
        self.fill(output, 1, threads, |first, slots, output| {
            for (index, (slot, output)) in (first..).zip(slots.iter().zip(output)) {
                *output = value(index, slot);
            }
        });
    }
}

impl<G: Playable> PositionBatch for Batch<G> {
    fn game(&self) -> AnyGame {
        AnyGame::of::<G>()
    }

    fn spec(&self) -> EncodingSpec {
        EncodingSpec::of::<G>()
    }

    fn actions(&self) -> usize {
        G::ACTIONS
    }

    fn action_outputs(&self, kind: &NetKind, side: Side) -> Vec<[usize; 2]> {
        (0..G::ACTIONS).map(|action| kind.action_outputs::<G>(action, side)).collect()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn push(&mut self, game: &AnyGameHistory) -> bool {
        let position = game.position().downcast_ref::<G>();
        self.0.extend(position.map(|position| Slot::new(position, game)));
        position.is_some()
    }

    fn extend(&mut self, other: &dyn PositionBatch) -> bool {
        let other = (other as &dyn std::any::Any).downcast_ref::<Self>();
        self.0.extend(other.into_iter().flat_map(|other| other.0.iter().cloned()));
        other.is_some()
    }

    fn select(&self, indices: &[usize]) -> Option<Box<dyn PositionBatch>> {
        let slots: Option<Vec<_>> =
            indices.iter().map(|&index| self.0.get(index).cloned()).collect();
        Some(Box::new(Self(slots?)))
    }

    fn transform(&self, symmetry: usize) -> Box<dyn PositionBatch> {
        Box::new(Self(self.0.iter().map(|slot| slot.transform(symmetry)).collect()))
    }

    fn position(&self, index: usize) -> Option<AnyPosition> {
        self.0.get(index).map(|slot| AnyPosition::new(slot.position.clone()))
    }

    fn sides(&self) -> Vec<u8> {
        self.0.iter().map(|slot| slot.position.side().index() as u8).collect()
    }

    fn plies(&self) -> Vec<u32> {
        self.0.iter().map(|slot| slot.plies).collect()
    }

    fn keys(&self) -> Vec<u64> {
        self.0.iter().map(|slot| slot.position.key()).collect()
    }

    fn outcomes(&self, threads: usize) -> Vec<Option<Outcome>> {
        let mut outcomes = vec![None; self.len()];
        self.fill_each(&mut outcomes, threads, |_, slot| slot.outcome());
        outcomes
    }

    fn legal_actions(&self, threads: usize) -> LegalActions {
        let mut chunks = vec![LegalActions::default(); self.0.len().div_ceil(CHUNK)];
        let work = self.0.chunks(CHUNK).zip(&mut chunks).collect();
        in_parallel(
            work,
            threads,
            || (),
            |(), (slots, found): (&[Slot<G>], &mut LegalActions)| {
                for slot in slots {
                    let before = found.actions.len();
                    slot.each_move(|m| found.actions.push(slot.position.action(m) as u32));
                    found.counts.push((found.actions.len() - before) as u32);
                }
            },
        );
        let actions = chunks.iter().map(|chunk| &chunk.actions[..]).collect::<Vec<_>>().concat();
        let counts = chunks.iter().map(|chunk| &chunk.counts[..]).collect::<Vec<_>>().concat();
        LegalActions { actions, counts }
    }

    fn write_legal_mask(&self, mask: &mut [bool], threads: usize) {
        self.fill(mask, G::ACTIONS, threads, |_, slots, mask| {
            for (slot, mask) in slots.iter().zip(mask.chunks_mut(G::ACTIONS)) {
                slot.each_move(|m| mask[slot.position.action(m)] = true);
            }
        });
    }

    fn sample_actions(&self, seed: u64, threads: usize) -> Vec<i64> {
        let mut actions = vec![-1; self.len()];
        self.fill_each(&mut actions, threads, |index, slot| {
            let m = slot.random_move(&mut Rng::for_stream(seed, index as u64));
            m.map_or(-1, |m| slot.position.action(m) as i64)
        });
        actions
    }

    fn play(&mut self, actions: &[i64], threads: usize) -> Result<(), IllegalAction> {
        if actions.len() != self.len() {
            return Err(IllegalAction::Count { found: actions.len(), expected: self.len() });
        }
        let mut moves = vec![Ok(None); self.len()];
        self.fill_each(&mut moves, threads, |index, slot| slot.resolve(actions[index], index));
        let moves: Vec<Option<G::Move>> = moves.into_iter().collect::<Result<_, _>>()?;
        let chunks = self.0.chunks_mut(CHUNK).zip(moves.chunks(CHUNK)).collect();
        in_parallel(
            chunks,
            threads,
            || (),
            |(), (slots, moves): (&mut [Slot<G>], &[_])| {
                let played = slots.iter_mut().zip(moves);
                played
                    .filter_map(|(slot, m): (_, &Option<G::Move>)| Some((slot, (*m)?)))
                    .for_each(|(slot, m)| slot.play(m));
            },
        );
        Ok(())
    }

    fn play_random(&mut self, plies: u32, seed: u64, threads: usize) -> u64 {
        let before: u64 = self.0.iter().map(|slot| u64::from(slot.plies)).sum();
        let chunks = self.0.chunks_mut(CHUNK).enumerate().collect();
        in_parallel(
            chunks,
            threads,
            || (),
            |(), (chunk, slots): (usize, &mut [Slot<G>])| {
                for (index, slot) in (chunk * CHUNK..).zip(slots) {
                    let mut rng = Rng::for_stream(seed, index as u64);
                    for _ in 0..plies {
                        let Some(m) = slot.random_move(&mut rng) else { break };
                        slot.play(m);
                    }
                }
            },
        );
        self.0.iter().map(|slot| u64::from(slot.plies)).sum::<u64>() - before
    }

    fn playouts(&self, count: usize, max_plies: u32, seed: u64, threads: usize) -> Vec<Playout> {
        let mut playouts = vec![Playout { outcome: Outcome::DRAW, plies: 0 }; self.len() * count];
        if count == 0 {
            return playouts;
        }
        self.fill(&mut playouts, count, threads, |first, slots, playouts| {
            for (index, (slot, playouts)) in
                (first..).zip(slots.iter().zip(playouts.chunks_mut(count)))
            {
                slot.playouts(max_plies, &mut Rng::for_stream(seed, index as u64), playouts);
            }
        });
        playouts
    }

    fn encode(&self, kind: &NetKind, input: &mut [f32], threads: usize) {
        let size = kind.inputs(&EncodingSpec::of::<G>());
        self.fill(input, size, threads, |_, slots, input| {
            for (slot, input) in slots.iter().zip(input.chunks_mut(size)) {
                kind.encode(&slot.position, slot.seen(), input);
            }
        });
    }

    fn policy_indices(&self, kind: &NetKind, index: usize) -> Vec<[usize; 2]> {
        let Some(slot) = self.0.get(index) else { return Vec::new() };
        let mut indices = Vec::new();
        slot.each_move(|m| indices.push(kind.policy_indices(&slot.position, m)));
        indices
    }
}
