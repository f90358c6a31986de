//! Static evaluations: linear combinations of features with named, tunable weights.
//!
//! `pressure` combines stones, boards close to elimination, push-off threats and mobility; `stones` is the
//! evaluation of "Shobu minimax".

use tablero_core::{
    Evaluation, EvaluationKind, Explanation, ForMover, Game, Localized, Side, Term, TermCell,
    Weight,
};

use crate::geometry::{DARK, LIGHT, Square, VECTORS};
use crate::movegen::MoveGen;
use crate::position::Shobu;
use crate::turn::Turn;

/// All evaluations, the default one first.
pub(crate) const KINDS: &[EvaluationKind<Shobu>] = &[
    EvaluationKind {
        name: "pressure",
        about: Localized::new(
            "stones, boards close to lost, threats to push off, mobility, stones on edges",
            "piedras, tableros a punto de perderse, amenazas de expulsión, movilidad y piedras \
             en los bordes",
        ),
        weights: pressure_weights,
        build: |weights| Box::new(Pressure(std::array::from_fn(|i| weights[i]))),
    },
    EvaluationKind {
        name: "stones",
        about: Localized::new(
            "stones, and whether the last turn pushed or removed one (Shobu minimax)",
            "piedras, y si el último turno empujó o expulsó alguna (Shobu minimax)",
        ),
        weights: stones_weights,
        build: |weights| {
            Box::new(Stones { stone: weights[0], push: weights[1], remove: weights[2] })
        },
    },
];

fn weight((name, value): &(&str, f64)) -> Weight {
    Weight { name: (*name).into(), value: *value, min: -100.0, max: 100.0 }
}

fn to_centi_stones(sum: f64) -> i32 {
    (sum * 100.0).round().clamp(-900_000.0, 900_000.0) as i32
}

/// The evaluation of "Shobu minimax": 2 per stone ahead, 5 if the last turn pushed an enemy stone, 10 if
/// it pushed one off the board.
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
        ForMover(to_centi_stones(self.difference(position)))
    }

    /// Without the last turn, whose push counts only for who sees it ([`evaluate_after`](Self::evaluate_after)).
    fn explain(&self, position: &Shobu) -> Explanation {
        let stones = [position.side(), !position.side()].map(|side| position.all_stones(side));
        let value = f64::from(stones[0].count_ones()) - f64::from(stones[1].count_ones());
        let term = Term::new("stone", PRESSURE_TEXTS[0], value, self.stone).on(cells(stones));
        Explanation::new(self.evaluate(position), vec![term])
    }

    fn evaluate_after(&self, before: &Shobu, turn: Turn, position: &Shobu) -> ForMover<i32> {
        // The push was made by the opponent of the side to move.
        let gained = match before.pushed(turn) {
            None => 0.0,
            Some(push) if push.to.is_some() => self.push,
            Some(_) => self.remove,
        };
        ForMover(to_centi_stones(self.difference(position) - gained))
    }
}

/// The features of `pressure` with weights in stones, evolved (`weights/shobu-pressure.genes`, +191 ± 70 against
/// the hand-set ones at depth 2); each is a difference between the sides.
const PRESSURE: [(&str, f64); 8] = [
    ("stones", 1.57),
    ("boards-with-one", -2.24),
    ("boards-with-two", -0.52),
    ("threats", 0.14),
    ("threats-on-last-stones", 1.49),
    ("mobility", 3.27),
    ("edges", -0.07),
    ("centres", 0.11),
];

fn pressure_weights() -> Vec<Weight> {
    PRESSURE.iter().map(weight).collect()
}

struct Pressure([f64; PRESSURE.len()]);

impl Evaluation<Shobu> for Pressure {
    fn evaluate(&self, position: &Shobu) -> ForMover<i32> {
        let (own, other) =
            (side_features(position, position.side()), side_features(position, !position.side()));
        let sum: f64 = own
            .iter()
            .zip(other)
            .zip(self.0)
            .map(|((own, other), weight)| (own - other) * weight)
            .sum();
        ForMover(to_centi_stones(sum))
    }

    fn explain(&self, position: &Shobu) -> Explanation {
        let sides = [position.side(), !position.side()];
        let [own, other] = sides.map(|side| side_features(position, side));
        let [own_squares, other_squares] = sides.map(|side| feature_squares(position, side));
        let term = |index: usize| {
            let value = own[index] - other[index];
            Term::new(PRESSURE[index].0, PRESSURE_TEXTS[index], value, self.0[index])
                .on(cells([own_squares[index], other_squares[index]]))
        };
        Explanation::new(self.evaluate(position), (0..PRESSURE.len()).map(term).collect())
    }
}

/// What the features measure.
const PRESSURE_TEXTS: [Localized; PRESSURE.len()] = [
    Localized::new("stones", "piedras"),
    Localized::new("boards with one own stone", "tableros con una sola piedra propia"),
    Localized::new("boards with two own stones", "tableros con dos piedras propias"),
    Localized::new("stones that can be pushed off", "piedras que se pueden expulsar"),
    Localized::new("last stones that can be pushed off", "últimas piedras que se pueden expulsar"),
    Localized::new("mobility (logarithm of turns)", "movilidad (logaritmo de los turnos)"),
    Localized::new("stones on the edges", "piedras en los bordes"),
    Localized::new("stones in the centres", "piedras en los centros"),
];

/// The squares that one side's features come from: own stones, or threatened ones of the opponent.
fn feature_squares(position: &Shobu, side: Side) -> [u64; PRESSURE.len()] {
    let (own, enemy) = (position.all_stones(side), position.all_stones(!side));
    let on_boards_with = |set: u64, count: u32| {
        let boards = [0, 16, 32, 48].map(|shift| set & 0xffff << shift);
        boards.into_iter().filter(|board| board.count_ones() == count).sum::<u64>()
    };
    let threatened = threatened(&position.movegen_for(side), own, enemy);
    [
        own,
        on_boards_with(own, 1),
        on_boards_with(own, 2),
        threatened,
        threatened & on_boards_with(enemy, 1),
        0,
        own & !CENTRES,
        own & CENTRES,
    ]
}

/// The diagram cells of two sets: 1 for the side to move's, -1 for the opponent's.
fn cells([own, other]: [u64; 2]) -> Vec<TermCell> {
    let cell = |set: TermCell| {
        let (row, column) = Square::from_index(set.cell as u32).grid();
        TermCell { cell: 8 * row + column, ..set }
    };
    TermCell::of_sets(own, other).into_iter().map(cell).collect()
}

const CENTRES: u64 = 0x0660_0660_0660_0660;

/// One side's features.
fn side_features(position: &Shobu, side: Side) -> [f64; PRESSURE.len()] {
    let (own, enemy) = (position.all_stones(side), position.all_stones(!side));
    let on_boards = |set: u64| [0, 16, 32, 48].map(|shift| (set >> shift & 0xffff).count_ones());
    let boards_with =
        |set: u64, count| on_boards(set).iter().filter(|&&n| n == count).count() as f64;
    let movegen = position.movegen_for(side);
    let threatened = threatened(&movegen, own, enemy);
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
        // Logarithmic: diminishing returns of mobility.
        (1.0 + movegen.count() as f64 / 20.0).ln(),
        f64::from((own & !CENTRES).count_ones()),
        f64::from((own & CENTRES).count_ones()),
    ]
}

/// The enemy stones that `own` can push off a board in one turn.
fn threatened(movegen: &MoveGen, own: u64, enemy: u64) -> u64 {
    debug_assert_eq!(own & enemy, 0);
    let mut victims = 0;
    for vector in 0..VECTORS {
        let pushers = movegen.pushers_off(vector, enemy);
        let passive = movegen.passive[vector];
        let supported = |stones, partners| if passive & partners == 0 { 0 } else { stones };
        let pushers = supported(pushers & LIGHT, DARK) | supported(pushers & DARK, LIGHT);
        victims |= MoveGen::paths(vector, pushers) & enemy;
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
            // Some random games do not end.
            for _ in 0..300 {
                let Some(turn) = position.random_move(&mut rng) else { break };
                positions.push(position);
                position.play(turn);
            }
        }
        positions
    }

    #[test]
    fn threatened_stones_are_those_that_some_turn_removes() {
        for position in random_positions().into_iter().step_by(7) {
            let mut removed = HashSet::new();
            position.each_move(|turn| {
                removed
                    .extend(position.pushed(turn).filter(|push| push.to.is_none()).map(|p| p.from));
            });
            let (own, enemy) =
                (position.all_stones(position.side()), position.all_stones(!position.side()));
            let set = threatened(&position.movegen_for(position.side()), own, enemy);
            let expected = removed.iter().map(|square| 1u64 << square.index()).sum::<u64>();
            assert_eq!(set, expected, "{}", position.position_text());
        }
    }

    #[test]
    fn evaluations_are_symmetric() {
        let evaluations: Vec<_> = KINDS.iter().map(EvaluationKind::hand_tuned).collect();
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

    /// The scores of "Shobu minimax": 2 per stone ahead, 5 for a push, 10 for a removed stone.
    #[test]
    fn stones_matches_the_published_evaluation() {
        let stones = KINDS.iter().find(|kind| kind.name == "stones").expect("listed").hand_tuned();
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
