//! Binding a query: a parsed statement becomes a tree of relations in which every name is
//! resolved and every expression typed.
//!
//! ```text
//! query    WITH, UNION and its kin, ORDER BY and LIMIT of the whole
//! select   one SELECT, in the order in which MySQL gives its parts their meaning
//! from     tables, derived tables, joins        scope     what names mean
//! forms    aggregates, sub-queries, rows        grouping  what is seen above a GROUP BY
//! full_group  ONLY_FULL_GROUP_BY                dependence  what follows from a group's keys
//! full_text MATCH .. AGAINST
//! over_row values that a statement writes, with sub-queries in them
//! window   window functions                     recursion WITH RECURSIVE
//! view     views, and their queries as they are kept (qualify)
//! zero_date   `IS NULL` of days that are never NULL
//! ```
//!
//! Invariants
//! 1. What this tree cannot say fails with `BindFailure::Unsupported`: no executor knows it. What
//!    depends on literals is `NeedsLiterals` where only a statement's shape is bound.
//! 2. A tree that was bound with some literals is right for all literals of the same kinds.
//!
//! Not here: expressions (`scalar`), access paths and the order of joins (`optimize`).

mod assigned_in_order;
mod dependence;
mod forms;
mod from;
mod full_group;
mod full_text;
mod grouping;
mod json_table;
mod limit;
mod locking;
mod over_row;
mod qualify;
mod query;
mod recursion;
pub mod scalar;
mod scope;
mod select;
mod side_charset;
mod title;
mod view;
mod window;
mod zero_date;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use access::Rights;
use expression::{BIGINT, BIGINT_UNSIGNED, Kind, Node, RESULT_CHARS_MAX, UserVariable, text_type};
use rows::table::Table;
use sqlparser::ast;
use values::datum::{Datum, Value};
use values::types::{Collation, ColumnType, LobSize};
use values::{ErrorCode, SqlMode};

pub use from::ROW_KEY;
pub use limit::limit_to;
pub use over_row::{RowBinder, is_beyond_scalars};
pub use qualify::qualified_query;
pub use query::position;
pub use scope::PartlyReadable;
pub use title::item_name;
pub use view::{definer_rights, invalid_view};
pub use view::{inner_joined, keys_beneath, row_key_of, told_of};
pub use zero_date::zero_dates_as_null;

use self::full_text::BoundSearch;
use crate::bind::scalar::{Bound, needs_literals};
use crate::context::SqlContext;
use crate::optimize;
use crate::tree::{
    AskedQuery, BoundQuery, BoundView, OutputColumn, PinnedLiterals, Query, Traits, each_node_mut,
    free_references, push_compared_texts,
};
use results::{ResultColumn, SqlError};

/// The deepest that SELECTs may be nested, as in MySQL.
const NESTING_MAX: usize = 63;

/// What is known of the literals that `?N` stand for.
#[derive(Clone, Copy)]
pub enum Literals<'a> {
    /// All: their kinds become types.
    Known(&'a [Datum<'a>]),
    /// What depends on their kinds is refused, the rest is right for literals of any kind; these
    /// are at hand.
    OfAnyKind(&'a [Datum<'a>]),
}

/// A query as written, with what is needed to bind it.
#[derive(Clone, Copy)]
pub struct BindSource<'a> {
    /// The parsed query.
    pub query: &'a ast::Query,
    /// The items of its first SELECT as they were written, or nothing.
    pub texts: &'a [String],
    /// The literals that `?N` stand for.
    pub literals: Literals<'a>,
    /// Whether somebody asks for the names of its columns: who writes its rows somewhere does not.
    pub named: bool,
}

/// Binds a query.
///
/// # Errors
/// `Unsupported`, `NeedsLiterals` where these are not known, and those of what is wrong with it.
pub fn bind_query(source: &BindSource<'_>, facts: &SqlContext) -> Bound<BoundQuery> {
    bound_by(Binder::of(source, facts), source)
}

/// Binds a query of which only the columns are wanted: nobody's rights are asked.
///
/// # Errors
/// As `bind_query`.
pub fn describe_query(source: &BindSource<'_>, facts: &SqlContext) -> Bound<BoundQuery> {
    bound_by(Binder { is_described: true, ..Binder::of(source, facts) }, source)
}

/// Binds the query that a new view stands for: what ONLY_FULL_GROUP_BY refuses of it is said to
/// whoever reads the view, as in MySQL.
///
/// # Errors
/// As `bind_query`.
pub fn bind_new_view(source: &BindSource<'_>, facts: &SqlContext) -> Bound<BoundQuery> {
    let binder = Binder::of(source, facts);
    binder.mode.set(facts.mode.without_full_groups());
    bound_by(binder, source)
}

fn bound_by(binder: Binder<'_>, source: &BindSource<'_>) -> Bound<BoundQuery> {
    let mut query = binder.query(source.query, None)?;
    optimize::take_apart(&mut query, &|| binder.id());
    let tables = binder.tables.into_inner();
    let (Literals::Known(literals) | Literals::OfAnyKind(literals)) = source.literals;
    let has_kinds = matches!(source.literals, Literals::Known(_));
    let pinned = optimize::use_key_expressions(&mut query, &tables, literals, has_kinds);
    let Some(mut pinned) = pinned else {
        return needs_literals("elements of an array without their literals");
    };
    pinned.extend(binder.pinned.into_inner());
    let (traits, variables) = finish(&mut query, false);
    let mut compared_texts = Vec::new();
    each_node_mut(&mut query, 1, &mut |node, _| push_compared_texts(node, &mut compared_texts));
    Ok(BoundQuery {
        columns: query.columns.iter().map(result_column).collect(),
        query,
        literals: match source.literals {
            Literals::Known(literals) => literals.iter().map(kind_of).collect(),
            Literals::OfAnyKind(_) => Vec::new(),
        },
        pinned,
        compared_texts,
        tables,
        views: binder.views.into_inner(),
        variables,
        mode: binder.facts.mode,
        traits,
        reads_files: binder.reads_files.get(),
        locks: binder.locks.get(),
    })
}

/// What sub-queries refer to outside of them is known only when all is bound. `assigns`: variables
/// are assigned to beside the query, too.
fn finish(query: &mut Query, assigns: bool) -> (Traits, Vec<(String, ColumnType)>) {
    let (mut traits, mut variables) = (Traits::default(), Vec::new());
    each_node_mut(query, 1, &mut |node, _| {
        traits.nodes += 1;
        push_variable(node, &mut variables);
        match &mut node.kind {
            Kind::Subquery(subquery) => subquery.free = free_references(subquery.query_mut()),
            Kind::Call(function, _) => traits.waits |= function.waits(),
            Kind::Assign(..) => traits.assigns = true,
            _ => {}
        }
    });
    let assigns = assigns || traits.assigns;
    each_node_mut(query, 1, &mut |node, _| {
        if let Kind::Subquery(subquery) = &mut node.kind {
            subquery.is_volatile = gives_other_rows(subquery.query_mut(), assigns);
        }
    });
    (traits, variables)
}

/// Whether a query may give other rows each time that it is run in a statement.
fn gives_other_rows(query: &mut Query, assigns: bool) -> bool {
    let mut volatile = false;
    each_node_mut(query, 1, &mut |node, _| {
        volatile |= match &node.kind {
            Kind::UserVariable(_) => assigns,
            Kind::Assign(..) => true,
            Kind::Call(function, _) => function.is_volatile(),
            _ => false,
        };
    });
    volatile
}

/// The kind of a literal, as the type that it is bound with. Texts and decimals differ in length
/// from one execution to the next, so their types are roomy; a time has a fraction or none, because
/// its text shows all digits of its type.
pub fn kind_of(literal: &Datum<'_>) -> ColumnType {
    let fsp = |micros: u32| if micros == 0 { 0 } else { 6 };
    match literal {
        Datum::Null => ColumnType::VarBinary { bytes: 0 },
        Datum::Int(_) => BIGINT,
        Datum::UInt(_) => BIGINT_UNSIGNED,
        Datum::Float(_) => ColumnType::Float(None),
        Datum::Double(_) => ColumnType::Double(None),
        Datum::Decimal(v) => {
            let scale = v.scale().min(30);
            let precision = v.whole_digits().max(30) + scale;
            ColumnType::Decimal { precision: precision.min(65), scale }
        }
        Datum::Bytes(_) => text_type(RESULT_CHARS_MAX),
        Datum::Date(_) => ColumnType::Date,
        Datum::Time(v) => ColumnType::Time { fsp: fsp(v.fraction()) },
        Datum::DateTime(v) => ColumnType::DateTime { fsp: fsp(v.micros()) },
        Datum::Timestamp(v) => ColumnType::Timestamp { fsp: fsp((v.micros() % 1_000_000) as u32) },
        Datum::Year(_) => ColumnType::Year,
        Datum::Enum(_) => BIGINT,
        Datum::Set(_) => BIGINT_UNSIGNED,
    }
}

/// The type of a user variable: that of the value it was given (MySQL 9.7 answers so:
/// tests/oracle/sql/wanted.py). One that was given none is a VARCHAR of the connection's
/// collation, as no other is.
pub fn variable_type(variable: Option<&UserVariable>) -> ColumnType {
    let Some(UserVariable { value, collation }) = variable else {
        return text_type(RESULT_CHARS_MAX);
    };
    match value {
        Value::Null => kind_of(&Datum::Null),
        Value::Bytes(_) if *collation == Collation::Binary => {
            ColumnType::Blob { size: LobSize::Long }
        }
        Value::Bytes(_) => ColumnType::Text { size: LobSize::Long, collation: *collation },
        Value::Float(_) => ColumnType::Double(None),
        Value::Year(_) => BIGINT_UNSIGNED,
        other => kind_of(&other.as_datum()),
    }
}

/// User variables by lower-case name.
pub type UserVariables = HashMap<String, UserVariable>;

/// Whether what was bound with user variables of some types is right for these.
pub fn same_variables(types: &[(String, ColumnType)], variables: &UserVariables) -> bool {
    types.iter().all(|(name, ty)| match variables.get(name) {
        None => matches!(ty, ColumnType::VarChar { .. }),
        variable => variable_type(variable) == *ty,
    })
}

/// The user variables that an expression reads, with the types that it was bound with.
pub fn push_variables(node: &Node, variables: &mut Vec<(String, ColumnType)>) {
    node.visit(&mut |part| push_variable(part, variables));
}

fn push_variable(node: &Node, variables: &mut Vec<(String, ColumnType)>) {
    if let Kind::UserVariable(name) = &node.kind
        && !variables.iter().any(|(known, _)| known == name)
    {
        variables.push((name.clone(), node.ty.clone()));
    }
}

/// Whether a tree bound with literals of some kinds is right for these.
pub fn same_kinds(kinds: &[ColumnType], literals: &[Datum<'_>]) -> bool {
    kinds.len() == literals.len()
        && kinds.iter().zip(literals).all(|(kind, literal)| kind_of(literal) == *kind)
}

fn result_column(column: &OutputColumn) -> ResultColumn {
    let nullable = column.nullable;
    match &column.origin {
        // Of what a derived table computes, only the names are known there.
        Some(origin) if origin.org_table.is_empty() => ResultColumn {
            name: column.name.clone(),
            ty: column.ty.clone(),
            nullable,
            ..(**origin).clone()
        },
        Some(origin) => {
            let mut shown = ResultColumn::clone(origin);
            shown.name.clone_from(&column.name);
            shown.nullable = nullable;
            shown
        }
        None => ResultColumn::computed(column.name.clone(), column.ty.clone(), nullable),
    }
}

/// Most relations of a statement: a table of WITH that is used twice by the next, and so on,
/// doubles them each time.
const RELATIONS_MAX: usize = 4096;

/// A table of WITH.
#[derive(Clone)]
struct CommonTable {
    name: String,
    rows: CommonRows,
    /// How many relations it has.
    relations: usize,
    /// How many SELECTs are around the one that it is for.
    around: usize,
}

/// What a table of WITH holds.
#[derive(Clone)]
enum CommonRows {
    /// A query's rows.
    Query(Box<Query>),
    /// Within its own recursion: the rows that were added last.
    Added {
        /// The recursion's number.
        recursion: usize,
        columns: Vec<OutputColumn>,
        /// How deep the SELECTs are nested that may read it: within a sub-query it is another
        /// matter each time.
        nesting: usize,
    },
}

/// What a statement is bound against.
struct Binder<'a> {
    facts: &'a SqlContext,
    literals: Literals<'a>,
    named: bool,
    /// WITH, innermost last.
    ctes: RefCell<Vec<CommonTable>>,
    /// Relations bound so far, those within the uses of WITH's tables counted each time.
    relations: Cell<usize>,
    ids: Cell<usize>,
    nesting: Cell<usize>,
    tables: RefCell<Vec<Arc<Table>>>,
    views: RefCell<Vec<BoundView>>,
    /// The numbers of the queries that views stand for.
    view_queries: RefCell<Vec<usize>>,
    /// With whose rights names are looked up.
    rights: RefCell<Arc<Rights>>,
    /// sql_mode and what goes with it, as the view has it within which names are bound.
    mode: Cell<SqlMode>,
    /// Whether only columns are wanted, not rows: nobody's rights are asked.
    is_described: bool,
    /// The views within whose queries names are bound, by number.
    views_around: RefCell<Vec<u32>>,
    /// Full-text searches bound so far.
    searches: RefCell<Vec<BoundSearch>>,
    /// Literals whose values what was bound depends on.
    pinned: RefCell<PinnedLiterals>,
    /// Whether a relation is `FILE(...)`.
    reads_files: Cell<bool>,
    /// Whether some SELECT locks rows.
    locks: Cell<bool>,
    /// Whether plain reads do.
    reads_lock: bool,
    /// The first SELECT, and its items as they were written.
    titles: Option<(&'a ast::Select, &'a [String])>,
}

impl<'a> Binder<'a> {
    fn of(source: &BindSource<'a>, facts: &'a SqlContext) -> Binder<'a> {
        let titles = match query::first_select(&source.query.body) {
            Some(select) if select.projection.len() == source.texts.len() => {
                Some((select, source.texts))
            }
            _ => None,
        };
        Binder { named: source.named, titles, ..Binder::new(facts, source.literals) }
    }

    fn new(facts: &'a SqlContext, literals: Literals<'a>) -> Binder<'a> {
        Binder {
            facts,
            literals,
            named: false,
            ctes: RefCell::default(),
            relations: Cell::new(0),
            ids: Cell::new(0),
            nesting: Cell::new(0),
            tables: RefCell::default(),
            views: RefCell::default(),
            view_queries: RefCell::default(),
            rights: RefCell::new(Arc::clone(&facts.rights)),
            mode: Cell::new(facts.mode),
            is_described: false,
            views_around: RefCell::default(),
            searches: RefCell::default(),
            pinned: RefCell::default(),
            reads_files: Cell::new(false),
            locks: Cell::new(false),
            reads_lock: facts.reads_lock,
            titles: None,
        }
    }

    fn id(&self) -> usize {
        self.ids.replace(self.ids.get() + 1)
    }

    /// Refuses what depends on the kinds of literals, as long as these are not known.
    fn want_literals(&self, what: &str) -> Bound<()> {
        match self.literals {
            Literals::Known(_) => Ok(()),
            Literals::OfAnyKind(_) => needs_literals(format_args!("{what} without its literals")),
        }
    }

    /// Counts so many more relations.
    fn count_relations(&self, more: usize) -> Bound<()> {
        let relations = self.relations.get() + more;
        self.relations.set(relations);
        if relations > RELATIONS_MAX {
            let message = format!("The statement is too complex: more than {RELATIONS_MAX} tables");
            return Err(SqlError::new(ErrorCode::StackOverrun, message).into());
        }
        Ok(())
    }

    /// Goes one SELECT deeper.
    fn nested<T>(&self, bind: impl FnOnce() -> Bound<T>) -> Bound<T> {
        self.facts.limits.check()?;
        let depth = self.nesting.get() + 1;
        if depth > NESTING_MAX {
            return Err(SqlError::new(
                ErrorCode::TooHighLevelOfNesting,
                format!("Too high level of nesting for select, the most is {NESTING_MAX}"),
            )
            .into());
        }
        self.nesting.set(depth);
        let bound = bind();
        self.nesting.set(depth - 1);
        bound
    }
}
