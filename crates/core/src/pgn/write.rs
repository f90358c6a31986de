use std::fmt::Write as _;
use std::time::Duration;

use super::{
    ROSTER, collapse_whitespace, is_explicit, is_tag_char, player_tag, result_text, stated_ending,
};
use crate::{AnyPly, AnyPosition, AnyRecord, ForFirst, Side};

/// The standard requires fewer than 80 characters.
const MAX_LINE_LEN: usize = 79;

/// Writes a game, wrapped at 79 characters, with a blank line at the end.
pub fn write(record: &AnyRecord) -> String {
    let mut out = String::new();
    write_tags(record, &mut out);
    let mut words = comment_words(&record.comment);
    write_line(&record.start, record.start.move_number(), &record.plies, &mut words);
    words.push(result_text(record.end.map(|end| end.outcome)).into());
    out.push('\n');
    wrap(&words, &mut out);
    out.push('\n');
    out
}

fn write_tags(record: &AnyRecord, out: &mut String) {
    let game = record.start.game();
    let mut tag = |name: &str, value: &str| {
        let name: String = name.chars().filter(|&c| is_tag_char(c)).collect();
        let clean: String = value.chars().filter(|c| !c.is_control()).collect();
        let value = clean.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a string cannot fail.
        let _ = writeln!(out, "[{name} \"{value}\"]");
    };
    for (name, unknown) in ROSTER {
        tag(name, record.tag(name).unwrap_or(unknown));
    }
    for side in Side::BOTH {
        let player = record.player(side);
        tag(&player_tag(game, side), if player.is_empty() { "?" } else { player });
    }
    tag("Result", result_text(record.end.map(|end| end.outcome)));
    if game.info().pgn_names_game {
        tag("Game", game.name());
    }
    let rules = record.start.rules();
    if !rules.is_default() {
        tag("Variant", rules.name());
    }
    if record.start != rules.start() {
        tag("SetUp", "1");
        tag("FEN", &record.start.position_text());
    }
    let mut written: Vec<&str> = ROSTER.iter().map(|(name, _)| *name).collect();
    let ending = record.end.map(|end| end.ending).filter(|ending| is_explicit(*ending));
    if let Some(ending) = ending
        && record.tag("Termination").and_then(stated_ending) != Some(ending)
    {
        tag("Termination", &ending.to_string());
        written.push("Termination");
    }
    for (name, value) in record.tags.iter().filter(|(name, _)| !written.contains(&name.as_str())) {
        tag(name, value);
    }
}

/// Appends the words of a line of moves, including its variations.
fn write_line(start: &AnyPosition, number: u32, plies: &[AnyPly], words: &mut Vec<String>) {
    let (mut position, mut number) = (start.clone(), number);
    let mut needs_number = true;
    for ply in plies {
        let side = position.side();
        match side {
            Side::First => words.push(format!("{number}.")),
            Side::Second if needs_number => words.push(format!("{number}...")),
            Side::Second => {}
        }
        words.push(position.move_text(ply.m));
        words.extend(ply.glyphs.iter().map(|glyph| format!("${glyph}")));
        let comment = full_comment(ply);
        words.extend(comment_words(&comment));
        for variation in &ply.variations {
            let from = words.len();
            write_line(&position, number, variation, words);
            if let Some(first) = words.get_mut(from) {
                first.insert(0, '(');
            }
            if let Some(last) = words.last_mut() {
                last.push(')');
            }
        }
        needs_number = !comment.is_empty() || !ply.variations.is_empty();
        position.play(ply.m);
        number += u32::from(side == Side::Second);
    }
}

fn full_comment(ply: &AnyPly) -> String {
    let time = ply.time.map(|time| format!("[%emt {}]", time_text(time)));
    let value = ply.value.map(|ForFirst(value)| format!("[%eval {value}]"));
    let parts = [value, time, Some(ply.comment.clone())];
    collapse_whitespace(&parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// `h:mm:ss`, with milliseconds if not 0.
fn time_text(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match time.subsec_millis() {
        0 => format!("{hours}:{minutes:02}:{seconds:02}"),
        millis => format!("{hours}:{minutes:02}:{seconds:02}.{millis:03}"),
    }
}

/// The words of a comment in braces; none for an empty one. Inner braces become parentheses.
fn comment_words(comment: &str) -> Vec<String> {
    if comment.is_empty() {
        return Vec::new();
    }
    let text = format!("{{{}}}", comment.replace('{', "(").replace('}', ")"));
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut().filter(|last| belong_together(last, word)) {
            Some(last) => {
                last.push(' ');
                last.push_str(word);
            }
            None => words.push(word.into()),
        }
    }
    words
}

/// Whether two words of a comment must stay on one line: inside a command such as `[%clk 0:10:00]`, and
/// before `%`, since a line that starts with it is skipped by readers.
fn belong_together(before: &str, word: &str) -> bool {
    let in_command = before.rfind("[%").is_some_and(|open| !before[open..].contains(']'));
    before.len() < MAX_LINE_LEN && (in_command || word.starts_with('%'))
}

fn wrap(words: &[String], out: &mut String) {
    let mut column = 0;
    for word in words {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > MAX_LINE_LEN {
            out.push('\n');
            column = 0;
        }
        if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
}
