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

mod call;
mod control;
mod form;
mod value;

use rows::datum::Value;
use rows::types::{Collation, ColumnType};
use sqlparser::ast;

pub(in crate::analytic) use call::{FunctionCall, argument_expr};
use form::{Operands, children, is_literal};

use super::super::columns::{Class, class_of, collation_of, is_string};
use super::Binder;
use super::aggregates::{function_name, is_aggregate};
use super::cast::{cast, value_form};
use super::comparison::enum_text;
use super::scope::Scope;
use super::typed::{Kind, Typed};
use super::unify::text_chars;
use crate::error::Result;
use crate::parse::dialect::plain_call;

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

    /// A function of bound arguments, by the name under which `crate::expression` has it, or an
    /// operator's sign.
    pub(super) fn scalar_function(&self, name: &str, arguments: &[Typed]) -> Result<Typed> {
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
}
