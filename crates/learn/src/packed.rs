//! Positions to learn from as a file: records of one size in compressed blocks, quick to read.
//!
//! The file begins with [`MAGIC`] and a check sum, and a line of JSON with this sum, the [`Header`], which says how
//! large its records are.
//! Then come blocks: the number of bytes (4), their check sum (8), and as many bytes of
//! [`AT_ONCE`] records or, in the last block, fewer, compressed by deflate. Numbers are little-endian.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};
use tablero_core::{Rules, checksum};

use crate::data::PARTS;
use crate::known::Known;
use crate::{GameData, LearnError, Learnable, Lessons, Targets};

/// How such a file's name ends.
pub const PACKED: &str = "positions";

const MAGIC: &str = "tablero positions 1";
/// Records of a block.
const AT_ONCE: usize = 4096;
/// More gains little.
const LEVEL: u8 = 6;
/// Bytes of a record besides the position's text and the moves: game, rules, seen, searched, result, surprise.
const FIXED: usize = 4 + 1 + 1 + 2 + 1 + 4;
/// Says that the result is not known.
const UNKNOWN: i8 = i8::MAX;
/// No file holds more games, or more bytes for a text or moves for a position: damaged ones ask for any memory.
const MOST_GAMES: usize = 1 << 26;
const MOST_TEXT: usize = 256;
const MOST_MOVES: usize = 1024;

/// What the records of a file have in common.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    game: String,
    /// Bytes for a position's text; the one with which its game ended, or nothing, has as many.
    text: usize,
    /// Moves with a share.
    moves: usize,
    /// The rules, which records name by number; the usual ones have no name.
    rules: Vec<String>,
    games: u32,
    positions: usize,
    /// How the games were played.
    past: Vec<String>,
}

/// A position, the number of its game, and that of its rules.
type Entry<G> = (u32, u8, Known<G>);

impl Header {
    const fn record(&self) -> usize {
        FIXED + 2 * self.text + 4 * self.moves
    }
}

/// All that can be learned from these games, whose past is told, as a file to be written; what is wrong with
/// them, if anything.
pub fn packed<G: Learnable>(games: &[GameData], past: Vec<String>) -> Result<Vec<u8>, String> {
    if games.len() > MOST_GAMES {
        return Err(format!("{} games; at most {MOST_GAMES} are possible", games.len()));
    }
    let (mut entries, mut rules) = (Vec::<Entry<G>>::new(), Vec::<String>::new());
    for (game, data) in (0..).zip(games) {
        let known = Known::of_game(data, true);
        let known = known.map_err(|problem| format!("game {}: {problem}", game + 1))?;
        let rule = rules.iter().position(|rules| *rules == data.rules).unwrap_or_else(|| {
            rules.push(data.rules.clone());
            rules.len() - 1
        });
        let rule = u8::try_from(rule).map_err(|_| "their rules have too many names")?;
        entries.extend(known.into_iter().map(|known| (game, rule, known)));
    }
    let text = |(_, _, known): &Entry<G>| {
        let last = known.last.as_ref().map_or(0, |last| last.position_text().len());
        last.max(known.position.position_text().len())
    };
    let header = Header {
        game: G::NAME.into(),
        text: entries.iter().map(text).max().unwrap_or(0),
        moves: entries.iter().map(|(_, _, known)| known.policy.len()).max().unwrap_or(0),
        rules,
        games: games.len() as u32,
        positions: entries.len(),
        past,
    };
    Ok(file(&header, &entries))
}

fn file<G: Learnable>(header: &Header, entries: &[Entry<G>]) -> Vec<u8> {
    let json = serde_json::to_string(header).unwrap_or_default();
    let mut file = format!("{MAGIC} {:016x}\n{json}\n", checksum(json.as_bytes())).into_bytes();
    for entries in entries.chunks(AT_ONCE) {
        let mut records = Vec::with_capacity(entries.len() * header.record());
        for entry in entries {
            write_record(entry, header, &mut records);
        }
        let block = compress_to_vec(&records, LEVEL);
        file.extend((block.len() as u32).to_le_bytes());
        file.extend(checksum(&block).to_le_bytes());
        file.extend(block);
    }
    file
}

fn write_record<G: Learnable>((game, rules, known): &Entry<G>, header: &Header, to: &mut Vec<u8>) {
    let end = to.len() + header.record();
    to.extend(game.to_le_bytes());
    to.extend([*rules, known.seen.min(u32::from(u8::MAX)) as u8]);
    to.extend(known.searched.to_le_bytes());
    to.extend(known.result.unwrap_or(UNKNOWN).to_le_bytes());
    to.extend(known.surprise.to_le_bytes());
    let last = known.last.as_ref().map_or_else(String::new, |last| last.position_text());
    for text in [known.position.position_text(), last] {
        let filled = to.len() + header.text;
        to.extend(text.into_bytes());
        to.resize(filled, 0);
    }
    for (number, share) in &known.policy {
        to.extend(number.to_le_bytes());
        to.extend(share.to_le_bytes());
    }
    // Moves without a share do not count.
    to.resize(end, 0);
}

impl<G: Learnable> Lessons<G> {
    /// Adds all positions of a file that was [`packed`]; gives how its games were played.
    pub fn add_packed(
        &mut self,
        path: &Path,
        targets: &Targets,
    ) -> Result<Vec<String>, LearnError> {
        let wrong = |problem| LearnError::File { path: path.to_owned(), problem };
        let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
        let (header, entries) = read::<G>(&bytes).map_err(wrong)?;
        let first = self.games();
        self.skip_games(header.games).map_err(wrong)?;
        for (game, _, known) in entries {
            known.lesson(targets, first + game).into_iter().for_each(|lesson| self.push(lesson));
        }
        Ok(header.past)
    }
}

fn read<G: Learnable>(bytes: &[u8]) -> Result<(Header, Vec<Entry<G>>), String> {
    let (header, mut rest) = read_header(bytes)?;
    if header.game != G::NAME {
        return Err(format!("it holds positions of {}, not of {}", header.game, G::NAME));
    }
    let rules: Result<Vec<G::Rules>, _> =
        header.rules.iter().map(|name| named::<G>(name)).collect();
    let (rules, mut entries) = (rules?, Vec::<Entry<G>>::new());
    while !rest.is_empty() {
        let number = 1 + entries.len() / AT_ONCE;
        let wrong = |problem| format!("block {number}: {problem}");
        let expected = AT_ONCE.min(header.positions - entries.len()) * header.record();
        for record in next_block(&mut rest, expected).map_err(wrong)?.chunks(header.record()) {
            let entry = read_record(record, &header, &rules, entries.last());
            entries.push(entry.map_err(wrong)?);
        }
    }
    match entries.len() == header.positions {
        true => Ok((header, entries)),
        false => Err(format!("it holds {} of {} positions", entries.len(), header.positions)),
    }
}

/// What the file says about itself, and its blocks.
fn read_header(bytes: &[u8]) -> Result<(Header, &[u8]), String> {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let sum = lines.next().and_then(|line| line.strip_prefix(format!("{MAGIC} ").as_bytes()));
    let sum = sum.ok_or_else(|| format!("it does not begin with `{MAGIC}`"))?;
    let (Some(json), Some(rest)) = (lines.next(), lines.next()) else {
        return Err("it is cut off".into());
    };
    if sum != format!("{:016x}", checksum(json)).as_bytes() {
        return Err("the check sum of its second line is wrong".into());
    }
    let header: Header = serde_json::from_slice(json)
        .map_err(|error| format!("its second line does not say what it holds: {error}"))?;
    let is_possible = header.games as usize <= MOST_GAMES
        && header.text <= MOST_TEXT
        && header.moves <= MOST_MOVES;
    if is_possible { Ok((header, rest)) } else { Err("it says that it holds too much".into()) }
}

fn named<G: Learnable>(name: &str) -> Result<G::Rules, String> {
    match name {
        "" => Ok(G::Rules::default()),
        name => G::Rules::from_name(name).ok_or_else(|| format!("there are no rules `{name}`")),
    }
}

/// The records of the next block, which is taken off; they have so many bytes.
fn next_block(rest: &mut &[u8], expected: usize) -> Result<Vec<u8>, String> {
    const CUT: &str = "it is cut off";
    let (length, after) = rest.split_first_chunk().ok_or(CUT)?;
    let (sum, after) = after.split_first_chunk().ok_or(CUT)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (block, after) = after.split_at_checked(length).ok_or(CUT)?;
    if checksum(block) != u64::from_le_bytes(*sum) {
        return Err("the check sum is wrong".into());
    }
    *rest = after;
    let records = decompress_to_vec_with_limit(block, expected);
    let records = records.ok().filter(|records| !records.is_empty() && records.len() == expected);
    records.ok_or_else(|| "it does not hold what it should".into())
}

fn read_record<G: Learnable>(
    record: &[u8],
    header: &Header,
    rules: &[G::Rules],
    before: Option<&Entry<G>>,
) -> Result<Entry<G>, String> {
    let (fixed, rest) = record.split_first_chunk::<FIXED>().ok_or("a record is cut off")?;
    let [g0, g1, g2, g3, rule, seen, v0, v1, result, s0, s1, s2, s3] = *fixed;
    let game = u32::from_le_bytes([g0, g1, g2, g3]);
    if game >= header.games {
        return Err(format!("there is no game {game}"));
    }
    let rules = *rules.get(usize::from(rule)).ok_or("there are no such rules")?;
    let (searched, result) = (i16::from_le_bytes([v0, v1]), result as i8);
    let surprise = f32::from_le_bytes([s0, s1, s2, s3]);
    let is_known = (-1..=1).contains(&result) || result == UNKNOWN;
    let is_value = f64::from(searched).abs() <= PARTS;
    if !(is_known && is_value && surprise.is_finite() && surprise >= 0.0) {
        return Err("a value, result or surprise cannot be".into());
    }
    let (text, rest) = rest.split_at(header.text);
    let (last, moves) = rest.split_at(header.text);
    let read = |text: &[u8]| {
        let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
        let text = text.trim_end_matches('\0');
        G::parse_position(text, rules).map_err(|error| format!("`{text}`: {error}"))
    };
    let last = match before.filter(|(of, _, known)| *of == game && known.last.is_some()) {
        _ if last.first().is_none_or(|byte| *byte == 0) => None,
        // A game has only one.
        Some((_, _, known)) => known.last.clone(),
        None => Some(Arc::new(read(last)?)),
    };
    let (moves, _) = moves.as_chunks::<4>();
    let policy = moves
        .iter()
        .map(|&[n0, n1, s0, s1]| (u16::from_le_bytes([n0, n1]), u16::from_le_bytes([s0, s1])));
    let known = Known {
        position: read(text)?,
        seen: u32::from(seen),
        searched,
        result: Some(result).filter(|result| *result != UNKNOWN),
        surprise,
        policy: policy.filter(|(_, share)| *share > 0).collect(),
        last,
    };
    Ok((game, rule, known))
}
