//! Bulk load: LOAD DATA LOCAL INFILE into a table with a secondary index, and of the documents' rows,
//! unsorted, with 1 and 4 keys, of 64 and 256 bytes; rows per second, memory.
//!
//! Every round starts each server afresh on an empty directory, so that peak memory belongs to this
//! load alone. The lab makes the text as it sends it; the client's cost is the same for all.

use anyhow::{Result, ensure};
use clap::Args;

use super::loading::DATABASE;
use super::timed::timed;
use super::unsorted::{self, Rows};
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, MariaDb, MariaDbSettings, Rowhouse};
use crate::plot::Drawing;
use crate::protocols::mysql;
use crate::report::{Layout, Measurement, Report};
use crate::users::{Users, mix};

const MODE: &str = "LOAD DATA, one secondary index";
const ROWHOUSE: &str = "rowhouse";
const MARIADB: &str = "mariadb innodb";
const CREATE_TABLE: &str = "CREATE TABLE loaded (\
    user_id INT UNSIGNED NOT NULL PRIMARY KEY, \
    user_name VARCHAR(50) NOT NULL, \
    user_email VARCHAR(255) NOT NULL, \
    created DATETIME NOT NULL, \
    KEY by_email (user_email))";
/// Rows that are looked up by the secondary index after the load.
const CHECKED: u32 = 200;

/// Options of `load`.
#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Rows in the file.
    #[arg(long, default_value_t = 1_000_000)]
    rows: u32,
    /// MariaDB's buffer pool in MiB.
    #[arg(long, default_value_t = 1024)]
    buffer_pool_mib: u32,
    /// Keys of the tables of unsorted rows.
    #[arg(long, value_delimiter = ',', default_value = "1,4")]
    keys: Vec<usize>,
    /// Bytes of their rows.
    #[arg(long, value_delimiter = ',', default_value = "64,256")]
    row_bytes: Vec<usize>,
    /// Memory of each server that loads them, in MiB.
    #[arg(long, default_value_t = 512)]
    memory_mib: u32,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<()> {
    let common = &options.common;
    let users = Users { seed: common.seed, rows: options.rows };
    let mut report = Report::new("load");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("table", "4 columns, primary key, KEY (user_email)");
    report.setting("mariadb buffer pool", format!("{} MiB", options.buffer_pool_mib));
    report.setting("durability", "rowhouse every-commit; mariadb innodb flush_log=1");
    for round in 0..common.rounds {
        if common.wants(ROWHOUSE) && !report.not_run.contains_key(ROWHOUSE) {
            let load = by_rowhouse(options, users, &mut report);
            keep(&mut report, ROWHOUSE, round, load);
        }
        if common.wants(MARIADB) && !report.not_run.contains_key(MARIADB) {
            let load = by_mariadb(options, users, &mut report);
            keep(&mut report, MARIADB, round, load);
        }
    }
    let settings = common.rowhouse(Durability::EveryCommit)?;
    report.setting("memory of each server, unsorted rows", format!("{} MiB", options.memory_mib));
    for (&keys, &bytes) in options
        .keys
        .iter()
        .flat_map(|keys| options.row_bytes.iter().map(move |bytes| (keys, bytes)))
    {
        let rows = Rows { seed: common.seed, count: u64::from(options.rows), keys, bytes };
        for round in 0..common.rounds {
            let wants = |name: &str| common.wants(name);
            unsorted::round(rows, round, &settings, options.memory_mib, &wants, &mut report);
        }
    }
    report.compare(&[
        (ROWHOUSE, MARIADB),
        (ROWHOUSE, unsorted::MYROCKS),
        (ROWHOUSE, unsorted::LIMIT),
    ]);
    let drawing = Drawing::bars(&report, "rows per second", |window| window.rows_rate);
    common.finish(&report, Layout::Rows, &drawing)
}

fn keep(report: &mut Report, contender: &str, round: usize, load: Result<Sample>) {
    if let Some(sample) = report.keep(contender, load) {
        let measurement = Measurement::new(MODE, contender, round, 1, &sample);
        let (rate, mib) = (measurement.rows_rate, measurement.server_mib);
        progress(&format!("{contender}, round {round}: {rate:.0} rows/s, peak {mib:.0} MiB"));
        report.measurements.push(measurement);
    }
}

fn by_rowhouse(options: &Options, users: Users, report: &mut Report) -> Result<Sample> {
    let peer = Rowhouse::start(&options.common.rowhouse(Durability::EveryCommit)?)?;
    report.versions.insert(ROWHOUSE.to_owned(), peer.version.clone());
    one_load(&mut peer.session("")?, users, peer.server.pid())
}

fn by_mariadb(options: &Options, users: Users, report: &mut Report) -> Result<Sample> {
    let peer = MariaDb::start(MariaDbSettings {
        buffer_pool_mib: options.buffer_pool_mib,
        flush_log: 1,
        handlersocket_threads: 1,
    })?;
    report.versions.insert(MARIADB.to_owned(), peer.version.clone());
    one_load(&mut peer.session("")?, users, peer.server.pid())
}

fn one_load(session: &mut mysql::Session, users: Users, pid: u32) -> Result<Sample> {
    session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
    session.execute(&format!("USE {DATABASE}"))?;
    session.execute(CREATE_TABLE)?;
    let sample = timed(pid, |sample| {
        let sql = "LOAD DATA LOCAL INFILE 'users' INTO TABLE loaded";
        let (rows, info) = session.load_data(sql, users.lines())?;
        ensure!(rows == u64::from(users.rows), "LOAD DATA took {rows} rows: {info}");
        (sample.requests, sample.rows) = (rows, rows);
        Ok(())
    })?;
    verify(session, users)?;
    Ok(sample)
}

/// All rows are there, and some are found by the index with the right contents.
fn verify(session: &mut mysql::Session, users: Users) -> Result<()> {
    let counted = session.number("SELECT COUNT(*) FROM loaded")?;
    ensure!(counted == u64::from(users.rows), "{counted} rows are there after LOAD DATA");
    for check in 0..CHECKED {
        let id = 1 + (mix(users.seed ^ u64::from(check)) % u64::from(users.rows)) as u32;
        let row = users.row(id, 0);
        let email = String::from_utf8_lossy(row.email()).into_owned();
        let found = session.query(&format!(
            "SELECT user_id, user_name, created FROM loaded WHERE user_email='{email}'"
        ))?;
        let is = id.to_string();
        let right = [is.as_bytes(), row.name(), row.created_text()].map(|it| Some(it.to_vec()));
        ensure!(found == [right], "wrong rows by {email}: {found:?}");
    }
    Ok(())
}
