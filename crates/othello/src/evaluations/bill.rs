//! The evaluation of BILL: a quadratic discriminant combines pattern features into the probability of winning
//! (K.-F. Lee and S. Mahajan, "A Pattern Classification Approach to Evaluation Function Learning", Artificial
//! Intelligence 36, 1988).
//!
//! For each stage of the game the features of won and of lost positions are taken as two normal
//! distributions. Bayes' rule gives the logarithm of the odds, a quadratic polynomial of the features:
//! unlike IAGO's linear one it knows that features depend on each other. The features are BILL's, from tables:
//! weighted squares, edges, mobility, potential mobility, exposed sequences; and two that it left to its
//! endgame search: stable discs and discs.
//!
//! Stages are numbers of discs placed. BILL learned those from 25 to 48, since it had a book and solved
//! endgames; here they are 11 to 56. Positions outside use the nearest.

use tablero_core::{
    Defaults, Evaluation, Explanation, ForMover, Localized, LocalizedString, Term, Weight,
};

use super::feature::{self, Feature, discs_on, nowhere};
use super::squares::{positional_features, positional_weights};
use super::{difference, edges, lines::line_sums, to_centi_discs};
use crate::Othello;
use crate::stability::stable_discs;

/// The features, in the order of the numbers.
const FEATURES: [&str; 7] =
    ["squares", "edges", "mobility", "potential", "sequences", "stable", "discs"];
const N: usize = FEATURES.len();
/// What they measure.
const DESCRIPTIONS: [Feature; N] = [
    Feature::new("squares", "weighted squares", "casillas ponderadas", |p| discs_on(p, u64::MAX)),
    feature::EDGES,
    Feature::new("mobility", "mobility by lines", "movilidad por líneas", nowhere),
    Feature::new(
        "potential",
        "potential mobility by lines",
        "movilidad potencial por líneas",
        nowhere,
    ),
    Feature::new("sequences", "exposed sequences", "secuencias expuestas", nowhere),
    feature::STABLE,
    feature::DISCS,
];
/// Entries of a symmetric matrix.
const PAIRS: usize = N * (N + 1) / 2;
/// Stages, by discs placed.
const FIRST_STAGE: usize = 11;
const STAGES: usize = 46;
/// Positions of so many plies before and after are samples of a stage, too.
const POOLED_PLIES: usize = 2;
/// Numbers of a class, and of a stage: log odds of the classes, then won and lost positions.
const PER_CLASS: usize = N + PAIRS;
const PER_STAGE: usize = 1 + 2 * PER_CLASS;
/// Discs per unit of log odds: the slope of the win model of `iago`.
const DISCS_PER_LOG_ODDS: f64 = 5.0;
/// Keeps covariances of few or equal samples invertible.
const MIN_VARIANCE: f64 = 1e-3;

/// The mean and covariance of a class; the upper triangle by rows.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Normal {
    mean: [f64; N],
    covariance: [f64; PAIRS],
}

/// The numbers of all stages, with their names; the values are the shipped ones.
pub(super) fn weights() -> Vec<Weight> {
    let shipped = Othello::SHIPPED_GENOMES.iter().find(|file| file.name == "othello-bill");
    let text = shipped.and_then(|file| std::str::from_utf8(file.bytes).ok());
    let values = genome_of(text.unwrap_or(""));
    let names = (0..STAGES).flat_map(|stage| stage_names(stage + FIRST_STAGE));
    let weight = |(name, value): (String, f64)| Weight { name, value, min: -1e6, max: 1e6 };
    names.zip(values).map(weight).collect()
}

/// The numbers of the best genome in a genome file.
fn genome_of(file: &str) -> Vec<f64> {
    let line = file.lines().find_map(|line| line.strip_prefix("genome = ["));
    let numbers = line.unwrap_or("").trim_end_matches(']').split(',');
    numbers.filter_map(|number| number.trim().parse().ok()).collect()
}

fn stage_names(stage: usize) -> Vec<String> {
    let mut names = vec![format!("{stage}-odds")];
    for class in ["won", "lost"] {
        names.extend(FEATURES.iter().map(|feature| format!("{stage}-{class}-{feature}")));
        let pairs = pairs().map(|(i, j)| format!("{}*{}", FEATURES[i], FEATURES[j]));
        names.extend(pairs.map(|pair| format!("{stage}-{class}-{pair}")));
    }
    names
}

/// The upper triangle by rows.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..N).flat_map(|i| (i..N).map(move |j| (i, j)))
}

fn features(position: &Othello) -> [f64; N] {
    let (mover, other) = (position.mover(), position.other());
    let squares: f64 = positional_features(position)
        .iter()
        .zip(&*POSITIONAL)
        .map(|(&count, weight)| f64::from(count) * weight)
        .sum();
    let lines = line_sums(mover, other);
    let stable = |own: u64, other: u64| stable_discs(own, other).count_ones();
    [
        squares / 10.0,
        f64::from(edges::edge_score(mover, other)) / 100.0,
        f64::from(lines.mobility),
        f64::from(lines.potential),
        f64::from(lines.sequences),
        f64::from(stable(mover, other)) - f64::from(stable(other, mover)),
        f64::from(difference(position, u64::MAX)),
    ]
}

static POSITIONAL: std::sync::LazyLock<Vec<f64>> =
    std::sync::LazyLock::new(|| positional_weights().iter().map(|weight| weight.value).collect());

fn stage(position: &Othello) -> usize {
    let placed = 60 - position.empties().count_ones().min(60) as usize;
    placed.clamp(FIRST_STAGE, FIRST_STAGE + STAGES - 1) - FIRST_STAGE
}

/// The evaluation: a quadratic polynomial per stage.
pub struct Bill {
    stages: Vec<Polynomial>,
}

/// Constant, linear and quadratic coefficients; the last for the upper triangle.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Polynomial {
    constant: f64,
    linear: [f64; N],
    quadratic: [f64; PAIRS],
}

impl Bill {
    /// The evaluation of the numbers of all stages, as [`BillFit::weights`] gives them; missing ones count as 0.
    pub fn new(weights: &[f64]) -> Self {
        let at = |index: usize| weights.get(index).copied().unwrap_or(0.0);
        let class = |start: usize| Normal {
            mean: std::array::from_fn(|i| at(start + i)),
            covariance: std::array::from_fn(|i| at(start + N + i)),
        };
        let polynomial = |stage: usize| {
            let start = stage * PER_STAGE;
            log_odds(at(start), &class(start + 1), &class(start + 1 + PER_CLASS))
        };
        Self { stages: (0..STAGES).map(polynomial).collect() }
    }

    /// The probability that the mover wins.
    pub fn probability(&self, position: &Othello) -> f64 {
        1.0 / (1.0 + (-self.log_odds(position)).exp())
    }

    fn log_odds(&self, position: &Othello) -> f64 {
        self.stages[stage(position)].at(&features(position))
    }
}

impl Evaluation<Othello> for Bill {
    fn evaluate(&self, position: &Othello) -> ForMover<i32> {
        ForMover(to_centi_discs(DISCS_PER_LOG_ODDS * self.log_odds(position)))
    }

    /// The polynomial's summands: the features, their squares and their products.
    fn explain(&self, position: &Othello) -> Explanation {
        let (stage, x) = (stage(position), features(position));
        let Polynomial { constant, linear, quadratic } = &self.stages[stage];
        let discs = |coefficient: f64| DISCS_PER_LOG_ODDS * coefficient;
        let about = Localized::new("constant of the stage", "constante de la etapa");
        let mut terms = vec![Term::new("constant", about, 1.0, discs(*constant))];
        terms.extend(feature::terms(position, &DESCRIPTIONS, &x, &linear.map(discs)));
        terms.extend(quadratic.iter().zip(pairs()).map(|(&coefficient, (i, j))| {
            let name = format!("{}*{}", FEATURES[i], FEATURES[j]);
            let [a, b] = [i, j].map(|index| DESCRIPTIONS[index].text());
            let about = LocalizedString::new(
                format!("{} × {}", a.en, b.en),
                format!("{} × {}", a.es, b.es),
            );
            Term::new(name, about, x[i] * x[j], discs(coefficient))
        }));
        let mut explanation = Explanation::new(self.evaluate(position), terms);
        let percent = 100.0 * self.probability(position);
        explanation.facts.push(LocalizedString::new(
            format!("stage {}; probability of winning {percent:.1} %", stage + FIRST_STAGE),
            format!("etapa {}; probabilidad de ganar: {percent:.1} %", stage + FIRST_STAGE),
        ));
        explanation
    }
}

/// Bayes' rule for two normal classes: the log odds of the first.
fn log_odds(prior: f64, won: &Normal, lost: &Normal) -> Polynomial {
    let (won, lost) = (won.log_density(), lost.log_density());
    Polynomial {
        constant: prior + won.constant - lost.constant,
        linear: std::array::from_fn(|i| won.linear[i] - lost.linear[i]),
        quadratic: std::array::from_fn(|i| won.quadratic[i] - lost.quadratic[i]),
    }
}

impl Polynomial {
    fn at(&self, x: &[f64; N]) -> f64 {
        let linear: f64 = self.linear.iter().zip(x).map(|(a, x)| a * x).sum();
        let quadratic: f64 =
            self.quadratic.iter().zip(pairs()).map(|(a, (i, j))| a * x[i] * x[j]).sum();
        self.constant + linear + quadratic
    }
}

impl Normal {
    /// The logarithm of the density without the constant that all classes share:
    /// -1/2 (x - m)' C^-1 (x - m) - 1/2 ln det C.
    fn log_density(&self) -> Polynomial {
        let (inverse, log_determinant) = self.inverse();
        let product: [f64; N] =
            std::array::from_fn(|i| (0..N).map(|j| inverse[i][j] * self.mean[j]).sum());
        let square: f64 = product.iter().zip(&self.mean).map(|(a, b)| a * b).sum();
        let mut quadratic = [0.0; PAIRS];
        for (entry, (i, j)) in quadratic.iter_mut().zip(pairs()) {
            *entry = if i == j { -0.5 * inverse[i][j] } else { -inverse[i][j] };
        }
        Polynomial { constant: -0.5 * (square + log_determinant), linear: product, quadratic }
    }

    /// The inverse of the covariance and the logarithm of its determinant, by Cholesky decomposition; a matrix
    /// that is not positive definite, which only mutation makes, gets larger variances until it is.
    fn inverse(&self) -> ([[f64; N]; N], f64) {
        let mut ridge = MIN_VARIANCE;
        loop {
            let mut matrix = [[0.0; N]; N];
            for (&value, (i, j)) in self.covariance.iter().zip(pairs()) {
                (matrix[i][j], matrix[j][i]) = (value, value);
            }
            (0..N).for_each(|i| matrix[i][i] += ridge);
            if let Some(lower) = cholesky(&matrix) {
                let log_determinant = 2.0 * (0..N).map(|i| lower[i][i].ln()).sum::<f64>();
                return (inverse_of(&lower), log_determinant);
            }
            ridge *= 4.0;
        }
    }
}

/// The lower triangle L with L L' = `matrix`; none if the matrix is not positive definite.
fn cholesky(matrix: &[[f64; N]; N]) -> Option<[[f64; N]; N]> {
    let mut lower = [[0.0; N]; N];
    for i in 0..N {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let rest = matrix[i][j] - known;
            if i == j {
                if rest <= 1e-12 {
                    return None;
                }
                lower[i][i] = rest.sqrt();
            } else {
                lower[i][j] = rest / lower[j][j];
            }
        }
    }
    Some(lower)
}

/// The inverse of L L', which is symmetric: column by column.
fn inverse_of(lower: &[[f64; N]; N]) -> [[f64; N]; N] {
    std::array::from_fn(|column| {
        let mut x = [0.0; N];
        for i in 0..N {
            let known: f64 = (0..i).map(|k| lower[i][k] * x[k]).sum();
            x[i] = (f64::from(u8::from(i == column)) - known) / lower[i][i];
        }
        for i in (0..N).rev() {
            let known: f64 = (i + 1..N).map(|k| lower[k][i] * x[k]).sum();
            x[i] = (x[i] - known) / lower[i][i];
        }
        x
    })
}

/// Collects the positions of games and estimates the two distributions of every stage.
pub struct BillFit {
    /// Moments of won and lost positions, by discs placed.
    by_ply: Vec<[Moments; 2]>,
}

/// The number of samples, the sum of features and of their products.
#[derive(Clone, Copy, Default)]
struct Moments {
    count: f64,
    sum: [f64; N],
    products: [f64; PAIRS],
}

impl Default for BillFit {
    fn default() -> Self {
        Self { by_ply: vec![[Moments::default(); 2]; 61] }
    }
}

impl BillFit {
    /// Adds a position with the final result for its side to move: 1 won, 1/2 drawn, 0 lost. A draw is half a
    /// sample of each class.
    pub fn add(&mut self, position: &Othello, points: f64) {
        let placed = 60 - position.empties().count_ones().min(60) as usize;
        let features = features(position);
        let [won, lost] = &mut self.by_ply[placed];
        won.add(&features, points);
        lost.add(&features, 1.0 - points);
    }

    /// The numbers of all stages, rounded to what the samples can tell.
    pub fn weights(&self) -> Vec<f64> {
        let mut numbers = Vec::with_capacity(STAGES * PER_STAGE);
        for stage in FIRST_STAGE..FIRST_STAGE + STAGES {
            let plies = &self.by_ply[stage - POOLED_PLIES..=stage + POOLED_PLIES];
            let [won, lost] =
                [0, 1].map(|class| Moments::pooled(plies.iter().map(|ply| ply[class])));
            numbers.push(((won.count + 1.0) / (lost.count + 1.0)).ln());
            for normal in [won.normal(), lost.normal()] {
                numbers.extend(normal.mean);
                numbers.extend(normal.covariance);
            }
        }
        numbers.into_iter().map(|number| (number * 1e4).round() / 1e4).collect()
    }
}

impl Moments {
    fn add(&mut self, features: &[f64; N], weight: f64) {
        self.count += weight;
        self.sum.iter_mut().zip(features).for_each(|(sum, x)| *sum += weight * x);
        for (sum, (i, j)) in self.products.iter_mut().zip(pairs()) {
            *sum += weight * features[i] * features[j];
        }
    }

    fn pooled(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::default(), |a, b| Self {
            count: a.count + b.count,
            sum: std::array::from_fn(|i| a.sum[i] + b.sum[i]),
            products: std::array::from_fn(|i| a.products[i] + b.products[i]),
        })
    }

    fn normal(&self) -> Normal {
        let count = self.count.max(1.0);
        let mean = self.sum.map(|sum| sum / count);
        let mut covariance = self.products.map(|sum| sum / count);
        for (entry, (i, j)) in covariance.iter_mut().zip(pairs()) {
            *entry -= mean[i] * mean[j];
        }
        Normal { mean, covariance }
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Rng, StandardRules};

    use super::*;

    fn normal(mean: [f64; N], variances: [f64; N]) -> Normal {
        let mut covariance = [0.0; PAIRS];
        for (entry, (i, j)) in covariance.iter_mut().zip(pairs()) {
            *entry = if i == j { variances[i] - MIN_VARIANCE } else { 0.0 };
        }
        Normal { mean, covariance }
    }

    /// One feature by hand. With equal variances of 4 and means of ±1 the log odds are 2 x / 4; with standard
    /// deviations of 1 and 2 and equal means they are ln 2 - 3/8 x²: quadratic, as BILL's.
    #[test]
    fn log_odds_of_normal_classes_by_hand() {
        let only = |index: usize, value: f64, rest: f64| {
            std::array::from_fn(|i| if i == index { value } else { rest })
        };
        let classes = [1.0, -1.0].map(|mean| normal(only(0, mean, 0.0), only(0, 4.0, 1.0)));
        let linear = log_odds(0.0, &classes[0], &classes[1]);
        assert!((linear.at(&only(0, 3.0, 7.0)) - 1.5).abs() < 1e-9, "{linear:?}");
        let classes = [1.0, 4.0].map(|variance| normal([0.0; N], only(1, variance, 1.0)));
        let quadratic = log_odds(0.0, &classes[0], &classes[1]);
        let value = |x: f64| quadratic.at(&only(1, x, 0.0));
        assert!((value(0.0) - 2f64.ln()).abs() < 1e-9);
        assert!((value(2.0) - (2f64.ln() - 1.5)).abs() < 1e-9);
    }

    #[test]
    fn cholesky_inverts_correlated_features() {
        let mut covariance = [0.0; PAIRS];
        for (entry, (i, j)) in covariance.iter_mut().zip(pairs()) {
            *entry = if i == j { 3.0 + i as f64 } else { 0.5 };
        }
        let normal = Normal { mean: [0.0; N], covariance };
        let (inverse, _) = normal.inverse();
        let entry = |i: usize, j: usize| if i == j { 3.0 + i as f64 + MIN_VARIANCE } else { 0.5 };
        for i in 0..N {
            for (j, column) in inverse.iter().enumerate() {
                let product: f64 = (0..N).map(|k| entry(i, k) * column[k]).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-9);
            }
        }
    }

    /// Positions labelled by who has more mobility: the fit finds that mobility wins.
    #[test]
    fn the_fit_finds_what_wins() {
        let (mut rng, mut fit) = (Rng::seeded(4), BillFit::default());
        let mut positions = Vec::new();
        for _ in 0..400 {
            let mut position = Othello::start(StandardRules);
            while let Some(m) = position.random_move(&mut rng) {
                position.play(m);
                let mobility = features(&position)[2];
                fit.add(&position, f64::midpoint(1.0, mobility.signum()));
                positions.push((position, mobility));
            }
        }
        let weights = fit.weights();
        assert_eq!(weights.len(), STAGES * PER_STAGE);
        let bill = Bill::new(&weights);
        let in_stages =
            positions.iter().filter(|(p, m)| p.empties().count_ones() > 12 && m.abs() > 2.0);
        let (mut right, mut all) = (0, 0);
        for (position, mobility) in in_stages {
            let probability = bill.probability(position);
            assert!((0.0..=1.0).contains(&probability));
            right += u32::from((probability > 0.5) == (*mobility > 0.0));
            all += 1;
        }
        assert!(f64::from(right) > 0.95 * f64::from(all), "{right} of {all}");
    }

    #[test]
    fn shipped_numbers_are_complete() {
        let weights = weights();
        assert_eq!(weights.len(), STAGES * PER_STAGE);
        assert!(weights.iter().all(|weight| weight.value.is_finite()));
        assert_eq!(weights[0].name, "11-odds");
        assert_eq!(weights[weights.len() - 1].name, "56-lost-discs*discs");
    }
}
