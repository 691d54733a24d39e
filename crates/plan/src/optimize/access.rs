//! The way to one relation's rows: by an index, by a hash table over its rows, or all of them; and
//! what that costs. It is chosen here for all readers: the executor's joins, and DataFusion's
//! scans, whose terms are over constants alone (`batches`).
//!
//! Guesses, where `statistics` knows nothing better: both ends of a range leave a twentieth, one
//! end three tenths; any other equation leaves a tenth, any other term a third.
//!
//! Not here: which relation comes when (`order`).

use std::sync::Arc;

use expression::{Comparison, Kind, Node, parts_of};
use rows::table::{Covering, Table};

use super::Sizes;
use super::inner::BEGIN_ROWS;
use super::needs::Columns;
use super::rewrite::is_compared_exactly;
use crate::index_use::IndexUse;
use crate::point::{Access, AccessKind, Between, IndexKeys, Lookup, Ordering, ReaderKind, ways};
use crate::terms::{can_be_local, columns_of, depends_on_others, is_volatile, localized};
use crate::tree::{
    CatalogListing, Class, HashKeys, JoinStep, Member, Relation, Scan, Source, class_of,
};
use results::{Result, SqlError};

/// A way to a relation's rows, and what it costs for each row joined before.
pub struct AccessPath {
    /// The step.
    pub step: JoinStep,
    /// Rows looked at.
    pub examined: f64,
    /// Rows looked at once, for all rows joined before.
    pub once: f64,
}

/// The order in which rows are wanted, and how many of them: who has these looks at no more.
#[derive(Clone, Copy)]
pub struct InOrder<'q> {
    pub ordering: &'q Ordering,
    pub taken: f64,
}

/// The best way to a relation's rows. `matches` are the terms that make a match, `needs` the
/// columns that are used elsewhere; `before` is how many rows are joined before, 0 when it is the
/// first.
///
/// # Errors
/// Those of evaluating what is constant in the terms.
pub fn way_to(
    relations: &[Relation],
    number: usize,
    matches: &[&Node],
    needs: &Columns,
    before: f64,
    order: Option<InOrder<'_>>,
    sizes: &Sizes<'_>,
) -> Result<AccessPath> {
    let (local, whole): (Vec<&Node>, Vec<&Node>) =
        matches.iter().copied().partition(|term| can_be_local(term));
    let local: Vec<Node> = local.into_iter().map(|term| localized(term, number)).collect();
    let filters: Vec<Node> = whole.into_iter().cloned().collect();
    let unseen = 0.34f64.powi(filters.len() as i32);
    let index_use = &relations[number].index_use;
    let is_lateral = relations[number].lateral.is_some();
    let (size, direct) = match &relations[number].source {
        Source::Table(table) => {
            let size = sizes.rows(table)?;
            let wanted = AccessRequest { needs: Some(needs), order, reader: ReaderKind::Merging };
            let direct = cheapest(table, index_use, &local, &wanted, size, (relations, sizes))?;
            (size, Some(direct))
        }
        Source::Query(query) => (query.rows, None),
        Source::Added(_) => (ADDED_ROWS, None),
        Source::Listing(listing) => (listed_rows(listing, &local), None),
        Source::File(files) => (files.rows_about() as f64, None),
    };
    let scan = |access, terms, hash, same, examined| Scan {
        relation: number,
        access,
        terms,
        hash,
        covering: None,
        leaps: None,
        same,
        examined,
    };
    let step = |scan: Scan, rows: f64| JoinStep {
        member: Member::Scan(Box::new(scan)),
        outer: false,
        filters: filters.clone(),
        after: Vec::new(),
        rows: (rows * unseen).max(0.001),
    };
    let same = !local.iter().any(depends_on_others);
    let nested = match direct {
        Some(Cheapest { access, covering, examined, found, share, seeking }) => {
            let cost = examined * share + seeking;
            let scan = scan(Some(access), Vec::new(), None, same, examined);
            let step = step(Scan { covering, ..scan }, found);
            AccessPath { step, examined: cost, once: 0.0 }
        }
        None => {
            let found = size * selectivity(&local);
            let examined = match (&relations[number].source, is_lateral) {
                (Source::Query(query), true) => query.cost.max(size) + BEGIN_ROWS,
                _ => size,
            };
            let step = step(scan(None, local.clone(), None, same, examined), found);
            AccessPath { step, examined, once: 0.0 }
        }
    };
    // A hash table over what changes with every step would have to be made again each time.
    let changes = is_lateral || matches!(relations[number].source, Source::Added(_));
    if before <= 1.0 || nested.examined <= LOOK_UP_COST_MAX || changes {
        return Ok(nested);
    }
    if index_use.is_forced() && is_narrow(&nested) {
        return Ok(nested);
    }
    let Some((keys, rest)) = hash_keys(&local) else { return Ok(nested) };
    if rest.iter().any(depends_on_others) {
        return Ok(nested);
    }
    let found = size * selectivity(&rest);
    let matched = (found / found.sqrt().max(1.0)).max(0.1).min(nested.step.rows.max(1.0));
    let (access, terms, once, covering) = match &relations[number].source {
        Source::Table(table) => {
            let mut needs = needs.clone();
            keys.own.iter().for_each(|node| needs.add_local(node));
            let wanted =
                AccessRequest { needs: Some(&needs), order: None, reader: ReaderKind::Merging };
            let way = cheapest(table, index_use, &rest, &wanted, size, (relations, sizes))?;
            (Some(way.access), Vec::new(), way.examined, way.covering)
        }
        _ => (None, rest, size, None),
    };
    // A row of the hash table costs about as much as one read by an index does twice.
    if once + before * matched >= before * nested.examined {
        return Ok(nested);
    }
    let scan = Scan { covering, ..scan(access, terms, Some(keys), true, once) };
    Ok(AccessPath { step: step(scan, matched), examined: matched, once })
}

/// Rows that a table of information_schema is thought to have for its terms: their names lead to
/// it.
fn listed_rows(listing: &CatalogListing, local: &[Node]) -> f64 {
    match listing.names.looked_up(local) {
        (true, true) => LOOK_UP_COST_MAX,
        (false, true) => 2.0 * LOOK_UP_COST_MAX,
        (true, false) => 60.0,
        (false, false) => 200.0,
    }
}

/// The equations that a hash table can answer, and the other terms.
fn hash_keys(local: &[Node]) -> Option<(HashKeys, Vec<Node>)> {
    let mut keys = HashKeys { own: Vec::new(), others: Vec::new(), rules: Vec::new() };
    let mut rest = Vec::new();
    for term in local {
        match &term.kind {
            Kind::Compare(Comparison::Equal, a, b, rule) => {
                let pair = match (is_own(a), is_own(b)) {
                    (true, false) if !a.is_row_free() && is_foreign(b) => Some((a, b)),
                    (false, true) if !b.is_row_free() && is_foreign(a) => Some((b, a)),
                    _ => None,
                };
                let class = class_of(&a.ty);
                match pair {
                    Some((own, other))
                        if class != Class::Other
                            && class == class_of(&b.ty)
                            && is_compared_exactly(own, &other.ty)
                            && is_compared_exactly(other, &own.ty) =>
                    {
                        keys.own.push((**own).clone());
                        keys.others.push((**other).clone());
                        keys.rules.push((class, *rule));
                    }
                    _ => rest.push(term.clone()),
                }
            }
            _ => rest.push(term.clone()),
        }
    }
    (!keys.own.is_empty()).then_some((keys, rest))
}

/// Whether a local node is over its own row alone.
fn is_own(node: &Node) -> bool {
    !depends_on_others(node)
}

/// Whether a local node is over what is joined before alone.
fn is_foreign(node: &Node) -> bool {
    node.is_row_free() && !is_volatile(node)
}

/// Rows that a step of a recursion is thought to add.
pub(super) const ADDED_ROWS: f64 = 8.0;
/// Steps that a recursion is thought to take.
pub(super) const RECURSION_STEPS: f64 = 8.0;

/// What it costs to find the place of a range in an index, in rows: a cursor is made for each.
pub(super) const SEEK_ROWS: f64 = 4.0;
/// Up to what a look-up is not worth a hash table, in rows.
const LOOK_UP_COST_MAX: f64 = 2.0;

/// What finding the places of an access costs, besides its rows.
fn seeking(table: &Table, access: &Access, reader: ReaderKind) -> f64 {
    if !access.is_narrow() || access.kind == AccessKind::MultiValued {
        return SEEK_ROWS;
    }
    if reader == ReaderKind::InBatches {
        return access.all_keys().map(|(_, keys)| keys.lists()).sum();
    }
    let of_keys = |(index, keys): (usize, &IndexKeys)| {
        let definition = &table.indexes[index];
        let is_point = definition.unique && keys.parts() == definition.parts.len();
        let each = match (is_point, index) {
            // The row cache has rows by primary key.
            (true, 0) => 0.0,
            (true, _) => 1.0,
            (false, _) => SEEK_ROWS,
        };
        each * keys.lists()
    };
    access.all_keys().map(of_keys).sum()
}

/// What of a table's rows a full-text search is thought to find.
const FULL_TEXT_SHARE: f64 = 0.02;

/// What of a table's rows have an element that is looked for, where nothing is known of it.
const ARRAY_SHARE: f64 = 0.01;

/// What a covered entry costs, as a share of a row.
const COVERED_SHARE: f64 = 0.3;
/// The same of a row whose key is all that is read.
const KEY_SHARE: f64 = 0.6;
/// What a row behind a secondary index costs: each is a look-up of its own.
pub(super) const LOOKED_UP_SHARE: f64 = 1.8;
/// The same beside rows that are read in batches, each of which costs little.
const LOOKED_UP_IN_BATCHES: f64 = 6.0;

/// A covered entry beside these.
const COVERED_IN_BATCHES: f64 = 0.9;

/// What a row costs that has to be put together from its columns.
const COLUMNAR_SHARE: f64 = 10.0;

/// What one that is looked at costs, as a share of a row read in the order of the primary key.
fn share(table: &Table, access: &Access, covering: &Option<Covering>, reader: ReaderKind) -> f64 {
    if access.kind == AccessKind::MultiValued {
        return LOOKED_UP_SHARE;
    }
    match (access.index, covering) {
        (0, _) | (_, None) if table.columnar => COLUMNAR_SHARE,
        (0, Some(_)) => KEY_SHARE,
        (0, None) => 1.0,
        (_, Some(_)) if reader == ReaderKind::InBatches => COVERED_IN_BATCHES,
        (_, Some(_)) => COVERED_SHARE,
        (_, None) if reader == ReaderKind::InBatches => LOOKED_UP_IN_BATCHES,
        (_, None) => LOOKED_UP_SHARE,
    }
}

/// What is wanted of a table's rows.
pub(super) struct AccessRequest<'q> {
    /// The columns that are used elsewhere, if entries of an index alone may do.
    pub(super) needs: Option<&'q Columns>,
    pub(super) order: Option<InOrder<'q>>,
    pub(super) reader: ReaderKind,
}

/// The way to a table's rows that costs the least.
pub(super) struct Cheapest {
    pub(super) access: Access,
    pub(super) covering: Option<Covering>,
    /// Rows looked at.
    pub(super) examined: f64,
    /// Rows found.
    found: f64,
    /// What one that is looked at costs in a join, as a share of a row.
    pub(super) share: f64,
    /// What finding the places in indexes costs, in rows.
    pub(super) seeking: f64,
}

/// Whether an index narrows what a way reads.
fn is_narrow(way: &AccessPath) -> bool {
    match &way.step.member {
        Member::Scan(scan) => scan.access.as_ref().is_some_and(Access::is_narrow),
        Member::Group(..) => false,
    }
}

/// The cheapest way, in the order asked for if one can.
pub(super) fn cheapest(
    table: &Table,
    index_use: &IndexUse,
    terms: &[Node],
    wanted: &AccessRequest<'_>,
    size: f64,
    among: (&[Relation], &Sizes<'_>),
) -> Result<Cheapest> {
    let ordering = wanted.order.map(|order| order.ordering);
    let mut all = ways(table, index_use, terms, ordering, wanted.reader);
    if wanted.order.is_some() && all.iter().any(|access| access.ordered) {
        all.retain(|access| access.ordered);
    }
    cheapest_of(all, table, index_use, wanted, size, among)
}

/// The cheapest of some ways.
pub(super) fn cheapest_of(
    all: Vec<Access>,
    table: &Table,
    index_use: &IndexUse,
    wanted: &AccessRequest<'_>,
    size: f64,
    (relations, sizes): (&[Relation], &Sizes<'_>),
) -> Result<Cheapest> {
    let mut best: Option<(f64, Cheapest)> = None;
    for access in all {
        let (examined, found) = guess(&access, size, table, (relations, sizes))?;
        let covering = wanted.needs.and_then(|needs| match wanted.reader {
            ReaderKind::InBatches => covering_as_it_is(table, &access, needs),
            ReaderKind::ByRange | ReaderKind::Merging => covering(table, &access, needs),
        });
        let mut share = share(table, &access, &covering, wanted.reader);
        // All of an index is read in batches only where that is asked for.
        if wanted.reader == ReaderKind::InBatches && covering.is_some() && !access.is_narrow() {
            share = if index_use.is_forced() { share } else { LOOKED_UP_IN_BATCHES };
        }
        let seeking = seeking(table, &access, wanted.reader);
        let looked_at = match wanted.order.filter(|_| access.ordered) {
            Some(order) => (order.taken / found.max(1.0)).min(1.0),
            None => 1.0,
        };
        let cost = examined * looked_at * share + seeking;
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            // Look-ups of a join come in no order either way.
            let in_join = wanted.reader != ReaderKind::InBatches && !table.columnar;
            let share = if in_join { share.min(1.0) } else { share };
            best = Some((cost, Cheapest { access, covering, examined, found, share, seeking }));
        }
    }
    match best {
        Some((_, mut best)) => {
            if best.covering.is_none() {
                best.access.ask_entries(table);
            }
            Ok(best)
        }
        None => Err(SqlError::other("a table without an index")),
    }
}

/// How an index gives what is needed and what it does not answer by itself, without the rows.
pub(super) fn covering(table: &Table, access: &Access, needs: &Columns) -> Option<Covering> {
    let index = &table.indexes[access.index];
    // Single rows are looked up, which the row cache answers.
    if !access.others.is_empty() || access.kind == AccessKind::MultiValued {
        return None;
    }
    if index.unique
        && !index.parts.is_empty()
        && access.keys.iter().any(|keys| keys.parts() == index.parts.len())
    {
        return None;
    }
    let mut wanted = needs.clone();
    access.residual.iter().for_each(|term| wanted.add_local(term));
    table.covering(access.index, &wanted.exact, &wanted.alike)
}

/// The same for a reader who tests the other terms on what is read, and on nothing that only
/// compares like it.
fn covering_as_it_is(table: &Table, access: &Access, needs: &Columns) -> Option<Covering> {
    if access.index == 0 || !access.others.is_empty() {
        return None;
    }
    let columns = access.residual.iter().flat_map(columns_of);
    let wanted: Vec<usize> = needs.exact.iter().copied().chain(columns).collect();
    table.covering(access.index, &wanted, &[])
}

/// What looking at the rows of one table costs where the literals of a statement say which they
/// are, or `None`: an estimate of this execution, whatever the plan was made for.
///
/// # Errors
/// Of the store.
pub fn cost_of_look_up(
    table: &Arc<Table>,
    access: &Access,
    sizes: &Sizes<'_>,
) -> Result<Option<f64>> {
    let rows = match access.kind {
        AccessKind::Const => Some(1.0),
        AccessKind::FullText => Some(FULL_TEXT_SHARE * sizes.rows(table)?),
        AccessKind::MultiValued => {
            let size = sizes.rows(table)?;
            Some(sizes.of_access(table, access, size)?.unwrap_or(ARRAY_SHARE * size))
        }
        AccessKind::All | AccessKind::Index => None,
        AccessKind::Ref | AccessKind::Range | AccessKind::Merge => {
            sizes.of_access(table, access, sizes.rows(table)?)?
        }
    };
    Ok(rows.map(|rows| rows * share(table, access, &None, ReaderKind::ByRange)))
}

/// Rows looked at and rows found by a way to a table's rows whose values depend on no other table,
/// about.
///
/// # Errors
/// Of the store.
pub fn rows_of_way(table: &Arc<Table>, access: &Access, sizes: &Sizes<'_>) -> Result<(f64, f64)> {
    guess(access, sizes.rows(table)?, table, (&[], sizes))
}

/// Rows looked at and rows found by an access path.
pub(super) fn guess(
    access: &Access,
    size: f64,
    table: &Table,
    (relations, sizes): (&[Relation], &Sizes<'_>),
) -> Result<(f64, f64)> {
    let size = size.max(1.0);
    let examined = match access.kind {
        AccessKind::Const => 1.0,
        AccessKind::FullText => FULL_TEXT_SHARE * size,
        AccessKind::MultiValued => {
            sizes.of_access(table, access, size)?.unwrap_or(ARRAY_SHARE * size)
        }
        AccessKind::All | AccessKind::Index if !access.is_pruned() => size,
        _ => {
            let rows = match sizes.of_access(table, access, size)? {
                Some(rows) => rows,
                None => guess_keys(access, size, table, (relations, sizes))?,
            };
            // What was written lately makes a range seem to have more.
            keys_at_most(access, table, sizes).map_or(rows, |most| most.min(rows))
        }
    };
    let examined = examined.clamp(1.0, size);
    Ok((examined, examined * selectivity(&access.residual)))
}

/// Rows looked at by keys that a joined row gives.
fn guess_keys(
    access: &Access,
    size: f64,
    table: &Table,
    (relations, sizes): (&[Relation], &Sizes<'_>),
) -> Result<f64> {
    let mut rows = 0.0;
    for (index, keys) in access.all_keys() {
        let share = match &keys.between {
            None => 1.0,
            Some(Between::Bounds(Some(_), Some(_)) | Between::Like(..)) => 0.05,
            Some(Between::Bounds(..)) => 0.3,
            Some(Between::NotNull) => 0.9,
        };
        let mut each = sizes.per_key(table, index, keys.equal.len(), size)?;
        // Not every key that is looked up has rows: they are some of that many.
        if let [Lookup::One(Node { kind: Kind::Outer(0, slot), .. }, _)] = &keys.equal[..]
            && let Some(others) = rows_with_unique(*slot, relations, sizes)?
        {
            each = each.min(size / others.max(1.0));
        }
        rows += keys.lists() * each * share;
    }
    Ok(rows)
}

/// The rows of the table that has a slot, if each has another value there.
fn rows_with_unique(slot: usize, relations: &[Relation], sizes: &Sizes<'_>) -> Result<Option<f64>> {
    let (relation, column) = parts_of(slot);
    let Source::Table(table) = &relations[relation].source else { return Ok(None) };
    let is_unique = table
        .indexes
        .iter()
        .any(|index| index.unique && matches!(&index.parts[..], [part] if part.column == column));
    if is_unique { sizes.rows(table).map(Some) } else { Ok(None) }
}

/// The most rows of ranges of whole numbers: a unique index has no more there than the ranges have
/// numbers.
fn keys_at_most(access: &Access, table: &Table, sizes: &Sizes<'_>) -> Option<f64> {
    let index = &table.indexes[access.index];
    let of_range = |keys: &IndexKeys| {
        let Some(Between::Bounds(Some(low), Some(high))) = &keys.between else { return None };
        if !index.unique || keys.parts() + 1 != index.parts.len() {
            return None;
        }
        let column = &table.columns[index.parts[keys.parts()].column];
        if class_of(&column.ty) != Class::Integer {
            return None;
        }
        let (low, high) = (sizes.number(&low.node)?, sizes.number(&high.node)?);
        Some((high - low + 1.0).max(1.0) * keys.lists())
    };
    access.others.is_empty().then(|| access.keys.iter().map(of_range).sum())?
}

fn selectivity(terms: &[Node]) -> f64 {
    let each = |term: &Node| match &term.kind {
        Kind::Compare(Comparison::Equal, ..) => 0.1,
        _ => 0.34,
    };
    terms.iter().map(each).product()
}
