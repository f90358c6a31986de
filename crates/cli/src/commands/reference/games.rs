//! The games with their rules variants, protocols and file formats.

use tablero_core::{AnyGame, FileFormat};
use tablero_registry::games;

use super::{cell, code, table};

pub(super) fn page() -> String {
    let mut text = String::from(
        "# Games\n\nGAME arguments take the names below. File formats are detected when read; when written, the \
         extension selects the format.\n\n",
    );
    for entry in games() {
        text += &section(entry.game());
    }
    text
}

fn section(game: AnyGame) -> String {
    let presentation = game.presentation();
    let mut text = format!("## {}\n\n{}\n\n", presentation.title.en, presentation.lead.en);
    let [first, second] = game.info().sides;
    text += &format!("- Name: `{}`\n- Sides: {first} moves first, then {second}\n", game.name());
    let rules: Vec<_> =
        game.all_rules().iter().map(|rules| format!("`{}`", rules.name())).collect();
    if rules.len() > 1 {
        text += &format!(
            "- Rules variants (`--rules`): {}; the first is the default\n",
            rules.join(", ")
        );
    }
    let protocols: Vec<_> =
        game.protocols().iter().map(|protocol| format!("`{protocol}`")).collect();
    text += &format!("- Engine protocols: {}\n\n", protocols.join(", "));
    let row = |format: FileFormat| {
        let extensions: Vec<_> =
            format.extensions.iter().map(|extension| format!("`.{extension}`")).collect();
        [code(format.name), extensions.join(" "), cell(format.about)]
    };
    text + &table(
        ["Format", "Extensions", "Contents"],
        &game.formats().into_iter().map(row).collect::<Vec<_>>(),
    )
}
