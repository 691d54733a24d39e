//! Functions of a script that run by themselves, every so many seconds: the likeness of `-extpc`.
//!
//! Invariants
//! 1. A function runs once at a time: the next time is counted from its end if it takes longer than
//!    its period. Runs that were missed are not made up for.
//! 2. When the clockwork is stopped no function runs any more, nor begins.
//!
//! Not here: the call (`scripts`), which logs what fails.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use resources::interrupt::{self, Interrupt};
use rows::Engine;

use crate::tyrant::call::{Call, Locking};
use crate::tyrant::command::TyrantFailure;
use crate::tyrant::shared::TyrantShared;

/// The longest time from one run to the next.
const EVERY_MAX: Duration = Duration::from_secs(366 * 86400);

/// A function and how often it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Periodic {
    /// The function.
    pub function: String,
    /// How long from one run to the next.
    pub every: Duration,
}

impl Periodic {
    /// Reads `function:seconds`.
    ///
    /// # Errors
    /// What is expected, as a sentence.
    pub fn parse(text: &str) -> Result<Periodic, String> {
        let why = || "expected a function and seconds, such as expire:60".to_owned();
        let (function, seconds) = text.split_once(':').ok_or_else(why)?;
        let (function, seconds) = (function.trim(), seconds.trim());
        let every = seconds.parse().ok().and_then(|s: f64| Duration::try_from_secs_f64(s).ok());
        let every =
            every.filter(|every| !every.is_zero() && *every <= EVERY_MAX).ok_or_else(why)?;
        match function.is_empty() {
            true => Err(why()),
            false => Ok(Periodic { function: function.into(), every }),
        }
    }
}

impl fmt::Display for Periodic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.function, self.every.as_secs_f64())
    }
}

/// Threads that run functions until they are stopped.
pub struct Clockwork {
    stop: Arc<StopFlag>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct StopFlag {
    given: AtomicBool,
    lock: Mutex<()>,
    wake: Condvar,
}

impl Interrupt for StopFlag {
    fn is_wanted(&self) -> bool {
        self.given.load(Ordering::Relaxed)
    }
}

impl Clockwork {
    /// Runs functions of a door's script from now on, for the first time after one period.
    ///
    /// # Errors
    /// Of the system, when it has no further thread.
    pub fn start(
        shared: &Arc<TyrantShared>,
        engine: &Arc<Engine>,
        functions: &[Periodic],
    ) -> std::io::Result<Clockwork> {
        let mut clockwork = Clockwork { stop: Arc::default(), threads: Vec::new() };
        for periodic in functions {
            let (stop, shared) = (Arc::clone(&clockwork.stop), Arc::clone(shared));
            let (engine, periodic) = (Arc::clone(engine), periodic.clone());
            let thread = std::thread::Builder::new().name("rowhouse-lua".into());
            let run = move || run(&stop, &shared, &engine, &periodic);
            clockwork.threads.push(thread.spawn(run)?);
        }
        Ok(clockwork)
    }
}

impl Drop for Clockwork {
    fn drop(&mut self) {
        self.stop.given.store(true, Ordering::Relaxed);
        // Whoever looked before that waits by now.
        drop(self.stop.lock.lock());
        self.stop.wake.notify_all();
        for thread in self.threads.drain(..) {
            // One that panicked has said so.
            let _ = thread.join();
        }
    }
}

fn run(stop: &Arc<StopFlag>, shared: &TyrantShared, engine: &Arc<Engine>, periodic: &Periodic) {
    let Some(scripts) = &shared.options.scripts else { return };
    let _working = interrupt::working(Arc::clone(stop) as Arc<dyn Interrupt>);
    let (name, locking) = (periodic.function.as_bytes(), Locking::None);
    let call = Call { name, locking, key: b"", value: b"" };
    let mut next = Instant::now();
    loop {
        next += periodic.every;
        if next <= Instant::now() {
            next = Instant::now() + periodic.every;
        }
        if !stop.sleep(next) {
            return;
        }
        // One that gives nothing has done its work; failures of others are in the log.
        if let Err(TyrantFailure::Invalid(why)) = scripts.call_alone(shared, engine, &call) {
            tracing::warn!(function = periodic.function, %why, "a periodic function does not run");
        }
    }
}

impl StopFlag {
    /// Sleeps until then; `false` when it is stopped.
    fn sleep(&self, until: Instant) -> bool {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.is_wanted() {
                return false;
            }
            let Some(left) = until.checked_duration_since(Instant::now()) else { return true };
            let waited = self.wake.wait_timeout(guard, left);
            guard = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_periodic_function_is_named_with_its_seconds() {
        let parsed = Periodic::parse(" expire : 0.5 ").unwrap();
        assert_eq!((&parsed.function[..], parsed.every), ("expire", Duration::from_millis(500)));
        assert_eq!(parsed.to_string(), "expire:0.5");
        for wrong in ["", "expire", "expire:", ":1", "expire:0", "expire:-1", "expire:x", "a:inf"] {
            assert!(Periodic::parse(wrong).is_err(), "{wrong}");
        }
    }
}
