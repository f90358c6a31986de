use std::fmt;
use std::str::FromStr;

use tablero_core::{Game, Notation, Record};
use tablero_genomes::Senses;
use tablero_nets::Encoding;
use tablero_protocol::UciDialect;

use crate::formats::Formats;
use crate::players::{Judging, Kind, Levels, OwnKinds, find_judging, list_kinds};

/// A game with everything that Tablero offers for games.
pub trait Catalogued:
    Notation + Senses + Encoding + Formats + Levels + OwnKinds + UciDialect
{
    /// What [`players::kinds`](crate::players::kinds) lists. Being a game's own function, it is
    /// compiled here, once, with all searches behind it, and not again in every crate that builds
    /// players.
    fn player_kinds() -> Vec<Kind<Self>>;

    /// How [`players::build_judging`](crate::players::build_judging) makes a player of a kind, if it
    /// judges positions; compiled here as well.
    fn judging(kind: &str) -> Option<Judging<Self>>;
}

/// Lists the games: from each line come a name, the way from the name to the type, and a kind of
/// [`Document`]. (`$d` is a dollar sign for the macros inside.)
macro_rules! list_games {
    ($d:tt $($Name:ident: $type:ty;)*) => {
        /// A game by name.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum GameName {
            $(#[doc = stringify!($Name)] $Name,)*
        }

        impl GameName {
            /// All games.
            pub const ALL: &'static [Self] = &[$(Self::$Name),*];

            /// The name on the command line and in files.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$Name => <$type>::NAME,)* }
            }
        }

        /// The games' position types by the names used here.
        pub mod types {
            $(#[doc = stringify!($Name)] pub type $Name = $type;)*
        }

        /// The games in a file.
        #[derive(Clone, Debug)]
        pub enum Document {
            $(#[doc = concat!("Of ", stringify!($Name), ".")] $Name(Vec<Record<$type>>),)*
        }

        impl Document {
            /// Which game was played.
            pub const fn game(&self) -> GameName {
                match self { $(Self::$Name(_) => GameName::$Name,)* }
            }
        }

        $(impl Catalogued for $type {
            fn player_kinds() -> Vec<Kind<Self>> {
                list_kinds()
            }

            fn judging(kind: &str) -> Option<Judging<Self>> {
                find_judging(kind)
            }
        })*

        $(impl From<Vec<Record<$type>>> for Document {
            fn from(records: Vec<Record<$type>>) -> Self {
                Self::$Name(records)
            }
        })*

        /// Evaluates an expression with a type name standing for the game that a [`GameName`] names:
        /// `for_game!(name, G => perft(&G::start(Default::default()), 3))`.
        #[macro_export]
        macro_rules! for_game {
            ($d name:expr, $d G:ident => $d body:expr) => {
                match $d name {
                    $($crate::GameName::$Name => { type $d G = $crate::types::$Name; $d body })*
                }
            };
        }

        /// Evaluates an expression with the records of a [`Document`], whatever their game:
        /// `for_document!(document, records => show(&records))`.
        #[macro_export]
        macro_rules! for_document {
            ($d document:expr, $d records:ident => $d body:expr) => {
                match $d document {
                    $($crate::Document::$Name($d records) => $d body,)*
                }
            };
        }
    };
}

list_games! { $
    Othello: tablero_othello::Othello;
    Chess: tablero_chess::Chess;
    Shobu: tablero_shobu::Shobu;
    TicTacToe: tablero_tictactoe::TicTacToe;
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for GameName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|game| game.as_str().eq_ignore_ascii_case(text));
        found.copied().ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|game| game.as_str()).collect();
            format!("no game `{text}`; there are {}", known.join(", "))
        })
    }
}
