//! Functions of scripts that need no records: codes, digests, patterns, time, the log.
//!
//! Invariants
//! 1. Each takes time in proportion to what it is given, or asks whether its call is to end.
//!
//! Not here: functions that are written in Lua (`prelude.lua`), or reach records (`host`).

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use md5::{Digest as _, Md5};
use memchr::memmem;
use mlua::{ChunkMode, Function, Lua, String as Text, Value};
use resources::interrupt;
use resources::log_rate::LogRate;
use values::codes::{crc32, from_base64_lines, from_hex, to_base64, write_hex};
use values::pattern::SearchEnd;

use crate::log_text::shown;
use crate::tyrant::condition;
use crate::tyrant::http::{percent_decoded, push_percent_encoded};
use crate::tyrant::lua::points;

/// Most bytes that a replacement makes of a text; a state's own limit comes too late for it.
const REPLACED_BYTES_MAX: usize = 64 << 20;
/// Lines that scripts may log in a second, all together.
const LINES_PER_SECOND_MAX: u64 = 100;
/// Most bytes of a line that a script logs.
const LOGGED_BYTES_MAX: usize = 4096;

/// Sets the globals of a new state.
///
/// # Errors
/// `MemoryError`.
pub fn set(lua: &Lua) -> mlua::Result<()> {
    let globals = lua.globals();
    globals.set(
        "_log",
        lua.create_function(|_, (message, level): (Text<'_>, Option<f64>)| {
            log(message.as_bytes(), level.unwrap_or(1.0));
            Ok(())
        })?,
    )?;
    globals.set(
        "print",
        lua.create_function(|lua, values: mlua::MultiValue<'_>| {
            let mut line = Vec::new();
            for (position, value) in values.into_iter().enumerate() {
                if line.len() > LOGGED_BYTES_MAX {
                    break;
                }
                if position > 0 {
                    line.push(b'\t');
                }
                match lua.coerce_string(value.clone())? {
                    // One byte more shows that the line is cut.
                    Some(text) => {
                        let text = text.as_bytes();
                        line.extend_from_slice(&text[..text.len().min(LOGGED_BYTES_MAX + 1)]);
                    }
                    None => line.extend_from_slice(value.type_name().as_bytes()),
                }
            }
            log(&line, 1.0);
            Ok(())
        })?,
    )?;
    globals.set("_time", lua.create_function(|_, ()| Ok(unix_seconds()))?)?;
    globals.set(
        "_sleep",
        lua.create_function(|_, seconds: f64| {
            sleep(Duration::try_from_secs_f64(seconds).unwrap_or_default());
            Ok(true)
        })?,
    )?;
    globals.set(
        "_codec",
        lua.create_function(|lua, (mode, text): (Text<'_>, Text<'_>)| {
            let coded = coded(&mode.as_bytes().to_ascii_lowercase(), text.as_bytes());
            coded.map(|bytes| lua.create_string(bytes)).transpose()
        })?,
    )?;
    globals.set("_hash", lua.create_function(hash)?)?;
    globals.set("_regex", lua.create_function(regex)?)?;
    globals.set(
        "loadstring",
        lua.create_function(|lua, (text, name): (Text<'_>, Option<String>)| {
            match compile(lua, text.as_bytes(), name.as_deref().unwrap_or("loadstring")) {
                Ok(function) => Ok((Value::Function(function), None)),
                Err(error) => Ok((Value::Nil, Some(error.to_string()))),
            }
        })?,
    )?;
    Ok(())
}

/// A text as a function. Compiled code is refused: it could do what no text can.
///
/// # Errors
/// `SyntaxError`.
pub fn compile<'l>(lua: &'l Lua, text: &[u8], name: &str) -> mlua::Result<Function<'l>> {
    lua.load(text).set_name(format!("={name}")).set_mode(ChunkMode::Text).into_function()
}

/// The functions that replace those of Lua whose time has no bounds: `find` and `split`.
///
/// # Errors
/// `MemoryError`.
pub fn bounded(lua: &Lua) -> mlua::Result<(Function<'_>, Function<'_>)> {
    let find = lua.create_function(|_, (text, pattern, first): (Text<'_>, Text<'_>, f64)| {
        let (text, pattern) = (text.as_bytes(), pattern.as_bytes());
        // A negative position counts from the end, as in Lua.
        let start = match first {
            first if first > 0.0 => first as usize - 1,
            first if first < 0.0 => text.len().saturating_sub(-first as usize),
            _ => 0,
        };
        let found = text.get(start..).and_then(|rest| memmem::find(rest, pattern));
        Ok(found
            .map_or((None, None), |at| (Some(start + at + 1), Some(start + at + pattern.len()))))
    })?;
    let split = lua.create_function(|lua, (text, separator): (Text<'_>, Text<'_>)| {
        let (text, separator) = (text.as_bytes(), separator.as_bytes());
        let parts = lua.create_table()?;
        if separator.is_empty() {
            for byte in text {
                parts.raw_push(lua.create_string([*byte])?)?;
            }
            return Ok(parts);
        }
        let mut start = 0;
        for at in memmem::find_iter(text, separator) {
            parts.raw_push(lua.create_string(&text[start..at])?)?;
            start = at + separator.len();
        }
        parts.raw_push(lua.create_string(&text[start..])?)?;
        Ok(parts)
    })?;
    Ok((find, split))
}

/// What functions need that stand before those of Luau in which nobody asks whether a call is to
/// end: whether a function is none of Lua, and what has the state ask soon.
///
/// # Errors
/// `MemoryError`.
pub fn asking(lua: &Lua) -> mlua::Result<(Function<'_>, Function<'_>)> {
    let is_native = lua.create_function(|_, given: Value<'_>| match given {
        Value::Function(function) => Ok(function.info().what == "C"),
        _ => Ok(false),
    })?;
    let soon = lua.create_function(|_, ()| {
        points::ask_soon();
        Ok(())
    })?;
    Ok((is_native, soon))
}

/// The original's levels: 0 debug, 1 information, 2 error, 3 system.
fn log(message: &[u8], level: f64) {
    static LINES: LogRate = LogRate::of(LINES_PER_SECOND_MAX, Duration::from_secs(1));
    let Some(more) = LINES.next(Instant::now()) else { return };
    if more > 0 {
        tracing::warn!(more, "lines of Lua scripts were not logged: there were too many");
    }
    let message = shown(message, LOGGED_BYTES_MAX);
    if level < 1.0 {
        tracing::debug!(%message, "a Lua script says");
    } else if level < 2.0 {
        tracing::info!(%message, "a Lua script says");
    } else {
        tracing::error!(%message, "a Lua script says");
    }
}

fn unix_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

fn sleep(time: Duration) {
    let since = Instant::now();
    while let Some(left) = time.checked_sub(since.elapsed())
        && !left.is_zero()
        && !interrupt::is_wanted()
    {
        std::thread::sleep(left.min(interrupt::LOOK));
    }
}

/// `None` for codes that there are not, and for what cannot be decoded.
fn coded(mode: &[u8], text: &[u8]) -> Option<Vec<u8>> {
    Some(match mode {
        b"url" => {
            let mut encoded = Vec::new();
            push_percent_encoded(text, &mut encoded);
            encoded
        }
        b"~url" => percent_decoded(text),
        b"base" => to_base64(text, None),
        b"~base" => from_base64_lines(text)?,
        b"hex" => write_hex(text, false),
        b"~hex" => from_hex(text)?,
        b"xml" => {
            let mut escaped = Vec::with_capacity(text.len());
            for byte in text {
                match XML.iter().find(|(raw, _)| raw == byte) {
                    Some((_, name)) => escaped.extend_from_slice(name),
                    None => escaped.push(*byte),
                }
            }
            escaped
        }
        b"~xml" => {
            let mut plain = Vec::with_capacity(text.len());
            let mut rest = text;
            while let [first, behind @ ..] = rest {
                match XML.iter().find(|(_, name)| rest.starts_with(name)) {
                    Some((raw, name)) => {
                        plain.push(*raw);
                        rest = &rest[name.len()..];
                    }
                    None => {
                        plain.push(*first);
                        rest = behind;
                    }
                }
            }
            plain
        }
        _ => return None,
    })
}

const XML: [(u8, &[u8]); 4] =
    [(b'&', b"&amp;"), (b'<', b"&lt;"), (b'>', b"&gt;"), (b'"', b"&quot;")];

fn hash<'l>(lua: &'l Lua, (mode, text): (Text<'l>, Text<'l>)) -> mlua::Result<Value<'l>> {
    let text = text.as_bytes();
    Ok(match &mode.as_bytes().to_ascii_lowercase()[..] {
        b"md5" => Value::String(lua.create_string(write_hex(&Md5::digest(text), false))?),
        b"md5raw" => Value::String(lua.create_string(Md5::digest(text))?),
        b"crc32" => Value::Number(crc32(0, text).into()),
        _ => Value::Nil,
    })
}

/// Whether a text matches; with a replacement, in which `&` is what was found and `\1` its first
/// group, the text with all that matches replaced.
fn regex<'l>(
    lua: &'l Lua,
    (text, pattern, replacement): (Text<'l>, Text<'l>, Option<Text<'l>>),
) -> mlua::Result<Value<'l>> {
    let refused =
        |_| mlua::Error::RuntimeError("_regex: no regular expression, or too large".into());
    let mut begin = |_| match interrupt::is_wanted() {
        true => Err(rows::Error::LockTimeout.into()),
        false => Ok(()),
    };
    let pattern = condition::pattern(pattern.as_bytes(), &mut begin).map_err(refused)?;
    let text = text.as_bytes();
    let mut search = pattern.search(text);
    let ended = |end| {
        let why = match end {
            SearchEnd::Interrupted => "the call is to end",
            SearchEnd::TakesTooLong => "the pattern takes too long for this text",
        };
        mlua::Error::RuntimeError(format!("_regex: {why}"))
    };
    let Some(replacement) = replacement else {
        return Ok(Value::Boolean(search.is_match().map_err(ended)?));
    };
    let (mut made, mut copied, mut at) = (Vec::new(), 0, 0);
    let (mut groups, mut last) = (Vec::new(), None);
    while at <= text.len() {
        search.groups_at(at, &mut groups).map_err(ended)?;
        let Some(Some(whole)) = groups.first().cloned() else { break };
        // An empty match right behind another one is none.
        if whole.is_empty() && last == Some(whole.end) {
            at += 1;
            continue;
        }
        (at, last) = (whole.end, Some(whole.end));
        let group = |number: usize| match groups.get(number) {
            Some(Some(place)) => &text[place.clone()],
            _ => &b""[..],
        };
        made.extend_from_slice(&text[copied..whole.start]);
        copied = whole.end;
        let mut letters = replacement.as_bytes().iter();
        while let Some(letter) = letters.next() {
            match letter {
                b'&' => made.extend_from_slice(group(0)),
                b'\\' => match letters.next() {
                    Some(digit @ b'0'..=b'9') => {
                        made.extend_from_slice(group(usize::from(digit - b'0')));
                    }
                    Some(other) => made.push(*other),
                    None => {}
                },
                other => made.push(*other),
            }
        }
        if made.len() + (text.len() - copied) > REPLACED_BYTES_MAX {
            return Err(mlua::Error::RuntimeError("_regex: the text gets too long".into()));
        }
    }
    made.extend_from_slice(&text[copied..]);
    Ok(Value::String(lua.create_string(made)?))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use resources::interrupt::Interrupt;

    use super::*;

    /// Wants the end from the second time on that it is asked.
    #[derive(Default)]
    struct Second {
        asked: AtomicUsize,
    }

    impl Interrupt for Second {
        fn is_wanted(&self) -> bool {
            self.asked.fetch_add(1, Ordering::Relaxed) > 0
        }
    }

    #[test]
    fn millions_of_replacements_went_on_after_the_time_was_over() {
        let lua = Lua::new();
        set(&lua).unwrap();
        let interrupt = Arc::new(Second::default());
        let _working = interrupt::working(Arc::clone(&interrupt) as Arc<dyn Interrupt>);
        let replaces = "return _regex(string.rep('a', 1000), '(a)', '<\\\\1&>')";
        let ended = lua.load(replaces).eval::<String>();
        assert!(ended.is_err_and(|error| error.to_string().contains("the call is to end")));
        assert_eq!(interrupt.asked.load(Ordering::Relaxed), 2, "others would have been made");
    }

    #[test]
    fn what_matches_is_replaced_and_all_else_is_kept() {
        let lua = Lua::new();
        set(&lua).unwrap();
        for (call, expected) in [
            ("_regex('abcabd', 'b(.)', '<\\\\1&>')", "a<cbc>a<dbd>"),
            ("_regex('abc', 'x', 'y')", "abc"),
            ("_regex('abc', '', '-')", "-a-b-c-"),
            ("_regex('', 'a*', 'y')", "y"),
        ] {
            let replaced = lua.load(format!("return {call}")).eval::<String>().unwrap();
            assert_eq!(replaced, expected, "{call}");
        }
    }
}
