//! Handshakes in the pool: behind everything else, a few at a time, and none forgotten.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use doors::{Conversation, Input, Next, Turn, Urgency};
use parking_lot::Mutex;
use resources::background::cores;
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use server::net::mailbox::{Mailbox, Task};
use server::net::pool::Pool;

/// Says that its turn has begun, and ends it when it is told to.
struct Slow {
    begun: Sender<Urgency>,
    end: Arc<Mutex<Receiver<()>>>,
    urgency: Urgency,
}

impl Conversation for Slow {
    fn turn(&mut self, _: &mut Input, _: &mut Vec<u8>, _: &mut Turn<'_>) -> Next {
        self.begun.send(self.urgency).unwrap();
        if self.urgency == Urgency::Handshake {
            self.end.lock().recv().unwrap();
        }
        Next::Input
    }

    fn commit_failed(&mut self, _: &rows::Error, _: &mut Vec<u8>) {}
}

#[test]
fn a_storm_of_handshakes_holds_up_no_other_errand_and_all_of_them_are_served() {
    const STORM: usize = 200;
    let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).unwrap();
    let (pool, home) = (Pool::new(engine), Arc::new(Mailbox::new().unwrap()));
    let (begun, begins) = channel();
    let (end, ends) = channel();
    let ends = Arc::new(Mutex::new(ends));
    let submit = |urgency| {
        let slow = Slow { begun: begun.clone(), end: ends.clone(), urgency };
        let task = Task {
            token: 0,
            conversation: Some(Box::new(slow)),
            urgency,
            input: Input::new(),
            out: Vec::new(),
            socket: None,
            sent: 0,
            next: Next::Close,
            requests: 0,
            reads_in_loop: 0,
            was_for_pool: false,
        };
        pool.submit(task, home.clone());
    };
    (0..STORM).for_each(|_| submit(Urgency::Handshake));
    // None of the handshakes ends, yet every other task is served.
    let others = [Urgency::Ordinary, Urgency::HoldsLocks, Urgency::FreesLocks];
    others.iter().for_each(|urgency| submit(*urgency));
    let mut handshakes = 0;
    let mut served = Vec::new();
    while served.len() < others.len() {
        match begins.recv().unwrap() {
            Urgency::Handshake => handshakes += 1,
            urgency => served.push(urgency),
        }
    }
    assert!(handshakes <= (cores() / 2).max(1), "{handshakes} are computed at once");
    (0..STORM).for_each(|_| end.send(()).unwrap());
    while handshakes < STORM {
        assert_eq!(begins.recv().unwrap(), Urgency::Handshake);
        handshakes += 1;
    }
    pool.stop();
}
