//! Fitness games.

mod common;

use tablero_evolve::{Contestant, FitnessOutput, FitnessTask, FitnessWork};
use tablero_jobs::Work;
use tablero_othello::Othello;

use crate::common::TestGame;

const WORK: FitnessWork<'static> = FitnessWork { game: &TestGame::<Othello>::NEW };

fn task(player: &str) -> FitnessTask {
    FitnessTask {
        game: "othello".into(),
        rules: None,
        kind: "sci".into(),
        player: player.into(),
        contestants: [
            Contestant::Genome(vec![50.0, -25.0, 1.0]),
            Contestant::Genome(vec![4.797, -0.453, 1.503]),
        ],
        opening: String::new(),
        both_colours: true,
        max_plies: None,
        seed: 1,
    }
}

#[test]
fn fixed_depth_alpha_beta_plays_the_games_of_minimax() {
    let quick = WORK.run(&task("minimax depth=3")).expect("two games");
    // With `drop=0` the line is built as plain minimax.
    let slow = WORK.run(&task("minimax depth=3 drop=0")).expect("two games");
    assert_eq!(quick.margins, slow.margins);
    assert!(quick.nodes < slow.nodes);
    assert_eq!(quick.margins.len(), 2);
}

#[test]
fn colours_are_swapped() {
    let mut alone = task("minimax depth=1");
    alone.contestants[1] = Contestant::Line("random".into());
    let one = FitnessTask { both_colours: false, ..alone.clone() };
    let (both, one) = (WORK.run(&alone).expect("two"), WORK.run(&one).expect("one"));
    assert_eq!(both.margins[0], one.margins[0]);
    assert_eq!(one.margins.len(), 1);
    let points = FitnessOutput { margins: vec![3, 0, -1], pieces: Vec::new(), nodes: 0 }.points();
    assert_eq!(points, 1.5);
}

#[test]
fn invalid_tasks_are_rejected() {
    let error = |task: FitnessTask| WORK.run(&task).expect_err("wrong");
    assert!(error(FitnessTask { game: "chess".into(), ..task("greedy") }).contains("chess"));
    assert!(error(FitnessTask { kind: "x".into(), ..task("greedy") }).contains("kind"));
    assert!(error(FitnessTask { kind: "jma".into(), ..task("greedy") }).contains("3 numbers"));
    assert!(error(task("mcts")).contains("minimax"));
    let rules = Some("x".into());
    assert!(error(FitnessTask { rules, ..task("greedy") }).contains("standard"));
    let opening = "1. a1 *".into();
    assert!(error(FitnessTask { opening, ..task("greedy") }).contains("a1"));
}
