//! MySQL's frames: packets come back as they were written, however the bytes arrive.

use doors::Input;
use doors::fuzzing::mysql::{FrameReader, Packets, StreamPiece};

use crate::memory::within;
use crate::shapes::byte;

/// The largest packet of this target.
const PACKET_BYTES_MAX: usize = 1 << 18;

/// Reads the input as frames, at once and in pieces, and as the payload of a packet.
pub fn check(mut input: &[u8]) {
    let size = 1 + usize::from(byte(&mut input));
    // What came, what is gathered, and a copy of each packet.
    let memory_max = 16 * input.len() + (16 << 10);
    let at_once = within(memory_max, || packets(&[input]));
    let pieces: Vec<&[u8]> = input.chunks(size).collect();
    assert_eq!(at_once, packets(&pieces));
    streamed(input, size);
    written(input);
}

/// The packets of a stream, and whether it broke.
fn packets(pieces: &[&[u8]]) -> (Vec<Vec<u8>>, bool) {
    let (mut reader, mut input, mut found) = (FrameReader::default(), Input::new(), Vec::new());
    for piece in pieces {
        input.extend(piece);
        loop {
            match reader.fill(&mut input, PACKET_BYTES_MAX) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => return (found, true),
            }
            let payload = reader.payload(&input).to_vec();
            assert!(payload.len() <= PACKET_BYTES_MAX);
            found.push(payload);
            reader.finish(&mut input);
            reader.expect(0);
        }
    }
    (found, false)
}

/// Takes the input piecewise: no piece is longer than what came.
fn streamed(bytes: &[u8], size: usize) {
    let (mut reader, mut input) = (FrameReader::default(), Input::new());
    for piece in bytes.chunks(size) {
        input.extend(piece);
        loop {
            match reader.stream(&mut input) {
                Ok(StreamPiece::None) => break,
                Ok(StreamPiece::Bytes(count)) => input.consume(count),
                Ok(StreamPiece::End { .. }) => reader.expect(0),
                Err(_) => return,
            }
        }
    }
}

fn written(payload: &[u8]) {
    let mut out = Vec::new();
    Packets::new(&mut out, 0).packet(|out| out.extend_from_slice(payload));
    let (found, broken) = packets(&[&out]);
    assert!(!broken && found == [payload]);
}
