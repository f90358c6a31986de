use std::time::{Duration, Instant};

use tablero_core::{
    Choice, Control, ForMover, Game as _, Info, Limits, Line, Notation as _, ReadError, Record,
    Side, Value,
};
use tablero_othello::files::ggf;
use tablero_othello::{Othello, Square};

use super::process::Process;
use super::{EngineCommand, Failure, Protocol, Question, Watch, nonsense};

/// NBoard's protocol wants a depth in any case.
const DEFAULT_DEPTH: u32 = 12;
/// The number of our pings: `pong 7` answers one of them.
const PING: &str = "7";

pub(super) struct NBoard;

impl Protocol<Othello> for NBoard {
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
        question: &Question<'_, Othello>,
        control: &mut Control<'_, Othello>,
    ) -> Result<Choice<Othello>, Failure> {
        let position = question.game.position();
        if let Some(choice) = forced_pass(position) {
            return Ok(choice);
        }
        let game = game_text(question)?;
        let depth = question.limits.depth.unwrap_or(DEFAULT_DEPTH);
        process.send(&format!("set game {game}"))?;
        process.send(&format!("set depth {depth}"))?;
        process.send("go")?;
        let mut watch = Watch::new(question, Some(format!("ping {PING}")), false);
        let start = Instant::now();
        let mut info = Info::default();
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
                return Ok(Choice { m, info });
            }
            if is_pong(&line) {
                // It stopped without an answer: the best line so far is one.
                let best = info.lines.first().and_then(|line| line.moves.first().copied());
                let m = best.ok_or_else(|| "was stopped before it had a move".to_owned())?;
                return Ok(Choice { m, info });
            }
            if read_news(&line, position, &mut info) {
                control.report(&info);
            }
        }
    }
}

/// The choice of a side that has none; engines are not asked, for some do not expect it.
pub(super) fn forced_pass(position: &Othello) -> Option<Choice<Othello>> {
    let m = Square::PASS;
    position.is_legal(m).then(|| Choice { m, info: Info::default() })
}

fn is_pong(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("pong") && words.next() == Some(PING)
}

/// The match as GGF, with the time that is left.
fn game_text(question: &Question<'_, Othello>) -> Result<String, String> {
    let mut record = Record::of_match(question.game);
    if let Some(time) = time_text(question.game.position(), &question.limits) {
        record.set_tag("TimeControl", time);
    }
    let text = ggf::write(&record).map_err(|error| format!("cannot be asked: {error}"))?;
    Ok(text.trim_end().to_owned())
}

/// The time for the rest of the game; time for a move becomes that for all moves to come.
fn time_text(position: &Othello, limits: &Limits) -> Option<String> {
    let discs = position.discs(Side::First) | position.discs(Side::Second);
    let moves_left = discs.count_zeros().div_ceil(2).max(1);
    let whole = limits.time.map(|time| time.saturating_mul(moves_left));
    let clock = limits.clock.map(|clock| clock.left);
    let left: Duration = [whole, clock].into_iter().flatten().min()?;
    let seconds = left.as_secs().max(1);
    Some(format!("{:02}:{:02}", seconds / 60, seconds % 60))
}

/// Reads `F5/1.20/0.5` or `f5 1.20 0.5`.
fn read_answer(
    position: &Othello,
    text: &str,
    info: &mut Info<Othello>,
) -> Result<Square, ReadError> {
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
fn read_news(line: &str, position: &Othello, info: &mut Info<Othello>) -> bool {
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
fn read_moves(position: &Othello, text: &str) -> Vec<Square> {
    let letters: Vec<char> = text.chars().filter(|&c| c != '-').collect();
    let (mut position, mut moves) = (*position, Vec::new());
    for pair in letters.chunks(2) {
        let name: String = pair.iter().collect();
        if Square::from_name(&name).is_some() && position.is_legal(Square::PASS) {
            position.play(Square::PASS);
            moves.push(Square::PASS);
        }
        let Ok(m) = position.parse_move(&name) else {
            break;
        };
        position.play(m);
        moves.push(m);
    }
    moves
}

#[cfg(test)]
mod tests {
    use tablero_core::{Clock, StandardRules, conformance};

    use super::*;

    fn start() -> Othello {
        Othello::start(StandardRules)
    }

    #[test]
    fn news_is_read() {
        let mut info = Info::default();
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
            let mut info = Info::default();
            let _ = read_news(&line, &start(), &mut info);
            let _ = read_answer(&start(), &line, &mut info);
        });
    }
}
