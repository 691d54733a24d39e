//! Documents as MySQL prints them, made of the texts of clients without a tree between: a space
//! behind `,` and `:`, members in the order of their names, of equal names the last, numbers and
//! texts in one way of writing.
//!
//! Invariants
//! 1. What is printed is what the tree of the same text prints (`Json::read`, `Json::write`).
//! 2. Memory beside the text is in proportion to the members of the objects that are open.

use std::borrow::Cow;
use std::ops::Range;

use super::document::{Json, name_order, write_string};
use super::reader::{JsonFault, Pieces, Scalar, read};

/// What MySQL prints of the document that a text is.
///
/// # Errors
/// Why it is none.
pub fn printed(text: &[u8]) -> Result<Vec<u8>, JsonFault> {
    let mut printer = Printer { out: Vec::with_capacity(text.len()), open: Vec::new() };
    read(text, &mut printer)?;
    Ok(printer.out)
}

struct Printer<'t> {
    out: Vec<u8>,
    open: Vec<PrintedContainer<'t>>,
}

/// An array or object that is being printed.
enum PrintedContainer<'t> {
    Array { is_empty: bool },
    Object(Vec<Member<'t>>),
}

struct Member<'t> {
    name: Cow<'t, str>,
    /// Where the name with its quotes begins in what is printed; the member ends where the next
    /// one begins, but for the comma.
    from: usize,
}

/// Whether a text of a document stands in it as it is.
#[expect(clippy::ptr_arg, reason = "asks whether it is borrowed")]
fn is_borrowed(text: &Cow<'_, str>) -> bool {
    matches!(text, Cow::Borrowed(_))
}

/// Between two values.
const COMMA: &[u8] = b", ";

impl Printer<'_> {
    /// What has to stand between a value and the one before it; a member's name has done that.
    fn begin(&mut self) {
        if let Some(PrintedContainer::Array { is_empty }) = self.open.last_mut()
            && !std::mem::replace(is_empty, false)
        {
            self.out.extend_from_slice(COMMA);
        }
    }

    /// A text in quotes. `as_written`: it had no escapes, and needs none.
    fn text(&mut self, text: &str, as_written: bool) {
        if !as_written {
            return write_string(text, &mut self.out);
        }
        self.out.push(b'"');
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(b'"');
    }

    /// Puts the members of an object in order, which ends where the output does.
    fn sort(&mut self, members: &[Member<'_>]) {
        let in_order = |pair: &[Member<'_>]| name_order(&pair[0].name, &pair[1].name).is_lt();
        if members.windows(2).all(in_order) {
            return;
        }
        let start = members[0].from;
        let unsorted = self.out.split_off(start);
        let ends = members[1..].iter().map(|next| next.from - start - COMMA.len());
        let ends = ends.chain([unsorted.len()]);
        let ranges = members.iter().zip(ends).map(|(member, end)| member.from - start..end);
        let mut sorted: Vec<(&str, Range<usize>)> =
            members.iter().map(|member| &*member.name).zip(ranges).collect();
        // Stable, so that of equal names the last stays the last.
        sorted.sort_by(|(a, _), (b, _)| name_order(a, b));
        let mut sorted = sorted.into_iter().peekable();
        while let Some((name, range)) = sorted.next() {
            if sorted.peek().is_some_and(|(next, _)| *next == name) {
                continue;
            }
            if self.out.len() > start {
                self.out.extend_from_slice(COMMA);
            }
            self.out.extend_from_slice(&unsorted[range]);
        }
    }
}

impl<'t> Pieces<'t> for Printer<'t> {
    fn open_array(&mut self) {
        self.begin();
        self.out.push(b'[');
        self.open.push(PrintedContainer::Array { is_empty: true });
    }

    fn open_object(&mut self) {
        self.begin();
        self.out.push(b'{');
        self.open.push(PrintedContainer::Object(Vec::new()));
    }

    fn name(&mut self, name: Cow<'t, str>) {
        if !matches!(self.open.last(), Some(PrintedContainer::Object(members)) if members.is_empty())
        {
            self.out.extend_from_slice(COMMA);
        }
        let from = self.out.len();
        self.text(&name, is_borrowed(&name));
        self.out.extend_from_slice(b": ");
        if let Some(PrintedContainer::Object(members)) = self.open.last_mut() {
            members.push(Member { name, from });
        }
    }

    fn scalar(&mut self, value: Scalar<'t>) {
        self.begin();
        match value {
            Scalar::String(text) => self.text(&text, is_borrowed(&text)),
            other => Json::from(other).write_scalar(&mut self.out),
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(PrintedContainer::Object(members)) => {
                self.sort(&members);
                self.out.push(b'}');
            }
            _ => self.out.push(b']'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_printed_as_its_tree_is() {
        for text in [
            r#"{"b":1,"aa":2,"a":3,"b":{"y":[],"x":{}}}"#,
            r#" [ 1 , [ ] , [2,{"":null}] , true, "\u00e4\/" ] "#,
            r#"{"c":{"z":1,"y":{"b":[{"k":2,"j":1}],"a":-0}},"b":[],"a":{}}"#,
            r#"{"a":1,"a":2,"a":{"b":1,"b":2}}"#,
            "-0",
            "-0.0",
            "9007199254740993.0",
            "0.1234567890123456789",
            "18446744073709551616",
            "\"\\ud83d\\ude00\"",
        ] {
            let mut tree = Vec::new();
            Json::read(text.as_bytes()).expect(text).write(&mut tree);
            let printed = printed(text.as_bytes()).expect(text);
            assert_eq!(String::from_utf8(printed), String::from_utf8(tree), "{text}");
        }
    }
}
