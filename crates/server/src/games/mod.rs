//! Games: the live game and its move tree, conversion from and to records, and the library on disk.

mod clock;
mod game;
mod library;
mod nodes;
mod positions;
mod records;
mod remote;
mod tree;
mod view;

pub(crate) use game::{Change, Game, MoveMeta, PendingMove};
pub(crate) use library::{GameEvent, Handle, Library};
pub(crate) use nodes::{legal_moves, line_view, load_tree, score};
pub(crate) use positions::{
    check_position, history_after, is_default_start, new_history, play_moves,
};
pub(crate) use records::{
    Exported, Imported, export, export_all, file_from_history, file_from_record, import, record_of,
};
pub(crate) use remote::{Invitation, Role};
