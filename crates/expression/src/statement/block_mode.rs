//! How AES goes through a text, block by block: `block_encryption_mode` (MySQL 9.7 reference
//! manual, 14.13; NIST SP 800-38A).
//!
//! ```text
//! ECB     each block by itself                              filled up to whole blocks
//! CBC     each block mixed with the encrypted one before    filled up to whole blocks
//! CFB     each bit, byte or block mixed with what the       as long as the text
//!         encrypted text before it is encrypted to
//! OFB     each block mixed with what begins with the        as long as the text
//!         initialization vector and is encrypted again
//! ```
//!
//! Invariants
//! 1. The last block of ECB and CBC is filled up with bytes that each say how many they are (PKCS
//!    #7), a whole block of them if nothing is missing.
//!
//! Not here: where key and initialization vector come from (`aes`).

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};

/// Bytes of a block, and of an initialization vector.
pub(crate) const BLOCK_BYTES: usize = 16;

/// A block.
pub(crate) type Block = [u8; BLOCK_BYTES];

/// A value of `block_encryption_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockMode {
    /// Bytes of the key: 16, 24 or 32.
    key_bytes: usize,
    chaining: Chaining,
}

/// What a block has to do with those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chaining {
    Ecb,
    Cbc,
    /// Bits at a time.
    Cfb1,
    /// Bytes at a time.
    Cfb8,
    /// Blocks at a time.
    Cfb128,
    Ofb,
}

/// In MySQL's order, by which SET may name them as numbers.
const CHAININGS: [(&str, Chaining); 6] = [
    ("ecb", Chaining::Ecb),
    ("cbc", Chaining::Cbc),
    ("cfb1", Chaining::Cfb1),
    ("cfb8", Chaining::Cfb8),
    ("cfb128", Chaining::Cfb128),
    ("ofb", Chaining::Ofb),
];
const KEY_BYTES: [usize; 3] = [16, 24, 32];

impl Default for BlockMode {
    fn default() -> BlockMode {
        BlockMode { key_bytes: KEY_BYTES[0], chaining: Chaining::Ecb }
    }
}

impl BlockMode {
    /// The mode of a name in any case, or of its number: `aes-256-cbc` is 5.
    pub fn of(text: &str) -> Option<BlockMode> {
        let mut all = CHAININGS.iter().flat_map(|(_, chaining)| {
            KEY_BYTES.map(|key_bytes| BlockMode { key_bytes, chaining: *chaining })
        });
        match text.parse::<usize>() {
            Ok(number) => all.nth(number),
            Err(_) => all.find(|mode| mode.name().eq_ignore_ascii_case(text)),
        }
    }

    /// `aes-128-ecb`.
    pub fn name(self) -> String {
        let known = CHAININGS.iter().find(|(_, chaining)| *chaining == self.chaining);
        format!("aes-{}-{}", self.key_bytes * 8, known.map_or("", |(name, _)| name))
    }

    /// Bytes of its keys.
    pub(crate) fn key_bytes(self) -> usize {
        self.key_bytes
    }

    /// Whether it begins with an initialization vector.
    pub(crate) fn has_vector(self) -> bool {
        self.chaining != Chaining::Ecb
    }

    /// Whether what is encrypted is of whole blocks.
    fn is_filled(self) -> bool {
        matches!(self.chaining, Chaining::Ecb | Chaining::Cbc)
    }

    /// Bytes that so many are encrypted to.
    pub(crate) fn encrypted_bytes(self, bytes: usize) -> usize {
        if self.is_filled() { (bytes / BLOCK_BYTES + 1) * BLOCK_BYTES } else { bytes }
    }

    /// Encrypts a text with a key of `key_bytes`.
    pub(crate) fn encrypt(self, text: &[u8], key: &[u8], vector: Block) -> Vec<u8> {
        let bytes = self.encrypted_bytes(text.len());
        let mut out = Vec::with_capacity(bytes);
        out.extend_from_slice(text);
        out.resize(bytes, (bytes - text.len()) as u8);
        self.pass(&mut out, &Cipher::new(key), vector, true);
        out
    }

    /// Decrypts a text; `None` if it was not encrypted with this key.
    pub(crate) fn decrypt(self, text: &[u8], key: &[u8], vector: Block) -> Option<Vec<u8>> {
        let mut out = text.to_vec();
        if !self.is_filled() {
            self.pass(&mut out, &Cipher::new(key), vector, false);
            return Some(out);
        }
        if !text.len().is_multiple_of(BLOCK_BYTES) {
            return None;
        }
        self.pass(&mut out, &Cipher::new(key), vector, false);
        let missing = usize::from(*out.last()?);
        let kept = out.len().checked_sub(missing)?;
        let is_filled = (1..=BLOCK_BYTES).contains(&missing)
            && out[kept..].iter().all(|byte| usize::from(*byte) == missing);
        out.truncate(kept);
        is_filled.then_some(out)
    }

    /// Puts the encrypted text in the place of the plain one, or the other way round.
    fn pass(self, text: &mut [u8], cipher: &Cipher, mut vector: Block, encrypts: bool) {
        match self.chaining {
            Chaining::Ecb => {
                for block in text.as_chunks_mut::<BLOCK_BYTES>().0 {
                    if encrypts { cipher.encrypt(block) } else { cipher.decrypt(block) }
                }
            }
            Chaining::Cbc => {
                for block in text.as_chunks_mut::<BLOCK_BYTES>().0 {
                    if encrypts {
                        mix(block, &vector);
                        cipher.encrypt(block);
                        vector = *block;
                    } else {
                        let encrypted = *block;
                        cipher.decrypt(block);
                        mix(block, &vector);
                        vector = encrypted;
                    }
                }
            }
            Chaining::Cfb128 | Chaining::Ofb => {
                for piece in text.chunks_mut(BLOCK_BYTES) {
                    cipher.encrypt(&mut vector);
                    let stream = vector;
                    if self.chaining == Chaining::Cfb128 && !encrypts {
                        vector[..piece.len()].copy_from_slice(piece);
                    }
                    mix(piece, &stream);
                    if self.chaining == Chaining::Cfb128 && encrypts {
                        vector[..piece.len()].copy_from_slice(piece);
                    }
                }
            }
            Chaining::Cfb8 => {
                for byte in text {
                    let mut stream = vector;
                    cipher.encrypt(&mut stream);
                    let before = *byte;
                    *byte ^= stream[0];
                    vector.rotate_left(1);
                    vector[BLOCK_BYTES - 1] = if encrypts { *byte } else { before };
                }
            }
            Chaining::Cfb1 => {
                for byte in text {
                    for bit in (0..8).rev() {
                        let mut stream = vector;
                        cipher.encrypt(&mut stream);
                        let before = *byte >> bit & 1;
                        let after = before ^ stream[0] >> 7;
                        *byte = *byte & !(1 << bit) | after << bit;
                        let encrypted = u128::from(if encrypts { after } else { before });
                        vector = (u128::from_be_bytes(vector) << 1 | encrypted).to_be_bytes();
                    }
                }
            }
        }
    }
}

fn mix(piece: &mut [u8], stream: &Block) {
    piece.iter_mut().zip(stream).for_each(|(byte, other)| *byte ^= other);
}

/// AES with a key.
enum Cipher {
    Aes128(Aes128),
    Aes192(Aes192),
    Aes256(Aes256),
}

impl Cipher {
    /// # Panics
    /// For a key of another length than `BlockMode::key_bytes` knows.
    fn new(key: &[u8]) -> Cipher {
        const LENGTH: &str = "a key of 16, 24 or 32 bytes";
        match key.len() {
            16 => Cipher::Aes128(Aes128::new_from_slice(key).expect(LENGTH)),
            24 => Cipher::Aes192(Aes192::new_from_slice(key).expect(LENGTH)),
            _ => Cipher::Aes256(Aes256::new_from_slice(key).expect(LENGTH)),
        }
    }

    fn encrypt(&self, block: &mut Block) {
        match self {
            Cipher::Aes128(cipher) => cipher.encrypt_block(block.into()),
            Cipher::Aes192(cipher) => cipher.encrypt_block(block.into()),
            Cipher::Aes256(cipher) => cipher.encrypt_block(block.into()),
        }
    }

    fn decrypt(&self, block: &mut Block) {
        match self {
            Cipher::Aes128(cipher) => cipher.decrypt_block(block.into()),
            Cipher::Aes192(cipher) => cipher.decrypt_block(block.into()),
            Cipher::Aes256(cipher) => cipher.decrypt_block(block.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_gives_back_what_it_took() {
        for number in 0..18 {
            let mode = BlockMode::of(&number.to_string()).expect("a mode");
            assert_eq!(BlockMode::of(&mode.name().to_uppercase()), Some(mode));
            let key = vec![7; mode.key_bytes()];
            for length in [0, 1, 15, 16, 17, 100] {
                let text = vec![b'x'; length];
                let encrypted = mode.encrypt(&text, &key, [3; BLOCK_BYTES]);
                assert_eq!(encrypted.len(), mode.encrypted_bytes(length), "{}", mode.name());
                assert!(length == 0 || encrypted != text, "{}", mode.name());
                assert_eq!(mode.decrypt(&encrypted, &key, [3; BLOCK_BYTES]), Some(text));
            }
        }
        assert_eq!(BlockMode::of("18"), None);
        assert_eq!(BlockMode::of("aes-512-ecb"), None);
    }
}
