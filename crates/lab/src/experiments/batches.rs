//! Batches: INSERT of 100 rows a statement, each statement a transaction, as text and prepared.
//!
//! Rows have five columns and about 80 bytes, keys come by AUTO_INCREMENT, as imports, queues and
//! logs of applications write them. Every row that was acknowledged is counted at the end.
//!
//! Not here: loads in one statement (`load`), batches with many indexes (`iibench`).

use std::fmt::Write;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;

use super::loading::DATABASE;
use super::timed::timed;
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, Engine, EngineServer};
use crate::plot::Drawing;
use crate::protocols::mysql::{MysqlSession, MysqlValue, Statement};
use crate::report::{Layout, Measurement, Report};
use crate::users::mix;

const ENGINES: [Engine; 2] = [Engine::Rowhouse, Engine::InnoDb];
const COLUMNS: &str = "account INT NOT NULL, at DATETIME NOT NULL, \
                       name VARCHAR(40) NOT NULL, note VARCHAR(80) NOT NULL";
const INSERT: &str = "INSERT INTO entries (account, at, name, note) VALUES ";

/// Options of `batches`.
#[derive(Debug, Clone, Args)]
pub struct BatchesOptions {
    #[command(flatten)]
    common: Common,
    /// Rows of a statement.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    batch: u16,
    /// Connections.
    #[arg(long, default_value_t = 8)]
    connections: usize,
    /// Whether the table has a second index, on `account`.
    #[arg(long)]
    indexed: bool,
    /// Durability: rowhouse's policy, or what comes nearest in InnoDB.
    #[arg(long, default_value = "every-commit")]
    durability: Durability,
    /// Memory for each server's caches, in MiB.
    #[arg(long, default_value_t = 1024)]
    memory_mib: u32,
}

/// How a statement is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Text,
    Prepared,
}

/// Runs the experiment.
pub fn run(options: &BatchesOptions) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("batches");
    common.note(&mut report);
    report.setting("rows of a statement", options.batch);
    report.setting("connections", options.connections);
    report.setting("second index", options.indexed);
    report.setting("durability", options.durability.name());
    report.setting("caches in MiB", options.memory_mib);
    let (durability, memory_mib) = (options.durability, options.memory_mib);
    let servers = common.engines(&ENGINES, durability, memory_mib, &mut report);
    for (way, mode) in [(Way::Text, "text"), (Way::Prepared, "prepared")] {
        for round in 0..common.rounds {
            for server in &servers {
                let name = server.engine().name();
                let window = one_window(server, way, options);
                let Some(sample) = report.keep(&format!("{name}, {mode}"), window) else {
                    continue;
                };
                let measured = Measurement::new(mode, name, round, options.connections, &sample);
                let (rate, cpu) = (measured.rows_rate, sample.server_cpu * 1e6);
                let cpu = cpu / sample.rows.max(1) as f64;
                progress(&format!("{name}, {mode}: {rate:.0} rows/s, {cpu:.2} us CPU a row"));
                report.measurements.push(measured);
            }
        }
    }
    report.compare(&[(Engine::Rowhouse.name(), Engine::InnoDb.name())]);
    let drawing = Drawing::bars(&report, "rows per second", |window| window.rows_rate);
    common.finish(&report, Layout::Rows, &drawing)
}

/// A new table, filled for a window.
fn one_window(server: &EngineServer, way: Way, options: &BatchesOptions) -> Result<Sample> {
    let mut session = server.session()?;
    session.execute(&format!("CREATE DATABASE IF NOT EXISTS {DATABASE}"))?;
    session.execute(&format!("USE {DATABASE}"))?;
    session.execute("DROP TABLE IF EXISTS entries")?;
    let index = if options.indexed { ", KEY (account)" } else { "" };
    session.execute(&format!(
        "CREATE TABLE entries (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, \
         {COLUMNS}{index}){}",
        server.engine().clause()
    ))?;
    let port = server.mysql_port()?;
    let sample = timed(server.pid(), |sample| {
        let until = Instant::now() + Duration::from_secs_f64(options.common.seconds);
        let samples = thread::scope(|scope| {
            let write = |number| move || writer(port, number, way, until, options);
            let writers: Vec<_> =
                (0..options.connections as u64).map(|number| scope.spawn(write(number))).collect();
            let ended = writers.into_iter().map(|writer| writer.join().ok().context("a writer")?);
            ended.collect::<Result<Vec<Sample>>>()
        })?;
        samples.into_iter().for_each(|each| sample.merge(each));
        Ok(())
    })?;
    let counted = session.number("SELECT COUNT(*) FROM entries")?;
    ensure!(counted == sample.rows, "{counted} rows are there, {} acknowledged", sample.rows);
    Ok(sample)
}

/// One connection's statements.
fn writer(
    port: u16,
    number: u64,
    way: Way,
    until: Instant,
    options: &BatchesOptions,
) -> Result<Sample> {
    let mut session = MysqlSession::connect(port, DATABASE)?;
    let batch = usize::from(options.batch);
    let mut prepared = match way {
        Way::Text => None,
        Way::Prepared => {
            let places = vec!["(?,?,?,?)"; batch].join(",");
            Some(Statement::prepare(&mut session, &format!("{INSERT}{places}"))?)
        }
    };
    let mut sample = Sample::new();
    let mut text = String::new();
    let mut seed = options.common.seed ^ (number << 40);
    while Instant::now() < until {
        let rows: Vec<Entry> = (0..batch).map(|row| Entry::new(mix(seed ^ row as u64))).collect();
        seed += batch.next_power_of_two() as u64;
        let sent;
        let done = if let Some(statement) = &mut prepared {
            let values: Vec<MysqlValue<'_>> = rows.iter().flat_map(Entry::values).collect();
            sent = Instant::now();
            statement.affect(&mut session, &values)?
        } else {
            text.clear();
            text.push_str(INSERT);
            for (at, row) in rows.iter().enumerate() {
                let Entry { account, at: time, name, note } = row;
                let comma = if at == 0 { "" } else { "," };
                write!(text, "{comma}({account},'{time}','{name}','{note}')")?;
            }
            sent = Instant::now();
            session.execute(&text)?
        };
        ensure!(done == batch as u64, "{done} of {batch} rows were inserted");
        sample.count(sent.elapsed().as_nanos() as u64, u32::from(options.batch));
    }
    Ok(sample)
}

/// A row.
struct Entry {
    account: i64,
    at: String,
    name: String,
    note: String,
}

impl Entry {
    fn new(dice: u64) -> Entry {
        let (hour, minute, second) = (dice / 3 % 24, dice / 5 % 60, dice / 7 % 60);
        Entry {
            account: (dice % 1_000_000) as i64,
            at: format!("2026-01-{:02} {hour:02}:{minute:02}:{second:02}", 1 + dice / 11 % 28),
            name: format!("name {dice:016x}"),
            note: format!("note {dice:x} {:x}", mix(dice)),
        }
    }

    fn values(&self) -> [MysqlValue<'_>; 4] {
        [
            MysqlValue::Int(self.account),
            MysqlValue::Text(&self.at),
            MysqlValue::Text(&self.name),
            MysqlValue::Text(&self.note),
        ]
    }
}
