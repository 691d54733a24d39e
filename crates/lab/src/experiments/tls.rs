//! TLS: what a look-up by key costs within it, and in plain text, at the memcached door, at
//! memcached itself, by prepared statements, and by those at MariaDB; by the same client and with
//! the same certificate.
//!
//! Asked: within TLS at most 1.6 times the CPU time of plain text, and ahead of `memcached -Z` and
//! of MariaDB's TLS.

use std::path::Path;

use anyhow::{Context, Result};

use super::fleet::{
    MARIADB_PREPARED, MEMCACHED, ROWHOUSE_MEMCACHED, ROWHOUSE_PREPARED, Readable, filler, keys,
    read_keys, read_prepared, within_tls,
};
use super::loading::{DATABASE, fill, load_users};
use super::progress;
use super::rounds::ReadingOptions;
use crate::peers::{Durability, MariaDb, MariaDbSettings, MemcachedServer, Rowhouse, free_ports};
use crate::protocols::mysql::MysqlSession;

/// The memcached door within TLS.
const ROWHOUSE_TLS: &str = "rowhouse memcached tls";
/// memcached within TLS.
const MEMCACHED_TLS: &str = "memcached tls";
/// Prepared statements within TLS.
const ROWHOUSE_PREPARED_TLS: &str = "rowhouse sql prepared tls";
/// The same at MariaDB.
const MARIADB_PREPARED_TLS: &str = "mariadb sql prepared tls";
/// Whose ratio is of interest: ours over theirs, and within TLS over plain text.
const PAIRS: &[(&str, &str)] = &[
    (ROWHOUSE_TLS, MEMCACHED_TLS),
    (ROWHOUSE_TLS, ROWHOUSE_MEMCACHED),
    (MEMCACHED_TLS, MEMCACHED),
    (ROWHOUSE_MEMCACHED, MEMCACHED),
    (ROWHOUSE_PREPARED_TLS, MARIADB_PREPARED_TLS),
    (ROWHOUSE_PREPARED_TLS, ROWHOUSE_PREPARED),
    (MARIADB_PREPARED_TLS, MARIADB_PREPARED),
];

/// Runs the experiment.
pub fn run(options: &ReadingOptions) -> Result<()> {
    let common = &options.common;
    let (users, mut report) = options.begin("tls")?;

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
    let memory = 1024 + users.rows / 4_000;
    let threads = common.server_threads();
    let peer = MemcachedServer::start_with_tls(&certificate, &key, memory, threads)?;
    fill(users.rows, || peer.connect(), || filler(keys(users), users))?;
    report.versions.insert("memcached".into(), peer.version.clone());

    progress("filling mariadb");
    let settings =
        MariaDbSettings { buffer_pool_mib: 1024, flush_log: 1, handlersocket_threads: 1 };
    let flag = |name: &str, path: &Path| format!("--ssl-{name}={}", path.display());
    let flags = [flag("cert", &certificate), flag("key", &key)];
    let mariadb = MariaDb::start_with(settings, &flags, None)?;
    load_users(&mut mariadb.session("")?, users)?;
    report.versions.insert("mariadb".into(), mariadb.version.clone());

    let connector = tls::Connector::unproven()?;
    let peer_tls_port = peer.tls_port.context("no port within TLS")?;
    let session_within_tls =
        |port: u16| MysqlSession::connect_encrypted(port, DATABASE, &connector);
    let ours_port = ours.doors.mysql.context("no MySQL door")?;
    let (ours_pid, peer_pid) = (ours.server.pid(), peer.server.pid());
    let mariadb_pid = mariadb.server.pid();
    let reader = |name, pid, connect| Readable { name, pid, connect };
    let prepared_within_tls = |port| read_prepared(users, move || session_within_tls(port));
    let contenders = [
        reader(ROWHOUSE_MEMCACHED, ours_pid, read_keys(users, || ours.memcached())),
        reader(ROWHOUSE_TLS, ours_pid, read_keys(users, || within_tls(tls_port, &connector))),
        reader(MEMCACHED, peer_pid, read_keys(users, || peer.connect())),
        reader(MEMCACHED_TLS, peer_pid, read_keys(users, || within_tls(peer_tls_port, &connector))),
        reader(ROWHOUSE_PREPARED, ours_pid, read_prepared(users, || ours.session(DATABASE))),
        reader(ROWHOUSE_PREPARED_TLS, ours_pid, prepared_within_tls(ours_port)),
        reader(MARIADB_PREPARED, mariadb_pid, read_prepared(users, || mariadb.session(DATABASE))),
        reader(MARIADB_PREPARED_TLS, mariadb_pid, prepared_within_tls(mariadb.port)),
    ];
    options.measure(&contenders, users, &mut report);
    options.finish(report, PAIRS)
}
