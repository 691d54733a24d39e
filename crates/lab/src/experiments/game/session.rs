//! One player's client, the count of what was acknowledged, and reading everything at the end.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Result, ensure};

use super::doors::{DoorAnswer, GameDoor, TransactionStep};
use super::table::Connect;
use super::world::{Player, World};
use crate::generator::{Client, ClientSession, Lanes, Progress, Verdict, WindowPlan, drive};
use crate::users::Chooser;

/// Connections and time that reading everything at the end takes at most.
const READERS: usize = 16;
const READ_SECONDS_MAX: f64 = 300.0;

/// Acknowledged changes per player; clones share it.
#[derive(Clone)]
pub struct GameLedger {
    changes: Arc<[AtomicU32]>,
}

impl GameLedger {
    /// Nothing was changed yet.
    pub fn new(rows: u32) -> GameLedger {
        GameLedger { changes: (0..=rows).map(|_| AtomicU32::new(0)).collect() }
    }

    /// Changes of a player that were acknowledged so far.
    pub fn acknowledged(&self, id: u32) -> u64 {
        u64::from(self.changes[id as usize].load(Ordering::SeqCst))
    }

    /// Players with a change.
    pub fn changed(&self) -> Vec<u32> {
        (1..self.changes.len() as u32).filter(|id| self.acknowledged(*id) > 0).collect()
    }

    /// A change of a player was acknowledged.
    pub fn acknowledge(&self, id: u32) {
        self.changes[id as usize].fetch_add(1, Ordering::SeqCst);
    }
}

/// What is there beside what was acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Differences {
    /// Acknowledged changes that are not there.
    pub lost: u64,
    /// Changes that are there and that nobody asked for, or got no answer to.
    pub unasked: u64,
}

impl Differences {
    /// Compares the scores of these players with a ledger.
    pub fn between(ledger: &GameLedger, scores: &Scores, players: &[u32]) -> Differences {
        let mut all = Differences::default();
        for id in players {
            let (is, must) = (scores.of(*id).unwrap_or(0), ledger.acknowledged(*id));
            all.lost += must.saturating_sub(is);
            all.unasked += is.saturating_sub(must);
        }
        all
    }
}

/// How transactions are spread over players.
#[derive(Debug, Clone, Copy)]
pub struct Popularity {
    /// The first so many players are popular.
    pub rows: u32,
    /// This part of the transactions goes to them, in percent.
    pub percent: u32,
}

/// One transaction under way.
#[derive(Debug, Clone, Default)]
pub struct GameTurn {
    /// The player.
    pub id: u32,
    /// What was read of it.
    pub player: Player,
    /// The account's number and note, as read.
    pub account: (Vec<u8>, Vec<u8>),
}

/// A client that plays without end.
pub struct Game {
    door: Box<dyn GameDoor>,
    world: World,
    ledger: GameLedger,
    popularity: Popularity,
    chooser: Chooser,
    turn: GameTurn,
    step: TransactionStep,
    acknowledged_before: u64,
    /// Reads that missed a change acknowledged before they were sent.
    pub stale: u64,
}

impl Game {
    /// A client with a door of its own.
    pub fn new(
        door: Box<dyn GameDoor>,
        world: World,
        ledger: GameLedger,
        popularity: Popularity,
        seed: u64,
        number: u64,
    ) -> Game {
        Game {
            door,
            world,
            ledger,
            popularity,
            chooser: Chooser::new(seed, number, 1..world.rows + 1),
            turn: GameTurn::default(),
            step: TransactionStep::Read,
            acknowledged_before: 0,
            stale: 0,
        }
    }

    fn choose(&mut self) -> u32 {
        if self.chooser.below(100) < self.popularity.percent {
            1 + self.chooser.below(self.popularity.rows)
        } else {
            self.chooser.one()
        }
    }
}

impl ClientSession for Game {
    fn start(&mut self, lanes: &mut Lanes) -> bool {
        self.turn.id = self.choose();
        self.step = TransactionStep::Read;
        self.acknowledged_before = self.ledger.acknowledged(self.turn.id);
        self.door.ask(TransactionStep::Read, &self.turn, lanes);
        true
    }

    fn reply(&mut self, lane: usize, input: &[u8], lanes: &mut Lanes) -> Progress {
        let answer = self.door.answer(self.step, &mut self.turn, lane, input, lanes);
        let id = self.turn.id;
        let (bytes, verdict) = match answer {
            DoorAnswer::Incomplete => return Progress::Incomplete,
            DoorAnswer::More(bytes) => return Progress::Step(bytes),
            DoorAnswer::Done(bytes) => match self.step {
                TransactionStep::Read if self.world.is_player(id, &self.turn.player) => {
                    self.stale += u64::from(self.turn.player.score < self.acknowledged_before);
                    self.step = TransactionStep::Write;
                    self.door.ask(TransactionStep::Write, &self.turn, lanes);
                    return Progress::Step(bytes);
                }
                TransactionStep::Write => {
                    self.ledger.acknowledge(id);
                    self.step = TransactionStep::Look;
                    self.door.ask(TransactionStep::Look, &self.turn, lanes);
                    return Progress::Step(bytes);
                }
                TransactionStep::Look
                    if self.world.is_account(id, &self.turn.account.0, &self.turn.account.1) =>
                {
                    (bytes, Verdict::Right)
                }
                TransactionStep::Read | TransactionStep::Look => (bytes, Verdict::Wrong),
            },
            DoorAnswer::Absent(bytes) => (bytes, Verdict::Wrong),
            DoorAnswer::Refused(bytes) => (bytes, Verdict::Refused),
        };
        Progress::Done { bytes, rows: 3, verdict }
    }
}

/// The scores of many players, read once nothing changes any more.
pub struct Scores {
    scores: HashMap<u32, u64>,
}

impl Scores {
    /// Reads these players; one that is not there has no score.
    pub fn read(connect: &Connect<'_>, world: World, ids: &[u32]) -> Result<Scores> {
        let mut clients = Vec::new();
        for part in ids.chunks(ids.len().div_ceil(READERS).max(1)) {
            let (door, streams) = connect()?;
            let (ids, scores) = (part.to_vec(), Vec::new());
            let session = Reading { door, world, ids, turn: GameTurn::default(), scores, asked: 0 };
            clients.push(Client::with_lanes(session, streams));
        }
        let plan = WindowPlan {
            warm: 0.0,
            measure: READ_SECONDS_MAX,
            depth: 1,
            threads: 1,
            servers: Vec::new(),
        };
        let (sample, sessions) = drive(clients, &plan)?;
        let bad = sample.first_bad.as_deref().unwrap_or("time is up");
        ensure!(sample.bad() == 0 && sample.requests == ids.len() as u64, "reading all: {bad}");
        let scores = sessions.into_iter().flat_map(|session| session.scores).collect();
        Ok(Scores { scores })
    }

    /// The score of a player.
    pub fn of(&self, id: u32) -> Option<u64> {
        self.scores.get(&id).copied()
    }
}

struct Reading {
    door: Box<dyn GameDoor>,
    world: World,
    ids: Vec<u32>,
    turn: GameTurn,
    scores: Vec<(u32, u64)>,
    asked: usize,
}

impl ClientSession for Reading {
    fn start(&mut self, lanes: &mut Lanes) -> bool {
        let Some(id) = self.ids.get(self.asked) else {
            return false;
        };
        self.asked += 1;
        self.turn.id = *id;
        self.door.ask(TransactionStep::Read, &self.turn, lanes);
        true
    }

    fn reply(&mut self, lane: usize, input: &[u8], lanes: &mut Lanes) -> Progress {
        let id = self.turn.id;
        let (bytes, verdict) =
            match self.door.answer(TransactionStep::Read, &mut self.turn, lane, input, lanes) {
                DoorAnswer::Incomplete => return Progress::Incomplete,
                DoorAnswer::More(bytes) => return Progress::Step(bytes),
                DoorAnswer::Done(bytes) if self.world.is_player(id, &self.turn.player) => {
                    self.scores.push((id, self.turn.player.score));
                    (bytes, Verdict::Right)
                }
                DoorAnswer::Done(bytes) => (bytes, Verdict::Wrong),
                DoorAnswer::Absent(bytes) => (bytes, Verdict::Right),
                DoorAnswer::Refused(bytes) => (bytes, Verdict::Refused),
            };
        Progress::Done { bytes, rows: 1, verdict }
    }
}
