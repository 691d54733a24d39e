//! A conversation inside TLS: to the server it is a conversation as any other, whose bytes are
//! sealed; the one inside sees plain bytes.
//!
//! ```text
//! input (sealed) ──open──> plain ──> the conversation inside ──> replies ──seal──> out (sealed)
//! ```
//!
//! Invariants
//! 1. No handshake is computed where nothing may wait: the loops hand it over.
//! 2. What was sealed is sent, in this order: sealed bytes are numbered. Replies that depend on a
//!    commit are therefore kept back here, plain, until it has succeeded.
//! 3. An idle connection holds no buffers.
//! 4. What the conversation inside has not used is bounded as the input of a plain one is.
//!
//! Not here: keys and records (crate `tls`), which connections are encrypted (crate `server`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tls::{Acceptor, Channel, ChannelState};

use crate::conversation::{Conversation, LeaveNotice, Next, Pending, Report, Turn, Urgency};
use crate::input::Input;

/// A conversation inside TLS.
pub struct EncryptedConversation {
    inside: Box<dyn Conversation>,
    channel: Arc<Mutex<ReportedChannel>>,
    /// What was opened and not used.
    plain: Input,
    /// What it may be at most.
    plain_bytes_max: usize,
    /// Replies that depend on the group.
    kept_back: Vec<u8>,
    /// Whether the conversation inside has begun.
    is_open: bool,
    /// Whether it has yet to greet its client.
    greets: bool,
}

/// The channel, with whether reports of what is under way may be sealed.
struct ReportedChannel {
    channel: Channel,
    /// Only while the conversation inside has its turn: what it answers is sealed after it.
    takes_reports: bool,
}

impl EncryptedConversation {
    /// With a client that begins its handshake with the next byte, and must show a certificate if
    /// the server has authorities and `demands_certificate`. It may send so many bytes that the
    /// conversation inside leaves unused.
    ///
    /// # Errors
    /// Those of a configuration that cannot be used.
    pub fn new(
        inside: Box<dyn Conversation>,
        acceptor: &Acceptor,
        demands_certificate: bool,
        plain_bytes_max: usize,
    ) -> Result<EncryptedConversation, tls::ChannelError> {
        let channel = Channel::new(acceptor, demands_certificate)?;
        Ok(EncryptedConversation {
            inside,
            channel: Arc::new(Mutex::new(ReportedChannel { channel, takes_reports: false })),
            plain: Input::new(),
            plain_bytes_max,
            kept_back: Vec::new(),
            is_open: false,
            greets: false,
        })
    }

    /// Opens what has come; whether the connection is of use.
    fn open(&mut self, input: &mut Input, out: &mut Vec<u8>) -> bool {
        let channel = &mut self.channel.lock().channel;
        if !input.is_empty() {
            let plain = &mut self.plain;
            channel.receive(input.bytes_mut(), |bytes| plain.extend(bytes), out);
            input.consume(input.len());
        }
        channel.state() != ChannelState::Failed
    }

    /// The handshake is done: the conversation inside begins.
    fn begin(&mut self, out: &mut Vec<u8>) {
        let channel = &mut self.channel.lock().channel;
        self.is_open = true;
        self.inside.note_encryption(&Arc::new(channel.encryption()));
        if self.greets {
            let mut greeting = Vec::new();
            self.inside.greet(&mut greeting);
            channel.seal(&greeting, out);
        }
    }

    /// A turn of the conversation inside, and what of its replies may be sent.
    fn turn_inside(&mut self, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        let mut replies = Vec::new();
        self.channel.lock().takes_reports = true;
        let mut next = self.inside.turn(&mut self.plain, &mut replies, turn);
        let mut reported = self.channel.lock();
        reported.takes_reports = false;
        let channel = &mut reported.channel;
        if next == Next::Commit {
            self.kept_back = replies;
            return next;
        }
        channel.seal(&replies, out);
        if next == Next::Input {
            // The protocols inside have their own words for requests that are too long.
            let is_full = self.plain.len() > self.plain_bytes_max;
            if is_full || channel.state() != ChannelState::Open {
                next = Next::Close;
            }
        }
        if next == Next::Close {
            channel.end(out);
        }
        next
    }
}

impl Conversation for EncryptedConversation {
    fn greet(&mut self, _out: &mut Vec<u8>) {
        self.greets = true;
    }

    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        if !self.is_open {
            if !self.channel.lock().channel.has_record(input.bytes()) {
                return Next::Input;
            }
            if !turn.may_wait() {
                return Next::Offload;
            }
        }
        if !self.open(input, out) {
            return Next::Close;
        }
        if !self.is_open {
            if self.channel.lock().channel.state() == ChannelState::Handshake {
                return Next::Input;
            }
            self.begin(out);
        }
        if !self.kept_back.is_empty() {
            let replies = std::mem::take(&mut self.kept_back);
            self.channel.lock().channel.seal(&replies, out);
        }
        let next = self.turn_inside(out, turn);
        self.plain.shrink();
        next
    }

    fn held_bytes(&self) -> usize {
        let own = self.plain.capacity() + self.kept_back.capacity();
        own + self.channel.lock().channel.held_bytes() + self.inside.held_bytes()
    }

    fn note_answered(&mut self, took: Duration) {
        self.inside.note_answered(took);
    }

    fn note_buffers(&mut self, bytes: usize) {
        self.inside.note_buffers(bytes);
    }

    fn drawn_bytes(&self) -> usize {
        self.inside.drawn_bytes()
    }

    fn urgency(&self, _input: &Input) -> Urgency {
        match self.is_open {
            true => self.inside.urgency(&self.plain),
            false => Urgency::Handshake,
        }
    }

    fn leave(&self) -> Option<LeaveNotice> {
        self.inside.leave()
    }

    fn reports(&self) -> Option<Arc<dyn Report>> {
        let inside = self.inside.reports()?;
        Some(Arc::new(SealedReport { inside, channel: self.channel.clone() }))
    }

    fn pending(&self, input: &Input) -> Pending {
        let is_amid = !input.is_empty() || self.channel.lock().channel.is_amid();
        match self.inside.pending(&self.plain) {
            _ if !self.is_open => Pending::Request,
            Pending::Nothing if is_amid => Pending::Request,
            pending => pending,
        }
    }

    fn is_known(&self) -> bool {
        self.is_open && self.inside.is_known()
    }

    fn user(&self) -> Option<&str> {
        self.inside.user()
    }

    fn is_killed(&self) -> bool {
        self.inside.is_killed()
    }

    fn is_encrypted(&self) -> bool {
        true
    }

    fn tell(&mut self, words: &[u8], out: &mut Vec<u8>) {
        let channel = &mut self.channel.lock().channel;
        channel.seal(words, out);
        channel.end(out);
    }

    fn commit_failed(&mut self, error: &rows::Error, out: &mut Vec<u8>) {
        self.kept_back.clear();
        let mut replies = Vec::new();
        self.inside.commit_failed(error, &mut replies);
        self.channel.lock().channel.seal(&replies, out);
    }
}

/// Reports of the conversation inside, sealed.
struct SealedReport {
    inside: Arc<dyn Report>,
    channel: Arc<Mutex<ReportedChannel>>,
}

impl Report for SealedReport {
    fn report(&self, now: Instant, out: &mut Vec<u8>) {
        let mut reported = self.channel.lock();
        if reported.takes_reports {
            let mut words = Vec::new();
            self.inside.report(now, &mut words);
            reported.channel.seal(&words, out);
        }
    }
}
