//! Positions from requests.

use tablero_core::{AnyGame, AnyGameHistory, Side};

use crate::api::{BoardSetup, PositionChecked, PositionRequest, Problem};
use crate::describe::cell;
use crate::error::ApiResult;
use crate::game_file::Line;

/// A new game from a position, which may have `moves ...` after it, or from a numbered start.
pub(crate) fn new_history(
    game: AnyGame,
    rules: Option<&str>,
    position: Option<&str>,
    number: Option<u32>,
) -> ApiResult<AnyGameHistory> {
    if let Some(number) = number {
        let missing = || Problem::UnknownStart { game: game.name().into(), number };
        return Ok(game.numbered_start(number).map(AnyGameHistory::new).ok_or_else(missing)?);
    }
    let rules = game.rules_or_default(rules)?;
    Ok(game.parse_history(position.unwrap_or("start"), rules)?)
}

/// The game after `moves` from a position.
pub(crate) fn history_after(
    game: AnyGame,
    rules: Option<&str>,
    position: Option<&str>,
    moves: &[String],
) -> ApiResult<AnyGameHistory> {
    let mut history = new_history(game, rules, position, None)?;
    play_moves(&mut history, moves.iter().map(String::as_str))?;
    Ok(history)
}

/// Replays a stored line.
pub(crate) fn replay(game: AnyGame, line: &Line) -> ApiResult<AnyGameHistory> {
    let rules = game.rules(&line.rules)?;
    let start = match line.start.as_str() {
        "" => rules.start(),
        text => rules.parse_position(text).map_err(Problem::position)?,
    };
    let mut played = AnyGameHistory::new(start);
    play_moves(&mut played, line.moves.iter().map(String::as_str))?;
    Ok(played)
}

/// Plays moves in sequence.
pub(crate) fn play_moves<'a>(
    game: &mut AnyGameHistory,
    moves: impl IntoIterator<Item = &'a str>,
) -> ApiResult<()> {
    for (number, name) in (1..).zip(moves) {
        let illegal = || Problem::InvalidMoveInLine { number, name: name.into() };
        let m = game.position().parse_move(name).map_err(|_| illegal())?;
        game.play_on(m).map_err(|_| illegal())?;
    }
    Ok(())
}

/// Whether a position is the default start of the rules.
pub(crate) fn is_default_start(game: AnyGame, rules: &str, position: &str) -> bool {
    let rules = game.rules(rules).unwrap_or_else(|_| game.default_rules());
    rules.start().position_text() == position
}

/// Validates a position.
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

fn read(game: AnyGame, request: &PositionRequest) -> ApiResult<AnyGameHistory> {
    let text = match (&request.position, &request.board) {
        (Some(text), None) => text.clone(),
        (None, Some(board)) => {
            check_cells(game, board)?;
            game.position_text_of(&board.into())
        }
        _ => return Err(Problem::PositionOrBoard.into()),
    };
    new_history(game, request.rules.as_deref(), Some(&text), None)
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
            Err(Problem::UnknownPiece { letter, game, first, second }.into())
        }
    }
}
