//! The columns of which changes are noted while something is made of a table, and where notes have
//! their values.
//!
//! Not here: the notes (`changes`), who wants to know (`state`).

use values::row::{RowLayout, RowRef};
use values::types::ColumnType;

use crate::schema::TableDefinition;

/// Bytes of a row's values that notes may have, before and after the change each.
const NOTED_BYTES_MAX: usize = 2048;

/// The columns of which changes are noted; others are of no matter to who wants to know.
#[derive(Debug)]
pub(crate) struct NotedColumns {
    /// Their positions, ascending.
    pub(super) positions: Vec<usize>,
    /// Where notes have their values: how these are written.
    pub(super) layout: Option<RowLayout>,
}

impl NotedColumns {
    /// Columns of a table by their positions; `wants_values`: their values are to be noted if they
    /// are short.
    pub fn new(
        table: &TableDefinition,
        mut positions: Vec<usize>,
        wants_values: bool,
    ) -> NotedColumns {
        positions.sort_unstable();
        positions.dedup();
        let types: Vec<&ColumnType> = table.columns.iter().map(|column| &column.ty).collect();
        let bytes: Option<usize> = positions.iter().map(|at| bytes_max(types[*at])).sum();
        let has_values = wants_values && bytes.is_some_and(|bytes| bytes <= NOTED_BYTES_MAX);
        let layout = has_values.then(|| RowLayout::of_some(&types, &positions));
        NotedColumns { positions, layout }
    }

    /// Whether notes have their values.
    pub fn has_values(&self) -> bool {
        self.layout.is_some()
    }

    /// The values in a note, by the positions of the table; only these columns may be asked for.
    pub fn read<'a>(&'a self, noted: &'a [u8]) -> Option<RowRef<'a>> {
        RowRef::new(self.layout.as_ref()?, noted).ok()
    }
}

/// Bytes that a value has at most, of types of which that is little.
fn bytes_max(ty: &ColumnType) -> Option<usize> {
    const CHAR_BYTES_MAX: usize = 4;
    match ty {
        ColumnType::Char { chars, .. } | ColumnType::VarChar { chars, .. } => {
            Some(*chars as usize * CHAR_BYTES_MAX)
        }
        ColumnType::VarBinary { bytes } => Some(*bytes as usize),
        _ => ty.fixed_bytes(),
    }
}
