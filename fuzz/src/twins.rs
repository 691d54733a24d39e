//! Two servers in memory that are told the same: one all at once, the other piece by piece.
//!
//! Invariants
//! 1. Both answer the same bytes, whatever the pieces are.
//! 2. A conversation never consumes what did not come (`Input` panics), and keeps no more of its
//!    input in memory than it was sent.
//! 3. Twins are made again after `INPUTS_MAX` inputs, so that what one input found can be told
//!    from few others.

use std::sync::Arc;

use doors::{Conversation, Input, Next, Turn};
use resources::clock::SetClock;
use rows::Group;
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};

/// Inputs that one pair of twins sees.
const INPUTS_MAX: usize = 64;
/// Turns without progress after which a conversation is taken to hang.
const TURNS_MAX: usize = 100_000;

/// What makes conversations on an engine.
pub type Converse = Box<dyn Fn() -> Box<dyn Conversation>>;

struct Twin {
    engine: Arc<Engine>,
    converse: Converse,
}

/// Two engines of the same state.
pub struct Twins {
    twins: [Twin; 2],
    inputs: usize,
    make: fn(&Arc<Engine>) -> Converse,
}

impl Twins {
    /// Twins whose tables and conversations `make` makes.
    pub fn new(make: fn(&Arc<Engine>) -> Converse) -> Twins {
        let twin = || {
            let clock = Arc::new(SetClock::at(2_000_000_000 * 1_000_000));
            let options = EngineOptions {
                clock,
                durability: rows::store::Durability::Os,
                row_cache_bytes: 1 << 20,
                ..EngineOptions::default()
            };
            let store = Arc::new(MemoryStore::new());
            let engine = Engine::open(store, options).expect("an empty store");
            let converse = make(&engine);
            Twin { engine, converse }
        };
        Twins { twins: [twin(), twin()], inputs: 0, make }
    }

    /// Tells both the same; gives the answer, and whether the connection was closed.
    pub fn tell(&mut self, input: &[u8], seed: u8) -> (Vec<u8>, bool) {
        self.inputs += 1;
        if self.inputs > INPUTS_MAX {
            *self = Twins::new(self.make);
        }
        let at_once = self.twins[0].tell(&[input]);
        // Pieces of 1 to 8 bytes, or single bytes.
        let size = 1 + usize::from(seed % 8);
        let pieces: Vec<&[u8]> = input.chunks(size).collect();
        let in_pieces = self.twins[1].tell(&pieces);
        assert_eq!(
            at_once.0.escape_ascii().to_string(),
            in_pieces.0.escape_ascii().to_string(),
            "in pieces of {size} the answer is another"
        );
        assert_eq!(at_once.1, in_pieces.1, "in pieces of {size} it ends otherwise");
        at_once
    }
}

impl Twin {
    fn tell(&self, pieces: &[&[u8]]) -> (Vec<u8>, bool) {
        let mut conversation = (self.converse)();
        let (mut input, mut out) = (Input::new(), Vec::new());
        for piece in pieces {
            input.extend(piece);
            if self.serve(&mut *conversation, &mut input, &mut out) {
                return (out, true);
            }
        }
        (out, false)
    }

    /// Takes turns until more input is needed; whether the connection ends.
    fn serve(&self, told: &mut dyn Conversation, input: &mut Input, out: &mut Vec<u8>) -> bool {
        let mut pool = false;
        for _ in 0..TURNS_MAX {
            let mut group = Group::new();
            let mut turn = if pool {
                Turn::in_pool(&self.engine, &mut group)
            } else {
                Turn::in_loop(&self.engine, &mut group)
            };
            let before = (input.len(), out.len());
            let next = told.turn(input, out, &mut turn);
            if let Some((transaction, durability)) = group.take() {
                transaction.commit(durability).expect("memory commits");
            }
            let stuck = pool && before == (input.len(), out.len());
            pool = next == Next::Offload;
            match next {
                Next::Input => return false,
                Next::Close => return true,
                Next::Offload => assert!(!stuck, "offloaded twice, nothing done"),
                Next::Again | Next::Commit | Next::Encrypt | Next::Later(_) => {}
            }
        }
        panic!("the conversation goes on for ever");
    }
}
