//! The bound tree of a query: relations and typed expressions with every name resolved.
//!
//! ```text
//! Query    ORDER BY and LIMIT over a body           Body      a SELECT, a set operation, VALUES, ..
//! Select   relations joined, filtered, grouped      Relation  a table, a derived table, a listing
//! ```
//! A column of a joined row is a *slot*: the relation's number within its SELECT and the column's
//! within the relation (`expression::slot`). Above a grouping, columns are positions in the group's
//! row (`Grouping`), above window functions in theirs (`Windowing`). A column of an enclosing
//! SELECT is `Kind::Outer(level, slot)`.
//!
//! Invariants
//! 1. Nothing here knows a syntax tree, a session or an executor.
//! 2. `Query::columns` are the first of a row's values; what follows them is only sorted by.
//! 3. Ids of queries and relations are unique within a statement: what is computed once in an
//!    execution is kept under them.
//!
//! Not here: how it is made (`bind`), the order of joins and the ways to rows (`optimize`).

mod aggregate;
mod aggregate_table;
mod bound_view;
mod compared_texts;
mod full_text;
mod limit;
mod pinned_literals;
mod point_select;
mod step;
mod subquery;
mod walk;
mod window;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use resources::forecast::Forecast;
use rows::Engine;
use rows::row_lock_wait::LockMode;
use rows::table::Table;
use values::SqlMode;
use values::types::ColumnType;

pub use aggregate::{Aggregate, KEPT_DIGITS};
pub use aggregate_table::{AggregateFunction, averaged};
pub use bound_view::BoundView;
pub use compared_texts::{ComparedText, TextCheck, compared_texts_of, push_compared_texts};
use expression::{JsonTable, Node, parts_of};
pub use full_text::{FullTextMode, FullTextQuery};
pub use limit::row_count;
pub use pinned_literals::{PinnedLiterals, are_pinned, pin_all};
pub use point_select::{PointSelect, ResultOutput, RowOrigin};
pub use step::{Class, HashKeys, JoinStep, Member, Scan, class_of};
pub use subquery::{AskedQuery, Members};
pub use walk::{deepen_references, each_node_mut, free_references, outer_slots_mut};
pub use window::{
    Frame, FrameBound, WINDOW_FUNCTIONS, Window, WindowCall, WindowFunction, Windowing,
};

use crate::index_use::IndexUse;
use crate::listing::{NameColumns, SystemSchema};
use files::table::FileTable;
use results::ResultColumn;

/// A query as it was bound, not planned yet.
#[derive(Debug)]
pub struct BoundQuery {
    /// The query.
    pub query: Query,
    /// Its columns for the client.
    pub columns: Arc<[ResultColumn]>,
    /// Tables that it reads.
    pub tables: Vec<Arc<Table>>,
    /// Views that it reads.
    pub views: Vec<BoundView>,
    /// The kinds of the literals that it was bound with; none are here if it is right for any.
    pub literals: Vec<ColumnType>,
    /// Literals whose values it depends on.
    pub pinned: PinnedLiterals,
    /// Texts that are to be days, times or numbers.
    pub compared_texts: Vec<ComparedText>,
    /// The types of the user variables that it was bound with.
    pub variables: Vec<(String, ColumnType)>,
    /// The mode that it was bound in.
    pub mode: SqlMode,
    /// What is to be known of its expressions.
    pub traits: Traits,
    /// Whether it reads files.
    pub reads_files: bool,
    /// Whether it locks rows of some relation.
    pub locks: bool,
}

/// What a statement's shape means: a query with all that its being right depends on.
#[derive(Debug)]
pub struct QueryPlan {
    /// No other has it while the server runs.
    pub number: u64,
    /// The query, planned for the row executor.
    pub query: Query,
    /// The query as it was bound, for the analytic way.
    pub written: Query,
    /// Its columns for the client.
    pub columns: Arc<[ResultColumn]>,
    /// Tables that it reads.
    pub tables: Vec<Arc<Table>>,
    /// Views that it reads.
    pub views: Vec<BoundView>,
    /// How many rows they had when it was planned, of those of which that is known.
    pub sizes: Vec<Option<u64>>,
    /// The types of the literals that it was bound with.
    pub literals: Vec<ColumnType>,
    /// Literals whose values it depends on.
    pub pinned: PinnedLiterals,
    /// Texts that are to be days, times or numbers.
    pub compared_texts: Vec<ComparedText>,
    /// The types of the user variables that it was bound with.
    pub variables: Vec<(String, ColumnType)>,
    /// The mode that it was bound in.
    pub mode: SqlMode,
    /// What is to be known of its expressions.
    pub traits: Traits,
    /// Whether only the row executor answers it rightly.
    pub needs_rows: bool,
    /// Whether it reads files. They are of this statement alone, so that the plan is not kept, and
    /// nothing but DataFusion's plan reads them in pieces.
    pub reads_files: bool,
    /// Whether it locks rows of some relation: only the row executor knows which.
    pub locks: bool,
    /// What its runs come to, and those of others that are made of the same statement.
    pub runs: Arc<RunForecast>,
}

/// Runs that were too long, more than others, from which on the next is likely to be, too.
const LONG_RUNS: u8 = 2;

/// What a statement's runs come to, by whichever of its plans.
#[derive(Debug)]
pub struct RunForecast {
    /// Whether it is more than an event loop is for.
    pub in_loop: Forecast,
}

impl Default for RunForecast {
    fn default() -> RunForecast {
        RunForecast { in_loop: Forecast::after(LONG_RUNS) }
    }
}

/// What is to be known of all expressions of a query.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traits {
    /// How many nodes there are.
    pub nodes: usize,
    /// Whether evaluating them can take long (SLEEP).
    pub waits: bool,
    /// Whether they set user variables.
    pub assigns: bool,
}

impl QueryPlan {
    /// Whether its tables and views are as it saw them.
    pub fn is_current(&self) -> bool {
        self.tables.iter().all(|table| table.is_current())
            && self.views.iter().all(BoundView::is_current)
    }

    /// Whether they are about as large as then: another way would be the best otherwise.
    pub fn is_of_size(&self, engine: &Engine) -> bool {
        self.tables.iter().zip(&self.sizes).all(|(table, then)| is_of_size(table, *then, engine))
    }
}

/// Whether a table is about as large as it was when it was planned for, if that is known.
pub fn is_of_size(table: &Table, then: Option<u64>, engine: &Engine) -> bool {
    let (Some(then), Ok(Some(now))) = (then, engine.row_count(table)) else { return true };
    let (less, more) = (then.min(now), then.max(now));
    more <= ROWS_FEW || more <= ROWS_RATIO * less
}

/// Tables of so many rows are alike, whatever is asked of them.
const ROWS_FEW: u64 = 32;
/// How many times the rows a table has for which another plan is made.
const ROWS_RATIO: u64 = 4;

/// A query.
#[derive(Clone, Debug)]
pub struct Query {
    /// Its number.
    pub id: usize,
    /// Where its rows come from.
    pub body: Body,
    /// Its columns.
    pub columns: Vec<OutputColumn>,
    /// ORDER BY, by positions of the body's row.
    pub order: Vec<SortKey>,
    /// LIMIT.
    pub limit: Option<Node>,
    /// OFFSET.
    pub offset: Option<Node>,
    /// About how many rows it gives, once it is planned.
    pub rows: f64,
    /// About how many rows are looked at for it, once it is planned.
    pub cost: f64,
}

impl Query {
    /// Whether MySQL merges it, as a derived table or a view, into the query around it: it only
    /// joins and filters.
    pub fn is_merged_by_mysql(&self) -> bool {
        let is_whole = self.limit.is_none() && self.offset.is_none();
        match &self.body {
            Body::Select(select) => {
                is_whole && select.is_plain() && !select.distinct && !select.relations.is_empty()
            }
            _ => false,
        }
    }

    /// Whether rows beyond LIMIT are counted: SQL_CALC_FOUND_ROWS in the first SELECT.
    pub fn counts_found(&self) -> bool {
        match &self.body {
            Body::Select(select) => select.counts_found,
            Body::Set(set) => set.sides.first().is_some_and(Query::counts_found),
            _ => false,
        }
    }

    /// Whether rows are to be locked that it joins; those of sub-queries in its expressions are not
    /// counted.
    pub fn locks_rows(&self) -> bool {
        match &self.body {
            Body::Select(select) => select.locks_rows(),
            Body::Set(set) => set.sides.iter().any(Query::locks_rows),
            Body::Recursion(all) => all.first.locks_rows() || all.next.locks_rows(),
            Body::Values(_) | Body::JsonTable(_) | Body::FullText(_) => false,
        }
    }

    /// Whether a column is the same in all rows, whatever tables hold: `SELECT '5'`.
    pub fn is_fixed(&self, at: usize) -> bool {
        match &self.body {
            Body::Select(select) => select.outputs.get(at).is_some_and(Node::is_fixed),
            Body::Set(_)
            | Body::Recursion(_)
            | Body::Values(_)
            | Body::JsonTable(_)
            | Body::FullText(_) => false,
        }
    }

    /// Whether it aggregates all that it finds into one row, so that it has a row whatever it
    /// finds.
    pub fn gives_one_row(&self) -> bool {
        let Body::Select(select) = &self.body else { return false };
        let all = |grouping: &Grouping| grouping.keys.is_empty();
        self.limit.is_none()
            && self.offset.is_none()
            && select.having.is_none()
            && select.grouping.as_ref().is_some_and(all)
    }

    /// A query of a body, without order and limit, and not planned yet.
    pub fn new(id: usize, body: Body, columns: Vec<OutputColumn>) -> Query {
        let (order, limit, offset) = (Vec::new(), None, None);
        Query { id, body, columns, order, limit, offset, rows: 0.0, cost: 0.0 }
    }
}

/// A column that a query gives.
#[derive(Clone, Debug)]
pub struct OutputColumn {
    /// Its name for the client.
    pub name: String,
    /// Its type.
    pub ty: ColumnType,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// The table's column that it is.
    pub origin: Option<Arc<ResultColumn>>,
    /// Whether averages keep the digits that they were computed with, more than the type shows:
    /// they are to be stored.
    pub keeps_digits: bool,
    /// How readily its text takes over the collation of another side of a UNION
    /// (`Node::collation`).
    pub coercibility: u8,
}

/// The coercibility of a column.
pub const IMPLICIT: u8 = 2;

/// A key of ORDER BY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// Position in the row.
    pub position: usize,
    /// DESC.
    pub descending: bool,
}

/// Where a query's rows come from.
#[derive(Clone, Debug)]
pub enum Body {
    /// A SELECT.
    Select(Box<Select>),
    /// UNION and its kin.
    Set(Box<SetOperation>),
    /// WITH RECURSIVE.
    Recursion(Box<Recursion>),
    /// VALUES.
    Values(Vec<Vec<Node>>),
    /// JSON_TABLE.
    JsonTable(Box<JsonTable>),
    /// How rare the words of a full-text search are: what MATCH is computed of.
    FullText(Box<FullTextQuery>),
}

/// A recursive common table expression: the rows of one query, then what another makes of the rows
/// that were added last, until it adds none.
#[derive(Clone, Debug)]
pub struct Recursion {
    /// Its number: `Source::Added` has it too.
    pub id: usize,
    /// UNION ALL: rows that are there already are added as well.
    pub all: bool,
    /// The rows to begin with.
    pub first: Query,
    /// What adds rows.
    pub next: Query,
}

/// Which set operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperator {
    /// UNION.
    Union,
    /// INTERSECT.
    Intersect,
    /// EXCEPT.
    Except,
}

/// A set operation over two sides or more.
#[derive(Clone, Debug)]
pub struct SetOperation {
    /// Which.
    pub operator: SetOperator,
    /// ALL: equal rows stay.
    pub all: bool,
    /// Its sides, from the left.
    pub sides: Vec<Query>,
}

/// A SELECT.
#[derive(Clone, Debug)]
pub struct Select {
    /// FROM, by number.
    pub relations: Vec<Relation>,
    /// How they are joined, as written.
    pub join: Option<Join>,
    /// WHERE, as terms joined by AND.
    pub conditions: Vec<Node>,
    /// GROUP BY and aggregates.
    pub grouping: Option<Grouping>,
    /// HAVING: over the group's row, or over the joined row where there is no grouping.
    pub having: Option<Node>,
    /// Window functions, over the same.
    pub windowing: Option<Windowing>,
    /// What it gives: over the window functions' row, or over what they would be over.
    pub outputs: Vec<Node>,
    /// How many of the outputs are columns; the rest is only sorted by.
    pub visible: usize,
    /// DISTINCT.
    pub distinct: bool,
    /// SQL_CALC_FOUND_ROWS: rows beyond LIMIT are counted.
    pub counts_found: bool,
    /// SELECT STRAIGHT_JOIN: relations are joined in the order in which FROM has them.
    pub straight: bool,
    /// How it is run, once it is planned.
    pub plan: SelectPlan,
}

impl Select {
    /// Expressions over joined rows, all of them, of which so many are columns.
    pub fn of_all(
        relations: Vec<Relation>,
        join: Option<Join>,
        outputs: Vec<Node>,
        visible: usize,
    ) -> Select {
        Select {
            relations,
            join,
            conditions: Vec::new(),
            grouping: None,
            having: None,
            windowing: None,
            outputs,
            visible,
            distinct: false,
            counts_found: false,
            straight: false,
            plan: SelectPlan::default(),
        }
    }

    /// Whether it only joins and filters, DISTINCT apart: a joined row is one of the result.
    pub fn is_plain(&self) -> bool {
        self.grouping.is_none()
            && self.having.is_none()
            && self.windowing.is_none()
            && !self.counts_found
    }

    /// Whether a relation of it is a query that sees the ones before it.
    pub fn has_lateral(&self) -> bool {
        self.relations.iter().any(|relation| relation.lateral.is_some())
    }

    /// Whether rows are to be locked that it joins, or that derived tables in its FROM join.
    pub fn locks_rows(&self) -> bool {
        self.relations.iter().any(|relation| match &relation.source {
            Source::Query(query) => query.locks_rows(),
            _ => relation.locking.is_some(),
        })
    }
}

/// How a SELECT is run.
#[derive(Clone, Debug, Default)]
pub struct SelectPlan {
    /// Terms that no relation is needed for.
    pub once: Vec<Node>,
    /// The relations in the order of joining.
    pub steps: Vec<JoinStep>,
    /// Whether the first step's order is that of ORDER BY.
    pub ordered: bool,
    /// After how many steps all is known that rows are sorted by, if others follow.
    pub sorted_after: Option<usize>,
    /// What is kept of rows until it is known which are given, if not all that is given.
    pub late: Option<LateRows>,
    /// Whether the rows of each group come one after the other, in the first step's order.
    pub grouped: bool,
    /// Whether the first joined row decides: MIN or MAX of what an index orders.
    pub first_row: bool,
    /// Whether it is COUNT(*) of a whole table of rows, which one after another may ask for until
    /// somebody writes to it.
    pub counts_all: bool,
    /// Whether its aggregates are known of the table without reading rows, where the view shows
    /// the table by column.
    pub is_known: bool,
    /// Ids of sub-queries whose members are found before any row asks by itself.
    pub members_first: Vec<usize>,
}

/// Rows of a sort with a limit that are looked up when they are given.
#[derive(Clone, Debug)]
pub struct LateRows {
    /// The only relation.
    pub relation: usize,
    /// The columns of its primary key.
    pub key: Vec<Node>,
    /// How many rows may be wanted, at most: of more all columns are kept, which are at hand then.
    pub rows_max: f64,
}

/// A relation of FROM.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its alias or name.
    pub name: String,
    /// What it is.
    pub source: Source,
    /// Types of its columns.
    pub types: Vec<ColumnType>,
    /// Which indexes of a table may be used.
    pub index_use: IndexUse,
    /// FOR UPDATE, FOR SHARE: the rows of a table that its SELECT joins are locked.
    pub locking: Option<Locking>,
    /// What a LATERAL query sees of the row that is joined before; `None`: nothing.
    pub lateral: Option<LateralNames>,
}

/// What the query of a relation names outside of itself: it is run for each row joined before.
#[derive(Clone, Debug, Default)]
pub struct LateralNames {
    /// Columns of relations before it, by slot.
    pub slots: Vec<usize>,
}

impl LateralNames {
    /// The relations before it that it names, as a set of bits.
    pub fn relations(&self) -> u64 {
        self.slots.iter().fold(0, |all, slot| all | 1 << parts_of(*slot).0)
    }
}

/// How a locking read locks the rows that it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locking {
    /// FOR UPDATE: alone; FOR SHARE: beside others who read so.
    pub mode: LockMode,
    /// What becomes of a row that another transaction has locked.
    pub on_conflict: LockConflict,
    /// Whether the statement does not say so itself: it reads at SERIALIZABLE.
    pub is_implied: bool,
    /// Whether a transaction that locks ranges locks those that the rows are looked for in: not
    /// where a LIMIT may end the reading, but at SERIALIZABLE.
    pub with_ranges: bool,
}

impl Locking {
    /// How a plain read locks at SERIALIZABLE.
    pub const IMPLIED: Locking = Locking {
        mode: LockMode::Shared,
        on_conflict: LockConflict::Wait,
        is_implied: true,
        with_ranges: true,
    };
}

/// What a locking read does about a row that another transaction has locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockConflict {
    /// It waits.
    Wait,
    /// It fails: NOWAIT.
    NoWait,
    /// It goes without the row: SKIP LOCKED.
    SkipLocked,
}

/// What a relation is.
#[derive(Clone, Debug)]
pub enum Source {
    /// A stored table.
    Table(Arc<Table>),
    /// A derived table or a common table expression.
    Query(Box<Query>),
    /// Within a recursion of this number: the rows that were added last.
    Added(usize),
    /// A table of a database that is the server's own.
    Listing(CatalogListing),
    /// Files: `FILE('...')`.
    File(Arc<FileTable>),
}

/// A table of a database that is the server's own, in a query.
#[derive(Clone, Debug)]
pub struct CatalogListing {
    /// The database.
    pub schema: SystemSchema,
    /// Its name.
    pub name: String,
    /// Whether the query names what takes long to find out: how large tables are.
    pub sizes: Arc<AtomicBool>,
    /// Where it has names, by which it may be looked up.
    pub names: NameColumns,
}

impl CatalogListing {
    /// One of which no more is known than its name.
    pub fn named(schema: SystemSchema, name: &str) -> CatalogListing {
        let (sizes, names) = (Arc::default(), NameColumns::default());
        CatalogListing { schema, name: name.to_owned(), sizes, names }
    }
}

/// How relations are joined, as written.
#[derive(Clone, Debug)]
pub enum Join {
    /// One relation.
    Relation(usize),
    /// All of them, where the terms hold.
    Inner(Vec<Join>, Vec<Node>),
    /// As `Inner` of two; STRAIGHT_JOIN: the left side is read before the right.
    Straight(Box<Join>, Box<Join>, Vec<Node>),
    /// The left side, with the right side's rows where the terms hold, or NULLs.
    Left(Box<Join>, Box<Join>, Vec<Node>),
}

impl Join {
    /// The relations beneath, as a set of bits.
    pub fn relations(&self) -> u64 {
        match self {
            Join::Relation(number) => 1 << number,
            Join::Inner(members, _) => members.iter().fold(0, |all, one| all | one.relations()),
            Join::Straight(left, right, _) | Join::Left(left, right, _) => {
                left.relations() | right.relations()
            }
        }
    }

    /// The relations beneath whose rows may be NULLs, as a set of bits.
    pub fn nullable(&self) -> u64 {
        match self {
            Join::Relation(_) => 0,
            Join::Inner(members, _) => members.iter().fold(0, |all, one| all | one.nullable()),
            Join::Straight(left, right, _) => left.nullable() | right.nullable(),
            Join::Left(left, right, _) => left.nullable() | right.relations(),
        }
    }

    /// Calls `each` with every term of ON, those of inner joins first.
    pub fn each_term(&self, each: &mut dyn FnMut(&Node)) {
        match self {
            Join::Relation(_) => {}
            Join::Inner(members, terms) => {
                members.iter().for_each(|member| member.each_term(each));
                terms.iter().for_each(each);
            }
            Join::Straight(left, right, terms) | Join::Left(left, right, terms) => {
                left.each_term(each);
                right.each_term(each);
                terms.iter().for_each(each);
            }
        }
    }

    /// As `each_term`.
    pub fn each_term_mut(&mut self, each: &mut dyn FnMut(&mut Node)) {
        match self {
            Join::Relation(_) => {}
            Join::Inner(members, terms) => {
                members.iter_mut().for_each(|member| member.each_term_mut(each));
                terms.iter_mut().for_each(each);
            }
            Join::Straight(left, right, terms) | Join::Left(left, right, terms) => {
                left.each_term_mut(each);
                right.each_term_mut(each);
                terms.iter_mut().for_each(each);
            }
        }
    }
}

/// GROUP BY with what is computed over its groups. A group's row has the keys, then the
/// aggregates, then the others.
#[derive(Clone, Debug, Default)]
pub struct Grouping {
    /// What is grouped by, over the joined row.
    pub keys: Vec<Node>,
    /// WITH ROLLUP.
    pub rollup: bool,
    /// Aggregates over the joined rows.
    pub aggregates: Vec<Aggregate>,
    /// Further expressions over the joined row, of which a group has those of its first row.
    pub others: Vec<Node>,
}

impl Grouping {
    /// Calls `each` with every expression over the joined row.
    pub fn each_node_mut(&mut self, each: &mut dyn FnMut(&mut Node)) {
        self.keys.iter_mut().chain(&mut self.others).for_each(&mut *each);
        for aggregate in &mut self.aggregates {
            let sorted = aggregate.order.iter_mut().map(|(node, _)| node);
            aggregate.arguments.iter_mut().chain(sorted).for_each(&mut *each);
        }
    }
}
