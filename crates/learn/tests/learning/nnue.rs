//! NNUE evaluations: a run from nothing but the rules, stopped and resumed.

use std::path::Path;

use tablero_arena::{Factory, FinishedGame, MatchConfig, MatchSettings, Watcher, run_match};
use tablero_core::PlayerSetup;
use tablero_jobs::{CancellationToken, Progress, Runner, Threads};
use tablero_learn::generations::RunContext;
use tablero_learn::nnue::{NNUE_BEST, NnueConfig, NnueHistory, open_nnue_run, run_nnue};

use crate::{Folder, game};

fn config() -> NnueConfig {
    let mut config = NnueConfig::quick(game("tictactoe").game(), "a test");
    (config.games, config.generations) = (1500, Some(2));
    config.self_play.random_plies = 4;
    (config.fit.epochs, config.fit.batch_size) = (60, 32);
    config
}

fn learn(folder: &Path, stop_after: u32) -> NnueHistory {
    let entry = game("tictactoe");
    let job = open_nnue_run(folder, &config(), Some(3)).expect("a run");
    let make = |line: &str| entry.build(line, &PlayerSetup::LOCAL);
    let factory = Factory { game: entry.game(), make: &make };
    let (executor, cancel) = (Threads::all_cores(), CancellationToken::default());
    let context = RunContext { executor: &executor, threads: 2, device: None, cancel: &cancel };
    let mut events = 0;
    let mut report = |_: &Progress| {
        events += 1;
        if events == stop_after {
            cancel.cancel();
        }
    };
    run_nnue(entry.learning(), job, factory, context, &mut report).expect("learned")
}

/// The score of a one-ply search with the learned evaluation against random moves.
fn score_against_random(net: &Path) -> f64 {
    let entry = game("tictactoe");
    let settings = MatchSettings { games: 200, ..MatchSettings::default_for(entry.game(), 1) };
    let make = |line: &str| entry.build(line, &PlayerSetup::LOCAL);
    let factory = Factory { game: entry.game(), make: &make };
    let line = format!("alphabeta depth=1 eval={}", net.display());
    let config = MatchConfig { players: [line, "random".into()], settings, sprt: None };
    let (threads, cancel) = (Threads::all_cores(), CancellationToken::default());
    let mut runner = Runner::new(&threads, &cancel);
    let result = run_match(&config, factory, &mut runner, &mut Silent);
    result.expect("played").summary.score.expect("a score")
}

struct Silent;

impl Watcher for Silent {
    fn game(&mut self, _: &FinishedGame) -> Result<(), String> {
        Ok(())
    }

    fn progress(&mut self, _: &Progress) {}
}

#[test]
fn a_run_from_nothing_learns_and_resumes_to_the_same_network() {
    let folder = Folder::new("nnue");
    let (whole, parts) = (folder.0.join("whole"), folder.0.join("parts"));
    let history = learn(&whole, u32::MAX);
    assert_eq!(history.generations.len(), 2);
    assert!(learn(&parts, 30).generations.len() < 2, "stopped");
    learn(&parts, u32::MAX);
    let net = |folder: &Path| std::fs::read(folder.join(NNUE_BEST)).expect("a network");
    assert!(net(&whole) == net(&parts), "the same network");
    let score = score_against_random(&whole.join(NNUE_BEST));
    assert!(score > 0.75, "{score}");
}
