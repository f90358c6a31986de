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

/// Gives tables of many megabytes back to the system as soon as they are freed, for a process that lives
/// long and works by fits and starts; smaller ones are kept as [`keep_freed_memory`] says.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn return_large_tables() {
    /// What is larger is given back. Without this bound, which also keeps it from growing, a freed table
    /// stays in the heap of the thread that made it, where other threads do not find it.
    const LARGEST: libc::c_int = 4 << 20;
    // SAFETY: this setting matters only for speed and may be changed at any time.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST) };
}

/// Other systems do as they like.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn return_large_tables() {}

/// Gives freed memory that is kept for what comes next back to the system: after a burst of work.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn trim_freed_memory() {
    // SAFETY: only memory that nobody uses is given back.
    unsafe { libc::malloc_trim(0) };
}

/// Other systems do as they like.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn trim_freed_memory() {}

/// Bytes of memory that this process could use: the machine's, or what its container is given; none if
/// the system does not tell.
pub fn machine_memory() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok();
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let machine = machine.as_deref().and_then(total_memory);
    let container = container.and_then(|text| text.trim().parse().ok());
    machine.into_iter().chain(container).min()
}

/// The line `MemTotal: 8000000 kB` of Linux's `/proc/meminfo`, in bytes.
fn total_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
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
    fn the_memory_of_the_machine_is_found() {
        let meminfo = "MemTotal:       24593948 kB\nMemFree:        13052964 kB\n";
        assert_eq!(total_memory(meminfo), Some(24_593_948 << 10));
        for unknown in ["", "MemFree: 1 kB", "MemTotal: many kB", "MemTotal: 5"] {
            assert_eq!(total_memory(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn large_ones_begin_with_a_page() {
        let table = LargeTable::new(1 << 18, || 0u64);
        assert_eq!(table.as_ptr().addr() % PAGE, 0);
    }
}
