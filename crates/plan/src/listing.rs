//! Tables that the server makes when a statement reads them: whose they are, and which tables a
//! reader of `information_schema` asks for. Conditions on the names of databases and tables lead to
//! these, so that one table among thousands is found without looking at the others.
//!
//! Names that a condition compares for equality are looked up. Other conditions on names alone
//! (LIKE, a function of a name) are asked of every name that is left, before anything else of its
//! table is looked at.
//!
//! Invariants
//! 1. At least the tables are found for which the conditions hold: the reader asks them of each row
//!    again.
//!
//! Not here: the tables themselves (`system_schema`).

use std::cell::Cell;
use std::sync::Arc;

use expression::{Comparison, Kind, Node, RowView, Scope};
use rows::catalog::Catalog;
use rows::engine::Engine;
use rows::table::Table;
use rows::view::View;
use values::datum::{Datum, Value};
use values::types::Collation;

use crate::relations::Relations;
use results::{Result, ResultColumn};

/// A database of the server's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemSchema {
    /// The catalog.
    Information,
    /// Accounts and what else MySQL keeps in tables of its own.
    Mysql,
    /// What the server does.
    Performance,
    /// The same in words that operators ask for.
    Sys,
}

impl SystemSchema {
    /// All of them, by name.
    pub const ALL: [SystemSchema; 4] = [
        SystemSchema::Information,
        SystemSchema::Mysql,
        SystemSchema::Performance,
        SystemSchema::Sys,
    ];

    /// The one of this name; those that everybody sees are found in either case.
    pub fn of(database: &str) -> Option<SystemSchema> {
        SystemSchema::ALL.into_iter().find(|schema| match schema.is_everybodys() {
            true => database.eq_ignore_ascii_case(schema.name()),
            false => database == schema.name(),
        })
    }

    /// The one whose own table this is: not one that a client has stored there.
    pub fn of_table(
        relations: &Relations<'_>,
        database: &str,
        table: &str,
    ) -> Option<SystemSchema> {
        SystemSchema::of(database).filter(|schema| !schema.has_stored(relations, table))
    }

    /// Whether everybody sees it and its tables, without having been granted anything there.
    pub fn is_everybodys(self) -> bool {
        matches!(self, SystemSchema::Information | SystemSchema::Performance)
    }

    /// Whether MySQL has a table of it as a view over its dictionary, whose columns a result calls
    /// by their names (MySQL 9.7: tests/oracle/sql/headings.sql).
    pub fn is_view_of_mysql(self, table: &str) -> bool {
        let mut views = VIEWS_OF_DICTIONARY.iter();
        self == SystemSchema::Information && views.any(|name| name.eq_ignore_ascii_case(table))
    }

    /// Whether a name in it is that of a stored table or view: `sys` may have such, as in MySQL,
    /// and what a client has stored is found before a view of the server's.
    fn has_stored(self, relations: &Relations<'_>, name: &str) -> bool {
        let database = self.name();
        self == SystemSchema::Sys
            && (relations.table(database, name).is_ok() || relations.view(database, name).is_some())
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            SystemSchema::Information => "information_schema",
            SystemSchema::Mysql => "mysql",
            SystemSchema::Performance => "performance_schema",
            SystemSchema::Sys => "sys",
        }
    }
}

/// The tables of information_schema that are views in MySQL.
const VIEWS_OF_DICTIONARY: [&str; 26] = [
    "CHARACTER_SETS",
    "CHECK_CONSTRAINTS",
    "COLLATION_CHARACTER_SET_APPLICABILITY",
    "COLUMNS",
    "COLUMNS_EXTENSIONS",
    "COLUMN_STATISTICS",
    "EVENTS",
    "FILES",
    "KEYWORDS",
    "KEY_COLUMN_USAGE",
    "PARAMETERS",
    "PARTITIONS",
    "REFERENTIAL_CONSTRAINTS",
    "RESOURCE_GROUPS",
    "ROUTINES",
    "SCHEMATA",
    "SCHEMATA_EXTENSIONS",
    "STATISTICS",
    "TABLES",
    "TABLESPACES_EXTENSIONS",
    "TABLES_EXTENSIONS",
    "TABLE_CONSTRAINTS",
    "TRIGGERS",
    "USER_ATTRIBUTES",
    "VIEWS",
    "VIEW_TABLE_USAGE",
];

/// Whether a database of this name is the server's own.
pub fn is_own_name(database: &str) -> bool {
    SystemSchema::of(database).is_some()
}

/// Whether a database of this name is the server's own and seen by everybody.
pub fn is_everybodys(database: &str) -> bool {
    SystemSchema::of(database).is_some_and(SystemSchema::is_everybodys)
}

/// Whether a column of TABLES, TABLE_SIZES or STATISTICS says how large a table is: write buffers
/// are walked and rows read for that.
pub fn is_size(column: &str) -> bool {
    const SIZES: [&str; 7] = [
        "TABLE_ROWS",
        "AVG_ROW_LENGTH",
        "DATA_LENGTH",
        "DATA_PLAIN_LENGTH",
        "INDEX_LENGTH",
        "INDEX_PLAIN_LENGTH",
        "CARDINALITY",
    ];
    SIZES.contains(&column)
}

/// Where a table of `information_schema` has names of databases and tables.
#[derive(Clone, Debug, Default)]
pub struct NameColumns {
    databases: Vec<usize>,
    tables: Vec<usize>,
    width: usize,
}

impl NameColumns {
    /// Those among the columns of such a table.
    pub fn of(columns: &[ResultColumn]) -> NameColumns {
        let named = |names: &[&str]| {
            let at = columns.iter().enumerate();
            at.filter(|(_, column)| names.contains(&column.name.as_str())).map(|(n, _)| n).collect()
        };
        NameColumns {
            databases: named(&["TABLE_SCHEMA", "CONSTRAINT_SCHEMA", "INDEX_SCHEMA"]),
            tables: named(&["TABLE_NAME"]),
            width: columns.len(),
        }
    }

    /// Whether conditions look up names of databases, and names of tables.
    pub fn looked_up(&self, terms: &[Node]) -> (bool, bool) {
        let found = |columns: &[usize]| terms.iter().any(|term| sought(term, columns).is_some());
        (found(&self.databases), found(&self.tables))
    }

    /// Whether a condition is about names alone.
    fn has_only(&self, term: &Node) -> bool {
        let mut only = gives_one_value(term);
        term.visit(&mut |node| {
            only &= match &node.kind {
                Kind::Column(at) => self.databases.contains(at) || self.tables.contains(at),
                Kind::Subquery(_) => false,
                _ => true,
            };
        });
        only
    }
}

/// What a condition wants a name to equal.
enum SoughtName<'n> {
    One(&'n Node),
    OneOf(Vec<&'n Node>),
}

/// Whether an expression gives the same whenever it is evaluated for a row, and does nothing. A
/// variable does, where nothing assigns it meanwhile.
fn gives_one_value(node: &Node) -> bool {
    let mut one = true;
    node.visit(&mut |node| {
        one &= match &node.kind {
            Kind::Assign(..) => false,
            Kind::Call(function, _) => !function.is_volatile(),
            _ => true,
        };
    });
    one
}

/// The values that a condition wants one of these columns to equal, as names are compared.
fn sought<'n>(term: &'n Node, columns: &[usize]) -> Option<SoughtName<'n>> {
    let is_name = |node: &Node| matches!(node.kind, Kind::Column(at) if columns.contains(&at));
    let is_value = |node: &Node| node.is_row_free() && gives_one_value(node);
    let by_bytes = |rule: Collation| rule.is_by_code_points() || rule == Collation::Binary;
    match &term.kind {
        Kind::Compare(Comparison::Equal, a, b, rule) if by_bytes(*rule) => {
            let value = match (is_name(a), is_name(b)) {
                (true, false) => b,
                (false, true) => a,
                _ => return None,
            };
            is_value(value).then_some(SoughtName::One(value))
        }
        Kind::InList(name, list, false, rule) if by_bytes(*rule) && is_name(name) => {
            let values: Vec<&Node> = list.iter().collect();
            values.iter().all(|value| is_value(value)).then_some(SoughtName::OneOf(values))
        }
        _ => None,
    }
}

/// The tables that are asked for.
pub struct AskedTables<'a> {
    /// Names of databases; `None`: any.
    databases: Option<Vec<String>>,
    /// Names of tables; `None`: any.
    tables: Option<Vec<String>>,
    /// Further conditions on names.
    names: Option<(&'a NameColumns, Vec<&'a Node>, &'a Scope<'a>)>,
    /// How many were found.
    listed: Cell<u64>,
}

impl<'a> AskedTables<'a> {
    /// All of them.
    pub fn all() -> AskedTables<'static> {
        AskedTables { databases: None, tables: None, names: None, listed: Cell::new(0) }
    }

    /// None of them: only what a table is like is asked for.
    pub fn none() -> AskedTables<'static> {
        AskedTables { databases: Some(Vec::new()), ..AskedTables::all() }
    }

    /// Whether nothing is asked for.
    pub fn are_none(&self) -> bool {
        self.databases.as_ref().is_some_and(Vec::is_empty)
    }

    /// Those for whose rows conditions may hold, which see a row as columns.
    ///
    /// # Errors
    /// Those of evaluating the values that names are compared with.
    pub fn by(
        columns: &'a NameColumns,
        terms: &'a [Node],
        scope: &'a Scope<'a>,
    ) -> Result<AskedTables<'a>> {
        let further = terms.iter().filter(|term| columns.has_only(term)).collect();
        Ok(AskedTables {
            databases: names_in(terms, &columns.databases, scope)?,
            tables: names_in(terms, &columns.tables, scope)?,
            names: Some((columns, further, scope)),
            listed: Cell::new(0),
        })
    }

    /// Whether a table of this name is asked for.
    pub fn has(&self, database: &str, table: &str) -> bool {
        let among = |names: &Option<Vec<String>>, name: &str| {
            names.as_ref().is_none_or(|names| names.iter().any(|known| known == name))
        };
        among(&self.databases, database)
            && among(&self.tables, table)
            && self.passes(database, table)
    }

    fn passes(&self, database: &str, table: &str) -> bool {
        let Some((columns, terms, scope)) = &self.names else { return true };
        if terms.is_empty() {
            return true;
        }
        let mut row = vec![Value::Null; columns.width];
        columns.databases.iter().for_each(|at| row[*at] = Value::Bytes(database.into()));
        columns.tables.iter().for_each(|at| row[*at] = Value::Bytes(table.into()));
        let scope = scope.with_row(RowView::Values(&row));
        // What cannot be said of a name is said of the row.
        terms.iter().all(|term| term.holds(&scope).unwrap_or(true))
    }

    /// The tables there are of those that are asked for, by name within each database.
    pub fn tables(&self, engine: &Engine) -> Vec<Arc<Table>> {
        let catalog = engine.catalog();
        // A database or a table may go while this is read.
        let mut found = self.named_ones(
            catalog,
            |database, name| catalog.table(database, name).ok(),
            |database| catalog.tables(database).unwrap_or_default(),
        );
        found.retain(|table| self.passes(&table.database, &table.name));
        self.listed.set(self.listed.get() + found.len() as u64);
        found
    }

    /// The views that are asked for.
    pub fn views(&self, engine: &Engine) -> Vec<Arc<View>> {
        let catalog = engine.catalog();
        let mut found = self.named_ones(
            catalog,
            |database, name| catalog.view(database, name),
            |database| catalog.views(database),
        );
        found.retain(|view| self.passes(&view.database, &view.name));
        found
    }

    /// What has the names that are looked up: `one` finds it by its name, `all` of a database.
    fn named_ones<T>(
        &self,
        catalog: &Catalog,
        one: impl Fn(&str, &str) -> Option<T>,
        all: impl Fn(&str) -> Vec<T>,
    ) -> Vec<T> {
        let databases = match &self.databases {
            Some(names) => names.clone(),
            None => catalog.databases(),
        };
        let of = |database: String| match &self.tables {
            Some(names) => names.iter().filter_map(|name| one(&database, name)).collect(),
            None => all(&database),
        };
        databases.into_iter().flat_map(of).collect()
    }

    /// How many tables it has found.
    pub fn listed(&self) -> u64 {
        self.listed.get()
    }
}

/// The names that all conditions let some columns have; `None`: any.
fn names_in(terms: &[Node], columns: &[usize], scope: &Scope<'_>) -> Result<Option<Vec<String>>> {
    let mut found: Option<Vec<String>> = None;
    for term in terms {
        let values = match sought(term, columns) {
            Some(SoughtName::One(value)) => vec![value],
            Some(SoughtName::OneOf(values)) => values,
            None => continue,
        };
        let mut names = Vec::with_capacity(values.len());
        let mut known = true;
        for value in values {
            match value.evaluate(scope)?.datum() {
                // It equals nothing.
                Datum::Null => {}
                // Names do not end in spaces, and spaces at the end make no difference.
                Datum::Bytes(name) => match std::str::from_utf8(name) {
                    Ok(name) => names.push(name.trim_end_matches(' ').to_owned()),
                    Err(_) => known = false,
                },
                _ => known = false,
            }
        }
        if !known {
            continue;
        }
        names.sort_unstable();
        names.dedup();
        found = Some(match found {
            None => names,
            Some(before) => before.into_iter().filter(|name| names.contains(name)).collect(),
        });
    }
    Ok(found)
}
