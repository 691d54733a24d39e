//! A value of a row as a literal that MariaDB, MySQL and Rowhouse read alike.
//!
//! ```text
//! NULL                   NULL
//! numbers                as they are; DOUBLE with an exponent, so that no digit is cut off
//! bytes                  0x6162, or '' for none
//! texts, dates, ENUM     'it\'s', with \0 \n \r \Z \\ \' and \" escaped
//! ```
//!
//! Not here: which values there are (`dump`).

/// How a column's values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Digits as they are.
    Number,
    /// Digits with an exponent.
    Double,
    /// Hexadecimal.
    Bytes,
    /// In quotes.
    Text,
}

impl Form {
    /// By the protocol's type code; `binary` are strings without a character set.
    pub fn of(type_code: u8, binary: bool) -> Form {
        match type_code {
            // DECIMAL, the integers, YEAR, NEWDECIMAL.
            0x00..=0x03 | 0x08 | 0x09 | 0x0d | 0xf6 => Form::Number,
            // FLOAT, DOUBLE.
            0x04 | 0x05 => Form::Double,
            // VARCHAR, BIT, the BLOBs, VAR_STRING, STRING, GEOMETRY.
            0x0f | 0x10 | 0xf9..=0xff if binary => Form::Bytes,
            _ => Form::Text,
        }
    }
}

/// As many bytes as the literal of a value may have.
pub fn bytes_max(value: &[u8], form: Form) -> usize {
    const AROUND: usize = 3;
    match form {
        Form::Number | Form::Double => value.len() + AROUND,
        Form::Bytes | Form::Text => 2 * value.len() + AROUND,
    }
}

/// Appends a value.
pub fn write(out: &mut Vec<u8>, value: Option<&[u8]>, form: Form) {
    let Some(value) = value else { return out.extend_from_slice(b"NULL") };
    match form {
        Form::Number => out.extend_from_slice(value),
        Form::Double => {
            out.extend_from_slice(value);
            // Without an exponent it would be a DECIMAL, whose digits are limited.
            if !value.iter().any(|byte| matches!(byte, b'e' | b'E')) {
                out.extend_from_slice(b"e0");
            }
        }
        // An empty hexadecimal literal is a syntax error in some servers.
        Form::Bytes if value.is_empty() => out.extend_from_slice(b"''"),
        Form::Bytes => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            out.reserve(2 + 2 * value.len());
            out.extend_from_slice(b"0x");
            for byte in value {
                let (high, low) = (byte >> 4, byte & 15);
                out.extend_from_slice(&[DIGITS[high as usize], DIGITS[low as usize]]);
            }
        }
        Form::Text => write_text(out, value),
    }
}

fn write_text(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'\'');
    let mut plain = 0;
    for (at, &byte) in text.iter().enumerate() {
        let escaped = match byte {
            0 => b'0',
            b'\n' => b'n',
            b'\r' => b'r',
            0x1a => b'Z',
            b'\\' | b'\'' | b'"' => byte,
            _ => continue,
        };
        out.extend_from_slice(&text[plain..at]);
        out.extend_from_slice(&[b'\\', escaped]);
        plain = at + 1;
    }
    out.extend_from_slice(&text[plain..]);
    out.push(b'\'');
}

/// A name in backticks.
pub fn name(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: &[u8], form: Form) -> String {
        let mut out = Vec::new();
        write(&mut out, Some(value), form);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn literals_are_what_every_server_reads() {
        assert_eq!(written(b"-12.50", Form::Number), "-12.50");
        assert_eq!(written(b"0.1", Form::Double), "0.1e0");
        assert_eq!(written(b"1e308", Form::Double), "1e308");
        assert_eq!(written(b"\x00\xffA", Form::Bytes), "0x00ff41");
        assert_eq!(written(b"", Form::Bytes), "''");
        assert_eq!(
            written("it's \\ \"ü\"\n\0\x1a".as_bytes(), Form::Text),
            r#"'it\'s \\ \"ü\"\n\0\Z'"#
        );
        let mut out = Vec::new();
        write(&mut out, None, Form::Text);
        assert_eq!(out, b"NULL");
        assert_eq!(name("a`b"), "`a``b`");
    }
}
