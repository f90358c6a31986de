//! Moves in NBoard and GTP: a square, or a pass that programs may omit.

use tablero_core::{AnyMove, AnyPosition, ReadError};

/// A pass in the game's notation and in GTP.
pub(crate) const PASS: &str = "pass";

/// The pass, if it is the only move.
pub(crate) fn forced_pass(position: &AnyPosition) -> Option<AnyMove> {
    let is_forced = position.count_moves() == 1;
    is_forced.then(|| position.parse_move(PASS).ok()).flatten()
}

/// Parses a move; returns the omitted forced pass, if any, and the move.
pub(crate) fn parse_move(
    position: &AnyPosition,
    name: &str,
) -> Result<(Option<AnyMove>, AnyMove), ReadError> {
    let error = match position.parse_move(name) {
        Ok(m) => return Ok((None, m)),
        Err(error) => error,
    };
    let pass = forced_pass(position).ok_or(error)?;
    Ok((Some(pass), position.after(pass).parse_move(name)?))
}

/// A move in upper case; `pass` is the protocol's word for a pass.
pub(crate) fn square_text(position: &AnyPosition, m: AnyMove, pass: &str) -> String {
    let text = position.move_text(m);
    if text == PASS { pass.into() } else { text.to_uppercase() }
}

#[cfg(test)]
mod tests {
    use tablero_core::AnyGame;
    use tablero_othello::Othello;

    use super::*;

    #[test]
    fn a_forced_pass_may_be_omitted() {
        let rules = AnyGame::of::<Othello>().default_rules();
        // Black, to move, has nothing to flank; white can play c1.
        let position = rules.parse_position(&format!("OX{} X", "-".repeat(62))).expect("valid");
        let pass = forced_pass(&position).expect("a pass");
        assert_eq!(parse_move(&position, "PA"), Ok((None, pass)));
        let c1 = position.after(pass).parse_move("c1").expect("legal");
        assert_eq!(parse_move(&position, "C1"), Ok((Some(pass), c1)));
        assert!(parse_move(&position, "d1").is_err());
        assert_eq!(square_text(&position, pass, "PA"), "PA");
        assert_eq!(square_text(&position.after(pass), c1, "PA"), "C1");
        let start = rules.start();
        assert_eq!(forced_pass(&start), None);
        assert!(parse_move(&start, "pass").is_err());
    }
}
