//! GET_LOCK and its kin: locks by name, held by connections until they let go or leave.
//!
//! Invariants
//! 1. A lock has one holder; the same connection may take it again and must then release it as
//!    often.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use expression::{KillMark, Result};
use parking_lot::{Condvar, Mutex};

use super::pause::pause;

#[derive(Debug)]
struct Held {
    by: u32,
    times: u32,
}

/// All named locks.
#[derive(Debug, Default)]
pub struct NamedLocks {
    held: Mutex<HashMap<String, Held>>,
    freed: Condvar,
}

impl NamedLocks {
    /// Takes a lock; `false` when it is not to be had in time.
    pub fn acquire(&self, name: &str, by: u32, wait: Duration, kill: &KillMark) -> Result<bool> {
        let end = Instant::now().checked_add(wait);
        let mut held = self.held.lock();
        loop {
            match held.get_mut(name) {
                None => {
                    held.insert(name.to_string(), Held { by, times: 1 });
                    return Ok(true);
                }
                Some(own) if own.by == by => {
                    own.times += 1;
                    return Ok(true);
                }
                Some(_) => {}
            }
            if !pause(&self.freed, &mut held, kill, end)? {
                return Ok(false);
            }
        }
    }

    /// Lets go; `None` when nobody holds it, `false` when another does.
    pub fn release(&self, name: &str, by: u32) -> Option<bool> {
        let mut held = self.held.lock();
        let lock = held.get_mut(name)?;
        if lock.by != by {
            return Some(false);
        }
        lock.times -= 1;
        if lock.times == 0 {
            held.remove(name);
            self.freed.notify_all();
        }
        Some(true)
    }

    /// Lets go of everything; how many times something was held.
    pub fn release_all(&self, by: u32) -> u32 {
        let mut held = self.held.lock();
        let count = held.values().filter(|lock| lock.by == by).map(|lock| lock.times).sum();
        if count > 0 {
            held.retain(|_, lock| lock.by != by);
            self.freed.notify_all();
        }
        count
    }

    /// Who holds it.
    pub fn holder(&self, name: &str) -> Option<u32> {
        self.held.lock().get(name).map(|lock| lock.by)
    }
}
