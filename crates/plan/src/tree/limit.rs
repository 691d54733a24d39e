//! LIMIT and OFFSET as numbers of rows.
//!
//! Not here: what a literal of them may be (`bind::limit`).

use expression::{Node, Scope};
use values::ErrorCode;
use values::datum::Datum;

use results::{Result, SqlError};

/// A whole number of rows from LIMIT.
///
/// # Errors
/// Those of evaluating it, 1064 for a whole number beyond 2^64, 1210 for what is no such number.
pub fn row_count(node: Option<&Node>, scope: &Scope<'_>) -> Result<Option<u64>> {
    let Some(node) = node else { return Ok(None) };
    let cell = node.evaluate(scope)?;
    let count = match cell.datum() {
        Datum::Int(v) => u64::try_from(v).ok(),
        Datum::UInt(v) => Some(v),
        Datum::Bytes(text) => {
            std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok())
        }
        // A number of that many digits is none of the grammar's.
        Datum::Decimal(value) if value.scale() == 0 => {
            return Err(SqlError::syntax(&value.to_string(), 1));
        }
        _ => None,
    };
    count
        .map(Some)
        .ok_or_else(|| SqlError::new(ErrorCode::WrongArguments, "Incorrect arguments to LIMIT"))
}
