//! Records put, removed and counted, each decided upon under its row's lock.
//!
//! Invariants
//! 1. What was decided happens wholly, or the transaction is as it was before.
//!
//! Not here: what is read without a lock (`read`).

use rows::transaction::ROW_BYTES_MAX;
use rows::{ChangeOutcome, RowChange};
use values::RowRef;
use values::member::number;
use values::{Datum, Value};

use crate::memcached::rights::ItemRights;
use crate::memcached::text::signed;
use crate::tyrant::columns::Columns;
use crate::tyrant::command::{PutMode, TyrantFailure, TyrantTrouble};
use crate::tyrant::database::Content;
use crate::tyrant::execute::TyrantRows;

/// The column of a table database that `addint` and `adddouble` add to.
const NUMBER_COLUMN: &[u8] = b"_num";

/// What adding to a record needs that is made where it is missing.
const ADD: ItemRights = ItemRights::READ.and(ItemRights::UPDATE).and(ItemRights::INSERT);

/// What to do with a record under its lock.
enum RecordDecision {
    Put(Content),
    Remove,
}

impl TyrantRows<'_, '_> {
    /// Puts a record; in a table database its value is that of `Columns::joined`.
    ///
    /// # Errors
    /// `Exists` when it must not be there, `Missing` when it must; see `TyrantTrouble`.
    pub fn put(&mut self, mode: PutMode, key: &[u8], value: &[u8]) -> Result<(), TyrantTrouble> {
        if self.database.is_table() {
            return self.put_columns(mode, key, &Columns::of_joined(value)?);
        }
        self.change_value(needed(mode), key, &mut |old| {
            let Some(old) = old else {
                return if needs_record(mode) {
                    Err(TyrantFailure::Missing)
                } else {
                    Ok(last(mode, value.to_vec()))
                };
            };
            let (before, behind) = match mode {
                PutMode::Over | PutMode::Replace => return Ok(value.to_vec()),
                PutMode::Keep => return Err(TyrantFailure::Exists),
                PutMode::Concatenate | PutMode::Append | PutMode::Shift(_) => (old, value),
                PutMode::Prepend => (value, old),
            };
            if old.len() + value.len() > ROW_BYTES_MAX {
                return Err(TyrantFailure::Invalid("record too large".into()));
            }
            Ok(last(mode, [before, behind].concat()))
        })
    }

    /// Puts a record of a table database.
    ///
    /// # Errors
    /// As `put`; `Invalid` for modes that columns have no meaning for.
    pub fn put_columns(
        &mut self,
        mode: PutMode,
        key: &[u8],
        columns: &Columns,
    ) -> Result<(), TyrantTrouble> {
        if matches!(mode, PutMode::Prepend | PutMode::Shift(_)) {
            return Err(TyrantFailure::Invalid("columns have no order of bytes".into()).into());
        }
        let database = self.database;
        self.change(needed(mode), key, &mut |old| {
            let Some(old) = old else {
                return match needs_record(mode) {
                    true => Err(TyrantFailure::Missing.into()),
                    false => Ok(RecordDecision::Put(Content::Columns(columns.clone()))),
                };
            };
            Ok(RecordDecision::Put(Content::Columns(match mode {
                PutMode::Keep => return Err(TyrantFailure::Exists.into()),
                PutMode::Concatenate | PutMode::Append => {
                    let mut joined = database.columns(old)?;
                    joined.add_missing(columns);
                    joined
                }
                _ => columns.clone(),
            })))
        })
    }

    /// Removes a record.
    ///
    /// # Errors
    /// `Missing`; see `TyrantTrouble`.
    pub fn out(&mut self, key: &[u8]) -> Result<(), TyrantTrouble> {
        let needed = ItemRights::DELETE.and(ItemRights::FIND);
        self.change(needed, key, &mut |old| match old {
            Some(_) => Ok(RecordDecision::Remove),
            None => Err(TyrantFailure::Missing.into()),
        })
    }

    /// Removes a record of a table database if its columns are still such.
    ///
    /// # Errors
    /// See `TyrantTrouble`.
    pub fn remove_if(
        &mut self,
        key: &[u8],
        holds: &dyn Fn(&Columns) -> bool,
    ) -> Result<(), TyrantTrouble> {
        let database = self.database;
        let needed = ItemRights::DELETE.and(ItemRights::READ);
        let removed = self.change(needed, key, &mut |old| match old {
            Some(row) if holds(&database.columns(row)?) => Ok(RecordDecision::Remove),
            _ => Err(TyrantFailure::Missing.into()),
        });
        match removed {
            Err(TyrantTrouble::Failed(TyrantFailure::Missing)) => Ok(()),
            other => other,
        }
    }

    /// Adds to a number of four bytes, least first, as the original has it on the machines of
    /// today; a missing one is 0.
    ///
    /// # Errors
    /// `Exists` when the value has another length; see `TyrantTrouble`.
    pub fn add_integer(&mut self, key: &[u8], by: i32) -> Result<i32, TyrantTrouble> {
        if self.database.is_table() {
            return Ok(self.add_to_column(key, by.into())? as i32);
        }
        let mut sum = by;
        self.change_value(ADD, key, &mut |old| {
            if let Some(old) = old {
                let old: [u8; 4] = old.try_into().map_err(|_| TyrantFailure::Exists)?;
                sum = i32::from_le_bytes(old).wrapping_add(by);
            }
            Ok(sum.to_le_bytes().to_vec())
        })?;
        Ok(sum)
    }

    /// Adds to a number of eight bytes, a double, least first; a missing one is 0.
    ///
    /// # Errors
    /// `Exists` when the value has another length; see `TyrantTrouble`.
    pub fn add_double(&mut self, key: &[u8], by: f64) -> Result<f64, TyrantTrouble> {
        if self.database.is_table() {
            return self.add_to_column(key, by);
        }
        let mut sum = by;
        self.change_value(ADD, key, &mut |old| {
            if let Some(old) = old {
                let old: [u8; 8] = old.try_into().map_err(|_| TyrantFailure::Exists)?;
                sum = f64::from_le_bytes(old) + by;
            }
            Ok(sum.to_le_bytes().to_vec())
        })?;
        Ok(sum)
    }

    /// Adds to the number, in digits, of the column that the original keeps it in.
    fn add_to_column(&mut self, key: &[u8], by: f64) -> Result<f64, TyrantTrouble> {
        let database = self.database;
        let mut sum = by;
        self.change(ADD, key, &mut |old| {
            let mut columns = old.map_or(Ok(Columns::default()), |row| database.columns(row))?;
            sum = columns.get(NUMBER_COLUMN).map_or(0.0, number) + by;
            columns.set(NUMBER_COLUMN, sum.to_string().as_bytes());
            Ok(RecordDecision::Put(Content::Columns(columns)))
        })?;
        Ok(sum)
    }

    /// Adds to a number in digits, which does not get below 0; what is no number counts as 0.
    ///
    /// # Errors
    /// `Missing`; see `TyrantTrouble`.
    pub fn add_decimal(&mut self, key: &[u8], by: i64) -> Result<u64, TyrantTrouble> {
        if self.database.is_table() {
            return Err(TyrantFailure::Invalid("a record of columns is no number".into()).into());
        }
        let mut sum = 0;
        self.change_value(ItemRights::READ.and(ItemRights::UPDATE), key, &mut |old| {
            let old = leading_number(old.ok_or(TyrantFailure::Missing)?);
            sum = u64::try_from(old.saturating_add(by)).unwrap_or(0);
            Ok(sum.to_string().into_bytes())
        })?;
        Ok(sum)
    }

    /// Locks a record, whether or not it is there, until the transaction ends; `false` when no row
    /// can have such a key.
    ///
    /// # Errors
    /// See `TyrantTrouble`.
    pub fn lock_record(&mut self, key: &[u8]) -> Result<bool, TyrantTrouble> {
        self.may(ItemRights::FIND, Some(key))?;
        self.row_key.clear();
        if !self.database.push_row_key(key, self.row_key)? {
            return Ok(false);
        }
        self.turn.transaction()?.lock_row(self.database.table(), self.row_key)?;
        Ok(true)
    }

    /// Does several changes wholly or not at all.
    ///
    /// # Errors
    /// What `changes` returns.
    pub fn together(
        &mut self,
        changes: impl FnOnce(&mut Self) -> Result<(), TyrantTrouble>,
    ) -> Result<(), TyrantTrouble> {
        let (start, wrote) = (self.turn.transaction()?.savepoint(), *self.wrote);
        let done = changes(self);
        if done.is_err() {
            self.turn.transaction()?.rollback_to(start);
            *self.wrote = wrote;
        }
        done
    }

    /// Locks a record and puts the value that `decide` makes of its present one, if the client may
    /// do what is needed.
    #[inline]
    fn change_value(
        &mut self,
        needed: ItemRights,
        key: &[u8],
        decide: &mut dyn FnMut(Option<&[u8]>) -> Result<Vec<u8>, TyrantFailure>,
    ) -> Result<(), TyrantTrouble> {
        let database = self.database;
        self.change(needed, key, &mut |old| {
            let value = match old {
                Some(row) => decide(Some(&database.value(row)?)),
                None => decide(None),
            };
            Ok(RecordDecision::Put(Content::Bytes(value?)))
        })
    }

    /// Locks a record, shows its row to `decide`, and does what that says, if the client may do
    /// what is needed.
    #[inline]
    fn change(
        &mut self,
        needed: ItemRights,
        key: &[u8],
        decide: &mut dyn FnMut(Option<&RowRef<'_>>) -> Result<RecordDecision, TyrantTrouble>,
    ) -> Result<(), TyrantTrouble> {
        self.may(needed, Some(key))?;
        self.row_key.clear();
        let database = self.database;
        if !database.push_row_key(key, self.row_key)? {
            return match decide(None)? {
                RecordDecision::Put(_) => {
                    Err(TyrantFailure::Invalid("key does not fit the table".into()).into())
                }
                RecordDecision::Remove => Ok(()),
            };
        }
        let engine = self.turn.engine();
        let transaction = self.turn.transaction()?;
        let start = transaction.savepoint();
        let changed = transaction.change_row(database.table(), self.row_key, &mut |row| {
            Ok::<_, TyrantTrouble>(match decide(Some(&row))? {
                RecordDecision::Remove => RowChange::Delete,
                RecordDecision::Put(content) => RowChange::Set(database.sets(engine, content)?),
            })
        });
        let put = || -> Result<(), TyrantTrouble> {
            let changed = changed?;
            if changed == ChangeOutcome::Missing
                && let RecordDecision::Put(content) = decide(None)?
            {
                let row = database.row(engine, key, content)?;
                let datums: Vec<Datum<'_>> = row.iter().map(Value::as_datum).collect();
                transaction.insert(database.table(), &datums)?;
            }
            Ok(())
        };
        if let Err(trouble) = put() {
            transaction.rollback_to(start);
            return Err(trouble);
        }
        *self.wrote = true;
        Ok(())
    }
}

/// What a put needs.
fn needed(mode: PutMode) -> ItemRights {
    let changes = ItemRights::UPDATE;
    match mode {
        PutMode::Over => changes.and(ItemRights::INSERT),
        PutMode::Keep => ItemRights::INSERT,
        PutMode::Concatenate | PutMode::Shift(_) => ADD,
        PutMode::Replace => changes.and(ItemRights::FIND),
        PutMode::Append | PutMode::Prepend => changes.and(ItemRights::READ),
    }
}

/// Whether nothing is put where nothing is there.
fn needs_record(mode: PutMode) -> bool {
    matches!(mode, PutMode::Replace | PutMode::Append | PutMode::Prepend)
}

/// The number with which a text begins, spaces in front left out; 0 if it begins with none.
fn leading_number(text: &[u8]) -> i64 {
    let text = text.trim_ascii_start();
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let digits = text[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    signed(&text[..sign + digits]).unwrap_or(0)
}

/// The bytes of a value that stay.
fn last(mode: PutMode, mut value: Vec<u8>) -> Vec<u8> {
    if let PutMode::Shift(width) = mode {
        value.drain(..value.len().saturating_sub(width));
    }
    value
}
