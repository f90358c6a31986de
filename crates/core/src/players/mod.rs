//! Player lines: `alphabeta depth=4 eval=jma`, `mcts iterations=1000`, `level hard`.
//!
//! The first word is the kind; `name=value` options follow and, for some kinds, other words. Command line,
//! page, arena, cluster and files all use this grammar. Each [`PlayerKind`] describes its options, from
//! which help texts and forms are generated. What a line may do (read files, start programs) is a
//! capability ([`Permissions`]), denied by default.

mod error;
mod kind;
mod levels;
mod line;
mod options;

pub use error::PlayerLineError;
pub use kind::{BuildResult, Permissions, PlayerKind, PlayerKinds, PlayerSetup, tree_mb};
pub use levels::level_line;
pub use line::PlayerLine;
pub use options::{OptionInfo, OptionValues, parse_duration};
