use std::path::{Path, PathBuf};
use std::{fs, io};

use tablero_jobs::{JobError, write_beside};
use thiserror::Error;

use crate::Table;

/// A page that grows from top to bottom, with the tables and plots on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The page, as Markdown.
    pub page: String,
    /// The tables on the page.
    pub tables: Vec<Table>,
    /// The plots that the page shows.
    pub plots: Vec<Plot>,
}

/// A picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plot {
    /// The name of its file.
    pub file: String,
    /// What it shows.
    pub title: String,
    /// The file.
    pub svg: String,
}

/// Why a report could not be written.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The folder cannot be written to.
    #[error("cannot write {}: {source}", path.display())]
    Folder {
        /// Where to.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] JobError),
}

/// The name of the page's file.
const PAGE: &str = "report.md";

impl Report {
    /// A page with nothing but a title.
    pub fn new(title: &str) -> Self {
        let mut report = Self { page: String::new(), tables: Vec::new(), plots: Vec::new() };
        report.paragraph(&format!("# {title}"));
        report
    }

    /// Adds a paragraph, a heading or any other Markdown.
    pub fn paragraph(&mut self, text: &str) {
        self.page += text.trim();
        self.page += "\n\n";
    }

    /// Adds a table below its title; `heading` is `##` or deeper.
    pub fn table(&mut self, heading: &str, table: Table) {
        self.paragraph(&format!("{heading} {}", table.title));
        self.paragraph(&table.markdown());
        self.tables.push(table);
    }

    /// Adds a picture, to be kept in `file`.
    pub fn plot(&mut self, file: &str, title: &str, svg: String) {
        self.paragraph(&format!("![{title}]({file})"));
        self.plots.push(Plot { file: file.into(), title: title.into(), svg });
    }

    /// Writes page and plots into a folder, which is made if it is not there.
    pub fn write(&self, folder: &Path) -> Result<(), ReportError> {
        prepare_folder(folder)?;
        for plot in &self.plots {
            write_beside(&folder.join(&plot.file), plot.svg.as_bytes())?;
        }
        Ok(write_beside(&folder.join(PAGE), self.page.as_bytes())?)
    }
}

/// Makes the folder of a report, if it is not there, and makes sure that files can be written there:
/// before the work is done, not after.
pub fn prepare_folder(folder: &Path) -> Result<(), ReportError> {
    let probe = folder.join(".probe");
    let try_it = || {
        fs::create_dir_all(folder)?;
        fs::write(&probe, "")?;
        fs::remove_file(&probe)
    };
    try_it().map_err(|source| ReportError::Folder { path: folder.to_owned(), source })
}
