//! Answers to bytes.
//!
//! ```text
//! | code: 0 done, 1 anything else | what was asked for, sizes in front, big-endian |
//! ```
//! Not here: what is answered (`execute`).

use crate::tyrant::decode::halves;

/// It was done.
pub const DONE: u8 = 0;
/// It was not, whatever the reason.
pub const FAILED: u8 = 1;

/// Appends bytes with their length in front.
pub fn sized(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
    out.extend_from_slice(bytes);
}

/// Appends a double as its two halves.
pub fn double(number: f64, out: &mut Vec<u8>) {
    let (whole, fraction) = halves(number);
    out.extend_from_slice(&whole.to_be_bytes());
    out.extend_from_slice(&fraction.to_be_bytes());
}

/// The answer of `misc` that failed: no elements.
pub fn misc_failed(out: &mut Vec<u8>) {
    out.extend_from_slice(&[FAILED, 0, 0, 0, 0]);
}

/// An answer of a number of things that is known at its end.
pub struct CountedReply<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
    count: u32,
}

impl<'o> CountedReply<'o> {
    /// Begins an answer that says it was done.
    pub fn begin(out: &'o mut Vec<u8>) -> CountedReply<'o> {
        let start = out.len();
        out.extend_from_slice(&[DONE, 0, 0, 0, 0]);
        CountedReply { out, start, count: 0 }
    }

    /// Adds one of some bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        sized(bytes, self.out);
        self.count += 1;
    }

    /// Adds a record that counts as one: both lengths come first.
    pub fn push_record(&mut self, key: &[u8], value: &[u8]) {
        self.out.extend_from_slice(&(key.len() as u32).to_be_bytes());
        self.out.extend_from_slice(&(value.len() as u32).to_be_bytes());
        self.out.extend_from_slice(key);
        self.out.extend_from_slice(value);
        self.count += 1;
    }

    /// Bytes of the answer so far.
    pub fn bytes(&self) -> usize {
        self.out.len() - self.start
    }

    /// Writes the number where it belongs, and gives it.
    pub fn end(self) -> usize {
        let at = self.start + 1;
        self.out[at..at + 4].copy_from_slice(&self.count.to_be_bytes());
        self.count as usize
    }
}
