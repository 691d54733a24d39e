//! Columnar tables in the whole server: at every door, across kills at any moment, in copies.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::by_column::{MEMORY, Random, cell, insert, stop_and_check, write_by_memcached};
use crate::mysql::{Failure, Mysql};
use crate::support::{Running, ask_line, rest, wait_until};

fn session(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).expect("a session")
}

/// Makes `d.t`; a word for its engine.
fn make(client: &mut Mysql, engine: &str) {
    client.query("CREATE DATABASE d").unwrap();
    let definition = "id INT PRIMARY KEY, n INT, word VARCHAR(40), KEY (n)";
    client.query(&format!("CREATE TABLE d.t ({definition}) ENGINE={engine}")).unwrap();
}

/// Bytes in segments, as SHOW TABLE STATUS has them: rows that are not sealed do not count.
fn sealed_row_length(client: &mut Mysql) -> u64 {
    let rows = client.query("SHOW TABLE STATUS FROM d LIKE 't'").unwrap();
    rows[0][5].as_deref().unwrap().parse().unwrap()
}

#[test]
fn a_consistent_snapshot_saw_an_empty_table_behind_a_copy_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let (mut reader, mut other) = (session(&server), session(&server));
    make(&mut other, "COLUMNAR");
    insert(&mut other, 0..5_000, "");
    other.query("CREATE TABLE d.r (id INT PRIMARY KEY)").unwrap();
    let queries = ["SELECT COUNT(*), SUM(n) FROM d.t", "SELECT word FROM d.t WHERE id = 77"];
    let changes = ["ALTER TABLE d.t ENGINE=InnoDB", "ALTER TABLE d.t ENGINE=COLUMNAR"];
    for executor in ["auto", "rows", "columns"] {
        for change in changes {
            reader.query(&format!("SET SESSION rowhouse_executor = '{executor}'")).unwrap();
            reader.query("START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
            assert_eq!(cell(&mut reader, "SELECT COUNT(*) FROM d.r"), "0");
            other.query(change).unwrap();
            for query in queries {
                let refused = reader.query(query);
                let Err(Failure::Error { number: 1412, .. }) = refused else {
                    panic!("{change}, {executor}, {query}: {refused:?}");
                };
            }
            // The transaction goes on, and the next one sees all.
            assert_eq!(cell(&mut reader, "SELECT COUNT(*) FROM d.r"), "0");
            reader.query("COMMIT").unwrap();
            assert_eq!(cell(&mut reader, queries[0]), "5000");
            assert_eq!(cell(&mut reader, queries[1]), "word 77");
        }
    }
}

#[test]
fn every_door_sees_sealed_rows_and_writes_them() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    make(&mut client, "COLUMNAR");
    insert(&mut client, 0..20_000, "");
    wait_until("the rows to be sealed", || sealed_row_length(&mut client) > 0);
    write_by_memcached(&server, &mut client);
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

#[test]
fn rows_that_a_container_lets_expire_are_gone_by_column_too() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    make(&mut client, "COLUMNAR");
    insert(&mut client, 0..20_000, "");
    wait_until("the rows to be sealed", || sealed_row_length(&mut client) > 0);
    // Those with another number than 0 have been gone since 1970.
    let container = "INSERT INTO rowhouse.containers \
                     (name, db, tbl, key_columns, value_columns, expiry_column) \
                     VALUES ('t', 'd', 't', 'id', 'word', 'n')";
    client.query(container).unwrap();
    wait_until("a row to be gone for who looks it up", || {
        cell(&mut client, "SELECT COUNT(*) FROM d.t WHERE id = 1") == "0"
    });
    for query in [
        "SELECT COUNT(*) FROM d.t",
        "SELECT COUNT(id) FROM d.t WHERE word LIKE 'word%'",
        "SELECT SUM(number) FROM (SELECT n, COUNT(*) AS number FROM d.t GROUP BY n) AS g",
    ] {
        assert_eq!(cell(&mut client, query), "200", "{query}");
    }
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
        let mut random = Random(round + 1);
        let until = Instant::now() + Duration::from_millis(1500 + 700 * round);
        while Instant::now() < until {
            let ids = next..next + 3000;
            insert(&mut client, ids.clone(), "");
            model.extend(ids.map(|id| (id, (id % 100, format!("word {}", id % 1000)))));
            next += 3000;
            for _ in 0..40 {
                let id = random.below(next as u64) as i64;
                if random.below(3) == 0 {
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
    stop_and_check(server, directory.path());
}

#[test]
fn a_copy_has_segments_recent_rows_and_changes() {
    let place = crate::backups::place();
    let server = place.server();
    let mut client = crate::backups::login(&server);
    make(&mut client, "COLUMNAR");
    insert(&mut client, 0..20_000, "");
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
    insert(&mut client, 0..100_000, "");
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

/// Queries over a columnar table and a table of the same rows: sealed, changed, removed and recent
/// ones, NULLs, texts that differ in case, numbers at the ends of their types.
#[test]
fn queries_give_the_same_by_column_as_by_row() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    client.query("CREATE DATABASE d").unwrap();
    let definition = "id BIGINT PRIMARY KEY, tiny TINYINT, big BIGINT UNSIGNED, word VARCHAR(20), \
                      day DATE, at DATETIME(3), price DECIMAL(10,2), wide DECIMAL(30,4), \
                      ratio DOUBLE, kind ENUM('a','B','c'), bytes VARBINARY(9), y YEAR, t TIME";
    for (name, engine) in [("t", "COLUMNAR"), ("r", "InnoDB")] {
        client.query(&format!("CREATE TABLE d.{name} ({definition}) ENGINE={engine}")).unwrap();
    }
    let value = |id: i64| {
        let or_null = |every: i64, text: String| match id % every {
            0 => "NULL".to_owned(),
            _ => text,
        };
        [
            id.to_string(),
            or_null(7, (id % 256 - 128).to_string()),
            or_null(11, (u64::MAX - (id % 5) as u64).to_string()),
            or_null(13, format!("'{}{}'", if id % 2 == 0 { "Word" } else { "word" }, id % 50)),
            or_null(17, format!("'20{:02}-{:02}-{:02}'", id % 30, id % 12 + 1, id % 28 + 1)),
            or_null(19, format!("'2020-01-01 00:{:02}:{:02}.{:03}'", id % 60, id % 59, id % 999)),
            or_null(23, format!("{}.{:02}", id % 1000 - 500, id % 100)),
            or_null(29, format!("{}0000000000000000.{:04}", id % 1000, id % 10_000)),
            or_null(31, format!("{}e-3", id % 777 - 300)),
            or_null(37, format!("'{}'", ["a", "B", "c"][id as usize % 3])),
            or_null(41, format!("X'{:02X}{:02X}'", id % 256, id % 3)),
            or_null(43, (1980 + id % 40).to_string()),
            or_null(47, format!("'{}:00:0{}'", id % 30 - 10, id % 10)),
        ]
        .join(",")
    };
    let mut both = |change: &dyn Fn(&str) -> String| {
        for name in ["d.t", "d.r"] {
            client.query(&change(name)).unwrap();
        }
    };
    for first in (0..24_000).step_by(500) {
        let rows: Vec<String> = (first..first + 500).map(|id| format!("({})", value(id))).collect();
        both(&|name| format!("INSERT INTO {name} VALUES {}", rows.join(",")));
    }
    wait_until("the rows to be sealed", || sealed_row_length(&mut session(&server)) > 0);
    // A column that no segment has yet.
    both(&|name| format!("ALTER TABLE {name} ADD COLUMN later INT DEFAULT 3"));
    both(&|name| format!("UPDATE {name} SET later = id WHERE id % 101 = 3"));
    both(&|name| format!("UPDATE {name} SET tiny = -5, word = 'WORD7' WHERE id % 97 = 3"));
    both(&|name| format!("DELETE FROM {name} WHERE id % 89 = 5"));
    both(&|name| {
        let rows = (30_000..30_200).map(|id| format!("({}, NULL)", value(id)));
        let rows: Vec<String> = rows.collect();
        format!("INSERT INTO {name} VALUES {}", rows.join(","))
    });
    let columns =
        ["tiny", "big", "word", "day", "at", "price", "wide", "ratio", "kind", "bytes", "y", "t"];
    let mut queries: Vec<String> = vec![
        "SELECT COUNT(*) FROM #".into(),
        "SELECT COUNT(*), COUNT(tiny), SUM(tiny), MIN(big), MAX(price), AVG(wide) FROM #".into(),
        "SELECT COUNT(*) FROM # WHERE tiny > 10 AND tiny > 3 AND price < 20.5".into(),
        "SELECT COUNT(*) FROM # WHERE tiny BETWEEN -7 AND 12 AND y = 1990".into(),
        "SELECT COUNT(*) FROM # WHERE big = 18446744073709551615".into(),
        "SELECT COUNT(*) FROM # WHERE big > 18446744073709551613 OR tiny IS NULL".into(),
        "SELECT COUNT(*) FROM # WHERE tiny IS NULL".into(),
        "SELECT COUNT(*) FROM # WHERE NOT tiny > 10".into(),
        "SELECT COUNT(*) FROM # WHERE tiny <> 10".into(),
        "SELECT COUNT(*) FROM # WHERE tiny IN (1, 2, NULL)".into(),
        "SELECT COUNT(*) FROM # WHERE tiny = 300 OR tiny < -1000".into(),
        "SELECT COUNT(*) FROM # WHERE day >= '2010-03-04' AND day < '2015-01-01'".into(),
        "SELECT COUNT(*) FROM # WHERE at > '2020-01-01 00:30:00.5'".into(),
        "SELECT COUNT(*) FROM # WHERE word = 'word7'".into(),
        "SELECT word, kind, COUNT(*) FROM # WHERE tiny > -100 GROUP BY word, kind ORDER BY 1, 2".into(),
        "SELECT tiny, word, y, COUNT(*) c FROM # GROUP BY tiny, word, y ORDER BY c DESC, 1, 2, 3 LIMIT 50".into(),
        "SELECT word, COUNT(DISTINCT tiny) FROM # GROUP BY word ORDER BY word".into(),
        "SELECT word, COUNT(DISTINCT y), COUNT(*), COUNT(tiny), SUM(price), MIN(t), SUM(DISTINCT y) \
         FROM # GROUP BY word ORDER BY word".into(),
        "SELECT kind, COUNT(DISTINCT word), COUNT(DISTINCT y) FROM # GROUP BY kind ORDER BY 1".into(),
        "SELECT kind, COUNT(DISTINCT word) c, MAX(word) FROM # WHERE tiny > 200 GROUP BY kind".into(),
        "SELECT COUNT(DISTINCT word), COUNT(*) FROM # WHERE tiny > 200".into(),
        "SELECT word, COUNT(DISTINCT y) c FROM # WHERE tiny > -90 GROUP BY word ORDER BY c DESC, word".into(),
        "SELECT y, kind, COUNT(DISTINCT word) FROM # GROUP BY y, kind ORDER BY 1, 2".into(),
        "SELECT UPPER(word), MIN(word), COUNT(DISTINCT word) FROM # GROUP BY UPPER(word) ORDER BY 1".into(),
        "SELECT y DIV 10, COUNT(DISTINCT LEFT(word, 5)), COUNT(DISTINCT LEFT(word, 5)) + 1 FROM # \
         GROUP BY y DIV 10 ORDER BY 1".into(),
        "SELECT y, COUNT(DISTINCT y) FROM # GROUP BY y ORDER BY y".into(),
        "SELECT y, COUNT(DISTINCT word) FROM # WHERE tiny > 200 GROUP BY y".into(),
        "SELECT tiny + y, COUNT(DISTINCT day) FROM # GROUP BY tiny + y ORDER BY 1".into(),
        "SELECT y, COUNT(x), COUNT(*) FROM (SELECT DISTINCT y, word x FROM #) d GROUP BY y ORDER BY y".into(),
        "SELECT big, COUNT(DISTINCT at) FROM # GROUP BY big ORDER BY 1".into(),
        "SELECT COUNT(DISTINCT word) FROM #".into(),
        "SELECT COUNT(DISTINCT LEFT(word, 5)), COUNT(DISTINCT LEFT(word, 5)) * 2 FROM # WHERE y > 1990".into(),
        "SELECT COUNT(DISTINCT word), SUM(tiny), MAX(price) FROM # WHERE tiny > 200".into(),
        "SELECT COUNT(DISTINCT word), SUM(tiny), MAX(price) FROM #".into(),
        "SELECT SUM(DISTINCT y) FROM # WHERE tiny > 200".into(),
        "SELECT DISTINCT word, kind FROM # ORDER BY word, kind".into(),
        "SELECT COUNT(*) FROM # WHERE word LIKE '%RD1%'".into(),
        "SELECT COUNT(*), MIN(word) FROM # WHERE word > 'word3' AND 'word45' >= word".into(),
        "SELECT CONCAT(word, '-'), LENGTH(word) l, COUNT(*) FROM # GROUP BY 1, 2 ORDER BY 1".into(),
        "SELECT y, word, SUM(price), AVG(price), MIN(at), MAX(wide), BIT_OR(big), COUNT(day) FROM # \
         GROUP BY y, word ORDER BY y, word".into(),
        "SELECT y, SUM(CASE WHEN tiny > 10 THEN price ELSE -1 END), SUM(tiny * CAST(y AS SIGNED)) FROM # \
         WHERE price < 100 GROUP BY y HAVING COUNT(*) > 3 ORDER BY y".into(),
        "SELECT tiny, y, word, day, kind, t, COUNT(*), SUM(price) FROM # \
         GROUP BY tiny, y, word, day, kind, t ORDER BY 1, 2, 3, 4, 5, 6".into(),
        "SELECT id DIV 7, COUNT(*), SUM(tiny) FROM # GROUP BY id DIV 7 ORDER BY 1".into(),
        "SELECT y + 1, UPPER(word), COUNT(*), SUM(y) FROM # GROUP BY y + 1, UPPER(word) ORDER BY 1, 2".into(),
        "SELECT SUM(tiny), SUM(price), MIN(word), AVG(y) FROM # WHERE tiny > 10".into(),
        "SELECT SUM(tiny), COUNT(*), MAX(word) FROM # WHERE tiny > 200".into(),
        "SELECT y, MAX(word), MIN(bytes) FROM # WHERE word IS NOT NULL GROUP BY y ORDER BY y".into(),
        "SELECT big, at, COUNT(*) FROM # GROUP BY big, at ORDER BY 1, 2".into(),
        "SELECT DISTINCT y, kind FROM # ORDER BY 1, 2".into(),
        "SELECT y, SUM(IF(tiny > 10, 1, 0)) * 1000 / COUNT(*) FROM # GROUP BY y ORDER BY y".into(),
        "SELECT a.y, c, d FROM (SELECT y, COUNT(*) c FROM # WHERE tiny > 10 GROUP BY y) a \
         JOIN (SELECT y, COUNT(*) d FROM # GROUP BY y) b ON a.y = b.y ORDER BY a.y".into(),
        "SELECT a.id, b.word FROM # a JOIN # b ON b.id = a.id + 1 WHERE a.tiny = 3 ORDER BY 1".into(),
        "SELECT * FROM # WHERE id BETWEEN 100 AND 140 ORDER BY id".into(),
        "SELECT * FROM # ORDER BY id DESC LIMIT 20".into(),
        "SELECT * FROM # ORDER BY word, id LIMIT 3000, 20".into(),
        "SELECT COUNT(*) FROM (SELECT * FROM # WHERE tiny > 0 LIMIT 5000) x".into(),
    ];
    for column in columns {
        queries
            .push(format!("SELECT {column}, COUNT(*) FROM # GROUP BY {column} ORDER BY {column}"));
        let ends = format!("SELECT MIN({column}), MAX({column}), COUNT({column})");
        // Together with SUM all rows are looked at.
        for behind in ["", ", SUM(tiny)", ", SUM(later), MIN(later)"] {
            queries.push(format!("{ends}{behind} FROM #"));
            queries.push(format!("{ends}{behind} FROM # WHERE tiny > 3"));
        }
    }
    for column in ["tiny", "big", "price", "wide", "y", "later", "kind"] {
        let sums = format!("SELECT SUM({column}), AVG({column}), COUNT({column}), COUNT(*)");
        queries.push(format!("{sums} FROM #"));
        queries.push(format!("{sums} FROM # WHERE tiny > 3 AND y < 2010"));
        queries.push(format!("{sums} FROM # WHERE tiny > 200"));
    }
    let compare = |client: &mut Mysql| {
        for query in &queries {
            let mut ask = |executor: &str, name: &str| {
                client.query(&format!("SET rowhouse_executor = '{executor}'")).unwrap();
                client.query(&query.replace('#', name)).unwrap_or_else(|e| panic!("{query}: {e:?}"))
            };
            let (by_column, by_row) = (ask("columns", "d.t"), ask("rows", "d.r"));
            // GROUP BY shows any of the texts that are equal.
            let folded = |rows: crate::mysql::Rows| -> Vec<Vec<Option<String>>> {
                let fold = |cell: Option<String>| cell.map(|cell| cell.to_lowercase());
                rows.into_iter().map(|row| row.into_iter().map(fold).collect()).collect()
            };
            assert_eq!(folded(by_column), folded(by_row), "{query}");
        }
    };
    let mut client = session(&server);
    compare(&mut client);
    // One's own writes are read as rows, however they are asked for.
    client.query("BEGIN").unwrap();
    for name in ["d.t", "d.r"] {
        client.query(&format!("UPDATE {name} SET tiny = 11, y = 2001 WHERE id % 5 = 0")).unwrap();
    }
    compare(&mut client);
    client.query("ROLLBACK").unwrap();
    compare(&mut client);
}
