//! Look-ups by primary key: 64 connections, one in flight, pipelined, and in batches.
//!
//! The question of the first source document: what does a row cost at each door, when everything is
//! in memory? Contenders hold the same rows and are asked for the same columns; the echo server
//! sends back as many bytes as a row has and is the limit.

use anyhow::{Result, ensure};
use clap::Args;

use super::Common;
use super::fleet::*;
use super::rounds::{measure, modes_named, read_all};
use crate::plot::Drawing;
use crate::report::{Layout, Report};
use crate::users::Users;

/// Whose ratio is of interest: ours over theirs.
const PAIRS: &[(&str, &str)] = &[
    (ROWHOUSE_MEMCACHED, MEMCACHED),
    (ROWHOUSE_MEMCACHED, REDIS),
    (ROWHOUSE_MEMCACHED, ECHO),
    (ROWHOUSE_TYRANT, ROWHOUSE_MEMCACHED),
    (ROWHOUSE_HANDLERSOCKET, MARIADB_HANDLERSOCKET),
    (ROWHOUSE_HANDLERSOCKET, MEMCACHED),
    (ROWHOUSE_HANDLERSOCKET, MARIADB_TEXT),
    (ROWHOUSE_HANDLERSOCKET, ECHO),
    (ROWHOUSE_TEXT, MARIADB_TEXT),
    (ROWHOUSE_PREPARED, MARIADB_PREPARED),
    (MARIADB_HANDLERSOCKET, MARIADB_TEXT),
    (MARIADB_HANDLERSOCKET, MEMCACHED),
];

/// Options of `lookup`.
#[derive(Debug, Clone, Args)]
pub struct LookupOptions {
    #[command(flatten)]
    common: Common,
    /// Rows in the table.
    #[arg(long, default_value_t = 1_000_000)]
    rows: u32,
    /// Connections.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Threads of MariaDB's HandlerSocket read port.
    #[arg(long, default_value_t = 2)]
    handlersocket_threads: usize,
    /// Only modes whose name contains one of these.
    #[arg(long)]
    mode: Vec<String>,
}

/// Runs the experiment.
pub fn run(options: &LookupOptions) -> Result<()> {
    let common = &options.common;
    ensure!(options.rows >= 100, "a batch takes 100 different rows");
    let users = Users { seed: common.seed, rows: options.rows };
    let mut report = Report::new("lookup");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("connections", options.connections);
    report.setting("row", "user_name, user_email, created: 59 bytes joined");
    report.setting("mariadb handlersocket threads", options.handlersocket_threads);
    report.setting("durability", "none matters: reads only, after loading");

    let settings = FleetSettings {
        handlersocket_threads: options.handlersocket_threads,
        echo: true,
        ..FleetSettings::new(None, users)
    };
    let fleet = Fleet::start(common, &settings, &mut report);
    let contenders = fleet.readers();
    let modes = modes_named(&options.mode);
    read_all(&contenders, users, "", common, &mut report);
    measure(&contenders, &modes, users, options.connections, common, &mut report);
    report.compare(PAIRS);
    let drawing = Drawing::bars(&report, "requests per second of server CPU time", |window| {
        window.per_cpu_second
    });
    common.finish(&report, Layout::Requests, &drawing)
}
