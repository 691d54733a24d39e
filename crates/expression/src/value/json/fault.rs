//! Why a text is no JSON document, and where, in the words and places of MySQL 9.7 (errors 3140 and
//! 3141).
//!
//! Invariants
//! 1. Asked only of a text that was not read as a document; one that is found to be one all the
//!    same has an invalid value at its end.
//! 2. A place counts bytes from 0.
//!
//! Not here: reading documents (`document`).

const INVALID: &str = "Invalid value.";

/// Why a text is no document, and where it stops being one.
pub fn json_fault(text: &[u8]) -> (&'static str, usize) {
    let mut reader = FaultReader { text, at: 0 };
    reader.skip_spaces();
    if reader.peek().is_none() {
        return ("The document is empty.", reader.at);
    }
    match reader.document() {
        Err(fault) => fault,
        Ok(()) => (INVALID, text.len()),
    }
}

/// What is wrong, and where.
type Fault = (&'static str, usize);

struct FaultReader<'t> {
    text: &'t [u8],
    at: usize,
}

/// What is being read around a value.
enum Around {
    Array,
    Object,
}

impl FaultReader<'_> {
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

    /// One value and nothing else. Not recursive: a document may be nested as deeply as it likes.
    fn document(&mut self) -> Result<(), Fault> {
        let mut around: Vec<Around> = Vec::new();
        loop {
            match self.peek() {
                Some(b'[') => {
                    self.at += 1;
                    self.skip_spaces();
                    if !self.take(b']') {
                        around.push(Around::Array);
                        continue;
                    }
                }
                Some(b'{') => {
                    self.at += 1;
                    self.skip_spaces();
                    if !self.take(b'}') {
                        around.push(Around::Object);
                        self.name()?;
                        continue;
                    }
                }
                _ => self.scalar()?,
            }
            // Behind a value.
            loop {
                self.skip_spaces();
                let Some(outside) = around.last() else {
                    return match self.peek() {
                        None => Ok(()),
                        Some(_) => {
                            let why = "The document root must not be followed by other values.";
                            Err((why, self.at))
                        }
                    };
                };
                let (end, why) = match outside {
                    Around::Array => (b']', "Missing a comma or ']' after an array element."),
                    Around::Object => (b'}', "Missing a comma or '}' after an object member."),
                };
                if self.take(b',') {
                    self.skip_spaces();
                    if matches!(outside, Around::Object) {
                        self.name()?;
                    }
                    break;
                }
                if !self.take(end) {
                    return Err((why, self.at));
                }
                around.pop();
            }
        }
    }

    /// A member's name, and the colon behind it.
    fn name(&mut self) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return Err(("Missing a name for object member.", self.at));
        }
        self.string()?;
        self.skip_spaces();
        if !self.take(b':') {
            return Err(("Missing a colon after a name of object member.", self.at));
        }
        self.skip_spaces();
        Ok(())
    }

    fn scalar(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'n') => self.word(b"null"),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Fault> {
        match word.iter().all(|byte| self.take(*byte)) {
            true => Ok(()),
            false => Err((INVALID, self.at)),
        }
    }

    fn digits(&mut self) -> bool {
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at > from
    }

    fn number(&mut self) -> Result<(), Fault> {
        let from = self.at;
        self.take(b'-');
        if !self.take(b'0') && !self.digits() {
            return Err((INVALID, self.at));
        }
        if self.take(b'.') && !self.digits() {
            return Err(("Miss fraction part in number.", self.at));
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            if !self.digits() {
                return Err(("Miss exponent in number.", self.at));
            }
        }
        let number = std::str::from_utf8(&self.text[from..self.at]).ok();
        match number.and_then(|number| number.parse::<f64>().ok()) {
            Some(number) if number.is_finite() => Ok(()),
            _ => Err(("Number too big to be stored in double.", from)),
        }
    }

    fn string(&mut self) -> Result<(), Fault> {
        self.at += 1;
        loop {
            let from = self.at;
            match self.peek() {
                None => return Err(("Missing a closing quotation mark in string.", from)),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(from)?;
                }
                Some(0..0x20) => return Err(("Invalid encoding in string.", from)),
                Some(_) => self.at += 1,
            }
        }
    }

    /// What follows a backslash, which stands at `from`.
    fn escape(&mut self, from: usize) -> Result<(), Fault> {
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                let broken = ("The surrogate pair in string is invalid.", from);
                match self.unit(from)? {
                    0xdc00..0xe000 => Err(broken),
                    0xd800..0xdc00 => {
                        let is_pair = self.take(b'\\')
                            && self.peek() == Some(b'u')
                            && (0xdc00..0xe000).contains(&self.unit(from)?);
                        if is_pair { Ok(()) } else { Err(broken) }
                    }
                    _ => Ok(()),
                }
            }
            _ => Err(("Invalid escape character in string.", from)),
        }
    }

    /// The four digits behind a `u`.
    fn unit(&mut self, from: usize) -> Result<u32, Fault> {
        self.at += 1;
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let number = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4;
        number.ok_or(("Incorrect hex digit after \\u escape in string.", from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::document::Json;

    #[test]
    fn it_is_said_where_a_text_ceases_to_be_a_document() {
        let texts = [
            ("x", INVALID, 0),
            ("[1,\n x]", INVALID, 5),
            (" ", "The document is empty.", 1),
            ("{\"a\":[1,{}],", "Missing a name for object member.", 12),
            ("[1 2]", "Missing a comma or ']' after an array element.", 3),
            ("\"\\ud800\\u0041\"", "The surrogate pair in string is invalid.", 1),
            ("01", "The document root must not be followed by other values.", 1),
        ];
        for (text, why, place) in texts {
            assert!(Json::read(text.as_bytes()).is_err(), "{text}");
            assert_eq!(json_fault(text.as_bytes()), (why, place), "{text}");
        }
    }
}
