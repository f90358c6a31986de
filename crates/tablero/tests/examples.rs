//! The examples of the library run to the end; `script/tutorials` runs those of the tutorials.

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
