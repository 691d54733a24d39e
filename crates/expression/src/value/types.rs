//! Types that operators and functions give, and the collations of types.
//!
//! Not here: the type that operands have in common (`evaluation::common`).

use values::types::{Collation, ColumnType, IntWidth};

/// BIGINT.
pub const BIGINT: ColumnType =
    ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };
/// What a condition gives: 0 or 1 to a client, a boolean to JSON.
pub const TRUTH: ColumnType =
    ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: true };
/// BIGINT UNSIGNED.
pub const BIGINT_UNSIGNED: ColumnType =
    ColumnType::Int { width: IntWidth::Big, unsigned: true, boolean: false };

/// The type of a literal that was taken out of the text, or of a `?`, where nothing is known of it.
pub const UNTYPED: ColumnType =
    ColumnType::VarChar { chars: RESULT_CHARS_MAX, collation: Collation::Utf8Mb4GeneralCi };
/// The longest text of a result, which also stands for one whose length nothing tells: a table that
/// is made of such a column has a LONGTEXT (crate `sql`, `ddl::of_query`).
pub const RESULT_CHARS_MAX: u32 = 16_383;
/// The same of bytes.
pub const RESULT_BYTES_MAX: u32 = 4 * RESULT_CHARS_MAX;

/// Text of so many characters in the default collation.
pub fn text_type(chars: u32) -> ColumnType {
    ColumnType::VarChar { chars, collation: Collation::Utf8Mb4GeneralCi }
}
