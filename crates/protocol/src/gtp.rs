//! The Go Text Protocol, version 2 (Farnebäck, 2002), as Othello programs use it: `boardsize 8`, vertices in the
//! game's own notation (a-h from the left, 1-8 from the top), colors by name or first letter. A forced pass
//! may be played or omitted.

use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

use tablero_core::{AnyGame, AnyGameHistory, AnyMove, AnyPosition, Clock, Diagram, Limits, Side};

use crate::engine::{Engine, PlayerSlot};
use crate::engine_loop::{EngineLoop, SearchRequest, run_engine_loop};
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

/// Runs `engine` over GTP until `quit` or the end of input; fails if the output fails or no player can be
/// built.
pub(crate) fn serve_gtp(
    input: impl BufRead + Send,
    mut output: impl Write,
    engine: &Engine<'_>,
) -> io::Result<()> {
    let is_last =
        |line: &str| Request::parse(&preprocess(line)).is_some_and(|r| r.command == "quit");
    run_engine_loop(input, is_last, |engine_loop| {
        let mut session = Session {
            engine_loop,
            engine,
            player: PlayerSlot::new(engine),
            game: AnyGameHistory::new(engine.game.start()),
            clocks: Clocks::default(),
        };
        while let Some(line) = session.engine_loop.next_line()? {
            let line = preprocess(&line);
            let Some(request) = Request::parse(&line) else {
                continue;
            };
            let response = session.execute(&request)?;
            let (status, text) = match &response {
                Ok(text) => ('=', text.as_str()),
                Err(text) => ('?', *text),
            };
            let space = if text.is_empty() { "" } else { " " };
            write!(output, "{status}{}{space}{text}\n\n", request.id)?;
            output.flush()?;
            if request.command == "quit" {
                break;
            }
        }
        Ok(())
    })
}

/// Removes comments and control characters, as the specification demands.
fn preprocess(line: &str) -> String {
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
    /// Parses a preprocessed line; `None` if it is empty.
    fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.split_whitespace().peekable();
        let is_id = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        let id = words.next_if(is_id).unwrap_or_default();
        Some(Self { id, command: words.next()?, arguments: words.collect() })
    }
}

struct Session<'a, 'scope, 'env> {
    engine_loop: &'a mut EngineLoop<'scope, 'env>,
    engine: &'a Engine<'a>,
    player: PlayerSlot<'a>,
    game: AnyGameHistory,
    clocks: Clocks,
}

/// A success (`=`) or failure (`?`) response.
type Response = Result<String, &'static str>;

impl Session<'_, '_, '_> {
    fn execute(&mut self, request: &Request<'_>) -> io::Result<Response> {
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
                self.game = AnyGameHistory::new(self.engine.game.start());
                self.player.new_game();
                self.clocks.reset();
                done
            }
            ("play", [color, vertex, ..]) => self.play(color, vertex),
            ("genmove", [color, ..]) => self.genmove(color, true)?,
            ("reg_genmove", [color, ..]) => self.genmove(color, false)?,
            ("undo", _) => match self.game.undo() {
                Some(_) => done,
                None => Err("cannot undo"),
            },
            ("time_settings", [main, period, stones, ..]) => {
                self.clocks.set(main, period, stones).map(|()| String::new())
            }
            ("time_left", [color, left, stones, ..]) => {
                let side = parse_color(self.engine.game, color);
                self.clocks.set_left(side, left, stones).map(|()| String::new())
            }
            ("final_score", _) => self.final_score(),
            ("showboard", _) => Ok(board_text(self.game.position())),
            (command, _) if COMMANDS.contains(&command) => Err("syntax error"),
            _ => Err("unknown command"),
        })
    }

    fn play(&mut self, color: &str, vertex: &str) -> Response {
        let side = parse_color(self.engine.game, color).ok_or("syntax error")?;
        let is_pass = vertex.eq_ignore_ascii_case(PASS);
        if !is_pass && !is_vertex(&self.game.position().diagram(), vertex) {
            return Err("syntax error");
        }
        if is_pass && self.game.end().is_some() {
            return Ok(String::new());
        }
        if !self.pass_to(side) {
            return Err("illegal move");
        }
        let m = self.game.position().parse_move(vertex).map_err(|_| "illegal move")?;
        self.game.play(m).map(|()| String::new()).map_err(|_| "illegal move")
    }

    /// Plays the omitted pass of the other side if it is forced; returns whether `side` is to move.
    fn pass_to(&mut self, side: Side) -> bool {
        if self.game.position().side() != side
            && let Some(pass) = forced_pass(self.game.position())
        {
            // Fails only if the game is over.
            let _ = self.game.play(pass);
        }
        self.game.position().side() == side
    }

    /// Generates a move, and plays it unless this is `reg_genmove`.
    fn genmove(&mut self, color: &str, play: bool) -> io::Result<Response> {
        let Some(side) = parse_color(self.engine.game, color) else {
            return Ok(Err("syntax error"));
        };
        if self.game.end().is_some() {
            return Ok(Ok(PASS.into()));
        }
        if !self.pass_to(side) {
            return Ok(Err("wrong color to move"));
        }
        let Some(m) = self.search(side)? else {
            return Ok(Err("the player failed"));
        };
        let text = vertex_text(self.game.position(), m);
        if play && self.game.play(m).is_err() {
            return Ok(Err("the player failed"));
        }
        Ok(Ok(text))
    }

    fn search(&mut self, side: Side) -> io::Result<Option<AnyMove>> {
        // Built at the first move: GTP has no options.
        let _ = self.player.configure(&self.engine.settings)?;
        let Some(player) = self.player.take() else {
            return Ok(None);
        };
        let clock = self.clocks.clock(side);
        let limits = match clock {
            Some(_) => Limits { clock, ..Limits::default() },
            None => self.engine.default_limits,
        };
        let request = SearchRequest { game: self.game.clone(), limits, searchmoves: None };
        let start = Instant::now();
        let finished = self.engine_loop.search_and_wait(player, request, |_| false, |_| Ok(()))?;
        self.clocks.deduct(side, start.elapsed());
        self.player.put(finished.player);
        Ok(finished.result.ok().map(|best| best.m))
    }

    fn final_score(&self) -> Response {
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

/// The side named `color`, in full or by its first letter.
fn parse_color(game: AnyGame, color: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| {
        let name = game.info().sides[side.index()];
        color.eq_ignore_ascii_case(name) || color.eq_ignore_ascii_case(first_letter(name))
    })
}

fn first_letter(name: &str) -> &str {
    name.get(..1).unwrap_or_default()
}

/// The game's name, capitalized for `set_game`: `Othello`.
pub(crate) fn game_text(game: AnyGame) -> String {
    let first = first_letter(game.name());
    first.to_uppercase() + &game.name()[first.len()..]
}

/// Number of columns, which is also that of rows.
pub(crate) fn board_size(position: &AnyPosition) -> usize {
    position.diagram().columns.len()
}

/// A move as a GTP vertex.
pub(crate) fn vertex_text(position: &AnyPosition, m: AnyMove) -> String {
    square_text(position, m, PASS)
}

/// Whether the board has a vertex of this name.
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

/// Canadian byo-yomi: main time, then a number of moves ("stones") per period.
#[derive(Default)]
struct Clocks {
    settings: Option<TimeSettings>,
    left: [Remaining; 2],
}

#[derive(Clone, Copy)]
struct TimeSettings {
    main: Duration,
    period: Duration,
    /// Moves per period; 0 means absolute time.
    stones: u32,
}

/// Remaining time, for the given number of moves; 0 moves means main time.
#[derive(Clone, Copy, Default)]
struct Remaining {
    time: Duration,
    stones: u32,
}

impl Clocks {
    fn set(&mut self, main: &str, period: &str, stones: &str) -> Result<(), &'static str> {
        let settings = TimeSettings {
            main: seconds(main).ok_or("syntax error")?,
            period: seconds(period).ok_or("syntax error")?,
            stones: stones.parse().map_err(|_| "syntax error")?,
        };
        // A period without moves means no limit.
        let is_limited = if settings.stones == 0 {
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
        stones: &str,
    ) -> Result<(), &'static str> {
        let side = side.ok_or("syntax error")?;
        self.left[side.index()] = Remaining {
            time: seconds(time).ok_or("syntax error")?,
            stones: stones.parse().map_err(|_| "syntax error")?,
        };
        // The controller may send `time_left` without `time_settings`.
        self.settings.get_or_insert(TimeSettings {
            main: Duration::ZERO,
            period: Duration::ZERO,
            stones: 0,
        });
        Ok(())
    }

    /// Resets both clocks to the start of a game.
    fn reset(&mut self) {
        self.left = [self.settings.map_or_else(Remaining::default, TimeSettings::initial); 2];
    }

    fn clock(&self, side: Side) -> Option<Clock> {
        let settings = self.settings?;
        let left = self.left[side.index()];
        Some(Clock {
            left: left.time.max(Duration::from_millis(1)),
            increment: settings.period.checked_div(settings.stones).unwrap_or_default(),
            moves_to_go: (left.stones > 0).then_some(left.stones),
        })
    }

    /// Deducts the time of a move.
    fn deduct(&mut self, side: Side, time: Duration) {
        let Some(settings) = self.settings else {
            return;
        };
        let left = &mut self.left[side.index()];
        left.time = left.time.saturating_sub(time);
        let is_over = match left.stones {
            0 => left.time.is_zero() && settings.stones > 0,
            stones => {
                left.stones = stones - 1;
                left.stones == 0
            }
        };
        if is_over {
            *left = settings.next_period();
        }
    }
}

impl TimeSettings {
    fn initial(self) -> Remaining {
        if self.main.is_zero() {
            self.next_period()
        } else {
            Remaining { time: self.main, stones: 0 }
        }
    }

    const fn next_period(self) -> Remaining {
        Remaining { time: self.period, stones: self.stones }
    }
}

/// Seconds with an optional fraction, clamped so that no sum overflows.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    seconds.is_finite().then(|| Duration::from_secs_f64(seconds.clamp(0.0, 1e7)))
}
