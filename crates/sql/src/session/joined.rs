//! UPDATE and DELETE of rows that a join, or a query with sub-queries, finds: as often as somebody
//! changes a row between the query's look at it and its lock, or had one that was waited for.
//!
//! Not here: the query, and the change of a row (`write::joined`).

use std::sync::Arc;

use rows::store::Read;
use rows::transaction::Transaction;
use values::datum::Datum;
use values::types::ColumnType;

use super::write::asking;
use super::{Session, Statement};
use crate::load::each_row;
use crate::write::{
    Currency, FoundIn, JoinedDelete, JoinedUpdate, Progress, WriteContext, WriteOutcome,
    until_settled,
};
use plan::context::SqlContext;
use plan::tree::QueryPlan;
use results::{Result, RowStream};

impl Session {
    /// UPDATE over several tables, or with sub-queries.
    pub(super) fn update_joined(
        &mut self,
        plan: &JoinedUpdate,
        statement: &Statement<'_>,
        facts: &SqlContext,
    ) -> Result<WriteOutcome> {
        let asked = (&plan.query, plan.ignore);
        self.change_joined(asked, statement, facts, |t, context, state, stream| {
            let mut progress = Progress::new(state.engine);
            let columns = Arc::clone(stream.columns());
            let types: Vec<&ColumnType> = columns.iter().map(|column| &column.ty).collect();
            asking(plan.asks().then_some(state.view), context, |context| {
                each_row(stream, &mut |line| {
                    plan.apply(t, context, state, line, &types, &mut progress)
                })
            })?;
            Ok((!progress.is_stale()).then(|| progress.updated(context)))
        })
    }

    /// DELETE over several tables, or with sub-queries.
    pub(super) fn delete_joined(
        &mut self,
        plan: &JoinedDelete,
        statement: &Statement<'_>,
        facts: &SqlContext,
    ) -> Result<WriteOutcome> {
        let asked = (&plan.query, plan.ignore);
        self.change_joined(asked, statement, facts, |t, context, state, stream| {
            let mut progress = Progress::new(state.engine);
            each_row(stream, &mut |line| plan.apply(t, context, state, line, &mut progress))?;
            Ok((!progress.is_stale()).then(|| progress.deleted()))
        })
    }

    /// Runs a query and changes the rows that it finds, `apply` its result; again if that gave
    /// nothing, because somebody has changed one of the rows since the query saw it.
    fn change_joined(
        &mut self,
        (query, ignore): (&QueryPlan, bool),
        statement: &Statement<'_>,
        facts: &SqlContext,
        mut apply: impl FnMut(
            &mut Transaction,
            &WriteContext<'_>,
            &FoundIn<'_>,
            RowStream,
        ) -> Result<Option<WriteOutcome>>,
    ) -> Result<WriteOutcome> {
        self.change_with(facts, statement, ignore, None, |t, context, session| {
            let engine = Arc::clone(session.sql.engine());
            let undo = || drop(context.warnings.take());
            until_settled(t, undo, |t| {
                let (view, stream) = session.found_under(t, query, statement.parameters, ignore)?;
                let state = FoundIn { engine: &engine, view: &*view };
                Ok(match apply(t, context, &state, stream)? {
                    Some(written) => (written, Currency::UnlessWaited),
                    None => (WriteOutcome::default(), Currency::Outdated),
                })
            })
        })
    }

    /// What a query finds for a transaction that writes, and the state in which it does.
    pub(super) fn found_under(
        &mut self,
        t: &mut Transaction,
        query: &QueryPlan,
        parameters: &[Datum<'_>],
        is_lenient: bool,
    ) -> Result<(Arc<dyn Read>, RowStream)> {
        self.as_of_a_write(is_lenient, |session| match query.locks {
            true => {
                let found = session.run_under_locks(t, query, parameters)?;
                let view = t.frozen_at(found.base);
                Ok((view, session.stream_of(query, &found.facts, found.rows)?))
            }
            false => {
                let view = t.frozen_at(session.fresh_snapshot()?);
                let of_query = Arc::clone(&view);
                Ok((view, session.rows_of(query, parameters, of_query)?))
            }
        })
    }
}
