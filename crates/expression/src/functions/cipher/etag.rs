//! ETAG: what tells whether values have changed, as MySQL 9.7 computes it.
//!
//! ```text
//! ETAG(a, b, ..)   the sum of the values' hashes without what goes beyond 128 bits, in hexadecimal
//! hash of a value  XXH3 of 128 bits over its text; of an empty text that of one zero byte
//! hash of NULL     one number (`OF_NULL`)
//! ```
//!
//! The order of values does not matter. The facts are measured (tests/oracle/sql/ciphers.sql);
//! JSON alone has another hash there, of its stored form, which is not this server's.

use values::datum::Datum;
use xxhash_rust::xxh3::xxh3_128;

use crate::functions::call::Call;
use crate::functions::text::calls::texts_of;
use crate::statement::error::Result;
use crate::value::cell::Cell;

/// What stands for NULL.
const OF_NULL: u128 = 0x4d6a_c5b7_d1a1_655c_ab94_ac0a_ce72_76c0;

/// Its value.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let mut buffers = vec![Vec::new(); cells.len()];
    let texts = texts_of(call.arguments, cells, call.scope, &mut buffers);
    let hashes = cells.iter().zip(texts).map(|(cell, text)| match cell.datum() {
        Datum::Null => OF_NULL,
        _ if text.is_empty() => xxh3_128(&[0]),
        _ => xxh3_128(text),
    });
    let sum = hashes.fold(0, u128::wrapping_add);
    Ok(Cell::Owned(format!("{sum:032x}").into_bytes()))
}
