//! The task kinds that a worker executes.
//!
//! A new kind of work joins a cluster by one line in [`kinds`]; game-specific kinds come from the registry.
//! Tasks are untrusted input: [`PlayerPolicy`] restricts which files and programs the players of a task may use,
//! and how much memory all players of the worker take together.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tablero_arena::{Factory, PairTask, PairWork, PlayerPool, Reservation};
use tablero_cluster::{Files, TaskError, TaskKind, TaskKinds};
use tablero_core::{
    AnyGame, BuildResult, PlayerLine, PlayerLineError, PlayerSetup, SharedCache, level_line,
    tree_mb,
};
use tablero_evolve::{Contestant, FITNESS_SETUP, FitnessTask, FitnessWork};
use tablero_jobs::{Work, run_json};
use tablero_learn::{SelfPlayTask, SelfPlayWork, Source};
use tablero_registry::{find, games};

use crate::args::Entry;
use crate::match_args::{player_maker, player_setup};

/// All task kinds; `allowed` are the players that may start external engines, `pool` has the memory of all
/// players.
pub(crate) fn kinds(allowed: Vec<PlayerLine>, pool: Arc<PlayerPool>) -> TaskKinds {
    let policy = PlayerPolicy { allowed, pool };
    TaskKinds::default()
        .with(Pairs { policy: policy.clone(), cache: WorkCache::default() })
        .with(Meetings { policy: policy.clone() })
        .with(SelfPlayGames { policy, cache: WorkCache::default() })
        .with_all(games().iter().flat_map(|entry| entry.custom_task_kinds()))
}

/// What the players of a task may use: only files sent with the task, only allowed engines, memory within the
/// pool's budget.
#[derive(Clone)]
struct PlayerPolicy {
    allowed: Vec<PlayerLine>,
    pool: Arc<PlayerPool>,
}

impl PlayerPolicy {
    /// Checks a player and returns its line with local file paths.
    fn resolve(&self, entry: Entry, line: &str, files: &Files) -> Result<String, TaskError> {
        let mut local = |value: &str| -> Result<String, String> {
            let (file, which) = match files.contains_key(value) {
                true => (value, None),
                false => value.rsplit_once('#').map_or((value, None), |(f, n)| (f, Some(n))),
            };
            let path = files.get(file).ok_or("the file was not sent with the task")?;
            let which = which.map_or_else(String::new, |which| format!("#{which}"));
            Ok(format!("{}{which}", path.display()))
        };
        let players = entry.player_kinds();
        let resolved = players.replace_files(line, &mut local).map_err(invalid_line)?;
        let starts_program = players.starts_program(line).map_err(invalid_line)?;
        if starts_program && !self.allows(&resolved) {
            return Err(TaskError::Refused(format!(
                "`{line}` starts an external engine; start the worker with --allow \"{line}\""
            )));
        }
        Ok(resolved.to_string())
    }

    /// Reserves memory for the players of a task, waiting for other tasks to release theirs.
    fn reserve<'a>(
        &self,
        entry: Entry,
        lines: impl IntoIterator<Item = &'a String>,
        setup: &PlayerSetup,
    ) -> Result<Reservation<'_>, TaskError> {
        let mut megabytes = 0;
        for line in lines {
            megabytes += memory_mb(entry, line, setup).map_err(invalid_line)?;
        }
        self.reserve_mb(megabytes)
    }

    fn reserve_mb(&self, megabytes: usize) -> Result<Reservation<'_>, TaskError> {
        let reserved = self.pool.reserve(megabytes << 20);
        reserved.map_err(|error| TaskError::Refused(format!("{error} (--memory of the worker)")))
    }

    /// Whether an allowed player has the same program and options, apart from search limits.
    fn allows(&self, line: &PlayerLine) -> bool {
        let is_limit = |name: &str| ["depth", "nodes", "time", "elo"].contains(&name);
        self.allowed.iter().any(|allowed| {
            (&allowed.kind, &allowed.words) == (&line.kind, &line.words)
                && line
                    .options
                    .iter()
                    .all(|option| is_limit(&option.0) || allowed.options.contains(option))
        })
    }
}

/// An upper bound, in MB, of the memory of a player.
fn memory_mb(entry: Entry, line: &str, setup: &PlayerSetup) -> Result<usize, PlayerLineError> {
    let mut line: PlayerLine = line.parse()?;
    if line.kind == "level" {
        line = level_line(entry.game(), &line)?.parse()?;
    }
    Ok(entry.player_kinds().check(&line)?.memory_mb(&line, setup))
}

/// The error of a task with an invalid line. Another worker may have the threads or the memory for a value that
/// is invalid here.
fn invalid_line(error: PlayerLineError) -> TaskError {
    match error {
        PlayerLineError::InvalidValue { .. } => TaskError::Refused(error.to_string()),
        _ => TaskError::Failed(error.to_string()),
    }
}

/// The files that a player needs.
fn files_of(entry: Entry, line: &str) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    let mut collect = |value: &str| -> Result<String, String> {
        let file = match Path::new(value).exists() {
            true => value,
            false => value.rsplit_once('#').map_or(value, |(file, _)| file),
        };
        files.push(file.to_owned());
        Ok(value.to_owned())
    };
    entry.player_kinds().replace_files(line, &mut collect).map_err(|error| error.to_string())?;
    Ok(files)
}

type RunTask = dyn Fn(&str) -> Result<String, String> + Send + Sync;

/// Works cached between tasks of each kind: those of the games that the cluster plays at a time.
const MAX_WORKS: usize = 4;

/// Works kept between tasks, with their players and networks.
struct WorkCache<K>(SharedCache<K, Arc<RunTask>>);

impl<K> Default for WorkCache<K> {
    fn default() -> Self {
        Self(SharedCache::with_count(MAX_WORKS))
    }
}

impl<K: Eq> WorkCache<K> {
    /// Runs a task with the work of `key`, which is made on first use.
    fn run(
        &self,
        key: K,
        make: impl FnOnce() -> Arc<RunTask>,
        task: &impl Serialize,
    ) -> Result<String, TaskError> {
        let work = self.0.get_or_load(key, || Ok::<_, Infallible>(make()));
        work.unwrap_or_else(|never| match never {})(&text(task)?).map_err(TaskError::Failed)
    }
}

/// Pairs of games of matches and tournaments.
struct Pairs {
    policy: PlayerPolicy,
    /// By game, and whether every move is limited by the match.
    cache: WorkCache<(AnyGame, bool)>,
}

impl TaskKind for Pairs {
    fn name(&self) -> &'static str {
        PairWork::KIND
    }

    fn files(&self, task: &str) -> Result<Vec<String>, String> {
        let task: PairTask = read(task)?;
        let entry = entry(&task.game)?;
        let mut files = Vec::new();
        for line in &task.players {
            files.extend(files_of(entry, line)?);
        }
        Ok(files)
    }

    fn games(&self, _task: &str) -> u64 {
        2
    }

    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError> {
        let mut task: PairTask = read(task).map_err(TaskError::Failed)?;
        let entry = entry(&task.game).map_err(TaskError::Failed)?;
        task.names.get_or_insert_with(|| task.players.clone());
        for line in &mut task.players {
            *line = self.policy.resolve(entry, line, files)?;
        }
        let is_bounded = task.conditions.limit_every_move();
        let setup = player_setup(is_bounded);
        let _memory = self.policy.reserve(entry, &task.players, &setup)?;
        let make = || -> Arc<RunTask> {
            let pool = self.policy.pool.clone();
            let work = PairWork::with_pool(factory(entry, is_bounded), pool);
            Arc::new(move |task| run_json(&work, task))
        };
        self.cache.run((entry.game(), is_bounded), make, &task)
    }
}

/// Fitness games of evolution.
struct Meetings {
    policy: PlayerPolicy,
}

/// The player lines of a meeting.
fn lines(task: &mut FitnessTask) -> impl Iterator<Item = &mut String> {
    let contestants = task.contestants.iter_mut().filter_map(|contestant| match contestant {
        Contestant::Line(line) => Some(line),
        Contestant::Genome(_) => None,
    });
    contestants.chain([&mut task.player])
}

impl TaskKind for Meetings {
    fn name(&self) -> &'static str {
        FitnessWork::KIND
    }

    fn files(&self, task: &str) -> Result<Vec<String>, String> {
        let mut task: FitnessTask = read(task)?;
        let (entry, mut files) = (entry(&task.game)?, Vec::new());
        for line in lines(&mut task) {
            files.extend(files_of(entry, line)?);
        }
        Ok(files)
    }

    fn games(&self, task: &str) -> u64 {
        read::<FitnessTask>(task).map_or(1, |task| 1 + u64::from(task.both_colours))
    }

    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError> {
        let mut task: FitnessTask = read(task).map_err(TaskError::Failed)?;
        let entry = entry(&task.game).map_err(TaskError::Failed)?;
        for line in lines(&mut task) {
            *line = self.policy.resolve(entry, line, files)?;
        }
        let players = task.contestants.iter().map(|contestant| match contestant {
            Contestant::Line(line) => line,
            Contestant::Genome(_) => &task.player,
        });
        let _memory = self.policy.reserve(entry, players, &FITNESS_SETUP)?;
        let work = FitnessWork { game: entry.evolution() };
        text(&work.run(&task).map_err(TaskError::Failed)?)
    }
}

/// Memory limit of a search tree of self-play.
const SELF_PLAY_TREE_MB: usize = 64;

/// Self-play games.
struct SelfPlayGames {
    policy: PlayerPolicy,
    /// By game.
    cache: WorkCache<AnyGame>,
}

impl TaskKind for SelfPlayGames {
    fn name(&self) -> &'static str {
        SelfPlayWork::KIND
    }

    fn files(&self, task: &str) -> Result<Vec<String>, String> {
        let task: SelfPlayTask = read(task)?;
        match &task.source {
            Source::Net(file) => Ok(vec![file.clone()]),
            Source::Teacher(line) => files_of(entry(&task.game)?, line),
        }
    }

    fn games(&self, task: &str) -> u64 {
        read::<SelfPlayTask>(task).map_or(1, |task| task.count)
    }

    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError> {
        let mut task: SelfPlayTask = read(task).map_err(TaskError::Failed)?;
        let entry = entry(&task.game).map_err(TaskError::Failed)?;
        let _memory = match &mut task.source {
            Source::Teacher(line) => {
                *line = self.policy.resolve(entry, line, files)?;
                self.policy.reserve(entry, [&*line], &player_setup(false))?
            }
            Source::Net(file) => {
                localize(file, files)?;
                let sims = [task.config.sims, task.config.fast_sims];
                let trees = sims.map(|sims| tree_mb(sims as usize).min(SELF_PLAY_TREE_MB));
                self.policy.reserve_mb(trees.iter().sum())?
            }
        };
        let make = || -> Arc<RunTask> {
            let work = SelfPlayWork::new(entry.learning(), factory(entry, false));
            Arc::new(move |task| run_json(&work, task))
        };
        self.cache.run(entry.game(), make, &task)
    }
}

type Make = Box<dyn Fn(&str) -> BuildResult + Send + Sync>;

/// A player factory that lives as long as the program, so that works can be cached.
fn factory(entry: Entry, is_bounded: bool) -> Factory<'static> {
    static MAKERS: LazyLock<HashMap<(AnyGame, bool), Make>> = LazyLock::new(|| {
        let of_game = |&entry: &Entry| {
            let maker = |bounded| Box::new(player_maker(entry, bounded)) as Make;
            [false, true].map(|bounded| ((entry.game(), bounded), maker(bounded)))
        };
        games().iter().flat_map(of_game).collect()
    });
    // An entry is one of `games()`.
    let game = entry.game();
    Factory { game, make: &*MAKERS[&(game, is_bounded)] }
}

/// Replaces the name of a file by its local path.
fn localize(file: &mut String, files: &Files) -> Result<(), TaskError> {
    let path = files.get(file).ok_or_else(|| {
        TaskError::Failed(format!("`{file}`: the file was not sent with the task"))
    })?;
    *file = path.to_string_lossy().into_owned();
    Ok(())
}

fn entry(game: &str) -> Result<Entry, String> {
    find(game).map_err(|error| error.to_string())
}

fn text(value: &impl Serialize) -> Result<String, TaskError> {
    serde_json::to_string(value).map_err(|error| TaskError::Failed(error.to_string()))
}

fn read<T: DeserializeOwned>(task: &str) -> Result<T, String> {
    serde_json::from_str(task).map_err(|error| format!("unreadable task: {error}"))
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use tablero_arena::Conditions;

    use super::*;

    fn pairs(megabytes: usize) -> Pairs {
        tablero_registry::install(tablero_catalog::games());
        let pool = Arc::new(PlayerPool::new(megabytes << 20));
        let policy = PlayerPolicy { allowed: Vec::new(), pool };
        Pairs { policy, cache: WorkCache::default() }
    }

    fn pair(first: &str, second: &str) -> String {
        let task = PairTask {
            game: "tictactoe".into(),
            players: [first.into(), second.into()],
            names: None,
            indices: [0, 1],
            round: 1,
            opening: "*".into(),
            seeds: [1, 2],
            conditions: Conditions::default(),
        };
        text(&task).expect("JSON")
    }

    fn run(pairs: &Pairs, first: &str, second: &str) -> Result<(), TaskError> {
        pairs.run(&pair(first, second), &Files::new()).map(drop)
    }

    #[test]
    fn tasks_over_the_budget_are_refused() {
        let pairs = pairs(100);
        assert_eq!(run(&pairs, "alphabeta hash=40 depth=1", "level 1"), Ok(()));
        for (first, second) in [
            ("alphabeta hash=200 depth=1", "random"),
            ("alphabeta hash=60 depth=1", "alphabeta hash=60 depth=1"),
            ("mcts time=1ms memory=120", "random"),
            ("random", "alphabeta depth=1 threads=100000"),
        ] {
            let Err(TaskError::Refused(reason)) = run(&pairs, first, second) else {
                panic!("`{first}` against `{second}` is accepted");
            };
            let is_explained = reason.contains("100 MB (--memory") || reason.contains("threads is");
            assert!(is_explained, "{reason}");
        }
        assert_eq!(run(&pairs, "mcts iterations=10", "mcts iterations=10"), Ok(()), "small trees");
    }

    #[test]
    fn tasks_of_a_worker_share_its_budget() {
        let pairs = pairs(100);
        let reserved = pairs.policy.reserve_mb(60).expect("within the budget");
        thread::scope(|scope| {
            let task = scope
                .spawn(|| run(&pairs, "alphabeta hash=50 depth=1", "alphabeta hash=1 depth=1"));
            thread::sleep(Duration::from_millis(100));
            assert!(!task.is_finished(), "it waits for memory");
            drop(reserved);
            assert_eq!(task.join().expect("no panic"), Ok(()));
        });
    }
}
