//! The UCI engine, line by line.

#[path = "../examples/sample-engine/player.rs"]
mod sample;

use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _, pipe};
use std::thread::JoinHandle;

use tablero_chess::Chess;
use tablero_core::{
    AnyControl, AnyGame, AnyGameHistory, AnyInfo, AnyMove, AnyPosition, AnySearchResult, Limits,
    Player, PlayerError, Protocol, conformance, machine_memory, max_threads,
};
use tablero_othello::Othello;
use tablero_protocol::{Engine, EngineSettings, serve};
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

const CHESS: AnyGame = AnyGame::of::<Chess>();
const OTHELLO: AnyGame = AnyGame::of::<Othello>();
const SHOBU: AnyGame = AnyGame::of::<Shobu>();
const TICTACTOE: AnyGame = AnyGame::of::<TicTacToe>();

/// A client connected to an engine by a pair of pipes.
struct Client {
    input: Option<PipeWriter>,
    output: BufReader<PipeReader>,
    thread: JoinHandle<std::io::Result<()>>,
}

impl Client {
    fn new(game: AnyGame) -> Self {
        let (their_input, input) = pipe().expect("a pipe");
        let (output, their_output) = pipe().expect("a pipe");
        let thread = std::thread::spawn(move || {
            let engine = sample::engine(game);
            serve(Protocol::Uci, BufReader::new(their_input), their_output, &engine)
        });
        Self { input: Some(input), output: BufReader::new(output), thread }
    }

    fn send(&mut self, lines: &str) {
        let input = self.input.as_mut().expect("open");
        writeln!(input, "{lines}").expect("a reader");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("text");
        assert_ne!(line, "", "the engine ended");
        line.trim_end().into()
    }

    /// All lines up to the one that starts with `last`.
    fn until(&mut self, last: &str) -> Vec<String> {
        let mut lines = vec![self.line()];
        while !lines.last().is_some_and(|line| line.starts_with(last)) {
            lines.push(self.line());
        }
        lines
    }

    fn ask(&mut self, lines: &str, last: &str) -> Vec<String> {
        self.send(lines);
        self.until(last)
    }

    /// Closes the input; returns the rest of the output.
    fn end(mut self) -> String {
        drop(self.input.take());
        self.rest()
    }

    fn rest(mut self) -> String {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).expect("text");
        self.thread.join().expect("no panic").expect("no error");
        rest
    }
}

/// The output of a session with this input.
fn session(game: AnyGame, input: &str) -> String {
    let mut output = Vec::new();
    serve(Protocol::Uci, input.as_bytes(), &mut output, &sample::engine(game)).expect("no error");
    String::from_utf8(output).expect("text")
}

/// The largest table that the machine has the memory for.
fn max_hash_mb() -> u64 {
    machine_memory().map_or(65_536, |bytes| (bytes >> 20).min(65_536))
}

#[test]
fn handshake_sends_id_and_options() {
    let text = session(CHESS, "uci\nquit\n");
    assert!(text.starts_with("id name Sampler 1\nid author "));
    assert!(text.ends_with("\nuciok\n"));
    let (hash, threads) = (max_hash_mb(), max_threads());
    for option in [
        &format!("Hash type spin default 16 min 1 max {hash}"),
        "Clear Hash type button",
        &format!("Threads type spin default 1 min 1 max {threads}"),
        "MultiPV type spin default 1 min 1 max 256",
        "Ponder type check default false",
        "UCI_LimitStrength type check default false",
        "UCI_Elo type spin default 500 min 500 max 1500",
        "UCI_ShowWDL type check default false",
        "UCI_Chess960 type check default false",
    ] {
        assert!(text.contains(&format!("option name {option}\n")), "{option}");
    }
    assert!(!text.contains("UCI_Variant"));
    let shobu = session(SHOBU, "uci\n");
    assert!(shobu.contains("option name UCI_Variant type combo default shobu var shobu\n"));
    assert!(shobu.contains("option name Rules type combo default official var official var "));
    assert!(!session(OTHELLO, "uci\n").contains("option name Rules"));
}

#[test]
fn bestmove_is_legal_in_every_game() {
    for game in [CHESS, OTHELLO, SHOBU, TICTACTOE] {
        let mut client = Client::new(game);
        let lines = client.ask("isready\nposition startpos\ngo depth 3", "bestmove");
        assert_eq!(lines[0], "readyok");
        assert!(lines[1].starts_with("info depth 1 seldepth 1 multipv 1 score cp "));
        let last = lines.last().expect("a line");
        let words: Vec<&str> = last.split(' ').collect();
        let ["bestmove", m, "ponder", reply] = words[..] else {
            panic!("{last}");
        };
        let start = game.start();
        let m = start.parse_uci_move(m).expect("legal");
        start.after(m).parse_uci_move(reply).expect("legal");
        client.send("quit");
        assert_eq!(client.rest(), "");
    }
}

#[test]
fn multipv_and_wdl_are_reported() {
    let mut client = Client::new(CHESS);
    client.send("setoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true");
    let lines = client.ask("position startpos moves e2e4\ngo depth 1", "bestmove");
    assert_eq!(lines.len(), 4);
    assert!(lines[2].starts_with("info depth 1 seldepth 1 multipv 3 score cp "));
    assert!(lines.iter().take(3).all(|line| line.contains(" wdl ")));
    assert_eq!(client.end(), "");
}

#[test]
fn searchmoves_restricts_the_root_moves() {
    let mut client = Client::new(CHESS);
    client.send("setoption name MultiPV value 9");
    let lines = client.ask("go searchmoves a2a3 h2h4 x a2a3 nodes 20", "bestmove");
    assert!(lines[0].starts_with("info string searchmoves: line 1, column 1: found `x`"));
    let firsts = lines.iter().filter_map(|line| line.split_once(" pv "));
    assert!(firsts.clone().count() > 2);
    for (_, line) in firsts {
        assert!(line.starts_with("a2a3 ") || line.starts_with("h2h4 "), "{line}");
    }
    assert_eq!(client.end(), "");
}

#[test]
fn infinite_waits_for_stop() {
    let mut client = Client::new(CHESS);
    client.ask("position startpos\ngo infinite", "info depth 3");
    let lines = client.ask("isready", "readyok");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    client.ask("stop", "bestmove ");
    // Even if there is nothing to search.
    client.send("position fen 7k/5KQ1/8/8/8/8/8/8 b - - 0 1\ngo infinite");
    assert_eq!(client.ask("isready", "readyok"), ["readyok"]);
    let lines = client.ask("stop", "bestmove");
    assert!(lines.contains(&"info depth 0 score mate 0".to_owned()), "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("bestmove (none)"));
    assert_eq!(client.end(), "");
}

#[test]
fn ponder_waits_for_ponderhit_or_stop() {
    let mut client = Client::new(CHESS);
    let go = "position startpos moves e2e4 e7e5\ngo ponder wtime 400 btime 400";
    client.ask(go, "info depth 3");
    let lines = client.ask("isready", "readyok");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    client.ask("ponderhit", "bestmove ");
    // The GUI may also stop it.
    client.ask(go, "info depth 2");
    client.ask("stop", "bestmove ");
    // Or send ponderhit after the search has ended.
    client.ask("go ponder depth 2", "info depth 2");
    assert_eq!(client.ask("isready", "readyok").pop().as_deref(), Some("readyok"));
    client.ask("ponderhit", "bestmove ");
    assert_eq!(client.end(), "");
}

#[test]
fn commands_wait_for_the_end_of_a_search() {
    let mut client = Client::new(CHESS);
    client.send("go infinite\nstop\nposition startpos moves e2e4\ngo infinite\nstop\ngo depth 1");
    client.send("position startpos\nsetoption name MultiPV value 2\ngo depth 1\nisready");
    let text = client.end();
    // At the end of input deferred commands are dropped, but a running search is answered.
    assert!(text.matches("bestmove").count() >= 1, "{text}");
    let mut client = Client::new(CHESS);
    client.send("go infinite\nstop\nposition startpos moves e2e4\ngo infinite\nstop\ngo depth 1");
    let answers: Vec<String> =
        (0..3).map(|_| client.until("bestmove").pop().expect("a line")).collect();
    let is_white = |answer: &String| "12".contains(&answer[10..11]);
    assert_eq!(answers.iter().map(is_white).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(client.end(), "");
}

#[test]
fn end_of_input_stops_the_search() {
    for go in ["go infinite", "go ponder wtime 1 btime 1", "go depth 100000000"] {
        let text = session(CHESS, &format!("position startpos\n{go}\n"));
        assert!(text.contains("\nbestmove "), "{text}");
    }
    assert_eq!(session(CHESS, ""), "");
    assert!(!session(CHESS, "go infinite\nquit\nuci\n").contains("uciok"));
}

#[test]
fn errors_are_reported_and_not_fatal() {
    let mut client = Client::new(CHESS);
    let lines = client.ask("position startpos moves e2e5\ngo depth 1", "bestmove");
    assert!(lines[0].starts_with("info string invalid position: line 1, column 16: "));
    let lines = client.ask("setoption name Hash value 0\nisready", "readyok");
    assert_eq!(
        lines[0],
        format!(
            "info string invalid value `0` for Hash: expected a number from 1 to {}",
            max_hash_mb()
        )
    );
    let more = format!("setoption name Threads value {}\nisready", max_threads() + 1);
    let lines = client.ask(&more, "readyok");
    assert!(lines[0].contains("for Threads: expected a number from 1 to"), "{lines:?}");
    let lines = client.ask("setoption name Foo\nisready", "readyok");
    assert!(lines[0].starts_with("info string no such option: `Foo`"));
    let lines = client.ask("setoption name Hash value 13\nisready", "readyok");
    assert!(lines[0].contains("13 MB are not supported"), "{lines:?}");
    client.ask("go depth 1", "bestmove ");
    let lines = client.ask("hello\ndebug on\nhello\nisready", "readyok");
    assert_eq!(lines, ["info string unknown command", "readyok"]);
    assert_eq!(client.end(), "");
}

#[test]
fn plays_chess960_and_other_rules() {
    let mut client = Client::new(CHESS);
    client.send("setoption name UCI_Chess960 value true");
    client.send("position fen 4k3/8/8/8/8/8/8/5KR1 w G - 0 1");
    let lines = client.ask("go depth 1 searchmoves f1g1", "bestmove");
    assert!(lines.last().is_some_and(|line| line.starts_with("bestmove f1g1")));
    assert_eq!(client.end(), "");
    let mut client = Client::new(SHOBU);
    client.send("setoption name UCI_Variant value shobu\nsetoption name Rules value across");
    client.ask("position startpos\ngo depth 1", "bestmove");
    assert_eq!(client.end(), "");
}

#[test]
fn a_draw_by_rule_can_still_be_analysed() {
    let repeat = "g1f3 g8f6 f3g1 f6g8 ".repeat(5);
    let lines = session(CHESS, &format!("position startpos moves {repeat}\ngo depth 1\n"));
    assert!(lines.contains("multipv 1 score cp"));
    let dead = session(CHESS, "position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1\ngo depth 1\n");
    assert!(dead.contains("info depth 0 score cp 0\nbestmove e1"), "{dead}");
}

/// A player with a fixed result.
struct Broken(Result<AnyMove, PlayerError>);

impl Player<AnyPosition> for Broken {
    fn choose(
        &mut self,
        _: &AnyGameHistory,
        _: &Limits,
        _: &mut AnyControl<'_>,
    ) -> Result<AnySearchResult, PlayerError> {
        self.0.clone().map(|m| AnySearchResult { m, info: AnyInfo::default() })
    }

    fn new_game(&mut self, _: u64) {}
}

#[test]
fn a_failed_search_still_sends_a_legal_bestmove() {
    for (answer, info) in [
        (Err(PlayerError::Resigned), "the player resigns"),
        (Ok(AnyMove::ILLEGAL), "the player chose an illegal move"),
    ] {
        let engine = Engine {
            game: CHESS,
            name: "Broken".into(),
            make_player: Box::new(move |_| Ok(Box::new(Broken(answer.clone())))),
            settings: EngineSettings::default(),
            elo: None,
            default_limits: Limits::default(),
            seed: 0,
        };
        let mut output = Vec::new();
        serve(Protocol::Uci, &b"uci\ngo depth 1\n"[..], &mut output, &engine).expect("no error");
        let text = String::from_utf8(output).expect("text");
        assert!(text.contains(&format!("info string {info}\n")), "{text}");
        let m = text.trim_end().rsplit(' ').next().expect("a word");
        CHESS.start().parse_uci_move(m).expect("a legal move");
        assert!(!text.contains("UCI_Elo"));
    }
}

#[test]
fn no_input_panics() {
    let samples: [&[u8]; 4] = [
        b"uci\nisready\nposition startpos moves f5 d6\ngo depth 1\n",
        b"setoption name MultiPV value 3\ngo infinite\nstop\nponderhit\n",
        b"go ponder wtime 10 btime 10\nponderhit\nposition startpos\ngo nodes 5 searchmoves f5\n",
        b"ucinewgame\nsetoption name UCI_Elo value 700\ndebug on\ngo mate 2\nquit\n",
    ];
    conformance::check_reader(&samples, 400, 5, |bytes| {
        let mut output = Vec::new();
        serve(Protocol::Uci, bytes, &mut output, &sample::engine(OTHELLO)).expect("no error");
    });
}

#[test]
fn lines_of_input_are_bounded() {
    let serve_input = |input: String| {
        let mut output = Vec::new();
        let result = serve(Protocol::Uci, input.as_bytes(), &mut output, &sample::engine(CHESS));
        (result, String::from_utf8(output).expect("text"))
    };
    let line = |length: usize| format!("isready\n{}\nisready\n", "x".repeat(length));
    let (result, output) = serve_input(line(64 << 10));
    result.expect("no error");
    assert_eq!(output, "readyok\nreadyok\n");
    let (result, output) = serve_input(line((64 << 10) + 1));
    assert_eq!(result.unwrap_err().to_string(), "a line of input is longer than 64 KiB");
    assert_eq!(output, "readyok\n");
    // During a search.
    let (result, _) = serve_input(format!("go infinite\n{}", line(1 << 20)));
    result.unwrap_err();
}
