//! FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE: which relations' rows are locked, and how.
//!
//! A clause is about the tables of its own SELECT and of what is derived in its FROM, as if that
//! were written there; sub-queries of expressions have clauses of their own. Of a set operation it
//! is about all sides. MariaDB leaves tables alone that are within derived ones, and all sides but
//! the last one.
//!
//! Invariants
//! 1. A lock that is asked for is had: what cannot be locked (files, listings) is written by no
//!    other client.
//!
//! Not here: locking (`session::locking`, `session::locked_query`).

use sqlparser::ast::{LockClause, NonBlock};
use syntax::cursor::table_name;
use values::ErrorCode;

use super::Binder;
use crate::tree::{Body, Locking, Query, Relation, Source};
use results::{Result, SqlError};

/// What a clause says about rows that others have locked, and the name that its OF says.
fn locking_of(clause: &LockClause) -> Result<(Locking, Option<String>)> {
    let only = clause.of.as_ref().map(table_name).transpose()?;
    let locking = match clause.nonblock {
        None => Locking::Wait,
        Some(NonBlock::Nowait) => Locking::NoWait,
        Some(NonBlock::SkipLocked) => Locking::SkipLocked,
    };
    Ok((locking, only.map(|name| name.table)))
}

/// Error 3568 for OF that names no relation of its SELECT.
fn unresolved(name: &str) -> SqlError {
    SqlError::new(
        ErrorCode::UnresolvedTableLock,
        format!("Unresolved table name `{name}` in locking clause."),
    )
}

impl Binder<'_> {
    /// Marks the relations of a query that its clauses lock.
    ///
    /// # Errors
    /// 3568 for OF that names none.
    pub(super) fn lock_rows(&self, query: &mut Query, clauses: &[LockClause]) -> Result<()> {
        for clause in clauses {
            let (locking, only) = locking_of(clause)?;
            let mut is_met = false;
            each_relation(query, &mut |relation| {
                if only.as_ref().is_none_or(|name| relation.name == *name) {
                    is_met = true;
                    self.lock(relation, locking);
                }
            });
            if let Some(name) = only.filter(|_| !is_met) {
                return Err(unresolved(&name));
            }
            self.locks.set(true);
        }
        Ok(())
    }

    /// Marks a table, or all that a derived one is made of; what it says itself stays.
    fn lock(&self, relation: &mut Relation, locking: Locking) {
        match &mut relation.source {
            Source::Table(_) => drop(relation.locking.get_or_insert(locking)),
            Source::Query(query) => {
                // A table of WITH that stands elsewhere as well is another, without locks.
                query.id = self.id();
                each_relation(query, &mut |inner| self.lock(inner, locking));
            }
            Source::Added(_) | Source::Listing(_) | Source::File(_) => {}
        }
    }
}

/// Calls `each` with the relations of a SELECT, or of all that a query is put together of.
fn each_relation(query: &mut Query, each: &mut dyn FnMut(&mut Relation)) {
    match &mut query.body {
        Body::Select(select) => select.relations.iter_mut().for_each(each),
        Body::Set(set) => set.sides.iter_mut().for_each(|side| each_relation(side, each)),
        Body::Recursion(all) => {
            each_relation(&mut all.first, each);
            each_relation(&mut all.next, each);
        }
        Body::Values(_) => {}
    }
}
