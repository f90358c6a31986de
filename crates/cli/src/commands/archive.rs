use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_archive::{
    Archive, GameHeader, GameResult, ImportOptions, ImportProgress, Query, SkippedSource, Source,
};
use tablero_core::{AnyGame, Side, pgn};
use tablero_registry::games;

use crate::args::{self, DetectedGameArg, GameArg, integer};
use crate::job_args::{cancel_on_interrupt, data_dir};
use crate::out::{self, usage};
use crate::output_file::ForceArg;

const EXAMPLES: &str = "Examples:
  tablero archive import WTH_2004.wtb WTH_2005.wtb     with names from WTHOR.JOU and WTHOR.TRN beside them
  tablero archive import games/ --json                  all files of a folder
  tablero archive search --player tamenori --from 2004
  tablero archive search --game chess --opening sicilian --result first
  tablero archive search --game chess --position \"start moves e4 c5\" --out sicilian.pgn
  tablero archive explore othello \"start moves f5 d6 c3\"
  tablero archive stats";

/// A database of games: import archives, search them, explore openings.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ArchiveCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Import(Import),
    Search(Box<Search>),
    Explore(Explore),
    Stats(ShowStats),
}

/// Options of all actions.
#[derive(Args)]
struct Common {
    /// Directory of the archive [default: the user's data directory].
    #[arg(long, value_name = "DIR", env = "TABLERO_DATA")]
    data: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Common {
    fn open(&self) -> anyhow::Result<Archive> {
        let all: Vec<AnyGame> = games().iter().map(|entry| entry.game()).collect();
        Ok(Archive::open(&data_dir(self.data.as_deref())?, &all)?)
    }
}

impl ArchiveCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.action {
            Action::Import(action) => action.run(),
            Action::Search(action) => action.run(),
            Action::Explore(action) => action.run(),
            Action::Stats(action) => action.run(),
        }
    }
}

/// Import files of games, in any format that Tablero reads.
///
/// A game that is there already (same moves, players and year) is not added again; games that cannot be read are
/// reported and skipped. If the import is interrupted, run it again: it adds what is missing.
#[derive(Args)]
#[command(after_help = "Examples:
  tablero archive import *.wtb
  tablero archive import games.pgn --json")]
struct Import {
    /// Files, or folders with files.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    game: DetectedGameArg,
    /// Format of the files (see `tablero games`) [default: detected].
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(Serialize)]
struct Imported {
    games: u64,
    skipped: u64,
    duplicates: u64,
    seconds: f64,
}

/// The most skipped games that are reported one by one.
const MAX_WARNINGS: usize = 10;

impl Import {
    fn run(self) -> anyhow::Result<()> {
        let archive = self.common.open()?;
        let files = expand(&self.files)?;
        let sources: Vec<_> = files.iter().map(|path| Source::file(path)).collect();
        let cancel = cancel_on_interrupt()?;
        let options = ImportOptions { game: self.game.game(), format: self.format, cancel };
        let bar = ProgressBar::new(1);
        let style = "{bar:30} {pos}/{len} games  {per_sec}  {msg}";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        let report = archive.import(&sources, &options, &mut |progress: &ImportProgress| {
            bar.set_length(progress.total);
            bar.set_position(progress.done);
            bar.set_message(file_name(&progress.file));
        })?;
        bar.finish_and_clear();
        for SkippedSource { file, game, reason } in report.problems.iter().take(MAX_WARNINGS) {
            match game {
                Some(game) => out::warning(format_args!("{file}: skipped game {game}: {reason}")),
                None => out::warning(format_args!("{file}: skipped: {reason}")),
            }
        }
        let more = report.skipped.saturating_sub(MAX_WARNINGS as u64);
        if more > 0 {
            out::warning(format_args!("skipped {more} more"));
        }
        let answer = Imported {
            games: report.games,
            skipped: report.skipped,
            duplicates: report.duplicates,
            seconds: report.seconds,
        };
        if self.common.json {
            out::json(&answer);
        } else {
            out::line(format_args!(
                "{} new games, {} duplicates, {} skipped, in {:.1} s",
                answer.games, answer.duplicates, answer.skipped, answer.seconds
            ));
        }
        if report.cancelled {
            return Err(out::interrupted("interrupted; run the command again to go on"));
        }
        let nothing = report.games + report.duplicates == 0 && report.skipped > 0;
        anyhow::ensure!(!nothing, "no game could be read");
        Ok(())
    }
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The files, and those in the folders, in the order of their names.
fn expand(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            anyhow::ensure!(path.exists(), "no such file: {}", path.display());
            files.push(path.clone());
            continue;
        }
        let failed = || format!("cannot read {}", path.display());
        let mut entries = std::fs::read_dir(path)
            .with_context(failed)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<Vec<_>, _>>()
            .with_context(failed)?;
        entries.sort();
        files.extend(entries.into_iter().filter(|entry| entry.is_file()));
    }
    Ok(files)
}

#[derive(Clone, Copy, ValueEnum)]
enum ResultArg {
    /// The first player won.
    First,
    /// Drawn.
    Draw,
    /// The second player won.
    Second,
    /// Not known.
    Unknown,
}

#[derive(Clone, Copy, ValueEnum)]
enum SideArg {
    First,
    Second,
}

/// Find games by player, year, event, opening, result and position.
///
/// Names match where they contain the text, without regard to case and accents. Positions match up to the symmetries
/// of the board, within the first 32 plies of a game.
#[derive(Args)]
#[command(after_help = "Examples:
  tablero archive search --player tamenori --opponent murakami
  tablero archive search --game othello --position \"start moves f5 f6\" --limit 5
  tablero archive search --event olympiad --from 1990 --to 1999 --out games.pgn
  tablero archive search --id 17")]
struct Search {
    #[command(flatten)]
    game: DetectedGameArg,
    /// Name of a player.
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Side of that player.
    #[arg(long, value_name = "SIDE", requires = "player")]
    side: Option<SideArg>,
    /// Name of the other player.
    #[arg(long, value_name = "NAME")]
    opponent: Option<String>,
    /// First year.
    #[arg(long, value_name = "YEAR")]
    from: Option<u16>,
    /// Last year.
    #[arg(long, value_name = "YEAR")]
    to: Option<u16>,
    /// Name of the event.
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Name of the opening.
    #[arg(long, value_name = "NAME")]
    opening: Option<String>,
    /// Result.
    #[arg(long, value_name = "RESULT")]
    result: Option<ResultArg>,
    /// Position that the games reach; needs --game.
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true, value_parser = args::position)]
    position: Option<String>,
    /// The game with this number.
    #[arg(long, value_name = "N")]
    id: Option<i64>,
    /// The most games to list.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = integer::<u32>(1, 10_000_000))]
    limit: u32,
    /// Games to leave out at the beginning.
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
    /// Write the listed games to a PGN file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    common: Common,
}

#[derive(Serialize)]
struct FoundGames {
    total: u64,
    games: Vec<FoundGame>,
    seconds: f64,
}

#[derive(Serialize)]
struct FoundGame {
    id: i64,
    game: &'static str,
    players: [String; 2],
    event: String,
    date: String,
    opening: String,
    /// `1-0` if the first player won.
    result: &'static str,
    /// The first player's margin, where the game has one.
    margin: Option<i16>,
    plies: usize,
}

impl From<GameHeader> for FoundGame {
    fn from(header: GameHeader) -> Self {
        let has_margin = header.game.info().margin.is_some();
        let margin = header.end.map(|end| end.outcome.margin().0).filter(|_| has_margin);
        Self {
            id: header.id,
            game: header.game.name(),
            players: header.players,
            event: header.event,
            date: header.date,
            opening: header.opening,
            result: pgn::result_text(header.end.map(|end| end.outcome)),
            margin,
            plies: header.plies,
        }
    }
}

impl Search {
    fn run(self) -> anyhow::Result<()> {
        let archive = self.common.open()?;
        if let Some(id) = self.id {
            out::raw(pgn::write(&archive.game(id)?));
            return Ok(());
        }
        let query = self.query()?;
        let started = Instant::now();
        let found = archive.search(&query)?;
        let seconds = started.elapsed().as_secs_f64();
        if let Some(path) = &self.out {
            let ids = found.games.iter().map(|game| game.id);
            return self.export(&archive, ids, path);
        }
        let games = found.games.into_iter().map(FoundGame::from).collect();
        let answer = FoundGames { total: found.total, games, seconds };
        if self.common.json {
            out::json(&answer);
        } else {
            answer.print();
        }
        Ok(())
    }

    fn query(&self) -> anyhow::Result<Query> {
        let game = self.game.game();
        let position = match (&self.position, game) {
            (None, _) => None,
            (Some(text), Some(game)) => {
                Some(args::parse_history(game, text, None)?.position().clone())
            }
            (Some(_), None) => return Err(usage("--position needs --game")),
        };
        Ok(Query {
            game,
            player: self.player.clone(),
            side: self.side.map(|side| match side {
                SideArg::First => Side::First,
                SideArg::Second => Side::Second,
            }),
            opponent: self.opponent.clone(),
            from_year: self.from,
            to_year: self.to,
            event: self.event.clone(),
            opening: self.opening.clone(),
            result: self.result.map(|result| match result {
                ResultArg::First => GameResult::First,
                ResultArg::Draw => GameResult::Draw,
                ResultArg::Second => GameResult::Second,
                ResultArg::Unknown => GameResult::Unknown,
            }),
            position,
            offset: self.offset as usize,
            limit: self.limit as usize,
        })
    }

    fn export(
        &self,
        archive: &Archive,
        ids: impl Iterator<Item = i64>,
        path: &Path,
    ) -> anyhow::Result<()> {
        self.force.check(path)?;
        let mut bytes = Vec::new();
        for id in ids {
            bytes.extend(pgn::write(&archive.game(id)?).into_bytes());
        }
        self.force.write(path, &bytes)?;
        out::note(format_args!("wrote {}", path.display()));
        Ok(())
    }
}

impl FoundGames {
    fn print(&self) {
        let dim = anstyle::Style::new().dimmed();
        for game in &self.games {
            let [first, second] = &game.players;
            let name = |name: &str| if name.is_empty() { "?".into() } else { name.to_owned() };
            let names = format!("{} - {}", name(first), name(second));
            let margin = game.margin.map_or_else(String::new, |margin| format!(" {margin:+}"));
            out::line(format_args!(
                "{:>8}  {:<10} {names:<44} {}{margin}  {dim}{} {}{dim:#}",
                game.id, game.date, game.result, game.opening, game.event
            ));
        }
        let shown = self.games.len() as u64;
        if shown < self.total {
            out::line(format_args!("{shown} of {} games", self.total));
        } else {
            out::line(format_args!("{} games", self.total));
        }
    }
}

/// Show what was played in a position, with the results for the side to move.
#[derive(Args)]
#[command(after_help = "Examples:
  tablero archive explore othello start
  tablero archive explore chess \"start moves e4 c5\" --json")]
struct Explore {
    #[command(flatten)]
    game: GameArg,
    /// `start` or a position, optionally followed by `moves` and a list of moves.
    #[arg(value_name = "POSITION", allow_hyphen_values = true, value_parser = args::position)]
    position: String,
    /// Rules variant (see `tablero games`) [default: the standard rules].
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Latest games to list.
    #[arg(long, value_name = "N", default_value_t = 5)]
    games: u16,
    #[command(flatten)]
    common: Common,
}

#[derive(Serialize)]
struct ExploredPosition {
    games: u64,
    moves: Vec<MoveRow>,
    seconds: f64,
    opening: Option<&'static str>,
    players: Vec<PlayerRow>,
    latest: Vec<FoundGame>,
}

#[derive(Serialize)]
struct MoveRow {
    #[serde(rename = "move")]
    m: String,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
}

#[derive(Serialize)]
struct PlayerRow {
    name: String,
    games: u64,
    score: f64,
}

impl Explore {
    fn run(self) -> anyhow::Result<()> {
        let game = self.game.game.game();
        let history = args::parse_history(game, &self.position, self.rules.as_deref())?;
        let position = history.position();
        let archive = self.common.open()?;
        let started = Instant::now();
        let explored = archive.explore(position, self.games.into())?;
        let seconds = started.elapsed().as_secs_f64();
        let opening = tablero_core::Openings::of(game).at(position).map(|opening| opening.name);
        let answer = ExploredPosition {
            games: explored.games,
            moves: explored
                .moves
                .iter()
                .map(|played| MoveRow {
                    m: position.move_text(played.m),
                    games: played.games,
                    wins: played.wins,
                    draws: played.draws,
                    losses: played.losses,
                })
                .collect(),
            seconds,
            opening,
            players: explored
                .players
                .into_iter()
                .map(|player| PlayerRow {
                    name: player.name,
                    games: player.games,
                    score: player.score,
                })
                .collect(),
            latest: explored.latest.into_iter().map(FoundGame::from).collect(),
        };
        if self.common.json {
            out::json(&answer);
        } else {
            answer.print(game.info().sides[position.side().index()]);
        }
        Ok(())
    }
}

impl ExploredPosition {
    fn print(&self, side: &str) {
        let bold = anstyle::Style::new().bold();
        if let Some(opening) = self.opening {
            out::line(format_args!("{bold}{opening}{bold:#}"));
        }
        out::line(format_args!("{} games; results for {side}, who is to move", self.games));
        for row in &self.moves {
            let known = (row.wins + row.draws + row.losses).max(1) as f64;
            let percent = |count: u64| 100.0 * count as f64 / known;
            out::line(format_args!(
                "  {:<14} {:>9}  won {:>5.1} %  drawn {:>5.1} %  lost {:>5.1} %",
                row.m,
                row.games,
                percent(row.wins),
                percent(row.draws),
                percent(row.losses)
            ));
        }
        for player in &self.players {
            out::line(format_args!(
                "  {:<30} {:>6} games, {:.1} points",
                player.name, player.games, player.score
            ));
        }
        if !self.latest.is_empty() {
            let total = self.latest.len() as u64;
            let games = self.latest.iter().map(FoundGame::copy).collect();
            FoundGames { total, games, seconds: 0.0 }.print();
        }
    }
}

impl FoundGame {
    fn copy(&self) -> Self {
        Self {
            players: self.players.clone(),
            event: self.event.clone(),
            date: self.date.clone(),
            opening: self.opening.clone(),
            ..*self
        }
    }
}

/// Show what the archive holds.
#[derive(Args)]
#[command(after_help = "Examples:\n  tablero archive stats\n  tablero archive stats --json")]
struct ShowStats {
    #[command(flatten)]
    common: Common,
}

#[derive(Serialize)]
struct StatsAnswer {
    games: u64,
    players: u64,
    events: u64,
    bytes: u64,
    bytes_per_game: f64,
    by_game: Vec<GameRow>,
    path: String,
}

#[derive(Serialize)]
struct GameRow {
    game: &'static str,
    games: u64,
    first: u64,
    draws: u64,
    second: u64,
}

impl ShowStats {
    fn run(self) -> anyhow::Result<()> {
        let archive = self.common.open()?;
        let stats = archive.stats()?;
        let row = |game: &tablero_archive::GameStats| GameRow {
            game: game.game.name(),
            games: game.games,
            first: game.first,
            draws: game.draws,
            second: game.second,
        };
        let answer = StatsAnswer {
            games: stats.games,
            players: stats.players,
            events: stats.events,
            bytes: stats.bytes,
            bytes_per_game: stats.bytes as f64 / stats.games.max(1) as f64,
            by_game: stats.by_game.iter().map(row).collect(),
            path: archive.path().display().to_string(),
        };
        if self.common.json {
            out::json(&answer);
            return Ok(());
        }
        out::line(format_args!("{} games in {}", answer.games, answer.path));
        for row in &answer.by_game {
            out::line(format_args!(
                "  {:<12} {:>9}  first won {}, drawn {}, second won {}",
                row.game, row.games, row.first, row.draws, row.second
            ));
        }
        out::line(format_args!(
            "  {} players, {} events, {} bytes ({:.0} a game)",
            answer.players, answer.events, answer.bytes, answer.bytes_per_game
        ));
        Ok(())
    }
}
