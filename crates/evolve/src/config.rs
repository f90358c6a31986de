use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tablero_arena::Openings;
use tablero_catalog::Catalogued;
use tablero_catalog::players::{Setup, build, build_judging};
use tablero_core::{Rng, Rules, checksum};
use tablero_genomes::{Genomes, Kind, find_kind};
use tablero_jobs::{Job, Store};

use crate::EvolveError;
use crate::schemes::SchemeLine;

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
    /// Measure by how well these games are foretold instead of by playing.
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
    /// What is usual for a game: as Othello7 where search is quick, with alpha-beta where a position
    /// must be played out before it is judged.
    pub fn usual<G: Catalogued>(genome: &str, scheme: &str) -> Self {
        let (player, openings, max_plies) = match G::NAME {
            "chess" => ("alphabeta depth=2", "book=4", Some(200)),
            "shobu" => ("alphabeta depth=2", "random=6", Some(200)),
            "tictactoe" => ("minimax depth=1", "random=2", None),
            _ => ("minimax depth=4", "random=8", None),
        };
        Self {
            game: G::NAME.into(),
            rules: None,
            genome: genome.into(),
            scheme: scheme.into(),
            generations: 100,
            player: player.into(),
            against: Vec::new(),
            openings: openings.into(),
            max_plies,
            games: None,
            start: None,
            out: None,
            parents: Vec::new(),
            command: String::new(),
        }
    }

    /// A new job for this evolution, if it makes sense.
    pub fn create_job<G: Catalogued>(&self, store: &Store, seed: u64) -> Result<Job, EvolveError> {
        self.check::<G>()?;
        Ok(store.create(EVOLUTION, self, seed)?)
    }

    /// Says what is wrong before anything is begun.
    pub fn check<G: Catalogued>(&self) -> Result<(), EvolveError> {
        let wrong = |problem: String| Err(EvolveError::Config(problem));
        if self.game != G::NAME {
            return wrong(format!("{} was asked for, not {}", self.game, G::NAME));
        }
        if self.generations == 0 {
            return wrong("an evolution has at least 1 generation".into());
        }
        let kind = self.kind::<G>()?;
        SchemeLine::parse(&self.scheme)?.check(&*kind)?;
        self.openings()?;
        self.game_rules::<G>()?;
        // Lines are tried before hours are spent.
        let genome = kind.by_hand().unwrap_or_else(|| kind.random(&mut Rng::seeded(0)));
        build_judging::<G>(&self.player, &Setup::default(), kind.build(&genome))?;
        for line in &self.against {
            build::<G>(line, &Setup::default())?;
        }
        self.starting_genomes::<G>()?;
        if let Some(path) = &self.out {
            crate::output::check_place::<G>(path, &*kind)?;
        }
        Ok(())
    }

    pub(crate) fn kind<G: Catalogued>(&self) -> Result<Box<dyn Kind<G>>, EvolveError> {
        Ok(find_kind::<G>(&self.genome)?)
    }

    pub(crate) fn openings(&self) -> Result<Openings, EvolveError> {
        self.openings.parse().map_err(EvolveError::Config)
    }

    pub(crate) fn game_rules<G: Catalogued>(&self) -> Result<G::Rules, EvolveError> {
        let Some(name) = &self.rules else { return Ok(G::Rules::default()) };
        let wrong = || EvolveError::Config(format!("{} has no rules `{name}`", G::NAME));
        G::Rules::from_name(name).ok_or_else(wrong)
    }

    /// The population to start from, checked.
    pub(crate) fn starting_genomes<G: Catalogued>(&self) -> Result<Option<Genomes>, EvolveError> {
        let Some(start) = self.start.clone() else { return Ok(None) };
        let (kind, start) = start.checked::<G>()?;
        if kind.name() != self.genome {
            let (found, wanted) = (kind.name().into(), self.genome.clone());
            return Err(tablero_genomes::GenomeError::OtherKind { found, wanted }.into());
        }
        Ok(Some(start))
    }
}

impl Games {
    /// The games of a file, as it is now.
    pub fn in_file(path: &Path) -> Result<Self, EvolveError> {
        let checksum = checksum(&read(path)?);
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Ok(Self { path, checksum })
    }

    /// The content, if it is still the same.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, EvolveError> {
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
