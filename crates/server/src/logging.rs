//! Log lines on standard error.
//!
//! Not here: what is logged (everywhere, with `tracing`).

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;

/// Starts logging: lines of this level and above, with the time unless `format` is `short`.
pub fn start(level: &str, format: &str) {
    let filter = EnvFilter::new(level);
    let lines = fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        // Without a reader of standard error (a terminal that was closed, `| head`) a failed line
        // would be told on standard error, which panics.
        .log_internal_errors(false)
        .with_target(false);
    // It fails only when logging was started before, which is as well.
    let _ = match format {
        "short" => lines.without_time().try_init(),
        _ => lines.try_init(),
    };
}
