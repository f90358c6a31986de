use std::path::PathBuf;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tablero_evolve::{
    EvolutionConfig, EvolutionGame, EvolutionSummary, EvolveError, EvolveOptions,
    interrupted_writer, read_generations, run_evolution_job, schemes,
};
use tablero_genomes::{GenomeError, Genomes};
use tablero_jobs::{Job, Progress};

use crate::args::{Entry, GameArg, MAX_GAMES, MAX_PLIES, integer};
use crate::files::report_skipped;
use crate::job_args::{JobArgs, cancel_on_interrupt};
use crate::out::{self, usage};
use crate::output_file::{ForceArg, is_same_file};

const EXAMPLES: &str = "Examples:
  tablero evolve othello --genome sci --generations 100 --out sci.evl
  tablero evolve othello --genome sci --generations 50 --resume sci.evl --out later.evl
  tablero evolve shobu --genome pressure --scheme \"es lambda=24\" --out shobu.genes
  tablero evolve othello --genome net --scheme cmaes --against \"alphabeta depth=2\" --out net.genes
  tablero match othello \"alphabeta depth=4 eval=sci.evl\" \"alphabeta depth=4 eval=sci\"";

/// Evolve the weights of an evaluation function.
///
/// The population is written to the file given by --out after every generation; `alphabeta depth=4
/// eval=FILE` plays with its best genome. Ctrl-C abandons the running games. An interrupted run is resumed
/// with --resume and gives the same result as an uninterrupted one.
#[derive(Args)]
#[command(after_help = help())]
pub(crate) struct Evolve {
    #[command(flatten)]
    game: GameArg,
    /// Genome kind: an evaluation of the game (see `tablero players`), a network over features (`net`,
    /// `growing`), or one that sees the board and rates moves (`fixed`, `markers`; with --player greedy).
    #[arg(long, value_name = "KIND")]
    genome: String,
    /// Number of generations.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = integer::<u64>(1, MAX_GAMES))]
    generations: u64,
    /// Output file; .evl is the format of Othello7 (sci and jma only), anything else is .genes.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArg,
    /// Start from the population in FILE. If the run that writes FILE was interrupted, that run is
    /// resumed with its own options.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Evolution scheme with its options, listed below [default: othello7 for sci and jma, otherwise
    /// es].
    #[arg(long, value_name = "SCHEME")]
    scheme: Option<String>,
    /// Player that uses the genomes: greedy, minimax or alphabeta [default: minimax depth=4 for
    /// Othello, depth=1 for tic-tac-toe, otherwise alphabeta depth=2].
    #[arg(long, value_name = "PLAYER", help_heading = "Fitness")]
    player: Option<String>,
    /// Opponent besides the hall of fame; may be repeated [default: the hand-tuned weights].
    #[arg(long, value_name = "PLAYER", help_heading = "Fitness")]
    against: Vec<String>,
    /// Opening positions: `start`, `random=PLIES`, `book`, `book=PLIES` [default: random=8 for Othello,
    /// book=4 for chess, random=6 for Shōbu, random=2 for tic-tac-toe; start for the scheme othello7].
    #[arg(long, value_name = "OPENINGS", help_heading = "Fitness")]
    openings: Option<String>,
    /// Adjudicate a game as a draw after N plies [default: 200 for chess and Shōbu].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(1, MAX_PLIES), help_heading = "Fitness")]
    max_plies: Option<usize>,
    /// Rules variant (see `tablero games`) [default: the standard rules].
    #[arg(long, value_name = "RULES", help_heading = "Fitness")]
    rules: Option<String>,
    /// Use the prediction error of the results of these games as fitness (Texel's method) instead of
    /// playing.
    #[arg(long, value_name = "FILE", help_heading = "Fitness")]
    games: Option<PathBuf>,
    /// Predict the search values recorded with the moves of these games instead of their results.
    #[arg(long, requires = "games", help_heading = "Fitness")]
    values: bool,
    /// Fail if one of these games cannot be read, instead of skipping it with a warning.
    #[arg(long, requires = "games", help_heading = "Fitness")]
    strict: bool,
    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    job: JobArgs,
}

/// Every scheme with its options, and the examples.
fn help() -> String {
    let mut text = String::from("Schemes and their options [default]:\n");
    for scheme in schemes() {
        text += &format!("  {}  {}\n", scheme.name, scheme.about.en);
        for option in &scheme.options {
            text += &format!("    {:<11} {} [{}]\n", option.name, option.about.en, option.default);
        }
    }
    text + "\n" + EXAMPLES
}

impl Evolve {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (entry, evolution) = (self.game.game, self.game.game.evolution());
        let store = self.job.store()?;
        if let Some(job) =
            self.resume.as_deref().map_or(Ok(None), |path| interrupted_writer(&store, path))?
        {
            out::note(format_args!("resuming {}", job.id()));
            return run(job, entry, &self.job);
        }
        self.check_out()?;
        let job = self.config()?.create_job(evolution, &store, self.seed);
        run(job.map_err(|error| explain(error, evolution))?, entry, &self.job)
    }

    /// Refuses an output file that exists, unless the run starts from it.
    fn check_out(&self) -> anyhow::Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        let is_own = self.resume.as_deref().is_some_and(|path| is_same_file(path, out));
        self.force.or(is_own).check(out)
    }

    fn config(&self) -> anyhow::Result<EvolutionConfig> {
        let (game, evolution) = (self.game.game.game(), self.game.game.evolution());
        let options = EvolveOptions {
            genome: self.genome.clone(),
            generations: self.generations,
            out: self.out.clone(),
            resume: self.resume.clone(),
            scheme: self.scheme.clone(),
            player: self.player.clone(),
            against: self.against.clone(),
            openings: self.openings.clone(),
            max_plies: self.max_plies,
            rules: self.rules.clone(),
            games: self.games.clone(),
            values: self.values,
        };
        let config = options.config(game, &command_line());
        let config = config.map_err(|error| explain(error, evolution))?;
        if let Some(games) = &config.games {
            let opened = games.records(game).map_err(usage)?;
            report_skipped(games.path.display(), opened, self.strict)?;
        }
        Ok(config)
    }
}

/// Turns invalid options into usage errors; an unknown genome kind lists the known ones.
fn explain(error: EvolveError, game: &dyn EvolutionGame) -> anyhow::Error {
    match error {
        EvolveError::Genome(GenomeError::UnknownKind { .. }) => {
            let kinds = game.genome_kinds();
            let list =
                kinds.iter().map(|kind| format!("\n  {:<12} {}", kind.name(), kind.about().en));
            usage(format!("{error}:{}", list.collect::<String>()))
        }
        EvolveError::Genome(_)
        | EvolveError::Initial { .. }
        | EvolveError::GamesIo { .. }
        | EvolveError::Job(_)
        | EvolveError::Cancelled => error.into(),
        invalid => usage(invalid),
    }
}

/// The command line, for the provenance of the result.
fn command_line() -> String {
    let quoted = |word: String| {
        if word.contains(char::is_whitespace) { format!("\"{word}\"") } else { word }
    };
    let words: Vec<String> = std::env::args().skip(1).map(quoted).collect();
    format!("tablero {}", words.join(" "))
}

/// Starts or resumes the evolution of a job.
pub(crate) fn run(job: Job, entry: Entry, args: &JobArgs) -> anyhow::Result<()> {
    let (id, config): (String, EvolutionConfig) = (job.id().into(), job.config()?);
    let folder = job.folder().to_owned();
    let cancel = cancel_on_interrupt()?;
    let bar = ProgressBar::new(config.generations);
    let style = "{bar:30} {pos}/{len} generations  {msg}";
    bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
    let mut metrics = String::new();
    let mut report = |progress: &Progress| {
        bar.set_position(progress.done);
        if progress.message.is_empty() {
            metrics = metrics_text(progress);
            bar.set_message(metrics.clone());
        } else {
            bar.set_message(format!("{metrics}  {}", progress.message));
        }
    };
    let executor = args.executor(&job)?;
    let evolved = run_evolution_job(job, entry.evolution(), &*executor, &cancel, &mut report);
    bar.finish_and_clear();
    let Some(genomes) = evolved? else {
        return Err(args.interrupted(&id, None));
    };
    let generations = read_generations(&folder)?;
    let summary = EvolutionSummary::new(&id, config.out.as_deref(), &genomes, &generations);
    if args.json {
        out::json(&summary);
    } else {
        print(&summary, &genomes);
    }
    Ok(())
}

fn metrics_text(progress: &Progress) -> String {
    let metric = |name: &str| progress.metric(name).unwrap_or(0.0);
    let left = metric("seconds left") as u64;
    format!(
        "best {:.3}  mean {:.3}  {:.0} games/s  {}:{:02} left",
        metric("best"),
        metric("mean"),
        metric("games/s"),
        left / 60,
        left % 60
    )
}

/// Genes printed at most.
const MAX_PRINTED: usize = 24;

fn print(summary: &EvolutionSummary, genomes: &Genomes) {
    let bold = anstyle::Style::new().bold();
    out::line(format_args!("{bold}{} of {}{bold:#}", genomes.kind, genomes.game));
    let EvolutionSummary { generations, games, seconds, .. } = summary;
    out::line(format_args!(
        "{generations} generations, {games} games in {seconds:.1} s: {:.0} games/s, {:.0} nodes/s",
        summary.games_per_second, summary.nodes_per_second
    ));
    out::line(format_args!("best fitness {:.3}", genomes.best.fitness));
    let names = genomes.genes.iter().map(String::as_str).chain(std::iter::repeat(""));
    for (name, value) in names.zip(&genomes.best.genome).take(MAX_PRINTED) {
        out::line(format_args!("  {name:<24} {value:.6}"));
    }
    if genomes.best.genome.len() > MAX_PRINTED {
        out::line(format_args!("  and {} more", genomes.best.genome.len() - MAX_PRINTED));
    }
    if let Some(path) = &summary.out {
        out::note(format_args!("written to {}", path.display()));
    }
}
