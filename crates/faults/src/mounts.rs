//! File systems of a test's own, in a mount namespace of the kernel.
//!
//! Invariants
//! 1. What is mounted in a namespace is seen by its processes only, and goes with them.
//!
//! Not here: calls that fail on any file system (`layer`).

use std::env;
use std::path::Path;
use std::process::Command;

/// A shell script that may mount what it likes. The arguments that are added are its `$1`, `$2`...
///
/// Running it fails where the user may not make namespaces.
pub fn in_namespace(script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-ec", script, "sh"]);
    command
}

/// Runs `child`, a test of the calling test program, with a tmpfs of these mount options, whose
/// directory it finds in the environment `variable`. Where namespaces are not allowed that is said,
/// and nothing is run.
///
/// # Panics
/// When the child fails, or is no test of the program.
pub fn on_small_disk(options: &str, variable: &str, child: &str) {
    let disk = tempfile::tempdir().expect("a directory");
    let program = env::current_exe().expect("a program runs");
    let run = |script: &str| {
        let mut command = in_namespace(script);
        command.arg(disk.path()).arg(&program).env(variable, disk.path()).status()
    };
    let mount = format!("mount -t tmpfs -o {options} none \"$1\"");
    if !run(&mount).is_ok_and(|status| status.success()) {
        eprintln!("not run: mount namespaces are not allowed here");
        return;
    }
    let name = name_of(&program, child);
    let script = format!("{mount}; \"$2\" --exact {name} --nocapture");
    assert!(run(&script).is_ok_and(|status| status.success()), "{child} failed");
}

/// The name of a test with the modules that it is in: a program that runs no test does not fail.
fn name_of(program: &Path, test: &str) -> String {
    let listed = Command::new(program).arg("--list").output().expect("the program lists its tests");
    let listed = String::from_utf8_lossy(&listed.stdout);
    let is_it = |name: &&str| name.rsplit("::").next() == Some(test);
    let mut names = listed.lines().filter_map(|line| line.strip_suffix(": test"));
    names.find(is_it).unwrap_or_else(|| panic!("{test} is no test of the program")).to_owned()
}
