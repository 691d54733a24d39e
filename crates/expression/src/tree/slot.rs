//! Slots: the columns of a joined row, by the relation's number within its SELECT and the column's
//! within the relation.

/// The column of a relation that is its row's key in the store.
pub const KEY_COLUMN: usize = 0xffff;

/// The slot of a relation's column.
pub const fn slot(relation: usize, column: usize) -> usize {
    relation << 16 | column
}

/// The relation and the column of a slot.
pub const fn parts_of(slot: usize) -> (usize, usize) {
    (slot >> 16, slot & 0xffff)
}
