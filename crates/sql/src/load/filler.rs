//! One thread's rows on their way into a load: numbered, taken, cut into blocks.
//!
//! Not here: what the rows are made of (`query`, `inserts`), a load of several threads
//! (`parallel`).

use rows::bulk::{AutoIncrements, BulkLoad, BulkOutcome, RowTaker};
use rows::error::Result;
use rows::rules::Lenience;
use rows::transaction::NumberRules;
use values::datum::{Datum, Value};

/// Takes all rows of a load.
pub(super) struct Filler {
    taker: RowTaker,
    blocks: u64,
    numbers: Option<AutoIncrements>,
    rows: u64,
}

impl Filler {
    /// For a load that has no rows yet.
    ///
    /// # Errors
    /// `NoMemory`; those of reading the table's AUTO_INCREMENT value.
    pub fn begin(bulk: &mut BulkLoad, rules: NumberRules) -> Result<Filler> {
        let numbers = bulk.numbers(rules)?;
        let taker = bulk.takers(1)?.remove(0);
        Ok(Filler { taker, blocks: 0, numbers, rows: 0 })
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The first AUTO_INCREMENT value that was made up.
    pub fn first_number(&self) -> Option<u64> {
        self.numbers.as_ref().and_then(AutoIncrements::first)
    }

    /// Gives the row that is put in next its AUTO_INCREMENT value, if it leaves that open.
    ///
    /// # Errors
    /// `Exhausted`.
    pub fn number(&mut self, row: &mut [Value]) -> Result<()> {
        self.numbers.as_mut().map_or(Ok(()), |numbers| numbers.number(row))
    }

    /// As `RowTaker::compute_with`.
    pub fn compute_with(&mut self, lenience: Option<Lenience>) -> Option<Lenience> {
        self.taker.compute_with(lenience)
    }

    /// Puts a row in.
    ///
    /// # Errors
    /// As `RowTaker::add`.
    pub fn put(&mut self, row: &[Value]) -> Result<()> {
        let datums: Vec<Datum<'_>> = row.iter().map(Value::as_datum).collect();
        self.taker.add(self.rows + 1, &datums)?;
        self.rows += 1;
        if self.taker.has_block() {
            self.end_block()?;
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        // Nobody else could have stopped it.
        self.taker.end_block(self.blocks)?;
        self.blocks += 1;
        Ok(())
    }

    /// Lets the rows appear.
    ///
    /// # Errors
    /// As `BulkLoad::finish`.
    pub fn finish(mut self, bulk: BulkLoad) -> Result<BulkOutcome> {
        self.end_block()?;
        let sorted = Vec::from_iter(self.taker.finish()?);
        bulk.finish(sorted, self.rows, self.numbers.as_ref())
    }

    /// As `BulkLoad::look_for_duplicates`, among the rows so far.
    ///
    /// # Errors
    /// As that.
    pub fn look_for_duplicates(self, bulk: BulkLoad) -> Result<()> {
        let sorted = Vec::from_iter(self.taker.finish()?);
        bulk.look_for_duplicates(sorted, self.rows)
    }
}
