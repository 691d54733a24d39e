//! Tests of `collation`: what the module's documentation promises, by example.

use crate::key::write_weights;
use std::cmp::Ordering;

use proptest::prelude::*;

use super::like::like_by_characters;
use super::weights::weight;
use super::*;
use crate::types::Collation::{self, Binary, Utf8Mb4Bin, Utf8Mb4GeneralCi, Utf8Mb40900AiCi};

fn order(collation: Collation, a: &str, b: &str) -> Ordering {
    compare(collation, a.as_bytes(), b.as_bytes())
}

#[test]
fn weights_of_all_characters_are_those_that_were_measured() {
    // The sum over "code point, tab, weight in hex, newline" of every character up to U+FFFF, as
    // `tests/values/record_weights.sh` prints it for a MariaDB server.
    let mut listing = String::new();
    for character in (0..=0xFFFFu32).filter(|c| !(0xD800..0xE000).contains(c)) {
        listing.push_str(&format!("{character}\t{:04X}\n", weight(character)));
    }
    assert_eq!(xxhash_rust::xxh3::xxh3_64(listing.as_bytes()), HASH);
}

const HASH: u64 = 0xc87693d4af637485;

#[test]
fn case_accents_and_trailing_spaces_do_not_count() {
    assert_eq!(order(Utf8Mb4GeneralCi, "Ärger ", "arger"), Ordering::Equal);
    assert_eq!(order(Utf8Mb4GeneralCi, "ß", "s"), Ordering::Equal);
    assert_eq!(order(Utf8Mb4GeneralCi, "😀", "😁"), Ordering::Equal);
    assert_eq!(order(Utf8Mb4GeneralCi, "a", "B"), Ordering::Less);
    assert_eq!(order(Utf8Mb4GeneralCi, "a\t", "a"), Ordering::Less);
    assert_eq!(order(Utf8Mb4GeneralCi, "a  b", "a"), Ordering::Greater);
}

#[test]
fn binary_text_compares_code_points_and_pads() {
    assert_eq!(order(Utf8Mb4Bin, "a", "A"), Ordering::Greater);
    assert_eq!(order(Utf8Mb4Bin, "a ", "a"), Ordering::Equal);
    assert_eq!(order(Utf8Mb4Bin, "a\t", "a "), Ordering::Less);
    assert_eq!(order(Utf8Mb4Bin, "\u{FFFF}", "😀"), Ordering::Less);
    assert_eq!(order(Binary, "a ", "a"), Ordering::Greater);
}

#[test]
fn bytes_for_sorting_agree_with_comparison() {
    let texts = ["", " ", "a", "A ", "a\t", "a b", "a  b", "ä", "b", "😀", "\u{1}", "a\u{1}", "z"];
    for collation in [Binary, Utf8Mb4Bin, Utf8Mb4GeneralCi] {
        for (a, b) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
            let (mut x, mut y) = (Vec::new(), Vec::new());
            write_weights(collation, a.as_bytes(), &mut x);
            write_weights(collation, b.as_bytes(), &mut y);
            assert_eq!(x.cmp(&y), order(collation, a, b), "{collation:?} {a:?} {b:?}");
        }
    }
}

#[test]
fn like_matches_percent_underscore_and_escapes() {
    let ci = |text: &str, pattern: &str| {
        like(Utf8Mb4GeneralCi, text.as_bytes(), pattern.as_bytes(), Some('\\'))
    };
    assert!(ci("Straße", "stra_e"));
    assert!(ci("David", "%D%v%"));
    assert!(ci("", "%"));
    assert!(!ci("", "_"));
    assert!(ci("a%b", "a\\%b"));
    assert!(!ci("axb", "a\\%b"));
    assert!(!ci("a ", "a"));
    assert!(ci("aaab", "%ab"));
    assert!(!ci("aaa", "%ab"));
    assert!(ci("abcabcd", "%abcd"));
    assert!(ci("ä", "_"));
    assert!(!like(Binary, "ä".as_bytes(), b"_", None));
    assert!(!like(Utf8Mb4Bin, b"A", b"a", None));
    assert!(ci("\\", "\\"));
}

/// By the definition, without regard to how long it takes.
fn matches(collation: Collation, text: &[char], pattern: &[char]) -> bool {
    match (text, pattern) {
        ([], []) => true,
        (_, ['%', rest @ ..]) => {
            (0..=text.len()).any(|from| matches(collation, &text[from..], rest))
        }
        ([_, text @ ..], ['_', rest @ ..]) => matches(collation, text, rest),
        ([a, text @ ..], [b, rest @ ..]) => {
            let same = match collation {
                Utf8Mb4GeneralCi => weight(u32::from(*a)) == weight(u32::from(*b)),
                _ => a == b,
            };
            same && matches(collation, text, rest)
        }
        _ => false,
    }
}

#[test]
fn like_passes_over_nothing_that_matches() {
    let characters = ['a', 'B', 'b', 'é', 'É', 'e', ' ', '日'];
    let wanted = ['a', 'b', 'E', 'é', '%', '_', '日'];
    let text_of = |mut number: usize, of: &[char]| {
        let mut text = Vec::new();
        while number > 0 {
            text.push(of[number % of.len()]);
            number /= of.len();
        }
        text
    };
    for number in 0..400 {
        // Neither is in the order of the other, so that few of the many pairs are alike.
        let text = text_of(number * 7919 % 32_768, &characters);
        for pattern in (0..2_000).map(|n| text_of(n * 31 % 16_807, &wanted)) {
            let (whole, like_pattern): (String, String) =
                (text.iter().collect(), pattern.iter().collect());
            for collation in [Utf8Mb4GeneralCi, Utf8Mb4Bin] {
                assert_eq!(
                    like(collation, whole.as_bytes(), like_pattern.as_bytes(), None),
                    matches(collation, &text, &pattern),
                    "'{whole}' LIKE '{like_pattern}' {collation:?}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn pieces_are_found_where_characters_are(
        text in "[a-cA-C é%_]{0,120}",
        pieces in prop::collection::vec("[a-cA-C é_]{0,4}", 1..4),
        from in 0usize..100,
        length in 0usize..70,
    ) {
        // What is in the text, at the ends or between, and what may not be.
        let part: String = text.chars().skip(from).take(length).collect();
        let joined = pieces.join("%");
        let patterns = [
            joined.clone(),
            format!("%{part}%"),
            format!("{part}%"),
            format!("%{part}"),
            format!("%{}%{joined}", part.to_ascii_uppercase()),
            part,
        ];
        for pattern in patterns {
            for (collation, escape) in [
                (Utf8Mb4GeneralCi, Some('\\')),
                (Utf8Mb4GeneralCi, Some('é')),
                (Utf8Mb4GeneralCi, Some('%')),
                (Utf8Mb4Bin, Some('b')),
                (Utf8Mb4Bin, None),
                (Binary, None),
            ] {
                let (text, pattern) = (text.as_bytes(), pattern.as_bytes());
                prop_assert_eq!(
                    like(collation, text, pattern, escape),
                    like_by_characters(collation, text, pattern, escape)
                );
            }
        }
    }
}

#[test]
fn clients_names_of_collations_are_known() {
    assert_eq!(Collation::from_name("UTF8MB4_0900_ai_ci"), Some(Utf8Mb40900AiCi));
    assert_eq!(Collation::from_name("utf8_bin").map(Collation::name), Some("utf8mb3_bin"));
    assert_eq!(Collation::from_name("klingon"), None);
    for collation in collations() {
        assert_eq!(Collation::from_name(collation.name()), Some(collation));
    }
}
