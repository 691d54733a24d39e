//! Writing statements with queries in them are bound once for their shape: the next execution binds
//! nothing, and is as right as the first, whatever has become of values, modes and tables
//! meanwhile.

use crate::harness::{answer, error, run, server, session, shown};
use results::ExecutionMode;
use sql::Session;
use values::datum::Datum;
use values::decimal::Decimal;
use values::temporal::{Date, DateTime};

const EXECUTORS: [&str; 3] = ["auto", "rows", "columns"];

/// `a`, whose rows are changed, `b`, which says which, and `log`.
fn tables(s: &mut Session) {
    run(s, "DROP TABLE IF EXISTS a, b, log");
    run(s, "CREATE TABLE a (id INT PRIMARY KEY, n INT, v VARCHAR(40), KEY (n))");
    run(s, "CREATE TABLE b (id INT PRIMARY KEY, a INT, k INT, KEY (a))");
    run(s, "CREATE TABLE log (id INT AUTO_INCREMENT PRIMARY KEY, a INT, what VARCHAR(40))");
    run(s, "INSERT INTO a VALUES (1, 0, ''), (2, 0, ''), (3, 0, ''), (4, 0, ''), (5, 0, '')");
    run(s, "INSERT INTO b VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4), (5, 5, 5), (6, 5, 5)");
}

fn a_of(s: &mut Session) -> String {
    run(s, "SELECT GROUP_CONCAT(CONCAT_WS(':', id, n, v) ORDER BY id) FROM a")
}

/// How many statements were bound so far.
fn plans_made(s: &mut Session) -> u64 {
    let line = run(s, "SHOW STATUS LIKE 'Rowhouse_plans_made'");
    line.split('\t').nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

fn execute(s: &mut Session, id: u32, parameters: &[Datum<'_>]) -> Result<String, u16> {
    let reply =
        s.execute(id, parameters, ExecutionMode::POOL).map_err(|error| error.code().number())?;
    shown(s, reply).map_err(|error| error.code().number())
}

#[test]
fn the_third_execution_of_each_form_binds_nothing() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    for form in [
        "UPDATE a JOIN b ON b.a = a.id SET a.n = a.n + # WHERE b.id = #",
        "UPDATE a, b SET a.v = 'x#', b.k = # WHERE b.a = a.id AND a.id = #",
        "UPDATE a SET n = (SELECT MAX(k) + # FROM b WHERE b.a = a.id) WHERE id = #",
        "UPDATE a SET n = # WHERE id IN (SELECT a FROM b WHERE k = #)",
        "DELETE a FROM a JOIN b ON b.a = a.id WHERE b.id = # AND a.n = 1#",
        "DELETE FROM a USING a LEFT JOIN b ON b.a = a.id WHERE b.id IS NULL AND a.n = #",
        "DELETE FROM a WHERE n = 1# AND NOT EXISTS (SELECT 1 FROM b WHERE b.a = a.id)",
        "DELETE FROM a WHERE id IN (SELECT a FROM b WHERE k = # ORDER BY 1) AND n = 1#",
        "INSERT INTO log (a, what) SELECT id, 'made #' FROM a WHERE id = #",
        "INSERT INTO log (a, what) SELECT * FROM (SELECT #, 'x#') q WHERE NOT EXISTS (SELECT 1 FROM b WHERE id = #)",
        "INSERT INTO a (id, n) SELECT id, # FROM b WHERE id = # ON DUPLICATE KEY UPDATE n = a.n + b.k + #",
        "REPLACE INTO a SELECT a, SUM(k) + #, 'r' FROM b WHERE a = # GROUP BY a",
        "INSERT INTO log (a, what) VALUES ((SELECT MAX(id) FROM a WHERE id < #), 'v#')",
        "INSERT INTO log SET a = (SELECT MAX(id) FROM a WHERE id < #), what = 's'",
        "SELECT COUNT(*) FROM a JOIN b ON b.a = a.id WHERE b.k = # AND '2024-01-01' < DATE '2024-01-31'",
    ] {
        let mut made = Vec::new();
        for number in 1..=5 {
            run(s, &form.replace('#', &number.to_string()));
            made.push(plans_made(s));
        }
        assert!(made[0] > 0 && made[1] < made[0] + 2, "{form}: {made:?}");
        assert_eq!(made[1], made[4], "{form}: {made:?}");
        let prepared = s
            .prepare(
                form.replace("'x#'", "?")
                    .replace("'made #'", "?")
                    .replace("'v#'", "?")
                    .replace("1#", "?")
                    .replace('#', "?")
                    .as_bytes(),
            )
            .expect(form);
        let values = vec![Datum::Int(7); usize::from(prepared.parameters)];
        let mut made = Vec::new();
        for _ in 1..=4 {
            execute(s, prepared.id, &values).expect(form);
            made.push(plans_made(s));
        }
        assert_eq!(made[1], made[3], "{form}, prepared: {made:?}");
    }
}

#[test]
fn other_values_are_other_rows_on_each_executor() {
    for executor in EXECUTORS {
        let sql = server();
        let s = &mut session(&sql);
        tables(s);
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        for n in 1..=4 {
            run(
                s,
                &format!(
                    "UPDATE a JOIN b ON b.a = a.id SET a.n = {n}0, a.v = 'v{n}' WHERE b.k = {n}"
                ),
            );
            assert_eq!(
                run(
                    s,
                    &format!(
                        "UPDATE a SET n = n + (SELECT SUM(k) + {n} FROM b WHERE b.a = a.id) WHERE id = {n}"
                    )
                ),
                "ok 1 [Rows matched: 1  Changed: 1  Warnings: 0]",
                "{executor}"
            );
            run(
                s,
                &format!(
                    "UPDATE a SET v = CONCAT(v, '{n}') WHERE id IN (SELECT a FROM b WHERE k = {n})"
                ),
            );
            run(s, &format!("INSERT INTO log (a, what) SELECT n, 'w{n}' FROM a WHERE id = {n}"));
            run(
                s,
                &format!(
                    "INSERT INTO log (a, what) VALUES ((SELECT n FROM a WHERE id = {n}), {n})"
                ),
            );
        }
        assert_eq!(a_of(s), "1:12:v11,2:24:v22,3:36:v33,4:48:v44,5:0:", "{executor}");
        let log = run(s, "SELECT GROUP_CONCAT(CONCAT_WS(':', a, what) ORDER BY id) FROM log");
        assert_eq!(log, "12:w1,12:1,24:w2,24:2,36:w3,36:3,48:w4,48:4", "{executor}");
        for n in 1..=3 {
            let deleted = run(s, &format!("DELETE a FROM a JOIN b ON b.a = a.id WHERE b.k = {n}"));
            assert_eq!(deleted, "ok 1", "{executor}");
            run(
                s,
                &format!(
                    "DELETE FROM log WHERE what = 'w{n}' AND NOT EXISTS (SELECT 1 FROM a WHERE a.n = log.a)"
                ),
            );
        }
        assert_eq!(run(s, "SELECT GROUP_CONCAT(id ORDER BY id) FROM a"), "4,5", "{executor}");
        assert_eq!(run(s, "SELECT COUNT(*), SUM(what LIKE 'w%') FROM log"), "5\t1", "{executor}");
    }
}

#[test]
fn a_parameter_may_be_of_another_type_each_time() {
    let day = Date::new(2024, 1, 2).expect("a day");
    let time = DateTime::new(day, 3, 4, 5, 0).expect("a time");
    let late = DateTime::new(day, 3, 4, 5, 250_000).expect("a time");
    let values = [
        (Datum::Int(7), "7", "7"),
        (Datum::Bytes(b"12"), "12", "12"),
        (Datum::Null, "", ""),
        (Datum::Decimal(Decimal::parse(b"2.50").expect("a number")), "3", "2.50"),
        (Datum::Double(1.5), "2", "1.5"),
        (Datum::UInt(9), "9", "9"),
        (Datum::Int(-7), "-7", "-7"),
    ];
    for executor in EXECUTORS {
        let sql = server();
        let s = &mut session(&sql);
        tables(s);
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        let join = s.prepare(b"UPDATE a JOIN b ON b.a = a.id SET a.n = ?, a.v = ? WHERE b.id = ?");
        let join = join.expect("prepares").id;
        let nested =
            s.prepare(b"UPDATE a SET n = (SELECT ? FROM b WHERE id = 1), v = ? WHERE id = ?");
        let nested = nested.expect("prepares").id;
        let replace = s.prepare(b"REPLACE INTO a SELECT id, ?, ? FROM b WHERE id = ?");
        let replace = replace.expect("prepares").id;
        let plain = s.prepare(b"UPDATE a SET n = ?, v = ? WHERE id = ?").expect("prepares").id;
        for (value, number, text) in values {
            for statement in [join, nested, replace, plain] {
                run(s, "UPDATE a SET n = 1, v = 'before'");
                execute(s, statement, &[value, value, Datum::Int(2)]).expect("is carried out");
                let found = run(s, "SELECT IFNULL(n, ''), IFNULL(v, '') FROM a WHERE id = 2");
                assert_eq!(found, format!("{number}\t{text}"), "{executor} {statement}: {value:?}");
            }
        }
        let times = [
            (Datum::Date(day), "2024-01-02"),
            (Datum::DateTime(time), "2024-01-02 03:04:05"),
            (Datum::DateTime(late), "2024-01-02 03:04:05.250000"),
            (Datum::Bytes(b"x"), "x"),
        ];
        for (value, text) in times {
            for statement in [join, nested, replace, plain] {
                execute(s, statement, &[Datum::Int(0), value, Datum::Int(2)])
                    .expect("is carried out");
                let found = run(s, "SELECT v FROM a WHERE id = 2");
                assert_eq!(found, text, "{executor} {statement}: {value:?}");
            }
        }
        // What finds the rows.
        for value in [Datum::Int(3), Datum::Bytes(b"3"), Datum::Double(3.0), Datum::Null] {
            let done = execute(s, join, &[Datum::Int(5), Datum::Null, value]).expect("finds");
            let found = if value.is_null() { 0 } else { 1 };
            assert!(
                done.contains(&format!("Rows matched: {found}")),
                "{executor}: {value:?} {done}"
            );
        }
    }
}

#[test]
fn a_table_that_has_changed_is_seen() {
    let statements = [
        "UPDATE a JOIN b ON b.a = a.id SET a.n = b.k + 10 WHERE b.k = 2",
        "UPDATE a SET n = (SELECT MAX(k) + 20 FROM b WHERE b.a = a.id) WHERE id = 2",
        "UPDATE a SET n = n + 1 WHERE id IN (SELECT a FROM b WHERE k = 2)",
        "INSERT INTO log (a, what) SELECT k, 'x' FROM b WHERE k = 2",
        "DELETE log FROM log JOIN b ON b.k = log.a WHERE b.k = 2",
    ];
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    let prepared: Vec<u32> =
        statements.iter().map(|text| s.prepare(text.as_bytes()).expect("prepares").id).collect();
    let all = |s: &mut Session, expected: Result<(), u16>| {
        for (text, id) in statements.iter().zip(&prepared) {
            for _ in 0..3 {
                let by_text = answer(s, text).map(|_| ()).map_err(|error| error.code().number());
                assert_eq!(by_text, expected, "{text}");
                let by_number = execute(s, *id, &[]).map(|_| ());
                assert_eq!(by_number, expected, "{text}, prepared");
            }
        }
    };
    all(s, Ok(()));
    assert_eq!(run(s, "SELECT n FROM a WHERE id = 2"), "28");
    run(s, "ALTER TABLE b ADD COLUMN early VARCHAR(9) DEFAULT 'e' FIRST");
    run(s, "ALTER TABLE a ADD COLUMN late INT, DROP COLUMN v");
    all(s, Ok(()));
    assert_eq!(run(s, "SELECT n FROM a WHERE id = 2"), "28");
    run(s, "ALTER TABLE b CHANGE k j INT");
    all(s, Err(1054));
    run(s, "ALTER TABLE b CHANGE j k BIGINT");
    all(s, Ok(()));
    run(s, "DROP TABLE b");
    all(s, Err(1146));
    run(s, "CREATE TABLE b (k DECIMAL(5,1), a VARCHAR(5), id INT)");
    run(s, "INSERT INTO b VALUES (2, '1', 8)");
    all(s, Ok(()));
    assert_eq!(run(s, "SELECT id, n FROM a WHERE id <= 2"), "1\t18\n2\tNULL");
    // An index that has come is used, one that has gone is not.
    run(s, "ALTER TABLE b ADD KEY (k)");
    all(s, Ok(()));
    run(s, "ALTER TABLE b DROP KEY k");
    all(s, Ok(()));
}

#[test]
fn what_was_wrong_is_right_once_its_table_is_and_is_bound_once_then() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    for text in [
        "UPDATE a JOIN b ON b.a = a.id SET a.z = 1 WHERE b.k = 1",
        "INSERT INTO log (a, z) SELECT id, 1 FROM a WHERE id = 1",
        "SELECT a.z FROM a JOIN b ON b.a = a.id WHERE b.k = 1",
    ] {
        for _ in 0..3 {
            assert_eq!(error(s, text), 1054);
        }
    }
    run(s, "ALTER TABLE a ADD COLUMN z INT");
    run(s, "ALTER TABLE log ADD COLUMN z INT");
    for text in [
        "UPDATE a JOIN b ON b.a = a.id SET a.z = 1 WHERE b.k = 1",
        "INSERT INTO log (a, z) SELECT id, 1 FROM a WHERE id = 1",
        "SELECT a.z FROM a JOIN b ON b.a = a.id WHERE b.k = 1",
    ] {
        let mut made = Vec::new();
        for _ in 0..4 {
            run(s, text);
            made.push(plans_made(s));
        }
        assert_eq!(made[1], made[3], "{text}: {made:?}");
    }
}

#[test]
fn a_plan_for_small_tables_is_not_that_of_large_ones() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE a (id INT PRIMARY KEY, n INT)");
    run(s, "CREATE TABLE b (id INT PRIMARY KEY, a INT, k INT, KEY (a), KEY (k))");
    let update = "UPDATE a JOIN b ON b.a = a.id SET a.n = a.n + 1 WHERE b.k = 5";
    let mut made = Vec::new();
    for rows in [0, 20, 2_000, 2_100, 30] {
        run(s, "DELETE FROM a");
        run(s, "DELETE FROM b");
        for id in 0..rows {
            run(s, &format!("INSERT INTO a VALUES ({id}, 0)"));
            run(s, &format!("INSERT INTO b VALUES ({id}, {id}, {id})"));
        }
        let before = plans_made(s);
        for _ in 0..3 {
            run(s, update);
        }
        made.push(plans_made(s) - before);
        let found = run(s, "SELECT SUM(n), MAX(n) FROM a WHERE id = 5 AND n > 0");
        assert_eq!(found, if rows == 0 { "NULL\tNULL" } else { "3\t3" });
    }
    // It comes for the second time before its plan is kept. The one for few rows is there still at
    // the end.
    assert_eq!(made, [2, 0, 1, 0, 0]);
}

#[test]
fn each_mode_has_plans_of_its_own() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    run(s, "ALTER TABLE a ADD COLUMN k VARCHAR(9) DEFAULT 'column'");
    let quoted = "UPDATE a JOIN b ON b.a = a.id SET a.v = \"k\" WHERE a.id = 1 AND b.k = 1";
    let concat = "UPDATE a JOIN b ON b.a = a.id SET a.v = '1' || '0' WHERE a.id = 1";
    let escaped = "INSERT INTO log (what) SELECT 'a\\\\b' FROM a WHERE id = 1";
    let bad = "UPDATE a JOIN b ON b.a = a.id SET a.n = '7x' WHERE a.id = 1";
    for _ in 0..3 {
        run(s, "SET sql_mode = 'STRICT_TRANS_TABLES'");
        run(s, quoted);
        assert_eq!(run(s, "SELECT v FROM a WHERE id = 1"), "k");
        run(s, concat);
        assert_eq!(run(s, "SELECT v FROM a WHERE id = 1"), "1");
        run(s, escaped);
        assert_eq!(run(s, "SELECT what FROM log ORDER BY id DESC LIMIT 1"), "a\\b");
        assert_eq!(error(s, bad), 1265);
        run(s, "SET sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES'");
        assert_eq!(error(s, quoted), 1052);
        run(s, &quoted.replace("\"k\"", "a.\"k\""));
        assert_eq!(run(s, "SELECT v FROM a WHERE id = 1"), "column");
        run(s, concat);
        assert_eq!(run(s, "SELECT v FROM a WHERE id = 1"), "10");
        run(s, escaped);
        assert_eq!(run(s, "SELECT what FROM log ORDER BY id DESC LIMIT 1"), "a\\\\b");
        assert!(run(s, bad).contains("Warnings: 1"));
    }
}

#[test]
fn a_limit_and_a_variable_are_those_of_the_execution() {
    for executor in EXECUTORS {
        let sql = server();
        let s = &mut session(&sql);
        tables(s);
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        let update =
            s.prepare(b"UPDATE a SET n = n + 1 WHERE id IN (SELECT a FROM b) ORDER BY id LIMIT ?");
        let insert = s.prepare(b"INSERT INTO log (a) SELECT id FROM a ORDER BY id DESC LIMIT ?, ?");
        let (update, insert) = (update.expect("prepares").id, insert.expect("prepares").id);
        for most in [1, 4, 2, 0] {
            execute(s, update, &[Datum::Int(most)]).expect("is carried out");
            let done = execute(s, insert, &[Datum::Int(1), Datum::Int(most)]).expect("inserts");
            assert!(done.contains(&format!("Records: {}", most)), "{executor}: {done}");
        }
        assert_eq!(a_of(s), "1:3:,2:2:,3:1:,4:1:,5:0:", "{executor}");
        if executor == "columns" {
            // User variables are the row executor's.
            continue;
        }
        for (value, text) in [("4", "4"), ("'x'", "x"), ("1.50", "1.50"), ("NULL", "")] {
            run(s, &format!("SET @x = {value}"));
            run(s, "UPDATE a JOIN b ON b.a = a.id SET a.v = @x WHERE b.k = 1");
            assert_eq!(run(s, "SELECT IFNULL(v, '') FROM a WHERE id = 1"), text, "{executor}");
        }
        run(s, "SET @c = 0");
        for count in 1..=3 {
            run(s, "UPDATE a JOIN b ON b.a = a.id SET a.n = (@c := @c + 1) WHERE b.k = 1");
            assert_eq!(run(s, "SELECT n, @c FROM a WHERE id = 1"), format!("{count}\t{count}"));
        }
    }
}

#[test]
fn a_transaction_sees_its_own_rows_and_what_it_takes_back_is_gone() {
    for executor in EXECUTORS {
        let sql = server();
        let s = &mut session(&sql);
        let other = &mut session(&sql);
        tables(s);
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        let update = "UPDATE a JOIN b ON b.a = a.id SET a.n = a.n + b.k";
        let copy =
            "INSERT INTO log (a, what) SELECT a.id, a.n FROM a JOIN b ON b.a = a.id WHERE b.k > 4";
        for round in 1..=3 {
            run(s, "BEGIN");
            run(s, &format!("INSERT INTO a VALUES (10, {round}, 'own')"));
            run(s, "INSERT INTO b VALUES (10, 10, 100)");
            run(s, update);
            run(s, "SAVEPOINT p");
            run(s, update);
            run(s, copy);
            assert_eq!(run(s, "SELECT n FROM a WHERE id = 10"), format!("{}", round + 200));
            run(s, "ROLLBACK TO p");
            run(s, copy);
            let log = run(s, "SELECT GROUP_CONCAT(CONCAT(a, '=', what) ORDER BY id) FROM log");
            let five = round * 5;
            assert_eq!(log, format!("5={five},5={five},10={}", round + 100), "{executor}");
            assert_eq!(run(other, "SELECT COUNT(*) FROM log"), "0");
            run(s, "ROLLBACK");
            assert_eq!(run(s, "SELECT COUNT(*) FROM a"), "5");
            // Outside of a transaction, and by another session whose rows the next round finds.
            run(other, update);
        }
        assert_eq!(a_of(s), "1:3:,2:6:,3:9:,4:12:,5:15:", "{executor}");
    }
}

#[test]
fn rows_of_values_with_sub_queries_keep_their_literals_apart() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    let row = |n: u32| format!("((SELECT MAX(id) + {n} FROM a WHERE id <= {n}), 'w{n}')");
    for rows in [1, 2, 3, 2, 3, 1, 1] {
        run(s, "DELETE FROM log");
        let values: Vec<String> = (1..=rows).map(row).collect();
        run(s, &format!("INSERT INTO log (a, what) VALUES {}, (7, 'plain')", values.join(", ")));
        let expected: Vec<String> =
            (1..=rows).map(|n| format!("{}:w{n}", 2 * n)).chain(["7:plain".to_string()]).collect();
        let found =
            run(s, "SELECT GROUP_CONCAT(CONCAT_WS(':', a, what) ORDER BY a, what) FROM log");
        assert_eq!(found, expected.join(","));
    }
}

#[test]
fn returning_gives_the_rows_of_each_execution() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    let insert = s
        .prepare(b"INSERT INTO log (a, what) SELECT id, ? FROM a WHERE id <= ? RETURNING a, what")
        .expect("prepares");
    assert_eq!(insert.columns.len(), 2);
    for (text, most, expected) in [("x", 1, "1\tx"), ("y", 2, "1\ty\n2\ty"), ("z", 0, "")] {
        let values = [Datum::Bytes(text.as_bytes()), Datum::Int(most)];
        assert_eq!(execute(s, insert.id, &values), Ok(expected.to_string()));
    }
}
