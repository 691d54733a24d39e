//! A small and a large row cache, side by side: the same uniform look-ups, on data that fits in
//! both and on data that fits in the larger only. A bigger setting must never be slower.

use anyhow::{Result, ensure};
use clap::Args;

use super::Common;
use super::fleet::*;
use super::rounds::{MODES, Mode, measure, read_all};
use crate::plot::Drawing;
use crate::report::{Layout, Report};
use crate::users::Users;

/// Name of the contender, and the memory setting that gives a row cache of that size: a quarter.
const SIZES: [(&str, &str); 2] = [(SMALL, "256MiB"), (LARGE, "4GiB")];
const SMALL: &str = "row cache of 64 MiB";
const LARGE: &str = "row cache of 1 GiB";

/// Options of `cache`.
#[derive(Debug, Clone, Args)]
pub struct CacheOptions {
    #[command(flatten)]
    common: Common,
    /// Rows that fit in both caches.
    #[arg(long, default_value_t = 200_000)]
    rows: u32,
    /// Rows that fit in the larger cache only.
    #[arg(long, default_value_t = 1_500_000)]
    many_rows: u32,
    /// Connections.
    #[arg(long, default_value_t = 64)]
    connections: usize,
}

/// Runs the experiment.
pub fn run(options: &CacheOptions) -> Result<()> {
    let common = &options.common;
    ensure!(options.rows >= 100 && options.many_rows >= 100, "a batch takes 100 different rows");
    let mut report = Report::new("cache");
    common.note(&mut report);
    report.setting("rows", format!("{}, {}", options.rows, options.many_rows));
    report.setting("connections", options.connections);
    report.setting("door", ROWHOUSE_HANDLERSOCKET);
    report.setting("rowhouse memory", SIZES.map(|(_, memory)| memory).join(", "));
    for rows in [options.rows, options.many_rows] {
        one_table(options, Users { seed: common.seed, rows }, &mut report);
    }
    report.compare(&[(LARGE, SMALL)]);
    let drawing = Drawing::bars(&report, "requests per second", |window| window.rate);
    common.finish(&report, Layout::Requests, &drawing)
}

/// Both caches in turn on one number of rows.
fn one_table(options: &CacheOptions, users: Users, report: &mut Report) {
    let common = &options.common;
    let settings = FleetSettings::new(None, users);
    let mut fleets = Vec::new();
    for (name, memory) in SIZES {
        if common.wants(name) {
            let only = vec![ROWHOUSE_HANDLERSOCKET.to_owned()];
            let its = Common { memory: memory.to_owned(), only, ..common.clone() };
            fleets.push((name, Fleet::start(&its, &settings, report)));
        }
    }
    let mut readers = Vec::new();
    for (name, fleet) in &fleets {
        let door = fleet.readers().into_iter().find(|door| door.name == ROWHOUSE_HANDLERSOCKET);
        readers.extend(door.map(|door| Readable { name, ..door }));
    }
    read_all(&readers, users, &format!(", {} rows", users.rows), common, report);
    let modes = MODES.map(|mode| {
        let name = format!("{} rows, {}", users.rows, mode.name).into();
        Mode { name, ..mode }
    });
    measure(&readers, &modes, users, options.connections, common, report);
}
