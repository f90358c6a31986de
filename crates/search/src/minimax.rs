//! Full-width minimax to a fixed depth: no transposition table, no move ordering, by default no pruning. The
//! reference that the other searches are tested against, a baseline in experiments, and with
//! [`MinimaxOptions`] the searches of earlier works, to the letter.
//!
//! Written as negamax: a position's value is the maximum of its children's negated values.

use tablero_core::{
    ChoiceReason, Control, Cut, Evaluation, GameHistory, Info, Leaf, Limits, Player, PlayerError,
    Purpose, Pv, Rng, SearchResult, Tactics, TreeStep,
};

use crate::budget::Budget;
use crate::recorder::{self, Entry, Recorder};
use crate::repetition::RepetitionHistory;
use crate::root_moves;
use crate::score;

/// Full-width minimax to a fixed depth.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use tablero_core::{Control, Game, GameHistory, Limits, Player, StandardRules, Tactics};
/// use tablero_othello::Othello;
/// use tablero_search::minimax::Minimax;
///
/// let mut player = Minimax::new(3, Othello::evaluations()[0].hand_tuned());
/// let game = GameHistory::new(Othello::start(StandardRules));
/// let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
/// let result = player
///     .choose(&game, &Limits::default(), &mut Control::new(&stop, &mut ignore))
///     .expect("the game is not over");
/// assert_eq!(result.info.nodes, 4 + 12 + 56);
/// ```
pub struct Minimax<G: Tactics> {
    depth: u32,
    evaluation: Box<dyn Evaluation<G>>,
    options: MinimaxOptions,
    rng: Rng,
}

/// What earlier works do differently; by default nothing.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MinimaxOptions {
    /// The probability that a move is dropped, at every node ("Shobu minimax"): a smaller tree, and blind
    /// spots. A node without any move left gets its static evaluation; at the root all moves are kept then.
    pub drop: f64,
    /// Drops [first parts](Tactics::first_part) instead: with a passive move of Shōbu all turns that begin with
    /// it.
    pub drops_parts: bool,
    /// Alpha-beta pruning: the same move with fewer nodes.
    pub pruning: bool,
    /// Plays a random one of the best moves, by the game's seed, instead of the first.
    pub random_ties: bool,
    /// A pass costs no depth ("Juego de IA Othello").
    pub free_passes: bool,
    /// The value of an ended game is its static evaluation, not its outcome ("Juego de IA Othello").
    pub static_ends: bool,
}

/// Maximum depth.
const MAX_DEPTH: u32 = 100;

impl<G: Tactics> Minimax<G> {
    /// A player that searches `depth` plies, at least one, and evaluates leaves by `evaluation`.
    pub fn new(depth: u32, evaluation: Box<dyn Evaluation<G>>) -> Self {
        Self { depth, evaluation, options: MinimaxOptions::default(), rng: Rng::seeded(0) }
    }

    /// The same with options.
    #[must_use]
    pub const fn with_options(mut self, options: MinimaxOptions) -> Self {
        self.options = options;
        self
    }
}

/// Decides which moves of one node are dropped.
struct MoveDropout {
    prob: f64,
    /// First parts that were drawn, and those of them that are kept; none if whole moves are dropped.
    parts: Option<[[u64; PART_WORDS]; 2]>,
}

/// Words of a set of first parts; Shōbu has 64 squares and 16 vectors.
const PART_WORDS: usize = 64 * 16 / 64;

impl MoveDropout {
    fn new(options: &MinimaxOptions) -> Self {
        let parts = options.drops_parts.then_some([[0; PART_WORDS]; 2]);
        Self { prob: options.drop, parts }
    }

    fn keeps<G: Tactics>(&mut self, position: &G, m: G::Move, rng: &mut Rng) -> bool {
        if self.prob == 0.0 {
            return true;
        }
        let mut draw = || rng.unit() >= self.prob;
        let Some(([drawn, kept], part)) = self.parts.as_mut().zip(position.first_part(m)) else {
            return draw();
        };
        let (word, bit) = (part as usize / 64 % PART_WORDS, 1 << (part % 64));
        if drawn[word] & bit == 0 {
            drawn[word] |= bit;
            if draw() {
                kept[word] |= bit;
            }
        }
        kept[word] & bit != 0
    }
}

/// State of one search.
struct Search<'a, 'c, G: Tactics> {
    evaluation: &'a dyn Evaluation<G>,
    options: MinimaxOptions,
    rng: &'a mut Rng,
    repetition: RepetitionHistory<G>,
    budget: Budget,
    nodes: u64,
    control: &'a Control<'c, G>,
    recorder: Option<Recorder<G::Move>>,
}

/// A node: its position, the parent with the move made there, and its distance from leaf and root.
#[derive(Clone, Copy)]
struct Node<'a, G: Tactics> {
    parent: (&'a G, G::Move),
    position: &'a G,
    depth: u32,
    ply: usize,
}

impl<G: Tactics> Search<'_, '_, G> {
    /// Value of move `m` for the side that makes it, with pruning exact inside the window; none if the search
    /// was stopped.
    fn search_move(
        &mut self,
        parent: &G,
        m: G::Move,
        depth: u32,
        ply: usize,
        window: [i32; 2],
    ) -> Option<i32> {
        let is_free = self.options.free_passes && parent.is_pass(m);
        let node = Node {
            parent: (parent, m),
            position: &parent.after(m),
            depth: if is_free { depth } else { depth - 1 },
            ply: ply + 1,
        };
        let window = [-window[1], -window[0]];
        if let Some(recorder) = &mut self.recorder {
            let (step, purpose) = (TreeStep::Move(m), Purpose::Full);
            let depth = node.depth as i32;
            recorder.enter(Entry { step, purpose, depth, reduction: 0, window }, self.nodes);
        }
        let value = self.negamax(node, window);
        if let Some(recorder) = &mut self.recorder {
            recorder.leave(value, self.nodes);
        }
        value.map(|value| -value)
    }

    /// Calls `observe` with the recorder, if the search is recorded.
    #[inline]
    fn record(&mut self, observe: impl FnOnce(&mut Recorder<G::Move>)) {
        if let Some(recorder) = &mut self.recorder {
            observe(recorder);
        }
    }

    /// Value of a position for its side to move.
    fn negamax(&mut self, node: Node<'_, G>, [mut alpha, beta]: [i32; 2]) -> Option<i32> {
        let Node { parent, position, depth, ply } = node;
        if self.should_stop() {
            return None;
        }
        self.nodes += 1;
        let evaluation = self.evaluation;
        let static_eval = || score::static_eval(evaluation, position, Some(parent));
        if let Some(outcome) = position.outcome() {
            self.record(|recorder| recorder.leaf(Leaf::GameOver));
            let by_outcome = || score::from_outcome::<G>(outcome, position.side(), ply);
            return Some(if self.options.static_ends { static_eval() } else { by_outcome() });
        }
        let key = position.key();
        if let Some(value) = self.repetition.draw_score(position, key, ply) {
            self.record(|recorder| recorder.leaf(Leaf::Draw));
            return Some(value);
        }
        if depth == 0 {
            return Some(static_eval());
        }
        self.repetition.push(key);
        let mut best = Some(-score::INFINITE);
        let mut dropout = MoveDropout::new(&self.options);
        let mut rank = 0;
        position.each_move(|m| {
            rank += 1;
            let Some(so_far) = best else { return };
            if self.options.pruning && so_far >= beta {
                return;
            }
            if !dropout.keeps(position, m, self.rng) {
                self.record(|recorder| recorder.prune(m, Cut::Dropout));
                return;
            }
            let value = self.search_move(position, m, depth, ply, [alpha, beta]);
            best = value.map(|value| so_far.max(value));
            if best > Some(so_far) {
                self.record(|recorder| recorder.best(rank));
            }
            if self.options.pruning {
                alpha = best.map_or(alpha, |best| alpha.max(best));
                if best >= Some(beta) {
                    self.record(|recorder| recorder.beta_cutoff(rank));
                }
            }
        });
        self.record(|recorder| recorder.moves(rank));
        self.repetition.pop();
        if best == Some(-score::INFINITE) {
            return Some(score::static_eval(self.evaluation, position, Some(parent)));
        }
        best
    }

    fn should_stop(&self) -> bool {
        /// Nodes between two looks at the clock.
        const CLOCK_INTERVAL: u64 = 256;
        let time = &self.budget.time;
        let out_of_time =
            || self.nodes.is_multiple_of(CLOCK_INTERVAL) && time.is_spent(time.elapsed());
        self.control.is_stopped() || self.nodes >= self.budget.nodes || out_of_time()
    }
}

impl<G: Tactics> Player<G> for Minimax<G> {
    fn choose(
        &mut self,
        game: &GameHistory<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<SearchResult<G>, PlayerError> {
        let mut moves = root_moves(game, control);
        let &first = moves.first().ok_or(PlayerError::GameOver)?;
        if self.options.random_ties {
            // The first of the best moves is then any of them.
            self.rng.shuffle(&mut moves);
        }
        let (position, mut dropout) = (game.position(), MoveDropout::new(&self.options));
        let is_kept = |m: &G::Move| dropout.keeps(position, *m, &mut self.rng);
        let kept: Vec<G::Move> = moves.iter().copied().filter(is_kept).collect();
        let own = Limits { depth: Some(self.depth), ..Limits::default() };
        let mut search = Search {
            evaluation: &*self.evaluation,
            options: self.options,
            rng: &mut self.rng,
            repetition: RepetitionHistory::new(game),
            budget: Budget::new(&own.and(*limits), MAX_DEPTH),
            nodes: 0,
            control,
            recorder: control.max_tree_nodes().map(Recorder::new::<G>),
        };
        let depth = search.budget.depth;
        let mut best: Option<(i32, G::Move)> = None;
        let root_moves = if kept.is_empty() { &moves } else { &kept };
        for (rank, &m) in (1..).zip(root_moves) {
            let alpha =
                best.filter(|_| self.options.pruning).map_or(-score::INFINITE, |best| best.0);
            let window = [alpha, score::INFINITE];
            let Some(value) = search.search_move(position, m, depth, 0, window) else {
                break;
            };
            if best.is_none_or(|(so_far, _)| value > so_far) {
                best = Some((value, m));
                search.record(|recorder| recorder.best(rank));
            }
        }
        let recorder = search.recorder.take();
        let info = Info {
            depth,
            seldepth: depth,
            nodes: search.nodes,
            time: search.budget.time.elapsed(),
            lines: Vec::from_iter(
                best.map(|(value, m)| Pv { value: score::to_value::<G>(value), moves: vec![m] }),
            ),
            ..Info::default()
        };
        let m = best.map_or(first, |(_, m)| m);
        if let Some(mut recorder) = recorder {
            recorder.moves(moves.len());
            let reason = match (moves.len(), self.options.random_ties) {
                (1, _) => ChoiceReason::OnlyMove,
                (_, true) => ChoiceReason::RandomOfLargest,
                (_, false) => ChoiceReason::LargestValue,
            };
            let value = info.lines.first().map(|line| line.value.0);
            let is_stopped = || control.is_stopped();
            let full_width = recorder::full_width(game, control.searchmoves(), depth, &is_stopped);
            control.record(recorder.finish("minimax", (m, reason), value, info.nodes, full_width));
        }
        control.report(&info);
        Ok(SearchResult { m, info })
    }

    fn records_tree(&self) -> bool {
        true
    }

    /// There is no state but the random numbers of dropped moves and ties.
    fn new_game(&mut self, seed: u64) {
        self.rng = Rng::seeded(seed);
    }
}

/// The minimax value of `m`.
#[cfg(test)]
pub(crate) fn minimax<G: Tactics>(
    game: &GameHistory<G>,
    m: G::Move,
    depth: u32,
    evaluation: &dyn Evaluation<G>,
) -> i32 {
    let stop = std::sync::atomic::AtomicBool::new(false);
    let mut ignore = |_: &_| {};
    let mut search = Search {
        evaluation,
        options: MinimaxOptions::default(),
        rng: &mut Rng::seeded(0),
        repetition: RepetitionHistory::new(game),
        budget: Budget::new(&Limits::default(), MAX_DEPTH),
        nodes: 0,
        control: &Control::new(&stop, &mut ignore),
        recorder: None,
    };
    let window = [-score::INFINITE, score::INFINITE];
    search.search_move(game.position(), m, depth, 0, window).expect("nothing stops it")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::AtomicBool;

    use tablero_core::{Game, Notation, StandardRules, Value};
    use tablero_othello::Othello;
    use tablero_shobu::{Shobu, ShobuRules};

    use super::*;

    fn choose<G: Tactics>(player: &mut Minimax<G>, position: G) -> SearchResult<G> {
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let game = GameHistory::new(position);
        let mut control = Control::new(&stop, &mut ignore);
        let result = player.choose(&game, &Limits::default(), &mut control).expect("a move");
        assert!(game.position().is_legal(result.m));
        result
    }

    fn nodes(player: &mut Minimax<Othello>) -> u64 {
        choose(player, Othello::start(StandardRules)).info.nodes
    }

    fn dropping(prob: f64) -> MinimaxOptions {
        MinimaxOptions { drop: prob, ..MinimaxOptions::default() }
    }

    fn evaluation<G: Tactics>(name: &str) -> Box<dyn Evaluation<G>> {
        G::evaluations().iter().find(|kind| kind.name == name).expect("listed").hand_tuned()
    }

    /// The tree has 4, 12, 56, 244 and 1396 nodes by level; about 2^-level of them remain.
    #[test]
    fn dropping_half_of_the_moves_halves_every_level() {
        let evaluation = || Othello::evaluations()[0].hand_tuned();
        assert_eq!(nodes(&mut Minimax::new(5, evaluation())), 4 + 12 + 56 + 244 + 1396);
        let mut player = Minimax::new(5, evaluation()).with_options(dropping(0.5));
        let mut of_seed = |seed: u64| {
            player.new_game(seed);
            nodes(&mut player)
        };
        let mean = (0..400).map(&mut of_seed).sum::<u64>() as f64 / 400.0;
        // 4/2 + 12/4 + 56/8 + 244/16 + 1396/32, plus roots that keep all moves.
        assert!((65.0..85.0).contains(&mean), "{mean}");
        assert_eq!(of_seed(7), of_seed(7), "the seed determines what is dropped");
        let mut blind = Minimax::new(5, evaluation()).with_options(dropping(1.0));
        assert_eq!(nodes(&mut blind), 4, "each root move is evaluated");
    }

    /// A passive move is dropped with all of its turns: half of the passive moves remain, whole.
    #[test]
    fn dropping_passive_moves_keeps_whole_groups_of_turns() {
        let start = Shobu::start(ShobuRules::Across);
        let passive = |turns: &[<Shobu as Game>::Move]| -> HashSet<u32> {
            turns.iter().filter_map(|&turn| start.first_part(turn)).collect()
        };
        let all = passive(&start.moves());
        let options = MinimaxOptions { drops_parts: true, ..dropping(0.5) };
        let (mut rng, mut kept_parts) = (Rng::seeded(3), 0);
        for _ in 0..200 {
            let mut dropout = MoveDropout::new(&options);
            let (kept, dropped): (Vec<_>, Vec<_>) =
                start.moves().into_iter().partition(|&turn| dropout.keeps(&start, turn, &mut rng));
            let (kept, dropped) = (passive(&kept), passive(&dropped));
            assert!(kept.is_disjoint(&dropped));
            assert_eq!(kept.len() + dropped.len(), all.len());
            kept_parts += kept.len();
        }
        let share = kept_parts as f64 / (200 * all.len()) as f64;
        assert!((0.45..0.55).contains(&share), "{share}");
    }

    /// Pruning finds the same move and value with fewer nodes.
    #[test]
    fn pruning_changes_nothing_but_the_number_of_nodes() {
        let options =
            MinimaxOptions { free_passes: true, static_ends: true, ..MinimaxOptions::default() };
        for (plain, seed) in [(MinimaxOptions::default(), 1), (options, 2)] {
            let pruned = MinimaxOptions { pruning: true, ..plain };
            let mut players = [plain, pruned].map(|options| {
                Minimax::<Othello>::new(4, evaluation("positional")).with_options(options)
            });
            let (mut rng, mut position) = (Rng::seeded(seed), Othello::start(StandardRules));
            while let Some(m) = position.random_move(&mut rng) {
                let [a, b] = players.each_mut().map(|player| choose(player, position));
                assert_eq!((a.m, &a.info.lines), (b.m, &b.info.lines));
                assert!(b.info.nodes <= a.info.nodes);
                position.play(m);
            }
        }
    }

    /// "The AI always chose the first stones": all four first moves of Othello are equal by symmetry.
    #[test]
    fn ties_are_broken_by_the_seed() {
        let options = MinimaxOptions { random_ties: true, ..MinimaxOptions::default() };
        let mut player = Minimax::<Othello>::new(1, evaluation("discs")).with_options(options);
        let mut of_seed = |seed: u64| {
            player.new_game(seed);
            choose(&mut player, Othello::start(StandardRules)).m
        };
        let chosen: HashSet<_> = (0..40).map(&mut of_seed).collect();
        assert_eq!(chosen.len(), 4);
        assert_eq!(of_seed(5), of_seed(5));
        let mut first = Minimax::<Othello>::new(1, evaluation("discs"));
        first.new_game(5);
        let start = Othello::start(StandardRules);
        assert_eq!(choose(&mut first, start).m, start.moves()[0]);
    }

    /// Black plays c1, white must pass, black plays c3, and white has no disc left. By "Juego de IA Othello" that
    /// is two plies, since a pass costs none, and worth the six discs on the board.
    #[test]
    fn a_pass_is_free_and_an_end_is_worth_its_discs() {
        let empty_row = "-".repeat(8);
        let board = format!("XO------{empty_row}XO------{} X", empty_row.repeat(5));
        let position = Othello::parse_position(&board, StandardRules).expect("a position");
        let work =
            MinimaxOptions { free_passes: true, static_ends: true, ..MinimaxOptions::default() };
        let found = |options: MinimaxOptions, depth: u32| {
            let mut player =
                Minimax::<Othello>::new(depth, evaluation("discs")).with_options(options);
            let info = choose(&mut player, position).info;
            (info.lines[0].value.0, info.nodes)
        };
        assert_eq!(found(work, 2), (Value::Centi(600), 6));
        // Otherwise the second ply is the pass, and the end counts empty squares for the winner.
        assert_eq!(found(MinimaxOptions::default(), 2), (Value::Centi(300), 4));
        assert_eq!(found(MinimaxOptions::default(), 3), (Value::Centi(6400), 6));
    }
}
