//! How far a command is: a bar on a terminal, a line now and then elsewhere.
//!
//! Everything goes to standard error, so that a dump may go to standard output.

use std::fmt;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::tell;

/// Between two lines when standard error is no terminal.
const LINE_PAUSE: Duration = Duration::from_secs(10);
/// Between two looks of the bar.
const BARS_PER_SECOND: u8 = 10;

/// How far a command is, on standard error.
pub struct Progress {
    /// What is done to bytes, as "copying".
    doing: &'static str,
    bar: Option<ProgressBar>,
    quiet: bool,
    begun: Instant,
    next_line: Instant,
    bytes_max: Option<u64>,
}

impl Progress {
    /// Of so many bytes, if there is a number, which `tell` may change; `quiet` shows nothing but
    /// messages.
    pub fn new(doing: &'static str, bytes_max: Option<u64>, quiet: bool) -> Progress {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| bar(doing, bytes_max));
        let begun = Instant::now();
        Progress { doing, bar, quiet, begun, next_line: begun + LINE_PAUSE, bytes_max }
    }

    /// Of copying or reading, whose bytes are not counted yet.
    pub fn of_bytes(doing: &'static str) -> Progress {
        Progress::new(doing, Some(0), false)
    }

    /// So many bytes are done, of so many.
    pub fn tell(&mut self, done: u64, total: u64) {
        self.bytes_max = Some(total);
        if let Some(bar) = &self.bar {
            bar.set_length(total);
        }
        self.show(done, format_args!(""));
    }

    /// Time since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    fn show(&mut self, bytes: u64, what: fmt::Arguments<'_>) {
        if let Some(bar) = &self.bar {
            bar.set_position(bytes);
            bar.set_message(what.to_string());
            return;
        }
        let now = Instant::now();
        if self.quiet || now < self.next_line {
            return;
        }
        self.next_line = now + LINE_PAUSE;
        let of = self.bytes_max.map_or(String::new(), |most| format!(" of {}", HumanBytes(most)));
        let (doing, seconds) = (self.doing, self.begun.elapsed().as_secs());
        tell(&format!("{doing}: {}{of} after {seconds} s {what}", HumanBytes(bytes)));
    }
}

impl ::load::Progress for Progress {
    fn at(&mut self, bytes: u64, rows: u64, what: &str) {
        self.show(bytes, format_args!("{} rows {what}", HumanCount(rows)));
    }

    fn say(&mut self, message: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(message)),
            None => tell(message),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(doing: &'static str, bytes_max: Option<u64>) -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(BARS_PER_SECOND);
    let bar = ProgressBar::with_draw_target(bytes_max, target).with_prefix(doing);
    let template = match bytes_max {
        Some(_) => "{prefix} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta} {msg}",
        None => "{prefix} {spinner} {bytes} {bytes_per_sec} {msg}",
    };
    // A template that does not parse is replaced by indicatif's own.
    bar.with_style(
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
    )
}
