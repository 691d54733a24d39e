//! One version of a table: its definition, and what operations need of it precomputed.
//!
//! Invariants
//! 1. Nothing of it changes but what all versions share (`state`).
//!
//! Not here: keys (`keys`, `entries`, `ranges`).

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use values::types::ColumnType;

use values::row::RowLayout;

use super::full_texts::FullTextCodec;
use super::images::ImagePlace;
use super::keys::IndexCodec;
use super::members::MemberCodec;
use super::multi_valued::MultiValuedCodec;
use super::state::TableState;
use crate::error::Result;
use crate::foreign_key::{Follower, ForeignColumns, References};
use crate::recency::Recency;
use crate::rules::{Check, MakeRules, Rules};
use crate::schema::{IndexId, TableDefinition};
use crate::store::Read;
use resources::interrupt::undisturbed;

/// Bits of a column's position + 1 beside a version; a table has at most 1017 columns.
const POSITION_BITS: u32 = 16;

/// One version of a table, ready for operations.
#[derive(Clone, Debug)]
pub struct Table {
    /// What the catalog stores.
    pub definition: TableDefinition,
    /// Where columns lie in stored rows.
    pub layout: RowLayout,
    /// Key codecs, in the order of `definition.indexes`.
    pub codecs: Vec<IndexCodec>,
    /// Those of member indexes, in the order of `definition.members`.
    pub member_codecs: Vec<MemberCodec>,
    /// Those of full-text indexes, in the order of `definition.full_texts`.
    pub full_text_codecs: Vec<FullTextCodec>,
    /// Those of multi-valued indexes, in the order of `definition.multi_valued`.
    pub multi_valued_codecs: Vec<MultiValuedCodec>,
    /// Positions of the columns that the columnar index has, ascending, and the layout of rows of
    /// these alone.
    columns_kept: Option<(Vec<usize>, RowLayout)>,
    /// The column that the definition lets rows expire by.
    expiry_column: Option<usize>,
    /// The column that has the number of a row's partition.
    pub(super) partition_column: Option<usize>,
    /// In cache mode.
    recency: Option<Arc<Recency>>,
    /// What its indexes have in memory, in the order of `definition.indexes`.
    pub(crate) images: Vec<Arc<ImagePlace>>,
    /// What its expressions are, or why they are none; `None` where there are none.
    rules: Option<expression::Result<Rules>>,
    /// Its foreign keys, in the order of `definition.foreign_keys`.
    pub(crate) foreign: Vec<ForeignColumns>,
    pub(crate) state: Arc<TableState>,
}

impl Deref for Table {
    type Target = TableDefinition;

    fn deref(&self) -> &TableDefinition {
        &self.definition
    }
}

impl Table {
    /// Whether it is only shown (`ddl::listed_table`).
    pub fn is_listed(&self) -> bool {
        self.id == 0
    }

    /// Prepares a definition for use. `state` is that of the table's earlier version, if any.
    pub(crate) fn new(
        definition: TableDefinition,
        state: Arc<TableState>,
        make_rules: MakeRules,
    ) -> Table {
        let codec = |index| IndexCodec::new(&definition, index);
        let codecs = definition.indexes.iter().map(codec).collect();
        let member = |index| MemberCodec::new(&definition, index);
        let member_codecs = definition.members.iter().map(member).collect();
        let full_text = |index| FullTextCodec::new(&definition, index);
        let full_text_codecs = definition.full_texts.iter().map(full_text).collect();
        let multi_valued = |of| MultiValuedCodec::new(&definition, of);
        let multi_valued_codecs = definition.multi_valued.iter().map(multi_valued).collect();
        let layout = definition.row_layout();
        let expires_by = definition.retention.expires_by.as_deref();
        let expiry_column = expires_by.and_then(|name| definition.column(name));
        let recency = state.recency(&definition);
        let columns_kept = definition.columnar_index.as_ref().map(|index| {
            let kept = definition.columnar_columns(index);
            let types: Vec<_> = definition.columns.iter().map(|column| &column.ty).collect();
            let layout = RowLayout::of_some(&types, &kept);
            (kept, layout)
        });
        let images = definition.indexes.iter().map(|_| Arc::default()).collect();
        let foreign = definition.foreign_columns().unwrap_or_default();
        let partition_column = definition.partition_column();
        // They were made once before the definition was accepted. A KILL that comes now would leave
        // a table that nobody may write to.
        let rules = definition.has_rules().then(|| undisturbed(|| make_rules(&definition)));
        Table {
            rules,
            foreign,
            partition_column,
            definition,
            layout,
            codecs,
            member_codecs,
            full_text_codecs,
            multi_valued_codecs,
            columns_kept,
            expiry_column,
            recency,
            images,
            state,
        }
    }

    /// Whether it has foreign keys, or some refer to it.
    #[inline]
    pub fn is_related(&self) -> bool {
        !self.foreign.is_empty() || self.state.is_referenced()
    }

    /// The foreign keys that refer to it.
    pub fn references(&self) -> References {
        self.state.references()
    }

    /// The tables whose rows go or change with its own, by foreign keys that say so, and those that
    /// follow these; not itself.
    pub fn followers(&self) -> Arc<[Follower]> {
        self.state.followers()
    }

    /// Its rules, if it has any.
    ///
    /// # Errors
    /// `Expression` when its texts make none: then it can be read, and not be written to.
    #[inline]
    pub fn rules(&self) -> Result<Option<&Rules>> {
        match &self.rules {
            None => Ok(None),
            Some(Ok(rules)) => Ok(Some(rules)),
            Some(Err(error)) => Err(error.clone().into()),
        }
    }

    /// The same table for a statement whose rows must fulfil further conditions.
    ///
    /// # Errors
    /// As `rules`.
    pub fn with_checks(&self, checks: Vec<Check>) -> Result<Table> {
        let mut rules = self.rules()?.cloned().unwrap_or_default();
        rules.asks_session |= checks.iter().any(|check| !check.condition.is_of_row_alone());
        rules.checks.extend(checks);
        Ok(self.with_rules(rules))
    }

    /// The same table with other rules.
    pub(super) fn with_rules(&self, rules: Rules) -> Table {
        Table { rules: Some(Ok(rules)), ..self.clone() }
    }

    /// Positions of the columns that the columnar index has, ascending; `None` without such an
    /// index.
    #[inline]
    pub fn columns_kept(&self) -> Option<&[usize]> {
        self.columns_kept.as_ref().map(|(positions, _)| &positions[..])
    }

    /// The layout of rows that have the columns of the columnar index alone.
    #[inline]
    pub fn layout_kept(&self) -> Option<&RowLayout> {
        self.columns_kept.as_ref().map(|(_, layout)| layout)
    }

    /// Whether a view shows the columnar index of this version: a snapshot from before it was made
    /// does not.
    pub fn columns_are_shown_by(&self, view: &dyn Read) -> bool {
        let since = self.state.columns_since();
        since == 0 || view.sequence().is_some_and(|sequence| sequence >= since)
    }

    /// Bytes and uses of the rows, in cache mode.
    #[inline]
    pub fn recency(&self) -> Option<&Arc<Recency>> {
        self.recency.as_ref()
    }

    /// Notes that a row is used, for readers that `Engine::find` and `get` do not know of.
    #[inline]
    pub fn note_use(&self, row_key: &[u8]) {
        if let Some(recency) = &self.recency {
            recency.touch(row_key);
        }
    }

    /// The column of the second at which a row is gone.
    #[inline]
    pub fn expiry_column(&self) -> Option<usize> {
        if self.expiry_column.is_some() {
            return self.expiry_column;
        }
        let packed = self.state.expiry_of_container.load(Ordering::Relaxed);
        if packed == 0 {
            return None;
        }
        let (version, position) = (packed >> POSITION_BITS, packed & ((1 << POSITION_BITS) - 1));
        (version == self.definition.version).then(|| position as usize - 1)
    }

    /// Lets rows expire by an integer column, until told otherwise or the engine is closed;
    /// `None` lets them stay. A column that the definition names comes first.
    pub fn expire_by(&self, column: Option<usize>) {
        let packed = column
            .map_or(0, |position| self.definition.version << POSITION_BITS | (position as u64 + 1));
        self.state.expiry_of_container.store(packed, Ordering::Relaxed);
    }

    /// Whether a foreign key refuses that rows go which others refer to.
    pub fn is_kept_by_others(&self) -> bool {
        self.state.references().iter().any(|reference| reference.key.on_delete.refuses())
    }

    /// Whether this and another are versions of one table.
    pub fn is_version_of(&self, other: &Table) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    /// Goes on with what the table's earlier version was told by `expire_by`.
    pub(crate) fn inherit(&self, old: &Table) {
        if old.expiry_column.is_none()
            && let Some(position) = old.expiry_column()
        {
            let column = self.column(&old.columns[position].name);
            let is_integer = |at: &usize| matches!(self.columns[*at].ty, ColumnType::Int { .. });
            self.expire_by(column.filter(is_integer));
        }
    }

    /// What tells whether something that was read of the table still holds for this version.
    #[inline]
    pub(crate) fn as_version(&self) -> (&TableDefinition, &TableState) {
        (&self.definition, &self.state)
    }

    /// Whether this is the version that operations must use.
    #[inline]
    pub fn is_current(&self) -> bool {
        self.state.is_version(self.definition.version)
    }

    /// Whether a view shows the rows and entries of this version: a snapshot from before they were
    /// stored again does not.
    #[inline]
    pub fn is_shown_by(&self, view: &dyn Read) -> bool {
        let since = self.state.readable_since();
        since == 0 || view.sequence().is_none_or(|sequence| sequence >= since)
    }

    /// Whether a view from before another version took the place of this one still shows its rows
    /// and the entries of one of its indexes: those are the other's as well. A transaction that has
    /// opened a cursor before asking sees all of them.
    #[cold]
    pub(crate) fn is_kept_for(&self, view: &dyn Read, index: IndexId) -> bool {
        // Entries of parts are looked for without asking for each index.
        let members = self.listed_indexes();
        !self.columnar
            && view.sequence().is_some_and(|state| self.state.was_read_at(self.version, state))
            && self.state.keeps(self.id, members.chain([index]))
    }

    /// A number that has moved since any row was changed by a write acknowledged since. It may
    /// move without a change. For caches of what a small table says.
    #[inline]
    pub fn changes(&self) -> u64 {
        self.state.changes()
    }
}
