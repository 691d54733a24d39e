//! EXCHANGE PARTITION: the rows of a partition and those of a table change places.
//!
//! Keys begin with the table's number, so rows are removed under their old keys and written under
//! the new ones, in one commit whose writes wait in files where they are many.
//!
//! Invariants
//! 1. After a crash both tables have the rows that they had before, or both have the other's.
//! 2. No row comes into a partition that is not its own: MySQL's WITHOUT VALIDATION is not obeyed.
//!
//! Not here: which tables and partitions there are (crate `sql`).

use std::sync::Arc;

use values::datum::{Datum, Value};

use crate::broken_rule::BrokenRule;
use crate::bulk::go_on;
use crate::catalog::put_table;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::partition::{PartitionFault, PartitionId};
use crate::rules::{Computing, with_computed};
use crate::schema::{Index, TableDefinition};
use crate::store::{Direction, KeyRange, Reach, StoreTransaction};
use crate::table::{PRIMARY, Patience, RowDelta, Table, index_range, partition_range};

/// Bytes of writes beyond which they go to a file.
const WRITES_MAX: usize = 16 << 20;

/// Rows that moved, and their bytes as they were.
#[derive(Default)]
struct MovedRows {
    rows: i64,
    bytes: i64,
}

fn fault<T>(fault: PartitionFault) -> Result<T> {
    Err(BrokenRule::Partitioning(fault).into())
}

impl Engine {
    /// Exchanges the rows of a partition, by name, for those of another table, `(database, name)`.
    ///
    /// # Errors
    /// `NotFound`; `Definition` where the tables are not alike, or a row of the other table is of
    /// another partition; `LockTimeout` when writers do not leave.
    pub fn exchange_partition(
        &self,
        (database, name): (&str, &str),
        partition: &str,
        (other_database, other_name): (&str, &str),
        patience: &Patience,
    ) -> Result<()> {
        let find = || -> Result<Vec<Arc<Table>>> {
            let table = self.catalog().table(database, name)?;
            Ok(vec![table, self.catalog().table(other_database, other_name)?])
        };
        let known = find()?;
        let gates = self.close_all(&known, patience)?;
        let tables = find()?;
        if !known.iter().zip(&tables).all(|(known, now)| now.is_version_of(known)) {
            return Err(Error::SchemaChanged);
        }
        let [table, other] = &tables[..] else { return Err(Error::SchemaChanged) };
        let id = partition_to_exchange(table, partition, other)?;
        let mut writes = self.store().begin()?;
        let of_partition = |index| partition_range(table.id, index, id);
        let of_other = |index| index_range(other.id, index);
        // A key that both have is removed before it is written again.
        for index in table.stored_indexes() {
            self.remove_keys(&of_partition(index), &mut *writes)?;
        }
        for index in other.stored_indexes() {
            self.remove_keys(&of_other(index), &mut *writes)?;
        }
        let out = self.move_rows((table, &of_partition(PRIMARY)), (other, None), &mut *writes)?;
        let into = self.move_rows((other, &of_other(PRIMARY)), (table, Some(id)), &mut *writes)?;
        tables.iter().for_each(|table| table.state.note_rows_at_once());
        self.cache().begin_tables(&[table.id, other.id]);
        let committed = writes.commit(self.durability());
        self.cache().end_tables(self.store().sequence().unwrap_or(0));
        tables.iter().for_each(|table| table.state.note_rows_at_once());
        committed?;
        let delta = |come: &MovedRows, gone: &MovedRows| RowDelta {
            rows: come.rows - gone.rows,
            bytes: come.bytes - gone.bytes,
        };
        table.state.rows.add(delta(&into, &out));
        other.state.rows.add(delta(&out, &into));
        let mut change = self.catalog().change();
        // What was kept of the old rows in memory is that of an earlier version.
        let definition = |table: &Arc<Table>| TableDefinition {
            version: table.version + 1,
            ..table.definition.clone()
        };
        let renewed: Vec<TableDefinition> = tables.iter().map(definition).collect();
        renewed.iter().for_each(|definition| change.put_table(definition));
        change.finish(&**self.store(), self.durability(), |databases| {
            for (definition, old) in renewed.into_iter().zip(&tables) {
                old.state.reset_counters();
                // Snapshots of before show other rows under these keys.
                old.state.set_readable_since(self.store().sequence().unwrap_or(0));
                put_table(databases, self.renewed(definition, old));
            }
        })?;
        drop(gates);
        Ok(())
    }

    /// Removes all keys of a range.
    fn remove_keys(&self, range: &KeyRange, writes: &mut dyn StoreTransaction) -> Result<()> {
        let mut cursor = self.store().scan(range, Direction::Forward, Reach::Disk)?;
        let mut count = 0;
        while cursor.advance()? {
            writes.delete(cursor.entry().0.to_vec());
            self.after_moved(&mut count, writes)?;
        }
        Ok(())
    }

    /// Has writes that are many wait in a file, and ends when it is told to.
    fn after_moved(&self, count: &mut u64, writes: &mut dyn StoreTransaction) -> Result<()> {
        *count += 1;
        go_on(*count)?;
        match self.spill() {
            Some(directory) if writes.spillable_bytes() > WRITES_MAX => writes.spill(directory),
            _ => Ok(()),
        }
    }

    /// Writes the rows of a range as those of another table.
    fn move_rows(
        &self,
        (from, range): (&Table, &KeyRange),
        (to, partition): (&Table, Option<PartitionId>),
        writes: &mut dyn StoreTransaction,
    ) -> Result<MovedRows> {
        let mut moved = MovedRows::default();
        let mut count = 0;
        let named = to.named_columns().len();
        let mut cursor = self.store().scan(range, Direction::Forward, Reach::Disk)?;
        while cursor.advance()? {
            let (key, value) = cursor.entry();
            let row = row_at(from, key, value)?;
            let values = row.values()?;
            let mut new: Vec<Datum<'_>> = values[..named].to_vec();
            new.resize(to.columns.len(), Datum::Null);
            let computed = match to.computed(&new, Computing::Strict) {
                Err(error) if error.is_of_partition() => return fault(PartitionFault::ExchangeRow),
                computed => computed?,
            };
            if let (Some(id), Some(column)) = (partition, to.partition_column())
                && !computed.contains(&(column, Value::UInt(u64::from(id))))
            {
                return fault(PartitionFault::ExchangeRow);
            }
            let new = with_computed(&new, &computed);
            to.check_row(&new, Computing::Strict)?;
            let mut new_key = Vec::with_capacity(key.len() + 4);
            match to.has_hidden_key() {
                // Rows of other partitions may have the number that it had.
                true => to.push_numbered_row_key(&new, self.next_row_id(to)?, &mut new_key)?,
                false => to.push_row_key_of(&new, &mut new_key)?,
            }
            for index in 1..to.codecs.len() {
                let entry = to.entry(index, &new, &new_key)?;
                writes.put(entry.key, entry.value);
                self.after_moved(&mut count, writes)?;
            }
            let mut bytes = Vec::new();
            to.layout.encode(&new, self.next_version(), &mut bytes);
            writes.put(new_key, bytes);
            self.after_moved(&mut count, writes)?;
            moved.rows += 1;
            moved.bytes += (key.len() + value.len()) as i64;
        }
        Ok(moved)
    }
}

/// The number of the partition that is exchanged for a table, if they are alike.
fn partition_to_exchange(table: &Table, name: &str, other: &Table) -> Result<PartitionId> {
    let Some(partitioning) = &table.partitioning else { return fault(PartitionFault::None) };
    if other.partitioning.is_some() {
        return fault(PartitionFault::ExchangePartitioned(other.name.clone()));
    }
    let Some(at) = partitioning.partition(name) else {
        let (name, table) = (name.to_owned(), table.name.clone());
        return fault(PartitionFault::Unknown { name, table });
    };
    if other.is_related() {
        return fault(PartitionFault::ExchangeForeignKey(other.name.clone()));
    }
    let is_plain = !other.columnar
        && other.columnar_index.is_none()
        && table.listed_indexes().chain(other.listed_indexes()).next().is_none()
        && other.retention == table.retention;
    if !is_plain || !are_alike(table, other) {
        return fault(PartitionFault::ExchangeDifferent);
    }
    Ok(partitioning.partitions[at].id)
}

fn are_alike(table: &Table, other: &Table) -> bool {
    let columns = table.named_columns().iter().zip(other.named_columns());
    let mut columns = columns.map(|(one, other)| {
        one.name.eq_ignore_ascii_case(&other.name)
            && (&one.ty, one.nullable, one.unsigned, one.auto_increment, &one.computed)
                == (
                    &other.ty,
                    other.nullable,
                    other.unsigned,
                    other.auto_increment,
                    &other.computed,
                )
    });
    let is_same_index = |one: &Index, same: &Index| {
        let parts = |definition: &TableDefinition, index: &Index| {
            let part = |part: &crate::schema::IndexPart| {
                let expression = definition.part_expression(part).map(str::to_owned);
                let column = expression.is_none().then_some(part.column);
                (column, expression, part.prefix, part.descending)
            };
            index.parts.iter().map(part).collect::<Vec<_>>()
        };
        one.name.eq_ignore_ascii_case(&same.name)
            && one.unique == same.unique
            && parts(table, one) == parts(other, same)
    };
    table.named_columns().len() == other.named_columns().len()
        && columns.all(|is_same| is_same)
        && table.indexes.len() == other.indexes.len()
        && table.indexes.iter().all(|one| other.indexes.iter().any(|same| is_same_index(one, same)))
}
