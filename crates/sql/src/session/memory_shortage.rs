//! Statements that found no memory because others had it: they are started again, one after the
//! other.
//!
//! Memory is bounded, so if many statements each need a part of it some are refused in the middle
//! of their work. InnoDB would carry out all of them, only later. So do we, as long as nothing of
//! the refused statement was sent: it waits in line, and starts again when others have given back
//! what they had.
//!
//! Invariants
//! 1. A query is told that it needs more than there is (1038) only by a run in which it had all
//!    memory of queries to itself, and is then not started again; nor is another statement that was
//!    refused while no other one was running.
//! 2. One statement at a time is started again, in the order in which they were refused: a query
//!    for as long as others move, other statements a few times at most. A query then comes first:
//!    others that would keep rows wait until its first row has come.
//! 3. A statement whose predecessor in line was refused while no memory came back does not wait any
//!    longer, and is started once more: it may need less.
//!
//! Not here: admission of large statements, which wait before they begin
//! (`server::statement_admission`).

use std::thread::sleep;
use std::time::{Duration, Instant};

use expression::KillMark;
use resources::query_clock::QueryMoment;
use resources::waiting::{Waiting, during};

use crate::server::{LineTurn, Sql};
use plan::context::HoldNumber;
use plan::long::{HeldBack, Load};
use results::{MemoryShortage, Result};

/// How long a statement is begun again, from when it was first refused: where others hold their
/// memory for as long as they like it is told so at last.
const PATIENCE: Duration = Duration::from_secs(300);
/// How often it is, where others do not move; what lacks the memory of clients also where they do.
const BEGINNINGS_MAX: u32 = 5;
/// How long it waits at first for others to give memory back, when its turn has come, while these
/// make no progress (a reader who takes his time); twice as long each time.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// How many times as long it waits while they do. Where cores are busy a sort of a second takes
/// ten, and a statement that begins beside it is only refused once more; where others come and come
/// it has its chance all the same.
const WAITS_MAX: u32 = 10;
/// How long one waits for that behind another that waited in vain.
const WAIT_AFTER_ANOTHER: Duration = Duration::from_millis(250);
/// How long it takes at most until a query that has ended has nothing any more.
pub(super) const END_WAIT: Duration = Duration::from_millis(200);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(5);
/// Memory is free when others have not more than such a part of what queries may have,
const QUERIES_PART: usize = 8;
/// and of what clients may have.
const CLIENTS_PART: usize = 4;

/// A statement that was refused.
pub(super) struct Shortage {
    since: Instant,
    beginnings: u32,
    /// That other queries wait for this one; given back before the turn is.
    held_back: Option<Box<dyn HeldBack>>,
    /// Its turn, from when it has come.
    turn: Option<LineTurn>,
    /// How its last wait ended.
    last_wait: Option<WaitEnd>,
}

/// How a wait for memory ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitEnd {
    Free,
    /// Others make progress, and have their memory still.
    Moving,
    /// Nothing moved.
    Standing,
}

impl Shortage {
    /// For the first time now.
    pub(super) fn new() -> Shortage {
        let since = Instant::now();
        Shortage { since, beginnings: 0, held_back: None, turn: None, last_wait: None }
    }

    /// The statement was refused with an error, and when it had begun this was under way: waits
    /// until it is to begin again; `false`: the refusal stands.
    ///
    /// # Errors
    /// Those of `kill`; 1041 when its turn has not come in time.
    pub(super) fn passes(
        &mut self,
        sql: &Sql,
        before: Load,
        refusal: MemoryShortage,
        kill: &KillMark,
    ) -> Result<bool> {
        let others_wait = self.turn.is_none() && !sql.begun_anew().is_empty();
        let others_stand = self.last_wait == Some(WaitEnd::Standing);
        let began_often = self.beginnings >= BEGINNINGS_MAX;
        let is_final = self.since.elapsed() >= PATIENCE
            || match refusal {
                // More than there is, which says nothing of the next one.
                MemoryShortage::Queries => return Ok(false),
                MemoryShortage::OtherQueries => began_often && others_stand,
                MemoryShortage::Clients | MemoryShortage::Values => {
                    began_often || was_alone(sql, before) && !others_wait
                }
            };
        if is_final {
            if let Some(turn) = self.turn.as_mut().filter(|_| others_stand) {
                turn.waited_in_vain();
            }
            return Ok(false);
        }
        self.held_back = None;
        self.beginnings += 1;
        if self.turn.is_none() {
            let turn = sql.begun_anew().turn(kill, self.since + PATIENCE)?;
            let follows_vain_wait = turn.follows_vain_wait();
            self.turn = Some(turn);
            if follows_vain_wait {
                let wait = (WAIT_AFTER_ANOTHER, WAIT_AFTER_ANOTHER);
                let awaited = await_memory(sql, wait, self.since + PATIENCE, kill)?;
                self.last_wait = Some(awaited);
                if awaited == WaitEnd::Standing {
                    // Beside those that stand, as any other.
                    self.beginnings = BEGINNINGS_MAX;
                    return Ok(true);
                }
            }
        }
        // What an INSERT lacks is not theirs, and it may wait for a lock while they would wait for
        // it.
        let lacks_query_memory = refusal == MemoryShortage::OtherQueries;
        self.held_back = lacks_query_memory.then(|| sql.long_queries().hold_others_back());
        let wait = FIRST_WAIT * (1 << (self.beginnings.min(BEGINNINGS_MAX) - 1));
        let wait = (wait, wait * WAITS_MAX);
        self.last_wait = Some(await_memory(sql, wait, self.since + PATIENCE, kill)?);
        Ok(true)
    }

    /// That other queries wait for the statement, if they do.
    pub(super) fn hold(&self) -> Option<HoldNumber> {
        self.held_back.as_ref().map(|others| others.number())
    }
}

/// Waits until others have little memory, at most for so long in which these make no progress, and
/// so long in all, by the clock of queries, and until this time by everybody's; and a long query
/// that ran out of it nothing any more: its threads notice a moment later that it has ended.
///
/// # Errors
/// Those of `kill`.
pub(super) fn await_memory(
    sql: &Sql,
    (standing, in_all): (Duration, Duration),
    until: Instant,
    kill: &KillMark,
) -> Result<WaitEnd> {
    let mut wait = MemoryWait::new(sql.long_queries().now(), course(sql), standing, in_all);
    during(Waiting::Memory, || {
        loop {
            if is_free(sql) {
                return Ok(WaitEnd::Free);
            }
            if let Some(end) = wait.end(sql.long_queries().now(), course(sql)) {
                return Ok(end);
            }
            if Instant::now() >= until {
                return Ok(WaitEnd::Standing);
            }
            kill.check()?;
            sleep(LOOK);
        }
    })
}

/// A wait for others, by the clock of their threads: on a busy machine they stand because they have
/// no core, and go on.
struct MemoryWait {
    begun: QueryMoment,
    moved: QueryMoment,
    course: Course,
    standing: Duration,
    in_all: Duration,
}

impl MemoryWait {
    fn new(now: QueryMoment, course: Course, standing: Duration, in_all: Duration) -> MemoryWait {
        MemoryWait { begun: now, moved: now, course, standing, in_all }
    }

    /// How it ends, if it does now, where others are by then.
    fn end(&mut self, now: QueryMoment, course: Course) -> Option<WaitEnd> {
        if course != self.course {
            (self.moved, self.course) = (now, course);
        }
        if now.since(&self.moved) >= self.standing {
            return Some(WaitEnd::Standing);
        }
        (now.since(&self.begun) >= self.in_all).then_some(WaitEnd::Moving)
    }
}

/// What moves while long queries make progress: bytes of memory that they have, and those under
/// way.
type Course = (usize, Load);

fn course(sql: &Sql) -> Course {
    (sql.long_queries().memory().0, sql.long_queries().load())
}

/// Whether no other statement was at work that may have had memory.
fn was_alone(sql: &Sql, before: Load) -> bool {
    let now = sql.long_queries().load();
    let nobody_came = now.begun <= before.begun + 1;
    before.under_way == 0 && nobody_came && sql.processes().running() <= 1
}

fn is_free(sql: &Sql) -> bool {
    let (bytes, bytes_max) = sql.long_queries().memory();
    let budget = sql.engine().budget();
    bytes <= bytes_max / QUERIES_PART && budget.used() <= budget.bytes_max() / CLIENTS_PART
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_that_have_no_core_do_not_stand_and_those_that_want_none_do() {
        let (start, seconds) = (Instant::now(), Duration::from_secs);
        let begun = QueryMoment::of(start, seconds(0), seconds(0));
        let at = |ran, waited| QueryMoment::of(start + seconds(10), seconds(ran), seconds(waited));
        let end = |now: QueryMoment, course| {
            let mut wait = MemoryWait::new(begun, (7, Load::default()), seconds(8), seconds(80));
            wait.end(now, (course, Load::default()))
        };
        assert_eq!(end(at(0, 0), 7), Some(WaitEnd::Standing), "a reader takes his time");
        assert_eq!(end(at(10, 0), 7), Some(WaitEnd::Standing), "they had ten seconds");
        assert_eq!(end(at(1, 9), 7), None, "they had one");
        assert_eq!(end(at(0, 0), 8), None, "somebody took or gave");
    }

    #[test]
    fn a_wait_ends_though_others_move() {
        let (start, seconds) = (Instant::now(), Duration::from_secs);
        let moment = |at: u64| QueryMoment::of(start + seconds(at), seconds(0), seconds(0));
        let mut wait = MemoryWait::new(moment(0), (0, Load::default()), seconds(8), seconds(80));
        let mut moved = |at: u64| wait.end(moment(at), (at as usize, Load::default()));
        assert!((1..80).all(|at| moved(at).is_none()));
        assert_eq!(moved(80), Some(WaitEnd::Moving));
    }
}
