//! Ways to the records that a query wants, by what member indexes have of documents, or through all of
//! them: the likeliest at once, and the best once that has turned out to be long.
//!
//! The store knows about how many bytes a part of an index has, but asking it takes as long as looking at
//! dozens of records. Most queries have found theirs by then, so they are not weighed beforehand: a
//! query sets out, and is doubted after so many records.
//!
//! Invariants
//! 1. Each way leads to every record that meets the query.
//!
//! Not here: what an index has of a condition (`lookup`), going a way (`search`), in order (`walk`).

use rows::store::KeyRange;
use rows::table::MemberCodec;
use rows::{Engine, Lookup, Table};

use crate::tyrant::lookup::{self, Place};
use crate::tyrant::query::Query;
use crate::tyrant::walk::Walk;

/// A part of an index above which it is quicker to read all records, in the order they lie in; of few
/// records nobody knows it well, and nothing takes long.
const INDEX_PART: u64 = 4;
const FEW_RECORDS: u64 = 1_000;
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
pub struct Chosen {
    /// The way.
    pub way: Way,
    /// The record at which one asks whether there is a better one.
    pub doubted_at: usize,
}

impl Chosen {
    fn certain(way: Way) -> Chosen {
        Chosen { way, doubted_at: usize::MAX }
    }

    fn walk(walk: &Walk) -> Chosen {
        Chosen { way: Way::Walk(walk.clone()), doubted_at: WALK_LOOKS_MAX }
    }
}

/// What member indexes have of a query.
#[derive(Debug, Default)]
pub struct Ways {
    /// Of conditions that name parts: each with its index.
    lookups: Vec<(usize, Lookup)>,
    /// Of those that name a range.
    spans: Vec<(usize, KeyRange)>,
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
                Some(Place::Lookup(lookup)) => ways.lookups.push((index, lookup)),
                Some(Place::Span(range)) => {
                    if order.is_some_and(|(name, _)| *name == condition.column) {
                        in_order = Some(range.clone());
                    }
                    ways.spans.push((index, range));
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
    pub fn likely(&self, table: &Table, engine: &Engine) -> rows::Result<Chosen> {
        let doubted_at = if self.walk.is_some() { self.sorted_max } else { LOOKS_TRUSTED };
        let doubted = |way| Chosen { way, doubted_at };
        // What has parts in common is seldom much; the records of a range that is in order need no sorting.
        if let Some(lookup) = self.lookup() {
            return Ok(doubted(Way::Lookup(lookup)));
        }
        match (&self.walk, &self.spans[..]) {
            (Some(walk), spans) if self.walks_in_span || spans.is_empty() => Ok(Chosen::walk(walk)),
            (_, []) => Ok(Chosen::certain(Way::All)),
            (_, [(_, range)]) => Ok(doubted(Way::Span(range.clone()))),
            _ => self.best(table, engine, true),
        }
    }

    /// The best way, of which no doubts are left but for going in order.
    ///
    /// # Errors
    /// `Store`.
    pub fn best(&self, table: &Table, engine: &Engine, may_walk: bool) -> rows::Result<Chosen> {
        let codec = |index: &usize| &table.member_codecs[*index];
        // Of those conditions that name parts, all are looked up at once; of those that name a range, the
        // smallest.
        let (mut portion, mut way) = (Portion::ALL, Way::All);
        for (index, lookup) in &self.lookups {
            let one = Portion::of(engine, codec(index), engine.lookup_bytes(lookup)?)?;
            portion = if one.is_below(&portion) { one } else { portion };
        }
        if let Some(lookup) = self.lookup() {
            way = Way::Lookup(lookup);
        }
        for (index, range) in &self.spans {
            let bytes = engine.store().approximate_bytes(range)?;
            let one = Portion::of(engine, codec(index), bytes)?;
            if one.is_below(&portion) || matches!(way, Way::All) {
                (portion, way) = (one, Way::Span(range.clone()));
            }
        }
        let rows = engine.row_count(table)?.unwrap_or(u64::MAX);
        if let Some(walk) = self.walk.as_ref().filter(|_| may_walk)
            && portion.of_rows(rows) > self.sorted_max as u64
        {
            return Ok(Chosen::walk(walk));
        }
        let all = rows > FEW_RECORDS && portion.is_most();
        Ok(Chosen::certain(if all { Way::All } else { way }))
    }

    fn lookup(&self) -> Option<Lookup> {
        lookup::all_of(self.lookups.iter().map(|(_, lookup)| lookup.clone()).collect())
    }
}

/// About how much of an index is looked at.
#[derive(Clone, Copy, Debug)]
struct Portion {
    bytes: u64,
    of: u64,
}

impl Portion {
    const ALL: Portion = Portion { bytes: 1, of: 1 };

    fn of(engine: &Engine, codec: &MemberCodec, bytes: u64) -> rows::Result<Portion> {
        let of = engine.store().approximate_bytes(&codec.all())?.max(1);
        Ok(Portion { bytes: bytes.min(of), of })
    }

    fn is_below(&self, other: &Portion) -> bool {
        u128::from(self.bytes) * u128::from(other.of)
            < u128::from(other.bytes) * u128::from(self.of)
    }

    fn is_most(&self) -> bool {
        self.bytes > self.of / INDEX_PART
    }

    fn of_rows(&self, rows: u64) -> u64 {
        (u128::from(rows) * u128::from(self.bytes) / u128::from(self.of)) as u64
    }
}
