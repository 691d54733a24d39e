//! What tests of tables and indexes by column share: rows of `d.t`, which has an `id`, an `n`
//! and a `word`, and writers to it.

// Each test file uses what it needs of this.
#![allow(dead_code)]

use std::ops::Range;
use std::path::Path;

use crate::backups;
use crate::mysql::Mysql;
use crate::support::{Running, ask_line, read_line, run, wait_until};

pub const MEMORY: &str = "--memory=256MiB";

/// Inserts rows of some numbers; `more` is what follows their first three values.
pub fn insert(client: &mut Mysql, ids: Range<i64>, more: &str) {
    let rows: Vec<String> =
        ids.map(|id| format!("({id}, {}, 'word {}'{more})", id % 100, id % 1000)).collect();
    for rows in rows.chunks(1000) {
        client.query(&format!("INSERT INTO d.t VALUES {}", rows.join(","))).unwrap();
    }
}

/// The first value of a query's first row.
pub fn cell(client: &mut Mysql, query: &str) -> String {
    let rows = client.query(query).unwrap_or_else(|error| panic!("{query}: {error:?}"));
    rows[0][0].clone().unwrap_or_default()
}

/// Lets memcached's door read the words, and has it give row 77 the word `new`, and remove row 78.
pub fn write_by_memcached(server: &Running, client: &mut Mysql) {
    let container = "INSERT INTO rowhouse.containers \
                     (name, db, tbl, key_columns, value_columns) \
                     VALUES ('t', 'd', 't', 'id', 'word')";
    client.query(container).unwrap();
    let mut memcached = server.connect("memcached");
    wait_until("the container", || {
        let answer = ask_line(&mut memcached, "get t:77\r\n");
        let found = answer.starts_with("VALUE t:77 0 7");
        if found {
            assert_eq!(read_line(&mut memcached), "word 77\r");
            assert_eq!(read_line(&mut memcached), "END\r");
        }
        found
    });
    assert_eq!(ask_line(&mut memcached, "set t:77 0 0 3\r\nnew\r\n"), "STORED\r");
    assert_eq!(ask_line(&mut memcached, "delete t:78\r\n"), "DELETED\r");
}

/// Waits until somebody waits for the lock of a row.
pub fn await_waiter(client: &mut Mysql) {
    let waiting = "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE '%lock%'";
    wait_until("the statement to meet the other's lock", || cell(client, waiting) != "0");
}

/// Numbers that look random, the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % end
    }
}

/// Stops a server, and lets `check` find no damage.
pub fn stop_and_check(server: Running, data_dir: &Path) {
    assert_eq!(server.stop().code(), Some(0));
    let sound = run(&["check", &backups::data_dir(data_dir)]);
    assert!(sound.status.success(), "{}", backups::text(&sound.stdout));
}
