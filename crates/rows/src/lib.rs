//! What a row is: databases, tables, columns, indexes, find, insert, modify, row locks,
//! transactions, and the store beneath (`trait Store`).
//!
//! Layers, bottom up:
//! - threads: `background`, `parallel`, `waiting`
//! - store: `store` (the trait), `locks`, `local`, `run`, `spill`, `memory`, `conformance`
//! - rows: `schema`, `event`, `table`, `catalog`, `cache`, `find`, `images`, `merged`, `leaps`, `postings`, `split`, `expiry`, `transaction`, `commit`, `bulk`,
//!   `ddl`, `alter`, `recency`, `evict`, `sweep`, `check`, and `engine`, which holds them together
//!
//! Not here: values, their types and their bytes in keys and rows (crate `values`), sockets, protocols, SQL.

pub mod alter;
pub mod background;
pub mod begun_reads;
pub mod bulk;
pub mod cache;
pub mod catalog;
pub mod check;
pub mod clock;
pub mod commit;
pub mod conformance;
pub mod ddl;
pub mod disk_room;
pub mod engine;
pub mod error;
mod estimate;
pub mod event;
mod evict;
pub mod expiry;
pub mod find;
pub mod group;
mod images;
pub mod leaps;
pub mod leftovers;
pub mod local;
pub mod locks;
pub mod memory;
pub mod merged;
pub mod metrics;
mod parallel;
mod postings;
mod readable;
pub mod recency;
pub mod rules;
mod run;
pub mod salvage;
pub mod schema;
pub mod sizes;
pub mod spill;
mod split;
pub mod store;
pub mod sweep;
pub mod table;
pub mod transaction;
pub mod waiting;

pub use alter::{AlterOutcome, Alteration, Place};
pub use catalog::Catalog;
pub use check::CheckReport;
pub use clock::Clock;
pub use commit::{Lead, large_commits};
pub use ddl::{NewIndex, NewMember, NewTable};
pub use engine::{Engine, EngineOptions};
pub use error::{Error, Result, Thing, Wait};
pub use find::{FindOp, Flow, Found};
pub use group::Group;
pub use parallel::share_out;
pub use postings::Lookup;
pub use split::split;
pub use table::Table;
pub use transaction::{Changed, Inserted, Replaced, RowChange, Transaction, Upserted};
