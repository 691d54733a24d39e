//! Whether what a thread works on is to end: asked where a thread waits for others, and in long
//! loops, without every call handing it on.
//!
//! Invariants
//! 1. A wait that ends early does so as if its time had been over (`LockTimeout`); who interrupted
//!    it knows better what to say.
//!
//! Not here: who interrupts (crate `sql`).

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::owner::Owner;

/// How often one that waits looks.
pub const LOOK: Duration = Duration::from_millis(50);

/// Somebody's work that may be ended by another.
pub trait Interrupt: Send + Sync {
    /// Whether it is to end.
    fn is_wanted(&self) -> bool;

    /// The connection whose work it is, as far as memory goes; `None` where no one connection's.
    fn owner(&self) -> Option<&Arc<Owner>> {
        None
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<dyn Interrupt>>> = const { RefCell::new(None) };
}

/// What this thread works on, until it is dropped.
pub struct Working(Option<Arc<dyn Interrupt>>);

/// Says what this thread works on from now on.
pub fn working(on: Arc<dyn Interrupt>) -> Working {
    Working(CURRENT.replace(Some(on)))
}

/// Does what nobody ends once it is begun: a part of something that has taken place.
pub fn undisturbed<T>(work: impl FnOnce() -> T) -> T {
    let _before = Working(CURRENT.take());
    work()
}

/// What this thread works on, whose memory is that of a connection.
struct OwnedWork {
    inner: Option<Arc<dyn Interrupt>>,
    owner: Arc<Owner>,
}

impl Interrupt for OwnedWork {
    fn is_wanted(&self) -> bool {
        self.inner.as_ref().is_some_and(|inner| inner.is_wanted())
    }

    fn owner(&self) -> Option<&Arc<Owner>> {
        Some(&self.owner)
    }
}

/// Says whose memory it is that this thread draws for what it works on.
pub fn working_for(owner: Arc<Owner>) -> Working {
    working(Arc::new(OwnedWork { inner: current(), owner }))
}

impl Drop for Working {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// What this thread works on, for other threads that help it.
pub fn current() -> Option<Arc<dyn Interrupt>> {
    CURRENT.with_borrow(Option::clone)
}

/// The connection that this thread works for, as far as memory goes.
pub fn owner() -> Option<Arc<Owner>> {
    CURRENT.with_borrow(|current| current.as_ref()?.owner().cloned())
}

/// The calling thread has waited so long for a disk, which counts for whose work it does. A thread
/// that is ending works for nobody.
pub fn note_disk_wait(waited: Duration) {
    let note = |current: &RefCell<Option<Arc<dyn Interrupt>>>| {
        let current = current.borrow();
        if let Some(owner) = current.as_ref().and_then(|work| work.owner()) {
            owner.note_disk_wait(waited);
        }
    };
    let _ = CURRENT.try_with(note);
}

/// Does what waits for a disk, and counts its time.
pub fn on_disk<T>(wait: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let done = wait();
    note_disk_wait(began.elapsed());
    done
}

/// Whether what this thread works on is to end.
pub fn is_wanted() -> bool {
    CURRENT.with_borrow(|current| current.as_ref().is_some_and(|work| work.is_wanted()))
}
