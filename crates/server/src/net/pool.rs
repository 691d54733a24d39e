//! The pool: threads that serve conversations where waiting is allowed.
//!
//! A loop hands a conversation over with its input (`Next::Offload`), and gets it back through its
//! mailbox. Its replies are sent from here if they can be (`socket`). Threads come when work waits
//! and none is idle, and leave after a quiet while.
//!
//! What comes here most is a look-up that reads one block from a disk, in less time than it takes
//! to wake a thread and put it to sleep again. So of ordinary tasks only a few for each core are
//! begun at once; the others are taken by the threads that have just ended one, which then do not
//! sleep. Nobody knows beforehand what takes long (a slow disk, a held lock, a large query): an
//! task that has taken a millisecond counts no longer, and another one is begun next to it.
//!
//! Invariants
//! 1. There are at most `POOL_THREADS_MAX` threads at work, and further ones for transactions that
//!    hold row locks (`threads_max`); work beyond that waits in a queue, in order. So threads that
//!    all wait for one lock do not keep its holder from the COMMIT that would free it.
//! 2. Every task comes back to its loop, also when the conversation panics.
//! 3. A conversation is served here once and goes back, however its turn ended. What is left to do
//!    after a commit is done here as well if no request waits behind it.
//! 4. The writes of a pool turn are committed, or have failed, before the task goes back: its
//!    replies can be sent as they are.
//! 5. A thread that worked for long gave way to others (`giving_way`), and goes unless urgent work
//!    waits.
//! 6. An ordinary task waits at most for `ERRAND_IS_LONG` after the last one that could be begun
//!    was: a loop that has submitted any calls `relieve` in every turn, and sleeps no longer while
//!    any waits.
//! 7. Handshakes come behind everything else, and a few at a time (`handshakes_at_once`); while any
//!    waits, a thread is computing one, or has been called.
//!
//! Not here: what is done with the replies (`event_loop`).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use doors::{Conversation, Next, Turn, Urgency};
use parking_lot::{Condvar, Mutex, MutexGuard};
use resources::background::cores;
use rows::{Engine, Group, large_commits};

use super::giving_way::Watch;
use super::limits::{
    COMMIT_THREADS, ERRAND_IS_LONG, ERRANDS_PER_CORE, POOL_THREAD_IDLE, POOL_THREADS_MAX,
};
use super::locality;
use super::mailbox::{Mailbox, Message, Task};

/// Buffers from this size on are not given back by loops.
const DISCARDED_BYTES_MIN: usize = 1 << 20;

/// Threads that may wait.
pub struct Pool {
    engine: Arc<Engine>,
    state: Mutex<PoolState>,
    work: Condvar,
    watch: Arc<Watch>,
    /// Ordinary tasks that are under way at once, unless they take long.
    at_once: usize,
    /// Ordinary tasks in the queue, for who only wants to know whether there are any.
    waiting: AtomicUsize,
}

#[derive(Default)]
struct PoolState {
    /// By urgency.
    queues: [VecDeque<(Task, Arc<Mailbox>)>; 4],
    /// Buffers that are of no use any more.
    discarded: Vec<Vec<u8>>,
    threads: usize,
    idle: usize,
    /// Threads that were woken or started and have not looked for a task since.
    called: usize,
    /// Ordinary tasks under way that have not taken long so far, oldest first: number and
    /// beginning.
    short: VecDeque<(u64, Instant)>,
    /// Ordinary tasks that were begun.
    begun: u64,
    /// Handshakes under way.
    handshakes: usize,
    stopped: bool,
}

/// A task, as a thread begins on it.
struct StartedErrand {
    task: Task,
    home: Arc<Mailbox>,
    /// Of an ordinary one.
    number: Option<u64>,
    is_handshake: bool,
}

/// Handshakes that are computed at once: others have half of the cores, however many clients come.
fn handshakes_at_once() -> usize {
    (cores() / 2).max(1)
}

/// Threads that may be at work when one more begins on such a task. A COMMIT waits for nobody
/// else, so the last few threads always come back.
fn threads_max(urgency: Urgency) -> usize {
    match urgency {
        Urgency::Handshake | Urgency::Ordinary => POOL_THREADS_MAX,
        Urgency::HoldsLocks => 2 * POOL_THREADS_MAX,
        Urgency::FreesLocks => 2 * POOL_THREADS_MAX + COMMIT_THREADS,
    }
}

impl PoolState {
    fn busy(&self) -> usize {
        self.threads - self.idle
    }

    /// The most urgent task that a thread may begin on, while `busy` others are at work: an
    /// ordinary one if not so many are under way.
    fn next(&mut self, busy: usize, at_once: usize) -> Option<StartedErrand> {
        use Urgency::{FreesLocks, Handshake, HoldsLocks, Ordinary};
        for urgency in [FreesLocks, HoldsLocks, Ordinary, Handshake] {
            let may_begin = match urgency {
                Ordinary => self.short() < at_once,
                Handshake => self.handshakes < handshakes_at_once(),
                HoldsLocks | FreesLocks => true,
            };
            if may_begin
                && busy < threads_max(urgency)
                && let Some((task, home)) = self.queues[urgency as usize].pop_front()
            {
                let number = (urgency == Ordinary).then(|| {
                    self.begun += 1;
                    self.short.push_back((self.begun, Instant::now()));
                    self.begun
                });
                let is_handshake = urgency == Handshake;
                self.handshakes += usize::from(is_handshake);
                return Some(StartedErrand { task, home, number, is_handshake });
            }
        }
        None
    }

    /// Whether a handshake waits that could be begun.
    fn lacks_handshake(&self) -> bool {
        let waiting = !self.queues[Urgency::Handshake as usize].is_empty();
        waiting && self.handshakes < handshakes_at_once()
    }

    fn end(&mut self, number: u64) {
        // Those that took long are no longer there.
        if let Ok(place) = self.short.binary_search_by_key(&number, |(number, _)| *number) {
            self.short.remove(place);
        }
    }

    /// Ordinary tasks that are under way, without those that take long.
    fn short(&mut self) -> usize {
        let now = Instant::now();
        while let Some((_, began)) = self.short.front()
            && now.duration_since(*began) > ERRAND_IS_LONG
        {
            self.short.pop_front();
        }
        self.short.len()
    }

    fn is_empty(&self) -> bool {
        self.discarded.is_empty() && self.queues.iter().all(VecDeque::is_empty)
    }

    /// Whether nothing waits but ordinary tasks, which loops see to (`relieve`).
    fn has_ordinary_at_most(&self) -> bool {
        let ordinary = Urgency::Ordinary as usize;
        let mut others = self.queues.iter().enumerate().filter(|(urgency, _)| *urgency != ordinary);
        self.discarded.is_empty() && others.all(|(_, queue)| queue.is_empty())
    }
}

impl Pool {
    /// A pool without threads yet.
    pub fn new(engine: Arc<Engine>) -> Arc<Pool> {
        let cores = cores();
        Arc::new(Pool {
            engine,
            state: Mutex::new(PoolState::default()),
            work: Condvar::new(),
            watch: Arc::default(),
            at_once: cores * ERRANDS_PER_CORE,
            waiting: AtomicUsize::new(0),
        })
    }

    /// Gives the task to a thread; it comes back to `home`. An ordinary one waits for the end of
    /// another while many are under way: whoever submits calls `relieve` until it has begun.
    pub fn submit(self: &Arc<Pool>, task: Task, home: Arc<Mailbox>) {
        let mut state = self.state.lock();
        let urgency = task.urgency;
        state.queues[urgency as usize].push_back((task, home));
        self.note_waiting(&state);
        let may_begin = match urgency {
            Urgency::Ordinary => state.short() + state.called < self.at_once,
            // A thread that has ended one takes the next.
            Urgency::Handshake => state.handshakes + state.called < handshakes_at_once(),
            Urgency::HoldsLocks | Urgency::FreesLocks => true,
        };
        if may_begin {
            self.call(state, urgency);
        }
    }

    /// Whether ordinary tasks wait for the end of others.
    pub fn has_waiting(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Has tasks that wait begun if those under way take long.
    pub fn relieve(self: &Arc<Pool>) {
        if !self.has_waiting() {
            return;
        }
        for _ in 0..self.at_once {
            let mut state = self.state.lock();
            let are_called_for = state.queues[Urgency::Ordinary as usize].len() <= state.called;
            if are_called_for || state.short() + state.called >= self.at_once {
                return;
            }
            self.call(state, Urgency::Ordinary);
        }
    }

    /// Wakes or starts a thread for a task in the queue.
    fn call(self: &Arc<Pool>, mut state: MutexGuard<'_, PoolState>, urgency: Urgency) {
        if state.called < state.idle && self.work.notify_one() {
            state.called += 1;
            return;
        }
        if state.threads >= threads_max(urgency) {
            return;
        }
        state.threads += 1;
        state.called += 1;
        drop(state);
        let pool = self.clone();
        let started = thread::Builder::new()
            .name("rowhouse-pool".into())
            .stack_size(sql::STATEMENT_STACK_BYTES);
        if let Err(error) = started.spawn(move || pool.work()) {
            let mut state = self.state.lock();
            state.threads -= 1;
            state.called -= 1;
            tracing::warn!(%error, threads = state.threads, "no further pool thread");
            // With no thread at all nobody would ever take the task: serve it here, as a
            // server that is slow in a machine without threads rather than one that hangs.
            if state.threads == 0
                && let Some(begun) = state.next(0, usize::MAX)
            {
                self.note_waiting(&state);
                drop(state);
                self.serve(begun.task, &begun.home);
                let mut state = self.state.lock();
                state.handshakes -= usize::from(begun.is_handshake);
                if let Some(number) = begun.number {
                    state.end(number);
                }
            }
        }
    }

    fn note_waiting(&self, state: &PoolState) {
        let waiting = state.queues[Urgency::Ordinary as usize].len();
        self.waiting.store(waiting, Ordering::Relaxed);
    }

    /// Gives a buffer's memory back: a large one's takes milliseconds, in which a loop would hold
    /// up its clients.
    pub fn discard(&self, buffer: Vec<u8>) {
        if buffer.capacity() < DISCARDED_BYTES_MIN {
            return;
        }
        let mut state = self.state.lock();
        if state.threads > 0 {
            state.discarded.push(buffer);
            if state.called < state.idle && self.work.notify_one() {
                state.called += 1;
            }
        }
    }

    /// Sends idle threads away, and those at work when they are done.
    pub fn stop(&self) {
        self.state.lock().stopped = true;
        self.work.notify_all();
    }

    /// Number of threads now.
    pub fn threads(&self) -> usize {
        self.state.lock().threads
    }

    fn work(self: &Arc<Pool>) {
        locality::roam();
        let mut watched = self.watch.worker();
        let mut state = self.state.lock();
        state.called = state.called.saturating_sub(1);
        loop {
            if !state.discarded.is_empty() {
                let discarded = std::mem::take(&mut state.discarded);
                drop(state);
                drop(discarded);
                state = self.state.lock();
            }
            let others = state.busy() - 1;
            if let Some(begun) = state.next(others, self.at_once) {
                let StartedErrand { task, home, number, is_handshake } = begun;
                self.note_waiting(&state);
                // What this thread does now may take long.
                match !is_handshake && state.lacks_handshake() {
                    true => self.call(state, Urgency::Handshake),
                    false => drop(state),
                }
                if number.is_some() {
                    watched.begin();
                }
                self.serve(task, &home);
                let gave_way = watched.end();
                state = self.state.lock();
                state.handshakes -= usize::from(is_handshake);
                if let Some(number) = number {
                    state.end(number);
                }
                // It would keep who waits behind all others, too.
                if gave_way && state.has_ordinary_at_most() {
                    state.threads -= 1;
                    return;
                }
                continue;
            }
            if state.stopped {
                state.threads -= 1;
                return;
            }
            state.idle += 1;
            let waited = self.work.wait_for(&mut state, POOL_THREAD_IDLE);
            state.idle -= 1;
            if !waited.timed_out() {
                state.called = state.called.saturating_sub(1);
            } else if state.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }

    fn serve(&self, mut task: Task, home: &Mailbox) {
        if let Some(conversation) = task.conversation.take() {
            let waits = || self.engine.store().disk_waits();
            let before = (waits(), large_commits());
            let served = catch_unwind(AssertUnwindSafe(|| self.converse(conversation, &mut task)));
            match served {
                Ok(conversation) => task.conversation = Some(conversation),
                Err(_) => task.out.clear(),
            }
            let has_read = waits() - before.0 > task.reads_in_loop;
            task.was_for_pool = has_read || large_commits() != before.1;
        }
        let Some(socket) = task.socket.take() else {
            return home.post(Message::Back(task));
        };
        let is_kept_back = matches!(task.next, Next::Later(_));
        if task.conversation.is_some() && !task.out.is_empty() && !is_kept_back {
            task.sent = socket.answer(&task.out);
            task.out.drain(..task.sent);
        }
        let is_done = task.conversation.is_some()
            && task.next == Next::Input
            && task.input.is_empty()
            && task.out.is_empty();
        home.post_quietly(Message::Back(task));
        if !is_done || socket.is_awaited() {
            home.wake();
        }
    }

    /// Gives the conversation its turn, and commits what it has written.
    fn converse(
        &self,
        mut conversation: Box<dyn Conversation>,
        task: &mut Task,
    ) -> Box<dyn Conversation> {
        for may_go_on in [true, false] {
            let mark = task.out.len();
            let mut group = Group::new();
            let mut turn = Turn::in_pool(&self.engine, &mut group);
            task.next = conversation.turn(&mut task.input, &mut task.out, &mut turn);
            task.requests += turn.requests();
            let committed = match group.take() {
                Some((transaction, durability)) => transaction.commit(durability),
                None => Ok(()),
            };
            if let Err(error) = committed {
                if !conversation.is_encrypted() {
                    task.out.truncate(mark);
                }
                conversation.commit_failed(&error, &mut task.out);
            }
            // After a commit nothing goes on, mostly: found out here, no loop is woken for it.
            if task.next != Next::Commit || !task.input.is_empty() || !may_go_on {
                break;
            }
        }
        conversation
    }
}
