//! Commands from the GUI to the engine.

use std::time::Duration;

use tablero_core::{AnyGameHistory, AnyPosition, AnyRules, Clock, Limits, ReadError};

/// A command. Unknown tokens at the start of a line are skipped, as the specification demands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command<'a> {
    Uci,
    Debug(bool),
    IsReady,
    SetOption { name: String, value: String },
    NewGame,
    Position(&'a str),
    Go(Go<'a>),
    Stop,
    PonderHit,
    Quit,
    Unknown,
}

impl<'a> Command<'a> {
    pub(crate) fn parse(line: &'a str) -> Self {
        let mut rest = line.trim_start();
        loop {
            let (word, after) = split_word(rest);
            return match word {
                "uci" => Self::Uci,
                "debug" => Self::Debug(after.trim() != "off"),
                "isready" => Self::IsReady,
                "setoption" => parse_setoption(after),
                "ucinewgame" => Self::NewGame,
                "position" => Self::Position(after),
                "go" => Self::Go(Go::parse(after)),
                "stop" => Self::Stop,
                "ponderhit" => Self::PonderHit,
                "quit" => Self::Quit,
                "" => Self::Unknown,
                _ => {
                    rest = after;
                    continue;
                }
            };
        }
    }
}

/// The first word and the rest.
fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// `name <id> [value <x>]`; both may contain spaces.
fn parse_setoption<'a>(text: &str) -> Command<'a> {
    let mut words = text.split_whitespace().skip_while(|&word| word != "name");
    words.next();
    let name: Vec<&str> = words.by_ref().take_while(|&word| word != "value").collect();
    let value: Vec<&str> = words.collect();
    Command::SetOption { name: name.join(" "), value: value.join(" ") }
}

/// The game of a `position` command.
pub(crate) fn parse_position_command(
    text: &str,
    rules: AnyRules,
) -> Result<AnyGameHistory, ReadError> {
    let (start, moves) = split_moves(text);
    let start = match start.trim() {
        "startpos" => rules.start(),
        position => {
            let position = position.strip_prefix("fen ").unwrap_or(position);
            let offset = position.as_ptr() as usize - text.as_ptr() as usize;
            rules.parse_position(position).map_err(|error| error.within(text, offset))?
        }
    };
    let mut game = AnyGameHistory::new(start);
    for word in moves.split_whitespace() {
        let offset = word.as_ptr() as usize - text.as_ptr() as usize;
        let m = game.position().parse_uci_move(word);
        let m = m.map_err(|error| error.within(text, offset))?;
        // The GUI may continue after a draw by repetition or the fifty-move rule.
        if game.play_on(m).is_err() {
            return Err(ReadError::at(text, offset, "a legal move"));
        }
    }
    Ok(game)
}

/// The text before and after the word `moves`.
fn split_moves(text: &str) -> (&str, &str) {
    let mut from = 0;
    while let Some(found) = text[from..].find("moves") {
        let (at, end) = (from + found, from + found + "moves".len());
        let starts = text[..at].chars().next_back().is_none_or(char::is_whitespace);
        let ends = text[end..].chars().next().is_none_or(char::is_whitespace);
        if starts && ends {
            return (&text[..at], &text[end..]);
        }
        from = end;
    }
    (text, "")
}

/// Index of the side to move in the pair of white's and black's clocks.
pub(crate) fn clock_index(position: &AnyPosition) -> usize {
    let side = position.side().index();
    match position.info().sides[side] {
        "white" => 0,
        "black" => 1,
        _ => side,
    }
}

/// The parameters of `go`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Go<'a> {
    pub(crate) searchmoves: Vec<&'a str>,
    pub(crate) ponder: bool,
    pub(crate) infinite: bool,
    pub(crate) mate: Option<u32>,
    depth: Option<u32>,
    nodes: Option<u64>,
    movetime: Option<Duration>,
    /// `wtime` and `btime`.
    time: [Option<Duration>; 2],
    increment: [Option<Duration>; 2],
    moves_to_go: Option<u32>,
}

/// Longer times are clamped (49 days), so that no sum overflows.
const MAX_MILLIS: u64 = u32::MAX as u64;

/// Milliseconds, negative ones clamped to zero.
pub(crate) fn milliseconds(text: &str) -> Option<Duration> {
    let number: i64 = text.parse().ok()?;
    Some(Duration::from_millis(number.max(0).unsigned_abs().min(MAX_MILLIS)))
}

impl<'a> Go<'a> {
    fn parse(text: &'a str) -> Self {
        let mut go = Self::default();
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "ponder" => go.ponder = true,
                "infinite" => go.infinite = true,
                "searchmoves" => {
                    while let Some(m) = words.next_if(|&word| !is_parameter(word)) {
                        go.searchmoves.push(m);
                    }
                }
                // A parameter without value must not consume the next parameter.
                _ if is_parameter(word) => {
                    if let Some(value) = words.next_if(|&word| !is_parameter(word)) {
                        go.set(word, value);
                    }
                }
                _ => {}
            }
        }
        go
    }

    fn set(&mut self, parameter: &str, value: &str) {
        let count = || value.parse().ok().map(|number: u64| number.max(1));
        let small = || count().map(|number| number.min(u64::from(u32::MAX)) as u32);
        let time = || milliseconds(value);
        match parameter {
            "wtime" => self.time[0] = time(),
            "btime" => self.time[1] = time(),
            "winc" => self.increment[0] = time(),
            "binc" => self.increment[1] = time(),
            "movestogo" => self.moves_to_go = small(),
            "depth" => self.depth = small(),
            "nodes" => self.nodes = count(),
            "mate" => self.mate = small(),
            "movetime" => self.movetime = time(),
            _ => {}
        }
    }

    /// Search limits for the side to move; `overhead` is deducted from its clock.
    pub(crate) fn limits(&self, position: &AnyPosition, overhead: Duration) -> Limits {
        /// Out of time: moves at once, since calling the flag is up to the GUI.
        const MIN_TIME: Duration = Duration::from_millis(1);
        let side = clock_index(position);
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            time: self.movetime.map(|time| time.max(MIN_TIME)),
            clock: self.time[side].map(|left| Clock {
                left: left.saturating_sub(overhead).max(MIN_TIME),
                increment: self.increment[side].unwrap_or_default(),
                moves_to_go: self.moves_to_go,
            }),
        }
    }
}

fn is_parameter(word: &str) -> bool {
    const PARAMETERS: [&str; 12] = [
        "searchmoves",
        "ponder",
        "infinite",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "depth",
        "nodes",
        "mate",
        "movetime",
    ];
    PARAMETERS.contains(&word)
}

#[cfg(test)]
mod tests {
    use tablero_chess::Chess;
    use tablero_core::{AnyGame, conformance};
    use tablero_othello::Othello;
    use tablero_shobu::Shobu;

    use super::*;

    const CHESS: AnyGame = AnyGame::of::<Chess>();
    const OTHELLO: AnyGame = AnyGame::of::<Othello>();
    const SHOBU: AnyGame = AnyGame::of::<Shobu>();

    fn go(text: &str) -> Go<'_> {
        match Command::parse(text) {
            Command::Go(go) => go,
            other => panic!("{other:?}"),
        }
    }

    fn read(game: AnyGame, text: &str) -> Result<AnyGameHistory, ReadError> {
        parse_position_command(text, game.default_rules())
    }

    fn chess(text: &str) -> Result<AnyGameHistory, ReadError> {
        read(CHESS, text)
    }

    #[test]
    fn unknown_tokens_are_skipped() {
        assert_eq!(Command::parse("joho debug on"), Command::Debug(true));
        assert_eq!(Command::parse("debug off"), Command::Debug(false));
        assert_eq!(Command::parse("  \t"), Command::Unknown);
        assert_eq!(Command::parse("d"), Command::Unknown);
    }

    #[test]
    fn option_names_and_values_may_contain_spaces() {
        let set =
            |name: &str, value: &str| Command::SetOption { name: name.into(), value: value.into() };
        assert_eq!(Command::parse("setoption name Clear Hash"), set("Clear Hash", ""));
        assert_eq!(Command::parse("setoption name A B  value c d"), set("A B", "c d"));
        assert_eq!(Command::parse("setoption"), set("", ""));
    }

    #[test]
    fn go_parses_every_parameter() {
        let position = CHESS.start();
        let go = go("go searchmoves e2e4 d2d4 wtime 1000 btime -5 winc 10 binc 20 movestogo 5 \
             depth 0 nodes 70 mate 3 movetime 0 ponder infinite what");
        assert_eq!(go.searchmoves, ["e2e4", "d2d4"]);
        assert!(go.ponder && go.infinite && go.mate == Some(3));
        let ms = Duration::from_millis;
        let white = go.limits(&position, ms(100));
        assert_eq!(
            white,
            Limits {
                depth: Some(1),
                nodes: Some(70),
                time: Some(ms(1)),
                clock: Some(Clock { left: ms(900), increment: ms(10), moves_to_go: Some(5) }),
            }
        );
        let e4 = position.parse_move("e4").expect("legal");
        let black = go.limits(&position.after(e4), ms(100));
        assert_eq!(black.clock.map(|clock| (clock.left, clock.increment)), Some((ms(1), ms(20))));
        // In Othello black moves first.
        let othello = go.limits(&OTHELLO.start(), ms(0));
        assert_eq!(othello.clock.map(|clock| clock.increment), Some(ms(20)));
    }

    #[test]
    fn go_ignores_malformed_parameters() {
        assert_eq!(go("go depth nodes 5 x y"), go("go nodes 5"));
        assert_eq!(
            go("go depth 99999999999 wtime 99999999999999999999"),
            go("go depth 4294967295")
        );
    }

    #[test]
    fn positions_are_parsed() {
        let game = chess("startpos moves e2e4 e7e5 g1f3").expect("legal");
        assert_eq!(game.plies(), 3);
        let text = game.position().position_text();
        assert_eq!(chess(&format!("fen {text}")).expect("a FEN").position(), game.position());
        let error = |text: &str| chess(text).unwrap_err().to_string();
        assert!(
            error("startpos moves e2e4 e7e5 e1g1").starts_with("line 1, column 26: found `e1g1`")
        );
        assert!(error("fen 8/8 w - - 0 1 moves e2e4").contains("line 1, column"));
        assert!(error("").contains("found the end"));
        let castled = chess("fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1").expect("legal");
        assert!(castled.position().position_text().starts_with("4k3/8/8/8/8/8/8/5RK1 b"));
    }

    #[test]
    fn other_games_use_their_own_notation() {
        let game = read(OTHELLO, "startpos moves f5 d6 c3").expect("legal");
        let text = format!("{} moves d3", game.position().position_text());
        assert_eq!(read(OTHELLO, &text).expect("legal").plies(), 1);
        let start = SHOBU.start();
        let m = start.uci_move(start.moves()[0]);
        let text = format!("fen {} moves {m}", start.position_text());
        assert_eq!(read(SHOBU, &text).expect("legal").plies(), 1);
    }

    #[test]
    fn no_line_panics() {
        let samples: [&[u8]; 8] = [
            b"position startpos moves e2e4 e7e5",
            b"position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4",
            b"position startpos moves f5 d6",
            b"setoption name UCI_Elo value 1350",
            b"go wtime 1000 btime 1000 winc 10 binc 10 movestogo 3 searchmoves e2e4",
            b"go ponder infinite depth 3 nodes 4 mate 2 movetime 5",
            b"debug on",
            b"joho stop",
        ];
        conformance::check_reader(&samples, 20_000, 3, |bytes| {
            let line = String::from_utf8_lossy(bytes);
            match Command::parse(&line) {
                Command::Position(text) => {
                    let _ = chess(text);
                    let _ = read(OTHELLO, text);
                    let _ = read(SHOBU, text);
                }
                Command::Go(go) => {
                    let _ = go.limits(&CHESS.start(), Duration::MAX);
                }
                _ => {}
            }
        });
    }
}
