//! SIMD vectors of 16 floats: AVX-512, AVX2 with FMA, or portable, chosen at compile time. Tests compare
//! the native type with the portable one.

/// Floats in a vector.
pub(super) const LANES: usize = 16;

/// A vector of [`LANES`] floats.
pub(super) trait Vector: Copy {
    /// Broadcasts a value to all lanes.
    fn splat(value: f32) -> Self;
    /// Loads from memory of any alignment.
    ///
    /// # Safety
    /// `LANES` floats must be readable.
    unsafe fn load(from: *const f32) -> Self;
    /// Stores to memory of any alignment.
    ///
    /// # Safety
    /// `LANES` floats must be writable.
    unsafe fn store(self, to: *mut f32);
    /// `self * factor + sum`.
    fn mul_add(self, factor: Self, sum: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// The maximum of each lane and 0.
    fn relu(self) -> Self;
}

/// For any processor; the compiler vectorizes the loops over lanes.
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
        // SAFETY: the caller's contract; an array is aligned like its elements.
        Self(unsafe { from.cast::<[f32; LANES]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller's contract.
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
    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane] - other.0[lane]))
    }

    #[inline(always)]
    fn relu(self) -> Self {
        Self(self.0.map(|value| value.max(0.0)))
    }
}

#[cfg(target_feature = "avx512f")]
mod native {
    use std::arch::x86_64::*;

    use super::Vector;

    /// One AVX-512 register.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Native(__m512);

    // 12x2 accumulators, two weights and one input use 27 of the 32 registers; 64 squares are four tiles
    // of twelve and two of eight.
    pub(in super::super) const PIXELS: usize = 12;
    pub(in super::super) const TAIL_PIXELS: usize = 8;
    pub(in super::super) const FILTER_VECTORS: usize = 2;
    pub(in super::super) const GEMV_VECTORS: usize = 8;

    // SAFETY of all: compiled only for processors with AVX-512; pointers are the caller's contract.
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
        fn sub(self, other: Self) -> Self {
            Self(unsafe { _mm512_sub_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn relu(self) -> Self {
            Self(unsafe { _mm512_max_ps(self.0, _mm512_setzero_ps()) })
        }
    }
}

#[cfg(all(target_feature = "avx2", target_feature = "fma", not(target_feature = "avx512f")))]
mod native {
    use std::arch::x86_64::*;

    use super::Vector;

    /// Two AVX2 registers.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Native(__m256, __m256);

    // Twelve accumulators, two weights and one input use 15 of the 16 registers.
    pub(in super::super) const PIXELS: usize = 6;
    pub(in super::super) const TAIL_PIXELS: usize = 4;
    pub(in super::super) const FILTER_VECTORS: usize = 1;
    pub(in super::super) const GEMV_VECTORS: usize = 4;

    // SAFETY of all: compiled only for processors with AVX2 and FMA; pointers are the caller's contract.
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
        fn sub(self, other: Self) -> Self {
            unsafe { Self(_mm256_sub_ps(self.0, other.0), _mm256_sub_ps(self.1, other.1)) }
        }

        #[inline(always)]
        fn relu(self) -> Self {
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
    pub(in super::super) const TAIL_PIXELS: usize = 1;
    pub(in super::super) const FILTER_VECTORS: usize = 1;
    pub(in super::super) const GEMV_VECTORS: usize = 2;
}

/// The processor's vector type and the register blocking of the microkernels: a convolution tile has
/// `PIXELS` (at the end `TAIL_PIXELS`) by `FILTER_VECTORS` accumulators, a fully connected layer
/// `GEMV_VECTORS`.
pub(super) use native::{FILTER_VECTORS, GEMV_VECTORS, Native, PIXELS, TAIL_PIXELS};
