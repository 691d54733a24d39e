//! FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE: which relations' rows are locked, and how.
//!
//! A clause is about the tables of its own SELECT, and of views that stand for tables there; rows
//! of a derived table, of a table of WITH, of a sub-query are locked by clauses of their own.
//! Behind a set operation it is about the last side (MySQL 9.7 answers so; MariaDB 10.11 as well,
//! but for views). Two clauses for one table are an error.
//!
//! Invariants
//! 1. A lock that is asked for is had: what cannot be locked (files, listings) is written by no
//!    other client.
//!
//! Not here: locking (`session::locking`, `session::locked_query`).

use access::{Privilege, PrivilegeSet};
use rows::row_lock_wait::LockMode;
use sqlparser::ast::{LockClause, LockType, NonBlock};
use syntax::TableName;
use syntax::names::table_name;
use values::ErrorCode;

use super::{Binder, CommonRows};
use crate::tree::{Body, LockConflict, Locking, Query, Relation, Source};
use results::{Result, SqlError};

/// How a clause has rows locked, and the name that its OF says.
fn locking_of(clause: &LockClause) -> Result<(Locking, Option<TableName>)> {
    let only = clause.of.as_ref().map(table_name).transpose()?;
    let mode = match clause.lock_type {
        LockType::Share => LockMode::Shared,
        LockType::Update => LockMode::Exclusive,
    };
    let on_conflict = match clause.nonblock {
        None => LockConflict::Wait,
        Some(NonBlock::Nowait) => LockConflict::NoWait,
        Some(NonBlock::SkipLocked) => LockConflict::SkipLocked,
    };
    Ok((Locking { mode, on_conflict, is_implied: false, with_ranges: true }, only))
}

/// A name as a clause says it.
fn quoted(name: &TableName) -> String {
    match &name.database {
        Some(database) => format!("`{database}`.`{}`", name.table),
        None => format!("`{}`", name.table),
    }
}

/// Error 3568 for OF that names no relation of its SELECT.
fn unresolved(name: &TableName) -> SqlError {
    let message = format!("Unresolved table name {} in locking clause.", quoted(name));
    SqlError::new(ErrorCode::UnresolvedTableLock, message)
}

/// Error 3569 for a table that is named twice, or is no table.
fn locked_twice(name: &str) -> SqlError {
    let message = format!("Table {name} appears in multiple locking clauses.");
    SqlError::new(ErrorCode::DuplicateTableLock, message)
}

/// Whether OF means this relation.
fn is_named(relation: &Relation, name: &TableName) -> bool {
    let same_database = match (&relation.source, &name.database) {
        (Source::Table(table), Some(database)) => table.database == *database,
        _ => true,
    };
    relation.name == name.table && same_database
}

/// What a clause finds in FROM.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LockTarget {
    /// A table, or what has no rows that anybody else could lock.
    Table,
    View,
    /// A table of WITH.
    Common,
    Derived,
}

impl Binder<'_> {
    /// Marks the tables of a SELECT where plain reads lock.
    pub(super) fn lock_read(&self, relations: &mut [Relation]) {
        if !self.reads_lock {
            return;
        }
        for relation in relations {
            if matches!(relation.source, Source::Table(_)) {
                relation.locking = Some(Locking::IMPLIED);
                self.locks.set(true);
            }
        }
    }

    /// Marks the relations of a query that its clauses lock.
    ///
    /// # Errors
    /// 3568 for OF that names none, 3569 for two clauses that are about the same one.
    pub(super) fn lock_rows(&self, query: &mut Query, clauses: &[LockClause]) -> Result<()> {
        let mut locked = Vec::new();
        for clause in clauses {
            let (mut locking, only) = locking_of(clause)?;
            locking.with_ranges = query.limit.is_none() || self.reads_lock;
            let mut is_met = false;
            for (at, relation) in last_relations(query).iter_mut().enumerate() {
                if only.as_ref().is_some_and(|name| !is_named(relation, name)) {
                    continue;
                }
                let found = self.found(relation);
                if found == LockTarget::Derived && only.is_none() {
                    continue;
                }
                is_met = true;
                let is_again = locked.contains(&at) || is_said(relation);
                if found == LockTarget::Derived || is_again {
                    let name = match &only {
                        Some(name) => quoted(name),
                        None => relation.name.clone(),
                    };
                    return Err(locked_twice(&name));
                }
                locked.push(at);
                self.check_locking(relation, locking)?;
                self.lock(relation, locking);
            }
            if let Some(name) = only.filter(|_| !is_met) {
                return Err(unresolved(&name));
            }
            self.locks.set(true);
        }
        Ok(())
    }

    fn found(&self, relation: &Relation) -> LockTarget {
        let Source::Query(query) = &relation.source else { return LockTarget::Table };
        if self.view_queries.borrow().contains(&query.id) {
            return LockTarget::View;
        }
        let is_common = self.ctes.borrow().iter().any(|common| match &common.rows {
            CommonRows::Query(own) => own.id == query.id,
            CommonRows::Added { .. } => false,
        });
        if is_common { LockTarget::Common } else { LockTarget::Derived }
    }

    /// Whether the client may keep others from writing to a table: as in MySQL, who may read it and
    /// do one thing more.
    ///
    /// # Errors
    /// 1142.
    fn check_locking(&self, relation: &Relation, locking: Locking) -> Result<()> {
        const ONE_OF: PrivilegeSet = PrivilegeSet::of(Privilege::Update)
            .with(PrivilegeSet::of(Privilege::Delete))
            .with(PrivilegeSet::of(Privilege::LockTables));
        let Source::Table(table) = &relation.source else { return Ok(()) };
        let (database, name) = (&table.database, &table.name);
        let held = self.rights.borrow().on_some_of(database, name);
        if locking.mode == LockMode::Shared
            || held.has_any(ONE_OF)
            || self.is_everybodys_here(database, name)
        {
            return Ok(());
        }
        Err(SqlError::table_denied("SELECT with locking clause", &self.facts.user, name))
    }

    /// Marks a table, or all that a view stands for.
    fn lock(&self, relation: &mut Relation, locking: Locking) {
        if matches!(relation.source, Source::Table(_)) && !is_said(relation) {
            relation.locking = Some(locking);
        }
        if self.found(relation) == LockTarget::View
            && let Source::Query(query) = &mut relation.source
            && stands_for_tables(query)
        {
            last_relations(query).iter_mut().for_each(|inner| self.lock(inner, locking));
        }
    }
}

/// Whether a clause has said already that a relation's rows are locked.
fn is_said(relation: &Relation) -> bool {
    relation.locking.is_some_and(|locking| !locking.is_implied)
}

/// Whether each row of a query is made of one row of each of its tables.
fn stands_for_tables(query: &Query) -> bool {
    let Body::Select(select) = &query.body else { return false };
    let plain = select.grouping.is_none() && select.windowing.is_none() && !select.distinct;
    plain && query.limit.is_none() && query.offset.is_none()
}

/// The relations of a SELECT, or of the last one that a query is put together of.
fn last_relations(query: &mut Query) -> &mut [Relation] {
    match &mut query.body {
        Body::Select(select) => &mut select.relations,
        Body::Set(set) => set.sides.last_mut().map_or(&mut [], last_relations),
        Body::Recursion(all) => last_relations(&mut all.next),
        Body::Values(_) | Body::JsonTable(_) | Body::FullText(_) => &mut [],
    }
}
