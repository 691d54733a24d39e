//! What stands before a column's bytes: drawn in the module above.
//!
//! Not here: what its numbers mean for the bytes behind it (`gather`, `decode`).

/// The form of columns; of another one nothing is known.
const FORM: u8 = 1;
const HEADER_BYTES: usize = 33;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub kind: u8,
    pub flags: u8,
    pub width: u8,
    pub rows: u32,
    pub base: u64,
    pub step: u64,
    pub shift: u8,
    pub words: u32,
    /// Of what follows, before its compression.
    pub bytes: u32,
}

impl Header {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_BYTES);
        out.extend_from_slice(&[FORM, self.kind, self.flags, self.width]);
        out.extend_from_slice(&self.rows.to_le_bytes());
        out.extend_from_slice(&self.base.to_le_bytes());
        out.extend_from_slice(&self.step.to_le_bytes());
        out.push(self.shift);
        out.extend_from_slice(&self.words.to_le_bytes());
        out.extend_from_slice(&self.bytes.to_le_bytes());
        debug_assert_eq!(out.len(), HEADER_BYTES);
        out
    }

    /// The header of a stored column, and what stands behind it; `None` where there is none.
    pub fn decode(stored: &[u8]) -> Option<(Header, &[u8])> {
        let (head, rest) = stored.split_first_chunk::<HEADER_BYTES>()?;
        let u32_at = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four"));
        let u64_at = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight"));
        let header = Header {
            kind: head[1],
            flags: head[2],
            width: head[3],
            rows: u32_at(4),
            base: u64_at(8),
            step: u64_at(16),
            shift: head[24],
            words: u32_at(25),
            bytes: u32_at(29),
        };
        (head[0] == FORM).then_some((header, rest))
    }
}
