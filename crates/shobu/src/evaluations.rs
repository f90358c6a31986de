//! Hand-made evaluations: named combinations of features, each with a weight that evolution can tune.

use tablero_core::{Evaluation, EvaluationKind, ForMover, Game, Side, Weight};

use crate::geometry::{DARK, LIGHT, WAYS};
use crate::position::Shobu;
use crate::reach::Reach;
use crate::turn::Turn;

/// The evaluations there are, the strongest first.
pub(crate) const KINDS: &[EvaluationKind<Shobu>] = &[
    EvaluationKind {
        name: "pressure",
        about: "stones, boards about to be lost, threats to push off, mobility, stones on edges",
        weights: pressure_weights,
        build: |weights| Box::new(Pressure(std::array::from_fn(|i| weights[i]))),
    },
    EvaluationKind {
        name: "stones",
        about: "stones, and whether the last turn pushed or removed one (Shobu minimax)",
        weights: stones_weights,
        build: |weights| {
            Box::new(Stones { stone: weights[0], push: weights[1], remove: weights[2] })
        },
    },
];

fn weight((name, value): &(&str, f64)) -> Weight {
    Weight { name: (*name).into(), value: *value, min: -100.0, max: 100.0 }
}

fn hundredths(sum: f64) -> i32 {
    (sum * 100.0).round().clamp(-900_000.0, 900_000.0) as i32
}

/// The evaluation of "Shobu minimax": on every board twice the stones more than the enemy's, 5 for a
/// turn that pushes an enemy stone, 10 for one that removes it.
struct Stones {
    stone: f64,
    push: f64,
    remove: f64,
}

fn stones_weights() -> Vec<Weight> {
    [("stone", 2.0), ("push", 5.0), ("remove", 10.0)].iter().map(weight).collect()
}

impl Stones {
    fn difference(&self, position: &Shobu) -> f64 {
        let count = |side| f64::from(position.all_stones(side).count_ones());
        self.stone * (count(position.side()) - count(!position.side()))
    }
}

impl Evaluation<Shobu> for Stones {
    fn evaluate(&self, position: &Shobu) -> ForMover<i32> {
        ForMover(hundredths(self.difference(position)))
    }

    fn evaluate_after(&self, before: &Shobu, turn: Turn, position: &Shobu) -> ForMover<i32> {
        // The push was the other side's, who is not to move any more.
        let gained = match before.pushed(turn) {
            None => 0.0,
            Some(push) if push.to.is_some() => self.push,
            Some(_) => self.remove,
        };
        ForMover(hundredths(self.difference(position) - gained))
    }
}

/// What `pressure` weighs, with the hand-set weights in stones; each is the mover's minus the other's.
const PRESSURE: [(&str, f64); 8] = [
    ("stones", 1.0),
    ("boards-with-one", -2.5),
    ("boards-with-two", -1.0),
    ("threats", 0.5),
    ("threats-on-last-stones", 1.5),
    ("mobility", 2.0),
    ("edges", -0.05),
    ("centres", 0.10),
];

fn pressure_weights() -> Vec<Weight> {
    PRESSURE.iter().map(weight).collect()
}

struct Pressure([f64; PRESSURE.len()]);

impl Evaluation<Shobu> for Pressure {
    fn evaluate(&self, position: &Shobu) -> ForMover<i32> {
        let (own, other) = (view(position, position.side()), view(position, !position.side()));
        let sum: f64 = own
            .iter()
            .zip(other)
            .zip(self.0)
            .map(|((own, other), weight)| (own - other) * weight)
            .sum();
        ForMover(hundredths(sum))
    }
}

const CENTRES: u64 = 0x0660_0660_0660_0660;

/// The features of one side alone.
fn view(position: &Shobu, side: Side) -> [f64; PRESSURE.len()] {
    let (own, enemy) = (position.all_stones(side), position.all_stones(!side));
    let on_boards = |set: u64| [0, 16, 32, 48].map(|shift| (set >> shift & 0xffff).count_ones());
    let boards_with =
        |set: u64, count| on_boards(set).iter().filter(|&&n| n == count).count() as f64;
    let reach = position.reach_of(side);
    let threatened = threatened(&reach, own, enemy);
    let last_ones = on_boards(enemy)
        .into_iter()
        .zip(on_boards(threatened))
        .filter(|&(stones, threatened)| stones == 1 && threatened > 0);
    [
        f64::from(own.count_ones()),
        boards_with(own, 1),
        boards_with(own, 2),
        f64::from(threatened.count_ones()),
        last_ones.count() as f64,
        // The tenth turn counts for more than the hundredth.
        (1.0 + reach.count() as f64 / 20.0).ln(),
        f64::from((own & !CENTRES).count_ones()),
        f64::from((own & CENTRES).count_ones()),
    ]
}

/// The enemy stones that the side of `reach` could push off a board with one turn.
fn threatened(reach: &Reach, own: u64, enemy: u64) -> u64 {
    debug_assert_eq!(own & enemy, 0);
    let mut victims = 0;
    for way in 0..WAYS {
        let pushers = reach.pushers_off(way, enemy);
        let passive = reach.passive[way];
        let supported = |stones, partners| if passive & partners == 0 { 0 } else { stones };
        let pushers = supported(pushers & LIGHT, DARK) | supported(pushers & DARK, LIGHT);
        victims |= Reach::paths(way, pushers) & enemy;
    }
    victims
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tablero_core::{GameType, Notation, Rng};

    use super::*;
    use crate::position::ShobuRules;

    fn random_positions() -> Vec<Shobu> {
        let mut rng = Rng::seeded(3);
        let mut positions = Vec::new();
        for game in 0..40 {
            let rules = [ShobuRules::Official, ShobuRules::Across][game % 2];
            let mut position = Shobu::start(rules);
            // Some random games never end.
            for _ in 0..300 {
                let Some(turn) = position.random_move(&mut rng) else { break };
                positions.push(position);
                position.play(turn);
            }
        }
        positions
    }

    #[test]
    fn threatened_stones_are_those_that_turns_remove() {
        for position in random_positions().into_iter().step_by(7) {
            let mut removed = HashSet::new();
            position.each_move(|turn| {
                removed
                    .extend(position.pushed(turn).filter(|push| push.to.is_none()).map(|p| p.from));
            });
            let (own, enemy) =
                (position.all_stones(position.side()), position.all_stones(!position.side()));
            let set = threatened(&position.reach_of(position.side()), own, enemy);
            let expected = removed.iter().map(|square| 1u64 << square.index()).sum::<u64>();
            assert_eq!(set, expected, "{}", position.position_text());
        }
    }

    #[test]
    fn evaluations_keep_to_symmetry() {
        let evaluations: Vec<_> = KINDS.iter().map(EvaluationKind::by_hand).collect();
        for position in random_positions().into_iter().step_by(31) {
            for (kind, evaluation) in KINDS.iter().zip(&evaluations) {
                let value = evaluation.evaluate(&position);
                for symmetry in 0..Shobu::SYMMETRIES {
                    assert_eq!(
                        evaluation.evaluate(&position.transform(symmetry)),
                        value,
                        "{}",
                        kind.name
                    );
                }
            }
        }
        for evaluation in evaluations {
            assert_eq!(evaluation.evaluate(&Shobu::start(ShobuRules::Official)), ForMover(0));
        }
    }

    /// The numbers of "Shobu minimax": a stone ahead is worth 2, a push 5, a stone removed 10.
    #[test]
    fn stones_counts_as_the_work_does() {
        let stones = KINDS.iter().find(|kind| kind.name == "stones").expect("listed").by_hand();
        for before in random_positions().into_iter().step_by(11) {
            before.each_move(|turn| {
                let after = before.after(turn);
                let quiet = stones.evaluate(&after).0;
                let gained = match before.pushed(turn).map(|push| push.to) {
                    None => 0,
                    Some(Some(_)) => 500,
                    Some(None) => 1000,
                };
                assert_eq!(stones.evaluate_after(&before, turn, &after), ForMover(quiet - gained));
            });
        }
    }
}
