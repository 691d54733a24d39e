//! A control group of the kernel with a limit of memory: a server in it has no more than this for
//! all it does, what the page cache keeps of its files included. Without it, files that are small
//! beside the machine's memory are never read from a disk.
//!
//! Invariants
//! 1. A server is in the group before it is the server, so that nothing it touches is counted
//!    elsewhere.
//! 2. A group is removed when it is dropped, which must be after its servers have ended.
//!
//! Both versions of control groups are known; making one takes root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, bail};

use super::server::started_by;

/// Where version 1 keeps the groups that limit memory, and version 2 all groups.
const VERSION_1: &str = "/sys/fs/cgroup/memory";
const VERSION_2: &str = "/sys/fs/cgroup";
/// What a shell does to go into the group whose list of processes is `$0` and become the rest.
const ENTER: &str = "echo $$ >\"$0\" && exec \"$@\"";

/// A group with a limit.
#[derive(Debug)]
pub struct MemoryGroup {
    directory: PathBuf,
    /// The version of control groups that it is one of.
    pub version: u32,
}

impl MemoryGroup {
    /// Makes a group whose processes together may use so many bytes.
    ///
    /// # Errors
    /// The kernel has no such groups, or this user may make none.
    pub fn new(bytes: u64) -> Result<MemoryGroup> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("rowhouse-lab-{}-{number}", std::process::id());
        let (root, version) = root()?;
        let directory = root.join(name);
        fs::create_dir(&directory).with_context(|| directory.display().to_string())?;
        // From here on it is removed again, whatever fails.
        let group = MemoryGroup { directory, version };
        let limit = if version == 1 { "memory.limit_in_bytes" } else { "memory.max" };
        group.set(limit, bytes)?;
        // Where memory can be swapped out, it must not be: that would be a second, slower limit.
        let swap = if version == 1 { ("memory.swappiness", 0) } else { ("memory.swap.max", 0) };
        if group.directory.join(swap.0).exists() {
            group.set(swap.0, swap.1)?;
        }
        Ok(group)
    }

    /// A command that goes into the group before it becomes this one.
    pub fn entering(&self, command: &Command) -> Command {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", ENTER]).arg(self.directory.join("cgroup.procs"));
        started_by(shell, command)
    }

    fn set(&self, name: &str, value: u64) -> Result<()> {
        let file = self.directory.join(name);
        fs::write(&file, value.to_string()).with_context(|| file.display().to_string())
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // One that still has a process stays; there is nobody left to tell.
        let _ = fs::remove_dir(&self.directory);
    }
}

/// Where groups are made, and of which version they are.
fn root() -> Result<(&'static Path, u32)> {
    let (first, second) = (Path::new(VERSION_1), Path::new(VERSION_2));
    if first.join("memory.limit_in_bytes").exists() {
        return Ok((first, 1));
    }
    let controllers = fs::read_to_string(second.join("cgroup.controllers")).unwrap_or_default();
    if !controllers.split_ascii_whitespace().any(|name| name == "memory") {
        bail!("the kernel has no groups that limit memory at {VERSION_2}");
    }
    // Groups below the root have what it hands down.
    fs::write(second.join("cgroup.subtree_control"), "+memory")
        .context("cgroup.subtree_control")?;
    Ok((second, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_in_a_group_keeps_its_arguments_and_is_counted_there() {
        // Root can make groups where the kernel has them; elsewhere, the reason is told.
        let group = match MemoryGroup::new(64 << 20) {
            Ok(group) => group,
            Err(error) => return assert!(format!("{error:#}").contains("/"), "{error:#}"),
        };
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "cat /proc/self/cgroup; echo \"$1\"", "sh", "two words"]);
        let said = group.entering(&command).output().expect("a shell");
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let name = group.directory.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(said.contains(&name) && said.ends_with("two words\n"), "{said}");
        let directory = group.directory.clone();
        drop(group);
        assert!(!directory.exists());
    }
}
