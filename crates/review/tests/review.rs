//! Games with known mistakes.

use tablero_chess::Chess;
use tablero_core::{
    AnyGame, AnyGameHistory, AnyPlayer, AnyRecord, ErasedPlayer, Game as _, Limits, Playable, Side,
    Value,
};
use tablero_othello::Othello;
use tablero_review::{Review, ReviewError, Reviewer, Verdict};
use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};

const CHESS: AnyGame = AnyGame::of::<Chess>();

fn chess(moves: &str) -> AnyRecord {
    let game = CHESS.parse_history(&format!("start moves {moves}"), CHESS.default_rules());
    AnyRecord::from_history(&game.expect("legal moves"))
}

fn alphabeta<G: Playable>() -> Box<AnyPlayer> {
    let evaluation = G::evaluations()[0].hand_tuned();
    let player = AlphaBeta::new(AlphaBetaOptions::for_game::<G>(), evaluation);
    Box::new(ErasedPlayer::new(Box::new(player)))
}

fn review<G: Playable>(record: &AnyRecord, depth: u32) -> Review {
    let mut player = alphabeta::<G>();
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let review = Reviewer::new(player.as_mut(), limits).review(record, |_| true);
    review.expect("a review").expect("not cancelled")
}

#[test]
fn the_fools_mate_is_a_blunder_and_a_best_move() {
    let game = chess("f3 e5 g4 Qh4");
    let review = review::<Chess>(&game, 3);
    assert_eq!(review.moves[2].verdict, Verdict::Blunder);
    assert_eq!(review.moves[2].after.0, Value::LossIn(1));
    assert_eq!(review.moves[3].verdict, Verdict::Best);
    assert_eq!(review.moves[3].after.0, Value::LossIn(0));
    let [white, black] = review.accuracy.map(|accuracy| accuracy.expect("both had a choice"));
    assert!(white < 80.0 && black > 90.0, "{white} {black}");
    assert_eq!(review.count(Side::First, Verdict::Blunder), 1);
}

#[test]
fn endgame_losses_in_othello_are_exact_discs() {
    // In the last moves of a random game every loss is a difference of exact scores.
    let mut rng = tablero_core::Rng::seeded(5);
    let mut game = AnyGameHistory::new(AnyGame::of::<Othello>().start());
    while let Some(m) = game.position().random_move(&mut rng) {
        game.play(m).expect("legal");
    }
    let review = review::<Othello>(&AnyRecord::from_history(&game), 8);
    let last = &review.moves[review.moves.len() - 8..];
    for reviewed in last {
        let units = reviewed.loss.units.expect("discs");
        assert_eq!(units.fract(), 0.0, "{reviewed:?}");
        assert!(units >= 0.0 && (units == 0.0 || !reviewed.forced));
    }
    let end = game.end().expect("over").outcome.margin().0;
    assert_eq!(last[7].after.0, Value::Centi(100 * i32::from(end)));
}

#[test]
fn an_annotated_game_can_be_written_and_read() {
    let mut game = chess("f3 e5 g4 Qh4");
    game.plies[0].comment = "a comment".into();
    let review = review::<Chess>(&game, 3);
    review.annotate(&mut game);
    assert_eq!(game.plies[2].glyphs, [4]);
    assert_eq!(game.plies[2].variations.len(), 1);
    assert_eq!(game.plies[0].comment, "a comment");
    // Annotating is idempotent.
    let once = game.clone();
    review.annotate(&mut game);
    assert_eq!(game, once);
}

#[test]
fn a_review_can_be_cancelled_and_needs_moves() {
    let mut player = alphabeta::<Chess>();
    let limits = Limits { depth: Some(2), ..Limits::default() };
    let mut reviewer = Reviewer::new(player.as_mut(), limits);
    let game = chess("e4 e5");
    assert_eq!(reviewer.review(&game, |progress| progress.done < 1), Ok(None));
    let empty = AnyRecord::new(CHESS.start());
    assert_eq!(reviewer.review(&empty, |_| true), Err(ReviewError::NoMoves));
}
