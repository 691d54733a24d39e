//! The keys of a columnar table, which hold for rows in segments as for recent ones: what would
//! break one is refused, REPLACE and ON DUPLICATE KEY UPDATE find the row that is in the way, as on
//! a table of rows, on which everything is done as well.

use crate::by_column::{MEMORY, cell, stop_and_check};
use crate::mysql::{Failure, Mysql, Rows};
use crate::support::{Running, wait_until};

/// Fewer than the mover makes a segment of.
const RECENT: i64 = 1_000;
/// With those that it takes at once.
const ROWS: i64 = 30_000;

fn session(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).expect("a session")
}

/// Adds rows of some numbers to both tables: texts that differ in case, every tenth code NULL.
fn insert(client: &mut Mysql, ids: std::ops::Range<i64>) {
    let code = |id: i64| match id % 10 {
        0 => "NULL".to_owned(),
        _ => format!("'Code {id}'"),
    };
    let rows: Vec<String> =
        ids.map(|id| format!("({id}, {}, {}, 'word {}')", code(id), id % 100, id / 100)).collect();
    for rows in rows.chunks(1000) {
        for table in ["d.t", "d.r"] {
            client.query(&format!("INSERT INTO {table} VALUES {}", rows.join(","))).unwrap();
        }
    }
}

/// `d.t` by column and `d.r` by row, with the same recent rows.
fn furnished(server: &Running) -> Mysql {
    let mut client = session(server);
    client.query("CREATE DATABASE d").unwrap();
    for (table, engine) in [("t", "COLUMNAR"), ("r", "InnoDB")] {
        let create = format!(
            "CREATE TABLE d.{table} (id INT, code VARCHAR(20), n INT, word VARCHAR(40), \
             PRIMARY KEY (id), UNIQUE KEY codes (code), UNIQUE KEY pairs (n, word)) ENGINE={engine}"
        );
        client.query(&create).unwrap();
    }
    insert(&mut client, 0..RECENT);
    client
}

fn is_sealed(client: &mut Mysql) -> bool {
    client.query("SHOW TABLE STATUS FROM d LIKE 't'").unwrap()[0][5] != Some("0".into())
}

/// How many rows a statement changed, or why it did not.
fn outcome(done: Result<u64, Failure>) -> Result<u64, (u16, String)> {
    done.map_err(|failure| match failure {
        // What it says of a key names the table.
        Failure::Error { number, message } => (number, message.replace("'r.", "'t.")),
        Failure::Gone(error) => panic!("{error}"),
    })
}

fn ask(client: &mut Mysql, queries: &[String]) -> Vec<Rows> {
    let mut one =
        |query: &String| client.query(query).unwrap_or_else(|why| panic!("{query}: {why}"));
    queries.iter().map(&mut one).collect()
}

/// What a table holds, as each of its keys has it.
fn sums(client: &mut Mysql, table: &str) -> Vec<Rows> {
    let sums = "SELECT COUNT(*), SUM(id), COUNT(code), SUM(CRC32(code)), SUM(n), SUM(CRC32(word))";
    let all = [
        "",
        "FORCE INDEX (PRIMARY) WHERE id > -2000000",
        "FORCE INDEX (codes) WHERE code > '' OR code IS NULL",
        "FORCE INDEX (pairs) WHERE n > -2000000 OR n IS NULL",
    ];
    ask(client, &all.map(|all| format!("{sums} FROM {table} {all}")))
}

/// Rows about a hundred, as each key finds them.
fn some_rows(client: &mut Mysql, table: &str, hundred: i64) -> Vec<Rows> {
    let some = [
        "SELECT * FROM # WHERE id BETWEEN @10 AND @70 ORDER BY id",
        "SELECT * FROM # WHERE id < 0 ORDER BY id",
        "SELECT * FROM # WHERE code IN ('new', 'one', 'CODE @13', 'code @61', 'here') ORDER BY id",
        "SELECT code, id FROM # FORCE INDEX (codes) WHERE code LIKE 'CODE @__' ORDER BY id",
        "SELECT id FROM # FORCE INDEX (pairs) WHERE word = 'WORD @' AND n IN (21, 44, 45, 121)",
    ];
    let some = some.map(|query| query.replace('#', table).replace('@', &hundred.to_string()));
    ask(client, &some)
}

/// What is done with keys of rows; `@` stands for a hundred whose rows are there.
const CHANGES: &[&str] = &[
    "INSERT INTO # VALUES (@11, 'new', -1, 'new')",
    "INSERT INTO # VALUES (-1, 'CODE @11', -1, 'new')",
    "INSERT INTO # VALUES (-1, 'new', 11, 'WORD @')",
    "INSERT INTO # VALUES (-1, 'new', -1, 'new'), (-2, 'new 2', -2, 'new'), (@12, NULL, -3, 'new')",
    "INSERT IGNORE INTO # VALUES (-1, 'one', -1, 'new'), (@12, NULL, -3, 'new'), (-2, 'code @13', 0, '')",
    "INSERT INTO # VALUES (-3, NULL, NULL, 'word @'), (-4, NULL, NULL, 'word @')",
    "UPDATE # SET id = @14 WHERE id = @15",
    "UPDATE # SET code = 'CODE @16' WHERE id = @15",
    "UPDATE # SET code = 'Code @15', n = n WHERE id = @15",
    "UPDATE # SET n = n + 1 WHERE id BETWEEN @20 AND @29",
    "UPDATE # SET n = n + 100 WHERE id BETWEEN @20 AND @29",
    "UPDATE IGNORE # SET code = 'code @16' WHERE id BETWEEN @14 AND @18",
    "UPDATE # SET id = id + 1 WHERE id BETWEEN @30 AND @39 ORDER BY id DESC",
    "UPDATE # SET id = -id - 1000000 WHERE id BETWEEN @30 AND @34",
    "REPLACE INTO # VALUES (@41, 'code @41', 41, 'word @')",
    "REPLACE INTO # VALUES (@42, 'other', 42, 'other @')",
    // Three rows are in the way of one.
    "REPLACE INTO # VALUES (@43, 'CODE @44', 45, 'word @')",
    "REPLACE INTO # VALUES (@44, 'code @44 again', 44, 'word @'), (@44, 'code @46', 44, 'word @')",
    "REPLACE INTO # SELECT id, code, n, CONCAT(word, '!') FROM d.r WHERE id BETWEEN @47 AND @49",
    "INSERT INTO # VALUES (@51, 'none', 1, '') ON DUPLICATE KEY UPDATE word = CONCAT(word, '+'), n = n",
    "INSERT INTO # VALUES (-5, 'CODE @52', 1, 'x') ON DUPLICATE KEY UPDATE word = VALUES(word)",
    "INSERT INTO # VALUES (-5, 'none', 53, 'word @') ON DUPLICATE KEY UPDATE code = VALUES(code), id = -@53",
    "INSERT INTO # VALUES (@54, 'none', 0, '') ON DUPLICATE KEY UPDATE id = id",
    "INSERT INTO # VALUES (@54, 'none', 0, '') ON DUPLICATE KEY UPDATE code = 'code @55'",
    "INSERT INTO # VALUES (@56, 'a', 0, ''), (-6, 'b @', -6, ''), (-6, 'c', -7, '') \
     ON DUPLICATE KEY UPDATE word = CONCAT(code, VALUES(code))",
    "INSERT INTO # SELECT id + 1, code, n, word FROM d.r WHERE id BETWEEN @57 AND @59 \
     ON DUPLICATE KEY UPDATE word = VALUES(code)",
    "DELETE FROM # WHERE id BETWEEN @61 AND @63",
    "INSERT INTO # VALUES (@61, 'code @62', 63, 'word @'), (@62, 'CODE @61', 62, 'word @')",
    "INSERT INTO # VALUES (@63, 'code @61', 61, 'word @')",
    "INSERT INTO # VALUES (@61, 'code @63', 61, 'word @')",
    "BEGIN",
    "DELETE FROM # WHERE code = 'code @64'",
    "INSERT INTO # VALUES (@64, 'code @65', 64, 'word @')",
    "INSERT INTO # VALUES (@64, 'code @64', 64, 'word @')",
    "SAVEPOINT here",
    "REPLACE INTO # VALUES (@64, 'code @65', 66, 'word @')",
    "INSERT INTO # VALUES (@65, 'free', 65, 'word @'), (@66, 'code @66', 64, 'word @')",
    "INSERT INTO # VALUES (-7, 'free', 64, 'free @')",
    "ROLLBACK TO here",
    "INSERT INTO # VALUES (@65, 'free', 65, 'free @')",
    "UPDATE # SET code = 'here' WHERE id = @64",
    "COMMIT",
    "INSERT INTO # VALUES (@64, 'x', 0, 'x')",
    "BEGIN",
    "DELETE FROM # WHERE id BETWEEN @67 AND @69",
    "INSERT INTO # VALUES (@67, 'code @68', 69, 'word @')",
    "ROLLBACK",
    "INSERT INTO # VALUES (-8, 'code @67', 0, 'x')",
    "DELETE FROM # WHERE id < 0",
];

/// Does everything to both tables; all outcomes and what they hold is the same.
fn change_both(client: &mut Mysql, hundred: i64) {
    for change in CHANGES {
        let change = change.replace('@', &hundred.to_string());
        let mut done = Vec::new();
        // Transactions are of both.
        let tables = if change.contains('#') { &["d.t", "d.r"][..] } else { &["none"] };
        for table in tables {
            done.push(outcome(client.execute(&change.replace('#', table))));
        }
        assert!(done.iter().all(|each| *each == done[0]), "{change}: {done:?}");
        if !change.contains('#') {
            assert_eq!(done[0], Ok(0), "{change}");
        }
        let [by_column, by_row] = ["d.t", "d.r"].map(|table| some_rows(client, table, hundred));
        assert_eq!(by_column, by_row, "{change}");
    }
    assert_eq!(sums(client, "d.t"), sums(client, "d.r"));
}

#[test]
fn keys_hold_on_both_sides_of_sealing_as_on_a_table_of_rows() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = furnished(&server);
    change_both(&mut client, 1);
    assert!(!is_sealed(&mut client), "so few rows are recent");
    insert(&mut client, RECENT..ROWS);
    wait_until("the rows to be sealed", || is_sealed(&mut client));
    // What was changed before, what never was, and the last in the segment.
    for hundred in [1, 2, 150, 299] {
        change_both(&mut client, hundred);
    }
    for executor in ["columns", "rows"] {
        client.query(&format!("SET SESSION rowhouse_executor = '{executor}'")).unwrap();
        change_both(&mut client, if executor == "rows" { 3 } else { 4 });
    }
    drop(client);
    stop_and_check(server, directory.path());
}

#[test]
fn a_unique_key_is_made_over_sealed_rows_only_if_they_are_unique() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = furnished(&server);
    insert(&mut client, RECENT..ROWS);
    wait_until("the rows to be sealed", || is_sealed(&mut client));
    client.query("UPDATE d.t SET word = CONCAT('Word of ', id) WHERE id <> 77").unwrap();
    client.query("UPDATE d.t SET word = 'WORD OF 29999' WHERE id = 77").unwrap();
    let add = "ALTER TABLE d.t ADD UNIQUE KEY words (word)";
    let refused = outcome(client.execute(add));
    assert!(matches!(&refused, Err((1062, why)) if why.contains("words")), "{refused:?}");
    client.query("DELETE FROM d.t WHERE id = 29999").unwrap();
    client.query(add).unwrap();
    let refused = outcome(client.execute("INSERT INTO d.t VALUES (-1, NULL, 0, 'word of 77')"));
    assert_eq!(refused, Ok(1), "77 has another word now");
    let refused = outcome(client.execute("INSERT INTO d.t VALUES (-2, NULL, 1, 'word of 29999')"));
    assert!(matches!(refused, Err((1062, _))), "{refused:?}");
    let refused = outcome(client.execute("ALTER TABLE d.t DROP PRIMARY KEY, ADD PRIMARY KEY (n)"));
    assert!(matches!(refused, Err((1062, _))), "{refused:?}");
    client.query("ALTER TABLE d.t DROP PRIMARY KEY, ADD PRIMARY KEY (word)").unwrap();
    let refused = outcome(client.execute("INSERT INTO d.t VALUES (77, NULL, 2, 'WORD of 78')"));
    assert!(matches!(refused, Err((1062, _))), "{refused:?}");
    assert_eq!(cell(&mut client, "SELECT id FROM d.t WHERE word = 'WORD OF 78'"), "78");
    drop(client);
    stop_and_check(server, directory.path());
}
