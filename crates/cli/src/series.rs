//! What `match` and `tournament` have in common: their arguments, the job they are, what is shown.

use std::fs::File;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use etcetera::BaseStrategy;
use indicatif::{ProgressBar, ProgressStyle};
use tablero_arena::{
    ArenaError, ClockRules, Factory, FinishedGame, Openings, Series, SeriesRequest, Watcher,
};
use tablero_cluster::{JetStream, Run};
use tablero_core::{AnyGame, AnyPlayer, FileFormat, Input, PlayerSetup, open_as};
use tablero_jobs::{Executor, Job, Progress, Stop, Store, Threads};

use crate::args::{Entry, ThreadsArg, duration};
use crate::files::{format_for, read_input};
use crate::nats::{NatsArgs, connect};
use crate::out::{self, usage};
use crate::tasks::kinds;

/// How many plies of a game from a file make an opening.
const OPENING_PLIES: usize = 8;

/// How games are played.
#[derive(Args)]
pub(crate) struct SeriesArgs {
    /// Games that two players play against each other: pairs from the same opening, colours swapped,
    /// so an odd number gets one more.
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: usize,
    /// `start`, `random=PLIES`, `book`, `book=PLIES`, or a file of positions or games [default: the
    /// game's usual ones].
    #[arg(long, value_name = "OPENINGS")]
    openings: Option<String>,
    /// Time for every move, like 100ms or 1s.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<std::time::Duration>,
    /// A clock for each player: seconds, or seconds+increment.
    #[arg(long, value_name = "S+S", conflicts_with = "time")]
    clock: Option<ClockRules>,
    /// Positions that a player may look at for a move.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Plies that a player may look ahead.
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// A game is drawn after so many plies.
    #[arg(long, value_name = "N")]
    max_plies: Option<usize>,
    /// End games as drawn or lost when both players have agreed for some moves.
    #[arg(long)]
    adjudicate: bool,
    /// The rules to play by (`tablero games` lists them).
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Names openings and whatever players do at random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Save the games to this file as they finish, by its extension (.pgn, .ggf, ...).
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
}

/// How a job is run.
#[derive(Args, Clone)]
pub(crate) struct RunningArgs {
    #[command(flatten)]
    pub(crate) threads: ThreadsArg,
    /// Where jobs are kept [default: the user's data folder].
    #[arg(long, value_name = "DIR", env = "TABLERO_DATA")]
    data: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) nats: NatsArgs,
}

impl SeriesArgs {
    /// What is to be played, as data.
    pub(crate) fn series(&self, entry: Entry) -> anyhow::Result<Series> {
        if self.games == 0 {
            return Err(usage("--games is at least 1"));
        }
        let request = SeriesRequest {
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
        let make = player_maker(entry, false);
        request.series(Factory { game: entry.game(), make: &make }).map_err(|error| match error {
            ArenaError::Config(problem) => usage(problem),
            other => other.into(),
        })
    }

    /// The openings that were asked for.
    fn openings(&self, game: AnyGame) -> anyhow::Result<Option<Openings>> {
        let Some(text) = &self.openings else { return Ok(None) };
        if !Path::new(text).is_file() {
            let openings = text.parse().map_err(|error| usage(format!("{error}, nor a file")));
            return openings.map(Some);
        }
        let (bytes, path) = read_input(text)?;
        let (records, _) =
            open_as(game, &Input { bytes: &bytes, path }, None).with_context(|| text.clone())?;
        Ok(Some(Openings::given(&records, OPENING_PLIES)))
    }

    /// Who watches the games and saves them.
    pub(crate) fn spectator(&self, game: AnyGame) -> anyhow::Result<Spectator> {
        Spectator::new(game, self.out.as_deref())
    }
}

/// The folder given, or the user's data folder.
pub(crate) fn data_folder(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(folder) = given {
        return Ok(folder.to_owned());
    }
    let folders =
        etcetera::choose_base_strategy().context("there is no home folder; say --data DIR")?;
    Ok(folders.data_dir().join("tablero"))
}

impl RunningArgs {
    pub(crate) fn store(&self) -> anyhow::Result<Store> {
        Ok(Store::in_folder(&data_folder(self.data.as_deref())?))
    }

    /// The end of a job that was stopped and whose games are saved to `file`: how to go on.
    pub(crate) fn stopped(&self, id: &str, file: Option<&Path>) -> anyhow::Error {
        let option = |name: &str, path: Option<&Path>| {
            path.map_or_else(String::new, |path| format!(" --{name} '{}'", path.display()))
        };
        let (data, file) = (option("data", self.data.as_deref()), option("out", file));
        let place = self.nats.access().ok().flatten().map(|access| access.place());
        let nats = place.map_or_else(String::new, |place| format!(" --nats {place}"));
        out::interrupted(format_args!("go on with: tablero jobs resume {id}{data}{file}{nats}"))
    }

    /// Who does the tasks of a job: threads here, or the workers of a cluster.
    pub(crate) fn executor(&self, job: &Job) -> anyhow::Result<Box<dyn Executor>> {
        executor(&self.nats, self.threads, Run::of_job(job))
    }
}

/// Who does the tasks of a run: threads here, or the workers of a cluster.
pub(crate) fn executor(
    nats: &NatsArgs,
    threads: ThreadsArg,
    run: Run,
) -> anyhow::Result<Box<dyn Executor>> {
    let threads = NonZeroUsize::new(threads.count()).unwrap_or(NonZeroUsize::MIN);
    let threads = Threads::new(threads);
    let Some(access) = nats.access()? else { return Ok(Box::new(threads)) };
    let cluster = connect(&access)?;
    Ok(Box::new(JetStream::new(cluster, kinds(Vec::new()), run, threads)))
}

/// A stop that Ctrl-C asks for: games under way are finished. A second Ctrl-C ends the program.
pub(crate) fn stop_on_interrupt() -> anyhow::Result<Stop> {
    let stop = Stop::default();
    let flag = stop.clone();
    ctrlc::set_handler(move || {
        if flag.is_requested() {
            std::process::exit(130);
        }
        out::note("finishing the games under way; once more ends at once");
        flag.request();
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

/// Makes players for the arena: each game has a thread of its own, so a player gets one. Where the
/// caller bounds every move, a line without a bound gets none of its own.
pub(crate) fn player_maker(
    entry: Entry,
    bounded_by_caller: bool,
) -> impl Fn(&str) -> Result<Box<AnyPlayer>, String> + Send + Sync + use<> {
    let setup = PlayerSetup { bounded_by_caller, ..PlayerSetup::LOCAL };
    move |line| entry.build(line, &setup).map_err(|error| error.to_string())
}

/// A file that games are added to as they finish.
struct GamesFile {
    format: FileFormat,
    path: PathBuf,
    file: File,
}

impl GamesFile {
    fn create(game: AnyGame, path: &Path) -> anyhow::Result<Self> {
        let format = format_for(game, path, None)?;
        if !["pgn", "ggf", "transcript"].contains(&format.name) {
            return Err(usage(format!(
                "games cannot be added to a {} file one by one; save them as pgn and convert",
                format.name
            )));
        }
        let file =
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { format, path: path.to_owned(), file })
    }

    fn add(&mut self, game: &FinishedGame) -> Result<(), String> {
        let outputs = (self.format.write)(std::slice::from_ref(&game.record));
        for output in outputs.map_err(|error| error.to_string())? {
            let written = self.file.write_all(&output.bytes);
            written.map_err(|error| format!("cannot write {}: {error}", self.path.display()))?;
        }
        Ok(())
    }
}

/// Shows a bar on the terminal and saves the games.
pub(crate) struct Spectator {
    bar: ProgressBar,
    file: Option<GamesFile>,
}

impl Spectator {
    /// Saves the games to the file `out`. Those of a resumed job are all shown again, so the file is
    /// written anew.
    pub(crate) fn new(game: AnyGame, out: Option<&Path>) -> anyhow::Result<Self> {
        let file = out.map(|path| GamesFile::create(game, path)).transpose()?;
        let bar = ProgressBar::new(1);
        let style = "{bar:30} {pos}/{len} games  {msg}  {eta} left";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        Ok(Self { bar, file })
    }

    /// The file to which games are saved.
    pub(crate) fn games_file(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.path.as_path())
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watcher for Spectator {
    fn game(&mut self, game: &FinishedGame) -> Result<(), String> {
        if let Some(fault) = &game.fault {
            self.bar.suspend(|| out::note(format_args!("game {}: {fault}", game.index + 1)));
        }
        self.file.as_mut().map_or(Ok(()), |file| file.add(game))
    }

    fn progress(&mut self, progress: &Progress) {
        self.bar.set_length(progress.total.unwrap_or(progress.done));
        self.bar.set_position(progress.done);
        let figure = |figure: &tablero_jobs::Figure| format!("{} {:.1}", figure.name, figure.value);
        let figures: Vec<_> = progress.figures.iter().map(figure).collect();
        self.bar.set_message(figures.join("  "));
    }
}
