//! Many idle connections: 10,000 that say nothing next to 64 that work.
//!
//! The busy ones must hardly notice, and an idle one must cost little memory. Windows alternate:
//! without the idle connections, with them.

use std::borrow::Cow;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use super::fleet::*;
use super::rounds::{Mode, one_turn, read_all};
use super::{Common, progress};
use crate::machine::raise_file_limit;
use crate::plot::Drawing;
use crate::process;
use crate::report::{Layout, Report};
use crate::users::Users;

const ALONE: Mode = Mode { name: Cow::Borrowed("busy alone"), depth: 1, batch: 1 };
const BESIDE: Mode = Mode { name: Cow::Borrowed("busy beside idle"), depth: 1, batch: 1 };
/// The servers compared: those that are meant for many connections.
const NAMES: [&str; 5] =
    [MEMCACHED, REDIS, MARIADB_HANDLERSOCKET, ROWHOUSE_HANDLERSOCKET, ROWHOUSE_MEMCACHED];
/// Files that the lab and each server need besides the idle connections.
const OTHER_FILES: u64 = 2_000;

/// Options of `idle`.
#[derive(Debug, Clone, Args)]
pub struct IdleOptions {
    #[command(flatten)]
    common: Common,
    /// Rows in the table.
    #[arg(long, default_value_t = 100_000)]
    rows: u32,
    /// Busy connections.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Idle connections.
    #[arg(long, default_value_t = 10_000)]
    idle: usize,
}

/// Runs the experiment.
pub fn run(options: &IdleOptions) -> Result<()> {
    let common = &options.common;
    // Servers inherit the limit, so it is raised before any starts.
    raise_file_limit(options.idle as u64 + OTHER_FILES)?;
    let users = Users { seed: common.seed, rows: options.rows };
    let mut report = Report::new("idle");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("busy connections", options.connections);
    report.setting("idle connections", options.idle);
    let settings = FleetSettings::new(None, users);
    let fleet = Fleet::start(common, &settings, &mut report);
    let takes_part = |reader: &Readable<'_>| NAMES.contains(&reader.name);
    let readers: Vec<Readable<'_>> = fleet.readers().into_iter().filter(takes_part).collect();
    read_all(&readers, users, "", common, &mut report);
    for round in 0..common.rounds {
        for reader in readers.iter().filter(|reader| common.wants(reader.name)) {
            if report.not_run.contains_key(reader.name) {
                continue;
            }
            let windows = both_windows(reader, options, users, round, &mut report);
            report.keep(reader.name, windows);
        }
    }
    for name in NAMES {
        let rate = |mode: Mode| report.spread(&mode.name, name, |window| window.rate).median;
        let (alone, beside) = (rate(ALONE), rate(BESIDE));
        if alone > 0.0 && beside > 0.0 {
            let ratio = (beside / alone * 1000.0).round() / 1000.0;
            report
                .figures
                .insert(format!("{name}: throughput beside idle over alone"), json!(ratio));
        }
    }
    let drawing = Drawing::bars(&report, "requests per second", |window| window.rate);
    common.finish(&report, Layout::Requests, &drawing)
}

fn both_windows(
    reader: &Readable<'_>,
    options: &IdleOptions,
    users: Users,
    round: usize,
    report: &mut Report,
) -> Result<()> {
    let (common, busy) = (&options.common, options.connections);
    report.measurements.push(one_turn(reader, &ALONE, users, busy, common, round)?);
    let before = process::rss(reader.pid).unwrap_or(0);
    let mut idle = Vec::with_capacity(options.idle);
    for _ in 0..options.idle {
        idle.push((reader.connect)(1).context("opening an idle connection")?.1);
    }
    let bytes = process::rss(reader.pid).unwrap_or(0).saturating_sub(before);
    let per_connection = bytes / options.idle.max(1) as u64;
    if round == 0 {
        // Later rounds may find memory that the first one's connections left behind.
        let name = format!("{}: resident bytes per idle connection", reader.name);
        report.figures.insert(name, json!(per_connection));
    }
    let measurement = one_turn(reader, &BESIDE, users, busy, common, round)?;
    progress(&format!(
        "{}, round {round}: {:.0}/s beside {} idle, {per_connection} bytes each",
        reader.name, measurement.rate, options.idle
    ));
    report.measurements.push(measurement);
    Ok(())
}
