//! Half of the source documents: one table of flights, ten queries, several stores.
//!
//! The lab makes the flights (`flights`), loads the same text into each contender, asks each the
//! queries in turn, round by round, and compares what they answer.

mod contender;
mod embedded;
pub(super) mod flights;
mod queries;
pub(super) mod table;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use self::contender::OntimeContender;
use self::embedded::Product;
use self::flights::Flights;
use self::queries::{Query, ResultCells};
use super::{Common, progress};
use crate::generator::Sample;
use crate::plot::Drawing;
use crate::process;
use crate::report::{Layout, Measurement, Report};

const COLUMNS: &str = "rowhouse columnar";
const ROWS: &str = "rowhouse rows";
const MARIADB: &str = "mariadb innodb";
const DUCKDB: &str = Product::DuckDb.name();
const MONETDB: &str = Product::MonetDb.name();
/// When queries are asked: what stands behind their names.
const WARM: &str = "";
/// The first time after a start, with nothing of the data in memory.
const COLD: &str = ", cold";
/// After the changes.
const CHANGED: &str = ", changed";
/// Changes of flights all over the table.
const CHANGES: [(&str, &str); 2] = [
    (
        "update of 1 %",
        "UPDATE ontime SET DepDelay = DepDelay + 1 WHERE (CRSDepTime * 31 + Distance) % 100 = 7",
    ),
    ("delete of 1 %", "DELETE FROM ontime WHERE (CRSDepTime * 31 + Distance) % 100 = 8"),
];

/// Options of `ontime`.
#[derive(Debug, Clone, Args)]
pub struct OntimeOptions {
    #[command(flatten)]
    common: Common,
    /// Flights.
    #[arg(long, default_value_t = 3_000_000)]
    flights: u64,
    /// MariaDB's buffer pool in MiB.
    #[arg(long, default_value_t = 2048)]
    buffer_pool_mib: u32,
    /// The documents' seven indexes on tables of rows.
    #[arg(long)]
    indexed: bool,
    /// Sends the text to the servers of SQL (LOAD DATA LOCAL), instead of letting them read the
    /// file as DuckDB does.
    #[arg(long)]
    local: bool,
    /// Then asks every query of servers that have just started, with the page cache dropped where
    /// that is allowed.
    #[arg(long)]
    cold: bool,
    /// Then changes one flight in a hundred, removes another, and asks everything again.
    #[arg(long)]
    changed: bool,
}

/// Runs the experiment.
pub fn run(options: &OntimeOptions) -> Result<()> {
    let common = &options.common;
    let flights = Flights { seed: common.seed, rows: options.flights };
    let mut report = Report::new("ontime");
    common.note(&mut report);
    report.setting("flights", options.flights);
    report.setting("indexes on tables of rows", if options.indexed { "seven" } else { "none" });
    report.setting("loads", if options.local { "LOAD DATA LOCAL" } else { "LOAD DATA INFILE" });
    report.setting("mariadb buffer pool", format!("{} MiB", options.buffer_pool_mib));
    let directory = tempfile::tempdir()?;
    let text = directory.path().join("flights.txt");
    write(flights, &text)?;
    let mut contenders: Vec<(&str, OntimeContender)> = Vec::new();
    for name in [COLUMNS, ROWS, MARIADB, DUCKDB, MONETDB] {
        if common.wants(name) {
            let started = start(name, options, flights, &text, &mut report);
            contenders.extend(report.keep(name, started).map(|contender| (name, contender)));
        }
    }
    ask_all(&mut contenders, WARM, common, &mut report);
    if options.cold {
        let dropped = if process::drop_page_cache() { "dropped" } else { "not allowed to drop" };
        report.setting("page cache before cold queries", dropped);
        ask_all(&mut contenders, COLD, common, &mut report);
    }
    if options.changed {
        for (name, contender) in &mut contenders {
            for (mode, sql) in CHANGES {
                let changed = timed(contender, sql).map(|(sample, _)| sample);
                let changed = report.keep(&format!("{name}, {mode}"), changed);
                let measured = changed.map(|sample| Measurement::new(mode, name, 0, 1, &sample));
                report.measurements.extend(measured);
            }
        }
        ask_all(&mut contenders, CHANGED, common, &mut report);
        note_changed(&contenders, &mut report);
    }
    let peers = [DUCKDB, MONETDB, MARIADB, ROWS];
    report.compare(&peers.map(|peer| (COLUMNS, peer)));
    let drawing = Drawing::bars(&report, "queries per second", |window| window.rate);
    common.finish(&report, Layout::Requests, &drawing)
}

/// All queries in turn; `when` stands behind their names.
fn ask_all(
    contenders: &mut [(&str, OntimeContender)],
    when: &str,
    common: &Common,
    report: &mut Report,
) {
    for query in queries::all() {
        let mode = format!("{}{when}", query.name);
        let mut expected = None;
        for round in 0..common.rounds {
            for (name, contender) in contenders.iter_mut() {
                let answered = ask(contender, &query, (when, round), &mut expected);
                let Some(sample) = report.keep(&format!("{name}, {mode}"), answered) else {
                    continue;
                };
                progress(&format!("{name}, {mode}: {:.1} ms", sample.seconds * 1e3));
                report.measurements.push(Measurement::new(&mode, name, round, 1, &sample));
            }
        }
    }
}

/// What the changes made of each query's time.
fn note_changed(contenders: &[(&str, OntimeContender)], report: &mut Report) {
    for (name, _) in contenders {
        let mut times = serde_json::Map::new();
        for query in queries::all() {
            let median = |mode: &str| report.spread(mode, name, |window| window.seconds).median;
            let (before, after) = (median(query.name), median(&format!("{}{CHANGED}", query.name)));
            if before > 0.0 {
                times
                    .insert(query.name.to_owned(), json!((after / before * 100.0).round() / 100.0));
            }
        }
        report
            .figures
            .insert(format!("{name}: time of queries, changed over before"), times.into());
    }
}

fn write(flights: Flights, text: &Path) -> Result<()> {
    let mut file = std::io::BufWriter::new(File::create(text)?);
    for chunk in flights.text() {
        file.write_all(&chunk)?;
    }
    file.flush().context("the text of the flights")
}

/// Starts one, and loads the text into it.
fn start(
    name: &str,
    options: &OntimeOptions,
    flights: Flights,
    text: &Path,
    report: &mut Report,
) -> Result<OntimeContender> {
    let folder = text.parent().context("the folder of the text")?;
    let mut contender = OntimeContender::start(name, options, folder)?;
    report.versions.insert(name.to_owned(), contender.version().to_owned());
    let engine = if name == COLUMNS { " ENGINE=COLUMNAR" } else { "" };
    let (cpu, began) = (process::cpu_seconds(contender.pid()).unwrap_or(0.0), Instant::now());
    contender.load(options, engine, flights, text)?;
    let mut sample = Sample::new();
    sample.seconds = began.elapsed().as_secs_f64();
    sample.server_cpu = process::cpu_seconds(contender.pid()).unwrap_or(0.0) - cpu;
    sample.server_rss = process::rss_peak(contender.pid()).unwrap_or(0);
    (sample.requests, sample.rows) = (1, flights.rows);
    progress(&format!("{name}: loaded in {:.1} s", sample.seconds));
    report.measurements.push(Measurement::new("load", name, 0, 1, &sample));
    let bytes = contender.disk_bytes();
    report.figures.insert(format!("{name}: MB on disk"), json!(bytes / 1_000_000));
    Ok(contender)
}

fn ask(
    contender: &mut OntimeContender,
    query: &Query,
    (when, round): (&str, usize),
    expected: &mut Option<ResultCells>,
) -> Result<Sample> {
    if when == COLD {
        contender.begin_again()?;
    } else if round == 0 {
        // Once to have in memory what it needs.
        contender.ask(&query.sql)?;
    }
    let (sample, rows) = timed(contender, &query.sql)?;
    match expected {
        Some(expected) => queries::check(query, expected, &rows)?,
        None => *expected = Some(rows),
    }
    Ok(sample)
}

/// One statement, its rows and what it cost.
fn timed(contender: &mut OntimeContender, sql: &str) -> Result<(Sample, ResultCells)> {
    let pid = contender.pid();
    let (cpu, began) = (process::cpu_seconds(pid).unwrap_or(0.0), Instant::now());
    let rows = contender.ask(sql)?;
    let took = began.elapsed();
    let mut sample = Sample::new();
    sample.count(took.as_nanos() as u64, rows.len() as u32);
    sample.seconds = took.as_secs_f64();
    sample.server_cpu = process::cpu_seconds(pid).unwrap_or(0.0) - cpu;
    sample.server_rss = process::rss_peak(pid).unwrap_or(0);
    Ok((sample, rows))
}
