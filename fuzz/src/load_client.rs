//! A server's packets as the client of `rowhouse load` and `dump` reads them.

use load::fuzzing::answers;

use crate::memory::within;
use crate::shapes::byte;

/// Memory of a connection: what is read at a time.
const READ_BYTES: usize = 256 << 10;

/// Reads the input as all that a server ever sends, at once and in pieces.
pub fn check(mut input: &[u8]) {
    let choice = byte(&mut input);
    let (size, private) = (1 + usize::from(choice / 2), choice % 2 == 1);
    // The server's bytes, and what was made of them: an answer in words for each packet.
    let memory_max = READ_BYTES + 256 * input.len() + (64 << 10);
    let at_once = within(memory_max, || answers(input, input.len(), private));
    assert_eq!(at_once, answers(input, size, private), "pieces of {size}");
    assert!(at_once.len() <= input.len() + 1, "more answers than bytes");
}
