//! One encrypted connection, the server's side: sealed bytes in, plain bytes out, and back.
//!
//! ```text
//! Handshake ──> Open ──> Ended   the client says that nothing more comes
//!     └───────────┴────> Failed  what came is no TLS, or was changed on its way
//! ```
//!
//! Invariants
//! 1. Only what belongs to a record, or a message of the handshake, that has not come to its end is
//!    kept here: an idle connection has its keys and no buffers.
//! 2. After `Failed` nothing is taken in or sealed any more; what tells the client so is among the
//!    bytes to send.
//!
//! Not here: who has the bytes (`doors::encrypted`).

use std::sync::Arc;

use rustls::HandshakeKind;
use rustls::server::{ServerConnectionData, UnbufferedServerConnection};
use rustls::unbuffered::{
    ConnectionState, EncodeError, EncodeTlsData, EncryptError, InsufficientSizeError,
    UnbufferedStatus,
};

use super::acceptor::Acceptor;
use super::encryption::{Encryption, cipher_name, version_name};

/// Plain bytes of a record at most.
const RECORD_BYTES: usize = 16 * 1024;
/// Kinds of records: the first byte of each.
const RECORD_KINDS: std::ops::RangeInclusive<u8> = 20..=24;
/// The second one.
const RECORD_MAJOR: u8 = 3;
/// Bytes in front of a record: its type, version and length.
const HEADER_BYTES: usize = 5;
/// What a record has beside its plain bytes, at most.
const RECORD_OVERHEAD: usize = 256;
/// Bytes of memory of a connection's keys and state, about.
const CHANNEL_BYTES: usize = 8 * 1024;

/// Why a channel is of no use.
pub type ChannelError = rustls::Error;

/// How far a channel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelState {
    /// The two sides agree on keys.
    Handshake,
    /// Bytes can be sent both ways.
    Open,
    /// The client sends nothing more, but may be sent to.
    Ended,
    /// It is of no use any more.
    Failed,
}

/// An encrypted connection.
pub struct Channel {
    connection: UnbufferedServerConnection,
    fingerprint: [u8; 32],
    state: ChannelState,
    why: Option<ChannelError>,
    /// The beginning of a record or message; the connection's, which counts on finding it again.
    rest: Vec<u8>,
}

impl Channel {
    /// With a client that has not said anything yet, and must show a certificate if the server has
    /// authorities and `demands_certificate`.
    ///
    /// # Errors
    /// Those of a configuration that cannot be used.
    pub fn new(acceptor: &Acceptor, demands_certificate: bool) -> Result<Channel, ChannelError> {
        let identity = acceptor.identity();
        let config = if demands_certificate { &identity.demands } else { &identity.asks };
        Ok(Channel {
            connection: UnbufferedServerConnection::new(Arc::clone(config))?,
            fingerprint: identity.fingerprint,
            state: ChannelState::Handshake,
            why: None,
            rest: Vec::new(),
        })
    }

    /// How far it is.
    pub fn state(&self) -> ChannelState {
        self.state
    }

    /// Why it is `Failed`.
    pub fn why(&self) -> Option<&ChannelError> {
        self.why.as_ref()
    }

    /// Bytes of memory held, about.
    pub fn held_bytes(&self) -> usize {
        CHANNEL_BYTES + self.rest.capacity()
    }

    /// Whether something has come of which the end has not.
    pub fn is_amid(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Whether something can be done with what has come now: a record is whole, or what comes is
    /// none.
    pub fn has_record(&self, sealed: &[u8]) -> bool {
        let mut header = self.rest.iter().chain(sealed).copied();
        let begins_none = |byte: Option<u8>, is_so: fn(u8) -> bool| !byte.is_none_or(is_so);
        if begins_none(header.next(), |kind| RECORD_KINDS.contains(&kind))
            || begins_none(header.next(), |major| major == RECORD_MAJOR)
        {
            return true;
        }
        let mut length = header.skip(1);
        let (Some(high), Some(low)) = (length.next(), length.next()) else { return false };
        let bytes = usize::from(u16::from_be_bytes([high, low])).min(RECORD_BYTES);
        self.rest.len() + sealed.len() >= HEADER_BYTES + bytes
    }

    /// Takes in what has come: gives `plain` what it says, and appends to `out` what the protocol
    /// answers by itself.
    pub fn receive(&mut self, sealed: &mut [u8], mut plain: impl FnMut(&[u8]), out: &mut Vec<u8>) {
        if self.state == ChannelState::Failed {
            return;
        }
        let mut rest = std::mem::take(&mut self.rest);
        if rest.is_empty() {
            let done = self.process(sealed, &mut plain, out);
            rest.extend_from_slice(&sealed[done..]);
        } else {
            rest.extend_from_slice(sealed);
            let done = self.process(&mut rest, &mut plain, out);
            rest.drain(..done);
        }
        if !rest.is_empty() {
            self.rest = rest;
        }
    }

    /// How many bytes are done with.
    fn process(
        &mut self,
        sealed: &mut [u8],
        plain: &mut impl FnMut(&[u8]),
        out: &mut Vec<u8>,
    ) -> usize {
        let mut done = 0;
        loop {
            let UnbufferedStatus { discard, state, .. } =
                self.connection.process_tls_records(&mut sealed[done..]);
            let mut goes_on = true;
            match state {
                Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                    while let Some(Ok(record)) = traffic.next_record() {
                        plain(record.payload);
                    }
                }
                Ok(ConnectionState::EncodeTlsData(mut data)) => encode(&mut data, out),
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                Ok(ConnectionState::PeerClosed) => self.state = ChannelState::Ended,
                Ok(ConnectionState::WriteTraffic(_)) => {
                    goes_on = false;
                    if self.state == ChannelState::Handshake {
                        self.state = ChannelState::Open;
                    }
                }
                // Early data is never offered; the others wait for bytes.
                Ok(_) => goes_on = false,
                Err(error) => {
                    // What tells the client comes at the next calls, then the error again.
                    goes_on = self.why.is_none();
                    self.state = ChannelState::Failed;
                    self.why.get_or_insert(error);
                }
            }
            done += discard;
            if !goes_on {
                break;
            }
        }
        match self.state {
            ChannelState::Failed => sealed.len(),
            _ => done,
        }
    }

    /// Appends `plain` to `out`, sealed; nothing before the channel is open.
    pub fn seal(&mut self, plain: &[u8], out: &mut Vec<u8>) {
        for piece in plain.chunks(RECORD_BYTES) {
            self.write(out, piece.len() + RECORD_OVERHEAD, |traffic, room| {
                traffic.encrypt(piece, room)
            });
        }
    }

    /// Appends the notice that nothing more comes.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        self.write(out, RECORD_OVERHEAD, |traffic, room| traffic.queue_close_notify(room));
    }

    fn write(
        &mut self,
        out: &mut Vec<u8>,
        size: usize,
        mut write: impl FnMut(&mut WriteTraffic<'_>, &mut [u8]) -> Result<usize, EncryptError>,
    ) {
        if !matches!(self.state, ChannelState::Open | ChannelState::Ended) {
            return;
        }
        loop {
            // What is not whole stays so, and is the same as at the last call.
            match self.connection.process_tls_records(&mut self.rest).state {
                Ok(ConnectionState::WriteTraffic(mut traffic)) => {
                    let is_written = append(out, size, |room| {
                        write(&mut traffic, room).map_err(|error| match error {
                            EncryptError::InsufficientSize(size) => Some(size),
                            EncryptError::EncryptExhausted => None,
                        })
                    });
                    if !is_written {
                        self.state = ChannelState::Failed;
                    }
                    return;
                }
                Ok(ConnectionState::EncodeTlsData(mut data)) => encode(&mut data, out),
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                Ok(ConnectionState::PeerClosed) => self.state = ChannelState::Ended,
                Ok(_) => return,
                Err(error) => {
                    self.state = ChannelState::Failed;
                    self.why.get_or_insert(error);
                    return;
                }
            }
        }
    }

    /// What is known of it, once it is open.
    pub fn encryption(&self) -> Encryption {
        let suite = self.connection.negotiated_cipher_suite().map(|suite| suite.suite());
        let peer = self.connection.peer_certificates().and_then(|chain| chain.first());
        Encryption {
            version: version_name(self.connection.protocol_version()),
            cipher: cipher_name(suite),
            fingerprint: self.fingerprint,
            peer_certificate: peer.map_or_else(Vec::new, |certificate| certificate.to_vec()),
            is_resumed: self.connection.handshake_kind() == Some(HandshakeKind::Resumed),
        }
    }
}

type WriteTraffic<'a> = rustls::unbuffered::WriteTraffic<'a, ServerConnectionData>;

/// Appends a record that the protocol itself wants to send.
fn encode(data: &mut EncodeTlsData<'_, ServerConnectionData>, out: &mut Vec<u8>) {
    append(out, 0, |room| {
        data.encode(room).map_err(|error| match error {
            EncodeError::InsufficientSize(size) => Some(size),
            EncodeError::AlreadyEncoded => None,
        })
    });
}

/// Appends what `write` writes into the room it is given; asked again where that is too little.
/// Whether anything could be written.
fn append(
    out: &mut Vec<u8>,
    size: usize,
    mut write: impl FnMut(&mut [u8]) -> Result<usize, Option<InsufficientSizeError>>,
) -> bool {
    let start = out.len();
    let mut size = size;
    loop {
        out.resize(start + size, 0);
        match write(&mut out[start..]) {
            Ok(written) => {
                out.truncate(start + written);
                return true;
            }
            Err(Some(InsufficientSizeError { required_size })) if required_size > size => {
                size = required_size;
            }
            Err(_) => {
                out.truncate(start);
                return false;
            }
        }
    }
}
