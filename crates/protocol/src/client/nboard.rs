use std::time::{Duration, Instant};

use tablero_core::{
    AnyControl, AnyInfo, AnyMove, AnyPosition, AnyRecord, AnySearchResult, ForMover, Limits, Pv,
    ReadError, Value,
};

use super::process::Process;
use super::{
    Driver, EngineCommand, Failure, MoveRequest, STOP_TIMEOUT, SearchWatch, invalid_response,
};
use crate::ggf::Ggf;
use crate::squares::{forced_pass, parse_move};

/// NBoard's protocol always needs a depth.
const DEFAULT_DEPTH: u32 = 12;
/// Number of our pings, repeated in the pong.
const PING: &str = "7";

pub(super) struct NBoard {
    ggf: Ggf,
}

impl NBoard {
    pub(super) const fn new(ggf: Ggf) -> Self {
        Self { ggf }
    }

    /// The game as GGF, with the remaining time.
    fn game_command(&self, request: &MoveRequest<'_>) -> Result<String, String> {
        let mut record = AnyRecord::from_history(request.game);
        if let Some(time) = time_control(request.game.position(), &request.limits) {
            record.set_tag("TimeControl", time);
        }
        self.ggf.format(&record).map_err(|error| format!("cannot be sent the game: {error}"))
    }
}

impl Driver for NBoard {
    fn handshake(
        &mut self,
        process: &mut Process,
        command: &EngineCommand,
    ) -> Result<Option<String>, String> {
        let depth = command.limits.depth.unwrap_or(DEFAULT_DEPTH);
        process.send("nboard 2")?;
        process.send(&format!("set depth {depth}"))?;
        for (name, value) in &command.options {
            process.send(&format!("set {name} {value}"))?;
        }
        process.send(&format!("ping {PING}"))?;
        let mut name = None;
        process.wait_for("pong", command.response_timeout(), |line| {
            if let Some(text) = line.trim().strip_prefix("set myname ") {
                name = Some(text.trim().to_owned());
            }
            is_pong(line).then_some(())
        })?;
        Ok(name)
    }

    /// Unnecessary: `set game` precedes every search.
    fn new_game(&mut self, _: &mut Process, _: &EngineCommand) -> Result<(), String> {
        Ok(())
    }

    fn choose(
        &mut self,
        process: &mut Process,
        request: &MoveRequest<'_>,
        control: &mut AnyControl<'_>,
    ) -> Result<AnySearchResult, Failure> {
        let position = request.game.position();
        if let Some(m) = forced_pass(position) {
            // Some engines do not expect `go` here.
            return Ok(AnySearchResult { m, info: AnyInfo::default() });
        }
        let game = self.game_command(request)?;
        let depth = request.limits.depth.unwrap_or(DEFAULT_DEPTH);
        process.send(&format!("set game {game}"))?;
        process.send(&format!("set depth {depth}"))?;
        process.send("go")?;
        let start = Instant::now();
        let mut watch =
            SearchWatch::new(request.command, Some(format!("ping {PING}")), request.time());
        // The engine knows only the time of the whole game.
        watch.stop_at = request.limits.time.and_then(|time| start.checked_add(time));
        let mut info = AnyInfo::default();
        loop {
            let line = watch.line(process, control)?;
            if let Some(response) = line.trim().strip_prefix("===") {
                let m = parse_response(position, response, &mut info);
                let m = m.map_err(|error| invalid_response(&line, &error))?;
                info.time = start.elapsed();
                if watch.was_stopped {
                    process.wait_for("pong", STOP_TIMEOUT, |line| is_pong(line).then_some(()))?;
                }
                return Ok(AnySearchResult { m, info });
            }
            if is_pong(&line) {
                // It stopped without a move: take the best variation so far.
                let best = info.lines.first().and_then(|line| line.moves.first().copied());
                let m = best.ok_or_else(|| watch.no_move())?;
                return Ok(AnySearchResult { m, info });
            }
            if parse_search_line(&line, position, &mut info) {
                control.report(&info);
            }
        }
    }
}

fn is_pong(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("pong") && words.next() == Some(PING)
}

/// Time control for the rest of the game. A time per move is multiplied by the moves left: each fills a
/// square.
fn time_control(position: &AnyPosition, limits: &Limits) -> Option<String> {
    let empty = position.diagram().cells.iter().filter(|cell| cell.piece.is_none()).count() as u32;
    let moves_left = empty.div_ceil(2).max(1);
    let whole = limits.time.map(|time| time.saturating_mul(moves_left));
    let clock = limits.clock.map(|clock| clock.left);
    let left: Duration = [whole, clock].into_iter().flatten().min()?;
    let seconds = left.as_secs().max(1);
    Some(format!("{:02}:{:02}", seconds / 60, seconds % 60))
}

/// Parses `F5/1.20/0.5` or `f5 1.20 0.5`.
fn parse_response(
    position: &AnyPosition,
    text: &str,
    info: &mut AnyInfo,
) -> Result<AnyMove, ReadError> {
    let mut parts =
        text.split(|c: char| c == '/' || c.is_whitespace()).filter(|part| !part.is_empty());
    let m = position.parse_move(parts.next().unwrap_or_default())?;
    if let Some(value) = parts.next().and_then(parse_discs)
        && info.lines.first().is_none_or(|line| line.moves.first() != Some(&m))
    {
        info.lines = vec![Pv { value: ForMover(value), moves: vec![m] }];
    }
    Ok(m)
}

/// Parses `search pv score 0 depth`, `book pv score games depth` and `nodestats nodes time`; returns whether
/// there was a variation.
fn parse_search_line(line: &str, position: &AnyPosition, info: &mut AnyInfo) -> bool {
    let mut words = line.split_whitespace();
    match words.next() {
        Some("search" | "book") => {}
        Some("nodestats") => {
            let nodes = words.next().and_then(|word| word.parse::<f64>().ok());
            info.nodes = nodes.map_or(info.nodes, |nodes| nodes as u64);
            return false;
        }
        _ => return false,
    }
    let moves = parse_moves(position, words.next().unwrap_or_default());
    // The score may be a pair: draws to black, draws to white.
    let value = words.next().and_then(|word| parse_discs(word.split(',').next()?));
    let depth = words.nth(1).unwrap_or_default();
    let digits = depth.bytes().take_while(u8::is_ascii_digit).count();
    let Some(value) = value.filter(|_| !moves.is_empty()) else {
        return false;
    };
    info.depth = depth[..digits].parse().unwrap_or(info.depth);
    info.seldepth = info.seldepth.max(info.depth);
    info.lines = vec![Pv { value: ForMover(value), moves }];
    true
}

fn parse_discs(text: &str) -> Option<Value> {
    Value::from_text(text).filter(|value| matches!(value, Value::Centi(_)))
}

/// The moves of `F5d6C3` or `F5-D6-C3`, up to the first illegal one.
fn parse_moves(position: &AnyPosition, text: &str) -> Vec<AnyMove> {
    let letters: Vec<char> = text.chars().filter(|&c| c != '-').collect();
    let (mut position, mut moves) = (position.clone(), Vec::new());
    for pair in letters.chunks(2) {
        let name: String = pair.iter().collect();
        let Ok((pass, m)) = parse_move(&position, &name) else { break };
        for m in pass.into_iter().chain([m]) {
            position.play(m);
            moves.push(m);
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use tablero_core::{AnyGame, Clock, conformance};
    use tablero_othello::Othello;

    use super::*;

    fn start() -> AnyPosition {
        AnyGame::of::<Othello>().start()
    }

    #[test]
    fn search_lines_are_parsed() {
        let mut info = AnyInfo::default();
        assert!(parse_search_line("search F5-D6c3 -1.50 0 12 some text", &start(), &mut info));
        assert_eq!(info.lines[0].value, ForMover(Value::Centi(-150)));
        assert_eq!((info.lines[0].moves.len(), info.depth), (3, 12));
        assert!(parse_search_line("book F5 +2.00,-2.00 37 100%W", &start(), &mut info));
        assert_eq!(info.lines[0].value, ForMover(Value::Centi(200)));
        assert_eq!(info.depth, 100);
        assert!(!parse_search_line("nodestats 35805 0.5", &start(), &mut info));
        assert_eq!(info.nodes, 35805);
        for other in ["status thinking", "", "search", "search A1 3 0 3", "search F5 x 0 3"] {
            assert!(!parse_search_line(other, &start(), &mut info), "{other}");
        }
    }

    #[test]
    fn time_per_move_becomes_time_for_the_game() {
        let second = Duration::from_secs(1);
        let limits = Limits { time: Some(3 * second), ..Limits::default() };
        assert_eq!(time_control(&start(), &limits).as_deref(), Some("01:30"));
        let clock = Clock { left: 75 * second, increment: second, moves_to_go: None };
        let limits = Limits { clock: Some(clock), ..limits };
        assert_eq!(time_control(&start(), &limits).as_deref(), Some("01:15"));
        assert_eq!(time_control(&start(), &Limits::default()), None);
    }

    #[test]
    fn no_line_panics() {
        let samples: [&[u8]; 4] = [
            b"search F5-D6c3 -1.50 0 12 some text",
            b"book F5 +2.00,-2.00 37 100%W",
            b"nodestats 1e300 0.5",
            b"F5/1.5/0.2",
        ];
        conformance::check_reader(&samples, 10_000, 8, |bytes| {
            let line = String::from_utf8_lossy(bytes);
            let mut info = AnyInfo::default();
            let _ = parse_search_line(&line, &start(), &mut info);
            let _ = parse_response(&start(), &line, &mut info);
        });
    }
}
