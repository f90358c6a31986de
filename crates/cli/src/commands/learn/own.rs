//! Learners that only one game has: Othello's pattern tables.

use tablero_cluster::Run;
use tablero_learn::generations::Place;
use tablero_registry::{OwnLearner, games};

use super::{Learn, Show, end, tell_files};
use crate::args::Entry;
use crate::out::{self, usage};
use crate::series::{executor, stop_on_interrupt};

impl Learn {
    /// The game's own learner that `--net` names, if it does.
    pub(super) fn own_learner(&self) -> anyhow::Result<Option<&'static dyn OwnLearner>> {
        let Some(net) = self.net.as_deref() else { return Ok(None) };
        let learner =
            |entry: Entry| entry.own_learners().into_iter().find(|learner| learner.name() == net);
        let found = learner(self.game.game);
        let owner = || games().iter().copied().find(|&entry| learner(entry).is_some());
        if found.is_none()
            && let Some(owner) = owner()
        {
            let (owner, game) = (owner.game(), self.game.game.game());
            return Err(usage(format!("`--net {net}` learns {owner} only, not {game}")));
        }
        Ok(found)
    }

    pub(super) fn run_own(&self, learner: &dyn OwnLearner) -> anyhow::Result<()> {
        let (game, name) = (self.game.game.game(), learner.name());
        let folder = self.dir.clone().unwrap_or_else(|| format!("learn-{game}-{name}").into());
        let job = learner.open(&folder, self.quick, self.seed).map_err(usage)?;
        let stop = stop_on_interrupt()?;
        let show = Show::new(stop.clone(), self.hours);
        let executor = executor(&self.nats, self.threads, Run::of_job(&job))?;
        let place = Place { executor: &*executor, threads: self.threads.count(), stop: &stop };
        let learned = learner.run(job, place, &mut |progress| show.tell(progress));
        show.bar.finish_and_clear();
        let learned = learned?;
        if self.json {
            out::json(&learned.history);
        } else {
            learned.lines.iter().for_each(out::line);
        }
        if let Some(best) = learned.best {
            tell_files(&folder, best);
        }
        let command = format!("tablero learn {game} --net {name} --dir '{}'", folder.display());
        end(&show, &stop, &command)
    }
}
