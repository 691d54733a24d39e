//! The three syntaxes, request by request.

use std::time::{Duration, Instant};

use doors::Next;
use rows::{EngineOptions, Group};

use super::client::House;

#[test]
fn classic_stores_keep_their_conditions() {
    let house = House::new();
    house.client().expect(&[
        ("get a\n", "END\n"),
        ("replace a 0 0 1\nx\n", "NOT_STORED\n"),
        ("append a 0 0 1\nx\n", "NOT_STORED\n"),
        ("add a 5 0 1\nx\n", "STORED\n"),
        ("add a 5 0 1\ny\n", "NOT_STORED\n"),
        ("append a 9 9 2\nyz\n", "STORED\n"),
        ("prepend a 9 9 1\nw\n", "STORED\n"),
        ("get a b a\n", "VALUE a 5 4\nwxyz\nVALUE a 5 4\nwxyz\nEND\n"),
        ("replace a 4294967296 0 0\n\n", "STORED\n"),
        ("get a\n", "VALUE a 0 0\n\nEND\n"),
        ("set a -1 0 1\nx\n", "CLIENT_ERROR bad command line format\n"),
        ("cas b 0 0 1 5\nx\n", "NOT_FOUND\n"),
        ("cas a 0 0 1 5\nx\n", "EXISTS\n"),
        ("delete a\n", "DELETED\n"),
        ("delete a\n", "NOT_FOUND\n"),
        ("delete a 0\n", "NOT_FOUND\n"),
    ]);
}

#[test]
fn a_refusal_because_of_a_write_of_the_same_turn_is_not_told_before_its_commit() {
    if crate::COLD {
        return; // Nothing is served in a loop.
    }
    let house = House::new();
    let (mut first, mut second) = (house.client(), house.client());
    for (request, reply) in
        [("add a 0 0 1\r\ny\r\n", "NOT_STORED\r\n"), ("cas a 0 0 1 7\r\ny\r\n", "EXISTS\r\n")]
    {
        let mut group = Group::new();
        let (next, _) = first.turn(b"set a 0 0 1\r\nx\r\n", &mut group);
        assert_eq!(next, Next::Commit);
        // What comes behind it does not read what was before the commit.
        let (next, out) = second.turn(format!("{request}get a\r\n").as_bytes(), &mut group);
        assert_eq!((next, &out[..]), (Next::Commit, reply.as_bytes()));
        let (transaction, durability) = group.take().expect("a write");
        transaction.commit(durability).expect("memory takes every commit");
        assert_eq!(second.send(b""), b"VALUE a 0 1\r\nx\r\nEND\r\n");
        first.send(b"delete a\r\n");
    }
    let (next, out) = second.turn(b"cas a 0 0 1 7\r\ny\r\n", &mut Group::new());
    assert_eq!((next, &out[..]), (Next::Input, &b"NOT_FOUND\r\n"[..]), "nothing to wait for");
}

#[test]
fn every_write_changes_the_cas_value() {
    let house = House::new();
    let mut client = house.client();
    let mut cas = || {
        client.ask("set a 0 0 1\r\nx\r\n");
        let reply = client.ask("gets a\r\n");
        reply.split([' ', '\r']).nth(4).expect("a cas value").to_owned()
    };
    let first = cas();
    let second = cas();
    assert_ne!(first, second);
    let stale = format!("cas a 0 0 1 {first}\ny\n");
    let fresh = format!("cas a 0 0 1 {second}\ny\n");
    client.expect(&[(&stale, "EXISTS\n"), (&fresh, "STORED\n"), (&fresh, "EXISTS\n")]);
}

#[test]
fn counting_wraps_up_stops_at_zero_and_pads() {
    let house = House::new();
    house.client().expect(&[
        ("incr n 1\n", "NOT_FOUND\n"),
        ("set n 0 0 2\n10\n", "STORED\n"),
        ("decr n 1\n", "9\n"),
        ("get n\n", "VALUE n 0 2\n9 \nEND\n"),
        ("incr n 18446744073709551607\n", "0\n"),
        ("decr n 5\n", "0\n"),
        ("incr n x\n", "CLIENT_ERROR invalid numeric delta argument\n"),
        ("set n 0 0 1\nx\n", "STORED\n"),
        ("incr n 1\n", "CLIENT_ERROR cannot increment or decrement non-numeric value\n"),
    ]);
}

#[test]
fn items_expire_at_their_second() {
    let house = House::new();
    let mut client = house.client();
    client.expect(&[
        ("set a 0 10 1\nx\n", "STORED\n"),
        ("set b 0 2000000020 1\nx\n", "STORED\n"),
        ("set c 0 -1 1\nx\n", "STORED\n"),
        ("get a b c\n", "VALUE a 0 1\nx\nVALUE b 0 1\nx\nEND\n"),
        ("touch b 30\n", "TOUCHED\n"),
        ("gat 0 a\n", "VALUE a 0 1\nx\nEND\n"),
        ("gat 10 a\n", "VALUE a 0 1\nx\nEND\n"),
    ]);
    house.pass(10);
    client.expect(&[
        ("get a b\n", "VALUE b 0 1\nx\nEND\n"),
        ("touch a 1\n", "NOT_FOUND\n"),
        ("add a 0 0 1\ny\n", "STORED\n"),
    ]);
    house.pass(20);
    client.expect(&[("get a b\n", "VALUE a 0 1\ny\nEND\n")]);
    assert_eq!(house.shared.sweep(&house.engine).expect("memory"), 2);
    assert_eq!(house.shared.sweep(&house.engine).expect("memory"), 0);
}

#[test]
fn a_data_directory_from_before_expiry_was_known_to_all_doors_gets_it_at_the_start() {
    let house = House::new();
    let table = || house.engine.catalog().table("kv", "cache").expect("prepared");
    house
        .engine
        .alter_table(
            "kv",
            "cache",
            vec![rows::Alteration::SetExpiry(None)],
            &house.engine.patience(),
        )
        .expect("known");
    assert_eq!(table().expiry_column(), None);
    doors::memcached::prepare(&house.engine).expect("repeatable");
    assert_eq!(table().expiry_column(), table().column("expires_at"));
}

#[test]
fn flush_all_empties_now_or_later() {
    let house = House::new();
    let mut client = house.client();
    client.expect(&[
        ("set a 0 0 1\nx\nflush_all\nget a\n", "STORED\nOK\nEND\n"),
        ("set a 0 0 1\nx\nflush_all 5\nget a\n", "STORED\nOK\nVALUE a 0 1\nx\nEND\n"),
        ("flush_all x\n", "CLIENT_ERROR invalid exptime argument\n"),
    ]);
    house.pass(5);
    client.expect(&[("get a\n", "END\n"), ("set a 0 0 1\nx\n", "STORED\n")]);
    client.expect(&[("flush_all noreply\nget a\n", "END\n")]);
}

/// A touch that finds nothing has entered the table all the same, which flush_all waits to be
/// empty of writers.
#[test]
fn flush_all_does_not_wait_for_the_requests_before_it() {
    let (store, options) = crate::rows();
    let lock_wait_max = Duration::from_secs(3600);
    let house = House::on(store, EngineOptions { lock_wait_max, ..options });
    let mut client = house.client();
    let begun = Instant::now();
    client
        .expect(&[("flush_all\ngat 9 a\nflush_all\n", "OK\nEND\nOK\n"), ("flush_all 1\n", "OK\n")]);
    house.pass(1);
    client.expect(&[("touch a 9\ntouch a 9\nflush_all 1\n", "NOT_FOUND\nNOT_FOUND\nOK\n")]);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

/// Behind a write of the same turn the item is looked for under its lock.
#[test]
fn an_item_that_need_not_be_made_keeps_its_cas_value_and_that_it_was_read() {
    let house = House::new();
    house.client().expect(&[
        ("set a 0 0 1\nx\ntouch a 5\nmg a h N12\n", "STORED\nTOUCHED\nHD h1\n"),
        ("set a 0 0 1\nx\nmg a N12 E5\nms a 1 C5\ny\n", "STORED\nHD\nEX\n"),
        ("set b 0 0 1\nx\nmg c N12 E5\nms c 1 C5\ny\n", "STORED\nHD W\nHD\n"),
    ]);
}

#[test]
fn noreply_hides_answers_but_not_effects() {
    let house = House::new();
    house.client().expect(&[
        ("set a 0 0 1 noreply\n1\nincr a 4 noreply\nget a\n", "VALUE a 0 1\n5\nEND\n"),
        ("add a 0 0 1 noreply\n2\ntouch a 0 noreply\ndelete a noreply\nget a\n", "END\n"),
    ]);
}

#[test]
fn oversize_values_are_refused_swallowed_and_replace_nothing_readable() {
    let house = House::new();
    let mut client = house.client();
    let body = "x".repeat(1 << 20);
    client.expect(&[("set a 0 0 1\nx\n", "STORED\n")]);
    let add = format!("add a 0 0 1048576\n{body}\nget a\n");
    let set = format!("set a 0 0 1048576\n{body}\nget a\n");
    let refused = "SERVER_ERROR object too large for cache\n";
    client.expect(&[
        (&add, &format!("{refused}VALUE a 0 1\nx\nEND\n")),
        (&set, &format!("{refused}END\n")),
    ]);
}

#[test]
fn bad_lines_are_told_in_memcached_words() {
    let house = House::new();
    let long = "k".repeat(251);
    let bad = "CLIENT_ERROR bad command line format\n";
    let mut client = house.client();
    client.expect(&[
        ("nonsense\n", "ERROR\n"),
        ("get\n", bad),
        ("gets  \n", bad),
        ("gat 0\n", bad),
        ("incr a\n", bad),
        ("touch\n", bad),
        ("delete\n", bad),
        ("cas a 0 0 1\nx\n", bad),
        (&format!("get {long}\n"), bad),
        (&format!("get a {long}\n"), bad),
        ("\n", bad),
        ("x\n", bad),
        ("    \n", "ERROR\n"),
        ("verbosity 1\n", "OK\n"),
        ("shutdown\n", "SERVER_ERROR: shutdown not enabled\n"),
        ("stats nonsense\n", "ERROR\n"),
        ("stats reset\n", "RESET\n"),
    ]);
    client.expect(&[("quit\n", "")]);
    assert!(client.closed);
}

#[test]
fn meta_commands_return_their_flags_in_order() {
    let house = House::new();
    house.client().expect(&[
        ("mn\n", "MN\n"),
        ("mg a\n", "EN\n"),
        ("mg a k Oq7\n", "EN ka Oq7\n"),
        ("mg a v q\nmn\n", "MN\n"),
        ("ms a 2 F7 T100\nhi\n", "HD\n"),
        ("mg a s v f t Oab k\n", "VA 2 s2 f7 t100 Oab ka\nhi\n"),
        ("mg a\n", "HD\n"),
        ("ms a 2 ME\nho\n", "NS\n"),
        ("ms b 1 MR\nx\n", "NS\n"),
        ("ms b 1 MA\nx\n", "NS\n"),
        ("ms b 1 MA N0\nx\n", "HD\n"),
        ("ms a 1 q\nx\nmn\n", "MN\n"),
        ("ms c 1 C5\nx\n", "NF\n"),
        ("ms a 1 C5\nx\n", "EX\n"),
        ("md a C5\n", "EX\n"),
        ("md a q\nmn\n", "MN\n"),
        ("md a\n", "NF\n"),
        ("ma n\n", "NF\n"),
        ("ma n N0 J13 v t\n", "VA 2 t-1\n13\n"),
        ("ma n MD D3\n", "HD\n"),
        ("ma n v\n", "VA 2\n11\n"),
        ("ms YWJj 1 b\nx\n", "HD\n"),
        ("mg abc v\n", "VA 1\nx\n"),
        ("mg YWJj b k v\n", "VA 1 kYWJj b\nx\n"),
        ("mg a$ b\n", "CLIENT_ERROR error decoding key\n"),
        ("mg a v v\n", "CLIENT_ERROR duplicate flag\n"),
        ("mg a !\n", "CLIENT_ERROR invalid flag\n"),
        ("ms a 1 !\nx\n", "CLIENT_ERROR invalid flag\n"),
        ("ms a 1 MX\nx\n", "CLIENT_ERROR invalid mode for ms M token\n"),
        ("mg a Tx\n", "CLIENT_ERROR bad token in command line format\n"),
    ]);
}

#[test]
fn the_time_left_is_told_also_when_the_item_was_written_in_the_same_turn() {
    // A read that may make the item told "never" here, and the time when it came alone.
    House::new().client().expect(&[("set a 1 5 1\nx\nmg a t N12\n", "STORED\nHD t5\n")]);
}

#[test]
fn one_reader_wins_what_is_stale_new_or_about_to_expire() {
    let house = House::new();
    let mut client = house.client();
    client.expect(&[
        ("mg a v N30 t\n", "VA 0 t30 W\n\n"),
        ("mg a v N30 t\n", "VA 0 t30 Z\n\n"),
        ("ms a 1 T90\nx\n", "HD\n"),
        ("mg a v\n", "VA 1\nx\n"),
        ("mg a t R30\n", "HD t90\n"),
        ("mg a t R95\n", "HD t90 W\n"),
        ("mg a t R95\n", "HD t90 Z\n"),
        ("md a I T30\n", "HD\n"),
        ("mg a v t\n", "VA 1 t30 X W\nx\n"),
        ("mg a v t\n", "VA 1 t30 Z X\nx\n"),
        ("ms b 1 E500\nx\n", "HD\n"),
        ("mg b c\n", "HD c500\n"),
        ("ms b 1 C400 I\ny\n", "HD\n"),
        ("mg b v\n", "VA 1 X W\ny\n"),
        ("md b x\n", "HD\n"),
        ("mg b s\n", "HD s0 X W\n"),
    ]);
}

#[test]
fn reads_are_noted() {
    let house = House::new();
    let mut client = house.client();
    client.expect(&[("set a 0 0 1\nx\n", "STORED\n")]);
    house.pass(3);
    client.expect(&[("mg a h l u\n", "HD h0 l3\n"), ("get a\n", "VALUE a 0 1\nx\nEND\n")]);
    house.pass(2);
    client.expect(&[("mg a h l\n", "HD h1 l2\n")]);
}

fn packet(opcode: u8, cas: u64, extras: &[u8], key: &str, value: &[u8]) -> Vec<u8> {
    let body = (extras.len() + key.len() + value.len()) as u32;
    let mut packet = vec![0x80, opcode, 0, key.len() as u8, extras.len() as u8, 0, 0, 0];
    packet.extend_from_slice(&body.to_be_bytes());
    packet.extend_from_slice(b"opaq");
    packet.extend_from_slice(&cas.to_be_bytes());
    [&packet, extras, key.as_bytes(), value].concat()
}

/// Opcode, status and body of each packet.
fn packets(mut bytes: &[u8]) -> Vec<(u8, u16, Vec<u8>)> {
    let mut packets = Vec::new();
    while !bytes.is_empty() {
        assert_eq!((bytes[0], &bytes[12..16]), (0x81, &b"opaq"[..]));
        let body = u32::from_be_bytes(bytes[8..12].try_into().expect("four bytes")) as usize;
        let status = u16::from_be_bytes([bytes[6], bytes[7]]);
        packets.push((bytes[1], status, bytes[24..24 + body].to_vec()));
        bytes = &bytes[24 + body..];
    }
    packets
}

#[test]
fn binary_packets_are_answered_with_status_and_body() {
    let house = House::new();
    let mut client = house.client();
    let store = [0, 0, 0, 7, 0, 0, 0, 0];
    let count = [&1u64.to_be_bytes()[..], &5u64.to_be_bytes(), &[0; 4]].concat();
    let no_create = [&1u64.to_be_bytes()[..], &5u64.to_be_bytes(), &[0xFF; 4]].concat();
    let script: Vec<(Vec<u8>, Vec<(u8, u16, &[u8])>)> = vec![
        (packet(0x00, 0, b"", "a", b""), vec![(0x00, 1, b"Not found")]),
        (packet(0x09, 0, b"", "a", b""), vec![]),
        (packet(0x0c, 0, b"", "a", b""), vec![(0x0c, 1, b"a")]),
        (packet(0x01, 0, &store, "a", b"xy"), vec![(0x01, 0, b"")]),
        (packet(0x00, 0, b"", "a", b""), vec![(0x00, 0, b"\0\0\0\x07xy")]),
        (packet(0x0d, 0, b"", "a", b""), vec![(0x0d, 0, b"\0\0\0\x07axy")]),
        (packet(0x02, 0, &store, "a", b"z"), vec![(0x02, 2, b"Data exists for key.")]),
        (packet(0x12, 0, &store, "a", b"z"), vec![(0x12, 2, b"Data exists for key.")]),
        (packet(0x01, 9, &store, "a", b"z"), vec![(0x01, 2, b"Data exists for key.")]),
        (packet(0x03, 0, &store, "b", b"z"), vec![(0x03, 1, b"Not found")]),
        (packet(0x0e, 0, b"", "b", b"z"), vec![(0x0e, 5, b"Not stored.")]),
        (packet(0x19, 0, b"", "a", b"z"), vec![]),
        (packet(0x1d, 0, &[0; 4], "a", b""), vec![(0x1d, 0, b"\0\0\0\x07xyz")]),
        (packet(0x05, 0, &no_create, "n", b""), vec![(0x05, 1, b"Not found")]),
        (packet(0x05, 0, &count, "n", b""), vec![(0x05, 0, b"\0\0\0\0\0\0\0\x05")]),
        (packet(0x05, 0, &count, "n", b""), vec![(0x05, 0, b"\0\0\0\0\0\0\0\x06")]),
        (
            packet(0x05, 0, &count, "a", b""),
            vec![(0x05, 6, b"Non-numeric server-side value for incr or decr")],
        ),
        (packet(0x14, 0, b"", "a", b""), vec![]),
        (packet(0x04, 0, b"", "a", b""), vec![(0x04, 1, b"Not found")]),
        (packet(0x08, 0, b"", "", b""), vec![(0x08, 0, b"")]),
        (packet(0x0a, 0, b"", "", b""), vec![(0x0a, 0, b"")]),
        (packet(0x55, 0, b"", "", b""), vec![(0x55, 0x81, b"Unknown command")]),
        (packet(0x00, 0, b"", "n", b""), vec![(0x00, 1, b"Not found")]),
    ];
    for (request, replies) in script {
        let answered = packets(&client.send(&request));
        let replies: Vec<_> = replies.into_iter().map(|(o, s, b)| (o, s, b.to_vec())).collect();
        assert_eq!(answered, replies);
    }
    client.send(&packet(0x01, 0, b"", "a", b""));
    assert!(client.closed, "extras are missing");
}
