//! Memory for large tables.

use std::ops::{Deref, DerefMut};

/// Bytes of a large page. Where the processor has others, only a little room is wasted.
const PAGE: usize = 2 << 20;

/// A table of many megabytes, in large pages where the system has them.
///
/// One that is read all over needs more addresses of small pages than the processor remembers, so that most
/// reads also have to look up where their page is.
///
/// ```
/// let mut table = tablero_core::LargeTable::new(1 << 20, || 7u64);
/// table[5] = 8;
/// assert_eq!((table.len(), table[4], table[5]), (1 << 20, 7, 8));
/// ```
#[derive(Debug)]
pub struct LargeTable<T> {
    /// The items, behind some that are there only so that they begin with a page.
    items: Vec<T>,
    first: usize,
}

impl<T> LargeTable<T> {
    /// A table of `count` items.
    pub fn new(count: usize, make: impl FnMut() -> T) -> Self {
        let size = size_of::<T>().max(1);
        let is_large = count * size >= PAGE;
        let spare = if is_large { PAGE / size } else { 0 };
        let mut items: Vec<T> = Vec::with_capacity(count + spare);
        let start = items.as_ptr().addr();
        let first = if is_large { (start.next_multiple_of(PAGE) - start) / size } else { 0 };
        advise(start, (first + count) * size);
        items.resize_with(first + count, make);
        Self { items, first }
    }
}

impl<T> Deref for LargeTable<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[self.first..]
    }
}

impl<T> DerefMut for LargeTable<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[self.first..]
    }
}

/// Asks for large pages in that stretch of memory; if there are none, everything works without.
#[cfg(target_os = "linux")]
fn advise(start: usize, bytes: usize) {
    let first = start.next_multiple_of(PAGE);
    let end = (start + bytes) / PAGE * PAGE;
    if first < end {
        // SAFETY: this advice changes neither what is in memory nor who may use it.
        unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: usize, _bytes: usize) {}

/// Keeps freed memory of this process for what comes next, instead of giving it back to the system, which would
/// have to clear it page by page again: games come in thousands, and every player of each has a small table.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_freed_memory() {
    /// What is larger is given back: the most that can be asked for.
    const LARGEST: libc::c_int = 32 << 20;
    /// As much is kept at the end of each thread's memory.
    const MOST: libc::c_int = 2 * LARGEST;
    // SAFETY: these settings matter only for speed and may be changed at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST);
        libc::mallopt(libc::M_TRIM_THRESHOLD, MOST);
    }
}

/// Other systems do as they like.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_freed_memory() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_any_size_hold_what_they_are_given() {
        for count in [0, 1, 1 << 17, (1 << 18) + 3, 1 << 20] {
            let mut table = LargeTable::new(count, || 9u64);
            assert_eq!(table.len(), count);
            table.iter_mut().zip(0..).for_each(|(item, number)| *item = number);
            assert!(table.iter().copied().eq(0..count as u64));
        }
        assert_eq!(LargeTable::new(7, || ()).len(), 7);
    }

    #[test]
    fn large_ones_begin_with_a_page() {
        let table = LargeTable::new(1 << 18, || 0u64);
        assert_eq!(table.as_ptr().addr() % PAGE, 0);
    }
}
