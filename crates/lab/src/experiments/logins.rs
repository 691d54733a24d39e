//! What accounts cost: look-ups by key of clients that have logged in as an account with grants,
//! and of clients of a server that asks nobody, at each door.
//!
//! Asked: at least 0.98 times the requests per CPU second.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use anyhow::{Context, Result, ensure};

use super::fleet::*;
use super::loading::{DATABASE, fill, load_users};
use super::progress;
use super::rounds::ReadingOptions;
use crate::peers::{Durability, Rowhouse};
use crate::protocols::{handlersocket, mysql};

/// Ours of an account that was granted what it needs and no more, and of nobody in particular.
const PAIRS: &[(&str, &str)] = &[
    ("memcached granted", "memcached free"),
    ("handlersocket granted", "handlersocket free"),
    ("tyrant granted", "tyrant free"),
    ("sql text granted", "sql text root"),
    ("sql prepared granted", "sql prepared root"),
];

/// Runs the experiment.
pub fn run(options: &ReadingOptions) -> Result<()> {
    let options = &options.with_one_loop();
    let common = &options.common;
    let (users, mut report) = options.begin("logins")?;

    progress("filling the server that asks nobody");
    let free = filled(common, users, &[])?;
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
    options.measure(&contenders, users, &mut report);
    options.finish(report, PAIRS)
}

/// Logs in as `app` at a memcached door that asks for it: by a first `set`.
fn log_in(mut stream: TcpStream) -> Result<TcpStream> {
    stream.write_all(b"set login 0 0 4\r\napp \r\n")?;
    let mut answer = [0; 8];
    stream.read_exact(&mut answer).context("logging in")?;
    ensure!(answer == *b"STORED\r\n", "the login was answered {}", answer.escape_ascii());
    Ok(stream)
}
