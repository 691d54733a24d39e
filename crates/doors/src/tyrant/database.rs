//! The table that the door opens on, and how its rows are records.
//!
//! ```text
//! tyrant.records(k, v)         k VARBINARY(1024) PRIMARY KEY, v LONGBLOB; `tyrant.records` alone is it, too
//! house.user(id, name, city)   key `101`, value `Joe|Rome`: as in a container of memcached's door
//! tyrant.documents             pk VARBINARY(1024) PRIMARY KEY, columns JSON: a table database
//! house.user                   a table database whose columns are those of the table
//! ```
//!
//! Invariants
//! 1. A key that no row can have finds nothing and stores nothing.
//! 2. A value that does not fit its columns is refused; nothing is cut.
//!
//! Not here: what is done with records (`execute`), bytes of rows (`memcached::item`).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use access::Rights;
use rows::schema::Column;
use rows::{Engine, Error, Table};
use values::RowRef;
use values::text::write_text;
use values::types::LobSize;
use values::{ColumnType, Datum, Value, Zone};

use crate::accesses::ClientAccesses;
use crate::handlersocket::coerce::default_value;
use crate::logins::DoorClient;
use crate::memcached::item::{self, Contents};
use crate::memcached::place::{DeniedAccess, MemcachedPlace};
use crate::memcached::rights::ItemRights;
use crate::own_table;
use crate::tyrant::columns::Columns;
use crate::tyrant::command::TyrantFailure;

/// Longest key of a table that is made here; keys of rows have a limit that is not much higher.
const KEY_BYTES_MAX: u32 = 1024;
/// Between values of a record that has several, and between parts of its key.
const SEPARATOR: &str = "|";

/// The database of tables that are the door's own, and the table of records among them.
const OWN: &str = "tyrant";
const RECORDS: &str = "records";
/// Its columns.
const RECORD_COLUMNS: [&str; 2] = ["k", "v"];

/// The column in which documents keep their columns.
const DOCUMENT: &str = "columns";

/// What the setting names: `db.table(key, value)`, or `db.table` for a table database.
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
        let why = || {
            "expected a table and its columns, such as tyrant.records(k, v), or a table alone"
                .to_owned()
        };
        let (name, columns) = match text.trim().split_once('(') {
            Some((name, columns)) => (name, Some(columns.strip_suffix(')').ok_or_else(why)?)),
            None => (text, None),
        };
        let (database, table) = name.trim().split_once('.').ok_or_else(why)?;
        let columns: Vec<String> =
            columns.iter().flat_map(|c| c.split(',')).map(|name| name.trim().to_owned()).collect();
        let is_name = |name: &str| !name.is_empty() && !name.contains(['.', '(', ')', '`']);
        let named = is_name(database) && is_name(table) && columns.iter().all(|name| is_name(name));
        if !named || columns.len() == 1 {
            return Err(why());
        }
        Ok(DatabaseName { database: database.into(), table: table.into(), columns })
    }

    /// Whether there is no such table.
    pub fn is_missing(&self, engine: &Engine) -> bool {
        let found = engine.catalog().table(&self.database, &self.table);
        matches!(found, Err(Error::NotFound { .. }))
    }

    /// Whether the table is the door's own, which nobody else makes.
    pub fn is_own(&self) -> bool {
        self.database == OWN
    }

    /// The columns of keys and values, none for a table database. The built-in table of records is
    /// that also without its columns, unless somebody has made something else of it.
    fn columns_in(&self, table: Option<&Table>) -> Vec<String> {
        let is_records = self.columns.is_empty() && self.is_own() && self.table == RECORDS;
        let has_them =
            |table: &Table| RECORD_COLUMNS.iter().all(|name| table.column(name).is_some());
        match is_records && table.is_none_or(has_them) {
            true => RECORD_COLUMNS.map(str::to_owned).to_vec(),
            false => self.columns.clone(),
        }
    }
}

impl fmt::Display for DatabaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.database, self.table)?;
        match self.columns.is_empty() {
            true => Ok(()),
            false => write!(f, "({})", self.columns.join(", ")),
        }
    }
}

/// Makes the table if it is missing: the first column is its key, the others its value; without
/// columns it is one of documents.
///
/// # Errors
/// Those of the engine.
pub fn prepare(engine: &Engine, name: &DatabaseName) -> rows::Result<()> {
    match engine.catalog().table(&name.database, &name.table) {
        Err(Error::NotFound { .. }) => {}
        found => return found.map(drop),
    }
    let key = |column| Column::new(column, ColumnType::VarBinary { bytes: KEY_BYTES_MAX });
    let value = |column: &String| Column::new(column, ColumnType::Blob { size: LobSize::Long });
    let columns: Vec<Column> = match &name.columns_in(None)[..] {
        [first, rest @ ..] => [key(first)].into_iter().chain(rest.iter().map(value)).collect(),
        [] => vec![key("pk"), Column::new(DOCUMENT, ColumnType::Json)],
    };
    own_table::make(engine, &name.database, &name.table, columns)
}

/// How rows are records.
#[derive(Debug, PartialEq, Eq)]
enum RecordForm {
    /// Keys and values.
    Records,
    /// Columns in the JSON of this column.
    Documents(usize),
    /// Columns that are those of the table, but for its key.
    Rows,
}

/// What is put into a record.
#[derive(Debug)]
pub enum Content {
    /// Its value.
    Bytes(Vec<u8>),
    /// Its columns, of a table database.
    Columns(Columns),
}

/// The table as it is now.
#[derive(Debug)]
pub struct Database {
    /// Its columns of keys and values.
    place: MemcachedPlace,
    form: RecordForm,
    /// Most bytes of a key that is taken as it is.
    key_bytes_max: usize,
    /// The number of the rights that those of the place are from.
    rights_number: u64,
}

impl Database {
    /// Looks the table up, for a client with these rights.
    ///
    /// # Errors
    /// Why it cannot serve.
    pub fn open(
        engine: &Engine,
        name: &DatabaseName,
        rights: &Rights,
    ) -> Result<Database, TyrantFailure> {
        let cannot = |why: String| TyrantFailure::Server(format!("{name}: {why}").into());
        let table = engine.catalog().table(&name.database, &name.table);
        let table = table.map_err(|error| cannot(error.to_string()))?;
        // Records are walked in the order of their keys, which begin with their partition.
        if table.partitioning.is_some() {
            return Err(cannot("it has partitions, which this door does not serve".into()));
        }
        let columns = name.columns_in(Some(&table));
        let parts = &table.codecs[0].parts;
        let named = |at: usize| table.columns[at].name.clone();
        let key_columns: Vec<usize> = parts.iter().map(|part| part.column).collect();
        let (keys, values): (Vec<String>, Vec<String>) = match columns.is_empty() {
            true => {
                let all = 0..table.named_columns().len();
                let others = all.filter(|at| !key_columns.contains(at));
                (key_columns.iter().map(|at| named(*at)).collect(), others.map(named).collect())
            }
            false => {
                let (keys, values) = columns.split_at(parts.len().min(columns.len()));
                (keys.to_vec(), values.to_vec())
            }
        };
        if keys.is_empty() {
            return Err(cannot("there is no primary key".into()));
        }
        if values.is_empty() {
            return Err(cannot("no column is left for the value".into()));
        }
        let (keys, values) = (keys.join(","), values.join(","));
        let container = [&name.database, &name.table, &keys, &values, SEPARATOR, "", ""];
        let mut place =
            MemcachedPlace::container(engine, &container.map(str::to_owned)).map_err(&cannot)?;
        let type_of = |at: usize| &place.table.columns[at].ty;
        let form = match place.values[..] {
            _ if !columns.is_empty() => RecordForm::Records,
            [only]
                if place.table.columns[only].name == DOCUMENT
                    && matches!(type_of(only), ColumnType::Json) =>
            {
                RecordForm::Documents(only)
            }
            _ => RecordForm::Rows,
        };
        let long_blob = ColumnType::Blob { size: LobSize::Long };
        let raw_value = match (&form, &place.values[..]) {
            (RecordForm::Records, [only]) => *type_of(*only) == long_blob,
            (RecordForm::Documents(_), _) => true,
            _ => false,
        };
        let mut key_bytes_max = usize::MAX;
        if let ([key], true) = (&key_columns[..], raw_value)
            && let ColumnType::VarBinary { bytes } = type_of(*key)
        {
            key_bytes_max = *bytes as usize;
            place.raw = true;
        }
        place.rights = ItemRights::of(&place, rights);
        Ok(Database { place, form, key_bytes_max, rights_number: rights.number })
    }

    /// Makes out again what a client may do if its rights are others, or if it is another one.
    #[inline]
    pub fn allow(&mut self, client: &DoorClient) {
        let (rights, accesses) = (client.rights(), client.accesses());
        if self.rights_number != rights.number {
            self.place.rights = ItemRights::of(&self.place, rights);
            self.rights_number = rights.number;
        }
        if !ClientAccesses::are_same(self.place.accesses.as_ref(), accesses) {
            self.place.accesses = accesses.cloned();
        }
    }

    /// Refuses what the client may not do with records, as `MemcachedPlace::ask`.
    #[inline]
    pub(crate) fn ask(&self, needed: ItemRights, key: Option<&[u8]>) -> Result<(), DeniedAccess> {
        self.place.ask(needed, key)
    }

    /// Whether records have columns.
    pub fn is_table(&self) -> bool {
        self.form != RecordForm::Records
    }

    /// The column whose members are a record's columns, which then have any name.
    pub fn document(&self) -> Option<usize> {
        match self.form {
            RecordForm::Documents(at) => Some(at),
            RecordForm::Records | RecordForm::Rows => None,
        }
    }

    /// The table.
    pub fn table(&self) -> &Arc<Table> {
        &self.place.table
    }

    /// The position of a column of a table of SQL that records show by this name.
    pub fn column_named(&self, name: &[u8]) -> Option<usize> {
        let columns = &self.place.table.columns;
        let is_named = |at: &&usize| columns[**at].name.as_bytes() == name;
        (self.form == RecordForm::Rows).then(|| self.place.values.iter().find(is_named).copied())?
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

    /// The value of a row; of a table database its columns, joined.
    ///
    /// # Errors
    /// `Corrupt`.
    #[inline]
    pub fn value<'r>(&self, row: &RowRef<'r>) -> rows::Result<Cow<'r, [u8]>> {
        match self.form {
            RecordForm::Records => item::value(&self.place, row),
            RecordForm::Documents(_) | RecordForm::Rows => {
                Ok(Cow::Owned(self.columns(row)?.joined()))
            }
        }
    }

    /// The columns of a row of a table database; NULL is no column.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn columns(&self, row: &RowRef<'_>) -> rows::Result<Columns> {
        if let RecordForm::Documents(at) = self.form {
            return Ok(match row.column(at)? {
                Datum::Bytes(text) => Columns::of_json(text),
                _ => Columns::default(),
            });
        }
        self.columns_at(row, self.place.values.iter().copied())
    }

    fn columns_at(
        &self,
        row: &RowRef<'_>,
        positions: impl Iterator<Item = usize>,
    ) -> rows::Result<Columns> {
        let (mut columns, mut text) = (Columns::default(), Vec::new());
        for at in positions {
            let (column, datum) = (&self.place.table.columns[at], row.column(at)?);
            if !datum.is_null() {
                text.clear();
                write_text(&column.ty, datum, Zone::UTC, &mut text);
                columns.set(column.name.as_bytes(), &text);
            }
        }
        Ok(columns)
    }

    /// As `columns`, only those of these names.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn columns_among(&self, row: &RowRef<'_>, names: &[&str]) -> rows::Result<Columns> {
        if let RecordForm::Documents(at) = self.form {
            return Ok(match row.column(at)? {
                Datum::Bytes(text) => Columns::of_json_among(text, names),
                _ => Columns::default(),
            });
        }
        let is_named = |at: &usize| names.contains(&self.place.table.columns[*at].name.as_str());
        self.columns_at(row, self.place.values.iter().copied().filter(is_named))
    }

    /// The columns to set for new content.
    ///
    /// # Errors
    /// `Invalid` when it does not fit.
    pub fn sets(
        &self,
        engine: &Engine,
        content: Content,
    ) -> Result<Vec<(usize, Value)>, TyrantFailure> {
        let columns = match content {
            Content::Bytes(value) => {
                let contents = Contents { value: Some(value), ..Contents::default() };
                return Ok(item::sets(&self.place, contents)?);
            }
            Content::Columns(columns) => columns,
        };
        if let RecordForm::Documents(at) = self.form {
            return Ok(vec![(at, Value::Bytes(columns.to_json()?))]);
        }
        let table = &self.place.table;
        for (name, _) in columns.iter() {
            let is_column =
                |at: &usize| table.columns[*at].name.as_bytes().eq_ignore_ascii_case(name);
            if !self.place.values.iter().any(is_column) {
                let name = String::from_utf8_lossy(name);
                return Err(TyrantFailure::Invalid(format!("no such column: {name}").into()));
            }
        }
        let now = engine.clock().unix_micros();
        // A default that is an expression is given to new rows, and stays in others.
        let is_set = |at: &&usize| {
            let column = &table.columns[**at];
            let is_given =
                columns.iter().any(|(name, _)| column.name.as_bytes().eq_ignore_ascii_case(name));
            is_given || !column.default.is_expression()
        };
        let set = |at: &usize| {
            let column = &table.columns[*at];
            let given =
                columns.iter().find(|(name, _)| column.name.as_bytes().eq_ignore_ascii_case(name));
            let value = match given {
                None => default_value(column, now),
                Some((_, text)) => {
                    let converted = column.from_text(text, Zone::UTC);
                    if converted.issue.is_some() {
                        let why = format!("value does not fit column {}", column.name);
                        return Err(TyrantFailure::Invalid(why.into()));
                    }
                    converted.value
                }
            };
            Ok((*at, value))
        };
        self.place.values.iter().filter(is_set).map(set).collect()
    }

    /// A whole new row.
    ///
    /// # Errors
    /// `Invalid` when key or content do not fit.
    pub fn row(
        &self,
        engine: &Engine,
        key: &[u8],
        content: Content,
    ) -> Result<Vec<Value>, TyrantFailure> {
        let mut row = item::row(&self.place, engine, key, Contents::default())?;
        for (at, value) in self.sets(engine, content)? {
            row[at] = value;
        }
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_named_by_its_table_and_columns() {
        let name = DatabaseName::parse(" tyrant.records( k,v ) ").unwrap();
        assert_eq!(name.to_string(), "tyrant.records(k, v)");
        assert_eq!(DatabaseName::parse("house.user").unwrap().to_string(), "house.user");
        for wrong in ["", "records(k, v)", "ab", "a.b(k)", "a.b(k, v", "a.b(k,,v)", "a.b.c(k, v)"] {
            assert!(DatabaseName::parse(wrong).is_err(), "{wrong}");
        }
    }
}
