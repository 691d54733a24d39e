//! What a row of the table of functions says.
//!
//! Not here: the rows (`tree::function_table`), result types that are made of those of the
//! arguments (`result`, `time::digits`).

use values::types::{Collation, ColumnType};

use crate::functions::call::Evaluation;
use crate::tree::function::Function;
use crate::tree::node::Node;
use crate::value::types::{BIGINT, BIGINT_UNSIGNED, RESULT_BYTES_MAX, TRUTH, text_type};

/// Everything about a function.
pub(crate) struct Definition {
    pub function: Function,
    /// Its names in capitals; messages say the first.
    pub names: &'static [&'static str],
    pub family: Family,
    pub arity: Arity,
    pub shape: Shape,
    pub evaluation: Evaluation,
    pub facts: Facts,
}

impl Definition {
    /// Whether a fact is true of it.
    #[inline]
    pub(crate) fn has(&self, fact: Facts) -> bool {
        self.facts & fact != 0
    }
}

/// What a function is of: where the documentation lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Texts.
    Text,
    /// Regular expressions.
    Regular,
    /// Digests, check sums, ciphers and encodings.
    Digests,
    /// Addresses and UUIDs.
    Addresses,
    /// Numbers.
    Numbers,
    /// Choices between values.
    Control,
    /// Days and times.
    Times,
    /// The session and the server.
    Session,
    /// JSON.
    Json,
    /// Functions of the schema `sys`.
    Sys,
    /// What statements cannot call by a name.
    Internal,
}

impl Family {
    /// All, in the order of the documentation.
    pub const LISTED: [Family; 10] = [
        Family::Text,
        Family::Regular,
        Family::Digests,
        Family::Addresses,
        Family::Numbers,
        Family::Control,
        Family::Times,
        Family::Session,
        Family::Json,
        Family::Sys,
    ];

    /// How the documentation calls it.
    pub fn title(self) -> &'static str {
        match self {
            Family::Text => "Texts",
            Family::Regular => "Regular expressions",
            Family::Digests => "Digests, ciphers and encodings",
            Family::Addresses => "Addresses and UUIDs",
            Family::Numbers => "Numbers",
            Family::Control => "Choices",
            Family::Times => "Times",
            Family::Session => "Session",
            Family::Json => "JSON",
            Family::Sys => "Of the schema `sys`",
            Family::Internal => "Internal",
        }
    }
}

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arity {
    min: usize,
    max: usize,
    /// Those behind so many come in pairs.
    pairs_after: Option<usize>,
}

impl Arity {
    /// The fewest arguments.
    pub(crate) fn min(&self) -> usize {
        self.min
    }

    pub(crate) fn takes(&self, arguments: usize) -> bool {
        let are_pairs = |first: usize| (arguments - first).is_multiple_of(2);
        (self.min..=self.max).contains(&arguments) && self.pairs_after.is_none_or(are_pairs)
    }
}

pub(crate) const fn exactly(arguments: usize) -> Arity {
    between(arguments, arguments)
}

pub(crate) const fn between(min: usize, max: usize) -> Arity {
    Arity { min, max, pairs_after: None }
}

/// So many or more: the size of statements is their limit.
pub(crate) const fn from(min: usize) -> Arity {
    between(min, usize::MAX)
}

/// Behind the first ones there are pairs: at least one if there is a first argument.
pub(crate) const fn pairs_after(first: usize) -> Arity {
    let min = if first == 0 { 0 } else { first + 2 };
    Arity { min, max: usize::MAX, pairs_after: Some(first) }
}

/// What a function's result looks like.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// A whole number.
    Int,
    /// An unsigned whole number.
    UInt,
    /// 0 or 1.
    Truth,
    /// A double.
    Double,
    /// Text of at most so many characters.
    Short(u32),
    /// A name that the server gives: as that, but in utf8mb3, as MySQL has all of its names.
    Name(u32),
    /// Bytes.
    Bytes,
    /// A day.
    Date,
    /// JSON.
    Json,
    /// What is made of the arguments.
    By(fn(&[Node]) -> ColumnType),
}

impl Shape {
    /// The type of a result.
    pub(crate) fn of(self, arguments: &[Node]) -> ColumnType {
        match self {
            Shape::Int => BIGINT,
            Shape::UInt => BIGINT_UNSIGNED,
            Shape::Truth => TRUTH,
            Shape::Double => ColumnType::Double(None),
            Shape::Short(chars) => text_type(chars),
            Shape::Name(chars) => {
                let collation = Collation::from_name("utf8mb3_general_ci");
                let collation = collation.unwrap_or(Collation::Utf8Mb4GeneralCi);
                ColumnType::VarChar { chars, collation }
            }
            Shape::Bytes => ColumnType::VarBinary { bytes: RESULT_BYTES_MAX },
            Shape::Date => ColumnType::Date,
            Shape::Json => ColumnType::Json,
            Shape::By(make) => make(arguments),
        }
    }
}

/// A set of what may be true of a function.
pub(crate) type Facts = u32;

/// Never NULL, whatever its arguments are.
pub(crate) const NEVER_NULL: Facts = 1;
/// NULL for nothing but NULL among its arguments; the others are also NULL for what makes no sense
/// to them.
pub(crate) const NULL_FOR_NULL: Facts = 1 << 1;
/// Two evaluations within one statement can differ, or do something.
pub(crate) const VOLATILE: Facts = 1 << 2;
/// May take long: it must not run where nobody may wait.
pub(crate) const WAITS: Facts = 1 << 3;
/// Asks the session or the statement's time, and is the same throughout one statement.
pub(crate) const ASKS: Facts = 1 << 4;
/// As `ASKS`, where it has no arguments.
pub(crate) const ASKS_ALONE: Facts = 1 << 5;
/// Looks at the bytes of its arguments: texts are given to it in their own character sets.
pub(crate) const SEES_BYTES: Facts = 1 << 6;
/// Its text is as coercible as a literal, whatever collations its arguments have, and of the
/// connection's collation unless it is JSON's (MySQL 9.7: tests/oracle/sql/connection.sql).
pub(crate) const AS_LITERAL: Facts = 1 << 10;
/// Wants numbers as arguments, unless all of them are texts.
pub(crate) const NUMBERS_UNLESS_TEXTS: Facts = 1 << 9;
/// Wants a number as its first argument, its second, and so on: there a literal of digits (0x41,
/// b'1') is one. Where text is wanted, or whatever there is, it is bytes (MySQL 9.7 answers so:
/// tests/oracle/sql/wanted.py).
pub(crate) const NUMBER_0: Facts = number_at(0);
pub(crate) const NUMBER_1: Facts = number_at(1);
pub(crate) const NUMBER_2: Facts = number_at(2);
pub(crate) const NUMBER_3: Facts = number_at(3);
pub(crate) const NUMBER_4: Facts = number_at(4);
/// Wants numbers as all its arguments.
pub(crate) const NUMBERS: Facts = 0xff00_0000;

/// The fact that the argument at a place is to be a number; of many arguments the last ones share
/// one.
pub(crate) const fn number_at(at: usize) -> Facts {
    1 << (24 + if at < 7 { at } else { 7 })
}
