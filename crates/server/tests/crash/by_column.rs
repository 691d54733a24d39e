//! A writer to a table stored by column. It fills the table so far that the mover seals the rows,
//! and then changes so many of them that the mover makes new segments of the worn ones; for each it
//! waits once. Some of what it does changes the ledger, too, in the same transaction.
//!
//! Not here: what a cut leaves of segments (`segments`).

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::Ordering;

use faults::Dice;

use crate::account::{Account, Change, Writer, words};
use crate::load::{Ends, SLOTS};
use crate::mysql::Mysql;
use crate::sql_rows::{self, answered, id};
use crate::support::wait_until;

/// Rows of a full table: more than the mover leaves where they are.
const ROWS: u64 = 1500;
const ROWS_AT_ONCE: usize = 300;
/// Rows of one change.
const CHANGED_MAX: u64 = 60;
/// Changed rows after which a segment is worn.
const CHANGES_MANY: usize = ROWS as usize / 2;
/// Steps of other writers for one of this, which waits meanwhile.
const STEPS_PART: usize = 4;

/// A row as the judge names and prints it.
fn row(account: u64, slot: u64, serial: u64) -> Change {
    let words = words(account, serial);
    (name(account, slot), Some(format!("{account}|{serial}|{words}")))
}

fn name(account: u64, slot: u64) -> String {
    format!("cuts.by_column/{}", id(account, slot))
}

/// The rows of the writer.
struct Rows {
    account: u64,
    there: BTreeSet<u64>,
    /// Until it is full for the first time nothing but inserts is done.
    was_full: bool,
    /// Rows that were changed or removed since.
    changed: usize,
}

impl Rows {
    /// A statement of some kind, and what it changes.
    fn statement(&mut self, dice: &mut Dice, serial: u64) -> (String, Vec<Change>) {
        if !self.was_full || self.there.len() < ROWS as usize / 2 {
            let free = (0..ROWS).filter(|slot| !self.there.contains(slot));
            let free: Vec<u64> = free.take(ROWS_AT_ONCE).collect();
            let insert =
                format!("INSERT INTO cuts.by_column VALUES {}", self.values(&free, serial));
            let changes = self.put(&free, serial);
            self.was_full |= self.there.len() == ROWS as usize;
            return (insert, changes);
        }
        let account = self.account;
        let first = dice.below(ROWS);
        let slots = first..(first + 1 + dice.below(CHANGED_MAX)).min(ROWS);
        let there: Vec<u64> = self.there.range(slots.clone()).copied().collect();
        self.changed += there.len();
        let some: Vec<u64> = slots.clone().collect();
        let among =
            format!("id BETWEEN {} AND {}", id(account, slots.start), id(account, slots.end - 1));
        match dice.below(5) {
            0 => {
                self.there.retain(|slot| !slots.contains(slot));
                let changes = there.iter().map(|slot| (name(account, *slot), None)).collect();
                (format!("DELETE FROM cuts.by_column WHERE {among}"), changes)
            }
            1 => {
                let values = self.values(&some, serial);
                (format!("REPLACE INTO cuts.by_column VALUES {values}"), self.put(&some, serial))
            }
            2 => {
                let insert = format!(
                    "INSERT INTO cuts.by_column VALUES {} ON DUPLICATE KEY UPDATE \
                     serial = VALUES(serial), words = VALUES(words)",
                    self.values(&some, serial)
                );
                (insert, self.put(&some, serial))
            }
            _ => {
                let words = words(account, serial);
                let set = format!("serial = {serial}, words = '{words}'");
                let update = format!("UPDATE cuts.by_column SET {set} WHERE {among}");
                (update, self.put(&there, serial))
            }
        }
    }

    fn values(&self, slots: &[u64], serial: u64) -> String {
        let account = self.account;
        let words = words(account, serial);
        let value =
            |slot: &u64| format!("({}, {account}, {serial}, '{words}')", id(account, *slot));
        slots.iter().map(value).collect::<Vec<String>>().join(", ")
    }

    /// Rows that are there from now on, as a step has written them.
    fn put(&mut self, slots: &[u64], serial: u64) -> Vec<Change> {
        self.there.extend(slots);
        slots.iter().map(|slot| row(self.account, *slot, serial)).collect()
    }
}

/// What the mover is to do next while the writer waits.
enum Awaited {
    Sealed,
    Renewed,
    Nothing,
}

pub fn write_by_column(mut client: Mysql, mut writer: Writer, ends: &Ends) -> Account {
    let account = writer.account.number;
    let ends = Ends { steps_max: ends.steps_max / STEPS_PART, ..ends.clone() };
    let mut dice = Dice::new(ends.seed ^ account);
    let mut rows = Rows { account, there: BTreeSet::new(), was_full: false, changed: 0 };
    let mut awaited = Awaited::Sealed;
    let Some(mut bytes) = sealed_bytes(&mut client) else { return writer.account };
    while ends.go_on(&writer) {
        let serial = writer.serial();
        let (statement, mut changes) = rows.statement(&mut dice, serial);
        let went_on = match dice.one_of(3) {
            false => writer.step(changes, || answered(&statement, client.execute(&statement))),
            true => {
                let slot = dice.below(SLOTS);
                let values = sql_rows::values(account, slot, serial);
                changes.push(sql_rows::row(account, slot, serial));
                let of_both =
                    ["BEGIN", &statement, &format!("REPLACE INTO cuts.ledger VALUES {values}")];
                of_both.iter().all(|statement| answered(statement, client.execute(statement)))
                    && writer.step(changes, || answered("COMMIT", client.execute("COMMIT")))
            }
        };
        let next = match awaited {
            Awaited::Sealed if rows.was_full => Awaited::Renewed,
            Awaited::Renewed if rows.changed >= CHANGES_MANY => Awaited::Nothing,
            _ if went_on => continue,
            _ => break,
        };
        (awaited, rows.changed) = (next, 0);
        match moved(&mut client, &ends, &bytes) {
            Some(now) => bytes = now,
            None => break,
        }
    }
    writer.account
}

/// Waits until the rows in segments have other bytes than before, or until the end; `None` when the
/// server is gone.
fn moved(client: &mut Mysql, ends: &Ends, before: &Range<u64>) -> Option<Range<u64>> {
    let mut now = None;
    wait_until("the mover", || {
        now = sealed_bytes(client);
        let are_others = |now: &Range<u64>| now.end <= before.start || before.end <= now.start;
        now.as_ref().is_none_or(are_others) || ends.ended.load(Ordering::Relaxed)
    });
    now
}

/// How many bytes the rows in segments had, as exactly as can be told by rows and bytes of a row;
/// `None` when the server is gone.
fn sealed_bytes(client: &mut Mysql) -> Option<Range<u64>> {
    let status = client.query("SHOW TABLE STATUS FROM cuts LIKE 'by_column'").ok()?;
    let number = |at: usize| status[0][at].as_ref().and_then(|text| text.parse::<u64>().ok());
    let (rows, row_bytes) = (number(4)?, number(5)?);
    Some(rows * row_bytes..rows * (row_bytes + 1))
}
