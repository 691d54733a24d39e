//! Whether a connection's next request is likely to be for the pool, by what its last ones did: to read from
//! a disk, or to write more than a loop does.
//!
//! A loop that serves such a request finds out only at the end of a look-up that nothing comes of, or
//! when it has read a long statement, and a thread of the pool then begins anew. So conversations whose
//! requests were such several times in a row are sent to the pool at once, until they no longer are.
//!
//! Not here: what is sent (`event_loop`), who reads (`pool`).

/// Turns for the pool, more than others, from which on the next is expected to be one, too.
const EXPECTED_FROM: u8 = 4;
/// However long it lasted, after half as many other turns it is over.
const MOST: u8 = 2 * EXPECTED_FROM;
/// Another turn takes back so many: a wrong guess costs a change of threads.
const TAKEN_BACK: u8 = 2;

/// What a connection's last turns were like.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expectation(u8);

impl Expectation {
    /// A turn has answered requests, which were for the pool or not.
    pub fn note(&mut self, was_for_pool: bool) {
        self.0 = match was_for_pool {
            true => (self.0 + 1).min(MOST),
            false => self.0.saturating_sub(TAKEN_BACK),
        };
    }

    /// A turn has answered nothing, or was of another kind.
    pub fn forget(&mut self) {
        self.0 = 0;
    }

    /// Whether the next turn is likely to be for the pool.
    pub fn is_pool(self) -> bool {
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
            assert!(!expectation.is_pool());
            expectation.note(true);
        }
        assert!(expectation.is_pool());
        (0..100).for_each(|_| expectation.note(true));
        for _ in 0..2 {
            expectation.note(false);
            assert!(expectation.is_pool(), "one in ten is in memory by chance");
        }
        expectation.note(false);
        assert!(!expectation.is_pool());
        (0..100).for_each(|_| expectation.note(true));
        expectation.forget();
        assert!(!expectation.is_pool());
    }

    #[test]
    fn where_most_is_in_memory_no_disk_is_expected() {
        let mut expectation = Expectation::default();
        for turn in 0..1000 {
            expectation.note(turn % 3 == 0);
            assert!(!expectation.is_pool());
        }
    }
}
