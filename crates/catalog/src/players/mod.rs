//! A player is a line of text: `alphabeta depth=4 eval=jma`, `mcts iterations=1000`, `level hard`.
//!
//! The first word is the kind; then come `name=value` options and, for some kinds, other words. This
//! is the one grammar for command line, page, arena and files; what is wrong in a line is said
//! together with what would be right.

mod champion;
mod external;
mod kinds;
mod levels;
mod line;
mod nets;
mod options;
mod travel;

pub use external::OwnKinds;
pub use kinds::{Built, Judging, Kind, kinds};
pub(crate) use kinds::{find_judging, list_kinds};
pub use levels::{Level, Levels, level_line};
pub use line::{PlayerLine, PlayerLineError};
pub use options::{OptionInfo, Values, parse_duration};
pub use travel::{replace_files, starts_program};

use tablero_core::{Evaluation, Player};

use crate::Catalogued;

/// What whoever builds a player asks of it, beside what its line says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Threads, if the line does not say.
    pub threads: usize,
    /// Megabytes for what a search remembers, if the line does not say.
    pub hash_mb: Option<usize>,
    /// Best lines to report.
    pub lines: usize,
    /// The caller bounds every decision itself, so a line without a bound gets none of its own.
    pub bounded_by_caller: bool,
    /// Whether lines may start other programs.
    pub may_start_programs: bool,
    /// Whether lines may name files.
    pub may_read_files: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            threads: 1,
            hash_mb: None,
            lines: 1,
            bounded_by_caller: false,
            may_start_programs: true,
            may_read_files: true,
        }
    }
}

/// The player that `line` describes.
///
/// ```
/// use tablero_catalog::players::{Setup, build};
/// use tablero_tictactoe::TicTacToe;
/// assert!(build::<TicTacToe>("alphabeta depth=9", &Setup::default()).is_ok());
/// let error = build::<TicTacToe>("alphabeta dpeth=9", &Setup::default()).err().unwrap();
/// assert!(error.to_string().contains("depth"));
/// ```
pub fn build<G: Catalogued>(
    line: &str,
    setup: &Setup,
) -> Result<Box<dyn Player<G>>, PlayerLineError> {
    let line: PlayerLine = line.parse()?;
    (check::<G>(&line)?.build)(&line, setup)
}

/// The player that `line` describes, one of a kind that judges positions, but judging them by
/// `evaluation`.
pub fn build_judging<G: Catalogued>(
    line: &str,
    setup: &Setup,
    evaluation: Box<dyn Evaluation<G>>,
) -> Result<Box<dyn Player<G>>, PlayerLineError> {
    let line: PlayerLine = line.parse()?;
    check::<G>(&line)?;
    let judging = G::judging(&line.kind).filter(|_| line.option("eval").is_none());
    let judging = judging.ok_or_else(|| {
        PlayerLineError(format!(
            "`{line}`: a line of greedy, minimax or alphabeta is expected, without eval="
        ))
    })?;
    judging(&line, setup, evaluation)
}

/// The kind of a line whose words and options are right.
fn check<G: Catalogued>(line: &PlayerLine) -> Result<Kind<G>, PlayerLineError> {
    let kinds = kinds::<G>();
    let known: Vec<_> = kinds.iter().map(|kind| kind.name).collect();
    let kind = kinds.into_iter().find(|kind| kind.name == line.kind).ok_or_else(|| {
        PlayerLineError(format!(
            "there is no player kind `{}`; there are {}",
            line.kind,
            known.join(", ")
        ))
    })?;
    line.check(kind.name, &kind.options, kind.words)?;
    Ok(kind)
}
