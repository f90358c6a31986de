//! Resolves names and files to evaluations.

use std::path::Path;

use tablero_core::{Evaluation, is_utf16, read_bounded, strip_bom};

use crate::{Evolvable, GenomeError, Genomes, evl};

/// Genome files are far smaller.
const MAX_BYTES: u64 = 64 << 20;

/// The names that [`evaluation`] resolves without a file: hand-tuned evaluations, then shipped genomes.
pub fn known_names<G: Evolvable>() -> Vec<String> {
    let hand_tuned = G::evaluations().iter().map(|kind| kind.name.to_owned());
    hand_tuned.chain(G::SHIPPED_GENOMES.iter().map(|file| file.name.to_owned())).collect()
}

/// Whether [`evaluation`] resolves `name` without a file.
pub fn is_known<G: Evolvable>(name: &str) -> bool {
    G::evaluations().iter().any(|kind| kind.name == name)
        || G::SHIPPED_GENOMES.iter().any(|file| file.name == name)
}

/// The evaluation called `name`: hand-tuned, shipped, or a genome file of either format, by default its
/// best individual; `FILE#3` is the third.
pub fn evaluation<G: Evolvable>(name: &str) -> Result<Box<dyn Evaluation<G>>, GenomeError> {
    if let Some(kind) = G::evaluations().iter().find(|kind| kind.name == name) {
        return Ok(kind.hand_tuned());
    }
    let (genomes, which) = match G::SHIPPED_GENOMES.iter().find(|file| file.name == name) {
        Some(file) => (read_bytes(file.bytes.to_vec())?, "best"),
        None => {
            let (path, which) = split_individual(name);
            if !path.exists() {
                let (name, known) = (name.into(), known_names::<G>());
                return Err(GenomeError::Unknown { name, game: G::NAME, known });
            }
            (read_file(path)?, which)
        }
    };
    let (kind, genomes) = genomes.validated::<G>()?;
    Ok(kind.build(&genomes.individual(which)?.genome))
}

/// Splits `FILE#3`, unless a file of that name exists.
fn split_individual(name: &str) -> (&Path, &str) {
    match name.rsplit_once('#') {
        Some((path, which)) if !Path::new(name).exists() => (Path::new(path), which),
        _ => (Path::new(name), "best"),
    }
}

/// Reads a genome file of either format.
pub fn read_file(path: &Path) -> Result<Genomes, GenomeError> {
    let bytes = read_bounded(path, MAX_BYTES);
    read_bytes(bytes.map_err(|error| GenomeError::Io { path: path.to_owned(), error })?)
}

/// Parses the content of a genome file.
pub fn read_bytes(bytes: Vec<u8>) -> Result<Genomes, GenomeError> {
    if is_utf16(&bytes) {
        return Err(GenomeError::Utf16);
    }
    let text = String::from_utf8(bytes);
    read_text(&text.map_err(|_| GenomeError::NotText)?)
}

/// Parses the text of a genome file.
pub fn read_text(text: &str) -> Result<Genomes, GenomeError> {
    let text = strip_bom(text);
    if Genomes::has_format(text) { Genomes::parse(text) } else { evl::parse(text) }
}

#[cfg(test)]
mod tests {
    use tablero_core::{ForMover, Game, StandardRules};
    use tablero_othello::Othello;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    #[test]
    fn resolves_names_and_files() {
        let position = Othello::start(StandardRules);
        let position = position.after(position.moves()[0]);
        let value = |name: &str| evaluation::<Othello>(name).map(|e| e.evaluate(&position));
        // Four discs to one.
        assert_eq!(value("sci").expect("hand-tuned"), ForMover(-300));
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
        assert!(error.contains("are for othello, not tictactoe"), "{error}");
        assert!(evaluation::<Othello>("/").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused() {
        let error = evaluation::<Othello>("/dev/zero").err().expect("endless").to_string();
        assert_eq!(error, "cannot read /dev/zero: it is neither a file nor a pipe");
    }

    #[test]
    fn byte_order_marks_are_accepted() {
        let text = include_str!("../../../weights/othello7-sci.evl");
        let genomes = read_text(text).expect("an .evl file");
        let with_mark = |text: &str| format!("\u{feff}{text}").into_bytes();
        assert_eq!(read_bytes(with_mark(text)).expect("the same"), genomes);
        assert_eq!(read_bytes(with_mark(&genomes.text())).expect("the same"), genomes);
        let utf16 = text.encode_utf16().flat_map(u16::to_le_bytes);
        for mark in [&[0xff, 0xfe][..], &[]] {
            let error = read_bytes(mark.iter().copied().chain(utf16.clone()).collect());
            let error = error.expect_err("UTF-16").to_string();
            assert!(error.contains("UTF-16; convert it to UTF-8"), "{error}");
        }
    }

    #[test]
    fn errors_quote_little_of_the_file() {
        let head = "format = \"tablero-genomes 1\"\ngame = \"othello\"\nkind = \"sci\"\n";
        let rest = "provenance = { generations = 1, seconds = 1 }\nbest = { fitness = 1, genome = [1, 2, 3] }";
        let long = "x".repeat(100_000);
        let bad = [
            format!("{head}{rest}\n[best]\ngenome = [{}x]\n", "1.0, ".repeat(40_000)),
            format!("{head}{rest}\n{long} = 1\n"),
            format!("{head}genes = [\"{long}\"]\n{rest}"),
            format!("{head}genes = [\"x1\", \"x2\", \"x3\", \"{long}\"]\n{rest}"),
            head.replace("sci", &long) + rest,
            head.replace("othello", &long) + rest,
            head.replace("genomes 1", &format!("genomes {long}")),
            head.replace("\"othello\"", &format!("[\"{long}\"]")) + rest,
            rest.replace("generations = 1", &format!("generations = \"{long}\"")) + head,
        ];
        for text in bad {
            let read = read_text(&text).and_then(|genomes| genomes.validated::<Othello>());
            let error = read.err().expect("an error").to_string();
            assert!(error.chars().count() < 300, "{} characters: {error:.300}", error.len());
        }
    }

    fn shipped_files_are_valid<G: Evolvable>() {
        for file in G::SHIPPED_GENOMES {
            let genomes = read_bytes(file.bytes.to_vec()).expect(file.name);
            let problem = genomes.validated::<G>().err();
            assert!(problem.is_none(), "{}: {}", file.name, problem.expect("a problem"));
        }
    }

    #[test]
    fn all_shipped_files_are_valid() {
        shipped_files_are_valid::<Othello>();
        shipped_files_are_valid::<tablero_chess::Chess>();
        shipped_files_are_valid::<tablero_shobu::Shobu>();
    }
}
