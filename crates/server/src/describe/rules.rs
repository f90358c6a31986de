//! The rules text of a game.

use tablero_core::{AnyGame, AnyPosition, Diagram};

use super::convert::cell;
use super::game::cells;
use crate::api::{Cell, Illustration, Language, RulesParagraph, RulesText};

/// The rules in paragraphs, some with an illustration.
pub(crate) fn describe_rules(game: AnyGame, language: Language) -> RulesText {
    let (start, presentation) = (game.start(), game.presentation());
    let text = match language {
        Language::En => presentation.rules.en,
        Language::Es => presentation.rules.es,
    };
    let paragraph = |(index, text): (usize, &str)| {
        let shown = presentation.illustrations.iter().find(|shown| shown.paragraph == index);
        RulesParagraph {
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            illustration: shown.map(|shown| illustration(shown, &start)),
        }
    };
    RulesText { paragraphs: text.trim().split("\n\n").enumerate().map(paragraph).collect() }
}

fn illustration(shown: &tablero_core::Illustration, start: &AnyPosition) -> Illustration {
    let diagram = start.diagram();
    let cells_named =
        |names: &[&str]| names.iter().filter_map(|name| cell_named(&diagram, name)).collect();
    let arrow =
        |[from, to]: &[&str; 2]| Some([cell_named(&diagram, from)?, cell_named(&diagram, to)?]);
    Illustration {
        cells: match shown.cells {
            "" => start.cells_text(),
            rows => cells(rows),
        },
        marks: cells_named(shown.marks),
        arrows: shown.arrows.iter().filter_map(arrow).collect(),
        dots: cells_named(shown.dots),
    }
}

/// The cell of that name.
fn cell_named(diagram: &Diagram, name: &str) -> Option<Cell> {
    let names = diagram
        .rows
        .iter()
        .flat_map(|row| diagram.columns.iter().map(move |column| (column.as_str(), row.as_str())));
    names
        .enumerate()
        .find(|(_, (column, row))| name.strip_prefix(column) == Some(row))
        .map(|(index, _)| cell(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The boards of a game's presentation have its size and pieces.
    fn check(game: AnyGame) {
        let shown = game.presentation();
        let start = game.start();
        let size = start.diagram().cells.len();
        let is_board = |text: &str| {
            let known = |c: char| c == '.' || shown.pieces.iter().any(|piece| piece.letter == c);
            text.chars().count() == size && text.chars().all(known)
        };
        assert!(is_board(&start.cells_text()), "{game}: the start");
        assert!(shown.example.is_none_or(|rows| is_board(&cells(rows))), "{game}: the example");
        for variant in shown.variants {
            assert!(game.rules(variant.name).is_ok(), "{game}: {variant:?}");
        }
        let english = describe_rules(game, Language::En).paragraphs;
        let spanish = describe_rules(game, Language::Es).paragraphs;
        assert_eq!(english.len(), spanish.len(), "{game}: paragraphs in both languages");
        for shown in shown.illustrations {
            let found = english.get(shown.paragraph).and_then(|one| one.illustration.as_ref());
            let found = found.unwrap_or_else(|| panic!("{game}: no paragraph for {shown:?}"));
            assert!(is_board(&found.cells), "{game}: {shown:?}");
            assert_eq!(found.marks.len(), shown.marks.len(), "{game}: {shown:?}");
            assert_eq!(found.arrows.len(), shown.arrows.len(), "{game}: {shown:?}");
            assert_eq!(found.dots.len(), shown.dots.len(), "{game}: {shown:?}");
        }
    }

    #[test]
    fn presentations_fit_their_games() {
        for entry in tablero_catalog::games() {
            check(entry.game());
        }
    }
}
