//! What no good client sends: broken frames, huge lengths, garbage, cut and changed conversations.

use std::sync::LazyLock;

use doors::Next;
use proptest::prelude::*;

use super::House;
use super::client::{Client, OK, error_number, login, packet};

#[test]
fn a_packet_above_the_limit_is_refused_by_its_header() {
    let house = House::with(doors::mysql::Users::unconfigured(), 1 << 20);
    let mut client = Client::logged_in(&house.engine, &house.door, 0);
    let replies = client.send_raw(&[0x01, 0x00, 0x10, 0]);
    assert_eq!(error_number(&replies[0]), 1153);
    assert_eq!(client.next, Next::Close);
}

#[test]
fn a_large_packet_before_login_is_refused() {
    let mut client = House::open().connect();
    assert_eq!(error_number(&client.send_raw(&[0xFF, 0xFF, 0xFF, 1])[0]), 1153);
    assert_eq!(client.next, Next::Close);
}

#[test]
fn what_begins_as_http_is_closed_by_its_first_four_bytes() {
    for head in ["GET ", "POST", "HEAD", "PUT ", "OPTI", "PRI ", "\u{16}\u{3}\u{1}\u{2}"] {
        let mut client = House::open().connect();
        let error = error_number(&client.send_raw(head.as_bytes())[0]);
        assert!([1153, 1156].contains(&error), "{head}: {error}");
        assert_eq!(client.next, Next::Close, "{head}");
    }
}

#[test]
fn packets_out_of_order_are_refused() {
    let mut client = House::open().client(0);
    assert_eq!(error_number(&client.send(5, b"\x0e")[0]), 1156);
    assert_eq!(client.next, Next::Close);
}

#[test]
fn a_command_cut_short_is_malformed_and_the_connection_goes_on() {
    let mut client = House::open().client(0);
    for payload in [&b""[..], b"\x17", b"\x17\x01\0\0\0", b"\x18\x01", b"\x19", b"\x1b\0"] {
        assert_eq!(error_number(&client.send(0, payload)[0]), 1835, "{payload:?}");
    }
    assert_eq!(client.command(0x0e, b"")[0][0], OK);
}

#[test]
fn commands_sent_without_waiting_are_answered_in_order() {
    let mut client = House::open().client(0);
    let mut bytes = Vec::new();
    for _ in 0..200 {
        bytes.extend_from_slice(&packet(0, b"\x0e"));
    }
    let replies: usize = bytes.chunks(7).map(|piece| client.send_raw(piece).len()).sum();
    assert_eq!(replies, 200);
}

/// A conversation with one packet of most kinds, as a client would send it.
fn conversation() -> Vec<Vec<u8>> {
    vec![
        packet(1, &login("root", b"", "", "caching_sha2_password", 0x1_0000)),
        packet(0, b"\x03CREATE DATABASE d"),
        packet(0, b"\x02d"),
        packet(
            0,
            b"\x03CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9)); INSERT INTO t VALUES (1,'x')",
        ),
        packet(0, b"\x16SELECT * FROM t WHERE a = ? OR b = ?"),
        packet(0, b"\x18\x01\0\0\0\x01\0piece"),
        packet(0, b"\x17\x01\0\0\0\0\x01\0\0\0\0\x01\x08\0\xfd\0\x01\0\0\0\0\0\0\0\x01x"),
        packet(0, b"\x17\x01\0\0\0\0\x01\0\0\0\x02\x00\x01\0\0\0\0\0\0\0"),
        packet(0, b"\x1a\x01\0\0\0"),
        packet(0, b"\x04t\0%"),
        packet(0, b"\x03LOAD DATA LOCAL INFILE 'f' INTO TABLE t"),
        packet(2, b"2\ty\n"),
        packet(3, b""),
        packet(0, b"\x1f"),
        packet(0, b"\x11root\0\0d\0\x2d\0caching_sha2_password\0"),
        packet(0, b"\x19\x01\0\0\0"),
        packet(0, b"\x01"),
    ]
}

/// The house of all generated conversations, which also shows that none harms the next.
static HOUSE: LazyLock<House> = LazyLock::new(House::open);

/// Sends all of it, in pieces; the demand is that nothing panics and nothing hangs.
fn survive(bytes: &[u8], piece: usize) {
    let mut client = HOUSE.connect();
    for bytes in bytes.chunks(piece) {
        client.send_raw(bytes);
        if client.next == Next::Close {
            return;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_commands_never_panic_the_door(
        payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 1..10),
    ) {
        let mut client = Client::logged_in(&HOUSE.engine, &HOUSE.door, 0);
        for payload in payloads {
            client.send(0, &payload);
            if client.next == Next::Close {
                break;
            }
        }
    }

    #[test]
    fn random_bytes_never_panic_the_door(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        piece in 1usize..50,
    ) {
        survive(&bytes, piece);
    }

    #[test]
    fn changed_conversations_never_panic_the_door(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        piece in 1usize..200,
    ) {
        let mut bytes = conversation().concat();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        survive(&bytes, piece);
    }

    #[test]
    fn changed_payloads_behind_whole_headers_never_panic_the_door(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        garbage in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut packets = conversation();
        let which = which.index(packets.len());
        let (header, payload) = packets[which].split_at(4);
        let keep = at.index(payload.len() + 1);
        packets[which] = packet(header[3], &[&payload[..keep], &garbage].concat());
        survive(&packets.concat(), 4096);
    }
}
