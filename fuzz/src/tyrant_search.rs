//! Queries of Tyrant's table databases: elements that are understood or refused.

use crate::shapes::byte;
use crate::tyrant_binary::tell;

/// Tells a conversation elements of a search, split at each 0xff.
pub fn check(mut input: &[u8]) {
    let seed = byte(&mut input);
    let elements: Vec<&[u8]> = input.split(|byte| *byte == 0xff).collect();
    let mut request = b"\xc8\x90\0\0\0\x06\0\0\0\0".to_vec();
    request.extend_from_slice(&(elements.len() as u32).to_be_bytes());
    request.extend_from_slice(b"search");
    for element in elements {
        request.extend_from_slice(&(element.len() as u32).to_be_bytes());
        request.extend_from_slice(element);
    }
    let (answer, closed) = tell("tyrant.documents", &request, seed);
    assert!(closed || answer.len() >= 5, "{}", answer.escape_ascii());
}
