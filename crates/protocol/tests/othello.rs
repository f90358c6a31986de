//! The NBoard and GTP engines, line by line.

#[path = "../examples/sample-engine/player.rs"]
mod sample;

use std::io::{BufRead as _, BufReader, PipeWriter, Write as _, pipe};

use tablero_core::{
    AnyGame, AnyGameHistory, AnyRecord, Game as _, Protocol, Rng, Side, conformance,
};
use tablero_othello::Othello;
use tablero_othello::files::ggf;
use tablero_protocol::serve;
use tablero_tictactoe::TicTacToe;

const OTHELLO: AnyGame = AnyGame::of::<Othello>();

fn session(protocol: Protocol, input: &[u8]) -> String {
    let mut output = Vec::new();
    serve(protocol, input, &mut output, &sample::engine(OTHELLO)).expect("no error");
    String::from_utf8(output).expect("text")
}

fn gtp(input: &str) -> String {
    session(Protocol::Gtp, input.as_bytes())
}

fn nboard(input: &str) -> String {
    session(Protocol::NBoard, input.as_bytes())
}

/// A random game up to a forced pass well before its end.
fn game_before_pass() -> AnyGameHistory {
    for seed in 0.. {
        let mut rng = Rng::seeded(seed);
        let mut game = AnyGameHistory::new(OTHELLO.start());
        while let Some(m) = game.position().random_move(&mut rng) {
            if game.position().move_text(m) == "pass" && game.plies() < 50 {
                return game;
            }
            game.play(m).expect("legal");
        }
    }
    unreachable!("some game has a pass")
}

fn gtp_moves(game: &AnyGameHistory) -> String {
    game.played()
        .zip(game.positions())
        .map(|(m, position)| {
            let color = OTHELLO.info().sides[position.side().index()];
            format!("play {color} {}\n", position.move_text(m))
        })
        .collect()
}

#[test]
fn gtp_responses_follow_the_specification() {
    let text = gtp(
        "protocol_version\n1 name\n\n# nothing\n2 known_command play # ok\nknown_command fly\n\
         boardsize 8\nboardsize 10\nfly\nplay\tblack\nkomi 0\nset_game Othello\nset_game Go\n7\n\
         99 quit\nname\n",
    );
    assert_eq!(
        text,
        "= 2\n\n=1 Sampler 1\n\n=2 true\n\n= false\n\n=\n\n? unacceptable size\n\n\
         ? unknown command\n\n? syntax error\n\n=\n\n=\n\n? unsupported game\n\n=99\n\n"
    );
    assert!(gtp("list_commands").contains("\ngenmove\n"));
}

#[test]
fn gtp_play_checks_legality() {
    let text =
        gtp("play b F5\nplay w f5\nplay white a1\nplay black d6\nplay x d6\nplay white i9\n");
    assert_eq!(
        text,
        "=\n\n? illegal move\n\n? illegal move\n\n? illegal move\n\n? syntax error\n\n? syntax error\n\n"
    );
    let text = gtp("play b f5\nshowboard\nundo\nundo\nfinal_score\n");
    assert!(text.contains("\n4 . . . O X . . .\n5 . . . X X X . .\n"), "{text}");
    assert!(text.contains("\nwhite to move\n\n"));
    assert!(text.ends_with("=\n\n? cannot undo\n\n? cannot score\n\n"));
}

#[test]
fn gtp_genmove_plays_a_whole_game() {
    let mut input = String::from("time_settings 0 1 100\ntime_left black 1 0\n");
    for _ in 0..35 {
        input += "genmove black\ngenmove white\n";
    }
    input += "final_score\nplay black pass\nquit\n";
    let text = gtp(&input);
    let answers: Vec<&str> = text.split("\n\n").collect();
    let mut game = AnyGameHistory::new(OTHELLO.start());
    for answer in &answers[2..72] {
        let name = answer.strip_prefix("= ").expect("a move");
        match game.end() {
            Some(_) => assert_eq!(name, "pass"),
            None => {
                let m = game.position().parse_move(name).expect("legal");
                game.play(m).expect("legal");
            }
        }
    }
    let margin = game.end().expect("over").outcome.margin().0;
    let score = match margin {
        0 => "= 0".into(),
        1.. => format!("= B+{margin}"),
        _ => format!("= W+{}", -margin),
    };
    assert_eq!(answers[72..74], [score.as_str(), "="]);
}

#[test]
fn gtp_forced_passes_may_be_omitted() {
    let mut game = game_before_pass();
    let side = game.position().side();
    let (passer, other) = match side {
        Side::First => ("black", "white"),
        Side::Second => ("white", "black"),
    };
    let moves = gtp_moves(&game);
    let last = |input: &str| gtp(input).trim_end().rsplit("\n\n").next().map(str::to_owned);
    assert_eq!(last(&format!("{moves}genmove {passer}")).as_deref(), Some("= pass"));
    assert_eq!(last(&format!("{moves}play {passer} pass")).as_deref(), Some("="));
    game.play(game.moves()[0]).expect("legal");
    let m = game.position().move_text(game.moves()[0]);
    assert_eq!(last(&format!("{moves}play {other} {m}")).as_deref(), Some("="));
    let answer = last(&format!("{moves}genmove {other}")).expect("an answer");
    assert!(game.position().parse_move(&answer[2..]).is_ok(), "{answer}");
    // A side that can move must not pass.
    assert_eq!(last("play white f5").as_deref(), Some("? illegal move"));
    assert!(last("genmove white").is_some_and(|answer| answer.starts_with('?')));
    assert_eq!(last("play black pass").as_deref(), Some("? illegal move"));
}

#[test]
fn nboard_go_sends_a_move() {
    let game = game_before_pass();
    let text =
        ggf::write(&AnyRecord::from_history(&game).downcast().expect("othello")).expect("a game");
    let text = nboard(&format!(
        "nboard 2\nset depth 1\nset contempt 3\nset game {text}go\nmove PA/1.5/2\ngo\nhello\nlearn\nping 12\n"
    ));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["set myname Sampler 1 1", "status thinking"]);
    assert!(lines[2].starts_with("search PA"));
    assert!(lines[3].starts_with("nodestats 1 "));
    assert!(lines[4].starts_with("=== PA/"));
    assert_eq!(lines[lines.len() - 3..], ["status", "learned", "pong 12"]);
    let answer = lines.iter().filter_map(|line| line.strip_prefix("=== ")).next_back();
    let name = answer.and_then(|answer| answer.split('/').next()).expect("a move");
    let mut game = game;
    game.play(game.moves()[0]).expect("a pass");
    assert!(game.position().parse_move(name).is_ok(), "{name}");
}

#[test]
fn nboard_accepts_moves_of_both_versions() {
    // Version 1 sends bare moves; forced passes may be omitted.
    let mut game = game_before_pass();
    let played = game.played().zip(game.positions());
    let moves: String = played.map(|(m, at)| at.move_text(m) + "\n").collect();
    game.play(game.moves()[0]).expect("a pass");
    let m = game.moves()[0];
    let name = game.position().move_text(m);
    game.play(m).expect("legal");
    let text = nboard(&format!("{moves}{name}\nmove z9\nset depth 1\ngo\n"));
    let answer = text.lines().find_map(|line| line.strip_prefix("=== ")).expect("a move");
    let name = answer.split('/').next().expect("a word");
    assert!(game.position().parse_move(name).is_ok(), "{name}");
    let text = nboard("set game (;GM[Othello]B[A1];)\n");
    assert!(text.starts_with("status invalid game: line 1, "), "{text}");
}

#[test]
fn nboard_analyzes_from_the_last_position() {
    // The input stays open, since its end would stop the analysis.
    let (their_input, mut input) = pipe().expect("a pipe");
    let (output, their_output) = pipe().expect("a pipe");
    let thread = std::thread::spawn(move || {
        let engine = sample::engine(OTHELLO);
        serve(Protocol::NBoard, BufReader::new(their_input), their_output, &engine)
    });
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let send = |input: &mut PipeWriter, text: &str| writeln!(input, "{text}").expect("a reader");
    send(&mut input, "set depth 2\nf5\nmove d6\nanalyze");
    let analysis: Vec<String> = lines
        .by_ref()
        .take_while(|line| line != "status")
        .filter_map(|line| Some(line.strip_prefix("analysis ")?.split(' ').next()?.to_owned()))
        .collect();
    assert_eq!(analysis, ["2", "1", "0"]);
    send(&mut input, "hint 3");
    let hints: Vec<String> = lines.by_ref().take_while(|line| line != "status").collect();
    assert_eq!(hints.iter().filter(|line| line.starts_with("search ")).count(), 6);
    // An unlimited hint is stopped by any line, a go only by a ping.
    for command in ["hint 2", "go", "analyze"] {
        send(&mut input, &format!("set depth 1000000000\n{command}"));
        assert!(lines.any(|line| line.starts_with("search ")));
        send(&mut input, "ping 5");
        let rest: Vec<String> = lines.by_ref().take_while(|line| line != "pong 5").collect();
        assert_eq!(rest.iter().any(|line| line.starts_with("=== ")), command == "go");
    }
    send(&mut input, "quit");
    thread.join().expect("no panic").expect("no error");
}

#[test]
fn end_of_input_stops_the_search() {
    assert!(nboard("set depth 1000000000\ngo\n").contains("\n=== "));
    assert!(nboard("set depth 1000000000\nanalyze\n").ends_with("status\n"));
    assert!(gtp("time_settings 1000000 0 0\ngenmove b\n").contains("\n\n= "));
}

#[test]
fn no_input_panics() {
    let samples: [&[u8]; 6] = [
        b"time_settings 10 5 3\ntime_left b 1 1\nplay b f5\ngenmove w\nundo\nshowboard\n",
        b"12 play black d3\nplay w pass\nreg_genmove white\nfinal_score\nclear_board\n",
        b"time_settings 1e99 1e99 4294967295\ntime_left w -5 0\ngenmove b\n",
        b"nboard 2\nset depth 2\nset game (;GM[Othello]TI[05:00/00:10/02:00]B[F5//1.2]W[D6];)\ngo\n",
        b"move F5/1.0/3\nhint 3\nanalyze\nping 3\nlearn\nset contempt 3\n",
        b"set game (;GM[Othello]TI[99999999999:99]B[F5//1e12];)\ngo\nF5\nPA\nquit\n",
    ];
    conformance::check_reader(&samples, 500, 6, |bytes| {
        for protocol in [Protocol::Gtp, Protocol::NBoard] {
            let engine = sample::engine(OTHELLO);
            serve(protocol, bytes, std::io::sink(), &engine).expect("no error");
        }
    });
}

#[test]
fn games_without_the_protocol_are_rejected() {
    let engine = sample::engine(AnyGame::of::<TicTacToe>());
    for protocol in [Protocol::NBoard, Protocol::Gtp] {
        let error = serve(protocol, &b"quit\n"[..], std::io::sink(), &engine).unwrap_err();
        let expected = format!("tictactoe does not support {protocol}; it supports uci");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn lines_of_input_are_bounded() {
    let long = "x".repeat((64 << 10) + 1);
    for (protocol, first, expected) in [
        (Protocol::Gtp, "name", "= Sampler 1\n\n"),
        (Protocol::Gtp, "genmove b", ""),
        (Protocol::NBoard, "ping 1", "pong 1\n"),
        (Protocol::NBoard, "go", "status thinking\n"),
    ] {
        let input = format!("{first}\n{long}\n{first}\n");
        let mut output = Vec::new();
        let result = serve(protocol, input.as_bytes(), &mut output, &sample::engine(OTHELLO));
        assert_eq!(result.unwrap_err().to_string(), "a line of input is longer than 64 KiB");
        let output = String::from_utf8(output).expect("text");
        assert!(output.starts_with(expected), "{output}");
    }
}
