//! Self-play: workers that play games to learn from.

mod target;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use tablero_arena::Factory;
use tablero_core::{
    Control, Ending, ForMover, GameEnd, GameType, Limits, Match, Outcome, Player, PlayerError, Rng,
    Rules, Side, TypedPlayer,
};
use tablero_nets::GameNet;
use tablero_search::puct::{Exploration, Puct, PuctOptions, RootSelection};

use tablero_learn::{
    Block, GameData, GamesTask, Learnable, Note, SelfPlay, Source, Style, distinct_moves, number_of,
};

use self::target::{policy, surprise, to_parts, to_positive_parts};

/// Whoever is below the value to resign at for so many own moves in a row resigns.
const RESIGN_AFTER: u32 = 3;

/// Networks that are kept from task to task.
const MOST_NETS: usize = 4;

/// Plays games of `G` to learn from.
pub(crate) struct TypedSelfPlay<'a, G: GameType> {
    factory: Factory<'a>,
    nets: Mutex<HashMap<String, GameNet<G>>>,
}

impl<'a, G: Learnable> TypedSelfPlay<'a, G> {
    /// Teachers come from `factory`.
    pub(crate) fn new(factory: Factory<'a>) -> Self {
        Self { factory, nets: Mutex::default() }
    }

    fn net(&self, file: &str) -> Result<GameNet<G>, String> {
        let mut nets = self.nets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(net) = nets.get(file) {
            return Ok(net.clone());
        }
        let net = GameNet::read(Path::new(file)).map_err(|error| error.to_string())?;
        // Whoever works for days meets many generations.
        if nets.len() >= MOST_NETS {
            nets.clear();
        }
        nets.insert(file.into(), net.clone());
        Ok(net)
    }

    fn thinker(&self, task: &GamesTask) -> Result<Box<dyn Thinker<G> + 'a>, String> {
        match &task.source {
            Source::Net(file) => {
                let net = self.net(file)?;
                let searches = [true, false]
                    .map(|full| Puct::new(search_options(&task.style, full), net.clone()));
                Ok(Box::new(Searches { searches, style: task.style.clone() }))
            }
            Source::Teacher(line) => {
                let player = (self.factory.make)(line)?;
                Ok(Box::new(Teacher::<G>(Box::new(TypedPlayer::new(player)))))
            }
        }
    }
}

impl<G: Learnable> SelfPlay for TypedSelfPlay<'_, G> {
    fn play(&self, task: &GamesTask) -> Result<Block, String> {
        if task.game != G::NAME {
            return Err(format!("games of {} cannot be played as {}", task.game, G::NAME));
        }
        task.style.check()?;
        let mut thinker = self.thinker(task)?;
        let games = task.first..task.first.saturating_add(task.count);
        let games: Result<Vec<_>, _> = games.map(|game| play(task, game, &mut *thinker)).collect();
        Ok(Block::new(games?))
    }
}

/// The search of a move that is learned from, or of one that is not.
fn search_options(style: &Style, is_full: bool) -> PuctOptions {
    let exploration = Exploration {
        noisy_moves: style.chance_plies.div_ceil(2),
        sampled_moves: style.chance_plies.div_ceil(2),
        ..Exploration::default()
    };
    let sims = if is_full { style.sims } else { style.fast_sims };
    let selection = match style.halved {
        0 => RootSelection::Formula,
        most => RootSelection::Halving(most),
    };
    PuctOptions {
        limits: Limits { nodes: Some(sims), ..Limits::default() },
        draw: style.draw,
        selection,
        exploration: Some(exploration),
        memory: 64,
        reuse: false,
        ..PuctOptions::default()
    }
}

/// What somebody thinks of a position, and the move to play.
struct Thought<M> {
    m: M,
    /// For the player to move, from -1 to 1.
    value: f64,
    surprise: f64,
    policy: Vec<(u16, u16)>,
    /// The values of moves, by their numbers, as far as they are known.
    values: Vec<(u16, f64)>,
    /// The values of replies to moves for whoever would reply, likewise.
    replies: Vec<(u16, u16, f64)>,
}

trait Thinker<G: GameType> {
    fn new_game(&mut self, seed: u64);
    fn think(&mut self, game: &Match<G>, is_full: bool) -> Result<Thought<G::Move>, PlayerError>;
}

/// A network with a long and a short search.
struct Searches<G: Learnable> {
    searches: [Puct<G, GameNet<G>>; 2],
    style: Style,
}

impl<G: Learnable> Thinker<G> for Searches<G> {
    fn new_game(&mut self, seed: u64) {
        self.searches.iter_mut().zip(0..).for_each(|(search, part)| {
            search.new_game(Rng::for_part(seed, part).bits());
        });
    }

    fn think(&mut self, game: &Match<G>, is_full: bool) -> Result<Thought<G::Move>, PlayerError> {
        let search = &mut self.searches[usize::from(!is_full)];
        let choice = choose(search, game)?;
        let view = search.root().ok_or(PlayerError::GameOver)?;
        let shares = policy(&view, &self.style, &search_options(&self.style, is_full));
        let moves = distinct_moves(game.position());
        let kept = view.moves.iter().zip(&shares).filter(|(_, share)| **share > 0.0);
        let policy = kept.filter_map(|(m, share)| {
            let number = number_of(game.position(), &moves, m.m)?;
            Some((number as u16, to_positive_parts(*share)))
        });
        Ok(Thought {
            m: choice,
            value: view.value.0,
            surprise: surprise(&view.moves, &shares),
            policy: policy.collect(),
            values: Vec::new(),
            replies: Vec::new(),
        })
    }
}

/// A player whose best move and value are learned.
struct Teacher<G: GameType>(Box<dyn Player<G>>);

impl<G: Learnable> Thinker<G> for Teacher<G> {
    fn new_game(&mut self, seed: u64) {
        self.0.new_game(seed);
    }

    fn think(&mut self, game: &Match<G>, _: bool) -> Result<Thought<G::Move>, PlayerError> {
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let mut control = Control::new(&stop, &mut ignore);
        let choice = self.0.choose(game, &Limits::default(), &mut control)?;
        let moves = distinct_moves(game.position());
        let number = number_of(game.position(), &moves, choice.m);
        let expected = self.0.expected();
        let of_best = expected.iter().find(|(m, _)| *m == choice.m).map(|(_, result)| result.0);
        let judged = || {
            let value = choice.info.lines.first().map(|line| line.value.0);
            value.map_or(0.0, |value| 2.0 * G::CHANCES.expected(value) - 1.0)
        };
        let values = expected.iter().filter_map(|(m, result)| {
            Some((number_of(game.position(), &moves, *m)? as u16, result.0))
        });
        Ok(Thought {
            m: choice.m,
            value: of_best.unwrap_or_else(judged),
            surprise: 0.0,
            values: values.collect(),
            replies: self.replies(game.position(), &moves),
            policy: number
                .map(|number| (number as u16, to_positive_parts(1.0)))
                .into_iter()
                .collect(),
        })
    }
}

impl<G: Learnable> Teacher<G> {
    /// What it expects of replies to these moves of a position.
    fn replies(&self, position: &G, moves: &[G::Move]) -> Vec<(u16, u16, f64)> {
        let numbers = |([m, reply], result): ([G::Move; 2], ForMover<f64>)| {
            let after = position.after(m);
            let reply = number_of(&after, &distinct_moves(&after), reply)?;
            Some((number_of(position, moves, m)? as u16, reply as u16, result.0))
        };
        self.0.expected_replies().into_iter().filter_map(numbers).collect()
    }
}

fn choose<G: GameType>(
    player: &mut dyn Player<G>,
    game: &Match<G>,
) -> Result<G::Move, PlayerError> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = Control::new(&stop, &mut ignore);
    Ok(player.choose(game, &Limits::default(), &mut control)?.m)
}

fn play<G: Learnable>(
    task: &GamesTask,
    number: u64,
    thinker: &mut dyn Thinker<G>,
) -> Result<GameData, String> {
    let mut rng = Rng::for_part(task.seed, number);
    thinker.new_game(rng.bits());
    let rules = match task.rules.as_str() {
        "" => G::Rules::default(),
        name => G::Rules::from_name(name).ok_or_else(|| format!("no rules `{name}`"))?,
    };
    let mut table = Table {
        game: opening::<G>(rules, task.style.random_plies, &mut rng),
        notes: Vec::new(),
        others: Vec::new(),
        replies: Vec::new(),
        hopeless: [0; 2],
        hopeless_side: None,
        may_resign: rng.unit() >= task.style.resign_check,
        times: Default::default(),
    };
    let end = loop {
        if let Some(end) = table.end(&task.style) {
            break end;
        }
        if let Some(end) = table.turn(&task.style, thinker, &mut rng).map_err(|e| e.to_string())? {
            break end;
        }
    };
    let lost = |side: Side| end.outcome.winner() == Some(!side);
    Ok(GameData {
        rules: task.rules.clone(),
        moves: move_texts(&table.game),
        margin: end.outcome.margin().0,
        ending: end.ending.to_string(),
        hopeless_was_lost: table.hopeless_side.map(lost),
        median_micros: task.keep_times.then(|| table.times.map(median)),
        rating: task.rating,
        notes: table.notes,
        others: table.others,
        replies: table.replies,
    })
}

/// A game in which some moves were played at random, and which goes on.
fn opening<G: GameType>(rules: G::Rules, most: usize, rng: &mut Rng) -> Match<G> {
    loop {
        let mut game = Match::new(G::start(rules));
        for _ in 0..rng.below(most as u64 + 1) {
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

fn move_texts<G: Learnable>(game: &Match<G>) -> Vec<String> {
    game.positions().zip(game.played()).map(|(position, m)| position.move_text(m)).collect()
}

/// A game under way.
struct Table<G: GameType> {
    game: Match<G>,
    notes: Vec<Note>,
    others: Vec<(u16, u16, i16)>,
    replies: Vec<(u16, u16, u16, i16)>,
    /// For how many moves in a row each side has seen no hope.
    hopeless: [u32; 2],
    /// Who would have resigned in a game in which nobody may.
    hopeless_side: Option<Side>,
    may_resign: bool,
    /// How long each side thought for its moves, in millionths of a second.
    times: [Vec<u64>; 2],
}

fn median(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or(0)
}

impl<G: Learnable> Table<G> {
    fn end(&self, style: &Style) -> Option<GameEnd> {
        let drawn = |reason| GameEnd { outcome: Outcome::DRAW, ending: Ending::Drawn(reason) };
        let claimed = || self.game.draw().map(|draw| drawn(draw.reason));
        let too_long = || {
            let is_over = self.game.plies() >= style.longest;
            is_over.then_some(GameEnd { outcome: Outcome::DRAW, ending: Ending::Adjudicated })
        };
        self.game.end().or_else(claimed).or_else(too_long)
    }

    /// The player to move thinks and moves, or resigns.
    fn turn(
        &mut self,
        style: &Style,
        thinker: &mut dyn Thinker<G>,
        rng: &mut Rng,
    ) -> Result<Option<GameEnd>, PlayerError> {
        let moves = distinct_moves(self.game.position());
        if let [only] = moves[..] {
            // Nothing to decide, nothing to learn.
            let _ = self.game.play_on(only);
            return Ok(None);
        }
        let is_full = rng.unit() < style.full_share;
        let begun = Instant::now();
        let thought = thinker.think(&self.game, is_full)?;
        let side = self.game.position().side();
        self.times[side.index()].push(begun.elapsed().as_micros() as u64);
        if self.resigns(style, thought.value) {
            return Ok(Some(GameEnd { outcome: Outcome::win(!side), ending: Ending::Resigned }));
        }
        if is_full {
            self.notes.push(Note {
                ply: self.game.plies() as u16,
                value: to_parts(thought.value),
                surprise: to_positive_parts(thought.surprise),
                policy: thought.policy,
            });
        }
        let random = rng.unit() < style.random_share;
        let m = if random { rng.pick(&moves).copied() } else { None };
        let m = m.unwrap_or(thought.m);
        let played = number_of(self.game.position(), &moves, m).map(|number| number as u16);
        let ply = self.game.plies() as u16;
        let others = thought.values.iter().filter(|(number, _)| Some(*number) != played);
        self.others.extend(others.map(|&(number, value)| (ply, number, to_parts(value))));
        let replies = thought.replies.iter();
        self.replies.extend(replies.map(|&(m, reply, value)| (ply, m, reply, to_parts(value))));
        self.game.play_on(m).map_err(|error| PlayerError::Failed {
            player: "the player".into(),
            what: error.to_string(),
        })?;
        Ok(None)
    }

    /// Whether the player to move gives up.
    fn resigns(&mut self, style: &Style, value: f64) -> bool {
        let side = self.game.position().side();
        let count = &mut self.hopeless[side.index()];
        *count = if value < -style.resign_at { *count + 1 } else { 0 };
        let is_hopeless = *count >= RESIGN_AFTER;
        if is_hopeless && !self.may_resign && self.hopeless_side.is_none() {
            self.hopeless_side = Some(side);
        }
        is_hopeless && self.may_resign
    }
}
