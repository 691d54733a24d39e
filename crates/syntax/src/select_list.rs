//! The items of a SELECT list as they were written, which name the columns of a result.
//!
//! The syntax tree keeps no text, and printing it again would give other spaces and brackets than a
//! client sent, by which drivers look their columns up.
//!
//! Not here: names that were given (`AS`), which the tree has (crate `sql`, `bind::select`).

use crate::scan::leading_word;

/// The items of a SELECT list as written: the text between SELECT and FROM, cut at commas.
pub fn item_texts(shape: &str) -> Vec<String> {
    let bytes = shape.as_bytes();
    let mut at = list_start(bytes);
    let (mut depth, mut start) = (0, None);
    let mut items = Vec::new();
    while at < bytes.len() {
        match bytes[at] {
            b'\'' | b'"' | b'`' => {
                start.get_or_insert(at);
                at = quote_end(bytes, at);
            }
            b'(' => {
                start.get_or_insert(at);
                depth += 1;
            }
            // The SELECT stands in brackets itself.
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            b',' if depth == 0 => {
                if let Some(start) = start.take() {
                    items.push(shape[start..at].trim_end().to_string());
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            byte if byte.is_ascii_alphabetic() && (at == 0 || !is_word(bytes[at - 1])) => {
                let word = leading_word(&bytes[at..]);
                if depth == 0 && ends_list(word) && !is_from_first(&bytes[at..]) {
                    break;
                }
                if start.is_none() && is_modifier(word) {
                    at += word.len();
                    continue;
                }
                start.get_or_insert(at);
                at += word.len();
                continue;
            }
            _ => {
                start.get_or_insert(at);
            }
        }
        at += 1;
    }
    if let Some(start) = start {
        let end = at.min(bytes.len());
        items.push(shape[start..end].trim_end().to_string());
    }
    items
}

/// Whether the first SELECT stands in brackets: then the literals of its list are taken out, too.
pub fn is_list_in_brackets(shape: &str) -> bool {
    let word = shape.as_bytes().get(..list_start(shape.as_bytes())).unwrap_or_default();
    let before = &word[..word.len().saturating_sub("select".len())];
    before.trim_ascii_end().ends_with(b"(")
}

/// Behind the word that follows opening brackets.
fn behind_brackets(bytes: &[u8], at: usize) -> usize {
    let opening = |byte: &&u8| **byte == b'(' || byte.is_ascii_whitespace();
    let word = at + bytes[at..].iter().take_while(opening).count();
    word + leading_word(&bytes[word..]).len()
}

/// Where the list of the first SELECT begins: behind WITH's tables, and within brackets.
fn list_start(bytes: &[u8]) -> usize {
    let word = leading_word(bytes);
    if !word.eq_ignore_ascii_case(b"with") {
        return behind_brackets(bytes, 0);
    }
    let (mut at, mut depth) = (word.len(), 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\'' | b'"' | b'`' => at = quote_end(bytes, at),
            // Behind the last table the SELECT itself may stand in brackets.
            b'(' if depth == 0 && bytes[..at].trim_ascii_end().ends_with(b")") => {
                return behind_brackets(bytes, at);
            }
            b'(' => depth += 1,
            b')' => depth -= 1,
            byte if byte.is_ascii_alphabetic() && !is_word(bytes[at - 1]) => {
                let word = leading_word(&bytes[at..]);
                at += word.len();
                if depth == 0 && word.eq_ignore_ascii_case(b"select") {
                    return at;
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    at
}

/// Where the quote ends that begins at a place.
fn quote_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote {
        at += 1 + usize::from(bytes[at] == b'\\' && quote != b'`');
    }
    at
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@' | b'.') || byte >= 0x80
}

/// Whether FROM FIRST of NTH_VALUE begins here (`token_forms`).
fn is_from_first(bytes: &[u8]) -> bool {
    let words = bytes.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.map(<[u8]>::to_ascii_uppercase);
    words.next().as_deref() == Some(b"FROM")
        && words.next().as_deref() == Some(b"FIRST")
        && matches!(words.next().as_deref(), Some(b"OVER" | b"RESPECT"))
}

/// Words behind a SELECT list.
fn ends_list(word: &[u8]) -> bool {
    const BEHIND: [&str; 11] = [
        "FROM",
        "LIMIT",
        "ORDER",
        "WHERE",
        "FOR",
        "LOCK",
        "UNION",
        "EXCEPT",
        "INTERSECT",
        "GROUP",
        "HAVING",
    ];
    BEHIND.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}

fn is_modifier(word: &[u8]) -> bool {
    const MODIFIERS: [&str; 11] = [
        "ALL",
        "DISTINCT",
        "DISTINCTROW",
        "HIGH_PRIORITY",
        "STRAIGHT_JOIN",
        "SQL_SMALL_RESULT",
        "SQL_BIG_RESULT",
        "SQL_BUFFER_RESULT",
        "SQL_CALC_FOUND_ROWS",
        "SQL_NO_CACHE",
        "SQL_CACHE",
    ];
    MODIFIERS.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::item_texts;

    #[test]
    fn items_are_cut_at_the_commas_of_the_list() {
        assert_eq!(
            item_texts("SELECT a, IF(b,1,2), 'x,y' AS z FROM t WHERE c"),
            ["a", "IF(b,1,2)", "'x,y' AS z"]
        );
        assert_eq!(item_texts("select SQL_NO_CACHE 1 + 1"), ["1 + 1"]);
        assert_eq!(item_texts("SELECT SQL_CALC_FOUND_ROWS a+1, b FROM t"), ["a+1", "b"]);
        assert_eq!(
            item_texts("SELECT NTH_VALUE(a, 2) FROM FIRST OVER (), b FROM first"),
            ["NTH_VALUE(a, 2) FROM FIRST OVER ()", "b"]
        );
        assert_eq!(item_texts("select @@version_comment limit 1"), ["@@version_comment"]);
        assert_eq!(item_texts("(select 1 + 1) limit 1"), ["1 + 1"]);
        assert_eq!(
            item_texts(
                "WITH a AS (SELECT 1, ')'), b (x) AS (SELECT 2) SELECT COUNT(*), x FROM a, b"
            ),
            ["COUNT(*)", "x"]
        );
    }
}
