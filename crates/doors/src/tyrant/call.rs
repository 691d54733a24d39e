//! A call of a script's function (`ext`), as a client asks for it.
//!
//! Not here: how it is written (`decode`, `http`), carrying it out (`lua`).

/// Beside which others a call may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locking {
    /// Any.
    None,
    /// Those with other keys: the record of the call's key is locked.
    Record,
    /// None that lock, too.
    Global,
}

impl Locking {
    /// As the options of `ext` say it.
    pub fn of(options: i32) -> Locking {
        match options {
            options if options & 2 != 0 => Locking::Global,
            options if options & 1 != 0 => Locking::Record,
            _ => Locking::None,
        }
    }
}

/// A call of a function.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The function's name.
    pub name: &'c [u8],
    /// Beside which others it runs.
    pub locking: Locking,
    /// Its first argument.
    pub key: &'c [u8],
    /// Its second.
    pub value: &'c [u8],
}
