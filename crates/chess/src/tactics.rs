//! Search knowledge: MVV-LVA and SEE move ordering, captures and promotions for quiescence search,
//! check detection, null moves, measured pruning parameters.

mod see;

use cozy_chess::{BitBoard, Color, Move, Piece, Rank, Square};
use tablero_core::{CORRECTION_KEYS, EvaluationKind, Game, Selectivity, Tactics, WdlModel};

use crate::{Chess, evaluation};

pub use see::see;

/// Piece values in centipawns for exchanges, pawn to king. The king's only has to exceed all others.
pub(crate) const PIECE_VALUES: [i32; Piece::NUM] = [100, 320, 330, 500, 950, 10_000];

/// Bonus of captures and promotions with SEE >= 0: it puts them before quiet moves with a good
/// history, which saves some 12 % of the nodes.
const GOOD_CAPTURE_BONUS: i32 = 300;

impl Chess {
    /// The piece that `m` captures.
    #[inline]
    fn captured_piece(&self, m: Move) -> Option<Piece> {
        let board = self.board();
        if board.colors(!board.side_to_move()).has(m.to) {
            return board.piece_on(m.to);
        }
        // A pawn that changes its file onto an empty square captures en passant.
        let en_passant = m.from.file() != m.to.file() && board.pieces(Piece::Pawn).has(m.from);
        en_passant.then_some(Piece::Pawn)
    }

    /// The square behind a pawn that has just made a double push.
    #[inline]
    fn en_passant_target(&self) -> BitBoard {
        let board = self.board();
        let rank = Rank::Sixth.relative_to(board.side_to_move());
        let square = board.en_passant().map(|file| Square::new(file, rank));
        square.map_or(BitBoard::EMPTY, Square::bitboard)
    }
}

/// A hash of sets of squares.
#[inline]
fn mixed(sets: impl IntoIterator<Item = u64>) -> u64 {
    sets.into_iter().fold(0, |hash: u64, set| {
        let mixed = (hash.rotate_left(17) ^ set).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 32
    })
}

impl Tactics for Chess {
    /// Piece-to history.
    const HISTORY_SLOTS: usize = Piece::NUM * Square::NUM;

    const WDL_MODEL: WdlModel = WdlModel { midpoint: 100.0, scale: 100.0 };
    /// All against none: +338 Elo (+242 to +506, 95 %, 40 games at 5,000 nodes per move from random
    /// balanced openings). Gain of each against the rest without it, at 8,000 nodes: null move
    /// +42 ± 63, LMR +28 ± 64, LMP +104 ± 75, futility +39 ± 70, reverse futility +8 ± 68, check
    /// extension +67 ± 85 (58 to 100 games each); deeper table results were not measured alone.
    const SELECTIVITY: Selectivity = Selectivity {
        deeper_tt_entries: true,
        null_move: true,
        late_move_reductions: true,
        late_move_pruning: true,
        futility: Some(90),
        reverse_futility: Some(80),
        check_extension: true,
        quiescence_tt: true,
        delta: Some(150),
        exchange_pruning: Some(100),
        razoring: Some(250),
        probcut: Some(180),
        internal_iterative_reduction: true,
        singular_extension: true,
        correction_history: true,
    };

    #[inline]
    fn evaluations() -> &'static [EvaluationKind<Self>] {
        evaluation::KINDS
    }

    #[inline]
    fn history_slot(&self, m: Move) -> usize {
        let piece = self.board().piece_on(m.from).unwrap_or(Piece::Pawn);
        piece as usize * Square::NUM + m.to as usize
    }

    /// Captures: MVV-LVA plus a bonus if SEE >= 0, else the (negative) SEE. Quiet moves: 0.
    #[inline]
    fn move_order_score(&self, m: Move) -> i32 {
        let captured = self.captured_piece(m);
        match m.promotion {
            None if captured.is_none() => return 0,
            None | Some(Piece::Queen) => {}
            // Underpromotions are rarely better than a queen.
            Some(piece) => {
                return PIECE_VALUES[piece as usize] - PIECE_VALUES[Piece::Queen as usize];
            }
        }
        let mover = self.board().piece_on(m.from).unwrap_or(Piece::Pawn);
        let gain = captured.map_or(0, |piece| PIECE_VALUES[piece as usize])
            + m.promotion.map_or(0, |piece| {
                PIECE_VALUES[piece as usize] - PIECE_VALUES[Piece::Pawn as usize]
            });
        // Capturing a piece at least as valuable cannot lose material: no SEE needed.
        if gain < PIECE_VALUES[m.promotion.unwrap_or(mover) as usize] {
            let see = see(self.board(), m);
            if see < 0 {
                return see;
            }
        }
        GOOD_CAPTURE_BONUS + gain - mover as i32
    }

    #[inline]
    fn is_noisy(&self, m: Move) -> bool {
        m.promotion.is_some() || self.captured_piece(m).is_some()
    }

    #[inline]
    fn each_noisy_move(&self, mut visit: impl FnMut(Move)) {
        let board = self.board();
        let mover = board.side_to_move();
        let enemies = board.colors(!mover);
        let last_rank = Rank::Eighth.relative_to(mover).bitboard();
        let en_passant = self.en_passant_target();
        board.generate_moves(|mut moves| {
            moves.to &= match moves.piece {
                Piece::Pawn => enemies | last_rank | en_passant,
                _ => enemies,
            };
            for m in moves {
                visit(m);
            }
            false
        });
    }

    #[inline]
    fn exchange_gains(&self, m: Move, threshold: i32) -> bool {
        let captured = self.captured_piece(m).map_or(0, |piece| PIECE_VALUES[piece as usize]);
        if m.promotion.is_none() {
            if captured < threshold {
                return false;
            }
            let mover = self.board().piece_on(m.from).unwrap_or(Piece::Pawn);
            if captured - PIECE_VALUES[mover as usize] >= threshold {
                return true;
            }
        }
        see(self.board(), m) >= threshold
    }

    /// The pawns, and the other pieces of either side.
    #[inline]
    fn correction_keys(&self) -> [u64; CORRECTION_KEYS] {
        let board = self.board();
        let pieces = |color| {
            let sets = Piece::ALL[1..].iter().map(|&piece| board.colored_pieces(color, piece).0);
            mixed(sets)
        };
        let pawns = Color::ALL.map(|color| board.colored_pieces(color, Piece::Pawn).0);
        [mixed(pawns), pieces(Color::White), pieces(Color::Black)]
    }

    #[inline]
    fn in_check(&self) -> bool {
        !self.board().checkers().is_empty()
    }

    /// Not with king and pawns only: pawn endgames are full of zugzwang.
    #[inline]
    fn null_move(&self) -> Option<Self> {
        let board = self.board();
        let pawns_and_kings = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
        if board.colors(board.side_to_move()).is_subset(pawns_and_kings) {
            return None;
        }
        let board = board.null_move()?;
        Some(Self::new(board, self.halfmove_clock(), self.rules()))
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Notation, Rng};

    use super::*;
    use crate::ChessRules;

    fn position(fen: &str) -> Chess {
        Chess::parse_position(fen, ChessRules::Standard).expect("a position")
    }

    fn move_order_score(fen: &str, m: &str) -> i32 {
        let position = position(fen);
        position.move_order_score(position.parse_move(m).expect("a legal move"))
    }

    #[test]
    fn noisy_moves_are_captures_and_promotions() {
        let mut rng = Rng::seeded(5);
        for game in 0..100 {
            let mut position = Chess::chess960(rng.below(960) as u32).expect("a start");
            for _ in 0..game {
                let Some(m) = position.random_move(&mut rng) else {
                    break;
                };
                let count = |position: &Chess| position.board().occupied().len();
                let noisy = position.is_noisy(m);
                let is_capture = count(&position.after(m)) < count(&position);
                assert_eq!(noisy, is_capture || m.promotion.is_some(), "{position:?} {m}");
                let mut listed = Vec::new();
                position.each_noisy_move(|m| listed.push(m));
                let mut all = position.moves();
                all.retain(|&m| position.is_noisy(m));
                assert_eq!(listed, all, "{position:?}");
                position.play(m);
            }
        }
    }

    #[test]
    fn captures_are_ordered_by_mvv_lva_and_see() {
        let fen = "3r2k1/1P3ppp/8/3q1p2/4P1n1/2N4P/5PP1/3Q2K1 w - - 0 1";
        let order = ["exd5", "Nxd5", "Qxd5", "hxg4", "exf5", "g3", "b8=Q", "Qxg4", "b8=N"];
        let scores = order.map(|m| move_order_score(fen, m));
        assert!(scores.is_sorted_by(|a, b| a > b), "{scores:?}");
        assert_eq!(scores[5], 0, "a quiet move");
    }

    #[test]
    fn en_passant_is_a_noisy_winning_capture() {
        let fen = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2";
        assert!(move_order_score(fen, "exd6") > 0);
        assert!(position(fen).is_noisy(position(fen).parse_move("exd6").expect("legal")));
    }

    #[test]
    fn null_moves_need_pieces_and_no_check() {
        let skips = |fen| position(fen).null_move().map(|skipped| skipped.position_text());
        assert_eq!(
            skips("4k3/8/8/8/4p3/8/3P4/N3K3 w - - 7 20").as_deref(),
            Some("4k3/8/8/8/4p3/8/3P4/N3K3 b - - 7 20"),
        );
        assert_eq!(skips("4k3/8/8/8/4p3/8/3P4/4K3 w - - 7 20"), None, "only pawns");
        assert_eq!(skips("4k3/8/8/8/1b6/8/8/N3K3 w - - 7 20"), None, "in check");
        let after_double_push = "4k3/8/8/3pP3/8/8/8/R3K3 w - d6 0 2";
        let skipped = position(after_double_push).null_move().expect("a rook is there");
        assert_eq!(skipped.en_passant(), None, "the right expires");
    }
}
