//! King and pawn against king: a bitbase of all positions, which retrograde analysis computes when it is first
//! needed.
//!
//! For every pawn and weak king a bitboard holds the strong king's winning squares, so that a step of the
//! analysis treats all strong kings at once. The strong side moves north; pawns on the files e to h are
//! mirrored.

use std::sync::LazyLock;

use cozy_chess::{BitBoard, Color, File, Rank, Square, get_king_moves, get_pawn_attacks};

use super::super::view::{east_and_west, north, south};

/// Pawn squares: files a to d, ranks 2 to 7.
const PAWNS: usize = 24;

/// The strong king's winning squares, by the weak king's square.
type WinningKings = [BitBoard; Square::NUM];

/// By the pawn's square, with the strong or the weak side to move: 24 kB.
struct Bitbase {
    strong_to_move: [WinningKings; PAWNS],
    weak_to_move: [WinningKings; PAWNS],
}

static BITBASE: LazyLock<Box<Bitbase>> = LazyLock::new(Bitbase::compute);

/// Whether the side with the pawn wins.
pub(in super::super) fn is_won(
    king: Square,
    pawn: Square,
    weak_king: Square,
    strong_to_move: bool,
) -> bool {
    let mirrors = pawn.file() > File::D;
    let [king, pawn, weak_king] =
        [king, pawn, weak_king].map(|square| if mirrors { square.flip_file() } else { square });
    let side = match strong_to_move {
        true => &BITBASE.strong_to_move,
        false => &BITBASE.weak_to_move,
    };
    pawn_index(pawn).is_some_and(|pawn| side[pawn][weak_king as usize].has(king))
}

/// None on the first and the last rank.
fn pawn_index(pawn: Square) -> Option<usize> {
    let rank = (pawn.rank() as usize).checked_sub(1).filter(|&rank| rank < 6)?;
    Some(4 * rank + pawn.file() as usize)
}

impl Bitbase {
    /// From the pawns on the seventh rank down: a push leads to squares that are already known.
    fn compute() -> Box<Self> {
        let empty = [[BitBoard::EMPTY; Square::NUM]; PAWNS];
        let mut bitbase = Box::new(Self { strong_to_move: empty, weak_to_move: empty });
        for rank in (1..7).rev().map(Rank::index) {
            for file in (0..4).map(File::index) {
                let pawn = Square::new(file, rank);
                while bitbase.step(pawn) {}
            }
        }
        bitbase
    }

    /// One step of the analysis of a pawn's positions; whether it found new wins.
    fn step(&mut self, pawn: Square) -> bool {
        let Some(index) = pawn_index(pawn) else { return false };
        let mut found = false;
        for weak_king in Square::ALL.into_iter().filter(|&square| square != pawn) {
            let wins = self.wins_to_move(pawn, weak_king);
            found |= wins != self.strong_to_move[index][weak_king as usize];
            self.strong_to_move[index][weak_king as usize] = wins;
        }
        for weak_king in Square::ALL.into_iter().filter(|&square| square != pawn) {
            let wins = lost_kings(pawn, weak_king, &self.strong_to_move[index]);
            found |= wins != self.weak_to_move[index][weak_king as usize];
            self.weak_to_move[index][weak_king as usize] = wins;
        }
        found
    }

    /// Strong kings with a winning move.
    fn wins_to_move(&self, pawn: Square, weak_king: Square) -> BitBoard {
        if pawn_attacks(pawn).has(weak_king) {
            return BitBoard::EMPTY;
        }
        let after = |pawn: Square| match pawn_index(pawn) {
            Some(index) => self.weak_to_move[index][weak_king as usize],
            None => safe_promotions(pawn, weak_king),
        };
        let mut wins = neighbours(after(pawn));
        let mut free = !(pawn.bitboard() | weak_king.bitboard());
        let pushes = if pawn.rank() == Rank::Second { 2 } else { 1 };
        for to in pushed(pawn).take(pushes).take_while(|&to| to != weak_king) {
            free &= !to.bitboard();
            wins |= after(to) & free;
        }
        wins & legal_kings(pawn, weak_king)
    }
}

/// Strong kings against which every move of the weak king loses.
fn lost_kings(pawn: Square, weak_king: Square, strong_to_move: &WinningKings) -> BitBoard {
    let mut lost = legal_kings(pawn, weak_king);
    let mut immobile = lost;
    for to in get_king_moves(weak_king) & !pawn_attacks(pawn) {
        let illegal = get_king_moves(to);
        let wins = if to == pawn { BitBoard::EMPTY } else { strong_to_move[to as usize] };
        lost &= illegal | wins;
        immobile &= illegal;
    }
    let in_check = pawn_attacks(pawn).has(weak_king);
    if in_check { lost } else { lost & !immobile }
}

/// Strong kings with which a new queen or rook is not captured.
fn safe_promotions(promotion: Square, weak_king: Square) -> BitBoard {
    let near = get_king_moves(promotion);
    if near.has(weak_king) { near } else { BitBoard::FULL }
}

/// The squares in front of the pawn.
fn pushed(pawn: Square) -> impl Iterator<Item = Square> {
    (pawn.rank() as usize + 1..8).map(move |rank| Square::new(pawn.file(), Rank::index(rank)))
}

fn pawn_attacks(pawn: Square) -> BitBoard {
    get_pawn_attacks(pawn, Color::White)
}

/// Strong kings that stand neither next to the weak one nor on another piece.
fn legal_kings(pawn: Square, weak_king: Square) -> BitBoard {
    !(get_king_moves(weak_king) | weak_king.bitboard() | pawn.bitboard())
}

/// All squares next to the set.
fn neighbours(set: BitBoard) -> BitBoard {
    let row = set | east_and_west(set);
    east_and_west(set) | north(row) | south(row)
}

#[cfg(test)]
mod tests {
    use cozy_chess::{Board, BoardBuilder, Move, Piece};

    use super::*;

    /// Pieces besides the kings.
    const PIECES: [Piece; 3] = [Piece::Queen, Piece::Rook, Piece::Pawn];

    /// All legal positions of White's king and one piece against a king, with their successors by the rules: an
    /// independent, slow retrograde analysis.
    struct Reference {
        /// By index; none for illegal positions.
        nodes: Vec<Option<Node>>,
        won: Vec<bool>,
    }

    struct Node {
        white_to_move: bool,
        /// Won without a move: Black is mated.
        is_mate: bool,
        /// Captures of the piece, stalemates and promotions to minor pieces are draws: `None`.
        successors: Vec<Option<usize>>,
    }

    fn index(piece: usize, king: Square, at: Square, weak_king: Square, white: bool) -> usize {
        let squares = 64 * (64 * king as usize + at as usize) + weak_king as usize;
        2 * (64 * 64 * 64 * piece + squares) + usize::from(white)
    }

    fn board(
        piece: Piece,
        king: Square,
        at: Square,
        weak_king: Square,
        white: bool,
    ) -> Option<Board> {
        let are_kings_apart = legal_kings(at, weak_king).has(king);
        if at == weak_king || !are_kings_apart {
            return None;
        }
        let mut builder = BoardBuilder::empty();
        builder.board[king as usize] = Some((Piece::King, Color::White));
        builder.board[at as usize] = Some((piece, Color::White));
        builder.board[weak_king as usize] = Some((Piece::King, Color::Black));
        builder.side_to_move = if white { Color::White } else { Color::Black };
        builder.build().ok()
    }

    fn index_of(board: &Board) -> Option<usize> {
        let (piece, at) = PIECES.iter().enumerate().find_map(|(index, &piece)| {
            board.pieces(piece).next_square().map(|square| (index, square))
        })?;
        let white = board.side_to_move() == Color::White;
        Some(index(piece, board.king(Color::White), at, board.king(Color::Black), white))
    }

    impl Node {
        fn new(board: &Board) -> Self {
            let mut successors = Vec::new();
            board.generate_moves(|moves| {
                let after = |m: Move| {
                    let mut next = board.clone();
                    next.play_unchecked(m);
                    index_of(&next)
                };
                successors.extend(moves.into_iter().map(after));
                false
            });
            Self {
                white_to_move: board.side_to_move() == Color::White,
                is_mate: successors.is_empty() && !board.checkers().is_empty(),
                successors,
            }
        }

        fn is_won(&self, won: &[bool]) -> bool {
            let wins = |next: &Option<usize>| next.is_some_and(|next| won[next]);
            match self.white_to_move {
                true => self.successors.iter().any(wins),
                false if self.successors.is_empty() => self.is_mate,
                false => self.successors.iter().all(wins),
            }
        }
    }

    impl Reference {
        /// Queen and rook first, to which pawns promote.
        fn compute() -> Self {
            let mut reference = Self { nodes: Vec::new(), won: Vec::new() };
            for piece in PIECES {
                let from = reference.nodes.len();
                reference.add_positions(piece);
                while reference.step(from) {}
            }
            reference
        }

        fn add_positions(&mut self, piece: Piece) {
            for king in Square::ALL {
                for at in Square::ALL {
                    for weak_king in Square::ALL {
                        let of = |white| board(piece, king, at, weak_king, white);
                        let both = [false, true].map(|white| of(white).map(|b| Node::new(&b)));
                        self.nodes.extend(both);
                    }
                }
            }
            self.won.resize(self.nodes.len(), false);
        }

        /// Whether there are new wins among the positions from an index on.
        fn step(&mut self, from: usize) -> bool {
            let mut found = false;
            for at in from..self.nodes.len() {
                let node = self.nodes[at].as_ref().filter(|_| !self.won[at]);
                if node.is_some_and(|node| node.is_won(&self.won)) {
                    self.won[at] = true;
                    found = true;
                }
            }
            found
        }
    }

    #[test]
    fn every_position_agrees_with_retrograde_analysis_by_the_rules() {
        let reference = Reference::compute();
        let mut counts = [0; 2];
        for king in Square::ALL {
            for pawn in Square::ALL {
                for weak_king in Square::ALL {
                    for white in [false, true] {
                        let at = index(2, king, pawn, weak_king, white);
                        if reference.nodes[at].is_some() {
                            let expected = reference.won[at];
                            let found = is_won(king, pawn, weak_king, white);
                            assert_eq!(found, expected, "{king} {pawn} {weak_king} {white}");
                            counts[usize::from(expected)] += 1;
                        }
                    }
                }
            }
        }
        assert_eq!(counts.iter().sum::<u32>(), 331_352, "{counts:?}");
    }

    #[test]
    fn textbook_positions() {
        use Square::*;
        assert!(is_won(E6, E5, E8, true) && is_won(E6, E5, E8, false), "king on the sixth rank");
        assert!(!is_won(E5, E4, E7, true) && is_won(E5, E4, E7, false), "opposition");
        assert!(!is_won(A6, A5, A8, true), "rook's pawn");
        assert!(!is_won(B6, A6, B8, true), "rook's pawn");
        assert!(is_won(A1, H5, A5, true), "out of the square");
        assert!(!is_won(A1, H5, D5, false), "in the square");
    }
}
