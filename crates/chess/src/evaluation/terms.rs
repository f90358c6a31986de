//! The weights of `classic`, expanded into lookup tables.

use cozy_chess::{Piece, Square};
use tablero_core::Weight;

use super::name;
use super::tapered::Tapered;
use super::values::VALUES;

/// The weights, laid out for the features that use them.
pub(super) struct Terms {
    /// The material in the piece-square tables.
    pub(super) material: [Tapered; Piece::NUM],
    /// Piece-square tables, material included, for a side that moves north.
    pub(super) psqt: [[Tapered; Square::NUM]; Piece::NUM],
    /// By piece and number of reachable squares in the mobility area.
    pub(super) mobility: [[Tapered; MOBILITY_COUNTS]; 4],
    pub(super) bishop_pair: Tapered,
    pub(super) bad_bishop: Tapered,
    pub(super) outpost_knight: Tapered,
    pub(super) outpost_bishop: Tapered,
    pub(super) rook_open: Tapered,
    pub(super) rook_half_open: Tapered,
    pub(super) rook_seventh: Tapered,
    pub(super) doubled: Tapered,
    pub(super) isolated: Tapered,
    pub(super) isolated_open: Tapered,
    pub(super) backward: Tapered,
    pub(super) backward_open: Tapered,
    /// By rank.
    pub(super) connected: [Tapered; 8],
    /// By rank.
    pub(super) passed: [Tapered; 8],
    pub(super) passed_supported: Tapered,
    pub(super) passed_blocked: Tapered,
    pub(super) passed_free: Tapered,
    pub(super) passed_own_king: Tapered,
    pub(super) passed_other_king: Tapered,
    pub(super) passed_rook: Tapered,
    pub(super) passed_runner: Tapered,
    pub(super) shield_near: Tapered,
    pub(super) shield_far: Tapered,
    pub(super) king_half_open: Tapered,
    pub(super) king_open: Tapered,
    pub(super) storm: Tapered,
    /// Per attacked square of the enemy king zone, by piece and number of attackers.
    pub(super) king_attack: [[Tapered; MAX_ATTACKERS + 1]; 4],
    pub(super) safe_check: [Tapered; 4],
    pub(super) king_weak: Tapered,
    /// By attack units against the enemy king.
    pub(super) king_danger: [Tapered; MAX_ATTACK_UNITS + 1],
    pub(super) threat_pawn: Tapered,
    pub(super) threat_push: Tapered,
    pub(super) threat_minor: Tapered,
    pub(super) threat_rook: Tapered,
    pub(super) threat_king: Tapered,
    pub(super) hanging: Tapered,
    pub(super) mop_up_edge: Tapered,
    pub(super) mop_up_proximity: Tapered,
    pub(super) tempo: Tapered,
}

/// Mobility counts: 0 to the 27 squares of a queen on an empty board.
pub(super) const MOBILITY_COUNTS: usize = 28;
/// Cap of the number of king attackers.
pub(super) const MAX_ATTACKERS: usize = 5;
/// Cap of the attack units.
pub(super) const MAX_ATTACK_UNITS: usize = 40;

/// The pieces with mobility and king attack terms.
pub(super) const PIECES: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// A middlegame and an endgame weight, in centipawns.
#[derive(Clone, Copy)]
struct WeightPair([f64; 2]);

impl WeightPair {
    fn scaled(self, factor: f64) -> Tapered {
        let Self([mg, eg]) = self;
        Tapered::new(mg * factor, eg * factor)
    }
}

/// All weights as `NAME-mg`, `NAME-eg`, with ranges for tuning.
pub(super) fn weights() -> Vec<Weight> {
    let weight = |name: &str, phase: &str, value: f64| {
        let range = (2.0 * value.abs()).max(100.0);
        Weight { name: format!("{name}-{phase}"), value, min: -range, max: range }
    };
    let pair =
        |&(name, [mg, eg]): &(&str, [f64; 2])| [weight(name, "mg", mg), weight(name, "eg", eg)];
    VALUES.iter().flat_map(pair).collect()
}

/// Weights looked up by name.
struct WeightTable<'a>(&'a [f64]);

impl WeightTable<'_> {
    /// Clamp in centipawns that rules out overflow of the fixed-point sums.
    const MAX: f64 = 3000.0;

    /// Missing weights count as 0.
    fn pair(&self, name: &str) -> WeightPair {
        let index = VALUES.iter().position(|(known, _)| *known == name);
        debug_assert!(index.is_some(), "unknown weight: {name}");
        let at = |phase| self.0.get(2 * index? + phase).copied();
        WeightPair([0, 1].map(|phase| at(phase).unwrap_or(0.0).clamp(-Self::MAX, Self::MAX)))
    }

    fn term(&self, name: &str) -> Tapered {
        self.pair(name).scaled(1.0)
    }

    /// Weights for ranks 2 to 7, where pawns can stand.
    fn by_rank(&self, name: &str) -> [Tapered; 8] {
        std::array::from_fn(|rank| match rank {
            1..=6 => self.term(&format!("{name}-{}", rank + 1)),
            _ => Tapered::default(),
        })
    }

    fn material(&self, piece: Piece) -> Tapered {
        match piece {
            Piece::King => Tapered::default(),
            _ => self.term(name(piece)),
        }
    }

    fn by_piece<T>(&self, prefix: &str, term: impl Fn(Piece, WeightPair) -> T) -> [T; 4] {
        PIECES.map(|piece| term(piece, self.pair(&format!("{prefix}-{}", name(piece)))))
    }

    /// A piece-square table entry, material included. Tables are symmetric by file; except for pawns,
    /// they are the sum of a file and a rank weight.
    fn square(&self, piece: Piece, square: Square) -> Tapered {
        const FILES: [&str; 4] = ["ah", "bg", "cf", "de"];
        let (file, rank) = (square.file() as usize, square.rank() as usize);
        let (file, name) = (FILES[file.min(7 - file)], name(piece));
        match piece {
            Piece::Pawn if rank == 0 || rank == 7 => Tapered::default(),
            Piece::Pawn => self.term(name) + self.term(&format!("{name}-{file}{}", rank + 1)),
            _ => {
                self.material(piece)
                    + self.term(&format!("{name}-file-{file}"))
                    + self.term(&format!("{name}-rank-{}", rank + 1))
            }
        }
    }
}

impl Terms {
    /// Expands weights given in the order of [`weights`].
    pub(super) fn new(weights: &[f64]) -> Self {
        debug_assert_eq!(weights.len(), 2 * VALUES.len());
        let table = WeightTable(weights);
        let danger = table.pair("king-danger");
        Self {
            material: Piece::ALL.map(|piece| table.material(piece)),
            psqt: Piece::ALL.map(|piece| Square::ALL.map(|square| table.square(piece, square))),
            mobility: table.by_piece("mobility", mobility),
            bishop_pair: table.term("bishop-pair"),
            bad_bishop: table.term("bad-bishop"),
            outpost_knight: table.term("outpost-knight"),
            outpost_bishop: table.term("outpost-bishop"),
            rook_open: table.term("rook-open"),
            rook_half_open: table.term("rook-half-open"),
            rook_seventh: table.term("rook-seventh"),
            doubled: table.term("doubled"),
            isolated: table.term("isolated"),
            isolated_open: table.term("isolated-open"),
            backward: table.term("backward"),
            backward_open: table.term("backward-open"),
            connected: table.by_rank("connected"),
            passed: table.by_rank("passed"),
            passed_supported: table.term("passed-supported"),
            passed_blocked: table.term("passed-blocked"),
            passed_free: table.term("passed-free"),
            passed_own_king: table.term("passed-own-king"),
            passed_other_king: table.term("passed-other-king"),
            passed_rook: table.term("passed-rook"),
            passed_runner: table.term("passed-runner"),
            shield_near: table.term("shield-near"),
            shield_far: table.term("shield-far"),
            king_half_open: table.term("king-half-open"),
            king_open: table.term("king-open"),
            storm: table.term("storm"),
            king_attack: table.by_piece("king-attack", king_attack),
            safe_check: table.by_piece("safe-check", |_, pair| pair.scaled(1.0)),
            king_weak: table.term("king-weak"),
            // Quadratic in the attack units, normalised to the weight at ten units.
            king_danger: std::array::from_fn(|units| danger.scaled((units as f64 / 10.0).powi(2))),
            threat_pawn: table.term("threat-pawn"),
            threat_push: table.term("threat-push"),
            threat_minor: table.term("threat-minor"),
            threat_rook: table.term("threat-rook"),
            threat_king: table.term("threat-king"),
            hanging: table.term("hanging"),
            mop_up_edge: table.term("mop-up-edge"),
            mop_up_proximity: table.term("mop-up-proximity"),
            tempo: table.term("tempo"),
        }
    }
}

/// Mobility with diminishing returns: proportional to the square root of the count, centred on the
/// piece's average.
fn mobility(piece: Piece, pair: WeightPair) -> [Tapered; MOBILITY_COUNTS] {
    let average: f64 = match piece {
        Piece::Knight => 4.0,
        Piece::Bishop => 6.0,
        Piece::Rook => 7.0,
        _ => 13.0,
    };
    std::array::from_fn(|moves| pair.scaled((moves as f64).sqrt() - average.sqrt()))
}

/// Scales the attack weight by the number of attackers: a lone attacker is harmless.
fn king_attack(_: Piece, pair: WeightPair) -> [Tapered; MAX_ATTACKERS + 1] {
    [0.0, 0.2, 0.6, 0.85, 1.0, 1.0].map(|factor| pair.scaled(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_names_are_unique_and_values_in_range() {
        let weights = weights();
        let mut names: Vec<_> = weights.iter().map(|weight| weight.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), weights.len());
        for weight in &weights {
            assert!(weight.min <= weight.value && weight.value <= weight.max, "{weight:?}");
        }
    }
}
