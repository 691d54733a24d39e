//! Events: what definitions are answered with (the errors and listings are MariaDB 10.11's), and
//! what runs do, with a scheduler at work.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::harness::{PATIENCE, await_memory, error, run, session};
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{EventScheduler, Session, Sql, SqlOptions};

struct House {
    sql: Arc<Sql>,
    scheduler: Option<EventScheduler>,
}

impl House {
    fn over(store: &Arc<MemoryStore>, event_time_max: Duration) -> House {
        let options = EngineOptions { client_bytes: 64 << 20, ..EngineOptions::default() };
        let engine = Engine::open(store.clone(), options).expect("opens");
        let options = SqlOptions {
            memory_bytes: 64 << 20,
            threads: 2,
            event_time_max,
            ..SqlOptions::default()
        };
        let sql = Sql::new(engine, &options, analytic::start).expect("starts");
        let scheduler = Some(EventScheduler::start(&sql).expect("a thread"));
        House { sql, scheduler }
    }

    fn new() -> House {
        House::over(&Arc::default(), Duration::ZERO)
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some(scheduler) = self.scheduler.take() {
            scheduler.stop(PATIENCE);
        }
    }
}

#[track_caller]
fn wait_for(session: &mut Session, query: &str, expected: &str) {
    let since = Instant::now();
    loop {
        let found = run(session, query);
        if found == expected {
            return;
        }
        assert!(since.elapsed() < PATIENCE, "{query}\nis {found}, not {expected}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

fn created(session: &mut Session, name: &str) -> String {
    run(session, &format!("SHOW CREATE EVENT {name}")).split('\t').nth(3).unwrap().to_string()
}

/// A server whose clock is the system's and which runs nothing.
fn quiet() -> (Arc<Sql>, Session) {
    let sql = crate::harness::server();
    let session = session(&sql);
    (sql, session)
}

#[test]
fn definitions_are_shown_as_they_were_said() {
    let (_sql, mut s) = quiet();
    run(
        &mut s,
        "CREATE EVENT e1 ON SCHEDULE EVERY 2 HOUR STARTS '2030-01-01 00:00:00' + INTERVAL 1 DAY \
         ENDS '2031-01-01' ON COMPLETION PRESERVE DISABLE COMMENT 'it''s' DO begin insert into \
         t(a) values (1); update t set a=2; end",
    );
    assert_eq!(
        created(&mut s, "e1"),
        "CREATE DEFINER=`root`@`localhost` EVENT `e1` ON SCHEDULE EVERY 2 HOUR STARTS '2030-01-02 \
         00:00:00' ENDS '2031-01-01 00:00:00' ON COMPLETION PRESERVE DISABLE COMMENT 'it''s' DO \
         begin insert into t(a) values (1); update t set a=2; end"
    );
    assert_eq!(
        run(&mut s, "SHOW EVENTS"),
        "test\te1\troot@localhost\tSYSTEM\tRECURRING\tNULL\t2\tHOUR\t2030-01-02 \
         00:00:00\t2031-01-01 00:00:00\tDISABLED\t1\tutf8mb4\tutf8mb4_general_ci\tutf8mb4_general_ci"
    );
    run(&mut s, "CREATE EVENT e9 ON SCHEDULE EVERY '1:30' HOUR_MINUTE DO SELECT 1");
    assert!(created(&mut s, "e9").contains("EVERY '1:30' HOUR_MINUTE STARTS '"));
    run(&mut s, "CREATE DEFINER='x'@'y' EVENT e17 ON SCHEDULE EVERY 1+1 MINUTE DO SELECT 1");
    assert!(
        created(&mut s, "e17")
            .starts_with("CREATE DEFINER=`x`@`y` EVENT `e17` ON SCHEDULE EVERY 2 MINUTE")
    );
    run(&mut s, "CREATE DEFINER=`a b`@localhost EVENT e18 ON SCHEDULE EVERY 1 DAY DO SELECT 1");
    assert!(created(&mut s, "e18").starts_with("CREATE DEFINER=`a b`@`localhost`"));
    assert_eq!(run(&mut s, "SHOW EVENTS LIKE 'e1'").lines().count(), 1);
    assert_eq!(run(&mut s, "SHOW EVENTS WHERE Name = 'e9'").lines().count(), 1);
    assert_eq!(run(&mut s, "SHOW EVENTS FROM nothing"), "");
    assert_eq!(
        run(
            &mut s,
            "SELECT EVENT_NAME, INTERVAL_VALUE, STATUS, ON_COMPLETION, RUNS FROM \
                     information_schema.events WHERE EVENT_NAME IN ('e1', 'e9') ORDER BY 1"
        ),
        "e1\t2\tDISABLED\tPRESERVE\t0\ne9\t'1:30'\tENABLED\tNOT PRESERVE\t0"
    );
    // The zone is the event's; what SHOW CREATE prints makes the same event again.
    run(&mut s, "SET time_zone = '+05:00'");
    run(&mut s, "CREATE EVENT e31 ON SCHEDULE AT '2031-01-01 05:00:00' DO SELECT ';', \"END\"");
    run(&mut s, "SET time_zone = '+00:00'");
    let text = created(&mut s, "e31");
    assert!(text.contains("AT '2031-01-01 05:00:00'"), "{text}");
    let listed = run(&mut s, "SHOW EVENTS LIKE 'e31'");
    run(&mut s, "DROP EVENT e31");
    run(&mut s, "SET time_zone = '+05:00'");
    run(&mut s, &text);
    assert_eq!(run(&mut s, "SHOW EVENTS LIKE 'e31'"), listed);
}

#[test]
fn wrong_definitions_get_mariadbs_errors() {
    let (_sql, mut s) = quiet();
    run(&mut s, "CREATE EVENT e1 ON SCHEDULE EVERY 1 HOUR DO SELECT 1");
    let every = |rest: &str| format!("CREATE EVENT x ON SCHEDULE {rest}");
    for (number, text) in [
        (1537, "CREATE EVENT E1 ON SCHEDULE EVERY 1 DAY DO SELECT 1".to_string()),
        (1049, "CREATE EVENT nodb.x ON SCHEDULE EVERY 1 DAY DO SELECT 1".to_string()),
        (1525, every("AT NULL DO SELECT 1")),
        (1525, every("AT 'junk' DO SELECT 1")),
        (1525, every("EVERY NULL HOUR DO SELECT 1")),
        (1542, every("EVERY 0 HOUR DO SELECT 1")),
        (1542, every("EVERY -1 HOUR DO SELECT 1")),
        (1542, every("EVERY 'abc' HOUR DO SELECT 1")),
        (1542, every("EVERY 3000000000 DAY DO SELECT 1")),
        (1235, every("EVERY 5 MICROSECOND DO SELECT 1")),
        (1064, every("EVERY 5 HOURS DO SELECT 1")),
        (1543, every("EVERY 1 DAY STARTS '2001-01-01' ENDS '2000-01-01' DO SELECT 1")),
        (1543, every("EVERY 1 DAY ENDS '2001-01-01' DO SELECT 1")),
        (1543, every("EVERY 1 DAY ENDS 'x' DO SELECT 1")),
        (1525, every("EVERY 1 DAY STARTS 'x' DO SELECT 1")),
        (1314, every("EVERY 1 DAY DO USE d")),
        (1314, every("EVERY 1 DAY DO LOCK TABLES t READ")),
        (1314, every("EVERY 1 DAY DO BEGIN UNLOCK TABLES; END")),
        (1314, every("EVERY 1 DAY DO LOAD DATA INFILE 'x' INTO TABLE t")),
        (1576, every("EVERY 1 DAY DO CREATE EVENT y ON SCHEDULE EVERY 1 DAY DO SELECT 1")),
        (1576, every("EVERY 1 DAY DO ALTER EVENT e1 DO SELECT 1")),
        (1064, every("EVERY 1 DAY DO SELEC 1")),
        (1064, every("EVERY 1 DAY DO BEGIN SELECT 1; SELEC 2; END")),
        (1064, every("EVERY 1 DAY DO BEGIN SELECT 1 END")),
        (1064, every("EVERY 1 DAY DO BEGIN SELECT 1; END x")),
        (
            1221,
            "CREATE OR REPLACE EVENT IF NOT EXISTS x ON SCHEDULE EVERY 1 DAY DO DO 1".to_string(),
        ),
        (1064, every("EVERY 1 DAY DO SELECT ?")),
        (1064, every("EVERY 1 DAY DO")),
        (1064, every("EVERY 1 DAY COMMENT 'c' ON COMPLETION PRESERVE DO SELECT 1")),
        (1235, every("EVERY 1 DAY DO BEGIN DECLARE x INT; SET x = 1; END")),
        (1235, every("EVERY 1 DAY DO BEGIN IF 1 THEN SELECT 1; END IF; END")),
        (1235, every("EVERY 1 DAY DO BEGIN WHILE 1 DO SELECT 1; END WHILE; END")),
        (1539, "ALTER EVENT nope COMMENT 'x'".to_string()),
        (1064, "ALTER EVENT e1".to_string()),
        (1551, "ALTER EVENT e1 RENAME TO E1".to_string()),
        (1049, "ALTER EVENT e1 RENAME TO nodb.e1".to_string()),
        (1589, "ALTER EVENT e1 ON SCHEDULE AT '2001-01-01'".to_string()),
        (1539, "DROP EVENT nope".to_string()),
        (1539, "SHOW CREATE EVENT nope".to_string()),
        (1059, format!("CREATE EVENT {} ON SCHEDULE EVERY 1 DAY DO SELECT 1", "e".repeat(65))),
        (1437, every(&format!("EVERY 1 DAY DO SELECT '{}'", "x".repeat(70_000)))),
        (1231, "SET GLOBAL event_scheduler = 5".to_string()),
        (1229, "SET SESSION event_scheduler = ON".to_string()),
    ] {
        assert_eq!(error(&mut s, &text), number, "{text}");
    }
    assert_eq!(run(&mut s, "SELECT COUNT(*) FROM information_schema.events"), "1");
}

#[test]
fn an_existing_event_is_replaced_or_noted_when_that_was_said() {
    let (_sql, mut s) = quiet();
    run(&mut s, "CREATE EVENT e ON SCHEDULE EVERY 1 HOUR DO SELECT 1");
    run(&mut s, "CREATE EVENT IF NOT EXISTS e ON SCHEDULE EVERY 2 HOUR DO SELECT 2");
    assert_eq!(run(&mut s, "SHOW WARNINGS"), "Note\t1537\tEvent 'e' already exists");
    run(&mut s, "CREATE OR REPLACE EVENT e ON SCHEDULE EVERY 3 HOUR DO SELECT 3");
    run(&mut s, "CREATE OR REPLACE EVENT e ON SCHEDULE AT '2001-01-01' DO SELECT 4");
    assert!(created(&mut s, "e").contains("EVERY 3 HOUR"));
    run(&mut s, "DROP EVENT IF EXISTS nope");
    assert_eq!(run(&mut s, "SHOW WARNINGS"), "Note\t1305\tEvent nope does not exist");
    run(&mut s, "CREATE EVENT old ON SCHEDULE AT '2001-01-01' DO SELECT 1");
    assert!(run(&mut s, "SHOW WARNINGS").starts_with("Note\t1588\t"));
    run(&mut s, "CREATE EVENT kept ON SCHEDULE AT '2001-01-01' ON COMPLETION PRESERVE DO SELECT 1");
    assert!(run(&mut s, "SHOW WARNINGS").starts_with("Note\t1544\t"));
    run(&mut s, "ALTER EVENT kept ENABLE");
    assert_eq!(
        run(&mut s, "SELECT EVENT_NAME, STATUS FROM information_schema.events ORDER BY 1"),
        "e\tENABLED\nkept\tDISABLED"
    );
    run(&mut s, "DROP DATABASE test");
    assert_eq!(run(&mut s, "SELECT COUNT(*) FROM information_schema.events"), "0");
}

#[test]
fn alter_changes_what_it_says_and_nothing_else() {
    let (_sql, mut s) = quiet();
    run(
        &mut s,
        "CREATE EVENT e ON SCHEDULE EVERY 1 HOUR STARTS '2030-01-01' COMMENT 'c' DO SELECT 1",
    );
    run(&mut s, "CREATE DATABASE other");
    run(&mut s, "ALTER EVENT e ON COMPLETION PRESERVE RENAME TO other.f DISABLE ON SLAVE");
    assert_eq!(
        created(&mut s, "other.f"),
        "CREATE DEFINER=`root`@`localhost` EVENT `f` ON SCHEDULE EVERY 1 HOUR STARTS '2030-01-01 \
         00:00:00' ON COMPLETION PRESERVE DISABLE ON SLAVE COMMENT 'c' DO SELECT 1"
    );
    run(
        &mut s,
        "ALTER EVENT other.f ON SCHEDULE EVERY 5 DAY STARTS '2031-01-01' ENABLE COMMENT '' DO BEGIN SELECT 2; END",
    );
    assert_eq!(
        created(&mut s, "other.f"),
        "CREATE DEFINER=`root`@`localhost` EVENT `f` ON SCHEDULE EVERY 5 DAY STARTS '2031-01-01 \
         00:00:00' ON COMPLETION PRESERVE ENABLE DO BEGIN SELECT 2; END"
    );
}

#[test]
fn the_scheduler_is_on_and_who_defines_an_event_while_it_is_off_is_warned() {
    let (_sql, mut s) = quiet();
    assert_eq!(run(&mut s, "SELECT @@event_scheduler"), "ON");
    run(&mut s, "SET GLOBAL event_scheduler = 0");
    assert_eq!(run(&mut s, "SHOW VARIABLES LIKE 'event_scheduler'"), "event_scheduler\tON");
    assert_eq!(run(&mut s, "SHOW GLOBAL VARIABLES LIKE 'event_scheduler'"), "event_scheduler\tOFF");
    run(&mut s, "CREATE EVENT e ON SCHEDULE EVERY 1 HOUR DO SELECT 1");
    assert!(
        run(&mut s, "SHOW WARNINGS").starts_with("Warning\t1105\tEvent scheduler is switched off")
    );
}

#[test]
fn an_event_runs_its_statements_in_order_as_its_definer_with_its_settings() {
    let house = House::new();
    let mut s = session(&house.sql);
    run(&mut s, "CREATE TABLE log (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(200))");
    run(&mut s, "CREATE USER ann@there");
    run(&mut s, "GRANT SELECT, INSERT ON test.log TO ann@there");
    run(&mut s, "SET time_zone = 'Europe/Berlin', sql_mode = 'PIPES_AS_CONCAT'");
    run(
        &mut s,
        "CREATE DEFINER='ann'@'there' EVENT e ON SCHEDULE EVERY 1 HOUR DO BEGIN INSERT INTO log \
         (what) VALUES (DATABASE() || ' ' || @@time_zone || ' ' || USER()); SELECT 1; START \
         TRANSACTION; INSERT INTO log (what) VALUES ('kept; END'); COMMIT; BEGIN INSERT INTO log \
         (what) SELECT @@sql_mode; END; START TRANSACTION; INSERT INTO log (what) VALUES \
         ('never committed'); END",
    );
    wait_for(&mut s, "SELECT RUNNING, RUNS, FAILURES FROM information_schema.events", "NO\t1\t0");
    assert_eq!(
        run(&mut s, "SELECT what FROM log ORDER BY id"),
        "test Europe/Berlin ann@there\nkept; END\nPIPES_AS_CONCAT"
    );
    assert_eq!(
        run(
            &mut s,
            "SELECT LAST_MICROSECONDS > 0, LAST_EXECUTED IS NULL, LAST_ERROR FROM \
                     information_schema.events"
        ),
        "1\t0\tNULL"
    );
}

#[test]
fn a_run_stops_at_its_first_error_which_is_recorded() {
    let house = House::new();
    let mut s = session(&house.sql);
    run(&mut s, "CREATE TABLE t (a INT PRIMARY KEY)");
    run(
        &mut s,
        "CREATE EVENT e ON SCHEDULE EVERY 1 HOUR DO BEGIN INSERT INTO t VALUES (1); INSERT INTO t \
         VALUES (1); INSERT INTO t VALUES (2); END",
    );
    wait_for(
        &mut s,
        "SELECT RUNS, FAILURES, LAST_ERROR_NUMBER, LAST_ERROR FROM information_schema.events WHERE \
         RUNNING = 'NO'",
        "1\t1\t1062\tDuplicate entry '1' for key 't.PRIMARY'",
    );
    assert_eq!(run(&mut s, "SELECT * FROM t"), "1");
}

#[test]
fn a_recurring_event_runs_again_and_ends_behind_its_end() {
    let house = House::new();
    let mut s = session(&house.sql);
    run(&mut s, "CREATE TABLE t (a INT)");
    run(
        &mut s,
        "CREATE EVENT e ON SCHEDULE EVERY 1 SECOND ENDS NOW() + INTERVAL 1 DAY ON COMPLETION \
         PRESERVE DO INSERT INTO t VALUES (1)",
    );
    wait_for(&mut s, "SELECT RUNS >= 2 FROM information_schema.events", "1");
    run(&mut s, "ALTER EVENT e ON SCHEDULE EVERY 1 SECOND ENDS NOW() + INTERVAL 1 SECOND");
    wait_for(&mut s, "SELECT STATUS, RUNNING FROM information_schema.events", "DISABLED\tNO");
    let runs = run(&mut s, "SELECT RUNS FROM information_schema.events");
    assert_eq!(run(&mut s, "SELECT COUNT(*) FROM t"), runs);
    // Behind its end there are no more.
    run(&mut s, "DO SLEEP(2.2)");
    assert_eq!(run(&mut s, "SELECT RUNS FROM information_schema.events"), runs);
    run(&mut s, "DROP EVENT e");
    run(&mut s, "CREATE EVENT f ON SCHEDULE EVERY 1 SECOND ENDS NOW() + INTERVAL 1 SECOND DO DO 1");
    wait_for(&mut s, "SELECT COUNT(*) FROM information_schema.events", "0");
}

#[test]
fn a_one_time_event_runs_once_and_is_dropped_or_disabled() {
    let house = House::new();
    let mut s = session(&house.sql);
    run(&mut s, "CREATE TABLE t (a INT)");
    run(&mut s, "CREATE EVENT gone ON SCHEDULE AT NOW() DO INSERT INTO t VALUES (1)");
    run(
        &mut s,
        "CREATE EVENT kept ON SCHEDULE AT NOW() + INTERVAL 1 SECOND ON COMPLETION PRESERVE DO \
         INSERT INTO t VALUES (2)",
    );
    wait_for(
        &mut s,
        "SELECT EVENT_NAME, STATUS, RUNS, RUNNING FROM information_schema.events",
        "kept\tDISABLED\t1\tNO",
    );
    assert_eq!(run(&mut s, "SELECT a FROM t ORDER BY a"), "1\n2");
    run(&mut s, "ALTER EVENT kept ENABLE");
    assert!(run(&mut s, "SHOW WARNINGS").starts_with("Note\t1544\t"));
    run(&mut s, "ALTER EVENT kept ON SCHEDULE AT NOW() + INTERVAL 1 SECOND ENABLE");
    wait_for(&mut s, "SELECT RUNS, STATUS FROM information_schema.events", "2\tDISABLED");
}

#[test]
fn an_event_runs_once_at_a_time_is_shown_and_ends_by_kill() {
    let house = House::new();
    let mut s = session(&house.sql);
    run(&mut s, "CREATE TABLE t (a INT)");
    run(
        &mut s,
        "CREATE EVENT e ON SCHEDULE EVERY 1 SECOND ON COMPLETION PRESERVE DO BEGIN INSERT INTO t \
         VALUES (1); DO SLEEP(1000); END",
    );
    let shown = "SELECT COUNT(*) FROM information_schema.processlist WHERE USER = 'root' AND DB = \
                 'test' AND INFO = 'DO SLEEP(1000)'";
    wait_for(&mut s, shown, "1");
    // Some moments come meanwhile.
    run(&mut s, "DO SLEEP(2.2)");
    assert_eq!(run(&mut s, "SELECT COUNT(*) FROM t"), "1");
    assert_eq!(run(&mut s, shown), "1");
    run(&mut s, "ALTER EVENT e DISABLE");
    let id =
        run(&mut s, "SELECT ID FROM information_schema.processlist WHERE INFO = 'DO SLEEP(1000)'");
    run(&mut s, &format!("KILL {id}"));
    wait_for(
        &mut s,
        "SELECT RUNNING, FAILURES, LAST_ERROR_NUMBER FROM information_schema.events",
        "NO\t1\t1317",
    );
    assert_eq!(run(&mut s, shown), "0");
}

#[test]
fn a_run_without_end_or_without_measure_is_ended_by_a_limit() {
    let house = House::over(&Arc::default(), Duration::from_millis(700));
    let mut s = session(&house.sql);
    run(&mut s, "CREATE TABLE n (i INT PRIMARY KEY)");
    let rows: Vec<String> = (0..1000).map(|i| format!("({i})")).collect();
    run(&mut s, &format!("INSERT INTO n VALUES {}", rows.join(",")));
    for (name, body) in [
        ("sleeps", "BEGIN SET SESSION max_statement_time = 0; DO SLEEP(1000); END"),
        ("loops", "SELECT COUNT(*) FROM n a, n b, n c, n d WHERE a.i + b.i + c.i < d.i"),
        ("computes", "DO BENCHMARK(1000000000000, MD5('a'))"),
    ] {
        run(&mut s, &format!("CREATE EVENT {name} ON SCHEDULE EVERY 1 DAY DO {body}"));
    }
    wait_for(
        &mut s,
        "SELECT EVENT_NAME, LAST_ERROR_NUMBER FROM information_schema.events WHERE RUNNING = 'NO' \
         AND FAILURES = 1 ORDER BY 1",
        "computes\t1969\nloops\t1969\nsleeps\t1969",
    );
    let words =
        run(&mut s, "SELECT LAST_ERROR FROM information_schema.events WHERE EVENT_NAME = 'sleeps'");
    assert!(words.contains("event-timeout"), "{words}");
    // And nobody else was harmed.
    assert_eq!(run(&mut s, "SELECT COUNT(*) FROM n"), "1000");
    await_memory(&house.sql);
    // What takes too much memory has the time to come to that.
    let house = House::new();
    let mut s = session(&house.sql);
    run(
        &mut s,
        "CREATE EVENT takes ON SCHEDULE EVERY 1 DAY DO SELECT CONCAT(REPEAT('a', 40000000), \
         REPEAT('b', 40000000))",
    );
    wait_for(
        &mut s,
        "SELECT RUNNING, FAILURES, LAST_ERROR_NUMBER FROM information_schema.events",
        "NO\t1\t1041",
    );
    await_memory(&house.sql);
}

#[test]
fn a_stop_ends_runs_and_no_start_repeats_a_one_time_event() {
    let store: Arc<MemoryStore> = Arc::default();
    let mut house = House::over(&store, Duration::ZERO);
    let mut s = session(&house.sql);
    run(&mut s, "CREATE TABLE t (a INT)");
    for (name, preserve) in [("gone", ""), ("kept", "ON COMPLETION PRESERVE")] {
        run(
            &mut s,
            &format!(
                "CREATE EVENT {name} ON SCHEDULE AT NOW() {preserve} DO BEGIN INSERT INTO t VALUES \
                 (1); DO SLEEP(1000); INSERT INTO t VALUES (2); END"
            ),
        );
    }
    run(&mut s, "CREATE EVENT again ON SCHEDULE EVERY 1 DAY DO INSERT INTO t VALUES (3)");
    wait_for(&mut s, "SELECT COUNT(*) FROM t", "3");
    // Its row is there before its run has ended.
    let ended = "SELECT RUNS, RUNNING FROM information_schema.events WHERE EVENT_NAME = 'again'";
    wait_for(&mut s, ended, "1\tNO");
    let since = Instant::now();
    house.scheduler.take().unwrap().stop(PATIENCE);
    assert!(since.elapsed() < PATIENCE, "{:?}", since.elapsed());
    let left =
        "SELECT EVENT_NAME, STATUS, LAST_ERROR_NUMBER FROM information_schema.events ORDER BY 1";
    assert_eq!(run(&mut s, left), "again\tENABLED\tNULL\nkept\tDISABLED\t1317");
    drop((s, house));
    let house = House::over(&store, Duration::ZERO);
    let mut s = Session::new(&house.sql, 1, "root", "localhost", Some("test")).unwrap();
    run(&mut s, "CREATE EVENT probe ON SCHEDULE AT NOW() ON COMPLETION PRESERVE DO DO 1");
    wait_for(
        &mut s,
        "SELECT RUNS, RUNNING FROM information_schema.events WHERE EVENT_NAME = 'probe'",
        "1\tNO",
    );
    assert_eq!(run(&mut s, "SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a"), "1\t2\n3\t1");
}

#[test]
fn an_event_that_is_switched_off_waits_and_one_time_events_run_when_it_is_on_again() {
    let house = House::new();
    let mut s = session(&house.sql);
    run(&mut s, "CREATE TABLE t (a VARCHAR(9))");
    run(&mut s, "SET GLOBAL event_scheduler = OFF");
    run(&mut s, "CREATE EVENT once ON SCHEDULE AT NOW() DO INSERT INTO t VALUES ('once')");
    run(&mut s, "CREATE EVENT daily ON SCHEDULE EVERY 1 DAY DO INSERT INTO t VALUES ('daily')");
    run(&mut s, "DO SLEEP(1.1)");
    assert_eq!(run(&mut s, "SELECT * FROM t"), "");
    run(&mut s, "SET GLOBAL event_scheduler = ON");
    wait_for(&mut s, "SELECT EVENT_NAME, RUNS FROM information_schema.events", "daily\t0");
    assert_eq!(run(&mut s, "SELECT * FROM t"), "once");
}

#[test]
fn a_run_whose_database_is_dropped_ends_alone() {
    let house = House::new();
    let mut s = session(&house.sql);
    run(&mut s, "CREATE DATABASE d");
    run(&mut s, "CREATE TABLE t (a INT)");
    run(&mut s, "DO GET_LOCK('dropped', 0)");
    run(
        &mut s,
        "CREATE EVENT d.e ON SCHEDULE EVERY 1 SECOND DO BEGIN INSERT INTO test.t VALUES (1); DO \
         GET_LOCK('dropped', 1000); INSERT INTO missing VALUES (1); END",
    );
    wait_for(&mut s, "SELECT COUNT(*) FROM t", "1");
    run(&mut s, "DROP DATABASE d");
    run(&mut s, "DO RELEASE_LOCK('dropped')");
    wait_for(&mut s, "SELECT COUNT(*) FROM information_schema.processlist WHERE DB = 'd'", "0");
    assert_eq!(run(&mut s, "SELECT COUNT(*) FROM information_schema.events"), "0");
    run(&mut s, "DO SLEEP(1.1)");
    assert_eq!(run(&mut s, "SELECT COUNT(*) FROM t"), "1");
}
