//! CREATE, ALTER and DROP VIEW, and what a view may not be made of.
//!
//! Not here: the grammar (`syntax::view`), the query as it is kept (`plan::bind::qualify`), views
//! in queries (`plan::bind::view`).

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use expression::Level;
use rows::ddl::check_name;
use rows::error::Thing;
use rows::table::Table;
use rows::view::{View, ViewAlgorithm, ViewCheck, ViewDefinition, ViewSecurity};
use sqlparser::ast::{Expr, Query, Value, visit_expressions};
use syntax::view::{AlgorithmSpec, CreateView, ViewCheckSpec, ViewPresence};
use syntax::{TableName, view_text};
use values::ErrorCode;

use super::Session;
use crate::reply::Reply;
use crate::write::{all_of, is_never_updatable};
use plan::bind::{BindSource, Literals, bind_new_view, qualified_query};
use plan::tree::BoundQuery;
use plan::variables::definition;
use results::{Result, SqlError};

impl Session {
    /// A view by name, if there is one.
    pub(super) fn view(&self, name: &TableName) -> Result<Option<Arc<View>>> {
        let (database, view) = self.qualified(name)?;
        Ok(self.relations().view(database, view))
    }

    /// A table by name, that is to be a table and no view.
    pub(super) fn base_table(&self, name: &TableName) -> Result<Arc<Table>> {
        match self.view(name)? {
            None => self.table(name),
            Some(view) => {
                let message = format!("'{}.{}' is not BASE TABLE", view.database, view.name);
                Err(SqlError::new(ErrorCode::WrongObject, message))
            }
        }
    }

    /// What CHECK TABLE says of a view: whether what it names is there.
    pub(super) fn checked_view(&self, view: &View) -> (&'static str, String) {
        let query = all_of(&[&view.database, &view.name]);
        match self.bind(&query, &[], Literals::Known(&[])).map_err(SqlError::from) {
            Ok(_) => ("status", "OK".to_owned()),
            Err(error) => ("Error", error.into_message()),
        }
    }

    pub(super) fn create_view(&mut self, create: &CreateView) -> Result<Reply> {
        let engine = Arc::clone(self.sql.engine());
        let (database, name) = self.qualified(&create.name)?;
        let (database, name) = (database.to_string(), name.to_string());
        if !engine.catalog().has_database(&database) {
            return Err(SqlError::unknown_database(&database));
        }
        let is_table = engine.catalog().table(&database, &name).is_ok();
        let old = engine.catalog().view(&database, &name);
        match (create.presence, &old) {
            (ViewPresence::NewOrReplaced | ViewPresence::Replaced, _) if is_table => {
                return Err(not_a_view(&database, &name));
            }
            (ViewPresence::Replaced, None) => {
                return Err(rows::catalog::no_table(&database, &name).into());
            }
            (ViewPresence::NewOrKept, old) if is_table || old.is_some() => {
                let message = format!("Table '{name}' already exists");
                self.warnings.borrow_mut().push(Level::Note, ErrorCode::TableExists, message);
                return Ok(self.done(0));
            }
            _ => {}
        }
        let (query, bound) = self.query_of_view(&create.query, &create.texts)?;
        if bound.views.iter().any(|own| own.view.database == database && own.view.name == name) {
            let message = format!("`{database}`.`{name}` contains view recursion");
            return Err(SqlError::new(ErrorCode::ViewRecursive, message));
        }
        if let Some(table) = bound.tables.iter().find(|table| table.is_temporary()) {
            let message = format!("View's SELECT refers to a temporary table '{}'", table.name);
            return Err(SqlError::new(ErrorCode::ViewSelectTmptable, message));
        }
        check_columns(&create.columns, &bound)?;
        if create.check.is_some() && is_never_updatable(&query) {
            let message = format!("CHECK OPTION on non-updatable view '{database}.{name}'");
            return Err(SqlError::new(ErrorCode::ViewNonupdCheck, message));
        }
        let kept = old.as_ref().filter(|_| create.presence == ViewPresence::Replaced);
        let (definer, is_by_account) = match (kept, &create.definer) {
            (Some(old), None) => (old.definer.clone(), old.is_by_account),
            (_, named) => self.definer_of(named.as_deref()),
        };
        self.note_missing_definer(&definer, is_by_account);
        let variable =
            |name| definition(name).map_or(String::new(), |known| self.variables.text(known));
        let view = ViewDefinition {
            id: 0,
            database,
            name,
            columns: create.columns.clone(),
            query: view_text(&query, None)?,
            algorithm: match create.algorithm {
                None if kept.is_some() => kept.map(|old| old.algorithm).unwrap_or_default(),
                None | Some(AlgorithmSpec::Undefined) => ViewAlgorithm::Undefined,
                Some(AlgorithmSpec::Merge) => ViewAlgorithm::Merge,
                Some(AlgorithmSpec::TempTable) => ViewAlgorithm::TempTable,
            },
            definer,
            is_by_account,
            security: match create.is_invokers {
                true => ViewSecurity::Invoker,
                false => ViewSecurity::Definer,
            },
            check: create.check.map(|check| match check {
                ViewCheckSpec::Local => ViewCheck::Local,
                ViewCheckSpec::Cascaded => ViewCheck::Cascaded,
            }),
            charset_client: variable("character_set_client"),
            collation_connection: variable("collation_connection"),
        };
        let replaces =
            matches!(create.presence, ViewPresence::NewOrReplaced | ViewPresence::Replaced);
        engine.create_view(view, replaces)?;
        Ok(self.done(0))
    }

    /// The query of a view as it is kept, and bound.
    fn query_of_view(&self, query: &Query, texts: &[String]) -> Result<(Query, BoundQuery)> {
        let source = BindSource { query, texts, literals: Literals::Known(&[]), named: true };
        let facts = self.facts();
        let query = qualified_query(&source, &facts)?;
        let source = BindSource { query: &query, texts: &[], ..source };
        let bound = self.admit_bound(bind_new_view(&source, &facts))?;
        if bound.reads_files {
            return Err(SqlError::unsupported("FILE() in a view"));
        }
        if has_variable(&query) {
            let message = "View's SELECT contains a variable or parameter";
            return Err(SqlError::new(ErrorCode::ViewSelectVariable, message));
        }
        Ok((query, bound))
    }

    pub(super) fn drop_views(&mut self, names: &[TableName], if_exists: bool) -> Result<Reply> {
        let engine = Arc::clone(self.sql.engine());
        let (mut known, mut missing) = (Vec::with_capacity(names.len()), Vec::new());
        for name in names {
            let (database, view) = self.qualified(name)?;
            if engine.catalog().view(database, view).is_some() {
                known.push((database, view));
            } else if engine.catalog().table(database, view).is_ok() {
                let error = not_a_view(database, view);
                if !if_exists {
                    return Err(error);
                }
                self.warnings.borrow_mut().push(Level::Note, error.code(), error.message());
            } else {
                missing.push(format!("{database}.{view}"));
            }
        }
        if !missing.is_empty() && !if_exists {
            let message = format!("Unknown table '{}'", missing.join(","));
            return Err(SqlError::new(ErrorCode::BadTable, message));
        }
        for name in missing {
            let message = format!("Unknown table '{name}'");
            self.warnings.borrow_mut().push(Level::Note, ErrorCode::BadTable, message);
        }
        engine.drop_views(&known)?;
        Ok(self.done(0))
    }
}

/// Whether a query reads a variable of a session, or a parameter.
fn has_variable(query: &Query) -> bool {
    let mut found = false;
    let _whole = visit_expressions(query, |expr| {
        found |= match expr {
            Expr::Identifier(name) => name.value.starts_with('@'),
            Expr::CompoundIdentifier(names) => names[0].value.starts_with('@'),
            Expr::Value(value) => matches!(value.value, Value::Placeholder(_)),
            _ => false,
        };
        ControlFlow::<()>::Continue(())
    });
    found
}

/// Error 1347.
pub(super) fn not_a_view(database: &str, name: &str) -> SqlError {
    SqlError::new(ErrorCode::WrongObject, format!("'{database}.{name}' is not VIEW"))
}

/// Refuses columns that are not as many as the query's, whose names are none, or of which two have
/// one name.
fn check_columns(given: &[String], bound: &BoundQuery) -> Result<()> {
    let columns = &bound.query.columns;
    if !given.is_empty() && given.len() != columns.len() {
        return Err(SqlError::new(
            ErrorCode::ViewWrongList,
            "In definition of view, derived table or common table expression, SELECT list and \
             column names list have different column counts",
        ));
    }
    let own: Vec<&String> = columns.iter().map(|column| &column.name).collect();
    let names = if given.is_empty() { own } else { given.iter().collect() };
    for name in &names {
        check_name(Thing::Column, name)?;
    }
    let mut seen = HashSet::new();
    match names.into_iter().find(|name| !seen.insert(name.to_lowercase())) {
        None => Ok(()),
        Some(name) => {
            let message = format!("Duplicate column name '{name}'");
            Err(SqlError::new(ErrorCode::DupFieldname, message))
        }
    }
}
