//! Balance: how many loops serve, and when connections move between them.
//!
//! A loop that serves many connections finds more requests per wake-up and pays less for each, so
//! as few loops serve as the load needs: loops `0..serving` get new clients. A further loop joins
//! when one is busy all the time and the machine has a core to spare for it, or when answers cost
//! so much that what each pays besides is little: then loops take their share of full cores, as a
//! thread for each client would. The last one retires when the others can do its work as well, two
//! periods in a row. (docs/decisions/0013.)
//!
//! All loops serve while they are pinned to cores, each the clients of its own (`locality`).
//!
//! The loop that finds a period over decides for all; no loop waits for the decision.
//!
//! Invariants
//! 1. `serving` is at least 1 and at most the number of loops.
//! 2. Connections move only before `freeze`: a loop that was told to stop gets none any more.
//! 3. After a loop has retired, the next one joins only after a pause, which doubles each time that
//!    this happens soon, so that the two rules cannot play ball with each other. A load that went
//!    away and comes again is no such game, nor is one of another kind.
//!
//! Not here: taking a connection out of a loop and into another (`moving`).

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::locality::{Locality, Spread};

/// Time between two decisions.
pub const PERIOD: Duration = Duration::from_millis(100);
/// A loop that uses more of a core than this is busy all the time.
const BUSY: f64 = 0.90;
/// Cores that must be idle for another loop to be of use.
const SPARE: f64 = 0.20;
/// Part of the remaining loops' cores that may be used when one retires.
const ROOMY: f64 = 0.95;
/// What an answer costs less of a core, in microseconds, if a loop less serves: measured. An answer
/// is to one request, or to several that a client had sent in a row.
const SAVED: f64 = 1.0;
/// First pause after a retirement.
const PAUSE_MIN: Duration = Duration::from_secs(1);
/// Longest such pause.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// How long a loop that has joined stays at least.
const STAY: Duration = Duration::from_millis(500);
/// A loop that retires within this after it joined should not have joined, unless its clients have
/// gone.
const SOON: Duration = Duration::from_secs(10);
/// Part of the remaining loops' cores below which the load has gone: who retires then was of use.
const GONE: f64 = 0.25;
/// How many times as many answers a second, or as few, make another load: what was learnt of the
/// one before says nothing of it.
const ANOTHER: f64 = 2.0;
/// A loop with less to do than this is of use to one that is busy.
const IDLE: f64 = 0.50;
/// CPU time of an answer, in microseconds, from which on it does not matter how many of them a
/// wake-up finds: `SAVED` is little of it.
const DEAR: f64 = 15.0;
/// As `BUSY`, where answers are dear: who comes while a long one is served waits for it, so a loop
/// has queues long before it is busy all the time.
const DEAR_BUSY: f64 = 0.70;
/// As `ROOMY`, where answers are dear.
const DEAR_ROOMY: f64 = 0.50;

/// What a decision asks of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// The loop that gives connections away.
    pub from: usize,
    /// The loop that gets them.
    pub to: usize,
    /// One of so many of the connections in use: 1 is all of them.
    pub one_of: usize,
}

/// The shared state of the decision.
pub struct Balance {
    serving: AtomicUsize,
    /// Which loop belongs to which core.
    pub locality: Locality,
    /// CPU time of each loop so far, in microseconds.
    spent: Vec<AtomicU64>,
    /// Answers that each loop has given so far.
    answers: Vec<AtomicU64>,
    state: Mutex<BalanceState>,
}

struct BalanceState {
    decided: Instant,
    spent: Vec<u64>,
    answers: u64,
    idle: Option<(Instant, f64)>,
    /// No further loop before this,
    not_before: Instant,
    /// for a load of about so many answers a second.
    paused_at: f64,
    /// When a loop joined last, if one did.
    joined: Option<Instant>,
    /// Whether a loop less would have done in the period before.
    too_many: bool,
    pause: Duration,
    spread: Spread,
    /// Loops that served before they were pinned.
    served_free: usize,
    frozen: bool,
}

/// What loops did in one period.
#[derive(Clone, Copy)]
struct Work<'w> {
    /// CPU time of each, in cores.
    loads: &'w [f64],
    /// What a loop less would have saved, in cores.
    saved: f64,
    /// Answers a second.
    rate: f64,
    /// Whether answers are dear.
    dear: bool,
}

impl Balance {
    /// One loop of `loops` serves.
    pub fn new(loops: usize) -> Balance {
        Balance {
            serving: AtomicUsize::new(1),
            locality: Locality::new(loops),
            spent: (0..loops).map(|_| AtomicU64::new(0)).collect(),
            answers: (0..loops).map(|_| AtomicU64::new(0)).collect(),
            state: Mutex::new(BalanceState::new(loops, Instant::now())),
        }
    }

    /// Loops that get new clients: the first so many.
    pub fn serving(&self) -> usize {
        self.serving.load(Ordering::Relaxed)
    }

    /// All loops serve from now on: where CPU time cannot be told, nothing can be decided.
    pub fn serve_with_all(&self) {
        self.serving.store(self.spent.len(), Ordering::Relaxed);
    }

    /// Notes the CPU time of the calling loop, and how many answers it has given.
    pub fn note(&self, number: usize, spent: Duration, answers: u64) {
        self.spent[number].store(spent.as_micros() as u64, Ordering::Relaxed);
        self.answers[number].store(answers, Ordering::Relaxed);
    }

    /// Decides if a period has passed and nobody else does.
    pub fn decide(&self, now: Instant) -> Vec<Order> {
        let Some(mut state) = self.state.try_lock() else { return Vec::new() };
        let elapsed = now.saturating_duration_since(state.decided);
        if elapsed < PERIOD || state.frozen {
            return Vec::new();
        }
        state.decided = now;
        let mut loads = Vec::with_capacity(self.spent.len());
        for (spent, before) in self.spent.iter().zip(&mut state.spent) {
            let spent = spent.load(Ordering::Relaxed);
            let micros = spent.saturating_sub(std::mem::replace(before, spent));
            loads.push(micros as f64 / elapsed.as_micros() as f64);
        }
        let answers = self.answers.iter().map(|each| each.load(Ordering::Relaxed)).sum();
        let answered = answers - std::mem::replace(&mut state.answers, answers);
        let serving = self.serving();
        let total: f64 = loads.iter().sum();
        let is_local = self.locality.observe(&mut state.spread, total, elapsed);
        // One loop that is not busy is the common case, and needs no look at the machine.
        let is_quiet = serving == 1 && loads[0] < DEAR_BUSY;
        if is_quiet && !is_local {
            state.idle = None;
            return retired(&loads, serving);
        }
        let spare = state.spare_cores(now);
        let was_pinned = self.locality.is_pinned();
        let is_pinned = self.locality.decide(&mut state.spread, spare);
        match (was_pinned, is_pinned) {
            (false, true) => {
                state.served_free = serving;
                self.serve_with_all();
            }
            (true, false) => self.serving.store(state.served_free, Ordering::Relaxed),
            _ => {}
        }
        if was_pinned || is_pinned || is_quiet {
            return retired(&loads, self.serving());
        }
        let micros = elapsed.as_micros() as f64;
        let answered = answered as f64;
        let dear = total * micros > answered * DEAR;
        let rate = answered / elapsed.as_secs_f64();
        let work = Work { loads: &loads, saved: answered * SAVED / micros, rate, dear };
        let (serving, mut orders) = state.rule(now, work, serving, spare);
        self.serving.store(serving, Ordering::Relaxed);
        orders.extend(retired(&loads, serving));
        orders
    }

    /// Runs `hand_over` unless connections may not move any more.
    pub fn unless_frozen(&self, hand_over: impl FnOnce()) {
        let state = self.state.lock();
        if !state.frozen {
            hand_over();
        }
    }

    /// From now on no connection moves.
    pub fn freeze(&self) {
        self.state.lock().frozen = true;
    }
}

/// Loops that retired, or were told of a client late, give away what they have.
fn retired(loads: &[f64], serving: usize) -> Vec<Order> {
    let busy = (serving..loads.len()).filter(|number| loads[*number] > 0.01);
    busy.map(|from| Order { from, to: from % serving, one_of: 1 }).collect()
}

impl BalanceState {
    fn new(loops: usize, now: Instant) -> BalanceState {
        BalanceState {
            decided: now,
            spent: vec![0; loops],
            answers: 0,
            idle: None,
            not_before: now,
            paused_at: 0.0,
            joined: None,
            too_many: false,
            pause: PAUSE_MIN,
            spread: Spread::default(),
            served_free: 1,
            frozen: false,
        }
    }

    /// Whether a loop joined less than `time` ago.
    fn joined_within(&self, time: Duration, now: Instant) -> bool {
        self.joined.is_some_and(|joined| now < joined + time)
    }

    fn rule(
        &mut self,
        now: Instant,
        Work { loads, saved, rate, dear }: Work<'_>,
        serving: usize,
        spare: f64,
    ) -> (usize, Vec<Order>) {
        let were_too_many = std::mem::take(&mut self.too_many);
        let total: f64 = loads.iter().sum();
        let busiest = position(loads, serving, |load| -load);
        let idlest = position(loads, serving, |load| load);
        let joins = match dear {
            true => loads[busiest] > DEAR_BUSY,
            false => loads[busiest] > BUSY && spare > SPARE,
        };
        if joins {
            // Unequal first: a further loop does not help the one that is busy by chance.
            if loads[idlest] < IDLE {
                return (serving, vec![Order { from: busiest, to: idlest, one_of: 2 }]);
            }
            let is_over = now >= self.not_before || is_another(rate, self.paused_at, ANOTHER);
            if serving < loads.len() && is_over {
                self.joined = Some(now);
                let one_of = serving + 1;
                let orders = (0..serving).map(|from| Order { from, to: serving, one_of }).collect();
                return (serving + 1, orders);
            }
            return (serving, Vec::new());
        }
        if serving == 1 || self.joined_within(STAY, now) {
            return (serving, Vec::new());
        }
        let rest = (serving - 1) as f64;
        let (needed, share) = if dear { (total, DEAR_ROOMY) } else { (total - saved, ROOMY) };
        if needed >= rest * share {
            return (serving, Vec::new());
        }
        // In a period in which clients come or leave, loops seem to have little to do.
        if !were_too_many {
            self.too_many = true;
            return (serving, Vec::new());
        }
        if total < rest * GONE {
            self.pause = PAUSE_MIN;
        } else {
            let soon = self.joined_within(SOON, now);
            self.pause = if soon { (self.pause * 2).min(PAUSE_MAX) } else { PAUSE_MIN };
            self.not_before = now + self.pause;
            self.paused_at = rate;
        }
        let from = serving - 1;
        (from, vec![Order { from, to: idlest.min(from - 1), one_of: 1 }])
    }

    /// Cores that were idle since the last look; none at the first.
    fn spare_cores(&mut self, now: Instant) -> f64 {
        let Some(idle) = idle_seconds() else { return f64::MAX };
        match self.idle.replace((now, idle)) {
            Some((before, was)) if now > before => (idle - was) / (now - before).as_secs_f64(),
            _ => 0.0,
        }
    }
}

/// Whether a rate is more than so many times another, or as much less: then it is of another load.
pub fn is_another(rate: f64, than: f64, times: f64) -> bool {
    rate.max(than) > times * rate.min(than)
}

/// The serving loop with the least `rank` of its load.
fn position(loads: &[f64], serving: usize, rank: impl Fn(f64) -> f64) -> usize {
    let ranks = loads[..serving].iter().map(|load| rank(*load)).enumerate();
    ranks.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(position, _)| position)
}

/// Idle time of all cores since the machine started, by `/proc/stat`: its unit is 1/100 s.
fn idle_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    // cpu  user nice system idle iowait ...
    let mut fields = stat.lines().next()?.split_ascii_whitespace().skip(4);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> (BalanceState, Instant) {
        let now = Instant::now();
        (BalanceState::new(4, now), now)
    }

    fn cheap(loads: &[f64]) -> Work<'_> {
        Work { loads, saved: 0.0, rate: 1000.0, dear: false }
    }

    fn dear(loads: &[f64]) -> Work<'_> {
        Work { loads, saved: 0.0, rate: 1000.0, dear: true }
    }

    /// The decision after two periods of the same work.
    fn twice(
        state: &mut BalanceState,
        now: Instant,
        work: Work<'_>,
        serving: usize,
        spare: f64,
    ) -> (usize, Vec<Order>) {
        assert_eq!(state.rule(now, work, serving, spare), (serving, vec![]), "it may be a moment");
        state.rule(now, work, serving, spare)
    }

    #[test]
    fn a_further_loop_joins_only_when_a_core_is_idle() {
        let (mut state, now) = state();
        assert_eq!(state.rule(now, cheap(&[0.99, 0.0]), 1, 0.0), (1, vec![]));
        let join = vec![Order { from: 0, to: 1, one_of: 2 }];
        assert_eq!(state.rule(now, cheap(&[0.99, 0.0]), 1, 0.9), (2, join));
        let none = (2, vec![]);
        assert_eq!(state.rule(now, cheap(&[0.99, 0.99]), 2, 0.9), none, "there are no more");
    }

    #[test]
    fn where_answers_are_dear_a_further_loop_joins_a_full_machine_and_stays() {
        let (mut state, now) = state();
        let join = vec![Order { from: 0, to: 1, one_of: 2 }];
        assert_eq!(state.rule(now, dear(&[0.65, 0.0]), 1, 0.9), (1, vec![]));
        assert_eq!(state.rule(now, dear(&[0.75, 0.0]), 1, 0.0), (2, join));
        let later = now + STAY;
        assert_eq!(twice(&mut state, later, dear(&[0.3, 0.3]), 2, 0.0).0, 2);
        assert_eq!(twice(&mut state, later, dear(&[0.2, 0.2]), 2, 0.0).0, 1);
    }

    #[test]
    fn an_idle_loop_that_serves_takes_from_a_busy_one_before_another_joins() {
        let (mut state, now) = state();
        let share = vec![Order { from: 1, to: 0, one_of: 2 }];
        assert_eq!(state.rule(now, cheap(&[0.2, 0.99, 0.0]), 2, 1.0), (2, share));
    }

    #[test]
    fn the_last_loop_retires_when_the_others_can_do_its_work() {
        let (mut state, now) = state();
        let retire = vec![Order { from: 1, to: 0, one_of: 1 }];
        let half = [0.5, 0.5];
        assert_eq!(twice(&mut state, now, cheap(&half), 2, 1.0), (2, vec![]), "it does not fit");
        let fewer_wake_ups = Work { saved: 0.1, ..cheap(&half) };
        assert_eq!(twice(&mut state, now, fewer_wake_ups, 2, 0.0), (1, retire.clone()), "it fits");
        assert_eq!(twice(&mut state, now, cheap(&[0.3, 0.3]), 2, 1.0), (1, retire));
    }

    #[test]
    fn one_period_with_little_to_do_retires_nobody() {
        let (mut state, now) = state();
        for _ in 0..5 {
            assert_eq!(state.rule(now, cheap(&[0.3, 0.3]), 2, 1.0), (2, vec![]));
            assert_eq!(state.rule(now, cheap(&[0.8, 0.8]), 2, 0.0), (2, vec![]));
        }
    }

    #[test]
    fn after_each_retirement_soon_after_joining_the_next_loop_waits_longer() {
        let (mut state, mut now) = state();
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            assert_eq!(twice(&mut state, now, cheap(&[0.45, 0.45]), 2, 0.0).0, 1);
            let early = now + Duration::from_secs(pause) - PERIOD;
            assert_eq!(state.rule(early, cheap(&[0.99, 0.0]), 1, 1.0).0, 1);
            now += Duration::from_secs(pause);
            assert_eq!(state.rule(now, cheap(&[0.99, 0.0]), 1, 1.0).0, 2);
            assert_eq!(state.rule(now, cheap(&[0.45, 0.45]), 2, 0.0).0, 2, "it stays a while");
            now += STAY;
        }
    }

    #[test]
    fn a_load_of_another_kind_does_not_wait_for_the_pause_of_the_one_before() {
        // Of batches instead of single requests, or of requests in a row instead of one by one.
        for (rate, loops) in [(499.0, 2), (500.0, 1), (1000.0, 1), (2000.0, 1), (2001.0, 2)] {
            let (mut state, now) = state();
            assert_eq!(twice(&mut state, now, cheap(&[0.45, 0.45]), 2, 0.0).0, 1);
            let work = Work { rate, ..cheap(&[0.99, 0.0]) };
            assert_eq!(state.rule(now, work, 1, 1.0).0, loops, "{rate} after 1,000 a second");
        }
    }

    #[test]
    fn clients_that_left_and_come_again_get_their_loops_at_once() {
        let (mut state, mut now) = state();
        for _ in 0..5 {
            assert_eq!(state.rule(now, dear(&[0.99, 0.0]), 1, 1.0).0, 2);
            now += STAY;
            assert_eq!(twice(&mut state, now, cheap(&[0.05, 0.0]), 2, 1.0).0, 1, "they have gone");
            now += PERIOD;
        }
    }

    #[test]
    fn nothing_moves_once_frozen() {
        let balance = Balance::new(2);
        let mut moved = 0;
        balance.unless_frozen(|| moved += 1);
        balance.freeze();
        balance.unless_frozen(|| moved += 1);
        assert_eq!(moved, 1);
    }
}
