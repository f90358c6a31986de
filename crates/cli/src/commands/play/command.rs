//! What a player types: a command in English or Spanish, or a move.

/// A line of input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command<'a> {
    Help,
    Rules,
    Moves,
    Hint,
    Evaluate,
    Undo,
    Redo,
    Flip,
    Names(&'a str),
    Save(&'a str),
    Load(&'a str),
    Resign,
    Quit,
    /// Anything else is a move.
    Move(&'a str),
}

impl<'a> Command<'a> {
    pub(super) fn parse(line: &'a str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word.to_lowercase().trim_start_matches(['/', ':']) {
            "help" | "?" | "h" | "ayuda" => Self::Help,
            "rules" | "reglas" => Self::Rules,
            "moves" | "jugadas" | "movimientos" => Self::Moves,
            "hint" | "pista" => Self::Hint,
            "eval" | "evaluate" | "evaluar" => Self::Evaluate,
            "undo" | "back" | "deshacer" => Self::Undo,
            "redo" | "rehacer" => Self::Redo,
            "flip" | "girar" => Self::Flip,
            "names" | "nombres" => Self::Names(rest),
            "save" | "guardar" => Self::Save(rest),
            "load" | "cargar" => Self::Load(rest),
            "resign" | "rendirse" | "abandonar" => Self::Resign,
            "quit" | "exit" | "q" | "salir" => Self::Quit,
            _ => Self::Move(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Command::{self, *};

    #[test]
    fn commands_are_understood_in_both_languages() {
        for (english, spanish, command) in [
            ("help", "ayuda", Help),
            ("rules", "reglas", Rules),
            ("moves", "Jugadas", Moves),
            ("hint", "pista", Hint),
            ("eval", "evaluar", Evaluate),
            (" UNDO ", "deshacer", Undo),
            ("redo", "rehacer", Redo),
            ("flip", "girar", Flip),
            ("names  Ana Bo", "nombres Ana Bo", Names("Ana Bo")),
            ("/save a b.pgn", "guardar a b.pgn", Save("a b.pgn")),
            ("load x", "cargar x", Load("x")),
            ("resign", "rendirse", Resign),
            ("quit", "salir", Quit),
        ] {
            assert_eq!(Command::parse(english), command);
            assert_eq!(Command::parse(spanish), command);
        }
        assert_eq!(Command::parse(" Nf3\n"), Move("Nf3"));
        assert_eq!(Command::parse("\n"), Move(""));
    }
}
