//! Bytes to commands.
//!
//! ```text
//! | C8 | command | sizes and numbers, 4 or 8 bytes each, big-endian | key | value |
//! ```
//!
//! Invariants
//! 1. Nothing of a request is decoded twice at a cost that grows with it: of a list that has not
//!    come wholly the decoder knows how far it was read.
//! 2. A length that is negative or above the limits, or an unknown command, ends the connection
//!    without an answer, as in the original: nobody can know where the next request begins.
//!
//! Not here: what commands do (`execute`).

use crate::tyrant::call::{Call, Locking};
use crate::tyrant::command::{List, PutMode, TyrantCommand};

/// First byte of a request.
pub const MAGIC: u8 = 0xc8;
/// Most keys or arguments of a request.
const LIST_MAX: usize = 1 << 20;
/// `fract` of a double is its fraction times this.
const FRACTION: f64 = 1e12;

/// What the input begins with.
#[derive(Debug)]
pub enum DecodedRequest<C> {
    /// A request that has not come wholly.
    More,
    /// A request.
    Request {
        /// What is asked.
        command: C,
        /// Bytes of the input that it takes.
        consumed: usize,
    },
    /// Nothing that makes sense.
    Senseless,
}

/// Decodes the requests of one connection, one after the other.
#[derive(Debug)]
pub struct Decoder {
    request_bytes_max: usize,
    /// Of the list in the request in front: items that are there, and where the next begins.
    walked: Option<(usize, usize)>,
}

enum DecodeStop {
    More,
    Senseless,
}

/// The rest of a request.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    bytes_max: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeStop> {
        let end = self.at + count;
        if end > self.bytes_max {
            return Err(DecodeStop::Senseless);
        }
        let taken = self.bytes.get(self.at..end).ok_or(DecodeStop::More)?;
        self.at = end;
        Ok(taken)
    }

    fn word(&mut self) -> Result<i32, DecodeStop> {
        let bytes = self.take(4)?.first_chunk().expect("four bytes were taken");
        Ok(i32::from_be_bytes(*bytes))
    }

    fn long(&mut self) -> Result<i64, DecodeStop> {
        let bytes = self.take(8)?.first_chunk().expect("eight bytes were taken");
        Ok(i64::from_be_bytes(*bytes))
    }

    fn length(&mut self) -> Result<usize, DecodeStop> {
        let length = usize::try_from(self.word()?).map_err(|_| DecodeStop::Senseless)?;
        if length > self.bytes_max { Err(DecodeStop::Senseless) } else { Ok(length) }
    }

    fn sized(&mut self) -> Result<&'a [u8], DecodeStop> {
        let length = self.length()?;
        self.take(length)
    }

    /// Lengths of key and value, `more` between, then key and value.
    fn record<T>(
        &mut self,
        more: impl FnOnce(&mut Self) -> Result<T, DecodeStop>,
    ) -> Result<(&'a [u8], &'a [u8], T), DecodeStop> {
        let (key, value) = (self.length()?, self.length()?);
        let more = more(self)?;
        Ok((self.take(key)?, self.take(value)?, more))
    }
}

impl Decoder {
    /// For requests of so many bytes at most.
    pub fn new(request_bytes_max: usize) -> Decoder {
        Decoder { request_bytes_max, walked: None }
    }

    /// The request in front of `bytes`, of which the first is `MAGIC`.
    pub fn decode<'a>(&mut self, bytes: &'a [u8]) -> DecodedRequest<TyrantCommand<'a>> {
        let mut reader = Reader { bytes, at: 1, bytes_max: self.request_bytes_max };
        match self.command(&mut reader) {
            Ok(command) => {
                self.walked = None;
                DecodedRequest::Request { command, consumed: reader.at }
            }
            Err(DecodeStop::More) => DecodedRequest::More,
            Err(DecodeStop::Senseless) => DecodedRequest::Senseless,
        }
    }

    fn command<'a>(&mut self, reader: &mut Reader<'a>) -> Result<TyrantCommand<'a>, DecodeStop> {
        let code = reader.take(1)?[0];
        Ok(match code {
            0x10..=0x12 | 0x18 => {
                let (key, value, ()) = reader.record(|_| Ok(()))?;
                let mode = match code {
                    0x11 => PutMode::Keep,
                    0x12 => PutMode::Concatenate,
                    _ => PutMode::Over,
                };
                TyrantCommand::Put { mode, key, value, answered: code != 0x18 }
            }
            0x13 => {
                let (key, value, width) = reader.record(Reader::word)?;
                let width = usize::try_from(width).map_err(|_| DecodeStop::Senseless)?;
                TyrantCommand::Put { mode: PutMode::Shift(width), key, value, answered: true }
            }
            0x20 => TyrantCommand::Out(reader.sized()?),
            0x30 => TyrantCommand::Get(reader.sized()?),
            0x31 => {
                let count = reader.word()?;
                TyrantCommand::GetMany(self.list(reader, count)?)
            }
            0x38 => TyrantCommand::ValueSize(reader.sized()?),
            0x50 => TyrantCommand::IterateFromStart,
            0x51 => TyrantCommand::IterateNext,
            0x58 => {
                let (length, keys_max) = (reader.length()?, reader.word()?);
                let keys_max = usize::try_from(keys_max).unwrap_or(usize::MAX);
                TyrantCommand::ForwardMatching { prefix: reader.take(length)?, keys_max }
            }
            0x60 => {
                let (length, by) = (reader.length()?, reader.word()?);
                TyrantCommand::AddInteger { key: reader.take(length)?, by }
            }
            0x61 => {
                let length = reader.length()?;
                let by = double(reader.long()?, reader.long()?);
                TyrantCommand::AddDouble { key: reader.take(length)?, by }
            }
            0x68 => {
                let (name, options) = (reader.length()?, reader.word()?);
                let (key, value) = (reader.length()?, reader.length()?);
                TyrantCommand::Call(Call {
                    name: reader.take(name)?,
                    locking: Locking::of(options),
                    key: reader.take(key)?,
                    value: reader.take(value)?,
                })
            }
            0x70 => TyrantCommand::Sync,
            0x71 => {
                reader.sized()?;
                TyrantCommand::Optimize
            }
            0x72 => TyrantCommand::Vanish,
            0x73 => TyrantCommand::Copy(reader.sized()?),
            0x74 => {
                let length = reader.length()?;
                let (_from, _options) = (reader.long()?, reader.word()?);
                reader.take(length)?;
                TyrantCommand::Restore
            }
            0x78 => {
                let length = reader.length()?;
                let (_port, _from, _options) = (reader.word()?, reader.long()?, reader.word()?);
                reader.take(length)?;
                TyrantCommand::SetMaster
            }
            0x80 => TyrantCommand::RecordCount,
            0x81 => TyrantCommand::DatabaseSize,
            0x88 => TyrantCommand::Stat,
            0x90 => {
                let (length, _options, count) = (reader.length()?, reader.word()?, reader.word()?);
                let name = reader.take(length)?;
                TyrantCommand::Misc { name, arguments: self.list(reader, count)? }
            }
            0xa0 => {
                let (_from, _server) = (reader.long()?, reader.word()?);
                TyrantCommand::Replicate
            }
            _ => return Err(DecodeStop::Senseless),
        })
    }

    /// So many items, each with its length in front.
    fn list<'a>(&mut self, reader: &mut Reader<'a>, count: i32) -> Result<List<'a>, DecodeStop> {
        let count = usize::try_from(count).map_err(|_| DecodeStop::Senseless)?;
        if count > LIST_MAX {
            return Err(DecodeStop::Senseless);
        }
        let start = reader.at;
        let (mut items, at) = self.walked.unwrap_or((0, start));
        reader.at = at;
        while items < count {
            let here = reader.at;
            reader.sized().inspect_err(|_| self.walked = Some((items, here)))?;
            items += 1;
        }
        Ok(List::new(&reader.bytes[start..reader.at], count))
    }
}

/// A double of its two halves; the ends of 64 bits stand for what is no number.
pub fn double(whole: i64, fraction: i64) -> f64 {
    match (whole, fraction) {
        (i64::MIN, i64::MIN) => f64::NAN,
        (i64::MIN, _) => f64::NEG_INFINITY,
        (i64::MAX, _) => f64::INFINITY,
        _ => whole as f64 + fraction as f64 / FRACTION,
    }
}

/// The two halves of a double.
pub fn halves(number: f64) -> (i64, i64) {
    if number.is_nan() {
        return (i64::MIN, i64::MIN);
    }
    if number.is_infinite() {
        return (if number > 0.0 { i64::MAX } else { i64::MIN }, 0);
    }
    (number.trunc() as i64, (number.fract() * FRACTION) as i64)
}

/// The key of a `get` in front of `bytes`, and what stands behind it.
pub fn get_ahead(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(&[MAGIC, 0x30])?;
    let (length, rest) = rest.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(i32::from_be_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_put_together_again() {
        for number in [0.0, 1.5, -1.25, 1e9 + 0.5, f64::INFINITY, f64::NEG_INFINITY] {
            let (whole, fraction) = halves(number);
            assert_eq!(double(whole, fraction), number);
        }
        let (whole, fraction) = halves(f64::NAN);
        assert!(double(whole, fraction).is_nan());
    }

    #[test]
    fn a_list_that_comes_in_pieces_is_read_once() {
        let mut bytes = vec![MAGIC, 0x31, 0, 0, 0, 3];
        for key in ["a", "bcd", ""] {
            bytes.extend_from_slice(&(key.len() as u32).to_be_bytes());
            bytes.extend_from_slice(key.as_bytes());
        }
        let mut decoder = Decoder::new(1 << 20);
        for end in 2..bytes.len() {
            assert!(matches!(decoder.decode(&bytes[..end]), DecodedRequest::More), "{end}");
        }
        assert_eq!(decoder.walked, Some((2, 6 + 5 + 7)), "two keys are behind it");
        let DecodedRequest::Request { command: TyrantCommand::GetMany(keys), consumed } =
            decoder.decode(&bytes)
        else {
            panic!("it has all come");
        };
        assert_eq!((consumed, decoder.walked), (bytes.len(), None));
        assert_eq!(keys.iter().collect::<Vec<_>>(), [&b"a"[..], b"bcd", b""]);
    }

    #[test]
    fn lengths_that_cannot_be_are_refused_before_their_bytes_come() {
        let mut decoder = Decoder::new(1000);
        for senseless in [
            &[MAGIC, 0x30, 0xff, 0xff, 0xff, 0xff][..],
            &[MAGIC, 0x30, 0, 0, 0x10, 0],
            &[MAGIC, 0x31, 0, 0x20, 0, 0],
            &[MAGIC, 0x13, 0, 0, 0, 1, 0, 0, 0, 1, 0x80, 0, 0, 0, b'k', b'v'],
            &[MAGIC, 0x99],
        ] {
            assert!(
                matches!(decoder.decode(senseless), DecodedRequest::Senseless),
                "{senseless:?}"
            );
        }
    }
}
