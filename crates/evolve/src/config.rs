use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tablero_arena::Openings;
use tablero_core::{AnyGame, AnyRecord, AnyRules, Input, PlayerLineError, Rng, checksum, open_as};
use tablero_genomes::{GenomeError, GenomeKind, Genomes, evl};
use tablero_jobs::{Job, Store};

use crate::schemes::SchemeLine;
use crate::{EvolutionGame, EvolveError};

/// The kind of job that an evolution is.
pub const EVOLUTION: &str = "evolution";

/// What is evolved, and how; with the seed it decides the result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionConfig {
    /// Which game.
    pub game: String,
    /// By which rules; the usual ones if not said.
    #[serde(default)]
    pub rules: Option<String>,
    /// The kind of genome.
    pub genome: String,
    /// The scheme with its options: `modern children=32`.
    pub scheme: String,
    /// How many generations; those of a population that it starts from do not count.
    pub generations: u64,
    /// How genomes play: a line of greedy, minimax or alphabeta without `eval`.
    pub player: String,
    /// Fixed opponents, as player lines. Schemes that measure against opponents take these instead of
    /// the hand-set genome.
    #[serde(default)]
    pub against: Vec<String>,
    /// Where games start from, as the arena writes it. `othello7` always starts from the start.
    pub openings: String,
    /// A game is drawn after so many plies.
    #[serde(default)]
    pub max_plies: Option<usize>,
    /// Measure by how well the results of these games are predicted instead of by playing.
    #[serde(default)]
    pub games: Option<Games>,
    /// The population to start from.
    #[serde(default)]
    pub start: Option<Genomes>,
    /// Where the genomes are written after each generation.
    #[serde(default)]
    pub out: Option<PathBuf>,
    /// What it descends from, for the file's past.
    #[serde(default)]
    pub parents: Vec<String>,
    /// The command that asked for it, for the file's past.
    #[serde(default)]
    pub command: String,
}

/// A file of games with known results.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Games {
    /// Where it is.
    pub path: PathBuf,
    /// What its content adds up to, so that a resumed job notices another file in its place.
    pub checksum: u64,
}

impl EvolutionConfig {
    /// What is usual for a game.
    pub fn usual(game: AnyGame, genome: &str, scheme: &str) -> Self {
        let defaults = game.evolution_defaults();
        Self {
            game: game.name().into(),
            rules: None,
            genome: genome.into(),
            scheme: scheme.into(),
            generations: 100,
            player: defaults.player.into(),
            against: Vec::new(),
            openings: usual_openings(game).to_string(),
            max_plies: defaults.max_plies,
            games: None,
            start: None,
            out: None,
            parents: Vec::new(),
            command: String::new(),
        }
    }

    /// A new job for this evolution, if it makes sense.
    pub fn create_job(
        &self,
        game: &dyn EvolutionGame,
        store: &Store,
        seed: u64,
    ) -> Result<Job, EvolveError> {
        self.check(game)?;
        Ok(store.create(EVOLUTION, self, seed)?)
    }

    /// Says what is wrong before anything is begun.
    pub fn check(&self, game: &dyn EvolutionGame) -> Result<(), EvolveError> {
        let kind = self.kind(game)?;
        if self.generations == 0 {
            return Err(EvolveError::Config("an evolution has at least 1 generation".into()));
        }
        SchemeLine::parse(&self.scheme)?.check(&*kind)?;
        self.openings()?;
        self.game_rules(game.game())?;
        // Lines are tried before hours are spent.
        let genome = kind.by_hand().unwrap_or_else(|| kind.random(&mut Rng::seeded(0)));
        game.genome_player(&self.genome, &genome, &self.player).map_err(PlayerLineError)?;
        for line in &self.against {
            game.player(line).map_err(PlayerLineError)?;
        }
        self.starting_genomes(&*kind)?;
        if let Some(path) = &self.out {
            crate::output::check_place(path, game.game(), &*kind)?;
        }
        Ok(())
    }

    /// The kind of genome, if `game` is the one to evolve for.
    pub(crate) fn kind(
        &self,
        game: &dyn EvolutionGame,
    ) -> Result<Box<dyn GenomeKind>, EvolveError> {
        let given = game.game();
        if self.game != given.name() {
            let problem = format!("{} was asked for, not {given}", self.game);
            return Err(EvolveError::Config(problem));
        }
        Ok(game.genome_kind(&self.genome)?)
    }

    pub(crate) fn openings(&self) -> Result<Openings, EvolveError> {
        self.openings.parse().map_err(EvolveError::Config)
    }

    pub(crate) fn game_rules(&self, game: AnyGame) -> Result<AnyRules, EvolveError> {
        let rules = game.rules_or_default(self.rules.as_deref());
        rules.map_err(|error| EvolveError::Config(error.to_string()))
    }

    /// The population to start from, checked.
    pub(crate) fn starting_genomes(
        &self,
        kind: &dyn GenomeKind,
    ) -> Result<Option<Genomes>, EvolveError> {
        let Some(start) = self.start.clone() else { return Ok(None) };
        let start = start.of_game(&self.game)?;
        if start.kind != kind.name() {
            let (found, wanted) = (start.kind, kind.name().into());
            return Err(GenomeError::OtherKind { found, wanted }.into());
        }
        Ok(Some(start.checked_as(kind)?))
    }
}

/// The scheme for a kind of genomes unless asked otherwise: Othello7's own for its own polynomials.
pub fn usual_scheme(game: AnyGame, kind: &str) -> &'static str {
    if evl::holds(game.name(), kind) { "othello7" } else { "modern" }
}

/// Random plies, after a line of the book where there is one: a book alone has too few openings.
fn usual_openings(game: AnyGame) -> Openings {
    if game.book().is_empty() {
        Openings::Random { plies: game.opening_plies() }
    } else {
        Openings::Book { plies: game.evolution_defaults().book_plies }
    }
}

impl Games {
    /// The games of a file, as it is now.
    pub fn in_file(path: &Path) -> Result<Self, EvolveError> {
        let checksum = checksum(&read(path)?);
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Ok(Self { path, checksum })
    }

    /// The games; errors in the file name it.
    pub(crate) fn records(&self, game: AnyGame) -> Result<Vec<AnyRecord>, EvolveError> {
        let bytes = self.bytes()?;
        let input = Input { bytes: &bytes, path: Some(&self.path) };
        let (records, _) =
            open_as(game, &input, None).map_err(|error| self.wrong(&error.to_string()))?;
        Ok(records)
    }

    /// An error about the file.
    pub(crate) fn wrong(&self, problem: &str) -> EvolveError {
        EvolveError::Config(format!("{}: {problem}", self.path.display()))
    }

    /// The content, if it is still the same.
    fn bytes(&self) -> Result<Vec<u8>, EvolveError> {
        let bytes = read(&self.path)?;
        if checksum(&bytes) == self.checksum {
            return Ok(bytes);
        }
        let path = self.path.display();
        Err(EvolveError::Config(format!(
            "{path} is no longer the file that the evolution began with"
        )))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, EvolveError> {
    std::fs::read(path)
        .map_err(|error| EvolveError::Config(format!("cannot read {}: {error}", path.display())))
}
