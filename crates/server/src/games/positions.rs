//! Positions that people give.

use tablero_core::{AnyGame, AnyMatch, ReadError, Side};

use crate::api::{BoardSetup, PositionChecked, PositionRequest, Problem};
use crate::describe::cell;
use crate::error::ApiResult;
use crate::file::Line;

/// The match that starts at a position with `moves` after it, or at the start of that number.
pub(crate) fn new_match(
    game: AnyGame,
    rules: Option<&str>,
    position: Option<&str>,
    number: Option<u32>,
) -> ApiResult<AnyMatch> {
    if let Some(number) = number {
        let missing = || Problem::NoSuchStart { game: game.name().into(), number };
        return Ok(game.numbered_start(number).map(AnyMatch::new).ok_or_else(missing)?);
    }
    let rules = game.rules_or_default(rules)?;
    Ok(game.parse_match(position.unwrap_or("start"), rules)?)
}

/// The match of a line that was kept.
pub(crate) fn replay(game: AnyGame, line: &Line) -> ApiResult<AnyMatch> {
    let rules = game.rules(&line.rules)?;
    let start = match line.start.as_str() {
        "" => rules.start(),
        text => rules.parse_position(text).map_err(Problem::position)?,
    };
    let mut played = AnyMatch::new(start);
    play_on(&mut played, line.moves.iter().map(String::as_str))?;
    Ok(played)
}

/// Plays moves one after the other.
pub(crate) fn play_on<'a>(
    game: &mut AnyMatch,
    moves: impl IntoIterator<Item = &'a str>,
) -> ApiResult<()> {
    for (number, name) in (1..).zip(moves) {
        let wrong = |error| Problem::move_of_line(number, name, error);
        let m = game.position().parse_move(name).map_err(wrong)?;
        game.play_on(m).map_err(|_| wrong(ReadError::at(name, 0, "a legal move")))?;
    }
    Ok(())
}

/// Whether that position is the usual start.
pub(crate) fn is_usual_start(game: AnyGame, rules: &str, position: &str) -> bool {
    let rules = game.rules(rules).unwrap_or_else(|_| game.default_rules());
    rules.start().position_text() == position
}

/// Whether a position is right.
pub(crate) fn check_position(game: AnyGame, request: &PositionRequest) -> PositionChecked {
    match read(game, request) {
        Ok(game) => {
            let position = game.position();
            PositionChecked {
                problem: None,
                position: Some(position.position_text()),
                cells: Some(position.cells_text()),
                turn: Some(position.side().into()),
                is_over: game.end().is_some(),
                check: position.check().map(cell),
            }
        }
        Err(error) => PositionChecked {
            problem: Some(error.into_problem().into()),
            position: None,
            cells: None,
            turn: None,
            is_over: false,
            check: None,
        },
    }
}

fn read(game: AnyGame, request: &PositionRequest) -> ApiResult<AnyMatch> {
    let text = match (&request.position, &request.board) {
        (Some(text), None) => text.clone(),
        (None, Some(board)) => {
            check_cells(game, board)?;
            game.position_text_of(&board.into())
        }
        _ => return Err(Problem::PositionOrBoard.into()),
    };
    new_match(game, request.rules.as_deref(), Some(&text), None)
}

fn check_cells(game: AnyGame, board: &BoardSetup) -> ApiResult<()> {
    let wanted = game.start().diagram().cells.len();
    let found = board.cells.chars().count();
    if found != wanted {
        return Err(Problem::WrongCellCount { found, expected: wanted }.into());
    }
    let shown = game.presentation();
    let is_known = |c: char| c == '.' || shown.pieces.iter().any(|piece| piece.letter == c);
    match board.cells.chars().find(|c| !is_known(*c)) {
        None => Ok(()),
        Some(c) => {
            let [first, second] = Side::BOTH.map(|side| shown.letters(side).collect::<String>());
            let (letter, game) = (c.into(), game.name().into());
            Err(Problem::NoSuchPiece { letter, game, first, second }.into())
        }
    }
}
