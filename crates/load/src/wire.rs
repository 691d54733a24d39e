//! Packets of the MySQL protocol, as a client sees them.
//!
//! ```text
//! packet = length 3, sequence 1, payload; one of 2^24-1 bytes goes on in the next packet
//! ```
//!
//! Invariants
//! 1. A payload is kept only until the next one is asked for.
//!
//! Not here: what payloads mean (`client`).

use std::io::{self, Read, Write};

use crate::error::{Error, Result};

/// A way to a server: bytes in both directions.
pub trait Link: Read + Write {}

impl<T: Read + Write> Link for T {}

/// The first byte of an answer: done.
pub(crate) const OK: u8 = 0;
/// Rows, or columns, are over.
pub(crate) const EOF: u8 = 0xfe;
/// What was asked is refused.
pub(crate) const ERROR: u8 = 0xff;
/// The longest payload of one packet.
const PACKET_BYTES_MAX: usize = 0xff_ffff;
/// How much is read at a time.
const READ_BYTES: usize = 256 * 1024;

/// Packets over a link.
pub struct Packets {
    link: Box<dyn Link>,
    /// Bytes read and not used yet are `buffer[at..end]`.
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    payload: Vec<u8>,
    sequence: u8,
}

impl Packets {
    /// Packets over a fresh link.
    pub fn new(link: Box<dyn Link>) -> Packets {
        let buffer = vec![0; READ_BYTES];
        Packets { link, buffer, at: 0, end: 0, payload: Vec::new(), sequence: 0 }
    }

    /// A new command begins.
    pub fn begin(&mut self) {
        self.sequence = 0;
    }

    /// Puts another link in the place of the present one, which it is made of.
    ///
    /// # Errors
    /// `Protocol` when the server has sent more than it was asked for: whoever sent that could do
    /// so unseen, and it must not be taken for something said over the other link. Those of `make`.
    pub fn exchange_link<T>(
        &mut self,
        make: impl FnOnce(Box<dyn Link>) -> io::Result<(Box<dyn Link>, T)>,
    ) -> Result<T> {
        if self.at != self.end {
            return Err(Error::Protocol("it says something before TLS has begun"));
        }
        let link = std::mem::replace(&mut self.link, Box::new(io::empty()));
        let (link, made) = make(link).map_err(Error::Connection)?;
        self.link = link;
        Ok(made)
    }

    /// Sends a payload: `first`, then `rest`.
    ///
    /// # Errors
    /// `Connection`: how much of the payload was sent is not known, and the connection is of no
    /// more use.
    pub fn send(&mut self, first: &[u8], rest: &[u8]) -> Result<()> {
        let mut out = Vec::with_capacity(first.len() + rest.len() + 8);
        let length = first.len() + rest.len();
        let mut sent = 0;
        loop {
            let piece = (length - sent).min(PACKET_BYTES_MAX);
            out.extend_from_slice(&(piece as u32).to_le_bytes()[..3]);
            out.push(self.sequence);
            self.sequence = self.sequence.wrapping_add(1);
            let of_first = sent.min(first.len())..(sent + piece).min(first.len());
            let behind = |at: usize| at.saturating_sub(first.len());
            out.extend_from_slice(&first[of_first]);
            out.extend_from_slice(&rest[behind(sent)..behind(sent + piece)]);
            sent += piece;
            // One that is full is followed by another, if only an empty one.
            if piece < PACKET_BYTES_MAX {
                break;
            }
        }
        self.link.write_all(&out).and_then(|()| self.link.flush()).map_err(Error::Connection)
    }

    /// The next payload.
    ///
    /// # Errors
    /// `Connection` when it broke or ended in the middle of a packet; it is of no more use then.
    pub fn receive(&mut self) -> Result<&[u8]> {
        self.payload.clear();
        loop {
            let mut header = [0; 4];
            self.take(4, |bytes, at| header[at..at + bytes.len()].copy_from_slice(bytes))?;
            let length = u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize;
            self.sequence = header[3].wrapping_add(1);
            let mut payload = std::mem::take(&mut self.payload);
            let taken = self.take(length, |bytes, _| payload.extend_from_slice(bytes));
            self.payload = payload;
            taken?;
            if length < PACKET_BYTES_MAX {
                return Ok(&self.payload);
            }
        }
    }

    /// The payload that was received last.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Gives the next `count` bytes to `to`, in pieces with their positions.
    fn take(&mut self, count: usize, mut to: impl FnMut(&[u8], usize)) -> Result<()> {
        let mut taken = 0;
        while taken < count {
            if self.at == self.end {
                self.at = 0;
                self.end = match self.link.read(&mut self.buffer) {
                    Ok(0) => return Err(Error::Connection(io::ErrorKind::UnexpectedEof.into())),
                    Ok(count) => count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
                    Err(error) => return Err(Error::Connection(error)),
                };
            }
            let piece = (self.end - self.at).min(count - taken);
            to(&self.buffer[self.at..self.at + piece], taken);
            self.at += piece;
            taken += piece;
        }
        Ok(())
    }
}

/// Reads a payload's parts, front to back.
pub struct Cursor<'a>(pub &'a [u8]);

const SHORT: Error = Error::Protocol("a packet is too short");

impl<'a> Cursor<'a> {
    /// The next bytes.
    ///
    /// # Errors
    /// `Protocol` when fewer are left.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(SHORT)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// A byte.
    ///
    /// # Errors
    /// `Protocol` when nothing is left.
    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.bytes(1)?[0])
    }

    /// Two bytes.
    ///
    /// # Errors
    /// `Protocol` when fewer than two bytes are left.
    pub fn u16(&mut self) -> Result<u16> {
        let bytes = self.bytes(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// A length-encoded integer.
    ///
    /// # Errors
    /// `Protocol` when it is cut short, or begins with a byte that no integer begins with.
    pub fn lenenc(&mut self) -> Result<u64> {
        let count = match self.u8()? {
            0xfc => 2,
            0xfd => 3,
            0xfe => 8,
            0xfb | 0xff => return Err(Error::Protocol("a length is none")),
            small => return Ok(u64::from(small)),
        };
        let mut wide = [0; 8];
        wide[..count].copy_from_slice(self.bytes(count)?);
        Ok(u64::from_le_bytes(wide))
    }

    /// A length-encoded string.
    ///
    /// # Errors
    /// `Protocol` when the length is none, or fewer bytes are left than it says.
    pub fn lenenc_bytes(&mut self) -> Result<&'a [u8]> {
        let length = usize::try_from(self.lenenc()?).map_err(|_| SHORT)?;
        self.bytes(length)
    }

    /// A value of a text row: `None` is NULL.
    ///
    /// # Errors
    /// `Protocol`, as `lenenc_bytes`.
    pub fn value(&mut self) -> Result<Option<&'a [u8]>> {
        if self.0.first() == Some(&0xfb) {
            self.0 = &self.0[1..];
            return Ok(None);
        }
        self.lenenc_bytes().map(Some)
    }

    /// Bytes up to a zero, which is skipped; all of them when there is none.
    pub fn until_zero(&mut self) -> &'a [u8] {
        let end = memchr::memchr(0, self.0).unwrap_or(self.0.len());
        let bytes = &self.0[..end];
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        bytes
    }
}

/// What an error packet says.
pub(crate) fn refusal(payload: &[u8]) -> Error {
    let mut cursor = Cursor(payload.get(1..).unwrap_or_default());
    let number = cursor.u16().unwrap_or(0);
    // Before the login errors come without a state.
    let state = match cursor.0.first() {
        Some(b'#') if cursor.0.len() >= 6 => {
            let state = String::from_utf8_lossy(&cursor.0[1..6]).into_owned();
            cursor.0 = &cursor.0[6..];
            state
        }
        _ => "HY000".to_owned(),
    };
    Error::Server { number, state, message: String::from_utf8_lossy(cursor.0).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives back what was written, a few bytes at a time.
    struct Echo(Vec<u8>, usize);

    impl Read for Echo {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let count = (self.0.len() - self.1).min(to.len()).min(70_001);
            to[..count].copy_from_slice(&self.0[self.1..self.1 + count]);
            self.1 += count;
            Ok(count)
        }
    }

    impl Write for Echo {
        fn write(&mut self, from: &[u8]) -> io::Result<usize> {
            self.0.extend_from_slice(from);
            Ok(from.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn payloads_around_the_packet_limit_come_back_whole() {
        for length in [0, 1, PACKET_BYTES_MAX - 1, PACKET_BYTES_MAX, PACKET_BYTES_MAX + 1] {
            let sent: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let mut packets = Packets::new(Box::new(Echo(Vec::new(), 0)));
            let split = length.min(3);
            packets.send(&sent[..split], &sent[split..]).unwrap();
            assert!(packets.receive().unwrap() == sent, "{length} bytes");
        }
    }

    #[test]
    fn a_cut_off_packet_is_an_error() {
        let mut packets = Packets::new(Box::new(Echo(vec![5, 0, 0, 0, 1], 0)));
        assert!(matches!(packets.receive(), Err(Error::Connection(_))));
        assert!(Cursor(&[0xfd, 1]).lenenc().is_err());
    }
}
