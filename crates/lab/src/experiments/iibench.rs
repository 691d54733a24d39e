//! iiBench: one connection inserts rows in batches into a table with three secondary indexes, until the
//! data are some times the memory; then it goes on while another reads by these indexes.
//!
//! The table and its indexes are those of Tokutek's program: entries of all three come in no order,
//! so what a store does with entries that do not fit into its memory shows in the rate as the
//! table grows. The memory is set so that data grow to eight times of it (`--data-to-memory`).
//!
//! Not here: what several connections insert (`writers`).

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use super::loading::DATABASE;
use super::memory_limit::{GroupOption, MemoryLimit};
use super::timed::timed;
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, Engine, EngineServer, RowhouseSettings, bytes_below};
use crate::plot::{Drawing, Mark, Panel};
use crate::report::{Layout, Measurement, Report};
use crate::spread::Spread;
use crate::users::mix;

const ENGINES: [Engine; 3] = [Engine::Rowhouse, Engine::InnoDb, Engine::MyRocks];
const INSERT: &str = "inserts, 3 secondary indexes";
const LAST: &str = "inserts, last tenth of the rows";
const BESIDE: &str = "inserts beside queries";
const QUERIES: &str = "queries beside inserts";
const COLUMNS: &str = "transactionid BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, \
    dateandtime DATETIME, cashregisterid INT NOT NULL, customerid INT NOT NULL, \
    productid INT NOT NULL, price FLOAT NOT NULL, data VARCHAR(40), \
    KEY marketsegment (price, customerid), KEY registersegment (cashregisterid, price, customerid), \
    KEY pdc (price, dateandtime, customerid)";
const INDEXES: [&str; 3] = ["marketsegment", "registersegment", "pdc"];
/// Bytes of a row with its entries, before any compression, about: by these the memory is set.
const ROW_BYTES: u64 = 190;
/// No server is asked to do with less.
const MEMORY_MIB_MIN: u64 = 64;
const CASH_REGISTERS: u64 = 1_000;
const PRODUCTS: u64 = 10_000;
const CUSTOMERS: u64 = 100_000;
/// A second with less than this part of the median second's rows is a stall.
const STALL_PART: f64 = 0.5;
/// Stalls that are marked in the drawing, the worst ones.
const STALLS_MARKED: usize = 12;

/// Options of `iibench`.
#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Rows that are inserted without queries beside; a tenth more come with them.
    #[arg(long, default_value_t = 5_000_000)]
    rows: u64,
    /// Rows of an INSERT.
    #[arg(long, default_value_t = 1_000)]
    batch: u64,
    /// How many times the memory the data grow to.
    #[arg(long, default_value_t = 8, conflicts_with = "group_mib")]
    data_to_memory: u64,
    #[command(flatten)]
    group: GroupOption,
}

/// Rows of one second.
type Second = (f64, f64);

/// Runs the experiment.
pub fn run(options: &Options) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("iibench");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("rows of an INSERT", options.batch);
    let limit = options.group.limit(memory_mib(options), &mut report)?;
    let data_mib = (options.rows * ROW_BYTES) >> 20;
    let multiple = data_mib as f64 / f64::from(limit.mib());
    report.setting("data over the memory, before any compression", format!("{multiple:.1}"));
    report.setting("durability", "every INSERT is synced before its answer");
    let settings = common.rowhouse(Durability::EveryCommit)?;
    let (mut panels, mut marks) = (Vec::new(), Vec::new());
    for round in 0..common.rounds {
        for engine in ENGINES {
            let name = engine.name();
            if !common.wants(name) || report.not_run.contains_key(name) {
                continue;
            }
            let seconds = one_round(options, engine, &settings, limit, round, &mut report);
            let Some(seconds) = report.keep(name, seconds) else { continue };
            if round == 0 {
                marks.extend(
                    stalls(&seconds)
                        .into_iter()
                        .take(STALLS_MARKED)
                        .map(|(at, _)| Mark { at, name: format!("{name} stalls") }),
                );
                let title = format!("{name}: rows per second");
                panels.push(Panel { name: title, limit: None, points: seconds });
            }
        }
    }
    let (ours, others) = (Engine::Rowhouse.name(), [Engine::InnoDb.name(), Engine::MyRocks.name()]);
    report.compare(&others.map(|other| (ours, other)));
    let title = format!("iibench: {} rows, {} MiB", options.rows, limit.mib());
    let drawing = Drawing::over_time(&title, "seconds", panels, marks);
    common.finish(&report, Layout::Rows, &drawing)
}

fn memory_mib(options: &Options) -> u32 {
    let mib = (options.rows * ROW_BYTES / options.data_to_memory.max(1)) >> 20;
    mib.clamp(MEMORY_MIB_MIN, u64::from(u32::MAX)) as u32
}

fn one_round(
    options: &Options,
    engine: Engine,
    settings: &RowhouseSettings,
    limit: MemoryLimit,
    round: usize,
    report: &mut Report,
) -> Result<Vec<Second>> {
    let name = engine.name();
    let server = engine.start(settings, limit.settings(Durability::EveryCommit, 1)?)?;
    report.versions.insert(name.to_owned(), server.version().to_owned());
    let mut inserter = Inserter::new(&server, options)?;
    let mut keep = |mode: &str, sample: &Sample| {
        let measurement = Measurement::new(mode, name, round, 1, sample);
        let (rate, longest) = (measurement.rows_rate, measurement.max_us / 1e3);
        progress(&format!("{name}, {mode}: {rate:.0} rows/s, longest {longest:.0} ms"));
        report.measurements.push(measurement);
    };
    let tenth = options.rows / 10;
    let mut all = timed(server.pid(), |sample| inserter.insert(options.rows - tenth, sample))?;
    let last = timed(server.pid(), |sample| inserter.insert(tenth, sample))?;
    let of_last = last.clone();
    all.merge(last);
    all.seconds += of_last.seconds;
    all.server_cpu += of_last.server_cpu;
    all.client_cpu += of_last.client_cpu;
    all.others_cpu += of_last.others_cpu;
    all.disk_waited += of_last.disk_waited;
    all.server_rss = of_last.server_rss;
    keep(INSERT, &all);
    keep(LAST, &of_last);
    let (inserts, queries) = beside_queries(&server, &mut inserter, tenth)?;
    keep(BESIDE, &inserts);
    keep(QUERIES, &queries);
    inserter.verify()?;
    let seconds = inserter.seconds;
    let rate = Spread::of(seconds.iter().map(|(_, rows)| *rows));
    let (median, slowest) = (rate.median, rate.min);
    let stalls = stalls(&seconds);
    let told: Vec<_> =
        stalls.iter().map(|(at, rate)| json!({"second": at, "rows": rate})).collect();
    let bytes = bytes_below(&server.files_of(DATABASE));
    let figures = json!({
        "slowest second over median second": slowest / median.max(1.0),
        "stalls": told,
        "longest INSERT ms": all.latency_us(1.0) / 1e3,
        "MB on disk": bytes / 1_000_000,
        "rows per second": seconds,
    });
    progress(&format!(
        "{name}: slowest second {:.2} of the median one, {} stalls, {} MB on disk",
        slowest / median.max(1.0),
        stalls.len(),
        bytes / 1_000_000
    ));
    report.figures.insert(format!("{name}, round {round}"), figures);
    Ok(seconds)
}

/// The seconds that are stalls, the worst first.
fn stalls(seconds: &[Second]) -> Vec<Second> {
    let median = Spread::of(seconds.iter().map(|(_, rows)| *rows)).median;
    let slow = seconds.iter().filter(|(_, rows)| *rows < STALL_PART * median);
    let mut slow: Vec<Second> = slow.copied().collect();
    slow.sort_by(|one, other| one.1.total_cmp(&other.1));
    slow
}

/// The connection that inserts.
struct Inserter<'a> {
    session: crate::protocols::mysql::Session,
    options: &'a Options,
    rows: u64,
    text: String,
    began: Instant,
    /// Full seconds so far.
    seconds: Vec<Second>,
    rows_of_second: u64,
    second_began: f64,
}

impl<'a> Inserter<'a> {
    fn new(server: &EngineServer, options: &'a Options) -> Result<Inserter<'a>> {
        let mut session = server.session()?;
        session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
        session.execute(&format!("USE {DATABASE}"))?;
        let clause = server.engine().clause();
        session.execute(&format!("CREATE TABLE purchases ({COLUMNS}){clause}"))?;
        Ok(Inserter {
            session,
            options,
            rows: 0,
            text: String::new(),
            began: Instant::now(),
            seconds: Vec::new(),
            rows_of_second: 0,
            second_began: 0.0,
        })
    }

    fn insert(&mut self, rows: u64, sample: &mut Sample) -> Result<()> {
        let end = self.rows + rows;
        while self.rows < end {
            let batch = self.options.batch.min(end - self.rows);
            self.write(batch)?;
            let sent = Instant::now();
            let done = self.session.execute(&self.text)?;
            ensure!(done == batch, "{done} of {batch} rows were inserted");
            sample.count(sent.elapsed().as_nanos() as u64, batch as u32);
            self.rows += batch;
            self.count(batch);
        }
        Ok(())
    }

    /// The INSERT of the next rows.
    fn write(&mut self, rows: u64) -> Result<()> {
        self.text.clear();
        let columns = "dateandtime, cashregisterid, customerid, productid, price, data";
        write!(self.text, "INSERT INTO purchases ({columns}) VALUES ")?;
        for row in self.rows..self.rows + rows {
            let dice = mix(self.options.common.seed ^ row);
            let (day, second) = (1 + row / 86_400 % 28, row % 86_400);
            let comma = if row == self.rows { "" } else { "," };
            write!(
                self.text,
                "{comma}('2026-01-{day:02} {:02}:{:02}:{:02}',{},{},{},{}.{:02},'{:x}{:x}')",
                second / 3600,
                second / 60 % 60,
                second % 60,
                dice % CASH_REGISTERS,
                dice / 7 % CUSTOMERS,
                dice / 11 % PRODUCTS,
                dice / 13 % 500,
                dice / 17 % 100,
                dice,
                mix(dice)
            )?;
        }
        Ok(())
    }

    /// Notes the rows of each second, and seconds without any.
    fn count(&mut self, rows: u64) {
        self.rows_of_second += rows;
        let now = self.began.elapsed().as_secs_f64();
        let passed = now - self.second_began;
        if passed >= 1.0 {
            // A batch that took seconds is as slow a second in each of them.
            let rate = self.rows_of_second as f64 / passed;
            for second in 0..passed as u64 {
                self.seconds.push((self.second_began + second as f64, rate));
            }
            (self.second_began, self.rows_of_second) = (now, 0);
        }
    }

    /// All rows are there, and in each index.
    fn verify(&mut self) -> Result<()> {
        let counted = self.session.number("SELECT COUNT(*) FROM purchases")?;
        ensure!(counted == self.rows, "{counted} of {} rows are there", self.rows);
        for index in INDEXES {
            let first = if index == "registersegment" { "cashregisterid" } else { "price" };
            let sql =
                format!("SELECT COUNT(*) FROM purchases FORCE INDEX ({index}) WHERE {first} >= 0");
            let counted = self.session.number(&sql)?;
            ensure!(counted == self.rows, "{counted} of {} rows are in {index}", self.rows);
        }
        Ok(())
    }
}

/// Inserts while another connection reads by the indexes.
fn beside_queries(
    server: &EngineServer,
    inserter: &mut Inserter<'_>,
    rows: u64,
) -> Result<(Sample, Sample)> {
    let over = AtomicBool::new(false);
    let seed = inserter.options.common.seed;
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let mut session = server.session()?;
            session.execute(&format!("USE {DATABASE}"))?;
            timed(server.pid(), |sample| {
                let mut number = 0;
                while !over.load(Ordering::Relaxed) {
                    let sql = query(mix(seed ^ (number << 32)));
                    let sent = Instant::now();
                    let found = session.query(&sql)?;
                    ensure!(found.len() == 10, "{sql} found {} rows", found.len());
                    sample.count(sent.elapsed().as_nanos() as u64, found.len() as u32);
                    number += 1;
                }
                Ok(())
            })
        });
        let inserted = timed(server.pid(), |sample| inserter.insert(rows, sample));
        // A few queries at least, however few rows there are.
        std::thread::sleep(Duration::from_millis(50));
        over.store(true, Ordering::Relaxed);
        let asked = asking.join().ok().context("the thread of queries")??;
        Ok((inserted?, asked))
    })
}

/// Ten rows from somewhere on, in the order of one of the indexes.
fn query(dice: u64) -> String {
    let (price, register) = (dice / 3 % 400, dice / 5 % (CASH_REGISTERS / 2));
    let (index, columns, condition) = match dice % 3 {
        0 => ("marketsegment", "price, customerid", format!("price >= {price}")),
        1 => (
            "registersegment",
            "cashregisterid, price, customerid",
            format!("cashregisterid >= {register}"),
        ),
        _ => ("pdc", "price, dateandtime, customerid", format!("price >= {price}")),
    };
    format!(
        "SELECT {columns} FROM purchases FORCE INDEX ({index}) WHERE {condition} \
         ORDER BY {columns} LIMIT 10"
    )
}
