//! What rows of an execution have found out for those that follow: values of expressions that are
//! the same for all rows, and long lists of IN.
//!
//! Invariants
//! 1. `ExecutionMemo` lives within one execution of a statement, where literals, `?` and the clock
//!    keep their values.
//! 2. A value stays where it is until then, so that rows may borrow it.
//!
//! Not here: which expressions these are (`tree::once`), evaluating them (`evaluation::once`).

use std::cell::OnceCell;

use values::datum::Value;

use crate::row::lists::Lists;
use crate::statement::limits::Room;

/// Values that are kept at most; who asks goes through them one after the other.
const VALUES_MAX: usize = 32;

/// What rows of an execution have found out for those that follow.
#[derive(Debug, Default)]
pub struct ExecutionMemo {
    pub(crate) lists: Lists,
    /// A chain: values stay where they are, so that rows may borrow them.
    values: OnceCell<Box<Link>>,
}

#[derive(Debug)]
pub(crate) struct Link {
    number: u64,
    value: Value,
    _room: Option<Room>,
    next: OnceCell<Box<Link>>,
}

/// What is known of a value.
pub(crate) enum OnceValue<'k> {
    Value(&'k Value),
    /// Nothing yet: this is where it is to be kept.
    Place(&'k OnceCell<Box<Link>>),
    /// There are too many others.
    NoPlace,
}

impl ExecutionMemo {
    /// What is known of a value by its number.
    pub(crate) fn find(&self, number: u64) -> OnceValue<'_> {
        let mut place = &self.values;
        for _ in 0..VALUES_MAX {
            match place.get() {
                Some(link) if link.number == number => return OnceValue::Value(&link.value),
                Some(link) => place = &link.next,
                None => return OnceValue::Place(place),
            }
        }
        OnceValue::NoPlace
    }
}

impl Link {
    /// Keeps a value, behind all others that came to stand from `place` on meanwhile.
    pub(crate) fn keep(
        mut place: &OnceCell<Box<Link>>,
        number: u64,
        value: Value,
        room: Option<Room>,
    ) -> &Value {
        while let Some(link) = place.get() {
            place = &link.next;
        }
        let next = OnceCell::new();
        &place.get_or_init(|| Box::new(Link { number, value, _room: room, next })).value
    }
}
