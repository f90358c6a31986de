//! Conversions of core types to API types.

use tablero_core::{
    BoardSetup, Colour, Localized, LocalizedString, MoveShape, PieceShape, Push, Step, Strength,
};

use crate::api;

/// A cell index for the API.
pub(crate) fn cell(index: usize) -> api::Cell {
    // No board has more than 256 cells.
    api::Cell(index as u8)
}

impl From<Strength> for api::Strength {
    fn from(strength: Strength) -> Self {
        match strength {
            Strength::Beginner => Self::Beginner,
            Strength::Novice => Self::Novice,
            Strength::Casual => Self::Casual,
            Strength::Regular => Self::Regular,
            Strength::Club => Self::Club,
            Strength::StrongClub => Self::StrongClub,
            Strength::Expert => Self::Expert,
            Strength::Master => Self::Master,
            Strength::Superhuman => Self::Superhuman,
            Strength::Perfect => Self::Perfect,
        }
    }
}

impl From<Localized> for api::Localized {
    fn from(text: Localized) -> Self {
        Self { en: text.en.into(), es: text.es.into() }
    }
}

impl From<LocalizedString> for api::Localized {
    fn from(text: LocalizedString) -> Self {
        Self { en: text.en, es: text.es }
    }
}

impl From<MoveShape> for api::MoveShape {
    fn from(shape: MoveShape) -> Self {
        match shape {
            MoveShape::Pass => Self::Pass,
            MoveShape::Place { to, flips } => {
                Self::Place { to: cell(to), flips: flips.into_iter().map(cell).collect() }
            }
            MoveShape::Slide { from, to, promotion, takes } => Self::Slide {
                from: cell(from),
                to: cell(to),
                promotion: promotion.map(Into::into),
                takes: takes.map(cell),
            },
            MoveShape::Turn { passive, aggressive, push } => Self::Turn {
                passive: passive.into(),
                aggressive: aggressive.into(),
                push: push.map(Into::into),
            },
        }
    }
}

impl From<Step> for api::Step {
    fn from(step: Step) -> Self {
        Self { from: cell(step.from), to: cell(step.to) }
    }
}

impl From<Push> for api::Push {
    fn from(push: Push) -> Self {
        Self { from: cell(push.from), to: push.to.map(cell) }
    }
}

impl<'a> From<&'a api::BoardSetup> for BoardSetup<'a> {
    fn from(setup: &'a api::BoardSetup) -> Self {
        Self {
            cells: &setup.cells,
            turn: setup.turn.into(),
            castling: setup.castling.as_deref(),
            en_passant: setup.en_passant.as_deref(),
        }
    }
}

impl From<Colour> for api::Colour {
    fn from(colour: Colour) -> Self {
        match colour {
            Colour::Black => Self::Black,
            Colour::White => Self::White,
            Colour::Blue => Self::Blue,
            Colour::Orange => Self::Orange,
            Colour::Red => Self::Red,
            Colour::Yellow => Self::Yellow,
        }
    }
}

impl From<PieceShape> for api::PieceShape {
    fn from(shape: PieceShape) -> Self {
        match shape {
            PieceShape::Disc => Self::Disc,
            PieceShape::Stone => Self::Stone,
            PieceShape::Cross => Self::Cross,
            PieceShape::Ring => Self::Ring,
            PieceShape::Pawn => Self::Pawn,
            PieceShape::Knight => Self::Knight,
            PieceShape::Bishop => Self::Bishop,
            PieceShape::Rook => Self::Rook,
            PieceShape::Queen => Self::Queen,
            PieceShape::King => Self::King,
        }
    }
}
