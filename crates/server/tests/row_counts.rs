//! The number of rows that SHOW TABLE STATUS and information_schema tell.

use crate::mysql::Mysql;
use crate::support::{Running, wait_until};

/// What SHOW TABLE STATUS says of the only table of `d`.
fn told(client: &mut Mysql) -> u64 {
    let rows = client.query("SHOW TABLE STATUS FROM d").expect("a list");
    rows[0][4].as_deref().expect("a number").parse().expect("a number")
}

fn session(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).expect("a session")
}

#[test]
fn a_hundred_thousand_rows_are_no_longer_told_as_39_thousand() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--memory=512MiB"]);
    let mut client = session(&server);
    client.query("CREATE DATABASE d").unwrap();
    client.query("CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(50), KEY (v))").unwrap();
    for thousand in 0..100 {
        let row = |id: usize| format!("({id}, 'value {}')", id % 777);
        let values: Vec<String> = (thousand * 1000..(thousand + 1) * 1000).map(row).collect();
        client.query(&format!("INSERT INTO d.t VALUES {}", values.join(","))).unwrap();
    }
    assert_eq!(told(&mut client), 100_000);
    client.query("DELETE FROM d.t WHERE id % 4 = 0").unwrap();
    client.query("UPDATE d.t SET v = 'x' WHERE id % 3 = 0").unwrap();
    assert_eq!(told(&mut client), 75_000);
    let rows =
        client.query("SELECT table_rows FROM information_schema.tables WHERE table_name = 't'");
    assert_eq!(rows.unwrap()[0][0].as_deref(), Some("75000"));

    // After a clean end it is the same, after a crash nearly.
    drop(client);
    assert_eq!(server.stop().code(), Some(0));
    let server = Running::start(directory.path(), &["--memory=512MiB"]);
    let mut client = session(&server);
    assert_eq!(told(&mut client), 75_000);
    client.query("DELETE FROM d.t WHERE id < 50000").unwrap();
    // It is written down once a second.
    let before = figure(&server);
    wait_until("that second to pass", || figure(&server) >= before + 3);
    drop(client);
    server.kill();
    let server = Running::start(directory.path(), &["--memory=512MiB"]);
    let mut client = session(&server);
    let rows = told(&mut client);
    assert!((36_000..39_000).contains(&rows), "{rows} of 37,500");
    client.query("ANALYZE TABLE d.t").unwrap();
    assert_eq!(told(&mut client), 37_500);
}

/// The server's own seconds.
fn figure(server: &Running) -> u64 {
    let mut client = session(server);
    let rows = client.query("SHOW STATUS LIKE 'Uptime'").expect("a figure");
    rows[0][1].as_deref().expect("a number").parse().expect("a number")
}
