//! The last warnings and errors of the log, kept in memory for the operator's page.
//!
//! Invariants
//! 1. Memory is bounded: so many lines, each cut at so many bytes.
//! 2. What is below a warning costs one comparison.
//!
//! Not here: the log itself (`logging`).

use std::collections::VecDeque;
use std::fmt::{self, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Lines that are kept.
const LINES_MAX: usize = 50;
/// Bytes of a line.
const LINE_BYTES_MAX: usize = 500;

static LINES: Mutex<VecDeque<RecentLine>> = Mutex::new(VecDeque::new());

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentLine {
    /// When it was written, in milliseconds since the epoch.
    pub at_ms: u64,
    /// `WARN` or `ERROR`.
    pub level: &'static str,
    /// Its words, with its fields behind them.
    pub text: String,
}

/// The lines that are kept, the newest first.
pub fn newest_first() -> Vec<RecentLine> {
    LINES.lock().iter().rev().cloned().collect()
}

/// Keeps what is logged.
pub struct RecentLines;

impl<S: Subscriber> Layer<S> for RecentLines {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let level = *event.metadata().level();
        if level > Level::WARN {
            return;
        }
        let mut words = Words::default();
        event.record(&mut words);
        let mut text = words.message + &words.fields;
        let end = (0..=LINE_BYTES_MAX.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or(0));
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at_ms = since.as_millis() as u64;
        let line = RecentLine { at_ms, level: level.as_str(), text };
        let mut lines = LINES.lock();
        if lines.len() >= LINES_MAX {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

#[derive(Default)]
struct Words {
    message: String,
    fields: String,
}

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a String does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[test]
    fn warnings_and_errors_are_kept_with_their_fields_and_bounded() {
        let subscriber = tracing_subscriber::registry().with(RecentLines);
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!("not kept");
            for number in 0..LINES_MAX {
                tracing::warn!(number, "kept");
            }
            tracing::error!(why = "ü".repeat(LINE_BYTES_MAX), "the last");
        });
        let lines = newest_first();
        assert_eq!(lines.len(), LINES_MAX);
        assert_eq!(lines[0].level, "ERROR");
        assert!(lines[0].text.starts_with("the last why=\"ü"), "{}", lines[0].text);
        assert!(lines[0].text.len() <= LINE_BYTES_MAX);
        assert_eq!(lines[1].text, format!("kept number={}", LINES_MAX - 1));
    }
}
