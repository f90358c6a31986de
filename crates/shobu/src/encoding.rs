//! Input planes and policy indices of neural networks.

use tablero_core::{Encoding, Game, LocalizedString, write_bitboard};

use crate::{Shobu, ShobuRules, Square, Turn};

/// Move vectors: eight directions, one or two steps.
const VECTORS: usize = 16;
const SQUARES: usize = 16;
/// Number of policy indices of passive moves; those of aggressive moves follow.
const PASSIVE: usize = 2 * VECTORS * SQUARES;

/// The four boards are stacked as planes of one 4x4 image, so that a convolution sees the same squares
/// of all boards. For White everything is rotated by 180 degrees: boards 2 and 3 are always the home
/// boards of the side to move.
///
/// Planes: own stones on boards 0 to 3; the opponent's; all ones (which mark the board's edge under zero
/// padding); ones under the rules `across`.
///
/// Policy: the passive move (2 home boards x 16 vectors x 16 from-squares), then the aggressive move (4
/// boards x 16 vectors x 16 from-squares). A turn's logit is the sum of its two moves'.
impl Encoding for Shobu {
    const WIDTH: usize = 4;
    const HEIGHT: usize = 4;
    const PLANES: usize = 10;
    const POLICY_PLANES: usize = 6 * VECTORS;
    /// Two home boards and four boards with 16 squares each, and the vector that both moves share.
    const ACTIONS: usize = HOME * ALL * VECTORS;

    fn write_planes(&self, _: u32, planes: &mut [f32]) {
        let turn = |set: u64| if self.side().index() == 0 { set } else { set.reverse_bits() };
        // Bitboards have 16 bits per board in the order of the planes.
        write_bitboard(&mut planes[..64], turn(self.all_stones(self.side())));
        write_bitboard(&mut planes[64..128], turn(self.all_stones(!self.side())));
        planes[128..144].fill(1.0);
        if self.rules() == ShobuRules::Across {
            planes[144..160].fill(1.0);
        }
    }

    fn plane_name(plane: usize) -> LocalizedString {
        const BOARDS: [(&str, &str); 4] = [
            ("far dark board", "tablero oscuro rival"),
            ("far light board", "tablero claro rival"),
            ("own dark board", "tablero oscuro propio"),
            ("own light board", "tablero claro propio"),
        ];
        let (en, es) = BOARDS[plane % 4];
        match plane {
            0..4 => {
                LocalizedString::new(format!("own stones, {en}"), format!("piedras propias, {es}"))
            }
            4..8 => LocalizedString::new(
                format!("opposing stones, {en}"),
                format!("piedras rivales, {es}"),
            ),
            8 => LocalizedString::new("ones", "unos"),
            _ => LocalizedString::new("rules `across`", "reglas `across`"),
        }
    }

    fn plane_cell(&self, plane: usize, square: usize, _: bool) -> Option<usize> {
        let index = (plane < 8).then_some(plane % 4 * SQUARES + square)?;
        let index = if self.side().index() == 0 { index } else { 63 - index };
        let (row, column) = Square::from_index(index as u32).grid();
        Some(8 * row + column)
    }

    fn policy_indices(&self, m: Turn) -> [usize; 2] {
        RelativeTurn::new(self, m).outputs()
    }

    fn action(&self, m: Turn) -> usize {
        let RelativeTurn { passive, aggressive, vector } = RelativeTurn::new(self, m);
        (vector * HOME + passive % HOME) * ALL + aggressive
    }

    fn action_outputs(action: usize) -> [usize; 2] {
        let (vector, passive) = (action / ALL / HOME, action / ALL % HOME);
        RelativeTurn { passive, aggressive: action % ALL, vector }.outputs()
    }

    fn move_of_action(&self, action: usize) -> Option<Turn> {
        if action >= Self::ACTIONS {
            return None;
        }
        let (vector, passive) = (action / ALL / HOME, action / ALL % HOME);
        // The home boards are the last two.
        let turn = RelativeTurn { passive: ALL - HOME + passive, aggressive: action % ALL, vector };
        let m = turn.absolute(self);
        self.is_legal(m).then_some(m)
    }
}

/// Squares of the home boards, and of all.
const HOME: usize = 2 * SQUARES;
const ALL: usize = 4 * SQUARES;

/// A turn seen from the mover's side.
struct RelativeTurn {
    /// Squares of the two moves.
    passive: usize,
    aggressive: usize,
    /// Direction and distance.
    vector: usize,
}

impl RelativeTurn {
    fn outputs(&self) -> [usize; 2] {
        let output =
            |board: usize, at: usize| (board * VECTORS + self.vector) * SQUARES + at % SQUARES;
        let (passive, aggressive) = (self.passive % HOME, self.aggressive);
        [output(passive / SQUARES, passive), PASSIVE + output(aggressive / SQUARES, aggressive)]
    }

    fn absolute(&self, position: &Shobu) -> Turn {
        let is_turned = position.side().index() == 1;
        let square = |index: usize| (if is_turned { 63 - index } else { index }) as u32;
        let direction = (self.vector + if is_turned { 4 } else { 0 }) % 8;
        let vector = self.vector / 8 * 8 + direction;
        Turn::from_parts(square(self.passive), square(self.aggressive), vector)
    }

    fn new(position: &Shobu, m: Turn) -> Self {
        let is_turned = position.side().index() == 1;
        let square = |square: Square| {
            let index = square.index() as usize;
            if is_turned { 63 - index } else { index }
        };
        let direction = (m.direction() as usize + if is_turned { 4 } else { 0 }) % 8;
        let vector = 8 * (usize::from(m.distance().steps()) - 1) + direction;
        Self { passive: square(m.passive()), aggressive: square(m.aggressive()), vector }
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    #[test]
    fn actions_are_legal_turns_or_none() {
        for rules in [ShobuRules::Official, ShobuRules::Across] {
            let (mut position, mut rng) = (Shobu::start(rules), Rng::seeded(3));
            for _ in 0..12 {
                let mut expected = vec![None; Shobu::ACTIONS + ALL];
                position.each_move(|m| expected[position.action(m)] = Some(m));
                for (action, expected) in expected.into_iter().enumerate() {
                    assert_eq!(position.move_of_action(action), expected, "{action}: {position:?}");
                }
                let Some(m) = position.random_move(&mut rng) else { break };
                position.play(m);
            }
        }
    }
}
