use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_evolve::{
    EVOLUTION, EvolutionConfig, EvolutionGame, EvolveError, GENERATIONS, Games, Generation,
    run_evolution_job, schemes, usual_scheme,
};
use tablero_genomes::{GenomeError, Genomes, Individual, read_file};
use tablero_jobs::{Job, Progress, Status, Store, read_log};

use crate::args::{Entry, GameArg};
use crate::out::{self, usage};
use crate::series::{RunningArgs, stop_on_interrupt};

const EXAMPLES: &str = "Examples:
  tablero evolve othello --genome sci --generations 100 --out sci.evl
  tablero evolve othello --genome sci --generations 50 --resume sci.evl --out later.evl
  tablero evolve shobu --genome pressure --scheme \"modern children=24\" --out shobu.genes
  tablero evolve othello --genome net --scheme cmaes --against \"alphabeta depth=2\" --out net.genes
  tablero match othello \"alphabeta depth=4 eval=sci.evl\" \"alphabeta depth=4 eval=sci\"";

/// Evolves an evaluation of a game.
///
/// FILE then is a player: `alphabeta depth=4 eval=FILE`. It is written after every generation. Ctrl-C
/// finishes the games under way; whatever ends an evolution, it can be resumed to the same result.
#[derive(Args)]
#[command(after_help = help())]
pub(crate) struct Evolve {
    #[command(flatten)]
    game: GameArg,
    /// The kind of genome: an evaluation of the game, `net` or `growing`.
    #[arg(long, value_name = "KIND")]
    genome: String,
    /// How many generations.
    #[arg(long, value_name = "N", default_value_t = 100)]
    generations: u64,
    /// Where the genomes go: `.evl` as Othello7 wrote it (sci and jma), otherwise our own format.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Go on from the population of this file, for N more generations. If the evolution that writes
    /// this file was interrupted, it is that evolution that goes on, to its own end.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// How to breed, with options (below) [default: othello7 for sci and jma, otherwise modern].
    #[arg(long, value_name = "SCHEME")]
    scheme: Option<String>,
    /// How genomes play: a line of greedy, minimax or alphabeta [default: minimax depth=4 in Othello,
    /// depth=1 in tic-tac-toe, otherwise alphabeta depth=2].
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// An opponent besides the hall of fame; may be given several times [default: the hand-set genome].
    #[arg(long, value_name = "PLAYER")]
    against: Vec<String>,
    /// Where games start from: `start`, `random=PLIES`, `book`, `book=PLIES` [default: random=8 in
    /// Othello, book=4 in chess, random=6 in Shōbu, random=2 in tic-tac-toe; othello7: the start].
    #[arg(long, value_name = "OPENINGS")]
    openings: Option<String>,
    /// A game is drawn after so many plies [default: 200 in chess and Shōbu].
    #[arg(long, value_name = "N")]
    max_plies: Option<usize>,
    /// The rules to play by (`tablero games` lists them).
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Measure genomes by how well they predict the results (Texel's method) of these games instead of by playing.
    #[arg(long, value_name = "FILE")]
    games: Option<PathBuf>,
    /// Names whatever is random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    running: RunningArgs,
}

/// The examples, and every scheme with its options.
fn help() -> String {
    let mut text = String::from("Schemes, with their options and defaults:\n");
    for scheme in schemes() {
        text += &format!("  {}  {}\n", scheme.name, scheme.about);
        for option in &scheme.options {
            text += &format!("    {:<11} {} [{}]\n", option.name, option.about, option.default);
        }
    }
    text + "\n" + EXAMPLES
}

/// What came out, for scripts.
#[derive(Serialize)]
struct Summary<'a> {
    job: &'a str,
    generations: u64,
    games: u64,
    nodes: u64,
    seconds: f64,
    games_per_second: f64,
    nodes_per_second: f64,
    genes: &'a [String],
    best: &'a Individual,
    out: Option<&'a Path>,
}

impl Evolve {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (entry, evolution) = (self.game.game, self.game.game.evolution());
        let store = self.running.store()?;
        if let Some(job) =
            self.resume.as_deref().map_or(Ok(None), |path| interrupted(&store, path))?
        {
            out::note(format_args!("going on with {}", job.id()));
            return run(job, entry, &self.running);
        }
        let job = self.config()?.create_job(evolution, &store, self.seed);
        run(job.map_err(|error| explain(error, evolution))?, entry, &self.running)
    }

    fn config(&self) -> anyhow::Result<EvolutionConfig> {
        let game = self.game.game.game();
        let usual = || usual_scheme(game, &self.genome);
        let scheme = self.scheme.as_deref().unwrap_or_else(usual);
        let mut config = EvolutionConfig::usual(game, &self.genome, scheme);
        config.generations = self.generations;
        config.player = self.player.clone().unwrap_or(config.player);
        config.against.clone_from(&self.against);
        config.openings = self.openings.clone().unwrap_or(config.openings);
        config.max_plies = self.max_plies.or(config.max_plies);
        config.rules.clone_from(&self.rules);
        config.games = self.games.as_deref().map(Games::in_file).transpose()?;
        config.out = self.out.as_deref().map(absolute).transpose()?;
        config.command = command_line();
        if let Some(path) = &self.resume {
            config.start = Some(read_file(path).with_context(|| path.display().to_string())?);
            config.parents = vec![path.display().to_string()];
        }
        Ok(config)
    }
}

/// What was wrong with what was asked for, and, if a kind was missing, which there are.
fn explain(error: EvolveError, game: &dyn EvolutionGame) -> anyhow::Error {
    match error {
        EvolveError::Genome(GenomeError::NoKind { .. }) => {
            let kinds = game.genome_kinds();
            let list = kinds.iter().map(|kind| format!("\n  {:<12} {}", kind.name(), kind.about()));
            usage(format!("{error}:{}", list.collect::<String>()))
        }
        EvolveError::Config(_) | EvolveError::Player(_) => usage(error),
        other => other.into(),
    }
}

/// The command as it was given, for the past of what comes out.
fn command_line() -> String {
    let quoted = |word: String| {
        if word.contains(char::is_whitespace) { format!("\"{word}\"") } else { word }
    };
    let words: Vec<String> = std::env::args().skip(1).map(quoted).collect();
    format!("tablero {}", words.join(" "))
}

/// A path that still leads there from another folder.
fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    std::path::absolute(path).map_err(|error| usage(format!("{}: {error}", path.display())))
}

/// The evolution that writes `path`, if it did not come to its end. Only the newest counts: older ones
/// were given up.
fn interrupted(store: &Store, path: &Path) -> anyhow::Result<Option<Job>> {
    let path = absolute(path)?;
    let writes_it = |job: &Job| {
        let config = || job.config::<EvolutionConfig>();
        job.header().kind == EVOLUTION && config().is_ok_and(|c| c.out.as_deref() == Some(&*path))
    };
    let (jobs, _) = store.list()?;
    let Some(newest) = jobs.into_iter().rev().find(writes_it) else { return Ok(None) };
    let resumable = [Status::Interrupted, Status::Stopped, Status::Failed];
    Ok(resumable.contains(&newest.state()?.status).then_some(newest))
}

/// Runs the evolution of a job, or goes on with it.
pub(crate) fn run(job: Job, entry: Entry, running: &RunningArgs) -> anyhow::Result<()> {
    let (id, config): (String, EvolutionConfig) = (job.id().into(), job.config()?);
    let log = job.folder().join(format!("{GENERATIONS}.jsonl"));
    let stop = stop_on_interrupt()?;
    let bar = ProgressBar::new(config.generations);
    let style = "{bar:30} {pos}/{len} generations  {msg}";
    bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
    let mut figures = String::new();
    let mut tell = |progress: &Progress| {
        bar.set_position(progress.done);
        if progress.message.is_empty() {
            figures = figures_text(progress);
            bar.set_message(figures.clone());
        } else {
            bar.set_message(format!("{figures}  {}", progress.message));
        }
    };
    let executor = running.executor(&job)?;
    let evolved = run_evolution_job(job, entry.evolution(), &*executor, &stop, &mut tell);
    bar.finish_and_clear();
    let Some(genomes) = evolved? else {
        return Err(running.stopped(&id, None));
    };
    let generations: Vec<Generation> = read_log(&log)?.collect::<Result<_, _>>()?;
    let (games, nodes) = generations
        .iter()
        .fold((0, 0), |(games, nodes), one| (games + one.games, nodes + one.nodes));
    let seconds: f64 = generations.iter().map(|one| one.seconds).sum();
    let summary = Summary {
        job: &id,
        generations: genomes.past.generations,
        games,
        nodes,
        seconds,
        games_per_second: games as f64 / seconds.max(1e-9),
        nodes_per_second: nodes as f64 / seconds.max(1e-9),
        genes: &genomes.genes,
        best: &genomes.best,
        out: config.out.as_deref(),
    };
    if running.json {
        out::json(&summary);
    } else {
        print(&summary, &genomes);
    }
    Ok(())
}

fn figures_text(progress: &Progress) -> String {
    let figure = |name: &str| progress.get(name).unwrap_or(0.0);
    let left = figure("seconds left") as u64;
    format!(
        "best {:.3}  mean {:.3}  {:.0} games/s  {}:{:02} left",
        figure("best"),
        figure("mean"),
        figure("games/s"),
        left / 60,
        left % 60
    )
}

/// Longer genomes are not printed whole.
const MOST: usize = 24;

fn print(summary: &Summary<'_>, genomes: &Genomes) {
    let bold = anstyle::Style::new().bold();
    out::line(format_args!("{bold}{} of {}{bold:#}", genomes.kind, genomes.game));
    let Summary { generations, games, seconds, .. } = summary;
    out::line(format_args!(
        "{generations} generations, {games} games in {seconds:.1} s: {:.0} games/s, {:.0} nodes/s",
        summary.games_per_second, summary.nodes_per_second
    ));
    out::line(format_args!("best fitness {:.3}", genomes.best.fitness));
    let names = genomes.genes.iter().map(String::as_str).chain(std::iter::repeat(""));
    for (name, value) in names.zip(&genomes.best.genome).take(MOST) {
        out::line(format_args!("  {name:<24} {value:.6}"));
    }
    if genomes.best.genome.len() > MOST {
        out::line(format_args!("  and {} more numbers", genomes.best.genome.len() - MOST));
    }
    if let Some(path) = summary.out {
        out::note(format_args!("written to {}", path.display()));
    }
}
