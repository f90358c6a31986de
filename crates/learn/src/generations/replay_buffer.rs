//! The replay buffer: the samples of the latest generations, in memory.

use std::collections::VecDeque;
use std::ops::Range;

use crate::LearnError;

/// The samples of one generation's games.
#[derive(Clone, PartialEq, Debug)]
pub struct GenerationSamples<T> {
    /// Training samples.
    pub training: Vec<T>,
    /// Samples of held-out games, for validation.
    pub held_out: Vec<T>,
}

/// A sliding window over the samples of the latest generations, oldest first.
///
/// Games are read from files only for generations that are missing: after a restart, or when the window grows.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayBuffer<T> {
    training: Vec<T>,
    held_out: Vec<T>,
    /// Consecutive generations, oldest first.
    extents: VecDeque<Extent>,
}

/// The number of samples of a generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Extent {
    generation: usize,
    training: usize,
    held_out: usize,
}

impl<T> Default for GenerationSamples<T> {
    fn default() -> Self {
        Self { training: Vec::new(), held_out: Vec::new() }
    }
}

impl<T> GenerationSamples<T> {
    /// Adds the samples of a game.
    pub fn add(&mut self, samples: impl IntoIterator<Item = T>, is_held_out: bool) {
        if is_held_out { &mut self.held_out } else { &mut self.training }.extend(samples);
    }

    fn extent(&self, generation: usize) -> Extent {
        Extent { generation, training: self.training.len(), held_out: self.held_out.len() }
    }
}

impl<T> Default for ReplayBuffer<T> {
    fn default() -> Self {
        Self { training: Vec::new(), held_out: Vec::new(), extents: VecDeque::new() }
    }
}

impl<T> ReplayBuffer<T> {
    /// Training samples.
    pub fn training(&self) -> &[T] {
        &self.training
    }

    /// Held-out samples.
    pub fn held_out(&self) -> &[T] {
        &self.held_out
    }

    /// Held-out samples of the newest generation.
    pub fn newest_held_out(&self) -> &[T] {
        let newest = self.extents.back().map_or(0, |extent| extent.held_out);
        &self.held_out[self.held_out.len() - newest..]
    }

    /// Slides the window to these generations, the last of which is `newest`; `load` reads missing older ones.
    pub fn slide(
        &mut self,
        generations: Range<usize>,
        newest: GenerationSamples<T>,
        mut load: impl FnMut(usize) -> Result<GenerationSamples<T>, LearnError>,
    ) -> Result<(), LearnError> {
        let Range { start: first, end } = generations;
        let last = end.saturating_sub(1);
        self.drop_before(first);
        if self.extents.back().is_some_and(|newest| newest.generation + 1 != last) {
            *self = Self::default();
        }
        let oldest = self.extents.front().map_or(last, |extent| extent.generation);
        let mut loaded = Self::default();
        for generation in first..oldest {
            loaded.push(generation, load(generation)?);
        }
        self.prepend(loaded);
        self.push(last, newest);
        Ok(())
    }

    fn drop_before(&mut self, first: usize) {
        let count = self.extents.partition_point(|extent| extent.generation < first);
        for extent in self.extents.drain(..count) {
            self.training.drain(..extent.training);
            self.held_out.drain(..extent.held_out);
        }
    }

    fn prepend(&mut self, mut older: Self) {
        older.training.append(&mut self.training);
        older.held_out.append(&mut self.held_out);
        older.extents.append(&mut self.extents);
        *self = older;
    }

    fn push(&mut self, generation: usize, mut samples: GenerationSamples<T>) {
        self.extents.push_back(samples.extent(generation));
        self.training.append(&mut samples.training);
        self.held_out.append(&mut samples.held_out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConfigError;

    /// Two training samples and a held-out one.
    fn samples(generation: usize) -> GenerationSamples<usize> {
        let mut samples = GenerationSamples::default();
        samples.add([10 * generation, 10 * generation + 1], false);
        samples.add([10 * generation + 2], true);
        samples
    }

    /// Slides the window; returns the generations that were loaded.
    fn slide(buffer: &mut ReplayBuffer<usize>, generations: Range<usize>) -> Vec<usize> {
        let (mut loaded, last) = (Vec::new(), generations.end - 1);
        let load = |generation| {
            loaded.push(generation);
            Ok(samples(generation))
        };
        buffer.slide(generations, samples(last), load).expect("loading succeeds");
        loaded
    }

    #[test]
    fn only_missing_generations_are_loaded() {
        let mut buffer = ReplayBuffer::default();
        assert!(slide(&mut buffer, 1..2).is_empty());
        assert!(slide(&mut buffer, 1..3).is_empty());
        assert_eq!(buffer.training(), [10, 11, 20, 21]);
        assert!(slide(&mut buffer, 2..4).is_empty());
        assert_eq!(buffer.training(), [20, 21, 30, 31]);
        assert_eq!((buffer.held_out(), buffer.newest_held_out()), (&[22, 32][..], &[32][..]));
        assert!(slide(&mut buffer, 4..5).is_empty());
        assert_eq!(buffer.training(), [40, 41]);
        assert_eq!(slide(&mut buffer, 2..6), [2, 3], "the window grows");
        let mut restarted = ReplayBuffer::default();
        assert_eq!(slide(&mut restarted, 2..6), [2, 3, 4], "all but the newest");
        assert_eq!(restarted, buffer);
    }

    #[test]
    fn an_unreadable_generation_is_an_error() {
        let mut buffer = ReplayBuffer::default();
        let load = |_| Err(LearnError::Config(ConfigError::GatingWithoutMatches));
        assert!(buffer.slide(1..3, samples(2), load).is_err());
    }
}
