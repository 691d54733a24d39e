//! Which tables refer to which: every table knows the foreign keys of others that lead to it.
//!
//! Not here: what a foreign key must fulfil (`ddl::relations`), what it does (`table::foreign`).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Tables;
use crate::foreign_key::{ForeignKey, FullName, Reference, Referring, followers};
use crate::table::Table;

/// Tells every table which others refer to it, as far as that is not what it knows.
pub(super) fn relate(databases: &BTreeMap<String, Tables>) {
    let mut referring: Referring<'_> = HashMap::new();
    for child in databases.values().flat_map(HashMap::values) {
        for key in &child.foreign_keys {
            let parent = (&*key.parent_database, &*key.parent_table);
            let name = (&*child.database, &*child.name);
            referring.entry(parent).or_default().push((name, key));
        }
    }
    for of_parent in referring.values_mut() {
        of_parent.sort_unstable_by_key(|(child, key)| (*child, &key.name));
    }
    let tables = || databases.values().flat_map(HashMap::values);
    let is_known = |table: &Arc<Table>| {
        let known = table.references();
        let now = referring_to(&referring, table);
        known.len() == now.len()
            && known.iter().zip(now).all(|(known, (child, key))| {
                ((&*known.database, &*known.table), &known.key) == (*child, *key)
            })
    };
    if tables().all(is_known) {
        return;
    }
    // Whoever refers to a table may follow others, too.
    for table in tables() {
        let of_table =
            referring_to(&referring, table).iter().map(|((database, name), key)| Reference {
                database: database.to_string(),
                table: name.to_string(),
                key: ForeignKey::clone(key),
            });
        let followers = followers(&referring, (&table.database, &table.name));
        table.state.set_references(of_table.collect(), followers);
    }
}

/// The foreign keys that refer to a table.
fn referring_to<'r>(
    referring: &'r Referring<'r>,
    table: &'r Table,
) -> &'r [(FullName<'r>, &'r ForeignKey)] {
    let name = (&*table.database, &*table.name);
    referring.get(&name).map_or(&[], Vec::as_slice)
}
