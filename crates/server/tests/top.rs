//! `rowhouse top`: on a pseudo-terminal as over ssh, and for scripts.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::mysql::Mysql;
use crate::support::{PATIENCE, Running, rowhouse, run, wait_until};

/// `rowhouse top` on a terminal of its own.
struct Terminal {
    ours: File,
    theirs: File,
    child: Child,
    shown: Arc<Mutex<String>>,
}

impl Terminal {
    fn start(server: &Running, columns: u16, lines: u16) -> Terminal {
        let size = winsize(columns, lines);
        let (mut ours, mut theirs) = (0, 0);
        #[expect(unsafe_code, reason = "a pseudo-terminal is the C library's")]
        // SAFETY: the descriptors and the size outlive the call; name and attributes are left out.
        let made = unsafe {
            let none = std::ptr::null_mut();
            libc::openpty(&raw mut ours, &raw mut theirs, none, std::ptr::null(), &raw const size)
        };
        assert_eq!(made, 0, "{}", std::io::Error::last_os_error());
        #[expect(unsafe_code, reason = "files of the descriptors that were just made")]
        // SAFETY: both are open, and nobody else has them.
        let (ours, theirs) = unsafe { (File::from_raw_fd(ours), File::from_raw_fd(theirs)) };
        let mut command = rowhouse(&["top", &format!("--data-dir={}", server.data_dir.display())]);
        command.stdin(theirs.try_clone().unwrap()).stdout(theirs.try_clone().unwrap());
        let child = command.spawn().unwrap();
        drop(command);
        let shown = Arc::new(Mutex::new(String::new()));
        let (mut reads, text) = (ours.try_clone().unwrap(), Arc::clone(&shown));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reads.read(&mut bytes) {
                text.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        Terminal { ours, theirs, child, shown }
    }

    /// The last whole screen.
    fn screen(&self) -> Vec<String> {
        let shown = self.shown.lock().unwrap();
        let whole = shown.rfind("\x1b[J").map_or("", |end| &shown[..end]);
        let begin = whole.rfind("\x1b[H").map_or(0, |begin| begin + 3);
        // The terminal itself puts a carriage return before each end of a line.
        let lines = whole[begin..].split('\n');
        lines.map(|line| line.replace("\x1b[K", "").replace('\r', "")).collect()
    }

    fn await_words(&self, words: &str) {
        wait_until(words, || self.screen().join("\n").contains(words));
    }

    fn resize(&self, columns: u16, lines: u16) {
        let size = winsize(columns, lines);
        #[expect(unsafe_code, reason = "the system's call takes a pointer")]
        // SAFETY: `size` outlives the call, which only reads it.
        let set = unsafe { libc::ioctl(self.ours.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) };
        assert_eq!(set, 0);
        // It is nobody's controlling terminal: the signal is sent by hand.
        self.signal(Signal::WINCH);
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn is_raw(&self) -> bool {
        let mut attributes = std::mem::MaybeUninit::<libc::termios>::zeroed();
        #[expect(unsafe_code, reason = "the system's call takes a pointer")]
        // SAFETY: the pointer is to a whole `termios`, whose bytes may all be zero.
        let attributes = unsafe {
            assert_eq!(libc::tcgetattr(self.theirs.as_raw_fd(), attributes.as_mut_ptr()), 0);
            attributes.assume_init()
        };
        attributes.c_lflag & (libc::ICANON | libc::ECHO) == 0
    }

    /// How it ended, with the terminal as it was before.
    fn end(mut self) -> ExitStatus {
        let begun = std::time::Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < PATIENCE, "it did not end");
            std::thread::yield_now();
        };
        assert!(!self.is_raw());
        wait_until("the former screen", || {
            self.shown.lock().unwrap().ends_with("\x1b[?7h\x1b[?25h\x1b[?1049l")
        });
        status
    }
}

fn winsize(columns: u16, lines: u16) -> libc::winsize {
    libc::winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

#[test]
fn it_draws_within_the_terminal_follows_its_size_and_leaves_it_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query("SELECT 1 AS `\u{1b}[2Jof_a_client`").unwrap();
    let mut terminal = Terminal::start(&server, 80, 24);
    terminal.await_words("[2Jof_a_client");
    assert!(terminal.is_raw());
    for words in ["rowhouse ", "DOOR", "mysql", "memcached", "MEMORY", "DISK", "STATEMENTS"] {
        terminal.await_words(words);
    }
    let screen = terminal.screen();
    assert!(screen.len() <= 24, "{screen:?}");
    assert!(screen.iter().all(|line| line.chars().count() <= 80), "{screen:?}");
    assert!(!screen.join("").contains('\x1b'), "what a client stored moves no cursor: {screen:?}");
    terminal.resize(40, 6);
    wait_until("a small screen", || {
        let screen = terminal.screen();
        screen.len() == 6 && screen.iter().all(|line| line.chars().count() <= 40)
    });
    terminal.ours.write_all(b"xq").unwrap();
    assert_eq!(terminal.end().code(), Some(0));

    let mut terminal = Terminal::start(&server, 80, 24);
    terminal.await_words("MEMORY");
    terminal.ours.write_all(&[3]).unwrap();
    assert_eq!(terminal.end().code(), Some(0), "Ctrl-C");

    let terminal = Terminal::start(&server, 80, 24);
    terminal.await_words("MEMORY");
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.end().code(), Some(0), "a signal");

    // A server that stops is told of, and the screen stays.
    let mut terminal = Terminal::start(&server, 80, 24);
    terminal.await_words("MEMORY");
    assert_eq!(server.stop().code(), Some(0));
    terminal.await_words("no server answers");
    terminal.ours.write_all(b"q").unwrap();
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn scripts_get_a_screen_or_an_object_and_who_waits_is_in_both() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut holder = Mysql::login(server.connect("mysql")).unwrap();
    let mut waiter = Mysql::login(server.connect("mysql")).unwrap();
    for statement in [
        "CREATE DATABASE d",
        "CREATE TABLE d.t (id INT PRIMARY KEY, n INT)",
        "INSERT INTO d.t VALUES (1, 1)",
        "BEGIN",
        "UPDATE d.t SET n = 2 WHERE id = 1",
    ] {
        holder.query(statement).unwrap();
    }
    let waiting = std::thread::spawn(move || waiter.query("UPDATE d.t SET n = 3 WHERE id = 1"));
    let data_dir = format!("--data-dir={}", directory.path().display());
    let object = || -> Value {
        let said = run(&["top", "--json", &data_dir]);
        assert!(said.status.success(), "{said:?}");
        serde_json::from_slice(&said.stdout).unwrap()
    };
    wait_until("the wait", || !object()["waits"].as_array().unwrap().is_empty());
    let said = object();
    assert_eq!(said["waits"][0]["statement"], "UPDATE d.t SET n = 3 WHERE id = 1", "{said}");
    let doors = said["doors"].as_array().unwrap();
    let mysql = doors.iter().find(|door| door["door"] == "mysql").unwrap();
    assert_eq!(mysql["connections"], 2, "{said}");
    assert!(doors.iter().all(|door| door["door"] != "status"), "{said}");
    assert_eq!(said["unknown"].as_array().unwrap().len(), 0, "{said}");
    let said = run(&["top", "--once", &data_dir]);
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.contains("WHO WAITS FOR WHOM") && !text.contains('\x1b'), "{text}");
    holder.query("COMMIT").unwrap();
    waiting.join().unwrap().unwrap();
    let piped = run(&["top", &data_dir]);
    let why = String::from_utf8_lossy(&piped.stderr);
    assert!(why.contains("`rowhouse top --once`"), "{why}");
    assert_eq!((piped.status.code(), server.stop().code()), (Some(1), Some(0)));
    let absent = run(&["top", "--once", &data_dir]);
    let why = String::from_utf8_lossy(&absent.stderr);
    assert!(why.contains("no server answers"), "{why}");
}

#[test]
fn a_server_elsewhere_is_asked_by_sql_as_the_user_that_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    for statement in [
        "CREATE USER watcher IDENTIFIED BY 'word'",
        "GRANT PROCESS ON *.* TO watcher",
        "GRANT SELECT ON performance_schema.* TO watcher",
        "SELECT 1 + 1",
    ] {
        sql.query(statement).unwrap();
    }
    let port = server.port("mysql").to_string();
    let place = ["--host", "127.0.0.1", "--port", &port, "--user", "watcher"];
    let said = run(&[&["top", "--json", "--password", "word"][..], &place].concat());
    assert!(said.status.success(), "{said:?}");
    let said: Value = serde_json::from_slice(&said.stdout).unwrap();
    let doors = said["doors"].as_array().unwrap();
    let mysql = doors.iter().find(|door| door["door"] == "mysql").unwrap();
    assert_eq!(mysql["connections"], 2, "{said}");
    assert!(mysql["p99_us"].as_u64().unwrap() > 0, "{said}");
    assert!(doors.iter().all(|door| door["door"] != "status"), "{said}");
    let statements = said["statements"].to_string();
    assert!(statements.contains("SELECT ? + ?"), "{said}");
    assert_eq!(said["unknown"].as_array().unwrap().len(), 0, "{said}");
    let text = run(&[&["top", "--once", "--password", "word"][..], &place].concat());
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("handlersocket-write") && !text.contains('\x1b'), "{text}");
    let refused = run(&[&["top", "--once", "--password", "wrong"][..], &place].concat());
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(why.contains("cannot log in"), "{why}");
}
