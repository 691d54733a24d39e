//! What is measured at the wall: a server, or a program that has a library inside.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::{RequestKind, WallOptions};
use crate::generator::Sample;
use crate::process;

/// After a load or a window, its own work is awaited: until it takes less than this part of a core,
/// but not for longer than this.
const CALM_CORES: f64 = 0.05;
const CALM_SECONDS_MAX: f64 = 10.0;
const CALM_LOOK: Duration = Duration::from_millis(250);

/// What a window gave.
pub struct WindowOutcome {
    /// Counts and latencies.
    pub sample: Sample,
    /// Connections that asked.
    pub connections: usize,
    /// Answers in each second from the start of the warm-up on.
    pub seconds: Vec<u64>,
    /// Reads that missed a change acknowledged before.
    pub stale: u64,
}

/// One of those who are measured, with the rows that it has so far.
pub trait WallContender {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// Its version.
    fn version(&self) -> &str;

    /// Its process.
    fn pid(&self) -> u32;

    /// Bytes of its files.
    fn disk_bytes(&self) -> u64;

    /// Loads rows until there are so many players and as many accounts.
    fn grow(&mut self, rows: u32) -> Result<()>;

    /// One window.
    fn window(
        &mut self,
        load: RequestKind,
        seed: u64,
        options: &WallOptions,
    ) -> Result<WindowOutcome>;

    /// Reads every changed player back; gives how many they are.
    ///
    /// # Errors
    /// What is there differs from what was acknowledged, or cannot be read.
    fn verify(&mut self) -> Result<u64>;

    /// Waits until it has little to do by itself; gives the seconds.
    fn calm_down(&self) -> f64 {
        let began = Instant::now();
        let spent = || process::cpu_seconds(self.pid()).unwrap_or(0.0);
        while began.elapsed().as_secs_f64() < CALM_SECONDS_MAX {
            let (from, before) = (Instant::now(), spent());
            std::thread::sleep(CALM_LOOK);
            if (spent() - before) / from.elapsed().as_secs_f64() < CALM_CORES {
                break;
            }
        }
        began.elapsed().as_secs_f64()
    }
}
