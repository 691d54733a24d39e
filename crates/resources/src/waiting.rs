//! What a thread waits for just now, for those who look at its work from outside.
//!
//! Whoever does a request's work on a thread says whose it is (`tell`); wherever that thread then
//! waits for other requests (`during`), the mark says for what. Threads that said nothing wait
//! unseen, and nobody pays for it.
//!
//! Not here: the waits themselves (`locks`, `table`; for memory SQL's), who looks (the process list
//! of SQL).

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Instant;

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// A row that another transaction has locked.
    RowLock = 1,
    /// A schema change that keeps writers out of its table, or, for a schema change, writers that
    /// are still in.
    MetadataLock = 2,
    /// Memory that other statements have.
    Memory = 3,
    /// A name that another connection has locked (GET_LOCK).
    NamedLock = 4,
    /// The time that SLEEP is asked for.
    Sleep = 5,
}

/// What the work that it stands for waits for.
#[derive(Debug, Default)]
pub struct WaitMark {
    current: AtomicU8,
    /// The number of the table whose definition is waited for, or was last.
    table: AtomicU64,
    /// Microseconds of waits for locks, of rows and of definitions.
    lock_micros: AtomicU64,
}

impl WaitMark {
    /// Microseconds that were waited for locks since this was asked last.
    pub fn take_lock_micros(&self) -> u64 {
        self.lock_micros.swap(0, Ordering::Relaxed)
    }

    /// The number of the table that a wait for a metadata lock is about.
    pub fn table(&self) -> u64 {
        self.table.load(Ordering::Relaxed)
    }

    /// What is waited for now, if anything.
    pub fn current(&self) -> Option<Waiting> {
        match self.current.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Waiting::RowLock),
            2 => Some(Waiting::MetadataLock),
            3 => Some(Waiting::Memory),
            4 => Some(Waiting::NamedLock),
            _ => Some(Waiting::Sleep),
        }
    }
}

thread_local! {
    static OF_THIS_THREAD: RefCell<Option<Arc<WaitMark>>> = const { RefCell::new(None) };
    /// Waits for row locks so far.
    static ROW_LOCK_WAITS: Cell<u64> = const { Cell::new(0) };
}

/// How often the calling thread has waited for a row that another transaction had locked: whoever
/// reads this twice knows whether others may have changed rows between that a scan had passed
/// already.
pub fn row_lock_waits() -> u64 {
    ROW_LOCK_WAITS.get()
}

/// While it lives, the calling thread's waits are told to a mark.
#[derive(Debug)]
pub struct Telling {
    before: Option<Arc<WaitMark>>,
}

/// Lets the calling thread's waits be told to `mark`.
pub fn tell(mark: &Arc<WaitMark>) -> Telling {
    Telling { before: OF_THIS_THREAD.replace(Some(Arc::clone(mark))) }
}

impl Drop for Telling {
    fn drop(&mut self) {
        OF_THIS_THREAD.set(self.before.take());
    }
}

/// Waits, and lets it be seen for what.
pub fn during<T>(what: Waiting, wait: impl FnOnce() -> T) -> T {
    during_of(what, 0, wait)
}

/// As `during`, for a table of this number.
pub fn during_of<T>(what: Waiting, table: u64, wait: impl FnOnce() -> T) -> T {
    let mark = OF_THIS_THREAD.with_borrow(Option::clone);
    let began = mark.as_ref().map(|mark| {
        mark.table.store(table, Ordering::Relaxed);
        mark.current.store(what as u8, Ordering::Relaxed);
        Instant::now()
    });
    let waited = wait();
    if what == Waiting::RowLock {
        ROW_LOCK_WAITS.set(ROW_LOCK_WAITS.get() + 1);
    }
    if let (Some(mark), Some(began)) = (&mark, began) {
        mark.current.store(0, Ordering::Relaxed);
        if matches!(what, Waiting::RowLock | Waiting::MetadataLock) {
            mark.lock_micros.fetch_add(began.elapsed().as_micros() as u64, Ordering::Relaxed);
        }
    }
    waited
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_seen_while_it_lasts_and_only_by_whose_work_it_is() {
        let (one, other) = (Arc::new(WaitMark::default()), Arc::new(WaitMark::default()));
        during(Waiting::RowLock, || assert_eq!(one.current(), None));
        let _telling = tell(&one);
        {
            let _telling = tell(&other);
            during(Waiting::MetadataLock, || {
                assert_eq!(other.current(), Some(Waiting::MetadataLock));
                assert_eq!(one.current(), None);
            });
        }
        during(Waiting::RowLock, || assert_eq!(one.current(), Some(Waiting::RowLock)));
        assert_eq!((one.current(), other.current()), (None, None));
        during_of(Waiting::MetadataLock, 7, || assert_eq!(one.table(), 7));
        assert_eq!(other.table(), 0);
    }
}
