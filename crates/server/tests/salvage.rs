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
