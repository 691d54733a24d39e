//! What tests of backups share: a place with a data directory and backups, and rows to put there.

// Each test file uses what it needs of this.
#![allow(dead_code)]

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Output};

use crate::mysql::Mysql;
use crate::support::{Running, rowhouse, run};

pub struct Place {
    _directory: tempfile::TempDir,
    pub data: PathBuf,
    pub backups: PathBuf,
    pub restored: PathBuf,
}

pub fn place() -> Place {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    Place {
        data: path("data"),
        backups: path("backups"),
        restored: path("new"),
        _directory: directory,
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn data_dir(path: &Path) -> String {
    format!("--data-dir={}", path.display())
}

impl Place {
    pub fn backup(&self, more: &[&str]) -> Output {
        let data = data_dir(&self.data);
        let mut arguments = vec!["backup", self.backups.to_str().unwrap(), &data];
        arguments.extend(more);
        run(&arguments)
    }

    pub fn backed_up(&self, more: &[&str]) -> String {
        let output = self.backup(more);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    }

    pub fn restore(&self, more: &[&str]) -> Output {
        let data = data_dir(&self.restored);
        let mut arguments = vec!["restore", self.backups.to_str().unwrap(), &data];
        arguments.extend(more);
        run(&arguments)
    }

    pub fn restored(&self, more: &[&str]) -> Running {
        let output = self.restore(more);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        Running::start(&self.restored, &[])
    }

    pub fn check_backup(&self, more: &[&str]) -> Output {
        let mut arguments = vec!["check", "--backup", self.backups.to_str().unwrap()];
        arguments.extend(more);
        run(&arguments)
    }

    pub fn is_sound(&self, more: &[&str]) {
        let output = self.check_backup(more);
        let said = text(&output.stdout);
        assert!(said.ends_with("no damage found\n"), "{said}{}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(0));
    }

    /// Number, files, bytes and new bytes of each backup.
    pub fn list(&self) -> Vec<[u64; 4]> {
        let output = run(&["backup", self.backups.to_str().unwrap(), "--list"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let lines = text(&output.stdout);
        let line = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            [0, 3, 4, 5].map(|position: usize| words[position].parse().unwrap())
        };
        lines.lines().skip(1).map(line).collect()
    }

    /// How many backups there are.
    pub fn list_or_none(&self) -> usize {
        if self.backups.exists() { self.list().len() } else { 0 }
    }

    /// Starts the command in the background.
    pub fn begin(&self, arguments: &[&str]) -> Child {
        rowhouse(arguments)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the program starts")
    }

    pub fn server(&self) -> Running {
        Running::start(&self.data, &[])
    }
}

pub fn login(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).unwrap()
}

/// A table of rows that do not compress, about 1 KiB each.
pub fn fill(server: &Running, rows: std::ops::Range<u64>) {
    let mut client = login(server);
    client.query("CREATE DATABASE IF NOT EXISTS big").unwrap();
    client
        .query("CREATE TABLE IF NOT EXISTS big.t (id BIGINT PRIMARY KEY, b VARBINARY(2000), c INT, KEY (c))")
        .unwrap();
    let rows: Vec<u64> = rows.collect();
    for part in rows.chunks(200) {
        let values: Vec<String> =
            part.iter().map(|id| format!("({id}, X'{}', {})", noise(*id), id % 97)).collect();
        client.query(&format!("INSERT INTO big.t VALUES {}", values.join(","))).unwrap();
    }
}

pub fn noise(seed: u64) -> String {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        format!("{random:016x}")
    };
    (0..125).map(|_| next()).collect()
}

pub fn count(server: &Running) -> u64 {
    let rows = login(server).query("SELECT COUNT(*) FROM big.t").unwrap();
    rows[0][0].as_deref().unwrap().parse().unwrap()
}

/// Bytes of the data files of backups, each counted once however many links it has.
pub fn data_file_bytes(directory: &Path) -> u64 {
    let mut seen = HashSet::new();
    let mut bytes = 0;
    for backup in fs::read_dir(directory).unwrap().flatten() {
        let Ok(files) = fs::read_dir(backup.path().join("rows")) else { continue };
        for file in files.flatten() {
            let metadata = file.metadata().unwrap();
            if seen.insert(metadata.ino()) {
                bytes += metadata.len();
            }
        }
    }
    bytes
}
