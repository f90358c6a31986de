//! Where each weight of `classic` goes.

use cozy_chess::{Piece, Square};
use tablero_core::Weight;

use super::name;
use super::tapered::Tapered;
use super::values::VALUES;

/// The weights, laid out for the features that look them up.
pub(super) struct Terms {
    /// A man of each kind on each square, his side moving up.
    pub(super) squares: [[Tapered; Square::NUM]; Piece::NUM],
    /// A piece of each kind that can go to so many squares.
    pub(super) mobility: [[Tapered; MOST_MOVES]; 4],
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
    /// A square of the enemy king's zone that is attacked, by what attacks it and how many attack.
    pub(super) king_attack: [[Tapered; MOST_ATTACKERS + 1]; 4],
    pub(super) safe_check: [Tapered; 4],
    pub(super) king_weak: Tapered,
    /// By how much there is against the enemy king.
    pub(super) king_danger: [Tapered; MOST_DANGER + 1],
    pub(super) threat_pawn: Tapered,
    pub(super) threat_push: Tapered,
    pub(super) threat_minor: Tapered,
    pub(super) threat_rook: Tapered,
    pub(super) threat_king: Tapered,
    pub(super) hanging: Tapered,
    pub(super) drive_edge: Tapered,
    pub(super) drive_near: Tapered,
    pub(super) tempo: Tapered,
}

/// One more than the most squares that a queen attacks.
pub(super) const MOST_MOVES: usize = 28;
/// More attackers are counted as so many.
pub(super) const MOST_ATTACKERS: usize = 5;
/// More danger is counted as so much.
pub(super) const MOST_DANGER: usize = 40;

/// Knight, bishop, rook, queen: what moves freely.
pub(super) const PIECES: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// A weight of the middlegame and the one of the endgame that belongs to it, in hundredths of a pawn.
#[derive(Clone, Copy)]
struct Pair([f64; 2]);

impl Pair {
    fn times(self, factor: f64) -> Tapered {
        let Self([middle, end]) = self;
        Tapered::new(middle * factor, end * factor)
    }
}

/// The weights as they are listed to people.
pub(super) fn weights() -> Vec<Weight> {
    let weight = |name: &str, phase: &str, value: f64| {
        let reach = (2.0 * value.abs()).max(100.0);
        Weight { name: format!("{name}-{phase}"), value, min: -reach, max: reach }
    };
    let pair = |&(name, [middle, end]): &(&str, [f64; 2])| {
        [weight(name, "mg", middle), weight(name, "eg", end)]
    };
    VALUES.iter().flat_map(pair).collect()
}

/// Weights by name.
struct Book<'a>(&'a [f64]);

impl Book<'_> {
    /// No weight is larger, in hundredths of a pawn, so that no sum of features overflows.
    const LARGEST: f64 = 3000.0;

    /// Missing weights count nothing; there are none if the caller took them from the kind's list.
    fn pair(&self, name: &str) -> Pair {
        let place = VALUES.iter().position(|(known, _)| *known == name);
        debug_assert!(place.is_some(), "a weight without a value: {name}");
        let at = |phase| self.0.get(2 * place? + phase).copied();
        Pair([0, 1].map(|phase| at(phase).unwrap_or(0.0).clamp(-Self::LARGEST, Self::LARGEST)))
    }

    fn one(&self, name: &str) -> Tapered {
        self.pair(name).times(1.0)
    }

    /// Weights for the ranks from 2 to 7, which pawns can stand on.
    fn by_rank(&self, name: &str) -> [Tapered; 8] {
        std::array::from_fn(|rank| match rank {
            1..=6 => self.one(&format!("{name}-{}", rank + 1)),
            _ => Tapered::default(),
        })
    }

    fn by_piece<T>(&self, name_of: &str, term: impl Fn(Piece, Pair) -> T) -> [T; 4] {
        PIECES.map(|piece| term(piece, self.pair(&format!("{name_of}-{}", name(piece)))))
    }

    /// Material and places. Both wings are alike; but for pawns, file and rank count apart.
    fn square(&self, piece: Piece, square: Square) -> Tapered {
        const FILES: [&str; 4] = ["ah", "bg", "cf", "de"];
        let (file, rank) = (square.file() as usize, square.rank() as usize);
        let (file, name) = (FILES[file.min(7 - file)], name(piece));
        match piece {
            Piece::Pawn if rank == 0 || rank == 7 => Tapered::default(),
            Piece::Pawn => self.one(name) + self.one(&format!("{name}-{file}{}", rank + 1)),
            _ => {
                let material = match piece {
                    Piece::King => Tapered::default(),
                    _ => self.one(name),
                };
                material
                    + self.one(&format!("{name}-file-{file}"))
                    + self.one(&format!("{name}-rank-{}", rank + 1))
            }
        }
    }
}

impl Terms {
    /// With weights in the order of [`weights`].
    pub(super) fn new(weights: &[f64]) -> Self {
        debug_assert_eq!(weights.len(), 2 * VALUES.len());
        let book = Book(weights);
        let danger = book.pair("king-danger");
        Self {
            squares: Piece::ALL.map(|piece| Square::ALL.map(|square| book.square(piece, square))),
            mobility: book.by_piece("mobility", mobility),
            bishop_pair: book.one("bishop-pair"),
            bad_bishop: book.one("bad-bishop"),
            outpost_knight: book.one("outpost-knight"),
            outpost_bishop: book.one("outpost-bishop"),
            rook_open: book.one("rook-open"),
            rook_half_open: book.one("rook-half-open"),
            rook_seventh: book.one("rook-seventh"),
            doubled: book.one("doubled"),
            isolated: book.one("isolated"),
            isolated_open: book.one("isolated-open"),
            backward: book.one("backward"),
            backward_open: book.one("backward-open"),
            connected: book.by_rank("connected"),
            passed: book.by_rank("passed"),
            passed_supported: book.one("passed-supported"),
            passed_blocked: book.one("passed-blocked"),
            passed_free: book.one("passed-free"),
            passed_own_king: book.one("passed-own-king"),
            passed_other_king: book.one("passed-other-king"),
            passed_rook: book.one("passed-rook"),
            passed_runner: book.one("passed-runner"),
            shield_near: book.one("shield-near"),
            shield_far: book.one("shield-far"),
            king_half_open: book.one("king-half-open"),
            king_open: book.one("king-open"),
            storm: book.one("storm"),
            king_attack: book.by_piece("king-attack", king_attack),
            safe_check: book.by_piece("safe-check", |_, pair| pair.times(1.0)),
            king_weak: book.one("king-weak"),
            // Danger grows with its square: the weight is that of ten units.
            king_danger: std::array::from_fn(|units| danger.times((units as f64 / 10.0).powi(2))),
            threat_pawn: book.one("threat-pawn"),
            threat_push: book.one("threat-push"),
            threat_minor: book.one("threat-minor"),
            threat_rook: book.one("threat-rook"),
            threat_king: book.one("threat-king"),
            hanging: book.one("hanging"),
            drive_edge: book.one("drive-edge"),
            drive_near: book.one("drive-near"),
            tempo: book.one("tempo"),
        }
    }
}

/// The first squares that a piece can go to matter most: the weight is that of the square root,
/// counted from what is usual.
fn mobility(piece: Piece, pair: Pair) -> [Tapered; MOST_MOVES] {
    let usual: f64 = match piece {
        Piece::Knight => 4.0,
        Piece::Bishop => 6.0,
        Piece::Rook => 7.0,
        _ => 13.0,
    };
    std::array::from_fn(|moves| pair.times((moves as f64).sqrt() - usual.sqrt()))
}

/// One attacker alone does little.
fn king_attack(_: Piece, pair: Pair) -> [Tapered; MOST_ATTACKERS + 1] {
    [0.0, 0.2, 0.6, 0.85, 1.0, 1.0].map(|share| pair.times(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_names_of_their_own_and_sensible_values() {
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
