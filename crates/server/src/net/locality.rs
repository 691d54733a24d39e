//! Locality: connections are served on the core on which their clients run.
//!
//! A thread that wakes one on another core pays for an interrupt, and what the other core has just
//! written has to come out of its cache. Where clients share the machine with the server, and keep
//! it busy, both cost as much as the requests themselves. So each loop is then pinned to a core,
//! and a connection goes to the loop of the core from which its packets come.
//! (docs/decisions/0078-locality.md)
//!
//! Invariants
//! 1. Loops are pinned only while clients are spread over the cores, and keep them busy: one client
//!    program on one core is served from another, beside it.
//! 2. Only threads that run loops are pinned. A thread that one of them starts inherits that, so it
//!    begins with `roam`.
//! 3. A connection goes to another core's loop only after several looks in a row that found its
//!    client there.
//!
//! Not here: how many loops serve otherwise (`balance`), how a connection gets from one to another
//! (`moving`).

use std::cell::Cell;
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::balance::is_another;
use super::event_loop::EventLoop;
use super::metrics::Counter;
use super::poller::{Poller, Token};
use super::slots::MAILBOX;

/// At one of so many receipts it is looked where a connection's client is.
pub const RECEIPTS: u8 = 16;
/// So many looks in a row have to find it at the same other core.
const ASTRAY: u8 = 3;
/// Looks in a period that tell how clients are spread.
const LOOKS_MIN: u64 = 8;
/// Clients are spread if no core has a larger part of them.
const PART_MAX: f64 = 0.75;
/// Clients stay where they are if not more than this part of the looks found one elsewhere than
/// before.
const CHANGED_MAX: f64 = 0.10;
/// Cores' worth of the loops' work below which it does not matter where it is done.
const LOAD_MIN: f64 = 0.20;
/// Part of the machine that is idle at most when loops are pinned: where cores are idle, the
/// kernel puts who is woken there, so that loops would run after their clients.
const IDLE_MAX: f64 = 0.25;
/// As `IDLE_MAX`, while they are: the same work takes half of the time then.
const IDLE_MAX_PINNED: f64 = 0.60;
/// Periods in a row in which clients were spread before loops are pinned.
const PINNED_AFTER: u32 = 2;
/// Periods in a row in which they were at one core before it is tried: beside a loop that is busy,
/// the threads of several clients have to share the other core.
const TRIED_AFTER: u32 = 30;
/// Periods that a try lasts at least.
const TRY: u32 = 10;
/// Periods in a row that have to speak against it before loops are free again, within a try,
const FREE_AFTER_TRY: u32 = 2;
/// and later.
const FREE_AFTER: u32 = 5;
/// Periods after a try that failed before the next, at first; twice as many each time.
const PAUSE_MIN: u32 = 50;
/// The longest such pause.
const PAUSE_MAX: u32 = 300;
/// How many times as many looks a second, or as few, make another load, which has no part in the
/// pause.
const ANOTHER: f64 = 1.5;

/// The cores that the process may use.
static ALL: OnceLock<CpuSet> = OnceLock::new();

thread_local! {
    /// The core that the thread is pinned to.
    static PINNED_TO: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Which loop belongs to which core, and whether they are pinned to them now.
pub struct Locality {
    /// The core of each loop; none where there are not as many of both, or only one.
    cores: Vec<usize>,
    is_pinned: AtomicBool,
    /// By loop: what it has found so far.
    found: Vec<LoopSightings>,
}

/// Where a loop has found its clients, in all; written by that loop alone.
struct LoopSightings {
    /// Looks, by the client's core.
    at: Vec<Counter>,
    /// Those of them that found it elsewhere than the one before.
    changed: Counter,
    /// Those that were at another client than the one before.
    others: Counter,
    /// Whom the last one was at; the mailbox before there was one.
    last: AtomicU64,
}

/// The same of all loops.
#[derive(Default)]
struct Looks {
    at: Vec<u64>,
    changed: u64,
    others: u64,
}

/// What is remembered from period to period.
#[derive(Default)]
pub struct Spread {
    /// Of all loops, so far.
    looks: Looks,
    /// Clients are at several cores, and stay there.
    are_spread: bool,
    /// There are several, and they keep the loops busy.
    are_several: bool,
    /// Periods in a row that spoke against how it is.
    against: u32,
    /// Periods since loops were pinned.
    pinned_for: u32,
    /// Periods before they may be again.
    pause: u32,
    /// How long the last pause was,
    last_pause: u32,
    /// and for a load of about so many looks a second.
    paused_at: f64,
    /// Looks a second.
    rate: f64,
}

impl Locality {
    /// For so many loops on the cores that the calling thread may use.
    pub fn new(loops: usize) -> Locality {
        let all = sched_getaffinity(None).ok();
        let is_in = |core: &usize| all.as_ref().is_some_and(|all| all.is_set(*core));
        let cores: Vec<_> = (0..CpuSet::MAX_CPU).filter(is_in).collect();
        if let Some(all) = all {
            let _ = ALL.set(all);
        }
        Locality::on(if cores.len() == loops { cores } else { Vec::new() }, loops)
    }

    fn on(mut cores: Vec<usize>, loops: usize) -> Locality {
        if loops < 2 {
            cores.clear();
        }
        let found = (0..loops).map(|_| LoopSightings::new(loops)).collect();
        Locality { cores, is_pinned: AtomicBool::new(false), found }
    }

    /// Whether loops are pinned to their cores.
    pub fn is_pinned(&self) -> bool {
        self.is_pinned.load(Ordering::Relaxed)
    }

    /// The loop of the core from which the last packet came; none where the kernel does not say, as
    /// of UNIX sockets.
    pub fn home_of(&self, socket: impl AsFd) -> Option<usize> {
        if self.cores.is_empty() {
            return None;
        }
        let core = rustix::net::sockopt::socket_incoming_cpu(socket).ok()?;
        self.cores.iter().position(|each| *each == core as usize)
    }

    /// Sees how clients were spread in a period, given the loops' work in cores; whether it
    /// matters.
    pub fn observe(&self, spread: &mut Spread, load: f64, period: Duration) -> bool {
        let now = self.looks();
        let fresh = now.since(&spread.looks);
        spread.looks = now;
        spread.are_several = fresh.are_several() && load >= LOAD_MIN;
        spread.are_spread = fresh.are_spread();
        spread.rate = fresh.all() as f64 / period.as_secs_f64().max(1e-3);
        !self.cores.is_empty() && (spread.are_several || self.is_pinned())
    }

    /// All looks so far.
    fn looks(&self) -> Looks {
        let sum = |which: &dyn Fn(&LoopSightings) -> &Counter| -> u64 {
            self.found.iter().map(|each| which(each).get()).sum()
        };
        Looks {
            at: (0..self.found.len()).map(|core| sum(&|found| &found.at[core])).collect(),
            changed: sum(&|found| &found.changed),
            others: sum(&|found| &found.others),
        }
    }

    /// Decides for the next period, given how many cores were idle; whether loops are pinned.
    pub fn decide(&self, spread: &mut Spread, spare: f64) -> bool {
        let is_pinned = self.is_pinned();
        let idle = spare / self.cores.len().max(1) as f64;
        let changes = match is_pinned {
            true => spread.ends(idle),
            false => spread.begins(idle),
        };
        self.is_pinned.store(is_pinned != changes, Ordering::Relaxed);
        is_pinned != changes
    }

    /// Pins the calling thread, which runs the loop, to the loop's core, or lets it roam; whether
    /// it is pinned.
    pub fn settle(&self, number: usize) -> bool {
        let core = self.cores.get(number).copied().filter(|_| self.is_pinned());
        if PINNED_TO.get() == core {
            return core.is_some();
        }
        match core {
            None => roam(),
            Some(core) => {
                let mut one = CpuSet::new();
                one.set(core);
                // A core that was taken away meanwhile: then the kernel decides, as before.
                let _ = sched_setaffinity(None, &one);
            }
        }
        PINNED_TO.set(core);
        core.is_some()
    }
}

/// The calling thread may use all cores that the process may, whoever has started it.
pub fn roam() {
    if let Some(all) = ALL.get() {
        let _ = sched_setaffinity(None, all);
    }
}

impl LoopSightings {
    /// Nobody so far, at none of so many cores.
    fn new(cores: usize) -> LoopSightings {
        LoopSightings {
            at: (0..cores).map(|_| Counter::default()).collect(),
            changed: Counter::default(),
            others: Counter::default(),
            last: AtomicU64::new(MAILBOX),
        }
    }

    /// A client was found at this core, and the time before at that one.
    fn note(&self, token: Token, home: usize, before: Option<usize>) {
        self.at[home].add(1);
        self.changed.add(before.is_some_and(|before| before != home).into());
        let last = self.last.load(Ordering::Relaxed);
        self.last.store(token, Ordering::Relaxed);
        self.others.add((last != MAILBOX && last != token).into());
    }
}

impl Looks {
    fn since(&self, before: &Looks) -> Looks {
        let before_at = before.at.iter().chain(std::iter::repeat(&0));
        let at = self.at.iter().zip(before_at).map(|(now, before)| now - before).collect();
        let (changed, others) = (self.changed - before.changed, self.others - before.others);
        Looks { at, changed, others }
    }

    fn all(&self) -> u64 {
        self.at.iter().sum()
    }

    /// Whether clients were found at several cores, and stay there.
    fn are_spread(&self) -> bool {
        let most = self.at.iter().max().copied().unwrap_or(0);
        let part = |of: f64| (self.all() as f64 * of) as u64;
        most <= part(PART_MAX) && self.changed <= part(CHANGED_MAX)
    }

    /// Whether there was more than one client.
    fn are_several(&self) -> bool {
        self.all() >= LOOKS_MIN && self.others > 0
    }
}

impl Spread {
    /// A period in which loops were free is over; whether they are to be pinned.
    fn begins(&mut self, idle: f64) -> bool {
        // The load is over, or is another one.
        if !self.are_several || is_another(self.rate, self.paused_at, ANOTHER) {
            self.pause = 0;
        }
        self.pause = self.pause.saturating_sub(1);
        if self.pause > 0 || !self.are_several || idle > IDLE_MAX {
            self.against = 0;
            return false;
        }
        self.against += 1;
        if self.against < if self.are_spread { PINNED_AFTER } else { TRIED_AFTER } {
            return false;
        }
        (self.against, self.pinned_for) = (0, 0);
        // As it was before: a try in vain is slower.
        self.paused_at = self.rate;
        true
    }

    /// As `begins`, for a period in which they were pinned, and whether they are to be free.
    fn ends(&mut self, idle: f64) -> bool {
        self.pinned_for = self.pinned_for.saturating_add(1);
        if self.are_several && self.are_spread && idle <= IDLE_MAX_PINNED {
            self.against = 0;
            return false;
        }
        self.against += 1;
        let is_try = self.pinned_for <= TRY;
        if self.against < if is_try { FREE_AFTER_TRY } else { FREE_AFTER } {
            return false;
        }
        self.against = 0;
        // A try that ended because clients left was not in vain.
        let in_vain = is_try && self.are_several;
        self.last_pause =
            if in_vain { (self.last_pause * 2).clamp(PAUSE_MIN, PAUSE_MAX) } else { 0 };
        self.pause = self.last_pause;
        true
    }
}

impl<P: Poller> EventLoop<P> {
    /// Pins the thread that runs the loop, or lets it roam, as it is decided for all.
    pub(super) fn keep_core(&mut self) {
        let is_pinned = self.shared.balance.locality.settle(self.number);
        self.counters().pinned.store(is_pinned, Ordering::Relaxed);
    }

    /// Looks where a connection's client is, which has just sent something.
    pub(super) fn look_for_home(&mut self, token: Token) {
        let Some(connection) = self.slots.get(token) else { return };
        let locality = &self.shared.balance.locality;
        let Some(home) = locality.home_of(connection.socket.as_fd()) else { return };
        let before = connection.home.replace(home);
        if before != Some(home) {
            connection.astray = 0;
        }
        locality.found[self.number].note(token, home, before);
        if home == self.number || !locality.is_pinned() {
            connection.astray = 0;
            return;
        }
        connection.astray += 1;
        if connection.astray >= ASTRAY {
            connection.astray = 0;
            self.leaving.push((token, home));
        }
    }

    /// Those who belong elsewhere go, as far as they are between two requests.
    pub(super) fn let_go(&mut self) {
        let mut leaving = std::mem::take(&mut self.leaving);
        leaving.drain(..).for_each(|(token, home)| self.move_to(token, home));
        self.leaving = leaving;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: f64 = 0.1;

    fn looks(at: [u64; 2], changed: u64, others: u64) -> Looks {
        Looks { at: at.to_vec(), changed, others }
    }

    fn spread(are_spread: bool, are_several: bool) -> Spread {
        Spread { are_spread, are_several, ..Spread::default() }
    }

    /// Whether the decision is made in the last of so many periods, and in none before.
    fn only_after(periods: u32, mut decides: impl FnMut() -> bool) -> bool {
        (1..periods).all(|_| !decides()) && decides()
    }

    #[test]
    fn clients_are_spread_that_are_at_several_cores_and_stay_there() {
        assert!(looks([50, 50], 10, 90).are_spread());
        assert!(looks([75, 25], 0, 90).are_spread());
        assert!(!looks([76, 24], 0, 90).are_spread(), "most are at one");
        assert!(!looks([50, 50], 11, 90).are_spread(), "one program that goes to and fro");
        assert!(looks([8, 0], 0, 1).are_several());
        assert!(!looks([8, 0], 0, 0).are_several(), "a single client");
        assert!(!looks([4, 3], 0, 7).are_several(), "too few to tell");
    }

    #[test]
    fn looks_tell_who_was_found_elsewhere_than_before_and_how_many_there_are() {
        let locality = Locality::on(vec![0, 1], 2);
        for (token, home, before) in [(1, 0, None), (1, 0, Some(0)), (2, 1, None), (1, 1, Some(0))]
        {
            locality.found[0].note(token, home, before);
        }
        let first = locality.looks().since(&Looks::default());
        assert_eq!((first.at, first.changed, first.others), (vec![2, 2], 1, 2));
        assert_eq!(locality.looks().since(&locality.looks()).all(), 0);
    }

    #[test]
    fn loops_are_pinned_when_clients_are_spread_and_the_machine_is_full() {
        let mut state = spread(true, true);
        assert!(only_after(PINNED_AFTER, || state.begins(FULL)));
        assert!(!spread(true, false).begins(FULL), "there is nobody");
        let mut state = spread(true, true);
        assert!((0..9).all(|_| !state.begins(IDLE_MAX + 0.01)), "there are cores for everybody");
    }

    #[test]
    fn loops_stay_pinned_while_that_is_so_and_are_free_when_clients_leave() {
        let mut state = spread(true, true);
        assert!(
            (0..100).all(|_| !state.ends(IDLE_MAX_PINNED)),
            "it is done with half of the machine"
        );
        state.are_spread = false;
        assert!(!state.ends(FULL), "a moment");
        state.are_several = false;
        assert!(only_after(FREE_AFTER - 1, || state.ends(1.0)));
        state = Spread { are_spread: true, are_several: true, ..state };
        assert!(only_after(PINNED_AFTER, || state.begins(FULL)), "they come again at once");
    }

    #[test]
    fn what_was_tried_in_vain_is_tried_again_after_longer_and_longer_pauses() {
        let mut state = spread(false, true);
        let mut pause = 1;
        for next in [PAUSE_MIN, 2 * PAUSE_MIN, 4 * PAUSE_MIN, PAUSE_MAX, PAUSE_MAX] {
            assert!(only_after(pause + TRIED_AFTER - 1, || state.begins(FULL)), "{next}");
            assert!(only_after(FREE_AFTER_TRY, || state.ends(FULL)));
            pause = next;
        }
    }

    #[test]
    fn a_pause_is_one_loads() {
        for (rate, has_to_wait) in [(1000.0, true), (1500.0, true), (1600.0, false), (600.0, false)]
        {
            let mut state = Spread { rate: 1000.0, ..spread(false, true) };
            assert!(only_after(TRIED_AFTER, || state.begins(FULL)));
            assert!(only_after(FREE_AFTER_TRY, || state.ends(FULL)));
            state = Spread { rate, are_spread: true, ..state };
            let begins = (0..PINNED_AFTER).any(|_| state.begins(FULL));
            assert_eq!(begins, !has_to_wait, "{rate} looks after 1,000 a second");
        }
    }

    #[test]
    fn a_pause_ends_with_its_load() {
        let mut state = spread(false, true);
        assert!(only_after(TRIED_AFTER, || state.begins(FULL)));
        assert!(only_after(FREE_AFTER_TRY, || state.ends(FULL)));
        state.are_spread = true;
        assert!((0..PINNED_AFTER).all(|_| !state.begins(FULL)), "it is the same load");
        state.are_several = false;
        assert!(!state.begins(FULL), "they have left");
        state.are_several = true;
        assert!(only_after(PINNED_AFTER, || state.begins(FULL)));
    }

    #[test]
    fn a_thread_is_pinned_to_its_loops_core_and_those_that_it_starts_are_not() {
        let cores = || sched_getaffinity(None).expect("it is known").count();
        let all = cores();
        let locality = Locality::new(all as usize);
        assert!(!locality.settle(0), "nothing is decided");
        locality.is_pinned.store(true, Ordering::Relaxed);
        let is_possible = all > 1;
        assert_eq!(locality.settle(0), is_possible);
        assert_eq!(cores(), 1);
        let begun = move || {
            roam();
            cores()
        };
        assert_eq!(std::thread::spawn(begun).join().expect("it ends"), all);
        locality.is_pinned.store(false, Ordering::Relaxed);
        assert!(!locality.settle(0));
        assert_eq!(cores(), all);
    }

    #[test]
    fn with_fewer_loops_than_cores_none_is_pinned() {
        let locality = Locality::on(Vec::new(), 2);
        let mut state = Spread::default();
        (0..100).for_each(|look| locality.found[0].note(look, look as usize % 2, None));
        assert!(!locality.observe(&mut state, 1.0, Duration::from_millis(100)));
    }
}
