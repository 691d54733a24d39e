//! How far it is: a bar on a terminal, a line now and then elsewhere.
//!
//! Everything goes to standard error, so that a dump may go to standard output.
//!
//! Not here: what is counted (`dump`, `loading`).

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Between two lines when standard error is no terminal.
const LINE_PAUSE: Duration = Duration::from_secs(10);
/// Between two looks of the bar.
const BARS_PER_SECOND: u8 = 10;

/// Progress in bytes and rows.
pub struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    begun: Instant,
    next_line: Instant,
    bytes_max: Option<u64>,
}

impl Progress {
    /// Of so many bytes, if that is known; `quiet` shows nothing but messages.
    pub fn new(bytes_max: Option<u64>, quiet: bool) -> Progress {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| bar(bytes_max));
        let now = Instant::now();
        Progress { bar, quiet, begun: now, next_line: now + LINE_PAUSE, bytes_max }
    }

    /// So much is done; `what` is worked at now.
    pub fn at(&mut self, bytes: u64, rows: u64, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_position(bytes);
            bar.set_message(format!("{} rows {what}", HumanCount(rows)));
            return;
        }
        let now = Instant::now();
        if self.quiet || now < self.next_line {
            return;
        }
        self.next_line = now + LINE_PAUSE;
        let of = self.bytes_max.map_or(String::new(), |most| format!(" of {}", HumanBytes(most)));
        let seconds = self.begun.elapsed().as_secs();
        let (bytes, rows) = (HumanBytes(bytes), HumanCount(rows));
        eprintln!("{bytes}{of}, {rows} rows after {seconds} s {what}");
    }

    /// A message that stays.
    pub fn say(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{message}")),
            None => eprintln!("{message}"),
        }
    }

    /// Time since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(bytes_max: Option<u64>) -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(BARS_PER_SECOND);
    let bar = ProgressBar::with_draw_target(bytes_max, target);
    let template = match bytes_max {
        Some(_) => "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta} {msg}",
        None => "{spinner} {bytes} {bytes_per_sec} {msg}",
    };
    // A template that does not parse is replaced by indicatif's own.
    bar.set_style(
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar
}
