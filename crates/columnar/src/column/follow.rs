//! Columns that follow from others: the city from the airport, the class of a delay from the delay.
//!
//! Tables that are made for questions repeat what could be looked up. Where a value of one column
//! always stands next to the same value of another, the other is stored by one value for each of
//! the first, and made of it when it is read.
//!
//! Invariants
//! 1. What a column follows from does not follow itself: one column is read at most along with
//!    another.
//!
//! Not here: how the values lie on the disk (`gather`, `decode`).

use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, Buffer};

use super::gather::{Encoder, Gather, GatheredValues, frame_of};
use super::{Column, Narrow, Selection, Values, width_of};

/// The most values of a column from which others follow, NULL not counted; and how many rows each
/// has at least.
const VALUES_MAX: usize = 1 << 13;
const ROWS_PER_VALUE_MIN: usize = 8;
/// A column in which this many rows are mostly equal is small as it is.
const ROWS_PER_CHANGE_MAX: usize = 64;
/// Fewer rows are not looked at.
const ROWS_MIN: usize = 1 << 10;

/// The most values that a column that follows may have.
pub(super) const FOLLOWING_MAX: usize = VALUES_MAX + 1;

/// What a column follows from.
#[derive(Clone)]
pub(crate) struct Follows {
    /// Its place among the columns.
    pub column: usize,
    /// For each value that it could have, and then for NULL if it has any, a row that has it; where
    /// none has, the row of another value.
    pub rows: Arc<[u32]>,
}

/// For each of some columns of the same rows, the one that it follows from.
pub(crate) fn sources_of(columns: &[&Gather], encoder: &mut Encoder) -> Vec<Option<Follows>> {
    let mut found = vec![None; columns.len()];
    let rows = columns.first().map_or(0, |column| column.rows);
    if rows < ROWS_MIN {
        return found;
    }
    let looks: Vec<Option<Look<'_>>> =
        columns.iter().map(|column| Look::at(column, encoder)).collect();
    let mut order: Vec<(usize, &Look<'_>)> =
        looks.iter().enumerate().filter_map(|(at, look)| Some((at, look.as_ref()?))).collect();
    // A column follows from one that has at least as many values; those that have too many to be
    // followed come last.
    order.sort_by_key(|(_, look)| std::cmp::Reverse(look.codes.as_ref().map_or(0, |(_, n)| *n)));
    let mut sources: Vec<(usize, &[u16], Vec<u32>)> = Vec::new();
    for (at, look) in order {
        let mut known = sources.iter();
        if let Some((column, _, first)) = known.find(|(_, codes, first)| look.follows(codes, first))
        {
            found[at] = Some(Follows { column: *column, rows: filled(first) });
        } else if let Some((codes, count)) = &look.codes {
            sources.push((at, &codes[..], first_rows(codes, *count)));
        }
    }
    found
}

/// A column of which another could follow, or that could follow itself.
struct Look<'a> {
    gather: &'a Gather,
    /// By row the place of its value among all that it could have, and how many these are, with one
    /// for NULL. None for numbers that lie too far apart.
    codes: Option<(Vec<u16>, usize)>,
}

impl<'a> Look<'a> {
    /// `None` for a column that is small as it is, and for one that is not compared.
    fn at(gather: &'a Gather, encoder: &mut Encoder) -> Option<Look<'a>> {
        let rows = gather.rows;
        let values_max = VALUES_MAX.min(rows / ROWS_PER_VALUE_MIN);
        let changes_min = rows / ROWS_PER_CHANGE_MAX;
        let with_nulls = |codes: &mut dyn Iterator<Item = u64>, count: usize| {
            let code = |(row, code): (usize, u64)| match gather.is_valid(row) {
                true => code as u16,
                false => count as u16,
            };
            let codes: Vec<u16> = codes.enumerate().map(code).collect();
            (codes, count + usize::from(gather.nulls > 0))
        };
        match &gather.values {
            GatheredValues::Numbers { unsigned, numbers } => {
                if changes(numbers) < changes_min {
                    return None;
                }
                let frame = frame_of(numbers, *unsigned, |row| gather.is_valid(row))?;
                let last = frame.max.wrapping_sub(frame.min) >> frame.shift;
                let offset = |number: &u64| number.wrapping_sub(frame.min) >> frame.shift;
                let codes = (last < values_max as u64)
                    .then(|| with_nulls(&mut numbers.iter().map(offset), last as usize + 1));
                Some(Look { gather, codes })
            }
            GatheredValues::Texts { ends, bytes } => {
                let codes = encoder.words.codes(ends, bytes)?;
                if changes(codes) < changes_min {
                    return None;
                }
                let count = codes.iter().max().map_or(0, |last| *last as usize + 1);
                if count > values_max {
                    return None;
                }
                let codes = with_nulls(&mut codes.iter().map(|code| u64::from(*code)), count);
                Some(Look { gather, codes: Some(codes) })
            }
            GatheredValues::Fixed { .. } => None,
        }
    }

    /// Whether every row has the value of the first row of its code.
    fn follows(&self, codes: &[u16], first: &[u32]) -> bool {
        let firsts = codes.iter().map(|code| first[usize::from(*code)] as usize);
        match (&self.codes, &self.gather.values) {
            (Some((own, _)), _) => own.iter().zip(firsts).all(|(code, first)| *code == own[first]),
            (None, GatheredValues::Numbers { numbers, .. }) => {
                firsts.enumerate().all(|(row, first)| {
                    // What stands for NULL is any number.
                    match (self.gather.is_valid(row), self.gather.is_valid(first)) {
                        (true, true) => numbers[row] == numbers[first],
                        (row, first) => row == first,
                    }
                })
            }
            (None, _) => false,
        }
    }
}

fn changes<T: PartialEq>(values: &[T]) -> usize {
    values.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// The first row of each code.
fn first_rows(codes: &[u16], count: usize) -> Vec<u32> {
    let mut first = vec![u32::MAX; count];
    for (row, code) in codes.iter().enumerate() {
        let first = &mut first[usize::from(*code)];
        *first = (*first).min(row as u32);
    }
    first
}

/// The rows, with that of the code before where a code has none.
fn filled(first: &[u32]) -> Arc<[u32]> {
    let mut last = first.iter().copied().find(|row| *row != u32::MAX).unwrap_or(0);
    let rows = first.iter().map(|row| {
        last = if *row == u32::MAX { last } else { *row };
        last
    });
    rows.collect()
}

impl Column {
    /// The column that follows from another of so many rows, by its values, which are so many;
    /// `None` if they do not belong together.
    pub(super) fn followed(self, count: usize, source: &Column, rows: usize) -> Option<Column> {
        let codes = match &source.values {
            Values::Numbers { offsets, .. } => offsets,
            Values::Texts { codes: Some(codes), .. } => codes,
            Values::Texts { codes: None, .. } | Values::Fixed { .. } => return None,
        };
        let null = match &source.valid {
            None => count,
            Some(_) => count.checked_sub(1)?,
        };
        let is_whole = codes.bytes.len() == rows * usize::from(codes.width);
        if !is_whole || rows > 0 && codes.largest() >= null as u64 {
            return None;
        }
        let mut places = codes.map(&Selection::Range(0..rows), |code| code as u32);
        if let Some(valid) = &source.valid {
            let nulls = places.iter_mut().zip(valid).filter(|(_, is_valid)| !is_valid);
            nulls.for_each(|(place, _)| *place = null as u32);
        }
        let valid = self.valid.and_then(|valid| {
            let valid: BooleanBuffer = places.iter().map(|at| valid.value(*at as usize)).collect();
            (valid.count_set_bits() < rows).then_some(valid)
        });
        let values = match self.values {
            Values::Numbers { base, shift, offsets, .. } => {
                let offsets = offsets.at(&places);
                let largest = offsets.largest();
                Values::Numbers { base, shift, offsets, largest }
            }
            Values::Fixed { width, bytes } => {
                let width_bytes = usize::from(width);
                let value = |at: &u32| &bytes[*at as usize * width_bytes..][..width_bytes];
                let bytes = places.iter().flat_map(value).copied().collect::<Vec<u8>>();
                Values::Fixed { width, bytes: Buffer::from_vec(bytes) }
            }
            Values::Texts { codes: Some(codes), words } => {
                Values::Texts { codes: Some(codes.at(&places)), words }
            }
            Values::Texts { codes: None, words } => {
                Values::Texts { codes: Some(Narrow::of(&places, count)), words }
            }
        };
        Some(Column { valid, values })
    }
}

impl Narrow {
    /// Those at some places.
    fn at(&self, places: &[u32]) -> Narrow {
        let rows = Selection::Rows(places.to_vec());
        let bytes = match self.width {
            0 => Buffer::from_vec(Vec::<u8>::new()),
            1 => Buffer::from_vec(self.map(&rows, |number| number as u8)),
            2 => Buffer::from_vec(self.map(&rows, |number| number as u16)),
            4 => Buffer::from_vec(self.map(&rows, |number| number as u32)),
            _ => Buffer::from_vec(self.map(&rows, |number| number)),
        };
        Narrow { width: self.width, bytes }
    }

    /// These numbers, all below `end`.
    fn of(numbers: &[u32], end: usize) -> Narrow {
        let width = width_of(end.saturating_sub(1) as u64);
        let bytes = match width {
            0 => Buffer::from_vec(Vec::<u8>::new()),
            1 => Buffer::from_iter(numbers.iter().map(|number| *number as u8)),
            2 => Buffer::from_iter(numbers.iter().map(|number| *number as u16)),
            _ => Buffer::from_iter(numbers.iter().copied()),
        };
        Narrow { width, bytes }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use values::datum::Value;
    use values::types::{Collation, ColumnType, IntWidth};

    use super::super::source_of;
    use super::*;

    fn numbers() -> ColumnType {
        ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false }
    }

    fn texts() -> ColumnType {
        ColumnType::VarChar { chars: 100, collation: Collation::Utf8Mb4GeneralCi }
    }

    /// The columns there and back: each's source, by its place.
    fn there_and_back(columns: &[(ColumnType, Vec<Value>)]) -> Vec<Option<usize>> {
        let mut encoder = Encoder::new().unwrap();
        let gathered = |(ty, values): &(ColumnType, Vec<Value>)| {
            let mut gather = Gather::new(ty);
            values.iter().for_each(|value| gather.append(value.as_datum()).unwrap());
            gather
        };
        let mut gathers: Vec<Gather> = columns.iter().map(gathered).collect();
        let sources = sources_of(&gathers.iter().collect::<Vec<_>>(), &mut encoder);
        let mut stored = Vec::new();
        for (gather, source) in gathers.iter_mut().zip(&sources) {
            let nulls = gather.nulls;
            let encoded = match source {
                None => gather.finish(&mut encoder),
                Some(from) => gather.finish_following(from.column as u16, &from.rows, &mut encoder),
            };
            let encoded = encoded.unwrap();
            assert_eq!(encoded.nulls as usize, nulls);
            assert_eq!(gather.rows, 0, "the next one begins");
            stored.push(encoded.bytes);
        }
        for ((ty, values), bytes) in columns.iter().zip(&stored) {
            let source = source_of(bytes).map(|source| {
                Column::decode(&stored[usize::from(source)], values.len(), None).unwrap()
            });
            let column = Column::decode(bytes, values.len(), source.as_ref()).unwrap();
            for (row, value) in values.iter().enumerate() {
                assert_eq!(column.datum(ty, row).unwrap().to_value(), *value, "row {row}");
            }
        }
        sources.into_iter().map(|source| source.map(|source| source.column)).collect()
    }

    /// So many rows of airports and what follows from them, of which one in seventeen has none.
    fn airports(rows: u64) -> Vec<(ColumnType, Vec<Value>)> {
        let column = |ty: ColumnType, value: &dyn Fn(u64) -> Value| {
            let airport = |row: u64| row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let value = |row| match airport(row) % 17 {
                0 => Value::Null,
                _ => value(airport(row) % 100),
            };
            (ty, (0..rows).map(value).collect())
        };
        vec![
            column(numbers(), &|airport| Value::Int(airport as i64 % 10)),
            column(numbers(), &|airport| Value::Int(10_000 + 2 * airport as i64)),
            column(texts(), &|airport| Value::Bytes(format!("city {airport}").into_bytes())),
            // Numbers that lie far apart, and a column that is NULL for some airports only.
            column(numbers(), &|airport| Value::Int(airport as i64 * 1_000_000_007)),
            column(texts(), &|airport| match airport % 3 {
                0 => Value::Null,
                _ => Value::Bytes(format!("state {}", airport % 50).into_bytes()),
            }),
        ]
    }

    #[test]
    fn what_follows_from_another_column_is_stored_by_its_values() {
        let mut columns = airports(5_000);
        let own = (0..5_000).map(|row: i64| Value::Int(row * row % 4_001));
        columns.push((numbers(), own.collect()));
        assert_eq!(
            there_and_back(&columns),
            [Some(2), Some(2), None, Some(2), Some(2), None],
            "all follow from the cities"
        );
    }

    #[test]
    fn a_column_that_deviates_in_one_row_stands_by_itself() {
        let mut columns = airports(5_000);
        columns[4].1[4_321] = Value::Bytes(b"elsewhere".to_vec());
        assert_eq!(there_and_back(&columns)[4], None);
        let mut columns = airports(5_000);
        let row = columns[1].1.iter().rposition(Value::is_null).unwrap();
        columns[0].1[row] = Value::Int(3);
        assert_eq!(there_and_back(&columns)[0], None, "beside NULL there is one value, too");
    }

    #[test]
    fn a_column_that_follows_needs_its_source() {
        let columns = airports(2_000);
        let mut encoder = Encoder::new().unwrap();
        let mut gather = Gather::new(&columns[2].0);
        columns[2].1.iter().for_each(|value| gather.append(value.as_datum()).unwrap());
        let bytes = gather.finish_following(7, &[0, 1, 2], &mut encoder).unwrap().bytes;
        assert_eq!(source_of(&bytes), Some(7));
        assert!(Column::decode(&bytes, 2_000, None).is_err());
        // One of more values, one that has NULLs, one of other rows.
        let numbers = |distances: &[u32]| Column::of_numbers(0, distances);
        for source in [vec![9; 2_000], vec![0; 1_999]] {
            assert!(Column::decode(&bytes, 2_000, Some(&numbers(&source))).is_err());
        }
        assert!(Column::decode(&bytes, 2_000, Some(&numbers(&[3; 2_000]))).is_ok());
        assert!(Column::decode(&bytes, 2_001, Some(&numbers(&[3; 2_001]))).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_columns_come_back(
            seeds in proptest::collection::vec((1..2_000u64, 1..40u64, any::<bool>(), 0..20u64), 1..8),
            rows in 1_000..3_000u64,
        ) {
            let columns: Vec<(ColumnType, Vec<Value>)> = seeds
                .iter()
                .map(|(spread, divisor, text, null)| {
                    let value = |row: u64| {
                        let number = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
                        let number = number % 1_000 % spread / divisor;
                        match (*null > 0 && number == *null, text) {
                            (true, _) => Value::Null,
                            (_, true) => Value::Bytes(format!("word {number}").into_bytes()),
                            (_, false) => Value::Int(number as i64 * 3),
                        }
                    };
                    let ty = if *text { texts() } else { numbers() };
                    (ty, (0..rows).map(value).collect())
                })
                .collect();
            there_and_back(&columns);
        }

        /// The store's checksums stand before this: whatever passes them must not end the server.
        #[test]
        fn damaged_bytes_are_an_error_or_other_values(
            at in any::<proptest::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let (ty, values) = airports(1_500).swap_remove(4);
            let mut gather = Gather::new(&ty);
            values.iter().for_each(|value| gather.append(value.as_datum()).unwrap());
            let rows: Vec<u32> = (0..101).collect();
            let mut encoder = Encoder::new().unwrap();
            let mut bytes = gather.finish_following(0, &rows, &mut encoder).unwrap().bytes;
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let codes: Vec<u32> = (0..1_500).map(|row| row % 101).collect();
            let source = Column::of_numbers(0, &codes);
            if let Ok(column) = Column::decode(&bytes, 1_500, Some(&source)) {
                for row in 0..1_500 {
                    let _ = column.datum(&ty, row).map(|datum| datum.is_null());
                }
            }
        }
    }
}
