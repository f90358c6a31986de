use std::collections::VecDeque;
use std::io::{self, BufRead, Write};

use tablero_core::{
    AnyGameHistory, AnyInfo, AnyMove, AnyPosition, AnySearchResult, Limits, PlayerError, Value,
};

use super::command::{Command, Go, parse_position_command};
use super::info::format_info;
use super::options::{Effect, Options};
use crate::engine::{Engine, PlayerSlot};
use crate::engine_loop::{
    EngineLoop, Event, Finished, SearchHandle, SearchRequest, run_engine_loop,
};
use crate::queue::Line;

/// Runs `engine` over UCI until `quit` or the end of input; fails if the output fails or no player can be
/// built.
pub(crate) fn serve_uci(
    input: impl BufRead + Send,
    output: impl Write,
    engine: &Engine<'_>,
) -> io::Result<()> {
    let is_last = |line: &str| Command::parse(line) == Command::Quit;
    run_engine_loop(input, is_last, |engine_loop| {
        Session {
            engine_loop,
            output,
            engine,
            options: Options::new(engine),
            debug: false,
            player: PlayerSlot::new(engine),
            game: AnyGameHistory::new(engine.game.start()),
            search: None,
            deferred: VecDeque::new(),
        }
        .run()
    })
}

struct Session<'a, 'scope, 'env, W> {
    engine_loop: &'a mut EngineLoop<'scope, 'env>,
    output: W,
    engine: &'a Engine<'a>,
    options: Options,
    /// Report unknown commands (`debug on`).
    debug: bool,
    player: PlayerSlot<'a>,
    /// The game of the last `position`.
    game: AnyGameHistory,
    search: Option<Search>,
    /// Commands that must wait for the end of the search.
    deferred: VecDeque<Line>,
}

/// The search of a `go`.
struct Search {
    request: SearchRequest,
    handle: Option<SearchHandle>,
    /// Stop once a mate in this many moves is found (`go mate`).
    mate: Option<u32>,
    /// Limits that apply after `ponderhit`.
    ponder_limits: Option<Limits>,
    /// `bestmove` must wait for `stop` or `ponderhit` (infinite, ponder).
    waits_for_stop: bool,
    /// The last information sent.
    last_info: Option<AnyInfo>,
    result: Option<Result<AnySearchResult, PlayerError>>,
}

/// Whether a command must wait for the end of a search.
fn needs_idle(command: &Command<'_>) -> bool {
    matches!(
        command,
        Command::SetOption { .. } | Command::NewGame | Command::Position(_) | Command::Go(_)
    )
}

impl<W: Write> Session<'_, '_, '_, W> {
    fn run(mut self) -> io::Result<()> {
        loop {
            let proceed = match self.engine_loop.next()? {
                Event::Line(line) => self.receive(line)?,
                Event::Eof => return self.finish(),
                Event::Info(info) => self.send_info(info).map(|()| true)?,
                Event::Done(finished) => self.search_done(finished)?,
            };
            if !proceed {
                return Ok(());
            }
        }
    }

    /// Executes a line now or defers it; returns whether to continue.
    fn receive(&mut self, line: Line) -> io::Result<bool> {
        let command = Command::parse(&line);
        let is_busy = self.search.is_some();
        // The GUI may send `stop`, `position`, `go`, `stop` before our first `bestmove`: the second
        // `stop` belongs to the second search.
        let is_late =
            !self.deferred.is_empty() && matches!(command, Command::Stop | Command::PonderHit);
        if is_busy && command == Command::Stop {
            self.stop()?;
        }
        if is_busy && (needs_idle(&command) || is_late) {
            self.deferred.push_back(line);
            return self.execute_deferred();
        }
        self.execute(command)
    }

    /// Executes deferred commands as far as possible; returns whether to continue.
    fn execute_deferred(&mut self) -> io::Result<bool> {
        while let Some(line) = self.deferred.pop_front() {
            let command = Command::parse(&line);
            if self.search.is_some() && needs_idle(&command) {
                self.deferred.push_front(line);
                break;
            }
            if !self.execute(command)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Executes a command; returns whether to continue.
    fn execute(&mut self, command: Command<'_>) -> io::Result<bool> {
        match command {
            Command::Uci => self.handshake()?,
            Command::Debug(on) => self.debug = on,
            Command::IsReady => {
                if self.search.is_none() {
                    self.configure_player()?;
                }
                self.send("readyok")?;
            }
            Command::SetOption { name, value } => self.set_option(&name, &value)?,
            Command::NewGame => self.player.new_game(),
            Command::Position(text) => match parse_position_command(text, self.options.rules) {
                Ok(game) => self.game = game,
                Err(error) => self.send(&format!("info string invalid position: {error}"))?,
            },
            Command::Go(go) => self.go(&go)?,
            Command::Stop => self.stop()?,
            Command::PonderHit => self.ponder_hit()?,
            Command::Quit => return Ok(false),
            Command::Unknown if self.debug => self.send("info string unknown command")?,
            Command::Unknown => {}
        }
        Ok(true)
    }

    fn handshake(&mut self) -> io::Result<()> {
        let name = &self.engine.name;
        let mut lines = vec![format!("id name {name}"), "id author the Tablero authors".into()];
        lines.extend(self.options.declarations());
        lines.push("uciok".into());
        self.send(&lines.join("\n"))
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        match self.options.set(name, value) {
            Ok(Effect::Stored) => {}
            Ok(Effect::ClearHash) => self.player.new_game(),
            Ok(Effect::Rules) => self.game = AnyGameHistory::new(self.options.rules.start()),
            Err(error) => self.send(&format!("info string {error}"))?,
        }
        Ok(())
    }

    /// Rebuilds the player if options have changed.
    fn configure_player(&mut self) -> io::Result<()> {
        if let Err(error) = self.player.configure(&self.options.settings())? {
            self.send(&format!("info string cannot apply the options: {error}"))?;
        }
        Ok(())
    }

    fn go(&mut self, go: &Go<'_>) -> io::Result<()> {
        self.configure_player()?;
        let mut limits = go.limits(self.game.position(), self.options.move_overhead);
        let ponder_limits = go.ponder.then_some(limits);
        if go.ponder || go.infinite {
            (limits.time, limits.clock) = (None, None);
        }
        let request = SearchRequest {
            game: playable(&self.game),
            limits,
            searchmoves: self.parse_searchmoves(&go.searchmoves)?,
        };
        self.search = Some(Search {
            request,
            handle: None,
            mate: go.mate,
            ponder_limits,
            waits_for_stop: go.ponder || go.infinite,
            last_info: None,
            result: None,
        });
        self.start_search()
    }

    /// Starts the search of the current request.
    fn start_search(&mut self) -> io::Result<()> {
        let Some(search) = &mut self.search else {
            return Ok(());
        };
        if search.request.game.end().is_some() {
            search.result = Some(Err(PlayerError::GameOver));
        } else if let Some(player) = self.player.take() {
            search.handle = Some(self.engine_loop.start_search(player, search.request.clone())?);
        }
        self.send_bestmove()
    }

    /// The legal moves of `searchmoves`; `None` if there are none.
    fn parse_searchmoves(&mut self, words: &[&str]) -> io::Result<Option<Vec<AnyMove>>> {
        let mut moves = Vec::new();
        for word in words {
            match self.game.position().parse_uci_move(word) {
                Ok(m) if moves.contains(&m) => {}
                Ok(m) => moves.push(m),
                Err(error) => self.send(&format!("info string searchmoves: {error}"))?,
            }
        }
        Ok((!moves.is_empty()).then_some(moves))
    }

    fn stop(&mut self) -> io::Result<()> {
        if let Some(search) = &mut self.search {
            search.waits_for_stop = false;
            search.ponder_limits = None;
            if let Some(handle) = &search.handle {
                handle.stop();
            }
        }
        self.send_bestmove()
    }

    /// The opponent played the expected move. The search restarts with the clock's limits; what it found is in
    /// the transposition table. A finished search is answered at once.
    fn ponder_hit(&mut self) -> io::Result<()> {
        if let Some(search) = &mut self.search
            && let Some(limits) = search.ponder_limits
        {
            search.waits_for_stop = false;
            search.request.limits = limits;
            if let Some(handle) = &search.handle {
                handle.stop();
            }
        }
        self.send_bestmove()
    }

    /// Sends `info` lines.
    fn send_info(&mut self, info: AnyInfo) -> io::Result<()> {
        let Some(search) = &mut self.search else {
            return Ok(());
        };
        let text = format_info(&info, search.request.game.position(), self.options.show_wdl);
        let found = info.lines.first().map(|line| line.value.0);
        if let (Some(wanted), Some(Value::WinIn(moves)), Some(handle)) =
            (search.mate, found, &search.handle)
            && moves <= wanted
        {
            handle.stop();
        }
        search.last_info = Some(info);
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    /// Handles the end of a search; returns whether to continue.
    fn search_done(&mut self, finished: Finished) -> io::Result<bool> {
        self.player.put(finished.player);
        let Some(search) = &mut self.search else {
            return Ok(true);
        };
        search.handle = None;
        if !search.waits_for_stop && search.ponder_limits.take().is_some() {
            self.start_search()?;
            return Ok(true);
        }
        search.result = Some(finished.result);
        self.send_bestmove()?;
        self.execute_deferred()
    }

    /// Sends `bestmove` if the search is over and the GUI expects it.
    fn send_bestmove(&mut self) -> io::Result<()> {
        let Some(search) =
            self.search.take_if(|search| !search.waits_for_stop && search.result.is_some())
        else {
            return Ok(());
        };
        let position = search.request.game.position();
        let text = match search.result {
            Some(Ok(best)) => {
                let info = (search.last_info.as_ref() != Some(&best.info))
                    .then(|| format_info(&best.info, position, self.options.show_wdl));
                info.unwrap_or_default() + &best_move(position, &best)
            }
            Some(Err(error)) => fallback(position, &error),
            None => return Ok(()),
        };
        self.send(&text)
    }

    /// At the end of input: stops the search, sends its `bestmove`, and ends.
    fn finish(mut self) -> io::Result<()> {
        self.deferred.clear();
        self.stop()?;
        while self.search.is_some() {
            match self.engine_loop.next()? {
                Event::Info(info) => self.send_info(info)?,
                Event::Done(finished) => drop(self.search_done(finished)?),
                Event::Line(_) | Event::Eof => {}
            }
        }
        Ok(())
    }

    fn send(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")?;
        self.output.flush()
    }
}

/// The game to search. After a draw by history (repetition, fifty moves) the GUI may still analyse: then
/// the history is dropped.
fn playable(game: &AnyGameHistory) -> AnyGameHistory {
    if game.end().is_none() { game.clone() } else { AnyGameHistory::new(game.position().clone()) }
}

fn best_move(position: &AnyPosition, best: &AnySearchResult) -> String {
    let mut text = format!("bestmove {}", position.uci_move(best.m));
    let line = best.info.lines.first().map_or(&[][..], |line| &line.moves);
    if let [first, reply, ..] = line
        && *first == best.m
    {
        text += &format!(" ponder {}", position.after(*first).uci_move(*reply));
    }
    text
}

/// Output for a player that failed: some legal move, since a GUI waits for `bestmove`.
fn fallback(position: &AnyPosition, error: &PlayerError) -> String {
    let is_lost =
        position.outcome().is_some_and(|outcome| outcome.winner() == Some(!position.side()));
    let score = if is_lost { "mate 0" } else { "cp 0" };
    let m = position.moves().first().map(|&m| position.uci_move(m));
    let m = m.as_deref().unwrap_or("(none)");
    format!("info string {error}\ninfo depth 0 score {score}\nbestmove {m}")
}
