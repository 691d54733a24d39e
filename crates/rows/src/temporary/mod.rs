//! Temporary tables: tables of one session, whose rows no commit waits for and no restart finds.
//!
//! Their rows and entries have keys like those of other tables, under table ids of a range of its
//! own. A transaction buffers writes of them as it buffers all others, so that savepoints,
//! rollbacks and look-ups in a transaction are the same; only when it is committed, these writes go
//! here, and the store beneath never hears of them
//! (`docs/decisions/0111-temporary-tables.md`).
//!
//! Where to look: `store` sends each key to where it belongs, `transaction` does so within a
//! transaction, `rows_of_table` holds what is committed of one table, `cursor` goes through it,
//! `tables` finds it by the table's id.
//!
//! Invariants
//! 1. One session at a time reads and writes a temporary table, so that its committed rows need no
//!    versions: every snapshot shows the latest.
//! 2. What is committed of a temporary table is in memory, in the share of its session, or in
//!    files of `resources::spill`, which go with the process.
//! 3. The row cache has no rows of temporary tables, and there are no row locks of them.
//!
//! Not here: names (a session's, crate `sql`), making and changing tables (`ddl::temporary`,
//! `alter::temporary`).

mod cursor;
mod rows_of_table;
mod store;
mod tables;
mod transaction;

use crate::store::KeyRange;
use crate::temporary_ids::IDS;

pub(crate) use store::StoreWithTemporary;
pub(crate) use tables::TemporaryTables;

/// All keys of temporary tables.
fn all_keys() -> KeyRange {
    KeyRange { start: IDS.start.to_be_bytes().to_vec(), end: IDS.end.to_be_bytes().to_vec() }
}
