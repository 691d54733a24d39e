//! The scheduler: one thread that looks at the queue, and one for each run.
//!
//! Invariants
//! 1. The catalog says that an event runs before its thread is started, and is told of the end
//!    before the event counts as ended here.
//! 2. At most `RUNS_MAX` events run at a time; what is due beyond that begins when one has ended.
//! 3. After `stop` no run is left, but for those that did not end within the time it was given.
//!
//! Not here: which events are due (`queue`), what a run does (`job`).

use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use rows::event::{EventDefinition, EventId, EventSchedule, EventStatus, RunError};
use rows::store::Durability;
use syntax::STATEMENT_STACK_BYTES;
use values::ErrorCode;

use super::job;
use super::queue::{EventQueue, EventStep};
use crate::server::Sql;
use results::{SqlError, panics};

/// Events that run at a time.
const RUNS_MAX: usize = 16;
/// The longest sleep while moments are to come: the clock may be set meanwhile.
const SLEEP_MAX: Duration = Duration::from_secs(1);
/// Between two looks at runs that were told to end.
const ENDING: Duration = Duration::from_millis(20);
/// Most bytes of an error's words that are kept.
const MESSAGE_BYTES_MAX: usize = 512;

/// The scheduler of a server, until it is stopped.
pub struct EventScheduler {
    sql: Arc<Sql>,
    thread: JoinHandle<()>,
}

impl EventScheduler {
    /// Starts it.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(sql: &Arc<Sql>) -> io::Result<EventScheduler> {
        let of_thread = Arc::clone(sql);
        let thread =
            Builder::new().name("rowhouse-events".into()).spawn(move || work(&of_thread))?;
        Ok(EventScheduler { sql: Arc::clone(sql), thread })
    }

    /// Begins no run any more and ends those that run; returns when they have ended, or at the
    /// latest after `grace`.
    pub fn stop(self, grace: Duration) {
        let until = Instant::now() + grace;
        let events = self.sql.events();
        events.state.lock().stopping = true;
        events.notify();
        // It only sleeps and stores.
        let _ = self.thread.join();
        let mut state = events.state.lock();
        while !state.running.is_empty() && Instant::now() < until {
            for id in state.running.values() {
                if let Some(process) = self.sql.processes().find(*id) {
                    process.kill.kill_connection();
                }
            }
            events.changed.wait_for(&mut state, ENDING);
        }
        for event in state.running.keys() {
            tracing::warn!(event, "an event still runs at the end of the server");
        }
    }
}

fn work(sql: &Arc<Sql>) {
    let events = sql.events();
    let mut queue = EventQueue::new();
    loop {
        let round = panics::caught(b"(the event scheduler)", || Ok(round(sql, &mut queue)));
        // A defect was logged; what caused it is looked at again.
        let sleep = round.unwrap_or(Some(SLEEP_MAX));
        let mut state = events.state.lock();
        if state.stopping {
            return;
        }
        if !state.changed {
            match sleep {
                Some(sleep) => drop(events.changed.wait_for(&mut state, sleep)),
                None => events.changed.wait(&mut state),
            }
        }
        state.changed = false;
    }
}

/// Does what is due; says how long to sleep, `None` until something changes.
fn round(sql: &Arc<Sql>, queue: &mut EventQueue) -> Option<Duration> {
    let micros = sql.engine().clock().unix_micros() as i64;
    let now = micros.div_euclid(1_000_000);
    let running: Vec<EventId> = sql.events().state.lock().running.keys().copied().collect();
    let events = sql.engine().catalog().events();
    let round = queue.look(&events, now, sql.runs_events(), |id| running.contains(&id));
    let mut free = RUNS_MAX.saturating_sub(running.len());
    let (mut done, mut failed) = (false, false);
    for step in round.steps {
        let (id, stored) = match step {
            // The end of a run wakes this thread.
            EventStep::Run(_) if free == 0 => continue,
            EventStep::Run(event) => {
                free -= 1;
                let begun = begin(sql, &event, now);
                if matches!(begun, Ok(true)) {
                    queue.begun(event.id, now);
                }
                (event.id, begun)
            }
            EventStep::Complete(event) => (event.id, complete(sql, &event)),
            EventStep::CutOff(event) => {
                tracing::warn!(event = %shown(&event), "a run was cut off by the end of the server");
                (event.id, tell_end(sql, event.id, None, Some(&job::cut_off())))
            }
        };
        match stored {
            Ok(_) => done = true,
            Err(error) => {
                tracing::warn!(event = id, %error, "an event waits: its state cannot be stored");
                queue.failed(id, now);
                failed = true;
            }
        }
    }
    if done {
        return Some(Duration::ZERO);
    }
    if failed {
        return Some(SLEEP_MAX);
    }
    let left = round.next?.saturating_mul(1_000_000).saturating_sub(micros);
    Some(Duration::from_micros(u64::try_from(left).unwrap_or(0)).min(SLEEP_MAX))
}

fn shown(event: &EventDefinition) -> String {
    format!("{}.{}", event.database, event.name)
}

fn now(sql: &Sql) -> i64 {
    (sql.engine().clock().unix_micros() / 1_000_000) as i64
}

/// Stores that a run begins, and begins it; `false` when the event was changed meanwhile.
fn begin(sql: &Arc<Sql>, event: &Arc<EventDefinition>, now: i64) -> rows::Result<bool> {
    let mut begun = (**event).clone();
    begun.record.running = true;
    begun.record.started = Some(now);
    begun.record.runs += 1;
    if let EventSchedule::Once { begun, .. } = &mut begun.schedule {
        *begun = true;
    }
    // Whatever the durability: a run that is forgotten by a power cut would run twice.
    if !sql.engine().change_event(event, Some(begun), Durability::EveryCommit)? {
        return Ok(false);
    }
    let events = sql.events();
    let number = events.next_number();
    events.state.lock().running.insert(event.id, number);
    let (of_run, event_of_run) = (Arc::clone(sql), Arc::clone(event));
    let thread = Builder::new().name("rowhouse-event".into()).stack_size(STATEMENT_STACK_BYTES);
    if let Err(error) = thread.spawn(move || run(&of_run, number, &event_of_run)) {
        let error = SqlError::new(
            ErrorCode::CantCreateThread,
            format!("Can't create a new thread: {error}"),
        );
        report(sql, event, None, Some(&error));
        events.ended(event.id);
    }
    Ok(true)
}

/// A run, from its beginning to the record of its end.
fn run(sql: &Arc<Sql>, number: u32, event: &Arc<EventDefinition>) {
    let events = sql.events();
    let since = Instant::now();
    let outcome = panics::caught(b"(an event)", || job::run(sql, number, event, events.time_max));
    report(sql, event, Some(since.elapsed()), outcome.err().as_ref());
    events.ended(event.id);
}

/// Tells log and catalog how a run ended.
fn report(sql: &Sql, event: &EventDefinition, took: Option<Duration>, error: Option<&SqlError>) {
    let name = shown(event);
    let ms = took.unwrap_or_default().as_millis() as u64;
    match error {
        None => tracing::debug!(event = %name, ms, "an event has run"),
        Some(error) => {
            let (number, message) = (error.number(), error.message());
            tracing::warn!(event = %name, ms, number, message, "an event has failed");
        }
    }
    if let Err(error) = tell_end(sql, event.id, took, error) {
        tracing::warn!(event = %name, %error, "the end of an event cannot be stored");
    }
}

/// Stores how a run ended; a one-time event is over with it.
fn tell_end(
    sql: &Sql,
    id: EventId,
    took: Option<Duration>,
    error: Option<&SqlError>,
) -> rows::Result<bool> {
    // An event that was dropped meanwhile needs no record.
    while let Some(present) = sql.engine().catalog().event(id) {
        let mut ended = (*present).clone();
        let record = &mut ended.record;
        record.running = false;
        record.micros = took.map(|took| took.as_micros() as u64);
        if let Some(error) = error {
            record.failures += 1;
            let message = within(error.message(), MESSAGE_BYTES_MAX).to_string();
            record.error = Some(RunError { at: now(sql), number: error.number(), message });
        }
        let ended = match ended.schedule {
            EventSchedule::Once { begun: true, .. } => completed(ended),
            _ => Some(ended),
        };
        // Should a power cut take it, what was stored at the beginning tells that the run was cut
        // off.
        if sql.engine().change_event(&present, ended, Durability::Os)? {
            break;
        }
    }
    Ok(true)
}

/// An event has no moments left.
fn complete(sql: &Sql, event: &Arc<EventDefinition>) -> rows::Result<bool> {
    let engine = sql.engine();
    engine.change_event(event, completed((**event).clone()), engine.durability())
}

/// What is left of an event that is over.
fn completed(event: EventDefinition) -> Option<EventDefinition> {
    event.preserve.then_some(EventDefinition { status: EventStatus::Disabled, ..event })
}

/// The beginning of a text, of whole characters.
fn within(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
