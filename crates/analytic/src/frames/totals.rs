//! What is added up over rows: of one row, of two parts of rows, of a block of rows.
//!
//! Invariants
//! 1. The total of two parts is had of their totals, in the order of their rows.
//! 2. Sums of decimals are exact in 256 bits. As in a grouping of DataFusion's, what is beyond the
//!    type wraps round: types of sums have ten digits of room.
//! 3. The smallest and largest values are bytes that sort as the values do.
//!
//! Not here: which rows (`values`).

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Decimal128Array, Decimal256Array, Float64Array, Int64Array,
    UInt64Array, new_null_array,
};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{
    DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION, DataType, Decimal128Type, Decimal256Type,
    Float64Type, UInt64Type, i256,
};
use datafusion::arrow::row::RowConverter;
use datafusion::common::{DataFusionError, Result};

/// How rows are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Totalling {
    /// COUNT of what is not NULL.
    Count,
    /// SUM of DECIMAL or DOUBLE.
    Sum,
    /// AVG of DOUBLE.
    Average,
    /// MIN.
    Least,
    /// MAX.
    Greatest,
    /// BIT_AND, BIT_OR, BIT_XOR.
    BitAnd,
    /// As above.
    BitOr,
    /// As above.
    BitXor,
    /// STDDEV_POP.
    DeviationOfAll,
    /// STDDEV_SAMP.
    DeviationOfSample,
    /// VAR_POP.
    VarianceOfAll,
    /// VAR_SAMP.
    VarianceOfSample,
}

/// Digits that a sum has more than what is summed, as DataFusion has it.
const SUM_DIGITS: u8 = 10;

impl Totalling {
    /// By the name that DataFusion gives the aggregate function.
    pub(crate) fn named(name: &str) -> Option<Totalling> {
        Some(match name {
            "count" => Totalling::Count,
            "sum" => Totalling::Sum,
            "avg" => Totalling::Average,
            "min" => Totalling::Least,
            "max" => Totalling::Greatest,
            "bit_and" => Totalling::BitAnd,
            "bit_or" => Totalling::BitOr,
            "bit_xor" => Totalling::BitXor,
            "stddev_pop" => Totalling::DeviationOfAll,
            "stddev" => Totalling::DeviationOfSample,
            "var_pop" => Totalling::VarianceOfAll,
            "var" => Totalling::VarianceOfSample,
            _ => return None,
        })
    }

    /// The type of a total of values of a type.
    pub(super) fn result(self, argument: &DataType) -> Result<DataType> {
        let digits = |own: u8, most: u8| (own + SUM_DIGITS).min(most);
        Ok(match (self, argument) {
            (Totalling::Count, _) => DataType::Int64,
            (Totalling::Least | Totalling::Greatest, ty) => ty.clone(),
            (Totalling::BitAnd | Totalling::BitOr | Totalling::BitXor, DataType::UInt64) => {
                DataType::UInt64
            }
            (Totalling::Sum, DataType::Decimal128(own, scale)) => {
                DataType::Decimal128(digits(*own, DECIMAL128_MAX_PRECISION), *scale)
            }
            (Totalling::Sum, DataType::Decimal256(own, scale)) => {
                DataType::Decimal256(digits(*own, DECIMAL256_MAX_PRECISION), *scale)
            }
            (Totalling::BitAnd | Totalling::BitOr | Totalling::BitXor, ty) => {
                return Err(wrong_type(self, ty));
            }
            (_, DataType::Float64) => DataType::Float64,
            (_, ty) => return Err(wrong_type(self, ty)),
        })
    }

    /// Whether values are compared, as bytes.
    pub(super) fn compares(self) -> bool {
        matches!(self, Totalling::Least | Totalling::Greatest)
    }

    /// Of no rows.
    pub(super) fn nothing(self) -> Total {
        match self {
            Totalling::Count => Total::Count(0),
            Totalling::Least | Totalling::Greatest => Total::Bytes(None),
            Totalling::BitAnd | Totalling::BitOr | Totalling::BitXor => Total::Bits(None),
            // Of decimals, too: nothing and a decimal is that decimal.
            Totalling::Sum => Total::Exact(None),
            _ => Total::Doubles(Moments::default()),
        }
    }

    /// Of each row of a column by itself.
    pub(super) fn of_rows(self, column: &ArrayRef) -> Result<Vec<Total>> {
        let rows = 0..column.len();
        let there = |row: usize| column.is_valid(row);
        Ok(match (self, column.data_type()) {
            (Totalling::Count, _) => rows.map(|row| Total::Count(i64::from(there(row)))).collect(),
            (Totalling::Least | Totalling::Greatest, DataType::Binary) => {
                let keys = column.as_binary::<i32>();
                rows.map(|row| Total::Bytes(there(row).then(|| keys.value(row).into()))).collect()
            }
            (Totalling::Sum, DataType::Decimal128(..)) => {
                let numbers = column.as_primitive::<Decimal128Type>();
                let number = |row| there(row).then(|| i256::from_i128(numbers.value(row)));
                rows.map(|row| Total::Exact(number(row))).collect()
            }
            (Totalling::Sum, DataType::Decimal256(..)) => {
                let numbers = column.as_primitive::<Decimal256Type>();
                rows.map(|row| Total::Exact(there(row).then(|| numbers.value(row)))).collect()
            }
            (_, DataType::UInt64) => {
                let bits = column.as_primitive::<UInt64Type>();
                rows.map(|row| Total::Bits(there(row).then(|| bits.value(row)))).collect()
            }
            (_, DataType::Float64) => {
                let numbers = column.as_primitive::<Float64Type>();
                let of_row = |row| match there(row) {
                    true => Moments::of(numbers.value(row)),
                    false => Moments::default(),
                };
                rows.map(|row| Total::Doubles(of_row(row))).collect()
            }
            (_, ty) => return Err(wrong_type(self, ty)),
        })
    }

    /// Of two parts of rows, one behind the other.
    pub(super) fn both(self, left: &Total, right: &Total) -> Total {
        match (left, right) {
            (Total::Exact(None) | Total::Bytes(None) | Total::Bits(None), other)
            | (other, Total::Exact(None) | Total::Bytes(None) | Total::Bits(None)) => other.clone(),
            (Total::Count(left), Total::Count(right)) => Total::Count(left + right),
            (Total::Exact(Some(left)), Total::Exact(Some(right))) => {
                Total::Exact(Some(left.wrapping_add(*right)))
            }
            (Total::Doubles(left), Total::Doubles(right)) => {
                Total::Doubles(left.and(right, self.needs_squares()))
            }
            (Total::Bits(Some(left)), Total::Bits(Some(right))) => Total::Bits(Some(match self {
                Totalling::BitAnd => left & right,
                Totalling::BitOr => left | right,
                _ => left ^ right,
            })),
            (Total::Bytes(Some(a)), Total::Bytes(Some(b))) => {
                let left_is_it = if self == Totalling::Least { a <= b } else { a >= b };
                if left_is_it { left.clone() } else { right.clone() }
            }
            // Of one column all totals are of one kind.
            _ => left.clone(),
        }
    }

    fn needs_squares(self) -> bool {
        !matches!(self, Totalling::Sum | Totalling::Average)
    }

    /// Totals as a column of a type; `keys` makes values of the bytes that were compared.
    pub(super) fn column(
        self,
        totals: &[Total],
        ty: &DataType,
        keys: Option<&RowConverter>,
    ) -> Result<ArrayRef> {
        let exact = |total: &Total| match total {
            Total::Exact(sum) => *sum,
            _ => None,
        };
        Ok(match ty {
            _ if self.compares() => return values_of_keys(totals, ty, keys),
            DataType::Int64 => {
                Arc::new(Int64Array::from_iter_values(totals.iter().map(|total| match total {
                    Total::Count(count) => *count,
                    _ => 0,
                })))
            }
            DataType::Decimal128(precision, scale) => {
                let sums = totals.iter().map(|total| exact(total).map(i256::as_i128));
                let sums: Decimal128Array = sums.collect();
                Arc::new(sums.with_precision_and_scale(*precision, *scale)?)
            }
            DataType::Decimal256(precision, scale) => {
                let sums: Decimal256Array = totals.iter().map(exact).collect();
                Arc::new(sums.with_precision_and_scale(*precision, *scale)?)
            }
            DataType::UInt64 => {
                let bits = totals.iter().map(|total| match total {
                    Total::Bits(bits) => *bits,
                    _ => None,
                });
                Arc::new(bits.collect::<UInt64Array>())
            }
            _ => {
                let numbers = totals.iter().map(|total| match total {
                    Total::Doubles(moments) => moments.value(self),
                    _ => None,
                });
                Arc::new(numbers.collect::<Float64Array>())
            }
        })
    }
}

fn wrong_type(totalling: Totalling, ty: &DataType) -> DataFusionError {
    DataFusionError::Internal(format!("{totalling:?} of {ty}"))
}

/// The values that the bytes of totals stand for. Those of neighbours are often the same bytes, and
/// one value then: a long text is not there once for each row.
fn values_of_keys(
    totals: &[Total],
    ty: &DataType,
    keys: Option<&RowConverter>,
) -> Result<ArrayRef> {
    let Some(keys) = keys else { return Ok(new_null_array(ty, totals.len())) };
    let nothing = keys.convert_columns(&[new_null_array(ty, 1)])?;
    let parser = keys.parser();
    let mut rows = vec![nothing.row(0)];
    let mut places = Vec::with_capacity(totals.len());
    let mut last: Option<&Arc<[u8]>> = None;
    for total in totals {
        let Total::Bytes(Some(bytes)) = total else {
            places.push(0);
            continue;
        };
        if !last.is_some_and(|last| Arc::ptr_eq(last, bytes)) {
            rows.push(parser.parse(bytes));
            last = Some(bytes);
        }
        places.push(rows.len() as u64 - 1);
    }
    let column = keys.convert_rows(rows)?.pop();
    let column = column.ok_or_else(|| DataFusionError::Internal("keys of no column".to_owned()))?;
    Ok(take(&column, &UInt64Array::from(places), None)?)
}

/// What is added up.
#[derive(Clone, Debug)]
pub(super) enum Total {
    Count(i64),
    Exact(Option<i256>),
    Doubles(Moments),
    Bits(Option<u64>),
    Bytes(Option<Arc<[u8]>>),
}

/// Of numbers: how many, their sum, and the sum of the squares of their distances from the mean.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    count: u64,
    sum: f64,
    squares: f64,
}

impl Moments {
    fn of(number: f64) -> Moments {
        Moments { count: 1, sum: number, squares: 0.0 }
    }

    /// Of two parts (Chan, Golub, LeVeque: Updating formulae for computing sample variances, 1979).
    fn and(&self, other: &Moments, with_squares: bool) -> Moments {
        let (count, sum) = (self.count + other.count, self.sum + other.sum);
        let mut squares = self.squares + other.squares;
        if with_squares && self.count > 0 && other.count > 0 {
            let (own, others) = (self.count as f64, other.count as f64);
            let between = other.sum / others - self.sum / own;
            squares += between * between * own * others / (own + others);
        }
        Moments { count, sum, squares }
    }

    fn value(&self, totalling: Totalling) -> Option<f64> {
        let of_all = matches!(totalling, Totalling::DeviationOfAll | Totalling::VarianceOfAll);
        let counted = self.count.checked_sub(u64::from(!of_all))? as f64;
        match totalling {
            Totalling::Sum => (self.count > 0).then_some(self.sum),
            Totalling::Average => (self.count > 0).then(|| self.sum / self.count as f64),
            _ if counted == 0.0 => None,
            Totalling::DeviationOfAll | Totalling::DeviationOfSample => {
                Some((self.squares / counted).sqrt())
            }
            _ => Some(self.squares / counted),
        }
    }
}

/// Totals of parts of rows that lie side by side.
pub(super) struct TotalTree {
    totalling: Totalling,
    leaves: usize,
    /// The root is the first; below each total stand those of its halves. The leaves come last.
    nodes: Vec<Total>,
}

impl TotalTree {
    /// Over the totals of parts.
    pub(super) fn new(totalling: Totalling, parts: &[Total]) -> TotalTree {
        let leaves = parts.len();
        let mut nodes = vec![totalling.nothing(); leaves];
        nodes.extend_from_slice(parts);
        for at in (1..leaves).rev() {
            nodes[at] = totalling.both(&nodes[2 * at], &nodes[2 * at + 1]);
        }
        TotalTree { totalling, leaves, nodes }
    }

    /// The total of the parts from one on and before another.
    pub(super) fn total(&self, from: usize, to: usize) -> Total {
        let nothing = self.totalling.nothing();
        let (mut left, mut right) = (nothing.clone(), nothing);
        let (mut from, mut to) = (from + self.leaves, to.max(from) + self.leaves);
        while from < to {
            if from % 2 == 1 {
                left = self.totalling.both(&left, &self.nodes[from]);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                right = self.totalling.both(&self.nodes[to], &right);
            }
            (from, to) = (from / 2, to / 2);
        }
        self.totalling.both(&left, &right)
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::StringViewArray;
    use datafusion::arrow::row::SortField;

    use super::*;

    #[test]
    fn a_tree_adds_up_any_parts_in_their_order() {
        let sums = |count: i64| (0..count).map(|n| Total::Count(1 << n)).collect::<Vec<_>>();
        for count in [1, 2, 3, 7, 8, 13] {
            let tree = TotalTree::new(Totalling::Count, &sums(count));
            for from in 0..count {
                for to in from..=count {
                    let Total::Count(total) = tree.total(from as usize, to as usize) else {
                        panic!("a count");
                    };
                    assert_eq!(total, (1 << to) - (1 << from), "{from} to {to} of {count}");
                }
            }
        }
    }

    #[test]
    fn a_text_that_is_the_largest_of_many_frames_is_there_once() {
        let text: ArrayRef = Arc::new(StringViewArray::from(vec!["z".repeat(100_000)]));
        let converter = RowConverter::new(vec![SortField::new(DataType::Utf8View)]).unwrap();
        let key = converter.convert_columns(&[text]).unwrap();
        let largest = Total::Bytes(Some(key.row(0).data().into()));
        let mut totals = vec![largest.clone(); 1000];
        totals.push(Total::Bytes(None));
        totals.push(largest);
        let values = Totalling::Greatest.column(&totals, &DataType::Utf8View, Some(&converter));
        let values = values.unwrap();
        assert!(values.get_buffer_memory_size() < 1_000_000);
        let values = values.as_string_view();
        assert_eq!((values.len(), values.value(999).len()), (1002, 100_000));
        assert!(values.is_null(1000) && values.value(1001) == values.value(0));
    }

    #[test]
    fn deviations_of_parts_are_those_of_all() {
        let numbers: ArrayRef =
            Arc::new(Float64Array::from_iter_values((0..1000).map(|n| 1e9 + f64::from(n % 10))));
        let parts = Totalling::VarianceOfAll.of_rows(&numbers).unwrap();
        let total = TotalTree::new(Totalling::VarianceOfAll, &parts).total(0, 1000);
        let Total::Doubles(moments) = total else { panic!("numbers") };
        let variance = moments.value(Totalling::VarianceOfAll).unwrap();
        assert!((variance - 8.25).abs() < 1e-6, "{variance}");
        assert_eq!(Moments::of(3.0).value(Totalling::VarianceOfSample), None);
        assert_eq!(Moments::of(3.0).value(Totalling::VarianceOfAll), Some(0.0));
        assert_eq!(Moments::default().value(Totalling::DeviationOfAll), None);
    }
}
