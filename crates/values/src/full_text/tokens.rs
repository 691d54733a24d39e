//! Cutting texts into tokens.

/// The words of a text in their order.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character| !is_of_word(character)).filter(|word| !word.is_empty())
}

/// The pieces of so many characters of a text in their order: of each run without spaces and, in
/// ASCII, without punctuation (MySQL 9.7 manual, 14.9.8).
pub fn grams(text: &str, chars: usize) -> impl Iterator<Item = &str> {
    let runs = text.split(|character: char| match character.is_ascii() {
        true => !is_of_word(character),
        false => character.is_whitespace(),
    });
    runs.flat_map(move |run| {
        let starts = run.char_indices().map(|(at, _)| at);
        let ends = run.char_indices().map(|(at, character)| at + character.len_utf8());
        starts.zip(ends.skip(chars.max(1) - 1)).map(move |(start, end)| &run[start..end])
    })
}

/// Whether a character is part of a word.
fn is_of_word(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric() || character == '_';
    }
    // `\w` has marks as well, and what joins words.
    let joins = matches!(
        character,
        '\u{200c}'
            | '\u{200d}'
            | '\u{203f}'
            | '\u{2040}'
            | '\u{2054}'
            | '\u{fe33}'
            | '\u{fe34}'
            | '\u{fe4d}'..='\u{fe4f}' | '\u{ff3f}'
    );
    character.is_alphanumeric()
        || regex_syntax::try_is_word_character(character).unwrap_or(false) && !joins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_what_is_no_letter() {
        let all = |text| words(text).collect::<Vec<_>>();
        assert_eq!(
            all("Don't x-ray foo_bar, 3.14"),
            ["Don", "t", "x", "ray", "foo_bar", "3", "14"]
        );
        assert_eq!(all("日本語 テスト"), ["日本語", "テスト"]);
        assert_eq!(all("हिन्दी, ไทย"), ["हिन्दी", "ไทย"]);
        assert_eq!(all("  -- "), [""; 0]);
    }

    #[test]
    fn pieces_overlap_and_do_not_cross_spaces() {
        let all = |text, chars| grams(text, chars).collect::<Vec<_>>();
        assert_eq!(all("生日快乐 ab", 2), ["生日", "日快", "快乐", "ab"]);
        assert_eq!(all("abcd", 3), ["abc", "bcd"]);
        assert_eq!(all("a b", 2), [""; 0]);
        assert_eq!(all("ab", 1), ["a", "b"]);
    }
}
