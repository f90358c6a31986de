//! What a run of networks does and has done, whatever the game.

use std::path::{Path, PathBuf};

use tablero_arena::stats::Rating;
use tablero_arena::{MatchConfig, Series};
use tablero_jobs::{Header, Progress};
use tablero_nets::{Dims, Weights};

use super::FILES;
use crate::generations::Session;
use crate::measure::{name, rate};
use crate::{
    Block, FitPlan, GamesTask, GenerationPast, LearnConfig, LearnError, Learned, Loss, Met, Source,
    Targets,
};

/// Games in a task.
pub(super) const BATCH: u64 = 4;
/// An anchor that was beaten so clearly tells nothing new.
const BEATEN: f64 = 0.97;
/// If more of the players without hope would have been wrong to resign, nobody resigns in the next
/// generation.
const MOST_WRONG: f64 = 0.05;

/// A run of networks.
pub(super) struct NetworkRun {
    pub(super) config: LearnConfig,
    pub(super) learned: Learned,
    folder: PathBuf,
}

/// What is known about a generation's games.
#[derive(Default)]
pub(super) struct Played {
    pub(super) games: u64,
    pub(super) positions: u64,
    plies: u64,
    results: [u64; 3],
    resign_checks: [u64; 2],
}

/// What training came to.
pub(super) struct Trained {
    pub(super) weights: Weights,
    pub(super) held_out: Loss,
    /// Positions in the replay window.
    pub(super) positions: u64,
    pub(super) steps: u64,
}

/// A match of an evaluation.
pub(super) struct Evaluation {
    /// The name of the log.
    pub(super) log: String,
    pub(super) opponent: String,
    pub(super) config: MatchConfig,
}

impl NetworkRun {
    pub(super) fn new(config: LearnConfig, folder: &Path) -> Self {
        Self { config, learned: Learned::default(), folder: folder.to_owned() }
    }

    /// Writes the network to begin with, unless it is there.
    pub(super) fn begin(&self, dims: &Dims, session: &Session<'_>) -> Result<(), LearnError> {
        let path = self.net_file(0);
        if path.exists() {
            return Ok(());
        }
        let weights = match &self.config.start {
            Some(file) => Weights::read(Path::new(file))?,
            None => Weights::random(self.config.net.parse()?, dims, session.seed(0, 0))?,
        };
        weights.check(dims)?;
        Ok(weights.write(&path)?)
    }

    /// The games of a generation: tasks, and their number.
    pub(super) fn self_play(&self, generation: usize, seed: u64) -> (Vec<GamesTask>, u64) {
        let (source, mut style, games, rating) = match self.config.teacher_of(generation) {
            Some(teacher) => {
                (Source::Teacher(teacher.line.clone()), teacher.style.clone(), teacher.games, None)
            }
            None => {
                let file = self.net_file(self.learned.best);
                let source = Source::Net(file.to_string_lossy().into_owned());
                let rating = self.rating(self.learned.best).map(|known| known.elo.round() as i32);
                (source, self.config.style.clone(), self.config.games, rating)
            }
        };
        if self.resigns_wrongly() {
            style.resign_at = 1.0;
        }
        let task = |first: u64| GamesTask {
            game: self.config.game.clone(),
            rules: self.config.rules.clone(),
            source: source.clone(),
            style: style.clone(),
            seed,
            first,
            count: BATCH.min(games - first),
            keep_times: false,
            rating,
        };
        ((0..games).step_by(BATCH as usize).map(task).collect(), games)
    }

    /// Whether too many of those who saw no hope in the last generation that was checked were wrong.
    fn resigns_wrongly(&self) -> bool {
        let checked = self.learned.generations.iter().rev().find(|past| past.resign_checks[0] > 0);
        checked.is_some_and(|past| {
            let [checks, wrong] = past.resign_checks.map(|count| count as f64);
            wrong / checks > MOST_WRONG
        })
    }

    /// What is made of the games of a generation.
    pub(super) fn targets(&self, generation: usize) -> Targets {
        let teacher = self.config.teacher_of(generation);
        let trust = teacher.map_or(self.config.trust, |teacher| teacher.trust);
        Targets { trust, surprise: self.config.surprise }
    }

    pub(super) fn fit_plan(&self, generation: usize, new_positions: u64, seed: u64) -> FitPlan {
        let pace = &self.config.pace;
        let ratio = self.config.teacher_of(generation).map_or(pace.ratio, |teacher| teacher.ratio);
        let steps = (ratio * new_positions as f64 / pace.batch as f64).ceil() as u64;
        FitPlan {
            rate: pace.rate,
            schedule: pace.schedule,
            steps: steps.max(1),
            batch: pace.batch,
            sgd: false,
            decay: pace.decay,
            in_turn: false,
            symmetries: pace.symmetries,
            seed,
            trainer: pace.trainer,
        }
    }

    /// The matches that tell how strong a generation is; `series` as the game usually has it, for a seed.
    pub(super) fn evaluations(
        &self,
        generation: usize,
        session: &Session<'_>,
        series: fn(u64) -> Series,
    ) -> Vec<Evaluation> {
        let measure = &self.config.measure;
        if measure.every == 0 || !generation.is_multiple_of(measure.every) {
            return Vec::new();
        }
        let best = self.learned.best;
        let mut opponents = vec![(name(best), self.player(best), measure.games)];
        for anchor in measure.anchors.iter().filter(|anchor| !self.is_beaten(anchor)) {
            opponents.push((anchor.clone(), anchor.clone(), measure.anchor_games));
        }
        let rules = Some(self.config.rules.clone()).filter(|rules| !rules.is_empty());
        let evaluation = |(number, (opponent, line, games))| {
            let usual = series(session.seed(generation, 2 + number as u64));
            let series = Series { games, rules: rules.clone(), ..usual };
            let players = [self.player(generation), line];
            let config = MatchConfig { players, series, sprt: None };
            Evaluation { log: format!("match-{generation}-{number}"), opponent, config }
        };
        let evaluations = opponents.into_iter().enumerate().map(evaluation);
        evaluations.filter(|evaluation| evaluation.config.series.games > 0).collect()
    }

    /// Whether the generation before beat it so clearly that there is nothing to find out.
    fn is_beaten(&self, anchor: &str) -> bool {
        let last = self.learned.meetings.iter().rev().find(|met| met.players[1] == anchor);
        last.is_some_and(|met| met.score() >= BEATEN)
    }

    fn rating(&self, generation: usize) -> Option<Rating> {
        let zero = self.config.measure.anchors.first().cloned().unwrap_or_else(|| name(0));
        let rated = rate(&self.learned.meetings, &zero);
        rated.into_iter().find(|(known, _)| *known == name(generation)).map(|(_, rating)| rating)
    }

    /// The line of a generation in the arena.
    fn player(&self, generation: usize) -> String {
        let file = self.net_file(generation);
        let sims = self.config.measure.sims;
        format!("puct \"net={}\" sims={sims} root=gumbel", file.display())
    }

    /// A generation joins the history.
    pub(super) fn conclude(
        &mut self,
        generation: usize,
        played: &Played,
        trained: &Trained,
        met: Vec<Met>,
        seconds: f64,
    ) -> GenerationPast {
        let score = met.iter().find(|met| met.players[1].starts_with("generation")).map(Met::score);
        self.learned.meetings.extend(met);
        let rating = self.rating(generation);
        let gate = self.config.measure.gate;
        let share = |count: u64| count as f64 / played.games.max(1) as f64;
        let past = GenerationPast {
            generation,
            player: match self.config.teacher_of(generation) {
                Some(teacher) => teacher.line.clone(),
                None => name(self.learned.best),
            },
            games: played.games,
            plies: share(played.plies),
            results: played.results.map(share),
            new_positions: played.positions,
            positions: trained.positions,
            steps: trained.steps,
            held_out: trained.held_out,
            resign_checks: played.resign_checks,
            score,
            elo: rating.map(|rating| rating.elo),
            elo_error: rating.map(|rating| rating.error),
            accepted: gate.is_none_or(|gate| score.is_some_and(|score| score >= gate)),
            seconds,
        };
        if past.accepted {
            self.learned.best = generation;
        }
        self.learned.generations.push(past.clone());
        past
    }

    /// A line for the network's provenance.
    pub(super) fn provenance(&self, past: &GenerationPast, header: &Header) -> String {
        let elo = past.elo.map_or_else(String::new, |elo| {
            let base =
                self.config.measure.anchors.first().map_or("the start", |line| line.as_str());
            format!(", {elo:+.0} Elo against {base} at {} simulations", self.config.measure.sims)
        });
        format!(
            "generation {} of `{}`, seed {}, version {}: {} games by {}, {} steps of {} positions{}{elo}",
            past.generation,
            self.config.command,
            header.seed,
            header.version,
            past.games,
            past.player,
            past.steps,
            self.config.pace.batch,
            self.config.pace.trainer.past(),
        )
    }

    pub(super) fn games_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("games-{generation}.jsonl"))
    }

    pub(super) fn net_file(&self, generation: usize) -> PathBuf {
        FILES.generation(&self.folder, generation)
    }

    /// Where the optimiser's memory after a generation is kept for the next one.
    pub(super) fn state_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("state-{generation}.bin"))
    }

    /// Where a training under way is kept.
    pub(super) fn training_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("training-{generation}.bin"))
    }
}

/// What is worth watching of a generation.
pub(super) fn figures(past: &GenerationPast) -> Progress {
    let progress = Progress::default()
        .figure("generation", past.generation as f64)
        .figure("value loss", past.held_out.value)
        .figure("value error", past.held_out.value_error)
        .figure("policy loss", past.held_out.moves)
        .figure("games/h", 3600.0 * past.games as f64 / past.seconds.max(1e-9));
    let known = [("elo", past.elo), ("elo_error", past.elo_error), ("score", past.score)];
    let known = known.into_iter().filter_map(|(what, value)| Some((what, value?)));
    known.fold(progress, |progress, (what, value)| progress.figure(what, value))
}

impl Played {
    pub(super) fn add(&mut self, block: &Block) {
        for game in block.games() {
            self.games += 1;
            self.plies += game.moves.len() as u64;
            self.positions += game.notes.len() as u64;
            self.results[usize::from(game.margin <= 0) + usize::from(game.margin < 0)] += 1;
            if let Some(was_lost) = game.hopeless_was_lost {
                self.resign_checks[0] += 1;
                self.resign_checks[1] += u64::from(!was_lost);
            }
        }
    }
}
