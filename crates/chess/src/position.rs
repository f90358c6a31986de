use std::fmt;
use std::hash::{Hash, Hasher};

use cozy_chess::{
    BitBoard, Board, Color, File, Move, Piece, PieceMoves, Rank, Square, get_pawn_attacks,
};
use tablero_core::{
    Draw, DrawReason, Game, GameInfo, GameType, HistoryRules, Notation as _, Outcome, Rng, Side,
};

use crate::ChessRules;

/// The half-move clock at which a player may claim a draw: fifty moves each.
const CLAIM_AT: u16 = 100;
/// The half-move clock at which the game is drawn: seventy-five moves each.
const DRAW_AT: u16 = 150;

/// A chess position: what a FEN says, and the rules.
///
/// Two positions are equal if their FENs are: an en passant square counts only where a pawn can
/// really be taken, and the move counters count. [`Game::key`] leaves the counters out, so that equal
/// keys mean a repetition.
///
/// Castling is the king's move onto his own rook.
#[derive(Clone)]
pub struct Chess {
    board: Board,
    /// Plies since the last capture or pawn move. The board's own counter stops at 100, too early
    /// for the seventy-five-move rule.
    clock: u16,
    rules: ChessRules,
}

/// The two ways to castle, whichever way the king moves in Chess960.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wing {
    /// The king ends on the g-file.
    Short,
    /// The king ends on the c-file.
    Long,
}

impl Chess {
    /// The start of Chess960 with this number, 0 to 959 in the usual numbering; 518 is the start of
    /// standard chess. None for other numbers.
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

    /// `clock` replaces the board's, which cannot count as far.
    #[inline]
    pub(crate) fn new(board: Board, clock: u16, rules: ChessRules) -> Self {
        Self { board, clock, rules }
    }

    /// The pieces, rights and attack tables, as cozy-chess keeps them.
    ///
    /// Its en passant file stands after every double step, and its half-move clock stops at 100:
    /// [`en_passant`](Self::en_passant) and [`halfmove_clock`](Self::halfmove_clock) are exact.
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub const fn halfmove_clock(&self) -> u16 {
        self.clock
    }

    /// Sets the move counters, as EPD operations do. The first move has number 1.
    #[inline]
    pub(crate) fn set_counters(&mut self, clock: u16, move_number: u16) {
        self.clock = clock;
        self.board.set_halfmove_clock(clock.min(100) as u8);
        self.board.set_fullmove_number(move_number.max(1));
    }

    /// The square on which the side to move can take a pawn en passant, if that is legal.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        let mover = self.board.side_to_move();
        let to = Square::new(self.board.en_passant()?, Rank::Sixth.relative_to(mover));
        let takers = get_pawn_attacks(to, !mover) & self.board.colored_pieces(mover, Piece::Pawn);
        let is_legal = |from| self.board.is_legal(Move { from, to, promotion: None });
        takers.iter().any(is_legal).then_some(to)
    }

    /// The rook's file with which `color` may still castle to that wing.
    #[inline]
    pub(crate) fn castling_rook(&self, color: Color, wing: Wing) -> Option<File> {
        let rights = self.board.castle_rights(color);
        match wing {
            Wing::Short => rights.short,
            Wing::Long => rights.long,
        }
    }

    /// Where `m` castles to, if it does.
    #[inline]
    pub(crate) fn castles(&self, m: Move) -> Option<Wing> {
        let onto_own_piece = self.board.colors(self.board.side_to_move()).has(m.to);
        onto_own_piece.then_some(if m.from.file() < m.to.file() { Wing::Short } else { Wing::Long })
    }

    /// Neither side has the material to give mate: bare kings, one knight, or bishops all on squares
    /// of one colour.
    #[inline]
    fn is_dead(&self) -> bool {
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

    /// Chess960 has 960 starts ([`Chess::chess960`]); this is the one that it shares with chess.
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
        let has_progressed = self.board.halfmove_clock() == 0;
        self.clock = if has_progressed { 0 } else { self.clock.saturating_add(1) };
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
        if self.is_dead() {
            draw(DrawReason::DeadPosition, true)
        } else if self.clock >= CLAIM_AT {
            draw(DrawReason::MoveLimit, self.clock >= DRAW_AT)
        } else {
            None
        }
    }

    // Move generation is long: copied into each caller it made perft 10 % slower in Kiwipete.
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
        /// cozy-chess visits no more: a set for each of 16 pieces, and two en passant captures.
        const MOST_SETS: usize = 18;
        const NONE: PieceMoves =
            PieceMoves { piece: Piece::Pawn, from: Square::A1, to: BitBoard::EMPTY };
        let (mut sets, mut len, mut count) = ([NONE; MOST_SETS], 0, 0);
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
        // Not `Board::same_position`: for it, any piece that can go to the square takes en passant.
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
