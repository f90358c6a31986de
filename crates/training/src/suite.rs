//! Solutions of test suites: `bm` of EPD files, the scores of moves in OBF files.

use tablero_core::{AnyMove, AnyRecord};

/// The position of a record and its solutions; `None` if it states none that is legal.
pub fn solutions(record: &AnyRecord) -> Option<Vec<AnyMove>> {
    let position = &record.start;
    let parse = |text: &str| position.parse_move(text.trim_end_matches(['!', '?'])).ok();
    if let Some(best) = record.tag("bm") {
        let moves: Option<Vec<AnyMove>> = best.split_whitespace().map(parse).collect();
        return moves.filter(|moves| !moves.is_empty());
    }
    let scores = record.tag("Scores")?;
    let mut scored = Vec::new();
    for entry in scores.split(';').filter(|entry| !entry.trim().is_empty()) {
        let (name, score) = entry.trim().split_once(':')?;
        scored.push((parse(name)?, score.trim().parse::<i32>().ok()?));
    }
    let best = scored.iter().map(|(_, score)| *score).max()?;
    // Where all moves are equally good there is nothing to find.
    let is_puzzle = scored.iter().any(|(_, score)| *score < best);
    let moves = scored.iter().filter(|(_, score)| *score == best).map(|(m, _)| *m);
    is_puzzle.then(|| moves.collect())
}

#[cfg(test)]
mod tests {
    use tablero_chess::Chess;
    use tablero_core::{AnyGame, Input, open_as};
    use tablero_othello::Othello;

    use super::*;

    fn of(game: AnyGame, text: &str, format: &str) -> Option<Vec<String>> {
        let (records, _) = open_as(game, &Input::text(text), Some(format)).unwrap();
        let moves = solutions(&records[0])?;
        Some(moves.into_iter().map(|m| records[0].start.move_text(m)).collect())
    }

    #[test]
    fn best_moves_are_read() {
        let chess = AnyGame::of::<Chess>();
        let back_rank = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"1\";";
        assert_eq!(of(chess, back_rank, "epd"), Some(vec!["Rd8#".into()]));
        assert_eq!(of(chess, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - id \"1\";", "epd"), None);
        let board = "--------".repeat(3) + "---OX---" + "---XO---" + &"--------".repeat(3);
        let scored = format!("{board} X; D3:+2; C4:+0; F5:-1; E6:+2;");
        assert_eq!(
            of(AnyGame::of::<Othello>(), &scored, "obf"),
            Some(vec!["d3".into(), "e6".into()])
        );
    }
}
