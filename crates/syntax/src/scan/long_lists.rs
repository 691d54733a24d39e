//! Long lists of an IN in a shape: as many places as a statement may have, in one word.
//!
//! A parsed statement takes some hundred bytes for each word and each comma, which is more than a
//! list is worth that has nothing but places for literals:
//! ```text
//! id IN (?, ?, ?, ... ?)      of 5000 is      id IN (?175000)
//! ```
//!
//! Invariants
//! 1. Only a list of literals that were taken out, or of a client's `?`, is shortened. No client
//!    writes what it becomes: a number behind `?` would be a literal of its own.
//!
//! Not here: how many places a word stands for once it is read (`placeholder::Place`).

use super::BYTES_MARK;

/// What follows the `?` of a list, before the number of its places.
pub(crate) const LIST_MARK: &str = "17";
/// The same where they are bytes.
pub(crate) const BYTES_LIST_MARK: &str = "18";
/// Places from which on a list is shortened.
const LONG: usize = 1000;

/// Shortens the long lists of a shape; gives how many places these have.
pub(super) fn shorten(shape: &mut Vec<u8>) -> usize {
    if shape.len() < 2 * LONG {
        return 0;
    }
    let (mut short, mut copied, mut at, mut listed) = (Vec::new(), 0, 0, 0);
    let mut quote = None;
    while let Some(&byte) = shape.get(at) {
        at += 1;
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (None, b'\'' | b'"' | b'`') => quote = Some(byte),
            (None, b'(') if follows_in(&shape[..at - 1]) => {
                let found = [(b"".as_slice(), LIST_MARK), (BYTES_MARK, BYTES_LIST_MARK)]
                    .into_iter()
                    .find_map(|(each, all)| Some((places(&shape[at..], each)?, all)));
                let Some(((places, end), mark)) = found else { continue };
                if places >= LONG {
                    short.extend_from_slice(&shape[copied..at]);
                    short.extend_from_slice(format!("?{mark}{places}").as_bytes());
                    (copied, listed) = (at + end, listed + places);
                }
                at += end;
            }
            _ => {}
        }
    }
    if listed > 0 {
        short.extend_from_slice(&shape[copied..]);
        *shape = short;
    }
    listed
}

fn follows_in(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let Some((rest, word)) = before.split_at_checked(before.len().saturating_sub(2)) else {
        return false;
    };
    word.eq_ignore_ascii_case(b"in")
        && rest.last().is_none_or(|byte| !(byte.is_ascii_alphanumeric() || b"_$`.@".contains(byte)))
}

/// How many places with a mark there are up to a `)`, and where that is; `None`: there is something
/// else.
fn places(text: &[u8], mark: &[u8]) -> Option<(usize, usize)> {
    let (mut places, mut at) = (0, 0);
    let skip_space = |mut at: usize| {
        while text.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        at
    };
    loop {
        at = skip_space(at);
        let behind = text.get(at..)?.strip_prefix(b"?")?.strip_prefix(mark)?;
        places += 1;
        at = skip_space(text.len() - behind.len());
        match text.get(at) {
            Some(b',') => at += 1,
            Some(b')') => return Some((places, at)),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(shape: &str) -> (String, usize) {
        let mut bytes = shape.as_bytes().to_vec();
        let listed = shorten(&mut bytes);
        (String::from_utf8(bytes).expect("text"), listed)
    }

    #[test]
    fn a_long_list_of_places_is_one_word() {
        let long = vec!["?"; 1000].join(", ");
        let tight = vec!["?"; 2000].join(",");
        let (short, listed) = shortened(&format!(
            "SELECT a IN(?, ?) FROM t WHERE b in ({long}) AND c NOT IN ( {tight} )"
        ));
        assert_eq!(short, "SELECT a IN(?, ?) FROM t WHERE b in (?171000) AND c NOT IN (?172000)");
        assert_eq!(listed, 3000);
        let bytes = vec!["?256"; 1000].join(",");
        let (short, listed) = shortened(&format!("a IN ({bytes}) OR b IN ({bytes}, ?)"));
        assert_eq!((short, listed), (format!("a IN (?181000) OR b IN ({bytes}, ?)"), 1000));
    }

    #[test]
    fn what_is_no_list_of_places_stays() {
        let (long, fewer) = (vec!["?"; 1000].join(", "), vec!["?"; 999].join(", "));
        for shape in [
            format!("a IN ({fewer}) OR b = ?"),
            format!("a IN ({long}, b)"),
            format!("a IN ({long}, ?16)"),
            format!("a IN (({long}))"),
            format!("min({long})"),
            format!("`in`({long})"),
            format!("SELECT 'a IN ({long})'"),
            format!("a IN ({long}"),
        ] {
            assert_eq!(shortened(&shape), (shape.clone(), 0));
        }
    }
}
