use std::io;
use std::path::PathBuf;

use tablero_core::excerpt;
use tablero_jobs::JobError;
use thiserror::Error;

use crate::NetKind;

/// Why a network cannot be read, written or built.
#[derive(Debug, Error)]
pub enum NetError {
    /// The file could not be read.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] JobError),
    /// Invalid or corrupt content.
    #[error("{0}")]
    Content(String),
    /// A network for another game.
    #[error("the network plays {}, not {expected}", excerpt(found))]
    WrongGame {
        /// The network's game.
        found: String,
        /// The game to play.
        expected: &'static str,
    },
    /// An invalid network description, or one that does not fit the game.
    #[error(transparent)]
    Kind(#[from] NetKindError),
}

/// Why a [`NetKind`] is invalid or does not fit a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NetKindError {
    /// Not a network description.
    #[error(
        "`{}` is not a network: expected `mlp 65-128-64-32-1` or `resnet 6x64` with any sizes, \
         the former optionally followed by `absolute`, the latter by `ownership` or, for chess, \
         `mover` or `attacks`",
        excerpt(text)
    )]
    Syntax {
        /// The text.
        text: String,
    },
    /// Too many parameters.
    #[error(
        "`{kind}` has {} million parameters; the limit is {} million",
        parameters / 1_000_000,
        max / 1_000_000
    )]
    TooLarge {
        /// The network.
        kind: NetKind,
        /// Its parameters.
        parameters: usize,
        /// The limit.
        max: usize,
    },
    /// An MLP whose input layer matches no encoding of the game.
    #[error("`{kind}`: a network for {game} has {} inputs", alternatives(expected))]
    Inputs {
        /// The network.
        kind: NetKind,
        /// The game.
        game: &'static str,
        /// The input sizes that the game has encodings for.
        expected: Vec<usize>,
    },
    /// An MLP with more than one output.
    #[error("`{kind}`: the last layer has 1 output, the value")]
    Outputs {
        /// The network.
        kind: NetKind,
    },
    /// `absolute` for a game without such an encoding.
    #[error("{game} has no absolute encoding, one number per square: leave out `absolute`")]
    Absolute {
        /// The game.
        game: &'static str,
    },
    /// `mover` for a game whose planes are always relative to the side to move.
    #[error("networks for {game} always see the board from the mover's side: leave out `mover`")]
    MoverView {
        /// The game.
        game: &'static str,
    },
    /// `attacks` for a game without attack planes.
    #[error("{game} has no attack planes: leave out `attacks`")]
    AttackPlanes {
        /// The game.
        game: &'static str,
    },
    /// `ownership` for a game whose squares have no owner at the end.
    #[error("{game} has no ownership target: leave out `ownership`")]
    Ownership {
        /// The game.
        game: &'static str,
    },
}

fn alternatives(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ")
}
