//! Processor time of the current thread.

/// Whether this system measures it.
pub(super) const AVAILABLE: bool = cfg!(unix);

/// The processor time that this thread has used, in microseconds; 0 where it is not measured.
#[cfg(unix)]
pub(super) fn thread_micros() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000 + time.tv_nsec as u64 / 1000
}

/// The processor time that this thread has used, in microseconds; 0 where it is not measured.
#[cfg(not(unix))]
pub(super) const fn thread_micros() -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sleeping takes no processor time, computing does.
    #[test]
    fn only_computing_counts() {
        let start = thread_micros();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let slept = thread_micros() - start;
        let mut sum = 0u64;
        while AVAILABLE && thread_micros() - start <= slept + 1000 {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(slept < 20_000, "{slept}");
    }
}
