//! The statement scanner: shapes, literals, and where statements end.

use syntax::scan::{Literal, Scanned};
use values::SqlMode;

use crate::memory::within;

/// Scans the statements of the input one after another.
pub fn check(input: &[u8]) {
    for mode in modes() {
        let mut rest = input;
        while !rest.is_empty() {
            let mut scanned = Scanned::default();
            // A literal of one byte is kept in 40, in a list that doubles.
            let memory_max = 192 * rest.len() + 4096;
            if within(memory_max, || scanned.scan(rest, mode)).is_err() {
                break;
            }
            properties(&scanned, rest);
            assert!(scanned.taken > 0, "no end in sight");
            rest = &rest[scanned.taken..];
        }
    }
}

/// Modes in which quotes mean something else.
pub fn modes() -> [SqlMode; 3] {
    ["", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"].map(|text| SqlMode::parse(text).expect("a mode"))
}

fn properties(scanned: &Scanned, text: &[u8]) {
    assert!(scanned.start <= scanned.end && scanned.end <= scanned.taken);
    assert!(scanned.taken <= text.len());
    for literal in &scanned.literals {
        match literal {
            Literal::Text(start, end) => {
                assert!(text.get(*start as usize..*end as usize).is_some())
            }
            Literal::Arena(start, end) => {
                assert!(scanned.arena.get(*start as usize..*end as usize).is_some());
            }
            Literal::Parameter(number) => assert!(*number < scanned.parameters()),
            _ => {}
        }
    }
    assert!(scanned.runs.iter().all(|count| *count > 0));
    let mut datums = Vec::new();
    scanned.datums(text, &[], &mut datums);
    assert_eq!(datums.len(), scanned.literals.len());
}
