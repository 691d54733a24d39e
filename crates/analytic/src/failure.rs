//! Errors across DataFusion's border: ours travel inside its errors and come out unchanged;
//! its own get MySQL's numbers and a sentence, never a dump.
//!
//! Invariants
//! 1. Whatever `raise` wraps, `translate` gives back as it was, however often DataFusion has
//!    wrapped it in context.
//!
//! Not here: errors found while binding, which never enter DataFusion.

use std::any::Any;
use std::io;

use datafusion::common::DataFusionError;
use resources::disk_room::is_disk_full;
use results::{MemoryShortage, SqlError};
use values::ErrorCode;

/// Our error as one of DataFusion's.
pub(super) fn raise(error: impl Into<SqlError>) -> DataFusionError {
    DataFusionError::External(Box::new(error.into()))
}

/// A panic of a statement of this shape as an error.
pub(super) fn panicked(panic: &(dyn Any + Send), shape: &str) -> DataFusionError {
    raise(results::panics::error(panic, shape.as_bytes()))
}

/// What to make of an error from planning: what DataFusion has no plan for, for whatever reason,
/// the row executor may know.
pub(super) fn no_plan(error: DataFusionError) -> SqlError {
    known(&error).unwrap_or_else(|| SqlError::not_lowerable(first_line(&words(&error))))
}

/// Whether a query found no memory for what it keeps.
pub(super) fn is_out_of_memory(error: &DataFusionError) -> bool {
    find_own(error).is_none() && matches!(error.find_root(), DataFusionError::ResourcesExhausted(_))
}

/// Whether a temporary file did not fit on its disk, whatever has wrapped that.
pub(super) fn fills_disk(error: &DataFusionError) -> bool {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(at) = source {
        if at.downcast_ref::<io::Error>().is_some_and(is_disk_full) {
            return true;
        }
        source = at.source();
    }
    false
}

fn disk_full() -> SqlError {
    rows::Error::DiskFull { source: "a temporary file does not fit".into() }.into()
}

/// What to tell the client of an error from running.
pub(super) fn translate(error: DataFusionError) -> SqlError {
    known(&error).unwrap_or_else(|| SqlError::other(first_line(&words(&error))))
}

/// An error that is one of ours, or for which MySQL has a name.
fn known(error: &DataFusionError) -> Option<SqlError> {
    if let Some(own) = find_own(error) {
        return Some(own);
    }
    if fills_disk(error) {
        return Some(disk_full());
    }
    match error.find_root() {
        DataFusionError::ResourcesExhausted(why) => {
            tracing::debug!(why, "a query found no memory");
            Some(SqlError::ShortOfMemory(MemoryShortage::Queries))
        }
        DataFusionError::NotImplemented(what) if names_subquery(what) => Some(correlated()),
        DataFusionError::NotImplemented(what) => Some(SqlError::not_lowerable(first_line(what))),
        DataFusionError::IoError(source) => {
            let message = format!("Got error from a temporary file: {source}");
            Some(SqlError::new(ErrorCode::GetErrno, message))
        }
        DataFusionError::ArrowError(source, _) => arrow_error(source),
        DataFusionError::ExecutionJoin(_) => None,
        _ => plan_error(&words(error)),
    }
}

fn arrow_error(source: &datafusion::arrow::error::ArrowError) -> Option<SqlError> {
    use datafusion::arrow::error::ArrowError;
    let out_of_range = |what| {
        Some(SqlError::new(ErrorCode::DataOutOfRange, format!("{what} value is out of range")))
    };
    match source {
        ArrowError::ExternalError(inner) => match inner.downcast_ref::<DataFusionError>() {
            Some(inner) => find_own(inner).or_else(|| plan_error(&inner.to_string())),
            None => {
                inner.downcast_ref::<SqlError>().cloned().or_else(|| plan_error(&inner.to_string()))
            }
        },
        ArrowError::ArithmeticOverflow(_) => out_of_range("BIGINT"),
        ArrowError::CastError(text) | ArrowError::InvalidArgumentError(text)
            if ["too large to store", "too small to store", "overflow"]
                .iter()
                .any(|what| text.contains(what)) =>
        {
            out_of_range("DECIMAL")
        }
        other => plan_error(&other.to_string()),
    }
}

/// DataFusion's own words, of which the first line is for the client.
fn words(error: &DataFusionError) -> String {
    match error.find_root() {
        DataFusionError::ExecutionJoin(_) => "A worker of the query failed".to_string(),
        DataFusionError::Plan(text)
        | DataFusionError::Internal(text)
        | DataFusionError::Execution(text)
        | DataFusionError::Configuration(text) => text.clone(),
        DataFusionError::ArrowError(source, _) => source.to_string(),
        other => other.strip_backtrace(),
    }
}

/// Limits that DataFusion states in words become MySQL's errors.
fn plan_error(text: &str) -> Option<SqlError> {
    if text.contains("more than one row") {
        return Some(SqlError::new(ErrorCode::SubqueryNo1Row, "Subquery returns more than 1 row"));
    }
    (text.contains("orrelated") || names_subquery(text)).then(correlated)
}

/// What is left of a sub-query in a plan that could not be made a join.
fn names_subquery(text: &str) -> bool {
    ["OuterReferenceColumn", "outer_ref(", "ScalarSubquery", "InSubquery", "Exists"]
        .iter()
        .any(|name| text.contains(name))
}

fn correlated() -> SqlError {
    SqlError::not_lowerable("this form of correlated subquery")
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(300).collect()
}

fn find_own(error: &DataFusionError) -> Option<SqlError> {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(at) = source {
        if let Some(own) = at.downcast_ref::<SqlError>() {
            return Some(own.clone());
        }
        if let Some(DataFusionError::External(inner)) = at.downcast_ref::<DataFusionError>()
            && let Some(own) = inner.downcast_ref::<SqlError>()
        {
            return Some(own.clone());
        }
        if let Some(DataFusionError::Shared(inner)) = at.downcast_ref::<DataFusionError>()
            && let Some(own) = find_own(inner)
        {
            return Some(own);
        }
        source = at.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::error::ArrowError;

    use super::*;

    #[test]
    fn a_temporary_file_that_did_not_fit_was_a_failure_of_the_store() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        // As a writer of temporary files hands it to Arrow, and Arrow to an operator.
        let written = io::Error::from(DataFusionError::IoError(full()));
        let wrapped = DataFusionError::ArrowError(Box::new(ArrowError::from(written)), None);
        for error in [
            DataFusionError::IoError(full()),
            DataFusionError::ArrowError(Box::new(ArrowError::from(full())), None),
            wrapped.context("spilling"),
            DataFusionError::Shared(Arc::new(DataFusionError::IoError(full()).context("a sort"))),
            DataFusionError::IoError(io::ErrorKind::QuotaExceeded.into()),
        ] {
            let said = error.to_string();
            assert_eq!(translate(error).code(), ErrorCode::DiskFull, "{said}");
        }
        let other = DataFusionError::IoError(io::ErrorKind::NotFound.into());
        assert_eq!(translate(other).code(), ErrorCode::GetErrno);
    }
}
