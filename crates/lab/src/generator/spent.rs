//! What servers, this program and the machine have spent up to a moment. The difference between two
//! moments is a window's.
//!
//! Not here: where the kernel tells it (`process`).

use std::time::Instant;

use super::Sample;
use crate::process;

/// Seconds of CPU time and of waiting for disks, and bytes from and to disks, so far.
#[derive(Debug, Clone, Copy)]
pub struct ResourcesSpent {
    at: Instant,
    servers: f64,
    client: f64,
    machine: f64,
    disk_waited: f64,
    disk_read: u64,
    disk_written: u64,
    servers_rss: u64,
}

impl ResourcesSpent {
    /// Looks now; `servers` are processes.
    pub fn by(servers: &[u32]) -> ResourcesSpent {
        let all = servers.iter().copied();
        let seconds = |of: fn(u32) -> Option<f64>| all.clone().filter_map(of).sum::<f64>();
        let bytes = |of: fn(u32) -> Option<u64>| all.clone().filter_map(of).sum::<u64>();
        ResourcesSpent {
            at: Instant::now(),
            servers: seconds(process::cpu_seconds),
            client: process::cpu_seconds(std::process::id()).unwrap_or(0.0),
            machine: process::machine_cpu_seconds().unwrap_or(0.0),
            disk_waited: process::disk_waited_seconds().unwrap_or(0.0),
            disk_read: bytes(process::disk_read_bytes),
            disk_written: bytes(process::disk_written_bytes),
            servers_rss: bytes(process::rss_peak),
        }
    }

    /// Fills in what was spent since an earlier moment.
    pub fn since(&self, before: &ResourcesSpent, sample: &mut Sample) {
        sample.seconds = (self.at - before.at).as_secs_f64();
        sample.server_cpu = self.servers - before.servers;
        sample.client_cpu = self.client - before.client;
        let all = self.machine - before.machine;
        sample.others_cpu = (all - sample.server_cpu - sample.client_cpu).max(0.0);
        sample.disk_waited = self.disk_waited - before.disk_waited;
        // A server that has ended counts nothing any more.
        sample.disk_read = self.disk_read.saturating_sub(before.disk_read);
        sample.disk_written = self.disk_written.saturating_sub(before.disk_written);
        sample.server_rss = self.servers_rss;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_a_process_writes_in_a_window_is_of_that_window() {
        let own = [std::process::id()];
        // Not in memory, as /tmp may be.
        let mut file = tempfile::tempfile_in(".").unwrap();
        let before = ResourcesSpent::by(&own);
        file.write_all(&vec![7; 1 << 20]).unwrap();
        file.sync_all().unwrap();
        let after = ResourcesSpent::by(&own);
        let mut sample = Sample::new();
        after.since(&before, &mut sample);
        assert!(sample.disk_written >= 1 << 20, "{}", sample.disk_written);
        assert!(sample.seconds > 0.0 && sample.server_rss > 100_000);
    }
}
