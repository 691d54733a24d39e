//! The queue: which events are due, and which are over.
//!
//! Invariants
//! 1. What it decides depends on the catalog, the time it is told, and its own memory of the
//!    moments that are past: it looks at no clock.
//! 2. A moment is past once its run has begun, or once it was passed over.
//!
//! Not here: threads (`scheduler`), what a moment is (`event_schedule`).

use std::collections::HashMap;
use std::sync::Arc;

use rows::event::{EventDefinition, EventId, EventSchedule, EventStatus};

use crate::event_schedule::first_moment;

/// How long an event waits, in seconds, whose beginning or end could not be stored.
const RETRY_SECONDS: i64 = 10;

/// What is to be done about an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventStep {
    /// A run is due.
    Run(Arc<EventDefinition>),
    /// There are no moments left.
    Complete(Arc<EventDefinition>),
    /// A run that had begun was cut off: its server ended, or its end could not be stored.
    CutOff(Arc<EventDefinition>),
}

/// What is to be done now, and when to look again.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// What is to be done.
    pub steps: Vec<EventStep>,
    /// The next moment, if any is to come.
    pub next: Option<i64>,
}

struct QueuedEvent {
    definition: Arc<EventDefinition>,
    /// The next moment.
    next: Option<i64>,
    /// Moments up to here are past.
    past: i64,
    /// Nothing is tried before.
    not_before: i64,
}

/// The events that are watched.
pub struct EventQueue {
    entries: HashMap<EventId, QueuedEvent>,
    /// Since when somebody looks: recurring events have no moments before it.
    since: Option<i64>,
    /// The time of the last look.
    seen: i64,
}

impl EventQueue {
    /// A queue at which nobody has looked yet.
    pub fn new() -> EventQueue {
        EventQueue { entries: HashMap::new(), since: None, seen: i64::MIN }
    }

    /// Nobody looks for a while: moments until the next look are passed over.
    pub fn pause(&mut self) {
        self.entries.clear();
        self.since = None;
    }

    /// What is to be done at a time. `runs` says which events run; `on` is off where only what was
    /// cut off is to be told.
    pub fn look(
        &mut self,
        events: &[Arc<EventDefinition>],
        now: i64,
        on: bool,
        runs: impl Fn(EventId) -> bool,
    ) -> Round {
        let cut_off = |event: &&Arc<EventDefinition>| event.record.running && !runs(event.id);
        if !on {
            self.pause();
            let steps = events.iter().filter(cut_off).cloned().map(EventStep::CutOff).collect();
            return Round { steps, next: None };
        }
        if now < self.seen {
            // The clock was set back; what is past by the old time may come again.
            self.pause();
        }
        self.seen = now;
        let since = *self.since.get_or_insert(now);
        self.entries.retain(|id, _| events.binary_search_by_key(id, |event| event.id).is_ok());
        let mut round = Round::default();
        for event in events {
            let entry =
                self.entries.entry(event.id).or_insert_with(|| QueuedEvent::new(event, since));
            if !Arc::ptr_eq(&entry.definition, event) {
                entry.redefine(event, since);
            }
            let running = runs(event.id);
            if now < entry.not_before {
                round.wait_until(entry.not_before);
            } else if event.record.running && !running {
                round.steps.push(EventStep::CutOff(Arc::clone(event)));
            } else if event.status != EventStatus::Enabled {
                entry.next = None;
            } else if let Some(next) = entry.next.filter(|next| *next > now) {
                round.wait_until(next);
            } else if running {
                // Passed over; and what is over is completed by its end.
                if entry.next.is_some() {
                    entry.pass(now, since);
                    entry.next.into_iter().for_each(|next| round.wait_until(next));
                }
            } else if entry.next.is_some() {
                round.steps.push(EventStep::Run(Arc::clone(event)));
            } else {
                round.steps.push(EventStep::Complete(Arc::clone(event)));
            }
        }
        round
    }

    /// A run has begun: the moments until now are past.
    pub fn begun(&mut self, id: EventId, now: i64) {
        let since = self.since.unwrap_or(now);
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.pass(now, since);
        }
    }

    /// What was to be done could not be stored: it is tried again, later.
    pub fn failed(&mut self, id: EventId, now: i64) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.not_before = now + RETRY_SECONDS;
        }
    }
}

impl Round {
    fn wait_until(&mut self, moment: i64) {
        self.next = Some(self.next.map_or(moment, |next| next.min(moment)));
    }
}

impl QueuedEvent {
    fn new(event: &Arc<EventDefinition>, since: i64) -> QueuedEvent {
        let (definition, not_before) = (Arc::clone(event), i64::MIN);
        // The server before may have begun a run in this very second; a later one is of a clock
        // that was set back.
        let begun = event.record.started.filter(|started| *started <= since);
        let past = begun.unwrap_or(i64::MIN);
        let mut entry = QueuedEvent { definition, next: None, past, not_before };
        entry.find_next(since);
        entry
    }

    fn pass(&mut self, now: i64, since: i64) {
        self.past = now;
        self.find_next(since);
    }

    fn find_next(&mut self, since: i64) {
        let from = since.max(self.definition.altered).max(self.past.saturating_add(1));
        self.next = first_moment(&self.definition, from);
    }

    /// Takes another definition over. One with another schedule has no moments that are past.
    fn redefine(&mut self, event: &Arc<EventDefinition>, since: i64) {
        let same = match (&self.definition.schedule, &event.schedule) {
            (EventSchedule::Once { at, .. }, EventSchedule::Once { at: new, .. }) => at == new,
            (old, new) => old == new,
        };
        if !same || self.definition.status != event.status {
            self.past = i64::MIN;
        }
        self.definition = Arc::clone(event);
        self.not_before = i64::MIN;
        self.find_next(since);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice::from_ref;

    use rows::event::{EventSettings, RunRecord};

    fn event(id: EventId, schedule: EventSchedule) -> Arc<EventDefinition> {
        let settings = EventSettings {
            sql_mode: String::new(),
            time_zone: "SYSTEM".into(),
            charset_client: String::new(),
            collation_connection: String::new(),
        };
        Arc::new(EventDefinition {
            id,
            database: "d".into(),
            name: format!("e{id}"),
            definer: "root@localhost".into(),
            is_by_account: false,
            body: "DO 1".into(),
            schedule,
            preserve: false,
            status: EventStatus::Enabled,
            comment: String::new(),
            created: 1000,
            altered: 1000,
            settings,
            record: RunRecord::default(),
        })
    }

    fn every(seconds: u32, starts: i64, ends: Option<i64>) -> EventSchedule {
        let interval = seconds.to_string();
        EventSchedule::Every { interval, unit: "SECOND".into(), starts, ends }
    }

    fn quiet(_: EventId) -> bool {
        false
    }

    fn waits(next: i64) -> Round {
        Round { steps: Vec::new(), next: Some(next) }
    }

    #[test]
    fn missed_moments_of_a_recurring_event_are_passed_over_and_a_missed_one_time_event_runs() {
        let recurring = event(1, every(10, 1000, None));
        let once = event(2, EventSchedule::Once { at: 1500, begun: false });
        let mut queue = EventQueue::new();
        let round = queue.look(&[recurring, once.clone()], 2005, true, quiet);
        assert_eq!(round, Round { steps: vec![EventStep::Run(once)], next: Some(2010) });
    }

    #[test]
    fn an_event_runs_at_its_start_and_not_twice_for_one_moment() {
        let event = event(1, every(10, 1000, None));
        let mut queue = EventQueue::new();
        let events = [event.clone()];
        assert_eq!(queue.look(&events, 1000, true, quiet).steps, [EventStep::Run(event.clone())]);
        queue.begun(1, 1000);
        assert_eq!(queue.look(&events, 1000, true, quiet), waits(1010));
        // Late by some moments: one run for all of them.
        assert_eq!(queue.look(&events, 1035, true, quiet).steps, [EventStep::Run(event)]);
        queue.begun(1, 1035);
        assert_eq!(queue.look(&events, 1036, true, quiet), waits(1040));
    }

    #[test]
    fn a_moment_that_comes_while_the_event_runs_is_passed_over() {
        let event = event(1, every(10, 1000, None));
        let mut queue = EventQueue::new();
        let events = [event.clone()];
        queue.look(&events, 1000, true, quiet);
        queue.begun(1, 1000);
        assert_eq!(queue.look(&events, 1010, true, |_| true), waits(1020));
        assert_eq!(queue.look(&events, 1011, true, quiet), waits(1020));
        assert_eq!(queue.look(&events, 1020, true, quiet).steps, [EventStep::Run(event)]);
    }

    #[test]
    fn an_event_is_complete_behind_its_last_moment_but_not_while_it_runs() {
        let event = event(1, every(10, 1000, Some(1015)));
        let mut queue = EventQueue::new();
        let events = [event.clone()];
        queue.look(&events, 1010, true, quiet);
        queue.begun(1, 1010);
        assert_eq!(queue.look(&events, 1011, true, |_| true), Round::default());
        assert_eq!(queue.look(&events, 1012, true, quiet).steps, [EventStep::Complete(event)]);
    }

    #[test]
    fn a_one_time_event_that_has_begun_is_never_begun_again() {
        let mut begun = (*event(1, EventSchedule::Once { at: 1000, begun: true })).clone();
        begun.record.running = true;
        let begun = Arc::new(begun);
        let mut queue = EventQueue::new();
        let steps = queue.look(from_ref(&begun), 1500, true, quiet).steps;
        assert_eq!(steps, [EventStep::CutOff(begun.clone())]);
        let mut told = (*begun).clone();
        told.record.running = false;
        let told = Arc::new(told);
        let steps = queue.look(from_ref(&told), 1501, true, quiet).steps;
        assert_eq!(steps, [EventStep::Complete(told)]);
        assert_eq!(
            queue.look(from_ref(&begun), 1502, false, quiet).steps,
            [EventStep::CutOff(begun)]
        );
    }

    #[test]
    fn a_restart_within_the_second_of_a_run_repeated_it() {
        let mut event = (*event(1, every(3600, 1000, None))).clone();
        event.record.started = Some(1000);
        assert_eq!(EventQueue::new().look(&[Arc::new(event)], 1000, true, quiet), waits(4600));
    }

    #[test]
    fn what_could_not_be_stored_is_tried_again_later() {
        let event = event(1, EventSchedule::Once { at: 1000, begun: false });
        let mut queue = EventQueue::new();
        let events = [event.clone()];
        assert_eq!(queue.look(&events, 1000, true, quiet).steps, [EventStep::Run(event.clone())]);
        queue.failed(1, 1000);
        assert_eq!(queue.look(&events, 1001, true, quiet), waits(1010));
        assert_eq!(queue.look(&events, 1010, true, quiet).steps, [EventStep::Run(event)]);
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_stop_events() {
        let mut event = (*event(1, every(10, 1000, None))).clone();
        event.record.started = Some(9000);
        let mut queue = EventQueue::new();
        let events = [Arc::new(event)];
        queue.look(&events, 9000, true, quiet);
        queue.begun(1, 9000);
        assert_eq!(queue.look(&events, 2005, true, quiet), waits(2010));
    }

    #[test]
    fn moments_during_a_pause_are_passed_over_and_another_schedule_begins_anew() {
        let first = event(1, every(10, 1000, None));
        let mut queue = EventQueue::new();
        queue.look(from_ref(&first), 1000, true, quiet);
        queue.begun(1, 1000);
        assert_eq!(queue.look(from_ref(&first), 1025, false, quiet), Round::default());
        assert_eq!(queue.look(from_ref(&first), 1031, true, quiet), waits(1040));
        let altered = event(1, every(5, 1031, None));
        let steps = queue.look(from_ref(&altered), 1031, true, quiet).steps;
        assert_eq!(steps, [EventStep::Run(altered)]);
    }
}
