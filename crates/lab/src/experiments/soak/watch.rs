//! The server from outside, second by second: memory, threads, files, CPU from the kernel, locks,
//! connections and the store's doings from its status socket; and what else the machine did.
//!
//! Not here: what the clients saw (`load`), what is too much (`judge`).

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use serde::Serialize;

use crate::process;

/// A status that takes longer is missing in that second.
const STATUS_WAIT: Duration = Duration::from_millis(800);

/// The server at one moment.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Glance {
    /// Resident MiB.
    pub rss_mib: f64,
    /// Threads.
    pub threads: u64,
    /// Open files and sockets.
    pub files: u64,
    /// Connections, without the one that asks; `None` when the server did not answer in time.
    pub connections: Option<u64>,
    /// Row locks.
    pub locks: Option<u64>,
    /// MiB that clients make the server keep.
    pub client_mib: f64,
    /// Whether the store writes buffers to files, merges files, or holds writers up.
    pub store_busy: bool,
    /// Cores that the server kept busy since the glance before.
    pub server_cores: f64,
    /// Cores that others did: neither server nor this program.
    pub other_cores: f64,
    /// Part of the time in which some thread of the machine waited for a disk.
    pub disk_waited: f64,
}

/// Looks at a server again and again.
pub struct Watch {
    pid: u32,
    socket: PathBuf,
    before: SecondsSpent,
}

/// Seconds so far.
#[derive(Debug, Clone, Copy, Default)]
struct SecondsSpent {
    server: f64,
    client: f64,
    machine: f64,
    disk: f64,
    wall: f64,
}

impl Watch {
    /// Of a process, with its data directory.
    pub fn new(pid: u32, data_dir: &Path) -> Watch {
        let mut watch =
            Watch { pid, socket: data_dir.join("status.sock"), before: SecondsSpent::default() };
        watch.before = watch.spent();
        watch
    }

    fn spent(&self) -> SecondsSpent {
        let uptime = std::fs::read_to_string("/proc/uptime").unwrap_or_default();
        let wall = uptime.split(' ').next().and_then(|text| text.parse().ok());
        SecondsSpent {
            server: process::cpu_seconds(self.pid).unwrap_or(0.0),
            client: process::cpu_seconds(std::process::id()).unwrap_or(0.0),
            machine: process::machine_cpu_seconds().unwrap_or(0.0),
            disk: process::disk_waited_seconds().unwrap_or(0.0),
            wall: wall.unwrap_or(0.0),
        }
    }

    /// How it is now, and was since the call before.
    pub fn glance(&mut self) -> Glance {
        let (now, before) = (self.spent(), self.before);
        self.before = now;
        let wall = (now.wall - before.wall).max(0.1);
        let (server, client) = (now.server - before.server, now.client - before.client);
        let figures = figures(&self.socket).unwrap_or_default();
        let figure = |name: &str| figures.get(name).copied();
        let store_busy = [
            "store_rocksdb_num_running_compactions",
            "store_rocksdb_num_immutable_mem_table",
            "store_rocksdb_is_write_stopped",
            "store_rocksdb_actual_delayed_write_rate",
        ];
        Glance {
            rss_mib: process::rss(self.pid).unwrap_or(0) as f64 / f64::from(1 << 20),
            threads: process::threads(self.pid).unwrap_or(0),
            files: process::files(self.pid).unwrap_or(0),
            connections: figure("connections").map(|count| count.saturating_sub(1)),
            locks: figure("store_locks"),
            client_mib: figure("client_memory_bytes").unwrap_or(0) as f64 / f64::from(1 << 20),
            store_busy: store_busy.iter().any(|name| figure(name) > Some(0)),
            server_cores: server / wall,
            other_cores: ((now.machine - before.machine - server - client) / wall).max(0.0),
            disk_waited: ((now.disk - before.disk) / wall).clamp(0.0, 1.0),
        }
    }
}

/// Every figure of the server that is a number.
fn figures(socket: &Path) -> Result<HashMap<String, u64>> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(STATUS_WAIT))?;
    stream.set_write_timeout(Some(STATUS_WAIT))?;
    stream.write_all(b"status\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let figures: HashMap<String, u64> = text
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?)))
        .collect();
    ensure!(!figures.is_empty(), "the status is empty: {text}");
    Ok(figures)
}
