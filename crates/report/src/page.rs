use std::path::{Path, PathBuf};
use std::{fs, io};

use tablero_jobs::{JobError, atomic_write};
use thiserror::Error;

use crate::Table;

/// A Markdown page with its tables and plots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The page, as Markdown.
    pub page: String,
    /// The tables on the page.
    pub tables: Vec<Table>,
    /// The plots on the page.
    pub plots: Vec<Plot>,
}

/// A plot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plot {
    /// File name.
    pub file: String,
    /// Title.
    pub title: String,
    /// Content of the file.
    pub svg: String,
}

/// Why a report could not be written.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The folder cannot be written to.
    #[error("cannot write {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] JobError),
}

/// The name of the page's file.
const PAGE: &str = "report.md";

impl Report {
    /// A page with only a title.
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

    /// Adds a plot, to be written to `file`.
    pub fn plot(&mut self, file: &str, title: &str, svg: String) {
        self.paragraph(&format!("![{title}]({file})"));
        self.plots.push(Plot { file: file.into(), title: title.into(), svg });
    }

    /// Writes page and plots to a folder, which is created if missing.
    pub fn write(&self, folder: &Path) -> Result<(), ReportError> {
        prepare_folder(folder)?;
        for plot in &self.plots {
            atomic_write(&folder.join(&plot.file), plot.svg.as_bytes())?;
        }
        Ok(atomic_write(&folder.join(PAGE), self.page.as_bytes())?)
    }
}

/// Creates the folder of a report if it is missing, and checks that it is writable: to fail before the work,
/// not after.
pub fn prepare_folder(folder: &Path) -> Result<(), ReportError> {
    let probe = folder.join(".probe");
    let try_it = || {
        fs::create_dir_all(folder)?;
        fs::write(&probe, "")?;
        fs::remove_file(&probe)
    };
    try_it().map_err(|source| ReportError::Folder { path: folder.to_owned(), source })
}
