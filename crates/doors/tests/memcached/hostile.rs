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
