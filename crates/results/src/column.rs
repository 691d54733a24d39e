//! What a client is told of a column of rows.
//!
//! Not here: its bytes on the wire (`doors::mysql`).

use rows::schema::DefaultValue;
use rows::table::Table;
use values::types::{Collation, ColumnType};

/// A column of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultColumn {
    /// Name or alias.
    pub name: String,
    /// Name in the table, empty for expressions.
    pub org_name: String,
    /// Table name or alias, empty for expressions.
    pub table: String,
    /// Table name, empty for expressions.
    pub org_table: String,
    /// Database, empty for expressions.
    pub database: String,
    /// Type of its values.
    pub ty: ColumnType,
    /// Whether NULL can appear.
    pub nullable: bool,
    /// Further properties.
    pub flags: ColumnFlags,
}

/// Properties of a result column, as MySQL's column definition flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnFlags {
    /// Part of the primary key.
    pub primary_key: bool,
    /// The whole of a unique index.
    pub unique_key: bool,
    /// First part of a non-unique index.
    pub multiple_key: bool,
    /// AUTO_INCREMENT.
    pub auto_increment: bool,
    /// NOT NULL without a default.
    pub no_default: bool,
    /// ON UPDATE CURRENT_TIMESTAMP.
    pub on_update_now: bool,
    /// ZEROFILL: how many digits of a number are shown at least; 0 without it.
    pub zerofill: u8,
}

impl ResultColumn {
    /// A column that is no table's: an expression, or a line of SHOW.
    pub fn computed(name: impl Into<String>, ty: ColumnType, nullable: bool) -> ResultColumn {
        ResultColumn {
            name: name.into(),
            org_name: String::new(),
            table: String::new(),
            org_table: String::new(),
            database: String::new(),
            ty,
            nullable,
            flags: ColumnFlags::default(),
        }
    }

    /// A table's column under a name, of a table that is shown under another.
    pub fn of_table(table: &Table, position: usize, name: String, shown: &str) -> ResultColumn {
        let column = &table.columns[position];
        let leads = |unique: bool| {
            table.indexes.iter().skip(1).any(|index| {
                index.unique == unique
                    && index.parts.first().is_some_and(|part| part.column == position)
                    && (!unique || index.parts.len() == 1)
            })
        };
        let primary = table.indexes[0].parts.iter().any(|part| part.column == position);
        ResultColumn {
            name,
            org_name: column.name.clone(),
            table: shown.to_string(),
            org_table: table.name.clone(),
            database: table.database.clone(),
            ty: column.ty.clone(),
            nullable: column.nullable,
            flags: ColumnFlags {
                primary_key: primary,
                unique_key: leads(true),
                multiple_key: leads(false),
                auto_increment: column.auto_increment,
                no_default: match column.default {
                    DefaultValue::None => !column.nullable && !column.auto_increment,
                    DefaultValue::Dropped => true,
                    _ => false,
                },
                on_update_now: column.on_update_now,
                zerofill: column.zerofill.unwrap_or_default(),
            },
        }
    }

    /// Lets texts in it compare by code points, so that case counts.
    pub fn tell_case_apart(&mut self) {
        if let ColumnType::VarChar { collation, .. } = &mut self.ty {
            *collation = Collation::Utf8Mb4Bin;
        }
    }
}
