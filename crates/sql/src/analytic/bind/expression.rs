//! Expressions: operators and special forms, each handed to the module of its theme.
//!
//! Invariants
//! 1. An expression that equals a GROUP BY key is that key, also inside a larger expression.
//!
//! Not here: names (`scope`), functions (`functions`).

use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Case, Expr, Operator};
use sqlparser::ast;

use rows::types::ColumnType;

use super::super::columns::{Class, class_of};
use super::super::kernels::Operation;
use super::arithmetic::{arithmetic, negative};
use super::cast::{cast, condition, value_form};
use super::comparison::{compare, null_safe_equal};
use super::literals;
use super::scope::Scope;
use super::typed::{Kind, Typed, firmness};
use super::unify::unify;
use super::{Binder, DEPTH_MAX, too_deep};
use crate::error::{Result, SqlError};

impl Binder<'_> {
    /// Binds an expression at a place.
    pub(super) fn expr(&self, scope: &Scope<'_>, ast: &ast::Expr) -> Result<Typed> {
        self.nested(scope, ast, 0)
    }

    /// Binds a condition.
    pub(super) fn predicate(&self, scope: &Scope<'_>, ast: &ast::Expr) -> Result<Expr> {
        let typed = self.expr(scope, ast)?;
        Ok(condition(&typed, self.zone()).expr)
    }

    /// Binds an expression within another; `depth` counts how deep.
    pub(super) fn nested(&self, scope: &Scope<'_>, ast: &ast::Expr, depth: usize) -> Result<Typed> {
        if depth > DEPTH_MAX {
            return Err(too_deep());
        }
        self.facts.limits.check()?;
        if let Some(key) = self.group_key(scope, ast, depth)? {
            return Ok(key);
        }
        self.form(scope, ast, depth + 1)
    }

    /// The GROUP BY key that the expression is, if it is one that is more than a column.
    fn group_key(&self, scope: &Scope<'_>, ast: &ast::Expr, depth: usize) -> Result<Option<Typed>> {
        use ast::Expr as E;
        if matches!(ast, E::Value(_) | E::Identifier(_) | E::CompoundIdentifier(_))
            || scope.inside_aggregate.get()
            || !scope.grouping.borrow().as_ref().is_some_and(|g| g.has_computed_keys())
            || super::aggregates::contains_aggregate(ast)
        {
            return Ok(None);
        }
        scope.inside_aggregate.set(true);
        let plain = self.form(scope, ast, depth + 1);
        scope.inside_aggregate.set(false);
        let Ok(plain) = plain else { return Ok(None) };
        Ok(scope.grouping.borrow_mut().as_mut().and_then(|grouping| grouping.key(&plain)))
    }

    fn form(&self, scope: &Scope<'_>, ast: &ast::Expr, depth: usize) -> Result<Typed> {
        use ast::Expr as E;
        let zone = self.zone();
        let bind = |ast: &ast::Expr| self.nested(scope, ast, depth);
        Ok(match ast {
            E::Identifier(name) => self.name(scope, std::slice::from_ref(name))?,
            E::CompoundIdentifier(parts) => self.name(scope, parts)?,
            E::Nested(inner) => bind(inner)?,
            E::Value(value) => literals::literal(&value.value, zone)?,
            E::TypedString(typed) => match &typed.value.value {
                ast::Value::SingleQuotedString(text) | ast::Value::DoubleQuotedString(text) => {
                    literals::typed_text(&typed.data_type, text, zone)?
                }
                other => return Err(SqlError::unsupported(other)),
            },
            E::Prefixed { value, .. } => bind(value)?,
            E::UnaryOp { op, expr } => self.unary(*op, &bind(expr)?)?,
            E::BinaryOp { left, op, right } => self.binary(scope, left, op, right, depth)?,
            E::IsNull(inner) => self.is_null(scope, inner, false, depth)?,
            E::IsNotNull(inner) => self.is_null(scope, inner, true, depth)?,
            E::IsTrue(inner) => self.is(bind(inner)?, Expr::IsTrue),
            E::IsNotTrue(inner) => self.is(bind(inner)?, Expr::IsNotTrue),
            E::IsFalse(inner) => self.is(bind(inner)?, Expr::IsFalse),
            E::IsNotFalse(inner) => self.is(bind(inner)?, Expr::IsNotFalse),
            E::IsUnknown(inner) => self.is(bind(inner)?, Expr::IsUnknown),
            E::IsNotUnknown(inner) => self.is(bind(inner)?, Expr::IsNotUnknown),
            E::InList { expr, list, negated } => {
                self.in_list(scope, expr, list, *negated, depth)?
            }
            E::InSubquery { expr, subquery, negated } => {
                self.in_subquery(scope, expr, subquery, *negated, depth)?
            }
            E::Exists { subquery, negated } => self.exists(scope, subquery, *negated)?,
            E::Subquery(query) => self.scalar_subquery(scope, query)?,
            E::AnyOp { left, compare_op, right, .. } => {
                self.quantified(scope, left, compare_op, right, true, depth)?
            }
            E::AllOp { left, compare_op, right } => {
                self.quantified(scope, left, compare_op, right, false, depth)?
            }
            E::Between { expr, negated, low, high } => {
                let (value, low, high) = (bind(expr)?, bind(low)?, bind(high)?);
                let above = compare(Operator::GtEq, &value, &low, zone);
                let below = compare(Operator::LtEq, &value, &high, zone);
                let nullable = above.nullable || below.nullable;
                self.negate_if(Typed::truth(above.expr.and(below.expr), nullable), *negated)
            }
            E::Like { negated, expr, pattern, escape_char, .. }
            | E::ILike { negated, expr, pattern, escape_char, .. } => {
                let (text, pattern) = (bind(expr)?, bind(pattern)?);
                let like = self.like(&text, &pattern, escape_char.as_ref())?;
                self.negate_if(like, *negated)
            }
            E::RLike { negated, expr, pattern, .. } => {
                let arguments = [bind(expr)?, bind(pattern)?];
                let matches = self.scalar_function("REGEXP_LIKE", &arguments)?;
                self.negate_if(condition(&matches, zone), *negated)
            }
            E::Case { operand, conditions, else_result, .. } => {
                self.case(scope, operand.as_deref(), conditions, else_result.as_deref(), depth)?
            }
            E::Collate { expr, collation } => {
                let collation = literals::collation(&collation.to_string())?;
                self.collate(bind(expr)?, collation)
            }
            E::Cast { expr, data_type, .. } => self.explicit_cast(&bind(expr)?, data_type)?,
            E::Convert { expr, data_type, charset, .. } => {
                self.explicit_convert(&bind(expr)?, data_type.as_ref(), charset.as_ref())?
            }
            E::Function(function) => self.function(scope, function, depth)?,
            E::Interval(_) => {
                return Err(SqlError::syntax(&ast.to_string(), 1));
            }
            E::Tuple(_) => return Err(SqlError::new(1241, "Operand should contain 1 column(s)")),
            other => self.written_function(scope, other, depth)?,
        })
    }

    fn name(&self, scope: &Scope<'_>, parts: &[ast::Ident]) -> Result<Typed> {
        let first = parts[0].value.as_str();
        if parts[0].quote_style.is_none() && first.starts_with('@') {
            let text: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
            return self.variable(&text.join("."));
        }
        let names: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
        scope.resolve(&names)
    }

    fn unary(&self, op: ast::UnaryOperator, operand: &Typed) -> Result<Typed> {
        use ast::UnaryOperator as U;
        match op {
            U::Plus => Ok(operand.clone()),
            U::Minus => {
                let negated = negative(operand, self.zone())?;
                self.settled(negated)
            }
            U::Not | U::BangNot => {
                let truth = condition(operand, self.zone());
                Ok(self.negate_if(truth, true))
            }
            U::BitwiseNot => self.scalar_function("~", std::slice::from_ref(operand)),
            other => Err(SqlError::syntax(&other.to_string(), 1)),
        }
    }

    fn binary(
        &self,
        scope: &Scope<'_>,
        left_ast: &ast::Expr,
        op: &ast::BinaryOperator,
        right_ast: &ast::Expr,
        depth: usize,
    ) -> Result<Typed> {
        use ast::BinaryOperator as B;
        let zone = self.zone();
        if matches!(op, B::And | B::Or) {
            return self.chain(scope, left_ast, op, right_ast, depth);
        }
        if let Some(out) = self.row_comparison(scope, left_ast, op, right_ast, depth)? {
            return Ok(out);
        }
        if let Some(out) = self.interval_arithmetic(scope, left_ast, op, right_ast, depth)? {
            return Ok(out);
        }
        let left = self.nested(scope, left_ast, depth)?;
        let right = self.nested(scope, right_ast, depth)?;
        let both = [left.clone(), right.clone()];
        let calculate = |operation| {
            let typed = arithmetic(operation, &left, &right, zone)?;
            self.settled(typed)
        };
        Ok(match op {
            B::Plus => calculate(Operation::Add)?,
            B::Minus => calculate(Operation::Subtract)?,
            B::Multiply => calculate(Operation::Multiply)?,
            B::Divide => calculate(Operation::Divide)?,
            B::Modulo => calculate(Operation::Remainder)?,
            B::MyIntegerDivide | B::DuckIntegerDivide => calculate(Operation::Whole)?,
            B::Eq => compare(Operator::Eq, &left, &right, zone),
            B::NotEq => compare(Operator::NotEq, &left, &right, zone),
            B::Lt => compare(Operator::Lt, &left, &right, zone),
            B::LtEq => compare(Operator::LtEq, &left, &right, zone),
            B::Gt => compare(Operator::Gt, &left, &right, zone),
            B::GtEq => compare(Operator::GtEq, &left, &right, zone),
            B::Spaceship => null_safe(&left, &right, zone),
            B::Xor => self.logical(&left, Operator::NotEq, &right),
            B::StringConcat if self.facts.mode.pipes_as_concat() => {
                self.scalar_function("CONCAT", &both)?
            }
            B::StringConcat => self.logical(&left, Operator::Or, &right),
            B::PGOverlap => self.logical(&left, Operator::And, &right),
            B::BitwiseOr => self.scalar_function("|", &both)?,
            B::BitwiseAnd => self.scalar_function("&", &both)?,
            B::BitwiseXor | B::PGBitwiseXor => self.scalar_function("^", &both)?,
            B::PGBitwiseShiftLeft => self.scalar_function("<<", &both)?,
            B::PGBitwiseShiftRight => self.scalar_function(">>", &both)?,
            B::Regexp => {
                let matches = self.scalar_function("REGEXP_LIKE", &both)?;
                condition(&matches, zone)
            }
            B::Arrow => self.scalar_function("JSON_EXTRACT", &both)?,
            B::LongArrow => {
                let value = self.scalar_function("JSON_EXTRACT", &both)?;
                self.scalar_function("JSON_UNQUOTE", &[value])?
            }
            B::Custom(sign) if sign == "&&" => self.logical(&left, Operator::And, &right),
            other => return Err(SqlError::syntax(&other.to_string(), 1)),
        })
    }

    /// `a AND b AND c ...`, however long: such chains are written by programs, and nest deeply to
    /// the left.
    fn chain(
        &self,
        scope: &Scope<'_>,
        left: &ast::Expr,
        op: &ast::BinaryOperator,
        right: &ast::Expr,
        depth: usize,
    ) -> Result<Typed> {
        let mut operands = vec![right];
        let mut rest = left;
        while let ast::Expr::BinaryOp { left, op: same, right } = rest
            && same == op
        {
            operands.push(right);
            rest = left;
        }
        let operator = if *op == ast::BinaryOperator::And { Operator::And } else { Operator::Or };
        operands.push(rest);
        let mut terms = Vec::with_capacity(operands.len());
        for operand in operands.into_iter().rev() {
            terms.push(self.nested(scope, operand, depth)?);
        }
        if operator == Operator::Or {
            terms = one_of_many(terms);
        }
        // Pairs, then pairs of pairs: the tree is as low as can be.
        while terms.len() > 1 {
            let pair = |pair: &[Typed]| match pair {
                [left, right] => self.logical(left, operator, right),
                one => condition(&one[0], self.zone()),
            };
            terms = terms.chunks(2).map(pair).collect();
        }
        Ok(condition(&terms.swap_remove(0), self.zone()))
    }

    fn logical(&self, left: &Typed, op: Operator, right: &Typed) -> Typed {
        let (left, right) = (condition(left, self.zone()), condition(right, self.zone()));
        let nullable = left.nullable || right.nullable;
        let expr = match op {
            Operator::And => left.expr.and(right.expr),
            Operator::Or => left.expr.or(right.expr),
            _ => left.expr.not_eq(right.expr),
        };
        Typed::truth(expr, nullable)
    }

    /// NOT, when wanted.
    pub(super) fn negate_if(&self, truth: Typed, negated: bool) -> Typed {
        if !negated {
            return truth;
        }
        match truth.constant {
            Some(rows::Value::Null) => truth,
            Some(rows::Value::Int(value)) => Typed::known_truth(Some(value == 0)),
            _ => Typed::truth(Expr::Not(Box::new(truth.expr)), truth.nullable),
        }
    }

    fn is(&self, operand: Typed, form: fn(Box<Expr>) -> Expr) -> Typed {
        let truth = condition(&operand, self.zone());
        Typed::truth(form(Box::new(truth.expr)), false)
    }

    fn is_null(
        &self,
        scope: &Scope<'_>,
        inner: &ast::Expr,
        negated: bool,
        depth: usize,
    ) -> Result<Typed> {
        let operand = self.nested(scope, inner, depth)?;
        // MySQL finds zero dates of NOT NULL columns by IS NULL; nothing here relies on it.
        let expr = if negated { operand.expr.is_not_null() } else { operand.expr.is_null() };
        Ok(Typed::truth(expr, false))
    }

    fn case(
        &self,
        scope: &Scope<'_>,
        operand: Option<&ast::Expr>,
        conditions: &[ast::CaseWhen],
        otherwise: Option<&ast::Expr>,
        depth: usize,
    ) -> Result<Typed> {
        let operand = operand.map(|ast| self.nested(scope, ast, depth)).transpose()?;
        let mut whens = Vec::with_capacity(conditions.len());
        let mut values = Vec::with_capacity(conditions.len() + 1);
        for when in conditions {
            let tested = self.nested(scope, &when.condition, depth)?;
            let truth = match &operand {
                Some(operand) => compare(Operator::Eq, operand, &tested, self.zone()),
                None => condition(&tested, self.zone()),
            };
            whens.push(truth.expr);
            values.push(self.nested(scope, &when.result, depth)?);
        }
        let otherwise = match otherwise {
            Some(ast) => self.nested(scope, ast, depth)?,
            None => Typed::null(),
        };
        Ok(self.choose(whens, values, otherwise))
    }

    /// The first value whose condition holds, else the last; of their common type.
    pub(super) fn choose(&self, whens: Vec<Expr>, values: Vec<Typed>, otherwise: Typed) -> Typed {
        let (kind, firmness) = unify(values.iter().chain([&otherwise]));
        let (kind, values, otherwise) = match kind {
            Kind::Null => return Typed::null(),
            Kind::Truth => {
                let as_value = |typed: &Typed| self.truth_or_null(typed);
                (Kind::Truth, values.iter().map(as_value).collect(), as_value(&otherwise))
            }
            Kind::Of(ty) => {
                let as_type = |typed: &Typed| cast(&value_form(typed), &ty, self.zone());
                let values: Vec<Typed> = values.iter().map(as_type).collect();
                let otherwise = as_type(&otherwise);
                (Kind::Of(ty), values, otherwise)
            }
        };
        if whens.is_empty() {
            return otherwise;
        }
        let nullable = otherwise.nullable || values.iter().any(|value| value.nullable);
        let branches = whens
            .into_iter()
            .zip(values)
            .map(|(when, value)| (Box::new(when), Box::new(value.expr)))
            .collect();
        let expr = Expr::Case(Case::new(None, branches, Some(Box::new(otherwise.expr))));
        Typed { expr, kind, nullable, firmness, constant: None, origin: None }
    }

    fn truth_or_null(&self, typed: &Typed) -> Typed {
        match typed.kind {
            Kind::Null => Typed::known_truth(None),
            _ => typed.clone(),
        }
    }

    /// COLLATE.
    fn collate(&self, typed: Typed, collation: rows::Collation) -> Typed {
        let chars = super::unify::text_chars(&typed.ty());
        let text = match class_of(&typed.ty()) {
            Class::Text | Class::Binary => value_form(&typed),
            _ => cast(&value_form(&typed), &ColumnType::VarChar { chars, collation }, self.zone()),
        };
        let kind = Kind::Of(ColumnType::VarChar { chars, collation });
        Typed { kind, firmness: firmness::EXPLICIT, origin: None, ..text }
    }
}

/// `a = 1 OR a = 2 OR ...` as `a IN (1, 2, ...)`, which is planned and evaluated as one.
fn one_of_many(terms: Vec<Typed>) -> Vec<Typed> {
    let mut lists: Vec<(Expr, Vec<Expr>, bool)> = Vec::new();
    let mut rest = Vec::new();
    for term in terms {
        match &term.expr {
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right })
                if matches!((&**left, &**right), (Expr::Column(_), Expr::Literal(..))) =>
            {
                match lists.iter_mut().find(|(column, ..)| column == &**left) {
                    Some((_, literals, nullable)) => {
                        literals.push((**right).clone());
                        *nullable |= term.nullable;
                    }
                    None => {
                        lists.push(((**left).clone(), vec![(**right).clone()], term.nullable));
                    }
                }
            }
            _ => rest.push(term),
        }
    }
    rest.extend(lists.into_iter().map(|(column, literals, nullable)| {
        let expr = Expr::InList(InList::new(Box::new(column), literals, false));
        Typed::truth(expr, nullable)
    }));
    rest
}

fn null_safe(left: &Typed, right: &Typed, zone: rows::Zone) -> Typed {
    null_safe_equal(left, right, zone)
}
