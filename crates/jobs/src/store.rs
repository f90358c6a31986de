use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use serde::Serialize;

use crate::files::{remove_stale_temporaries, temporary_name};
use crate::{Header, Job, JobError};

/// The folder of the program's data in the user's home; none if there is no home.
pub fn user_data_folder() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.data_dir().join("tablero"))
}

/// The jobs of a data folder, each in a folder `jobs/KIND-NUMBER`. The [crate's front page](crate) has an
/// example.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The store in the data folder `data`, which need not exist yet.
    pub fn in_folder(data: &Path) -> Self {
        Self { folder: data.join("jobs") }
    }

    /// Creates a job of this kind (letters, digits and `-`).
    pub fn create(&self, kind: &str, config: &impl Serialize, seed: u64) -> Result<Job, JobError> {
        if !is_id(kind) {
            let problem = format!("invalid job kind `{kind}`: use letters, digits and `-`");
            return Err(JobError::Content { path: self.folder.clone(), problem });
        }
        let header = Header::new(kind, config, seed).map_err(JobError::content(&self.folder))?;
        // Prepared under a hidden name and renamed, so that a job appears complete.
        let hidden = self.folder.join(temporary_name(kind));
        remove_stale_temporaries(&self.folder);
        fs::create_dir_all(&hidden).map_err(JobError::io(&hidden))?;
        let job = header.write(&hidden).and_then(|()| self.claim_id(&hidden, kind));
        if job.is_err() {
            // The first error is the one to report.
            let _ = fs::remove_dir_all(&hidden);
        }
        job
    }

    fn claim_id(&self, hidden: &Path, kind: &str) -> Result<Job, JobError> {
        let mut number = self.last_number(kind)? + 1;
        loop {
            let id = format!("{kind}-{number}");
            let folder = self.folder.join(&id);
            // Fails if the name is taken by now: a folder does not replace one that is not empty.
            match fs::rename(hidden, &folder) {
                Ok(()) => return Job::read(folder, &id),
                Err(_) if folder.exists() => number += 1,
                Err(error) => return Err(JobError::io(&folder)(error)),
            }
        }
    }

    fn last_number(&self, kind: &str) -> Result<u64, JobError> {
        let number = |id: &String| id.strip_prefix(kind)?.strip_prefix('-')?.parse().ok();
        Ok(self.ids()?.iter().filter_map(number).max().unwrap_or(0))
    }

    /// The job `id`.
    pub fn open(&self, id: &str) -> Result<Job, JobError> {
        // Ids come from requests, too: they must not escape the folder.
        if !is_id(id) {
            return Err(JobError::NotFound(id.into()));
        }
        Job::read(self.folder.join(id), id)
    }

    /// All jobs, the oldest first, and the errors of those that cannot be read.
    pub fn list(&self) -> Result<(Vec<Job>, Vec<JobError>), JobError> {
        let (mut jobs, mut broken) = (Vec::new(), Vec::new());
        for id in self.ids()? {
            match self.open(&id) {
                Ok(job) => jobs.push(job),
                Err(error) => broken.push(error),
            }
        }
        jobs.sort_by(|a, b| a.header().created.total_cmp(&b.header().created));
        Ok((jobs, broken))
    }

    /// Deletes the job `id`, unless it is running.
    pub fn delete(&self, id: &str) -> Result<(), JobError> {
        let lock = self.open(id)?.lock()?;
        // Renamed first, so that a job disappears at once.
        let hidden = self.folder.join(format!(".deleted-{id}-{}", std::process::id()));
        fs::rename(self.folder.join(id), &hidden).map_err(JobError::io(&hidden))?;
        drop(lock);
        fs::remove_dir_all(&hidden).map_err(JobError::io(&hidden))
    }

    fn ids(&self) -> Result<Vec<String>, JobError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(JobError::io(&self.folder)(error)),
        };
        let name = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
        Ok(entries.filter_map(name).filter(|name| is_id(name)).collect())
    }
}

fn is_id(text: &str) -> bool {
    // Longer names are an error of file systems.
    const MAX: usize = 200;
    (1..=MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;
    use crate::{Progress, Status};

    fn status(store: &Store, id: &str) -> Status {
        store.open(id).unwrap().state().unwrap().status
    }

    #[test]
    fn the_life_of_a_job() {
        let folder = Folder::new("store");
        let store = Store::in_folder(folder.path());
        let (jobs, broken) = store.list().unwrap();
        assert!(jobs.is_empty() && broken.is_empty());

        let job = store.create("test", &vec![1.5, 2.5], u64::MAX).unwrap();
        assert_eq!((job.id(), job.header().seed), ("test-1", u64::MAX));
        assert_eq!(job.config::<Vec<f64>>().unwrap(), [1.5, 2.5]);
        assert!(job.config::<String>().is_err());
        assert_eq!(status(&store, "test-1"), Status::New);

        let running = job.run().unwrap();
        assert_eq!(status(&store, "test-1"), Status::Running);
        let busy = store.open("test-1").unwrap().run().unwrap_err();
        assert!(matches!(busy, JobError::Busy { .. }), "{busy}");
        assert!(store.delete("test-1").is_err());
        running.report(&Progress::new(1, Some(2)).with_metric("nan", f64::NAN)).unwrap();
        running.save_checkpoint("half", &7).unwrap();
        drop(running);
        assert_eq!(status(&store, "test-1"), Status::Interrupted);

        let running = store.open("test-1").unwrap().run().unwrap();
        assert_eq!(running.job().checkpoint("half").unwrap(), Some(7));
        running.stop("enough").unwrap();
        assert_eq!(store.open("test-1").unwrap().state().unwrap().message, "enough");

        store.open("test-1").unwrap().run().unwrap().finish(&"done").unwrap();
        let job = store.open("test-1").unwrap();
        assert_eq!(job.result::<String>().unwrap().as_deref(), Some("done"));
        assert_eq!(job.events().unwrap()[0].progress, Progress::new(1, Some(2)));
        assert_eq!(job.last_event().unwrap().as_ref(), job.events().unwrap().last());
        assert_eq!(status(&store, "test-1"), Status::Finished);

        store.delete("test-1").unwrap();
        assert!(matches!(store.open("test-1"), Err(JobError::NotFound(_))));
        assert_eq!(fs::read_dir(folder.path().join("jobs")).unwrap().count(), 0);
    }

    #[test]
    fn ids_are_unique_and_stay_in_the_folder() {
        let folder = Folder::new("names");
        let store = Store::in_folder(folder.path());
        std::thread::scope(|scope| {
            for kind in ["a", "a-b", "a"] {
                let store = &store;
                scope.spawn(move || {
                    for _ in 0..5 {
                        store.create(kind, &(), 0).unwrap();
                    }
                });
            }
        });
        let (jobs, broken) = store.list().unwrap();
        let mut ids: Vec<_> = jobs.iter().map(Job::id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!((ids.len(), broken.len()), (15, 0), "{ids:?}");
        assert!(ids.contains(&"a-10") && ids.contains(&"a-b-5"), "{ids:?}");
        for id in ["..", "../x", "", "a/b", ".", &"x".repeat(300)] {
            assert!(matches!(store.open(id), Err(JobError::NotFound(_))), "{id}");
        }
        assert!(store.create("../x", &(), 0).is_err());
    }

    #[test]
    fn a_job_can_have_a_folder_of_its_own() {
        let folder = Folder::new("own");
        let place = folder.path().join("run");
        assert!(Job::in_folder(&place).unwrap().is_none());
        Job::create_in(&place, "test", &7, 3).unwrap().run().unwrap().stop("enough").unwrap();
        let job = Job::in_folder(&place).unwrap().unwrap();
        assert_eq!((job.header().seed, job.config::<u32>().unwrap()), (3, 7));
        assert_eq!(job.state().unwrap().status, Status::Stopped);
    }

    #[test]
    fn a_resumed_run_keeps_its_kind_and_seed() {
        let folder = Folder::new("other");
        let place = folder.path().join("run");
        assert!(Job::resume_in(&place, "test", Some(3)).unwrap().is_none());
        Job::create_in(&place, "test", &7, 3).unwrap();
        for seed in [None, Some(3)] {
            assert!(Job::resume_in(&place, "test", seed).unwrap().is_some());
        }
        let other = |kind, seed| Job::resume_in(&place, kind, seed).unwrap_err().to_string();
        assert!(other("test", Some(4)).contains("holds a run with seed 3, not 4"));
        assert!(other("match", None).contains("holds a run with kind test, not match"));
    }

    #[test]
    fn an_unreadable_job_does_not_hide_the_others() {
        let folder = Folder::new("unreadable");
        let store = Store::in_folder(folder.path());
        store.create("good", &(), 0).unwrap();
        let bad = store.create("bad", &(), 0).unwrap();
        fs::write(bad.folder().join("job.json"), "{\"kind\":").unwrap();
        let (jobs, broken) = store.list().unwrap();
        assert_eq!((jobs.len(), broken.len()), (1, 1));
        assert!(broken[0].to_string().contains("bad-1"), "{}", broken[0]);
    }
}
