//! Backups as an operator meets them: taken under load, interrupted, damaged, restored.

#[path = "support/mysql.rs"]
mod mysql;
mod support;

use std::collections::HashSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use mysql::Mysql;
use support::{Running, ask_line, rowhouse, run, wait_until};

const ACCOUNTS: u64 = 40;
const MONEY: u64 = 1000;

struct Place {
    _directory: tempfile::TempDir,
    data: PathBuf,
    backups: PathBuf,
    restored: PathBuf,
}

fn place() -> Place {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    Place {
        data: path("data"),
        backups: path("backups"),
        restored: path("new"),
        _directory: directory,
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn data_dir(path: &Path) -> String {
    format!("--data-dir={}", path.display())
}

impl Place {
    fn backup(&self, more: &[&str]) -> Output {
        let data = data_dir(&self.data);
        let mut arguments = vec!["backup", self.backups.to_str().unwrap(), &data];
        arguments.extend(more);
        run(&arguments)
    }

    fn backed_up(&self, more: &[&str]) -> String {
        let output = self.backup(more);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    }

    fn restore(&self, more: &[&str]) -> Output {
        let data = data_dir(&self.restored);
        let mut arguments = vec!["restore", self.backups.to_str().unwrap(), &data];
        arguments.extend(more);
        run(&arguments)
    }

    fn restored(&self, more: &[&str]) -> Running {
        let output = self.restore(more);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        Running::start(&self.restored, &[])
    }

    fn check_backup(&self, more: &[&str]) -> Output {
        let mut arguments = vec!["check", "--backup", self.backups.to_str().unwrap()];
        arguments.extend(more);
        run(&arguments)
    }

    fn is_sound(&self, more: &[&str]) {
        let output = self.check_backup(more);
        let said = text(&output.stdout);
        assert!(said.ends_with("no damage found\n"), "{said}{}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(0));
    }

    /// Number, files, bytes and new bytes of each backup.
    fn list(&self) -> Vec<[u64; 4]> {
        let output = run(&["backup", self.backups.to_str().unwrap(), "--list"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let lines = text(&output.stdout);
        let line = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            [0, 3, 4, 5].map(|position: usize| words[position].parse().unwrap())
        };
        lines.lines().skip(1).map(line).collect()
    }

    /// Starts the command in the background.
    fn begin(&self, arguments: &[&str]) -> Child {
        rowhouse(arguments)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the program starts")
    }

    fn server(&self) -> Running {
        Running::start(&self.data, &[])
    }
}

fn login(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).unwrap()
}

/// A table of rows that do not compress, about 1 KiB each.
fn fill(server: &Running, rows: std::ops::Range<u64>) {
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

fn noise(seed: u64) -> String {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        format!("{random:016x}")
    };
    (0..125).map(|_| next()).collect()
}

fn count(server: &Running) -> u64 {
    let rows = login(server).query("SELECT COUNT(*) FROM big.t").unwrap();
    rows[0][0].as_deref().unwrap().parse().unwrap()
}

/// Bytes of the data files of backups, each counted once however many links it has.
fn data_file_bytes(directory: &Path) -> u64 {
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

struct Load {
    stop: Arc<AtomicBool>,
    /// Last numbers acknowledged at the HandlerSocket and memcached doors.
    inserted: Arc<AtomicU64>,
    set: Arc<AtomicU64>,
    moved: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

fn bank(server: &Running) {
    let mut client = login(server);
    client.query("CREATE DATABASE bank").unwrap();
    for table in ["current", "savings"] {
        client
            .query(&format!(
                "CREATE TABLE bank.{table} (id INT PRIMARY KEY, money BIGINT, KEY (money))"
            ))
            .unwrap();
        for id in 0..ACCOUNTS {
            client.query(&format!("INSERT INTO bank.{table} VALUES ({id}, {MONEY})")).unwrap();
        }
    }
    client.query("CREATE TABLE bank.log (id BIGINT PRIMARY KEY, words VARCHAR(50))").unwrap();
}

/// Money moves between tables in transactions; rows are inserted at two other doors.
fn load(server: &Running) -> Load {
    let shared = || Arc::new(AtomicU64::new(0));
    let (inserted, set, moved) = (shared(), shared(), shared());
    let stop = Arc::new(AtomicBool::new(false));
    let mut threads = Vec::new();
    for mover in 0..3u64 {
        let mut client = login(server);
        let (stop, moved) = (stop.clone(), moved.clone());
        threads.push(std::thread::spawn(move || {
            let mut round = mover;
            while !stop.load(Ordering::Relaxed) {
                round += 3;
                let (from, to) = (round * 7 % ACCOUNTS, round * 11 % ACCOUNTS);
                let steps = [
                    "BEGIN".to_owned(),
                    format!("UPDATE bank.current SET money = money - 1 WHERE id = {from}"),
                    format!("UPDATE bank.savings SET money = money + 1 WHERE id = {to}"),
                    "COMMIT".to_owned(),
                ];
                if steps.iter().all(|step| client.query(step).is_ok()) {
                    moved.fetch_add(1, Ordering::Relaxed);
                } else if client.query("ROLLBACK").is_err() {
                    return;
                }
            }
        }));
    }
    let mut client = server.connect("handlersocket-write");
    assert_eq!(ask_line(&mut client, "P\t1\tbank\tlog\tPRIMARY\tid,words\n"), "0\t1");
    let (ended, last) = (stop.clone(), inserted.clone());
    threads.push(std::thread::spawn(move || {
        for id in 1.. {
            if ended.load(Ordering::Relaxed) {
                return;
            }
            let reply = ask_line(&mut client, &format!("1\t+\t2\t{id}\tw{id}\n"));
            assert!(reply.starts_with("0\t1"), "{reply}");
            last.store(id, Ordering::SeqCst);
        }
    }));
    let mut client = server.connect("memcached");
    let (ended, last) = (stop.clone(), set.clone());
    threads.push(std::thread::spawn(move || {
        for id in 1.. {
            if ended.load(Ordering::Relaxed) {
                return;
            }
            assert_eq!(ask_line(&mut client, &format!("set k{id} 0 0 1\r\nx\r\n")), "STORED\r");
            last.store(id, Ordering::SeqCst);
        }
    }));
    Load { stop, inserted, set, moved, threads }
}

impl Load {
    fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            thread.join().unwrap();
        }
    }
}

#[test]
fn a_backup_under_load_is_one_moment_of_all_tables() {
    let place = place();
    let server = place.server();
    bank(&server);
    let load = load(&server);
    for number in 1..=4 {
        let before = load.moved.load(Ordering::Relaxed);
        wait_until("money moves", || load.moved.load(Ordering::Relaxed) > before + 50);
        let inserted = load.inserted.load(Ordering::SeqCst);
        let set = load.set.load(Ordering::SeqCst);
        place.backed_up(&[]);
        let number = format!("--number={number}");
        place.is_sound(&[&number]);
        let restored = place.restored(&[&number]);
        let mut client = login(&restored);
        let sums =
            "SELECT (SELECT SUM(money) FROM bank.current) + (SELECT SUM(money) FROM bank.savings)";
        let sum = client.query(sums).unwrap();
        assert_eq!(sum[0][0].as_deref(), Some((2 * ACCOUNTS * MONEY).to_string().as_str()));
        let last = client.query("SELECT COUNT(*), MAX(id) FROM bank.log").unwrap();
        assert_eq!(last[0][0], last[0][1], "none is missing");
        assert!(last[0][1].as_deref().unwrap().parse::<u64>().unwrap() >= inserted);
        let mut cache = restored.connect("memcached");
        if set > 0 {
            assert_eq!(
                ask_line(&mut cache, &format!("get k{set}\r\n")),
                format!("VALUE k{set} 0 1\r")
            );
        }
        assert_eq!(restored.stop().code(), Some(0));
        fs::remove_dir_all(&place.restored).unwrap();
    }
    load.end();
    assert!(!place.data.join("backup").exists());
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_second_backup_has_only_new_files_of_its_own_and_keeps_them_when_the_first_goes() {
    let place = place();
    let server = place.server();
    fill(&server, 0..20_000);
    place.backed_up(&[]);
    fill(&server, 20_000..20_500);
    place.backed_up(&[]);
    // Without a server, the program makes the checkpoint itself.
    assert_eq!(server.stop().code(), Some(0));
    place.backed_up(&[]);
    let [first, second, third] = place.list()[..] else { panic!("three backups") };
    assert_eq!([first[0], second[0], third[0]], [1, 2, 3]);
    assert!(first[2] > 20_000_000 && first[3] == first[2], "{first:?}");
    assert!(second[2] > first[2] && second[3] < first[2] / 10, "{second:?}");
    assert!(third[3] < first[2] / 10, "{third:?}");
    assert_eq!(data_file_bytes(&place.backups), first[3] + second[3] + third[3]);
    let said = place.backed_up(&["--keep=2"]);
    assert!(said.contains("backup 1 removed") && said.contains("backup 2 removed"), "{said}");
    assert_eq!(place.list().len(), 2);
    place.is_sound(&["--number=3"]);
    let restored = place.restored(&["--number=3"]);
    assert_eq!(count(&restored), 20_500);
    assert_eq!(restored.stop().code(), Some(0));
    let refused = place.restore(&[]);
    assert_eq!(refused.status.code(), Some(1), "something is there");
}

#[test]
fn a_backup_whose_list_is_damaged_takes_no_other_ones_place() {
    let place = place();
    let server = place.server();
    fill(&server, 0..100);
    for _ in 0..3 {
        place.backed_up(&[]);
    }
    let list = place.backups.join("3").join("BACKUP");
    let mut bytes = fs::read(&list).unwrap();
    bytes[40] ^= 1;
    fs::write(&list, bytes).unwrap();
    let said = place.backed_up(&["--keep=2"]);
    assert!(said.contains("backup 1 removed"), "{said}");
    assert!(!said.contains("backup 2 removed") && !said.contains("backup 3 removed"), "{said}");
    place.is_sound(&["--number=2"]);
    place.is_sound(&["--number=4"]);
}

#[test]
fn a_full_backup_shares_nothing_and_its_damaged_file_is_named() {
    let place = place();
    let server = place.server();
    fill(&server, 0..3000);
    place.backed_up(&[]);
    fill(&server, 3000..3100);
    place.backed_up(&["--full"]);
    let rows = place.backups.join("2/rows");
    let is_data = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "sst");
    let files = || fs::read_dir(&rows).unwrap().map(|entry| entry.unwrap().path());
    for file in files() {
        assert_eq!(fs::metadata(&file).unwrap().nlink(), 1, "{}", file.display());
    }
    let file =
        files().filter(is_data).max_by_key(|file| fs::metadata(file).unwrap().len()).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&file, bytes).unwrap();
    let checked = place.check_backup(&[]);
    assert_eq!(checked.status.code(), Some(1));
    let expected = format!("damaged: {}: its bytes have changed\n", file.display());
    assert!(text(&checked.stdout).contains(&expected), "{}", text(&checked.stdout));
    let refused = place.restore(&[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains(&file.display().to_string()));
    place.is_sound(&["--number=1"]);
    let restored = place.restored(&["--number=1"]);
    assert_eq!(count(&restored), 3000);
    fs::remove_file(&file).unwrap();
    assert_eq!(place.check_backup(&["--number=2"]).status.code(), Some(1));
}

#[test]
fn a_restored_data_directory_that_went_on_shares_no_file_of_the_same_name_but_other_bytes() {
    let place = place();
    let server = place.server();
    fill(&server, 0..2000);
    place.backed_up(&[]);
    let restored = place.restored(&[]);
    // Both go on and give their next files the same numbers.
    fill(&server, 2000..3000);
    fill(&restored, 5000..7000);
    place.backed_up(&[]);
    let other = data_dir(&place.restored);
    let taken = run(&["backup", place.backups.to_str().unwrap(), &other]);
    assert_eq!(taken.status.code(), Some(0), "{}", text(&taken.stderr));
    assert_eq!(restored.stop().code(), Some(0));
    fs::remove_dir_all(&place.restored).unwrap();
    for (number, rows) in [(1, 2000), (2, 3000), (3, 4000)] {
        let number = format!("--number={number}");
        place.is_sound(&[&number]);
        let restored = place.restored(&[&number]);
        assert_eq!(count(&restored), rows);
        assert_eq!(restored.stop().code(), Some(0));
        fs::remove_dir_all(&place.restored).unwrap();
    }
}

#[test]
fn a_killed_backup_is_no_backup_and_the_next_one_is_whole() {
    let place = place();
    let server = place.server();
    fill(&server, 0..10_000);
    place.backed_up(&[]);
    let (data, unfinished) = (data_dir(&place.data), place.backups.join("unfinished"));
    let mut in_the_middle = 0;
    for _ in 0..10 {
        let directory = place.backups.to_str().unwrap();
        let mut command = place.begin(&["backup", directory, &data, "--full"]);
        wait_until("it copies", || unfinished.exists() || command.try_wait().unwrap().is_some());
        command.kill().unwrap();
        command.wait().unwrap();
        in_the_middle += u32::from(unfinished.exists());
        wait_until("the server removes the checkpoint", || !place.data.join("backup").exists());
    }
    assert!(in_the_middle > 0);
    let complete = place.list().len();
    assert_eq!(complete as u32, 1 + 10 - in_the_middle);
    fill(&server, 10_000..10_100);
    place.backed_up(&["--keep=1"]);
    assert!(!unfinished.exists());
    place.is_sound(&[]);
    let restored = place.restored(&[]);
    assert_eq!(count(&restored), 10_100);
    assert_eq!(restored.stop().code(), Some(0));
}

#[test]
fn a_killed_restore_is_no_data_directory_and_can_be_repeated() {
    let place = place();
    let server = place.server();
    fill(&server, 0..10_000);
    place.backed_up(&[]);
    assert_eq!(server.stop().code(), Some(0));
    let (data, restoring) = (data_dir(&place.restored), place.restored.join("restoring"));
    let mut in_the_middle = 0;
    for _ in 0..10 {
        let mut command = place.begin(&["restore", place.backups.to_str().unwrap(), &data]);
        wait_until("it copies", || restoring.exists() || command.try_wait().unwrap().is_some());
        command.kill().unwrap();
        command.wait().unwrap();
        if restoring.exists() {
            in_the_middle += 1;
            for command in ["serve", "check"] {
                let refused = run(&[command, &data]);
                assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stderr));
            }
        } else {
            fs::remove_dir_all(&place.restored).unwrap();
        }
    }
    assert!(in_the_middle > 0);
    let restored = place.restored(&[]);
    assert_eq!(count(&restored), 10_000);
    assert_eq!(restored.stop().code(), Some(0));
}

#[test]
fn a_server_killed_during_a_backup_leaves_whole_backups_and_starts_again() {
    let place = place();
    let mut rows = 3000;
    for round in 0..6 {
        let server = place.server();
        if round == 0 {
            fill(&server, 0..rows);
        }
        fill(&server, rows..rows + 500);
        rows += 500;
        let data = data_dir(&place.data);
        let mut command = place.begin(&["backup", place.backups.to_str().unwrap(), &data]);
        let moment = match round % 2 {
            0 => place.data.join("backup"),
            _ => place.backups.join("unfinished"),
        };
        wait_until("it begins", || moment.exists() || command.try_wait().unwrap().is_some());
        server.kill();
        let taken = command.wait().unwrap().success();
        assert!(taken || round % 2 == 0, "the checkpoint was there already");
    }
    let server = place.server();
    assert_eq!(count(&server), rows);
    wait_until("leftovers go", || !place.data.join("backup").exists());
    place.backed_up(&[]);
    assert_eq!(server.stop().code(), Some(0));
    for backup in place.list() {
        place.is_sound(&[&format!("--number={}", backup[0])]);
    }
    let restored = place.restored(&[]);
    assert_eq!(count(&restored), rows);
}

#[test]
fn what_is_no_place_for_backups_is_refused_and_left_alone() {
    let place = place();
    let server = place.server();
    fs::create_dir(&place.backups).unwrap();
    fs::write(place.backups.join("letter.txt"), "dear").unwrap();
    let refused = place.backup(&[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("holds no backups of rowhouse"));
    assert_eq!(fs::read_dir(&place.backups).unwrap().count(), 1);
    let inside = place.data.join("backups");
    let refused = run(&["backup", inside.to_str().unwrap(), &data_dir(&place.data)]);
    assert!(text(&refused.stderr).contains("must not lie in the data directory"));
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(place.restore(&[]).status.code(), Some(1));
    assert_eq!(place.check_backup(&[]).status.code(), Some(1));
    assert_eq!(run(&["backup", "x", "--keep=0"]).status.code(), Some(2));
    fs::remove_file(place.backups.join("letter.txt")).unwrap();
    place.backed_up(&[]);
    let lock = fs::File::open(place.backups.join("rowhouse-backups")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    assert_eq!(place.backup(&[]).status.code(), Some(3));
    assert_eq!(place.restore(&[]).status.code(), Some(3));
    drop(lock);
    let missing = place.restore(&["--number=7"]);
    assert!(text(&missing.stderr).contains("there is no backup 7 in"));
    assert_eq!(server.stop().code(), Some(0));
}

/// Damages the log where it was synced, as no crash does.
fn damage_log(rows: &Path) {
    let logs = fs::read_dir(rows).unwrap().map(|entry| entry.unwrap().path());
    let logs = logs.filter(|path| path.extension().is_some_and(|ending| ending == "log"));
    let log = logs.max_by_key(|path| fs::metadata(path).unwrap().len()).unwrap();
    let file = fs::OpenOptions::new().read(true).write(true).open(log).unwrap();
    let middle = file.metadata().unwrap().len() / 2;
    use std::os::unix::fs::FileExt as _;
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

const SMALL_DISK: &str = "ROWS_BACKUP_SMALL_DISK";

/// The child's part; without the environment, nothing.
#[test]
fn a_child_backs_up_to_its_small_disk() {
    let Ok(disk) = std::env::var(SMALL_DISK) else {
        return;
    };
    let mut place = place();
    place.backups = Path::new(&disk).join("backups");
    place.restored = Path::new(&disk).join("new");
    let server = place.server();
    fill(&server, 0..10_000);
    place.backed_up(&[]);
    let full = place.backup(&["--full"]);
    assert_eq!(full.status.code(), Some(1));
    assert!(text(&full.stderr).contains("the disk is full"), "{}", text(&full.stderr));
    assert_eq!(place.list().len(), 1);
    assert!(!place.backups.join("unfinished").exists());
    let full = place.restore(&[]);
    assert_eq!(full.status.code(), Some(1));
    assert!(text(&full.stderr).contains("the disk is full"), "{}", text(&full.stderr));
    let refused = run(&["check", &data_dir(&place.restored)]);
    assert_eq!(refused.status.code(), Some(1), "no half restore");
    // Nothing was spoiled: the next one fits, since it shares.
    place.backed_up(&[]);
    assert_eq!(place.list().len(), 2);
    place.is_sound(&["--number=1"]);
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_full_disk_is_told_and_leaves_earlier_backups_whole() {
    let disk = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=16m none \"$1\"";
    let in_namespace = |script: &str| {
        let mut command = std::process::Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-ec", script, "sh"]);
        command.arg(disk.path()).arg(std::env::current_exe().unwrap());
        command.env(SMALL_DISK, disk.path()).status()
    };
    match in_namespace(script) {
        Ok(status) if status.success() => {}
        _ => {
            let _ = writeln!(std::io::stderr(), "not run: mount namespaces are not allowed here");
            return;
        }
    }
    let run = format!("{script}; \"$2\" --exact a_child_backs_up_to_its_small_disk --nocapture");
    assert!(in_namespace(&run).unwrap().success());
}
