//! Settings that are allowed, but surely not meant: they are told in the log at the start.
//!
//! Not here: what is refused (`Settings::new`, `load`).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::table::{self, SettingKind};
use super::value::size_text;
use super::{Settings, Values};

/// Everybody may read a file.
const READABLE_BY_ALL: u32 = 0o004;

/// What is to be told.
pub(super) fn of(settings: &Settings, values: &Values) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(machine) = machine_memory()
        && settings.memory > machine
    {
        let (memory, machine) = (size_text(settings.memory), machine >> 20);
        warnings.push(format!(
            "memory = {memory} is more than there is for this process, {machine} MiB: the system may \
             end it"
        ));
    }
    let mut secrets = table::all().filter(|setting| setting.kind == SettingKind::Secret);
    if !values.users.is_empty() || secrets.any(|setting| values.is_from_file(setting.name)) {
        for file in values.files.iter().filter(|file| is_readable_by_all(file)) {
            warnings.push(format!(
                "{} holds passwords, and every user of this machine can read it: chmod o-r",
                file.display()
            ));
        }
    }
    warnings
}

fn is_readable_by_all(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|about| about.permissions().mode() & READABLE_BY_ALL != 0)
}

/// Bytes of memory that this process can have: those of the machine, or of its control groups.
fn machine_memory() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = group_files(&groups).into_iter().filter_map(|file| {
        // `max`, where there is no limit.
        fs::read_to_string(file).ok()?.trim().parse::<u64>().ok()
    });
    machine.into_iter().chain(limits).min()
}

/// `MemTotal` of /proc/meminfo, in bytes.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// The files with the limits of a process's control group and of those above it, by
/// /proc/self/cgroup.
fn group_files(text: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in text.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(group)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            "memory" => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => continue,
        };
        let group = group.trim_start_matches('/');
        let all = Path::new(group).ancestors();
        files.extend(all.map(|group| Path::new(root).join(group).join(file)));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_beyond_the_machine_and_a_readable_file_with_passwords_were_not_told() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("rowhouse.toml");
        let text = "memory = '16TiB'\n[[users]]\nname = 'a'\npassword = 'b'\n";
        fs::write(&file, text).unwrap();
        let told = |mode| {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            let mut values = Values::defaults();
            values.read_file(&file).unwrap();
            Settings::new(&values).unwrap().warnings
        };
        let warnings = told(0o644);
        assert!(warnings[0].starts_with("memory = 16TiB is more than"), "{warnings:?}");
        assert!(warnings[1].ends_with("every user of this machine can read it: chmod o-r"));
        assert_eq!(told(0o640).len(), 1);
        fs::write(&file, "threads = 2\nmemory = '64MiB'\n").unwrap();
        assert_eq!(told(0o644), Vec::<String>::new());
        fs::write(&file, "handlersocket-secret = 's'\nmemory = '64MiB'\n").unwrap();
        assert_eq!(told(0o644).len(), 1);
    }

    #[test]
    fn the_memory_of_a_machine_and_of_its_groups_is_found() {
        assert_eq!(total("MemTotal:       16314144 kB\nMemFree: 1 kB\n"), Some(16_314_144 << 10));
        let files = group_files("0::/a/b\n");
        let expected = ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"];
        let expected: Vec<_> =
            expected.iter().map(|group| Path::new(group).join("memory.max")).collect();
        assert_eq!(files, expected);
        let old = group_files("9:memory:/x\n8:cpu:/y\n");
        assert_eq!(old[0], Path::new("/sys/fs/cgroup/memory/x/memory.limit_in_bytes"));
        assert!(machine_memory().is_some());
    }
}
