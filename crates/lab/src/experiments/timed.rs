//! A piece of work as one window: how long it took, and what it cost the server and this program.

use std::time::Instant;

use anyhow::Result;

use crate::generator::Sample;
use crate::process;

/// Does the work, which counts its requests and rows, and fills in the rest.
pub fn timed(pid: u32, work: impl FnOnce(&mut Sample) -> Result<()>) -> Result<Sample> {
    let mut sample = Sample::new();
    let own = || process::cpu_seconds(std::process::id()).unwrap_or(0.0);
    let server = || process::cpu_seconds(pid).unwrap_or(0.0);
    let machine = || process::machine_cpu_seconds().unwrap_or(0.0);
    let disk = || process::disk_waited_seconds().unwrap_or(0.0);
    let read = || process::disk_read_bytes(pid).unwrap_or(0);
    let read_before = read();
    let (server_before, own_before) = (server(), own());
    let (machine_before, disk_before) = (machine(), disk());
    let began = Instant::now();
    work(&mut sample)?;
    sample.seconds = began.elapsed().as_secs_f64();
    sample.server_cpu = server() - server_before;
    sample.client_cpu = own() - own_before;
    let all = machine() - machine_before;
    sample.others_cpu = (all - sample.server_cpu - sample.client_cpu).max(0.0);
    sample.disk_waited = disk() - disk_before;
    sample.disk_read = read().saturating_sub(read_before);
    sample.server_rss = process::rss_peak(pid).unwrap_or(0);
    Ok(sample)
}
