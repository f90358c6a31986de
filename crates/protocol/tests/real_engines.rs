//! The client with real engines: Stockfish, GNU Chess and GRhino.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tablero_chess::Chess;
use tablero_core::{
    AnyControl, AnyGame, AnyGameHistory, AnyInfo, AnyPosition, Game as _, GameEnd, Limits,
    Player as _, PlayerError, Protocol, Rng, Value,
};
use tablero_othello::Othello;
use tablero_protocol::{EngineCommand, ExternalPlayer};

const OTHELLO: AnyGame = AnyGame::of::<Othello>();
const CHESS: AnyGame = AnyGame::of::<Chess>();

fn uci(command: EngineCommand) -> Result<ExternalPlayer, PlayerError> {
    ExternalPlayer::start(CHESS, Protocol::Uci, command)
}

/// The installed engine. A missing one fails the test; only `TABLERO_SKIP_ENGINES=1` skips it.
fn find(name: &str) -> Option<EngineCommand> {
    find_or_skip(name, std::env::var_os("TABLERO_SKIP_ENGINES").is_some_and(|value| value == "1"))
}

/// The engine, or `None` if the test is to be skipped.
#[expect(clippy::print_stderr, reason = "a skipped test should not look like one that passed")]
fn find_or_skip(name: &str, skip: bool) -> Option<EngineCommand> {
    if skip {
        eprintln!("SKIPPED: TABLERO_SKIP_ENGINES is set");
        return None;
    }
    // Debian's folder of games is not on every PATH.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/games")])
        .map(|folder| folder.join(name))
        .find(|program| program.is_file());
    let Some(program) = program else {
        panic!(
            "{name} is not installed: apt-get install stockfish gnuchess grhino (script/test does), or \
             set TABLERO_SKIP_ENGINES=1 to skip the tests of real engines"
        );
    };
    Some(EngineCommand::new(program.to_str().expect("text")))
}

#[test]
#[should_panic(expected = "no-such-engine is not installed: apt-get install stockfish")]
fn a_missing_engine_fails_the_test() {
    let _ = find_or_skip("no-such-engine", false);
}

#[test]
fn engines_are_skipped_only_on_request() {
    assert_eq!(find_or_skip("no-such-engine", true), None);
}

fn with(command: EngineCommand, arguments: &[&str], options: &[(&str, &str)]) -> EngineCommand {
    let text = |&(name, value): &(&str, &str)| (name.into(), value.into());
    EngineCommand {
        arguments: arguments.iter().map(|&word| word.into()).collect(),
        options: options.iter().map(text).collect(),
        ..command
    }
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn milliseconds(time: u64) -> Limits {
    Limits { time: Some(Duration::from_millis(time)), ..Limits::default() }
}

/// Plays `player`, which moves first, against a random player; returns the game and the last search
/// information.
fn play(
    player: &mut ExternalPlayer,
    start: AnyPosition,
    limits: Limits,
    longest: usize,
) -> (AnyGameHistory, AnyInfo) {
    let (mut game, mut rng) = (AnyGameHistory::new(start), Rng::seeded(9));
    let side = game.position().side();
    let mut last = AnyInfo::default();
    player.new_game(0);
    while game.end().is_none() && game.plies() < longest {
        let m = if game.position().side() == side {
            let stop = AtomicBool::new(false);
            let mut report = |_: &AnyInfo| {};
            let mut control = AnyControl::new(&stop, &mut report);
            let choice = player.choose(&game, &limits, &mut control).expect("a move");
            last = choice.info;
            choice.m
        } else {
            game.position().random_move(&mut rng).expect("not over")
        };
        game.play(m).expect("legal");
    }
    (game, last)
}

fn won(game: &AnyGameHistory) -> bool {
    let winner = game.end().and_then(|end: GameEnd| end.outcome.winner());
    winner == Some(game.start().side())
}

#[test]
fn stockfish() {
    let Some(command) = find("stockfish") else { return };
    let command = with(command, &[], &[("hash", "8"), ("threads", "1"), ("MultiPV", "2")]);
    let mut player = uci(command).expect("an engine");
    assert!(player.name().starts_with("Stockfish"));
    let (game, info) = play(&mut player, CHESS.start(), nodes(2000), 300);
    assert!(won(&game));
    assert_eq!(info.lines[0].value.0, Value::WinIn(1));
    let start = AnyPosition::new(Chess::chess960(300).expect("a start"));
    let (game, _) = play(&mut player, start, depth(4), 300);
    assert!(won(&game));
}

#[test]
fn stockfish_with_limited_strength() {
    let Some(command) = find("stockfish") else { return };
    let strong = with(command.clone(), &[], &[("elo", "3500")]);
    let error = uci(strong).map(drop).unwrap_err();
    assert!(error.to_string().contains("has UCI_Elo from 1"), "{error}");
    let weak = with(command, &[], &[("elo", "1350")]);
    let mut player = uci(weak).expect("an engine");
    play(&mut player, CHESS.start(), nodes(500), 20);
}

#[test]
fn stockfish_is_stopped() {
    let Some(command) = find("stockfish") else { return };
    let mut player = uci(command).expect("an engine");
    let game = AnyGameHistory::new(CHESS.start());
    let only = &game.moves()[..2];
    let stop = AtomicBool::new(false);
    let mut report = |info: &AnyInfo| stop.store(info.depth >= 3, Ordering::Relaxed);
    let mut control = AnyControl::new(&stop, &mut report).with_searchmoves(only);
    let choice = player.choose(&game, &Limits::default(), &mut control).expect("a move");
    assert!(only.contains(&choice.m));
}

#[test]
fn stockfish_without_limits_uses_the_default() {
    let Some(mut command) = find("stockfish") else { return };
    command.default_limits.time = Some(Duration::from_millis(100));
    let mut player = uci(command).expect("an engine");
    let (game, stop) = (AnyGameHistory::new(CHESS.start()), AtomicBool::new(false));
    let result = player.choose(&game, &Limits::default(), &mut AnyControl::new(&stop, &mut |_| {}));
    // `go infinite` would never end.
    result.expect("a move");
}

#[test]
fn gnu_chess() {
    let Some(command) = find("gnuchess") else { return };
    let mut player = uci(with(command, &["--uci"], &[])).expect("an engine");
    let (game, _) = play(&mut player, CHESS.start(), depth(4), 300);
    assert!(won(&game));
    play(&mut player, CHESS.start(), milliseconds(200), 8);
}

#[test]
fn grhino() {
    let Some(command) = find("gtp-rhino") else { return };
    let command = with(command, &["--level=1"], &[]);
    let mut player = ExternalPlayer::start(OTHELLO, Protocol::Gtp, command).expect("an engine");
    assert_eq!(player.name(), "GTP GRhino");
    for _ in 0..2 {
        let (game, _) = play(&mut player, OTHELLO.start(), Limits::default(), 200);
        assert!(won(&game));
    }
    play(&mut player, OTHELLO.start(), milliseconds(200), 8);
}
