//! A binary file format for annotated positions: fixed-size records in compressed blocks, faster to load than
//! games, which must be replayed.
//!
//! A text line with [`MAGIC`] and the checksum of the next line; a JSON line, the [`Header`], with the record
//! size; then blocks. A block is its length (4 bytes), its checksum (8 bytes) and up to [`BLOCK_RECORDS`] records,
//! deflated. Numbers are little-endian.

use std::path::Path;
use std::sync::Arc;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};
use tablero_core::{Rules, checksum, read_bounded};

use crate::annotated::AnnotatedPosition;
use crate::data::FIXED_POINT_ONE;
use crate::{GameData, LearnError, Learnable, TargetConfig, TrainingSet};

/// The file extension.
pub const POSITIONS_EXTENSION: &str = "positions";

const MAGIC: &str = "tablero positions 1";
/// Records per block.
const BLOCK_RECORDS: usize = 4096;
/// Deflate level; higher ones gain little.
const DEFLATE_LEVEL: u8 = 6;
/// Bytes of a record without positions and policy: game, rules, seen, q, z, surprise.
const FIXED_LEN: usize = 4 + 1 + 1 + 2 + 1 + 4;
/// Stands for an unknown result.
const UNKNOWN_Z: i8 = i8::MAX;
// Limits against allocating any amount of memory for a corrupt header.
const MAX_GAMES: usize = 1 << 26;
const MAX_BYTES: u64 = 64 << 30;
const MAX_TEXT_LEN: usize = 256;
const MAX_POLICY_LEN: usize = 1024;

/// The file header.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    game: String,
    /// Bytes of a position's text, and of the final position's.
    text_len: usize,
    /// Entries of the policy target.
    policy_len: usize,
    /// The rules that records refer to by index; empty for the default ones.
    rules: Vec<String>,
    games: u32,
    positions: usize,
    /// How the games were played.
    provenance: Vec<String>,
}

/// The game's index, the index of its rules, and the position.
type Entry<G> = (u32, u8, AnnotatedPosition<G>);

impl Header {
    const fn record(&self) -> usize {
        FIXED_LEN + 2 * self.text_len + 4 * self.policy_len
    }
}

/// Encodes all annotated positions of these games as a file.
pub fn pack_positions<G: Learnable>(
    games: &[GameData],
    provenance: Vec<String>,
) -> Result<Vec<u8>, String> {
    if games.len() > MAX_GAMES {
        return Err(format!("{} games; the limit is {MAX_GAMES}", games.len()));
    }
    let (mut entries, mut rules) = (Vec::<Entry<G>>::new(), Vec::<String>::new());
    for (game, data) in (0..).zip(games) {
        let annotated = AnnotatedPosition::of_game(data, true);
        let annotated = annotated.map_err(|problem| format!("game {}: {problem}", game + 1))?;
        let rule = rules.iter().position(|rules| *rules == data.rules).unwrap_or_else(|| {
            rules.push(data.rules.clone());
            rules.len() - 1
        });
        let rule = u8::try_from(rule).map_err(|_| "too many different rules")?;
        entries.extend(annotated.into_iter().map(|annotated| (game, rule, annotated)));
    }
    let text = |(_, _, annotated): &Entry<G>| {
        let last = annotated.last.as_ref().map_or(0, |last| last.position_text().len());
        last.max(annotated.position.position_text().len())
    };
    let header = Header {
        game: G::NAME.into(),
        text_len: entries.iter().map(text).max().unwrap_or(0),
        policy_len: entries
            .iter()
            .map(|(_, _, annotated)| annotated.policy.len())
            .max()
            .unwrap_or(0),
        rules,
        games: games.len() as u32,
        positions: entries.len(),
        provenance,
    };
    Ok(encode(&header, &entries))
}

fn encode<G: Learnable>(header: &Header, entries: &[Entry<G>]) -> Vec<u8> {
    let json = serde_json::to_string(header).unwrap_or_default();
    let mut file = format!("{MAGIC} {:016x}\n{json}\n", checksum(json.as_bytes())).into_bytes();
    for entries in entries.chunks(BLOCK_RECORDS) {
        let mut records = Vec::with_capacity(entries.len() * header.record());
        for entry in entries {
            write_record(entry, header, &mut records);
        }
        let block = compress_to_vec(&records, DEFLATE_LEVEL);
        file.extend((block.len() as u32).to_le_bytes());
        file.extend(checksum(&block).to_le_bytes());
        file.extend(block);
    }
    file
}

fn write_record<G: Learnable>(
    (game, rules, annotated): &Entry<G>,
    header: &Header,
    to: &mut Vec<u8>,
) {
    let end = to.len() + header.record();
    to.extend(game.to_le_bytes());
    to.extend([*rules, annotated.seen.min(u32::from(u8::MAX)) as u8]);
    to.extend(annotated.q.to_le_bytes());
    to.extend(annotated.z.unwrap_or(UNKNOWN_Z).to_le_bytes());
    to.extend(annotated.surprise.to_le_bytes());
    let last = annotated.last.as_ref().map_or_else(String::new, |last| last.position_text());
    for text in [annotated.position.position_text(), last] {
        let filled = to.len() + header.text_len;
        to.extend(text.into_bytes());
        to.resize(filled, 0);
    }
    for (index, prob) in &annotated.policy {
        to.extend(index.to_le_bytes());
        to.extend(prob.to_le_bytes());
    }
    // Entries with probability 0 are padding.
    to.resize(end, 0);
}

impl<G: Learnable> TrainingSet<G> {
    /// Adds all positions of a file made by [`pack_positions`]; returns the provenance of its games.
    pub fn add_packed(
        &mut self,
        path: &Path,
        targets: &TargetConfig,
    ) -> Result<Vec<String>, LearnError> {
        let invalid = |problem| LearnError::File { path: path.to_owned(), problem };
        let bytes = read_bounded(path, MAX_BYTES).map_err(|error| invalid(error.to_string()))?;
        let (header, entries) = read::<G>(&bytes).map_err(invalid)?;
        let first = self.games();
        self.skip_games(header.games).map_err(invalid)?;
        for (game, _, annotated) in entries {
            annotated
                .label(targets, first + game)
                .into_iter()
                .for_each(|position| self.push(position));
        }
        Ok(header.provenance)
    }
}

fn read<G: Learnable>(bytes: &[u8]) -> Result<(Header, Vec<Entry<G>>), String> {
    let (header, mut rest) = read_header(bytes)?;
    if header.game != G::NAME {
        return Err(format!("the positions are of {}, not of {}", header.game, G::NAME));
    }
    let rules: Result<Vec<G::Rules>, _> =
        header.rules.iter().map(|name| parse_rules::<G>(name)).collect();
    let (rules, mut entries) = (rules?, Vec::<Entry<G>>::new());
    while !rest.is_empty() {
        let block = 1 + entries.len() / BLOCK_RECORDS;
        let in_block = |problem| format!("block {block}: {problem}");
        let expected = BLOCK_RECORDS.min(header.positions - entries.len()) * header.record();
        for record in next_block(&mut rest, expected).map_err(in_block)?.chunks(header.record()) {
            let entry = read_record(record, &header, &rules, entries.last());
            entries.push(entry.map_err(in_block)?);
        }
    }
    match entries.len() == header.positions {
        true => Ok((header, entries)),
        false => Err(format!("truncated: {} of {} positions", entries.len(), header.positions)),
    }
}

/// The header, and the blocks.
fn read_header(bytes: &[u8]) -> Result<(Header, &[u8]), String> {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let sum = lines.next().and_then(|line| line.strip_prefix(format!("{MAGIC} ").as_bytes()));
    let sum = sum.ok_or_else(|| format!("the file does not start with `{MAGIC}`"))?;
    let (Some(json), Some(rest)) = (lines.next(), lines.next()) else {
        return Err("truncated header".into());
    };
    if sum != format!("{:016x}", checksum(json)).as_bytes() {
        return Err("header checksum mismatch".into());
    }
    let header: Header =
        serde_json::from_slice(json).map_err(|error| format!("invalid header: {error}"))?;
    let is_in_range = header.games as usize <= MAX_GAMES
        && header.text_len <= MAX_TEXT_LEN
        && header.policy_len <= MAX_POLICY_LEN;
    if is_in_range { Ok((header, rest)) } else { Err("header values out of range".into()) }
}

fn parse_rules<G: Learnable>(name: &str) -> Result<G::Rules, String> {
    match name {
        "" => Ok(G::Rules::default()),
        name => G::Rules::from_name(name).ok_or_else(|| format!("unknown rules `{name}`")),
    }
}

/// Takes the next block off `rest` and inflates it to `expected` bytes.
fn next_block(rest: &mut &[u8], expected: usize) -> Result<Vec<u8>, String> {
    const TRUNCATED: &str = "truncated";
    let (length, after) = rest.split_first_chunk().ok_or(TRUNCATED)?;
    let (sum, after) = after.split_first_chunk().ok_or(TRUNCATED)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (block, after) = after.split_at_checked(length).ok_or(TRUNCATED)?;
    if checksum(block) != u64::from_le_bytes(*sum) {
        return Err("checksum mismatch".into());
    }
    *rest = after;
    let records = decompress_to_vec_with_limit(block, expected);
    let records = records.ok().filter(|records| !records.is_empty() && records.len() == expected);
    records.ok_or_else(|| "unexpected block size".into())
}

fn read_record<G: Learnable>(
    record: &[u8],
    header: &Header,
    rules: &[G::Rules],
    before: Option<&Entry<G>>,
) -> Result<Entry<G>, String> {
    let (fixed, rest) = record.split_first_chunk::<FIXED_LEN>().ok_or("truncated record")?;
    let [g0, g1, g2, g3, rule, seen, v0, v1, z, s0, s1, s2, s3] = *fixed;
    let game = u32::from_le_bytes([g0, g1, g2, g3]);
    if game >= header.games {
        return Err(format!("game {game} is out of range"));
    }
    let rules = *rules.get(usize::from(rule)).ok_or("rules out of range")?;
    let (q, z) = (i16::from_le_bytes([v0, v1]), z as i8);
    let surprise = f32::from_le_bytes([s0, s1, s2, s3]);
    let is_result = (-1..=1).contains(&z) || z == UNKNOWN_Z;
    let is_value = f64::from(q).abs() <= FIXED_POINT_ONE;
    if !(is_result && is_value && surprise.is_finite() && surprise >= 0.0) {
        return Err("value, result or surprise out of range".into());
    }
    let (text, rest) = rest.split_at(header.text_len);
    let (last, policy) = rest.split_at(header.text_len);
    let read = |text: &[u8]| {
        let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
        let text = text.trim_end_matches('\0');
        G::parse_position(text, rules).map_err(|error| format!("`{text}`: {error}"))
    };
    let last = match before.filter(|(of, _, annotated)| *of == game && annotated.last.is_some()) {
        _ if last.first().is_none_or(|byte| *byte == 0) => None,
        // Shared by all positions of a game.
        Some((_, _, annotated)) => annotated.last.clone(),
        None => Some(Arc::new(read(last)?)),
    };
    let (policy, _) = policy.as_chunks::<4>();
    let policy = policy
        .iter()
        .map(|&[i0, i1, p0, p1]| (u16::from_le_bytes([i0, i1]), u16::from_le_bytes([p0, p1])));
    let annotated = AnnotatedPosition {
        position: read(text)?,
        seen: u32::from(seen),
        q,
        z: Some(z).filter(|z| *z != UNKNOWN_Z),
        undisturbed: true,
        surprise,
        policy: policy.filter(|(_, prob)| *prob > 0).collect(),
        last,
    };
    Ok((game, rule, annotated))
}
