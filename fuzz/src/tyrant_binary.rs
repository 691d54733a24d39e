//! Tokyo Tyrant's binary requests, however their bytes arrive.

use std::cell::RefCell;
use std::sync::Arc;

use doors::tyrant::{DatabaseName, Options, Shared, Tyrant, prepare};
use rows::Engine;

use crate::shapes::byte;
use crate::twins::{Converse, Twins};

/// First byte of a request.
const MAGIC: u8 = 0xc8;
/// Removes all records if it is allowed, and looks at what came with it to see what was meant.
const VANISH: u8 = 0x72;
/// Statistics, which name the process and its times.
const STAT: u8 = 0x88;

thread_local! {
    static TWINS: RefCell<Twins> = RefCell::new(Twins::new(make));
}

/// Tells the input to a conversation that has some records.
pub fn check(mut input: &[u8]) {
    let seed = byte(&mut input);
    let put = [&[MAGIC, 0x10, 0, 0, 0, 1, 0, 0, 0, 4][..], b"n\x01\0\0\0"].concat();
    let requests = [&put[..], &[MAGIC], input].concat();
    if requests.windows(2).any(|two| two == [MAGIC, STAT] || two == [MAGIC, VANISH]) {
        return;
    }
    let (answer, _) = TWINS.with_borrow_mut(|twins| twins.tell(&requests, seed));
    assert_eq!(answer.first(), Some(&0), "the first record was put");
}

fn make(engine: &Arc<Engine>) -> Converse {
    let database = DatabaseName::parse("tyrant.records(k, v)").expect("a name");
    prepare(engine, &database).expect("an empty catalog");
    let options = Options { database, request_bytes_max: 4096, vanish: false };
    let shared = Arc::new(Shared::new(engine, options));
    Box::new(move || Box::new(Tyrant::new(shared.clone())))
}
