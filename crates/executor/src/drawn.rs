//! Memory for what one SELECT keeps while it runs: given back when that is gone, as a correlated
//! sub-query runs as often as there are rows around it.
//!
//! Not here: what stays as long as the statement (`Execution::draw`).

use rows::local::KeySet;

use super::Execution;
use results::Result;

/// Bytes drawn from the execution's memory until this is dropped.
pub(super) struct DrawnBytes<'e> {
    execution: &'e Execution<'e>,
    bytes: usize,
}

impl<'e> DrawnBytes<'e> {
    /// Nothing yet.
    pub fn nothing(execution: &'e Execution<'e>) -> DrawnBytes<'e> {
        DrawnBytes { execution, bytes: 0 }
    }

    /// So many bytes more.
    ///
    /// # Errors
    /// As `Execution::draw`.
    pub fn draw(&mut self, bytes: usize) -> Result<()> {
        self.execution.draw(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// As many bytes as there are now; in steps, so that few rows cost little.
    ///
    /// # Errors
    /// As `Execution::draw`.
    pub fn keep_up_with(&mut self, bytes: usize, step: usize) -> Result<()> {
        match bytes.checked_sub(self.bytes) {
            None | Some(0) => Ok(()),
            Some(more) => self.draw(more.next_multiple_of(step)),
        }
    }

    /// Adds a key that it does not have to a set.
    ///
    /// # Errors
    /// As `Execution::draw`; those of a file.
    pub fn insert(&mut self, set: &mut KeySet, key: Vec<u8>) -> Result<()> {
        let before = set.bytes();
        self.execution.insert(set, key)?;
        self.bytes = (self.bytes + set.bytes()).saturating_sub(before);
        Ok(())
    }

    /// It stays drawn as long as the execution.
    pub fn stay(mut self) {
        self.bytes = 0;
    }

    /// Nothing of it is needed any more.
    pub fn give_all_back(&mut self) {
        self.give_back(self.bytes);
    }

    /// Some of it is not needed any more.
    pub fn give_back(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        self.execution.give_back(bytes);
    }
}

impl Drop for DrawnBytes<'_> {
    fn drop(&mut self) {
        self.execution.give_back(self.bytes);
    }
}
