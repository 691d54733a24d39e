//! Admission of large statements: the memory that their literals and words take while they run.
//!
//! A statement that finds none waits in line until running statements end, as it would for a lock.
//! All of them together get a quarter of the clients' memory at most: the rest is for the writes
//! that they make, which take about as much, for their texts, those of waiting statements included,
//! and for everyone else.
//!
//! Invariants
//! 1. Statements are admitted in the order in which they asked.
//! 2. A statement waits only while an admitted one runs: what other clients hold need not come
//!    back, so without such a statement it is refused at once.
//! 3. A statement that waits holds none of this memory.
//!
//! Not here: how much a statement takes (`syntax::scan`), the sum that it is taken from
//! (`resources::budget`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use expression::KillMark;
use parking_lot::{Condvar, Mutex};
use resources::budget::{Budget, Share};

use super::line::{StatementQueue, pause_for_memory};
use results::Result;

/// The part of the clients' memory that rooms have together.
const ROOMS_PART: usize = 4;
/// How long a room is waited for. Less than for a lock, since who has one may wait for a lock of
/// who waits here.
const WAIT_MAX: Duration = Duration::from_secs(20);

/// All rooms of a server.
#[derive(Debug)]
pub(crate) struct Rooms {
    budget: Arc<Budget>,
    line: Arc<StatementQueue>,
    /// Bytes of all that are taken.
    taken: Mutex<usize>,
    freed: Condvar,
}

/// A statement's room; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    rooms: Arc<Rooms>,
    share: Share,
}

impl Rooms {
    /// None is taken.
    pub(crate) fn of(budget: &Arc<Budget>) -> Arc<Rooms> {
        let (line, taken, freed) = (Arc::default(), Mutex::default(), Condvar::new());
        Arc::new(Rooms { budget: Arc::clone(budget), line, taken, freed })
    }

    /// A room, if there is one now and nobody waits; `None` where there may be one later.
    ///
    /// # Errors
    /// 1041 when waiting would not help.
    pub(crate) fn take(self: &Arc<Rooms>, bytes: usize) -> Result<Option<Room>> {
        if !self.line.is_empty() && bytes <= self.budget.bytes_max() {
            return Ok(None);
        }
        self.give(&mut self.taken.lock(), bytes)
    }

    /// A room, as soon as it is there.
    ///
    /// # Errors
    /// 1041 when waiting does not help, or has taken too long; those of `kill`.
    pub(crate) fn wait_for(self: &Arc<Rooms>, bytes: usize, kill: &KillMark) -> Result<Room> {
        self.in_line(bytes, kill, Instant::now() + WAIT_MAX)
    }

    fn in_line(
        self: &Arc<Rooms>,
        bytes: usize,
        kill: &KillMark,
        deadline: Instant,
    ) -> Result<Room> {
        let _turn = self.line.turn(kill, deadline)?;
        let mut taken = self.taken.lock();
        loop {
            if let Some(room) = self.give(&mut taken, bytes)? {
                return Ok(room);
            }
            pause_for_memory(&self.freed, &mut taken, kill, deadline)?;
        }
    }

    fn give(self: &Arc<Rooms>, taken: &mut usize, bytes: usize) -> Result<Option<Room>> {
        // For what is more than there is nobody waits either.
        let is_alone = *taken == 0 || bytes > self.budget.bytes_max();
        if !is_alone && *taken + bytes > self.budget.bytes_max() / ROOMS_PART {
            return Ok(None);
        }
        let mut share = self.budget.share();
        match share.grow_to(bytes) {
            Ok(()) => {
                *taken += bytes;
                Ok(Some(Room { rooms: Arc::clone(self), share }))
            }
            Err(error) if is_alone => Err(error.into()),
            Err(_) => Ok(None),
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let bytes = self.share.bytes();
        self.share.set(0);
        *self.rooms.taken.lock() -= bytes;
        self.rooms.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn who_finds_no_room_gets_one_in_turn_when_others_end() {
        let budget = Budget::new(16 * MIB);
        let rooms = Rooms::of(&budget);
        let first = rooms.take(3 * MIB).unwrap().expect("all are free");
        assert!(rooms.take(2 * MIB).unwrap().is_none(), "most of the memory is not for them");
        let theirs = Arc::clone(&rooms);
        let second = std::thread::spawn(move || theirs.wait_for(2 * MIB, &KillMark::default()));
        while rooms.line.is_empty() {
            std::thread::yield_now();
        }
        assert!(rooms.take(MIB).unwrap().is_none(), "it would fit, but another has waited longer");
        drop(first);
        let second = second.join().unwrap().expect("there is one now");
        assert_eq!(budget.used(), 2 * MIB);
        drop(second);
        assert_eq!((budget.used(), *rooms.taken.lock()), (0, 0));
    }

    #[test]
    fn nobody_waits_for_what_need_not_come_back() {
        let budget = Budget::new(16 * MIB);
        let rooms = Rooms::of(&budget);
        let large = rooms.take(14 * MIB).unwrap().expect("a single one may have more");
        drop(large);
        assert_eq!(rooms.take(15 * MIB).unwrap_err().code().number(), 1041);
        let beside = rooms.take(MIB).unwrap();
        assert_eq!(rooms.take(17 * MIB).unwrap_err().code().number(), 1041);
        drop(beside);
        let mut others = budget.share();
        others.grow_to(13 * MIB).unwrap();
        assert_eq!(rooms.take(2 * MIB).unwrap_err().code().number(), 1041);
        let kill = KillMark::default();
        assert_eq!(rooms.wait_for(2 * MIB, &kill).unwrap_err().code().number(), 1041);
        let _small = rooms.take(MIB).unwrap().expect("there is as much");
        assert!(rooms.take(MIB).unwrap().is_none(), "when that one ends there is room");
    }

    #[test]
    fn a_wait_ends_with_its_time_and_with_its_statement() {
        let rooms = Rooms::of(&Budget::new(16 * MIB));
        let _first = rooms.take(8 * MIB).unwrap();
        let kill = KillMark::default();
        let soon = Instant::now() + Duration::from_millis(20);
        assert_eq!(rooms.in_line(MIB, &kill, soon).unwrap_err().code().number(), 1041);
        kill.kill_query();
        assert_eq!(rooms.wait_for(MIB, &kill).unwrap_err().code().number(), 1317);
        assert!(rooms.line.is_empty());
    }
}
