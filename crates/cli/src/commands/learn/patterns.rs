//! The champion's tables learn.

use tablero_champion::learn::{BEST, LearnConfig, Learned, open_run, run_learning};
use tablero_cluster::Run;

use super::{Learn, Show, end, tell_files};
use crate::out::{self, usage};
use crate::series::{executor, stop_on_interrupt};

impl Learn {
    pub(super) fn patterns(&self) -> anyhow::Result<()> {
        let folder = self.dir.clone().unwrap_or_else(|| "learn-othello-patterns".into());
        let command = "tablero learn othello --net patterns";
        let config = if self.quick {
            LearnConfig::quick(&format!("{command} --quick"))
        } else {
            LearnConfig::usual(command)
        };
        let job = open_run(&folder, &config, self.seed).map_err(usage)?;
        let stop = stop_on_interrupt()?;
        let show = Show::new(stop.clone(), self.hours);
        let executor = executor(&self.nats, self.threads, Run::of_job(&job))?;
        let learned = run_learning(job, &*executor, &stop, &mut |progress| show.tell(progress));
        show.bar.finish_and_clear();
        let learned = learned?;
        if self.json {
            out::json(&learned);
        } else {
            tell(&learned);
        }
        if learned.best.is_some() {
            tell_files(&folder, BEST);
        }
        end(&show, &stop, &format!("{command} --dir '{}'", folder.display()))
    }
}

fn tell(learned: &Learned) {
    for past in &learned.generations {
        let elo = past.elo.map_or_else(String::new, |elo| format!(", {elo:+.0} Elo"));
        let accepted = if past.accepted { "" } else { ", not accepted" };
        out::line(format_args!(
            "generation {}: {} games, error {:.2} discs, {:.1} % against the best before{elo}{accepted}",
            past.generation,
            past.games,
            past.held_out,
            100.0 * past.score,
        ));
    }
}
