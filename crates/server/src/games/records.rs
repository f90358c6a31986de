//! Conversion between games of the library and records, which file formats read and write.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use tablero_core::{
    AnyGame, AnyGameHistory, AnyPly, AnyPosition, AnyRecord, FileFormat, ForFirst, Input, Output,
    ReadError, Value, WriteError,
};

use crate::api::{GameEnd, Problem, RecordSummary, SkippedGame, Tag};
use crate::error::{ApiError, ApiResult};
use crate::game_file::{EndedAt, GameFile, StoredNode};

/// The content of an imported file or text.
pub(crate) struct Imported {
    pub(crate) game: AnyGame,
    pub(crate) format: &'static str,
    pub(crate) summaries: Vec<RecordSummary>,
    /// The number of games that could not be read, and the first of them.
    pub(crate) skipped: usize,
    pub(crate) skipped_games: Vec<SkippedGame>,
    pub(crate) games: Vec<GameFile>,
}

/// Reads a file or text, detecting its game and format where they are not given, and converts the records
/// that `wanted` picks by index and total count. The file extension is a hint for the format.
pub(crate) fn import(
    bytes: &[u8],
    extension: Option<&str>,
    game: Option<AnyGame>,
    format: Option<&str>,
    wanted: impl Fn(usize, usize) -> bool,
) -> ApiResult<Imported> {
    // Readers of multi-file formats look for companion files beside the path: there must be none.
    let path = extension.map(|extension| PathBuf::from(format!("/dev/null/file.{extension}")));
    let input = Input { bytes, path: path.as_deref() };
    let (records, format) = tablero_registry::open(&input, game, format)?;
    let first = records.first().ok_or(Problem::EmptyFile)?;
    let picked = records.iter().enumerate().filter(|(index, _)| wanted(*index, records.len()));
    Ok(Imported {
        game: first.start.game(),
        format,
        summaries: records.iter().enumerate().map(summary).collect(),
        skipped: records.skipped_count(),
        skipped_games: records.skipped().iter().cloned().map(skipped_game).collect(),
        games: picked.map(|(_, record)| file_from_record(record)).collect(),
    })
}

fn summary((index, record): (usize, &AnyRecord)) -> RecordSummary {
    RecordSummary {
        index,
        players: record.players.clone(),
        end: record.end.map(|end| GameEnd::new(end, has_margin(record))),
        plies: record.plies.len(),
        event: event(record.tag("Event"), record.tag("Date")),
    }
}

fn skipped_game(
    tablero_core::SkippedGame { number, error }: tablero_core::SkippedGame,
) -> SkippedGame {
    let ReadError { location, found, expected } = error;
    let location = location.into();
    SkippedGame { number, location, found: found.into(), expected: expected.into() }
}

fn has_margin(record: &AnyRecord) -> bool {
    record.start.info().margin.is_some()
}

/// Event and date of a game, where known.
pub(crate) fn event(event: Option<&str>, date: Option<&str>) -> String {
    let known = |text: &&str| !text.is_empty() && !text.starts_with('?');
    [event, date].into_iter().flatten().filter(known).collect::<Vec<_>>().join(", ")
}

/// Converts a record to a game of the library.
pub(crate) fn file_from_record(record: &AnyRecord) -> GameFile {
    let rules = record.start.rules().name();
    let mut file = GameFile::new(record.start.info().name, rules, record.start.position_text());
    for (seat, name) in file.players.iter_mut().zip(&record.players) {
        seat.name.clone_from(name);
    }
    let tag = |(name, value): &(String, String)| Tag { name: name.clone(), value: value.clone() };
    file.tags = record.tags.iter().map(tag).collect();
    file.nodes[0].comment.clone_from(&record.comment);
    file.current = add_line(&mut file, 0, &record.start, &record.plies);
    let by_rules = || record.replay().ok().and_then(|game| game.end());
    let end = record.end.or_else(by_rules).map(|end| GameEnd::new(end, has_margin(record)));
    file.ended = end.map(|end| EndedAt::recorded(file.current, end));
    file
}

/// Converts a played game to a game of the library.
pub(crate) fn file_from_history(game: &AnyGameHistory) -> GameFile {
    let mut file = file_from_record(&AnyRecord::from_history(game));
    file.ended = file.ended.map(|ended| EndedAt::new(ended.node, ended.end));
    file
}

/// Adds a line and its variations below `parent`; returns the id of its last node.
fn add_line(file: &mut GameFile, parent: u32, start: &AnyPosition, plies: &[AnyPly]) -> u32 {
    let (mut parent, mut position) = (parent, start.clone());
    // The main move comes before its variations, so that it is the first of its siblings.
    for ply in plies {
        let id = file.next_id;
        file.next_id += 1;
        file.nodes.push(StoredNode {
            id,
            parent: Some(parent),
            name: Some(position.move_name(ply.m)),
            comment: ply.comment.clone(),
            glyphs: ply.glyphs.clone(),
            score: ply.value.map(|ForFirst(value)| value.to_string()),
            time_ms: ply.time.map(|time| time.as_millis() as u64),
            clock_ms: None,
        });
        for variation in &ply.variations {
            add_line(file, parent, &position, variation);
        }
        position.play(ply.m);
        parent = id;
    }
    parent
}

/// Converts a game of the library to a record.
pub(crate) fn record_of(game: AnyGame, file: &GameFile) -> ApiResult<AnyRecord> {
    let rules = game.rules(&file.rules)?;
    let start = rules.parse_position(&file.start).map_err(ApiError::internal)?;
    let mut record = AnyRecord::new(start);
    for (name, seat) in record.players.iter_mut().zip(&file.players) {
        let line = if seat.is_human() { "" } else { &seat.player };
        *name = if seat.name.is_empty() { line.into() } else { seat.name.clone() };
    }
    record.tags = file.tags.iter().map(|tag| (tag.name.clone(), tag.value.clone())).collect();
    record.comment = file.nodes.first().map_or_else(String::new, |root| root.comment.clone());
    let mut children: HashMap<u32, Vec<&StoredNode>> = HashMap::new();
    for node in &file.nodes {
        if let Some(parent) = node.parent {
            children.entry(parent).or_default().push(node);
        }
    }
    record.plies = plies_below(&children, 0, &record.start)?;
    record.end = file.ended.as_ref().map(|ended| ended.end.to_core());
    Ok(record)
}

type Children<'a> = HashMap<u32, Vec<&'a StoredNode>>;

/// The main line below a node, with its variations.
fn plies_below(children: &Children<'_>, node: u32, start: &AnyPosition) -> ApiResult<Vec<AnyPly>> {
    let (mut plies, mut at, mut position) = (Vec::new(), node, start.clone());
    while let Some([main, others @ ..]) = children.get(&at).map(Vec::as_slice) {
        let mut ply = ply_of(main, &position)?;
        for other in others {
            let first = ply_of(other, &position)?;
            let below = plies_below(children, other.id, &position.after(first.m))?;
            ply.variations.push(std::iter::once(first).chain(below).collect());
        }
        position.play(ply.m);
        plies.push(ply);
        at = main.id;
    }
    Ok(plies)
}

fn ply_of(node: &StoredNode, position: &AnyPosition) -> ApiResult<AnyPly> {
    let name = node.name.as_deref().unwrap_or_default();
    let m = position.parse_move(name).map_err(ApiError::internal)?;
    Ok(AnyPly {
        time: node.time_ms.map(Duration::from_millis),
        value: node.score.as_deref().and_then(Value::from_text).map(ForFirst),
        comment: node.comment.clone(),
        glyphs: node.glyphs.clone(),
        ..AnyPly::new(m)
    })
}

/// A game as a file.
pub(crate) struct Exported {
    /// The main file and its companions.
    pub(crate) outputs: Vec<Output>,
    /// Names that the format cannot represent, and their replacements.
    pub(crate) renamed: Vec<[String; 2]>,
}

/// Exports a game in a file format.
pub(crate) fn export(game: AnyGame, file: &GameFile, format: &str) -> ApiResult<Exported> {
    export_all(game, std::slice::from_ref(file), format)
}

/// Exports games in one file.
pub(crate) fn export_all(game: AnyGame, files: &[GameFile], format: &str) -> ApiResult<Exported> {
    let formats = game.formats();
    let format = formats.iter().find(|known| known.name == format).ok_or_else(|| {
        let available = formats.iter().map(|format: &FileFormat| format.name).collect();
        Problem::UnknownFormat { name: format.into(), available }
    })?;
    let mut renamed = Vec::new();
    let mut records = Vec::with_capacity(files.len());
    for file in files {
        let mut record = record_of(game, file)?;
        if format.name == WTHOR {
            for name in &mut record.players {
                fit(name, MAX_PLAYER_NAME, &mut renamed);
            }
            for (_, event) in record.tags.iter_mut().filter(|(name, _)| name == "Event") {
                fit(event, MAX_EVENT_NAME, &mut renamed);
            }
        }
        records.push(record);
    }
    renamed.sort();
    renamed.dedup();
    let written = (format.write)(&records);
    let outputs = written.map_err(|WriteError(reason)| Problem::NotExportable {
        format: format.name.into(),
        reason,
    })?;
    Ok(Exported { outputs, renamed })
}

/// WTHOR limits the length of names.
const WTHOR: &str = "wthor";
const MAX_PLAYER_NAME: usize = 19;
const MAX_EVENT_NAME: usize = 25;

/// Truncates a name to `max` Latin-1 characters, recording the replacement.
fn fit(name: &mut String, max: usize, renamed: &mut Vec<[String; 2]>) {
    let letter = |c: char| if c.is_control() || u32::from(c) > 0xff { '?' } else { c };
    let fitted: String = name.chars().map(letter).take(max).collect();
    let fitted = fitted.trim().to_owned();
    if fitted != *name {
        renamed.push([std::mem::replace(name, fitted.clone()), fitted]);
    }
}
