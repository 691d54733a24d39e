//! Texts that are read as moments, kept while row after row is compared with them.
//!
//! `created BETWEEN '2024-01-01' AND '2024-01-31'` compares each row with the same two texts. To
//! read one takes several times as long as to compare what it says, so a thread keeps the last few
//! that it read.
//!
//! Invariants
//! 1. What is kept depends on the text alone: neither on a session nor on its zone.
//!
//! Not here: what a text says (`values::temporal`), what it means beside a value (`compare`).

use std::cell::RefCell;

use values::temporal::{ReadDateTime, read_bound};

/// Texts that a thread keeps: two each of two conditions.
const KEPT: usize = 4;
/// Longer ones say more than a moment.
const BYTES_MAX: usize = 32;

#[derive(Clone, Copy)]
struct MomentCache {
    text: [u8; BYTES_MAX],
    /// Bytes of the text; 0: nothing is kept here.
    len: usize,
    read: Option<ReadDateTime>,
}

struct Last {
    kept: [MomentCache; KEPT],
    /// Which is the next to be given up.
    next: usize,
}

thread_local! {
    static LAST: RefCell<Last> = const {
        RefCell::new(Last { kept: [MomentCache { text: [0; BYTES_MAX], len: 0, read: None }; KEPT], next: 0 })
    };
}

/// What `read_bound` says of a text.
pub fn read_kept(text: &[u8]) -> Option<ReadDateTime> {
    if text.is_empty() || text.len() > BYTES_MAX {
        return read_bound(text);
    }
    LAST.with_borrow_mut(|last| {
        let known = last.kept.iter().find(|kept| &kept.text[..kept.len] == text);
        if let Some(known) = known {
            return known.read;
        }
        let read = read_bound(text);
        let kept = &mut last.kept[last.next];
        kept.text[..text.len()].copy_from_slice(text);
        (kept.len, kept.read) = (text.len(), read);
        last.next = (last.next + 1) % KEPT;
        read
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_the_text_says() {
        let texts: Vec<String> = (0..3 * KEPT)
            .map(|number| format!("2024-01-{:02}", number + 1))
            .chain(["".into(), "no day".into(), "2024-02-31".into(), "2024-01-01 10:00:00".into()])
            .chain(["2024-01-0".into(), format!("2024-01-01{}", " ".repeat(2 * BYTES_MAX))])
            .collect();
        // Forwards, backwards, and each twice in a row.
        for text in texts.iter().chain(texts.iter().rev()) {
            for _ in 0..2 {
                assert_eq!(read_kept(text.as_bytes()), read_bound(text.as_bytes()), "{text}");
            }
        }
    }
}
