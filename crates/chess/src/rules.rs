use tablero_core::Rules;

/// The rule sets, which differ only in castling.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub enum ChessRules {
    /// Standard chess: kings castle from the e-file with rooks on the a- and h-file.
    #[default]
    Standard,
    /// Fischer random chess: kings and rooks castle from their start squares, wherever those are.
    Chess960,
}

impl Rules for ChessRules {
    const ALL: &'static [Self] = &[Self::Standard, Self::Chess960];

    fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Chess960 => "chess960",
        }
    }

    /// Also accepts the values that programs write into the PGN tag `Variant`.
    fn from_name(name: &str) -> Option<Self> {
        let letters = name.chars().filter(|c| c.is_alphanumeric());
        match letters.collect::<String>().to_ascii_lowercase().as_str() {
            "standard" | "chess" | "normal" | "fromposition" => Some(Self::Standard),
            "chess960" | "fischerandom" | "fischerrandom" | "fischerandomchess"
            | "fischerrandomchess" => Some(Self::Chess960),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variant_names_of_other_programs_are_accepted() {
        for name in ["Standard", "From Position", "chess"] {
            assert_eq!(ChessRules::from_name(name), Some(ChessRules::Standard), "{name}");
        }
        for name in ["chess960", "Chess 960", "fischerandom", "fischer random", "FischerRandom"] {
            assert_eq!(ChessRules::from_name(name), Some(ChessRules::Chess960), "{name}");
        }
        assert_eq!(ChessRules::from_name("Atomic"), None);
        assert_eq!(ChessRules::from_name(""), None);
    }
}
