//! How far a command is: a bar on a terminal, else now and then a line.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

const LINE_PAUSE: Duration = Duration::from_secs(10);

/// How far a command is, on standard error.
pub struct Progress {
    what: &'static str,
    bar: Option<ProgressBar>,
    next_line: Instant,
}

impl Progress {
    /// Of something done to bytes, as "copying".
    pub fn new(what: &'static str) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(0).with_message(what);
            // A template that does not parse is replaced by the library's own.
            let style = "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
            bar.with_style(
                ProgressStyle::with_template(style)
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            )
        });
        Progress { what, bar, next_line: Instant::now() + LINE_PAUSE }
    }

    /// So many bytes are done, of so many.
    pub fn tell(&mut self, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
        } else if Instant::now() >= self.next_line {
            self.next_line = Instant::now() + LINE_PAUSE;
            eprintln!("{}: {} of {}", self.what, HumanBytes(done), HumanBytes(total));
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
