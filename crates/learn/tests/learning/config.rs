//! Configurations.

use tablero_chess::Chess;
use tablero_core::AnyGame;
use tablero_learn::{GameSpec, LearnConfig, TrainingBackend, open_run};
use tablero_tictactoe::TicTacToe;

use crate::{Folder, game, small};

/// Configurations without a backend mean the native one.
#[test]
fn the_backend_defaults_to_native() {
    let config = LearnConfig::for_game(AnyGame::of::<TicTacToe>(), "test");
    let mut written = serde_json::to_value(&config).expect("a configuration");
    assert_eq!(written["training"]["backend"], "native");
    written["training"].as_object_mut().expect("an object").remove("backend");
    let read: LearnConfig = serde_json::from_value(written).expect("a configuration");
    assert_eq!(read, config);
}

#[cfg(not(feature = "burn"))]
#[test]
fn a_missing_burn_backend_is_reported() {
    let mut config = small(game("tictactoe"));
    config.training.backend = TrainingBackend::Burn;
    let error = config.check(&GameSpec::of::<TicTacToe>()).expect_err("no burn");
    assert!(error.to_string().contains("--features burn"), "{error}");
}

/// A device that is not there is reported before anything is created, and when a run is resumed.
#[test]
fn a_missing_device_is_reported() {
    let (folder, spec) = (Folder::new("device"), GameSpec::of::<TicTacToe>());
    let mut config = small(game("tictactoe"));
    let open = |config: &LearnConfig, device: Option<&str>| {
        let device = device.map(|device| device.parse().expect("a device"));
        open_run(&folder.0, config, &spec, None, device).map_err(|error| error.to_string())
    };
    let is_native = |error: &str| error.contains("the native backend trains on the processor");
    for device in ["cpu", "gpu", "gpu:1"] {
        let error = open(&config, Some(device)).expect_err("native");
        assert!(error.contains(&format!("device {device}")) && is_native(&error), "{error}");
    }
    config.training.backend = TrainingBackend::Burn;
    let error = open(&config, Some("gpu:99")).expect_err("no such card");
    assert!(error.contains("--features burn") || error.contains("available: cpu"), "{error}");
    assert!(!folder.0.exists());
    config.training.backend = TrainingBackend::Native;
    open(&config, None).expect("a run");
    let error = open(&config, Some("gpu")).expect_err("a native run");
    assert!(is_native(&error), "{error}");
}

#[test]
fn invalid_settings_are_reported() {
    let wrong = |change: &dyn Fn(&mut LearnConfig), part: &str| {
        let mut config = LearnConfig::for_game(AnyGame::of::<TicTacToe>(), "test");
        change(&mut config);
        let error = config.check(&GameSpec::of::<TicTacToe>()).expect_err(part);
        assert!(error.to_string().contains(part), "{error}");
    };
    wrong(&|c| c.game = "chess".into(), "chess");
    wrong(&|c| c.net = "resnet".into(), "resnet 6x64");
    wrong(&|c| c.net = "mlp 5-1".into(), "27 inputs");
    wrong(&|c| c.games = 0, "games is 0; expected at least 1");
    wrong(&|c| c.self_play.sims = 0, "sims is 0");
    wrong(&|c| c.self_play.full_search_prob = 1.5, "full_search_prob is 1.5");
    wrong(&|c| c.training.lr = f64::NAN, "lr is NaN");
    wrong(&|c| c.training.batch_size = 1, "batch_size is 1; expected 2 to 65536");
    wrong(&|c| c.holdout_every = 1, "holdout_every is 1; expected at least 2");
    wrong(&|c| (c.evaluation.gate, c.evaluation.games) = (Some(0.55), 0), "gating needs");
    wrong(&|c| c.rules = "none".into(), "rules");
    let folder = Folder::new("other");
    let config = small(game("tictactoe"));
    let spec = GameSpec::of::<TicTacToe>();
    open_run(&folder.0, &config, &spec, Some(3), None).expect("a run");
    let error = open_run(&folder.0, &config, &spec, Some(4), None).expect_err("seed").to_string();
    assert!(error.contains("seed 3, not 4"), "{error}");
    let chess = LearnConfig::for_game(AnyGame::of::<Chess>(), "test");
    let error =
        open_run(&folder.0, &chess, &GameSpec::of::<Chess>(), None, None).expect_err("game");
    assert!(error.to_string().contains("game tictactoe, not chess"), "{error}");
}
