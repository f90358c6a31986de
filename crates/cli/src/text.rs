//! Descriptions of games and results.

use tablero_core::{AnyRecord, Ending, GameEnd, GameInfo, Side};

/// Players, result, event and date.
pub(crate) fn headline(record: &AnyRecord) -> String {
    let info = record.start.info();
    let name = |side: Side| match record.player(side) {
        "" => info.sides[side.index()],
        name => name,
    };
    let result = record.end.map_or_else(String::new, |end| format!("  {}", result_text(info, end)));
    let event: Vec<&str> = ["Event", "Date"].iter().filter_map(|tag| record.tag(tag)).collect();
    let event = if event.is_empty() { String::new() } else { format!("  ({})", event.join(", ")) };
    format!("{} – {}{result}{event}", name(Side::First), name(Side::Second))
}

/// `black wins by 12 discs`, `draw by repetition`, ...
pub(crate) fn result_text(info: &GameInfo, end: GameEnd) -> String {
    let why = match end.ending {
        Ending::Played | Ending::Unknown => String::new(),
        other => format!(" by {other}"),
    };
    let Some(winner) = end.outcome.winner() else {
        return format!("draw{why}");
    };
    let winner = info.sides[winner.index()];
    match info.margin {
        Some(unit) if why.is_empty() => {
            format!("{winner} wins by {} {unit}", end.outcome.margin().0.abs())
        }
        _ => format!("{winner} wins{why}"),
    }
}
