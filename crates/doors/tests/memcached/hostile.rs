//! Bytes that no client should send: answered or closed, never a panic.

use proptest::prelude::*;

use super::client::House;

const SEEDS: &[&str] = &[
    "set a 1 0 3\r\nabc\r\nget a b\r\ngets a\r\nincr a 5\r\n",
    "cas a 0 0 1 77\r\nx\r\ngat 10 a\r\ntouch a -1\r\ndelete a noreply\r\n",
    "ms a 3 T0 F5 c I C3\r\nabc\r\nmg a v t f k Oxx N30 R10\r\nmd a I T5 q\r\nma n N0 J5 D2 v\r\n",
    "flush_all 10\r\nstats\r\nversion\r\nverbosity 1\r\nme a\r\nmn\r\n",
    "\u{0}\u{1}\u{2}stats settings\r\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        House::new().client().send(&bytes);
    }

    #[test]
    fn random_packets_do_no_harm(
        heads in proptest::collection::vec((0u8..0x30, 0u8..12, 0u8..24, 0u8..48), 1..12),
    ) {
        let house = House::new();
        let mut client = house.client();
        for (opcode, key, extras, body) in heads {
            let mut packet = vec![0x80, opcode, 0, key, extras, 0, 0, 0, 0, 0, 0, body];
            packet.resize(24 + usize::from(body), opcode);
            client.send(&packet);
        }
    }

    #[test]
    fn mutated_requests_do_no_harm_however_they_are_cut(
        seed in 0..SEEDS.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = SEEDS[seed].as_bytes().to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let cut = cut.index(bytes.len());
        let whole = House::new().client().send(&bytes);
        let house = House::new();
        let mut client = house.client();
        let mut pieces = client.send(&bytes[..cut]);
        pieces.extend(client.send(&bytes[cut..]));
        // Figures and cas values are of each house's own making.
        if !whole.windows(5).any(|window| window == b"STAT ") && !whole.contains(&b'c') {
            prop_assert_eq!(whole, pieces);
        }
    }
}

#[test]
fn what_begins_as_http_or_tls_is_closed_before_any_of_its_lines_is_carried_out() {
    for head in [
        "POST / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /x HTTP/1.0\r\n",
        "PUT / HTTP/1.1\r\n",
        "DELETE keep HTTP/1.1\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\u{16}\u{3}\u{1}\r\n",
    ] {
        for piece in [1, 7, usize::MAX] {
            let house = House::new();
            house.client().expect(&[("set keep 0 0 1\nx\n", "STORED\n")]);
            let mut client = house.client();
            let sent = format!("{head}delete keep\r\nset pwn 0 0 1\r\n!\r\n");
            let mut answer = Vec::new();
            for bytes in sent.as_bytes().chunks(piece) {
                answer.extend(client.send(bytes));
            }
            assert_eq!((answer, client.closed), (Vec::new(), true), "{head}");
            house.client().expect(&[("get keep pwn\n", "VALUE keep 0 1\nx\nEND\n")]);
        }
    }
    // A key may be called as a version of HTTP is.
    House::new().client().expect(&[("get a HTTP/1.1\n", "END\n")]);
}
