//! Parameters of prepared statements: types and values of an execution.

use doors::fuzzing::mysql::Statement;

use crate::memory::within;
use crate::shapes::byte;

/// Bytes that one parameter may take: its type, and its value with room to grow.
const PARAMETER_BYTES: usize = 256;

/// Executes a statement of as many parameters as the input's first byte says.
pub fn check(mut input: &[u8]) {
    let count = byte(&mut input);
    let mut statement = Statement::new(u16::from(count));
    let memory_max = PARAMETER_BYTES * (usize::from(count) + 8);
    let mut values = Vec::new();
    let decoded = within(memory_max, || statement.decode(input, &mut values));
    if decoded.is_err() {
        return;
    }
    assert_eq!(values.len(), usize::from(count));
    let first = format!("{values:?}");
    drop(values);
    if count == 0 {
        return;
    }
    // The types stay bound: the same values without them are the same values.
    let nulls = usize::from(count).div_ceil(8);
    let mut again = input[..nulls].to_vec();
    again.push(0);
    again.extend_from_slice(&input[nulls + 1 + 2 * usize::from(count)..]);
    let mut values = Vec::new();
    statement.decode(&again, &mut values).expect("the types are bound");
    assert_eq!(format!("{values:?}"), first);
}
