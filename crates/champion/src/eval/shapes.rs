//! The patterns: which squares are looked at together.
//!
//! A shape is placed on the board in up to eight ways, by the board's symmetries; every placing is a
//! *lane* of [`Features`](super::Features), and all placings of a shape share one table. A shape that
//! is its own mirror image shares weights between mirrored contents, too.

use std::sync::LazyLock;

/// Squares that are looked at together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// What people call it.
    pub name: &'static str,
    /// Its squares where it is placed first, like `a1 b1 c1`.
    pub squares: &'static str,
}

/// All shapes.
pub const SHAPES: [Shape; 13] = [
    shape("corner block", "a1 b1 c1 a2 b2 c2 a3 b3 c3"),
    shape("edge and X-squares", "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2"),
    shape("corner triangle", "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4"),
    shape("edge middle", "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2"),
    shape("corner two by five", "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2"),
    shape("corner arrow", "a1 b2 c3 d4 b1 c2 d3 a2 b3 c4"),
    shape("second row", "a2 b2 c2 d2 e2 f2 g2 h2"),
    shape("third row", "a3 b3 c3 d3 e3 f3 g3 h3"),
    shape("fourth row", "a4 b4 c4 d4 e4 f4 g4 h4"),
    shape("diagonal of eight", "a1 b2 c3 d4 e5 f6 g7 h8"),
    shape("diagonal of seven", "a2 b3 c4 d5 e6 f7 g8"),
    shape("diagonal of six", "a3 b4 c5 d6 e7 f8"),
    shape("diagonal of five", "a4 b5 c6 d7 e8"),
];

/// Places for lanes: a whole number of vector registers. Those beyond [`LANES`] stay 0.
pub const ROOM: usize = 64;

/// How many placings of shapes there are.
pub const LANES: usize = PLACINGS.lanes;

/// The largest number of squares of a shape.
const MOST_SQUARES: usize = 10;

const fn shape(name: &'static str, squares: &'static str) -> Shape {
    Shape { name, squares }
}

impl Shape {
    /// How many squares it has.
    pub const fn len(&self) -> usize {
        (self.squares.len() + 1) / 3
    }

    /// Whether it has none.
    pub const fn is_empty(&self) -> bool {
        self.squares.is_empty()
    }

    /// The number of its `index`-th square where it is placed first.
    pub const fn square(&self, index: usize) -> u8 {
        let name = self.squares.as_bytes();
        (name[3 * index] - b'a') + 8 * (name[3 * index + 1] - b'1')
    }

    /// How many contents its squares can have.
    pub const fn contents(&self) -> usize {
        3usize.pow(self.len() as u32)
    }

    /// The set of its squares, seen through a symmetry.
    const fn set(&self, symmetry: u8) -> u64 {
        let (mut set, mut index) = (0, 0);
        while index < self.len() {
            set |= 1 << image(self.square(index), symmetry);
            index += 1;
        }
        set
    }

    /// The symmetry, other than none at all, that leaves its set of squares as it is.
    const fn own_symmetry(&self) -> Option<u8> {
        let mut symmetry = 1;
        while symmetry < 8 {
            if self.set(symmetry) == self.set(0) {
                return Some(symmetry);
            }
            symmetry += 1;
        }
        None
    }
}

/// Where a square lands: the same symmetries as those of `tablero_othello::symmetry`.
const fn image(square: u8, symmetry: u8) -> u8 {
    let mut square = square;
    if symmetry & 1 != 0 {
        square ^= 0b000_111;
    }
    if symmetry & 2 != 0 {
        square ^= 0b111_000;
    }
    if symmetry & 4 != 0 {
        square = square >> 3 | (square & 0b000_111) << 3;
    }
    square
}

/// The placings of all shapes.
struct Placings {
    lanes: usize,
    /// The shape of each lane.
    shape: [usize; ROOM],
    /// What an own disc on a square adds to each lane.
    effect: [[i16; ROOM]; 64],
}

static EFFECT: Lanes64 = Lanes64(PLACINGS.effect);

/// Aligned like [`Features`](super::Features).
#[repr(align(32))]
struct Lanes64([[i16; ROOM]; 64]);

/// What an own disc on a square adds to each lane.
#[inline]
pub(super) fn effect(square: u8) -> &'static [i16; ROOM] {
    &EFFECT.0[(square & 63) as usize]
}

const PLACINGS: Placings = place();

const fn place() -> Placings {
    let mut placings = Placings { lanes: 0, shape: [0; ROOM], effect: [[0; ROOM]; 64] };
    let mut number = 0;
    while number < SHAPES.len() {
        let shape = SHAPES[number];
        assert!(shape.len() <= MOST_SQUARES);
        let mut symmetry = 0;
        while symmetry < 8 {
            if is_new(&shape, symmetry) {
                placings.shape[placings.lanes] = number;
                let (mut index, mut power) = (0, 1);
                while index < shape.len() {
                    let square = image(shape.square(index), symmetry) as usize;
                    placings.effect[square][placings.lanes] = power;
                    // The last product is not used; three to the tenth would not fit.
                    power = power.wrapping_mul(3);
                    index += 1;
                }
                placings.lanes += 1;
            }
            symmetry += 1;
        }
        number += 1;
    }
    placings
}

/// Whether no symmetry before this one places the shape on the same squares.
const fn is_new(shape: &Shape, symmetry: u8) -> bool {
    let mut before = 0;
    while before < symmetry {
        if shape.set(before) == shape.set(symmetry) {
            return false;
        }
        before += 1;
    }
    true
}

/// Where, in a table of all contents of all shapes one after the other, the lane has the content of
/// empty squares only: the middle of its shape's part, as contents count from below 0 to above.
pub(super) const MIDDLES: [u32; LANES] = {
    let (mut middles, mut lane) = ([0; LANES], 0);
    while lane < LANES {
        let shape = PLACINGS.shape[lane];
        middles[lane] = (start(shape) + SHAPES[shape].contents() / 2) as u32;
        lane += 1;
    }
    middles
};

/// Where a shape's part of the table begins.
pub(super) const fn start(shape: usize) -> usize {
    let (mut start, mut before) = (0, 0);
    while before < shape {
        start += SHAPES[before].contents();
        before += 1;
    }
    start
}

/// All contents of all shapes.
pub(super) const ALL_CONTENTS: usize = start(SHAPES.len());

/// How contents share weights.
pub(super) struct Sharing {
    /// The number of the weight of each of [`ALL_CONTENTS`].
    pub(super) weight: Vec<u32>,
    /// How many weights there are.
    pub(super) weights: usize,
}

/// How contents share weights.
pub(super) static SHARING: LazyLock<Sharing> = LazyLock::new(|| {
    let mut sharing = Sharing { weight: vec![0; ALL_CONTENTS], weights: 0 };
    for (number, shape) in SHAPES.iter().enumerate() {
        let start = start(number);
        for content in 0..shape.contents() {
            let mirrored = mirrored(shape, content);
            sharing.weight[start + content] = if mirrored < content {
                sharing.weight[start + mirrored]
            } else {
                sharing.weights += 1;
                sharing.weights as u32 - 1
            };
        }
    }
    sharing
});

/// The content that a shape with a symmetry of its own sees when the board is mirrored so.
fn mirrored(shape: &Shape, content: usize) -> usize {
    let Some(symmetry) = shape.own_symmetry() else {
        return content;
    };
    let place = |square: u8| (0..shape.len()).position(|index| shape.square(index) == square);
    let mut rest = content;
    let mut mirrored = 0;
    for index in 0..shape.len() {
        let to = place(image(shape.square(index), symmetry)).expect("the set is its own image");
        mirrored += rest % 3 * 3usize.pow(to as u32);
        rest /= 3;
    }
    mirrored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_is_looked_at_and_every_shape_placed() {
        assert_eq!(LANES, 54);
        for square in 0..64 {
            let lanes = effect(square).iter().filter(|power| **power != 0).count();
            assert!(lanes >= 3, "{square} is in {lanes} patterns");
        }
        let placings = |name: &str| {
            let lanes = PLACINGS.shape[..LANES].iter();
            lanes.filter(|shape| SHAPES[**shape].name == name).count()
        };
        assert_eq!(placings("corner two by five"), 8);
        assert_eq!(placings("diagonal of eight"), 2);
        assert_eq!(placings("corner triangle"), 4);
    }

    #[test]
    fn mirrored_contents_share_a_weight() {
        let row = SHAPES.iter().position(|shape| shape.name == "second row").unwrap();
        let weight = |content: usize| SHARING.weight[start(row) + content];
        // One disc on a2 is one on h2.
        assert_eq!(weight(1), weight(3usize.pow(7)));
        assert_ne!(weight(1), weight(2));
        let symmetric = 3usize.pow(4);
        let row_weights = (6561 + symmetric) / 2;
        let distinct = (0..6561).map(weight).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(distinct.len(), row_weights);
        assert!(SHARING.weights < ALL_CONTENTS * 2 / 3);
    }
}
