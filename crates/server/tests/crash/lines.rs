//! Writers at the HandlerSocket door: inserts, updates and deletes, several sent at once.

use std::collections::BTreeSet;

use faults::Dice;

use crate::account::{Account, Writer, padding, words};
use crate::load::{Ends, Lines, SLOTS};
use crate::sql_rows::{id, name, row};

const AT_ONCE_MAX: u64 = 6;

/// The request that opens the table as index 1.
pub const OPEN: &str = "P\t1\tcuts\tledger\tPRIMARY\tid,account,serial,words,padding\n";

/// The table is open as index 1.
pub fn write_lines(mut client: Lines, mut writer: Writer, ends: &Ends) -> Account {
    let account = writer.account.number;
    let mut dice = Dice::new(ends.seed ^ account);
    let mut there = BTreeSet::new();
    while ends.go_on(&writer) {
        let first = writer.serial();
        let mut requests = String::new();
        for _ in 0..1 + dice.below(AT_ONCE_MAX) {
            let (slot, serial) = (dice.below(SLOTS), writer.serial());
            let key = id(account, slot);
            let (words, padding) = (words(account, serial), padding(account, serial));
            let values = format!("{key}\t{account}\t{serial}\t{words}\t{padding}");
            let mut change = row(account, slot, serial);
            if there.insert(slot) {
                requests.push_str(&format!("1\t+\t5\t{values}\n"));
            } else if dice.one_of(3) {
                there.remove(&slot);
                change = (name(account, slot), None);
                requests.push_str(&format!("1\t=\t1\t{key}\t1\t0\tD\n"));
            } else {
                requests.push_str(&format!("1\t=\t1\t{key}\t1\t0\tU\t{values}\n"));
            }
            writer.sends(vec![change]);
        }
        if client.send(&requests).is_none() {
            break;
        }
        for serial in first..writer.serial() {
            let Some(reply) = client.line() else { return writer.account };
            assert!(reply == "0\t1" || reply == "0\t1\t1", "{reply:?}");
            writer.told(serial);
        }
    }
    writer.account
}
