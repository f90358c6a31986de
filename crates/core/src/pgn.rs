//! Games as text, in the manner of PGN: tags in brackets, then numbered moves with comments,
//! annotation glyphs and variations. Chess files are plain PGN; the other games have the same shape
//! with a tag `Game` that names them.
//!
//! Time and value of a move are kept in its comment as `[%emt 0:00:01.250]` and `[%eval +0.35]`,
//! the value from the first player's point of view.

use std::fmt::Write as _;
use std::time::Duration;

use crate::{
    Ending, ForFirst, GameEnd, Notation, Outcome, Ply, ReadError, Record, Rules, Scanner, Side,
    Value,
};

/// Variations in variations, so that no file can exhaust the stack.
const DEEPEST_VARIATION: usize = 64;
/// Tags that every file has, with what stands for "unknown".
const ROSTER: [(&str, &str); 4] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
];
/// Glyphs that have a sign of their own, by number.
const SIGNS: [(&str, u8); 6] = [
    ("!!", 3),
    ("??", 4),
    ("!?", 5),
    ("?!", 6),
    ("!", 1),
    ("?", 2),
];

/// The games of a text, one after the other; after an error there are no more.
pub fn read<G: Notation>(text: &str) -> impl Iterator<Item = Result<Record<G>, ReadError>> + '_ {
    let mut reader = Reader {
        scan: Scanner::new(text.trim_start_matches('\u{feff}')),
    };
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed || reader.at_end() {
            return None;
        }
        let game = reader.game();
        failed = game.is_err();
        Some(game)
    })
}

/// The first game of a text.
pub fn read_one<G: Notation>(text: &str) -> Result<Record<G>, ReadError> {
    read(text)
        .next()
        .unwrap_or_else(|| Err(ReadError::at(text, 0, "a game: tags or moves")))
}

/// The value of tag `name` of the first game in `text`, without reading the game.
pub fn peek_tag(text: &str, name: &str) -> Option<String> {
    let mut reader = Reader {
        scan: Scanner::new(text.trim_start_matches('\u{feff}')),
    };
    reader.skip_blanks();
    let tags = reader.tags().ok()?;
    tags.into_iter()
        .find(|tag| tag.name == name)
        .map(|tag| tag.value)
}

struct Reader<'a> {
    scan: Scanner<'a>,
}

struct Tag {
    name: String,
    value: String,
    /// Where the value stands, for error messages.
    offset: usize,
}

/// What stands next in the moves.
enum Token<'a> {
    Move {
        text: &'a str,
        offset: usize,
    },
    Comment(String),
    Glyph(u8),
    Open,
    Close,
    Result(Option<Outcome>),
    /// The next game's tags, or the end of the text.
    End,
}

impl<'a> Reader<'a> {
    fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.scan.at_end()
    }

    /// Skips blanks and lines that start with `%`, which are not for us.
    fn skip_blanks(&mut self) {
        loop {
            self.scan.skip_blanks();
            let before = &self.scan.text()[..self.scan.offset()];
            let line_start = before.is_empty() || before.ends_with('\n');
            if !(line_start && self.scan.peek() == Some('%')) {
                return;
            }
            self.scan.line();
        }
    }

    fn game<G: Notation>(&mut self) -> Result<Record<G>, ReadError> {
        self.skip_blanks();
        let tags = self.tags()?;
        let mut record = Record::new(self.start(&tags)?);
        let (plies, comment, stated) = self.line(&record.start, 0)?;
        (record.plies, record.comment) = (plies, comment);
        let tagged = tags
            .iter()
            .find(|tag| tag.name == "Result")
            .map(|tag| tag.value.as_str());
        let stated = stated.or_else(|| tagged.and_then(outcome_of));
        for Tag { name, value, .. } in tags {
            sort_tag(&mut record, name, value);
        }
        record.end = stated.map(|outcome| end_of(&record, outcome));
        if record.end.is_some_and(|end| says_ending(end.ending)) {
            record.tags.retain(|(name, _)| name != "Termination");
        }
        Ok(record)
    }

    fn tags(&mut self) -> Result<Vec<Tag>, ReadError> {
        let mut tags = Vec::new();
        while self.scan.eat('[') {
            self.scan.skip_blanks();
            let name = self.scan.take_while(|c| c.is_alphanumeric() || c == '_');
            if name.is_empty() {
                return Err(self.scan.error("the name of a tag"));
            }
            self.scan.skip_blanks();
            let offset = self.scan.offset() + 1;
            let value = self.quoted()?;
            self.scan.skip_blanks();
            if !self.scan.eat(']') {
                return Err(self.scan.error("`]` at the end of the tag"));
            }
            tags.push(Tag {
                name: name.into(),
                value,
                offset,
            });
            self.skip_blanks();
        }
        Ok(tags)
    }

    fn quoted(&mut self) -> Result<String, ReadError> {
        if !self.scan.eat('"') {
            return Err(self.scan.error("the tag's value in double quotes"));
        }
        let mut value = String::new();
        loop {
            match self.scan.peek() {
                Some('"') => break,
                Some('\\') => {
                    self.scan.bump();
                    value.extend(self.scan.bump());
                }
                None | Some('\n') => return Err(self.scan.error("`\"` at the end of the value")),
                Some(other) => {
                    value.push(other);
                    self.scan.bump();
                }
            }
        }
        self.scan.bump();
        Ok(value)
    }

    fn start<G: Notation>(&self, tags: &[Tag]) -> Result<G, ReadError> {
        let find = |name: &str| tags.iter().find(|tag| tag.name == name);
        if let Some(tag) = find("Game").filter(|tag| tag.value != G::NAME) {
            return Err(self
                .scan
                .error_at(tag.offset, format!("a game of {}", G::NAME)));
        }
        let rules = match find("Variant") {
            None => G::Rules::default(),
            Some(tag) => G::Rules::from_name(&tag.value).ok_or_else(|| {
                let known: Vec<_> = G::Rules::ALL.iter().map(|rules| rules.name()).collect();
                self.scan
                    .error_at(tag.offset, format!("rules: {}", known.join(", ")))
            })?,
        };
        match find("FEN") {
            None => Ok(G::start(rules)),
            Some(tag) => G::parse_position(&tag.value, rules)
                .map_err(|error| error.within(self.scan.text(), tag.offset)),
        }
    }

    /// Moves up to the end of the game or of this variation, the comment before the first of them,
    /// and the result if one is stated.
    #[expect(
        clippy::type_complexity,
        reason = "three parts of one line, used in two places"
    )]
    fn line<G: Notation>(
        &mut self,
        start: &G,
        depth: usize,
    ) -> Result<(Vec<Ply<G>>, String, Option<Outcome>), ReadError> {
        let (mut plies, mut comment) = (Vec::<Ply<G>>::new(), String::new());
        let (mut before, mut now) = (start.clone(), start.clone());
        loop {
            self.skip_blanks();
            let offset = self.scan.offset();
            match self.token()? {
                Token::Move { text, offset } => {
                    let (m, glyph) = parse_move(&now, text)
                        .map_err(|error| error.within(self.scan.text(), offset))?;
                    before = now;
                    now = before.after(m);
                    plies.push(Ply::new(m));
                    if let (Some(ply), Some(glyph)) = (plies.last_mut(), glyph) {
                        ply.glyphs.push(glyph);
                    }
                }
                Token::Comment(text) => match plies.last_mut() {
                    Some(ply) => annotate(ply, &text),
                    None => append(&mut comment, &text),
                },
                Token::Glyph(glyph) => match plies.last_mut() {
                    Some(ply) => ply.glyphs.push(glyph),
                    None => return Err(self.scan.error_at(offset, "a move before its glyph")),
                },
                Token::Open => {
                    let Some(ply) = plies.last_mut() else {
                        return Err(self.scan.error_at(offset, "a move before its variation"));
                    };
                    if depth == DEEPEST_VARIATION {
                        let expected = format!("variations at most {DEEPEST_VARIATION} deep");
                        return Err(self.scan.error_at(offset, expected));
                    }
                    let (mut variation, remark, _) = self.line(&before, depth + 1)?;
                    if let Some(first) = variation.first_mut() {
                        first.comment = join(&remark, &first.comment);
                        ply.variations.push(variation);
                    }
                }
                Token::Close if depth > 0 => return Ok((plies, comment, None)),
                Token::Close => return Err(self.scan.error_at(offset, "a move or the result")),
                Token::Result(outcome) if depth == 0 => return Ok((plies, comment, outcome)),
                Token::Result(_) => {}
                Token::End if depth == 0 => return Ok((plies, comment, None)),
                Token::End => return Err(self.scan.error_at(offset, "`)` after the variation")),
            }
        }
    }

    fn token(&mut self) -> Result<Token<'a>, ReadError> {
        self.skip_blanks();
        let offset = self.scan.offset();
        match self.scan.peek() {
            None | Some('[') => return Ok(Token::End),
            Some('{') => {
                self.scan.bump();
                let text = self.scan.take_while(|c| c != '}');
                if !self.scan.eat('}') {
                    return Err(self.scan.error_at(offset, "a comment that ends with `}`"));
                }
                return Ok(Token::Comment(fold_blanks(text)));
            }
            Some(';') => {
                self.scan.bump();
                return Ok(Token::Comment(fold_blanks(self.scan.line())));
            }
            Some('(') => {
                self.scan.bump();
                return Ok(Token::Open);
            }
            Some(')') => {
                self.scan.bump();
                return Ok(Token::Close);
            }
            Some('$') => {
                self.scan.bump();
                let digits = self.scan.take_while(|c| c.is_ascii_digit());
                let glyph = digits.parse();
                return glyph
                    .map(Token::Glyph)
                    .map_err(|_| self.scan.error_at(offset, "a glyph $0 to $255"));
            }
            Some(_) => {}
        }
        let word = self
            .scan
            .take_while(|c| !c.is_whitespace() && !"{}();[]$".contains(c));
        if word.is_empty() {
            return Err(self
                .scan
                .error("a move, a comment, a variation or the result"));
        }
        if word == "*" || outcome_of(word).is_some() {
            return Ok(Token::Result(outcome_of(word)));
        }
        let text = without_number(word);
        if text.is_empty() {
            return self.token();
        }
        Ok(Token::Move {
            text,
            offset: offset + word.len() - text.len(),
        })
    }
}

/// Puts a tag where the record keeps it.
fn sort_tag<G: Notation>(record: &mut Record<G>, name: String, value: String) {
    let is_player = |side: &Side| name == player_tag::<G>(*side);
    let is_unknown = ROSTER.contains(&(name.as_str(), value.as_str()));
    if let Some(side) = Side::BOTH.iter().find(|side| is_player(side)) {
        if value != "?" {
            record.players[side.index()] = value;
        }
    } else if !is_unknown && !["Result", "FEN", "SetUp", "Variant", "Game"].contains(&name.as_str())
    {
        record.tags.push((name, value));
    }
}

/// How a game ended of which a file states only the outcome: from the tag `Termination`, or from
/// the board if it agrees.
fn end_of<G: Notation>(record: &Record<G>, stated: Outcome) -> GameEnd {
    let termination = record.tag("Termination").and_then(Ending::from_text);
    if let Some(ending) = termination.filter(|ending| says_ending(*ending)) {
        return GameEnd {
            outcome: stated,
            ending,
        };
    }
    let on_board = record.replay().ok().and_then(|game| game.end());
    on_board
        .filter(|end| end.outcome.winner() == stated.winner())
        .unwrap_or(GameEnd {
            outcome: stated,
            ending: Ending::Unknown,
        })
}

/// Endings that cannot be seen on the board, and so are written down.
fn says_ending(ending: Ending) -> bool {
    !matches!(ending, Ending::Played | Ending::Drawn(_) | Ending::Unknown)
}

fn parse_move<G: Notation>(position: &G, text: &str) -> Result<(G::Move, Option<u8>), ReadError> {
    let bare = text.trim_end_matches(['!', '?']);
    let sign = &text[bare.len()..];
    let glyph = SIGNS
        .iter()
        .find(|(known, _)| *known == sign)
        .map(|(_, glyph)| *glyph);
    if glyph.is_none() && !sign.is_empty() {
        return Err(ReadError::at(
            text,
            bare.len(),
            "one of ! ? !! ?? !? ?! or a blank",
        ));
    }
    Ok((position.parse_move(bare)?, glyph))
}

/// The move in `12.e4`, `12...e5` or `e4`; nothing in a bare number.
fn without_number(word: &str) -> &str {
    let after_digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let after_dots = after_digits.trim_start_matches(['.', '…']);
    let has_number = after_digits.len() < word.len();
    let has_dots = after_dots.len() < after_digits.len();
    if has_dots || (has_number && after_digits.is_empty()) {
        after_dots
    } else {
        word
    }
}

fn outcome_of(word: &str) -> Option<Outcome> {
    match word {
        "1-0" => Some(Outcome::win(Side::First)),
        "0-1" => Some(Outcome::win(Side::Second)),
        "1/2-1/2" | "1/2" | "½-½" => Some(Outcome::DRAW),
        _ => None,
    }
}

/// Adds a comment to a ply, taking time and value out of it.
fn annotate<G: Notation>(ply: &mut Ply<G>, text: &str) {
    let mut rest = text.to_owned();
    if let Some((time, without)) = take_command(&rest, "emt", parse_time) {
        (ply.time, rest) = (Some(time), without);
    }
    // Some programs add the depth: [%eval 0.17,23].
    let parse_value = |text: &str| Value::from_text(text.split(',').next().unwrap_or(text));
    if let Some((value, without)) = take_command(&rest, "eval", parse_value) {
        (ply.value, rest) = (Some(ForFirst(value)), without);
    }
    append(&mut ply.comment, &rest);
}

/// Takes `[%name value]` out of a comment, if it is there and its value can be read.
fn take_command<T>(
    comment: &str,
    name: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Option<(T, String)> {
    let open = format!("[%{name} ");
    let start = comment.find(&open)?;
    let end = start + comment[start..].find(']')?;
    let value = parse(comment[start + open.len()..end].trim())?;
    Some((value, join(&comment[..start], &comment[end + 1..])))
}

/// `h:mm:ss`, `m:ss` or seconds, with or without a fraction.
fn parse_time(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    for part in text.split(':') {
        let part: f64 = part
            .parse()
            .ok()
            .filter(|part: &f64| part.is_finite() && *part >= 0.0)?;
        seconds = seconds * 60.0 + part;
    }
    // To the millisecond, as it was written.
    let milliseconds = (seconds * 1000.0).round();
    (milliseconds < 1e15).then(|| Duration::from_millis(milliseconds as u64))
}

fn time_text(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!(
        "{hours}:{minutes:02}:{:02}.{:03}",
        seconds % 60,
        time.subsec_millis()
    )
}

fn fold_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn join(before: &str, after: &str) -> String {
    fold_blanks(&format!("{before} {after}"))
}

fn append(comment: &mut String, more: &str) {
    *comment = join(comment, more);
}

/// `White` for the side called `white`.
fn player_tag<G: Notation>(side: Side) -> String {
    let name = G::SIDES[side.index()];
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
}

/// The outcome as files state it: 1-0 if the first player won.
pub fn result_text(outcome: Option<Outcome>) -> &'static str {
    match outcome.map(Outcome::winner) {
        None => "*",
        Some(None) => "1/2-1/2",
        Some(Some(Side::First)) => "1-0",
        Some(Some(Side::Second)) => "0-1",
    }
}

/// A game as text, its lines at most 80 characters wide, with a blank line at the end.
pub fn write<G: Notation>(record: &Record<G>) -> String {
    let mut out = String::new();
    write_tags(record, &mut out);
    let mut words = Vec::new();
    if !record.comment.is_empty() {
        words.extend(comment_words(&record.comment));
    }
    write_line(
        &record.start,
        record.start.move_number(),
        &record.plies,
        &mut words,
    );
    words.push(result_text(record.end.map(|end| end.outcome)).into());
    out.push('\n');
    wrap(&words, &mut out);
    out.push('\n');
    out
}

fn write_tags<G: Notation>(record: &Record<G>, out: &mut String) {
    let mut tag = |name: &str, value: &str| {
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
        tag(
            &player_tag::<G>(side),
            if player.is_empty() { "?" } else { player },
        );
    }
    tag("Result", result_text(record.end.map(|end| end.outcome)));
    if G::PGN_NAMES_GAME {
        tag("Game", G::NAME);
    }
    let rules = record.start.rules();
    if rules != G::Rules::default() {
        tag("Variant", rules.name());
    }
    if record.start != G::start(rules) {
        tag("SetUp", "1");
        tag("FEN", &record.start.position_text());
    }
    if let Some(end) = record.end.filter(|end| says_ending(end.ending)) {
        tag("Termination", &end.ending.to_string());
    }
    let in_roster = |name: &str| ROSTER.iter().any(|(known, _)| *known == name);
    for (name, value) in record.tags.iter().filter(|(name, _)| !in_roster(name)) {
        tag(name, value);
    }
}

/// Adds the words of a line of moves, variations included.
fn write_line<G: Notation>(start: &G, number: u32, plies: &[Ply<G>], words: &mut Vec<String>) {
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

fn full_comment<G: Notation>(ply: &Ply<G>) -> String {
    let time = ply.time.map(|time| format!("[%emt {}]", time_text(time)));
    let value = ply.value.map(|ForFirst(value)| format!("[%eval {value}]"));
    let parts = [value, time, Some(ply.comment.clone())];
    fold_blanks(&parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// The words of a comment in braces; nothing for an empty one. A brace cannot be written in it.
fn comment_words(comment: &str) -> Vec<String> {
    if comment.is_empty() {
        return Vec::new();
    }
    let text = format!("{{{}}}", comment.replace('{', "(").replace('}', ")"));
    text.split_whitespace().map(String::from).collect()
}

fn wrap(words: &[String], out: &mut String) {
    let mut column = 0;
    for word in words {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > 80 {
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
