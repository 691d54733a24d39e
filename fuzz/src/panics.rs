//! Panics of the libraries that decode for us. In the server such a panic ends the statement, and
//! nothing else (`sql::panics`); so here it is an error like others. Ours are faults.

use std::backtrace::Backtrace;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::Once;

/// What the paths of their sources have in them.
const LIBRARIES: [&str; 2] = ["/parquet-", "/arrow-"];
/// What the names of their functions begin with.
const NAMES: [&str; 2] = ["parquet", "arrow"];
/// The same of what panics on behalf of its caller, who may be one of theirs or we.
const SERVANTS: [&str; 5] = ["bytes", "core", "alloc", "std", "__rustc"];

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
            let theirs = LIBRARIES.iter().any(|library| place.contains(library))
                || begun_by_libraries(&Backtrace::force_capture().to_string());
            match theirs {
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

/// Whether it was a library that called what panics, by a stack in the form in which `Backtrace`
/// shows it: lines of a number and a name, the innermost first, with places between them.
fn begun_by_libraries(stack: &str) -> bool {
    let names = stack.lines().filter_map(|line| {
        let (number, name) = line.trim_start().split_once(": ")?;
        number.parse::<usize>().ok().map(|_| name.trim_start_matches(['<', '&']))
    });
    let of = |name: &str, crates: &[&str]| {
        let begins = |library: &&str| {
            name.strip_prefix(*library)
                .is_some_and(|rest| rest.starts_with("::") || rest.starts_with('_'))
        };
        crates.iter().any(begins)
    };
    // What watches the panic is of this module.
    let mut callers =
        names.skip_while(|name| of(name, &SERVANTS) || name.starts_with("fuzz::panics"));
    callers.next().is_some_and(|name| of(name, &NAMES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_of_whoever_called_what_panics() {
        let stack = |caller: &str| {
            format!(
                "   0: fuzz::panics::of_libraries::{{{{closure}}}}\n             at /somewhere.rs:1:2\n   \
                 1: std::panicking::panic_with_hook\n   2: core::panicking::panic_fmt\n   \
                 3: bytes::bytes::Bytes::slice\n   4: {caller}\n   5: parquet::column::read"
            )
        };
        assert!(begun_by_libraries(&stack("parquet::arrow::decoder::DeltaByteArrayDecoder::new")));
        assert!(begun_by_libraries(&stack("<arrow_array::Array as core::Debug>::fmt")));
        assert!(!begun_by_libraries(&stack("files::table::pages::ColumnBytes::bytes_at")));
        assert!(!begun_by_libraries(&stack("<parquetry::Other>::new")));
        assert!(!begun_by_libraries(""));
    }

    #[test]
    fn a_panic_of_ours_is_passed_on() {
        let ours = catch_unwind(|| of_libraries(|| assert_eq!(1, 2)));
        assert!(ours.is_err());
    }
}
