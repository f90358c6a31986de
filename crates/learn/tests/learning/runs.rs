//! The generation loop.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tablero_arena::Factory;
use tablero_core::{AnyControl, AnyGameHistory, AnyPlayer, Limits, Side, Wdl};
use tablero_jobs::{CancellationToken, Job, Progress, Threads};
use tablero_learn::generations::RunContext;
use tablero_learn::{
    BEST, LearnConfig, LearnError, LearningHistory, TrainingBackend, generation_file, open_run,
};
use tablero_nets::Weights;
use tablero_nets::train::Device;
use tablero_registry::GameEntry;

use crate::{Folder, game, games, make_player, small};

/// Runs until finished, or cancelled by `on_progress`.
fn run(
    entry: &dyn GameEntry,
    folder: &Path,
    config: &LearnConfig,
    threads: usize,
    on_progress: &mut dyn FnMut(&Progress, &CancellationToken),
) -> LearningHistory {
    let device = device(config.training.backend);
    let job = open_run(folder, config, &entry.learning().spec(), None, device).expect("a run");
    run_job(entry, job, threads, on_progress).expect("history")
}

/// A graphics card for burn where this build knows them, be it in software.
fn device(backend: TrainingBackend) -> Option<Device> {
    let has_cards = cfg!(any(feature = "burn-wgpu", feature = "burn-cuda"));
    (has_cards && backend == TrainingBackend::Burn).then_some(Device::Gpu(Some(0)))
}

fn run_job(
    entry: &dyn GameEntry,
    job: Job,
    threads: usize,
    on_progress: &mut dyn FnMut(&Progress, &CancellationToken),
) -> Result<LearningHistory, LearnError> {
    let (executor, cancel) =
        (Threads::new(threads.try_into().expect("threads")), CancellationToken::default());
    let mut on_progress = |progress: &Progress| on_progress(progress, &cancel);
    let make = |line: &str| make_player(entry, line);
    let factory = Factory { game: entry.game(), make: &make };
    let config: LearnConfig = job.config().expect("a configuration");
    let device = device(config.training.backend);
    let context = RunContext { executor: &executor, threads, device, cancel: &cancel };
    entry.learning().run(job, factory, context, &mut on_progress)
}

/// The number of lost games as `side`, over all lines of the opponent.
fn losses(player: &mut AnyPlayer, game: &AnyGameHistory, side: Side) -> u32 {
    if let Some(end) = game.end() {
        return u32::from(end.outcome.wdl(side) == Wdl::Loss);
    }
    let moves = if game.position().side() == side {
        let (cancel, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let mut control = AnyControl::new(&cancel, &mut ignore);
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

/// The trained network loses no line as either side.
#[test]
fn tictactoe_is_learned_to_perfect_play() {
    let (folder, entry) = (Folder::new("perfect"), game("tictactoe"));
    let mut config = LearnConfig::for_game(entry.game(), "test");
    config.generations = Some(20);
    config.evaluation.every = 0;
    let history = run(entry, &folder.0, &config, 2, &mut |_, _| {});
    assert_eq!(history.generations.len(), 20);
    // Too few simulations to search to the end: the network must know.
    let player = |net: &Path| {
        let line = format!("puct sims=50 \"net={}\"", net.display());
        make_player(entry, &line).expect("a player")
    };
    let start = AnyGameHistory::new(entry.game().start());
    let mut trained = player(&folder.0.join(BEST));
    for side in Side::BOTH {
        assert_eq!(losses(&mut *trained, &start, side), 0, "{side:?}");
    }
    let mut untrained = player(&generation_file(&folder.0, 0));
    assert!(Side::BOTH.iter().map(|&side| losses(&mut *untrained, &start, side)).sum::<u32>() > 0);
}

/// The files of a run that do not contain times.
fn artifacts(folder: &Path) -> Vec<(String, Vec<u8>)> {
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

/// Interrupted again and again, with varying threads and truncated logs, a run ends in the same state.
fn resuming_gives_the_same_result(trainer: TrainingBackend) {
    let folder = |name: &str| Folder::new(&format!("{name}-{trainer:?}"));
    let entry = game("tictactoe");
    let (uninterrupted, interrupted) = (folder("uninterrupted"), folder("interrupted"));
    let mut config = small(entry);
    config.training.backend = trainer;
    let whole = run(entry, &uninterrupted.0, &config, 2, &mut |_, _| {});
    let mut runs = 0;
    loop {
        runs += 1;
        assert!(runs < 200, "it never ends");
        let mut reports = 0;
        let history = run(entry, &interrupted.0, &config, 1 + runs % 2, &mut |_, cancel| {
            reports += 1;
            if reports > runs % 7 {
                cancel.cancel();
            }
        });
        if history.generations.len() == 2 {
            assert_eq!(history.matches, whole.matches);
            break;
        }
        let log = interrupted.0.join(format!("games-{}.jsonl", history.generations.len() + 1));
        let mut text = fs::read(&log).unwrap_or_default();
        text.extend(b"{\"index\":0,\"output\":{\"games\":[{\"mov");
        fs::write(&log, text).expect("written");
    }
    assert!(runs > 3, "{runs}");
    for ((name, a), (other, b)) in
        artifacts(&uninterrupted.0).iter().zip(&artifacts(&interrupted.0))
    {
        assert_eq!(name, other);
        // burn writes its optimizer state in any order.
        let is_burn_state = trainer == TrainingBackend::Burn && name.starts_with("state-");
        assert!(a == b || is_burn_state, "{name} differs");
    }
    let best = Weights::read(&uninterrupted.0.join(BEST)).expect("a network");
    let burn = trainer.open(device(trainer)).expect("a device");
    let line = best.provenance.last().expect("a line");
    match &burn {
        Some(device) => assert!(line.contains(&format!(", by burn on {device}")), "{line}"),
        None => assert!(!line.contains("burn"), "{line}"),
    }
}

#[test]
fn resuming_gives_the_same_result_with_the_native_backend() {
    resuming_gives_the_same_result(TrainingBackend::Native);
}

#[cfg(feature = "burn")]
#[test]
fn resuming_gives_the_same_result_with_burn() {
    resuming_gives_the_same_result(TrainingBackend::Burn);
}

/// Games go on during training, and a generation has no more and no fewer of them for it, interrupted or not.
#[test]
fn an_asynchronous_run_plays_while_it_trains() {
    let (folder, entry) = (Folder::new("async"), game("tictactoe"));
    let mut config = small(entry);
    config.asynchronous = true;
    // Long enough that games end meanwhile.
    config.training.replay_ratio = 60.0;
    let next_games = folder.0.join("games-2.jsonl");
    let logged = || fs::read_to_string(&next_games).map_or(0, |text| text.lines().count());
    let (mut ahead, mut is_interrupted) = (None, false);
    while ahead.is_none() {
        run(entry, &folder.0, &config, 2, &mut |progress, cancel| match &*progress.message {
            "generation 1: training" if !is_interrupted => {
                is_interrupted = true;
                cancel.cancel();
            }
            "generation 1 done" => ahead = Some(logged()),
            _ => {}
        });
    }
    assert!(is_interrupted && ahead > Some(0), "{ahead:?}");
    let history = run(entry, &folder.0, &config, 2, &mut |_, _| {});
    let [first, second] = &history.generations[..] else { panic!("{history:?}") };
    assert_eq!((first.games, second.games), (config.games, config.games));
}

/// Earlier generations stay in memory; their files are for restarts.
#[test]
fn games_in_the_replay_buffer_are_not_read_again() {
    let (folder, entry) = (Folder::new("window"), game("tictactoe"));
    let config = small(entry);
    let games = folder.0.join("games-1.jsonl");
    let history = run(entry, &folder.0, &config, 1, &mut |progress, _| {
        if progress.message == "generation 1 done" {
            fs::write(&games, "no game\n").expect("written");
        }
    });
    let [first, second] = &history.generations[..] else { panic!("{history:?}") };
    assert!(second.buffer_positions > first.buffer_positions, "the buffer has both generations");
}

fn quick_run(entry: &dyn GameEntry) {
    let game = entry.game();
    let folder = Folder::new(&format!("quick-{game}"));
    let mut config = small(entry).with_teacher(game, "alphabeta depth=1");
    (config.games, config.self_play.max_plies) = (4, 60);
    if let Some(teacher) = &mut config.teacher {
        (teacher.games, teacher.self_play.max_plies) = (8, 60);
    }
    config.evaluation.games = 2;
    config.evaluation.anchors = vec!["random".into()];
    config.evaluation.anchor_games = 2;
    config.evaluation.gate = Some(0.0);
    let history = run(entry, &folder.0, &config, 2, &mut |_, _| {});
    let [first, second] = &history.generations[..] else { panic!("{history:?}") };
    assert_eq!((&*first.player, &*second.player), ("alphabeta depth=1", "generation 1"));
    assert!(first.new_positions > 30 && second.elo.is_some(), "{history:?}");
    let best = Weights::read(&folder.0.join(BEST)).expect("a network");
    assert!(best.provenance[2].contains("4 games by generation 1"), "{:?}", best.provenance);
    let report = fs::read_to_string(folder.0.join("report.md")).expect("a report");
    assert!(report.contains("alphabeta depth=1") && report.contains("elo.svg"), "{report}");
}

#[test]
fn every_game_can_be_learned() {
    games().iter().for_each(|&entry| quick_run(entry));
}

#[test]
fn corrupt_games_are_reported() {
    let (folder, entry) = (Folder::new("damage"), game("tictactoe"));
    let config = small(entry);
    run(entry, &folder.0, &config, 1, &mut |progress, cancel| {
        if progress.message.contains("training") {
            cancel.cancel();
        }
    });
    let log = folder.0.join("games-1.jsonl");
    let text = fs::read_to_string(&log).expect("games");
    fs::write(&log, text.replacen("\"margin\":", "\"margin\":-", 1).replacen("--", "", 1))
        .expect("written");
    let job = open_run(&folder.0, &config, &entry.learning().spec(), None, None).expect("a run");
    let error = run_job(entry, job, 1, &mut |_, _| {}).expect_err("a wrong game").to_string();
    assert!(error.contains("games-1.jsonl") && error.contains("checksum"), "{error}");
}
