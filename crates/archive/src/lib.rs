//! A database of games: import of whole archives, search, opening explorer.
//!
//! One SQLite file holds the games of all kinds, each as one row (players, event, date, result, packed moves), and
//! an inverted index: every position of a game's opening, its players, event, year and opening are *terms* with a
//! posting list of games. Lists are sorted and delta-coded in large blobs (`postings`), which takes a third of the
//! space of a table with one row per entry; an import appends one segment per batch, and small segments are merged
//! as in a log-structured merge tree (`segments`). A batch of games and its segment are one transaction, so that
//! nothing is half done if the program is killed.
//!
//! Positions are keyed up to board symmetry ([`tablero_core::Canonical`]).
//!
//! ```
//! use tablero_archive::{Archive, ImportOptions, Query, Source};
//! use tablero_core::AnyGame;
//! use tablero_tictactoe::TicTacToe;
//!
//! # let folder = std::env::temp_dir().join(format!("tablero-archive-doc-{}", std::process::id()));
//! let game = AnyGame::of::<TicTacToe>();
//! let archive = Archive::open(&folder, &[game])?;
//! let text = b"[Game \"tictactoe\"]\n[X \"Ada\"]\n[O \"Bob\"]\n\n1. b2 a1 2. b1 a2 3. b3 1-0\n";
//! let report = archive.import(&[Source::bytes("games.pgn", text)], &ImportOptions::default(), &mut |_| {})?;
//! assert_eq!(report.games, 1);
//!
//! let explored = archive.explore(&game.start(), 10)?;
//! assert_eq!((explored.games, explored.moves[0].wins), (1, 1));
//! let found = archive.search(&Query { player: Some("ada".into()), ..Query::default() })?;
//! assert_eq!(found.total, 1);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), tablero_archive::ArchiveError>(())
//! ```

mod database;
mod error;
mod explore;
mod import;
mod names;
mod packed;
mod postings;
mod search;
mod segments;
mod stats;
mod terms;
mod varint;

pub use database::{Archive, FILE_NAME};
pub use error::ArchiveError;
pub use explore::{Explored, ExploredMove, PlayerScore};
pub use import::{ImportOptions, ImportProgress, ImportReport, SkippedSource, Source};
pub use packed::GameResult;
pub use postings::check_block;
pub use search::{Found, GameHeader, Query};
pub use stats::{GameStats, Stats};
