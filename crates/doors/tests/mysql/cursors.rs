//! Cursors: what MySQL 9.7 answers to the same packets, but for the columns' definitions.

use std::path::Path;

use doors::mysql::Users;
use resources::spill::SpillDirectory;
use rows::EngineOptions;

use super::House;
use super::client::{Client, DEPRECATE_EOF, EOF, ERR, OK, error_number, text_row};

const PREPARE: u8 = 0x16;
const EXECUTE: u8 = 0x17;
const SEND_LONG_DATA: u8 = 0x18;
const CLOSE: u8 = 0x19;
const RESET: u8 = 0x1a;
const FETCH: u8 = 0x1c;
const RESET_CONNECTION: u8 = 0x1f;

const CURSOR_EXISTS: u8 = 0x40;
const LAST_ROW_SENT: u8 = 0x80;
const AUTOCOMMIT: u8 = 0x02;

/// The status flags of the EOF that ends a reply.
fn status(replies: &[Vec<u8>]) -> u8 {
    let last = replies.last().expect("a reply");
    assert_eq!(last[0], EOF, "{:?}", String::from_utf8_lossy(last));
    last[3]
}

/// What a client does with cursors.
trait Fetching {
    fn prepare(&mut self, text: &str) -> [u8; 4];
    fn open(&mut self, statement: [u8; 4]) -> Vec<Vec<u8>>;
    fn fetch(&mut self, statement: [u8; 4], rows: u32) -> Vec<Vec<u8>>;
}

impl Fetching for Client {
    fn prepare(&mut self, text: &str) -> [u8; 4] {
        let prepared = self.command(PREPARE, text.as_bytes());
        assert_eq!(prepared[0][0], OK, "{:?}", String::from_utf8_lossy(&prepared[0]));
        prepared[0][1..5].try_into().expect("four bytes")
    }

    fn open(&mut self, statement: [u8; 4]) -> Vec<Vec<u8>> {
        self.command(EXECUTE, &[&statement[..], &[1, 1, 0, 0, 0]].concat())
    }

    fn fetch(&mut self, statement: [u8; 4], rows: u32) -> Vec<Vec<u8>> {
        self.command(FETCH, &[statement, rows.to_le_bytes()].concat())
    }
}

const ITEMS: &str = "SELECT id, name FROM item ORDER BY id";
const PEN: &[u8] = b"\0\0\x01\0\0\0\x03pen";
const INK: &[u8] = b"\0\0\x02\0\0\0\x03ink";

#[test]
fn rows_are_fetched_while_other_commands_are_served() {
    let mut client = House::open().client(0);
    let items = client.prepare(ITEMS);
    let head = client.open(items);
    assert_eq!(head.len(), 1 + 2 + 1, "no row yet");
    assert_eq!(status(&head), CURSOR_EXISTS | AUTOCOMMIT);
    assert_eq!(status(&client.fetch(items, 0)), CURSOR_EXISTS | AUTOCOMMIT);
    let first = client.fetch(items, 1);
    assert_eq!(first[..1], [PEN]);
    assert_eq!((first.len(), status(&first)), (2, CURSOR_EXISTS | AUTOCOMMIT));
    let other = client.prepare("SELECT name FROM item WHERE id = 1");
    client.open(other);
    assert_eq!(text_row(&client.query("SELECT 7")[3]), [Some("7".to_owned())]);
    assert_eq!(client.fetch(items, 1)[..1], [INK], "all that there is, and more is possible");
    assert_eq!(client.fetch(other, 5)[0], b"\0\0\x03pen");
    let end = client.fetch(items, 1);
    assert_eq!((end.len(), status(&end)), (1, LAST_ROW_SENT | AUTOCOMMIT));
    assert_eq!(error_number(&client.fetch(items, 1)[0]), 1421, "it is closed");
    client.open(items);
    let all = client.fetch(items, u32::MAX);
    assert_eq!(all[..2], [PEN, INK]);
    assert_eq!((all.len(), status(&all)), (3, LAST_ROW_SENT | AUTOCOMMIT));
}

#[test]
fn without_eof_packets_the_head_of_a_cursor_has_an_end_of_its_own() {
    let mut client = House::open().client(DEPRECATE_EOF);
    let items = client.prepare(ITEMS);
    let head = client.open(items);
    assert_eq!(head.len(), 1 + 2 + 1);
    assert_eq!(head[3], [EOF, 0, 0, CURSOR_EXISTS | AUTOCOMMIT, 0, 0, 0]);
    let all = client.fetch(items, 9);
    assert_eq!(all[2], [EOF, 0, 0, LAST_ROW_SENT | AUTOCOMMIT, 0, 0, 0]);
}

#[test]
fn an_open_cursor_keeps_its_rows_whatever_is_written_committed_or_dropped() {
    let mut client = House::open().client(0);
    let items = client.prepare(ITEMS);
    client.open(items);
    for text in
        ["BEGIN", "UPDATE item SET name = 'x'", "COMMIT", "DROP TABLE item", "DROP DATABASE shop"]
    {
        assert_eq!(client.query(text)[0][0], OK, "{text}");
    }
    assert_eq!(client.fetch(items, 9)[..2], [PEN, INK]);
}

#[test]
fn a_cursor_ends_with_reset_close_another_execution_and_the_session() {
    let mut client = House::open().client(0);
    let items = client.prepare(ITEMS);
    client.open(items);
    assert_eq!(client.command(RESET, &items)[0][0], OK);
    assert_eq!(error_number(&client.fetch(items, 1)[0]), 1421);
    client.open(items);
    client.fetch(items, 1);
    client.open(items);
    assert_eq!(client.fetch(items, 1)[0], PEN, "from its beginning");
    let rows = client.command(EXECUTE, &[&items[..], &[0, 1, 0, 0, 0]].concat());
    assert_eq!(rows.len(), 1 + 2 + 1 + 2 + 1, "asked for without a cursor");
    assert_eq!(error_number(&client.fetch(items, 1)[0]), 1421);
    client.open(items);
    client.command(CLOSE, &items);
    assert_eq!(error_number(&client.fetch(items, 1)[0]), 1243);
    let items = client.prepare(ITEMS);
    client.open(items);
    client.command(RESET_CONNECTION, b"");
    assert_eq!(error_number(&client.fetch(items, 1)[0]), 1243);
}

#[test]
fn long_data_that_come_while_a_cursor_is_open_are_of_the_next_execution() {
    let mut client = House::open().client(0);
    let said = client.prepare("SELECT ?, id FROM item ORDER BY id");
    let long = |client: &mut Client, text: &[u8]| {
        client.command(SEND_LONG_DATA, &[&said[..], &[0, 0], text].concat());
    };
    let open = [&said[..], &[1, 1, 0, 0, 0, 0, 1, 0xFC, 0]].concat();
    long(&mut client, b"abc");
    client.command(EXECUTE, &open);
    assert_eq!(client.fetch(said, 1)[0], b"\0\0\x03abc\x01\0\0\0");
    long(&mut client, b"def");
    assert_eq!(client.fetch(said, 1)[0], b"\0\0\x03abc\x02\0\0\0");
    client.command(EXECUTE, &open);
    assert_eq!(client.fetch(said, 1)[0], b"\0\0\x03def\x01\0\0\0");
}

#[test]
fn an_error_amid_the_rows_is_the_statements_and_opens_nothing() {
    let mut client = House::open().client(0);
    let wrong = client.prepare("SELECT JSON_EXTRACT(name, '$.x') FROM item");
    let replies = client.open(wrong);
    assert_eq!((replies.len(), replies[0][0]), (1, ERR));
    assert_eq!(error_number(&client.fetch(wrong, 1)[0]), 1421);
}

#[test]
fn statements_without_rows_have_no_cursor_and_those_of_the_catalog_do() {
    let mut client = House::open().client(0);
    let insert = client.prepare("INSERT INTO item (name) VALUES ('nib')");
    assert_eq!(client.open(insert)[0][..2], [OK, 1]);
    assert_eq!(error_number(&client.fetch(insert, 1)[0]), 1421);
    let none = client.prepare("SELECT id FROM item WHERE id < 0");
    assert_eq!(status(&client.open(none)), CURSOR_EXISTS | AUTOCOMMIT);
    assert_eq!(status(&client.fetch(none, 1)), LAST_ROW_SENT | AUTOCOMMIT);
    let tables = client.prepare("SHOW TABLES");
    client.open(tables);
    assert_eq!(client.fetch(tables, 1)[0], b"\0\0\x04item");
}

#[test]
fn texts_of_a_cursor_were_converted_when_they_were_fetched() {
    let mut client = House::open().client(0);
    client.query("SET NAMES latin1");
    let text = client.prepare("SELECT CONVERT(UNHEX('C3A4') USING utf8mb4)");
    client.open(text);
    client.query("SET NAMES utf8mb4");
    assert_eq!(client.fetch(text, 1)[0], b"\0\0\x01\xe4");
}

/// A house with little memory for clients, whose temporary files are in this directory.
fn small_house(client_bytes: usize, files: Option<&Path>) -> House {
    let spill = files.map(|path| SpillDirectory::open(path).expect("made"));
    let options = EngineOptions { client_bytes, spill, ..crate::rows().1 };
    House::of(options, Users::unconfigured(), 64 << 20)
}

/// Numbered lines of 1,000 bytes.
fn long_lines(client: &mut Client, lines: u32) -> [u8; 4] {
    client.prepare(&format!(
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < {lines}) \
         SELECT i, RPAD(i, 1000, '.') FROM n"
    ))
}

fn file_count(path: &Path) -> usize {
    std::fs::read_dir(path).expect("there").count()
}

#[test]
fn large_results_wait_in_files_that_go_with_their_cursors() {
    let directory = tempfile::tempdir().expect("made");
    let path = directory.path().join("tmp");
    let house = small_house(16 << 20, Some(&path));
    let mut client = house.client(0);
    let lines = 900;
    let small = client.prepare(ITEMS);
    client.open(small);
    let statements = [(); 3].map(|()| long_lines(&mut client, lines));
    let before = house.engine.budget().used();
    for statement in statements {
        assert_eq!(status(&client.open(statement)) & CURSOR_EXISTS, CURSOR_EXISTS);
    }
    assert_eq!(house.engine.budget().used(), before, "open cursors hold no memory");
    assert_eq!(file_count(&path), statements.len(), "and small ones no file");
    let mut next = 1;
    // In pieces that end amid what is read of the file at a time.
    for wanted in [1, 7, 300, u32::MAX] {
        let rows = client.fetch(statements[1], wanted);
        for row in &rows[..rows.len() - 1] {
            let text = String::from_utf8_lossy(&row[row.len() - 1000..]).into_owned();
            assert_eq!(text.trim_end_matches('.'), next.to_string());
            next += 1;
        }
    }
    assert_eq!(next, lines + 1);
    assert_eq!(file_count(&path), 2, "the last row was fetched");
    client.command(RESET, &statements[0]);
    assert_eq!(file_count(&path), 1);
    drop(client);
    assert_eq!(file_count(&path), 0, "the client left");
}

#[test]
fn without_memory_rows_go_into_a_file_at_once_and_without_a_file_they_are_refused() {
    let directory = tempfile::tempdir().expect("made");
    let path = directory.path().join("tmp");
    for files in [Some(&*path), None] {
        let house = small_house(1 << 20, files);
        let mut client = house.client(0);
        let statement = long_lines(&mut client, 200);
        // Half of the memory may be kept.
        let mut others = [(); 2].map(|()| house.engine.budget().kept_share());
        for other in &mut others {
            other.grow_to(180 << 10).expect("all but some of that");
        }
        let opened = client.open(statement);
        match files {
            Some(path) => {
                assert_eq!(status(&opened) & CURSOR_EXISTS, CURSOR_EXISTS);
                assert_eq!(file_count(path), 1);
                assert_eq!(client.fetch(statement, 1000).len(), 201);
            }
            None => assert_eq!((opened.len(), opened[0][0]), (1, ERR)),
        }
    }
}
