//! Moves in standard algebraic notation, written exactly and read generously.

use cozy_chess::{BitBoard, Color, File, Move, Piece, Rank, Square};
use tablero_core::{Game as _, ReadError};

use crate::Chess;
use crate::fen::color_name;
use crate::position::Wing;
use crate::uci::{piece_name, promotion_of};

/// What a reader can be told when it is lost.
const EXAMPLES: &str = "a move such as Nf3, exd5, O-O, e8=Q or e2e4";

/// A legal move, with `+` for check and `#` for mate.
pub(crate) fn text(position: &Chess, m: Move) -> String {
    let mut text = match position.castles(m) {
        Some(Wing::Short) => "O-O".into(),
        Some(Wing::Long) => "O-O-O".into(),
        None => plain_text(position, m),
    };
    let after = position.after(m);
    if !after.board().checkers().is_empty() {
        text.push(if after.outcome().is_some() { '#' } else { '+' });
    }
    text
}

/// A move that does not castle, without the mark for check.
fn plain_text(position: &Chess, m: Move) -> String {
    let board = position.board();
    let piece = board.piece_on(m.from).unwrap_or(Piece::Pawn);
    let leaves_file = m.from.file() != m.to.file();
    // A pawn leaves its file only to take, also en passant, where the square is empty.
    let takes = board.occupied().has(m.to) || (piece == Piece::Pawn && leaves_file);
    let mut text = String::new();
    if piece == Piece::Pawn {
        text.extend(takes.then_some(char::from(m.from.file())));
    } else {
        text.push(letter(piece));
        text.push_str(&distinction(position, piece, m));
    }
    if takes {
        text.push('x');
    }
    text.push_str(&m.to.to_string());
    if let Some(promotion) = m.promotion {
        text.push('=');
        text.push(letter(promotion));
    }
    text
}

/// What tells the moving piece from others of its kind that could go to the same square: its file
/// if that suffices, else its rank, else both.
fn distinction(position: &Chess, piece: Piece, m: Move) -> String {
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

/// A piece's letter in a move.
pub(crate) fn letter(piece: Piece) -> char {
    char::from(piece).to_ascii_uppercase()
}

/// What a move's text says about it.
enum Wanted {
    Castling(Wing),
    Plain {
        piece: Piece,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<Piece>,
    },
}

/// The legal move that `text` names. Marks for captures and checks may be missing or too many, and
/// the moving piece may be told apart more than needed.
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

fn read(text: &str) -> Option<Wanted> {
    let marks = ['+', '#', '!', '?'];
    let body = text.trim_end_matches(marks);
    let body = ["e.p.", "ep"].iter().find_map(|mark| body.strip_suffix(mark)).unwrap_or(body);
    let body = body.trim_end().trim_end_matches(marks);
    match body.replace(['0', 'o'], "O").as_str() {
        "O-O" => return Some(Wanted::Castling(Wing::Short)),
        "O-O-O" => return Some(Wanted::Castling(Wing::Long)),
        _ => {}
    }
    let (body, promotion) = split_promotion(body);
    let (body, to) = split_square(body)?;
    let body = body.strip_suffix(['x', ':', '×', '-']).unwrap_or(body);
    let (body, rank) = split_last(body, |c| Rank::try_from(c).ok());
    let (body, file) = split_last(body, |c| File::try_from(c).ok());
    let mut letters = body.chars();
    let piece = letters.next().map_or(Some(Piece::Pawn), piece_of)?;
    letters.next().is_none().then_some(Wanted::Plain { piece, file, rank, to, promotion })
}

/// `e8=Q`, `e8Q`, `e8(Q)` or `e8/Q` without the promotion, and what it is.
fn split_promotion(body: &str) -> (&str, Option<Piece>) {
    let inner = body.strip_suffix(')').unwrap_or(body);
    let (rest, piece) = split_last(inner, promotion_of);
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

/// Takes the last character if `read` knows it.
fn split_last<T>(body: &str, read: impl Fn(char) -> Option<T>) -> (&str, Option<T>) {
    let mut chars = body.chars();
    match chars.next_back().and_then(read) {
        Some(value) => (chars.as_str(), Some(value)),
        None => (body, None),
    }
}

/// The piece of a letter or figurine. A small `b` is the file, never a bishop.
fn piece_of(sign: char) -> Option<Piece> {
    match sign {
        'P' | '♙' | '♟' => Some(Piece::Pawn),
        'N' | 'n' | '♘' | '♞' => Some(Piece::Knight),
        'B' | '♗' | '♝' => Some(Piece::Bishop),
        'R' | 'r' | '♖' | '♜' => Some(Piece::Rook),
        'Q' | 'q' | '♕' | '♛' => Some(Piece::Queen),
        'K' | 'k' | '♔' | '♚' => Some(Piece::King),
        _ => None,
    }
}

/// The legal moves that fit.
fn candidates(position: &Chess, wanted: &Wanted) -> Vec<Move> {
    let board = position.board();
    let mover = board.side_to_move();
    match *wanted {
        Wanted::Castling(wing) => {
            let from = board.king(mover);
            let rook = position.castling_rook(mover, wing);
            let castling =
                rook.map(|file| Move { from, to: Square::new(file, from.rank()), promotion: None });
            castling.into_iter().filter(|&m| position.is_legal(m)).collect()
        }
        Wanted::Plain { piece, file, rank, to, promotion } => {
            // A pawn that leaves its file says so.
            let file = file.or((piece == Piece::Pawn).then_some(to.file()));
            let on_file = file.map_or(BitBoard::FULL, File::bitboard);
            let on_rank = rank.map_or(BitBoard::FULL, Rank::bitboard);
            let mut fitting = Vec::new();
            // A move onto an own piece is castling, which is not written like this.
            if !board.colors(mover).has(to) {
                board.generate_moves_for(board.pieces(piece) & on_file & on_rank, |moves| {
                    let fits =
                        |m: &Move| m.to == to && (promotion.is_none() || m.promotion == promotion);
                    fitting.extend(moves.into_iter().filter(fits));
                    false
                });
            }
            fitting
        }
    }
}

/// What would have been right instead of a move that no piece can make.
fn why_illegal(position: &Chess, wanted: &Wanted) -> String {
    let mover = position.board().side_to_move();
    let reason = match *wanted {
        Wanted::Castling(_) => "cannot castle like that here".into(),
        Wanted::Plain { piece, to, promotion, .. } => cannot(position, mover, piece, to, promotion),
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
