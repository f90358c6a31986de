//! What `match` and `tournament` have in common: their arguments, the job they are, what is shown.

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use clap::Args;
use etcetera::BaseStrategy;
use indicatif::{ProgressBar, ProgressStyle};
use tablero_arena::{
    Balance, ClockRules, Conditions, DrawRule, FinishedGame, Openings, ResignRule, Series, Watcher,
};
use tablero_catalog::players::{Setup, build};
use tablero_catalog::{Catalogued, FileFormat, Input, open_as};
use tablero_cluster::{JetStream, Run};
use tablero_core::{Control, ForMover, Limits, Match, Player, Value};
use tablero_jobs::{Executor, Job, Progress, Stop, Store, Threads};

use crate::args::{ThreadsArg, duration, parse_rules};
use crate::files::{format_for, read_input};
use crate::nats::{NatsArgs, connect};
use crate::out::{self, usage};
use crate::tasks::kinds;

/// How many plies of a game from a file make an opening.
const OPENING_PLIES: usize = 8;

/// Who says whether an opening is fair, and what is: up to so many hundredths of a pawn, disc or stone
/// for either side.
const JUDGE: &str = "alphabeta depth=4 nodes=5000";
const FAIR: i32 = 150;

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
    pub(crate) fn series<G: Catalogued>(&self) -> anyhow::Result<Series> {
        if self.games == 0 {
            return Err(usage("--games is at least 1"));
        }
        parse_rules::<G>(self.rules.as_deref())?;
        let mut conditions = Conditions {
            depth: self.depth,
            nodes: self.nodes,
            move_time_ms: self.time.map(|time| (time.as_millis() as u64).max(1)),
            clock: self.clock,
            max_plies: self.max_plies,
            ..Conditions::default()
        };
        if self.adjudicate {
            conditions.draw = Some(DrawRule { from_ply: 80, plies: 10, within: 10 });
            conditions.resign = Some(ResignRule { moves: 4, beyond: 800 });
        }
        Ok(Series {
            rules: self.rules.clone(),
            games: self.games,
            openings: self.openings::<G>()?,
            conditions,
            ..Series::usual::<G>(self.seed)
        })
    }

    fn openings<G: Catalogued>(&self) -> anyhow::Result<Openings> {
        let Some(text) = &self.openings else { return self.fair_openings::<G>() };
        if !Path::new(text).is_file() {
            return text.parse().map_err(|error| usage(format!("{error}, nor a file")));
        }
        let (bytes, path) = read_input(text)?;
        let (records, _) =
            open_as::<G>(&Input { bytes: &bytes, path }, None).with_context(|| text.clone())?;
        Ok(Openings::given(&records, OPENING_PLIES))
    }

    /// The game's usual openings without those in which one side is clearly ahead.
    fn fair_openings<G: Catalogued>(&self) -> anyhow::Result<Openings> {
        let rules = parse_rules::<G>(self.rules.as_deref())?;
        let judge = build::<G>(JUDGE, &Setup::default())?;
        let judge = RefCell::new(judge);
        let evaluate = |position: &G| {
            let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
            let game = Match::new(position.clone());
            let choice = judge.borrow_mut().choose(
                &game,
                &Limits::default(),
                &mut Control::new(&stop, &mut ignore),
            );
            let value =
                choice.ok().and_then(|choice| choice.info.lines.first().map(|line| line.value));
            match value {
                Some(ForMover(Value::Hundredths(n))) => ForMover(n),
                // Decided, or nobody knows: not fair.
                _ => ForMover(i32::MAX),
            }
        };
        let balance = Balance { evaluate: &evaluate, within: FAIR };
        let records = Openings::usual::<G>().make(
            rules,
            self.games.div_ceil(2),
            self.seed,
            Some(&balance),
        )?;
        Ok(Openings::given(&records, usize::MAX))
    }

    /// Who watches the games and saves them.
    pub(crate) fn spectator<G: Catalogued>(&self) -> anyhow::Result<Spectator<G>> {
        Spectator::new(self.out.as_deref())
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

/// Makes players for the arena: each game has a thread of its own, so a player gets one. Under
/// conditions that bound every move, a line without a bound gets none of its own.
pub(crate) fn player_maker<G: Catalogued>(
    conditions: &Conditions,
) -> impl Fn(&str) -> Result<Box<dyn Player<G>>, String> + Sync + use<G> {
    let setup = Setup { bounded_by_caller: conditions.bound_every_move(), ..Setup::default() };
    move |line| build::<G>(line, &setup).map_err(|error| error.to_string())
}

/// A file that games are added to as they finish.
struct GamesFile<G: Catalogued> {
    format: &'static FileFormat<G>,
    path: PathBuf,
    file: File,
}

impl<G: Catalogued> GamesFile<G> {
    fn create(path: &Path) -> anyhow::Result<Self> {
        let format = format_for::<G>(path, None)?;
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

    fn add(&mut self, game: &FinishedGame<G>) -> Result<(), String> {
        let outputs = (self.format.write)(std::slice::from_ref(&game.record));
        for output in outputs.map_err(|error| error.to_string())? {
            let written = self.file.write_all(&output.bytes);
            written.map_err(|error| format!("cannot write {}: {error}", self.path.display()))?;
        }
        Ok(())
    }
}

/// Shows a bar on the terminal and saves the games.
pub(crate) struct Spectator<G: Catalogued> {
    bar: ProgressBar,
    file: Option<GamesFile<G>>,
}

impl<G: Catalogued> Spectator<G> {
    /// Saves the games to the file `out`. Those of a resumed job are all shown again, so the file is
    /// written anew.
    pub(crate) fn new(out: Option<&Path>) -> anyhow::Result<Self> {
        let file = out.map(GamesFile::create).transpose()?;
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

impl<G: Catalogued> Watcher<G> for Spectator<G> {
    fn game(&mut self, game: &FinishedGame<G>) -> Result<(), String> {
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
