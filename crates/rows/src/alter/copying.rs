//! A copy of a table: what becomes of one of its rows under the new columns and keys.
//!
//! ```text
//! number of a row   | new table id u32 | number u16 | old primary key parts | -> row u64, given u64
//! ```
//! Both little-endian. Only where the copy has something that its row does not say: a hidden key in
//! the place of a primary key, or an AUTO_INCREMENT value for a row without one. A row that changes
//! while the copy is made keeps what it was given. Gone when the copy takes the table's place.
//!
//! Invariants
//! 1. A row that had expired when the ALTER began is not copied, nor has to fit the new columns,
//!    whenever it is looked at: all looks are as of one moment.
//! 2. A copied row keeps its version: the row is the same to a client that compares versions, and
//!    no two rows have equal bytes.
//!
//! Not here: when rows are copied (`fill`, `follow`), when the copy takes the table's place
//! (`online`).

use std::sync::Arc;

use parking_lot::Mutex;
use values::convert::{Converted, Issue, convert};
use values::datum::{Datum, Value};
use values::row::RowRef;
use values::temporal::Zone;

use super::conversion::{ConversionRules, ConversionWarnings};
use super::making::{MadeEntry, MadeWhat, Making, RowSeen, push_entries};
use super::plan::Plan;
use crate::bulk::{RowSorter, push_row};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::expiry::Expiry;
use crate::find::row_at;
use crate::rules::{Computing, ConversionWarning, Lenience};
use crate::schema::{Column, IndexId, IndexPart};
use crate::store::{Batch, Change, Durability, Reach};
use crate::table::{PREFIX_BYTES, Table, index_range};
use crate::transaction::counters::as_counter;
use crate::transaction::duplicate;

/// Numbers that are written by one batch.
const NUMBERS_MAX: usize = 4096;

/// A copy in the making.
pub(super) struct Copying<'a> {
    engine: &'a Engine,
    table: &'a Arc<Table>,
    next: &'a Arc<Table>,
    /// For each column of the copy its position in the table.
    origins: &'a [Option<usize>],
    keys: RowKeys,
    /// What the keys of the copy's rows begin with.
    row_prefix: Vec<u8>,
    /// Where rows are given what they do not say.
    numbering: Option<Numbering<'a>>,
    /// As of the beginning.
    expiry: Option<Expiry>,
    rules: ConversionRules,
    warnings: ConversionWarnings,
    /// How many rows each range has, by the numbers that its rows follow upon.
    ranges: Mutex<Vec<(u64, u64)>>,
}

/// What makes the keys of the copy's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowKeys {
    /// Their values, of which other rows may have the same.
    Values,
    /// What makes them in the table, in the same bytes: the same values, or row ids that they keep.
    Kept,
    /// New row ids, in the order of the keys.
    Numbered,
}

/// Whether rows get something that they do not say, so that it has to be remembered.
pub(super) fn is_numbered(table: &Table, plan: &Plan) -> bool {
    keys_of(table, plan) == RowKeys::Numbered
        || plan.definition.columns.iter().zip(&plan.origins).any(|(column, origin)| {
            column.auto_increment && origin.is_none_or(|at| !table.columns[at].auto_increment)
        })
}

fn keys_of(table: &Table, plan: &Plan) -> RowKeys {
    let Plan { definition, origins, .. } = plan;
    let is_divided_alike = table.partitioning == definition.partitioning;
    if definition.has_hidden_key() {
        let is_kept = table.has_hidden_key() && is_divided_alike;
        return if is_kept { RowKeys::Kept } else { RowKeys::Numbered };
    }
    let (old, new) = (&table.indexes[0].parts, &definition.indexes[0].parts);
    let stays = |(old, new): (&IndexPart, &IndexPart)| {
        let (before, after) = (&table.columns[old.column], &definition.columns[new.column]);
        let is_same = origins[new.column] == Some(old.column)
            && (old.prefix, old.descending) == (new.prefix, new.descending);
        is_same
            && before.ty == after.ty
            && before.nullable == after.nullable
            && before.auto_increment == after.auto_increment
    };
    let is_kept = is_divided_alike
        && !table.has_hidden_key()
        && old.len() == new.len()
        && old.iter().zip(new).all(stays);
    if is_kept { RowKeys::Kept } else { RowKeys::Values }
}

/// A row of the copy.
struct CopiedRow {
    key: Vec<u8>,
    values: Vec<Value>,
    numbers: RowNumbers,
}

impl CopiedRow {
    fn datums(&self) -> Vec<Datum<'_>> {
        self.values.iter().map(Value::as_datum).collect()
    }
}

impl<'a> Copying<'a> {
    /// Of a table, by a plan. `numbers`: the number of no index under which it is remembered what
    /// rows are given, if it has to be.
    pub fn new(
        engine: &'a Engine,
        table: &'a Arc<Table>,
        next: &'a Arc<Table>,
        plan: &'a Plan,
        numbers: Option<IndexId>,
        rules: ConversionRules,
    ) -> Copying<'a> {
        let first = plan.definition.auto_increment_base.max(1);
        let numbering = numbers.map(|index| Numbering {
            engine,
            prefix: index_range(next.id, index).start,
            state: Mutex::new(NumberingState {
                next: RowNumbers { row: 1, given: first },
                unwritten: Vec::new(),
            }),
        });
        Copying {
            engine,
            table,
            next,
            origins: &plan.origins,
            keys: keys_of(table, plan),
            row_prefix: next.index_range(0).start,
            numbering,
            expiry: engine.expiry(table),
            rules,
            warnings: ConversionWarnings::default(),
            ranges: Mutex::default(),
        }
    }

    /// What there is to say of the rows that were copied.
    pub fn take_warnings(&self) -> Vec<ConversionWarning> {
        let mut ranges = std::mem::take(&mut *self.ranges.lock());
        ranges.sort_unstable();
        self.warnings.take(|number| {
            let mut rows_before = 0;
            for (before, rows) in &ranges {
                if (before + 1..=before + rows).contains(&number) {
                    return rows_before + number - before;
                }
                rows_before += rows;
            }
            number
        })
    }

    /// The same where rows were numbered one after another.
    pub fn warnings_of_rows(&self) -> Vec<ConversionWarning> {
        self.warnings.take(|number| number)
    }

    /// The values of a row of the copy; `None` for one that is over.
    ///
    /// # Errors
    /// Those of a row that does not fit.
    pub fn row_of(&self, row_key: &[u8], row: &[u8], number: u64) -> Result<Option<Vec<Value>>> {
        let row = row_at(self.table, row_key, row)?;
        if self.is_over(&row)? {
            return Ok(None);
        }
        Ok(Some(self.copied(row_key, &row.values()?, None, Some(number))?.values))
    }

    fn is_over(&self, row: &RowRef<'_>) -> Result<bool> {
        self.expiry.map_or(Ok(false), |expiry| expiry.is_over(row))
    }

    /// What becomes of a row. `known`: what it was given before; `number`: its number, if warnings
    /// are to be kept.
    fn copied(
        &self,
        row_key: &[u8],
        row: &[Datum<'_>],
        known: Option<RowNumbers>,
        number: Option<u64>,
    ) -> Result<CopiedRow> {
        let mut numbers = known.unwrap_or_default();
        if let Some(numbering) = &self.numbering
            && numbers.row == 0
        {
            numbers.row = numbering.next_row();
        }
        let mut values = Vec::with_capacity(self.origins.len());
        for (column, origin) in self.next.columns.iter().zip(self.origins) {
            let value = match origin {
                Some(position) => {
                    let columns = (&self.table.columns[*position], column);
                    self.rules.convert(columns, row[*position], number, &self.warnings)?
                }
                None => new_value(column)?,
            };
            values.push(self.numbered(column, *origin, value, &mut numbers)?);
        }
        self.fill_rules(&mut values, number)?;
        let mut copied = CopiedRow { key: Vec::new(), values, numbers };
        copied.key = match self.keys {
            RowKeys::Values => self.next.row_key_of(&copied.datums())?,
            RowKeys::Kept => [&self.row_prefix[..], &row_key[PREFIX_BYTES..]].concat(),
            RowKeys::Numbered => {
                let mut key = Vec::new();
                self.next.push_numbered_row_key(&copied.datums(), numbers.row, &mut key)?;
                key
            }
        };
        Ok(copied)
    }

    /// Computed columns, and new columns whose default is computed: the same for every look at a
    /// row, as the plan has no others. `number`: the row's, if warnings are to be kept.
    fn fill_rules(&self, values: &mut [Value], number: Option<u64>) -> Result<()> {
        let Some(rules) = self.next.rules()? else { return Ok(()) };
        let is_given = |position: usize| {
            self.origins[position].is_some() || self.next.columns[position].absent.is_some()
        };
        if !rules.defaults.iter().all(|(position, _)| is_given(*position)) {
            self.next.fill_defaults(values, &is_given, &**self.engine.clock(), self.rules.zone)?;
        }
        let datums: Vec<Datum<'_>> = values.iter().map(Value::as_datum).collect();
        let lenience = Lenience::unless(self.rules.mode.strict(), self.rules.mode);
        for (position, value) in self.next.computed(&datums, Computing::of(lenience.as_ref()))? {
            values[position] = value;
        }
        if let (Some(row), Some(lenience)) = (number, lenience) {
            for warning in lenience.into_told().1 {
                self.warnings.add(|| ConversionWarning { row, ..warning });
            }
        }
        for (column, value) in self.next.columns.iter().zip(values) {
            if value.is_null() && !column.nullable {
                return Err(Error::NullValue { column: column.name.clone() });
            }
        }
        Ok(())
    }

    /// A value of a new column, or the number in its place. One that begins to have numbers goes on
    /// behind the highest of the rows before, as in MySQL.
    fn numbered(
        &self,
        column: &Column,
        origin: Option<usize>,
        mut value: Value,
        numbers: &mut RowNumbers,
    ) -> Result<Value> {
        let is_new = origin.is_none();
        if column.auto_increment
            && origin.is_none_or(|at| !self.table.columns[at].auto_increment)
            && let Some(numbering) = &self.numbering
        {
            let own = as_counter(value.as_datum()).filter(|_| !is_new);
            let wants_number = match own {
                Some(0) => !self.rules.mode.no_auto_value_on_zero(),
                own => is_new || own.is_none() && value.is_null(),
            };
            if wants_number {
                if numbers.given == 0 {
                    numbers.given = numbering.next_given();
                }
                let converted = convert(&column.ty, Datum::UInt(numbers.given), Zone::UTC);
                value = clean(column, converted, numbers.given.to_string().as_bytes())?;
            } else if let Some(own) = own {
                numbering.pass(own);
            }
        }
        let is_filled = column.computed.is_some() || is_new && column.default.is_expression();
        if value.is_null() && !column.nullable && !is_filled {
            let name = column.name.clone();
            // As MySQL says it: of values that stay as they are, and of others.
            return Err(match origin.map(|at| &self.table.columns[at]) {
                Some(old) if old.ty == column.ty => Error::NullsKept { column: name },
                Some(_) => {
                    let (issue, value) = (Issue::Truncated, String::new());
                    Error::Value { column: name, issue, value }
                }
                None => Error::NullValue { column: name },
            });
        }
        Ok(value)
    }

    fn known(&self, row_key: &[u8]) -> Result<Option<RowNumbers>> {
        self.numbering.as_ref().map_or(Ok(None), |numbering| numbering.known(row_key))
    }
}

impl Making for Copying<'_> {
    fn table(&self) -> &Arc<Table> {
        self.table
    }

    fn next(&self) -> &Arc<Table> {
        self.next
    }

    fn is_in_order(&self) -> bool {
        self.numbering.is_some()
    }

    fn is_unique(&self) -> bool {
        self.keys == RowKeys::Values || self.next.indexes_with_parts().skip(1).any(|of| of.unique)
    }

    fn sort(&self, number: u64, row_key: &[u8], row: &[u8], sorter: &mut RowSorter) -> Result<()> {
        let row = row_at(self.table, row_key, row)?;
        if self.is_over(&row)? {
            return Ok(());
        }
        let copied = self.copied(row_key, &row.values()?, None, Some(number))?;
        if let Some(numbering) = &self.numbering {
            numbering.remember(row_key, copied.numbers)?;
        }
        sorter.add_copied(number, &copied.key, &copied.datums(), row.version())
    }

    fn end_range(&self, before: u64, rows: u64) {
        self.ranges.lock().push((before, rows));
    }

    fn end_sorting(&self) -> Result<()> {
        self.numbering.as_ref().map_or(Ok(()), Numbering::write)
    }

    fn made_of(&self, row_key: &[u8], row: &[u8], seen: RowSeen) -> Result<Vec<MadeEntry>> {
        let row = row_at(self.table, row_key, row)?;
        if self.is_over(&row)? {
            return Ok(Vec::new());
        }
        let known = self.known(row_key)?;
        if self.numbering.is_some() && known.is_none() && seen == RowSeen::Before {
            // What it had went with an earlier note of the same change.
            return Ok(Vec::new());
        }
        let copied = self.copied(row_key, &row.values()?, known, None)?;
        let (datums, mut value) = (copied.datums(), Vec::new());
        push_row(self.next, &datums, row.version(), Computing::Strict, &mut value)?;
        let mut made = Vec::with_capacity(self.next.entry_indexes() + 1);
        push_entries(self.next, &copied.key, &datums, &|_| true, &mut made)?;
        if let Some(numbering) = &self.numbering {
            let (key, value) = (numbering.key(row_key), copied.numbers.encode());
            made.push(MadeEntry { key, value, what: MadeWhat::Memory, unique: false });
        }
        let unique = self.keys == RowKeys::Values;
        made.push(MadeEntry { key: copied.key, value, what: MadeWhat::Row, unique });
        made.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(made)
    }

    fn duplicate(&self, index: usize, row_key: &[u8], row: &[u8]) -> Result<Error> {
        let row = row_at(self.table, row_key, row)?;
        let copied = self.copied(row_key, &row.values()?, self.known(row_key)?, None)?;
        Ok(duplicate(self.next, index, &copied.datums(), Zone::UTC))
    }
}

/// What a new column holds in rows that exist; its text is on the clock of UTC.
fn new_value(column: &Column) -> Result<Value> {
    match &column.absent {
        Some(text) => clean(column, column.from_text(text, Zone::UTC), text),
        None => Ok(Value::Null),
    }
}

/// A value that was made of a text, which has to be one of the column's.
fn clean(column: &Column, converted: Converted, text: &[u8]) -> Result<Value> {
    match converted.issue {
        Some(issue) => {
            let value = String::from_utf8_lossy(text).into_owned();
            Err(Error::Value { column: column.name.clone(), issue, value })
        }
        None => Ok(converted.value),
    }
}

/// What a row was given; 0 for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RowNumbers {
    /// Its place among the rows, which is its row id if it gets one.
    row: u64,
    /// Its AUTO_INCREMENT value.
    given: u64,
}

impl RowNumbers {
    fn encode(self) -> Vec<u8> {
        [self.row.to_le_bytes(), self.given.to_le_bytes()].concat()
    }

    fn decode(bytes: &[u8]) -> Option<RowNumbers> {
        let (row, given) = bytes.split_first_chunk()?;
        let given = given.try_into().ok()?;
        Some(RowNumbers { row: u64::from_le_bytes(*row), given: u64::from_le_bytes(given) })
    }
}

/// Gives numbers to rows, and remembers them by the keys of the rows.
struct Numbering<'a> {
    engine: &'a Engine,
    prefix: Vec<u8>,
    state: Mutex<NumberingState>,
}

struct NumberingState {
    next: RowNumbers,
    unwritten: Vec<Change>,
}

impl Numbering<'_> {
    fn key(&self, row_key: &[u8]) -> Vec<u8> {
        [&self.prefix[..], &row_key[PREFIX_BYTES..]].concat()
    }

    fn next_row(&self) -> u64 {
        let next = &mut self.state.lock().next.row;
        *next += 1;
        *next - 1
    }

    fn next_given(&self) -> u64 {
        let next = &mut self.state.lock().next.given;
        *next += 1;
        *next - 1
    }

    /// A row has this number of its own.
    fn pass(&self, own: u64) {
        let next = &mut self.state.lock().next.given;
        *next = own.saturating_add(1).max(*next);
    }

    fn known(&self, row_key: &[u8]) -> Result<Option<RowNumbers>> {
        let (key, mut value) = (self.key(row_key), Vec::new());
        if !self.engine.latest().get(&key, Reach::Disk, &mut value)? {
            return Ok(None);
        }
        let why = "not the numbers of a row";
        RowNumbers::decode(&value).map(Some).ok_or(Error::Corrupt { key, why })
    }

    fn remember(&self, row_key: &[u8], numbers: RowNumbers) -> Result<()> {
        let mut state = self.state.lock();
        state.unwritten.push(Change::put(self.key(row_key), numbers.encode()));
        let is_full = state.unwritten.len() >= NUMBERS_MAX;
        drop(state);
        if is_full { self.write() } else { Ok(()) }
    }

    fn write(&self) -> Result<()> {
        let changes = std::mem::take(&mut self.state.lock().unwritten);
        match changes.is_empty() {
            true => Ok(()),
            false => self.engine.store().write(&Batch { changes }, Durability::Os),
        }
    }
}
