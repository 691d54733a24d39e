//! Collations of other character sets than utf8mb4, next to what MySQL 9.7 says of the same texts.

use std::collections::HashSet;

use values::codes::from_hex;
use values::collation::{
    collations, compare, equal, like, shown_weight_bytes, write_shown_weights,
};
use values::key::write_weights;
use values::types::Collation;
use values::{CharacterSet, NumberedCollation};

/// What `scripts/collation-weights charsets` recorded of MySQL 9.7: a collation, two texts, how
/// they compare, and what the first one weighs.
const RECORDED: &str = include_str!("recorded/charsets.tsv");

fn of(name: &str) -> Collation {
    Collation::from_name(name).unwrap_or_else(|| panic!("no {name}"))
}

fn key(collation: Collation, text: &[u8]) -> Vec<u8> {
    let mut key = Vec::new();
    write_weights(collation, text, &mut key);
    key
}

#[test]
fn texts_compare_and_weigh_as_they_do_to_mysql() {
    let (mut seen, mut wrong) = (HashSet::new(), Vec::new());
    for line in RECORDED.lines() {
        let [name, a, b, order, weights] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let collation = of(name);
        seen.insert(collation.number());
        let [a, b, weights] = [a, b, weights].map(|hex| from_hex(hex.as_bytes()).unwrap());
        let found = compare(collation, &a, &b);
        let by_keys = key(collation, &a).cmp(&key(collation, &b));
        let mut shown = Vec::new();
        write_shown_weights(collation, &a, &mut shown);
        assert!(shown.len() <= shown_weight_bytes(collation, &a), "{name}");
        // By strokes, where a comparison is by bytes.
        let is_shown = shown == weights
            || name == "big5_chinese_ci"
            // Weights of Thai end at a zero byte there.
            || name == "tis620_thai_ci" && a.contains(&0);
        if (found as i8).to_string() != order || by_keys != found || !is_shown {
            wrong.push(format!("{line} {found:?} {by_keys:?} {shown:02X?}"));
        }
        let padded = [a.as_slice(), b"  "].concat();
        let (same, same_key) = (equal(collation, &a, &padded), key(collation, &padded));
        if compare(collation, &b, &a) != found.reverse()
            || same != collation.pads()
            || (key(collation, &a) == same_key) != collation.pads()
        {
            wrong.push(format!("{line} padded"));
        }
    }
    let count = wrong.len();
    wrong.dedup_by(|a, b| a.split('\t').next() == b.split('\t').next());
    assert_eq!(count, 0, "the first of each collation: {wrong:#?}");
    let of_other_sets =
        collations().into_iter().filter(|one| matches!(one, Collation::Numbered(_)));
    assert_eq!(seen.len(), of_other_sets.count());
}

#[test]
fn every_collation_leads_to_itself_by_name_and_number() {
    for collation in collations() {
        assert_eq!(Collation::from_name(collation.name()), Some(collation));
        assert_eq!(Collation::of_number(collation.number()), Some(collation));
        assert_eq!(collation.bin_of_set().set(), collation.set());
    }
    assert_eq!(collations().len(), 285);
    for (set, _) in CharacterSet::described() {
        assert_eq!(Collation::default_of(set).set(), set);
    }
    assert_eq!(CharacterSet::described().count(), 41);
    assert_eq!(Collation::from_name("utf8mb3_sv_0900_ai_ci"), None);
    assert_eq!(Collation::from_name("latin1_klingon_ci"), None);
    assert_eq!(of("utf8_general_ci").name(), "utf8mb3_general_ci");
    assert_eq!(NumberedCollation::of_number(45), None);
    assert!(NumberedCollation::try_from(9999).is_err());
}

#[test]
fn swedish_is_not_general() {
    let same = |name, a: &str, b: &str| equal(of(name), a.as_bytes(), b.as_bytes());
    assert!(same("latin1_swedish_ci", "ü", "Y") && !same("latin1_swedish_ci", "ü", "u"));
    assert!(same("latin1_german1_ci", "ü", "U") && !same("latin1_german1_ci", "ü", "y"));
    assert!(same("latin1_german2_ci", "ü", "UE") && !same("latin1_general_cs", "a", "A"));
    assert!(same("utf8mb3_general_ci", "ü", "U") && !same("utf8mb3_general_mysql500_ci", "ß", "s"));
    let like = |name, text: &str, pattern: &str| {
        like(of(name), text.as_bytes(), pattern.as_bytes(), Some('\\'))
    };
    assert!(like("latin1_swedish_ci", "Fünf", "FY%") && !like("latin1_swedish_ci", "Fünf", "fu%"));
    assert!(!like("latin2_czech_cs", "a", "A") && like("latin2_czech_cs", "chata", "c%"));
    assert!(like("tis620_thai_ci", "a", "A") && like("utf16_unicode_ci", "Straße", "STRA_e"));
}
