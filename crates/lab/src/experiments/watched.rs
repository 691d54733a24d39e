//! What it costs to be watched: look-ups by key at each door of a server with digests, slow log,
//! audit log of logins, metrics that are scraped each second and the operator's page, and of one
//! that has none of these.
//!
//! Asked: at least 0.98 times the requests per CPU second.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use super::fleet::*;
use super::loading::{DATABASE, fill, load_users};
use super::rounds::{measure, modes_named, read_all};
use super::{Common, progress};
use crate::peers::{Durability, Rowhouse, free_ports};
use crate::plot::Drawing;
use crate::report::{Layout, Report};
use crate::users::Users;

/// How often metrics are scraped.
const SCRAPE_EVERY: Duration = Duration::from_secs(1);

/// Watched over unwatched.
const PAIRS: &[(&str, &str)] = &[
    ("memcached watched", "memcached unwatched"),
    ("handlersocket watched", "handlersocket unwatched"),
    ("tyrant watched", "tyrant unwatched"),
    ("sql text watched", "sql text unwatched"),
    ("sql prepared watched", "sql prepared unwatched"),
];

/// Options of `watched`.
#[derive(Debug, Clone, Args)]
pub struct WatchedOptions {
    #[command(flatten)]
    common: Common,
    /// Rows.
    #[arg(long, default_value_t = 100_000)]
    rows: u32,
    /// Connections.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Only modes whose name contains one of these.
    #[arg(long)]
    mode: Vec<String>,
}

/// Runs the experiment.
pub fn run(options: &WatchedOptions) -> Result<()> {
    let common = &options.common;
    ensure!(options.rows >= 100, "a batch takes 100 different rows");
    let users = Users { seed: common.seed, rows: options.rows };
    let mut report = Report::new("watched");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("connections", options.connections);
    report.setting("durability", "none matters: reads only, after loading");

    progress("filling the server that nobody watches");
    let off = filled(common, users, &["--performance-schema=off".to_owned()])?;
    report.versions.insert("rowhouse".into(), off.version.clone());

    progress("filling the server that is watched");
    let logs = tempfile::tempdir().context("a directory for logs")?;
    let [metrics_port] = free_ports()?;
    let on = filled(
        common,
        users,
        &[
            "--slow-query-log=on".to_owned(),
            format!("--audit-log={}", logs.path().join("audit.log").display()),
            format!("--metrics-port={metrics_port}"),
            "--admin-port=auto".to_owned(),
        ],
    )?;

    let (of_off, of_on) = (off.server.pid(), on.server.pid());
    let lines = |server: &Rowhouse| server.handlersocket_read(&[user_index()]);
    let reader = |name, pid, connect| Readable { name, pid, connect };
    let contenders = [
        reader("memcached unwatched", of_off, read_keys(users, || off.memcached())),
        reader("memcached watched", of_on, read_keys(users, || on.memcached())),
        reader("handlersocket unwatched", of_off, read_handlersocket(users, || lines(&off))),
        reader("handlersocket watched", of_on, read_handlersocket(users, || lines(&on))),
        reader("tyrant unwatched", of_off, read_records(users, || off.tyrant())),
        reader("tyrant watched", of_on, read_records(users, || on.tyrant())),
        reader("sql text unwatched", of_off, read_text(users, || off.session(DATABASE))),
        reader("sql text watched", of_on, read_text(users, || on.session(DATABASE))),
        reader("sql prepared unwatched", of_off, read_prepared(users, || off.session(DATABASE))),
        reader("sql prepared watched", of_on, read_prepared(users, || on.session(DATABASE))),
    ];
    let modes = modes_named(&options.mode);
    let (is_over, scrapes) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let scraping = scope.spawn(|| scrape(metrics_port, &is_over, &scrapes));
        read_all(&contenders, users, "", common, &mut report);
        measure(&contenders, &modes, users, options.connections, common, &mut report);
        is_over.store(true, Ordering::Relaxed);
        scraping.join().expect("no panic")
    })?;
    report.figures.insert("scrapes of metrics".into(), json!(scrapes.into_inner()));
    report.compare(PAIRS);
    let drawing = Drawing::bars(&report, "requests per second of server CPU time", |window| {
        window.per_cpu_second
    });
    common.finish(&report, Layout::Requests, &drawing)
}

/// A server with the rows that each door reads.
fn filled(common: &Common, users: Users, flags: &[String]) -> Result<Rowhouse> {
    let mut settings = common.rowhouse(Durability::EveryCommit)?;
    settings.flags.extend_from_slice(flags);
    let server = Rowhouse::start(&settings)?;
    load_users(&mut server.session("")?, users)?;
    fill(users.rows, || server.memcached(), || filler(keys(users), users))?;
    fill(users.rows, || server.tyrant(), || filler(records(users), users))?;
    Ok(server)
}

/// Asks for all metrics again and again until it is over.
fn scrape(port: u16, is_over: &AtomicBool, scrapes: &AtomicU64) -> Result<()> {
    while !is_over.load(Ordering::Relaxed) {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).context("the metrics' port")?;
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        ensure!(answer.starts_with(b"HTTP/1.1 200 "), "the metrics were refused");
        scrapes.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(SCRAPE_EVERY);
    }
    Ok(())
}
