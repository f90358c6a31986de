//! The examples of the library run to the end; `script/tutorials` runs those of the tutorials.

#[path = "../examples/perfect_answers.rs"]
#[allow(dead_code, reason = "its main function reads arguments")]
mod perfect_answers;
#[path = "../examples/play_game.rs"]
mod play_game;
#[path = "../examples/run_match.rs"]
mod run_match;
#[path = "../examples/train_network.rs"]
mod train_network;

#[test]
fn a_game_between_two_players() {
    play_game::main().expect("a game");
}

#[test]
fn a_match() {
    run_match::main().expect("a match");
}

#[test]
fn a_network_learns_tic_tac_toe() {
    train_network::main().expect("a network");
}

#[test]
fn solved_positions() {
    let perfect = perfect_answers::perfect_answers;
    let (greedy, exact) = ("greedy", "perfect time=10s");
    assert_eq!(perfect(exact, 8, 3).expect("answers"), 8);
    assert!(perfect(greedy, 30, 3).expect("answers") < 30);
}
