//! Stored rows: damaged bytes are told, and what is read is what would be written.

use rows::schema::{Column, DefaultValue, TableDefinition};
use rows::{Datum, RowLayout, RowRef};

use crate::memory::within;
use crate::shapes::{byte, column_type};

/// Reads the input as a row of as many columns, of such types, as its first bytes say.
pub fn check(mut input: &[u8]) {
    let count = 1 + usize::from(byte(&mut input) % 8);
    let types: Vec<u8> = (0..count).map(|_| byte(&mut input)).collect();
    let layout = RowLayout::new(&definition(&types));
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

fn definition(types: &[u8]) -> TableDefinition {
    let columns = types.iter().enumerate().map(|(position, choice)| Column {
        name: format!("c{position}"),
        ty: column_type(*choice),
        nullable: true,
        default: DefaultValue::None,
        on_update_now: false,
        auto_increment: false,
        comment: String::new(),
        slot: position as u16,
        absent: None,
        unsigned: false,
    });
    TableDefinition {
        id: 1,
        version: 1,
        database: "d".into(),
        name: "t".into(),
        columns: columns.collect(),
        indexes: Vec::new(),
        slots: types.iter().map(|choice| column_type(*choice)).collect(),
        next_index: 2,
        auto_increment_base: 1,
        comment: String::new(),
        engine: String::new(),
        created: 0,
        retention: Default::default(),
        members: Vec::new(),
        columnar_index: None,
        columnar: false,
    }
}
