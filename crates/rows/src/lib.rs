//! What a row is: databases, tables, columns, types, key and row encoding, indexes, find,
//! insert, modify, row locks, transactions, and the store beneath (`trait Store`).
//!
//! Layers, bottom up:
//! - values: `types`, `datum`, `decimal`, `temporal`, `collation`, `convert`, `text`, `codes`, `member`
//! - bytes: `key`, `row`
//! - threads: `background`, `interrupt`, `parallel`, `waiting`
//! - store: `store` (the trait), `locks`, `local`, `run`, `spill`, `memory`, `conformance`
//! - rows: `schema`, `event`, `table`, `catalog`, `cache`, `find`, `postings`, `split`, `expiry`, `transaction`, `commit`, `bulk`,
//!   `ddl`, `alter`, `budget`, `recency`, `evict`, `sweep`, `check`, and `engine`, which holds them together
//!
//! Not here: sockets, protocols, SQL.

pub mod alter;
pub mod background;
pub mod budget;
pub mod bulk;
pub mod cache;
pub mod catalog;
pub mod check;
pub mod clock;
pub mod codes;
pub mod collation;
pub mod commit;
pub mod conformance;
pub mod convert;
pub mod datum;
pub mod ddl;
pub mod decimal;
pub mod engine;
pub mod error;
mod estimate;
pub mod event;
mod evict;
pub mod expiry;
pub mod find;
pub mod group;
pub mod interrupt;
pub mod key;
pub mod local;
pub mod locks;
pub mod member;
pub mod memory;
pub mod metrics;
pub mod ordinal;
mod parallel;
mod postings;
pub mod recency;
pub mod row;
mod run;
pub mod schema;
pub mod spill;
mod split;
pub mod store;
pub mod sweep;
pub mod table;
pub mod temporal;
pub mod text;
pub mod transaction;
pub mod types;
pub mod waiting;

pub use alter::{AlterOutcome, Alteration, Place};
pub use catalog::Catalog;
pub use check::CheckReport;
pub use clock::Clock;
pub use commit::Lead;
pub use datum::{Datum, Value};
pub use ddl::{NewIndex, NewMember, NewTable};
pub use decimal::Decimal;
pub use engine::{Engine, EngineOptions};
pub use error::{Error, Result, Thing, Wait};
pub use find::{FindOp, Flow, Found};
pub use group::Group;
pub use member::MemberKind;
pub use parallel::share_out;
pub use postings::Lookup;
pub use row::{RowLayout, RowRef};
pub use split::split;
pub use table::Table;
pub use temporal::{Date, DateTime, Time, Timestamp, Zone};
pub use transaction::{Changed, Inserted, Replaced, RowChange, Transaction, Upserted};
pub use types::{Collation, ColumnType};
