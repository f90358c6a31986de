use std::path::PathBuf;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_arena::Factory;
use tablero_cluster::Run;
use tablero_core::AnyGame;
use tablero_jobs::{Progress, write_beside};
use tablero_learn::{
    GameData, GamesTask, Recorded, Source, Style, TABLE_HEAD, has_otelo_table, otelo_table,
    read_games, record_games, table_rows,
};

use crate::args::{Entry, GameArg, ThreadsArg, parse_rules};
use crate::nats::NatsArgs;
use crate::out::{self, usage};
use crate::series::{executor, player_maker, stop_on_interrupt};

const EXAMPLES: &str = "Examples:
  tablero selfplay othello --player \"mcts iterations=5000\" --games 150 --out otelo.csv
  tablero selfplay chess --player \"alphabeta depth=3\" --games 1000 --out games.jsonl
  tablero selfplay shobu --player \"puct net=best.safetensors sims=50 selfplay=on\" --games 100 --out g.jsonl
  tablero train othello --data otelo.csv --net \"mlp 65-128-64-32-1\" --out otelo.safetensors";

/// Plays games of a player against itself and records them to learn from.
///
/// The file gets games as they finish: run again with the same arguments (or more --games) it goes on, also
/// after a crash. `.jsonl` holds games with what the player thought of every position; `.csv` is written from it
/// at the end (for Othello in the layout of Otelo: 64 squares, turno, ganador; `--layout rows` for a layout of any
/// game: position, move, value, result, ...).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SelfPlay {
    #[command(flatten)]
    game: GameArg,
    /// Who plays, a player line.
    #[arg(long, value_name = "PLAYER")]
    player: String,
    /// How many games.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    games: u64,
    /// Where to: a .jsonl or .csv file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The layout of a .csv file [default: otelo for Othello, rows for others].
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<Layout>,
    /// At most so many random moves begin a game; a player without chance needs some.
    #[arg(long, value_name = "N", default_value_t = 0)]
    random_plies: usize,
    /// Share of random moves later on.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    random_share: f64,
    /// A player who three times in a row expects less than minus this (of -1 to 1) resigns; 1 for never.
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    resign_at: f64,
    /// Share of games that are played to the end all the same.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    resign_check: f64,
    /// Plies after which a game is drawn.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    longest: usize,
    /// Keep the median time for a move of each game; such files are never the same twice.
    #[arg(long)]
    times: bool,
    /// How strong the player is, to be kept with every game.
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    rating: Option<i32>,
    /// Rules of the game.
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Names everything that is random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    nats: NatsArgs,
}

/// How a table looks.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Layout {
    /// Squares, turno, ganador; for games with one kind of pieces.
    Otelo,
    /// A row for every position of any game, with move, value and result.
    Rows,
}

#[derive(Serialize)]
struct Answer<'a> {
    file: &'a str,
    positions: u64,
    #[serde(flatten)]
    recorded: Recorded,
}

impl SelfPlay {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (entry, game) = (self.game.game, self.game.game.game());
        let extension = self.out.extension().unwrap_or_default().to_string_lossy().into_owned();
        let layout = self.layout(&extension)?;
        parse_rules(game, self.rules.as_deref())?;
        let make = player_maker(entry, false);
        make(&self.player).map_err(usage)?;
        let plan = self.plan(game)?;
        let record =
            if layout.is_some() { self.out.with_extension("jsonl") } else { self.out.clone() };
        let stop = stop_on_interrupt()?;
        let bar = ProgressBar::new(self.games);
        let style = "{bar:30} {pos}/{len} games  {eta} left";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        let identity = serde_json::to_string(&plan)?;
        let run = Run::new(&format!("selfplay {}", record.display()), &identity);
        let executor = executor(&self.nats, self.threads, run)?;
        let mut tell = |progress: &Progress| bar.set_position(progress.done);
        let (learning, factory) = (entry.learning(), Factory { game, make: &make });
        let recorded =
            record_games(learning, &record, &plan, factory, &*executor, &stop, &mut tell);
        bar.finish_and_clear();
        let recorded = recorded?;
        if recorded.torn > 0 {
            out::note(format_args!("cut a torn line of {} bytes off the record", recorded.torn));
        }
        if !recorded.is_done {
            return Err(out::interrupted("run the same command again to go on"));
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
            write_beside(&self.out, layout.table(game, &games)?.as_bytes())?;
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
            ("csv", None) => Ok(Some(Layout::usual(self.game.game))),
            _ => Err(usage(format!(
                "--out {}: a .jsonl or .csv file is expected",
                self.out.display()
            ))),
        }
    }

    fn plan(&self, game: AnyGame) -> anyhow::Result<GamesTask> {
        let style = Style {
            full_share: 1.0,
            random_plies: self.random_plies,
            random_share: self.random_share,
            resign_at: self.resign_at,
            resign_check: self.resign_check,
            longest: self.longest,
            ..Style::usual(game)
        };
        style.check().map_err(usage)?;
        Ok(GamesTask {
            game: game.name().into(),
            rules: self.rules.clone().unwrap_or_default(),
            source: Source::Teacher(self.player.clone()),
            style,
            seed: self.seed,
            first: 0,
            count: self.games,
            keep_times: self.times,
            rating: self.rating,
        })
    }
}

impl Layout {
    /// Otelo's where networks can be trained on it.
    fn usual(entry: Entry) -> Self {
        let is_read = entry.learning().spec().dims.table > 0;
        if is_read && has_otelo_table(entry.game()) { Self::Otelo } else { Self::Rows }
    }

    /// This layout, if games of `game` can be written in it.
    pub(crate) fn check(self, game: AnyGame) -> anyhow::Result<Self> {
        if self == Self::Otelo && !has_otelo_table(game) {
            let problem = "the layout of Otelo has no numbers for the pieces of";
            return Err(usage(format!("{problem} {game}; use --layout rows")));
        }
        Ok(self)
    }

    /// Games as a table.
    pub(crate) fn table(self, game: AnyGame, games: &[GameData]) -> anyhow::Result<String> {
        if self == Self::Otelo {
            return otelo_table(game, games).map_err(anyhow::Error::msg);
        }
        let mut text = format!("{TABLE_HEAD}\n");
        for (number, data) in (1..).zip(games) {
            text += &table_rows(game, number, data).map_err(anyhow::Error::msg)?;
        }
        Ok(text)
    }
}
