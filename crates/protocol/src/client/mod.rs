//! Players that run in other programs.

mod gtp;
mod nboard;
mod process;
mod uci;

use std::time::{Duration, Instant};

use tablero_core::{
    AnyChoice, AnyControl, AnyGame, AnyMatch, AnyPosition, Limits, Player, PlayerError, Protocol,
};

use crate::check_protocol;
use crate::ggf::Ggf;
use process::Process;

/// How long an engine may take for anything that is not thinking.
const GREETING: Duration = Duration::from_secs(15);
/// How long it may take to answer after its time is over, or after it was told to stop.
const GRACE: Duration = Duration::from_secs(5);
/// How often an engine that thinks is looked at.
const POLL: Duration = Duration::from_millis(3);

/// An engine: how to start it and what to ask of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineCommand {
    /// The program, by path or by name.
    pub program: String,
    /// Its arguments; no shell looks at them.
    pub arguments: Vec<String>,
    /// Its options, by name. In UCI they are what the engine announces, in any case, and
    /// `elo=1350` holds it down to that rating; in NBoard `set name value`; GTP has none.
    pub options: Vec<(String, String)>,
    /// What bounds each of its decisions, whatever else does.
    pub limits: Limits,
    /// How long it may take for a decision that is bounded, but not by time.
    pub timeout: Duration,
}

impl EngineCommand {
    /// The program without arguments or options.
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            options: Vec::new(),
            limits: Limits::default(),
            timeout: Duration::from_secs(120),
        }
    }

    /// How long to wait for an answer.
    fn greeting(&self) -> Duration {
        GREETING.min(self.timeout)
    }
}

/// A player that runs in another program, which it starts, and ends when it is dropped.
///
/// If the engine crashes, hangs or answers nonsense, the decision fails and the engine is ended; it
/// is started again when it is needed next.
pub struct ExternalPlayer {
    game: AnyGame,
    command: EngineCommand,
    driver: Box<dyn Driver>,
    /// What the engine calls itself, or else its program's name.
    name: String,
    process: Option<Process>,
    is_new_game: bool,
}

/// How to talk with an engine in a protocol. An error says what the engine did.
trait Driver: Send {
    /// Opens the conversation; gives the engine's name if it tells it.
    fn greet(
        &mut self,
        process: &mut Process,
        command: &EngineCommand,
    ) -> Result<Option<String>, String>;

    /// Announces a new game.
    fn new_game(&mut self, process: &mut Process, command: &EngineCommand) -> Result<(), String>;

    /// Asks for a move.
    fn choose(
        &mut self,
        process: &mut Process,
        question: &Question<'_>,
        control: &mut AnyControl<'_>,
    ) -> Result<AnyChoice, Failure>;
}

/// The driver for a protocol, or why there is none.
fn driver(game: AnyGame, protocol: Protocol) -> Result<Box<dyn Driver>, String> {
    check_protocol(game, protocol)?;
    Ok(match protocol {
        Protocol::Uci => Box::new(uci::Uci::new(game)),
        Protocol::NBoard => Box::new(nboard::NBoard::new(Ggf::of(game)?)),
        Protocol::Gtp => Box::new(gtp::Gtp::new(game)),
    })
}

/// What an engine is asked.
struct Question<'a> {
    game: &'a AnyMatch,
    limits: Limits,
    command: &'a EngineCommand,
}

/// Why there is no move.
enum Failure {
    Resigned,
    /// The engine did this.
    Did(String),
}

impl From<String> for Failure {
    fn from(what: String) -> Self {
        Self::Did(what)
    }
}

impl ExternalPlayer {
    /// Starts an engine that plays `game` over `protocol`.
    ///
    /// Engines that speak NBoard's protocol are bounded by depth; bounds by time they may or may not
    /// respect, and those by nodes they do not know. Engines that speak GTP are bounded by whole
    /// seconds, or by their own arguments; bounds by depth and nodes they do not know.
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
                let what = format!("cannot be asked: {why}");
                return Err(PlayerError::Failed { player: name, what });
            }
        };
        let mut player = Self { game, command, driver, name, process: None, is_new_game: true };
        match player.run() {
            Ok(()) => Ok(player),
            Err(what) => Err(player.failed(what)),
        }
    }

    /// What the engine calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Starts the engine if it is not running.
    fn run(&mut self) -> Result<(), String> {
        if self.process.is_none() {
            let mut process = Process::start(&self.command)?;
            let name = self.driver.greet(&mut process, &self.command)?;
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                self.name = name;
            }
            self.process = Some(process);
            self.is_new_game = true;
        }
        Ok(())
    }

    /// Makes sure that the engine runs and knows about the game.
    fn ready(&mut self) -> Result<(), String> {
        self.run()?;
        if let (Some(process), true) = (&mut self.process, self.is_new_game) {
            self.driver.new_game(process, &self.command)?;
            self.is_new_game = false;
        }
        Ok(())
    }

    fn failed(&self, what: String) -> PlayerError {
        PlayerError::Failed { player: self.name.clone(), what }
    }

    fn ask(
        &mut self,
        game: &AnyMatch,
        limits: &Limits,
        control: &mut AnyControl<'_>,
    ) -> Result<AnyChoice, Failure> {
        self.ready()?;
        let process = self.process.as_mut().ok_or_else(|| "is not running".to_owned())?;
        let question =
            Question { game, limits: limits.and(self.command.limits), command: &self.command };
        let choice = self.driver.choose(process, &question, control)?;
        match control.only() {
            Some(only) if !only.contains(&choice.m) => {
                Err(Failure::Did("cannot be told which moves to choose from".into()))
            }
            _ => Ok(choice),
        }
    }
}

impl Player<AnyPosition> for ExternalPlayer {
    fn choose(
        &mut self,
        game: &AnyMatch,
        limits: &Limits,
        control: &mut AnyControl<'_>,
    ) -> Result<AnyChoice, PlayerError> {
        if game.end().is_some() {
            return Err(PlayerError::GameOver);
        }
        let asked = game.position().game();
        if asked != self.game {
            return Err(self.failed(format!("was started for {}, not for {asked}", self.game)));
        }
        match self.ask(game, limits, control) {
            Ok(choice) => Ok(choice),
            Err(Failure::Resigned) => Err(PlayerError::Resigned),
            Err(Failure::Did(what)) => {
                self.process = None;
                Err(self.failed(what))
            }
        }
    }

    /// The engine is only told that a game begins; its randomness is its own.
    fn new_game(&mut self, _seed: u64) {
        self.is_new_game = true;
        // Now, while no clock runs. If it fails, it is tried again when a move is wanted, and then
        // somebody can be told.
        if self.ready().is_err() {
            self.process = None;
        }
    }
}

/// Watches an engine that thinks: stops it when it is to stop, and gives it up when it hangs.
struct Watch {
    /// What makes the engine answer soon, if anything does.
    stop: Option<String>,
    was_stopped: bool,
    since: Instant,
    deadline: Option<Instant>,
}

impl Watch {
    /// `is_endless`: without limits the engine thinks until it is stopped.
    fn new(question: &Question<'_>, stop: Option<String>, is_endless: bool) -> Self {
        let limits = question.limits;
        let clock = limits.clock.map(|clock| clock.left);
        let time = [limits.time, clock].into_iter().flatten().min();
        let since = Instant::now();
        let wait = match time {
            Some(time) => Some(time.saturating_add(GRACE)),
            None if is_endless && limits.is_unlimited() => None,
            None => Some(question.command.timeout),
        };
        Self {
            stop,
            was_stopped: false,
            since,
            deadline: wait.and_then(|wait| since.checked_add(wait)),
        }
    }

    /// The next line from the engine.
    fn line(&mut self, process: &mut Process, control: &AnyControl<'_>) -> Result<String, String> {
        loop {
            let now = Instant::now();
            if control.stopped() && !self.was_stopped {
                self.was_stopped = true;
                let stop = self.stop.as_ref().ok_or("cannot be stopped while it thinks")?;
                process.send(stop)?;
                self.deadline = Some(self.deadline.unwrap_or(now + GRACE).min(now + GRACE));
            }
            if self.deadline.is_some_and(|deadline| now >= deadline) {
                let waited = (now - self.since).as_secs_f64();
                return Err(format!("did not answer within {waited:.1} s"));
            }
            if let Some(line) = process.receive(POLL)? {
                return Ok(line);
            }
        }
    }
}

/// What an engine did that answered nonsense.
fn nonsense(line: &str, error: &impl std::fmt::Display) -> String {
    let shown: String = line.chars().take(80).collect();
    format!("answered `{}`: {error}", shown.escape_debug())
}
