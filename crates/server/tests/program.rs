//! The program as its users meet it: start, ready line, refusals, status, stop, check.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::mysql::Mysql;
use crate::support::{
    PATIENCE, ROWHOUSE, Running, ask_line, figure, flags, read_all, rowhouse, run, wait_until,
};
use rustix::process::Signal;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_server_starts_answers_and_stops_in_good_order() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let pid_file = directory.path().join("pid");
    let pid_flag = format!("--pid-file={}", pid_file.display());
    let server = Running::start(&data_dir, &[&pid_flag]);
    assert_eq!(std::fs::read_to_string(&pid_file).unwrap(), format!("{}\n", server.pid()));
    let mut client = server.connect("handlersocket");
    let reply = ask_line(&mut client, "P\t1\tno_database\tno_table\tPRIMARY\tid\n");
    assert!(reply.starts_with("1\t1\t"), "{reply}");
    let mut status = run(&["status", &format!("--data-dir={}", data_dir.display())]);
    assert!(status.status.success(), "{}", text(&status.stderr));
    let overview = text(&status.stdout);
    assert!(overview.contains(server.address("handlersocket-write")), "{overview}");
    status = run(&["status", "--all", &format!("--data-dir={}", data_dir.display())]);
    let all = text(&status.stdout);
    assert!(all.contains("\nhandlersocket_requests 1\n"), "{all}");
    assert!(all.contains(&format!("\npid {}\n", server.pid())), "{all}");
    assert_eq!(server.stop().code(), Some(0));
    assert_eq!(read_all(&mut client), b"");
    assert!(!pid_file.exists());
    assert!(!data_dir.join("status.sock").exists());
    let checked = run(&["check", &format!("--data-dir={}", data_dir.display())]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    assert!(text(&checked.stdout).ends_with("no damage found\n"));
    let asked = run(&["status", &format!("--data-dir={}", data_dir.display())]);
    assert_eq!(asked.status.code(), Some(1));
    assert!(text(&asked.stderr).contains("no server answers"));
}

#[test]
fn a_stop_under_load_is_never_a_death_by_a_signal() {
    // It was, now and then: threads that still ran met the destructors of the C++ library.
    let ended = AtomicBool::new(false);
    let begin = Instant::now();
    // Bounded in time as well, for when an assertion below fails.
    let busy = || {
        while !ended.load(Ordering::Relaxed) && begin.elapsed() < PATIENCE {
            std::hint::spin_loop();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(busy);
        }
        let codes: Vec<Option<i32>> = (0..10)
            .map(|round| {
                let directory = tempfile::tempdir().unwrap();
                let server = Running::start(directory.path(), &[]);
                let mut client = server.connect("memcached");
                assert_eq!(ask_line(&mut client, "set a 0 0 1\r\nx\r\n"), "STORED\r");
                if round % 2 == 0 {
                    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
                    assert_eq!(sql.query("SELECT COUNT(*) FROM kv.cache").unwrap().len(), 1);
                }
                server.stop().code()
            })
            .collect();
        ended.store(true, Ordering::Relaxed);
        assert_eq!(codes, [Some(0); 10]);
    });
}

#[test]
fn a_second_start_on_the_same_directory_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let arguments = flags(directory.path());
    let second = rowhouse(&[]).args(&arguments).output().unwrap();
    assert_eq!(second.status.code(), Some(3));
    let why = text(&second.stderr);
    let expected = format!("is in use by process {}; stop that one first", server.pid());
    assert!(why.contains(&expected), "{why}");
    let checked = run(&["check", &format!("--data-dir={}", directory.path().display())]);
    assert_eq!(checked.status.code(), Some(3), "check needs the directory for itself");
    assert_eq!(server.stop().code(), Some(0));
    // And after the first has gone, it starts.
    assert_eq!(Running::start(directory.path(), &[]).stop().code(), Some(0));
}

#[test]
fn unknown_settings_are_errors_that_name_them() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("rowhouse.toml");
    std::fs::write(&file, "mysqlport = 3307\n").unwrap();
    let refused = run(&["serve", "--config", file.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("unknown setting `mysqlport`; is `mysql-port` meant?"));
    let refused = rowhouse(&["serve"]).env("ROWHOUSE_MYSQLPORT", "1").output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("ROWHOUSE_MYSQLPORT"));
    let refused = run(&["serve", "--mysqlport=1"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--mysqlport"));
    let refused = run(&["serve", "--durability=mostly"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("expected every-commit, every-second or os"));
}

#[test]
fn doors_are_closed_by_off_and_by_port_zero_and_open_on_sockets() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let socket = directory.path().join("mysql.sock");
    let memcached = directory.path().join("memcached.sock");
    let file = directory.path().join("rowhouse.toml");
    let settings = format!(
        "data-dir = '{}'\nmysql-port = 0\nmysql-socket = '{}'\nmemory = '64MiB'\n\
         handlersocket-port = 'off'\nhandlersocket-write-port = 'auto'\nmemcached-port = 0\ntyrant-port = 0\n\
         memcached-socket = '{}'\n",
        data_dir.display(),
        socket.display(),
        memcached.display()
    );
    std::fs::write(&file, settings).unwrap();
    let arguments = ["serve", "--config", file.to_str().unwrap()];
    let server = Running::start_with(&data_dir, &arguments);
    assert!(!server.has("mysql") && !server.has("handlersocket") && !server.has("memcached"));
    assert!(server.has("handlersocket-write"));
    assert_eq!(server.address("mysql-socket"), socket.to_str().unwrap());
    let mut client = std::os::unix::net::UnixStream::connect(&socket).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut header = [0; 5];
    client.read_exact(&mut header).unwrap();
    assert_eq!(header[4], 10, "a greeting of protocol version 10");
    assert_eq!(server.address("memcached-socket"), memcached.to_str().unwrap());
    let mut client = std::os::unix::net::UnixStream::connect(&memcached).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    client.write_all(b"set k 0 0 1\r\nv\r\nget k\r\nquit\r\n").unwrap();
    assert_eq!(text(&read_all(&mut client)), "STORED\r\nVALUE k 0 1\r\nv\r\nEND\r\n");
    assert_eq!(server.stop().code(), Some(0));
    assert!(!socket.exists() && !memcached.exists());
}

#[test]
fn a_public_address_without_users_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut arguments = flags(directory.path());
    arguments.push("--listen=0.0.0.0".into());
    let refused = rowhouse(&[]).args(&arguments).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("configure [[users]]"));
}

#[test]
fn a_port_in_use_is_told_at_once_with_the_setting_that_moves_it() {
    let directory = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    for door in ["handlersocket", "memcached"] {
        let mut arguments = flags(directory.path());
        arguments.retain(|flag| *flag != format!("--{door}-port=auto"));
        arguments.push(format!("--{door}-port={port}"));
        let refused = rowhouse(&[]).args(&arguments).output().unwrap();
        assert_eq!(refused.status.code(), Some(1));
        let why = text(&refused.stderr);
        let expected = format!(
            "the {door} door cannot listen on 127.0.0.1:{port}: set {door}-port to another port, \
             or to off"
        );
        assert!(why.contains(&expected), "{why}");
    }
}

#[test]
fn an_item_above_the_limit_is_refused_in_memcached_words() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--memcached-item-max=64KiB"]);
    let mut client = server.connect("memcached");
    let fits = format!("set k 0 0 60000\r\n{}\r\n", "x".repeat(60_000));
    assert_eq!(ask_line(&mut client, &fits), "STORED\r");
    let too_large = format!("add l 0 0 70000\r\n{}\r\n", "x".repeat(70_000));
    assert_eq!(ask_line(&mut client, &too_large), "SERVER_ERROR object too large for cache\r");
    client.write_all(b"stats settings\r\nquit\r\n").unwrap();
    let settings = text(&read_all(&mut client));
    assert!(settings.contains("STAT item_size_max 65536\r\n"), "{settings}");
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_directory_with_other_files_is_refused_untouched() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("letter.txt"), "dear").unwrap();
    let refused = rowhouse(&[]).args(flags(directory.path())).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("choose another"));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_second_signal_ends_the_server_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Running::start(directory.path(), &["--shutdown-timeout=1h"]);
    // A request that has begun to arrive is not one that has arrived: this does not hold it up.
    let mut client = server.connect("handlersocket");
    client.write_all(b"P\t1\thalf a requ").unwrap();
    server.signal(Signal::INT);
    // The first signal alone is enough here; a second one may find the process gone.
    let pid = rustix::process::Pid::from_raw(server.pid() as i32).unwrap();
    let _ = rustix::process::kill_process(pid, Signal::INT);
    let code = server.wait().code();
    assert!(code == Some(0) || code == Some(1), "{code:?}");
}

#[test]
fn a_hostile_line_is_answered_or_cut_off_and_costs_nobody_else() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--handlersocket-max-line=64KiB"]);
    let mut hostile = server.connect("handlersocket");
    let piece = vec![b'x'; 64 * 1024];
    let since = Instant::now();
    while hostile.write_all(&piece).is_ok() {
        assert!(since.elapsed() < PATIENCE, "nobody stops it");
    }
    let mut other: TcpStream = server.connect("handlersocket");
    let reply = ask_line(&mut other, "P\t1\tno_database\tno_table\tPRIMARY\tid\n");
    assert!(reply.starts_with("1\t1\t"), "{reply}");
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn the_version_is_printed() {
    let printed = std::process::Command::new(ROWHOUSE).arg("version").output().unwrap();
    assert_eq!(text(&printed.stdout), format!("rowhouse {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_stop_finishes_the_statement_that_waits_and_undoes_the_transaction_that_idles() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut idle = Mysql::login(server.connect("mysql")).unwrap();
    idle.query("CREATE DATABASE d").unwrap();
    idle.query("CREATE TABLE d.t (id INT PRIMARY KEY, v INT)").unwrap();
    idle.query("INSERT INTO d.t VALUES (1, 10)").unwrap();
    idle.query("BEGIN").unwrap();
    idle.query("UPDATE d.t SET v = 20 WHERE id = 1").unwrap();
    let mut waiting = Mysql::login(server.connect("mysql")).unwrap();
    let offloaded = || figure(directory.path(), "mysql_offloaded");
    let before = offloaded();
    waiting.send_query("UPDATE d.t SET v = v + 1 WHERE id = 1").unwrap();
    wait_until("it waits for the row", || offloaded() > before);
    server.signal(Signal::TERM);
    waiting.result().unwrap();
    assert!(idle.query("COMMIT").is_err());
    let mut server = server;
    assert_eq!(server.wait().code(), Some(0));
    let server = Running::start(directory.path(), &[]);
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    let rows = client.query("SELECT v FROM d.t").unwrap();
    assert_eq!(rows, [[Some("11".to_owned())]]);
    assert_eq!(server.stop().code(), Some(0));
}

/// A figure that the server reports of itself.
#[test]
fn requests_above_the_limit_are_refused_in_mysqls_words() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--max-allowed-packet=64KiB"]);
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    let fits = format!("SELECT LENGTH('{}')", "x".repeat(60_000));
    assert_eq!(client.query(&fits).unwrap(), [[Some("60000".to_owned())]]);
    let too_large = format!("SELECT LENGTH('{}')", "x".repeat(70_000));
    let refused = client.query(&too_large).unwrap_err();
    assert!(refused.to_string().starts_with("error 1153: "), "{refused}");
    assert!(client.query("SELECT 1").is_err(), "the connection is closed");
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn users_that_are_configured_are_the_only_ones() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("rowhouse.toml");
    std::fs::write(&file, "[[users]]\nname = 'app'\npassword = 'secret'\n").unwrap();
    let config = format!("--config={}", file.display());
    let server = Running::start(&directory.path().join("data"), &[&config]);
    let refused = Mysql::login(server.connect("mysql")).err().expect("root may not come in");
    assert!(refused.to_string().starts_with("error 1045: "), "{refused}");
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_thousand_idle_clients_of_every_door_do_not_hold_up_a_query() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut idle = Vec::new();
    for number in 0..1000 {
        let door = ["mysql", "handlersocket", "handlersocket-write"][number % 3];
        idle.push(server.connect(door));
    }
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    assert_eq!(client.query("SELECT 1").unwrap(), [[Some("1".to_owned())]]);
    wait_until("all are counted", || figure(directory.path(), "connections") >= 1001);
    assert_eq!(server.stop().code(), Some(0));
}
