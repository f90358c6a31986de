//! The Go Text Protocol, version 2, as programs for Othello speak it: `boardsize 8`, columns a-h
//! from the left, rows 1-8 from the top, black and white in turn. A side that has no move may pass
//! or leave the pass out.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

use tablero_core::{Clock, Game, Limits, Match, Side, StandardRules};
use tablero_othello::{Othello, Square};

use crate::desk::{Desk, Task, at_desk};
use crate::engine::{Engine, Seat};

const COMMANDS: [&str; 19] = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
    "reg_genmove",
    "undo",
    "time_settings",
    "time_left",
    "final_score",
    "showboard",
    "set_game",
    "list_games",
];

/// Speaks GTP for `engine` until the peer quits or `input` ends; fails if `output` does, or if the
/// engine's player cannot be made.
pub fn serve_gtp(
    input: impl BufRead + Send,
    mut output: impl Write,
    engine: &Engine<'_, Othello>,
) -> io::Result<()> {
    let is_last = |line: &str| Request::read(&clean(line)).is_some_and(|r| r.command == "quit");
    at_desk(input, is_last, |desk| {
        let mut session = Session {
            desk,
            engine,
            seat: Seat::new(engine),
            game: new_match(),
            clocks: Clocks::default(),
        };
        while let Some(line) = session.desk.next_line() {
            let line = clean(&line);
            let Some(request) = Request::read(&line) else {
                continue;
            };
            let answer = session.answer(&request)?;
            let (sign, text) = match &answer {
                Ok(text) => ('=', text.as_str()),
                Err(text) => ('?', *text),
            };
            let blank = if text.is_empty() { "" } else { " " };
            write!(output, "{sign}{}{blank}{text}\n\n", request.id)?;
            output.flush()?;
            if request.command == "quit" {
                break;
            }
        }
        Ok(())
    })
}

fn new_match() -> Match<Othello> {
    Match::new(Othello::start(StandardRules))
}

/// The line without its comment and without control characters.
fn clean(line: &str) -> String {
    let line = line.split('#').next().unwrap_or_default();
    let line = line.replace('\t', " ");
    line.chars().filter(|c| !c.is_control()).collect()
}

/// `[id] command [arguments]`.
#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    id: &'a str,
    command: &'a str,
    arguments: Vec<&'a str>,
}

impl<'a> Request<'a> {
    /// The request on a line that was cleaned; none if it is empty.
    fn read(line: &'a str) -> Option<Self> {
        let mut words = line.split_whitespace().peekable();
        let is_id = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        let id = words.next_if(is_id).unwrap_or_default();
        Some(Self { id, command: words.next()?, arguments: words.collect() })
    }
}

struct Session<'a, 'scope, 'env> {
    desk: &'a mut Desk<'scope, 'env, Othello>,
    engine: &'a Engine<'a, Othello>,
    seat: Seat<'a, Othello>,
    game: Match<Othello>,
    clocks: Clocks,
}

/// An answer, or what GTP calls a failure.
type Answer = Result<String, &'static str>;

impl Session<'_, '_, '_> {
    fn answer(&mut self, request: &Request<'_>) -> io::Result<Answer> {
        let done = Ok(String::new());
        Ok(match (request.command, request.arguments.as_slice()) {
            ("protocol_version", _) => Ok("2".into()),
            ("name", _) => Ok(self.engine.name.clone()),
            ("version", _) => Ok(env!("CARGO_PKG_VERSION").into()),
            ("known_command", [name, ..]) => Ok(COMMANDS.contains(name).to_string()),
            ("known_command", []) => Ok("false".into()),
            ("list_commands", _) => Ok(COMMANDS.join("\n")),
            ("quit" | "komi", _) => done,
            ("boardsize", ["8"]) => done,
            ("boardsize", _) => Err("unacceptable size"),
            ("set_game", [game]) if game.eq_ignore_ascii_case("othello") => done,
            ("set_game", _) => Err("unsupported game"),
            ("list_games", _) => Ok("Othello".into()),
            ("clear_board", _) => {
                self.game = new_match();
                self.seat.new_game();
                self.clocks.reset();
                done
            }
            ("play", [colour, vertex, ..]) => self.play(colour, vertex),
            ("genmove", [colour, ..]) => self.generate(colour, true)?,
            ("reg_genmove", [colour, ..]) => self.generate(colour, false)?,
            ("undo", _) => match self.game.undo() {
                Some(_) => done,
                None => Err("cannot undo"),
            },
            ("time_settings", [main, period, stones, ..]) => {
                self.clocks.set(main, period, stones).map(|()| String::new())
            }
            ("time_left", [colour, left, stones, ..]) => {
                self.clocks.set_left(colour, left, stones).map(|()| String::new())
            }
            ("final_score", _) => self.score(),
            ("showboard", _) => Ok(board_text(self.game.position())),
            (command, _) if COMMANDS.contains(&command) => Err("syntax error"),
            _ => Err("unknown command"),
        })
    }

    fn play(&mut self, colour: &str, vertex: &str) -> Answer {
        let is_pass = vertex.eq_ignore_ascii_case("pass");
        let square = if is_pass { Some(Square::PASS) } else { Square::from_name(vertex) };
        let (Some(side), Some(square)) = (side_of(colour), square) else {
            return Err("syntax error");
        };
        if is_pass && self.game.end().is_some() {
            return Ok(String::new());
        }
        let has_turn = self.take_turn(side);
        if !has_turn || self.game.play(square).is_err() {
            return Err("illegal move");
        }
        Ok(String::new())
    }

    /// Passes for the other side if it is to move and has to; says whether `side` is then to move.
    fn take_turn(&mut self, side: Side) -> bool {
        if self.game.position().side() != side {
            // If it need not pass, this is refused.
            let _ = self.game.play(Square::PASS);
        }
        self.game.position().side() == side
    }

    /// Chooses a move for the side, and plays it if wanted.
    fn generate(&mut self, colour: &str, is_played: bool) -> io::Result<Answer> {
        let Some(side) = side_of(colour) else {
            return Ok(Err("syntax error"));
        };
        if self.game.end().is_some() {
            return Ok(Ok("pass".into()));
        }
        if !self.take_turn(side) {
            return Ok(Err("it is the other side's turn"));
        }
        let Some(square) = self.choose(side)? else {
            return Ok(Err("the player failed"));
        };
        if is_played && self.game.play(square).is_err() {
            return Ok(Err("the player failed"));
        }
        Ok(Ok(vertex_text(square)))
    }

    fn choose(&mut self, side: Side) -> io::Result<Option<Square>> {
        // Made at the first move: nothing in this protocol changes it.
        let _ = self.seat.prepare(&self.engine.setup)?;
        let Some(player) = self.seat.take() else {
            return Ok(None);
        };
        let clock = self.clocks.of(side);
        let limits = match clock {
            Some(_) => Limits { clock, ..Limits::default() },
            None => self.engine.pace,
        };
        let task = Task { game: self.game.clone(), limits, only: None };
        let start = Instant::now();
        let thought = self.desk.think_and_wait(player, task, |_| false, |_| Ok(()))?;
        self.clocks.use_up(side, start.elapsed());
        self.seat.put_back(thought.player);
        Ok(thought.result.ok().map(|choice| choice.m))
    }

    fn score(&self) -> Answer {
        let end = self.game.end().ok_or("cannot score")?;
        Ok(match end.outcome.margin().0 {
            0 => "0".into(),
            margin if margin > 0 => format!("B+{margin}"),
            margin => format!("W+{}", -margin),
        })
    }
}

fn side_of(colour: &str) -> Option<Side> {
    match colour.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Side::First),
        "w" | "white" => Some(Side::Second),
        _ => None,
    }
}

/// A square as GTP writes it.
pub(crate) fn vertex_text(square: Square) -> String {
    if square.is_pass() { "pass".into() } else { square.to_string().to_uppercase() }
}

fn board_text(position: &Othello) -> String {
    let mut text = String::from("\n  A B C D E F G H");
    for row in 0..8 {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{}", row + 1);
        for square in 8 * row..8 * row + 8 {
            let has = |side| position.discs(side) >> square & 1 == 1;
            let owner = Side::BOTH.into_iter().find(|&side| has(side));
            text += match owner {
                Some(Side::First) => " X",
                Some(Side::Second) => " O",
                None => " .",
            };
        }
    }
    let state = match position.outcome() {
        Some(_) => "the game is over".into(),
        None => format!("{} to move", Othello::SIDES[position.side().index()]),
    };
    text + "\n" + &state
}

/// Canadian time: some main time, then so many moves in each period.
#[derive(Default)]
struct Clocks {
    settings: Option<Settings>,
    left: [Left; 2],
}

#[derive(Clone, Copy)]
struct Settings {
    main: Duration,
    period: Duration,
    /// Moves in a period; without any, the main time is all there is.
    moves: u32,
}

/// Time for the next so many moves; for all moves of the main time if that is 0.
#[derive(Clone, Copy, Default)]
struct Left {
    time: Duration,
    moves: u32,
}

impl Clocks {
    fn set(&mut self, main: &str, period: &str, moves: &str) -> Result<(), &'static str> {
        let settings = Settings {
            main: seconds(main).ok_or("syntax error")?,
            period: seconds(period).ok_or("syntax error")?,
            moves: moves.parse().map_err(|_| "syntax error")?,
        };
        // A period without moves is how GTP says that there is no limit.
        let is_limited = if settings.moves == 0 {
            settings.period.is_zero() && !settings.main.is_zero()
        } else {
            !settings.main.is_zero() || !settings.period.is_zero()
        };
        self.settings = is_limited.then_some(settings);
        self.reset();
        Ok(())
    }

    fn set_left(&mut self, colour: &str, time: &str, moves: &str) -> Result<(), &'static str> {
        let side = side_of(colour).ok_or("syntax error")?;
        self.left[side.index()] = Left {
            time: seconds(time).ok_or("syntax error")?,
            moves: moves.parse().map_err(|_| "syntax error")?,
        };
        // The peer has a clock even if it did not tell its settings.
        self.settings.get_or_insert(Settings {
            main: Duration::ZERO,
            period: Duration::ZERO,
            moves: 0,
        });
        Ok(())
    }

    /// Both clocks as at the start of a game.
    fn reset(&mut self) {
        self.left = [self.settings.map_or_else(Left::default, Settings::first); 2];
    }

    fn of(&self, side: Side) -> Option<Clock> {
        let settings = self.settings?;
        let left = self.left[side.index()];
        Some(Clock {
            left: left.time.max(Duration::from_millis(1)),
            increment: settings.period.checked_div(settings.moves).unwrap_or_default(),
            moves_to_go: (left.moves > 0).then_some(left.moves),
        })
    }

    /// Takes the time of one move from the clock.
    fn use_up(&mut self, side: Side, time: Duration) {
        let Some(settings) = self.settings else {
            return;
        };
        let left = &mut self.left[side.index()];
        left.time = left.time.saturating_sub(time);
        let is_over = match left.moves {
            0 => left.time.is_zero() && settings.moves > 0,
            moves => {
                left.moves = moves - 1;
                left.moves == 0
            }
        };
        if is_over {
            *left = settings.next_period();
        }
    }
}

impl Settings {
    fn first(self) -> Left {
        if self.main.is_zero() { self.next_period() } else { Left { time: self.main, moves: 0 } }
    }

    const fn next_period(self) -> Left {
        Left { time: self.period, moves: self.moves }
    }
}

/// A number of seconds, perhaps with a fraction; no more than some weeks, so that no sum overflows.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    seconds.is_finite().then(|| Duration::from_secs_f64(seconds.clamp(0.0, 1e7)))
}
