//! Rows that are read once and looked at many times: derived tables, listings, and the inner side
//! of joins without a useful index, with an index of hashes over them where equations can be
//! answered.
//!
//! Invariants
//! 1. What is kept depends on nothing but the statement: no joined or enclosing row.
//! 2. Of rows in a file one piece is in memory, the one that was looked at last.
//!
//! Not here: when something is kept (`join`).

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use expression::{JoinedRow, Node, RowView, Scope};
use rows::table::Table;
use values::datum::Value;
use values::types::Collation;

use super::hash_index::HashIndex;
use super::key::push_equal;
use super::row_list::RowList;
use super::{Execution, Flow};
use crate::GatheredRows;
use plan::tree::{Class, HashKeys};
use results::Result;

/// Rows.
pub enum BufferContent {
    /// Of a stored table.
    Stored(Arc<Table>, GatheredRows),
    /// Of anything else.
    Values(RowList),
}

/// Rows that are shared with whoever looks at one of them.
type RowPiece = Rc<Vec<Vec<Value>>>;

/// Rows, with an index of hashes over them once one was asked for.
pub struct Buffer {
    content: BufferContent,
    /// A piece of those in a file, by its number.
    piece: RefCell<Option<(usize, RowPiece)>>,
    index: OnceCell<HashIndex>,
}

impl Buffer {
    /// Of rows.
    pub fn new(content: BufferContent) -> Buffer {
        Buffer { content, piece: RefCell::default(), index: OnceCell::new() }
    }

    /// How many.
    pub fn len(&self) -> usize {
        match &self.content {
            BufferContent::Stored(_, gathered) => gathered.len(),
            BufferContent::Values(rows) => rows.len(),
        }
    }

    /// Bytes of memory for rows of values.
    pub(super) fn bytes(&self) -> usize {
        match &self.content {
            BufferContent::Stored(..) => 0,
            BufferContent::Values(rows) => rows.bytes(),
        }
    }

    /// What `look` makes of one of them.
    ///
    /// # Errors
    /// Those of `look`, of a stored row and of a temporary file.
    pub fn with_row<T>(
        &self,
        n: usize,
        look: impl FnOnce(&JoinedRow<'_>) -> Result<T>,
    ) -> Result<T> {
        match &self.content {
            BufferContent::Stored(table, gathered) => {
                look(&JoinedRow::Stored(gathered.row(table, n)?, gathered.key(n)))
            }
            BufferContent::Values(rows) => {
                let (number, first) = rows.piece_of(n);
                match rows.in_memory(number) {
                    Some(piece) => look(&JoinedRow::Values(&piece[n - first])),
                    None => look(&JoinedRow::Values(&self.piece(rows, number)?[n - first])),
                }
            }
        }
    }

    /// A piece of rows that is in a file.
    fn piece(&self, rows: &RowList, number: usize) -> Result<RowPiece> {
        if let Some((kept, piece)) = &*self.piece.borrow()
            && *kept == number
        {
            return Ok(Rc::clone(piece));
        }
        let piece = Rc::new(rows.piece(number)?.into_owned());
        self.piece.replace(Some((number, Rc::clone(&piece))));
        Ok(piece)
    }

    /// Shows the rows whose own side of the equations equals the other side to `look`, until it
    /// wants no more.
    pub(super) fn each_matching(
        &self,
        keys: &HashKeys,
        execution: &Execution<'_>,
        scope: &Scope<'_>,
        look: &mut dyn FnMut(&JoinedRow<'_>) -> Result<Flow>,
    ) -> Result<Flow> {
        let own_key = |row: &JoinedRow<'_>, key: &mut Vec<u8>| {
            push_key(&keys.own, &keys.rules, &scope.with_row(view_of(row)), key)
        };
        let index = match self.index.get() {
            Some(index) => index,
            None => {
                execution.draw(HashIndex::bytes_of(self.len()))?;
                let index =
                    HashIndex::new(self.len(), |n, key| self.with_row(n, |row| own_key(row, key)))?;
                self.index.get_or_init(|| index)
            }
        };
        let mut key = Vec::with_capacity(32);
        if !push_key(&keys.others, &keys.rules, scope, &mut key)? {
            return Ok(Flow::Continue);
        }
        let mut own = Vec::with_capacity(key.len());
        for n in index.candidates(&key) {
            let flow = self.with_row(n, |row| {
                own.clear();
                if !own_key(row, &mut own)? || own != key {
                    return Ok(Flow::Continue);
                }
                execution.look(1)?;
                look(row)
            })?;
            if flow == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }
}

/// A relation's own row as local expressions see it.
pub fn view_of<'a>(row: &'a JoinedRow<'a>) -> RowView<'a> {
    match row {
        JoinedRow::Absent => RowView::None,
        JoinedRow::Stored(row, _) => RowView::Stored(row),
        JoinedRow::Values(values) | JoinedRow::Repeated(values) => RowView::Values(values),
    }
}

/// Appends the key of one side of equations; `false` if it equals nothing.
pub(super) fn push_key(
    nodes: &[Node],
    rules: &[(Class, Collation)],
    scope: &Scope<'_>,
    key: &mut Vec<u8>,
) -> Result<bool> {
    for (node, (class, rule)) in nodes.iter().zip(rules) {
        if !push_equal(*class, *rule, node.evaluate(scope)?.datum(), key) {
            return Ok(false);
        }
    }
    Ok(true)
}
