//! SHOW, DESCRIBE and information_schema: what there is, as rows.
//!
//! `catalog` tells of databases, tables, columns and indexes, `server` of variables, status,
//! processes and capabilities; both SHOW and `information_schema` are made of them.
//!
//! Not here: the grammar (`syntax::show`).

pub mod catalog;
mod condition_text;
mod events;
mod explain;
mod explain_json;
mod explain_table;
mod explain_tree;
mod explained;
mod monitor;
mod privileges;
mod server;
pub mod sizes;

use values::collation;
use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::types::{Collation, ColumnType};

use plan::bind::scalar::{Names, bind};
use plan::terms::is_volatile;
use results::{Result, ResultColumn};

pub use catalog::{
    approximate_rows, columns, columns_of_view, create_database, create_own_table, create_table,
    create_view, databases, index_lines, no_index_lines, open_tables, table_status, tables,
};
pub use events::{create_event, event_rows, events};
pub use explain::{EXPLAIN_COLUMNS, ShownAccess, explained_table, plan_text};
pub use explain_json::{columns_json, explain_json};
pub use explain_table::explain_table;
pub use explain_tree::{change_lines, measured_lines, tree_lines};
pub use explained::QueryExplanation;
use expression::{BIGINT_UNSIGNED, Environment, Kind, Node, RowView, text_type};
pub use monitor::engine;
pub use privileges::privileges;
pub use server::{
    character_sets, collations, engines, grants, plugins, processes, seen_lines, status, variables,
    warnings,
};
use sqlparser::ast::Expr;
use syntax::show::Filter;
use values::SqlMode;

/// Rows with their columns.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Columns.
    pub columns: Vec<ResultColumn>,
    /// Rows.
    pub rows: Vec<Vec<Value>>,
    /// The column that LIKE is about.
    pub like: usize,
}

impl Listing {
    /// A listing of texts without rows yet; names ending in `#` are of numbers.
    pub fn new(names: &[&str]) -> Listing {
        let columns = names
            .iter()
            .map(|name| match name.strip_suffix('#') {
                Some(name) => ResultColumn::computed(name, BIGINT_UNSIGNED, true),
                None => ResultColumn::computed(*name, text_type(1024), true),
            })
            .collect();
        Listing { columns, rows: Vec::new(), like: 0 }
    }

    /// Names in the column at this position are told apart by case, as those of databases and
    /// tables are.
    pub fn cased(mut self, position: usize) -> Listing {
        self.columns[position].tell_case_apart();
        self
    }

    /// A long text in the column at this position.
    pub fn long_text(mut self, position: usize) -> Listing {
        self.columns[position].ty = ColumnType::Text {
            size: values::types::LobSize::Long,
            collation: Collation::Utf8Mb4GeneralCi,
        };
        self
    }

    /// Only the rows whose name in the column at this position may be seen.
    pub fn seen(self, position: usize, is_seen: impl Fn(&str) -> bool) -> Listing {
        self.retained(|row| match &row[position] {
            Value::Bytes(name) => std::str::from_utf8(name).is_ok_and(&is_seen),
            _ => true,
        })
    }

    /// Only the rows that may be seen.
    pub fn retained(mut self, is_seen: impl Fn(&[Value]) -> bool) -> Listing {
        self.rows.retain(|row| is_seen(row));
        self
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<Value>) {
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    /// Keeps the rows that a filter lets through.
    ///
    /// # Errors
    /// Those of evaluating the condition.
    pub fn filter(mut self, filter: &Filter, mode: SqlMode) -> Result<Listing> {
        match filter {
            Filter::All => {}
            Filter::Like(pattern) => {
                let rule = self.columns[self.like].ty.collation();
                let rule = rule.unwrap_or(Collation::Utf8Mb4GeneralCi);
                self.rows.retain(|row| matches_like(&row[self.like], pattern, rule));
                // MySQL shows the pattern in the name: `Tables_in_db (pattern)`.
                if let Some(first) = self.columns.first_mut().filter(|_| self.like == 0)
                    && (first.name.starts_with("Tables_in_") || first.name == "Database")
                {
                    first.name = format!("{} ({pattern})", first.name);
                }
            }
            Filter::Where(expr) => {
                let node = self.condition(expr, mode)?;
                let bare = Environment::bare(&[], Zone::UTC);
                let mut kept = Vec::with_capacity(self.rows.len());
                for row in self.rows {
                    if node.holds(&bare.scope().with_row(RowView::Values(&row)))? {
                        kept.push(row);
                    }
                }
                self.rows = kept;
            }
        }
        Ok(self)
    }

    /// WHERE over its columns.
    fn condition(&self, expr: &Expr, mode: SqlMode) -> Result<Node> {
        let names = Names { listing: Some(&self.columns), ..Names::none("where clause", mode) };
        bind(expr, &names).map_err(results::SqlError::from)
    }

    /// Whether a filter may let the line of a name through, which stands in the column that LIKE is
    /// about, by what it says of that column alone.
    fn by_name(&self, filter: &Filter, mode: SqlMode) -> Result<impl Fn(&str) -> bool + use<>> {
        let (like, width) = (self.like, self.columns.len());
        let rule = self.columns[like].ty.collation().unwrap_or(Collation::Utf8Mb4GeneralCi);
        let (mut pattern, mut terms) = (None, Vec::new());
        match filter {
            Filter::All => {}
            Filter::Like(text) => pattern = Some(text.clone()),
            Filter::Where(expr) => {
                let node = self.condition(expr, mode)?;
                terms = match node.kind {
                    Kind::And(terms) => terms,
                    _ => vec![node],
                };
                terms.retain(|term| {
                    let mut only = !is_volatile(term);
                    term.visit(&mut |node| {
                        only &= match node.kind {
                            Kind::Column(at) => at == like,
                            _ => true,
                        };
                    });
                    only
                });
            }
        }
        Ok(move |name: &str| {
            let bare = Environment::bare(&[], Zone::UTC);
            let mut row = vec![Value::Null; width];
            row[like] = text(name);
            // What cannot be said of a name is said of the line.
            let holds = |term: &Node| {
                term.holds(&bare.scope().with_row(RowView::Values(&row))).unwrap_or(true)
            };
            pattern.as_ref().is_none_or(|pattern| matches_like(&row[like], pattern, rule))
                && terms.iter().all(holds)
        })
    }
}

fn matches_like(value: &Value, pattern: &str, rule: Collation) -> bool {
    match value.as_datum() {
        Datum::Bytes(text) => collation::like(rule, text, pattern.as_bytes(), Some('\\')),
        _ => false,
    }
}

/// A text.
pub fn text(value: impl AsRef<str>) -> Value {
    Value::Bytes(value.as_ref().as_bytes().to_vec())
}

/// A text or NULL.
pub fn maybe(value: Option<impl AsRef<str>>) -> Value {
    value.map_or(Value::Null, text)
}

/// A number.
pub fn number(value: u64) -> Value {
    Value::UInt(value)
}
