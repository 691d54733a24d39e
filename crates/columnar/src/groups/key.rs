//! One key of a grouping: how its values are numbered. NULL has the number 0.
//!
//! Not here: groups (`map`).

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryViewArray};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use rows::error::{Error, Result};
use values::datum::Datum;
use values::types::ColumnType;

use super::array::is_same;
use crate::column::{Column, Selection, Shape, number_of, shape_of};
use crate::scan::ColumnSource;

/// Numbers that an integer key may have: more are hashed sooner than placed.
const NUMBERS_MAX: u32 = 1 << 20;
/// Texts for which there is room at first.
const TEXTS_MIN: u32 = 16;

/// What integers a key has in a part, or that it has texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeySpan {
    /// So many, from one on.
    Numbers(u64, u32),
    Texts,
}

impl KeySpan {
    /// Of a type, whose values' smallest and largest number are known; `None` when values of the
    /// type have no numbers, or too many.
    pub fn of(ty: &ColumnType, ranges: impl Iterator<Item = (u64, u64)>) -> Option<KeySpan> {
        let unsigned = match shape_of(ty) {
            Shape::Number { unsigned } => unsigned,
            Shape::Text => return Some(KeySpan::Texts),
            Shape::Fixed(_) => return None,
        };
        let flip = if unsigned { 0 } else { 1 << 63 };
        let ordered = ranges.map(|(min, max)| (min ^ flip, max ^ flip));
        let Some((min, max)) =
            ordered.reduce(|(min, max), (least, most)| (min.min(least), max.max(most)))
        else {
            return Some(KeySpan::Numbers(0, 0));
        };
        let numbers = u32::try_from((max - min).checked_add(1)?).ok()?;
        (numbers < NUMBERS_MAX).then_some(KeySpan::Numbers(min ^ flip, numbers))
    }
}

/// A key column.
pub(crate) struct Key {
    ty: ColumnType,
    /// What a segment has that is older than the column.
    absent: values::datum::Value,
    values: Values,
    /// The words learnt last, and their numbers.
    learnt: Option<(BinaryViewArray, Arc<[u32]>)>,
    /// The number of each group.
    numbers: Vec<u32>,
}

enum Values {
    /// From the first on, so many.
    Numbers(u64, u32),
    Texts(HashMap<Vec<u8>, u32, RandomState>),
}

/// What a key adds to the slots of a segment's rows.
pub(crate) enum KeyCode {
    /// The same to all.
    Constant(u32),
    /// By the integer: the first's number, and the stride.
    Numbers(Arc<Column>, u32, u32),
    /// By the word: the numbers of all words, and the stride.
    Words(Arc<Column>, Arc<[u32]>, u32),
}

impl Key {
    pub fn new(ty: &ColumnType, absent: Datum<'_>, span: KeySpan) -> Key {
        let values = match span {
            KeySpan::Numbers(first, count) => Values::Numbers(first, count),
            KeySpan::Texts => Values::Texts(HashMap::default()),
        };
        let (ty, absent) = (ty.clone(), absent.to_value());
        Key { ty, absent, values, learnt: None, numbers: Vec::new() }
    }

    pub fn span(&self) -> KeySpan {
        match self.values {
            Values::Numbers(first, count) => KeySpan::Numbers(first, count),
            Values::Texts(_) => KeySpan::Texts,
        }
    }

    pub fn bytes(&self) -> usize {
        let learnt = self.learnt.as_ref().map_or(0, |(_, numbers)| numbers.len());
        let numbers = (self.numbers.capacity() + learnt) * size_of::<u32>();
        numbers
            + match &self.values {
                Values::Numbers(..) => 0,
                Values::Texts(known) => {
                    known.allocation_size() + known.keys().map(Vec::capacity).sum::<usize>()
                }
            }
    }

    /// One more than the largest number there is.
    pub fn numbers(&self) -> u32 {
        match &self.values {
            Values::Numbers(_, count) => count + 1,
            Values::Texts(known) => known.len() as u32 + 1,
        }
    }

    /// For how many numbers there should be slots.
    pub fn radix(&self) -> u32 {
        match &self.values {
            Values::Numbers(..) => self.numbers(),
            Values::Texts(_) => self.numbers().max(TEXTS_MIN).next_power_of_two(),
        }
    }

    /// How many groups there are.
    pub fn found(&self) -> usize {
        self.numbers.len()
    }

    pub fn number_of(&self, group: usize) -> u32 {
        self.numbers[group]
    }

    /// A new group has this number.
    pub fn push(&mut self, number: u32) {
        self.numbers.push(number);
    }

    /// Forgets the groups of which it is not true.
    pub fn retain(&mut self, lives: &[bool]) {
        let mut lives = lives.iter();
        self.numbers.retain(|_| lives.next().is_none_or(|lives| *lives));
    }

    /// Numbers all values of a segment; `false` when they have no codes.
    pub fn learn(&mut self, source: &ColumnSource) -> bool {
        let Values::Texts(known) = &mut self.values else { return true };
        let mut number = |text: &[u8]| match known.get(text) {
            Some(number) => *number,
            None => {
                let number = known.len() as u32 + 1;
                known.insert(text.to_vec(), number);
                number
            }
        };
        match source {
            ColumnSource::Column(_, column) => {
                let Some(words) = column.words() else { return false };
                if !self.learnt.as_ref().is_some_and(|(learnt, _)| is_same(learnt, words)) {
                    let numbers = words.iter().map(|word| word.map_or(0, &mut number));
                    self.learnt = Some((words.clone(), numbers.collect()));
                }
            }
            _ => {
                if let Datum::Bytes(text) = self.absent.as_datum() {
                    number(text);
                }
            }
        }
        true
    }

    /// What it adds to the slots of a segment that it has learnt.
    ///
    /// # Errors
    /// `Corrupt` when it has numbers that its segment did not say.
    pub fn coded(&self, source: &ColumnSource, stride: u32) -> Result<KeyCode> {
        let ColumnSource::Column(_, column) = source else {
            return Ok(KeyCode::Constant(self.number(self.absent.as_datum()) * stride));
        };
        Ok(match &self.values {
            Values::Numbers(first, count) => {
                if column.is_all_null() {
                    return Ok(KeyCode::Constant(0));
                }
                let beyond = || Error::Corrupt {
                    key: Vec::new(),
                    why: "a column has numbers that its segment does not know of",
                };
                let (base, distance) = column.extent().ok_or_else(beyond)?;
                let number = base.wrapping_sub(*first);
                if number.checked_add(distance).is_none_or(|last| last >= u64::from(*count)) {
                    return Err(beyond());
                }
                let number = number as u32 + 1;
                match column.is_constant() {
                    true => KeyCode::Constant(number * stride),
                    false => KeyCode::Numbers(Arc::clone(column), number, stride),
                }
            }
            Values::Texts(_) => {
                let numbers = self.learnt.as_ref().map(|(_, numbers)| Arc::clone(numbers));
                let numbers = numbers.unwrap_or_default();
                match (&numbers[..], column.is_constant()) {
                    // Of no word at all are only rows that are NULL.
                    ([], _) => KeyCode::Constant(0),
                    ([only], true) => KeyCode::Constant(only * stride),
                    _ => KeyCode::Words(Arc::clone(column), numbers, stride),
                }
            }
        })
    }

    fn number(&self, datum: Datum<'_>) -> u32 {
        match (&self.values, datum) {
            (_, Datum::Null) => 0,
            (Values::Numbers(first, _), datum) => number_of(&self.ty, datum)
                .map_or(0, |number| number.wrapping_sub(*first) as u32 + 1),
            (Values::Texts(known), Datum::Bytes(text)) => known.get(text).copied().unwrap_or(0),
            (Values::Texts(_), _) => 0,
        }
    }

    /// The values of all groups, which it forgets.
    ///
    /// # Errors
    /// `Corrupt` when a value is none of the column's type; the values are forgotten all the same.
    pub fn take(&mut self) -> Result<ArrayRef> {
        let numbers = std::mem::take(&mut self.numbers);
        self.values_of(&numbers)
    }

    /// The values that there are, and which of them each group has; it forgets them.
    ///
    /// # Errors
    /// As `take`.
    pub fn take_coded(&mut self) -> Result<(ArrayRef, Vec<u32>)> {
        const UNSEEN: u32 = u32::MAX;
        let mut places = vec![UNSEEN; self.numbers() as usize];
        let mut seen = Vec::new();
        let mut codes = std::mem::take(&mut self.numbers);
        for code in &mut codes {
            let place = &mut places[*code as usize];
            if *place == UNSEEN {
                *place = seen.len() as u32;
                seen.push(*code);
            }
            *code = *place;
        }
        Ok((self.values_of(&seen)?, codes))
    }

    /// The values that have these numbers; texts are forgotten.
    fn values_of(&mut self, numbers: &[u32]) -> Result<ArrayRef> {
        let rows = Selection::Range(0..numbers.len());
        let column = match &mut self.values {
            Values::Numbers(first, _) => Column::of_numbers(*first, numbers),
            Values::Texts(known) => {
                let known = std::mem::take(known);
                self.learnt = None;
                let mut words = vec![&[][..]; known.len()];
                for (text, number) in &known {
                    words[*number as usize - 1] = text;
                }
                Column::of_words(&words, numbers)
            }
        };
        column.array(&self.ty, &rows)
    }
}

impl KeyCode {
    /// What it adds to every slot.
    pub fn constant(&self) -> u32 {
        if let KeyCode::Constant(constant) = self { *constant } else { 0 }
    }

    pub fn is_constant(&self) -> bool {
        matches!(self, KeyCode::Constant(_))
    }

    /// Adds to each row's slot what is not constant.
    pub fn add(&self, selection: &Selection, slots: &mut [u32]) {
        match self {
            KeyCode::Constant(_) => {}
            KeyCode::Numbers(column, first, stride) => {
                column.add_numbers(selection, *first, *stride, slots);
            }
            KeyCode::Words(column, numbers, stride) => {
                column.add_words(selection, numbers, *stride, slots);
            }
        }
    }
}
