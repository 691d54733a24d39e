//! PARTITIONS: a line for each partition of a table, and one for each table without any.

use rows::engine::Engine;
use rows::sizes::TableSizes;
use values::datum::Value;
use values::types::ColumnType;

use super::{AskedTables, CATALOG, shown_tables};
use crate::ddl::{description, expression_text, method_name, subpartition_method};
use crate::show::catalog::{created, table_status_line};
use crate::show::{Listing, maybe, number, text};

/// `sizes`: with the partitions' rows and sizes.
pub(super) fn partitions(engine: &Engine, sizes: bool, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "TABLE_CATALOG",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "PARTITION_NAME",
        "SUBPARTITION_NAME",
        "PARTITION_ORDINAL_POSITION#",
        "SUBPARTITION_ORDINAL_POSITION#",
        "SECONDARY_LOAD",
        "PARTITION_METHOD",
        "SUBPARTITION_METHOD",
        "PARTITION_EXPRESSION",
        "SUBPARTITION_EXPRESSION",
        "PARTITION_DESCRIPTION",
        "TABLE_ROWS#",
        "AVG_ROW_LENGTH#",
        "DATA_LENGTH#",
        "MAX_DATA_LENGTH#",
        "INDEX_LENGTH#",
        "DATA_FREE#",
        "CREATE_TIME",
        "UPDATE_TIME",
        "CHECK_TIME",
        "CHECKSUM#",
        "PARTITION_COMMENT",
        "NODEGROUP",
        "TABLESPACE_NAME",
    ]);
    for column in [19, 20, 21] {
        listing.columns[column].ty = ColumnType::DateTime { fsp: 0 };
    }
    for table in shown_tables(engine, asked) {
        let named = [text(CATALOG), text(&table.database), text(&table.name)];
        let Some(partitioning) = &table.partitioning else {
            // Rows, their length, sizes and the moment of creation.
            let line = table_status_line(engine, &table, sizes);
            let mut row = vec![Value::Null; listing.columns.len()];
            row[..3].clone_from_slice(&named);
            row[13..19].clone_from_slice(&[
                line[4].clone(),
                line[5].clone(),
                line[6].clone(),
                line[7].clone(),
                line[8].clone(),
                line[9].clone(),
            ]);
            row[19] = created(table.created);
            row[23] = text("");
            row[24] = text("");
            listing.push(row);
            continue;
        };
        for (at, partition) in partitioning.partitions.iter().enumerate() {
            let measured = match sizes {
                true => engine.partition_sizes(&table, partition.id).unwrap_or_default(),
                false => (0, TableSizes::default()),
            };
            let (rows, of_table) = measured;
            let length = of_table.data.plain_bytes.checked_div(rows).unwrap_or(0);
            let mut row = named.to_vec();
            row.extend([
                text(&partition.name),
                Value::Null,
                number(at as u64 + 1),
                Value::Null,
                number(0),
                text(method_name(partitioning)),
                Value::Null,
                maybe(expression_text(&partitioning.by)),
                Value::Null,
                maybe(description(&table, partition)),
                number(rows),
                number(length),
                number(of_table.data.disk_bytes),
                number(0),
                number(of_table.indexes.disk_bytes),
                number(0),
                created(table.created),
                Value::Null,
                Value::Null,
                Value::Null,
                text(&partition.comment),
                text("default"),
                Value::Null,
            ]);
            let Some(within) = &partitioning.subpartitioning else {
                listing.push(row);
                continue;
            };
            for (at, part) in partitioning.subpartitions(partition).iter().enumerate() {
                let mut row = row.clone();
                row[4] = text(&part.name);
                row[6] = number(at as u64 + 1);
                row[9] = text(subpartition_method(within));
                row[11] = maybe(expression_text(&within.by));
                row[23] = text(&part.comment);
                if at > 0 {
                    // Rows lie by partitions alone; the first one shows them.
                    (13..=18).for_each(|column| row[column] = number(0));
                }
                listing.push(row);
            }
        }
    }
    listing
}
