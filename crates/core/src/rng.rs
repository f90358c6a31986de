use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};

/// The one source of randomness: fast, and the same numbers for the same seed on every machine.
///
/// ```
/// use tablero_core::Rng;
/// let (mut a, mut b) = (Rng::seeded(7), Rng::seeded(7));
/// assert_eq!(a.below(1000), b.below(1000));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// The generator that `seed` names.
    #[inline]
    pub fn seeded(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A generator of its own for part `index` of the work that `seed` names, so that parts can run
    /// in any order, on any thread, with the same result.
    #[inline]
    pub fn for_part(seed: u64, index: u64) -> Self {
        // An odd multiplier is a bijection: different parts of one seed never share a generator.
        Self::seeded(seed.rotate_left(32) ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 up to, but not including, `bound`, which must not be 0.
    ///
    /// The bias of the multiplication is below `bound / 2^64`: nothing that play could show.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        debug_assert!(bound > 0);
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// A number from 0 up to, but not including, 1.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// One of `items`, each as likely as the other; none of none.
    #[inline]
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.below(items.len() as u64) as usize) }
    }

    /// Puts `items` in random order.
    #[inline]
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_reaches_every_number_evenly() {
        let mut rng = Rng::seeded(1);
        let mut seen = [0u32; 7];
        for _ in 0..70_000 {
            seen[rng.below(7) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (9_500..10_500).contains(&n)), "{seen:?}");
    }

    #[test]
    fn parts_differ() {
        let mut first: Vec<u64> = (0..1000).map(|part| Rng::for_part(3, part).bits()).collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 1000);
    }
}
