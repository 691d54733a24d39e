//! Moving connections from one loop to another, as the balance orders.
//!
//! Invariants
//! 1. A connection moves only between two requests: nothing of it is in the pool, in a commit, in
//!    a list of this turn, or waiting to be sent.
//! 2. It takes along what its client has sent so far; what comes while it moves stays with the
//!    kernel, which reports it to the new loop.
//!
//! Not here: when, and how many (`balance`).

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::balance::{Order, PERIOD};
use super::connection::{Connection, Phase};
use super::event_loop::EventLoop;
use super::mailbox::Message;
use super::poller::{Poller, Token};

/// Connections that one order moves at most; the next period brings the next order.
const MOVES_MAX: usize = 256;
/// The CPU time of the thread that opened it.
pub struct CpuClock(File);

impl CpuClock {
    /// The calling thread's clock, where the kernel has one.
    pub fn open() -> Option<CpuClock> {
        File::open("/proc/thread-self/schedstat").ok().map(CpuClock)
    }

    fn spent(&self) -> Option<Duration> {
        let mut text = [0; 128];
        let length = self.0.read_at(&mut text, 0).ok()?;
        // Nanoseconds on a core, nanoseconds waiting for one, times.
        let nanos = str::from_utf8(&text[..length]).ok()?.split(' ').next()?;
        Some(Duration::from_nanos(nanos.parse().ok()?))
    }
}

/// CPU time is noted this many times in a period.
const NOTES: u32 = 8;

impl<P: Poller> EventLoop<P> {
    /// Notes this loop's CPU time, and passes on what the balance orders.
    pub(super) fn keep_balance(&mut self, now: Instant) {
        if now.duration_since(self.last_note) < PERIOD / NOTES {
            return;
        }
        self.last_note = now;
        let Some(spent) = self.cpu_clock.as_ref().and_then(CpuClock::spent) else {
            return self.shared.balance.serve_with_all();
        };
        let spent = spent.saturating_sub(self.busy_poll.spent());
        self.shared.balance.note(self.number, spent, self.counters().answers.get());
        let was_pinned = self.shared.balance.locality.is_pinned();
        let orders = self.shared.balance.decide(now);
        if self.shared.balance.locality.is_pinned() != was_pinned {
            // So that those who sleep hear of it, too.
            self.shared.mailboxes.iter().for_each(|mailbox| mailbox.wake());
        }
        for order in orders {
            if order.from == self.number {
                self.give_away(order);
            } else if let Some(mailbox) = self.shared.mailboxes.get(order.from) {
                mailbox.post(Message::Give(order));
            }
        }
        self.keep_core();
    }

    /// Gives connections in use to another loop.
    pub(super) fn give_away(&mut self, order: Order) {
        let in_use = self.now.saturating_sub(1);
        let mut tokens = self.slots.tokens();
        tokens.retain(|token| {
            self.slots.get(*token).is_some_and(|c| c.active_at >= in_use && is_movable(c))
        });
        let balance = self.shared.balance.clone();
        for token in tokens.into_iter().step_by(order.one_of).take(MOVES_MAX) {
            balance.unless_frozen(|| self.hand_over(token, order.to));
        }
    }

    /// Gives one connection to another loop, if it is between two requests.
    pub(super) fn move_to(&mut self, token: Token, to: usize) {
        if self.slots.get(token).is_some_and(|connection| is_movable(connection)) {
            let balance = self.shared.balance.clone();
            balance.unless_frozen(|| self.hand_over(token, to));
        }
    }

    fn hand_over(&mut self, token: Token, to: usize) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        if let Err(error) = self.poller.remove(connection.socket.as_fd()) {
            tracing::warn!(connection = connection.peer.id, %error, "a connection stays");
            return;
        }
        if let Some(connection) = self.slots.remove(token) {
            self.counters().live.fetch_sub(1, Ordering::Relaxed);
            self.shared.metrics.loops[to].live.fetch_add(1, Ordering::Relaxed);
            self.counters().moved.add(1);
            self.shared.mailboxes[to].post(Message::Moved(connection));
        }
    }

    /// Takes over a connection that another loop has served so far.
    pub(super) fn adopt(&mut self, mut connection: Box<Connection>) {
        connection.active_at = self.now;
        connection.since = self.now;
        connection.watches_output = false;
        let token = self.slots.insert(connection);
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        // What has come meanwhile is reported at once.
        if let Err(error) = self.poller.add(connection.socket.as_fd(), token) {
            tracing::warn!(connection = connection.peer.id, %error, "cannot watch a connection");
            self.close(token);
        }
    }
}

fn is_movable(connection: &Connection) -> bool {
    connection.phase == Phase::Ready
        && !connection.readable
        && !connection.queued
        && !connection.sending
        && !connection.due
        && !connection.finished
        && connection.output.unsent() == 0
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::thread;

    use doors::{Conversation, Input, Next, Turn};
    use rows::memory::MemoryStore;
    use rows::{Engine, EngineOptions};

    use super::super::balance::Balance;
    use super::super::connection::{Door, Newcomer, Peer};
    use super::super::connection_places::Admission;
    use super::super::event_loop::LoopShared;
    use super::super::limits::Limits;
    use super::super::loop_threads::LoopThreads;
    use super::super::mailbox::Mailbox;
    use super::super::metrics::Metrics;
    use super::super::poller::Epoll;
    use super::super::pool::Pool;
    use super::*;

    struct Echo;

    impl Conversation for Echo {
        fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, _: &mut Turn<'_>) -> Next {
            // Whole lines only, so that parts of lines move along.
            let length =
                input.bytes().iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            out.extend_from_slice(&input.bytes()[..length]);
            input.consume(length);
            Next::Input
        }

        fn commit_failed(&mut self, _: &rows::Error, _: &mut Vec<u8>) {}
    }

    fn shared(loops: usize) -> LoopShared {
        let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).unwrap();
        let mailboxes = (0..loops).map(|_| Arc::new(Mailbox::new().unwrap())).collect();
        let door = Door {
            name: "echo",
            admission: Admission::CLIENTS,
            limit_set: None,
            converse: Arc::new(|_| Box::new(Echo)),
            refusal: Vec::new(),
            overload: Vec::new(),
            fault: Vec::new(),
            input_bytes_max: 1 << 20,
            tls: None,
            listed_in: None,
        };
        LoopShared {
            pool: Pool::new(engine.clone()),
            engine,
            doors: Arc::new(vec![door]),
            metrics: Arc::new(Metrics::new(loops, vec!["echo"])),
            limits: Limits {
                connections_max: 10,
                idle: Duration::ZERO,
                login: Duration::ZERO,
                request: Duration::ZERO,
                stalled: Duration::ZERO,
                busy_poll: Duration::ZERO,
                vanished: Duration::ZERO,
            },
            balance: Arc::new(Balance::new(loops)),
            mailboxes: Arc::new(mailboxes),
            loop_threads: Arc::new(LoopThreads::new(loops)),
        }
    }

    fn join(shared: &LoopShared, to: usize) -> UnixStream {
        let (ours, theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let peer = Peer { id: 1, address: None, uid: None };
        shared.metrics.loops[to].live.fetch_add(1, Ordering::Relaxed);
        let newcomer = Newcomer { socket: ours.into(), door: 0, peer, place: None };
        shared.mailboxes[to].post(Message::Newcomer(newcomer));
        theirs
    }

    #[test]
    fn a_connection_that_moves_to_and_fro_loses_nothing_and_keeps_its_order() {
        let shared = shared(2);
        let loops: Vec<_> = (0..2)
            .map(|number| {
                let event_loop =
                    EventLoop::new(Epoll::new().unwrap(), shared.clone(), number).unwrap();
                let loop_threads = shared.loop_threads.clone();
                thread::spawn(move || loop_threads.work(Some(Box::new(event_loop))).unwrap())
            })
            .collect();
        let mut client = join(&shared, 0);
        let mut replies = BufReader::new(client.try_clone().unwrap());
        let mut at = 0;
        for number in 0..2_000 {
            // In two parts, and the order to move between them, so that some move in the middle.
            let line = format!("line {number}\n");
            let (front, back) = line.as_bytes().split_at(number % line.len());
            client.write_all(front).unwrap();
            let to = 1 - at;
            shared.mailboxes[at].post(Message::Give(Order { from: at, to, one_of: 1 }));
            client.write_all(back).unwrap();
            let mut reply = String::new();
            replies.read_line(&mut reply).unwrap();
            assert_eq!(reply, line);
            at = usize::from(shared.metrics.loops[1].live.load(Ordering::Relaxed) == 1);
        }
        let moved = shared.metrics.turns(|each| &each.moved);
        assert!(moved > 100, "{moved} moves");
        assert_eq!(shared.metrics.connections(), 1);
        shared.balance.freeze();
        for mailbox in shared.mailboxes.iter() {
            mailbox.post(Message::Stop(Instant::now() + Duration::from_secs(5)));
        }
        loops.into_iter().for_each(|each| each.join().unwrap());
        let mut rest = String::new();
        assert_eq!(replies.read_line(&mut rest).unwrap(), 0, "closed at the stop");
    }
}
