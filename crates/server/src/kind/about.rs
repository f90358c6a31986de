//! What a game tells of itself.

use tablero_catalog::players::{self, Values, kinds};
use tablero_core::{Ground, Rules};

use super::Describe;
use super::facts::cells;
use crate::api::{
    BoardKind, FormatInfo, GameKind, KindInfo, LevelInfo, NamedLevel, OptionInfo, OptionValues,
    Players,
};

pub(super) fn about<G: Describe>() -> GameKind {
    GameKind {
        name: G::NAME.into(),
        sides: G::SIDES.map(Into::into),
        margin: G::MARGIN.map(Into::into),
        unit: G::UNIT.into(),
        rules: G::Rules::ALL.iter().map(|rules| rules.name().into()).collect(),
        formats: G::formats().iter().map(format_info).collect(),
        board: board::<G>(),
        analyst: G::ANALYST.into(),
    }
}

fn format_info<G: Describe>(format: &tablero_catalog::FileFormat<G>) -> FormatInfo {
    FormatInfo {
        name: format.name.into(),
        extensions: format.extensions.iter().map(|&extension| extension.into()).collect(),
        about: format.about.into(),
    }
}

fn board<G: Describe>() -> BoardKind {
    let start = G::start(G::Rules::default());
    let diagram = start.diagram();
    let ground = |cell: &tablero_core::Cell| match cell.ground {
        Ground::Dark => 'd',
        Ground::Light => 'l',
        Ground::Plain => 'p',
    };
    BoardKind {
        grounds: diagram.cells.iter().map(ground).collect(),
        columns: diagram.columns,
        rows: diagram.rows,
        split: diagram.split,
        pieces: G::PIECES.map(Into::into),
        start: cells(&start),
    }
}

pub(super) fn players<G: Describe>() -> Players {
    let level = |(number, level): (usize, &players::Level)| LevelInfo {
        player: format!("level {number}"),
        stands_for: level.line.into(),
        elo: level.elo,
        rating: G::rating(level) as i32,
    };
    let named = |(name, line): (&str, &str)| NamedLevel {
        name: name.into(),
        player: format!("level {name}"),
        stands_for: line.into(),
    };
    Players {
        levels: (1..).zip(G::LADDER).map(level).collect(),
        named: G::NAMED.map(named).to_vec(),
        kinds: kinds::<G>().iter().map(kind_info).collect(),
    }
}

/// Kinds that start another program, whatever their game.
pub(crate) const PROGRAMS: [&str; 3] = ["uci", "nboard", "gtp"];

fn kind_info<G: Describe>(kind: &players::Kind<G>) -> KindInfo {
    KindInfo {
        name: kind.name.into(),
        about: kind.about.into(),
        words: kind.words.map(Into::into),
        starts_program: PROGRAMS.contains(&kind.name),
        options: kind.options.iter().map(option_info).collect(),
    }
}

/// An option, as the page sees it.
pub(super) fn option_info(option: &players::OptionInfo) -> OptionInfo {
    OptionInfo {
        name: option.name.into(),
        values: values(&option.values),
        default: option.default.clone(),
        about: option.about.into(),
    }
}

fn values(values: &Values) -> OptionValues {
    match values {
        Values::Integer { min, max } => OptionValues::Integer { min: *min, max: *max },
        Values::Number { min, max } => OptionValues::Number { min: *min, max: *max },
        Values::Duration => OptionValues::Duration,
        // Files of the server's machine are not for the page.
        Values::Choice(values) | Values::NameOrFile(values) => {
            OptionValues::Choice { values: values.clone() }
        }
    }
}
