//! Busy polling: for a client that asks one thing after another, not in silence, and not where it
//! is turned off; whoever comes meanwhile is served.

use std::path::Path;

use crate::support::{Running, ask_line, figure, wait_until};

const REQUESTS: usize = 2_000;

fn polled(data_dir: &Path) -> u64 {
    figure(data_dir, "polled_micros")
}

/// Asks one thing after another.
fn ask(stream: &mut std::net::TcpStream) {
    for _ in 0..REQUESTS {
        assert_eq!(ask_line(stream, "get nothing\r\n").trim_end(), "END");
    }
}

#[test]
fn a_loop_polls_for_a_client_that_comes_back_at_once_and_sleeps_in_silence() {
    if std::thread::available_parallelism().map_or(1, usize::from) == 1 {
        return; // The one core is the client's.
    }
    let place = tempfile::tempdir().expect("a directory");
    // Long enough for a machine that is busy with other things.
    let server = Running::start(place.path(), &["--busy-poll=2ms"]);
    let mut client = server.connect("memcached");
    let before = polled(place.path());
    wait_until("it polls", || {
        ask(&mut client);
        polled(place.path()) > before
    });
    // What asks for the figure is a client as well, which comes once.
    let mut last = polled(place.path());
    wait_until("it sleeps", || {
        let before = std::mem::replace(&mut last, polled(place.path()));
        last == before
    });
    ask(&mut client);
}

#[test]
fn a_loop_that_may_not_poll_does_not() {
    let place = tempfile::tempdir().expect("a directory");
    let server = Running::start(place.path(), &["--busy-poll=0"]);
    ask(&mut server.connect("memcached"));
    assert_eq!(polled(place.path()), 0);
}

#[test]
fn who_comes_while_a_loop_polls_for_another_is_served_at_once() {
    let place = tempfile::tempdir().expect("a directory");
    let server = Running::start(place.path(), &["--busy-poll=1d"]);
    let mut busy = server.connect("memcached");
    ask(&mut busy);
    // Nobody ends a poll of a day but a client that comes.
    for _ in 0..20 {
        let mut newcomer = server.connect("memcached");
        assert_eq!(ask_line(&mut newcomer, "get nothing\r\n").trim_end(), "END");
        ask_line(&mut busy, "get nothing\r\n");
    }
}
