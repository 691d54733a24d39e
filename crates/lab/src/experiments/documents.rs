//! Documents with indexes: Tokyo Tyrant's table queries against the same questions in SQL.
//!
//! Both keep documents in a JSON column. Rowhouse has member indexes of `age` (DECIMAL) and `name`
//! (LEXICAL), made by `setindex`; MariaDB has stored generated columns with an index each. One
//! client asks both in turn, and their answers must have the same records.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::loading::DATABASE;
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, MariaDb, MariaDbSettings, Rowhouse};
use crate::plot::Drawing;
use crate::process;
use crate::protocols::{mysql, tyrant};
use crate::report::{Layout, Measurement, Report};

const ROWHOUSE: &str = "rowhouse tyrant";
const MARIADB: &str = "mariadb sql text";
const TABLE: &str = "tyrant.documents";
/// Ages are below this, whatever the number of documents.
const AGES: u32 = 100_000;
const WORDS: [&str; 8] = ["red", "green", "blue", "old", "new", "small", "large", "rare"];
const BUFFER_POOL_MIB: u32 = 4096;
const LINES_PER_CHUNK: u32 = 1_000;

/// Options of `documents`.
#[derive(Debug, Clone, Args)]
pub struct DocumentsOptions {
    #[command(flatten)]
    common: Common,
    /// Documents.
    #[arg(long, default_value_t = 1_000_000)]
    rows: u32,
    /// Questions of each kind and round; a hundredth of them where all documents are read.
    #[arg(long, default_value_t = 300)]
    questions: u32,
}

/// A kind of question: by its numbers, elements of `search` and a condition of SQL.
struct QuestionKind {
    name: &'static str,
    /// Whether one of the two reads all documents.
    reads_all: bool,
    ask: fn(&mut SmallRng, u32) -> (Vec<String>, String),
}

const KINDS: [QuestionKind; 9] = [
    QuestionKind {
        name: "name equals",
        reads_all: false,
        ask: |rng, rows| {
            let name = name(rng.random_range(0..rows));
            (vec![condition("name", "STREQ", &name)], format!("name = '{name}'"))
        },
    },
    QuestionKind {
        name: "age equals",
        reads_all: false,
        ask: |rng, _| {
            let age = rng.random_range(0..AGES);
            (vec![condition("age", "NUMEQ", &age.to_string())], format!("age = {age}"))
        },
    },
    QuestionKind { name: "ages of a range of 10", reads_all: false, ask: |rng, _| ages(rng, 10) },
    QuestionKind {
        name: "ages of a range of 1000",
        reads_all: false,
        ask: |rng, _| ages(rng, 1000),
    },
    QuestionKind {
        name: "name begins",
        reads_all: false,
        ask: |rng, rows| {
            let front = name(rng.random_range(0..rows))[..9].to_owned();
            (vec![condition("name", "STRBW", &front)], format!("name LIKE '{front}%'"))
        },
    },
    QuestionKind {
        name: "age from, in order, 10",
        reads_all: false,
        ask: |rng, _| {
            let age = rng.random_range(0..AGES / 2);
            let elements = vec![
                condition("age", "NUMGE", &age.to_string()),
                element(&["setorder", "age", "2"]),
            ];
            let limited = [elements, vec![element(&["setlimit", "10"])]].concat();
            (limited, format!("age >= {age} ORDER BY age, pk LIMIT 10"))
        },
    },
    QuestionKind {
        name: "names downwards, 10",
        // MariaDB sorts them.
        reads_all: true,
        ask: |rng, _| {
            let skipped = rng.random_range(0..100);
            let elements = vec![
                element(&["setorder", "name", "1"]),
                element(&["setlimit", "10", &skipped.to_string()]),
            ];
            (elements, format!("TRUE ORDER BY name DESC, pk LIMIT 10 OFFSET {skipped}"))
        },
    },
    QuestionKind {
        name: "ages of a range of 100, part of a name",
        reads_all: false,
        ask: |rng, _| {
            let (mut elements, sql) = ages(rng, 100);
            elements.push(condition("name", "STRINC", "77"));
            (elements, format!("{sql} AND name LIKE '%77%'"))
        },
    },
    QuestionKind {
        name: "words match",
        reads_all: true,
        ask: |rng, _| {
            let pattern = format!("w{}[0-9]$", rng.random_range(0..1000));
            let sql = format!("JSON_VALUE(columns, '$.words') REGEXP '{pattern}'");
            (vec![condition("words", "STRRX", &pattern)], sql)
        },
    },
];

fn element(words: &[&str]) -> String {
    words.join("\0")
}

fn condition(column: &str, operator: &str, expression: &str) -> String {
    element(&["addcond", column, operator, expression])
}

fn ages(rng: &mut SmallRng, count: u32) -> (Vec<String>, String) {
    let first = rng.random_range(0..AGES - count);
    let last = first + count - 1;
    let elements = vec![condition("age", "NUMBT", &format!("{first} {last}"))];
    (elements, format!("age BETWEEN {first} AND {last}"))
}

fn name(number: u32) -> String {
    format!("user{number:07}")
}

/// Runs the experiment.
pub fn run(options: &DocumentsOptions) -> Result<()> {
    let common = &options.common;
    ensure!(options.rows >= 100 && options.questions > 0, "too few documents or questions");
    let mut report = Report::new("documents");
    common.note(&mut report);
    report.setting("documents", options.rows);
    report.setting("mariadb's buffer pool in MiB", BUFFER_POOL_MIB);
    let rowhouse = start_rowhouse(options, &mut report)?;
    let mariadb = start_mariadb(options, &mut report)?;
    let mut search = rowhouse.tyrant()?;
    let mut session = mariadb.session(DATABASE)?;
    for round in 0..common.rounds {
        for kind in &KINDS {
            // What is found by an index is asked for once before it is measured: servers that have
            // been at work have it in memory, and who was loaded through its cache has it already.
            let (count, passes) = match kind.reads_all {
                true => (options.questions.div_ceil(100), 1),
                false => (options.questions, 2),
            };
            let mut samples = [Sample::new(), Sample::new()];
            for _ in 0..passes {
                samples = [Sample::new(), Sample::new()];
                let mut rng = SmallRng::seed_from_u64(common.seed ^ ((round as u64) << 32));
                for _ in 0..count {
                    let (elements, sql) = (kind.ask)(&mut rng, options.rows);
                    let ours = timed(&mut samples[0], rowhouse.server.pid(), || {
                        keys_found(&mut search, elements)
                    })?;
                    let theirs = timed(&mut samples[1], mariadb.server.pid(), || {
                        let sql = format!("SELECT pk, columns FROM documents WHERE {sql}");
                        Ok(session.query(&sql)?.into_iter().map(|row| row[0].clone()).collect())
                    })?;
                    if sorted(ours) != sorted(theirs) {
                        samples[0].wrong += 1;
                        samples[0].note_bad("wrong", sql.as_bytes());
                    }
                }
            }
            for (contender, sample) in [ROWHOUSE, MARIADB].into_iter().zip(&samples) {
                let median = sample.latency_us(0.5);
                progress(&format!("{contender}, {}, round {round}: {median:.0} us", kind.name));
                report.measurements.push(Measurement::new(kind.name, contender, round, 1, sample));
            }
        }
    }
    report.compare(&[(ROWHOUSE, MARIADB)]);
    let drawing = Drawing::bars(&report, "questions per second", |window| window.rate);
    common.finish(&report, Layout::Requests, &drawing)
}

/// Times one question, and counts the time that the server has worked.
fn timed<T>(sample: &mut Sample, pid: u32, ask: impl FnOnce() -> Result<T>) -> Result<T> {
    let cpu_before = process::cpu_seconds(pid).unwrap_or(0.0);
    let began = Instant::now();
    let answer = ask()?;
    let took = began.elapsed();
    sample.count(took.as_nanos() as u64, 1);
    sample.seconds += took.as_secs_f64();
    sample.pause.length = sample.pause.length.max(took);
    sample.server_cpu += process::cpu_seconds(pid).unwrap_or(0.0) - cpu_before;
    sample.server_rss = process::rss_peak(pid).unwrap_or(0);
    Ok(answer)
}

fn sorted(mut keys: Vec<Option<Vec<u8>>>) -> Vec<Option<Vec<u8>>> {
    keys.sort();
    keys
}

/// The primary keys of the documents that a search gives, with all of their columns.
fn keys_found(stream: &mut TcpStream, mut elements: Vec<String>) -> Result<Vec<Option<Vec<u8>>>> {
    elements.push("get".to_owned());
    let elements: Vec<&[u8]> = elements.iter().map(String::as_bytes).collect();
    let hits = tyrant::misc(stream, b"search", &elements)?;
    Ok(hits.iter().map(|hit| hit.split(|byte| *byte == 0).nth(1).map(<[u8]>::to_vec)).collect())
}

/// Lines of `pk TAB json`.
fn lines(seed: u64, rows: u32) -> impl Iterator<Item = Vec<u8>> {
    (0..rows.div_ceil(LINES_PER_CHUNK)).map(move |chunk| {
        let first = chunk * LINES_PER_CHUNK;
        let line = |number: u32| {
            let mut rng = SmallRng::seed_from_u64(seed ^ u64::from(number) << 20);
            let words: Vec<&str> =
                (0..5).map(|_| WORDS[rng.random_range(0..WORDS.len())]).collect();
            format!(
                "k{number:07}\t{{\"age\": \"{}\", \"name\": \"{}\", \"words\": \"{} w{}\"}}\n",
                rng.random_range(0..AGES),
                name(rng.random_range(0..rows)),
                words.join(" "),
                rng.random_range(0..50_000),
            )
        };
        (first..rows.min(first + LINES_PER_CHUNK)).map(line).collect::<String>().into_bytes()
    })
}

fn start_rowhouse(options: &DocumentsOptions, report: &mut Report) -> Result<Rowhouse> {
    progress("loading rowhouse");
    let mut settings = options.common.rowhouse(Durability::EverySecond)?;
    settings.flags.push(format!("--tyrant-database={TABLE}"));
    let peer = Rowhouse::start(&settings)?;
    report.versions.insert("rowhouse".to_owned(), peer.version.clone());
    let session = &mut peer.session("tyrant")?;
    load(session, "documents", options, "rowhouse", report)?;
    let stream = &mut peer.tyrant()?;
    stream.set_read_timeout(Some(Duration::from_secs(600)))?;
    for (column, kind) in [("age", "1"), ("name", "0")] {
        let began = Instant::now();
        tyrant::misc(stream, b"setindex", &[column.as_bytes(), kind.as_bytes()])
            .context("setindex")?;
        note(report, &format!("rowhouse: setindex {column}, seconds"), began);
    }
    Ok(peer)
}

fn start_mariadb(options: &DocumentsOptions, report: &mut Report) -> Result<MariaDb> {
    progress("loading mariadb");
    let peer = MariaDb::start(MariaDbSettings {
        buffer_pool_mib: BUFFER_POOL_MIB,
        flush_log: Durability::EverySecond.flush_log(),
        handlersocket_threads: 1,
    })?;
    report.versions.insert("mariadb".to_owned(), peer.version.clone());
    let session = &mut peer.session("")?;
    session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
    session.execute(&format!("USE {DATABASE}"))?;
    session.execute(
        "CREATE TABLE documents (pk VARBINARY(1024) PRIMARY KEY, columns JSON, \
         age INT AS (JSON_VALUE(columns, '$.age')) STORED, \
         name VARCHAR(100) COLLATE utf8mb4_bin AS (JSON_VALUE(columns, '$.name')) STORED, \
         KEY (age), KEY (name))",
    )?;
    load(session, "documents (pk, columns)", options, "mariadb, with both indexes", report)?;
    session.query("ANALYZE TABLE documents")?;
    Ok(peer)
}

fn load(
    session: &mut mysql::MysqlSession,
    into: &str,
    options: &DocumentsOptions,
    who: &str,
    report: &mut Report,
) -> Result<()> {
    let sql = format!("LOAD DATA LOCAL INFILE 'documents' INTO TABLE {into}");
    let began = Instant::now();
    let (rows, info) = session.load_data(&sql, lines(options.common.seed, options.rows))?;
    ensure!(rows == u64::from(options.rows), "LOAD DATA took {rows} rows: {info}");
    note(report, &format!("{who}: load, seconds"), began);
    Ok(())
}

fn note(report: &mut Report, what: &str, began: Instant) {
    let tenths = (began.elapsed().as_secs_f64() * 10.0).round() / 10.0;
    report.figures.insert(what.to_owned(), serde_json::json!(tenths));
}
