//! What the soak writes, and what must be read back of it.
//!
//! A value tells whose it is: `ID.VERSION.` and then letters that follow from both, so that one
//! read anywhere can be judged alone. Besides, every client has rows that only it writes, and knows
//! their last acknowledged value:
//! ```text
//! ids 1..=HOT             written by all: read values must be whole
//! then OWN for each slot  written by one client: read values must be the last acknowledged
//! then REPEATED           set again and again to the value that they have
//! ```
//! Invariants
//! 1. A row whose writer left before the reply is doubtful: both values are right, and it is not
//!    written again, since the write may still be under way behind a later one.
//!
//! Not here: how rows are asked for (`client`).

use std::sync::LazyLock;

use crate::users::{mix, parse_number, push_number};

/// Rows that every client reads and writes.
pub const HOT: u32 = 1_000;
/// Rows that belong to one client.
pub const OWN: u32 = 32;
/// Clients that may have rows of their own.
pub const SLOTS: u32 = 1_024;
/// Rows that are set to the value they have.
pub const REPEATED: u32 = 50_000;
/// The first of them.
pub const REPEATED_FROM: u32 = HOT + OWN * SLOTS + 1;
/// Rows of the table.
pub const ROWS: u32 = REPEATED_FROM + REPEATED - 1;
/// Bytes of a repeated value.
pub const REPEATED_BYTES: u32 = 400;
/// Bytes of the first values of the others.
pub const FIRST_BYTES: u32 = 32;
/// Numbers that every client counts up.
pub const COUNTERS: usize = 8;

/// Bytes of letters that do not repeat, from which values are cut.
const LETTERS: usize = 1 << 16;

static LETTERS_TWICE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let letter = |at: usize| b"abcdefghijklmnopqrstuvwxyz012345"[mix(at as u64) as usize % 32];
    (0..2 * LETTERS).map(|at| letter(at % LETTERS)).collect()
});

/// Which value of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownValue {
    /// Counts the row's values.
    pub version: u32,
    /// Its length, unless its head alone is longer.
    pub bytes: u32,
}

/// Appends a row's value.
pub fn push_value(out: &mut Vec<u8>, id: u32, known: KnownValue) {
    let from = out.len();
    push_number(out, u64::from(id));
    out.push(b'.');
    push_number(out, u64::from(known.version));
    out.push(b'.');
    let mut rest = (known.bytes as usize).saturating_sub(out.len() - from);
    let mut at = mix(u64::from(id) << 32 | u64::from(known.version)) as usize % LETTERS;
    while rest > 0 {
        let bytes = rest.min(LETTERS);
        out.extend_from_slice(&LETTERS_TWICE[at..at + bytes]);
        at = (at + bytes) % LETTERS;
        rest -= bytes;
    }
}

/// A row's value.
pub fn value(id: u32, known: KnownValue) -> Vec<u8> {
    let mut out = Vec::with_capacity(known.bytes as usize + 24);
    push_value(&mut out, id, known);
    out
}

/// Which value of this row some bytes are, if they are whole.
pub fn recognize(id: u32, bytes: &[u8]) -> Option<KnownValue> {
    let mut parts = bytes.splitn(3, |byte| *byte == b'.');
    let whose = parts.next().and_then(parse_number)?;
    let version = parts.next().and_then(parse_number)? as u32;
    let known = KnownValue { version, bytes: bytes.len() as u32 };
    (whose == u64::from(id) && value(id, known) == bytes).then_some(known)
}

/// One client's own rows.
#[derive(Debug)]
pub struct OwnRows {
    first: u32,
    rows: Vec<SoakRow>,
}

#[derive(Debug, Clone, Copy)]
struct SoakRow {
    known: KnownValue,
    /// Sent, and not answered yet.
    sent: Option<KnownValue>,
    /// As right as `known`.
    doubtful: Option<KnownValue>,
    /// Written since the last verification.
    touched: bool,
}

impl OwnRows {
    /// Of the client in a slot.
    pub fn new(slot: u32) -> OwnRows {
        let known = KnownValue { version: 0, bytes: FIRST_BYTES };
        let row = SoakRow { known, sent: None, doubtful: None, touched: false };
        OwnRows { first: HOT + OWN * slot + 1, rows: vec![row; OWN as usize] }
    }

    /// The id of one of its rows.
    pub fn id(&self, row: usize) -> u32 {
        self.first + row as u32
    }

    /// Its last acknowledged value; `None` while that is in doubt.
    pub fn known(&self, row: usize) -> Option<KnownValue> {
        let row = &self.rows[row];
        row.doubtful.is_none().then_some(row.known)
    }

    /// A value is sent.
    pub fn sends(&mut self, row: usize, known: KnownValue) {
        let row = &mut self.rows[row];
        (row.sent, row.touched) = (Some(known), true);
    }

    /// It was acknowledged, or refused.
    pub fn answered(&mut self, row: usize, acknowledged: bool) {
        let row = &mut self.rows[row];
        if let Some(sent) = row.sent.take()
            && acknowledged
        {
            row.known = sent;
        }
    }

    /// The client leaves: nobody will know of what it has sent.
    pub fn leaves(&mut self) {
        for row in &mut self.rows {
            if let Some(sent) = row.sent.take() {
                row.doubtful = Some(sent);
            }
        }
    }

    /// Rows that were written since the last call, with what may be read of them.
    pub fn take_touched(&mut self) -> Vec<(u32, Vec<KnownValue>)> {
        let mut touched = Vec::new();
        for (at, row) in self.rows.iter_mut().enumerate() {
            if std::mem::take(&mut row.touched) {
                let known = [Some(row.known), row.doubtful].into_iter().flatten().collect();
                touched.push((self.first + at as u32, known));
            }
        }
        touched
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_recognized_whole_and_in_no_other_row() {
        for bytes in [1, 10, 400, 70_000, 1_000_000] {
            let known = KnownValue { version: 7, bytes };
            let whole = value(12, known);
            assert_eq!(recognize(12, &whole).map(|known| known.version), Some(7));
            assert_eq!(recognize(13, &whole), None);
            if whole.len() > 20 {
                assert_eq!(recognize(12, &whole[1..]), None);
                let mut changed = whole.clone();
                *changed.last_mut().unwrap() ^= 1;
                assert_eq!(recognize(12, &changed), None);
            }
        }
    }

    #[test]
    fn what_was_sent_by_who_left_is_doubtful_and_what_was_refused_is_not_there() {
        let known = |version| KnownValue { version, bytes: 10 };
        let mut ledger = OwnRows::new(3);
        ledger.sends(0, known(1));
        ledger.answered(0, true);
        ledger.sends(0, known(2));
        ledger.answered(0, false);
        ledger.sends(1, known(1));
        ledger.leaves();
        assert_eq!((ledger.known(0), ledger.known(1)), (Some(known(1)), None));
        let first = KnownValue { version: 0, bytes: FIRST_BYTES };
        let touched = ledger.take_touched();
        let id = ledger.id(0);
        assert_eq!(touched, [(id, vec![known(1)]), (id + 1, vec![first, known(1)])]);
        assert!(ledger.take_touched().is_empty());
    }
}
