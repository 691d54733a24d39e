//! What one statement may use: how long a value may be, memory for the values that its
//! expressions hold at one time, and when it is to end. Every evaluation has one at hand
//! (`Scope::limits`), whichever executor asks for it.
//!
//! Invariants
//! 1. A value that an expression makes is counted from the moment its length is known until it is
//!    dropped; values below `LARGE_BYTES` are counted together, where many are held.
//! 2. One statement holds at most three quarters of the memory for clients, so that others' small
//!    needs are met beside it.
//! 3. A longer value than `max_allowed_packet` is NULL with warning 1301, and error 1301 in a
//!    strict write (MySQL 8.0 manual, 12.8: "returns NULL if the result would be greater").
//! 4. In an event loop nothing long is made or searched: the statement is repeated in the pool.
//!
//! Not here: memory of operators (crate `analytic`, `runtime`), of rows that are written
//! (`rows::transaction`).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use resources::budget::{Budget, Share};
use resources::turn_limits::TurnLimits;
use values::ErrorCode;
use values::datum::Value;

use crate::statement::error::{Error, Result};
use crate::statement::kill::KillMark;
use crate::statement::warning::{Level, Warnings};

/// Values from this length on are counted one by one.
pub const LARGE_BYTES: usize = 4096;
/// `max_allowed_packet` by default.
pub const VALUE_BYTES_MAX: usize = 64 << 20;

/// What a statement may use.
#[derive(Debug)]
pub struct Limits {
    value_bytes_max: usize,
    /// What the statement may hold.
    own: Arc<Budget>,
    /// What all clients may.
    all: Arc<Budget>,
    kill: Arc<KillMark>,
    strict: bool,
    /// Whether the statement is in an event loop for the moment.
    in_loop: AtomicBool,
    /// Warnings of values that are made while rows are already on their way.
    warnings: Mutex<Warnings>,
    /// What a strict write has met and must not write.
    refused: Mutex<Option<Error>>,
    has_refused: AtomicBool,
}

impl Limits {
    /// For a statement of a client.
    pub fn new(value_bytes_max: usize, memory: &Arc<Budget>, kill: &Arc<KillMark>) -> Limits {
        Limits {
            value_bytes_max,
            own: Budget::new(memory.bytes_max() / 4 * 3),
            all: Arc::clone(memory),
            kill: Arc::clone(kill),
            strict: false,
            in_loop: AtomicBool::new(false),
            warnings: Mutex::default(),
            refused: Mutex::default(),
            has_refused: AtomicBool::new(false),
        }
    }

    /// For expressions that no client's statement evaluates: defaults, conditions of SHOW.
    pub fn of_the_server() -> &'static Limits {
        static LIMITS: LazyLock<Limits> = LazyLock::new(|| {
            Limits::new(VALUE_BYTES_MAX, &Budget::new(4 * VALUE_BYTES_MAX), &Arc::default())
        });
        &LIMITS
    }

    /// The same for the query of a strict write, whose too long values are errors.
    pub fn strict(&self) -> Limits {
        Limits {
            value_bytes_max: self.value_bytes_max,
            own: Arc::clone(&self.own),
            all: Arc::clone(&self.all),
            kill: Arc::clone(&self.kill),
            strict: true,
            in_loop: AtomicBool::new(false),
            warnings: Mutex::default(),
            refused: Mutex::default(),
            has_refused: AtomicBool::new(false),
        }
    }

    /// Says where the statement goes on.
    pub fn set_in_loop(&self, in_loop: bool) {
        self.in_loop.store(in_loop, Ordering::Relaxed);
    }

    /// Asked before a search that may take so many steps.
    ///
    /// # Errors
    /// `WouldWait` when they are many, in an event loop.
    pub fn search(&self, steps: usize) -> Result<()> {
        if steps > TurnLimits::LOOP.comparisons && self.in_loop.load(Ordering::Relaxed) {
            return Err(Error::WouldWait);
        }
        Ok(())
    }

    /// Whether too long values are errors.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// The longest value, in bytes: `max_allowed_packet`.
    #[inline]
    pub fn value_bytes_max(&self) -> usize {
        self.value_bytes_max
    }

    /// The mark by which others may end the statement.
    pub fn kill(&self) -> &Arc<KillMark> {
        &self.kill
    }

    /// Whether the statement is to go on. Long loops ask every few hundred steps.
    ///
    /// # Errors
    /// 1317 when it was killed or its client has left; 3024 and 1969 when its time is over.
    #[inline]
    pub fn check(&self) -> Result<()> {
        self.kill.check()
    }

    /// Memory for a value of so many bytes.
    ///
    /// # Errors
    /// 1041 when the statement holds too much, or all clients together do; those of `check`: a few
    /// hundred long values take seconds.
    pub fn take(&self, bytes: usize) -> Result<Room> {
        let mut room = Room::default();
        if bytes >= LARGE_BYTES {
            self.check()?;
            room.grow_to(bytes, self)?;
        }
        Ok(room)
    }

    /// Counts values that are held together, of whatever size.
    #[inline]
    pub fn hold(&self) -> HeldMemory<'_> {
        HeldMemory { limits: self, room: Room::default(), bytes: 0 }
    }

    /// Adds a warning to those that are told when the rows end.
    pub fn warn(&self, code: ErrorCode, message: impl Into<String>) {
        self.warnings.lock().push(Level::Warning, code, message);
    }

    /// Those warnings, to be changed.
    pub fn with_warnings(&self, change: impl FnOnce(&mut Warnings)) {
        change(&mut self.warnings.lock());
    }

    /// Notes what a strict write must not write: the expression that is evaluated ends with it.
    pub(crate) fn refuse(&self, error: Error) {
        self.refused.lock().get_or_insert(error);
        self.has_refused.store(true, Ordering::Relaxed);
    }

    /// Asked when a value is there.
    ///
    /// # Errors
    /// What was refused meanwhile.
    #[inline]
    pub fn check_refused(&self) -> Result<()> {
        if !self.has_refused.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.has_refused.store(false, Ordering::Relaxed);
        self.refused.lock().take().map_or(Ok(()), Err)
    }

    /// Takes the warnings of values over.
    pub fn take_warnings(&self) -> Warnings {
        std::mem::take(&mut *self.warnings.lock())
    }
}

/// Of a value that is longer than it may be.
pub const TOO_LONG: ErrorCode = ErrorCode::WarnAllowedPacketOverflowed;

/// What MySQL says of it.
pub fn too_long(function: &str, bytes_max: usize) -> String {
    let function = function.to_ascii_lowercase();
    format!("Result of {function}() was larger than max_allowed_packet ({bytes_max}) - truncated")
}

/// Memory that was taken for a value; dropping it gives it back.
#[derive(Debug, Default)]
pub struct Room(Option<Box<(Share, Share)>>);

impl Room {
    /// Whether nothing was taken.
    #[inline]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Takes more, until it is memory for so many bytes.
    ///
    /// # Errors
    /// 1041 without memory for them.
    pub fn grow_to(&mut self, bytes: usize, limits: &Limits) -> Result<()> {
        if bytes >= TurnLimits::LOOP.bytes && limits.in_loop.load(Ordering::Relaxed) {
            return Err(Error::WouldWait);
        }
        let shares =
            self.0.get_or_insert_with(|| Box::new((limits.own.share(), limits.all.share())));
        shares.0.grow_to(bytes).map_err(|_| Error::ValuesTooLarge)?;
        Ok(shares.1.grow_to(bytes)?)
    }
}

/// Memory of values that are held together.
#[derive(Debug)]
pub struct HeldMemory<'l> {
    limits: &'l Limits,
    room: Room,
    bytes: usize,
}

impl<'l> HeldMemory<'l> {
    /// Whose memory it is.
    #[inline]
    pub fn limits(&self) -> &'l Limits {
        self.limits
    }

    /// Counts one more value.
    ///
    /// # Errors
    /// As `Limits::take`.
    #[inline]
    pub fn add(&mut self, bytes: usize) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes < LARGE_BYTES {
            return Ok(());
        }
        self.room.grow_to(self.bytes, self.limits)
    }

    /// Counts a text among values.
    ///
    /// # Errors
    /// As `Limits::take`.
    #[inline]
    pub fn add_value(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::Bytes(bytes) => self.add(bytes.len()),
            _ => Ok(()),
        }
    }

    /// The memory, for keeping it longer than the limits are borrowed.
    #[inline]
    pub fn into_room(self) -> Room {
        self.room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_holds_at_most_three_quarters_of_what_clients_may_use_and_gives_it_back() {
        let budget = Budget::new(1 << 20);
        let limits = Limits::new(VALUE_BYTES_MAX, &budget, &Arc::default());
        let first = limits.take(400 << 10).unwrap();
        assert!(matches!(limits.take(300 << 10), Err(Error::ValuesTooLarge)));
        assert_eq!(budget.used(), 400 << 10);
        drop(first);
        let mut held = limits.hold();
        for _ in 0..100 {
            held.add(1 << 10).unwrap();
        }
        assert_eq!(budget.used(), 100 << 10);
        drop(held.into_room());
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn in_a_loop_long_values_are_left_to_the_pool() {
        let limits = Limits::new(VALUE_BYTES_MAX, &Budget::new(1 << 30), &Arc::default());
        limits.set_in_loop(true);
        limits.take(TurnLimits::LOOP.bytes - 1).unwrap();
        assert!(limits.take(TurnLimits::LOOP.bytes).unwrap_err() == Error::WouldWait);
        assert!(limits.search(usize::MAX).unwrap_err() == Error::WouldWait);
        limits.set_in_loop(false);
        limits.take(TurnLimits::LOOP.bytes).unwrap();
        limits.search(usize::MAX).unwrap();
    }

    #[test]
    fn small_values_draw_nothing() {
        let budget = Budget::new(0);
        let limits = Limits::new(VALUE_BYTES_MAX, &budget, &Arc::default());
        assert!(limits.take(LARGE_BYTES - 1).unwrap().is_none());
        assert!(matches!(limits.take(LARGE_BYTES), Err(Error::ValuesTooLarge)));
    }
}
