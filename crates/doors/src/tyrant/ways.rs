//! Ways to the records that a query wants, by what member indexes have of documents, or through all
//! of them: the likeliest at once, and the best once that has turned out to be long.
//!
//! About how many entries a part of an index has can be asked, but that takes as long as looking at
//! dozens of records. Most queries have found theirs by then, so they are not weighed beforehand: a
//! query sets out, and is doubted after so many records.
//!
//! Invariants
//! 1. Each way leads to every record that meets the query.
//!
//! Not here: what an index has of a condition (`lookup`), going a way (`search`), in order
//! (`walk`).

use rows::store::KeyRange;
use rows::{Lookup, Table};

use crate::tyrant::lookup::{self, MemberPlace};
use crate::tyrant::query::Query;
use crate::tyrant::source::Source;
use crate::tyrant::walk::Walk;

/// A part of an index above which it is quicker to read all records, in the order they lie in; of
/// few records nobody knows it well, and nothing takes long.
const INDEX_PART: u64 = 4;
const FEW_RECORDS: u64 = 1_000;
/// As many as this are thought to be there where nobody has counted them.
const UNKNOWN_RECORDS: u64 = 1_000_000;
/// Records that are looked at in the wanted order, before other ways are tried.
const WALK_LOOKS_MAX: usize = 50_000;
/// Records that are found and sorted rather than gone through in order; for each one wanted, and at
/// least.
const SORTED_PER_HIT: usize = 10;
const SORTED_MIN: usize = 1_000;
/// Records after which a way without order is doubted.
const LOOKS_TRUSTED: usize = 1_000;

/// A way to records.
#[derive(Debug, PartialEq)]
pub enum Way {
    /// By parts that member indexes have.
    Lookup(Lookup),
    /// In a range of a member index.
    Span(KeyRange),
    /// In the order that is wanted.
    Walk(Walk),
    /// Through all records.
    All,
}

impl Way {
    /// What a hint says of it.
    pub fn words(&self) -> &'static str {
        match self {
            Way::Lookup(_) | Way::Span(_) => "using an index",
            Way::Walk(_) => "using an index in its order",
            Way::All => "scanning the whole table",
        }
    }
}

/// A way that is gone until it is doubted.
#[derive(Debug)]
pub struct ChosenWay {
    /// The way.
    pub way: Way,
    /// The record at which one asks whether there is a better one.
    pub doubted_at: usize,
}

impl ChosenWay {
    fn certain(way: Way) -> ChosenWay {
        ChosenWay { way, doubted_at: usize::MAX }
    }

    fn walk(walk: &Walk) -> ChosenWay {
        ChosenWay { way: Way::Walk(walk.clone()), doubted_at: WALK_LOOKS_MAX }
    }
}

/// What member indexes have of a query.
#[derive(Debug, Default)]
pub struct Ways {
    /// Of conditions that name parts.
    lookups: Vec<Lookup>,
    /// Of those that name a range.
    spans: Vec<KeyRange>,
    /// In the wanted order.
    walk: Option<Walk>,
    /// Whether that goes through one of the ranges alone.
    walks_in_span: bool,
    /// Records above which sorting them takes longer than going through them in order.
    sorted_max: usize,
}

impl Ways {
    /// Of a query for the first `needed` records in its order; of the members of a column.
    pub fn of(query: &Query, needed: usize, column: usize, table: &Table) -> Ways {
        let sorted_max = SORTED_MIN.max(needed.saturating_mul(SORTED_PER_HIT));
        let mut ways = Ways { sorted_max, ..Ways::default() };
        let order = query.order.as_ref().filter(|(name, _)| !name.is_empty());
        let mut in_order = None;
        let usable = query.conditions.iter().filter(|one| one.indexed && !one.negated);
        for condition in usable {
            let Some(index) = table.member_index(column, &condition.column) else { continue };
            match lookup::place(&table.member_codecs[index], &condition.test) {
                Some(MemberPlace::Lookup(lookup)) => ways.lookups.push(lookup),
                Some(MemberPlace::Span(range)) => {
                    if order.is_some_and(|(name, _)| *name == condition.column) {
                        in_order = Some(range.clone());
                    }
                    ways.spans.push(range);
                }
                None => {}
            }
        }
        if let Some((name, order)) = order
            && needed <= WALK_LOOKS_MAX
            && let Some(index) = table.member_index(column, name)
        {
            ways.walks_in_span = in_order.is_some();
            ways.walk = Walk::of(&table.member_codecs[index], index, *order, in_order);
        }
        ways
    }

    /// The way to set out on.
    ///
    /// # Errors
    /// `Store`.
    pub fn likely(&self, source: &Source<'_>) -> rows::Result<ChosenWay> {
        let doubted_at = if self.walk.is_some() { self.sorted_max } else { LOOKS_TRUSTED };
        let doubted = |way| ChosenWay { way, doubted_at };
        // What has parts in common is seldom much; the records of a range that is in order need no
        // sorting.
        if let Some(lookup) = self.lookup() {
            return Ok(doubted(Way::Lookup(lookup)));
        }
        match (&self.walk, &self.spans[..]) {
            (Some(walk), spans) if self.walks_in_span || spans.is_empty() => {
                Ok(ChosenWay::walk(walk))
            }
            (_, []) => Ok(ChosenWay::certain(Way::All)),
            (_, [range]) => Ok(doubted(Way::Span(range.clone()))),
            _ => self.best(source, true),
        }
    }

    /// The best way, of which no doubts are left but for going in order.
    ///
    /// # Errors
    /// `Store`.
    pub fn best(&self, source: &Source<'_>, may_walk: bool) -> rows::Result<ChosenWay> {
        let (table, engine, view) = (source.database.table(), source.engine, &*source.view);
        // Of those conditions that name parts, all are looked up at once; of those that name a
        // range, the smallest.
        let all = engine.row_count(table)?.unwrap_or(UNKNOWN_RECORDS);
        let (mut looks, mut way) = (all, Way::All);
        for lookup in &self.lookups {
            looks = looks.min(engine.lookup_about(view, lookup, all)?);
        }
        if let Some(lookup) = self.lookup() {
            way = Way::Lookup(lookup);
        }
        for range in &self.spans {
            let own = engine.entries_about(view, range, all)?;
            if own < looks || way == Way::All {
                (looks, way) = (own, Way::Span(range.clone()));
            }
        }
        if let Some(walk) = self.walk.as_ref().filter(|_| may_walk)
            && looks > self.sorted_max as u64
        {
            return Ok(ChosenWay::walk(walk));
        }
        let is_most = all > FEW_RECORDS && looks > all / INDEX_PART;
        Ok(ChosenWay::certain(if is_most { Way::All } else { way }))
    }

    fn lookup(&self) -> Option<Lookup> {
        lookup::all_of(self.lookups.clone())
    }
}
