//! Stored rows: damaged bytes are told, and what is read is what would be written.

use values::Datum;
use values::row::{RowColumn, RowLayout, RowRef};

use crate::memory::within;
use crate::shapes::{byte, column_type};

/// Reads the input as a row of as many columns, of such types, as its first bytes say.
pub fn check(mut input: &[u8]) {
    let count = 1 + usize::from(byte(&mut input) % 8);
    let types: Vec<u8> = (0..count).map(|_| byte(&mut input)).collect();
    let layout = layout_of(&types);
    let Ok(row) = within(0, || RowRef::new(&layout, input)) else { return };
    let Ok(values) = row.values() else { return };
    for (position, value) in values.iter().enumerate() {
        assert_eq!(row.is_null(position), value.is_null());
        let is_in_row = !matches!(value, Datum::Bytes(bytes) if bytes.len() > input.len());
        assert!(is_in_row, "more than came");
    }
    let mut again = Vec::new();
    layout.encode(&values, row.version(), &mut again);
    let again = RowRef::new(&layout, &again).expect("what was written");
    assert_eq!(format!("{:?}", again.values().expect("what was written")), format!("{values:?}"));
}

fn layout_of(types: &[u8]) -> RowLayout {
    let types: Vec<_> = types.iter().map(|choice| column_type(*choice)).collect();
    let column = |(slot, ty)| RowColumn { slot: slot as u16, ty, absent: None };
    RowLayout::new(&types, types.iter().enumerate().map(column))
}
