//! Groups and the different values that each has, as all partitions of a scan have found them.
//!
//! Each value is evaluated, and looked for among the known ones, once for each time that a
//! partition gives it; a pair of a group and a value is then a bit, or, where that takes too much,
//! a member of a set.
//!
//! Invariants
//! 1. What it takes is asked of the query's memory.
//!
//! Not here: which aggregations are counted so (`distinct`).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use columnar::CodedGroups;
use datafusion::arrow::array::{
    Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchOptions, UInt32Array,
    new_empty_array,
};
use datafusion::arrow::compute::{interleave, take};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::Result;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use foldhash::fast::RandomState;

/// Bytes of bits above which pairs are hashed.
const BITS_BYTES_MAX: usize = 64 << 20;
/// What a hashed pair takes, about.
const HASHED_BYTES: usize = 20;
/// The number of NULL, which is not counted.
const NULL: u32 = u32::MAX;

/// An expression of one key.
#[derive(Clone, Debug)]
pub(super) struct OfKey {
    /// Which of the grouping's keys.
    pub(super) key: usize,
    /// Over that column alone.
    pub(super) expr: Arc<dyn PhysicalExpr>,
    schema: SchemaRef,
}

impl OfKey {
    /// `None` for an expression of no column, or of several.
    pub(super) fn new(expr: &Arc<dyn PhysicalExpr>, keys: &SchemaRef) -> Result<Option<OfKey>> {
        let columns = collect_columns(expr);
        let Some(column) = columns.iter().next().filter(|_| columns.len() == 1) else {
            return Ok(None);
        };
        let key = column.index();
        let schema = Arc::new(Schema::new(vec![keys.field(key).clone()]));
        let expr = reassign_expr_columns(Arc::clone(expr), &schema)?;
        Ok(Some(OfKey { key, expr, schema }))
    }

    fn evaluate(&self, values: &ArrayRef) -> Result<ArrayRef> {
        let rows = RecordBatch::try_new(Arc::clone(&self.schema), vec![Arc::clone(values)])?;
        self.expr.evaluate(&rows)?.into_array(rows.num_rows())
    }
}

/// What is told of a group.
#[derive(Clone, Debug)]
pub(super) enum GroupPart {
    /// How many different values it has.
    Count,
    /// Something of the key by which this one of its expressions is, and, if so, that there is one.
    Same(usize, OfKey, bool),
}

/// What is counted, and what comes of it.
#[derive(Debug)]
pub(super) struct UnionShape {
    /// By what groups are made.
    pub(super) groups: Vec<OfKey>,
    /// What is counted in them.
    pub(super) value: OfKey,
    pub(super) told: Vec<GroupPart>,
    /// The groups, then what is told.
    pub(super) schema: SchemaRef,
}

/// What all partitions have found so far.
#[derive(Default)]
pub(super) struct Union {
    /// Partitions that have not ended.
    left: usize,
    /// The values of each of the expressions by which groups are, and of the one that is counted.
    groups: Vec<KnownValues>,
    values: KnownValues,
    /// The groups of several expressions, by the numbers of their values.
    together: HashMap<Box<[u32]>, u32, RandomState>,
    members: Members,
    memory: Option<MemoryReservation>,
}

impl Union {
    /// Of so many partitions.
    pub(super) fn of(partitions: usize) -> Union {
        Union { left: partitions, ..Union::default() }
    }

    /// Asks this for memory.
    pub(super) fn ask(&mut self, memory: impl FnOnce() -> MemoryReservation) {
        self.memory.get_or_insert_with(memory);
    }

    /// Ends a partition; the groups of all of them once the last has ended.
    pub(super) fn end(&mut self, shape: &UnionShape) -> Result<Option<RecordBatch>> {
        self.left -= 1;
        if self.left == 0 { self.finish(shape).map(Some) } else { Ok(None) }
    }

    /// Adds what a partition has found.
    pub(super) fn add(&mut self, shape: &UnionShape, found: &CodedGroups) -> Result<()> {
        self.groups.resize_with(shape.groups.len(), KnownValues::default);
        let mut numbers = Vec::with_capacity(shape.groups.len());
        for (of, known) in shape.groups.iter().zip(&mut self.groups) {
            let (values, codes) = &found.keys[of.key];
            numbers.push((known.learn(of, values, false)?, codes));
        }
        let (values, codes) = &found.keys[shape.value.key];
        let counted = self.values.learn(&shape.value, values, true)?;
        let mut of_group = Vec::with_capacity(numbers.len());
        for (row, code) in codes.iter().enumerate() {
            let number = |(numbers, codes): &(Vec<u32>, &Vec<u32>)| numbers[codes[row] as usize];
            let group = match &numbers[..] {
                [only] => number(only),
                several => {
                    of_group.clear();
                    of_group.extend(several.iter().map(number));
                    let next = self.together.len() as u32;
                    match self.together.get(&of_group[..]) {
                        Some(group) => *group,
                        None => *self.together.entry(of_group[..].into()).or_insert(next),
                    }
                }
            };
            self.members.insert(group, counted[*code as usize]);
        }
        let each = size_of::<u32>() * (shape.groups.len() + 8);
        let bytes = self.members.bytes()
            + self.values.bytes
            + self.groups.iter().map(|known| known.bytes).sum::<usize>()
            + self.together.len() * each;
        match &mut self.memory {
            Some(memory) => memory.try_resize(bytes),
            None => Ok(()),
        }
    }

    /// The groups with what is told of them.
    fn finish(&mut self, shape: &UnionShape) -> Result<RecordBatch> {
        let counts = self.members.counts();
        let count = counts.len();
        // For each expression the numbers of all groups' values.
        let numbers: Vec<UInt32Array> = match &self.groups[..] {
            [_] => vec![UInt32Array::from_iter_values(0..count as u32)],
            several => {
                let mut numbers = vec![vec![0; count]; several.len()];
                for (of_group, group) in &self.together {
                    for (numbers, number) in numbers.iter_mut().zip(of_group) {
                        numbers[*group as usize] = *number;
                    }
                }
                numbers.into_iter().map(UInt32Array::from).collect()
            }
        };
        let mut columns = Vec::with_capacity(shape.schema.fields().len());
        for (group, of) in shape.groups.iter().enumerate() {
            columns.push(self.told(of, group, &numbers)?);
        }
        let counts: ArrayRef = Arc::new(Int64Array::from(counts));
        for of in &shape.told {
            match of {
                GroupPart::Count => columns.push(Arc::clone(&counts)),
                GroupPart::Same(group, of, is_told) => {
                    columns.push(self.told(of, *group, &numbers)?);
                    if *is_told {
                        columns.push(Arc::new(BooleanArray::from(vec![true; count])));
                    }
                }
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&shape.schema), columns, &options)?)
    }

    /// An expression of a key that groups are by, for each group.
    fn told(&self, of: &OfKey, group: usize, numbers: &[UInt32Array]) -> Result<ArrayRef> {
        let known = &self.groups[group];
        if known.firsts.is_empty() {
            return Ok(new_empty_array(&of.expr.data_type(&of.schema)?));
        }
        let keys: Vec<&dyn Array> = known.keys.iter().map(|keys| &**keys).collect();
        let values = of.evaluate(&interleave(&keys, &known.firsts)?)?;
        Ok(take(&values, &numbers[group], None)?)
    }
}

/// The different values of an expression, numbered as they come.
#[derive(Default)]
struct KnownValues {
    converter: Option<RowConverter>,
    numbers: HashMap<Box<[u8]>, u32, RandomState>,
    /// Keys that values were made of, and where among them is the first of each value.
    keys: Vec<ArrayRef>,
    firsts: Vec<(usize, usize)>,
    bytes: usize,
}

impl KnownValues {
    /// The numbers of what an expression makes of some keys; of NULL its own if so wanted.
    fn learn(&mut self, of: &OfKey, keys: &ArrayRef, null_apart: bool) -> Result<Vec<u32>> {
        let values = of.evaluate(keys)?;
        let converter = match &mut self.converter {
            Some(converter) => converter,
            None => {
                let field = SortField::new(values.data_type().clone());
                self.converter.insert(RowConverter::new(vec![field])?)
            }
        };
        let rows = converter.convert_columns(&[Arc::clone(&values)])?;
        let (batch, mut new) = (self.keys.len(), false);
        let mut numbers = Vec::with_capacity(rows.num_rows());
        for (at, row) in rows.iter().enumerate() {
            if null_apart && values.is_null(at) {
                numbers.push(NULL);
                continue;
            }
            let known = self.numbers.get(row.as_ref()).copied();
            numbers.push(known.unwrap_or_else(|| {
                let number = self.firsts.len() as u32;
                self.bytes += row.as_ref().len() + 2 * size_of::<(usize, usize)>();
                self.numbers.insert(row.as_ref().into(), number);
                self.firsts.push((batch, at));
                new = true;
                number
            }));
        }
        if new {
            self.bytes += keys.get_array_memory_size();
            self.keys.push(Arc::clone(keys));
        }
        Ok(numbers)
    }
}

/// Which values each group has.
enum Members {
    /// As a bit for each, up to the last that it has; and the bytes of all of them.
    Bits(Vec<Vec<u64>>, usize),
    /// As pairs, and how many values each group has.
    Hashed(HashSet<u64, RandomState>, Vec<i64>),
}

impl Default for Members {
    fn default() -> Members {
        Members::Bits(Vec::new(), 0)
    }
}

impl Members {
    /// Adds a value to a group, and the group if it is only that.
    fn insert(&mut self, group: u32, value: u32) {
        let at = group as usize;
        match self {
            Members::Bits(groups, bytes) => {
                if groups.len() <= at {
                    *bytes += (at + 1 - groups.len()) * size_of::<Vec<u64>>();
                    groups.resize_with(at + 1, Vec::new);
                }
                if value == NULL {
                    return;
                }
                let (bits, word) = (&mut groups[at], value as usize / 64);
                if bits.len() <= word {
                    let before = bits.capacity();
                    bits.resize(word + 1, 0);
                    *bytes += (bits.capacity() - before) * size_of::<u64>();
                }
                bits[word] |= 1 << (value % 64);
                if *bytes > BITS_BYTES_MAX {
                    *self = Members::hashed(groups);
                }
            }
            Members::Hashed(pairs, counts) => {
                if counts.len() <= at {
                    counts.resize(at + 1, 0);
                }
                if value != NULL && pairs.insert(u64::from(group) << 32 | u64::from(value)) {
                    counts[at] += 1;
                }
            }
        }
    }

    fn hashed(groups: &[Vec<u64>]) -> Members {
        let mut hashed = Members::Hashed(HashSet::default(), vec![0; groups.len()]);
        for (group, bits) in groups.iter().enumerate() {
            for (word, bits) in bits.iter().enumerate() {
                for bit in (0..64).filter(|bit| bits >> bit & 1 == 1) {
                    hashed.insert(group as u32, word as u32 * 64 + bit);
                }
            }
        }
        hashed
    }

    fn bytes(&self) -> usize {
        match self {
            Members::Bits(_, bytes) => *bytes,
            Members::Hashed(pairs, counts) => {
                pairs.capacity() * HASHED_BYTES + counts.capacity() * size_of::<i64>()
            }
        }
    }

    /// How many values each group has.
    fn counts(&self) -> Vec<i64> {
        match self {
            Members::Bits(groups, _) => {
                let count =
                    |bits: &Vec<u64>| bits.iter().map(|bits| i64::from(bits.count_ones())).sum();
                groups.iter().map(count).collect()
            }
            Members::Hashed(_, counts) => counts.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_once_also_when_bits_have_become_too_many() {
        let mut members = Members::default();
        let pairs = [(0, 1), (0, 1), (2, 70), (2, NULL), (2, 3), (1, NULL), (0, 64)];
        pairs.iter().for_each(|(group, value)| members.insert(*group, *value));
        assert_eq!(members.counts(), [2, 0, 2]);
        // One value far away for each of many groups.
        let far = 40_000_000;
        for group in 0..20 {
            members.insert(group, far);
        }
        assert!(matches!(members, Members::Hashed(..)));
        pairs.iter().for_each(|(group, value)| members.insert(*group, *value));
        assert_eq!(members.counts()[..4], [3, 1, 3, 1]);
    }
}
