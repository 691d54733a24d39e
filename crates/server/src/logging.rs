//! Log lines on standard error.
//!
//! Invariants
//! 1. What others have to say below `info` is not logged: parsers tell each token of a statement,
//!    and planners each step.
//!
//! Not here: what is logged (everywhere, with `tracing`).

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::recent_lines::RecentLines;

/// Our own crates, of which all is logged that a level asks for.
const OURS: [&str; 8] =
    ["rowhouse", "server", "doors", "sql", "analytic", "rows", "rows_rocks", "columnar"];

/// What is logged at a level.
fn filter(level: &str) -> EnvFilter {
    if !matches!(level, "debug" | "trace") {
        return EnvFilter::new(level);
    }
    let ours = OURS.map(|name| format!("{name}={level}")).join(",");
    // A name stands for all that begin with it; of two the longer one counts.
    EnvFilter::new(format!("info,{ours},sqlparser=info"))
}

/// Starts logging: lines of this level and above, with the time unless `format` is `short`.
pub fn start(level: &str, format: &str) {
    let lines = fmt()
        .with_env_filter(filter(level))
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        // Without a reader of standard error (a terminal that was closed, `| head`) a failed line
        // would be told on standard error, which panics.
        .log_internal_errors(false)
        .with_target(false);
    // It fails only when logging was started before, which is as well.
    let _ = match format {
        "short" => lines.without_time().finish().with(RecentLines).try_init(),
        _ => lines.finish().with(RecentLines).try_init(),
    };
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn debug_had_each_token_of_each_statement_in_the_log() {
        let within = |level: &str, check: &dyn Fn()| {
            let lines = fmt().with_env_filter(filter(level)).with_writer(io::sink).finish();
            tracing::subscriber::with_default(lines, check);
        };
        for level in ["debug", "trace"] {
            within(level, &|| {
                assert!(tracing::enabled!(target: "sql::session", Level::DEBUG), "{level}");
                assert!(tracing::enabled!(target: "rows_rocks::store", Level::DEBUG), "{level}");
                assert!(tracing::enabled!(target: "server::net", Level::DEBUG), "{level}");
                assert!(tracing::enabled!(target: "analytic::failure", Level::DEBUG), "{level}");
                assert!(!tracing::enabled!(target: "sqlparser::parser", Level::DEBUG), "{level}");
                assert!(!tracing::enabled!(target: "datafusion::planner", Level::DEBUG), "{level}");
                assert!(tracing::enabled!(target: "datafusion::planner", Level::INFO), "{level}");
            });
        }
        within("info", &|| {
            assert!(tracing::enabled!(target: "sql::session", Level::INFO));
            assert!(!tracing::enabled!(target: "sql::session", Level::DEBUG));
        });
    }
}
