//! Segments of the inverted index: one per batch of games, small ones merged, as in a log-structured merge tree.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::ArchiveError;
use crate::packed::GameResult;
use crate::postings::{BlockWriter, Posting, decode};

/// A game in the list of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hit {
    pub(crate) game: i64,
    pub(crate) code: u16,
    pub(crate) result: GameResult,
}

/// The games of a term, in ascending order.
pub(crate) fn lookup(connection: &Connection, key: u64) -> Result<Vec<Hit>, ArchiveError> {
    let mut hits = Vec::new();
    visit(connection, key, |hit| hits.push(hit))?;
    Ok(hits)
}

/// Visits the games of a term, in ascending order.
pub(crate) fn visit(
    connection: &Connection,
    key: u64,
    mut visit: impl FnMut(Hit),
) -> Result<(), ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT s.base, b.first, b.data FROM segments s JOIN blocks b ON b.segment = s.id
         AND b.first = (SELECT max(first) FROM blocks WHERE segment = s.id AND first <= ?1)
         ORDER BY s.base",
    )?;
    let mut rows = statement.query([key as i64])?;
    while let Some(row) = rows.next()? {
        let (base, first): (i64, i64) = (row.get(0)?, row.get(1)?);
        let data = row.get_ref(2)?.as_blob().map_err(|_| ArchiveError::Damaged("no block"))?;
        decode(first as u64, data, Some(key), |posting| {
            let Posting { game, code, result, .. } = posting;
            visit(Hit { game: base + i64::from(game), code, result });
        })?;
    }
    Ok(())
}

/// Adds a segment with the postings of `games` games from id `base`, and merges small segments.
pub(crate) fn add(
    connection: &Connection,
    base: i64,
    games: usize,
    mut postings: Vec<Posting>,
) -> Result<(), ArchiveError> {
    use rayon::slice::ParallelSliceMut as _;
    postings.par_sort_unstable_by_key(|posting| (posting.key, posting.game));
    let segment = insert(connection, base, games as i64)?;
    write(connection, segment, |push| postings.into_iter().try_for_each(push))?;
    merge_small(connection)
}

fn insert(connection: &Connection, base: i64, games: i64) -> Result<i64, ArchiveError> {
    let mut statement =
        connection.prepare_cached("INSERT INTO segments(base, games) VALUES(?1, ?2)")?;
    Ok(statement.insert(params![base, games])?)
}

type Push<'a> = dyn FnMut(Posting) -> Result<(), ArchiveError> + 'a;

/// Writes the blocks of a segment; `produce` is called with a function that takes postings in order.
fn write(
    connection: &Connection,
    segment: i64,
    produce: impl FnOnce(&mut Push<'_>) -> Result<(), ArchiveError>,
) -> Result<(), ArchiveError> {
    let mut statement =
        connection.prepare_cached("INSERT INTO blocks(segment, first, data) VALUES(?1, ?2, ?3)")?;
    let mut emit = |first: u64, bytes: &[u8]| {
        statement.execute(params![segment, first as i64, bytes])?;
        Ok::<_, ArchiveError>(())
    };
    let mut writer = BlockWriter::new(&mut emit);
    produce(&mut |posting| writer.push(posting))?;
    writer.finish()
}

#[derive(Clone, Copy)]
struct Segment {
    id: i64,
    base: i64,
    games: i64,
}

/// Merges the newest segments while the one before is less than twice as large: their number stays logarithmic.
fn merge_small(connection: &Connection) -> Result<(), ArchiveError> {
    let mut statement =
        connection.prepare_cached("SELECT id, base, games FROM segments ORDER BY base")?;
    let read = statement.query_map([], |row| {
        Ok(Segment { id: row.get(0)?, base: row.get(1)?, games: row.get(2)? })
    })?;
    let segments: Vec<Segment> = read.collect::<Result<_, _>>()?;
    let mut first = segments.len().saturating_sub(1);
    let mut games = segments.last().map_or(0, |segment| segment.games);
    while first > 0 && segments[first - 1].games < 2 * games {
        first -= 1;
        games += segments[first].games;
    }
    if segments.len() - first < 2 {
        return Ok(());
    }
    merge(connection, &segments[first..], games)
}

/// Replaces adjacent segments by one.
fn merge(connection: &Connection, segments: &[Segment], games: i64) -> Result<(), ArchiveError> {
    let base = segments[0].base;
    let merged = insert(connection, base, games)?;
    let mut cursors = segments
        .iter()
        .map(|segment| Cursor::new(connection, *segment, base))
        .collect::<Result<Vec<_>, _>>()?;
    write(connection, merged, |push| {
        // Segments are in the order of their games: of equal keys the first segment's come first.
        while let Some(key) = cursors.iter().filter_map(Cursor::key).min() {
            for cursor in &mut cursors {
                while cursor.key() == Some(key) {
                    push(cursor.take(connection)?)?;
                }
            }
        }
        Ok(())
    })?;
    for segment in segments {
        connection
            .prepare_cached("DELETE FROM blocks WHERE segment = ?1")?
            .execute([segment.id])?;
        connection.prepare_cached("DELETE FROM segments WHERE id = ?1")?.execute([segment.id])?;
    }
    Ok(())
}

/// Reads a segment block by block.
struct Cursor {
    segment: i64,
    /// Added to each game.
    offset: u32,
    block: Vec<Posting>,
    next: usize,
    /// The first key of the current block.
    first: i64,
}

impl Cursor {
    fn new(connection: &Connection, segment: Segment, base: i64) -> Result<Self, ArchiveError> {
        let offset = u32::try_from(segment.base - base)
            .map_err(|_| ArchiveError::Damaged("segments out of order"))?;
        let mut cursor =
            Self { segment: segment.id, offset, block: Vec::new(), next: 0, first: -1 };
        cursor.load(connection)?;
        Ok(cursor)
    }

    fn key(&self) -> Option<u64> {
        self.block.get(self.next).map(|posting| posting.key)
    }

    /// The next posting; there must be one.
    fn take(&mut self, connection: &Connection) -> Result<Posting, ArchiveError> {
        let posting = self.block[self.next];
        self.next += 1;
        if self.next == self.block.len() {
            self.load(connection)?;
        }
        Ok(posting)
    }

    fn load(&mut self, connection: &Connection) -> Result<(), ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT first, data FROM blocks WHERE segment = ?1 AND first > ?2 ORDER BY first LIMIT 1",
        )?;
        self.block.clear();
        self.next = 0;
        let row = statement.query_row(params![self.segment, self.first], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?))
        });
        if let Some((first, data)) = row.optional()? {
            self.first = first;
            let offset = self.offset;
            let block = &mut self.block;
            decode(first as u64, &data, None, |posting| {
                block.push(Posting { game: posting.game + offset, ..posting });
            })?;
        }
        Ok(())
    }
}
