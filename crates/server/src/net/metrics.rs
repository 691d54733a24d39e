//! Counters of the event loops, per loop and door, and their report.
//!
//! Invariants
//! 1. A loop's counters are written by that loop alone, so counting is a load and a store in its
//!    own cache line; sums are made when asked for.
//! 2. Counters only rise; gauges are differences of counters.
//!
//! Not here: the store's figures (`rows::store::StoreStatus`), how a report is shown.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use resources::log_rate::LogRate;

/// How often the log tells of what clients can make happen again and again.
use super::latency::{Distribution, Latencies};

/// A counter with one writer.
#[derive(Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds; only the one writer may.
    #[inline]
    pub fn add(&self, amount: u64) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(amount), Ordering::Relaxed);
    }

    /// The count so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What one loop counts of one door.
#[derive(Default)]
pub struct DoorCounters {
    /// Connections taken over.
    pub opened: Counter,
    /// Connections closed.
    pub closed: Counter,
    /// Requests answered.
    pub requests: Counter,
    /// Bytes received.
    pub received_bytes: Counter,
    /// Bytes sent.
    pub sent_bytes: Counter,
    /// Reads of files that loops had made for requests, which then began again.
    pub reads: Counter,
    /// Waits of requests for row locks, in their loops, after which they began again.
    pub lock_waits: Counter,
    /// Requests that went to the pool because they would have waited.
    pub offloaded: Counter,
    /// How long requests took.
    pub latencies: Latencies,
}

/// What one loop counts. Aligned so that no two loops share a cache line.
#[repr(align(128))]
pub struct LoopCounters {
    /// Connections that belong to the loop: raised by whoever gives it one, lowered by the loop.
    pub live: AtomicUsize,
    /// Connections given to other loops.
    pub moved: Counter,
    /// Whether its thread is pinned to a core.
    pub pinned: AtomicBool,
    /// Turns taken.
    pub turns: Counter,
    /// Answers: to one request, or to several that a client had sent in a row.
    pub answers: Counter,
    /// Microseconds in which the loop polled for its clients instead of sleeping.
    pub polled_micros: Counter,
    /// Groups committed.
    pub groups: Counter,
    /// Those of them that the loop committed itself, with a sync.
    pub groups_here: Counter,
    /// Connections whose replies depended on those groups.
    pub group_members: Counter,
    /// Groups whose commit failed.
    pub groups_failed: Counter,
    /// By door, in the order of `Metrics::doors`.
    pub doors: Vec<DoorCounters>,
}

/// All counters of a server.
pub struct Metrics {
    /// When the server started.
    pub started: Instant,
    /// Names of the doors.
    pub doors: Vec<&'static str>,
    /// By loop.
    pub loops: Vec<LoopCounters>,
    /// Clients turned away because of a limit on connections, by door.
    pub refused: Vec<AtomicU64>,
    /// Connections that were closed because they held much of the memory for clients.
    pub closed_for_memory: AtomicU64,
    /// How often the log says of that.
    pub memory_lines: LogRate,
    /// How often the log says of requests that are too large.
    pub large_lines: LogRate,
    /// Failures to accept a client: too many open files and the like.
    pub accept_errors: AtomicU64,
}

impl Metrics {
    /// Zeroes for so many loops and these doors.
    pub fn new(loops: usize, doors: Vec<&'static str>) -> Metrics {
        let counters = || LoopCounters {
            live: AtomicUsize::new(0),
            moved: Counter::default(),
            pinned: AtomicBool::new(false),
            turns: Counter::default(),
            answers: Counter::default(),
            polled_micros: Counter::default(),
            groups: Counter::default(),
            groups_here: Counter::default(),
            group_members: Counter::default(),
            groups_failed: Counter::default(),
            doors: doors.iter().map(|_| DoorCounters::default()).collect(),
        };
        Metrics {
            started: Instant::now(),
            loops: (0..loops).map(|_| counters()).collect(),
            refused: doors.iter().map(|_| AtomicU64::new(0)).collect(),
            doors,
            closed_for_memory: AtomicU64::new(0),
            memory_lines: LogRate::default(),
            large_lines: LogRate::default(),
            accept_errors: AtomicU64::new(0),
        }
    }

    /// Connections open at all doors.
    pub fn connections(&self) -> usize {
        self.loops.iter().map(|each| each.live.load(Ordering::Relaxed)).sum()
    }

    /// Clients turned away at all doors.
    pub fn refused(&self) -> u64 {
        self.refused.iter().map(|door| door.load(Ordering::Relaxed)).sum()
    }

    /// Sum over loops and doors of a door's counter.
    pub fn total(&self, which: impl Fn(&DoorCounters) -> &Counter) -> u64 {
        self.loops.iter().flat_map(|each| &each.doors).map(|door| which(door).get()).sum()
    }

    /// Sum over loops of a loop's counter.
    pub fn turns(&self, which: impl Fn(&LoopCounters) -> &Counter) -> u64 {
        self.loops.iter().map(|each| which(each).get()).sum()
    }

    /// How long requests took at each door, in the order of `doors`.
    pub fn latencies(&self) -> Vec<Distribution> {
        let of_door = |position: usize| {
            let mut sum = Distribution::default();
            self.loops.iter().for_each(|each| sum.add(&each.doors[position].latencies));
            sum
        };
        (0..self.doors.len()).map(of_door).collect()
    }

    /// Every figure by name.
    pub fn report(&self) -> Vec<(String, String)> {
        let mut report = Vec::new();
        let mut add = |name: String, value: u64| report.push((name, value.to_string()));
        add("uptime_seconds".into(), self.started.elapsed().as_secs());
        add("connections".into(), self.connections() as u64);
        add("connections_total".into(), self.total(|door| &door.opened));
        add("connections_refused".into(), self.refused());
        let closed = self.closed_for_memory.load(Ordering::Relaxed);
        add("connections_closed_for_memory".into(), closed);
        add("accept_errors".into(), self.accept_errors.load(Ordering::Relaxed));
        add("received_bytes".into(), self.total(|door| &door.received_bytes));
        add("sent_bytes".into(), self.total(|door| &door.sent_bytes));
        add("requests".into(), self.total(|door| &door.requests));
        add("loops".into(), self.loops.len() as u64);
        let pinned = self.loops.iter().filter(|each| each.pinned.load(Ordering::Relaxed));
        add("loops_pinned".into(), pinned.count() as u64);
        add("connections_moved".into(), self.turns(|each| &each.moved));
        add("turns".into(), self.turns(|each| &each.turns));
        add("polled_micros".into(), self.turns(|each| &each.polled_micros));
        add("groups".into(), self.turns(|each| &each.groups));
        add("groups_in_loop".into(), self.turns(|each| &each.groups_here));
        add("group_members".into(), self.turns(|each| &each.group_members));
        add("groups_failed".into(), self.turns(|each| &each.groups_failed));
        let latencies = self.latencies();
        for (position, door) in self.doors.iter().enumerate() {
            let sum = |which: fn(&DoorCounters) -> &Counter| -> u64 {
                self.loops.iter().map(|each| which(&each.doors[position]).get()).sum()
            };
            let name = |figure: &str| format!("{}_{figure}", door.replace('-', "_"));
            let (opened, closed) = (sum(|d| &d.opened), sum(|d| &d.closed));
            add(name("connections"), opened.saturating_sub(closed));
            add(name("connections_total"), opened);
            add(name("connections_refused"), self.refused[position].load(Ordering::Relaxed));
            add(name("requests"), sum(|d| &d.requests));
            add(name("received_bytes"), sum(|d| &d.received_bytes));
            add(name("sent_bytes"), sum(|d| &d.sent_bytes));
            add(name("reads"), sum(|d| &d.reads));
            add(name("lock_waits"), sum(|d| &d.lock_waits));
            add(name("offloaded"), sum(|d| &d.offloaded));
            add(name("latency_p50_micros"), latencies[position].quantile_micros(0.5));
            add(name("latency_p99_micros"), latencies[position].quantile_micros(0.99));
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_sums_over_loops() {
        let metrics = Metrics::new(2, vec!["mysql", "handlersocket-write"]);
        metrics.loops[0].doors[1].requests.add(3);
        metrics.loops[1].doors[1].requests.add(4);
        let report = metrics.report();
        let find = |name: &str| report.iter().find(|(n, _)| n == name).unwrap().1.clone();
        assert_eq!(find("handlersocket_write_requests"), "7");
        assert_eq!(find("mysql_requests"), "0");
        assert_eq!(find("requests"), "7");
    }
}
