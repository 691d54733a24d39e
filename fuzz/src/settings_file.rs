//! Settings files: any text is taken or refused with a reason.

use server::settings::{Settings, Values};

/// Reads the input as a settings file.
pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let mut values = Values::defaults();
    let read = values.read_toml(text, "file");
    let outcome = read.and_then(|()| Settings::new(&values).map(drop));
    if let Err(error) = outcome {
        assert!(!error.to_string().is_empty());
    }
}
