//! Games chosen at run time.
//!
//! [`AnyGame`] is a handle to a game, [`AnyPosition`] a position of it. An `AnyPosition` is a [`Game`]
//! itself, so that a match, a record or a player of any game is the ordinary type with another
//! parameter ([`AnyMatch`], [`AnyRecord`], [`AnyPlayer`]), and whatever is not a hot loop (arena,
//! protocols, server, command line) is compiled once. Searches and learners work on the game's own type;
//! [`ErasedPlayer`] makes one of their players an `AnyPlayer`.

mod game;
mod object;
mod player;
mod position;
mod record;

pub use game::{AnyGame, AnyRules, NoSuchRules, PositionError};
pub use object::Playable;
pub use player::{ErasedPlayer, TypedPlayer};
pub use position::{AnyMove, AnyPosition};

use crate::{Choice, Control, Info, Match, Player, Ply, Record};

/// A game under way, whichever game it is.
pub type AnyMatch = Match<AnyPosition>;
/// A recorded game, whichever game it is.
pub type AnyRecord = Record<AnyPosition>;
/// A move of an [`AnyRecord`].
pub type AnyPly = Ply<AnyPosition>;
/// A player of any game.
pub type AnyPlayer = dyn Player<AnyPosition>;
/// What an [`AnyPlayer`] found out so far.
pub type AnyInfo = Info<AnyPosition>;
/// A decision of an [`AnyPlayer`].
pub type AnyChoice = Choice<AnyPosition>;
/// Controls an [`AnyPlayer`] while it thinks.
pub type AnyControl<'a> = Control<'a, AnyPosition>;
