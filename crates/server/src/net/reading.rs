//! How a loop reads from a disk without waiting: a conversation that misses a block has its turn
//! again when that has been read.
//!
//! Handing a conversation to a thread that may wait, and taking it back, costs more than its
//! look-up and the disk together. So what it was refused is read meanwhile (`rows::begun_reads`),
//! all reads of a turn in one system call, and the conversation, which has changed nothing, stays
//! where it is. One that needs more than a few blocks, such as a scan, goes to the pool.
//! (docs/decisions/0066-reads-begun-in-loops.md)
//!
//! Invariants
//! 1. A connection whose phase is `Reading` has one read under way, and gets its turn, or goes to
//!    the pool, when that ends.
//! 2. A piece that was read is let go by the turn that it was read for, or with the connection.
//! 3. While the loop is parked (`loop_threads`) no read is under way: reads belong to the thread
//!    that has begun them, and another may run the loop on.
//!
//! Not here: what is read, and how (the store); what goes to the pool at once (`connection`).

use super::connection::Phase;
use super::event_loop::EventLoop;
use super::limits::READS_MAX;
use super::poller::{Poller, Token};

impl<P: Poller> EventLoop<P> {
    /// Has read what the conversation was refused in the turn that has just ended. `false`: it is
    /// one for the pool.
    pub(super) fn begin_read(&mut self, token: Token) -> bool {
        // The loop is going to be parked.
        if self.here.is_some() {
            return false;
        }
        let (Some(connection), Some(reads)) = (self.slots.get(token), &mut self.reads) else {
            return false;
        };
        if connection.reads == READS_MAX || !reads.begin(token) {
            return false;
        }
        connection.reads += 1;
        connection.phase = Phase::Reading;
        let door = connection.door;
        self.counters().doors[door].reads.add(1);
        true
    }

    /// At the beginning of a turn: those go on whose reads have come.
    pub(super) fn take_reads(&mut self) {
        self.proceed_with_reads();
        let mut arrivals = std::mem::take(&mut self.arrivals);
        for arrival in arrivals.drain(..) {
            let token = arrival.name;
            let Some(connection) = self.slots.get(token) else {
                continue;
            };
            // It may have been told good-bye meanwhile.
            if connection.phase != Phase::Reading {
                continue;
            }
            connection.piece = arrival.piece;
            match connection.piece {
                Some(_) => self.go_on(token),
                None => self.offload(token),
            }
        }
        self.arrivals = arrivals;
    }

    /// Hands the turn's reads to the kernel. Some may have come at once.
    pub(super) fn proceed_with_reads(&mut self) {
        if let Some(reads) = &mut self.reads {
            reads.proceed(&mut self.arrivals);
        }
    }

    /// Whether reads wait for the kernel to take them.
    pub(super) fn has_reads_behind(&self) -> bool {
        self.reads.as_ref().is_some_and(|reads| reads.is_behind())
    }

    /// Reads that have not come.
    pub(super) fn reads_under_way(&self) -> usize {
        self.reads.as_ref().map_or(0, |reads| reads.under_way())
    }
}
