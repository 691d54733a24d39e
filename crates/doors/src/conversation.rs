//! What a door is to the server: a conversation that takes turns.
//!
//! An event loop gives a conversation the bytes its client sent; the conversation serves every
//! complete request in front and appends the replies. All writes of one loop turn, whatever
//! their connection, go into one shared transaction, the group, and one commit serves them all.
//!
//! Invariants
//! 1. In a loop (`Turn::may_wait` is false) nothing waits: reads reach into memory only, locks
//!    are tried. A request that would wait changes nothing, stays in the input, and the
//!    conversation answers `Next::Offload`.
//! 2. Replies keep the order of requests. A reply that depends on the group is not sent before
//!    the group is committed (`Next::Commit`).
//! 3. A conversation that has written into the group answers only further writes in the same
//!    turn: a read after them would not see them yet, so it waits for the commit.
//! 4. So does one that has met what another conversation wrote into the group, even if it then
//!    changed nothing (an insert of a key that is there, a cas that fails): told at once, its
//!    client would know of a write that nobody can read yet.
//! 5. Where waiting is allowed nobody answers `Next::Offload`: there is nowhere else to go.
//!
//! Not here: sockets, buffers' limits, threads (crate `server`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use resources::turn_limits::TurnLimits;
use rows::store::{LockWait, Reach};
use rows::{Engine, Group, Result, Transaction};
use sql::DoorProcess;
use tls::Encryption;

use crate::input::Input;

/// What the server does after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Every complete request was served; more bytes are needed.
    Input,
    /// More can be done at once, but what is in `out` should leave first.
    Again,
    /// The request in front must be served where waiting is allowed.
    Offload,
    /// Replies in `out` depend on the group: commit it, send them, then take another turn.
    Commit,
    /// What the turn has put into `out` is to be kept back so long, and the next turn comes after
    /// that: a login has failed.
    Later(Duration),
    /// The client has asked for TLS: what it sends next is of that, and the conversation goes on
    /// inside it.
    Encrypt,
    /// Send what is in `out`, then close.
    Close,
}

/// What a client that is waited for has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// Nothing.
    Nothing,
    /// A request.
    Request,
    /// A part of something that may be of any length, such as a file.
    Part,
}

/// Which requests go first, and which may use the threads that are kept back for when row locks are
/// waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Is no request yet, but the arithmetic that a new connection begins with: a few at a time.
    Handshake,
    /// Holds no locks.
    Ordinary,
    /// Of a transaction that holds locks.
    HoldsLocks,
    /// Ends a transaction that holds locks; waits for no other.
    FreesLocks,
}

/// Tells a conversation that is served elsewhere that its client has left; returns at once.
pub type LeaveNotice = Arc<dyn Fn() + Send + Sync>;

/// Tells a client how far a request is that is served elsewhere.
pub trait Report: Send + Sync {
    /// Appends what is to be told at this moment, if anything is. Called about once a second, and
    /// only while all that the client was sent before has left.
    fn report(&self, now: Instant, out: &mut Vec<u8>);
}

/// One client's protocol state.
pub trait Conversation: Send {
    /// Bytes to send when the client has just connected.
    fn greet(&mut self, _out: &mut Vec<u8>) {}

    /// Serves complete requests from the front of `input` and appends replies to `out`.
    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next;

    /// All replies of the turns before have left, this long after their requests came.
    fn note_answered(&mut self, _took: Duration) {}

    /// Bytes of memory held besides input and output: parts of a request that were taken out of
    /// the input and wait for the rest.
    fn held_bytes(&self) -> usize {
        0
    }

    /// Its connection has so many bytes of buffers, `held_bytes` among them: told after each turn,
    /// for accounts whose memory has a limit.
    fn note_buffers(&mut self, _bytes: usize) {}

    /// Bytes of memory that what is under way has drawn from the engine's budget by itself: rows
    /// that are ready, a part of a file. They are counted already, and not among `held_bytes`.
    fn drawn_bytes(&self) -> usize {
        0
    }

    /// Whether serving what is in front of `input` may free row locks that others wait for, so
    /// that it must not wait behind them.
    fn urgency(&self, _input: &Input) -> Urgency {
        Urgency::Ordinary
    }

    /// How it is told, while it is served where it may wait, that its client sends no more. `None`
    /// where that is no leaving: a client that has only ended its sending is still answered.
    fn leave(&self) -> Option<LeaveNotice> {
        None
    }

    /// What tells its client, while it is served where it may wait, how far that is. `None` where
    /// the protocol has no words for it, or the client did not ask.
    fn reports(&self) -> Option<Arc<dyn Report>> {
        None
    }

    /// What of a request has come that is not complete: asked when a turn has ended with
    /// `Next::Input`.
    fn pending(&self, input: &Input) -> Pending {
        if input.is_empty() { Pending::Nothing } else { Pending::Request }
    }

    /// Whether the client has shown who it is, as far as the protocol asks for that.
    fn is_known(&self) -> bool {
        true
    }

    /// The user that the client logged in as, for the log; `None` where the protocol knows no
    /// users.
    fn user(&self) -> Option<&str> {
        None
    }

    /// Whether another has asked for the connection's end (KILL). While it is idle, nobody else
    /// would notice.
    fn is_killed(&self) -> bool {
        false
    }

    /// Whether its bytes are encrypted. Then the input says nothing before a turn has opened it,
    /// and replies that depend on the group are kept back by the conversation: what it has put into
    /// `out` stays, whatever becomes of the commit.
    fn is_encrypted(&self) -> bool {
        false
    }

    /// The connection is encrypted from now on, in this way.
    fn note_encryption(&mut self, _encryption: &Arc<Encryption>) {}

    /// Where the process list shows the client, if it is of a door that speaks no SQL: told before
    /// anything else.
    fn be_listed(&mut self, _process: &Arc<DoorProcess>) {}

    /// Appends words of the server that are no answer of the conversation's, such as why it is
    /// closed.
    fn tell(&mut self, words: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(words);
    }

    /// The group's commit failed; `out` was cut back to where it stood before the turn that ended
    /// with `Next::Commit`, unless that is encrypted. Appends one error reply for each request of
    /// that turn.
    fn commit_failed(&mut self, error: &rows::Error, out: &mut Vec<u8>);
}

/// What a conversation may use during a turn.
pub struct Turn<'a> {
    engine: &'a Arc<Engine>,
    group: &'a mut Group,
    wait: LockWait,
    requests: u64,
}

impl<'a> Turn<'a> {
    /// A turn in an event loop: nothing may wait.
    pub fn in_loop(engine: &'a Arc<Engine>, group: &'a mut Group) -> Turn<'a> {
        Turn { engine, group, wait: LockWait::Never, requests: 0 }
    }

    /// A turn in a pool thread: locks are waited for as long as the engine allows.
    pub fn in_pool(engine: &'a Arc<Engine>, group: &'a mut Group) -> Turn<'a> {
        let wait = LockWait::AtMost(engine.lock_wait_max());
        Turn { engine, group, wait, requests: 0 }
    }

    /// The rows.
    pub fn engine(&self) -> &'a Arc<Engine> {
        self.engine
    }

    /// What may be done in it.
    pub fn limits(&self) -> &'static TurnLimits {
        self.reach().limits()
    }

    /// Whether waiting for disk, locks and commits is allowed.
    pub fn may_wait(&self) -> bool {
        self.wait != LockWait::Never
    }

    /// Whether waiting until nobody writes to a table is allowed, as emptying it does: then this
    /// turn is no writer itself. Ends a transaction of the group that has written nothing.
    pub fn may_wait_for_writers(&mut self) -> bool {
        self.may_wait() && self.group.end_if_empty()
    }

    /// How far reads may reach.
    pub fn reach(&self) -> Reach {
        if self.may_wait() { Reach::Disk } else { Reach::Memory }
    }

    /// Notes that requests were answered, for the server's metrics.
    pub fn served(&mut self, requests: u64) {
        self.requests += requests;
    }

    /// Requests answered in this turn so far.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Whether the group was asked for since the last call of this and holds writes: then the
    /// reply may depend on them.
    pub fn take_dependence(&mut self) -> bool {
        self.group.take_dependence()
    }

    /// The group's transaction, for a write that is acknowledged with the engine's durability.
    ///
    /// # Errors
    /// Those of the store, when it cannot begin a transaction.
    pub fn transaction(&mut self) -> Result<&mut Transaction> {
        self.group.transaction(self.engine, self.wait, self.engine.durability())
    }

    /// The group itself, for those who know the durability of a write.
    pub fn group(&mut self) -> &mut Group {
        self.group
    }
}
