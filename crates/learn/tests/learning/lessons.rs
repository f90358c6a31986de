//! Positions to learn from.

use tablero_chess::Chess;
use tablero_connectfour::ConnectFour;
use tablero_core::{Game, GameType, Side};
use tablero_learn::{
    Fit, FitPlan, GamesTask, Learnable, Lessons, Schedule, Source, Style, Targets, TrainerName,
};
use tablero_nets::{Dims, Weights};
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use crate::{game, play, some_games};

/// A position seen through a symmetry has the same legal moves with the same targets.
fn symmetric_lessons<G: Learnable>() {
    let (games, task) = some_games(game(G::NAME), "random");
    let mut lessons = Lessons::<G>::default();
    for game in &games {
        lessons.add(game, &Targets { trust: 0.0, surprise: 0.5 }).expect("a game");
    }
    assert!(lessons.len() > 10 && lessons.games() == 3);
    let kind = "resnet 1x4".parse().expect("a kind");
    for lesson in lessons.all() {
        for symmetry in 0..G::SYMMETRIES {
            let sample = lesson.sample(&kind, symmetry);
            let position = lesson.position.transform(symmetry);
            let sum: f32 = sample.moves.iter().map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-3);
            for (outputs, _) in &sample.moves {
                assert!(position.move_of(*outputs).is_some(), "{position:?}");
            }
        }
    }
    let same = play(game(G::NAME), &GamesTask { first: 2, count: 1, ..task });
    assert_eq!(same[0], games[2], "games do not depend on others");
}

#[test]
fn lessons_are_symmetric() {
    symmetric_lessons::<Othello>();
    symmetric_lessons::<Chess>();
    symmetric_lessons::<Shobu>();
    symmetric_lessons::<ConnectFour>();
    symmetric_lessons::<TicTacToe>();
}

/// A search that reckons in results says what it expects, also of moves that it does not play.
#[test]
fn expected_results_are_learned_as_they_are() {
    let entry = game(TicTacToe::NAME);
    let task = GamesTask {
        game: TicTacToe::NAME.into(),
        rules: String::new(),
        source: Source::Teacher("mcts iterations=2000".into()),
        style: Style {
            full_share: 1.0,
            random_plies: 0,
            random_share: 0.0,
            ..Style::usual(entry.game())
        },
        seed: 4,
        first: 0,
        count: 1,
        keep_times: false,
        rating: None,
    };
    let games = play(entry, &task);
    let game = &games[0];
    // About half a point; taken for an evaluation's hundredths it would be a tenth.
    let first = &game.notes[0];
    assert!((3000..8000).contains(&first.value), "{first:?}");
    assert_eq!(game.others.iter().filter(|(ply, ..)| *ply == 0).count(), 8);
    let lessons = |trust| {
        let mut lessons = Lessons::<TicTacToe>::default();
        lessons.add(game, &Targets { trust, surprise: 0.0 }).expect("a game");
        lessons
    };
    assert_eq!(lessons(0.0).len(), game.notes.len());
    let all = lessons(1.0);
    assert!(all.len() <= game.notes.len() + game.others.len() + game.replies.len());
    // What one side would gain the other would lose.
    let other = &all.all()[game.notes.len()];
    assert_eq!(other.value.0, -f32::from(game.others[0].2) / 10_000.0);
    assert_eq!(other.position.side(), Side::Second);
    assert!(game.replies.iter().filter(|(ply, ..)| *ply == 0).count() > 40, "of 72");
    assert!(all.len() > game.notes.len() + game.others.len(), "replies too");
    let mut broken = game.clone();
    broken.others[0].1 = 99;
    let error =
        Lessons::<TicTacToe>::default().add(&broken, &Targets { trust: 1.0, surprise: 0.0 });
    assert!(error.expect_err("no such move").contains("no move"));
    let mut broken = game.clone();
    broken.replies[0].2 = 99;
    let error =
        Lessons::<TicTacToe>::default().add(&broken, &Targets { trust: 1.0, surprise: 0.0 });
    assert!(error.expect_err("no such reply").contains("no move"));
}

/// The head for owners of squares learns from how games ended.
#[test]
fn owners_are_learned() {
    let (games, _) = some_games(game(TicTacToe::NAME), "random");
    let mut lessons = Lessons::<TicTacToe>::default();
    for game in &games {
        lessons.add(game, &Targets { trust: 0.0, surprise: 0.0 }).expect("a game");
    }
    let kind = "resnet 1x8 ownership".parse().expect("a kind");
    let sample = lessons.all()[0].sample(&kind, 0);
    let last = lessons.all()[0].last.as_ref().expect("the game ended");
    let owners: Vec<f32> = (0..9)
        .map(|square| match last.owner(square) {
            None => 0.0,
            Some(owner) if owner == lessons.all()[0].position.side() => 1.0,
            Some(_) => -1.0,
        })
        .collect();
    assert_eq!(sample.ownership, owners);
    let plain = "resnet 1x8".parse().expect("a kind");
    assert!(lessons.all()[0].sample(&plain, 0).ownership.is_empty());
    let plan = FitPlan {
        rate: 0.01,
        schedule: Schedule::Constant,
        steps: 150,
        batch: 16,
        sgd: false,
        decay: 0.0,
        in_turn: true,
        symmetries: true,
        seed: 1,
        trainer: TrainerName::default(),
    };
    let weights = Weights::random(kind, &Dims::of::<TicTacToe>(), 1).expect("fits");
    let mut fit = Fit::new(lessons.all(), plan, weights, 1).expect("fits");
    let first = fit.step().ownership;
    while fit.done() < 149 {
        fit.step();
    }
    let last = fit.step().ownership;
    assert!(last < 0.5 * first, "{first} {last}");
}

/// Owners are seen through symmetries as the discs are.
fn owners_are_symmetric<G: Learnable>() {
    let (games, _) = some_games(game(G::NAME), "random");
    let mut lessons = Lessons::<G>::default();
    lessons.add(&games[0], &Targets { trust: 0.0, surprise: 0.0 }).expect("a game");
    let mut lesson = lessons.all()[0].clone();
    lesson.position = lesson.last.as_deref().expect("the game ended").clone();
    let (kind, squares) = ("resnet 1x8 ownership".parse().expect("a kind"), G::SQUARES);
    for symmetry in 0..G::SYMMETRIES {
        let sample = lesson.sample(&kind, symmetry);
        let discs = (0..squares).map(|at| sample.input[at] - sample.input[squares + at]);
        assert_eq!(sample.ownership, discs.collect::<Vec<_>>());
    }
}

#[test]
fn owners_are_those_of_the_discs() {
    owners_are_symmetric::<TicTacToe>();
    owners_are_symmetric::<Othello>();
}
