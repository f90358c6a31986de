use std::time::{Duration, Instant};

use tablero_core::{
    AnyControl, AnyGame, AnyGameHistory, AnyInfo, AnyMove, AnyPosition, AnySearchResult, Limits,
};

use super::process::Process;
use super::{Driver, EngineCommand, Failure, MoveRequest, SearchWatch, invalid_response};
use crate::gtp::{board_size, game_text, vertex_text};
use crate::lines::{LineTooLong, MAX_LINE};
use crate::squares::{PASS, forced_pass};

/// State of a GTP engine.
pub(super) struct Gtp {
    game: AnyGame,
    /// Moves on the engine's board.
    played: Vec<AnyMove>,
    /// The last [`TimeCommands::mode`] sent.
    time_mode: String,
}

/// The text of a success or failure response.
type Response = Result<String, String>;

impl Driver for Gtp {
    fn handshake(
        &mut self,
        process: &mut Process,
        command: &EngineCommand,
    ) -> Result<Option<String>, String> {
        *self = Self::new(self.game);
        if let Some((name, _)) = command.options.first() {
            return Err(format!("cannot set the option `{name}`: GTP has none, use arguments"));
        }
        let name = send_command(process, "name", command)?;
        // Optional commands: engines for one game may lack them.
        let set_game = format!("set_game {}", game_text(self.game));
        let _ = send_command(process, &set_game, command)?;
        let set_size = format!("boardsize {}", board_size(&self.game.start()));
        let _ = send_command(process, &set_size, command)?;
        Ok(name.ok())
    }

    fn new_game(&mut self, process: &mut Process, command: &EngineCommand) -> Result<(), String> {
        self.played.clear();
        self.time_mode.clear();
        send_command(process, "clear_board", command)?.map(drop)
    }

    fn choose(
        &mut self,
        process: &mut Process,
        request: &MoveRequest<'_>,
        control: &mut AnyControl<'_>,
    ) -> Result<AnySearchResult, Failure> {
        let position = request.game.position();
        if let Some(m) = forced_pass(position) {
            // Some engines do not expect `genmove` here.
            return Ok(AnySearchResult { m, info: AnyInfo::default() });
        }
        self.sync_board(process, request.game, request.command)?;
        let color = color(position);
        self.send_time(process, color, request)?;
        let start = Instant::now();
        process.send(&format!("genmove {color}"))?;
        let time = request.time().map(whole_seconds).map(Duration::from_secs);
        let mut watch = SearchWatch::new(request.command, None, time);
        let response = read_response(|| watch.line(process, control))?;
        let response = response.map_err(|error| format!("refused to move: {error}"))?;
        if response.eq_ignore_ascii_case("resign") {
            // The board is unchanged.
            return Err(Failure::Resigned);
        }
        let m =
            position.parse_move(&response).map_err(|error| invalid_response(&response, &error))?;
        self.played.push(m);
        let info = AnyInfo { time: start.elapsed(), ..AnyInfo::default() };
        Ok(AnySearchResult { m, info })
    }
}

impl Gtp {
    pub(super) const fn new(game: AnyGame) -> Self {
        Self { game, played: Vec::new(), time_mode: String::new() }
    }

    /// Brings the engine's board up to date.
    fn sync_board(
        &mut self,
        process: &mut Process,
        game: &AnyGameHistory,
        command: &EngineCommand,
    ) -> Result<(), String> {
        if *game.start() != self.game.start() {
            return Err("supports only the standard start position".into());
        }
        if !game.played().take(self.played.len()).eq(self.played.iter().copied()) {
            self.played.clear();
            send_command(process, "clear_board", command)??;
        }
        let known = self.played.len();
        for (m, position) in game.played().zip(game.positions()).skip(known) {
            let vertex = vertex_text(position, m);
            let line = format!("play {} {vertex}", color(position));
            let response = send_command(process, &line, command)?;
            // Some engines make forced passes themselves and reject them.
            if let (Err(error), false) = (response, vertex == PASS) {
                return Err(format!("refused `{line}`: {error}"));
            }
            self.played.push(m);
        }
        Ok(())
    }

    fn send_time(
        &mut self,
        process: &mut Process,
        color: &str,
        request: &MoveRequest<'_>,
    ) -> Result<(), String> {
        let Some(time) = TimeCommands::new(&request.limits) else {
            return Ok(());
        };
        // Engines without time control reject these.
        if self.time_mode != time.mode {
            let _ = send_command(
                process,
                &format!("time_settings {}", time.settings),
                request.command,
            )?;
            self.time_mode = time.mode;
        }
        let left = format!("time_left {color} {}", time.left);
        let _ = send_command(process, &left, request.command)?;
        Ok(())
    }
}

/// Color of the side to move.
fn color(position: &AnyPosition) -> &'static str {
    position.info().sides[position.side().index()]
}

/// Time limits as GTP commands, in whole seconds.
#[derive(Debug, PartialEq, Eq)]
struct TimeCommands {
    /// `time_settings` is sent again only if this changes.
    mode: String,
    /// Arguments of `time_settings`: main time, period, moves per period.
    settings: String,
    /// Arguments of `time_left`: time, and the moves it is for.
    left: String,
}

impl TimeCommands {
    fn new(limits: &Limits) -> Option<Self> {
        if let Some(time) = limits.time {
            let seconds = whole_seconds(time);
            let settings = format!("0 {seconds} 1");
            return Some(Self { mode: settings.clone(), settings, left: format!("{seconds} 1") });
        }
        let seconds = limits.clock?.left.as_secs().max(1);
        Some(Self {
            mode: "clock".into(),
            settings: format!("{seconds} 0 0"),
            left: format!("{seconds} 0"),
        })
    }
}

/// A time per move in seconds, rounded up: some engines take 0 for no limit.
fn whole_seconds(time: Duration) -> u64 {
    let rounds_up = time.subsec_nanos() > 0 || time.is_zero();
    time.as_secs().saturating_add(rounds_up.into())
}

/// Sends a command other than `genmove`; returns the response.
fn send_command(
    process: &mut Process,
    line: &str,
    command: &EngineCommand,
) -> Result<Response, String> {
    process.send(line)?;
    let wait = command.response_timeout();
    let what = format!("a response to `{line}`");
    read_response(|| process.wait_for(&what, wait, |line| Some(line.to_owned())))
}

/// Reads a response: from a line that starts with `=` or `?` up to an empty line.
fn read_response<E: From<String>>(
    mut next: impl FnMut() -> Result<String, E>,
) -> Result<Response, E> {
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
        if text.len() > MAX_LINE {
            return Err(format!("sent a response {LineTooLong}").into());
        }
    }
    let text = text.trim().to_owned();
    Ok(if is_failure { Err(text) } else { Ok(text) })
}

#[cfg(test)]
mod tests {
    use tablero_core::Clock;

    use super::*;

    fn response(text: &str) -> Result<Response, String> {
        let mut lines = text.split('\n').map(str::to_owned);
        read_response(|| lines.next().ok_or_else(|| "ended".to_owned()))
    }

    #[test]
    fn responses_are_parsed() {
        assert_eq!(response("= F5\n\n"), Ok(Ok("F5".into())));
        assert_eq!(response("noise\n=12 a\nb\n\n"), Ok(Ok("a\nb".into())));
        assert_eq!(response("? unknown command\n\n"), Ok(Err("unknown command".into())));
        assert_eq!(response("="), Err("ended".into()));
    }

    #[test]
    fn limits_become_time_commands() {
        let texts = |limits| TimeCommands::new(&limits).map(|text| (text.settings, text.left));
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
