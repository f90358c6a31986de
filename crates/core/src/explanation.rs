//! An evaluation of one position, term by term.

use crate::{
    BoardSetup, Diagram, ForMover, LocalizedString, MoveShape, PiecePresentation, Presentable,
};

/// An evaluation term by term: the contributions of all terms sum to the value.
///
/// ```
/// use tablero_core::{Explanation, ForMover, Localized, Term};
///
/// let mobility = Term::new("mobility", Localized::new("mobility", "movilidad"), 3.0, 0.25);
/// let explanation = Explanation::new(ForMover(75), vec![mobility]);
/// assert_eq!(explanation.value, 0.75);
/// assert_eq!(explanation.terms[0].contribution, 0.75);
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explanation {
    /// The evaluation for the side to move, in [`unit`](Self::unit)s.
    pub value: f64,
    /// What the value and the contributions are measured in.
    pub unit: ValueUnit,
    /// The terms, in the order of the evaluation.
    pub terms: Vec<Term>,
    /// What else the evaluation depends on: the phase of the game, the output bucket of an NNUE.
    pub facts: Vec<LocalizedString>,
    /// What a network sees and says besides its value.
    pub network: Option<NetworkView>,
}

/// The unit of an [`Explanation`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ValueUnit {
    /// Units of the game: pawns, discs, stones.
    #[default]
    Points,
    /// From -1 (lost) to 1 (won).
    Result,
}

/// A term of an [`Explanation`].
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// Its short name, the same in all languages: `x1`, `mobility`.
    pub name: String,
    /// What it measures.
    pub about: LocalizedString,
    /// The value of the feature, for the side to move.
    pub value: f64,
    /// Its weight, in units of the explanation.
    pub weight: f64,
    /// What it contributes to the evaluation: value times weight.
    pub contribution: f64,
    /// Where it comes from.
    pub cells: Vec<TermCell>,
}

/// A cell that a [`Term`] comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TermCell {
    /// The cell, numbered as in [`Diagram`](crate::Diagram).
    pub cell: usize,
    /// Its part of the feature's value where that is a sum over cells; otherwise only the sign counts: positive
    /// for what belongs to the side to move.
    pub value: f64,
}

/// What a network sees and says besides its value.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NetworkView {
    /// The input planes.
    pub planes: Vec<Plane>,
    /// The legal moves with their ratings, highest first.
    pub policy: Vec<RatedMove>,
    /// Who is expected to own each cell at the end: 1 the side to move, -1 its opponent. Empty without such a
    /// head.
    pub ownership: Vec<TermCell>,
}

/// An input plane of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct Plane {
    /// What it shows.
    pub about: LocalizedString,
    /// The number on all squares, if it is the same.
    pub constant: Option<f64>,
    /// The numbers other than 0, unless all are the same.
    pub cells: Vec<TermCell>,
}

/// A move as a network rates it.
#[derive(Clone, PartialEq, Debug)]
pub struct RatedMove {
    /// The move, as in requests of the API.
    pub name: String,
    /// The move in the game's notation.
    pub label: String,
    /// What it does on the board.
    pub shape: MoveShape,
    /// The policy's probability; of evolved networks that rate moves, the rating.
    pub rating: f64,
}

impl Explanation {
    /// An explanation in units of the game of what [`Evaluation::evaluate`](crate::Evaluation::evaluate)
    /// returned. Evaluations are rounded and limited; that, too, is a term.
    pub fn new(value: ForMover<i32>, terms: Vec<Term>) -> Self {
        let value = f64::from(value.0) / 100.0;
        Self { value, terms, ..Self::default() }.with_remainder(|rest| {
            if rest.abs() < MAX_ROUNDING {
                ("rounding", LocalizedString::new("rounding", "redondeo"))
            } else {
                ("limit", LocalizedString::new("limits of the scale", "límites de la escala"))
            }
        })
    }

    /// An explanation with only the total.
    pub fn total(value: ForMover<i32>) -> Self {
        let about = LocalizedString::new("the whole evaluation", "la evaluación entera");
        Self::new(value, vec![Term::new("total", about, f64::from(value.0) / 100.0, 1.0)])
    }

    /// Adds the term that is missing from the sum, unless it is 0.
    #[must_use]
    pub fn with_remainder(
        mut self,
        describe: impl FnOnce(f64) -> (&'static str, LocalizedString),
    ) -> Self {
        let rest = self.value - self.sum();
        if rest.abs() > EPSILON {
            let (name, about) = describe(rest);
            self.terms.push(Term::new(name, about, rest, 1.0));
        }
        self
    }

    /// The sum of all contributions.
    pub fn sum(&self) -> f64 {
        self.terms.iter().map(|term| term.contribution).sum()
    }
}

/// Less than this is an error of floating-point arithmetic.
const EPSILON: f64 = 1e-9;
/// Evaluations are integers, of hundredths of a unit; some are rounded twice.
const MAX_ROUNDING: f64 = 0.03;

impl Term {
    /// A term that contributes `value` times `weight`.
    pub fn new(
        name: impl Into<String>,
        about: impl Into<LocalizedString>,
        value: f64,
        weight: f64,
    ) -> Self {
        // Without a negative zero.
        let (name, about, contribution) = (name.into(), about.into(), value * weight + 0.0);
        Self { name, about, value, weight, contribution, cells: Vec::new() }
    }

    /// The term of the piece on a cell of the position's diagram, which changes the evaluation by `change`; `None`
    /// if there is no piece.
    pub fn of_piece<G: Presentable>(
        position: &G,
        diagram: &Diagram,
        cell: usize,
        change: f64,
    ) -> Option<Self> {
        let piece = diagram.cells.get(cell)?.piece?;
        let columns = diagram.columns.len();
        let name = format!("{}{}", diagram.columns[cell % columns], diagram.rows[cell / columns]);
        let letter = G::letter(piece);
        let shown = G::PRESENTATION.pieces.iter().find(|shown| shown.letter == letter);
        let about = shown.map_or_else(
            || name.clone().into(),
            |PiecePresentation { name: piece, .. }| {
                LocalizedString::new(format!("{} {name}", piece.en), format!("{} {name}", piece.es))
            },
        );
        let sign = if piece.side == position.side() { 1.0 } else { -1.0 };
        let term = Self::new(name, about, sign, sign * change);
        Some(term.on(vec![TermCell { cell, value: sign }]))
    }

    /// The same, coming from these cells.
    #[must_use]
    pub fn on(mut self, cells: Vec<TermCell>) -> Self {
        self.cells = cells;
        self
    }
}

impl TermCell {
    /// The cells of two sets of bits that are numbered like cells: 1 for those of the side to move, -1 for its
    /// opponent's.
    pub fn of_sets(own: u64, other: u64) -> Vec<Self> {
        let bits = |set: u64| (0..64).filter(move |cell| set >> cell & 1 == 1);
        let own = bits(own).map(|cell| Self { cell, value: 1.0 });
        own.chain(bits(other).map(|cell| Self { cell, value: -1.0 })).collect()
    }
}

impl RatedMove {
    /// A legal move with its rating.
    pub fn new<G: Presentable>(position: &G, m: G::Move, rating: f64) -> Self {
        Self {
            name: position.move_name(m),
            label: position.move_text(m),
            shape: position.shape(m),
            rating,
        }
    }
}

impl Plane {
    /// A plane with these numbers; `cell` is the cell of a square, if it has one.
    pub fn new(
        about: LocalizedString,
        numbers: &[f32],
        cell: impl Fn(usize) -> Option<usize>,
    ) -> Self {
        let first = numbers.first().copied().unwrap_or(0.0);
        let constant = numbers.iter().all(|number| *number == first).then_some(f64::from(first));
        let nonzero = numbers.iter().enumerate().filter(|(_, number)| **number != 0.0);
        let cells = nonzero.filter_map(|(square, &number)| {
            Some(TermCell { cell: cell(square)?, value: f64::from(number) })
        });
        Self {
            about,
            constant,
            cells: if constant.is_some() { Vec::new() } else { cells.collect() },
        }
    }
}

/// A term per piece: how much `value` changes when the piece is taken off the board. What pieces do only together
/// is missing from the sum ([`Explanation::with_remainder`]). Pieces that no position can be without, such as kings,
/// have no term; neither have pieces without which the game would be over.
pub fn removal_terms<G: Presentable>(
    position: &G,
    full: f64,
    mut value: impl FnMut(&G) -> f64,
) -> Vec<Term> {
    let diagram = position.diagram();
    let mut terms = Vec::new();
    for cell in 0..diagram.cells.len() {
        let without = position.without_piece(cell).filter(|without| without.outcome().is_none());
        if let Some(without) = without {
            terms.extend(Term::of_piece(position, &diagram, cell, full - value(&without)));
        }
    }
    terms
}

/// The text of a position without the piece on `cell`, in the board editor's form.
pub(crate) fn text_without<G: Presentable>(position: &G, cell: usize) -> Option<String> {
    let diagram = position.diagram();
    diagram.cells.get(cell)?.piece?;
    let letters = diagram.cells.iter().enumerate().map(|(index, shown)| match shown.piece {
        Some(piece) if index != cell => G::letter(piece),
        _ => '.',
    });
    let cells: String = letters.collect();
    let turn = position.side();
    Some(G::position_text_of(&BoardSetup { cells: &cells, turn, castling: None, en_passant: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_and_limits_are_terms() {
        let term = || Term::new("x", "x", 1.0, 0.123);
        let explanation = Explanation::new(ForMover(12), vec![term()]);
        assert_eq!(explanation.terms[1].name, "rounding");
        assert!((explanation.sum() - explanation.value).abs() < 1e-12);
        assert_eq!(Explanation::new(ForMover(900), vec![term()]).terms[1].name, "limit");
        assert_eq!(Explanation::total(ForMover(-35)).terms.len(), 1);
    }
}
