//! Tokyo Tyrant's binary requests, however their bytes arrive.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use doors::tyrant::{
    DatabaseName, ScriptOptions, Scripts, Tyrant, TyrantOptions, TyrantShared, prepare,
};
use doors::{DoorClient, WithoutLogin};
use resources::budget::Budget;
use rows::Engine;

use crate::login_words::logins;
use crate::shapes::byte;
use crate::twins::{Converse, Twins};

/// First byte of a request.
const MAGIC: u8 = 0xc8;
/// Removes all records if it is allowed, and looks at what came with it to see what was meant.
const VANISH: u8 = 0x72;
/// Statistics, which name the process and its times.
const STAT: u8 = 0x88;

/// A record of `tyrant.records` that is a number, and one of `tyrant.documents`.
const NUMBER: &[u8] = b"\xc8\x10\0\0\0\x01\0\0\0\x04n\x01\0\0\0";
const DOCUMENT: &[u8] = b"\xc8\x10\0\0\0\x01\0\0\0\x09da\x00x y\0b\x002";

/// Functions that `ext` calls.
const SCRIPT: &str = "
    function put(key, value) return _put(key, value) end
    function get(key) return _get(key) end
    function misc(name, list) return table.concat(_misc(name, _split(list)) or {}, ',') end
    function numbers(format, bytes) return #_unpack(format, bytes) end
";

thread_local! {
    static RECORDS: RefCell<Twins> = RefCell::new(Twins::new(|engine| make(engine, "tyrant.records(k, v)")));
    static DOCUMENTS: RefCell<Twins> = RefCell::new(Twins::new(|engine| make(engine, "tyrant.documents")));
}

/// Tells the input to a conversation that has some records.
pub fn check(mut input: &[u8]) {
    let seed = byte(&mut input);
    let requests = [&[MAGIC], input].concat();
    if may_differ(&requests) {
        return;
    }
    tell("tyrant.records(k, v)", &requests, seed);
}

/// Whether binary requests may rightly be answered otherwise when they come otherwise.
pub fn may_differ(requests: &[u8]) -> bool {
    requests.windows(2).any(|two| two == [MAGIC, STAT] || two == [MAGIC, VANISH])
}

/// Tells two servers on such a database the same, at once and in pieces, behind a first record.
pub fn tell(database: &str, requests: &[u8], seed: u8) -> (Vec<u8>, bool) {
    let (first, twins) = match database {
        "tyrant.documents" => (DOCUMENT, &DOCUMENTS),
        _ => (NUMBER, &RECORDS),
    };
    let requests = [first, requests].concat();
    let (mut answer, closed) = twins.with_borrow_mut(|twins| twins.tell(&requests, seed));
    assert_eq!(answer.first(), Some(&0), "the first record was put");
    answer.remove(0);
    (answer, closed)
}

fn make(engine: &Arc<Engine>, database: &str) -> Converse {
    let database = DatabaseName::parse(database).expect("a name");
    prepare(engine, &database).expect("an empty catalog");
    let script = ScriptOptions {
        name: "fuzz".into(),
        text: SCRIPT.into(),
        time_max: Duration::ZERO,
        memory_bytes_max: 8 << 20,
        stash: Budget::new(8 << 20),
        states_max: 1,
    };
    let options = TyrantOptions {
        database,
        request_bytes_max: 4096,
        copy: None,
        vanish: false,
        hosts: Vec::new(),
        scripts: Some(Scripts::new(engine, script).expect("a script that runs")),
    };
    let shared = Arc::new(TyrantShared::new(engine, options));
    let logins = logins("tyrant", WithoutLogin::ThisMachine);
    Box::new(move || Box::new(Tyrant::new(shared.clone(), DoorClient::new(logins.clone(), None))))
}
