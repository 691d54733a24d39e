//! SELECT from one table by its indexes, and SELECT without a table: binding.
//!
//! Not here: running it (`session::select`), everything with joins, groups or sub-queries
//! (`analytic`).

use std::ops::ControlFlow;
use std::sync::Arc;

use expression::{Kind, Node, UNTYPED};
use rows::catalog::Catalog;
use rows::schema::TableDefinition;
use rows::table::Table;
use sqlparser::ast::{
    Expr, GroupByExpr, OrderByExpr, OrderByKind, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, TableFactor, Value as Literal, visit_expressions,
};
use syntax::cursor::table_name;
use values::types::ColumnType;
use values::{CharacterSet, SqlMode};

use super::access::{Access, AccessKind, Ordering, Reader, plan_access, ways};
use super::sort::SortKey;
use crate::bind::scalar::{BindFailure, Bound, Names, bind, column_node};
use crate::bind::{
    UserVariables, bare_number, limit_of, locking_of, push_variables, unresolved,
    zero_dates_as_null,
};
use crate::error::SqlError;
use crate::index_use::{ColumnarUse, IndexUse};
use crate::information_schema::is_own_name;
use crate::reply::{ColumnFlags, ResultColumn};
use crate::tree::Locking;

/// A column of the result.
#[derive(Clone, Debug)]
pub enum Output {
    /// A column of the table.
    Column(usize),
    /// An expression.
    Node(Node),
}

/// Where the rows come from.
#[derive(Clone, Debug)]
pub struct From {
    /// The table.
    pub table: Arc<Table>,
    /// Its alias or name.
    pub shown: String,
    /// The way to its rows.
    pub access: Access,
    /// Which of its indexes may be used.
    pub index_use: IndexUse,
    /// ORDER BY.
    pub sort: Vec<SortKey>,
    /// Whether the index gives that order, when it is used as planned.
    pub sorted: bool,
    /// FOR UPDATE, FOR SHARE.
    pub locking: Option<Locking>,
}

/// A bound SELECT.
#[derive(Clone, Debug)]
pub struct SelectPlan {
    /// The table; `None` for one row of expressions.
    pub from: Option<From>,
    /// WHERE, HAVING of a SELECT without a table.
    pub condition: Option<Node>,
    /// What is given.
    pub outputs: Vec<Output>,
    /// Its columns.
    pub columns: Arc<[ResultColumn]>,
    /// LIMIT.
    pub limit: Option<Node>,
    /// OFFSET.
    pub offset: Option<Node>,
    /// Whether an expression asks the session.
    pub needs_facts: bool,
    /// Whether it can take long (SLEEP).
    pub waits: bool,
    /// Whether an expression leaves something to the session (`@a := 1`, LAST_INSERT_ID(5)).
    pub leaves_something: bool,
    /// Whether another index may be better than the one chosen.
    pub uncertain: bool,
    /// The types of the user variables that it was bound with.
    pub variables: Vec<(String, ColumnType)>,
}

impl SelectPlan {
    /// Whether the table is as it was.
    pub fn is_current(&self) -> bool {
        self.from.as_ref().is_none_or(|from| from.table.is_current())
    }
}

/// What names are looked up in.
pub struct Surroundings<'a> {
    /// Databases and tables.
    pub catalog: &'a Catalog,
    /// The current database.
    pub database: Option<&'a str>,
    /// sql_mode.
    pub mode: SqlMode,
    /// User variables.
    pub variables: &'a UserVariables,
}

fn elsewhere<T>(what: &str) -> Bound<T> {
    Err(BindFailure::Elsewhere(what.to_string()))
}

/// Binds a query, if it is one for this path. `texts` are the items of its SELECT list as
/// written, for the names of columns.
pub fn bind_select(
    query: &Query,
    around: &Surroundings<'_>,
    texts: &[String],
) -> Bound<SelectPlan> {
    let SetExpr::Select(select) = query.body.as_ref() else { return elsewhere("set operations") };
    if query.with.is_some() || query.for_clause.is_some() || !query.pipe_operators.is_empty() {
        return elsewhere("WITH");
    }
    check_plain(select)?;
    let (limit, offset) = limits(query, around.mode)?;
    let order: &[OrderByExpr] = match query.order_by.as_ref().map(|order| &order.kind) {
        None => &[],
        Some(OrderByKind::Expressions(list)) => list,
        Some(OrderByKind::All(_)) => return elsewhere("ORDER BY ALL"),
    };
    let relation = match select.from.as_slice() {
        [] => None,
        [one] if one.joins.is_empty() => Some(&one.relation),
        _ => return elsewhere("joins"),
    };
    let Some(factor) = relation else {
        return without_table(select, around, texts, limit, offset);
    };
    match factor {
        TableFactor::Table { name, args: None, .. }
            if name.to_string().eq_ignore_ascii_case("dual") =>
        {
            without_table(select, around, texts, limit, offset)
        }
        TableFactor::Table {
            name,
            alias,
            args: None,
            version: None,
            partitions,
            sample: None,
            ..
        } if partitions.is_empty() => {
            let name = table_name(name)?;
            let database = match (&name.database, around.database) {
                (Some(database), _) => database.as_str(),
                (None, Some(database)) => database,
                (None, None) => return Err(SqlError::no_database().into()),
            };
            if is_own_name(database) {
                return elsewhere("information_schema");
            }
            let table = around.catalog.table(database, &name.table).map_err(SqlError::from)?;
            if alias.as_ref().is_some_and(|alias| !alias.columns.is_empty()) {
                return elsewhere("column aliases");
            }
            let alias = alias.as_ref().map(|alias| alias.name.value.as_str());
            let shown = alias.unwrap_or(&table.name);
            let index_use = IndexUse::of_factor(Some(&table), shown, factor)?;
            let locking = locking(query, shown)?;
            if locking.is_none() && index_use.columnar() == ColumnarUse::Forced {
                return elsewhere("a columnar index");
            }
            let parts =
                TableSelect { select, order, alias, texts, limit, offset, locking, index_use };
            with_table(table, parts, around)
        }
        _ => elsewhere("derived tables"),
    }
}

fn check_plain(select: &Select) -> Bound<()> {
    let no_groups = matches!(
        &select.group_by,
        GroupByExpr::Expressions(exprs, modifiers) if exprs.is_empty() && modifiers.is_empty()
    );
    let calc =
        select.select_modifiers.as_ref().is_some_and(|modifiers| modifiers.sql_calc_found_rows);
    if select.distinct.is_some()
        || select.top.is_some()
        || select.into.is_some()
        || select.having.is_some()
        || select.qualify.is_some()
        || !select.named_window.is_empty()
        || !select.lateral_views.is_empty()
        || !no_groups
        || calc
    {
        return elsewhere("DISTINCT, GROUP BY, HAVING");
    }
    Ok(())
}

type Limits = (Option<Node>, Option<Node>);

fn limits(query: &Query, mode: SqlMode) -> Bound<Limits> {
    let names = Names::none("limit clause", mode);
    let bind = |expr: &Expr| bind(expr, &names);
    let (limit, offset) = limit_of(query)?;
    Ok((limit.as_ref().map(bind).transpose()?, offset.as_ref().map(bind).transpose()?))
}

/// The name of a result column that has no alias.
pub fn item_name(expr: &Expr, text: Option<&String>) -> String {
    match expr {
        Expr::Identifier(ident) => ident.value.clone(),
        Expr::CompoundIdentifier(parts) if !parts[0].value.starts_with('@') => {
            parts.last().map_or_else(String::new, |part| part.value.clone())
        }
        Expr::Value(value) => match &value.value {
            Literal::SingleQuotedString(text) | Literal::DoubleQuotedString(text) => text.clone(),
            _ => text.cloned().unwrap_or_else(|| expr.to_string()),
        },
        // A text behind an introducer is named by the text, too.
        Expr::Prefixed { prefix, value } => match &**value {
            Expr::Value(literal) => match (&literal.value, prefix.value.strip_prefix('_')) {
                (
                    Literal::SingleQuotedString(text) | Literal::DoubleQuotedString(text),
                    Some(set),
                ) => {
                    let set = CharacterSet::parse(set).unwrap_or(CharacterSet::UTF8MB4);
                    String::from_utf8_lossy(&set.decode(text.as_bytes())).into_owned()
                }
                _ => text.cloned().unwrap_or_else(|| expr.to_string()),
            },
            _ => text.cloned().unwrap_or_else(|| expr.to_string()),
        },
        _ => text.cloned().unwrap_or_else(|| expr.to_string()),
    }
}

fn without_table(
    select: &Select,
    around: &Surroundings<'_>,
    texts: &[String],
    limit: Option<Node>,
    offset: Option<Node>,
) -> Bound<SelectPlan> {
    let variables = Some(around.variables);
    let names = Names { variables, ..Names::none("field list", around.mode) };
    let mut outputs = Vec::with_capacity(select.projection.len());
    let mut columns = Vec::with_capacity(select.projection.len());
    for (n, item) in select.projection.iter().enumerate() {
        let (expr, name) = match item {
            SelectItem::UnnamedExpr(expr) => (expr, item_name(expr, texts.get(n))),
            SelectItem::ExprWithAlias { expr, alias } => (expr, alias.value.clone()),
            _ => return Err(SqlError::new(1096, "No tables used").into()),
        };
        let node = typed(bind(expr, &names)?)?;
        columns.push(ResultColumn::computed(name, result_type(&node), node.nullable));
        outputs.push(Output::Node(node));
    }
    let condition = select.selection.as_ref().map(|expr| bind(expr, &names)).transpose()?;
    Ok(finish(None, condition, outputs, columns, limit, offset))
}

/// A result column's expression. The types of its parameters are not known here.
fn typed(node: Node) -> Bound<Node> {
    let mut unknown = false;
    node.visit(&mut |part| {
        unknown |= matches!(part.kind, Kind::Parameter(_)) && part.ty == UNTYPED;
    });
    if unknown { elsewhere("a result made of a parameter") } else { Ok(node) }
}

/// The type a client is told.
pub fn result_type(node: &Node) -> ColumnType {
    match &node.ty {
        ColumnType::VarChar { chars, collation } if *chars > 16_383 => {
            ColumnType::Text { size: values::types::LobSize::Long, collation: *collation }
        }
        ColumnType::VarBinary { bytes } if *bytes > 65_532 => {
            ColumnType::Blob { size: values::types::LobSize::Long }
        }
        other => other.clone(),
    }
}

fn finish(
    from: Option<From>,
    condition: Option<Node>,
    outputs: Vec<Output>,
    columns: Vec<ResultColumn>,
    limit: Option<Node>,
    offset: Option<Node>,
) -> SelectPlan {
    let (mut needs_facts, mut waits, mut leaves_something) = (false, false, false);
    let mut variables = Vec::new();
    let mut look = |node: &Node| {
        node.visit(&mut |node| match &node.kind {
            Kind::Call(function, arguments) => {
                needs_facts = true;
                waits |= function.waits();
                leaves_something |= function.sets_insert_id(arguments);
            }
            Kind::Assign(..) => {
                needs_facts = true;
                leaves_something = true;
            }
            Kind::UserVariable(_) | Kind::SystemVariable(..) => {
                needs_facts = true;
                push_variables(node, &mut variables);
            }
            // Which day a time is of, and what sql_mode says.
            Kind::Cast(_)
            | Kind::Extract(..)
            | Kind::Difference(..)
            | Kind::Shift(..)
            | Kind::Arithmetic(..) => {
                needs_facts = true;
            }
            _ => {}
        });
    };
    for output in &outputs {
        if let Output::Node(node) = output {
            look(node);
        }
    }
    condition.iter().chain(&limit).chain(&offset).for_each(&mut look);
    if let Some(from) = &from {
        from.access.terms.iter().for_each(&mut look);
        from.sort.iter().for_each(|key| look(&key.node));
    }
    SelectPlan {
        from,
        condition,
        outputs,
        columns: columns.into(),
        limit,
        offset,
        needs_facts,
        waits,
        leaves_something,
        uncertain: false,
        variables,
    }
}

struct TableSelect<'a> {
    select: &'a Select,
    order: &'a [OrderByExpr],
    alias: Option<&'a str>,
    texts: &'a [String],
    limit: Option<Node>,
    offset: Option<Node>,
    locking: Option<Locking>,
    index_use: IndexUse,
}

/// FOR UPDATE and FOR SHARE of a query of one table, shown under this name.
fn locking(query: &Query, shown: &str) -> Bound<Option<Locking>> {
    let mut locking = None;
    for clause in &query.locks {
        let (said, only) = locking_of(clause)?;
        if let Some(name) = only.filter(|name| name != shown) {
            return Err(unresolved(&name).into());
        }
        locking = Some(said);
    }
    Ok(locking)
}

fn with_table(
    table: Arc<Table>,
    parts: TableSelect<'_>,
    around: &Surroundings<'_>,
) -> Bound<SelectPlan> {
    let (mode, variables) = (around.mode, Some(around.variables));
    let names = Names { variables, ..Names::of(&table, parts.alias, "field list", mode) };
    let shown = parts.alias.unwrap_or(&table.name);
    let (mut outputs, mut columns) = (Vec::new(), Vec::new());
    for (n, item) in parts.select.projection.iter().enumerate() {
        let (expr, name) = match item {
            SelectItem::Wildcard(options) => {
                if options.opt_exclude.is_some() || options.opt_except.is_some() {
                    return elsewhere("wildcard options");
                }
                all_columns(&table, shown, &mut outputs, &mut columns);
                continue;
            }
            SelectItem::QualifiedWildcard(kind, _) => {
                let SelectItemQualifiedWildcardKind::ObjectName(name) = kind else {
                    return elsewhere("wildcard options");
                };
                let name = table_name(name)?;
                if name.table != shown {
                    return Err(
                        SqlError::new(1051, format!("Unknown table '{}'", name.table)).into()
                    );
                }
                all_columns(&table, shown, &mut outputs, &mut columns);
                continue;
            }
            SelectItem::UnnamedExpr(expr) => (expr, item_name(expr, parts.texts.get(n))),
            SelectItem::ExprWithAlias { expr, alias } => (expr, alias.value.clone()),
            SelectItem::ExprWithAliases { .. } => return elsewhere("aliases"),
        };
        let node = typed(bind(expr, &names)?)?;
        match node.kind {
            Kind::Column(position) => {
                columns.push(table_column(&table, position, name, shown));
                outputs.push(Output::Column(position));
            }
            _ => {
                columns.push(ResultColumn::computed(name, result_type(&node), node.nullable));
                outputs.push(Output::Node(node));
            }
        }
    }
    let mut terms = Vec::new();
    if let Some(selection) = &parts.select.selection {
        let names = Names { clause: "where clause", ..names };
        push_terms(bind(selection, &names)?, &mut terms);
        terms = zero_dates_as_null(terms, &table);
    }
    let mut sort = Vec::with_capacity(parts.order.len());
    for item in parts.order {
        sort.push(sort_key(item, &Names { clause: "order clause", ..names }, &outputs, &columns)?);
    }
    let ordering = simple_ordering(&sort);
    let index_use = parts.index_use;
    let access = plan_access(&table, &index_use, &terms, ordering.as_ref());
    let sorted = sort.is_empty() || ordering.is_some() && access.ordered;
    let locking = parts.locking;
    let whole = matches!(access.kind, AccessKind::All | AccessKind::Index);
    if !sorted && (locking.is_none() || whole) {
        return elsewhere("a sort");
    }
    let narrow = |way: &Access| way.is_narrow() && way.kind != AccessKind::Const;
    let several = || {
        ways(&table, &index_use, &terms, None, Reader::ByRange)
            .iter()
            .filter(|way| narrow(way))
            .count()
            > 1
    };
    let is_merge = access.kind == AccessKind::Merge;
    let uncertain = locking.is_none() && (is_merge || narrow(&access) && several());
    let shown = shown.to_owned();
    let table = Arc::clone(&table);
    let from = From { table, shown, access, index_use, sort, sorted, locking };
    let plan = finish(Some(from), None, outputs, columns, parts.limit, parts.offset);
    Ok(SelectPlan { uncertain, ..plan })
}

/// The terms that AND joins.
pub fn push_terms(node: Node, terms: &mut Vec<Node>) {
    match node.kind {
        Kind::And(nodes) => nodes.into_iter().for_each(|node| push_terms(node, terms)),
        _ => terms.push(node),
    }
}

/// The order that sort keys ask for, if it is one of columns in one direction.
pub fn simple_ordering(sort: &[SortKey]) -> Option<Ordering> {
    let descending = sort.first()?.descending;
    let columns = sort
        .iter()
        .map(|key| match key.node.kind {
            Kind::Column(position) if key.descending == descending => Some(position),
            _ => None,
        })
        .collect::<Option<Vec<usize>>>()?;
    Some(Ordering { columns, descending })
}

/// A sort key of ORDER BY: a position, an alias, or an expression.
fn sort_key(
    item: &OrderByExpr,
    names: &Names<'_>,
    outputs: &[Output],
    columns: &[ResultColumn],
) -> Bound<SortKey> {
    if item.options.nulls_first.is_some() || item.with_fill.is_some() {
        return elsewhere("NULLS FIRST");
    }
    let descending = item.options.asc == Some(false);
    let table = names.table.expect("only a SELECT from a table is sorted");
    let of_output = |n: usize| match &outputs[n] {
        Output::Column(position) => column_node(table, *position),
        Output::Node(node) => node.clone(),
    };
    let node = match bare_number(&item.expr) {
        Expr::Value(value) => match &value.value {
            // Another number is a constant.
            Literal::Number(digits, _) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                let n = digits.parse::<usize>().ok().filter(|n| (1..=outputs.len()).contains(n));
                let n = n.ok_or_else(|| SqlError::unknown_column(digits, "order clause"))?;
                of_output(n - 1)
            }
            _ => bind(&item.expr, names)?,
        },
        Expr::Identifier(ident) => {
            let alias = columns.iter().position(|column| {
                column.name.eq_ignore_ascii_case(&ident.value) && column.name != column.org_name
            });
            match alias {
                Some(n) => of_output(n),
                None => bind(&item.expr, names)?,
            }
        }
        // Within an expression an alias is one if no column has its name.
        expr if names_alias(expr, columns, table) => return elsewhere("an alias in an expression"),
        expr => bind(expr, names)?,
    };
    Ok(SortKey { node, descending })
}

/// Whether an expression has a name that is an alias of the select list and no column of the table.
fn names_alias(expr: &Expr, columns: &[ResultColumn], table: &TableDefinition) -> bool {
    let is_alias = |name: &str| {
        table.column(name).is_none()
            && columns.iter().any(|column| column.name.eq_ignore_ascii_case(name))
    };
    let found = visit_expressions(expr, |part| match part {
        Expr::Identifier(ident) if is_alias(&ident.value) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    found.is_break()
}

/// Sort keys of UPDATE and DELETE.
pub fn sort_keys(order: &[OrderByExpr], names: &Names<'_>) -> Bound<Vec<SortKey>> {
    order.iter().map(|item| sort_key(item, names, &[], &[])).collect()
}

fn all_columns(
    table: &Table,
    shown: &str,
    outputs: &mut Vec<Output>,
    columns: &mut Vec<ResultColumn>,
) {
    for (position, column) in table.columns.iter().enumerate() {
        outputs.push(Output::Column(position));
        columns.push(table_column(table, position, column.name.clone(), shown));
    }
}

/// The description of a table's column in a result.
pub fn table_column(table: &Table, position: usize, name: String, shown: &str) -> ResultColumn {
    let column = &table.columns[position];
    let leads = |unique: bool| {
        table.indexes.iter().skip(1).any(|index| {
            index.unique == unique
                && index.parts.first().is_some_and(|part| part.column == position)
                && (!unique || index.parts.len() == 1)
        })
    };
    let primary = table.indexes[0].parts.iter().any(|part| part.column == position);
    ResultColumn {
        name,
        org_name: column.name.clone(),
        table: shown.to_string(),
        org_table: table.name.clone(),
        database: table.database.clone(),
        ty: column.ty.clone(),
        nullable: column.nullable,
        flags: ColumnFlags {
            primary_key: primary,
            unique_key: leads(true),
            multiple_key: leads(false),
            auto_increment: column.auto_increment,
            no_default: !column.nullable
                && !column.auto_increment
                && column.default == rows::schema::DefaultValue::None,
            on_update_now: column.on_update_now,
        },
    }
}
