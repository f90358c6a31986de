//! The search of one position: principal variation search with its short cuts.

use tablero_core::{GameType, Tactics};

use super::ordering::{self, Hints, Ranked};
use super::table::{Bound, Entry};
use super::window::Window;
use super::worker::{MAX_PLY, Worker};
use crate::score;

/// A position on the line that is looked at, and how it came about.
pub(super) struct Step<'p, G: GameType> {
    pub(super) position: &'p G,
    /// The position before and the move made there; none if a turn was skipped.
    pub(super) from: Option<(&'p G, G::Move)>,
    /// Plies from the root.
    pub(super) ply: usize,
}

/// A position whose moves are looked at.
struct Site<'p, G: GameType> {
    position: &'p G,
    from: Option<(&'p G, G::Move)>,
    ply: usize,
    key: u64,
    depth: i32,
    danger: bool,
    /// Its evaluation, where a short cut asks for it.
    judged: Option<i32>,
}

/// Short cuts "near the leaves" are taken with at most so many plies to go.
const NEAR_LEAVES: i32 = 6;

/// With so many plies to go, a skipped turn that is good enough is not believed at once.
const VERIFY_SKIPS: i32 = 8;

impl<G: Tactics> Worker<'_, G> {
    /// The value of a position, looking `depth` plies ahead: exact if inside the window, otherwise
    /// a bound on the same side of it.
    pub(super) fn node(&mut self, step: &Step<'_, G>, depth: i32, window: Window) -> i32 {
        let &Step { position, from, ply } = step;
        self.memory.frames[ply].line.clear();
        if !self.enter(ply) {
            return 0;
        }
        let key = position.key();
        if let Some(value) = self.repetition.draw(position, key, ply) {
            self.guesses += 1;
            return value;
        }
        let danger = position.in_danger();
        let depth = depth + self.extension(danger, ply);
        if depth <= 0 || ply + 1 >= MAX_PLY {
            return self.quiesce(step, window, self.team.options.quiescence);
        }
        let window = window.possible::<G>(ply);
        if window.is_empty() {
            return window.alpha;
        }
        let known = self.team.table.probe(key);
        if let Some(entry) = known
            && window.is_question()
            && let Some(value) = self.recall(&entry, depth, window, ply)
        {
            return value;
        }
        let mut site = Site { position, from, ply, key, depth, danger, judged: None };
        if let Some(value) = self.short_cut(&mut site, window) {
            self.guesses += 1;
            return value;
        }
        self.expand(&site, window, known.and_then(|entry| entry.best))
    }

    fn extension(&self, danger: bool, ply: usize) -> i32 {
        let wanted = danger && self.team.options.selectivity.danger_extension;
        // Chains of threats must not make the tree bottomless.
        i32::from(wanted && ply < 2 * self.root.depth_now as usize)
    }

    /// The value that an earlier search found, if it answers the question.
    fn recall(&mut self, entry: &Entry, depth: i32, window: Window, ply: usize) -> Option<i32> {
        let found = i32::from(entry.depth);
        let deeper = self.team.options.selectivity.deeper_results;
        if found != depth && !(deeper && (found > depth || entry.proven)) {
            return None;
        }
        let value = score::from_root::<G>(entry.value, ply);
        let answers = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => value >= window.beta,
            Bound::Upper => value <= window.alpha,
        };
        if answers && !entry.proven {
            self.guesses += 1;
        }
        answers.then_some(value)
    }

    /// A value for the position without looking at its moves.
    fn short_cut(&mut self, site: &mut Site<'_, G>, window: Window) -> Option<i32> {
        let selectivity = self.team.options.selectivity;
        let near = site.depth <= NEAR_LEAVES;
        let by_margin = selectivity.reverse_futility.filter(|_| near);
        let futile = near && selectivity.futility.is_some();
        let wanted = by_margin.is_some() || futile || selectivity.null_move;
        if !wanted || site.danger || !window.is_question() || site.position.outcome().is_some() {
            return None;
        }
        let judged = score::of_evaluation(self.team.evaluation, site.position, site.from);
        site.judged = Some(judged);
        if score::is_decided(window.beta) || judged < window.beta {
            return None;
        }
        if by_margin.is_some_and(|margin| judged - margin * site.depth >= window.beta) {
            return Some(judged);
        }
        if selectivity.null_move {
            return self.skip_turn(site, window);
        }
        None
    }

    /// If the opponent could not even make use of two turns in a row, the position is good enough.
    fn skip_turn(&mut self, site: &Site<'_, G>, window: Window) -> Option<i32> {
        let ply = site.ply;
        if site.depth < 2 || self.memory.frames[ply].skipped {
            return None;
        }
        let child = &site.position.skip_turn()?;
        let step = Step { position: child, from: None, ply: ply + 1 };
        let depth = site.depth - 4 - site.depth / 4;
        let question = Window::reaching(window.beta);
        self.memory.frames[ply + 1].skipped = true;
        self.repetition.push(site.key);
        let value = -self.node(&step, depth, question.for_opponent());
        self.repetition.pop();
        self.memory.frames[ply + 1].skipped = false;
        if self.halted || value < window.beta {
            return None;
        }
        // Who would rather not move is not seen so: where much depends on it, moves are tried too.
        if site.depth >= VERIFY_SKIPS
            && self.expand(&Site { depth, ..*site }, question, None) < window.beta
        {
            return None;
        }
        // A win that the opponent's lost turn made possible proves nothing.
        Some(if score::is_decided(value) { window.beta } else { value })
    }

    /// Looks at the moves.
    fn expand(&mut self, site: &Site<'_, G>, window: Window, best: Option<u16>) -> i32 {
        let guesses = self.guesses;
        self.generate(site, best);
        if self.memory.frames[site.ply].moves.is_empty() {
            let outcome = site.position.outcome();
            return outcome.map_or(0, |outcome| {
                score::of_outcome::<G>(outcome, site.position.side(), site.ply)
            });
        }
        self.repetition.push(site.key);
        let (value, best) = self.best_move(site, window);
        self.repetition.pop();
        if !self.halted {
            let entry = Entry {
                value: score::from_here::<G>(value, site.ply),
                bound: match value {
                    v if v >= window.beta => Bound::Lower,
                    v if v > window.alpha => Bound::Exact,
                    _ => Bound::Upper,
                },
                depth: site.depth as u8,
                proven: self.guesses == guesses,
                best,
            };
            entry.store(self.team.table, site.key);
        }
        value
    }

    fn generate(&mut self, site: &Site<'_, G>, best: Option<u16>) {
        let memory = &mut *self.memory;
        let frame = &mut memory.frames[site.ply];
        let hints = Hints { best, killers: frame.killers, history: &memory.history };
        frame.moves.clear();
        site.position.each_distinct_move(|m| {
            let index = frame.moves.len() as u16;
            frame.moves.push(hints.rank(site.position, m, index));
        });
    }

    /// The best value, and the move that has it if it is above the window's lower end.
    fn best_move(&mut self, site: &Site<'_, G>, mut window: Window) -> (i32, Option<u16>) {
        let (mut best, mut best_index) = (-score::INFINITE, None);
        let (start, wants_line) = (window.alpha, !window.is_question());
        let selective = self.team.options.selectivity.treats_quiet_moves_differently();
        for number in 0..self.memory.frames[site.ply].moves.len() {
            let moves = &mut self.memory.frames[site.ply].moves;
            ordering::pick(moves, number);
            let Ranked { m, index, .. } = moves[number];
            let child = site.position.after(m);
            let quiet = selective
                && number > 0
                && !site.danger
                && !site.position.is_noisy(m)
                && !child.in_danger();
            if quiet && best > -score::MOST && self.leaves_out(site, window, number) {
                self.guesses += 1;
                continue;
            }
            let reduction = if quiet { self.reduction(site, window, number) } else { 0 };
            let from = Some((site.position, m));
            let step = Step { position: &child, from, ply: site.ply + 1 };
            let value = self.child(&step, site.depth - 1, reduction, window, number);
            if self.halted {
                return (0, None);
            }
            best = best.max(value);
            if value > window.alpha {
                window.alpha = value;
                best_index = Some(index);
                if wants_line {
                    self.memory.lead(site.ply, m);
                }
            }
            if value >= window.beta {
                self.learn(site, number);
                break;
            }
        }
        debug_assert!(best > -score::INFINITE && (best > start) == best_index.is_some());
        (best, best_index)
    }

    /// Whether to pass over a quiet move.
    fn leaves_out(&self, site: &Site<'_, G>, window: Window, number: usize) -> bool {
        let selectivity = &self.team.options.selectivity;
        if !window.is_question() || site.depth > NEAR_LEAVES {
            return false;
        }
        let too_late = (4 + site.depth * site.depth) as usize;
        let futile = |margin: i32, judged: i32| judged + margin * (site.depth + 1) <= window.alpha;
        selectivity.late_move_pruning && number >= too_late
            || matches!((selectivity.futility, site.judged), (Some(m), Some(j)) if futile(m, j))
    }

    /// By how many plies to look less deeply at a quiet move.
    fn reduction(&self, site: &Site<'_, G>, window: Window, number: usize) -> i32 {
        if !self.team.options.selectivity.late_move_reductions || site.depth < 3 || number < 2 {
            return 0;
        }
        let plies = self.memory.reductions.get(site.depth, number);
        (plies - i32::from(!window.is_question())).clamp(0, site.depth - 2)
    }

    /// The value of a move, to whoever makes it, after which the line is at `step`; `number` moves
    /// have been looked at before.
    ///
    /// Only the first is looked at with the whole window; of the others it is asked whether they
    /// are better, and only if one is, by how much.
    pub(super) fn child(
        &mut self,
        step: &Step<'_, G>,
        depth: i32,
        reduction: i32,
        window: Window,
        number: usize,
    ) -> i32 {
        if number == 0 {
            return -self.node(step, depth, window.for_opponent());
        }
        let question = Window::above(window.alpha).for_opponent();
        let mut value = -self.node(step, depth - reduction, question);
        if reduction > 0 && value > window.alpha && !self.halted {
            value = -self.node(step, depth, question);
        }
        if value > window.alpha && value < window.beta && !self.halted {
            value = -self.node(step, depth, window.for_opponent());
        }
        value
    }

    /// Move `number` refuted the position: look at it sooner next time.
    fn learn(&mut self, site: &Site<'_, G>, number: usize) {
        let memory = &mut *self.memory;
        let frame = &mut memory.frames[site.ply];
        let m = frame.moves[number].m;
        if !site.position.is_noisy(m) {
            ordering::remember_killer(&mut frame.killers, m);
            memory.history.learn(site.position, m, &frame.moves[..number], site.depth);
        }
    }
}
