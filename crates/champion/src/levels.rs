//! Levels 1 to 60, as in Edax: midgame depth, and the empties from which the game is solved.

use crate::Selectivity;
use crate::engine::Iteration;

/// The highest level.
pub const MAX_LEVEL: u32 = 60;

/// Search depths of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LevelSpec {
    /// Midgame depth.
    depth: u32,
    /// Maximum empties for an exact search.
    exact_empties: u32,
    /// Maximum empties and confidence for selective searches to the end.
    selective: [(u32, u32); 2],
}

/// Up to level 10: depth `level`, exact from twice as many empties. Above: selective searches to
/// the end some empties earlier.
fn level_spec(level: u32) -> LevelSpec {
    let (exact_empties, selective) = match level {
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
    LevelSpec { depth: level, exact_empties, selective }
}

/// The last iteration of a level with this many empties.
pub fn goal(level: u32, empties: u32) -> Iteration {
    let spec = level_spec(level.clamp(1, MAX_LEVEL));
    let to_the_end = |percent| Iteration {
        depth: empties,
        selectivity: Selectivity::from_percent(percent).unwrap_or(Selectivity::NONE),
    };
    if empties <= spec.exact_empties {
        return to_the_end(100);
    }
    let selective = spec.selective.into_iter().find(|&(max, _)| empties <= max);
    match selective {
        Some((_, percent)) => to_the_end(percent),
        None => Iteration {
            depth: spec.depth.min(empties),
            selectivity: Selectivity::LOWEST_CONFIDENCE,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_agree_with_those_of_edax() {
        let exact = |depth| Iteration { depth, selectivity: Selectivity::NONE };
        assert_eq!(goal(10, 20), exact(20));
        assert_eq!(goal(10, 21).depth, 10);
        assert_eq!(goal(21, 24), exact(24));
        assert_eq!(goal(21, 27).selectivity.percent(), 98);
        assert_eq!(goal(21, 30).selectivity.percent(), 87);
        assert_eq!(goal(21, 31).depth, 21);
        assert_eq!(goal(60, 54), exact(54));
    }

    #[test]
    fn higher_levels_search_at_least_as_deep() {
        for empties in 1..=60 {
            for level in 1..MAX_LEVEL {
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
