//! Tablero with one more game: Hexapawn (Martin Gardner, 1962). Three pawns a side on 3 × 3 squares move
//! and capture as in chess; a side wins by reaching the last rank or by leaving the opponent without a move.
//!
//! `cargo run --release -- play hexapawn`

use std::process::ExitCode;

use tablero_core::{
    Cell, Defaults, Diagram, Encoding, Evaluation, EvaluationKind, Features, ForMover, Formats,
    Game, GameInfo, GameType, Ground, LearningDefaults, Level, Levels, Localized, Notation,
    Outcome, Piece, PiecePresentation, PieceShape, Presentable, Presentation, ReadError, Scanner,
    Side, SidePresentation, SparseInputs, StandardRules, Tactics, UciDialect, Weight,
};

// ANCHOR: main
fn main() -> ExitCode {
    let mut games = tablero_catalog::games();
    games.push(tablero_catalog::entry::<Hexapawn, tablero_catalog::NoExtras>());
    tablero_cli::run(games)
}
// ANCHOR_END: main

/// A position: the owner of the pawn on each square, row by row from the top, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Hexapawn {
    squares: [Option<Side>; SQUARES],
    side: Side,
}

/// A pawn move, from and to square indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Slide {
    from: usize,
    to: usize,
}

const SIZE: usize = 3;
const SQUARES: usize = SIZE * SIZE;
const LETTERS: [char; 2] = ['w', 'b'];

impl Hexapawn {
    /// Visits all pseudo-legal moves, whether or not the game is over.
    fn each_slide(&self, mut visit: impl FnMut(Slide)) {
        for from in (0..SQUARES).filter(|&square| self.squares[square] == Some(self.side)) {
            let ahead = match self.side {
                Side::First => from.checked_sub(SIZE),
                Side::Second => Some(from + SIZE).filter(|&to| to < SQUARES),
            };
            let Some(ahead) = ahead else { continue };
            let row = ahead / SIZE * SIZE;
            for to in ahead.saturating_sub(1).max(row)..=(ahead + 1).min(row + SIZE - 1) {
                let required = if to == ahead { None } else { Some(!self.side) };
                if self.squares[to] == required {
                    visit(Slide { from, to });
                }
            }
        }
    }

    /// The side with a pawn on its last rank.
    fn promoted(&self) -> Option<Side> {
        let is_on = |side, row: usize| self.squares[SIZE * row..][..SIZE].contains(&Some(side));
        Side::BOTH.into_iter().zip([0, SIZE - 1]).find(|&(side, row)| is_on(side, row)).map(|s| s.0)
    }

    /// A square relative to the side to move, whose pawns always move up.
    fn relative(&self, square: usize) -> usize {
        if self.side == Side::First { square } else { SQUARES - 1 - square }
    }
}

impl GameType for Hexapawn {
    const NAME: &'static str = "hexapawn";
    const SIDES: [&'static str; 2] = ["white", "black"];
}

impl Game for Hexapawn {
    type Move = Slide;
    type Rules = StandardRules;

    fn start(_: StandardRules) -> Self {
        let row = |side| [side; SIZE];
        let rows = [row(Some(Side::Second)), row(None), row(Some(Side::First))];
        Self { squares: std::array::from_fn(|i| rows[i / SIZE][i % SIZE]), side: Side::First }
    }

    fn info(&self) -> &'static GameInfo {
        &Self::INFO
    }

    fn rules(&self) -> StandardRules {
        StandardRules
    }

    fn side(&self) -> Side {
        self.side
    }

    fn each_move(&self, visit: impl FnMut(Slide)) {
        if self.promoted().is_none() {
            self.each_slide(visit);
        }
    }

    fn play(&mut self, Slide { from, to }: Slide) {
        self.squares[to] = self.squares[from].take();
        self.side = !self.side;
    }

    fn outcome(&self) -> Option<Outcome> {
        let is_stuck = || self.count_moves() == 0;
        self.promoted().or_else(|| is_stuck().then_some(!self.side)).map(Outcome::win)
    }

    fn key(&self) -> u64 {
        let digit = |square: &Option<Side>| square.map_or(0, |side| 1 + side.index() as u64);
        let number = self.squares.iter().fold(0, |number, square| 3 * number + digit(square));
        (2 * number + self.side.index() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

fn square_name(square: usize) -> String {
    format!("{}{}", ['a', 'b', 'c'][square % SIZE], SIZE - square / SIZE)
}

impl Notation for Hexapawn {
    fn move_text(&self, m: Slide) -> String {
        square_name(m.from) + &square_name(m.to)
    }

    fn parse_move(&self, text: &str) -> Result<Slide, ReadError> {
        let named = self.moves().into_iter().find(|&m| self.move_text(m) == text.trim());
        named.ok_or_else(|| {
            let legal: Vec<_> = self.moves().iter().map(|&m| self.move_text(m)).collect();
            ReadError::at(text, 0, format!("one of the legal moves: {}", legal.join(", ")))
        })
    }

    fn position_text(&self) -> String {
        let letter = |side: &Option<Side>| side.map_or('.', |side| LETTERS[side.index()]);
        let rows = self.squares.chunks(SIZE).map(|row| row.iter().map(letter).collect::<String>());
        format!("{} {}", LETTERS[self.side.index()], rows.collect::<Vec<_>>().join("/"))
    }

    fn parse_position(text: &str, _: StandardRules) -> Result<Self, ReadError> {
        let mut scan = Scanner::new(text);
        let side_of = |c| LETTERS.iter().position(|&l| Some(l) == c).map(|i| Side::BOTH[i]);
        scan.skip_blanks();
        let side = side_of(scan.peek()).ok_or_else(|| scan.error("`w` or `b` to move"))?;
        scan.bump();
        let mut squares = [None; SQUARES];
        for square in &mut squares {
            scan.take_while(|c| c.is_whitespace() || c == '/');
            *square = side_of(scan.peek());
            if square.is_none() && scan.peek() != Some('.') {
                return Err(scan.error("nine squares: `w`, `b` or `.`"));
            }
            scan.bump();
        }
        scan.skip_blanks();
        if scan.at_end() { Ok(Self { squares, side }) } else { Err(scan.error("the end")) }
    }

    fn diagram(&self) -> Diagram {
        let piece = |side: Side| Piece { side, symbol: LETTERS[side.index()] };
        let cell = |side: &Option<Side>| Cell { piece: side.map(piece), ground: Ground::Light };
        Diagram::square(SIZE, (1..=SIZE).rev(), self.squares.iter().map(cell).collect())
    }

    fn touched(&self, m: Slide) -> Vec<usize> {
        vec![m.from, m.to]
    }
}

/// Material evaluation: 100 centi-units per pawn, tunable.
struct Pawns(f64);

impl Evaluation<Hexapawn> for Pawns {
    fn evaluate(&self, position: &Hexapawn) -> ForMover<i32> {
        let count = |side| position.squares.iter().filter(|&&pawn| pawn == Some(side)).count();
        let difference = count(position.side) as f64 - count(!position.side) as f64;
        ForMover((self.0 * difference) as i32)
    }
}

impl Tactics for Hexapawn {
    const HISTORY_SLOTS: usize = SQUARES * SQUARES;

    fn evaluations() -> &'static [EvaluationKind<Self>] {
        &[EvaluationKind {
            name: "pawns",
            about: Localized { en: "the number of pawns", es: "el número de peones" },
            weights: || vec![Weight { name: "pawn".into(), value: 100.0, min: 0.0, max: 500.0 }],
            build: |weights| Box::new(Pawns(weights[0])),
        }]
    }

    fn history_slot(&self, m: Slide) -> usize {
        SQUARES * m.from + m.to
    }
}

/// The default planes, flipped so that own pawns move up. A move's logit is the sum of two: one of its
/// from-square, one of its to-square.
impl Encoding for Hexapawn {
    const WIDTH: usize = SIZE;
    const HEIGHT: usize = SIZE;
    const POLICY_PLANES: usize = 2;
    const ACTIONS: usize = SQUARES * SQUARES;

    fn write_planes(&self, _: u32, planes: &mut [f32]) {
        for (square, pawn) in self.squares.iter().enumerate() {
            if let Some(side) = pawn {
                let plane = usize::from(*side != self.side);
                planes[plane * SQUARES + self.relative(square)] = 1.0;
            }
        }
        planes[2 * SQUARES..].fill(1.0);
    }

    fn policy_indices(&self, m: Slide) -> [usize; 2] {
        [self.relative(m.from), SQUARES + self.relative(m.to)]
    }

    fn action(&self, m: Slide) -> usize {
        self.relative(m.from) * SQUARES + self.relative(m.to)
    }

    fn action_outputs(action: usize) -> [usize; 2] {
        [action / SQUARES, SQUARES + action % SQUARES]
    }
}

impl Features for Hexapawn {}
impl SparseInputs for Hexapawn {}
impl UciDialect for Hexapawn {}
impl Formats for Hexapawn {}

/// Measured in 2000 games after one random ply. Level 2 is perfect play.
impl Levels for Hexapawn {
    const LADDER: &'static [Level] =
        &[Level::new("random", 0), Level::new("alphabeta depth=9", 311)];
    const NAMED: [(&'static str, &'static str); 3] =
        [("easy", "level 1"), ("intermediate", "alphabeta depth=2"), ("hard", "level 2")];
}

impl Defaults for Hexapawn {
    const OPENING_PLIES: usize = 1;
    const LEARNING: LearningDefaults = LearningDefaults {
        net: "resnet 1x8",
        anchors: &["random", "level 2"],
        ..LearningDefaults::DEFAULT
    };
}

impl Presentable for Hexapawn {
    const PRESENTATION: Presentation = Presentation::new(
        Localized::new("Hexapawn", "Hexapawn"),
        Localized::new("Chess with six pawns.", "Ajedrez con seis peones."),
        Localized::new(
            "Pawns move one square forward and capture one square diagonally forward. You win by reaching the \
             last rank or by leaving your opponent without a move. Moves: a1a2.",
            "Los peones avanzan una casilla y capturan una casilla en diagonal hacia delante. Gana quien \
             llega a la última fila o deja al rival sin jugadas. Jugadas: a1a2.",
        ),
        [SidePresentation::WHITE, SidePresentation::BLACK],
        &[
            pawn(Side::First, Localized::new("white pawn", "peón blanco")),
            pawn(Side::Second, Localized::new("black pawn", "peón negro")),
        ],
    );
    const UNIT: &'static str = "pawns";
}

const fn pawn(side: Side, name: Localized) -> PiecePresentation {
    PiecePresentation::new(side, LETTERS[side.index()], PieceShape::Pawn, name)
}

#[cfg(test)]
mod tests {
    use tablero_core::conformance::{self, Suite};

    use super::*;

    #[test]
    fn passes_the_conformance_suite() {
        conformance::check::<Hexapawn>(&Suite { games: 200, max_plies: 20, seed: 1 });
        conformance::check_perft(&Hexapawn::start(StandardRules), &[3, 10, 28, 56, 70, 64, 20]);
    }
}
