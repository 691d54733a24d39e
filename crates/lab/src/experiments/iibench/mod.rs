//! iiBench: one connection inserts rows in batches into a table with three secondary indexes, until
//! the data are some times the memory; then it goes on while another reads by these indexes.
//!
//! The table and its indexes are those of Tokutek's program: entries of all three come in no order,
//! so what a store does with entries that do not fit into its memory shows in the rate as the table
//! grows. The memory is set so that data grow to eight times of it (`--data-to-memory`), or is a
//! group's (`--group-mib`).
//!
//! InnoDB, which would take days to come to the last rows of many, can be brought there another
//! way: it inserts most of them without secondary indexes, which are added then
//! (`--innodb-indexed-after`).
//!
//! A server that would take days is cut after a time (`--minutes-max`). Its last rows are those
//! that it came to, so its rate at the end is told better than it is.
//!
//! What is there at the end is checked in about a minute (`check`); the report says how much of it
//! was. A check that fails fails the run, whose report is kept all the same.
//!
//! Not here: what several connections insert (`writers`).

mod check;
mod course;
mod inserter;
mod purchases;
mod queries;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use super::memory_limit::{GroupOption, MemoryLimit};
use super::pace::{PaceStep, slowest_over_median, stalls};
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, Engine, RowhouseSettings, bytes_below};
use crate::plot::{Drawing, Panel};
use crate::report::{Layout, Measurement, Report};
use check::{CHECK_TIME, check};
use inserter::{InsertedRows, Inserter};

const ENGINES: [Engine; 3] = [Engine::Rowhouse, Engine::InnoDb, Engine::MyRocks];
const INSERT: &str = "inserts, 3 secondary indexes";
const BESIDE: &str = "inserts beside queries";
const QUERIES: &str = "queries beside inserts";
/// The last rows are told apart: so many, or a tenth where that is less.
const LAST_ROWS: u64 = 1_000_000;
/// Bytes of a row with its entries, before any compression, about: by these the memory is set.
const ROW_BYTES: u64 = 190;
/// No server is asked to do with less.
const MEMORY_MIB_MIN: u64 = 64;
/// How often it is looked at what the inserts have cost so far.
const LOOKS: u64 = 1_000;
/// Options of `iibench`.
#[derive(Debug, Clone, Args)]
pub struct IibenchOptions {
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
    /// End the inserts of a server that has not come to all rows after so many minutes; those
    /// beside queries after a tenth of that.
    #[arg(long)]
    minutes_max: Option<f64>,
    /// InnoDB inserts so many rows without secondary indexes, which are added then; its course
    /// begins there.
    #[arg(long, default_value_t = 0)]
    innodb_indexed_after: u64,
}

impl IibenchOptions {
    /// Memory so that the data grow to so many times of it.
    fn memory_mib(&self) -> u32 {
        let mib = (self.rows * ROW_BYTES / self.data_to_memory.max(1)) >> 20;
        mib.clamp(MEMORY_MIB_MIN, u64::from(u32::MAX)) as u32
    }

    /// What the last rows are called, and how many they are of those that a server came to.
    fn last(&self, reached: u64) -> (String, u64) {
        let last = LAST_ROWS.min(self.rows / 10);
        let name = if last == LAST_ROWS { "last million rows" } else { "last tenth of the rows" };
        // A run that came to little more has a last part, too.
        let rows = if reached < 2 * last { reached / 10 } else { last };
        (format!("inserts, {name}"), rows)
    }

    /// Rows that this server inserts before it has secondary indexes.
    fn indexed_after(&self, engine: Engine) -> u64 {
        if engine == Engine::InnoDb { self.innodb_indexed_after.min(self.rows) } else { 0 }
    }

    /// When such a part of the time is over, if there is a limit.
    fn until(&self, part: f64) -> Option<Instant> {
        let minutes = self.minutes_max?;
        Some(Instant::now() + Duration::from_secs_f64(minutes * part * 60.0))
    }
}

/// Runs the experiment.
pub fn run(options: &IibenchOptions) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("iibench");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("rows of an INSERT", options.batch);
    let limit = options.group.limit(options.memory_mib(), &mut report)?;
    let data_mib = (options.rows * ROW_BYTES) >> 20;
    let multiple = data_mib as f64 / f64::from(limit.mib());
    report.setting("data over the memory, before any compression", format!("{multiple:.1}"));
    if let Some(minutes) = options.minutes_max {
        report.setting("minutes at most", minutes);
    }
    report.setting("durability", "every INSERT is synced before its answer");
    let settings = common.rowhouse(Durability::EveryCommit)?;
    let (mut panels, mut failed) = (Vec::new(), Vec::new());
    for round in 0..common.rounds {
        for engine in ENGINES {
            let name = engine.name();
            if !common.wants(name) || report.not_run.contains_key(name) {
                continue;
            }
            let label = format!("{name}, round {round}");
            let course = one_round(options, engine, &settings, limit, round, &mut report);
            let Some(Round { seconds, alone, checked }) = report.keep(name, course) else {
                continue;
            };
            if !note_checked(&label, checked, &mut report) {
                failed.push(label);
            }
            if round == 0 {
                panels.push(panel(name, seconds, alone));
            }
        }
    }
    let (ours, others) = (Engine::Rowhouse.name(), [Engine::InnoDb.name(), Engine::MyRocks.name()]);
    report.compare(&others.map(|other| (ours, other)));
    let title = format!("iibench: {} rows, {} MiB", options.rows, limit.mib());
    let drawing = Drawing::over_time(&title, "seconds", panels, Vec::new());
    common.finish(&report, Layout::Rows, &drawing)?;
    ensure!(failed.is_empty(), "what is there is not what was inserted: {}", failed.join("; "));
    Ok(())
}

/// Keeps what was checked, or what was wrong; whether all was right.
fn note_checked(label: &str, checked: Result<Value>, report: &mut Report) -> bool {
    let right = checked.is_ok();
    let (title, told) = match checked {
        Ok(told) => (format!("{label}, checked"), told),
        Err(error) => (format!("{label}, CHECK FAILED"), json!(format!("{error:#}"))),
    };
    progress(&format!("{title}: {told}"));
    report.figures.insert(title, told);
    right
}

/// A server's seconds, with those shaded that are stalls of the inserts alone or of those beside
/// queries.
fn panel(name: &str, seconds: Vec<PaceStep>, alone: usize) -> Panel {
    let (first, beside) = seconds.split_at(alone);
    let stalls = [stalls(first), stalls(beside)].concat();
    let count = stalls.len();
    Panel {
        name: format!("{name}: rows per second ({count} seconds of stalls are shaded)"),
        limit: None,
        stalls: stalls.into_iter().map(|(at, _)| at..at + 1.0).collect(),
        points: seconds,
    }
}

/// What came of a server's round.
struct Round {
    /// Rows of each second.
    seconds: Vec<PaceStep>,
    /// How many of these were without queries beside.
    alone: usize,
    /// What was checked at the end.
    checked: Result<Value>,
}

/// One server's round.
fn one_round(
    options: &IibenchOptions,
    engine: Engine,
    settings: &RowhouseSettings,
    limit: MemoryLimit,
    round: usize,
    report: &mut Report,
) -> Result<Round> {
    let name = engine.name();
    let server = engine.start(settings, limit.settings(Durability::EveryCommit, 1)?)?;
    report.versions.insert(name.to_owned(), server.version().to_owned());
    let (seed, batch) = (options.common.seed, options.batch);
    let look = options.rows / LOOKS;
    let before = options.indexed_after(engine);
    let mut inserter = Inserter::new(&server, InsertedRows { seed, batch, look }, before == 0)?;
    if before > 0 {
        progress(&format!("{name}: {before} rows without secondary indexes"));
        inserter.insert(before, None)?;
        let took = inserter.add_indexes()?.as_secs();
        let told = format!("added after {before} rows, in {took} s");
        progress(&format!("{name}: indexes {told}"));
        report.figures.insert(format!("{name}, round {round}, INDEXES"), json!(told));
    }
    inserter.insert(options.rows - before, options.until(1.0))?;
    let (reached, passed) = (inserter.course.rows(), inserter.course.seconds_passed());
    let (last, last_rows) = options.last(reached);
    let all = inserter.course.behind(0);
    let of_last = inserter.course.behind(reached - last_rows);
    keep(INSERT, name, round, &all, report);
    keep(&last, name, round, &of_last, report);
    if reached < options.rows {
        let (minutes, wanted) = (passed / 60.0, options.rows);
        let last_rate = of_last.rows as f64 / of_last.seconds.max(1e-9);
        let told = format!(
            "cut after {minutes:.1} minutes at {reached} of {wanted} rows, \
             {last_rate:.0} rows/s in the last {} of them",
            of_last.rows
        );
        progress(&format!("{name}: {told}"));
        report.figures.insert(format!("{name}, round {round}, CUT"), json!(told));
    }
    let alone = inserter.course.seconds();
    let stalls = stalls(&alone);
    let slowest = slowest_over_median(&alone);
    let longest_ms = inserter.course.longest().as_secs_f64() * 1e3;
    let told: Vec<_> =
        stalls.iter().map(|(at, rate)| json!({"second": at, "rows": rate})).collect();

    let until = options.until(0.1);
    let queries = queries::beside(&server, &mut inserter, reached / 10, until, seed)?;
    keep(BESIDE, name, round, &inserter.course.behind(reached), report);
    keep(QUERIES, name, round, &queries, report);
    let megabytes = bytes_below(&server.files_of(super::loading::DATABASE)) / 1_000_000;
    let written = all.disk_written as f64 / (all.rows.max(1) * ROW_BYTES) as f64;
    let figures = json!({
        "rows": reached,
        "slowest second over median second": slowest,
        "stalls": stalls.len(),
        "longest INSERT ms": longest_ms,
        "bytes written over bytes of rows and entries": written,
        "MB on disk": megabytes,
    });
    progress(&format!("{name}: {figures}"));
    report.figures.insert(format!("{name}, round {round}"), figures);
    let seconds = inserter.course.seconds();
    report.seconds.push(json!({
        "contender": name, "round": round, "rows per second": seconds, "stalls": told,
        "queries beside from second": alone.len(),
    }));
    let checked = check(&server, &inserter, CHECK_TIME);
    Ok(Round { seconds, alone: alone.len(), checked })
}

fn keep(mode: &str, name: &str, round: usize, sample: &Sample, report: &mut Report) {
    let measurement = Measurement::new(mode, name, round, 1, sample);
    let (rate, longest) = (measurement.rows_rate, measurement.max_us / 1e3);
    progress(&format!("{name}, {mode}: {rate:.0} rows/s, longest {longest:.0} ms"));
    report.measurements.push(measurement);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_fails_is_shown_and_is_not_taken_for_a_good_one() {
        let mut report = Report::new("test");
        assert!(note_checked("a", Ok(json!({"seconds": 1})), &mut report));
        assert!(!note_checked("b", Err(anyhow::anyhow!("a row is gone")), &mut report));
        assert_eq!(report.figures["a, checked"], json!({"seconds": 1}));
        assert_eq!(report.figures["b, CHECK FAILED"], "a row is gone");
    }

    #[test]
    fn stalls_are_told_apart_by_what_was_beside() {
        // Slow beside queries, but as slow as all seconds of that part.
        let rates = [100.0, 10.0, 100.0, 100.0, 20.0, 20.0, 5.0, 20.0];
        let seconds: Vec<PaceStep> = (0..).map(f64::from).zip(rates).collect();
        let panel = panel("rowhouse", seconds, 4);
        assert_eq!(panel.stalls, [1.0..2.0, 6.0..7.0]);
        assert!(panel.name.contains("2 seconds of stalls"), "{}", panel.name);
    }
}
