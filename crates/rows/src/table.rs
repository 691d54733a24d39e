//! A table as operations use it: its definition with everything precomputed, and the state that
//! outlives schema changes (gate, counters).
//!
//! Keys of one table, all numbers big-endian:
//! ```text
//! row            | table id u32 | 00 01    | primary key parts, or row id u64       |
//! index entry    | table id u32 | index id | index parts | primary key parts (*)    |
//!   (*) not in a unique index when no part is NULL; the value then holds them.
//! ```
//! Value of an index entry whose key ends with the primary key: `u16` little-endian, the number
//! of key bytes before it.
//!
//! Invariants
//! 1. `Table` never changes; `TableState` is shared by all versions of one table.
//! 2. Who writes rows holds a `GateGuard`; a schema change closes the gate, so it starts with no
//!    writer inside and none enters until it is over.
//!
//! Not here: persistence of definitions (`catalog`), the changes themselves (`ddl`, `alter`).

use std::ops::{Bound, Deref};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use crate::datum::Datum;
use crate::error::{Error, Result, Wait};
use crate::find::FindOp;
use crate::key;
use crate::recency::Recency;
use crate::row::{RowLayout, RowRef};
use crate::schema::{IndexId, IndexState, TableDefinition, TableId};
use crate::store::{Direction, KeyRange, LockWait};
use crate::types::ColumnType;

/// Bytes of a key before its first part.
pub const PREFIX_BYTES: usize = 6;
/// Most bytes an encoded key may have.
pub const KEY_BYTES_MAX: usize = 4096;
/// Bits of a column's position + 1 beside a version; a table has at most 1017 columns.
const POSITION_BITS: u32 = 16;
/// Number of the primary index.
pub const PRIMARY: IndexId = 1;

/// How one part of an index is encoded.
#[derive(Clone, Debug)]
pub struct PartCodec {
    /// Position of the column in the table.
    pub column: usize,
    /// Its type.
    pub ty: ColumnType,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// Only so many leading characters or bytes are in the key.
    pub prefix: Option<u32>,
}

/// An index with what its keys need.
#[derive(Clone, Debug)]
pub struct IndexCodec {
    prefix: [u8; PREFIX_BYTES],
    /// The parts in order.
    pub parts: Vec<PartCodec>,
    /// Whether an entry without NULLs may exist only once.
    pub unique: bool,
    /// Whether readers may use it.
    pub ready: bool,
}

/// An index entry's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its key in the store.
    pub key: Vec<u8>,
    /// Its value in the store.
    pub value: Vec<u8>,
    /// Whether the key alone must be unique.
    pub unique: bool,
}

/// What all versions of one table share.
#[derive(Debug, Default)]
pub struct TableState {
    current_version: AtomicU64,
    /// The column by which a container lets rows expire, if the definition names none: the
    /// version of the table that counts the columns, then a position + 1; 0 for none.
    expiry_of_container: AtomicU64,
    /// Of the version in use, in cache mode.
    recency: Mutex<Option<Arc<Recency>>>,
    /// Counts transactions that wrote here and are over; moved before they are acknowledged.
    writers_left: AtomicU64,
    gate: Mutex<Gate>,
    gate_moved: Condvar,
    /// Next AUTO_INCREMENT value; 0 while not read from the rows yet.
    pub(crate) auto_increment: AtomicU64,
    /// Next hidden row id; 0 while not read from the rows yet.
    pub(crate) row_id: AtomicU64,
}

#[derive(Debug, Default)]
struct Gate {
    writers: usize,
    closed: bool,
}

impl TableState {
    /// Marks a version as the one that operations must use; `u64::MAX` when dropped.
    pub(crate) fn set_version(&self, version: u64) {
        self.current_version.store(version, Ordering::Release);
    }

    /// The recency for a version of the table: the one there is, if it still fits.
    fn recency(&self, definition: &TableDefinition) -> Option<Arc<Recency>> {
        let (id, bytes_max) = (definition.id, definition.retention.bytes_max);
        let mut recency = self.recency.lock();
        if bytes_max == 0 {
            *recency = None;
        } else if !recency.as_ref().is_some_and(|known| known.is_of(id, bytes_max)) {
            *recency = Some(Arc::new(Recency::new(id, bytes_max)));
        }
        recency.clone()
    }

    /// Makes counters be read from the rows again.
    pub(crate) fn reset_counters(&self) {
        self.auto_increment.store(0, Ordering::SeqCst);
        self.row_id.store(0, Ordering::SeqCst);
    }

    /// Enters as a writer.
    ///
    /// # Errors
    /// `WouldWait(Schema)` or `LockTimeout` while a schema change has the gate closed.
    pub(crate) fn enter(self: &Arc<Self>, wait: LockWait) -> Result<GateGuard> {
        let mut gate = self.gate.lock();
        if gate.closed {
            let LockWait::AtMost(wait_max) = wait else {
                return Err(Error::WouldWait(Wait::Schema));
            };
            let deadline = Instant::now() + wait_max;
            while gate.closed {
                if self.gate_moved.wait_until(&mut gate, deadline).timed_out() {
                    return Err(Error::LockTimeout);
                }
            }
        }
        gate.writers += 1;
        Ok(GateGuard(Arc::clone(self)))
    }

    /// Closes the gate and waits until the writers inside have left.
    ///
    /// # Errors
    /// `LockTimeout` when another change has it closed, or writers do not leave in time; the gate
    /// is then as it was.
    pub(crate) fn close(self: &Arc<Self>, wait_max: std::time::Duration) -> Result<ClosedGate> {
        let deadline = Instant::now() + wait_max;
        let mut gate = self.gate.lock();
        while gate.closed {
            if self.gate_moved.wait_until(&mut gate, deadline).timed_out() {
                return Err(Error::LockTimeout);
            }
        }
        gate.closed = true;
        let closed = ClosedGate(Arc::clone(self));
        while gate.writers > 0 {
            if self.gate_moved.wait_until(&mut gate, deadline).timed_out() {
                drop(gate);
                drop(closed);
                return Err(Error::LockTimeout);
            }
        }
        Ok(closed)
    }
}

/// A writer inside the gate; leaving is dropping it.
#[derive(Debug)]
pub struct GateGuard(Arc<TableState>);

impl GateGuard {
    pub(crate) fn is_of(&self, state: &Arc<TableState>) -> bool {
        Arc::ptr_eq(&self.0, state)
    }
}

impl Drop for GateGuard {
    fn drop(&mut self) {
        self.0.writers_left.fetch_add(1, Ordering::Release);
        let mut gate = self.0.gate.lock();
        gate.writers -= 1;
        if gate.closed && gate.writers == 0 {
            self.0.gate_moved.notify_all();
        }
    }
}

/// A gate without writers; dropping it opens the gate.
#[derive(Debug)]
pub(crate) struct ClosedGate(Arc<TableState>);

impl Drop for ClosedGate {
    fn drop(&mut self) {
        self.0.gate.lock().closed = false;
        self.0.gate_moved.notify_all();
    }
}

/// One version of a table, ready for operations.
#[derive(Debug)]
pub struct Table {
    /// What the catalog stores.
    pub definition: TableDefinition,
    /// Where columns lie in stored rows.
    pub layout: RowLayout,
    /// Key codecs, in the order of `definition.indexes`.
    pub codecs: Vec<IndexCodec>,
    /// The column that the definition lets rows expire by.
    expiry_column: Option<usize>,
    /// In cache mode.
    recency: Option<Arc<Recency>>,
    pub(crate) state: Arc<TableState>,
}

impl Deref for Table {
    type Target = TableDefinition;

    fn deref(&self) -> &TableDefinition {
        &self.definition
    }
}

impl Table {
    /// Prepares a definition for use. `state` is that of the table's earlier version, if any.
    pub(crate) fn new(definition: TableDefinition, state: Arc<TableState>) -> Table {
        let codecs = definition
            .indexes
            .iter()
            .map(|index| IndexCodec {
                prefix: key_prefix(definition.id, index.id),
                parts: index
                    .parts
                    .iter()
                    .map(|part| {
                        let column = &definition.columns[part.column];
                        PartCodec {
                            column: part.column,
                            ty: column.ty.clone(),
                            nullable: column.nullable,
                            prefix: part.prefix,
                        }
                    })
                    .collect(),
                unique: index.unique,
                ready: index.state == IndexState::Ready,
            })
            .collect();
        let layout = RowLayout::new(&definition);
        let expires_by = definition.retention.expires_by.as_deref();
        let expiry_column = expires_by.and_then(|name| definition.column(name));
        let recency = state.recency(&definition);
        Table { definition, layout, codecs, expiry_column, recency, state }
    }

    /// Bytes and uses of the rows, in cache mode.
    #[inline]
    pub fn recency(&self) -> Option<&Arc<Recency>> {
        self.recency.as_ref()
    }

    /// Notes that a row is used, for readers that `Engine::find` and `get` do not know of.
    #[inline]
    pub fn note_use(&self, row_key: &[u8]) {
        if let Some(recency) = &self.recency {
            recency.touch(row_key);
        }
    }

    /// The column of the second at which a row is gone.
    #[inline]
    pub fn expiry_column(&self) -> Option<usize> {
        if self.expiry_column.is_some() {
            return self.expiry_column;
        }
        let packed = self.state.expiry_of_container.load(Ordering::Relaxed);
        if packed == 0 {
            return None;
        }
        let (version, position) = (packed >> POSITION_BITS, packed & ((1 << POSITION_BITS) - 1));
        (version == self.definition.version).then(|| position as usize - 1)
    }

    /// Lets rows expire by an integer column, until told otherwise or the engine is closed;
    /// `None` lets them stay. A column that the definition names comes first.
    pub fn expire_by(&self, column: Option<usize>) {
        let packed = column
            .map_or(0, |position| self.definition.version << POSITION_BITS | (position as u64 + 1));
        self.state.expiry_of_container.store(packed, Ordering::Relaxed);
    }

    /// Whether this and another are versions of one table.
    pub fn is_version_of(&self, other: &Table) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    /// Goes on with what the table's earlier version was told by `expire_by`.
    pub(crate) fn inherit(&self, old: &Table) {
        if old.expiry_column.is_none()
            && let Some(position) = old.expiry_column()
        {
            let column = self.column(&old.columns[position].name);
            let is_integer = |at: &usize| matches!(self.columns[*at].ty, ColumnType::Int { .. });
            self.expire_by(column.filter(is_integer));
        }
    }

    /// Whether this is the version that operations must use.
    #[inline]
    pub fn is_current(&self) -> bool {
        self.state.current_version.load(Ordering::Acquire) == self.definition.version
    }

    /// A number that has moved since any row was changed by a write acknowledged since. It may
    /// move without a change. For caches of what a small table says.
    #[inline]
    pub fn changes(&self) -> u64 {
        self.state.writers_left.load(Ordering::Acquire)
    }

    /// All keys of the table: rows and index entries.
    pub fn full_range(&self) -> KeyRange {
        table_range(self.definition.id)
    }

    /// All keys of an index; of the rows for index 0.
    pub fn index_range(&self, index: usize) -> KeyRange {
        let start = self.codecs[index].prefix.to_vec();
        let end = successor(&start);
        KeyRange { start, end }
    }

    /// Appends the key bytes of the leading parts of an index, the prefix in front.
    fn encode_leading(&self, index: usize, values: &[Datum<'_>]) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(PREFIX_BYTES + 24);
        self.encode_leading_into(index, values, &mut out)?;
        Ok(out)
    }

    fn encode_leading_into(
        &self,
        index: usize,
        values: &[Datum<'_>],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let codec = &self.codecs[index];
        assert!(
            values.len() <= codec.parts.len().max(1),
            "more key values than the index has parts"
        );
        out.extend_from_slice(&codec.prefix);
        if index == 0 && codec.parts.is_empty() {
            if let [Datum::UInt(row_id)] = values {
                out.extend_from_slice(&row_id.to_be_bytes());
            }
            return Ok(());
        }
        for (part, value) in codec.parts.iter().zip(values) {
            encode_part(part, *value, out)?;
        }
        Ok(())
    }

    /// The rows whose leading key parts equal `values`. A full key of a unique index gives a
    /// range of one key, which `find` answers by a single look-up.
    pub fn prefix_range(&self, index: usize, values: &[Datum<'_>]) -> Result<KeyRange> {
        let codec = &self.codecs[index];
        // A NULL in a NOT NULL column equals nothing; no key can be made of it.
        if codec.parts.iter().zip(values).any(|(p, v)| v.is_null() && !p.nullable) {
            return Ok(empty_range(&codec.prefix));
        }
        let start = self.encode_leading(index, values)?;
        let one = codec.unique
            && values.len() == codec.parts.len().max(1)
            && !values.iter().any(Datum::is_null);
        let end = if one {
            let mut end = Vec::with_capacity(start.len() + 1);
            end.extend_from_slice(&start);
            end.push(0);
            end
        } else {
            successor(&start)
        };
        Ok(KeyRange { start, end })
    }

    /// The range and direction of a HandlerSocket-style find on the leading key parts: `=`, `>=`
    /// and `>` ascend, `<=` and `<` descend.
    pub fn op_range(
        &self,
        index: usize,
        op: FindOp,
        values: &[Datum<'_>],
    ) -> Result<(KeyRange, Direction)> {
        if op == FindOp::Equal {
            return Ok((self.prefix_range(index, values)?, Direction::Forward));
        }
        let whole = self.index_range(index);
        let key = self.encode_leading(index, values)?;
        let after = successor(&key);
        Ok(match op {
            FindOp::Equal => unreachable!("answered above"),
            FindOp::Greater => (KeyRange { start: after, end: whole.end }, Direction::Forward),
            FindOp::GreaterEqual => (KeyRange { start: key, end: whole.end }, Direction::Forward),
            FindOp::Less => (KeyRange { start: whole.start, end: key }, Direction::Backward),
            FindOp::LessEqual => (KeyRange { start: whole.start, end: after }, Direction::Backward),
        })
    }

    /// The rows whose leading parts equal `equal` and whose next part lies between two bounds.
    /// With a bound on either side, rows with NULL in that part do not belong.
    pub fn between_range(
        &self,
        index: usize,
        equal: &[Datum<'_>],
        lower: Bound<Datum<'_>>,
        upper: Bound<Datum<'_>>,
    ) -> Result<KeyRange> {
        let part = &self.codecs[index].parts[equal.len()];
        let base = self.encode_leading(index, equal)?;
        let with = |value: Datum<'_>| -> Result<Vec<u8>> {
            let mut key = base.clone();
            encode_part(part, value, &mut key)?;
            Ok(key)
        };
        let bounded = !matches!((&lower, &upper), (Bound::Unbounded, Bound::Unbounded));
        let start = match lower {
            Bound::Included(value) => with(value)?,
            // Prefix parts cut values off, so rows above the bound may share its key.
            Bound::Excluded(value) if part.prefix.is_some() => with(value)?,
            Bound::Excluded(value) => successor(&with(value)?),
            Bound::Unbounded if bounded && part.nullable => successor(&with(Datum::Null)?),
            Bound::Unbounded => base.clone(),
        };
        let end = match upper {
            Bound::Included(value) => successor(&with(value)?),
            Bound::Excluded(value) if part.prefix.is_some() => successor(&with(value)?),
            Bound::Excluded(value) => with(value)?,
            Bound::Unbounded => successor(&base),
        };
        Ok(KeyRange { start, end })
    }

    /// The key of a row from its primary key values, in key order; for a table with a hidden
    /// key, the row id as `UInt`.
    pub fn row_key(&self, key_values: &[Datum<'_>]) -> Result<Vec<u8>> {
        self.encode_leading(0, key_values)
    }

    /// The same, appended to a buffer.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn push_row_key(&self, key_values: &[Datum<'_>], out: &mut Vec<u8>) -> Result<()> {
        self.encode_leading_into(0, key_values, out)
    }

    /// The key of a row from all its columns. Only for tables with a primary key.
    pub fn row_key_of(&self, row: &[Datum<'_>]) -> Result<Vec<u8>> {
        let codec = &self.codecs[0];
        let mut out = Vec::with_capacity(PREFIX_BYTES + 24);
        out.extend_from_slice(&codec.prefix);
        for part in &codec.parts {
            encode_part(part, row[part.column], &mut out)?;
        }
        Ok(out)
    }

    /// The entry of a secondary index for a row.
    pub fn entry(&self, index: usize, row: &[Datum<'_>], row_key: &[u8]) -> Result<Entry> {
        let codec = &self.codecs[index];
        let mut key = Vec::with_capacity(row_key.len() + 24);
        key.extend_from_slice(&codec.prefix);
        let mut has_null = false;
        for part in &codec.parts {
            has_null |= row[part.column].is_null();
            encode_part(part, row[part.column], &mut key)?;
        }
        let primary = &row_key[PREFIX_BYTES..];
        if codec.unique && !has_null {
            return Ok(Entry { key, value: primary.to_vec(), unique: true });
        }
        let parts_end = key.len() as u16;
        key.extend_from_slice(primary);
        Ok(Entry { key, value: parts_end.to_le_bytes().to_vec(), unique: false })
    }

    /// Puts the row key that an index entry points to into `row_key`, and gives the length of
    /// the entry's key without the primary key.
    pub(crate) fn entry_target(
        &self,
        index: usize,
        key: &[u8],
        value: &[u8],
        row_key: &mut Vec<u8>,
    ) -> Result<usize> {
        row_key.clear();
        row_key.extend_from_slice(&self.codecs[0].prefix);
        let damaged = |why| Error::Corrupt { key: key.to_vec(), why };
        // A unique entry's value is a primary key, the other form's is exactly two bytes. They
        // are told apart by the NULLs in the key, which only nullable parts can have.
        let codec = &self.codecs[index];
        if codec.unique && !self.entry_has_null(index, key)? {
            row_key.extend_from_slice(value);
            return Ok(key.len());
        }
        let value: [u8; 2] = value.try_into().map_err(|_| damaged("index entry value length"))?;
        let parts_end = usize::from(u16::from_le_bytes(value));
        if parts_end < PREFIX_BYTES || parts_end > key.len() {
            return Err(damaged("index entry points outside its key"));
        }
        row_key.extend_from_slice(&key[parts_end..]);
        Ok(parts_end)
    }

    fn entry_has_null(&self, index: usize, key: &[u8]) -> Result<bool> {
        let codec = &self.codecs[index];
        if codec.parts.iter().all(|part| !part.nullable) {
            return Ok(false);
        }
        let mut at = PREFIX_BYTES;
        for part in &codec.parts {
            let rest = key.get(at..).unwrap_or_default();
            if part.nullable && rest.first() == Some(&0) {
                return Ok(true);
            }
            at += key::skip_part(&part.ty, part.nullable, part.prefix, rest)?;
        }
        Ok(false)
    }

    /// Whether a row has the key parts that an index entry claims.
    pub(crate) fn entry_matches(
        &self,
        index: usize,
        entry_parts: &[u8],
        row: &RowRef<'_>,
        scratch: &mut Vec<u8>,
    ) -> Result<bool> {
        let codec = &self.codecs[index];
        scratch.clear();
        scratch.extend_from_slice(&codec.prefix);
        for part in &codec.parts {
            encode_part(part, row.column(part.column)?, scratch)?;
        }
        Ok(scratch.as_slice() == entry_parts)
    }
}

fn encode_part(part: &PartCodec, value: Datum<'_>, out: &mut Vec<u8>) -> Result<()> {
    key::encode_part(&part.ty, part.nullable, part.prefix, value, out);
    if out.len() > KEY_BYTES_MAX {
        return Err(Error::TooLarge { what: "key", bytes: out.len(), bytes_max: KEY_BYTES_MAX });
    }
    Ok(())
}

fn empty_range(prefix: &[u8]) -> KeyRange {
    KeyRange { start: prefix.to_vec(), end: prefix.to_vec() }
}

fn key_prefix(table: TableId, index: IndexId) -> [u8; PREFIX_BYTES] {
    let mut prefix = [0; PREFIX_BYTES];
    prefix[..4].copy_from_slice(&table.to_be_bytes());
    prefix[4..].copy_from_slice(&index.to_be_bytes());
    prefix
}

/// All keys of a table id.
pub(crate) fn table_range(id: TableId) -> KeyRange {
    let start = id.to_be_bytes().to_vec();
    let end = successor(&start);
    KeyRange { start, end }
}

/// The first key that does not start with `prefix`; empty when there is none.
pub(crate) fn successor(prefix: &[u8]) -> Vec<u8> {
    let mut next = prefix.to_vec();
    while let Some(last) = next.last_mut() {
        if *last < u8::MAX {
            *last += 1;
            return next;
        }
        next.pop();
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_successor_of_a_prefix_carries() {
        assert_eq!(successor(&[1, 2]), [1, 3]);
        assert_eq!(successor(&[1, 0xFF, 0xFF]), [2]);
        assert!(successor(&[0xFF]).is_empty());
    }

    #[test]
    fn a_closed_gate_lets_nobody_in_and_waits_for_those_inside() {
        let state = Arc::new(TableState::default());
        let inside = state.enter(LockWait::Never).unwrap();
        assert!(matches!(state.close(Duration::from_millis(5)), Err(Error::LockTimeout)));
        drop(inside);
        let closed = state.close(Duration::from_millis(5)).unwrap();
        let refused = state.enter(LockWait::Never);
        assert!(matches!(refused, Err(Error::WouldWait(Wait::Schema))));
        drop(closed);
        state.enter(LockWait::Never).unwrap();
    }
}
