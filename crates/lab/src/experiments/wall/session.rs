//! What clients of the wall ask beside the game: single look-ups, single updates; and the count of
//! what was answered in each second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::experiments::game::doors::{DoorAnswer, GameDoor, TransactionStep};
use crate::experiments::game::session::{GameLedger, GameTurn};
use crate::experiments::game::world::World;
use crate::generator::{ClientSession, Lanes, Progress, Verdict};
use crate::users::Chooser;

/// What a client asks without end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Single {
    /// A player by number or an account by address, in turn.
    LookUp,
    /// One is added to a player's score.
    Update,
}

/// A client of single requests, for rows of which each is as likely as any other.
pub struct SingleRequests {
    door: Box<dyn GameDoor>,
    world: World,
    ledger: GameLedger,
    single: Single,
    chooser: Chooser,
    turn: GameTurn,
    step: TransactionStep,
}

impl SingleRequests {
    /// A client with a door of its own; `number` tells it from others.
    pub fn new(
        door: Box<dyn GameDoor>,
        world: World,
        ledger: GameLedger,
        single: Single,
        seed: u64,
        number: u64,
    ) -> SingleRequests {
        let chooser = Chooser::new(seed, number, 1..world.rows + 1);
        let (turn, step) = (GameTurn::default(), TransactionStep::Look);
        SingleRequests { door, world, ledger, single, chooser, turn, step }
    }

    /// Whether what was read is what the ledger says: nobody writes while others look up.
    fn is_right(&self) -> bool {
        let (id, turn) = (self.turn.id, &self.turn);
        match self.step {
            TransactionStep::Read => {
                let is_current = turn.player.score == self.ledger.acknowledged(id);
                is_current && self.world.is_player(id, &turn.player)
            }
            TransactionStep::Look => self.world.is_account(id, &turn.account.0, &turn.account.1),
            TransactionStep::Write => true,
        }
    }
}

impl ClientSession for SingleRequests {
    fn start(&mut self, lanes: &mut Lanes) -> bool {
        self.step = match (self.single, self.step) {
            (Single::Update, _) => TransactionStep::Write,
            (Single::LookUp, TransactionStep::Look) => TransactionStep::Read,
            (Single::LookUp, _) => TransactionStep::Look,
        };
        self.turn.id = self.chooser.one();
        if self.step == TransactionStep::Look {
            self.turn.player.email = self.world.email(self.turn.id);
        }
        self.door.ask(self.step, &self.turn, lanes);
        true
    }

    fn reply(&mut self, lane: usize, input: &[u8], lanes: &mut Lanes) -> Progress {
        let answer = self.door.answer(self.step, &mut self.turn, lane, input, lanes);
        let (bytes, verdict) = match answer {
            DoorAnswer::Incomplete => return Progress::Incomplete,
            DoorAnswer::More(bytes) => return Progress::Step(bytes),
            DoorAnswer::Done(bytes) if self.is_right() => {
                if self.step == TransactionStep::Write {
                    self.ledger.acknowledge(self.turn.id);
                }
                (bytes, Verdict::Right)
            }
            DoorAnswer::Done(bytes) | DoorAnswer::Absent(bytes) => (bytes, Verdict::Wrong),
            DoorAnswer::Refused(bytes) => (bytes, Verdict::Refused),
        };
        Progress::Done { bytes, rows: 1, verdict }
    }
}

/// A client whose requests are counted as they are answered.
pub struct CountingSession<S> {
    /// The client.
    pub session: S,
    /// Answers to all clients so far.
    pub answers: Arc<AtomicU64>,
}

impl<S: ClientSession> ClientSession for CountingSession<S> {
    fn start(&mut self, lanes: &mut Lanes) -> bool {
        self.session.start(lanes)
    }

    fn reply(&mut self, lane: usize, input: &[u8], lanes: &mut Lanes) -> Progress {
        let progress = self.session.reply(lane, input, lanes);
        if matches!(progress, Progress::Done { .. }) {
            self.answers.fetch_add(1, Ordering::Relaxed);
        }
        progress
    }
}

/// Answers in each full second until it is over.
pub fn each_second(answers: &AtomicU64, over: &AtomicBool) -> Vec<u64> {
    const STEP: Duration = Duration::from_millis(20);
    const SECOND: Duration = Duration::from_secs(1);
    let mut seconds = Vec::new();
    let (mut next, mut before) = (Instant::now() + SECOND, 0);
    while !over.load(Ordering::Relaxed) {
        std::thread::sleep(STEP.min(next.saturating_duration_since(Instant::now())));
        if Instant::now() >= next {
            let so_far = answers.load(Ordering::Relaxed);
            seconds.push(so_far - before);
            (next, before) = (next + SECOND, so_far);
        }
    }
    seconds
}
