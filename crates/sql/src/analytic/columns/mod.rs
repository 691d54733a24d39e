//! Values in Arrow columns: which Arrow type carries which MySQL type, and the way there and back.
//!
//! ```text
//! TINYINT..BIGINT            Int64, UInt64 when UNSIGNED
//! FLOAT, DOUBLE              Float32, Float64
//! DECIMAL(p, s)              Decimal128(p, s) up to 38 digits, else Decimal256(p, s)
//! text, binary strings, JSON BinaryView (text is its UTF-8)
//! DATE                       UInt32, packed as `rows::Date`
//! DATETIME, TIMESTAMP        UInt64, packed as `rows::DateTime` and `rows::Timestamp`
//! TIME                       Int64, signed microseconds
//! YEAR, ENUM                 UInt16
//! ```
//!
//! Invariants
//! 1. The order of the Arrow values of one type is MySQL's order of the values, except for text
//!    with a collation (`kernels::collation` makes keys of it) and ENUM compared as text.
//! 2. Every value of `rows` has exactly one Arrow value, zero dates included: that is why dates
//!    are not Arrow's own. All functions that see them are ours, so nothing needs Arrow's.
//!
//! Not here: conversions between MySQL types (`kernels::cast`).

mod counted;
mod read;
mod scalar;
mod types;
mod write;

pub(super) use counted::counted;
pub(super) use read::ColumnReader;
pub(super) use scalar::{scalar_of, value_of};
pub(super) use types::{Class, arrow_type, class_of, collation_of, is_string};
pub(super) use write::ColumnWriter;
