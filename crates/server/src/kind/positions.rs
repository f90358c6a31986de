//! Positions that people give.

use tablero_catalog::parse_match;
use tablero_core::Match;

use super::facts::cells;
use super::{Describe, rules_called};
use crate::api::{BoardSetup, PositionChecked, PositionRequest};
use crate::error::{ApiError, ApiResult};

/// The match that starts there.
pub(super) fn begin<G: Describe>(
    rules: Option<&str>,
    position: Option<&str>,
    number: Option<u32>,
) -> ApiResult<Match<G>> {
    if let Some(number) = number {
        return G::numbered_start(number).map(Match::new).ok_or_else(|| {
            ApiError::bad(format!(
                "{} has no start number {number}; only Chess960 has, 0 to 959",
                G::NAME
            ))
        });
    }
    let rules = rules_called::<G>(rules)?;
    parse_match(position.unwrap_or("start"), rules).map_err(ApiError::bad)
}

/// Whether a position is right.
pub(super) fn check<G: Describe>(request: &PositionRequest) -> PositionChecked {
    match read::<G>(request) {
        Ok(game) => {
            let position = game.position();
            PositionChecked {
                problem: None,
                position: Some(position.position_text()),
                cells: Some(cells(position)),
                turn: Some(position.side().into()),
                is_over: game.end().is_some(),
                check: position.check(),
            }
        }
        Err(problem) => PositionChecked {
            problem: Some(problem),
            position: None,
            cells: None,
            turn: None,
            is_over: false,
            check: None,
        },
    }
}

fn read<G: Describe>(request: &PositionRequest) -> Result<Match<G>, String> {
    let text = match (&request.position, &request.board) {
        (Some(text), None) => text.clone(),
        (None, Some(board)) => {
            check_cells::<G>(board)?;
            G::position_text_of(board)
        }
        _ => return Err("give either a position or a board".into()),
    };
    begin::<G>(request.rules.as_deref(), Some(&text), None).map_err(|error| error.to_string())
}

fn check_cells<G: Describe>(board: &BoardSetup) -> Result<(), String> {
    let wanted = G::start(G::Rules::default()).diagram().cells.len();
    let found = board.cells.chars().count();
    if found != wanted {
        return Err(format!("the board has {found} cells, expected {wanted}"));
    }
    let is_known = |c: char| c == '.' || G::PIECES.iter().any(|pieces| pieces.contains(c));
    match board.cells.chars().find(|c| !is_known(*c)) {
        None => Ok(()),
        Some(c) => Err(format!(
            "`{c}` is no piece of {}; there are {}, {} and `.`",
            G::NAME,
            G::PIECES[0],
            G::PIECES[1]
        )),
    }
}
