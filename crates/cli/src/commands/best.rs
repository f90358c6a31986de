use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use tablero_core::{
    AnyControl, AnyGameHistory, AnyInfo, AnyPosition, Limits, PlayerSetup, Pv, Recording,
};
use tablero_think::{DEFAULT_NODES, Tree, TreeFormat};

use crate::args::{self, GameArg, ThreadsArg, integer};
use crate::out::{self, usage};
use crate::output_file::ForceArg;

const EXAMPLES: &str = "Examples:
  tablero best othello \"start moves f5 d6 c3\"
  tablero best chess \"r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -\" --multipv 3
  tablero best othello \"---------------------------OX------XO--------------------------- X\" --time 5
  tablero best shobu start --player \"alphabeta depth=4 eval=stones\" --json
  tablero best othello start --player \"alphabeta depth=6\" --tree tree.svg
  tablero best connectfour start --player \"mcts iterations=500\" --tree tree.json --force";

/// Search a position and print the best moves.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Best {
    #[command(flatten)]
    game: GameArg,
    /// `start` or a position, optionally followed by `moves` and a list of moves.
    #[arg(value_name = "POSITION", allow_hyphen_values = true, value_parser = args::position)]
    position: String,
    /// Player that searches (see `tablero players`) [default: champion for Othello, otherwise
    /// alphabeta].
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Number of principal variations.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = integer::<u16>(1, 500))]
    multipv: u16,
    /// Search time [default: the limit of the player].
    #[arg(long, value_name = "SECONDS", value_parser = args::seconds)]
    time: Option<Duration>,
    /// Rules variant (see `tablero games`) [default: the standard rules].
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write the search tree to this file: all that is recorded as .json, the most searched nodes as .dot
    /// (Graphviz) or .svg. For minimax, alphabeta, mcts and puct; watching does not change the search.
    #[arg(long, value_name = "FILE", value_parser = tree_file)]
    tree: Option<PathBuf>,
    /// Largest number of nodes that --tree records; beyond it the tree is summarised.
    #[arg(long, value_name = "N", requires = "tree", default_value_t = DEFAULT_NODES as u32,
        value_parser = integer::<u32>(100, 5_000_000))]
    tree_nodes: u32,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    moves: Vec<BestMove>,
    depth: u32,
    /// Whether the scores are exact (the position is solved).
    exact: bool,
    nodes: u64,
    nps: u64,
    time: f64,
}

#[derive(Serialize)]
struct BestMove {
    #[serde(rename = "move")]
    m: String,
    /// In units of the game (pawns, discs, stones) for the side to move; proven wins and losses are
    /// beyond any other score.
    score: f64,
    /// The score as text: `+0.35`, `#3`.
    value: String,
    line: Vec<String>,
}

impl Best {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let entry = self.game.game;
        let game = args::parse_history(entry.game(), &self.position, self.rules.as_deref())?;
        let setup = PlayerSetup {
            threads: self.threads.count(),
            multi_pv: self.multipv.into(),
            limited_by_caller: self.time.is_some(),
            ..PlayerSetup::LOCAL
        };
        let line = self.player.as_deref().unwrap_or(entry.game().analyst());
        let mut player = entry.build(line, &setup).map_err(usage)?;
        player.new_game(self.seed);
        if let Some(path) = &self.tree {
            if !player.records_tree() {
                return Err(usage(format!(
                    "`{line}` has no tree to show: use minimax, alphabeta, mcts or puct (--player)"
                )));
            }
            self.force.check(path)?;
        }
        let stop = AtomicBool::new(false);
        let mut report = |info: &AnyInfo| {
            if !self.json {
                print_progress(&game, info);
            }
        };
        let limits = Limits { time: self.time, ..Limits::default() };
        let mut recording = Recording::new(self.tree_nodes as usize);
        let mut control = AnyControl::new(&stop, &mut report);
        if self.tree.is_some() {
            control = control.with_recording(&mut recording);
        }
        let result = player.choose(&game, &limits, &mut control)?;
        if let (Some(path), Some(tree)) = (&self.tree, &recording.tree) {
            self.write_tree(path, &Tree::new(game.position(), tree))?;
        }
        let mut answer = answer(&game, &result.info);
        if answer.moves.is_empty() {
            let m = game.position().move_text(result.m);
            answer.moves.push(BestMove {
                line: vec![m.clone()],
                m,
                score: 0.0,
                value: String::new(),
            });
        }
        if self.json {
            out::json(&answer);
        } else {
            print(&answer, entry.game().info().sides[game.position().side().index()]);
        }
        Ok(())
    }
}

impl Best {
    fn write_tree(&self, path: &Path, tree: &Tree) -> anyhow::Result<()> {
        let format = TreeFormat::of(path).unwrap_or(TreeFormat::Json);
        self.force.write(path, &tree.write(format))?;
        if !tree.is_complete {
            let (recorded, all) = (tree.nodes.len(), tree.tree_nodes);
            out::note(format_args!(
                "{}: {recorded} of {all} nodes; more with --tree-nodes",
                path.display()
            ));
        }
        Ok(())
    }
}

/// A file whose extension is a format of trees.
fn tree_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match TreeFormat::of(&path) {
        Some(_) => Ok(path),
        None => Err("the extension must be .json, .dot or .svg".into()),
    }
}

fn answer(game: &AnyGameHistory, info: &AnyInfo) -> Answer {
    let best = |line: &Pv<AnyPosition>| {
        let names = game.position().line_text(&line.moves);
        BestMove {
            m: names.first().cloned().unwrap_or_default(),
            score: line.value.0.score(),
            value: line.value.0.to_string(),
            line: names,
        }
    };
    Answer {
        moves: info.lines.iter().map(best).collect(),
        depth: info.depth,
        exact: info.exact,
        nodes: info.nodes,
        nps: info.nodes_per_second() as u64,
        time: info.time.as_secs_f64(),
    }
}

fn print_progress(game: &AnyGameHistory, info: &AnyInfo) {
    let Some(line) = info.lines.first() else { return };
    let dim = anstyle::Style::new().dimmed();
    let names = game.position().line_text(&line.moves);
    let names = names.iter().take(10).map(String::as_str).collect::<Vec<_>>().join(" ");
    out::note(format_args!(
        "{dim}depth {:>2}  {:>8}  {:>12} nodes  {:>6.2} s  {names}{dim:#}",
        info.depth,
        line.value.0.to_string(),
        info.nodes,
        info.time.as_secs_f64(),
    ));
}

fn print(answer: &Answer, mover: &str) {
    let bold = anstyle::Style::new().bold();
    for (number, best) in (1..).zip(&answer.moves) {
        out::line(format_args!(
            "{number:>2}. {bold}{:<8}{bold:#} {:>9}  {}",
            best.m,
            best.value,
            best.line.join(" ")
        ));
    }
    out::line(format_args!(
        "for {mover}; depth {}{}, {} nodes, {} nodes/s, {:.2} s",
        answer.depth,
        if answer.exact { " (exact)" } else { "" },
        answer.nodes,
        answer.nps,
        answer.time
    ));
}
