//! The loop as a whole.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tablero_arena::Factory;
use tablero_core::{AnyControl, AnyMatch, AnyPlayer, Limits, Side, Wdl};
use tablero_jobs::{Job, Progress, Stop, Threads};
use tablero_learn::generations::Place;
use tablero_learn::{
    BEST, LearnConfig, LearnError, Learned, TrainerName, generation_file, open_run,
};
use tablero_nets::Weights;
use tablero_registry::GameEntry;

use crate::{Folder, game, games, make_player, small};

/// Runs until the end, or until `tell` asks to stop.
fn run(
    entry: &dyn GameEntry,
    folder: &Path,
    config: &LearnConfig,
    threads: usize,
    tell: &mut dyn FnMut(&Progress, &Stop),
) -> Learned {
    let job = open_run(folder, config, &entry.learning().spec(), None).expect("a run");
    run_job(entry, job, threads, tell).expect("learned")
}

fn run_job(
    entry: &dyn GameEntry,
    job: Job,
    threads: usize,
    tell: &mut dyn FnMut(&Progress, &Stop),
) -> Result<Learned, LearnError> {
    let (executor, stop) = (Threads::new(threads.try_into().expect("threads")), Stop::default());
    let mut tell = |progress: &Progress| tell(progress, &stop);
    let make = |line: &str| make_player(entry, line);
    let factory = Factory { game: entry.game(), make: &make };
    let place = Place { executor: &executor, threads, stop: &stop };
    entry.learning().run(job, factory, place, &mut tell)
}

/// Games that `player` loses on `side`, whatever the other side plays.
fn losses(player: &mut AnyPlayer, game: &AnyMatch, side: Side) -> u32 {
    if let Some(end) = game.end() {
        return u32::from(end.outcome.wdl(side) == Wdl::Loss);
    }
    let moves = if game.position().side() == side {
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let mut control = AnyControl::new(&stop, &mut ignore);
        player.new_game(1);
        vec![player.choose(game, &Limits::default(), &mut control).expect("a move").m]
    } else {
        game.moves()
    };
    let after = |m| {
        let mut next = game.clone();
        next.play(m).expect("legal");
        next
    };
    moves.into_iter().map(after).map(|next| losses(player, &next, side)).sum()
}

/// From nothing to perfect play: no reply of the other side beats it, with either colour.
#[test]
fn tictactoe_from_nothing_to_perfect_play() {
    let (folder, entry) = (Folder::new("perfect"), game("tictactoe"));
    let mut config = LearnConfig::usual(entry.game(), "test");
    config.generations = Some(20);
    config.measure.every = 0;
    let learned = run(entry, &folder.0, &config, 2, &mut |_, _| {});
    assert_eq!(learned.generations.len(), 20);
    // Too few simulations to look to the end: what it knows, it has learned.
    let player = |net: &Path| {
        let line = format!("puct sims=10 \"net={}\"", net.display());
        make_player(entry, &line).expect("a player")
    };
    let start = AnyMatch::new(entry.game().start());
    let mut taught = player(&folder.0.join(BEST));
    for side in Side::BOTH {
        assert_eq!(losses(&mut *taught, &start, side), 0, "{side:?}");
    }
    let mut untaught = player(&generation_file(&folder.0, 0));
    assert!(Side::BOTH.iter().map(|&side| losses(&mut *untaught, &start, side)).sum::<u32>() > 0);
}

/// All that a run leaves behind and that does not tell times.
fn remains(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            name.ends_with(".safetensors")
                || name.starts_with("games")
                || name.starts_with("state-")
        })
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(&path).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

/// Stopped at every chance, with another number of threads and a torn log, it comes out the same.
fn interruptions_change_nothing(trainer: TrainerName) {
    let folder = |name: &str| Folder::new(&format!("{name}-{trainer:?}"));
    let entry = game("tictactoe");
    let (through, torn) = (folder("through"), folder("torn"));
    let mut config = small(entry);
    config.pace.trainer = trainer;
    let whole = run(entry, &through.0, &config, 2, &mut |_, _| {});
    let mut runs = 0;
    loop {
        runs += 1;
        assert!(runs < 200, "it never ends");
        let mut told = 0;
        let learned = run(entry, &torn.0, &config, 1 + runs % 2, &mut |_, stop| {
            told += 1;
            if told > runs % 7 {
                stop.request();
            }
        });
        if learned.generations.len() == 2 {
            assert_eq!(learned.meetings, whole.meetings);
            break;
        }
        let log = torn.0.join(format!("games-{}.jsonl", learned.generations.len() + 1));
        let mut text = fs::read(&log).unwrap_or_default();
        text.extend(b"{\"index\":0,\"output\":{\"games\":[{\"mov");
        fs::write(&log, text).expect("written");
    }
    assert!(runs > 3, "{runs}");
    for ((name, a), (other, b)) in remains(&through.0).iter().zip(&remains(&torn.0)) {
        assert_eq!(name, other);
        // burn writes its memory in any order.
        let is_memory = trainer == TrainerName::Burn && name.starts_with("state-");
        assert!(a == b || is_memory, "{name} differs");
    }
    let best = Weights::read(&through.0.join(BEST)).expect("a network");
    let by_burn = best.past.iter().any(|line| line.contains("by burn"));
    assert_eq!(by_burn, trainer == TrainerName::Burn, "{:?}", best.past);
}

#[test]
fn interruptions_change_nothing_by_our_own_trainer() {
    interruptions_change_nothing(TrainerName::Own);
}

#[cfg(feature = "burn")]
#[test]
fn interruptions_change_nothing_by_burn() {
    interruptions_change_nothing(TrainerName::Burn);
}

/// Games of earlier generations are in memory: their files are for restarts.
#[test]
fn games_are_not_read_again_while_a_run_goes_on() {
    let (folder, entry) = (Folder::new("window"), game("tictactoe"));
    let config = small(entry);
    let games = folder.0.join("games-1.jsonl");
    let learned = run(entry, &folder.0, &config, 1, &mut |progress, _| {
        if progress.message == "generation 1 done" {
            fs::write(&games, "no game\n").expect("written");
        }
    });
    let [first, second] = &learned.generations[..] else { panic!("{learned:?}") };
    assert!(second.positions > first.positions, "the window holds both generations");
}

fn quick_run(entry: &dyn GameEntry) {
    let game = entry.game();
    let folder = Folder::new(&format!("quick-{game}"));
    let mut config = small(entry).with_teacher(game, "alphabeta depth=1");
    (config.games, config.style.longest) = (4, 60);
    if let Some(teacher) = &mut config.teacher {
        (teacher.games, teacher.style.longest) = (8, 60);
    }
    config.measure.games = 2;
    config.measure.anchors = vec!["random".into()];
    config.measure.anchor_games = 2;
    config.measure.gate = Some(0.0);
    let learned = run(entry, &folder.0, &config, 2, &mut |_, _| {});
    let [first, second] = &learned.generations[..] else { panic!("{learned:?}") };
    assert_eq!((&*first.player, &*second.player), ("alphabeta depth=1", "generation 1"));
    assert!(first.new_positions > 30 && second.elo.is_some(), "{learned:?}");
    let best = Weights::read(&folder.0.join(BEST)).expect("a network");
    assert!(best.past[2].contains("4 games by generation 1"), "{:?}", best.past);
    let report = fs::read_to_string(folder.0.join("report.md")).expect("a report");
    assert!(report.contains("alphabeta depth=1") && report.contains("elo.svg"), "{report}");
}

#[test]
fn every_game_is_learned() {
    games().iter().for_each(|&entry| quick_run(entry));
}

#[test]
fn damage_is_told() {
    let (folder, entry) = (Folder::new("damage"), game("tictactoe"));
    let config = small(entry);
    run(entry, &folder.0, &config, 1, &mut |progress, stop| {
        if progress.message.contains("training") {
            stop.request();
        }
    });
    let log = folder.0.join("games-1.jsonl");
    let text = fs::read_to_string(&log).expect("games");
    fs::write(&log, text.replacen("\"margin\":", "\"margin\":-", 1).replacen("--", "", 1))
        .expect("written");
    let job = open_run(&folder.0, &config, &entry.learning().spec(), None).expect("a run");
    let error = run_job(entry, job, 1, &mut |_, _| {}).expect_err("a wrong game").to_string();
    assert!(error.contains("games-1.jsonl") && error.contains("check sum"), "{error}");
}
