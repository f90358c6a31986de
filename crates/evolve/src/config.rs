//! The configuration of an evolution.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tablero_arena::Openings;
use tablero_core::{
    AnyGame, AnyRules, Input, MAX_GAME_FILE_BYTES, Records, Rng, checksum, open_as, read_bounded,
};
use tablero_genomes::{GenomeError, GenomeKind, Genomes, evl};
use tablero_jobs::{Job, Status, Store};

use crate::schemes::SchemeLine;
use crate::{EvolutionGame, EvolveError, PredictionTarget, newest_writer};

/// The job kind of an evolution.
pub const EVOLUTION: &str = "evolution";

/// The configuration of an evolution; together with the seed it determines the result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionConfig {
    /// The game.
    pub game: String,
    /// The rules; the game's default if none.
    #[serde(default)]
    pub rules: Option<String>,
    /// The genome kind.
    pub genome: String,
    /// The scheme with its options: `es lambda=32`.
    pub scheme: String,
    /// Number of generations, not counting those of the initial population.
    pub generations: u64,
    /// The search that uses a genome as its evaluation: a line of greedy, minimax or alphabeta without
    /// `eval`.
    pub player: String,
    /// Player lines of fixed opponents, instead of the hand-tuned genome.
    #[serde(default)]
    pub opponents: Vec<String>,
    /// The openings of fitness games; `othello7` always uses the start position.
    pub openings: String,
    /// A game of this many plies is drawn.
    #[serde(default)]
    pub max_plies: Option<usize>,
    /// Evaluate fitness as the error in predictions about these games, instead of by playing.
    #[serde(default)]
    pub games: Option<GamesFile>,
    /// What is predicted.
    #[serde(default)]
    pub target: PredictionTarget,
    /// The initial population.
    #[serde(default)]
    pub initial: Option<Genomes>,
    /// The genome file, written after each generation.
    #[serde(default)]
    pub out: Option<PathBuf>,
    /// Ancestors, for the provenance.
    #[serde(default)]
    pub parents: Vec<String>,
    /// The command line, for the provenance.
    #[serde(default)]
    pub command: String,
}

/// A file of games with known results.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesFile {
    /// The path.
    pub path: PathBuf,
    /// Checksum of the content: a resumed job must find the same games.
    pub checksum: u64,
}

impl EvolutionConfig {
    /// The default configuration for a game.
    pub fn default_for(game: AnyGame, genome: &str, scheme: &str) -> Self {
        let defaults = game.evolution_defaults();
        Self {
            game: game.name().into(),
            rules: None,
            genome: genome.into(),
            scheme: scheme.into(),
            generations: 100,
            player: defaults.player.into(),
            opponents: Vec::new(),
            openings: default_openings(game).to_string(),
            max_plies: defaults.max_plies,
            games: None,
            target: PredictionTarget::Results,
            initial: None,
            out: None,
            parents: Vec::new(),
            command: String::new(),
        }
    }

    /// Validates the configuration and creates its job. No running job may write the same file.
    pub fn create_job(
        &self,
        game: &dyn EvolutionGame,
        store: &Store,
        seed: u64,
    ) -> Result<Job, EvolveError> {
        self.check(game)?;
        if let Some(path) = &self.out
            && let Some(job) = newest_writer(store, path)?
            && job.state()?.status == Status::Running
        {
            let (path, job) = (path.clone(), job.id().to_owned());
            return Err(EvolveError::OutputInUse { path, job });
        }
        Ok(store.create(EVOLUTION, self, seed)?)
    }

    /// Validates the configuration.
    pub fn check(&self, game: &dyn EvolutionGame) -> Result<(), EvolveError> {
        let kind = self.kind(game)?;
        if self.generations == 0 {
            return Err(EvolveError::NoGenerations);
        }
        SchemeLine::parse(&self.scheme)?.check(&*kind)?;
        self.openings()?;
        self.game_rules(game.game())?;
        // Invalid player lines must fail now, not in the first generation.
        let genome = kind.hand_tuned().unwrap_or_else(|| kind.random(&mut Rng::seeded(0)));
        game.genome_player(&self.genome, &genome, &self.player)?;
        for line in &self.opponents {
            game.player(line)?;
        }
        self.initial_genomes(&*kind)?;
        if let Some(path) = &self.out {
            crate::output::check_output(path, game.game(), &*kind)?;
        }
        Ok(())
    }

    /// The genome kind; an error if the configuration is for another game.
    pub(crate) fn kind(
        &self,
        game: &dyn EvolutionGame,
    ) -> Result<Box<dyn GenomeKind>, EvolveError> {
        let expected = game.game().name();
        if self.game != expected {
            return Err(EvolveError::WrongGame { found: self.game.clone(), expected });
        }
        Ok(game.genome_kind(&self.genome)?)
    }

    pub(crate) fn openings(&self) -> Result<Openings, EvolveError> {
        Ok(self.openings.parse()?)
    }

    pub(crate) fn game_rules(&self, game: AnyGame) -> Result<AnyRules, EvolveError> {
        Ok(game.rules_or_default(self.rules.as_deref())?)
    }

    /// The initial population, validated.
    pub(crate) fn initial_genomes(
        &self,
        kind: &dyn GenomeKind,
    ) -> Result<Option<Genomes>, EvolveError> {
        let Some(genomes) = self.initial.clone() else { return Ok(None) };
        let genomes = genomes.for_game(&self.game)?;
        if genomes.kind != kind.name() {
            let (found, expected) = (genomes.kind, kind.name().into());
            return Err(GenomeError::WrongKind { found, expected }.into());
        }
        Ok(Some(genomes.validated_as(kind)?))
    }
}

/// The default scheme of a genome kind: Othello7's for its polynomials, otherwise the evolution strategy.
pub fn default_scheme(game: AnyGame, kind: &str) -> &'static str {
    if evl::supports(game.name(), kind) { "othello7" } else { "es" }
}

/// Random plies, after a book line if the game has a book: a book alone has too few openings.
fn default_openings(game: AnyGame) -> Openings {
    if game.book().is_empty() {
        Openings::Random { plies: game.opening_plies() }
    } else {
        Openings::Book { plies: game.evolution_defaults().book_plies }
    }
}

impl GamesFile {
    /// The file with its present checksum.
    pub fn open(path: &Path) -> Result<Self, EvolveError> {
        let checksum = checksum(&read(path)?);
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Ok(Self { path, checksum })
    }

    /// Parses the games; returns the name of their format, too.
    pub fn records(&self, game: AnyGame) -> Result<(Records, &'static str), EvolveError> {
        let bytes = self.bytes()?;
        let input = Input { bytes: &bytes, path: Some(&self.path) };
        open_as(game, &input, None)
            .map_err(|error| EvolveError::GamesFormat { path: self.path.clone(), error })
    }

    /// The content; an error if it has changed.
    fn bytes(&self) -> Result<Vec<u8>, EvolveError> {
        let bytes = read(&self.path)?;
        if checksum(&bytes) == self.checksum {
            return Ok(bytes);
        }
        Err(EvolveError::GamesChanged { path: self.path.clone() })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, EvolveError> {
    let bytes = read_bounded(path, MAX_GAME_FILE_BYTES);
    bytes.map_err(|error| EvolveError::GamesIo { path: path.to_owned(), error })
}
