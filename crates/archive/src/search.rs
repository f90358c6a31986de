//! Search: the posting lists of all filters, intersected.

use rusqlite::{Connection, Row};
use tablero_core::{AnyGame, AnyPosition, GameEnd, Side};

use crate::names::{Kind, matching};
use crate::packed::{Date, GameResult, unpack_end};
use crate::segments::{Hit, visit};
use crate::terms::{Term, position_key, term_key};
use crate::{Archive, ArchiveError};

/// Games to find; all filters apply.
#[derive(Clone, Default)]
pub struct Query {
    /// Of this game.
    pub game: Option<AnyGame>,
    /// A player whose name contains this, without regard to case and accents.
    pub player: Option<String>,
    /// The side of that player.
    pub side: Option<Side>,
    /// The other player, likewise.
    pub opponent: Option<String>,
    /// Played in this year or later.
    pub from_year: Option<u16>,
    /// Played in this year or before.
    pub to_year: Option<u16>,
    /// An event whose name contains this.
    pub event: Option<String>,
    /// An opening whose name contains this.
    pub opening: Option<String>,
    /// With this result.
    pub result: Option<GameResult>,
    /// Reaching this position, up to symmetry.
    pub position: Option<AnyPosition>,
    /// Games to leave out at the beginning.
    pub offset: usize,
    /// The most games to return; 0 for 50.
    pub limit: usize,
}

/// A page of games.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// All games that match.
    pub total: u64,
    /// The page, games that were added last first.
    pub games: Vec<GameHeader>,
}

/// A game without its moves.
#[derive(Clone, PartialEq, Debug)]
pub struct GameHeader {
    /// Its id in the archive.
    pub id: i64,
    /// Its game.
    pub game: AnyGame,
    /// The players; empty if unknown.
    pub players: [String; 2],
    /// The event; may be empty.
    pub event: String,
    /// The date as in PGN; may be empty.
    pub date: String,
    /// The opening; may be empty.
    pub opening: String,
    /// The result; `None` if unknown.
    pub end: Option<GameEnd>,
    /// Its length.
    pub plies: usize,
}

const DEFAULT_LIMIT: usize = 50;

impl Archive {
    /// Finds games.
    pub fn search(&self, query: &Query) -> Result<Found, ArchiveError> {
        self.with(|connection| {
            let ids = self.matching_ids(connection, query)?;
            let limit = if query.limit == 0 { DEFAULT_LIMIT } else { query.limit };
            let page = ids.iter().rev().skip(query.offset).take(limit);
            let games: Result<_, _> = page.map(|id| self.header(connection, *id)).collect();
            Ok(Found { total: ids.len() as u64, games: games? })
        })
    }

    /// The ids of all games that match, in ascending order.
    pub fn ids(&self, query: &Query) -> Result<Vec<i64>, ArchiveError> {
        self.with(|connection| self.matching_ids(connection, query))
    }

    fn matching_ids(
        &self,
        connection: &Connection,
        query: &Query,
    ) -> Result<Vec<i64>, ArchiveError> {
        let games = match (query.game, &query.position) {
            (_, Some(position)) => vec![position.game()],
            (Some(game), None) => vec![game],
            (None, None) => self.games.clone(),
        };
        let mut ids = Vec::new();
        for game in games {
            ids.extend(ids_of_game(connection, game, query)?);
        }
        ids.sort_unstable();
        Ok(ids)
    }

    pub(crate) fn header(
        &self,
        connection: &Connection,
        id: i64,
    ) -> Result<GameHeader, ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT g.id, k.name, (SELECT name FROM names WHERE id = g.first),
                (SELECT name FROM names WHERE id = g.second), (SELECT name FROM names WHERE id = g.event),
                (SELECT name FROM names WHERE id = g.opening), g.date, g.end, g.moves
             FROM games g JOIN kinds k ON k.id = g.kind WHERE g.id = ?1",
        )?;
        let read = |row: &Row<'_>| -> rusqlite::Result<(String, GameHeader)> {
            let text =
                |index: usize| row.get::<_, Option<String>>(index).map(Option::unwrap_or_default);
            let moves = row.get_ref(8)?.as_blob().unwrap_or_default();
            let header = GameHeader {
                id,
                game: self.games[0],
                players: [text(2)?, text(3)?],
                event: text(4)?,
                opening: text(5)?,
                date: Date::from_number(row.get(6)?).text(),
                end: unpack_end(row.get(7)?),
                // Each code ends with a byte below 0x80.
                plies: moves.iter().filter(|byte| **byte < 0x80).count(),
            };
            Ok((row.get(1)?, header))
        };
        let (kind, header) = statement.query_row([id], read)?;
        Ok(GameHeader { game: self.find_game(&kind)?, ..header })
    }
}

/// A set of games, in ascending order.
struct Matches {
    hits: Option<Vec<Hit>>,
}

impl Matches {
    /// Keeps the games that are in `others` too, in ascending order.
    fn intersect(&mut self, others: Vec<Hit>) {
        self.hits = Some(match self.hits.take() {
            None => others,
            Some(hits) => {
                let mut others = others.into_iter().peekable();
                let mut is_there = |hit: &Hit| {
                    while others.next_if(|other| other.game < hit.game).is_some() {}
                    others.peek().is_some_and(|other| other.game == hit.game)
                };
                hits.into_iter().filter(|hit| is_there(hit)).collect()
            }
        });
    }
}

fn ids_of_game(
    connection: &Connection,
    game: AnyGame,
    query: &Query,
) -> Result<Vec<i64>, ArchiveError> {
    let mut matches = Matches { hits: None };
    let union = |keys: Vec<u64>| union(connection, &keys);
    let named = |kind: Kind, part: &str, term: fn(i64) -> Term| {
        let ids = matching(connection, kind, part)?;
        union(ids.into_iter().map(|id| term_key(game, term(id))).collect())
    };
    if let Some(position) = &query.position {
        matches.intersect(union(vec![position_key(position)])?);
    }
    if let Some(part) = &query.player {
        let mut hits = named(Kind::Player, part, Term::Player)?;
        hits.retain(|hit| query.side.is_none_or(|side| usize::from(hit.code) == side.index()));
        matches.intersect(hits);
    }
    if let Some(part) = &query.opponent {
        let mut hits = named(Kind::Player, part, Term::Player)?;
        let is_other =
            |hit: &Hit| query.side.is_none_or(|side| usize::from(hit.code) != side.index());
        hits.retain(is_other);
        matches.intersect(hits);
    }
    if let Some(part) = &query.event {
        matches.intersect(named(Kind::Event, part, Term::Event)?);
    }
    if let Some(part) = &query.opening {
        matches.intersect(named(Kind::Opening, part, Term::Opening)?);
    }
    if query.from_year.is_some() || query.to_year.is_some() {
        let years = years(connection, query)?;
        let keys = years.into_iter().map(|year| term_key(game, Term::Year(year))).collect();
        matches.intersect(union(keys)?);
    }
    let hits = match matches.hits {
        Some(hits) => hits,
        None => union(vec![term_key(game, Term::All)])?,
    };
    let has_result = |hit: &Hit| query.result.is_none_or(|result| hit.result == result);
    Ok(hits.into_iter().filter(has_result).map(|hit| hit.game).collect())
}

/// The games of any of the terms, in ascending order. If a game has several, one of its hits is kept.
fn union(connection: &Connection, keys: &[u64]) -> Result<Vec<Hit>, ArchiveError> {
    let mut hits = Vec::new();
    for key in keys {
        visit(connection, *key, |hit| hits.push(hit))?;
    }
    if keys.len() > 1 {
        hits.sort_unstable_by_key(|hit| (hit.game, hit.code));
        hits.dedup_by_key(|hit| (hit.game, hit.code));
    }
    Ok(hits)
}

/// The years of games in the range of a query.
fn years(connection: &Connection, query: &Query) -> Result<Vec<u16>, ArchiveError> {
    let mut statement = connection.prepare_cached("SELECT name FROM names WHERE kind = ?1")?;
    let names = statement.query_map([Kind::Year as i64], |row| row.get::<_, String>(0))?;
    let range = query.from_year.unwrap_or(0)..=query.to_year.unwrap_or(u16::MAX);
    let mut years = Vec::new();
    for name in names {
        years.extend(name?.parse::<u16>().ok().filter(|year| range.contains(year)));
    }
    Ok(years)
}
