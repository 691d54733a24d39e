//! What an operator meets: files that others cannot read, a hang-up, output whose reader has gone,
//! and refusals in words.

use std::fs::{self, Permissions};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::mysql::Mysql;

use crate::support::{
    ROWHOUSE, Running, ask_line, read_all, rowhouse, run, wait_until, without_settings,
};
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

#[test]
fn idle_clients_that_took_all_connections_no_longer_shut_out_the_operator() {
    let base = tempfile::tempdir().unwrap();
    let data = base.path().join("data");
    let server = Running::start(&data, &["--max-connections=40"]);
    let mut clients: Vec<_> = (0..60).map(|_| server.connect("memcached")).collect();
    let refused = clients.split_off(40);
    for mut client in refused {
        assert_eq!(read_all(&mut client), b"ERROR Too many open connections\r\n");
    }
    let data_dir = format!("--data-dir={}", data.display());
    let succeeds = |arguments: &[&str]| {
        let done = run(&[arguments, &[&data_dir]].concat());
        assert_eq!(done.status.code(), Some(0), "{arguments:?}: {}", text(&done.stderr));
        text(&done.stdout)
    };
    let status = succeeds(&["status"]);
    assert!(!status.contains('?'), "{status}");
    let all = succeeds(&["status", "--all"]);
    assert!(all.contains("\nmemcached_connections_refused 20\n"), "{all}");
    assert!(all.contains("\nconnections_max 40\n"), "{all}");
    succeeds(&["backup", base.path().join("backups").to_str().unwrap()]);
    assert!(succeeds(&["dump", "--quiet"]).contains("-- Dump completed"));
    // Clients on this machine may log in, and the data directory has a socket besides.
    let mut login = Mysql::login(server.connect("mysql")).expect("a place is kept");
    let most = login.query("SELECT @@max_connections").unwrap();
    assert_eq!(most, [[Some("40".to_owned())]]);
    let mut others: Vec<_> = (0..20).map(|_| server.connect("mysql")).collect();
    assert!(text(&read_all(&mut others[19])).contains("Too many connections"));
    let admin = std::os::unix::net::UnixStream::connect(data.join("admin.sock")).unwrap();
    assert!((&admin).read(&mut [0; 64]).unwrap() > 16, "it is greeted");
    assert!(succeeds(&["dump", "--quiet"]).contains("-- Dump completed"));
    // One line for each door, which says who it was, and who has the places.
    let log = server.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("WARN")).collect();
    let of = |door: &str| lines.iter().filter(|line| line.contains(door)).count();
    assert_eq!((of("door=\"memcached\""), of("door=\"mysql\"")), (1, 1), "{log}");
    for told in ["taken_at=memcached 40", "taken_from=127.0.0.1 40", "peer=\"127.0.0.1:"] {
        assert!(lines.iter().any(|line| line.contains(told)), "{told}: {log}");
    }
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn max_connections_was_set_and_changed_nothing() {
    let base = tempfile::tempdir().unwrap();
    let server = Running::start(base.path(), &["--max-connections=40"]);
    let mut first = Mysql::login(server.connect("mysql")).expect("a place");
    first.query("SET GLOBAL max_connections = 2").expect("set");
    assert_eq!(first.query("SELECT @@max_connections").unwrap(), [[Some("2".to_owned())]]);
    let shown = first.query("SHOW GLOBAL VARIABLES LIKE 'max_connections'").unwrap();
    assert_eq!(shown[0][1].as_deref(), Some("2"));
    let _second = Mysql::login(server.connect("mysql")).expect("a second place");
    let refused = read_all(&mut server.connect("mysql"));
    assert!(text(&refused).contains("Too many connections"));
    assert_eq!(ask_line(&mut server.connect("memcached"), "get a\r\n"), "END\r");
    // No more than the server was started for.
    first.query("SET GLOBAL max_connections = 1000").expect("set");
    let warned = first.query("SHOW WARNINGS").unwrap();
    let message = "Truncated incorrect max_connections value: '1000'";
    assert_eq!(warned[0][1..], [Some("1292".to_owned()), Some(message.to_owned())]);
    assert_eq!(first.query("SELECT @@max_connections").unwrap(), [[Some("40".to_owned())]]);
    Mysql::login(server.connect("mysql")).expect("a third place");
    first.query("SET GLOBAL max_connections = 3").expect("set");
    first.query("SET GLOBAL max_connections = DEFAULT").expect("set");
    assert_eq!(first.query("SELECT @@max_connections").unwrap(), [[Some("40".to_owned())]]);
}

#[test]
fn one_doors_clients_could_take_the_connections_of_all_doors() {
    let base = tempfile::tempdir().unwrap();
    let flags = ["--max-connections=40", "--memcached-max-connections=5"];
    let server = Running::start(base.path(), &flags);
    let mut clients: Vec<_> = (0..6).map(|_| server.connect("memcached")).collect();
    assert_eq!(read_all(&mut clients[5]), b"ERROR Too many open connections\r\n");
    wait_until("the log says which limit", || server.log().contains("at this door"));
    let mut other = server.connect("handlersocket");
    assert!(ask_line(&mut other, "P\t1\tno\tno\tPRIMARY\tid\n").starts_with("1\t1\t"));
    // A client that leaves makes room.
    drop(clients.remove(0));
    wait_until("there is room again", || {
        ask_line(&mut server.connect("memcached"), "get a\r\n") == "END\r"
    });
}

#[test]
fn a_start_after_a_crash_says_so_and_what_was_replayed() {
    let base = tempfile::tempdir().unwrap();
    let server = Running::start(base.path(), &["--durability=every-commit"]);
    assert!(!server.log().contains("good order"), "{}", server.log());
    let crashed = server.pid();
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    client.query("CREATE DATABASE d").unwrap();
    client.query("CREATE TABLE d.t (id INT PRIMARY KEY, s VARCHAR(200))").unwrap();
    for id in 0..50 {
        client.query(&format!("INSERT INTO d.t VALUES ({id}, REPEAT('s', 200))")).unwrap();
    }
    server.kill();
    let server = Running::start(base.path(), &[]);
    let log = server.log();
    let line = log.lines().find(|line| line.contains("did not end in good order"));
    let line = line.unwrap_or_else(|| panic!("{log}"));
    assert!(line.contains(&format!("process={crashed}")), "{line}");
    let figure = |name: &str| -> u64 {
        let words = line.split(' ').find_map(|word| word.strip_prefix(name));
        words.expect("a figure").parse().expect("a number")
    };
    assert!(figure("log_bytes=") > 50 * 200, "{line}");
    assert!(figure("batches=") >= 50, "{line}");
    figure("milliseconds=");
    // One that was stopped has ended in good order.
    assert_eq!(server.stop().code(), Some(0));
    assert!(!Running::start(base.path(), &[]).log().contains("good order"));
}

#[test]
fn systemd_is_told_of_the_start_the_life_and_the_end() {
    let base = tempfile::tempdir().unwrap();
    let path = base.path().join("notify");
    let socket = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(crate::support::PATIENCE)).unwrap();
    let heard = || {
        let mut bytes = [0; 100];
        let count = socket.recv(&mut bytes).expect("it is told");
        text(&bytes[..count])
    };
    let data = base.path().join("data");
    let flags = crate::support::flags(&data);
    let mut command = rowhouse(&flags.iter().map(String::as_str).collect::<Vec<_>>());
    command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "400000");
    let mut server = Running::start_command(&data, command);
    assert_eq!(heard(), "READY=1");
    for _ in 0..3 {
        assert_eq!(heard(), "WATCHDOG=1");
    }
    server.signal(Signal::TERM);
    loop {
        match &*heard() {
            "WATCHDOG=1" => {}
            told => break assert_eq!(told, "STOPPING=1"),
        }
    }
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn a_password_on_a_command_line_no_longer_stays_where_everybody_can_read_it() {
    // A server that says nothing, so that the command waits.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    for flag in [&["--password=opensesame"][..], &["--password", "opensesame"]] {
        let flags = ["dump", "--host=127.0.0.1", "--port", &port];
        let mut waiting = rowhouse(&[&flags[..], flag].concat())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let client = listener.accept().unwrap();
        let line = fs::read(format!("/proc/{}/cmdline", waiting.id())).unwrap();
        let line = text(&line);
        assert!(line.contains("dump") && !line.contains("opensesame"), "{line}");
        let environment = fs::read(format!("/proc/{}/environ", waiting.id())).unwrap();
        assert!(text(&environment).contains("MYSQL_PWD=opensesame"));
        waiting.kill().unwrap();
        waiting.wait().unwrap();
        drop(client);
    }
}

#[test]
fn a_socket_has_the_mode_and_group_that_its_setting_names() {
    let base = tempfile::tempdir().unwrap();
    let data = base.path().join("data");
    let group = rustix::process::getgid().as_raw();
    let (open, closed) = (base.path().join("open.sock"), base.path().join("closed.sock"));
    let flags = [
        format!("--mysql-socket={}", open.display()),
        "--mysql-socket-mode=0666".to_owned(),
        format!("--mysql-socket-group={group}"),
        format!("--memcached-socket={}", closed.display()),
    ];
    let server = Running::start(&data, &flags.each_ref().map(String::as_str));
    let about = |path: &Path| fs::metadata(path).unwrap();
    assert_eq!(about(&open).permissions().mode() & 0o777, 0o666);
    assert_eq!(std::os::unix::fs::MetadataExt::gid(&about(&open)), group);
    assert_eq!(about(&closed).permissions().mode() & 0o777, 0o600);
    assert_eq!(open_to_others(&data), [] as [&Path; 0]);
    drop(server);
    let refused = run(&["serve", "--mysql-socket-group=no-such-group"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("expected a group"), "{}", text(&refused.stderr));
}

#[test]
fn a_directory_that_cannot_be_looked_into_was_taken_for_none() {
    let base = tempfile::tempdir().unwrap();
    // A link to itself: for every user a path that cannot be followed.
    let circle = base.path().join("circle");
    std::os::unix::fs::symlink(&circle, &circle).unwrap();
    for command in ["check", "salvage"] {
        let refused = run(&[command, &format!("--data-dir={}", circle.display())]);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{said}");
        assert!(said.contains("cannot use the data directory"), "{command}: {said}");
        assert!(said.contains("symbolic links") && !said.contains("there is no"), "{said}");
    }
}
