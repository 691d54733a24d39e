//! Thrift's compact protocol, as far as Parquet files have it: to look over what they say before a
//! decoder makes room for it. (`thrift-compact-protocol.md`) Pages have numbers of the same forms.
//!
//! Invariants
//! 1. Nothing is allocated, and no value is passed over more than once.
//!
//! Not here: what is too much (`footer`, `pages`, `differences`).

/// Structs and lists within each other that are passed over.
const DEPTH_MAX: usize = 16;

/// The types of fields.
pub(super) mod wire {
    pub(in super::super) const STOP: u8 = 0;
    pub(in super::super) const TRUE: u8 = 1;
    pub(in super::super) const FALSE: u8 = 2;
    pub(in super::super) const BYTE: u8 = 3;
    pub(in super::super) const I16: u8 = 4;
    pub(in super::super) const I32: u8 = 5;
    pub(in super::super) const I64: u8 = 6;
    pub(in super::super) const DOUBLE: u8 = 7;
    pub(in super::super) const BINARY: u8 = 8;
    pub(in super::super) const LIST: u8 = 9;
    pub(in super::super) const SET: u8 = 10;
    pub(in super::super) const STRUCT: u8 = 12;
}

/// Why bytes cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// What they hold goes on behind them.
    Incomplete,
    /// They are no such thing.
    Wrong,
}

/// What was read.
pub(super) type ThriftResult<T> = Result<T, Unknown>;

/// Fills a place, which must be empty.
pub(super) fn once<T>(place: &mut Option<T>, found: T) -> ThriftResult<()> {
    match place.replace(found) {
        None => Ok(()),
        Some(_) => Err(Unknown::Wrong),
    }
}

/// What is left of some bytes.
#[derive(Clone)]
pub(super) struct Cursor<'b>(pub(super) &'b [u8]);

impl<'b> Cursor<'b> {
    pub(super) fn byte(&mut self) -> ThriftResult<u8> {
        let (first, rest) = self.0.split_first().ok_or(Unknown::Incomplete)?;
        self.0 = rest;
        Ok(*first)
    }

    /// So many bytes.
    pub(super) fn bytes(&mut self, count: usize) -> ThriftResult<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Unknown::Incomplete)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(super) fn varint(&mut self) -> ThriftResult<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Unknown::Wrong)
    }

    pub(super) fn signed(&mut self) -> ThriftResult<i64> {
        let number = self.varint()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(super) fn i32(&mut self) -> ThriftResult<i32> {
        i32::try_from(self.signed()?).map_err(|_| Unknown::Wrong)
    }

    /// The next field's number and type; `None` behind the last.
    pub(super) fn field(&mut self, last: &mut i64) -> ThriftResult<Option<(i64, u8)>> {
        let head = self.byte()?;
        let ty = head & 0x0f;
        if ty == wire::STOP {
            return Ok(None);
        }
        *last = match head >> 4 {
            0 => self.signed()?,
            more => last.checked_add(i64::from(more)).ok_or(Unknown::Wrong)?,
        };
        // Of a larger one the decoder would see the lower half.
        i16::try_from(*last).map_err(|_| Unknown::Wrong)?;
        Ok(Some((*last, ty)))
    }

    /// The next field of a struct whose types are known, from field 1 on: none of those has
    /// another, as the decoder goes by the number alone. A truth has the type TRUE there.
    pub(super) fn field_of(
        &mut self,
        last: &mut i64,
        types: &[u8],
    ) -> ThriftResult<Option<(i64, u8)>> {
        let Some((id, ty)) = self.field(last)? else { return Ok(None) };
        let place = usize::try_from(id - 1).ok();
        let known = place.and_then(|place| types.get(place));
        let found = if ty == wire::FALSE { wire::TRUE } else { ty };
        match known.is_none_or(|known| *known == found) {
            true => Ok(Some((id, ty))),
            false => Err(Unknown::Wrong),
        }
    }

    /// The type of a list's elements, and how many there are: no more than bytes.
    pub(super) fn list(&mut self) -> ThriftResult<(u8, usize)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.varint()?,
            few => u64::from(few),
        };
        match usize::try_from(count) {
            Ok(count) if count <= self.0.len() => Ok((head & 0x0f, count)),
            _ => Err(Unknown::Incomplete),
        }
    }

    /// Bytes that say how many they are.
    pub(super) fn binary(&mut self) -> ThriftResult<&'b [u8]> {
        let count = usize::try_from(self.varint()?).map_err(|_| Unknown::Incomplete)?;
        self.bytes(count)
    }

    /// Passes over a value, which is no list of truths.
    pub(super) fn skip(&mut self, ty: u8) -> ThriftResult<()> {
        self.skip_within(ty, DEPTH_MAX)
    }

    fn skip_within(&mut self, ty: u8, depth: usize) -> ThriftResult<()> {
        match ty {
            wire::TRUE | wire::FALSE => Ok(()),
            wire::BYTE => self.bytes(1).map(drop),
            wire::I16 | wire::I32 | wire::I64 => self.varint().map(drop),
            wire::DOUBLE => self.bytes(8).map(drop),
            wire::BINARY => self.binary().map(drop),
            wire::LIST | wire::SET if depth > 0 => {
                let (ty, count) = self.list()?;
                // There each has a byte of its own, which the decoder does not pass over.
                if matches!(ty, wire::TRUE | wire::FALSE) {
                    return Err(Unknown::Wrong);
                }
                (0..count).try_for_each(|_| self.skip_within(ty, depth - 1))
            }
            wire::STRUCT if depth > 0 => {
                let mut last = 0;
                while let Some((_, ty)) = self.field(&mut last)? {
                    self.skip_within(ty, depth - 1)?;
                }
                Ok(())
            }
            // Parquet has no maps.
            _ => Err(Unknown::Wrong),
        }
    }
}
