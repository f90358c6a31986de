//! Players of lines that come from the page.

use std::path::Path;

use tablero_core::{AnyGame, Built, PlayerLine, PlayerLineError, PlayerSetup, level_line};
use tablero_jobs::Store;
use tablero_registry::GameEntry;

use crate::jobs::artifacts;

/// Makes players: with these bounds, and of these jobs' artifacts where a line names any.
#[derive(Clone)]
pub(crate) struct PlayerFactory {
    pub(crate) setup: PlayerSetup,
    pub(crate) jobs: Store,
}

/// A line whose artifacts are resolved to files of ours, and what its player is built with. Players of
/// equal specs can stand in for each other.
#[derive(Clone)]
pub(crate) struct PlayerSpec {
    entry: &'static dyn GameEntry,
    line: String,
    setup: PlayerSetup,
    /// The artifacts' names on the page, and the files that stand for them in the line.
    files: Vec<[String; 2]>,
}

impl PlayerFactory {
    /// The same with another setup.
    pub(crate) fn with(&self, change: impl FnOnce(&mut PlayerSetup)) -> Self {
        let mut factory = self.clone();
        change(&mut factory.setup);
        factory
    }

    /// The spec of a line, with files in the place of artifacts' names. Only such a line reads files,
    /// and no others: paths that a line gives itself are not looked at.
    pub(crate) fn resolve(
        &self,
        entry: &'static dyn GameEntry,
        line: &str,
    ) -> Result<PlayerSpec, PlayerLineError> {
        let (mut files, mut has_others) = (Vec::new(), false);
        let resolved = entry.player_kinds().replace_files(line, &mut |name| {
            let Some(artifact) = name.strip_prefix(artifacts::PREFIX) else {
                has_others = true;
                return Ok(name.into());
            };
            let file = artifacts::locate(&self.jobs, entry, artifact)?;
            files.push([name.into(), file.clone()]);
            Ok(file)
        })?;
        let line = if files.is_empty() { line.into() } else { resolved.to_string() };
        let mut setup = self.setup;
        setup.permissions.files = !files.is_empty() && !has_others;
        Ok(PlayerSpec { entry, line, setup, files })
    }

    /// What is wrong with a line, if anything. Builds nothing: no file is read but those of artifacts,
    /// no program is started, no table is made.
    pub(crate) fn check(
        &self,
        entry: &'static dyn GameEntry,
        line: &str,
    ) -> Result<(), PlayerLineError> {
        let spec = self.resolve(entry, line)?;
        let kinds = entry.player_kinds();
        let mut line: PlayerLine = spec.line.parse()?;
        if line.kind == LEVEL {
            line = level_line(entry.game(), &line)?.parse()?;
        }
        let kind = kinds.permit(&line, spec.setup.permissions).map_err(|error| spec.hide(error))?;
        if kind.starts_program { check_program(&line) } else { Ok(()) }
    }

    /// The player of a line.
    pub(crate) fn build(&self, entry: &'static dyn GameEntry, line: &str) -> Built {
        self.resolve(entry, line)?.build()
    }
}

/// The kind of players that stand for others.
const LEVEL: &str = "level";

/// Whether the program of a line is there.
fn check_program(line: &PlayerLine) -> Result<(), PlayerLineError> {
    let kind = &line.kind;
    let Some(program) = line.words.first() else {
        return Err(PlayerLineError(format!(
            "`{kind}` needs a program: {kind} /usr/games/program"
        )));
    };
    let is_path = Path::new(program).components().count() > 1;
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let is_there = match is_path {
        true => Path::new(program).is_file(),
        false => std::env::split_paths(&folders).any(|folder| folder.join(program).is_file()),
    };
    let missing = || PlayerLineError(format!("there is no program `{program}`"));
    if is_there { Ok(()) } else { Err(missing()) }
}

impl PlayerSpec {
    /// The game that its player plays.
    pub(crate) fn game(&self) -> AnyGame {
        self.entry.game()
    }

    /// The line, with paths of files in it.
    pub(crate) fn line(&self) -> &str {
        &self.line
    }

    /// Whether its player runs in another program, whose memory nobody here knows.
    pub(super) fn starts_program(&self) -> bool {
        self.entry.player_kinds().starts_program(&self.line).unwrap_or(false)
    }

    /// What the table takes that its player makes for its first search.
    pub(super) fn table_bytes(&self) -> usize {
        self.table_mb().unwrap_or(0) << 20
    }

    fn table_mb(&self) -> Option<usize> {
        let mut line: PlayerLine = self.line.parse().ok()?;
        if line.kind == LEVEL {
            line = level_line(self.game(), &line).ok()?.parse().ok()?;
        }
        let kinds = self.entry.player_kinds();
        let options = &kinds.check(&line).ok()?.options;
        let hash = options.iter().find(|option| option.name == "hash")?;
        let usual = self.setup.hash_mb.or_else(|| hash.default.parse().ok())?;
        Some(line.table_megabytes(usual))
    }

    /// The player.
    pub(crate) fn build(&self) -> Built {
        self.entry.build(&self.line, &self.setup).map_err(|error| self.hide(error))
    }

    /// The error without paths: where our files are is nobody's business.
    fn hide(&self, PlayerLineError(problem): PlayerLineError) -> PlayerLineError {
        let hide = |text: String, [name, file]: &[String; 2]| text.replace(file, name);
        PlayerLineError(self.files.iter().fold(problem, hide))
    }
}

impl PartialEq for PlayerSpec {
    fn eq(&self, other: &Self) -> bool {
        let game = |spec: &Self| spec.entry.game();
        (game(self), &self.line, &self.setup, &self.files)
            == (game(other), &other.line, &other.setup, &other.files)
    }
}
