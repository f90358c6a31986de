//! Forsyth-Edwards notation (FEN): pieces, side to move, castling rights, en passant square, counters.
//!
//! Castling rights are written in X-FEN: `KQkq` for the outermost rooks, which covers standard chess,
//! and the file letter for an inner rook. Shredder-FEN letters are accepted too.

use std::fmt::Write as _;

use cozy_chess::{
    BoardBuilder, BoardBuilderError, Color, File, Piece, Rank, Square, get_king_moves,
};
use tablero_core::{Localized, LocalizedString, ReadError, Scanner};

use crate::position::CastlingSide;
use crate::{Chess, ChessRules};

/// The `expected` text of the castling field.
const CASTLING: Localized = Localized::new(
    "castling rights: letters of KQkq (or of the rooks), or `-`",
    "derechos de enroque: letras de KQkq (o de las torres) o `-`",
);
/// The `expected` text of the side to move.
const SIDE_TO_MOVE: Localized =
    Localized::new("the side to move: `w` or `b`", "quién juega: `w` o `b`");

/// Writes all six fields.
pub(crate) fn text(position: &Chess) -> String {
    let board = position.board();
    format!("{} {} {}", board_fields(position), position.halfmove_clock(), board.fullmove_number())
}

/// Writes the first four fields, which FEN shares with EPD: everything but the counters.
pub(crate) fn board_fields(position: &Chess) -> String {
    let mut out = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        write_rank(position, rank, &mut out);
        out.push(if rank == Rank::First { ' ' } else { '/' });
    }
    out.push(position.board().side_to_move().into());
    out.push(' ');
    out.push_str(&castling_text(position));
    // Writing to a string cannot fail.
    let _ = match position.en_passant() {
        Some(square) => write!(out, " {square}"),
        None => write!(out, " -"),
    };
    out
}

fn write_rank(position: &Chess, rank: Rank, out: &mut String) {
    let board = position.board();
    let mut empty = 0;
    for file in File::ALL {
        let square = Square::new(file, rank);
        let Some(piece) = board.piece_on(square) else {
            empty += 1;
            continue;
        };
        write_number(&mut empty, out);
        let letter = char::from(piece);
        let is_white = board.color_on(square) == Some(Color::White);
        out.push(if is_white { letter.to_ascii_uppercase() } else { letter });
    }
    write_number(&mut empty, out);
}

fn write_number(empty: &mut u32, out: &mut String) {
    out.extend(char::from_digit(std::mem::take(empty), 10).filter(|&digit| digit != '0'));
}

/// The castling field, `-` if there are no rights.
pub(crate) fn castling_text(position: &Chess) -> String {
    let mut out = String::new();
    for color in Color::ALL {
        let rooks = position.board().colored_pieces(color, Piece::Rook);
        let king = position.board().king(color);
        for (side, standard) in [(CastlingSide::KingSide, 'k'), (CastlingSide::QueenSide, 'q')] {
            let Some(rook) = position.castling_rook(color, side) else {
                continue;
            };
            let is_outermost = outermost_rook(king, side, |square| rooks.has(square)) == Some(rook);
            let letter = if is_outermost { standard } else { rook.into() };
            out.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
        }
    }
    if out.is_empty() {
        out.push('-');
    }
    out
}

/// The file of the rook farthest from the king on one side of it, on the king's rank.
fn outermost_rook(
    king: Square,
    side: CastlingSide,
    is_rook: impl Fn(Square) -> bool,
) -> Option<File> {
    let mut inwards = File::ALL;
    if side == CastlingSide::KingSide {
        inwards.reverse();
    }
    let beyond_king = inwards.into_iter().take_while(|&file| file != king.file());
    beyond_king.into_iter().find(|&file| is_rook(Square::new(file, king.rank())))
}

/// Parses a FEN; the counters are optional.
pub(crate) fn parse(text: &str, rules: ChessRules) -> Result<Chess, ReadError> {
    let mut scan = Scanner::new(text);
    let mut setup = Setup::read(&mut scan, rules)?;
    scan.skip_blanks();
    if !scan.at_end() {
        setup.clock = read_counter(
            &mut scan,
            Localized::new(
                "the half-move clock: a number, usually 0 to 100",
                "el contador de medias jugadas: un número, normalmente de 0 a 100",
            ),
        )?;
        scan.skip_blanks();
    }
    if !scan.at_end() {
        let number = read_counter(
            &mut scan,
            Localized::new("the full-move number: 1 to 65535", "el número de jugada: de 1 a 65535"),
        )?;
        setup.builder.fullmove_number = number.max(1);
        scan.skip_blanks();
    }
    if !scan.at_end() {
        return Err(scan.error(Localized::new(
            "nothing after the full-move number",
            "nada después del número de jugada",
        )));
    }
    setup.finish(text, rules)
}

/// Reads a counter, which ends at a blank, a semicolon or the end of the text.
pub(crate) fn read_counter(
    scan: &mut Scanner<'_>,
    expected: impl Into<LocalizedString>,
) -> Result<u16, ReadError> {
    let start = scan.offset();
    let word = scan.take_while(|c| !c.is_whitespace() && c != ';');
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| is_number).ok_or_else(|| scan.error_at(start, expected))
}

/// A position under construction; [`finish`](Self::finish) validates it as a whole.
pub(crate) struct Setup {
    pub(crate) builder: BoardBuilder,
    pub(crate) clock: u16,
    /// Offsets of the fields, for errors found by the final validation.
    pieces_at: usize,
    side_at: usize,
    en_passant_at: usize,
}

impl Setup {
    /// Reads the first four fields.
    pub(crate) fn read(scan: &mut Scanner<'_>, rules: ChessRules) -> Result<Self, ReadError> {
        let mut setup = Self {
            builder: BoardBuilder::empty(),
            clock: 0,
            pieces_at: next_field(scan),
            side_at: 0,
            en_passant_at: 0,
        };
        setup.read_pieces(scan)?;
        setup.check_pieces(scan)?;
        setup.side_at = next_field(scan);
        setup.builder.side_to_move = match scan.word() {
            "w" | "W" => Color::White,
            "b" | "B" => Color::Black,
            _ => return Err(scan.error_at(setup.side_at, SIDE_TO_MOVE)),
        };
        next_field(scan);
        setup.read_castling(scan, rules)?;
        setup.en_passant_at = next_field(scan);
        setup.read_en_passant(scan)?;
        Ok(setup)
    }

    fn read_pieces(&mut self, scan: &mut Scanner<'_>) -> Result<(), ReadError> {
        for rank in Rank::ALL.into_iter().rev() {
            if rank != Rank::Eighth && !scan.eat('/') {
                return Err(scan.error(LocalizedString::new(
                    format!("`/` and the pieces of rank {rank}"),
                    format!("`/` y las piezas de la fila {rank}"),
                )));
            }
            self.read_rank(scan, rank)?;
        }
        match scan.peek() {
            Some(c) if !c.is_whitespace() => Err(scan.error(Localized::new(
                "a blank after the eighth row",
                "un espacio después de la octava fila",
            ))),
            _ => Ok(()),
        }
    }

    fn read_rank(&mut self, scan: &mut Scanner<'_>, rank: Rank) -> Result<(), ReadError> {
        let mut file = 0;
        while file < File::NUM {
            let left = File::NUM - file;
            let expected = || {
                LocalizedString::new(
                    format!(
                        "{left} more squares of rank {rank}: KQRBNP, kqrbnp or a number of empty ones"
                    ),
                    format!(
                        "{left} casillas más de la fila {rank}: KQRBNP, kqrbnp o un número de vacías"
                    ),
                )
            };
            let Some(next) = scan.peek() else {
                return Err(scan.error(expected()));
            };
            if let Some(empty) = next.to_digit(10) {
                if !(1..=left).contains(&(empty as usize)) {
                    return Err(scan.error(expected()));
                }
                file += empty as usize;
            } else {
                let piece = Piece::try_from(next.to_ascii_lowercase())
                    .map_err(|_| scan.error(expected()))?;
                if piece == Piece::Pawn && matches!(rank, Rank::First | Rank::Eighth) {
                    return Err(scan.error(LocalizedString::new(
                        format!("no pawn on rank {rank}"),
                        format!("ningún peón en la fila {rank}"),
                    )));
                }
                let color = if next.is_ascii_uppercase() { Color::White } else { Color::Black };
                let square = Square::new(File::index(file), rank);
                *self.builder.square_mut(square) = Some((piece, color));
                file += 1;
            }
            scan.bump();
        }
        Ok(())
    }

    /// Checks piece counts and adjacent kings, which do not depend on the side to move.
    fn check_pieces(&self, scan: &Scanner<'_>) -> Result<(), ReadError> {
        let error = |en: String, es: String| {
            Err(scan.error_at(self.pieces_at, LocalizedString::new(en, es)))
        };
        for color in Color::ALL {
            let (name, name_es) = (color_name(color), spanish_name(color));
            let kings = self.count(color, |piece| piece == Piece::King);
            if kings != 1 {
                return error(
                    format!("pieces with one king for {name}, not {kings}"),
                    format!("un solo rey para las {name_es}, no {kings}"),
                );
            }
            let pawns = self.count(color, |piece| piece == Piece::Pawn);
            if pawns > 8 {
                return error(
                    format!("pieces with at most 8 pawns for {name}, not {pawns}"),
                    format!("como mucho 8 peones para las {name_es}, no {pawns}"),
                );
            }
            let all = self.count(color, |_| true);
            if all > 16 {
                return error(
                    format!("at most 16 pieces for {name}, not {all}"),
                    format!("como mucho 16 piezas para las {name_es}, no {all}"),
                );
            }
        }
        let kings = Color::ALL.map(|color| self.king(color));
        if let [Some(white), Some(black)] = kings
            && get_king_moves(white).has(black)
        {
            return error(
                format!("kings that do not touch, as on {white} and {black}"),
                format!("reyes que no se toquen, como en {white} y {black}"),
            );
        }
        Ok(())
    }

    fn count(&self, color: Color, wanted: impl Fn(Piece) -> bool) -> usize {
        let pieces = self.builder.board.iter().flatten();
        pieces.filter(|(piece, owner)| *owner == color && wanted(*piece)).count()
    }

    fn king(&self, color: Color) -> Option<Square> {
        let is_king = |square: &Square| self.has(*square, Piece::King, color);
        Square::ALL.into_iter().find(is_king)
    }

    fn has(&self, square: Square, piece: Piece, color: Color) -> bool {
        self.builder.square(square) == Some((piece, color))
    }

    fn read_castling(
        &mut self,
        scan: &mut Scanner<'_>,
        rules: ChessRules,
    ) -> Result<(), ReadError> {
        if scan.eat('-') {
            return Ok(());
        }
        let start = scan.offset();
        while let Some(letter) = scan.peek().filter(|c| !c.is_whitespace()) {
            self.add_right(letter, rules).map_err(|expected| scan.error(expected))?;
            scan.bump();
        }
        if scan.offset() == start {
            return Err(scan.error(CASTLING));
        }
        Ok(())
    }

    /// Adds the castling right of one letter; the error is the `expected` text.
    fn add_right(&mut self, letter: char, rules: ChessRules) -> Result<(), LocalizedString> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let home = Rank::First.relative_to(color);
        let king = self.king(color).filter(|king| king.rank() == home);
        let is_rook = |square| self.has(square, Piece::Rook, color);
        let outermost = |side| king.and_then(|king| outermost_rook(king, side, is_rook));
        let rook = match letter.to_ascii_lowercase() {
            'k' => outermost(CastlingSide::KingSide),
            'q' => outermost(CastlingSide::QueenSide),
            letter => {
                let file = File::try_from(letter).map_err(|_| CASTLING)?;
                is_rook(Square::new(file, home)).then_some(file)
            }
        };
        let (Some(king), Some(rook)) = (king, rook) else {
            let (name, name_es) = (color_name(color), spanish_name(color));
            return Err(LocalizedString::new(
                format!("castling rights for a king and a rook at home: {name}'s are not"),
                format!(
                    "derechos de enroque de un rey y una torre en su sitio: los de las {name_es} no lo están"
                ),
            ));
        };
        let is_standard = king.file() == File::E && matches!(rook, File::A | File::H);
        if rules == ChessRules::Standard && !is_standard {
            return Err(LocalizedString::new(
                "castling rights of standard chess, king on the e-file and rook on the a- or h-file, or \
                 the rules chess960",
                "derechos de enroque del ajedrez normal, rey en la columna e y torre en la a o la h, o las \
                 reglas chess960",
            ));
        }
        let rights = self.builder.castle_rights_mut(color);
        let right = if rook > king.file() { &mut rights.short } else { &mut rights.long };
        match right.replace(rook) {
            None => Ok(()),
            Some(_) => Err(Localized::new(
                "each castling right only once",
                "cada derecho de enroque una sola vez",
            )
            .into()),
        }
    }

    fn read_en_passant(&mut self, scan: &mut Scanner<'_>) -> Result<(), ReadError> {
        let word = scan.word();
        if word == "-" {
            return Ok(());
        }
        let mover = self.builder.side_to_move;
        let rank = Rank::Sixth.relative_to(mover);
        let square = word.parse::<Square>().ok().filter(|square| square.rank() == rank);
        if square.is_none() {
            let (name, name_es) = (color_name(mover), spanish_name(mover));
            let expected = LocalizedString::new(
                format!("the en passant square (on rank {rank} with {name} to move) or `-`"),
                format!("la casilla al paso (en la fila {rank} si juegan las {name_es}) o `-`"),
            );
            return Err(scan.error_at(self.en_passant_at, expected));
        }
        self.builder.en_passant = square;
        Ok(())
    }

    /// Validates and builds the position; `text` is the input, for error locations.
    pub(crate) fn finish(mut self, text: &str, rules: ChessRules) -> Result<Chess, ReadError> {
        self.builder.halfmove_clock = self.clock.min(100) as u8;
        let board = self.builder.build().map_err(|error| {
            let waiting = !self.builder.side_to_move;
            let (offset, expected) = match error {
                BoardBuilderError::InvalidEnPassant => (
                    self.en_passant_at,
                    LocalizedString::new(
                        "the square passed over by the last double push, or `-`",
                        "la casilla que saltó el último peón, o `-`",
                    ),
                ),
                // Everything else that makes a board invalid was checked before.
                _ => {
                    let (name, name_es) = (color_name(waiting), spanish_name(waiting));
                    let expected = LocalizedString::new(
                        format!("{name} to move, or no check to {name}"),
                        format!("que jueguen las {name_es}, o que las {name_es} no estén en jaque"),
                    );
                    (self.side_at, expected)
                }
            };
            ReadError::at(text, offset, expected)
        })?;
        Ok(Chess::new(board, self.clock, rules))
    }
}

/// Skips to the next field and returns its offset.
fn next_field(scan: &mut Scanner<'_>) -> usize {
    scan.skip_blanks();
    scan.offset()
}

/// The side's Spanish name.
const fn spanish_name(color: Color) -> &'static str {
    match color {
        Color::White => "blancas",
        Color::Black => "negras",
    }
}

/// The side's English name.
pub(crate) const fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}
