use super::{OptionInfo, OptionValues, PlayerLine, PlayerLineError};
use crate::AnyPlayer;

/// A kind of player.
pub struct PlayerKind {
    /// The first word of its lines.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The words that it needs beside options, if it takes any.
    pub words: Option<&'static str>,
    /// Its options.
    pub options: Vec<OptionInfo>,
    /// Whether a player of this kind runs another program.
    pub starts_program: bool,
    /// Makes a player of a line that has been checked against the options.
    pub build: fn(&PlayerLine, &PlayerSetup) -> Built,
}

impl PlayerKind {
    /// If that value of an option is the path of a file: the names that could stand there instead.
    fn names_beside_file(&self, option: &str, value: &str) -> Option<&[String]> {
        let option = self.options.iter().find(|known| known.name == option)?;
        match &option.values {
            OptionValues::NameOrFile(names) if !names.iter().any(|name| name == value) => {
                Some(names)
            }
            _ => None,
        }
    }
}

/// A player, or why there is none.
pub type Built = Result<Box<AnyPlayer>, PlayerLineError>;

/// What whoever builds a player asks of it, beside what its line says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayerSetup {
    /// Threads, if the line does not say.
    pub threads: usize,
    /// Megabytes for what a search remembers, if the line does not say.
    pub hash_mb: Option<usize>,
    /// Best lines to report.
    pub lines: usize,
    /// The caller bounds every decision itself, so a line without a bound gets none of its own.
    pub bounded_by_caller: bool,
    /// What the line may do on this machine.
    pub permissions: Permissions,
}

impl PlayerSetup {
    /// For lines of the user of this machine, who may do everything.
    pub const LOCAL: Self = Self {
        threads: 1,
        hash_mb: None,
        lines: 1,
        bounded_by_caller: false,
        permissions: Permissions::ALL,
    };
}

impl Default for PlayerSetup {
    /// One thread and no permissions.
    fn default() -> Self {
        Self { permissions: Permissions::NONE, ..Self::LOCAL }
    }
}

/// What a player line may do on the machine where it is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Permissions {
    /// Start other programs.
    pub programs: bool,
    /// Read files that it names.
    pub files: bool,
}

impl Permissions {
    /// Nothing: for lines that come from others.
    pub const NONE: Self = Self { programs: false, files: false };
    /// Everything: for the machine's own user.
    pub const ALL: Self = Self { programs: true, files: true };

    /// An error unless files may be read.
    pub fn check_files(self) -> Result<(), PlayerLineError> {
        let denied = || PlayerLineError("files are not read here".into());
        if self.files { Ok(()) } else { Err(denied()) }
    }
}

/// The kinds of players of one game.
pub struct PlayerKinds(pub Vec<PlayerKind>);

impl PlayerKinds {
    /// The kind of a line whose words and options are right.
    pub fn check(&self, line: &PlayerLine) -> Result<&PlayerKind, PlayerLineError> {
        let found = self.0.iter().find(|kind| kind.name == line.kind);
        let kind = found.ok_or_else(|| {
            let known: Vec<_> = self.0.iter().map(|kind| kind.name).collect();
            PlayerLineError(format!(
                "there is no player kind `{}`; there are {}",
                line.kind,
                known.join(", ")
            ))
        })?;
        line.check(kind.name, &kind.options, kind.words)?;
        Ok(kind)
    }

    /// Like [`check`](Self::check), and the line asks for nothing that is not permitted. Builds nothing:
    /// what only a file or a program itself can tell is not known yet.
    pub fn permit(
        &self,
        line: &PlayerLine,
        permissions: Permissions,
    ) -> Result<&PlayerKind, PlayerLineError> {
        let kind = self.check(line)?;
        if kind.starts_program && !permissions.programs {
            let problem =
                format!("`{}` starts another program, which is not allowed here", kind.name);
            return Err(PlayerLineError(problem));
        }
        for (name, value) in &line.options {
            let Some(known) = kind.names_beside_file(name, value) else { continue };
            permissions.check_files().map_err(|error| {
                let known = match known {
                    [] => String::new(),
                    known => format!("; known are {}", known.join(", ")),
                };
                PlayerLineError(format!("`{name}={value}`: {error}{known}"))
            })?;
        }
        Ok(kind)
    }

    /// The player that `line` describes.
    pub fn build(&self, line: &str, setup: &PlayerSetup) -> Built {
        let line: PlayerLine = line.parse()?;
        let kind = self.permit(&line, setup.permissions)?;
        (kind.build)(&line, setup)
    }

    /// `line` with every file that it names replaced by what `place` says about it.
    pub fn replace_files(
        &self,
        line: &str,
        place: &mut dyn FnMut(&str) -> Result<String, String>,
    ) -> Result<PlayerLine, PlayerLineError> {
        let mut line: PlayerLine = line.parse()?;
        let kind = self.check(&line)?;
        for (name, value) in &mut line.options {
            if kind.names_beside_file(name, value).is_some() {
                let problem =
                    |problem: String| PlayerLineError(format!("`{name}={value}`: {problem}"));
                *value = place(value).map_err(problem)?;
            }
        }
        Ok(line)
    }

    /// Whether `line` starts another program.
    pub fn starts_program(&self, line: &str) -> Result<bool, PlayerLineError> {
        Ok(self.check(&line.parse()?)?.starts_program)
    }
}
