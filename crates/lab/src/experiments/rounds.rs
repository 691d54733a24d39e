//! Contenders taking turns: the same load for each, round after round; and before it, one reading
//! of everything, so that caches which fill by use are measured full.
//!
//! Invariants
//! 1. Order decides nothing: every other round goes backwards, and a contender's turn begins when
//!    the server of the one before it rests (but for windows that are too short to say anything).

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use super::fleet::Readable;
use super::{Common, progress};
use crate::generator::{Client, ClientSession, Lanes, Progress, WindowPlan, drive};
use crate::plot::Drawing;
use crate::process::await_rest;
use crate::protocols::{Judgement, Reader};
use crate::report::{Layout, Measurement, Report};
use crate::users::{Chooser, Users};

/// Reading everything once: ids per request, connections, and how long it may take at most.
const PASS_BATCH: u32 = 100;
const PASS_CONNECTIONS: u32 = 8;
const PASS_SECONDS_MAX: f64 = 600.0;

/// How long a server may take at most to rest after a turn.
const REST: Duration = Duration::from_secs(2);
/// Windows from which on that is waited for: shorter ones only try whether all is answered.
const RESTED_SECONDS: f64 = 1.0;

/// What is asked in one mode.
#[derive(Debug, Clone)]
pub struct Mode {
    /// Name in tables.
    pub name: Cow<'static, str>,
    /// Requests in flight per connection.
    pub depth: usize,
    /// Ids per request.
    pub batch: usize,
}

/// How look-ups are asked.
pub const MODES: [Mode; 3] = [
    Mode { name: Cow::Borrowed("one in flight"), depth: 1, batch: 1 },
    Mode { name: Cow::Borrowed("pipelined 32"), depth: 32, batch: 1 },
    Mode { name: Cow::Borrowed("batches of 100"), depth: 1, batch: 100 },
];

/// What experiments take that read the rows of `user` by key and do nothing else.
#[derive(Debug, Clone, Args)]
pub struct ReadingOptions {
    #[command(flatten)]
    pub(super) common: Common,
    /// Rows.
    #[arg(long, default_value_t = 100_000)]
    rows: u32,
    /// Connections.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Only modes whose name contains one of these.
    #[arg(long)]
    mode: Vec<String>,
}

impl ReadingOptions {
    /// The rows, and a report that has the settings.
    pub fn begin(&self, name: &str) -> Result<(Users, Report)> {
        ensure!(self.rows >= 100, "a batch takes 100 different rows");
        let mut report = Report::new(name);
        self.common.note(&mut report);
        report.setting("rows", self.rows);
        report.setting("connections", self.connections);
        report.setting("durability", "none matters: reads only, after loading");
        Ok((Users { seed: self.common.seed, rows: self.rows }, report))
    }

    /// The same with servers of one loop, unless it was said how many. Several loops share their
    /// connections out by how busy they are, one server like this and the next one like that, and
    /// what a request costs depends on it: more than what is compared here.
    #[must_use]
    pub fn with_one_loop(&self) -> ReadingOptions {
        let mut options = self.clone();
        options.common.server_threads.get_or_insert(1);
        options
    }

    /// Lets every contender be read once, and measures all in each mode.
    pub fn measure(&self, contenders: &[Readable<'_>], users: Users, report: &mut Report) {
        let (modes, common) = (modes_named(&self.mode), &self.common);
        read_all(contenders, users, "", common, report);
        measure(contenders, &modes, users, self.connections, common, report);
    }

    /// Keeps and prints the report, with these ratios.
    pub fn finish(&self, mut report: Report, pairs: &[(&str, &str)]) -> Result<()> {
        report.compare(pairs);
        let drawing = Drawing::bars(&report, "requests per second of server CPU time", |window| {
            window.per_cpu_second
        });
        self.common.finish(&report, Layout::Requests, &drawing)
    }
}

/// Those of the modes whose names have one of these parts; all without any.
pub fn modes_named(parts: &[String]) -> Vec<Mode> {
    let wanted =
        |mode: &Mode| parts.is_empty() || parts.iter().any(|part| mode.name.contains(part));
    MODES.into_iter().filter(wanted).collect()
}

/// Lets every contender be read once completely, and notes how long that took. Figures are then of
/// a steady state: neither of a cache that is being filled nor of rows that are not in memory yet.
/// `of` tells apart readings of one run in the report.
pub fn read_all(
    contenders: &[Readable<'_>],
    users: Users,
    of: &str,
    common: &Common,
    report: &mut Report,
) {
    for contender in contenders.iter().filter(|contender| common.wants(contender.name)) {
        let label = format!("{}, every row once{of}", contender.name);
        if let Some(seconds) = report.keep(&label, one_pass(contender, users)) {
            progress(&format!("{label}: {seconds:.1} s"));
            let seconds = (seconds * 10.0).round() / 10.0;
            report.figures.insert(format!("{label} before measuring, seconds"), json!(seconds));
        }
    }
}

/// Every id once, in batches; gives the seconds that took.
fn one_pass(contender: &Readable<'_>, users: Users) -> Result<f64> {
    let batch = PASS_BATCH.min(users.rows);
    let batches = users.rows.div_ceil(batch);
    let mut clients = Vec::new();
    for first in 0..PASS_CONNECTIONS.min(batches) {
        let (reader, stream) = (contender.connect)(batch as usize).context("connecting")?;
        let (rows, step) = (users.rows, PASS_CONNECTIONS);
        let session = Pass { reader, rows, batch, next: first, step, ids: Vec::new() };
        clients.push(Client::new(session, stream));
    }
    let (warm, measure) = (0.0, PASS_SECONDS_MAX);
    let plan = WindowPlan { warm, measure, depth: 1, threads: 1, servers: Vec::new() };
    let (sample, _) = drive(clients, &plan)?;
    let bad = sample.first_bad.as_deref().unwrap_or("time is up");
    ensure!(sample.bad() == 0 && sample.requests == u64::from(batches), "reading all: {bad}");
    Ok(sample.seconds)
}

/// Lets every contender run every mode, in turn, for all rounds. One that fails in a mode is noted
/// and left out of it.
pub fn measure(
    contenders: &[Readable<'_>],
    modes: &[Mode],
    users: Users,
    connections: usize,
    common: &Common,
    report: &mut Report,
) {
    for mode in modes {
        let mut failed = vec![false; contenders.len()];
        for round in 0..common.rounds {
            for at in order_of(round, contenders.len()) {
                let (contender, failed) = (&contenders[at], &mut failed[at]);
                if *failed || !common.wants(contender.name) {
                    continue;
                }
                let turn = one_turn(contender, mode, users, connections, common, round);
                if common.seconds >= RESTED_SECONDS {
                    await_rest(contender.pid, REST);
                }
                let label = format!("{}, {}", contender.name, mode.name);
                match report.keep(&label, turn) {
                    Some(measurement) => {
                        progress(&format!(
                            "{label}, round {round}: {:.0}/s, {:.2} us server CPU",
                            measurement.rate, measurement.server_us
                        ));
                        report.measurements.push(measurement);
                    }
                    None => *failed = true,
                }
            }
        }
    }
}

/// The contenders of a round in their order, by place: every other round goes backwards.
fn order_of(round: usize, contenders: usize) -> Vec<usize> {
    let forwards = 0..contenders;
    match round.is_multiple_of(2) {
        true => forwards.collect(),
        false => forwards.rev().collect(),
    }
}

/// One window of one contender on new connections.
pub fn one_turn(
    contender: &Readable<'_>,
    mode: &Mode,
    users: Users,
    connections: usize,
    common: &Common,
    round: usize,
) -> Result<Measurement> {
    let seed = common.seed ^ ((round as u64) << 32);
    let mut clients = Vec::with_capacity(connections);
    for number in 0..connections {
        let (reader, stream) = (contender.connect)(mode.batch).context("connecting")?;
        let chooser = Chooser::new(seed, number as u64, 1..users.rows + 1);
        clients.push(Client::new(Lookup::new(reader, chooser, mode.batch), stream));
    }
    let plan = common.plan(mode.depth, vec![contender.pid]);
    let (sample, _) = drive(clients, &plan)?;
    Ok(Measurement::new(&mode.name, contender.name, round, connections, &sample))
}

/// A client that reads its share of all batches of ids once.
struct Pass {
    reader: Box<dyn Reader>,
    rows: u32,
    batch: u32,
    /// The next batch, and the number of clients: batches are dealt out among them.
    next: u32,
    step: u32,
    ids: Vec<u32>,
}

impl ClientSession for Pass {
    fn start(&mut self, lanes: &mut Lanes) -> bool {
        if self.next >= self.rows.div_ceil(self.batch) {
            return false;
        }
        self.ids.clear();
        self.ids.extend(ids_of(self.next, self.batch, self.rows));
        self.next += self.step;
        self.reader.get(&self.ids, lanes.out(0));
        true
    }

    fn reply(&mut self, _lane: usize, input: &[u8], _lanes: &mut Lanes) -> Progress {
        match self.reader.got(&self.ids, 0, input) {
            Judgement::Incomplete => Progress::Incomplete,
            Judgement::Reply(bytes, verdict) => Progress::Done { bytes, rows: self.batch, verdict },
        }
    }
}

/// The ids of a batch of all. The last one is as long as the others, since prepared statements are
/// made for one length, and so may begin within the one before it.
fn ids_of(number: u32, batch: u32, rows: u32) -> Range<u32> {
    let first = (number * batch).min(rows - batch) + 1;
    first..first + batch
}

/// A client that looks up ids without end.
struct Lookup {
    reader: Box<dyn Reader>,
    chooser: Chooser,
    batch: usize,
    asked: VecDeque<Vec<u32>>,
    spare: Vec<Vec<u32>>,
}

impl Lookup {
    fn new(reader: Box<dyn Reader>, chooser: Chooser, batch: usize) -> Lookup {
        Lookup { reader, chooser, batch, asked: VecDeque::new(), spare: Vec::new() }
    }
}

impl ClientSession for Lookup {
    fn start(&mut self, lanes: &mut Lanes) -> bool {
        let mut ids = self.spare.pop().unwrap_or_default();
        ids.clear();
        if self.batch == 1 {
            ids.push(self.chooser.one());
        } else {
            self.chooser.many(self.batch, &mut ids);
        }
        self.reader.get(&ids, lanes.out(0));
        self.asked.push_back(ids);
        true
    }

    fn reply(&mut self, _lane: usize, input: &[u8], _lanes: &mut Lanes) -> Progress {
        let Some(ids) = self.asked.front() else {
            // Bytes that nobody asked for: taken whole, and counted as wrong by the connection.
            let verdict = crate::generator::Verdict::Wrong;
            return Progress::Done { bytes: input.len(), rows: 0, verdict };
        };
        match self.reader.got(ids, 0, input) {
            Judgement::Incomplete => Progress::Incomplete,
            Judgement::Reply(bytes, verdict) => {
                let rows = ids.len() as u32;
                self.spare.extend(self.asked.pop_front());
                Progress::Done { bytes, rows, verdict }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_came_second_in_a_round_comes_first_in_the_next_one() {
        assert_eq!(order_of(0, 3), [0, 1, 2]);
        assert_eq!(order_of(1, 3), [2, 1, 0]);
        assert_eq!(order_of(2, 3), [0, 1, 2]);
    }

    #[test]
    fn the_batches_of_a_pass_hold_every_id() {
        for rows in [100u32, 101, 199, 200, 1_000] {
            let batches = (0..rows.div_ceil(100)).map(|number| ids_of(number, 100, rows));
            let mut ids: Vec<u32> = batches.flatten().collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids, (1..=rows).collect::<Vec<u32>>());
        }
    }
}
