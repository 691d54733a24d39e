//! Aggregate functions, with the tree's result types.
//!
//! Invariants
//! 1. MIN, MAX and DISTINCT on text follow its collation.
//! 2. Sums of exact numbers are exact: they are summed as decimals with ten digits of room. One
//!    that its type has no room for is the largest or smallest number of that, as row by row.
//!
//! Not here: the grouping that collects them (`grouping`), windows (`window`).

use std::sync::Arc;

use columnar::arrow::arrow_type;
use datafusion::functions_aggregate::average::avg_udaf;
use datafusion::functions_aggregate::bit_and_or_xor::{bit_and_udaf, bit_or_udaf, bit_xor_udaf};
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_aggregate::min_max::{max_udaf, min_udaf};
use datafusion::functions_aggregate::stddev::{stddev_pop_udaf, stddev_udaf};
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::functions_aggregate::variance::{var_pop_udaf, var_samp_udaf};
use datafusion::logical_expr::expr;
use datafusion::logical_expr::{AggregateUDF, Case, Expr, lit};
use expression::{
    BIGINT_UNSIGNED, JsonMembers, Kind, Node, Number, json_element, keeps_digits, quotient,
    text_of, text_type, write_json_comparison_key,
};
use plan::tree::{Aggregate, AggregateFunction, KEPT_DIGITS};
use results::{Result, SqlError};
use values::convert::convert;
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::temporal::Zone;
use values::types::{Collation, ColumnType, LobSize};

use super::super::columns::{Class, class_of, collation_of, scalar_of};
use super::super::kernels::{
    Arithmetic, GroupConcat, Joining, NumberDomain, Operation, Overlong, RowFunction, SortKey,
    TupleKey,
};
use super::convert::native_cast;
use super::grouping::{any_value, key_of};
use super::query::is_collated;
use super::row::Row;
use super::{Lowering, call};

/// Default of group_concat_max_len.
const CONCAT_BYTES_MAX: usize = 1024;
/// Digits that a sum of 128 bits may have, and one of 256.
const SUM_DIGITS: [u8; 2] = [38, 65];

/// Makes a call of an aggregate function an expression: a column of a grouping, or of a window.
pub(super) type Add<'f> = dyn FnMut(Expr) -> Expr + 'f;

/// A call of an aggregate function.
pub(super) fn plain(function: Arc<AggregateUDF>, args: Vec<Expr>, distinct: bool) -> Expr {
    let none = Vec::new();
    Expr::AggregateFunction(expr::AggregateFunction::new_udf(
        function, args, distinct, None, none, None,
    ))
}

impl Lowering<'_> {
    /// An aggregate, of the tree's type for what is kept of it.
    pub(super) fn aggregate(
        &self,
        row: &Row<'_>,
        aggregate: &Aggregate,
        add: &mut Add<'_>,
    ) -> Result<Expr> {
        use AggregateFunction as F;
        let distinct = aggregate.distinct;
        let values = aggregate
            .arguments
            .iter()
            .map(|node| self.value(row, node))
            .collect::<Result<Vec<Expr>>>()?;
        let Some((node, value)) = aggregate.arguments.first().zip(values.first().cloned()) else {
            return Ok(add(plain(count_udaf(), vec![lit(1i64)], false)));
        };
        Ok(match aggregate.function {
            F::CountRows => add(plain(count_udaf(), vec![lit(1i64)], false)),
            F::Count => add(plain(count_udaf(), vec![self.counted(aggregate, values)], distinct)),
            F::Sum => {
                let (value, ty) = self.summed(row, node, value)?;
                self.sum(value, &ty, &aggregate.kept_type(), distinct, add)
            }
            F::Average => {
                let (value, ty) = self.summed(row, node, value)?;
                self.average(value, &ty, aggregate, add)
            }
            F::Minimum | F::Maximum => {
                let kept = aggregate.kept_type();
                let (value, ty) = match aggregate.keeps_digits {
                    true => self.summed(row, node, value)?,
                    false => (value, node.ty.clone()),
                };
                let least = aggregate.function == F::Minimum;
                extreme(self.converted(value, &ty, &kept), &kept, least, add)
            }
            F::AnyValue => {
                let value = add(any_value(value));
                self.converted(value, &node.ty, &aggregate.ty)
            }
            F::BitAnd | F::BitOr | F::BitXor if aggregate.combines_bytes() => {
                return Err(SqlError::not_lowerable("bits of strings of bytes in a plan"));
            }
            F::BitAnd | F::BitOr | F::BitXor => {
                let (function, neutral) = match aggregate.function {
                    F::BitAnd => (bit_and_udaf(), u64::MAX),
                    F::BitOr => (bit_or_udaf(), 0),
                    _ => (bit_xor_udaf(), 0),
                };
                let found = add(plain(function, vec![self.bits(value, node)], false));
                let neutral = scalar_of(&BIGINT_UNSIGNED, &Value::UInt(neutral));
                let known = vec![(Box::new(found.clone().is_not_null()), Box::new(found))];
                let neutral = Box::new(Expr::Literal(neutral, None));
                Expr::Case(Case::new(None, known, Some(neutral)))
            }
            F::DeviationOfAll | F::DeviationOfSample | F::VarianceOfAll | F::VarianceOfSample => {
                let function = match aggregate.function {
                    F::DeviationOfAll => stddev_pop_udaf(),
                    F::DeviationOfSample => stddev_udaf(),
                    F::VarianceOfAll => var_pop_udaf(),
                    _ => var_samp_udaf(),
                };
                let found = add(plain(function, vec![self.as_double(value, &node.ty)], distinct));
                // What is no number is an error, which the sum with 0 finds.
                let sum = Arithmetic::new(Operation::Add, NumberDomain::Double);
                call(sum, vec![found, lit(0.0f64)])
            }
            F::Grouping => return Err(SqlError::not_lowerable("GROUPING in a plan")),
            F::GroupConcat => self.group_concat(row, aggregate, value, add)?,
            F::JsonArray => {
                // Which texts are one is said of their weights, not of their elements.
                if distinct && matches!(class_of(&node.ty), Class::Text) {
                    return Err(SqlError::not_lowerable(
                        "JSON_ARRAYAGG of distinct texts in a plan",
                    ));
                }
                let mut args = vec![self.json_element(value, node.json_type())];
                args.extend(self.sort_key(row, aggregate)?);
                let joining = Joining {
                    distinct: distinct.then_some(Collation::Binary),
                    ordered: args.len() > 1,
                    limit: self.concat_limit(aggregate)?,
                    ..self.json_joining("json_arrayagg")
                };
                self.json_whole(joining, args, json_array, add)
            }
            F::JsonObject => {
                let [_, member] = aggregate.arguments.as_slice() else {
                    return Err(SqlError::syntax("JSON_OBJECTAGG(", 1));
                };
                let members = self.json_pair(values, &node.ty, member.json_type());
                let joining = self.json_joining("json_objectagg");
                self.json_whole(joining, vec![members], json_object, add)
            }
        })
    }

    /// What COUNT counts.
    fn counted(&self, aggregate: &Aggregate, mut values: Vec<Expr>) -> Expr {
        match aggregate.arguments.as_slice() {
            [one] if aggregate.distinct => key_of(values.swap_remove(0), &one.ty),
            [one] if !one.nullable => lit(1i64),
            [_] => values.swap_remove(0),
            several => {
                let types = several.iter().map(|node| node.ty.clone()).collect();
                call(TupleKey::new(types), values)
            }
        }
    }

    /// What SUM and AVG are over, and its type: what is made of an average has more digits than it
    /// shows.
    fn summed(&self, row: &Row<'_>, node: &Node, value: Expr) -> Result<(Expr, ColumnType)> {
        match node.ty {
            ColumnType::Decimal { precision, scale } if keeps_digits(node) => {
                let more = KEPT_DIGITS.min(Decimal::SCALE_MAX - scale);
                // With ten digits of room for the sum, 128 bits will do if they can.
                let narrow = precision + more <= SUM_DIGITS[0] - 10;
                let precision = if narrow { SUM_DIGITS[0] - 10 } else { SUM_DIGITS[1] };
                let exact = ColumnType::Decimal { precision, scale: scale + more };
                Ok((self.lifted(row, node, Some(&exact))?, exact))
            }
            _ => Ok((value, node.ty.clone())),
        }
    }

    /// A sum of values of `from`, of type `ty`.
    fn sum(
        &self,
        value: Expr,
        from: &ColumnType,
        ty: &ColumnType,
        distinct: bool,
        add: &mut Add<'_>,
    ) -> Expr {
        let ColumnType::Decimal { precision, scale } = *ty else {
            return add(plain(sum_udaf(), vec![self.as_double(value, from)], distinct));
        };
        let (sum, wide) = self.exact_sum(value, from, (precision, scale), distinct, add);
        if arrow_type(ty) == arrow_type(&wide) {
            return sum;
        }
        if precision < SUM_DIGITS[1] {
            return native_cast(sum, ty);
        }
        // A larger sum than the type holds is the largest that it does.
        let (name, identity) = ("narrowed_sum", format!("{ty:?}"));
        call(within_type(name, &identity, vec![wide], ty, |args| args[0].to_value()), vec![sum])
    }

    /// A sum of exact values, which is to have some digits, and its type: as wide as DataFusion
    /// makes it.
    fn exact_sum(
        &self,
        value: Expr,
        from: &ColumnType,
        (precision, scale): (u8, u8),
        distinct: bool,
        add: &mut Add<'_>,
    ) -> (Expr, ColumnType) {
        if let ColumnType::Decimal { precision, scale: more } = *from
            && more > scale
        {
            return (add(plain(sum_udaf(), vec![value], distinct)), sum_type(precision, more));
        }
        // What the type says of a sum is 22 digits more than what is summed.
        let digits = if precision <= 28 + 22 { SUM_DIGITS[0] } else { SUM_DIGITS[1] };
        let wide = ColumnType::Decimal { precision: digits, scale };
        let widened = self.as_decimal(value, from, &wide);
        (add(plain(sum_udaf(), vec![widened], distinct)), sum_type(digits, scale))
    }

    fn average(
        &self,
        value: Expr,
        from: &ColumnType,
        aggregate: &Aggregate,
        add: &mut Add<'_>,
    ) -> Expr {
        let (ty, distinct) = (&aggregate.kept_type(), aggregate.distinct);
        let ColumnType::Decimal { .. } = *ty else {
            let value = self.as_double(value, from);
            if !distinct {
                return add(plain(avg_udaf(), vec![value], false));
            }
            let sum = add(plain(sum_udaf(), vec![value.clone()], true));
            let count = add(plain(count_udaf(), vec![value], true));
            return sum / native_cast(count, &ColumnType::Double(None));
        };
        let own = Node::new(Kind::Column(0), from.clone(), true);
        let sum_ty = AggregateFunction::Sum.result(&[own]).0;
        let ColumnType::Decimal { precision, scale: digits } = sum_ty else {
            return self.sum(value, from, &sum_ty, distinct, add);
        };
        let exact = (precision, digits);
        let more = aggregate.more_digits();
        let (sum, wide) = self.exact_sum(value.clone(), from, exact, distinct, add);
        let counted = if distinct { key_of(value, from) } else { value };
        let count = add(plain(count_udaf(), vec![counted], distinct));
        let arguments = vec![wide, expression::BIGINT];
        let average = within_type("quotient", &format!("{ty:?}"), arguments, ty, move |args| {
            let (Datum::Decimal(sum), Datum::Int(count)) = (args[0], args[1]) else {
                return Value::Null;
            };
            quotient(sum, Decimal::from(count), more).map_or(Value::Null, Value::Decimal)
        });
        call(average, vec![sum, count])
    }

    /// The operators' 64 bits of a value.
    fn bits(&self, value: Expr, node: &Node) -> Expr {
        let (zone, stored) = (self.zone(), node.is_stored());
        let function = RowFunction::new(
            "bits",
            &format!("{zone:?} {stored}"),
            vec![node.ty.clone()],
            Some(BIGINT_UNSIGNED),
            false,
            Arc::new(move |args| {
                let number = Number::of_bits(args[0], stored, zone);
                Ok(number.map_or(Value::Null, |(number, _)| Value::UInt(number.to_bits())))
            }),
        );
        call(function, vec![value])
    }

    /// A value's text.
    fn text(&self, value: Expr, ty: &ColumnType) -> (Expr, Collation) {
        match class_of(ty) {
            Class::Text | Class::Binary => (value, collation_of(ty)),
            _ => (self.converted(value, ty, &text_type(0)), collation_of(&text_type(0))),
        }
    }

    fn group_concat(
        &self,
        row: &Row<'_>,
        aggregate: &Aggregate,
        value: Expr,
        add: &mut Add<'_>,
    ) -> Result<Expr> {
        let [node] = aggregate.arguments.as_slice() else {
            return Err(SqlError::not_lowerable("GROUP_CONCAT of several values in a plan"));
        };
        // Which documents are one is not said of their texts.
        if aggregate.distinct && node.ty == ColumnType::Json {
            return Err(SqlError::not_lowerable("GROUP_CONCAT of distinct JSON in a plan"));
        }
        let (text, collation) = self.text(value, &node.ty);
        let joining = Joining {
            separator: aggregate.separator.clone(),
            bytes_max: self.concat_bytes_max(),
            distinct: aggregate.distinct.then_some(collation),
            ordered: !aggregate.order.is_empty(),
            limit: self.concat_limit(aggregate)?,
            overlong: Overlong::Cut,
        };
        let mut args = vec![text];
        args.extend(self.sort_key(row, aggregate)?);
        Ok(add(self.joined(joining, args)))
    }

    /// What an aggregate's ORDER BY sorts by, if it has one.
    fn sort_key(&self, row: &Row<'_>, aggregate: &Aggregate) -> Result<Option<Expr>> {
        if aggregate.order.is_empty() {
            return Ok(None);
        }
        let keys = aggregate.order.iter().map(|(node, _)| self.value(row, node));
        let types = aggregate.order.iter().map(|(node, _)| node.ty.clone()).collect();
        let descending = aggregate.order.iter().map(|(_, descending)| *descending).collect();
        let keys = keys.collect::<Result<Vec<_>>>()?;
        Ok(Some(call(SortKey::new(types, descending), keys)))
    }

    /// An aggregate's LIMIT: offset and count.
    fn concat_limit(&self, aggregate: &Aggregate) -> Result<Option<(usize, usize)>> {
        let Some(limit) = &aggregate.limit else { return Ok(None) };
        let number = |node: &Node| {
            let number = match self.known_value(node) {
                Some(value) => Number::of(value.as_datum(), self.zone()),
                None => return Err(SqlError::not_lowerable("such a LIMIT in a plan")),
            };
            let number = number.map_or(0, |(number, _)| number.to_i128().max(0));
            Ok(usize::try_from(number).unwrap_or(usize::MAX))
        };
        Ok(Some((number(&limit[0])?, number(&limit[1])?)))
    }

    fn joined(&self, joining: Joining, args: Vec<Expr>) -> Expr {
        // It counts in this statement's memory.
        self.is_of_once.set(true);
        let function = GroupConcat::new(joining, &self.facts.limits);
        plain(Arc::new(AggregateUDF::new_from_impl(function)), args, false)
    }

    fn concat_bytes_max(&self) -> usize {
        let kind = Kind::SystemVariable("group_concat_max_len".to_owned(), false);
        let bytes_max = match self.known_value(&Node::new(kind, BIGINT_UNSIGNED, true)) {
            Some(Value::UInt(bytes)) => usize::try_from(bytes).unwrap_or(usize::MAX),
            _ => CONCAT_BYTES_MAX,
        };
        bytes_max.min(self.facts.limits.value_bytes_max())
    }

    /// How JSON texts are joined: with zero bytes between them, of which no JSON has any.
    fn json_joining(&self, name: &'static str) -> Joining {
        Joining {
            separator: vec![0],
            bytes_max: self.facts.limits.value_bytes_max() - 2,
            distinct: None,
            ordered: false,
            limit: None,
            overlong: Overlong::Null(name),
        }
    }

    /// What is made of JSON texts that are joined so.
    fn json_whole(
        &self,
        joining: Joining,
        args: Vec<Expr>,
        make: fn(&[u8]) -> Vec<u8>,
        add: &mut Add<'_>,
    ) -> Expr {
        let name = match joining.overlong {
            Overlong::Null(name) => name,
            Overlong::Cut => "",
        };
        let joined = add(self.joined(joining, args));
        let whole = RowFunction::new(
            "json_whole",
            name,
            vec![ColumnType::Json],
            Some(ColumnType::Json),
            false,
            Arc::new(move |args| {
                Ok(match args[0] {
                    Datum::Bytes(elements) => Value::Bytes(make(elements)),
                    _ => Value::Null,
                })
            }),
        );
        call(whole, vec![joined])
    }

    /// A value as JSON; NULL as `null`.
    fn json_element(&self, value: Expr, ty: &ColumnType) -> Expr {
        let (own, zone) = (ty.clone(), self.zone());
        let function = RowFunction::new(
            "json_element",
            &format!("{zone:?}"),
            vec![ty.clone()],
            Some(ColumnType::Json),
            false,
            Arc::new(move |args| {
                let mut element = Vec::new();
                json_element(&own, args[0], zone, &mut element);
                Ok(Value::Bytes(element))
            }),
        );
        call(function, vec![value])
    }

    /// A member of a JSON object: its name, then its value.
    fn json_pair(&self, values: Vec<Expr>, name: &ColumnType, value: &ColumnType) -> Expr {
        let (name_ty, value_ty, zone) = (name.clone(), value.clone(), self.zone());
        let function = RowFunction::new(
            "json_pair",
            &format!("{zone:?}"),
            vec![name.clone(), value.clone()],
            Some(ColumnType::Json),
            false,
            Arc::new(move |args| {
                if args[0].is_null() {
                    return Err(expression::Error::null_member_name().into());
                }
                let mut name = Vec::new();
                text_of(&name_ty, args[0], zone, &mut name);
                let name = serde_json::Value::from(String::from_utf8_lossy(&name).into_owned());
                let mut pair = name.to_string().into_bytes();
                pair.extend_from_slice(b": ");
                json_element(&value_ty, args[1], zone, &mut pair);
                Ok(Value::Bytes(pair))
            }),
        );
        call(function, values)
    }
}

/// MIN or MAX of values of a type. Text under a collation is packed with its key in front,
/// compared as bytes, and unpacked again.
fn extreme(value: Expr, ty: &ColumnType, least: bool, add: &mut Add<'_>) -> Expr {
    let function = if least { min_udaf() } else { max_udaf() };
    if !is_collated(ty) {
        return add(plain(function, vec![value], false));
    }
    let collation = collation_of(ty);
    let packed = ColumnType::Blob { size: LobSize::Long };
    let is_json = *ty == ColumnType::Json;
    let pack = RowFunction::new(
        "pack_text",
        if is_json { "json" } else { collation.name() },
        vec![ty.clone()],
        Some(packed.clone()),
        false,
        Arc::new(move |args| {
            Ok(pack_text(args[0], |text, out| match is_json {
                true => write_json_comparison_key(text, out),
                false => values::key::write_weights(collation, text, out),
            }))
        }),
    );
    let unpack = RowFunction::new(
        "unpack_text",
        "",
        vec![packed],
        Some(ty.clone()),
        false,
        Arc::new(|args| Ok(unpack_text(args[0]))),
    );
    let best = add(plain(function, vec![call(pack, vec![value])], false));
    call(unpack, vec![best])
}

/// An array of elements that zero bytes part.
fn json_array(elements: &[u8]) -> Vec<u8> {
    let elements: Vec<&[u8]> = elements.split(|byte| *byte == 0).collect();
    [b"[", elements.join(&b", "[..]).as_slice(), b"]"].concat()
}

/// An object of members, `name: value`, that zero bytes part.
fn json_object(members: &[u8]) -> Vec<u8> {
    let mut object = JsonMembers::default();
    for member in members.split(|byte| *byte == 0) {
        let mut parts = serde_json::Deserializer::from_slice(member).into_iter::<String>();
        if let Some(Ok(name)) = parts.next() {
            let value = &member[parts.byte_offset()..];
            object.insert(name, value.strip_prefix(b": ").unwrap_or(value).to_vec());
        }
    }
    object.print()
}

/// A function of numbers whose result is of a type: what is beyond that is the largest or smallest
/// number of it.
fn within_type(
    name: &str,
    identity: &str,
    arguments: Vec<ColumnType>,
    ty: &ColumnType,
    function: impl Fn(&[Datum<'_>]) -> Value + Send + Sync + 'static,
) -> RowFunction {
    let own = ty.clone();
    let evaluate = move |args: &[Datum<'_>]| match function(args) {
        Value::Null => Ok(Value::Null),
        // A number is the same in every time zone.
        value => Ok(convert(&own, value.as_datum(), Zone::UTC).value),
    };
    RowFunction::new(name, identity, arguments, Some(ty.clone()), false, Arc::new(evaluate))
}

/// The type that DataFusion gives a sum of decimals.
fn sum_type(precision: u8, scale: u8) -> ColumnType {
    let digits_max = if precision <= 38 { 38 } else { 76 };
    ColumnType::Decimal { precision: (precision + 10).min(digits_max), scale }
}

fn pack_text(datum: Datum<'_>, write_key: impl Fn(&[u8], &mut Vec<u8>)) -> Value {
    let Datum::Bytes(text) = datum else { return Value::Null };
    let mut packed = Vec::with_capacity(2 * text.len() + 8);
    write_key(text, &mut packed);
    let key_bytes = packed.len() as u32;
    packed.extend_from_slice(text);
    // The length comes last: it must not take part in the comparison before the text does.
    packed.extend_from_slice(&key_bytes.to_be_bytes());
    Value::Bytes(packed)
}

fn unpack_text(datum: Datum<'_>) -> Value {
    let Datum::Bytes(packed) = datum else { return Value::Null };
    let Some((body, key_bytes)) = packed.split_last_chunk::<4>() else { return Value::Null };
    let key_bytes = u32::from_be_bytes(*key_bytes) as usize;
    Value::Bytes(body.get(key_bytes..).unwrap_or_default().to_vec())
}
