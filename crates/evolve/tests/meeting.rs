//! Games between genomes.

mod common;

use tablero_evolve::{Contestant, MeetingOutput, MeetingTask, MeetingWork};
use tablero_jobs::Work;
use tablero_othello::Othello;

use crate::common::TestGame;

const WORK: MeetingWork<'static> = MeetingWork { game: &TestGame::<Othello>::NEW };

fn task(player: &str) -> MeetingTask {
    MeetingTask {
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
fn the_quick_twin_plays_the_games_of_minimax() {
    let quick = WORK.run(&task("minimax depth=3")).expect("two games");
    // Said in another way, it is minimax itself that plays.
    let slow = WORK.run(&task("minimax depth=3 drop=0")).expect("two games");
    assert_eq!(quick.margins, slow.margins);
    assert!(quick.nodes < slow.nodes);
    assert_eq!(quick.margins.len(), 2);
}

#[test]
fn colours_are_swapped() {
    let mut alone = task("minimax depth=1");
    alone.contestants[1] = Contestant::Line("random".into());
    let one = MeetingTask { both_colours: false, ..alone.clone() };
    let (both, one) = (WORK.run(&alone).expect("two"), WORK.run(&one).expect("one"));
    assert_eq!(both.margins[0], one.margins[0]);
    assert_eq!(one.margins.len(), 1);
    let points = MeetingOutput { margins: vec![3, 0, -1], nodes: 0 }.points();
    assert_eq!(points, 1.5);
}

#[test]
fn wrong_tasks_are_refused() {
    let error = |task: MeetingTask| WORK.run(&task).expect_err("wrong");
    assert!(error(MeetingTask { game: "chess".into(), ..task("greedy") }).contains("chess"));
    assert!(error(MeetingTask { kind: "x".into(), ..task("greedy") }).contains("kind"));
    assert!(error(MeetingTask { kind: "jma".into(), ..task("greedy") }).contains("3 numbers"));
    assert!(error(task("mcts")).contains("minimax"));
    let rules = Some("x".into());
    assert!(error(MeetingTask { rules, ..task("greedy") }).contains("standard"));
    let opening = "1. a1 *".into();
    assert!(error(MeetingTask { opening, ..task("greedy") }).contains("a1"));
}
