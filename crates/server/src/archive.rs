//! The games database of the data folder, and imports into it.
//!
//! Files to import are received one by one into `imports/ID` of the data folder, then read by one thread. Since nothing
//! is imported twice, an import that was interrupted by a crash is simply started again with the server.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use tablero_archive::{Archive, ArchiveError, ImportOptions, ImportProgress, ImportReport, Source};
use tablero_core::AnyRecord;
use tablero_jobs::{CancellationToken, atomic_write};

use crate::api::{ArchiveImport, ImportProblem, ImportState, Problem};
use crate::error::{ApiError, ApiResult};
use crate::random::random_id;

/// The archive of a server.
pub(crate) struct ArchiveService {
    pub(crate) archive: Archive,
    folder: PathBuf,
    imports: Mutex<BTreeMap<String, Import>>,
    queue: Mutex<mpsc::Sender<String>>,
    /// Whether the server shuts down.
    closing: AtomicBool,
    /// Games of the library that were added, so that none is read twice.
    mirrored: Mutex<HashSet<String>>,
    /// Games of the library that were opened from the archive.
    pub(crate) opened: Mutex<HashMap<i64, String>>,
}

struct Import {
    view: ArchiveImport,
    cancel: CancellationToken,
}

/// Marks a folder whose files are complete.
const STARTED: &str = ".started";
/// Imports that are remembered.
const MAX_IMPORTS: usize = 20;
/// The most files of an import.
const MAX_FILES: usize = 2000;
/// The most skipped games that are shown.
const MAX_PROBLEMS: usize = 100;

impl ArchiveService {
    /// Opens the archive of a data folder, and goes on with imports that a crash interrupted.
    pub(crate) fn open(data: &Path) -> Result<Arc<Self>, String> {
        let games: Vec<_> = tablero_registry::games().iter().map(|entry| entry.game()).collect();
        let archive = Archive::open(data, &games).map_err(|error| error.to_string())?;
        let (queue, waiting) = mpsc::channel::<String>();
        let service = Arc::new(Self {
            archive,
            folder: data.join("imports"),
            imports: Mutex::default(),
            queue: Mutex::new(queue),
            closing: AtomicBool::new(false),
            mirrored: Mutex::default(),
            opened: Mutex::default(),
        });
        let runner = Arc::downgrade(&service);
        let run = move || {
            for id in waiting {
                let Some(service) = runner.upgrade() else { return };
                service.run(&id);
            }
        };
        let thread = thread::Builder::new().name("imports".into()).spawn(run);
        thread.map_err(|error| format!("cannot start the import thread: {error}"))?;
        service.resume();
        Ok(service)
    }

    /// Starts what was interrupted, and removes what was never complete.
    fn resume(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for folder in entries.flatten().map(|entry| entry.path()) {
            let id = folder.file_name().map(|name| name.to_string_lossy().into_owned());
            match id.filter(|_| folder.join(STARTED).exists()) {
                Some(id) => {
                    self.lock().insert(id.clone(), Import::new(&id, ImportState::Waiting));
                    self.enqueue(id);
                }
                // A leftover does no harm.
                None => drop(fs::remove_dir_all(&folder)),
            }
        }
    }

    /// Begins an import, to which files can be uploaded.
    pub(crate) fn begin(&self) -> ApiResult<ArchiveImport> {
        let id = random_id();
        fs::create_dir_all(self.folder.join(&id)).map_err(ApiError::internal)?;
        let import = Import::new(&id, ImportState::Uploading);
        let view = import.view.clone();
        let mut imports = self.lock();
        imports.insert(id, import);
        if imports.len() > MAX_IMPORTS {
            let done = |import: &Import| {
                !matches!(
                    import.view.state,
                    ImportState::Uploading | ImportState::Waiting | ImportState::Running
                )
            };
            let oldest = imports.iter().find(|(_, import)| done(import)).map(|(id, _)| id.clone());
            oldest.map(|id| imports.remove(&id));
        }
        Ok(view)
    }

    /// Receives a file of an import.
    pub(crate) fn upload(&self, id: &str, name: &str, bytes: &[u8]) -> ApiResult<()> {
        match self.lock().get(id).map(|import| &import.view.state) {
            Some(ImportState::Uploading) => {}
            _ => return Err(Problem::ImportNotFound { id: id.into() }.into()),
        }
        let folder = self.folder.join(id);
        let files = fs::read_dir(&folder).map_err(ApiError::internal)?.count();
        if files >= MAX_FILES {
            return Err(Problem::TooManyImportFiles { max: MAX_FILES }.into());
        }
        atomic_write(&folder.join(safe_name(name)), bytes).map_err(ApiError::internal)
    }

    /// Starts an import whose files are there.
    pub(crate) fn start(&self, id: &str) -> ApiResult<ArchiveImport> {
        let view = {
            let mut imports = self.lock();
            let import = imports.get_mut(id);
            let uploading =
                import.filter(|import| matches!(import.view.state, ImportState::Uploading));
            let Some(import) = uploading else {
                return Err(Problem::ImportNotFound { id: id.into() }.into());
            };
            atomic_write(&self.folder.join(id).join(STARTED), b"").map_err(ApiError::internal)?;
            import.view.state = ImportState::Waiting;
            import.view.clone()
        };
        self.enqueue(id.into());
        Ok(view)
    }

    /// All imports.
    pub(crate) fn list(&self) -> Vec<ArchiveImport> {
        self.lock().values().map(|import| import.view.clone()).collect()
    }

    /// Cancels a running import; forgets one that ended.
    pub(crate) fn remove(&self, id: &str) -> ApiResult<()> {
        let mut imports = self.lock();
        let import = imports.get(id).ok_or_else(|| Problem::ImportNotFound { id: id.into() })?;
        import.cancel.cancel();
        if !matches!(import.view.state, ImportState::Running) {
            imports.remove(id);
            // A leftover is removed at the next start.
            let _ = fs::remove_dir_all(self.folder.join(id));
        }
        Ok(())
    }

    /// Stops running imports; they go on when the server starts again.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.lock().values().for_each(|import| import.cancel.cancel());
    }

    fn enqueue(&self, id: String) {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // The thread lives as long as the service.
        let _ = queue.send(id);
    }

    fn run(&self, id: &str) {
        if self.closing.load(Ordering::Acquire) {
            return;
        }
        let Some(cancel) = self.lock().get_mut(id).map(|import| {
            import.view.state = ImportState::Running;
            import.cancel.clone()
        }) else {
            return;
        };
        let folder = self.folder.join(id);
        let result = self.import(id, &folder, &cancel);
        if let Some(import) = self.lock().get_mut(id) {
            import.finish(result);
        }
        if !self.closing.load(Ordering::Acquire) {
            // A leftover is imported again, without effect.
            let _ = fs::remove_dir_all(&folder);
        }
    }

    fn import(
        &self,
        id: &str,
        folder: &Path,
        cancel: &CancellationToken,
    ) -> Result<ImportReport, ArchiveError> {
        let failed = |error| ArchiveError::Io { path: folder.into(), error };
        let entries = fs::read_dir(folder).map_err(failed)?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.file_name().is_some_and(|name| name != STARTED));
        files.sort();
        let sources: Vec<_> = files.iter().map(|path| Source::file(path)).collect();
        let options = ImportOptions { cancel: cancel.clone(), ..ImportOptions::default() };
        self.archive.import(&sources, &options, &mut |progress| {
            if let Some(import) = self.lock().get_mut(id) {
                import.progress(progress);
            }
        })
    }

    /// Adds games of the library that are not there yet; `read` gets the record of an id.
    pub(crate) fn mirror(&self, finished: Vec<String>, read: impl Fn(&str) -> Option<AnyRecord>) {
        let mut mirrored = self.mirrored.lock().unwrap_or_else(PoisonError::into_inner);
        for id in finished {
            // A game that cannot be added now is not tried again before the next start.
            if mirrored.insert(id.clone())
                && let Some(record) = read(&id)
            {
                let _ = self.archive.add(record);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Import>> {
        self.imports.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Import {
    fn new(id: &str, state: ImportState) -> Self {
        let view = ArchiveImport {
            id: id.into(),
            state,
            done: 0,
            total: 0,
            file: String::new(),
            games: 0,
            duplicates: 0,
            skipped: 0,
            seconds: 0.0,
            problems: Vec::new(),
        };
        Self { view, cancel: CancellationToken::default() }
    }

    fn progress(&mut self, progress: &ImportProgress) {
        let view = &mut self.view;
        (view.done, view.total, view.games) = (progress.done, progress.total, progress.games);
        view.file = file_name(&progress.file);
    }

    fn finish(&mut self, result: Result<ImportReport, ArchiveError>) {
        let view = &mut self.view;
        match result {
            Err(error) => view.state = ImportState::Failed { reason: error.to_string() },
            Ok(report) => {
                view.state =
                    if report.cancelled { ImportState::Cancelled } else { ImportState::Finished };
                view.games = report.games;
                view.duplicates = report.duplicates;
                view.skipped = report.skipped;
                view.seconds = report.seconds;
                let problems = report.problems.into_iter().take(MAX_PROBLEMS);
                view.problems = problems
                    .map(|problem| ImportProblem {
                        file: file_name(&problem.file),
                        game: problem.game,
                        reason: problem.reason,
                    })
                    .collect();
            }
        }
    }
}

fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

/// A file name without folders and unusual characters; never hidden.
fn safe_name(name: &str) -> String {
    let name = file_name(name);
    let kept = |c: char| c.is_alphanumeric() || "._- ".contains(c);
    let safe: String = name.chars().filter(|c| kept(*c)).take(120).collect();
    let safe = safe.trim_start_matches(['.', ' ']);
    if safe.is_empty() { "games".into() } else { safe.into() }
}
