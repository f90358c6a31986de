//! The evolved evaluations that come with the program, embedded so that they play anywhere.

use crate::{GenomeError, Genomes, read_text};

/// A file that comes with the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shipped {
    /// Its name in player lines: `eval=NAME`.
    pub name: &'static str,
    /// Which game it plays.
    pub game: &'static str,
    text: &'static str,
}

/// The file of a name, in the folder `weights`.
macro_rules! file {
    ($game:literal, $name:literal, $extension:literal) => {
        Shipped {
            name: $name,
            game: $game,
            text: include_str!(concat!("../../../weights/", $name, ".", $extension)),
        }
    };
}

const FILES: &[Shipped] = &[
    file!("othello", "othello-sci", "genes"),
    file!("othello", "othello-jma", "genes"),
    file!("othello", "othello-iago", "genes"),
    file!("othello", "othello-net", "genes"),
    file!("othello", "othello7-sci", "evl"),
    file!("chess", "chess-principles", "genes"),
    file!("shobu", "shobu-pressure", "genes"),
];

/// All of them.
pub fn shipped() -> &'static [Shipped] {
    FILES
}

impl Shipped {
    /// What is in it.
    pub fn genomes(&self) -> Result<Genomes, GenomeError> {
        read_text(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_built() {
        for file in shipped() {
            let genomes = file.genomes().unwrap_or_else(|error| panic!("{}: {error}", file.name));
            assert_eq!(genomes.game, file.game, "{}", file.name);
            let problem = match file.game {
                "othello" => genomes.checked::<tablero_othello::Othello>().err(),
                "chess" => genomes.checked::<tablero_chess::Chess>().err(),
                "shobu" => genomes.checked::<tablero_shobu::Shobu>().err(),
                _ => genomes.checked::<tablero_tictactoe::TicTacToe>().err(),
            };
            assert!(problem.is_none(), "{}: {}", file.name, problem.expect("a problem"));
        }
    }
}
