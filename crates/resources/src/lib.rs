//! Resources: what work may use of the machine, asked wherever work is done.
//!
//! - memory: `budget`, the sum that clients draw from; `owner`, what one of them has of it
//! - `turn_limits`: what may be done in a turn; `forecast`: what is likely to take longer than
//!   there is time for where it is begun
//! - time: `clock`, the time of day; `query_clock`, what the threads of queries got of it;
//!   `interrupt`, whether work is to end; `waiting`, what it waits for
//! - threads: `background`, what they are to the system; `parallel`, one work by several of them
//! - disks: `disk_room`; `spill`, temporary files; `leftovers`, those of an earlier process
//! - `counter`: counts that threads raise without meeting; `log_rate`: lines of the log
//!
//! Invariants
//! 1. A leaf: no crate of the workspace is named here, so that each of them may ask.
//!
//! Not here: what is done with it, what a refusal says to a client (the doors, `sql`).

pub mod background;
pub mod budget;
pub mod clock;
pub mod counter;
pub mod disk_room;
pub mod forecast;
pub mod interrupt;
pub mod leftovers;
pub mod log_rate;
pub mod owner;
pub mod parallel;
pub mod query_clock;
pub mod spill;
pub mod turn_limits;
pub mod waiting;
