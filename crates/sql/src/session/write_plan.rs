//! From a writing statement to its plan: by its shape, or by its text where the shape says too
//! little.
//!
//! Invariants
//! 1. There is one way of binding (`bind_change`). Of a shape it makes a plan that serves again,
//!    with `?` for the literals; of a text one for this execution, with the literals in their
//!    places.
//! 2. What is wrong with a statement is said of its text, and no plan is kept then: the table may
//!    be altered so that it is right.
//!
//! Not here: names and their meaning (`write`, `plan::bind`), running plans (`session::write`).

use std::sync::Arc;

use access::Rights;
use expression::Node;
use resources::turn_limits::TurnLimits;
use rows::table::Table;
use rows::view::{View, ViewSecurity};
use sqlparser::ast::{Expr, Query, TableWithJoins};
use syntax::change::{
    Change, Delete, Insert, Source, Update, change as parse_change, single_table,
};
use syntax::{Cursor, TableName};
use values::ErrorCode;
use values::datum::Datum;
use values::types::ColumnType;

use super::select::with_literals;
use super::{Session, Statement};
use crate::plan_cache::Plan;
use crate::write::{
    Ask, AskedChecks, ChangePlanner, InsertOfQuery, JoinedDelete, JoinedUpdate, Through,
    UpdatableView, all_of, bind_delete, bind_delete_by_query, bind_insert, bind_update,
    bind_update_by_query, not_updatable,
};
use plan::bind::scalar::{BindFailure, Bound, Names};
use plan::bind::{
    BindSource, Literals, RowBinder, definer_rights, describe_query, is_beyond_scalars, told_of,
};
use plan::column_default::{Store, defaults_of};
use plan::context::WrittenTable;
use plan::optimize::Sizes;
use results::{ExecutionMode, Result, SqlError};

impl Session {
    /// The plan of a statement's shape; `ByText` for what only its text can be bound as.
    pub(super) fn write_plan(&mut self, statement: &Statement<'_>) -> Result<Plan> {
        if let Some(plan) = self.known_plan(statement) {
            return Ok(plan);
        }
        let (mode, literals) = (self.variables.mode, statement.parameters);
        let shape_text = statement.shape()?;
        let parsed = Cursor::new(shape_text, mode).and_then(|mut cursor| parse_change(&mut cursor));
        let is_through_view = match &parsed {
            Ok(change) => self.is_through_view(change)?,
            Err(_) => false,
        };
        let bound = parsed.map(|change| self.bind_change(&change, Some(literals), statement.how));
        let plan = match bound {
            // A plan does not know that a view was replaced.
            Ok(Ok(plan)) if plan.serves_again() && !is_through_view => plan,
            Ok(Err(BindFailure::Wrong(error)))
                if error == SqlError::WouldWait
                    || statement.source().len() > TurnLimits::LOOP.bytes =>
            {
                return Err(error);
            }
            _ => {
                if statement.source().len() > statement.how.limits().shape_bytes {
                    return Err(SqlError::WouldWait);
                }
                self.plan_of_own_text(statement)?;
                Plan::ByText
            }
        };
        self.keep_plan(statement, &plan);
        Ok(plan)
    }

    /// The plan of a statement's text, with the client's parameters as literals.
    pub(super) fn plan_of_own_text(&self, statement: &Statement<'_>) -> Bound<Plan> {
        let text = statement.source_text()?;
        let mut room = self.sql.engine().budget().share();
        room.grow_to(statement.scanned.written_out_bytes()).map_err(SqlError::from)?;
        let tokens = Cursor::new(text, self.variables.mode)?.into_tokens();
        let tokens = with_literals(tokens, statement.own, self.variables.zone);
        let change = parse_change(&mut Cursor::of_tokens(tokens, text))?;
        self.bind_change(&change, None, statement.how)
    }

    /// The plan of a statement given as text, for EXPLAIN.
    pub(super) fn plan_of_text(&self, text: &str) -> Result<Plan> {
        let change = parse_change(&mut Cursor::new(text, self.variables.mode)?)?;
        Ok(self.bind_change(&change, None, ExecutionMode::POOL)?)
    }

    /// Binds a statement: of a shape its `?N` stand for these literals, of a text all stand in it.
    fn bind_change(
        &self,
        change: &Change,
        of_shape: Option<&[Datum<'_>]>,
        how: ExecutionMode,
    ) -> Bound<Plan> {
        let literals = of_shape.unwrap_or_default();
        let ask = |query: &Query| match how.may_wait {
            true => self.plan_unnamed_query(query, literals),
            // Sizes of tables are read from the disk.
            false => Err(SqlError::WouldWait.into()),
        };
        let facts = self.facts();
        let sizes = || match how.may_wait {
            true => Ok(Sizes::new(&facts, self.sql.engine().latest(), literals)),
            false => Err(SqlError::WouldWait),
        };
        let written = self.authorize_change(change)?;
        let partly = written.iter().find_map(|written| self.partly_readable(written));
        let planner = ChangePlanner {
            ask: &ask,
            sizes: &sizes,
            sees_all_indexes: self.variables.sees_invisible_indexes,
            literals,
            names: Names { partly: partly.as_ref(), ..self.no_names() },
        };
        if let Some(why) = self.why_passed_over(change)? {
            return Ok(Plan::PassedOver(Arc::new(why)));
        }
        let around = self.written.replace(written);
        let over_row = RowBinder {
            facts: of_shape.is_none().then_some(&*facts),
            how,
            ids: Default::default(),
        };
        let bound = match change {
            Change::Insert(insert) => self.bind_insert((change, insert), &ask, &over_row),
            Change::Update(update) => self.bind_update((change, update), &planner, &over_row),
            Change::Delete(delete) => self.bind_delete((change, delete), &planner),
        };
        self.written.replace(around);
        bound
    }

    /// What names mean to a statement that writes, but for its table's columns.
    fn no_names(&self) -> Names<'_> {
        let variables = Some(&*self.user_variables);
        Names { variables, ..Names::none("field list", self.variables.mode) }
    }

    fn bind_insert(
        &self,
        (change, insert): (&Change, &Insert),
        ask: Ask<'_>,
        over_row: &RowBinder<'_>,
    ) -> Bound<Plan> {
        let names = self.no_names();
        let written;
        let (mut hides_numbers, mut asked) = (false, AskedChecks::default());
        let (insert, table) = match self.view(&insert.table)? {
            None => (insert, self.table(&insert.table)?),
            Some(view) => {
                let sides = self.sides_of(&view)?;
                let view = &UpdatableView::side_of_insert(&view, sides, insert)?;
                self.check_through(view, change)?;
                written = view.insert(insert)?;
                let table = view.checked_table()?;
                hides_numbers = !view.shows_numbers();
                self.check_defaults_beneath(view, &written, &table)?;
                asked = view.asked_checks(&self.condition_binder(over_row))?;
                (&written, table)
            }
        };
        if matches!(insert.source, Source::Rows(_))
            && let bound = bind_insert(insert, Arc::clone(&table), &names, over_row)
            && let Some(mut plan) = unless_more_is_needed(bound)?
        {
            (plan.hides_numbers, plan.asked) = (hides_numbers, asked);
            return Ok(Plan::Insert(Arc::new(plan)));
        }
        // A query gives the rows, or values that nothing else can evaluate.
        let mut plan = InsertOfQuery::bind(insert, table, &names, ask, over_row)?;
        (plan.insert.hides_numbers, plan.insert.asked) = (hides_numbers, asked);
        Ok(Plan::InsertOfQuery(Arc::new(plan)))
    }

    /// Refuses a row that comes through a view if a column of its table is left out that has no
    /// default.
    ///
    /// # Errors
    /// 1423 in strict mode.
    fn check_defaults_beneath(
        &self,
        view: &UpdatableView,
        insert: &Insert,
        table: &Table,
    ) -> Result<()> {
        if insert.ignore || !self.variables.mode.strict() {
            return Ok(());
        }
        let is_named = |name: &str| match &insert.columns {
            Some(columns) => columns.iter().any(|column| column.eq_ignore_ascii_case(name)),
            None => true,
        };
        let defaults = defaults_of(table)?;
        let is_left_out = table.columns.iter().zip(&defaults).any(|(column, default)| {
            let is_missing = matches!(default, Store::Missing)
                && column.computed.is_none()
                && !column.is_of_index();
            is_missing && !matches!(column.ty, ColumnType::Enum { .. }) && !is_named(&column.name)
        });
        match is_left_out {
            false => Ok(()),
            true => Err(SqlError::new(
                ErrorCode::NoDefaultForViewField,
                format!(
                    "Field of view '{}' underlying table doesn't have a default value",
                    view.name()
                ),
            )),
        }
    }

    fn bind_update(
        &self,
        (change, update): (&Change, &Update),
        planner: &ChangePlanner<'_>,
        over_row: &RowBinder<'_>,
    ) -> Bound<Plan> {
        let only = match update.with {
            None => self.only_table(&update.tables, "UPDATE")?,
            Some(_) => None,
        };
        let written;
        let own = update;
        let mut update = update;
        let is_by_query = only.as_ref().is_some_and(OnlyTable::is_by_query);
        if let Some(OnlyTable { view: Some((view, shown)), .. }) = &only
            && !is_by_query
        {
            self.check_through(view, change)?;
            self.may_find_rows_of(view);
            written = view.update(update, shown)?;
            update = &written;
        }
        if let Some(OnlyTable { table, .. }) = &only
            && !is_by_query
        {
            for bind in [bind_update, bind_update_by_query] {
                let bound = bind(update, Arc::clone(table), planner);
                if let Some(plan) = unless_more_is_needed(bound)? {
                    return Ok(Plan::Update(Arc::new(plan)));
                }
            }
        }
        // The rows are found through the view then, which says what must hold for them.
        if only.is_some_and(|only| only.view.is_some_and(|(view, _)| view.has_checks())) {
            update = own;
        }
        let condition = self.condition_binder(over_row);
        let (relations, database) = (self.relations(), self.database.as_deref());
        let plan = self.by_keys_of_views(change, |through| {
            JoinedUpdate::bind(update, relations, database, (planner.ask, through, &condition))
        })?;
        Ok(Plan::JoinedUpdate(Arc::new(plan)))
    }

    fn bind_delete(
        &self,
        (change, delete): (&Change, &Delete),
        planner: &ChangePlanner<'_>,
    ) -> Bound<Plan> {
        let only = match delete.targets.is_empty() && delete.with.is_none() {
            true => self.only_table(&delete.tables, "DELETE")?,
            false => None,
        };
        let written;
        let mut delete = delete;
        let is_by_query = only.as_ref().is_some_and(OnlyTable::is_by_query);
        if let Some(OnlyTable { view: Some((view, shown)), .. }) = &only
            && !is_by_query
        {
            self.check_through(view, change)?;
            self.may_find_rows_of(view);
            written = view.delete(delete, shown)?;
            delete = &written;
        }
        if let Some(OnlyTable { table, .. }) = &only
            && !is_by_query
        {
            for bind in [bind_delete, bind_delete_by_query] {
                let bound = bind(delete, Arc::clone(table), planner);
                if let Some(plan) = unless_more_is_needed(bound)? {
                    return Ok(Plan::Delete(Arc::new(plan)));
                }
            }
        }
        let (relations, database) = (self.relations(), self.database.as_deref());
        let plan = self.by_keys_of_views(change, |through| {
            JoinedDelete::bind(delete, relations, database, (planner.ask, through))
        })?;
        Ok(Plan::JoinedDelete(Arc::new(plan)))
    }

    /// Binds what writes rows that a query finds: views that it is told to write through give the
    /// keys of their rows to that query.
    fn by_keys_of_views<T>(
        &self,
        change: &Change,
        bind: impl FnOnce(Through<'_>) -> Bound<T>,
    ) -> Bound<T> {
        let through = |view: &UpdatableView| {
            self.check_through(view, change)?;
            let mut keyed = self.keyed_views.borrow().to_vec();
            keyed.extend(view.layers.iter().map(|layer| layer.view.id));
            self.keyed_views.replace(keyed.into());
            Ok(())
        };
        let bound = bind(&through);
        self.keyed_views.replace(Arc::from([]));
        bound
    }

    /// What binds the conditions of views over rows that are written, with the rights that a view's
    /// query has.
    fn condition_binder<'b>(
        &'b self,
        over_row: &'b RowBinder<'_>,
    ) -> impl Fn(&View, &Expr, &Table, &Names<'_>) -> Bound<Node> + 'b {
        move |view, condition, table, names| {
            if over_row.facts.is_none() || !is_beyond_scalars(condition) {
                return over_row.bind(condition, table, names);
            }
            let mut facts = self.facts();
            let rights = match definer_rights(view, &facts)? {
                Some(definer) => Some(Arc::clone(definer.rights())),
                None if view.security == ViewSecurity::Definer => {
                    Some(Arc::new(Rights::unlimited()))
                }
                None => None,
            };
            if let (Some(facts), Some(rights)) = (Arc::get_mut(&mut facts), rights) {
                facts.rights = rights;
            }
            let ids = over_row.ids.clone();
            let binder = RowBinder { facts: Some(&*facts), how: over_row.how, ids };
            let bound = binder.bind(condition, table, names);
            over_row.ids.set(binder.ids.get());
            bound.map_err(|failure| told_of(view, failure))
        }
    }

    /// The table of a statement that is about one.
    fn only_table(&self, tables: &[TableWithJoins], verb: &str) -> Bound<Option<OnlyTable>> {
        let Some((_, name, alias)) = single_table(tables) else { return Ok(None) };
        Ok(Some(match self.view(&name)? {
            None => OnlyTable { table: self.table(&name)?, view: None },
            Some(view) => {
                let mut sides = self.sides_of(&view)?;
                let Some(updatable) = sides.pop() else {
                    return Err(not_updatable(&view.name, verb).into());
                };
                if !sides.is_empty() {
                    return Ok(None);
                }
                let shown = alias.unwrap_or(name.table);
                // What a query finds obeys the view where it is written.
                let table = match verb == "DELETE" || updatable.is_by_query() {
                    true => Arc::clone(updatable.table()),
                    false => updatable.checked_table()?,
                };
                OnlyTable { table, view: Some((updatable, shown)) }
            }
        }))
    }

    /// The table beneath a view may be read for finding the rows that are written through it.
    fn may_find_rows_of(&self, view: &UpdatableView) {
        let table = view.table();
        let mut written = self.written.borrow().to_vec();
        written.push(WrittenTable {
            database: table.database.clone(),
            table: table.name.clone(),
            names_within: Some(view.names_within()),
        });
        self.written.replace(written.into());
    }

    /// What is written through a view, of which all must be there that it names.
    fn sides_of(&self, view: &Arc<View>) -> Bound<Vec<UpdatableView>> {
        let query = &all_of(&[&view.database, &view.name]);
        let source = BindSource { query, texts: &[], literals: Literals::Known(&[]), named: false };
        describe_query(&source, &self.facts())?;
        Ok(UpdatableView::sides_of(view, self.sql.engine().catalog()))
    }

    /// Whether a statement writes through a view.
    fn is_through_view(&self, change: &Change) -> Result<bool> {
        let is_view = |name: &TableName| Ok(self.view(name)?.is_some());
        // What a query finds is found through views that its plan knows.
        let of_one = |tables: &[TableWithJoins]| match single_table(tables) {
            Some((_, name, _)) => is_view(&name),
            None => Ok(false),
        };
        match change {
            Change::Insert(insert) => is_view(&insert.table),
            Change::Update(update) => of_one(&update.tables),
            Change::Delete(delete) => of_one(&delete.tables),
        }
    }
}

/// The table of a statement that is about one.
struct OnlyTable {
    table: Arc<Table>,
    /// The view that it is named by, and the name that this goes by.
    view: Option<(UpdatableView, String)>,
}

impl OnlyTable {
    fn is_by_query(&self) -> bool {
        self.view.as_ref().is_some_and(|(view, _)| view.is_by_query())
    }
}

/// What was bound; `None` for what a way that knows more may bind.
fn unless_more_is_needed<T>(bound: Bound<T>) -> Bound<Option<T>> {
    match bound {
        Ok(bound) => Ok(Some(bound)),
        Err(BindFailure::NeedsQuery(_) | BindFailure::NeedsLiterals(_)) => Ok(None),
        Err(wrong) => Err(wrong),
    }
}
