//! What a query has found so far: each hit with what it is sorted by.
//!
//! Invariants
//! 1. Hits that are alike in what they are sorted by come by their primary keys where those are
//!    bytes, however they were found; otherwise as they were found.
//! 2. Hits that wait are counted in the memory that clients may use.
//!
//! Not here: where hits are looked for (`search`, `walk`, `everywhere`).

use std::cmp::Ordering;
use std::ops::ControlFlow;

use resources::budget::Share;
use rows::Engine;
use values::RowRef;
use values::member::number;

use crate::tyrant::columns::Columns;
use crate::tyrant::database::Database;
use crate::tyrant::query::{Action, Order, Query, Search};

/// Hits beyond those that are wanted after which the worst are dropped.
const SPARE_HITS: usize = 1024;
/// What a hit takes besides its bytes.
const HIT_BYTES: usize = 64;

/// A record that meets a query.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Its primary key.
    pub key: Vec<u8>,
    /// What it is sorted by: the column's text.
    text: Vec<u8>,
    /// And its number.
    number: f64,
    /// Which query it meets.
    pub query: usize,
    /// What is told of it, where that is known already.
    pub shown: Option<Vec<u8>>,
}

/// The hits of one query, of which so many are needed in the first query's order.
pub struct Hits<'q> {
    search: &'q Search,
    position: usize,
    needed: usize,
    /// The columns that are told of each hit, if it is as soon as it is found.
    told: Option<&'q [Vec<u8>]>,
    /// Whether hits that are alike come by their keys.
    by_key: bool,
    /// The columns that a record is asked for.
    names: Vec<&'q str>,
    /// In the order in which they were found, as long as none was dropped.
    pub found: Vec<Hit>,
    bytes: usize,
    share: Share,
}

impl<'q> Hits<'q> {
    /// None yet, of the query at a position.
    pub fn new(
        search: &'q Search,
        position: usize,
        needed: usize,
        database: &Database,
        engine: &Engine,
    ) -> Hits<'q> {
        let conditions = search.queries[position].conditions.iter();
        let order = search.queries[0].order.iter().map(|(column, _)| column);
        let columns = conditions.map(|condition| &condition.column).chain(order);
        let mut names: Vec<&str> = columns
            .filter(|column| !column.is_empty())
            .filter_map(|column| std::str::from_utf8(column).ok())
            .collect();
        names.sort_unstable();
        names.dedup();
        let (found, share) = (Vec::new(), engine.budget().share());
        let by_key = database.has_raw_keys();
        let told = match &search.action {
            Action::Get(wanted) if search.queries.len() == 1 => Some(&wanted[..]),
            _ => None,
        };
        Hits { search, position, needed, told, by_key, names, found, bytes: 0, share }
    }

    /// What is looked for.
    pub fn query(&self) -> &'q Query {
        &self.search.queries[self.position]
    }

    /// All queries.
    pub fn search(&self) -> &'q Search {
        self.search
    }

    /// Which of them this is.
    pub fn position(&self) -> usize {
        self.position
    }

    /// How many are needed.
    pub fn needed(&self) -> usize {
        self.needed
    }

    /// Whether there are as many as are needed.
    pub fn is_enough(&self) -> bool {
        self.found.len() >= self.needed
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.found.clear();
        self.bytes = 0;
        self.share.set(0);
    }

    /// Takes a record if it meets the query; ends when no other is needed.
    ///
    /// # Errors
    /// `Corrupt`, `NoMemory`.
    pub fn take(
        &mut self,
        database: &Database,
        key: &[u8],
        row: &RowRef<'_>,
    ) -> rows::Result<ControlFlow<()>> {
        match self.search.queries[0].order {
            None => self.take_in_order(database, key, row)?,
            // Of these most may be dropped.
            Some(_) => self.add(key, &database.columns_among(row, &self.names)?)?,
        }
        Ok(self.cut())
    }

    /// As `take`, where the columns are known.
    ///
    /// # Errors
    /// `NoMemory`.
    pub fn take_columns(&mut self, key: &[u8], columns: &Columns) -> rows::Result<ControlFlow<()>> {
        self.add(key, columns)?;
        Ok(self.cut())
    }

    /// Drops the worst where there are far too many; whether others are needed.
    fn cut(&mut self) -> ControlFlow<()> {
        let first = &self.search.queries[0];
        if first.order.is_none() && self.is_enough() {
            return ControlFlow::Break(());
        }
        if self.found.len() >= self.needed.saturating_mul(2).saturating_add(SPARE_HITS) {
            sort(&mut self.found, first, self.by_key);
            self.found.truncate(self.needed);
            self.bytes = self.found.iter().map(Hit::bytes).sum();
        }
        ControlFlow::Continue(())
    }

    /// As `take`, and none is dropped.
    ///
    /// # Errors
    /// `Corrupt`, `NoMemory`.
    pub fn take_in_order(
        &mut self,
        database: &Database,
        key: &[u8],
        row: &RowRef<'_>,
    ) -> rows::Result<()> {
        let before = self.found.len();
        self.add(key, &database.columns_among(row, &self.names)?)?;
        if let (Some(wanted), Some(hit)) = (self.told, self.found.get_mut(before)) {
            let shown = shown(key, &database.columns(row)?, wanted);
            self.bytes += shown.len();
            hit.shown = Some(shown);
            self.share.keep_up_with(self.bytes)?;
        }
        Ok(())
    }

    fn add(&mut self, key: &[u8], columns: &Columns) -> rows::Result<()> {
        if !self.query().holds(key, columns) {
            return Ok(());
        }
        let (text, order) = match &self.search.queries[0].order {
            None => (&b""[..], Order::Text),
            Some((column, order)) if column.is_empty() => (key, *order),
            Some((column, order)) => (columns.get(column).unwrap_or_default(), *order),
        };
        let (number, text) = if order.is_number() { (number(text), &b""[..]) } else { (0.0, text) };
        let hit = Hit {
            key: key.to_vec(),
            text: text.to_vec(),
            number,
            query: self.position,
            shown: None,
        };
        self.bytes += hit.bytes();
        self.found.push(hit);
        Ok(self.share.keep_up_with(self.bytes)?)
    }

    /// Takes hits of another that come behind these.
    ///
    /// # Errors
    /// `NoMemory`.
    pub fn append(&mut self, mut others: Vec<Hit>, share: Share) -> rows::Result<()> {
        drop(share);
        self.bytes += others.iter().map(Hit::bytes).sum::<usize>();
        self.found.append(&mut others);
        Ok(self.share.keep_up_with(self.bytes)?)
    }

    /// The hits, and what they take of the memory that clients may use.
    pub fn into_parts(self) -> (Vec<Hit>, Share) {
        (self.found, self.share)
    }
}

impl Hit {
    fn bytes(&self) -> usize {
        let shown = self.shown.as_ref().map_or(0, Vec::len);
        HIT_BYTES + self.key.len() + self.text.len() + shown
    }
}

impl Query {
    /// Whether a record meets all conditions.
    pub fn holds(&self, key: &[u8], columns: &Columns) -> bool {
        self.conditions.iter().all(|condition| condition.holds(key, columns))
    }
}

/// The name and value of the primary key, then columns, with NULs between.
pub fn shown(key: &[u8], columns: &Columns, wanted: &[Vec<u8>]) -> Vec<u8> {
    let is_wanted = |name: &[u8]| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    let parts = || columns.iter().filter(|(name, _)| is_wanted(name)).flat_map(<[_; 2]>::from);
    let bytes = 1 + key.len() + parts().map(|part| 1 + part.len()).sum::<usize>();
    let mut shown = Vec::with_capacity(bytes);
    for part in std::iter::once(key).chain(parts()) {
        shown.push(0);
        shown.extend_from_slice(part);
    }
    shown
}

/// Sorts hits as a query wants it; those that are alike by their keys, or they stay as they are.
pub fn sort(hits: &mut [Hit], query: &Query, by_key: bool) {
    let Some((_, order)) = &query.order else { return };
    hits.sort_by(|one, other| {
        let (first, second) = if order.is_down() { (other, one) } else { (one, other) };
        let ordering = match order.is_number() {
            true => first.number.partial_cmp(&second.number).unwrap_or(Ordering::Equal),
            false => first.text.cmp(&second.text),
        };
        ordering.then_with(|| if by_key { one.key.cmp(&other.key) } else { Ordering::Equal })
    });
}
