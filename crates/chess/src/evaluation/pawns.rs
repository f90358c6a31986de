//! Pawn structure: doubled, isolated, backward and connected pawns; detection of passed pawns.

use cozy_chess::{BitBoard, Piece};

use super::sum::Sum;
use super::terms::Terms;
use super::view::{View, east_and_west, file_fill, north, north_fill, south, south_fill};

pub(super) fn pawns<S: Sum>(view: &View, terms: &Terms) -> S {
    let mut sum = S::default();
    let (own, other) = (view.own[Piece::Pawn], view.other[Piece::Pawn]);
    // Weak pawns on half-open files are exposed to rooks.
    let exposed = !south_fill(other);
    let isolated = own & !east_and_west(file_fill(own));
    let backward = backward(view) & !isolated;
    sum.add_set("doubled", terms.doubled, own & north_fill(north(own)));
    sum.add_set("isolated", terms.isolated, isolated);
    sum.add_set("isolated-open", terms.isolated_open, isolated & exposed);
    sum.add_set("backward", terms.backward, backward);
    sum.add_set("backward-open", terms.backward_open, backward & exposed);
    for pawn in own & (view.own.pawn_attacks | east_and_west(own)) {
        sum.add_entry("connected", terms.connected[pawn.rank() as usize], pawn.bitboard());
    }
    sum
}

/// Backward pawns: the stop square is attacked by an enemy pawn, and no own pawn on an adjacent file
/// is level or behind to support the advance.
fn backward(view: &View) -> BitBoard {
    let own = view.own[Piece::Pawn];
    let supported = north_fill(east_and_west(own));
    own & !supported & south(view.other.pawn_attacks)
}

/// Passed pawns: no enemy pawn ahead on the same or an adjacent file; of doubled ones the foremost.
pub(super) fn passed(view: &View) -> BitBoard {
    let (own, other) = (view.own[Piece::Pawn], view.other[Piece::Pawn]);
    own & !south_fill(south(other | own) | view.other.pawn_attacks)
}

#[cfg(test)]
mod tests {
    use cozy_chess::{Color, Square};

    use super::*;

    fn view(fen: &str) -> View {
        View::of(&fen.parse().expect("a board"), Color::White)
    }

    #[test]
    fn finds_passed_pawns() {
        let passed = |fen| passed(&view(fen));
        assert_eq!(
            passed("4k3/6p1/8/1p6/PP2P3/4P3/6P1/4K3 w - - 0 1"),
            Square::E4.into(),
            "a4 can be captured, b4 is blocked, e3 is behind"
        );
        assert_eq!(passed("4k3/8/8/8/4Pp2/8/8/4K3 w - - 0 1"), Square::E4.into(), "past it");
    }

    #[test]
    fn finds_backward_pawns() {
        let backward = |fen| backward(&view(fen));
        assert_eq!(backward("4k3/8/4p3/3p4/3P4/2P5/1P6/4K3 w - - 0 1"), BitBoard::EMPTY);
        assert_eq!(backward("4k3/8/8/3p4/2P5/3P4/8/4K3 w - - 0 1"), BitBoard::EMPTY);
        let blocked = backward("4k3/8/8/1p1p4/1P1P4/2P5/8/4K3 w - - 0 1");
        assert_eq!(blocked, Square::C3.into());
    }
}
