//! Rows whose texts take a part of the memory for queries each: sorted, joined, grouped and looked
//! at through windows beside 256 MiB, all of it through files, within a tenth of the setting.
//!
//! Not here: many rows (`million_rows`), rows of usual width in little memory (`shapes_in_memory`).

use std::path::Path;

use crate::memory::server_with_database;
use crate::mysql::Mysql;
use crate::support::{Running, peak_mib};

const MEMORY_MIB: u64 = 256;

/// A server with a table of rows, each with a text of so many bytes that only three others have.
fn server_of_texts(directory: &Path, rows: usize, bytes: usize) -> (Running, Mysql) {
    let (server, mut sql) = server_with_database(directory, &format!("--memory={MEMORY_MIB}MiB"));
    sql.query("USE d").expect("used");
    sql.query("CREATE TABLE b (id INT PRIMARY KEY, g INT, t LONGTEXT)").expect("made");
    for id in 0..rows {
        let text = format!("CONCAT('{:04}', REPEAT('x', {}))", id * 7 % rows / 4, bytes - 4);
        sql.query(&format!("INSERT INTO b VALUES ({id}, {}, {text})", id % 3)).expect("kept");
    }
    (server, sql)
}

fn assert_answers(server: &Running, sql: &mut Mysql, queries: &[(&str, String)]) {
    let mut failed = Vec::new();
    for (query, answer) in queries {
        match sql.query(query) {
            Ok(rows) if rows[0][0].as_deref() == Some(answer) => {}
            other => failed.push(format!("{query}: {other:?}, not {answer}")),
        }
        let peak = peak_mib(server);
        if peak > MEMORY_MIB + MEMORY_MIB / 10 {
            failed.push(format!("{query}: {peak} MiB"));
            break;
        }
    }
    assert_eq!(failed.join("\n"), "");
}

#[test]
fn texts_of_a_megabyte_were_never_sorted_and_took_twice_the_memory() {
    const ROWS: usize = 60;
    const BYTES: usize = 1 << 20;
    let directory = tempfile::tempdir().expect("a directory");
    let (server, mut sql) = server_of_texts(directory.path(), ROWS, BYTES);
    let ordered = |direction: &str| {
        format!("SELECT LEFT(t, 4) FROM (SELECT t FROM b ORDER BY t {direction} LIMIT 100) q")
    };
    let (rising, falling) = (ordered("ASC"), ordered("DESC"));
    let all = ROWS.to_string();
    let different = ROWS.div_ceil(4);
    assert_answers(
        &server,
        &mut sql,
        &[
            (rising.as_str(), "0000".into()),
            (falling.as_str(), format!("{:04}", different - 1)),
            ("SELECT COUNT(DISTINCT t) FROM b", different.to_string()),
            ("SELECT COUNT(*) FROM (SELECT t FROM b GROUP BY t) q", different.to_string()),
            (
                "SELECT COUNT(*) FROM (SELECT t FROM b INTERSECT SELECT t FROM b) q",
                different.to_string(),
            ),
            (
                "SELECT SUM(n) / 1048576 FROM (SELECT LENGTH(MAX(t) OVER (PARTITION BY g)) n FROM b) q",
                "60.0000".into(),
            ),
            ("SELECT COUNT(*) FROM b WHERE t IN (SELECT t FROM b)", all),
        ],
    );
}

#[test]
fn joins_on_wide_texts_were_refused_before_they_could_go_to_files() {
    const ROWS: usize = 600;
    let directory = tempfile::tempdir().expect("a directory");
    let (server, mut sql) = server_of_texts(directory.path(), ROWS, 100 << 10);
    let pairs = (ROWS * 4).to_string();
    assert_answers(
        &server,
        &mut sql,
        &[
            ("SELECT COUNT(*) FROM b x JOIN b y ON x.t = y.t", pairs.clone()),
            ("SELECT COUNT(*) FROM b x JOIN b y ON CONCAT(x.t, '') = y.t", pairs),
            (
                "SELECT COUNT(*) FROM b x JOIN b y ON LENGTH(x.t) = LENGTH(y.t)",
                (ROWS * ROWS).to_string(),
            ),
        ],
    );
}

#[test]
fn a_long_literal_in_a_list_of_columns_was_refused_as_if_each_of_its_bytes_were_a_word() {
    const BYTES: usize = 200_000;
    let directory = tempfile::tempdir().expect("a directory");
    let (server, mut sql) = server_of_texts(directory.path(), 1, 4);
    let hex = format!("SELECT LENGTH(0x{})", "ab".repeat(BYTES));
    let quotes = format!("SELECT LENGTH('{}')", "''".repeat(BYTES));
    let all = BYTES.to_string();
    assert_answers(&server, &mut sql, &[(hex.as_str(), all.clone()), (quotes.as_str(), all)]);
}
