//! The texts of `tablero play` in English and Spanish.

use std::env;

use clap::ValueEnum;
use tablero_core::{AnyGame, DrawReason, Ending, GameEnd, Localized, ReadError, Side};

use crate::text;

/// The language of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Lang {
    /// English.
    En,
    /// Spanish.
    Es,
}

const HELP: Localized = Localized::new(
    "\
a move           in any notation of the game: f5, Nf3, e2e4, a1f5NE2
moves            list the legal moves
hint             suggest a move
eval             evaluate the position
undo, redo       take back a move (and the engine's reply), or play it again
flip             turn the board around
names ANA BO     name the players, first player first
save FILE        save the game; the extension selects the format (.pgn, .ggf, .wtb, ...)
load FILE        continue a saved game
resign           resign
rules            the rules of the game
quit             quit",
    "\
una jugada       en cualquier notación del juego: f5, Nf3, e2e4, a1f5NE2
jugadas          las jugadas legales
pista            sugiere una jugada
evaluar          evalúa la posición
deshacer         retira tu última jugada (y la respuesta de la máquina)
rehacer          vuelve a hacer la jugada retirada
girar            gira el tablero
nombres ANA BO   los nombres de los jugadores, primero quien empieza
guardar ARCHIVO  guarda la partida; la extensión elige el formato (.pgn, .ggf, .wtb, ...)
cargar ARCHIVO   continúa una partida guardada
rendirse         abandona la partida
reglas           las reglas del juego
salir            termina",
);

impl Lang {
    /// The language of the environment: of the first of LC_ALL, LC_MESSAGES and LANG that is set.
    pub(super) fn from_env() -> Self {
        let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set);
        Self::of_locale(&locale.unwrap_or_default())
    }

    /// `es`, `es_ES.UTF-8` and `es-419` are Spanish.
    fn of_locale(locale: &str) -> Self {
        match locale.split(|c: char| !c.is_alphabetic()).next() {
            Some("es") => Self::Es,
            _ => Self::En,
        }
    }

    /// The text in this language.
    pub(super) const fn pick(self, text: Localized) -> &'static str {
        match self {
            Self::En => text.en,
            Self::Es => text.es,
        }
    }

    const fn either(self, en: &'static str, es: &'static str) -> &'static str {
        self.pick(Localized::new(en, es))
    }

    pub(super) const fn help(self) -> &'static str {
        self.pick(HELP)
    }

    /// The default name of a human player.
    pub(super) const fn human(self) -> &'static str {
        self.either("human", "humano")
    }

    /// The name of a side: `black`, `negras`.
    pub(super) fn side(self, game: AnyGame, side: Side) -> String {
        match self {
            Self::En => game.info().sides[side.index()].into(),
            Self::Es => game.presentation().sides[side.index()].title.es.to_lowercase(),
        }
    }

    pub(super) fn to_move(self, side: &str) -> String {
        match self {
            Self::En => format!("{side} to move"),
            Self::Es => format!("turno de {side}"),
        }
    }

    pub(super) const fn ply(self) -> &'static str {
        self.either("move", "jugada")
    }

    pub(super) const fn thinking(self) -> &'static str {
        self.either("thinking", "pensando")
    }

    pub(super) const fn depth(self) -> &'static str {
        self.either("depth", "profundidad")
    }

    pub(super) fn hint(self, m: &str) -> String {
        format!("{} {m}", self.either("try", "prueba"))
    }

    pub(super) fn saved(self, file: &str) -> String {
        format!("{} {file}", self.either("saved to", "guardada en"))
    }

    pub(super) fn score(self, value: &str, side: &str, pv: &str, depth: u32) -> String {
        let (of, depth_word) = (self.either("for", "para"), self.depth());
        format!("{value} {of} {side}: {pv} ({depth_word} {depth})")
    }

    pub(super) const fn nothing_to_undo(self) -> &'static str {
        self.either("there is no move to undo", "no hay ninguna jugada que deshacer")
    }

    pub(super) const fn nothing_to_redo(self) -> &'static str {
        self.either("there is no move to redo", "no hay ninguna jugada que rehacer")
    }

    pub(super) const fn needs_names(self) -> &'static str {
        self.either("expected two names: names ANA BO", "faltan dos nombres: nombres ANA BO")
    }

    pub(super) const fn needs_file(self) -> &'static str {
        self.either("expected a file: save game.pgn", "falta un archivo: guardar partida.pgn")
    }

    pub(super) fn file_exists(self, file: &str) -> String {
        match self {
            Self::En => format!("{file} exists; `save {file} --force` overwrites it"),
            Self::Es => format!("{file} ya existe; `guardar {file} --force` lo reemplaza"),
        }
    }

    /// The error of a line that is neither a command nor a legal move.
    pub(super) fn illegal_move(self, text: &str, error: &ReadError) -> String {
        match self {
            Self::En => format!("`{text}`: expected {}", error.expected.en),
            Self::Es => format!("`{text}`: se esperaba {}", error.expected.es),
        }
    }

    /// `black wins by 12 discs`, `victoria de negras por 12 fichas`.
    pub(super) fn result(self, game: AnyGame, end: GameEnd) -> String {
        if self == Self::En {
            return text::result_text(game.info(), end);
        }
        let why = spanish_ending(end.ending).map_or_else(String::new, |why| format!(" por {why}"));
        let Some(winner) = end.outcome.winner() else { return format!("empate{why}") };
        let winner = self.side(game, winner);
        let unit = game.presentation().counted.filter(|_| game.info().margin.is_some());
        match unit {
            Some(unit) if why.is_empty() => {
                let (margin, unit) = (end.outcome.margin().0.abs(), unit.es.to_lowercase());
                format!("victoria de {winner} por {margin} {unit}")
            }
            _ => format!("victoria de {winner}{why}"),
        }
    }
}

/// Why a game ended, unless it was played out.
const fn spanish_ending(ending: Ending) -> Option<&'static str> {
    Some(match ending {
        Ending::Played | Ending::Unknown => return None,
        Ending::Drawn(DrawReason::Repetition) => "repetición",
        Ending::Drawn(DrawReason::MoveLimit) => "límite de jugadas",
        Ending::Drawn(DrawReason::DeadPosition) => "posición muerta",
        Ending::Agreed => "acuerdo",
        Ending::Resigned => "abandono",
        Ending::Time => "tiempo",
        Ending::Forfeit => "infracción de las reglas",
        Ending::Adjudicated => "adjudicación",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_selects_the_language() {
        for spanish in ["es", "es_ES.UTF-8", "es_MX", "es@euro", "es-419"] {
            assert_eq!(Lang::of_locale(spanish), Lang::Es, "{spanish}");
        }
        for other in ["", "C", "POSIX", "en_US.UTF-8", "est", "et_EE"] {
            assert_eq!(Lang::of_locale(other), Lang::En, "{other}");
        }
    }
}
