//! Clients that connect within TLS, one after another without an end, beside clients that look rows
//! up in plain text; and what an idle connection within TLS takes of memory.
//!
//! Asked: 1,000 connects a second at most double the p99 of 64 busy connections; the memory of
//! 10,000 idle ones stays within the setting. Each connect is a full handshake, of a client that
//! has never been there.

use std::borrow::Cow;
use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use super::fleet::{MEMCACHED, ROWHOUSE_MEMCACHED, Readable, filler, keys, read_keys, within_tls};
use super::loading::{fill, load_users};
use super::rounds::{Mode, one_turn, read_all};
use super::{Common, progress};
use crate::generator::Wire;
use crate::machine::raise_file_limit;
use crate::peers::{Durability, MemcachedServer, Rowhouse, free_ports};
use crate::plot::Drawing;
use crate::process;
use crate::report::{Layout, Report};
use crate::users::Users;

const ALONE: Mode = Mode { name: Cow::Borrowed("busy alone"), depth: 1, batch: 1 };
const BESIDE: Mode = Mode { name: Cow::Borrowed("busy beside connects"), depth: 1, batch: 1 };
/// Files that the lab and each server need besides the idle connections.
const OTHER_FILES: u64 = 2_000;
/// Threads that connect.
const CONNECTORS: u32 = 4;

/// Options of `handshakes`.
#[derive(Debug, Clone, Args)]
pub struct HandshakesOptions {
    #[command(flatten)]
    common: Common,
    /// Rows.
    #[arg(long, default_value_t = 100_000)]
    rows: u32,
    /// Busy connections.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Connects within TLS a second.
    #[arg(long, default_value_t = 1_000)]
    connects: u32,
    /// Idle connections within TLS.
    #[arg(long, default_value_t = 10_000)]
    idle: usize,
}

/// Someone who is asked in plain text and connected to within TLS.
struct Contender<'a> {
    plain: Readable<'a>,
    tls_port: u16,
}

/// Runs the experiment.
pub fn run(options: &HandshakesOptions) -> Result<()> {
    let common = &options.common;
    // Servers inherit the limit, so it is raised before any starts.
    raise_file_limit(options.idle as u64 + OTHER_FILES)?;
    let users = Users { seed: common.seed, rows: options.rows };
    let mut report = Report::new("handshakes");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("busy connections", options.connections);
    report.setting("connects a second", options.connects);
    report.setting("idle connections", options.idle);

    progress("filling rowhouse");
    let [tls_port] = free_ports()?;
    let mut settings = common.rowhouse(Durability::EveryCommit)?;
    settings.flags.push(format!("--memcached-tls-port={tls_port}"));
    let ours = Rowhouse::start(&settings)?;
    load_users(&mut ours.session("")?, users)?;
    fill(users.rows, || ours.memcached(), || filler(keys(users), users))?;
    report.versions.insert("rowhouse".into(), ours.version.clone());

    progress("filling memcached");
    let file = |name: &str| ours.data_dir().join(name);
    let (certificate, key) = (file("tls-certificate.pem"), file("tls-key.pem"));
    let (memory, threads) = (1024 + users.rows / 4_000, common.server_threads());
    let peer = MemcachedServer::start_with_tls(&certificate, &key, memory, threads)?;
    fill(users.rows, || peer.connect(), || filler(keys(users), users))?;
    report.versions.insert("memcached".into(), peer.version.clone());
    let peer_tls_port = peer.tls_port.context("no port within TLS")?;
    let (of_ours, of_peer) = (ours.server.pid(), peer.server.pid());
    let contender = |name, pid, connect, tls_port| Contender {
        plain: Readable { name, pid, connect },
        tls_port,
    };
    let contenders = [
        contender(ROWHOUSE_MEMCACHED, of_ours, read_keys(users, || ours.memcached()), tls_port),
        contender(MEMCACHED, of_peer, read_keys(users, || peer.connect()), peer_tls_port),
    ];
    for each in &contenders {
        read_all(std::slice::from_ref(&each.plain), users, "", common, &mut report);
    }
    for round in 0..common.rounds {
        for each in contenders.iter().filter(|each| common.wants(each.plain.name)) {
            let windows = both_windows(each, options, users, round, &mut report);
            report.keep(each.plain.name, windows);
        }
    }
    for each in contenders.iter().filter(|each| common.wants(each.plain.name)) {
        let name = each.plain.name;
        let p99 = |mode: Mode| report.spread(&mode.name, name, |window| window.p99_us).median;
        let (alone, beside) = (p99(ALONE), p99(BESIDE));
        if alone > 0.0 && beside > 0.0 {
            let ratio = (beside / alone * 1000.0).round() / 1000.0;
            report.figures.insert(format!("{name}: p99 beside connects over alone"), json!(ratio));
        }
        let bytes = idle_bytes(each, options.idle);
        if let Some(bytes) = report.keep(&format!("{name}, idle within TLS"), bytes) {
            let figure = format!("{name}: resident bytes per idle connection within TLS");
            report.figures.insert(figure, json!(bytes));
        }
    }
    let drawing = Drawing::bars(&report, "p99 in microseconds", |window| window.p99_us);
    common.finish(&report, Layout::Requests, &drawing)
}

fn both_windows(
    contender: &Contender<'_>,
    options: &HandshakesOptions,
    users: Users,
    round: usize,
    report: &mut Report,
) -> Result<()> {
    let (common, busy) = (&options.common, options.connections);
    let alone = one_turn(&contender.plain, &ALONE, users, busy, common, round)?;
    report.measurements.push(alone);
    let (is_over, made) = (AtomicBool::new(false), AtomicU64::new(0));
    let started = Instant::now();
    let (beside, connected) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..CONNECTORS)
            .map(|number| {
                let (is_over, made) = (&is_over, &made);
                let (port, rate) = (contender.tls_port, options.connects);
                scope.spawn(move || connect_on(port, number, rate, is_over, made))
            })
            .collect();
        let beside = one_turn(&contender.plain, &BESIDE, users, busy, common, round);
        is_over.store(true, Ordering::Relaxed);
        let connected: Result<()> =
            threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"));
        (beside, connected)
    });
    let rate = made.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64();
    connected.context("connecting within TLS")?;
    let beside = beside?;
    let name = contender.plain.name;
    progress(&format!(
        "{name}, round {round}: {:.0}/s, p99 {:.0} us beside {rate:.0} connects a second",
        beside.rate, beside.p99_us
    ));
    report.measurements.push(beside);
    let figure = format!("{name}: connects a second that were made, round {round}");
    report.figures.insert(figure, json!(rate.round()));
    Ok(())
}

/// Connects, asks and leaves, its share of so many times a second, until it is over. One that comes
/// too late does not make up for it.
fn connect_on(
    port: u16,
    number: u32,
    rate: u32,
    is_over: &AtomicBool,
    made: &AtomicU64,
) -> Result<()> {
    let pause = Duration::from_secs(1) * CONNECTORS / rate.max(1);
    let mut next = Instant::now() + Duration::from_secs(1) * number / rate.max(1);
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        next = (next + pause).max(Instant::now());
        ask_within_tls(port)?;
        made.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Connects as a client that knows nothing of the server, and asks for its version.
fn ask_within_tls(port: u16) -> Result<Wire> {
    let connector = tls::Connector::unproven()?;
    let mut wire = within_tls(port, &connector)?;
    wire.write_all(b"version\r\n")?;
    ensure!(!wire.send_rest()?, "a request did not leave at once");
    let mut answer = [0; 8];
    wire.read_exact(&mut answer)?;
    ensure!(answer == *b"VERSION ", "the version is {}", answer.escape_ascii());
    Ok(wire)
}

/// Resident bytes of one of so many idle connections, each of which was served once.
fn idle_bytes(contender: &Contender<'_>, count: usize) -> Result<u64> {
    let before = process::rss(contender.plain.pid).unwrap_or(0);
    let mut idle = Vec::with_capacity(count);
    for _ in 0..count {
        idle.push(ask_within_tls(contender.tls_port)?);
    }
    // What a connection gives back when it has been idle for a while is given back by then.
    std::thread::sleep(Duration::from_secs(3));
    let bytes = process::rss(contender.plain.pid).unwrap_or(0).saturating_sub(before);
    Ok(bytes / count.max(1) as u64)
}
