//! Aggregate functions with MySQL's result types: COUNT is BIGINT, SUM of exact numbers DECIMAL,
//! AVG of them DECIMAL with four digits more, everything else DOUBLE.
//!
//! Invariants
//! 1. MIN, MAX and DISTINCT on text follow its collation.
//! 2. Sums of integers cannot overflow: they are summed as 38-digit decimals.
//!
//! Not here: the grouping that collects them (`grouping`), aggregates over windows (`windows`).

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::functions_aggregate::average::avg_udaf;
use datafusion::functions_aggregate::bit_and_or_xor::{bit_and_udaf, bit_or_udaf, bit_xor_udaf};
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_aggregate::min_max::{max_udaf, min_udaf};
use datafusion::functions_aggregate::stddev::{stddev_pop_udaf, stddev_udaf};
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::functions_aggregate::variance::{var_pop_udaf, var_samp_udaf};
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{AggregateUDF, Case, Expr, lit};
use rows::datum::{Datum, Value};
use rows::types::{Collation, ColumnType, LobSize};
use sqlparser::ast;

use super::super::columns::{Class, arrow_type, class_of, collation_of, scalar_of};
use super::super::kernels::{
    GroupConcat, Joining, Operation, Overlong, RowFunction, SortKey, TupleKey,
};
use super::Binder;
use super::arithmetic::{Number, arithmetic, as_number, decimal_type, number_of};
use super::cast::{call, cast, native_cast, value_form};
use super::comparison::enum_text;
use super::functions::{FunctionCall, argument_expr};
use super::grouping::{any_value, key_of};
use super::scope::Scope;
use super::typed::{BIGINT, BIGINT_UNSIGNED, Kind, Typed};
use crate::error::{Result, SqlError};
use crate::expression::JsonMembers;

/// Default of group_concat_max_len.
const CONCAT_BYTES_MAX: usize = 1024;

/// Whether a function of that (upper-case) name is an aggregate.
pub(in crate::analytic) fn is_aggregate(name: &str) -> bool {
    matches!(
        name,
        "COUNT"
            | "SUM"
            | "AVG"
            | "MIN"
            | "MAX"
            | "GROUP_CONCAT"
            | "BIT_AND"
            | "BIT_OR"
            | "BIT_XOR"
            | "STD"
            | "STDDEV"
            | "STDDEV_POP"
            | "STDDEV_SAMP"
            | "VARIANCE"
            | "VAR_POP"
            | "VAR_SAMP"
            | "ANY_VALUE"
            | "JSON_ARRAYAGG"
            | "JSON_OBJECTAGG"
    )
}

/// Whether an expression has an aggregate of its own SELECT in it, windows' not counted.
pub(in crate::analytic) fn contains_aggregate(ast: &ast::Expr) -> bool {
    any_function(ast, &|function| function.over.is_none() && is_aggregate(&function_name(function)))
}

/// The upper-case name of a function.
pub(in crate::analytic) fn function_name(function: &ast::Function) -> String {
    function.name.to_string().trim_matches('`').to_ascii_uppercase()
}

/// Whether some function in an expression, sub-queries left out, is one that is looked for.
pub(in crate::analytic) fn any_function(
    ast: &ast::Expr,
    wanted: &dyn Fn(&ast::Function) -> bool,
) -> bool {
    let mut depth = 0usize;
    struct Search<'a> {
        wanted: &'a dyn Fn(&ast::Function) -> bool,
        queries: &'a mut usize,
    }
    impl ast::Visitor for Search<'_> {
        type Break = ();

        fn pre_visit_query(&mut self, _query: &ast::Query) -> ControlFlow<()> {
            *self.queries += 1;
            ControlFlow::Continue(())
        }

        fn post_visit_query(&mut self, _query: &ast::Query) -> ControlFlow<()> {
            *self.queries -= 1;
            ControlFlow::Continue(())
        }

        fn pre_visit_expr(&mut self, expr: &ast::Expr) -> ControlFlow<()> {
            match expr {
                ast::Expr::Function(function) if *self.queries == 0 && (self.wanted)(function) => {
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            }
        }
    }
    let mut search = Search { wanted, queries: &mut depth };
    ast::Visit::visit(ast, &mut search).is_break()
}

/// An aggregate's expression; what it needs around it is built on top of `#a` columns.
struct Aggregates<'s, 'p> {
    scope: &'s Scope<'p>,
}

impl Aggregates<'_, '_> {
    /// Registers an aggregate and gives its column.
    fn add(&self, function: Arc<AggregateUDF>, args: Vec<Expr>, distinct: bool) -> Expr {
        self.add_expr(Expr::AggregateFunction(AggregateFunction::new_udf(
            function,
            args,
            distinct,
            None,
            Vec::new(),
            None,
        )))
    }

    fn add_expr(&self, expr: Expr) -> Expr {
        match &mut *self.scope.grouping.borrow_mut() {
            Some(grouping) => grouping.aggregate(expr),
            None => expr,
        }
    }
}

impl Binder<'_> {
    /// Binds an aggregate function of the scope's SELECT.
    pub(super) fn aggregate(
        &self,
        scope: &Scope<'_>,
        call: &FunctionCall<'_>,
        depth: usize,
    ) -> Result<Typed> {
        if scope.grouping.borrow().is_none() || scope.inside_aggregate.get() {
            return Err(SqlError::new(1111, "Invalid use of group function"));
        }
        scope.inside_aggregate.set(true);
        let arguments = self.aggregate_arguments(scope, call, depth);
        let order = call
            .order_by()
            .iter()
            .map(|item| {
                let typed = self.nested(scope, &item.expr, depth)?;
                Ok((value_form(&typed), item.options.asc == Some(false)))
            })
            .collect::<Result<Vec<_>>>();
        scope.inside_aggregate.set(false);
        let (arguments, order) = (arguments?, order?);
        let aggregates = Aggregates { scope };
        match call.name.as_str() {
            "GROUP_CONCAT" => self.group_concat(&aggregates, call, arguments, order),
            _ => self.plain_aggregate(&aggregates, call, &arguments),
        }
    }

    fn aggregate_arguments(
        &self,
        scope: &Scope<'_>,
        call: &FunctionCall<'_>,
        depth: usize,
    ) -> Result<Vec<Typed>> {
        if call.is_star() {
            return Ok(Vec::new());
        }
        call.arguments()
            .map(|argument| {
                let typed = self.nested(scope, argument_expr(&call.name, argument)?, depth)?;
                Ok(value_form(&typed))
            })
            .collect()
    }

    fn plain_aggregate(
        &self,
        to: &Aggregates<'_, '_>,
        call: &FunctionCall<'_>,
        arguments: &[Typed],
    ) -> Result<Typed> {
        let (name, distinct) = (call.name.as_str(), call.is_distinct());
        if name == "COUNT" {
            return self.count(to, call, arguments);
        }
        if name == "JSON_OBJECTAGG" {
            return self.json_objectagg(to, arguments);
        }
        let [argument] = arguments else {
            return Err(SqlError::syntax(&format!("{name}("), 1));
        };
        let whole = Typed { constant: None, ..argument.clone() };
        Ok(match name {
            "SUM" => self.sum(to, argument, distinct),
            "AVG" => self.average(to, argument, distinct)?,
            "MIN" | "MAX" => self.extreme(to, argument, name == "MIN"),
            "ANY_VALUE" => {
                let expr = to.add_expr(any_value(argument.expr.clone()));
                Typed { expr, nullable: true, origin: None, ..whole }
            }
            "BIT_AND" | "BIT_OR" | "BIT_XOR" => self.bits(to, argument, name)?,
            "JSON_ARRAYAGG" => self.json_arrayagg(to, argument)?,
            _ => {
                let function = match name {
                    "STD" | "STDDEV" | "STDDEV_POP" => stddev_pop_udaf(),
                    "STDDEV_SAMP" => stddev_udaf(),
                    "VARIANCE" | "VAR_POP" => var_pop_udaf(),
                    _ => var_samp_udaf(),
                };
                let double = cast(argument, &ColumnType::Double, self.zone());
                let expr = to.add(function, vec![double.expr], distinct);
                Typed::value(expr, ColumnType::Double, true)
            }
        })
    }

    fn count(
        &self,
        to: &Aggregates<'_, '_>,
        call: &FunctionCall<'_>,
        arguments: &[Typed],
    ) -> Result<Typed> {
        let distinct = call.is_distinct();
        let counted = match arguments {
            [] if call.is_star() => lit(1i64),
            [] => return Err(SqlError::syntax("COUNT(", 1)),
            [one] if one.is_null() => return Ok(Typed::literal(BIGINT, Value::Int(0))),
            [one] if distinct => key_of(one),
            [one] if !one.nullable => lit(1i64),
            [one] => one.expr.clone(),
            several => {
                let types = several.iter().map(Typed::ty).collect();
                let values = several.iter().map(|typed| typed.expr.clone()).collect();
                super::cast::call(TupleKey::new(types), values)
            }
        };
        let expr = to.add(count_udaf(), vec![counted], distinct);
        Ok(Typed::value(expr, BIGINT, false))
    }

    /// The sum in the type that DataFusion sums in, and the type that MySQL gives it.
    fn sum_parts(
        &self,
        to: &Aggregates<'_, '_>,
        argument: &Typed,
        distinct: bool,
    ) -> (Typed, Number) {
        let number = as_number(argument, self.zone());
        match number_of(argument) {
            Number::Double => {
                let double = cast(&number, &ColumnType::Double, self.zone());
                let expr = to.add(sum_udaf(), vec![double.expr], distinct);
                (Typed::value(expr, ColumnType::Double, true), Number::Double)
            }
            kind => {
                let (precision, scale) = match kind {
                    Number::Decimal { precision, scale } => (precision, scale),
                    Number::Int { digits, .. } => (digits, 0),
                    Number::Double => unreachable!("answered above"),
                };
                // Ten digits of room hold the sum of any number of rows there can be.
                let digits = if precision <= 28 { 38 } else { 65 };
                let wide = ColumnType::Decimal { precision: digits, scale };
                let widened = native_cast(number.expr, &wide);
                let summed = to.add(sum_udaf(), vec![widened], distinct);
                let ty = decimal_type(u32::from(precision) + 22, u32::from(scale));
                let expr = if arrow_type(&ty) == sum_type(digits, scale) {
                    summed
                } else {
                    native_cast(summed, &ty)
                };
                (Typed::value(expr, ty, true), kind)
            }
        }
    }

    fn sum(&self, to: &Aggregates<'_, '_>, argument: &Typed, distinct: bool) -> Typed {
        self.sum_parts(to, argument, distinct).0
    }

    fn average(&self, to: &Aggregates<'_, '_>, argument: &Typed, distinct: bool) -> Result<Typed> {
        if number_of(argument) == Number::Double {
            let double = cast(argument, &ColumnType::Double, self.zone());
            let expr = if distinct {
                let sum = to.add(sum_udaf(), vec![double.expr.clone()], true);
                let count = to.add(count_udaf(), vec![double.expr], true);
                sum / native_cast(count, &ColumnType::Double)
            } else {
                to.add(avg_udaf(), vec![double.expr], false)
            };
            return Ok(Typed::value(expr, ColumnType::Double, true));
        }
        let (sum, number) = self.sum_parts(to, argument, distinct);
        let counted = if distinct { key_of(argument) } else { argument.expr.clone() };
        let count = Typed::value(to.add(count_udaf(), vec![counted], distinct), BIGINT, false);
        let mut out = arithmetic(Operation::Divide, &sum, &count, self.zone())?;
        let (precision, scale) = match number {
            Number::Decimal { precision, scale } => (precision, scale),
            Number::Int { digits, .. } => (digits, 0),
            Number::Double => (0, 0),
        };
        let ty = decimal_type(u32::from(precision) + 4, u32::from(scale) + 4);
        if out.ty() != ty {
            out = cast(&out, &ty, self.zone());
        }
        Ok(out)
    }

    fn extreme(&self, to: &Aggregates<'_, '_>, argument: &Typed, least: bool) -> Typed {
        self.extreme_by(argument, least, &|function, args| to.add(function, args, false))
    }

    /// MIN and MAX, made an expression by `add`. Text under a collation is packed with its key in
    /// front, compared as bytes, and unpacked again.
    pub(super) fn extreme_by(
        &self,
        argument: &Typed,
        least: bool,
        add: &dyn Fn(Arc<AggregateUDF>, Vec<Expr>) -> Expr,
    ) -> Typed {
        let function = if least { min_udaf() } else { max_udaf() };
        let argument = enum_text(argument, self.zone());
        let mut out = Typed { nullable: true, constant: None, origin: None, ..argument.clone() };
        if argument.kind == Kind::Null {
            return Typed::null();
        }
        if !argument.has_collation() {
            out.expr = add(function, vec![argument.expr]);
            return out;
        }
        let collation = collation_of(&argument.ty());
        let packed = ColumnType::Blob { size: LobSize::Long };
        let pack = RowFunction::new(
            "pack_text",
            collation.name(),
            vec![argument.ty()],
            Some(packed.clone()),
            false,
            Arc::new(move |args| Ok(pack_text(collation, args[0]))),
        );
        let unpack = RowFunction::new(
            "unpack_text",
            "",
            vec![packed],
            Some(argument.ty()),
            false,
            Arc::new(|args| Ok(unpack_text(args[0]))),
        );
        let best = add(function, vec![call(pack, vec![argument.expr])]);
        out.expr = call(unpack, vec![best]);
        out
    }

    fn bits(&self, to: &Aggregates<'_, '_>, argument: &Typed, name: &str) -> Result<Typed> {
        let (function, neutral) = match name {
            "BIT_AND" => (bit_and_udaf(), u64::MAX),
            "BIT_OR" => (bit_or_udaf(), 0),
            _ => (bit_xor_udaf(), 0),
        };
        // The operator's 64 bits: a conversion would make 0 of a negative number.
        let zero = Typed::literal(BIGINT, Value::Int(0));
        let bits = self.scalar_function("|", &[argument.clone(), zero])?;
        let found = to.add(function, vec![bits.expr], false);
        let neutral = Expr::Literal(scalar_of(&BIGINT_UNSIGNED, &Value::UInt(neutral)), None);
        let expr = Expr::Case(Case::new(
            None,
            vec![(Box::new(found.clone().is_not_null()), Box::new(found))],
            Some(Box::new(neutral)),
        ));
        Ok(Typed::value(expr, BIGINT_UNSIGNED, false))
    }

    fn group_concat(
        &self,
        to: &Aggregates<'_, '_>,
        call: &FunctionCall<'_>,
        arguments: Vec<Typed>,
        order: Vec<(Typed, bool)>,
    ) -> Result<Typed> {
        let text = match &arguments[..] {
            [] => return Err(SqlError::syntax("GROUP_CONCAT(", 1)),
            [one] => one.clone(),
            _ => self.scalar_function("CONCAT", &arguments)?,
        };
        let text = self.as_text(&enum_text(&text, self.zone()));
        let collation = collation_of(&text.ty());
        let joining = Joining {
            separator: call.separator()?,
            bytes_max: self.concat_bytes_max(),
            distinct: call.is_distinct().then_some(collation),
            ordered: !order.is_empty(),
            overlong: Overlong::Cut,
        };
        let mut args = vec![text.expr.clone()];
        if !order.is_empty() {
            let (keys, descending): (Vec<Typed>, Vec<bool>) = order.into_iter().unzip();
            let types = keys.iter().map(Typed::ty).collect();
            let values = keys.into_iter().map(|typed| typed.expr).collect();
            args.push(super::cast::call(SortKey::new(types, descending), values));
        }
        let expr = to.add(
            Arc::new(AggregateUDF::new_from_impl(GroupConcat::new(joining, &self.facts.limits))),
            args,
            false,
        );
        let ty = match class_of(&text.ty()) {
            Class::Binary => ColumnType::Blob { size: LobSize::Normal },
            _ => ColumnType::Text { size: LobSize::Normal, collation },
        };
        Ok(Typed { nullable: true, constant: None, ..Typed::value(expr, ty, true) }
            .firm(text.firmness))
    }

    fn concat_bytes_max(&self) -> usize {
        let bytes_max = match self.variable_value("group_concat_max_len") {
            Some(Value::Int(bytes)) => usize::try_from(bytes).unwrap_or(CONCAT_BYTES_MAX),
            Some(Value::UInt(bytes)) => usize::try_from(bytes).unwrap_or(CONCAT_BYTES_MAX),
            _ => CONCAT_BYTES_MAX,
        };
        bytes_max.min(self.facts.limits.value_bytes_max())
    }

    /// Elements as JSON texts with zero bytes between them, of which no JSON has any, and what is
    /// made of them all.
    fn json_joined(
        &self,
        to: &Aggregates<'_, '_>,
        element: Expr,
        name: &'static str,
        make: fn(&[u8]) -> Vec<u8>,
    ) -> Typed {
        let joining = Joining {
            separator: vec![0],
            bytes_max: self.facts.limits.value_bytes_max() - 2,
            distinct: None,
            ordered: false,
            overlong: Overlong::Null(name),
        };
        let joining = GroupConcat::new(joining, &self.facts.limits);
        let function = Arc::new(AggregateUDF::new_from_impl(joining));
        let joined = to.add(function, vec![element], false);
        let wrap = RowFunction::new(
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
        Typed::value(call(wrap, vec![joined]), ColumnType::Json, true)
    }

    fn json_arrayagg(&self, to: &Aggregates<'_, '_>, argument: &Typed) -> Result<Typed> {
        let element = self.json_element(argument);
        Ok(self.json_joined(to, element, "json_arrayagg", json_array))
    }

    fn json_objectagg(&self, to: &Aggregates<'_, '_>, arguments: &[Typed]) -> Result<Typed> {
        let [key, value] = arguments else {
            return Err(SqlError::syntax("JSON_OBJECTAGG(", 1));
        };
        let key = self.as_text(&enum_text(key, self.zone()));
        let pair = RowFunction::new(
            "json_pair",
            "",
            vec![key.ty(), ColumnType::Json],
            Some(ColumnType::Json),
            false,
            Arc::new(|args| {
                let (Datum::Bytes(key), Datum::Bytes(value)) = (args[0], args[1]) else {
                    return Err(SqlError::null_member_name());
                };
                let key = serde_json::Value::from(String::from_utf8_lossy(key)).to_string();
                Ok(Value::Bytes([key.as_bytes(), b": ", value].concat()))
            }),
        );
        let element = call(pair, vec![key.expr, self.json_element(value)]);
        Ok(self.json_joined(to, element, "json_objectagg", json_object))
    }

    /// A value as JSON text; NULL as `null`.
    fn json_element(&self, value: &Typed) -> Expr {
        let number = class_of(&value.ty()).is_number();
        let is_json = value.ty() == ColumnType::Json;
        let text = self.as_text(&enum_text(value, self.zone()));
        let function = RowFunction::new(
            "json_element",
            if number || is_json { "plain" } else { "quoted" },
            vec![text.ty()],
            Some(ColumnType::Json),
            false,
            Arc::new(move |args| {
                Ok(Value::Bytes(match args[0] {
                    Datum::Bytes(text) if number || is_json => text.to_vec(),
                    Datum::Bytes(text) => {
                        let text = String::from_utf8_lossy(text).into_owned();
                        serde_json::Value::from(text).to_string().into_bytes()
                    }
                    _ => b"null".to_vec(),
                }))
            }),
        );
        call(function, vec![text.expr])
    }
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

/// The Arrow type that DataFusion gives a sum of decimals.
fn sum_type(precision: u8, scale: u8) -> datafusion::arrow::datatypes::DataType {
    use datafusion::arrow::datatypes::DataType;
    if precision <= 38 {
        DataType::Decimal128((precision + 10).min(38), scale as i8)
    } else {
        DataType::Decimal256((precision + 10).min(76), scale as i8)
    }
}

fn pack_text(collation: Collation, datum: Datum<'_>) -> Value {
    let Datum::Bytes(text) = datum else { return Value::Null };
    let mut packed = Vec::with_capacity(2 * text.len() + 8);
    rows::collation::write_weights(collation, text, &mut packed);
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
