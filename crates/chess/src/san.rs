//! Standard algebraic notation (SAN): strict writer, lenient parser.

use cozy_chess::{BitBoard, Color, File, Move, Piece, Rank, Square};
use tablero_core::{Game as _, ReadError};

use crate::Chess;
use crate::fen::color_name;
use crate::position::CastlingSide;
use crate::uci::{piece_name, promotion_from_letter};

/// The `expected` text for input that is no move at all.
const EXAMPLES: &str = "a move such as Nf3, exd5, O-O, e8=Q or e2e4";

/// Writes a legal move, with `+` for check and `#` for mate.
pub(crate) fn text(position: &Chess, m: Move) -> String {
    let mut text = match position.castling_side(m) {
        Some(CastlingSide::KingSide) => "O-O".into(),
        Some(CastlingSide::QueenSide) => "O-O-O".into(),
        None => plain_text(position, m),
    };
    let after = position.after(m);
    if !after.board().checkers().is_empty() {
        text.push(if after.outcome().is_some() { '#' } else { '+' });
    }
    text
}

/// Writes a move other than castling, without check mark.
fn plain_text(position: &Chess, m: Move) -> String {
    let board = position.board();
    let piece = board.piece_on(m.from).unwrap_or(Piece::Pawn);
    let changes_file = m.from.file() != m.to.file();
    // A pawn that changes its file captures, possibly en passant onto an empty square.
    let is_capture = board.occupied().has(m.to) || (piece == Piece::Pawn && changes_file);
    let mut text = String::new();
    if piece == Piece::Pawn {
        text.extend(is_capture.then_some(char::from(m.from.file())));
    } else {
        text.push(letter(piece));
        text.push_str(&disambiguation(position, piece, m));
    }
    if is_capture {
        text.push('x');
    }
    text.push_str(&m.to.to_string());
    if let Some(promotion) = m.promotion {
        text.push('=');
        text.push(letter(promotion));
    }
    text
}

/// Disambiguates the moving piece from others of its kind that can legally move to the same square:
/// by file if that suffices, else by rank, else by both.
fn disambiguation(position: &Chess, piece: Piece, m: Move) -> String {
    let board = position.board();
    let mut rivals = BitBoard::EMPTY;
    board.generate_moves_for(board.pieces(piece) & !m.from.bitboard(), |moves| {
        if moves.to.has(m.to) {
            rivals |= moves.from.bitboard();
        }
        false
    });
    let (file, rank) = (m.from.file(), m.from.rank());
    if rivals.is_empty() {
        String::new()
    } else if rivals.is_disjoint(file.bitboard()) {
        file.to_string()
    } else if rivals.is_disjoint(rank.bitboard()) {
        rank.to_string()
    } else {
        m.from.to_string()
    }
}

/// The piece letter in SAN.
pub(crate) fn letter(piece: Piece) -> char {
    char::from(piece).to_ascii_uppercase()
}

/// The constraints that a SAN text puts on a move.
enum ParsedSan {
    Castling(CastlingSide),
    Plain {
        piece: Piece,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<Piece>,
    },
}

/// Parses a legal move. Capture and check marks may be missing or superfluous, and disambiguation may
/// be redundant.
pub(crate) fn parse(position: &Chess, text: &str) -> Result<Move, ReadError> {
    let wanted = read(text).ok_or_else(|| ReadError::at(text, 0, EXAMPLES))?;
    let candidates = candidates(position, &wanted);
    match candidates[..] {
        [m] => Ok(m),
        [] => Err(ReadError::at(text, 0, why_illegal(position, &wanted))),
        _ => {
            let names: Vec<_> = candidates.iter().map(|&m| self::text(position, m)).collect();
            Err(ReadError::at(text, 0, format!("one of {}", names.join(", "))))
        }
    }
}

fn read(text: &str) -> Option<ParsedSan> {
    let marks = ['+', '#', '!', '?'];
    let body = text.trim_end_matches(marks);
    let body = ["e.p.", "ep"].iter().find_map(|mark| body.strip_suffix(mark)).unwrap_or(body);
    let body = body.trim_end().trim_end_matches(marks);
    match body.replace(['0', 'o'], "O").as_str() {
        "O-O" => return Some(ParsedSan::Castling(CastlingSide::KingSide)),
        "O-O-O" => return Some(ParsedSan::Castling(CastlingSide::QueenSide)),
        _ => {}
    }
    let (body, promotion) = split_promotion(body);
    let (body, to) = split_square(body)?;
    let body = body.strip_suffix(['x', ':', '×', '-']).unwrap_or(body);
    let (body, rank) = split_last(body, |c| Rank::try_from(c).ok());
    let (body, file) = split_last(body, |c| File::try_from(c).ok());
    let mut letters = body.chars();
    let piece = letters.next().map_or(Some(Piece::Pawn), piece_from_symbol)?;
    letters.next().is_none().then_some(ParsedSan::Plain { piece, file, rank, to, promotion })
}

/// Splits off the promotion of `e8=Q`, `e8Q`, `e8(Q)` or `e8/Q`.
fn split_promotion(body: &str) -> (&str, Option<Piece>) {
    let inner = body.strip_suffix(')').unwrap_or(body);
    let (rest, piece) = split_last(inner, promotion_from_letter);
    let square = rest.strip_suffix(['=', '(', '/']).unwrap_or(rest);
    if piece.is_some() && square.ends_with(|c: char| c.is_ascii_digit()) {
        (square, piece)
    } else {
        (body, None)
    }
}

fn split_square(body: &str) -> Option<(&str, Square)> {
    let (body, rank) = split_last(body, |c| Rank::try_from(c).ok());
    let (body, file) = split_last(body, |c| File::try_from(c).ok());
    Some((body, Square::new(file?, rank?)))
}

/// Splits off the last character if `read` accepts it.
fn split_last<T>(body: &str, read: impl Fn(char) -> Option<T>) -> (&str, Option<T>) {
    let mut chars = body.chars();
    match chars.next_back().and_then(read) {
        Some(value) => (chars.as_str(), Some(value)),
        None => (body, None),
    }
}

/// The piece of a letter or figurine. A lower-case `b` is always the file.
fn piece_from_symbol(symbol: char) -> Option<Piece> {
    match symbol {
        'P' | '♙' | '♟' => Some(Piece::Pawn),
        'N' | 'n' | '♘' | '♞' => Some(Piece::Knight),
        'B' | '♗' | '♝' => Some(Piece::Bishop),
        'R' | 'r' | '♖' | '♜' => Some(Piece::Rook),
        'Q' | 'q' | '♕' | '♛' => Some(Piece::Queen),
        'K' | 'k' | '♔' | '♚' => Some(Piece::King),
        _ => None,
    }
}

/// The legal moves that satisfy the constraints.
fn candidates(position: &Chess, wanted: &ParsedSan) -> Vec<Move> {
    let board = position.board();
    let mover = board.side_to_move();
    match *wanted {
        ParsedSan::Castling(side) => {
            let from = board.king(mover);
            let rook = position.castling_rook(mover, side);
            let castling =
                rook.map(|file| Move { from, to: Square::new(file, from.rank()), promotion: None });
            castling.into_iter().filter(|&m| position.is_legal(m)).collect()
        }
        ParsedSan::Plain { piece, file, rank, to, promotion } => {
            // Without a file, a pawn stays on its own.
            let file = file.or((piece == Piece::Pawn).then_some(to.file()));
            let on_file = file.map_or(BitBoard::FULL, File::bitboard);
            let on_rank = rank.map_or(BitBoard::FULL, Rank::bitboard);
            let mut matching = Vec::new();
            // A move onto an own piece would be castling, which has its own notation.
            if !board.colors(mover).has(to) {
                board.generate_moves_for(board.pieces(piece) & on_file & on_rank, |moves| {
                    let matches =
                        |m: &Move| m.to == to && (promotion.is_none() || m.promotion == promotion);
                    matching.extend(moves.into_iter().filter(matches));
                    false
                });
            }
            matching
        }
    }
}

/// The `expected` text of the error for an illegal move.
fn why_illegal(position: &Chess, wanted: &ParsedSan) -> String {
    let mover = position.board().side_to_move();
    let reason = match *wanted {
        ParsedSan::Castling(_) => "cannot castle like that here".into(),
        ParsedSan::Plain { piece, to, promotion, .. } => {
            cannot(position, mover, piece, to, promotion)
        }
    };
    let name = color_name(mover);
    format!("a legal move: {name} {reason}{}", position.check_hint(mover))
}

fn cannot(
    position: &Chess,
    mover: Color,
    piece: Piece,
    to: Square,
    promotion: Option<Piece>,
) -> String {
    let name = piece_name(piece);
    if position.board().colored_pieces(mover, piece).is_empty() {
        return format!("has no {name}");
    }
    match promotion {
        Some(promotion) => {
            format!("has no {name} that can become a {} on {to}", piece_name(promotion))
        }
        None => format!("has no {name} that can go to {to} like that"),
    }
}
