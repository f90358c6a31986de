//! Levels 1 to 60: how far to look, and from where on to the end of the game.

use crate::Selectivity;
use crate::engine::Stage;

/// The highest level.
pub const MOST: u32 = 60;

/// How far a level looks ahead in the middle of the game, and with how many empty squares it
/// searches to the end, exactly or with short cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Reach {
    /// Plies.
    depth: u32,
    /// With at most so many empty squares, exactly.
    exact: u32,
    /// With at most so many, to the end with these short cuts.
    bold: [(u32, u32); 2],
}

/// Up to level 10, `level` plies and the exact value with twice as many empty squares; above it, the
/// step to the end is taken with short cuts first. (Edax counts its levels like this.)
fn reach(level: u32) -> Reach {
    let (exact, bold) = match level {
        0..=10 => (2 * level, [(0, 100); 2]),
        11..=12 => (21, [(24, 98), (0, 100)]),
        13..=18 => (21, [(24, 98), (27, 87)]),
        19..=21 => (24, [(27, 98), (30, 87)]),
        22..=24 => (24, [(27, 99), (30, 95)]),
        25..=27 => (27, [(30, 98), (33, 87)]),
        28..=29 => (27, [(30, 99), (33, 95)]),
        30..=31 => (30, [(33, 98), (36, 87)]),
        32..=35 => (30, [(33, 99), (36, 95)]),
        _ => (level - 6, [(level - 3, 99), (level, 98)]),
    };
    Reach { depth: level, exact, bold }
}

/// What a level searches in a position with so many empty squares.
pub fn goal(level: u32, empties: u32) -> Stage {
    let reach = reach(level.clamp(1, MOST));
    let to_the_end = |percent| Stage {
        depth: empties,
        selectivity: Selectivity::from_percent(percent).unwrap_or(Selectivity::NONE),
    };
    if empties <= reach.exact {
        return to_the_end(100);
    }
    let bold = reach.bold.into_iter().find(|&(most, _)| empties <= most);
    match bold {
        Some((_, percent)) => to_the_end(percent),
        None => Stage { depth: reach.depth.min(empties), selectivity: Selectivity::BOLDEST },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_mean_what_players_of_othello_expect() {
        let exact = |depth| Stage { depth, selectivity: Selectivity::NONE };
        assert_eq!(goal(10, 20), exact(20));
        assert_eq!(goal(10, 21).depth, 10);
        assert_eq!(goal(21, 24), exact(24));
        assert_eq!(goal(21, 27).selectivity.percent(), 98);
        assert_eq!(goal(21, 30).selectivity.percent(), 87);
        assert_eq!(goal(21, 31).depth, 21);
        assert_eq!(goal(60, 54), exact(54));
    }

    #[test]
    fn a_higher_level_never_sees_less() {
        for empties in 1..=60 {
            for level in 1..MOST {
                let (low, high) = (goal(level, empties), goal(level + 1, empties));
                assert!(low.depth <= high.depth, "{level} {empties}");
                assert!(
                    low.depth < high.depth || low.selectivity <= high.selectivity,
                    "{level} {empties}"
                );
            }
        }
    }
}
