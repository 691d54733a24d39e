//! Logins at the memcached door, SASL and text: before one succeeds nothing is served, however the
//! bytes arrive.

use std::cell::RefCell;
use std::sync::Arc;

use doors::memcached::{Memcached, MemcachedOptions, MemcachedShared, prepare};
use doors::{DoorClient, WithoutLogin};
use rows::Engine;

use crate::login_words::logins;
use crate::shapes::byte;
use crate::twins::{Converse, Twins};

/// What only a client that is in is told.
pub const SERVED: [&[u8]; 6] = [b"VALUE ", b"DELETED", b"NOT_FOUND", b"END\r\n", b"STAT ", b"HD"];

/// Tells the input to a conversation that has to log in.
pub fn check(mut input: &[u8]) {
    thread_local! {
        static TWINS: RefCell<Twins> = RefCell::new(Twins::new(make));
    }
    let seed = byte(&mut input);
    // Statistics name the process and its times, which are not the same twice.
    if input.windows(5).any(|five| five == b"stats") || input.contains(&0x10) {
        return;
    }
    let (answer, _) = TWINS.with_borrow_mut(|twins| twins.tell(input, seed));
    let knows_password = input.windows(4).any(|four| four == b"pass");
    let is_served = |words: &[u8]| answer.windows(words.len()).any(|said| said == words);
    if !knows_password {
        assert!(!SERVED.iter().any(|words| is_served(words)), "{}", answer.escape_ascii());
    }
}

fn make(engine: &Arc<Engine>) -> Converse {
    prepare(engine).expect("an empty catalog");
    let options = MemcachedOptions { item_bytes_max: 4096, ..MemcachedOptions::default() };
    let shared = Arc::new(MemcachedShared::new(engine, options));
    let logins = logins("memcached", WithoutLogin::Nobody);
    Box::new(move || {
        Box::new(Memcached::new(shared.clone(), DoorClient::new(logins.clone(), None)))
    })
}
