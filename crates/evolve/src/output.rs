//! The file that an evolution writes.

use std::path::Path;

use tablero_core::AnyGame;
use tablero_genomes::{GenomeKind, Genomes, evl};
use tablero_jobs::write_beside;

use crate::EvolveError;

/// Writes genomes to `path`: as Othello7 does if its extension is `.evl`, otherwise in our format.
pub fn write_genomes(path: &Path, genomes: &Genomes) -> Result<(), EvolveError> {
    let text = if is_evl(path) { evl::text(genomes)? } else { genomes.text() };
    Ok(write_beside(path, text.as_bytes())?)
}

/// Says what is wrong with a place before hours are spent.
pub(crate) fn check_place(
    path: &Path,
    game: AnyGame,
    kind: &dyn GenomeKind,
) -> Result<(), EvolveError> {
    let wrong = |problem: String| Err(EvolveError::Config(problem));
    if is_evl(path) && !evl::holds(game.name(), kind.name()) {
        return wrong(format!(
            "an .evl file holds polynomials of Othello, sci or jma; choose another extension for {}",
            kind.name()
        ));
    }
    if path.is_dir() {
        return wrong(format!("{} is a folder", path.display()));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return wrong(format!("there is no folder for {}", path.display()));
    }
    Ok(())
}

fn is_evl(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("evl"))
}
