//! A log that is damaged where it was synced: refused by every command, then salvaged.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::backups::{count, data_dir, fill, login, noise, place, text};
use crate::support::run;

/// Damages the log where it was synced, as no crash does.
fn damage_log(rows: &Path) {
    let logs = fs::read_dir(rows).unwrap().map(|entry| entry.unwrap().path());
    let logs = logs.filter(|path| path.extension().is_some_and(|ending| ending == "log"));
    let log = logs.max_by_key(|path| fs::metadata(path).unwrap().len()).unwrap();
    let file = fs::OpenOptions::new().read(true).write(true).open(log).unwrap();
    let middle = file.metadata().unwrap().len() / 2;
    let mut byte = [0];
    file.read_exact_at(&mut byte, middle).unwrap();
    file.write_all_at(&[byte[0] ^ 1], middle).unwrap();
    file.sync_all().unwrap();
}

#[test]
fn salvage_gives_up_what_is_behind_a_damage_of_the_log_says_what_and_keeps_it() {
    let place = place();
    let data = data_dir(&place.data);
    let server = place.server();
    fill(&server, 0..1000);
    let mut client = login(&server);
    for id in 1000..1200u64 {
        client.query(&format!("INSERT INTO big.t VALUES ({id}, X'{}', 1)", noise(id))).unwrap();
    }
    server.kill();
    damage_log(&place.data.join("rows"));
    for command in ["serve", "check"] {
        let refused = run(&[command, &data]);
        assert_eq!(refused.status.code(), Some(1));
        assert!(text(&refused.stderr).contains("rowhouse salvage"), "{}", text(&refused.stderr));
    }
    let salvaged = run(&["salvage", &data]);
    let said = text(&salvaged.stdout);
    assert_eq!(salvaged.status.code(), Some(0), "{said}{}", text(&salvaged.stderr));
    assert!(said.contains("given up: the synced writes "), "{said}");
    assert!(said.contains("no damage found\n"), "{said}");
    let aside = place.data.join("rows/damaged-1");
    let is_log = |name: std::ffi::OsString| name.to_string_lossy().ends_with(".log");
    assert!(fs::read_dir(&aside).unwrap().any(|entry| is_log(entry.unwrap().file_name())));
    let server = place.server();
    let rows = count(&server);
    assert!(rows > 0 && rows < 1200, "{rows}");
    fill(&server, 2000..2100);
    assert_eq!(server.stop().code(), Some(0));
    let again = run(&["salvage", &data]);
    assert!(text(&again.stdout).contains("nothing was given up"));
    assert_eq!(again.status.code(), Some(0));
    assert!(!place.data.join("rows/damaged-2").exists());
}

#[test]
fn a_damaged_list_of_files_is_not_salvaged_but_restored() {
    let place = place();
    let data = data_dir(&place.data);
    let server = place.server();
    fill(&server, 0..100);
    place.backed_up(&[]);
    assert_eq!(server.stop().code(), Some(0));
    let rows = place.data.join("rows");
    let files = || fs::read_dir(&rows).unwrap().map(|entry| entry.unwrap().path());
    let is_list = |path: &PathBuf| path.to_string_lossy().contains("MANIFEST-");
    let list = files().find(is_list).unwrap();
    let mut bytes = fs::read(&list).unwrap();
    bytes[40] ^= 1;
    fs::write(&list, bytes).unwrap();
    let before = files().count();
    for command in ["serve", "check", "salvage"] {
        let refused = run(&[command, &data]);
        assert_eq!(refused.status.code(), Some(1));
        let why = text(&refused.stderr);
        let said = |words: &str| why.matches(words).count();
        assert_eq!(said(list.to_str().unwrap()), 1, "{command}: {why}");
        assert_eq!(said("rowhouse restore"), 1, "{command}: {why}");
        assert_eq!(said("rowhouse salvage"), 0, "{command}: {why}");
    }
    assert_eq!(files().count(), before);
    let restored = place.restored(&[]);
    assert_eq!(count(&restored), 100);
    assert_eq!(restored.stop().code(), Some(0));
}

/// Turns a bit of each data file that holds some bytes, at some places, each given as a part of its
/// length in thousands. What a compaction had begun to write when the server stopped is such a file
/// as well, and is removed at the next start.
fn damage_files_with(rows: &Path, bytes: &[u8], places: &[u64]) {
    let files = fs::read_dir(rows).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "sst"));
    let holds =
        |path: &PathBuf| fs::read(path).unwrap().windows(bytes.len()).any(|window| window == bytes);
    let files: Vec<_> = files.filter(holds).collect();
    assert!(!files.is_empty());
    for file in files {
        let file = fs::OpenOptions::new().read(true).write(true).open(file).unwrap();
        let length = file.metadata().unwrap().len();
        for place in places {
            let at = length * place / 1000;
            let mut byte = [0];
            file.read_exact_at(&mut byte, at).unwrap();
            file.write_all_at(&[byte[0] ^ 1], at).unwrap();
        }
    }
}

/// The bytes of a value of `fill`.
fn bytes_of(id: u64) -> Vec<u8> {
    let digits = noise(id);
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

#[test]
fn a_check_ended_at_the_first_damaged_block_and_nothing_saved_the_other_rows() {
    const ROWS: u64 = 12_000;
    let place = place();
    let data = data_dir(&place.data);
    let server = place.server();
    fill(&server, 0..ROWS);
    let mut client = login(&server);
    client.query("CREATE TABLE big.sound (id INT PRIMARY KEY, s VARCHAR(20), KEY (s))").unwrap();
    client.query("INSERT INTO big.sound VALUES (1, 'one'), (2, 'two')").unwrap();
    client.query("CREATE TABLE big.columns (id INT PRIMARY KEY, n INT) ENGINE=COLUMNAR").unwrap();
    client.query("INSERT INTO big.columns SELECT id, c FROM big.t WHERE id < 3000").unwrap();
    let (events, event) = ("information_schema.events", "CREATE EVENT big.e ON SCHEDULE");
    client.query(&format!("{event} EVERY 1 DAY DISABLE DO DELETE FROM big.t")).unwrap();
    assert_eq!(server.stop().code(), Some(0));
    damage_files_with(&place.data.join("rows"), &bytes_of(ROWS / 2), &[300, 301, 500]);
    // A check goes on, and says what it is.
    let checked = run(&["check", &data]);
    let said = text(&checked.stdout);
    assert_eq!(checked.status.code(), Some(1), "{said}");
    let gaps: Vec<&str> =
        said.lines().filter(|line| line.starts_with("damaged: big.t: rows between (")).collect();
    assert!((2..=3).contains(&gaps.len()), "{said}");
    assert!(gaps.iter().all(|gap| gap.contains("cannot be read: ")), "{said}");
    assert!(!said.contains("big.sound") && !said.contains("big.columns"), "{said}");
    let readable = said.lines().find_map(|line| line.strip_prefix("big.t: ")).expect("how many");
    assert!(readable.ends_with(&format!("of about {ROWS} rows can be read")), "{said}");
    let readable: u64 = readable.split(' ').next().unwrap().parse().unwrap();
    assert!((ROWS - 200..ROWS).contains(&readable), "{said}");
    assert!(said.contains("rowhouse salvage --into"), "{said}");
    // What can be read is written, and the damaged directory is as it was.
    let files = || {
        let files = fs::read_dir(place.data.join("rows")).unwrap().flatten();
        let mut files: Vec<_> = files
            .filter(|file| file.path().extension().is_some_and(|e| e == "sst"))
            .map(|file| file.file_name())
            .collect();
        files.sort();
        files
    };
    let before = files();
    let into = place.restored.to_str().unwrap();
    let salvaged = run(&["salvage", &data, "--into", into]);
    let said = text(&salvaged.stdout);
    assert_eq!(salvaged.status.code(), Some(0), "{said}{}", text(&salvaged.stderr));
    assert!(said.contains(&format!("big.t: {readable} rows were written")), "{said}");
    assert!(before.iter().all(|file| files().contains(file)));
    let again = run(&["salvage", &data, "--into", into]);
    assert!(text(&again.stderr).contains("there is a data directory"), "{}", text(&again.stderr));
    let server = crate::support::Running::start(&place.restored, &[]);
    assert_eq!(count(&server), readable);
    let mut client = login(&server);
    let mut one = |query: &str| client.query(query).unwrap()[0][0].clone().unwrap_or_default();
    for id in [0, ROWS - 1] {
        let found = one(&format!("SELECT HEX(b) FROM big.t WHERE id = {id}"));
        assert_eq!(found.to_lowercase(), noise(id));
    }
    let by_index = one("SELECT COUNT(*) FROM big.t FORCE INDEX (c) WHERE c BETWEEN 0 AND 96");
    assert_eq!(by_index, readable.to_string());
    assert_eq!(one("SELECT id FROM big.sound WHERE s = 'two'"), "2");
    assert_eq!(one("SELECT SUM(n < 97) FROM big.columns"), "3000");
    assert_eq!(one(&format!("SELECT event_name FROM {events}")), "e");
    fill(&server, ROWS..ROWS + 100);
    assert_eq!(count(&server), readable + 100);
    assert_eq!(server.stop().code(), Some(0));
    let checked = run(&["check", &data_dir(&place.restored)]);
    assert!(text(&checked.stdout).ends_with("no damage found\n"), "{}", text(&checked.stdout));
}

#[test]
fn rows_of_a_table_by_column_are_saved_around_a_damaged_column() {
    let place = place();
    let data = data_dir(&place.data);
    let server = place.server();
    let mut client = login(&server);
    client.query("CREATE DATABASE big").unwrap();
    client
        .query("CREATE TABLE big.t (id BIGINT PRIMARY KEY, b VARBINARY(2000), c INT, KEY (c)) ENGINE=COLUMNAR")
        .unwrap();
    fill(&server, 0..6000);
    assert_eq!(server.stop().code(), Some(0));
    damage_files_with(&place.data.join("rows"), &bytes_of(3000), &[400]);
    let checked = run(&["check", &data]);
    let said = text(&checked.stdout);
    assert_eq!(checked.status.code(), Some(1), "{said}");
    assert!(said.contains("damaged: big.t: "), "{said}");
    let salvaged = run(&["salvage", &data, "--into", place.restored.to_str().unwrap()]);
    let said = text(&salvaged.stdout);
    assert_eq!(salvaged.status.code(), Some(0), "{said}{}", text(&salvaged.stderr));
    let server = crate::support::Running::start(&place.restored, &[]);
    let rows = count(&server);
    assert!(rows > 0 && rows < 6000, "{rows}: {said}");
    drop(server);
}

/// The data file that holds some bytes, of a stopped server; the largest of them.
fn file_with(rows: &Path, bytes: &[u8]) -> PathBuf {
    let files = fs::read_dir(rows).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "sst"));
    let holds =
        |path: &PathBuf| fs::read(path).unwrap().windows(bytes.len()).any(|window| window == bytes);
    files.filter(holds).max_by_key(|path| fs::metadata(path).unwrap().len()).expect("a file")
}

#[test]
fn a_missing_file_and_one_that_was_cut_short_ended_check_and_salvage_with_an_error() {
    const ROWS: u64 = 12_000;
    let place = place();
    let data = data_dir(&place.data);
    let server = place.server();
    fill(&server, 0..1);
    let mut client = login(&server);
    for statement in [
        "CREATE TABLE big.other LIKE big.t",
        "CREATE TABLE big.sound (id INT PRIMARY KEY, s VARCHAR(20), KEY (s))",
        "INSERT INTO big.sound VALUES (1, 'one'), (2, 'two')",
    ] {
        client.query(statement).unwrap();
    }
    drop(client);
    assert_eq!(server.stop().code(), Some(0));
    // What was written so far, as the definitions, goes to a file of its own at the next start.
    let server = place.server();
    fill(&server, 1..ROWS);
    let copied = login(&server).execute("INSERT INTO big.other SELECT * FROM big.t").unwrap();
    assert_eq!(copied, ROWS);
    assert_eq!(server.stop().code(), Some(0));
    let rows = place.data.join("rows");
    let missing = file_with(&rows, &bytes_of(ROWS / 2));
    fs::remove_file(&missing).unwrap();
    let cut = file_with(&rows, &bytes_of(ROWS / 3));
    let file = fs::OpenOptions::new().write(true).open(&cut).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    drop(file);
    let names = [&missing, &cut].map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
    let checked = run(&["check", &data]);
    let said = text(&checked.stdout);
    assert_eq!(checked.status.code(), Some(1), "{said}{}", text(&checked.stderr));
    for (name, fate) in names.iter().zip(["is missing", "was cut short to "]) {
        let is_told =
            |line: &str| line.contains(&format!("the file {name} of ")) && line.contains(fate);
        assert!(said.lines().any(is_told), "{said}");
    }
    assert!(said.contains("rows from (") && said.contains(" are lost, or as they were"), "{said}");
    assert!(said.contains("rowhouse salvage --into"), "{said}");
    // How many rows of each table can be read.
    let readable = |table: &str| -> Option<u64> {
        let line = said.lines().find_map(|line| line.strip_prefix(&format!("big.{table}: ")))?;
        line.split(' ').next().unwrap().parse().ok()
    };
    let left = ["t", "other"].map(|table| readable(table).unwrap_or(ROWS));
    assert!(left.iter().sum::<u64>() < 2 * ROWS, "{said}");
    // Without a place for them nothing is written, and nothing is changed.
    let before = fs::read_dir(&rows).unwrap().count();
    let salvaged = run(&["salvage", &data]);
    assert_eq!(salvaged.status.code(), Some(1), "{}", text(&salvaged.stderr));
    assert!(text(&salvaged.stdout).contains("rowhouse salvage --into"));
    assert_eq!(fs::read_dir(&rows).unwrap().count(), before);
    let into = place.restored.to_str().unwrap();
    let salvaged = run(&["salvage", &data, "--into", into]);
    let said = text(&salvaged.stdout);
    assert_eq!(salvaged.status.code(), Some(0), "{said}{}", text(&salvaged.stderr));
    assert!(said.ends_with(&format!("written to {into}: start a server on it\n")), "{said}");
    let server = crate::support::Running::start(&place.restored, &[]);
    let mut client = login(&server);
    let mut one = |query: &str| client.query(query).unwrap()[0][0].clone().unwrap_or_default();
    for (table, left) in ["t", "other"].into_iter().zip(left) {
        assert_eq!(one(&format!("SELECT COUNT(*) FROM big.{table}")), left.to_string());
        let by_index = format!("SELECT COUNT(*) FROM big.{table} FORCE INDEX (c) WHERE c >= 0");
        assert_eq!(one(&by_index), left.to_string());
    }
    assert_eq!(one("SELECT id FROM big.sound WHERE s = 'two'"), "2");
    fill(&server, ROWS..ROWS + 100);
    assert_eq!(server.stop().code(), Some(0));
    let checked = run(&["check", &data_dir(&place.restored)]);
    assert!(text(&checked.stdout).ends_with("no damage found\n"), "{}", text(&checked.stdout));
}
