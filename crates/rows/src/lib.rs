//! What a row is: databases, tables, columns, indexes, find, insert, modify, row locks,
//! transactions, and the store beneath (`trait Store`).
//!
//! Layers, bottom up; none uses one above it (`scripts/module-graph`):
//! - store: `store` (the traits), `locks`, `local`, `run`, `chunk_file`, `temporary_ids`
//! - tables: `schema`, `partitioning`, `foreign_key`, `partition`, `event`, `rules`, `recency`,
//!   `cache`, `table`, `ingestion` (very many rows at once), `catalog`, `commit`,
//!   `global_transactions`
//! - `engine`, which holds them together
//! - rows: `find`, `row_keys`, `images`, `merged`, `leaps`, `estimate`, `split`, `expiry`,
//!   `transaction`, `prepared`, `group`, `bulk`, `counting`, `sizes`, `postings`, `full_text`,
//!   `ddl`, `alter`, `evict`, `sweep`, `check`, `salvage`
//! - beside these: `memory` and `temporary`, two stores, and `conformance`, what every store
//!   promises
//!
//! Not here: memory, threads, clocks and temporary files (crate `resources`), values, their types
//! and their bytes in keys and rows (crate `values`), sockets, protocols, SQL.

pub mod alter;
pub mod asked_keys;
pub mod begun_reads;
mod broken_rule;
pub mod bulk;
pub mod cache;
pub mod catalog;
pub mod check;
pub mod chunk_file;
pub mod commit;
pub mod conformance;
mod counting;
pub mod ddl;
pub mod engine;
pub mod error;
mod estimate;
pub mod event;
mod evict;
pub mod expiry;
pub mod find;
pub mod foreign_key;
mod full_text;
pub mod global_transactions;
pub mod group;
pub mod hot_keys;
mod images;
pub mod ingestion;
pub mod leaps;
pub mod local;
pub mod locked_row;
pub mod locks;
pub mod memory;
pub mod merged;
pub mod metrics;
mod open;
pub mod partition;
mod partition_fault;
mod partitioning;
mod postings;
pub mod prepared;
mod readable;
pub mod recency;
pub mod removal;
pub mod row_keys;
pub mod row_lock_wait;
pub mod rules;
mod run;
pub mod salvage;
pub mod schema;
pub mod sizes;
mod split;
pub mod store;
pub mod sweep;
pub mod table;
pub mod table_locks;
mod temporary;
mod temporary_ids;
pub mod thing;
pub mod transaction;
pub mod view;

pub use alter::{AlterOutcome, Alteration, ColumnPlace};
pub use broken_rule::BrokenRule;
pub use catalog::Catalog;
pub use check::CheckReport;
pub use commit::{Lead, large_commits};
pub use counting::CountMark;
pub use ddl::{NewIndex, NewMember, NewTable};
pub use engine::{Engine, EngineOptions};
pub use error::{Error, Result, Thing, Wait};
pub use find::{Flow, FoundRow};
pub use full_text::FullTextView;
pub use group::Group;
pub use postings::Lookup;
pub use row_keys::CollectedKeys;
pub use split::split;
pub use table::{FindOp, Table};
pub use transaction::{
    ChangeOutcome, InsertOutcome, ReplaceOutcome, RowChange, Transaction, UpsertOutcome,
};
