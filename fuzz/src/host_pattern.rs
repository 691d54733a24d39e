//! Patterns of hosts: any pattern is for a client or not, as a plain reading of it has it, and
//! every two patterns have an order.

use access::host::{Peer, is_for, is_like, rank};

/// Longest texts that are compared with the plain reading, which takes exponential time.
const PLAIN_BYTES_MAX: usize = 12;

/// The input is a pattern, a line's end, and a host.
pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (pattern, host) = text.split_once('\n').unwrap_or((text, "localhost"));
    let peer = Peer::from(host);
    let found = is_for(pattern, &peer);
    if pattern.is_empty() || pattern == "%" {
        assert!(found, "any host is meant");
    }
    if host.eq_ignore_ascii_case("localhost") {
        assert!(is_for("localhost", &peer));
    }
    assert!(rank(pattern) <= rank(""), "nothing comes behind the empty pattern");
    assert!(rank("127.0.0.1") <= rank(pattern), "nothing comes before one host");
    let is_plain = !pattern.contains(['%', '_', '\\', '/']);
    if is_plain && pattern.eq_ignore_ascii_case(host) {
        assert!(found, "a host is its own pattern");
    }
    if pattern.len() <= PLAIN_BYTES_MAX && host.len() <= PLAIN_BYTES_MAX {
        let (symbols, text) = (symbols(pattern), host.chars().collect::<Vec<_>>());
        assert_eq!(is_like(pattern, host), matches(&symbols, &text), "{pattern:?}, {host:?}");
    }
}

/// A symbol of a pattern.
enum Symbol {
    Any,
    One,
    Itself(char),
}

fn symbols(pattern: &str) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    let mut rest = pattern.chars();
    while let Some(symbol) = rest.next() {
        symbols.push(match symbol {
            '%' => Symbol::Any,
            '_' => Symbol::One,
            '\\' => Symbol::Itself(rest.next().unwrap_or('\\')),
            other => Symbol::Itself(other),
        });
    }
    symbols
}

fn matches(pattern: &[Symbol], text: &[char]) -> bool {
    match (pattern, text) {
        ([], text) => text.is_empty(),
        ([Symbol::Any, rest @ ..], text) => {
            (0..=text.len()).any(|skipped| matches(rest, &text[skipped..]))
        }
        ([Symbol::One, rest @ ..], [_, behind @ ..]) => matches(rest, behind),
        ([Symbol::Itself(wanted), rest @ ..], [found, behind @ ..]) => {
            wanted == found && matches(rest, behind)
        }
        (_, []) => false,
    }
}
