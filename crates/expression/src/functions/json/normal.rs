//! The normal form of a JSON document: no space, members in the order of their names' bytes,
//! numbers as `1.5E1`. Documents are equal whose normal forms are (MariaDB, JSON_NORMALIZE and
//! JSON_EQUALS).
//!
//! Texts stay as they were written: `"\u0061"` is another text than `"a"`, as in MariaDB.
//!
//! Not here: whether a text is a document, and not too deep a one (`json::text`).

use std::iter::Peekable;

use crate::functions::json::text::tokens;

/// The normal form of a document.
pub(crate) fn normal(text: &[u8]) -> Vec<u8> {
    value(&mut tokens(text).peekable())
}

fn value<'t>(tokens: &mut Peekable<impl Iterator<Item = &'t [u8]>>) -> Vec<u8> {
    match tokens.next().unwrap_or_default() {
        b"[" => {
            let mut items = Vec::new();
            while tokens.peek().is_some_and(|next| *next != b"]") {
                items.push(value(tokens));
                tokens.next_if(|next| *next == b",");
            }
            tokens.next();
            [b"[", items.join(&b","[..]).as_slice(), b"]"].concat()
        }
        b"{" => {
            let mut members = Vec::new();
            while let Some(name) = tokens.next_if(|next| *next != b"}") {
                tokens.next_if(|next| *next == b":");
                members.push((name, value(tokens)));
                tokens.next_if(|next| *next == b",");
            }
            tokens.next();
            // By their bytes, without the quotes around them.
            members.sort_by(|(a, _), (b, _)| a[1..a.len() - 1].cmp(&b[1..b.len() - 1]));
            let members: Vec<Vec<u8>> =
                members.iter().map(|(name, value)| [name, &b":"[..], value].concat()).collect();
            [b"{", members.join(&b","[..]).as_slice(), b"}"].concat()
        }
        single @ [b'-' | b'0'..=b'9', ..] => number(single),
        other => other.to_vec(),
    }
}

/// A number with one digit before the point, at least one behind it and an exponent; 0 has no sign.
fn number(text: &[u8]) -> Vec<u8> {
    let (sign, text) = match text {
        [b'-', rest @ ..] => ("-", rest),
        _ => ("", text),
    };
    let text = String::from_utf8_lossy(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let significant = digits.trim_start_matches('0');
    let leading = digits.len() - significant.len();
    let significant = significant.trim_end_matches('0');
    if significant.is_empty() {
        return b"0.0E0".to_vec();
    }
    let behind = match &significant[1..] {
        "" => "0",
        behind => behind,
    };
    // An exponent beyond all numbers stays there.
    let exponent = exponent.parse().unwrap_or(match exponent.starts_with('-') {
        true => i64::MIN / 2,
        false => i64::MAX / 2,
    });
    let exponent = exponent.saturating_add(whole.len() as i64 - leading as i64 - 1);
    format!("{sign}{}.{behind}E{exponent}", &significant[..1]).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(String::from_utf8(normal(text.as_bytes())).expect("UTF-8"), expected, "{text}");
    }

    #[test]
    fn numbers_that_are_equal_have_one_form() {
        for text in ["150", "1.5e2", "150.0", "0.15E+3", "15000e-2"] {
            check(text, "1.5E2");
        }
        check("-0.001", "-1.0E-3");
        check("-0.0", "0.0E0");
        check("12345678901234567890", "1.234567890123456789E19");
    }

    #[test]
    fn members_stand_in_the_order_of_their_names_and_elements_as_they_were() {
        check(
            r#"{"b": [2, 1, {}], "a" : "x y", "B": null}"#,
            r#"{"B":null,"a":"x y","b":[2.0E0,1.0E0,{}]}"#,
        );
        check(" [ ] ", "[]");
    }
}
