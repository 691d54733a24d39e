//! Driving connections through a warm-up and a measured window.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};

use super::connection::{ClientConnection, CountedWindow, TurnOutcome};
use super::pause::Pauses;
use super::{Client, ClientSession, ResourcesSpent, Sample};

/// How long replies to what was sent in the window are awaited after its end.
const DRAIN: Duration = Duration::from_secs(10);
/// Events taken in one turn of a client thread.
const EVENTS_MAX: usize = 1024;
/// A socket's token is its connection's index times this, plus its lane.
const LANES_MAX: usize = 4;

/// One window: how long, how deep, and whose CPU is watched.
#[derive(Debug, Clone)]
pub struct WindowPlan {
    /// Load before the window, in seconds; nothing in it is counted.
    pub warm: f64,
    /// The window, in seconds. It ends earlier when every session has finished.
    pub measure: f64,
    /// Requests in flight per connection.
    pub depth: usize,
    /// Client threads; connections are dealt out among them.
    pub threads: usize,
    /// Processes whose CPU time and memory are charged to the server's side.
    pub servers: Vec<u32>,
}

/// Runs the clients through the plan. Gives the counts, and the sessions back for verification.
pub fn drive<S: ClientSession>(
    clients: Vec<Client<S>>,
    plan: &WindowPlan,
) -> Result<(Sample, Vec<S>)> {
    let threads = plan.threads.clamp(1, clients.len().max(1));
    let mut shares: Vec<Vec<ClientConnection<S>>> = (0..threads).map(|_| Vec::new()).collect();
    for (index, client) in clients.into_iter().enumerate() {
        ensure!(client.streams.len() <= LANES_MAX, "a session has too many lanes");
        shares[index % threads].push(ClientConnection::new(client)?);
    }
    let from = Instant::now() + Duration::from_secs_f64(plan.warm);
    let to = from + Duration::from_secs_f64(plan.measure);
    let window = CountedWindow { from, to, depth: plan.depth };

    thread::scope(|scope| {
        let workers: Vec<_> =
            shares.into_iter().map(|share| scope.spawn(move || work(share, window))).collect();
        sleep_until(from, || false);
        let before = ResourcesSpent::by(&plan.servers);
        let all_done = || workers.iter().all(|worker| worker.is_finished());
        sleep_until(to, all_done);
        let after = ResourcesSpent::by(&plan.servers);
        let seconds = Instant::now().min(to).saturating_duration_since(from).as_secs_f64();

        let mut total = Sample::new();
        let mut sessions = Vec::new();
        for worker in workers {
            let (sample, share) = match worker.join() {
                Ok(outcome) => outcome?,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            total.merge(sample);
            sessions.extend(share);
        }
        after.since(&before, &mut total);
        total.seconds = seconds;
        Ok((total, sessions))
    })
}

/// Waits for the moment, or until `early` says so.
fn sleep_until(moment: Instant, early: impl Fn() -> bool) {
    const STEP: Duration = Duration::from_millis(20);
    loop {
        let left = moment.saturating_duration_since(Instant::now());
        if left.is_zero() || early() {
            return;
        }
        thread::sleep(left.min(STEP));
    }
}

/// One client thread.
fn work<S: ClientSession>(
    mut connections: Vec<ClientConnection<S>>,
    window: CountedWindow,
) -> Result<(Sample, Vec<S>)> {
    let mut sample = Sample::new();
    let mut pauses = Pauses::new(window.from, window.to);
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC).context("epoll")?;
    for (index, connection) in connections.iter().enumerate() {
        for (lane, (stream, _)) in connection.streams().enumerate() {
            let data = epoll::EventData::new_u64((index * LANES_MAX + lane) as u64);
            epoll::add(&poll, stream, data, epoll::EventFlags::IN).context("epoll add")?;
        }
    }
    let mut alive = vec![true; connections.len()];
    for (index, connection) in connections.iter_mut().enumerate() {
        let turn = connection.fill(&window, Instant::now(), &mut sample);
        alive[index] = settle(&poll, index, connection, turn, &mut sample)?;
    }

    let mut events = Vec::with_capacity(EVENTS_MAX);
    let timeout = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
    loop {
        match epoll::wait(&poll, spare_capacity(&mut events), Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error).context("epoll wait"),
        }
        let quiet = events.is_empty();
        let completed = sample.requests;
        for event in events.drain(..) {
            let token = event.data.u64() as usize;
            let (index, lane) = (token / LANES_MAX, token % LANES_MAX);
            if !alive[index] {
                continue;
            }
            let flags = event.flags;
            let readable = flags.intersects(
                epoll::EventFlags::IN | epoll::EventFlags::HUP | epoll::EventFlags::ERR,
            );
            let turn = connections[index].turn(lane, readable, &window, &mut sample);
            alive[index] = settle(&poll, index, &connections[index], turn, &mut sample)?;
        }
        let now = Instant::now();
        if sample.requests > completed {
            pauses.completed(now);
        }
        if now >= window.to || quiet || connections.len() < 4 {
            let idle = |(connection, alive): (&ClientConnection<S>, &bool)| {
                !alive || (connection.in_flight() == 0 && (connection.finished || now >= window.to))
            };
            if connections.iter().zip(&alive).all(idle) {
                break;
            }
        }
        if now >= window.to + DRAIN {
            let waiting: usize = connections.iter().map(ClientConnection::in_flight).sum();
            sample.broken += waiting as u64;
            sample.note_bad(&format!("{waiting} requests were never answered"), b"");
            break;
        }
    }
    sample.pause = pauses.longest(connections.iter().all(|connection| connection.finished));
    Ok((sample, connections.into_iter().map(|connection| connection.session).collect()))
}

/// Brings the registration in line with what a turn left; `false` if the connection is gone.
fn settle<S: ClientSession>(
    poll: &rustix::fd::OwnedFd,
    index: usize,
    connection: &ClientConnection<S>,
    turn: TurnOutcome,
    sample: &mut Sample,
) -> Result<bool> {
    match turn {
        TurnOutcome::Open(false) => Ok(true),
        TurnOutcome::Open(true) => {
            for (lane, (stream, waits)) in connection.streams().enumerate() {
                let data = epoll::EventData::new_u64((index * LANES_MAX + lane) as u64);
                let mut flags = epoll::EventFlags::IN;
                if waits {
                    flags |= epoll::EventFlags::OUT;
                }
                epoll::modify(poll, stream, data, flags).context("epoll modify")?;
            }
            Ok(true)
        }
        TurnOutcome::Broken => {
            for (stream, _) in connection.streams() {
                epoll::delete(poll, stream).context("epoll delete")?;
            }
            sample.broken += 1;
            Ok(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;
    use crate::generator::{Lanes, Progress, Verdict};

    /// Sends numbered lines and expects them back.
    struct Lines {
        next: u32,
        answered: u32,
        count: u32,
    }

    impl ClientSession for Lines {
        fn start(&mut self, lanes: &mut Lanes) -> bool {
            if self.next == self.count {
                return false;
            }
            lanes.out(0).extend_from_slice(format!("{}\n", self.next).as_bytes());
            self.next += 1;
            true
        }

        fn reply(&mut self, _lane: usize, input: &[u8], _lanes: &mut Lanes) -> Progress {
            let Some(end) = input.iter().position(|byte| *byte == b'\n') else {
                return Progress::Incomplete;
            };
            let right = input[..end] == *self.answered.to_string().as_bytes();
            self.answered += 1;
            let verdict = if right { Verdict::Right } else { Verdict::Wrong };
            Progress::Done { bytes: end + 1, rows: 1, verdict }
        }
    }

    /// One connection's server: `answer` gives the reply to each line, or hangs up.
    fn serve(answer: impl Fn(&str) -> Option<String> + Send + 'static) -> TcpStream {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            for line in lines.map_while(Result::ok) {
                let Some(reply) = answer(&line) else { return };
                if stream.write_all(format!("{reply}\n").as_bytes()).is_err() {
                    return;
                }
            }
        });
        client
    }

    fn run(stream: TcpStream, depth: usize) -> Sample {
        let session = Lines { next: 0, answered: 0, count: 1_000 };
        let plan = WindowPlan { warm: 0.0, measure: 60.0, depth, threads: 1, servers: Vec::new() };
        drive(vec![Client::new(session, stream)], &plan).unwrap().0
    }

    #[test]
    fn every_request_of_a_finite_session_is_counted_once_at_any_depth() {
        for depth in [1, 32] {
            let sample = run(serve(|line| Some(line.to_owned())), depth);
            assert_eq!((sample.requests, sample.bad()), (1_000, 0));
            assert_eq!(sample.latency.len(), 1_000);
        }
    }

    #[test]
    fn wrong_replies_are_counted_and_the_first_is_kept() {
        let sample =
            run(serve(|line| Some(if line == "7" { "x".to_owned() } else { line.to_owned() })), 4);
        assert_eq!((sample.requests, sample.wrong), (1_000, 1));
        assert_eq!(sample.first_bad.as_deref(), Some("wrong: x\\n"));
    }

    #[test]
    fn a_server_that_hangs_up_is_a_broken_connection() {
        let sample = run(serve(|line| (line != "9").then(|| line.to_owned())), 1);
        assert_eq!((sample.requests, sample.broken), (9, 1));
        assert!(sample.first_bad.unwrap().starts_with("connection failed"));
    }
}
