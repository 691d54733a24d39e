//! Searching a text for a compiled pattern so that the search can be ended.
//!
//! The crate `regex` asks nobody while it searches. That takes no time for usual patterns and
//! texts, but a pattern with many states takes up to all of them for each byte: minutes for some
//! megabytes. Where a search may take that long, the same automata are walked here byte by byte:
//! one forwards to the end of a match, one backwards to its beginning.
//!
//! Invariants
//! 1. Both ways find the same matches.
//! 2. A search of any length asks whether its statement is to end, every `BYTES_UNASKED` bytes.
//! 3. What cannot be walked so (the places of groups, and `\b` beside letters that are not ASCII)
//!    is done as far as `STEPS_MAX` allows, and refused beyond, as MySQL refuses what takes longer
//!    than its `regexp_time_limit`.
//!
//! Not here: how patterns are compiled (`pattern`).

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex::bytes::Captures;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::DFA;
use regex_automata::hybrid::regex::{Cache, Regex as LazyAutomata};
use regex_automata::nfa::thompson;
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchError};
use resources::interrupt;

use super::{CompiledPattern, Pattern};

/// Steps, a state at a byte each, that a search may take without being asked: a fraction of a
/// second.
const STEPS_UNASKED: usize = 1 << 26;
/// Steps after which what cannot be asked is refused: seconds.
const STEPS_MAX: usize = 1 << 29;
/// Bytes between two looks whether the statement is to end. A byte can make a state of up to all
/// states of the pattern.
const BYTES_UNASKED: usize = 256;

/// Bytes of what a walk has met, and of each state of the pattern in it, where these are many.
const MET_BYTES: usize = 2 << 20;
const MET_BYTES_PER_STATE: usize = 64;

/// Why a search has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchEnd {
    /// The statement is to end: whoever ended it knows why.
    #[error("the search was interrupted")]
    Interrupted,
    /// The pattern needs too many steps for this text.
    #[error("the pattern takes too long for this text")]
    TakesTooLong,
}

/// The automata that are walked here, made when a search needs them first.
pub(super) type WalkedAutomata = Arc<OnceLock<Option<Automata>>>;

/// Those of one pattern.
#[derive(Debug)]
pub(super) struct Automata {
    lazy: LazyAutomata,
    /// What finds the groups of a match, made when they are asked for first.
    of_groups: OnceLock<Option<PikeVM>>,
}

/// A search of one text, from match to match.
pub struct PatternSearch<'p, 't> {
    pattern: &'p CompiledPattern,
    text: &'t [u8],
    walk: Option<Walk<'p>>,
}

/// The automata of a pattern, and the states that were met so far.
struct Walk<'p> {
    automata: &'p Automata,
    met: Cache,
}

impl CompiledPattern {
    /// States that a search may be in at each byte, about, where they are many more than the
    /// pattern has letters; 0 where not.
    pub fn repeated_states(&self) -> usize {
        if self.states_max > super::SIZES[0] / super::STATE_BYTES { self.states_max } else { 0 }
    }

    /// Searches a text.
    pub fn search<'p, 't>(&'p self, text: &'t [u8]) -> PatternSearch<'p, 't> {
        let may_take_long = |states: usize| text.len().saturating_mul(states) > STEPS_UNASKED;
        let walk = may_take_long(self.states_max)
            .then(|| self.automata())
            .flatten()
            .filter(|automata| may_take_long(states(automata)))
            .map(|automata| Walk { automata, met: automata.lazy.create_cache() });
        PatternSearch { pattern: self, text, walk }
    }

    /// Whether it is anywhere in a text. Of a text whose search was ended it is not: nobody looks
    /// at the answer of a request that is to end.
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.search(text).is_match().unwrap_or(false)
    }

    fn automata(&self) -> Option<&Automata> {
        self.walked.get_or_init(|| walked(&self.pattern)).as_ref()
    }
}

/// The automata of a pattern that the crate `regex` has compiled; `None` if these take more than
/// that did.
fn walked(pattern: &Pattern) -> Option<Automata> {
    let lazy = DFA::config()
        .unicode_word_boundary(true)
        // As many states are kept as there is room for, and all are forgotten then.
        .skip_cache_capacity_check(true)
        .minimum_cache_clear_count(None);
    let lazy = LazyAutomata::builder()
        .syntax(syntax_of(pattern))
        .thompson(states_of_bytes())
        .dfa(lazy)
        .build(&pattern.source());
    Some(Automata { lazy: lazy.ok()?, of_groups: OnceLock::new() })
}

fn syntax_of(pattern: &Pattern) -> syntax::Config {
    syntax::Config::new()
        .utf8(false)
        .case_insensitive(pattern.folds)
        .multi_line(pattern.multi_line)
        .dot_matches_new_line(pattern.dot_is_all)
}

fn states_of_bytes() -> thompson::Config {
    let bytes_max = super::SIZES[super::SIZES.len() - 1];
    thompson::Config::new().utf8(false).nfa_size_limit(Some(bytes_max))
}

fn states(automata: &Automata) -> usize {
    automata.lazy.forward().get_nfa().states().len()
}

impl PatternSearch<'_, '_> {
    /// Whether there is a match anywhere.
    ///
    /// # Errors
    /// See `SearchEnd`.
    pub fn is_match(&mut self) -> Result<bool, SearchEnd> {
        match self.end_of_match(0, true) {
            Ok(end) => Ok(end.is_some()),
            Err(Refusal::End(end)) => Err(end),
            Err(Refusal::CannotWalk) => {
                self.bounded(self.text.len())?;
                Ok(self.pattern.regex.is_match(self.text))
            }
        }
    }

    /// The next match from a place on.
    ///
    /// # Errors
    /// See `SearchEnd`.
    pub fn find_at(&mut self, at: usize) -> Result<Option<Range<usize>>, SearchEnd> {
        let found = match &self.walk {
            None => Err(Refusal::CannotWalk),
            Some(_) => self
                .end_of_match(at, false)
                .and_then(|end| end.map(|end| Ok(self.begin_of_match(at, end)?..end)).transpose()),
        };
        match found {
            Ok(found) => Ok(found),
            Err(Refusal::End(end)) => Err(end),
            Err(Refusal::CannotWalk) => {
                if interrupt::is_wanted() {
                    return Err(SearchEnd::Interrupted);
                }
                self.bounded(self.text.len() - at)?;
                Ok(self.pattern.regex.find_at(self.text, at).map(|found| found.range()))
            }
        }
    }

    /// The next match from a place on with its groups: the places of the whole, then of each.
    ///
    /// # Errors
    /// See `SearchEnd`.
    pub fn groups_at(
        &mut self,
        at: usize,
        groups: &mut Vec<Option<Range<usize>>>,
    ) -> Result<bool, SearchEnd> {
        groups.clear();
        if self.walk.is_none() {
            if interrupt::is_wanted() {
                return Err(SearchEnd::Interrupted);
            }
            let Some(found) = self.pattern.regex.captures_at(self.text, at) else {
                return Ok(false);
            };
            let place = |group| Captures::get(&found, group).map(|place| place.range());
            groups.extend((0..found.len()).map(place));
            return Ok(true);
        }
        let Some(whole) = self.find_at(at)? else { return Ok(false) };
        self.bounded(whole.len())?;
        let Some(walk) = &self.walk else { return Ok(false) };
        let machine = walk.automata.of_groups.get_or_init(|| {
            let pattern = &self.pattern.pattern;
            let mut builder = PikeVM::builder();
            builder.syntax(syntax_of(pattern)).thompson(states_of_bytes());
            builder.build(&pattern.source()).ok()
        });
        let Some(machine) = machine else { return Err(SearchEnd::TakesTooLong) };
        let input = Input::new(self.text).span(whole).anchored(Anchored::Yes);
        let mut found = machine.create_captures();
        machine.captures(&mut machine.create_cache(), input, &mut found);
        groups.extend((0..found.group_len()).map(|group| found.get_group(group).map(Range::from)));
        Ok(found.is_match())
    }

    /// Bytes of memory that it takes beside its pattern and its text.
    pub fn bytes(&self) -> usize {
        let bytes = |walk: &Walk<'_>| 2 * (MET_BYTES + MET_BYTES_PER_STATE * states(walk.automata));
        self.walk.as_ref().map_or(0, bytes)
    }

    /// Ends what cannot be asked and would take too long.
    fn bounded(&self, bytes: usize) -> Result<(), SearchEnd> {
        let states = self.walk.as_ref().map_or(0, |walk| states(walk.automata));
        match bytes.saturating_mul(states) > STEPS_MAX {
            true => Err(SearchEnd::TakesTooLong),
            false => Ok(()),
        }
    }

    /// Where the next match from a place on ends, or the first place where one may.
    fn end_of_match(&mut self, at: usize, is_first: bool) -> Result<Option<usize>, Refusal> {
        let Some(Walk { automata, met }) = &mut self.walk else {
            return Err(Refusal::CannotWalk);
        };
        let (automaton, met, text) = (automata.lazy.forward(), met.forward_mut(), self.text);
        let input = Input::new(text).span(at..text.len());
        let mut state = automaton.start_state_forward(met, &input)?;
        let mut end = None;
        for (place, byte) in text.iter().enumerate().skip(at) {
            asked(place)?;
            state = automaton.next_state(met, state, *byte).map_err(|_| Refusal::CannotWalk)?;
            if let Some(goes_on) = tagged(state)? {
                if !goes_on {
                    return Ok(end);
                }
                end = Some(place);
                if is_first {
                    return Ok(end);
                }
            }
        }
        state = automaton.next_eoi_state(met, state).map_err(|_| Refusal::CannotWalk)?;
        Ok(if state.is_match() { Some(text.len()) } else { end })
    }

    /// Where the match begins that ends at a place, not before another one.
    fn begin_of_match(&mut self, from: usize, end: usize) -> Result<usize, Refusal> {
        let Some(Walk { automata, met }) = &mut self.walk else {
            return Err(Refusal::CannotWalk);
        };
        let (automaton, met, text) = (automata.lazy.reverse(), met.reverse_mut(), self.text);
        let input = Input::new(text).span(from..end).anchored(Anchored::Yes);
        let mut state = automaton.start_state_reverse(met, &input)?;
        let mut begin = end;
        for place in (from..end).rev() {
            asked(place)?;
            let byte = text[place];
            state = automaton.next_state(met, state, byte).map_err(|_| Refusal::CannotWalk)?;
            if let Some(goes_on) = tagged(state)? {
                if !goes_on {
                    return Ok(begin);
                }
                begin = place + 1;
            }
        }
        state = match from.checked_sub(1) {
            None => automaton.next_eoi_state(met, state),
            Some(before) => automaton.next_state(met, state, text[before]),
        }
        .map_err(|_| Refusal::CannotWalk)?;
        if state.is_quit() {
            return Err(Refusal::CannotWalk);
        }
        Ok(if state.is_match() { from } else { begin })
    }
}

/// Why a walk has no answer.
enum Refusal {
    End(SearchEnd),
    /// These automata do not read such a text.
    CannotWalk,
}

impl From<MatchError> for Refusal {
    fn from(_: MatchError) -> Refusal {
        Refusal::CannotWalk
    }
}

/// Asks from time to time whether the search is to go on.
fn asked(place: usize) -> Result<(), Refusal> {
    match place.is_multiple_of(BYTES_UNASKED) && interrupt::is_wanted() {
        true => Err(Refusal::End(SearchEnd::Interrupted)),
        false => Ok(()),
    }
}

/// Whether the walk is at a match, which is that of the bytes before the last one; `Some(false)`
/// where no further one can come.
#[inline]
fn tagged(state: LazyStateID) -> Result<Option<bool>, Refusal> {
    if !state.is_tagged() {
        return Ok(None);
    }
    if state.is_quit() {
        return Err(Refusal::CannotWalk);
    }
    match (state.is_match(), state.is_dead()) {
        (true, _) => Ok(Some(true)),
        (false, true) => Ok(Some(false)),
        (false, false) => Ok(None),
    }
}

#[cfg(test)]
mod tests;
