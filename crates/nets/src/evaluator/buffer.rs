/// Numbers that begin at a cache line: 16 of them are one line, or one vector.
#[derive(Clone)]
pub(super) struct Buffer {
    lines: Vec<CacheLine>,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct CacheLine([f32; 16]);

impl Buffer {
    /// At least `len` zeros.
    pub(super) fn zeros(len: usize) -> Self {
        Self { lines: vec![CacheLine([0.0; 16]); len.div_ceil(16)] }
    }

    pub(super) fn as_slice(&self) -> &[f32] {
        // SAFETY: a cache line is 16 numbers and nothing else, so n lines are 16 n numbers.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), 16 * self.lines.len()) }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [f32] {
        let len = 16 * self.lines.len();
        // SAFETY: as above; the borrow of `self` is the only one.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), len) }
    }
}
