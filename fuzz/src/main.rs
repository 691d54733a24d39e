//! One fuzz target under libFuzzer: the one that `ROWHOUSE_FUZZ_TARGET` names.
//!
//! `scripts/fuzz` builds and runs it. Not here: what targets check (`lib`).
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

fn check() -> fn(&[u8]) {
    static CHECK: OnceLock<fn(&[u8])> = OnceLock::new();
    *CHECK.get_or_init(|| {
        let name = std::env::var("ROWHOUSE_FUZZ_TARGET").unwrap_or_default();
        let target = fuzz::TARGETS.iter().find(|target| target.0 == name);
        target.unwrap_or_else(|| panic!("ROWHOUSE_FUZZ_TARGET names no target: {name:?}")).1
    })
}

fuzz_target!(|input: &[u8]| check()(input));
