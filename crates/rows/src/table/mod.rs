//! A table as operations use it: its definition with everything precomputed, and the state that
//! outlives schema changes (gate, counters).
//!
//! Keys of one table, all numbers big-endian:
//! ```text
//! row            | table id u32 | 00 01    | primary key parts, or row id u64       |
//! index entry    | table id u32 | index id | index parts | primary key parts (*)    |
//!   (*) not in a unique index when no part is NULL; the value then holds them.
//! ```
//! In a table with partitions the number of the row's partition, u32, stands before the parts of
//! every key, and is left out of the primary key parts behind an entry's own.
//!
//! While new indexes or a copy are made while clients write, the rows that these change are noted
//! (`changes`), and what rows of the copy are given is remembered (`alter::copying`):
//! ```text
//! changed row    | table id u32 | number of no index | u64 | -> primary key parts
//! row's numbers  | table id u32 | number of no index | old primary key parts | -> u64, u64
//! ```
//! A columnar index has notes of changed rows for as long as it lives, and more under its number
//! (crate `columnar`):
//! ```text
//! changed row    | table id u32 | index id | 00 | u64 | -> primary key parts
//! ```
//! Value of an index entry whose key ends with the primary key: `u16` little-endian, the number of
//! key bytes before it.
//!
//! Where to look: `version` is the table itself, `state` what its versions share, `count` about how
//! many rows it has, `counted` exactly, `moved` what transactions do to that, `changes` which of
//! them change meanwhile, `keys` and `entries` make the keys above, `covering` reads columns back
//! from them, `members` those of member indexes, `multi_valued` those of arrays, `ranges` are those
//! between which to look, `partitions` those of partitions; `images` are indexes in memory, `rules`
//! what rows must obey.
//!
//! Invariants
//! 1. `Table` never changes; `TableState` is shared by all versions of one table.
//! 2. A writer of rows holds a `GateGuard`; a schema change closes the gate, so it starts with no
//!    writer inside and none enters until it is over.
//!
//! Not here: persistence of definitions (`catalog`), the changes themselves (`ddl`, `alter`).

mod changes;
mod count;
mod counted;
mod covering;
mod entries;
mod foreign;
mod full_texts;
mod images;
mod kept_numbers;
mod keys;
mod members;
mod moved;
mod multi_valued;
mod noted_columns;
mod numbers_moved;
mod partitions;
mod quiescent_state;
mod ranges;
mod rules;
mod state;
mod version;

pub use changes::{COLUMN_NOTE, ColumnNote, NotedRow};
pub(crate) use changes::{ChangedTo, Log, rows_of};
pub use count::RowCount;
pub(crate) use count::{KnownCount, RowDelta};
pub use counted::CountedRows;
pub use covering::{CoveredRow, Covering};
pub use entries::IndexEntry;
pub(crate) use foreign::{are_comparable, key_among};
pub use full_texts::FullTextCodec;
pub(crate) use images::{HeldPlace, Image, ImageCursor, ImagePlace, Images, WantedImage};
pub(crate) use kept_numbers::KeptNumbers;
pub use keys::{IndexCodec, KEY_BYTES_MAX, PREFIX_BYTES, PRIMARY, PartCodec};
pub(crate) use members::ListedEntry;
pub use members::{MEMBER_ENTRIES_BYTES_MAX, MEMBER_TEXT_BYTES_MAX, MemberCodec};
pub(crate) use moved::SizesMoved;
pub use multi_valued::MultiValuedCodec;
pub(crate) use noted_columns::NotedColumns;
pub(crate) use partitions::partition_range;
pub(crate) use quiescent_state::QuiescentState;
pub use ranges::{FindOp, successor};
pub(crate) use ranges::{index_range, table_ranges};
pub(crate) use state::{ClosedGate, SharedGate};
pub use state::{GateGuard, GivenUp, Patience, TableState};
pub use version::Table;
