//! The table that the door opens on, and how its rows are records.
//!
//! ```text
//! tyrant.records      k VARBINARY(1024) PRIMARY KEY, v LONGBLOB
//! house.user(id, name, city)   key `101`, value `Joe|Rome`: as in a container of memcached's door
//! ```
//!
//! Invariants
//! 1. A key that no row can have finds nothing and stores nothing.
//! 2. A value that does not fit its columns is refused; nothing is cut.
//!
//! Not here: what is done with records (`execute`), bytes of rows (`memcached::item`).

use std::borrow::Cow;
use std::fmt;

use rows::ddl::NewIndex;
use rows::schema::{Column, DefaultValue, Retention};
use rows::types::LobSize;
use rows::{ColumnType, Engine, Error, NewTable, RowRef, Value};

use crate::memcached::item::{self, Contents};
use crate::memcached::place::Place;
use crate::tyrant::command::Failure;

/// Longest key of a table that is made here; keys of rows have a limit that is not much higher.
const KEY_BYTES_MAX: u32 = 1024;
/// Between values of a record that has several, and between parts of its key.
const SEPARATOR: &str = "|";

/// What the setting names: `db.table(key, value)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseName {
    database: String,
    table: String,
    columns: Vec<String>,
}

impl DatabaseName {
    /// Reads a name.
    ///
    /// # Errors
    /// What is expected, as a sentence.
    pub fn parse(text: &str) -> Result<DatabaseName, String> {
        let why = || "expected a table and its columns, such as tyrant.records(k, v)".to_owned();
        let (name, columns) = text.trim().split_once('(').ok_or_else(why)?;
        let (database, table) = name.trim().split_once('.').ok_or_else(why)?;
        let columns = columns.strip_suffix(')').ok_or_else(why)?.split(',');
        let columns: Vec<String> = columns.map(|name| name.trim().to_owned()).collect();
        let is_name = |name: &str| !name.is_empty() && !name.contains(['.', '(', '`']);
        let named = is_name(database) && is_name(table) && columns.iter().all(|name| is_name(name));
        if !named || columns.len() < 2 {
            return Err(why());
        }
        Ok(DatabaseName { database: database.into(), table: table.into(), columns })
    }
}

impl fmt::Display for DatabaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}({})", self.database, self.table, self.columns.join(", "))
    }
}

/// Makes the table if it is missing: the first column is its key, the others its value.
///
/// # Errors
/// Those of the engine.
pub fn prepare(engine: &Engine, name: &DatabaseName) -> rows::Result<()> {
    match engine.catalog().table(&name.database, &name.table) {
        Err(Error::NotFound { .. }) => {}
        found => return found.map(drop),
    }
    match engine.create_database(&name.database) {
        Ok(()) | Err(Error::Exists { .. }) => {}
        Err(error) => return Err(error),
    }
    let columns = name.columns.iter().enumerate().map(|(position, column)| match position {
        0 => new_column(column, ColumnType::VarBinary { bytes: KEY_BYTES_MAX }),
        _ => new_column(column, ColumnType::Blob { size: LobSize::Long }),
    });
    let created = engine.create_table(NewTable {
        database: name.database.clone(),
        name: name.table.clone(),
        columns: columns.collect(),
        indexes: vec![NewIndex {
            name: None,
            unique: true,
            primary: true,
            parts: vec![(name.columns[0].clone(), None)],
            comment: String::new(),
        }],
        comment: String::new(),
        engine: "InnoDB".into(),
        auto_increment_base: 0,
        retention: Retention::default(),
    });
    match created {
        Ok(_) | Err(Error::Exists { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn new_column(name: &str, ty: ColumnType) -> Column {
    Column {
        name: name.into(),
        ty,
        nullable: false,
        default: DefaultValue::None,
        on_update_now: false,
        auto_increment: false,
        comment: String::new(),
        slot: 0,
        absent: None,
        unsigned: false,
    }
}

/// The table as it is now.
#[derive(Debug)]
pub struct Database {
    /// Its columns of keys and values.
    place: Place,
    /// Most bytes of a key that is taken as it is.
    key_bytes_max: usize,
}

impl Database {
    /// Looks the table up.
    ///
    /// # Errors
    /// Why it cannot serve.
    pub fn open(engine: &Engine, name: &DatabaseName) -> Result<Database, Failure> {
        let cannot = |why: String| Failure::Server(format!("{name}: {why}").into());
        let table = engine.catalog().table(&name.database, &name.table);
        let table = table.map_err(|error| cannot(error.to_string()))?;
        // Without a primary key no column is left for the value, and that is refused.
        let (keys, values) =
            name.columns.split_at(table.codecs[0].parts.len().min(name.columns.len()));
        if values.is_empty() {
            return Err(cannot("no column is left for the value".into()));
        }
        let (keys, values) = (keys.join(","), values.join(","));
        let columns = [&name.database, &name.table, &keys, &values, SEPARATOR, "", ""];
        let mut place = Place::container(engine, &columns.map(str::to_owned)).map_err(&cannot)?;
        let key = &place.table.codecs[0].parts[0];
        let mut key_bytes_max = usize::MAX;
        if let (ColumnType::VarBinary { bytes }, [value], 1) =
            (&key.ty, &place.values[..], place.table.codecs[0].parts.len())
            && matches!(place.table.columns[*value].ty, ColumnType::Blob { size: LobSize::Long })
        {
            key_bytes_max = *bytes as usize;
            place.raw = true;
        }
        Ok(Database { place, key_bytes_max })
    }

    /// The table.
    pub fn table(&self) -> &std::sync::Arc<rows::Table> {
        &self.place.table
    }

    /// Whether nobody has changed the table's definition since.
    pub fn is_current(&self) -> bool {
        self.place.table.is_current()
    }

    /// Whether keys are bytes as they are, so that those which begin alike stand together.
    pub fn has_raw_keys(&self) -> bool {
        self.place.raw
    }

    /// Appends the row key of a record; `false` when no row can have such a key.
    ///
    /// # Errors
    /// Those of making keys.
    #[inline]
    pub fn push_row_key(&self, key: &[u8], out: &mut Vec<u8>) -> rows::Result<bool> {
        if key.len() > self.key_bytes_max {
            return Ok(false);
        }
        item::push_row_key(&self.place, key, out)
    }

    /// The key of a row.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn key<'r>(&self, row: &RowRef<'r>) -> rows::Result<Cow<'r, [u8]>> {
        item::key(&self.place, row)
    }

    /// The value of a row.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn value<'r>(&self, row: &RowRef<'r>) -> rows::Result<Cow<'r, [u8]>> {
        item::value(&self.place, row)
    }

    /// The columns to set for a new value.
    ///
    /// # Errors
    /// `Invalid` when it does not fit.
    pub fn sets(&self, value: Vec<u8>) -> Result<Vec<(usize, Value)>, Failure> {
        Ok(item::sets(&self.place, contents(value))?)
    }

    /// A whole new row.
    ///
    /// # Errors
    /// `Invalid` when key or value do not fit.
    pub fn row(&self, engine: &Engine, key: &[u8], value: Vec<u8>) -> Result<Vec<Value>, Failure> {
        Ok(item::row(&self.place, engine, key, contents(value))?)
    }
}

fn contents(value: Vec<u8>) -> Contents {
    Contents { value: Some(value), ..Contents::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_named_by_its_table_and_columns() {
        let name = DatabaseName::parse(" tyrant.records( k,v ) ").unwrap();
        assert_eq!(name.to_string(), "tyrant.records(k, v)");
        for wrong in ["", "records(k, v)", "a.b", "a.b(k)", "a.b(k, v", "a.b(k,,v)", "a.b.c(k, v)"]
        {
            assert!(DatabaseName::parse(wrong).is_err(), "{wrong}");
        }
    }
}
