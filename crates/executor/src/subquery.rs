//! Sub-queries of expressions.
//!
//! One that depends on nothing outside is run once in an execution and its result kept, with a
//! set of its rows where equality is asked for; one that does is run for each row, and no longer
//! than until its answer is known.
//!
//! Invariants
//! 1. Comparisons have three values: with any row, with all rows, and of rows column by column.
//!
//! Not here: whether a row exists (`membership`), sub-queries that were made joins
//! (`plan::optimize::rewrite`).

use std::cmp::Ordering;
use std::collections::HashSet;
use std::rc::Rc;

use expression::{
    Cell, Comparison, Environment, Node, Quantifier, Scope, Subqueries, Subquery, SubqueryForm,
    compare, compare_shown, exact_beside,
};
use rows::local::KeySet;
use values::ErrorCode;
use values::datum::{Datum, Value};
use values::types::{Collation, ColumnType};

use super::drawn::DrawnBytes;
use super::key::{push_equal, push_equal_row};
use super::{Execution, Flow, RowList};
use plan::optimize::{is_compared_exactly, rule_of};
use plan::tree::{AskedQuery, Body, Class, Query, class_of};
use results::{Result, SqlError};

/// Rows from which a set is made of them.
const SET_ROWS_MIN: usize = 4;

/// The result of a sub-query that depends on nothing outside.
pub(super) struct SubqueryResult {
    rows: RowList,
    /// Keys of the rows without NULL, if equality is that of keys.
    set: Option<KeySet>,
    /// Whether some row has a NULL.
    nulls: bool,
}

/// The values of a sub-query's only column, where all that is asked is whether one is among them.
#[derive(Default)]
pub(super) struct KeptValues {
    /// Integers by themselves,
    integers: HashSet<i64, foldhash::fast::RandomState>,
    /// and all others by their keys.
    others: KeySet,
    /// Whether there is a NULL.
    nulls: bool,
    /// Whether there is a row.
    any: bool,
}

/// The ends of those values, where their order is asked for.
#[derive(Default)]
pub(super) struct KeptEnds {
    /// The smallest and the largest.
    values: Option<(Value, Value)>,
    /// Whether there is a NULL.
    nulls: bool,
    /// Whether there is a row.
    any: bool,
}

/// What an integer takes in a set, about.
const INTEGER_BYTES: usize = 20;

impl KeptValues {
    fn has(&self, class: Class, key: &[u8]) -> Result<bool> {
        match integer_of(class, key) {
            Some(integer) => Ok(self.integers.contains(&integer)),
            None => Ok(self.others.contains(key)?),
        }
    }
}

/// The integer that a key of its class stands for.
fn integer_of(class: Class, key: &[u8]) -> Option<i64> {
    let bytes = <[u8; 16]>::try_from(key).ok().filter(|_| class == Class::Integer)?;
    i64::try_from(i128::from_be_bytes(bytes)).ok()
}

impl Subqueries for Execution<'_> {
    fn value(&self, subquery: &Subquery, scope: &Scope<'_>) -> expression::Result<Value> {
        Ok(self.value_of(subquery, scope)?)
    }

    fn found_rows(
        &self,
        subquery: &Subquery,
        scope: &Scope<'_>,
    ) -> expression::Result<Rc<Vec<Vec<u8>>>> {
        let query = subquery.query();
        let Body::FullText(search) = &query.body else {
            return Err(expression::Error::other("a search that is none"));
        };
        Ok(self.rows_by_search(query.id, search, scope)?)
    }
}

impl Execution<'_> {
    fn value_of(&self, subquery: &Subquery, scope: &Scope<'_>) -> Result<Value> {
        match &subquery.form {
            SubqueryForm::Scalar => self.only_row(subquery, scope).map(|row| match row {
                Some(mut row) => row.swap_remove(0),
                None => Value::Null,
            }),
            SubqueryForm::Exists { negated } => {
                let exists = match subquery.is_correlated() {
                    true => self.exists(subquery, scope)?,
                    false => !self.kept_rows(subquery, scope, 1)?.rows.is_empty(),
                };
                Ok(Value::Int(i64::from(exists != *negated)))
            }
            SubqueryForm::Compare { operands, comparison, quantifier } => {
                let cells = operands
                    .iter()
                    .map(|node| node.evaluate(scope))
                    .collect::<expression::Result<Vec<Cell<'_>>>>()?;
                let operands = Operands::new(operands, &cells, subquery, *comparison);
                let truth = self.compared(subquery, &operands, *quantifier, scope)?;
                Ok(truth.map_or(Value::Null, |truth| Value::Int(i64::from(truth))))
            }
        }
    }

    /// Runs a query within the row of `scope`.
    pub(super) fn run_within(
        &self,
        query: &Query,
        scope: &Scope<'_>,
        give: &mut super::Give<'_>,
    ) -> Result<()> {
        let enclosing = Execution::enclosing(scope);
        let inner = Environment { enclosing: Some(&enclosing), ..*scope.environment };
        self.query(query, &inner.scope(), &mut None, give)
    }

    /// The only row; 1242 if there are more.
    fn only_row(&self, subquery: &Subquery, scope: &Scope<'_>) -> Result<Option<Vec<Value>>> {
        let several =
            || SqlError::new(ErrorCode::SubqueryNo1Row, "Subquery returns more than 1 row");
        if !subquery.is_correlated() {
            let kept = self.kept_rows(subquery, scope, 2)?;
            return match kept.rows.len() {
                0 | 1 => Ok(kept.rows.piece(0)?.last().cloned()),
                _ => Err(several()),
            };
        }
        let mut only = None;
        self.run_within(subquery.query(), scope, &mut |row| match only.replace(row) {
            None => Ok(Flow::Continue),
            Some(_) => Err(several()),
        })?;
        Ok(only)
    }

    /// The rows of a sub-query that depends on nothing outside; no more than so many are needed.
    fn kept_rows(
        &self,
        subquery: &Subquery,
        scope: &Scope<'_>,
        rows_max: usize,
    ) -> Result<Rc<SubqueryResult>> {
        let id = subquery.query().id;
        if let Some(kept) = self.results.borrow().get(&id) {
            return Ok(Rc::clone(kept));
        }
        let (mut rows, mut nulls) = (self.list(), false);
        self.run_within(subquery.query(), scope, &mut |row| {
            nulls |= row.iter().any(Value::is_null);
            self.push(&mut rows, row)?;
            Ok(if rows.len() >= rows_max { Flow::Stop } else { Flow::Continue })
        })?;
        let set = self.set_of(subquery, &rows)?;
        let kept = Rc::new(SubqueryResult { rows, set, nulls });
        self.results.borrow_mut().insert(id, Rc::clone(&kept));
        Ok(kept)
    }

    /// The values of a sub-query of one column that depends on nothing outside.
    fn kept_values(
        &self,
        subquery: &Subquery,
        (class, rule): (Class, Collation),
        scope: &Scope<'_>,
    ) -> Result<Rc<KeptValues>> {
        let id = subquery.query().id;
        if let Some(kept) = self.values.borrow().get(&id) {
            return Ok(Rc::clone(kept));
        }
        let (mut kept, mut key) = (KeptValues::default(), Vec::new());
        let mut drawn = DrawnBytes::nothing(self);
        self.run_within(subquery.query(), scope, &mut |row| {
            kept.any = true;
            key.clear();
            if !push_equal(class, rule, row[0].as_datum(), &mut key) {
                kept.nulls |= row[0].is_null();
            } else if let Some(integer) = integer_of(class, &key) {
                if kept.integers.insert(integer) {
                    let bytes = kept.integers.len() * INTEGER_BYTES;
                    drawn.keep_up_with(bytes, INTEGER_BYTES << 8)?;
                }
            } else if !kept.others.contains(&key)? {
                self.insert(&mut kept.others, key.clone())?;
            }
            Ok(Flow::Continue)
        })?;
        drawn.stay();
        let kept = Rc::new(kept);
        self.values.borrow_mut().insert(id, Rc::clone(&kept));
        Ok(kept)
    }

    /// The smallest and the largest value of a sub-query of one column that depends on nothing
    /// outside.
    fn kept_ends(
        &self,
        subquery: &Subquery,
        rule: Collation,
        scope: &Scope<'_>,
    ) -> Result<Rc<KeptEnds>> {
        let id = subquery.query().id;
        if let Some(kept) = self.ends.borrow().get(&id) {
            return Ok(Rc::clone(kept));
        }
        let ty = &subquery.query().columns[0].ty;
        let mut kept = KeptEnds::default();
        self.run_within(subquery.query(), scope, &mut |mut row| {
            kept.any = true;
            let value = row.swap_remove(0);
            let order = |other: &Value| {
                compare((value.as_datum(), ty), (other.as_datum(), ty), rule, scope.zone)
            };
            match &mut kept.values {
                _ if value.is_null() => kept.nulls = true,
                None => kept.values = Some((value.clone(), value)),
                Some((least, _)) if order(least) == Some(Ordering::Less) => *least = value,
                Some((_, greatest)) if order(greatest) == Some(Ordering::Greater) => {
                    *greatest = value;
                }
                Some(_) => {}
            }
            Ok(Flow::Continue)
        })?;
        let kept = Rc::new(kept);
        self.ends.borrow_mut().insert(id, Rc::clone(&kept));
        Ok(kept)
    }

    fn set_of(&self, subquery: &Subquery, rows: &RowList) -> Result<Option<KeySet>> {
        let SubqueryForm::Compare { operands, comparison, .. } = &subquery.form else {
            return Ok(None);
        };
        let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let Some(rules) = key_rules(operands, subquery).filter(|_| equality) else {
            return Ok(None);
        };
        if rows.len() < SET_ROWS_MIN {
            return Ok(None);
        }
        let mut set = KeySet::default();
        rows.each(&mut |row| {
            self.look(1)?;
            let mut key = Vec::with_capacity(24);
            if push_equal_row(row, &rules, &mut key) && !set.contains(&key)? {
                self.insert(&mut set, key)?;
            }
            Ok(Flow::Continue)
        })?;
        Ok(Some(set))
    }

    fn compared(
        &self,
        subquery: &Subquery,
        operands: &Operands<'_>,
        quantifier: Quantifier,
        scope: &Scope<'_>,
    ) -> Result<Option<bool>> {
        if quantifier == Quantifier::Only {
            let row = self.only_row(subquery, scope)?;
            return Ok(row.and_then(|row| operands.compare(&row, scope)));
        }
        let all = quantifier == Quantifier::All;
        let mut answer = Some(all);
        let mut meet = |row: &[Value]| {
            match operands.compare(row, scope) {
                Some(truth) if truth != all => {
                    answer = Some(truth);
                    return Flow::Stop;
                }
                Some(_) => {}
                None => answer = None,
            }
            Flow::Continue
        };
        if subquery.is_correlated() {
            self.run_within(subquery.query(), scope, &mut |row| Ok(meet(&row)))?;
            return Ok(answer);
        }
        // IN and NOT IN: `= ANY` and `<> ALL`.
        let membership = match operands.comparison {
            Comparison::Equal => !all,
            Comparison::NotEqual => all,
            _ => false,
        };
        if let [cell] = operands.cells
            && membership
            && let Some([rule]) = key_rules(operands.nodes, subquery).as_deref()
        {
            let mut key = Vec::with_capacity(24);
            let has_key = push_equal(rule.0, rule.1, cell.datum(), &mut key);
            if has_key || cell.is_null() {
                let kept = self.kept_values(subquery, *rule, scope)?;
                return Ok(match has_key {
                    true if kept.has(rule.0, &key)? => Some(!all),
                    false if kept.any => None,
                    _ if kept.nulls => None,
                    _ => Some(all),
                });
            }
        }
        if let [cell] = operands.cells
            && let Some(is_greater) = operands.comparison.wants_greater()
            && let Some([(_, rule)]) = key_rules(operands.nodes, subquery).as_deref()
        {
            let kept = self.kept_ends(subquery, *rule, scope)?;
            if cell.is_null() {
                return Ok(if kept.any { None } else { Some(all) });
            }
            // One of all decides: whoever is above the largest is above each, and whoever is above
            // the smallest is above one.
            let end = kept.values.as_ref().map(|(least, greatest)| match is_greater == all {
                true => greatest,
                false => least,
            });
            let truth = match end {
                None => Some(all),
                Some(end) => operands.compare(std::slice::from_ref(end), scope),
            };
            return Ok(if kept.nulls && truth == Some(all) { None } else { truth });
        }
        let kept = self.kept_rows(subquery, scope, usize::MAX)?;
        if let Some(set) = kept.set.as_ref().filter(|_| membership)
            && let Some(found) = operands.find(set, subquery)?
        {
            // Neither found nor NULL among them: no row is equal.
            if found || !kept.nulls {
                return Ok(Some(found != all));
            }
        }
        kept.rows.each(&mut |row| Ok(meet(row)))?;
        Ok(answer)
    }
}

/// What is compared with the rows of a sub-query.
struct Operands<'a> {
    cells: &'a [Cell<'a>],
    types: Vec<&'a ColumnType>,
    others: Vec<&'a ColumnType>,
    rules: Vec<Collation>,
    comparison: Comparison,
    nodes: &'a [Node],
    /// Which columns of the sub-query are the same in all its rows.
    fixed: Vec<bool>,
}

impl<'a> Operands<'a> {
    fn new(
        nodes: &'a [Node],
        cells: &'a [Cell<'a>],
        subquery: &'a Subquery,
        comparison: Comparison,
    ) -> Operands<'a> {
        let columns = &subquery.query().columns;
        let rules = nodes.iter().zip(columns).map(|(node, column)| rule_of(node, &column.ty));
        Operands {
            cells,
            types: nodes.iter().map(|node| &node.ty).collect(),
            others: columns.iter().map(|column| &column.ty).collect(),
            rules: rules.collect(),
            comparison,
            nodes,
            fixed: (0..columns.len()).map(|at| subquery.query().is_fixed(at)).collect(),
        }
    }

    /// Whether the set has the operands' key; `None` if they have none.
    fn find(&self, set: &KeySet, subquery: &Subquery) -> Result<Option<bool>> {
        let Some(rules) = key_rules(self.nodes, subquery) else { return Ok(None) };
        let mut key = Vec::with_capacity(24);
        let whole = self
            .cells
            .iter()
            .zip(&rules)
            .all(|(cell, (class, rule))| push_equal(*class, *rule, cell.datum(), &mut key));
        if whole { Ok(Some(set.contains(&key)?)) } else { Ok(None) }
    }

    /// The comparison with one row.
    fn compare(&self, row: &[Value], scope: &Scope<'_>) -> Option<bool> {
        let equal = |at: usize| self.pair(at, Comparison::Equal, &row[at], scope);
        match self.comparison {
            Comparison::Equal | Comparison::NullSafeEqual => {
                let each = (0..row.len()).map(|at| self.pair(at, self.comparison, &row[at], scope));
                all_true(each)
            }
            Comparison::NotEqual => all_true((0..row.len()).map(equal)).map(|same| !same),
            _ => {
                let strict = match self.comparison {
                    Comparison::LessEqual => Comparison::Less,
                    Comparison::GreaterEqual => Comparison::Greater,
                    other => other,
                };
                for at in 0..row.len() {
                    let last = at + 1 == row.len();
                    let operator = if last { self.comparison } else { strict };
                    match self.pair(at, operator, &row[at], scope)? {
                        true => return Some(true),
                        false if last || equal(at) == Some(false) => return Some(false),
                        false => {}
                    }
                }
                Some(false)
            }
        }
    }

    fn pair(
        &self,
        at: usize,
        operator: Comparison,
        value: &Value,
        scope: &Scope<'_>,
    ) -> Option<bool> {
        let (a, b) = (self.cells[at].datum(), value.as_datum());
        if operator == Comparison::NullSafeEqual
            && (matches!(a, Datum::Null) || matches!(b, Datum::Null))
        {
            return Some(a.is_null() && b.is_null());
        }
        let (node, column) = (&self.nodes[at], self.others[at]);
        let (is_fixed, is_other_fixed) = (|| node.is_fixed(), || self.fixed[at]);
        let (mut seen, mut other) = (a, b);
        if node.ty != ColumnType::Json && *column != ColumnType::Json {
            seen = exact_beside((a, is_fixed), (b, is_other_fixed)).0;
            other = exact_beside((b, is_other_fixed), (a, is_fixed)).0;
        }
        let (left, right) = ((seen, self.types[at]), (other, column));
        let order = compare_shown(left, right, self.rules[at], scope.zone)?;
        Some(operator.holds(order))
    }
}

/// AND over three-valued truths.
fn all_true(truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut answer = Some(true);
    for truth in truths {
        match truth {
            Some(false) => return Some(false),
            Some(true) => {}
            None => answer = None,
        }
    }
    answer
}

/// How the pairs compare, if equality of all of them is that of keys.
fn key_rules(operands: &[Node], subquery: &Subquery) -> Option<Vec<(Class, Collation)>> {
    let pairs = operands.iter().zip(&subquery.query().columns);
    pairs
        .map(|(node, column)| {
            let class = class_of(&node.ty);
            let same = class != Class::Other
                && class == class_of(&column.ty)
                && is_compared_exactly(node, &column.ty);
            same.then(|| (class, rule_of(node, &column.ty)))
        })
        .collect()
}
