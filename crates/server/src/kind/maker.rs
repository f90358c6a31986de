//! Players of lines that come from the page.

use tablero_catalog::players::{PlayerLineError, Setup, build, replace_files};
use tablero_core::Player;
use tablero_jobs::Store;

use super::Describe;
use crate::jobs::shelf;

/// What machines are made with: bounds, and the jobs whose offspring a line may name.
#[derive(Clone)]
pub(crate) struct Maker {
    pub(crate) setup: Setup,
    pub(crate) jobs: Store,
}

/// A line that names files of ours by their paths, and what it is to be built with.
#[derive(Clone, PartialEq)]
pub(super) struct Placed {
    pub(super) line: String,
    setup: Setup,
    /// The files' names on the page, and what stands for them in the line.
    files: Vec<[String; 2]>,
}

impl Maker {
    /// The same with another setup.
    pub(crate) fn with(&self, change: impl FnOnce(&mut Setup)) -> Self {
        let mut maker = self.clone();
        change(&mut maker.setup);
        maker
    }

    /// `line` with what jobs made in the place of their names. Only such a line reads files, and no
    /// others: paths that a line gives itself are not looked at.
    pub(super) fn place<G: Describe>(&self, line: &str) -> Result<Placed, PlayerLineError> {
        let (mut files, mut has_others) = (Vec::new(), false);
        let placed = replace_files::<G>(line, &mut |name| {
            let Some(ours) = name.strip_prefix(shelf::PREFIX) else {
                has_others = true;
                return Ok(name.into());
            };
            let file = shelf::place::<G>(&self.jobs, ours)?;
            files.push([name.into(), file.clone()]);
            Ok(file)
        })?;
        let line = if files.is_empty() { line.into() } else { placed.to_string() };
        let may_read_files = !files.is_empty() && !has_others;
        Ok(Placed { line, setup: Setup { may_read_files, ..self.setup }, files })
    }

    /// The player of a line.
    pub(super) fn build<G: Describe>(
        &self,
        line: &str,
    ) -> Result<Box<dyn Player<G>>, PlayerLineError> {
        self.place::<G>(line)?.build::<G>()
    }
}

impl Placed {
    /// The player of the line. Where our files are is nobody's business.
    pub(super) fn build<G: Describe>(&self) -> Result<Box<dyn Player<G>>, PlayerLineError> {
        build::<G>(&self.line, &self.setup).map_err(|PlayerLineError(problem)| {
            let hide = |text: String, [name, file]: &[String; 2]| text.replace(file, name);
            PlayerLineError(self.files.iter().fold(problem, hide))
        })
    }
}
