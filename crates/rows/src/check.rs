//! Reading everything back: every row decodes, every row has its index entries, and there are
//! no entries beside those.
//!
//! Invariants
//! 1. The check changes nothing and reads one snapshot.
//! 2. Damage is counted and described, never fatal: the report covers the whole of the data. What
//!    cannot be read is passed over (`readable`), with the table and the keys that it may hold.
//!
//! 3. Of a table of which keys were lost before the store was opened (`LostKeys`), rows and entries
//!    are read and counted, and not compared with each other.
//!
//! Not here: what is made of damaged tables (`salvage`).

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::text::write_text;

use crate::bulk::{Progress, go_on};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::readable::{Gap, damage, read_all};
use crate::schema::TableId;
use crate::store::{KeyRange, Reach, Read};
use crate::table::{PREFIX_BYTES, Table};

/// Most damages described in words; the rest are only counted.
const DESCRIBED_MAX: usize = 100;
/// Most bytes of a key that are shown.
const KEY_BYTES_SHOWN: usize = 64;

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
    /// The tables that have some.
    pub damaged_tables: BTreeSet<TableId>,
    /// Of each of these whose rows cannot all be read: how many can, in words.
    pub readable: Vec<String>,
}

/// Keys that a store has lost, so that a read does not meet the damage.
#[derive(Clone, Debug)]
pub struct LostKeys {
    /// What is lost lies in this range.
    pub range: KeyRange,
    /// Why, in the store's words.
    pub why: String,
}

impl CheckReport {
    /// Adds a damage of a table.
    pub fn damage(&mut self, table: &Table, what: &str) {
        self.damaged_tables.insert(table.id);
        self.tell(format!("{}.{}: {what}", table.database, table.name));
    }

    /// Adds what a table has lost; gives whether it has.
    fn lost(&mut self, table: &Table, lost: &[LostKeys]) -> bool {
        let before = self.damaged;
        for LostKeys { range, why } in lost {
            let told = self.damaged;
            for index in 0..table.codecs.len() {
                let Some(part) = common(range, &table.index_range(index)) else { continue };
                let what = match index {
                    0 => "rows".to_owned(),
                    index => format!("entries of index {}", table.indexes[index].name),
                };
                let keys =
                    between(&part, &table.index_range(index), |key| shown(table, index, key));
                let fate = "are lost, or as they were before";
                self.damage(table, &format!("{what} {keys} {fate}: {why}"));
            }
            for index in 0..table.listed_codecs() {
                let all = table.listed_range(index);
                if let Some(part) = common(range, &all) {
                    let (name, keys) = (table.listed_name(index), between(&part, &all, hex));
                    self.damage(table, &format!("entries of {name} {keys} are lost: {why}"));
                }
            }
            if let Some(part) = common(range, &table.full_range()).filter(|_| told == self.damaged)
            {
                let keys = between(&part, &table.full_range(), hex);
                self.damage(table, &format!("what belongs to its columns, {keys}, is lost: {why}"));
            }
        }
        self.damaged > before
    }

    fn tell(&mut self, what: String) {
        self.damaged += 1;
        if self.damages.len() < DESCRIBED_MAX {
            self.damages.push(what);
        }
    }

    fn gaps(&mut self, table: &Table, index: usize, gaps: &[Gap]) {
        let what = match index {
            0 => "rows".to_owned(),
            index => format!("entries of index {}", table.indexes[index].name),
        };
        for gap in gaps {
            let keys = keys_of(gap, |key| shown(table, index, key));
            self.damage(table, &format!("{what} {keys} cannot be read: {}", gap.why));
        }
    }
}

impl Engine {
    /// Reads and compares everything. `progress` is told each table's name before it is read.
    ///
    /// # Errors
    /// Only what keeps the check from going on, as a store that has no snapshots.
    pub fn check(&self, progress: &mut dyn FnMut(&str)) -> Result<CheckReport> {
        self.check_around(&[], progress)
    }

    /// As `check`, of a store that has lost these keys: damage as well.
    ///
    /// # Errors
    /// As `check`.
    pub fn check_around(
        &self,
        lost: &[LostKeys],
        progress: &mut dyn FnMut(&str),
    ) -> Result<CheckReport> {
        let mut report = CheckReport::default();
        let tables = self.catalog().all_tables();
        for LostKeys { range, why } in lost {
            // Tables tell what they have lost; the rest is definitions, columns, counts.
            let is_told = |table: &Arc<Table>| holds(&table.full_range(), range);
            if !tables.iter().any(is_told) {
                let keys = between(range, &KeyRange::default(), hex);
                report.tell(format!(
                    "keys {keys} are lost, which may be definitions of tables: {why}"
                ));
            }
        }
        let snapshot = self.store().snapshot()?;
        for database in self.catalog().databases() {
            for table in self.catalog().tables(&database)? {
                progress(&format!("{database}.{}", table.name));
                self.check_rows(&*snapshot, &table, (lost, &Progress::default()), &mut report)?;
            }
        }
        progress("what is not rows");
        check_others(&*snapshot, &self.catalog().all_tables(), &mut report)?;
        Ok(report)
    }

    /// Reads and compares one table, as clients see it now; it ends early when the thread's work is
    /// to end.
    ///
    /// # Errors
    /// As `check`; what ended it.
    pub fn check_table(&self, table: &Table, progress: &Progress) -> Result<CheckReport> {
        progress.will_only_read();
        progress.expect(self.row_count(table)?.unwrap_or(0));
        let mut report = CheckReport::default();
        let snapshot = self.store().snapshot()?;
        self.check_rows(&*snapshot, table, (&[], progress), &mut report)?;
        Ok(report)
    }

    fn check_rows(
        &self,
        view: &dyn Read,
        table: &Table,
        (lost, progress): (&[LostKeys], &Progress),
        report: &mut CheckReport,
    ) -> Result<()> {
        report.tables += 1;
        let before = report.rows;
        let has_lost = report.lost(table, lost);
        let mut expected = ExpectedEntries::of(table);
        expected.are_compared = !has_lost;
        let gaps = read_all(view, &table.index_range(0), &mut |key, value| {
            report.rows += 1;
            progress.add(1);
            go_on(report.rows)?;
            check_row(view, table, (key, value), &mut expected, report)
        })?;
        report.gaps(table, 0, &gaps);
        if !gaps.is_empty() || has_lost {
            let known = self.row_count(table).ok().flatten();
            let of = known.map_or(String::new(), |rows| format!(" of about {rows}"));
            let (database, name, read) = (&table.database, &table.name, report.rows - before);
            report.readable.push(format!("{database}.{name}: {read}{of} rows can be read"));
        }
        // Rows that cannot be read have entries that belong to no row.
        let all_rows = gaps.is_empty() && !has_lost;
        for (index, expected) in expected.entries.iter().enumerate().skip(1) {
            let (entries, gaps) = count(view, &table.index_range(index))?;
            report.entries += entries;
            report.gaps(table, index, &gaps);
            if entries != *expected && all_rows && gaps.is_empty() {
                let name = &table.indexes[index].name;
                let what = format!("index {name} has {entries} entries for {expected} rows");
                report.damage(table, &what);
            }
        }
        for (index, expected) in expected.listed.into_iter().enumerate() {
            let (entries, gaps) = count(view, &table.listed_range(index))?;
            report.entries += entries;
            let name = table.listed_name(index);
            for gap in &gaps {
                let keys = keys_of(gap, hex);
                let what = format!("entries of {name} {keys} cannot be read");
                report.damage(table, &format!("{what}: {}", gap.why));
            }
            if entries != expected && all_rows && gaps.is_empty() {
                let what = format!("{name} has {entries} entries in place of {expected}");
                report.damage(table, &what);
            }
        }
        Ok(())
    }
}

/// Reads everything in a store whose definitions cannot be read; what cannot be, in words.
///
/// # Errors
/// As `Engine::check`.
pub fn check_without_definitions(view: &dyn Read) -> Result<CheckReport> {
    let mut report = CheckReport::default();
    check_others(view, &[], &mut report)?;
    Ok(report)
}

/// Entries that the rows read so far have.
struct ExpectedEntries {
    entries: Vec<u64>,
    listed: Vec<u64>,
    /// Whether each is looked for.
    are_compared: bool,
}

impl ExpectedEntries {
    fn of(table: &Table) -> ExpectedEntries {
        ExpectedEntries {
            entries: vec![0; table.codecs.len()],
            listed: vec![0; table.listed_codecs()],
            are_compared: true,
        }
    }
}

fn check_row(
    view: &dyn Read,
    table: &Table,
    (key, value): (&[u8], &[u8]),
    expected: &mut ExpectedEntries,
    report: &mut CheckReport,
) -> Result<()> {
    let named = || format!("row {}", shown(table, 0, key));
    let row = row_at(table, key, value).and_then(|row| Ok(row.values()?));
    let row = match row {
        Ok(row) => row,
        Err(Error::Corrupt { why, .. }) => {
            report.damage(table, &format!("{}: {why}", named()));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    if !table.has_hidden_key() && table.row_key_of(&row)? != key {
        report.damage(table, &format!("{}: key differs from row", named()));
    }
    if let Some(rule) = table.partition_rule()? {
        let own = rule.of_row(&row).ok().map(|id| Datum::UInt(u64::from(id)));
        if own != Some(row[rule.column]) {
            report.damage(table, &format!("{}: of another partition", named()));
        }
    }
    if !expected.are_compared {
        return Ok(());
    }
    for (index, expected) in expected.entries.iter_mut().enumerate().skip(1) {
        let entry = table.entry(index, &row, key)?;
        *expected += 1;
        if let Some(what) = differs(view, &entry.key, &entry.value)? {
            let name = &table.indexes[index].name;
            report.damage(table, &format!("{}: entry of index {name} {what}", named()));
        }
    }
    for entry in table.listed_entries(&row, key)? {
        expected.listed[entry.index] += 1;
        if let Some(what) = differs(view, &entry.key, &entry.value)? {
            let name = table.listed_name(entry.index);
            report.damage(table, &format!("{}: entry of {name} {what}", named()));
        }
    }
    Ok(())
}

/// What is wrong with an entry that should be there; one that cannot be read is found where all
/// are.
fn differs(view: &dyn Read, key: &[u8], value: &[u8]) -> Result<Option<&'static str>> {
    let mut stored = Vec::new();
    match view.get(key, Reach::Disk, &mut stored) {
        Ok(true) if stored == value => Ok(None),
        Ok(true) => Ok(Some("differs")),
        Ok(false) => Ok(Some("is missing")),
        Err(error) => damage(error).map(|_| None),
    }
}

/// Reads all that is no row and no entry of an index: definitions, counts, columns, and what
/// dropped tables have left.
fn check_others(view: &dyn Read, tables: &[Arc<Table>], report: &mut CheckReport) -> Result<()> {
    let gaps = read_all(view, &KeyRange::default(), &mut |_, _| Ok(()))?;
    for gap in gaps {
        let ends = || [&gap.after, &gap.before].into_iter().flatten();
        // A gap within an index, or at the end of one, was told with its table.
        let is_told = |table: &Table| {
            let indexes = (0..table.codecs.len()).map(|index| table.index_range(index));
            let listed = (0..table.listed_codecs()).map(|index| table.listed_range(index));
            let mut ranges = indexes.chain(listed);
            ranges.any(|range| ends().any(|key| range.contains(key)))
        };
        if tables.iter().any(|table| is_told(table)) {
            continue;
        }
        let of = tables.iter().find(|table| ends().any(|key| table.full_range().contains(key)));
        let keys = keys_of(&gap, hex);
        match of {
            Some(table) => {
                report.damage(
                    table,
                    &format!("what belongs to its columns, {keys}, cannot be read: {}", gap.why),
                );
            }
            None => report.tell(format!("keys {keys} cannot be read: {}", gap.why)),
        }
    }
    Ok(())
}

fn count(view: &dyn Read, range: &KeyRange) -> Result<(u64, Vec<Gap>)> {
    let mut entries = 0;
    let gaps = read_all(view, range, &mut |_, _| {
        entries += 1;
        Ok(())
    })?;
    Ok((entries, gaps))
}

/// Which keys a gap may hold.
fn keys_of(gap: &Gap, shown: impl Fn(&[u8]) -> String) -> String {
    match (&gap.after, &gap.before) {
        (None, None) => "of all keys".to_owned(),
        (Some(after), None) => format!("behind {}", shown(after)),
        (None, Some(before)) => format!("before {}", shown(before)),
        (Some(after), Some(before)) => {
            format!("between {} and {}", shown(after), shown(before))
        }
    }
}

/// What two ranges have in common.
fn common(one: &KeyRange, other: &KeyRange) -> Option<KeyRange> {
    let start = one.start.clone().max(other.start.clone());
    let end = match (one.end.is_empty(), other.end.is_empty()) {
        (true, _) => other.end.clone(),
        (false, true) => one.end.clone(),
        (false, false) => one.end.clone().min(other.end.clone()),
    };
    (end.is_empty() || start < end).then_some(KeyRange { start, end })
}

/// Whether a range holds all of another one.
fn holds(range: &KeyRange, other: &KeyRange) -> bool {
    common(range, other).is_some_and(|part| part == *other)
}

/// A part of a range by its bounds; those of the whole are not told.
fn between(part: &KeyRange, whole: &KeyRange, shown: impl Fn(&[u8]) -> String) -> String {
    // An end that is one key and a zero is behind that key.
    let last = part.end.strip_suffix(&[0]).unwrap_or(&part.end);
    match (part.start == whole.start, part.end == whole.end) {
        (true, true) => "of all keys".to_owned(),
        (true, false) => format!("up to {}", shown(last)),
        (false, true) => format!("from {} on", shown(&part.start)),
        (false, false) => format!("from {} to {}", shown(&part.start), shown(last)),
    }
}

/// A key of an index as its values, `(7, 'seven')`; in hex where these are not in it.
pub(crate) fn shown(table: &Table, index: usize, key: &[u8]) -> String {
    match readable(table, index, key) {
        Ok(text) if !text.is_empty() => format!("({text})"),
        _ => hex(key),
    }
}

/// The values of the parts that a piece of a key begins with, readable.
pub(crate) fn first_values(table: &Table, index: usize, key: &[u8]) -> String {
    match readable(table, index, key) {
        Err(text) | Ok(text) if !text.is_empty() => text,
        _ => hex(key),
    }
}

/// A key's values; as an error the first ones, where the rest cannot be read.
fn readable(table: &Table, index: usize, key: &[u8]) -> std::result::Result<String, String> {
    let mut text = String::new();
    let Some(mut rest) = key.get(PREFIX_BYTES..) else { return Err(text) };
    for (position, part) in table.key_parts(index).enumerate() {
        let Ok((value, bytes)) = part.decode(rest) else {
            return Err(text);
        };
        rest = &rest[bytes..];
        let mut written = Vec::new();
        match value {
            Value::Null => written.extend_from_slice(b"NULL"),
            value => write_text(&part.ty, value.as_datum(), Zone::UTC, &mut written),
        }
        match std::str::from_utf8(&written) {
            Ok(words) if words.len() <= KEY_BYTES_SHOWN && !words.contains(char::is_control) => {
                text.push_str(if position > 0 { ", " } else { "" });
                text.push_str(words);
            }
            _ => return Err(text),
        }
    }
    Ok(text)
}

fn hex(key: &[u8]) -> String {
    let shown = &key[..key.len().min(KEY_BYTES_SHOWN)];
    shown.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
