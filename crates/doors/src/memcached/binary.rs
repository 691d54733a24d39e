//! The binary protocol: packets to commands, answers to packets.
//!
//! ```text
//! | magic 80/81 | opcode | key length u16 | extras length u8 | 0 | vbucket or status u16 |
//! | body length u32 | opaque 4 bytes | cas u64 | extras | key | value |     (big-endian)
//! ```
//!
//! Invariants
//! 1. A packet whose lengths contradict each other is answered and the connection closed.
//! 2. Quiet reads hide misses, quiet writes hide success; errors are always sent.
//!
//! Not here: what commands do (`execute`), logging in (`sasl`).

use crate::memcached::command::{
    Count, Delete, Fetch, KEY_BYTES_MAX, MemcachedRefusal, MemcachedTrouble, Store, StoreMode,
    WriteOutcome,
};
use crate::memcached::door::{CommitFailureReply, MemcachedStep};
use crate::memcached::execute::MemcachedRows;
use crate::memcached::stats;
use crate::memcached::text::{refusing, too_large};

/// First byte of a request.
pub const REQUEST: u8 = 0x80;
const RESPONSE: u8 = 0x81;
pub(super) const HEADER_BYTES: usize = 24;
/// The expiry time that forbids making a counter.
const DO_NOT_CREATE: u32 = u32::MAX;

const MISSING: u16 = 0x01;
const EXISTS: u16 = 0x02;
const TOO_LARGE: u16 = 0x03;
const INVALID: u16 = 0x04;
const NOT_STORED: u16 = 0x05;
const NOT_NUMERIC: u16 = 0x06;
pub(super) const AUTH_ERROR: u16 = 0x20;
pub(super) const AUTH_CONTINUE: u16 = 0x21;
const UNKNOWN: u16 = 0x81;
const INTERNAL: u16 = 0x84;

fn words(status: u16) -> &'static str {
    match status {
        MISSING => "Not found",
        EXISTS => "Data exists for key.",
        TOO_LARGE => "Too large.",
        INVALID => "Invalid arguments",
        NOT_STORED => "Not stored.",
        NOT_NUMERIC => "Non-numeric server-side value for incr or decr",
        AUTH_ERROR => "Auth failure.",
        UNKNOWN => "Unknown command",
        _ => "",
    }
}

/// What an answer repeats of a request's header.
#[derive(Clone, Copy)]
pub(super) struct Header {
    pub opcode: u8,
    pub opaque: [u8; 4],
}

/// A request's header.
pub(super) struct PacketHead {
    pub header: Header,
    pub key_bytes: usize,
    pub extras_bytes: usize,
    /// Bytes of extras, key and value.
    pub body_bytes: usize,
    pub cas: u64,
}

impl PacketHead {
    /// That in front of `bytes`, if it has all come.
    pub fn of(bytes: &[u8]) -> Option<PacketHead> {
        let head = bytes.first_chunk::<HEADER_BYTES>()?;
        Some(PacketHead {
            header: Header { opcode: head[1], opaque: [head[12], head[13], head[14], head[15]] },
            key_bytes: usize::from(u16::from_be_bytes([head[2], head[3]])),
            extras_bytes: usize::from(head[4]),
            body_bytes: u32::from_be_bytes([head[8], head[9], head[10], head[11]]) as usize,
            cas: u64::from_be_bytes(*head[16..].first_chunk().expect("a header has 24 bytes")),
        })
    }
}

/// Appends a packet.
pub(super) fn packet(
    header: Header,
    status: u16,
    cas: u64,
    extras: &[u8],
    key: &[u8],
    value: &[u8],
    out: &mut Vec<u8>,
) {
    let body = (extras.len() + key.len() + value.len()) as u32;
    out.extend_from_slice(&[RESPONSE, header.opcode]);
    out.extend_from_slice(&(key.len() as u16).to_be_bytes());
    out.extend_from_slice(&[extras.len() as u8, 0]);
    out.extend_from_slice(&status.to_be_bytes());
    out.extend_from_slice(&body.to_be_bytes());
    out.extend_from_slice(&header.opaque);
    out.extend_from_slice(&cas.to_be_bytes());
    for part in [extras, key, value] {
        out.extend_from_slice(part);
    }
}

/// Appends a packet that says what went wrong.
pub(super) fn fail(header: Header, status: u16, out: &mut Vec<u8>) {
    packet(header, status, 0, b"", b"", words(status).as_bytes(), out);
}

/// Appends an error packet for a request.
pub fn refuse(opcode: u8, opaque: [u8; 4], refusal: &MemcachedRefusal, out: &mut Vec<u8>) {
    let header = Header { opcode, opaque };
    match refusal {
        MemcachedRefusal::TooLarge => fail(header, TOO_LARGE, out),
        MemcachedRefusal::NotNumeric => fail(header, NOT_NUMERIC, out),
        MemcachedRefusal::Denied => fail(header, AUTH_ERROR, out),
        MemcachedRefusal::Client(why) => packet(header, INVALID, 0, b"", b"", why.as_bytes(), out),
        MemcachedRefusal::Server(why) => packet(header, INTERNAL, 0, b"", b"", why.as_bytes(), out),
    }
}

/// The opcode without its quiet form, and whether it is quiet.
fn loud(opcode: u8) -> (u8, bool) {
    match opcode {
        0x09 => (0x00, true),
        0x0d => (0x0c, true),
        0x11..=0x16 => (opcode - 0x10, true),
        0x17 => (0x07, true),
        0x18 => (0x08, true),
        0x19 => (0x0e, true),
        0x1a => (0x0f, true),
        0x1e => (0x1d, true),
        0x24 => (0x23, true),
        _ => (opcode, false),
    }
}

/// Refuses the packet in front; its body is thrown away as it comes.
pub(super) fn refuse_front(
    bytes: &[u8],
    why: &MemcachedRefusal,
    out: &mut Vec<u8>,
) -> MemcachedStep {
    let Some(PacketHead { header, body_bytes, .. }) = PacketHead::of(bytes) else {
        return MemcachedStep::More;
    };
    refuse(header.opcode, header.opaque, why, out);
    let failing = CommitFailureReply::Packet { opcode: header.opcode, opaque: header.opaque };
    MemcachedStep::Done { consumed: HEADER_BYTES, swallow: body_bytes, failing }
}

/// Whether the packet in front changes items.
pub(super) fn is_update(bytes: &[u8]) -> bool {
    let opcode = bytes.get(1).map_or(0, |opcode| loud(*opcode).0);
    matches!(opcode, 0x01..=0x06 | 0x08 | 0x0e | 0x0f | 0x1c | 0x1d | 0x23)
}

/// Serves the packet in front.
pub(super) fn serve(
    bytes: &[u8],
    rows: &mut MemcachedRows<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<MemcachedStep, MemcachedTrouble> {
    if bytes[0] != REQUEST {
        return Ok(MemcachedStep::Close);
    }
    let Some(head) = PacketHead::of(bytes) else { return Ok(MemcachedStep::More) };
    let PacketHead { header, key_bytes, extras_bytes, body_bytes, cas } = head;
    let (opcode, quiet) = loud(header.opcode);
    let failing = CommitFailureReply::Packet { opcode: header.opcode, opaque: header.opaque };
    let wrong_lengths = key_bytes + extras_bytes > body_bytes || key_bytes > KEY_BYTES_MAX;
    if wrong_lengths || !lengths_fit(opcode, key_bytes, extras_bytes, body_bytes) {
        fail(header, INVALID, out);
        return Ok(MemcachedStep::Close);
    }
    let value_bytes = body_bytes - key_bytes - extras_bytes;
    let fixed = HEADER_BYTES + extras_bytes + key_bytes;
    if bytes.len() < fixed {
        return Ok(MemcachedStep::More);
    }
    let extras = &bytes[HEADER_BYTES..HEADER_BYTES + extras_bytes];
    let key = &bytes[HEADER_BYTES + extras_bytes..fixed];
    if too_large(rows, key, value_bytes) {
        if opcode == 0x01 {
            refusing(rows.discard_for(key))?;
        }
        fail(header, TOO_LARGE, out);
        return Ok(MemcachedStep::Done { consumed: fixed, swallow: value_bytes, failing });
    }
    let consumed = HEADER_BYTES + body_bytes;
    if bytes.len() < consumed {
        return Ok(MemcachedStep::More);
    }
    if opcode == 0x07 {
        if *rows.wrote {
            return Ok(MemcachedStep::Close);
        }
        if !quiet {
            packet(header, 0, 0, b"", b"", b"", out);
        }
        return Ok(MemcachedStep::Close);
    }
    let request =
        BinaryRequest { header, opcode, quiet, cas, extras, key, value: &bytes[fixed..consumed] };
    let mark = out.len();
    match request.execute(rows, out) {
        Ok(()) => {}
        Err(MemcachedTrouble::Refused(why)) => {
            out.truncate(mark);
            refuse(header.opcode, header.opaque, &why, out);
        }
        Err(other) => return Err(other),
    }
    Ok(MemcachedStep::Done { consumed, swallow: 0, failing })
}

/// Whether a packet has the parts that its opcode needs; unknown opcodes may have any.
fn lengths_fit(opcode: u8, key: usize, extras: usize, body: usize) -> bool {
    let no_value = body == key + extras;
    match opcode {
        0x00 | 0x04 | 0x0c => key > 0 && extras == 0 && no_value,
        0x01..=0x03 => key > 0 && extras == 8,
        0x05 | 0x06 => key > 0 && extras == 20 && no_value,
        0x07 | 0x0a | 0x0b => body == 0,
        0x08 => key == 0 && no_value && matches!(extras, 0 | 4),
        0x0e | 0x0f => key > 0 && extras == 0,
        0x10 => extras == 0 && no_value,
        0x1c | 0x1d | 0x23 => key > 0 && extras == 4 && no_value,
        _ => true,
    }
}

/// A request whose lengths make sense.
struct BinaryRequest<'a> {
    header: Header,
    opcode: u8,
    quiet: bool,
    cas: u64,
    extras: &'a [u8],
    key: &'a [u8],
    value: &'a [u8],
}

impl BinaryRequest<'_> {
    fn word(&self, at: usize) -> u32 {
        self.extras.get(at..at + 4).map_or(0, |bytes| {
            u32::from_be_bytes(*bytes.first_chunk().expect("four bytes were taken"))
        })
    }

    fn long(&self, at: usize) -> u64 {
        u64::from(self.word(at)) << 32 | u64::from(self.word(at + 4))
    }

    /// An expiry time; negative ones have lost their sign, which `Moment::absolute` gives back.
    fn exptime(&self, at: usize) -> i64 {
        i64::from(self.word(at))
    }

    fn compare(&self) -> Option<u64> {
        (self.cas != 0).then_some(self.cas)
    }

    fn execute(
        &self,
        rows: &mut MemcachedRows<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), MemcachedTrouble> {
        match self.opcode {
            0x00 | 0x0c | 0x1c | 0x1d | 0x23 => self.get(rows, out),
            0x01 => self.store(StoreMode::Set, rows, out),
            0x02 => self.store(StoreMode::Add, rows, out),
            0x03 => self.store(StoreMode::Replace, rows, out),
            0x0e => self.store(StoreMode::Append, rows, out),
            0x0f => self.store(StoreMode::Prepend, rows, out),
            0x04 => {
                let compare = self.compare();
                let delete = Delete { key: self.key, compare, ..Delete::default() };
                let outcome = rows.delete(&delete, false)?;
                self.outcome(outcome, false, out);
                Ok(())
            }
            0x05 | 0x06 => self.count(rows, out),
            0x08 => {
                rows.flush(self.exptime(0))?;
                if !self.quiet {
                    packet(self.header, 0, 0, b"", b"", b"", out);
                }
                Ok(())
            }
            0x0a => {
                packet(self.header, 0, 0, b"", b"", b"", out);
                Ok(())
            }
            0x0b => {
                let version = rows.shared.options.version.as_bytes();
                packet(self.header, 0, 0, b"", b"", version, out);
                Ok(())
            }
            0x10 => {
                self.stat(rows, out);
                Ok(())
            }
            _ => {
                fail(self.header, UNKNOWN, out);
                Ok(())
            }
        }
    }

    fn get(
        &self,
        rows: &mut MemcachedRows<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), MemcachedTrouble> {
        let with_key = matches!(self.opcode, 0x0c | 0x23);
        let touch = matches!(self.opcode, 0x1c | 0x1d | 0x23).then(|| self.exptime(0));
        let key = if with_key { self.key } else { b"" };
        rows.shared.counters.cmd_get.add();
        let fetch = Fetch { key: self.key, touch, ..Fetch::default() };
        let found = rows.fetch(&fetch, &mut |item| {
            let value = if self.opcode == 0x1c { b"" } else { item.value };
            let flags = item.flags.to_be_bytes();
            packet(self.header, 0, item.cas, &flags, key, value, out);
        })?;
        if found || self.quiet {
            return Ok(());
        }
        match with_key {
            true => packet(self.header, MISSING, 0, b"", self.key, b"", out),
            false => fail(self.header, MISSING, out),
        }
        Ok(())
    }

    fn store(
        &self,
        mode: StoreMode,
        rows: &mut MemcachedRows<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), MemcachedTrouble> {
        let joins = matches!(mode, StoreMode::Append | StoreMode::Prepend);
        // With a cas value add and replace are what set is with one.
        let mode = if self.cas != 0 && !joins { StoreMode::Set } else { mode };
        let store = Store {
            key: self.key,
            mode,
            flags: self.word(0),
            exptime: self.exptime(4),
            value: self.value,
            compare: self.compare(),
            ..Store::default()
        };
        let outcome = rows.store(&store, !self.quiet)?.outcome;
        let outcome = match (outcome, mode) {
            (WriteOutcome::NotStored, StoreMode::Add) => WriteOutcome::Exists,
            (WriteOutcome::NotStored, _) if !joins => WriteOutcome::Missing,
            (other, _) => other,
        };
        self.outcome(outcome, true, out);
        Ok(())
    }

    fn outcome(&self, outcome: WriteOutcome, with_cas: bool, out: &mut Vec<u8>) {
        match outcome {
            WriteOutcome::Done(_) if self.quiet => {}
            WriteOutcome::Done(cas) => {
                let cas = if with_cas { cas } else { 0 };
                packet(self.header, 0, cas, b"", b"", b"", out);
            }
            WriteOutcome::Missing => fail(self.header, MISSING, out),
            WriteOutcome::Exists => fail(self.header, EXISTS, out),
            WriteOutcome::NotStored => fail(self.header, NOT_STORED, out),
        }
    }

    fn count(
        &self,
        rows: &mut MemcachedRows<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), MemcachedTrouble> {
        let create = self.word(16) != DO_NOT_CREATE;
        let count = Count {
            key: self.key,
            down: self.opcode == 0x06,
            delta: self.long(0),
            initial: create.then(|| (self.long(8), self.exptime(16))),
            compare: self.compare(),
            ..Count::default()
        };
        match rows.count(&count, !self.quiet)? {
            Ok(_) if self.quiet => {}
            Ok(counted) => {
                let number = counted.number.to_be_bytes();
                packet(self.header, 0, counted.cas, b"", b"", &number, out);
            }
            Err(outcome) => self.outcome(outcome, false, out),
        }
        Ok(())
    }

    fn stat(&self, rows: &mut MemcachedRows<'_, '_>, out: &mut Vec<u8>) {
        let is_denied = match self.key {
            b"reset" | b"detail on" | b"detail off" => !rows.may_reset(),
            b"detail dump" => !rows.may_list(),
            _ => false,
        };
        match self.key {
            _ if is_denied => return fail(self.header, AUTH_ERROR, out),
            b"reset" => rows.shared.reset_counts(),
            b"detail on" => rows.shared.prefixes.switch(true),
            b"detail off" => rows.shared.prefixes.switch(false),
            b"detail dump" => {
                let mut dump = Vec::new();
                rows.shared.prefixes.dump(&mut dump);
                packet(self.header, 0, 0, b"", b"detailed", &dump, out);
            }
            sub => {
                let Some(figures) = stats::list(sub, rows) else {
                    return fail(self.header, MISSING, out);
                };
                for (name, value) in figures {
                    packet(self.header, 0, 0, b"", name.as_bytes(), value.as_bytes(), out);
                }
            }
        }
        packet(self.header, 0, 0, b"", b"", b"", out);
    }
}
