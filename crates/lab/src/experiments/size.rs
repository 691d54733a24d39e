//! The flights of `ontime` with the documents' seven indexes: bytes on disk when they are loaded,
//! and how long the load took.
//!
//! Not here: queries on them (`ontime`).

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::loading::{DATABASE, FIELDS, TableLoad};
use super::memory_limit::{GroupOption, MemoryLimit};
use super::ontime::flights::Flights;
use super::ontime::table;
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, Engine, RowhouseSettings, bytes_below};
use crate::plot::Drawing;
use crate::report::{Layout, Measurement, Report};

const MODE: &str = "flights with seven indexes, LOAD DATA LOCAL";
/// Columns of Rowhouse's, too: the name, and what stands behind its CREATE TABLE.
const COLUMNS: (&str, &str) = ("rowhouse columnar", " ENGINE=COLUMNAR");
const ENGINES: [Engine; 4] = [Engine::Rowhouse, Engine::InnoDb, Engine::MyRocks, Engine::MyIsam];

/// Options of `size`.
#[derive(Debug, Clone, Args)]
pub struct SizeOptions {
    #[command(flatten)]
    common: Common,
    /// Flights.
    #[arg(long, default_value_t = 3_000_000)]
    flights: u64,
    /// Memory of each server in MiB; in a group it is half of that.
    #[arg(long, default_value_t = 1024)]
    memory_mib: u32,
    #[command(flatten)]
    group: GroupOption,
}

/// Runs the experiment.
pub fn run(options: &SizeOptions) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("size");
    common.note(&mut report);
    report.setting("flights", options.flights);
    let limit = options.group.limit(options.memory_mib, &mut report)?;
    let settings = common.rowhouse(Durability::EveryCommit)?;
    let contenders = ENGINES.map(|engine| (engine, engine.name(), engine.clause()));
    let columnar = (Engine::Rowhouse, COLUMNS.0, COLUMNS.1);
    for round in 0..common.rounds {
        for (engine, name, clause) in contenders.into_iter().chain([columnar]) {
            if !common.wants(name) || report.not_run.contains_key(name) {
                continue;
            }
            let loaded = load(options, engine, clause, &settings, limit);
            if let Some((sample, version, bytes)) = report.keep(name, loaded) {
                let megabytes = bytes / 1_000_000;
                progress(&format!("{name}: {megabytes} MB, loaded in {:.1} s", sample.seconds));
                report.versions.insert(name.to_owned(), version);
                report.measurements.push(Measurement::new(MODE, name, round, 1, &sample));
                let figure = json!({
                    "MB on disk": bytes as f64 / 1e6,
                    "bytes a flight": bytes as f64 / options.flights as f64,
                });
                report.figures.insert(format!("{name}, round {round}"), figure);
            }
        }
    }
    let others = [Engine::InnoDb, Engine::MyRocks, Engine::MyIsam];
    report.compare(&others.map(|other| (Engine::Rowhouse.name(), other.name())));
    let drawing = Drawing::bars(&report, "flights per second", |window| window.rows_rate);
    common.finish(&report, Layout::Rows, &drawing)
}

/// Loads into a fresh server; what that took, its version, and bytes on disk afterwards.
fn load(
    options: &SizeOptions,
    engine: Engine,
    clause: &str,
    settings: &RowhouseSettings,
    limit: MemoryLimit,
) -> Result<(Sample, String, u64)> {
    let flights = Flights { seed: options.common.seed, rows: options.flights };
    let server = engine.start(settings, limit.settings(Durability::EveryCommit, 1)?)?;
    let mut session = server.session()?;
    let load = TableLoad {
        table: "ontime",
        create: &table::create(clause, true),
        fields: FIELDS,
        rows: options.flights,
    };
    let sample = load.timed(&server, &mut session, flights.text())?;
    Ok((sample, server.version().to_owned(), bytes_below(&server.files_of(DATABASE))))
}
