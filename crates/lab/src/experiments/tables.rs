//! Many tables: create them, put a row into each, select from each once.
//!
//! The sixth source document had 450 creations a second, and selections 50 times slower with a
//! *larger* table cache. A table must cost the same when there are many: rates are given by tenths
//! of the way, and as the last tenth over the first.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::json;

use super::loading::DATABASE;
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, MariaDb, MariaDbSettings, Rowhouse};
use crate::plot::Drawing;
use crate::process;
use crate::protocols::mysql;
use crate::report::{Layout, Measurement, Report};

const ROWHOUSE: &str = "rowhouse";
const MARIADB: &str = "mariadb innodb";
const TENTHS: u32 = 10;

/// Options of `tables`.
#[derive(Debug, Clone, Args)]
pub struct TablesOptions {
    #[command(flatten)]
    common: Common,
    /// Tables in rowhouse.
    #[arg(long, default_value_t = 100_000)]
    tables: u32,
    /// Tables in MariaDB, where each is two files.
    #[arg(long, default_value_t = 1_000)]
    peer_tables: u32,
    /// Rowhouse's durability: every-commit, every-second, os.
    #[arg(long, default_value = "every-second")]
    durability: Durability,
    /// For a glance, of seconds: few tables.
    #[arg(long, conflicts_with_all = ["tables", "peer_tables"])]
    glance: bool,
}

impl TablesOptions {
    fn at_a_glance(&self) -> TablesOptions {
        let mut options = self.clone();
        if self.glance {
            (options.tables, options.peer_tables) = (1_000, 100);
        }
        options
    }
}

/// Runs the experiment (one round: later rounds would find the tables there).
pub fn run(options: &TablesOptions) -> Result<()> {
    let options = &options.at_a_glance();
    let common = &options.common;
    ensure!(options.tables >= TENTHS && options.peer_tables >= TENTHS, "at least ten tables");
    let mut report = Report::new("tables");
    common.note(&mut report);
    report.setting("rounds", 1);
    report.setting("tables in rowhouse", options.tables);
    report.setting("tables in mariadb", options.peer_tables);
    report.setting(
        "durability",
        format!(
            "rowhouse {}; mariadb innodb flush_log={}",
            options.durability.name(),
            options.durability.flush_log()
        ),
    );
    if common.wants(ROWHOUSE) {
        let outcome = by_rowhouse(options, &mut report);
        report.keep(ROWHOUSE, outcome);
    }
    if common.wants(MARIADB) {
        let outcome = by_mariadb(options, &mut report);
        report.keep(MARIADB, outcome);
    }
    report.compare(&[(ROWHOUSE, MARIADB)]);
    let drawing = Drawing::bars(&report, "statements per second", |window| window.rate);
    common.finish(&report, Layout::Requests, &drawing)
}

fn by_rowhouse(options: &TablesOptions, report: &mut Report) -> Result<()> {
    let peer = Rowhouse::start(&options.common.rowhouse(options.durability)?)?;
    report.versions.insert(ROWHOUSE.to_owned(), peer.version.clone());
    let session = &mut peer.session("")?;
    all_phases(session, ROWHOUSE, options.tables, peer.server.pid(), report)
}

fn by_mariadb(options: &TablesOptions, report: &mut Report) -> Result<()> {
    let flush_log = options.durability.flush_log();
    let settings = MariaDbSettings { buffer_pool_mib: 1024, flush_log, handlersocket_threads: 1 };
    let peer = MariaDb::start(settings)?;
    report.versions.insert(MARIADB.to_owned(), peer.version.clone());
    let session = &mut peer.session("")?;
    all_phases(session, MARIADB, options.peer_tables, peer.server.pid(), report)
}

fn all_phases(
    session: &mut mysql::MysqlSession,
    contender: &str,
    tables: u32,
    pid: u32,
    report: &mut Report,
) -> Result<()> {
    session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
    session.execute(&format!("USE {DATABASE}"))?;
    phase("create", contender, tables, pid, report, |number| {
        session.execute(&format!(
            "CREATE TABLE t{number} (id INT NOT NULL PRIMARY KEY, v VARCHAR(20))"
        ))?;
        Ok(true)
    })?;
    phase("insert one row", contender, tables, pid, report, |number| {
        Ok(session.execute(&format!("INSERT INTO t{number} VALUES ({number}, 'v{number}')"))? == 1)
    })?;
    phase("select *", contender, tables, pid, report, |number| {
        let rows = session.query(&format!("SELECT * FROM t{number}"))?;
        let (id, value) = (number.to_string(), format!("v{number}"));
        Ok(rows == [[Some(id.into_bytes()), Some(value.into_bytes())]])
    })?;
    let listed = session.number(&format!(
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '{DATABASE}'"
    ));
    let listed = listed.map_or_else(|error| json!(format!("{error:#}")), |count| json!(count));
    report.figures.insert(format!("{contender}: tables listed in information_schema"), listed);
    let mib = process::rss(pid).unwrap_or(0) >> 20;
    report.figures.insert(format!("{contender}: resident MiB at the end"), json!(mib));
    Ok(())
}

/// Does one statement per table, timed each and by tenths.
fn phase(
    mode: &str,
    contender: &str,
    tables: u32,
    pid: u32,
    report: &mut Report,
    mut statement: impl FnMut(u32) -> Result<bool>,
) -> Result<()> {
    let mut sample = Sample::new();
    let mut longest = Duration::ZERO;
    let cpu_before = process::cpu_seconds(pid).unwrap_or(0.0);
    let began = Instant::now();
    let mut tenths = Vec::new();
    for tenth in 0..TENTHS {
        let numbers = tables / TENTHS * tenth..tables / TENTHS * (tenth + 1);
        let count = numbers.len();
        let tenth_began = Instant::now();
        for number in numbers {
            let statement_began = Instant::now();
            let right = statement(number)?;
            let took = statement_began.elapsed();
            longest = longest.max(took);
            sample.count(took.as_nanos() as u64, 1);
            if !right {
                sample.wrong += 1;
                sample.note_bad("wrong", format!("{mode}, table t{number}").as_bytes());
            }
        }
        let rate = count as f64 / tenth_began.elapsed().as_secs_f64();
        progress(&format!("{contender}, {mode}, tenth {}: {rate:.0}/s", tenth + 1));
        tenths.push(rate.round());
    }
    sample.seconds = began.elapsed().as_secs_f64();
    // One statement after the other: the slowest is the longest pause.
    sample.pause.length = longest;
    sample.server_cpu = process::cpu_seconds(pid).unwrap_or(0.0) - cpu_before;
    sample.server_rss = process::rss_peak(pid).unwrap_or(0);
    let late_over_early = (tenths[tenths.len() - 1] / tenths[0] * 100.0).round() / 100.0;
    let name = |what: &str| format!("{contender}: {mode}, {what}");
    report.figures.insert(name("tables/s by tenths"), json!(tenths));
    report.figures.insert(name("last tenth over first"), json!(late_over_early));
    report.measurements.push(Measurement::new(mode, contender, 0, 1, &sample));
    Ok(())
}
