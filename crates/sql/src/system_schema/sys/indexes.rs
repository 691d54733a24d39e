//! `schema_unused_indexes` and `schema_redundant_indexes`: indexes that cost writes and help no
//! reader.
//!
//! Not here: how uses are counted (`rows::asked_keys`).

use plan::listing::AskedTables;
use rows::schema::Index;
use rows::table::Table;

use crate::show::{Listing, number, text};
use crate::system_schema::ListingContext;

/// Indexes that no statement and no door has used since the server started; not those that keep
/// values unique, which are of use all the same.
pub(super) fn unused(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&["object_schema", "object_name", "index_name"]);
    if asked.are_none() {
        return listing;
    }
    let uses = facts.sql.engine().asked_keys().uses();
    for table in facts.sql.engine().catalog().all_tables() {
        for index in table.indexes.iter().skip(1) {
            if !index.unique && !uses.contains_key(&(table.id, index.id)) {
                listing.push(vec![text(&table.database), text(&table.name), text(&index.name)]);
            }
        }
    }
    listing
}

/// Indexes whose columns are the first ones of another index of the table, which can do their work.
pub(super) fn redundant(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "table_schema",
        "table_name",
        "redundant_index_name",
        "redundant_index_columns",
        "redundant_index_non_unique#",
        "dominant_index_name",
        "dominant_index_columns",
        "dominant_index_non_unique#",
        "subpart_exists#",
        "sql_drop_index",
    ]);
    if asked.are_none() {
        return listing;
    }
    for table in facts.sql.engine().catalog().all_tables() {
        for index in &table.indexes {
            let Some(other) = dominant(&table, index) else { continue };
            let columns = |index: &Index| {
                let names = index.parts.iter().map(|part| &*table.columns[part.column].name);
                names.collect::<Vec<_>>().join(",")
            };
            let has_prefix = |index: &Index| index.parts.iter().any(|part| part.prefix.is_some());
            listing.push(vec![
                text(&table.database),
                text(&table.name),
                text(&index.name),
                text(columns(index)),
                number(u64::from(!index.unique)),
                text(&other.name),
                text(columns(other)),
                number(u64::from(!other.unique)),
                number(u64::from(has_prefix(index) || has_prefix(other))),
                text(format!(
                    "ALTER TABLE `{}`.`{}` DROP INDEX `{}`",
                    table.database, table.name, index.name
                )),
            ]);
        }
    }
    listing
}

/// The index that makes another one needless.
fn dominant<'t>(table: &'t Table, index: &Index) -> Option<&'t Index> {
    let parts = |index: &Index| -> Vec<(usize, Option<u32>)> {
        index.parts.iter().map(|part| (part.column, part.prefix)).collect()
    };
    let own = parts(index);
    if index.unique {
        // It is needed, unless another one keeps the same columns unique.
        let is_same = |other: &&Index| other.unique && parts(other) == own && other.id < index.id;
        return table.indexes.iter().find(is_same);
    }
    table.indexes.iter().find(|other| {
        let theirs = parts(other);
        let is_longer = theirs.len() > own.len() || other.unique || other.id < index.id;
        other.id != index.id && theirs.starts_with(&own) && is_longer
    })
}
