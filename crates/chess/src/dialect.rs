//! UCI specifics of chess: move notation and the option `UCI_Chess960`.

use tablero_core::{ReadError, UciDialect};

use crate::{Chess, ChessRules};

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

    fn rules_from_option(name: &str, value: &str) -> Option<ChessRules> {
        if !name.eq_ignore_ascii_case("UCI_Chess960") {
            return None;
        }
        match value {
            "true" => Some(ChessRules::Chess960),
            "false" => Some(ChessRules::Standard),
            _ => None,
        }
    }

    fn option_for_rules(rules: ChessRules) -> Option<(&'static str, &'static str)> {
        let value = match rules {
            ChessRules::Standard => "false",
            ChessRules::Chess960 => "true",
        };
        Some(("UCI_Chess960", value))
    }
}
