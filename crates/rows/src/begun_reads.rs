//! Reads that a thread begins and does not wait for: how event loops read from a disk.
//!
//! A turn that was refused what it reads (`Reach::Memory`) is taken once more when that has come.
//! So nobody needs a thread that may wait for a read or two
//! (docs/decisions/0066-reads-begun-in-loops.md).
//!
//! Invariants
//! 1. Nothing here waits: `begin` only notes, `proceed` only hands over what was noted and takes
//!    what has come.
//! 2. Each read that was begun arrives once, also one that failed: then without a piece, and who
//!    wants to know why reads where it may wait.
//! 3. How many are under way, and how large each may be, is limited: `begin` says no to more.
//!
//! Not here: who is read for (crate `server`), files (each store).

/// Reads of one thread, made by its store (`Store::begun_reads`).
pub trait BegunReads: Send {
    /// Begins to read what was refused last since the calling thread's turn began
    /// (`Store::begin_turn`), for whom the name means. `false`: nothing was that could be read so,
    /// or too many are under way.
    fn begin(&mut self, name: u64) -> bool;

    /// Sees to it that reads go on, and takes those that have ended. Whoever has begun any calls
    /// this before it sleeps, and when it is woken.
    fn proceed(&mut self, arrivals: &mut Vec<Arrival>);

    /// Reads that have been begun and have not arrived.
    fn under_way(&self) -> usize;

    /// Whether some could not be handed over yet, so that `proceed` has to be called again soon.
    fn is_behind(&self) -> bool;
}

/// A read that has ended.
pub struct Arrival {
    /// For whom it was.
    pub name: u64,
    /// What was read, unless it failed.
    pub piece: Option<Box<dyn ReadPiece>>,
}

/// What was read, in memory of its own.
pub trait ReadPiece: Send {
    /// Lets the calling thread's reads find it while they are made by `turn`.
    fn lend_to(&self, turn: &mut dyn FnMut());
}
