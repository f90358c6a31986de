//! Type erasure: games chosen at run time.
//!
//! [`AnyGame`] is a handle to a game, [`AnyPosition`] a boxed position. `AnyPosition` implements
//! [`Game`](crate::Game), so that histories, records and players of any game are the generic types with
//! that parameter ([`AnyGameHistory`], [`AnyRecord`], [`AnyPlayer`]), and code outside of hot loops (arena,
//! protocols, server, command line) is compiled once. Searches and learners are generic over the game's own
//! type; [`ErasedPlayer`] wraps such a player as an `AnyPlayer`, [`TypedPlayer`] does the reverse.

mod game;
mod object;
mod player;
mod position;
mod record;

pub use game::{AnyGame, AnyRules, PositionError, UnknownRules};
pub use object::Playable;
pub use player::{ErasedPlayer, TypedPlayer};
pub use position::{AnyMove, AnyPosition};

use crate::{Control, GameHistory, Info, Player, Ply, Record, SearchResult};

/// A game in progress, of any game.
pub type AnyGameHistory = GameHistory<AnyPosition>;
/// A recorded game, of any game.
pub type AnyRecord = Record<AnyPosition>;
/// A move of an [`AnyRecord`].
pub type AnyPly = Ply<AnyPosition>;
/// A player of any game.
pub type AnyPlayer = dyn Player<AnyPosition>;
/// The search state of an [`AnyPlayer`].
pub type AnyInfo = Info<AnyPosition>;
/// The search result of an [`AnyPlayer`].
pub type AnySearchResult = SearchResult<AnyPosition>;
/// The control of an [`AnyPlayer`]'s search.
pub type AnyControl<'a> = Control<'a, AnyPosition>;
