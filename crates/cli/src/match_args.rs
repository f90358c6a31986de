//! Arguments and progress of `match` and `tournament`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tablero_arena::{FinishedGame, MatchRequest, MatchSettings, Openings, TimeControl, Watcher};
use tablero_core::{AnyGame, BuildResult, FileFormat, PlayerSetup};
use tablero_jobs::{Job, Progress};

use crate::args::{Entry, MAX_COUNT, MAX_GAMES, MAX_PLIES, duration, integer};
use crate::files::{format_for, open_games};
use crate::job_args::JobArgs;
use crate::out::{self, usage};
use crate::output_file::{ForceArg, OutputStream, is_output_of, record_output};

/// Plies of a game in an openings file that are played before the players take over.
const OPENING_PLIES: usize = 8;

/// How games between two players are played.
#[derive(Args)]
pub(crate) struct MatchArgs {
    /// Games per pairing, rounded up to even: each opening is played twice with colours swapped.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = integer::<usize>(1, MAX_GAMES))]
    #[arg(help_heading = "Games")]
    games: usize,
    /// Opening positions: `start`, `random=PLIES`, `book`, `book=PLIES`, `balanced` (the book or random
    /// plies, without openings that favour a side), or a file of positions or games [default: balanced].
    #[arg(long, value_name = "OPENINGS", help_heading = "Games")]
    openings: Option<String>,
    /// Fail if a game of the openings file cannot be read, instead of skipping it with a warning.
    #[arg(long, help_heading = "Games")]
    strict: bool,
    /// Rules variant (see `tablero games`) [default: the standard rules].
    #[arg(long, value_name = "RULES", help_heading = "Games")]
    rules: Option<String>,
    /// Adjudicate a game as a draw after N plies.
    #[arg(long, value_name = "N", value_parser = integer::<usize>(1, MAX_PLIES), help_heading = "Games")]
    max_plies: Option<usize>,
    /// Adjudicate won and drawn games early, when the scores of both players agree for several moves.
    #[arg(long, help_heading = "Games")]
    adjudicate: bool,
    /// Random seed of openings and players.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Games")]
    seed: u64,
    /// Write games to FILE as they finish; the extension selects the format (.pgn, .ggf, .txt).
    #[arg(long, value_name = "FILE", help_heading = "Games")]
    out: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Games")]
    force: ForceArg,
    /// Time per move, such as 100ms or 1s.
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Time control")]
    time: Option<Duration>,
    /// Clock per player in seconds, with an optional increment: 60 or 60+0.6.
    #[arg(long, value_name = "S+S", conflicts_with = "time", help_heading = "Time control")]
    clock: Option<TimeControl>,
    /// Nodes per move.
    #[arg(long, value_name = "N", value_parser = integer::<u64>(1, MAX_COUNT))]
    #[arg(help_heading = "Time control")]
    nodes: Option<u64>,
    /// Search depth in plies.
    #[arg(long, value_name = "N", value_parser = integer::<u32>(1, 100))]
    #[arg(help_heading = "Time control")]
    depth: Option<u32>,
    // The heading of a flattened struct otherwise extends to the next one.
    #[command(flatten, next_help_heading = None)]
    pub(crate) job: JobArgs,
}

impl MatchArgs {
    /// The settings of the match, validated.
    pub(crate) fn settings(&self, entry: Entry) -> anyhow::Result<MatchSettings> {
        let request = MatchRequest {
            rules: self.rules.clone(),
            games: self.games,
            openings: self.openings(entry.game())?,
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.time,
            clock: self.clock,
            max_plies: self.max_plies,
            adjudicate: self.adjudicate,
            seed: self.seed,
        };
        request.settings(entry.game()).map_err(usage)
    }

    fn openings(&self, game: AnyGame) -> anyhow::Result<Option<Openings>> {
        let Some(text) = &self.openings else { return Ok(None) };
        if !Path::new(text).is_file() {
            let openings = text.parse().map_err(|error| usage(format!("{error}, nor a file")));
            return openings.map(Some);
        }
        let records = open_games(game, text, self.strict)?;
        Ok(Some(Openings::from_records(&records, OPENING_PLIES)))
    }

    /// Reports progress and writes `--out`.
    pub(crate) fn reporter(&self, game: AnyGame) -> anyhow::Result<MatchReporter> {
        MatchReporter::new(game, self.out.as_deref(), self.force)
    }
}

/// Builds players for the arena, single-threaded because games run in parallel. With
/// `bounded_by_caller`, players whose line has no limit get no default limit.
pub(crate) fn player_maker(
    entry: Entry,
    bounded_by_caller: bool,
) -> impl Fn(&str) -> BuildResult + Send + Sync + use<> {
    let setup = player_setup(bounded_by_caller);
    move |line| entry.build(line, &setup)
}

/// The setup of [`player_maker`].
pub(crate) const fn player_setup(limited_by_caller: bool) -> PlayerSetup {
    PlayerSetup { limited_by_caller, ..PlayerSetup::LOCAL }
}

/// A file to which finished games are appended.
struct GamesFile {
    format: FileFormat,
    stream: OutputStream,
}

impl GamesFile {
    fn create(game: AnyGame, path: &Path, force: ForceArg) -> anyhow::Result<Self> {
        let format = format_for(game, path, None)?;
        if !["pgn", "ggf", "transcript"].contains(&format.name) {
            return Err(usage(format!(
                "games cannot be appended to a {} file; write .pgn and use `tablero convert`",
                format.name
            )));
        }
        Ok(Self { format, stream: OutputStream::create(path, force)? })
    }

    fn add(&mut self, game: &FinishedGame) -> Result<(), String> {
        let outputs = (self.format.write)(std::slice::from_ref(&game.record));
        for output in outputs.map_err(|error| error.to_string())? {
            self.stream.write(&output.bytes)?;
        }
        Ok(())
    }
}

/// Shows a progress bar and writes finished games to a file.
pub(crate) struct MatchReporter {
    bar: ProgressBar,
    file: Option<GamesFile>,
}

impl MatchReporter {
    /// Writes games to `out`.
    pub(crate) fn new(game: AnyGame, out: Option<&Path>, force: ForceArg) -> anyhow::Result<Self> {
        let file = out.map(|path| GamesFile::create(game, path, force)).transpose()?;
        let bar = ProgressBar::new(1);
        let style = "{bar:30} {pos}/{len} games  {msg}  {eta} left";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        Ok(Self { bar, file })
    }

    /// Like [`new`](Self::new), for a job that is resumed. It reports its finished games again, and may overwrite
    /// the file that it wrote before.
    pub(crate) fn resume(
        job: &Job,
        game: AnyGame,
        out: Option<&Path>,
        force: ForceArg,
    ) -> anyhow::Result<Self> {
        Self::new(game, out, force.or(out.is_some_and(|path| is_output_of(job, path))))
    }

    /// Records the file as the job's own.
    pub(crate) fn record_file(&self, job: &Job) -> anyhow::Result<()> {
        self.games_file().map_or(Ok(()), |path| record_output(job, path))
    }

    pub(crate) fn games_file(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.stream.path())
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watcher for MatchReporter {
    fn game(&mut self, game: &FinishedGame) -> Result<(), String> {
        if let Some(fault) = &game.fault {
            self.bar.suspend(|| out::note(format_args!("game {}: {fault}", game.index + 1)));
        }
        self.file.as_mut().map_or(Ok(()), |file| file.add(game))
    }

    fn progress(&mut self, progress: &Progress) {
        self.bar.set_length(progress.total.unwrap_or(progress.done));
        self.bar.set_position(progress.done);
        let metric = |metric: &tablero_jobs::Metric| format!("{} {:.1}", metric.name, metric.value);
        let metrics: Vec<_> = progress.metrics.iter().map(metric).collect();
        self.bar.set_message(metrics.join("  "));
    }
}
