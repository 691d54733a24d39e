//! What work may do in one turn of an event loop, whose other clients wait meanwhile; what would do
//! more is begun, or begun again, in a thread of the pool.
//!
//! A turn should be over within some 300 us. What work will take is not known before it is done, so
//! it is limited by what it handles: a byte of a statement takes up to 1 us to be parsed and bound,
//! a row 0.3 us to be looked at, 3 us to be locked and 8 us to be changed. Where it is done
//! elsewhere a change of threads comes on top, 150 to 300 us: 20 rows that one client locks took
//! three times as long.
//!
//! Invariants
//! 1. A loop and a pool thread do the same work: only where it is done depends on these.
//!
//! Not here: what is likely to take longer, by what it took before (`forecast`), how much memory
//! there is (`budget`).

/// What may be done in a turn.
#[derive(Clone, Copy, Debug)]
pub struct TurnLimits {
    /// Bytes of a statement's text, of a parameter, of a list of keys, of what a transaction writes
    /// and locks; longer values are not made.
    pub bytes: usize,
    /// Bytes of a statement's shape that is parsed and bound: up to a millisecond where brackets
    /// are nested.
    pub shape_bytes: usize,
    /// Rows that a statement changes or locks.
    pub rows_changed: usize,
    /// Rows that are met on the way to those that are changed, or to those that a search gives.
    pub rows_met: usize,
    /// Rows of a piece of a result, and keys of a list.
    pub rows_given: usize,
    /// Pieces of one result.
    pub pieces: u32,
    /// Rows that a query or a scan looks at.
    pub rows_seen: usize,
    /// Rows from which on, if so many are expected, a query is not begun. Of small tables that have
    /// just been written, the expected ones are often too many.
    pub rows_expected: usize,
    /// Rows that a HandlerSocket find passes, and values that it looks up.
    pub rows_passed: u32,
    /// Comparisons of characters for which a search in a text is begun.
    pub comparisons: usize,
}

impl TurnLimits {
    /// In an event loop.
    pub const LOOP: TurnLimits = TurnLimits {
        bytes: 64 << 10,
        shape_bytes: 512,
        rows_changed: 32,
        rows_met: 128,
        rows_given: 512,
        pieces: 4,
        rows_seen: 1_000,
        rows_expected: 2_000,
        rows_passed: 10_000,
        comparisons: 4 << 20,
    };
    /// Where nobody else waits.
    pub const POOL: TurnLimits = TurnLimits {
        bytes: usize::MAX,
        shape_bytes: usize::MAX,
        rows_changed: usize::MAX,
        rows_met: usize::MAX,
        rows_given: usize::MAX,
        pieces: u32::MAX,
        rows_seen: usize::MAX,
        rows_expected: usize::MAX,
        rows_passed: u32::MAX,
        comparisons: usize::MAX,
    };
}
