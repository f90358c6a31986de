//! Files of games and positions.

use std::path::{Path, PathBuf};

use tablero_core::{check_no_device, read_bounded, strip_bom};

use super::Run;
use crate::{
    AnyTrainingSet, BoardTable, ConfigError, LearnError, POSITIONS_EXTENSION, SelfPlayTask,
    TargetConfig, supports_board_table,
};

/// The maximum size of a table of positions.
const MAX_TABLE_BYTES: u64 = 16 << 30;

/// The name of a file without its folder.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Whether `path` is a table of boards, as in Otelo.
pub fn is_board_table(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "csv")
}

/// Whether `path` is a file of packed positions.
pub fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == POSITIONS_EXTENSION)
}

/// The game logs of a file or of the folder of a learning run.
pub fn game_logs(data: &Path) -> Result<Vec<PathBuf>, LearnError> {
    let wrong = |problem: &str| LearnError::File { path: data.to_owned(), problem: problem.into() };
    if !data.exists() {
        return Err(wrong("does not exist"));
    }
    check_no_device(data).map_err(|problem| unreadable(data, problem))?;
    if !data.is_dir() {
        return Ok(vec![data.to_owned()]);
    }
    let log = |number: usize| data.join(format!("games-{number}.jsonl"));
    let logs: Vec<PathBuf> = (1..).map(log).take_while(|path| path.exists()).collect();
    match logs.is_empty() {
        true => Err(wrong("not a training run: it has no games-1.jsonl")),
        false => Ok(logs),
    }
}

fn unreadable(path: &Path, problem: std::io::Error) -> LearnError {
    LearnError::Unreadable { path: path.to_owned(), problem }
}

/// Positions with their provenance.
pub(super) type Positions = (Box<dyn AnyTrainingSet>, Vec<String>);

impl Run<'_> {
    pub(super) fn positions(&self) -> Result<Positions, LearnError> {
        match self.options.data.iter().find(|path| is_board_table(path)) {
            Some(path) => self.table(path),
            None => self.games(),
        }
    }

    /// The positions of a table.
    fn table(&self, path: &Path) -> Result<Positions, LearnError> {
        let game = self.game.game();
        if self.options.data.len() > 1 {
            let problem = "several files must all be recorded games (.jsonl, .positions)";
            let problem = format!("data {}: {problem}", path.display());
            return Err(ConfigError::Invalid(problem).into());
        }
        if !supports_board_table(game) {
            let problem = format!(
                "a .csv table cannot represent the pieces of {game}; use recorded games (.jsonl)"
            );
            return Err(ConfigError::Invalid(problem).into());
        }
        let wrong = |problem: String| LearnError::File { path: path.to_owned(), problem };
        let bytes = read_bounded(path, MAX_TABLE_BYTES);
        let bytes = bytes.map_err(|problem| unreadable(path, problem))?;
        let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
        let mut positions = self.game.training_set();
        let boards = match positions.add_board_csv(strip_bom(&text)).map_err(wrong)? {
            BoardTable::AfterMove => "after",
            BoardTable::BeforeMove => "before",
        };
        let (games, name) = (positions.games(), file_name(path));
        let provenance = format!("a table of {games} games, {name}: boards {boards} the move");
        Ok((positions, vec![provenance]))
    }

    /// The positions of all recorded games.
    fn games(&self) -> Result<Positions, LearnError> {
        let targets = TargetConfig { q_ratio: self.options.q_ratio(), policy_surprise_weight: 0.0 };
        let (mut positions, mut provenance) = (self.game.training_set(), Vec::new());
        for data in &self.options.data {
            let before = provenance.len();
            if is_packed(data) {
                provenance.extend(positions.add_packed(data, &targets)?);
            } else {
                for path in game_logs(data)? {
                    let plans = positions.add_log(&path, &targets)?;
                    provenance.extend(plans.iter().map(SelfPlayTask::provenance));
                }
            }
            if provenance.len() == before {
                provenance.push(format!("games of {}", file_name(data)));
            }
        }
        if positions.is_empty() {
            let path = self.options.data.first().cloned().unwrap_or_default();
            return Err(LearnError::File { path, problem: "no training positions".into() });
        }
        Ok((positions, provenance))
    }
}
