//! RocksDB's write-ahead log, looked at by ourselves before RocksDB replays it.
//!
//! A log that ends in the middle of a record is what a crash leaves: what is cut off was never
//! promised to anyone. A log that is damaged where it had been synced has lost promised writes,
//! and RocksDB would pass over that in silence: its replay ends there. The two look alike in the
//! damaged place; what tells them apart stands behind it. Every write carries a mark that says
//! up to which sequence number the log was synced by then.
//!
//! Not here: how records are found (`records`), and replaying, which is RocksDB's.

mod marks;
mod verdict;

pub(crate) use marks::Marks;
pub use verdict::DamagedLog;
pub(crate) use verdict::{LogFindings, cut_aliens, find_damage};
