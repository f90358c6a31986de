//! Games with players, clocks and values, in the Generic Game Format that Othello servers and
//! programs exchange:
//!
//! ```text
//! (;GM[Othello]PC[here]PB[Ann]PW[Bob]TY[8]RE[+12.000]BO[8 -------- ... *]B[f5//1.23]W[d6/-2.00/3.5];)
//! ```
//!
//! A move may have a value in discs, seen by the player who made it, and a time in seconds. A
//! result is black's margin, with `:r` if a player resigned, `:t` if the time was over, `:s` if both
//! agreed on the score. A text may have many games, each after the number of games of its match, as
//! in the servers' archives (`2 (;...;)(;...;)` is a pair with the same opening).
//!
//! Place, date, ratings and clock become the tags that other formats call the same; properties
//! without such a name are tags by their own name. Half a disc in a result, from games with komi,
//! counts as a whole one. Left out: comments, glyphs and variations, values that are not in discs,
//! parts of a millisecond, and endings for which there is no letter.

use std::time::Duration;

use tablero_core::{
    Ending, ForFirst, ForMover, Game, GameEnd, GameType, Notation, Outcome, Ply, ReadError, Record,
    Scanner, Side, StandardRules, Value,
};

use super::{Reading, WriteError, replay};
use crate::Othello;

const FORMAT: &str = "a GGF file";
/// Properties that are kept as tags, with what a record calls them.
const TAGS: [(&str, &str); 7] = [
    ("PC", "Site"),
    ("DT", "Date"),
    ("EV", "Event"),
    ("RO", "Round"),
    ("RB", "BlackElo"),
    ("RW", "WhiteElo"),
    ("TI", "TimeControl"),
];
/// Properties that a record keeps elsewhere than in its tags.
const FIELDS: [&str; 7] = ["GM", "PB", "PW", "RE", "BO", "B", "W"];
const FLAGS: [(&str, Ending); 3] =
    [("r", Ending::Resigned), ("t", Ending::Time), ("s", Ending::Agreed)];

/// The games of a text, one after the other; after an error there are no more.
pub fn read(text: &str) -> impl Iterator<Item = Result<Record<Othello>, ReadError>> + '_ {
    let mut scan = Scanner::new(text.trim_start_matches('\u{feff}'));
    std::iter::from_fn(move || {
        scan.skip_blanks();
        if scan.at_end() {
            return None;
        }
        let game = properties(&mut scan).and_then(|properties| record_of(scan.text(), &properties));
        if game.is_err() {
            scan = Scanner::new("");
        }
        Some(game)
    })
}

/// `NAME[value]`.
struct Property<'a> {
    name: &'a str,
    /// As it stands in the text, escapes included.
    value: &'a str,
    /// Where the value starts.
    offset: usize,
}

impl Property<'_> {
    /// An error about the value, which stands in `text`.
    fn error(&self, text: &str, expected: &str) -> ReadError {
        ReadError::at(self.value, 0, expected).within(text, self.offset)
    }
}

/// Reads one game up to its `;)`.
fn properties<'a>(scan: &mut Scanner<'a>) -> Result<Vec<Property<'a>>, ReadError> {
    scan.take_while(|c| c.is_ascii_digit());
    scan.skip_blanks();
    let start = scan.offset();
    if !(scan.eat('(') && scan.eat(';')) {
        return Err(scan.error_at(start, "`(;` at the start of a game"));
    }
    let mut properties = Vec::new();
    loop {
        scan.skip_blanks();
        let start = scan.offset();
        if scan.eat(';') {
            return if scan.eat(')') {
                Ok(properties)
            } else {
                Err(scan.error_at(start, "`;)` at the end of the game"))
            };
        }
        let name = scan.take_while(is_name);
        if name.is_empty() || !scan.eat('[') {
            return Err(scan.error_at(start, "a property such as `B[f5]`, or `;)`"));
        }
        let offset = scan.offset();
        let value = value(scan)?;
        properties.push(Property { name, value, offset });
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Reads the rest of a value and its bracket.
fn value<'a>(scan: &mut Scanner<'a>) -> Result<&'a str, ReadError> {
    let start = scan.offset();
    loop {
        let end = scan.offset();
        match scan.bump() {
            Some(']') => return Ok(&scan.text()[start..end]),
            Some('\\') => drop(scan.bump()),
            Some(_) => {}
            None => return Err(scan.error_at(start, "a value that ends with `]`")),
        }
    }
}

/// A value without the backslashes that keep `]` and `\` from their meaning.
fn unescape(value: &str) -> String {
    let mut out = String::new();
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = chars.next_if(|next| c == '\\' && matches!(next, ']' | '\\'));
        out.push(escaped.unwrap_or(c));
    }
    out
}

fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace(']', "\\]")
}

/// The game that the properties of `text` tell.
fn record_of(text: &str, properties: &[Property<'_>]) -> Result<Record<Othello>, ReadError> {
    let find = |name| properties.iter().find(|property| property.name == name);
    if let Some(game) = find("GM").filter(|game| !game.value.eq_ignore_ascii_case("othello")) {
        return Err(game.error(text, "a game of Othello"));
    }
    if let Some(kind) = find("TY").filter(|kind| !is_usual_type(kind.value)) {
        return Err(kind.error(text, "a game on 8x8 squares that the most discs win, `8`"));
    }
    let start = match find("BO") {
        Some(board) => board_of(board.value).map_err(|e| e.within(text, board.offset))?,
        None => Othello::start(StandardRules),
    };
    let mut game = Reading::new(start);
    for property in properties {
        read_property(&mut game, property).map_err(|e| e.within(text, property.offset))?;
    }
    game.record.end = match find("RE").filter(|result| !is_unknown(result.value)) {
        None => game.end_on_board(),
        Some(result) => {
            let end = end_of(result.value, game.end_on_board());
            Some(end.map_err(|e| e.within(text, result.offset))?)
        }
    };
    Ok(game.record)
}

/// Puts a property where the record keeps it, or plays it.
fn read_property(game: &mut Reading, property: &Property<'_>) -> Result<(), ReadError> {
    let Property { name, value, .. } = *property;
    match name {
        "B" => return play(game, Side::First, value),
        "W" => return play(game, Side::Second, value),
        "PB" => game.record.players[0] = unescape(value),
        "PW" => game.record.players[1] = unescape(value),
        "GM" | "RE" | "BO" => {}
        "TY" if value == "8" => {}
        _ => {
            let known = TAGS.iter().find(|(short, _)| *short == name);
            let name = known.map_or(name, |(_, long)| long);
            game.record.tags.push((name.into(), unescape(value)));
        }
    }
    Ok(())
}

/// Whether a game of this type is plain Othello: the size of the board (0 with some programs),
/// letters around it (synchro, komi, random start, preferred colour), and the number of random
/// discs. The letter `a` reverses the aim of the game.
fn is_usual_type(kind: &str) -> bool {
    let from_size = kind.trim_start_matches(|c: char| !c.is_ascii_digit());
    let size = from_size.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    ["", "0", "8"].contains(&size) && !kind.contains(['a', 'A'])
}

/// Reads the size of the board, its squares and who is to move.
fn board_of(value: &str) -> Result<Othello, ReadError> {
    let mut scan = Scanner::new(value);
    scan.skip_blanks();
    let start = scan.offset();
    if scan.word() != "8" {
        return Err(scan.error_at(start, "`8`, for a board of 8x8 squares"));
    }
    let offset = scan.offset();
    Othello::parse_position(scan.rest(), StandardRules).map_err(|e| e.within(value, offset))
}

/// Plays `move/value/time`.
fn play(game: &mut Reading, side: Side, text: &str) -> Result<(), ReadError> {
    let (name, rest) = text.split_once('/').unwrap_or((text, ""));
    let (value, time) = rest.split_once('/').unwrap_or((rest, ""));
    let value_at = name.len() + 1;
    let time_at = value_at + value.len() + 1;

    game.pass_before(name.trim());
    let mover = game.position.side();
    if mover != side {
        let expected = format!("a move of {}", Othello::SIDES[mover.index()]);
        return Err(ReadError::at(text, 0, expected));
    }
    game.play_named(name)?;
    let Some(ply) = game.record.plies.last_mut() else {
        return Ok(());
    };
    if !value.trim().is_empty() {
        let value = discs_of(value.trim())
            .ok_or_else(|| ReadError::at(text, value_at, "a value in discs, `-2.50`"))?;
        ply.value = Some(ForMover(value).for_first(side));
    }
    if !time.trim().is_empty() {
        let time = seconds_of(time.trim())
            .ok_or_else(|| ReadError::at(text, time_at, "a time in seconds, `1.25`"))?;
        ply.time = Some(time);
    }
    Ok(())
}

fn discs_of(text: &str) -> Option<Value> {
    Value::from_text(text).filter(|value| matches!(value, Value::Hundredths(_)))
}

fn seconds_of(text: &str) -> Option<Duration> {
    let milliseconds = (text.parse::<f64>().ok()? * 1000.0).round();
    (0.0..1e15).contains(&milliseconds).then(|| Duration::from_millis(milliseconds as u64))
}

fn is_unknown(result: &str) -> bool {
    matches!(result.trim(), "" | "?")
}

/// The end that a result states; one without a letter was played out if the board agrees.
fn end_of(result: &str, on_board: Option<GameEnd>) -> Result<GameEnd, ReadError> {
    let (margin, flag) = match result.split_once(':') {
        Some((margin, flag)) => (margin, Some(flag)),
        None => (result, None),
    };
    let outcome = outcome_of(margin.trim())
        .ok_or_else(|| ReadError::at(result, 0, "black's margin in discs, `+12.00`"))?;
    let ending = match flag {
        None => {
            on_board.filter(|end| end.outcome == outcome).map_or(Ending::Unknown, |end| end.ending)
        }
        Some(flag) => FLAGS
            .iter()
            .find(|(letter, _)| flag.trim().eq_ignore_ascii_case(letter))
            .map(|(_, ending)| *ending)
            .ok_or_else(|| ReadError::at(result, margin.len() + 1, "`r`, `t` or `s`"))?,
    };
    Ok(GameEnd { outcome, ending })
}

fn outcome_of(margin: &str) -> Option<Outcome> {
    let margin: f64 = margin.parse().ok()?;
    // Away from zero: half a disc wins.
    let whole = margin.abs().ceil();
    (whole <= 1000.0).then(|| {
        let sign = if margin < 0.0 { -1 } else { 1 };
        Outcome::by_margin(ForFirst(sign * whole as i16))
    })
}

/// A game on one line, with the line's end.
pub fn write(record: &Record<Othello>) -> Result<String, WriteError> {
    let game = replay(record, FORMAT)?;
    let mut text = String::from("(;");
    let mut put = |name: &str, value: &str| text += &format!("{name}[{value}]");
    put("GM", "Othello");
    // Place and date stand before the players in the servers' files, all other facts after them.
    let is_before_players = |tag: &&(String, String)| ["Site", "Date"].contains(&tag.0.as_str());
    let before = record.tags.iter().take_while(is_before_players).count();
    for (name, value) in &record.tags[..before] {
        put(property_of(name, value)?, &escape(value));
    }
    put("PB", &escape(&record.players[0]));
    put("PW", &escape(&record.players[1]));
    for (name, value) in &record.tags[before..] {
        put(property_of(name, value)?, &escape(value));
    }
    if record.tag("TY").is_none() {
        put("TY", "8");
    }
    put("RE", &result_text(record.end));
    put("BO", &board_text(&record.start));
    for (ply, position) in record.plies.iter().zip(game.positions()) {
        let side = position.side();
        put(["B", "W"][side.index()], &move_text(ply, side));
    }
    text += ";)\n";
    Ok(text)
}

/// The property that holds a tag.
fn property_of<'a>(tag: &'a str, value: &str) -> Result<&'a str, WriteError> {
    let known = TAGS.iter().find(|(_, long)| *long == tag);
    let name = known.map_or(tag, |(short, _)| short);
    let is_free = !name.is_empty() && name.chars().all(is_name) && !FIELDS.contains(&name);
    if is_free && (name != "TY" || is_usual_type(value)) {
        return Ok(name);
    }
    Err(WriteError::new(FORMAT, format!("the tag {tag} = {value}")))
}

fn result_text(end: Option<GameEnd>) -> String {
    let Some(GameEnd { outcome, ending }) = end else {
        return "?".into();
    };
    let mut text = format!("{:+}.000", outcome.margin().0);
    if let Some((letter, _)) = FLAGS.iter().find(|(_, flagged)| *flagged == ending) {
        text.push(':');
        text += letter;
    }
    text
}

fn board_text(position: &Othello) -> String {
    let text = position.position_text().replace('X', "*");
    let mut out = String::from("8 ");
    for (square, letter) in text.chars().filter(|c| *c != ' ').enumerate() {
        if square > 0 && square % 8 == 0 {
            out.push(' ');
        }
        out.push(letter);
    }
    out
}

fn move_text(ply: &Ply<Othello>, side: Side) -> String {
    let name = if ply.m.is_pass() { "PA".into() } else { ply.m.to_string() };
    let value = match ply.value.map(|value| value.for_mover(side)) {
        Some(ForMover(value @ Value::Hundredths(_))) => value.to_string(),
        _ => String::new(),
    };
    let time = ply.time.map_or_else(String::new, seconds_text);
    let text = format!("{name}/{}/{time}", value.trim_start_matches('+'));
    text.trim_end_matches('/').into()
}

/// Seconds with two places, or three if two would not do.
fn seconds_text(time: Duration) -> String {
    let text = format!("{}.{:03}", time.as_secs(), time.subsec_millis());
    text.strip_suffix('0').map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests;
