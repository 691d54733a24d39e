//! mysql_async inside TLS: the server's own certificate is verified by a file, each method of a
//! login is spoken, rows go in by prepared statements and come back.

use std::env::var;
use std::path::PathBuf;
use std::process::ExitCode;

use mysql_async::prelude::*;
use mysql_async::{Conn, Error, Opts, OptsBuilder, Result, SslOpts, TxOpts};

/// Counts what went wrong.
struct Checks(u32);

impl Checks {
    fn check<T: PartialEq + std::fmt::Debug>(&mut self, name: &str, wanted: &T, got: Result<T>) {
        match got {
            Ok(got) if got == *wanted => println!("ok mysqlasync: {name}"),
            got => {
                self.0 += 1;
                println!("not ok mysqlasync: {name}: {got:?} instead of {wanted:?}");
            }
        }
    }
}

fn options(user: &str, password: &str, authority: Option<PathBuf>) -> Opts {
    let tls = SslOpts::default()
        .with_root_certs(authority.into_iter().map(Into::into).collect())
        .with_disable_built_in_roots(true);
    OptsBuilder::default()
        .ip_or_hostname("localhost")
        .tcp_port(var("PORT").unwrap().parse().unwrap())
        .user(Some(user))
        .pass(Some(password))
        .prefer_socket(false)
        .ssl_opts(tls)
        .into()
}

/// The version of TLS that a login got, or the number of the error.
async fn login(options: Opts) -> Result<String> {
    let mut connection = match Conn::new(options).await {
        Ok(connection) => connection,
        Err(Error::Server(error)) => return Ok(error.code.to_string()),
        Err(Error::Io(_)) => return Ok("no connection".to_owned()),
        Err(error) => return Err(error),
    };
    let status: Option<(String, String)> =
        connection.query_first("SHOW STATUS LIKE 'Ssl_version'").await?;
    connection.disconnect().await?;
    Ok(status.map(|(_, version)| version).unwrap_or_default())
}

async fn rows(connection: &mut Conn) -> Result<Vec<(i64, Option<String>)>> {
    connection.query_drop("CREATE TABLE with_async.t (id BIGINT PRIMARY KEY, v VARCHAR(20))").await?;
    let mut transaction = connection.start_transaction(TxOpts::default()).await?;
    let rows = [(1_i64, Some("gr\u{fc}n")), (1 << 62, None)];
    transaction.exec_batch("INSERT INTO with_async.t VALUES (?, ?)", rows).await?;
    transaction.commit().await?;
    connection.exec("SELECT id, v FROM with_async.t WHERE id >= ? ORDER BY id", (1,)).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let (authority, password) = (var("AUTHORITY").unwrap(), var("ROOT_PASSWORD").unwrap());
    let authority = || Some(PathBuf::from(&authority));
    let mut checks = Checks(0);
    let mut root = Conn::new(options("root", &password, authority())).await.expect("root logs in");
    root.query_drop("CREATE DATABASE with_async").await.unwrap();
    for (user, ways) in [
        ("sha2", "caching_sha2_password BY 'secret'"),
        ("native", "mysql_native_password BY 'secret'"),
        ("ed", "ed25519 BY 'secret'"),
        ("par", "parsec BY 'secret'"),
    ] {
        root.query_drop(format!("CREATE USER {user} IDENTIFIED VIA {ways} REQUIRE SSL")).await.unwrap();
        for (said, wanted) in [("secret", "TLSv1.3"), ("wrong", "1045")] {
            let got = login(options(user, said, authority())).await;
            checks.check(&format!("{user}, {said}"), &wanted.to_owned(), got);
        }
    }
    let got = login(options("sha2", "secret", None)).await;
    checks.check("it trusts no other certificate", &"no connection".to_owned(), got);
    let wanted = vec![(1, Some("gr\u{fc}n".to_owned())), (1 << 62, None)];
    checks.check("prepared statements", &wanted, rows(&mut root).await);
    if checks.0 == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
