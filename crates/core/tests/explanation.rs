//! What pieces are worth, by taking them off the board.

use tablero_core::{Game, Notation, Side, StandardRules, TermCell, removal_terms};
use tablero_tictactoe::TicTacToe;

/// A cross is worth 2, a ring 3.
fn value(position: &TicTacToe) -> f64 {
    let cells = position.diagram().cells;
    let count = |side: Side| {
        cells.iter().filter(|cell| cell.piece.is_some_and(|piece| piece.side == side)).count()
    };
    let crosses = 2.0 * count(Side::First) as f64 - 3.0 * count(Side::Second) as f64;
    if position.side() == Side::First { crosses } else { -crosses }
}

#[test]
fn removing_a_piece_shows_what_it_is_worth() {
    let position = TicTacToe::parse_position("x x.. .o. ...", StandardRules).expect("a position");
    let terms = removal_terms(&position, value(&position), value);
    let named: Vec<_> =
        terms.iter().map(|term| (term.about.en.as_str(), term.contribution)).collect();
    assert_eq!(named, [("X a1", 2.0), ("O b2", -3.0)]);
    assert_eq!(terms[1].cells, [TermCell { cell: 4, value: -1.0 }]);
    assert_eq!((terms[1].value, terms[1].weight), (-1.0, 3.0));
}
