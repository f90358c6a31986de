//! What a person can say while it is their turn.

/// A line that a person typed.
pub(super) enum Word<'a> {
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

pub(super) const HELP: &str = "\
a move           in any notation of the game: f5, Nf3, e2e4, a1f5NE2
moves            the legal moves
hint             what a strong machine would play
eval             what a strong machine thinks of the position
undo, redo       takes moves back (against a machine its answer too), or plays them again
flip             turns the board around
names ANA BO     the players' names, the first player's first
save FILE        by its extension: .pgn, .ggf, .wtb, ...
load FILE        goes on with another game
resign           gives the game up
rules            how the game is played
quit             ends the program";

impl<'a> Word<'a> {
    pub(super) fn parse(line: &'a str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word.to_lowercase().trim_start_matches(['/', ':']) {
            "help" | "?" | "h" => Self::Help,
            "rules" => Self::Rules,
            "moves" => Self::Moves,
            "hint" => Self::Hint,
            "eval" | "evaluate" => Self::Evaluate,
            "undo" | "back" => Self::Undo,
            "redo" => Self::Redo,
            "flip" => Self::Flip,
            "names" => Self::Names(rest),
            "save" => Self::Save(rest),
            "load" => Self::Load(rest),
            "resign" => Self::Resign,
            "quit" | "exit" | "q" => Self::Quit,
            _ => Self::Move(line),
        }
    }
}
