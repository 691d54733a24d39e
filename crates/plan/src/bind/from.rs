//! FROM: tables, views, derived tables, common table expressions, listings, files, and how they are
//! joined.
//!
//! Invariants
//! 1. A RIGHT JOIN is a LEFT JOIN with its sides exchanged; what `*` shows keeps its order.
//! 2. JOIN ... USING and NATURAL JOIN show their common columns once.
//!
//! Not here: in which order they are joined (`optimize`).

use std::sync::Arc;

use access::{ColumnAccess, Privilege};
use expression::{Comparison, KEY_COLUMN, Kind, Node, boolean, compared, slot};
use rows::schema::Column;
use sqlparser::ast;
use syntax::names::name_parts;
use values::ErrorCode;
use values::types::{ColumnType, LobSize};

use super::query::rename;
use super::scope::{
    ColumnOrigin, NamedRelation, PartlyReadable, QueryScope, ScopeColumn, scopes_of,
};
use super::{Binder, CommonRows, CommonTable};
use crate::bind::scalar::{Bound, needs_literals, rule_of_comparison, unsupported};
use crate::context::WrittenTable;
use crate::index_use::IndexUse;
use crate::listing::{NameColumns, SystemSchema, is_size};
use crate::relations::{Relations, TemporaryNames};
use crate::terms::push_terms;
use crate::tree::{
    CatalogListing, IMPLICIT, Join, LateralNames, OutputColumn, Query, Relation, Source,
    deepen_references, free_references,
};
use files::table::{FileColumn, FileOptions, FileTable};
use results::{ResultColumn, SqlError};

/// The hidden column that holds a row's key.
pub const ROW_KEY: &str = "__rowhouse_key";

/// The most tables of one FROM, as in MySQL.
const RELATIONS_MAX: usize = 61;

/// The name of the function that makes a table of files, and of the table without an alias.
const FILE: &str = "file";

/// FROM, bound.
pub(super) struct BoundFrom {
    pub relations: Vec<Relation>,
    pub named: Vec<NamedRelation>,
    /// Slots in the order in which `*` shows them.
    pub shown: Vec<usize>,
    pub join: Option<Join>,
}

/// A part of FROM: how it is joined, and the names it gives.
struct Part {
    join: Join,
    named: Vec<NamedRelation>,
    /// Slots in the order in which `*` shows them.
    shown: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Inner,
    /// STRAIGHT_JOIN.
    Straight,
    Left,
    Right,
}

/// The relations that stand before a part of FROM.
struct Before<'b> {
    named: &'b [NamedRelation],
    /// Those before these.
    further: Option<&'b Before<'b>>,
}

/// What a LATERAL query sees around it.
struct Around<'b> {
    /// The SELECT around its own.
    parent: Option<&'b QueryScope<'b>>,
    before: &'b Before<'b>,
}

impl<'b> Around<'b> {
    /// The names of the relations before it.
    fn scope(&self) -> QueryScope<'b> {
        let mut named = Vec::new();
        let mut next = Some(self.before);
        while let Some(before) = next {
            named.extend(before.named.iter().cloned());
            next = before.further;
        }
        QueryScope::new(self.parent, named)
    }
}

impl Binder<'_> {
    /// Binds FROM.
    pub(super) fn from(
        &self,
        from: &[ast::TableWithJoins],
        parent: Option<&QueryScope<'_>>,
    ) -> Bound<BoundFrom> {
        let mut relations = Vec::new();
        let mut all: Option<Part> = None;
        for item in from {
            let before =
                Before { named: all.as_ref().map_or(&[], |part| &part.named), further: None };
            let around = Around { parent, before: &before };
            let Some(part) = self.table_with_joins(item, &around, &mut relations)? else {
                continue;
            };
            all = Some(match all {
                None => part,
                Some(before) => joined(before, part, Side::Inner, Vec::new()),
            });
        }
        let Some(Part { join, named, shown }) = all else {
            let (named, shown) = (Vec::new(), Vec::new());
            return Ok(BoundFrom { relations, named, shown, join: None });
        };
        for (at, relation) in named.iter().enumerate() {
            let same = |other: &NamedRelation| {
                other.name == relation.name && other.database == relation.database
            };
            if named[..at].iter().any(same) {
                let message = format!("Not unique table/alias: '{}'", relation.name);
                return Err(SqlError::new(ErrorCode::NonuniqTable, message).into());
            }
        }
        Ok(BoundFrom { relations, named, shown, join: Some(join) })
    }

    /// FROM of one table.
    pub(super) fn one_table(&self, name: &ast::ObjectName) -> Bound<BoundFrom> {
        let mut relations = Vec::new();
        match self.table(name, None, None, &mut relations)? {
            Some(Part { join, named, shown }) => {
                Ok(BoundFrom { relations, named, shown, join: Some(join) })
            }
            None => Err(SqlError::new(ErrorCode::NoTablesUsed, "No tables used").into()),
        }
    }

    /// FROM of one derived table, whose columns need no qualifier.
    pub(super) fn one_query(&self, query: Query) -> Bound<BoundFrom> {
        let mut relations = Vec::new();
        let Part { join, named, shown } = self.derived(query, String::new(), &mut relations)?;
        Ok(BoundFrom { relations, named, shown, join: Some(join) })
    }

    fn table_with_joins(
        &self,
        item: &ast::TableWithJoins,
        around: &Around<'_>,
        relations: &mut Vec<Relation>,
    ) -> Bound<Option<Part>> {
        let mut left = self.factor(&item.relation, around, relations)?;
        for join in &item.joins {
            use ast::JoinOperator as J;
            // The right side of a RIGHT JOIN is read first.
            let is_right = matches!(join.join_operator, J::Right(_) | J::RightOuter(_));
            let right = {
                let named = left.as_ref().filter(|_| !is_right).map_or(&[][..], |part| &part.named);
                let before = Before { named, further: Some(around.before) };
                let around = Around { parent: around.parent, before: &before };
                self.factor(&join.relation, &around, relations)?
            };
            let (Some(before), Some(right)) = (left, right) else { return unsupported("DUAL") };
            left = Some(self.join(before, right, &join.join_operator, around.parent)?);
        }
        Ok(left)
    }

    fn factor(
        &self,
        factor: &ast::TableFactor,
        around: &Around<'_>,
        relations: &mut Vec<Relation>,
    ) -> Bound<Option<Part>> {
        match factor {
            ast::TableFactor::Table {
                name,
                alias,
                args: None,
                version: None,
                sample: None,
                ..
            } => {
                let number = relations.len();
                let part = self.table(name, alias.as_ref(), around.parent, relations)?;
                if let Some(relation) = relations.get_mut(number) {
                    let table = match &relation.source {
                        Source::Table(table) => Some(&**table),
                        _ => None,
                    };
                    let sees_all = self.facts.variables.sees_invisible_indexes;
                    relation.index_use =
                        IndexUse::of_factor(table, &relation.name, factor, sees_all)?;
                }
                Ok(part)
            }
            ast::TableFactor::Table {
                name,
                alias,
                args: Some(args),
                version: None,
                sample: None,
                partitions,
                index_hints,
                ..
            } if is_file(name) && partitions.is_empty() && index_hints.is_empty() => {
                self.file(args, alias.as_ref(), relations).map(Some)
            }
            ast::TableFactor::Derived { subquery, alias, lateral, .. } => {
                let Some(alias) = alias else {
                    let message = "Every derived table must have its own alias";
                    return Err(SqlError::new(ErrorCode::DerivedMustHaveAlias, message).into());
                };
                let mut scope = match (lateral, around.parent) {
                    (true, _) => Some(around.scope()),
                    // It sees the SELECTs around the one that it stands in, and nothing of that.
                    (false, Some(_)) => Some(QueryScope::new(around.parent, Vec::new())),
                    (false, None) => None,
                };
                if let Some(scope) = &mut scope {
                    scope.of_from = around.parent.is_none_or(|parent| parent.of_from);
                }
                let mut query = self.query(subquery, scope.as_ref())?;
                rename(&mut query.columns, alias)?;
                self.lateral(query, alias.name.value.clone(), relations).map(Some)
            }
            ast::TableFactor::JsonTable { json_expr, json_path, columns, alias } => {
                let Some(alias) = alias else {
                    let message = "Every table function must have an alias";
                    return Err(
                        SqlError::new(ErrorCode::TableFunctionMustHaveAlias, message).into()
                    );
                };
                if !alias.columns.is_empty() {
                    return Err(SqlError::syntax(&alias.to_string(), 1).into());
                }
                self.count_relations(1)?;
                let query = self.json_table(json_expr, json_path, columns, &around.scope())?;
                self.lateral(query, alias.name.value.clone(), relations).map(Some)
            }
            ast::TableFactor::NestedJoin { table_with_joins, alias: None } => {
                self.table_with_joins(table_with_joins, around, relations)
            }
            ast::TableFactor::NestedJoin { alias: Some(alias), .. } => {
                Err(SqlError::syntax(&alias.to_string(), 1).into())
            }
            other => unsupported(other),
        }
    }

    /// `FILE('path', ...) [[AS] name [(columns)]]`.
    fn file(
        &self,
        args: &ast::TableFunctionArgs,
        alias: Option<&ast::TableAlias>,
        relations: &mut Vec<Relation>,
    ) -> Bound<Part> {
        self.count_relations(1)?;
        if !self.facts.rights.has_global(Privilege::File) {
            return Err(SqlError::privilege_needed("FILE").into());
        }
        if has_literal_taken_out(args) {
            return needs_literals("a literal of FILE() without its text");
        }
        let options = FileOptions::of(args, self.facts.mode)?;
        let files = FileTable::open(self.facts.sql.files(), &options, &self.facts.limits)?;
        self.reads_files.set(true);
        let column = |column: &FileColumn| OutputColumn {
            name: column.name.clone(),
            ty: column.ty.clone(),
            nullable: true,
            origin: None,
            keeps_digits: false,
            coercibility: IMPLICIT,
        };
        let mut columns: Vec<OutputColumn> = files.columns().iter().map(column).collect();
        let mut name = FILE.to_owned();
        if let Some(alias) = alias {
            rename(&mut columns, alias)?;
            name.clone_from(&alias.name.value);
        }
        add(relations, name, None, Source::File(Arc::new(files)), described(&columns))
    }

    fn derived(&self, query: Query, name: String, relations: &mut Vec<Relation>) -> Bound<Part> {
        let (columns, says_names) = (described(&query.columns), query.is_merged_by_mysql());
        let mut part = add(relations, name, None, Source::Query(Box::new(query)), columns)?;
        part.named[0].says_names = says_names;
        Ok(part)
    }

    /// A query that may name columns of the relations before it.
    fn lateral(
        &self,
        mut query: Query,
        name: String,
        relations: &mut Vec<Relation>,
    ) -> Bound<Part> {
        let free = free_references(&mut query);
        let part = self.derived(query, name, relations)?;
        if let Some(relation) = relations.last_mut().filter(|_| !free.is_empty()) {
            let own = free.into_iter().filter(|(level, _)| *level == 1);
            let slots = own.map(|(_, slot)| slot).collect();
            relation.lateral = Some(LateralNames { slots });
        }
        Ok(part)
    }

    fn table(
        &self,
        name: &ast::ObjectName,
        alias: Option<&ast::TableAlias>,
        parent: Option<&QueryScope<'_>>,
        relations: &mut Vec<Relation>,
    ) -> Bound<Option<Part>> {
        if alias.is_some_and(|alias| !alias.columns.is_empty()) {
            return unsupported("column aliases of a table");
        }
        let parts = name_parts(name);
        self.count_relations(1)?;
        let parts: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
        let alias = alias.map(|alias| alias.name.value.clone());
        if let [own] = parts[..] {
            let known = self.ctes.borrow().iter().rev().position(|cte| cte.name == own);
            if let Some(at) = known {
                let at = self.ctes.borrow().len() - 1 - at;
                let size = self.ctes.borrow()[at].relations;
                self.count_relations(size)?;
                let CommonTable { name, rows, around, .. } = self.ctes.borrow()[at].clone();
                let name = alias.unwrap_or(name);
                return match rows {
                    CommonRows::Query(mut query) => {
                        // It may be read from further within than where it was said.
                        match scopes_of(parent).checked_sub(around).map(u16::try_from) {
                            Some(Ok(deeper)) => deepen_references(&mut query, deeper),
                            _ if free_references(&mut query).is_empty() => {}
                            _ => return unsupported("outer columns in a recursive table"),
                        }
                        self.lateral(*query, name, relations)
                    }
                    CommonRows::Added { nesting, .. } if nesting != self.nesting.get() => {
                        unsupported("a recursive table in a sub-query")
                    }
                    CommonRows::Added { recursion, columns, .. } => {
                        add(relations, name, None, Source::Added(recursion), described(&columns))
                    }
                }
                .map(Some);
            }
            if own.eq_ignore_ascii_case("dual") {
                return Ok(None);
            }
        }
        let (database, table) = match parts[..] {
            [table] => (self.facts.database.as_deref(), table),
            [database, table] => (Some(database), table),
            _ => return Err(SqlError::syntax(&name.to_string(), 1).into()),
        };
        let database = database.ok_or_else(SqlError::no_database)?;
        let qualifier = alias.is_none().then(|| database.to_owned());
        let shown = alias.unwrap_or_else(|| table.to_owned());
        let own = SystemSchema::of_table(&self.facts.relations(), database, table);
        if let Some(schema) = own {
            let readable = match schema.is_everybodys() {
                true => ColumnAccess::All,
                false => self.readable(database, table)?,
            };
            let mut listing = CatalogListing::named(schema, table);
            let columns = self.facts.sql.listing_columns(self.facts, &listing)?;
            listing.names = NameColumns::of(&columns);
            let columns = columns
                .into_iter()
                .map(|c| (c.name.clone(), c.ty.clone(), true, ColumnOrigin::Described(Arc::new(c))))
                .collect();
            let sizes = Arc::clone(&listing.sizes);
            let source = Source::Listing(listing);
            let mut part = add(relations, shown, qualifier, source, columns)?;
            part.named[0].home = Some(database.to_owned());
            part.named[0].says_names = schema.is_view_of_mysql(table);
            for column in &mut part.named[0].columns {
                column.told = is_size(&column.name).then(|| Arc::clone(&sizes));
            }
            if readable == ColumnAccess::Some {
                self.deny_columns(&mut part.named[0], (database, table));
            }
            return Ok(Some(part));
        }
        let readable = self.readable(database, table)?;
        // Within a view names mean the same to everybody.
        let relations_there = match self.views_around.borrow().is_empty() {
            true => self.facts.relations(),
            false => Relations { temporary: None, ..self.facts.relations() },
        };
        let table = match relations_there.table(database, table) {
            Ok(table) => table,
            Err(error) => {
                let view =
                    relations_there.view(database, table).ok_or_else(|| SqlError::from(error))?;
                let (query, keys) = self.query_of_view(&view)?;
                self.view_queries.borrow_mut().push(query.id);
                let (columns, says_names) = (described(&query.columns), query.is_merged_by_mysql());
                let source = Source::Query(Box::new(query));
                let mut part = add(relations, shown, qualifier, source, columns)?;
                let named = part.shown.len() - keys;
                part.shown.truncate(named);
                part.named[0].columns[named..].iter_mut().for_each(|key| key.hidden = true);
                part.named[0].says_names = says_names;
                part.named[0].home = Some(database.to_owned());
                if readable == ColumnAccess::Some {
                    self.deny_columns(&mut part.named[0], (&view.database, &view.name));
                }
                part.named[0].partly = self.partly_readable(&view.database, &view.name);
                return Ok(Some(part));
            }
        };
        self.tables.borrow_mut().push(Arc::clone(&table));
        let describe = |(at, column): (usize, &Column)| {
            let origin = ColumnOrigin::Stored(Arc::clone(&table), at);
            (column.name.clone(), column.ty.clone(), column.nullable, origin)
        };
        let columns: Vec<_> = table.columns.iter().enumerate().map(describe).collect();
        let source = Source::Table(Arc::clone(&table));
        let mut part = add(relations, shown, qualifier, source, columns)?;
        part.named[0].home = Some(database.to_owned());
        let number = relations.len() - 1;
        let named = table.named_columns().len();
        part.named[0].columns.truncate(named);
        part.shown = table.listed_columns().map(|at| slot(number, at)).collect();
        for (shown, column) in part.named[0].columns.iter_mut().zip(&table.columns) {
            shown.invisible = column.invisible;
        }
        part.named[0].columns.push(ScopeColumn {
            name: ROW_KEY.to_owned(),
            slot: slot(number, KEY_COLUMN),
            ty: ColumnType::Blob { size: LobSize::Normal },
            nullable: true,
            origin: None,
            hidden: true,
            invisible: false,
            shadowed: false,
            told: None,
            denied: None,
        });
        let written = self.written_to(&table.database, &table.name);
        part.named[0].names_within = written.and_then(|written| written.names_within.clone());
        if readable == ColumnAccess::Some {
            self.deny_columns(&mut part.named[0], (&table.database, &table.name));
        }
        // What a view shows of it is all that there is where it is written to through that.
        let is_beneath = part.named[0].names_within.is_some();
        let partly = (!is_beneath).then(|| self.partly_readable(&table.database, &table.name));
        part.named[0].partly = partly.flatten();
        Ok(Some(part))
    }

    /// Which columns of a table or view may be read here; what the statement writes to was looked
    /// at before.
    fn readable(&self, database: &str, table: &str) -> Bound<ColumnAccess> {
        if self.is_everybodys_here(database, table) || self.written_to(database, table).is_some() {
            return Ok(ColumnAccess::All);
        }
        match self.rights.borrow().columns(database, table, Privilege::Select) {
            ColumnAccess::None => {
                Err(SqlError::table_denied("SELECT", &self.facts.user, table).into())
            }
            readable => Ok(readable),
        }
    }

    /// Whether no rights are asked for a table or view: it is only described, or the session's own.
    pub(super) fn is_everybodys_here(&self, database: &str, table: &str) -> bool {
        let is_own = |own: &Arc<TemporaryNames>| own.find(database, table).is_some();
        self.is_described
            || self.views_around.borrow().is_empty()
                && self.facts.temporary.as_ref().is_some_and(is_own)
    }

    /// A table or view if some of its columns may not be read here, also one that is written to.
    fn partly_readable(&self, database: &str, table: &str) -> Option<Arc<PartlyReadable>> {
        let readable = self.rights.borrow().columns(database, table, Privilege::Select);
        let is_asked = readable != ColumnAccess::All && !self.is_everybodys_here(database, table);
        is_asked.then(|| {
            Arc::new(PartlyReadable { user: self.facts.user.clone(), table: table.to_owned() })
        })
    }

    /// The table as one that the statement writes to, if its rows are found by this SELECT.
    fn written_to(&self, database: &str, table: &str) -> Option<&WrittenTable> {
        let is_outermost = self.nesting.get() <= 1 && self.views_around.borrow().is_empty();
        let written = self.facts.written.iter().filter(|_| is_outermost);
        written.into_iter().rfind(|own| own.database == database && own.table == table)
    }

    /// Marks the columns that may not be read.
    fn deny_columns(&self, relation: &mut NamedRelation, (database, table): (&str, &str)) {
        let (rights, user) = (self.rights.borrow(), &self.facts.user);
        // A view through which rows are written gives their keys to the statement, not to anybody.
        let is_keyed = !self.facts.keyed_views.is_empty() && !self.views_around.borrow().is_empty();
        for column in &mut relation.columns {
            let name = &column.name;
            if is_keyed && name == ROW_KEY {
                continue;
            }
            if !rights.has_column(database, table, name, Privilege::Select) {
                let denied = SqlError::column_denied("SELECT", user, name, table);
                column.denied = Some(Arc::new(denied));
            }
        }
        relation.denied = Some(Arc::new(SqlError::table_denied("SELECT", user, table)));
    }

    fn join(
        &self,
        left: Part,
        right: Part,
        operator: &ast::JoinOperator,
        parent: Option<&QueryScope<'_>>,
    ) -> Bound<Part> {
        use ast::JoinOperator as J;
        let (side, constraint) = match operator {
            J::Join(c) | J::Inner(c) | J::CrossJoin(c) => (Side::Inner, c),
            J::StraightJoin(c) => (Side::Straight, c),
            J::Left(c) | J::LeftOuter(c) => (Side::Left, c),
            J::Right(c) | J::RightOuter(c) => (Side::Right, c),
            other => return unsupported(format_args!("{other:?}")),
        };
        match constraint {
            ast::JoinConstraint::None if matches!(side, Side::Inner | Side::Straight) => {
                Ok(joined(left, right, side, Vec::new()))
            }
            ast::JoinConstraint::None => Err(SqlError::syntax("JOIN without ON", 1).into()),
            ast::JoinConstraint::On(condition) => {
                let named = left.named.iter().chain(&right.named).cloned().collect();
                let scope = QueryScope::new(parent, named);
                let mut terms = Vec::new();
                push_terms(self.expression(&scope, condition, "on clause")?, &mut terms);
                Ok(joined(left, right, side, terms))
            }
            ast::JoinConstraint::Using(names) => {
                let last = |name: &ast::ObjectName| {
                    name_parts(name).last().map_or_else(String::new, |part| part.value.clone())
                };
                using(left, right, side, &names.iter().map(last).collect::<Vec<_>>())
            }
            ast::JoinConstraint::Natural => {
                let of_side = |side| visible(side).filter(|column| !column.invisible);
                let names: Vec<String> = of_side(&left.named)
                    .filter(|column| {
                        of_side(&right.named).any(|c| c.name.eq_ignore_ascii_case(&column.name))
                    })
                    .map(|column| column.name.clone())
                    .collect();
                using(left, right, side, &names)
            }
        }
    }
}

type DescribedColumn = (String, ColumnType, bool, ColumnOrigin);

/// Columns as those of a relation that is no table: they are announced under its name, and under
/// their own names in it (MySQL 9.7 answers so).
fn described(columns: &[OutputColumn]) -> Vec<DescribedColumn> {
    let describe = |column: &OutputColumn| {
        let (name, ty, nullable) = (column.name.clone(), column.ty.clone(), column.nullable);
        let origin = match &column.origin {
            Some(origin) => ResultColumn { org_name: name.clone(), ..(**origin).clone() },
            None => ResultColumn {
                org_name: name.clone(),
                ..ResultColumn::computed(name.clone(), ty.clone(), nullable)
            },
        };
        (name, ty, nullable, ColumnOrigin::Described(Arc::new(origin)))
    };
    columns.iter().map(describe).collect()
}

fn is_file(name: &ast::ObjectName) -> bool {
    matches!(name_parts(name)[..], [own] if own.value.eq_ignore_ascii_case(FILE))
}

fn add(
    relations: &mut Vec<Relation>,
    name: String,
    database: Option<String>,
    source: Source,
    columns: Vec<DescribedColumn>,
) -> Bound<Part> {
    let number = relations.len();
    if number == RELATIONS_MAX {
        let message =
            format!("Too many tables; MySQL can only use {RELATIONS_MAX} tables in a join");
        return Err(SqlError::new(ErrorCode::TooManyTables, message).into());
    }
    let types = columns.iter().map(|(_, ty, ..)| ty.clone()).collect();
    let index_use = IndexUse::default();
    let locking = None;
    let lateral = None;
    relations.push(Relation { name: name.clone(), source, types, index_use, locking, lateral });
    let named = NamedRelation::new(name, database, number, columns.into_iter());
    let shown = named.columns.iter().map(|column| column.slot).collect();
    Ok(Part { join: Join::Relation(number), named: vec![named], shown })
}

fn joined(mut left: Part, mut right: Part, side: Side, terms: Vec<Node>) -> Part {
    let join = match side {
        Side::Inner => Join::Inner(vec![left.join, right.join], terms),
        Side::Straight => Join::Straight(Box::new(left.join), Box::new(right.join), terms),
        Side::Left => {
            QueryScope::nullify(&mut right.named);
            Join::Left(Box::new(left.join), Box::new(right.join), terms)
        }
        Side::Right => {
            QueryScope::nullify(&mut left.named);
            Join::Left(Box::new(right.join), Box::new(left.join), terms)
        }
    };
    left.named.append(&mut right.named);
    left.shown.append(&mut right.shown);
    Part { join, named: left.named, shown: left.shown }
}

fn using(mut left: Part, mut right: Part, side: Side, names: &[String]) -> Bound<Part> {
    let mut terms = Vec::with_capacity(names.len());
    let (mut common, mut hidden) = (Vec::new(), Vec::new());
    for name in names {
        let missing = || SqlError::unknown_column(name, "from clause");
        let is_it = |column: &&ScopeColumn| column.name.eq_ignore_ascii_case(name);
        let found = [&left, &right].map(|part| visible(&part.named).filter(is_it).count());
        if found.iter().all(|count| *count > 0) && found.iter().any(|count| *count > 1) {
            return Err(SqlError::ambiguous_column(name, "from clause").into());
        }
        let a = find_visible(&mut left.named, name).ok_or_else(missing)?;
        let b = find_visible(&mut right.named, name).ok_or_else(missing)?;
        let (x, y) = compared(a.read()?, b.read()?);
        let rule = rule_of_comparison(&x, Comparison::Equal, &y)?;
        let kind = Kind::Compare(Comparison::Equal, Box::new(x), Box::new(y), rule);
        terms.push(boolean(kind, true));
        let (shown, other) = if side == Side::Right { (b, a) } else { (a, b) };
        other.shadowed = true;
        common.push(shown.slot);
        hidden.push(other.slot);
    }
    // A RIGHT JOIN shows the columns of its right side first.
    let behind = right.named.len();
    let mut part = match side {
        Side::Right => {
            let mut part = joined(right, left, Side::Left, terms);
            // Names stay in the order in which FROM has them.
            part.named.rotate_left(behind);
            part
        }
        _ => joined(left, right, side, terms),
    };
    // The common columns come first, in the order of the side that shows them.
    let rest = part.shown.iter().filter(|slot| !common.contains(slot) && !hidden.contains(slot));
    let first = part.shown.iter().filter(|slot| common.contains(slot));
    let invisible = common.iter().filter(|slot| !part.shown.contains(slot));
    part.shown = first.chain(invisible).chain(rest).copied().collect();
    Ok(part)
}

fn visible(relations: &[NamedRelation]) -> impl Iterator<Item = &ScopeColumn> {
    let columns = relations.iter().flat_map(|relation| &relation.columns);
    columns.filter(|column| !column.hidden && !column.shadowed)
}

fn find_visible<'r>(relations: &'r mut [NamedRelation], name: &str) -> Option<&'r mut ScopeColumn> {
    relations
        .iter_mut()
        .flat_map(|relation| &mut relation.columns)
        .find(|column| !column.hidden && !column.shadowed && column.name.eq_ignore_ascii_case(name))
}

/// Whether a literal was taken out of the text of a call's arguments.
fn has_literal_taken_out(args: &ast::TableFunctionArgs) -> bool {
    args.args.iter().any(|argument| {
        let (ast::FunctionArg::Named { arg, .. } | ast::FunctionArg::Unnamed(arg)) = argument else {
            return false;
        };
        let ast::FunctionArgExpr::Expr(expr) = arg else { return false };
        let value = match expr {
            ast::Expr::BinaryOp { right, .. } => &**right,
            value => value,
        };
        matches!(value, ast::Expr::Value(literal) if matches!(literal.value, ast::Value::Placeholder(_)))
    })
}
