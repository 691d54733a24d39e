//! Live: an analytic query over rows that clients change all the time, by row and by a columnar
//! index, and what the index costs these clients.
//!
//! ```text
//! two Rowhouse servers with sysbench's table, one has a columnar index on it
//!   the query while nobody writes; then beside 64 threads of oltp_update_index
//!   oltp_write_only, in turn
//! ```
//! Asked: beside writers the query is 10 times as fast by column, and exact at its snapshot; the
//! writers lose 15% at most. Exact means: within one transaction the index and the rows give the
//! same sums.
//!
//! Not here: running sysbench (`sysbench`).

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;

use super::sysbench::{DATABASE, Tables, version};
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, Engine, EngineServer};
use crate::plot::Drawing;
use crate::process;
use crate::protocols::mysql::MysqlSession;
use crate::report::{Layout, Measurement, Report};

const BY_ROW: &str = "rowhouse by row";
const BY_COLUMN: &str = "rowhouse by column";
/// What the query asks of the table, behind which a hint may stand.
const QUERY: &str = "SELECT COUNT(*), SUM(k), MIN(k), MAX(k) FROM sbtest1";
/// Queries of one window.
const QUERIES_MIN: u64 = 5;

/// Options of `live`.
#[derive(Debug, Clone, Args)]
pub struct LiveOptions {
    #[command(flatten)]
    common: Common,
    /// Rows.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    /// Threads that write beside the query.
    #[arg(long, default_value_t = 64)]
    writers: usize,
    /// Threads of oltp_write_only.
    #[arg(long, default_value_t = 16)]
    threads: usize,
    /// Durability.
    #[arg(long, default_value = "every-second")]
    durability: Durability,
    /// Memory for each server, in MiB.
    #[arg(long, default_value_t = 1024)]
    memory_mib: u32,
}

impl LiveOptions {
    fn tables(&self) -> Tables {
        Tables { count: 1, rows: self.rows, seed: self.common.seed }
    }
}

/// Runs the experiment.
pub fn run(options: &LiveOptions) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("live");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("writers beside the query", options.writers);
    report.setting("durability", options.durability.name());
    report.versions.insert("sysbench".to_owned(), version()?);
    let mut servers = Vec::new();
    for name in [BY_ROW, BY_COLUMN] {
        let started = start(name, options);
        servers.extend(report.keep(name, started).map(|server| (name, server)));
    }
    for (mode, writers) in [("query alone", 0), ("query beside writers", options.writers)] {
        for round in 0..common.rounds {
            for (name, server) in &servers {
                let window = queries(server, writers, options);
                let Some(sample) = report.keep(&format!("{name}, {mode}"), window) else {
                    continue;
                };
                let measured = Measurement::new(mode, name, round, 1, &sample);
                progress(&format!("{name}, {mode}: {:.1} ms", measured.p50_us / 1e3));
                report.measurements.push(measured);
            }
        }
    }
    for round in 0..common.rounds {
        for (name, server) in &servers {
            let (mode, threads) = ("oltp_write_only", options.threads);
            let window = options.tables().run(server, mode, threads, common.seconds);
            let Some((sample, _)) = report.keep(&format!("{name}, {mode}"), window) else {
                continue;
            };
            let measured = Measurement::new(mode, name, round, threads, &sample);
            progress(&format!("{name}, {mode}: {:.0}/s", measured.rate));
            report.measurements.push(measured);
        }
    }
    report.compare(&[(BY_COLUMN, BY_ROW)]);
    let drawing = Drawing::bars(&report, "median ms", |window| window.p50_us / 1e3);
    common.finish(&report, Layout::Requests, &drawing)
}

fn session(server: &EngineServer) -> Result<MysqlSession> {
    let mut session = server.session()?;
    session.execute(&format!("USE {DATABASE}"))?;
    Ok(session)
}

/// A server with the table; `k` has no index of rows, which would hold all that the query asks.
fn start(name: &str, options: &LiveOptions) -> Result<EngineServer> {
    let (durability, memory_mib) = (options.durability, options.memory_mib);
    let server = options.common.engine(Engine::Rowhouse, durability, memory_mib)?;
    options.tables().prepare(&server, "oltp_update_index")?;
    let mut session = session(&server)?;
    session.execute("ALTER TABLE sbtest1 DROP INDEX k_1")?;
    if name == BY_COLUMN {
        session.execute("ALTER TABLE sbtest1 ADD COLUMNAR INDEX by_column (k)")?;
    }
    progress(&format!("{name}: {} rows are there", options.rows));
    Ok(server)
}

/// Queries for a window, beside so many writers.
fn queries(server: &EngineServer, writers: usize, options: &LiveOptions) -> Result<Sample> {
    let seconds = options.common.seconds.ceil().max(1.0);
    thread::scope(|scope| {
        let tables = options.tables();
        let writing = (writers > 0).then(|| {
            scope.spawn(move || tables.run(server, "oltp_update_index", writers, seconds + 2.0))
        });
        let mut sample = Sample::new();
        let outcome = query_for(server, writing.is_some(), seconds, &mut sample);
        if let Some(writing) = writing {
            let written = writing.join().map_err(|_| anyhow::anyhow!("the writers panicked"))?;
            let (written, _) = written.context("the writers")?;
            ensure!(written.requests > 0, "nobody wrote beside the query");
        }
        outcome.map(|()| sample)
    })
}

fn query_for(
    server: &EngineServer,
    beside_writers: bool,
    seconds: f64,
    sample: &mut Sample,
) -> Result<()> {
    let mut session = session(server)?;
    if beside_writers {
        // They connect and begin.
        thread::sleep(Duration::from_secs(1));
    }
    session.query(QUERY)?;
    let cpu = || process::cpu_seconds(server.pid()).unwrap_or(0.0);
    let (before, began) = (cpu(), std::time::Instant::now());
    while sample.requests < QUERIES_MIN || began.elapsed().as_secs_f64() < seconds {
        let asked = std::time::Instant::now();
        session.query(QUERY)?;
        sample.count(asked.elapsed().as_nanos() as u64, 1);
    }
    sample.seconds = began.elapsed().as_secs_f64();
    sample.server_cpu = cpu() - before;
    sample.server_rss = process::rss_peak(server.pid()).unwrap_or(0);
    // One snapshot, both ways.
    session.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")?;
    let planned = session.query(QUERY)?;
    let by_row = session.query(&format!("{QUERY} IGNORE INDEX (by_column)"));
    session.execute("COMMIT")?;
    // The server without the index refuses its name.
    if let Ok(by_row) = by_row
        && planned != by_row
    {
        sample.wrong += 1;
        sample.note_bad(
            "sums by column and by row differ",
            format!("{planned:?} {by_row:?}").as_bytes(),
        );
    }
    Ok(())
}
