//! Regular expressions that clients send, compiled: for REGEXP of SQL, and for the Tyrant door's
//! queries and scripts.
//!
//! Patterns are those of the crate `regex`, whose time to match grows with the text alone. What a
//! pattern may cost is bounded before it is looked at: nobody can be heard while it is parsed and
//! compiled.
//!
//! Invariants
//! 1. A pattern of more than `COST_MAX` bytes is refused without being looked at, and one whose
//!    classes cost more than that before they are written out.
//! 2. Memory for compiling is asked for before each attempt, the first of which takes little.
//! 3. A pattern is compiled once as long as it is in use: the last ones are kept for all threads,
//!    in at most `KEPT_BYTES_MAX`.
//!
//! Not here: how a text is searched (`search`), what a client is told of a pattern that is refused.

mod classes;
mod fault;
mod search;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ast::{self, Ast, ClassPerlKind, ClassSetItem, ClassUnicode};
use regex_syntax::hir::{Class, HirKind};

use classes::with_unicode_classes;
pub use fault::PatternFault;
use search::WalkedAutomata;
pub use search::{PatternSearch, SearchEnd};

/// Most that a pattern may cost: a byte costs 1, so many letters of a class that has to be folded 1
/// more.
const COST_MAX: usize = 16 << 10;
const LETTERS_PER_COST: usize = 512;
/// Letters of `\w`, `\d` and `\s`, about.
const WORD_LETTERS: usize = 140_000;
const DIGIT_LETTERS: usize = 770;
/// Letters that there are.
const ALL_LETTERS: usize = 0x11_0000;
/// Bytes of a compiled pattern that are tried one after the other; the last is the most it may
/// have.
const SIZES: [usize; 4] = [8 << 10, 64 << 10, 512 << 10, 6 << 20];
/// The same pattern is compiled several times over: to be searched forwards, backwards, in one
/// pass.
const TIMES_COMPILED: usize = 3;
/// And to be walked where a search may take long: forwards, backwards, for its groups.
const TIMES_WALKED: usize = 3;
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
    /// Whether `[:alpha:]` and its like are of all of Unicode, not of ASCII.
    pub unicode_classes: bool,
}

/// A pattern that can be searched for.
#[derive(Clone, Debug)]
pub struct CompiledPattern {
    regex: Regex,
    /// Bytes of memory that it takes at most, with those of one search.
    pub bytes: usize,
    pattern: Pattern,
    states_max: usize,
    walked: WalkedAutomata,
}

/// Why a pattern is not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is too long, or stands for too much.
    #[error("the pattern is too long, or too complex")]
    TooBig,
    /// It is none: what is wrong with it, and in the words of who reads it.
    #[error("{1}")]
    Illegal(PatternFault, String),
}

static KEPT_PATTERNS: Mutex<VecDeque<(Pattern, CompiledPattern)>> = Mutex::new(VecDeque::new());

thread_local!(static LAST: RefCell<Option<(Pattern, CompiledPattern)>> = const { RefCell::new(None) });

impl Pattern {
    /// This pattern compiled, now or earlier. Before it is compiled `begin` is asked for so many
    /// bytes of memory, and whether there is time: several times with more each time, if that turns
    /// out not to be enough. What it gives is held meanwhile.
    ///
    /// # Errors
    /// `PatternError`, and those of `begin`.
    pub fn compiled<R, E: From<PatternError>>(
        self,
        begin: &mut dyn FnMut(usize) -> Result<R, E>,
    ) -> Result<CompiledPattern, E> {
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

    /// As the crate writes it.
    fn source(&self) -> String {
        let text = match self.unicode_classes {
            true => with_unicode_classes(&self.text),
            false => Cow::Borrowed(self.text.as_slice()),
        };
        let text = String::from_utf8_lossy(&text);
        // The bounds of words of older servers.
        text.replace("[[:<:]]", r"\b{start}").replace("[[:>:]]", r"\b{end}")
    }

    fn compile<R, E: From<PatternError>>(
        &self,
        begin: &mut dyn FnMut(usize) -> Result<R, E>,
    ) -> Result<CompiledPattern, E> {
        if self.text.len() > COST_MAX {
            return Err(PatternError::TooBig.into());
        }
        let text = self.source();
        let cost = cost(&text).ok_or(PatternError::TooBig)?;
        for size in SIZES {
            let _memory = begin(TIMES_COMPILED * size + PARSED_BYTES * cost)?;
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
                    return Ok(CompiledPattern {
                        regex,
                        bytes: bytes + TIMES_WALKED * size,
                        pattern: self.clone(),
                        states_max: size / STATE_BYTES,
                        walked: WalkedAutomata::default(),
                    });
                }
                Err(regex::Error::CompiledTooBig(_)) => {}
                Err(error) => {
                    // The crate's message has several lines, the last of which says it.
                    let message = error.to_string();
                    let last = message.lines().last().unwrap_or_default();
                    let last = last.trim_start_matches("error: ").to_owned();
                    return Err(PatternError::Illegal(PatternFault::of(&text), last).into());
                }
            }
        }
        Err(PatternError::TooBig.into())
    }
}

/// What a pattern costs to be written out, about; `None` if that is too much. One that makes no
/// sense costs no more than its bytes: that is found out soon.
fn cost(text: &str) -> Option<usize> {
    let Ok(ast) = ast::parse::Parser::new().parse(text) else { return Some(text.len()) };
    ast::visit(&ast, Cost { text, cost: text.len() }).ok()
}

/// Adds up what a pattern costs.
struct Cost<'t> {
    text: &'t str,
    cost: usize,
}

/// It costs too much.
struct TooMuch;

impl Cost<'_> {
    fn add(&mut self, letters: usize) -> Result<(), TooMuch> {
        self.cost += letters / LETTERS_PER_COST;
        if self.cost > COST_MAX { Err(TooMuch) } else { Ok(()) }
    }

    fn add_perl(&mut self, kind: &ClassPerlKind) -> Result<(), TooMuch> {
        self.add(match kind {
            ClassPerlKind::Word => WORD_LETTERS,
            ClassPerlKind::Digit | ClassPerlKind::Space => DIGIT_LETTERS,
        })
    }

    fn add_unicode(&mut self, class: &ClassUnicode) -> Result<(), TooMuch> {
        let written = &self.text[class.span.start.offset..class.span.end.offset];
        // What its name stands for is a table that is copied.
        let letters = match regex_syntax::parse(written).map(regex_syntax::hir::Hir::into_kind) {
            Ok(HirKind::Class(Class::Unicode(class))) => {
                class.iter().map(|range| range.end() as usize - range.start() as usize + 1).sum()
            }
            _ => 1,
        };
        // It is folded first, and negated then.
        self.add(if class.is_negated() { ALL_LETTERS.saturating_sub(letters) } else { letters })
    }
}

impl ast::Visitor for Cost<'_> {
    type Output = usize;
    type Err = TooMuch;

    fn finish(self) -> Result<usize, TooMuch> {
        Ok(self.cost)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), TooMuch> {
        match ast {
            Ast::ClassPerl(class) => self.add_perl(&class.kind),
            Ast::ClassUnicode(class) => self.add_unicode(class),
            _ => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), TooMuch> {
        match item {
            ClassSetItem::Range(range) => {
                self.add((range.end.c as usize).saturating_sub(range.start.c as usize))
            }
            ClassSetItem::Perl(class) => self.add_perl(&class.kind),
            ClassSetItem::Unicode(class) => self.add_unicode(class),
            _ => Ok(()),
        }
    }
}

fn kept() -> std::sync::MutexGuard<'static, VecDeque<(Pattern, CompiledPattern)>> {
    // Each change of the list is one call, whole or not at all.
    KEPT_PATTERNS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a pattern in front of the others, and as many of these as there is room for.
fn keep(pattern: &Pattern, compiled: &CompiledPattern) {
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
        Pattern { text, folds: true, multi_line: false, dot_is_all: false, unicode_classes: false }
    }

    /// Compiles, and gives the memory that was asked for.
    fn compile(text: &str) -> (Result<CompiledPattern, PatternError>, Vec<usize>) {
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
            r"[\w.]".repeat(1000),
            r"\p{Any}".repeat(50),
            r"\P{Greek}\pL".repeat(100),
            r"[a-\x{10FFFF}]".repeat(20),
            r"(?x)[]a - \x{10FFFF}]".repeat(20),
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
        let (compiled, asked) = compile(r"memory \w{100}");
        assert!(compiled.is_ok());
        assert!(asked.len() > 1 && asked.is_sorted(), "{asked:?}");
        let (compiled, asked) = compile(r"memory ((\pL{1,99}){1,99}){1,99}");
        assert_eq!(compiled.unwrap_err(), PatternError::TooBig);
        assert_eq!(asked.len(), SIZES.len());
        // Where memory is refused, or the statement is to end, no further attempt is made.
        let mut times = 0;
        let refused = pattern(r"refused \w{400}").compiled(&mut |_| {
            times += 1;
            if times == 2 {
                Err(PatternError::Illegal(PatternFault::Parenthesis, "no".into()))
            } else {
                Ok(())
            }
        });
        assert_eq!(
            (refused.unwrap_err(), times),
            (PatternError::Illegal(PatternFault::Parenthesis, "no".into()), 2)
        );
    }

    #[test]
    fn what_is_usual_costs_little() {
        for text in [
            r"^[\w.+-]+@[\w-]+\.[\w.-]+$".to_owned(),
            r"\p{L}+\s\p{N}{4}\b".to_owned(),
            "[一-龥]+".to_owned(),
            r"(\d{1,3}\.){3}\d{1,3} - - \[([^\]]+)\]".to_owned(),
            format!("^({})$", "0123-4567|".repeat(1500)),
        ] {
            assert!(compile(&text).0.is_ok(), "{text}");
        }
        assert_eq!(
            compile("a(b").0.unwrap_err(),
            PatternError::Illegal(PatternFault::Parenthesis, "unclosed group".into())
        );
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
        let mut note = |_| {
            asked += 1;
            Ok::<_, PatternError>(())
        };
        other.compiled(&mut note).unwrap();
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
