//! Regular expressions that clients send, compiled: for REGEXP of SQL, and for the Tyrant door's queries
//! and scripts.
//!
//! Patterns are those of the crate `regex`, whose time to match grows with the text alone. What a pattern
//! may cost is bounded before it is looked at: nobody can be heard while it is parsed and compiled.
//!
//! Invariants
//! 1. A pattern of more than `COST_MAX` is refused without being parsed.
//! 2. Memory for compiling is asked for before each attempt, the first of which takes little.
//! 3. A pattern is compiled once as long as it is in use: the last ones are kept for all threads, in at
//!    most `KEPT_BYTES_MAX`.
//!
//! Not here: what a client is told of a pattern that is refused.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use regex::bytes::{Regex, RegexBuilder};

/// Most that a pattern may cost: a byte costs 1, a class of Unicode `CLASS_COST`.
const COST_MAX: usize = 16 << 10;
/// A class of Unicode, or a range, stands for hundreds of pieces.
const CLASS_COST: usize = 64;
/// Bytes of a compiled pattern that are tried one after the other; the last is the most it may have.
const SIZES: [usize; 5] = [8 << 10, 64 << 10, 512 << 10, 2 << 20, 8 << 20];
/// The same pattern is compiled several times over: to be searched forwards, backwards, in one pass.
const TIMES_COMPILED: usize = 3;
/// Bytes of a parsed pattern for each of its cost, about.
const PARSED_BYTES: usize = 256;
/// Fewest bytes of a compiled pattern's state.
const STATE_BYTES: usize = 24;
/// Bytes of a place in the text, where a group begins or ends.
const PLACE_BYTES: usize = 8;
/// Patterns that are kept, and what they may take together.
const KEPT: usize = 64;
const KEPT_BYTES_MAX: usize = 32 << 20;
/// Patterns up to this size each thread keeps for itself: the last one.
const LAST_BYTES_MAX: usize = 512 << 10;

/// A pattern with its options, as what it is compiled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// As the client wrote it.
    pub text: Vec<u8>,
    /// Whether upper and lower case are the same.
    pub folds: bool,
    /// Whether `^` and `$` are bounds of lines.
    pub multi_line: bool,
    /// Whether `.` is the end of a line as well.
    pub dot_is_all: bool,
}

/// A pattern that can be searched for.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// To search with.
    pub regex: Regex,
    /// Bytes of memory that it takes at most, with those of one search.
    pub bytes: usize,
}

/// Why a pattern is not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is too long, or stands for too much.
    #[error("the pattern is too long, or too complex")]
    TooBig,
    /// It is none, in the words of who reads it.
    #[error("{0}")]
    Illegal(String),
}

static KEPT_PATTERNS: Mutex<VecDeque<(Pattern, Compiled)>> = Mutex::new(VecDeque::new());

thread_local!(static LAST: RefCell<Option<(Pattern, Compiled)>> = const { RefCell::new(None) });

impl Pattern {
    /// This pattern compiled, now or earlier. Before it is compiled `begin` is asked for so many bytes of
    /// memory, and whether there is time: several times with more each time, if that turns out not to be
    /// enough. What it gives is held meanwhile.
    ///
    /// # Errors
    /// `PatternError`, and those of `begin`.
    pub fn compiled<R, E: From<PatternError>>(
        self,
        begin: &mut dyn FnMut(usize) -> Result<R, E>,
    ) -> Result<Compiled, E> {
        if let Some(compiled) = LAST.with_borrow(|last| {
            last.as_ref().filter(|(known, _)| *known == self).map(|(_, compiled)| compiled.clone())
        }) {
            return Ok(compiled);
        }
        let known = kept().iter().find(|(known, _)| *known == self).map(|(_, found)| found.clone());
        let compiled = match known {
            Some(compiled) => compiled,
            None => {
                let compiled = self.compile(begin)?;
                keep(&self, &compiled);
                compiled
            }
        };
        if compiled.bytes <= LAST_BYTES_MAX {
            LAST.set(Some((self, compiled.clone())));
        }
        Ok(compiled)
    }

    fn compile<R, E: From<PatternError>>(
        &self,
        begin: &mut dyn FnMut(usize) -> Result<R, E>,
    ) -> Result<Compiled, E> {
        let cost = self.cost();
        if cost > COST_MAX {
            return Err(PatternError::TooBig.into());
        }
        for size in SIZES {
            let _memory = begin(TIMES_COMPILED * size + PARSED_BYTES * cost)?;
            let text = String::from_utf8_lossy(&self.text);
            // The bounds of words of older servers.
            let text = text.replace("[[:<:]]", r"\b{start}").replace("[[:>:]]", r"\b{end}");
            let built = RegexBuilder::new(&text)
                .case_insensitive(self.folds)
                .multi_line(self.multi_line)
                .dot_matches_new_line(self.dot_is_all)
                .size_limit(size)
                .build();
            match built {
                Ok(regex) => {
                    // A search keeps places of all groups for each state.
                    let places = 2 * regex.captures_len() * PLACE_BYTES;
                    let bytes = (size / STATE_BYTES).saturating_mul(places).saturating_add(size);
                    if bytes > KEPT_BYTES_MAX {
                        return Err(PatternError::TooBig.into());
                    }
                    return Ok(Compiled { regex, bytes });
                }
                Err(regex::Error::CompiledTooBig(_)) => {}
                Err(error) => {
                    // The crate's message has several lines, the last of which says it.
                    let message = error.to_string();
                    let last = message.lines().last().unwrap_or_default();
                    let last = last.trim_start_matches("error: ").to_owned();
                    return Err(PatternError::Illegal(last).into());
                }
            }
        }
        Err(PatternError::TooBig.into())
    }

    /// What it costs to parse, about: seen without parsing it.
    fn cost(&self) -> usize {
        if self.text.len() > COST_MAX {
            return usize::MAX;
        }
        let mut cost = self.text.len();
        let mut rest = &self.text[..];
        let mut in_class = false;
        while let [byte, behind @ ..] = rest {
            rest = behind;
            match (byte, behind.first()) {
                (b'\\', Some(escaped)) => {
                    rest = &behind[1..];
                    if matches!(escaped, b'p' | b'P' | b'w' | b'W' | b'd' | b'D' | b's' | b'S') {
                        cost += CLASS_COST;
                    }
                }
                (b'[', _) => in_class = true,
                (b']', _) => in_class = false,
                (b'-', _) if in_class => cost += CLASS_COST,
                _ => {}
            }
        }
        cost
    }
}

fn kept() -> std::sync::MutexGuard<'static, VecDeque<(Pattern, Compiled)>> {
    // Each change of the list is one call, whole or not at all.
    KEPT_PATTERNS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a pattern in front of the others, and as many of these as there is room for.
fn keep(pattern: &Pattern, compiled: &Compiled) {
    let mut all = kept();
    all.push_front((pattern.clone(), compiled.clone()));
    let mut bytes = 0;
    let fits = all.iter().take(KEPT).take_while(|(_, each)| {
        bytes += each.bytes;
        bytes <= KEPT_BYTES_MAX
    });
    let count = fits.count();
    // What is dropped may take long to give its memory back: not while others wait.
    let gone = all.split_off(count);
    drop(all);
    drop(gone);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        let text = text.as_bytes().to_vec();
        Pattern { text, folds: true, multi_line: false, dot_is_all: false }
    }

    /// Compiles, and gives the memory that was asked for.
    fn compile(text: &str) -> (Result<Compiled, PatternError>, Vec<usize>) {
        let mut asked = Vec::new();
        let compiled = pattern(text).compiled(&mut |bytes| {
            asked.push(bytes);
            Ok::<_, PatternError>(())
        });
        (compiled, asked)
    }

    #[test]
    fn a_pattern_of_megabytes_was_parsed_for_seconds() {
        for text in [
            "a".repeat(5_000_000),
            "a".repeat(COST_MAX + 1),
            r"\pL".repeat(1000),
            r"\w".repeat(1000),
            format!("[{}]", "a-z".repeat(1000)),
            "(a|b)".repeat(5000),
        ] {
            let (compiled, asked) = compile(&text);
            assert_eq!(compiled.unwrap_err(), PatternError::TooBig, "{}", &text[..6]);
            assert!(asked.is_empty(), "it was parsed");
        }
    }

    #[test]
    fn memory_is_asked_for_before_it_is_used_little_at_first() {
        let (compiled, asked) = compile("^memory.{3}$");
        assert!(compiled.is_ok());
        assert!(asked.len() == 1 && asked[0] < 64 << 10, "{asked:?}");
        let (compiled, asked) = compile(r"memory \w{300}");
        assert!(compiled.is_ok());
        assert!(asked.len() > 1 && asked.is_sorted(), "{asked:?}");
        let (compiled, asked) = compile(r"memory ((\pL{1,99}){1,99}){1,99}");
        assert_eq!(compiled.unwrap_err(), PatternError::TooBig);
        assert_eq!(asked.len(), SIZES.len());
        // Who is refused memory, or is to end, compiles no further.
        let mut times = 0;
        let refused = pattern(r"refused \w{400}").compiled(&mut |_| {
            times += 1;
            if times == 2 { Err(PatternError::Illegal("no".into())) } else { Ok(()) }
        });
        assert_eq!((refused.unwrap_err(), times), (PatternError::Illegal("no".into()), 2));
    }

    #[test]
    fn groups_count_as_what_a_search_keeps_of_them() {
        let groups = format!("(?:{}){{40}}", "(a)".repeat(1000));
        assert_eq!(compile(&groups).0.unwrap_err(), PatternError::TooBig);
        assert!(compile(&"(g)".repeat(9)).0.is_ok());
    }

    #[test]
    fn what_is_in_use_is_compiled_once_for_all_threads() {
        let (compiled, asked) = compile("once for all");
        assert!(compiled.is_ok() && asked.len() == 1);
        assert!(compile("once for all").1.is_empty(), "the thread has it");
        let other = std::thread::spawn(|| compile("once for all").1);
        assert!(other.join().unwrap().is_empty(), "all have it");
        let other = Pattern { folds: false, ..pattern("once for all") };
        let mut asked = 0;
        other.compiled(&mut |_| Ok::<_, PatternError>(asked += 1)).unwrap();
        assert_eq!(asked, 1, "its options are others");
    }

    #[test]
    fn what_is_kept_is_bounded_in_bytes() {
        for number in 0..40 {
            let (compiled, _) = compile(&format!(r"bounded {number} \w{{60}}"));
            assert!(compiled.is_ok_and(|compiled| compiled.bytes > KEPT_BYTES_MAX / 40));
        }
        let bytes: usize = kept().iter().map(|(_, compiled)| compiled.bytes).sum();
        assert!(bytes <= KEPT_BYTES_MAX && kept().len() <= KEPT, "{bytes}");
    }
}
