//! What the last client leaves behind in the server: no connection, lock, thread, file or work.
//!
//! Not here: what is stored (`rows`).

use std::thread;
use std::time::{Duration, Instant};

use super::phases::Phase;
use super::watch::{Glance, Watch};
use crate::peers::Rowhouse;
use crate::process;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Cores that an idle server keeps busy at most.
const CORES_MAX: f64 = 0.1;
/// Files of the store come and go; connections would be many more.
const FILES_MORE: u64 = 100;
/// Threads that may have come to stay: of the store and of queries.
const THREADS_MORE: u64 = 16;
/// Threads that wait for work leave after 10 s.
const THREADS_PATIENCE: Duration = Duration::from_secs(40);

/// How long a server may take to be idle.
#[derive(Debug, Clone, Copy)]
pub struct Patience(Duration);

impl Patience {
    /// After a phase: its clients' requests, at most, and the store's work.
    pub fn of(phase: &Phase) -> Patience {
        Patience(Duration::from_secs(if phase.clients > 500 { 20 } else { 10 }))
    }
}

/// How the server was before anybody came.
pub struct Idle {
    threads: u64,
    files: u64,
}

impl Idle {
    /// Of a server that nobody has connected to.
    pub fn of(peer: &Rowhouse) -> Idle {
        let glance = Watch::new(peer.server.pid(), &peer.data_dir()).glance();
        Idle { threads: glance.threads, files: glance.files }
    }

    /// Waits until nothing is left of clients, for a while; says what is then.
    pub fn wait(&self, peer: &Rowhouse, patience: Patience) -> Vec<String> {
        let mut watch = Watch::new(peer.server.pid(), &peer.data_dir());
        let until = Instant::now() + patience.0;
        loop {
            thread::sleep(LOOK_EVERY);
            let glance = watch.glance();
            let left = self.left(&glance);
            // The store may be at work for the writes that there were; that ends by itself.
            if left.is_empty() || Instant::now() > until {
                return left;
            }
        }
    }

    fn left(&self, glance: &Glance) -> Vec<String> {
        let mut left = Vec::new();
        match glance.connections {
            None => left.push("with all clients gone, the server does not answer".to_owned()),
            Some(0) => {}
            Some(count) => left.push(format!("{count} connections are left")),
        }
        if let Some(locks) = glance.locks.filter(|locks| *locks > 0) {
            left.push(format!("{locks} row locks are left"));
        }
        if glance.files > self.files + FILES_MORE {
            left.push(format!("{} files are open where {} were", glance.files, self.files));
        }
        if glance.server_cores > CORES_MAX && !glance.store_busy {
            let cores = glance.server_cores;
            left.push(format!("with all clients gone, {cores:.1} cores are busy"));
        }
        left
    }

    /// Waits until the threads that clients needed have left; says how many have not.
    pub fn wait_for_threads(&self, peer: &Rowhouse) -> Option<String> {
        let until = Instant::now() + THREADS_PATIENCE;
        loop {
            // Not by `Watch`: to ask the server wakes one thread after the other, and none leaves.
            let threads = process::threads(peer.server.pid()).unwrap_or(0);
            if threads <= self.threads + THREADS_MORE {
                return None;
            }
            if Instant::now() > until {
                let names = process::threads_by_name(peer.server.pid());
                return Some(format!(
                    "{threads} threads are left where {} were: {names:?}",
                    self.threads
                ));
            }
            thread::sleep(LOOK_EVERY);
        }
    }
}
