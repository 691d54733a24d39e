//! Indexing: ADD INDEX on a large table, alone and while clients write to it.
//!
//! ```text
//! sysbench's table without an index
//!   ADD INDEX (k), which is an integer; dropped
//!   ADD INDEX (c), which is a text of 120 characters; dropped
//!   clients that change `k` of rows by key: their rate alone, then during ADD INDEX (k)
//! ```
//! Each begins when the server rests: what loads and writers have left to be done (compactions,
//! pages to be written) is done then.
//!
//! Asked: three times as fast as InnoDB, and the clients keep half of their rate. The index must
//! hold every row, and those that were changed meanwhile with their last value.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use super::sysbench::{DATABASE, Tables, version};
use super::timed::timed;
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, Engine, EngineServer};
use crate::plot::Drawing;
use crate::process::await_rest;
use crate::protocols::mysql::MysqlSession;
use crate::report::{Layout, Measurement, Report};
use crate::users::mix;

/// How long a server may need until it rests.
const REST: Duration = Duration::from_secs(60);
const ENGINES: [Engine; 2] = [Engine::Rowhouse, Engine::InnoDb];
/// What every changed row has in `k`: more than sysbench puts there.
const CHANGED: u64 = 1 << 30;

/// Options of `indexing`.
#[derive(Debug, Clone, Args)]
pub struct IndexingOptions {
    #[command(flatten)]
    common: Common,
    /// Rows.
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    /// Clients that write beside.
    #[arg(long, default_value_t = 8)]
    writers: usize,
    /// Durability: rowhouse's policy, or what comes nearest in InnoDB.
    #[arg(long, default_value = "every-second")]
    durability: Durability,
    /// Memory for each server's caches, in MiB.
    #[arg(long, default_value_t = 1024)]
    memory_mib: u32,
}

/// Runs the experiment.
pub fn run(options: &IndexingOptions) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("indexing");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("writers beside", options.writers);
    report.setting("durability", options.durability.name());
    report.setting("caches in MiB", options.memory_mib);
    report.versions.insert("sysbench".to_owned(), version()?);
    // One after the other: two large tables at once would share the page cache.
    for engine in ENGINES.iter().filter(|engine| common.wants(engine.name())) {
        let outcome = one_engine(*engine, options, &mut report);
        report.keep(engine.name(), outcome);
    }
    report.compare(&[(Engine::Rowhouse.name(), Engine::InnoDb.name())]);
    let drawing = Drawing::bars(&report, "rows per second", |window| window.rows_rate);
    common.finish(&report, Layout::Rows, &drawing)
}

fn one_engine(engine: Engine, options: &IndexingOptions, report: &mut Report) -> Result<()> {
    let common = &options.common;
    let name = engine.name();
    let server = common.engine(engine, options.durability, options.memory_mib)?;
    report.versions.insert(name.to_owned(), server.version().to_owned());
    let tables = Tables { count: 1, rows: options.rows, seed: common.seed };
    tables.prepare(&server, "oltp_update_index")?;
    let mut session = open(&server)?;
    session.execute("ALTER TABLE sbtest1 DROP INDEX k_1")?;
    progress(&format!("{name}: {} rows are there", options.rows));
    for round in 0..common.rounds {
        for column in ["k", "c"] {
            let sample = add_index(&server, &mut session, column, options)?;
            keep(&format!("ADD INDEX ({column})"), name, round, &sample, report);
        }
        let (sample, alone, beside) = add_index_beside(&server, &mut session, round, options)?;
        keep("ADD INDEX (k) beside writers", name, round, &sample, report);
        progress(&format!("{name}: writers {alone:.0}/s alone, {beside:.0}/s beside"));
        let part = (beside / alone.max(1.0) * 100.0).round() / 100.0;
        let figures = json!({ "alone": alone, "beside": beside, "part": part });
        report.figures.insert(format!("{name}, round {round}: writers' rate"), figures);
    }
    Ok(())
}

fn keep(mode: &str, name: &str, round: usize, sample: &Sample, report: &mut Report) {
    let measured = Measurement::new(mode, name, round, 1, sample);
    let (seconds, cpu) = (sample.seconds, sample.server_cpu);
    progress(&format!("{name}, {mode}, round {round}: {seconds:.2} s, {cpu:.1} s of CPU"));
    report.measurements.push(measured);
}

fn open(server: &EngineServer) -> Result<MysqlSession> {
    let mut session = server.session()?;
    session.execute(&format!("USE {DATABASE}"))?;
    Ok(session)
}

/// One ADD INDEX; the index is looked at, and dropped.
fn add_index(
    server: &EngineServer,
    session: &mut MysqlSession,
    column: &str,
    options: &IndexingOptions,
) -> Result<Sample> {
    await_rest(server.pid(), REST);
    let sample = timed(server.pid(), |sample| {
        let began = Instant::now();
        session.execute(&format!("ALTER TABLE sbtest1 ADD INDEX added ({column})"))?;
        sample.count(began.elapsed().as_nanos() as u64, options.rows);
        Ok(())
    })?;
    let there = format!("SELECT COUNT({column}) FROM sbtest1 FORCE INDEX (added)");
    let there = session.number(&there)?;
    ensure!(there == u64::from(options.rows), "{there} rows are in the index");
    session.execute("ALTER TABLE sbtest1 DROP INDEX added")?;
    Ok(sample)
}

/// The same beside writers; what it took, and their rate before and meanwhile.
fn add_index_beside(
    server: &EngineServer,
    session: &mut MysqlSession,
    round: usize,
    options: &IndexingOptions,
) -> Result<(Sample, f64, f64)> {
    let (over, written) = (AtomicBool::new(false), AtomicU64::new(0));
    let count = || written.load(Ordering::Relaxed);
    let sums = "SELECT SUM(k) FROM sbtest1";
    await_rest(server.pid(), REST);
    thread::scope(|scope| {
        let mut writers = Vec::new();
        for number in 0..options.writers as u64 {
            let seed = options.common.seed ^ ((round as u64) << 50) ^ (number << 40);
            let (over, written) = (&over, &written);
            writers.push(scope.spawn(move || change(server, seed, over, written, options)));
        }
        let outcome = (|| {
            // They connect and begin.
            thread::sleep(Duration::from_secs(1));
            let (before, began) = (count(), Instant::now());
            thread::sleep(Duration::from_secs_f64(options.common.seconds));
            let alone = (count() - before) as f64 / began.elapsed().as_secs_f64();
            let before = count();
            let sample = timed(server.pid(), |sample| {
                let began = Instant::now();
                session.execute("ALTER TABLE sbtest1 ADD INDEX added (k)")?;
                sample.count(began.elapsed().as_nanos() as u64, options.rows);
                Ok(())
            })?;
            let beside = (count() - before) as f64 / sample.seconds;
            Ok((sample, alone, beside))
        })();
        over.store(true, Ordering::Relaxed);
        for writer in writers {
            writer.join().ok().context("a writer")??;
        }
        let by_index = session.number(&format!("{sums} FORCE INDEX (added) WHERE k > 0"))?;
        let by_row = session.number(&format!("{sums} FORCE INDEX (PRIMARY) WHERE id > 0"))?;
        ensure!(by_index == by_row, "sums of k: {by_index} by the index, {by_row} by rows");
        session.execute("ALTER TABLE sbtest1 DROP INDEX added")?;
        outcome
    })
}

/// A client that changes `k` of one row after the other.
fn change(
    server: &EngineServer,
    seed: u64,
    over: &AtomicBool,
    written: &AtomicU64,
    options: &IndexingOptions,
) -> Result<()> {
    let mut session = open(server)?;
    let mut number = 0;
    while !over.load(Ordering::Relaxed) {
        number += 1;
        let dice = mix(seed ^ number);
        let (id, k) = (1 + dice % u64::from(options.rows), CHANGED + dice % CHANGED);
        session.execute(&format!("UPDATE sbtest1 SET k = {k} WHERE id = {id}"))?;
        written.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}
