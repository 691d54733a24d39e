//! Contenders taking turns: the same load for each, round after round.

use std::borrow::Cow;
use std::collections::VecDeque;

use anyhow::{Context, Result};

use super::fleet::Readable;
use super::{Common, progress};
use crate::generator::{Client, Lanes, Progress, Session, drive};
use crate::protocols::{Found, Reader};
use crate::report::{Measurement, Report};
use crate::users::{Chooser, Users};

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
            for (contender, failed) in contenders.iter().zip(&mut failed) {
                if *failed || !common.wants(contender.name) {
                    continue;
                }
                let turn = one_turn(contender, mode, users, connections, common, round);
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

impl Session for Lookup {
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
            Found::Incomplete => Progress::Incomplete,
            Found::Reply(bytes, verdict) => {
                let rows = ids.len() as u32;
                self.spare.extend(self.asked.pop_front());
                Progress::Done { bytes, rows, verdict }
            }
        }
    }
}
