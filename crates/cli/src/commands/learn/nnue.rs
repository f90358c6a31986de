//! `tablero learn --net nnue`: evaluations for alpha-beta.

use std::path::PathBuf;

use tablero_arena::Factory;
use tablero_cluster::Run;
use tablero_jobs::{Job, Progress};
use tablero_learn::generations::RunContext;
use tablero_learn::nnue::{
    NNUE_BEST, NnueConfig, NnueGeneration, NnueHistory, open_nnue_run, parse_nnue, run_nnue,
};

use super::{Learn, RunOptions, RunProgress, command_line, finish, note_files};
use crate::args::Entry;
use crate::job_args::{cancel_on_interrupt, executor};
use crate::match_args::player_maker;
use crate::out::{self, usage};

impl Learn {
    /// The width of the NNUE that `--net` asks for, if it does.
    pub(super) fn nnue_width(&self) -> anyhow::Result<Option<usize>> {
        match self.net.as_deref() {
            Some(net) if net.split_whitespace().next() == Some("nnue") => {
                let wrong = || usage(format!("--net \"{net}\": expected `nnue` or `nnue WIDTH`"));
                parse_nnue(net).ok_or_else(wrong).map(Some)
            }
            _ => Ok(None),
        }
    }

    pub(super) fn run_nnue(&self, width: usize) -> anyhow::Result<()> {
        let (entry, game) = (self.game.game, self.game.game.game());
        let dir = self.dir.clone().unwrap_or_else(|| PathBuf::from(format!("learn-{game}-nnue")));
        let command = command_line();
        let mut config = match self.quick {
            true => NnueConfig::quick(game, &command),
            false => NnueConfig::standard(game, &command),
        };
        if !self.quick || self.net.as_deref() != Some("nnue") {
            config.hidden = width;
        }
        self.config.apply_nnue(&mut config)?;
        let make = player_maker(entry, false);
        for line in [&config.player, &config.match_player].into_iter().chain(&config.teacher) {
            make(line).map_err(usage)?;
        }
        let job = open_nnue_run(&dir, &config, self.seed).map_err(usage)?;
        let command = format!("tablero learn {game} --net nnue --dir '{}'", dir.display());
        run(job, entry, &self.options(), &command)
    }
}

/// Starts or resumes a run; `command` resumes it after an interrupt.
pub(crate) fn run(
    job: Job,
    entry: Entry,
    options: &RunOptions<'_>,
    command: &str,
) -> anyhow::Result<()> {
    let dir = job.folder().to_owned();
    let cancel = cancel_on_interrupt()?;
    let progress = RunProgress::new(cancel.clone(), options);
    let executor = executor(options.nats, options.threads, Run::of_job(&job))?;
    let make = player_maker(entry, false);
    let factory = Factory { game: entry.game(), make: &make };
    let context =
        RunContext { executor: &*executor, threads: options.threads.count(), cancel: &cancel };
    let report = &mut |event: &Progress| progress.update(event);
    let learned = run_nnue(entry.learning(), job, factory, context, report);
    progress.finish();
    let learned = learned?;
    print(&learned, options.json);
    if learned.best > 0 {
        note_files(&dir, NNUE_BEST);
    }
    finish(&progress, &cancel, command)
}

fn print(learned: &NnueHistory, json: bool) {
    if json {
        out::json(learned);
    } else {
        learned.generations.iter().map(line).for_each(out::line);
    }
}

fn line(one: &NnueGeneration) -> String {
    let elo = match (one.elo, one.elo_error) {
        (Some(elo), Some(error)) => format!(", {elo:+.0} ± {error:.0} Elo"),
        _ => String::new(),
    };
    let score = one.score.map_or_else(String::new, |score| format!(", {:.1} %", 100.0 * score));
    let promoted = if one.promoted { "" } else { ", not promoted" };
    format!(
        "generation {}: {} games by {}, {} positions, loss {:.5}, held-out loss {:.5}{score}{elo}{promoted}",
        one.generation, one.games, one.player, one.positions, one.training_loss, one.held_out_loss,
    )
}
