//! The kinds of tasks that workers know. A new kind of work joins a cluster by one line in [`kinds`]; what
//! only one game has comes from the registry.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tablero_arena::{Factory, PairTask, PairWork};
use tablero_cluster::{Files, Kinds, TaskError, TaskKind};
use tablero_core::{AnyGame, AnyPlayer, PlayerLine};
use tablero_evolve::{Contestant, MeetingTask, MeetingWork};
use tablero_jobs::{Work, run_text};
use tablero_learn::{GamesTask, GamesWork, Source};
use tablero_registry::{find, games};

use crate::args::Entry;
use crate::series::player_maker;

/// More memory than this a worker gives to no player.
const MOST_MEGABYTES: u64 = 4096;

/// The kinds there are; `allowed` are lines of players that may start other programs.
pub(crate) fn kinds(allowed: Vec<PlayerLine>) -> Kinds {
    let gate = Gate { allowed };
    Kinds::default()
        .with(Pairs { gate: gate.clone(), works: Works::default() })
        .with(Meetings { gate: gate.clone() })
        .with(LearningGames { gate, works: Works::default() })
        .with_all(games().iter().flat_map(|entry| entry.own_task_kinds()))
}

/// What a worker lets in: no files but those that came with the task, no programs but those allowed.
#[derive(Clone, Default)]
struct Gate {
    allowed: Vec<PlayerLine>,
}

impl Gate {
    /// The line to build a player from on this machine.
    fn admit(&self, entry: Entry, line: &str, files: &Files) -> Result<String, TaskError> {
        let failed = |error: &dyn ToString| TaskError::Failed(error.to_string());
        let mut place = |value: &str| -> Result<String, String> {
            let (file, which) = match files.contains_key(value) {
                true => (value, None),
                false => value.rsplit_once('#').map_or((value, None), |(f, n)| (f, Some(n))),
            };
            let path = files.get(file).ok_or("the file did not come with the task")?;
            let which = which.map_or_else(String::new, |which| format!("#{which}"));
            Ok(format!("{}{which}", path.display()))
        };
        let players = entry.player_kinds();
        let here = players.replace_files(line, &mut place).map_err(|error| failed(&error))?;
        for name in ["hash", "memory"] {
            let asked = here.option(name).and_then(|value| value.parse::<u64>().ok());
            if asked.is_some_and(|megabytes| megabytes > MOST_MEGABYTES) {
                let problem =
                    format!("`{line}`: a worker gives {MOST_MEGABYTES} MB at most ({name}=)");
                return Err(TaskError::Failed(problem));
            }
        }
        let starts_program = players.starts_program(line).map_err(|error| failed(&error))?;
        if starts_program && !self.allows(&here) {
            return Err(TaskError::Refused(format!(
                "`{line}` starts another program; this worker was not started with --allow \"{line}\""
            )));
        }
        Ok(here.to_string())
    }

    /// Whether `line` starts just what an allowed line starts, with the same options but for bounds.
    fn allows(&self, line: &PlayerLine) -> bool {
        let is_bound = |name: &str| ["depth", "nodes", "time", "elo"].contains(&name);
        self.allowed.iter().any(|allowed| {
            (&allowed.kind, &allowed.words) == (&line.kind, &line.words)
                && line
                    .options
                    .iter()
                    .all(|option| is_bound(&option.0) || allowed.options.contains(option))
        })
    }
}

/// The files that a line names.
fn files_of(entry: Entry, line: &str) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    let mut note = |value: &str| -> Result<String, String> {
        let file = match Path::new(value).exists() {
            true => value,
            false => value.rsplit_once('#').map_or(value, |(file, _)| file),
        };
        files.push(file.to_owned());
        Ok(value.to_owned())
    };
    entry.player_kinds().replace_files(line, &mut note).map_err(|error| error.to_string())?;
    Ok(files)
}

type PlayText = dyn Fn(&str) -> Result<String, String> + Send + Sync;

/// What does tasks, kept from one to the next with all that it has made for them.
struct Works<K>(Mutex<HashMap<K, Arc<PlayText>>>);

impl<K> Default for Works<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> Works<K> {
    /// Does a task by what is kept under `key`, or else made now.
    fn play(
        &self,
        key: K,
        make: impl FnOnce() -> Arc<PlayText>,
        task: &impl Serialize,
    ) -> Result<String, TaskError> {
        let mut works = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let work = works.entry(key).or_insert_with(make).clone();
        drop(works);
        work(&text(task)?).map_err(TaskError::Failed)
    }
}

/// Pairs of games of matches and tournaments.
struct Pairs {
    gate: Gate,
    /// Players are kept from task to task, for each game and for moves that are bounded or not.
    works: Works<(AnyGame, bool)>,
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
            *line = self.gate.admit(entry, line, files)?;
        }
        let is_bounded = task.conditions.bound_every_move();
        let make = || -> Arc<PlayText> {
            let work = PairWork::new(factory(entry, is_bounded));
            Arc::new(move |task| run_text(&work, task))
        };
        self.works.play((entry.game(), is_bounded), make, &task)
    }
}

/// Games between genomes, by which evolution chooses.
struct Meetings {
    gate: Gate,
}

/// The player lines of a meeting.
fn lines(task: &mut MeetingTask) -> impl Iterator<Item = &mut String> {
    let contestants = task.contestants.iter_mut().filter_map(|contestant| match contestant {
        Contestant::Line(line) => Some(line),
        Contestant::Genome(_) => None,
    });
    contestants.chain([&mut task.player])
}

impl TaskKind for Meetings {
    fn name(&self) -> &'static str {
        MeetingWork::KIND
    }

    fn files(&self, task: &str) -> Result<Vec<String>, String> {
        let mut task: MeetingTask = read(task)?;
        let (entry, mut files) = (entry(&task.game)?, Vec::new());
        for line in lines(&mut task) {
            files.extend(files_of(entry, line)?);
        }
        Ok(files)
    }

    fn games(&self, task: &str) -> u64 {
        read::<MeetingTask>(task).map_or(1, |task| 1 + u64::from(task.both_colours))
    }

    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError> {
        let mut task: MeetingTask = read(task).map_err(TaskError::Failed)?;
        let entry = entry(&task.game).map_err(TaskError::Failed)?;
        for line in lines(&mut task) {
            *line = self.gate.admit(entry, line, files)?;
        }
        let work = MeetingWork { game: entry.evolution() };
        text(&work.run(&task).map_err(TaskError::Failed)?)
    }
}

/// Games that networks learn from.
struct LearningGames {
    gate: Gate,
    /// Networks are kept from task to task, for each game.
    works: Works<AnyGame>,
}

impl TaskKind for LearningGames {
    fn name(&self) -> &'static str {
        GamesWork::KIND
    }

    fn files(&self, task: &str) -> Result<Vec<String>, String> {
        let task: GamesTask = read(task)?;
        match &task.source {
            Source::Net(file) => Ok(vec![file.clone()]),
            Source::Teacher(line) => files_of(entry(&task.game)?, line),
        }
    }

    fn games(&self, task: &str) -> u64 {
        read::<GamesTask>(task).map_or(1, |task| task.count)
    }

    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError> {
        let mut task: GamesTask = read(task).map_err(TaskError::Failed)?;
        let entry = entry(&task.game).map_err(TaskError::Failed)?;
        match &mut task.source {
            Source::Teacher(line) => *line = self.gate.admit(entry, line, files)?,
            Source::Net(file) => place(file, files)?,
        }
        let make = || -> Arc<PlayText> {
            let work = GamesWork::new(entry.learning(), factory(entry, false));
            Arc::new(move |task| run_text(&work, task))
        };
        self.works.play(entry.game(), make, &task)
    }
}

type Make = Box<dyn Fn(&str) -> Result<Box<AnyPlayer>, String> + Send + Sync>;

/// Makes players of a game for as long as the program runs, so that works can be kept.
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

/// Says where a file that a task names is on this machine.
fn place(file: &mut String, files: &Files) -> Result<(), TaskError> {
    let here = files.get(file).ok_or_else(|| {
        TaskError::Failed(format!("`{file}`: the file did not come with the task"))
    })?;
    *file = here.to_string_lossy().into_owned();
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
