use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde::Serialize;
use tablero_catalog::players::{Setup, build};
use tablero_catalog::{Catalogued, GameName, for_game};
use tablero_champion::engine::{Engine, Request, Stage};
use tablero_champion::eval::Weights;
use tablero_champion::{Board, Selectivity};
use tablero_chess::Chess;
use tablero_core::{
    Control, Game, Limits, Match, Notation, Rng, StandardRules, perft, random_playout,
};
use tablero_othello::Othello;
use tablero_search::alphabeta::signature;
use tablero_shobu::Shobu;

use super::bench_nets;
use crate::out;

const EXAMPLES: &str = "Examples:
  tablero bench                    everything
  tablero bench perft playouts     only these
  tablero bench perft --json";

/// Measures speed on one thread, best of several rounds, with a reference in the same run where there
/// is one.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bench {
    /// What to measure [default: everything].
    #[arg(value_name = "WHAT")]
    what: Vec<What>,
    /// Rounds; the best counts, because a busy machine only ever makes things slower.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Names the random games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Leaves of the game tree counted in a second.
    Perft,
    /// Random games played in a second.
    Playouts,
    /// Positions that alpha-beta looks at in a second.
    Search,
    /// Iterations of Monte Carlo tree search in a second.
    Mcts,
    /// Positions that the champion looks at in a second when it solves Othello endgames.
    Endgame,
    /// Positions that networks judge in a second, and how much of what the processor can do they use.
    Nets,
    /// Not a speed: positions that alpha-beta and the champion look at in fixed searches, the same on
    /// every machine. A change that should not change how they play must not change them.
    Signature,
}

/// One figure.
#[derive(Serialize)]
struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
    threads: u32,
}

impl Bench {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        for &what in What::value_variants() {
            if !self.what.is_empty() && !self.what.contains(&what) {
                continue;
            }
            match what {
                What::Perft => self.perft(),
                What::Playouts => self.playouts(),
                What::Search => self.search("alphabeta", "search", "nodes/s", 1_000_000)?,
                What::Mcts => self.search("mcts", "mcts", "iterations/s", 20_000)?,
                What::Endgame => self.endgame(),
                What::Nets => {
                    let print = |name: &str, value, unit| self.print(name, value, unit);
                    bench_nets::measure(self.rounds, self.seed, print)?;
                }
                What::Signature => self.signature(),
            }
        }
        Ok(())
    }

    fn perft(&self) {
        self.perft_of::<Othello>(11);
        let ours = self.perft_of::<Chess>(6);
        let reference = self.best(|| perft_of_crate(&cozy_chess::Board::default(), 6));
        self.print("perft 6 chess, cozy-chess called directly", reference, "leaves/s");
        self.print("perft 6 chess, ratio to cozy-chess", ours / reference, "");
        self.perft_of::<Shobu>(4);
    }

    fn perft_of<G: Game>(&self, depth: u32) -> f64 {
        let start = G::start(G::Rules::default());
        let speed = self.best(|| perft(&start, depth));
        self.print(&format!("perft {depth} {}", G::NAME), speed, "leaves/s");
        speed
    }

    fn playouts(&self) {
        for &name in GameName::ALL {
            for_game!(name, G => self.playouts_of::<G>());
        }
    }

    fn playouts_of<G: Game>(&self) {
        let start = G::start(G::Rules::default());
        let limit = G::HISTORY.draw_at_ply.map_or(10_000, |plies| plies as u32);
        let mut plies_a_game = 0.0;
        let games = self.best(|| {
            let mut rng = Rng::seeded(self.seed);
            let begin = Instant::now();
            let mut games = 0;
            let mut plies = 0;
            while begin.elapsed() < Duration::from_secs(1) {
                for _ in 0..100 {
                    plies += u64::from(random_playout(start.clone(), limit, &mut rng).1);
                }
                games += 100;
            }
            plies_a_game = plies as f64 / games as f64;
            games
        });
        self.print(&format!("random games {}", G::NAME), games, "games/s");
        self.print(&format!("random moves {}", G::NAME), games * plies_a_game, "moves/s");
    }

    /// What a player looks at in a second, from the start of each game.
    fn search(&self, line: &str, name: &str, unit: &'static str, nodes: u64) -> anyhow::Result<()> {
        for &game in GameName::ALL {
            for_game!(game, G => {
                let speed = self.search_of::<G>(line, nodes)?;
                self.print(&format!("{name} {}", G::NAME), speed, unit);
            });
        }
        Ok(())
    }

    fn search_of<G: Catalogued>(&self, line: &str, nodes: u64) -> anyhow::Result<f64> {
        let setup = Setup { bounded_by_caller: true, ..Setup::default() };
        let game = Match::new(G::start(G::Rules::default()));
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let stop = AtomicBool::new(false);
        let mut best = 0f64;
        for _ in 0..self.rounds {
            let mut player = build::<G>(line, &setup)?;
            player.new_game(self.seed);
            let mut ignore = |_: &_| {};
            let choice = player.choose(&game, &limits, &mut Control::new(&stop, &mut ignore))?;
            best = best.max(choice.info.nodes_per_second());
        }
        Ok(best)
    }

    fn signature(&self) {
        let depths = [
            (GameName::Othello, 6),
            (GameName::Chess, 6),
            (GameName::Shobu, 3),
            (GameName::TicTacToe, 9),
        ];
        for (game, depth) in depths {
            let nodes: u64 = for_game!(game, G => signature::<G>(depth).iter().sum());
            self.print(&format!("signature {game}, depth {depth}"), nodes as f64, "nodes");
        }
        let nodes: u64 = tablero_champion::signature().iter().sum();
        self.print("signature othello, champion", nodes as f64, "nodes");
    }

    /// The first of the French federation's tests with twenty empty squares.
    fn endgame(&self) {
        const POSITION: &str = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
        let position = Othello::parse_position(POSITION, StandardRules).expect("a position");
        let mut engine = Engine::new(Weights::embedded(), 64 << 20, 1);
        let stop = AtomicBool::new(false);
        let speed = self.best(|| {
            engine.clear();
            let goal = Stage { depth: 60, selectivity: Selectivity::NONE };
            let request = Request::new(Board::from(&position), goal, &stop);
            engine.search(&request, &mut |_| {}).nodes
        });
        self.print("endgame othello, champion", speed, "nodes/s");
    }

    /// The best speed of several rounds of `work`, which tells how much it did.
    fn best(&self, mut work: impl FnMut() -> u64) -> f64 {
        let mut round = || {
            let begin = Instant::now();
            let done = work();
            done as f64 / begin.elapsed().as_secs_f64()
        };
        (0..self.rounds).map(|_| round()).fold(0.0, f64::max)
    }

    fn print(&self, name: &str, value: f64, unit: &'static str) {
        if self.json {
            out::json(&Figure { name: name.into(), value, unit, threads: 1 });
        } else if value < 1000.0 {
            out::line(format_args!("{name:<44} {value:>16.3} {unit}"));
        } else {
            out::line(format_args!("{name:<44} {:>16} {unit}", thousands(value as u64)));
        }
    }
}

/// `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// What our perft of chess is compared with: the crate's own moves, nothing of ours between.
fn perft_of_crate(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            leaves += moves.len() as u64;
        } else {
            for m in moves {
                let mut next = board.clone();
                next.play_unchecked(m);
                leaves += perft_of_crate(&next, depth - 1);
            }
        }
        false
    });
    leaves
}
