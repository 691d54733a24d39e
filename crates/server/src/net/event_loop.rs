//! One event loop: takes turns with its connections.
//!
//! A turn: wait for events; give every connection that has something a turn with its conversation;
//! commit the group of all their writes; send every connection its replies, in one write each, and
//! in between if the turn becomes long. Connections whose replies depend on a group that is synced
//! to the disk by another thread wait for it (`Phase::Held`) while the loop goes on with the
//! others.
//!
//! Invariants
//! 1. Nothing here waits except `await_events`: requests that would wait are begun again when what
//!    they read has come, or go to the pool, commits that sync are handed over, or made between two
//!    turns while the loop is parked (`loop_threads`).
//! 2. A reply that depends on a commit is not sent before it.
//! 3. A connection receives at most `READ_BYTES` in a turn, and is not served while more than
//!    `OUTPUT_BYTES_MAX` of its output are unsent.
//! 4. A conversation that comes back from the pool has been served there. One that has not, though
//!    it could wait for anything, would not the next time either: it is told of the fault and
//!    closed, not sent there for ever.
//! 5. A conversation that panics costs its own connection, and the writes of the turn's group,
//!    whose requests are answered with an error.
//!
//! Beside this file, as further methods of the loop: waiting for events (`busy_poll`), commits of a
//! turn's writes (`commits`), reads of files (`reading`), answers that are kept back
//! (`postponing`), sending (`sending`), memory (`memory`), how connections begin and end
//! (`lifecycle`), are encrypted (`encrypting`) and move to other loops (`moving`).
//!
//! Not here: accepting clients (`acceptor`), threads that may wait (`pool`).

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use doors::{Next, Turn, Urgency};
use rows::begun_reads::{Arrival, BegunReads};
use rows::{Engine, Group};

use super::balance::Balance;
use super::busy_poll::BusyPoll;
use super::commits::CommitHere;
use super::connection::{Door, Phase};
use super::limits::{
    ERRAND_IS_LONG, Limits, OUTPUT_BYTES_MAX, READS_MAX, REPLIES_WAIT, ROUNDS_MAX, SERVED_AT_ONCE,
};
use super::locality::RECEIPTS;
use super::loop_threads::{LoopThreads, Pause, Serving};
use super::mailbox::{Mailbox, Message, Task};
use super::memory::{MEMORY_PAUSE, MemoryExcess};
use super::metrics::{LoopCounters, Metrics};
use super::moving::CpuClock;
use super::poller::{Poller, Ready, ReceiveOutcome, Token};
use super::pool::Pool;
use super::recent_clients::RecentClients;
use super::slots::{MAILBOX, Slots};

/// How often buffers, idle and stalled connections are looked after.
const TICK: Duration = Duration::from_secs(1);
/// The same while the server stops.
const TICK_STOPPING: Duration = Duration::from_millis(100);

/// What all loops of a server share.
#[derive(Clone)]
pub struct LoopShared {
    /// The rows.
    pub engine: Arc<Engine>,
    /// Threads that may wait.
    pub pool: Arc<Pool>,
    /// The doors, in the order of `Metrics::doors`.
    pub doors: Arc<Vec<Door>>,
    /// Counters of all loops.
    pub metrics: Arc<Metrics>,
    /// Limits from the settings.
    pub limits: Limits,
    /// How many loops serve.
    pub balance: Arc<Balance>,
    /// One per loop.
    pub mailboxes: Arc<Vec<Arc<Mailbox>>>,
    /// The threads that run the loops.
    pub loop_threads: Arc<LoopThreads>,
}

/// An event loop.
pub struct EventLoop<P> {
    pub(super) poller: P,
    pub(super) shared: LoopShared,
    pub(super) number: usize,
    pub(super) mailbox: Arc<Mailbox>,
    pub(super) slots: Slots,
    /// Connections to be served in this turn.
    pub(super) runnable: Vec<Token>,
    /// Connections to be served in the next turn.
    pub(super) next: Vec<Token>,
    /// Connections that have output to send at the end of the turn.
    pub(super) to_send: Vec<Token>,
    pub(super) group: Group,
    /// Connections whose replies depend on `group`.
    pub(super) members: Vec<Token>,
    /// The same for groups that are being committed.
    pub(super) committing: HashMap<u64, Vec<Token>>,
    pub(super) groups: u64,
    /// A group that this thread commits when the turn is over.
    pub(super) here: Option<CommitHere>,
    /// When the last group was to be committed.
    pub(super) last_group: Instant,
    pub(super) recent_clients: RecentClients,
    pub(super) busy_poll: BusyPoll,
    /// Conversations that are in the pool.
    pub(super) tasks: usize,
    pub(super) started: Instant,
    /// When this turn began.
    pub(super) turn_at: Instant,
    /// Whole seconds since `started`.
    pub(super) now: u32,
    pub(super) last_tick: Instant,
    pub(super) last_note: Instant,
    pub(super) cpu_clock: Option<CpuClock>,
    pub(super) stop_at: Option<Instant>,
    /// Connections that wait for memory.
    pub(super) waiting: Vec<Token>,
    /// Connections that wait for row locks, and until when.
    pub(super) lock_waits: BTreeSet<(Instant, Token)>,
    /// Connections whose answers are kept back, and until when.
    pub(super) postponed: BTreeSet<(Instant, Token)>,
    /// Reads of files, where the store and the kernel have them. Of the thread that runs the loop.
    pub(super) reads: Option<Box<dyn BegunReads>>,
    /// Reads that have ended, to be seen to in the next turn.
    pub(super) arrivals: Vec<Arrival>,
    /// More memory is in use than should be.
    pub(super) over: Option<MemoryExcess>,
    /// Buffers of `take_turn`.
    pub(super) ready: Vec<Ready>,
    messages: Vec<Message>,
    /// Connections that belong to the loop of another core.
    pub(super) leaving: Vec<(Token, usize)>,
}

impl<P: Poller> Serving for EventLoop<P> {
    fn begin_thread(&mut self) {
        self.cpu_clock = CpuClock::open();
        self.keep_core();
        self.busy_poll.begin_thread();
        debug_assert_eq!(self.reads_under_way(), 0, "another thread's reads are lost");
        self.reads = self.shared.engine.store().begun_reads(self.mailbox.as_fd());
    }

    fn take_turns(&mut self) -> io::Result<Pause> {
        loop {
            if let Some(here) = self.here.take() {
                return Ok(here.pause());
            }
            if self.stop_at.is_some_and(|at| self.slots.len() == 0 || self.turn_at >= at) {
                self.abandon();
                return Ok(Pause::Stopped);
            }
            self.take_turn()?;
        }
    }

    fn committed(&mut self, group: u64, result: rows::Result<()>) {
        self.end_commit_here(group, &result);
    }

    fn mailbox(&self) -> Arc<Mailbox> {
        Arc::clone(&self.mailbox)
    }
}

impl<P: Poller> EventLoop<P> {
    /// A loop without connections. `number` is its place in `Metrics::loops`.
    ///
    /// # Errors
    /// When the poller cannot watch the mailbox.
    pub fn new(mut poller: P, shared: LoopShared, number: usize) -> io::Result<EventLoop<P>> {
        let mailbox = shared.mailboxes[number].clone();
        poller.add(mailbox.as_fd(), MAILBOX)?;
        let started = Instant::now();
        let busy_poll = BusyPoll::new(shared.limits.busy_poll);
        Ok(EventLoop {
            poller,
            shared,
            number,
            mailbox,
            slots: Slots::default(),
            runnable: Vec::new(),
            next: Vec::new(),
            to_send: Vec::new(),
            group: Group::new(),
            members: Vec::new(),
            committing: HashMap::new(),
            groups: 0,
            here: None,
            last_group: started,
            recent_clients: RecentClients::default(),
            busy_poll,
            tasks: 0,
            started,
            turn_at: started,
            now: 0,
            last_tick: started,
            last_note: started,
            cpu_clock: None,
            stop_at: None,
            waiting: Vec::new(),
            lock_waits: BTreeSet::new(),
            postponed: BTreeSet::new(),
            reads: None,
            arrivals: Vec::new(),
            over: None,
            ready: Vec::new(),
            messages: Vec::new(),
            leaving: Vec::new(),
        })
    }

    fn take_turn(&mut self) -> io::Result<()> {
        let now = self.await_events()?;
        self.turn_at = now;
        self.now = now.duration_since(self.started).as_secs() as u32;
        self.counters().turns.add(1);
        std::mem::swap(&mut self.runnable, &mut self.next);
        let mut messages = std::mem::take(&mut self.messages);
        self.mailbox.take(&mut messages);
        messages.drain(..).for_each(|message| self.receive_message(message));
        self.messages = messages;
        let mut ready = std::mem::take(&mut self.ready);
        ready.drain(..).for_each(|event| self.note(event));
        self.ready = ready;
        self.keep_memory(now);
        self.end_lock_waits(now);
        self.end_postponing(now);
        self.take_reads();
        self.serve();
        self.proceed_with_reads();
        self.send_all();
        self.let_go();
        self.shared.pool.relieve();
        self.keep_balance(now);
        let tick = if self.stop_at.is_some() { TICK_STOPPING } else { TICK };
        if now.duration_since(self.last_tick) >= tick {
            self.last_tick = now;
            self.tick();
        }
        Ok(())
    }

    /// How long the loop may sleep; announces the sleep to the mailbox.
    pub(super) fn timeout(&self) -> Option<Duration> {
        let most = self.lock_waits_left().into_iter().chain(self.postponed_left()).min();
        let more = !self.arrivals.is_empty() || !self.next.is_empty() || !self.to_send.is_empty();
        if more || !self.mailbox.fall_asleep() {
            return Some(Duration::ZERO);
        }
        let usual = if self.shared.pool.has_waiting() || self.has_reads_behind() {
            Some(ERRAND_IS_LONG)
        } else if !self.waiting.is_empty() {
            Some(MEMORY_PAUSE)
        } else if self.stop_at.is_some() {
            Some(TICK_STOPPING)
        } else if self.slots.len() > 0 {
            Some(TICK)
        } else {
            None
        };
        most.into_iter().chain(usual).min()
    }

    pub(super) fn counters(&self) -> &LoopCounters {
        &self.shared.metrics.loops[self.number]
    }

    fn receive_message(&mut self, message: Message) {
        match message {
            Message::Newcomer(newcomer) => self.welcome(newcomer),
            Message::Back(task) => self.take_back(task),
            Message::Committed { group, result } => {
                self.busy_poll.note_late();
                let members = self.committing.remove(&group).unwrap_or_default();
                self.settle(members, &result);
            }
            Message::Unlocked(token) => self.note_unlocked(token),
            Message::Give(order) => self.give_away(order),
            Message::Moved(connection) => self.adopt(connection),
            Message::Stop(at) => self.begin_stop(at),
        }
    }

    /// Remembers what the kernel has said of a connection.
    fn note(&mut self, event: Ready) {
        let Some(connection) = self.slots.get(event.token) else {
            return;
        };
        connection.readable |= event.readable;
        connection.ended |= event.ended;
        if event.ended
            && let Some(leave) = &connection.leave
        {
            leave();
        }
        if event.writable && connection.output.unsent() > 0 && !connection.sending {
            connection.sending = true;
            self.to_send.push(event.token);
        }
        if event.readable && !connection.queued {
            connection.queued = true;
            self.runnable.push(event.token);
        }
    }

    /// Serves the runnable connections and has their writes committed; again those that only waited
    /// for a commit that needed no waiting.
    pub(super) fn serve(&mut self) {
        for _ in 0..ROUNDS_MAX {
            let mut tokens = std::mem::take(&mut self.runnable);
            let mut sent_at = self.turn_at;
            for some in tokens.chunks(SERVED_AT_ONCE) {
                for &token in some {
                    if !self.waits_for_memory(token) {
                        self.step(token);
                    }
                }
                // Replies that are ready, and the disk, do not wait for all the dear requests
                // behind them.
                if tokens.len() > SERVED_AT_ONCE && sent_at.elapsed() > REPLIES_WAIT {
                    self.proceed_with_reads();
                    self.send_all();
                    sent_at = Instant::now();
                }
            }
            self.commit_group();
            if self.runnable.is_empty() {
                tokens.clear();
                self.runnable = tokens;
                return;
            }
        }
        self.next.append(&mut self.runnable);
    }

    /// Serves one connection, if it is its turn.
    fn step(&mut self, token: Token) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        connection.queued = false;
        let unsent = connection.output.unsent();
        match connection.phase {
            Phase::Away => return connection.socket.await_back(),
            Phase::Reading | Phase::Locked | Phase::Held | Phase::Postponed | Phase::Closing => {
                return;
            }
            Phase::Lingering => return self.linger(token),
            // Sending goes on when the kernel has room, and then queues the connection.
            Phase::Ready if unsent > OUTPUT_BYTES_MAX => return,
            Phase::Again if unsent > 0 => return,
            Phase::Ready => {
                if !self.receive(token) {
                    return;
                }
                if self.expects_pool(token) {
                    self.recent_clients.note(token, self.turn_at);
                    return self.offload(token);
                }
            }
            Phase::Again => connection.phase = Phase::Ready,
        }
        self.converse(token);
    }

    /// Receives what has come in; `false` when there is nothing to serve.
    fn receive(&mut self, token: Token) -> bool {
        let Some(connection) = self.slots.get(token) else {
            return false;
        };
        let mut fresh = std::mem::take(&mut connection.due);
        let mut is_looked_at = false;
        if connection.readable && !connection.finished {
            let door = connection.door;
            match self.poller.receive(connection.socket.as_fd(), &mut connection.input) {
                Ok(ReceiveOutcome::Bytes { count, drained }) => {
                    // After the end was reported, a short read is not the last one.
                    connection.readable = !drained || (connection.ended && count > 0);
                    if count > 0 {
                        fresh = true;
                        connection.active_at = self.now;
                        if connection.answered == 0 {
                            connection.begun_at = self.turn_at;
                        }
                        connection.count_begun(count);
                        connection.receipts = (connection.receipts + 1) % RECEIPTS;
                        is_looked_at = connection.receipts == 0;
                        self.counters().doors[door].received_bytes.add(count as u64);
                    }
                }
                Ok(ReceiveOutcome::End) => {
                    connection.readable = false;
                    connection.finished = true;
                }
                Err(error) => {
                    tracing::debug!(connection = connection.peer.id, %error, "receive failed");
                    self.close(token);
                    return false;
                }
            }
        }
        if is_looked_at {
            self.look_for_home(token);
        }
        if !fresh {
            self.await_input(token);
        }
        fresh
    }

    /// Whether the conversation is sent to the pool without having tried here.
    fn expects_pool(&mut self, token: Token) -> bool {
        let connection = self.slots.get(token);
        connection.is_some_and(|each| {
            each.forecast.is_long() && !each.input.is_empty() && !each.is_encrypted()
        })
    }

    /// Gives the conversation its turn and does what it says.
    fn converse(&mut self, token: Token) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        let Some(conversation) = connection.conversation.as_mut() else {
            return;
        };
        let mark = connection.output.mark();
        let piece = connection.piece.take();
        self.shared.engine.store().begin_turn(self.reads.is_some());
        let mut turn = Turn::in_loop(&self.shared.engine, &mut self.group);
        let (input, out) = (&mut connection.input, connection.output.buffer());
        let mut next = Next::Close;
        let mut take_turn = || next = conversation.turn(input, out, &mut turn);
        let taken = catch_unwind(AssertUnwindSafe(|| match &piece {
            Some(piece) => piece.lend_to(&mut take_turn),
            None => take_turn(),
        }));
        let requests = turn.requests();
        if taken.is_err() {
            tracing::error!(connection = connection.peer.id, "conversation failed; closing");
            self.close(token);
            return self.give_group_up();
        }
        let door = connection.door;
        connection.answered += requests;
        if !connection.output.sendable().is_empty() && !connection.sending {
            connection.sending = true;
            self.to_send.push(token);
        }
        if requests > 0 || matches!(next, Next::Offload | Next::Commit) {
            self.recent_clients.note(token, self.turn_at);
        }
        if requests > 0 && next != Next::Offload {
            connection.forecast.note(false);
        }
        if requests > 0 || next != Next::Offload {
            connection.forget_waits();
        }
        if requests > 0 {
            connection.begun = None;
        }
        match next {
            Next::Input => self.await_input(token),
            Next::Again => self.await_output(token),
            Next::Close => connection.phase = Phase::Closing,
            Next::Later(time) => self.postpone(token, mark, time),
            Next::Encrypt => self.encrypt(token),
            Next::Commit => {
                connection.phase = Phase::Held;
                let is_encrypted = connection.is_encrypted();
                connection.output.hold(if is_encrypted { connection.output.mark() } else { mark });
                self.members.push(token);
            }
            Next::Offload if self.begin_read(token) || self.begin_lock_wait(token) => {}
            Next::Offload => self.offload(token),
        }
        let mut is_silent = false;
        if let Some(connection) = self.slots.get(token) {
            connection.count_memory();
            is_silent = next == Next::Input && connection.output.unsent() == 0;
        }
        if requests > 0 && is_silent {
            self.note_latency(token, Instant::now());
        }
        if next == Next::Close {
            self.send_later(token);
        }
        let counters = self.counters();
        counters.doors[door].requests.add(requests);
        counters.answers.add(requests.min(1));
    }

    /// Sends the conversation to the pool, with what it works on.
    pub(super) fn offload(&mut self, token: Token) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        connection.phase = Phase::Away;
        connection.forget_waits();
        connection.leave = connection.conversation.as_ref().and_then(|each| each.leave());
        connection.reports = connection.conversation.as_ref().and_then(|each| each.reports());
        if connection.ended
            && let Some(leave) = &connection.leave
        {
            leave();
        }
        let urgency = connection.conversation.as_ref().map(|each| each.urgency(&connection.input));
        let door = connection.door;
        let socket = connection.socket_for_pool().filter(|_| self.stop_at.is_none());
        if let Some(socket) = &socket {
            socket.send_away();
        }
        let task = Task {
            token,
            conversation: connection.conversation.take(),
            urgency: urgency.unwrap_or(Urgency::Ordinary),
            input: std::mem::take(&mut connection.input),
            out: connection.output.give_up(),
            socket,
            sent: 0,
            next: Next::Close,
            requests: 0,
            reads_in_loop: self.reads.as_ref().map_or(0, |_| READS_MAX.into()),
            was_for_pool: false,
        };
        self.counters().doors[door].offloaded.add(1);
        self.tasks += 1;
        self.shared.pool.submit(task, self.mailbox.clone());
    }

    /// The conversation needs more bytes: sees to it that the connection is served when they
    /// come, or is closed when none will.
    fn await_input(&mut self, token: Token) {
        let stopping = self.stop_at.is_some();
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        connection.phase = Phase::Ready;
        connection.note_begun(self.turn_at);
        let input_max = self.shared.doors[connection.door].input_bytes_max;
        let full = connection.input.len() > input_max;
        if full {
            let metrics = &self.shared.metrics;
            if let Some(more) = metrics.large_lines.next(self.turn_at) {
                let (id, bytes) = (connection.peer.id, connection.input.len());
                let (door, peer) = (metrics.doors[connection.door], connection.peer.shown());
                let what = "request larger than the door takes; closing";
                tracing::warn!(connection = id, door, peer, bytes, more, "{what}");
            }
        }
        if full || connection.finished || (stopping && !connection.readable) {
            connection.phase = Phase::Closing;
            self.send_later(token);
        } else if connection.readable && !connection.queued {
            connection.queued = true;
            self.next.push(token);
        }
    }

    /// Takes a conversation back from the pool.
    fn take_back(&mut self, task: Task) {
        let now = self.now;
        self.tasks -= 1;
        let Some(connection) = self.slots.get(task.token) else {
            return;
        };
        connection.active_at = now;
        connection.leave = None;
        connection.reports = None;
        connection.input = task.input;
        if task.requests > 0 {
            connection.begun = None;
        }
        let mark = connection.output.mark();
        connection.output.append(task.out);
        match task.requests {
            0 => connection.forecast.forget(),
            _ => connection.forecast.note(task.was_for_pool),
        }
        let (door, id) = (connection.door, connection.peer.id);
        let token = task.token;
        if task.conversation.is_none() {
            tracing::error!(connection = id, "conversation failed in the pool; closing");
            return self.close(token);
        }
        connection.conversation = task.conversation;
        connection.phase = Phase::Ready;
        connection.count_memory();
        connection.answered += task.requests;
        if connection.has_to_be_sent() || task.next != Next::Input {
            self.send_later(token);
        } else {
            self.note_latency(token, Instant::now());
        }
        let counters = self.counters();
        counters.answers.add(task.requests.min(1));
        counters.doors[door].requests.add(task.requests);
        counters.doors[door].sent_bytes.add(task.sent as u64);
        match task.next {
            Next::Input => self.await_input(token),
            Next::Again => self.await_output(token),
            Next::Offload => {
                let door = self.shared.doors[door].name;
                tracing::error!(
                    connection = id,
                    door,
                    "a request would wait where it may wait: this is a bug; closing"
                );
                self.give_up_with_fault(token);
            }
            Next::Commit => self.go_on(token),
            Next::Encrypt => self.encrypt(token),
            Next::Later(time) => self.postpone(token, mark, time),
            Next::Close => {
                if let Some(connection) = self.slots.get(token) {
                    connection.phase = Phase::Closing;
                }
            }
        }
    }

    /// A request cannot be served: says so and closes.
    fn give_up_with_fault(&mut self, token: Token) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        connection.tell(&self.shared.doors[connection.door].fault);
        connection.phase = Phase::Closing;
    }

    /// Gives the conversation a turn in this turn of the loop, whether bytes came or not.
    pub(super) fn go_on(&mut self, token: Token) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        connection.phase = Phase::Ready;
        connection.due = true;
        if !connection.queued {
            connection.queued = true;
            self.runnable.push(token);
        }
    }
}
