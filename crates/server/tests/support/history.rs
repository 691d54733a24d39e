//! Is a history of operations on one row linearizable? The search of Wing and Gong with the
//! memory of Lowe ("Testing for linearizability", 2016), over a row that is a register with a
//! token, and a counter.
//!
//! A history is what clients saw: each operation with its result, the moment before its request
//! was sent and the moment after its reply had come. It is linearizable if every operation can be
//! given one moment between those two at which it happened, such that all results are right.
//!
//! The search goes through the calls in order of time. It lets any operation that is under way
//! happen next, if its result fits, and goes back when a reply comes whose operation could not
//! happen. Which operations have happened and what the row then is, is remembered, so that no such
//! situation is searched twice.
//!
//! Not here: who makes histories (`linearizable`).

use std::collections::HashSet;
use std::fmt::Write as _;

/// Situations after which a search is given up.
const SITUATIONS_MAX: usize = 1_000_000;

/// What was done to the row, with what the client was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A read.
    Read(Option<u64>),
    /// A read of the value and the token of its version.
    ReadToken(Option<(u64, u64)>),
    /// A write, whatever is there.
    Write(u64),
    /// A write only if a row is there; whether one was.
    Replace(u64, bool),
    /// A write only if no row is there; whether none was.
    Insert(u64, bool),
    /// A write only if the row still has this token.
    Compare { token: u64, value: u64, outcome: Compared },
    /// A write only if the row has this value; whether it had.
    CompareValue { old: u64, value: u64, done: bool },
    /// A write that gives what was there.
    Swap { value: u64, old: u64 },
    /// An addition; the sum, or `None` if no row is there.
    Add(u64, Option<u64>),
    /// An addition that only says whether a row is there.
    AddBlind(u64, bool),
    /// A removal; whether a row was there.
    Delete(bool),
}

/// How a comparison of tokens ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// The value was written.
    Stored,
    /// The row has another token.
    Differs,
    /// There is no row.
    Missing,
}

/// An operation and when it was under way, in nanoseconds of one clock.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Before the request was sent.
    pub called: u64,
    /// After the reply had come.
    pub returned: u64,
    /// The client that did it, for reports.
    pub client: &'static str,
    /// What.
    pub operation: Operation,
}

/// The row between two operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Row {
    value: Option<u64>,
    /// The token of this version, once somebody has read it.
    token: Option<u64>,
    /// The largest token ever read: later versions have larger ones.
    token_max: u64,
}

impl Row {
    fn written(self, value: Option<u64>) -> Row {
        Row { value, token: None, ..self }
    }

    /// The row after an operation, or `None` if its result does not fit.
    fn after(self, operation: Operation) -> Option<Row> {
        let there = self.value.is_some();
        let write_if = |done: bool, value: u64| if done { self.written(Some(value)) } else { self };
        match operation {
            Operation::Read(value) => (value == self.value).then_some(self),
            Operation::ReadToken(None) => (!there).then_some(self),
            Operation::ReadToken(Some((value, token))) => {
                let fits = match self.token {
                    Some(known) => known == token,
                    None => token > self.token_max,
                };
                (fits && self.value == Some(value)).then_some(Row {
                    token: Some(token),
                    token_max: token.max(self.token_max),
                    ..self
                })
            }
            Operation::Write(value) => Some(self.written(Some(value))),
            Operation::Replace(value, done) => (done == there).then(|| write_if(done, value)),
            Operation::Insert(value, done) => (done != there).then(|| write_if(done, value)),
            Operation::Compare { token, value, outcome } => {
                // A client with a token has read it, and that came before.
                let right = match (self.value, self.token) {
                    (None, _) => Compared::Missing,
                    (_, known) if known == Some(token) => Compared::Stored,
                    _ => Compared::Differs,
                };
                (outcome == right).then(|| write_if(right == Compared::Stored, value))
            }
            Operation::CompareValue { old, value, done } => {
                (done == (self.value == Some(old))).then(|| write_if(done, value))
            }
            Operation::Swap { value, old } => {
                (self.value == Some(old)).then(|| self.written(Some(value)))
            }
            Operation::Add(by, sum) => {
                let right = self.value.map(|value| value.wrapping_add(by));
                (sum == right).then(|| if there { self.written(sum) } else { self })
            }
            Operation::AddBlind(by, done) => {
                let sum = self.value.map(|value| value.wrapping_add(by));
                (done == there).then(|| if done { self.written(sum) } else { self })
            }
            Operation::Delete(done) => {
                (done == there).then(|| if done { self.written(None) } else { self })
            }
        }
    }
}

/// Calls and returns in order of time, as a list from which operations can be lifted.
struct Timeline {
    /// The operation of an entry, and whether the entry is its call. The first is a head.
    entries: Vec<(usize, bool)>,
    next: Vec<usize>,
    previous: Vec<usize>,
    /// The entry of the return of each operation.
    returns: Vec<usize>,
}

const HEAD: usize = 0;

impl Timeline {
    fn new(history: &[Event]) -> Timeline {
        let mut moments: Vec<(u64, bool, usize)> = Vec::with_capacity(2 * history.len());
        for (number, event) in history.iter().enumerate() {
            // At the same moment calls come first: those operations may have overlapped.
            moments.push((event.called, false, number));
            moments.push((event.returned, true, number));
        }
        moments.sort_unstable();
        let mut entries = vec![(usize::MAX, false)];
        let mut returns = vec![0; history.len()];
        for (_, is_return, number) in moments {
            if is_return {
                returns[number] = entries.len();
            }
            entries.push((number, !is_return));
        }
        let count = entries.len();
        Timeline {
            next: (1..=count).map(|at| at % count).collect(),
            previous: (0..count).map(|at| (at + count - 1) % count).collect(),
            entries,
            returns,
        }
    }

    fn unlink(&mut self, entry: usize) {
        let (before, after) = (self.previous[entry], self.next[entry]);
        self.next[before] = after;
        self.previous[after] = before;
    }

    fn link(&mut self, entry: usize) {
        let (before, after) = (self.previous[entry], self.next[entry]);
        self.next[before] = entry;
        self.previous[after] = entry;
    }

    fn lift(&mut self, call: usize) {
        let operation = self.entries[call].0;
        self.unlink(call);
        self.unlink(self.returns[operation]);
    }

    fn put_back(&mut self, call: usize) {
        let operation = self.entries[call].0;
        self.link(self.returns[operation]);
        self.link(call);
    }
}

/// Which operations have happened, by their number.
#[derive(Default)]
struct Happened(Vec<u64>);

impl Happened {
    fn add(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn take(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// The same in short: how many words are full, and what follows up to the last that is not
    /// empty. Few words, as operations are numbered by their calls.
    fn short(&self) -> (usize, Box<[u64]>) {
        let full = self.0.iter().take_while(|word| **word == u64::MAX).count();
        let end = self.0.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        (full, self.0[full.min(end)..end].into())
    }
}

/// Checks a history of one row, which is not there at first.
///
/// # Errors
/// What happened up to where no order fits, and what could not happen next.
///
/// # Panics
/// When there are too many orders to try.
pub fn check(history: &[Event]) -> Result<(), String> {
    let mut history = history.to_vec();
    history.sort_unstable_by_key(|event| event.called);
    let history = &history[..];
    let mut timeline = Timeline::new(history);
    let mut row = Row::default();
    let mut happened = Happened(vec![0; history.len().div_ceil(64)]);
    let mut known = HashSet::new();
    let mut order: Vec<(usize, Row)> = Vec::new();
    let mut longest: Vec<(usize, Row)> = Vec::new();
    let mut at = timeline.next[HEAD];
    while timeline.next[HEAD] != HEAD {
        let (number, is_call) = timeline.entries[at];
        if is_call {
            if let Some(after) = row.after(history[number].operation) {
                happened.add(number);
                if known.insert((happened.short(), after)) {
                    assert!(known.len() <= SITUATIONS_MAX, "undecided");
                    order.push((at, row));
                    row = after;
                    timeline.lift(at);
                    at = timeline.next[HEAD];
                    continue;
                }
                happened.take(number);
            }
            at = timeline.next[at];
            continue;
        }
        // A reply whose operation could not happen before it.
        if order.len() > longest.len() {
            longest.clone_from(&order);
        }
        let Some((call, before)) = order.pop() else {
            return Err(report(history, &timeline, &longest));
        };
        happened.take(timeline.entries[call].0);
        row = before;
        timeline.put_back(call);
        at = timeline.next[call];
    }
    Ok(())
}

/// The end of the longest order that fits, and what was under way where it ended.
fn report(history: &[Event], timeline: &Timeline, longest: &[(usize, Row)]) -> String {
    let mut text = format!("{} of {} operations have an order", longest.len(), history.len());
    let mut left = vec![true; history.len()];
    let line = |text: &mut String, event: &Event| {
        let Event { called, returned, client, operation } = event;
        let _ = write!(text, "\n  {called:>12} .. {returned:>12} {client:<14} {operation:?}");
    };
    for (position, (call, _)) in longest.iter().enumerate() {
        let number = timeline.entries[*call].0;
        left[number] = false;
        if position + 8 >= longest.len() {
            line(&mut text, &history[number]);
        }
    }
    text.push_str("\nnone of these can be next:");
    let mut rest: Vec<&Event> =
        history.iter().zip(&left).filter(|(_, left)| **left).map(|(event, _)| event).collect();
    rest.sort_unstable_by_key(|event| event.called);
    let end = rest.iter().map(|event| event.returned).min().unwrap_or(0);
    for event in rest.iter().take_while(|event| event.called <= end).take(16) {
        line(&mut text, event);
    }
    text
}

mod tests {
    use super::{Compared, Event, Operation, check};

    fn history(events: &[(u64, u64, Operation)]) -> Vec<Event> {
        let event = |(called, returned, operation): &(u64, u64, Operation)| Event {
            called: *called,
            returned: *returned,
            client: "test",
            operation: *operation,
        };
        events.iter().map(event).collect()
    }

    fn holds(events: &[(u64, u64, Operation)]) -> bool {
        check(&history(events)).is_ok()
    }

    use Operation::{Add, Compare, Delete, Insert, Read, ReadToken, Replace, Swap, Write};

    #[test]
    fn a_read_that_overlaps_a_write_may_see_either_value() {
        for seen in [Some(1), Some(2)] {
            assert!(holds(&[(0, 1, Write(1)), (2, 9, Write(2)), (3, 4, Read(seen))]));
        }
        assert!(!holds(&[(0, 1, Write(1)), (2, 9, Write(2)), (3, 4, Read(Some(3)))]));
        assert!(!holds(&[(0, 1, Write(1)), (2, 9, Write(2)), (3, 4, Read(None))]));
    }

    #[test]
    fn a_stale_read_after_a_write_is_found() {
        assert!(holds(&[(0, 1, Write(1)), (2, 3, Write(2)), (4, 5, Read(Some(2)))]));
        assert!(!holds(&[(0, 1, Write(1)), (2, 3, Write(2)), (4, 5, Read(Some(1)))]));
    }

    #[test]
    fn a_read_of_the_new_value_before_one_of_the_old_is_found() {
        let reads = |first, second| {
            [(0, 1, Write(1)), (2, 9, Write(2)), (3, 4, Read(first)), (5, 6, Read(second))]
        };
        assert!(holds(&reads(Some(1), Some(2))));
        assert!(!holds(&reads(Some(2), Some(1))));
    }

    #[test]
    fn a_lost_update_is_found() {
        let sums = |first, second| {
            [(0, 1, Write(10)), (2, 9, Add(1, Some(first))), (3, 8, Add(1, Some(second)))]
        };
        assert!(holds(&sums(11, 12)) && holds(&sums(12, 11)));
        assert!(!holds(&sums(11, 11)), "both added to the same number");
        let swaps = [(0, 1, Write(1)), (2, 9, Swap { value: 2, old: 1 })];
        let lost = [&swaps[..], &[(3, 8, Swap { value: 3, old: 1 })]].concat();
        let kept = [&swaps[..], &[(3, 8, Swap { value: 3, old: 2 })]].concat();
        assert!(holds(&kept) && !holds(&lost));
    }

    #[test]
    fn a_token_that_outlives_its_version_is_found() {
        let compare = |outcome| Compare { token: 7, value: 5, outcome };
        let begin = [(0, 1, Write(1)), (2, 3, ReadToken(Some((1, 7))))];
        let then = |rest: &[(u64, u64, Operation)]| holds(&[&begin[..], rest].concat());
        assert!(then(&[(4, 5, compare(Compared::Stored)), (6, 7, Read(Some(5)))]));
        assert!(!then(&[(4, 5, compare(Compared::Differs))]));
        assert!(!then(&[(4, 5, Write(1)), (6, 7, compare(Compared::Stored))]));
        assert!(then(&[(4, 5, Write(1)), (6, 7, compare(Compared::Differs))]));
        assert!(then(&[(4, 5, Delete(true)), (6, 7, compare(Compared::Missing))]));
        assert!(!then(&[(4, 5, Write(2)), (6, 7, ReadToken(Some((2, 7))))]), "one token twice");
        assert!(!then(&[(4, 5, Write(2)), (6, 7, ReadToken(Some((2, 6))))]), "an older token");
    }

    #[test]
    fn rows_that_come_and_go_are_followed() {
        assert!(holds(&[
            (0, 1, Delete(false)),
            (2, 3, Insert(1, true)),
            (4, 5, Insert(2, false)),
            (6, 7, Replace(3, true)),
            (8, 9, Delete(true)),
            (10, 11, Replace(4, false)),
            (12, 13, Add(1, None)),
            (14, 15, Read(None)),
        ]));
        assert!(!holds(&[(0, 9, Insert(1, true)), (1, 8, Insert(2, true))]), "both made it");
    }

    #[test]
    fn a_long_history_with_one_stale_read_at_its_end_is_decided() {
        let mut events: Vec<(u64, u64, Operation)> = Vec::new();
        for number in 0..1000u64 {
            // Six overlap at any time.
            events.push((number * 10, number * 10 + 55, Write(number)));
        }
        events.push((30_000, 30_001, Read(Some(999))));
        assert!(holds(&events));
        events.push((30_002, 30_003, Read(Some(990))));
        assert!(!holds(&events));
    }
}
