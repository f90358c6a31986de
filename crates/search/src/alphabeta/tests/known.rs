//! Positions with known values.

use tablero_chess::Chess;
use tablero_core::{ForFirst, Notation, Selectivity, StandardRules, Value, Wdl};
use tablero_othello::Othello;

use super::*;
use crate::score;

/// TT cutoffs by deeper entries: the only selectivity that cannot miss anything.
const DEEPER_TT_ENTRIES: Selectivity = Selectivity { deeper_tt_entries: true, ..Selectivity::NONE };

fn chess(fen: &str) -> Chess {
    Chess::parse_position(fen, Default::default()).expect("a position")
}

/// Positions with a mate: FEN, first move, moves to mate.
const MATES: [(&str, &str, u32); 5] = [
    ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra8#", 1),
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "Ra6", 2),
    ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", "Bc5+", 3),
    ("r3k2r/ppp2Npp/1b5n/4p2b/2B1P2q/BQP2P2/P5PP/RN5K w kq - 1 0", "Bb5+", 3),
    ("r2n1rk1/1ppb2pp/1p1p4/3Ppq1n/2B3P1/2P4P/PP1N1P1K/R2Q1RN1 b - - 0 1", "Qxf2+", 3),
];

#[test]
fn finds_mates() {
    for (fen, best, moves) in MATES {
        let game = GameHistory::new(Bare(chess(fen)));
        for (selectivity, quiescence) in [(Selectivity::NONE, 0), (DEEPER_TT_ENTRIES, 5)] {
            let exact = exact_options(2 * moves - 1);
            let options = AlphaBetaOptions { selectivity, quiescence, hash_mb: 1, ..exact };
            let found = search(&mut AlphaBeta::new(options, Box::new(Hashed(1))), &game);
            let text = game.position().0.move_text(found.best_move);
            let line = &found.info.lines[0];
            assert_eq!((line.value.0, &*text), (Value::WinIn(moves), best), "{fen}");
            assert_eq!(line.moves.len() as u32, 2 * moves - 1, "{fen}");
        }
    }
}

/// Pruning may delay a sacrifice, but must not lose it.
#[test]
fn finds_mates_with_all_pruning_and_reductions() {
    let selectivity = Selectivity {
        deeper_tt_entries: true,
        null_move: true,
        late_move_reductions: true,
        late_move_pruning: true,
        futility: Some(100),
        reverse_futility: Some(100),
        check_extension: true,
        quiescence_tt: true,
        delta: Some(150),
        exchange_pruning: Some(100),
        razoring: Some(200),
        probcut: Some(150),
        internal_iterative_reduction: true,
        singular_extension: true,
        correction_history: true,
    };
    for (fen, best, moves) in MATES {
        let game = GameHistory::new(chess(fen));
        let mut options = AlphaBetaOptions::for_game::<Chess>();
        options.selectivity = selectivity;
        // Quiet sacrifices are reduced much.
        options.limits.depth = Some(2 * moves + 14);
        options.hash_mb = 1;
        let evaluation = Chess::evaluations()[0].hand_tuned();
        let found = search(&mut AlphaBeta::new(options, evaluation), &game);
        assert_eq!(found.info.lines[0].value.0, Value::WinIn(moves), "{fen}");
        assert_eq!(game.position().move_text(found.best_move), best, "{fen}");
    }
}

#[test]
fn sees_that_it_is_lost() {
    let game = GameHistory::new(Bare(chess("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1")));
    let found = search(&mut AlphaBeta::new(exact_options(6), Box::new(Hashed(1))), &game);
    assert_eq!(found.info.lines[0].value.0, Value::LossIn(1));
    assert_eq!(found.info.depth, 2, "stops once the mate is proven");
}

#[test]
fn keeps_a_draw_by_repetition() {
    // White, far behind, has a perpetual check from e8 and h5.
    let game = GameHistory::new(Bare(chess("6k1/6p1/8/7Q/8/8/rr6/7K w - - 0 1")));
    let found = search(&mut AlphaBeta::new(exact_options(7), Box::new(Behind)), &game);
    assert_eq!(found.info.lines[0].value.0, Value::Centi(0));
}

/// White is always losing.
struct Behind;

impl<G: GameType> Evaluation<G> for Behind {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        ForFirst(-500).for_mover(position.side())
    }
}

#[test]
fn solves_othello_endgames() {
    for number in 0..4 {
        let mut rng = Rng::for_stream(11, number);
        let game = random_game::<Bare<Othello>>(52, &mut rng);
        assert!(game.plies() > 50, "eight or nine squares are empty");
        let expected = all_values(&game, 30, &Hashed(1))[0];
        for selectivity in [Selectivity::NONE, DEEPER_TT_ENTRIES] {
            let options = AlphaBetaOptions { hash_mb: 1, selectivity, ..exact_options(30) };
            let found = search(&mut AlphaBeta::new(options, Box::new(Hashed(1001))), &game);
            assert_eq!(found.exact[0].1, expected, "{:?}", game.position());
            assert!(found.info.depth < 20, "stops once the tree is exhausted");
            let margin = expected - expected.signum() * score::WIN;
            assert_eq!(found.info.lines[0].value.0, Value::Centi(100 * margin));
        }
    }
}

/// Plays `player` as `side` against all replies; false if it ever loses.
fn never_loses(
    player: &mut AlphaBeta<TicTacToe>,
    game: &mut GameHistory<TicTacToe>,
    side: Side,
) -> bool {
    if let Some(end) = game.end() {
        return end.outcome.wdl(side) != Wdl::Loss;
    }
    let moves = if game.position().side() == side {
        vec![choose(player, game, &Limits::default()).m]
    } else {
        game.moves()
    };
    moves.into_iter().all(|m| {
        game.play(m).expect("legal");
        let fine = never_loses(player, game, side);
        game.undo();
        fine
    })
}

#[test]
fn plays_tictactoe_perfectly() {
    let options = AlphaBetaOptions { hash_mb: 0, ..AlphaBetaOptions::for_game::<TicTacToe>() };
    let mut player = AlphaBeta::new(options, TicTacToe::evaluations()[0].hand_tuned());
    let mut game = GameHistory::new(TicTacToe::start(StandardRules));
    let start = search(&mut player, &game);
    assert_eq!(start.info.lines[0].value.0, Value::Centi(0));
    assert_eq!(start.info.lines[0].moves.len(), 9);
    for side in Side::BOTH {
        assert!(never_loses(&mut player, &mut game, side));
    }
}
