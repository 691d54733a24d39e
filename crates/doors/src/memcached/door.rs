//! One memcached client's conversation: takes turns, chooses the syntax, keeps the order.
//!
//! Invariants
//! 1. The first byte decides: 0x80 is the binary protocol for the life of the connection.
//! 2. A request that must wait stays in the input, and nothing of it is in `out`.
//! 3. While a list of keys is written, piece by piece, nothing behind it is served.
//! 4. What a client may do is made out once a turn: a REVOKE holds for what it sends next.
//! 5. No part of a refused block of data is carried out: it is thrown away as it comes. Behind a
//!    line whose block has a length that cannot be read nothing is carried out any more.
//!
//! Not here: requests (`text`, `meta`, `binary`), logins (`login`, `sasl`), what requests do
//! (`execute`).

use std::sync::Arc;
use std::time::Duration;

use rows::cache::KeyBatch;
use rows::error::{Error, Thing};
use sql::DoorProcess;
use tls::Encryption;

use crate::conversation::{Conversation, Next, Pending, Turn, Urgency};
use crate::input::Input;
use crate::logins::DoorClient;
use crate::memcached::command::{MemcachedRefusal, MemcachedTrouble, Moment, refusal_for};
use crate::memcached::execute::MemcachedRows;
use crate::memcached::listing::{KeyListForm, Listing};
use crate::memcached::place::{MemcachedPlace, Places, prepare};
use crate::memcached::rights::ItemRights;
use crate::memcached::sasl::{self, SaslExchange};
use crate::memcached::shared::{MemcachedShared, now};
use crate::memcached::{binary, login, text};

/// Requests of one connection in one turn, so that others get theirs.
const REQUESTS_PER_TURN: usize = 256;
/// Bytes of replies after which the turn ends.
const OUT_BYTES_PER_TURN: usize = 256 * 1024;
/// Times a request is repeated because tables change under it.
const REPEATS_MAX: usize = 16;

/// What a served request did to the conversation.
#[derive(Clone, Copy, Debug)]
pub(super) enum MemcachedStep {
    /// Not complete yet.
    More,
    /// Answered.
    Done {
        /// Bytes of the input that it took.
        consumed: usize,
        /// Bytes after those that are to be thrown away as they come.
        swallow: usize,
        /// What it is told when the group's commit fails.
        failing: CommitFailureReply,
    },
    /// A login that has failed: the answer leaves so late, and nothing else with it.
    Denied {
        /// Bytes of the input that it took.
        consumed: usize,
        /// How late.
        delay: Duration,
    },
    /// Refused, and how long the block of data is that may follow cannot be read.
    Unmeasured {
        /// Bytes of the input that its line took.
        consumed: usize,
    },
    /// A list of keys is to be written.
    List {
        /// Bytes of the input that the request took.
        consumed: usize,
        /// How keys are listed.
        form: KeyListForm,
        /// How many at most.
        limit: u64,
    },
    /// The connection ends; what is in `out` is sent first.
    Close,
}

/// How a request is told that the commit failed.
#[derive(Clone, Copy, Debug)]
pub(super) enum CommitFailureReply {
    /// Not at all.
    Silent,
    /// By a line.
    Line,
    /// By a binary packet.
    Packet {
        /// The request's opcode.
        opcode: u8,
        /// The request's opaque.
        opaque: [u8; 4],
    },
}

/// One client's conversation.
pub struct Memcached {
    shared: Arc<MemcachedShared>,
    client: DoorClient,
    sasl: SaslExchange,
    places: Places,
    /// Whether the client speaks binary; `None` before its first byte.
    binary: Option<bool>,
    /// Bytes of a refused value that are still to come.
    swallow: usize,
    /// Whether the next bytes may be a block of data whose length could not be read.
    unmeasured: bool,
    /// Requests answered in this turn.
    answered: Vec<CommitFailureReply>,
    /// Whether one of them wrote into the group, or met what others wrote into it.
    wrote: bool,
    /// Requests in front of the input whose rows were fetched ahead.
    ahead: usize,
    /// Whether `places` are those of this turn.
    refreshed: bool,
    /// A list of keys that is not all written.
    listing: Option<Listing>,
    /// A buffer for row keys.
    row_key: Vec<u8>,
    /// A buffer for keys that are read soon.
    batch: KeyBatch,
}

impl Memcached {
    /// A new client's conversation.
    pub fn new(shared: Arc<MemcachedShared>, client: DoorClient) -> Memcached {
        shared.counters.curr_connections.add();
        shared.counters.total_connections.add();
        Memcached {
            shared,
            client,
            sasl: SaslExchange::default(),
            places: Places::default(),
            binary: None,
            swallow: 0,
            unmeasured: false,
            answered: Vec::new(),
            wrote: false,
            ahead: 0,
            refreshed: false,
            listing: None,
            row_key: Vec::new(),
            batch: KeyBatch::default(),
        }
    }

    /// Serves the request in front.
    fn request(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
        moment: Moment,
    ) -> Result<MemcachedStep, MemcachedTrouble> {
        if self.unmeasured {
            return Ok(text::serve_unmeasured(bytes, out));
        }
        let binary = *self.binary.get_or_insert(bytes[0] == binary::REQUEST);
        if (!self.client.is_in() || binary && sasl::begins(bytes))
            && let Some(step) = self.login(binary, bytes, out, turn)?
        {
            return Ok(step);
        }
        if !self.refreshed {
            // Limits are those of now, too.
            self.client.renew();
        }
        let is_update = match binary {
            true => binary::is_update,
            false => text::is_update,
        };
        if let Err(reached) = self.client.count_request(|| is_update(bytes)) {
            let why = MemcachedRefusal::Server(reached.to_string().into());
            return Ok(match binary {
                true => binary::refuse_front(bytes, &why, out),
                false => text::refuse_front(bytes, &why, out),
            });
        }
        if self.shared.flush_due(moment) {
            if self.wrote || !turn.may_wait_for_writers() {
                return Err(MemcachedTrouble::Wait);
            }
            self.shared.flush_if_due(turn.engine())?;
        }
        let mark = out.len();
        for _ in 0..REPEATS_MAX {
            // What was acknowledged before this turn's bytes were received is known from here on;
            // what changes later is met as `Outdated`.
            if !self.refreshed {
                self.refresh(turn)?;
                self.refreshed = true;
            }
            let mut rows = MemcachedRows {
                shared: &self.shared,
                places: &self.places,
                rights: self.client.rights(),
                turn,
                now: moment,
                wrote: &mut self.wrote,
                row_key: &mut self.row_key,
                batch: &mut self.batch,
            };
            if !binary && self.ahead == 0 {
                self.ahead = text::look_ahead(bytes, &mut rows);
            }
            let served = match binary {
                true => binary::serve(bytes, &mut rows, out),
                false => text::serve(bytes, &mut rows, out),
            };
            match served {
                Err(MemcachedTrouble::Outdated) => {
                    out.truncate(mark);
                    self.client.forget_accesses();
                    self.refreshed = false;
                }
                other => return other,
            }
        }
        match turn.may_wait() {
            false => Err(MemcachedTrouble::Wait),
            true => {
                Err(MemcachedRefusal::Server("tables are being changed, try again".into()).into())
            }
        }
    }

    /// Serves the request in front if it has to do with logging in, or needs a login first.
    fn login(
        &mut self,
        binary: bool,
        bytes: &[u8],
        out: &mut Vec<u8>,
        turn: &Turn<'_>,
    ) -> Result<Option<MemcachedStep>, MemcachedTrouble> {
        // What is told late is told alone, behind the commit of what came before.
        if self.wrote {
            return Err(MemcachedTrouble::Wait);
        }
        let (client, shared, may_wait) = (&mut self.client, &self.shared, turn.may_wait());
        // What the client may do may be something else from here on.
        self.refreshed = false;
        match binary {
            true => self.sasl.serve(bytes, client, shared, may_wait, out),
            false => login::serve(bytes, client, shared, may_wait, out).map(Some),
        }
    }

    /// Looks at the tables again, and makes the built-in one that somebody has dropped.
    fn refresh(&mut self, turn: &mut Turn<'_>) -> Result<(), MemcachedTrouble> {
        self.client.renew();
        match self.places.refresh(turn.engine(), turn.reach(), self.client.standing()) {
            Err(Error::NotFound { .. }) => {}
            refreshed => return Ok(refreshed?),
        }
        if self.wrote || !turn.may_wait_for_writers() {
            return Err(MemcachedTrouble::Wait);
        }
        prepare(turn.engine())?;
        Ok(self.places.refresh(turn.engine(), turn.reach(), self.client.standing())?)
    }

    /// Writes the next piece of a list, which is work for where waiting is allowed.
    fn list(&mut self, mut listing: Listing, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        if !turn.may_wait() {
            self.listing = Some(listing);
            return Next::Offload;
        }
        let engine = turn.engine();
        let moment = now(engine);
        let mut failed = Error::SchemaChanged;
        self.client.renew();
        for _ in 0..REPEATS_MAX {
            let refreshed = self.places.refresh(engine, turn.reach(), self.client.standing());
            let is_told = listing.is_told;
            let may_list = |home: &MemcachedPlace| match is_told {
                true => home.rights.allow(ItemRights::READ),
                false => home.ask(ItemRights::READ, None).is_ok(),
            };
            if refreshed.is_ok() {
                let may_list = self.places.home().is_some_and(may_list);
                if !is_told {
                    // Whether the client reads the list to its end or leaves.
                    self.client.end_request();
                    listing.is_told = true;
                }
                if !may_list {
                    text::refusal(&MemcachedRefusal::Denied, out);
                    return Next::Close;
                }
            }
            let piece = refreshed.and_then(|()| {
                let gone = || Error::NotFound { what: Thing::Table, name: "kv.cache".into() };
                let home = self.places.home().ok_or_else(gone)?;
                listing.piece(engine, home, &self.shared, moment, out)
            });
            match piece {
                Ok(true) => {
                    self.client.end_request();
                    turn.served(1);
                    return Next::Again;
                }
                Ok(false) => {
                    self.listing = Some(listing);
                    return Next::Again;
                }
                Err(Error::SchemaChanged) => {}
                Err(error) => {
                    failed = error;
                    break;
                }
            }
        }
        text::refusal(&refusal_for(&failed), out);
        Next::Close
    }

    /// What the turn comes to: replies that depend on the group come before everything else.
    fn next_or(&self, next: Next) -> Next {
        if self.wrote && next != Next::Close { Next::Commit } else { next }
    }
}

impl Drop for Memcached {
    fn drop(&mut self) {
        self.shared.counters.curr_connections.less();
    }
}

impl Conversation for Memcached {
    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        self.answered.clear();
        self.wrote = false;
        self.refreshed = false;
        self.ahead = 0;
        if self.client.is_given_up() {
            return Next::Close;
        }
        let _work = self.client.begin_turn(turn.may_wait());
        let _memory = self.client.draw(turn.may_wait());
        if let Some(listing) = self.listing.take() {
            return self.list(listing, out, turn);
        }
        let moment = now(turn.engine());
        let out_start = out.len();
        for _ in 0..REQUESTS_PER_TURN {
            if self.swallow > 0 {
                let count = self.swallow.min(input.len());
                input.consume(count);
                self.swallow -= count;
            }
            if input.is_empty() {
                return self.next_or(Next::Input);
            }
            let mark = out.len();
            let served = self.request(input.bytes(), out, turn, moment);
            // Of a request that is repeated later nothing is told yet.
            self.wrote |= turn.take_dependence() && !matches!(served, Err(MemcachedTrouble::Wait));
            match served {
                Ok(MemcachedStep::More) => return self.next_or(Next::Input),
                Ok(MemcachedStep::Done { consumed, swallow, failing }) => {
                    input.consume(consumed);
                    self.client.end_request();
                    self.swallow = swallow;
                    self.ahead = self.ahead.saturating_sub(1);
                    self.answered.push(failing);
                    turn.served(1);
                    self.shared.counters.bytes_read.add_many(consumed as u64);
                    self.shared.counters.bytes_written.add_many((out.len() - mark) as u64);
                }
                Ok(MemcachedStep::Denied { consumed, delay }) => {
                    input.consume(consumed);
                    turn.served(1);
                    return Next::Later(delay);
                }
                Ok(MemcachedStep::Unmeasured { consumed }) => {
                    input.consume(consumed);
                    self.client.end_request();
                    self.unmeasured = true;
                    self.answered.push(CommitFailureReply::Line);
                    turn.served(1);
                }
                Ok(MemcachedStep::List { consumed, form, limit }) => {
                    input.consume(consumed);
                    self.client.end_request();
                    self.shared.counters.bytes_read.add_many(consumed as u64);
                    self.listing = Some(Listing::new(form, limit));
                    return Next::Again;
                }
                // What came before must be committed first; then the request is met again.
                Ok(MemcachedStep::Close) if self.wrote => {
                    out.truncate(mark);
                    return Next::Commit;
                }
                Ok(MemcachedStep::Close) => return Next::Close,
                Err(MemcachedTrouble::Refused(refusal)) => {
                    // Not the request's own fault: no table to work on.
                    text::refusal(&refusal, out);
                    return if self.wrote { Next::Commit } else { Next::Close };
                }
                Err(MemcachedTrouble::Wait | MemcachedTrouble::Outdated) => {
                    out.truncate(mark);
                    self.client.forget_accesses();
                    return self.next_or(Next::Offload);
                }
            }
            if out.len() - out_start > OUT_BYTES_PER_TURN {
                break;
            }
        }
        self.next_or(Next::Again)
    }

    fn urgency(&self, input: &Input) -> Urgency {
        // A login may have a slow hash to prove.
        match !self.client.is_in() || sasl::begins(input.bytes()) {
            true => Urgency::Handshake,
            false => Urgency::Ordinary,
        }
    }

    fn is_known(&self) -> bool {
        self.client.is_in()
    }

    fn user(&self) -> Option<&str> {
        self.client.user()
    }

    fn note_answered(&mut self, took: Duration) {
        self.client.note_answered(took);
    }

    fn note_buffers(&mut self, bytes: usize) {
        self.client.note_buffers(bytes);
    }

    fn note_encryption(&mut self, encryption: &Arc<Encryption>) {
        self.client.note_encryption(encryption);
    }

    fn be_listed(&mut self, process: &Arc<DoorProcess>) {
        self.client.be_listed(process);
    }

    fn pending(&self, input: &Input) -> Pending {
        let is_begun = self.swallow > 0 || !input.is_empty();
        if is_begun { Pending::Request } else { Pending::Nothing }
    }

    fn commit_failed(&mut self, error: &Error, out: &mut Vec<u8>) {
        let refusal = refusal_for(error);
        for failing in &self.answered {
            match failing {
                CommitFailureReply::Silent => {}
                CommitFailureReply::Line => text::refusal(&refusal, out),
                CommitFailureReply::Packet { opcode, opaque } => {
                    binary::refuse(*opcode, *opaque, &refusal, out);
                }
            }
        }
    }
}
