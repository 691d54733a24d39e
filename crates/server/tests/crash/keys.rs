//! Writers at the memcached door: every command that changes an item.

use std::collections::BTreeMap;

use faults::Dice;

use crate::account::{Account, Change, Writer, padding};
use crate::load::{Ends, Lines, SLOTS};

/// The row of an item as the judge names and prints it.
fn item(account: u64, slot: &str, value: Option<&str>) -> Change {
    let printed = value.map(|value| format!("{value}|0|0|0"));
    (format!("kv.cache/a{account}:{slot}"), printed)
}

/// The item's cas value; `None` when the server is gone.
fn token(client: &mut Lines, key: &str) -> Option<String> {
    let head = client.ask(&format!("gets {key}\r\n"))?;
    let token = head.split(' ').nth(4).unwrap_or_else(|| panic!("{key} is there: {head}"));
    client.line()?;
    (client.line()? == "END").then(|| token.to_owned())
}

pub fn write_items(mut client: Lines, mut writer: Writer, ends: &Ends) -> Account {
    let account = writer.account.number;
    let mut dice = Dice::new(ends.seed ^ account);
    let mut items: BTreeMap<u64, String> = BTreeMap::new();
    let mut count: Option<u64> = None;
    while ends.go_on(&writer) {
        let serial = writer.serial();
        if dice.one_of(6) {
            let next = count.map_or(0, |count| count + 1 + dice.below(99));
            let request = match count {
                Some(count) => format!("incr a{account}:count {}\r\n", next - count),
                None => format!("set a{account}:count 0 0 1\r\n0\r\n"),
            };
            let expected = count.map_or("STORED".to_owned(), |_| next.to_string());
            count = Some(next);
            let change = item(account, "count", Some(&next.to_string()));
            if !writer.step(vec![change], || is(client.ask(&request), &expected)) {
                break;
            }
            continue;
        }
        let slot = dice.below(SLOTS);
        let key = format!("a{account}:{slot}");
        let value = format!("{account}:{serial}:{}", padding(account, serial));
        let data = |command: &str, value: &str, more: &str| {
            format!("{command} {key} 0 0 {}{more}\r\n{value}\r\n", value.len())
        };
        let (request, expected, next) = match items.get(&slot) {
            None => {
                let command = if dice.one_of(2) { "add" } else { "set" };
                (data(command, &value, ""), "STORED", Some(value))
            }
            Some(old) => match dice.below(6) {
                0 => (format!("delete {key}\r\n"), "DELETED", None),
                1 => {
                    let Some(token) = token(&mut client, &key) else { break };
                    (data("cas", &value, &format!(" {token}")), "STORED", Some(value))
                }
                2 if old.len() < 1200 => {
                    let more = format!(";{account}:{serial}:");
                    (data("append", &more, ""), "STORED", Some(format!("{old}{more}")))
                }
                3 => (data("replace", &value, ""), "STORED", Some(value)),
                _ => (data("set", &value, ""), "STORED", Some(value)),
            },
        };
        let change = item(account, &slot.to_string(), next.as_deref());
        if !writer.step(vec![change], || is(client.ask(&request), expected)) {
            break;
        }
        match next {
            Some(value) => items.insert(slot, value),
            None => items.remove(&slot),
        };
    }
    writer.account
}

/// Whether the server answered; if it did, with what must come.
fn is(reply: Option<String>, expected: &str) -> bool {
    if let Some(reply) = &reply {
        assert_eq!(reply, expected);
    }
    reply.is_some()
}
