//! Memory: huge pages for large tables, and malloc settings of long-lived processes.

use std::ops::{Deref, DerefMut};

/// The size of a huge page on x86-64. Elsewhere the alignment only wastes a little space.
const PAGE: usize = 2 << 20;

/// A table of many megabytes, in transparent huge pages where the system has them: random access to small
/// pages misses the TLB almost every time.
///
/// ```
/// let mut table = tablero_core::LargeTable::new(1 << 20, || 7u64);
/// table[5] = 8;
/// assert_eq!((table.len(), table[4], table[5]), (1 << 20, 7, 8));
/// ```
#[derive(Debug)]
pub struct LargeTable<T> {
    /// The items, after padding that aligns them to a page.
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

/// Requests huge pages for a range of memory; without them everything still works.
#[cfg(all(target_os = "linux", not(miri)))]
fn advise(start: usize, bytes: usize) {
    let first = start.next_multiple_of(PAGE);
    let end = (start + bytes) / PAGE * PAGE;
    if first < end {
        // SAFETY: this advice changes neither the content nor the validity of the memory.
        unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(any(not(target_os = "linux"), miri))]
fn advise(_start: usize, _bytes: usize) {}

/// Makes malloc keep freed memory instead of returning it to the system, which would have to zero every page
/// again: a match plays thousands of games, each with new small tables.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_freed_memory() {
    /// Larger blocks are mapped individually; glibc's maximum.
    const LARGEST: libc::c_int = 32 << 20;
    /// Free memory kept at the top of each arena.
    const MOST: libc::c_int = 2 * LARGEST;
    // SAFETY: these settings affect only performance and may change at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST);
        libc::mallopt(libc::M_TRIM_THRESHOLD, MOST);
    }
}

/// Makes malloc return tables of several megabytes to the system as soon as they are freed: for a
/// server, whose load varies.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn return_large_tables() {
    /// Larger blocks are mapped individually. Setting it also disables glibc's dynamic threshold, by which
    /// freed tables would stay in the arena of their thread, unavailable to others.
    const LARGEST: libc::c_int = 4 << 20;
    // SAFETY: this setting affects only performance and may change at any time.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST) };
}

/// Does nothing on other systems.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn return_large_tables() {}

/// Returns freed memory that malloc keeps to the system, after a burst of work.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn trim_freed_memory() {
    // SAFETY: only unused memory is returned.
    unsafe { libc::malloc_trim(0) };
}

/// Does nothing on other systems.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn trim_freed_memory() {}

/// The memory in bytes that this process can use: that of the machine or the limit of its cgroup; `None` if
/// unknown.
pub fn machine_memory() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok();
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let machine = machine.as_deref().and_then(total_memory);
    let container = container.and_then(|text| text.trim().parse().ok());
    machine.into_iter().chain(container).min()
}

/// The memory in bytes for the tables and trees of all players of a process: 4 GB, or half of a smaller
/// machine's memory.
pub fn player_budget() -> usize {
    const MOST: u64 = 4 << 30;
    machine_memory().map_or(MOST, |bytes| MOST.min(bytes / 2)) as usize
}

/// The line `MemTotal: 8000000 kB` of Linux's `/proc/meminfo`, in bytes.
fn total_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// Does nothing on other systems.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_freed_memory() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_any_size_hold_their_items() {
        for count in [0, 1, 1 << 17, (1 << 18) + 3, 1 << 20] {
            let mut table = LargeTable::new(count, || 9u64);
            assert_eq!(table.len(), count);
            table.iter_mut().zip(0..).for_each(|(item, number)| *item = number);
            assert!(table.iter().copied().eq(0..count as u64));
        }
        assert_eq!(LargeTable::new(7, || ()).len(), 7);
    }

    #[test]
    fn total_memory_is_parsed() {
        let meminfo = "MemTotal:       24593948 kB\nMemFree:        13052964 kB\n";
        assert_eq!(total_memory(meminfo), Some(24_593_948 << 10));
        for unknown in ["", "MemFree: 1 kB", "MemTotal: many kB", "MemTotal: 5"] {
            assert_eq!(total_memory(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn large_tables_are_page_aligned() {
        let table = LargeTable::new(1 << 18, || 0u64);
        assert_eq!(table.as_ptr().addr() % PAGE, 0);
    }
}
