use std::time::{Duration, Instant};

use tablero_core::{
    AnyChoice, AnyControl, AnyInfo, AnyMove, AnyPosition, AnyRecord, ForMover, Limits, Line,
    ReadError, Value,
};

use super::process::Process;
use super::{Driver, EngineCommand, Failure, Question, Watch, nonsense};
use crate::ggf::Ggf;
use crate::squares::{forced_pass, read_move};

/// NBoard's protocol wants a depth in any case.
const DEFAULT_DEPTH: u32 = 12;
/// The number of our pings: `pong 7` answers one of them.
const PING: &str = "7";

pub(super) struct NBoard {
    ggf: Ggf,
}

impl NBoard {
    pub(super) const fn new(ggf: Ggf) -> Self {
        Self { ggf }
    }

    /// The match as GGF, with the time that is left.
    fn game_text(&self, question: &Question<'_>) -> Result<String, String> {
        let mut record = AnyRecord::of_match(question.game);
        if let Some(time) = time_text(question.game.position(), &question.limits) {
            record.set_tag("TimeControl", time);
        }
        self.ggf.write(&record).map_err(|error| format!("cannot be asked: {error}"))
    }
}

impl Driver for NBoard {
    fn greet(
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
        process.wait_for("pong", command.greeting(), |line| {
            if let Some(text) = line.trim().strip_prefix("set myname ") {
                name = Some(text.trim().to_owned());
            }
            is_pong(line).then_some(())
        })?;
        Ok(name)
    }

    /// Every question says which game it is about.
    fn new_game(&mut self, _: &mut Process, _: &EngineCommand) -> Result<(), String> {
        Ok(())
    }

    fn choose(
        &mut self,
        process: &mut Process,
        question: &Question<'_>,
        control: &mut AnyControl<'_>,
    ) -> Result<AnyChoice, Failure> {
        let position = question.game.position();
        if let Some(m) = forced_pass(position) {
            // Some engines do not expect to be asked.
            return Ok(AnyChoice { m, info: AnyInfo::default() });
        }
        let game = self.game_text(question)?;
        let depth = question.limits.depth.unwrap_or(DEFAULT_DEPTH);
        process.send(&format!("set game {game}"))?;
        process.send(&format!("set depth {depth}"))?;
        process.send("go")?;
        let mut watch = Watch::new(question, Some(format!("ping {PING}")), false);
        let start = Instant::now();
        let mut info = AnyInfo::default();
        loop {
            let line = watch.line(process, control)?;
            if let Some(answer) = line.trim().strip_prefix("===") {
                let m = read_answer(position, answer, &mut info);
                let m = m.map_err(|error| nonsense(&line, &error))?;
                info.time = start.elapsed();
                if watch.was_stopped {
                    let wait = question.command.greeting();
                    process.wait_for("pong", wait, |line| is_pong(line).then_some(()))?;
                }
                return Ok(AnyChoice { m, info });
            }
            if is_pong(&line) {
                // It stopped without an answer: the best line so far is one.
                let best = info.lines.first().and_then(|line| line.moves.first().copied());
                let m = best.ok_or_else(|| "was stopped before it had a move".to_owned())?;
                return Ok(AnyChoice { m, info });
            }
            if read_news(&line, position, &mut info) {
                control.report(&info);
            }
        }
    }
}

fn is_pong(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("pong") && words.next() == Some(PING)
}

/// The time for the rest of the game; time for a move becomes that for all moves to come, of which
/// each fills a cell.
fn time_text(position: &AnyPosition, limits: &Limits) -> Option<String> {
    let empty = position.diagram().cells.iter().filter(|cell| cell.piece.is_none()).count() as u32;
    let moves_left = empty.div_ceil(2).max(1);
    let whole = limits.time.map(|time| time.saturating_mul(moves_left));
    let clock = limits.clock.map(|clock| clock.left);
    let left: Duration = [whole, clock].into_iter().flatten().min()?;
    let seconds = left.as_secs().max(1);
    Some(format!("{:02}:{:02}", seconds / 60, seconds % 60))
}

/// Reads `F5/1.20/0.5` or `f5 1.20 0.5`.
fn read_answer(
    position: &AnyPosition,
    text: &str,
    info: &mut AnyInfo,
) -> Result<AnyMove, ReadError> {
    let mut parts =
        text.split(|c: char| c == '/' || c.is_whitespace()).filter(|part| !part.is_empty());
    let m = position.parse_move(parts.next().unwrap_or_default())?;
    if let Some(value) = parts.next().and_then(discs)
        && info.lines.first().is_none_or(|line| line.moves.first() != Some(&m))
    {
        info.lines = vec![Line { value: ForMover(value), moves: vec![m] }];
    }
    Ok(m)
}

/// Reads `search line value 0 depth`, `book line value games depth` and `nodestats nodes time`;
/// says whether that gave a line.
fn read_news(line: &str, position: &AnyPosition, info: &mut AnyInfo) -> bool {
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
    let moves = read_moves(position, words.next().unwrap_or_default());
    // The value may be a pair: draws for black, draws for white.
    let value = words.next().and_then(|word| discs(word.split(',').next()?));
    let depth = words.nth(1).unwrap_or_default();
    let digits = depth.bytes().take_while(u8::is_ascii_digit).count();
    let Some(value) = value.filter(|_| !moves.is_empty()) else {
        return false;
    };
    info.depth = depth[..digits].parse().unwrap_or(info.depth);
    info.deepest = info.deepest.max(info.depth);
    info.lines = vec![Line { value: ForMover(value), moves }];
    true
}

fn discs(text: &str) -> Option<Value> {
    Value::from_text(text).filter(|value| matches!(value, Value::Hundredths(_)))
}

/// The moves of `F5d6C3` or `F5-D6-C3`, up to the first that is not legal.
fn read_moves(position: &AnyPosition, text: &str) -> Vec<AnyMove> {
    let letters: Vec<char> = text.chars().filter(|&c| c != '-').collect();
    let (mut position, mut moves) = (position.clone(), Vec::new());
    for pair in letters.chunks(2) {
        let name: String = pair.iter().collect();
        let Ok((pass, m)) = read_move(&position, &name) else { break };
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
    fn news_is_read() {
        let mut info = AnyInfo::default();
        assert!(read_news("search F5-D6c3 -1.50 0 12 some text", &start(), &mut info));
        assert_eq!(info.lines[0].value, ForMover(Value::Hundredths(-150)));
        assert_eq!((info.lines[0].moves.len(), info.depth), (3, 12));
        assert!(read_news("book F5 +2.00,-2.00 37 100%W", &start(), &mut info));
        assert_eq!(info.lines[0].value, ForMover(Value::Hundredths(200)));
        assert_eq!(info.depth, 100);
        assert!(!read_news("nodestats 35805 0.5", &start(), &mut info));
        assert_eq!(info.nodes, 35805);
        for other in ["status thinking", "", "search", "search A1 3 0 3", "search F5 x 0 3"] {
            assert!(!read_news(other, &start(), &mut info), "{other}");
        }
    }

    #[test]
    fn time_is_for_the_rest_of_the_game() {
        let second = Duration::from_secs(1);
        let limits = Limits { time: Some(3 * second), ..Limits::default() };
        assert_eq!(time_text(&start(), &limits).as_deref(), Some("01:30"));
        let clock = Clock { left: 75 * second, increment: second, moves_to_go: None };
        let limits = Limits { clock: Some(clock), ..limits };
        assert_eq!(time_text(&start(), &limits).as_deref(), Some("01:15"));
        assert_eq!(time_text(&start(), &Limits::default()), None);
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
            let _ = read_news(&line, &start(), &mut info);
            let _ = read_answer(&start(), &line, &mut info);
        });
    }
}
