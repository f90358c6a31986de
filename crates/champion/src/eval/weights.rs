//! The tables, ready for use.

use std::sync::LazyLock;

use tablero_core::LargeTable;

use super::shapes::{ALL_CONTENTS, LANES, MIDDLES, SHARING};
use super::terms::{ALL_VALUES, STARTS, TERMS, terms};
use super::{DISC, Features, Header, PHASES, ProbCut, WeightsError, file, phase_of};

/// Room of a phase's table: a power of two, so that a number cut to its bits is never outside.
const TABLE: usize = 1 << 19;
const _: () = assert!(ALL_CONTENTS + ALL_VALUES <= TABLE);

/// All weights of a phase: all contents of all shapes, then all values of all terms, then zeros.
type Table = [i16; TABLE];

/// No evaluation is beyond what a board can hold, or claims a wipe-out.
const MOST: i32 = 63 * DISC;

/// The file that comes with the program.
static EMBEDDED: &[u8] = include_bytes!("../../../../weights/othello-patterns.weights");

/// The learned numbers, each once, for every phase: those of the patterns, then those of the terms.
/// A unit is a [`DISC`]th of a disc.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters(pub(super) Vec<Vec<i16>>);

/// How many numbers count in one position.
pub const ACTIVE: usize = LANES + TERMS;

impl Parameters {
    /// How many numbers a phase has.
    pub fn per_phase() -> usize {
        SHARING.weights + ALL_VALUES
    }

    /// Nothing learned yet.
    pub fn zero() -> Self {
        Self(vec![vec![0; Self::per_phase()]; PHASES])
    }

    /// From every phase's numbers; none if there are too few or too many.
    pub fn new(phases: Vec<Vec<i16>>) -> Option<Self> {
        let fits = |numbers: &Vec<i16>| numbers.len() == Self::per_phase();
        (phases.len() == PHASES && phases.iter().all(fits)).then_some(Self(phases))
    }

    /// Which of a phase's numbers count in a position.
    pub fn active(player: u64, opponent: u64) -> [u32; ACTIVE] {
        let features = Features::of(player, opponent);
        let values = terms(player, opponent);
        std::array::from_fn(|place| match place.checked_sub(LANES) {
            None => SHARING.weight[content(&features, place)],
            Some(term) => (SHARING.weights + STARTS[term] + values[term]) as u32,
        })
    }
}

/// Where the content of a lane has its weight in a phase's table.
#[inline]
fn content(features: &Features, lane: usize) -> usize {
    (MIDDLES[lane] as i32 + i32::from(features.0[lane])) as usize & (TABLE - 1)
}

/// The sum of all patterns' weights.
///
/// Six at a time: so short a loop is unrolled, and the processor fetches several weights at once. One
/// loop over all becomes vectors, filled one by one: 52 ns an evaluation, not 31; gathers need 62.
#[inline]
fn sum(table: &Table, features: &Features) -> i32 {
    const _: () = assert!(LANES == 9 * 6);
    let six = |from: usize| -> i32 {
        (from..from + 6).map(|lane| i32::from(table[content(features, lane)])).sum()
    };
    six(0) + six(6) + six(12) + six(18) + six(24) + six(30) + six(36) + six(42) + six(48)
}

/// The learned evaluation.
pub struct Weights {
    /// The tables of all phases, one after the other.
    tables: LargeTable<i16>,
    parameters: Parameters,
    probcut: ProbCut,
    header: Header,
}

impl Weights {
    /// The weights that come with the program.
    pub fn embedded() -> &'static Self {
        static WEIGHTS: LazyLock<Weights> =
            LazyLock::new(|| Weights::read(EMBEDDED).expect("the file is tested with the program"));
        &WEIGHTS
    }

    /// Weights with a past. The header's description of the format is set to that of this program.
    pub fn new(parameters: Parameters, probcut: ProbCut, mut header: Header) -> Self {
        header.describe_format();
        header.probcut = probcut.clone();
        let mut tables = LargeTable::new(PHASES * TABLE, || 0);
        for (table, numbers) in tables.as_chunks_mut().0.iter_mut().zip(&parameters.0) {
            fill(table, numbers);
        }
        Self { tables, parameters, probcut, header }
    }

    /// Weights that know nothing: every position is even.
    pub fn zero() -> Self {
        Self::new(Parameters::zero(), ProbCut::default(), Header::default())
    }

    /// The weights in a file's bytes.
    pub fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        let (header, parameters) = file::read(bytes)?;
        Ok(Self::new(parameters, header.probcut.clone(), header))
    }

    /// As the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        file::write(&self.header, &self.parameters)
    }

    /// What they are and where they come from.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The learned numbers.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The expected final margin for the side to move, in [`DISC`]ths of a disc.
    #[inline]
    pub fn evaluate(&self, features: &Features, player: u64, opponent: u64) -> i32 {
        let empties = (!(player | opponent)).count_ones();
        let table = &self.tables.as_chunks::<TABLE>().0[phase_of(empties)];
        let values = terms(player, opponent);
        let term = |term: usize| ALL_CONTENTS + STARTS[term] + values[term];
        let terms: i32 =
            (0..TERMS).map(|number| i32::from(table[term(number) & (TABLE - 1)])).sum();
        (sum(table, features) + terms).clamp(-MOST, MOST)
    }

    /// How far, in discs (one standard deviation), the value of a search of `shallow` plies lies from that
    /// of one of `deep` plies, in positions with so many empty squares; `deep == empties` is an
    /// exact search.
    pub fn sigma(&self, empties: u32, shallow: u32, deep: u32) -> f32 {
        self.probcut.sigma(empties, shallow, deep)
    }

    /// The model behind [`sigma`](Self::sigma).
    pub const fn probcut(&self) -> &ProbCut {
        &self.probcut
    }
}

/// Gives every content and value the weight that it shares with others.
fn fill(table: &mut Table, numbers: &[i16]) {
    let (patterns, terms) = numbers.split_at(SHARING.weights);
    let contents = SHARING.weight.iter().map(|number| patterns[*number as usize]);
    for (to, weight) in table.iter_mut().zip(contents.chain(terms.iter().copied())) {
        *to = weight;
    }
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Weights").field("header", &self.header).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Rng, StandardRules};
    use tablero_othello::{Othello, symmetry};

    use super::*;

    fn random_weights(seed: u64) -> Weights {
        let mut rng = Rng::seeded(seed);
        let number = |rng: &mut Rng| rng.below(512) as i16 - 256;
        let phase = |rng: &mut Rng| (0..Parameters::per_phase()).map(|_| number(rng)).collect();
        let parameters = Parameters((0..PHASES).map(|_| phase(&mut rng)).collect());
        Weights::new(parameters, ProbCut::default(), Header::default())
    }

    fn value(weights: &Weights, player: u64, opponent: u64) -> i32 {
        weights.evaluate(&Features::of(player, opponent), player, opponent)
    }

    fn each_position(games: u64, mut visit: impl FnMut(&Othello)) {
        for game in 0..games {
            let mut rng = Rng::for_part(7, game);
            let mut position = Othello::start(StandardRules);
            while let Some(square) = position.random_move(&mut rng) {
                visit(&position);
                position.play(square);
            }
        }
    }

    #[test]
    fn symmetric_positions_are_worth_the_same() {
        let weights = random_weights(1);
        each_position(10, |position| {
            let expected = value(&weights, position.mover(), position.other());
            for turn in 0..symmetry::COUNT {
                let image = position.transform(turn);
                assert_eq!(value(&weights, image.mover(), image.other()), expected);
            }
        });
    }

    #[test]
    fn the_sum_of_active_numbers_is_the_evaluation() {
        let weights = random_weights(2);
        each_position(10, |position| {
            let (player, opponent) = (position.mover(), position.other());
            let phase = phase_of(position.empties().count_ones());
            let active = Parameters::active(player, opponent);
            let numbers =
                active.iter().map(|n| i32::from(weights.parameters.0[phase][*n as usize]));
            let sum: i32 = numbers.sum();
            assert_eq!(value(&weights, player, opponent), sum.clamp(-MOST, MOST));
        });
    }

    #[test]
    fn the_embedded_weights_can_be_read_and_know_what_corners_are_worth() {
        let weights = Weights::embedded();
        // A middle game, and the same with a corner and its edge lost or won.
        let (player, opponent) = (0x0000_1c38_2810_0000, 0x0000_2044_143c_0400);
        let with = value(weights, player | 0x0700_0000_0000_0000, opponent);
        let without = value(weights, player, opponent | 0x0700_0000_0000_0000);
        assert!(with > without + 4 * DISC, "{with} against {without}");
    }
}
