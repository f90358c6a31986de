use std::time::Duration;

use super::boundaries::{after_empty_line, comment_len, next_game, starts_game, tag_name};
use super::{ROSTER, collapse_whitespace, is_tag_char, player_tag, stated_ending};
use crate::{
    AnyGame, AnyGameHistory, AnyMove, AnyPly, AnyPosition, AnyRecord, Ending, ForFirst, GameEnd,
    Outcome, ReadError, Scanner, Side, Value, strip_bom,
};

/// Maximum nesting of variations, so that no file can exhaust the stack.
const MAX_VARIATION_DEPTH: usize = 64;
/// Symbols of the glyphs that have one.
const SYMBOLS: [(&str, u8); 6] = [("!!", 3), ("??", 4), ("!?", 5), ("?!", 6), ("!", 1), ("?", 2)];

/// The games of a text. After an error, reading resumes at the next game's tags.
pub fn read(game: AnyGame, text: &str) -> impl Iterator<Item = Result<AnyRecord, ReadError>> + '_ {
    let mut reader = Reader::new(text);
    std::iter::from_fn(move || {
        while !reader.at_end() {
            reader.scan.mark();
            let start = reader.scan.offset();
            let record = reader.game(game).transpose();
            if let Some(Err(_)) = record {
                reader.skip_game(start);
            }
            if record.is_some() {
                return record;
            }
        }
        None
    })
}

/// The first game of a text.
pub fn read_one(game: AnyGame, text: &str) -> Result<AnyRecord, ReadError> {
    read(game, text).next().unwrap_or_else(|| Err(ReadError::at(text, 0, "a game: tags or moves")))
}

/// The value of tag `name` of the first game with valid tags, without reading its moves.
pub fn peek_tag(text: &str, name: &str) -> Option<String> {
    let mut reader = Reader::new(text);
    while !reader.at_end() {
        let start = reader.scan.offset();
        match reader.tags() {
            Ok(tags) => return tags.into_iter().find(|tag| tag.name == name).map(|tag| tag.value),
            Err(_) => reader.skip_game(start),
        }
    }
    None
}

struct Reader<'a> {
    scan: Scanner<'a>,
}

struct Tag {
    name: String,
    value: String,
    /// The offset of the value, for errors.
    offset: usize,
}

/// The moves of a game or of a variation.
struct Line {
    plies: Vec<AnyPly>,
    /// The comment before the first move.
    comment: String,
    end: LineEnd,
}

/// What ends a line.
enum LineEnd {
    /// A result; `None` for `*`.
    Result(Option<Outcome>),
    /// No result: the variation is closed, or the next game's tags follow.
    Open,
}

/// A token of the movetext.
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
    fn new(text: &'a str) -> Self {
        Self { scan: Scanner::new(strip_bom(text)) }
    }

    fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.scan.at_end()
    }

    /// Skips whitespace and escaped lines, which start with `%`.
    fn skip_blanks(&mut self) {
        loop {
            self.scan.skip_blanks();
            let before = self.before();
            let line_start = before.is_empty() || before.ends_with('\n');
            if !(line_start && self.scan.peek() == Some('%')) {
                return;
            }
            self.scan.line();
        }
    }

    /// The text before the current offset.
    fn before(&self) -> &'a str {
        &self.scan.text()[..self.scan.offset()]
    }

    /// Skips the rest of the game that began at `start`, up to the next tags that follow an empty line.
    fn skip_game(&mut self, start: usize) {
        // An error in front of the next game's tags is one of the game before.
        let at_next = self.scan.offset() > start && starts_game(self.before(), self.scan.rest());
        if !at_next {
            self.scan.line();
            let rest = self.scan.rest();
            self.scan.take(next_game(self.before(), rest).unwrap_or(rest.len()));
        }
    }

    /// The next game; `None` if only comments remain.
    fn game(&mut self, game: AnyGame) -> Result<Option<AnyRecord>, ReadError> {
        self.skip_blanks();
        let tags = self.tags()?;
        let mut record = AnyRecord::new(self.start(game, &tags)?);
        let line = self.line(&record.start, 0)?;
        let stated = match line.end {
            LineEnd::Open if tags.is_empty() && line.plies.is_empty() => return Ok(None),
            LineEnd::Result(Some(outcome)) => Some(outcome),
            _ => find(&tags, "Result").and_then(|tag| outcome_of(&tag.value)),
        };
        (record.plies, record.comment) = (line.plies, line.comment);
        for Tag { name, value, .. } in tags {
            store_tag(&mut record, name, value);
        }
        record.end = stated.map(|outcome| end_of(&record, outcome));
        if let Some(end) = record.end {
            // The writer derives it from the ending; other wordings are kept as a tag.
            let known = ("Termination".into(), end.ending.to_string());
            record.tags.retain(|tag| *tag != known);
        }
        Ok(Some(record))
    }

    fn tags(&mut self) -> Result<Vec<Tag>, ReadError> {
        let mut tags = Vec::new();
        while self.scan.eat('[') {
            self.scan.skip_blanks();
            let name = self.scan.take_while(is_tag_char);
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
            tags.push(Tag { name: name.into(), value, offset });
            self.skip_blanks();
            // A repeated tag after an empty line belongs to the next game: this one has no moves.
            let (before, rest) = (self.before(), self.scan.rest());
            if starts_game(before, rest)
                && tag_name(rest).is_some_and(|name| find(&tags, name).is_some())
            {
                break;
            }
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
                None | Some('\n') => return Err(self.scan.error("`\"]` at the end of the tag")),
                Some('"') if self.is_last_quote() => {
                    self.scan.bump();
                    return Ok(value);
                }
                Some('\\') => {
                    self.scan.bump();
                    // Only quotes and backslashes are escaped.
                    let escaped = matches!(self.scan.peek(), Some('"' | '\\'));
                    value.push(if escaped { self.scan.bump().unwrap_or('\\') } else { '\\' });
                }
                Some(other) => {
                    value.push(other);
                    self.scan.bump();
                }
            }
        }
    }

    /// Whether the next quote ends the value: some programs do not escape inner quotes.
    fn is_last_quote(&self) -> bool {
        let after = self.scan.rest().strip_prefix('"');
        after.is_some_and(|after| after.trim_start().starts_with(']'))
    }

    fn start(&self, game: AnyGame, tags: &[Tag]) -> Result<AnyPosition, ReadError> {
        if let Some(tag) = find(tags, "Game").filter(|tag| tag.value != game.name()) {
            return Err(self.scan.error_at(tag.offset, format!("a game of {game}")));
        }
        let rules = match find(tags, "Variant") {
            None => game.default_rules(),
            Some(tag) => game.rules(&tag.value).map_err(|error| {
                self.scan.error_at(tag.offset, format!("rules: {}", error.known.join(", ")))
            })?,
        };
        match find(tags, "FEN") {
            None => Ok(rules.start()),
            Some(tag) => rules
                .parse_position(&tag.value)
                .map_err(|error| self.scan.within(error, tag.offset)),
        }
    }

    /// Reads moves to the end of the game or, at `depth` > 0, of the variation.
    fn line(&mut self, start: &AnyPosition, depth: usize) -> Result<Line, ReadError> {
        let mut line = Line { plies: Vec::new(), comment: String::new(), end: LineEnd::Open };
        let (mut before, mut now) = (start.clone(), start.clone());
        loop {
            self.skip_blanks();
            let offset = self.scan.offset();
            match self.token()? {
                Token::Move { text, .. } if is_move_number(start, text) => {}
                Token::Move { text, .. } if depth > 0 && is_null_move(&now, text) => {
                    // The rest cannot be played, so it is kept as text.
                    let rest = self.rest_of_variation(offset)?;
                    append(
                        line.plies.last_mut().map_or(&mut line.comment, |ply| &mut ply.comment),
                        &rest,
                    );
                    return Ok(line);
                }
                Token::Move { text, offset } => {
                    let (m, glyph) =
                        parse_move(&now, text).map_err(|error| self.scan.within(error, offset))?;
                    before = now;
                    now = before.after(m);
                    line.plies
                        .push(AnyPly { glyphs: glyph.into_iter().collect(), ..AnyPly::new(m) });
                }
                Token::Comment(text) => match line.plies.last_mut() {
                    Some(ply) => annotate(ply, &text),
                    None => append(&mut line.comment, &text),
                },
                Token::Glyph(glyph) => match line.plies.last_mut() {
                    Some(ply) => ply.glyphs.push(glyph),
                    None => return Err(self.scan.error_at(offset, "a move before its glyph")),
                },
                Token::Open => {
                    let Some(ply) = line.plies.last_mut() else {
                        return Err(self.scan.error_at(offset, "a move before its variation"));
                    };
                    if depth == MAX_VARIATION_DEPTH {
                        let expected = format!("variations at most {MAX_VARIATION_DEPTH} deep");
                        return Err(self.scan.error_at(offset, expected));
                    }
                    self.variation(ply, &before, depth + 1)?;
                }
                Token::Close if depth > 0 => return Ok(line),
                Token::Close => return Err(self.scan.error_at(offset, "a move or the result")),
                Token::Result(outcome) if depth == 0 => {
                    line.end = LineEnd::Result(outcome);
                    return Ok(line);
                }
                Token::Result(_) => {}
                Token::End if depth == 0 => return Ok(line),
                Token::End => return Err(self.scan.error_at(offset, "`)` after the variation")),
            }
        }
    }

    /// Reads a variation to its closing parenthesis and adds it to the move it replaces; one without
    /// moves is added to that move's comment.
    fn variation(
        &mut self,
        played: &mut AnyPly,
        start: &AnyPosition,
        depth: usize,
    ) -> Result<(), ReadError> {
        let mut line = self.line(start, depth)?;
        match line.plies.first_mut() {
            None => append(&mut played.comment, &line.comment),
            Some(first) => {
                first.comment = join(&line.comment, &first.comment);
                played.variations.push(line.plies);
            }
        }
        Ok(())
    }

    /// Skips the rest of a variation and returns its text from `start`, without braces.
    fn rest_of_variation(&mut self, start: usize) -> Result<String, ReadError> {
        let mut open = 1;
        loop {
            let before = self.scan.offset();
            match self.token()? {
                Token::Open => open += 1,
                Token::Close => open -= 1,
                Token::End => return Err(self.scan.error("`)` after the variation")),
                _ => {}
            }
            if open == 0 {
                return Ok(self.scan.text()[start..before].replace(['{', '}'], " "));
            }
        }
    }

    fn token(&mut self) -> Result<Token<'a>, ReadError> {
        loop {
            self.skip_blanks();
            let offset = self.scan.offset();
            match self.scan.peek() {
                None => return Ok(Token::End),
                Some('[') if self.at_next_game() => return Ok(Token::End),
                Some('{') => return self.comment(),
                Some(';') => {
                    self.scan.bump();
                    return Ok(Token::Comment(collapse_whitespace(self.scan.line())));
                }
                Some('(') => {
                    self.scan.bump();
                    return Ok(Token::Open);
                }
                Some(')') => {
                    self.scan.bump();
                    return Ok(Token::Close);
                }
                Some('$') => return self.glyph(),
                Some(_) => {}
            }
            let word = self.scan.take_while(|c| !c.is_whitespace() && !"{}();[]$".contains(c));
            if word.is_empty() {
                return Err(self.scan.error("a move, a comment, a variation or the result"));
            }
            if word == "*" || outcome_of(word).is_some() {
                return Ok(Token::Result(outcome_of(word)));
            }
            if let Some(glyph) = glyph_of(word) {
                return Ok(Token::Glyph(glyph));
            }
            let text = without_number(word);
            // Move numbers and the suffix `e.p.` are redundant.
            if !text.is_empty() && text != "e.p." {
                return Ok(Token::Move { text, offset: offset + word.len() - text.len() });
            }
        }
    }

    fn comment(&mut self) -> Result<Token<'a>, ReadError> {
        let offset = self.scan.offset();
        self.scan.bump();
        let Some(len) = comment_len(self.scan.rest()) else {
            return Err(self.scan.error_at(offset, "a comment that ends with `}`"));
        };
        let text = self.scan.take(len);
        self.scan.bump();
        Ok(Token::Comment(collapse_whitespace(text)))
    }

    /// Whether the next bracket starts the next game's tags, valid or not.
    fn at_next_game(&self) -> bool {
        tag_name(self.scan.rest()).is_some() || after_empty_line(self.before())
    }

    fn glyph(&mut self) -> Result<Token<'a>, ReadError> {
        let offset = self.scan.offset();
        self.scan.bump();
        let digits = self.scan.take_while(|c| c.is_ascii_digit());
        let glyph = digits.parse().map(Token::Glyph);
        glyph.map_err(|_| self.scan.error_at(offset, "a glyph $0 to $255"))
    }
}

fn find<'t>(tags: &'t [Tag], name: &str) -> Option<&'t Tag> {
    tags.iter().find(|tag| tag.name == name)
}

/// Stores a tag in its field of the record, or in `tags`.
fn store_tag(record: &mut AnyRecord, name: String, value: String) {
    let game = record.start.game();
    let is_player = |side: &Side| name == player_tag(game, *side);
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

/// The ending of a game with a stated outcome: from the tag `Termination`, or derived from the board if
/// that agrees.
fn end_of(record: &AnyRecord, stated: Outcome) -> GameEnd {
    if let Some(ending) = record.tag("Termination").and_then(stated_ending) {
        return GameEnd { outcome: stated, ending };
    }
    // The game ended here, so a claimable draw was claimed.
    let claimed = |game: &AnyGameHistory| {
        let draw = game.draw()?;
        Some(GameEnd { outcome: Outcome::DRAW, ending: Ending::Drawn(draw.reason) })
    };
    let on_board = record.replay().ok().and_then(|game| game.end().or_else(|| claimed(&game)));
    on_board
        .filter(|end| end.outcome.winner() == stated.winner())
        .unwrap_or(GameEnd { outcome: stated, ending: Ending::Unknown })
}

fn parse_move(position: &AnyPosition, text: &str) -> Result<(AnyMove, Option<u8>), ReadError> {
    let bare = text.trim_end_matches(['!', '?']);
    let symbol = &text[bare.len()..];
    if !symbol.is_empty() && glyph_of(symbol).is_none() {
        return Err(ReadError::at(text, bare.len(), "one of ! ? !! ?? !? ?! or a blank"));
    }
    Ok((position.parse_move(bare)?, glyph_of(symbol)))
}

/// Whether `text` is a null move, with which annotators show threats.
fn is_null_move(position: &AnyPosition, text: &str) -> bool {
    matches!(text, "--" | "Z0") && position.parse_move(text).is_err()
}

/// The glyph of a symbol such as `!?`.
fn glyph_of(text: &str) -> Option<u8> {
    SYMBOLS.iter().find(|(symbol, _)| *symbol == text).map(|(_, glyph)| *glyph)
}

/// Strips the move number of `12.e4` or `12...e5`; a bare number is kept.
fn without_number(word: &str) -> &str {
    let after_digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let after_dots = after_digits.trim_start_matches(['.', '…']);
    let has_dots = after_dots.len() < after_digits.len();
    if has_dots { after_dots } else { word }
}

/// Whether a word is a move number without a dot, in a game whose moves are not numbers.
fn is_move_number(start: &AnyPosition, word: &str) -> bool {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_number_moves = || {
        let m = start.moves().into_iter().next();
        m.is_some_and(|m| is_number(&start.move_text(m)))
    };
    is_number(word) && !has_number_moves()
}

fn outcome_of(word: &str) -> Option<Outcome> {
    match word {
        "1-0" => Some(Outcome::win(Side::First)),
        "0-1" => Some(Outcome::win(Side::Second)),
        "1/2-1/2" | "1/2" | "½-½" => Some(Outcome::DRAW),
        _ => None,
    }
}

/// Adds a comment to a ply, extracting time and score.
fn annotate(ply: &mut AnyPly, text: &str) {
    let mut rest = text.to_owned();
    if let Some((time, without)) = take_command(&rest, "emt", parse_time) {
        (ply.time, rest) = (Some(time), without);
    }
    // Some programs append the depth: [%eval 0.17,23].
    let parse_value = |text: &str| Value::from_text(text.split(',').next().unwrap_or(text));
    if let Some((value, without)) = take_command(&rest, "eval", parse_value) {
        (ply.value, rest) = (Some(ForFirst(value)), without);
    }
    append(&mut ply.comment, &rest);
}

/// Extracts the command `[%name value]` from a comment, if its value is valid.
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

/// Parses `h:mm:ss`, `m:ss` or seconds, with an optional fraction.
fn parse_time(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    for part in text.split(':') {
        let part: f64 = part.parse().ok().filter(|part: &f64| part.is_finite() && *part >= 0.0)?;
        seconds = seconds * 60.0 + part;
    }
    // Milliseconds, as written.
    let milliseconds = (seconds * 1000.0).round();
    (milliseconds < 1e15).then(|| Duration::from_millis(milliseconds as u64))
}

fn join(before: &str, after: &str) -> String {
    collapse_whitespace(&format!("{before} {after}"))
}

fn append(comment: &mut String, more: &str) {
    *comment = join(comment, more);
}
