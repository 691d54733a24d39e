//! What a loop has read for a conversation that misses something, as the server's do.
//!
//! Not here: turns in loops and pools (`serving`, and the MySQL door's client).

use std::os::fd::AsFd;
use std::sync::Arc;

use doors::Next;
use rows::Engine;
use rows::begun_reads::{BegunReads, ReadPiece};

/// Reads that are made for a request before it goes to the pool.
const READS_MAX: u32 = 4;

/// What a loop has read for a conversation, where the store can read beside.
pub struct Reads {
    begun: Option<Box<dyn BegunReads>>,
    piece: Option<Box<dyn ReadPiece>>,
    made: u32,
}

impl Reads {
    /// Of a loop on an engine.
    pub fn of(engine: &Arc<Engine>) -> Reads {
        // Nobody sleeps here, so nobody is woken.
        let begun = engine.store().begun_reads(std::io::stdin().as_fd());
        Reads { begun, piece: None, made: 0 }
    }

    /// Takes a turn in the loop, which finds what was read for it.
    pub fn lend(&mut self, engine: &Arc<Engine>, turn: &mut dyn FnMut()) {
        engine.store().begin_turn(self.begun.is_some());
        match self.piece.take() {
            Some(piece) => piece.lend_to(turn),
            None => turn(),
        }
    }

    /// Reads what the last turn was refused; whether the next turn is the loop's again.
    pub fn make(&mut self, next: Next) -> bool {
        let misses = next == Next::Offload && self.made < READS_MAX;
        if let Some(begun) = &mut self.begun
            && misses
            && begun.begin(0)
        {
            let mut arrivals = Vec::new();
            begun.proceed(&mut arrivals);
            self.piece = arrivals.pop().and_then(|arrival| arrival.piece);
        }
        self.made = if self.piece.is_some() { self.made + 1 } else { 0 };
        self.piece.is_some()
    }
}
