//! The order of joining: cheapest first, each next relation the one that costs least given those
//! before it, tried from every relation that may be the first.
//!
//! What stands on the right of an outer join comes when all that its condition names is there, what
//! stands on the right of STRAIGHT_JOIN when all of its left side is.
//!
//! Invariants
//! 1. A term is given to the first step at which all its relations are joined; one of WHERE to an
//!    outer join's step as what must hold afterwards.
//!
//! Not here: the way to one relation (`access`).

use expression::{Kind, Node, parts_of};

use super::access::{AccessPath, InOrder, LOOKED_UP_SHARE, way_to};
use super::late_lookup::{LateNeeds, is_covered};
use super::leaps::{Leaping, leaping};
use super::needs::Needs;
use super::precomputed::{counts_all, known_of_table};
use super::rewrite::simplified;
use super::wanted_order::{
    GroupOrder, OrderCut, UNLUCKY_ROWS, sorted_by, wanted_group_order, wanted_order,
};
use super::{RowDemand, Sizes, once};
use crate::point::Ordering;
use crate::terms::{is_volatile, localized, references, rejected};
use crate::tree::{
    AggregateFunction, Join, JoinStep, LateRows, Member, Relation, Select, SelectPlan, SortKey,
};
use results::{Result, SqlError};

/// Relations from which an order of joining is tried.
const STARTS_MAX: usize = 12;
/// How many times the rows that a sort wants there are, where it rather looks them up again than
/// keeps them
const KEPT_RATIO: f64 = 64.0;
/// with so many columns or more.
const KEPT_COLUMNS: usize = 3;

/// A part of a join that is placed as one.
#[derive(Clone)]
struct JoinItem {
    what: What,
    /// LEFT JOIN.
    outer: bool,
    /// What makes a match with an outer item.
    on: Vec<Node>,
    /// Its relations.
    relations: u64,
    /// Relations that must be there before it.
    needs: u64,
}

impl JoinItem {
    /// Whether the joining may begin with it.
    fn may_begin(&self) -> bool {
        !self.outer && self.needs == 0
    }
}

#[derive(Clone)]
enum What {
    Relation(usize),
    Group(Pool),
}

/// Items to be joined and the terms between them.
#[derive(Clone, Default)]
struct Pool {
    items: Vec<JoinItem>,
    terms: Vec<Node>,
}

impl Pool {
    /// All relations of its items.
    fn relations(&self) -> u64 {
        self.items.iter().fold(0, |all, item| all | item.relations)
    }

    /// Lets the items from one on come behind some relations.
    fn put_behind(&mut self, first: usize, relations: u64) {
        self.items[first..].iter_mut().for_each(|item| item.needs |= relations);
    }
}

/// An order of joining.
struct PlannedOrder {
    steps: Vec<JoinStep>,
    /// Terms of no relation.
    once: Vec<Node>,
    rows: f64,
    cost: f64,
}

/// Plans the joins of a SELECT; how many rows come out and how many are looked at.
///
/// # Errors
/// Those of `way_to`, and of the queries within.
pub fn plan_joins(
    select: &mut Select,
    wanted: &RowDemand<'_>,
    sizes: &Sizes<'_>,
) -> Result<(f64, f64)> {
    let late = LateNeeds::of(select, wanted);
    let needs = Needs::of(select);
    let conditions = std::mem::take(&mut select.conditions);
    let Some(join) = select.join.take() else {
        select.plan = SelectPlan { once: conditions, ..SelectPlan::default() };
        return Ok((1.0, 1.0));
    };
    let without = conditions.iter().fold(0, |all, term| all | rejected(term));
    let mut pool = Pool { items: Vec::new(), terms: conditions };
    flatten(simplified(join, without), select.straight, &mut pool);
    if select.has_lateral() {
        put_laterals_behind(&mut pool, &select.relations);
    }
    let relations = &select.relations;
    let mut planner = Planner { relations, needs, sizes, cut: OrderCut::of(select, wanted) };
    let order = wanted_order(select, wanted);
    let group_order = wanted_group_order(select, wanted);
    let mut best = planner.best(&pool, None)?;
    planner.cut = None;
    let late_planner =
        late.map(|late| (Planner { relations, needs: late.needs, sizes, cut: None }, late.rows));
    let mut late_best = match &late_planner {
        Some((planner, _)) => Some(planner.best(&pool, None)?),
        None => None,
    };
    let (mut cost, mut ordered, mut rows_late) = (best.cost, false, None);
    // The way whose index has counted most of them knows best how many rows there are.
    let counted = best.rows.max(late_best.as_ref().map_or(0.0, |late| late.rows));
    let taken = match select.counts_found {
        true => f64::INFINITY,
        // So many rows are thought to be alike (`plan_select`).
        false if select.distinct => wanted.rows.unwrap_or_default() * counted.sqrt() + UNLUCKY_ROWS,
        false => wanted.rows.unwrap_or_default() + UNLUCKY_ROWS,
    };
    if let Some((number, ordering)) = &order
        && let Some(other) = planner.beginning_with(&pool, *number, InOrder { ordering, taken })?
        && in_order(&other.steps)
    {
        let rows = counted.max(other.rows).max(1.0);
        let of_taken = other.cost * (taken / rows).min(1.0);
        if of_taken <= cost {
            (best, cost, ordered) = (other, of_taken, true);
        }
    }
    let mut grouped = false;
    if let Some(GroupOrder { relation, ordering, sorts }) = &group_order {
        let taken = match wanted.rows.filter(|_| *sorts && select.having.is_none()) {
            Some(groups) if !select.counts_found => groups * counted.sqrt() + UNLUCKY_ROWS,
            _ => f64::INFINITY,
        };
        if let Some(other) =
            planner.beginning_with(&pool, *relation, InOrder { ordering, taken })?
            && in_order(&other.steps)
        {
            let of_taken = other.cost * (taken / counted.max(other.rows).max(1.0)).min(1.0);
            if of_taken <= cost {
                (best, cost, ordered, grouped) = (other, of_taken, *sorts, true);
            }
        }
    }
    if let Some((planner, rows)) = late_planner
        && let Some(mut other) = late_best.take()
    {
        let mut in_its_order = false;
        // All are gone through, then in order as well as not.
        if let Some((number, ordering)) = order.filter(|_| select.counts_found)
            && let all = (InOrder { ordering: &ordering, taken: f64::INFINITY })
            && let Some(sorted) = planner.beginning_with(&pool, number, all)?
            && in_order(&sorted.steps)
            && sorted.cost <= other.cost
        {
            (other, in_its_order) = (sorted, true);
        }
        let looked_up = wanted.rows.unwrap_or_default() * LOOKED_UP_SHARE;
        if is_covered(&other.steps) && other.cost + looked_up < cost {
            cost = other.cost + looked_up;
            (best, ordered, rows_late) = (other, in_its_order, Some(rows));
        } else if !ordered && is_rather_looked_up(select, &best, wanted) {
            rows_late = Some(LateRows { rows_max: best.rows / KEPT_RATIO, ..rows });
        }
    }
    if !ordered && is_ranked(select, wanted, &best.steps) {
        (ordered, rows_late) = (true, None);
    }
    // A row of an index is dearer: all columns of its segment are read for it.
    let is_whole = is_without_terms(&pool);
    let is_known = is_whole && known_of_table(select).is_some();
    let counts_all = is_whole && counts_all(select);
    if !is_known && let Some(first) = extreme_first(select, &pool, &planner)? {
        select.plan = SelectPlan {
            once: first.once,
            steps: first.steps,
            first_row: true,
            ..Default::default()
        };
        return Ok((1.0, 1.0));
    }
    if !is_known
        && let [JoinItem { what: What::Relation(number), outer: false, on, .. }] = &pool.items[..]
        && on.is_empty()
        && let Some(leaping) =
            leaping(select, &pool.terms, planner.needs.of_relation(*number), sizes)?
        && leaping.cost < cost
    {
        let Leaping { step, once, rows, cost } = leaping;
        select.plan = SelectPlan { once, steps: vec![step], ..Default::default() };
        return Ok((rows, cost));
    }
    let (rows, cost) = if is_known || counts_all { (1.0, 1.0) } else { (best.rows, cost) };
    let sorted_after = sorted_after(select, wanted.order, &best.steps);
    let (mut steps, late) = (best.steps, rows_late);
    steps.iter_mut().for_each(once::of_step);
    select.plan = SelectPlan {
        once: best.once,
        steps,
        ordered,
        grouped,
        sorted_after,
        late,
        first_row: false,
        counts_all,
        is_known,
        members_first: Vec::new(),
    };
    Ok((rows, cost))
}

/// Whether rows come in the order that is asked for, as a full-text search finds them: the most
/// relevant first.
fn is_ranked(select: &Select, wanted: &RowDemand<'_>, steps: &[JoinStep]) -> bool {
    let [SortKey { position, descending: true }] = wanted.order else { return false };
    let Some(Member::Scan(scan)) = steps.first().map(|step| &step.member) else { return false };
    let search = scan.access.as_ref().and_then(|access| access.search.as_deref());
    scan.hash.is_none()
        && select.is_plain()
        && !select.distinct
        && search
            .is_some_and(|search| localized(&select.outputs[*position], scan.relation) == *search)
}

/// Whether it is one relation, of which all rows are joined.
fn is_without_terms(pool: &Pool) -> bool {
    pool.terms.is_empty() && matches!(&pool.items[..], [one] if !one.outer && one.on.is_empty())
}

/// Puts what a join joins into a pool; `straight`: to be joined in the order in which it stands.
fn flatten(join: Join, straight: bool, pool: &mut Pool) {
    match join {
        Join::Relation(number) => pool.items.push(JoinItem {
            what: What::Relation(number),
            outer: false,
            on: Vec::new(),
            relations: 1 << number,
            needs: 0,
        }),
        Join::Inner(members, terms) => {
            for member in members {
                let before = if straight { pool.relations() } else { 0 };
                let first = pool.items.len();
                flatten(member, straight, pool);
                pool.put_behind(first, before);
            }
            pool.terms.extend(terms);
        }
        Join::Straight(left, right, terms) => {
            let before = left.relations();
            flatten(*left, straight, pool);
            let first = pool.items.len();
            flatten(*right, straight, pool);
            pool.put_behind(first, before);
            pool.terms.extend(terms);
        }
        Join::Left(left, right, on) => {
            let before = if straight { left.relations() } else { 0 };
            flatten(*left, straight, pool);
            let relations = right.relations();
            let named = on.iter().fold(0, |all, term| all | references(term)) & !relations;
            let needs = named | before;
            let what = match *right {
                Join::Relation(number) => What::Relation(number),
                right => {
                    let mut inner = Pool::default();
                    flatten(right, straight, &mut inner);
                    What::Group(inner)
                }
            };
            pool.items.push(JoinItem { what, outer: true, on, relations, needs });
        }
    }
}

/// Lets what sees relations before it come behind them.
fn put_laterals_behind(pool: &mut Pool, relations: &[Relation]) {
    for item in &mut pool.items {
        let own = relations.iter().enumerate().filter(|(n, _)| item.relations >> n & 1 == 1);
        let seen = own.filter_map(|(_, relation)| relation.lateral.as_ref());
        let named = seen.fold(0, |all, names| all | names.relations());
        item.needs |= named & !item.relations;
        if let What::Group(inner) = &mut item.what {
            put_laterals_behind(inner, relations);
        }
    }
}

/// Whether the few rows that a sort wants of many are rather read again than kept: rows that come
/// in the opposite order, as the newest last, are all kept for a while.
fn is_rather_looked_up(select: &Select, best: &PlannedOrder, wanted: &RowDemand<'_>) -> bool {
    let few = wanted.rows.is_some_and(|rows| rows * KEPT_RATIO <= best.rows);
    few && select.visible >= KEPT_COLUMNS && !is_covered(&best.steps)
}

/// After how many steps all is known that rows are sorted by, if others follow.
fn sorted_after(select: &Select, order: &[SortKey], steps: &[JoinStep]) -> Option<usize> {
    let wanted = sorted_by(select, order)?;
    let mut known = 0;
    let has_all = |step: &JoinStep| {
        known |= relations_of(step);
        wanted & !known == 0
    };
    steps.iter().position(has_all).map(|last| last + 1).filter(|after| *after < steps.len())
}

fn relations_of(step: &JoinStep) -> u64 {
    match &step.member {
        Member::Scan(scan) => 1 << scan.relation,
        Member::Group(inner, _) => inner.iter().fold(0, |all, step| all | relations_of(step)),
    }
}

fn in_order(steps: &[JoinStep]) -> bool {
    match steps.first().map(|step| &step.member) {
        Some(Member::Scan(scan)) => {
            scan.access.as_ref().is_some_and(|access| access.ordered) && scan.hash.is_none()
        }
        _ => false,
    }
}

/// MIN or MAX of a column that an index orders: the first row of that order has it.
fn extreme_first(
    select: &Select,
    pool: &Pool,
    planner: &Planner<'_>,
) -> Result<Option<PlannedOrder>> {
    let (Some(grouping), None) = (&select.grouping, &select.windowing) else { return Ok(None) };
    let ([aggregate], [item]) = (grouping.aggregates.as_slice(), pool.items.as_slice()) else {
        return Ok(None);
    };
    let descending = match aggregate.function {
        AggregateFunction::Minimum => false,
        AggregateFunction::Maximum => true,
        _ => return Ok(None),
    };
    let (What::Relation(number), true) =
        (&item.what, grouping.keys.is_empty() && grouping.others.is_empty())
    else {
        return Ok(None);
    };
    let [argument] = aggregate.arguments.as_slice() else { return Ok(None) };
    let Kind::Column(slot) = argument.kind else { return Ok(None) };
    let mut pool = pool.clone();
    // NULLs come first upwards and last downwards.
    if argument.nullable && !descending {
        let kind = Kind::IsNull(Box::new(argument.clone()), true);
        pool.terms.push(expression::boolean(kind, false));
    }
    let ordering = Ordering { columns: vec![(parts_of(slot).1, descending)] };
    let first = InOrder { ordering: &ordering, taken: 1.0 };
    let found = planner.beginning_with(&pool, *number, first)?;
    // A filter might pass over many rows before the first that counts.
    Ok(found.filter(|planned| {
        let residual = |step: &JoinStep| match &step.member {
            Member::Scan(scan) => scan.access.as_ref().is_some_and(|access| {
                access.residual.iter().all(|term| matches!(term.kind, Kind::IsNull(_, true)))
            }),
            Member::Group(..) => false,
        };
        in_order(&planned.steps) && planned.steps.iter().all(residual)
    }))
}

/// Joined rows that can be sorted, before the rest was joined to some of them.
struct SortedJoin {
    rows: f64,
    cost: f64,
}

impl SortedJoin {
    /// How many rows it would be at the end if the rest were joined to all. Where it passes over
    /// some, it has to be joined to more until as many are found as are wanted.
    fn end(&self, cut: OrderCut, joined: f64, cost: &mut f64) -> f64 {
        let taken = self.rows.min(cut.rows).max(0.01);
        let all = joined * self.rows / taken;
        let needed = (cut.rows * self.rows / all.max(0.01)).min(self.rows);
        *cost = self.cost + (*cost - self.cost) * (needed / taken).max(1.0);
        all
    }
}

struct Planner<'a> {
    relations: &'a [Relation],
    needs: Needs,
    sizes: &'a Sizes<'a>,
    cut: Option<OrderCut>,
}

impl Planner<'_> {
    /// The cheapest order of those tried.
    fn best(&self, pool: &Pool, before: Option<(u64, f64)>) -> Result<PlannedOrder> {
        let may_begin = |at: &usize| before.is_some() || pool.items[*at].may_begin();
        let starts: Vec<usize> = (0..pool.items.len()).filter(may_begin).collect();
        let tried = if before.is_some() { 1 } else { starts.len().min(STARTS_MAX) };
        let mut best: Option<PlannedOrder> = None;
        for start in starts.iter().take(tried.max(1)) {
            let first = before.is_none().then_some((*start, None));
            let planned = self.greedy(pool, first, before)?;
            if best.as_ref().is_none_or(|best| planned.cost < best.cost) {
                best = Some(planned);
            }
        }
        match best {
            Some(best) => Ok(best),
            None => self.greedy(pool, None, before),
        }
    }

    /// The order that begins with one relation in an order of its own; `None` if it cannot.
    fn beginning_with(
        &self,
        pool: &Pool,
        number: usize,
        order: InOrder<'_>,
    ) -> Result<Option<PlannedOrder>> {
        let at = pool.items.iter().position(|item| {
            item.may_begin() && matches!(item.what, What::Relation(own) if own == number)
        });
        let Some(at) = at else { return Ok(None) };
        self.greedy(pool, Some((at, Some(order))), None).map(Some)
    }

    /// Places items one after the other. `before`: relations joined already, and their rows.
    fn greedy(
        &self,
        pool: &Pool,
        first: Option<(usize, Option<InOrder<'_>>)>,
        before: Option<(u64, f64)>,
    ) -> Result<PlannedOrder> {
        let mut left: Vec<&JoinItem> = pool.items.iter().collect();
        let mut terms: Vec<Option<&Node>> = pool.terms.iter().map(Some).collect();
        let (mut placed, mut rows) = before.map_or((0, 1.0), |(placed, rows)| (placed, rows));
        let own = pool.relations();
        let mut planned =
            PlannedOrder { steps: Vec::new(), once: Vec::new(), rows: 1.0, cost: 0.0 };
        // RAND() < 0.5 is about no relation, but is asked of each row.
        let mut of_each_row = Vec::new();
        for term in &mut terms {
            if let Some(node) = term.take_if(|node| references(node) & own == 0) {
                match is_of_each_row(node) {
                    true => of_each_row.push(node.clone()),
                    false => planned.once.push(node.clone()),
                }
            }
        }
        let mut per_before = 1.0;
        let cut = self.cut.filter(|_| before.is_none());
        // What there was when rows could be sorted.
        let mut sorted: Option<SortedJoin> = None;
        while !left.is_empty() {
            if let Some(cut) = cut.filter(|cut| placed != 0 && cut.relations & !placed == 0)
                && sorted.is_none()
            {
                sorted = Some(SortedJoin { rows, cost: planned.cost });
                rows = rows.min(cut.rows);
            }
            let start = planned.steps.is_empty() && before.is_none();
            let mut chosen: Option<(usize, AccessPath, f64)> = None;
            for (at, item) in left.iter().enumerate() {
                let is_first = match first {
                    Some((first, _)) if start => std::ptr::eq(*item, &pool.items[first]),
                    _ => true,
                };
                let ready = item.needs & !placed & own == 0 && (!item.outer || !start);
                if !is_first || !ready {
                    continue;
                }
                let order = first.and_then(|(_, order)| order).filter(|_| start);
                let joined = if placed == 0 { 0.0 } else { rows };
                let way = self.way(item, &terms, placed, joined, order)?;
                let rank = way.once + rows * (way.examined + way.step.rows);
                if chosen.as_ref().is_none_or(|(_, _, best)| rank < *best) {
                    chosen = Some((at, way, rank));
                }
            }
            let Some((at, mut way, _)) = chosen else {
                return Err(SqlError::other("a join that no order satisfies"));
            };
            let item = left.remove(at);
            let reached = placed | item.relations;
            for term in &mut terms {
                let ready = term.is_some_and(|node| references(node) & !reached & own == 0);
                // An inner step has them among its matches.
                if let (true, Some(node)) = (ready, *term) {
                    *term = None;
                    if item.outer {
                        way.step.after.push(node.clone());
                    }
                }
            }
            planned.cost += way.once + rows * way.examined.max(1.0);
            if item.outer {
                way.step.rows = way.step.rows.max(1.0);
            }
            rows *= way.step.rows * 0.34f64.powi(way.step.after.len() as i32);
            per_before *= way.step.rows;
            rows = rows.max(0.01);
            placed = reached;
            planned.steps.push(way.step);
        }
        match planned.steps.last_mut() {
            Some(last) => last.after.append(&mut of_each_row),
            None => planned.once.append(&mut of_each_row),
        }
        if let (Some(sorted), Some(cut)) = (sorted, cut) {
            rows = sorted.end(cut, rows, &mut planned.cost);
        }
        planned.rows = if before.is_some() { per_before } else { rows };
        Ok(planned)
    }

    /// The way to an item, given what is placed.
    fn way(
        &self,
        item: &JoinItem,
        terms: &[Option<&Node>],
        placed: u64,
        rows: f64,
        order: Option<InOrder<'_>>,
    ) -> Result<AccessPath> {
        let reached = placed | item.relations;
        let matches: Vec<&Node> = match item.outer {
            true => item.on.iter().collect(),
            false => terms
                .iter()
                .flatten()
                .copied()
                .filter(|node| {
                    let used = references(node);
                    used & !reached & self.all() == 0 && used & item.relations != 0
                })
                .collect(),
        };
        let mut way = match &item.what {
            What::Relation(number) => {
                let needs = self.needs.of_relation(*number);
                way_to(self.relations, *number, &matches, needs, rows, order, self.sizes)?
            }
            What::Group(pool) => {
                let mut pool = pool.clone();
                // Its condition is checked within, as early as it can be.
                pool.terms.extend(matches.iter().map(|node| (*node).clone()));
                let inner = self.best(&pool, Some((placed, rows.max(1.0))))?;
                let numbers =
                    (0..self.relations.len()).filter(|n| item.relations >> n & 1 == 1).collect();
                AccessPath {
                    step: JoinStep {
                        member: Member::Group(inner.steps, numbers),
                        outer: true,
                        filters: inner.once,
                        after: Vec::new(),
                        rows: inner.rows,
                    },
                    examined: inner.cost / rows.max(1.0),
                    once: 0.0,
                }
            }
        };
        way.step.outer = item.outer;
        Ok(way)
    }

    fn all(&self) -> u64 {
        (1u64 << self.relations.len()) - 1
    }
}

/// Whether a term without columns may be another for each row.
fn is_of_each_row(term: &Node) -> bool {
    let mut asks = false;
    term.visit(&mut |node| {
        asks |= matches!(&node.kind, Kind::Subquery(subquery) if subquery.is_volatile);
    });
    asks || is_volatile(term)
}
