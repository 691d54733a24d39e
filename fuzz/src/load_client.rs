//! A server's packets as the client of `rowhouse load` and `dump` reads them.

use load::fuzzing::answers;

use crate::memory::within;
use crate::shapes::byte;

/// Memory of a connection: what is read at a time.
const READ_BYTES: usize = 256 << 10;

/// Reads the input as all that a server ever sends, at once and in pieces.
pub fn check(mut input: &[u8]) {
    let size = 1 + usize::from(byte(&mut input));
    // The server's bytes, and what was made of them: an answer in words for each packet.
    let memory_max = READ_BYTES + 256 * input.len() + (64 << 10);
    let at_once = within(memory_max, || answers(input, input.len()));
    assert_eq!(at_once, answers(input, size), "pieces of {size}");
    assert!(at_once.len() <= input.len() + 1, "more answers than bytes");
}
