//! Half of the source documents: one table of flights, ten queries, several stores.
//!
//! The lab makes the flights (`flights`), loads the same text into each contender, asks each the
//! queries in turn, round by round, and compares what they answer.

mod duckdb;
pub(super) mod flights;
mod queries;
pub(super) mod table;

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use self::duckdb::DuckDb;
use self::flights::Flights;
use self::queries::{Query, Rows};
use super::loading::DATABASE;
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, MariaDb, MariaDbSettings, Rowhouse, bytes_below};
use crate::plot::Drawing;
use crate::process;
use crate::protocols::mysql;
use crate::report::{Layout, Measurement, Report};

const COLUMNS: &str = "rowhouse columnar";
const ROWS: &str = "rowhouse rows";
const MARIADB: &str = "mariadb innodb";
const DUCKDB: &str = "duckdb";
/// What stands behind the names of queries that are asked after the changes.
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
pub struct Options {
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
    /// Then changes one flight in a hundred, removes another, and asks everything again.
    #[arg(long)]
    changed: bool,
}

/// Who answers.
enum Contender {
    Rowhouse(Rowhouse, mysql::Session),
    MariaDb(MariaDb, mysql::Session),
    DuckDb(DuckDb),
}

impl Contender {
    fn pid(&self) -> u32 {
        match self {
            Contender::Rowhouse(peer, _) => peer.server.pid(),
            Contender::MariaDb(peer, _) => peer.server.pid(),
            Contender::DuckDb(peer) => peer.pid(),
        }
    }

    fn ask(&mut self, sql: &str) -> Result<Rows> {
        let session = match self {
            Contender::Rowhouse(_, session) | Contender::MariaDb(_, session) => session,
            Contender::DuckDb(peer) => return peer.run(sql),
        };
        let text = |cell: Option<Vec<u8>>| cell.map(|cell| String::from_utf8_lossy(&cell).into());
        let rows = session.query(sql)?;
        Ok(rows.into_iter().map(|row| row.into_iter().map(text).collect()).collect())
    }

    /// Makes the table and loads the text.
    fn load(
        &mut self,
        options: &Options,
        engine: &str,
        flights: Flights,
        text: &Path,
    ) -> Result<()> {
        let (session, indexed) = match self {
            Contender::Rowhouse(_, session) | Contender::MariaDb(_, session) => {
                (session, options.indexed && !engine.contains("COLUMNAR"))
            }
            Contender::DuckDb(peer) => {
                peer.run(&table::create("", false))?;
                let text = text.display();
                let copy = format!(
                    "COPY ontime FROM '{text}' (DELIMITER '|', HEADER false, NULLSTR '\\N')"
                );
                peer.run(&copy)?;
                return peer.run("CHECKPOINT").map(drop);
            }
        };
        session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
        session.execute(&format!("USE {DATABASE}"))?;
        session.execute(&table::create(engine, indexed))?;
        let load =
            |from: &str| format!("LOAD DATA {from} INTO TABLE ontime FIELDS TERMINATED BY '|'");
        let rows = if options.local {
            session.load_data(&load("LOCAL INFILE 'f'"), pieces(text)?)?.0
        } else {
            session.execute(&load(&format!("INFILE '{}'", text.display())))?
        };
        ensure!(rows == flights.rows, "{rows} flights were loaded");
        Ok(())
    }
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<()> {
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
    let mut contenders: Vec<(&str, Contender)> = Vec::new();
    for name in [COLUMNS, ROWS, MARIADB, DUCKDB] {
        if common.wants(name) {
            let started = start(name, options, flights, &text, &mut report);
            contenders.extend(report.keep(name, started).map(|contender| (name, contender)));
        }
    }
    ask_all(&mut contenders, "", common, &mut report);
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
    report.compare(&[(COLUMNS, DUCKDB), (COLUMNS, MARIADB), (COLUMNS, ROWS)]);
    let drawing = Drawing::bars(&report, "queries per second", |window| window.rate);
    common.finish(&report, Layout::Requests, &drawing)
}

/// All queries in turn; `when` stands behind their names.
fn ask_all(contenders: &mut [(&str, Contender)], when: &str, common: &Common, report: &mut Report) {
    for query in queries::all() {
        let mode = format!("{}{when}", query.name);
        let mut expected = None;
        for round in 0..common.rounds {
            for (name, contender) in contenders.iter_mut() {
                let answered = ask(contender, &query, round, &mut expected);
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
fn note_changed(contenders: &[(&str, Contender)], report: &mut Report) {
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

/// The text's bytes, as a client sends them.
fn pieces(text: &Path) -> Result<impl Iterator<Item = Vec<u8>>> {
    const PIECE_BYTES: usize = 1 << 20;
    let mut file = File::open(text)?;
    Ok(std::iter::from_fn(move || {
        let mut piece = vec![0; PIECE_BYTES];
        // One that cannot be read on ends the text, and rows are missing.
        let bytes = file.read(&mut piece).ok()?;
        piece.truncate(bytes);
        (bytes > 0).then_some(piece)
    }))
}

fn start(
    name: &str,
    options: &Options,
    flights: Flights,
    text: &Path,
    report: &mut Report,
) -> Result<Contender> {
    let common = &options.common;
    let (mut contender, version, files): (Contender, String, Option<PathBuf>) = match name {
        COLUMNS | ROWS => {
            let mut settings = common.rowhouse(Durability::EveryCommit)?;
            let folder = text.parent().context("the folder of the text")?;
            settings.flags.push(format!("--files={}", folder.display()));
            let peer = Rowhouse::start(&settings)?;
            let (session, version) = (peer.session("")?, peer.version.clone());
            let files = peer.data_dir();
            (Contender::Rowhouse(peer, session), version, Some(files))
        }
        MARIADB => {
            let buffer_pool_mib = options.buffer_pool_mib;
            let settings =
                MariaDbSettings { buffer_pool_mib, flush_log: 1, handlersocket_threads: 1 };
            let peer = MariaDb::start(settings)?;
            let (session, version) = (peer.session("")?, peer.version.clone());
            let files = peer.server.dir().join("data").join(DATABASE);
            (Contender::MariaDb(peer, session), version, Some(files))
        }
        _ => {
            let peer = DuckDb::start(common.server_threads())?;
            let version = peer.version.clone();
            (Contender::DuckDb(peer), version, None)
        }
    };
    report.versions.insert(name.to_owned(), version);
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
    let bytes = match (&contender, files) {
        (Contender::DuckDb(peer), _) => peer.file_bytes(),
        (_, Some(files)) => bytes_below(&files),
        (_, None) => 0,
    };
    report.figures.insert(format!("{name}: MB on disk"), json!(bytes / 1_000_000));
    Ok(contender)
}

fn ask(
    contender: &mut Contender,
    query: &Query,
    round: usize,
    expected: &mut Option<Rows>,
) -> Result<Sample> {
    if round == 0 {
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
fn timed(contender: &mut Contender, sql: &str) -> Result<(Sample, Rows)> {
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
