//! The Go Text Protocol, version 2, as programs for Othello speak it: `boardsize 8`, columns and rows
//! named as on the game's own board (a-h from the left, 1-8 from the top), sides by their names or
//! first letters. A side that has no move may pass or leave the pass out.

use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

use tablero_core::{AnyGame, AnyMatch, AnyMove, AnyPosition, Clock, Diagram, Limits, Side};

use crate::desk::{Desk, Task, at_desk};
use crate::engine::{Engine, Seat};
use crate::squares::{PASS, forced_pass, square_text};

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
pub(crate) fn serve_gtp(
    input: impl BufRead + Send,
    mut output: impl Write,
    engine: &Engine<'_>,
) -> io::Result<()> {
    let is_last = |line: &str| Request::read(&clean(line)).is_some_and(|r| r.command == "quit");
    at_desk(input, is_last, |desk| {
        let mut session = Session {
            desk,
            engine,
            seat: Seat::new(engine),
            game: AnyMatch::new(engine.game.start()),
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
    desk: &'a mut Desk<'scope, 'env>,
    engine: &'a Engine<'a>,
    seat: Seat<'a>,
    game: AnyMatch,
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
            ("boardsize", [size]) if *size == board_size(self.game.position()).to_string() => done,
            ("boardsize", _) => Err("unacceptable size"),
            ("set_game", [game]) if game.eq_ignore_ascii_case(self.engine.game.name()) => done,
            ("set_game", _) => Err("unsupported game"),
            ("list_games", _) => Ok(game_text(self.engine.game)),
            ("clear_board", _) => {
                self.game = AnyMatch::new(self.engine.game.start());
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
                let side = side_of(self.engine.game, colour);
                self.clocks.set_left(side, left, stones).map(|()| String::new())
            }
            ("final_score", _) => self.score(),
            ("showboard", _) => Ok(board_text(self.game.position())),
            (command, _) if COMMANDS.contains(&command) => Err("syntax error"),
            _ => Err("unknown command"),
        })
    }

    fn play(&mut self, colour: &str, vertex: &str) -> Answer {
        let side = side_of(self.engine.game, colour).ok_or("syntax error")?;
        let is_pass = vertex.eq_ignore_ascii_case(PASS);
        if !is_pass && !is_vertex(&self.game.position().diagram(), vertex) {
            return Err("syntax error");
        }
        if is_pass && self.game.end().is_some() {
            return Ok(String::new());
        }
        if !self.take_turn(side) {
            return Err("illegal move");
        }
        let m = self.game.position().parse_move(vertex).map_err(|_| "illegal move")?;
        self.game.play(m).map(|()| String::new()).map_err(|_| "illegal move")
    }

    /// Passes for the other side if it is to move and has to; says whether `side` is then to move.
    fn take_turn(&mut self, side: Side) -> bool {
        if self.game.position().side() != side
            && let Some(pass) = forced_pass(self.game.position())
        {
            // Refused only if the game is over.
            let _ = self.game.play(pass);
        }
        self.game.position().side() == side
    }

    /// Chooses a move for the side, and plays it if wanted.
    fn generate(&mut self, colour: &str, is_played: bool) -> io::Result<Answer> {
        let Some(side) = side_of(self.engine.game, colour) else {
            return Ok(Err("syntax error"));
        };
        if self.game.end().is_some() {
            return Ok(Ok(PASS.into()));
        }
        if !self.take_turn(side) {
            return Ok(Err("it is the other side's turn"));
        }
        let Some(m) = self.choose(side)? else {
            return Ok(Err("the player failed"));
        };
        let text = vertex_text(self.game.position(), m);
        if is_played && self.game.play(m).is_err() {
            return Ok(Err("the player failed"));
        }
        Ok(Ok(text))
    }

    fn choose(&mut self, side: Side) -> io::Result<Option<AnyMove>> {
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
        Ok(match end.outcome.winner() {
            None => "0".into(),
            Some(winner) => {
                let name = self.engine.game.info().sides[winner.index()];
                format!(
                    "{}+{}",
                    first_letter(name).to_uppercase(),
                    end.outcome.margin().0.unsigned_abs()
                )
            }
        })
    }
}

/// The side called `colour`, in full or by its first letter.
fn side_of(game: AnyGame, colour: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| {
        let name = game.info().sides[side.index()];
        colour.eq_ignore_ascii_case(name) || colour.eq_ignore_ascii_case(first_letter(name))
    })
}

fn first_letter(name: &str) -> &str {
    name.get(..1).unwrap_or_default()
}

/// The game's name as GTP writes it: `Othello`.
pub(crate) fn game_text(game: AnyGame) -> String {
    let first = first_letter(game.name());
    first.to_uppercase() + &game.name()[first.len()..]
}

/// How many columns and rows the board has.
pub(crate) fn board_size(position: &AnyPosition) -> usize {
    position.diagram().columns.len()
}

/// A move as GTP writes it.
pub(crate) fn vertex_text(position: &AnyPosition, m: AnyMove) -> String {
    square_text(position, m, PASS)
}

/// Whether the board has a cell of that name.
fn is_vertex(board: &Diagram, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    board.columns.iter().any(|column| {
        name.strip_prefix(column.as_str()).is_some_and(|row| board.rows.iter().any(|r| r == row))
    })
}

/// The board with `X` for the first side and `O` for the second.
fn board_text(position: &AnyPosition) -> String {
    let Diagram { columns, rows, cells, .. } = position.diagram();
    let mut text = format!("\n  {}", columns.join(" ").to_uppercase());
    for (name, row) in rows.iter().zip(cells.chunks(columns.len().max(1))) {
        text += "\n";
        text += name;
        for cell in row {
            text += match cell.piece.map(|piece| piece.side) {
                Some(Side::First) => " X",
                Some(Side::Second) => " O",
                None => " .",
            };
        }
    }
    let state = match position.outcome() {
        Some(_) => "the game is over".into(),
        None => format!("{} to move", position.info().sides[position.side().index()]),
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

    fn set_left(
        &mut self,
        side: Option<Side>,
        time: &str,
        moves: &str,
    ) -> Result<(), &'static str> {
        let side = side.ok_or("syntax error")?;
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
