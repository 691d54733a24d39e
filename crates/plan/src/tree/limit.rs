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
/// Those of evaluating it, and 1210 when it is no such number.
pub fn row_count(node: Option<&Node>, scope: &Scope<'_>) -> Result<Option<u64>> {
    let Some(node) = node else { return Ok(None) };
    let cell = node.evaluate(scope)?;
    let count = match cell.datum() {
        Datum::Int(v) => u64::try_from(v).ok(),
        Datum::UInt(v) => Some(v),
        Datum::Bytes(text) => {
            std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok())
        }
        _ => None,
    };
    count
        .map(Some)
        .ok_or_else(|| SqlError::new(ErrorCode::WrongArguments, "Incorrect arguments to LIMIT"))
}
