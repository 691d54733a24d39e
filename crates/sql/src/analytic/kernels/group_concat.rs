//! GROUP_CONCAT: the texts of a group joined by a separator, in a wanted order.
//!
//! Its arguments are the text and, when there is an ORDER BY, a sort key made by `SortKey`. The
//! JSON aggregates are made of it too: their elements joined by `, `.
//!
//! Invariants
//! 1. NULL texts do not count; a group without texts gives NULL.
//! 2. The result is cut at `bytes_max` bytes, between characters, as group_concat_max_len asks.
//!
//! Not here: spilling. The texts of the groups at hand are in memory, and counted.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BinaryViewArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, internal_datafusion_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use rows::collation;
use rows::types::Collation;

/// The settings of one GROUP_CONCAT.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::analytic) struct Joining {
    /// Between two texts.
    pub separator: Vec<u8>,
    /// The longest result in bytes.
    pub bytes_max: usize,
    /// DISTINCT: texts equal under this collation count once.
    pub distinct: Option<Collation>,
}

/// The aggregate function.
#[derive(Debug)]
pub(in crate::analytic) struct GroupConcat {
    joining: Joining,
    signature: Signature,
}

impl GroupConcat {
    pub(in crate::analytic) fn new(joining: Joining) -> GroupConcat {
        GroupConcat { joining, signature: Signature::variadic_any(Volatility::Immutable) }
    }
}

impl PartialEq for GroupConcat {
    fn eq(&self, other: &GroupConcat) -> bool {
        self.joining == other.joining
    }
}

impl Eq for GroupConcat {}

impl Hash for GroupConcat {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.joining.hash(state);
    }
}

impl AggregateUDFImpl for GroupConcat {
    fn name(&self) -> &str {
        "group_concat"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::BinaryView)
    }

    fn accumulator(&self, _args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Texts { joining: self.joining.clone(), ..Texts::default() }))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let name = format!("{}[texts]", args.name);
        Ok(vec![Arc::new(Field::new(name, DataType::BinaryView, true))])
    }
}

impl Default for Joining {
    fn default() -> Joining {
        Joining { separator: Vec::new(), bytes_max: usize::MAX, distinct: None }
    }
}

/// The texts of one group.
#[derive(Debug, Default)]
struct Texts {
    joining: Joining,
    /// Sort key (empty without ORDER BY) and text.
    entries: Vec<(Box<[u8]>, Box<[u8]>)>,
    seen: HashSet<Box<[u8]>>,
    bytes: usize,
}

impl Texts {
    fn add(&mut self, key: &[u8], text: &[u8]) {
        if let Some(collation) = self.joining.distinct {
            let mut weights = Vec::new();
            collation::write_weights(collation, text, &mut weights);
            self.bytes += weights.len() + 32;
            if !self.seen.insert(weights.into_boxed_slice()) {
                return;
            }
        }
        self.bytes += key.len() + text.len() + 32;
        self.entries.push((key.into(), text.into()));
    }

    fn joined(&mut self) -> Option<Vec<u8>> {
        if self.entries.is_empty() {
            return None;
        }
        self.entries.sort_by(|a, b| a.0.cmp(&b.0));
        let mut out = Vec::new();
        for (at, (_, text)) in self.entries.iter().enumerate() {
            if at > 0 {
                out.extend_from_slice(&self.joining.separator);
            }
            out.extend_from_slice(text);
            if out.len() > self.joining.bytes_max {
                cut(&mut out, self.joining.bytes_max);
                break;
            }
        }
        Some(out)
    }
}

/// Cuts a text so that no character is left in part.
fn cut(text: &mut Vec<u8>, bytes_max: usize) {
    let mut end = bytes_max;
    while end > 0 && text[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    text.truncate(end);
}

impl Accumulator for Texts {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let texts = bytes_of(&values[0])?;
        let keys = values.get(1).map(bytes_of).transpose()?;
        for row in 0..texts.len() {
            if texts.is_valid(row) {
                let key = keys.map_or(&[][..], |keys| keys.value(row));
                self.add(key, texts.value(row));
            }
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::BinaryView(self.joined()))
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.bytes
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let mut state = Vec::with_capacity(self.bytes);
        for (key, text) in &self.entries {
            for part in [key, text] {
                state.extend_from_slice(&(part.len() as u64).to_le_bytes());
                state.extend_from_slice(part);
            }
        }
        Ok(vec![ScalarValue::BinaryView(Some(state))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for state in bytes_of(&states[0])?.iter().flatten() {
            let mut rest = state;
            while !rest.is_empty() {
                let key = take(&mut rest)?;
                let text = take(&mut rest)?;
                self.add(key, text);
            }
        }
        Ok(())
    }
}

fn take<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8]> {
    let broken = || internal_datafusion_err!("state of group_concat is broken");
    let (length, after) = rest.split_first_chunk::<8>().ok_or_else(broken)?;
    let length = u64::from_le_bytes(*length) as usize;
    let (part, after) = after.split_at_checked(length).ok_or_else(broken)?;
    *rest = after;
    Ok(part)
}

fn bytes_of(array: &ArrayRef) -> Result<&BinaryViewArray> {
    array
        .as_any()
        .downcast_ref()
        .ok_or_else(|| internal_datafusion_err!("group_concat takes texts"))
}
