//! A line in which statements wait for memory, in the order in which they came.
//!
//! Invariants
//! 1. One at a time has its turn; the next one's begins when it is dropped.
//! 2. A wait ends with its statement, and with its deadline.
//! 3. A statement that timed out in the line tells its successor, and no one else.
//!
//! Not here: what a statement waits for once its turn has come (`statement_admission`,
//! `session::restarts`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use expression::KillMark;
use parking_lot::{Condvar, Mutex, MutexGuard};
use resources::waiting::{Waiting, during};

use super::pause::pause;
use results::{MemoryShortage, Result, SqlError};

/// The statements that wait, and the one whose turn it is.
#[derive(Debug, Default)]
pub(crate) struct StatementQueue {
    state: Mutex<QueueState>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    numbers: VecDeque<u64>,
    /// Of the next one to come.
    next: u64,
    /// The last one that was first waited in vain.
    in_vain: bool,
}

/// Being first in a line.
#[derive(Debug)]
pub(crate) struct LineTurn {
    line: Arc<StatementQueue>,
    number: u64,
    /// Whether the one before has waited in vain for what this one will wait for.
    after_vain_wait: bool,
    /// Whether this one has.
    in_vain: bool,
}

impl StatementQueue {
    /// Whether nobody is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.state.lock().numbers.is_empty()
    }

    /// Waits until all are through who came before.
    ///
    /// # Errors
    /// 1041 when that takes too long; those of `kill`.
    pub(crate) fn turn(
        self: &Arc<StatementQueue>,
        kill: &KillMark,
        deadline: Instant,
    ) -> Result<LineTurn> {
        let mut state = self.state.lock();
        let number = state.next;
        state.next += 1;
        state.numbers.push_back(number);
        drop(state);
        let line = Arc::clone(self);
        let mut turn = LineTurn { line, number, after_vain_wait: false, in_vain: false };
        let mut state = self.state.lock();
        while state.numbers.front() != Some(&number) {
            pause_for_memory(&self.moved, &mut state, kill, deadline)?;
        }
        turn.after_vain_wait = std::mem::take(&mut state.in_vain);
        drop(state);
        Ok(turn)
    }
}

impl LineTurn {
    /// Whether the one that had its turn before waited in vain.
    pub(crate) fn follows_vain_wait(&self) -> bool {
        self.after_vain_wait
    }

    /// The statement gives up, as nothing has moved for which it waits.
    pub(crate) fn waited_in_vain(&mut self) {
        self.in_vain = true;
    }
}

impl Drop for LineTurn {
    fn drop(&mut self) {
        let mut state = self.line.state.lock();
        if state.numbers.front() == Some(&self.number) {
            state.numbers.pop_front();
            // To whoever comes long after the last one it means nothing.
            state.in_vain = self.in_vain && !state.numbers.is_empty();
        } else {
            state.numbers.retain(|number| *number != self.number);
        }
        drop(state);
        self.line.moved.notify_all();
    }
}

/// As `pause`, for memory.
///
/// # Errors
/// 1041 behind the deadline; those of `kill`.
pub(super) fn pause_for_memory<T>(
    changed: &Condvar,
    state: &mut MutexGuard<'_, T>,
    kill: &KillMark,
    deadline: Instant,
) -> Result<()> {
    match during(Waiting::Memory, || pause(changed, state, kill, Some(deadline)))? {
        true => Ok(()),
        false => Err(SqlError::ShortOfMemory(MemoryShortage::Clients)),
    }
}

#[cfg(test)]
mod tests {
    use std::thread::yield_now;
    use std::time::Duration;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(20)
    }

    #[test]
    fn each_has_its_turn_in_the_order_in_which_they_came() {
        let (line, told) = (Arc::new(StatementQueue::default()), Mutex::new(Vec::new()));
        let kill = KillMark::default();
        let later = Instant::now() + Duration::from_secs(60);
        let first = line.turn(&kill, later).unwrap();
        std::thread::scope(|scope| {
            for number in 1..4 {
                let (line, told) = (&line, &told);
                scope.spawn(move || {
                    let _turn = line.turn(&KillMark::default(), later).unwrap();
                    told.lock().push(number);
                });
                while line.state.lock().numbers.len() <= number {
                    yield_now();
                }
            }
            assert!(told.lock().is_empty());
            drop(first);
        });
        assert_eq!(*told.lock(), [1, 2, 3]);
        assert!(line.is_empty());
    }

    #[test]
    fn who_stops_waiting_is_in_nobodys_way() {
        let line = Arc::new(StatementQueue::default());
        let kill = KillMark::default();
        let later = Instant::now() + Duration::from_secs(60);
        let first = line.turn(&kill, later).unwrap();
        assert_eq!(line.turn(&kill, soon()).unwrap_err().code().number(), 1041);
        kill.kill_query();
        assert_eq!(line.turn(&kill, later).unwrap_err().code().number(), 1317);
        drop(first);
        kill.forget_query();
        assert!(line.turn(&kill, soon()).is_ok());
    }

    #[test]
    fn who_waited_in_vain_tells_the_next_one() {
        let line = Arc::new(StatementQueue::default());
        let kill = KillMark::default();
        let later = Instant::now() + Duration::from_secs(60);
        let mut first = line.turn(&kill, later).unwrap();
        first.waited_in_vain();
        std::thread::scope(|scope| {
            let (line, kill) = (&line, &kill);
            let next = scope.spawn(move || {
                let next = line.turn(kill, later).unwrap();
                (next.follows_vain_wait(), line.turn(kill, soon()).is_err())
            });
            while line.state.lock().numbers.len() < 2 {
                yield_now();
            }
            drop(first);
            assert_eq!(next.join().unwrap(), (true, true));
        });
        // Nobody was there to be told, or it was not the last one that waited in vain.
        let mut alone = line.turn(&kill, later).unwrap();
        assert!(!alone.follows_vain_wait());
        alone.waited_in_vain();
        drop(alone);
        assert!(!line.turn(&kill, later).unwrap().follows_vain_wait());
    }
}
