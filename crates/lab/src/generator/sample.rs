//! What one measured window gave: counts, latencies, CPU time of server and client.

use hdrhistogram::Histogram;

use super::Pause;

/// The longest latency that is told apart, in nanoseconds; longer ones count as this.
const LATENCY_NS_MAX: u64 = 120_000_000_000;

/// One window's counts. Samples of several threads are merged by `merge`.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Latency per request in nanoseconds.
    pub latency: Histogram<u64>,
    /// Requests completed inside the window.
    pub requests: u64,
    /// Rows (keys) those requests asked for.
    pub rows: u64,
    /// Successful replies with wrong contents, inside the window or not.
    pub wrong: u64,
    /// Error replies, inside the window or not.
    pub refused: u64,
    /// Connections that the server closed or that failed.
    pub broken: u64,
    /// The first bad reply or failure, for the report.
    pub first_bad: Option<String>,
    /// Length of the window in seconds.
    pub seconds: f64,
    /// CPU time of the measured servers inside the window, in seconds.
    pub server_cpu: f64,
    /// CPU time of this program inside the window, in seconds.
    pub client_cpu: f64,
    /// CPU time of everything else on the machine inside the window, in seconds.
    pub others_cpu: f64,
    /// For how much of the window some thread of the machine waited for a disk, in seconds.
    pub disk_waited: f64,
    /// Bytes that the measured servers read from disks inside the window.
    pub disk_read: u64,
    /// Bytes that they let the kernel write to disks inside the window.
    pub disk_written: u64,
    /// The longest time in which nothing was completed.
    pub pause: Pause,
    /// Peak resident memory of the measured servers when the window ended, in bytes.
    pub server_rss: u64,
}

impl Sample {
    /// An empty sample.
    pub fn new() -> Sample {
        Sample {
            latency: Histogram::new_with_bounds(1, LATENCY_NS_MAX, 3)
                .expect("constant bounds are valid"),
            requests: 0,
            rows: 0,
            wrong: 0,
            refused: 0,
            broken: 0,
            first_bad: None,
            seconds: 0.0,
            server_cpu: 0.0,
            client_cpu: 0.0,
            others_cpu: 0.0,
            disk_waited: 0.0,
            disk_read: 0,
            disk_written: 0,
            pause: Pause::default(),
            server_rss: 0,
        }
    }

    /// Adds another thread's counts.
    pub fn merge(&mut self, other: Sample) {
        self.latency.add(&other.latency).expect("both have the same bounds");
        self.requests += other.requests;
        self.rows += other.rows;
        self.wrong += other.wrong;
        self.refused += other.refused;
        self.broken += other.broken;
        self.pause = self.pause.max(other.pause);
        if self.first_bad.is_none() {
            self.first_bad = other.first_bad;
        }
    }

    /// Counts one request that completed inside the window.
    pub fn count(&mut self, latency_ns: u64, rows: u32) {
        self.latency.saturating_record(latency_ns.max(1));
        self.requests += 1;
        self.rows += u64::from(rows);
    }

    /// Keeps the first bad reply as readable text, cut to a line.
    pub fn note_bad(&mut self, what: &str, reply: &[u8]) {
        const REPLY_BYTES_MAX: usize = 160;
        if self.first_bad.is_none() {
            let shown = &reply[..reply.len().min(REPLY_BYTES_MAX)];
            self.first_bad = Some(format!("{what}: {}", shown.escape_ascii()));
        }
    }

    /// Requests per second.
    pub fn rate(&self) -> f64 {
        self.requests as f64 / self.seconds.max(1e-9)
    }

    /// Latency at a quantile (0..=1), in microseconds.
    pub fn latency_us(&self, quantile: f64) -> f64 {
        self.latency.value_at_quantile(quantile) as f64 / 1e3
    }

    /// Everything that must be zero in a good run.
    pub fn bad(&self) -> u64 {
        self.wrong + self.refused + self.broken
    }
}
