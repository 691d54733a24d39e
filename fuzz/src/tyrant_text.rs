//! memcached's text and HTTP on the Tyrant port, binary requests among them, however their bytes
//! arrive.

use crate::shapes::byte;
use crate::tyrant_binary::{may_differ, tell};

/// Tells the input to a conversation that has some records.
pub fn check(mut input: &[u8]) {
    let seed = byte(&mut input);
    // Statistics name the process and its times; who is told to send a body had not sent it.
    let lower = input.to_ascii_lowercase();
    let told_apart = [&b"stat"[..], b"options", b"expect"];
    if told_apart.iter().any(|word| lower.windows(word.len()).any(|part| part == *word))
        || may_differ(input)
    {
        return;
    }
    tell("tyrant.records(k, v)", input, seed);
}
