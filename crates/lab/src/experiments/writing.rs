//! Windows of writes, and the proof that what was acknowledged is there.
//!
//! Every connection owns the ids it writes, so the last acknowledged version of a row is known
//! without asking. After each window a sample of what it wrote is read back, version and all.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, ensure};

use super::Common;
use super::fleet::Writable;
use crate::generator::{Client, ClientSession, Lanes, Progress, Verdict, WindowPlan, drive};
use crate::protocols::{Judgement, Reader, Writer};
use crate::report::Measurement;
use crate::users::{Chooser, Users};

/// One update in so many repeats what its row has already, as the writes of caches do.
const REPEATED: u32 = 8;
/// Rows that are read back for each connection after a window.
const CHECKED_PER_CONNECTION: usize = 64;
/// Reading back takes at most this long.
const CHECK_SECONDS_MAX: f64 = 60.0;

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteKind {
    /// Loaded rows get new contents, but for some that get what they have.
    Update,
    /// New rows.
    Insert,
}

/// What one contender has acknowledged so far, over all its windows.
pub struct WriteLedger {
    users: Users,
    /// Last acknowledged version of each loaded row; index 0 is unused.
    versions: Arc<[AtomicU32]>,
    /// The first id that no insert has used.
    fresh: u32,
}

impl WriteLedger {
    /// The ledgers of contenders on freshly loaded rows. Some contenders are doors of one server,
    /// so each inserts into a range of ids of its own.
    pub fn for_all(users: Users, contenders: usize) -> Vec<WriteLedger> {
        let range = (u32::MAX - users.rows) / contenders.max(1) as u32;
        let versions = || (0..=users.rows).map(|_| AtomicU32::new(0)).collect();
        (0..contenders as u32)
            .map(|number| WriteLedger {
                users,
                versions: versions(),
                fresh: users.rows + 1 + number * range,
            })
            .collect()
    }
}

/// One window of writes on new connections, read back afterwards.
pub fn one_window(
    target: &Writable<'_>,
    ledger: &mut WriteLedger,
    mode: &str,
    kind: WriteKind,
    connections: usize,
    round: usize,
    common: &Common,
) -> Result<Measurement> {
    let users = ledger.users;
    ensure!(connections as u32 <= users.rows, "more connections than rows");
    let mut clients = Vec::with_capacity(connections);
    for number in 0..connections as u32 {
        let (writer, stream) = (target.connect)().context("connecting")?;
        let owned = (users.rows - number).div_ceil(connections as u32);
        let seed = common.seed ^ ((round as u64) << 32);
        let session = Writing {
            writer,
            users,
            kind,
            first: number,
            step: connections as u32,
            fresh: ledger.fresh,
            inserts: 0,
            updates: 0,
            chooser: Chooser::new(seed, u64::from(number), 0..owned),
            versions: Arc::clone(&ledger.versions),
            asked: VecDeque::new(),
            done: VecDeque::new(),
        };
        clients.push(Client::new(session, stream));
    }
    let (sample, sessions) = drive(clients, &common.plan(1, vec![target.pid]))?;
    let most = sessions.iter().map(|session| session.inserts).max().unwrap_or(0);
    ledger.fresh += most * connections as u32;
    let written: Vec<(u32, u32)> = sessions.into_iter().flat_map(|session| session.done).collect();
    // A row written twice has the version that came last.
    let current = written.into_iter().map(|(id, version)| {
        let known = ledger.versions.get(id as usize);
        (id, known.map_or(version, |known| known.load(Ordering::Relaxed)))
    });
    read_back(target, current.collect()).context("reading back what was acknowledged")?;
    Ok(Measurement::new(mode, target.name, round, connections, &sample))
}

fn read_back(target: &Writable<'_>, rows: Vec<(u32, u32)>) -> Result<()> {
    let (reader, stream) = (target.read)(1)?;
    let must = rows.len() as u64;
    let session = ReadBack { reader, rows: rows.into(), asked: None };
    let plan = WindowPlan {
        warm: 0.0,
        measure: CHECK_SECONDS_MAX,
        depth: 1,
        threads: 1,
        servers: Vec::new(),
    };
    let (sample, _) = drive(vec![Client::new(session, stream)], &plan)?;
    let bad = sample.first_bad.as_deref().unwrap_or("time is up");
    ensure!(sample.bad() == 0 && sample.requests == must, "{} bad rows: {bad}", sample.bad());
    Ok(())
}

/// A client that writes without end.
struct Writing {
    writer: Box<dyn Writer>,
    users: Users,
    kind: WriteKind,
    /// This client's number, and the number of clients: ids are dealt out among them.
    first: u32,
    step: u32,
    fresh: u32,
    inserts: u32,
    updates: u32,
    chooser: Chooser,
    versions: Arc<[AtomicU32]>,
    asked: VecDeque<(u32, u32)>,
    /// The latest acknowledged writes: id and version.
    done: VecDeque<(u32, u32)>,
}

impl ClientSession for Writing {
    fn start(&mut self, lanes: &mut Lanes) -> bool {
        let out = lanes.out(0);
        let (id, version) = match self.kind {
            WriteKind::Update => {
                let id = 1 + self.first + self.chooser.one() * self.step;
                self.updates += 1;
                let change = u32::from(!self.updates.is_multiple_of(REPEATED));
                (id, self.versions[id as usize].load(Ordering::Relaxed) + change)
            }
            WriteKind::Insert => {
                let id = self.fresh + self.first + self.inserts * self.step;
                self.inserts += 1;
                (id, 0)
            }
        };
        let row = self.users.row(id, version);
        match self.kind {
            WriteKind::Update => self.writer.set(id, &row, out),
            WriteKind::Insert => self.writer.insert(id, &row, out),
        }
        self.asked.push_back((id, version));
        true
    }

    fn reply(&mut self, _lane: usize, input: &[u8], _lanes: &mut Lanes) -> Progress {
        let Some(&(id, version)) = self.asked.front() else {
            return Progress::Done { bytes: input.len(), rows: 0, verdict: Verdict::Wrong };
        };
        let found = match self.kind {
            WriteKind::Update => self.writer.stored(id, input),
            WriteKind::Insert => self.writer.inserted(id, input),
        };
        match found {
            Judgement::Incomplete => Progress::Incomplete,
            Judgement::Reply(bytes, verdict) => {
                self.asked.pop_front();
                if verdict == Verdict::Right {
                    if self.kind == WriteKind::Update {
                        self.versions[id as usize].store(version, Ordering::Relaxed);
                    }
                    if self.done.len() == CHECKED_PER_CONNECTION {
                        self.done.pop_front();
                    }
                    self.done.push_back((id, version));
                }
                Progress::Done { bytes, rows: 1, verdict }
            }
        }
    }
}

/// A client that reads a list of rows once.
struct ReadBack {
    reader: Box<dyn Reader>,
    rows: VecDeque<(u32, u32)>,
    asked: Option<(u32, u32)>,
}

impl ClientSession for ReadBack {
    fn start(&mut self, lanes: &mut Lanes) -> bool {
        self.asked = self.rows.pop_front();
        if let Some((id, _)) = self.asked {
            self.reader.get(&[id], lanes.out(0));
        }
        self.asked.is_some()
    }

    fn reply(&mut self, _lane: usize, input: &[u8], _lanes: &mut Lanes) -> Progress {
        let Some((id, version)) = self.asked else {
            return Progress::Done { bytes: input.len(), rows: 0, verdict: Verdict::Wrong };
        };
        match self.reader.got(&[id], version, input) {
            Judgement::Incomplete => Progress::Incomplete,
            Judgement::Reply(bytes, verdict) => Progress::Done { bytes, rows: 1, verdict },
        }
    }
}
