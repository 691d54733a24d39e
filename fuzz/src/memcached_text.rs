//! memcached's text commands, classic and meta: lines in, lines out, however the bytes arrive.

use std::cell::RefCell;
use std::sync::Arc;

use doors::memcached::{Memcached, MemcachedOptions, MemcachedShared, prepare};
use doors::{DoorClient, WithoutLogin};
use rows::Engine;

use crate::login_words::logins;
use crate::shapes::byte;
use crate::twins::{Converse, Twins};

thread_local! {
    static TWINS: RefCell<Twins> = RefCell::new(Twins::new(make));
}

/// Tells the input to a conversation in the text protocol.
pub fn check(mut input: &[u8]) {
    let seed = byte(&mut input);
    if input.first() == Some(&0x80) {
        return;
    }
    let (answer, _) = tell(input, seed);
    assert!(answer.is_empty() || answer.ends_with(b"\r\n"), "{}", answer.escape_ascii());
}

/// Tells two servers the same, at once and in pieces.
pub fn tell(input: &[u8], seed: u8) -> (Vec<u8>, bool) {
    TWINS.with_borrow_mut(|twins| twins.tell(&without_clocks(input), seed))
}

/// Statistics name the process and its times, which are not the same twice.
fn without_clocks(input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    while let Some(at) = bytes.windows(5).position(|five| five == b"stats") {
        bytes[at] = b'S';
    }
    bytes
}

fn make(engine: &Arc<Engine>) -> Converse {
    prepare(engine).expect("an empty catalog");
    let options = MemcachedOptions { item_bytes_max: 4096, ..MemcachedOptions::default() };
    let shared = Arc::new(MemcachedShared::new(engine, options));
    let logins = logins("memcached", WithoutLogin::ThisMachine);
    Box::new(move || {
        Box::new(Memcached::new(shared.clone(), DoorClient::new(logins.clone(), None)))
    })
}
