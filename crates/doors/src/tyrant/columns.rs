//! The columns of a record of a table database: names and values of any bytes, each name once.
//!
//! ```text
//! in requests and answers   name NUL value NUL name NUL value
//! in a row's JSON           {"name": "value", "name": "value"}
//! ```
//! JSON that SQL has written is read as text: numbers as their digits, lists as JSON, and null as
//! no column at all.
//!
//! Invariants
//! 1. A column whose bytes are no UTF-8 is refused where JSON is kept; nothing is replaced.
//!
//! Not here: which tables have which form (`database`).

use serde_json::{Map, Value};
use values::member;

use crate::tyrant::command::TyrantFailure;

/// Names and values, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns(Vec<(Vec<u8>, Vec<u8>)>);

impl Columns {
    /// Reads names and values in turn; of a name that comes twice the last value counts.
    ///
    /// # Errors
    /// `Invalid` for a name that is empty or has no value.
    pub fn of_parts<'p>(
        mut parts: impl Iterator<Item = &'p [u8]>,
    ) -> Result<Columns, TyrantFailure> {
        let mut columns = Columns::default();
        while let Some(name) = parts.next() {
            let value =
                parts.next().ok_or(TyrantFailure::Invalid("a column has no value".into()))?;
            if name.is_empty() {
                return Err(TyrantFailure::Invalid("a column has no name".into()));
            }
            columns.set(name, value);
        }
        Ok(columns)
    }

    /// Reads what `joined` writes.
    ///
    /// # Errors
    /// As `of_parts`.
    pub fn of_joined(joined: &[u8]) -> Result<Columns, TyrantFailure> {
        match joined {
            [] => Ok(Columns::default()),
            joined => Columns::of_parts(joined.split(|byte| *byte == 0)),
        }
    }

    /// Names and values with NULs between.
    pub fn joined(&self) -> Vec<u8> {
        let parts = self.iter().flat_map(|(name, value)| [name, value]);
        parts.collect::<Vec<_>>().join(&0)
    }

    /// Reads an object; anything else has no columns.
    pub fn of_json(text: &[u8]) -> Columns {
        let members = member::all_texts(text).into_iter();
        Columns(members.map(|(name, text)| (name.into_bytes(), text.into_bytes())).collect())
    }

    /// Reads only some columns of an object.
    pub fn of_json_among(text: &[u8], names: &[&str]) -> Columns {
        if names.is_empty() {
            return Columns::default();
        }
        let named = names.iter().zip(member::texts(text, names));
        let there =
            named.filter_map(|(name, text)| Some((name.as_bytes().to_vec(), text?.into_bytes())));
        Columns(there.collect())
    }

    /// An object of texts.
    ///
    /// # Errors
    /// `Invalid` for bytes that are no UTF-8.
    pub fn to_json(&self) -> Result<Vec<u8>, TyrantFailure> {
        let text = |bytes: &[u8]| {
            let why = "columns of documents are UTF-8";
            String::from_utf8(bytes.to_vec()).map_err(|_| TyrantFailure::Invalid(why.into()))
        };
        let mut object = Map::new();
        for (name, value) in self.iter() {
            object.insert(text(name)?, Value::String(text(value)?));
        }
        Ok(Value::Object(object).to_string().into_bytes())
    }

    /// Each name with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.0.iter().map(|(name, value)| (&name[..], &value[..]))
    }

    /// The value of a column.
    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        self.iter().find_map(|(of, value)| (of == name).then_some(value))
    }

    /// Sets the value of a column.
    pub fn set(&mut self, name: &[u8], value: &[u8]) {
        match self.0.iter_mut().find(|(of, _)| of == name) {
            Some((_, old)) => *old = value.to_vec(),
            None => self.0.push((name.to_vec(), value.to_vec())),
        }
    }

    /// Adds the columns of others that are not here yet.
    pub fn add_missing(&mut self, others: &Columns) {
        for (name, value) in others.iter() {
            if self.get(name).is_none() {
                self.set(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_back_as_they_were_joined() {
        let columns = Columns::of_joined(b"a\x001\0b\0\0a\x002").unwrap();
        assert_eq!(columns.joined(), b"a\x002\0b\0");
        assert_eq!(Columns::of_joined(b"").unwrap().joined(), b"");
        assert!(Columns::of_joined(b"a\x001\0b").is_err(), "b has no value");
        assert!(Columns::of_joined(b"\x001").is_err(), "no name");
    }

    #[test]
    fn json_of_others_is_read_as_text() {
        let columns = Columns::of_json(br#"{"a": 1.50, "b": "x", "c": null, "d": [1, 2]}"#);
        assert_eq!(columns.get(b"b"), Some(&b"x"[..]));
        assert_eq!(columns.get(b"c"), None);
        assert_eq!(columns.get(b"d"), Some(&b"[1,2]"[..]));
        assert_eq!(Columns::of_json(b"[1]"), Columns::default());
        assert_eq!(Columns::of_json(br#"{"a": "x"} {}"#), Columns::default());
        let columns = Columns::of_json(br#"{"b": "1", "a": "2", "b": null, "c": "3", "a": "4"}"#);
        let names: Vec<_> = columns.iter().collect();
        assert_eq!(names, [(&b"a"[..], &b"4"[..]), (b"c", b"3")]);
    }

    #[test]
    fn json_takes_only_text() {
        let mut columns = Columns::default();
        columns.set(b"a\"", "ü\n".as_bytes());
        assert_eq!(Columns::of_json(&columns.to_json().unwrap()), columns);
        columns.set(b"b", b"\xff");
        assert!(columns.to_json().is_err());
    }
}
