//! AES_ENCRYPT and AES_DECRYPT: AES of 128 bits, block by block (ECB), as MariaDB 10.11 has them.
//!
//! The key is a text of any length, whose bytes are laid over 16 by exclusive or. The last block is
//! filled up with bytes that each say how many they are (PKCS #7), a whole block of them if nothing
//! is missing.
//!
//! Not here: MySQL's further arguments and `block_encryption_mode`.

use aes::Aes128;
use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};

use crate::functions::call::Call;
use crate::functions::text::calls::{made, texts_of};
use crate::statement::error::Result;
use crate::tree::function::Function;
use crate::value::cell::{Cell, NULL};

const BLOCK_BYTES: usize = 16;

/// Their values.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    let mut buffers = vec![Vec::new(); cells.len()];
    let texts = texts_of(arguments, cells, scope, &mut buffers);
    let (text, key) = (texts[0], folded(texts[1]));
    Ok(match function {
        Function::AesEncrypt => {
            let bytes = (text.len() / BLOCK_BYTES + 1) * BLOCK_BYTES;
            made(function, bytes, scope, || encrypt(text, key, bytes))?
        }
        _ => {
            let mut wrong = false;
            let cell = made(function, text.len(), scope, || {
                let plain = decrypt(text, key);
                wrong = plain.is_none();
                plain.unwrap_or_default()
            })?;
            if wrong { NULL } else { cell }
        }
    })
}

fn folded(key: &[u8]) -> [u8; BLOCK_BYTES] {
    let mut folded = [0; BLOCK_BYTES];
    key.iter().enumerate().for_each(|(at, byte)| folded[at % BLOCK_BYTES] ^= byte);
    folded
}

fn encrypt(text: &[u8], key: [u8; BLOCK_BYTES], bytes: usize) -> Vec<u8> {
    let cipher = Aes128::new(&Array(key));
    let mut out = Vec::with_capacity(bytes);
    out.extend_from_slice(text);
    out.resize(bytes, (bytes - text.len()) as u8);
    for block in out.as_chunks_mut::<BLOCK_BYTES>().0 {
        cipher.encrypt_block(block.into());
    }
    out
}

/// None: it is no text that was encrypted with this key.
fn decrypt(text: &[u8], key: [u8; BLOCK_BYTES]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(BLOCK_BYTES) {
        return None;
    }
    let cipher = Aes128::new(&Array(key));
    let mut out = text.to_vec();
    for block in out.as_chunks_mut::<BLOCK_BYTES>().0 {
        cipher.decrypt_block(block.into());
    }
    let missing = usize::from(*out.last()?);
    let kept = out.len().checked_sub(missing)?;
    let is_filled = (1..=BLOCK_BYTES).contains(&missing)
        && out[kept..].iter().all(|byte| usize::from(*byte) == missing);
    out.truncate(kept);
    is_filled.then_some(out)
}
