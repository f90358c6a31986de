use std::collections::VecDeque;
use std::io::{self, BufRead, Write};

use tablero_core::{
    AnyChoice, AnyInfo, AnyMatch, AnyMove, AnyPosition, Limits, PlayerError, Value,
};

use super::command::{Command, Go, read_position};
use super::info::write_info;
use super::options::{Change, Options};
use crate::desk::{Desk, Event, Task, Thinking, Thought, at_desk};
use crate::engine::{Engine, Seat};

/// Speaks UCI for `engine` until the peer quits or `input` ends; fails if `output` does, or if the
/// engine's first player cannot be made.
pub(crate) fn serve_uci(
    input: impl BufRead + Send,
    output: impl Write,
    engine: &Engine<'_>,
) -> io::Result<()> {
    let is_last = |line: &str| Command::read(line) == Command::Quit;
    at_desk(input, is_last, |desk| {
        Session {
            desk,
            output,
            engine,
            options: Options::new(engine),
            debug: false,
            seat: Seat::new(engine),
            game: AnyMatch::new(engine.game.start()),
            search: None,
            waiting: VecDeque::new(),
        }
        .run()
    })
}

struct Session<'a, 'scope, 'env, W> {
    desk: &'a mut Desk<'scope, 'env>,
    output: W,
    engine: &'a Engine<'a>,
    options: Options,
    /// Tell what was not understood.
    debug: bool,
    seat: Seat<'a>,
    /// What the last `position` set up.
    game: AnyMatch,
    search: Option<Search>,
    /// Commands that came while a search was running and must wait for its end.
    waiting: VecDeque<String>,
}

/// What follows a `go`.
struct Search {
    task: Task,
    thinking: Option<Thinking>,
    /// Stop as soon as a win in so many moves is found.
    mate: Option<u32>,
    /// The limits that count once the opponent has played the move we ponder on.
    after_hit: Option<Limits>,
    /// The answer is not wanted before `stop` or `ponderhit`.
    held: bool,
    /// What was told last.
    told: Option<AnyInfo>,
    answer: Option<Result<AnyChoice, PlayerError>>,
}

/// Whether a command has to wait for the end of a search.
fn needs_rest(command: &Command<'_>) -> bool {
    matches!(
        command,
        Command::SetOption { .. } | Command::NewGame | Command::Position(_) | Command::Go(_)
    )
}

impl<W: Write> Session<'_, '_, '_, W> {
    fn run(mut self) -> io::Result<()> {
        loop {
            let goes_on = match self.desk.next() {
                Event::Line(line) => self.hear(line)?,
                Event::End => return self.finish(),
                Event::Info(info) => self.tell(info).map(|()| true)?,
                Event::Done(thought) => self.decided(thought)?,
            };
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Obeys a line now or keeps it; says whether to go on.
    fn hear(&mut self, line: String) -> io::Result<bool> {
        let command = Command::read(&line);
        let is_busy = self.search.is_some();
        // A GUI may send a whole `stop`, `position`, `go`, `stop` before we answer the first: the
        // second `stop` is meant for the second search.
        let is_late =
            !self.waiting.is_empty() && matches!(command, Command::Stop | Command::PonderHit);
        if is_busy && command == Command::Stop {
            self.stop()?;
        }
        if is_busy && (needs_rest(&command) || is_late) {
            self.waiting.push_back(line);
            return self.obey_waiting();
        }
        self.obey(command)
    }

    /// Obeys the commands that need wait no longer; says whether to go on.
    fn obey_waiting(&mut self) -> io::Result<bool> {
        while let Some(line) = self.waiting.pop_front() {
            let command = Command::read(&line);
            if self.search.is_some() && needs_rest(&command) {
                self.waiting.push_front(line);
                break;
            }
            if !self.obey(command)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Obeys a command; says whether to go on.
    fn obey(&mut self, command: Command<'_>) -> io::Result<bool> {
        match command {
            Command::Uci => self.introduce()?,
            Command::Debug(on) => self.debug = on,
            Command::IsReady => {
                if self.search.is_none() {
                    self.make_player()?;
                }
                self.say("readyok")?;
            }
            Command::SetOption { name, value } => self.set_option(&name, &value)?,
            Command::NewGame => self.seat.new_game(),
            Command::Position(text) => match read_position(text, self.options.rules) {
                Ok(game) => self.game = game,
                Err(error) => self.say(&format!("info string position not understood: {error}"))?,
            },
            Command::Go(go) => self.go(&go)?,
            Command::Stop => self.stop()?,
            Command::PonderHit => self.ponder_hit()?,
            Command::Quit => return Ok(false),
            Command::Unknown if self.debug => self.say("info string command not understood")?,
            Command::Unknown => {}
        }
        Ok(true)
    }

    fn introduce(&mut self) -> io::Result<()> {
        let name = &self.engine.name;
        let mut lines = vec![format!("id name {name}"), "id author the Tablero authors".into()];
        lines.extend(self.options.announce());
        lines.push("uciok".into());
        self.say(&lines.join("\n"))
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        match self.options.set(name, value) {
            Ok(Change::Remembered) => {}
            Ok(Change::ClearHash) => self.seat.new_game(),
            Ok(Change::Rules) => self.game = AnyMatch::new(self.options.rules.start()),
            Err(error) => self.say(&format!("info string {error}"))?,
        }
        Ok(())
    }

    /// Makes the player anew if the options have changed.
    fn make_player(&mut self) -> io::Result<()> {
        if let Err(error) = self.seat.prepare(&self.options.setup())? {
            self.say(&format!("info string option refused: {error}"))?;
        }
        Ok(())
    }

    fn go(&mut self, go: &Go<'_>) -> io::Result<()> {
        self.make_player()?;
        let mut limits = go.limits(self.game.position(), self.options.overhead);
        let after_hit = go.ponder.then_some(limits);
        if go.ponder || go.infinite {
            (limits.time, limits.clock) = (None, None);
        }
        let task =
            Task { game: playable(&self.game), limits, only: self.search_moves(&go.search_moves)? };
        self.search = Some(Search {
            task,
            thinking: None,
            mate: go.mate,
            after_hit,
            held: go.ponder || go.infinite,
            told: None,
            answer: None,
        });
        self.think()
    }

    /// Starts to think about the search's task.
    fn think(&mut self) -> io::Result<()> {
        let Some(search) = &mut self.search else {
            return Ok(());
        };
        if search.task.game.end().is_some() {
            search.answer = Some(Err(PlayerError::GameOver));
        } else if let Some(player) = self.seat.take() {
            search.thinking = Some(self.desk.think(player, search.task.clone()));
        }
        self.answer()
    }

    /// The moves that `searchmoves` names; none if it names none that can be played.
    fn search_moves(&mut self, words: &[&str]) -> io::Result<Option<Vec<AnyMove>>> {
        let mut moves = Vec::new();
        for word in words {
            match self.game.position().parse_uci_move(word) {
                Ok(m) if moves.contains(&m) => {}
                Ok(m) => moves.push(m),
                Err(error) => self.say(&format!("info string searchmoves: {error}"))?,
            }
        }
        Ok((!moves.is_empty()).then_some(moves))
    }

    fn stop(&mut self) -> io::Result<()> {
        if let Some(search) = &mut self.search {
            search.held = false;
            search.after_hit = None;
            if let Some(thinking) = &search.thinking {
                thinking.stop();
            }
        }
        self.answer()
    }

    /// The opponent played the move we ponder on. What was found out is in the player's table: it
    /// stops and thinks again, now by its clock. If it had finished, it answers.
    fn ponder_hit(&mut self) -> io::Result<()> {
        if let Some(search) = &mut self.search
            && let Some(limits) = search.after_hit
        {
            search.held = false;
            search.task.limits = limits;
            if let Some(thinking) = &search.thinking {
                thinking.stop();
            }
        }
        self.answer()
    }

    /// Passes on what the player found out.
    fn tell(&mut self, info: AnyInfo) -> io::Result<()> {
        let Some(search) = &mut self.search else {
            return Ok(());
        };
        let text = write_info(&info, search.task.game.position(), self.options.show_wdl);
        let found = info.lines.first().map(|line| line.value.0);
        if let (Some(wanted), Some(Value::WinIn(moves)), Some(thinking)) =
            (search.mate, found, &search.thinking)
            && moves <= wanted
        {
            thinking.stop();
        }
        search.told = Some(info);
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    /// The player has come to a decision; says whether to go on.
    fn decided(&mut self, thought: Thought) -> io::Result<bool> {
        self.seat.put_back(thought.player);
        let Some(search) = &mut self.search else {
            return Ok(true);
        };
        search.thinking = None;
        if !search.held && search.after_hit.take().is_some() {
            self.think()?;
            return Ok(true);
        }
        search.answer = Some(thought.result);
        self.answer()?;
        self.obey_waiting()
    }

    /// Ends the search if there is an answer and it is wanted.
    fn answer(&mut self) -> io::Result<()> {
        let Some(search) = self.search.take_if(|search| !search.held && search.answer.is_some())
        else {
            return Ok(());
        };
        let position = search.task.game.position();
        let text = match search.answer {
            Some(Ok(choice)) => {
                let news = (search.told.as_ref() != Some(&choice.info))
                    .then(|| write_info(&choice.info, position, self.options.show_wdl));
                news.unwrap_or_default() + &best_move(position, &choice)
            }
            Some(Err(error)) => excuse(position, &error),
            None => return Ok(()),
        };
        self.say(&text)
    }

    /// The input has ended: answers what is asked, then stops.
    fn finish(mut self) -> io::Result<()> {
        self.waiting.clear();
        self.stop()?;
        while self.search.is_some() {
            match self.desk.next() {
                Event::Info(info) => self.tell(info)?,
                Event::Done(thought) => drop(self.decided(thought)?),
                Event::Line(_) | Event::End => {}
            }
        }
        Ok(())
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")?;
        self.output.flush()
    }
}

/// The match to think about. Where the rules have declared a draw by what went before, the GUI may
/// still ask: then the position stands for itself.
fn playable(game: &AnyMatch) -> AnyMatch {
    if game.end().is_none() { game.clone() } else { AnyMatch::new(game.position().clone()) }
}

fn best_move(position: &AnyPosition, choice: &AnyChoice) -> String {
    let mut text = format!("bestmove {}", position.uci_move(choice.m));
    let line = choice.info.lines.first().map_or(&[][..], |line| &line.moves);
    if let [first, reply, ..] = line
        && *first == choice.m
    {
        text += &format!(" ponder {}", position.after(*first).uci_move(*reply));
    }
    text
}

/// The answer of a player that has none: any move is better than silence.
fn excuse(position: &AnyPosition, error: &PlayerError) -> String {
    let is_lost =
        position.outcome().is_some_and(|outcome| outcome.winner() == Some(!position.side()));
    let score = if is_lost { "mate 0" } else { "cp 0" };
    let m = position.moves().first().map(|&m| position.uci_move(m));
    let m = m.as_deref().unwrap_or("(none)");
    format!("info string {error}\ninfo depth 0 score {score}\nbestmove {m}")
}
