//! Minimax to a small fixed depth, quickly: it chooses exactly the moves of
//! [`Minimax`](crate::plain::Minimax), by alpha-beta without anything that must be filled or cleared
//! before a game, for those who play hundreds of games a second.

use tablero_core::{
    Choice, Control, Evaluation, Info, Limits, Line, Match, Player, PlayerError, Tactics,
};

use crate::budget::Budget;
use crate::repetition::RepetitionHistory;
use crate::{candidates, score};

/// No search goes deeper.
const MAX_DEPTH: u32 = 16;
/// What one hundredth of a move's promise weighs beside how often it refuted others.
const PROMISE: i32 = 64;
/// A move that refuted a sister position comes first.
const KILLER: i32 = 1 << 24;
/// History is halved beyond this.
const MOST_HISTORY: i32 = 1 << 16;

/// Looks a fixed number of plies ahead.
pub struct Lean<G: Tactics> {
    depth: u32,
    evaluation: Box<dyn Evaluation<G>>,
    memory: Memory<G>,
}

/// What orders moves, and room for them: one list a ply.
struct Memory<G: Tactics> {
    lists: Vec<Vec<Ranked<G>>>,
    killers: [Option<G::Move>; MAX_DEPTH as usize + 1],
    history: Vec<i32>,
}

/// A move, its place in the order of generation, and how good it looks.
struct Ranked<G: Tactics> {
    m: G::Move,
    index: usize,
    rank: i32,
}

impl<G: Tactics> Lean<G> {
    /// A player that looks `depth` plies ahead, at least one, and judges what it then sees by
    /// `evaluation`.
    pub fn new(depth: u32, evaluation: Box<dyn Evaluation<G>>) -> Self {
        let memory = Memory {
            lists: (0..=MAX_DEPTH).map(|_| Vec::new()).collect(),
            killers: [None; MAX_DEPTH as usize + 1],
            history: vec![0; G::HISTORY_SLOTS],
        };
        Self { depth: depth.clamp(1, MAX_DEPTH), evaluation, memory }
    }
}

/// A search under way.
struct Search<'a, 'c, G: Tactics> {
    evaluation: &'a dyn Evaluation<G>,
    memory: &'a mut Memory<G>,
    repetition: RepetitionHistory<G>,
    control: &'a Control<'c, G>,
    nodes: u64,
    stopped: bool,
}

/// Where a search stands: a position, the move that led to it, and how far it is from root and leaf.
#[derive(Clone, Copy)]
struct Node<'a, G: Tactics> {
    from: (&'a G, G::Move),
    position: &'a G,
    depth: u32,
    ply: usize,
}

impl<G: Tactics> Search<'_, '_, G> {
    /// Without rules about the past no key needs to be computed.
    const REMEMBERS: bool = RepetitionHistory::<G>::MATTERS;

    /// The value of a move for who makes it. Only if it is above `alpha` and below `beta` it is
    /// exact; otherwise it is on the same side of them as the exact one.
    fn value_of(
        &mut self,
        before: &G,
        m: G::Move,
        [depth, ply]: [u32; 2],
        [alpha, beta]: [i32; 2],
    ) -> i32 {
        let position = before.after(m);
        let node = Node {
            from: (before, m),
            position: &position,
            depth: depth - 1,
            ply: ply as usize + 1,
        };
        -self.value(node, -beta, -alpha)
    }

    fn value(&mut self, node: Node<'_, G>, mut alpha: i32, beta: i32) -> i32 {
        let Node { from, position, depth, ply } = node;
        self.nodes += 1;
        if depth == 0 {
            return self.leaf(node);
        }
        if self.nodes.is_multiple_of(1024) {
            self.stopped |= self.control.stopped();
        }
        if self.stopped {
            return 0;
        }
        let mut moves = std::mem::take(&mut self.memory.lists[ply]);
        self.memory.generate(position, ply, depth, &mut moves);
        let mut best = -score::INFINITE;
        if moves.is_empty() {
            best = self.leaf(node);
        } else if let Some(value) = self.draw(position, ply) {
            best = value;
            moves.clear();
        } else if Self::REMEMBERS {
            self.repetition.push(position.key());
        }
        for number in 0..moves.len() {
            bring_best(&mut moves, number);
            let m = moves[number].m;
            let value = self.value_of(position, m, [depth, ply as u32], [alpha, beta]);
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                self.memory.refuted(position, m, ply, depth);
                break;
            }
        }
        if Self::REMEMBERS && !moves.is_empty() {
            self.repetition.pop();
        }
        debug_assert!(best > -score::INFINITE || self.stopped, "{from:?}");
        moves.clear();
        self.memory.lists[ply] = moves;
        best
    }

    /// The value of a position that is over, drawn or not looked beyond.
    fn leaf(&self, node: Node<'_, G>) -> i32 {
        let Node { from, position, ply, .. } = node;
        if let Some(outcome) = position.outcome() {
            return score::of_outcome::<G>(outcome, position.side(), ply);
        }
        self.draw(position, ply)
            .unwrap_or_else(|| score::of_evaluation(self.evaluation, position, Some(from)))
    }

    fn draw(&self, position: &G, ply: usize) -> Option<i32> {
        if Self::REMEMBERS {
            self.repetition.draw(position, position.key(), ply)
        } else {
            // What the position alone says; only the history knows the rest.
            position.draw().map(|_| 0)
        }
    }
}

impl<G: Tactics> Memory<G> {
    /// The moves of a position, ranked. Where the moves lead to leaves, asking the game what they
    /// promise costs more than looking at them.
    fn generate(&self, position: &G, ply: usize, depth: u32, moves: &mut Vec<Ranked<G>>) {
        moves.clear();
        let killer = self.killers[ply];
        position.each_distinct_move(|m| {
            let mut rank = self.history[position.history_slot(m)];
            if killer == Some(m) {
                rank += KILLER;
            }
            if depth > 1 {
                rank += PROMISE * position.promise(m).clamp(-10_000, 10_000);
            }
            moves.push(Ranked { m, index: moves.len(), rank });
        });
    }

    fn refuted(&mut self, position: &G, m: G::Move, ply: usize, depth: u32) {
        self.killers[ply] = Some(m);
        let slot = &mut self.history[position.history_slot(m)];
        *slot += 1 << depth;
        if *slot > MOST_HISTORY {
            self.history.iter_mut().for_each(|count| *count /= 2);
        }
    }
}

/// Brings the best of `moves[from..]` to `from`; of equals, the first in the order of generation.
fn bring_best<G: Tactics>(moves: &mut [Ranked<G>], from: usize) {
    let key = |ranked: &Ranked<G>| (ranked.rank, usize::MAX - ranked.index);
    let mut best = from;
    for at in from + 1..moves.len() {
        if key(&moves[at]) > key(&moves[best]) {
            best = at;
        }
    }
    moves.swap(from, best);
}

impl<G: Tactics> Player<G> for Lean<G> {
    fn choose(
        &mut self,
        game: &Match<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<Choice<G>, PlayerError> {
        let legal = candidates(game, control);
        let &first = legal.first().ok_or(PlayerError::GameOver)?;
        let own = Limits { depth: Some(self.depth), ..Limits::default() };
        let budget = Budget::new(&own.and(*limits), MAX_DEPTH);
        let depth = budget.depth.max(1);
        let position = game.position();
        let mut moves = Vec::new();
        self.memory.generate(position, 0, depth, &mut moves);
        // Of moves that lead to the same position minimax takes the first too.
        moves.retain(|ranked| legal.contains(&ranked.m));
        let mut search = Search {
            evaluation: &*self.evaluation,
            memory: &mut self.memory,
            repetition: RepetitionHistory::new(game),
            control,
            nodes: 0,
            stopped: false,
        };
        let mut best: Option<(i32, usize, G::Move)> = None;
        for number in 0..moves.len() {
            bring_best(&mut moves, number);
            let Ranked { m, index, .. } = moves[number];
            // A move that comes earlier in the order of generation wins when it is only as good.
            let alpha = match best {
                None => -score::INFINITE,
                Some((value, place, _)) => value - i32::from(index < place),
            };
            let value = search.value_of(position, m, [depth, 0], [alpha, score::INFINITE]);
            if search.stopped {
                break;
            }
            if value > alpha {
                best = Some((value, index, m));
            }
        }
        let line = |(value, _, m)| Line { value: score::to_value::<G>(value), moves: vec![m] };
        let info = Info {
            depth,
            deepest: depth,
            nodes: search.nodes,
            time: budget.time.elapsed(),
            lines: best.map(line).into_iter().collect(),
            ..Info::default()
        };
        control.report(&info);
        Ok(Choice { m: best.map_or(first, |(_, _, m)| m), info })
    }

    fn new_game(&mut self, _seed: u64) {
        self.memory.killers = [None; MAX_DEPTH as usize + 1];
        self.memory.history.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use tablero_chess::Chess;
    use tablero_core::{GameType, Rng};
    use tablero_othello::Othello;
    use tablero_shobu::Shobu;
    use tablero_tictactoe::TicTacToe;

    use super::*;
    use crate::plain::Minimax;

    fn chosen<G: GameType>(player: &mut dyn Player<G>, game: &Match<G>) -> Choice<G> {
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let mut control = Control::new(&stop, &mut ignore);
        player.choose(game, &Limits::default(), &mut control).expect("a move")
    }

    /// In games with many random moves, both choose the same move with the same value everywhere,
    /// whatever the evaluation.
    fn chooses_as_minimax<G: Tactics>(depth: u32, games: u64, step: usize) {
        for kind in G::evaluations() {
            let (mut minimax, mut lean) =
                (Minimax::new(depth, kind.by_hand()), Lean::new(depth, kind.by_hand()));
            for number in 0..games {
                let mut rng = Rng::for_part(5, number);
                let mut game = Match::new(G::start(G::Rules::default()));
                lean.new_game(0);
                while game.end().is_none() && game.plies() < 120 {
                    if game.plies() % step == number as usize % step {
                        let (a, b) = (chosen(&mut minimax, &game), chosen(&mut lean, &game));
                        assert_eq!((a.m, &a.info.lines), (b.m, &b.info.lines), "{game:?}");
                        assert!(b.info.nodes <= a.info.nodes);
                    }
                    let m = game.position().random_move(&mut rng).expect("a move");
                    game.play(m).expect("legal");
                }
            }
        }
    }

    #[test]
    fn chooses_as_minimax_does() {
        chooses_as_minimax::<TicTacToe>(3, 50, 1);
        chooses_as_minimax::<Othello>(1, 5, 1);
        chooses_as_minimax::<Othello>(4, 6, 7);
        chooses_as_minimax::<Chess>(2, 2, 9);
        chooses_as_minimax::<Shobu>(2, 2, 17);
    }
}
