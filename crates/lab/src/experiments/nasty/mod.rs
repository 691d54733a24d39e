//! Nasty statements: what a server does when some clients send statements that would end, fill or
//! hang it, while others look rows up by key.
//!
//! First the others are alone for a while, then beside the nasty ones. The process must live, its
//! memory stay within the setting and a tenth, the others' 99th percentile at most double, and a
//! statement end within a second of its time, its KILL or its client's leaving.
//!
//! Not here: the statements (`statements`).

mod statements;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::json;

use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, Rowhouse};
use crate::plot::Drawing;
use crate::process;
use crate::protocols::mysql::{End, MysqlSession};
use crate::report::{Layout, Measurement, Report};
use statements::{ROWS, SORTS};

const NAME: &str = "rowhouse sql text";
const DATABASE: &str = "nasty";
/// The part of the time for which the others are alone.
const ALONE_PART: f64 = 0.2;
const ALONE_SECONDS_MAX: f64 = 30.0;
/// Between two look-ups of one client.
const PAUSE: Duration = Duration::from_micros(500);
/// What a nasty session may take for a statement before the server ends it, in seconds.
const STATEMENT_SECONDS: u64 = 1;
/// When a client calls the end of its statement late: that time, a second to notice it, and one
/// because the machine is busy.
const LATE: Duration = Duration::from_secs(3);
/// ER_OUT_OF_RESOURCES.
const OUT_OF_MEMORY: u16 = 1041;
/// Between two looks at the server's memory.
const LOOK: Duration = Duration::from_millis(20);

/// Options of `nasty`.
#[derive(Debug, Clone, Args)]
pub struct NastyOptions {
    #[command(flatten)]
    common: Common,
    /// Clients that send nasty statements.
    #[arg(long, default_value_t = 4)]
    nasty: usize,
    /// Clients that look rows up.
    #[arg(long, default_value_t = 4)]
    others: usize,
    /// Only the sorts whose name has this in it.
    #[arg(long, default_value = "")]
    sort: String,
}

/// What became of the statements of one sort.
#[derive(Debug, Default, Clone, serde::Serialize)]
struct Ends {
    done: u64,
    /// By error number.
    refused: BTreeMap<u16, u64>,
    /// Its client left in the middle.
    left: u64,
    /// It did not end in its time.
    late: u64,
    /// The connection broke.
    broken: u64,
    slowest_ms: u64,
}

/// What all threads share.
struct Arena<'a> {
    options: &'a NastyOptions,
    port: u16,
    over: AtomicBool,
    ends: Mutex<BTreeMap<&'static str, Ends>>,
    /// Statements that were late, or after which the connection broke: beginnings.
    worst: Mutex<Vec<String>>,
    rss_max: AtomicU64,
}

/// Runs the experiment.
pub fn run(options: &NastyOptions) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("nasty");
    common.note(&mut report);
    report.setting("nasty clients", options.nasty);
    report.setting("other clients", options.others);
    let outcome = play(options, &mut report);
    report.keep(NAME, outcome);
    let drawing = Drawing::bars(&report, "ms (99th percentile)", |window| window.p99_us / 1e3);
    common.finish(&report, Layout::Requests, &drawing)?;
    match report.not_run.get(NAME) {
        Some(why) => bail!("{why}"),
        None => Ok(()),
    }
}

fn play(options: &NastyOptions, report: &mut Report) -> Result<()> {
    let common = &options.common;
    let peer = Rowhouse::start(&common.rowhouse(Durability::Os)?)?;
    report.versions.insert("rowhouse".to_owned(), peer.version.clone());
    fill(&peer)?;
    let arena = Arena {
        options,
        port: peer.doors.mysql.context("no MySQL door")?,
        over: AtomicBool::new(false),
        ends: Mutex::default(),
        worst: Mutex::default(),
        rss_max: AtomicU64::new(0),
    };
    let alone = (common.seconds * ALONE_PART).min(ALONE_SECONDS_MAX);
    progress("the others alone");
    let before = window("alone", &arena, alone, report)?;
    progress("beside nasty statements");
    let after = thread::scope(|scope| {
        for number in 0..options.nasty {
            let arena = &arena;
            scope.spawn(move || torment(arena, number as u64));
        }
        let arena = &arena;
        let pid = peer.server.pid();
        scope.spawn(move || watch_memory(arena, pid));
        let after = window("beside nasty statements", arena, common.seconds, report);
        arena.over.store(true, Ordering::Relaxed);
        after
    })?;
    judge(&peer, &arena, (before, after), report)
}

/// The table that statements are nasty about, and one that they may change.
fn fill(peer: &Rowhouse) -> Result<()> {
    let mut session = peer.session("")?;
    session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
    session.execute(&format!("USE {DATABASE}"))?;
    session.execute("CREATE TABLE n (i INT PRIMARY KEY, t VARCHAR(100), KEY (t))")?;
    for from in (0..ROWS).step_by(1_000) {
        let rows: Vec<String> = (from..from + 1_000).map(|i| format!("({i},'text {i}')")).collect();
        session.execute(&format!("INSERT INTO n VALUES {}", rows.join(",")))?;
    }
    session.execute("CREATE TABLE own (id INT PRIMARY KEY AUTO_INCREMENT, b LONGTEXT)")?;
    session.execute("INSERT INTO own (b) VALUES ('b')")?;
    Ok(())
}

/// Look-ups for so long; gives their 99th percentile in microseconds.
fn window(mode: &str, arena: &Arena<'_>, seconds: f64, report: &mut Report) -> Result<f64> {
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let samples: Vec<Result<Sample>> = thread::scope(|scope| {
        let clients: Vec<_> = (0..arena.options.others)
            .map(|number| scope.spawn(move || look_up(arena.port, number as u64, until)))
            .collect();
        let join = |client: thread::ScopedJoinHandle<'_, Result<Sample>>| client.join();
        clients.into_iter().map(|client| join(client).expect("a client's thread")).collect()
    });
    let mut whole = Sample::new();
    for sample in samples {
        whole.merge(sample?);
    }
    whole.seconds = seconds;
    let measurement = Measurement::new(mode, NAME, 0, arena.options.others, &whole);
    let p99 = measurement.p99_us;
    report.measurements.push(measurement);
    Ok(p99)
}

fn look_up(port: u16, number: u64, until: Instant) -> Result<Sample> {
    let mut session = MysqlSession::connect(port, DATABASE)?;
    let mut rng = SmallRng::seed_from_u64(number);
    let mut sample = Sample::new();
    while Instant::now() < until {
        let id = rng.random_range(0..ROWS);
        let asked = Instant::now();
        match session.query(&format!("SELECT t FROM n WHERE i = {id}")) {
            Ok(rows) => {
                let expected = format!("text {id}").into_bytes();
                let right = rows == [vec![Some(expected)]];
                sample.wrong += u64::from(!right);
                sample.count(asked.elapsed().as_nanos() as u64, 1);
            }
            Err(error) => {
                sample.refused += 1;
                sample.first_bad.get_or_insert_with(|| format!("{error:#}"));
                session = MysqlSession::connect(port, DATABASE)?;
            }
        }
        thread::sleep(PAUSE);
    }
    Ok(sample)
}

/// Sends nasty statements, and leaves in the middle of some.
fn torment(arena: &Arena<'_>, number: u64) {
    let seed = arena.options.common.seed ^ (number + 1) << 32;
    let mut rng = SmallRng::seed_from_u64(seed);
    let sorts: Vec<_> =
        SORTS.iter().filter(|(name, _)| name.contains(&arena.options.sort)).collect();
    let mut session = None;
    while !arena.over.load(Ordering::Relaxed) {
        let (name, make) = *sorts[rng.random_range(0..sorts.len())];
        let statement = make(&mut rng);
        let leaves = rng.random_range(0..8) == 0;
        let patience = if leaves { Duration::from_millis(rng.random_range(10..500)) } else { LATE };
        let mut own = match session.take().map_or_else(|| enter(arena.port), Ok) {
            Ok(own) => own,
            Err(error) => {
                note(arena, name, |ends| ends.broken += 1);
                keep(arena, &format!("no connection before {name}: {error:#}"));
                thread::sleep(LOOK);
                continue;
            }
        };
        let began = Instant::now();
        let end = own.endure(&statement, patience);
        let millis = began.elapsed().as_millis() as u64;
        note(arena, name, |ends| {
            ends.slowest_ms = ends.slowest_ms.max(millis);
            match &end {
                Ok(End::Done | End::Rows(_)) => ends.done += 1,
                Ok(End::Refused { code, .. }) => *ends.refused.entry(*code).or_default() += 1,
                Ok(End::Late) if leaves => ends.left += 1,
                Ok(End::Late) => ends.late += 1,
                Err(_) => ends.broken += 1,
            }
        });
        match end {
            Ok(End::Done | End::Rows(_)) => session = Some(own),
            Ok(End::Refused { code, message }) => {
                // What is no limit is a defect.
                if matches!(code, 1105 | 2013) {
                    keep(arena, &format!("{message}: {}", beginning(&statement)));
                }
                // The client that holds most of the memory when there is none left is told so and
                // closed.
                let closed = code == OUT_OF_MEMORY && own.execute("DO 0").is_err();
                session = (!closed).then_some(own);
            }
            Ok(End::Late) if leaves => {}
            Ok(End::Late) => keep(arena, &format!("late: {}", beginning(&statement))),
            Err(error) => keep(arena, &format!("{error:#}: {}", beginning(&statement))),
        }
    }
}

fn enter(port: u16) -> Result<MysqlSession> {
    let mut session = MysqlSession::connect(port, DATABASE)?;
    session.execute(&format!("SET SESSION max_statement_time = {STATEMENT_SECONDS}"))?;
    session.execute("SET SESSION group_concat_max_len = 1000000000")?;
    Ok(session)
}

fn beginning(statement: &str) -> String {
    statement.chars().take(150).collect()
}

fn note(arena: &Arena<'_>, sort: &'static str, change: impl FnOnce(&mut Ends)) {
    let mut ends = arena.ends.lock().unwrap_or_else(PoisonError::into_inner);
    change(ends.entry(sort).or_default());
}

fn keep(arena: &Arena<'_>, what: &str) {
    let mut worst = arena.worst.lock().unwrap_or_else(PoisonError::into_inner);
    if worst.len() < 50 {
        progress(what);
        worst.push(what.to_owned());
    }
}

fn watch_memory(arena: &Arena<'_>, pid: u32) {
    while !arena.over.load(Ordering::Relaxed) {
        if let Some(bytes) = process::rss(pid) {
            arena.rss_max.fetch_max(bytes, Ordering::Relaxed);
        }
        thread::sleep(LOOK);
    }
}

/// What must hold afterwards.
fn judge(
    peer: &Rowhouse,
    arena: &Arena<'_>,
    (before, after): (f64, f64),
    report: &mut Report,
) -> Result<()> {
    let ends = arena.ends.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let worst = arena.worst.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let rss = arena.rss_max.load(Ordering::Relaxed);
    let late: u64 = ends.values().map(|ends| ends.late).sum();
    let broken: u64 = ends.values().map(|ends| ends.broken).sum();
    let figures = &mut report.figures;
    figures.insert("ends".to_owned(), json!(ends));
    figures.insert("late or broken".to_owned(), json!(worst));
    figures.insert("resident bytes at most".to_owned(), json!(rss));
    figures.insert("p99 beside over alone".to_owned(), json!(after / before.max(1.0)));
    // Statements of clients that have left are ended, too.
    let mut session = peer.session(DATABASE).context("the server is gone")?;
    let until = Instant::now() + LATE;
    let rest = loop {
        let running = "SELECT COUNT(*) FROM information_schema.processlist \
                       WHERE command = 'Query' AND id <> CONNECTION_ID()";
        match session.number(running)? {
            0 => break 0,
            rest if Instant::now() > until => break rest,
            _ => thread::sleep(LOOK),
        }
    };
    figures.insert("statements left over".to_owned(), json!(rest));
    if late + broken + rest > 0 {
        bail!("{late} statements were late, {broken} connections broke, {rest} run on: {worst:#?}");
    }
    Ok(())
}
