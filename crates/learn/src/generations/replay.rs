//! The replay window: the samples of the latest generations, in memory.

use std::collections::VecDeque;
use std::ops::Range;

use crate::LearnError;

/// The samples of one generation's games.
#[derive(Clone, PartialEq, Debug)]
pub struct GenerationSamples<T> {
    /// To learn from.
    pub training: Vec<T>,
    /// Of games that are kept out of training, to evaluate with.
    pub held_out: Vec<T>,
}

/// The samples that a generation learns from, those of older games first.
///
/// Games are read from files only for generations that are not in it: after a restart, or where the window
/// grows.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayWindow<T> {
    training: Vec<T>,
    held_out: Vec<T>,
    /// Generations without a gap, the oldest first.
    extents: VecDeque<Extent>,
}

/// How many samples a generation has.
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

impl<T> Default for ReplayWindow<T> {
    fn default() -> Self {
        Self { training: Vec::new(), held_out: Vec::new(), extents: VecDeque::new() }
    }
}

impl<T> ReplayWindow<T> {
    /// Samples to learn from.
    pub fn training(&self) -> &[T] {
        &self.training
    }

    /// Samples to evaluate with.
    pub fn held_out(&self) -> &[T] {
        &self.held_out
    }

    /// Of these, the newest generation's.
    pub fn newest_held_out(&self) -> &[T] {
        let newest = self.extents.back().map_or(0, |extent| extent.held_out);
        &self.held_out[self.held_out.len() - newest..]
    }

    /// Moves on to just these generations, of which the last one is new. `load` reads older ones that are not
    /// here.
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

    /// Two samples to learn from, and one that is held out.
    fn samples(generation: usize) -> GenerationSamples<usize> {
        let mut samples = GenerationSamples::default();
        samples.add([10 * generation, 10 * generation + 1], false);
        samples.add([10 * generation + 2], true);
        samples
    }

    /// Slides; gives the generations that were read from files.
    fn slide(window: &mut ReplayWindow<usize>, generations: Range<usize>) -> Vec<usize> {
        let (mut loaded, last) = (Vec::new(), generations.end - 1);
        let load = |generation| {
            loaded.push(generation);
            Ok(samples(generation))
        };
        window.slide(generations, samples(last), load).expect("nothing fails");
        loaded
    }

    #[test]
    fn only_what_is_missing_is_read() {
        let mut window = ReplayWindow::default();
        assert!(slide(&mut window, 1..2).is_empty());
        assert!(slide(&mut window, 1..3).is_empty());
        assert_eq!(window.training(), [10, 11, 20, 21]);
        assert!(slide(&mut window, 2..4).is_empty());
        assert_eq!(window.training(), [20, 21, 30, 31]);
        assert_eq!((window.held_out(), window.newest_held_out()), (&[22, 32][..], &[32][..]));
        assert!(slide(&mut window, 4..5).is_empty());
        assert_eq!(window.training(), [40, 41]);
        assert_eq!(slide(&mut window, 2..6), [2, 3], "the window grows");
        let mut restarted = ReplayWindow::default();
        assert_eq!(slide(&mut restarted, 2..6), [2, 3, 4], "all but the newest");
        assert_eq!(restarted, window);
    }

    #[test]
    fn an_unreadable_generation_is_an_error() {
        let mut window = ReplayWindow::default();
        let load = |_| Err(LearnError::Config("unreadable".into()));
        assert!(window.slide(1..3, samples(2), load).is_err());
    }
}
