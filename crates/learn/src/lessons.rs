//! Positions to learn from.

use tablero_core::{ForFirst, ForMover, Game, Outcome, Rng, Wdl};
use tablero_nets::{Dims, NetKind};
use tablero_train::Sample;

use crate::data::{PARTS, distinct_moves};
use crate::{GameData, GamesTask, LearnError, Learnable};

/// A position with what is known about it.
#[derive(Clone, PartialEq, Debug)]
pub struct Lesson<G> {
    /// The position.
    pub position: G,
    /// How often it had been on the board before.
    pub seen: u32,
    /// What it is worth.
    pub value: ForMover<f32>,
    /// Moves worth playing: the number among the distinct moves, and the share.
    pub policy: Box<[(u16, f32)]>,
    /// How often it is learned from, on average 1.
    pub weight: f32,
    /// The number of the game that it is from.
    pub game: u32,
}

/// What is made of what a game says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Targets {
    /// Which share of a position's value is the search's; the rest is the game's result.
    pub trust: f64,
    /// Which share of the weight goes to positions in which the search surprised the network (KataGo:
    /// policy surprise weighting, a half).
    pub surprise: f64,
}

/// Positions of many games.
#[derive(Clone, PartialEq, Debug)]
pub struct Lessons<G> {
    lessons: Vec<Lesson<G>>,
    /// The sum of weights up to each lesson.
    sums: Vec<f64>,
    games: u32,
}

impl<G> Default for Lessons<G> {
    fn default() -> Self {
        Self { lessons: Vec::new(), sums: Vec::new(), games: 0 }
    }
}

impl<G: Learnable> Lessons<G> {
    /// How many positions.
    pub fn len(&self) -> usize {
        self.lessons.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lessons.is_empty()
    }

    /// How many games.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// All positions.
    pub fn all(&self) -> &[Lesson<G>] {
        &self.lessons
    }

    /// Adds a position.
    pub fn push(&mut self, lesson: Lesson<G>) {
        let before = self.sums.last().copied().unwrap_or(0.0);
        self.sums.push(before + f64::from(lesson.weight.max(0.0)));
        self.lessons.push(lesson);
    }

    /// The next position is from another game.
    pub fn next_game(&mut self) -> u32 {
        self.games += 1;
        self.games - 1
    }

    /// Adds the positions of a game; gives their number.
    pub fn add(&mut self, data: &GameData, targets: &Targets) -> Result<usize, String> {
        let game = data.replay::<G>()?;
        let number = self.next_game();
        let outcome = Outcome::by_margin(ForFirst(data.margin));
        let positions: Vec<&G> = game.positions().collect();
        let total: f64 = data.notes.iter().map(|note| f64::from(note.surprise)).sum();
        let mean = total / data.notes.len().max(1) as f64;
        for note in &data.notes {
            let ply = usize::from(note.ply);
            let position = *positions.get(ply).ok_or("a note is about no position of the game")?;
            let key = position.key();
            let seen = positions[..ply].iter().filter(|earlier| earlier.key() == key).count();
            let result = match outcome.wdl(position.side()) {
                Wdl::Win => 1.0,
                Wdl::Draw => 0.0,
                Wdl::Loss => -1.0,
            };
            let searched = f64::from(note.value) / PARTS;
            let surprise = if mean > 0.0 { f64::from(note.surprise) / mean } else { 1.0 };
            self.push(Lesson {
                position: position.clone(),
                seen: seen as u32,
                value: ForMover((targets.trust * searched + (1.0 - targets.trust) * result) as f32),
                policy: shares(&note.policy),
                weight: ((1.0 - targets.surprise) + targets.surprise * surprise) as f32,
                game: number,
            });
        }
        let others = match targets.trust > 0.0 {
            true => self.add_others(data, &positions, number)?,
            false => 0,
        };
        Ok(data.notes.len() + others)
    }

    /// Adds the positions behind moves that were not played, and behind replies: of these only the search's
    /// word is known.
    fn add_others(
        &mut self,
        data: &GameData,
        positions: &[&G],
        game: u32,
    ) -> Result<usize, String> {
        let before = self.len();
        let position = |ply: u16| {
            let position = positions.get(usize::from(ply)).copied();
            position.ok_or("a value is of no position")
        };
        for &(ply, number, value) in &data.others {
            self.push_other(after(position(ply)?, number)?, value, game);
        }
        for &(ply, number, reply, value) in &data.replies {
            self.push_other(after(&after(position(ply)?, number)?, reply)?, value, game);
        }
        Ok(self.len() - before)
    }

    /// Adds a position of which the search said what it is worth to whoever moved there.
    fn push_other(&mut self, position: G, value: i16, game: u32) {
        if position.outcome().is_none() {
            let value = ForMover((-f64::from(value) / PARTS) as f32);
            let policy = Box::default();
            self.push(Lesson { position, seen: 0, value, policy, weight: 1.0, game });
        }
    }

    /// Splits so large a share of the games off, to measure with.
    pub fn split_games(self, share: f64, seed: u64) -> (Self, Self) {
        let chosen = choose(self.games as usize, share, seed);
        self.split(|_, lesson| chosen[lesson.game as usize])
    }

    /// Like [`split_games`](Self::split_games), but by positions: those of one game come to both sides.
    pub fn split_rows(self, share: f64, seed: u64) -> (Self, Self) {
        let chosen = choose(self.len(), share, seed);
        self.split(|index, _| chosen[index])
    }

    fn split(self, is_kept: impl Fn(usize, &Lesson<G>) -> bool) -> (Self, Self) {
        let (mut learning, mut kept) = (Self::default(), Self::default());
        for (index, lesson) in self.lessons.into_iter().enumerate() {
            let side = if is_kept(index, &lesson) { &mut kept } else { &mut learning };
            side.push(lesson);
        }
        (learning.games, kept.games) = (self.games, self.games);
        (learning, kept)
    }

    /// Draws so many positions, by weight, each seen through a random one of so many symmetries.
    pub fn draw(
        &self,
        count: usize,
        symmetries: usize,
        kind: &NetKind,
        rng: &mut Rng,
    ) -> Vec<Sample> {
        let Some(total) = self.sums.last().copied() else { return Vec::new() };
        let draw = |_| {
            let at = rng.unit() * total;
            let index = self.sums.partition_point(|sum| *sum <= at).min(self.lessons.len() - 1);
            let symmetry = rng.below(symmetries.max(1) as u64) as usize;
            self.lessons[index].sample(kind, symmetry)
        };
        (0..count).map(draw).collect()
    }
}

/// The position behind the move of this number.
fn after<G: Game>(position: &G, number: u16) -> Result<G, String> {
    let m = distinct_moves(position).get(usize::from(number)).copied();
    Ok(position.after(m.ok_or("a value is of no move")?))
}

/// Chooses so large a share of things at random, but never all.
fn choose(count: usize, share: f64, seed: u64) -> Vec<bool> {
    let wanted = ((share * count as f64).round() as usize).min(count.saturating_sub(1));
    let mut chosen: Vec<bool> = (0..count).map(|index| index < wanted).collect();
    Rng::seeded(seed).shuffle(&mut chosen);
    chosen
}

fn shares(policy: &[(u16, u16)]) -> Box<[(u16, f32)]> {
    let sum: f32 = policy.iter().map(|(_, share)| f32::from(*share)).sum();
    policy.iter().map(|&(number, share)| (number, f32::from(share) / sum.max(1.0))).collect()
}

impl<G: Learnable> Lesson<G> {
    /// As a network of this kind sees it, through a symmetry.
    pub fn sample(&self, kind: &NetKind, symmetry: usize) -> Sample {
        let dims = Dims::of::<G>();
        let position = self.position.transform(symmetry);
        let inputs = if kind.reads_table(&dims) { dims.table } else { dims.inputs() };
        let mut input = vec![0.0; inputs];
        kind.write(&position, self.seen, &mut input);
        let mut moves = Vec::new();
        if matches!(kind, NetKind::Resnet(_)) && !self.policy.is_empty() {
            for m in distinct_moves(&self.position) {
                let m = self.position.transform_move(m, symmetry);
                moves.push((kind.outputs_of(&position, m), 0.0));
            }
            for &(number, share) in &self.policy {
                if let Some(target) = moves.get_mut(usize::from(number)) {
                    target.1 = share;
                }
            }
        }
        Sample { input, value: self.value.0, moves, ownership: Vec::new() }
    }
}

impl<G: Learnable> Lessons<G> {
    /// Adds all games of a log; gives [how they were played](crate::read_games).
    pub fn add_log(
        &mut self,
        path: &std::path::Path,
        targets: &Targets,
    ) -> Result<Vec<GamesTask>, LearnError> {
        let mut number = 0;
        crate::read_games(path, |game| {
            number += 1;
            let added = self.add(&game, targets);
            added.map(drop).map_err(|problem| LearnError::File {
                path: path.to_owned(),
                problem: format!("game {number}: {problem}"),
            })
        })
    }
}
