//! Values in Arrow columns: which Arrow type carries which MySQL type, and the way there and back.
//!
//! ```text
//! TINYINT..BIGINT            Int64, UInt64 when UNSIGNED
//! FLOAT, DOUBLE              Float32, Float64
//! DECIMAL(p, s)              Decimal128(p, s) up to 38 digits, else Decimal256(p, s)
//! text, binary strings, JSON BinaryView (text is its UTF-8)
//! DATE                       UInt32, packed as `values::Date`
//! DATETIME, TIMESTAMP        UInt64, packed as `values::DateTime` and `values::Timestamp`
//! TIME                       Int64, signed microseconds
//! YEAR, ENUM                 UInt16
//! ```
//!
//! Invariants
//! 1. The order of the Arrow values of one type is MySQL's order of the values, except for text
//!    with a collation and ENUM compared as text.
//! 2. Every value of `rows` has exactly one Arrow value, zero dates included: that is why dates
//!    are not Arrow's own. All functions that see them are ours, so nothing needs Arrow's.
//!
//! Not here: how columns lie on the disk (`column`), conversions between MySQL types.

mod decimal;
mod read;
mod types;
mod write;

pub use decimal::{decimal_from_128, decimal_from_256, unscaled_128, unscaled_256};
pub use read::ColumnReader;
pub use types::{DIGITS_128_MAX, arrow_type};
pub use write::ColumnWriter;
