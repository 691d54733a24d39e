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
use sql::SqlError;

/// Our error as one of DataFusion's.
pub(super) fn raise(error: impl Into<SqlError>) -> DataFusionError {
    DataFusionError::External(Box::new(error.into()))
}

/// A panic of a statement of this shape as an error.
pub(super) fn panicked(panic: &(dyn Any + Send), shape: &str) -> DataFusionError {
    raise(sql::panicked(panic, shape.as_bytes()))
}

/// What to make of an error from planning: what DataFusion has no plan for, for whatever reason,
/// the row executor may know.
pub(super) fn no_plan(error: DataFusionError) -> SqlError {
    let error = translate(error);
    match error.number {
        1105 => SqlError::unsupported(error.message),
        _ => error,
    }
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
    if let Some(own) = find_own(&error) {
        return own;
    }
    if fills_disk(&error) {
        return disk_full();
    }
    match error.find_root() {
        DataFusionError::ResourcesExhausted(why) => {
            tracing::debug!(why, "a query found no memory");
            SqlError::new(
                1038,
                "Out of memory for this query, which has to keep more rows, groups or different \
                 values at a time than the setting 'memory' leaves room for",
            )
        }
        DataFusionError::NotImplemented(what) if names_subquery(what) => correlated(),
        DataFusionError::NotImplemented(what) => SqlError::unsupported(first_line(what)),
        DataFusionError::IoError(source) => {
            SqlError::new(1030, format!("Got error from a temporary file: {source}"))
        }
        DataFusionError::ArrowError(source, _) => arrow_error(source),
        DataFusionError::ExecutionJoin(_) => SqlError::other("A worker of the query failed"),
        DataFusionError::Plan(text)
        | DataFusionError::Internal(text)
        | DataFusionError::Execution(text)
        | DataFusionError::Configuration(text) => plan_error(text),
        other => plan_error(&other.strip_backtrace()),
    }
}

fn arrow_error(source: &datafusion::arrow::error::ArrowError) -> SqlError {
    use datafusion::arrow::error::ArrowError;
    match source {
        ArrowError::ExternalError(inner) => match inner.downcast_ref::<SqlError>() {
            Some(own) => own.clone(),
            None => match inner.downcast_ref::<DataFusionError>() {
                Some(inner) => find_own(inner).unwrap_or_else(|| plan_error(&inner.to_string())),
                None => plan_error(&inner.to_string()),
            },
        },
        ArrowError::ArithmeticOverflow(_) => SqlError::new(1690, "BIGINT value is out of range"),
        ArrowError::CastError(text) | ArrowError::InvalidArgumentError(text)
            if ["too large to store", "too small to store", "overflow"]
                .iter()
                .any(|what| text.contains(what)) =>
        {
            SqlError::new(1690, "DECIMAL value is out of range")
        }
        other => plan_error(&other.to_string()),
    }
}

/// Limits that DataFusion states in words become MySQL's errors.
fn plan_error(text: &str) -> SqlError {
    if text.contains("more than one row") {
        return SqlError::new(1242, "Subquery returns more than 1 row");
    }
    if text.contains("orrelated") || names_subquery(text) {
        return correlated();
    }
    SqlError::other(first_line(text))
}

/// What is left of a sub-query in a plan that could not be made a join.
fn names_subquery(text: &str) -> bool {
    ["OuterReferenceColumn", "outer_ref(", "ScalarSubquery", "InSubquery", "Exists"]
        .iter()
        .any(|name| text.contains(name))
}

fn correlated() -> SqlError {
    SqlError::unsupported("this form of correlated subquery")
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
            assert_eq!(translate(error).number, 1021, "{said}");
        }
        let other = DataFusionError::IoError(io::ErrorKind::NotFound.into());
        assert_eq!(translate(other).number, 1030);
    }
}
