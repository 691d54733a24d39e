//! Texts that clients send, read as JSON documents: one reader for whatever is made of them, which
//! says why a text is no document, and where, in the words and places of MySQL 9.7 (errors 3140,
//! 3141 and 3157).
//!
//! Invariants
//! 1. A place counts bytes from 0.
//! 2. Documents are nested 100 deep at the most, as in MySQL; so whoever walks through a tree may
//!    be recursive.
//! 3. Numbers are read exactly: DOUBLEs are those nearest to their digits.
//!
//! Not here: what is made of a document (`document`, `printed`).

use std::borrow::Cow;

/// How many arrays and objects may stand within one another.
const DEPTH_MAX: usize = 100;

const INVALID: &str = "Invalid value.";

/// Why a text is no document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonFault {
    /// What is wrong, and at which byte.
    Syntax(&'static str, usize),
    /// Arrays and objects stand within more than 100 others.
    TooDeep,
}

impl JsonFault {
    /// What error 3157 says.
    pub const TOO_DEEP: &str = "The JSON document exceeds the maximum depth.";
}

/// A value that is neither an array nor an object.
#[derive(Clone, Debug)]
pub(super) enum Scalar<'t> {
    Null,
    Bool(bool),
    Int(i64),
    /// One above those of `Int`.
    UInt(u64),
    Double(f64),
    String(Cow<'t, str>),
}

/// What is made of a document: it is told of its pieces in the order of the text.
pub(super) trait Pieces<'t> {
    /// An array begins, and then what is in it.
    fn open_array(&mut self);
    /// An object begins, and then names and values.
    fn open_object(&mut self);
    /// The name of the member whose value is next.
    fn name(&mut self, name: Cow<'t, str>);
    /// A value.
    fn scalar(&mut self, value: Scalar<'t>);
    /// The innermost array or object that began ends.
    fn close(&mut self);
}

/// Whether a text is a document.
///
/// # Errors
/// Why it is none.
pub fn check(text: &[u8]) -> Result<(), JsonFault> {
    struct Nothing;
    impl Pieces<'_> for Nothing {
        fn open_array(&mut self) {}
        fn open_object(&mut self) {}
        fn name(&mut self, _: Cow<'_, str>) {}
        fn scalar(&mut self, _: Scalar<'_>) {}
        fn close(&mut self) {}
    }
    read(text, &mut Nothing)
}

/// Reads a document; what was made of one that has a fault is to be thrown away.
///
/// # Errors
/// Why it is none.
pub(super) fn read<'t>(text: &'t [u8], pieces: &mut impl Pieces<'t>) -> Result<(), JsonFault> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_spaces();
    if reader.peek().is_none() {
        return Err(JsonFault::Syntax("The document is empty.", reader.at));
    }
    reader.document(pieces)
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

/// What is being read around a value.
#[derive(Clone, Copy)]
enum Around {
    Array,
    Object,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_it = self.peek() == Some(byte);
        self.at += usize::from(is_it);
        is_it
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// One value and nothing else.
    fn document(&mut self, pieces: &mut impl Pieces<'t>) -> Result<(), JsonFault> {
        let mut around: Vec<Around> = Vec::new();
        loop {
            match self.peek() {
                Some(open @ (b'[' | b'{')) => {
                    if around.len() == DEPTH_MAX {
                        return Err(JsonFault::TooDeep);
                    }
                    self.at += 1;
                    self.skip_spaces();
                    let (end, outside) = match open {
                        b'[' => (b']', Around::Array),
                        _ => (b'}', Around::Object),
                    };
                    match outside {
                        Around::Array => pieces.open_array(),
                        Around::Object => pieces.open_object(),
                    }
                    if !self.take(end) {
                        around.push(outside);
                        self.begin(outside, pieces)?;
                        continue;
                    }
                    pieces.close();
                }
                _ => pieces.scalar(self.scalar()?),
            }
            // Behind a value.
            loop {
                self.skip_spaces();
                let Some(outside) = around.last().copied() else {
                    let why = "The document root must not be followed by other values.";
                    return match self.peek() {
                        None => Ok(()),
                        Some(_) => Err(JsonFault::Syntax(why, self.at)),
                    };
                };
                let (end, why) = match outside {
                    Around::Array => (b']', "Missing a comma or ']' after an array element."),
                    Around::Object => (b'}', "Missing a comma or '}' after an object member."),
                };
                if self.take(b',') {
                    self.skip_spaces();
                    self.begin(outside, pieces)?;
                    break;
                }
                if !self.take(end) {
                    return Err(JsonFault::Syntax(why, self.at));
                }
                pieces.close();
                around.pop();
            }
        }
    }

    /// What stands before a value: in an object its name and a colon.
    fn begin(&mut self, around: Around, pieces: &mut impl Pieces<'t>) -> Result<(), JsonFault> {
        if matches!(around, Around::Array) {
            return Ok(());
        }
        if self.peek() != Some(b'"') {
            return Err(JsonFault::Syntax("Missing a name for object member.", self.at));
        }
        pieces.name(self.string()?);
        self.skip_spaces();
        if !self.take(b':') {
            let why = "Missing a colon after a name of object member.";
            return Err(JsonFault::Syntax(why, self.at));
        }
        self.skip_spaces();
        Ok(())
    }

    fn scalar(&mut self) -> Result<Scalar<'t>, JsonFault> {
        match self.peek() {
            Some(b'"') => Ok(Scalar::String(self.string()?)),
            Some(b'n') => self.word(b"null", Scalar::Null),
            Some(b't') => self.word(b"true", Scalar::Bool(true)),
            Some(b'f') => self.word(b"false", Scalar::Bool(false)),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &[u8], value: Scalar<'t>) -> Result<Scalar<'t>, JsonFault> {
        match word.iter().all(|byte| self.take(*byte)) {
            true => Ok(value),
            false => Err(JsonFault::Syntax(INVALID, self.at)),
        }
    }

    fn digits(&mut self) -> bool {
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at > from
    }

    fn number(&mut self) -> Result<Scalar<'t>, JsonFault> {
        let from = self.at;
        self.take(b'-');
        if !self.take(b'0') && !self.digits() {
            return Err(JsonFault::Syntax(INVALID, self.at));
        }
        let whole = self.at;
        if self.take(b'.') && !self.digits() {
            return Err(JsonFault::Syntax("Miss fraction part in number.", self.at));
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            if !self.digits() {
                return Err(JsonFault::Syntax("Miss exponent in number.", self.at));
            }
        }
        let digits = std::str::from_utf8(&self.text[from..self.at]).unwrap_or_default();
        if self.at == whole {
            if let Ok(number) = digits.parse() {
                return Ok(Scalar::Int(number));
            }
            if let Ok(number) = digits.parse() {
                return Ok(Scalar::UInt(number));
            }
        }
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Scalar::Double(number)),
            _ => Err(JsonFault::Syntax("Number too big to be stored in double.", from)),
        }
    }

    /// What is within quotes, without them and without escapes.
    fn string(&mut self) -> Result<Cow<'t, str>, JsonFault> {
        self.at += 1;
        let mut whole = Cow::Borrowed("");
        loop {
            let from = self.at;
            let plain = |byte: &u8| !matches!(byte, b'"' | b'\\' | 0..0x20);
            self.at += self.text[from..].iter().take_while(|byte| plain(byte)).count();
            let Ok(piece) = std::str::from_utf8(&self.text[from..self.at]) else {
                return Err(JsonFault::Syntax("Invalid encoding in string.", from));
            };
            match whole.is_empty() {
                true => whole = Cow::Borrowed(piece),
                false => whole.to_mut().push_str(piece),
            }
            let stop = self.at;
            self.at += 1;
            match self.text.get(stop) {
                None => {
                    let why = "Missing a closing quotation mark in string.";
                    return Err(JsonFault::Syntax(why, stop));
                }
                Some(b'"') => return Ok(whole),
                Some(b'\\') => whole.to_mut().push(self.escaped(stop)?),
                Some(_) => return Err(JsonFault::Syntax("Invalid encoding in string.", stop)),
            }
        }
    }

    /// What follows a backslash, which stands at `from`.
    fn escaped(&mut self, from: usize) -> Result<char, JsonFault> {
        let fault = |why| JsonFault::Syntax(why, from);
        let short = match self.peek() {
            Some(same @ (b'"' | b'\\' | b'/')) => char::from(same),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let broken = fault("The surrogate pair in string is invalid.");
                let unit = self.unit(from)?;
                let code = match unit {
                    0xd800..0xdc00 if self.take(b'\\') && self.peek() == Some(b'u') => {
                        match self.unit(from)? {
                            low @ 0xdc00..0xe000 => {
                                0x10000 + ((unit - 0xd800) << 10) + low - 0xdc00
                            }
                            _ => return Err(broken),
                        }
                    }
                    single => single,
                };
                // Half of a pair is no character.
                return char::from_u32(code).ok_or(broken);
            }
            _ => return Err(fault("Invalid escape character in string.")),
        };
        self.at += 1;
        Ok(short)
    }

    /// The four digits behind a `u`.
    fn unit(&mut self, from: usize) -> Result<u32, JsonFault> {
        self.at += 1;
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let number = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4;
        let why = "Incorrect hex digit after \\u escape in string.";
        number.ok_or(JsonFault::Syntax(why, from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_where_a_text_ceases_to_be_a_document() {
        let texts = [
            ("x", INVALID, 0),
            ("", "The document is empty.", 0),
            ("[1,\n x]", INVALID, 5),
            (" ", "The document is empty.", 1),
            ("{\"a\":[1,{}],", "Missing a name for object member.", 12),
            ("[1 2]", "Missing a comma or ']' after an array element.", 3),
            ("\"\\ud800\\u0041\"", "The surrogate pair in string is invalid.", 1),
            ("{\"\\udc00\": 1}", "The surrogate pair in string is invalid.", 2),
            ("\"a\\ud800", "The surrogate pair in string is invalid.", 2),
            ("01", "The document root must not be followed by other values.", 1),
            ("[1e999]", "Number too big to be stored in double.", 1),
        ];
        for (text, why, place) in texts {
            assert_eq!(check(text.as_bytes()), Err(JsonFault::Syntax(why, place)), "{text}");
        }
        let invalid = JsonFault::Syntax("Invalid encoding in string.", 1);
        assert_eq!(check(b"\"\xff\""), Err(invalid));
    }

    #[test]
    fn a_hundred_arrays_and_objects_may_stand_within_one_another() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(check(nested(100).as_bytes()), Ok(()));
        assert_eq!(check(nested(101).as_bytes()), Err(JsonFault::TooDeep));
        let members = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        assert_eq!(check(members(100).as_bytes()), Ok(()));
        assert_eq!(check(members(101).as_bytes()), Err(JsonFault::TooDeep));
    }
}
