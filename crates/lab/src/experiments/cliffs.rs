//! Cliffs: what a row costs from few rows to many, and where that jumps.
//!
//! ```text
//! t(id, k, pad, KEY k (k))     k: the numbers from 1 to the rows, in no order; pad: 88 characters
//! u(id, v)                     a row for each of t
//!
//! ten shapes of a query over n rows, n doubling from --least to all rows:
//!   count max sum group distinct join ordered      of a range of k, whose entries tell all
//!   pad texts                                      of a range of k, whose rows are read
//!   primary                                        of a range of id
//! ```
//! Each is asked with literals of its own, again and again for a window, and what it says must be
//! the same everywhere. Printed are microseconds of the server's CPU time for a row (or of time,
//! with --wall), and how many times as many as for half of the rows.
//!
//! Asked: no step over 2, and nowhere more than 1.5 times of either peer's time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::json;

use super::timed::timed;
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, Engine};
use crate::plot::Drawing;
use crate::process::await_rest;
use crate::protocols::mysql::{MysqlSession, TextRow};
use crate::report::{Layout, Measurement, Report};

const ENGINES: [Engine; 3] = [Engine::Rowhouse, Engine::InnoDb, Engine::MySql];
/// Rows of one chunk of the load.
const CHUNK_ROWS: u64 = 10_000;
/// How long a server may need until it rests.
const REST: Duration = Duration::from_secs(60);
/// How often a query is asked for one figure, at least.
const RUNS_MIN: u64 = 2;

/// The queries, by name; `{n}`: the last of the range, `{m}`: the one before.
const SHAPES: [(&str, &str); 10] = [
    ("count", "SELECT COUNT(*) FROM t WHERE k BETWEEN 1 AND {n}"),
    ("max", "SELECT MAX(id) FROM t WHERE k BETWEEN 1 AND {n}"),
    ("sum", "SELECT SUM(k) FROM t WHERE k BETWEEN 1 AND {n}"),
    ("group", "SELECT k, COUNT(*) FROM t WHERE k BETWEEN 1 AND {n} GROUP BY k HAVING COUNT(*) > 1"),
    ("distinct", "SELECT COUNT(DISTINCT k) FROM t WHERE k BETWEEN 1 AND {n}"),
    ("join", "SELECT SUM(u.v) FROM t JOIN u ON u.id = t.k WHERE t.k BETWEEN 1 AND {n}"),
    ("ordered", "SELECT k, id FROM t WHERE k BETWEEN 1 AND {n} ORDER BY k LIMIT {m}, 1"),
    ("pad", "SELECT SUM(LENGTH(pad)) FROM t WHERE k BETWEEN 1 AND {n}"),
    ("texts", "SELECT MAX(pad) FROM t WHERE k BETWEEN 1 AND {n}"),
    ("primary", "SELECT SUM(LENGTH(pad)) FROM t WHERE id BETWEEN 1 AND {n}"),
];

/// CliffsOptions of `cliffs`.
#[derive(Debug, Clone, Args)]
pub struct CliffsOptions {
    #[command(flatten)]
    common: Common,
    /// Rows.
    #[arg(long, default_value_t = 5_120_000, value_parser = clap::value_parser!(u64).range(2..))]
    rows: u64,
    /// The fewest rows that are asked for.
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
    least: u64,
    /// Memory for each server's caches, in MiB.
    #[arg(long, default_value_t = 1024)]
    memory_mib: u32,
    /// Only shapes whose name contains one of these.
    #[arg(long)]
    shape: Vec<String>,
    /// Time instead of the server's CPU time.
    #[arg(long)]
    wall: bool,
}

/// Microseconds a row, by shape, then by rows.
type ShapeFigures = BTreeMap<&'static str, Vec<(u64, f64)>>;

/// Runs the experiment.
pub fn run(options: &CliffsOptions) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("cliffs");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("caches in MiB", options.memory_mib);
    report.setting("figures of", if options.wall { "time" } else { "CPU time" });
    let mut answers = BTreeMap::new();
    // One after the other: two large tables at once would share the page cache.
    for engine in ENGINES.iter().filter(|engine| common.wants(engine.name())) {
        let course = one_engine(*engine, options, &mut answers, &mut report);
        if let Some(course) = report.keep(engine.name(), course) {
            for (shape, figures) in &course {
                let label = format!("{}, {shape}", engine.name());
                let figures = figures.iter().map(|(rows, us)| json!({ "rows": rows, "us": us }));
                report.figures.insert(label, figures.collect::<Vec<_>>().into());
            }
            print(*engine, &course);
        }
    }
    report.compare(&[
        (Engine::Rowhouse.name(), Engine::InnoDb.name()),
        (Engine::Rowhouse.name(), Engine::MySql.name()),
    ]);
    let drawing = Drawing::bars(&report, "rows per second", |window| window.rows_rate);
    common.finish(&report, Layout::Rows, &drawing)
}

/// How many rows are asked for, one after the other.
fn sizes(options: &CliffsOptions) -> impl Iterator<Item = u64> {
    let next = |n: &u64| Some(n * 2);
    std::iter::successors(Some(options.least.min(options.rows)), next)
        .take_while(|n| *n <= options.rows)
}

fn one_engine(
    engine: Engine,
    options: &CliffsOptions,
    answers: &mut BTreeMap<String, Vec<TextRow>>,
    report: &mut Report,
) -> Result<ShapeFigures> {
    let common = &options.common;
    let server = common.engine(engine, Durability::EverySecond, options.memory_mib)?;
    report.versions.insert(engine.name().to_owned(), server.version().to_owned());
    let mut session = server.session()?;
    load(&mut session, engine, options.rows)?;
    await_rest(server.pid(), REST);
    progress(&format!("{}: {} rows are there", engine.name(), options.rows));
    let mut course = ShapeFigures::new();
    let wanted = |name: &str| {
        options.shape.is_empty() || options.shape.iter().any(|part| name.contains(part.as_str()))
    };
    for (name, shape) in SHAPES.iter().filter(|(name, _)| wanted(name)) {
        for rows in sizes(options) {
            let query = shape.replace("{n}", &rows.to_string());
            let query = query.replace("{m}", &(rows - 1).to_string());
            let answer = session.query(&query)?;
            let known = answers.entry(query.clone()).or_insert_with(|| answer.clone());
            ensure!(*known == answer, "{query}: {answer:?}, {known:?} by another server");
            let sample = asked(server.pid(), &mut session, &query, rows, common.seconds)?;
            let seconds = if options.wall { sample.seconds } else { sample.server_cpu };
            let us = seconds * 1e6 / sample.rows.max(1) as f64;
            course.entry(*name).or_default().push((rows, us));
            let (mode, who) = (format!("{name}, {rows} rows"), engine.name());
            report.measurements.push(Measurement::new(&mode, who, 0, 1, &sample));
        }
        progress(&format!("{}: {name}", engine.name()));
    }
    Ok(course)
}

/// One query, again and again for a window.
fn asked(
    pid: u32,
    session: &mut MysqlSession,
    query: &str,
    rows: u64,
    seconds: f64,
) -> Result<Sample> {
    let rows = u32::try_from(rows)?;
    timed(pid, |sample| {
        let began = Instant::now();
        while sample.requests < RUNS_MIN || began.elapsed().as_secs_f64() < seconds {
            let asked = Instant::now();
            session.query(query)?;
            sample.count(asked.elapsed().as_nanos() as u64, rows);
        }
        Ok(())
    })
}

/// Makes both tables.
fn load(session: &mut MysqlSession, engine: Engine, rows: u64) -> Result<()> {
    let clause = engine.clause();
    session.execute("CREATE DATABASE cliffs")?;
    session.execute("USE cliffs")?;
    session.execute(&format!(
        "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT NOT NULL, pad CHAR(100) NOT NULL, KEY k (k)){clause}"
    ))?;
    session.execute(&format!(
        "CREATE TABLE u (id INT NOT NULL PRIMARY KEY, v INT NOT NULL){clause}"
    ))?;
    let starts = (1..=rows).step_by(CHUNK_ROWS as usize);
    let chunk = |start: u64, line: &dyn Fn(u64, &mut String)| {
        let mut text = String::new();
        (start..(start + CHUNK_ROWS).min(rows + 1)).for_each(|id| line(id, &mut text));
        text.into_bytes()
    };
    let step = step_through(rows);
    let of_t = |id: u64, text: &mut String| {
        let k = 1 + (id * step) % rows;
        let _ = writeln!(text, "{id}\t{k}\t{}", format!("{k:08}").repeat(11));
    };
    let of_u = |id: u64, text: &mut String| {
        let _ = writeln!(text, "{id}\t{}", id % 1000);
    };
    let into = |table| format!("LOAD DATA LOCAL INFILE 'rows' INTO TABLE {table}");
    session.load_data(&into("t"), starts.clone().map(|start| chunk(start, &of_t)))?;
    session.load_data(&into("u"), starts.map(|start| chunk(start, &of_u)))?;
    let (keys, sum) = (session.number("SELECT COUNT(DISTINCT k) FROM t")?, rows);
    ensure!(keys == sum, "{keys} keys of {rows} rows");
    Ok(())
}

/// A step that meets every number below `rows` once, and neighbours far from each other.
fn step_through(rows: u64) -> u64 {
    let divisor = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let from = (rows as f64 * 0.618) as u64 | 1;
    (from..).find(|step| divisor(*step, rows) == 1).unwrap_or(1)
}

/// A line for each shape: microseconds a row, and the step from one to the next.
fn print(engine: Engine, course: &ShapeFigures) {
    let mut text = format!("{}: us a row, and the step\n", engine.name());
    for (shape, figures) in course {
        let _ = write!(text, "{shape:<9}");
        let mut before: Option<f64> = None;
        for (rows, us) in figures {
            let step = before.map_or(1.0, |before| us / before.max(1e-9));
            let _ = write!(text, "  {rows}: {us:.2} x{step:.1}");
            before = Some(*us);
        }
        text.push('\n');
    }
    // A closed output is no reason to fail.
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}
