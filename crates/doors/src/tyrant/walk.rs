//! Records in the order of a member index, for a search that wants the first ones of that order.
//!
//! ```text
//! upwards as text      none and "" | all others        as number    below 0 | none and 0 | above 0
//! ```
//! Records without the column are sorted as if it were empty, and come among those where it is: by
//! their primary keys.
//!
//! Invariants
//! 1. Hits come as if all had been found in the order of primary keys and then been sorted.
//!
//! Not here: when an index is gone through so (`ways`).

use std::ops::ControlFlow;

use rows::Lookup;
use rows::store::{Direction, KeyRange};
use rows::table::MemberCodec;
use values::MemberKind;

use crate::tyrant::hits::Hits;
use crate::tyrant::query::Order;
use crate::tyrant::source::Source;

/// Entries of an index in the order of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    pieces: Vec<WalkPiece>,
    down: bool,
    /// Position of the member index.
    index: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum WalkPiece {
    /// From one value to another.
    Values(KeyRange),
    /// Rows that are sorted as equals, in the order of their keys.
    Equals(Lookup),
}

impl Walk {
    /// In an order that an index has; only these values, or all of them and records without one.
    pub fn of(
        codec: &MemberCodec,
        index: usize,
        order: Order,
        values: Option<KeyRange>,
    ) -> Option<Walk> {
        let fits = match codec.kind {
            MemberKind::Lexical => !order.is_number(),
            MemberKind::Decimal => order.is_number(),
            MemberKind::Token | MemberKind::Qgram => false,
        };
        if !fits {
            return None;
        }
        let empty = match codec.kind {
            MemberKind::Lexical => codec.equal(b""),
            _ => codec.between(0.0, 0.0),
        };
        let mut pieces = match values {
            Some(values) => vec![WalkPiece::Values(values)],
            None => {
                let KeyRange { start, end } = codec.present();
                let equals = vec![Lookup::One(codec.absent()), Lookup::One(empty.clone())];
                vec![
                    WalkPiece::Values(KeyRange { start, end: empty.start }),
                    WalkPiece::Equals(Lookup::Any(equals)),
                    WalkPiece::Values(KeyRange { start: empty.end, end }),
                ]
            }
        };
        let down = order.is_down();
        if down {
            pieces.reverse();
        }
        Some(Walk { pieces, down, index })
    }

    /// Takes hits until there are enough. `false`: more records than these were looked at before
    /// there were, and what was found is forgotten.
    ///
    /// # Errors
    /// Those of the engine, `NoMemory`.
    pub fn run(
        &self,
        source: &Source<'_>,
        looks_max: usize,
        hits: &mut Hits<'_>,
    ) -> rows::Result<bool> {
        let mut looks = 0;
        for piece in &self.pieces {
            match piece {
                WalkPiece::Values(range) => {
                    self.values(source, range, looks_max, &mut looks, hits)?
                }
                WalkPiece::Equals(lookup) => {
                    self.equals(source, lookup, looks_max, &mut looks, hits)?
                }
            }
            if looks > looks_max {
                hits.clear();
                return Ok(false);
            }
            if hits.is_enough() {
                break;
            }
        }
        Ok(true)
    }

    fn values(
        &self,
        source: &Source<'_>,
        range: &KeyRange,
        looks_max: usize,
        looks: &mut usize,
        hits: &mut Hits<'_>,
    ) -> rows::Result<()> {
        let codec = &source.database.table().member_codecs[self.index];
        let direction = if self.down { Direction::Backward } else { Direction::Forward };
        // Where the hits of one value begin, and what entries say of it.
        let (mut first, mut value) = (hits.found.len(), Vec::new());
        source.scan_members(range, direction, &mut |said, key, row| {
            *looks += 1;
            if said != &value[..] {
                if self.down {
                    hits.found[first..].reverse();
                }
                first = hits.found.len();
                value.clear();
                value.extend_from_slice(said);
                if hits.is_enough() {
                    return Ok(ControlFlow::Break(()));
                }
            } else if hits.is_enough() && !self.down && codec.says_all(said) {
                return Ok(ControlFlow::Break(()));
            }
            if *looks > looks_max {
                return Ok(ControlFlow::Break(()));
            }
            hits.take_in_order(source.database, key, row)?;
            Ok(ControlFlow::Continue(()))
        })?;
        if self.down {
            hits.found[first..].reverse();
        }
        Ok(())
    }

    fn equals(
        &self,
        source: &Source<'_>,
        lookup: &Lookup,
        looks_max: usize,
        looks: &mut usize,
        hits: &mut Hits<'_>,
    ) -> rows::Result<()> {
        let mut share = source.engine.budget().share();
        source.look_up(lookup, &mut share, &mut |key, row| {
            *looks += 1;
            if hits.is_enough() || *looks > looks_max {
                return Ok(ControlFlow::Break(()));
            }
            hits.take_in_order(source.database, key, row)?;
            Ok(ControlFlow::Continue(()))
        })
    }
}
