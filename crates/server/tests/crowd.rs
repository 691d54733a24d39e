//! Ten thousand clients of the MySQL door that come in the same moment, as after a network's
//! failure, and all work: every one is greeted, and no request fails.

use std::net::{SocketAddr, TcpStream};
use std::thread;

use crate::mysql::Mysql;
use crate::support::{PATIENCE, Running};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, socket_with};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Clients, if the system allows as many open files.
const CLIENTS: usize = 10_000;
/// Statements that each of them runs.
const ROUNDS: usize = 5;

/// As many clients as there may be files, each with its connection under way: nobody waits for
/// another's.
fn burst(address: SocketAddr) -> Vec<TcpStream> {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let room = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX) as usize;
    let come = |_| {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None).unwrap();
        match connect(&socket, &address) {
            Ok(()) | Err(Errno::INPROGRESS) => TcpStream::from(socket),
            Err(error) => panic!("{error}"),
        }
    };
    // How many clients the kernel lets wait to be accepted: with few, it drops them before us.
    let somaxconn = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
    let somaxconn: usize = somaxconn.trim().parse().unwrap();
    let most = if somaxconn < 4096 { somaxconn } else { CLIENTS };
    (0..most.min(room.saturating_sub(1000))).map(come).collect()
}

#[test]
fn ten_thousand_clients_that_came_at_once_waited_for_greetings_in_vain_and_all_work() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--memory=256MiB", "--login-timeout=60s"]);
    let mut streams = burst(server.address("mysql").parse().unwrap());
    let mut workers = Vec::new();
    while !streams.is_empty() {
        let share = streams.split_off(streams.len().saturating_sub(CLIENTS / 8));
        workers.push(thread::spawn(move || {
            let login = |stream: TcpStream| {
                stream.set_nonblocking(false).unwrap();
                stream.set_read_timeout(Some(PATIENCE)).unwrap();
                Mysql::login(stream).unwrap_or_else(|error| panic!("not greeted: {error}"))
            };
            let mut clients: Vec<Mysql> = share.into_iter().map(login).collect();
            for _ in 0..ROUNDS {
                clients.iter_mut().for_each(|client| client.send_query("SELECT 1").unwrap());
                for client in &mut clients {
                    assert_eq!(client.result().unwrap(), [[Some("1".to_owned())]]);
                }
            }
        }));
    }
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    assert!(server.stop().success());
}
