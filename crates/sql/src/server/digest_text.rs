//! The words of a statement's shape as MySQL's digests have them: one space between words and
//! signs, keywords in capitals, names in backquotes.
//!
//! Not here: literals, which a shape has no more (`syntax::scan`), but for those that matter to its
//! meaning; they are `?` here.

use crate::system_schema::information_schema::is_reserved;

/// The digest's text of a shape.
pub(super) fn digest_text(shape: &str) -> String {
    let mut out = String::with_capacity(shape.len() + shape.len() / 4);
    let mut rest = shape.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '`' | '"' | '\'' => quoted_length(rest, first),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            '<' | '>' | '!' | ':' | '|' | '&' => {
                rest.find(|c| !"<>=!:|&".contains(c)).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        rest = behind.trim_start();
        if !out.is_empty() {
            out.push(' ');
        }
        push(&mut out, token, first, rest.starts_with('('));
    }
    out
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

fn push(out: &mut String, token: &str, first: char, is_called: bool) {
    let name = |out: &mut String, name: &str| {
        out.push('`');
        out.push_str(name);
        out.push('`');
    };
    match first {
        '`' => out.push_str(token),
        '"' | '\'' => out.push('?'),
        _ if first.is_ascii_digit() => out.push('?'),
        '@' => out.push_str(token),
        _ if !is_word(first) => out.push_str(token),
        _ if is_called || is_reserved(token) => out.push_str(&token.to_ascii_uppercase()),
        _ => name(out, token),
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
            ("insert into `t` values (?,?)", "INSERT INTO `t` VALUES ( ? , ? )"),
            ("select @@version, @x, 1 limit 5", "SELECT @@version , @x , ? LIMIT ?"),
            ("select 'it\\'s' from \u{e9}", "SELECT ? FROM `\u{e9}`"),
            ("select 'open", "SELECT ?"),
        ] {
            assert_eq!(digest_text(shape), text);
        }
    }
}
