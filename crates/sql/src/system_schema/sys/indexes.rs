//! `schema_unused_indexes` and `schema_redundant_indexes`: indexes that cost writes and help no
//! reader.
//!
//! Not here: how uses are counted (`rows::asked_keys`).

use rows::schema::Index;
use rows::table::Table;

use crate::show::{number, text};
use crate::system_schema::ListingContext;
use crate::system_schema::listed_columns::TableFiller;

/// `schema_unused_indexes`: indexes that no statement and no door has used since the server
/// started; not those that keep values unique, which are of use all the same.
pub(super) fn unused(facts: &ListingContext<'_>, filler: &mut TableFiller<'_>) {
    let uses = facts.sql.engine().asked_keys().uses();
    for table in facts.sql.engine().catalog().all_tables() {
        for index in table.indexes_with_parts().skip(1) {
            if index.unique || uses.contains_key(&(table.id, index.id)) {
                continue;
            }
            filler.push(|column| {
                Some(match column {
                    "object_schema" => text(&table.database),
                    "object_name" => text(&table.name),
                    "index_name" => text(&index.name),
                    _ => return None,
                })
            });
        }
    }
}

/// `schema_index_statistics` and `schema_table_statistics`: how often each index, or table, was
/// asked. Writes and times are not counted.
pub(super) fn statistics(facts: &ListingContext<'_>, by_index: bool, filler: &mut TableFiller<'_>) {
    let uses = facts.sql.engine().asked_keys().uses();
    for table in facts.sql.engine().catalog().all_tables() {
        let count = |index: &Index| uses.get(&(table.id, index.id)).copied().unwrap_or(0);
        let mut push = |name: Option<&str>, count: u64| {
            filler.push(|column| {
                Some(match column {
                    "table_schema" => text(&table.database),
                    "table_name" => text(&table.name),
                    "index_name" => text(name?),
                    "rows_selected" | "rows_fetched" => number(count),
                    _ => return None,
                })
            });
        };
        match by_index {
            true => {
                table.indexes_with_parts().for_each(|index| push(Some(&index.name), count(index)))
            }
            false => push(None, table.indexes_with_parts().map(count).sum()),
        }
    }
}

/// `schema_redundant_indexes`: those whose columns are the first ones of another index of the
/// table, which can do their work.
pub(super) fn redundant(facts: &ListingContext<'_>, filler: &mut TableFiller<'_>) {
    for table in facts.sql.engine().catalog().all_tables() {
        for index in &table.indexes {
            let Some(other) = dominant(&table, index) else { continue };
            let columns = |index: &Index| {
                let names = index.parts.iter().map(|part| &*table.columns[part.column].name);
                names.collect::<Vec<_>>().join(",")
            };
            let has_prefix = |index: &Index| index.parts.iter().any(|part| part.prefix.is_some());
            let (database, name) = (&table.database, &table.name);
            filler.push(|column| {
                Some(match column {
                    "table_schema" => text(database),
                    "table_name" => text(name),
                    "redundant_index_name" => text(&index.name),
                    "redundant_index_columns" => text(columns(index)),
                    "redundant_index_non_unique" => number(u64::from(!index.unique)),
                    "dominant_index_name" => text(&other.name),
                    "dominant_index_columns" => text(columns(other)),
                    "dominant_index_non_unique" => number(u64::from(!other.unique)),
                    "subpart_exists" => number(u64::from(has_prefix(index) || has_prefix(other))),
                    "sql_drop_index" => text(format!(
                        "ALTER TABLE `{database}`.`{name}` DROP INDEX `{}`",
                        index.name
                    )),
                    _ => return None,
                })
            });
        }
    }
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
