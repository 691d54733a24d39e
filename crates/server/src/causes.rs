//! An error with its causes, in one line.
//!
//! Most of our errors say their cause themselves, since they are shown alone as well: to clients
//! and in the log. Others, and the contexts of a command, leave it to the next in the chain.
//!
//! Invariants
//! 1. What an error has said is not said again by its cause.

use std::error::Error;

/// The error's words, and those of each cause that it has not said itself.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut said = text.clone();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !said.contains(&words) {
            text = format!("{text}: {words}");
        }
        said = words;
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::Context as _;

    use super::*;

    fn store_failure() -> rows::Error {
        let source = Box::new(io::Error::other("the disk is gone"));
        rows::Error::Store { doing: "opening the database", applied: Some(false), source }
    }

    #[test]
    fn a_cause_that_the_error_says_itself_is_no_longer_said_twice() {
        let words = "store failed while opening the database: the disk is gone";
        assert_eq!(with_causes(&store_failure()), words);
        let failed = Err::<(), _>(store_failure()).context("cannot open the rows");
        let told = with_causes(failed.unwrap_err().as_ref());
        assert_eq!(told, format!("cannot open the rows: {words}"));
    }

    #[test]
    fn a_cause_that_the_error_leaves_out_is_said() {
        let failed = Err::<(), _>(io::Error::other("no such place")).context("cannot listen");
        let told = with_causes(failed.context("cannot start").unwrap_err().as_ref());
        assert_eq!(told, "cannot start: cannot listen: no such place");
    }
}
