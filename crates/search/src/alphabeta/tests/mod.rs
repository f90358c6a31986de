//! Alpha-beta against minimax and against positions with known values.

mod exactness;
mod known;
mod player;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicBool;

use tablero_core::{
    Draw, EvaluationKind, ForMover, Game, GameInfo, GameType, HistoryRules, Outcome, Side,
};
use tablero_tictactoe::TicTacToe;

use super::*;
use crate::minimax::minimax;

/// A game with meaningless tactics: a search without selectivity must not depend on move ordering.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Bare<G>(G);

impl<G: GameType> GameType for Bare<G> {
    const NAME: &'static str = G::NAME;
    const SIDES: [&'static str; 2] = G::SIDES;
    const MARGIN: Option<&'static str> = G::MARGIN;
    /// Low enough for searches to reach it.
    const HISTORY: HistoryRules = HistoryRules {
        draw_at_ply: match G::HISTORY.draw_at_ply {
            Some(_) => Some(40),
            None => None,
        },
        ..G::HISTORY
    };
}

impl<G: GameType> Game for Bare<G> {
    type Move = G::Move;
    type Rules = G::Rules;

    fn start(rules: G::Rules) -> Self {
        Self(G::start(rules))
    }

    fn info(&self) -> &'static GameInfo {
        &Self::INFO
    }

    fn rules(&self) -> G::Rules {
        self.0.rules()
    }

    fn side(&self) -> Side {
        self.0.side()
    }

    fn each_move(&self, visit: impl FnMut(G::Move)) {
        self.0.each_move(visit);
    }

    fn each_distinct_move(&self, visit: impl FnMut(G::Move)) {
        self.0.each_distinct_move(visit);
    }

    fn play(&mut self, m: G::Move) {
        self.0.play(m);
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn draw(&self) -> Option<Draw> {
        self.0.draw()
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl<G: GameType> Tactics for Bare<G> {
    const HISTORY_SLOTS: usize = 50;

    fn evaluations() -> &'static [EvaluationKind<Self>] {
        &[]
    }

    fn history_slot(&self, m: G::Move) -> usize {
        hash(m) as usize % Self::HISTORY_SLOTS
    }

    fn move_order_score(&self, m: G::Move) -> i32 {
        hash((self.key(), m)) as i32 % 20
    }

    fn is_noisy(&self, m: G::Move) -> bool {
        hash((m, self.key())).is_multiple_of(3)
    }

    fn each_noisy_move(&self, mut visit: impl FnMut(G::Move)) {
        self.each_distinct_move(|m| {
            if self.is_noisy(m) {
                visit(m);
            }
        });
    }
}

/// A pseudo-random evaluation with this many values, a function of the position and its parent.
struct Hashed(u64);

impl Hashed {
    fn value(&self, of: impl Hash) -> ForMover<i32> {
        ForMover((hash(of) % self.0) as i32 - self.0 as i32 / 2)
    }
}

impl<G: GameType> Evaluation<G> for Hashed {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        self.value(position.key())
    }

    fn evaluate_after(&self, before: &G, _m: G::Move, position: &G) -> ForMover<i32> {
        self.value((before.key(), position.key()))
    }
}

fn exact_options(depth: u32) -> AlphaBetaOptions {
    let mut options = AlphaBetaOptions::for_game::<Bare<TicTacToe>>();
    options.limits.depth = Some(depth);
    options.hash_mb = 0;
    options.quiescence = 0;
    options
}

fn search<G: Tactics>(player: &mut AlphaBeta<G>, game: &GameHistory<G>) -> RootResult<G> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = Control::new(&stop, &mut ignore);
    player.search(game, &Limits::default(), &mut control).expect("the game is not over")
}

/// A game of `plies` random moves that is not over, with repetitions where they matter.
fn random_game<G: GameType>(plies: u64, rng: &mut Rng) -> GameHistory<G> {
    let mut game = GameHistory::new(G::start(G::Rules::default()));
    while (game.plies() as u64) < plies {
        let Some(m) = game.position().random_move(rng) else {
            break;
        };
        game.play(m).expect("legal");
        if rng.below(6) == 0 {
            go_back(&mut game);
        }
        if game.end().is_some() {
            game.undo();
            break;
        }
    }
    game
}

/// Plays two moves that restore the position of two plies ago, if there are any.
fn go_back<G: GameType>(game: &mut GameHistory<G>) {
    if G::HISTORY == HistoryRules::NONE || game.plies() < 2 || game.end().is_some() {
        return;
    }
    let goal = game.positions().rev().nth(2).expect("played").key();
    for m in game.position().moves() {
        let next = game.position().after(m);
        let mut back = None;
        next.each_move(|reply| {
            if next.after(reply).key() == goal {
                back = Some(reply);
            }
        });
        if let Some(reply) = back {
            game.play(m).expect("legal");
            let _ = game.play(reply);
            return;
        }
    }
}

/// Minimax values of all distinct moves, the best first.
fn all_values<G: Tactics>(
    game: &GameHistory<G>,
    depth: u32,
    evaluation: &dyn Evaluation<G>,
) -> Vec<i32> {
    let mut values = Vec::new();
    game.position().each_distinct_move(|m| {
        values.push(minimax(game, m, depth, evaluation));
    });
    values.sort_unstable_by_key(|&value| std::cmp::Reverse(value));
    values
}

fn choose<G: Tactics>(
    player: &mut dyn Player<G>,
    game: &GameHistory<G>,
    limits: &Limits,
) -> SearchResult<G> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    player
        .choose(game, limits, &mut Control::new(&stop, &mut ignore))
        .expect("the game is not over")
}
