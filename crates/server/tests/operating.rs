//! What an operator meets: files that others cannot read, a hang-up, output whose reader has gone,
//! and refusals in words.

use std::fs::{self, Permissions};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::mysql::Mysql;
use crate::support::{ROWHOUSE, Running, rowhouse, run, wait_until, without_settings};
use rustix::process::Signal;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Everything below a directory, and itself.
fn all_below(path: &Path) -> Vec<PathBuf> {
    let mut all = vec![path.to_owned()];
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("readable") {
            all.extend(all_below(&entry.expect("readable").path()));
        }
    }
    all
}

/// What of a directory the group or others could use.
fn open_to_others(path: &Path) -> Vec<PathBuf> {
    let is_open = |path: &PathBuf| {
        let about = fs::symlink_metadata(path).expect("there");
        about.permissions().mode() & 0o077 != 0
    };
    all_below(path).into_iter().filter(is_open).collect()
}

/// Runs a command of the program by the shell, which gives it its pipes and umask.
fn by_shell(script: &str) -> Output {
    let mut command = std::process::Command::new("bash");
    let command = without_settings(&mut command).env("ROWHOUSE", ROWHOUSE);
    command.arg("-c").arg(script).stdin(Stdio::null());
    command.output().expect("bash")
}

/// A data directory with a table of some rows, of a server that has stopped.
fn with_rows(data_dir: &Path) {
    let server = Running::start(data_dir, &[]);
    let mut client = Mysql::login(server.connect("mysql")).expect("a session");
    client.query("CREATE DATABASE d").expect("made");
    client.query("CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(1000))").expect("made");
    for id in 0..300 {
        client.query(&format!("INSERT INTO d.t VALUES ({id}, REPEAT('v', 900))")).expect("in");
    }
    drop(client);
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn data_backups_and_what_is_restored_are_no_longer_readable_by_others() {
    let base = tempfile::tempdir().unwrap();
    let place = |name: &str| base.path().join(name);
    let (data, backups, restored) = (place("data"), place("backups"), place("restored"));
    with_rows(&data);
    assert_eq!(open_to_others(&data), [] as [&Path; 0]);
    let data_dir = |path: &Path| format!("--data-dir={}", path.display());
    let directory = backups.to_str().unwrap();
    let backed_up = run(&["backup", directory, &data_dir(&data)]);
    assert!(backed_up.status.success(), "{}", text(&backed_up.stderr));
    assert_eq!(open_to_others(&backups), [] as [&Path; 0]);
    let back = run(&["restore", directory, &data_dir(&restored)]);
    assert!(back.status.success(), "{}", text(&back.stderr));
    assert_eq!(open_to_others(&restored), [] as [&Path; 0]);
}

#[test]
fn data_of_an_earlier_version_is_closed_to_others_at_the_start() {
    let base = tempfile::tempdir().unwrap();
    let data = base.path().join("data");
    with_rows(&data);
    for path in all_below(&data) {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    }
    assert!(!open_to_others(&data).is_empty());
    let server = Running::start(&data, &[]);
    assert_eq!(open_to_others(&data), [] as [&Path; 0]);
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_hangup_is_logged_and_no_longer_ends_the_server() {
    let base = tempfile::tempdir().unwrap();
    let server = Running::start(base.path(), &[]);
    for _ in 0..2 {
        server.signal(Signal::HUP);
    }
    wait_until("the log tells of it", || server.log().contains("SIGHUP"));
    let mut client = Mysql::login(server.connect("mysql")).expect("it serves on");
    client.query("SELECT 1").expect("it serves on");
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn output_whose_reader_has_gone_no_longer_ends_in_a_panic() {
    let base = tempfile::tempdir().unwrap();
    let data = base.path().join("data");
    with_rows(&data);
    let data = data.display();
    // Standard error goes into the pipe as well, whose reader ends at once; a later line meets
    // nobody. The program's own exit code is that of PIPESTATUS.
    for command in ["check", "salvage", "dump", "status", "sample", "backup --list"] {
        let directory = if command.starts_with("backup") { "x" } else { "" };
        let flags = if command == "sample" { String::new() } else { format!("--data-dir={data}") };
        let script = format!(
            "\"$ROWHOUSE\" {command} {directory} {flags} 2>&1 | true; echo ${{PIPESTATUS[0]}}"
        );
        let code = text(&by_shell(&script).stdout);
        let code: i32 = code.trim().parse().expect("an exit code");
        assert!(code == 0 || code == 1, "{command} | true ended with {code}");
    }
    // A dump that is not whole says so by its code, and by nothing else.
    let mut dump = rowhouse(&["dump", "-q", &format!("--data-dir={data}")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(dump.stdout.take());
    let mut said = String::new();
    dump.stderr.take().expect("piped").read_to_string(&mut said).expect("readable");
    assert_eq!((dump.wait().expect("ends").code(), said.as_str()), (Some(1), ""));
}

#[test]
fn a_restore_into_a_data_directory_says_that_it_is_one() {
    let base = tempfile::tempdir().unwrap();
    let (data, backups) = (base.path().join("data"), base.path().join("backups"));
    with_rows(&data);
    let data_dir = format!("--data-dir={}", data.display());
    let directory = backups.to_str().unwrap();
    assert!(run(&["backup", directory, &data_dir]).status.success());
    let refused = run(&["restore", directory, &data_dir]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1));
    assert!(said.contains("there is a data directory of rowhouse at"), "{said}");
}

#[test]
fn a_server_that_is_not_there_is_named_as_an_address() {
    // Port 1 of loopback: nobody listens there.
    let refused = run(&["dump", "--host", "127.0.0.1", "--port", "1"]);
    let said = text(&refused.stderr);
    assert!(said.contains("cannot connect to 127.0.0.1:1"), "{said}");
}
