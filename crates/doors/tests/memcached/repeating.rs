//! Writes that leave what is there as it is, of rows of which nothing, or only the row itself, is
//! in memory: each is answered, and a write with a cas value of its own where it always was one.

use std::sync::Arc;

use rows::EngineOptions;
use rows::memory::MemoryStore;

use super::client::{Client, House};
use super::containers;

/// Houses on a cold store: with a row cache, where the row is found but not what lies beneath it,
/// and without.
fn cold_houses() -> [House; 2] {
    [1 << 20, 0].map(|row_cache_bytes| {
        let options = EngineOptions { row_cache_bytes, ..EngineOptions::default() };
        House::on(Arc::new(MemoryStore::cold()), options)
    })
}

fn cas(client: &mut Client, key: &str) -> u64 {
    let reply = client.ask(&format!("mg {key} c\r\n"));
    reply.trim_end().strip_prefix("HD c").and_then(|cas| cas.parse().ok()).expect("a cas value")
}

#[test]
fn a_set_that_repeated_the_value_of_a_row_not_in_memory_hung_and_is_answered() {
    for house in cold_houses() {
        let mut client = house.client();
        client.expect(&[("set a 5 0 1\nx\n", "STORED\n")]);
        let mut last = cas(&mut client, "a");
        for (request, reply) in [
            ("set a 5 0 1\nx\n", "STORED\n"),
            ("set a 5 0 1\nx\nset a 5 0 1\nx\n", "STORED\nSTORED\n"),
            ("replace a 5 0 1\nx\n", "STORED\n"),
            ("append a 0 0 0\n\n", "STORED\n"),
            ("prepend a 0 0 0\n\n", "STORED\n"),
            ("ms a 1 F5\nx\n", "HD\n"),
            ("touch a 0\n", "TOUCHED\n"),
            ("gat 0 a\n", "VALUE a 5 1\nx\nEND\n"),
            ("mg a T0 v\n", "VA 1\nx\n"),
        ] {
            client.expect(&[(request, reply)]);
            let now = cas(&mut client, "a");
            assert!(now > last, "{request:?} left the cas value {now}");
            last = now;
        }
        client.expect(&[("get a\n", "VALUE a 5 1\nx\nEND\n")]);
        let fresh = format!("cas a 5 0 1 {last}\nx\n");
        client.expect(&[(&fresh, "STORED\n"), (&fresh, "EXISTS\n")]);
    }
}

#[test]
fn counting_by_nothing_is_a_write_and_is_answered() {
    for house in cold_houses() {
        let mut client = house.client();
        client.expect(&[("set n 0 0 2\n10\n", "STORED\n")]);
        let mut last = cas(&mut client, "n");
        for (request, reply) in
            [("incr n 0\n", "10\n"), ("decr n 0\n", "10\n"), ("ma n D0 v\n", "VA 2\n10\n")]
        {
            client.expect(&[(request, reply)]);
            let now = cas(&mut client, "n");
            assert!(now > last, "{request:?} left the cas value {now}");
            last = now;
        }
    }
}

#[test]
fn a_binary_set_that_repeats_its_value_is_told_its_new_cas_value() {
    for house in cold_houses() {
        let mut client = house.client();
        let mut packet = vec![0x80, 0x01, 0, 1, 8, 0, 0, 0, 0, 0, 0, 10];
        packet.resize(24 + 8, 0);
        packet.extend_from_slice(b"ax");
        let mut last = 0;
        for _ in 0..4 {
            let reply = client.send(&packet);
            assert_eq!((reply.len(), &reply[6..8]), (24, &[0, 0][..]));
            let cas = u64::from_be_bytes(reply[16..24].try_into().expect("eight bytes"));
            assert!(cas > last, "{cas} after {last}");
            last = cas;
        }
    }
}

#[test]
fn repeating_an_items_value_in_a_container_is_answered_and_leaves_its_row_alone() {
    let house = containers::house();
    containers::define(&house, "name,city");
    let mut client = house.client();
    client.expect(&[("set user:1 0 0 7\nAda|Rom\n", "STORED\n")]);
    let first = cas(&mut client, "user:1");
    client.expect(&[
        ("set user:1 0 0 7\nAda|Rom\n", "STORED\n"),
        ("ms user:1 7 c\nAda|Rom\n", &format!("HD c{first}\n")),
        ("append user:1 0 0 0\n\n", "STORED\n"),
    ]);
    assert_eq!(cas(&mut client, "user:1"), first);
}
