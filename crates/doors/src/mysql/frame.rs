//! Packets: the protocol's framing, both ways.
//!
//! ```text
//! +----------------+----------+-----------------+
//! | length, 3 B LE | sequence | payload         |   a frame; one of 0xFFFFFF payload bytes is
//! +----------------+----------+-----------------+   continued by the next frame
//! ```
//!
//! Invariants
//! 1. A packet that fits one small frame is never copied: it is read where it arrived.
//! 2. Memory grows with the bytes that came, never with a length that was announced; a packet
//!    above the limit is refused as soon as a header says so.
//! 3. Sequence numbers count frames from the start of a command in both directions.
//!
//! Not here: what payloads mean (`decode`, `encode`).

use std::ops::Range;

use super::reports::Reports;
use crate::input::Input;

/// Bytes of a frame's header.
pub const HEADER_BYTES: usize = 4;
/// The largest payload of one frame; a frame of this size is continued.
pub const FRAME_BYTES_MAX: usize = 0xFF_FFFF;
/// Packets above this size are gathered in a buffer of their own as they arrive, so that the
/// connection's input stays small whatever a client sends.
const IN_PLACE_BYTES_MAX: usize = 64 * 1024;

/// Why a packet cannot be read. The connection cannot go on after either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// A frame's sequence number is not the next one.
    OutOfOrder,
    /// The packet is larger than allowed.
    TooLarge,
}

/// Reads packets from the front of an input.
#[derive(Debug, Default)]
pub struct FrameReader {
    /// The next frame's expected sequence number.
    sequence: u8,
    /// Where the packet in front is, once it is complete.
    place: PacketPlace,
    /// Payload of a packet that is gathered, or was.
    gathered: Vec<u8>,
    /// Payload bytes of the current frame that have not come yet.
    frame_missing: usize,
    /// Whether the current frame is continued by another.
    continued: bool,
}

/// Where the front packet's payload is.
#[derive(Debug, Default)]
enum PacketPlace {
    /// None is complete; nothing of it was taken out of the input.
    #[default]
    None,
    /// None is complete; part of it is in `gathered`.
    Gathering,
    /// In the input, behind its header.
    Input(Range<usize>),
    /// In `gathered`, no longer in the input.
    Gathered,
    /// Taken piecewise by `stream`; whether any payload byte came.
    Streamed(bool),
}

/// What `FrameReader::stream` found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamPiece {
    /// More bytes are needed.
    None,
    /// This many payload bytes are in front of the input; the caller consumes all of them.
    Bytes(usize),
    /// The packet has ended; whether it was empty.
    End {
        /// Whether it had no payload.
        empty: bool,
    },
}

impl FrameReader {
    /// Makes the packet in front available to `payload`; `false` when more bytes are needed.
    /// Repeating it without `finish` changes nothing.
    ///
    /// # Errors
    /// `OutOfOrder` and `TooLarge`; the connection cannot go on after either.
    pub fn fill(&mut self, input: &mut Input, bytes_max: usize) -> Result<bool, FrameError> {
        loop {
            match self.place {
                PacketPlace::Input(_) | PacketPlace::Gathered => return Ok(true),
                PacketPlace::Streamed(_) => unreachable!("fill amid a streamed packet"),
                PacketPlace::None => {
                    let Some((length, sequence)) = header(input.bytes()) else {
                        return Ok(false);
                    };
                    if sequence != self.sequence {
                        return Err(FrameError::OutOfOrder);
                    }
                    if length > bytes_max {
                        return Err(FrameError::TooLarge);
                    }
                    if length <= IN_PLACE_BYTES_MAX {
                        let end = HEADER_BYTES + length;
                        if input.len() < end {
                            return Ok(false);
                        }
                        self.sequence = sequence.wrapping_add(1);
                        self.place = PacketPlace::Input(HEADER_BYTES..end);
                        return Ok(true);
                    }
                    self.begin_frame(input, length);
                    self.place = PacketPlace::Gathering;
                }
                PacketPlace::Gathering => {
                    let take = self.frame_missing.min(input.len());
                    self.gathered.extend_from_slice(&input.bytes()[..take]);
                    input.consume(take);
                    self.frame_missing -= take;
                    if self.frame_missing > 0 {
                        return Ok(false);
                    }
                    if !self.continued {
                        self.place = PacketPlace::Gathered;
                        return Ok(true);
                    }
                    let Some((length, sequence)) = header(input.bytes()) else {
                        return Ok(false);
                    };
                    if sequence != self.sequence {
                        return Err(FrameError::OutOfOrder);
                    }
                    if self.gathered.len() + length > bytes_max {
                        return Err(FrameError::TooLarge);
                    }
                    self.begin_frame(input, length);
                }
            }
        }
    }

    /// The packet in front. Only after `fill` gave `true`.
    pub fn payload<'a>(&'a self, input: &'a Input) -> &'a [u8] {
        match &self.place {
            PacketPlace::Input(range) => &input.bytes()[range.clone()],
            PacketPlace::Gathered => &self.gathered,
            _ => unreachable!("payload asked for before fill"),
        }
    }

    /// Drops the packet in front.
    pub fn finish(&mut self, input: &mut Input) {
        match std::mem::take(&mut self.place) {
            PacketPlace::Input(range) => input.consume(range.end),
            // The next large packet may be the last one of its kind: give the memory back.
            PacketPlace::Gathered => self.gathered = Vec::new(),
            _ => unreachable!("finish without a packet"),
        }
    }

    /// Takes a packet piecewise, whatever its size: for content that is used as it comes.
    ///
    /// # Errors
    /// `OutOfOrder`; the connection cannot go on after it.
    pub fn stream(&mut self, input: &mut Input) -> Result<StreamPiece, FrameError> {
        loop {
            let any = match self.place {
                PacketPlace::None => None,
                PacketPlace::Streamed(any) => Some(any),
                _ => unreachable!("stream amid a packet"),
            };
            if self.frame_missing > 0 {
                let count = self.frame_missing.min(input.len());
                self.frame_missing -= count;
                return Ok(if count == 0 { StreamPiece::None } else { StreamPiece::Bytes(count) });
            }
            if let Some(any) = any.filter(|_| !self.continued) {
                self.place = PacketPlace::None;
                return Ok(StreamPiece::End { empty: !any });
            }
            let Some((length, sequence)) = header(input.bytes()) else {
                return Ok(StreamPiece::None);
            };
            if sequence != self.sequence {
                return Err(FrameError::OutOfOrder);
            }
            self.begin_frame(input, length);
            self.place = PacketPlace::Streamed(any.unwrap_or(false) || length > 0);
        }
    }

    /// Puts a payload in front of what comes next, as if it had arrived in a packet.
    pub fn put_back(&mut self, payload: Vec<u8>) {
        self.gathered = payload;
        self.place = PacketPlace::Gathered;
    }

    /// Whether a packet has begun that is not complete, part of which is no longer in the input.
    pub fn is_amid(&self) -> bool {
        self.frame_missing > 0 || matches!(self.place, PacketPlace::Gathering)
    }

    /// Bytes of memory for a packet that is gathered.
    pub fn held_bytes(&self) -> usize {
        self.gathered.capacity()
    }

    /// The payload in front if it is complete in the input, without its header: a look ahead.
    pub fn peek<'a>(&'a self, input: &'a Input) -> Option<&'a [u8]> {
        match &self.place {
            PacketPlace::Input(range) => input.bytes().get(range.clone()),
            PacketPlace::Gathered => Some(&self.gathered),
            PacketPlace::None => {
                let (length, _) = header(input.bytes())?;
                input.bytes().get(HEADER_BYTES..HEADER_BYTES + length)
            }
            _ => None,
        }
    }

    /// The sequence number that follows the frames read so far: the reply's first.
    pub fn sequence(&self) -> u8 {
        self.sequence
    }

    /// Says which sequence number the client's next frame must have: 0 for a new command.
    pub fn expect(&mut self, sequence: u8) {
        self.sequence = sequence;
    }

    fn begin_frame(&mut self, input: &mut Input, length: usize) {
        input.consume(HEADER_BYTES);
        self.sequence = self.sequence.wrapping_add(1);
        self.frame_missing = length;
        self.continued = length == FRAME_BYTES_MAX;
    }
}

fn header(bytes: &[u8]) -> Option<(usize, u8)> {
    let header: &[u8; HEADER_BYTES] = bytes.first_chunk()?;
    Some((u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize, header[3]))
}

/// Writes packets at the end of an output.
pub struct Packets<'a> {
    out: &'a mut Vec<u8>,
    sequence: u8,
    /// Of the statement whose reply this is, until its first packet is written.
    reports: Option<&'a Reports>,
}

impl<'a> Packets<'a> {
    /// Packets behind `out`, the first with `sequence`.
    pub fn new(out: &'a mut Vec<u8>, sequence: u8) -> Packets<'a> {
        Packets { out, sequence, reports: None }
    }

    /// The packets of a reply that reports may precede, which end with its first one.
    pub fn behind(self, reports: Option<&'a Reports>) -> Packets<'a> {
        Packets { reports, ..self }
    }

    /// Ends the reports, and goes on with the sequence number behind theirs.
    #[inline]
    pub fn end_reports(&mut self) {
        if let Some(reports) = self.reports.take() {
            self.sequence = self.sequence.wrapping_add(reports.end());
        }
    }

    /// The next frame's sequence number.
    pub fn sequence(&self) -> u8 {
        self.sequence
    }

    /// Bytes in the output, other replies included.
    pub fn bytes(&self) -> usize {
        self.out.len()
    }

    /// One packet whose payload `write` appends.
    #[inline]
    pub fn packet<R>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        self.end_reports();
        let start = self.out.len();
        self.out.extend_from_slice(&[0; HEADER_BYTES]);
        let result = write(self.out);
        let length = self.out.len() - start - HEADER_BYTES;
        if length < FRAME_BYTES_MAX {
            let bytes = (length as u32).to_le_bytes();
            self.out[start..start + HEADER_BYTES].copy_from_slice(&[
                bytes[0],
                bytes[1],
                bytes[2],
                self.sequence,
            ]);
            self.sequence = self.sequence.wrapping_add(1);
        } else {
            self.split(start, length);
        }
        result
    }

    /// Packets made before with sequence numbers from `first` on: appended if that is what
    /// comes next, else refused.
    pub fn ready_made(&mut self, first: u8, count: u8, packets: &[u8]) -> bool {
        self.end_reports();
        if first != self.sequence {
            return false;
        }
        self.out.extend_from_slice(packets);
        self.sequence = self.sequence.wrapping_add(count);
        true
    }

    /// Cuts a payload that is too long for one frame; the last frame is shorter than the limit,
    /// if need be empty.
    fn split(&mut self, start: usize, length: usize) {
        let frames = length / FRAME_BYTES_MAX + 1;
        self.out.resize(self.out.len() + (frames - 1) * HEADER_BYTES, 0);
        let payload = start + HEADER_BYTES;
        for frame in (0..frames).rev() {
            let from = payload + frame * FRAME_BYTES_MAX;
            let bytes = FRAME_BYTES_MAX.min(length - frame * FRAME_BYTES_MAX);
            let to = from + frame * HEADER_BYTES;
            self.out.copy_within(from..from + bytes, to);
            let size = (bytes as u32).to_le_bytes();
            let sequence = self.sequence.wrapping_add(frame as u8);
            self.out[to - HEADER_BYTES..to].copy_from_slice(&[size[0], size[1], size[2], sequence]);
        }
        self.sequence = self.sequence.wrapping_add(frames as u8);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packed(payload: &[u8], sequence: u8) -> Vec<u8> {
        let mut out = Vec::new();
        Packets::new(&mut out, sequence).packet(|out| out.extend_from_slice(payload));
        out
    }

    fn read(reader: &mut FrameReader, input: &mut Input) -> Option<Vec<u8>> {
        if !reader.fill(input, usize::MAX).expect("a valid frame") {
            return None;
        }
        let payload = reader.payload(input).to_vec();
        reader.finish(input);
        Some(payload)
    }

    #[test]
    fn packets_of_every_critical_size_come_back_as_they_were_written() {
        let around = [0, 1, 250, IN_PLACE_BYTES_MAX, IN_PLACE_BYTES_MAX + 1];
        let frames = [FRAME_BYTES_MAX - 1, FRAME_BYTES_MAX, FRAME_BYTES_MAX + 1];
        for size in around.into_iter().chain(frames).chain([2 * FRAME_BYTES_MAX]) {
            let payload: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            let mut input = Input::new();
            input.extend(&packed(&payload, 0));
            let mut reader = FrameReader::default();
            assert_eq!(read(&mut reader, &mut input).as_ref(), Some(&payload), "{size}");
            assert!(input.is_empty());
            assert_eq!(reader.sequence() as usize, size / FRAME_BYTES_MAX + 1);
        }
    }

    #[test]
    fn a_packet_above_the_limit_is_refused_by_its_header_alone() {
        let mut input = Input::new();
        input.extend(&[0xFF, 0xFF, 0xFF, 0]);
        let mut reader = FrameReader::default();
        assert_eq!(reader.fill(&mut input, 1024), Err(FrameError::TooLarge));
    }

    #[test]
    fn a_continuation_that_would_pass_the_limit_is_refused() {
        let mut input = Input::new();
        input.extend(&packed(&vec![7; FRAME_BYTES_MAX], 0)[..HEADER_BYTES + FRAME_BYTES_MAX]);
        let mut reader = FrameReader::default();
        let limit = FRAME_BYTES_MAX + 10;
        assert_eq!(reader.fill(&mut input, limit), Ok(false));
        input.extend(&[11, 0, 0, 1]);
        assert_eq!(reader.fill(&mut input, limit), Err(FrameError::TooLarge));
    }

    #[test]
    fn a_wrong_sequence_number_is_out_of_order() {
        let mut input = Input::new();
        input.extend(&packed(b"x", 3));
        let mut reader = FrameReader::default();
        assert_eq!(reader.fill(&mut input, 1024), Err(FrameError::OutOfOrder));
    }

    #[test]
    fn a_streamed_packet_comes_in_pieces_and_only_an_empty_one_ends_as_empty() {
        let mut input = Input::new();
        let mut stream = packed(&vec![7; FRAME_BYTES_MAX], 2);
        stream.extend_from_slice(&packed(b"", 4));
        let mut reader = FrameReader::default();
        reader.expect(2);
        let (mut bytes, mut ends) = (0, Vec::new());
        for piece in stream.chunks(1 << 20) {
            input.extend(piece);
            loop {
                match reader.stream(&mut input).expect("valid") {
                    StreamPiece::None => break,
                    StreamPiece::Bytes(count) => {
                        bytes += count;
                        input.consume(count);
                    }
                    StreamPiece::End { empty } => ends.push(empty),
                }
            }
        }
        assert_eq!((bytes, ends), (FRAME_BYTES_MAX, vec![false, true]));
    }

    #[test]
    fn an_announced_length_takes_no_memory_before_the_bytes_come() {
        let mut input = Input::new();
        input.extend(&[0xFE, 0xFF, 0xFF, 0, 1, 2, 3]);
        let mut reader = FrameReader::default();
        assert_eq!(reader.fill(&mut input, usize::MAX), Ok(false));
        assert!(reader.gathered.capacity() < 1024);
        assert!(input.is_empty());
    }

    proptest! {
        #[test]
        fn packets_survive_any_cutting_of_the_stream(
            sizes in prop::collection::vec(0usize..100_000, 1..5),
            cut in 1usize..70_000,
        ) {
            let payloads: Vec<Vec<u8>> = sizes.iter().map(|&size| vec![size as u8; size]).collect();
            let stream: Vec<u8> = payloads.iter().flat_map(|payload| packed(payload, 0)).collect();
            let mut reader = FrameReader::default();
            let mut input = Input::new();
            let mut read_back = Vec::new();
            for piece in stream.chunks(cut) {
                input.extend(piece);
                while let Some(payload) = read(&mut reader, &mut input) {
                    reader.expect(0);
                    read_back.push(payload);
                }
            }
            prop_assert_eq!(read_back, payloads);
        }

        #[test]
        fn random_bytes_never_panic_the_reader(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut input = Input::new();
            input.extend(&bytes);
            let mut reader = FrameReader::default();
            while let Ok(true) = reader.fill(&mut input, 64) {
                reader.finish(&mut input);
            }
        }
    }
}
