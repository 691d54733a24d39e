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
use serde_json::json;

use super::fleet::*;
use super::loading::DATABASE;
use super::progress;
use super::rounds::ReadingOptions;
use crate::peers::{Rowhouse, free_ports};

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

/// Runs the experiment.
pub fn run(options: &ReadingOptions) -> Result<()> {
    let options = &options.with_one_loop();
    let common = &options.common;
    let (users, mut report) = options.begin("watched")?;

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
    let (is_over, scrapes) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let scraping = scope.spawn(|| scrape(metrics_port, &is_over, &scrapes));
        options.measure(&contenders, users, &mut report);
        is_over.store(true, Ordering::Relaxed);
        scraping.join().expect("no panic")
    })?;
    report.figures.insert("scrapes of metrics".into(), json!(scrapes.into_inner()));
    options.finish(report, PAIRS)
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
