use crate::GameName;

/// The rules of a game in a few lines, for people who ask for help.
pub const fn rules_text(game: GameName) -> &'static str {
    match game {
        GameName::Othello => include_str!("rules/othello.txt"),
        GameName::Chess => include_str!("rules/chess.txt"),
        GameName::Shobu => include_str!("rules/shobu.txt"),
        GameName::TicTacToe => include_str!("rules/tictactoe.txt"),
    }
}

/// [`rules_text`] in Spanish.
pub const fn rules_text_es(game: GameName) -> &'static str {
    match game {
        GameName::Othello => include_str!("rules/othello.es.txt"),
        GameName::Chess => include_str!("rules/chess.es.txt"),
        GameName::Shobu => include_str!("rules/shobu.es.txt"),
        GameName::TicTacToe => include_str!("rules/tictactoe.es.txt"),
    }
}
