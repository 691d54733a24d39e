//! Searches that find what the pattern's crate finds, and end when their statement does.

use std::sync::atomic::{AtomicUsize, Ordering};

use resources::interrupt::Interrupt;

use super::*;
use crate::pattern::PatternError;

fn compiled(text: &str, folds: bool) -> CompiledPattern {
    let text = text.as_bytes().to_vec();
    let pattern =
        Pattern { text, folds, multi_line: folds, dot_is_all: false, unicode_classes: false };
    pattern.compiled(&mut |_| Ok::<_, PatternError>(())).expect("a pattern")
}

/// A search that walks, whatever the length of the text.
fn walking<'p, 't>(pattern: &'p CompiledPattern, text: &'t [u8]) -> PatternSearch<'p, 't> {
    let automata = pattern.automata().expect("automata");
    let walk = Some(Walk { automata, met: automata.lazy.create_cache() });
    PatternSearch { pattern, text, walk }
}

/// Wanted from so many looks on.
struct EndedAt(AtomicUsize);

impl Interrupt for EndedAt {
    fn is_wanted(&self) -> bool {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        left == 0
    }
}

#[test]
fn a_walk_finds_what_the_crate_finds() {
    let patterns = [
        "a",
        "b+",
        "a*",
        "(a|ab)(c|bcd)(d*)",
        "^a|b$",
        r"\bfoo\b",
        r"\w+@(\w+)\.com",
        "x*?y",
        "(a*)*b",
        r"(\d{1,3})-(\d+)?",
        "[^a]",
        "ab|a",
        "",
        r"[[:<:]]fo",
        "ä+|ö",
        ".",
        "(?s).+",
        r"\Aab",
        r"z\z",
        "(a?){4}a{4}",
        r"$",
        r"\B",
    ];
    let texts: [&[u8]; 12] = [
        b"",
        b"a",
        b"aaaa",
        b"abcd abcd",
        b"foo bar foo",
        b"me@here.com, you@there.com",
        b"xxxyxy",
        b"12-34 7- 999-1",
        b"line\nab\nzab z",
        "aä ö äää".as_bytes(),
        b"ab\xffa\xc3",
        b"AbC fOo",
    ];
    for text in texts {
        for (pattern, folds) in patterns.iter().flat_map(|one| [(*one, false), (*one, true)]) {
            let pattern = compiled(pattern, folds);
            let mut walk = walking(&pattern, text);
            let said = || format!("{:?} in {:?}", pattern.regex, String::from_utf8_lossy(text));
            assert_eq!(walk.is_match(), Ok(pattern.regex.is_match(text)), "{}", said());
            for at in 0..=text.len() {
                let found = pattern.regex.find_at(text, at).map(|found| found.range());
                assert_eq!(walk.find_at(at), Ok(found), "{} from {at}", said());
                let mut groups = Vec::new();
                let is_found = walk.groups_at(at, &mut groups).expect("groups");
                let wanted: Vec<_> =
                    pattern.regex.captures_at(text, at).map_or(Vec::new(), |all| {
                        all.iter().map(|group| group.map(|group| group.range())).collect()
                    });
                assert_eq!(is_found, !wanted.is_empty());
                assert_eq!(groups, wanted, "{} from {at}", said());
            }
        }
    }
}

#[test]
fn usual_patterns_and_texts_are_the_crates() {
    let text = b"abc ".repeat(1 << 16);
    assert!(compiled(r"^[\w.+-]+@[\w-]+\.[\w.-]+$", true).search(b"me@here.com").walk.is_none());
    assert!(compiled("abd|xyz", false).search(&text).walk.is_none());
    assert!(compiled("(a|b|ab){1,999}y", false).search(&text).walk.is_some());
}

#[test]
fn a_search_went_on_when_its_statement_was_over() {
    let pattern = compiled("(x+x+){1,200}y", false);
    let text = b"x".repeat(1 << 20);
    let looks = 100;
    let end = Arc::new(EndedAt(AtomicUsize::new(looks)));
    let _working = interrupt::working(Arc::clone(&end) as Arc<dyn Interrupt>);
    assert_eq!(pattern.search(&text).is_match(), Err(SearchEnd::Interrupted));
    assert_eq!(pattern.search(&text).find_at(0), Err(SearchEnd::Interrupted));
    assert_eq!(pattern.search(&text).groups_at(0, &mut Vec::new()), Err(SearchEnd::Interrupted));
    assert!(!pattern.is_in(&text));
    // Nothing is searched in between.
    assert_eq!(compiled("x", false).search(b"xx").find_at(0), Err(SearchEnd::Interrupted));
}

#[test]
fn what_cannot_be_ended_is_refused_where_it_takes_long() {
    // Groups of a match of the whole text.
    let pattern = compiled("((x|y){1,400})*", false);
    let text = b"x".repeat(1 << 20);
    assert_eq!(pattern.search(&text).find_at(0), Ok(Some(0..text.len())));
    let refused = pattern.search(&text).groups_at(0, &mut Vec::new());
    assert_eq!(refused, Err(SearchEnd::TakesTooLong));
    // A bound of words beside letters that are not ASCII.
    let pattern = compiled(r"(x|y){1,400}\by", false);
    let text = "xä".repeat(1 << 18);
    assert_eq!(pattern.search(text.as_bytes()).is_match(), Err(SearchEnd::TakesTooLong));
}
