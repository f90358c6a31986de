//! Position files.

use std::fs;

use tablero_chess::Chess;
use tablero_connectfour::ConnectFour;
use tablero_core::GameType;
use tablero_learn::{Learnable, TargetConfig, TrainingSet, pack_positions};
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use crate::{Folder, game, sample_games};

/// A position file gives the same training set as its games.
fn round_trips<G: Learnable>() {
    let folder = Folder::new(&format!("packed-{}", G::NAME));
    fs::create_dir_all(&folder.0).expect("a folder");
    let file = folder.0.join("games.positions");
    let (games, task) = sample_games(game(G::NAME), "mcts iterations=40");
    // More than one block.
    let copies = if G::HAS_OWNERSHIP { 80 } else { 1 };
    let games = vec![games; copies].concat();
    let bytes = pack_positions::<G>(&games, vec![task.provenance()]).expect("whole games");
    fs::write(&file, bytes).expect("written");
    for q_ratio in [0.0, 0.75] {
        let targets = TargetConfig { q_ratio, policy_surprise_weight: 0.5 };
        let (mut expected, mut packed) = (TrainingSet::<G>::default(), TrainingSet::<G>::default());
        for game in &games {
            expected.add(game, &targets).expect("a game");
        }
        assert_eq!(packed.add_packed(&file, &targets).expect("whole"), [task.provenance()]);
        assert_eq!(packed, expected);
        packed.add_packed(&file, &targets).expect("whole");
        assert_eq!((packed.len(), packed.games()), (2 * expected.len(), 2 * expected.games()));
    }
}

#[test]
fn position_files_round_trip() {
    round_trips::<Othello>();
    round_trips::<Chess>();
    round_trips::<Shobu>();
    round_trips::<ConnectFour>();
    round_trips::<TicTacToe>();
}

#[test]
fn corrupt_position_files_are_refused() {
    let folder = Folder::new("corrupt");
    fs::create_dir_all(&folder.0).expect("a folder");
    let file = folder.0.join("games.positions");
    let (games, _) = sample_games(game(TicTacToe::NAME), "random");
    let whole = pack_positions::<TicTacToe>(&games, Vec::new()).expect("whole games");
    let targets = TargetConfig { q_ratio: 0.0, policy_surprise_weight: 0.0 };
    let read = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("written");
        TrainingSet::<TicTacToe>::default().add_packed(&file, &targets)
    };
    assert!(read(&whole).is_ok());
    for end in 0..whole.len() {
        assert!(read(&whole[..end]).is_err(), "{end}");
    }
    for at in 0..whole.len() {
        let mut broken = whole.clone();
        broken[at] ^= 1;
        assert!(read(&broken).is_err(), "{at}");
    }
    fs::write(&file, &whole).expect("written");
    let error = TrainingSet::<Othello>::default().add_packed(&file, &targets).expect_err("game");
    assert!(error.to_string().contains("of tictactoe, not of othello"), "{error}");
}
