//! Positions to learn from.

use std::sync::Arc;

use tablero_core::{ForMover, Rng};
use tablero_nets::train::Sample;
use tablero_nets::{Dims, NetKind, Resnet};

use crate::data::distinct_moves;
use crate::known::Known;
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
    /// The position with which that game ended, if squares have owners then.
    pub last: Option<Arc<G>>,
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
    games: u32,
}

impl<G> Default for Lessons<G> {
    fn default() -> Self {
        Self { lessons: Vec::new(), games: 0 }
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
        self.lessons.push(lesson);
    }

    /// The next position is from another game.
    pub fn next_game(&mut self) -> u32 {
        self.games += 1;
        self.games - 1
    }

    /// The next positions are from so many other games.
    pub(crate) fn skip_games(&mut self, count: u32) -> Result<(), String> {
        self.games = self.games.checked_add(count).ok_or("there are too many games")?;
        Ok(())
    }

    /// Adds the positions of a game; gives their number.
    pub fn add(&mut self, data: &GameData, targets: &Targets) -> Result<usize, String> {
        let lessons = Lesson::of_game(data, targets, self.games)?;
        self.next_game();
        let count = lessons.len();
        self.lessons.extend(lessons);
        Ok(count)
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
}

/// Chooses so large a share of things at random, but never all.
fn choose(count: usize, share: f64, seed: u64) -> Vec<bool> {
    let wanted = ((share * count as f64).round() as usize).min(count.saturating_sub(1));
    let mut chosen: Vec<bool> = (0..count).map(|index| index < wanted).collect();
    Rng::seeded(seed).shuffle(&mut chosen);
    chosen
}

impl<G: Learnable> Lesson<G> {
    /// What a game, the one of this number, teaches.
    pub(crate) fn of_game(
        data: &GameData,
        targets: &Targets,
        number: u32,
    ) -> Result<Vec<Self>, String> {
        let known = Known::of_game(data, targets.trust > 0.0)?;
        Ok(known.into_iter().filter_map(|known| known.lesson(targets, number)).collect())
    }

    /// As a network of this kind sees it, through a symmetry.
    pub fn sample(&self, kind: &NetKind, symmetry: usize) -> Sample {
        let position = self.position.transform(symmetry);
        let mut input = vec![0.0; kind.inputs(&Dims::of::<G>())];
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
        Sample { input, value: self.value.0, moves, ownership: self.owners(kind, symmetry) }
    }

    /// Whose every square becomes, as the mover sees it, if such a network says so and that is known.
    fn owners(&self, kind: &NetKind, symmetry: usize) -> Vec<f32> {
        match (kind, &self.last) {
            (NetKind::Resnet(Resnet { ownership: true, .. }), Some(last)) => {
                let mut owners = vec![0.0; G::SQUARES];
                last.transform(symmetry).write_owners(self.position.side(), &mut owners);
                owners
            }
            _ => Vec::new(),
        }
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
