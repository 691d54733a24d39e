//! Rows as bytes, of which one column is read without decoding the others.
//!
//! ```text
//! 0      1       2          4             12
//! | form | flags | slots u16 | version u64 | nulls | fixed part | ends | variable part |
//!
//! form     1
//! flags    bit 0: ends are u32, else u16
//! slots    how many slots this row has; later columns are not in it
//! version  counts the row's changes (its cas at memcached's door)
//! nulls    a bit for each slot, the first in the lowest bit of the first byte; 1 is NULL
//! fixed    the slots of fixed width one after another, each at its place also when NULL (then 0)
//! ends     for each other slot where its bytes end, counted from the variable part's start
//! variable the bytes of CHAR, VARCHAR, TEXT, VARBINARY, BLOB and JSON
//! ```
//! All numbers are little-endian. The fixed part holds integers in their own width, FLOAT and
//! DOUBLE as IEEE 754, DECIMAL(p,s) as value * 10^s in two's complement of 1-28 bytes by p, DATE
//! 3 bytes, TIME 3 bytes of seconds or 6 of microseconds, DATETIME 5 or 8 and TIMESTAMP 5 or 8
//! bytes as in keys, YEAR and ENUM 2, SET and BIT 1-8 as in keys, BINARY(n) n.
//!
//! Invariants
//! 1. Where a slot is depends on the types of the slots before it alone, so a row with fewer
//!    slots than the table has now is read by the same layout.
//! 2. A slot whose column was dropped is NULL in rows written since.

mod encode;
mod layout;
mod read;

pub use layout::{RowColumn, RowLayout};
pub use read::{RowError, RowRef};
