//! Rules that every stored definition fulfils, in MySQL's words where it has them.
//!
//! Not here: making definitions (`definition`, `alter`).

use values::types::ColumnType;

use crate::error::{Error, Result};
use crate::schema::{Column, DefaultValue, Index, MemberIndex, TableDefinition};
use crate::table::PRIMARY;

/// Most columns of a table, as in InnoDB.
pub const COLUMNS_MAX: usize = 1017;
/// Most indexes of a table besides the primary key, as in InnoDB.
pub const INDEXES_MAX: usize = 64;
/// Most parts of an index, as in InnoDB.
pub const INDEX_PARTS_MAX: usize = 16;
/// Most characters of a name.
pub const NAME_CHARS_MAX: usize = 64;

/// Checks the rules every stored definition fulfils.
pub(crate) fn validate(definition: &TableDefinition) -> Result<()> {
    if definition.columns.is_empty() {
        return Err(broken("A table must have at least 1 column"));
    }
    if definition.columns.len() > COLUMNS_MAX || definition.slots.len() > usize::from(u16::MAX) {
        return Err(broken("Too many columns"));
    }
    if definition.indexes.len() + definition.members.len() > INDEXES_MAX + 1 {
        return Err(broken("Too many keys specified; max 64 keys allowed"));
    }
    for (position, column) in definition.columns.iter().enumerate() {
        check_name(&column.name)?;
        if definition.column(&column.name) != Some(position) {
            return Err(broken_owned(format!("Duplicate column name '{}'", column.name)));
        }
        validate_column(definition, position, column)?;
    }
    if definition.columns.iter().filter(|column| column.auto_increment).count() > 1 {
        return Err(broken(AUTO_INCREMENT_RULE));
    }
    validate_retention(definition)?;
    validate_columnar(definition)?;
    validate_members(definition)?;
    validate_columnar_index(definition)?;
    definition.indexes.iter().try_for_each(|index| validate_index(definition, index))
}

/// Places in rows that no column of a columnar table has: its row ids and versions have them.
const OWN_SLOTS: usize = 2;

fn validate_columnar(definition: &TableDefinition) -> Result<()> {
    if !definition.columnar {
        return Ok(());
    }
    if definition.slots.len() + OWN_SLOTS > usize::from(u16::MAX) {
        return Err(broken("Too many columns"));
    }
    // Rows that leave one by one would leave holes in every segment.
    if !definition.retention.is_forever() {
        return Err(broken("ENGINE=COLUMNAR cannot be combined with EXPIRES_BY or MAX_BYTES"));
    }
    Ok(())
}

fn validate_columnar_index(definition: &TableDefinition) -> Result<()> {
    let Some(index) = &definition.columnar_index else { return Ok(()) };
    check_name(&index.name)?;
    if definition.columnar {
        return Err(broken("A table with ENGINE=COLUMNAR cannot have a columnar index"));
    }
    // Rows that leave one by one would leave holes in every segment.
    if !definition.retention.is_forever() {
        return Err(broken("A columnar index cannot be combined with EXPIRES_BY or MAX_BYTES"));
    }
    if definition.slots.len() + OWN_SLOTS > usize::from(u16::MAX) {
        return Err(broken("Too many columns"));
    }
    for (position, name) in index.columns.iter().enumerate() {
        if definition.column(name).is_none() {
            return Err(broken_owned(format!("Key column '{name}' doesn't exist in table")));
        }
        let is_same = |other: &String| other.eq_ignore_ascii_case(name);
        if index.columns[..position].iter().any(is_same) {
            return Err(broken_owned(format!("Duplicate column name '{name}'")));
        }
    }
    Ok(())
}

/// Most bytes of the name of a member that has an index.
const MEMBER_BYTES_MAX: usize = 1024;

fn validate_members(definition: &TableDefinition) -> Result<()> {
    for (position, index) in definition.members.iter().enumerate() {
        let MemberIndex { column, member, .. } = index;
        let Some(at) = definition.column(column) else {
            return Err(broken_owned(format!("Key column '{column}' doesn't exist in table")));
        };
        if definition.columns[at].ty != ColumnType::Json {
            let why = format!("Column '{column}' has indexes of members, and must be JSON");
            return Err(broken_owned(why));
        }
        if member.is_empty() || member.len() > MEMBER_BYTES_MAX {
            return Err(broken_owned(format!("Incorrect member name '{member}'")));
        }
        if definition.member(column, member) != Some(position) {
            return Err(broken_owned(format!("Duplicate index of member '{member}'")));
        }
    }
    Ok(())
}

/// The smallest limit: a table in cache mode should hold some rows.
const CACHE_BYTES_MIN: u64 = 64 << 10;

fn validate_retention(definition: &TableDefinition) -> Result<()> {
    if (1..CACHE_BYTES_MIN).contains(&definition.retention.bytes_max) {
        return Err(broken_owned(format!("MAX_BYTES must be 0 or at least {CACHE_BYTES_MIN}")));
    }
    let Some(name) = &definition.retention.expires_by else { return Ok(()) };
    let Some(position) = definition.column(name) else {
        return Err(broken_owned(format!("EXPIRES_BY column '{name}' doesn't exist in table")));
    };
    if !matches!(definition.columns[position].ty, ColumnType::Int { .. }) {
        return Err(broken_owned(format!("EXPIRES_BY column '{name}' must be an integer")));
    }
    Ok(())
}

const AUTO_INCREMENT_RULE: &str = "Incorrect table definition; there can be only one auto column \
                                   and it must be defined as a key";

fn validate_column(definition: &TableDefinition, position: usize, column: &Column) -> Result<()> {
    let name = &column.name;
    let wrong = |what: &str| Err(broken_owned(format!("{what} for column '{name}'")));
    match &column.ty {
        ColumnType::Decimal { precision, scale }
            if (*precision == 0 || *precision > 65 || *scale > 30 || scale > precision) =>
        {
            return wrong("Incorrect precision or scale");
        }
        ColumnType::Char { chars, .. } if *chars > 255 => return wrong("Too big length"),
        ColumnType::Binary { bytes } if *bytes > 255 => return wrong("Too big length"),
        ColumnType::VarChar { chars, .. } if *chars > 65_535 => return wrong("Too big length"),
        ColumnType::VarBinary { bytes } if *bytes > 65_535 => return wrong("Too big length"),
        ColumnType::Time { fsp } | ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp }
            if *fsp > 6 =>
        {
            return wrong("Too big precision");
        }
        ColumnType::Enum { values, .. } if values.is_empty() || values.len() > 65_535 => {
            return wrong("Wrong number of ENUM values");
        }
        _ => {}
    }
    if column.computed.is_some() {
        if column.auto_increment || column.on_update_now || column.default != DefaultValue::None {
            return wrong("Incorrect usage of DEFAULT and GENERATED ALWAYS AS");
        }
        if definition.indexes[0].parts.iter().any(|part| part.column == position) {
            return Err(broken("Primary key cannot be defined upon a generated column"));
        }
    }
    if column.auto_increment {
        let numeric =
            matches!(column.ty, ColumnType::Int { .. } | ColumnType::Float | ColumnType::Double);
        if !numeric {
            return wrong("Incorrect column specifier");
        }
        let leads = |index: &Index| index.parts.first().is_some_and(|p| p.column == position);
        if !definition.indexes.iter().any(leads) {
            return Err(broken(AUTO_INCREMENT_RULE));
        }
    }
    if !column.nullable && column.default == DefaultValue::Literal(None) {
        return wrong("Invalid default value");
    }
    Ok(())
}

fn validate_index(definition: &TableDefinition, index: &Index) -> Result<()> {
    if index.parts.len() > INDEX_PARTS_MAX {
        return Err(broken("Too many key parts specified; max 16 parts allowed"));
    }
    if index.parts.is_empty() && index.id != PRIMARY {
        return Err(broken("A key must have at least one part"));
    }
    check_name(&index.name)?;
    for part in &index.parts {
        let column = &definition.columns[part.column];
        let name = &column.name;
        let long = matches!(column.ty, ColumnType::Text { .. } | ColumnType::Blob { .. });
        if long && part.prefix.is_none() {
            return Err(broken_owned(format!(
                "BLOB/TEXT column '{name}' used in key specification without a key length"
            )));
        }
        if column.ty == ColumnType::Json {
            return Err(broken_owned(format!(
                "JSON column '{name}' supports indexing only via generated columns on a \
                 specified JSON path."
            )));
        }
        let stringy = long
            || matches!(
                column.ty,
                ColumnType::Char { .. }
                    | ColumnType::VarChar { .. }
                    | ColumnType::Binary { .. }
                    | ColumnType::VarBinary { .. }
            );
        if part.prefix == Some(0) || (part.prefix.is_some() && !stringy) {
            return Err(broken("Incorrect prefix key"));
        }
    }
    Ok(())
}

pub(super) fn check_name(name: &str) -> Result<()> {
    let chars = name.chars().count();
    if chars == 0 || chars > NAME_CHARS_MAX || name.contains('\0') || name.ends_with(' ') {
        return Err(broken_owned(format!("Incorrect name '{name}'")));
    }
    Ok(())
}

pub(crate) fn broken(why: &str) -> Error {
    Error::Definition { why: why.to_string() }
}

pub(crate) fn broken_owned(why: String) -> Error {
    Error::Definition { why }
}
