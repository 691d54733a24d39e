//! Events of a real server: across restarts and crashes, in dumps, and at a stop.

use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::mysql::Mysql;
use crate::support::{PATIENCE, Running, rowhouse, run, wait_until};

fn start(directory: &Path, more: &[&str]) -> (Running, Mysql) {
    let server = Running::start(directory, more);
    let client = Mysql::login(server.connect("mysql")).unwrap();
    (server, client)
}

/// The first value of a query's first row.
fn value(client: &mut Mysql, query: &str) -> String {
    let rows = client.query(query).unwrap();
    let value = rows.first().and_then(|row| row.first()).and_then(Clone::clone);
    value.unwrap_or_default()
}

fn furnish(client: &mut Mysql) {
    client.query("CREATE DATABASE d").unwrap();
    client.query("USE d").unwrap();
    client.query("CREATE TABLE t (what VARCHAR(20), KEY (what))").unwrap();
}

fn count(client: &mut Mysql, what: &str) -> String {
    value(client, &format!("SELECT COUNT(*) FROM d.t WHERE what = '{what}'"))
}

#[test]
fn a_run_that_a_crash_cut_off_is_told_and_not_repeated() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut client) = start(directory.path(), &[]);
    furnish(&mut client);
    for (name, preserve) in [("gone", ""), ("kept", "ON COMPLETION PRESERVE")] {
        let event = format!(
            "CREATE EVENT {name} ON SCHEDULE AT NOW() {preserve} DO BEGIN INSERT INTO t VALUES \
             ('{name}'); DO SLEEP(1000); END"
        );
        client.query(&event).unwrap();
    }
    let later = "CREATE EVENT later ON SCHEDULE AT NOW() + INTERVAL 1 SECOND DO INSERT INTO t VALUES ('later')";
    client.query("SET GLOBAL event_scheduler = ON").unwrap();
    wait_until("both run", || value(&mut client, "SELECT COUNT(*) FROM t") == "2");
    client.query("SET GLOBAL event_scheduler = OFF").unwrap();
    client.query(later).unwrap();
    client
        .query("CREATE EVENT often ON SCHEDULE EVERY 1 DAY DO INSERT INTO t VALUES ('often')")
        .unwrap();
    let at = "SELECT UNIX_TIMESTAMP(EXECUTE_AT) FROM information_schema.events WHERE EVENT_NAME = \
              'later'";
    let at: u64 = value(&mut client, at).parse().unwrap();
    server.kill();
    // Past the moment of the third, which nobody saw.
    wait_until("its moment is past", || {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() > at
    });
    let (server, mut client) = start(directory.path(), &[]);
    wait_until("the missed one has run", || {
        value(&mut client, "SELECT COUNT(*) FROM information_schema.events") == "2"
    });
    let kept = "SELECT CONCAT_WS(' ', STATUS, RUNS, FAILURES, LAST_ERROR_NUMBER) FROM \
                information_schema.events WHERE EVENT_NAME = 'kept'";
    wait_until("the cut off one is over", || value(&mut client, kept) == "DISABLED 1 1 1317");
    for (what, times) in [("gone", "1"), ("kept", "1"), ("later", "1"), ("often", "0")] {
        assert_eq!(count(&mut client, what), times, "{what}");
    }
    assert!(server.log().contains("a run was cut off by the end of the server"));
    assert!(server.stop().success());
}

#[test]
fn a_stop_did_not_wait_for_a_run_and_switched_off_events_rest() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut client) = start(directory.path(), &["--shutdown-timeout=2m"]);
    furnish(&mut client);
    client
        .query(
            "CREATE EVENT e ON SCHEDULE EVERY 1 SECOND DO BEGIN START TRANSACTION; INSERT INTO t \
             VALUES ('lost'); DO SLEEP(1000); END",
        )
        .unwrap();
    wait_until("it runs", || {
        let running = "SELECT COUNT(*) FROM information_schema.processlist WHERE INFO LIKE 'DO%'";
        value(&mut client, running) == "1"
    });
    drop(client);
    let since = Instant::now();
    assert!(server.stop().success());
    assert!(since.elapsed() < PATIENCE, "{:?}", since.elapsed());
    let (server, mut client) = start(directory.path(), &["--event-scheduler=off"]);
    assert_eq!(value(&mut client, "SELECT @@event_scheduler"), "OFF");
    assert_eq!(count(&mut client, "lost"), "0");
    let runs = "SELECT CONCAT_WS(' ', RUNS, FAILURES, LAST_ERROR_NUMBER, RUNNING) FROM information_schema.events";
    assert_eq!(value(&mut client, runs), "1 1 1317 NO");
    client.query("DO SLEEP(1.2)").unwrap();
    assert_eq!(value(&mut client, runs), "1 1 1317 NO");
    drop(client);
    assert!(server.stop().success());
}

#[test]
fn a_dump_lost_events() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut client) = start(directory.path(), &["--event-scheduler=off"]);
    furnish(&mut client);
    client.query("SET time_zone = '+02:00', sql_mode = 'ANSI_QUOTES'").unwrap();
    client
        .query(
            "CREATE DEFINER=ann@there EVENT `e;``1` ON SCHEDULE EVERY '1:30' HOUR_MINUTE STARTS '2040-01-01' \
             ON COMPLETION PRESERVE DISABLE COMMENT 'it''s; \\\\' DO BEGIN INSERT INTO \"t\" VALUES \
             (';;'); BEGIN DO 1; END; END",
        )
        .unwrap();
    client.query("CREATE EVENT f ON SCHEDULE AT '2041-01-01' DO SELECT 1").unwrap();
    let shown = |client: &mut Mysql| {
        let mut rows = client.query("SHOW EVENTS FROM d").unwrap();
        rows.extend(client.query("SHOW CREATE EVENT d.`e;``1`").unwrap());
        rows
    };
    let before = shown(&mut client);
    drop(client);
    assert!(server.stop().success());
    let dumped = run(&["dump", &format!("--data-dir={}", directory.path().display())]);
    assert!(dumped.status.success(), "{}", String::from_utf8_lossy(&dumped.stderr));
    let other = tempfile::tempdir().unwrap();
    let file = other.path().join("dump.sql");
    std::fs::write(&file, &dumped.stdout).unwrap();
    let data = other.path().join("data");
    let loaded =
        rowhouse(&["load", &format!("--data-dir={}", data.display())]).arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&loaded.stderr).into_owned();
    assert!(loaded.status.success(), "{said}");
    assert!(!said.contains("skipped"), "{said}");
    let (server, mut client) = start(&data, &["--event-scheduler=off"]);
    assert_eq!(shown(&mut client), before);
    drop(client);
    assert!(server.stop().success());
}
