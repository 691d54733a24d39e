//! Types that operators and functions give, and the collations of types.
//!
//! Not here: the type that operands have in common (`tree::common`).

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
    ColumnType::VarChar { chars: UNTYPED_CHARS, collation: Collation::Utf8Mb4GeneralCi };
pub(crate) const UNTYPED_CHARS: u32 = 16_383;

/// Text of so many characters in the default collation.
pub fn text_type(chars: u32) -> ColumnType {
    ColumnType::VarChar { chars, collation: Collation::Utf8Mb4GeneralCi }
}
