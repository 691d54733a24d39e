//! Names of tables and columns as they are written, by parts.
//!
//! Not here: what a name stands for (`plan::bind`).

use sqlparser::ast::{Ident, ObjectName, ObjectNamePart};
use values::ErrorCode;

use crate::error::{Error, Result};

/// A table's name as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName {
    /// The database, if named.
    pub database: Option<String>,
    /// The table.
    pub table: String,
}

impl TableName {
    /// A name as it is written, none of whose parts may be empty.
    ///
    /// # Errors
    /// 1102, 1103: one is.
    pub(crate) fn of_parts(database: Option<String>, table: String) -> Result<TableName> {
        if table.is_empty() {
            return Err(Error::new(ErrorCode::WrongTableName, "Incorrect table name ''"));
        }
        if database.as_deref() == Some("") {
            return Err(Error::new(ErrorCode::WrongDbName, "Incorrect database name ''"));
        }
        Ok(TableName { database, table })
    }
}

/// The parts of a name as sqlparser gives it.
pub fn name_parts(name: &ObjectName) -> Vec<&Ident> {
    name.0
        .iter()
        .filter_map(|part| match part {
            ObjectNamePart::Identifier(ident) => Some(ident),
            ObjectNamePart::Function(_) => None,
        })
        .collect()
}

/// A name that may be written as a text too, as that of a collation.
pub fn unquoted(name: &ObjectName) -> String {
    name_parts(name).into_iter().map(|part| part.value.as_str()).collect()
}

/// A table's name from sqlparser's form.
///
/// # Errors
/// 1064 when it has more than two parts.
pub fn table_name(name: &ObjectName) -> Result<TableName> {
    match name_parts(name).as_slice() {
        [table] => Ok(TableName { database: None, table: table.value.clone() }),
        [database, table] => {
            Ok(TableName { database: Some(database.value.clone()), table: table.value.clone() })
        }
        _ => Err(Error::syntax(&name.to_string(), 1)),
    }
}
