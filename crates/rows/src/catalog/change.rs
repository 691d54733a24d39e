//! One change of the catalog: what is put together, written, and then done in memory.
//!
//! Invariant: memory changes behind the write, and not at all if that fails.
//!
//! Not here: what a definition must fulfil (`ddl`).

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::MutexGuard;
use values::types::TextDefaults;

use super::entries::{
    KIND_ACCOUNT, KIND_DATABASE, KIND_NEXT_ID, KIND_RECLAIM, KIND_TABLE, catalog_key, event_key,
    put_format, view_key,
};
use super::format::{
    FORMAT_ACCOUNTS, FORMAT_DEFINERS, FORMAT_EVENTS, FORMAT_FIRST, FORMAT_FOREIGN_KEYS,
    FORMAT_PREPARED, FORMAT_VIEWS, format_of, format_of_collation,
};
use super::relations::relate;
use super::{AccountRecord, Catalog, Changes, Tables, keep_text_defaults};
use crate::error::Result;
use crate::event::{EventDefinition, EventId};
use crate::schema::{TableDefinition, TableId};
use crate::store::{Batch, Change, Durability, KeyRange, Store};
use crate::view::{View, ViewDefinition};

/// One change of the catalog as a batch for the store and a change of memory after it.
pub(crate) struct CatalogChange<'c> {
    catalog: &'c Catalog,
    changes: MutexGuard<'c, Changes>,
    batch: Batch,
    /// The format that what is stored needs.
    format: u32,
    /// What tables of a database take from now on; nothing of one that was dropped.
    text_defaults: Vec<(String, TextDefaults)>,
    /// Events as they will be; `None`: dropped.
    events: Vec<(EventId, Option<Arc<EventDefinition>>)>,
    /// Views that are gone, and those that are there from now on.
    views: (Vec<Arc<View>>, Vec<Arc<View>>),
}

impl Catalog {
    /// Starts a change; others wait until it is over.
    pub(crate) fn change(&self) -> CatalogChange<'_> {
        CatalogChange {
            catalog: self,
            changes: self.changes.lock(),
            batch: Batch::default(),
            format: FORMAT_FIRST,
            text_defaults: Vec::new(),
            events: Vec::new(),
            views: (Vec::new(), Vec::new()),
        }
    }

    /// Has the store say that there may be prepared transactions, before there is one.
    ///
    /// # Errors
    /// Those of the write.
    pub(crate) fn expect_prepared(&self, store: &dyn Store) -> Result<()> {
        let mut change = self.change();
        if change.changes.format >= FORMAT_PREPARED {
            return Ok(());
        }
        change.format = FORMAT_PREPARED;
        change.finish(store, Durability::EveryCommit, |_| ())
    }

    /// The batch that forgets reclaimed ranges.
    pub(crate) fn reclaimed(ids: &[TableId]) -> Batch {
        let key = |id: &TableId| catalog_key(KIND_RECLAIM, &id.to_be_bytes());
        Batch { changes: ids.iter().map(key).map(Change::delete).collect() }
    }
}

impl CatalogChange<'_> {
    /// A table id that was never used.
    pub(crate) fn new_table_id(&mut self) -> TableId {
        let id = self.changes.next_id;
        self.changes.next_id = id.checked_add(1).expect("table ids exhausted");
        let next = self.changes.next_id.to_le_bytes().to_vec();
        self.batch.changes.push(Change::put(catalog_key(KIND_NEXT_ID, &[]), next));
        id
    }

    /// Stores a definition.
    pub(crate) fn put_table(&mut self, definition: &TableDefinition) {
        self.format = self.format.max(format_of(definition));
        let key = catalog_key(KIND_TABLE, &definition.id.to_be_bytes());
        let value = serde_json::to_vec(definition).expect("definitions are plain data");
        self.batch.changes.push(Change::put(key, value));
    }

    /// Removes a definition; rows and entries go by `Engine::reclaim`, when nobody can find the
    /// table.
    pub(crate) fn delete_table(&mut self, id: TableId) {
        let key = catalog_key(KIND_TABLE, &id.to_be_bytes());
        self.batch.changes.push(Change::delete(key));
    }

    /// Notes that all rows and entries of a table id are to go, also after a crash.
    pub(crate) fn note_dropped(&mut self, id: TableId) {
        let key = catalog_key(KIND_RECLAIM, &id.to_be_bytes());
        self.batch.changes.push(Change::put(key, Vec::new()));
    }

    /// Forgets such a note: the range is in use now.
    pub(crate) fn keep_range(&mut self, id: TableId) {
        let key = catalog_key(KIND_RECLAIM, &id.to_be_bytes());
        self.batch.changes.push(Change::delete(key));
    }

    /// Removes a range of keys, such as an index's.
    pub(crate) fn delete_range(&mut self, range: KeyRange) {
        self.batch.changes.push(Change::DeleteRange(range));
    }

    /// Stores an event.
    pub(crate) fn put_event(&mut self, event: EventDefinition) {
        let format = if event.is_by_account { FORMAT_DEFINERS } else { FORMAT_EVENTS };
        self.format = self.format.max(format);
        let value = serde_json::to_vec(&event).expect("definitions are plain data");
        self.batch.changes.push(Change::put(event_key(event.id), value));
        self.events.push((event.id, Some(Arc::new(event))));
    }

    /// Removes an event.
    pub(crate) fn delete_event(&mut self, id: EventId) {
        self.batch.changes.push(Change::delete(event_key(id)));
        self.events.push((id, None));
    }

    /// Stores an account.
    pub(crate) fn put_account(&mut self, (name, value): &AccountRecord) {
        self.format = self.format.max(FORMAT_ACCOUNTS);
        self.batch.changes.push(Change::put(catalog_key(KIND_ACCOUNT, name), value.clone()));
    }

    /// Stores a view, in the place of another one.
    pub(crate) fn put_view(&mut self, view: ViewDefinition, replaced: Option<Arc<View>>) {
        let format = if view.is_by_account { FORMAT_DEFINERS } else { FORMAT_VIEWS };
        self.format = self.format.max(format);
        let value = serde_json::to_vec(&view).expect("definitions are plain data");
        self.batch.changes.push(Change::put(view_key(view.id), value));
        self.views.0.extend(replaced);
        self.views.1.push(View::new(view));
    }

    /// Removes a view.
    pub(crate) fn delete_view(&mut self, view: Arc<View>) {
        self.batch.changes.push(Change::delete(view_key(view.id)));
        self.views.0.push(view);
    }

    /// Stores a database.
    pub(crate) fn put_database(&mut self, name: &str, text: TextDefaults) {
        // Versions that know no default of a database pass over it, those that do must know what it
        // names.
        self.format = self.format.max(text.collation.map_or(FORMAT_FIRST, format_of_collation));
        let key = catalog_key(KIND_DATABASE, name.as_bytes());
        let value = serde_json::to_vec(&text).expect("definitions are plain data");
        self.batch.changes.push(Change::put(key, value));
        self.text_defaults.push((name.to_owned(), text));
    }

    /// Removes a database.
    pub(crate) fn delete_database(&mut self, name: &str) {
        self.text_defaults.push((name.to_owned(), TextDefaults::default()));
        self.batch.changes.push(Change::delete(catalog_key(KIND_DATABASE, name.as_bytes())));
    }

    /// Writes the batch, then changes memory by `apply`.
    pub(crate) fn finish<T>(
        mut self,
        store: &dyn Store,
        durability: Durability,
        apply: impl FnOnce(&mut BTreeMap<String, Tables>) -> T,
    ) -> Result<T> {
        let format = self.format.max(self.changes.format);
        if format > self.changes.format {
            self.batch.changes.push(put_format(format));
        }
        store.write(&self.batch, durability)?;
        self.changes.format = format;
        let mut text_defaults = self.catalog.text_defaults.write();
        for (database, text) in self.text_defaults {
            keep_text_defaults(&mut text_defaults, &database, text);
        }
        drop(text_defaults);
        let mut events = self.catalog.events.write();
        for (id, event) in self.events {
            match event {
                Some(event) => events.insert(id, event),
                None => events.remove(&id),
            };
        }
        drop(events);
        let mut views = self.catalog.views.write();
        for gone in self.views.0 {
            if let Some(of_database) = views.get_mut(&gone.database) {
                of_database.remove(&gone.name);
            }
            gone.replace();
        }
        for view in self.views.1 {
            views.entry(view.database.clone()).or_default().insert(view.name.clone(), view);
        }
        drop(views);
        let mut databases = self.catalog.databases.write();
        let result = apply(&mut databases);
        // Without a foreign key there never was anything to relate.
        if format >= FORMAT_FOREIGN_KEYS {
            relate(&databases);
        }
        drop(databases);
        drop(self.changes);
        Ok(result)
    }
}
