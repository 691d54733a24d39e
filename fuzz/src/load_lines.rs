//! LOAD DATA's lines: the same fields however the file is cut into pieces.

use resources::budget::{Budget, Share};
use sql::fuzzing::Splitter;
use syntax::load::Format;

use crate::memory::within;
use crate::shapes::byte;

/// Line and field ends that formats of this target have.
const ENDS: [&[u8]; 8] = [b"\n", b"\t", b",", b"\r\n", b"||", b"aab", b"", b"\n\n"];

type Fields = Vec<Vec<(Vec<u8>, bool)>>;

/// Cuts the input by a format that its first bytes choose.
pub fn check(mut input: &[u8]) {
    let (ends, signs, skip) = (byte(&mut input), byte(&mut input), byte(&mut input));
    let sign = |choice: u8| [None, Some(b'"'), Some(b'\\'), Some(b'\'')][usize::from(choice % 4)];
    let format = Format {
        field_end: ENDS[usize::from(ends % 8)].to_vec(),
        line_end: ENDS[usize::from(ends / 8 % 8)].to_vec(),
        line_start: if ends & 128 != 0 { b"xy".to_vec() } else { Vec::new() },
        enclosed: sign(signs),
        optionally: false,
        escape: sign(signs / 4),
        ..Format::default()
    };
    let skipped = u64::from(skip % 3);
    let size = 1 + usize::from(skip / 3);
    let Ok(splitter) = Splitter::new(format.clone(), skipped, share()) else { return };
    let at_once = fields(splitter, &[input]);
    let pieces: Vec<&[u8]> = input.chunks(size).collect();
    let again = Splitter::new(format, skipped, share()).expect("made before");
    assert_eq!(at_once, fields(again, &pieces), "pieces of {size}");
    let bytes: usize = at_once.iter().flatten().map(|(field, _)| field.len()).sum();
    assert!(bytes <= input.len(), "more than came");
}

/// More memory than any input of this target needs.
fn share() -> Share {
    Budget::new(16 << 20).share()
}

fn fields(mut splitter: Splitter, pieces: &[&[u8]]) -> Fields {
    let mut lines = Vec::new();
    let mut take = |splitter: &mut Splitter, last| {
        while let Some(line) = splitter.next_line(last).expect("a short line") {
            let fields = (0..line.len()).filter_map(|n| line.field(n));
            lines.push(fields.map(|field| (field.bytes.to_vec(), field.null)).collect());
        }
    };
    for piece in pieces {
        // What is kept is one line, in a buffer that doubles, and where its fields are.
        within(128 * piece.len() + (1 << 20), || splitter.push(piece)).expect("a short line");
        take(&mut splitter, false);
    }
    take(&mut splitter, true);
    lines
}
