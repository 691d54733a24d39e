//! Functions that ask the session, the clock's identity or the server.
//!
//! Not here: the current time (`time::calls`).

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use resources::waiting::{Waiting, during};
use uuid::{Builder, Uuid};
use values::ErrorCode;
use values::datum::Datum;

use crate::functions::call::{Call, int, whole};
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::tree::node::Node;
use crate::value::cell::{Cell, NULL};

/// Between the start of the Gregorian calendar and the epoch, in units of 100 ns.
const GREGORIAN_OFFSET: u64 = 0x01b2_1dd2_1381_4000;

/// 64 bits that nobody can foresee.
pub fn random_bits() -> u64 {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static STATE: RandomState = RandomState::new();
    }
    STATE.with(|state| state.hash_one(COUNTER.fetch_add(1, Ordering::Relaxed)))
}

/// Their values.
pub(crate) fn call<'a>(call: &Call<'_, 'a>) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    let text = |text: &str| Cell::Owned(text.as_bytes().to_vec());
    Ok(match function {
        Function::Database => {
            scope.context()?.database.as_deref().map_or(NULL, |name| Cell::Plain(bytes(name)))
        }
        Function::User => Cell::Plain(bytes(&scope.context()?.user)),
        Function::CurrentUser => Cell::Plain(bytes(&scope.context()?.account)),
        Function::CurrentRole => Cell::Plain(bytes(&scope.context()?.roles)),
        Function::Version => text(scope.context()?.server.version()),
        Function::ConnectionId => {
            Cell::Plain(Datum::UInt(u64::from(scope.context()?.connection_id)))
        }
        Function::LastInsertId => last_insert_id(arguments, scope)?,
        Function::RowCount => int(scope.context()?.row_count),
        Function::FoundRows => int(scope.context()?.found_rows as i64),
        Function::Uuid => text(&uuid(scope.context()?.now).to_string()),
        // MariaDB's digits of a UUID, without dashes.
        Function::SysGuid => text(&uuid(scope.context()?.now).simple().to_string()),
        Function::RandomBytes => random_bytes(arguments, scope)?,
        Function::UuidShort => {
            static COUNTER: AtomicU64 = AtomicU64::new(0);
            let seconds = scope.context()?.now as u64 / 1_000_000;
            let count = COUNTER.fetch_add(1, Ordering::Relaxed);
            Cell::Plain(Datum::UInt((seconds << 24) + count))
        }
        Function::Sleep => sleep(arguments, scope)?,
        Function::Benchmark => {
            let Some(times) = whole(&arguments[0].evaluate(scope)?, scope) else { return Ok(NULL) };
            if times < 0 {
                scope.distrust_argument("count", &times.to_string(), function);
                return Ok(NULL);
            }
            for _ in 0..times {
                scope.context()?.kill.check()?;
                arguments[1].evaluate(scope)?;
            }
            int(0)
        }
        Function::GetLock
        | Function::ReleaseLock
        | Function::ReleaseAllLocks
        | Function::IsFreeLock
        | Function::IsUsedLock => named_lock(function, arguments, scope)?,
        Function::Charset => text(arguments[0].announced_collation().set_name()),
        Function::Coercibility => int(i64::from(arguments[0].coercibility())),
        Function::CollationOf => text(arguments[0].announced_collation().name()),
        _ => return Err(Error::unknown_function(function.name())),
    })
}

fn bytes(text: &str) -> Datum<'_> {
    Datum::Bytes(text.as_bytes())
}

/// Bytes that nobody can foresee; NULL for more than MariaDB gives.
fn random_bytes<'a>(arguments: &'a [Node], scope: &Scope<'a>) -> Result<Cell<'a>> {
    const BYTES_MAX: usize = 1024;
    let count = whole(&arguments[0].evaluate(scope)?, scope).map(usize::try_from);
    let Some(count) = count else { return Ok(NULL) };
    let Ok(count @ 1..=BYTES_MAX) = count else {
        let message = "length value is out of range in 'random_bytes'";
        return Err(Error::new(ErrorCode::DataOutOfRange, message));
    };
    let mut bytes = vec![0; count];
    getrandom::fill(&mut bytes).map_err(|source| {
        Error::new(ErrorCode::UnknownError, format!("No random bytes: {source}"))
    })?;
    Ok(Cell::Owned(bytes))
}

fn last_insert_id<'a>(arguments: &'a [Node], scope: &Scope<'a>) -> Result<Cell<'a>> {
    let context = scope.context()?;
    let Some(argument) = arguments.first() else {
        let set = context.side_effects.lock().last_insert_id;
        return Ok(Cell::Plain(Datum::UInt(set.unwrap_or(context.last_insert_id))));
    };
    let Some(number) = scope.integer(&argument.evaluate(scope)?) else { return Ok(NULL) };
    let value = number.to_bits();
    context.side_effects.lock().last_insert_id = Some(value);
    Ok(Cell::Plain(Datum::UInt(value)))
}

/// A UUID of version 1: time first, then what makes this server and this moment unlike others.
fn uuid(now: i64) -> Uuid {
    static LAST: AtomicU64 = AtomicU64::new(0);
    static NODE: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(1u8));
    let clock = GREGORIAN_OFFSET + now as u64 * 10;
    let previous =
        LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(clock.max(last + 1)));
    let ticks = clock.max(previous.unwrap_or_default() + 1);
    let [high, low, mut node @ ..] = NODE.to_be_bytes();
    // The multicast bit marks a node number that is no card's address.
    node[0] |= 1;
    Builder::from_gregorian_timestamp(ticks, u16::from_be_bytes([high, low]), &node).into_uuid()
}

fn sleep<'a>(arguments: &'a [Node], scope: &Scope<'a>) -> Result<Cell<'a>> {
    /// How often a sleeper looks whether it was killed.
    const STEP: Duration = Duration::from_millis(50);
    let seconds = scope.number(&arguments[0].evaluate(scope)?).map(|n| n.to_f64());
    let Some(seconds) = seconds.filter(|seconds| *seconds >= 0.0) else {
        return Err(Error::new(ErrorCode::WrongArguments, "Incorrect arguments to sleep."));
    };
    let length = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let kill = &scope.context()?.kill;
    during(Waiting::Sleep, || {
        let mut left = length;
        while !left.is_zero() {
            if kill.is_connection_killed() {
                kill.check()?;
            }
            // An interrupted sleep is 1 (MySQL 8.0 manual, 14.24).
            if kill.check().is_err() {
                return Ok(int(1));
            }
            let step = left.min(STEP);
            std::thread::sleep(step);
            left -= step;
        }
        Ok(int(0))
    })
}

fn named_lock<'a>(
    function: Function,
    arguments: &'a [Node],
    scope: &Scope<'a>,
) -> Result<Cell<'a>> {
    let context = scope.context()?;
    let server = &context.server;
    if function == Function::ReleaseAllLocks {
        return Ok(int(server.release_all_locks(context.connection_id) as i64));
    }
    let cell = arguments[0].evaluate(scope)?;
    if cell.is_null() {
        return Ok(NULL);
    }
    let mut name = Vec::new();
    arguments[0].write_text(cell.datum(), scope.zone, &mut name);
    let name = String::from_utf8_lossy(&name).to_lowercase();
    Ok(match function {
        Function::GetLock => {
            let seconds = scope.number(&arguments[1].evaluate(scope)?);
            let seconds = seconds.map_or(0.0, |n| n.to_f64());
            let wait = if seconds < 0.0 {
                Duration::MAX
            } else {
                Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
            };
            int(i64::from(server.acquire_lock(
                &name,
                context.connection_id,
                wait,
                &context.kill,
            )?))
        }
        Function::ReleaseLock => match server.release_lock(&name, context.connection_id) {
            Some(released) => int(i64::from(released)),
            None => NULL,
        },
        Function::IsFreeLock => int(i64::from(server.lock_holder(&name).is_none())),
        _ => server.lock_holder(&name).map_or(NULL, |id| Cell::Plain(Datum::UInt(u64::from(id)))),
    })
}
