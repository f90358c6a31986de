//! Learners of a single game: Othello's pattern weights.

use tablero_cluster::Run;
use tablero_learn::generations::RunContext;
use tablero_registry::{CustomLearner, games};

use super::{Learn, RunProgress, finish, note_files};
use crate::args::Entry;
use crate::job_args::{cancel_on_interrupt, executor};
use crate::out::{self, usage};

impl Learn {
    /// The game-specific learner selected by `--net`, if any.
    pub(super) fn custom_learner(&self) -> anyhow::Result<Option<&'static dyn CustomLearner>> {
        let Some(net) = self.net.as_deref() else { return Ok(None) };
        let learner = |entry: Entry| {
            entry.custom_learners().into_iter().find(|learner| learner.name() == net)
        };
        let found = learner(self.game.game);
        let owner = || games().iter().copied().find(|&entry| learner(entry).is_some());
        if found.is_none()
            && let Some(owner) = owner()
        {
            let (owner, game) = (owner.game(), self.game.game.game());
            return Err(usage(format!("`--net {net}` is for {owner} only, not for {game}")));
        }
        Ok(found)
    }

    pub(super) fn run_custom(&self, learner: &dyn CustomLearner) -> anyhow::Result<()> {
        let (game, name) = (self.game.game.game(), learner.name());
        let dir = self.dir.clone().unwrap_or_else(|| format!("learn-{game}-{name}").into());
        let job = learner.open(&dir, self.quick, self.seed).map_err(usage)?;
        let cancel = cancel_on_interrupt()?;
        let progress = RunProgress::new(cancel.clone(), &self.options());
        let executor = executor(&self.nats, self.threads, Run::of_job(&job))?;
        let context =
            RunContext { executor: &*executor, threads: self.threads.count(), cancel: &cancel };
        let learned = learner.run(job, context, &mut |event| progress.update(event));
        progress.finish();
        let learned = learned?;
        if self.json {
            out::json(&learned.history);
        } else {
            learned.lines.iter().for_each(out::line);
        }
        if let Some(best) = learned.best {
            note_files(&dir, best);
        }
        let command = format!("tablero learn {game} --net {name} --dir '{}'", dir.display());
        finish(&progress, &cancel, &command)
    }
}
