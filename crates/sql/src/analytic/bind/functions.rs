//! Scalar functions: IF and its kin become DataFusion's CASE; all others are evaluated by
//! `crate::expression`, row by row, over operands that are bound here.
//!
//! ```text
//! ROUND(price * 1.2, 1)   the operand   price * 1.2   is a DataFusion expression, column #0
//! ROUND(#0, 1)            is bound by crate::expression and evaluated with #0 as its row
//! ```
//!
//! Invariants
//! 1. A function of known operands that gives the same each time is evaluated while binding.
//! 2. A function means here what it means in a look-up, for it is the same code.
//!
//! Not here: aggregates (`aggregates`), window functions (`windows`).

use std::sync::Arc;

use datafusion::arrow::datatypes::Field;
use datafusion::common::config::ConfigOptions;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, Operator, ReturnFieldArgs, ScalarFunctionArgs, Volatility,
};
use rows::datum::{Datum, Value};
use rows::types::{Collation, ColumnType};
use sqlparser::ast;

use super::super::columns::{Class, class_of, collation_of, is_string, value_of};
use super::super::failure::translate;
use super::super::kernels::RowFunction;
use super::Binder;
use super::aggregates::{function_name, is_aggregate};
use super::cast::{call, cast, condition, convert_value, value_form};
use super::comparison::{compare, enum_text};
use super::literals;
use super::scope::Scope;
use super::typed::{Kind, Typed, firmness};
use super::unify::{text_chars, unify};
use crate::context::Facts;
use crate::error::{Result, SqlError};
use crate::expression::{self, Names, Node, RowView};

/// A function call as the parser gives it, with its name in upper case.
pub(in crate::analytic) struct FunctionCall<'q> {
    pub(in crate::analytic) name: String,
    function: &'q ast::Function,
}

impl<'q> FunctionCall<'q> {
    fn list(&self) -> Option<&'q ast::FunctionArgumentList> {
        match &self.function.args {
            ast::FunctionArguments::List(list) => Some(list),
            _ => None,
        }
    }

    /// The arguments.
    pub(in crate::analytic) fn arguments(
        &self,
    ) -> impl ExactSizeIterator<Item = &'q ast::FunctionArg> + use<'q> {
        self.list().map(|list| list.args.as_slice()).unwrap_or_default().iter()
    }

    /// `COUNT(*)`.
    pub(in crate::analytic) fn is_star(&self) -> bool {
        self.arguments().any(|argument| {
            matches!(argument, ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Wildcard))
        })
    }

    /// `COUNT(DISTINCT ...)`.
    pub(in crate::analytic) fn is_distinct(&self) -> bool {
        self.list()
            .is_some_and(|list| list.duplicate_treatment == Some(ast::DuplicateTreatment::Distinct))
    }

    /// ORDER BY among the arguments.
    pub(in crate::analytic) fn order_by(&self) -> &'q [ast::OrderByExpr] {
        let clauses = self.list().map(|list| list.clauses.as_slice()).unwrap_or_default();
        clauses
            .iter()
            .find_map(|clause| match clause {
                ast::FunctionArgumentClause::OrderBy(items) => Some(items.as_slice()),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// SEPARATOR; a comma without one.
    pub(in crate::analytic) fn separator(&self) -> Result<Vec<u8>> {
        let clauses = self.list().map(|list| list.clauses.as_slice()).unwrap_or_default();
        for clause in clauses {
            if let ast::FunctionArgumentClause::Separator(value) = clause {
                return match &value.value {
                    ast::Value::SingleQuotedString(text) | ast::Value::DoubleQuotedString(text) => {
                        Ok(text.clone().into_bytes())
                    }
                    other => Err(SqlError::syntax(&other.to_string(), 1)),
                };
            }
        }
        Ok(b",".to_vec())
    }

    /// IGNORE NULLS.
    pub(in crate::analytic) fn ignores_nulls(&self) -> bool {
        self.function.null_treatment == Some(ast::NullTreatment::IgnoreNulls)
    }
}

/// The expression of an argument.
pub(in crate::analytic) fn argument_expr<'q>(
    name: &str,
    argument: &'q ast::FunctionArg,
) -> Result<&'q ast::Expr> {
    match argument {
        ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => Ok(expr),
        other => Err(SqlError::syntax(&format!("{name}({other}"), 1)),
    }
}

impl Binder<'_> {
    /// Binds a function of any sort.
    pub(super) fn function(
        &self,
        scope: &Scope<'_>,
        function: &ast::Function,
        depth: usize,
    ) -> Result<Typed> {
        let call = FunctionCall { name: function_name(function), function };
        if let Some(over) = &function.over {
            return self.window(scope, &call, over, depth);
        }
        if is_aggregate(&call.name) {
            return self.aggregate(scope, &call, depth);
        }
        if let Some(typed) = self.control_function(scope, &call, depth)? {
            return Ok(typed);
        }
        self.written_function(scope, &ast::Expr::Function(function.clone()), depth)
    }

    /// IF, IFNULL, COALESCE, NULLIF.
    fn control_function(
        &self,
        scope: &Scope<'_>,
        call: &FunctionCall<'_>,
        depth: usize,
    ) -> Result<Option<Typed>> {
        let name = call.name.as_str();
        if !matches!(name, "IF" | "IFNULL" | "NVL" | "COALESCE" | "NULLIF") {
            return Ok(None);
        }
        let arguments = call
            .arguments()
            .map(|argument| self.nested(scope, argument_expr(name, argument)?, depth))
            .collect::<Result<Vec<Typed>>>()?;
        let wrong = || SqlError::parameter_count(name);
        Ok(Some(match (name, arguments.as_slice()) {
            ("IF", [test, then, otherwise]) => {
                let test = condition(test, self.zone());
                self.choose(vec![test.expr], vec![then.clone()], otherwise.clone())
            }
            ("NULLIF", [value, other]) => {
                let equal = compare(Operator::Eq, value, other, self.zone());
                let value = value_form(value);
                self.choose(vec![equal.expr], vec![Typed::null()], value)
            }
            ("IFNULL" | "NVL", [_, _]) | ("COALESCE", [_, ..]) => self.first_known(&arguments),
            _ => return Err(wrong()),
        }))
    }

    fn first_known(&self, arguments: &[Typed]) -> Typed {
        let mut known: Vec<&Typed> = arguments.iter().filter(|typed| !typed.is_null()).collect();
        // Behind one that is never NULL nothing is looked at, but its type counts.
        if let Some(at) = known.iter().position(|typed| typed.constant.is_some()) {
            known.truncate(at + 1);
        }
        let Some((last, before)) = known.split_last() else { return Typed::null() };
        let whens = before.iter().map(|typed| typed.expr.clone().is_not_null()).collect();
        let values = before.iter().map(|typed| (*typed).clone()).collect();
        let mut chosen = self.choose(whens, values, (*last).clone());
        chosen.nullable = arguments.iter().all(|typed| typed.nullable);
        chosen
    }

    /// A function of bound arguments, by the name under which `crate::expression` has it, or an
    /// operator's sign.
    pub(super) fn scalar_function(&self, name: &str, arguments: &[Typed]) -> Result<Typed> {
        if name == "REGEXP_LIKE" {
            return self.regexp_like(arguments);
        }
        let mut operands = Operands::default();
        let idents: Vec<ast::Expr> =
            arguments.iter().map(|typed| operands.stand_in(typed.clone())).collect();
        let expr = match (name, idents.as_slice()) {
            ("~", [one]) => ast::Expr::UnaryOp {
                op: ast::UnaryOperator::BitwiseNot,
                expr: Box::new(one.clone()),
            },
            ("|" | "&" | "^" | "<<" | ">>", [left, right]) => ast::Expr::BinaryOp {
                left: Box::new(left.clone()),
                op: match name {
                    "|" => ast::BinaryOperator::BitwiseOr,
                    "&" => ast::BinaryOperator::BitwiseAnd,
                    "^" => ast::BinaryOperator::BitwiseXor,
                    "<<" => ast::BinaryOperator::PGBitwiseShiftLeft,
                    _ => ast::BinaryOperator::PGBitwiseShiftRight,
                },
                right: Box::new(right.clone()),
            },
            _ => ast::Expr::Function(plain_call(name, idents)),
        };
        self.over_operands(&expr, operands.bound)
    }

    /// A function or form as it was written: its operands are bound here, the rest there.
    pub(super) fn written_function(
        &self,
        scope: &Scope<'_>,
        ast: &ast::Expr,
        depth: usize,
    ) -> Result<Typed> {
        let mut operands = Operands::default();
        let mut outer = ast.clone();
        self.take_operands(scope, &mut outer, &mut operands, depth)?;
        self.over_operands(&outer, operands.bound)
    }

    fn take_operands(
        &self,
        scope: &Scope<'_>,
        form: &mut ast::Expr,
        operands: &mut Operands,
        depth: usize,
    ) -> Result<()> {
        let unit_first = matches!(form, ast::Expr::Function(function)
            if matches!(function_name(function).as_str(), "TIMESTAMPADD" | "TIMESTAMPDIFF"));
        // An ENUM is its word, except where a number is asked for.
        let by_word = !matches!(
            form,
            ast::Expr::Cast { .. } | ast::Expr::Convert { .. } | ast::Expr::UnaryOp { .. }
        );
        for (at, child) in children(form).into_iter().enumerate() {
            if is_literal(child) || (unit_first && at == 0) {
                continue;
            }
            if matches!(child, ast::Expr::Interval(_)) {
                self.take_operands(scope, child, operands, depth)?;
                continue;
            }
            let mut typed = value_form(&self.nested(scope, child, depth)?);
            if by_word {
                typed = enum_text(&typed, self.zone());
            }
            *child = operands.stand_in(typed);
        }
        Ok(())
    }

    /// `date + INTERVAL 1 DAY`; `None` for anything else.
    pub(super) fn interval_arithmetic(
        &self,
        scope: &Scope<'_>,
        left: &ast::Expr,
        op: &ast::BinaryOperator,
        right: &ast::Expr,
        depth: usize,
    ) -> Result<Option<Typed>> {
        let interval = |ast: &ast::Expr| matches!(ast, ast::Expr::Interval(_));
        if !interval(left) && !interval(right) {
            return Ok(None);
        }
        let whole = ast::Expr::BinaryOp {
            left: Box::new(left.clone()),
            op: op.clone(),
            right: Box::new(right.clone()),
        };
        self.written_function(scope, &whole, depth).map(Some)
    }

    /// `@name` or `@@name`.
    pub(super) fn variable(&self, name: &str) -> Result<Typed> {
        let parts: Vec<ast::Ident> = name.split('.').map(ast::Ident::new).collect();
        let ast = match <[ast::Ident; 1]>::try_from(parts) {
            Ok([name]) => ast::Expr::Identifier(name),
            Err(parts) => ast::Expr::CompoundIdentifier(parts),
        };
        self.over_operands(&ast, Vec::new())
    }

    /// The value of a system variable, if there is one.
    pub(super) fn variable_value(&self, name: &str) -> Option<Value> {
        self.variable(&format!("@@{name}")).ok()?.constant
    }

    /// CAST.
    pub(super) fn explicit_cast(&self, operand: &Typed, ty: &ast::DataType) -> Result<Typed> {
        let mut operands = Operands::default();
        let expr = Box::new(operands.stand_in(value_form(operand)));
        let ast = ast::Expr::Cast {
            kind: ast::CastKind::Cast,
            expr,
            data_type: ty.clone(),
            array: false,
            format: None,
        };
        self.over_operands(&ast, operands.bound)
    }

    /// CONVERT.
    pub(super) fn explicit_convert(
        &self,
        operand: &Typed,
        ty: Option<&ast::DataType>,
        charset: Option<&ast::ObjectName>,
    ) -> Result<Typed> {
        let mut operands = Operands::default();
        let expr = Box::new(operands.stand_in(value_form(operand)));
        let ast = ast::Expr::Convert {
            is_try: false,
            expr,
            data_type: ty.cloned(),
            charset: charset.cloned(),
            target_before_value: false,
            styles: Vec::new(),
        };
        self.over_operands(&ast, operands.bound)
    }

    /// Binds what is around the operands, and makes a function of it.
    fn over_operands(&self, outer: &ast::Expr, operands: Vec<Typed>) -> Result<Typed> {
        let types: Vec<(ColumnType, bool)> =
            operands.iter().map(|typed| (typed.ty(), typed.nullable)).collect();
        let names = Names { operands: &types, ..Names::none("field list", self.facts.mode) };
        let node = expression::bind(outer, &names).map_err(|failure| match failure {
            expression::BindFailure::Wrong(error) => error,
            expression::BindFailure::Elsewhere(what) => match what.strip_prefix("function ") {
                Some(name) => SqlError::unknown_function(name),
                None => SqlError::unsupported(what),
            },
        })?;
        let firmness = operands.iter().map(|typed| typed.firmness).min();
        let firmness = match (&node.kind, firmness) {
            (expression::Kind::Collated(_), _) => firmness::EXPLICIT,
            (expression::Kind::Call(..), Some(firmness)) if is_string(&node.ty) => {
                firmness.min(firmness::LITERAL)
            }
            _ if is_string(&node.ty) => firmness::LITERAL,
            _ => firmness::NUMBER,
        };
        let fixed = node.is_constant() || operands.iter().all(|typed| typed.constant.is_some());
        if fixed && is_repeatable(&node) && operands.iter().all(|typed| typed.constant.is_some()) {
            return self.evaluated(&node, &operands).map(|typed| typed.firm(firmness));
        }
        Ok(self.row_function(outer, node, operands).firm(firmness))
    }

    /// The value over known operands.
    fn evaluated(&self, node: &Node, operands: &[Typed]) -> Result<Typed> {
        let datums: Vec<Datum<'_>> = operands
            .iter()
            .map(|typed| typed.constant.as_ref().map_or(Datum::Null, Value::as_datum))
            .collect();
        let value = evaluate(node, &datums, self.facts)?;
        if value.is_null() {
            return Ok(Typed { kind: Kind::Of(node.ty.clone()), ..cast_null(&node.ty) });
        }
        // A user variable is of whatever type its value has.
        if matches!(node.kind, expression::Kind::UserVariable(_)) {
            return Ok(literals::value(value));
        }
        let value = in_domain(value, &node.ty, self.facts.zone);
        Ok(Typed::literal(node.ty.clone(), value))
    }

    fn row_function(&self, outer: &ast::Expr, node: Node, operands: Vec<Typed>) -> Typed {
        let name = match outer {
            ast::Expr::Function(function) => function_name(function).to_lowercase(),
            ast::Expr::BinaryOp { op, .. } => op.to_string(),
            ast::Expr::Cast { data_type, .. } => format!("cast as {data_type} of "),
            _ => "expression".to_owned(),
        };
        let volatile = !is_repeatable(&node);
        let (ty, nullable) = (node.ty.clone(), node.nullable);
        let facts = Arc::clone(self.facts);
        let result = ty.clone();
        let function = RowFunction::new(
            &name,
            &format!("{outer} {:?}", facts.zone),
            operands.iter().map(Typed::ty).collect(),
            Some(ty.clone()),
            volatile,
            Arc::new(move |args| {
                let value = evaluate(&node, args, &facts)?;
                Ok(in_domain(value, &result, facts.zone))
            }),
        );
        let args = operands.into_iter().map(|typed| typed.expr).collect();
        Typed::value(call(function, args), ty, nullable)
    }

    /// A call of our own functions on literals, computed at once.
    pub(super) fn settled(&self, typed: Typed) -> Result<Typed> {
        let Expr::ScalarFunction(ScalarFunction { func, args }) = &typed.expr else {
            return Ok(typed);
        };
        let Kind::Of(ty) = &typed.kind else { return Ok(typed) };
        let scalars: Option<Vec<_>> = args
            .iter()
            .map(|arg| match arg {
                Expr::Literal(scalar, _) => Some(scalar.clone()),
                _ => None,
            })
            .collect();
        let Some(scalars) = scalars else { return Ok(typed) };
        if func.signature().volatility != Volatility::Immutable {
            return Ok(typed);
        }
        let arg_fields: Vec<_> = scalars
            .iter()
            .map(|scalar| Arc::new(Field::new("operand", scalar.data_type(), true)))
            .collect();
        let known: Vec<_> = scalars.iter().map(Some).collect();
        let return_field = func
            .return_field_from_args(ReturnFieldArgs {
                arg_fields: &arg_fields,
                scalar_arguments: &known,
            })
            .map_err(translate)?;
        let value = func
            .invoke_with_args(ScalarFunctionArgs {
                args: scalars.into_iter().map(ColumnarValue::Scalar).collect(),
                arg_fields,
                number_rows: 1,
                return_field,
                config_options: Arc::new(ConfigOptions::default()),
            })
            .map_err(translate)?;
        let ColumnarValue::Scalar(scalar) = value else { return Ok(typed) };
        match value_of(ty, &scalar) {
            Some(value) => Ok(Typed::literal(ty.clone(), value).firm(typed.firmness)),
            None => Ok(typed),
        }
    }

    /// The value as text; binary strings stay what they are.
    pub(super) fn as_text(&self, typed: &Typed) -> Typed {
        let typed = value_form(typed);
        if is_string(&typed.ty()) || typed.kind == Kind::Null && typed.is_null() {
            return match typed.kind {
                Kind::Null => cast(&typed, &super::typed::varchar(0), self.zone()),
                _ => typed,
            };
        }
        let collation = match class_of(&typed.ty()) {
            Class::Enum => collation_of(&typed.ty()),
            _ => Collation::Utf8Mb4GeneralCi,
        };
        let chars = text_chars(&typed.ty());
        cast(&typed, &ColumnType::VarChar { chars, collation }, self.zone())
    }

    /// `text REGEXP pattern`, by DataFusion's engine; case counts as the collation says.
    fn regexp_like(&self, arguments: &[Typed]) -> Result<Typed> {
        let [text, pattern] = arguments else {
            return Err(SqlError::parameter_count("REGEXP_LIKE"));
        };
        if text.is_null() || pattern.is_null() {
            return Ok(Typed::known_truth(None));
        }
        let (text, pattern) = (self.as_text(text), self.as_text(pattern));
        let (kind, _) = unify([&text, &pattern]);
        let folds = collation_of(&kind.column_type()) == Collation::Utf8Mb4GeneralCi;
        let function = super::super::kernels::regular_expression(folds);
        let nullable = text.nullable || pattern.nullable;
        Ok(Typed::truth(call(function, vec![text.expr, pattern.expr]), nullable))
    }
}

fn cast_null(ty: &ColumnType) -> Typed {
    Typed::literal(ty.clone(), Value::Null)
}

/// Operands taken out of a form.
#[derive(Default)]
struct Operands {
    bound: Vec<Typed>,
}

impl Operands {
    /// The name that stands for an operand.
    fn stand_in(&mut self, typed: Typed) -> ast::Expr {
        self.bound.push(typed);
        ast::Expr::Identifier(ast::Ident::new(format!("#{}", self.bound.len() - 1)))
    }
}

fn evaluate(node: &Node, operands: &[Datum<'_>], facts: &Facts) -> Result<Value> {
    let scope = expression::Scope {
        row: RowView::Datums(operands),
        facts: Some(facts),
        mode: facts.mode.lenient(),
        ..expression::Scope::bare(&[], facts.zone)
    };
    Ok(node.evaluate(&scope)?.into_value())
}

/// A value as one of the type: evaluation looks at what it is given, the type was foretold.
fn in_domain(value: Value, ty: &ColumnType, zone: rows::Zone) -> Value {
    let fits = match (&value, ty) {
        (Value::Null, _) => true,
        (Value::Int(_), ColumnType::Int { unsigned, .. }) => !unsigned,
        (Value::UInt(_), ColumnType::Int { unsigned, .. }) => *unsigned,
        (Value::Double(_), ColumnType::Double) => true,
        (Value::Decimal(value), ColumnType::Decimal { precision, scale }) => {
            value.scale() == *scale && value.whole_digits() <= precision - scale
        }
        (Value::Bytes(_), ty) => is_string(ty),
        (Value::Date(_), ColumnType::Date) => true,
        (Value::Time(_), ColumnType::Time { .. }) => true,
        (Value::DateTime(_), ColumnType::DateTime { .. }) => true,
        (Value::Timestamp(_), ColumnType::Timestamp { .. }) => true,
        (Value::Year(_), ColumnType::Year) => true,
        _ => false,
    };
    if fits {
        return value;
    }
    let from = match &value {
        Value::Enum(_) => ColumnType::Year,
        _ => ty.clone(),
    };
    convert_value(&from, value.as_datum(), ty, zone)
}

/// Whether equal operands give equal values, and nothing is left behind.
fn is_repeatable(node: &Node) -> bool {
    let mut repeatable = true;
    node.visit(&mut |node| {
        repeatable &= match &node.kind {
            expression::Kind::Assign(..) => false,
            expression::Kind::Call(function, _) => !function.is_volatile(),
            _ => true,
        };
    });
    repeatable
}

fn plain_call(name: &str, arguments: Vec<ast::Expr>) -> ast::Function {
    let unnamed = |expr| ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr));
    ast::Function {
        name: ast::ObjectName::from(vec![ast::Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: ast::FunctionArguments::None,
        args: ast::FunctionArguments::List(ast::FunctionArgumentList {
            duplicate_treatment: None,
            args: arguments.into_iter().map(unnamed).collect(),
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    }
}

/// Whether an operand stays in its place: its value may say what type the result has.
fn is_literal(ast: &ast::Expr) -> bool {
    match ast {
        ast::Expr::Value(_) => true,
        ast::Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr } => is_literal(expr),
        _ => false,
    }
}

/// The operands of a form.
fn children(form: &mut ast::Expr) -> Vec<&mut ast::Expr> {
    use ast::Expr as E;
    match form {
        E::Function(function) => match &mut function.args {
            ast::FunctionArguments::List(list) => list
                .args
                .iter_mut()
                .filter_map(|argument| match argument {
                    ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => Some(expr),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        },
        E::BinaryOp { left, right, .. } => vec![left, right],
        E::UnaryOp { expr, .. }
        | E::Nested(expr)
        | E::Cast { expr, .. }
        | E::Convert { expr, .. }
        | E::Extract { expr, .. }
        | E::Ceil { expr, .. }
        | E::Floor { expr, .. } => vec![expr],
        E::Interval(interval) => vec![&mut interval.value],
        E::Position { expr, r#in } => vec![expr, r#in],
        E::Substring { expr, substring_from, substring_for, .. } => {
            let mut out: Vec<&mut E> = vec![expr];
            out.extend(substring_from.as_deref_mut());
            out.extend(substring_for.as_deref_mut());
            out
        }
        E::Trim { expr, trim_what, .. } => {
            let mut out: Vec<&mut E> = vec![expr];
            out.extend(trim_what.as_deref_mut());
            out
        }
        E::AtTimeZone { timestamp, time_zone } => vec![timestamp, time_zone],
        _ => Vec::new(),
    }
}
