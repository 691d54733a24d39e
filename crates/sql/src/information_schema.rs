//! `information_schema`: the catalog and the server as tables that queries can read.
//!
//! Each table is made when a statement names it, from the state of that moment. Only what
//! clients ask for is here; `docs/sql.md` lists it.
//!
//! Not here: SHOW (`show`), reading them in queries (`analytic`).

use std::sync::Arc;

use rows::datum::Value;
use rows::engine::Engine;
use rows::table::Table;
use rows::types::{Collation, ColumnType, IntWidth};

use crate::context::Facts;
use crate::ddl::{default_text, table_collation};
use crate::error::Result;
use crate::expression::type_collation;
use crate::reply::ResultColumn;
use crate::show::catalog::{TableFacts, approximate_rows, database_names, extra_words, key_word};
use crate::show::{self, Listing, maybe, number, text};

/// The tables there are.
pub const TABLES: [&str; 25] = [
    "CHARACTER_SETS",
    "CHECK_CONSTRAINTS",
    "COLLATIONS",
    "COLLATION_CHARACTER_SET_APPLICABILITY",
    "COLUMNS",
    "COLUMN_PRIVILEGES",
    "ENGINES",
    "EVENTS",
    "FILES",
    "KEY_COLUMN_USAGE",
    "PARAMETERS",
    "PARTITIONS",
    "PLUGINS",
    "PROCESSLIST",
    "REFERENTIAL_CONSTRAINTS",
    "ROUTINES",
    "SCHEMATA",
    "SCHEMA_PRIVILEGES",
    "STATISTICS",
    "TABLES",
    "TABLE_CONSTRAINTS",
    "TABLE_PRIVILEGES",
    "TRIGGERS",
    "USER_PRIVILEGES",
    "VIEWS",
];

/// The catalog's name in every table.
const CATALOG: &str = "def";

/// A table by name, without regard to case: its columns and rows; `None` when there is none.
pub fn table(facts: &Facts, name: &str) -> Result<Option<(Vec<ResultColumn>, Vec<Vec<Value>>)>> {
    let engine = facts.sql.engine();
    let upper = name.to_ascii_uppercase();
    let listing = match upper.as_str() {
        "SCHEMATA" => schemata(engine),
        "TABLES" => tables(engine)?,
        "COLUMNS" => columns(engine)?,
        "STATISTICS" => statistics(engine)?,
        "KEY_COLUMN_USAGE" => key_column_usage(engine)?,
        "TABLE_CONSTRAINTS" => table_constraints(engine)?,
        "ENGINES" => show::engines(),
        "PLUGINS" => plugins(),
        "CHARACTER_SETS" => renamed(
            show::character_sets(),
            &["CHARACTER_SET_NAME", "DESCRIPTION", "DEFAULT_COLLATE_NAME", "MAXLEN"],
        ),
        "COLLATIONS" => renamed(
            show::collations(),
            &[
                "COLLATION_NAME",
                "CHARACTER_SET_NAME",
                "ID",
                "IS_DEFAULT",
                "IS_COMPILED",
                "SORTLEN",
                "PAD_ATTRIBUTE",
            ],
        ),
        "COLLATION_CHARACTER_SET_APPLICABILITY" => applicability(),
        "PROCESSLIST" => renamed(
            show::processes(&facts.sql, true),
            &["ID", "USER", "HOST", "DB", "COMMAND", "TIME", "STATE", "INFO"],
        ),
        "USER_PRIVILEGES" => user_privileges(&facts.user),
        _ => match empty(&upper) {
            Some(names) => Listing::new(names),
            None => return Ok(None),
        },
    };
    let mut columns = listing.columns;
    for column in &mut columns {
        column.name = column.name.to_ascii_uppercase();
        column.org_name.clone_from(&column.name);
        column.table = upper.clone();
        column.org_table = upper.clone();
        column.database = "information_schema".to_string();
    }
    Ok(Some((columns, listing.rows)))
}

/// Columns of the tables that have no rows here.
fn empty(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "REFERENTIAL_CONSTRAINTS" => &[
            "CONSTRAINT_CATALOG",
            "CONSTRAINT_SCHEMA",
            "CONSTRAINT_NAME",
            "UNIQUE_CONSTRAINT_CATALOG",
            "UNIQUE_CONSTRAINT_SCHEMA",
            "UNIQUE_CONSTRAINT_NAME",
            "MATCH_OPTION",
            "UPDATE_RULE",
            "DELETE_RULE",
            "TABLE_NAME",
            "REFERENCED_TABLE_NAME",
        ],
        "CHECK_CONSTRAINTS" => {
            &["CONSTRAINT_CATALOG", "CONSTRAINT_SCHEMA", "CONSTRAINT_NAME", "CHECK_CLAUSE"]
        }
        "VIEWS" => &[
            "TABLE_CATALOG",
            "TABLE_SCHEMA",
            "TABLE_NAME",
            "VIEW_DEFINITION",
            "CHECK_OPTION",
            "IS_UPDATABLE",
            "DEFINER",
            "SECURITY_TYPE",
            "CHARACTER_SET_CLIENT",
            "COLLATION_CONNECTION",
        ],
        "TRIGGERS" => &[
            "TRIGGER_CATALOG",
            "TRIGGER_SCHEMA",
            "TRIGGER_NAME",
            "EVENT_MANIPULATION",
            "EVENT_OBJECT_CATALOG",
            "EVENT_OBJECT_SCHEMA",
            "EVENT_OBJECT_TABLE",
            "ACTION_ORDER#",
            "ACTION_CONDITION",
            "ACTION_STATEMENT",
            "ACTION_ORIENTATION",
            "ACTION_TIMING",
            "CREATED",
            "SQL_MODE",
            "DEFINER",
            "CHARACTER_SET_CLIENT",
            "COLLATION_CONNECTION",
            "DATABASE_COLLATION",
        ],
        "ROUTINES" => &[
            "SPECIFIC_NAME",
            "ROUTINE_CATALOG",
            "ROUTINE_SCHEMA",
            "ROUTINE_NAME",
            "ROUTINE_TYPE",
            "DATA_TYPE",
            "ROUTINE_DEFINITION",
            "ROUTINE_COMMENT",
            "DEFINER",
            "CREATED",
            "LAST_ALTERED",
            "DTD_IDENTIFIER",
            "SECURITY_TYPE",
            "SQL_DATA_ACCESS",
            "IS_DETERMINISTIC",
            "SQL_MODE",
        ],
        "PARAMETERS" => &[
            "SPECIFIC_CATALOG",
            "SPECIFIC_SCHEMA",
            "SPECIFIC_NAME",
            "ORDINAL_POSITION#",
            "PARAMETER_MODE",
            "PARAMETER_NAME",
            "DATA_TYPE",
            "DTD_IDENTIFIER",
            "ROUTINE_TYPE",
        ],
        "EVENTS" => &["EVENT_CATALOG", "EVENT_SCHEMA", "EVENT_NAME", "DEFINER", "STATUS"],
        "PARTITIONS" => &[
            "TABLE_CATALOG",
            "TABLE_SCHEMA",
            "TABLE_NAME",
            "PARTITION_NAME",
            "SUBPARTITION_NAME",
            "PARTITION_ORDINAL_POSITION#",
            "PARTITION_METHOD",
            "PARTITION_EXPRESSION",
            "PARTITION_DESCRIPTION",
            "TABLE_ROWS#",
            // Asked for by mysqldump and mariadb-dump.
            "TABLESPACE_NAME",
        ],
        "FILES" => &[
            "FILE_ID#",
            "FILE_NAME",
            "FILE_TYPE",
            "TABLESPACE_NAME",
            "TABLE_CATALOG",
            "TABLE_SCHEMA",
            "TABLE_NAME",
            "LOGFILE_GROUP_NAME",
            "ENGINE",
            "TOTAL_EXTENTS#",
            "INITIAL_SIZE#",
            "EXTENT_SIZE#",
            "EXTRA",
        ],
        "COLUMN_PRIVILEGES" | "TABLE_PRIVILEGES" | "SCHEMA_PRIVILEGES" => &[
            "GRANTEE",
            "TABLE_CATALOG",
            "TABLE_SCHEMA",
            "TABLE_NAME",
            "COLUMN_NAME",
            "PRIVILEGE_TYPE",
            "IS_GRANTABLE",
        ],
        _ => return None,
    })
}

fn renamed(mut listing: Listing, names: &[&str]) -> Listing {
    for (column, name) in listing.columns.iter_mut().zip(names) {
        column.name = name.to_string();
    }
    listing
}

fn all_tables(engine: &Engine) -> Result<Vec<Arc<Table>>> {
    let mut all = Vec::new();
    for database in engine.catalog().databases() {
        // A database may go while this is read.
        if let Ok(tables) = engine.catalog().tables(&database) {
            all.extend(tables);
        }
    }
    Ok(all)
}

fn schemata(engine: &Engine) -> Listing {
    let mut listing = Listing::new(&[
        "CATALOG_NAME",
        "SCHEMA_NAME",
        "DEFAULT_CHARACTER_SET_NAME",
        "DEFAULT_COLLATION_NAME",
        "SQL_PATH",
        "DEFAULT_ENCRYPTION",
    ]);
    for name in database_names(engine) {
        listing.push(vec![
            text(CATALOG),
            text(name),
            text("utf8mb4"),
            text("utf8mb4_general_ci"),
            Value::Null,
            text("NO"),
        ]);
    }
    listing
}

fn tables(engine: &Engine) -> Result<Listing> {
    let mut listing = Listing::new(&[
        "TABLE_CATALOG",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "TABLE_TYPE",
        "ENGINE",
        "VERSION#",
        "ROW_FORMAT",
        "TABLE_ROWS#",
        "AVG_ROW_LENGTH#",
        "DATA_LENGTH#",
        "MAX_DATA_LENGTH#",
        "INDEX_LENGTH#",
        "DATA_FREE#",
        "AUTO_INCREMENT#",
        "CREATE_TIME",
        "UPDATE_TIME",
        "CHECK_TIME",
        "TABLE_COLLATION",
        "CHECKSUM#",
        "CREATE_OPTIONS",
        "TABLE_COMMENT",
    ]);
    for column in [14, 15, 16] {
        listing.columns[column].ty = ColumnType::DateTime { fsp: 0 };
    }
    for table in all_tables(engine)? {
        let facts = TableFacts::of(engine, &table);
        listing.push(vec![
            text(CATALOG),
            text(&table.database),
            text(&table.name),
            text("BASE TABLE"),
            text(&table.engine),
            number(10),
            text("Dynamic"),
            number(facts.rows),
            number(facts.row_bytes),
            number(facts.data_bytes),
            number(0),
            number(facts.index_bytes),
            number(0),
            facts.auto_increment.map_or(Value::Null, number),
            facts.created,
            Value::Null,
            Value::Null,
            text(table_collation(&table).name()),
            Value::Null,
            text(""),
            text(&table.comment),
        ]);
    }
    for name in TABLES {
        let mut row = vec![Value::Null; 21];
        row[..4].clone_from_slice(&[
            text(CATALOG),
            text("information_schema"),
            text(name),
            text("SYSTEM VIEW"),
        ]);
        row[20] = text("");
        listing.push(row);
    }
    Ok(listing)
}

/// The type's first word.
fn data_type(ty: &ColumnType) -> String {
    let whole = ty.mysql_type_name();
    let end = whole.find(['(', ' ']).unwrap_or(whole.len());
    whole[..end].to_string()
}

/// CHARACTER_MAXIMUM_LENGTH and CHARACTER_OCTET_LENGTH.
fn lengths(ty: &ColumnType) -> (Value, Value) {
    use rows::types::LobSize;
    let lob = |size: &LobSize| match size {
        LobSize::Tiny => 0xff,
        LobSize::Normal => 0xffff,
        LobSize::Medium => 0xff_ffff,
        LobSize::Long => 0xffff_ffffu64,
    };
    match ty {
        ColumnType::Char { chars, .. } | ColumnType::VarChar { chars, .. } => {
            (number(u64::from(*chars)), number(u64::from(*chars) * 4))
        }
        ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } => {
            (number(u64::from(*bytes)), number(u64::from(*bytes)))
        }
        ColumnType::Text { size, .. } | ColumnType::Blob { size } => {
            (number(lob(size)), number(lob(size)))
        }
        ColumnType::Enum { values, .. } => {
            let longest = values.iter().map(|word| word.chars().count() as u64).max().unwrap_or(0);
            (number(longest), number(longest * 4))
        }
        _ => (Value::Null, Value::Null),
    }
}

/// NUMERIC_PRECISION, NUMERIC_SCALE and DATETIME_PRECISION.
fn precisions(ty: &ColumnType) -> (Value, Value, Value) {
    let whole = |digits: u64| (number(digits), number(0), Value::Null);
    let fraction = |fsp: u8| (Value::Null, Value::Null, number(u64::from(fsp)));
    match ty {
        ColumnType::Int { width, unsigned, .. } => whole(match width {
            IntWidth::Tiny => 3,
            IntWidth::Small => 5,
            IntWidth::Medium => 7,
            IntWidth::Int => 10,
            IntWidth::Big => 19 + u64::from(*unsigned),
        }),
        ColumnType::Float => (number(12), Value::Null, Value::Null),
        ColumnType::Double => (number(22), Value::Null, Value::Null),
        ColumnType::Decimal { precision, scale } => {
            (number(u64::from(*precision)), number(u64::from(*scale)), Value::Null)
        }
        ColumnType::Time { fsp } | ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => {
            fraction(*fsp)
        }
        _ => (Value::Null, Value::Null, Value::Null),
    }
}

fn columns(engine: &Engine) -> Result<Listing> {
    let mut listing = Listing::new(&[
        "TABLE_CATALOG",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "COLUMN_NAME",
        "ORDINAL_POSITION#",
        "COLUMN_DEFAULT",
        "IS_NULLABLE",
        "DATA_TYPE",
        "CHARACTER_MAXIMUM_LENGTH#",
        "CHARACTER_OCTET_LENGTH#",
        "NUMERIC_PRECISION#",
        "NUMERIC_SCALE#",
        "DATETIME_PRECISION#",
        "CHARACTER_SET_NAME",
        "COLLATION_NAME",
        "COLUMN_TYPE",
        "COLUMN_KEY",
        "EXTRA",
        "PRIVILEGES",
        "COLUMN_COMMENT",
        "GENERATION_EXPRESSION",
        "SRS_ID#",
    ])
    .long_text(5)
    .long_text(15);
    for table in all_tables(engine)? {
        for (position, column) in table.columns.iter().enumerate() {
            let collation = type_collation(&column.ty)
                .filter(|collation| *collation != Collation::Binary)
                .filter(|_| column.ty != ColumnType::Json);
            let (chars, octets) = lengths(&column.ty);
            let (precision, scale, fraction) = precisions(&column.ty);
            listing.push(vec![
                text(CATALOG),
                text(&table.database),
                text(&table.name),
                text(&column.name),
                number(position as u64 + 1),
                maybe(default_text(column)),
                text(if column.nullable { "YES" } else { "NO" }),
                text(data_type(&column.ty)),
                chars,
                octets,
                precision,
                scale,
                fraction,
                maybe(collation.map(|_| "utf8mb4")),
                maybe(collation.map(|collation| collation.name())),
                text(column.ty.mysql_type_name()),
                text(key_word(&table, position)),
                text(extra_words(column)),
                text("select,insert,update,references"),
                text(&column.comment),
                text(""),
                Value::Null,
            ]);
        }
    }
    Ok(listing)
}

fn statistics(engine: &Engine) -> Result<Listing> {
    let mut listing = Listing::new(&[
        "TABLE_CATALOG",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "NON_UNIQUE#",
        "INDEX_SCHEMA",
        "INDEX_NAME",
        "SEQ_IN_INDEX#",
        "COLUMN_NAME",
        "COLLATION",
        "CARDINALITY#",
        "SUB_PART#",
        "PACKED",
        "NULLABLE",
        "INDEX_TYPE",
        "COMMENT",
        "INDEX_COMMENT",
        "IS_VISIBLE",
        "EXPRESSION",
    ]);
    for table in all_tables(engine)? {
        let rows = approximate_rows(engine, &table);
        for index in &table.indexes {
            for (n, part) in index.parts.iter().enumerate() {
                let column = &table.columns[part.column];
                listing.push(vec![
                    text(CATALOG),
                    text(&table.database),
                    text(&table.name),
                    number(u64::from(!index.unique)),
                    text(&table.database),
                    text(&index.name),
                    number(n as u64 + 1),
                    text(&column.name),
                    text("A"),
                    number(rows),
                    part.prefix.map_or(Value::Null, |prefix| number(u64::from(prefix))),
                    Value::Null,
                    text(if column.nullable { "YES" } else { "" }),
                    text("BTREE"),
                    text(""),
                    text(&index.comment),
                    text("YES"),
                    Value::Null,
                ]);
            }
        }
    }
    Ok(listing)
}

fn key_column_usage(engine: &Engine) -> Result<Listing> {
    let mut listing = Listing::new(&[
        "CONSTRAINT_CATALOG",
        "CONSTRAINT_SCHEMA",
        "CONSTRAINT_NAME",
        "TABLE_CATALOG",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "COLUMN_NAME",
        "ORDINAL_POSITION#",
        "POSITION_IN_UNIQUE_CONSTRAINT#",
        "REFERENCED_TABLE_SCHEMA",
        "REFERENCED_TABLE_NAME",
        "REFERENCED_COLUMN_NAME",
    ]);
    for table in all_tables(engine)? {
        for index in table.indexes.iter().filter(|index| index.unique) {
            for (n, part) in index.parts.iter().enumerate() {
                listing.push(vec![
                    text(CATALOG),
                    text(&table.database),
                    text(&index.name),
                    text(CATALOG),
                    text(&table.database),
                    text(&table.name),
                    text(&table.columns[part.column].name),
                    number(n as u64 + 1),
                    Value::Null,
                    Value::Null,
                    Value::Null,
                    Value::Null,
                ]);
            }
        }
    }
    Ok(listing)
}

fn table_constraints(engine: &Engine) -> Result<Listing> {
    let mut listing = Listing::new(&[
        "CONSTRAINT_CATALOG",
        "CONSTRAINT_SCHEMA",
        "CONSTRAINT_NAME",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "CONSTRAINT_TYPE",
        "ENFORCED",
    ]);
    for table in all_tables(engine)? {
        for (n, index) in table.indexes.iter().enumerate() {
            if !index.unique || index.parts.is_empty() {
                continue;
            }
            listing.push(vec![
                text(CATALOG),
                text(&table.database),
                text(&index.name),
                text(&table.database),
                text(&table.name),
                text(if n == 0 { "PRIMARY KEY" } else { "UNIQUE" }),
                text("YES"),
            ]);
        }
    }
    Ok(listing)
}

fn applicability() -> Listing {
    let mut listing = Listing::new(&["COLLATION_NAME", "CHARACTER_SET_NAME"]);
    for (collation, charset) in
        [("binary", "binary"), ("utf8mb4_bin", "utf8mb4"), ("utf8mb4_general_ci", "utf8mb4")]
    {
        listing.push(vec![text(collation), text(charset)]);
    }
    listing
}

fn plugins() -> Listing {
    let mut listing = Listing::new(&[
        "PLUGIN_NAME",
        "PLUGIN_VERSION",
        "PLUGIN_STATUS",
        "PLUGIN_TYPE",
        "PLUGIN_LIBRARY",
        "PLUGIN_LICENSE",
    ]);
    for row in show::plugins().rows {
        let [name, status, kind, library, license] = row.as_slice() else { continue };
        listing.push(vec![
            name.clone(),
            text("1.0"),
            status.clone(),
            kind.clone(),
            library.clone(),
            license.clone(),
        ]);
    }
    listing
}

fn user_privileges(user: &str) -> Listing {
    let (name, host) = user.rsplit_once('@').unwrap_or((user, "%"));
    let mut listing = Listing::new(&["GRANTEE", "TABLE_CATALOG", "PRIVILEGE_TYPE", "IS_GRANTABLE"]);
    for privilege in ["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "INDEX", "ALTER"] {
        listing.push(vec![
            text(format!("'{name}'@'{host}'")),
            text(CATALOG),
            text(privilege),
            text("YES"),
        ]);
    }
    listing
}
