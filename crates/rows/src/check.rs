//! Reading everything back: every row decodes, every row has its index entries, and there are
//! no entries beside those.
//!
//! Invariants
//! 1. The check changes nothing and reads one snapshot.
//! 2. Damage is counted and described, never fatal: the report covers the whole of the data.
//!
//! Not here: the store's own checksums, which `Store::verify` reads (called first).

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::store::{Direction, KeyRange, Reach, Read};
use crate::table::Table;

/// Most damages described in words; the rest are only counted.
const DESCRIBED_MAX: usize = 100;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Tables read.
    pub tables: u64,
    /// Rows read.
    pub rows: u64,
    /// Index entries read.
    pub entries: u64,
    /// Damages found.
    pub damaged: u64,
    /// The first damages in words.
    pub damages: Vec<String>,
}

impl CheckReport {
    fn damage(&mut self, table: &Table, what: &str) {
        self.damaged += 1;
        if self.damages.len() < DESCRIBED_MAX {
            self.damages.push(format!("{}.{}: {what}", table.database, table.name));
        }
    }
}

impl Engine {
    /// Reads and compares everything. `progress` is told each table's name before it is read.
    ///
    /// # Errors
    /// Only what keeps the check from going on: `Store`.
    pub fn check(&self, progress: &mut dyn FnMut(&str)) -> Result<CheckReport> {
        let mut report = CheckReport::default();
        if let Err(error) = self.store().verify() {
            report.damaged += 1;
            report.damages.push(format!("store: {error}"));
        }
        let snapshot = self.store().snapshot()?;
        for database in self.catalog().databases() {
            for table in self.catalog().tables(&database)? {
                progress(&format!("{database}.{}", table.name));
                check_table(&*snapshot, &table, &mut report)?;
            }
        }
        Ok(report)
    }
}

fn check_table(view: &dyn Read, table: &Table, report: &mut CheckReport) -> Result<()> {
    report.tables += 1;
    let mut expected = vec![0u64; table.codecs.len()];
    let mut expected_of_members = vec![0u64; table.member_codecs.len()];
    let mut stored = Vec::new();
    let mut cursor = view.scan(&table.index_range(0), Direction::Forward, Reach::Disk)?;
    while cursor.advance()? {
        report.rows += 1;
        let row = row_at(table, cursor.key(), cursor.value()).and_then(|row| Ok(row.values()?));
        let row = match row {
            Ok(row) => row,
            Err(Error::Corrupt { why, .. }) => {
                report.damage(table, &format!("row {}: {why}", hex(cursor.key())));
                continue;
            }
            Err(error) => return Err(error),
        };
        if !table.has_hidden_key() && table.row_key_of(&row)? != cursor.key() {
            report.damage(table, &format!("row {}: key differs from row", hex(cursor.key())));
        }
        for (index, expected) in expected.iter_mut().enumerate().skip(1) {
            let entry = table.entry(index, &row, cursor.key())?;
            *expected += 1;
            let found = view.get(&entry.key, Reach::Disk, &mut stored)?;
            if !found || stored != entry.value {
                let name = &table.indexes[index].name;
                let what = if found { "differs" } else { "is missing" };
                let key = hex(cursor.key());
                report.damage(table, &format!("row {key}: entry of index {name} {what}"));
            }
        }
        for entry in table.member_entries(&row, cursor.key())? {
            expected_of_members[entry.index] += 1;
            let found = view.get(&entry.key, Reach::Disk, &mut stored)?;
            if !found || stored != entry.value {
                let name = &table.members[entry.index].member;
                let what = if found { "differs" } else { "is missing" };
                let key = hex(cursor.key());
                report.damage(table, &format!("row {key}: entry of member index {name} {what}"));
            }
        }
    }
    for (index, expected) in expected.iter().enumerate().skip(1) {
        let entries = count(view, &table.index_range(index))?;
        report.entries += entries;
        if entries != *expected {
            let name = &table.indexes[index].name;
            let what = format!("index {name} has {entries} entries for {expected} rows");
            report.damage(table, &what);
        }
    }
    for (codec, expected) in table.member_codecs.iter().zip(expected_of_members) {
        let entries = count(view, &codec.all())?;
        report.entries += entries;
        if entries != expected {
            let name = &codec.member;
            let what = format!("member index {name} has {entries} entries in place of {expected}");
            report.damage(table, &what);
        }
    }
    Ok(())
}

fn count(view: &dyn Read, range: &KeyRange) -> Result<u64> {
    let mut entries = 0;
    let mut cursor = view.scan(range, Direction::Forward, Reach::Disk)?;
    while cursor.advance()? {
        entries += 1;
    }
    Ok(entries)
}

fn hex(key: &[u8]) -> String {
    use std::fmt::Write as _;
    key.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
