//! Commits that an event loop makes itself, sync and all, because nobody else is there to serve:
//! that it does, that it does not where others read, and that a disk which suddenly takes long
//! over a sync holds up nobody but the writer.
//!
//! The server runs on the file layer (crate `faults`), where a sync takes no time or, when a test
//! says so, does not come back.

use std::net::TcpStream;

use crate::mysql::{Failure, Mysql};
use crate::support::{Running, ask_line, figure, wait_until};
use faults::{Fault, Layer};

/// Writes after which the server knows that syncs are quick, and has seen most of a door's ways.
const WRITES: u64 = 200;

struct Bench {
    // Dropped before its directory.
    server: Running,
    layer: Layer,
    place: tempfile::TempDir,
}

impl Bench {
    fn start() -> Bench {
        let place = tempfile::tempdir().expect("a directory");
        let data_dir = place.path().join("data");
        let layer = Layer::new(&data_dir, &place.path().join("layer")).expect("the layer");
        let server = Running::start_beneath(&layer, &data_dir, &[]);
        let mut client = Mysql::login(server.connect("mysql")).expect("let in");
        client.query("CREATE DATABASE d").expect("made");
        client.query("CREATE TABLE d.t (id BIGINT PRIMARY KEY, n BIGINT)").expect("made");
        Bench { server, layer, place }
    }

    /// A figure of `rowhouse status`.
    fn figure(&self, name: &str) -> u64 {
        figure(&self.place.path().join("data"), name)
    }

    fn writer(&self, door: &'static str) -> Writer {
        let stream = self.server.connect(door);
        match door {
            "mysql" => Writer::Sql(Mysql::login(stream).expect("let in")),
            "memcached" => Writer::Items(stream),
            _ => {
                let mut stream = stream;
                assert_eq!(ask_line(&mut stream, "P\t1\td\tt\tPRIMARY\tid,n\n"), "0\t1");
                Writer::Lines(stream)
            }
        }
    }
}

/// A client that writes at one door.
enum Writer {
    Sql(Mysql),
    Items(TcpStream),
    Lines(TcpStream),
}

impl Writer {
    fn write(&mut self, number: u64) {
        match self {
            Writer::Sql(client) => {
                let insert = format!("INSERT INTO d.t VALUES ({number}, 1)");
                client.execute(&insert).expect("written");
            }
            Writer::Items(stream) => {
                let set = format!("set k{number} 0 0 1\r\nx\r\n");
                assert_eq!(ask_line(stream, &set).trim_end(), "STORED");
            }
            Writer::Lines(stream) => {
                let insert = format!("1\t+\t2\t{number}\t1\n");
                assert_eq!(ask_line(stream, &insert), "0\t1");
            }
        }
    }
}

#[test]
fn a_lone_writers_commits_no_longer_change_threads_at_any_door() {
    let bench = Bench::start();
    for (place, door) in ["mysql", "memcached", "handlersocket-write"].into_iter().enumerate() {
        let mut writer = bench.writer(door);
        let mut number = place as u64 * 1_000_000;
        let before = bench.figure("groups_in_loop");
        // A machine that is busy with other things makes some come too far apart.
        wait_until("the loop commits by itself", || {
            for _ in 0..WRITES {
                number += 1;
                writer.write(number);
            }
            bench.figure("groups_in_loop") >= before + WRITES / 2
        });
    }
}

#[test]
fn a_short_transaction_is_carried_out_and_committed_in_the_loop() {
    let bench = Bench::start();
    let mut client = Mysql::login(bench.server.connect("mysql")).expect("let in");
    let mut number = 0;
    let mut transaction = |client: &mut Mysql| {
        number += 1;
        for statement in [
            "BEGIN",
            &format!("INSERT INTO d.t VALUES ({number}, 0)"),
            &format!("UPDATE d.t SET n = n + 1 WHERE id = {number}"),
            "COMMIT",
        ] {
            client.execute(statement).expect("carried out");
        }
    };
    let mut rounds = 0;
    // What is planned, and read for the first time, may go to the pool, and a machine that is busy
    // with other things makes some commits come too far apart.
    wait_until("a round of transactions stays in the loop", || {
        let offloaded = bench.figure("mysql_offloaded");
        let here = bench.figure("groups_in_loop");
        (0..WRITES).for_each(|_| transaction(&mut client));
        rounds += 1;
        bench.figure("mysql_offloaded") == offloaded
            && bench.figure("groups_in_loop") >= here + WRITES / 2
    });
    let sum = client.query("SELECT COUNT(*), SUM(n) FROM d.t").expect("read");
    let written = Some((rounds * WRITES).to_string());
    let counted = [written.clone(), written];
    assert_eq!(sum[0][..], counted);
}

#[test]
fn while_somebody_else_reads_commits_are_handed_over() {
    let bench = Bench::start();
    let (mut writer, mut reader) = (bench.writer("mysql"), bench.server.connect("memcached"));
    let mut number = 0;
    // A machine that is busy with other things makes a reader seem to have gone.
    wait_until("a round is handed over", || {
        let before = bench.figure("groups_in_loop");
        for _ in 0..WRITES {
            assert_eq!(ask_line(&mut reader, "get nothing\r\n").trim_end(), "END");
            number += 1;
            writer.write(number);
        }
        bench.figure("groups_in_loop") - before < WRITES / 2
    });
}

#[test]
fn a_sync_that_hangs_in_a_loop_holds_up_nobody_but_the_writer() {
    let bench = Bench::start();
    let mut readers: Vec<TcpStream> = (0..4).map(|_| bench.server.connect("memcached")).collect();
    let get = |reader: &mut TcpStream| {
        assert_eq!(ask_line(reader, "get nothing\r\n").trim_end(), "END");
    };
    readers.iter_mut().for_each(get);
    let mut writer = bench.writer("memcached");
    let mut number = 0;
    for _ in 0..3 {
        let before = bench.figure("groups_in_loop");
        wait_until("the loop commits by itself", || {
            for _ in 0..WRITES {
                number += 1;
                writer.write(number);
            }
            bench.figure("groups_in_loop") > before + WRITES / 2
        });
        let hanging = bench.layer.faults().expect("told");
        bench.layer.fail(Fault::SyncHangs).expect("told");
        let (done, is_done) = std::sync::mpsc::channel();
        let next = number + 1;
        let waiting = std::thread::spawn(move || {
            writer.write(next);
            done.send(()).expect("awaited");
            writer
        });
        number = next;
        wait_until("the sync hangs", || bench.layer.faults().expect("told") > hanging);
        // Those who are connected, and those who come; nobody sees what is not synced.
        for _ in 0..20 {
            readers.iter_mut().for_each(get);
            let mut other = bench.server.connect("memcached");
            let seen = ask_line(&mut other, &format!("get k{number}\r\n"));
            assert_eq!(seen.trim_end(), "END", "read before it is on the disk");
        }
        assert!(is_done.try_recv().is_err(), "answered before it is on the disk");
        bench.layer.fail(Fault::None).expect("told");
        writer = waiting.join().expect("written");
    }
    assert_eq!(bench.server.stop().code(), Some(0));
}

#[test]
fn a_sync_that_fails_in_a_loop_is_told_to_the_writer_and_reads_go_on() {
    let bench = Bench::start();
    let mut client = Mysql::login(bench.server.connect("mysql")).expect("let in");
    let mut number = 0;
    let mut insert = |client: &mut Mysql| {
        number += 1;
        client.execute(&format!("INSERT INTO d.t VALUES ({number}, 1)"))
    };
    wait_until("the loop commits by itself", || {
        for _ in 0..WRITES {
            insert(&mut client).expect("written");
        }
        bench.figure("groups_in_loop") > WRITES / 2
    });
    bench.layer.fail(Fault::Sync).expect("told");
    for _ in 0..3 {
        assert!(matches!(insert(&mut client), Err(Failure::Error { .. })));
    }
    bench.layer.fail(Fault::None).expect("told");
    let rows = client.query("SELECT n FROM d.t WHERE id = 1").expect("read");
    assert_eq!(rows[0][..], [Some("1".to_owned())]);
}
