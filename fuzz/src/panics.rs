//! Panics of the libraries that decode for us. In the server such a panic ends the statement, and
//! nothing else (`sql::panics`); so here it is an error like others. Ours are faults.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::Once;

/// What the paths of their sources have in them.
const LIBRARIES: [&str; 2] = ["/parquet-", "/arrow-"];

thread_local! {
    /// Whether the panic under way began in a library.
    static THEIRS: Cell<bool> = const { Cell::new(false) };
}

/// Runs something; `None` when a library has panicked.
pub fn of_libraries<T>(run: impl FnOnce() -> T) -> Option<T> {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // libFuzzer's ends the process.
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            let place = panic.location().map_or("", |place| place.file());
            match LIBRARIES.iter().any(|library| place.contains(library)) {
                true => THEIRS.set(true),
                false => before(panic),
            }
        }));
    });
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => Some(result),
        Err(_) if THEIRS.take() => None,
        Err(panic) => resume_unwind(panic),
    }
}
