//! Self-play: games with search targets for training.
//!
//! Every move is searched by PUCT with a network (AlphaZero, or Gumbel AlphaZero), or played by a teacher. As in
//! KataGo's playout cap randomization, only a fraction of the moves gets a full search, and only those become
//! policy targets; the others are fast searches that advance the game.

mod cpu_time;
mod target;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tablero_arena::Factory;
use tablero_core::{
    Control, Ending, ForMover, GameEnd, GameHistory, GameType, Limits, Outcome, Player,
    PlayerError, Rng, Rules, SharedCache, Side, TypedPlayer,
};
use tablero_nets::GameNet;
use tablero_search::puct::{Contempt, Exploration, Fpu, Puct, PuctOptions, RootSelection};

use tablero_learn::{
    GameBatch, GameData, Learnable, SearchTarget, SelfPlay, SelfPlayConfig, SelfPlayTask, Source,
    distinct_moves, move_index,
};

use self::target::{policy, surprise, to_fixed, to_unsigned_fixed};

/// Consecutive own moves below the resign threshold before a side resigns.
const RESIGN_MOVES: u32 = 3;

/// Networks cached between tasks.
const MAX_NETS: usize = 4;

/// Plays self-play games of `G`.
pub(crate) struct TypedSelfPlay<'a, G: GameType> {
    factory: Factory<'a>,
    /// By file.
    nets: SharedCache<String, GameNet<G>>,
}

impl<'a, G: Learnable> TypedSelfPlay<'a, G> {
    /// `factory` builds teachers.
    pub(crate) const fn new(factory: Factory<'a>) -> Self {
        Self { factory, nets: SharedCache::with_count(MAX_NETS) }
    }

    fn net(&self, file: &str) -> Result<GameNet<G>, String> {
        let load = || GameNet::read(Path::new(file)).map_err(|error| error.to_string());
        self.nets.get_or_load(file.into(), load)
    }

    fn agent(&self, task: &SelfPlayTask) -> Result<Box<dyn Agent<G> + 'a>, String> {
        match &task.source {
            Source::Net(file) => {
                let net = self.net(file)?;
                let searches = [true, false]
                    .map(|full| Puct::new(search_options(&task.config, full), net.clone()));
                Ok(Box::new(NetworkAgent { searches, config: task.config.clone() }))
            }
            Source::Teacher(line) => self.teacher(line),
        }
    }

    fn teacher(&self, line: &str) -> Result<Box<dyn Agent<G> + 'a>, String> {
        let player = (self.factory.make)(line).map_err(|error| error.to_string())?;
        Ok(Box::new(TeacherAgent::<G>(Box::new(TypedPlayer::new(player)))))
    }
}

impl<G: Learnable> SelfPlay for TypedSelfPlay<'_, G> {
    fn play(&self, task: &SelfPlayTask) -> Result<GameBatch, String> {
        if task.game != G::NAME {
            return Err(format!("games of {} cannot be played as {}", task.game, G::NAME));
        }
        task.config.check().map_err(|error| error.to_string())?;
        let opponent = task.opponent.as_deref().map(|line| self.teacher(line)).transpose()?;
        let mut agents = Agents { player: self.agent(task)?, opponent, player_side: Side::First };
        let games = task.first..task.first.saturating_add(task.count);
        let games: Result<Vec<_>, _> = games.map(|game| play(task, game, &mut agents)).collect();
        Ok(GameBatch::new(games?))
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

trait Agent<G: GameType> {
    fn new_game(&mut self, seed: u64);
    fn decide(
        &mut self,
        game: &GameHistory<G>,
        is_full: bool,
    ) -> Result<Decision<G::Move>, PlayerError>;
}

/// The players of a game: one that plays both sides, or two.
struct Agents<'a, G: GameType> {
    player: Box<dyn Agent<G> + 'a>,
    opponent: Option<Box<dyn Agent<G> + 'a>>,
    /// The player's side, if there is an opponent.
    player_side: Side,
}

impl<G: GameType> Agents<'_, G> {
    /// Starts a game; the player has the first side in every other one.
    fn new_game(&mut self, index: u64, rng: &mut Rng) {
        self.player.new_game(rng.bits());
        self.player_side = Side::BOTH[(index % 2) as usize];
        if let Some(opponent) = &mut self.opponent {
            opponent.new_game(rng.bits());
        }
    }

    /// Whether a side is the player's, from whose moves networks learn.
    fn is_player(&self, side: Side) -> bool {
        self.opponent.is_none() || side == self.player_side
    }

    fn of(&mut self, side: Side) -> &mut dyn Agent<G> {
        match &mut self.opponent {
            Some(opponent) if side != self.player_side => &mut **opponent,
            _ => &mut *self.player,
        }
    }
}

/// A network with a full and a fast search.
struct NetworkAgent<G: Learnable> {
    searches: [Puct<G, GameNet<G>>; 2],
    config: SelfPlayConfig,
}

impl<G: Learnable> Agent<G> for NetworkAgent<G> {
    fn new_game(&mut self, seed: u64) {
        self.searches.iter_mut().zip(0..).for_each(|(search, stream)| {
            search.new_game(Rng::for_stream(seed, stream).bits());
        });
    }

    fn decide(
        &mut self,
        game: &GameHistory<G>,
        is_full: bool,
    ) -> Result<Decision<G::Move>, PlayerError> {
        let search = &mut self.searches[usize::from(!is_full)];
        let choice = choose_move(search, game)?;
        let view = search.root_stats().ok_or(PlayerError::GameOver)?;
        let target = policy(&view, &self.config, &search_options(&self.config, is_full));
        let moves = distinct_moves(game.position());
        let nonzero = view.moves.iter().zip(&target).filter(|(_, probability)| **probability > 0.0);
        let policy = nonzero.filter_map(|(m, probability)| {
            let index = move_index(game.position(), &moves, m.m)?;
            Some((index as u16, to_unsigned_fixed(*probability)))
        });
        Ok(Decision {
            m: choice,
            value: view.value.0,
            surprise: surprise(&view.moves, &target),
            policy: policy.collect(),
            values: Vec::new(),
            replies: Vec::new(),
        })
    }
}

/// A player whose moves and values are the targets.
struct TeacherAgent<G: GameType>(Box<dyn Player<G>>);

impl<G: Learnable> Agent<G> for TeacherAgent<G> {
    fn new_game(&mut self, seed: u64) {
        self.0.new_game(seed);
    }

    fn decide(&mut self, game: &GameHistory<G>, _: bool) -> Result<Decision<G::Move>, PlayerError> {
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
}

impl<G: Learnable> TeacherAgent<G> {
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

fn choose_move<G: GameType>(
    player: &mut dyn Player<G>,
    game: &GameHistory<G>,
) -> Result<G::Move, PlayerError> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = Control::new(&stop, &mut ignore);
    Ok(player.choose(game, &Limits::default(), &mut control)?.m)
}

fn play<G: Learnable>(
    task: &SelfPlayTask,
    index: u64,
    agents: &mut Agents<'_, G>,
) -> Result<GameData, String> {
    let mut rng = Rng::for_stream(task.seed, index);
    agents.new_game(index, &mut rng);
    let rules = match task.rules.as_str() {
        "" => G::Rules::default(),
        name => G::Rules::from_name(name).ok_or_else(|| format!("no rules `{name}`"))?,
    };
    let mut state = SelfPlayGame {
        game: opening::<G>(rules, task.config.random_plies, &mut rng),
        targets: Vec::new(),
        alternatives: Vec::new(),
        replies: Vec::new(),
        losing_streak: [0; 2],
        would_resign: None,
        may_resign: rng.unit() >= task.config.resign_playthrough,
        times: Default::default(),
        cpu_times: Default::default(),
    };
    let end = loop {
        if let Some(end) = state.end(&task.config) {
            break end;
        }
        if let Some(end) =
            state.play_turn(&task.config, agents, &mut rng).map_err(|e| e.to_string())?
        {
            break end;
        }
    };
    let lost = |side: Side| end.outcome.winner() == Some(!side);
    Ok(GameData {
        rules: task.rules.clone(),
        moves: move_texts(&state.game),
        margin: end.outcome.margin().0,
        ending: end.ending.to_string(),
        resignation_was_right: state.would_resign.map(lost),
        median_micros: task.record_times.then(|| state.times.map(median)),
        median_cpu_micros: (task.record_times && cpu_time::AVAILABLE)
            .then(|| state.cpu_times.map(median)),
        player_side: agents.opponent.is_some().then_some(agents.player_side.index()),
        rating: task.rating,
        targets: state.targets,
        alternatives: state.alternatives,
        replies: state.replies,
    })
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
    game: GameHistory<G>,
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

fn median(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or(0)
}

impl<G: Learnable> SelfPlayGame<G> {
    fn end(&self, config: &SelfPlayConfig) -> Option<GameEnd> {
        let drawn = |reason| GameEnd { outcome: Outcome::DRAW, ending: Ending::Drawn(reason) };
        let claimed = || self.game.draw().map(|draw| drawn(draw.reason));
        let too_long = || {
            let is_over = self.game.plies() >= config.max_plies;
            is_over.then_some(GameEnd { outcome: Outcome::DRAW, ending: Ending::Adjudicated })
        };
        self.game.end().or_else(claimed).or_else(too_long)
    }

    /// Plays one move; the end of the game if the side to move resigns.
    fn play_turn(
        &mut self,
        config: &SelfPlayConfig,
        agents: &mut Agents<'_, G>,
        rng: &mut Rng,
    ) -> Result<Option<GameEnd>, PlayerError> {
        let moves = distinct_moves(self.game.position());
        if let [only] = moves[..] {
            // A forced move is no training target.
            let _ = self.game.play_on(only);
            return Ok(None);
        }
        let is_full = rng.unit() < config.full_search_prob;
        let side = self.game.position().side();
        let (start, cpu_start) = (Instant::now(), cpu_time::thread_micros());
        let decision = agents.of(side).decide(&self.game, is_full)?;
        self.times[side.index()].push(start.elapsed().as_micros() as u64);
        self.cpu_times[side.index()].push(cpu_time::thread_micros().saturating_sub(cpu_start));
        if self.resigns(config, decision.value) {
            return Ok(Some(GameEnd { outcome: Outcome::win(!side), ending: Ending::Resigned }));
        }
        if is_full && agents.is_player(side) {
            self.targets.push(SearchTarget {
                ply: self.game.plies() as u16,
                value: to_fixed(decision.value),
                surprise: to_unsigned_fixed(decision.surprise),
                policy: decision.policy,
            });
        }
        let random = rng.unit() < config.random_move_prob;
        let m = if random { rng.pick(&moves).copied() } else { None };
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
