//! Rows that refer to one that goes or gets another key: they go with it, get the new key or none,
//! or keep it there.
//!
//! Invariants
//! 1. Rows that refer to a key are looked for only while the key's lock is had alone (`parents`).
//! 2. What becomes of them is part of the operation: written wholly or not at all, with their
//!    entries, counters and notes, as if they had been changed by themselves.
//! 3. A few of them are in memory at a time, however many there are.
//! 4. Row by row, as in InnoDB: nothing is put off to the end of a statement.
//!
//! Not here: which rows are parents (`parents`).

use values::datum::{Datum, Value};
use values::row::RowRef;

use super::life::Transaction;
use super::parents::key_lock;
use crate::error::{Error, Result, Wait};
use crate::find::row_at;
use crate::foreign_key::{ForeignColumns, Reference, ReferentialAction};
use crate::schema::TableId;
use crate::store::{Direction, KeyRange};
use crate::table::{Table, key_among};

/// How far rows may go with rows that go with a row, as in InnoDB.
const DEPTH_MAX: usize = 15;
/// Rows whose keys are looked for at once.
const PIECE_ROWS: usize = 256;

/// How a change came about: by which other changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Cascade {
    /// Changes before this one.
    depth: usize,
    /// Tables of which rows were given other values.
    updated: Vec<TableId>,
}

/// What becomes of the parent's row.
#[derive(Clone, Copy)]
pub(super) enum ParentChange<'a> {
    /// It goes; another row may come in its place by the same operation.
    Goes(Option<&'a [Datum<'a>]>),
    /// It has these values now.
    Has(&'a [Datum<'a>]),
}

/// What is to become of the rows that refer to a key.
struct Consequence<'a> {
    child: &'a Table,
    foreign: &'a ForeignColumns,
    reference: &'a Reference,
    action: ReferentialAction,
    /// The values of the new key; none where the row goes.
    new: Option<Vec<Value>>,
    /// Of the parent's table, for errors.
    parent: &'a Table,
}

impl Transaction {
    /// A row has gone, or has other values: the rows that refer to it follow, or keep it.
    #[cold]
    pub(super) fn relate_old(
        &mut self,
        table: &Table,
        old: &[Datum<'_>],
        change: ParentChange<'_>,
        cascade: &Cascade,
    ) -> Result<()> {
        if !table.state.is_referenced() {
            return Ok(());
        }
        for reference in table.references().iter() {
            let Some(columns) = table.positions(&reference.key.parent_columns) else { continue };
            let Some(index) = table.unique_index_of(&reference.key.parent_columns) else {
                continue;
            };
            let values: Vec<Datum<'_>> = columns.iter().map(|at| old[*at]).collect();
            let after = match change {
                ParentChange::Goes(after) => after,
                ParentChange::Has(after) => Some(after),
            };
            let stays = after.is_some_and(|row| columns.iter().all(|at| row[*at] == old[*at]));
            if stays || values.iter().any(Datum::is_null) {
                continue;
            }
            self.store.lock(&key_lock(table, index, &values)?, self.wait)?;
            let child = self.enter_related(&reference.database, &reference.table)?;
            // A table that was dropped, or has the foreign key no longer, has no rows that count.
            let Some(child) = child else { continue };
            let Some(at) = child.foreign_key(&reference.key.name) else { continue };
            let key = &child.foreign_keys[at];
            let as_childs = |values: &[Datum<'_>]| {
                key_among((table, &key.parent_columns), (&child, &key.columns), values)
            };
            let among = as_childs(&values);
            // Otherwise no row of the child can have it.
            let Some(values) = among.datums(&values) else { continue };
            let (mut action, new) = match change {
                ParentChange::Goes(_) => (key.on_delete, None),
                ParentChange::Has(row) => {
                    let new: Vec<Datum<'_>> = columns.iter().map(|at| row[*at]).collect();
                    let new = as_childs(&new).into_values(&new);
                    let action = match key.on_update {
                        // The child cannot follow.
                        ReferentialAction::Cascade if new.is_none() => ReferentialAction::Restrict,
                        action => action,
                    };
                    (action, Some(new.unwrap_or_default()))
                }
            };
            let is_own = child.id == table.id;
            // A table that is changed by itself is not changed again, as in InnoDB.
            if new.is_some() && (is_own || cascade.updated.contains(&child.id)) {
                action = ReferentialAction::Restrict;
            }
            let foreign = &child.foreign[at];
            let range = child.prefix_range(foreign.index, &values)?;
            // One that refers to itself goes with another (MySQL 9.7:
            // tests/oracle/sql/self-references.sql).
            let stands_alone = is_own && action.refuses() && cascade.depth == 0;
            if stands_alone && refers_to(&child, foreign, &range, old)? {
                return Err(refused(reference));
            }
            let (child, parent) = (&*child, table);
            let consequence = Consequence { child, foreign, reference, action, new, parent };
            self.follow(&consequence, range, cascade)?;
        }
        Ok(())
    }

    /// Does what is to be done with the rows of a range of the child's index.
    fn follow(
        &mut self,
        consequence: &Consequence<'_>,
        mut range: KeyRange,
        cascade: &Cascade,
    ) -> Result<()> {
        let whole = range.clone();
        let mut next = cascade.clone();
        next.depth += 1;
        if consequence.new.is_some() || consequence.action == ReferentialAction::SetNull {
            next.updated.push(consequence.child.id);
        }
        let mut followed = 0;
        loop {
            let keys = self.keys_of_piece(consequence, &mut range)?;
            followed += keys.len();
            if followed > self.reach().limits().rows_met {
                return Err(Error::WouldWait(Wait::Disk));
            }
            self.make_room(0)?;
            for row_key in &keys {
                self.follow_row(consequence, &whole, row_key, &next)?;
            }
            if keys.len() < PIECE_ROWS {
                return Ok(());
            }
        }
    }

    /// The keys of the first rows of a range, which begins behind them from then on.
    fn keys_of_piece(
        &self,
        consequence: &Consequence<'_>,
        range: &mut KeyRange,
    ) -> Result<Vec<Vec<u8>>> {
        let (child, index) = (consequence.child, consequence.foreign.index);
        let mut keys = Vec::new();
        let mut cursor = self.store.scan(range, Direction::Forward, self.reach())?;
        let mut last = Vec::new();
        while keys.len() < PIECE_ROWS && cursor.advance()? {
            let (key, value) = cursor.entry();
            let mut row_key = Vec::new();
            match index {
                0 => row_key.extend_from_slice(key),
                _ => drop(child.entry_target(index, key, value, &mut row_key)?),
            }
            last.clear();
            last.extend_from_slice(key);
            keys.push(row_key);
        }
        drop(cursor);
        if !last.is_empty() {
            last.push(0);
            range.start = last;
        }
        Ok(keys)
    }

    /// Does it with one row, if that refers to the key when its lock is had.
    fn follow_row(
        &mut self,
        consequence: &Consequence<'_>,
        whole: &KeyRange,
        row_key: &[u8],
        cascade: &Cascade,
    ) -> Result<()> {
        let Consequence { child, foreign, action, .. } = *consequence;
        match action.refuses() {
            true => self.store.lock_shared(row_key, self.wait)?,
            false => self.store.lock(row_key, self.wait)?,
        };
        let mut bytes = Vec::new();
        if !self.read_locked(row_key, &mut bytes)? {
            return Ok(());
        }
        let row = row_at(child, row_key, &bytes)?;
        if !refers_to(child, foreign, whole, &row.values()?)? {
            return Ok(());
        }
        let over = match self.engine.expiry(child) {
            Some(expiry) => expiry.is_over(&row)?,
            None => false,
        };
        if over {
            // It is gone for everybody, and needs no parent.
            self.store.lock(row_key, self.wait)?;
            return self.delete_row(child, row_key, &row, None, cascade);
        }
        if action.refuses() {
            return Err(refused(consequence.reference));
        }
        if cascade.depth >= DEPTH_MAX {
            return Err(Error::CascadeTooDeep { depth_max: DEPTH_MAX });
        }
        match (action, &consequence.new) {
            (ReferentialAction::Cascade, None) => {
                self.delete_row(child, row_key, &row, None, cascade)
            }
            (ReferentialAction::Cascade, Some(new)) => {
                let sets = foreign.columns.iter().copied().zip(new.iter().cloned()).collect();
                self.give(consequence, row_key, &row, sets, cascade)
            }
            _ => {
                let sets = foreign.columns.iter().map(|at| (*at, Value::Null)).collect();
                self.give(consequence, row_key, &row, sets, cascade)
            }
        }
    }

    /// Gives a child's row other values.
    fn give(
        &mut self,
        consequence: &Consequence<'_>,
        row_key: &[u8],
        row: &RowRef<'_>,
        sets: Vec<(usize, Value)>,
        cascade: &Cascade,
    ) -> Result<()> {
        let given = self.set_columns(consequence.child, row_key, row, &sets, false, cascade);
        match given {
            Ok(_) => Ok(()),
            Err(Error::Duplicate { index, entry, .. }) => Err(Error::CascadeDuplicate {
                parent: consequence.parent.name.clone(),
                child: consequence.child.name.clone(),
                index,
                entry,
            }),
            Err(error) => Err(error),
        }
    }
}

/// Whether a row has the values of the key whose range this is.
fn refers_to(
    child: &Table,
    foreign: &ForeignColumns,
    range: &KeyRange,
    row: &[Datum<'_>],
) -> Result<bool> {
    let values: Vec<Datum<'_>> = foreign.columns.iter().map(|at| row[*at]).collect();
    if values.iter().any(Datum::is_null) {
        return Ok(false);
    }
    Ok(child.prefix_range(foreign.index, &values)?.start == range.start)
}

fn refused(reference: &Reference) -> Error {
    Error::HasChildren {
        table: format!("{}.{}", reference.database, reference.table),
        key: Box::new(reference.key.clone()),
    }
}
