//! Reading the protocol's integers and strings from a payload.
//!
//! Invariants
//! 1. Whatever the bytes are, reading ends in a value or in `MalformedPayload`, never beyond the
//!    end.
//! 2. Strings are borrowed.
//!
//! Not here: what is read (`decode`, `handshake`, `parameters`).

/// A payload is shorter than what it announces, or holds what the protocol does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedPayload;

/// A position in a payload.
#[derive(Clone, Copy, Debug)]
pub struct PayloadCursor<'a> {
    rest: &'a [u8],
}

impl<'a> PayloadCursor<'a> {
    /// The start of `payload`.
    pub fn new(payload: &'a [u8]) -> PayloadCursor<'a> {
        PayloadCursor { rest: payload }
    }

    /// Whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// All that was not read yet.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// `count` bytes.
    ///
    /// # Errors
    /// `MalformedPayload` when fewer are left.
    #[inline]
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], MalformedPayload> {
        let (front, rest) = self.rest.split_at_checked(count).ok_or(MalformedPayload)?;
        self.rest = rest;
        Ok(front)
    }

    /// `N` bytes as an array.
    ///
    /// # Errors
    /// `MalformedPayload` when fewer are left.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], MalformedPayload> {
        let (front, rest) = self.rest.split_first_chunk::<N>().ok_or(MalformedPayload)?;
        self.rest = rest;
        Ok(*front)
    }

    /// One byte.
    ///
    /// # Errors
    /// `MalformedPayload` when nothing is left.
    #[inline]
    pub fn u8(&mut self) -> Result<u8, MalformedPayload> {
        Ok(self.array::<1>()?[0])
    }

    /// Two bytes, little-endian.
    ///
    /// # Errors
    /// `MalformedPayload` when fewer are left.
    #[inline]
    pub fn u16(&mut self) -> Result<u16, MalformedPayload> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Four bytes, little-endian.
    ///
    /// # Errors
    /// `MalformedPayload` when fewer are left.
    #[inline]
    pub fn u32(&mut self) -> Result<u32, MalformedPayload> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Eight bytes, little-endian.
    ///
    /// # Errors
    /// `MalformedPayload` when fewer are left.
    #[inline]
    pub fn u64(&mut self) -> Result<u64, MalformedPayload> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A length-encoded integer. NULL's mark (0xFB) and 0xFF are malformed here.
    ///
    /// # Errors
    /// `MalformedPayload` when it is cut short, or begins with NULL's mark (0xFB) or 0xFF.
    #[inline]
    pub fn lenenc(&mut self) -> Result<u64, MalformedPayload> {
        match self.u8()? {
            small @ 0..=0xFA => Ok(small as u64),
            0xFC => Ok(self.u16()? as u64),
            0xFD => {
                let [a, b, c] = self.array()?;
                Ok(u32::from_le_bytes([a, b, c, 0]) as u64)
            }
            0xFE => self.u64(),
            0xFB | 0xFF => Err(MalformedPayload),
        }
    }

    /// A string behind its length-encoded length.
    ///
    /// # Errors
    /// As `lenenc`, and when fewer bytes are left than it says.
    #[inline]
    pub fn lenenc_bytes(&mut self) -> Result<&'a [u8], MalformedPayload> {
        let length = self.lenenc()?;
        self.bytes(usize::try_from(length).map_err(|_| MalformedPayload)?)
    }

    /// A string up to a zero byte, which is consumed and not part of it.
    ///
    /// # Errors
    /// `MalformedPayload` when there is no zero byte.
    pub fn until_zero(&mut self) -> Result<&'a [u8], MalformedPayload> {
        let end = memchr::memchr(0, self.rest).ok_or(MalformedPayload)?;
        let string = self.bytes(end)?;
        self.u8()?;
        Ok(string)
    }

    /// A string up to a zero byte or, as some clients end their last one, to the end.
    pub fn until_zero_or_end(&mut self) -> &'a [u8] {
        self.until_zero().unwrap_or_else(|_| self.rest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_encoded_integers_of_all_four_sizes_are_read() {
        let mut cursor =
            PayloadCursor::new(&[0xFA, 0xFC, 1, 2, 0xFD, 1, 2, 3, 0xFE, 1, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(cursor.lenenc(), Ok(0xFA));
        assert_eq!(cursor.lenenc(), Ok(0x0201));
        assert_eq!(cursor.lenenc(), Ok(0x03_0201));
        assert_eq!(cursor.lenenc(), Ok(0x0100_0000_0000_0001));
        assert!(cursor.is_empty());
        assert_eq!(cursor.lenenc(), Err(MalformedPayload));
    }

    #[test]
    fn a_length_beyond_the_end_is_malformed() {
        assert_eq!(PayloadCursor::new(&[0xFE; 9]).lenenc_bytes(), Err(MalformedPayload));
        assert_eq!(PayloadCursor::new(&[5, b'a']).lenenc_bytes(), Err(MalformedPayload));
        assert_eq!(PayloadCursor::new(b"abc").until_zero(), Err(MalformedPayload));
        assert_eq!(PayloadCursor::new(b"abc").until_zero_or_end(), b"abc");
    }
}
