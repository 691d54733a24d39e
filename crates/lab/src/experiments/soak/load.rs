//! The soak's load: clients in one thread, one request in flight each, counted second by second,
//! some of which leave in the middle.
//!
//! Invariants
//! 1. A client that left comes back on a new connection, so that their number stays.
//! 2. Every request is answered within `DRAIN` after the phase, or the phase has failed.
//!
//! Not here: what is asked (`client`), whether a second is good (`judge`).

use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use serde::Serialize;

use super::client::Visitor;
use crate::generator::{Client, ClientConnection, CountedWindow, Sample, TurnOutcome};

/// How long replies are awaited after the end of a phase.
const DRAIN: Duration = Duration::from_secs(20);
const EVENTS_MAX: usize = 1024;
/// How often clients leave, if some do.
const LEAVE_EVERY: Duration = Duration::from_millis(50);

/// What clients saw in one second.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Second {
    /// Requests answered.
    pub requests: u64,
    /// Latency in microseconds.
    pub p50_us: f64,
    /// Latency in microseconds.
    pub p99_us: f64,
    /// Latency in microseconds.
    pub max_us: f64,
    /// Wrong replies.
    pub wrong: u64,
    /// Errors.
    pub refused: u64,
    /// Connections that the server ended.
    pub broken: u64,
    /// Clients that left.
    pub left: u64,
}

/// What became of a phase's load.
pub struct LoadOutcome {
    /// Second by second.
    pub seconds: Vec<Second>,
    /// All of it.
    pub total: Sample,
    /// The clients.
    pub visitors: Vec<Visitor>,
    /// Requests that nobody answered.
    pub unanswered: usize,
}

/// When, how, and who leaves.
pub struct LoadPlan<'a> {
    /// From when on requests count.
    pub from: Instant,
    /// How long.
    pub length: Duration,
    /// Clients a second that leave.
    pub leaving: u32,
    /// Seed of who leaves.
    pub seed: u64,
    /// A new connection for a client.
    pub connect: &'a (dyn Fn(&Visitor) -> Result<TcpStream> + Sync),
}

struct PhaseLoad<'a> {
    plan: &'a LoadPlan<'a>,
    window: CountedWindow,
    poll: OwnedFd,
    /// `None` for who could not come back.
    connections: Vec<Option<ClientConnection<Visitor>>>,
    lost: Vec<Visitor>,
    random: SmallRng,
    leaves_at: Instant,
    left: u64,
}

/// Lets the clients work from the plan's beginning to its end.
pub fn run(visitors: Vec<Visitor>, plan: &LoadPlan<'_>) -> Result<LoadOutcome> {
    let window = CountedWindow { from: plan.from, to: plan.from + plan.length, depth: 1 };
    let mut load = PhaseLoad {
        plan,
        window,
        poll: epoll::create(epoll::CreateFlags::CLOEXEC).context("epoll")?,
        connections: Vec::with_capacity(visitors.len()),
        lost: Vec::new(),
        random: SmallRng::seed_from_u64(plan.seed),
        leaves_at: plan.from + LEAVE_EVERY,
        left: 0,
    };
    let (mut total, mut sample) = (Sample::new(), Sample::new());
    let mut seconds = Vec::new();
    for (index, visitor) in visitors.into_iter().enumerate() {
        load.connections.push(None);
        load.join(index, visitor, &mut sample);
    }
    let mut events = Vec::with_capacity(EVENTS_MAX);
    let timeout = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
    let whole_seconds = plan.length.as_secs().max(1) as usize;
    loop {
        match epoll::wait(&load.poll, spare_capacity(&mut events), Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error).context("epoll wait"),
        }
        for event in events.drain(..) {
            load.serve(event.data.u64() as usize, event.flags, &mut sample);
        }
        let now = Instant::now();
        load.let_leave(now, &mut sample);
        let second =
            (now.saturating_duration_since(window.from).as_secs() as usize).min(whole_seconds);
        while seconds.len() < second {
            seconds.push(Second {
                requests: sample.requests,
                p50_us: sample.latency_us(0.5),
                p99_us: sample.latency_us(0.99),
                max_us: sample.latency_us(1.0),
                wrong: sample.wrong,
                refused: sample.refused,
                broken: sample.broken,
                left: std::mem::take(&mut load.left),
            });
            total.merge(std::mem::replace(&mut sample, Sample::new()));
        }
        let in_flight = load.in_flight();
        if now >= window.to && (in_flight == 0 || now >= window.to + DRAIN) {
            // Bad replies that came after the last second.
            total.merge(sample);
            total.seconds = plan.length.as_secs_f64();
            let visitors = load.finish();
            return Ok(LoadOutcome { seconds, total, visitors, unanswered: in_flight });
        }
    }
}

impl PhaseLoad<'_> {
    /// Connects a client and lets it ask.
    fn join(&mut self, index: usize, visitor: Visitor, sample: &mut Sample) {
        let stream = match (self.plan.connect)(&visitor) {
            Ok(stream) => stream,
            Err(error) => {
                sample.broken += 1;
                sample.note_bad(&format!("connecting: {error:#}"), b"");
                self.lost.push(visitor);
                return;
            }
        };
        match ClientConnection::new(Client::new(visitor, stream)) {
            Ok(mut connection) => {
                let turn = connection.fill(&self.window, Instant::now(), sample);
                let data = epoll::EventData::new_u64(index as u64);
                for (stream, _) in connection.streams() {
                    // A connection that cannot be watched is one that is never answered.
                    let _ = epoll::add(&self.poll, stream, data, epoll::EventFlags::IN);
                }
                self.settle(index, connection, turn, sample);
            }
            Err(error) => {
                sample.broken += 1;
                sample.note_bad(&format!("connecting: {error:#}"), b"");
            }
        }
    }

    fn serve(&mut self, index: usize, flags: epoll::EventFlags, sample: &mut Sample) {
        let Some(mut connection) = self.connections[index].take() else { return };
        let wanted = epoll::EventFlags::IN | epoll::EventFlags::HUP | epoll::EventFlags::ERR;
        let turn = connection.turn(0, flags.intersects(wanted), &self.window, sample);
        self.settle(index, connection, turn, sample);
    }

    /// Keeps the connection as a turn left it; one that broke is replaced.
    fn settle(
        &mut self,
        index: usize,
        mut connection: ClientConnection<Visitor>,
        turn: TurnOutcome,
        sample: &mut Sample,
    ) {
        match turn {
            TurnOutcome::Open(changed) => {
                if changed {
                    for (stream, waits) in connection.streams() {
                        let mut flags = epoll::EventFlags::IN;
                        if waits {
                            flags |= epoll::EventFlags::OUT;
                        }
                        let data = epoll::EventData::new_u64(index as u64);
                        let _ = epoll::modify(&self.poll, stream, data, flags);
                    }
                }
                self.connections[index] = Some(connection);
            }
            TurnOutcome::Broken => {
                sample.broken += 1;
                connection.session.leaves();
                let visitor = connection.session;
                if Instant::now() < self.window.to {
                    self.join(index, visitor, sample);
                } else {
                    self.lost.push(visitor);
                }
            }
        }
    }

    /// Every now and then some clients leave: all with a request unanswered, half of them in the
    /// middle of sending a further one.
    fn let_leave(&mut self, now: Instant, sample: &mut Sample) {
        if self.plan.leaving == 0 || now < self.leaves_at || now >= self.window.to {
            return;
        }
        self.leaves_at = now + LEAVE_EVERY;
        let count = (f64::from(self.plan.leaving) * LEAVE_EVERY.as_secs_f64()).ceil() as usize;
        for number in 0..count {
            let index = self.random.random_range(0..self.connections.len());
            let Some(mut connection) = self.connections[index].take() else { continue };
            // What is half sent must not be of a row whose value is in doubt already.
            connection.session.leaves();
            let mut visitor = connection.leave(number % 2 == 0);
            visitor.leaves();
            self.left += 1;
            self.join(index, visitor, sample);
        }
    }

    fn in_flight(&self) -> usize {
        self.connections.iter().flatten().map(ClientConnection::in_flight).sum()
    }

    /// The clients, whose connections end here.
    fn finish(self) -> Vec<Visitor> {
        let connected = self.connections.into_iter().flatten().map(|connection| {
            let mut visitor = connection.session;
            visitor.leaves();
            visitor
        });
        connected.chain(self.lost).collect()
    }
}
