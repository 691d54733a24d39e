//! Bytes that no client should send: answered or closed, never a panic.

use proptest::prelude::*;

use super::client::{House, REQUEST_BYTES_MAX, keyed, misc, record, request};

fn seeds() -> Vec<Vec<u8>> {
    vec![
        [record(0x10, "a", "1"), keyed(0x30, "a"), keyed(0x20, "b")].concat(),
        [record(0x18, "a", "1"), request(0x60, &[1, 5], &["n"])].concat(),
        [request(0x50, &[], &[]), request(0x51, &[], &[]), request(0x58, &[1, 9], &["a"])].concat(),
        [misc("putlist", &["a", "1", "b", "2"]), misc("regex", &["a|b", "1"])].concat(),
        [misc("range", &["a", "2", "c"]), misc("getpart", &["a", "0", "1"])].concat(),
        [request(0x31, &[1, 1], &["a"]), request(0x13, &[1, 1, 1], &["a", "b"])].concat(),
        [misc("search", &["addcond\0a\0STREQ\0x", "out"]), misc("put", &["k", "a", "x"])].concat(),
        b"set a 0 0 1\r\nx\r\nget a b\r\nincr a 5\r\ndelete a noreply\r\nflush_all\r\n".to_vec(),
        b"PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nxGET /a HTTP/1.1\r\nHost: [::1]\r\nOrigin: http://[::1]\r\n\r\n".to_vec(),
        b"POST / HTTP/1.0\r\nX-TT-MNAME: getlist\r\nContent-Length: 3\r\n\r\na=b".to_vec(),
        [request(0x72, &[], &[]), request(0x71, &[1], &["p"]), request(0x73, &[1], &["p"])]
            .concat(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        House::new().client().send(&[&[0xc8][..], &bytes].concat());
    }

    #[test]
    fn mutated_requests_do_no_harm_however_they_are_cut(
        seed in any::<prop::sample::Index>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = seed.get(&seeds()).clone();
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
        // Figures are of each house's own making; `vanish` sees what follows it in the same piece.
        let told_apart = bytes.windows(2).any(|two| matches!(two, [0xc8, 0x72 | 0x88]));
        if !told_apart {
            prop_assert_eq!(whole, pieces);
        }
    }
}

#[test]
fn a_large_value_comes_in_pieces_and_a_larger_one_is_refused_at_its_length() {
    let house = House::new();
    let mut client = house.client();
    let value = "x".repeat(REQUEST_BYTES_MAX - 11);
    let put = record(0x10, "k", &value);
    for piece in put.chunks(60_000) {
        assert!(!client.closed);
        let answer = client.send(piece);
        assert!(answer.is_empty() || answer == [0]);
    }
    assert_eq!(client.send(&keyed(0x30, "k")).len(), 5 + value.len());
    let larger = record(0x10, "k", &"x".repeat(REQUEST_BYTES_MAX - 10));
    assert_eq!(client.send(&larger[..11]), [0u8; 0]);
    assert!(client.closed);
}
