//! Self-play: games with search targets for training.
//!
//! Every move is searched by PUCT with a network (AlphaZero, or Gumbel AlphaZero), or played by a teacher. As in
//! KataGo's playout cap randomization, only a fraction of the moves gets a full search, and only those become
//! policy targets; the others are fast searches that advance the game. The games of a task go on together, so that
//! the network evaluates their leaves in batches; what it has evaluated is remembered. Endgames that the game's solver
//! solves at once are played exactly.

mod cpu_time;
mod target;

use std::marker::PhantomData;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tablero_arena::Factory;
use tablero_core::{
    Control, Ending, ForMover, GameEnd, GameHistory, GameType, Limits, Outcome, Playable, Player,
    PlayerError, Rng, Rules, SharedCache, Side, TypedPlayer,
};
use tablero_nets::{CachedNet, GameNet, NetworkUse};
use tablero_registry::SolveLimits;
use tablero_search::puct::{
    Contempt, Exploration, Fpu, PuctOptions, RootSelection, RootStats, SteppedPuct,
};

use tablero_learn::{
    GameBatch, GameData, Learnable, SearchTarget, SelfPlay, SelfPlayConfig, SelfPlayTask, Source,
    distinct_moves, move_index,
};

use crate::Extras;
use crate::endgames::Endgames;

use self::target::{policy, surprise, to_fixed, to_unsigned_fixed};

/// Consecutive own moves below the resign threshold before a side resigns.
const RESIGN_MOVES: u32 = 3;

/// Networks cached between tasks.
const MAX_NETS: usize = 4;

/// Plays self-play games of `G`.
pub(crate) struct TypedSelfPlay<'a, G: GameType, E> {
    factory: Factory<'a>,
    /// By file.
    nets: SharedCache<String, GameNet<G>>,
    extras: PhantomData<fn(E)>,
}

impl<'a, G: Playable, E: Extras<G>> TypedSelfPlay<'a, G, E> {
    /// `factory` builds teachers.
    pub(crate) const fn new(factory: Factory<'a>) -> Self {
        Self { factory, nets: SharedCache::with_count(MAX_NETS), extras: PhantomData }
    }

    fn net(&self, file: &str) -> Result<GameNet<G>, String> {
        let load = || GameNet::read(Path::new(file)).map_err(|error| error.to_string());
        self.nets.get_or_load(file.into(), load)
    }

    fn player(&self, task: &SelfPlayTask) -> Result<SelfPlayer<G>, String> {
        match &task.source {
            Source::Net(file) => Ok(SelfPlayer::Network(Box::new(CachedNet::new(self.net(file)?)))),
            Source::Teacher(line) => Ok(SelfPlayer::Teacher(self.teacher(line)?)),
        }
    }

    fn teacher(&self, line: &str) -> Result<Teacher<G>, String> {
        let player = (self.factory.make)(line).map_err(|error| error.to_string())?;
        Ok(Teacher(Box::new(TypedPlayer::new(player))))
    }
}

impl<G: Playable, E: Extras<G>> SelfPlay for TypedSelfPlay<'_, G, E> {
    fn play(&self, task: &SelfPlayTask) -> Result<(GameBatch, NetworkUse), String> {
        if task.game != G::NAME {
            return Err(format!("games of {} cannot be played as {}", task.game, G::NAME));
        }
        task.config.check().map_err(|error| error.to_string())?;
        let rules = match task.rules.as_str() {
            "" => G::Rules::default(),
            name => G::Rules::from_name(name).ok_or_else(|| format!("no rules `{name}`"))?,
        };
        let opponent = task.opponent.as_deref().map(|line| self.teacher(line)).transpose()?;
        let endgames = task.config.exact_endgames.then(Endgames::of::<E>).flatten();
        let mut table = Table { task, rules, player: self.player(task)?, opponent, endgames };
        let indices: Vec<u64> = (task.first..task.first.saturating_add(task.count)).collect();
        // A teacher plays one game at a time, and only then moves have a time of their own.
        let is_shared = matches!(table.player, SelfPlayer::Network(_))
            && table.opponent.is_none()
            && !task.record_times;
        let together = if is_shared { indices.len() } else { 1 };
        let mut games = Vec::with_capacity(indices.len());
        for indices in indices.chunks(together.max(1)) {
            games.extend(table.play(indices)?);
        }
        let network_use = match &table.player {
            SelfPlayer::Network(net) => net.network_use(),
            SelfPlayer::Teacher(_) => NetworkUse::default(),
        };
        Ok((GameBatch::new(games), network_use))
    }
}

/// The options of a full or a fast search.
fn search_options(config: &SelfPlayConfig, is_full: bool) -> PuctOptions {
    let exploration = Exploration {
        noise_plies: config.noise_plies.unwrap_or(config.temperature_plies),
        temperature_plies: config.temperature_plies,
        ..Exploration::default()
    };
    let defaults = PuctOptions::default();
    let sims = if is_full { config.sims } else { config.fast_sims };
    let root_selection = match config.gumbel_actions {
        0 => RootSelection::Puct,
        actions => RootSelection::Gumbel(actions),
    };
    PuctOptions {
        limits: Limits { nodes: Some(sims), ..Limits::default() },
        draw_value: config.draw_score,
        contempt: match config.automatic_draws_only {
            true => Contempt::AutomaticDraws,
            false => Contempt::AllDraws,
        },
        fpu: if config.fpu_zero { Fpu::Zero } else { defaults.fpu },
        root_selection,
        exploration: Some(exploration),
        memory_mb: 64,
        reuse_tree: false,
        ..defaults
    }
}

/// The move to play, with its training targets.
struct Decision<M> {
    m: M,
    /// The root value for the side to move, from -1 to 1.
    value: f64,
    /// Policy surprise: the divergence of the search's policy from the network's.
    surprise: f64,
    /// Fixed-point probabilities by move index.
    policy: Vec<(u16, u16)>,
    /// Q values by move index, as far as known.
    values: Vec<(u16, f64)>,
    /// Q values of replies, by the indices of move and reply, for the side that replies.
    replies: Vec<(u16, u16, f64)>,
}

/// The player of a task's games.
enum SelfPlayer<G: Playable> {
    Network(Box<CachedNet<G>>),
    Teacher(Teacher<G>),
}

impl<G: Playable> SelfPlayer<G> {
    /// Starts a game; the searches of a network.
    fn new_game(&mut self, config: &SelfPlayConfig, seed: u64) -> Vec<SteppedPuct<G>> {
        let Self::Teacher(teacher) = self else {
            let search = |(is_full, stream)| {
                let mut search = SteppedPuct::new(search_options(config, is_full));
                search.new_game(Rng::for_stream(seed, stream).bits());
                search
            };
            return [(true, 0), (false, 1)].map(search).into();
        };
        teacher.0.new_game(seed);
        Vec::new()
    }
}

/// Who and what the games of a task share.
struct Table<'a, G: Playable> {
    task: &'a SelfPlayTask,
    rules: G::Rules,
    /// Plays both sides, or one against the opponent.
    player: SelfPlayer<G>,
    opponent: Option<Teacher<G>>,
    endgames: Option<Endgames<G>>,
}

impl<G: Playable> Table<'_, G> {
    /// Plays games together.
    fn play(&mut self, indices: &[u64]) -> Result<Vec<GameData>, String> {
        let mut games: Vec<SelfPlayGame<G>> =
            indices.iter().map(|&index| SelfPlayGame::new(self, index)).collect();
        let mut ends: Vec<Option<GameEnd>> = vec![None; games.len()];
        loop {
            for (game, end) in games.iter_mut().zip(&mut ends) {
                if end.is_none() {
                    *end = game.advance(self).map_err(|error| error.to_string())?;
                }
            }
            if ends.iter().all(Option::is_some) {
                let finished = games.into_iter().zip(ends.into_iter().flatten());
                return Ok(finished.map(|(game, end)| game.into_data(self, end)).collect());
            }
            if let SelfPlayer::Network(net) = &mut self.player {
                let searches = games.iter_mut().flat_map(|game| &mut game.searches);
                SteppedPuct::evaluate_all(searches, &mut **net);
            }
        }
    }
}

/// The best move of a small endgame.
fn exact_decision<G: Playable>(
    endgames: &mut Endgames<G>,
    position: &G,
) -> Option<Decision<G::Move>> {
    let (value, m) = endgames.solve(position, SolveLimits { wld: false })?;
    let index = move_index(position, &distinct_moves(position), m)?;
    Some(Decision {
        m,
        value: value.0.into(),
        surprise: 0.0,
        policy: vec![(index as u16, to_unsigned_fixed(1.0))],
        values: Vec::new(),
        replies: Vec::new(),
    })
}

/// The decision of a finished search.
fn network_decision<G: Playable>(
    position: &G,
    m: G::Move,
    stats: &RootStats<G>,
    config: &SelfPlayConfig,
    is_full: bool,
) -> Decision<G::Move> {
    let target = policy(stats, config, &search_options(config, is_full));
    let moves = distinct_moves(position);
    let nonzero = stats.moves.iter().zip(&target).filter(|(_, probability)| **probability > 0.0);
    let policy = nonzero.filter_map(|(stats, probability)| {
        let index = move_index(position, &moves, stats.m)?;
        Some((index as u16, to_unsigned_fixed(*probability)))
    });
    Decision {
        m,
        value: stats.value.0,
        surprise: surprise(&stats.moves, &target),
        policy: policy.collect(),
        values: Vec::new(),
        replies: Vec::new(),
    }
}

/// A player whose moves and values are the targets.
struct Teacher<G: GameType>(Box<dyn Player<G>>);

impl<G: Learnable> Teacher<G> {
    fn decide(&mut self, game: &GameHistory<G>) -> Result<Decision<G::Move>, PlayerError> {
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let mut control = Control::new(&stop, &mut ignore);
        let choice = self.0.choose(game, &Limits::default(), &mut control)?;
        let moves = distinct_moves(game.position());
        let best = move_index(game.position(), &moves, choice.m);
        let q_values = self.0.root_q_values();
        let best_q = q_values.iter().find(|(m, _)| *m == choice.m).map(|(_, q)| q.0);
        let from_score = || {
            let value = choice.info.lines.first().map(|line| line.value.0);
            value.map_or(0.0, |value| 2.0 * G::WDL_MODEL.expected_score(value) - 1.0)
        };
        let values = q_values
            .iter()
            .filter_map(|(m, q)| Some((move_index(game.position(), &moves, *m)? as u16, q.0)));
        Ok(Decision {
            m: choice.m,
            value: best_q.unwrap_or_else(from_score),
            surprise: 0.0,
            values: values.collect(),
            replies: self.replies(game.position(), &moves),
            policy: best.map(|index| (index as u16, to_unsigned_fixed(1.0))).into_iter().collect(),
        })
    }

    /// The Q values of replies to the moves of a position.
    fn replies(&self, position: &G, moves: &[G::Move]) -> Vec<(u16, u16, f64)> {
        let indexed = |([m, reply], result): ([G::Move; 2], ForMover<f64>)| {
            let after = position.after(m);
            let reply = move_index(&after, &distinct_moves(&after), reply)?;
            Some((move_index(position, moves, m)? as u16, reply as u16, result.0))
        };
        self.0.reply_q_values().into_iter().filter_map(indexed).collect()
    }
}

/// A game after 0 to `max_plies` random plies, not finished.
fn opening<G: GameType>(rules: G::Rules, max_plies: usize, rng: &mut Rng) -> GameHistory<G> {
    loop {
        let mut game = GameHistory::new(G::start(rules));
        for _ in 0..rng.below(max_plies as u64 + 1) {
            let Some(m) = game.position().random_move(rng) else { break };
            if game.play(m).is_err() {
                break;
            }
        }
        if game.end().is_none() {
            return game;
        }
    }
}

fn move_texts<G: Learnable>(game: &GameHistory<G>) -> Vec<String> {
    game.positions().zip(game.played()).map(|(position, m)| position.move_text(m)).collect()
}

/// A game in progress.
struct SelfPlayGame<G: GameType> {
    rng: Rng,
    game: GameHistory<G>,
    /// The player's side, if there is an opponent.
    player_side: Side,
    /// The full and the fast search of a network; none of a teacher.
    searches: Vec<SteppedPuct<G>>,
    /// The turn whose search goes on.
    turn: Option<Turn>,
    targets: Vec<SearchTarget>,
    alternatives: Vec<(u16, u16, i16)>,
    replies: Vec<(u16, u16, u16, i16)>,
    /// Consecutive moves of each side below the resign threshold.
    losing_streak: [u32; 2],
    /// The side that would have resigned, in a game played to the end to check resignations.
    would_resign: Option<Side>,
    may_resign: bool,
    /// Time that each side took for its moves, in millionths of a second.
    times: [Vec<u64>; 2],
    /// Processor time of these moves.
    cpu_times: [Vec<u64>; 2],
}

/// A turn that has begun.
#[derive(Clone, Copy)]
struct Turn {
    is_full: bool,
    start: Instant,
    cpu_start: u64,
}

impl Turn {
    fn begin(is_full: bool) -> Self {
        Self { is_full, start: Instant::now(), cpu_start: cpu_time::thread_micros() }
    }
}

fn median(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or(0)
}

impl<G: Playable> SelfPlayGame<G> {
    /// Game `index` of a task.
    fn new(table: &mut Table<'_, G>, index: u64) -> Self {
        let config = &table.task.config;
        let mut rng = Rng::for_stream(table.task.seed, index);
        let searches = table.player.new_game(config, rng.bits());
        if let Some(opponent) = &mut table.opponent {
            opponent.0.new_game(rng.bits());
        }
        Self {
            game: opening::<G>(table.rules, config.random_plies, &mut rng),
            // The player has the first side in every other game.
            player_side: Side::BOTH[(index % 2) as usize],
            searches,
            turn: None,
            targets: Vec::new(),
            alternatives: Vec::new(),
            replies: Vec::new(),
            losing_streak: [0; 2],
            would_resign: None,
            may_resign: rng.unit() >= config.resign_playthrough,
            times: Default::default(),
            cpu_times: Default::default(),
            rng,
        }
    }

    fn into_data(self, table: &Table<'_, G>, end: GameEnd) -> GameData {
        let Table { task, opponent, .. } = table;
        let lost = |side: Side| end.outcome.winner() == Some(!side);
        GameData {
            rules: task.rules.clone(),
            moves: move_texts(&self.game),
            margin: end.outcome.margin().0,
            ending: end.ending.to_string(),
            resignation_was_right: self.would_resign.map(lost),
            median_micros: task.record_times.then(|| self.times.map(median)),
            median_cpu_micros: (task.record_times && cpu_time::AVAILABLE)
                .then(|| self.cpu_times.map(median)),
            player_side: opponent.is_some().then_some(self.player_side.index()),
            rating: task.rating,
            targets: self.targets,
            alternatives: self.alternatives,
            replies: self.replies,
        }
    }

    /// Plays on until leaves of a search wait for their evaluation; the end of the game if it is reached.
    fn advance(&mut self, table: &mut Table<'_, G>) -> Result<Option<GameEnd>, PlayerError> {
        let config = &table.task.config;
        loop {
            let (turn, decision) = match self.turn {
                Some(turn) => {
                    let search = &mut self.searches[usize::from(!turn.is_full)];
                    search.resume(&self.game);
                    if search.is_waiting() {
                        return Ok(None);
                    }
                    let (m, stats) = search.finish(&self.game).ok_or(PlayerError::GameOver)?;
                    let position = self.game.position();
                    (turn, network_decision(position, m, &stats, config, turn.is_full))
                }
                None => {
                    if let Some(end) = self.end(config) {
                        return Ok(Some(end));
                    }
                    if let [only] = distinct_moves(self.game.position())[..] {
                        // A forced move is no training target.
                        let _ = self.game.play_on(only);
                        continue;
                    }
                    let turn = Turn::begin(self.rng.unit() < config.full_search_prob);
                    match self.decide_at_once(table)? {
                        Some(decision) => (turn, decision),
                        None => {
                            self.searches[usize::from(!turn.is_full)].start(&self.game);
                            self.turn = Some(turn);
                            return Ok(None);
                        }
                    }
                }
            };
            self.turn = None;
            if let Some(end) = self.finish_turn(table, turn, decision)? {
                return Ok(Some(end));
            }
        }
    }

    /// Whether a side is the player's, from whose moves networks learn.
    fn is_player(&self, table: &Table<'_, G>, side: Side) -> bool {
        table.opponent.is_none() || side == self.player_side
    }

    /// The decision of the solver or of a teacher; none if a network has to search.
    fn decide_at_once(
        &self,
        table: &mut Table<'_, G>,
    ) -> Result<Option<Decision<G::Move>>, PlayerError> {
        let position = self.game.position();
        let is_player = self.is_player(table, position.side());
        let exact = table.endgames.as_mut().filter(|_| is_player);
        if let Some(decision) = exact.and_then(|endgames| exact_decision(endgames, position)) {
            return Ok(Some(decision));
        }
        match (&mut table.opponent, &mut table.player) {
            (Some(opponent), _) if !is_player => opponent.decide(&self.game).map(Some),
            (_, SelfPlayer::Teacher(teacher)) => teacher.decide(&self.game).map(Some),
            (_, SelfPlayer::Network(_)) => Ok(None),
        }
    }

    fn end(&self, config: &SelfPlayConfig) -> Option<GameEnd> {
        let drawn = |reason| GameEnd { outcome: Outcome::DRAW, ending: Ending::Drawn(reason) };
        let claimed = || self.game.draw().map(|draw| drawn(draw.reason));
        let too_long = || {
            let is_over = self.game.plies() >= config.max_plies;
            is_over.then_some(GameEnd { outcome: Outcome::DRAW, ending: Ending::Adjudicated })
        };
        self.game.end().or_else(claimed).or_else(too_long)
    }

    /// Plays the decided move; the end of the game if the side to move resigns.
    fn finish_turn(
        &mut self,
        table: &Table<'_, G>,
        turn: Turn,
        decision: Decision<G::Move>,
    ) -> Result<Option<GameEnd>, PlayerError> {
        let config = &table.task.config;
        let moves = distinct_moves(self.game.position());
        let side = self.game.position().side();
        self.times[side.index()].push(turn.start.elapsed().as_micros() as u64);
        let cpu_time = cpu_time::thread_micros().saturating_sub(turn.cpu_start);
        self.cpu_times[side.index()].push(cpu_time);
        if self.resigns(config, decision.value) {
            return Ok(Some(GameEnd { outcome: Outcome::win(!side), ending: Ending::Resigned }));
        }
        if turn.is_full && self.is_player(table, side) {
            self.targets.push(SearchTarget {
                ply: self.game.plies() as u16,
                value: to_fixed(decision.value),
                surprise: to_unsigned_fixed(decision.surprise),
                policy: decision.policy,
            });
        }
        let random = self.rng.unit() < config.random_move_prob;
        let m = if random { self.rng.pick(&moves).copied() } else { None };
        let m = m.unwrap_or(decision.m);
        let played = move_index(self.game.position(), &moves, m).map(|index| index as u16);
        let ply = self.game.plies() as u16;
        let alternatives = decision.values.iter().filter(|(index, _)| Some(*index) != played);
        self.alternatives.extend(alternatives.map(|&(index, value)| (ply, index, to_fixed(value))));
        let replies = decision.replies.iter();
        self.replies.extend(replies.map(|&(m, reply, value)| (ply, m, reply, to_fixed(value))));
        self.game.play_on(m).map_err(|error| PlayerError::Failed {
            player: "the player".into(),
            what: error.to_string(),
        })?;
        Ok(None)
    }

    /// Whether the side to move resigns.
    fn resigns(&mut self, config: &SelfPlayConfig, value: f64) -> bool {
        let side = self.game.position().side();
        let count = &mut self.losing_streak[side.index()];
        *count = if value < -config.resign_threshold { *count + 1 } else { 0 };
        let is_lost = *count >= RESIGN_MOVES;
        if is_lost && !self.may_resign && self.would_resign.is_none() {
            self.would_resign = Some(side);
        }
        is_lost && self.may_resign
    }
}
