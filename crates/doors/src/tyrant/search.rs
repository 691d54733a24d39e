//! `search` and `metasearch`: records found by conditions, sorted, cut, and told or removed.
//!
//! A condition on the primary key that names keys, or how they begin, says where to look; so does one on
//! a column of a table of SQL that an index begins with (`access`). Otherwise all records are looked
//! at.
//!
//! Invariants
//! 1. A hit is told or removed only if it still meets its query then.
//! 2. Hits that wait are counted in the memory that clients may use.
//!
//! Not here: elements of requests (`query`), what conditions mean (`condition`), where records are
//! looked for (`access`).

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use rows::budget::Share;

use crate::tyrant::access::Access;
use crate::tyrant::columns::Columns;
use crate::tyrant::command::{Failure, List, Trouble};
use crate::tyrant::condition::number;
use crate::tyrant::encode::Counted;
use crate::tyrant::execute::Rows;
use crate::tyrant::query::{Action, Combination, Order, Query, Search};

/// What stands in front of a hint, so that clients know it from a hit.
const HINT: &[u8] = b"\0\0[[HINT]]\n";
/// Hits beyond those that are wanted after which the worst are dropped.
const SPARE_HITS: usize = 1024;
/// What a hit takes besides its bytes.
const HIT_BYTES: usize = 64;

/// A record that meets a query.
#[derive(Clone, Debug)]
struct Hit {
    key: Vec<u8>,
    /// What it is sorted by: the column's text.
    text: Vec<u8>,
    /// And its number.
    number: f64,
    /// Which query it meets.
    query: usize,
}

/// Answers a search.
///
/// # Errors
/// `Invalid` for elements that are not understood; see `Trouble`.
pub fn run(
    rows: &mut Rows<'_, '_>,
    elements: List<'_>,
    answer: &mut Counted<'_>,
) -> Result<(), Trouble> {
    if !rows.database.is_table() {
        return Err(Failure::Invalid("not a table database".into()).into());
    }
    let search = Search::parse(elements)?;
    rows.may_read()?;
    rows.needs_time()?;
    let mut hint = String::new();
    // Held until the hits are told.
    let mut share = rows.turn.engine().budget().share();
    let hits = hits(rows, &search, &mut share, &mut hint)?;
    match &search.action {
        Action::Keys => {
            for hit in &hits {
                answer.push(&hit.key);
                rows.check_reply(answer.bytes())?;
            }
        }
        Action::Count => answer.push(hits.len().to_string().as_bytes()),
        Action::Get(wanted) => {
            for hit in &hits {
                if let Some(columns) = rows.columns_of(&hit.key)?
                    && search.queries[hit.query].holds(&hit.key, &columns)
                {
                    answer.push(&shown(&hit.key, &columns, wanted));
                }
                rows.check_reply(answer.bytes())?;
            }
        }
        Action::Out => rows.together(|rows| {
            for hit in &hits {
                let query = &search.queries[hit.query];
                rows.remove_if(&hit.key, &|columns| query.holds(&hit.key, columns))?;
            }
            Ok(())
        })?,
    }
    if search.hint {
        answer.push(&[HINT, hint.as_bytes()].concat());
    }
    Ok(())
}

impl Query {
    fn holds(&self, key: &[u8], columns: &Columns) -> bool {
        self.conditions.iter().all(|condition| condition.holds(key, columns))
    }
}

/// The name and value of the primary key, then columns, with NULs between.
fn shown(key: &[u8], columns: &Columns, wanted: &[Vec<u8>]) -> Vec<u8> {
    let mut shown = [&[0], key].concat();
    for (name, value) in columns.iter() {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            for part in [name, value] {
                shown.push(0);
                shown.extend_from_slice(part);
            }
        }
    }
    shown
}

/// The hits of all queries, combined, sorted and cut as the first says.
fn hits(
    rows: &mut Rows<'_, '_>,
    search: &Search,
    share: &mut Share,
    hint: &mut String,
) -> Result<Vec<Hit>, Trouble> {
    let first = &search.queries[0];
    let alone = search.queries.len() == 1;
    let needed = if alone { first.skipped.saturating_add(first.most) } else { usize::MAX };
    let mut found = Vec::with_capacity(search.queries.len());
    for position in 0..search.queries.len() {
        found.push(find(rows, search, position, needed, share, hint)?);
    }
    let others = found.split_off(1);
    let mut hits = found.pop().expect("there is one query at least");
    for other in others {
        match search.combination {
            Combination::Union => {
                let known: HashSet<Vec<u8>> = hits.iter().map(|hit| hit.key.clone()).collect();
                hits.extend(other.into_iter().filter(|hit| !known.contains(&hit.key)));
            }
            Combination::Intersection | Combination::Difference => {
                let in_both = search.combination == Combination::Intersection;
                let other: HashSet<Vec<u8>> = other.into_iter().map(|hit| hit.key).collect();
                hits.retain(|hit| other.contains(&hit.key) == in_both);
            }
        }
    }
    sort(&mut hits, first);
    hits.drain(..first.skipped.min(hits.len()));
    hits.truncate(first.most);
    // Writing into a text does not fail.
    let _ = writeln!(hint, "result set size: {}", hits.len());
    Ok(hits)
}

/// The hits of one query, of which so many are needed in the first query's order.
fn find(
    rows: &mut Rows<'_, '_>,
    search: &Search,
    position: usize,
    needed: usize,
    share: &mut Share,
    hint: &mut String,
) -> Result<Vec<Hit>, Trouble> {
    let (query, first) = (&search.queries[position], &search.queries[0]);
    // What earlier queries have found stays.
    let before = share.bytes();
    let (mut hits, mut bytes) = (Vec::new(), 0);
    let mut take = |key: &[u8], columns: &Columns| -> rows::Result<ControlFlow<()>> {
        if !query.holds(key, columns) {
            return Ok(ControlFlow::Continue(()));
        }
        let (text, order) = match &first.order {
            None => (&b""[..], Order::Text),
            Some((column, order)) if column.is_empty() => (key, *order),
            Some((column, order)) => (columns.get(column).unwrap_or_default(), *order),
        };
        let is_number = matches!(order, Order::Number | Order::NumberDown);
        let (number, text) = if is_number { (number(text), &b""[..]) } else { (0.0, text) };
        bytes += HIT_BYTES + key.len() + text.len();
        hits.push(Hit { key: key.to_vec(), text: text.to_vec(), number, query: position });
        if first.order.is_none() && hits.len() >= needed {
            return Ok(ControlFlow::Break(()));
        }
        if hits.len() >= needed.saturating_add(needed).saturating_add(SPARE_HITS) {
            sort(&mut hits, first);
            hits.truncate(needed);
            bytes = hits.iter().map(|hit| HIT_BYTES + hit.key.len() + hit.text.len()).sum();
        }
        share.keep_up_with(before + bytes)?;
        Ok(ControlFlow::Continue(()))
    };
    if needed == 0 {
        return Ok(Vec::new());
    }
    let database = rows.database;
    let access = Access::of(&query.conditions, database)?;
    // Writing into a text does not fail.
    let _ = writeln!(hint, "{}", access.words());
    match access {
        Access::Keys(keys) => {
            for key in keys {
                if let Some(columns) = rows.columns_of(key)?
                    && take(key, &columns)?.is_break()
                {
                    break;
                }
            }
        }
        Access::Prefix(prefix) => {
            let mut start = Vec::new();
            if database.push_row_key(prefix, &mut start)? {
                rows.scan(start, &mut |_, key, row| match key.starts_with(prefix) {
                    true => take(key, &database.columns(row)?),
                    false => Ok(ControlFlow::Break(())),
                })?;
            }
        }
        Access::Index { index, ranges } => {
            for range in ranges {
                let mut ended = false;
                rows.scan_index(index, &range, &mut |key, row| {
                    let flow = take(key, &database.columns(row)?)?;
                    ended = flow.is_break();
                    Ok(flow)
                })?;
                if ended {
                    break;
                }
            }
        }
        Access::All => {
            rows.scan(Vec::new(), &mut |_, key, row| take(key, &database.columns(row)?))?;
        }
    }
    Ok(hits)
}

/// Sorts hits; those that are alike stay as they are.
fn sort(hits: &mut [Hit], query: &Query) {
    let Some((_, order)) = &query.order else { return };
    let by_number = |a: &Hit, b: &Hit| a.number.partial_cmp(&b.number).unwrap_or(Ordering::Equal);
    match order {
        Order::Text => hits.sort_by(|a, b| a.text.cmp(&b.text)),
        Order::TextDown => hits.sort_by(|a, b| b.text.cmp(&a.text)),
        Order::Number => hits.sort_by(by_number),
        Order::NumberDown => hits.sort_by(|a, b| by_number(b, a)),
    }
}
