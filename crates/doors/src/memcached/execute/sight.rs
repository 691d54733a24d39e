//! A row as a reader sees it: an item with its marks, or none because it has expired.
//!
//! Not here: where the row comes from (`fetch`, `write`), what marks are (`marks`).

use values::RowRef;

use crate::memcached::command::{Fetch, Item, Moment};
use crate::memcached::item;
use crate::memcached::place::MemcachedPlace;
use crate::memcached::shared::MemcachedShared;

/// What a row came to for a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    Nothing,
    Expired,
    Item,
}

/// Shows a row as an item, unless it has expired.
#[inline]
pub(super) fn sight(
    shared: &MemcachedShared,
    place: &MemcachedPlace,
    now: Moment,
    row_key: &[u8],
    row: &RowRef<'_>,
    fetch: &Fetch<'_>,
    // The expiry time before this request, if that has set a new one.
    before: Option<i64>,
    show: &mut dyn FnMut(&Item<'_>),
) -> rows::Result<Sight> {
    let (flags, expires, stale) = item::attributes(place, row)?;
    if !fetch.expired_too && now.is_over(expires) {
        return Ok(Sight::Expired);
    }
    let expires_before = before.unwrap_or(expires);
    let value = item::value(place, row)?;
    let version = row.version();
    let mark = shared.marks.of(row_key, version);
    let mut shown = Item {
        value: &value,
        flags,
        expires,
        expires_before,
        made: false,
        cas: mark.forced_cas.unwrap_or(version),
        stale,
        won: false,
        taken: mark.won,
        hit_before: false,
        idle: 0,
    };
    if fetch.wins {
        let (read, last) = shared.marks.access(row_key);
        shown.hit_before = read;
        shown.idle = (now.0 - last.unwrap_or(shared.started)).max(0);
        let expires = if fetch.recache_first { expires_before } else { expires };
        let recache = fetch
            .recache
            .is_some_and(|below| expires != 0 && expires.saturating_sub(now.0) < below);
        if (stale || recache) && !mark.won {
            // Two readers may have come here at once; one of them wins.
            shown.won = shared
                .marks
                .change(row_key, version, |mark| !std::mem::replace(&mut mark.won, true));
            shown.taken = !shown.won;
        }
    }
    if !fetch.unseen {
        shared.marks.note_access(row_key, true, now.0);
    }
    show(&shown);
    Ok(Sight::Item)
}
