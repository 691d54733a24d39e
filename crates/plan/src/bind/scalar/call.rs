//! Calls of functions, and what the grammar writes like one.
//!
//! Not here: which functions there are (`expression::Function`).

use expression::{
    Arithmetic, BIGINT, Function, Kind, Node, ON_DEFAULT, ON_ERROR, Unit, arithmetic_node,
    in_one_charset, read_as_time, shift_node,
};
use sqlparser::ast::{
    DataType, Expr, Function as Call, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArgumentList, FunctionArguments, Ident, Interval, ObjectName,
};
use syntax::names::name_parts;
use syntax::{JSON_EMPTY, JSON_ERROR, argument_word};
use values::ErrorCode;
use values::datum::Value;
use values::types::{Collation, ColumnType};

use super::cast::{CHARS_UNSAID, cast_type};
use super::names::incoming_node;
use super::{Bound, MixOf, Names, bind, needs_query, refuse_mix, unit, unsupported};
use results::SqlError;

pub(super) fn shift(
    base: Node,
    interval: &Interval,
    minus: bool,
    names: &Names<'_>,
) -> Bound<Node> {
    let Some(field) = &interval.leading_field else {
        return Err(SqlError::syntax(&interval.to_string(), 1).into());
    };
    let unit = unit(&field.to_string())?;
    let amount = bind(&interval.value, names)?;
    Ok(shift_node(base, amount, unit, minus))
}

/// A call by name of bound arguments.
pub fn call_node(name: &str, mut arguments: Vec<Node>) -> Bound<Node> {
    // These give one of their arguments, or compare them.
    const TOGETHER: [&str; 10] = [
        "CONCAT",
        "CONCAT_WS",
        "COALESCE",
        "IFNULL",
        "NULLIF",
        "GREATEST",
        "LEAST",
        "STRCMP",
        "REPLACE",
        "FIND_IN_SET",
    ];
    if let Some(function) = TOGETHER.iter().find(|known| known.eq_ignore_ascii_case(name)) {
        in_one_charset(arguments.iter_mut());
        let operands: Vec<&Node> = arguments.iter().collect();
        let of = match *function {
            "NULLIF" | "STRCMP" | "FIND_IN_SET" => MixOf::Compared,
            _ => MixOf::Text,
        };
        refuse_mix(&operands, &function.to_ascii_lowercase(), of)?;
    }
    // Bytes are searched for the bytes of a text.
    let searched = match name.to_ascii_uppercase().as_str() {
        "LOCATE" => arguments.get(1),
        "INSTR" | "FIELD" => arguments.first(),
        _ => None,
    };
    if searched.is_some_and(|node| node.is_text() && node.collation().0 == Collation::Binary) {
        in_one_charset(arguments.iter_mut());
    }
    if name.eq_ignore_ascii_case("IF") {
        in_one_charset(arguments.iter_mut().skip(1));
    }
    refuse_digits(name, &arguments)?;
    match expression::call_node(name, arguments) {
        Some(node) => Ok(node?),
        None => needs_query(format_args!("function {name}")),
    }
}

/// Error 1426 for more digits of a second than there are, of functions that give the moment.
fn refuse_digits(name: &str, arguments: &[Node]) -> Bound<()> {
    let shown = match name.to_ascii_uppercase().as_str() {
        "NOW" | "CURRENT_TIMESTAMP" | "LOCALTIME" | "LOCALTIMESTAMP" => "now",
        "CURTIME" | "CURRENT_TIME" => "curtime",
        "SYSDATE" => "sysdate",
        "UTC_TIME" => "utc_time",
        "UTC_TIMESTAMP" => "utc_timestamp",
        _ => return Ok(()),
    };
    let asked = match arguments.first().map(|node| &node.kind) {
        Some(Kind::Constant(Value::Int(digits))) => u64::try_from(*digits).unwrap_or(0),
        Some(Kind::Constant(Value::UInt(digits))) => *digits,
        _ => 0,
    };
    if asked > 6 {
        return Err(too_many_digits(asked, shown).into());
    }
    Ok(())
}

/// Error 1426: a moment, or what CAST makes one of, has six digits of a second at most.
pub(super) fn too_many_digits(asked: u64, by: &str) -> SqlError {
    SqlError::new(
        ErrorCode::TooBigPrecision,
        format!("Too-big precision {asked} specified for '{by}'. Maximum is 6."),
    )
}

/// A function's name with its schema, without quotes.
fn plain_name(name: &ObjectName) -> String {
    let parts: Vec<_> = name_parts(name).into_iter().map(|part| part.value.as_str()).collect();
    parts.join(".")
}

pub(super) fn function(call: &Call, names: &Names<'_>) -> Bound<Node> {
    let name = match name_parts(&call.name)[..] {
        [name] => name.value.clone(),
        [schema, name] if schema.value == "sys" => format!("sys.{}", name.value),
        _ => return Err(expression::Error::unknown_function(&plain_name(&call.name)).into()),
    };
    if call.over.is_some() || call.filter.is_some() {
        return needs_query("window functions");
    }
    if let ("JSON_VALUE", FunctionArguments::List(list)) =
        (name.to_ascii_uppercase().as_str(), &call.args)
    {
        return json_value(list, names);
    }
    let list: &[FunctionArg] = match &call.args {
        FunctionArguments::None => &[],
        FunctionArguments::List(list) if !list.clauses.is_empty() => {
            return Err(SqlError::syntax(&list.clauses[0].to_string(), 1).into());
        }
        FunctionArguments::List(list) if list.duplicate_treatment.is_none() => &list.args,
        _ => return needs_query(&call.name),
    };
    let mut exprs = Vec::with_capacity(list.len());
    for argument in list {
        match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => exprs.push(expr),
            _ => return needs_query(&call.name),
        }
    }
    let upper = name.to_ascii_uppercase();
    match (upper.as_str(), exprs.as_slice()) {
        ("VALUES" | "VALUE", [Expr::Identifier(column)]) => values_call(&[column], names),
        ("VALUES" | "VALUE", [Expr::CompoundIdentifier(parts)]) => {
            values_call(&parts.last().into_iter().collect::<Vec<_>>(), names)
        }
        ("DEFAULT", [Expr::Identifier(column)]) => names.default(&[column]),
        ("DEFAULT", [Expr::CompoundIdentifier(parts)]) => {
            names.default(&parts.iter().collect::<Vec<_>>())
        }
        ("DEFAULT", _) => Err(SqlError::syntax(&call.args.to_string(), 1).into()),
        ("ADD_MONTHS", [base, months]) => {
            Ok(shift_node(bind(base, names)?, bind(months, names)?, Unit::Month, false))
        }
        ("DATE_ADD" | "ADDDATE", [base, Expr::Interval(interval)]) => {
            shift(bind(base, names)?, interval, false, names)
        }
        ("DATE_SUB" | "SUBDATE", [base, Expr::Interval(interval)]) => {
            shift(bind(base, names)?, interval, true, names)
        }
        ("ADDDATE", [base, days]) => {
            Ok(shift_node(bind(base, names)?, bind(days, names)?, Unit::Day, false))
        }
        ("SUBDATE", [base, days]) => {
            Ok(shift_node(bind(base, names)?, bind(days, names)?, Unit::Day, true))
        }
        ("ADD_MONTHS", _) => Err(expression::Error::parameter_count(&name).into()),
        ("MOD", [a, b]) => {
            let (a, b) = (bind(a, names)?, bind(b, names)?);
            Ok(arithmetic_node(Arithmetic::Modulo, a, b, names.mode))
        }
        ("TIMESTAMPADD", [field, amount, base]) if let Some(word) = argument_word(field) => {
            let unit = unit(word)?;
            Ok(shift_node(bind(base, names)?, bind(amount, names)?, unit, false))
        }
        ("TIMESTAMPDIFF", [field, from, to]) if let Some(word) = argument_word(field) => {
            let unit = unit(word)?;
            let [from, to] = [from, to].map(|expr| bind(expr, names).map(read_as_time));
            Ok(Node::new(Kind::Difference(unit, Box::new(from?), Box::new(to?)), BIGINT, true))
        }
        ("CHAR", [.., _]) | (_, _) => {
            // A query knows all that there are, aggregates too.
            if names.resolver.is_some() && Function::find(&upper, exprs.len()).is_none() {
                return Err(expression::Error::unknown_function(&name).into());
            }
            let arguments =
                exprs.iter().map(|expr| bind(expr, names)).collect::<Bound<Vec<_>>>()?;
            call_node(&upper, arguments)
        }
    }
}

/// The longest text that JSON_VALUE gives without RETURNING.
const JSON_VALUE_CHARS: u32 = 512;

/// JSON_VALUE, with a word and a literal for each of its clauses.
fn json_value(list: &FunctionArgumentList, names: &Names<'_>) -> Bound<Node> {
    let mut arguments = Vec::new();
    let (mut on_empty, mut on_error) = (None, None);
    for argument in &list.args {
        match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => arguments.push(bind(expr, names)?),
            FunctionArg::Named { name, arg, .. } if name.value == JSON_EMPTY => {
                on_empty = Some(arg)
            }
            FunctionArg::Named { name, arg, .. } if name.value == JSON_ERROR => {
                on_error = Some(arg)
            }
            other => return unsupported(other),
        }
    }
    let word = |word: &[u8]| Node::constant(Value::Bytes(word.to_vec()));
    for clause in [on_empty, on_error] {
        arguments.extend(match clause {
            None => [word(b"NULL"), Node::constant(Value::Null)],
            Some(FunctionArgExpr::Expr(literal)) => [word(ON_DEFAULT), bind(literal, names)?],
            Some(_) => [word(ON_ERROR), Node::constant(Value::Null)],
        });
    }
    let ty = match list.clauses.as_slice() {
        [] => ColumnType::VarChar { chars: JSON_VALUE_CHARS, collation: Collation::Utf8Mb4Bin },
        [FunctionArgumentClause::JsonReturningClause(returning)] => {
            returned_type(&returning.data_type)?
        }
        [other, ..] => return Err(SqlError::syntax(&other.to_string(), 1).into()),
    };
    let call = call_node("JSON_VALUE", arguments)?;
    Ok(Node::new(call.kind, ty, true))
}

/// The type that RETURNING names: texts go by their code points, bytes are not filled up.
fn returned_type(data_type: &DataType) -> Bound<ColumnType> {
    Ok(match cast_type(data_type)? {
        ColumnType::VarChar { chars, .. } => {
            let chars = if chars == CHARS_UNSAID { u32::MAX } else { chars };
            ColumnType::VarChar { chars, collation: Collation::Utf8Mb4Bin }
        }
        ColumnType::Binary { bytes } => ColumnType::VarBinary { bytes },
        other => other,
    })
}

fn values_call(parts: &[&Ident], names: &Names<'_>) -> Bound<Node> {
    if let (Some(resolver), None) = (names.resolver, names.table) {
        if let Some(incoming) = parts.last().and_then(|column| resolver.incoming(column)) {
            return Ok(incoming);
        }
        resolver.column(parts, names.clause)?;
        return Ok(Node::constant(Value::Null));
    }
    let ([column], Some(table)) = (parts, names.table) else { return needs_query("VALUES()") };
    let position = table
        .column(&column.value)
        .ok_or_else(|| SqlError::unknown_column(&column.value, names.clause))?;
    match names.incoming {
        Some(_) => Ok(incoming_node(table, position)),
        // Outside of INSERT it is NULL, as in MySQL.
        None => Ok(Node::constant(Value::Null)),
    }
}
