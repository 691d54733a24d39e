//! Scans of a base with a transaction's own writes over it.

use std::collections::btree_map::Range;
use std::iter::Rev;

use super::Overlay;
use crate::error::Result;
use crate::store::{Cursor, Direction, KeyRange, Reach, Read};

/// A cursor over both; the base's own when nothing was written.
pub(super) fn scan<'a>(
    overlay: &'a Overlay,
    base: &'a dyn Read,
    range: &KeyRange,
    direction: Direction,
    reach: Reach,
) -> Result<Box<dyn Cursor + 'a>> {
    let base = base.scan(range, direction, reach)?;
    if overlay.writes.is_empty() {
        return Ok(base);
    }
    let mut own = match direction {
        Direction::Forward => Own::Ascending(overlay.range(range)),
        Direction::Backward => Own::Descending(overlay.range(range).rev()),
    };
    let own_next = own.next();
    Ok(Box::new(Merged { base, base_state: Base::Before, direction, own, own_next, current: None }))
}

type OwnEntry<'a> = (&'a Vec<u8>, &'a Option<Vec<u8>>);

/// Own writes of a range, in the scan's direction.
enum Own<'a> {
    Ascending(Range<'a, Vec<u8>, Option<Vec<u8>>>),
    Descending(Rev<Range<'a, Vec<u8>, Option<Vec<u8>>>>),
}

impl<'a> Own<'a> {
    fn next(&mut self) -> Option<OwnEntry<'a>> {
        match self {
            Own::Ascending(range) => range.next(),
            Own::Descending(range) => range.next(),
        }
    }
}

/// Where the base's cursor stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    /// On an entry already shown or hidden, or before the first.
    Before,
    /// On an entry not yet shown.
    On,
    /// At the end.
    Done,
}

/// A scan of a base with own writes over it: of equal keys the own one counts, and an own
/// removal hides the base's entry.
struct Merged<'a> {
    base: Box<dyn Cursor + 'a>,
    base_state: Base,
    direction: Direction,
    own: Own<'a>,
    own_next: Option<OwnEntry<'a>>,
    /// The own entry shown now; `None`: the base's.
    current: Option<(&'a [u8], &'a [u8])>,
}

impl Merged<'_> {
    /// Whether the next entry comes from the own writes, and whether it stands for the base's.
    fn own_is_next(&self) -> Option<(bool, bool)> {
        match (self.own_next, self.base_state) {
            (None, Base::On) => Some((false, false)),
            (None, _) => None,
            (Some(_), Base::Before | Base::Done) => Some((true, false)),
            (Some((own, _)), Base::On) => {
                let order = own[..].cmp(self.base.key());
                let order = match self.direction {
                    Direction::Forward => order,
                    Direction::Backward => order.reverse(),
                };
                Some((order.is_le(), order.is_eq()))
            }
        }
    }
}

impl Cursor for Merged<'_> {
    fn advance(&mut self) -> Result<bool> {
        self.current = None;
        loop {
            if self.base_state == Base::Before {
                self.base_state = if self.base.advance()? { Base::On } else { Base::Done };
            }
            let Some((own, hides_base)) = self.own_is_next() else {
                return Ok(false);
            };
            if !own || hides_base {
                self.base_state = Base::Before;
            }
            if !own {
                return Ok(true);
            }
            let entry = self.own_next;
            self.own_next = self.own.next();
            if let Some((key, Some(value))) = entry {
                self.current = Some((&key[..], &value[..]));
                return Ok(true);
            }
        }
    }

    fn key(&self) -> &[u8] {
        self.current.map_or_else(|| self.base.key(), |(key, _)| key)
    }

    fn value(&self) -> &[u8] {
        self.current.map_or_else(|| self.base.value(), |(_, value)| value)
    }
}
