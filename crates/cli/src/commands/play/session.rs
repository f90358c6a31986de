//! The game loop: reads commands, asks engines for moves, draws the board.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use tablero_core::{
    AnyControl, AnyGameHistory, AnyInfo, AnyMove, AnyPlayer, AnyPly, AnyRecord, AnySearchResult,
    Ending, ForFirst, GameEnd, Limits, Outcome, PlayerError, PlayerLineError, PlayerSetup, Side,
    Value,
};

use super::command::Command;
use super::input::LineReader;
use super::lang::Lang;
use crate::args::Entry;
use crate::draw::{self, Marks};
use crate::files;
use crate::out;
use crate::output_file::ForceArg;

/// Search time of hints and evaluations.
const HINT_TIME: Duration = Duration::from_secs(1);

/// A human, or an engine.
pub(super) struct Player {
    line: String,
    engine: Option<Box<AnyPlayer>>,
}

impl Player {
    pub(super) fn new(entry: Entry, line: &str, threads: usize) -> Result<Self, PlayerLineError> {
        let engine = match line.trim() {
            "human" => None,
            line => Some(entry.build(line, &PlayerSetup { threads, ..PlayerSetup::LOCAL })?),
        };
        Ok(Self { line: line.trim().into(), engine })
    }

    /// The default name of the player.
    pub(super) fn name(&self, lang: Lang) -> &str {
        if self.engine.is_some() { &self.line } else { lang.human() }
    }
}

/// Whether standard output is a terminal.
pub(super) fn on_terminal() -> bool {
    io::stdout().is_terminal()
}

pub(super) struct Session {
    entry: Entry,
    game: AnyGameHistory,
    /// Time and score of each move of `game`, including moves that were undone and can be redone.
    annotations: Vec<(Option<Duration>, Option<ForFirst<Value>>)>,
    record: AnyRecord,
    players: [Player; 2],
    lang: Lang,
    pace: Duration,
    threads: usize,
    is_flipped: bool,
    /// The end of a game that was resigned.
    resigned: Option<GameEnd>,
    /// The file of the last `save`, which the next one may overwrite.
    saved: Option<PathBuf>,
}

/// What to do after a command.
enum Next {
    /// Draw the board and continue with the side to move.
    Continue,
    /// The board is unchanged: prompt again.
    Prompt,
    Quit,
}

impl Session {
    pub(super) fn new(
        entry: Entry,
        record: AnyRecord,
        players: [Player; 2],
        lang: Lang,
    ) -> anyhow::Result<Self> {
        let mut session = Self {
            entry,
            game: AnyGameHistory::new(record.start.clone()),
            annotations: Vec::new(),
            record: AnyRecord::new(record.start.clone()),
            players,
            lang,
            pace: Duration::ZERO,
            threads: 1,
            is_flipped: false,
            resigned: None,
            saved: None,
        };
        session.load(record)?;
        Ok(session)
    }

    /// The minimum time per move when two engines play.
    pub(super) const fn set_pace(&mut self, pace: Duration) {
        self.pace = pace;
    }

    /// The threads of hints and evaluations.
    pub(super) const fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Continues a recorded game.
    fn load(&mut self, record: AnyRecord) -> anyhow::Result<()> {
        self.game = record
            .replay()
            .map_err(|(index, error)| anyhow::anyhow!("move {} of the game: {error}", index + 1))?;
        self.annotations = record.plies.iter().map(|ply| (ply.time, ply.value)).collect();
        self.resigned = None;
        self.record = record;
        Ok(())
    }

    /// Plays until the game or the input ends.
    pub(super) fn run(&mut self, seed: u64) -> anyhow::Result<()> {
        for (player, seed) in self.players.iter_mut().zip(seed..) {
            if let Some(engine) = &mut player.engine {
                engine.new_game(seed);
            }
        }
        let mut input = LineReader::new()?;
        self.draw();
        while self.end().is_none() {
            if self.players[self.side().index()].engine.is_some() {
                self.play_engine_move()?;
                self.draw();
                continue;
            }
            let start = Instant::now();
            loop {
                let Some(line) = input.read(&self.prompt())? else { return Ok(()) };
                match self.execute(&line, start) {
                    Ok(Next::Continue) => break self.draw(),
                    Ok(Next::Prompt) => {}
                    Ok(Next::Quit) => return Ok(()),
                    Err(error) => out::note(format_args!("{error:#}")),
                }
            }
        }
        Ok(())
    }

    fn side(&self) -> Side {
        self.game.position().side()
    }

    /// The name of the side to move.
    fn side_name(&self) -> String {
        self.lang.side(self.entry.game(), self.side())
    }

    fn end(&self) -> Option<GameEnd> {
        self.resigned.or_else(|| self.game.end())
    }

    fn prompt(&self) -> String {
        format!("{} ({})> ", self.record.player(self.side()), self.side_name())
    }

    fn execute(&mut self, line: &str, start: Instant) -> anyhow::Result<Next> {
        match Command::parse(line) {
            Command::Move("") => {}
            Command::Move(text) => {
                let illegal = |error| anyhow::anyhow!(self.lang.illegal_move(text, &error));
                let m = self.game.position().parse_move(text).map_err(illegal)?;
                self.play(m, Some(start.elapsed()), None)?;
                return Ok(Next::Continue);
            }
            Command::Help => out::line(self.lang.help()),
            Command::Rules => {
                let rules = self.lang.pick(self.entry.game().presentation().rules);
                out::line(rules.trim_end());
            }
            Command::Moves => {
                let position = self.game.position();
                let names = self.game.moves().into_iter().map(|m| position.move_text(m));
                out::line(names.collect::<Vec<_>>().join(" "));
            }
            Command::Hint => self.hint()?,
            Command::Evaluate => self.evaluate()?,
            Command::Undo => return self.undo(),
            Command::Redo => return self.redo(),
            Command::Flip => {
                self.is_flipped = !self.is_flipped;
                return Ok(Next::Continue);
            }
            Command::Names(names) => self.name(names)?,
            Command::Save(file) => self.save(file)?,
            Command::Load(file) => {
                let record = super::load(self.entry.game(), file, false)?;
                self.load(record)?;
                return Ok(Next::Continue);
            }
            Command::Resign => {
                let outcome = Outcome::win(!self.side());
                self.resigned = Some(GameEnd { outcome, ending: Ending::Resigned });
                return Ok(Next::Continue);
            }
            Command::Quit => return Ok(Next::Quit),
        }
        Ok(Next::Prompt)
    }

    fn play(
        &mut self,
        m: AnyMove,
        time: Option<Duration>,
        value: Option<ForFirst<Value>>,
    ) -> anyhow::Result<()> {
        self.game.play(m)?;
        self.annotations.truncate(self.game.plies() - 1);
        self.annotations.push((time, value));
        Ok(())
    }

    fn play_engine_move(&mut self) -> anyhow::Result<()> {
        let side = self.side();
        let are_engines = self.players.iter().all(|player| player.engine.is_some());
        let start = Instant::now();
        let Some(engine) = &mut self.players[side.index()].engine else { return Ok(()) };
        match search(engine.as_mut(), &self.game, &Limits::default(), self.lang) {
            Ok(result) => {
                let value = result.info.lines.first().map(|line| line.value.for_first(side));
                if are_engines {
                    thread::sleep(self.pace.saturating_sub(start.elapsed()));
                }
                self.play(result.m, Some(start.elapsed()), value)
            }
            Err(PlayerError::Resigned) => {
                let outcome = Outcome::win(!side);
                self.resigned = Some(GameEnd { outcome, ending: Ending::Resigned });
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The plies that `undo` takes back: one between humans, two against an engine.
    fn undo_plies(&self) -> usize {
        let is_against_engine = self.players[(!self.side()).index()].engine.is_some();
        if is_against_engine { 2 } else { 1 }
    }

    fn undo(&mut self) -> anyhow::Result<Next> {
        let plies = self.undo_plies();
        if self.game.plies() < plies {
            anyhow::bail!(self.lang.nothing_to_undo());
        }
        for _ in 0..plies {
            self.game.undo();
        }
        Ok(Next::Continue)
    }

    fn redo(&mut self) -> anyhow::Result<Next> {
        let plies = self.undo_plies();
        self.game.redo().context(self.lang.nothing_to_redo())?;
        for _ in 1..plies {
            self.game.redo();
        }
        Ok(Next::Continue)
    }

    /// Searches the position with the strongest player of the game.
    fn analyse(&self) -> anyhow::Result<AnySearchResult> {
        let setup =
            PlayerSetup { threads: self.threads, limited_by_caller: true, ..PlayerSetup::LOCAL };
        let mut analyst = self.entry.build(self.entry.game().analyst(), &setup)?;
        let limits = Limits { time: Some(HINT_TIME), ..Limits::default() };
        Ok(search(analyst.as_mut(), &self.game, &limits, self.lang)?)
    }

    fn hint(&self) -> anyhow::Result<()> {
        let result = self.analyse()?;
        out::line(self.lang.hint(&self.game.position().move_text(result.m)));
        Ok(())
    }

    fn evaluate(&self) -> anyhow::Result<()> {
        let result = self.analyse()?;
        let Some(line) = result.info.lines.first() else { return Ok(()) };
        let names = self.game.position().line_text(&line.moves);
        let value = line.value.0.to_string();
        let pv = names.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(" ");
        out::line(self.lang.score(&value, &self.side_name(), &pv, result.info.depth));
        Ok(())
    }

    fn name(&mut self, names: &str) -> anyhow::Result<()> {
        let mut words = names.split_whitespace();
        let (Some(first), Some(second)) = (words.next(), words.next()) else {
            anyhow::bail!(self.lang.needs_names());
        };
        self.record.players = [first.into(), second.into()];
        Ok(())
    }

    fn save(&mut self, file: &str) -> anyhow::Result<()> {
        if file.is_empty() {
            anyhow::bail!(self.lang.needs_file());
        }
        let (file, is_forced) = match file.strip_suffix(" --force") {
            Some(file) => (file.trim_end(), true),
            None => (file, false),
        };
        let path = PathBuf::from(file);
        let force = ForceArg::default().or(is_forced || self.saved.as_ref() == Some(&path));
        if force.check(&path).is_err() {
            anyhow::bail!(self.lang.file_exists(file));
        }
        let game = self.entry.game();
        files::write_records(game, &path, None, &[self.as_record()], force)?;
        out::line(self.lang.saved(file));
        self.saved = Some(path);
        Ok(())
    }

    /// The game so far, with the tags and comments of a loaded game.
    fn as_record(&self) -> AnyRecord {
        let mut record = self.record.clone();
        let unchanged =
            self.game.played().zip(&record.plies).take_while(|(m, ply)| *m == ply.m).count();
        record.plies.truncate(unchanged);
        for (m, (time, value)) in self.game.played().zip(&self.annotations).skip(unchanged) {
            record.plies.push(AnyPly { time: *time, value: *value, ..AnyPly::new(m) });
        }
        record.end = self.end();
        record
    }

    fn draw(&self) {
        let game = &self.game;
        let before = game.positions().rev().nth(1);
        let marks = Marks::of(game.position(), before.zip(game.played().next_back()));
        let mut caption = vec![format!(
            "{} – {}",
            self.record.player(Side::First),
            self.record.player(Side::Second)
        )];
        match self.end() {
            Some(end) => caption.push(self.lang.result(self.entry.game(), end)),
            None => caption.push(self.lang.to_move(&self.side_name())),
        }
        if let Some((before, m)) = before.zip(game.played().next_back()) {
            caption.push(format!("{} {}: {}", self.lang.ply(), game.plies(), before.move_text(m)));
        }
        out::line("");
        out::raw(draw::board(game.position(), &marks, &caption, self.is_flipped));
    }
}

/// Searches, with a spinner meanwhile.
fn search(
    player: &mut AnyPlayer,
    game: &AnyGameHistory,
    limits: &Limits,
    lang: Lang,
) -> Result<AnySearchResult, PlayerError> {
    let spinner = ProgressBar::new_spinner();
    let style = format!("{{spinner}} {} {{elapsed}} {{msg}}", lang.thinking());
    spinner.set_style(ProgressStyle::with_template(&style).expect("fixed"));
    spinner.enable_steady_tick(Duration::from_millis(200));
    let stop = AtomicBool::new(false);
    let mut report =
        |info: &AnyInfo| spinner.set_message(format!("{} {}", lang.depth(), info.depth));
    let result = player.choose(game, limits, &mut AnyControl::new(&stop, &mut report));
    spinner.finish_and_clear();
    result
}
