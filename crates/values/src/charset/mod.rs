//! Character sets: texts of clients and files as UTF-8, and back.
//!
//! Inside the server every text is UTF-8. A character set matters where bytes come in (statements,
//! files of LOAD DATA, introducers before literals) and where they go out (results, CONVERT ...
//! USING as bytes).
//!
//! Invariants
//! 1. Bytes of a character set of single bytes come back as they were: `encode(decode(bytes))`.
//! 2. What a character set does not have becomes `?`, one for each character or stray byte.
//!
//! Not here: how texts compare (`collation`), which character sets a session has chosen (crate
//! `sql`).

mod multiple;
mod names;
mod single;
mod wide;

use std::borrow::Cow;

use encoding_rs::Encoding;

use multiple::MultipleByteSet;
use single::SingleByteSet;
use wide::WideCharset;

/// A character set, by the way its bytes become characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CharacterSet {
    /// Its name, as MySQL writes it.
    name: &'static str,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form {
    /// Bytes that are no characters.
    Binary,
    /// UTF-8; `narrow`: of three bytes a character at most.
    Utf8 {
        narrow: bool,
    },
    /// One of single bytes.
    Single(SingleByteSet),
    Wide(WideCharset),
    /// One of several bytes, which `encoding_rs` reads; which of those it does not write.
    Known(&'static Encoding, Option<MultipleByteSet>),
}

impl CharacterSet {
    /// `utf8mb4`, which needs no conversion.
    pub const UTF8MB4: CharacterSet =
        CharacterSet { name: "utf8mb4", form: Form::Utf8 { narrow: false } };
    /// `binary`, which has none.
    pub const BINARY: CharacterSet = CharacterSet { name: "binary", form: Form::Binary };

    /// The character set of a name, without regard to case.
    pub fn parse(name: &str) -> Option<CharacterSet> {
        let lower = name.to_ascii_lowercase();
        names::SETS.iter().find(|set| set.name == lower || set.alias == lower).map(|set| set.set())
    }

    /// The character set of a collation's number in the protocol; `None` for one that is not known.
    pub fn of_collation_number(number: u16) -> Option<CharacterSet> {
        names::SETS
            .iter()
            .find(|set| set.numbers.iter().any(|range| range.contains(&number)))
            .map(|set| set.set())
    }

    /// All of them in the order of their names, each with what MySQL says of it.
    pub fn described() -> impl Iterator<Item = (CharacterSet, &'static str)> {
        let known = |(name, description): &(&str, &'static str)| {
            CharacterSet::parse(name).map(|set| (set, *description))
        };
        names::DESCRIPTIONS.iter().filter_map(known)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The number of its default collation in the protocol.
    pub fn collation_number(self) -> u16 {
        let known = names::SETS.iter().find(|set| set.name == self.name);
        known.map_or(45, |set| *set.numbers[0].start())
    }

    /// The most bytes of one of its characters.
    pub fn bytes_max(self) -> u32 {
        let known = names::SETS.iter().find(|set| set.name == self.name);
        known.map_or(4, |set| set.bytes_max)
    }

    /// Whether it is `binary`.
    pub fn is_binary(self) -> bool {
        self.form == Form::Binary
    }

    /// Whether it is of Unicode: utf8mb4, utf8mb3, ucs2, utf16, utf16le, utf32.
    pub fn is_unicode(self) -> bool {
        matches!(self.form, Form::Utf8 { .. } | Form::Wide(_))
    }

    /// Whether it has characters beyond U+FFFF.
    pub fn has_supplements(self) -> bool {
        match self.form {
            Form::Utf8 { narrow } => !narrow,
            Form::Wide(wide) => wide.has_all(),
            _ => false,
        }
    }

    /// The fewest bytes of one of its characters.
    pub fn bytes_min(self) -> u32 {
        match self.form {
            Form::Wide(wide) => wide.unit_bytes() as u32,
            _ => 1,
        }
    }

    /// Whether texts of it are UTF-8 as they are.
    pub fn is_utf8(self) -> bool {
        matches!(self.form, Form::Utf8 { .. })
    }

    /// Whether statements may be written in it: not where ASCII is more than a byte.
    pub fn may_be_client(self) -> bool {
        !matches!(self.form, Form::Wide(_))
    }

    /// Whether a byte of ASCII is that character wherever it stands, and no second byte of another.
    pub fn keeps_ascii(self) -> bool {
        const SECOND_BYTES: [&str; 5] = ["big5", "gbk", "gb18030", "sjis", "cp932"];
        self.has_ascii() && !SECOND_BYTES.contains(&self.name)
    }

    /// How many bytes belong together at a position of a text: more than one only where a byte of
    /// ASCII may be the second one of another character.
    pub fn bytes_together(self, text: &[u8], at: usize) -> usize {
        let first = text[at];
        let is_half_width = matches!(self.name, "sjis" | "cp932") && (0xA0..=0xDF).contains(&first);
        if self.keeps_ascii() || first <= 0x80 || first == 0xFF || is_half_width {
            return 1;
        }
        match text.get(at + 1) {
            Some(b'0'..=b'9') if self.name == "gb18030" && at + 4 <= text.len() => 4,
            Some(0x40..) => 2,
            _ => 1,
        }
    }

    /// Text of this set as UTF-8. UTF-8 and bytes stay as they are, also where they are no text.
    pub fn decode(self, text: &[u8]) -> Cow<'_, [u8]> {
        match self.form {
            Form::Binary | Form::Utf8 { .. } => Cow::Borrowed(text),
            Form::Single(_) | Form::Known(..) if self.is_plain(text) => Cow::Borrowed(text),
            Form::Single(set) => {
                let character = |byte: &u8| set.character(*byte).unwrap_or('?');
                Cow::Owned(from_characters(text.iter().map(character)))
            }
            Form::Wide(wide) => Cow::Owned(from_characters(wide.characters(text))),
            Form::Known(encoding, listed) => {
                let (decoded, _) = encoding.decode_without_bom_handling(text);
                let decoded = decoded.replace('\u{FFFD}', "?");
                let misread = listed.map_or(&[][..], |listed| listed.misread(encoding));
                Cow::Owned(multiple::put_right(decoded, misread).into_bytes())
            }
        }
    }

    /// What makes UTF-8 of texts of this set that come in pieces, if a byte of ASCII may be the
    /// second one of another character in it.
    pub fn stream_decoder(self) -> Option<StreamDecoder> {
        match self.form {
            Form::Known(encoding, listed) if !self.keeps_ascii() => Some(StreamDecoder {
                decoder: encoding.new_decoder_without_bom_handling(),
                misread: listed.map_or(&[], |listed| listed.misread(encoding)),
            }),
            _ => None,
        }
    }

    /// UTF-8 as text of this set.
    pub fn encode(self, text: &[u8]) -> Cow<'_, [u8]> {
        self.encode_or(text, |_| None)
    }

    /// A message in UTF-8 as text of this set: a character that it does not have is shown by its
    /// number, `\0416`, as in MySQL.
    pub fn encode_message(self, message: &[u8]) -> Cow<'_, [u8]> {
        self.encode_or(message, |missing| {
            let number = u32::from(missing);
            (number <= 0xFFFF).then(|| format!("\\{number:04X}"))
        })
    }

    /// `shown`: what stands for a character that is missing, if it is not `?`.
    fn encode_or(self, text: &[u8], shown: fn(char) -> Option<String>) -> Cow<'_, [u8]> {
        match self.form {
            Form::Binary | Form::Utf8 { narrow: false } => Cow::Borrowed(text),
            Form::Utf8 { narrow: true } if text.iter().all(|byte| *byte < 0xF0) => {
                Cow::Borrowed(text)
            }
            Form::Single(_) | Form::Known(..) if self.is_plain(text) => Cow::Borrowed(text),
            _ => Cow::Owned(self.encoded(text, shown)),
        }
    }

    /// Whether a text is ASCII, which is the same in nearly all sets: none but swe7 has other
    /// characters below 0x80 but in the second byte of two.
    fn is_plain(self, text: &[u8]) -> bool {
        self.has_ascii() && text.is_ascii()
    }

    /// Whether the characters of ASCII are the same bytes in it.
    pub fn has_ascii(self) -> bool {
        match self.form {
            Form::Single(set) => set.has_ascii(),
            Form::Wide(_) => false,
            _ => true,
        }
    }

    /// Whether it has all characters of a text. What is no UTF-8 it has as little as `?`.
    pub fn has_all(self, text: &[u8]) -> bool {
        match self.form {
            Form::Binary | Form::Utf8 { narrow: false } => true,
            Form::Wide(wide) if wide.has_all() => true,
            Form::Utf8 { narrow: true } | Form::Wide(_) => text.iter().all(|byte| *byte < 0xF0),
            Form::Single(_) | Form::Known(..) if self.is_plain(text) => true,
            Form::Single(_) | Form::Known(..) => {
                let text = String::from_utf8_lossy(text);
                let mut bytes = Vec::new();
                text.chars().all(|character| self.push(character, &mut bytes))
            }
        }
    }

    /// Whether it has a character.
    pub fn has(self, character: char) -> bool {
        match self.form {
            Form::Binary | Form::Utf8 { narrow: false } => true,
            Form::Utf8 { narrow: true } => character.len_utf8() < 4,
            _ => self.has_all(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }

    /// How many bytes a character takes, `?` for one that it does not have.
    pub fn bytes_of(self, character: char) -> u32 {
        let mut bytes = Vec::new();
        match self.push(character, &mut bytes) {
            true => bytes.len() as u32,
            false => self.bytes_min(),
        }
    }

    /// Appends the bytes of a character, if it has it.
    fn push(self, character: char, out: &mut Vec<u8>) -> bool {
        match self.form {
            Form::Wide(wide) => wide.push(character, out),
            Form::Single(set) => match set.byte(character) {
                Some(byte) => out.push(byte),
                None => return false,
            },
            Form::Utf8 { narrow: true } if character.len_utf8() > 3 => return false,
            Form::Known(_, Some(listed)) => match multiple::code(listed.codes(), character) {
                Some(code) => multiple::push_code(code, out),
                None => return false,
            },
            Form::Known(encoding, None) => {
                let mut utf8 = [0; 4];
                let (bytes, _, is_missing) = encoding.encode(character.encode_utf8(&mut utf8));
                if is_missing {
                    return false;
                }
                out.extend_from_slice(&bytes);
            }
            Form::Binary | Form::Utf8 { .. } => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        true
    }

    /// The characters of a set that is not of Unicode, and the bytes of each, in the order of the
    /// characters: none for gb18030 but ASCII, whose others are all that there are.
    pub(crate) fn each_character(self, mut each: impl FnMut(char, &[u8])) {
        let mut bytes = Vec::new();
        let mut characters: Vec<char> = match self.form {
            Form::Known(_, Some(listed)) => {
                listed.codes().iter().filter_map(|(one, _)| char::from_u32(*one)).collect()
            }
            Form::Single(set) => (0..=u8::MAX).filter_map(|byte| set.character(byte)).collect(),
            _ => (0..0x80u8).map(char::from).collect(),
        };
        characters.sort_unstable();
        characters.dedup();
        for character in characters {
            bytes.clear();
            if self.push(character, &mut bytes) {
                each(character, &bytes);
            }
        }
    }

    #[cold]
    fn encoded(self, text: &[u8], shown: fn(char) -> Option<String>) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        for chunk in text.utf8_chunks() {
            for character in chunk.valid().chars() {
                if self.push(character, &mut out) {
                    continue;
                }
                match shown(character) {
                    Some(shown) => out.extend_from_slice(shown.as_bytes()),
                    None => self.push_unknown(&mut out),
                }
            }
            // Bytes that were no character.
            if !chunk.invalid().is_empty() {
                self.push_unknown(&mut out);
            }
        }
        out
    }

    /// Appends what stands for a character that it does not have.
    fn push_unknown(self, out: &mut Vec<u8>) {
        if !self.push('?', out) {
            out.push(b'?');
        }
    }

    /// Whether bytes are text of this set from the beginning to the end.
    pub fn is_valid(self, text: &[u8]) -> bool {
        match self.form {
            // Bytes that a set leaves out are text, too, of which it is not known what it says.
            Form::Single(_) if self.name != "ascii" => true,
            Form::Binary => true,
            Form::Utf8 { narrow } => std::str::from_utf8(text)
                .is_ok_and(|text| !narrow || text.bytes().all(|byte| byte < 0xF0)),
            Form::Single(_) => text.is_ascii(),
            Form::Wide(wide) => wide.is_valid(text),
            Form::Known(encoding, _) => !encoding.decode_without_bom_handling(text).1,
        }
    }

    /// Bytes of a literal that is too short for whole characters of this set, filled up with zeros
    /// in front, as MySQL fills `_utf16 X'41'` up.
    pub fn filled_up(self, text: &[u8]) -> Cow<'_, [u8]> {
        let unit = match self.form {
            Form::Wide(wide) => wide.unit_bytes(),
            _ => 1,
        };
        let missing = (unit - text.len() % unit) % unit;
        match missing {
            0 => Cow::Borrowed(text),
            _ => Cow::Owned([&[0; 3][..missing], text].concat()),
        }
    }
}

/// Makes UTF-8 of text that comes in pieces, which may be cut within a character.
pub struct StreamDecoder {
    decoder: encoding_rs::Decoder,
    misread: &'static [(char, char)],
}

impl StreamDecoder {
    /// The next piece; with `last` there is no more.
    pub fn decode(&mut self, piece: &[u8], last: bool) -> Vec<u8> {
        let room = self.decoder.max_utf8_buffer_length(piece.len());
        let room = room.unwrap_or(4 * piece.len() + 16);
        let mut decoded = String::with_capacity(room);
        // All of it is read: there is room for what it may become.
        let (_, _, has_errors) = self.decoder.decode_to_string(piece, &mut decoded, last);
        if has_errors {
            decoded = decoded.replace('\u{FFFD}', "?");
        }
        multiple::put_right(decoded, self.misread).into_bytes()
    }
}

fn from_characters(characters: impl Iterator<Item = char>) -> Vec<u8> {
    characters.collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests;
