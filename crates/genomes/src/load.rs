//! From a name or a file to an evaluation.

use std::fs;
use std::path::Path;

use tablero_core::Evaluation;

use crate::{Genetic, GenomeError, Genomes, evl};

/// A file of genomes is far smaller.
const MOST_BYTES: u64 = 64 << 20;

/// The names that [`evaluation`] knows for a game: its evaluations with hand-set weights, then what
/// comes with the program.
pub fn known_names<G: Genetic>() -> Vec<String> {
    let by_hand = G::evaluations().iter().map(|kind| kind.name.to_owned());
    by_hand.chain(G::SHIPPED_GENOMES.iter().map(|file| file.name.to_owned())).collect()
}

/// Whether `name` needs no file.
pub fn is_known<G: Genetic>(name: &str) -> bool {
    G::evaluations().iter().any(|kind| kind.name == name)
        || G::SHIPPED_GENOMES.iter().any(|file| file.name == name)
}

/// The evaluation that `name` names: a hand-made one, one that comes with the program, or a file of
/// either format, whose best individual it is, or another as in `FILE#3`.
pub fn evaluation<G: Genetic>(name: &str) -> Result<Box<dyn Evaluation<G>>, GenomeError> {
    if let Some(kind) = G::evaluations().iter().find(|kind| kind.name == name) {
        return Ok(kind.by_hand());
    }
    let (genomes, which) = match G::SHIPPED_GENOMES.iter().find(|file| file.name == name) {
        Some(file) => (read_bytes(file.bytes.to_vec())?, "best"),
        None => {
            let (path, which) = split_number(name);
            if !path.exists() {
                let known = format!("{}; or a file", known_names::<G>().join(", "));
                return Err(GenomeError::Unknown { name: name.into(), game: G::NAME, known });
            }
            (read_file(path)?, which)
        }
    };
    let (kind, genomes) = genomes.checked::<G>()?;
    Ok(kind.build(&genomes.individual(which)?.genome))
}

/// `FILE#3` is the third individual of a file, unless a file is called just that.
fn split_number(name: &str) -> (&Path, &str) {
    match name.rsplit_once('#') {
        Some((path, which)) if !Path::new(name).exists() => (Path::new(path), which),
        _ => (Path::new(name), "best"),
    }
}

/// Reads a file of either format.
pub fn read_file(path: &Path) -> Result<Genomes, GenomeError> {
    let io = |problem| GenomeError::Io { path: path.to_owned(), problem };
    if fs::metadata(path).map_err(io)?.len() > MOST_BYTES {
        return Err(GenomeError::Content("it is far larger than such a file".into()));
    }
    read_bytes(fs::read(path).map_err(io)?)
}

/// Reads a file's content.
pub fn read_bytes(bytes: Vec<u8>) -> Result<Genomes, GenomeError> {
    let text = String::from_utf8(bytes);
    read_text(&text.map_err(|_| GenomeError::Content("it is not text".into()))?)
}

/// Reads text of either format.
pub fn read_text(text: &str) -> Result<Genomes, GenomeError> {
    if Genomes::recognises(text) { Genomes::parse(text) } else { evl::parse(text) }
}

#[cfg(test)]
mod tests {
    use tablero_core::{ForMover, Game, StandardRules};
    use tablero_othello::Othello;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    #[test]
    fn names_and_files() {
        let position = Othello::start(StandardRules);
        let position = position.after(position.moves()[0]);
        let value = |name: &str| evaluation::<Othello>(name).map(|e| e.evaluate(&position));
        // Four discs to one.
        assert_eq!(value("sci").expect("by hand"), ForMover(-300));
        let best = value("othello7-sci").expect("shipped");
        assert_eq!(best, ForMover(-451));
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../weights/othello7-sci.evl");
        assert_eq!(value(path).expect("a file"), best);
        assert_eq!(value(&format!("{path}#1")).expect("the same"), best);
        assert_eq!(value(&format!("{path}#16")).expect("a child"), ForMover(189));
        let error = value(&format!("{path}#31")).expect_err("30 and the best").to_string();
        assert!(error.contains("1 to 30"), "{error}");
        let error = value("nothing").expect_err("no such thing").to_string();
        assert!(error.contains("sci") && error.contains("othello7-sci"), "{error}");
        let error = evaluation::<TicTacToe>("othello7-sci").err().expect("Othello's").to_string();
        assert!(error.contains("othello7-sci"), "{error}");
        let error = evaluation::<TicTacToe>(path).err().expect("Othello's").to_string();
        assert!(error.contains("play othello, not tictactoe"), "{error}");
        assert!(evaluation::<Othello>("/").is_err());
    }

    fn shipped_files_are_right<G: Genetic>() {
        for file in G::SHIPPED_GENOMES {
            let genomes = read_bytes(file.bytes.to_vec()).expect(file.name);
            let problem = genomes.checked::<G>().err();
            assert!(problem.is_none(), "{}: {}", file.name, problem.expect("a problem"));
        }
    }

    #[test]
    fn every_shipped_file_can_be_built() {
        shipped_files_are_right::<Othello>();
        shipped_files_are_right::<tablero_chess::Chess>();
        shipped_files_are_right::<tablero_shobu::Shobu>();
    }
}
