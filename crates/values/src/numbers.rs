//! Tables within the program: deflated bytes, and LEB128 numbers one after another.
//!
//! Not here: what they mean (`collation::unicode`, `charset::multiple`).

use std::io::Read;

use flate2::read::DeflateDecoder;

/// What is deflated within the program.
pub(crate) fn inflated(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = DeflateDecoder::new(packed).read_to_end(&mut bytes);
    // The bytes are part of the program.
    assert!(read.is_ok(), "a table within the program is damaged");
    bytes
}

/// LEB128 numbers one after another.
pub(crate) struct Numbers<'a>(&'a [u8]);

impl<'a> Numbers<'a> {
    /// From the first byte on.
    pub(crate) fn new(bytes: &'a [u8]) -> Numbers<'a> {
        Numbers(bytes)
    }

    /// The next; 0 where there is none.
    pub(crate) fn number(&mut self) -> u32 {
        self.next().unwrap_or_default()
    }

    /// The next as a zigzag difference.
    pub(crate) fn difference(&mut self) -> i32 {
        let zigzag = self.number();
        (zigzag >> 1) as i32 ^ -((zigzag & 1) as i32)
    }

    /// Passes over so many.
    pub(crate) fn pass(&mut self, count: u32) {
        (0..count).for_each(|_| {
            self.number();
        });
    }

    /// How many pairs there are, and the pairs.
    pub(crate) fn pairs(&mut self) -> Vec<(u16, u16)> {
        let count = self.number();
        (0..count).map(|_| (self.number() as u16, self.number() as u16)).collect()
    }
}

impl Iterator for Numbers<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u32::from(byte & 0x7F) << shift;
            if *byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }
}
