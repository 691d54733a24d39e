//! Errors that an operator meets say what is wrong and what to do next: a list, walked.
//!
//! Not here: errors of SQL and of the doors' protocols, which are their originals' words; a newer
//! data directory (`rows-rocks`, `format`); troubles of a running server (`incidents`).

use std::fs;
use std::path::Path;

use crate::support::{Running, flags, run};

/// A command that fails, its exit code, and what it must say.
struct FailingCommand {
    arguments: Vec<String>,
    code: i32,
    says: &'static [&'static str],
}

fn failing(line: &str, base: &Path, code: i32, says: &'static [&'static str]) -> FailingCommand {
    let base = base.display().to_string();
    let arguments = line.split(' ').map(|word| word.replace("BASE", &base)).collect();
    FailingCommand { arguments, code, says }
}

fn assert_says(command: &FailingCommand) {
    let arguments: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
    let done = run(&arguments);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(command.code), "{arguments:?}: {said}");
    for words in command.says {
        assert!(said.contains(words), "{arguments:?}: {words:?} is not in {said}");
    }
}

#[test]
fn every_error_of_a_command_says_what_to_do_next() {
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path();
    fs::create_dir(base.join("foreign")).unwrap();
    fs::write(base.join("foreign/file"), "").unwrap();
    fs::write(base.join("misspelt.toml"), "mysqlport = 1\n").unwrap();
    fs::write(base.join("torn.toml"), "mysql-port = \n").unwrap();
    let ports = "--mysql-port=off --handlersocket-port=off --handlersocket-write-port=off \
                 --memcached-port=off --tyrant-port=off";
    let serve = |more: &str| format!("serve {ports} {more}");
    let list = [
        // Settings.
        (serve("--config=BASE/misspelt.toml"), 2, &["`mysqlport`", "is `mysql-port` meant?"][..]),
        (serve("--config=BASE/torn.toml"), 2, &["torn.toml", "line 1, column"]),
        (serve("--config=BASE/none.toml"), 2, &["cannot read", "`rowhouse sample` prints"]),
        (serve("--memory=12XB"), 2, &["--memory", "expected a size like 64MiB"]),
        (serve("--memory=1MiB"), 2, &["--memory", "expected 64MiB to"]),
        (serve("--durability=never"), 2, &["expected every-commit, every-second or os"]),
        (
            serve("--data-dir=BASE/b --files=BASE/none"),
            1,
            &["cannot find", "`files` names folders that are there"],
        ),
        (
            serve("--data-dir=BASE/b --mysql-socket=/proc/none/s"),
            1,
            &["the mysql door cannot listen", "set mysql-socket to another path"],
        ),
        // The data directory.
        (
            serve("--data-dir=/proc/none"),
            1,
            &["cannot use the data directory", "name a directory that this user may write"],
        ),
        (serve("--data-dir=BASE/foreign"), 1, &["is not empty", "choose another"]),
        // Nobody is there.
        (
            "status --data-dir=BASE/none".to_owned(),
            1,
            &["no server answers", "start it (`rowhouse serve`)"],
        ),
        (
            "top --once --data-dir=BASE/none".to_owned(),
            1,
            &["no server answers", "name its directory (--data-dir)"],
        ),
        (
            "dump --host=127.0.0.1 --port=1".to_owned(),
            1,
            &["cannot connect to 127.0.0.1:1", "its MySQL door open?"],
        ),
        // Backups and checks.
        (
            "backup --data-dir=BASE/none BASE/backups".to_owned(),
            1,
            &["there is no data directory", "--data-dir names it"],
        ),
        ("check --data-dir=BASE/none".to_owned(), 1, &["--data-dir names it"]),
        (
            "restore --data-dir=BASE/new BASE/none".to_owned(),
            1,
            &["there is no backup", "`rowhouse backup DIR` makes one"],
        ),
    ];
    for (line, code, says) in list {
        assert_says(&failing(&line, base, code, says));
    }
}

#[test]
fn errors_beside_a_running_server_say_what_to_do_next() {
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path();
    let data = base.join("data");
    let server = Running::start(&data, &[]);
    for line in ["check --data-dir=BASE/data", "salvage --data-dir=BASE/data"] {
        assert_says(&failing(line, base, 3, &["is in use by process", "stop that one first"]));
    }
    let mut again = flags(&data);
    again.retain(|flag| !flag.starts_with("--memory"));
    let says = &["is in use by process", "name another directory (data-dir)"];
    assert_says(&FailingCommand { arguments: again, code: 3, says });
    let port = server.port("memcached");
    let taken = format!(
        "serve --data-dir=BASE/other --mysql-port=off --handlersocket-port=off \
         --handlersocket-write-port=off --tyrant-port=off --memcached-port={port}"
    );
    let says = &["the memcached door cannot listen", "set memcached-port to"];
    assert_says(&failing(&taken, base, 1, says));
    let within = "backup --data-dir=BASE/data BASE/data/backups";
    let says = &["must not lie in the data directory", "name a directory elsewhere"];
    assert_says(&failing(within, base, 1, says));
    let onto = "restore --data-dir=BASE/data BASE/backups";
    let backups = base.join("backups");
    let of_data = format!("--data-dir={}", data.display());
    assert!(run(&["backup", &of_data, backups.to_str().unwrap()]).status.success());
    assert_says(&failing(onto, base, 1, &["data directory of rowhouse", "choose another place"]));
    assert_eq!(server.stop().code(), Some(0));
}
