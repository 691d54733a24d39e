//! Databases, tables, columns and indexes.

use std::sync::Arc;

use rows::engine::Engine;
use rows::schema::{Column, DefaultValue};
use rows::table::Table;
use rows::view::View;
use syntax::show::Filter;
use values::SqlMode;
use values::datum::Value;
use values::temporal::{DateTime, Timestamp, Zone};
use values::types::{Collation, ColumnType};

use super::sizes::{ShownSizes, sizes_of};
use super::{Listing, maybe, number, text};
use crate::ddl::{
    create_table_text, create_view_text, default_text, listed_options, quoted, quoted_text,
    row_format, says_collation, table_collation,
};
use plan::listing::{SystemSchema, is_everybodys, is_own_name};
use results::{Result, ResultColumn, SqlError};
use syntax::definition_text;

/// All databases, the server's own among them.
pub fn database_names(engine: &Engine) -> Vec<String> {
    let mut names = engine.catalog().databases();
    // Programs that dump all databases leave the others of the server's own out, and not this one.
    let listed = SystemSchema::ALL.into_iter().filter(|schema| *schema != SystemSchema::Sys);
    names.extend(listed.map(|schema| schema.name().to_string()));
    names.sort();
    names.dedup();
    names
}

/// SHOW DATABASES.
pub fn databases(engine: &Engine) -> Listing {
    let mut listing = Listing::new(&["Database"]).cased(0);
    for name in database_names(engine) {
        listing.push(vec![text(name)]);
    }
    listing
}

/// Tables of a database; the server's own are not here.
fn tables_in(engine: &Engine, database: &str) -> Result<Vec<Arc<Table>>> {
    if is_own_name(database) && !engine.catalog().has_database(database) {
        return Ok(Vec::new());
    }
    Ok(engine.catalog().tables(database)?)
}

/// SHOW [FULL] TABLES; `own` are those that the server makes in this database, and what they are.
///
/// # Errors
/// 1049 when there is no such database.
pub fn tables(
    engine: &Engine,
    database: &str,
    full: bool,
    own: Option<(&[&str], &'static str)>,
) -> Result<Listing> {
    let title = format!("Tables_in_{database}");
    let mut listing = match full {
        true => Listing::new(&[&title, "Table_type"]),
        false => Listing::new(&[&title]),
    };
    // Those that everybody sees are named in either case.
    if !is_everybodys(database) {
        listing = listing.cased(0);
    }
    let mut names: Vec<(String, &str)> = tables_in(engine, database)?
        .iter()
        .map(|table| (table.name.clone(), "BASE TABLE"))
        .collect();
    names.extend(engine.catalog().views(database).iter().map(|view| (view.name.clone(), "VIEW")));
    names.sort();
    if let Some((own, kind)) = own {
        names.extend(own.iter().map(|name| (name.to_string(), kind)));
    }
    for (name, kind) in names {
        let mut row = vec![text(name)];
        if full {
            row.push(text(kind));
        }
        listing.push(row);
    }
    Ok(listing)
}

/// SHOW OPEN TABLES of a database, or of all of them, as far as they may be seen.
pub fn open_tables(
    engine: &Engine,
    database: Option<&str>,
    is_seen: impl Fn(&Table) -> bool,
) -> Listing {
    let mut listing = Listing::new(&["Database", "Table", "In_use#", "Name_locked#"]).cased(1);
    listing.like = 1;
    let tables = engine.catalog().all_tables();
    let is_meant = |table: &&Arc<Table>| {
        database.is_none_or(|database| table.database == database) && is_seen(table)
    };
    for table in tables.iter().filter(is_meant) {
        listing.push(vec![text(&table.database), text(&table.name), number(0), number(0)]);
    }
    listing
}

/// About how many rows a table has: exact when there are few, else the number that the engine
/// keeps, else from its size and that of its first rows.
pub fn approximate_rows(engine: &Engine, table: &Table) -> u64 {
    /// Rows looked at.
    const SAMPLE: usize = 128;
    if table.is_listed() {
        return 0;
    }
    let (mut seen, mut bytes) = (0u64, 0u64);
    let range = table.index_range(0);
    let view = engine.latest();
    let sampled = engine.find(
        view,
        table,
        0,
        &range,
        rows::store::Direction::Forward,
        rows::store::Reach::Disk,
        &mut |found| {
            seen += 1;
            bytes += (found.key.len() + found.row.bytes().len()) as u64;
            Ok(match seen as usize >= SAMPLE {
                true => rows::find::Flow::Stop,
                false => rows::find::Flow::Continue,
            })
        },
    );
    if sampled.is_err() || (seen as usize) < SAMPLE {
        return seen;
    }
    if let Ok(Some(rows)) = engine.row_count(table) {
        return rows.max(seen);
    }
    let total = engine.store().approximate_bytes(&range).unwrap_or(0);
    (total * seen / bytes.max(1)).max(seen)
}

/// A moment of creation as a DATETIME.
pub fn created(seconds: u64) -> Value {
    let moment = Timestamp::from_micros(seconds * 1_000_000).to_datetime(Zone::UTC);
    if moment == DateTime::ZERO { Value::Null } else { Value::DateTime(moment) }
}

/// SHOW TABLE STATUS, of the tables that a filter may let through; `own` are those of a database of
/// the server's own.
///
/// # Errors
/// 1049 when there is no such database, and those of the filter.
pub fn table_status(
    engine: &Engine,
    database: &str,
    own: &[Arc<Table>],
    filter: &Filter,
    mode: SqlMode,
) -> Result<Listing> {
    let mut listing = Listing::new(&[
        "Name",
        "Engine",
        "Version#",
        "Row_format",
        "Rows#",
        "Avg_row_length#",
        "Data_length#",
        "Max_data_length#",
        "Index_length#",
        "Data_free#",
        "Auto_increment#",
        "Create_time",
        "Update_time",
        "Check_time",
        "Collation",
        "Checksum",
        "Create_options",
        "Comment",
    ])
    .cased(0);
    listing.columns[11].ty = ColumnType::DateTime { fsp: 0 };
    let mut tables = tables_in(engine, database)?;
    tables.extend(own.iter().cloned());
    let may_pass = listing.by_name(filter, mode)?;
    // How large a table is takes long to find out.
    tables.retain(|table| may_pass(&table.name));
    for table in tables {
        listing.push(table_status_line(engine, &table, true));
    }
    for view in engine.catalog().views(database).into_iter().filter(|view| may_pass(&view.name)) {
        let mut line = vec![Value::Null; listing.columns.len()];
        line[0] = text(&view.name);
        line[17] = text("VIEW");
        listing.push(line);
    }
    listing.rows.sort_by(|a, b| name_in(a).cmp(&name_in(b)));
    Ok(listing)
}

/// The name that a line begins with.
fn name_in(line: &[Value]) -> Option<&[u8]> {
    match line.first() {
        Some(Value::Bytes(name)) => Some(name),
        _ => None,
    }
}

/// A table's line of SHOW TABLE STATUS: its name, and what `information_schema.tables` says of it
/// from ENGINE on; with its sizes, which take long to find out, or zeros.
pub fn table_status_line(engine: &Engine, table: &Table, sizes: bool) -> Vec<Value> {
    // A table that goes meanwhile, or a damaged one, has its line all the same.
    let shown = match sizes && !table.is_listed() {
        true => sizes_of(engine, table).unwrap_or_default(),
        false => ShownSizes::default(),
    };
    let next = next_number(engine, table);
    vec![
        text(&table.name),
        text(&table.engine),
        number(10),
        text(if table.columnar {
            "Columnar".to_owned()
        } else {
            row_format(&table.storage_options)
        }),
        number(shown.rows),
        number(shown.row_length),
        number(shown.sizes.data.disk_bytes),
        number(0),
        number(shown.sizes.indexes.disk_bytes),
        number(0),
        next.map_or(Value::Null, number),
        created(table.created),
        Value::Null,
        Value::Null,
        text(table_collation(table).name()),
        Value::Null,
        text(listed_options(&table.storage_options, table.partitioning.is_some())),
        text(&table.comment),
    ]
}

/// PRI, UNI, MUL or nothing.
pub fn key_word(table: &Table, position: usize) -> &'static str {
    if table.indexes[0].parts.iter().any(|part| part.column == position) {
        return "PRI";
    }
    let leading = |unique: bool| {
        table.indexes_with_parts().skip(1).any(|index| {
            index.parts.first().is_some_and(|part| part.column == position)
                && index.unique == unique
                && (!unique || index.parts.len() == 1)
        })
    };
    if leading(true) {
        // Without a primary key, MySQL takes the first such key of NOT NULL columns for one.
        let first = table.indexes.iter().skip(1).find(|index| {
            let is_whole = |column: usize, prefix: Option<u32>| {
                !table.columns[column].nullable && prefix.is_none()
            };
            index.unique && index.parts.iter().all(|part| is_whole(part.column, part.prefix))
        });
        let takes_place = table.has_hidden_key()
            && first.is_some_and(|index| index.parts.iter().any(|part| part.column == position));
        return if takes_place { "PRI" } else { "UNI" };
    }
    let in_several = table.indexes_with_parts().skip(1).any(|index| {
        index.parts.first().is_some_and(|part| part.column == position) && index.parts.len() > 1
    });
    let in_full_text = table.full_texts.iter().any(|index| {
        index.columns.first().is_some_and(|name| table.column(name) == Some(position))
    });
    if leading(false) || in_several || in_full_text { "MUL" } else { "" }
}

/// The Extra column of SHOW COLUMNS.
pub fn extra_words(column: &Column) -> String {
    let mut words = Vec::new();
    if column.auto_increment {
        words.push("auto_increment".to_string());
    }
    if let Some(computed) = &column.computed {
        let word = if computed.stored { "STORED GENERATED" } else { "VIRTUAL GENERATED" };
        words.push(word.to_string());
    }
    if matches!(column.default, DefaultValue::CurrentTimestamp | DefaultValue::Expression(_)) {
        words.push("DEFAULT_GENERATED".to_string());
    }
    if column.on_update_now {
        let now = match &column.ty {
            ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } if *fsp > 0 => {
                format!("on update CURRENT_TIMESTAMP({fsp})")
            }
            _ => "on update CURRENT_TIMESTAMP".to_string(),
        };
        words.push(now);
    }
    if column.invisible {
        words.push("INVISIBLE".to_string());
    }
    words.join(" ")
}

/// SHOW [FULL] COLUMNS, DESCRIBE, of a table.
pub fn columns(table: &Table, full: bool, zone: Zone) -> Listing {
    columns_with_keys(table.named_columns(), &|position| key_word(table, position), full, zone)
}

/// The same of a view, whose columns have no keys.
pub fn columns_of_view(columns: &[Column], full: bool, zone: Zone) -> Listing {
    columns_with_keys(columns, &|_| "", full, zone)
}

fn columns_with_keys(
    columns: &[Column],
    key_word: &dyn Fn(usize) -> &'static str,
    full: bool,
    zone: Zone,
) -> Listing {
    let mut listing = match full {
        true => Listing::new(&[
            "Field",
            "Type",
            "Collation",
            "Null",
            "Key",
            "Default",
            "Extra",
            "Privileges",
            "Comment",
        ]),
        false => Listing::new(&["Field", "Type", "Null", "Key", "Default", "Extra"]),
    };
    for (position, column) in columns.iter().enumerate() {
        let mut row = vec![text(&column.name), text(column.mysql_type_name())];
        if full {
            let binary = matches!(
                column.ty,
                ColumnType::Binary { .. }
                    | ColumnType::VarBinary { .. }
                    | ColumnType::Blob { .. }
                    | ColumnType::Json
            );
            let collation = column.ty.collation().filter(|_| !binary);
            row.push(maybe(collation.map(|collation| collation.name())));
        }
        row.push(text(if column.nullable { "YES" } else { "NO" }));
        row.push(text(key_word(position)));
        row.push(maybe(default_text(column, zone)));
        row.push(text(extra_words(column)));
        if full {
            row.push(text("select,insert,update,references"));
            row.push(text(&column.comment));
        }
        listing.push(row);
    }
    listing
}

/// SHOW INDEX of what has no indexes.
pub fn no_index_lines() -> Listing {
    Listing::new(&[
        "Table",
        "Non_unique#",
        "Key_name",
        "Seq_in_index#",
        "Column_name",
        "Collation",
        "Cardinality#",
        "Sub_part#",
        "Packed",
        "Null",
        "Index_type",
        "Comment",
        "Index_comment",
        "Visible",
        "Expression",
    ])
}

/// SHOW INDEX of a table of about so many rows.
pub fn index_lines(table: &Table, rows: u64) -> Listing {
    let mut listing = no_index_lines();
    for index in table.indexes_in_order() {
        for (n, part) in index.parts.iter().enumerate() {
            let column = &table.columns[part.column];
            let expression = table.part_expression(part);
            listing.push(vec![
                text(&table.name),
                number(u64::from(!index.unique)),
                text(&index.name),
                number(n as u64 + 1),
                maybe(expression.is_none().then_some(&column.name)),
                text(if part.descending { "D" } else { "A" }),
                number(rows),
                part.prefix.map_or(Value::Null, |prefix| number(u64::from(prefix))),
                Value::Null,
                text(if column.nullable { "YES" } else { "" }),
                text("BTREE"),
                text(""),
                text(&index.comment),
                text(if index.invisible { "NO" } else { "YES" }),
                maybe(expression.map(|text| quoted_text(&definition_text(text)))),
            ]);
        }
    }
    for index in &table.full_texts {
        for (n, name) in index.columns.iter().enumerate() {
            let nullable = table.column(name).is_some_and(|at| table.columns[at].nullable);
            listing.push(vec![
                text(&table.name),
                number(1),
                text(&index.name),
                number(n as u64 + 1),
                text(name),
                Value::Null,
                number(rows),
                Value::Null,
                Value::Null,
                text(if nullable { "YES" } else { "" }),
                text("FULLTEXT"),
                text(""),
                text(&index.comment),
                text(if index.invisible { "NO" } else { "YES" }),
                Value::Null,
            ]);
        }
    }
    let of_columns = table
        .columnar_index
        .iter()
        .flat_map(|index| index.columns.iter().enumerate().map(move |(n, name)| (index, n, name)));
    for (index, n, name) in of_columns {
        let nullable = table.column(name).is_some_and(|at| table.columns[at].nullable);
        listing.push(vec![
            text(&table.name),
            number(1),
            text(&index.name),
            number(n as u64 + 1),
            text(name),
            Value::Null,
            number(rows),
            Value::Null,
            Value::Null,
            text(if nullable { "YES" } else { "" }),
            text("COLUMNAR"),
            text(""),
            text(&index.comment),
            text("YES"),
            Value::Null,
        ]);
    }
    listing
}

/// The next AUTO_INCREMENT value of a table that has such a column and rows of its own.
fn next_number(engine: &Engine, table: &Table) -> Option<u64> {
    let counts = table.auto_increment().is_some() && !table.is_listed();
    counts.then(|| engine.auto_increment_next(table).ok()).flatten()
}

/// SHOW CREATE TABLE.
pub fn create_table(engine: &Engine, table: &Table, zone: Zone) -> Listing {
    let mut listing = Listing::new(&["Table", "Create Table"]).long_text(1);
    let next = next_number(engine, table);
    let definition = create_table_text(table, table_collation(table), next, zone);
    listing.push(vec![text(&table.name), text(definition)]);
    listing
}

/// SHOW CREATE TABLE of one of the server's own tables, whose rows are made when they are read: a
/// temporary table, but for those of `performance_schema`, as MySQL 5.7 and MariaDB write them.
pub fn create_own_table(schema: SystemSchema, name: &str, columns: &[ResultColumn]) -> Listing {
    let line = |column: &ResultColumn| {
        let null = if column.nullable { "DEFAULT NULL" } else { "NOT NULL" };
        format!("{} {} {null}", quoted(&column.name), column.ty.mysql_type_name())
    };
    let lines: Vec<String> = columns.iter().map(line).collect();
    let (temporary, engine) = match schema {
        SystemSchema::Performance => ("", "PERFORMANCE_SCHEMA"),
        _ => ("TEMPORARY ", "MEMORY"),
    };
    let definition = format!(
        "CREATE {temporary}TABLE {} (\n  {}\n) ENGINE={engine} DEFAULT CHARSET=utf8mb4",
        quoted(name),
        lines.join(",\n  ")
    );
    let mut listing = Listing::new(&["Table", "Create Table"]).long_text(1);
    listing.push(vec![text(name), text(definition)]);
    listing
}

/// SHOW CREATE VIEW, and SHOW CREATE TABLE of a view, in a session whose database this is.
pub fn create_view(view: &View, database: Option<&str>) -> Listing {
    let mut listing =
        Listing::new(&["View", "Create View", "character_set_client", "collation_connection"])
            .long_text(1);
    listing.push(vec![
        text(&view.name),
        text(create_view_text(view, database)),
        text(&view.charset_client),
        text(&view.collation_connection),
    ]);
    listing
}

/// SHOW CREATE DATABASE.
///
/// # Errors
/// 1049 when there is no such database.
pub fn create_database(engine: &Engine, name: &str, if_not_exists: bool) -> Result<Listing> {
    if !database_names(engine).iter().any(|known| known == name) {
        return Err(SqlError::unknown_database(name));
    }
    let mut listing = Listing::new(&["Database", "Create Database"]).long_text(1);
    let unless = if if_not_exists { "/*!32312 IF NOT EXISTS*/ " } else { "" };
    let collation = engine.catalog().text_defaults(name).collation;
    let collation = collation.unwrap_or(Collation::Utf8Mb4GeneralCi);
    let default = match says_collation(collation) {
        true => format!("{} COLLATE {}", collation.set_name(), collation.name()),
        false => collation.set_name().to_owned(),
    };
    let statement = format!(
        "CREATE DATABASE {unless}{} /*!40100 DEFAULT CHARACTER SET {default} */ \
         /*!80016 DEFAULT ENCRYPTION='N' */",
        quoted(name)
    );
    listing.push(vec![text(name), text(statement)]);
    Ok(listing)
}
