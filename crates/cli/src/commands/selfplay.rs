use std::path::PathBuf;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_arena::Factory;
use tablero_cluster::Run;
use tablero_core::AnyGame;
use tablero_jobs::Progress;
use tablero_learn::{
    BoardTable, CSV_HEADER, GameData, RecordSummary, SelfPlayConfig, SelfPlayTask, Source,
    board_csv, csv_rows, read_games, record_games, supports_board_table,
};

use crate::args::{
    Entry, GameArg, MAX_GAMES, MAX_PLIES, ThreadsArg, fraction, integer, parse_rules,
};
use crate::job_args::{cancel_on_interrupt, executor};
use crate::match_args::player_maker;
use crate::nats::NatsArgs;
use crate::out::{self, usage};
use crate::output_file::ForceArg;

const EXAMPLES: &str = "Examples:
  tablero selfplay othello --player \"mcts iterations=5000\" --games 150 --out otelo.csv
  tablero selfplay chess --player \"alphabeta depth=3\" --games 1000 --out games.jsonl
  tablero selfplay chess --player \"puct net=chess sims=20\" --opponent \"level 1\" --times --games 20 --out hatchet.csv
  tablero selfplay shobu --player \"puct net=best.safetensors sims=50 selfplay=on\" --games 100 --out g.jsonl
  tablero train othello --data otelo.csv --net \"mlp 65-128-64-32-1\" --out otelo.safetensors";

/// Record self-play games as training data.
///
/// Games are appended to a .jsonl file as they finish, with the search value of every position. The same
/// command, or one with more --games, resumes an interrupted run. A .csv file is written from it at the end,
/// for Othello in the layout of Otelo (64 squares, turno, ganador), with `--layout rows` in a layout for any game
/// (position, move, value, result, ...).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SelfPlay {
    #[command(flatten)]
    game: GameArg,
    /// Player (see `tablero players`).
    #[arg(long, value_name = "PLAYER")]
    player: String,
    /// Number of games.
    #[arg(long, value_name = "N", value_parser = integer::<u64>(1, MAX_GAMES))]
    games: u64,
    /// Output file, .jsonl or .csv.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArg,
    /// Layout of a .csv file [default: otelo for Othello, otherwise rows].
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<Layout>,
    /// Opponent, which the player meets with alternating sides instead of itself; the side and the player's
    /// rating after the game (K = 20, the opponent rated 400) are recorded with every game, as in Hatchet1.
    #[arg(long, value_name = "PLAYER")]
    opponent: Option<String>,
    /// Record the median time and the median processor time per move of each game, which makes the file
    /// irreproducible.
    #[arg(long)]
    times: bool,
    /// Rating of the player, recorded with every game; with --opponent its first rating [default: 400].
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    rating: Option<i32>,
    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Maximum number of random plies at the start of a game; a deterministic player needs some.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = integer::<usize>(0, MAX_PLIES))]
    #[arg(help_heading = "Games")]
    random_plies: usize,
    /// Probability of a random move later in the game.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = fraction, help_heading = "Games")]
    random_move_prob: f64,
    /// Resign when the value stays below -X for three moves; 1 disables resignation.
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = fraction, help_heading = "Games")]
    resign_threshold: f64,
    /// Fraction of games played without resignation.
    #[arg(long, value_name = "P", default_value_t = 0.1, value_parser = fraction, help_heading = "Games")]
    resign_playthrough: f64,
    /// Adjudicate a game as a draw after N plies.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = integer::<usize>(1, MAX_PLIES))]
    #[arg(help_heading = "Games")]
    max_plies: usize,
    /// Rules variant (see `tablero games`) [default: the standard rules].
    #[arg(long, value_name = "RULES", help_heading = "Games")]
    rules: Option<String>,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    nats: NatsArgs,
}

/// The layout of a table.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Layout {
    /// That of Otelo: the board after every move, the side that moved (turno), the winner (ganador); for games
    /// with a single kind of piece.
    Otelo,
    /// The same columns, but the board before every move and the side to move.
    Squares,
    /// One row per position, with move, value and result; for every game.
    Rows,
}

#[derive(Serialize)]
struct Answer<'a> {
    file: &'a str,
    positions: u64,
    #[serde(flatten)]
    recorded: RecordSummary,
}

impl SelfPlay {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (entry, game) = (self.game.game, self.game.game.game());
        let extension = self.out.extension().unwrap_or_default().to_string_lossy().into_owned();
        let layout = self.layout(&extension)?;
        parse_rules(game, self.rules.as_deref())?;
        let make = player_maker(entry, false);
        make(&self.player).map_err(usage)?;
        self.opponent.as_ref().map(|line| make(line).map_err(usage)).transpose()?;
        let plan = self.plan(game)?;
        let record =
            if layout.is_some() { self.out.with_extension("jsonl") } else { self.out.clone() };
        // A resumed run writes its own table again.
        let force = self.force.or(record.exists());
        force.check(&self.out)?;
        let cancel = cancel_on_interrupt()?;
        let bar = ProgressBar::new(self.games);
        let style = "{bar:30} {pos}/{len} games  {eta} left";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        let identity = serde_json::to_string(&plan)?;
        let run = Run::new(&format!("selfplay {}", record.display()), &identity);
        let executor = executor(&self.nats, self.threads, run)?;
        let mut report = |progress: &Progress| bar.set_position(progress.done);
        let (learning, factory) = (entry.learning(), Factory { game, make: &make });
        let recorded =
            record_games(learning, &record, &plan, factory, &*executor, &cancel, &mut report);
        bar.finish_and_clear();
        let recorded = recorded?;
        if recorded.truncated_bytes > 0 {
            out::note(format_args!(
                "dropped a truncated line of {} bytes",
                recorded.truncated_bytes
            ));
        }
        if !recorded.is_done {
            return Err(out::interrupted("run the same command again to resume"));
        }
        let mut positions = 0;
        let mut games: Vec<GameData> = Vec::new();
        read_games(&record, |game| {
            positions += game.moves.len() as u64;
            if layout.is_some() {
                games.push(game);
            }
            Ok(())
        })?;
        if let Some(layout) = layout {
            force.write(&self.out, layout.table(game, &games)?.as_bytes())?;
        }
        let file = self.out.display().to_string();
        if self.json {
            out::json(&Answer { file: &file, positions, recorded });
        } else {
            out::line(format_args!("{} games, {positions} positions in {file}", recorded.games));
        }
        Ok(())
    }

    fn layout(&self, extension: &str) -> anyhow::Result<Option<Layout>> {
        match (extension, self.layout) {
            ("jsonl", None) => Ok(None),
            ("jsonl", Some(_)) => Err(usage("--layout is for .csv files")),
            ("csv", Some(layout)) => layout.check(self.game.game.game()).map(Some),
            ("csv", None) => Ok(Some(Layout::default_for(self.game.game))),
            _ => {
                Err(usage(format!("--out {}: expected a .jsonl or .csv file", self.out.display())))
            }
        }
    }

    fn plan(&self, game: AnyGame) -> anyhow::Result<SelfPlayTask> {
        let config = SelfPlayConfig {
            full_search_prob: 1.0,
            random_plies: self.random_plies,
            random_move_prob: self.random_move_prob,
            resign_threshold: self.resign_threshold,
            resign_playthrough: self.resign_playthrough,
            max_plies: self.max_plies,
            ..SelfPlayConfig::for_game(game)
        };
        config.check().map_err(usage)?;
        Ok(SelfPlayTask {
            game: game.name().into(),
            rules: self.rules.clone().unwrap_or_default(),
            source: Source::Teacher(self.player.clone()),
            config,
            seed: self.seed,
            first: 0,
            count: self.games,
            record_times: self.times,
            opponent: self.opponent.clone(),
            rating: self.rating,
        })
    }
}

impl Layout {
    /// The layout of Otelo where networks can be trained on it.
    fn default_for(entry: Entry) -> Self {
        let is_trainable = entry.learning().spec().encoding.flat_size > 0;
        if is_trainable && supports_board_table(entry.game()) { Self::Otelo } else { Self::Rows }
    }

    /// Checks that games of `game` can be written in this layout.
    pub(crate) fn check(self, game: AnyGame) -> anyhow::Result<Self> {
        if self != Self::Rows && !supports_board_table(game) {
            return Err(usage(format!(
                "this layout cannot represent the pieces of {game}; use --layout rows"
            )));
        }
        Ok(self)
    }

    /// The CSV text of games.
    pub(crate) fn table(self, game: AnyGame, games: &[GameData]) -> anyhow::Result<String> {
        let boards = match self {
            Self::Otelo => Some(BoardTable::AfterMove),
            Self::Squares => Some(BoardTable::BeforeMove),
            Self::Rows => None,
        };
        if let Some(table) = boards {
            return board_csv(game, games, table).map_err(anyhow::Error::msg);
        }
        let mut text = format!("{CSV_HEADER}\n");
        for (number, data) in (1..).zip(games) {
            text += &csv_rows(game, number, data).map_err(anyhow::Error::msg)?;
        }
        Ok(text)
    }
}
