//! What names mean at a place in a query: columns of FROM, aliases of the select list, and what
//! enclosing SELECTs have.
//!
//! Invariants
//! 1. Column names compare without case; table names and aliases with it.
//! 2. A name is looked for in the innermost SELECT first, then outwards; what is found outside
//!    becomes a reference to the enclosing row.
//! 3. A name that is all of an item of ORDER BY means an alias before a column, within an
//!    expression a column before an alias. GROUP BY prefers a column to an alias, unless several
//!    tables have it; HAVING an alias to a column, unless that is grouped by (MySQL 9.7 and MariaDB
//!    10.11 answer so). Outside of aggregates HAVING names no other columns than those of the list
//!    and of GROUP BY.
//!
//! Not here: where relations come from (`from`).

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use expression::{Kind, Node, UNTYPED, parts_of, slot};
use rows::schema::ROW_ID;
use rows::table::Table;
use sqlparser::ast::{Expr, Ident, NamedWindowDefinition};
use values::ErrorCode;
use values::types::ColumnType;

use super::over_row::EnclosingRow;
use super::{Binder, Literals, kind_of};
use crate::bind::scalar::{BindFailure, Bound, Names, Resolver, default_node, unsupported};
use crate::terms::has;
use crate::tree::{Aggregate, SortKey, WindowFunction};
use results::{ResultColumn, SqlError};

/// What a column is announced as. It is made for the columns that a client sees alone.
#[derive(Clone, Debug)]
pub(super) enum ColumnOrigin {
    /// The column of a table, by position.
    Stored(Arc<Table>, usize),
    /// This, but for the name of the relation.
    Described(Arc<ResultColumn>),
}

impl ColumnOrigin {
    /// ZEROFILL, as `Node` has it.
    fn zerofill(&self) -> u8 {
        match self {
            ColumnOrigin::Stored(table, at) => table.columns[*at].zerofill.unwrap_or_default(),
            ColumnOrigin::Described(column) => column.flags.zerofill,
        }
    }

    /// The same of a relation under a name.
    fn under(&self, name: &str) -> ResultColumn {
        match self {
            ColumnOrigin::Stored(table, at) => {
                ResultColumn::of_table(table, *at, table.columns[*at].name.clone(), name)
            }
            ColumnOrigin::Described(column) => {
                ResultColumn { table: name.to_owned(), ..(**column).clone() }
            }
        }
    }
}

/// A column that can be named.
#[derive(Clone, Debug)]
pub(super) struct ScopeColumn {
    /// Its name.
    pub name: String,
    /// Its place: relation and column.
    pub slot: usize,
    /// Its type.
    pub ty: ColumnType,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// What it is announced as, if it is more than an expression.
    pub origin: Option<ColumnOrigin>,
    /// Not part of `*`: the row's key.
    pub hidden: bool,
    /// Not part of `*`, nor of a NATURAL join: INVISIBLE.
    pub invisible: bool,
    /// The other side of a USING or NATURAL join shows the value; only a qualified name means
    /// this one.
    pub shadowed: bool,
    /// Told when it is named: what it shows takes long to find out.
    pub told: Option<Arc<AtomicBool>>,
    /// Why it may not be read.
    pub denied: Option<Arc<SqlError>>,
}

impl ScopeColumn {
    pub fn node(&self) -> Node {
        if let Some(told) = &self.told {
            told.store(true, Ordering::Relaxed);
        }
        let zerofill = self.origin.as_ref().map_or(0, ColumnOrigin::zerofill);
        Node { zerofill, ..Node::new(Kind::Column(self.slot), self.ty.clone(), self.nullable) }
    }

    /// As `node`, for a name that a statement says.
    pub fn read(&self) -> Bound<Node> {
        match &self.denied {
            None => Ok(self.node()),
            Some(denied) => Err(SqlError::clone(denied).into()),
        }
    }
}

/// A relation of FROM with its names.
#[derive(Clone, Debug)]
pub(super) struct NamedRelation {
    /// Its alias or name.
    pub name: String,
    /// Its database, when it is a table that was named without an alias.
    pub database: Option<String>,
    /// The database that it is of, under whatever name, if it is a table.
    pub home: Option<String>,
    /// Whether a result calls its columns by their names rather than as a statement writes them:
    /// those of a query that is merged into the one around it (MySQL 9.7:
    /// tests/oracle/sql/headings.sql).
    pub says_names: bool,
    /// Its columns in order.
    pub columns: Vec<ScopeColumn>,
    /// The columns that a sub-query may name without it; `None`: all.
    pub names_within: Option<Arc<[String]>>,
    /// Why all of it may not be read at once, where that is so of some column.
    pub denied: Option<Arc<SqlError>>,
    /// That some of its columns may not be read: what is not there is answered as one of these.
    pub partly: Option<Arc<PartlyReadable>>,
}

impl NamedRelation {
    /// The column that `_rowid` names of a table.
    fn row_id(&self) -> Option<&ScopeColumn> {
        self.columns.iter().find(|column| match &column.origin {
            Some(ColumnOrigin::Stored(table, at)) => table.row_id_column() == Some(*at),
            _ => false,
        })
    }
}

/// A table or view some columns of which may not be read.
#[derive(Debug)]
pub struct PartlyReadable {
    /// The user who asks, as `name@host`.
    pub user: String,
    /// Its name.
    pub table: String,
}

impl PartlyReadable {
    /// 1143, also for a column that is not there.
    pub fn denied(&self, column: &str) -> SqlError {
        SqlError::column_denied("SELECT", &self.user, column, &self.table)
    }
}

/// The names of one SELECT.
pub(super) struct QueryScope<'p> {
    /// No SELECT, but a row that is written: its names are all that there are.
    pub row: Option<&'p EnclosingRow<'p>>,
    /// The SELECT around this one.
    pub parent: Option<&'p QueryScope<'p>>,
    /// FROM.
    pub relations: Vec<NamedRelation>,
    /// Slots in the order in which `*` shows them.
    pub shown: Vec<usize>,
    /// Aliases of the select list, once it is bound.
    pub aliases: RefCell<Vec<(String, Node)>>,
    /// Columns that GROUP BY names, once it is bound.
    pub grouped: RefCell<Vec<(String, Node)>>,
    /// Aggregates seen so far.
    pub aggregates: RefCell<Vec<Aggregate>>,
    /// Whether an aggregate may stand in what is being bound: the select list, HAVING, ORDER BY.
    pub may_aggregate: Cell<bool>,
    /// Within an aggregate's arguments.
    pub inside_aggregate: Cell<bool>,
    /// The WINDOW clause.
    pub named_windows: &'p [NamedWindowDefinition],
    /// Window functions seen so far.
    pub windows: RefCell<Vec<WindowFunction>>,
    /// The names of their windows, for messages.
    pub window_names: RefCell<Vec<String>>,
    /// Within what a window function is over.
    pub inside_window: Cell<bool>,
    /// While a sub-query is bound of whose rows nothing counts but whether there is one, or one
    /// that compares so (EXISTS, IN, ANY, ALL): groups and orders of it say nothing.
    pub asks_for_any: Cell<bool>,
    /// Around tables of FROM, whose columns a client may see the names of.
    pub of_from: bool,
}

impl<'p> QueryScope<'p> {
    pub fn new(
        parent: Option<&'p QueryScope<'p>>,
        relations: Vec<NamedRelation>,
    ) -> QueryScope<'p> {
        QueryScope {
            row: None,
            parent,
            relations,
            shown: Vec::new(),
            aliases: RefCell::default(),
            grouped: RefCell::default(),
            aggregates: RefCell::default(),
            may_aggregate: Cell::new(false),
            inside_aggregate: Cell::new(false),
            named_windows: &[],
            windows: RefCell::default(),
            window_names: RefCell::default(),
            inside_window: Cell::new(false),
            asks_for_any: Cell::new(false),
            of_from: false,
        }
    }

    /// Whether something makes one row of several so far; ANY_VALUE does not.
    pub fn has_aggregates(&self) -> bool {
        self.aggregates.borrow().iter().any(|aggregate| !aggregate.is_any_value())
    }

    /// The number, from 1, of the first item of ORDER BY that has such an aggregate.
    pub fn first_aggregate(&self, order: &[SortKey], outputs: &[Node]) -> usize {
        let aggregates = self.aggregates.borrow();
        let is_one = |kind: &Kind| {
            matches!(kind, Kind::Aggregate(number)
            if !aggregates[*number].is_any_value())
        };
        let has_one = |key: &SortKey| has(&outputs[key.position], is_one);
        order.iter().position(has_one).map_or(1, |at| at + 1)
    }

    /// The SELECT so many levels around this one.
    pub fn around(&self, level: u16) -> Option<&QueryScope<'p>> {
        (0..level).try_fold(self, |scope, _| scope.parent)
    }

    fn resolve(&self, parts: &[&str], clause: &'static str) -> Bound<Node> {
        if let Some(node) = self.resolve_here(parts, clause)? {
            return Ok(node);
        }
        let (mut level, mut outer) = (1, self.parent);
        while let Some(scope) = outer {
            if !scope.hides(parts)
                && let Some(node) = scope.resolve_here(parts, "field list")?
            {
                return match node.kind {
                    Kind::Column(slot) => Ok(Node { kind: Kind::Outer(level, slot), ..node }),
                    _ => unsupported("an outer alias within a sub-query"),
                };
            }
            if let [name] = parts
                && let Some(node) = scope.alias(name, "field list")?
            {
                return seen_from_within(node, level, name);
            }
            (level, outer) = (level + 1, scope.parent);
        }
        Err(self.unknown(parts, clause).into())
    }

    /// Lets sub-queries of the items of a list that follow name this one.
    pub fn add_alias(&self, name: &str, node: &Node) {
        self.aliases.borrow_mut().push((name.to_owned(), node.clone()));
    }

    /// Why a name means nothing: beside columns that may not be read it is answered as one of
    /// them, as mysqld 9.7 does outside of sub-queries.
    fn unknown(&self, parts: &[&str], clause: &str) -> SqlError {
        // Of what is around, what is written to is not read here.
        let around = std::iter::successors(self.parent, |scope| scope.parent);
        let read = around.flat_map(|scope| &scope.relations).filter(|r| r.denied.is_some());
        let mut relations = self.relations.iter().chain(read);
        let partly = relations.find_map(|relation| relation.partly.as_ref());
        // HAVING names no column that the select list does not have, so that nothing is told.
        match partly.filter(|_| clause != "having clause") {
            Some(partly) => partly.denied(parts.last().copied().unwrap_or_default()),
            None => SqlError::unknown_column(&parts.join("."), clause),
        }
    }

    /// Whether a name that a sub-query says is a column that it must not see.
    fn hides(&self, parts: &[&str]) -> bool {
        let [name] = parts else { return false };
        self.relations.iter().any(|relation| match &relation.names_within {
            None => false,
            Some(names) => {
                let is_it = |own: &String| own.eq_ignore_ascii_case(name);
                relation.columns.iter().any(|column| is_it(&column.name))
                    && !names.iter().any(is_it)
            }
        })
    }

    fn resolve_here(&self, parts: &[&str], clause: &'static str) -> Bound<Option<Node>> {
        if let Some(row) = self.row {
            return Ok(row.find(parts));
        }
        let outside = !self.inside_aggregate.get();
        if let ([name], "having clause", true) = (parts, clause, outside)
            && let Some(node) = self.alias(name, clause)?
        {
            let grouped = self.grouped.borrow();
            let column = grouped.iter().find(|(column, _)| column.eq_ignore_ascii_case(name));
            return Ok(Some(column.map_or(node, |(_, column)| column.clone())));
        }
        if let Some(column) = self.column(parts, clause)? {
            if clause == "having clause" && outside && !self.is_above_groups(column.slot) {
                return Ok(None);
            }
            return column.read().map(Some);
        }
        match (parts, clause) {
            ([name], "having clause" | "order clause" | "group statement") => {
                self.alias(name, clause)
            }
            _ => Ok(None),
        }
    }

    /// Whether HAVING may name a column: the select list or GROUP BY has it.
    fn is_above_groups(&self, slot: usize) -> bool {
        let is_it =
            |(_, node): &(String, Node)| matches!(node.kind, Kind::Column(at) if at == slot);
        self.aliases.borrow().iter().any(is_it) || self.grouped.borrow().iter().any(is_it)
    }

    /// The value of a column that INSERT would add, if a row is written around all of this.
    fn incoming(&self, column: &Ident) -> Option<Node> {
        let (mut level, mut outer) = (0, self);
        while let Some(parent) = outer.parent {
            (level, outer) = (level + 1, parent);
        }
        let node = outer.row?.incoming(column)?;
        match node.kind {
            Kind::Column(slot) if level > 0 => {
                Some(Node { kind: Kind::Outer(level, slot), ..node })
            }
            _ => None,
        }
    }

    /// What an alias of the select list stands for: of several items with one name an expression
    /// before columns, and of columns none (MySQL 9.7: tests/oracle/sql/rules-of-names.sql).
    pub fn alias(&self, name: &str, clause: &str) -> Bound<Option<Node>> {
        let aliases = self.aliases.borrow();
        let mut found: Option<&Node> = None;
        for (_, node) in aliases.iter().filter(|(alias, _)| alias.eq_ignore_ascii_case(name)) {
            if !matches!(node.kind, Kind::Column(_)) {
                return Ok(Some(node.clone()));
            }
            if found.is_some_and(|before| before != node) {
                return Err(SqlError::ambiguous_column(name, clause).into());
            }
            found = Some(node);
        }
        Ok(found.cloned())
    }

    /// The name of the column of a slot.
    pub fn name_of(&self, slot: usize) -> Option<&str> {
        self.column_at(slot).map(|(_, column)| column.name.as_str())
    }

    /// What a name that is all of an item of GROUP BY stands for, if that is an alias although
    /// tables have such columns: several of them have one.
    ///
    /// # Errors
    /// 1052 where several columns of the list have that name.
    pub fn alias_of_several(&self, name: &str) -> Bound<Option<Node>> {
        let alias = self.alias(name, "group statement")?;
        let is_of_several = self.column(&[name], "group statement").is_err();
        Ok(alias.filter(|_| is_of_several))
    }

    fn column(&self, parts: &[&str], clause: &str) -> Bound<Option<&ScopeColumn>> {
        Ok(self.found(parts, clause)?.map(|(_, column)| column))
    }

    /// The column that a name means, here or in a SELECT around this one, with its relation; `None`
    /// also where several have it.
    pub fn owner(&self, parts: &[&str]) -> Option<(&NamedRelation, &ScopeColumn)> {
        let mut scope = Some(self);
        while let Some(here) = scope {
            match here.found(parts, "field list") {
                Ok(Some(found)) => return Some(found),
                Ok(None) => scope = here.parent,
                Err(_) => return None,
            }
        }
        None
    }

    fn found(&self, parts: &[&str], clause: &str) -> Bound<Option<(&NamedRelation, &ScopeColumn)>> {
        let (qualifier, name) = match parts {
            [name] => (None, name),
            [table, name] => (Some((None, table)), name),
            [database, table, name] => (Some((Some(database), table)), name),
            _ => return Ok(None),
        };
        let is_asked = |relation: &&NamedRelation| {
            qualifier.is_none_or(|(database, table)| {
                relation.name == *table
                    && database.is_none_or(|database| {
                        relation.database.as_deref().is_some_and(|own| own == *database)
                    })
            })
        };
        let mut found = None;
        for relation in self.relations.iter().filter(is_asked) {
            for column in &relation.columns {
                if !column.name.eq_ignore_ascii_case(name)
                    || (qualifier.is_none() && column.shadowed)
                {
                    continue;
                }
                if found.is_some() {
                    let name = parts.join(".");
                    return Err(SqlError::ambiguous_column(&name, clause).into());
                }
                found = Some((relation, column));
            }
        }
        if found.is_none() && name.eq_ignore_ascii_case(ROW_ID) {
            let mut asked = self.relations.iter().filter(is_asked);
            if let (Some(only), None) = (asked.next(), asked.next()) {
                return Ok(only.row_id().map(|column| (only, column)));
            }
        }
        Ok(found)
    }

    /// The columns that `*` or `table.*` stands for, in order.
    pub fn expand(&self, table: Option<&[String]>) -> Bound<Vec<&ScopeColumn>> {
        let mut out: Vec<&ScopeColumn> = Vec::new();
        match table {
            None => {
                out.extend(self.shown.iter().filter_map(|slot| Some(self.column_at(*slot)?.1)));
            }
            Some(parts) => {
                let name = parts.last().map_or("", String::as_str);
                let database = (parts.len() > 1).then(|| parts[parts.len() - 2].as_str());
                let relation = self.relations.iter().find(|relation| {
                    relation.name == name
                        && database.is_none_or(|d| relation.database.as_deref() == Some(d))
                });
                let unknown = || {
                    let shown = parts.join(".");
                    BindFailure::Wrong(SqlError::new(
                        ErrorCode::BadTable,
                        format!("Unknown table '{shown}'"),
                    ))
                };
                let relation = relation.ok_or_else(unknown)?;
                out.extend(relation.columns.iter().filter(|c| !c.hidden && !c.invisible));
            }
        }
        if out.is_empty() {
            return Err(SqlError::new(ErrorCode::NoTablesUsed, "No tables used").into());
        }
        if let Some(column) = out.iter().find(|column| column.denied.is_some()) {
            let relation = self.column_at(column.slot).map(|(relation, _)| relation);
            let denied = relation.and_then(|relation| relation.denied.as_ref());
            let denied = denied.or(column.denied.as_ref());
            return Err(denied.map_or_else(SqlError::no_database, |d| SqlError::clone(d)).into());
        }
        Ok(out)
    }

    /// The relation that has a slot.
    pub fn owner_of(&self, slot: usize) -> Option<&NamedRelation> {
        self.column_at(slot).map(|(relation, _)| relation)
    }

    /// The column of a slot, and its relation; not a row's key.
    pub fn column_at(&self, slot: usize) -> Option<(&NamedRelation, &ScopeColumn)> {
        let (_, at) = parts_of(slot);
        let mut all = self.relations.iter().filter_map(|own| Some((own, own.columns.get(at)?)));
        all.find(|(_, column)| column.slot == slot)
    }

    /// What a node is announced as, if it is a column of this SELECT.
    pub fn origin(&self, node: &Node) -> Option<Arc<ResultColumn>> {
        let Kind::Column(slot) = node.kind else { return None };
        let (relation, column) = self.column_at(slot)?;
        Some(Arc::new(column.origin.as_ref()?.under(&relation.name)))
    }

    /// What is missing in an outer join gives NULLs.
    pub fn nullify(relations: &mut [NamedRelation]) {
        for column in relations.iter_mut().flat_map(|relation| &mut relation.columns) {
            column.nullable = true;
        }
    }
}

impl NamedRelation {
    /// A relation whose columns have these names and types.
    pub fn new(
        name: String,
        database: Option<String>,
        number: usize,
        columns: impl Iterator<Item = (String, ColumnType, bool, ColumnOrigin)>,
    ) -> NamedRelation {
        let columns = columns
            .enumerate()
            .map(|(at, (name, ty, nullable, origin))| ScopeColumn {
                name,
                slot: slot(number, at),
                ty,
                nullable,
                origin: Some(origin),
                hidden: false,
                invisible: false,
                shadowed: false,
                told: None,
                denied: None,
            })
            .collect();
        NamedRelation {
            name,
            database,
            home: None,
            says_names: false,
            columns,
            names_within: None,
            denied: None,
            partly: None,
        }
    }
}

/// A SELECT's names together with the binder: what expressions are bound with.
pub(super) struct InScope<'a> {
    pub binder: &'a Binder<'a>,
    pub scope: &'a QueryScope<'a>,
}

impl Resolver for InScope<'_> {
    fn column(&self, parts: &[&Ident], clause: &'static str) -> Bound<Node> {
        let parts: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
        self.scope.resolve(&parts, clause)
    }

    fn default(&self, parts: &[&Ident], clause: &'static str) -> Bound<Node> {
        let node = self.column(parts, clause)?;
        let Some(origin) = self.scope.origin(&node) else {
            return unsupported("DEFAULT of what is no table's column");
        };
        let tables = self.binder.tables.borrow();
        let table = tables
            .iter()
            .find(|table| table.name == origin.org_table && table.database == origin.database);
        match table.and_then(|table| Some(&table.columns[table.column(&origin.org_name)?])) {
            Some(column) => default_node(column),
            None => unsupported("DEFAULT of what is no table's column"),
        }
    }

    fn incoming(&self, column: &Ident) -> Option<Node> {
        self.scope.incoming(column)
    }

    fn form(&self, expr: &Expr, names: &Names<'_>) -> Option<Bound<Node>> {
        self.binder.form(self.scope, expr, names)
    }

    fn literal(&self, number: u16) -> (ColumnType, bool) {
        let Literals::Known(literals) = self.binder.literals else { return (UNTYPED, true) };
        let literal = literals.get(usize::from(number));
        literal.map_or((ColumnType::VarBinary { bytes: 0 }, true), |literal| {
            (kind_of(literal), literal.is_null())
        })
    }

    fn knows_literals(&self) -> bool {
        matches!(self.binder.literals, Literals::Known(_))
    }
}

impl Binder<'_> {
    /// Binds an expression of a clause.
    pub(super) fn expression(
        &self,
        scope: &QueryScope<'_>,
        expr: &Expr,
        clause: &'static str,
    ) -> Bound<Node> {
        let within = InScope { binder: self, scope };
        let variables = Some(&*self.facts.user_variables);
        let names =
            Names { resolver: Some(&within), variables, ..Names::none(clause, self.mode.get()) };
        crate::bind::scalar::bind(expr, &names)
    }
}

/// How many SELECTs these are, the outermost included.
pub(super) fn scopes_of(scope: Option<&QueryScope<'_>>) -> usize {
    std::iter::successors(scope, |scope| scope.parent).count()
}

/// An item of an enclosing SELECT's list as a sub-query so many levels within it has it.
///
/// # Errors
/// 1247 for one that is made of a group's rows, or of windows.
fn seen_from_within(mut node: Node, level: u16, name: &str) -> Bound<Node> {
    if has(&node, |kind| matches!(kind, Kind::Aggregate(_) | Kind::Window(_))) {
        let message = format!("Reference '{name}' not supported (reference to group function)");
        return Err(SqlError::new(ErrorCode::IllegalReference, message).into());
    }
    if has(&node, |kind| matches!(kind, Kind::Subquery(_))) {
        return unsupported("an outer alias that is a sub-query within a sub-query");
    }
    lift(&mut node, level);
    Ok(node)
}

fn lift(node: &mut Node, level: u16) {
    match node.kind {
        Kind::Column(slot) => node.kind = Kind::Outer(level, slot),
        Kind::Outer(within, slot) => node.kind = Kind::Outer(within + level, slot),
        _ => {}
    }
    node.each_child_mut(&mut |child| lift(child, level));
}
