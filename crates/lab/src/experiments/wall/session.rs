//! What clients of the wall ask beside the game: single look-ups, single updates; and the count of what
//! was answered in each second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::experiments::game::doors::{Answer, Door, Step};
use crate::experiments::game::session::{Ledger, Turn};
use crate::experiments::game::world::World;
use crate::generator::{Lanes, Progress, Session, Verdict};
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
pub struct Asking {
    door: Box<dyn Door>,
    world: World,
    ledger: Ledger,
    single: Single,
    chooser: Chooser,
    turn: Turn,
    step: Step,
}

impl Asking {
    /// A client with a door of its own; `number` tells it from others.
    pub fn new(
        door: Box<dyn Door>,
        world: World,
        ledger: Ledger,
        single: Single,
        seed: u64,
        number: u64,
    ) -> Asking {
        let chooser = Chooser::new(seed, number, 1..world.rows + 1);
        let (turn, step) = (Turn::default(), Step::Look);
        Asking { door, world, ledger, single, chooser, turn, step }
    }

    /// Whether what was read is what the ledger says: nobody writes while others look up.
    fn is_right(&self) -> bool {
        let (id, turn) = (self.turn.id, &self.turn);
        match self.step {
            Step::Read => {
                let is_current = turn.player.score == self.ledger.acknowledged(id);
                is_current && self.world.is_player(id, &turn.player)
            }
            Step::Look => self.world.is_account(id, &turn.account.0, &turn.account.1),
            Step::Write => true,
        }
    }
}

impl Session for Asking {
    fn start(&mut self, lanes: &mut Lanes) -> bool {
        self.step = match (self.single, self.step) {
            (Single::Update, _) => Step::Write,
            (Single::LookUp, Step::Look) => Step::Read,
            (Single::LookUp, _) => Step::Look,
        };
        self.turn.id = self.chooser.one();
        if self.step == Step::Look {
            self.turn.player.email = self.world.email(self.turn.id);
        }
        self.door.ask(self.step, &self.turn, lanes);
        true
    }

    fn reply(&mut self, lane: usize, input: &[u8], lanes: &mut Lanes) -> Progress {
        let answer = self.door.answer(self.step, &mut self.turn, lane, input, lanes);
        let (bytes, verdict) = match answer {
            Answer::Incomplete => return Progress::Incomplete,
            Answer::More(bytes) => return Progress::Step(bytes),
            Answer::Done(bytes) if self.is_right() => {
                if self.step == Step::Write {
                    self.ledger.acknowledge(self.turn.id);
                }
                (bytes, Verdict::Right)
            }
            Answer::Done(bytes) | Answer::Absent(bytes) => (bytes, Verdict::Wrong),
            Answer::Refused(bytes) => (bytes, Verdict::Refused),
        };
        Progress::Done { bytes, rows: 1, verdict }
    }
}

/// A client whose requests are counted as they are answered.
pub struct Counted<S> {
    /// The client.
    pub session: S,
    /// Answers to all clients so far.
    pub answers: Arc<AtomicU64>,
}

impl<S: Session> Session for Counted<S> {
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
