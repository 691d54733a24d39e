//! What the numbers of some rows come to, without a look at one after the other: their sum, the
//! smallest and the largest.
//!
//! Rows that are dead are taken off again where they are few among many: of a sum they always can
//! be. Of the smallest and the largest only if they are neither; else the others are looked at.
//!
//! Not here: totals of more than a batch of rows (`crate::groups`).

use std::ops::Range;

use super::{Column, Narrow, Selection, Values};

/// What some numbers come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// How many, NULL being none.
    pub count: u64,
    pub sum: i128,
    /// The smallest and the largest, which order as unsigned ones after a flip.
    pub ends: Option<(u64, u64)>,
}

/// The same of offsets, of at least one.
#[derive(Clone, Copy)]
struct Offsets {
    sum: u128,
    least: u64,
    most: u64,
}

impl Offsets {
    fn of(offsets: impl Iterator<Item = u64>) -> Offsets {
        let none = Offsets { sum: 0, least: u64::MAX, most: 0 };
        offsets.fold(none, |so_far, offset| Offsets {
            sum: so_far.sum + u128::from(offset),
            least: so_far.least.min(offset),
            most: so_far.most.max(offset),
        })
    }
}

impl Narrow {
    /// Of rows one behind the other, in the narrow width: so many of them are looked at at a time.
    fn offsets(&self, range: &Range<usize>) -> Offsets {
        macro_rules! offsets {
            ($bytes:literal, $number:ty) => {{
                let numbers = &self.bytes.as_chunks::<$bytes>().0[range.clone()];
                let numbers = numbers.iter().map(|bytes| <$number>::from_le_bytes(*bytes));
                let (mut sum, mut least, mut most) = (0u64, <$number>::MAX, 0);
                for number in numbers {
                    // A segment has too few rows for four bytes of each to come to more than eight.
                    sum += u64::from(number);
                    least = least.min(number);
                    most = most.max(number);
                }
                Offsets { sum: sum.into(), least: least.into(), most: most.into() }
            }};
        }
        match self.width {
            0 => Offsets { sum: 0, least: 0, most: 0 },
            1 => offsets!(1, u8),
            2 => offsets!(2, u16),
            4 => offsets!(4, u32),
            _ => Offsets::of(range.clone().map(|row| self.get(row))),
        }
    }
}

impl Column {
    /// What the numbers of some rows come to, some of which are dead if they are one behind the
    /// other. Of the ends it need not say what is no better than `known`. Of a column of something
    /// else: that there are none.
    pub fn numbers(
        &self,
        unsigned: bool,
        rows: &Selection,
        dead: &[u32],
        known: Option<(u64, u64)>,
    ) -> Numbers {
        let none = Numbers { count: 0, sum: 0, ends: None };
        let Values::Numbers { base, shift, offsets, .. } = &self.values else { return none };
        let flip = if unsigned { 0 } else { 1 << 63 };
        let signed = |number: u64| match unsigned {
            true => i128::from(number),
            false => i128::from(number as i64),
        };
        let number = |offset: u64| base.wrapping_add(offset << shift) ^ flip;
        let all = |count: u64, of: Offsets| Numbers {
            count,
            sum: signed(*base) * i128::from(count) + ((of.sum as i128) << shift),
            ends: Some((number(of.least), number(of.most))),
        };
        let one_by_one = |rows: &Selection| {
            let mut count = 0;
            let counted = |row: &usize| {
                let is_value = !self.is_null(*row);
                count += u64::from(is_value);
                is_value
            };
            let of = match rows {
                Selection::Range(rows) => rows.clone().filter(counted).map(|row| offsets.get(row)),
                Selection::Rows(rows) => {
                    let rows = rows.iter().map(|row| *row as usize).filter(counted);
                    return (Offsets::of(rows.map(|row| offsets.get(row))), count);
                }
            };
            (Offsets::of(of), count)
        };
        let of_rows = |rows: &Selection| match one_by_one(rows) {
            (_, 0) => none,
            (of, count) => all(count, of),
        };
        let Selection::Range(range) = rows else { return of_rows(rows) };
        if range.len() == dead.len() {
            return none;
        }
        if self.valid.is_some() {
            return of_rows(&Selection::without(range.clone(), dead));
        }
        let of = offsets.offsets(range);
        let (mut gone, mut is_end) = (0u128, false);
        for row in dead {
            let offset = offsets.get(*row as usize);
            gone += u128::from(offset);
            is_end |= offset == of.least || offset == of.most;
        }
        let left = Offsets { sum: of.sum - gone, ..of };
        let mut numbers = all((range.len() - dead.len()) as u64, left);
        let is_better = |(least, most): (u64, u64)| match known {
            Some(known) => least < known.0 || most > known.1,
            None => true,
        };
        if is_end {
            let wanted = numbers.ends.is_some_and(is_better);
            numbers.ends = match wanted {
                true => of_rows(&Selection::without(range.clone(), dead)).ends,
                false => None,
            };
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Array, Int64Array, UInt64Array};
    use std::sync::Arc;

    /// What a column of numbers comes to without some that are dead, one by one.
    fn expected(numbers: &[Option<i128>], dead: &[u32]) -> (u64, i128, Option<(i128, i128)>) {
        let left = numbers.iter().enumerate().filter(|(row, _)| !dead.contains(&(*row as u32)));
        let left: Vec<i128> = left.filter_map(|(_, number)| *number).collect();
        let ends = left.iter().min().copied().zip(left.iter().max().copied());
        (left.len() as u64, left.iter().sum(), ends)
    }

    #[test]
    fn totals_are_those_of_the_rows_that_are_alive_whatever_their_width_and_sign() {
        for (first, step) in [(-5i64, 1i64), (0, 0), (i64::MIN, 1 << 40), (-1 << 33, 7), (9, 300)] {
            for nulls in [false, true] {
                let number = |row: i64| {
                    (nulls && row % 5 == 1)
                        .then_some(())
                        .is_none()
                        .then(|| first.wrapping_add(step.wrapping_mul(row * 7919 % 1000)))
                };
                let numbers: Vec<Option<i64>> = (0..1000).map(number).collect();
                let array: Arc<dyn Array> = Arc::new(Int64Array::from(numbers.clone()));
                let column = Column::of_integers(&array, first as u64, u32::MAX);
                // Farther than distances of four bytes go: as it comes from the store.
                let column = column.unwrap_or_else(|| stored(&numbers));
                let wide: Vec<Option<i128>> =
                    numbers.iter().map(|number| number.map(i128::from)).collect();
                for dead in [vec![], vec![0], (0..1000).step_by(3).collect(), (0..1000).collect()] {
                    let dead: Vec<u32> = dead;
                    let found = column.numbers(false, &Selection::Range(0..1000), &dead, None);
                    let unflip = |number: u64| i128::from((number ^ 1 << 63) as i64);
                    let ends = found.ends.map(|(least, most)| (unflip(least), unflip(most)));
                    assert_eq!((found.count, found.sum, ends), expected(&wide, &dead));
                    let rows = Selection::without(0..1000, &dead);
                    assert_eq!(column.numbers(false, &rows, &[], None), found);
                }
            }
        }
    }

    fn stored(numbers: &[Option<i64>]) -> Column {
        use values::types::{ColumnType, IntWidth};
        let ty = ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };
        let mut gather = crate::column::Gather::new(&ty);
        for number in numbers {
            let datum = number.map_or(values::Datum::Null, values::Datum::Int);
            gather.append(datum).unwrap();
        }
        let encoded = gather.finish(&mut crate::column::Encoder::new().unwrap()).unwrap();
        Column::decode(&encoded.bytes, numbers.len(), None).unwrap()
    }

    #[test]
    fn an_end_that_is_dead_is_not_given_where_a_better_one_is_known() {
        let array: Arc<dyn Array> = Arc::new(UInt64Array::from_iter_values([1, 5, 9]));
        let column = Column::of_integers(&array, 1, 100).unwrap();
        let all = Selection::Range(0..3);
        assert_eq!(column.numbers(true, &all, &[0], None).ends, Some((5, 9)));
        assert_eq!(column.numbers(true, &all, &[0], Some((1, 9))).ends, None);
        assert_eq!(column.numbers(true, &all, &[0], Some((4, 8))).ends, Some((5, 9)));
        assert_eq!(column.numbers(true, &all, &[1], Some((0, 20))).ends, Some((1, 9)));
    }
}
