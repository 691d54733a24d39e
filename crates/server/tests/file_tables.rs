//! Files as tables of a real server, which other programs write and read as well.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::mysql::{Failure, Mysql};
use crate::support::{Running, wait_until};

fn start(directory: &Path) -> (Running, Mysql) {
    let exchange = directory.join("exchange");
    fs::create_dir_all(&exchange).unwrap();
    let server =
        Running::start(&directory.join("data"), &[&format!("--files={}", exchange.display())]);
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    client.query("CREATE DATABASE d").unwrap();
    client.query("USE d").unwrap();
    (server, client)
}

fn answer(client: &mut Mysql, text: &str) -> String {
    let rows = match client.query(text) {
        Ok(rows) => rows,
        Err(error) => panic!("{text}: {error:?}"),
    };
    let field = |field: Option<String>| field.unwrap_or_else(|| "NULL".to_owned());
    let line = |row: Vec<Option<String>>| row.into_iter().map(field).collect::<Vec<_>>().join(" ");
    rows.into_iter().map(line).collect::<Vec<_>>().join("|")
}

fn number(client: &mut Mysql, text: &str) -> u16 {
    match client.query(text) {
        Err(Failure::Error { number, .. }) => number,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn files_are_tables_and_tables_become_files() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut client) = start(directory.path());
    let exchange = directory.path().join("exchange");
    fs::write(exchange.join("a.csv"), "id,name\n1,Ann\n2,Bob\n").unwrap();
    fs::write(exchange.join("b.jsonl"), "{\"id\": 2, \"tags\": [\"x\"]}\n").unwrap();
    let join = "SELECT a.name, b.tags FROM FILE('a.csv') a LEFT JOIN FILE('b.jsonl') b USING (id) ORDER \
                BY a.id";
    assert_eq!(answer(&mut client, join), "Ann NULL|Bob [\"x\"]");
    for engine in ["", "ENGINE=COLUMNAR"] {
        client.query(&format!("CREATE TABLE t {engine} AS SELECT * FROM FILE('a.csv')")).unwrap();
        client.query("INSERT INTO t SELECT id + 10, name FROM FILE('a.csv')").unwrap();
        assert_eq!(answer(&mut client, "SELECT COUNT(*), SUM(id) FROM t"), "4 26");
        client.query("SELECT * FROM t INTO OUTFILE 't.parquet' FORMAT PARQUET").unwrap();
        client.query("DROP TABLE t").unwrap();
        assert_eq!(answer(&mut client, "SELECT COUNT(*), SUM(id) FROM FILE('t.parquet')"), "4 26");
        fs::remove_file(exchange.join("t.parquet")).unwrap();
    }
    assert_eq!(number(&mut client, "SELECT * FROM FILE('../data/CURRENT', format => 'csv')"), 1290);
    drop(client);
    assert!(server.stop().success());
}

#[test]
fn a_crash_leaves_no_half_parquet_file() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut client) = start(directory.path());
    client.query("CREATE TABLE n (i INT PRIMARY KEY)").unwrap();
    let rows: Vec<String> = (0..1000).map(|i| format!("({i})")).collect();
    client.query(&format!("INSERT INTO n VALUES {}", rows.join(","))).unwrap();
    client
        .send_query(
            "SELECT a.i, b.i j, c.i k FROM n a, n b, n c INTO OUTFILE 'x.parquet' FORMAT PARQUET",
        )
        .unwrap();
    let mut other = Mysql::login(server.connect("mysql")).unwrap();
    let runs = "SELECT COUNT(*) FROM information_schema.processlist WHERE TIME > 0 AND INFO LIKE \
                'SELECT a.i%'";
    wait_until("it writes", || other.query(runs).unwrap() == [[Some("1".to_owned())]]);
    server.kill();
    assert_eq!(fs::read_dir(directory.path().join("exchange")).unwrap().count(), 0);
}

/// DuckDB's Python module, where `scripts/install-peers` has put it.
fn duckdb() -> Option<PathBuf> {
    let home = std::env::var_os("HOME")?;
    let python = Path::new(&home).join(".cache/rowhouse/clients/venv/bin/python");
    let found = Command::new(&python).args(["-c", "import duckdb"]).output();
    found.is_ok_and(|output| output.status.success()).then_some(python)
}

fn ask(python: &Path, folder: &Path, script: &str) -> String {
    let output = Command::new(python).arg("-c").arg(script).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn duckdb_reads_what_is_written_and_what_it_writes_is_read() {
    let Some(python) = duckdb() else {
        eprintln!("skipped: there is no DuckDB (scripts/install-peers)");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let (server, mut client) = start(directory.path());
    let exchange = directory.path().join("exchange");
    client
        .query(
            "CREATE TABLE t (a INT UNSIGNED, b DECIMAL(12,3), c VARCHAR(9), d DATE, e DATETIME(6), \
             f TIMESTAMP NULL, g DOUBLE, h ENUM('x', 'y'), i VARBINARY(4), j TINYINT(1))",
        )
        .unwrap();
    client
        .query(
            "INSERT INTO t VALUES (4294967295, -1.5, 'né', '2024-02-29', '1969-12-31 23:59:59.999999', \
             '2030-01-01 00:00:00', 0.1, 'y', x'00ff', 1), (1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
             NULL, NULL)",
        )
        .unwrap();
    client.query("SET time_zone = '+00:00'").unwrap();
    client.query("SELECT * FROM t INTO OUTFILE 't.parquet' FORMAT PARQUET").unwrap();
    let found = ask(
        &python,
        &exchange,
        "import duckdb; duckdb.execute(\"set timezone = 'UTC'\"); print(duckdb.sql(\"select a, b, c, d, \
         e, epoch(f), g, h, hex(i), j from 't.parquet' order by a desc\").fetchall())",
    );
    assert_eq!(
        found,
        "[(4294967295, Decimal('-1.500'), 'né', datetime.date(2024, 2, 29), \
         datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), 1893456000.0, 0.1, 'y', '00FF', 1), (1, \
         None, None, None, None, None, None, None, None, None)]"
    );
    ask(
        &python,
        &exchange,
        "import duckdb; duckdb.sql(\"copy (select 200::utinyint a, 12345678901234567890.1234::decimal(38,4) \
         b, [1,2] l, {'a': 1, 'b': 'x'} s, map {'k': 1} m, time '12:34:56.789' t, timestamptz '2024-01-01 \
         02:00:00+02' tz, 'é'::enum('é') en, null n, 'NaN'::double x, date '-4000-01-01' old, interval 3 \
         days iv, true yes) to 'odd.parquet' (format parquet)\")",
    );
    assert_eq!(
        answer(
            &mut client,
            "SELECT a, b, l, s, m, t, tz, en, n, x, old, yes FROM FILE('odd.parquet')"
        ),
        "200 12345678901234567890.1234 [1,2] {\"a\":1,\"b\":\"x\"} {\"k\":1} 12:34:56.789000 2024-01-01 \
         00:00:00.000000 é NULL NULL NULL 1"
    );
    drop(client);
    assert!(server.stop().success());
}
