//! Puzzles of the data folder: made from own mistakes, from games of the archive, and from test suites.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tablero_archive::{Archive, Query};
use tablero_core::{
    AnyControl, AnyGameHistory, AnyInfo, AnyPlayer, AnyRecord, Input, Limits, PlayerSetup, Rng,
    Value,
};
use tablero_registry::GameEntry;
use tablero_training::{NewPuzzle, PuzzleSource, Puzzles, suite};

use crate::api::{Judgement, Problem, PuzzleMaking, PuzzlesMade};
use crate::error::{ApiError, ApiResult};
use crate::game_file::{GameFile, HUMAN};
use crate::games::record_of;

/// The puzzles of a server.
pub(crate) struct Training {
    pub(crate) puzzles: Puzzles,
    making: Mutex<Option<PuzzleMaking>>,
    /// Stops the search for puzzles.
    stop: AtomicBool,
}

/// The search time for a position of the archive.
const SEARCH: Duration = Duration::from_millis(400);
/// A solution must be better than any other move by this much expected score, or by so many units if both scores are
/// exact.
const CLEAR_GAP: f64 = 0.2;
const CLEAR_UNITS: f64 = 4.0;
/// A position in which even the best move loses is no fun.
const MIN_SCORE: f64 = 0.35;
/// Positions are looked at for each puzzle that is wanted, at most.
const TRIES: u64 = 60;

impl Training {
    pub(crate) fn open(data: &Path) -> Result<Arc<Self>, String> {
        let puzzles = Puzzles::open(data).map_err(|error| error.to_string())?;
        Ok(Arc::new(Self { puzzles, making: Mutex::default(), stop: AtomicBool::new(false) }))
    }

    pub(crate) fn making(&self) -> Option<PuzzleMaking> {
        self.lock().clone()
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Adds the mistakes of people in a reviewed game.
    pub(crate) fn add_mistakes(
        &self,
        entry: &'static dyn GameEntry,
        file: &GameFile,
    ) -> ApiResult<PuzzlesMade> {
        let mut made = PuzzlesMade { added: 0, skipped: 0 };
        let Some(review) = &file.review else { return Ok(made) };
        let record = record_of(entry.game(), file)?;
        let mut position = record.start.clone();
        for (ply, reviewed) in record.plies.iter().zip(&review.moves) {
            let is_mistake = matches!(reviewed.judgement, Judgement::Mistake | Judgement::Blunder);
            let seat = &file.players[position.side().index()];
            if let Some(best) = reviewed.best.first().filter(|_| is_mistake && seat.player == HUMAN)
            {
                let puzzle = NewPuzzle {
                    position: position.clone(),
                    solutions: vec![best.clone()],
                    line: reviewed.best_labels.clone(),
                    source: PuzzleSource::Mistake,
                    origin: names(&record),
                };
                self.add(&puzzle, &mut made)?;
            }
            position.play(ply.m);
        }
        Ok(made)
    }

    /// Adds the positions of a test suite.
    pub(crate) fn add_suite(&self, name: Option<&str>, bytes: &[u8]) -> ApiResult<PuzzlesMade> {
        // Only the extension is used: no other file is read.
        let extension = name.and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension);
        let path = extension.map(|extension| Path::new("/dev/null/file").with_extension(extension));
        let input = Input { bytes, path: path.as_deref() };
        let (records, _) = tablero_registry::open(&input, None, None)?;
        let mut made = PuzzlesMade { added: 0, skipped: records.skipped_count() as u64 };
        for record in records.iter() {
            let Some(solutions) = suite::solutions(record) else {
                made.skipped += 1;
                continue;
            };
            let position = &record.start;
            let puzzle = NewPuzzle {
                solutions: solutions.iter().map(|m| position.move_name(*m)).collect(),
                line: solutions.first().map(|m| position.move_text(*m)).into_iter().collect(),
                position: position.clone(),
                source: PuzzleSource::Suite,
                origin: record.tag("id").map_or_else(
                    || name.unwrap_or_default().into(),
                    |id| id.trim_matches('"').to_owned(),
                ),
            };
            self.add(&puzzle, &mut made)?;
        }
        Ok(made)
    }

    fn add(&self, puzzle: &NewPuzzle, made: &mut PuzzlesMade) -> ApiResult<()> {
        match self.puzzles.add(puzzle).map_err(ApiError::internal)? {
            true => made.added += 1,
            false => made.skipped += 1,
        }
        Ok(())
    }

    /// Searches games of the archive for positions with one clearly best move, in the background.
    pub(crate) fn make_from_archive(
        self: &Arc<Self>,
        entry: &'static dyn GameEntry,
        archive: &Arc<crate::archive::ArchiveService>,
        wanted: u64,
    ) -> ApiResult<()> {
        {
            let mut making = self.lock();
            if making.as_ref().is_some_and(|making| making.running) {
                return Err(Problem::PuzzlesBusy.into());
            }
            let game = entry.game().to_string();
            *making = Some(PuzzleMaking { game, tried: 0, found: 0, wanted, running: true });
        }
        self.stop.store(false, Ordering::Relaxed);
        let (training, archive) = (Arc::clone(self), Arc::clone(archive));
        let run = move || {
            // What was found stays, whatever happens.
            let _ = training.search(entry, &archive.archive, wanted);
            if let Some(making) = &mut *training.lock() {
                making.running = false;
            }
        };
        let thread = std::thread::Builder::new().name("puzzles".into()).spawn(run);
        thread.map(drop).map_err(ApiError::internal)
    }

    fn search(
        &self,
        entry: &'static dyn GameEntry,
        archive: &Archive,
        wanted: u64,
    ) -> ApiResult<()> {
        let game = entry.game();
        let ids = archive.ids(&Query { game: Some(game), ..Query::default() })?;
        if ids.is_empty() {
            return Ok(());
        }
        let setup = PlayerSetup { multi_pv: 2, limited_by_caller: true, ..PlayerSetup::default() };
        let mut player = entry.build(game.analyst(), &setup).map_err(ApiError::internal)?;
        let mut rng = Rng::seeded(self.puzzles.summary(game.name()).map_or(1, |s| s.total + 1));
        for _ in 0..TRIES * wanted {
            if self.stop.load(Ordering::Relaxed) || self.making().is_none_or(|m| m.found >= wanted)
            {
                break;
            }
            let id = ids[rng.below(ids.len() as u64) as usize];
            let puzzle = self.try_game(&archive.game(id)?, &mut *player, &mut rng);
            let added = match puzzle {
                Some(puzzle) => self.puzzles.add(&puzzle).map_err(ApiError::internal)?,
                None => false,
            };
            if let Some(making) = &mut *self.lock() {
                making.tried += 1;
                making.found += u64::from(added);
            }
        }
        Ok(())
    }

    /// A puzzle from a random position of a game, if its best move is clear.
    fn try_game(
        &self,
        record: &AnyRecord,
        player: &mut AnyPlayer,
        rng: &mut Rng,
    ) -> Option<NewPuzzle> {
        let plies = record.plies.len();
        let first = plies / 5;
        let ply = first + rng.below((plies - first).max(1) as u64) as usize;
        let mut history = AnyGameHistory::new(record.start.clone());
        for ply in &record.plies[..ply.min(plies)] {
            history.play_on(ply.m).ok()?;
        }
        if history.moves().len() < 2 {
            return None;
        }
        player.new_game(rng.bits());
        let mut ignore = |_: &AnyInfo| {};
        let mut control = AnyControl::new(&self.stop, &mut ignore);
        let limits = Limits { time: Some(SEARCH), ..Limits::default() };
        let result = player.choose(&history, &limits, &mut control).ok()?;
        let [best, second, ..] = &result.info.lines[..] else { return None };
        if !is_clear(&history, best.value.0, second.value.0, result.info.exact) {
            return None;
        }
        let position = history.position().clone();
        let solution = *best.moves.first()?;
        Some(NewPuzzle {
            solutions: vec![position.move_name(solution)],
            line: position.line_text(&best.moves),
            position,
            source: PuzzleSource::Archive,
            origin: names(record),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<PuzzleMaking>> {
        self.making.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether one move is clearly better than the next, for the side to move.
fn is_clear(history: &AnyGameHistory, best: Value, second: Value, exact: bool) -> bool {
    let model = history.position().game().wdl_model();
    let [score, other] = [best, second].map(|value| model.expected_score(value));
    let units = |value: Value| match value {
        Value::Centi(centi) => Some(f64::from(centi) / 100.0),
        Value::WinIn(_) | Value::LossIn(_) => None,
    };
    let gap = units(best).zip(units(second)).map(|(best, second)| best - second);
    let clear_by_units = exact && gap.is_some_and(|gap| gap >= CLEAR_UNITS);
    score >= MIN_SCORE && (score - other >= CLEAR_GAP || clear_by_units)
}

/// The players of a game, and its year.
fn names(record: &AnyRecord) -> String {
    let name = |name: &String| if name.is_empty() { "?".into() } else { name.clone() };
    let [first, second] = record.players.each_ref().map(name);
    let year = record.tag("Date").and_then(|date| date.get(..4)).unwrap_or_default();
    format!("{first} – {second} {year}").trim().to_owned()
}
