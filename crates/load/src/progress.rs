//! Reports of how far a dump or a load is.
//!
//! Not here: how it is shown (crate `server`), what is counted (`dump`, `loading`).

/// Is told how far it is.
pub trait Progress {
    /// So many bytes and rows are done; `what` is worked at now.
    fn at(&mut self, bytes: u64, rows: u64, what: &str);

    /// A message that stays.
    fn say(&mut self, message: &str);
}
