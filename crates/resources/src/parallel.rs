//! One work in numbered parts, done by several threads.
//!
//! Invariants
//! 1. Each part is begun at most once, in the order of their numbers, and none after an error.
//! 2. The other threads are behind those that serve clients, and end when the caller's work is to
//!    (`interrupt`).
//!
//! Not here: what the parts are (`rows::split`).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;

use crate::background::give_way;
use crate::interrupt;

/// Does so many parts: each worker has a thread, the first one the caller's, takes one part after
/// another with `each`, and is ended by `end` when none is left. What the workers end with comes in
/// no order.
///
/// # Errors
/// The first that a worker gave.
pub fn share_out<W: Send, R: Send, E: Send>(
    mut workers: Vec<W>,
    parts: usize,
    each: impl Fn(&mut W, usize) -> Result<(), E> + Sync,
    end: impl Fn(W) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let Some(own) = workers.pop() else { return Ok(Vec::new()) };
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (ended, failed) = (Mutex::new(Vec::new()), Mutex::new(None::<E>));
    let all = |mut worker: W| {
        while !stopped.load(Ordering::Relaxed) {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                break;
            }
            each(&mut worker, part)?;
        }
        ended.lock().push(end(worker)?);
        Ok(())
    };
    let work = |worker: W| {
        if let Err(error) = all(worker) {
            stopped.store(true, Ordering::Relaxed);
            failed.lock().get_or_insert(error);
        }
    };
    let working = interrupt::current();
    thread::scope(|scope| {
        for worker in workers {
            let (working, work) = (working.clone(), &work);
            scope.spawn(move || {
                let _working = working.map(interrupt::working);
                give_way(0);
                work(worker);
            });
        }
        work(own);
    });
    match failed.into_inner() {
        Some(error) => Err(error),
        None => Ok(ended.into_inner()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_done_once_by_whoever_is_free() {
        for workers in [0, 1, 3, 9] {
            let workers: Vec<Vec<usize>> = vec![Vec::new(); workers];
            let some = !workers.is_empty();
            let each = |done: &mut Vec<usize>, part| {
                done.push(part);
                Ok(())
            };
            let mut done: Vec<usize> = share_out(workers, 100, each, Ok::<_, ()>).unwrap().concat();
            done.sort_unstable();
            assert!(done.into_iter().eq(0..if some { 100 } else { 0 }));
        }
    }

    #[test]
    fn nothing_is_begun_after_an_error() {
        let begun = AtomicUsize::new(0);
        let each = |_: &mut (), part| {
            begun.fetch_add(1, Ordering::Relaxed);
            if part == 7 { Err("seven") } else { Ok(()) }
        };
        let ended = share_out(vec![()], 100, each, Ok);
        assert!(ended == Err("seven"));
        assert_eq!(begun.into_inner(), 8);
    }
}
