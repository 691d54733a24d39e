//! A function call as the parser gives it, and its parts by name.
//!
//! Not here: what the function means (`functions`, `aggregates`, `windows`).

use sqlparser::ast;

use crate::error::{Result, SqlError};

/// A function call as the parser gives it, with its name in upper case.
pub(in crate::analytic) struct FunctionCall<'q> {
    pub(in crate::analytic) name: String,
    pub(super) function: &'q ast::Function,
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
