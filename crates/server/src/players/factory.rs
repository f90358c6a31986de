//! Builds players from the lines of the page, which must not name files or, by default, programs.

use std::path::Path;

use tablero_core::{AnyGame, BuildResult, PlayerLine, PlayerLineError, PlayerSetup, level_line};
use tablero_jobs::Store;
use tablero_registry::{Explainer, GameEntry};

use crate::api::Problem;
use crate::jobs::artifacts;
use crate::player_files::{self, PlayerFiles};

/// Builds players of lines, some of which name artifacts of jobs (`job:...`) or player files (`file:...`).
#[derive(Clone)]
pub(crate) struct PlayerFactory {
    pub(crate) setup: PlayerSetup,
    pub(crate) jobs: Store,
    pub(crate) files: PlayerFiles,
    /// The memory budget of all players.
    pub(crate) memory_mb: usize,
}

/// A line whose artifacts are resolved to files, with its setup. Players of equal specs are
/// interchangeable.
#[derive(Clone)]
pub(crate) struct PlayerSpec {
    entry: &'static dyn GameEntry,
    line: String,
    setup: PlayerSetup,
    /// The artifacts' names, and their files in the line.
    files: Vec<[String; 2]>,
}

impl PlayerFactory {
    /// The same with another setup.
    pub(crate) fn with(&self, change: impl FnOnce(&mut PlayerSetup)) -> Self {
        let mut factory = self.clone();
        change(&mut factory.setup);
        factory
    }

    /// Replaces the names of artifacts by their files. Only such files are read: a line with paths of its
    /// own gets no permission to.
    pub(crate) fn resolve(
        &self,
        entry: &'static dyn GameEntry,
        line: &str,
    ) -> Result<PlayerSpec, Problem> {
        let (mut files, mut has_paths, mut problem) = (Vec::new(), false, None);
        let resolved = entry.player_kinds().replace_files(line, &mut |name| {
            let found = if let Some(artifact) = name.strip_prefix(artifacts::PREFIX) {
                artifacts::resolve(&self.jobs, entry, artifact)
            } else if let Some(file) = name.strip_prefix(player_files::PREFIX) {
                self.files.resolve(entry, file)
            } else {
                has_paths = true;
                return Ok(name.into());
            };
            let file = found.map_err(|error| {
                let reason = error.to_string();
                problem = Some(error);
                reason
            })?;
            files.push([name.into(), file.clone()]);
            Ok(file)
        });
        let resolved = resolved.map_err(|error| problem.unwrap_or_else(|| error.into()))?;
        let line = if files.is_empty() { line.into() } else { resolved.to_string() };
        let mut setup = self.setup;
        setup.permissions.files = !files.is_empty() && !has_paths;
        Ok(PlayerSpec { entry, line, setup, files })
    }

    /// Checks a line without building its player: reads no files but artifacts, starts no program,
    /// allocates no table.
    pub(crate) fn check(&self, entry: &'static dyn GameEntry, line: &str) -> Result<(), Problem> {
        let spec = self.resolve(entry, line)?;
        spec.check_memory(self.memory_mb)?;
        let kinds = entry.player_kinds();
        let mut line: PlayerLine = spec.line.parse()?;
        if line.kind == LEVEL {
            line = level_line(entry.game(), &line)?.parse()?;
        }
        let kind =
            kinds.permit(&line, spec.setup.permissions).map_err(|error| spec.hide_paths(error))?;
        if kind.starts_program { Ok(check_program(&line)?) } else { Ok(()) }
    }

    /// Builds the player of a line.
    pub(crate) fn build(&self, entry: &'static dyn GameEntry, line: &str) -> BuildResult {
        let spec = self.resolve(entry, line);
        spec.map_err(|problem| PlayerLineError::Other(problem.to_string()))?.build()
    }
}

/// The player kind that is an alias of others.
const LEVEL: &str = "level";

/// Checks that the program of a line exists.
fn check_program(line: &PlayerLine) -> Result<(), PlayerLineError> {
    let Some(program) = line.words.first() else {
        return Err(PlayerLineError::MissingProgram { kind: line.kind.clone() });
    };
    let is_path = Path::new(program).components().count() > 1;
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let exists = match is_path {
        true => Path::new(program).is_file(),
        false => std::env::split_paths(&folders).any(|folder| folder.join(program).is_file()),
    };
    let missing = || PlayerLineError::ProgramNotFound { program: program.clone() };
    if exists { Ok(()) } else { Err(missing()) }
}

impl PlayerSpec {
    /// The game of its player.
    pub(crate) fn game(&self) -> AnyGame {
        self.entry.game()
    }

    /// The line, with the files of artifacts.
    pub(crate) fn line(&self) -> &str {
        &self.line
    }

    /// The size of the hash table that its player allocates for its first search, or that its tree grows to.
    pub(super) fn table_bytes(&self) -> usize {
        self.table_mb().unwrap_or(0) << 20
    }

    /// Checks that its tables fit into the memory of all players.
    pub(super) fn check_memory(&self, budget: usize) -> Result<(), Problem> {
        let megabytes = self.table_mb().unwrap_or(0);
        let too_large = || Problem::PlayerTooLarge { megabytes, budget };
        if megabytes <= budget { Ok(()) } else { Err(too_large()) }
    }

    /// The size of its tables in MB; `None` without any, and of an invalid line.
    pub(crate) fn table_mb(&self) -> Option<usize> {
        let mut line: PlayerLine = self.line.parse().ok()?;
        if line.kind == LEVEL {
            line = level_line(self.game(), &line).ok()?.parse().ok()?;
        }
        let kinds = self.entry.player_kinds();
        let kind = kinds.check(&line).ok()?;
        let Some(hash) = kind.options.iter().find(|option| option.name == "hash") else {
            let has_tree = kind.options.iter().any(|option| option.name == "memory");
            return has_tree.then(|| kind.memory_mb(&line, &self.setup));
        };
        let default = self.setup.hash_mb.or_else(|| hash.default.parse().ok())?;
        Some(line.hash_mb(default))
    }

    /// Builds the player.
    pub(crate) fn build(&self) -> BuildResult {
        self.entry.build(&self.line, &self.setup).map_err(|error| self.hide_paths(error))
    }

    /// The evaluation or network of its line.
    pub(crate) fn explainer(&self) -> Result<Box<dyn Explainer>, PlayerLineError> {
        self.entry.explainer(&self.line, &self.setup).map_err(|error| self.hide_paths(error))
    }

    /// Replaces the server's paths in an error by the names of artifacts.
    fn hide_paths(&self, error: PlayerLineError) -> PlayerLineError {
        let hide = |text: String, [name, file]: &[String; 2]| text.replace(file, name);
        error.map_values(|text| self.files.iter().fold(text.to_owned(), hide))
    }
}

impl Eq for PlayerSpec {}

impl PartialEq for PlayerSpec {
    fn eq(&self, other: &Self) -> bool {
        let game = |spec: &Self| spec.entry.game();
        (game(self), &self.line, &self.setup, &self.files)
            == (game(other), &other.line, &other.setup, &other.files)
    }
}
