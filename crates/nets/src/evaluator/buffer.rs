/// Floats aligned to cache lines; a line is one vector.
#[derive(Clone)]
pub(super) struct Buffer {
    lines: Vec<CacheLine>,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct CacheLine([f32; 16]);

impl Buffer {
    /// Zeros, `len` rounded up to whole lines.
    pub(super) fn zeros(len: usize) -> Self {
        Self { lines: vec![CacheLine([0.0; 16]); len.div_ceil(16)] }
    }

    pub(super) fn as_slice(&self) -> &[f32] {
        // SAFETY: a `CacheLine` is 16 floats without padding.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), 16 * self.lines.len()) }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [f32] {
        let len = 16 * self.lines.len();
        // SAFETY: as above; `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), len) }
    }
}
