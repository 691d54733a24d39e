//! Whether what was inserted is there, told in about a minute however many rows there are.
//!
//! Rows of INSERTs that are spread over the whole run are read back by the numbers that they were
//! given, column by column. Entries of each index are counted by the server, band by band of its
//! first column, with the sum of a column behind it: both are known, since a row is a function of
//! its number. Bands beyond all rows must be empty. A small table is counted completely; of a large
//! one, as much as the time allows, INSERTs and bands in no order and each index alike, and the
//! report says how much that was.
//!
//! Invariants
//! 1. At least one INSERT and one band of each index are looked at, and no statement is awaited for
//!    longer than the whole check may take.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use super::inserter::{Batch, Inserter};
use super::purchases::{CASH_REGISTERS, INSERTED, PRICES, Purchase, is_row};
use crate::experiments::loading::DATABASE;
use crate::peers::EngineServer;
use crate::protocols::mysql::MysqlSession;
use crate::users::mix;

/// How long it goes on, and how long a statement is awaited.
pub const CHECK_TIME: Duration = Duration::from_secs(45);
/// INSERTs that are read back.
const BATCHES_READ: usize = 500;

/// What there must be of a band of an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sums {
    entries: u64,
    customers: u64,
}

/// Something that is checked by one statement.
enum Item {
    /// All rows of an INSERT.
    Rows(Batch),
    /// The entries of an index for which a condition holds.
    Band { index: &'static str, condition: String, must: Sums },
}

/// What is checked piece by piece: INSERTs, or an index.
struct CheckedPart {
    name: &'static str,
    items: Vec<Item>,
    done: usize,
    /// Rows or entries that were looked at.
    rows: u64,
}

/// Checks; gives what was looked at, for the report. `time` is `CHECK_TIME` but in tests of it.
///
/// # Errors
/// Something is not there, or not as it must be, or could not be read in time.
pub fn check(server: &EngineServer, inserter: &Inserter, time: Duration) -> Result<Value> {
    let began = Instant::now();
    let (seed, rows) = (inserter.rows.seed, inserter.course.rows());
    let mut parts = parts(seed, rows, &inserter.batches);
    let mut session = server.session()?;
    session.be_patient(CHECK_TIME)?;
    session.execute(&format!("USE {DATABASE}"))?;
    while let Some(part) = next(&mut parts) {
        if part.done > 0 && began.elapsed() >= time {
            break;
        }
        part.rows += match &part.items[part.done] {
            Item::Rows(batch) => read_back(*batch, seed, &mut session)?,
            Item::Band { index, condition, must } => count(index, condition, *must, &mut session)?,
        };
        part.done += 1;
    }
    let looked_at = parts.iter().map(|part| (part.name.to_owned(), json!(part.rows)));
    let mut told: Map<String, Value> = looked_at.collect();
    told.insert("of rows".to_owned(), json!(rows));
    told.insert("seconds".to_owned(), json!((began.elapsed().as_secs_f64() * 10.0).round() / 10.0));
    Ok(Value::Object(told))
}

/// The part of which least is done, if any has something left.
fn next(parts: &mut [CheckedPart]) -> Option<&mut CheckedPart> {
    let left = parts.iter_mut().filter(|part| part.done < part.items.len());
    let done = |part: &CheckedPart| part.done as f64 / part.items.len() as f64;
    left.min_by(|one, other| done(one).total_cmp(&done(other)))
}

/// All that there is to check, each part in an order of its own.
fn parts(seed: u64, rows: u64, batches: &[Batch]) -> Vec<CheckedPart> {
    let mut prices = vec![Sums::default(); PRICES as usize];
    let mut registers = vec![Sums::default(); CASH_REGISTERS as usize];
    for number in 0..rows {
        let row = Purchase::new(seed, number);
        let customer = row.customer();
        for sums in [&mut prices[row.price() as usize], &mut registers[row.register() as usize]] {
            sums.entries += 1;
            sums.customers += customer;
        }
    }
    let by_price = |index| bands(index, "price", &prices);
    let by_register = bands("registersegment", "cashregisterid", &registers);
    let read = spread(batches.len(), BATCHES_READ).map(|at| Item::Rows(batches[at]));
    let parts = [
        ("rows read back", read.collect()),
        ("counted by marketsegment", by_price("marketsegment")),
        ("counted by registersegment", by_register),
        ("counted by pdc", by_price("pdc")),
    ];
    let parts = parts.map(|(name, items)| CheckedPart {
        name,
        items: in_no_order(items, seed),
        done: 0,
        rows: 0,
    });
    parts.into()
}

/// One band for each whole number of a column, and what lies outside of all.
fn bands(index: &'static str, column: &str, sums: &[Sums]) -> Vec<Item> {
    let inside = (0..)
        .zip(sums)
        .map(|(at, sums)| (format!("{column} >= {at} AND {column} < {}", at + 1), *sums));
    let outside = [format!("{column} < 0"), format!("{column} >= {}", sums.len())];
    let outside = outside.map(|condition| (condition, Sums::default()));
    let bands = inside.chain(outside);
    bands.map(|(condition, must)| Item::Band { index, condition, must }).collect()
}

/// So many places of `count`, the first and the last among them, at equal distances; all if they
/// are no more.
fn spread(count: usize, places: usize) -> impl Iterator<Item = usize> {
    let places = places.min(count);
    (0..places).map(move |place| place * (count - 1) / (places - 1).max(1))
}

fn in_no_order(items: Vec<Item>, seed: u64) -> Vec<Item> {
    let mut numbered: Vec<(u64, Item)> = (0..).map(|at| mix(seed ^ mix(at))).zip(items).collect();
    numbered.sort_by_key(|(number, _)| *number);
    numbered.into_iter().map(|(_, item)| item).collect()
}

fn read_back(batch: Batch, seed: u64, session: &mut MysqlSession) -> Result<u64> {
    let Batch { first, rows, first_id } = batch;
    let found = session.query(&format!(
        "SELECT transactionid, {INSERTED} FROM purchases \
         WHERE transactionid >= {first_id} AND transactionid < {} ORDER BY transactionid",
        first_id + rows
    ))?;
    let there = found.len();
    ensure!(there as u64 == rows, "{there} of {rows} rows from {first_id} on are there");
    for (at, row) in (0..).zip(&found) {
        let right = is_row(row, first_id + at, Purchase::new(seed, first + at));
        ensure!(right, "row {} of the run is {row:?}", first + at);
    }
    Ok(rows)
}

fn count(index: &str, condition: &str, must: Sums, session: &mut MysqlSession) -> Result<u64> {
    let sql = format!(
        "SELECT COUNT(*), SUM(customerid) FROM purchases FORCE INDEX ({index}) WHERE {condition}"
    );
    let found = session.query(&sql)?;
    let number = |at: usize| {
        let value = found.first()?.get(at)?.as_ref()?;
        std::str::from_utf8(value).ok()?.parse().ok()
    };
    let entries = number(0).with_context(|| format!("{sql}: no count"))?;
    // The sum of nothing is NULL.
    let is = Sums { entries, customers: number(1).unwrap_or(0) };
    ensure!(is == must, "{sql}: {is:?} instead of {must:?}");
    Ok(must.entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_band_of_each_index_and_none_outside() {
        let batches = [Batch { first: 0, rows: 3_000, first_id: 1 }];
        let parts = parts(1, 3_000, &batches);
        assert_eq!(parts[0].items.len(), 1);
        for part in &parts[1..] {
            let sums = part.items.iter().filter_map(|item| match item {
                Item::Band { condition, must, .. } => Some((condition, must)),
                Item::Rows(_) => None,
            });
            let entries: u64 = sums.clone().map(|(_, sums)| sums.entries).sum();
            let outside = sums.filter(|(condition, _)| !condition.contains("AND"));
            assert_eq!((entries, outside.count()), (3_000, 2), "{}", part.name);
        }
    }

    #[test]
    fn what_is_read_back_is_spread_over_the_whole_run() {
        assert_eq!(spread(1_001, 5).collect::<Vec<_>>(), [0, 250, 500, 750, 1_000]);
        assert_eq!(spread(3, 5).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(spread(1, 5).collect::<Vec<_>>(), [0]);
        assert_eq!(spread(0, 5).count(), 0);
    }

    #[test]
    fn all_parts_come_forward_alike() {
        let part = |name, items: usize| CheckedPart {
            name,
            items: (0..items)
                .map(|_| Item::Rows(Batch { first: 0, rows: 1, first_id: 1 }))
                .collect(),
            done: 0,
            rows: 0,
        };
        let mut parts = [part("few", 2), part("many", 10), part("none", 0)];
        let mut order = Vec::new();
        while let Some(part) = next(&mut parts) {
            part.done += 1;
            order.push(part.name);
        }
        assert_eq!(order.len(), 12);
        assert_eq!(order[..7].iter().filter(|name| **name == "many").count(), 5);
    }
}
