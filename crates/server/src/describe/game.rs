//! A game and its players, as the page sees them.

use tablero_core::{
    AnyGame, AnyRules, FileFormat, Ground, Level, OptionValues as Values, PiecePresentation,
    PlayerKind, SidePresentation,
};
use tablero_registry::GameEntry;

use crate::api::{
    self, BoardKind, FormatInfo, GameKind, KindInfo, LevelInfo, NamedLevel, OptionInfo,
    OptionValues, PieceKind, Players, RulesKind, SideKind,
};

/// All that a page needs to show a game.
pub(crate) fn describe_game(game: AnyGame) -> GameKind {
    let (info, shown) = (game.info(), game.presentation());
    let [first, second] = shown.sides;
    let [first_name, second_name] = info.sides;
    GameKind {
        name: info.name.into(),
        title: shown.title.into(),
        lead: shown.lead.into(),
        sides: [side(first_name, first), side(second_name, second)],
        margin: info.margin.map(Into::into),
        score_sum: shown.score_sum,
        unit: game.unit().into(),
        decimals: shown.decimals,
        counted: shown.counted.map(Into::into),
        win: shown.win.map(Into::into),
        steps: shown.steps.iter().map(|&step| step.into()).collect(),
        castling: shown.castling,
        rules: game.all_rules().into_iter().map(variant).collect(),
        formats: game.formats().iter().map(format_info).collect(),
        board: board(game),
        analyst: game.analyst().into(),
    }
}

fn side(name: &str, shown: SidePresentation) -> SideKind {
    SideKind { name: name.into(), title: shown.title.into(), colour: shown.colour.into() }
}

/// A rules variant; one that nobody gave a title goes by its name.
fn variant(rules: AnyRules) -> RulesKind {
    let name = rules.name();
    let variants = rules.game().presentation().variants;
    let known = variants.iter().find(|variant| variant.name == name);
    let unnamed = || api::Localized { en: name.into(), es: name.into() };
    RulesKind {
        name: name.into(),
        title: known.map_or_else(unnamed, |variant| variant.title.into()),
        starts: known.map_or(0, |variant| variant.starts),
    }
}

fn piece(shown: &PiecePresentation) -> PieceKind {
    PieceKind {
        side: shown.side.into(),
        letter: shown.letter.into(),
        name: shown.name.into(),
        shape: shown.shape.into(),
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
    let shown = game.presentation();
    let start = start.cells_text();
    BoardKind {
        grounds: diagram.cells.iter().map(ground).collect(),
        columns: diagram.columns,
        rows: diagram.rows,
        split: diagram.split,
        drawing: shown.drawing.map(Into::into),
        drops: shown.drops,
        pieces: shown.pieces.iter().map(piece).collect(),
        example: shown.example.map_or_else(|| start.clone(), cells),
        start,
    }
}

/// The cells of a board whose rows blanks may set apart.
pub(super) fn cells(rows: &str) -> String {
    rows.split_whitespace().collect()
}

/// Who can play a game.
pub(crate) fn describe_players(entry: &dyn GameEntry) -> Players {
    let game = entry.game();
    let level = |(number, level): (usize, &Level)| LevelInfo {
        player: format!("level {number}"),
        stands_for: level.line.into(),
        elo: level.elo,
        rating: game.rating(level) as i32,
    };
    let named = |(name, line): (&str, &str)| NamedLevel {
        name: name.into(),
        player: format!("level {name}"),
        stands_for: line.into(),
    };
    Players {
        levels: (1..).zip(game.ladder()).map(level).collect(),
        named: game.named_levels().map(named).to_vec(),
        kinds: entry.player_kinds().0.iter().map(kind_info).collect(),
    }
}

fn kind_info(kind: &PlayerKind) -> KindInfo {
    KindInfo {
        name: kind.name.into(),
        about: kind.about.into(),
        words: kind.words.map(Into::into),
        starts_program: kind.starts_program,
        options: kind.options.iter().map(describe_option).collect(),
    }
}

/// An option of a player kind or of an evolution scheme.
pub(crate) fn describe_option(option: &tablero_core::OptionInfo) -> OptionInfo {
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
