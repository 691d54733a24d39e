//! Transactions that are prepared (XA): their writes are durable, nobody sees them, and their row
//! locks are held until somebody commits them or rolls them back, after a restart too.
//!
//! ```text
//!            XA START        XA PREPARE            XA COMMIT: writes and removal, one batch
//!  (none) ────────────> open ───────────> held ──────────────────────────────────────> (none)
//!                         │  its client     │  XA ROLLBACK: removal
//!                         └─> leaves: (none)└────────────────────────────────────────> (none)
//! ```
//!
//! `record` is what is stored of one, `life` what becomes of it, `resumed` how it comes back when
//! the server starts.
//!
//! Invariants
//! 1. A transaction is prepared once its record is whole and synced: the head is written last.
//! 2. The writes of a prepared transaction and the end of its record are one batch.
//! 3. What it has locked is locked again before anybody else can write (`Engine::open`).
//! 4. It belongs to no connection, and its memory is counted until its end.
//!
//! Not here: which there are (`global_transactions`), states of a session's transaction and their
//! errors (SQL).

mod life;
mod record;
mod resumed;

pub use crate::global_transactions::{GlobalTransactions, OwnXid, ShownPrepared, Xid};
