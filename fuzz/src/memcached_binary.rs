//! memcached's binary packets: what comes back are whole packets, however the bytes arrive.

use crate::memcached_text::tell;
use crate::shapes::byte;

/// Bytes of a packet's header.
const HEADER_BYTES: usize = 24;
/// The opcode of statistics, which name the process and its times.
const STAT: u8 = 0x10;

/// Tells the input to a conversation in the binary protocol.
pub fn check(mut input: &[u8]) {
    let seed = byte(&mut input);
    let packets = [&[0x80], input].concat();
    if packets.windows(2).any(|two| two == [0x80, STAT]) {
        return;
    }
    let (answer, _) = tell(&packets, seed);
    let mut rest = &answer[..];
    while !rest.is_empty() {
        assert!(rest.len() >= HEADER_BYTES && rest[0] == 0x81, "{}", rest.escape_ascii());
        let parts = usize::from(u16::from_be_bytes([rest[2], rest[3]])) + usize::from(rest[4]);
        let body = u32::from_be_bytes([rest[8], rest[9], rest[10], rest[11]]) as usize;
        assert!(parts <= body, "key and extras are longer than the body");
        assert!(rest.len() >= HEADER_BYTES + body, "a packet is cut off");
        rest = &rest[HEADER_BYTES + body..];
    }
}
