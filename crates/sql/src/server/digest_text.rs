//! The words of a statement's shape as MySQL's digests have them: one space between words and
//! signs, keywords in capitals, names in backquotes; lists of values are `(...)`, and rows of them
//! behind the first `/* , ... */`.
//!
//! Not here: literals, which a shape has no more (`syntax::scan`), but for those that matter to its
//! meaning; they are `?` here.

use expression::Function;

use crate::keywords::is_reserved;

/// A list of more than one value, and what stands for rows behind the first.
const LIST: &str = "(...)";
const MORE_ROWS: &str = "/* , ... */";

/// The digest's text of a shape.
pub(super) fn digest_text(shape: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rest = shape.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '`' | '"' | '\'' => quoted_length(rest, first),
            _ if first.is_ascii_digit() => {
                rest.find(|c| !is_word(c) && c != '.').unwrap_or(rest.len())
            }
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            '<' | '>' | '!' | ':' | '|' | '&' => {
                rest.find(|c| !"<>=!:|&".contains(c)).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        rest = behind.trim_start();
        words.push(word_of(token, first, rest.starts_with('(')));
        if token == ")" {
            shorten_list(&mut words);
        }
    }
    words.join(" ")
}

/// A list of values that has just been closed, as one word; with rows before it that are such.
fn shorten_list(words: &mut Vec<String>) {
    let inside = &words[..words.len() - 1];
    let Some(open) = inside.iter().rposition(|word| !matches!(word.as_str(), "?" | ",")) else {
        return;
    };
    if words[open] != "(" || words.len() - open <= 3 {
        return;
    }
    words.truncate(open);
    words.push(LIST.to_string());
    if let [.., first, comma, _] = &words[..]
        && comma == ","
        && (first == LIST || first == MORE_ROWS)
    {
        let is_second = first == LIST;
        words.truncate(words.len() - 2);
        if is_second {
            words.push(MORE_ROWS.to_string());
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '@') || !c.is_ascii()
}

/// How long a quoted text is, with its quotes.
fn quoted_length(rest: &str, quote: char) -> usize {
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        if c == '\\' && quote != '`' {
            characters.next();
        } else if c == quote {
            return at + 1;
        }
    }
    rest.len()
}

/// Whether a word in front of a bracket is a function's, and no table's that has its columns there.
fn is_function(word: &str) -> bool {
    const AGGREGATES: [&str; 6] = ["COUNT", "SUM", "MIN", "MAX", "AVG", "GROUP_CONCAT"];
    AGGREGATES.iter().any(|name| name.eq_ignore_ascii_case(word))
        || Function::find(word, 0).is_some()
}

fn word_of(token: &str, first: char, is_called: bool) -> String {
    match first {
        '`' | '@' => token.to_string(),
        '"' | '\'' => "?".to_string(),
        _ if first.is_ascii_digit() => "?".to_string(),
        _ if !is_word(first) => token.to_string(),
        _ if is_reserved(token) || is_called && is_function(token) => token.to_ascii_uppercase(),
        _ => format!("`{token}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::digest_text;

    #[test]
    fn words_are_as_in_mysql() {
        for (shape, text) in [
            ("select  count(*) from t", "SELECT COUNT ( * ) FROM `t`"),
            (
                "SELECT a.`b c`,'x' FROM d.a WHERE a>=? AND b IN (?)",
                "SELECT `a` . `b c` , ? FROM `d` . `a` WHERE `a` >= ? AND `b` IN ( ? )",
            ),
            ("insert into `t` values (?,?)", "INSERT INTO `t` VALUES (...)"),
            ("insert into t (a) values (?), (?)", "INSERT INTO `t` ( `a` ) VALUES ( ? ) , ( ? )"),
            (
                "insert into t(a,b) values (?,?),(?,?),(?,?)",
                "INSERT INTO `t` ( `a` , `b` ) VALUES (...) /* , ... */",
            ),
            (
                "select sleep(0.25), concat(?,?), f (2e3)",
                "SELECT SLEEP ( ? ) , CONCAT (...) , `f` ( ? )",
            ),
            (
                "delete from t where a in (?,?,?) and b in ()",
                "DELETE FROM `t` WHERE `a` IN (...) AND `b` IN ( )",
            ),
            ("select @@version, @x, 1 limit 5", "SELECT @@version , @x , ? LIMIT ?"),
            ("select 'it\\'s' from \u{e9}", "SELECT ? FROM `\u{e9}`"),
            ("select 'open", "SELECT ?"),
        ] {
            assert_eq!(digest_text(shape), text);
        }
    }
}
