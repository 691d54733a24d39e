//! Terminals: so many clients at once, each a thread with a session, without think time.
//!
//! A transaction that the server takes back (deadlock, lock wait, changed meanwhile) is rolled back
//! and run again with the same input; its latency counts from its first BEGIN to its COMMIT.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::scale::OrdersScale;
use super::transactions::{Books, Desk, Input, TransactionKind};
use crate::experiments::dice::Dice;
use crate::generator::Sample;
use crate::process;
use crate::protocols::mysql::ServerError;

/// Errors after which a client is expected to try again: changed meanwhile, lock wait, deadlock.
const RETRIED: [u16; 3] = [1020, 1205, 1213];
/// A transaction that is taken back this often has failed.
const ATTEMPTS_MAX: u32 = 1_000;

/// What one window gave.
pub struct TerminalOutcome {
    /// All transactions, with the server's CPU time.
    pub all: Sample,
    /// By kind: counts and latencies alone.
    pub kinds: BTreeMap<TransactionKind, Sample>,
    /// What was acknowledged, warm-up included.
    pub books: Books,
    /// How often transactions were taken back, by error number; warm-up included.
    pub retried: BTreeMap<u16, u64>,
}

/// A window: when what is done counts.
#[derive(Debug, Clone, Copy)]
struct OrdersWindow {
    from: Instant,
    to: Instant,
}

/// Runs so many desks at once, through a warm-up and a window.
pub fn run(
    desks: Vec<Desk>,
    scale: OrdersScale,
    seed: u64,
    warm: f64,
    seconds: f64,
    server: u32,
) -> TerminalOutcome {
    let from = Instant::now() + Duration::from_secs_f64(warm);
    let window = OrdersWindow { from, to: from + Duration::from_secs_f64(seconds) };
    let mut total = Terminal::new(Dice::new(seed, &[u64::MAX]));
    let spent = || {
        let of = |pid| process::cpu_seconds(pid).unwrap_or(0.0);
        (of(server), of(std::process::id()), process::machine_cpu_seconds().unwrap_or(0.0))
    };
    let (before, after) = thread::scope(|scope| {
        let workers: Vec<_> = (0..)
            .zip(desks)
            .map(|(number, desk)| {
                let terminal = Terminal::new(Dice::new(seed, &[number]));
                scope.spawn(move || terminal.work(desk, scale, window))
            })
            .collect();
        thread::sleep(window.from.saturating_duration_since(Instant::now()));
        let before = spent();
        thread::sleep(window.to.saturating_duration_since(Instant::now()));
        let after = spent();
        for worker in workers {
            match worker.join() {
                Ok(terminal) => total.merge(terminal),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        (before, after)
    });
    let mut all = total.bad;
    total.kinds.values().for_each(|sample| all.merge(sample.clone()));
    all.seconds = seconds;
    total.kinds.values_mut().for_each(|sample| sample.seconds = seconds);
    all.server_cpu = after.0 - before.0;
    all.client_cpu = after.1 - before.1;
    all.others_cpu = (after.2 - before.2 - all.server_cpu - all.client_cpu).max(0.0);
    all.server_rss = process::rss_peak(server).unwrap_or(0);
    TerminalOutcome { all, kinds: total.kinds, books: total.books, retried: total.retried }
}

/// One client's choices and counts.
struct Terminal {
    dice: Dice,
    kinds: BTreeMap<TransactionKind, Sample>,
    /// What went wrong.
    bad: Sample,
    books: Books,
    retried: BTreeMap<u16, u64>,
}

impl Terminal {
    fn new(dice: Dice) -> Terminal {
        let kinds = TransactionKind::MIX.iter().map(|(kind, _)| (*kind, Sample::new())).collect();
        let (books, retried) = (Books::default(), BTreeMap::new());
        Terminal { dice, kinds, bad: Sample::new(), books, retried }
    }

    fn merge(&mut self, other: Terminal) {
        for (kind, sample) in other.kinds {
            self.kinds.entry(kind).or_insert_with(Sample::new).merge(sample);
        }
        self.bad.merge(other.bad);
        self.books.add(other.books);
        for (code, count) in other.retried {
            *self.retried.entry(code).or_default() += count;
        }
    }

    /// Works until the window ends, or something goes wrong that a client could not mend.
    fn work(mut self, mut desk: Desk, scale: OrdersScale, window: OrdersWindow) -> Terminal {
        loop {
            let began = Instant::now();
            if began >= window.to {
                return self;
            }
            let kind = self.choose();
            let input = desk.draw(kind, scale, &mut self.dice);
            match self.complete(&mut desk, &input) {
                Ok(books) => self.books.add(books),
                Err(error) => {
                    let refused = error.downcast_ref::<ServerError>().is_some();
                    let of = if refused { &mut self.bad.refused } else { &mut self.bad.wrong };
                    *of += 1;
                    let why = format!("{}; {error}", error.root_cause());
                    self.bad.note_bad(kind.name(), why.as_bytes());
                    return self;
                }
            }
            let ended = Instant::now();
            if ended >= window.from && ended < window.to {
                let took = ended.duration_since(began).as_nanos() as u64;
                self.kinds.entry(kind).or_insert_with(Sample::new).count(took, 1);
            }
        }
    }

    fn complete(&mut self, desk: &mut Desk, input: &Input) -> Result<Books> {
        let mut last = None;
        for _ in 0..ATTEMPTS_MAX {
            let error = match desk.transact(input) {
                Ok(books) => return Ok(books),
                Err(error) => error,
            };
            let code = error.downcast_ref::<ServerError>().map(|refused| refused.code);
            let Some(code) = code.filter(|code| RETRIED.contains(code)) else {
                return Err(error);
            };
            desk.session.run("ROLLBACK")?;
            *self.retried.entry(code).or_default() += 1;
            last = Some(error);
        }
        Err(last.context("no attempt was made")?)
    }

    fn choose(&mut self) -> TransactionKind {
        let mut drawn = self.dice.between(1, 100);
        for (kind, part) in TransactionKind::MIX {
            drawn -= part;
            if drawn <= 0 {
                return kind;
            }
        }
        TransactionKind::NewOrder
    }
}
