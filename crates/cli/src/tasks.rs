//! The kinds of tasks that workers know. A new kind of work joins a cluster by one line in [`kinds`].

use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use tablero_arena::{PairTask, PairWork};
use tablero_catalog::players::{PlayerLine, Setup, build, replace_files, starts_program};
use tablero_catalog::{Catalogued, GameName, for_game};
use tablero_champion::learn::{Gate as PatternsGate, Measure, SelfPlay, UsesWeights};
use tablero_cluster::{Files, Kinds, TaskError, TaskKind};
use tablero_core::Player;
use tablero_evolve::{Contestant, MeetingTask, MeetingWork};
use tablero_jobs::{Work, run_text};
use tablero_learn::{GamesTask, GamesWork, Source};
use tablero_othello::Othello;

/// More memory than this a worker gives to no player.
const MOST_MEGABYTES: u64 = 4096;

/// The kinds there are; `allowed` are lines of players that may start other programs.
pub(crate) fn kinds(allowed: Vec<PlayerLine>) -> Kinds {
    let gate = Gate { allowed };
    Kinds::default()
        .with(Pairs { gate: gate.clone(), works: Works::default() })
        .with(Meetings { gate: gate.clone() })
        .with(LearningGames { gate, works: Works::default() })
        .with(ByWeights(SelfPlay::default()))
        .with(ByWeights(Measure::default()))
        .with(ByWeights(PatternsGate::default()))
}

/// What a worker lets in: no files but those that came with the task, no programs but those allowed.
#[derive(Clone, Default)]
struct Gate {
    allowed: Vec<PlayerLine>,
}

impl Gate {
    /// The line to build a player from on this machine.
    fn admit<G: Catalogued>(&self, line: &str, files: &Files) -> Result<String, TaskError> {
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
        let here = replace_files::<G>(line, &mut place).map_err(|error| failed(&error))?;
        for name in ["hash", "memory"] {
            let asked = here.option(name).and_then(|value| value.parse::<u64>().ok());
            if asked.is_some_and(|megabytes| megabytes > MOST_MEGABYTES) {
                let problem =
                    format!("`{line}`: a worker gives {MOST_MEGABYTES} MB at most ({name}=)");
                return Err(TaskError::Failed(problem));
            }
        }
        if starts_program::<G>(line).map_err(|error| failed(&error))? && !self.allows(&here) {
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
fn files_of<G: Catalogued>(line: &str) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    let mut note = |value: &str| -> Result<String, String> {
        let file = match Path::new(value).exists() {
            true => value,
            false => value.rsplit_once('#').map_or(value, |(file, _)| file),
        };
        files.push(file.to_owned());
        Ok(value.to_owned())
    };
    replace_files::<G>(line, &mut note).map_err(|error| error.to_string())?;
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
    works: Works<(GameName, bool)>,
}

impl Pairs {
    fn play<G: Catalogued>(&self, mut task: PairTask, files: &Files) -> Result<String, TaskError> {
        task.names.get_or_insert_with(|| task.players.clone());
        for line in &mut task.players {
            *line = self.gate.admit::<G>(line, files)?;
        }
        let key = (game(&task.game)?, task.conditions.bound_every_move());
        self.works.play(key, || player_of_pairs::<G>(key.1), &task)
    }
}

fn player_of_pairs<G: Catalogued>(is_bounded: bool) -> Arc<PlayText> {
    let work: PairWork<'static, G> = match is_bounded {
        true => PairWork::new(&bounded::<G>),
        false => PairWork::new(&unbounded::<G>),
    };
    Arc::new(move |task| run_text(&work, task))
}

fn bounded<G: Catalogued>(line: &str) -> Result<Box<dyn Player<G>>, String> {
    let setup = Setup { bounded_by_caller: true, ..Setup::default() };
    build::<G>(line, &setup).map_err(|error| error.to_string())
}

fn unbounded<G: Catalogued>(line: &str) -> Result<Box<dyn Player<G>>, String> {
    build::<G>(line, &Setup::default()).map_err(|error| error.to_string())
}

/// Says where a file that a task names is on this machine.
fn place(file: &mut String, files: &Files) -> Result<(), TaskError> {
    let here = files.get(file).ok_or_else(|| {
        TaskError::Failed(format!("`{file}`: the file did not come with the task"))
    })?;
    *file = here.to_string_lossy().into_owned();
    Ok(())
}

fn game(name: &str) -> Result<GameName, TaskError> {
    name.parse().map_err(TaskError::Failed)
}

fn text(value: &impl Serialize) -> Result<String, TaskError> {
    serde_json::to_string(value).map_err(|error| TaskError::Failed(error.to_string()))
}

fn read<T: serde::de::DeserializeOwned>(task: &str) -> Result<T, String> {
    serde_json::from_str(task).map_err(|error| format!("unreadable task: {error}"))
}

impl TaskKind for Pairs {
    fn name(&self) -> &'static str {
        PairWork::<Othello>::KIND
    }

    fn files(&self, task: &str) -> Result<Vec<String>, String> {
        let task: PairTask = read(task)?;
        let game: GameName = task.game.parse()?;
        let mut files = Vec::new();
        for line in &task.players {
            files.extend(for_game!(game, G => files_of::<G>(line))?);
        }
        Ok(files)
    }

    fn games(&self, _task: &str) -> u64 {
        2
    }

    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError> {
        let task: PairTask = read(task).map_err(TaskError::Failed)?;
        for_game!(game(&task.game)?, G => self.play::<G>(task, files))
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
        MeetingWork::<Othello>::KIND
    }

    fn files(&self, task: &str) -> Result<Vec<String>, String> {
        let mut task: MeetingTask = read(task)?;
        let (game, mut files): (GameName, _) = (task.game.parse()?, Vec::new());
        for line in lines(&mut task) {
            files.extend(for_game!(game, G => files_of::<G>(line))?);
        }
        Ok(files)
    }

    fn games(&self, task: &str) -> u64 {
        read::<MeetingTask>(task).map_or(1, |task| 1 + u64::from(task.both_colours))
    }

    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError> {
        let mut task: MeetingTask = read(task).map_err(TaskError::Failed)?;
        for_game!(game(&task.game)?, G => {
            for line in lines(&mut task) {
                *line = self.gate.admit::<G>(line, files)?;
            }
            text(&MeetingWork::<G>::default().run(&task).map_err(TaskError::Failed)?)
        })
    }
}

/// Games that networks learn from.
struct LearningGames {
    gate: Gate,
    /// Networks are kept from task to task, for each game.
    works: Works<GameName>,
}

impl LearningGames {
    fn play<G: Catalogued>(&self, mut task: GamesTask, files: &Files) -> Result<String, TaskError> {
        match &mut task.source {
            Source::Teacher(line) => *line = self.gate.admit::<G>(line, files)?,
            Source::Net(file) => place(file, files)?,
        }
        self.works.play(game(&task.game)?, player_of_games::<G>, &task)
    }
}

fn player_of_games<G: Catalogued>() -> Arc<PlayText> {
    let work: GamesWork<'static, G> = GamesWork::new(&unbounded::<G>);
    Arc::new(move |task| run_text(&work, task))
}

impl TaskKind for LearningGames {
    fn name(&self) -> &'static str {
        GamesWork::<Othello>::KIND
    }

    fn files(&self, task: &str) -> Result<Vec<String>, String> {
        let task: GamesTask = read(task)?;
        match &task.source {
            Source::Net(file) => Ok(vec![file.clone()]),
            Source::Teacher(line) => for_game!(task.game.parse()?, G => files_of::<G>(line)),
        }
    }

    fn games(&self, task: &str) -> u64 {
        read::<GamesTask>(task).map_or(1, |task| task.count)
    }

    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError> {
        let task: GamesTask = read(task).map_err(TaskError::Failed)?;
        for_game!(game(&task.game)?, G => self.play::<G>(task, files))
    }
}

/// What the champion learns from.
struct ByWeights<W>(W);

impl<W: Work<Task: UsesWeights> + Send + 'static> TaskKind for ByWeights<W> {
    fn name(&self) -> &'static str {
        W::KIND
    }

    fn files(&self, task: &str) -> Result<Vec<String>, String> {
        Ok(read::<W::Task>(task)?.files().into_iter().map(|file| file.clone()).collect())
    }

    fn games(&self, task: &str) -> u64 {
        read::<W::Task>(task).map_or(0, |task| task.games())
    }

    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError> {
        let mut task: W::Task = read(task).map_err(TaskError::Failed)?;
        for file in task.files() {
            place(file, files)?;
        }
        text(&self.0.run(&task).map_err(TaskError::Failed)?)
    }
}
