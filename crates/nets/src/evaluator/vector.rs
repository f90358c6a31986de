//! Sixteen numbers at once. Which of the three ways this processor gets is chosen at compile time;
//! tests compare it with the portable
//! one.

/// How many numbers a vector has.
pub(super) const LANES: usize = 16;

/// Sixteen numbers.
pub(super) trait Vector: Copy {
    /// All the same.
    fn splat(value: f32) -> Self;
    /// Sixteen numbers from memory.
    ///
    /// # Safety
    /// All sixteen must be readable.
    unsafe fn load(from: *const f32) -> Self;
    /// To memory.
    ///
    /// # Safety
    /// All sixteen must be writable.
    unsafe fn store(self, to: *mut f32);
    /// `self * factor + sum`.
    fn mul_add(self, factor: Self, sum: Self) -> Self;
    fn add(self, other: Self) -> Self;
    /// The larger of each number and 0.
    fn positive(self) -> Self;
}

/// Any processor.
#[cfg(any(test, not(all(target_feature = "avx2", target_feature = "fma"))))]
#[derive(Clone, Copy)]
pub(super) struct Portable([f32; LANES]);

#[cfg(any(test, not(all(target_feature = "avx2", target_feature = "fma"))))]
impl Vector for Portable {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller's promise; an array of numbers needs no more than they do.
        Self(unsafe { from.cast::<[f32; LANES]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[f32; LANES]>().write(self.0) }
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, sum: Self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane] * factor.0[lane] + sum.0[lane]))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane] + other.0[lane]))
    }

    #[inline(always)]
    fn positive(self) -> Self {
        Self(self.0.map(|value| value.max(0.0)))
    }
}

#[cfg(target_feature = "avx512f")]
mod native {
    use std::arch::x86_64::*;

    use super::Vector;

    /// One register of AVX-512.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Native(__m512);

    /// 24 sums, two weights and one input are 27 of the 32 registers; the board's 64 squares are four
    /// tiles of twelve and two of eight.
    pub(in super::super) const PIXELS: usize = 12;
    pub(in super::super) const REST: usize = 8;
    pub(in super::super) const GROUPS: usize = 2;
    pub(in super::super) const COLUMNS: usize = 8;

    // SAFETY of all: this module is compiled only for processors that have AVX-512, and pointers are
    // the caller's promise.
    #[allow(clippy::undocumented_unsafe_blocks)]
    impl Vector for Native {
        #[inline(always)]
        fn splat(value: f32) -> Self {
            Self(unsafe { _mm512_set1_ps(value) })
        }

        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self {
            Self(unsafe { _mm512_loadu_ps(from) })
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            unsafe { _mm512_storeu_ps(to, self.0) }
        }

        #[inline(always)]
        fn mul_add(self, factor: Self, sum: Self) -> Self {
            Self(unsafe { _mm512_fmadd_ps(self.0, factor.0, sum.0) })
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Self(unsafe { _mm512_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn positive(self) -> Self {
            Self(unsafe { _mm512_max_ps(self.0, _mm512_setzero_ps()) })
        }
    }
}

#[cfg(all(target_feature = "avx2", target_feature = "fma", not(target_feature = "avx512f")))]
mod native {
    use std::arch::x86_64::*;

    use super::Vector;

    /// Two registers of AVX2.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Native(__m256, __m256);

    /// Twelve sums, two weights and one input are 15 of the 16 registers.
    pub(in super::super) const PIXELS: usize = 6;
    pub(in super::super) const REST: usize = 4;
    pub(in super::super) const GROUPS: usize = 1;
    pub(in super::super) const COLUMNS: usize = 4;

    // SAFETY of all: this module is compiled only for processors that have AVX2 and FMA, and pointers
    // are the caller's promise.
    #[allow(clippy::undocumented_unsafe_blocks)]
    impl Vector for Native {
        #[inline(always)]
        fn splat(value: f32) -> Self {
            let half = unsafe { _mm256_set1_ps(value) };
            Self(half, half)
        }

        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self {
            unsafe { Self(_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            unsafe {
                _mm256_storeu_ps(to, self.0);
                _mm256_storeu_ps(to.add(8), self.1);
            }
        }

        #[inline(always)]
        fn mul_add(self, factor: Self, sum: Self) -> Self {
            unsafe {
                Self(
                    _mm256_fmadd_ps(self.0, factor.0, sum.0),
                    _mm256_fmadd_ps(self.1, factor.1, sum.1),
                )
            }
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            unsafe { Self(_mm256_add_ps(self.0, other.0), _mm256_add_ps(self.1, other.1)) }
        }

        #[inline(always)]
        fn positive(self) -> Self {
            unsafe {
                let zero = _mm256_setzero_ps();
                Self(_mm256_max_ps(self.0, zero), _mm256_max_ps(self.1, zero))
            }
        }
    }
}

#[cfg(not(all(target_feature = "avx2", target_feature = "fma")))]
mod native {
    pub(in super::super) type Native = super::Portable;

    pub(in super::super) const PIXELS: usize = 2;
    pub(in super::super) const REST: usize = 1;
    pub(in super::super) const GROUPS: usize = 1;
    pub(in super::super) const COLUMNS: usize = 2;
}

/// What this processor has, the shape of the tile that fills its registers in convolutions (pixels,
/// vectors of filters), pixels of the tile for what is left over, and vectors of outputs at once in fully
/// connected layers.
pub(super) use native::{COLUMNS, GROUPS, Native, PIXELS, REST};
