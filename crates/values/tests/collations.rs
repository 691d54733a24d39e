//! Collations of Unicode's weights, next to what MySQL 9.7 says of the same texts.

use values::codes::from_hex;
use values::collation::{
    collations, compare, equal, like, like_beginning, shown_weight_bytes, write_shown_weights,
};
use values::key::write_weights;
use values::types::Collation::{
    self, Utf8Mb4Bin, Utf8Mb4GeneralCi, Utf8Mb4Unicode520Ci, Utf8Mb4UnicodeCi, Utf8Mb40900AiCi,
    Utf8Mb40900AsCi, Utf8Mb40900AsCs, Utf8Mb40900Bin,
};

/// What `scripts/collation-weights` recorded of MySQL 9.7: a text, and what it weighs under each of
/// `LEVELED`, in hexadecimal digits.
const RECORDED: &str = include_str!("recorded/weights.tsv");
const LEVELED: [Collation; 5] =
    [Utf8Mb4UnicodeCi, Utf8Mb4Unicode520Ci, Utf8Mb40900AiCi, Utf8Mb40900AsCi, Utf8Mb40900AsCs];

/// The same of collations of languages: its name, a text, what that weighs.
const LANGUAGES: &str = include_str!("recorded/languages.tsv");

fn recorded_texts() -> Vec<Vec<u8>> {
    let first = |line: &str| from_hex(line.split('\t').next()?.as_bytes());
    RECORDED.lines().map(|line| first(line).unwrap()).collect()
}

#[test]
fn texts_weigh_what_they_weigh_to_mysql() {
    for line in RECORDED.lines() {
        let mut fields = line.split('\t').map(|hex| from_hex(hex.as_bytes()).unwrap());
        let text = fields.next().unwrap();
        for (collation, wanted) in LEVELED.into_iter().zip(fields) {
            let mut weights = Vec::new();
            write_shown_weights(collation, &text, &mut weights);
            assert_eq!(weights, wanted, "{:?} {collation:?}", String::from_utf8_lossy(&text));
            assert!(weights.len() <= shown_weight_bytes(collation, &text));
        }
    }
}

#[test]
fn letters_of_languages_weigh_what_they_weigh_to_mysql() {
    let mut seen = std::collections::HashSet::new();
    for line in LANGUAGES.lines() {
        let [name, text, wanted] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let collation = Collation::from_name(name).expect("a collation");
        let (text, wanted) =
            (from_hex(text.as_bytes()).unwrap(), from_hex(wanted.as_bytes()).unwrap());
        let mut weights = Vec::new();
        write_shown_weights(collation, &text, &mut weights);
        assert_eq!(weights, wanted, "{:?} {name}", String::from_utf8_lossy(&text));
        seen.insert(collation.number());
    }
    let of_languages = |collation: &Collation| {
        matches!(collation, Collation::Utf8Mb4OfLanguage(_) | Collation::Utf8Mb40900OfLanguage(..))
    };
    assert_eq!(seen.len(), collations().iter().filter(|one| of_languages(one)).count());
}

#[test]
fn texts_of_a_language_are_ordered_and_equal_as_its_speakers_have_it() {
    let of = |name| Collation::from_name(name).unwrap();
    let less = |name, a: &str, b: &str| compare(of(name), a.as_bytes(), b.as_bytes()).is_lt();
    assert!(
        less("utf8mb4_swedish_ci", "zebra", "åka") && less("utf8mb4_unicode_ci", "åka", "zebra")
    );
    assert!(less("utf8mb4_spanish_ci", "nz", "ña") && less("utf8mb4_estonian_ci", "z", "t"));
    assert!(equal(of("utf8mb4_german2_ci"), "Müller".as_bytes(), "MUELLER ".as_bytes()));
    assert!(!equal(of("utf8mb4_turkish_ci"), b"I", b"i"));
    assert!(like(of("utf8mb4_swedish_ci"), "Ärla".as_bytes(), "ä%".as_bytes(), None));
    assert!(!like(of("utf8mb4_swedish_ci"), "Ärla".as_bytes(), b"a%", None));
    assert_eq!(Collation::from_name("utf8_swedish_ci"), Collation::from_name("UTF8MB3_Swedish_CI"));
    assert_eq!(Collation::from_name("utf8mb4_ja_0900_as_cs_ks"), None);
}

#[test]
fn letters_of_several_characters_stand_where_the_language_has_them() {
    let of = |name| Collation::from_name(name).unwrap();
    let less = |name, a: &str, b: &str| compare(of(name), a.as_bytes(), b.as_bytes()).is_lt();
    for czech in ["utf8mb4_czech_ci", "utf8mb4_cs_0900_ai_ci", "utf8mb4_cs_0900_as_cs"] {
        assert!(less(czech, "hrad", "chata") && less(czech, "chata", "kolo"), "{czech}");
        assert!(less(czech, "cukr", "hrad"));
    }
    assert!(less("utf8mb4_danish_ci", "z", "aa") && less("utf8mb4_da_0900_as_cs", "A", "a"));
    assert!(
        less("utf8mb4_hu_0900_as_cs", "dz", "dzs") && less("utf8mb4_hr_0900_ai_ci", "lz", "lj")
    );
    assert!(less("utf8mb4_zh_0900_as_cs", "\u{963f}", "\u{4e00}"));
    // LIKE goes character by character, so a key may begin otherwise than a pattern.
    assert!(like(of("utf8mb4_czech_ci"), b"chata", b"c%", None));
    assert_eq!(like_beginning(of("utf8mb4_czech_ci"), "puc"), "pu");
    assert_eq!(like_beginning(of("utf8mb4_swedish_ci"), "puc"), "puc");
}

#[test]
fn keys_order_as_texts_compare_and_as_mysql_weighs_them() {
    let texts = recorded_texts();
    let key = |collation, text: &[u8]| {
        let mut key = Vec::new();
        write_weights(collation, text, &mut key);
        key
    };
    let is_leveled = |collation: &Collation| {
        let by_bytes = [Collation::Binary, Utf8Mb4Bin, Utf8Mb4GeneralCi, Utf8Mb40900Bin];
        !by_bytes.contains(collation)
    };
    for collation in collations().into_iter().filter(is_leveled) {
        for pair in texts.windows(2) {
            for (a, b) in [
                (pair[0].clone(), pair[1].clone()),
                (pair[0].clone(), [pair[0].as_slice(), b" "].concat()),
                (pair[0].clone(), [pair[0].as_slice(), b" \t"].concat()),
                ([b"a", &pair[0][..]].concat(), [b"A", &pair[1][..]].concat()),
                ([b"a ", &pair[0][..]].concat(), [b"A", &pair[1][..]].concat()),
            ] {
                let order = compare(collation, &a, &b);
                assert_eq!(key(collation, &a).cmp(&key(collation, &b)), order, "{collation:?}");
                assert_eq!(compare(collation, &b, &a), order.reverse());
                if !collation.pads() {
                    let (mut x, mut y) = (Vec::new(), Vec::new());
                    write_shown_weights(collation, &a, &mut x);
                    write_shown_weights(collation, &b, &mut y);
                    assert_eq!(x.cmp(&y), order);
                }
            }
        }
    }
}

#[test]
fn accents_case_and_spaces_count_as_names_of_collations_say() {
    let same = |collation, a: &str, b: &str| equal(collation, a.as_bytes(), b.as_bytes());
    let answers = |a, b| LEVELED.map(|collation| same(collation, a, b));
    assert_eq!(answers("a", "A"), [true, true, true, true, false]);
    assert_eq!(answers("a", "ä"), [true, true, true, false, false]);
    assert_eq!(answers("a", "a "), [true, true, false, false, false]);
    assert_eq!(answers("ß", "ss"), [true, true, true, false, false]);
    assert_eq!(answers("😀", "🎂"), [true, false, false, false, false]);
    assert!(!same(Utf8Mb40900Bin, "a", "a ") && !same(Utf8Mb40900Bin, "a", "A"));
    // LIKE goes character by character.
    let like = |text: &str, pattern: &str| {
        LEVELED.map(|collation| like(collation, text.as_bytes(), pattern.as_bytes(), Some('\\')))
    };
    assert_eq!(like("straße", "strasse"), [false; 5]);
    assert_eq!(like("Ärger", "a%R"), [true, true, true, false, false]);
    assert_eq!(like("ab", "_B"), [true, true, true, true, false]);
    assert_eq!(like("a ", "a"), [false; 5]);
}
