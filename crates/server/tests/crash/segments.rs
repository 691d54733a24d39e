//! What a disk has of the segments of columnar tables, by their keys (docs/formats.md): so that
//! cuts are known to have left some, and to have fallen amid the mover's work.
//!
//! Not here: whether they are right (`found`).

use std::collections::BTreeSet;

use rows::Engine;
use rows::schema::TableId;
use rows::store::{Direction, KeyRange, Reach, Read};

/// Kinds of keys of a columnar table.
const SEGMENTS: u16 = 0xfff1;
const COLUMNS: u16 = 0xfff2;

/// Segments of all columnar tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segments {
    pub listed: u64,
    /// Listed with some of their rows only, or not at all: their making was cut.
    pub unfinished: u64,
}

impl Segments {
    /// Those of a store.
    pub fn of(engine: &Engine) -> rows::Result<Segments> {
        let view = engine.store().snapshot()?;
        let mut segments = Segments::default();
        for table in engine.catalog().all_tables() {
            if !table.columnar {
                continue;
            }
            let mut listed = BTreeSet::new();
            each(&*view, table.id, SEGMENTS, &mut |segment, value| {
                listed.insert(segment);
                let is_sealed = value.get(1..5) == value.get(5..9);
                segments.unfinished += u64::from(!is_sealed);
            })?;
            segments.listed += listed.len() as u64;
            let mut unlisted = BTreeSet::new();
            each(&*view, table.id, COLUMNS, &mut |segment, _| {
                if !listed.contains(&segment) {
                    unlisted.insert(segment);
                }
            })?;
            segments.unfinished += unlisted.len() as u64;
        }
        Ok(segments)
    }
}

/// Visits the keys of a kind: the segment that each is about, and the value.
fn each(
    view: &dyn Read,
    table: TableId,
    kind: u16,
    visit: &mut dyn FnMut([u8; 4], &[u8]),
) -> rows::Result<()> {
    let prefix = |kind: u16| [&table.to_be_bytes()[..], &kind.to_be_bytes()].concat();
    let range = KeyRange { start: prefix(kind), end: prefix(kind + 1) };
    let mut cursor = view.scan(&range, Direction::Forward, Reach::Disk)?;
    while cursor.advance()? {
        let (key, value) = cursor.entry();
        let segment = key.get(6..10).and_then(|bytes| bytes.try_into().ok());
        visit(segment.expect("a segment's number"), value);
    }
    Ok(())
}

/// Whether bytes of the log list a segment of a columnar table: table, kind and segment of small
/// numbers.
pub fn lists_one(log: &[u8]) -> bool {
    let [high, low] = SEGMENTS.to_be_bytes();
    let is_key =
        |key: &[u8]| matches!(key, [0, 0, _, _, a, b, 0, 0, _, _] if (*a, *b) == (high, low));
    log.windows(10).any(is_key)
}
