//! The hand-written evaluation of chess in elementary endgames, searched with few nodes.

use std::sync::atomic::AtomicBool;

use tablero_chess::Chess;
use tablero_core::{
    Control, Game, GameHistory, Limits, Notation, Outcome, Player, SearchResult, Tactics, Value,
};
use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};

const NODES: u64 = 3000;

fn chess(fen: &str) -> Chess {
    Chess::parse_position(fen, Default::default()).expect(fen)
}

fn player() -> AlphaBeta<Chess> {
    let mut options = AlphaBetaOptions::for_game::<Chess>();
    options.limits.nodes = Some(NODES);
    options.hash_mb = 1;
    AlphaBeta::new(options, Chess::evaluations()[0].hand_tuned())
}

fn choose(player: &mut AlphaBeta<Chess>, game: &GameHistory<Chess>) -> SearchResult<Chess> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = Control::new(&stop, &mut ignore);
    player.choose(game, &Limits::default(), &mut control).expect("the game is not over")
}

/// How a game between two equal players ends, and after how many plies; none if a draw is declared.
fn play(fen: &str) -> (Option<Outcome>, usize) {
    let mut game = GameHistory::new(chess(fen));
    let mut players = [player(), player()];
    while game.end().is_none() {
        let result = choose(&mut players[game.plies() % 2], &game);
        game.play(result.m).expect("legal");
    }
    (game.position().outcome(), game.plies())
}

/// Checks that White mates within fifty moves.
fn assert_won(fen: &str) {
    let (outcome, plies) = play(fen);
    assert_eq!(outcome, Some(Outcome::win(tablero_core::Side::First)), "{fen}");
    assert!(plies <= 100, "{fen}: {plies}");
}

#[test]
fn mates_with_queen_or_rook() {
    for fen in [
        "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1",
        "8/8/4k3/8/8/2K5/8/7Q b - - 0 1",
        "8/8/8/3k4/8/8/8/R3K3 w - - 0 1",
        "8/8/4k3/8/8/2K5/8/7R b - - 0 1",
        "3R4/8/8/4k3/8/8/1K6/8 w - - 0 1",
    ] {
        assert_won(fen);
    }
}

#[test]
fn mates_with_two_bishops() {
    assert_won("8/8/8/3k4/8/8/8/2BBK3 w - - 0 1");
}

/// From the centre and from a corner of the wrong colour.
#[test]
fn mates_with_bishop_and_knight() {
    for fen in [
        "8/8/8/3k4/8/8/8/2B1K1N1 w - - 0 1",
        "8/8/8/3k4/8/8/8/4KBN1 w - - 0 1",
        "k7/8/8/8/8/2K5/8/2B3N1 b - - 0 1",
        "7k/8/5K2/8/5N2/8/2B5/8 w - - 0 1",
    ] {
        assert_won(fen);
    }
}

#[test]
fn wins_with_a_queen_against_a_pawn_on_the_seventh() {
    for fen in [
        "8/8/8/8/1Q6/K7/6pk/8 w - - 0 1",
        "8/8/8/8/8/Q7/K5p1/7k w - - 0 1",
        "8/8/8/8/1Q6/K7/4p1k1/8 w - - 0 1",
    ] {
        assert_won(fen);
    }
}

#[test]
fn wins_with_a_pawn_if_it_can_be_won() {
    assert_won("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1");
    assert_won("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1");
    let (outcome, _) = play("8/8/4k3/8/4P3/4K3/8/8 b - - 0 1");
    assert_eq!(outcome, None, "Black keeps the opposition");
}

/// Draws that look won, a queen up: the search promises less than two pawns.
#[test]
fn does_not_claim_a_win_in_drawn_endgames() {
    for fen in [
        "8/8/8/8/1Q6/K7/5pk1/8 w - - 0 1",
        "8/8/8/K7/8/1Q6/5p1k/8 w - - 0 1",
        "8/8/8/7K/8/8/pk6/3Q4 w - - 0 1",
        "8/8/8/8/6K1/8/pk6/3Q4 w - - 0 1",
        "7k/8/8/5K1P/8/8/8/5B2 w - - 0 1",
        "4k3/8/8/4b3/8/8/8/R3K3 w - - 0 1",
        "8/4k3/8/4K3/4P3/8/8/8 w - - 0 1",
        "8/8/3bk3/8/3PK3/8/4B3/8 w - - 0 1",
    ] {
        let result = choose(&mut player(), &GameHistory::new(chess(fen)));
        let value = result.info.lines[0].value.0;
        assert!(matches!(value, Value::Centi(value) if value.abs() <= 200), "{fen}: {value:?}");
    }
}
