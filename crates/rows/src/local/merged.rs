//! Scans of a base with a transaction's own writes over it.

use super::overlay::Overlay;
use super::own::OwnCursor;
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
    if overlay.is_empty() {
        return Ok(base);
    }
    let own = overlay.cursor(range, direction);
    let (base_state, own_state) = (MergeState::Before, MergeState::Before);
    Ok(Box::new(OverlaidCursor { base, base_state, own, own_state, direction, shows_own: false }))
}

/// Where one of the two stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MergeState {
    /// On an entry already shown or hidden, or before the first.
    Before,
    /// On an entry not yet shown.
    On,
    /// At the end.
    Done,
}

impl MergeState {
    fn after(advanced: bool) -> MergeState {
        if advanced { MergeState::On } else { MergeState::Done }
    }
}

/// A scan of a base with own writes over it: of equal keys the own one counts, and an own
/// removal hides the base's entry.
struct OverlaidCursor<'a> {
    base: Box<dyn Cursor + 'a>,
    base_state: MergeState,
    own: OwnCursor<'a>,
    own_state: MergeState,
    direction: Direction,
    /// Whether the entry shown now is an own one.
    shows_own: bool,
}

impl OverlaidCursor<'_> {
    /// Whether the next entry comes from the own writes, and whether it stands for the base's.
    fn own_is_next(&self) -> Option<(bool, bool)> {
        match (self.own_state, self.base_state) {
            (MergeState::On, MergeState::On) => {
                let order = self.own.key().cmp(self.base.key());
                let order = match self.direction {
                    Direction::Forward => order,
                    Direction::Backward => order.reverse(),
                };
                Some((order.is_le(), order.is_eq()))
            }
            (MergeState::On, _) => Some((true, false)),
            (_, MergeState::On) => Some((false, false)),
            _ => None,
        }
    }
}

impl Cursor for OverlaidCursor<'_> {
    fn advance(&mut self) -> Result<bool> {
        loop {
            if self.base_state == MergeState::Before {
                self.base_state = MergeState::after(self.base.advance()?);
            }
            if self.own_state == MergeState::Before {
                self.own_state = MergeState::after(self.own.advance()?);
            }
            let Some((own, hides_base)) = self.own_is_next() else {
                return Ok(false);
            };
            if !own || hides_base {
                self.base_state = MergeState::Before;
            }
            self.shows_own = own;
            if !own {
                return Ok(true);
            }
            self.own_state = MergeState::Before;
            if self.own.write().value().is_some() {
                return Ok(true);
            }
        }
    }

    fn key(&self) -> &[u8] {
        if self.shows_own { self.own.key() } else { self.base.key() }
    }

    fn value(&self) -> &[u8] {
        if self.shows_own {
            self.own.write().value().unwrap_or_default()
        } else {
            self.base.value()
        }
    }
}
