//! What runs are asked to do.

use tablero_chess::Chess;
use tablero_core::AnyGame;
use tablero_learn::{GameSpec, LearnConfig, open_run};
use tablero_tictactoe::TicTacToe;

use crate::{Folder, game, small};

/// Runs that were made before there was a choice go on as they were.
#[test]
fn the_trainer_is_our_own_unless_said() {
    let config = LearnConfig::usual(AnyGame::of::<TicTacToe>(), "test");
    let mut written = serde_json::to_value(&config).expect("a configuration");
    assert_eq!(written["pace"]["trainer"], "own");
    written["pace"].as_object_mut().expect("a pace").remove("trainer");
    let read: LearnConfig = serde_json::from_value(written).expect("a configuration");
    assert_eq!(read, config);
}

#[cfg(not(feature = "burn"))]
#[test]
fn without_burn_it_is_said_how_to_get_it() {
    let mut config = small(game("tictactoe"));
    config.pace.trainer = tablero_learn::TrainerName::Burn;
    let error = config.check(&GameSpec::of::<TicTacToe>()).expect_err("no burn");
    assert!(error.contains("--features burn"), "{error}");
}

#[test]
fn what_cannot_be_is_said() {
    let wrong = |change: &dyn Fn(&mut LearnConfig), part: &str| {
        let mut config = LearnConfig::usual(AnyGame::of::<TicTacToe>(), "test");
        change(&mut config);
        let error = config.check(&GameSpec::of::<TicTacToe>()).expect_err(part);
        assert!(error.contains(part), "{error}");
    };
    wrong(&|c| c.game = "chess".into(), "chess");
    wrong(&|c| c.net = "resnet".into(), "resnet 6x64");
    wrong(&|c| c.net = "mlp 5-1".into(), "27 inputs");
    wrong(&|c| c.games = 0, "at least 1 game");
    wrong(&|c| c.style.sims = 0, "simulation");
    wrong(&|c| c.style.full_share = 1.5, "0 to 1");
    wrong(&|c| c.pace.rate = f64::NAN, "learning rate");
    wrong(&|c| c.pace.batch = 1, "positions");
    wrong(&|c| c.held_out = 1, "second game");
    wrong(&|c| (c.measure.gate, c.measure.games) = (Some(0.55), 0), "gate");
    wrong(&|c| c.rules = "none".into(), "rules");
    let folder = Folder::new("other");
    let config = small(game("tictactoe"));
    let spec = GameSpec::of::<TicTacToe>();
    open_run(&folder.0, &config, &spec, Some(3)).expect("a run");
    let error = open_run(&folder.0, &config, &spec, Some(4)).expect_err("seed").to_string();
    assert!(error.contains("seed 3, not 4"), "{error}");
    let chess = LearnConfig::usual(AnyGame::of::<Chess>(), "test");
    let error = open_run(&folder.0, &chess, &GameSpec::of::<Chess>(), None).expect_err("game");
    assert!(error.to_string().contains("game tictactoe, not chess"), "{error}");
}
