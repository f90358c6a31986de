//! The protocol of NBoard, an Othello GUI, as NTest and Edax implement it (versions 1 and 2).
//!
//! Scores are in discs, for the side to move. Unknown commands are ignored.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use tablero_core::{AnyGameHistory, AnyInfo, AnyMove, AnyPosition, Clock, Limits, Side, Value};

use crate::engine::{Engine, EngineSettings, PlayerSlot};
use crate::engine_loop::{EngineLoop, Finished, SearchRequest, run_engine_loop};
use crate::ggf::Ggf;
use crate::gtp::seconds;
use crate::squares::{parse_move, square_text};

/// Limit of `hint`.
const MAX_HINTS: usize = 64;

/// Runs `engine` over NBoard's protocol until `quit` or the end of input; fails if the output fails or no
/// player can be built.
pub(crate) fn serve_nboard(
    input: impl BufRead + Send,
    output: impl Write,
    engine: &Engine<'_>,
) -> io::Result<()> {
    let ggf =
        Ggf::of(engine.game).map_err(|error| io::Error::new(io::ErrorKind::Unsupported, error))?;
    run_engine_loop(
        input,
        |line| command_name(line) == "quit",
        |engine_loop| {
            let mut session = Session {
                engine_loop,
                output,
                engine,
                player: PlayerSlot::new(engine),
                ggf,
                game: AnyGameHistory::new(engine.game.start()),
                depth: None,
                time: TimeControl::default(),
            };
            while let Some(line) = session.engine_loop.next_line()? {
                if command_name(&line) == "quit" {
                    break;
                }
                session.execute(&line)?;
            }
            Ok(())
        },
    )
}

fn command_name(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Commands that stop the search of `go`; others wait for its move.
fn interrupts_move(line: &str) -> bool {
    matches!(command_name(line), "ping" | "quit")
}

/// Any command stops `hint` and `analyze`.
fn interrupts_hint(line: &str) -> bool {
    !line.trim().is_empty()
}

struct Session<'a, 'scope, 'env, W> {
    engine_loop: &'a mut EngineLoop<'scope, 'env>,
    output: W,
    engine: &'a Engine<'a>,
    player: PlayerSlot<'a>,
    ggf: Ggf,
    game: AnyGameHistory,
    depth: Option<u32>,
    time: TimeControl,
}

impl<W: Write> Session<'_, '_, '_, W> {
    fn execute(&mut self, line: &str) -> io::Result<()> {
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
            "ping" => self.send(&format!("pong {rest}")),
            // There is no opening book to add the game to.
            "learn" => self.send("learned"),
            "analyze" => self.analyze(),
            // Version 1 of the protocol sends bare moves.
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
                self.send(&format!("set myname {} {depth}", self.engine.name))
            }
            Some(("game", text)) => self.set_game(text),
            // `set contempt` concerns draws in an opening book.
            _ => Ok(()),
        }
    }

    fn set_game(&mut self, text: &str) -> io::Result<()> {
        let record = match self.ggf.parse(text.trim()) {
            Ok(Some(record)) => record,
            Ok(None) => return Ok(()),
            Err(error) => return self.send(&format!("status invalid game: {error}")),
        };
        let Ok(game) = record.replay() else {
            return Ok(());
        };
        self.time = TimeControl::parse(record.tag("TimeControl").unwrap_or_default());
        for (ply, position) in record.plies.iter().zip(game.positions()) {
            self.time.add_move(position.side(), ply.time.unwrap_or_default());
        }
        // Without moves, this is a new game.
        if game.plies() == 0 {
            self.player.new_game();
        }
        self.game = game;
        Ok(())
    }

    /// Plays `move/eval/time`; a forced pass may be omitted.
    fn play(&mut self, text: &str) {
        let mut parts = text.split('/');
        let name = parts.next().unwrap_or_default();
        let time = parts.nth(1).and_then(|time| seconds(time.trim()));
        let Ok((pass, m)) = parse_move(self.game.position(), name) else { return };
        if let Some(pass) = pass
            && self.game.play(pass).is_err()
        {
            return;
        }
        let side = self.game.position().side();
        if self.game.play(m).is_ok() {
            self.time.add_move(side, time.unwrap_or_default());
        }
    }

    fn go(&mut self) -> io::Result<()> {
        if self.game.end().is_some() {
            return Ok(());
        }
        let limits =
            Limits { clock: self.time.clock(self.game.position().side()), ..self.limits() };
        self.send("status thinking")?;
        let finished = self.search(1, limits, interrupts_move)?;
        let position = self.game.position();
        match finished.result {
            Ok(best) => {
                let value = best.info.lines.first().map(|line| discs(position, line.value.0));
                let response = format!(
                    "=== {}/{}/{:.2}",
                    move_text(position, best.m),
                    value.unwrap_or_default(),
                    best.info.time.as_secs_f64()
                );
                self.send(&response)?;
            }
            // NBoard waits for a move: send some legal one.
            Err(_) => {
                if let Some(&m) = position.moves().first() {
                    self.send(&format!("=== {}", move_text(position, m)))?;
                }
            }
        }
        self.player.put(finished.player);
        self.send("status")
    }

    fn hint(&mut self, multipv: usize) -> io::Result<()> {
        if self.game.end().is_some() {
            return Ok(());
        }
        self.send("status analyzing")?;
        let finished = self.search(multipv.clamp(1, MAX_HINTS), self.limits(), interrupts_hint)?;
        self.player.put(finished.player);
        self.send("status")
    }

    /// Sends the score of every position of the game, from the last to the first.
    fn analyze(&mut self) -> io::Result<()> {
        let game = self.game.clone();
        self.send("status analyzing")?;
        loop {
            let value = match self.game.end() {
                Some(end) => {
                    let margin = end.outcome.margin().for_mover(self.game.position().side());
                    Some(Value::Centi(100 * i32::from(margin.0)))
                }
                None => {
                    let finished = self.search(1, self.limits(), interrupts_hint)?;
                    self.player.put(finished.player);
                    let best = finished.result.ok();
                    best.and_then(|best| Some(best.info.lines.first()?.value.0))
                }
            };
            if self.engine_loop.is_interrupted(interrupts_hint) {
                break;
            }
            if let Some(value) = value {
                let value = discs(self.game.position(), value);
                self.send(&format!("analysis {} {value}", self.game.plies()))?;
            }
            if self.game.undo().is_none() {
                break;
            }
        }
        self.game = game;
        self.send("status")
    }

    /// The limits without the clock.
    fn limits(&self) -> Limits {
        match self.depth {
            Some(depth) => Limits { depth: Some(depth), ..Limits::default() },
            None => self.engine.default_limits,
        }
    }

    /// Searches, sending `search` lines meanwhile.
    fn search(
        &mut self,
        multipv: usize,
        limits: Limits,
        interrupts: fn(&str) -> bool,
    ) -> io::Result<Finished> {
        let settings = EngineSettings { multipv, ..self.engine.settings.clone() };
        if let Err(error) = self.player.configure(&settings)? {
            self.send(&format!("status {error}"))?;
        }
        let Some(player) = self.player.take() else {
            return Err(io::Error::other("the player is missing"));
        };
        let request = SearchRequest { game: self.game.clone(), limits, searchmoves: None };
        let (output, position) = (&mut self.output, self.game.position());
        self.engine_loop.search_and_wait(player, request, interrupts, |info| {
            output.write_all(search_lines(position, info).as_bytes())?;
            output.flush()
        })
    }

    fn send(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")?;
        self.output.flush()
    }
}

/// `search PV SCORE 0 DEPTH` for each variation, then `nodestats`.
fn search_lines(position: &AnyPosition, info: &AnyInfo) -> String {
    let mut text = String::new();
    for line in &info.lines {
        let moves = pv_text(position, &line.moves);
        let depth = if info.exact { "100%".into() } else { info.depth.to_string() };
        text += &format!("search {moves} {} 0 {depth}\n", discs(position, line.value.0));
    }
    text + &format!("nodestats {} {:.2}\n", info.nodes, info.time.as_secs_f64())
}

/// A move in two characters; a pass is `PA`.
fn move_text(position: &AnyPosition, m: AnyMove) -> String {
    square_text(position, m, "PA")
}

/// The moves of a variation, without spaces.
fn pv_text(position: &AnyPosition, moves: &[AnyMove]) -> String {
    let mut position = position.clone();
    let mut text = String::new();
    for &m in moves {
        text += &move_text(&position, m);
        position.play(m);
    }
    text
}

/// A score in discs; a proven win is a win by all of them.
fn discs(position: &AnyPosition, value: Value) -> String {
    let all = position.game().margin_total().map_or(100, |total| 100 * i64::from(total));
    let centi = match value {
        Value::Centi(n) => n.into(),
        Value::WinIn(_) => all,
        Value::LossIn(_) => -all,
    };
    format!("{:.2}", centi as f64 / 100.0)
}

/// GGF time control (`TI`): main time, increment and extension.
#[derive(Default)]
struct TimeControl {
    main: Option<Duration>,
    increment: Duration,
    extension: Duration,
    used: [Duration; 2],
    moves: [u32; 2],
}

impl TimeControl {
    /// Parses `main/increment/extension`, each as `[[hours:]minutes:]seconds`.
    fn parse(text: &str) -> Self {
        // Conditions after a comma are ignored.
        let mut parts = text.split('/').map(|part| part.split(',').next().and_then(parse_time));
        Self {
            main: parts.next().flatten(),
            increment: parts.next().flatten().unwrap_or_default(),
            extension: parts.next().flatten().unwrap_or_default(),
            ..Self::default()
        }
    }

    fn add_move(&mut self, side: Side, time: Duration) {
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

fn parse_time(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    for part in text.trim().split(':') {
        total = total.saturating_mul(60).saturating_add(seconds(part)?);
    }
    // Clamped so that no sum overflows.
    Some(total.min(Duration::from_secs(10_000_000)))
}
