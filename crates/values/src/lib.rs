//! Values: MySQL's types, the values that columns of them have, and everything about one value that
//! needs no table: order, conversion, text, bytes in keys.
//!
//! Layers, bottom up:
//! - `types`, `decimal`, `temporal`, `datum`, which holds a value of any of them
//! - `collation` and `text`: how texts compare, how values print
//! - `charset`: texts of other character sets as UTF-8, and back
//! - `convert`: any value as one of a column's domain
//! - `key`: values as bytes that order as they do; `ordinal`: values as numbers that do; `row`:
//!   values side by side, of which one is read without the others; `tagged`: values in temporary
//!   files
//! - `pattern`: regular expressions that clients send, compiled
//! - `full_text`: texts cut into the tokens that full-text indexes have entries of
//! - `json`: documents, read and printed; `member`: members of JSON objects as texts; `codes`:
//!   hexadecimal digits, base 64, checksums
//! - `error_code`: the errors that clients see, by name; `condition`: what SIGNAL raises
//! - `mode`: what a session has chosen of MySQL's rules
//!
//! Invariants
//! 1. Nothing here knows a table, a session or a store. `rows`, `columnar`, `sql` and the doors
//!    name these paths themselves: nobody hands them on.
//!
//! Not here: tables and their definitions (`rows`), expressions (crate `expression`), memory and
//! time (`resources`).

pub mod charset;
pub mod codes;
pub mod collation;
pub mod condition;
pub mod convert;
pub mod datum;
pub mod decimal;
mod digits;
pub mod error_code;
pub mod full_text;
pub mod json;
pub mod key;
pub mod language;
pub mod member;
pub mod mode;
mod numbered_collation;
mod numbers;
pub mod ordinal;
pub mod pattern;
pub mod row;
pub mod tagged;
pub mod temporal;
pub mod text;
pub mod types;

pub use charset::{CharacterSet, StreamDecoder};
pub use datum::{Datum, Value};
pub use decimal::Decimal;
pub use error_code::ErrorCode;
pub use member::MemberKind;
pub use mode::{ModeFault, SqlMode};
pub use numbered_collation::NumberedCollation;
pub use row::{RowLayout, RowRef};
pub use temporal::{Date, DateTime, Time, Timestamp, Zone};
pub use types::{Collation, ColumnType};
