//! What a column's values come to where rows make no groups: how many there are, their sum, the
//! smallest and the largest, without an array of them.
//!
//! Not here: what a batch of a column comes to (`crate::column`).

use arrow_array::ArrayRef;
use rows::error::{Error, Result};
use values::datum::Datum;
use values::types::ColumnType;

use crate::arrow::ColumnWriter;
use crate::column::{Selection, Shape, datum_of, number_of, shape_of};
use crate::scan::ColumnSource;

/// What the values of a column of numbers come to, of a segment.
#[derive(Clone, Debug)]
pub struct Total {
    ty: ColumnType,
    count: u64,
    sum: i128,
    /// The smallest and the largest, as they order.
    ends: Option<(u64, u64)>,
}

/// Whether totals can be had of a type's values.
pub(crate) fn has_totals(ty: &ColumnType) -> bool {
    matches!(shape_of(ty), Shape::Number { .. })
}

impl Total {
    pub(super) fn new(ty: &ColumnType) -> Total {
        Total { ty: ty.clone(), count: 0, sum: 0, ends: None }
    }

    fn is_unsigned(&self) -> bool {
        matches!(shape_of(&self.ty), Shape::Number { unsigned: true })
    }

    /// Adds the values of some rows; `absent` is what a segment without the column has. `known`:
    /// the ends that were given already, and no better ones have to be.
    pub(super) fn add<'d>(
        &mut self,
        source: &ColumnSource,
        (rows, dead): (&Selection, &[u32]),
        absent: impl FnOnce(usize) -> Datum<'d>,
        known: &mut Option<(u64, u64)>,
    ) -> Result<()> {
        let unsigned = self.is_unsigned();
        let (count, sum, ends) = match source {
            ColumnSource::Column(_, column) => {
                let numbers = column.numbers(unsigned, rows, dead, *known);
                (numbers.count, numbers.sum, numbers.ends)
            }
            ColumnSource::Absent(at) => {
                let absent = absent(*at);
                if absent.is_null() {
                    return Ok(());
                }
                let number = number_of(&self.ty, absent)?;
                let count = (rows.len() - dead.len()) as u64;
                let wide = if unsigned { number.into() } else { i128::from(number as i64) };
                let ordered = number ^ self.flip();
                (count, wide * i128::from(count), Some((ordered, ordered)))
            }
            ColumnSource::RowId(_) | ColumnSource::Key(_) => return Err(no_numbers()),
        };
        self.count += count;
        self.sum += sum;
        for ends in ends.filter(|_| count > 0).into_iter() {
            for of in [&mut self.ends, known] {
                *of = Some(match *of {
                    None => ends,
                    Some((least, most)) => (least.min(ends.0), most.max(ends.1)),
                });
            }
        }
        Ok(())
    }

    fn flip(&self) -> u64 {
        if self.is_unsigned() { 0 } else { 1 << 63 }
    }

    /// How many values, NULL being none.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum, of decimals in units of the last digit; `None` of none.
    pub fn sum(&self) -> Option<i128> {
        (self.count > 0).then_some(self.sum)
    }

    /// The smallest or the largest, as an array of one; NULL where there is none, or one that was
    /// given before is as good.
    ///
    /// # Errors
    /// `Corrupt` for a number that the type has not.
    pub fn end(&self, largest: bool) -> Result<ArrayRef> {
        let mut writer = ColumnWriter::new(&self.ty, 1);
        match self.ends {
            None => writer.append_null(),
            Some((least, most)) => {
                let number = if largest { most } else { least } ^ self.flip();
                writer.append(datum_of(&self.ty, number).ok_or_else(no_numbers)?)?;
            }
        }
        Ok(writer.finish())
    }
}

fn no_numbers() -> Error {
    Error::Corrupt { key: Vec::new(), why: "totals of a column that has no such numbers" }
}
