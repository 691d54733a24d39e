//! Progress reports: packets that tell a client how far its statement is while it still runs.
//!
//! ```text
//! report   FF FFFF, strings 1 (one), stage 1, stages 1, thousandths of a percent 3, name (lenenc)
//! ```
//! It looks like an error with the number 65535, and comes before the reply: MariaDB's protocol
//! ("ERR_Packet", progress reporting). Only a client that asked for it gets one.
//!
//! Invariants
//! 1. A statement is reported on only until the first packet of its reply is written: who writes
//!    that ends the reports (`Packets`), in one step with taking over the number they came to.
//! 2. Reports and reply have consecutive sequence numbers.
//!
//! Not here: when a report is due to be sent at all, and that a slow client gets none (`server`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sql::{StageProgress, StatementProgress};

use crate::conversation::Report;

use super::encode::write_lenenc_bytes;
use super::frame::Packets;

/// What the packet has in the place of an error's number.
const NUMBER: u16 = 0xFFFF;

/// The reports of a connection whose client asked for them.
pub struct Reports {
    statement: StatementProgress,
    begun: Mutex<Option<RunningStatement>>,
}

/// A statement whose reply has not begun.
struct RunningStatement {
    /// The next report's sequence number.
    sequence: u8,
    /// How many were made.
    made: u8,
    interval: Duration,
    /// When the next one is due; at once, if none was made.
    due: Option<Instant>,
}

impl Reports {
    /// Of a session's statements.
    pub fn new(statement: StatementProgress) -> Arc<Reports> {
        Arc::new(Reports { statement, begun: Mutex::new(None) })
    }

    /// A statement begins to whose reply this sequence number would belong.
    pub fn begin(&self, sequence: u8, interval: Duration) {
        *self.begun.lock() = Some(RunningStatement { sequence, made: 0, interval, due: None });
    }

    /// The reply begins: no report is made from now on. How many were.
    pub fn end(&self) -> u8 {
        self.begun.lock().take().map_or(0, |begun| begun.made)
    }
}

impl Report for Reports {
    fn report(&self, now: Instant, out: &mut Vec<u8>) {
        let mut begun = self.begun.lock();
        let Some(begun) = &mut *begun else { return };
        if begun.due.is_some_and(|due| now < due) {
            return;
        }
        let Some(stage) = self.statement.now() else { return };
        write_report(&mut Packets::new(out, begun.sequence), &stage);
        begun.sequence = begun.sequence.wrapping_add(1);
        begun.made = begun.made.wrapping_add(1);
        begun.due = Some(now + begun.interval);
    }
}

fn write_report(packets: &mut Packets<'_>, stage: &StageProgress) {
    packets.packet(|out| {
        out.push(0xFF);
        out.extend_from_slice(&NUMBER.to_le_bytes());
        out.push(1);
        out.push(stage.number);
        out.push(stage.stages);
        out.extend_from_slice(&stage.thousandths().to_le_bytes()[..3]);
        write_lenenc_bytes(out, stage.words().as_bytes());
    });
}
