//! The games behind one object-safe trait, so that everything else is compiled once and not once a
//! game. A game is told by a start and moves, all as text; nothing here keeps anything.

mod about;
mod arena;
mod describe;
mod evolution;
mod facts;
mod idle;
mod learning;
mod maker;
mod positions;
mod records;
mod review;
mod think;

use std::marker::PhantomData;
use std::sync::Arc;

use tablero_arena::Series;
use tablero_catalog::{GameName, for_game};
use tablero_core::{Limits, Match, Rules};
use tablero_evolve::EvolutionConfig;
use tablero_genomes::Genomes;
use tablero_jobs::{Executor, Job, Progress, Stop};
use tablero_learn::LearnConfig;

use crate::api::{
    EndReason, EvolutionOptions, EvolutionView, GameKind, GenerationView, LearningView, LegalMove,
    NewArenaJob, NewEvolutionJob, NewLearningJob, Node, Opinion, Players, PositionChecked,
    PositionRequest,
};
use crate::error::{ApiError, ApiResult};
use crate::file::{GameFile, Line};

pub(crate) use about::PROGRAMS;
pub(crate) use arena::series_of;
pub(crate) use describe::Describe;
pub(crate) use evolution::genomes_of;
pub(crate) use idle::Idle;
pub(crate) use learning::network_of;
pub(crate) use maker::Maker;
pub(crate) use records::{Exported, Read, event, import};
pub(crate) use think::{Decision, ThinkError};

/// A game, whichever it is.
pub(crate) trait AnyGame: Send + Sync {
    fn about(&self) -> GameKind;

    fn players(&self) -> Players;

    /// What is wrong with a player line, if anything.
    fn check_player(&self, line: &str, maker: &Maker) -> Result<(), String>;

    fn check_position(&self, request: &PositionRequest) -> PositionChecked;

    /// A new game from a position (or the start of that number), with the moves after `moves` in it.
    fn begin(
        &self,
        rules: Option<&str>,
        position: Option<&str>,
        number: Option<u32>,
    ) -> ApiResult<GameFile>;

    /// The nodes of a game that was kept, with all that follows from the moves.
    fn rebuild(&self, file: &GameFile) -> Result<Vec<Node>, String>;

    /// The node that move `name` leads to from `parent`, which lies at the end of `line`; it has no
    /// number yet.
    fn grow(&self, line: &Line, parent: &Node, name: &str) -> ApiResult<Node>;

    /// The legal moves at the end of `line`, and the draw that may be claimed there.
    fn choices(&self, line: &Line) -> ApiResult<(Vec<LegalMove>, Option<EndReason>)>;

    /// Whether that position is the usual start.
    fn is_usual_start(&self, rules: &str, position: &str) -> bool;

    /// A search of the position at the end of `line`, to be run on another thread, by one of the `idle`
    /// players if it is among them.
    fn think(
        &self,
        line: &Line,
        player: &str,
        maker: &Maker,
        idle: &Arc<Idle>,
    ) -> ApiResult<think::Thinking>;

    /// A review of a game's main line, to be run on another thread.
    fn review(
        &self,
        file: &GameFile,
        player: Option<&str>,
        maker: &Maker,
        limits: Limits,
    ) -> ApiResult<review::Reviewing>;

    /// The game in a file format.
    fn write(&self, file: &GameFile, format: &str) -> ApiResult<Exported>;

    /// What is to be played, from a request.
    fn series(&self, request: &NewArenaJob, maker: &Maker) -> ApiResult<Series>;

    /// Plays a match or tournament, or goes on with it.
    fn run_arena(
        &self,
        job: Job,
        maker: &Maker,
        executor: &dyn Executor,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), String>;

    /// A game that was played by a job, from its text.
    fn read_pgn(&self, text: &str) -> ApiResult<GameFile>;

    /// What can be evolved, and how.
    fn evolution_options(&self) -> EvolutionOptions;

    /// What is to be evolved, from a request and the population to go on from.
    fn evolution(
        &self,
        request: &NewEvolutionJob,
        start: Option<Genomes>,
        maker: &Maker,
    ) -> ApiResult<EvolutionConfig>;

    /// Runs an evolution, or goes on with it.
    fn run_evolution(
        &self,
        job: Job,
        executor: &dyn Executor,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), String>;

    /// What an evolution has come to so far.
    fn evolution_view(&self, job: &Job) -> ApiResult<EvolutionView>;

    /// Everybody of a generation.
    fn generation(&self, job: &Job, number: u64) -> ApiResult<GenerationView>;

    /// A generation as it goes into a file.
    fn genomes(&self, job: &Job, number: u64) -> ApiResult<Genomes>;

    /// A generation as a file of a format.
    fn generation_file(&self, job: &Job, number: u64, format: &str) -> ApiResult<String>;

    /// What is to be learned, from a request.
    fn learning(&self, request: &NewLearningJob) -> ApiResult<LearnConfig>;

    /// Runs a learning run, or goes on with it.
    fn run_learning(
        &self,
        job: Job,
        maker: &Maker,
        executor: &dyn Executor,
        threads: usize,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), String>;

    /// What a learning run has come to so far.
    fn learning_view(&self, job: &Job) -> ApiResult<LearningView>;

    /// A game that a generation learns from.
    fn lesson(&self, job: &Job, generation: usize, index: usize) -> ApiResult<GameFile>;

    /// What a generation's network thinks of the position after some moves.
    fn opinion(&self, job: &Job, generation: usize, moves: &str) -> ApiResult<Opinion>;
}

/// The game with positions of type `G`.
struct Of<G>(PhantomData<G>);

/// The game called `name`.
pub(crate) fn game_called(name: &str) -> ApiResult<&'static dyn AnyGame> {
    name.parse().map(game).map_err(ApiError::bad)
}

/// That game.
pub(crate) fn game(name: GameName) -> &'static dyn AnyGame {
    for_game!(name, G => &const { Of::<G>(PhantomData) })
}

/// The rules called `name`, or the usual ones.
fn rules_called<G: Describe>(name: Option<&str>) -> ApiResult<G::Rules> {
    let Some(name) = name else { return Ok(G::Rules::default()) };
    G::Rules::from_name(name).ok_or_else(|| {
        let known: Vec<_> = G::Rules::ALL.iter().map(|rules| rules.name()).collect();
        ApiError::bad(format!("{} has no rules `{name}`; there are {}", G::NAME, known.join(", ")))
    })
}

/// The match that a line tells.
fn replay<G: Describe>(line: &Line) -> ApiResult<Match<G>> {
    let rules = rules_called::<G>(Some(&line.rules))?;
    let start = match line.start.as_str() {
        "" => G::start(rules),
        text => G::parse_position(text, rules)
            .map_err(|error| ApiError::bad(format!("position: {error}")))?,
    };
    let mut game = Match::new(start);
    for (number, name) in (1..).zip(&line.moves) {
        let wrong = |error: &dyn std::fmt::Display| {
            ApiError::bad(format!("move {number} (`{name}`): {error}"))
        };
        let m = game.position().parse_move(name).map_err(|error| wrong(&error))?;
        game.play_on(m).map_err(|error| wrong(&error))?;
    }
    Ok(game)
}

impl<G: Describe> AnyGame for Of<G> {
    fn about(&self) -> GameKind {
        about::about::<G>()
    }

    fn players(&self) -> Players {
        about::players::<G>()
    }

    fn check_player(&self, line: &str, maker: &Maker) -> Result<(), String> {
        maker.build::<G>(line).map(drop).map_err(|error| error.to_string())
    }

    fn check_position(&self, request: &PositionRequest) -> PositionChecked {
        positions::check::<G>(request)
    }

    fn begin(
        &self,
        rules: Option<&str>,
        position: Option<&str>,
        number: Option<u32>,
    ) -> ApiResult<GameFile> {
        let game = positions::begin::<G>(rules, position, number)?;
        Ok(records::file_of_match(&game))
    }

    fn rebuild(&self, file: &GameFile) -> Result<Vec<Node>, String> {
        facts::rebuild::<G>(file)
    }

    fn grow(&self, line: &Line, parent: &Node, name: &str) -> ApiResult<Node> {
        facts::grow::<G>(line, parent, name)
    }

    fn choices(&self, line: &Line) -> ApiResult<(Vec<LegalMove>, Option<EndReason>)> {
        let game = replay::<G>(line)?;
        let claim = game.draw().filter(|draw| !draw.forced).map(|draw| draw.reason.into());
        Ok((facts::legal_moves(&game), claim))
    }

    fn is_usual_start(&self, rules: &str, position: &str) -> bool {
        let rules = G::Rules::from_name(rules).unwrap_or_default();
        G::start(rules).position_text() == position
    }

    fn think(
        &self,
        line: &Line,
        player: &str,
        maker: &Maker,
        idle: &Arc<Idle>,
    ) -> ApiResult<think::Thinking> {
        think::think::<G>(line, player, maker, idle)
    }

    fn review(
        &self,
        file: &GameFile,
        player: Option<&str>,
        maker: &Maker,
        limits: Limits,
    ) -> ApiResult<review::Reviewing> {
        review::review::<G>(file, player, maker, limits)
    }

    fn write(&self, file: &GameFile, format: &str) -> ApiResult<Exported> {
        records::write::<G>(file, format)
    }

    fn series(&self, request: &NewArenaJob, maker: &Maker) -> ApiResult<Series> {
        arena::series::<G>(request, maker)
    }

    fn run_arena(
        &self,
        job: Job,
        maker: &Maker,
        executor: &dyn Executor,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), String> {
        arena::run::<G>(job, maker, executor, stop, progress)
    }

    fn read_pgn(&self, text: &str) -> ApiResult<GameFile> {
        let record = tablero_core::pgn::read_one::<G>(text).map_err(ApiError::internal)?;
        Ok(records::file_of(&record))
    }

    fn evolution_options(&self) -> EvolutionOptions {
        evolution::options::<G>()
    }

    fn evolution(
        &self,
        request: &NewEvolutionJob,
        start: Option<Genomes>,
        maker: &Maker,
    ) -> ApiResult<EvolutionConfig> {
        evolution::config::<G>(request, start, maker)
    }

    fn run_evolution(
        &self,
        job: Job,
        executor: &dyn Executor,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), String> {
        evolution::run::<G>(job, executor, stop, progress)
    }

    fn evolution_view(&self, job: &Job) -> ApiResult<EvolutionView> {
        evolution::view::<G>(job)
    }

    fn generation(&self, job: &Job, number: u64) -> ApiResult<GenerationView> {
        evolution::generation::<G>(job, number)
    }

    fn genomes(&self, job: &Job, number: u64) -> ApiResult<Genomes> {
        evolution::genomes_of::<G>(job, number)
    }

    fn generation_file(&self, job: &Job, number: u64, format: &str) -> ApiResult<String> {
        evolution::file::<G>(job, number, format)
    }

    fn learning(&self, request: &NewLearningJob) -> ApiResult<LearnConfig> {
        learning::config::<G>(request)
    }

    fn run_learning(
        &self,
        job: Job,
        maker: &Maker,
        executor: &dyn Executor,
        threads: usize,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), String> {
        learning::run::<G>(job, maker, executor, threads, stop, progress)
    }

    fn learning_view(&self, job: &Job) -> ApiResult<LearningView> {
        learning::view::<G>(job)
    }

    fn lesson(&self, job: &Job, generation: usize, index: usize) -> ApiResult<GameFile> {
        learning::lesson::<G>(job, generation, index)
    }

    fn opinion(&self, job: &Job, generation: usize, moves: &str) -> ApiResult<Opinion> {
        learning::opinion::<G>(job, generation, moves)
    }
}
