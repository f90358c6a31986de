//! A game and its players as API types.

use tablero_core::{
    AnyGame, AnyRules, FileFormat, Ground, Level, OptionValues as Values, PiecePresentation,
    PlayerKind, SidePresentation,
};
use tablero_registry::GameEntry;

use crate::api::{
    self, BoardKind, FormatInfo, GameKind, LevelInfo, NamedLevel, OptionInfo, OptionValues,
    PieceKind, PlayerKindInfo, Players, SideKind, Variant,
};

/// What the page needs to show a game.
pub(crate) fn describe_game(game: AnyGame) -> GameKind {
    let (info, presentation) = (game.info(), game.presentation());
    let [first, second] = presentation.sides;
    let [first_name, second_name] = info.sides;
    GameKind {
        name: info.name.into(),
        title: presentation.title.into(),
        lead: presentation.lead.into(),
        sides: [side(first_name, first), side(second_name, second)],
        margin: info.margin.map(Into::into),
        score_sum: presentation.score_sum,
        unit: game.unit().into(),
        decimals: presentation.decimals,
        counted: presentation.counted.map(Into::into),
        win: presentation.win.map(Into::into),
        steps: presentation.steps.iter().map(|&step| step.into()).collect(),
        castling: presentation.castling,
        rules: game.all_rules().into_iter().map(variant).collect(),
        formats: game.formats().iter().map(format_info).collect(),
        board: board(game),
        analyst: game.analyst().into(),
    }
}

fn side(name: &str, presentation: SidePresentation) -> SideKind {
    SideKind {
        name: name.into(),
        title: presentation.title.into(),
        colour: presentation.colour.into(),
    }
}

/// A rules variant; one without a title is presentation by its name.
fn variant(rules: AnyRules) -> Variant {
    let name = rules.name();
    let variants = rules.game().presentation().variants;
    let known = variants.iter().find(|variant| variant.name == name);
    let unnamed = || api::Localized { en: name.into(), es: name.into() };
    Variant {
        name: name.into(),
        title: known.map_or_else(unnamed, |variant| variant.title.into()),
        starts: known.map_or(0, |variant| variant.starts),
    }
}

fn piece(presentation: &PiecePresentation) -> PieceKind {
    PieceKind {
        side: presentation.side.into(),
        letter: presentation.letter.into(),
        name: presentation.name.into(),
        shape: presentation.shape.into(),
    }
}

fn format_info(format: &FileFormat) -> FormatInfo {
    FormatInfo {
        name: format.name.into(),
        extensions: format.extensions.iter().map(|&extension| extension.into()).collect(),
        about: format.about.into(),
    }
}

fn board(game: AnyGame) -> BoardKind {
    let start = game.start();
    let diagram = start.diagram();
    let ground = |cell: &tablero_core::Cell| match cell.ground {
        Ground::Dark => 'd',
        Ground::Light => 'l',
        Ground::Plain => 'p',
    };
    let presentation = game.presentation();
    let start = start.cells_text();
    BoardKind {
        grounds: diagram.cells.iter().map(ground).collect(),
        columns: diagram.columns,
        rows: diagram.rows,
        split: diagram.split,
        drawing: presentation.drawing.map(Into::into),
        drops: presentation.drops,
        pieces: presentation.pieces.iter().map(piece).collect(),
        example: presentation.example.map_or_else(|| start.clone(), cells),
        start,
    }
}

/// The cells of a board, without the whitespace between rows.
pub(super) fn cells(rows: &str) -> String {
    rows.split_whitespace().collect()
}

/// The levels and player kinds of a game.
pub(crate) fn describe_players(entry: &dyn GameEntry) -> Players {
    let game = entry.game();
    let level = |(number, level): (usize, &Level)| LevelInfo {
        player: format!("level {number}"),
        alias_of: level.line.into(),
        elo: level.elo,
        rating: game.rating(level) as i32,
        strength: game.strengths().get(number - 1).copied().map(Into::into),
    };
    let named = |(name, line): (&str, &str)| NamedLevel {
        name: name.into(),
        player: format!("level {name}"),
        alias_of: line.into(),
    };
    Players {
        levels: (1..).zip(game.ladder()).map(level).collect(),
        named: game.named_levels().map(named).to_vec(),
        kinds: entry.player_kinds().0.iter().map(kind_info).collect(),
    }
}

fn kind_info(kind: &PlayerKind) -> PlayerKindInfo {
    PlayerKindInfo {
        name: kind.name.into(),
        about: kind.about.into(),
        words: kind.words.clone(),
        starts_program: kind.starts_program,
        options: kind.options.iter().map(describe_option).collect(),
    }
}

/// An option of a player kind or of an evolution scheme.
pub(crate) fn describe_option(option: &tablero_core::OptionInfo) -> OptionInfo {
    OptionInfo {
        name: option.name.into(),
        values: (&option.values).into(),
        default: option.default.clone(),
        about: option.about.into(),
    }
}

impl From<&Values> for OptionValues {
    fn from(values: &Values) -> Self {
        match values {
            Values::Integer { min, max } => Self::Integer { min: *min, max: *max },
            Values::Threads | Values::Megabytes { .. } => Self::from(&values.on_this_machine()),
            Values::Number { min, max } => Self::Number { min: *min, max: *max },
            Values::Duration => Self::Duration,
            // The page may not name files of the server.
            Values::Choice(values) | Values::NameOrFile(values) => {
                Self::Choice { values: values.clone() }
            }
        }
    }
}
