//! The longest time in which none of a client thread's requests was completed, and whose it was.
//!
//! A slow request among quick ones is in the latencies already; here it is a standstill of all. On
//! few cores the client may have caused it by not running: the kernel counts how long a thread that
//! could run had to wait for a core, and that part is kept next to the pause.
//!
//! Not here: what others did on the machine meanwhile (`process::machine_cpu_seconds`).

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// How often the thread's waiting is looked up: of a pause, the client's part is known up to this.
const LOOKED_UP_EVERY: Duration = Duration::from_millis(5);

/// A standstill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pause {
    /// How long.
    pub length: Duration,
    /// For how much of it the client thread itself could not run; at most `length`.
    pub client: Duration,
}

/// Watches one thread's completions inside the window.
pub struct Pauses {
    from: Instant,
    to: Instant,
    last: Instant,
    waited: CoreWait,
    looked_up: (Instant, Duration),
    longest: Pause,
}

impl Pauses {
    /// Watches the calling thread from one moment to the other.
    pub fn new(from: Instant, to: Instant) -> Pauses {
        let waited = CoreWait::of_this_thread();
        let looked_up = (from, waited.so_far());
        Pauses { from, to, last: from, waited, looked_up, longest: Pause::default() }
    }

    /// Requests were completed at this moment.
    pub fn completed(&mut self, now: Instant) {
        if now < self.from {
            return;
        }
        let until = now.min(self.to);
        let length = until.saturating_duration_since(self.last);
        self.last = until;
        let is_longest = length > self.longest.length;
        if is_longest || now.duration_since(self.looked_up.0) >= LOOKED_UP_EVERY {
            let so_far = self.waited.so_far();
            if is_longest {
                let client = so_far.saturating_sub(self.looked_up.1).min(length);
                self.longest = Pause { length, client };
            }
            self.looked_up = (now, so_far);
        }
    }

    /// The longest pause; the window's end counts as a completion.
    pub fn longest(mut self, finished: bool) -> Pause {
        if !finished {
            self.completed(self.to);
        }
        self.longest
    }
}

/// How long a thread that could run has waited for a core.
struct CoreWait {
    /// `schedstat`: time on a core, time waiting for one (both in ns), turns. Absent on kernels
    /// without these counts.
    file: Option<File>,
}

impl CoreWait {
    fn of_this_thread() -> CoreWait {
        CoreWait { file: File::open("/proc/thread-self/schedstat").ok() }
    }

    fn so_far(&self) -> Duration {
        let read = || {
            let mut text = [0u8; 96];
            let bytes = self.file.as_ref()?.read_at(&mut text, 0).ok()?;
            let text = std::str::from_utf8(&text[..bytes]).ok()?;
            text.split_ascii_whitespace().nth(1)?.parse().ok()
        };
        Duration::from_nanos(read().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_gap_inside_the_window_is_the_pause() {
        let from = Instant::now();
        let at = |ms| from + Duration::from_millis(ms);
        let mut pauses = Pauses::new(at(10), at(100));
        [5, 12, 40, 41].into_iter().for_each(|ms| pauses.completed(at(ms)));
        assert_eq!(pauses.longest(false).length, Duration::from_millis(59));
        let mut pauses = Pauses::new(at(10), at(100));
        [12, 40, 41].into_iter().for_each(|ms| pauses.completed(at(ms)));
        assert_eq!(pauses.longest(true).length, Duration::from_millis(28));
    }

    #[test]
    fn what_the_client_waited_is_a_part_of_the_pause() {
        let from = Instant::now();
        let mut pauses = Pauses::new(from, from + Duration::from_secs(10));
        pauses.completed(from + Duration::from_secs(1));
        let longest = pauses.longest(true);
        assert!(longest.client <= longest.length);
    }
}
