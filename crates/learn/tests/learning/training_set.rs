//! Training targets.

use tablero_chess::Chess;
use tablero_connectfour::ConnectFour;
use tablero_core::{Game, GameType, Side};
use tablero_learn::{
    Learnable, LrSchedule, SelfPlayConfig, SelfPlayTask, Source, TargetConfig, TrainingBackend,
    TrainingPlan, TrainingRun, TrainingSet,
};
use tablero_nets::{EncodingSpec, Weights};
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use crate::{game, play, sample_games};

/// A transformed position has the same legal moves with the same targets.
fn targets_are_symmetric<G: Learnable>() {
    let (games, task) = sample_games(game(G::NAME), "random");
    let mut set = TrainingSet::<G>::default();
    for game in &games {
        set.add(game, &TargetConfig { q_ratio: 0.0, policy_surprise_weight: 0.5 }).expect("a game");
    }
    assert!(set.len() > 10 && set.games() == 3);
    let kind = "resnet 1x4".parse().expect("a kind");
    for labeled in set.positions() {
        for symmetry in 0..G::SYMMETRIES {
            let sample = labeled.sample(&kind, symmetry);
            let position = labeled.position.transform(symmetry);
            let sum: f32 = sample.policy.iter().map(|(_, prob)| prob).sum();
            assert!((sum - 1.0).abs() < 1e-3);
            for (outputs, _) in &sample.policy {
                assert!(position.move_of(*outputs).is_some(), "{position:?}");
            }
        }
    }
    let same = play(game(G::NAME), &SelfPlayTask { first: 2, count: 1, ..task });
    assert_eq!(same[0], games[2], "games are independent of each other");
}

#[test]
fn policy_targets_are_symmetric() {
    targets_are_symmetric::<Othello>();
    targets_are_symmetric::<Chess>();
    targets_are_symmetric::<Shobu>();
    targets_are_symmetric::<ConnectFour>();
    targets_are_symmetric::<TicTacToe>();
}

/// MCTS reports win probabilities, also of moves that it does not play.
#[test]
fn win_probabilities_become_value_targets() {
    let entry = game(TicTacToe::NAME);
    let task = SelfPlayTask {
        game: TicTacToe::NAME.into(),
        rules: String::new(),
        source: Source::Teacher("mcts iterations=2000".into()),
        config: SelfPlayConfig {
            full_search_prob: 1.0,
            random_plies: 0,
            random_move_prob: 0.0,
            ..SelfPlayConfig::for_game(entry.game())
        },
        seed: 4,
        first: 0,
        count: 1,
        record_times: false,
        opponent: None,
        rating: None,
    };
    let games = play(entry, &task);
    let game = &games[0];
    // About half a point; read as centi-units it would be a tenth.
    let first = &game.targets[0];
    assert!((3000..8000).contains(&first.value), "{first:?}");
    assert_eq!(game.alternatives.iter().filter(|(ply, ..)| *ply == 0).count(), 8);
    let set = |q_ratio| {
        let mut set = TrainingSet::<TicTacToe>::default();
        set.add(game, &TargetConfig { q_ratio, policy_surprise_weight: 0.0 }).expect("a game");
        set
    };
    assert_eq!(set(0.0).len(), game.targets.len());
    let all = set(1.0);
    assert!(all.len() <= game.targets.len() + game.alternatives.len() + game.replies.len());
    // Zero-sum: the value is negated for the other side.
    let other = &all.positions()[game.targets.len()];
    assert_eq!(other.value.0, -f32::from(game.alternatives[0].2) / 10_000.0);
    assert_eq!(other.position.side(), Side::Second);
    assert!(game.replies.iter().filter(|(ply, ..)| *ply == 0).count() > 40, "of 72");
    assert!(all.len() > game.targets.len() + game.alternatives.len(), "replies too");
    let mut broken = game.clone();
    broken.alternatives[0].1 = 99;
    let error = TrainingSet::<TicTacToe>::default()
        .add(&broken, &TargetConfig { q_ratio: 1.0, policy_surprise_weight: 0.0 });
    assert!(error.expect_err("no such move").contains("no move"));
    let mut broken = game.clone();
    broken.replies[0].2 = 99;
    let error = TrainingSet::<TicTacToe>::default()
        .add(&broken, &TargetConfig { q_ratio: 1.0, policy_surprise_weight: 0.0 });
    assert!(error.expect_err("no such reply").contains("no move"));
}

/// The ownership head learns from final positions.
#[test]
fn the_ownership_head_learns() {
    let (games, _) = sample_games(game(TicTacToe::NAME), "random");
    let mut set = TrainingSet::<TicTacToe>::default();
    for game in &games {
        set.add(game, &TargetConfig { q_ratio: 0.0, policy_surprise_weight: 0.0 }).expect("a game");
    }
    let kind = "resnet 1x8 ownership".parse().expect("a kind");
    let sample = set.positions()[0].sample(&kind, 0);
    let last = set.positions()[0].last.as_ref().expect("the game ended");
    let ownership: Vec<f32> = (0..9)
        .map(|square| match last.owner(square) {
            None => 0.0,
            Some(owner) if owner == set.positions()[0].position.side() => 1.0,
            Some(_) => -1.0,
        })
        .collect();
    assert_eq!(sample.ownership, ownership);
    let plain = "resnet 1x8".parse().expect("a kind");
    assert!(set.positions()[0].sample(&plain, 0).ownership.is_empty());
    let plan = TrainingPlan {
        lr: 0.01,
        lr_schedule: LrSchedule::Constant,
        steps: 150,
        batch_size: 16,
        sgd: false,
        weight_decay: 0.0,
        by_epoch: true,
        symmetries: true,
        seed: 1,
        backend: TrainingBackend::default(),
        device: None,
    };
    let weights = Weights::random(kind, &EncodingSpec::of::<TicTacToe>(), 1).expect("fits");
    let mut run = TrainingRun::new(set.positions(), plan, weights, 1).expect("fits");
    let first = run.step().ownership;
    while run.steps_done() < 149 {
        run.step();
    }
    let last = run.step().ownership;
    assert!(last < 0.5 * first, "{first} {last}");
}

/// Symmetries transform ownership like discs.
fn ownership_is_symmetric<G: Learnable>() {
    let (games, _) = sample_games(game(G::NAME), "random");
    let mut set = TrainingSet::<G>::default();
    set.add(&games[0], &TargetConfig { q_ratio: 0.0, policy_surprise_weight: 0.0 })
        .expect("a game");
    let mut labeled = set.positions()[0].clone();
    labeled.position = labeled.last.as_deref().expect("the game ended").clone();
    let (kind, squares) = ("resnet 1x8 ownership".parse().expect("a kind"), G::SQUARES);
    for symmetry in 0..G::SYMMETRIES {
        let sample = labeled.sample(&kind, symmetry);
        let discs = (0..squares).map(|at| sample.input[at] - sample.input[squares + at]);
        assert_eq!(sample.ownership, discs.collect::<Vec<_>>());
    }
}

#[test]
fn ownership_targets_match_the_discs() {
    ownership_is_symmetric::<TicTacToe>();
    ownership_is_symmetric::<Othello>();
}
