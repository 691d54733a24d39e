//! A server that is killed (kill -9) in each phase of a load: while rows are sorted, while they are
//! merged into files, and while the store takes these files over. Whoever starts it again finds
//! nothing of the load, no file of it, its space given back, and can load it again; or all, once
//! the store has listed the files.
//!
//! A phase lasts as long as a test wants: a client that does not end its file keeps the load in the
//! first, and the file layer (crate `faults`) lets syncs and links hang in the others.
//!
//! Not here: loads that end in other ways (`loading`), tables without any index
//! (`loading_in_order`), cuts of the power (`crash`).

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use crate::loads::{
    assert_nothing_is_left, assert_sound, begin, count, files_in, finish, login, one,
};
use crate::mysql::{Failure, Mysql, Rows};
use crate::support::{Running, wait_until};
use faults::{Fault, Layer};

/// Rows of the table before the load, none of which the file has.
const EARLIER: u64 = 100;
/// Enough to be sorted on the disk in part, and enough to become files.
const MANY: u64 = 250_000;
const SOME: u64 = 30_000;
/// Where a load has its files before they are a part of the database.
const FILES: &str = "rows/ingest";
/// Files that were made with the tables and at the next start may take so much.
const SMALL_BYTES: u64 = 1 << 20;

struct Bench {
    // Dropped before its directory.
    server: Running,
    layer: Layer,
    data: PathBuf,
    /// Of files of the store before the load.
    before_bytes: u64,
    _place: tempfile::TempDir,
}

impl Bench {
    /// A server on the file layer; its tables have some rows.
    fn start() -> Bench {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        let layer = Layer::new(&data, &place.path().join("layer")).unwrap();
        let server = Running::start_beneath(&layer, &data, &["--durability=os"]);
        let mut sql = login(&server);
        sql.execute("CREATE DATABASE d").unwrap();
        let columns = "id INT PRIMARY KEY, a INT, s VARCHAR(120), KEY (a), KEY (s)";
        sql.execute(&format!("CREATE TABLE d.t ({columns})")).unwrap();
        sql.execute("CREATE TABLE d.other (id INT PRIMARY KEY)").unwrap();
        for id in 1..=EARLIER {
            sql.execute(&format!("INSERT INTO d.t VALUES (-{id}, -{id}, 'earlier')")).unwrap();
            sql.execute(&format!("INSERT INTO d.other VALUES ({id})")).unwrap();
        }
        let before_bytes = stored_bytes(&data);
        Bench { server, layer, data, before_bytes, _place: place }
    }

    /// A load of so many rows, all but the end of its file sent.
    fn begin_load(&self, sql: &mut Mysql, rows: u64) -> Mysql {
        let mut loader = login(&self.server);
        begin(&mut loader, sql, rows);
        loader
    }

    /// Waits until a call of the server hangs that did not before, or it needs none any more.
    fn wait_for_a_hang(&self, before: u64, load: &JoinHandle<Result<Rows, Failure>>) {
        let hangs = || self.layer.faults().unwrap() > before || load.is_finished();
        wait_until("a call to hang", hangs);
    }

    /// Kills the server and starts it again, on a disk without faults.
    fn kill(self) -> Bench {
        let Bench { server, layer, data, before_bytes, _place } = self;
        server.kill();
        layer.fail(Fault::None).unwrap();
        let server = Running::start_beneath(&layer, &data, &["--durability=os"]);
        assert_nothing_is_left(&data);
        Bench { server, layer, data, before_bytes, _place }
    }

    /// The table is as it was before the load and nothing takes space for it, the other table is at
    /// work, and so is the load once it is repeated.
    fn assert_as_before(self, rows: u64) {
        let mut sql = login(&self.server);
        assert_eq!(seen(&mut sql), [EARLIER; 3]);
        let given_back = || stored_bytes(&self.data) <= self.before_bytes + SMALL_BYTES;
        wait_until("the space to be given back", given_back);
        assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.other"), EARLIER.to_string());
        sql.execute("INSERT INTO d.other VALUES (0)").unwrap();
        let mut loader = self.begin_load(&mut sql, rows);
        finish(&mut loader);
        self.assert_loaded(rows);
    }

    /// All of the load is there, and stays.
    fn assert_loaded(self, rows: u64) {
        let mut sql = login(&self.server);
        assert_eq!(seen(&mut sql), [EARLIER + rows; 3]);
        sql.execute("INSERT INTO d.t VALUES (-1001, -1, 'later')").unwrap();
        let later = self.kill();
        assert_eq!(seen(&mut login(&later.server)), [EARLIER + rows + 1; 3]);
        later.server.stop();
        assert_sound(&later.data);
    }
}

/// How many rows there are by each of the indexes.
fn seen(sql: &mut Mysql) -> [u64; 3] {
    ["", "FORCE INDEX (a) WHERE a > -1000000", "FORCE INDEX (s) WHERE s >= ''"].map(|by| {
        let rows = one(sql, &format!("SELECT COUNT(*) FROM d.t {by}"));
        rows.parse().expect("a number")
    })
}

/// Bytes of the files below a directory that hold rows: the store's and temporary ones.
fn stored_bytes(directory: &Path) -> u64 {
    let each = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| {
        let path = entry.path();
        match path.extension() {
            _ if path.is_dir() => stored_bytes(&path),
            Some(end) if end == "sst" || end == "tmp" => {
                entry.metadata().map_or(0, |file| file.len())
            }
            _ => 0,
        }
    });
    each.sum()
}

fn is_at(sql: &mut Mysql, stage: &str) -> bool {
    let list = sql.query("SHOW PROCESSLIST").unwrap();
    list.iter().any(|line| line[6].as_deref().is_some_and(|state| state.contains(stage)))
}

/// Ends the file; what becomes of the load.
fn end(mut loader: Mysql) -> JoinHandle<Result<Rows, Failure>> {
    thread::spawn(move || {
        loader.send_piece(b"")?;
        loader.result()
    })
}

#[test]
fn killed_while_rows_are_sorted_on_the_disk_it_has_nothing_of_the_load() {
    let bench = Bench::start();
    let mut sql = login(&bench.server);
    let _loader = bench.begin_load(&mut sql, MANY);
    wait_until("sorted runs", || stored_bytes(&bench.data.join("tmp")) > SMALL_BYTES);
    assert!(is_at(&mut sql, "reading"));
    bench.kill().assert_as_before(MANY);
}

#[test]
fn killed_while_rows_are_merged_into_files_it_has_nothing_of_the_load() {
    // Amid the first files, and when some are complete.
    for complete in [0, 2] {
        let bench = Bench::start();
        let mut sql = login(&bench.server);
        let loader = bench.begin_load(&mut sql, MANY);
        bench.layer.hang(FILES, complete, Fault::SyncHangs).unwrap();
        let load = end(loader);
        bench.wait_for_a_hang(0, &load);
        assert!(stored_bytes(&bench.data.join(FILES)) > SMALL_BYTES);
        assert!(is_at(&mut sql, "building indexes") && !load.is_finished());
        let bench = bench.kill();
        assert!(matches!(load.join().unwrap(), Err(Failure::Gone(_))));
        bench.assert_as_before(MANY);
    }
}

/// A load up to the moment at which some of its files have names among those of the store; more
/// than that, up to a sync of a file whose name has `synced` in it. Then the server is killed.
fn kill_amid_taking_over(bench: Bench, links: u64, synced: Option<&str>) -> Bench {
    let mut sql = login(&bench.server);
    let loader = bench.begin_load(&mut sql, SOME);
    let before = bench.layer.faults().unwrap();
    bench.layer.hang("", links, Fault::LinkHangs).unwrap();
    let load = end(loader);
    bench.wait_for_a_hang(before, &load);
    assert!(files_in(&bench.data.join(FILES)) > 1 && !load.is_finished());
    assert_eq!(count(&mut sql), EARLIER.to_string());
    if let Some(name) = synced {
        let before = bench.layer.faults().unwrap();
        bench.layer.hang(name, 0, Fault::SyncHangs).unwrap();
        bench.wait_for_a_hang(before, &load);
        assert!(!load.is_finished());
    }
    let bench = bench.kill();
    assert!(matches!(load.join().unwrap(), Err(Failure::Gone(_))));
    bench
}

#[test]
fn killed_while_the_store_takes_files_over_it_has_nothing_of_the_load() {
    for (links, synced) in [(0, None), (1, None), (1, Some(".sst"))] {
        kill_amid_taking_over(Bench::start(), links, synced).assert_as_before(SOME);
    }
}

/// The store's list of its files has the new ones, and nobody was told so yet.
#[test]
fn killed_when_the_store_has_taken_files_over_it_has_all_of_the_load() {
    kill_amid_taking_over(Bench::start(), 1, Some("MANIFEST")).assert_loaded(SOME);
}

#[test]
fn several_kills_amid_loads_leave_no_more_than_one() {
    let mut bench = Bench::start();
    for links in [0, 1, 2] {
        bench = kill_amid_taking_over(bench, links, None);
    }
    bench.assert_as_before(SOME);
}
