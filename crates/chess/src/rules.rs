use tablero_core::Rules;

/// Which chess is played: the two differ only in where castling may start from.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub enum ChessRules {
    /// Kings castle from the e-file with the rooks of the a- and h-file.
    #[default]
    Standard,
    /// Fischer's chess: kings and rooks castle from wherever they started.
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

    /// Also understands what programs write into the PGN tag `Variant`.
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
    fn knows_what_other_programs_write() {
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
