//! `search` and `metasearch`: records found by conditions, sorted, cut, and told or removed.
//!
//! Invariants
//! 1. A hit is told as it was when it met its query, or met it still; it is removed only if it
//!    still does.
//! 2. Hits that wait are counted in the memory that clients may use.
//!
//! 3. A search that turns out to be no work for an event loop begins again where it may take its
//!    time.
//!
//! Not here: elements of requests (`query`), what conditions mean (`condition`), where records are
//! looked for (`access`, `ways`), what is kept of them (`hits`), counting without looking at them
//! (`tally`).

use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use resources::budget::Share;
use rows::store::Direction;
use values::RowRef;

use crate::memcached::rights::ItemRights;
use crate::tyrant::access::SearchAccess;
use crate::tyrant::command::{List, TyrantFailure, TyrantTrouble};
use crate::tyrant::encode::CountedReply;
use crate::tyrant::everywhere;
use crate::tyrant::execute::TyrantRows;
use crate::tyrant::hits::{Hit, Hits, shown, sort};
use crate::tyrant::query::{Action, Combination, Search};
use crate::tyrant::source::{Source, trouble};
use crate::tyrant::tally;
use crate::tyrant::ways::{ChosenWay, Way, Ways};

/// What stands in front of a hint, so that clients know it from a hit.
const HINT: &[u8] = b"\0\0[[HINT]]\n";

/// Answers a search.
///
/// # Errors
/// `Invalid` for elements that are not understood; see `TyrantTrouble`.
pub fn run(
    rows: &mut TyrantRows<'_, '_>,
    elements: List<'_>,
    answer: &mut CountedReply<'_>,
) -> Result<(), TyrantTrouble> {
    if !rows.database.is_table() {
        return Err(TyrantFailure::Invalid("not a table database".into()).into());
    }
    rows.may(ItemRights::READ, None)?;
    let mut patterns = rows.turn.engine().budget().share();
    let search = Search::parse(elements, &mut |text| rows.pattern(text, &mut patterns))?;
    rows.may_read()?;
    if search.queries.len() > 1 || search.action == Action::Out {
        rows.needs_time()?;
    }
    let mut hint = String::new();
    if let Some(count) = tally::count(rows, &search)? {
        // Writing into a text does not fail.
        let _ = writeln!(hint, "using an index alone\nresult set size: {count}");
        answer.push(count.to_string().as_bytes());
    } else {
        tell(rows, &search, &mut hint, answer)?;
    }
    if search.hint {
        answer.push(&[HINT, hint.as_bytes()].concat());
    }
    Ok(())
}

/// Finds records and does with them what is asked for.
fn tell(
    rows: &mut TyrantRows<'_, '_>,
    search: &Search,
    hint: &mut String,
    answer: &mut CountedReply<'_>,
) -> Result<(), TyrantTrouble> {
    // The shares are held until the hits are told.
    let (hits, _shares) = hits(rows, search, hint)?;
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
                if let Some(shown) = &hit.shown {
                    answer.push(shown);
                } else if let Some(columns) = rows.columns_of(&hit.key)?
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
    Ok(())
}

/// The hits of all queries, combined, sorted and cut as the first says, and what they take of the
/// memory that clients may use.
fn hits(
    rows: &mut TyrantRows<'_, '_>,
    search: &Search,
    hint: &mut String,
) -> Result<(Vec<Hit>, Vec<Share>), TyrantTrouble> {
    let first = &search.queries[0];
    let alone = search.queries.len() == 1;
    let needed = if alone { first.skipped.saturating_add(first.most) } else { usize::MAX };
    let mut found = Vec::with_capacity(search.queries.len());
    let mut shares = Vec::with_capacity(search.queries.len());
    for position in 0..search.queries.len() {
        let mut hits = Hits::new(search, position, needed, rows.database, rows.turn.engine());
        if needed > 0 {
            find(rows, &mut hits, hint)?;
        }
        let (hits, share) = hits.into_parts();
        found.push(hits);
        shares.push(share);
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
    sort(&mut hits, first, rows.database.has_raw_keys());
    hits.drain(..first.skipped.min(hits.len()));
    hits.truncate(first.most);
    // Writing into a text does not fail.
    let _ = writeln!(hint, "result set size: {}", hits.len());
    Ok((hits, shares))
}

/// Takes the hits of one query.
fn find(
    rows: &mut TyrantRows<'_, '_>,
    hits: &mut Hits<'_>,
    hint: &mut String,
) -> Result<(), TyrantTrouble> {
    let database = rows.database;
    let access = SearchAccess::of(hits.query(), database)?;
    let words = if let Some(SearchAccess::Keys(keys)) = &access {
        for key in keys {
            if let Some(columns) = rows.columns_of(key)?
                && hits.take_columns(key, &columns)?.is_break()
            {
                break;
            }
        }
        access.as_ref().map_or("", SearchAccess::words)
    } else {
        let source = Source::of(rows)?;
        let looked = match access {
            Some(access) => look(&source, &access, hits).map(|()| access.words()),
            None => go(&source, hits),
        };
        let words = looked.map_err(trouble)?;
        // An index that was dropped meanwhile may have lost its entries already.
        if !database.is_current() {
            return Err(TyrantTrouble::Outdated);
        }
        words
    };
    // Writing into a text does not fail.
    let _ = writeln!(hint, "{words}");
    Ok(())
}

/// Takes the hits of ranges.
fn look(source: &Source<'_>, access: &SearchAccess<'_>, hits: &mut Hits<'_>) -> rows::Result<()> {
    let database = source.database;
    match access {
        SearchAccess::Keys(_) => unreachable!("records are found by keys in no state of their own"),
        SearchAccess::Prefix(prefix) => {
            let mut range = database.table().index_range(0);
            range.start.clear();
            if database.push_row_key(prefix, &mut range.start)? {
                source.scan(0, &range, &mut |key, row| match key.starts_with(prefix) {
                    true => hits.take(database, key, row),
                    false => Ok(ControlFlow::Break(())),
                })?;
            }
        }
        SearchAccess::Index { index, ranges } => {
            if ranges.len() > 1 {
                source.needs_time()?;
            }
            for range in ranges {
                let mut ended = false;
                source.scan(*index, range, &mut |key, row| {
                    let flow = hits.take(database, key, row)?;
                    ended = flow.is_break();
                    Ok(flow)
                })?;
                if ended {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// Takes the hits on the best way, and tells it.
fn go(source: &Source<'_>, hits: &mut Hits<'_>) -> rows::Result<&'static str> {
    let table = source.database.table();
    let ways = match source.database.document() {
        Some(column) => Ways::of(hits.query(), hits.needed(), column, table),
        None => Ways::default(),
    };
    let mut chosen = ways.likely(source)?;
    while let Some(better) = follow(source, &ways, &chosen, hits)? {
        hits.clear();
        chosen = better;
    }
    Ok(chosen.way.words())
}

/// Takes the hits on one way; a better one where there is, once it is doubted.
fn follow(
    source: &Source<'_>,
    ways: &Ways,
    chosen: &ChosenWay,
    hits: &mut Hits<'_>,
) -> rows::Result<Option<ChosenWay>> {
    let (database, engine) = (source.database, source.engine);
    let (mut better, mut looks) = (None, 0);
    let mut take = |key: &[u8], row: &RowRef<'_>| {
        looks += 1;
        if looks == chosen.doubted_at {
            let best = ways.best(source, true)?;
            if best.way != chosen.way {
                better = Some(best);
                return Ok(ControlFlow::Break(()));
            }
        }
        hits.take(database, key, row)
    };
    match &chosen.way {
        Way::Lookup(lookup) => {
            let mut share = engine.budget().share();
            source.look_up(lookup, &mut share, &mut take)?;
        }
        Way::Span(range) => {
            source.scan_members(range, Direction::Forward, &mut |_, key, row| take(key, row))?;
        }
        Way::Walk(walk) => {
            if !walk.run(source, chosen.doubted_at, hits)? {
                better = Some(ways.best(source, false)?);
            }
        }
        Way::All => everywhere::search(source, hits)?,
    }
    Ok(better)
}
