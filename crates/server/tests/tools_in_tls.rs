//! `rowhouse dump` and `rowhouse load` inside TLS, at a server that wants it of everybody.
//!
//! Not here: proofs that are wrong (`load::login`).

use std::path::Path;

use tls::{TlsFiles, make_own_certificate};

use crate::account_place::AccountPlace;
use crate::mysql::{Mysql, error_number};
use crate::support::run;

/// What a dump over TCP prints, or what it says that went wrong.
fn dump(place: &AccountPlace, user: &str, flags: &[&str]) -> Result<String, String> {
    let port = place.server.address("mysql").rsplit_once(':').unwrap().1.to_owned();
    let (port, user) = (format!("--port={port}"), format!("--user={user}"));
    let all = [&["dump", "--host=127.0.0.1", &port, &user, "--password=word"], flags].concat();
    let output = run(&all);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(text(&output.stderr)),
    }
}

fn ca(path: &Path) -> String {
    format!("--tls-ca={}", path.display())
}

#[test]
fn a_server_that_wants_tls_of_everybody_is_dumped_and_loaded_inside_it() {
    // Root comes in without it, as nothing is said of its connections.
    let place = AccountPlace::open(
        &[],
        &[
            "CREATE DATABASE d",
            "CREATE TABLE d.t (a INT PRIMARY KEY)",
            "INSERT INTO d.t VALUES (1), (2)",
            "CREATE USER slow IDENTIFIED BY 'word' REQUIRE SSL",
            "CREATE USER native IDENTIFIED WITH mysql_native_password BY 'word' REQUIRE SSL",
            "GRANT ALL ON *.* TO slow",
            "GRANT ALL ON *.* TO native",
        ],
    );
    let refused = dump(&place, "native", &[]).unwrap_err();
    assert!(refused.contains("ERROR 1045"), "{refused}");
    let own = ca(&place.directory.path().join("tls-certificate.pem"));
    for user in ["slow", "native"] {
        let dumped = dump(&place, user, &[&own]).unwrap();
        assert!(dumped.contains("(1),\n(2)"), "{dumped}");
    }
    // Without the certificate the password proves it, where the account keeps what that takes.
    assert!(dump(&place, "native", &["--tls"]).unwrap().contains("(1),\n(2)"));
    let refused = dump(&place, "slow", &["--tls"]).unwrap_err();
    assert!(refused.contains("the server's certificate is not verified"), "{refused}");
    // Another one is not trusted, and the password is not sent there.
    let elsewhere = tempfile::tempdir().unwrap();
    let other = TlsFiles {
        certificate: elsewhere.path().join("c.pem"),
        key: elsewhere.path().join("k.pem"),
        client_ca: None,
    };
    make_own_certificate(&other, "other").unwrap();
    let refused = dump(&place, "slow", &[&ca(&other.certificate)]).unwrap_err();
    assert!(refused.contains("certificate"), "{refused}");
    // Back in, by the same way.
    let file = elsewhere.path().join("dump.sql");
    std::fs::write(&file, dump(&place, "slow", &[&own]).unwrap()).unwrap();
    let mut place = place;
    place.sql.run("DROP DATABASE d");
    let port = place.server.address("mysql").rsplit_once(':').unwrap().1.to_owned();
    let port = format!("--port={port}");
    let output = run(&[
        "load",
        "--host=127.0.0.1",
        &port,
        "--user=slow",
        "--password=word",
        &own,
        file.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(place.sql.query("SELECT a FROM d.t").unwrap().len(), 2);
}

#[test]
fn plain_text_is_refused_where_tls_is_required_and_the_tools_come_in() {
    let base = tempfile::tempdir().unwrap();
    let config = base.path().join("users.toml");
    std::fs::write(&config, "[[users]]\nname = \"app\"\npassword = \"word\"\n").unwrap();
    let flags = ["--tls=required", "--config", config.to_str().unwrap()];
    let data = base.path().join("data");
    let server = crate::support::Running::start(&data, &flags);
    assert_eq!(error_number(Mysql::login(server.connect("mysql")).map(|_| ())), 3159);
    let (host, port) = server.address("mysql").rsplit_once(':').unwrap();
    let (host, port) = (format!("--host={host}"), format!("--port={port}"));
    let own = ca(&data.join("tls-certificate.pem"));
    let output = run(&["dump", &host, &port, "--user=app", "--password=word", &own]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = run(&["dump", &host, &port, "--user=app", "--password=word"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("ERROR 3159"));
}
