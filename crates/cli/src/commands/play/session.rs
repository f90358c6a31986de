//! A game under way: whose turn it is, what they do, what is shown.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use tablero_core::{
    AnyChoice, AnyControl, AnyInfo, AnyMatch, AnyMove, AnyPlayer, AnyPly, AnyRecord, Ending,
    ForFirst, GameEnd, Limits, Outcome, PlayerError, PlayerLineError, PlayerSetup, Side, Value,
};

use super::words::{HELP, Word};
use crate::args::Entry;
use crate::draw::{self, Marks};
use crate::files;
use crate::out::{self, usage};
use crate::text;

/// Who is asked for hints.
const ADVISER: &str = "alphabeta";
const ADVISER_TIME: Duration = Duration::from_secs(1);

/// One side of the board: a person, or a machine.
pub(super) struct Seat {
    line: String,
    machine: Option<Box<AnyPlayer>>,
}

impl Seat {
    pub(super) fn new(entry: Entry, line: &str, threads: usize) -> Result<Self, PlayerLineError> {
        let machine = match line.trim() {
            "human" => None,
            line => Some(entry.build(line, &PlayerSetup { threads, ..PlayerSetup::LOCAL })?),
        };
        Ok(Self { line: line.trim().into(), machine })
    }

    /// The name of whoever sits here if nobody gave one.
    pub(super) fn name(&self) -> String {
        self.line.clone()
    }
}

/// Whether a person sees the output as it comes.
pub(super) fn on_terminal() -> bool {
    io::stdout().is_terminal()
}

pub(super) struct Session {
    entry: Entry,
    game: AnyMatch,
    /// What is known about each move of `game`: its time and the mover's opinion. Those of moves
    /// that were taken back stay behind the others, to be played again.
    notes: Vec<(Option<Duration>, Option<ForFirst<Value>>)>,
    record: AnyRecord,
    seats: [Seat; 2],
    pace: Duration,
    flipped: bool,
    /// The game ended otherwise than on the board.
    ended: Option<GameEnd>,
}

/// What comes after a person's word.
enum Next {
    GoOn,
    /// Nothing changed on the board: ask again without drawing it.
    AskAgain,
    Quit,
}

impl Session {
    pub(super) fn new(
        entry: Entry,
        record: AnyRecord,
        seats: [Seat; 2],
        pace: Duration,
    ) -> anyhow::Result<Self> {
        let mut session = Self {
            entry,
            game: AnyMatch::new(record.start.clone()),
            notes: Vec::new(),
            record: AnyRecord::new(record.start.clone()),
            seats,
            pace,
            flipped: false,
            ended: None,
        };
        session.take_over(record)?;
        Ok(session)
    }

    /// Goes on with a recorded game.
    fn take_over(&mut self, record: AnyRecord) -> anyhow::Result<()> {
        self.game = record
            .replay()
            .map_err(|(index, error)| anyhow::anyhow!("move {} of the game: {error}", index + 1))?;
        self.notes = record.plies.iter().map(|ply| (ply.time, ply.value)).collect();
        self.ended = None;
        self.record = record;
        Ok(())
    }

    /// Plays to the end of the game or of the input.
    pub(super) fn run(&mut self, seed: u64) -> anyhow::Result<()> {
        for (seat, seed) in self.seats.iter_mut().zip(seed..) {
            if let Some(machine) = &mut seat.machine {
                machine.new_game(seed);
            }
        }
        let mut input = io::stdin().lock();
        self.draw();
        while self.end().is_none() {
            if self.seats[self.side().index()].machine.is_some() {
                self.machine_moves()?;
                self.draw();
                continue;
            }
            let begin = Instant::now();
            loop {
                let Some(line) = self.ask(&mut input)? else { return Ok(()) };
                match self.obey(&line, begin) {
                    Ok(Next::GoOn) => break self.draw(),
                    Ok(Next::AskAgain) => {}
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

    /// What the side to move is called.
    fn colour(&self) -> &'static str {
        self.entry.game().info().sides[self.side().index()]
    }

    fn end(&self) -> Option<GameEnd> {
        self.ended.or_else(|| self.game.end())
    }

    fn ask(&self, input: &mut impl BufRead) -> anyhow::Result<Option<String>> {
        let name = self.record.player(self.side());
        let colour = self.colour();
        out::raw(format_args!("{name} ({colour})> "));
        io::stdout().flush()?;
        // What is no text is no move either; that is for the parser to say, and the game goes on.
        let mut line = Vec::new();
        let read = input.read_until(b'\n', &mut line).context("cannot read standard input")?;
        if read == 0 {
            out::line("");
        }
        Ok((read > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
    }

    fn obey(&mut self, line: &str, begin: Instant) -> anyhow::Result<Next> {
        match Word::parse(line) {
            Word::Move("") => {}
            Word::Move(text) => {
                let m = self.game.position().parse_move(text)?;
                self.play(m, Some(begin.elapsed()), None)?;
                return Ok(Next::GoOn);
            }
            Word::Help => out::line(HELP),
            Word::Rules => out::line(self.entry.game().presentation().rules.en.trim_end()),
            Word::Moves => {
                let position = self.game.position();
                let names = self.game.moves().into_iter().map(|m| position.move_text(m));
                out::line(names.collect::<Vec<_>>().join(" "));
            }
            Word::Hint => self.hint()?,
            Word::Evaluate => self.evaluate()?,
            Word::Undo => return self.undo(),
            Word::Redo => return self.redo(),
            Word::Flip => {
                self.flipped = !self.flipped;
                return Ok(Next::GoOn);
            }
            Word::Names(names) => self.name(names)?,
            Word::Save(file) => self.save(file)?,
            Word::Load(file) => {
                let record = super::load(self.entry.game(), file)?;
                self.take_over(record)?;
                return Ok(Next::GoOn);
            }
            Word::Resign => {
                let outcome = Outcome::win(!self.side());
                self.ended = Some(GameEnd { outcome, ending: Ending::Resigned });
                return Ok(Next::GoOn);
            }
            Word::Quit => return Ok(Next::Quit),
        }
        Ok(Next::AskAgain)
    }

    fn play(
        &mut self,
        m: AnyMove,
        time: Option<Duration>,
        value: Option<ForFirst<Value>>,
    ) -> anyhow::Result<()> {
        self.game.play(m)?;
        self.notes.truncate(self.game.plies() - 1);
        self.notes.push((time, value));
        Ok(())
    }

    fn machine_moves(&mut self) -> anyhow::Result<()> {
        let side = self.side();
        let both_machines = self.seats.iter().all(|seat| seat.machine.is_some());
        let begin = Instant::now();
        let Some(machine) = &mut self.seats[side.index()].machine else { return Ok(()) };
        match think(machine.as_mut(), &self.game, &Limits::default()) {
            Ok(choice) => {
                let value = choice.info.lines.first().map(|line| line.value.for_first(side));
                if both_machines {
                    thread::sleep(self.pace.saturating_sub(begin.elapsed()));
                }
                self.play(choice.m, Some(begin.elapsed()), value)
            }
            Err(PlayerError::Resigned) => {
                let outcome = Outcome::win(!side);
                self.ended = Some(GameEnd { outcome, ending: Ending::Resigned });
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The plies from one turn of the person to move to the next: one among people, two against a
    /// machine.
    fn plies_of_a_turn(&self) -> usize {
        let against_machine = self.seats[(!self.side()).index()].machine.is_some();
        if against_machine { 2 } else { 1 }
    }

    /// Back to this person's last turn.
    fn undo(&mut self) -> anyhow::Result<Next> {
        let plies = self.plies_of_a_turn();
        if self.game.plies() < plies {
            anyhow::bail!("there is no move to take back");
        }
        for _ in 0..plies {
            self.game.undo();
        }
        Ok(Next::GoOn)
    }

    /// Forward again to where this person took moves back.
    fn redo(&mut self) -> anyhow::Result<Next> {
        let plies = self.plies_of_a_turn();
        self.game.redo().context("there is no move to play again")?;
        for _ in 1..plies {
            self.game.redo();
        }
        Ok(Next::GoOn)
    }

    fn advise(&self) -> anyhow::Result<AnyChoice> {
        let setup = PlayerSetup { bounded_by_caller: true, ..PlayerSetup::LOCAL };
        let mut adviser = self.entry.build(ADVISER, &setup)?;
        let limits = Limits { time: Some(ADVISER_TIME), ..Limits::default() };
        Ok(think(adviser.as_mut(), &self.game, &limits)?)
    }

    fn hint(&self) -> anyhow::Result<()> {
        let choice = self.advise()?;
        out::line(format_args!("try {}", self.game.position().move_text(choice.m)));
        Ok(())
    }

    fn evaluate(&self) -> anyhow::Result<()> {
        let choice = self.advise()?;
        let Some(line) = choice.info.lines.first() else { return Ok(()) };
        let names = self.game.position().line_text(&line.moves);
        let value = line.value.0;
        let colour = self.colour();
        let names = names.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(" ");
        out::line(format_args!("{value} for {colour}: {names} (depth {})", choice.info.depth));
        Ok(())
    }

    fn name(&mut self, names: &str) -> anyhow::Result<()> {
        let mut words = names.split_whitespace();
        let (Some(first), Some(second)) = (words.next(), words.next()) else {
            anyhow::bail!("two names are needed: names ANA BO");
        };
        self.record.players = [first.into(), second.into()];
        Ok(())
    }

    fn save(&self, file: &str) -> anyhow::Result<()> {
        if file.is_empty() {
            return Err(usage("a file name is needed: save game.pgn"));
        }
        let game = self.entry.game();
        files::write_records(game, Path::new(file), None, &[self.as_record()])?;
        out::line(format_args!("saved to {file}"));
        Ok(())
    }

    /// The game so far, with what it began with (tags, comments of the moves that are still there).
    fn as_record(&self) -> AnyRecord {
        let mut record = self.record.clone();
        let still =
            self.game.played().zip(&record.plies).take_while(|(m, ply)| *m == ply.m).count();
        record.plies.truncate(still);
        for (m, (time, value)) in self.game.played().zip(&self.notes).skip(still) {
            record.plies.push(AnyPly { time: *time, value: *value, ..AnyPly::new(m) });
        }
        record.end = self.end();
        record
    }

    fn draw(&self) {
        let game = &self.game;
        let before = game.positions().rev().nth(1);
        let marks = Marks::of(game.position(), before.zip(game.played().next_back()));
        let mut beside = vec![format!(
            "{} – {}",
            self.record.player(Side::First),
            self.record.player(Side::Second)
        )];
        match self.end() {
            Some(end) => beside.push(text::result_text(self.entry.game().info(), end)),
            None => beside.push(format!("{} to move", self.colour())),
        }
        if let Some((before, m)) = before.zip(game.played().next_back()) {
            beside.push(format!("move {}: {}", game.plies(), before.move_text(m)));
        }
        out::line("");
        out::raw(draw::board(game.position(), &marks, &beside, self.flipped));
    }
}

/// Lets a machine think, with a sign of life if it takes long.
fn think(
    machine: &mut AnyPlayer,
    game: &AnyMatch,
    limits: &Limits,
) -> Result<AnyChoice, PlayerError> {
    let spinner = ProgressBar::new_spinner();
    spinner.set_style(
        ProgressStyle::with_template("{spinner} thinking {elapsed} {msg}").expect("fixed"),
    );
    spinner.enable_steady_tick(Duration::from_millis(200));
    let stop = AtomicBool::new(false);
    let mut report = |info: &AnyInfo| spinner.set_message(format!("depth {}", info.depth));
    let choice = machine.choose(game, limits, &mut AnyControl::new(&stop, &mut report));
    spinner.finish_and_clear();
    choice
}
