//! Memory for large tables.

/// Bytes of a large page. A size that the processor does not have is only a waste of a little room.
#[cfg(target_os = "linux")]
const PAGE: usize = 2 << 20;

/// An empty vector with room for `count` items, in large pages where the system has them.
///
/// A table of many megabytes that is read all over needs more addresses of small pages than the processor
/// remembers, so that most reads also have to look their page up.
///
/// ```
/// let mut table = tablero_core::large_vec::<u64>(1 << 20);
/// table.resize(1 << 20, 0);
/// assert!(table.capacity() >= 1 << 20);
/// ```
pub fn large_vec<T>(count: usize) -> Vec<T> {
    let items: Vec<T> = Vec::with_capacity(count);
    #[cfg(target_os = "linux")]
    advise(items.as_ptr().addr(), items.capacity() * size_of::<T>());
    items
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_any_size_hold_what_they_are_given() {
        for count in [0, 1, 1 << 17, (1 << 18) + 3, 1 << 20] {
            let mut items = large_vec::<u64>(count);
            items.extend(0..count as u64);
            assert!(items.iter().copied().eq(0..count as u64));
        }
        assert!(large_vec::<()>(7).is_empty());
    }
}
