//! Which indexes of a table a statement may use: what USE, FORCE and IGNORE INDEX say.
//!
//! A hint is about look-ups (FOR JOIN), about the order of rows (FOR ORDER BY), about groups (FOR
//! GROUP BY), or about all of them when it names none. Rules: MySQL 8.0 manual, 10.9.4; where that
//! is silent, MariaDB 10.11's answers (`tests/index_hints.rs`).
//!
//! Invariants
//! 1. A hint never keeps rows from being found: all of them can always be read in the order in
//!    which they are stored, whatever becomes of the primary key as an index.
//!
//! Not here: what the allowed indexes cost (`point::access`, `optimize::access`),
//! which ask this.

use std::sync::Arc;

use rows::partition::PartitionId;
use rows::schema::IndexState;
use rows::table::Table;
use sqlparser::ast::{TableFactor, TableIndexHintForClause, TableIndexHintType, TableIndexHints};
use values::ErrorCode;

use results::{Result, SqlError};

/// Indexes of a table, by position, multi-valued ones behind the others. A table has 64 at most;
/// the columnar one stands behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct IndexSet(u128);

/// The columnar index among the others.
const COLUMNAR: usize = 127;
/// A full-text one, which MATCH uses whatever hints say, as in MySQL.
const FULL_TEXT: usize = 126;

impl IndexSet {
    const ALL: IndexSet = IndexSet(!0);
    const NONE: IndexSet = IndexSet(0);
    const COLUMNAR: IndexSet = IndexSet(1 << COLUMNAR);

    fn add(&mut self, index: usize) {
        self.0 |= 1 << index;
    }

    fn has(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }
}

/// Whether the columnar index of a table is read in the place of its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnarUse {
    /// Where that costs less.
    #[default]
    ByCost,
    /// FORCE INDEX or USE INDEX names it: wherever it has all that is needed.
    Forced,
    /// IGNORE INDEX names it, or only others are to be used.
    Ignored,
}

/// What a statement may use of a table's indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexUse {
    look_ups: IndexSet,
    orders: IndexSet,
    forced: bool,
    columnar: ColumnarUse,
    partitions: Option<PartitionSet>,
}

/// The partitions of a table that a statement names: PARTITION (..).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionSet(Arc<[PartitionId]>);

impl PartitionSet {
    /// Of a table, by their names, which are shown as those of `shown`.
    ///
    /// # Errors
    /// 1747 for a table without partitions, 1735 for a name that none has.
    pub fn of(table: Option<&Table>, shown: &str, names: &[String]) -> Result<PartitionSet> {
        let Some(partitioning) = table.and_then(|table| table.partitioning.as_ref()) else {
            return Err(SqlError::new(
                ErrorCode::PartitionClauseOnNonpartitioned,
                "PARTITION () clause on non partitioned table",
            ));
        };
        let id = |name: &String| match partitioning.partition(name) {
            Some(at) => Ok(partitioning.partitions[at].id),
            None => Err(SqlError::new(
                ErrorCode::UnknownPartition,
                format!("Unknown partition '{name}' in table '{shown}'"),
            )),
        };
        names.iter().map(id).collect::<Result<_>>().map(PartitionSet)
    }

    /// Their numbers, in no order.
    pub fn ids(&self) -> &[PartitionId] {
        &self.0
    }
}

impl Default for IndexUse {
    fn default() -> IndexUse {
        IndexUse {
            look_ups: IndexSet::ALL,
            orders: IndexSet::ALL,
            forced: false,
            columnar: ColumnarUse::ByCost,
            partitions: None,
        }
    }
}

impl IndexUse {
    /// Whether rows may be looked up in an index, or all of its entries read in their place.
    pub fn looks_up(&self, index: usize) -> bool {
        self.look_ups.has(index)
    }

    /// Whether rows may be looked up in a multi-valued index, by its position among those.
    pub fn looks_up_array(&self, table: &Table, index: usize) -> bool {
        self.look_ups.has(table.indexes.len() + index)
    }

    /// Whether rows may be read in the order of an index.
    pub fn orders(&self, index: usize) -> bool {
        self.orders.has(index)
    }

    /// FORCE: all rows are read only where no allowed index finds some of them.
    pub fn is_forced(&self) -> bool {
        self.forced
    }

    /// The partitions that the statement names, if it names some.
    pub fn partitions(&self) -> Option<&PartitionSet> {
        self.partitions.as_ref()
    }

    /// What becomes of the columnar index.
    pub fn columnar(&self) -> ColumnarUse {
        self.columnar
    }

    /// What the hints of a relation in FROM say, which has indexes if it is a table; `shown` is its
    /// name there. Invisible indexes are none, unless `sees_all`.
    ///
    /// # Errors
    /// 1176 for an index that is not there, 1221 for USE beside FORCE, 1064 for a list that may not
    /// be empty.
    pub fn of_factor(
        table: Option<&Table>,
        shown: &str,
        factor: &TableFactor,
        sees_all: bool,
    ) -> Result<IndexUse> {
        let mut invisible = IndexSet::NONE;
        let indexes = table.into_iter().flat_map(|table| table.indexes_with_parts());
        for (at, index) in indexes.enumerate() {
            if index.invisible && !sees_all {
                invisible.add(at);
            }
        }
        let mut index_use = match factor {
            TableFactor::Table { index_hints, .. } if !index_hints.is_empty() => {
                said(table, shown, index_hints, invisible)?
            }
            _ => IndexUse::default(),
        };
        if let TableFactor::Table { partitions, .. } = factor
            && !partitions.is_empty()
        {
            let names: Vec<String> = partitions.iter().map(|name| name.value.clone()).collect();
            index_use.partitions = Some(PartitionSet::of(table, shown, &names)?);
        }
        index_use.look_ups.0 &= !invisible.0;
        index_use.orders.0 &= !invisible.0;
        Ok(index_use)
    }
}

/// What is said for one purpose.
#[derive(Clone, Copy)]
struct Purpose {
    /// What USE and FORCE name; `None` without either.
    named: Option<IndexSet>,
    ignored: IndexSet,
}

impl Purpose {
    const NOTHING: Purpose = Purpose { named: None, ignored: IndexSet::NONE };

    fn take(&mut self, ignores: bool, set: IndexSet) {
        match ignores {
            true => self.ignored.0 |= set.0,
            false => self.named.get_or_insert(IndexSet::NONE).0 |= set.0,
        }
    }

    /// The indexes of rows that are left. A hint for the columnar one alone says nothing of them:
    /// they serve where it does not have all that is needed.
    fn allowed(self) -> IndexSet {
        let named = self.named.filter(|named| *named != IndexSet::COLUMNAR);
        IndexSet(named.unwrap_or(IndexSet::ALL).0 & !self.ignored.0)
    }

    fn columnar(self) -> ColumnarUse {
        match self.named {
            _ if self.ignored.has(COLUMNAR) => ColumnarUse::Ignored,
            None => ColumnarUse::ByCost,
            Some(named) if named.has(COLUMNAR) => ColumnarUse::Forced,
            Some(_) => ColumnarUse::Ignored,
        }
    }
}

/// What all hints of a table say.
fn said(
    table: Option<&Table>,
    shown: &str,
    hints: &[TableIndexHints],
    invisible: IndexSet,
) -> Result<IndexUse> {
    let (mut look_ups, mut orders) = (Purpose::NOTHING, Purpose::NOTHING);
    let (mut uses, mut forces) = (false, false);
    for hint in hints {
        let ignores = hint.hint_type == TableIndexHintType::Ignore;
        let is_use = hint.hint_type == TableIndexHintType::Use;
        if hint.index_names.is_empty() && !is_use {
            return Err(SqlError::syntax(")", 1));
        }
        let mut set = IndexSet::NONE;
        for name in &hint.index_names {
            set.add(find(table, shown, &name.value, invisible)?);
        }
        uses |= is_use;
        forces |= !is_use && !ignores;
        if matches!(hint.for_clause, None | Some(TableIndexHintForClause::Join)) {
            look_ups.take(ignores, set);
        }
        if matches!(hint.for_clause, None | Some(TableIndexHintForClause::OrderBy)) {
            orders.take(ignores, set);
        }
    }
    if uses && forces {
        return Err(SqlError::new(
            ErrorCode::WrongUsage,
            "Incorrect usage of USE INDEX and FORCE INDEX",
        ));
    }
    Ok(IndexUse {
        look_ups: look_ups.allowed(),
        orders: orders.allowed(),
        forced: forces,
        columnar: look_ups.columnar(),
        partitions: None,
    })
}

/// The index of a name, or of the only name that begins so.
fn find(table: Option<&Table>, shown: &str, name: &str, invisible: IndexSet) -> Result<usize> {
    let unknown = || {
        SqlError::new(
            ErrorCode::KeyDoesNotExist,
            format!("Key '{name}' doesn't exist in table '{shown}'"),
        )
    };
    let table = table.ok_or_else(unknown)?;
    let first = usize::from(table.has_hidden_key());
    let of_rows = table
        .indexes_with_parts()
        .enumerate()
        .skip(first)
        .filter(|(at, index)| index.state == IndexState::Ready && !invisible.has(*at));
    let of_rows = of_rows.map(|(at, index)| (index.name.as_str(), at));
    let columnar = table.columnar_index.iter().map(|index| (index.name.as_str(), COLUMNAR));
    let full_texts = table.full_texts.iter().map(|index| (index.name.as_str(), FULL_TEXT));
    let begins =
        |known: &str| known.get(..name.len()).is_some_and(|front| front.eq_ignore_ascii_case(name));
    let beginning: Vec<(&str, usize)> =
        of_rows.chain(columnar).chain(full_texts).filter(|(known, _)| begins(known)).collect();
    let whole = beginning.iter().find(|(known, _)| known.len() == name.len());
    match (whole, &beginning[..]) {
        (Some((_, at)), _) | (None, [(_, at)]) => Ok(*at),
        _ => Err(unknown()),
    }
}
