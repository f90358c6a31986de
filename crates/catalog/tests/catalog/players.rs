//! Player lines.

use std::process::Command;
use std::sync::atomic::AtomicBool;

use tablero_arena::{Conditions, play_game};
use tablero_champion::eval::Weights;
use tablero_core::{
    AnyControl, AnyGameHistory, AnySearchResult, Ending, Limits, PlayerSetup, Rng, machine_memory,
    max_threads,
};
use tablero_jobs::CancellationToken;
use tablero_registry::GameEntry;

use crate::{SANDBOXED, TempFile, assert_builds, error, game, games};

#[test]
fn every_level_can_be_built() {
    for &entry in games() {
        let game = entry.game();
        let named = game.named_levels().map(|(name, _)| name.to_owned());
        let numbered = (1..=game.ladder().len()).map(|number| number.to_string());
        for name in named.into_iter().chain(numbered) {
            assert_builds(entry, &format!("level {name}"));
        }
        let above = format!("level {}", game.ladder().len() + 1);
        for wrong in ["level", "level 0", &above, "level godlike", "level 1 depth=3"] {
            let error = error(entry, wrong, &PlayerSetup::LOCAL);
            assert!(error.contains("level"), "{game}: {error}");
        }
    }
}

#[test]
fn every_evaluation_can_be_played() {
    for &entry in games() {
        assert!(!entry.evaluations().is_empty(), "{entry:?}");
        for evaluation in entry.evaluations() {
            assert_builds(entry, &format!("alphabeta depth=1 eval={}", evaluation.name));
        }
    }
}

#[test]
fn errors_list_valid_values() {
    for &entry in games() {
        for (line, expected) in [
            ("", "empty"),
            ("unknown", "alphabeta"),
            ("alphabeta dpeth=9", "depth"),
            ("alphabeta depth=0", "1 to 100"),
            ("mcts final=best", "visits or uct"),
            ("random eval=x", "no option"),
            ("puct sims=10 net=a.safetensors eval=b", "leave one out"),
        ] {
            let error = error(entry, line, &PlayerSetup::LOCAL);
            assert!(error.contains(expected), "{entry:?} `{line}`: {error}");
        }
    }
}

#[test]
fn threads_and_memory_beyond_the_machine_are_refused() {
    let memory = machine_memory().map_or(u64::MAX, |bytes| bytes >> 20);
    let too_many = [
        ("alphabeta", "threads", max_threads() as u64),
        ("mcts", "threads", max_threads() as u64),
        ("alphabeta", "hash", memory.min(65_536)),
        ("mcts", "memory", memory.min(1 << 20)),
    ];
    for &entry in games() {
        let kinds = entry.player_kinds();
        for (kind, option, max) in too_many {
            let line = format!("{kind} {option}={}", max + 1);
            let error = kinds.check(&line.parse().expect("a line")).map(|kind| kind.name);
            let error = error.expect_err("too much").to_string();
            assert!(error.ends_with(&format!("to {max}")), "{error}");
            assert_builds(entry, &format!("{kind} {option}=1"));
        }
        let threads = PlayerSetup { threads: max_threads() + 1, ..PlayerSetup::LOCAL };
        assert!(error(entry, "random", &threads).contains("threads is a whole number 1 to"));
    }
    let champion = format!("champion threads={}", max_threads() + 1);
    assert!(error(game("othello"), &champion, &PlayerSetup::LOCAL).contains("threads is a whole"));
}

/// The move of a player in the start position, and the nodes it searched.
fn search(entry: &dyn GameEntry, line: &str) -> (String, u64) {
    let game = AnyGameHistory::new(entry.game().start());
    let result = choose(entry, line, &game);
    (game.position().move_text(result.m), result.info.nodes)
}

fn choose(entry: &dyn GameEntry, line: &str, game: &AnyGameHistory) -> AnySearchResult {
    let mut player = entry.build(line, &PlayerSetup::LOCAL).expect("a player");
    player.new_game(1);
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = AnyControl::new(&stop, &mut ignore);
    let result = player.choose(game, &Limits::default(), &mut control).expect("a move");
    player.new_game(2);
    result
}

#[test]
fn perfect_agrees_with_alpha_beta_to_the_end() {
    let entry = game("connectfour");
    for seed in 0..8 {
        let mut rng = Rng::seeded(seed);
        let mut history = AnyGameHistory::new(entry.game().start());
        for _ in 0..24 {
            let moves = history.position().moves();
            let Some(&m) = rng.pick(&moves) else { break };
            history.play(m).expect("legal");
        }
        if history.position().outcome().is_some() {
            continue;
        }
        let [perfect, reference] = ["perfect time=60s hash=16", "alphabeta depth=18 hash=16"]
            .map(|line| choose(entry, line, &history).info.lines[0].value.0);
        assert!(perfect == reference, "{:?}: {perfect:?}, not {reference:?}", history.position());
    }
}

/// Runs itself again in a process that can start no thread: every stack would be too large.
#[test]
fn searches_go_on_without_helper_threads() {
    const NAME: &str = "players::searches_go_on_without_helper_threads";
    const MARK: &str = "TABLERO_TEST_WITHOUT_THREADS";
    let mcts = "mcts iterations=300 threads=3";
    if std::env::var_os(MARK).is_none() {
        let (expected, nodes) = search(game("othello"), mcts);
        assert_eq!(nodes, 300);
        let output = Command::new(std::env::current_exe().expect("this program"))
            .args([NAME, "--exact", "--nocapture", "--test-threads=1"])
            .env("RUST_MIN_STACK", (1_u64 << 60).to_string())
            .env(MARK, expected)
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains("1 passed"), "{text}{errors}");
        return;
    }
    assert!(std::thread::Builder::new().spawn(|| {}).is_err(), "no thread starts");
    let same = std::env::var(MARK).expect("a move");
    assert_eq!(search(game("othello"), mcts), (same, 300), "all trees, on one thread");
    for &entry in games() {
        assert!(search(entry, "alphabeta depth=4 hash=8 threads=4").1 > 0);
        assert!(search(entry, "mcts time=100ms threads=4").1 > 0);
        assert!(entry.perft(&entry.game().start(), 4, 4) > 0);
    }
    assert!(search(game("othello"), "champion depth=8 threads=4").1 > 0);
    // A timed game, which has no thread to watch its clock, is not lost by that.
    let entry = game("tictactoe");
    let [mut first, mut second] =
        [(); 2].map(|()| entry.build("mcts iterations=50", &PlayerSetup::LOCAL).expect("a player"));
    let conditions = Conditions { move_time_ms: Some(60_000), ..Conditions::default() };
    let start = AnyGameHistory::new(entry.game().start());
    let (players, never) = ([&mut *first, &mut *second], CancellationToken::default());
    let played = play_game(start, players, &conditions, &never).expect("not cancelled");
    let ending = played.record.end.map(|end| end.ending);
    assert!(played.fault.is_none() && ending != Some(Ending::Forfeit), "{:?}", played.fault);
    let nets = games().iter().filter_map(|&entry| {
        let kinds = entry.player_kinds();
        let puct = kinds.0.iter().find(|kind| kind.name == "puct")?;
        let net = puct.options.iter().find(|option| option.name == "net")?;
        match &net.values {
            tablero_core::OptionValues::NameOrFile(names) => Some((entry, names.first()?.clone())),
            _ => None,
        }
    });
    for (entry, net) in nets {
        assert!(search(entry, &format!("puct net={net} sims=40 threads=4")).1 > 0);
    }
}

/// The server checks lines without building players, and without looking for files.
#[test]
fn networks_are_found_when_players_are_built() {
    for &entry in games() {
        let kinds = entry.player_kinds();
        let check = |line: &str| kinds.check(&line.parse().expect("a line")).map(|kind| kind.name);
        assert_eq!(check("puct sims=10 net=mine.safetensors"), Ok("puct"));
        assert_eq!(check("puct sims=10"), Ok("puct"), "with the game's evaluation");
        assert_eq!(check("mcts iterations=10"), Ok("mcts"), "random playouts need none");
        assert!(search(entry, "puct sims=10").1 > 0);
    }
}

#[test]
fn level_words_follow_the_ladder() {
    for &entry in games() {
        let kinds = entry.player_kinds();
        let level = kinds.0.iter().find(|kind| kind.name == "level").expect("level");
        let words = level.words.as_deref().expect("words");
        assert!(words.starts_with(&format!("1..{}|", entry.game().ladder().len())), "{words}");
    }
}

/// Without permissions, lines neither read files nor start programs.
#[test]
fn permissions_are_enforced() {
    for &entry in games() {
        let unknown = error(entry, "alphabeta eval=/etc/hostname", &SANDBOXED);
        assert!(unknown.contains(&entry.evaluations()[0].name), "{unknown}");
        assert!(error(entry, "puct net=/etc/hostname", &SANDBOXED).contains("not read here"));
        for kind in entry.player_kinds().0.iter().filter(|kind| kind.starts_program) {
            let error = error(entry, &format!("{} /bin/true", kind.name), &SANDBOXED);
            assert!(error.contains("not allowed here"), "{error}");
        }
        assert!(entry.build("level 1", &SANDBOXED).is_ok(), "{entry:?}");
    }
}

#[test]
fn files_of_lines_can_be_replaced() {
    let kinds = game("othello").player_kinds();
    let mut locate = |file: &str| Ok(file.replace("mine", "/tmp/yours"));
    let replaced = kinds.replace_files("alphabeta depth=2 eval=mine.evl#3", &mut locate);
    assert_eq!(replaced.unwrap().to_string(), "alphabeta depth=2 eval=/tmp/yours.evl#3");
    let same = kinds.replace_files("alphabeta eval=jma", &mut locate);
    assert_eq!(same.unwrap().to_string(), "alphabeta eval=jma", "no file");
    let mut missing = |_: &str| Err("it is gone".into());
    let error = kinds.replace_files("alphabeta eval=mine.evl", &mut missing).unwrap_err();
    assert_eq!(error.to_string(), "`eval=mine.evl`: it is gone");
}

#[test]
fn lines_that_start_programs_are_detected() {
    let kinds = game("chess").player_kinds();
    assert!(kinds.starts_program("uci /usr/games/stockfish").unwrap());
    assert!(!kinds.starts_program("level 3").unwrap());
    assert!(kinds.starts_program("uic /usr/games/stockfish").is_err());
}

#[test]
fn lines_of_external_engines_are_validated() {
    for &entry in games() {
        for kind in entry.player_kinds().0.iter().filter(|kind| kind.starts_program) {
            let error = |line: &str| error(entry, line, &PlayerSetup::LOCAL);
            let no_program = error(kind.name);
            assert!(no_program.contains("needs a program"), "{no_program}");
            let bound = error(&format!("{} /bin/true depth=deep", kind.name));
            assert!(bound.contains("depth is a whole number"), "{bound}");
            let missing = error(&format!("{} /nowhere/engine", kind.name));
            assert!(missing.starts_with("engine cannot be started"), "{missing}");
        }
    }
}

#[test]
fn weight_files_are_validated() {
    let (file, othello) = (TempFile::new("weights", &Weights::zero().to_bytes()), game("othello"));
    let line = format!("champion level=1 \"weights={}\"", file.path().display());
    assert_builds(othello, &line);
    assert!(error(othello, &line, &SANDBOXED).contains("not read here"));
    std::fs::write(file.path(), "no weights").expect("written");
    assert!(error(othello, &line, &PlayerSetup::LOCAL).contains("not a weights file"));
    std::fs::remove_file(file.path()).expect("removed");
    assert!(error(othello, &line, &PlayerSetup::LOCAL).contains("weights="));
}
