use std::time::Instant;

use tablero_core::{
    AnyChoice, AnyControl, AnyGame, AnyInfo, AnyMatch, AnyMove, AnyPosition, Limits,
};

use super::process::Process;
use super::{Driver, EngineCommand, Failure, Question, Watch, nonsense};
use crate::gtp::{board_size, game_text, vertex_text};
use crate::squares::{PASS, forced_pass};

/// What an engine that speaks GTP knows.
pub(super) struct Gtp {
    game: AnyGame,
    /// The moves that are on its board.
    played: Vec<AnyMove>,
    /// How it was told about time.
    time_kind: String,
}

/// What it answers: text, or why it failed.
type Answer = Result<String, String>;

impl Driver for Gtp {
    fn greet(
        &mut self,
        process: &mut Process,
        command: &EngineCommand,
    ) -> Result<Option<String>, String> {
        *self = Self::new(self.game);
        if let Some((name, _)) = command.options.first() {
            return Err(format!(
                "cannot take the option `{name}`: GTP has none, use its arguments"
            ));
        }
        let name = ask(process, "name", command)?;
        // Engines for one game need not know these.
        let set_game = format!("set_game {}", game_text(self.game));
        let _ = ask(process, &set_game, command)?;
        let set_size = format!("boardsize {}", board_size(&self.game.start()));
        let _ = ask(process, &set_size, command)?;
        Ok(name.ok())
    }

    fn new_game(&mut self, process: &mut Process, command: &EngineCommand) -> Result<(), String> {
        self.played.clear();
        self.time_kind.clear();
        ask(process, "clear_board", command)?.map(drop)
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
        self.show(process, question.game, question.command)?;
        let colour = colour(position);
        self.tell_time(process, colour, question)?;
        let start = Instant::now();
        process.send(&format!("genmove {colour}"))?;
        let mut watch = Watch::new(question, None, false);
        let answer = read_answer(|| watch.line(process, control))?;
        let answer = answer.map_err(|error| format!("refused to move: {error}"))?;
        if answer.eq_ignore_ascii_case("resign") {
            // It has not moved.
            return Err(Failure::Resigned);
        }
        let m = position.parse_move(&answer).map_err(|error| nonsense(&answer, &error))?;
        self.played.push(m);
        let info = AnyInfo { time: start.elapsed(), ..AnyInfo::default() };
        Ok(AnyChoice { m, info })
    }
}

impl Gtp {
    pub(super) const fn new(game: AnyGame) -> Self {
        Self { game, played: Vec::new(), time_kind: String::new() }
    }

    /// Puts the match on the engine's board.
    fn show(
        &mut self,
        process: &mut Process,
        game: &AnyMatch,
        command: &EngineCommand,
    ) -> Result<(), String> {
        if *game.start() != self.game.start() {
            return Err("can only start from the usual position".into());
        }
        if !game.played().take(self.played.len()).eq(self.played.iter().copied()) {
            self.played.clear();
            ask(process, "clear_board", command)??;
        }
        let known = self.played.len();
        for (m, position) in game.played().zip(game.positions()).skip(known) {
            let vertex = vertex_text(position, m);
            let line = format!("play {} {vertex}", colour(position));
            let answer = ask(process, &line, command)?;
            // Some engines know that a side has to pass and want to hear nothing about it.
            if let (Err(error), false) = (answer, vertex == PASS) {
                return Err(format!("refused `{line}`: {error}"));
            }
            self.played.push(m);
        }
        Ok(())
    }

    fn tell_time(
        &mut self,
        process: &mut Process,
        colour: &str,
        question: &Question<'_>,
    ) -> Result<(), String> {
        let Some(time) = TimeText::new(&question.limits) else {
            return Ok(());
        };
        // Engines without a clock may refuse either: then they take the time they take.
        if self.time_kind != time.kind {
            let _ = ask(process, &format!("time_settings {}", time.settings), question.command)?;
            self.time_kind = time.kind;
        }
        let left = format!("time_left {colour} {}", time.left);
        let _ = ask(process, &left, question.command)?;
        Ok(())
    }
}

/// The side to move.
fn colour(position: &AnyPosition) -> &'static str {
    position.info().sides[position.side().index()]
}

/// Limits of time as GTP tells them: in whole seconds.
#[derive(Debug, PartialEq, Eq)]
struct TimeText {
    /// The settings are told again only if this changes.
    kind: String,
    /// Main time, time of a period, moves in a period.
    settings: String,
    /// Time, and the moves for which it is.
    left: String,
}

impl TimeText {
    fn new(limits: &Limits) -> Option<Self> {
        if let Some(time) = limits.time {
            // Rounded up, for no time at all would mean no limit to some.
            let seconds = time.as_millis().div_ceil(1000).max(1);
            let settings = format!("0 {seconds} 1");
            return Some(Self { kind: settings.clone(), settings, left: format!("{seconds} 1") });
        }
        let seconds = limits.clock?.left.as_secs().max(1);
        Some(Self {
            kind: "clock".into(),
            settings: format!("{seconds} 0 0"),
            left: format!("{seconds} 0"),
        })
    }
}

/// Sends a command that needs no thinking; gives its answer.
fn ask(process: &mut Process, line: &str, command: &EngineCommand) -> Result<Answer, String> {
    process.send(line)?;
    let wait = command.greeting();
    let what = format!("an answer to `{line}`");
    read_answer(|| process.wait_for(&what, wait, |line| Some(line.to_owned())))
}

/// Reads an answer: from a line that starts with `=` or `?` to an empty one.
fn read_answer(mut next: impl FnMut() -> Result<String, String>) -> Result<Answer, String> {
    let mut line = next()?;
    while !line.starts_with(['=', '?']) {
        line = next()?;
    }
    let is_failure = line.starts_with('?');
    let mut text = line[1..].trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
    loop {
        line = next()?;
        if line.trim().is_empty() {
            break;
        }
        text.push('\n');
        text += &line;
    }
    let text = text.trim().to_owned();
    Ok(if is_failure { Err(text) } else { Ok(text) })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tablero_core::Clock;

    use super::*;

    fn answer(text: &str) -> Result<Answer, String> {
        let mut lines = text.split('\n').map(str::to_owned);
        read_answer(|| lines.next().ok_or_else(|| "ended".to_owned()))
    }

    #[test]
    fn answers_are_read() {
        assert_eq!(answer("= F5\n\n"), Ok(Ok("F5".into())));
        assert_eq!(answer("noise\n=12 a\nb\n\n"), Ok(Ok("a\nb".into())));
        assert_eq!(answer("? unknown command\n\n"), Ok(Err("unknown command".into())));
        assert_eq!(answer("="), Err("ended".into()));
    }

    #[test]
    fn times_are_written() {
        let texts = |limits| TimeText::new(&limits).map(|text| (text.settings, text.left));
        let time = Some(Duration::from_millis(1200));
        let limits = Limits { time, ..Limits::default() };
        assert_eq!(texts(limits), Some(("0 2 1".into(), "2 1".into())));
        let clock = Some(Clock {
            left: Duration::from_millis(90_900),
            increment: Duration::ZERO,
            moves_to_go: None,
        });
        let limits = Limits { clock, ..Limits::default() };
        assert_eq!(texts(limits), Some(("90 0 0".into(), "90 0".into())));
        assert_eq!(texts(Limits::default()), None);
    }
}
