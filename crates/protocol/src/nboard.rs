//! The protocol of NBoard, a board for Othello, as NTest and Edax speak it (versions 1 and 2).
//!
//! Values are in discs, for the side to move. What is not understood is ignored.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use tablero_core::{AnyInfo, AnyMatch, AnyMove, AnyPosition, Clock, Limits, Side, Value};

use crate::desk::{Desk, Task, Thought, at_desk};
use crate::engine::{Engine, Seat, Setup};
use crate::ggf::Ggf;
use crate::gtp::seconds;
use crate::squares::{read_move, square_text};

/// More of the best moves nobody can read.
const MOST_HINTS: usize = 64;

/// Speaks NBoard's protocol for `engine` until the peer quits or `input` ends; fails if `output`
/// does, or if the engine's player cannot be made.
pub(crate) fn serve_nboard(
    input: impl BufRead + Send,
    output: impl Write,
    engine: &Engine<'_>,
) -> io::Result<()> {
    let ggf =
        Ggf::of(engine.game).map_err(|error| io::Error::new(io::ErrorKind::Unsupported, error))?;
    at_desk(
        input,
        |line| command_of(line) == "quit",
        |desk| {
            let mut session = Session {
                desk,
                output,
                engine,
                seat: Seat::new(engine),
                ggf,
                game: AnyMatch::new(engine.game.start()),
                depth: None,
                time: TimeControl::default(),
            };
            while let Some(line) = session.desk.next_line() {
                if command_of(&line) == "quit" {
                    break;
                }
                session.obey(&line)?;
            }
            Ok(())
        },
    )
}

fn command_of(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Lines that want a move at once. Others wait until it is made.
fn stops_a_move(line: &str) -> bool {
    matches!(command_of(line), "ping" | "quit")
}

/// Hints are wanted only until the peer wants anything else.
fn stops_a_hint(line: &str) -> bool {
    !line.trim().is_empty()
}

struct Session<'a, 'scope, 'env, W> {
    desk: &'a mut Desk<'scope, 'env>,
    output: W,
    engine: &'a Engine<'a>,
    seat: Seat<'a>,
    ggf: Ggf,
    game: AnyMatch,
    depth: Option<u32>,
    time: TimeControl,
}

impl<W: Write> Session<'_, '_, '_, W> {
    fn obey(&mut self, line: &str) -> io::Result<()> {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "set" => self.set(rest),
            "move" => {
                self.play(rest);
                Ok(())
            }
            "hint" => self.hint(rest.parse().unwrap_or(1)),
            "go" => self.go(),
            "ping" => self.say(&format!("pong {rest}")),
            // There is no book to add the game to.
            "learn" => self.say("learned"),
            "analyze" => self.analyze(),
            // The first version of the protocol sends moves as they are.
            m if m.len() == 2 => {
                self.play(m);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn set(&mut self, text: &str) -> io::Result<()> {
        match text.split_once(char::is_whitespace) {
            Some(("depth", depth)) => {
                let Ok(depth) = depth.trim().parse::<u32>() else {
                    return Ok(());
                };
                self.depth = Some(depth.max(1));
                self.say(&format!("set myname {} {depth}", self.engine.name))
            }
            Some(("game", text)) => self.set_game(text),
            // Contempt is about draws in a book.
            _ => Ok(()),
        }
    }

    fn set_game(&mut self, text: &str) -> io::Result<()> {
        let record = match self.ggf.read(text.trim()) {
            Ok(Some(record)) => record,
            Ok(None) => return Ok(()),
            Err(error) => return self.say(&format!("status game not understood: {error}")),
        };
        let Ok(game) = record.replay() else {
            return Ok(());
        };
        self.time = TimeControl::read(record.tag("TimeControl").unwrap_or_default());
        for (ply, position) in record.plies.iter().zip(game.positions()) {
            self.time.moved(position.side(), ply.time.unwrap_or_default());
        }
        // A game that does not go on from the last one has nothing to do with it.
        if game.plies() == 0 {
            self.seat.new_game();
        }
        self.game = game;
        Ok(())
    }

    /// Plays `move/value/time`; a pass may be left out.
    fn play(&mut self, text: &str) {
        let mut parts = text.split('/');
        let name = parts.next().unwrap_or_default();
        let time = parts.nth(1).and_then(|time| seconds(time.trim()));
        let Ok((pass, m)) = read_move(self.game.position(), name) else { return };
        if let Some(pass) = pass
            && self.game.play(pass).is_err()
        {
            return;
        }
        let side = self.game.position().side();
        if self.game.play(m).is_ok() {
            self.time.moved(side, time.unwrap_or_default());
        }
    }

    fn go(&mut self) -> io::Result<()> {
        if self.game.end().is_some() {
            return Ok(());
        }
        let limits =
            Limits { clock: self.time.clock(self.game.position().side()), ..self.limits() };
        self.say("status thinking")?;
        let thought = self.think(1, limits, stops_a_move)?;
        let position = self.game.position();
        match thought.result {
            Ok(choice) => {
                let value = choice.info.lines.first().map(|line| discs(position, line.value.0));
                let answer = format!(
                    "=== {}/{}/{:.2}",
                    move_text(position, choice.m),
                    value.unwrap_or_default(),
                    choice.info.time.as_secs_f64()
                );
                self.say(&answer)?;
            }
            // Any move is better than silence.
            Err(_) => {
                if let Some(&m) = position.moves().first() {
                    self.say(&format!("=== {}", move_text(position, m)))?;
                }
            }
        }
        self.seat.put_back(thought.player);
        self.say("status")
    }

    fn hint(&mut self, lines: usize) -> io::Result<()> {
        if self.game.end().is_some() {
            return Ok(());
        }
        self.say("status analyzing")?;
        let thought = self.think(lines.clamp(1, MOST_HINTS), self.limits(), stops_a_hint)?;
        self.seat.put_back(thought.player);
        self.say("status")
    }

    /// Tells the value of every position of the game, from its end.
    fn analyze(&mut self) -> io::Result<()> {
        let game = self.game.clone();
        self.say("status analyzing")?;
        loop {
            let value = match self.game.end() {
                Some(end) => {
                    let margin = end.outcome.margin().for_mover(self.game.position().side());
                    Some(Value::Hundredths(100 * i32::from(margin.0)))
                }
                None => {
                    let thought = self.think(1, self.limits(), stops_a_hint)?;
                    self.seat.put_back(thought.player);
                    let choice = thought.result.ok();
                    choice.and_then(|choice| Some(choice.info.lines.first()?.value.0))
                }
            };
            if self.desk.is_wanted(stops_a_hint) {
                break;
            }
            if let Some(value) = value {
                let value = discs(self.game.position(), value);
                self.say(&format!("analysis {} {value}", self.game.plies()))?;
            }
            if self.game.undo().is_none() {
                break;
            }
        }
        self.game = game;
        self.say("status")
    }

    /// The limits but for the clock.
    fn limits(&self) -> Limits {
        match self.depth {
            Some(depth) => Limits { depth: Some(depth), ..Limits::default() },
            None => self.engine.pace,
        }
    }

    /// Thinks, and tells what comes out meanwhile.
    fn think(
        &mut self,
        lines: usize,
        limits: Limits,
        is_urgent: fn(&str) -> bool,
    ) -> io::Result<Thought> {
        let setup = Setup { lines, ..self.engine.setup.clone() };
        if let Err(error) = self.seat.prepare(&setup)? {
            self.say(&format!("status {error}"))?;
        }
        let Some(player) = self.seat.take() else {
            return Err(io::Error::other("the player is missing"));
        };
        let task = Task { game: self.game.clone(), limits, only: None };
        let (output, position) = (&mut self.output, self.game.position());
        self.desk.think_and_wait(player, task, is_urgent, |info| {
            output.write_all(search_text(position, info).as_bytes())?;
            output.flush()
        })
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")?;
        self.output.flush()
    }
}

/// What was found out: `search [line] [value] 0 [depth]`, then the counters.
fn search_text(position: &AnyPosition, info: &AnyInfo) -> String {
    let mut text = String::new();
    for line in &info.lines {
        let moves = line_text(position, &line.moves);
        let depth = if info.exact { "100%".into() } else { info.depth.to_string() };
        text += &format!("search {moves} {} 0 {depth}\n", discs(position, line.value.0));
    }
    text + &format!("nodestats {} {:.2}\n", info.nodes, info.time.as_secs_f64())
}

/// A move in two characters.
fn move_text(position: &AnyPosition, m: AnyMove) -> String {
    square_text(position, m, "PA")
}

/// The moves of a line, without blanks.
fn line_text(position: &AnyPosition, moves: &[AnyMove]) -> String {
    let mut position = position.clone();
    let mut text = String::new();
    for &m in moves {
        text += &move_text(&position, m);
        position.play(m);
    }
    text
}

/// A value in discs; a sure win is a win by all of them.
fn discs(position: &AnyPosition, value: Value) -> String {
    let all = position.game().margin_total().map_or(100, |total| 100 * i64::from(total));
    let hundredths = match value {
        Value::Hundredths(n) => n.into(),
        Value::WinIn(_) => all,
        Value::LossIn(_) => -all,
    };
    format!("{:.2}", hundredths as f64 / 100.0)
}

/// The clock of a game: time for all moves, time added after each, time added once at the end.
#[derive(Default)]
struct TimeControl {
    main: Option<Duration>,
    increment: Duration,
    extension: Duration,
    used: [Duration; 2],
    moves: [u32; 2],
}

impl TimeControl {
    /// Reads `main/increment/extension`, each as `[[hours:]minutes:]seconds`.
    fn read(text: &str) -> Self {
        // After a comma come conditions that are not ours.
        let mut parts = text.split('/').map(|part| part.split(',').next().and_then(read_time));
        Self {
            main: parts.next().flatten(),
            increment: parts.next().flatten().unwrap_or_default(),
            extension: parts.next().flatten().unwrap_or_default(),
            ..Self::default()
        }
    }

    fn moved(&mut self, side: Side, time: Duration) {
        let index = side.index();
        self.used[index] = self.used[index].saturating_add(time);
        self.moves[index] += 1;
    }

    fn clock(&self, side: Side) -> Option<Clock> {
        let index = side.index();
        let added = self.increment.saturating_mul(self.moves[index]);
        let all = self.main?.saturating_add(added).saturating_add(self.extension);
        Some(Clock {
            left: all.saturating_sub(self.used[index]).max(Duration::from_millis(1)),
            increment: self.increment,
            moves_to_go: None,
        })
    }
}

fn read_time(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    for part in text.trim().split(':') {
        total = total.saturating_mul(60).saturating_add(seconds(part)?);
    }
    // Some weeks at most, so that no sum overflows.
    Some(total.min(Duration::from_secs(10_000_000)))
}
