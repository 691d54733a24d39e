//! Writers at the MySQL door: single statements, and transactions of several.

use std::collections::BTreeSet;

use faults::Dice;

use crate::account::{Account, Change, Writer, padding, words};
use crate::load::{Ends, SLOTS};
use crate::mysql::{Failure, Mysql};

/// The key of a row of the table that SQL and HandlerSocket share.
pub fn id(account: u64, slot: u64) -> u64 {
    account * 1_000_000 + slot
}

/// A row of it as the judge names and prints it.
pub fn row(account: u64, slot: u64, serial: u64) -> Change {
    let (words, padding) = (words(account, serial), padding(account, serial));
    (name(account, slot), Some(format!("{account}|{serial}|{words}|{padding}")))
}

pub fn name(account: u64, slot: u64) -> String {
    format!("cuts.ledger/{}", id(account, slot))
}

/// The same as INSERT has it.
pub fn values(account: u64, slot: u64, serial: u64) -> String {
    let (words, padding) = (words(account, serial), padding(account, serial));
    format!("({}, {account}, {serial}, '{words}', '{padding}')", id(account, slot))
}

/// The rows of one writer.
struct Rows {
    account: u64,
    there: BTreeSet<u64>,
}

impl Rows {
    /// A statement of some kind, and what it changes.
    fn statement(&mut self, dice: &mut Dice, serial: u64) -> (String, Vec<Change>) {
        let account = self.account;
        let slot = dice.below(SLOTS);
        let key = id(account, slot);
        if !self.there.contains(&slot) {
            let mut slots = BTreeSet::from([slot]);
            if dice.one_of(6) {
                slots.extend((0..3).map(|_| dice.below(SLOTS)));
            }
            slots.retain(|slot| !self.there.contains(slot));
            let rows: Vec<String> =
                slots.iter().map(|slot| values(account, *slot, serial)).collect();
            self.there.extend(&slots);
            let changes = slots.iter().map(|slot| row(account, *slot, serial)).collect();
            return (format!("INSERT INTO cuts.ledger VALUES {}", rows.join(", ")), changes);
        }
        match dice.below(4) {
            0 => {
                self.there.remove(&slot);
                let delete = format!("DELETE FROM cuts.ledger WHERE id = {key}");
                (delete, vec![(name(account, slot), None)])
            }
            1 => {
                let replace =
                    format!("REPLACE INTO cuts.ledger VALUES {}", values(account, slot, serial));
                (replace, vec![row(account, slot, serial)])
            }
            _ => {
                let (words, padding) = (words(account, serial), padding(account, serial));
                let update = format!(
                    "UPDATE cuts.ledger SET serial = {serial}, words = '{words}', \
                     padding = '{padding}' WHERE id = {key}"
                );
                (update, vec![row(account, slot, serial)])
            }
        }
    }
}

/// Whether the server answered; it may be gone, but it must not refuse.
pub fn answered<T>(statement: &str, result: Result<T, Failure>) -> bool {
    match result {
        Ok(_) => true,
        Err(Failure::Gone(_)) => false,
        Err(why) => panic!("{}: {why}", statement.chars().take(200).collect::<String>()),
    }
}

/// Single statements.
pub fn write_statements(mut client: Mysql, mut writer: Writer, ends: &Ends) -> Account {
    let account = writer.account.number;
    let mut dice = Dice::new(ends.seed ^ account);
    let mut rows = Rows { account, there: BTreeSet::new() };
    while ends.go_on(&writer) {
        let (statement, changes) = rows.statement(&mut dice, writer.serial());
        if !writer.step(changes, || answered(&statement, client.execute(&statement))) {
            break;
        }
    }
    writer.account
}

/// Transactions, one in five rolled back.
pub fn write_transactions(mut client: Mysql, mut writer: Writer, ends: &Ends) -> Account {
    let account = writer.account.number;
    let mut dice = Dice::new(ends.seed ^ account);
    let mut rows = Rows { account, there: BTreeSet::new() };
    while ends.go_on(&writer) {
        let before = rows.there.clone();
        if !answered("BEGIN", client.execute("BEGIN")) {
            break;
        }
        let mut changes = Vec::new();
        for _ in 0..1 + dice.below(4) {
            let (statement, more) = rows.statement(&mut dice, writer.serial());
            if !answered(&statement, client.execute(&statement)) {
                return writer.account;
            }
            changes.extend(more);
        }
        if dice.one_of(5) {
            rows.there = before;
            if !answered("ROLLBACK", client.execute("ROLLBACK")) {
                break;
            }
        } else if !writer.step(changes, || answered("COMMIT", client.execute("COMMIT"))) {
            break;
        }
    }
    writer.account
}
