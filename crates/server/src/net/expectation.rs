//! Whether a connection's next request is likely to need a disk, by what its last ones did.
//!
//! A loop that serves such a request finds out only at the end of a look-up that nothing comes of, and
//! a thread of the pool then begins anew. So conversations that went to disk several times in a
//! row are sent to the pool at once, until they no longer do.
//!
//! Not here: what is sent (`event_loop`), who reads (`pool`).

/// Turns with reads from disk, more than without, from which on the next is expected to read, too.
const EXPECTED_FROM: u8 = 4;
/// However long it lasted, after half as many turns without a read it is over.
const MOST: u8 = 2 * EXPECTED_FROM;
/// A turn without a read takes back so many with one: a wrong guess costs a change of threads.
const TAKEN_BACK: u8 = 2;

/// What a connection's last turns were like.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expectation(u8);

impl Expectation {
    /// A turn has answered requests, with reads from disk or without.
    pub fn note(&mut self, has_read: bool) {
        self.0 = match has_read {
            true => (self.0 + 1).min(MOST),
            false => self.0.saturating_sub(TAKEN_BACK),
        };
    }

    /// A turn has answered nothing, or was of another kind.
    pub fn forget(&mut self) {
        self.0 = 0;
    }

    /// Whether the next turn is likely to read from a disk.
    pub fn is_disk(self) -> bool {
        self.0 >= EXPECTED_FROM
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_expected_after_several_reads_and_no_longer_after_some_turns_without() {
        let mut expectation = Expectation::default();
        for _ in 0..EXPECTED_FROM {
            assert!(!expectation.is_disk());
            expectation.note(true);
        }
        assert!(expectation.is_disk());
        (0..100).for_each(|_| expectation.note(true));
        for _ in 0..2 {
            expectation.note(false);
            assert!(expectation.is_disk(), "one in ten is in memory by chance");
        }
        expectation.note(false);
        assert!(!expectation.is_disk());
        (0..100).for_each(|_| expectation.note(true));
        expectation.forget();
        assert!(!expectation.is_disk());
    }

    #[test]
    fn where_most_is_in_memory_no_disk_is_expected() {
        let mut expectation = Expectation::default();
        for turn in 0..1000 {
            expectation.note(turn % 3 == 0);
            assert!(!expectation.is_disk());
        }
    }
}
