use tablero_core::{AnyGame, AnyRecord, FileFormat, Input, ReadError, SkippedGame};

/// Generic Game Format, in which NBoard sends games.
pub(crate) struct Ggf(FileFormat);

impl Ggf {
    /// The game's GGF format, if it has one.
    pub(crate) fn of(game: AnyGame) -> Result<Self, String> {
        let format = game.formats().into_iter().find(|format| format.name == "ggf");
        format.map(Self).ok_or_else(|| format!("{game} has no file format `ggf`"))
    }

    /// Parses the first game in `text`.
    pub(crate) fn parse(&self, text: &str) -> Result<Option<AnyRecord>, ReadError> {
        let records = self.0.read(&Input::text(text))?;
        match records.skipped().first() {
            Some(SkippedGame { number: 1, error }) => Err(error.clone()),
            _ => Ok(records.into_vec().into_iter().next()),
        }
    }

    /// Formats a game on one line.
    pub(crate) fn format(&self, record: &AnyRecord) -> Result<String, String> {
        let files = (self.0.write)(std::slice::from_ref(record));
        let file = files.map_err(|error| error.to_string())?.into_iter().next();
        let bytes = file.map(|file| file.bytes).unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }
}
