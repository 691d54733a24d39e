//! The bytes a client has sent and the door has not used yet.
//!
//! Invariants
//! 1. Bytes leave at the front, in order, only by `consume`.
//! 2. An empty input holds no memory, so that idle connections cost next to nothing.
//!
//! Not here: limits on growth; the server stops reading at its limit.

/// A growable queue of bytes with its used part in front.
#[derive(Debug, Default)]
pub struct Input {
    buffer: Vec<u8>,
    used: usize,
}

/// Above this many used bytes the rest is moved to the front before more is added.
const COMPACT_BYTES: usize = 64 * 1024;

impl Input {
    /// An empty input without memory.
    pub fn new() -> Input {
        Input::default()
    }

    /// The bytes not consumed yet.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.used..]
    }

    /// The same, for whoever opens in place what is sealed in them.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[self.used..]
    }

    /// Number of bytes not consumed yet.
    #[inline]
    pub fn len(&self) -> usize {
        self.buffer.len() - self.used
    }

    /// Whether all bytes were consumed.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Drops `count` bytes from the front.
    ///
    /// # Panics
    /// When there are fewer: a door that consumes what it has not seen is broken.
    #[inline]
    pub fn consume(&mut self, count: usize) {
        assert!(count <= self.len(), "consumed more than came in");
        self.used += count;
        if self.used == self.buffer.len() {
            self.buffer.clear();
            self.used = 0;
        }
    }

    /// Adds bytes at the end.
    pub fn extend(&mut self, bytes: &[u8]) {
        if self.used > COMPACT_BYTES || (self.used > 0 && self.used * 2 > self.buffer.len()) {
            self.buffer.drain(..self.used);
            self.used = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Gives memory back when nothing is waiting.
    pub fn shrink(&mut self) {
        self.give_up();
    }

    /// The memory, to be given back by who has the time; none while something is waiting.
    pub fn give_up(&mut self) -> Vec<u8> {
        if !self.is_empty() {
            return Vec::new();
        }
        self.used = 0;
        std::mem::take(&mut self.buffer)
    }

    /// Bytes of memory held.
    pub fn capacity(&self) -> usize {
        self.buffer.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_leave_in_the_order_they_came() {
        let mut input = Input::new();
        input.extend(b"abc");
        input.consume(1);
        input.extend(b"def");
        assert_eq!(input.bytes(), b"bcdef");
        input.consume(5);
        assert!(input.is_empty());
        input.shrink();
        assert_eq!(input.capacity(), 0);
    }
}
