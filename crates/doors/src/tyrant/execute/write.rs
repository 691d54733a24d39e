//! Records put, removed and counted, each decided upon under its row's lock.
//!
//! Invariants
//! 1. What was decided happens wholly, or the transaction is as it was before.
//!
//! Not here: what is read without a lock (`read`).

use rows::transaction::ROW_BYTES_MAX;
use rows::{Changed, Datum, RowChange, Value};

use crate::memcached::text::signed;
use crate::tyrant::command::{Failure, PutMode, Trouble};
use crate::tyrant::execute::Rows;

/// What to do with a record under its lock.
enum Decision {
    Put(Vec<u8>),
    Remove,
}

impl Rows<'_, '_> {
    /// Puts a record.
    ///
    /// # Errors
    /// `Exists` when it must not be there, `Missing` when it must; see `Trouble`.
    pub fn put(&mut self, mode: PutMode, key: &[u8], value: &[u8]) -> Result<(), Trouble> {
        self.change(key, &mut |old| {
            let Some(old) = old else {
                return match mode {
                    PutMode::Replace | PutMode::Append | PutMode::Prepend => Err(Failure::Missing),
                    _ => Ok(Decision::Put(last(mode, value.to_vec()))),
                };
            };
            let (before, behind) = match mode {
                PutMode::Over | PutMode::Replace => return Ok(Decision::Put(value.to_vec())),
                PutMode::Keep => return Err(Failure::Exists),
                PutMode::Concatenate | PutMode::Append | PutMode::Shift(_) => (old, value),
                PutMode::Prepend => (value, old),
            };
            if old.len() + value.len() > ROW_BYTES_MAX {
                return Err(Failure::Invalid("record too large".into()));
            }
            Ok(Decision::Put(last(mode, [before, behind].concat())))
        })
    }

    /// Removes a record.
    ///
    /// # Errors
    /// `Missing`; see `Trouble`.
    pub fn out(&mut self, key: &[u8]) -> Result<(), Trouble> {
        self.change(key, &mut |old| match old {
            Some(_) => Ok(Decision::Remove),
            None => Err(Failure::Missing),
        })
    }

    /// Adds to a number of four bytes, least first, as the original has it on the machines of
    /// today; a missing one is 0.
    ///
    /// # Errors
    /// `Exists` when the value has another length; see `Trouble`.
    pub fn add_integer(&mut self, key: &[u8], by: i32) -> Result<i32, Trouble> {
        let mut sum = by;
        self.change(key, &mut |old| {
            if let Some(old) = old {
                let old: [u8; 4] = old.try_into().map_err(|_| Failure::Exists)?;
                sum = i32::from_le_bytes(old).wrapping_add(by);
            }
            Ok(Decision::Put(sum.to_le_bytes().to_vec()))
        })?;
        Ok(sum)
    }

    /// Adds to a number of eight bytes, a double, least first; a missing one is 0.
    ///
    /// # Errors
    /// `Exists` when the value has another length; see `Trouble`.
    pub fn add_double(&mut self, key: &[u8], by: f64) -> Result<f64, Trouble> {
        let mut sum = by;
        self.change(key, &mut |old| {
            if let Some(old) = old {
                let old: [u8; 8] = old.try_into().map_err(|_| Failure::Exists)?;
                sum = f64::from_le_bytes(old) + by;
            }
            Ok(Decision::Put(sum.to_le_bytes().to_vec()))
        })?;
        Ok(sum)
    }

    /// Adds to a number in digits, which does not get below 0; what is no number counts as 0.
    ///
    /// # Errors
    /// `Missing`; see `Trouble`.
    pub fn add_decimal(&mut self, key: &[u8], by: i64) -> Result<u64, Trouble> {
        let mut sum = 0;
        self.change(key, &mut |old| {
            let old = leading_number(old.ok_or(Failure::Missing)?);
            sum = u64::try_from(old.saturating_add(by)).unwrap_or(0);
            Ok(Decision::Put(sum.to_string().into_bytes()))
        })?;
        Ok(sum)
    }

    /// Does several changes wholly or not at all.
    ///
    /// # Errors
    /// What `changes` returns.
    pub fn together(
        &mut self,
        changes: impl FnOnce(&mut Self) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let (start, wrote) = (self.turn.transaction()?.savepoint(), *self.wrote);
        let done = changes(self);
        if done.is_err() {
            self.turn.transaction()?.rollback_to(start);
            *self.wrote = wrote;
        }
        done
    }

    /// Locks a record, shows its value to `decide`, and does what that says.
    #[inline]
    fn change(
        &mut self,
        key: &[u8],
        decide: &mut dyn FnMut(Option<&[u8]>) -> Result<Decision, Failure>,
    ) -> Result<(), Trouble> {
        self.row_key.clear();
        let database = self.database;
        if !database.push_row_key(key, self.row_key)? {
            return match decide(None)? {
                Decision::Put(_) => {
                    Err(Failure::Invalid("key does not fit the table".into()).into())
                }
                Decision::Remove => Ok(()),
            };
        }
        let engine = self.turn.engine();
        let transaction = self.turn.transaction()?;
        let start = transaction.savepoint();
        let mut failed = None;
        let changed = transaction.change_row(database.table(), self.row_key, &mut |row| {
            let decision = decide(Some(&database.value(&row)?));
            Ok(match decision {
                Ok(Decision::Remove) => RowChange::Delete,
                Ok(Decision::Put(value)) => match database.sets(value) {
                    Ok(sets) => RowChange::Set(sets),
                    Err(failure) => {
                        failed = Some(failure);
                        RowChange::Keep
                    }
                },
                Err(failure) => {
                    failed = Some(failure);
                    RowChange::Keep
                }
            })
        });
        let put = || -> Result<(), Trouble> {
            let changed = changed?;
            if let Some(failure) = failed.take() {
                return Err(failure.into());
            }
            if changed == Changed::Missing
                && let Decision::Put(value) = decide(None)?
            {
                let row = database.row(engine, key, value)?;
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
