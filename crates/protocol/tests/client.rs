//! The client, with the sample engine and with misbehaving ones.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tablero_chess::Chess;
use tablero_core::{
    AnyControl, AnyGame, AnyGameHistory, AnyInfo, AnyPosition, AnySearchResult, Clock, Game as _,
    Limits, Player as _, PlayerError, Protocol, Rng,
};
use tablero_othello::Othello;
use tablero_protocol::{EngineCommand, ExternalPlayer};
use tablero_shobu::Shobu;

const CHESS: AnyGame = AnyGame::of::<Chess>();
const OTHELLO: AnyGame = AnyGame::of::<Othello>();
const SHOBU: AnyGame = AnyGame::of::<Shobu>();

fn uci(game: AnyGame, command: EngineCommand) -> Result<ExternalPlayer, PlayerError> {
    ExternalPlayer::start(game, Protocol::Uci, command)
}

fn nboard(command: EngineCommand) -> Result<ExternalPlayer, PlayerError> {
    ExternalPlayer::start(OTHELLO, Protocol::NBoard, command)
}

fn gtp(command: EngineCommand) -> Result<ExternalPlayer, PlayerError> {
    ExternalPlayer::start(OTHELLO, Protocol::Gtp, command)
}

fn chess960(number: u32) -> AnyPosition {
    AnyPosition::new(Chess::chess960(number).expect("a start"))
}

fn sample(arguments: &[&str]) -> EngineCommand {
    // Next to the folder of this test's own program.
    let test = std::env::current_exe().expect("a path");
    let folder = test.ancestors().nth(2).expect("a folder");
    let program = folder.join("examples").join("sample-engine");
    assert!(program.exists(), "run: cargo build -p tablero-protocol --examples");
    EngineCommand {
        arguments: arguments.iter().map(|&word| word.into()).collect(),
        ..EngineCommand::new(program.to_str().expect("text"))
    }
}

/// An engine in shell: `case` patterns on each line, `$l`.
fn script(cases: &str) -> EngineCommand {
    let script = format!("while read -r l; do case \"$l\" in {cases} esac; done");
    EngineCommand {
        arguments: vec!["-c".into(), script],
        timeout: Duration::from_millis(1500),
        ..EngineCommand::new("/bin/sh")
    }
}

const UCI_HANDSHAKE: &str = "uci) echo id name Odd; echo uciok;; isready) echo readyok;;";

/// Less than the minute that hanging engines sleep, more than a loaded machine takes.
const HANG: Duration = Duration::from_secs(30);

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn choose(
    player: &mut ExternalPlayer,
    game: &AnyGameHistory,
    limits: Limits,
) -> Result<AnySearchResult, PlayerError> {
    let stop = AtomicBool::new(false);
    player.choose(game, &limits, &mut AnyControl::new(&stop, &mut |_| {}))
}

fn failure(result: Result<AnySearchResult, PlayerError>) -> String {
    match result {
        Err(error @ PlayerError::Failed { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

fn timeout(result: Result<AnySearchResult, PlayerError>) -> String {
    match result {
        Err(PlayerError::Timeout { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}

/// A game with random moves.
fn random_match(start: AnyPosition, plies: usize) -> AnyGameHistory {
    let mut rng = Rng::seeded(4);
    let mut game = AnyGameHistory::new(start);
    while game.plies() < plies {
        let m = game.position().random_move(&mut rng).expect("not over");
        game.play(m).expect("legal");
    }
    game
}

/// Plays against itself up to the end of the game or `plies`.
fn play_on(player: &mut ExternalPlayer, game: &mut AnyGameHistory, plies: usize) {
    player.new_game(1);
    while game.end().is_none() && game.plies() < plies {
        let choice = choose(player, game, depth(1)).expect("a move");
        game.play(choice.m).expect("legal");
    }
}

#[test]
fn client_plays_the_sample_engine_over_uci() {
    fn check(start: AnyPosition) {
        let game = start.game();
        let mut player = uci(game, sample(&["uci", game.name()])).expect("an engine");
        assert_eq!(player.name(), "Sampler 1");
        let mut game = AnyGameHistory::new(start.clone());
        play_on(&mut player, &mut game, 100);
        assert!(game.plies() > 20);
        // From another start position.
        let mut game = AnyGameHistory::new(random_match(start, 10).position().clone());
        play_on(&mut player, &mut game, 8);
    }
    check(CHESS.start());
    check(chess960(77));
    check(OTHELLO.start());
    check(SHOBU.rules("across").expect("rules").start());
}

#[test]
fn client_plays_the_sample_engine_over_nboard_and_gtp() {
    let start = OTHELLO.start();
    let mut nboard = nboard(sample(&["nboard", "othello"])).expect("an engine");
    assert_eq!(nboard.name(), "Sampler 1 12");
    let mut gtp = gtp(sample(&["gtp", "othello"])).expect("an engine");
    assert_eq!(gtp.name(), "Sampler 1");
    for _ in 0..2 {
        for player in [&mut nboard, &mut gtp] {
            let mut game = AnyGameHistory::new(start.clone());
            play_on(player, &mut game, 200);
            assert!(game.end().is_some());
            // Also after taking back moves.
            while game.plies() > 50 {
                game.undo();
            }
            play_on(player, &mut game, 52);
        }
    }
    let info = choose(&mut nboard, &random_match(start.clone(), 5), depth(3)).expect("a move").info;
    assert_eq!((info.depth, info.lines.len()), (3, 1));
    assert!(info.nodes > 0);
    // NBoard supports other start positions, GTP does not.
    let game = AnyGameHistory::new(random_match(start, 7).position().clone());
    choose(&mut nboard, &game, depth(1)).expect("a move");
    assert!(failure(choose(&mut gtp, &game, depth(1))).contains("standard start position"));
}

#[test]
fn a_forced_pass_needs_no_engine() {
    let text = format!("OX{} X", "-".repeat(62));
    let game =
        AnyGameHistory::new(OTHELLO.default_rules().parse_position(&text).expect("a position"));
    let mut player = gtp(sample(&["gtp", "othello"])).expect("an engine");
    let choice = choose(&mut player, &game, Limits::default()).expect("a pass");
    assert_eq!(game.position().move_text(choice.m), "pass");
}

#[test]
fn info_is_forwarded_and_searchmoves_respected() {
    let command = EngineCommand {
        options: vec![("multipv".into(), "2".into())],
        limits: Limits { nodes: Some(100), ..Limits::default() },
        ..sample(&["uci", "chess"])
    };
    let mut player = uci(CHESS, command).expect("an engine");
    let game = AnyGameHistory::new(CHESS.start());
    let only: Vec<_> = game.moves().into_iter().take(2).collect();
    let mut infos = Vec::new();
    let mut report = |info: &AnyInfo| infos.push(info.clone());
    let stop = AtomicBool::new(false);
    let mut control = AnyControl::new(&stop, &mut report).with_searchmoves(&only);
    let choice = player.choose(&game, &Limits::default(), &mut control).expect("a move");
    assert!(only.contains(&choice.m));
    assert_eq!(choice.info.lines.len(), 2);
    assert_eq!(choice.info.depth, 50);
    assert!(infos.len() >= 50 && infos[0].depth == 1);
    // NBoard cannot restrict the root moves, but detects a violation.
    let mut player = nboard(sample(&["nboard", "othello"])).expect("an engine");
    let game = AnyGameHistory::new(OTHELLO.start());
    let stop = AtomicBool::new(false);
    let results: Vec<_> = game
        .moves()
        .iter()
        .map(|&m| {
            let (only, mut report) = ([m], |_: &AnyInfo| {});
            let mut control = AnyControl::new(&stop, &mut report).with_searchmoves(&only);
            player.choose(&game, &depth(1), &mut control)
        })
        .collect();
    assert!(results.iter().any(Result::is_err));
}

#[test]
fn time_and_clock_limit_the_engine() {
    let clock =
        Clock { left: Duration::from_millis(400), increment: Duration::ZERO, moves_to_go: None };
    let game = random_match(OTHELLO.start(), 4);
    for limits in [
        Limits { time: Some(Duration::from_millis(20)), ..Limits::default() },
        Limits { clock: Some(clock), ..Limits::default() },
    ] {
        let mut uci = uci(OTHELLO, sample(&["uci", "othello"])).expect("an engine");
        let mut nboard = nboard(sample(&["nboard", "othello"])).expect("an engine");
        let mut gtp = gtp(sample(&["gtp", "othello"])).expect("an engine");
        for player in [&mut uci, &mut nboard, &mut gtp] {
            choose(player, &game, limits).expect("a move");
        }
    }
}

#[test]
fn an_engine_is_stopped() {
    let game = random_match(OTHELLO.start(), 4);
    let mut uci = uci(OTHELLO, sample(&["uci", "othello"])).expect("an engine");
    let mut nboard = nboard(sample(&["nboard", "othello"])).expect("an engine");
    for (player, limits) in [(&mut uci, Limits::default()), (&mut nboard, depth(1_000_000_000))] {
        for _ in 0..2 {
            let stop = AtomicBool::new(false);
            let mut report = |_: &AnyInfo| stop.store(true, Ordering::Relaxed);
            let choice = player.choose(&game, &limits, &mut AnyControl::new(&stop, &mut report));
            assert!(choice.is_ok(), "{choice:?}");
        }
    }
    // GTP has no stop: the engine is killed.
    let limits = Limits { time: Some(Duration::from_secs(60)), ..Limits::default() };
    let mut gtp = gtp(sample(&["gtp", "othello"])).expect("an engine");
    let stop = AtomicBool::new(true);
    let choice = gtp.choose(&game, &limits, &mut AnyControl::new(&stop, &mut |_| {}));
    assert!(failure(choice).contains("cannot be stopped"));
    choose(&mut gtp, &game, depth(1)).expect("started again");
}

#[test]
fn options_are_checked() {
    let start = |name: &str, value: &str| {
        let options = vec![(name.into(), value.into())];
        let command = EngineCommand { options, ..sample(&["uci", "chess"]) };
        uci(CHESS, command).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(start("elo", "700"), Ok(()));
    assert_eq!(
        start("elo", "100"),
        Err("sample-engine has UCI_Elo from 500 to 1500, not `100`".into())
    );
    assert_eq!(start("move overhead", "5"), Ok(()));
    let error = start("level", "3").unwrap_err();
    assert!(
        error.starts_with("sample-engine has no option `level`; its options: Hash, Clear Hash, ")
    );
    let options = vec![("level".into(), "3".into())];
    let gtp = gtp(EngineCommand { options, ..sample(&["gtp", "othello"]) });
    assert!(gtp.is_err_and(|error| error.to_string().contains("GTP has none")));
}

#[test]
fn other_games_and_unsupported_protocols_are_errors() {
    let start = |game, protocol| {
        let player = ExternalPlayer::start(game, protocol, sample(&["uci", "chess"]));
        player.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(
        start(CHESS, Protocol::Gtp),
        Err("sample-engine cannot be used: chess does not support gtp; it supports uci".into())
    );
    assert!(start(SHOBU, Protocol::NBoard).is_err());
    let mut player = uci(CHESS, sample(&["uci", "chess"])).expect("an engine");
    let error = failure(choose(&mut player, &AnyGameHistory::new(OTHELLO.start()), depth(1)));
    assert_eq!(error, "Sampler 1 was started for chess, not for othello");
    choose(&mut player, &AnyGameHistory::new(CHESS.start()), depth(1)).expect("a move");
}

#[test]
fn start_errors_name_the_program() {
    let start = |command| uci(CHESS, command).map(drop).unwrap_err().to_string();
    let error = start(EngineCommand::new("/no/such/engine"));
    assert!(error.starts_with("engine cannot be started: "), "{error}");
    let mut complains = script("");
    complains.arguments[1] = "echo no licence >&2; exit 3".into();
    let error = start(complains);
    assert_eq!(error, "sh ended (exit status: 3), stderr: `no licence`");
    let error = start(script("*) ;;"));
    assert_eq!(error, "sh did not send uciok within 1.5 s");
}

#[test]
fn failed_engines_are_restarted() {
    let game = AnyGameHistory::new(CHESS.start());
    let odd = |cases: &str| {
        let command = script(&format!("{UCI_HANDSHAKE} {cases}"));
        uci(CHESS, command).expect("a handshake")
    };
    for (cases, what) in [
        ("go*) exit 3;;", "Odd ended (exit status: 3)"),
        ("go*) kill -9 $$;;", "Odd ended (signal: 9 (SIGKILL))"),
        ("go*) echo bestmove e2e5;;", "Odd answered `bestmove e2e5`: line 1, column 1: "),
        ("go*) echo bestmove;;", "Odd answered `bestmove`: "),
        ("go*) printf 'bestmove \\377\\n';;", "Odd answered `bestmove \u{fffd}`: "),
        ("ucinewgame) exec >&-;;", "Odd closed its output"),
    ] {
        let mut player = odd(cases);
        for _ in 0..2 {
            let error = failure(choose(&mut player, &game, depth(1)));
            assert!(error.starts_with(what), "{error}");
        }
    }
    for cases in ["go*) exec sleep 60;;", "go*) while :; do echo info; done;;"] {
        let what = timeout(choose(&mut odd(cases), &game, depth(1)));
        assert_eq!(what, "no move within 1.5 s");
    }
    let mut wrong = odd("go*) echo 'info depth x score cp y pv'; echo bestmove e2e4;;");
    choose(&mut wrong, &game, depth(1)).expect("a move");
    assert!(
        failure(choose(&mut wrong, &AnyGameHistory::new(chess960(1)), depth(1)))
            .contains("does not support the rules `chess960`")
    );
}

#[test]
fn misbehaving_othello_engines_fail() {
    let game = AnyGameHistory::new(OTHELLO.start());
    let gtp_choice = |cases: &str| {
        let command = script(&format!("{cases} *) printf '= \\n\\n';;"));
        let mut player = gtp(command).expect("a handshake");
        choose(&mut player, &game, depth(1))
    };
    assert_eq!(gtp_choice("genmove*) printf '= resign\\n\\n';;"), Err(PlayerError::Resigned));
    assert!(failure(gtp_choice("genmove*) printf '= A1\\n\\n';;")).contains("answered `A1`: "));
    assert!(
        failure(gtp_choice("genmove*) printf '? no\\n\\n';;")).ends_with("sh refused to move: no")
    );
    assert_eq!(timeout(gtp_choice("genmove*) exec sleep 60;;")), "no move within 1.5 s");
    let nboard_choice = |cases: &str| {
        let command = script(&format!("ping*) echo pong 7;; {cases}"));
        let mut player = nboard(command).expect("a handshake");
        choose(&mut player, &game, depth(1))
    };
    let choice =
        nboard_choice("go) echo 'search F5D6 2.50 0 7'; echo '=== f5 2.5 0.1';;").expect("a move");
    assert_eq!(choice.info.lines[0].moves.len(), 2);
    assert_eq!(
        nboard_choice("go) echo '=== D3';;").map(|choice| game.position().move_text(choice.m)),
        Ok("d3".into())
    );
    assert!(failure(nboard_choice("go) echo '=== A1/1/1';;")).contains("answered `=== A1/1/1`: "));
    assert!(failure(nboard_choice("go) exit 1;;")).contains("ended (exit status: 1)"));
}

/// Whether the process exists, even as a zombie.
fn exists(pid: &str) -> bool {
    PathBuf::from("/proc").join(pid).exists()
}

#[test]
#[cfg(target_os = "linux")]
fn no_process_is_left_behind() {
    for last in ["quit) exit 0;;", "quit) trap '' TERM INT; while :; do sleep 1; done;;"] {
        let mut command = script(&format!("{UCI_HANDSHAKE} {last}"));
        command.arguments[1] = command.arguments[1].replace("id name Odd", "id name $$");
        let player = uci(CHESS, command).expect("a handshake");
        let pid = player.name().to_owned();
        assert!(exists(&pid));
        drop(player);
        assert!(!exists(&pid), "{last}");
    }
}

/// Whether the process runs; a zombie does not.
fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(PathBuf::from("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

/// Many engines are started by a shell script, like Debian's `gnuchessu`.
#[test]
#[cfg(target_os = "linux")]
fn an_engine_behind_a_script_is_killed() {
    let mut command = script(&format!("{UCI_HANDSHAKE} quit) while :; do sleep 1; done;;"));
    let engine = command.arguments[1].replace("id name Odd", "id name $$");
    command.arguments = vec!["-c".into(), "sh -c \"$1\"; :".into(), "sh".into(), engine];
    let player = uci(CHESS, command).expect("a handshake");
    let pid = player.name().to_owned();
    assert!(is_running(&pid));
    drop(player);
    let end = Instant::now() + HANG;
    while is_running(&pid) {
        assert!(Instant::now() < end, "the engine still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_flood_on_stderr_does_not_block() {
    let flood = "uci) i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789 \
                 >&2; i=$((i+1)); done; echo uciok;; isready) echo readyok;; go*) echo bestmove e2e4;;";
    let command = EngineCommand { timeout: Duration::from_secs(20), ..script(flood) };
    let mut player = uci(CHESS, command).expect("a handshake");
    let game = AnyGameHistory::new(CHESS.start());
    choose(&mut player, &game, depth(1)).expect("a move");
}

#[test]
fn an_engine_that_ignores_stop_is_killed() {
    let game = AnyGameHistory::new(CHESS.start());
    let command = script(&format!("{UCI_HANDSHAKE} go*) exec sleep 60;;"));
    let mut player = uci(CHESS, EngineCommand { timeout: Duration::from_secs(60), ..command })
        .expect("a handshake");
    for limits in [Limits::default(), depth(1)] {
        let (stop, start) = (AtomicBool::new(true), Instant::now());
        let choice = player.choose(&game, &limits, &mut AnyControl::new(&stop, &mut |_| {}));
        assert_eq!(failure(choice), "Odd did not stop within 1.0 s");
        assert!(start.elapsed() < HANG, "{:?}", start.elapsed());
    }
}

#[test]
fn an_engine_that_exceeds_its_time_is_killed() {
    let time = Duration::from_millis(200);
    let hangs = |cases: &str| {
        let command = script(cases);
        let limits = Limits { time: Some(time), ..Limits::default() };
        EngineCommand { limits, timeout: Duration::from_secs(60), ..command }
    };
    let chess = AnyGameHistory::new(CHESS.start());
    let othello = AnyGameHistory::new(OTHELLO.start());
    let uci = uci(CHESS, hangs(&format!("{UCI_HANDSHAKE} go*) exec sleep 60;;")));
    let nboard = nboard(hangs("ping*) echo pong 7;; go) exec sleep 60;;"));
    let gtp = gtp(hangs("genmove*) exec sleep 60;; *) printf '= \\n\\n';;"));
    // 1 s and 10 % more than the limit, which GTP rounds up to 1 s.
    for (player, game, waited) in
        [(uci, &chess, "1.2"), (nboard, &othello, "1.2"), (gtp, &othello, "2.1")]
    {
        let start = Instant::now();
        let what = timeout(choose(&mut player.expect("a handshake"), game, Limits::default()));
        assert_eq!(what, format!("no move within {waited} s"));
        assert!(start.elapsed() < HANG, "{:?}", start.elapsed());
    }
}

/// NBoard has only a clock for the whole game: the client stops the engine when the time for the move is over.
#[test]
fn nboard_engines_are_stopped_at_the_time_limit() {
    let command = script(
        "ping*) echo pong 7;; go) echo search F5 1 0 3; read -r l; echo '=== D3'; echo pong 7;;",
    );
    let limits = Limits { time: Some(Duration::from_millis(100)), ..Limits::default() };
    let mut player = nboard(command).expect("a handshake");
    let game = AnyGameHistory::new(OTHELLO.start());
    for _ in 0..2 {
        let choice = choose(&mut player, &game, limits).expect("a move");
        assert_eq!(game.position().move_text(choice.m), "d3");
    }
}

#[test]
fn default_limits_apply_where_nothing_else_limits() {
    let game = AnyGameHistory::new(CHESS.start());
    let command = script(&format!(
        "{UCI_HANDSHAKE} 'go movetime 1000') echo bestmove e2e4;; 'go depth 1') echo bestmove d2d4;;"
    ));
    let default_limits = Limits { time: Some(Duration::from_secs(1)), ..Limits::default() };
    let mut player = uci(CHESS, EngineCommand { default_limits, ..command }).expect("a handshake");
    for (limits, expected) in [(Limits::default(), "e4"), (depth(1), "d4")] {
        let choice = choose(&mut player, &game, limits).expect("a move");
        assert_eq!(game.position().move_text(choice.m), expected);
    }
}

#[test]
fn endless_output_is_an_error() {
    let chess = AnyGameHistory::new(CHESS.start());
    let othello = AnyGameHistory::new(OTHELLO.start());
    let too_long = "sent a line longer than 64 KiB";
    for output in [
        "head -c 70000 /dev/zero | tr '\\0' x; echo; echo bestmove e2e4",
        "exec tr '\\0' x </dev/zero",
    ] {
        let command = script(&format!("{UCI_HANDSHAKE} go*) {output};;"));
        let mut player = uci(CHESS, command).expect("a handshake");
        let error = failure(choose(&mut player, &chess, depth(1)));
        assert_eq!(error, format!("Odd {too_long}"));
    }
    let error = uci(CHESS, script("uci) exec tr '\\0' x </dev/zero;;")).map(drop).unwrap_err();
    assert_eq!(error.to_string(), format!("sh {too_long}"));
    let error = uci(CHESS, script("uci) exec yes option name x type button;;")).map(drop);
    assert_eq!(error.unwrap_err().to_string(), "sh has more than 1000 options");
    // Long lines on stderr are cut, not an error.
    let noisy = "go*) head -c 200000 /dev/zero | tr '\\0' x >&2; echo bestmove e2e4;;";
    let mut player = uci(CHESS, script(&format!("{UCI_HANDSHAKE} {noisy}"))).expect("a handshake");
    choose(&mut player, &chess, depth(1)).expect("a move");
    // A GTP response may have several lines.
    let endless = "genmove*) echo '= F5'; exec yes;; *) printf '= \\n\\n';;";
    let mut player = gtp(script(endless)).expect("a handshake");
    let error = failure(choose(&mut player, &othello, depth(1)));
    assert_eq!(error, "sh sent a response longer than 64 KiB");
}
