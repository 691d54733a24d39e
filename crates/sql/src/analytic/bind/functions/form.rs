//! The forms in which functions are written, taken apart: which places hold operands.

use sqlparser::ast;

use super::super::typed::Typed;

/// Operands taken out of a form.
#[derive(Default)]
pub(super) struct Operands {
    pub(super) bound: Vec<Typed>,
}

impl Operands {
    /// The name that stands for an operand.
    pub(super) fn stand_in(&mut self, typed: Typed) -> ast::Expr {
        self.bound.push(typed);
        ast::Expr::Identifier(ast::Ident::new(format!("#{}", self.bound.len() - 1)))
    }
}

/// Whether an operand stays in its place: its value may say what type the result has.
pub(super) fn is_literal(ast: &ast::Expr) -> bool {
    match ast {
        ast::Expr::Value(_) => true,
        ast::Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr } => is_literal(expr),
        _ => false,
    }
}

/// The operands of a form.
pub(super) fn children(form: &mut ast::Expr) -> Vec<&mut ast::Expr> {
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
