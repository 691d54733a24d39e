//! How many documents meet a condition, told by a member index that knows it without them.
//!
//! Invariants
//! 1. The count is that of a search that looks at each document: an index that may have too much of
//!    a condition (`lookup::is_exact`), and a table whose rows expire, are not asked.
//!
//! Not here: hits of searches, which are counted otherwise (`search`).

use crate::tyrant::command::TyrantTrouble;
use crate::tyrant::execute::TyrantRows;
use crate::tyrant::lookup::{self, MemberPlace};
use crate::tyrant::query::{Action, Search};
use crate::tyrant::source::{Source, trouble};

/// The answer to a search that wants to know how many records meet one condition; `None` where they
/// are to be looked at.
///
/// # Errors
/// See `TyrantTrouble`.
pub fn count(rows: &mut TyrantRows<'_, '_>, search: &Search) -> Result<Option<u64>, TyrantTrouble> {
    let (Action::Count, [query]) = (&search.action, &search.queries[..]) else { return Ok(None) };
    let [condition] = &query.conditions[..] else { return Ok(None) };
    let (database, table) = (rows.database, rows.database.table());
    let place = match database.document() {
        Some(column)
            if condition.indexed && !condition.negated && table.expiry_column().is_none() =>
        {
            let codec = table.member_index(column, &condition.column);
            let codec = codec.map(|index| &table.member_codecs[index]);
            codec
                .filter(|codec| lookup::is_exact(codec, &condition.test))
                .and_then(|codec| lookup::place(codec, &condition.test))
        }
        _ => None,
    };
    let Some(place) = place else { return Ok(None) };
    rows.needs_time()?;
    let source = Source::of(rows)?;
    let counted = match place {
        MemberPlace::Lookup(lookup) => source.count_lookup(&lookup),
        MemberPlace::Span(range) => source.count_entries(&range),
    };
    let counted = counted.map_err(trouble)?.saturating_sub(query.skipped as u64);
    // An index that was dropped meanwhile may have lost its entries already.
    match database.is_current() {
        true => Ok(Some(counted.min(query.most as u64))),
        false => Err(TyrantTrouble::Outdated),
    }
}
