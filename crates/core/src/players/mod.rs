//! A player is a line of text: `alphabeta depth=4 eval=jma`, `mcts iterations=1000`, `level hard`.
//!
//! The first word is the kind; then come `name=value` options and, for some kinds, other words. This
//! is the one grammar for command line, page, arena, cluster and files; an error says what would be
//! right. [`PlayerKind`]s describe themselves, so that help texts and forms are made from them.

mod kind;
mod levels;
mod line;
mod options;

pub use kind::{Built, Permissions, PlayerKind, PlayerKinds, PlayerSetup};
pub use levels::level_line;
pub use line::{PlayerLine, PlayerLineError};
pub use options::{OptionInfo, OptionValues, parse_duration};
