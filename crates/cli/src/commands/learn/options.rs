//! Hyperparameters of a new training run.

use clap::{Args, ValueEnum};
use tablero_learn::{LearnOptions, LrSchedule, TrainingBackend};

use crate::args::{MAX_COUNT, MAX_GAMES, MAX_PLIES, fraction, integer};

/// Hyperparameters of a new run; a resumed run keeps its own.
#[derive(Args)]
pub(crate) struct RunConfigArgs {
    /// Stop after N generations.
    #[arg(long, value_name = "N", value_parser = integer::<usize>(1, MAX_GAMES), help_heading = "New run")]
    generations: Option<usize>,
    /// Self-play games per generation [default: 500; 200 for tic-tac-toe].
    #[arg(long, value_name = "N", value_parser = integer::<u64>(1, MAX_GAMES), help_heading = "New run")]
    games: Option<u64>,
    /// Initial weights [default: random].
    #[arg(long, value_name = "FILE", help_heading = "New run")]
    init: Option<String>,
    /// Rules variant (see `tablero games`) [default: the standard rules].
    #[arg(long, value_name = "RULES", help_heading = "New run")]
    rules: Option<String>,

    /// Player whose games the first generation is trained on, instead of self-play.
    #[arg(long, value_name = "PLAYER", help_heading = "Teacher")]
    teacher: Option<String>,
    /// Games played by the teacher [default: 4 times --games].
    #[arg(long, value_name = "N", value_parser = integer::<u64>(1, MAX_GAMES))]
    #[arg(requires = "teacher", help_heading = "Teacher")]
    teacher_games: Option<u64>,
    /// Generations played by the teacher [default: 1].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(1, MAX_GAMES))]
    #[arg(requires = "teacher", help_heading = "Teacher")]
    teacher_generations: Option<usize>,
    /// --q-ratio of the teacher's games [default: 0.75].
    #[arg(long, value_name = "P", value_parser = fraction)]
    #[arg(requires = "teacher", help_heading = "Teacher")]
    teacher_q_ratio: Option<f64>,
    /// --replay-ratio of the teacher's games [default: 6].
    #[arg(long, value_name = "X", requires = "teacher", help_heading = "Teacher")]
    teacher_replay_ratio: Option<f64>,

    /// Nodes per move of an NNUE's games [default: 500].
    #[arg(long, value_name = "N", value_parser = integer::<u64>(1, MAX_COUNT), help_heading = "Self-play")]
    nodes: Option<u64>,
    /// Simulations per full search [default: 32].
    #[arg(long, value_name = "N", value_parser = integer::<u64>(1, MAX_COUNT), help_heading = "Self-play")]
    sims: Option<u64>,
    /// Simulations per fast search, whose moves are not trained on [default: 8].
    #[arg(long, value_name = "N", value_parser = integer::<u64>(1, MAX_COUNT), help_heading = "Self-play")]
    fast_sims: Option<u64>,
    /// Probability of a full search (playout cap randomization) [default: 0.4].
    #[arg(long, value_name = "P", value_parser = fraction, help_heading = "Self-play")]
    full_search_prob: Option<f64>,
    /// Root actions considered by Gumbel sequential halving; 0 for Dirichlet noise as in AlphaZero
    /// [default: 16].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(0, 10_000), help_heading = "Self-play")]
    gumbel_actions: Option<usize>,
    /// Plies with noise at the root [default: as --temperature-plies].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(0, MAX_PLIES), help_heading = "Self-play")]
    noise_plies: Option<usize>,
    /// Value of unvisited moves (FPU) 0, as in Hatchet1, instead of the parent's less a reduction.
    #[arg(long, help_heading = "Self-play")]
    fpu_zero: bool,
    /// Plies during which moves are sampled instead of taking the best [default: 20; 30 for chess].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(0, MAX_PLIES), help_heading = "Self-play")]
    temperature_plies: Option<usize>,
    /// Maximum number of random plies at the start of a game [default: 8; 16 for a teacher].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(0, MAX_PLIES), help_heading = "Self-play")]
    random_plies: Option<usize>,
    /// Probability of a random move later in the game [default: 0.02; 0.05 for a teacher].
    #[arg(long, value_name = "P", value_parser = fraction, help_heading = "Self-play")]
    random_move_prob: Option<f64>,
    /// Value of a draw to the player who brings it about [default: 0; -0.5 for chess].
    #[arg(long, value_name = "X", allow_hyphen_values = true, help_heading = "Self-play")]
    draw_score: Option<f32>,
    /// Apply --draw-score only to stalemate and to draws that need no claim (fivefold repetition, 75 moves), as in
    /// Hatchet1; others are worth 0.
    #[arg(long, help_heading = "Self-play")]
    automatic_draws_only: bool,
    /// Keep the visits forced by noise in policy targets (no policy target pruning).
    #[arg(long, help_heading = "Self-play")]
    no_policy_target_pruning: bool,
    /// Resign when the value stays below -X; 1 disables resignation [default: 0.95].
    #[arg(long, value_name = "X", value_parser = fraction, help_heading = "Self-play")]
    resign_threshold: Option<f64>,
    /// Fraction of games played without resignation [default: 0.1].
    #[arg(long, value_name = "P", value_parser = fraction, help_heading = "Self-play")]
    resign_playthrough: Option<f64>,
    /// Adjudicate a game as a draw after N plies [default: 400].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(1, MAX_PLIES), help_heading = "Self-play")]
    max_plies: Option<usize>,
    /// Do not play endgames by the game's solver (Othello, Connect Four).
    #[arg(long, help_heading = "Self-play")]
    no_exact_endgames: bool,

    /// Previous generations in the replay buffer [default: 10].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(0, MAX_GAMES), help_heading = "Training")]
    replay_generations: Option<usize>,
    /// Training samples per new position [default: 4].
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Training")]
    replay_ratio: Option<f64>,
    /// Passes over the positions per generation of an NNUE [default: 6].
    #[arg(long, value_name = "N", value_parser = integer::<u64>(1, MAX_GAMES), help_heading = "Training")]
    epochs: Option<u64>,
    /// Positions per batch [default: 128; 16384 for an NNUE].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(1, 1_000_000), help_heading = "Training")]
    batch_size: Option<usize>,
    /// Learning rate of Adam [default: 0.001; 0.002 for an NNUE].
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Training")]
    lr: Option<f64>,
    /// Learning rate schedule within a generation [default: cosine].
    #[arg(long, value_name = "SCHEDULE", help_heading = "Training")]
    lr_schedule: Option<ScheduleName>,
    /// Weight decay [default: 0.0001].
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Training")]
    weight_decay: Option<f32>,
    /// Disable augmentation by board symmetries.
    #[arg(long, help_heading = "Training")]
    no_symmetries: bool,
    /// Play games of the next generation during training, by the network before: no worker of a cluster waits, but the
    /// run depends on timing and cannot be reproduced.
    #[arg(long = "async", help_heading = "Training")]
    asynchronous: bool,
    /// Training backend [default: native].
    #[arg(long, value_name = "BACKEND", help_heading = "Training")]
    backend: Option<BackendArg>,
    /// Share of the search value in the value target, the rest being the game result [default: 0.5; for nnue 0.75, and 0.9 with --teacher or --init].
    #[arg(long, value_name = "P", value_parser = fraction, help_heading = "Training")]
    q_ratio: Option<f64>,
    /// Share of the sample weight distributed by policy surprise, as in KataGo [default: 0.5].
    #[arg(long, value_name = "P", value_parser = fraction, help_heading = "Training")]
    policy_surprise_weight: Option<f64>,

    /// Promote a generation only if it scores at least SCORE against the best one [default: promote
    /// every generation].
    #[arg(long, value_name = "SCORE", value_parser = fraction, help_heading = "Evaluation")]
    gate: Option<f64>,
    /// Simulations per move [default: 32].
    #[arg(long, value_name = "N", value_parser = integer::<u64>(1, MAX_COUNT), help_heading = "Evaluation")]
    eval_sims: Option<u64>,
    /// Games against the generation evaluated before [default: 100].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(0, MAX_GAMES), help_heading = "Evaluation")]
    eval_games: Option<usize>,
    /// Evaluate every N generations, the first and the last; 0 for never [default: 5; 1 with --gate].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(0, MAX_GAMES), help_heading = "Evaluation")]
    eval_every: Option<usize>,
    /// Anchor of the rating scale; may be repeated, the first one has rating 0 [default: random and three
    /// levels].
    #[arg(long, value_name = "PLAYER", help_heading = "Evaluation")]
    anchor: Vec<String>,
    /// Games against each anchor [default: 50].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(0, MAX_GAMES), help_heading = "Evaluation")]
    anchor_games: Option<usize>,
}

/// A learning rate schedule.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScheduleName {
    /// Constant.
    Constant,
    /// Cosine annealing to 1/20 of the initial rate.
    Cosine,
    /// 1/10 of the initial rate after two thirds of the steps.
    Step,
}

impl From<ScheduleName> for LrSchedule {
    fn from(name: ScheduleName) -> Self {
        match name {
            ScheduleName::Constant => Self::Constant,
            ScheduleName::Cosine => Self::Cosine,
            ScheduleName::Step => Self::Step,
        }
    }
}

/// A training backend.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackendArg {
    /// Built in: deterministic, the same weights on any number of threads.
    Native,
    /// The burn framework, on CPU or GPU; needs a build with the feature `burn`.
    Burn,
}

impl From<BackendArg> for TrainingBackend {
    fn from(name: BackendArg) -> Self {
        match name {
            BackendArg::Native => Self::Native,
            BackendArg::Burn => Self::Burn,
        }
    }
}

impl RunConfigArgs {
    /// The same for the library.
    pub(super) fn options(&self) -> LearnOptions {
        LearnOptions {
            generations: self.generations,
            games: self.games,
            init: self.init.clone(),
            rules: self.rules.clone(),
            teacher: self.teacher.clone(),
            teacher_games: self.teacher_games,
            teacher_generations: self.teacher_generations,
            teacher_q_ratio: self.teacher_q_ratio,
            teacher_replay_ratio: self.teacher_replay_ratio,
            nodes: self.nodes,
            sims: self.sims,
            fast_sims: self.fast_sims,
            full_search_prob: self.full_search_prob,
            gumbel_actions: self.gumbel_actions,
            noise_plies: self.noise_plies,
            fpu_zero: self.fpu_zero,
            temperature_plies: self.temperature_plies,
            random_plies: self.random_plies,
            random_move_prob: self.random_move_prob,
            draw_score: self.draw_score,
            automatic_draws_only: self.automatic_draws_only,
            no_policy_target_pruning: self.no_policy_target_pruning,
            resign_threshold: self.resign_threshold,
            resign_playthrough: self.resign_playthrough,
            max_plies: self.max_plies,
            no_exact_endgames: self.no_exact_endgames,
            replay_generations: self.replay_generations,
            replay_ratio: self.replay_ratio,
            epochs: self.epochs,
            batch_size: self.batch_size,
            lr: self.lr,
            lr_schedule: self.lr_schedule.map(LrSchedule::from),
            weight_decay: self.weight_decay,
            no_symmetries: self.no_symmetries,
            asynchronous: self.asynchronous,
            backend: self.backend.map(TrainingBackend::from),
            q_ratio: self.q_ratio,
            policy_surprise_weight: self.policy_surprise_weight,
            gate: self.gate,
            eval_sims: self.eval_sims,
            eval_games: self.eval_games,
            eval_every: self.eval_every,
            anchor: self.anchor.clone(),
            anchor_games: self.anchor_games,
        }
    }
}
