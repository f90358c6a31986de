use super::{OptionInfo, OptionValues, PlayerLine, PlayerLineError};
use crate::{AnyPlayer, Localized};

/// A kind of player, with its options.
pub struct PlayerKind {
    /// The first word of its lines.
    pub name: &'static str,
    /// Its help text.
    pub about: Localized,
    /// The words that it takes besides options, if any.
    pub words: Option<String>,
    /// Its options.
    pub options: Vec<OptionInfo>,
    /// Whether its players start an external program.
    pub starts_program: bool,
    /// Builds a player from a checked line.
    pub build: fn(&PlayerLine, &PlayerSetup) -> BuildResult,
}

impl PlayerKind {
    /// If `value` of `option` is the path of a file: the names that are valid in its place.
    fn alternatives_to_file(&self, option: &str, value: &str) -> Option<&[String]> {
        let option = self.options.iter().find(|known| known.name == option)?;
        match &option.values {
            OptionValues::NameOrFile(names) if !names.iter().any(|name| name == value) => {
                Some(names)
            }
            _ => None,
        }
    }

    /// An upper bound, in MB, of the memory that the player of a checked line allocates.
    pub fn memory_mb(&self, line: &PlayerLine, setup: &PlayerSetup) -> usize {
        /// Assumed for an external engine, besides its hash table.
        const PROGRAM: usize = 64;
        /// Stack and tables of a search thread.
        const THREAD: usize = 4;
        if self.starts_program {
            return PROGRAM + line.value::<usize>("Hash").unwrap_or(0);
        }
        let option = |name| self.options.iter().find(|option| option.name == name);
        let default = |name| option(name).and_then(|option| option.default.parse::<usize>().ok());
        let size = |name| {
            let given = || line.value(name).or(setup.hash_mb);
            default(name).map(|default| given().unwrap_or(default))
        };
        let simulations = ["iterations", "sims"].into_iter().find_map(|name| {
            let is_timed = line.option("time").is_some() || setup.limited_by_caller;
            line.value(name).or_else(|| default(name).filter(|_| !is_timed))
        });
        let tree = simulations.map_or(usize::MAX, tree_mb);
        let threads =
            default("threads").map_or(0, |_| line.value("threads").unwrap_or(setup.threads));
        size("hash").unwrap_or(0) + size("memory").unwrap_or(0).min(tree) + threads * THREAD
    }
}

/// An upper bound, in MB, of the memory of a search tree after this many simulations. Each adds at most a
/// node, of up to some KB; part of the tree is kept from move to move.
pub const fn tree_mb(simulations: usize) -> usize {
    const PER_SIMULATION: usize = 64 << 10;
    simulations.saturating_mul(PER_SIMULATION).div_ceil(1 << 20)
}

/// The result of building a player.
pub type BuildResult = Result<Box<AnyPlayer>, PlayerLineError>;

/// Settings of the caller that builds a player, besides those of its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayerSetup {
    /// Default number of threads.
    pub threads: usize,
    /// Default size of tables and trees in MB.
    pub hash_mb: Option<usize>,
    /// Number of principal variations to report.
    pub multi_pv: usize,
    /// Whether the caller limits every search, so that lines without a limit get no default one.
    pub limited_by_caller: bool,
    /// What the line may do.
    pub permissions: Permissions,
}

impl PlayerSetup {
    /// For lines of the local user, with all permissions.
    pub const LOCAL: Self = Self {
        threads: 1,
        hash_mb: None,
        multi_pv: 1,
        limited_by_caller: false,
        permissions: Permissions::ALL,
    };

    /// Fails if the threads or the memory exceed those of this machine.
    pub fn check(&self) -> Result<(), PlayerLineError> {
        let memory = OptionValues::Megabytes { min: 0, max: u64::MAX };
        let hash = self.hash_mb.map(|megabytes| ("hash", megabytes, memory));
        let threads = ("threads", self.threads.max(1), OptionValues::Threads);
        for (option, value, values) in [threads].into_iter().chain(hash) {
            let value = value.to_string();
            if !values.allows(&value) {
                let allowed = values.on_this_machine();
                return Err(PlayerLineError::InvalidValue {
                    option: option.into(),
                    value,
                    allowed,
                });
            }
        }
        Ok(())
    }
}

impl Default for PlayerSetup {
    /// One thread, no permissions.
    fn default() -> Self {
        Self { permissions: Permissions::NONE, ..Self::LOCAL }
    }
}

/// Capabilities of a player line on the machine where it is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Permissions {
    /// Start external programs.
    pub programs: bool,
    /// Read files.
    pub files: bool,
}

impl Permissions {
    /// None: for lines from remote users.
    pub const NONE: Self = Self { programs: false, files: false };
    /// All: for the local user.
    pub const ALL: Self = Self { programs: true, files: true };

    /// Fails unless files may be read; `known` are the names that the option takes besides files.
    pub fn check_file(
        self,
        option: &str,
        value: &str,
        known: &[String],
    ) -> Result<(), PlayerLineError> {
        let denied = || PlayerLineError::FileNotPermitted {
            option: option.into(),
            value: value.into(),
            known: known.to_vec(),
        };
        if self.files { Ok(()) } else { Err(denied()) }
    }
}

/// The kinds of players of one game.
pub struct PlayerKinds(pub Vec<PlayerKind>);

impl PlayerKinds {
    /// The kind of a line, after checking its words and options.
    pub fn check(&self, line: &PlayerLine) -> Result<&PlayerKind, PlayerLineError> {
        let found = self.0.iter().find(|kind| kind.name == line.kind);
        let kind = found.ok_or_else(|| PlayerLineError::UnknownKind {
            kind: line.kind.clone(),
            known: self.0.iter().map(|kind| kind.name).collect(),
        })?;
        line.check(kind.name, &kind.options, kind.words.is_some())?;
        Ok(kind)
    }

    /// Like [`check`](Self::check), and also checks permissions. Neither reads files nor starts programs.
    pub fn permit(
        &self,
        line: &PlayerLine,
        permissions: Permissions,
    ) -> Result<&PlayerKind, PlayerLineError> {
        let kind = self.check(line)?;
        if kind.starts_program && !permissions.programs {
            return Err(PlayerLineError::ProgramNotPermitted { kind: kind.name.into() });
        }
        for (name, value) in &line.options {
            let Some(known) = kind.alternatives_to_file(name, value) else { continue };
            permissions.check_file(name, value, known)?;
        }
        Ok(kind)
    }

    /// Builds the player of a line.
    pub fn build(&self, line: &str, setup: &PlayerSetup) -> BuildResult {
        let line: PlayerLine = line.parse()?;
        let kind = self.permit(&line, setup.permissions)?;
        setup.check()?;
        (kind.build)(&line, setup)
    }

    /// `line` with every file in it replaced by the result of `resolve`.
    pub fn replace_files(
        &self,
        line: &str,
        resolve: &mut dyn FnMut(&str) -> Result<String, String>,
    ) -> Result<PlayerLine, PlayerLineError> {
        let mut line: PlayerLine = line.parse()?;
        let kind = self.check(&line)?;
        for (name, value) in &mut line.options {
            if kind.alternatives_to_file(name, value).is_some() {
                *value = resolve(value).map_err(|reason| PlayerLineError::InvalidFile {
                    option: name.clone(),
                    value: value.clone(),
                    reason,
                })?;
            }
        }
        Ok(line)
    }

    /// Whether `line` starts an external program.
    pub fn starts_program(&self, line: &str) -> Result<bool, PlayerLineError> {
        Ok(self.check(&line.parse()?)?.starts_program)
    }
}
