//! The clock of queries: the CPU time that their threads got, so that a busy machine does not make
//! a query look long, nor one that is under way look as if it stood still.
//!
//! These threads run at a lower priority than all others. On a busy machine a wait of so many
//! seconds for a query's progress would be over before the query had done anything.
//!
//! Not here: what is waited for (`analytic`'s admission of queries, `sql`'s shortage of memory).

use std::time::{Duration, Instant};

use crate::background::{CoreTime, core_time, this_thread};
use parking_lot::Mutex;

/// How old a moment may be that is taken for now: each is a file read for each thread.
const AGE_MAX: Duration = Duration::from_millis(5);

/// The threads whose time it is.
#[derive(Debug, Default)]
pub struct QueryClock {
    state: Mutex<ClockState>,
}

#[derive(Debug, Default)]
struct ClockState {
    threads: Vec<i32>,
    /// What those had that have ended.
    of_ended: CoreTime,
    last: Option<QueryMoment>,
}

/// A point of time, and what the threads had had until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryMoment {
    at: Instant,
    ran: Duration,
    waited: Duration,
}

impl QueryClock {
    /// The calling thread is one of them from now on.
    pub fn join(&self) {
        self.state.lock().threads.extend(this_thread());
    }

    /// The calling thread ends.
    pub fn leave(&self) {
        let Some(own) = this_thread() else { return };
        let mut state = self.state.lock();
        state.threads.retain(|thread| *thread != own);
        let had = core_time(own).unwrap_or_default();
        state.of_ended.ran += had.ran;
        state.of_ended.waited += had.waited;
    }

    /// Now.
    pub fn now(&self) -> QueryMoment {
        let mut state = self.state.lock();
        if let Some(last) = state.last.filter(|last| last.at.elapsed() < AGE_MAX) {
            return last;
        }
        let CoreTime { mut ran, mut waited } = state.of_ended;
        for time in state.threads.iter().filter_map(|thread| core_time(*thread)) {
            ran += time.ran;
            waited += time.waited;
        }
        let now = QueryMoment { at: Instant::now(), ran, waited };
        state.last = Some(now);
        now
    }
}

impl QueryMoment {
    /// A moment at which threads had run, and waited for a core, for so long.
    pub fn of(at: Instant, ran: Duration, waited: Duration) -> QueryMoment {
        QueryMoment { at, ran, waited }
    }

    /// How much of the time since an earlier moment was given. Threads that want no core lose
    /// nothing.
    pub fn since(&self, earlier: &QueryMoment) -> Duration {
        let all = self.at.saturating_duration_since(earlier.at);
        let ran = self.ran.saturating_sub(earlier.ran);
        let waited = self.waited.saturating_sub(earlier.waited);
        let wanted = ran + waited;
        if wanted.is_zero() {
            return all;
        }
        let denied = waited.as_secs_f64() / wanted.as_secs_f64();
        all - wanted.min(all).mul_f64(denied).min(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is given of two seconds in which the threads ran and waited for so long.
    fn given(ran: u64, waited: u64) -> Duration {
        let start = Instant::now();
        let earlier = QueryMoment::of(start, Duration::ZERO, Duration::ZERO);
        let [ran, waited] = [ran, waited].map(Duration::from_millis);
        QueryMoment::of(start + Duration::from_secs(2), ran, waited).since(&earlier)
    }

    #[test]
    fn time_that_others_had_the_cores_counts_for_little() {
        assert_eq!(given(0, 0), Duration::from_secs(2), "nobody wanted any");
        assert_eq!(given(2000, 0), Duration::from_secs(2));
        assert_eq!(given(500, 1500), Duration::from_millis(500), "one of four seconds");
        assert_eq!(given(1500, 4500), Duration::from_millis(500), "several threads at once");
        assert_eq!(given(100, 300), Duration::from_millis(1700), "a moment only");
    }

    #[test]
    fn the_time_of_threads_counts_also_when_they_have_ended() {
        let time = QueryClock::default();
        let work = || {
            time.join();
            // However busy the machine is.
            let own = || this_thread().and_then(core_time).expect("the kernel tells").ran;
            let before = own();
            while own() < before + Duration::from_millis(20) {
                std::hint::spin_loop();
            }
            time.leave();
        };
        std::thread::scope(|scope| scope.spawn(work).join()).expect("it ends");
        assert!(time.now().ran >= Duration::from_millis(20));
        assert!(time.state.lock().threads.is_empty());
    }
}
