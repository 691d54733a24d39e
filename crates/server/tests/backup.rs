//! Backups as an operator meets them: taken under load, shared, damaged, restored.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use crate::backups::{count, data_dir, data_file_bytes, fill, login, place, text};
use crate::support::{Running, ask_line, run, wait_until};

const ACCOUNTS: u64 = 40;
const MONEY: u64 = 1000;

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

/// Money moves between tables in transactions, tables come and go, and rows are inserted at two
/// other doors.
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
    let mut client = login(server);
    let ended = stop.clone();
    threads.push(std::thread::spawn(move || {
        while !ended.load(Ordering::Relaxed) {
            for statement in [
                "CREATE TABLE bank.passing (id INT PRIMARY KEY, n INT, KEY (n))",
                "INSERT INTO bank.passing VALUES (1, 1), (2, 1), (3, 2)",
                "ALTER TABLE bank.passing ADD COLUMN more INT, ADD KEY (more)",
                "DROP TABLE bank.passing",
            ] {
                client.query(statement).unwrap();
            }
        }
    }));
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
    // A compaction between two backups makes new files of old rows, but not of all.
    assert!(second[2] > first[2] && second[3] < first[2] / 2, "{second:?}");
    assert!(third[3] < first[2] / 2, "{third:?}");
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

/// Both need the lock, which is shared; only the place that is made is written to.
#[test]
fn backups_where_nobody_may_write_are_checked_and_restored() {
    let place = place();
    let server = place.server();
    fill(&server, 0..2000);
    place.backed_up(&[]);
    let directory = place.backups.parent().unwrap();
    let other = directory.join("other");
    fs::create_dir(&other).unwrap();
    // Of two names of the directory one is read-only, for root as for anybody.
    let script = "mount --bind \"$1\" \"$2\"; mount -o remount,ro,bind \"$2\"";
    let mounted = |script: &str| {
        let mut command = faults::in_namespace(script);
        crate::support::without_settings(&mut command);
        command
            .args([&place.backups, &other, &place.restored])
            .arg(crate::support::ROWHOUSE)
            .output()
    };
    match mounted(script) {
        Ok(output) if output.status.success() => {}
        _ => {
            eprintln!("not run: mount namespaces are not allowed here");
            return;
        }
    }
    let written = mounted(&format!("{script}; touch \"$2/file\"")).unwrap();
    assert!(text(&written.stderr).contains("Read-only file system"), "{}", text(&written.stderr));
    let read = mounted(&format!(
        "{script}; \"$4\" restore \"$2\" --data-dir \"$3\"; exec \"$4\" check --backup \"$2\""
    ))
    .unwrap();
    let said = text(&read.stdout);
    assert!(said.ends_with("no damage found\n"), "{said}{}", text(&read.stderr));
    assert!(said.contains("2000 rows"), "{said}");
    assert_eq!(count(&Running::start(&place.restored, &[])), 2000);
    assert_eq!(server.stop().code(), Some(0));
}
