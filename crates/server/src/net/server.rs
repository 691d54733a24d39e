//! A running set of doors: acceptor, loops and pool, started and stopped together.
//!
//! Invariants
//! 1. A thread of the server that fails ends the process: a loop that were gone while its
//!    clients wait would be worse than a restart, which loses nothing that was acknowledged.
//!
//! Not here: what is served (`doors`), the store's end (`command::serve`).

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use resources::background::begin_busy_thread;
use rows::Engine;

use super::acceptor::{Acceptor, StopSignal};
use super::address::Listener;
use super::balance::Balance;
use super::connection::Door;
use super::event_loop::{EventLoop, LoopShared};
use super::limits::Limits;
use super::loop_threads::{LoopThreads, Serving};
use super::mailbox::{Mailbox, Message};
use super::metrics::Metrics;
use super::poller::Epoll;
use super::pool::Pool;

/// How often a loop is looked at that has not taken a turn yet.
const PULSE_LOOK: Duration = Duration::from_millis(2);

/// What to start.
pub struct Plan {
    /// The rows.
    pub engine: Arc<Engine>,
    /// The doors.
    pub doors: Vec<Door>,
    /// Listeners, each with the position of its door.
    pub listeners: Vec<(usize, Listener)>,
    /// Zeroes for `threads` loops and the doors, in their order.
    pub metrics: Arc<Metrics>,
    /// Limits from the settings.
    pub limits: Limits,
}

/// Whether loops are alive, for who looks at them from without.
pub struct Pulse {
    mailboxes: Arc<Vec<Arc<Mailbox>>>,
    metrics: Arc<Metrics>,
}

impl Pulse {
    /// Whether every loop takes a turn within this time; those that sleep are woken for it.
    pub fn is_felt(&self, within: Duration) -> bool {
        let turns = || self.metrics.loops.iter().map(|each| each.turns.get()).collect::<Vec<u64>>();
        let (since, before) = (Instant::now(), turns());
        self.mailboxes.iter().for_each(|mailbox| mailbox.wake());
        while before.iter().zip(turns()).any(|(before, now)| *before == now) {
            if since.elapsed() >= within {
                return false;
            }
            thread::sleep(PULSE_LOOK.min(within));
            // One that was about to fall asleep did not hear of it.
            self.mailboxes.iter().for_each(|mailbox| mailbox.wake());
        }
        true
    }
}

/// Running loops.
pub struct Server {
    mailboxes: Arc<Vec<Arc<Mailbox>>>,
    metrics: Arc<Metrics>,
    loops: Vec<JoinHandle<()>>,
    acceptor: Option<JoinHandle<()>>,
    stop: Arc<StopSignal>,
    pool: Arc<Pool>,
    balance: Arc<Balance>,
}

impl Server {
    /// Starts the loops of `plan.metrics`, then the acceptor.
    ///
    /// # Errors
    /// When the system gives no further file or thread. Loops that run by then end with the
    /// process.
    pub fn start(plan: Plan) -> io::Result<Server> {
        let mut mailboxes = Vec::new();
        for _ in &plan.metrics.loops {
            mailboxes.push(Arc::new(Mailbox::new()?));
        }
        let shared = LoopShared {
            pool: Pool::new(plan.engine.clone()),
            engine: plan.engine,
            doors: Arc::new(plan.doors),
            metrics: plan.metrics,
            limits: plan.limits,
            balance: Arc::new(Balance::new(mailboxes.len())),
            loop_threads: Arc::new(LoopThreads::new(mailboxes.len())),
            mailboxes: Arc::new(mailboxes),
        };
        let mut loops = Vec::new();
        let count = shared.metrics.loops.len();
        for number in 0..=count {
            let loop_threads = shared.loop_threads.clone();
            // The last one stands by.
            let first: Option<Box<dyn Serving>> = match number < count {
                true => Some(Box::new(EventLoop::new(Epoll::new()?, shared.clone(), number)?)),
                false => None,
            };
            let client_bytes = shared.engine.budget().bytes_max();
            let run = move || {
                begin_busy_thread(client_bytes);
                loop_threads.work(first)
            };
            loops.push(spawn(format!("rowhouse-loop{number}"), run)?);
        }
        let stop = Arc::new(StopSignal::new()?);
        let (pool, balance) = (shared.pool.clone(), shared.balance.clone());
        let (mailboxes, metrics) = (shared.mailboxes.clone(), shared.metrics.clone());
        let acceptor = Acceptor::new(plan.listeners, shared, stop.clone());
        let run = move || {
            acceptor.run();
            Ok(())
        };
        let acceptor = Some(spawn("rowhouse-accept".into(), run)?);
        Ok(Server { mailboxes, metrics, loops, acceptor, stop, pool, balance })
    }

    /// What shows whether the loops are alive.
    pub fn pulse(&self) -> Pulse {
        Pulse { mailboxes: Arc::clone(&self.mailboxes), metrics: Arc::clone(&self.metrics) }
    }

    /// Accepts nobody any more, answers what has arrived, closes all connections. Returns when
    /// that is done, or at the latest after `grace`.
    pub fn stop(mut self, grace: Duration) {
        self.stop.give();
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
        self.balance.freeze();
        let at = Instant::now() + grace;
        for mailbox in self.mailboxes.iter() {
            mailbox.post(Message::Stop(at));
        }
        for event_loop in self.loops.drain(..) {
            let _ = event_loop.join();
        }
        self.pool.stop();
    }
}

fn spawn(
    name: String,
    run: impl FnOnce() -> io::Result<()> + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let builder = thread::Builder::new().name(name.clone()).stack_size(sql::STATEMENT_STACK_BYTES);
    builder.spawn(move || {
        let why = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "panicked".to_owned(),
        };
        tracing::error!(thread = name, why, "a thread of the server failed: giving up");
        std::process::abort();
    })
}
