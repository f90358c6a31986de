use tablero_chess::{Chess, ChessRules};
use tablero_core::{Game, Notation, ReadError, Rules, Tactics};
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

/// How a game speaks UCI. Chess does as the protocol says; the other games use their own notation
/// for positions and moves.
pub trait UciDialect: Notation + Tactics {
    /// A legal move.
    fn uci_move(&self, m: Self::Move) -> String {
        self.move_text(m)
    }

    /// The legal move that `text` names.
    fn parse_uci_move(&self, text: &str) -> Result<Self::Move, ReadError> {
        self.parse_move(text)
    }

    /// The options by which the peer learns what is played, and can choose the rules: what comes
    /// after `option name`.
    fn variant_options() -> Vec<String> {
        let mut options = vec![format!("UCI_Variant type combo default {0} var {0}", Self::NAME)];
        if let [default, _, ..] = Self::Rules::ALL {
            let names: Vec<&str> = Self::Rules::ALL.iter().map(|rules| rules.name()).collect();
            options.push(format!(
                "Rules type combo default {} var {}",
                default.name(),
                names.join(" var ")
            ));
        }
        options
    }

    /// The rules chosen by setting option `name` to `value`, if that chooses any.
    fn rules_of_option(name: &str, value: &str) -> Option<Self::Rules> {
        let is_rules = name.eq_ignore_ascii_case("Rules") && Self::Rules::ALL.len() > 1;
        Self::Rules::from_name(value).filter(|_| is_rules)
    }

    /// The option, and the value of it, that chooses `rules`; none where there is no choice.
    fn option_of_rules(rules: Self::Rules) -> Option<(&'static str, &'static str)> {
        (Self::Rules::ALL.len() > 1).then(|| ("Rules", rules.name()))
    }
}

impl UciDialect for Chess {
    fn uci_move(&self, m: Self::Move) -> String {
        self.uci_text(m)
    }

    fn parse_uci_move(&self, text: &str) -> Result<Self::Move, ReadError> {
        self.parse_uci(text)
    }

    fn variant_options() -> Vec<String> {
        vec!["UCI_Chess960 type check default false".into()]
    }

    fn rules_of_option(name: &str, value: &str) -> Option<ChessRules> {
        if !name.eq_ignore_ascii_case("UCI_Chess960") {
            return None;
        }
        match value {
            "true" => Some(ChessRules::Chess960),
            "false" => Some(ChessRules::Standard),
            _ => None,
        }
    }

    fn option_of_rules(rules: ChessRules) -> Option<(&'static str, &'static str)> {
        let value = match rules {
            ChessRules::Standard => "false",
            ChessRules::Chess960 => "true",
        };
        Some(("UCI_Chess960", value))
    }
}

impl UciDialect for Othello {}

impl UciDialect for Shobu {}

impl UciDialect for TicTacToe {}

/// The index of the side to move in a pair of white's and black's clock.
pub(crate) fn clock_index<G: Game>(position: &G) -> usize {
    let side = position.side().index();
    match G::SIDES[side] {
        "white" => 0,
        "black" => 1,
        _ => side,
    }
}
