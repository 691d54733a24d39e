//! Columnar tables in the whole server: at every door, across kills at any moment, in copies.

#[path = "support/backups.rs"]
mod backups;
#[path = "support/mysql.rs"]
mod mysql;
mod support;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mysql::Mysql;
use support::{Running, ask_line, read_line, rest, wait_until};

const MEMORY: &str = "--memory=256MiB";

fn session(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).expect("a session")
}

/// Makes `d.t`; a word for its engine.
fn make(client: &mut Mysql, engine: &str) {
    client.query("CREATE DATABASE d").unwrap();
    let definition = "id INT PRIMARY KEY, n INT, word VARCHAR(40), KEY (n)";
    client.query(&format!("CREATE TABLE d.t ({definition}) ENGINE={engine}")).unwrap();
}

fn insert(client: &mut Mysql, ids: std::ops::Range<i64>) {
    let rows: Vec<String> =
        ids.map(|id| format!("({id}, {}, 'word {}')", id % 100, id % 1000)).collect();
    for rows in rows.chunks(1000) {
        client.query(&format!("INSERT INTO d.t VALUES {}", rows.join(","))).unwrap();
    }
}

/// A figure of SHOW GLOBAL STATUS that ends with this name.
fn cell(client: &mut Mysql, query: &str) -> String {
    let rows = client.query(query).unwrap_or_else(|error| panic!("{query}: {error:?}"));
    rows[0][0].clone().unwrap_or_default()
}

/// Bytes in segments, as SHOW TABLE STATUS has them: rows that are not sealed do not count.
fn sealed_row_length(client: &mut Mysql) -> u64 {
    let rows = client.query("SHOW TABLE STATUS FROM d LIKE 't'").unwrap();
    rows[0][5].as_deref().unwrap().parse().unwrap()
}

#[test]
fn every_door_sees_sealed_rows_and_writes_them() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    make(&mut client, "COLUMNAR");
    insert(&mut client, 0..20_000);
    wait_until("the rows to be sealed", || sealed_row_length(&mut client) > 0);
    let container = "INSERT INTO rowhouse.containers \
                     (name, db, tbl, key_columns, value_columns) \
                     VALUES ('t', 'd', 't', 'id', 'word')";
    client.query(container).unwrap();
    let mut memcached = server.connect("memcached");
    wait_until("the container", || {
        let answer = ask_line(&mut memcached, "get t:77\r\n");
        let found = answer.starts_with("VALUE t:77 0 7");
        if found {
            assert_eq!(read_line(&mut memcached), "word 77");
            assert_eq!(read_line(&mut memcached), "END");
        }
        found
    });
    assert_eq!(ask_line(&mut memcached, "set t:77 0 0 3\r\nnew\r\n"), "STORED");
    assert_eq!(ask_line(&mut memcached, "delete t:78\r\n"), "DELETED");
    let mut handlersocket = server.connect("handlersocket-write");
    assert_eq!(ask_line(&mut handlersocket, "P\t1\td\tt\tPRIMARY\tid,n,word\n"), "0\t1");
    assert_eq!(ask_line(&mut handlersocket, "1\t=\t1\t77\n"), "0\t3\t77\t77\tnew");
    assert_eq!(ask_line(&mut handlersocket, "1\t=\t1\t79\t1\t0\tU\t79\t-1\thand\n"), "0\t1\t1");
    let word = |client: &mut Mysql, id: i64| {
        cell(client, &format!("SELECT COALESCE(MAX(word), 'none') FROM d.t WHERE id = {id}"))
    };
    assert_eq!(word(&mut client, 77), "new");
    assert_eq!(word(&mut client, 78), "none");
    assert_eq!(word(&mut client, 79), "hand");
    assert_eq!(cell(&mut client, "SELECT COUNT(*) FROM d.t"), "19999");
    assert_eq!(cell(&mut client, "SELECT SUM(n = 77) FROM d.t"), "200");
    assert_eq!(cell(&mut client, "SELECT COUNT(*) FROM d.t WHERE n = -1"), "1");
    // Within a transaction one's own writes are there, and go with it.
    client.query("BEGIN").unwrap();
    client.query("DELETE FROM d.t WHERE id < 10000").unwrap();
    assert_eq!(cell(&mut client, "SELECT COUNT(*) FROM d.t"), "10000");
    assert_eq!(cell(&mut client, "SELECT COUNT(DISTINCT word) FROM d.t"), "1000");
    client.query("ROLLBACK").unwrap();
    assert_eq!(cell(&mut client, "SELECT COUNT(*) FROM d.t"), "19999");
    let created = client.query("SHOW CREATE TABLE d.t").unwrap();
    assert!(created[0][1].as_deref().unwrap().contains("ENGINE=COLUMNAR"), "{created:?}");
}

/// What a query says of the whole table, by column.
fn summary(client: &mut Mysql) -> Vec<(i64, i64, String)> {
    let rows = client.query("SELECT id, n, word FROM d.t ORDER BY id").unwrap();
    let number = |cell: &Option<String>| cell.as_deref().unwrap().parse().unwrap();
    rows.iter().map(|row| (number(&row[0]), number(&row[1]), row[2].clone().unwrap())).collect()
}

#[test]
fn kills_at_any_moment_lose_nothing_that_was_acknowledged() {
    const ROUNDS: u64 = 4;
    let directory = tempfile::tempdir().unwrap();
    let mut model: BTreeMap<i64, (i64, String)> = BTreeMap::new();
    let mut next = 0;
    for round in 0..ROUNDS {
        let server = Running::start(directory.path(), &[MEMORY]);
        let mut client = session(&server);
        if round == 0 {
            make(&mut client, "COLUMNAR");
        }
        let expected: Vec<(i64, i64, String)> =
            model.iter().map(|(id, (n, word))| (*id, *n, word.clone())).collect();
        assert_eq!(summary(&mut client), expected, "round {round}");
        // Enough at once for the mover to begin, and changes while it is at it.
        let mut seed = round + 1;
        let mut below = |end: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % end
        };
        let until = Instant::now() + Duration::from_millis(1500 + 700 * round);
        while Instant::now() < until {
            let ids = next..next + 3000;
            insert(&mut client, ids.clone());
            model.extend(ids.map(|id| (id, (id % 100, format!("word {}", id % 1000)))));
            next += 3000;
            for _ in 0..40 {
                let id = below(next as u64) as i64;
                if below(3) == 0 {
                    client.query(&format!("DELETE FROM d.t WHERE id = {id}")).unwrap();
                    model.remove(&id);
                } else {
                    let change = format!("UPDATE d.t SET n = -{round} WHERE id = {id}");
                    client.query(&change).unwrap();
                    model.entry(id).and_modify(|row| row.0 = -(round as i64));
                }
            }
        }
        server.kill();
    }
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    let expected: Vec<(i64, i64, String)> =
        model.iter().map(|(id, (n, word))| (*id, *n, word.clone())).collect();
    assert_eq!(summary(&mut client), expected);
    let checked = client.query("CHECK TABLE d.t").unwrap();
    assert_eq!(checked.last().unwrap()[3].as_deref(), Some("OK"));
    drop(client);
    assert_eq!(server.stop().code(), Some(0));
    let place = backups::data_dir(directory.path());
    let sound = support::run(&["check", &place]);
    assert!(sound.status.success(), "{}", backups::text(&sound.stdout));
}

#[test]
fn a_copy_has_segments_recent_rows_and_changes() {
    let place = backups::place();
    let server = place.server();
    let mut client = backups::login(&server);
    make(&mut client, "COLUMNAR");
    insert(&mut client, 0..20_000);
    wait_until("the rows to be sealed", || sealed_row_length(&mut client) > 0);
    client.query("UPDATE d.t SET n = 1000 WHERE id % 10 = 0").unwrap();
    client.query("DELETE FROM d.t WHERE id % 10 = 1").unwrap();
    place.backed_up(&[]);
    client.query("DELETE FROM d.t WHERE id < 15000").unwrap();
    rest();
    place.backed_up(&[]);
    place.is_sound(&[]);
    let restored = place.restored(&["--number=1"]);
    let mut client = session(&restored);
    assert_eq!(cell(&mut client, "SELECT COUNT(*) FROM d.t"), "18000");
    assert_eq!(cell(&mut client, "SELECT COUNT(*) FROM d.t WHERE n = 1000"), "2000");
}

#[test]
fn loads_and_alters_make_segments_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    make(&mut client, "InnoDB");
    insert(&mut client, 0..100_000);
    let rows = summary(&mut client);
    client.query("ALTER TABLE d.t ENGINE=COLUMNAR").unwrap();
    assert!(sealed_row_length(&mut client) > 0);
    assert_eq!(summary(&mut client), rows);
    client.query("ALTER TABLE d.t ADD COLUMN more INT NOT NULL DEFAULT 7").unwrap();
    assert_eq!(cell(&mut client, "SELECT SUM(more) FROM d.t"), "700000");
    client.query("ALTER TABLE d.t ADD KEY (word), DROP COLUMN n").unwrap();
    assert_eq!(cell(&mut client, "SELECT COUNT(*) FROM d.t WHERE word = 'word 5'"), "100");
    client.query("ALTER TABLE d.t ENGINE=InnoDB").unwrap();
    assert_eq!(cell(&mut client, "SELECT SUM(id) + SUM(more) FROM d.t"), "5000650000");
    let refused =
        client.query("CREATE TABLE d.u (id INT PRIMARY KEY, e INT) ENGINE=COLUMNAR EXPIRES_BY='e'");
    assert!(refused.is_err());
}
