//! What accounts cost: look-ups by key of clients that have logged in as an account with grants,
//! and of clients of a server that asks nobody, at each door.
//!
//! Asked: at least 0.98 times the requests per CPU second.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use anyhow::{Context, Result, ensure};
use clap::Args;

use super::fleet::*;
use super::loading::{DATABASE, fill, load_users};
use super::rounds::{measure, modes_named, read_all};
use super::{Common, progress};
use crate::peers::{Durability, Rowhouse};
use crate::plot::Drawing;
use crate::protocols::{handlersocket, mysql};
use crate::report::{Layout, Report};
use crate::users::Users;

/// Ours of an account that was granted what it needs and no more, and of nobody in particular.
const PAIRS: &[(&str, &str)] = &[
    ("memcached granted", "memcached free"),
    ("handlersocket granted", "handlersocket free"),
    ("tyrant granted", "tyrant free"),
    ("sql text granted", "sql text root"),
    ("sql prepared granted", "sql prepared root"),
];

/// Options of `logins`.
#[derive(Debug, Clone, Args)]
pub struct LoginsOptions {
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
pub fn run(options: &LoginsOptions) -> Result<()> {
    let common = &options.common;
    ensure!(options.rows >= 100, "a batch takes 100 different rows");
    let users = Users { seed: common.seed, rows: options.rows };
    let mut report = Report::new("logins");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("connections", options.connections);
    report.setting("durability", "none matters: reads only, after loading");

    progress("filling the server that asks nobody");
    let free = Rowhouse::start(&common.rowhouse(Durability::EveryCommit)?)?;
    load_users(&mut free.session("")?, users)?;
    fill(users.rows, || free.memcached(), || filler(keys(users), users))?;
    fill(users.rows, || free.tyrant(), || filler(records(users), users))?;
    report.versions.insert("rowhouse".into(), free.version.clone());

    progress("filling the server with accounts");
    let mut settings = common.rowhouse(Durability::EveryCommit)?;
    settings.flags.extend(
        ["--memcached-user=none", "--handlersocket-user=none", "--tyrant-user=app"]
            .map(str::to_owned),
    );
    let granted = Rowhouse::start(&settings)?;
    let mut root = granted.session("")?;
    load_users(&mut root, users)?;
    let all = "GRANT SELECT, INSERT, UPDATE, DELETE ON";
    for statement in [
        "CREATE USER app IDENTIFIED BY ''".to_owned(),
        format!("GRANT SELECT ON {DATABASE}.user TO app"),
        format!("{all} kv.cache TO app"),
        format!("{all} tyrant.records TO app"),
    ] {
        root.execute(&statement)?;
    }
    let logged_in = || log_in(granted.memcached()?);
    fill(users.rows, logged_in, || filler(keys(users), users))?;
    fill(users.rows, || granted.tyrant(), || filler(records(users), users))?;

    let port = granted.doors.mysql.context("no MySQL door")?;
    let session = || mysql::MysqlSession::connect_as(port, "app", DATABASE);
    let lines = granted.doors.handlersocket.context("no HandlerSocket door")?;
    let lines = || handlersocket::connect(lines, Some("app:"), &[user_index()]);
    let free_lines = || free.handlersocket_read(&[user_index()]);
    let (of_free, of_granted) = (free.server.pid(), granted.server.pid());
    let reader = |name, pid, connect| Readable { name, pid, connect };
    let contenders = [
        reader("memcached free", of_free, read_keys(users, || free.memcached())),
        reader("memcached granted", of_granted, read_keys(users, logged_in)),
        reader("handlersocket free", of_free, read_handlersocket(users, free_lines)),
        reader("handlersocket granted", of_granted, read_handlersocket(users, lines)),
        reader("tyrant free", of_free, read_records(users, || free.tyrant())),
        reader("tyrant granted", of_granted, read_records(users, || granted.tyrant())),
        reader("sql text root", of_free, read_text(users, || free.session(DATABASE))),
        reader("sql text granted", of_granted, read_text(users, session)),
        reader("sql prepared root", of_free, read_prepared(users, || free.session(DATABASE))),
        reader("sql prepared granted", of_granted, read_prepared(users, session)),
    ];
    let modes = modes_named(&options.mode);
    read_all(&contenders, users, "", common, &mut report);
    measure(&contenders, &modes, users, options.connections, common, &mut report);
    report.compare(PAIRS);
    let drawing = Drawing::bars(&report, "requests per second of server CPU time", |window| {
        window.per_cpu_second
    });
    common.finish(&report, Layout::Requests, &drawing)
}

/// Logs in as `app` at a memcached door that asks for it: by a first `set`.
fn log_in(mut stream: TcpStream) -> Result<TcpStream> {
    stream.write_all(b"set login 0 0 4\r\napp \r\n")?;
    let mut answer = [0; 8];
    stream.read_exact(&mut answer).context("logging in")?;
    ensure!(answer == *b"STORED\r\n", "the login was answered {}", answer.escape_ascii());
    Ok(stream)
}
