//! Long lists of IN, as far as rows of an execution have met them: their values are put in order
//! once, and found by search for each row.
//!
//! A row of a table beside a list of three thousand numbers would be compared three thousand times;
//! MariaDB sorts them as well (`a IN (...)` of 20,000 rows took 464 ms here, 9 ms there).
//!
//! Invariants
//! 1. `Lists` live as `ExecutionMemo` does, in which they are.
//! 2. Memory for them is counted as the statement's.
//!
//! Not here: which values a list has, and looking for one (`evaluation::lists`).

use std::cell::{RefCell, RefMut};
use std::collections::HashSet;

use values::types::{Collation, ColumnType};

use crate::statement::limits::Room;
use crate::tree::list::List;

/// Rows that are compared with each value before: to sort them takes as long as some rows do.
pub(crate) const COMPARED_ROWS: u32 = 3;

/// Long lists of a statement that is being executed, as far as rows have met them.
#[derive(Debug, Default)]
pub struct Lists {
    /// By their numbers.
    met: RefCell<Vec<MetList>>,
}

/// A list that rows have met.
#[derive(Debug)]
pub(crate) struct MetList {
    number: u64,
    rows: u32,
    values: Values,
    /// Weights of a row's text.
    weights: Vec<u8>,
}

#[derive(Debug)]
enum Values {
    /// Too few rows have come.
    Unknown,
    /// In order.
    Known(Box<InOrder>),
    /// They are to be compared.
    Others,
}

/// Values of a list, as those of a left side are looked for.
#[derive(Debug)]
pub(crate) struct InOrder {
    pub(crate) values: ListCache,
    /// Whether NULL is among them.
    has_null: bool,
    _room: Room,
}

#[derive(Debug)]
pub(crate) enum ListCache {
    /// Ascending; those that they have beside a type.
    Ordinals(ColumnType, Vec<u64>),
    /// Weights under a collation, beside a text that is JSON or not.
    Texts(Collation, bool, HashSet<Vec<u8>>),
}

impl Lists {
    /// A list that a row meets; its values are read when enough rows have come.
    pub(crate) fn meet(
        &self,
        list: &List,
        values: impl FnOnce() -> Option<InOrder>,
    ) -> RefMut<'_, MetList> {
        let find = || RefMut::map(self.met.borrow_mut(), |all| MetList::of(all, list));
        let mut met = find();
        if !matches!(met.values, Values::Unknown) {
            return met;
        }
        met.rows += 1;
        if met.rows <= COMPARED_ROWS {
            return met;
        }
        // They may be expressions that have lists themselves.
        drop(met);
        let values = values().map_or(Values::Others, |values| Values::Known(Box::new(values)));
        let mut met = find();
        met.values = values;
        met
    }
}

impl MetList {
    /// A list among all.
    fn of<'m>(all: &'m mut Vec<MetList>, list: &List) -> &'m mut MetList {
        // A statement may have a thousand.
        let place = all.binary_search_by_key(&list.number(), |met| met.number);
        let at = place.unwrap_or_else(|at| {
            let (number, values) = (list.number(), Values::Unknown);
            all.insert(at, MetList { number, rows: 0, values, weights: Vec::new() });
            at
        });
        &mut all[at]
    }

    /// Its values, and room for weights; `None`: they are to be compared.
    pub(crate) fn known(&mut self) -> Option<(&InOrder, &mut Vec<u8>)> {
        match &self.values {
            Values::Known(known) => Some((known, &mut self.weights)),
            Values::Unknown | Values::Others => None,
        }
    }
}

impl InOrder {
    /// Of these values, which take this memory.
    pub(crate) fn new(values: ListCache, has_null: bool, room: Room) -> InOrder {
        InOrder { values, has_null, _room: room }
    }

    /// What IN says of a value that is among them, or is not.
    pub(crate) fn found(&self, is_there: bool) -> Option<bool> {
        (is_there || !self.has_null).then_some(is_there)
    }
}
