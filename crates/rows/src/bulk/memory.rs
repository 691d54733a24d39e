//! The memory in which a thread sorts: a part of the clients', and, as long as that is not enough,
//! more and more of the row cache's.
//!
//! The more there is, the fewer runs are written, read and merged
//! (docs/decisions/0087-memory-of-sorts.md).
//!
//! Invariants
//! 1. What was drawn and borrowed is there while entries are added, whatever others ask for.
//! 2. What is in use beyond that is counted as the clients'.
//!
//! Not here: what of it is for entries (`rows`).

use std::sync::Arc;

use resources::budget::Share;

use crate::cache::{Loan, RowCache};
use crate::engine::Engine;
use crate::error::Result;

/// The part of the memory for clients that sorters take; half of it and less where more than
/// `USED_MAX` of all would be in use then, as long as each thread has its least.
const CLIENTS_PART: usize = 4;
const USED_MAX: (usize, usize) = (5, 8);
const THREAD_BYTES_MIN: usize = 512 << 10;
/// What a thread borrows at most: with more it would sort no faster, and others' rows leave the
/// cache for it.
const LOAN_BYTES_MAX: usize = 64 << 20;
/// Steps in which it borrows that.
const LOAN_STEPS: usize = 4;

/// One thread's.
pub(super) struct SortMemory {
    share: Share,
    loan: Loan,
    cache: Arc<RowCache>,
    /// Threads of the same load.
    threads: usize,
    drawn: usize,
}

impl SortMemory {
    /// Draws memory for each of so many threads.
    ///
    /// # Errors
    /// `NoMemory`.
    pub fn draw(engine: &Engine, threads: usize) -> Result<Vec<SortMemory>> {
        let drawn = thread_bytes(engine, threads);
        let memory = |_| {
            let mut share = engine.budget().share();
            share.grow_to(drawn)?;
            let (loan, cache) = (Loan::default(), Arc::clone(engine.cache()));
            Ok(SortMemory { share, loan, cache, threads, drawn })
        };
        (0..threads).map(memory).collect()
    }

    /// Bytes that were drawn and borrowed, until `set_used` said that fewer are needed.
    pub fn bytes(&self) -> usize {
        self.drawn + self.loan.bytes()
    }

    /// Borrows one step more; whether there was as much.
    pub fn borrow(&mut self) -> bool {
        let most = (self.cache.lendable_bytes() / self.threads).min(LOAN_BYTES_MAX);
        let step = most / LOAN_STEPS;
        if step == 0 || self.loan.bytes() + step > most {
            return false;
        }
        // Less than a step is not worth the rows that would leave the cache.
        let Some(more) = self.cache.borrow(step) else { return false };
        self.loan.join(more);
        true
    }

    /// So many bytes are in use from now on. What is not needed of the loan goes back.
    pub fn set_used(&mut self, bytes: usize) {
        self.loan.shrink_to(bytes.saturating_sub(self.drawn));
        self.share.set(bytes - self.loan.bytes());
    }
}

/// Bytes of the clients' memory that each of so many threads of a load may have.
pub(super) fn thread_bytes(engine: &Engine, threads: usize) -> usize {
    let budget = engine.budget();
    let (part, of) = USED_MAX;
    let free = (budget.bytes_max() / of * part).saturating_sub(budget.used());
    let mut bytes = budget.bytes_max() / CLIENTS_PART;
    while bytes > free && bytes > 2 * threads * THREAD_BYTES_MIN {
        bytes /= 2;
    }
    (bytes / threads).max(THREAD_BYTES_MIN)
}
