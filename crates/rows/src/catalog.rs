//! The catalog: which databases and tables exist, in memory for every operation and in the store
//! for the next start.
//!
//! Catalog keys start with table id 0, then one byte of kind:
//! ```text
//! 00000000 01                  catalog format, u32 little-endian: 1; 2 once a definition says
//!                              when rows leave (`Retention`), 3 once one is stored by column
//! 00000000 02 name             a database; value: JSON
//! 00000000 03 table id u32 BE  a table; value: its `TableDefinition` as JSON
//! 00000000 04                  next table id, u32 little-endian
//! 00000000 05 table id u32 BE  key range of a dropped table whose space is not back yet
//! ```
//!
//! Invariants
//! 1. The store is changed before memory is, under the catalog's change lock.
//! 2. Table ids are never reused, so a key range belongs to one table for ever.
//! 3. Names of databases and tables compare as bytes (MySQL on Linux); columns and indexes
//!    compare without case (`TableDefinition`).
//!
//! Not here: what a definition must fulfil (`ddl`), its use (`table`).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard, RwLock};

use crate::error::{Error, Result, Thing};
use crate::schema::{TableDefinition, TableId};
use crate::store::{Batch, Change, Direction, Durability, KeyRange, Reach, Store};
use crate::table::{Table, TableState};

/// Format of the catalog and of all rows under it.
pub const CATALOG_FORMAT: u32 = FORMAT_COLUMNAR;
/// The first format.
const FORMAT_FIRST: u32 = 1;
/// Definitions may have a `retention`, which earlier versions would pass over.
const FORMAT_RETENTION: u32 = 2;
/// Tables may be stored by column.
const FORMAT_COLUMNAR: u32 = 3;
const KIND_FORMAT: u8 = 1;
const KIND_DATABASE: u8 = 2;
const KIND_TABLE: u8 = 3;
const KIND_NEXT_ID: u8 = 4;
const KIND_RECLAIM: u8 = 5;

/// The tables of one database by name.
type Tables = HashMap<String, Arc<Table>>;

/// All definitions.
pub struct Catalog {
    databases: RwLock<BTreeMap<String, Tables>>,
    changes: Mutex<Changes>,
}

/// What only one schema change at a time may touch.
pub(crate) struct Changes {
    next_id: TableId,
    format: u32,
}

/// One change of the catalog as a batch for the store and a change of memory after it.
pub(crate) struct CatalogChange<'c> {
    catalog: &'c Catalog,
    changes: MutexGuard<'c, Changes>,
    batch: Batch,
}

impl Catalog {
    /// Reads the catalog; an empty store gets a new one.
    pub(crate) fn load(store: &dyn Store) -> Result<Catalog> {
        let mut databases: BTreeMap<String, Tables> = BTreeMap::new();
        let mut next_id: TableId = 1;
        let mut format = None;
        let range = KeyRange { start: vec![0; 4], end: vec![0, 0, 0, 1] };
        let mut cursor = store.scan(&range, Direction::Forward, Reach::Disk)?;
        while cursor.advance()? {
            let (key, value) = (cursor.key(), cursor.value());
            let damaged = |why| Error::Corrupt { key: key.to_vec(), why };
            match key[4..].split_first() {
                Some((&KIND_FORMAT, _)) => format = Some(read_u32(key, value)?),
                Some((&KIND_DATABASE, name)) => {
                    let name = String::from_utf8(name.to_vec())
                        .map_err(|_| damaged("database name is not UTF-8"))?;
                    databases.entry(name).or_default();
                }
                Some((&KIND_TABLE, _)) => {
                    let definition: TableDefinition = serde_json::from_slice(value)
                        .map_err(|_| damaged("table definition does not decode"))?;
                    if let Some(why) = definition.fault() {
                        return Err(damaged(why));
                    }
                    let table = current(store, definition, Arc::default());
                    databases
                        .entry(table.database.clone())
                        .or_default()
                        .insert(table.name.clone(), table);
                }
                Some((&KIND_NEXT_ID, _)) => next_id = read_u32(key, value)?,
                Some((&KIND_RECLAIM, _)) => {}
                _ => return Err(damaged("unknown kind of catalog entry")),
            }
        }
        drop(cursor);
        let format = match format {
            Some(format @ FORMAT_FIRST..=CATALOG_FORMAT) => format,
            Some(_) => {
                let why = "the data directory was written by a newer version";
                return Err(Error::Refused { why });
            }
            None => {
                let changes = vec![put_format(FORMAT_FIRST)];
                store.write(&Batch { changes }, Durability::EveryCommit)?;
                FORMAT_FIRST
            }
        };
        let changes = Mutex::new(Changes { next_id, format });
        Ok(Catalog { databases: RwLock::new(databases), changes })
    }

    /// Names of all databases, sorted.
    pub fn databases(&self) -> Vec<String> {
        self.databases.read().keys().cloned().collect()
    }

    /// Whether a database exists.
    pub fn has_database(&self, name: &str) -> bool {
        self.databases.read().contains_key(name)
    }

    /// A table by name.
    ///
    /// # Errors
    /// `NotFound`, of the database or the table.
    pub fn table(&self, database: &str, name: &str) -> Result<Arc<Table>> {
        let databases = self.databases.read();
        let tables = databases.get(database).ok_or_else(|| no_database(database))?;
        tables.get(name).cloned().ok_or_else(|| no_table(database, name))
    }

    /// All tables of a database, sorted by name.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn tables(&self, database: &str) -> Result<Vec<Arc<Table>>> {
        let databases = self.databases.read();
        let tables = databases.get(database).ok_or_else(|| no_database(database))?;
        let mut tables: Vec<_> = tables.values().cloned().collect();
        tables.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(tables)
    }

    /// All tables.
    pub fn all_tables(&self) -> Vec<Arc<Table>> {
        self.databases.read().values().flat_map(HashMap::values).cloned().collect()
    }

    /// Starts a change; others wait until it is over.
    pub(crate) fn change(&self) -> CatalogChange<'_> {
        CatalogChange { catalog: self, changes: self.changes.lock(), batch: Batch::default() }
    }

    /// The key ranges of dropped tables whose space is still to be given back.
    pub(crate) fn reclaims(store: &dyn Store) -> Result<Vec<TableId>> {
        let start = catalog_key(KIND_RECLAIM, &[]);
        let end = catalog_key(KIND_RECLAIM + 1, &[]);
        let mut cursor = store.scan(&KeyRange { start, end }, Direction::Forward, Reach::Disk)?;
        let mut ids = Vec::new();
        while cursor.advance()? {
            let id = cursor.key()[5..].try_into().map_err(|_| Error::Corrupt {
                key: cursor.key().to_vec(),
                why: "reclaim entry key length",
            })?;
            ids.push(TableId::from_be_bytes(id));
        }
        Ok(ids)
    }

    /// The batch that forgets a reclaimed range.
    pub(crate) fn reclaimed(id: TableId) -> Batch {
        let key = catalog_key(KIND_RECLAIM, &id.to_be_bytes());
        Batch { changes: vec![Change::Delete(key)] }
    }
}

impl CatalogChange<'_> {
    /// A table id that was never used.
    pub(crate) fn new_table_id(&mut self) -> TableId {
        let id = self.changes.next_id;
        self.changes.next_id = id.checked_add(1).expect("table ids exhausted");
        let next = self.changes.next_id.to_le_bytes().to_vec();
        self.batch.changes.push(Change::Put(catalog_key(KIND_NEXT_ID, &[]), next));
        id
    }

    /// Stores a definition.
    pub(crate) fn put_table(&mut self, definition: &TableDefinition) {
        // Said again by each such definition: a batch that fails leaves the old format.
        let needed = match definition {
            TableDefinition { columnar: true, .. } => FORMAT_COLUMNAR,
            definition if !definition.retention.is_forever() => FORMAT_RETENTION,
            _ => FORMAT_FIRST,
        };
        if self.changes.format < needed {
            self.batch.changes.push(put_format(needed));
        }
        let key = catalog_key(KIND_TABLE, &definition.id.to_be_bytes());
        let value = serde_json::to_vec(definition).expect("definitions are plain data");
        self.batch.changes.push(Change::Put(key, value));
    }

    /// Removes a definition; rows and entries go with `drop_range`.
    pub(crate) fn delete_table(&mut self, id: TableId) {
        let key = catalog_key(KIND_TABLE, &id.to_be_bytes());
        self.batch.changes.push(Change::Delete(key));
    }

    /// Removes all rows and entries of a table id and notes that its space is to come back.
    pub(crate) fn drop_range(&mut self, id: TableId) {
        self.batch.changes.push(Change::DeleteRange(crate::table::table_range(id)));
        let key = catalog_key(KIND_RECLAIM, &id.to_be_bytes());
        self.batch.changes.push(Change::Put(key, Vec::new()));
    }

    /// Forgets the note that a range's space is to come back: the range is in use now.
    pub(crate) fn keep_range(&mut self, id: TableId) {
        let key = catalog_key(KIND_RECLAIM, &id.to_be_bytes());
        self.batch.changes.push(Change::Delete(key));
    }

    /// Removes a range of keys, such as an index's.
    pub(crate) fn delete_range(&mut self, range: KeyRange) {
        self.batch.changes.push(Change::DeleteRange(range));
    }

    /// Stores a database's name.
    pub(crate) fn put_database(&mut self, name: &str) {
        let key = catalog_key(KIND_DATABASE, name.as_bytes());
        self.batch.changes.push(Change::Put(key, b"{}".to_vec()));
    }

    /// Removes a database's name.
    pub(crate) fn delete_database(&mut self, name: &str) {
        self.batch.changes.push(Change::Delete(catalog_key(KIND_DATABASE, name.as_bytes())));
    }

    /// Writes the batch, then changes memory by `apply`.
    pub(crate) fn finish<T>(
        self,
        store: &dyn Store,
        durability: Durability,
        apply: impl FnOnce(&mut BTreeMap<String, Tables>) -> T,
    ) -> Result<T> {
        store.write(&self.batch, durability)?;
        let result = apply(&mut self.catalog.databases.write());
        drop(self.changes);
        Ok(result)
    }
}

/// A table that operations must use from now on.
pub(crate) fn current(
    store: &dyn Store,
    definition: TableDefinition,
    state: Arc<TableState>,
) -> Arc<Table> {
    state.set_version(definition.version);
    let table = Arc::new(Table::new(definition, state));
    store.know(&table);
    table
}

pub(crate) fn no_database(name: &str) -> Error {
    Error::NotFound { what: Thing::Database, name: name.to_string() }
}

pub(crate) fn no_table(database: &str, name: &str) -> Error {
    Error::NotFound { what: Thing::Table, name: format!("{database}.{name}") }
}

fn put_format(format: u32) -> Change {
    Change::Put(catalog_key(KIND_FORMAT, &[]), format.to_le_bytes().to_vec())
}

fn catalog_key(kind: u8, rest: &[u8]) -> Vec<u8> {
    let mut key = vec![0, 0, 0, 0, kind];
    key.extend_from_slice(rest);
    key
}

fn read_u32(key: &[u8], value: &[u8]) -> Result<u32> {
    let bytes = value.try_into().map_err(|_| Error::Corrupt {
        key: key.to_vec(),
        why: "catalog number is not four bytes",
    })?;
    Ok(u32::from_le_bytes(bytes))
}
