//! Plans that a session finds again, and keeps.
//!
//! Not here: the cache (`plan_cache`).

use std::sync::Arc;

use super::Session;
use super::statement::Statement;
use crate::plan_cache::Plan;

impl Session {
    /// The plan that is kept for a statement's shape and literals like its own.
    pub(super) fn known_plan(&self, statement: &Statement<'_>) -> Option<Plan> {
        // Plans are kept for sessions that do not see invisible indexes, and to which IS NULL means
        // what it says.
        if self.variables.sees_invisible_indexes || self.variables.auto_is_null {
            return None;
        }
        let shape = &statement.scanned.shape;
        let (database, mode) = (self.database.as_deref(), self.variables.mode);
        let kinds = Some((statement.parameters, &*self.user_variables));
        let rights = self.principal.rights.number;
        let engine = self.sql.engine();
        let known = self.sql.plans().find((database, mode, shape, rights), kinds, engine);
        known.filter(|plan| !self.hides_any_of(plan) && !self.locks_otherwise(plan))
    }

    /// Whether a temporary table has come to hide something that a plan was made with.
    pub(super) fn hides_any_of(&self, plan: &Plan) -> bool {
        let Some(temporary) = &self.temporary else { return false };
        let hides = |database: &str, name: &str| temporary.find(database, name).is_some();
        plan.any_table(&|table| !table.is_temporary() && hides(&table.database, &table.name))
            || plan.views().iter().any(|of| hides(&of.view.database, &of.view.name))
    }

    /// Whether a plan reads without the locks that it would have to be bound with.
    fn locks_otherwise(&self, plan: &Plan) -> bool {
        self.reads_lock() && (matches!(plan, Plan::Select(_)) || plan.query().is_some())
    }

    /// Whether a plan is right for a statement's literals and the session's variables.
    pub(super) fn fits(&self, plan: &Plan, statement: &Statement<'_>) -> bool {
        !self.locks_otherwise(plan)
            && plan.fits((statement.parameters, &*self.user_variables), self.sql.engine())
    }

    /// Keeps a plan that was made for a statement's shape.
    pub(super) fn keep_plan(&self, statement: &Statement<'_>, plan: &Plan) {
        let shape = &statement.scanned.shape;
        let (database, mode) = (self.database.as_deref(), self.variables.mode);
        let kinds = (statement.parameters, &*self.user_variables);
        self.sql.counters().plans_made.add();
        // Plans that are kept are not counted: they are small.
        if self.variables.sees_invisible_indexes
            || self.variables.auto_is_null
            || self.locks_otherwise(plan)
        {
            return;
        }
        if statement.scanned.listed > 0 || plan.any_table(&|table| table.is_temporary()) {
            return;
        }
        let rights = self.principal.rights.number;
        self.sql.plans().keep((database, mode, shape, rights), plan, kinds, self.sql.engine());
    }

    /// Keeps the statement's text without literals, for the log if it fails.
    pub(super) fn keep_shape(&mut self, statement: &Statement<'_>) {
        self.shape = Arc::from(String::from_utf8_lossy(&statement.scanned.shape));
    }
}
