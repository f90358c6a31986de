//! Games and lines of play in words.

use tablero_catalog::Catalogued;
use tablero_core::{Ending, GameEnd, Record, Side};

/// Who played whom, how it ended, where and when.
pub(crate) fn headline<G: Catalogued>(record: &Record<G>) -> String {
    let name = |side: Side| match record.player(side) {
        "" => G::SIDES[side.index()],
        name => name,
    };
    let result = record.end.map_or_else(String::new, |end| format!("  {}", result_text::<G>(end)));
    let event: Vec<&str> = ["Event", "Date"].iter().filter_map(|tag| record.tag(tag)).collect();
    let event = if event.is_empty() { String::new() } else { format!("  ({})", event.join(", ")) };
    format!("{} – {}{result}{event}", name(Side::First), name(Side::Second))
}

/// `black wins by 12 discs`, `draw by repetition`, ...
pub(crate) fn result_text<G: Catalogued>(end: GameEnd) -> String {
    let why = match end.ending {
        Ending::Played | Ending::Unknown => String::new(),
        other => format!(" by {other}"),
    };
    let Some(winner) = end.outcome.winner() else {
        return format!("draw{why}");
    };
    let winner = G::SIDES[winner.index()];
    match G::MARGIN {
        Some(unit) if why.is_empty() => {
            format!("{winner} wins by {} {unit}", end.outcome.margin().0.abs())
        }
        _ => format!("{winner} wins{why}"),
    }
}

/// The names of moves that are played one after the other.
pub(crate) fn line_names<G: Catalogued>(position: &G, moves: &[G::Move]) -> Vec<String> {
    let mut position = position.clone();
    let mut name = |&m: &G::Move| {
        let text = position.move_text(m);
        position.play(m);
        text
    };
    moves.iter().map(&mut name).collect()
}
