//! The functions of `misc`, by their names.
//!
//! | function | takes | gives |
//! |---|---|---|
//! | put, putkeep, putcat | key, value | |
//! | out | key | |
//! | get | key | value |
//! | putlist, outlist | keys and values, keys | |
//! | getlist | keys | keys and values of those that are there |
//! | getpart | key, offset, length | bytes of the value |
//! | iterinit | (key) | |
//! | iternext | | key, value |
//! | range | first key, most records, key behind the last | keys and values |
//! | regex | pattern, most records | keys and values |
//! | sync, optimize, cacheclear, defrag, vanish | | |
//! | error | | number and words of the failure before |
//!
//! Invariants
//! 1. Lists are written wholly or not at all.
//!
//! Not here: what these do with rows (`execute`), what table databases have besides (`table`).

use std::ops::ControlFlow;

use crate::memcached::text::signed;
use crate::tyrant::command::{List, PutMode, TyrantFailure, TyrantTrouble};
use crate::tyrant::encode::CountedReply;
use crate::tyrant::execute::{TyrantRows, count_reply};
use crate::tyrant::table;

/// Calls a function.
///
/// # Errors
/// `Invalid` for one that is unknown or lacks arguments; see `TyrantTrouble`.
pub fn call(
    rows: &mut TyrantRows<'_, '_>,
    name: &[u8],
    arguments: List<'_>,
    answer: &mut CountedReply<'_>,
) -> Result<(), TyrantTrouble> {
    let limits = rows.turn.limits();
    if arguments.len() > limits.rows_given || arguments.bytes() > limits.bytes {
        rows.needs_time()?;
    }
    if rows.database.is_table() && table::call(rows, name, arguments, answer)? {
        return Ok(());
    }
    let mut given = arguments.iter();
    let mut next = || given.next().ok_or(TyrantFailure::Invalid("an argument is missing".into()));
    match name {
        b"put" => rows.put(PutMode::Over, next()?, next()?),
        b"putkeep" => rows.put(PutMode::Keep, next()?, next()?),
        b"putcat" => rows.put(PutMode::Concatenate, next()?, next()?),
        b"out" => rows.out(next()?),
        b"get" => match rows.get(next()?, &mut |value| answer.push(value))? {
            true => Ok(()),
            false => Err(TyrantFailure::Missing.into()),
        },
        b"putlist" => rows.together(|rows| {
            while let (Some(key), Some(value)) = (given.next(), given.next()) {
                rows.put(PutMode::Over, key, value)?;
            }
            Ok(())
        }),
        b"outlist" => rows.together(|rows| {
            for key in given {
                match rows.out(key) {
                    Ok(()) | Err(TyrantTrouble::Failed(TyrantFailure::Missing)) => {}
                    Err(trouble) => return Err(trouble),
                }
            }
            Ok(())
        }),
        b"getlist" => rows.get_many(arguments, &mut |key, value| {
            answer.push(key);
            answer.push(value);
            answer.bytes()
        }),
        b"getpart" => {
            let key = next()?;
            let (offset, length) = (number(given.next()), given.next());
            // Without a length, or with a negative one, all the rest.
            let length = length.and_then(signed).and_then(|length| usize::try_from(length).ok());
            let mut there = false;
            rows.get(key, &mut |value| {
                if let Some(rest) = value.get(offset..).filter(|rest| !rest.is_empty()) {
                    answer.push(&rest[..rest.len().min(length.unwrap_or(usize::MAX))]);
                    there = true;
                }
            })?;
            if there { Ok(()) } else { Err(TyrantFailure::Missing.into()) }
        }
        b"iterinit" => match given.next() {
            Some(key) => rows.iterate_from(key),
            None => {
                rows.cursor.restart();
                Ok(())
            }
        },
        b"iternext" => rows.next_record(&mut |key, value| {
            answer.push(key);
            answer.push(value);
        }),
        b"range" => {
            let (first, most, end) = (next()?, at_most(given.next()), given.next());
            range(rows, first, most, end, answer)
        }
        b"regex" => {
            let (pattern, most) = (next()?, at_most(given.next()));
            matching(rows, pattern, most, answer)
        }
        b"sync" => rows.sync(),
        b"vanish" => rows.vanish(),
        // The store tends to its files and caches by itself.
        b"optimize" | b"cacheclear" | b"defrag" => Ok(()),
        b"error" => {
            let (code, words) = rows.last_failure.map_or((0, "success"), TyrantFailure::words);
            answer.push(format!("{code}: {words}").as_bytes());
            Ok(())
        }
        b"putdup" | b"putdupback" => {
            Err(TyrantFailure::Invalid("a key has one record".into()).into())
        }
        _ => Err(TyrantFailure::Invalid("no such function".into()).into()),
    }
}

/// A number that may be missing, or none: 0.
fn number(argument: Option<&[u8]>) -> usize {
    argument.and_then(signed).and_then(|number| usize::try_from(number).ok()).unwrap_or(0)
}

/// How many are wanted at most; 0, nothing and a negative number are all.
fn at_most(argument: Option<&[u8]>) -> usize {
    match number(argument) {
        0 => usize::MAX,
        most => most,
    }
}

/// Records from a key on, up to another that does not belong to them.
fn range(
    rows: &mut TyrantRows<'_, '_>,
    first: &[u8],
    most: usize,
    end: Option<&[u8]>,
    answer: &mut CountedReply<'_>,
) -> Result<(), TyrantTrouble> {
    if most > rows.turn.limits().rows_seen {
        rows.needs_time()?;
    }
    let (mut start, mut behind) = (Vec::new(), Vec::new());
    let fits = rows.database.push_row_key(first, &mut start)?
        && end.map_or(Ok(true), |end| rows.database.push_row_key(end, &mut behind))?;
    if !fits {
        return Err(TyrantFailure::Invalid("key does not fit the table".into()).into());
    }
    let ends = |row_key: &[u8]| end.is_some() && row_key >= &behind[..];
    take(rows, start, most, &mut |row_key, _| (!ends(row_key)).then_some(true), answer)
}

/// Records whose keys match a regular expression; one that begins with `*` ignores case.
fn matching(
    rows: &mut TyrantRows<'_, '_>,
    pattern: &[u8],
    most: usize,
    answer: &mut CountedReply<'_>,
) -> Result<(), TyrantTrouble> {
    rows.needs_time()?;
    let mut memory = rows.turn.engine().budget().share();
    let pattern = rows.pattern(pattern, &mut memory)?;
    take(rows, Vec::new(), most, &mut |_, key| Some(pattern.is_in(key)), answer)
}

/// Answers with records in order: `wanted` says of row key and key whether, and `None` at the end.
fn take(
    rows: &mut TyrantRows<'_, '_>,
    start: Vec<u8>,
    most: usize,
    wanted: &mut dyn FnMut(&[u8], &[u8]) -> Option<bool>,
    answer: &mut CountedReply<'_>,
) -> Result<(), TyrantTrouble> {
    let (engine, mut reply) = (rows.turn.engine(), rows.reply.take());
    let mut left = most;
    let database = rows.database;
    rows.scan(start, &mut |row_key, key, row| {
        if left == 0 {
            return Ok(ControlFlow::Break(()));
        }
        match wanted(row_key, key) {
            None => return Ok(ControlFlow::Break(())),
            Some(false) => {}
            Some(true) => {
                answer.push(key);
                answer.push(&database.value(row)?);
                count_reply(engine, &mut reply, answer.bytes())?;
                left -= 1;
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    rows.reply = reply;
    Ok(())
}
