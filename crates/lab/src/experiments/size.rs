//! The flights of `ontime` with the documents' seven indexes: bytes on disk when they are loaded, and
//! how long the load took.
//!
//! Not here: queries on them (`ontime`).

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::json;

use super::loading::DATABASE;
use super::ontime::flights::Flights;
use super::ontime::table;
use super::timed::timed;
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
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Flights.
    #[arg(long, default_value_t = 3_000_000)]
    flights: u64,
    /// Memory of each server in MiB.
    #[arg(long, default_value_t = 1024)]
    memory_mib: u32,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("size");
    common.note(&mut report);
    report.setting("flights", options.flights);
    report.setting("memory of each server", format!("{} MiB", options.memory_mib));
    let settings = common.rowhouse(Durability::EveryCommit)?;
    let contenders = ENGINES.map(|engine| (engine, engine.name(), engine.clause()));
    let columnar = (Engine::Rowhouse, COLUMNS.0, COLUMNS.1);
    for round in 0..common.rounds {
        for (engine, name, clause) in contenders.into_iter().chain([columnar]) {
            if !common.wants(name) || report.not_run.contains_key(name) {
                continue;
            }
            let loaded = load(options, engine, clause, &settings);
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
    options: &Options,
    engine: Engine,
    clause: &str,
    settings: &RowhouseSettings,
) -> Result<(Sample, String, u64)> {
    let flights = Flights { seed: options.common.seed, rows: options.flights };
    let server = engine.start(settings, options.memory_mib)?;
    let mut session = server.session()?;
    session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
    session.execute(&format!("USE {DATABASE}"))?;
    session.execute(&table::create(clause, true))?;
    let (before, behind) = engine.around_load();
    let sample = timed(server.pid(), |sample| {
        before.iter().try_for_each(|sql| session.execute(sql).map(drop))?;
        let sql = "LOAD DATA LOCAL INFILE 'f' INTO TABLE ontime FIELDS TERMINATED BY '|'";
        let (rows, info) = session.load_data(sql, flights.text())?;
        ensure!(rows == options.flights, "{rows} flights were loaded: {info}");
        behind.iter().try_for_each(|sql| session.execute(sql).map(drop))?;
        (sample.requests, sample.rows) = (rows, rows);
        Ok(())
    })?;
    let counted = session.number("SELECT COUNT(*) FROM ontime")?;
    ensure!(counted == options.flights, "{counted} flights are there");
    Ok((sample, server.version().to_owned(), bytes_below(&server.files_of(DATABASE))))
}
