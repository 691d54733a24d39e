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

use rows::Engine;
use rows::background::begin_busy_thread;

use super::acceptor::{Acceptor, StopSignal};
use super::address::Listener;
use super::balance::Balance;
use super::connection::Door;
use super::crew::{Crew, Serving};
use super::event_loop::{EventLoop, Shared};
use super::limits::Limits;
use super::mailbox::{Mailbox, Message};
use super::metrics::Metrics;
use super::poller::Epoll;
use super::pool::Pool;

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

/// Running loops.
pub struct Server {
    mailboxes: Arc<Vec<Arc<Mailbox>>>,
    loops: Vec<JoinHandle<()>>,
    acceptor: Option<JoinHandle<()>>,
    stop: Arc<StopSignal>,
    pool: Arc<Pool>,
    balance: Arc<Balance>,
}

impl Server {
    /// Starts the loops of `plan.metrics`, then the acceptor.
    pub fn start(plan: Plan) -> io::Result<Server> {
        let mut mailboxes = Vec::new();
        for _ in &plan.metrics.loops {
            mailboxes.push(Arc::new(Mailbox::new()?));
        }
        let shared = Shared {
            pool: Pool::new(plan.engine.clone()),
            engine: plan.engine,
            doors: Arc::new(plan.doors),
            metrics: plan.metrics,
            limits: plan.limits,
            balance: Arc::new(Balance::new(mailboxes.len())),
            crew: Arc::new(Crew::new(mailboxes.len())),
            mailboxes: Arc::new(mailboxes),
        };
        let mut loops = Vec::new();
        let count = shared.metrics.loops.len();
        for number in 0..=count {
            let crew = shared.crew.clone();
            // The last one stands by.
            let first: Option<Box<dyn Serving>> = match number < count {
                true => Some(Box::new(EventLoop::new(Epoll::new()?, shared.clone(), number)?)),
                false => None,
            };
            let client_bytes = shared.engine.budget().bytes_max();
            let run = move || {
                begin_busy_thread(client_bytes);
                crew.work(first)
            };
            loops.push(spawn(format!("rowhouse-loop{number}"), run)?);
        }
        let stop = Arc::new(StopSignal::new()?);
        let (pool, balance) = (shared.pool.clone(), shared.balance.clone());
        let mailboxes = shared.mailboxes.clone();
        let acceptor = Acceptor { listeners: plan.listeners, shared, stop: stop.clone() };
        let run = move || {
            acceptor.run();
            Ok(())
        };
        let acceptor = Some(spawn("rowhouse-accept".into(), run)?);
        Ok(Server { mailboxes, loops, acceptor, stop, pool, balance })
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
    thread::Builder::new().name(name.clone()).spawn(move || {
        let why = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "panicked".to_owned(),
        };
        tracing::error!(thread = name, why, "a thread of the server failed: giving up");
        std::process::abort();
    })
}
