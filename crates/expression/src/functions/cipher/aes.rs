//! AES_ENCRYPT and AES_DECRYPT: `(text, key [, vector [, kdf [, salt [, info or iterations]]]])`,
//! as MySQL 9.7 has them (tests/oracle/sql/ciphers.sql).
//!
//! Without a KDF the key is a text of any length, whose bytes are laid over those that the mode has
//! keys of by exclusive or; a KDF (`hkdf`, `pbkdf2_hmac`, both over SHA-512) makes one of as many.
//!
//! Not here: how the cipher goes through the text (`block_mode`).

use std::num::NonZeroU32;

use ring::{hkdf, pbkdf2};
use values::ErrorCode;

use crate::functions::call::Call;
use crate::functions::text::calls::{made, texts_of};
use crate::row::scope::Scope;
use crate::statement::block_mode::{BLOCK_BYTES, Block, BlockMode};
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::value::cell::{Cell, NULL};

/// Bytes of a KDF's salt, info or iterations.
const OPTION_BYTES_MAX: usize = 255;
/// Iterations of PBKDF2 if nobody says how many.
const ITERATIONS: u32 = 1000;
const ITERATIONS_MAX: u32 = 65_535;

/// Their values.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    let mode = scope.context.map_or_else(BlockMode::default, |context| context.block_mode);
    if arguments.len() == 2 && mode.has_vector() {
        return Err(Error::parameter_count(function.name()));
    }
    let mut buffers = vec![Vec::new(); cells.len()];
    let texts = texts_of(arguments, cells, scope, &mut buffers);
    let given = |at: usize| cells.get(at).map(|cell| (!cell.is_null()).then(|| texts[at]));
    let vector = match given(2) {
        None => [0; BLOCK_BYTES],
        Some(vector) if mode.has_vector() => vector_of(function, vector)?,
        Some(_) => {
            if arguments.len() == 3 {
                scope.warn(ErrorCode::WarnOptionIgnored, || "<IV> option ignored".to_owned());
            }
            [0; BLOCK_BYTES]
        }
    };
    let kdf = given(3).map(|name| Ok::<_, Error>((option(name)?, given(4), given(5))));
    let kdf = kdf.transpose()?;
    if cells[..2].iter().any(Cell::is_null) {
        return Ok(NULL);
    }
    let (text, secret) = (texts[0], texts[1]);
    let mut key = vec![0; mode.key_bytes()];
    match kdf {
        Some((b"hkdf", salt, info)) => {
            let (salt, info) = (option_or_empty(salt)?, option_or_empty(info)?);
            by_hkdf(secret, salt, info, &mut key);
        }
        Some((b"pbkdf2_hmac", salt, iterations)) => {
            let (salt, iterations) = (option_or_empty(salt)?, iterations_of(iterations)?);
            let algorithm = pbkdf2::PBKDF2_HMAC_SHA512;
            pbkdf2::derive(algorithm, iterations, salt, secret, &mut key);
        }
        Some(_) => {
            let message =
                "KDF method name is not valid. Please use hkdf or pbkdf2_hmac method name";
            return Err(Error::new(ErrorCode::AesInvalidKdfName, message));
        }
        None => fold(secret, &mut key, scope),
    }
    Ok(match function {
        Function::AesEncrypt => {
            let bytes = mode.encrypted_bytes(text.len());
            made(function, bytes, scope, || mode.encrypt(text, &key, vector))?
        }
        _ => {
            let mut wrong = false;
            let cell = made(function, text.len(), scope, || {
                let plain = mode.decrypt(text, &key, vector);
                wrong = plain.is_none();
                plain.unwrap_or_default()
            })?;
            if wrong { NULL } else { cell }
        }
    })
}

/// # Errors
/// 1882 for one that is too short.
fn vector_of(function: Function, given: Option<&[u8]>) -> Result<Block> {
    let first = given.and_then(|bytes| bytes.first_chunk::<BLOCK_BYTES>());
    first.copied().ok_or_else(|| {
        let message = format!(
            "The initialization vector supplied to {} is too short. Must be at least \
             {BLOCK_BYTES} bytes long",
            function.name().to_ascii_lowercase()
        );
        Error::new(ErrorCode::AesInvalidIv, message)
    })
}

/// # Errors
/// 3238 for NULL, or for one that is too long.
fn option(given: Option<&[u8]>) -> Result<&[u8]> {
    given.filter(|bytes| bytes.len() <= OPTION_BYTES_MAX).ok_or_else(|| {
        let message = "KDF option size is invalid, please provide valid size < 256 bytes and not \
                       NULL";
        Error::new(ErrorCode::AesInvalidKdfOptionSize, message)
    })
}

fn option_or_empty(given: Option<Option<&[u8]>>) -> Result<&[u8]> {
    given.map_or(Ok(&[]), option)
}

/// # Errors
/// 3236 for less than 1,000 or more than 65,535, or what is no number.
fn iterations_of(given: Option<Option<&[u8]>>) -> Result<NonZeroU32> {
    let iterations = match given {
        None => Some(ITERATIONS),
        Some(given) => std::str::from_utf8(option(given)?).ok().and_then(|text| text.parse().ok()),
    };
    let fits = iterations.filter(|number| (ITERATIONS..=ITERATIONS_MAX).contains(number));
    fits.and_then(NonZeroU32::new).ok_or_else(|| {
        let message = "For KDF method pbkdf2_hmac iterations value less than 1000 or more than \
                       65535 is not allowed due to security reasons. Please provide iterations >= \
                       1000 and iterations < 65535";
        Error::new(ErrorCode::AesInvalidKdfIterations, message)
    })
}

fn by_hkdf(secret: &[u8], salt: &[u8], info: &[u8], key: &mut [u8]) {
    struct Bytes(usize);
    impl hkdf::KeyType for Bytes {
        fn len(&self) -> usize {
            self.0
        }
    }
    let extracted = hkdf::Salt::new(hkdf::HKDF_SHA512, salt).extract(secret);
    let info = [info];
    let expanded = extracted.expand(&info, Bytes(key.len()));
    let filled = expanded.and_then(|expanded| expanded.fill(key));
    filled.expect("a key is shorter than what SHA-512 may be expanded to");
}

fn fold(secret: &[u8], key: &mut [u8], scope: &Scope<'_>) {
    let bytes = key.len();
    if secret.len() > bytes {
        scope.warn(ErrorCode::WarnAesKeySize, || {
            format!(
                "AES key size should be {bytes} bytes length or secure KDF methods hkdf or \
                 pbkdf2_hmac should be used, please provide exact AES key size or use KDF methods \
                 for better security."
            )
        });
    }
    secret.iter().enumerate().for_each(|(at, byte)| key[at % bytes] ^= byte);
}
