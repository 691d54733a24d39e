//! The table of aggregate functions: one row for each, with all that is true of it.
//!
//! COUNT is BIGINT, SUM of exact numbers a DECIMAL of 22 digits more, AVG of them one of four
//! digits more, what is of bits an unsigned number, deviations DOUBLE (MySQL 8.0 manual, 14.19.1).
//!
//! Invariants
//! 1. What is true of an aggregate function stands here and nowhere else.
//!
//! Not here: uses of them (`aggregate`), computing them (`executor::accumulate`; crate `analytic`).

use expression::{BIGINT, BIGINT_UNSIGNED, Node, is_byte_string};
use values::SqlMode;
use values::types::{Collation, ColumnType, FixedPoint, IntWidth, LobSize};

/// What is true of an aggregate function.
struct AggregateDefinition {
    function: AggregateFunction,
    /// Its names in capitals; `CountRows` has none of its own.
    names: &'static [&'static str],
    /// The type of its result, and whether it can be NULL.
    result: fn(&[Node]) -> (ColumnType, bool),
    /// Whether it is of numbers: a literal of digits (0x41) is one there.
    wants_numbers: bool,
    /// Whose digits its result keeps beyond those that its type shows.
    digits: Digits,
    /// Whether DataFusion has it over the frame of a window.
    in_analytic_frames: bool,
}

/// Digits of a result beyond those that its type shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digits {
    /// There are none.
    AsShown,
    /// Those that its argument has.
    OfArgument,
    /// It is a quotient.
    Own,
}

macro_rules! aggregates {
    ($($variant:ident [$($name:literal),*] $result:expr, numbers $numbers:literal, $digits:ident, frames $frames:literal;)+) => {
        /// An aggregate function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum AggregateFunction {
            $(
                #[doc = concat!("`", $($name, " ",)* "`")]
                $variant,
            )+
        }

        /// One for each, in the order of the enum.
        static DEFINITIONS: &[AggregateDefinition] = &[
            $(AggregateDefinition {
                function: AggregateFunction::$variant,
                names: &[$($name),*],
                result: $result,
                wants_numbers: $numbers,
                digits: Digits::$digits,
                in_analytic_frames: $frames,
            },)+
        ];
    };
}

aggregates! {
    // COUNT(*), or of what is never NULL.
    CountRows [] count, numbers false, AsShown, frames true;
    Count ["COUNT"] count, numbers false, AsShown, frames true;
    Sum ["SUM"] sum, numbers true, OfArgument, frames true;
    Average ["AVG"] average, numbers true, Own, frames true;
    Minimum ["MIN"] extreme, numbers false, OfArgument, frames true;
    Maximum ["MAX"] extreme, numbers false, OfArgument, frames true;
    AnyValue ["ANY_VALUE"] any_value, numbers false, AsShown, frames false;
    // Which of these keys a row of a rollup sums over.
    Grouping ["GROUPING"] count, numbers false, AsShown, frames false;
    GroupConcat ["GROUP_CONCAT"] joined_text, numbers false, AsShown, frames false;
    JsonArray ["JSON_ARRAYAGG"] json, numbers false, AsShown, frames false;
    JsonObject ["JSON_OBJECTAGG"] json, numbers false, AsShown, frames false;
    BitAnd ["BIT_AND"] bits, numbers true, AsShown, frames true;
    BitOr ["BIT_OR"] bits, numbers true, AsShown, frames true;
    BitXor ["BIT_XOR"] bits, numbers true, AsShown, frames true;
    DeviationOfAll ["STDDEV_POP", "STDDEV", "STD"] double, numbers true, AsShown, frames true;
    DeviationOfSample ["STDDEV_SAMP"] double, numbers true, AsShown, frames true;
    VarianceOfAll ["VAR_POP", "VARIANCE"] double, numbers true, AsShown, frames true;
    VarianceOfSample ["VAR_SAMP"] double, numbers true, AsShown, frames true;
}

impl AggregateFunction {
    fn definition(self) -> &'static AggregateDefinition {
        &DEFINITIONS[self as usize]
    }

    /// By its name in capitals; COUNT is `Count`.
    pub fn find(name: &str) -> Option<AggregateFunction> {
        let named = DEFINITIONS.iter().find(|definition| definition.names.contains(&name));
        named.map(|definition| definition.function)
    }

    /// The names of each, in the order of the table.
    pub fn names() -> impl Iterator<Item = &'static [&'static str]> {
        DEFINITIONS.iter().map(|definition| definition.names).filter(|names| !names.is_empty())
    }

    /// Whether it is of numbers: a literal of digits (0x41) is one there.
    pub fn wants_numbers(self) -> bool {
        self.definition().wants_numbers
    }

    /// Whether a long query can have it over the frame of a window.
    pub(super) fn is_in_analytic_frames(self) -> bool {
        self.definition().in_analytic_frames
    }

    /// Whether what was added to it can be taken away again, by DataFusion's way of it.
    pub fn takes_back(self) -> bool {
        use AggregateFunction as F;
        matches!(self, F::CountRows | F::Count | F::Sum | F::Average | F::Minimum | F::Maximum)
    }

    /// Whose digits its result keeps beyond those that its type shows.
    pub(super) fn digits(self) -> Digits {
        self.definition().digits
    }

    /// The type of its result, and whether it can be NULL.
    pub fn result(self, arguments: &[Node]) -> (ColumnType, bool) {
        (self.definition().result)(arguments)
    }
}

fn count(_: &[Node]) -> (ColumnType, bool) {
    (BIGINT, false)
}

/// Of strings of bytes one of their length, as their operators have it.
fn bits(arguments: &[Node]) -> (ColumnType, bool) {
    let ty = match arguments.first() {
        Some(node) if is_byte_string(node) && !node.is_digits_literal() => match node.ty {
            ColumnType::Binary { bytes } => ColumnType::VarBinary { bytes },
            ref other => other.clone(),
        },
        _ => BIGINT_UNSIGNED,
    };
    (ty, false)
}

fn json(_: &[Node]) -> (ColumnType, bool) {
    (ColumnType::Json, true)
}

fn double(_: &[Node]) -> (ColumnType, bool) {
    (ColumnType::Double(None), true)
}

fn sum(arguments: &[Node]) -> (ColumnType, bool) {
    (sum_type(arguments.first().map(|node| &node.ty)), true)
}

fn average(arguments: &[Node]) -> (ColumnType, bool) {
    (average_type(arguments.first().map(|node| &node.ty)), true)
}

/// A BIT of a group is a number.
fn any_value(arguments: &[Node]) -> (ColumnType, bool) {
    match own_type(arguments) {
        ColumnType::Bit { .. } => (BIGINT_UNSIGNED, true),
        other => (other, true),
    }
}

fn own_type(arguments: &[Node]) -> ColumnType {
    let ty = arguments.first().map(|node| node.ty.clone());
    ty.unwrap_or(ColumnType::VarBinary { bytes: 0 })
}

/// The least word of an ENUM or SET is sought among words.
fn extreme(arguments: &[Node]) -> (ColumnType, bool) {
    let ty = own_type(arguments);
    match ty {
        ColumnType::Enum { collation, .. } | ColumnType::Set { collation, .. } => {
            (ColumnType::VarChar { chars: ty.listed_chars() as u32, collation }, true)
        }
        other => (other, true),
    }
}

fn joined_text(arguments: &[Node]) -> (ColumnType, bool) {
    let collation = |node: &Node| match node.ty {
        ColumnType::Bit { .. } => Some(Collation::Binary),
        _ => node.ty.collation(),
    };
    let ty = match arguments
        .iter()
        .filter_map(collation)
        .next()
        .unwrap_or(Collation::Utf8Mb4GeneralCi)
    {
        Collation::Binary => ColumnType::Blob { size: LobSize::Normal },
        collation => ColumnType::Text { size: LobSize::Normal, collation },
    };
    (ty, true)
}

/// Precision and scale of an exact number; `None` for a double.
fn exact(ty: Option<&ColumnType>) -> Option<(u8, u8)> {
    match ty? {
        ColumnType::Int { width, unsigned, .. } => Some((
            match (width, unsigned) {
                (IntWidth::Tiny, _) => 3,
                (IntWidth::Small, _) => 5,
                (IntWidth::Medium, false) => 7,
                (IntWidth::Medium, true) => 8,
                (IntWidth::Int, _) => 10,
                (IntWidth::Big, false) => 19,
                (IntWidth::Big, true) => 20,
            },
            0,
        )),
        ColumnType::Year => Some((4, 0)),
        ColumnType::Bit { bits } => Some((*bits, 0)),
        ColumnType::Decimal { precision, scale } => Some((*precision, *scale)),
        ColumnType::Date => Some((8, 0)),
        ColumnType::Time { fsp } => Some((7 + fsp, *fsp)),
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => Some((14 + fsp, *fsp)),
        _ => None,
    }
}

fn sum_type(argument: Option<&ColumnType>) -> ColumnType {
    match exact(argument) {
        Some((precision, scale)) => {
            ColumnType::Decimal { precision: (precision + 22).min(65), scale }
        }
        None => double_of_digits(argument, 0),
    }
}

/// A sum of doubles, or of their like, with so many digits more behind the point.
fn double_of_digits(argument: Option<&ColumnType>, more: u8) -> ColumnType {
    /// Digits of a DOUBLE before the point.
    const WHOLE: u8 = 17;
    let scale = argument.and_then(ColumnType::decimals).map(|scale| scale + more);
    ColumnType::Double(scale.and_then(|scale| FixedPoint::new(WHOLE + scale, scale)))
}

/// Digits that an average has more than its argument, unless div_precision_increment says
/// otherwise.
const AVERAGE_DIGITS: u8 = 4;

fn average_type(argument: Option<&ColumnType>) -> ColumnType {
    match exact(argument) {
        Some((precision, scale)) => decimal_of(precision + AVERAGE_DIGITS, scale + AVERAGE_DIGITS),
        None => double_of_digits(argument, AVERAGE_DIGITS),
    }
}

fn decimal_of(precision: u8, scale: u8) -> ColumnType {
    ColumnType::Decimal { precision: precision.min(65), scale: scale.min(30) }
}

/// The type of an average, as `AggregateFunction::result` gives it, in a session's modes.
pub fn averaged(ty: &ColumnType, mode: SqlMode) -> ColumnType {
    let more = mode.division_digits();
    let other = |digits: u8| (digits + more).saturating_sub(AVERAGE_DIGITS);
    match ty {
        _ if more == AVERAGE_DIGITS => ty.clone(),
        ColumnType::Decimal { precision, scale } => decimal_of(other(*precision), other(*scale)),
        ColumnType::Double(Some(digits)) => {
            let FixedPoint { precision, scale } = *digits;
            ColumnType::Double(FixedPoint::new(other(precision), other(scale)))
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_definition_stands_at_its_function() {
        for (at, definition) in DEFINITIONS.iter().enumerate() {
            assert_eq!(definition.function as usize, at);
            for name in definition.names {
                assert_eq!(AggregateFunction::find(name), Some(definition.function), "{name}");
            }
        }
    }
}
