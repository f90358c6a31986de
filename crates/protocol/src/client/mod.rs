//! The client side: engines in other processes as players.

mod gtp;
mod nboard;
mod process;
mod uci;

use std::time::{Duration, Instant};

use tablero_core::{
    AnyControl, AnyGame, AnyGameHistory, AnyPosition, AnySearchResult, Limits, Player, PlayerError,
    Protocol,
};

use crate::check_protocol;
use crate::ggf::Ggf;
use process::Process;

/// Timeout of everything but searches.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(15);
/// How long an engine may take to react to `stop`.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);
/// Poll interval during a search.
const POLL: Duration = Duration::from_millis(3);

/// How to start an engine, and its options and limits.
///
/// ```
/// use tablero_protocol::EngineCommand;
///
/// let mut stockfish = EngineCommand::new("/usr/games/stockfish");
/// stockfish.options.push(("elo".into(), "1350".into()));
/// stockfish.limits.nodes = Some(2000);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineCommand {
    /// Path or name of the program.
    pub program: String,
    /// Arguments, passed without a shell.
    pub arguments: Vec<String>,
    /// Options by name. Over UCI, those that the engine declares (case-insensitive), and `elo` for
    /// `UCI_LimitStrength` with `UCI_Elo`; over NBoard, `set name value`; GTP has none.
    pub options: Vec<(String, String)>,
    /// Limits of every search, in addition to those of the caller. An engine that exceeds its time by more than
    /// 1 s and 10 % is killed.
    pub limits: Limits,
    /// Limits of searches that neither `limits` nor the caller limits.
    pub default_limits: Limits,
    /// Timeout of a search that is limited, but not by time.
    pub timeout: Duration,
}

impl EngineCommand {
    /// A program without arguments and options.
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            options: Vec::new(),
            limits: Limits::default(),
            default_limits: Limits::default(),
            timeout: Duration::from_secs(120),
        }
    }

    /// Timeout of everything but searches.
    fn response_timeout(&self) -> Duration {
        RESPONSE_TIMEOUT.min(self.timeout)
    }
}

/// A player that runs in another process, which is killed on drop.
///
/// If the engine crashes, exceeds its time, ignores a stop for a second or violates the protocol, the search fails
/// and the process is killed; the next search starts it again.
///
/// ```no_run
/// use tablero_chess::Chess;
/// use tablero_core::{AnyGame, Protocol};
/// use tablero_protocol::{EngineCommand, ExternalPlayer};
///
/// let command = EngineCommand::new("/usr/games/stockfish");
/// let player = ExternalPlayer::start(AnyGame::of::<Chess>(), Protocol::Uci, command)?;
/// assert!(player.name().starts_with("Stockfish"));
/// # Ok::<(), tablero_core::PlayerError>(())
/// ```
pub struct ExternalPlayer {
    game: AnyGame,
    command: EngineCommand,
    driver: Box<dyn Driver>,
    /// The engine's name, or else its program's.
    name: String,
    process: Option<Process>,
    is_new_game: bool,
}

/// The client side of a protocol. Errors say what the engine did.
trait Driver: Send {
    /// Initializes the engine and sets its options; returns its name if it sends one.
    fn handshake(
        &mut self,
        process: &mut Process,
        command: &EngineCommand,
    ) -> Result<Option<String>, String>;

    /// Announces a new game.
    fn new_game(&mut self, process: &mut Process, command: &EngineCommand) -> Result<(), String>;

    /// Searches for a move.
    fn choose(
        &mut self,
        process: &mut Process,
        request: &MoveRequest<'_>,
        control: &mut AnyControl<'_>,
    ) -> Result<AnySearchResult, Failure>;
}

/// The driver of a protocol, if the game supports it.
fn driver(game: AnyGame, protocol: Protocol) -> Result<Box<dyn Driver>, String> {
    check_protocol(game, protocol)?;
    Ok(match protocol {
        Protocol::Uci => Box::new(uci::Uci::new(game)),
        Protocol::NBoard => Box::new(nboard::NBoard::new(Ggf::of(game)?)),
        Protocol::Gtp => Box::new(gtp::Gtp::new(game)),
    })
}

/// A game and the limits of its search.
struct MoveRequest<'a> {
    game: &'a AnyGameHistory,
    limits: Limits,
    command: &'a EngineCommand,
}

impl MoveRequest<'_> {
    /// Time limit of this move: its own or the clock.
    fn time(&self) -> Option<Duration> {
        let clock = self.limits.clock.map(|clock| clock.left);
        [self.limits.time, clock].into_iter().flatten().min()
    }
}

/// Why there is no move.
enum Failure {
    Resigned,
    /// It exceeded its time limit, in this way.
    Timeout(String),
    /// What the engine did wrong.
    Engine(String),
}

impl From<String> for Failure {
    fn from(what: String) -> Self {
        Self::Engine(what)
    }
}

impl ExternalPlayer {
    /// Starts an engine that plays `game` over `protocol`.
    ///
    /// NBoard has depth limits; engines may ignore its clock, and it has no node limit. GTP has whole seconds
    /// only, neither depth nor nodes.
    pub fn start(
        game: AnyGame,
        protocol: Protocol,
        command: EngineCommand,
    ) -> Result<Self, PlayerError> {
        let program = command.program.rsplit(['/', '\\']).next();
        let name: String = program.unwrap_or_default().into();
        let driver = match driver(game, protocol) {
            Ok(driver) => driver,
            Err(why) => {
                let what = format!("cannot be used: {why}");
                return Err(PlayerError::Failed { player: name, what });
            }
        };
        let mut player = Self { game, command, driver, name, process: None, is_new_game: true };
        match player.ensure_running() {
            Ok(()) => Ok(player),
            Err(what) => Err(player.failed(what)),
        }
    }

    /// The engine's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Starts the process if it is not running.
    fn ensure_running(&mut self) -> Result<(), String> {
        if self.process.is_none() {
            let mut process = Process::start(&self.command)?;
            let name = self.driver.handshake(&mut process, &self.command)?;
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                self.name = name;
            }
            self.process = Some(process);
            self.is_new_game = true;
        }
        Ok(())
    }

    /// Makes sure that the engine runs and knows that a new game has started.
    fn ensure_ready(&mut self) -> Result<(), String> {
        self.ensure_running()?;
        if let (Some(process), true) = (&mut self.process, self.is_new_game) {
            self.driver.new_game(process, &self.command)?;
            self.is_new_game = false;
        }
        Ok(())
    }

    fn failed(&self, what: String) -> PlayerError {
        PlayerError::Failed { player: self.name.clone(), what }
    }

    fn search(
        &mut self,
        game: &AnyGameHistory,
        limits: &Limits,
        control: &mut AnyControl<'_>,
    ) -> Result<AnySearchResult, Failure> {
        self.ensure_ready()?;
        let process = self.process.as_mut().ok_or_else(|| "is not running".to_owned())?;
        let mut limits = limits.and(self.command.limits);
        if limits.is_unlimited() {
            limits = self.command.default_limits;
        }
        let request = MoveRequest { game, limits, command: &self.command };
        let result = self.driver.choose(process, &request, control)?;
        match control.searchmoves() {
            Some(searchmoves) if !searchmoves.contains(&result.m) => {
                Err(Failure::Engine("does not support searchmoves".into()))
            }
            _ => Ok(result),
        }
    }
}

impl Player<AnyPosition> for ExternalPlayer {
    fn choose(
        &mut self,
        game: &AnyGameHistory,
        limits: &Limits,
        control: &mut AnyControl<'_>,
    ) -> Result<AnySearchResult, PlayerError> {
        if game.end().is_some() {
            return Err(PlayerError::GameOver);
        }
        let other = game.position().game();
        if other != self.game {
            return Err(self.failed(format!("was started for {}, not for {other}", self.game)));
        }
        match self.search(game, limits, control) {
            Ok(result) => Ok(result),
            Err(Failure::Resigned) => Err(PlayerError::Resigned),
            Err(Failure::Timeout(what)) => {
                self.process = None;
                Err(PlayerError::Timeout { player: self.name.clone(), what })
            }
            Err(Failure::Engine(what)) => {
                self.process = None;
                Err(self.failed(what))
            }
        }
    }

    /// An estimate: the memory of another program is unknown.
    fn memory(&self) -> usize {
        if self.process.is_some() { 64 << 20 } else { 0 }
    }

    /// Announces a new game. The seed is unused: no protocol has one.
    fn new_game(&mut self, _seed: u64) {
        self.is_new_game = true;
        // Now, while no clock is running. A failure shows again, as an error, in the next search.
        if self.ensure_ready().is_err() {
            self.process = None;
        }
    }
}

/// Watchdog of a search: forwards a stop and detects a hung engine.
struct SearchWatch {
    /// The protocol's stop command, if it has one.
    stop: Option<String>,
    /// Whether the stop command was sent.
    was_stopped: bool,
    /// When the caller stopped the search.
    cancelled: Option<Instant>,
    /// When to stop an engine that cannot be given a time per move.
    stop_at: Option<Instant>,
    start: Instant,
    /// Time until the engine is given up; `None` waits until the caller stops the search.
    allowed: Option<Duration>,
}

impl SearchWatch {
    /// Allows the engine `time` and a margin of 1 s and 10 %, or else the command's timeout.
    fn new(command: &EngineCommand, stop: Option<String>, time: Option<Duration>) -> Self {
        let with_margin =
            |time: Duration| time.saturating_add(time / 10).saturating_add(Duration::from_secs(1));
        Self {
            stop,
            was_stopped: false,
            cancelled: None,
            stop_at: None,
            start: Instant::now(),
            allowed: Some(time.map_or(command.timeout, with_margin)),
        }
    }

    /// The next line from the engine.
    fn line(&mut self, process: &mut Process, control: &AnyControl<'_>) -> Result<String, Failure> {
        loop {
            let now = Instant::now();
            if control.is_stopped() && self.cancelled.is_none() {
                self.cancelled = Some(now);
                self.send_stop(process)?;
            }
            if self.stop_at.is_some_and(|at| now >= at) {
                self.send_stop(process)?;
            }
            if self.cancelled.is_some_and(|since| now - since >= STOP_TIMEOUT) {
                let seconds = STOP_TIMEOUT.as_secs_f64();
                return Err(Failure::Engine(format!("did not stop within {seconds:.1} s")));
            }
            if let Some(allowed) = self.allowed
                && now - self.start >= allowed
            {
                let seconds = allowed.as_secs_f64();
                return Err(Failure::Timeout(format!("no move within {seconds:.1} s")));
            }
            if let Some(line) = process.receive(POLL)? {
                return Ok(line);
            }
        }
    }

    fn send_stop(&mut self, process: &mut Process) -> Result<(), String> {
        if self.was_stopped {
            return Ok(());
        }
        self.was_stopped = true;
        let stop = self.stop.as_ref().ok_or("cannot be stopped during a search")?;
        process.send(stop)
    }

    /// The engine was stopped, by the caller or since its time was over, and has no move.
    fn no_move(&self) -> Failure {
        match self.cancelled {
            Some(_) => Failure::Engine("was stopped before it had a move".into()),
            None => Failure::Timeout("no move when it was stopped".into()),
        }
    }
}

/// Error message for an invalid response.
fn invalid_response(line: &str, error: &impl std::fmt::Display) -> String {
    let shown: String = line.chars().take(80).collect();
    format!("answered `{}`: {error}", shown.escape_debug())
}
