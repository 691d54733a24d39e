//! A column of a file as a column of ours (`columnar::arrow`). What has the form already is taken
//! as it is; texts change their name alone.
//!
//! What MySQL has no value for is NULL: NaN and infinities, days outside of the years 0 to 9999,
//! times beyond 838:59:59. What breaks the promise of the column's own type is an error.
//!
//! Not here: which type a column has (`types`), texts that stand for values of other types (`csv`).

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryViewArray, BinaryViewBuilder, PrimitiveArray, UInt16Builder,
    UInt64Builder,
};
use arrow::compute::cast;
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Decimal128Type, Decimal256Type, DecimalType,
    DurationMicrosecondType, Field, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimeUnit, TimestampMicrosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::error::ArrowError;
use arrow::json::writer::{EncoderOptions, make_encoder};
use values::convert::{Converted, from_text};
use values::datum::Value;
use values::temporal::{Date, DateTime, Time, Zone};
use values::types::{ColumnType, IntWidth};

use super::types::read_as;

/// Why a column cannot be had.
pub(super) type ConvertResult<T> = Result<T, ArrowError>;

/// The column as one of `ty`, which is the type that `types::type_of` gave it.
pub(super) fn converted(ty: &ColumnType, array: &ArrayRef) -> ConvertResult<ArrayRef> {
    if let DataType::Dictionary(..) = array.data_type() {
        return converted(ty, &cast(array, &read_as(array.data_type()))?);
    }
    match ty {
        ColumnType::Int { width, unsigned, .. } => integers(*width, *unsigned, array),
        ColumnType::Year => cast_to(array, &DataType::UInt16),
        ColumnType::Float(_) => {
            Ok(finite::<Float32Type>(&cast_to(array, &DataType::Float32)?, f32::is_finite))
        }
        ColumnType::Double(_) => {
            Ok(finite::<Float64Type>(&cast_to(array, &DataType::Float64)?, f64::is_finite))
        }
        ColumnType::Decimal { precision, .. } => {
            decimals(*precision, &cast_to(array, &columnar::arrow::arrow_type(ty))?)
        }
        ColumnType::Date => {
            let days = cast_to(array, &DataType::Date32)?;
            Ok(dates(days.as_primitive::<Date32Type>()))
        }
        ColumnType::DateTime { .. } => Ok(date_times(&micros_of(array)?)),
        ColumnType::Timestamp { .. } => {
            let micros = micros_of(array)?;
            let micros = micros.as_primitive::<TimestampMicrosecondType>();
            Ok(Arc::new(micros.unary_opt::<_, UInt64Type>(|micros| u64::try_from(micros).ok())))
        }
        ColumnType::Time { .. } => times(array),
        ColumnType::Enum { values, .. } => words(values, array),
        ColumnType::Set { .. } => members(ty, array),
        ColumnType::Bit { .. } => bits(ty, array),
        ColumnType::Json if !is_text(array.data_type()) => json(array),
        _ => texts(ty, array),
    }
}

/// `cast`, where anything is to be done.
fn cast_to(array: &ArrayRef, ty: &DataType) -> ConvertResult<ArrayRef> {
    if array.data_type() == ty { Ok(Arc::clone(array)) } else { cast(array, ty) }
}

/// Neighbours are often equal: the last answer is kept.
fn remembering<K: Copy + PartialEq, V: Copy>(
    answer: impl Fn(K) -> Option<V>,
) -> impl Fn(K) -> Option<V> {
    let last = std::cell::Cell::new(None);
    move |key| match last.get() {
        Some((before, value)) if before == key => value,
        _ => {
            let value = answer(key);
            last.set(Some((key, value)));
            value
        }
    }
}

fn integers(width: IntWidth, unsigned: bool, array: &ArrayRef) -> ConvertResult<ArrayRef> {
    let array = widened(unsigned, array)?;
    // No other type of a file has a range of its own.
    if width == IntWidth::Medium {
        let fits = match unsigned {
            true => {
                let values = array.as_primitive::<UInt64Type>();
                values.iter().flatten().all(|value| value <= width.unsigned_max())
            }
            false => {
                let values = array.as_primitive::<Int64Type>();
                values.iter().flatten().all(|value| (width.min()..=width.max()).contains(&value))
            }
        };
        if !fits {
            return Err(ArrowError::ParseError("a number beyond MEDIUMINT".to_owned()));
        }
    }
    Ok(array)
}

/// Integers of 64 bits. What has fewer fits without a look, which a cast takes at each.
fn widened(unsigned: bool, array: &ArrayRef) -> ConvertResult<ArrayRef> {
    fn wide<From: ArrowPrimitiveType, To: ArrowPrimitiveType>(array: &ArrayRef) -> ArrayRef
    where
        To::Native: std::convert::From<From::Native>,
    {
        Arc::new(array.as_primitive::<From>().unary::<_, To>(To::Native::from))
    }
    Ok(match (array.data_type(), unsigned) {
        (DataType::Int8, false) => wide::<Int8Type, Int64Type>(array),
        (DataType::Int16, false) => wide::<Int16Type, Int64Type>(array),
        (DataType::Int32, false) => wide::<Int32Type, Int64Type>(array),
        (DataType::UInt8, true) => wide::<UInt8Type, UInt64Type>(array),
        (DataType::UInt16, true) => wide::<UInt16Type, UInt64Type>(array),
        (DataType::UInt32, true) => wide::<UInt32Type, UInt64Type>(array),
        (_, true) => cast_to(array, &DataType::UInt64)?,
        (_, false) => cast_to(array, &DataType::Int64)?,
    })
}

/// Numbers of a type of floats, of which those that are not finite are NULL.
fn finite<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    is_finite: impl Fn(T::Native) -> bool,
) -> ArrayRef {
    let values = array.as_primitive::<T>();
    // All of them are looked at, several by one instruction.
    match values.values().iter().fold(true, |all, value| all & is_finite(*value)) {
        true => Arc::clone(array),
        false => {
            let finite = |value: T::Native| is_finite(value).then_some(value);
            Arc::new(values.unary_opt::<_, T>(finite))
        }
    }
}

/// The digits that a file gives may be more than its type says.
fn decimals(precision: u8, array: &ArrayRef) -> ConvertResult<ArrayRef> {
    match array.data_type() {
        DataType::Decimal256(..) => {
            array.as_primitive::<Decimal256Type>().validate_decimal_precision(precision)?;
        }
        _ if precision < Decimal128Type::MAX_PRECISION => {
            let largest = 10i128.pow(u32::from(precision)) - 1;
            let values = array.as_primitive::<Decimal128Type>();
            let is_small = |value: &i128| (-largest..=largest).contains(value);
            if !values.values().iter().all(is_small) {
                // Of NULLs the value says nothing.
                values.validate_decimal_precision(precision)?;
            }
        }
        _ => array.as_primitive::<Decimal128Type>().validate_decimal_precision(precision)?,
    }
    Ok(Arc::clone(array))
}

/// The clock of UTC in microseconds, whatever the unit and the zone.
fn micros_of(array: &ArrayRef) -> ConvertResult<ArrayRef> {
    let zone = match array.data_type() {
        DataType::Timestamp(_, zone) => zone.clone(),
        _ => None,
    };
    cast_to(array, &DataType::Timestamp(TimeUnit::Microsecond, zone))
}

/// The days of a century and a half, packed: 1900 to 2049.
static DAYS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let packed = |day| Date::from_days(day).map_or(0, Date::packed);
    (DAYS_FROM..DAYS_FROM + DAYS_KNOWN).map(packed).collect()
});
const DAYS_FROM: i32 = -25_567;
const DAYS_KNOWN: i32 = 54_787;

fn dates(days: &PrimitiveArray<Date32Type>) -> ArrayRef {
    let place = |day: i32| day.wrapping_sub(DAYS_FROM) as u32;
    let values = days.values().iter();
    if values.fold(true, |known, day| known & (place(*day) < DAYS_KNOWN as u32)) {
        let known: &[u32] = &DAYS;
        return Arc::new(days.unary::<_, UInt32Type>(|day| known[place(day) as usize]));
    }
    let date = |day| Date::from_days(day).map(Date::packed);
    Arc::new(days.unary_opt::<_, UInt32Type>(remembering(date)))
}

fn date_times(micros: &ArrayRef) -> ArrayRef {
    /// Microseconds of a day.
    const DAY: i64 = 86_400_000_000;
    let midnight = remembering(|day: i64| DateTime::from_micros(day * DAY).map(DateTime::packed));
    let date_time = |micros: i64| {
        let packed = midnight(micros.div_euclid(DAY))?;
        let clock = micros.rem_euclid(DAY) as u64;
        let seconds = clock / 1_000_000;
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let micro = clock % 1_000_000;
        Some(packed | hour << 32 | minute << 26 | second << 20 | micro)
    };
    let micros = micros.as_primitive::<TimestampMicrosecondType>();
    Arc::new(micros.unary_opt::<_, UInt64Type>(date_time))
}

fn times(array: &ArrayRef) -> ConvertResult<ArrayRef> {
    let micros = match array.data_type() {
        DataType::Duration(_) => {
            let micros = cast_to(array, &DataType::Duration(TimeUnit::Microsecond))?;
            let micros = micros.as_primitive::<DurationMicrosecondType>();
            micros.reinterpret_cast::<Int64Type>()
        }
        _ => {
            let micros = cast_to(array, &DataType::Time64(TimeUnit::Microsecond))?;
            cast(&micros, &DataType::Int64)?.as_primitive::<Int64Type>().clone()
        }
    };
    let time = |micros| Time::from_micros(micros).map(Time::micros);
    Ok(Arc::new(micros.unary_opt::<_, Int64Type>(time)))
}

fn is_text(ty: &DataType) -> bool {
    matches!(ty, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null)
}

/// Texts and binary values.
fn texts(ty: &ColumnType, array: &ArrayRef) -> ConvertResult<ArrayRef> {
    let array = match array.data_type() {
        DataType::Utf8View => Arc::new(array.as_string_view().clone().to_binary_view()) as ArrayRef,
        // Through the type that has been checked to be UTF-8.
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Null | DataType::Interval(_) => {
            let views = cast(array, &DataType::Utf8View)?;
            Arc::new(views.as_string_view().clone().to_binary_view())
        }
        _ => cast_to(array, &DataType::BinaryView)?,
    };
    check_lengths(ty, array.as_binary_view())?;
    Ok(array)
}

/// The lengths that types from metadata promise.
fn check_lengths(ty: &ColumnType, array: &BinaryViewArray) -> ConvertResult<()> {
    let fits = |fits: &dyn Fn(&[u8]) -> bool| match array.iter().flatten().all(fits) {
        true => Ok(()),
        false => {
            let name = ty.mysql_type_name();
            Err(ArrowError::ParseError(format!("a value that is too long for {name}")))
        }
    };
    let chars = |text: &[u8]| text.iter().filter(|byte| *byte & 0xC0 != 0x80).count();
    match ty {
        ColumnType::Char { chars: most, .. } | ColumnType::VarChar { chars: most, .. } => {
            let most = *most as usize;
            fits(&|text| text.len() <= most || chars(text) <= most)
        }
        ColumnType::Binary { bytes } => fits(&|value| value.len() == *bytes as usize),
        ColumnType::VarBinary { bytes } => fits(&|value| value.len() <= *bytes as usize),
        ColumnType::Text { size, .. } | ColumnType::Blob { size }
            if *size != values::types::LobSize::Long =>
        {
            fits(&|value| value.len() as u64 <= size.bytes_max())
        }
        _ => Ok(()),
    }
}

/// The positions of an ENUM's words.
fn words(words: &[String], array: &ArrayRef) -> ConvertResult<ArrayRef> {
    let positions: HashMap<&[u8], u16> =
        words.iter().zip(1..).map(|(word, at)| (word.as_bytes(), at)).collect();
    let texts = cast_to(array, &DataType::Utf8View)?;
    let mut found = UInt16Builder::with_capacity(texts.len());
    for text in texts.as_string_view() {
        match text {
            None => found.append_null(),
            // The value that stands for none of the words.
            Some("") if !positions.contains_key(&b""[..]) => found.append_value(0),
            Some(text) => match positions.get(text.as_bytes()) {
                Some(position) => found.append_value(*position),
                None => {
                    let message = format!("'{text}' is no word of its ENUM");
                    return Err(ArrowError::ParseError(message));
                }
            },
        }
    }
    Ok(Arc::new(found.finish()))
}

/// The numbers of a SET's texts.
fn members(ty: &ColumnType, array: &ArrayRef) -> ConvertResult<ArrayRef> {
    let texts = cast_to(array, &DataType::Utf8View)?;
    let mut found = UInt64Builder::with_capacity(texts.len());
    for text in texts.as_string_view() {
        let Some(text) = text else {
            found.append_null();
            continue;
        };
        match from_text(ty, text.as_bytes(), Zone::UTC) {
            Converted { value: Value::Set(members), issue: None, .. } => {
                found.append_value(members)
            }
            _ => {
                let message = format!("'{text}' has no member of its SET");
                return Err(ArrowError::ParseError(message));
            }
        }
    }
    Ok(Arc::new(found.finish()))
}

/// The numbers of a BIT, which have no more bits than it.
fn bits(ty: &ColumnType, array: &ArrayRef) -> ConvertResult<ArrayRef> {
    let numbers = cast_to(array, &DataType::UInt64)?;
    match numbers.as_primitive::<UInt64Type>().iter().flatten().find(|n| *n > ty.bits_max()) {
        Some(number) => Err(ArrowError::ParseError(format!("{number} has too many bits"))),
        None => Ok(numbers),
    }
}

/// Nested values as texts.
fn json(array: &ArrayRef) -> ConvertResult<ArrayRef> {
    let field = Arc::new(Field::new("value", array.data_type().clone(), true));
    let options = EncoderOptions::default();
    let mut encoder = make_encoder(&field, array.as_ref(), &options)?;
    let mut texts = BinaryViewBuilder::with_capacity(array.len());
    let mut text = Vec::new();
    for row in 0..array.len() {
        if encoder.is_null(row) {
            texts.append_null();
            continue;
        }
        text.clear();
        encoder.encode(row, &mut text);
        texts.append_value(&text);
    }
    Ok(Arc::new(texts.finish()))
}
