//! Ciphers, digests, check sums and encodings.

pub(crate) mod aes;
pub(crate) mod compress;
pub(crate) mod digest;
pub(crate) mod etag;
