//! `information_schema`: the catalog and the server as tables that queries can read.
//!
//! Each table is made when a statement reads it, from the state of that moment, of the tables that
//! its conditions ask for. Only what clients ask for is here; `docs/sql.md` lists it.
//!
//! Not here: what it has in common with other schemas of the server's own (`system_schema`), SHOW
//! (`show`), reading them in queries (`executor::join`, crate `analytic`).

mod columns;
mod keys;
mod keywords;
mod partitions;
mod privileges;
mod tables;
mod transactions;
mod variables;
mod views;

use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

use access::Privilege;
use rows::engine::Engine;
use rows::table::Table;
use values::collation;
use values::datum::Value;
use values::full_text::STOPWORDS;

use super::listed_columns::ListedTables;
use columns::columns;
use keys::{
    check_constraints, key_column_usage, referential_constraints, statistics, table_constraints,
};
use keywords::keywords;
use partitions::partitions;
use privileges::{
    column_privileges, enabled_roles, own_roles, role_column_grants, role_table_grants,
    schema_privileges, table_privileges, user_attributes, user_privileges,
};
use tables::{hot_keys, schemata, table_sizes, tables};
use transactions::transactions;
use variables::variables;
pub use views::columns_of_view;
use views::{view_table_usage, views};

use crate::show::{self, Listing, text};
use crate::system_schema::{ListingContext, mysql};
use plan::listing::{AskedTables, is_everybodys};
use plan::process_line::ProcessLine;
use plan::tree::CatalogListing;
use results::{Result, SqlError};

/// What those tables are like that are told by columns alone; most have no rows.
static LISTED: LazyLock<ListedTables> =
    LazyLock::new(|| ListedTables::parse(include_str!("information_schema/tables.txt")));

/// The other tables.
const MADE: [&str; 35] = [
    "ADMINISTRABLE_ROLE_AUTHORIZATIONS",
    "APPLICABLE_ROLES",
    "CHARACTER_SETS",
    "CHECK_CONSTRAINTS",
    "COLLATIONS",
    "COLLATION_CHARACTER_SET_APPLICABILITY",
    "COLUMNS",
    "COLUMN_PRIVILEGES",
    "ENABLED_ROLES",
    "ENGINES",
    "EVENTS",
    "GLOBAL_STATUS",
    "GLOBAL_VARIABLES",
    "HOT_KEYS",
    "KEYWORDS",
    "KEY_COLUMN_USAGE",
    "PARTITIONS",
    "PLUGINS",
    "PROCESSLIST",
    "REFERENTIAL_CONSTRAINTS",
    "ROLE_COLUMN_GRANTS",
    "ROLE_TABLE_GRANTS",
    "SCHEMATA",
    "SCHEMA_PRIVILEGES",
    "SESSION_STATUS",
    "SESSION_VARIABLES",
    "STATISTICS",
    "SYSTEM_VARIABLES",
    "TABLES",
    "TABLE_CONSTRAINTS",
    "TABLE_PRIVILEGES",
    "TABLE_SIZES",
    "USER_ATTRIBUTES",
    "USER_PRIVILEGES",
    "VIEWS",
];

/// The tables there are.
pub static TABLES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut names: Vec<&str> = LISTED.names().chain(MADE).collect();
    names.sort_unstable();
    names
});

/// The catalog's name in every table.
const CATALOG: &str = "def";

/// Whether a column has names of databases or tables, which are told apart by case where files are.
pub fn is_cased(column: &str) -> bool {
    column.ends_with("_SCHEMA")
        || ["SCHEMA_NAME", "TABLE_NAME", "REFERENCED_TABLE_NAME", "EVENT_OBJECT_TABLE"]
            .contains(&column)
}

/// A table with rows, at least those about the tables that are asked for, with sizes only where
/// they are named; `None` when there is no such table.
///
/// # Errors
/// Those of reading what a table is like; 1227 for what needs PROCESS.
pub fn made(
    facts: &ListingContext<'_>,
    listing: &CatalogListing,
    asked: &AskedTables<'_>,
) -> Result<Option<Listing>> {
    let engine = facts.sql.engine();
    let upper = listing.name.to_ascii_uppercase();
    let sizes = listing.sizes.load(Ordering::Relaxed);
    let made = match upper.as_str() {
        "SCHEMATA" => schemata(engine),
        "TABLES" => tables(engine, sizes, asked),
        "PARTITIONS" => partitions(engine, sizes, asked),
        "HOT_KEYS" => hot_keys(facts),
        "TABLE_SIZES" => table_sizes(engine, sizes, asked)?,
        "COLUMNS" => columns(facts, asked),
        "VIEWS" => views(facts, asked),
        "STATISTICS" => statistics(engine, sizes, asked),
        "KEY_COLUMN_USAGE" => key_column_usage(engine, asked),
        "REFERENTIAL_CONSTRAINTS" => referential_constraints(engine, asked),
        "CHECK_CONSTRAINTS" => check_constraints(engine, asked),
        "TABLE_CONSTRAINTS" => table_constraints(engine, asked),
        "EVENTS" => show::event_rows(engine, facts.zone),
        "ENGINES" => show::engines(),
        "PLUGINS" => plugins(),
        "KEYWORDS" => keywords(),
        "INNODB_FT_DEFAULT_STOPWORD" => stopwords(),
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
            show::processes(facts.sql, seen_lines(facts), true),
            &["ID", "USER", "HOST", "DB", "COMMAND", "TIME", "STATE", "INFO", "MEMORY_USED"],
        ),
        "USER_PRIVILEGES" => user_privileges(facts),
        "SCHEMA_PRIVILEGES" => schema_privileges(facts),
        "TABLE_PRIVILEGES" => table_privileges(facts),
        "COLUMN_PRIVILEGES" => column_privileges(facts),
        "ROLE_TABLE_GRANTS" => role_table_grants(facts),
        "ROLE_COLUMN_GRANTS" => role_column_grants(facts),
        "USER_ATTRIBUTES" => user_attributes(facts),
        "ENABLED_ROLES" => enabled_roles(facts),
        "APPLICABLE_ROLES" => own_roles(facts, false),
        "ADMINISTRABLE_ROLE_AUTHORIZATIONS" => own_roles(facts, true),
        _ => match (variables(facts, &upper), LISTED.table(&upper)) {
            (Some(listing), _) => listing,
            (None, Some(mut table)) => {
                match upper.as_str() {
                    "INNODB_TRX" => {
                        if !facts.rights.has_global(Privilege::Process) {
                            return Err(SqlError::privilege_needed("PROCESS"));
                        }
                        transactions(facts, &mut table);
                    }
                    "COLUMNS_EXTENSIONS" => table.push_all(&columns(facts, asked)),
                    "TABLES_EXTENSIONS" => table.push_all(&tables(engine, false, asked)),
                    "VIEW_TABLE_USAGE" => view_table_usage(facts, asked, &mut table),
                    _ => {}
                }
                table.listing()
            }
            (None, None) => return Ok(None),
        },
    };
    facts.sql.counters().tables_listed.add_many(asked.listed());
    Ok(Some(seen(facts, &upper, made)))
}

/// What the statement's principal may see of a table's rows.
fn seen(facts: &ListingContext<'_>, name: &str, made: Listing) -> Listing {
    let rights = &facts.rights;
    // Grants are shown to whom they are given, whatever they are on.
    let is_of_grants = name.ends_with("_PRIVILEGES") || name.ends_with("_GRANTS");
    if rights.number == access::rights::UNLIMITED || is_of_grants {
        return made;
    }
    let place = |name: &str| made.columns.iter().position(|c| c.name.eq_ignore_ascii_case(name));
    let names = ["SCHEMA_NAME", "TABLE_SCHEMA", "CONSTRAINT_SCHEMA", "EVENT_SCHEMA", "TABLE_NAME"];
    let [schema, of_table, of_constraint, of_event, table] = names.map(place);
    let column = place("COLUMN_NAME");
    let database = schema.or(of_table).or(of_constraint).or(of_event);
    let Some(database) = database else { return made };
    let text = |row: &[Value], at: usize| match &row[at] {
        Value::Bytes(text) => String::from_utf8_lossy(text).into_owned(),
        _ => String::new(),
    };
    made.retained(|row| {
        let database = text(row, database);
        if is_everybodys(&database) {
            return true;
        }
        match (name, table, column) {
            ("EVENTS", ..) => rights.on_database(&database).has(Privilege::Event),
            (_, Some(table), Some(column)) => {
                rights.sees_column(&database, &text(row, table), &text(row, column))
            }
            (_, Some(table), None) => rights.sees_table(&database, &text(row, table)),
            (_, None, _) => rights.sees_database(&database),
        }
    })
}

/// The lines of the process list that the statement's principal may see.
pub fn seen_lines(facts: &ListingContext<'_>) -> Vec<ProcessLine> {
    let own = facts.user.rsplit_once('@').map_or(&*facts.user, |(name, _)| name);
    show::seen_lines(facts.sql, own, facts.rights.has_global(Privilege::Process))
}

/// The tables that are asked for, those that stand in the database `mysql` among them.
fn shown_tables(engine: &Engine, asked: &AskedTables<'_>) -> Vec<Arc<Table>> {
    let mut tables = asked.tables(engine);
    tables.extend(mysql::asked_tables(asked).cloned());
    tables
}

/// A listing of SHOW under the names that its columns have here.
pub fn renamed(mut listing: Listing, names: &[&str]) -> Listing {
    for (column, name) in listing.columns.iter_mut().zip(names) {
        column.name = name.to_string();
    }
    listing
}

fn applicability() -> Listing {
    let mut listing = Listing::new(&["COLLATION_NAME", "CHARACTER_SET_NAME"]);
    for collation in collation::collations() {
        listing.push(vec![text(collation.name()), text(collation.set_name())]);
    }
    listing
}

/// The stopwords of full-text indexes.
fn stopwords() -> Listing {
    let mut listing = Listing::new(&["value"]);
    STOPWORDS.iter().for_each(|word| listing.push(vec![text(word)]));
    listing
}

fn plugins() -> Listing {
    let mut listing = Listing::new(&[
        "PLUGIN_NAME",
        "PLUGIN_VERSION",
        "PLUGIN_STATUS",
        "PLUGIN_TYPE",
        "PLUGIN_TYPE_VERSION",
        "PLUGIN_LIBRARY",
        "PLUGIN_LIBRARY_VERSION",
        "PLUGIN_AUTHOR",
        "PLUGIN_DESCRIPTION",
        "PLUGIN_LICENSE",
        "LOAD_OPTION",
    ]);
    for row in show::plugins().rows {
        let [name, status, kind, library, license] = row.as_slice() else { continue };
        listing.push(vec![
            name.clone(),
            text("1.0"),
            status.clone(),
            kind.clone(),
            Value::Null,
            library.clone(),
            Value::Null,
            text("Rowhouse"),
            text("A part of the server"),
            license.clone(),
            text("FORCE"),
        ]);
    }
    listing
}
