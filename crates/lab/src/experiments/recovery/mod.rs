//! Recovery: kill -9 while rows are inserted, then the time from the start of the process to the
//! first answered query.
//!
//! The load is that of iiBench, which one of the source documents used for the same question: a
//! table of purchases with three secondary indexes, random values, inserts of many rows a
//! statement at full speed, at 2,000 and at 200 rows a second. Each size of data is inserted
//! once; the rates follow on it. After each kill every row of an acknowledged statement must be
//! there.
//!
//! `--load-gib` kills a load instead (`killed_load`).
//!
//! Not here: power cuts, which take away what was not synced.

mod killed_load;

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::json;

use super::loading::DATABASE;
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, MariaDb, MariaDbSettings, Rowhouse, Server};
use crate::plot::Drawing;
use crate::protocols::mysql;
use crate::report::{Layout, Measurement, Report};
use crate::spread::Spread;
use crate::users::mix;

const ROWHOUSE: &str = "rowhouse";
const MARIADB: &str = "mariadb innodb";
const CREATE_TABLE: &str = "CREATE TABLE purchases (\
    id BIGINT NOT NULL PRIMARY KEY, \
    at DATETIME NOT NULL, \
    register_id INT NOT NULL, \
    customer_id INT NOT NULL, \
    product_id INT NOT NULL, \
    price DOUBLE NOT NULL, \
    note VARCHAR(8000) NOT NULL, \
    KEY by_price (price, customer_id), \
    KEY by_register (register_id, price, customer_id), \
    KEY by_date (price, at, customer_id))";
/// Rows of a statement at full speed, and statements a second at a given rate.
const ROWS_AT_FULL_SPEED: u64 = 1_000;
const STATEMENTS_PER_SECOND: u64 = 20;
/// Between two tries to reach a server that recovers.
const POLL: Duration = Duration::from_millis(2);
const RECOVERY_WAIT: Duration = Duration::from_secs(600);

/// Options of `recovery`.
#[derive(Debug, Clone, Args)]
pub struct RecoveryOptions {
    #[command(flatten)]
    common: Common,
    /// Rows that are there before; one round of rates for each size, in ascending order.
    #[arg(long, value_delimiter = ',', default_values_t = [100_000, 1_000_000, 5_000_000])]
    sizes: Vec<u64>,
    /// Rows inserted per second before the kill; 0 is full speed.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 2_000, 200])]
    rates: Vec<u64>,
    /// Characters of each row's note; many make much data of few rows.
    #[arg(long, default_value_t = 40)]
    note_chars: usize,
    /// The durability policy of Rowhouse; InnoDB has the flush_log that comes next to it.
    #[arg(long, default_value = "every-second")]
    policy: Durability,
    /// MariaDB's buffer pool in MiB; give --memory the same.
    #[arg(long, default_value_t = 1024)]
    buffer_pool_mib: u32,
    /// Instead: GiB of text of a load that is killed when nine tenths of it are sent (ours only).
    #[arg(long, conflicts_with_all = ["sizes", "rates", "glance"])]
    load_gib: Option<f64>,
    /// For a glance, of seconds: one small size, one kill at each of two rates.
    #[arg(long, conflicts_with_all = ["sizes", "rates", "rounds", "seconds"])]
    glance: bool,
}

impl RecoveryOptions {
    fn at_a_glance(&self) -> RecoveryOptions {
        let mut options = self.clone();
        if self.glance {
            (options.sizes, options.rates) = (vec![20_000], vec![0, 2_000]);
            (options.common.rounds, options.common.seconds) = (1, 1.0);
        }
        options
    }
}

/// A server that can be killed and asked again.
struct Victim<'s> {
    name: &'static str,
    server: &'s mut Server,
    port: u16,
    /// Rows acknowledged.
    rows: u64,
    seed: u64,
    note_chars: usize,
}

/// Runs the experiment.
pub fn run(options: &RecoveryOptions) -> Result<()> {
    let options = &options.at_a_glance();
    let common = &options.common;
    let mut report = Report::new("recovery");
    common.note(&mut report);
    report.setting("durability", options.policy.name());
    if let Some(gib) = options.load_gib {
        let outcome = killed_load::run(gib, options, &mut report);
        report.keep(ROWHOUSE, outcome);
    } else {
        of_inserts(options, &mut report);
    }
    report.compare(&[(ROWHOUSE, MARIADB)]);
    let drawing =
        Drawing::bars(&report, "ms from start to first answer", |window| window.seconds * 1e3);
    summarize(&mut report);
    common.finish(&report, Layout::Requests, &drawing)
}

/// Kills in the midst of inserts, every server in turn.
fn of_inserts(options: &RecoveryOptions, report: &mut Report) {
    report.setting("table", "7 columns, primary key, 3 secondary indexes");
    report.setting("characters of the note", options.note_chars);
    report.setting("mariadb buffer pool", format!("{} MiB", options.buffer_pool_mib));
    if options.common.wants(ROWHOUSE) {
        let outcome = by_rowhouse(options, report);
        report.keep(ROWHOUSE, outcome);
    }
    if options.common.wants(MARIADB) {
        let outcome = by_mariadb(options, report);
        report.keep(MARIADB, outcome);
    }
}

fn by_rowhouse(options: &RecoveryOptions, report: &mut Report) -> Result<()> {
    let mut peer = Rowhouse::start(&options.common.rowhouse(options.policy)?)?;
    report.versions.insert(ROWHOUSE.to_owned(), peer.version.clone());
    let port = peer.doors.mysql.expect("it has a MySQL door");
    all_sizes(ROWHOUSE, &mut peer.server, port, options, report)
}

fn by_mariadb(options: &RecoveryOptions, report: &mut Report) -> Result<()> {
    let mut peer = MariaDb::start(MariaDbSettings {
        buffer_pool_mib: options.buffer_pool_mib,
        flush_log: options.policy.flush_log(),
        handlersocket_threads: 1,
    })?;
    report.versions.insert(MARIADB.to_owned(), peer.version.clone());
    all_sizes(MARIADB, &mut peer.server, peer.port, options, report)
}

fn all_sizes(
    name: &'static str,
    server: &mut Server,
    port: u16,
    options: &RecoveryOptions,
    report: &mut Report,
) -> Result<()> {
    let mut session = mysql::MysqlSession::connect(port, "")?;
    session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
    session.execute(&format!("USE {DATABASE}"))?;
    session.execute(CREATE_TABLE)?;
    drop(session);
    let (seed, note_chars) = (options.common.seed, options.note_chars);
    let mut victim = Victim { name, server, port, rows: 0, seed, note_chars };
    for &size in &options.sizes {
        let began = Instant::now();
        let before = victim.rows;
        let mut session = mysql::MysqlSession::connect(port, DATABASE)?;
        while victim.rows < size {
            victim.insert(&mut session, ROWS_AT_FULL_SPEED)?;
        }
        drop(session);
        let rate = (victim.rows - before) as f64 / began.elapsed().as_secs_f64();
        progress(&format!("{name}: {size} rows are there, {rate:.0} rows/s"));
        for &rate in &options.rates {
            for round in 0..options.common.rounds {
                victim.one_kill(size, rate, round, options.common.seconds, report)?;
            }
        }
    }
    Ok(())
}

impl Victim<'_> {
    /// Inserts at a rate, kills, starts again, and asks until there is an answer.
    fn one_kill(
        &mut self,
        size: u64,
        rate: u64,
        round: usize,
        seconds: f64,
        report: &mut Report,
    ) -> Result<()> {
        let inserted = self.insert_for(Duration::from_secs_f64(seconds), rate)?;
        let disk = self.server.disk_bytes();
        let mut sample = Sample::new();
        self.server.kill()?;
        let last = self.rows;
        let first = |session: &mut mysql::MysqlSession| {
            let found = session.number(&format!("SELECT id FROM purchases WHERE id = {last}"))?;
            ensure!(found == last, "row {last} is not there");
            Ok(())
        };
        let (mut session, seconds) = start_again(self.server, self.port, first)?;
        sample.seconds = seconds;
        sample.count((sample.seconds * 1e9) as u64, 1);
        let counted = session.number("SELECT COUNT(*) FROM purchases")?;
        let by_index = session.number("SELECT COUNT(*) FROM purchases WHERE price >= 0")?;
        // A statement that was under way when the server died may be there as well.
        let most = self.rows + ROWS_AT_FULL_SPEED;
        if !(self.rows..=most).contains(&counted) || by_index != counted {
            sample.wrong += 1;
            let what = format!("{} acknowledged, {counted} there, {by_index} by index", self.rows);
            sample.note_bad("wrong", what.as_bytes());
        }
        self.rows = counted;
        let mode = mode_of(size, rate);
        let ms = sample.seconds * 1e3;
        let mib = disk >> 20;
        progress(&format!("{}, {mode}: {inserted:.0} rows/s, {mib} MiB, {ms:.0} ms", self.name));
        let name = format!("{}, {mode}, round {round}", self.name);
        let figure = json!({ "rows_per_second": inserted.round(), "disk_mib": mib, "ms": ms });
        report.figures.insert(name, figure);
        report.measurements.push(Measurement::new(&mode, self.name, round, 1, &sample));
        Ok(())
    }

    /// Inserts at so many rows a second, 0 as fast as it goes; gives the rate that came out.
    fn insert_for(&mut self, length: Duration, rate: u64) -> Result<f64> {
        let mut session = mysql::MysqlSession::connect(self.port, DATABASE)?;
        let (began, before) = (Instant::now(), self.rows);
        let mut statements = 0;
        while began.elapsed() < length {
            if rate == 0 {
                self.insert(&mut session, ROWS_AT_FULL_SPEED)?;
                continue;
            }
            self.insert(&mut session, (rate / STATEMENTS_PER_SECOND).max(1))?;
            statements += 1;
            let due = Duration::from_millis(1000 * statements / STATEMENTS_PER_SECOND);
            thread::sleep(due.saturating_sub(began.elapsed()));
        }
        Ok((self.rows - before) as f64 / began.elapsed().as_secs_f64())
    }

    fn insert(&mut self, session: &mut mysql::MysqlSession, rows: u64) -> Result<()> {
        let mut text = String::from("INSERT INTO purchases VALUES ");
        for id in self.rows + 1..=self.rows + rows {
            let random = mix(self.seed ^ id.wrapping_mul(0x9e37_79b9));
            let comma = if id == self.rows + 1 { "" } else { "," };
            text.push_str(&format!(
                "{comma}({id},'2024-01-{:02} {:02}:00:00',{},{},{},{}.{:02},'",
                1 + random % 28,
                random % 24,
                random % 1_000,
                (random >> 10) % 100_000,
                (random >> 27) % 10_000,
                (random >> 41) % 500,
                (random >> 50) % 100,
            ));
            let digits = (1..).map(|n| format!("{:016x}", mix(random.wrapping_add(n))));
            let digits = digits.take(self.note_chars.div_ceil(16)).collect::<String>();
            text.push_str(&digits[..self.note_chars]);
            text.push_str("')");
        }
        let affected = session.execute(&text)?;
        ensure!(affected == rows, "{affected} of {rows} rows were inserted");
        self.rows += rows;
        Ok(())
    }
}

/// Starts a killed server again, and asks until there is an answer; the session that had it, and
/// the seconds since the start.
fn start_again(
    server: &mut Server,
    port: u16,
    first: impl Fn(&mut mysql::MysqlSession) -> Result<()>,
) -> Result<(mysql::MysqlSession, f64)> {
    let ask = || {
        let mut session = mysql::MysqlSession::connect(port, DATABASE)?;
        first(&mut session)?;
        Ok::<_, anyhow::Error>(session)
    };
    let began = Instant::now();
    server.start_again()?;
    loop {
        match ask() {
            Ok(session) => return Ok((session, began.elapsed().as_secs_f64())),
            Err(error) => ensure!(began.elapsed() < RECOVERY_WAIT, "no answer: {error:#}"),
        }
        thread::sleep(POLL);
    }
}

fn mode_of(size: u64, rate: u64) -> String {
    match rate {
        0 => format!("{size} rows, full speed"),
        rate => format!("{size} rows, {rate} rows/s"),
    }
}

/// The medians, one line for each mode, since milliseconds are what is asked here.
fn summarize(report: &mut Report) {
    for mode in report.modes() {
        let mut line = Vec::new();
        for contender in report.contenders(&mode) {
            let spread: Spread = report.spread(&mode, &contender, |window| window.seconds * 1e3);
            let Spread { median, min, max } = spread;
            line.push(format!("{contender} {median:.0} ms ({min:.0}..{max:.0})"));
        }
        report.figures.insert(format!("start to first answer, {mode}"), json!(line.join(", ")));
    }
}
