use tablero_core::{NO_FEATURE, SparseInputs};

/// Training positions as lists of features: some 90 bytes each in chess.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NnueSamples {
    /// The features of all samples: first those of the side to move, then as many of the other side.
    features: Vec<u16>,
    /// Where the features of each sample end.
    ends: Vec<usize>,
    buckets: Vec<u8>,
    targets: Vec<f32>,
}

/// One training position.
pub(super) struct Sample<'a> {
    pub(super) own: &'a [u16],
    pub(super) other: &'a [u16],
    pub(super) bucket: usize,
    pub(super) target: f32,
}

impl NnueSamples {
    /// The number of samples.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Adds a position with its target: the probability of winning, from 0 to 1, of the side to move.
    pub fn push<G: SparseInputs>(&mut self, position: &G, target: f32) {
        let mut slots = vec![NO_FEATURE; G::INPUT_SLOTS];
        for side in [position.side(), !position.side()] {
            position.write_inputs(side, &mut slots);
            self.features.extend(slots.iter().filter(|&&feature| feature != NO_FEATURE));
        }
        self.ends.push(self.features.len());
        self.buckets.push(position.output_bucket() as u8);
        self.targets.push(target);
    }

    /// Adds the samples of another list.
    pub fn append(&mut self, other: &Self) {
        let before = self.features.len();
        self.features.extend(&other.features);
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.buckets.extend(&other.buckets);
        self.targets.extend(&other.targets);
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Sample<'_> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        let features = &self.features[start..self.ends[index]];
        let (own, other) = features.split_at(features.len() / 2);
        Sample { own, other, bucket: usize::from(self.buckets[index]), target: self.targets[index] }
    }
}
