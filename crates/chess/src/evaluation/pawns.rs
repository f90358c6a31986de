//! Chains, islands and weaknesses of pawns.

use cozy_chess::{BitBoard, Piece};

use super::tapered::Tapered;
use super::terms::Terms;
use super::view::{View, beside, down, files, fill_down, fill_up, up};

pub(super) fn pawns(view: &View, terms: &Terms) -> Tapered {
    let (own, other) = (view.own[Piece::Pawn], view.other[Piece::Pawn]);
    // Weak pawns on files without enemy pawns in front are targets of rooks.
    let exposed = !fill_down(other);
    let isolated = own & !beside(files(own));
    let backward = backward(view) & !isolated;
    let mut sum = terms.doubled * (own & fill_up(up(own))).len()
        + terms.isolated * isolated.len()
        + terms.isolated_open * (isolated & exposed).len()
        + terms.backward * backward.len()
        + terms.backward_open * (backward & exposed).len();
    for pawn in own & (view.own.pawn_attacks | beside(own)) {
        sum += terms.connected[pawn.rank() as usize];
    }
    sum
}

/// Pawns that are stopped by an enemy pawn's attack and that no pawn beside or behind can help on.
fn backward(view: &View) -> BitBoard {
    let own = view.own[Piece::Pawn];
    let helped = fill_up(beside(own));
    own & !helped & down(view.other.pawn_attacks)
}

/// Pawns that no enemy pawn can stop any more; of several on a file the foremost.
pub(super) fn passed(view: &View) -> BitBoard {
    let (own, other) = (view.own[Piece::Pawn], view.other[Piece::Pawn]);
    own & !fill_down(down(other | own) | view.other.pawn_attacks)
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
            "a4 can be taken, b4 is stopped, e3 is behind"
        );
        assert_eq!(passed("4k3/8/8/8/4Pp2/8/8/4K3 w - - 0 1"), Square::E4.into(), "past it");
    }

    #[test]
    fn finds_backward_pawns() {
        let backward = |fen| backward(&view(fen));
        assert_eq!(backward("4k3/8/4p3/3p4/3P4/2P5/1P6/4K3 w - - 0 1"), BitBoard::EMPTY);
        assert_eq!(backward("4k3/8/8/3p4/2P5/3P4/8/4K3 w - - 0 1"), BitBoard::EMPTY);
        let held = backward("4k3/8/8/1p1p4/1P1P4/2P5/8/4K3 w - - 0 1");
        assert_eq!(held, Square::C3.into());
    }
}
