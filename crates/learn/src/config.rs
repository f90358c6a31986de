//! What a learning run is to do.

use serde::{Deserialize, Serialize};
use tablero_core::AnyGame;
use tablero_nets::NetKind;

use crate::{GameSpec, Schedule, Style, TrainerName};

/// All that a run depends on, apart from its seed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnConfig {
    /// The command that the run was made with.
    pub command: String,
    /// Which game.
    pub game: String,
    /// By which rules; empty for the usual ones.
    #[serde(default)]
    pub rules: String,
    /// The kind of network.
    pub net: String,
    /// A file with weights to begin with; none for random ones.
    #[serde(default)]
    pub start: Option<String>,
    /// Who plays the first generations' games instead of the network.
    #[serde(default)]
    pub teacher: Option<Teaching>,
    /// How the network plays games to learn from.
    pub style: Style,
    /// Games of a generation.
    pub games: u64,
    /// The run is finished after so many generations; none goes on until it is stopped.
    pub generations: Option<usize>,
    /// A generation learns from its own games and those of so many before.
    pub window: usize,
    /// How training goes on.
    pub pace: Pace,
    /// Which share of a position's value is the search's, of games of the network.
    pub trust: f64,
    /// Which share of the weight goes to positions that surprised.
    pub surprise: f64,
    /// One of so many games is kept out of learning, to measure with.
    pub held_out: u32,
    /// How it is found out what a generation can do.
    pub measure: Measuring,
}

/// A player whose games are learned from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Teaching {
    /// The player's line.
    pub line: String,
    /// For so many generations.
    pub generations: usize,
    /// Games of each.
    pub games: u64,
    /// How they are played; of the search only its chance applies.
    pub style: Style,
    /// Which share of a position's value is the teacher's word; the rest is the result.
    pub trust: f64,
    /// Training positions for each new one.
    pub ratio: f64,
}

/// How training goes on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// Training positions for each new one (KataGo: 4).
    pub ratio: f64,
    /// Positions a step.
    pub batch: usize,
    /// Adam's learning rate (Hatchet1: 0.0001).
    pub rate: f64,
    /// How it changes within a generation.
    pub schedule: Schedule,
    /// By how much weights are pulled towards 0.
    pub decay: f32,
    /// Positions are seen through random symmetries of the board.
    pub symmetries: bool,
    /// Who computes it.
    #[serde(default)]
    pub trainer: TrainerName,
}

/// How it is found out what a generation can do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measuring {
    /// Every so many generations; 0 for never.
    pub every: usize,
    /// Simulations for a move.
    pub sims: u64,
    /// Games against the best generation before.
    pub games: usize,
    /// A generation that scores less against the best before is not used (AlphaGo Zero: 0.55); none uses
    /// every one (AlphaZero).
    pub gate: Option<f64>,
    /// Players that do not change; the first has the rating 0.
    pub anchors: Vec<String>,
    /// Games against each of them.
    pub anchor_games: usize,
}

impl LearnConfig {
    /// A run of hours.
    pub fn usual(game: AnyGame, command: &str) -> Self {
        let defaults = game.learning_defaults();
        Self {
            command: command.into(),
            game: game.name().into(),
            rules: String::new(),
            net: defaults.net.into(),
            start: None,
            teacher: None,
            style: Style::usual(game),
            games: defaults.games as u64,
            generations: None,
            window: 10,
            pace: Pace {
                ratio: 4.0,
                batch: 128,
                rate: 0.001,
                schedule: Schedule::Cosine,
                decay: 0.0001,
                symmetries: true,
                trainer: TrainerName::Own,
            },
            trust: 0.5,
            surprise: 0.5,
            held_out: 20,
            measure: Measuring {
                every: 1,
                sims: 32,
                games: 40,
                gate: None,
                anchors: defaults.anchors.iter().map(|&line| line.into()).collect(),
                anchor_games: 20,
            },
        }
    }

    /// A run of some seconds to a minute, which shows how learning goes on but makes no strong player.
    pub fn quick(game: AnyGame, command: &str) -> Self {
        let mut config = Self::usual(game, command);
        config.net = game.learning_defaults().quick_net.into();
        config.games = 24;
        config.generations = Some(3);
        config.style.sims = 8;
        config.style.fast_sims = 4;
        config.style.longest = 120;
        config.pace.batch = 32;
        config.measure.sims = 8;
        config.measure.games = 4;
        config.measure.anchor_games = 4;
        config.measure.anchors.truncate(2);
        config
    }

    /// A teacher for the first generation.
    pub fn with_teacher(mut self, game: AnyGame, line: &str) -> Self {
        let style = Style {
            full_share: 1.0,
            random_plies: game.learning_defaults().teacher_random_plies,
            random_share: 0.05,
            resign_at: 1.0,
            ..self.style.clone()
        };
        self.teacher = Some(Teaching {
            line: line.into(),
            generations: 1,
            games: 4 * self.games,
            style,
            trust: 0.75,
            ratio: 6.0,
        });
        self
    }

    /// The teacher, if one plays the games of a generation, the first being 1.
    pub fn teacher_of(&self, generation: usize) -> Option<&Teaching> {
        self.teacher.as_ref().filter(|teacher| generation <= teacher.generations)
    }

    /// What is wrong with it as one of a game, if anything.
    pub fn check(&self, game: &GameSpec) -> Result<(), String> {
        let wrong = |condition: bool, problem: &str| {
            if condition { Err(problem.to_owned()) } else { Ok(()) }
        };
        if self.game != game.name() {
            return Err(format!("it is about {}, not {}", self.game, game.name()));
        }
        if !self.rules.is_empty() && !game.has_rules(&self.rules) {
            return Err(format!("{} has no rules `{}`", self.game, self.rules));
        }
        let kind: NetKind = self.net.parse().map_err(|e: tablero_nets::NetError| e.to_string())?;
        kind.check(&game.dims).map_err(|error| error.to_string())?;
        self.style.check()?;
        let is_share = |share: f64| (0.0..=1.0).contains(&share);
        let is_ratio = |ratio: f64| ratio > 0.0 && ratio <= 1e6;
        if let Some(teacher) = &self.teacher {
            teacher.style.check()?;
            wrong(teacher.games == 0, "the teacher plays no games")?;
            wrong(!is_share(teacher.trust), "trust in the teacher is from 0 to 1")?;
            wrong(!is_ratio(teacher.ratio), "training positions for a new one: more than 0")?;
        }
        wrong(self.games == 0, "a generation has at least 1 game")?;
        wrong(self.held_out < 2, "at least every second game must be learned from")?;
        wrong(!is_share(self.trust), "trust in the search is from 0 to 1")?;
        wrong(!is_share(self.surprise), "the share for surprises is from 0 to 1")?;
        self.pace.trainer.check()?;
        let Pace { ratio, batch, rate, decay, .. } = self.pace;
        wrong(!is_ratio(ratio), "training positions for a new one: more than 0")?;
        wrong(!(2..=1 << 16).contains(&batch), "a step has 2 to 65536 positions")?;
        wrong(!(rate > 0.0 && rate <= 1.0), "the learning rate is above 0 and at most 1")?;
        wrong(!(0.0..1.0).contains(&decay), "the decay is from 0 to 1")?;
        let measure = &self.measure;
        wrong(measure.sims == 0, "measuring needs at least 1 simulation a move")?;
        wrong(measure.gate.is_some_and(|gate| !is_share(gate)), "the gate is from 0 to 1")?;
        let needs_games = measure.gate.is_some() && (measure.games == 0 || measure.every != 1);
        wrong(needs_games, "a gate needs games against the best before, after every generation")
    }
}
