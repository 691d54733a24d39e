//! Keys: values as bytes whose order is the values' order.
//!
//! A key is its parts one after another. Each part says itself where it ends, so the bytes order
//! as tuples do, and the beginning of a key finds all that share its leading parts.
//!
//! ```text
//! part of a column that may be NULL:   00  |  01 value        (others: value)
//! TINYINT..BIGINT    own width, big-endian, sign bit flipped; UNSIGNED without the flip
//! FLOAT, DOUBLE      4, 8 bytes big-endian; sign bit flipped, below zero all bits; -0 as 0
//! DECIMAL(p,s)       value * 10^s in 1-28 bytes by p, big-endian two's complement, sign flipped
//! DATE               3 bytes: year 14 bits, month 4, day 5
//! TIME               3 bytes of seconds, or 6 of microseconds if fsp > 0, sign flipped
//! DATETIME           5 bytes: date 23 bits, hour 5, minute 6, second 6; fsp > 0: 8 bytes, with 20
//!                    bits of microseconds below and 4 zero bits above
//! TIMESTAMP          5 bytes of seconds since the epoch, or 8 of microseconds if fsp > 0
//! YEAR, ENUM         2 bytes
//! SET, BIT           1-8 bytes, as many as hold the members' or the type's bits, big-endian
//! BINARY(n)          n bytes (a prefix part: that many)
//! VARBINARY, BLOB    bytes with 00 written as 00 FF, then 00 01
//! CHAR, VARCHAR,     `utf8mb4_0900_bin`: as VARBINARY; Unicode's weights: drawn in `leveled`; else
//! TEXT               weights (`utf8mb4_bin`: code points) in UTF-8's form, without the spaces at
//!                    the end; behind each space 01 if the next that is no space is below it, 03 if
//!                    above; then 20 02
//! ```
//! The last rule is how padding orders: to end is to go on with spaces. "a\t" is `41 09 20 02`,
//! "a" is `41 20 02`, "a b" is `41 20 03 42 20 02`.
//!
//! A prefix part holds the first so many characters (bytes, for binary strings) of its value.
//! JSON has no place in keys. These numbers are on disk and never change.

mod decode;
mod encode;
mod leveled;
mod text;

pub use decode::{DamagedKey, decode_part, is_reversible, skip_part};
pub use encode::{encode_part, encode_text_prefix};
pub use text::{first_characters, trim_spaces, write_text_key, write_weights};
