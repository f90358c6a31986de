//! A naive reference implementation of chess: a board of 64 letters, pseudo-legal moves, and a move is
//! legal if the king cannot be captured afterwards. Shares no code with the real rules.

/// Steps as (files, ranks).
const KNIGHT: [(i8, i8); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const STRAIGHT: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// A square as (file, rank), both 0 to 7.
type Square = (i8, i8);

/// A position. Two are equal if their FENs are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Reference {
    /// FEN's letters, `.` for empty; index 8 * rank + file.
    board: Vec<char>,
    white_to_move: bool,
    /// Squares of the rooks with castling rights, sorted.
    rooks: Vec<Square>,
    /// Only if the capture is legal.
    en_passant: Option<Square>,
    clock: u32,
    number: u32,
}

impl Reference {
    /// Parses a valid FEN (X-FEN for Chess960).
    pub(crate) fn from_fen(fen: &str) -> Self {
        let fields: Vec<&str> = fen.split(' ').collect();
        let mut position = Self {
            board: Vec::new(),
            white_to_move: fields[1] == "w",
            rooks: Vec::new(),
            en_passant: (fields[3] != "-").then(|| square(fields[3])),
            clock: fields[4].parse().expect("a number"),
            number: fields[5].parse().expect("a number"),
        };
        for row in fields[0].split('/').rev() {
            for letter in row.chars() {
                match letter.to_digit(10) {
                    Some(empty) => position.board.extend((0..empty).map(|_| '.')),
                    None => position.board.push(letter),
                }
            }
        }
        position.rooks =
            fields[2].chars().filter(|&c| c != '-').map(|c| position.rook_of(c)).collect();
        position.rooks.sort_unstable();
        position
    }

    /// The rook denoted by a castling letter.
    fn rook_of(&self, letter: char) -> Square {
        let white = letter.is_uppercase();
        let rank = if white { 0 } else { 7 };
        let rook = if white { 'R' } else { 'r' };
        let mut rooks = (0..8).filter(|&file| self.at((file, rank)) == rook);
        let file = match letter.to_ascii_lowercase() {
            'k' => rooks.next_back(),
            'q' => rooks.next(),
            file => Some(file as i8 - 'a' as i8),
        };
        (file.expect("a rook"), rank)
    }

    /// The positions after each legal move.
    pub(crate) fn successors(&self) -> Vec<Self> {
        let mut next = self.after_any_move();
        next.retain(|position| {
            !position.is_attacked(position.king(self.white_to_move), !self.white_to_move)
        });
        for position in &mut next {
            // Set after every double push; kept only if the capture is legal.
            if position.en_passant.is_some() && !position.can_take_en_passant() {
                position.en_passant = None;
            }
        }
        next
    }

    fn can_take_en_passant(&self) -> bool {
        let (mover, to) = (self.white_to_move, self.en_passant.expect("a square"));
        let takers = [(-1, backwards(mover)), (1, backwards(mover))].map(|step| plus(to, step));
        takers.into_iter().filter(|&from| self.at(from) == own('P', mover)).any(|from| {
            let taken = self.moved(from, to, None);
            !taken.is_attacked(taken.king(mover), !mover)
        })
    }

    /// The positions after each pseudo-legal move.
    fn after_any_move(&self) -> Vec<Self> {
        let mut next = Vec::new();
        for from in squares().filter(|&from| self.is_own(from, self.white_to_move)) {
            match self.at(from).to_ascii_uppercase() {
                'P' => self.pawn_moves(from, &mut next),
                piece => {
                    let targets = self.targets(from, piece);
                    let free = targets.iter().filter(|&&to| !self.is_own(to, self.white_to_move));
                    next.extend(free.map(|&to| self.moved(from, to, None)));
                }
            }
        }
        next.extend(self.rooks.iter().filter_map(|&rook| self.castled(rook)));
        next
    }

    fn pawn_moves(&self, from: Square, next: &mut Vec<Self>) {
        let mover = self.white_to_move;
        let forwards = -backwards(mover);
        let mut targets = Vec::new();
        let one = plus(from, (0, forwards));
        if self.at(one) == '.' {
            targets.push(one);
            let two = plus(one, (0, forwards));
            let home = if mover { 1 } else { 6 };
            if from.1 == home && self.at(two) == '.' {
                targets.push(two);
            }
        }
        for to in [-1, 1].map(|side| plus(from, (side, forwards))) {
            if self.is_own(to, !mover) || (self.en_passant == Some(to)) {
                targets.push(to);
            }
        }
        for to in targets {
            if matches!(to.1, 0 | 7) {
                next.extend(['N', 'B', 'R', 'Q'].map(|piece| self.moved(from, to, Some(piece))));
            } else {
                next.push(self.moved(from, to, None));
            }
        }
    }

    /// The squares that a piece other than a pawn attacks from `from`.
    fn targets(&self, from: Square, piece: char) -> Vec<Square> {
        let (steps, far): (Vec<_>, bool) = match piece {
            'N' => (KNIGHT.to_vec(), false),
            'B' => (DIAGONAL.to_vec(), true),
            'R' => (STRAIGHT.to_vec(), true),
            'Q' => ([STRAIGHT, DIAGONAL].concat(), true),
            _ => ([STRAIGHT, DIAGONAL].concat(), false),
        };
        let mut reached = Vec::new();
        for step in steps {
            let mut to = plus(from, step);
            while is_on_board(to) {
                reached.push(to);
                if !far || self.at(to) != '.' {
                    break;
                }
                to = plus(to, step);
            }
        }
        reached
    }

    /// Whether `by_white`'s pieces attack `target`.
    fn is_attacked(&self, target: Square, by_white: bool) -> bool {
        squares().filter(|&from| self.is_own(from, by_white)).any(|from| {
            match self.at(from).to_ascii_uppercase() {
                'P' => target.1 == from.1 - backwards(by_white) && (target.0 - from.0).abs() == 1,
                piece => self.targets(from, piece).contains(&target),
            }
        })
    }

    fn moved(&self, from: Square, to: Square, promotion: Option<char>) -> Self {
        let (mover, piece) = (self.white_to_move, self.at(from));
        let is_pawn = piece.eq_ignore_ascii_case(&'p');
        let mut next = self.passed_on(is_pawn || self.at(to) != '.');
        next.set(from, '.');
        next.set(to, promotion.map_or(piece, |promotion| own(promotion, mover)));
        if is_pawn && Some(to) == self.en_passant {
            next.set((to.0, from.1), '.');
        }
        if is_pawn && (to.1 - from.1).abs() == 2 {
            next.en_passant = Some((from.0, (from.1 + to.1) / 2));
        }
        let home = if mover { 0 } else { 7 };
        let king_moved = piece.eq_ignore_ascii_case(&'k');
        next.rooks.retain(|&rook| rook != from && rook != to && !(king_moved && rook.1 == home));
        next
    }

    /// The position after castling with the rook on `rook`, if the path is clear and the king crosses no
    /// attacked square; its target is checked as after any move.
    fn castled(&self, rook: Square) -> Option<Self> {
        let mover = self.white_to_move;
        let king = self.king(mover);
        let home = if mover { 0 } else { 7 };
        if rook.1 != home {
            return None;
        }
        let (king_file, rook_file) = if rook.0 > king.0 { (6, 5) } else { (2, 3) };
        let files = [king.0, rook.0, king_file, rook_file];
        let king_path = king.0.min(king_file)..=king.0.max(king_file);
        let all = *files.iter().min()?..=*files.iter().max()?;
        let on_way = |file: &i8| {
            king_path.contains(file)
                || (rook.0.min(rook_file)..=rook.0.max(rook_file)).contains(file)
        };
        let blocked = all
            .filter(on_way)
            .any(|file| file != king.0 && file != rook.0 && self.at((file, home)) != '.');
        // A rook that shields its king along the rank no longer does after castling.
        let mut without = self.clone();
        without.set(king, '.');
        let attacked = king_path.clone().any(|file| without.is_attacked((file, home), !mover));
        if blocked || attacked {
            return None;
        }
        let mut next = self.passed_on(false);
        next.set(king, '.');
        next.set(rook, '.');
        next.set((king_file, home), own('K', mover));
        next.set((rook_file, home), own('R', mover));
        next.rooks.retain(|rook| rook.1 != home);
        Some(next)
    }

    /// The same pieces with the opponent to move.
    fn passed_on(&self, progress: bool) -> Self {
        Self {
            white_to_move: !self.white_to_move,
            en_passant: None,
            clock: if progress { 0 } else { self.clock + 1 },
            number: self.number + u32::from(!self.white_to_move),
            ..self.clone()
        }
    }

    fn king(&self, white: bool) -> Square {
        squares().find(|&at| self.at(at) == own('K', white)).expect("a king")
    }

    fn is_own(&self, at: Square, white: bool) -> bool {
        let piece = self.at(at);
        piece.is_ascii_alphabetic() && piece.is_ascii_uppercase() == white
    }

    /// The letter on a square; `#` off the board.
    fn at(&self, at: Square) -> char {
        if is_on_board(at) { self.board[index(at)] } else { '#' }
    }

    fn set(&mut self, at: Square, piece: char) {
        self.board[index(at)] = piece;
    }
}

fn own(piece: char, white: bool) -> char {
    if white { piece } else { piece.to_ascii_lowercase() }
}

/// The direction opposite to a side's pawn moves.
fn backwards(white: bool) -> i8 {
    if white { -1 } else { 1 }
}

fn squares() -> impl Iterator<Item = Square> {
    (0..8).flat_map(|rank| (0..8).map(move |file| (file, rank)))
}

fn plus(at: Square, step: (i8, i8)) -> Square {
    (at.0 + step.0, at.1 + step.1)
}

fn is_on_board(at: Square) -> bool {
    (0..8).contains(&at.0) && (0..8).contains(&at.1)
}

fn index(at: Square) -> usize {
    usize::try_from(8 * at.1 + at.0).expect("on the board")
}

fn square(text: &str) -> Square {
    let bytes = text.as_bytes();
    ((bytes[0] - b'a') as i8, (bytes[1] - b'1') as i8)
}
