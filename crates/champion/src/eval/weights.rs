//! The weight tables, expanded for lookup, and the evaluation.

use std::path::Path;
use std::sync::LazyLock;

use tablero_core::LargeTable;

use super::patterns::{EMPTY_CONFIGURATION, LANES, TOTAL_CONFIGURATIONS, WEIGHT_MAP};
use super::terms::{ALL_VALUES, STARTS, TERMS, terms};
use super::{DISC, Features, Header, PHASES, ProbCut, WeightsError, file, phase_of};

/// Size of a phase's table: a power of two, so that a masked index is never out of bounds.
const TABLE_SIZE: usize = 1 << 19;
const _: () = assert!(TOTAL_CONFIGURATIONS + ALL_VALUES <= TABLE_SIZE);

/// The weights of a phase: configurations of all patterns, values of all terms, padding.
type Table = [i16; TABLE_SIZE];

/// Evaluations are clamped below a wipe-out.
const MAX_EVAL: i32 = 63 * DISC;

/// The file that ships with the program.
static EMBEDDED: &[u8] = include_bytes!("../../../../weights/othello-patterns.weights");

/// The learned parameters of every phase, without duplicates by symmetry: those of the patterns,
/// then those of the terms, in [`DISC`]ths of a disc.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters(pub(super) Vec<Vec<i16>>);

/// Number of active parameters of a position.
pub const ACTIVE: usize = LANES + TERMS;

impl Parameters {
    /// Number of parameters of a phase.
    pub fn per_phase() -> usize {
        WEIGHT_MAP.weights + ALL_VALUES
    }

    /// All zero.
    pub fn zero() -> Self {
        Self(vec![vec![0; Self::per_phase()]; PHASES])
    }

    /// From the parameters of every phase; none if their number is wrong.
    pub fn new(phases: Vec<Vec<i16>>) -> Option<Self> {
        let fits = |numbers: &Vec<i16>| numbers.len() == Self::per_phase();
        (phases.len() == PHASES && phases.iter().all(fits)).then_some(Self(phases))
    }

    /// The active parameters of a position, as indices into its phase.
    pub fn active(player: u64, opponent: u64) -> [u32; ACTIVE] {
        let features = Features::of(player, opponent);
        let values = terms(player, opponent);
        std::array::from_fn(|place| match place.checked_sub(LANES) {
            None => WEIGHT_MAP.weight[configuration_index(&features, place)],
            Some(term) => (WEIGHT_MAP.weights + STARTS[term] + values[term]) as u32,
        })
    }
}

/// The index of a lane's weight in a phase's table.
#[inline]
fn configuration_index(features: &Features, lane: usize) -> usize {
    (EMPTY_CONFIGURATION[lane] as i32 + i32::from(features.0[lane])) as usize & (TABLE_SIZE - 1)
}

/// The sum of the patterns' weights.
///
/// Loops of six are unrolled to scalar loads in parallel: 31 ns per evaluation. One loop over all
/// lanes is vectorized with element inserts, 52 ns; gathers take 62.
#[inline]
fn sum(table: &Table, features: &Features) -> i32 {
    const _: () = assert!(LANES == 9 * 6);
    let six = |from: usize| -> i32 {
        (from..from + 6).map(|lane| i32::from(table[configuration_index(features, lane)])).sum()
    };
    six(0) + six(6) + six(12) + six(18) + six(24) + six(30) + six(36) + six(42) + six(48)
}

/// The learned evaluation.
///
/// ```
/// use tablero_champion::eval::{DISC, Features, Weights};
/// use tablero_champion::Board;
/// use tablero_core::{Game, StandardRules};
/// use tablero_othello::Othello;
///
/// let Board { player, opponent } = Board::from(&Othello::start(StandardRules));
/// let features = Features::of(player, opponent);
/// let value = Weights::embedded().evaluate(&features, player, opponent);
/// assert!(value.abs() < 5 * DISC, "the opening is close to even");
/// ```
pub struct Weights {
    /// The tables of all phases.
    tables: LargeTable<i16>,
    parameters: Parameters,
    probcut: ProbCut,
    header: Header,
}

impl Weights {
    /// The weights that ship with the program.
    pub fn embedded() -> &'static Self {
        static WEIGHTS: LazyLock<Weights> =
            LazyLock::new(|| Weights::read(EMBEDDED).expect("the file is tested with the program"));
        &WEIGHTS
    }

    /// Weights with these parameters. The format part of the header is set to that of this program.
    pub fn new(parameters: Parameters, probcut: ProbCut, mut header: Header) -> Self {
        header.describe_format();
        header.probcut = probcut.clone();
        let mut tables = LargeTable::new(PHASES * TABLE_SIZE, || 0);
        for (table, numbers) in tables.as_chunks_mut().0.iter_mut().zip(&parameters.0) {
            fill(table, numbers);
        }
        Self { tables, parameters, probcut, header }
    }

    /// All zero: every position is even.
    pub fn zero() -> Self {
        Self::new(Parameters::zero(), ProbCut::default(), Header::default())
    }

    /// Reads a file.
    pub fn read_file(path: &Path) -> Result<Self, WeightsError> {
        Self::read(&file::read_file(path)?)
    }

    /// Parses the bytes of a file.
    pub fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        let (header, parameters) = file::read(bytes)?;
        Ok(Self::new(parameters, header.probcut.clone(), header))
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        file::write(&self.header, &self.parameters)
    }

    /// Format and provenance.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The learned parameters.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The expected final disc difference for the side to move, in [`DISC`]ths of a disc.
    #[inline]
    pub fn evaluate(&self, features: &Features, player: u64, opponent: u64) -> i32 {
        let empties = (!(player | opponent)).count_ones();
        let table = &self.tables.as_chunks::<TABLE_SIZE>().0[phase_of(empties)];
        let values = terms(player, opponent);
        let term = |term: usize| TOTAL_CONFIGURATIONS + STARTS[term] + values[term];
        let terms: i32 =
            (0..TERMS).map(|number| i32::from(table[term(number) & (TABLE_SIZE - 1)])).sum();
        (sum(table, features) + terms).clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// The standard deviation, in discs, between searches to depths `shallow` and `deep` with this
    /// many empties; `deep == empties` is an exact search.
    pub fn sigma(&self, empties: u32, shallow: u32, deep: u32) -> f32 {
        self.probcut.sigma(empties, shallow, deep)
    }

    /// The model behind [`sigma`](Self::sigma).
    pub const fn probcut(&self) -> &ProbCut {
        &self.probcut
    }
}

/// Expands the parameters of a phase to all configurations.
fn fill(table: &mut Table, numbers: &[i16]) {
    let (patterns, terms) = numbers.split_at(WEIGHT_MAP.weights);
    let configurations = WEIGHT_MAP.weight.iter().map(|number| patterns[*number as usize]);
    for (to, weight) in table.iter_mut().zip(configurations.chain(terms.iter().copied())) {
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
            let mut rng = Rng::for_stream(7, game);
            let mut position = Othello::start(StandardRules);
            while let Some(square) = position.random_move(&mut rng) {
                visit(&position);
                position.play(square);
            }
        }
    }

    #[test]
    fn symmetric_positions_have_the_same_evaluation() {
        let weights = random_weights(1);
        each_position(10, |position| {
            let expected = value(&weights, position.mover(), position.other());
            for index in 0..symmetry::COUNT {
                let image = position.transform(index);
                assert_eq!(value(&weights, image.mover(), image.other()), expected);
            }
        });
    }

    #[test]
    fn the_evaluation_is_the_sum_of_active_parameters() {
        let weights = random_weights(2);
        each_position(10, |position| {
            let (player, opponent) = (position.mover(), position.other());
            let phase = phase_of(position.empties().count_ones());
            let active = Parameters::active(player, opponent);
            let numbers =
                active.iter().map(|n| i32::from(weights.parameters.0[phase][*n as usize]));
            let sum: i32 = numbers.sum();
            assert_eq!(value(&weights, player, opponent), sum.clamp(-MAX_EVAL, MAX_EVAL));
        });
    }

    #[test]
    fn the_embedded_weights_load_and_value_corners() {
        let weights = Weights::embedded();
        // A midgame position with a corner and its edge owned by either side.
        let (player, opponent) = (0x0000_1c38_2810_0000, 0x0000_2044_143c_0400);
        let with = value(weights, player | 0x0700_0000_0000_0000, opponent);
        let without = value(weights, player, opponent | 0x0700_0000_0000_0000);
        assert!(with > without + 4 * DISC, "{with} against {without}");
    }
}
