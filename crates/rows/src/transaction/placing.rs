//! Rows and their index entries, put into a transaction's buffer and taken out of the table.
//!
//! Invariants
//! 1. A row and all its entries are put in together, or removed together.
//! 2. A unique entry is locked before it is looked for or removed.
//! 3. Memory for what is buffered is had before it grows.
//!
//! Not here: which entries a changed row keeps (`changing`).

use expression::shown_elements;
use values::datum::Datum;
use values::row::RowRef;
use values::temporal::Zone;
use values::text::write_text;
use values::types::ColumnType;

use super::children::{Cascade, ParentChange};
use super::life::Transaction;
use crate::error::{Error, Result};
use crate::table::{ChangedTo, ListedEntry, PREFIX_BYTES, RowDelta, Table};

/// Most bytes one stored row may have.
pub const ROW_BYTES_MAX: usize = 64 << 20;

impl Transaction {
    pub(super) fn insert_complete(&mut self, table: &Table, row: &[Datum<'_>]) -> Result<()> {
        table.check_row(row, self.computing())?;
        let row_key = if table.has_hidden_key() {
            let mut key = Vec::with_capacity(PREFIX_BYTES + 12);
            table.push_numbered_row_key(row, self.engine.next_row_id(table)?, &mut key)?;
            key
        } else {
            self.free_row_key(table, row)?
        };
        for index in 1..table.codecs.len() {
            self.put_entry(table, index, row, &row_key)?;
        }
        self.put_listed_entries(table, row, table.listed_entries(row, &row_key)?)?;
        self.note_columns(table, &row_key, ChangedTo::Row(row, None));
        self.note_change(table, &row_key, None, ChangedTo::Row(row, None));
        self.put_row(table, row, row_key, (0, true))?;
        match self.is_bound(table) {
            // With the row in, which may refer to itself.
            true => self.relate_new(table, row),
            false => Ok(()),
        }
    }

    /// The key of a new row, locked and without one.
    fn free_row_key(&mut self, table: &Table, row: &[Datum<'_>]) -> Result<Vec<u8>> {
        let mut key = std::mem::take(&mut self.scratch.0);
        key.clear();
        table.push_row_key_of(row, &mut key)?;
        let expected = self.expected.take(&key);
        // Of just its length, so that what is kept of it needs not be moved.
        let row_key = expected.unwrap_or_else(|| key.as_slice().to_vec());
        self.scratch.0 = key;
        if !self.expected.is_coming() {
            self.store.lock(&row_key, self.wait)?;
            if self.is_taken(table, &row_key)? {
                return Err(duplicate(table, 0, row, self.zone));
            }
        }
        Ok(row_key)
    }

    /// Removes a locked row; `next` is the one that comes in its place by the same operation.
    pub(super) fn delete_row(
        &mut self,
        table: &Table,
        row_key: &[u8],
        row: &RowRef<'_>,
        next: Option<&[Datum<'_>]>,
        cascade: &Cascade,
    ) -> Result<()> {
        let values = row.values()?;
        self.note_leaving(table, &values)?;
        for index in 1..table.codecs.len() {
            let entry = table.entry(index, &values, row_key)?;
            if entry.unique {
                self.lock_entry(&entry.key)?;
            }
            self.store.delete(entry.key);
        }
        for entry in table.listed_entries(&values, row_key)? {
            self.delete_listed_entry(entry)?;
        }
        let bytes = (row_key.len() + row.bytes().len()) as i64;
        self.sizes.note_rows(self.store.savepoint().0, table, RowDelta { rows: -1, bytes: -bytes });
        if let Some(recency) = table.recency() {
            recency.forget(row_key);
        }
        self.note_change(table, row_key, Some(&values), ChangedTo::Nothing);
        self.note_columns(table, row_key, ChangedTo::Nothing);
        self.store.delete(row_key.to_vec());
        match table.state.is_referenced() && self.is_bound(table) {
            true => self.relate_old(table, &values, ParentChange::Goes(next), cascade),
            false => Ok(()),
        }
    }

    /// Notes for the columnar index that a row comes, goes, or changes in some columns.
    #[inline]
    pub(super) fn note_columns(&mut self, table: &Table, row_key: &[u8], changed: ChangedTo<'_>) {
        let version = || self.engine.next_version();
        if let Some((key, value)) = table.column_note(row_key, changed, version) {
            self.store.put(key, value);
        }
    }

    /// Notes that a row changes, which had these values if it was there, where somebody makes
    /// something of all rows meanwhile.
    #[inline]
    pub(super) fn note_change(
        &mut self,
        table: &Table,
        row_key: &[u8],
        before: Option<&[Datum<'_>]>,
        changed: ChangedTo<'_>,
    ) {
        let version = || self.engine.next_version();
        if let Some((key, value)) = table.change_note(row_key, before, changed, version) {
            self.store.put(key, value);
        }
    }

    /// Writes a row; `replaced` is the bytes of the one before, key included, `is_new`: its key is.
    pub(super) fn put_row(
        &mut self,
        table: &Table,
        row: &[Datum<'_>],
        row_key: Vec<u8>,
        (replaced, is_new): (usize, bool),
    ) -> Result<()> {
        // It grows once, to just the row's length.
        let mut bytes = Vec::new();
        table.layout.encode(row, self.engine.next_version(), &mut bytes);
        if bytes.len() > ROW_BYTES_MAX {
            let (what, bytes_max) = ("row", ROW_BYTES_MAX);
            return Err(Error::TooLarge { what, bytes: bytes.len(), bytes_max });
        }
        self.make_room(bytes.len())?;
        self.absent = None;
        self.expected.note_put();
        let change = (row_key.len() + bytes.len()) as i64 - replaced as i64;
        let moved = RowDelta { rows: i64::from(replaced == 0), bytes: change };
        self.sizes.note_rows(self.store.savepoint().0, table, moved);
        if let Some(recency) = table.recency() {
            recency.touch(&row_key);
        }
        match is_new {
            true => self.store.insert(row_key, bytes, self.wait),
            false => {
                self.store.put(row_key, bytes);
                Ok(())
            }
        }
    }

    pub(super) fn put_entry(
        &mut self,
        table: &Table,
        index: usize,
        row: &[Datum<'_>],
        row_key: &[u8],
    ) -> Result<()> {
        let (mut key, mut value) = std::mem::take(&mut self.scratch);
        let unique = table.push_entry(index, row, row_key, &mut key, &mut value)?;
        if unique && !self.claim_entry(table, index, &key)? {
            return Err(duplicate(table, index, row, self.zone));
        }
        let entry = (key.as_slice().to_vec(), value.as_slice().to_vec());
        self.scratch = (key, value);
        self.store.insert(entry.0, entry.1, self.wait)
    }
}

impl Transaction {
    /// Writes entries of indexes that have several for a row: those of a new row, or those that a
    /// changed one has gained.
    pub(super) fn put_listed_entries(
        &mut self,
        table: &Table,
        row: &[Datum<'_>],
        entries: Vec<ListedEntry>,
    ) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        self.make_room(entries.iter().map(|entry| entry.key.len()).sum())?;
        entries.into_iter().try_for_each(|entry| self.put_listed_entry(table, row, entry))
    }

    fn put_listed_entry(
        &mut self,
        table: &Table,
        row: &[Datum<'_>],
        entry: ListedEntry,
    ) -> Result<()> {
        let index = table.codecs.len() + entry.index;
        if entry.unique && !self.claim_entry(table, index, &entry.key)? {
            return Err(duplicate(table, index, row, self.zone));
        }
        self.store.insert(entry.key, entry.value, self.wait)
    }

    fn delete_listed_entry(&mut self, entry: ListedEntry) -> Result<()> {
        if entry.unique {
            self.lock_entry(&entry.key)?;
        }
        self.store.delete(entry.key);
        Ok(())
    }

    /// Changes the entries of such indexes from those that a row had to those that it has; both are
    /// sorted. Keys are gone through in order, whoever of two rows gives up what the other wants.
    pub(super) fn change_listed_entries(
        &mut self,
        table: &Table,
        row: &[Datum<'_>],
        before: Vec<ListedEntry>,
        mut after: Vec<ListedEntry>,
    ) -> Result<()> {
        // Most of a document's entries stay.
        let stay = |entry: &ListedEntry, of: &[ListedEntry]| of.binary_search(entry).is_ok();
        let mut gone: Vec<ListedEntry> =
            before.iter().filter(|entry| !stay(entry, &after)).cloned().collect();
        after.retain(|entry| !stay(entry, &before));
        self.make_room(after.iter().map(|entry| entry.key.len()).sum())?;
        gone.reverse();
        for entry in after {
            while let Some(old) = gone.pop_if(|old| old.key < entry.key) {
                self.delete_listed_entry(old)?;
            }
            // The row's own, which has another key now.
            match gone.pop_if(|old| old.key == entry.key) {
                Some(_) => {
                    self.lock_entry(&entry.key)?;
                    self.store.put(entry.key, entry.value);
                }
                None => self.put_listed_entry(table, row, entry)?,
            }
        }
        while let Some(old) = gone.pop() {
            self.delete_listed_entry(old)?;
        }
        Ok(())
    }
}

/// The error for a row whose key in a unique index is taken.
pub(crate) fn duplicate(table: &Table, index: usize, row: &[Datum<'_>], zone: Zone) -> Error {
    let array = table.multi_valued_at(index).map(|of| of.array);
    let mut entry = Vec::new();
    let parts = table.codec_at(index).parts.iter().enumerate();
    let own = parts.filter(|(_, part)| table.partition_column() != Some(part.column));
    for (position, (number, part)) in own.enumerate() {
        if position > 0 {
            entry.push(b'-');
        }
        match row[part.column] {
            Datum::Null => entry.extend_from_slice(b"NULL"),
            // As MySQL shows it: the elements of the array stand for its part.
            Datum::Bytes(elements) if array == Some(number) => {
                entry.extend_from_slice(shown_elements(&part.ty, elements).as_bytes());
            }
            Datum::Bytes(bytes) if part.ty.is_binary_string() => {
                let bytes =
                    &bytes[..part.prefix.map_or(bytes.len(), |n| bytes.len().min(n as usize))];
                entry.extend_from_slice(shown_bytes(&part.ty, bytes).as_bytes());
            }
            Datum::Bytes(text) if part.prefix.is_some() => {
                let text = String::from_utf8_lossy(text);
                let chars = text.chars().take(part.prefix.unwrap_or_default() as usize);
                entry.extend_from_slice(chars.collect::<String>().as_bytes());
            }
            Datum::UInt(bits) if matches!(part.ty, ColumnType::Bit { .. }) => {
                let bytes = bits.to_be_bytes();
                let bytes = &bytes[bytes.len() - part.ty.bits_bytes()..];
                entry.extend_from_slice(shown_bytes(&part.ty, bytes).as_bytes());
            }
            value => write_text(&part.ty, value, zone, &mut entry),
        }
    }
    Error::Duplicate {
        table: table.name.clone(),
        index: table.index_at(index).name.clone(),
        entry: shown_entry(&entry),
    }
}

/// Most bytes of an entry that MySQL's error 1062 shows.
const ENTRY_BYTES_MAX: usize = 64;

/// The front of an entry, which ends with a character.
fn shown_entry(entry: &[u8]) -> String {
    let shown = &entry[..entry.len().min(ENTRY_BYTES_MAX)];
    match std::str::from_utf8(shown) {
        Err(error) if error.error_len().is_none() => {
            String::from_utf8_lossy(&shown[..error.valid_up_to()]).into_owned()
        }
        _ => String::from_utf8_lossy(shown).into_owned(),
    }
}

/// Bytes as MySQL's error 1062 shows them: without the zeros at the end of a BINARY, in hexadecimal
/// those that are no signs of ASCII.
fn shown_bytes(ty: &ColumnType, bytes: &[u8]) -> String {
    let end = match ty {
        ColumnType::Binary { .. } => {
            bytes.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1)
        }
        _ => bytes.len(),
    };
    let sign = |byte: &u8| match byte {
        b' '..=b'~' => char::from(*byte).to_string(),
        byte => format!("\\x{byte:02X}"),
    };
    bytes[..end].iter().map(sign).collect()
}
