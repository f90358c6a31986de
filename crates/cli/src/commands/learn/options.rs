//! What a new run of the loop does otherwise than usual.

use clap::{Args, ValueEnum};
use tablero_core::AnyGame;
use tablero_learn::{LearnConfig, Schedule, Style, TrainerName};
use tablero_nets::{NetKind, Weights};

use crate::args::parse_rules;
use crate::out::usage;

/// Options of a new run; a run that is gone on with keeps its own.
#[derive(Args)]
pub(crate) struct LoopOptions {
    /// End after so many generations.
    #[arg(long, value_name = "N", help_heading = "A new run")]
    generations: Option<usize>,
    /// Games of a generation [default: 500; 200 for tic-tac-toe].
    #[arg(long, value_name = "N", help_heading = "A new run")]
    games: Option<u64>,
    /// Begin with this network instead of random weights.
    #[arg(long, value_name = "FILE", help_heading = "A new run")]
    start: Option<String>,
    /// A player whose games the first generation learns from.
    #[arg(long, value_name = "PLAYER", help_heading = "A new run")]
    teacher: Option<String>,
    /// The teacher's games [default: 4 times those of a generation].
    #[arg(long, value_name = "N", requires = "teacher", help_heading = "A new run")]
    teacher_games: Option<u64>,
    /// Generations that the teacher plays [default: 1].
    #[arg(long, value_name = "N", requires = "teacher", help_heading = "A new run")]
    teacher_generations: Option<usize>,
    /// Which share of a position's value is the teacher's word, not the result [default: 0.75].
    #[arg(long, value_name = "SHARE", requires = "teacher", help_heading = "A new run")]
    teacher_trust: Option<f64>,
    /// Training positions for each of the teacher's [default: 6].
    #[arg(long, value_name = "X", requires = "teacher", help_heading = "A new run")]
    teacher_ratio: Option<f64>,
    /// Rules of the game.
    #[arg(long, value_name = "RULES", help_heading = "A new run")]
    rules: Option<String>,

    /// Simulations for a move that is learned from [default: 32].
    #[arg(long, value_name = "N", help_heading = "Games")]
    sims: Option<u64>,
    /// Simulations for the others [default: 8].
    #[arg(long, value_name = "N", help_heading = "Games")]
    fast_sims: Option<u64>,
    /// Share of moves that are learned from [default: 0.4].
    #[arg(long, value_name = "SHARE", help_heading = "Games")]
    full_share: Option<f64>,
    /// Moves that sequential halving begins with; 0 for noise and visits as in Hatchet1 [default: 16].
    #[arg(long, value_name = "N", help_heading = "Games")]
    halved: Option<usize>,
    /// Plies in which moves are chosen with chance [default: 20; 30 in chess].
    #[arg(long, value_name = "N", help_heading = "Games")]
    chance_plies: Option<usize>,
    /// At most so many random moves begin a game [default: 8; 16 of a teacher].
    #[arg(long, value_name = "N", help_heading = "Games")]
    random_plies: Option<usize>,
    /// Share of random moves later on [default: 0.02; 0.05 of a teacher].
    #[arg(long, value_name = "SHARE", help_heading = "Games")]
    random_share: Option<f64>,
    /// What a draw is worth to the one who brings it about [default: 0; -0.5 in chess].
    #[arg(long, value_name = "X", allow_hyphen_values = true, help_heading = "Games")]
    draw: Option<f32>,
    /// Learn visits that only noise explains, too.
    #[arg(long, help_heading = "Games")]
    no_prune: bool,
    /// Resign below minus this value; 1 for never [default: 0.95].
    #[arg(long, value_name = "X", help_heading = "Games")]
    resign_at: Option<f64>,
    /// Share of games in which nobody resigns [default: 0.1].
    #[arg(long, value_name = "SHARE", help_heading = "Games")]
    resign_check: Option<f64>,
    /// Plies after which a game is drawn [default: 400].
    #[arg(long, value_name = "N", help_heading = "Games")]
    longest: Option<usize>,

    /// Learn from the games of so many generations before, too [default: 10].
    #[arg(long, value_name = "N", help_heading = "Training")]
    window: Option<usize>,
    /// Training positions for each new one [default: 4].
    #[arg(long, value_name = "X", help_heading = "Training")]
    ratio: Option<f64>,
    /// Positions a step [default: 128].
    #[arg(long, value_name = "N", help_heading = "Training")]
    batch: Option<usize>,
    /// Adam's learning rate [default: 0.001].
    #[arg(long, value_name = "X", help_heading = "Training")]
    rate: Option<f64>,
    /// How it changes within a generation [default: cosine].
    #[arg(long, value_name = "HOW", help_heading = "Training")]
    schedule: Option<ScheduleName>,
    /// By how much weights are pulled towards 0 [default: 0.0001].
    #[arg(long, value_name = "X", help_heading = "Training")]
    decay: Option<f32>,
    /// Do not turn and mirror positions.
    #[arg(long, help_heading = "Training")]
    no_symmetries: bool,
    /// Who computes what is learned [default: own].
    #[arg(long, value_name = "WHO", help_heading = "Training")]
    trainer: Option<TrainerArg>,
    /// Which share of a position's value is the search's, not the result [default: 0.5].
    #[arg(long, value_name = "SHARE", help_heading = "Training")]
    trust: Option<f64>,
    /// Share of the weight for positions that surprised the network [default: 0.5].
    #[arg(long, value_name = "SHARE", help_heading = "Training")]
    surprise: Option<f64>,

    /// Use a generation only if it scores at least so much against the best before [default: use all].
    #[arg(long, value_name = "SCORE", help_heading = "Measuring")]
    gate: Option<f64>,
    /// Simulations for a move [default: 32].
    #[arg(long, value_name = "N", help_heading = "Measuring")]
    measure_sims: Option<u64>,
    /// Games against the best generation before [default: 40].
    #[arg(long, value_name = "N", help_heading = "Measuring")]
    measure_games: Option<usize>,
    /// Measure every so many generations; 0 for never [default: 1].
    #[arg(long, value_name = "N", help_heading = "Measuring")]
    measure_every: Option<usize>,
    /// A player to measure against, again for more; the first has the rating 0 [default: random and three
    /// levels].
    #[arg(long, value_name = "PLAYER", help_heading = "Measuring")]
    anchor: Vec<String>,
    /// Games against each of them [default: 20].
    #[arg(long, value_name = "N", help_heading = "Measuring")]
    anchor_games: Option<usize>,
}

/// How the learning rate changes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScheduleName {
    /// Not at all.
    Constant,
    /// Along a cosine down to a twentieth.
    Cosine,
    /// A tenth after two thirds.
    Step,
}

impl From<ScheduleName> for Schedule {
    fn from(name: ScheduleName) -> Self {
        match name {
            ScheduleName::Constant => Self::Constant,
            ScheduleName::Cosine => Self::Cosine,
            ScheduleName::Step => Self::Step,
        }
    }
}

/// Who computes what is learned.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrainerArg {
    /// This program: the same weights on any number of threads.
    Own,
    /// burn, on the processor or a graphics card; only if the program was built with it.
    Burn,
}

impl From<TrainerArg> for TrainerName {
    fn from(name: TrainerArg) -> Self {
        match name {
            TrainerArg::Own => Self::Own,
            TrainerArg::Burn => Self::Burn,
        }
    }
}

/// Sets what was given.
fn set<T: Clone>(place: &mut T, given: &Option<T>) {
    if let Some(given) = given {
        place.clone_from(given);
    }
}

impl LoopOptions {
    /// Changes a usual run as it was asked for.
    pub(super) fn apply(&self, game: AnyGame, config: &mut LearnConfig) -> anyhow::Result<()> {
        if let Some(rules) = &self.rules {
            parse_rules(game, Some(rules))?;
            config.rules.clone_from(rules);
        }
        if let Some(file) = &self.start {
            let weights = Weights::read(file.as_ref()).map_err(usage)?;
            let kind: Result<NetKind, _> = config.net.parse();
            if kind.is_ok_and(|kind| kind != weights.kind) {
                config.net = weights.kind.to_string();
            }
            config.start = Some(file.clone());
        }
        config.generations = self.generations.or(config.generations);
        set(&mut config.games, &self.games);
        self.games(&mut config.style);
        self.training(config);
        self.measuring(config);
        if let Some(line) = &self.teacher {
            *config = config.clone().with_teacher(game, line);
        }
        if let Some(teacher) = &mut config.teacher {
            set(&mut teacher.games, &self.teacher_games);
            set(&mut teacher.generations, &self.teacher_generations);
            set(&mut teacher.trust, &self.teacher_trust);
            set(&mut teacher.ratio, &self.teacher_ratio);
            set(&mut teacher.style.random_plies, &self.random_plies);
            set(&mut teacher.style.random_share, &self.random_share);
        }
        Ok(())
    }

    fn games(&self, style: &mut Style) {
        set(&mut style.sims, &self.sims);
        set(&mut style.fast_sims, &self.fast_sims);
        set(&mut style.full_share, &self.full_share);
        set(&mut style.halved, &self.halved);
        set(&mut style.chance_plies, &self.chance_plies);
        set(&mut style.random_plies, &self.random_plies);
        set(&mut style.random_share, &self.random_share);
        set(&mut style.draw, &self.draw);
        style.prune &= !self.no_prune;
        set(&mut style.resign_at, &self.resign_at);
        set(&mut style.resign_check, &self.resign_check);
        set(&mut style.longest, &self.longest);
    }

    fn training(&self, config: &mut LearnConfig) {
        set(&mut config.window, &self.window);
        set(&mut config.pace.ratio, &self.ratio);
        set(&mut config.pace.batch, &self.batch);
        set(&mut config.pace.rate, &self.rate);
        set(&mut config.pace.schedule, &self.schedule.map(Schedule::from));
        set(&mut config.pace.decay, &self.decay);
        config.pace.symmetries &= !self.no_symmetries;
        set(&mut config.pace.trainer, &self.trainer.map(TrainerName::from));
        set(&mut config.trust, &self.trust);
        set(&mut config.surprise, &self.surprise);
    }

    fn measuring(&self, config: &mut LearnConfig) {
        let measure = &mut config.measure;
        measure.gate = self.gate.or(measure.gate);
        set(&mut measure.sims, &self.measure_sims);
        set(&mut measure.games, &self.measure_games);
        set(&mut measure.every, &self.measure_every);
        set(&mut measure.anchor_games, &self.anchor_games);
        if !self.anchor.is_empty() {
            measure.anchors.clone_from(&self.anchor);
        }
    }
}
