//! How many rows a table has, and how many bytes, in memory: what was written down last, and what
//! came and went since.
//!
//! Not here: where they are written down, and when (`counting`), what a transaction moves until it
//! is committed (`moved`).

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use parking_lot::Mutex;

use crate::error::Result;

/// Rows and their bytes, keys included, that come or go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RowDelta {
    pub rows: i64,
    pub bytes: i64,
}

/// A table's number of rows, and of their bytes, of all its versions.
#[derive(Debug, Default)]
pub struct RowCount {
    /// What came and went since `base`.
    rows_moved: AtomicI64,
    bytes_moved: AtomicI64,
    /// Whether the numbers may differ from what is written down.
    pub(crate) changed: AtomicBool,
    /// Whether they may be behind since a crash (`doubt`).
    pub(crate) doubted: AtomicBool,
    base: Mutex<Base>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Base {
    /// Not read from the store yet.
    #[default]
    Unread,
    /// Of a table of an earlier version, which wrote no number down.
    Unknown,
    Known(KnownCount),
}

/// The numbers, where they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownCount {
    pub rows: i64,
    pub bytes: Option<i64>,
    /// The numbers as they are written down.
    pub written: Option<(i64, Option<i64>)>,
}

impl RowCount {
    /// The table is empty now, whatever was written down. That is written down, too: without any
    /// number its rows would not be counted from the next start on.
    pub(crate) fn set_none(&self) {
        self.set(self.moved(), 0, Some(0));
    }

    /// The table had exactly so many rows and bytes, if these are known, when so much had moved.
    pub(crate) fn set(&self, moved: RowDelta, rows: i64, bytes: Option<i64>) {
        let mut base = self.base.lock();
        *base = Base::Known(KnownCount { rows, bytes, written: None });
        self.rows_moved.fetch_sub(moved.rows, Ordering::Relaxed);
        self.bytes_moved.fetch_sub(moved.bytes, Ordering::Relaxed);
        self.changed.store(true, Ordering::Relaxed);
    }

    /// Rows came or went, and that is visible.
    pub(crate) fn add(&self, moved: RowDelta) {
        self.rows_moved.fetch_add(moved.rows, Ordering::Relaxed);
        self.bytes_moved.fetch_add(moved.bytes, Ordering::Relaxed);
        self.changed.store(true, Ordering::Relaxed);
    }

    /// What came and went since the numbers were set.
    pub(crate) fn moved(&self) -> RowDelta {
        let of = |number: &AtomicI64| number.load(Ordering::Relaxed);
        RowDelta { rows: of(&self.rows_moved), bytes: of(&self.bytes_moved) }
    }

    /// The numbers of now, and those that are written down: `read` gives them the first time.
    pub(crate) fn known(
        &self,
        read: impl FnOnce() -> Result<Option<(i64, Option<i64>)>>,
    ) -> Result<Option<KnownCount>> {
        let mut base = self.base.lock();
        if *base == Base::Unread {
            *base = match read()? {
                None => Base::Unknown,
                Some((rows, bytes)) => {
                    Base::Known(KnownCount { rows, bytes, written: Some((rows, bytes)) })
                }
            };
        }
        let Base::Known(mut known) = *base else { return Ok(None) };
        let moved = self.moved();
        known.rows += moved.rows;
        known.bytes = known.bytes.map(|bytes| bytes + moved.bytes);
        Ok(Some(known))
    }

    /// How many bytes there were before those that have moved since, where the number of rows is
    /// known.
    pub(crate) fn set_bytes(&self, bytes: Option<i64>) {
        if let Base::Known(known) = &mut *self.base.lock() {
            known.bytes = bytes;
        }
    }

    /// These are written down.
    pub(crate) fn set_written(&self, rows: i64, bytes: Option<i64>) {
        if let Base::Known(known) = &mut *self.base.lock() {
            known.written = Some((rows, bytes));
        }
    }
}
