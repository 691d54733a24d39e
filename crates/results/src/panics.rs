//! Panics, whosever they are: they end a statement, not its connection and not the server.
//!
//! Invariants
//! 1. A panic is logged once, with the place where it began and the shape of the statement: its
//!    text without literals.
//!
//! Not here: what becomes of the transaction (`session::transaction`), panics outside of
//! statements (`server::net`).

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use parking_lot::Mutex;

use crate::error::{Result, SqlError};

/// Most bytes of a shape that are logged.
const SHAPE_BYTES_MAX: usize = 2000;

/// Where the last panic began.
static LAST_PLACE: Mutex<String> = Mutex::new(String::new());

/// Remembers from now on where panics begin; what was done about them before is done still.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if let Some(place) = panic.location() {
                *LAST_PLACE.lock() = place.to_string();
            }
            before(panic);
        }));
    });
}

/// The error that a statement of this shape ends with, after the panic was logged.
pub fn error(panic: &(dyn Any + Send), shape: &[u8]) -> SqlError {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("of another kind");
    let place = LAST_PLACE.lock().clone();
    let shape = without_literals(&shape[..shape.len().min(SHAPE_BYTES_MAX)]);
    tracing::error!(%place, panic = text, %shape, "a statement has failed by a defect of the server");
    SqlError::other(format!("The statement met a defect of the server at {place}: {text}"))
}

/// A shape still has the literals of a SELECT's list, which name its columns.
fn without_literals(shape: &[u8]) -> String {
    let mut out = Vec::with_capacity(shape.len());
    let mut at = 0;
    while let Some(&byte) = shape.get(at) {
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 128..);
        match byte {
            b'\'' | b'"' => {
                at += 1;
                while let Some(&inner) = shape.get(at) {
                    at += if inner == b'\\' { 2 } else { 1 };
                    if inner == byte {
                        break;
                    }
                }
                out.push(b'?');
            }
            b'0'..=b'9' if !out.last().is_some_and(word) => {
                while shape.get(at).is_some_and(|byte| word(byte) || *byte == b'.') {
                    at += 1;
                }
                out.push(b'?');
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Runs a part of a statement; its panic is an error.
///
/// # Errors
/// Those of `run`; 1105 for a panic.
pub fn caught<T>(shape: &[u8], run: impl FnOnce() -> Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result,
        Err(panic) => Err(error(&*panic, shape)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_logged_of_a_statement_has_no_values() {
        let shape = b"SELECT 'it\\'s', \"x\", 12.5e3, t1.a FROM t1 WHERE b2 = ? AND c IN (0xFF, 7)";
        let shown = without_literals(shape);
        assert_eq!(shown, "SELECT ?, ?, ?, t1.a FROM t1 WHERE b2 = ? AND c IN (?, ?)");
        assert_eq!(without_literals(b"SELECT 'unended"), "SELECT ?");
    }

    #[test]
    fn a_panic_is_an_error_that_says_where() {
        watch();
        let error = caught::<()>(b"SELECT 1", || panic!("nothing there")).unwrap_err();
        assert_eq!(error.code().number(), 1105);
        assert!(error.message().contains("panics.rs:"), "{}", error.message());
        assert!(error.message().ends_with("nothing there"), "{}", error.message());
    }
}
