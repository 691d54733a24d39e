//! Variables whose values are a few words, each of which has a number, too.
//!
//! Not here: what the words do (`variables`).

/// The words of each, in the order of their numbers, which begin with 0; names sorted.
const WORDS: [(&str, &[&str]); 7] = [
    ("completion_type", &["NO_CHAIN", "CHAIN", "RELEASE"]),
    ("internal_tmp_mem_storage_engine", &["MEMORY", "TempTable"]),
    ("session_track_gtids", &["OFF", "OWN_GTID", "ALL_GTIDS"]),
    ("session_track_transaction_info", &["OFF", "STATE", "CHARACTERISTICS"]),
    ("transaction_isolation", ISOLATION),
    ("tx_isolation", ISOLATION),
    ("updatable_views_with_limit", &["NO", "YES"]),
];

const ISOLATION: &[&str] =
    &["READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"];

/// The words of a variable; `None` where it takes other texts.
pub fn words_of(name: &str) -> Option<&'static [&'static str]> {
    let at = WORDS.binary_search_by_key(&name, |(name, _)| *name).ok()?;
    Some(WORDS[at].1)
}

/// The word that a text or, with `is_number`, a number stands for.
pub fn word_of(words: &[&'static str], text: &str, is_number: bool) -> Option<&'static str> {
    match is_number {
        true => words.get(text.parse::<usize>().ok()?).copied(),
        false => words.iter().find(|word| word.eq_ignore_ascii_case(text)).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variables::definition;

    #[test]
    fn words_are_of_variables_whose_defaults_are_among_them() {
        assert!(WORDS.is_sorted_by_key(|(name, _)| *name));
        for (name, words) in WORDS {
            let known = definition(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(word_of(words, known.default, false), Some(known.default), "{name}");
        }
    }
}
