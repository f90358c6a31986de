//! Position and rules: cozy-chess's board with exact counters, draws and repetition keys.

use std::fmt;
use std::hash::{Hash, Hasher};

use cozy_chess::{
    BitBoard, Board, Color, File, Move, Piece, PieceMoves, Rank, Square, get_pawn_attacks,
};
use tablero_core::{
    Draw, DrawReason, Game, GameInfo, GameType, HistoryRules, Notation as _, Outcome, Rng, Side,
};

use crate::ChessRules;

/// Half-move clock from which a draw can be claimed (fifty-move rule).
const FIFTY_MOVE_CLOCK: u16 = 100;
/// Half-move clock at which the game is drawn (seventy-five-move rule).
const SEVENTY_FIVE_MOVE_CLOCK: u16 = 150;

/// A chess position: the contents of a FEN, and the rules.
///
/// Two positions are equal if their FENs are: an en passant square counts only if the capture is
/// legal, and the move counters count. [`Game::key`] excludes the counters, so equal keys mean a
/// repetition.
///
/// Castling is encoded as the king capturing its own rook.
#[derive(Clone)]
pub struct Chess {
    board: Board,
    /// Half-move clock. The board's own saturates at 100, too early for the seventy-five-move rule.
    clock: u16,
    rules: ChessRules,
}

/// The two castling sides, named by the king's target as in standard chess.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CastlingSide {
    /// The king ends on the g-file.
    KingSide,
    /// The king ends on the c-file.
    QueenSide,
}

impl Chess {
    /// The Chess960 start position with this number, 0 to 959 in Scharnagl's numbering; 518 is the
    /// standard start. `None` for other numbers.
    ///
    /// ```
    /// use tablero_chess::Chess;
    /// use tablero_core::Notation;
    /// let position = Chess::chess960(0).unwrap();
    /// assert!(position.position_text().ends_with("/PPPPPPPP/BBQNNRKR w KQkq - 0 1"));
    /// assert_eq!(Chess::chess960(960), None);
    /// ```
    #[inline]
    pub fn chess960(number: u32) -> Option<Self> {
        (number < 960).then(|| Self::new(Board::chess960_startpos(number), 0, ChessRules::Chess960))
    }

    /// `clock` replaces the board's saturating half-move clock.
    #[inline]
    pub(crate) fn new(board: Board, clock: u16, rules: ChessRules) -> Self {
        Self { board, clock, rules }
    }

    /// The underlying cozy-chess board.
    ///
    /// It sets the en passant file after every double push, and its half-move clock saturates at 100:
    /// [`en_passant`](Self::en_passant) and [`halfmove_clock`](Self::halfmove_clock) are exact.
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Plies since the last capture or pawn move, not saturated.
    #[inline]
    pub const fn halfmove_clock(&self) -> u16 {
        self.clock
    }

    /// Sets the move counters (EPD operations `hmvc` and `fmvn`).
    #[inline]
    pub(crate) fn set_counters(&mut self, clock: u16, move_number: u16) {
        self.clock = clock;
        self.board.set_halfmove_clock(clock.min(100) as u8);
        self.board.set_fullmove_number(move_number.max(1));
    }

    /// The en passant square, if the side to move has a legal en passant capture.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        let mover = self.board.side_to_move();
        let to = Square::new(self.board.en_passant()?, Rank::Sixth.relative_to(mover));
        let capturers =
            get_pawn_attacks(to, !mover) & self.board.colored_pieces(mover, Piece::Pawn);
        let is_legal = |from| self.board.is_legal(Move { from, to, promotion: None });
        capturers.iter().any(is_legal).then_some(to)
    }

    /// The file of the rook with which `color` has the right to castle on that side.
    #[inline]
    pub(crate) fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<File> {
        let rights = self.board.castle_rights(color);
        match side {
            CastlingSide::KingSide => rights.short,
            CastlingSide::QueenSide => rights.long,
        }
    }

    /// The castling side of `m`, if it castles.
    #[inline]
    pub(crate) fn castling_side(&self, m: Move) -> Option<CastlingSide> {
        let onto_own_piece = self.board.colors(self.board.side_to_move()).has(m.to);
        onto_own_piece.then_some(if m.from.file() < m.to.file() {
            CastlingSide::KingSide
        } else {
            CastlingSide::QueenSide
        })
    }

    /// Dead by insufficient material: bare kings, a single knight, or only bishops on squares of one
    /// colour.
    #[inline]
    fn has_insufficient_material(&self) -> bool {
        let pieces = |piece| self.board.pieces(piece);
        let heavy = pieces(Piece::Pawn) | pieces(Piece::Rook) | pieces(Piece::Queen);
        if !heavy.is_empty() {
            return false;
        }
        let (knights, bishops) = (pieces(Piece::Knight), pieces(Piece::Bishop));
        if knights.is_empty() {
            return bishops.is_subset(BitBoard::DARK_SQUARES)
                || bishops.is_subset(BitBoard::LIGHT_SQUARES);
        }
        knights.len() == 1 && bishops.is_empty()
    }
}

impl GameType for Chess {
    const NAME: &'static str = "chess";
    const SIDES: [&'static str; 2] = ["white", "black"];
    const PGN_NAMES_GAME: bool = false;
    const HISTORY: HistoryRules = HistoryRules {
        claim_at_repetition: Some(3),
        draw_at_repetition: Some(5),
        draw_at_ply: None,
    };
}

impl Game for Chess {
    type Move = Move;
    type Rules = ChessRules;

    /// The standard start for both rule sets; [`Chess::chess960`] has all 960.
    #[inline]
    fn start(rules: ChessRules) -> Self {
        Self::new(Board::startpos(), 0, rules)
    }

    #[inline]
    fn info(&self) -> &'static GameInfo {
        &Self::INFO
    }

    #[inline]
    fn rules(&self) -> ChessRules {
        self.rules
    }

    #[inline]
    fn side(&self) -> Side {
        match self.board.side_to_move() {
            Color::White => Side::First,
            Color::Black => Side::Second,
        }
    }

    #[inline]
    fn each_move(&self, mut visit: impl FnMut(Move)) {
        self.board.generate_moves(|moves| {
            for m in moves {
                visit(m);
            }
            false
        });
    }

    #[inline]
    fn play(&mut self, m: Move) {
        self.board.play_unchecked(m);
        let is_irreversible = self.board.halfmove_clock() == 0;
        self.clock = if is_irreversible { 0 } else { self.clock.saturating_add(1) };
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        let has_moves = self.board.generate_moves(|_| true);
        if has_moves {
            None
        } else if self.board.checkers().is_empty() {
            Some(Outcome::DRAW)
        } else {
            Some(Outcome::win(!self.side()))
        }
    }

    #[inline]
    fn key(&self) -> u64 {
        if self.board.en_passant().is_some() && self.en_passant().is_none() {
            self.board.hash_without_ep()
        } else {
            self.board.hash()
        }
    }

    #[inline]
    fn draw(&self) -> Option<Draw> {
        let draw = |reason, forced| Some(Draw { reason, forced });
        if self.has_insufficient_material() {
            draw(DrawReason::DeadPosition, true)
        } else if self.clock >= FIFTY_MOVE_CLOCK {
            draw(DrawReason::MoveLimit, self.clock >= SEVENTY_FIVE_MOVE_CLOCK)
        } else {
            None
        }
    }

    // Not inlined: move generation is large, and perft of Kiwipete was 10 % slower with it.
    #[inline(never)]
    fn count_moves(&self) -> u64 {
        let mut count = 0;
        self.board.generate_moves(|moves| {
            count += moves.len();
            false
        });
        count as u64
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Option<Move> {
        /// Upper bound of the sets that cozy-chess visits: 16 pieces and two en passant captures.
        const MAX_SETS: usize = 18;
        const NONE: PieceMoves =
            PieceMoves { piece: Piece::Pawn, from: Square::A1, to: BitBoard::EMPTY };
        let (mut sets, mut len, mut count) = ([NONE; MAX_SETS], 0, 0);
        self.board.generate_moves(|moves| {
            sets[len] = moves;
            len += 1;
            count += moves.len();
            false
        });
        if count == 0 {
            return None;
        }
        let mut left = rng.below(count as u64) as usize;
        for moves in &sets[..len] {
            if left < moves.len() {
                return moves.into_iter().nth(left);
            }
            left -= moves.len();
        }
        None
    }

    #[inline]
    fn is_legal(&self, m: Move) -> bool {
        self.board.is_legal(m)
    }
}

impl PartialEq for Chess {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // `Board::same_position` is wrong here: it treats any move to the square as en passant.
        let (ours, theirs) = (&self.board, &other.board);
        ours.hash_without_ep() == theirs.hash_without_ep()
            && Piece::ALL.into_iter().all(|piece| ours.pieces(piece) == theirs.pieces(piece))
            && Color::ALL.into_iter().all(|color| {
                ours.colors(color) == theirs.colors(color)
                    && ours.castle_rights(color) == theirs.castle_rights(color)
            })
            && ours.side_to_move() == theirs.side_to_move()
            && ours.fullmove_number() == theirs.fullmove_number()
            && self.clock == other.clock
            && self.rules == other.rules
            && self.en_passant() == other.en_passant()
    }
}

impl Eq for Chess {}

impl Hash for Chess {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.key(), self.clock, self.board.fullmove_number(), self.rules).hash(state);
    }
}

impl fmt::Debug for Chess {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chess({:?}, {})", self.rules, self.position_text())
    }
}
