//! What is noted when a row of a columnar table is written: the place that it had is dead, it
//! becomes recent, or is so no more.
//!
//! Not here: writing the notes (`store`, `sorted`), notes of columnar indexes (`index`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rows::error::Result;
use rows::store::{Reach, Read};

use crate::keys::{self, Place};
use crate::tables::{ChangeGuard, KnownTable, Tables};

/// What is noted of the write of a row.
pub(crate) struct Note {
    /// Its place, where it is no more.
    pub dead: Option<Place>,
    /// Whether it becomes recent, or is so no more.
    pub recent: bool,
}

impl Note {
    /// Of a row that is written, or removed if `put` is false, over what the store has.
    ///
    /// # Errors
    /// Those of reading.
    pub fn of(
        inner: &dyn Read,
        known: &KnownTable,
        key: &[u8],
        put: bool,
        reach: Reach,
    ) -> Result<Note> {
        debug_assert_eq!(keys::table_of_row(key), Some(known.id));
        let mut before = Vec::new();
        let was_there = inner.get(key, reach, &mut before)?;
        let dead = was_there.then(|| Place::of(&before)).flatten();
        let was_recent = was_there && dead.is_none();
        Ok(Note { dead, recent: put != was_recent })
    }
}

/// What is to be counted when notes have been written.
#[derive(Default)]
pub(crate) struct NoteCounts {
    /// Tables with the change in their number of recent rows.
    recent: Vec<(Arc<KnownTable>, i64, ChangeGuard)>,
    changing: Vec<(u32, ChangeGuard)>,
}

impl NoteCounts {
    /// Adds a row that is written, or removed if `put` is false.
    pub fn add(&mut self, known: &Arc<KnownTable>, put: bool, note: &Note, tables: &Tables) {
        if note.dead.is_some() {
            if !self.changing.iter().any(|(changing, _)| *changing == known.id) {
                self.changing.push((known.id, tables.change(known)));
            }
            known.is_worn.store(true, Ordering::Relaxed);
        }
        if note.recent {
            let difference = if put { 1 } else { -1 };
            match self.recent.iter_mut().find(|(of, ..)| of.id == known.id) {
                Some((_, count, _)) => *count += difference,
                None => {
                    let changing = tables.change_recent(known);
                    self.recent.push((Arc::clone(known), difference, changing));
                }
            }
        }
    }

    /// After the write.
    pub fn settle(self) {
        for (known, count, _changing) in self.recent {
            known.recent.fetch_add(count, Ordering::Relaxed);
            known.is_busy.store(true, Ordering::Relaxed);
        }
        drop(self.changing);
    }
}
