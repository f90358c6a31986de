use std::time::Instant;

use tablero_core::{
    AnyControl, AnyGame, AnyGameHistory, AnyInfo, AnyMove, AnyPosition, AnyRules, AnySearchResult,
    Limits,
};

use super::process::Process;
use super::{Driver, EngineCommand, Failure, MoveRequest, SearchWatch, invalid_response};
use crate::uci::{clock_index, parse_info};

/// Options that an engine may declare; bounds memory.
const MAX_OPTIONS: usize = 1000;

/// State of a UCI engine.
pub(super) struct Uci {
    options: Vec<UciOption>,
    /// Current rules.
    rules: AnyRules,
}

/// An option that the engine declared.
#[derive(Debug, PartialEq, Eq)]
struct UciOption {
    name: String,
    /// `min` and `max` of a spin option.
    range: Option<(i64, i64)>,
}

impl UciOption {
    /// Parses `option name ... type ...`.
    fn parse(line: &str) -> Option<Self> {
        let rest = line.trim().strip_prefix("option")?.trim_start().strip_prefix("name ")?;
        let (name, kind) = rest.split_once(" type ").unwrap_or((rest, ""));
        let words: Vec<&str> = kind.split_whitespace().collect();
        let bound = |which| {
            let at = words.iter().position(|&word| word == which)?;
            words.get(at + 1)?.parse().ok()
        };
        Some(Self { name: name.trim().into(), range: bound("min").zip(bound("max")) })
    }

    fn check(&self, value: &str) -> Result<(), String> {
        let Some((min, max)) = self.range else {
            return Ok(());
        };
        let number: Option<i64> = value.parse().ok();
        if number.is_some_and(|number| (min..=max).contains(&number)) {
            return Ok(());
        }
        Err(format!("has {} from {min} to {max}, not `{value}`", self.name))
    }
}

impl Uci {
    pub(super) const fn new(game: AnyGame) -> Self {
        Self { options: Vec::new(), rules: game.default_rules() }
    }

    fn find(&self, name: &str) -> Option<&UciOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    fn set(&self, process: &mut Process, name: &str, value: &str) -> Result<(), String> {
        let Some(option) = self.find(name) else {
            let names: Vec<&str> = self.options.iter().map(|option| option.name.as_str()).collect();
            return Err(format!("has no option `{name}`; its options: {}", names.join(", ")));
        };
        option.check(value)?;
        process.send(&format!("setoption name {} value {value}", option.name))
    }

    /// Sets the variant option if the game's rules differ from the current ones.
    fn set_rules(&mut self, process: &mut Process, rules: AnyRules) -> Result<(), String> {
        if rules == self.rules {
            return Ok(());
        }
        if let Some((name, value)) = rules.uci_option() {
            if self.find(name).is_none() {
                return Err(format!("does not support the rules `{rules}`"));
            }
            self.set(process, name, value)?;
        }
        self.rules = rules;
        Ok(())
    }
}

fn wait_ready(process: &mut Process, command: &EngineCommand) -> Result<(), String> {
    process.send("isready")?;
    process.wait_for("readyok", command.response_timeout(), |line| {
        (line.trim() == "readyok").then_some(())
    })
}

impl Driver for Uci {
    fn handshake(
        &mut self,
        process: &mut Process,
        command: &EngineCommand,
    ) -> Result<Option<String>, String> {
        *self = Self::new(self.rules.game());
        let mut name = None;
        process.send("uci")?;
        process.wait_for("uciok", command.response_timeout(), |line| {
            if let Some(text) = line.trim().strip_prefix("id name ") {
                name = Some(text.trim().to_owned());
            }
            self.options.extend(UciOption::parse(line));
            (line.trim() == "uciok" || self.options.len() > MAX_OPTIONS).then_some(())
        })?;
        if self.options.len() > MAX_OPTIONS {
            return Err(format!("has more than {MAX_OPTIONS} options"));
        }
        for (name, value) in &command.options {
            if name.eq_ignore_ascii_case("elo") && self.find("elo").is_none() {
                self.set(process, "UCI_LimitStrength", "true")?;
                self.set(process, "UCI_Elo", value)?;
            } else {
                self.set(process, name, value)?;
            }
        }
        wait_ready(process, command)?;
        Ok(name)
    }

    fn new_game(&mut self, process: &mut Process, command: &EngineCommand) -> Result<(), String> {
        process.send("ucinewgame")?;
        wait_ready(process, command)
    }

    fn choose(
        &mut self,
        process: &mut Process,
        request: &MoveRequest<'_>,
        control: &mut AnyControl<'_>,
    ) -> Result<AnySearchResult, Failure> {
        let position = request.game.position();
        self.set_rules(process, position.rules())?;
        process.send(&position_command(request.game))?;
        process.send(&go_command(position, &request.limits, control.searchmoves()))?;
        let mut watch = SearchWatch::new(request.command, Some("stop".into()), request.time());
        if request.limits.is_unlimited() {
            // `go infinite`
            watch.allowed = None;
        }
        let start = Instant::now();
        let mut info = AnyInfo::default();
        loop {
            let line = watch.line(process, control)?;
            if let Some(response) = line.trim().strip_prefix("bestmove") {
                let word = response.split_whitespace().next().unwrap_or_default();
                let m = position.parse_uci_move(word);
                let m = m.map_err(|error| invalid_response(&line, &error))?;
                info.time = start.elapsed();
                return Ok(AnySearchResult { m, info });
            }
            if parse_info(&line, position, &mut info) {
                control.report(&info);
            }
        }
    }
}

fn position_command(game: &AnyGameHistory) -> String {
    let start = game.start();
    let mut text = if *start == start.rules().start() {
        "position startpos".into()
    } else {
        format!("position fen {}", start.position_text())
    };
    for (index, (m, position)) in game.played().zip(game.positions()).enumerate() {
        text += if index == 0 { " moves " } else { " " };
        text += &position.uci_move(m);
    }
    text
}

fn go_command(position: &AnyPosition, limits: &Limits, searchmoves: Option<&[AnyMove]>) -> String {
    let mut text = String::from("go");
    let mut push = |name: &str, value: u128| text += &format!(" {name} {value}");
    if let Some(depth) = limits.depth {
        push("depth", depth.into());
    }
    if let Some(nodes) = limits.nodes {
        push("nodes", nodes.into());
    }
    if let Some(time) = limits.time {
        push("movetime", time.as_millis().max(1));
    }
    if let Some(clock) = limits.clock {
        // The opponent's clock is unknown: send ours for both, and first, for engines that parse only
        // one.
        let names = [["wtime", "winc"], ["btime", "binc"]];
        let own = clock_index(position);
        for [left, increment] in [names[own], names[1 - own]] {
            push(left, clock.left.as_millis().max(1));
            push(increment, clock.increment.as_millis());
        }
        if let Some(moves) = clock.moves_to_go {
            push("movestogo", moves.into());
        }
    }
    if limits.is_unlimited() {
        text += " infinite";
    }
    if let Some(searchmoves) = searchmoves {
        text += " searchmoves";
        for &m in searchmoves {
            text += " ";
            text += &position.uci_move(m);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tablero_chess::Chess;
    use tablero_core::{Clock, conformance};
    use tablero_othello::Othello;

    use super::*;

    const CHESS: AnyGame = AnyGame::of::<Chess>();

    #[test]
    fn options_are_parsed() {
        let read = |line| UciOption::parse(line).map(|option| (option.name, option.range));
        let spin = "option name UCI_Elo type spin default 1350 min 1350 max 2850";
        assert_eq!(read(spin), Some(("UCI_Elo".into(), Some((1350, 2850)))));
        assert_eq!(read("option name Clear Hash type button"), Some(("Clear Hash".into(), None)));
        assert_eq!(read("id name option"), None);
        let error = UciOption::parse(spin).expect("an option").check("1000");
        assert_eq!(error, Err("has UCI_Elo from 1350 to 2850, not `1000`".into()));
    }

    #[test]
    fn no_option_line_panics() {
        let samples: [&[u8]; 2] =
            [b"option name UCI_Elo type spin default 1 min -5 max 2850", b"option name Clear Hash"];
        conformance::check_reader(&samples, 5_000, 7, |bytes| {
            let line = String::from_utf8_lossy(bytes);
            let _ = UciOption::parse(&line).map(|option| option.check(&line));
        });
    }

    #[test]
    fn limits_become_go_parameters() {
        let start = CHESS.start();
        let e4 = start.parse_move("e4").expect("legal");
        assert_eq!(go_command(&start, &Limits::default(), None), "go infinite");
        let limits = Limits {
            depth: Some(3),
            nodes: Some(500),
            time: Some(Duration::from_micros(100)),
            clock: Some(Clock {
                left: Duration::from_secs(2),
                increment: Duration::from_millis(10),
                moves_to_go: Some(7),
            }),
        };
        assert_eq!(
            go_command(&start, &limits, Some(&[e4])),
            "go depth 3 nodes 500 movetime 1 wtime 2000 winc 10 btime 2000 binc 10 movestogo 7 \
             searchmoves e2e4"
        );
        let othello = go_command(&AnyGame::of::<Othello>().start(), &limits, None);
        assert!(othello.contains(" btime 2000 binc 10 wtime"));
    }

    #[test]
    fn games_become_position_commands() {
        let mut game = AnyGameHistory::new(CHESS.start());
        assert_eq!(position_command(&game), "position startpos");
        for text in ["e4", "e5"] {
            game.play(game.position().parse_move(text).expect("legal")).expect("legal");
        }
        assert_eq!(position_command(&game), "position startpos moves e2e4 e7e5");
        let text = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        let start = CHESS.default_rules().parse_position(text).expect("a FEN");
        let mut game = AnyGameHistory::new(start);
        game.play(game.position().parse_move("O-O").expect("legal")).expect("legal");
        assert_eq!(position_command(&game), format!("position fen {text} moves e1g1"));
    }
}
