//! GROUP_CONCAT: the texts of a group joined by a separator, in a wanted order.
//!
//! Its arguments are the text and, when there is an ORDER BY, a sort key made by `SortKey`. The
//! JSON aggregates are made of it too: their elements joined by `, `.
//!
//! Invariants
//! 1. NULL texts do not count; a group without texts gives NULL.
//! 2. The result is cut at `bytes_max` bytes, between characters, as group_concat_max_len asks, or
//!    is NULL, and a warning says so; in a strict write it is an error.
//! 3. Of a group no more is kept than twice what its result may need, and a little.
//!
//! Not here: spilling. The texts of the groups at hand are in memory, and counted.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::arrow::array::{Array, ArrayRef, BinaryViewArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, internal_datafusion_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use expression::Limits;
use expression::limits::{TOO_LONG, too_long};
use results::SqlError;
use values::ErrorCode;
use values::types::Collation;

use super::super::failure::raise;

/// Memory of a text that is kept, besides its bytes.
const ENTRY_BYTES: usize = 64;
/// What a group keeps before anything is left out.
const TRIM_BYTES: usize = 64 << 10;

/// What becomes of a result that is longer than it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Overlong {
    /// It is cut, with warning 1260.
    Cut,
    /// It is NULL, with warning 1301 in this function's name: half a JSON document is none.
    Null(&'static str),
}

/// The settings of one GROUP_CONCAT.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Joining {
    /// Between two texts.
    pub separator: Vec<u8>,
    /// The longest result in bytes.
    pub bytes_max: usize,
    /// DISTINCT: texts equal under this collation count once.
    pub distinct: Option<Collation>,
    /// Whether there is an ORDER BY.
    pub ordered: bool,
    /// LIMIT: how many texts are passed over, and how many are taken at most.
    pub limit: Option<(usize, usize)>,
    /// What becomes of a longer result.
    pub overlong: Overlong,
}

/// The aggregate function.
#[derive(Debug)]
pub(crate) struct GroupConcat {
    joining: Joining,
    limits: Arc<Limits>,
    /// Results that were cut so far.
    cut: Arc<AtomicU64>,
    signature: Signature,
}

impl GroupConcat {
    pub(crate) fn new(joining: Joining, limits: &Arc<Limits>) -> GroupConcat {
        GroupConcat {
            joining,
            limits: Arc::clone(limits),
            cut: Arc::default(),
            signature: Signature::variadic_any(Volatility::Immutable),
        }
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
        let joining = &self.joining;
        let apart = joining.ordered || joining.distinct.is_some() || joining.limit.is_some();
        let kept = if apart {
            GroupTexts::Apart {
                entries: Vec::new(),
                seen: HashSet::new(),
                bytes: 0,
                trim_at: TRIM_BYTES,
            }
        } else {
            GroupTexts::Joined(None)
        };
        Ok(Box::new(Texts {
            joining: self.joining.clone(),
            limits: Arc::clone(&self.limits),
            cut: Arc::clone(&self.cut),
            kept,
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let name = format!("{}[texts]", args.name);
        Ok(vec![Arc::new(Field::new(name, DataType::BinaryView, true))])
    }
}

/// The texts of one group.
#[derive(Debug)]
struct Texts {
    joining: Joining,
    limits: Arc<Limits>,
    cut: Arc<AtomicU64>,
    kept: GroupTexts,
}

/// What is kept of a group.
#[derive(Debug)]
enum GroupTexts {
    /// Its texts as they came, joined; a little more than the result may be long, at most.
    Joined(Option<Vec<u8>>),
    /// Each text with its sort key, empty without ORDER BY.
    Apart {
        entries: Vec<(Box<[u8]>, Box<[u8]>)>,
        seen: HashSet<Box<[u8]>>,
        bytes: usize,
        /// With more bytes, those are left out that the result has no room for.
        trim_at: usize,
    },
}

impl Texts {
    fn add(&mut self, key: &[u8], text: &[u8]) {
        match &mut self.kept {
            GroupTexts::Joined(joined) => {
                let out = match joined {
                    None => joined.insert(Vec::new()),
                    Some(out) if out.len() > self.joining.bytes_max => return,
                    Some(out) => {
                        out.extend_from_slice(&self.joining.separator);
                        out
                    }
                };
                // Four bytes more, so that the cut is seen and falls between characters.
                let room = self.joining.bytes_max.saturating_add(4).saturating_sub(out.len());
                out.extend_from_slice(&text[..text.len().min(room)]);
            }
            GroupTexts::Apart { entries, seen, bytes, trim_at } => {
                if let Some(collation) = self.joining.distinct {
                    let weights = weights(collation, text);
                    let weight_bytes = weights.len();
                    if !seen.insert(weights) {
                        return;
                    }
                    *bytes += weight_bytes + ENTRY_BYTES;
                }
                *bytes += key.len() + text.len() + ENTRY_BYTES;
                entries.push((key.into(), text.into()));
                if *bytes > *trim_at {
                    self.trim();
                }
            }
        }
    }

    /// Leaves out the texts behind the end of the result. Whatever comes later, they stay behind
    /// it: texts that come only move others back.
    fn trim(&mut self) {
        let joining = &self.joining;
        let GroupTexts::Apart { entries, seen, bytes, trim_at } = &mut self.kept else { return };
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let (offset, count) = joining.limit.unwrap_or((0, usize::MAX));
        let (mut needed, mut length) = (entries.len().min(offset), 0);
        for (_, text) in entries.iter().skip(offset).take(count) {
            needed += 1;
            length += text.len();
            // The first that does not fit shows that the result is cut.
            if length > joining.bytes_max {
                break;
            }
            length += joining.separator.len();
        }
        if needed < entries.len() {
            entries.truncate(needed);
            entries.shrink_to_fit();
            *bytes = entries.iter().map(|(key, text)| key.len() + text.len() + ENTRY_BYTES).sum();
            if let Some(collation) = joining.distinct {
                *seen = entries.iter().map(|(_, text)| weights(collation, text)).collect();
                *bytes += seen.iter().map(|weights| weights.len() + ENTRY_BYTES).sum::<usize>();
            }
        }
        *trim_at = TRIM_BYTES + 2 * *bytes;
    }

    /// All texts joined, cut a little behind where they are too long.
    fn joined(&mut self) -> Option<Vec<u8>> {
        let entries = match &mut self.kept {
            GroupTexts::Joined(joined) => return joined.take(),
            GroupTexts::Apart { entries, .. } if entries.is_empty() => return None,
            GroupTexts::Apart { entries, .. } => entries,
        };
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let mut out = Vec::new();
        let (offset, count) = self.joining.limit.unwrap_or((0, usize::MAX));
        for (at, (_, text)) in entries.iter().skip(offset).take(count).enumerate() {
            if at > 0 {
                out.extend_from_slice(&self.joining.separator);
            }
            out.extend_from_slice(text);
            if out.len() > self.joining.bytes_max {
                break;
            }
        }
        Some(out)
    }

    fn result(&mut self) -> std::result::Result<Option<Vec<u8>>, SqlError> {
        let bytes_max = self.joining.bytes_max;
        let Some(mut out) = self.joined() else { return Ok(None) };
        if out.len() <= bytes_max {
            return Ok(Some(out));
        }
        let (code, message) = match self.joining.overlong {
            Overlong::Cut => {
                let row = 1 + self.cut.fetch_add(1, Ordering::Relaxed);
                (ErrorCode::CutValueGroupConcat, format!("Row {row} was cut by GROUP_CONCAT()"))
            }
            Overlong::Null(function) => {
                (TOO_LONG, too_long(function, self.limits.value_bytes_max()))
            }
        };
        if self.limits.is_strict() {
            return Err(SqlError::new(code, message));
        }
        self.limits.warn(code, message);
        if self.joining.overlong != Overlong::Cut {
            return Ok(None);
        }
        cut(&mut out, bytes_max);
        Ok(Some(out))
    }
}

/// By these texts are equal.
fn weights(collation: Collation, text: &[u8]) -> Box<[u8]> {
    let mut weights = Vec::new();
    values::key::write_weights(collation, text, &mut weights);
    weights.into_boxed_slice()
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
        self.limits.check().map_err(raise)?;
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
        Ok(ScalarValue::BinaryView(self.result().map_err(raise)?))
    }

    fn size(&self) -> usize {
        size_of::<Self>()
            + match &self.kept {
                GroupTexts::Joined(joined) => joined.as_ref().map_or(0, Vec::capacity),
                GroupTexts::Apart { bytes, .. } => *bytes,
            }
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let state = match &mut self.kept {
            GroupTexts::Joined(joined) => joined.take(),
            GroupTexts::Apart { entries, bytes, .. } => {
                let mut state = Vec::with_capacity(*bytes);
                for (key, text) in entries {
                    for part in [key, text] {
                        state.extend_from_slice(&(part.len() as u64).to_le_bytes());
                        state.extend_from_slice(part);
                    }
                }
                Some(state)
            }
        };
        Ok(vec![ScalarValue::BinaryView(state)])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for state in bytes_of(&states[0])?.iter().flatten() {
            if matches!(self.kept, GroupTexts::Joined(_)) {
                self.add(&[], state);
                continue;
            }
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

#[cfg(test)]
mod tests {
    use resources::budget::Budget;

    use super::*;

    /// Of 100,000 texts in no order: what GROUP_CONCAT gives, and the most bytes that it kept.
    fn joined(distinct: Option<Collation>, limit: Option<(usize, usize)>) -> (String, usize) {
        let joining = Joining {
            separator: b",".to_vec(),
            bytes_max: 30,
            distinct,
            ordered: true,
            limit,
            overlong: Overlong::Cut,
        };
        let limits = Limits::new(1 << 20, &Budget::new(1 << 20), &Arc::default());
        let function = GroupConcat::new(joining.clone(), &Arc::new(limits));
        let kept = GroupTexts::Apart {
            entries: Vec::new(),
            seen: HashSet::new(),
            bytes: 0,
            trim_at: TRIM_BYTES,
        };
        let (limits, cut) = (function.limits, function.cut);
        let (mut texts, mut most) = (Texts { joining, limits, cut, kept }, 0);
        for number in 0..100_000u64 {
            // Each number once, or each of a half twice.
            let text = number * 7919 % 100_000 / if distinct.is_some() { 2 } else { 1 };
            texts.add(&text.to_be_bytes(), format!("text{text:05}").as_bytes());
            most = most.max(texts.size());
        }
        let result = texts.result().expect("it is cut").expect("there are texts");
        (String::from_utf8(result).expect("letters"), most)
    }

    #[test]
    fn a_group_kept_all_of_its_texts_where_few_fit_into_the_result() {
        let first = "text00000,text00001,text00002,";
        let collation = Some(Collation::Binary);
        for (distinct, limit, told) in [
            (None, None, first),
            (collation, None, first),
            (None, Some((5, 2)), "text00005,text00006"),
            (collation, Some((1, 9)), "text00001,text00002,text00003,"),
        ] {
            let (result, most) = joined(distinct, limit);
            assert_eq!(result, told);
            assert!(most < 2 * TRIM_BYTES, "{most}");
        }
    }
}
