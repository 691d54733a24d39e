//! Character sets of two or four bytes for each unit: ucs2, utf16, utf16le, utf32.
//!
//! Not here: UTF-8.

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum WideCharset {
    /// Two bytes for each character, none beyond the first plane.
    Ucs2,
    /// Two bytes, or four as a surrogate pair.
    Utf16,
    /// The same, the low byte first.
    Utf16Le,
    /// Four bytes.
    Utf32,
}

impl WideCharset {
    /// Bytes of the smallest character.
    pub fn unit_bytes(self) -> usize {
        if self == WideCharset::Utf32 { 4 } else { 2 }
    }

    /// Whether it has all characters.
    pub fn has_all(self) -> bool {
        self != WideCharset::Ucs2
    }

    /// The characters of a text; `?` for what is none.
    pub fn characters(self, text: &[u8]) -> impl Iterator<Item = char> + '_ {
        self.read(text).map(|character| character.unwrap_or('?'))
    }

    /// Whether all of a text is characters.
    pub fn is_valid(self, text: &[u8]) -> bool {
        self.read(text).all(|character| character.is_some())
    }

    fn read(self, text: &[u8]) -> Box<dyn Iterator<Item = Option<char>> + '_> {
        let units = text.chunks(self.unit_bytes());
        let unit = move |bytes: &[u8]| match *bytes {
            [low, high] if self == WideCharset::Utf16Le => Some(u16::from_le_bytes([low, high])),
            [high, low] => Some(u16::from_be_bytes([high, low])),
            _ => None,
        };
        match self {
            WideCharset::Utf32 => Box::new(units.map(|bytes| {
                let code = u32::from_be_bytes(<[u8; 4]>::try_from(bytes).ok()?);
                char::from_u32(code)
            })),
            WideCharset::Ucs2 => Box::new(
                units.map(move |bytes| unit(bytes).and_then(|code| char::from_u32(code.into()))),
            ),
            WideCharset::Utf16 | WideCharset::Utf16Le => {
                // Half a unit at the end is half of a pair: no character.
                let codes = units.map(move |bytes| unit(bytes).unwrap_or(0xD800));
                Box::new(char::decode_utf16(codes).map(Result::ok))
            }
        }
    }

    /// Appends a character; `?` for one that there is not.
    pub fn push(self, character: char, out: &mut Vec<u8>) {
        let mut units = [0; 2];
        match self {
            WideCharset::Utf32 => out.extend_from_slice(&u32::from(character).to_be_bytes()),
            WideCharset::Ucs2 => {
                let code = u16::try_from(u32::from(character)).unwrap_or(u16::from(b'?'));
                out.extend_from_slice(&code.to_be_bytes());
            }
            WideCharset::Utf16 => {
                for unit in character.encode_utf16(&mut units) {
                    out.extend_from_slice(&unit.to_be_bytes());
                }
            }
            WideCharset::Utf16Le => {
                for unit in character.encode_utf16(&mut units) {
                    out.extend_from_slice(&unit.to_le_bytes());
                }
            }
        }
    }
}
