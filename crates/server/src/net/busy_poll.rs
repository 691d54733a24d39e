//! Busy polling: a loop that has just answered looks for the next request for some microseconds
//! before it sleeps.
//!
//! A client that asks one thing after another is back before a sleeping core has been woken for it,
//! in a virtual machine above all, where to sleep and to wake are matters of the host. Where that
//! is to be expected the loop asks the kernel again and again instead, and the client need wake
//! nobody. (docs/decisions/0076-busy-polling.md)
//!
//! Invariants
//! 1. A loop polls for so long at most (`Limits::busy_poll`), then it sleeps: silence costs
//!    nothing.
//! 2. It polls only while its events came faster than that of late, for one or two connections:
//!    more would find no core for themselves, and a loop that sleeps gathers more of their
//!    requests.
//! 3. It does not while it waits for somebody other than clients, a commit or the pool.
//! 4. The mailbox knows of a sleep before polling begins, so that a message ends it as it ends a
//!    sleep.
//!
//! Not here: what a poll finds (`poller`), who was served lately (`recent_clients`).

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use resources::background::cores;

use super::event_loop::EventLoop;
use super::poller::Poller;

/// From then on it lets others have the core between two polls, who may be the clients.
const YIELDS_FROM: Duration = Duration::from_micros(20);
/// A wait's part in what is remembered of them. None counts for more than so many times the longest
/// poll, so that the last waits decide.
const PART: u32 = 8;

/// What a loop knows of its waits for events.
pub struct BusyPoll {
    /// How long a loop polls at most; zero: never.
    most: Duration,
    /// How long the last ones took, about.
    usual: Duration,
    /// The replies of this turn waited for a disk, so their clients sleep deeply.
    is_late: bool,
    /// How long the thread that runs the loop has polled, in all.
    spent: Duration,
}

impl BusyPoll {
    /// For so long at most, on a machine with a core for clients beside the loop's. Nothing is
    /// known of any waits yet, so nothing is polled for.
    pub fn new(most: Duration) -> BusyPoll {
        BusyPoll::on(cores(), most)
    }

    fn on(cores: usize, most: Duration) -> BusyPoll {
        let most = if cores > 1 { most } else { Duration::ZERO };
        BusyPoll { most, usual: most * PART, is_late: false, spent: Duration::ZERO }
    }

    /// Another thread runs the loop from now on.
    pub fn begin_thread(&mut self) {
        self.spent = Duration::ZERO;
    }

    /// The replies of this turn come late: their clients will not be back at once.
    pub fn note_late(&mut self) {
        self.is_late = true;
    }

    /// How long the loop's thread has polled so far, which is no work of its connections.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Whether the next event is likely to come in time.
    fn is_likely(&self) -> bool {
        !self.is_late && self.usual < self.most
    }

    /// An event has come after so long, of which so long was polled.
    fn note(&mut self, waited: Duration, polled: Duration) {
        self.is_late = false;
        self.usual = (self.usual * (PART - 1) + waited.min(self.most * PART)) / PART;
        self.spent += polled;
    }
}

impl<P: Poller> EventLoop<P> {
    /// Waits for events; gives the moment when some came, or the time was over.
    pub(super) fn await_events(&mut self) -> io::Result<Instant> {
        let began = Instant::now();
        let timeout = self.timeout();
        if timeout == Some(Duration::ZERO) {
            self.poller.wait(timeout, &mut self.ready)?;
            return Ok(began);
        }
        let mut now = began;
        if self.may_poll(began) {
            let most = timeout.unwrap_or(Duration::MAX).min(self.busy_poll.most);
            while self.ready.is_empty() && now - began < most {
                if now - began > YIELDS_FROM {
                    thread::yield_now();
                }
                self.poller.wait(Some(Duration::ZERO), &mut self.ready)?;
                now = Instant::now();
            }
        }
        let polled = now - began;
        if self.ready.is_empty() {
            self.poller.wait(timeout, &mut self.ready)?;
            now = Instant::now();
        }
        self.busy_poll.note(now - began, polled);
        self.counters().polled_micros.add(polled.as_micros() as u64);
        Ok(now)
    }

    fn may_poll(&self, now: Instant) -> bool {
        let others_serve = self.shared.balance.serving() > 1;
        self.busy_poll.is_likely()
            // Its clients have the core that it would poll on.
            && !self.shared.balance.locality.is_pinned()
            && self.recent_clients.is_at_most(if others_serve { 1 } else { 2 }, now)
            && self.committing.is_empty()
            && self.tasks == 0
            && self.reads_under_way() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_micros(10);
    const MOST: Duration = Duration::from_micros(60);

    #[test]
    fn a_loop_polls_after_short_waits_and_no_longer_after_silence() {
        let mut poll = BusyPoll::on(2, MOST);
        assert!(!poll.is_likely(), "nothing is known");
        (0..100).for_each(|_| poll.note(SHORT, SHORT));
        assert!(poll.is_likely());
        poll.note(Duration::from_secs(9), MOST);
        assert!(!poll.is_likely(), "silence");
        (0..PART).for_each(|_| poll.note(SHORT, Duration::ZERO));
        assert!(poll.is_likely(), "the client is back");
        assert_eq!(poll.spent(), SHORT * 100 + MOST);
        poll.begin_thread();
        assert_eq!(poll.spent(), Duration::ZERO);
    }

    #[test]
    fn replies_that_waited_for_a_disk_are_not_polled_after() {
        let mut poll = BusyPoll::on(2, MOST);
        (0..100).for_each(|_| poll.note(SHORT, SHORT));
        poll.note_late();
        assert!(!poll.is_likely());
        poll.note(SHORT, Duration::ZERO);
        assert!(poll.is_likely());
    }

    #[test]
    fn a_single_core_is_left_to_the_clients_and_zero_turns_it_off() {
        for mut poll in [BusyPoll::on(1, MOST), BusyPoll::on(2, Duration::ZERO)] {
            (0..100).for_each(|_| poll.note(SHORT, Duration::ZERO));
            assert!(!poll.is_likely());
        }
    }
}
