//! Interned strings: players, events, openings, years, and the names and values of tags.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{ArchiveError, varint};

/// What a name is used for, as stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    Player = 0,
    Event = 1,
    Opening = 2,
    /// The years of games, for ranges.
    Year = 3,
    TagName = 4,
    TagValue = 5,
}

/// Interns names, with a cache.
#[derive(Default)]
pub(crate) struct Names {
    cache: HashMap<(Kind, String), i64>,
}

/// Names in the cache before it is emptied.
const MAX_CACHED: usize = 500_000;

impl Names {
    /// The id of a name; `None` if it is empty.
    pub(crate) fn intern(
        &mut self,
        connection: &Connection,
        kind: Kind,
        name: &str,
    ) -> Result<Option<i64>, ArchiveError> {
        if name.is_empty() {
            return Ok(None);
        }
        let key = (kind, name.to_owned());
        if let Some(id) = self.cache.get(&key) {
            return Ok(Some(*id));
        }
        let mut find =
            connection.prepare_cached("SELECT id FROM names WHERE kind = ?1 AND name = ?2")?;
        let known = find.query_row(params![kind as i64, name], |row| row.get(0)).optional()?;
        let id = match known {
            Some(id) => id,
            None => {
                let searched = matches!(kind, Kind::Player | Kind::Event | Kind::Opening);
                let folded = searched.then(|| fold(name));
                connection
                    .prepare_cached("INSERT INTO names(kind, name, folded) VALUES(?1, ?2, ?3)")?
                    .insert(params![kind as i64, name, folded])?
            }
        };
        if self.cache.len() >= MAX_CACHED {
            self.cache.clear();
        }
        self.cache.insert(key, id);
        Ok(Some(id))
    }

    /// Forgets ids of a transaction that was rolled back.
    pub(crate) fn clear(&mut self) {
        self.cache.clear();
    }
}

/// The ids of the names that contain `part`, without regard to case and accents.
pub(crate) fn matching(
    connection: &Connection,
    kind: Kind,
    part: &str,
) -> Result<Vec<i64>, ArchiveError> {
    let mut statement = connection
        .prepare_cached("SELECT id FROM names WHERE kind = ?1 AND instr(folded, ?2) > 0")?;
    let ids = statement.query_map(params![kind as i64, fold(part)], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Lower case, without the accents of Latin letters.
pub(crate) fn fold(text: &str) -> String {
    let base = |c: char| match c {
        'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' | 'ā' | 'ă' | 'ą' => 'a',
        'é' | 'è' | 'ê' | 'ë' | 'ē' | 'ę' | 'ě' => 'e',
        'í' | 'ì' | 'î' | 'ï' | 'ī' => 'i',
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' | 'ø' | 'ō' | 'ő' => 'o',
        'ú' | 'ù' | 'û' | 'ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ç' | 'č' | 'ć' => 'c',
        'ñ' | 'ń' | 'ň' => 'n',
        'š' | 'ś' | 'ș' | 'ş' => 's',
        'ž' | 'ź' | 'ż' => 'z',
        'ý' | 'ÿ' => 'y',
        'ł' => 'l',
        'ř' => 'r',
        'ğ' => 'g',
        other => other,
    };
    text.trim().to_lowercase().chars().map(base).collect()
}

/// Values of these tags repeat, so that they are interned.
const REPEATING: [&str; 9] = [
    "Site",
    "TimeControl",
    "ECO",
    "Opening",
    "Variation",
    "Termination",
    "Variant",
    "EventType",
    "Annotator",
];

/// Packs tags: the number of the name and the type of the value, then the value.
pub(crate) fn pack_tags(
    connection: &Connection,
    names: &mut Names,
    tags: &[(String, String)],
) -> Result<Option<Vec<u8>>, ArchiveError> {
    let mut bytes = Vec::new();
    for (name, value) in tags {
        let Some(tag) = names.intern(connection, Kind::TagName, name)? else { continue };
        let number = value.parse::<u64>().ok().filter(|number| number.to_string() == *value);
        // Addresses of single games do not repeat.
        let repeats = REPEATING.contains(&name.as_str()) && !value.contains("://");
        let interned = if repeats && number.is_none() {
            names.intern(connection, Kind::TagValue, value)?
        } else {
            None
        };
        match (number, interned) {
            (Some(number), _) => {
                varint::write((tag as u64) << 2 | 2, &mut bytes);
                varint::write(number, &mut bytes);
            }
            (None, Some(id)) => {
                varint::write((tag as u64) << 2 | 1, &mut bytes);
                varint::write(id as u64, &mut bytes);
            }
            (None, None) => {
                varint::write((tag as u64) << 2, &mut bytes);
                varint::write(value.len() as u64, &mut bytes);
                bytes.extend(value.as_bytes());
            }
        }
    }
    Ok((!bytes.is_empty()).then_some(bytes))
}

/// The tags of [`pack_tags`].
pub(crate) fn unpack_tags(
    connection: &Connection,
    mut bytes: &[u8],
) -> Result<Vec<(String, String)>, ArchiveError> {
    let bytes = &mut bytes;
    let mut tags = Vec::new();
    let name = |id: u64| -> Result<String, ArchiveError> {
        let mut statement = connection.prepare_cached("SELECT name FROM names WHERE id = ?1")?;
        Ok(statement.query_row([id as i64], |row| row.get(0))?)
    };
    while !bytes.is_empty() {
        let head = varint::read(bytes)?;
        let value = varint::read(bytes)?;
        let value = match head & 3 {
            0 => {
                let length = usize::try_from(value).unwrap_or(usize::MAX);
                let (text, rest) = bytes
                    .split_at_checked(length)
                    .ok_or(ArchiveError::Damaged("a tag is cut off"))?;
                *bytes = rest;
                String::from_utf8_lossy(text).into_owned()
            }
            1 => name(value)?,
            _ => value.to_string(),
        };
        tags.push((name(head >> 2)?, value));
    }
    Ok(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded() {
        assert_eq!(fold(" Müller, Émile "), "muller, emile");
    }
}
