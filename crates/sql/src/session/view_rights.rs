//! What the session's principal may do with views, and what their definers may do in its place.
//!
//! Invariants
//! 1. What is written through a view is asked for at each view on the way: of the session on the
//!    view that it names, of that view's definer on what is beneath it, and so on down to the
//!    table.
//!
//! Not here: reading views (`plan::bind::view`), other statements (`authorization`), who may be a
//! definer (`definers`).

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use access::{Privilege, PrivilegeSet, Rights};
use rows::table::Table;
use rows::view::ViewSecurity;
use sqlparser::ast::{Expr, Visit, visit_expressions};
use syntax::TableName;
use syntax::change::{AssignmentSpec, Change, ReturningItem};
use syntax::view::{CreateView, ViewPresence};
use values::ErrorCode;

use super::Session;
use crate::write::UpdatableView;
use plan::bind::{definer_rights, invalid_view};
use plan::tree::BoundView;
use results::{Result, SqlError};

/// What a statement needs of a view, or of what is beneath one.
#[derive(Default)]
struct WriteNeeds {
    /// On all of it.
    whole: Vec<Privilege>,
    /// On columns, in lower case.
    columns: HashSet<(Privilege, String)>,
}

impl WriteNeeds {
    fn add(&mut self, privilege: Privilege, column: &str) {
        self.columns.insert((privilege, column.to_lowercase()));
    }

    /// What an expression may read.
    fn add_reads(&mut self, part: &impl Visit) {
        let _whole = visit_expressions(part, |expr| {
            match expr {
                Expr::Identifier(name) => self.add(Privilege::Select, &name.value),
                Expr::CompoundIdentifier(names) => {
                    self.add(Privilege::Select, &names[names.len() - 1].value);
                }
                _ => {}
            }
            ControlFlow::<()>::Continue(())
        });
    }

    fn add_assignments(&mut self, assignments: &[AssignmentSpec]) {
        for assignment in assignments {
            self.add(Privilege::Update, &assignment.column);
            if let Some(value) = &assignment.value {
                self.add_reads(value);
            }
        }
    }

    /// Those of a statement on the view that it writes through, which has these columns.
    fn of(change: &Change, columns: &[String]) -> WriteNeeds {
        let mut needs = WriteNeeds::default();
        let returning: &[ReturningItem] = match change {
            Change::Insert(insert) => {
                let named = insert.columns.as_deref().unwrap_or(columns);
                named.iter().for_each(|column| needs.add(Privilege::Insert, column));
                needs.whole.extend(insert.replace.then_some(Privilege::Delete));
                needs.add_assignments(&insert.on_duplicate);
                &insert.returning
            }
            Change::Update(update) => {
                needs.add_assignments(&update.assignments);
                needs.add_reads(&update.selection);
                needs.add_reads(&update.order);
                &[]
            }
            Change::Delete(delete) => {
                needs.whole.push(Privilege::Delete);
                needs.add_reads(&delete.selection);
                needs.add_reads(&delete.order);
                &delete.returning
            }
        };
        for item in returning {
            match item {
                ReturningItem::All(_) => {
                    columns.iter().for_each(|column| needs.add(Privilege::Select, column));
                }
                ReturningItem::Value { expr, .. } => needs.add_reads(expr),
            }
        }
        needs
    }

    /// The same of what is beneath a view with these columns and this condition.
    fn beneath(self, columns: &[(String, Expr)], condition: Option<&Expr>) -> WriteNeeds {
        let mut needs = WriteNeeds { whole: self.whole, columns: HashSet::new() };
        for (privilege, column) in self.columns {
            // Another name is one of a sub-query's own.
            let found = columns.iter().find(|(own, _)| own.eq_ignore_ascii_case(&column));
            let Some((_, expr)) = found else { continue };
            match (privilege, expr) {
                (Privilege::Select, expr) => needs.add_reads(expr),
                (privilege, Expr::Identifier(name)) => needs.add(privilege, &name.value),
                (privilege, Expr::CompoundIdentifier(names)) => {
                    needs.add(privilege, &names[names.len() - 1].value);
                }
                // Nothing is written to what is computed.
                _ => {}
            }
        }
        if let Some(condition) = condition {
            needs.add_reads(condition);
        }
        needs
    }

    fn are_met(&self, rights: &Rights, (database, table): (&str, &str)) -> bool {
        self.whole.iter().all(|privilege| rights.on_table(database, table).has(*privilege))
            && self
                .columns
                .iter()
                .all(|(privilege, column)| rights.has_column(database, table, column, *privilege))
    }
}

impl Session {
    /// Refuses CREATE VIEW and ALTER VIEW; what the query reads is looked at when it is bound.
    pub(super) fn check_create_view(&self, create: &CreateView) -> Result<()> {
        self.check_base_table(&create.name, &[Privilege::CreateView])?;
        if matches!(create.presence, ViewPresence::NewOrReplaced | ViewPresence::Replaced) {
            self.check_base_table(&create.name, &[Privilege::Drop])?;
        }
        self.check_definer(create.definer.as_deref())?;
        match (create.presence, self.view(&create.name)?) {
            (ViewPresence::Replaced, Some(old)) => self.check_definer(Some(&old.definer)),
            _ => Ok(()),
        }
    }

    /// Refuses to show a view's text.
    pub(super) fn check_show_view(&self, name: &TableName) -> Result<()> {
        self.check_base_table(name, &[Privilege::Select])?;
        self.check_base_table(name, &[Privilege::ShowView])
    }

    /// Refuses EXPLAIN of what reads views to somebody who may not look into all of them, or may
    /// not read the tables beneath.
    pub(super) fn check_explained(&self, views: &[BoundView], tables: &[Arc<Table>]) -> Result<()> {
        let rights = &self.principal.rights;
        let shown = PrivilegeSet::of(Privilege::Select).with(PrivilegeSet::of(Privilege::ShowView));
        let shows = |bound: &BoundView| {
            rights.on_table(&bound.view.database, &bound.view.name).has_all(shown)
        };
        let reads = |table: &Arc<Table>| {
            rights.on_some_of(&table.database, &table.name).has(Privilege::Select)
        };
        if views.is_empty() || views.iter().all(shows) && tables.iter().all(reads) {
            return Ok(());
        }
        Err(SqlError::new(
            ErrorCode::ViewNoExplain,
            "EXPLAIN/SHOW can not be issued; lacking privileges for underlying table",
        ))
    }

    /// Refuses a statement that writes through a view whose definer may not do what it does.
    ///
    /// # Errors
    /// 1356; as `definer_rights`.
    pub(super) fn check_through(&self, view: &UpdatableView, change: &Change) -> Result<()> {
        let facts = self.facts();
        let mut rights = Arc::clone(&self.principal.rights);
        let mut needs = WriteNeeds::of(change, &view.column_names());
        // The outermost first.
        for layer in view.layers.iter().rev() {
            match definer_rights(&layer.view, &facts)? {
                Some(definer) => rights = Arc::clone(definer.rights()),
                None if layer.view.security == ViewSecurity::Definer => {
                    rights = Arc::new(Rights::unlimited());
                }
                None => {}
            }
            needs = needs.beneath(&layer.columns, layer.condition.as_ref());
            let (database, table) = &layer.beneath;
            if !needs.are_met(&rights, (database, table)) {
                let named = view.layers.last().map_or(&layer.view, |outermost| &outermost.view);
                return Err(invalid_view(named));
            }
        }
        Ok(())
    }
}
