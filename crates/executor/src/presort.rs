//! Rows that are sorted before the rest is joined to them: where few are wanted of a sort, and the
//! first steps of a join have all that it sorts by.
//!
//! ```text
//! SELECT ... FROM log JOIN users ON ... WHERE log.kind = 3 ORDER BY log.made DESC LIMIT 10
//! ```
//! keeps the rows of that kind, sorts them, and looks for the users of ten.
//!
//! They are kept up to a number of bytes. Then the first of those are joined, and of the rows that
//! follow only those are kept which are before what was found.
//!
//! Invariants
//! 1. Rows that sort alike are joined in the order in which they came.
//!
//! Not here: the sort of joined rows (`output`), after how many steps it is known
//! (`plan::optimize`).

use std::cell::{Cell, RefCell};
use std::ops::Range;

use expression::{JoinedRow, JoinedRows, Ordinals, Scope};
use values::datum::Value;
use values::row::RowRef;

use super::drawn::DrawnBytes;
use super::join::{Then, over};
use super::output_value::{ordinals_of, push_sort_key};
use super::{Execution, Flow, row_bytes};
use plan::tree::{JoinStep, Query, Select, Source};
use results::{Result, SqlError};

/// Bytes of rows that are kept until they are joined.
const KEPT_BYTES_MAX: usize = 2 << 20;
/// Memory for them is taken in steps of so many bytes.
const DRAWN_BYTES: usize = 4 << 10;

/// What a sort with a limit has found out about the rows to come.
pub(super) struct SortCut {
    /// Rows with this key or a greater one are beyond the limit.
    bound: RefCell<Option<Vec<u8>>>,
    /// So many more are wanted of rows that come sorted.
    wanted: Cell<u64>,
}

impl SortCut {
    /// Nothing yet.
    pub fn new() -> SortCut {
        SortCut { bound: RefCell::default(), wanted: Cell::new(u64::MAX) }
    }

    /// Whether a row with this key is beyond the limit.
    pub fn is_beyond(&self, key: &[u8]) -> bool {
        self.bound.borrow().as_ref().is_some_and(|bound| key >= &bound[..])
    }

    /// Rows with this key and those behind it are beyond the limit.
    pub fn set_bound(&self, key: Option<Vec<u8>>) {
        self.bound.replace(key);
    }

    /// A row was taken; whether more are wanted.
    pub fn take(&self) -> Flow {
        let left = self.wanted.get().saturating_sub(1);
        self.wanted.set(left);
        if left == 0 { Flow::Stop } else { Flow::Continue }
    }
}

/// A kept row: places in `Presort::bytes` and `Presort::links`.
struct KeptRow {
    key: Range<usize>,
    links: Range<usize>,
}

/// The row of one relation.
struct Link {
    relation: usize,
    row: LinkRow,
}

enum LinkRow {
    Absent,
    /// Its key and its bytes, in `Presort::bytes`.
    Stored(Range<usize>, Range<usize>),
    Values(Vec<Value>),
}

/// Rows of the first steps, until the rest is joined to them.
pub(super) struct Presort<'p> {
    execution: &'p Execution<'p>,
    select: &'p Select,
    query: &'p Query,
    /// How what rows are sorted by is had as ordinals.
    ordinals: Vec<Option<Ordinals<'p>>>,
    rest: &'p [JoinStep],
    cut: &'p SortCut,
    /// Rows that LIMIT and OFFSET go through.
    wanted: u64,
    rows: Vec<KeptRow>,
    /// The relations of a row, the last first.
    links: Vec<Link>,
    bytes: Vec<u8>,
    value_bytes: usize,
    drawn: DrawnBytes<'p>,
}

impl<'p> Presort<'p> {
    /// For the joining of `rest`.
    pub fn new(
        execution: &'p Execution<'p>,
        (select, query): (&'p Select, &'p Query),
        rest: &'p [JoinStep],
        cut: &'p SortCut,
        wanted: u64,
    ) -> Presort<'p> {
        Presort {
            execution,
            select,
            query,
            ordinals: ordinals_of(select, query),
            rest,
            cut,
            wanted,
            rows: Vec::new(),
            links: Vec::new(),
            bytes: Vec::new(),
            value_bytes: 0,
            drawn: DrawnBytes::nothing(execution),
        }
    }

    /// Takes what the first steps have joined.
    ///
    /// # Errors
    /// Those of evaluating the sort key, of memory that is not to be had, and of `then`.
    pub fn add(
        &mut self,
        joined: &JoinedRows<'_>,
        scope: &Scope<'_>,
        then: &mut Then<'_>,
    ) -> Result<()> {
        let start = self.bytes.len();
        let of = (self.select, self.query);
        push_sort_key(of, &self.ordinals, &over(scope, Some(joined)), &mut self.bytes)?;
        let key = start..self.bytes.len();
        if self.cut.is_beyond(&self.bytes[key.clone()]) {
            self.bytes.truncate(start);
            return Ok(());
        }
        let first = self.links.len();
        let mut next = Some(joined);
        while let Some(JoinedRows { relation, row, before }) = next {
            let row = match row {
                JoinedRow::Absent => LinkRow::Absent,
                JoinedRow::Stored(row, key) => {
                    let start = self.bytes.len();
                    self.bytes.extend_from_slice(key);
                    let middle = self.bytes.len();
                    self.bytes.extend_from_slice(row.bytes());
                    LinkRow::Stored(start..middle, middle..self.bytes.len())
                }
                JoinedRow::Values(values) | JoinedRow::Repeated(values) => {
                    self.value_bytes += row_bytes(values);
                    LinkRow::Values(values.to_vec())
                }
            };
            self.links.push(Link { relation: *relation, row });
            next = *before;
        }
        self.rows.push(KeptRow { key, links: first..self.links.len() });
        let lists = self.rows.len() * size_of::<KeptRow>() + self.links.len() * size_of::<Link>();
        let bytes = self.bytes.len() + self.value_bytes + lists;
        self.drawn.keep_up_with(bytes, DRAWN_BYTES)?;
        if bytes < KEPT_BYTES_MAX { Ok(()) } else { self.join_rest(scope, then) }
    }

    /// Joins the rest to the first of what is kept, as far as they may be wanted.
    ///
    /// # Errors
    /// Those of reading the rows that were kept, and of `then`.
    pub fn join_rest(&mut self, scope: &Scope<'_>, then: &mut Then<'_>) -> Result<()> {
        let bytes = &self.bytes;
        self.rows.sort_by(|a, b| bytes[a.key.clone()].cmp(&bytes[b.key.clone()]));
        self.cut.wanted.set(self.wanted);
        for KeptRow { key, links } in &self.rows {
            if self.cut.is_beyond(&self.bytes[key.clone()])
                || self.join_again(&self.links[links.clone()], None, scope, then)? == Flow::Stop
            {
                break;
            }
        }
        self.rows.clear();
        self.links.clear();
        self.bytes.clear();
        self.value_bytes = 0;
        Ok(())
    }

    fn join_again(
        &self,
        links: &[Link],
        before: Option<&JoinedRows<'_>>,
        scope: &Scope<'_>,
        then: &mut Then<'_>,
    ) -> Result<Flow> {
        let relations = &self.select.relations;
        let Some((link, links)) = links.split_last() else {
            return self.execution.join(relations, self.rest, before, scope, then);
        };
        let row = match &link.row {
            LinkRow::Absent => JoinedRow::Absent,
            LinkRow::Values(values) => JoinedRow::Values(values),
            LinkRow::Stored(key, row) => {
                let Source::Table(table) = &relations[link.relation].source else {
                    return Err(SqlError::other("a stored row of no table"));
                };
                let row = RowRef::new(&table.layout, &self.bytes[row.clone()])?;
                JoinedRow::Stored(row, &self.bytes[key.clone()])
            }
        };
        let joined = JoinedRows { relation: link.relation, row: &row, before };
        self.join_again(links, Some(&joined), scope, then)
    }
}
