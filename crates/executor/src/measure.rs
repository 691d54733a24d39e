//! What the steps of a run came to, for EXPLAIN ANALYZE.
//!
//! Invariants
//! 1. A step's time is its own: what is done with the rows it gives is not in it.
//! 2. A run that nobody measures reads no clock.
//!
//! Not here: how it is shown (`show::explain_tree`).

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::time::{Duration, Instant};

use plan::tree::JoinStep;

/// What one step came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepMeasure {
    /// How often it began.
    pub loops: u64,
    /// Rows that it gave, all times together.
    pub rows: u64,
    /// Time that it took, all times together.
    pub time: Duration,
}

/// What the steps of one plan came to.
#[derive(Debug, Default)]
pub struct Measures {
    /// By where a step is in memory: the plan stays where it is.
    steps: RefCell<HashMap<usize, StepMeasure>>,
}

impl Measures {
    /// Of one step; nothing if it was never begun.
    pub fn of(&self, step: &JoinStep) -> StepMeasure {
        self.steps.borrow().get(&place(step)).copied().unwrap_or_default()
    }
}

fn place(step: &JoinStep) -> usize {
    std::ptr::from_ref(step) as usize
}

/// A step at work, if it is measured.
pub(super) struct Watch<'m> {
    at_work: Option<(&'m Measures, Instant)>,
    beyond: Cell<Duration>,
    rows: Cell<u64>,
}

impl<'m> Watch<'m> {
    pub fn begin(measures: Option<&'m Measures>) -> Watch<'m> {
        let at_work = measures.map(|measures| (measures, Instant::now()));
        Watch { at_work, beyond: Cell::default(), rows: Cell::default() }
    }

    /// What is done with a row that the step gives.
    pub fn give<T>(&self, then: impl FnOnce() -> T) -> T {
        if self.at_work.is_none() {
            return then();
        }
        let begun = Instant::now();
        let done = then();
        self.beyond.set(self.beyond.get() + begun.elapsed());
        self.rows.set(self.rows.get() + 1);
        done
    }

    pub fn end(self, step: &JoinStep) {
        let Some((measures, begun)) = self.at_work else { return };
        let mut steps = measures.steps.borrow_mut();
        let measured = steps.entry(place(step)).or_default();
        measured.loops += 1;
        measured.rows += self.rows.get();
        measured.time += begun.elapsed().saturating_sub(self.beyond.get());
    }
}
