//! The genome file that an evolution writes.

use std::path::Path;

use tablero_core::AnyGame;
use tablero_genomes::{GenomeKind, Genomes, evl};
use tablero_jobs::atomic_write;

use crate::EvolveError;

/// Writes genomes to `path`: in Othello7's format if its extension is `.evl`, otherwise as `.genes`.
pub fn write_genomes(path: &Path, genomes: &Genomes) -> Result<(), EvolveError> {
    let text = if is_evl(path) { evl::text(genomes)? } else { genomes.text() };
    Ok(atomic_write(path, text.as_bytes())?)
}

/// Checks that the output file can be written, before the evolution starts.
pub(crate) fn check_output(
    path: &Path,
    game: AnyGame,
    kind: &dyn GenomeKind,
) -> Result<(), EvolveError> {
    if is_evl(path) && !evl::supports(game.name(), kind.name()) {
        return Err(EvolveError::NotEvl { kind: kind.name() });
    }
    if path.is_dir() {
        return Err(EvolveError::OutputIsFolder { path: path.to_owned() });
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(EvolveError::NoOutputFolder { path: path.to_owned() });
    }
    Ok(())
}

fn is_evl(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("evl"))
}
