//! Positions in files.

use std::fs;

use tablero_chess::Chess;
use tablero_connectfour::ConnectFour;
use tablero_core::GameType;
use tablero_learn::{Learnable, Lessons, Targets, packed};
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use crate::{Folder, game, some_games};

/// Packed positions teach what the games themselves do.
fn packing_loses_nothing<G: Learnable>() {
    let folder = Folder::new(&format!("packed-{}", G::NAME));
    fs::create_dir_all(&folder.0).expect("a folder");
    let file = folder.0.join("games.positions");
    let (games, task) = some_games(game(G::NAME), "mcts iterations=40");
    // More than a block.
    let copies = if G::OWNED { 80 } else { 1 };
    let games = vec![games; copies].concat();
    let bytes = packed::<G>(&games, vec![task.past()]).expect("whole games");
    fs::write(&file, bytes).expect("written");
    for trust in [0.0, 0.75] {
        let targets = Targets { trust, surprise: 0.5 };
        let (mut expected, mut packed) = (Lessons::<G>::default(), Lessons::<G>::default());
        for game in &games {
            expected.add(game, &targets).expect("a game");
        }
        assert_eq!(packed.add_packed(&file, &targets).expect("whole"), [task.past()]);
        assert_eq!(packed, expected);
        packed.add_packed(&file, &targets).expect("whole");
        assert_eq!((packed.len(), packed.games()), (2 * expected.len(), 2 * expected.games()));
    }
}

#[test]
fn packed_positions_are_those_of_the_games() {
    packing_loses_nothing::<Othello>();
    packing_loses_nothing::<Chess>();
    packing_loses_nothing::<Shobu>();
    packing_loses_nothing::<ConnectFour>();
    packing_loses_nothing::<TicTacToe>();
}

#[test]
fn damaged_positions_are_refused() {
    let folder = Folder::new("damaged");
    fs::create_dir_all(&folder.0).expect("a folder");
    let file = folder.0.join("games.positions");
    let (games, _) = some_games(game(TicTacToe::NAME), "random");
    let whole = packed::<TicTacToe>(&games, Vec::new()).expect("whole games");
    let targets = Targets { trust: 0.0, surprise: 0.0 };
    let read = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("written");
        Lessons::<TicTacToe>::default().add_packed(&file, &targets)
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
    let error = Lessons::<Othello>::default().add_packed(&file, &targets).expect_err("game");
    assert!(error.to_string().contains("of tictactoe, not of othello"), "{error}");
}
