//! Tables of weights of the Unicode Collation Algorithm, and the weights of a text by them.
//!
//! A table lists what `scripts/collation-weights` printed of MySQL 9.7 (the layout of its bytes is
//! drawn there), and is unpacked when the first text is compared by it: some 300 to 700 KB. The
//! weights of characters that no table lists are computed: ideographs and what Unicode had not
//! assigned (UTS 10, implicit weights), Hangul syllables. A language has the table of 4.0.0 or
//! 9.0.0 but for what `languages.weights` and `languages_900.weights` list.
//!
//! Invariants
//! 1. Keys on disk are made of these weights, so a table never changes.
//! 2. A text weighs what its characters weigh one after another, but for the contractions of a
//!    language.
//!
//! Not here: which characters a contraction has (`contractions`), what is otherwise in collations
//! of other character sets (`charset_weights`), levels and padding of collations (`leveled`), the
//! bytes of keys (`key::leveled`).

use std::sync::{LazyLock, OnceLock};

use super::charset_weights::{Follows, WeightDisplay};
use super::contractions::Contractions;
use super::weights::next_character;
use crate::language::{Language, Language900};
use crate::numbered_collation::NumberedCollation;
use crate::numbers::{Numbers, inflated};

pub(super) const PACKED_400: &[u8] = include_bytes!("unicode_400.weights");
const PACKED_520: &[u8] = include_bytes!("unicode_520.weights");
const PACKED_900: &[u8] = include_bytes!("unicode_900.weights");
const PACKED_LANGUAGES: &[u8] = include_bytes!("languages.weights");
const PACKED_LANGUAGES_900: &[u8] = include_bytes!("languages_900.weights");

static UNICODE_400: LazyLock<WeightTable> = LazyLock::new(|| WeightTable::unpack(PACKED_400));
static UNICODE_520: LazyLock<WeightTable> = LazyLock::new(|| WeightTable::unpack(PACKED_520));
static UNICODE_900: LazyLock<WeightTable> = LazyLock::new(|| WeightTable::unpack(PACKED_900));

const LEVELS_MAX: usize = 3;
const PAGE: usize = 256;
const CHARACTERS: usize = 0x11_0000;
/// Stands in a page for a character whose weights are computed.
const UNLISTED: u32 = u32::MAX;

/// Whose weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightSource {
    /// Of a collation by its number: `latin1_swedish_ci` and others.
    Numbered(NumberedCollation),
    /// 4.0.0: `utf8mb4_unicode_ci`.
    V400,
    /// 4.0.0 as a language orders it: `utf8mb4_swedish_ci` and others.
    V400Of(Language),
    /// 5.2.0: `utf8mb4_unicode_520_ci`.
    V520,
    /// 9.0.0: `utf8mb4_0900_ai_ci` and its kin.
    V900,
    /// 9.0.0 as a language orders it: `utf8mb4_sv_0900_ai_ci` and others.
    V900Of(Language900),
}

impl WeightSource {
    /// Its table.
    pub(crate) fn table(self) -> &'static WeightTable {
        match self {
            WeightSource::Numbered(collation) => {
                static TABLES: [OnceLock<WeightTable>; NumberedCollation::NUMBERS] =
                    [const { OnceLock::new() }; NumberedCollation::NUMBERS];
                TABLES[usize::from(collation.number())]
                    .get_or_init(|| WeightTable::of_numbered(collation))
            }
            WeightSource::V400 => &UNICODE_400,
            WeightSource::V400Of(language) => {
                static TABLES: [OnceLock<WeightTable>; Language::ALL.len()] =
                    [const { OnceLock::new() }; Language::ALL.len()];
                let at = language as usize;
                TABLES[at]
                    .get_or_init(|| WeightTable::of_language(PACKED_400, PACKED_LANGUAGES, at))
            }
            WeightSource::V520 => &UNICODE_520,
            WeightSource::V900 => &UNICODE_900,
            WeightSource::V900Of(language) => {
                static TABLES: [OnceLock<WeightTable>; Language900::ALL.len()] =
                    [const { OnceLock::new() }; Language900::ALL.len()];
                let at = language as usize;
                TABLES[at]
                    .get_or_init(|| WeightTable::of_language(PACKED_900, PACKED_LANGUAGES_900, at))
            }
        }
    }
}

/// The weights of all characters, at each level.
pub(crate) struct WeightTable {
    levels: usize,
    /// What all characters above U+FFFF weigh, or 0.
    high: [u16; 1],
    hangul_by_letters: bool,
    wide_ideographs: bool,
    /// For each 256 characters, one more than the place of their page; 0 where none is listed.
    index: Vec<u16>,
    /// For each character, where in `weights` its own begin.
    pages: Vec<[u32; PAGE]>,
    /// Of each listed character: how many at each level, then the weights themselves.
    weights: Vec<u16>,
    contractions: Contractions,
    /// What implicit weights begin with instead, in order.
    implicit_firsts: Vec<(u16, u16)>,
    /// Weights at the second and third level of a character whose weights are computed.
    implicit_lower: [[u16; 1]; 2],
    /// What weights of characters that are not listed follow from.
    follows: Follows,
    /// How WEIGHT_STRING shows its weights.
    shown: WeightDisplay,
    /// The first-level weight of each ASCII character that has one and begins no contraction; 0 for
    /// the others.
    ascii: [u16; 128],
}

impl WeightTable {
    pub(super) fn unpack(packed: &[u8]) -> WeightTable {
        let bytes = inflated(packed);
        let mut numbers = Numbers::new(&bytes);
        let mut head = || numbers.number();
        let (levels, high, by_letters, wide) = (head() as usize, head(), head(), head());
        let mut table = WeightTable {
            high: [high as u16],
            hangul_by_letters: by_letters != 0,
            wide_ideographs: wide != 0,
            ..WeightTable::empty(levels, Follows::Unicode, WeightDisplay::InPairs)
        };
        let (mut character, mut before) = (usize::MAX, [0i32; LEVELS_MAX]);
        while let Some(distance) = numbers.next() {
            character = character.wrapping_add(distance as usize);
            table.list(character, &mut numbers, &mut before);
        }
        table.finish();
        table
    }

    /// One that lists no character yet.
    pub(super) fn empty(levels: usize, follows: Follows, shown: WeightDisplay) -> WeightTable {
        WeightTable {
            levels,
            high: [0],
            hangul_by_letters: false,
            wide_ideographs: false,
            index: vec![0; CHARACTERS / PAGE],
            pages: Vec::new(),
            weights: Vec::new(),
            contractions: Contractions::default(),
            implicit_firsts: Vec::new(),
            implicit_lower: [[0x20], [0x02]],
            follows,
            shown,
            ascii: [0; 128],
        }
    }

    /// The same, shown otherwise.
    pub(super) fn shown_as(self, shown: WeightDisplay) -> WeightTable {
        WeightTable { shown, ..self }
    }

    /// Appends a weight as WEIGHT_STRING shows it.
    pub(crate) fn write_shown(&self, weight: u16, out: &mut Vec<u8>) {
        self.shown.write(weight, out);
    }

    /// A table with what a language has otherwise; `at`: its place in the file of languages.
    fn of_language(packed: &[u8], languages: &[u8], at: usize) -> WeightTable {
        let mut table = WeightTable::unpack(packed);
        let bytes = inflated(languages);
        let mut numbers = Numbers::new(&bytes);
        (0..at).for_each(|_| pass_over(&mut numbers, table.levels));
        table.tailor(&mut numbers);
        table.finish();
        table
    }

    /// Takes what a language has otherwise.
    fn tailor(&mut self, numbers: &mut Numbers<'_>) {
        let thirds = numbers.pairs();
        self.replace_thirds(&thirds);
        self.implicit_firsts = numbers.pairs();
        let mut before = self.list_all(numbers);
        for _ in 0..numbers.number() {
            let rest = numbers.number().saturating_sub(1);
            let first = numbers.number();
            let rest = (0..rest).map(|_| numbers.number()).collect();
            let at = self.push_weights(numbers, &mut before);
            self.contractions.add(first, rest, at);
        }
    }

    /// Reads how many records there are, and the records; the last weight of each level.
    pub(super) fn list_all(&mut self, numbers: &mut Numbers<'_>) -> [i32; LEVELS_MAX] {
        let (mut character, mut before) = (0, [0i32; LEVELS_MAX]);
        for _ in 0..numbers.number() {
            character += numbers.number() as usize;
            self.list(character, numbers, &mut before);
        }
        before
    }

    /// Has weights of the third level stand for others.
    fn replace_thirds(&mut self, pairs: &[(u16, u16)]) {
        let replaced = |weight: u16| replacement(pairs, weight).unwrap_or(weight);
        let mut at = 0;
        while at < self.weights.len() && self.levels == LEVELS_MAX {
            let counts: [u16; LEVELS_MAX] = std::array::from_fn(|n| self.weights[at + n]);
            let [before, all] = [2, 3].map(|n| counts[..n].iter().copied().sum::<u16>());
            let start = at + LEVELS_MAX;
            at = start + usize::from(all);
            let third = &mut self.weights[start + usize::from(before)..at];
            third.iter_mut().for_each(|weight| *weight = replaced(*weight));
        }
        self.implicit_lower[1] = self.implicit_lower[1].map(replaced);
    }

    pub(super) fn finish(&mut self) {
        self.weights.shrink_to_fit();
        for character in 0..128 {
            self.ascii[character] = match self.of(character as u32, 0).parts[0] {
                [weight] if !self.contractions.begin_with(character as u32) => *weight,
                _ => 0,
            };
        }
    }

    fn list(&mut self, character: usize, numbers: &mut Numbers<'_>, before: &mut [i32]) {
        let at = self.push_weights(numbers, before);
        self.place(character, at);
    }

    /// Lists a character with weights of one level.
    pub(super) fn list_weights(&mut self, character: char, weights: &[u16]) {
        let at = self.weights.len() as u32;
        self.weights.push(weights.len() as u16);
        self.weights.extend_from_slice(weights);
        self.place(character as usize, at);
    }

    fn place(&mut self, character: usize, at: u32) {
        let page = match self.index[character / PAGE] {
            0 => {
                self.pages.push([UNLISTED; PAGE]);
                self.index[character / PAGE] = self.pages.len() as u16;
                self.pages.len() - 1
            }
            page => usize::from(page) - 1,
        };
        self.pages[page][character % PAGE] = at;
    }

    /// Reads how many weights there are at each level, and the weights; where they begin.
    fn push_weights(&mut self, numbers: &mut Numbers<'_>, before: &mut [i32]) -> u32 {
        let start = self.weights.len();
        self.weights.resize(start + self.levels, 0);
        for (level, last) in before.iter_mut().take(self.levels).enumerate() {
            let count = numbers.number();
            self.weights[start + level] = count as u16;
            for _ in 0..count {
                *last += numbers.difference();
                self.weights.push(*last as u16);
            }
        }
        start as u32
    }

    /// The first-level weight of a byte of ASCII, if it has exactly one; else 0.
    #[inline]
    pub(crate) fn ascii(&self, byte: u8) -> u16 {
        self.ascii.get(usize::from(byte)).copied().unwrap_or(0)
    }

    /// Whether a character weighs what all above U+FFFF do.
    pub(crate) fn is_beyond(&self, character: u32) -> bool {
        self.high[0] != 0 && character > 0xFFFF
    }

    /// What a space weighs at the first level.
    pub(crate) fn space(&self) -> u16 {
        self.ascii(b' ')
    }

    fn listed(&self, character: u32, level: usize) -> Option<&[u16]> {
        let page = usize::from(*self.index.get(character as usize / PAGE)?).checked_sub(1)?;
        let at = self.pages[page][character as usize % PAGE];
        (at != UNLISTED).then(|| self.weights_at(at, level))
    }

    fn weights_at(&self, at: u32, level: usize) -> &[u16] {
        let (counts, weights) = self.weights[at as usize..].split_at(self.levels);
        let from: u16 = counts[..level].iter().sum();
        &weights[usize::from(from)..usize::from(from + counts[level])]
    }

    /// Whether some sequences of characters weigh as one.
    pub(crate) fn has_contractions(&self) -> bool {
        !self.contractions.is_empty()
    }

    /// Whether a sequence that weighs as one begins with a character.
    pub(crate) fn begins_contraction(&self, character: u32) -> bool {
        self.contractions.begin_with(character)
    }

    /// The weights of a character at a level, counted from 0.
    #[inline]
    pub(crate) fn of(&self, character: u32, level: usize) -> CharacterWeights<'_> {
        if self.is_beyond(character) {
            return CharacterWeights::listed(if level == 0 { &self.high } else { &[] });
        }
        match self.listed(character, level) {
            Some(weights) => CharacterWeights::listed(weights),
            None => self.computed(character, level),
        }
    }

    #[cold]
    fn computed(&self, character: u32, level: usize) -> CharacterWeights<'_> {
        if let Some(implicit) = self.follows.weights(character) {
            return CharacterWeights { parts: [&[]; 3], implicit };
        }
        if self.hangul_by_letters && (0xAC00..0xD7A4).contains(&character) {
            let syllable = character - 0xAC00;
            let letter = |character| self.listed(character, level).unwrap_or_default();
            let last = match syllable % 28 {
                0 => &[][..],
                last => letter(0x11A7 + last),
            };
            let vowel = letter(0x1161 + syllable % 588 / 28);
            let parts = [letter(0x1100 + syllable / 588), vowel, last];
            return CharacterWeights { parts, implicit: [0; 3] };
        }
        if let Some(lower) = level.checked_sub(1) {
            return CharacterWeights::listed(&self.implicit_lower[lower]);
        }
        let first = self.implicit_base(character) + (character >> 15) as u16;
        let first = replacement(&self.implicit_firsts, first).unwrap_or(first);
        let implicit = [first, (character & 0x7FFF) as u16 | 0x8000, 0];
        CharacterWeights { parts: [&[]; 3], implicit }
    }

    /// What implicit weights begin with: ideographs, their extensions, all other characters.
    fn implicit_base(&self, character: u32) -> u16 {
        match character {
            0x4E00..=0x9FD5 => 0xFB40,
            0xFA0E
            | 0xFA0F
            | 0xFA11
            | 0xFA13
            | 0xFA14
            | 0xFA1F
            | 0xFA21
            | 0xFA23
            | 0xFA24
            | 0xFA27..=0xFA29 => 0xFB40,
            0x3400..=0x4DB5 => 0xFB80,
            0x20000..=0x2A6D6 | 0x2A700..=0x2B734 | 0x2B740..=0x2B81D | 0x2B820..=0x2CEA1
                if self.wide_ideographs =>
            {
                0xFB80
            }
            _ => 0xFBC0,
        }
    }
}

/// What stands for a weight in a list in the order of weights.
fn replacement(pairs: &[(u16, u16)], weight: u16) -> Option<u16> {
    let at = pairs.binary_search_by_key(&weight, |(one, _)| *one).ok()?;
    Some(pairs[at].1)
}

/// Passes over a language of so many levels.
fn pass_over(numbers: &mut Numbers<'_>, levels: usize) {
    numbers.pairs();
    numbers.pairs();
    let weights = |numbers: &mut Numbers<'_>| {
        for _ in 0..levels {
            let count = numbers.number();
            numbers.pass(count);
        }
    };
    for _ in 0..numbers.number() {
        numbers.pass(1);
        weights(numbers);
    }
    for _ in 0..numbers.number() {
        let characters = numbers.number();
        numbers.pass(characters);
        weights(numbers);
    }
}

/// The weights of one character at one level, none of them 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CharacterWeights<'t> {
    parts: [&'t [u16]; 3],
    implicit: [u16; 3],
}

impl<'t> CharacterWeights<'t> {
    fn listed(weights: &'t [u16]) -> CharacterWeights<'t> {
        CharacterWeights { parts: [weights, &[], &[]], implicit: [0; 3] }
    }
}

impl Iterator for CharacterWeights<'_> {
    type Item = u16;

    #[inline]
    fn next(&mut self) -> Option<u16> {
        for part in &mut self.parts {
            if let Some((weight, rest)) = part.split_first() {
                *part = rest;
                return Some(*weight);
            }
        }
        let [first, second, third] = self.implicit;
        self.implicit = [second, third, 0];
        (first != 0).then_some(first)
    }
}

/// The weights of a text's characters at one level.
#[derive(Clone)]
pub(crate) struct TextWeights<'t, 'a> {
    table: &'t WeightTable,
    level: usize,
    text: &'a [u8],
    of_character: CharacterWeights<'t>,
}

impl<'t, 'a> TextWeights<'t, 'a> {
    /// Of a text, at a level counted from 0.
    pub(crate) fn new(table: &'t WeightTable, level: usize, text: &'a [u8]) -> Self {
        TextWeights { table, level, text, of_character: CharacterWeights::listed(&[]) }
    }
}

impl<'t> TextWeights<'t, '_> {
    /// The weights of a character that was passed, or of the contraction that begins with it.
    fn beginning_with(&mut self, character: u32) -> CharacterWeights<'t> {
        match self.table.contractions.longest(character, self.text) {
            Some((at, bytes)) => {
                self.text = &self.text[bytes..];
                CharacterWeights::listed(self.table.weights_at(at, self.level))
            }
            None => self.table.of(character, self.level),
        }
    }
}

impl Iterator for TextWeights<'_, '_> {
    type Item = u16;

    #[inline]
    fn next(&mut self) -> Option<u16> {
        loop {
            if let Some(weight) = self.of_character.next() {
                return Some(weight);
            }
            let first = *self.text.first()?;
            if self.level == 0
                && let weight @ 1.. = self.table.ascii(first)
            {
                self.text = &self.text[1..];
                return Some(weight);
            }
            let (character, bytes) = next_character(self.text);
            self.text = &self.text[bytes..];
            self.of_character = match self.table.contractions.is_empty() {
                true => self.table.of(character, self.level),
                false => self.beginning_with(character),
            };
        }
    }
}
