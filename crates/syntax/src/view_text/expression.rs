//! Expressions in MySQL's canonical form.
//!
//! Forms that are rare stand as sqlparser writes them, with their names and strings as here.
//!
//! Not here: queries around and within them (`view_text`).

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, DataType, DuplicateTreatment, ExactNumberInfo, Expr, Function, FunctionArg,
    FunctionArgExpr, FunctionArgumentClause, FunctionArguments, Ident, Interval, NamedWindowExpr,
    Query, SearchModifier, UnaryOperator, Value, ValueWithSpan, VisitMut, VisitorMut, WindowType,
};
use values::types::string_literal;

use super::QueryPrinter;
use crate::call::argument_word;
use crate::names::{name_parts, unquoted};
use crate::token_forms::hex_of_bits;

/// The values of two rows side by side, those of rows within them in their places.
fn push_pairs<'e>(a: &'e [Expr], b: &'e [Expr], pairs: &mut Vec<(&'e Expr, &'e Expr)>) {
    for (a, b) in a.iter().zip(b) {
        match (bare(a), bare(b)) {
            (Expr::Tuple(a), Expr::Tuple(b)) => push_pairs(a, b, pairs),
            pair => pairs.push(pair),
        }
    }
}

/// Bytes by their digits, of which the first may be left out.
fn hex_literal(digits: &str) -> String {
    let zero = if digits.len() % 2 == 1 { "0" } else { "" };
    format!("0x{zero}{}", digits.to_ascii_lowercase())
}

/// What stands in brackets.
fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) => bare(inner),
        other => other,
    }
}

impl QueryPrinter<'_> {
    /// Rows that are compared value by value.
    fn pairs(&mut self, a: &[Expr], b: &[Expr], op: &BinaryOperator, between: &str) {
        let mut pairs = Vec::new();
        push_pairs(a, b, &mut pairs);
        self.push("(");
        self.list(&pairs, between, |printer, (a, b)| printer.binary(a, op, b));
        self.push(")");
    }

    pub(super) fn expression(&mut self, expr: &Expr) {
        match expr {
            Expr::Nested(inner) => self.expression(inner),
            Expr::Identifier(name) if is_word(name) => self.push(&name.value),
            Expr::Identifier(name) => self.name(&name.value),
            Expr::CompoundIdentifier(parts) if !parts[0].value.starts_with('@') => {
                self.names(&parts.iter().collect::<Vec<_>>(), 3);
            }
            Expr::Value(value) => self.value(&value.value),
            Expr::UnaryOp { op, expr } => self.unary(*op, expr),
            Expr::BinaryOp { left, op, right } => match (bare(left), op, bare(right)) {
                (
                    Expr::Tuple(a),
                    BinaryOperator::Eq | BinaryOperator::Spaceship,
                    Expr::Tuple(b),
                ) => {
                    self.pairs(a, b, op, " and ");
                }
                (Expr::Tuple(a), BinaryOperator::NotEq, Expr::Tuple(b)) => {
                    self.pairs(a, b, op, " or ");
                }
                _ => self.binary(left, op, right),
            },
            Expr::InList { expr, list, negated: false }
                if list.len() == 1 && matches!(bare(expr), Expr::Tuple(_)) =>
            {
                if let (Expr::Tuple(a), Expr::Tuple(b)) = (bare(expr), bare(&list[0])) {
                    self.pairs(a, b, &BinaryOperator::Eq, " and ");
                }
            }
            Expr::IsNull(inner) => self.suffixed(inner, " is null"),
            Expr::IsNotNull(inner) => self.suffixed(inner, " is not null"),
            Expr::IsTrue(inner) => self.suffixed(inner, " is true"),
            Expr::IsNotTrue(inner) => self.suffixed(inner, " is not true"),
            Expr::IsFalse(inner) => self.suffixed(inner, " is false"),
            Expr::IsNotFalse(inner) => self.suffixed(inner, " is not false"),
            Expr::IsUnknown(inner) => self.suffixed(inner, " is unknown"),
            Expr::IsNotUnknown(inner) => self.suffixed(inner, " is not unknown"),
            Expr::InList { expr, list, negated } => {
                self.push("(");
                self.expression(expr);
                self.push(if *negated { " not in (" } else { " in (" });
                self.list(list, ",", Self::expression);
                self.push("))");
            }
            Expr::InSubquery { expr, subquery, negated } => {
                self.expression(expr);
                self.push(if *negated { " not in " } else { " in " });
                self.subquery(subquery);
            }
            Expr::Between { expr, negated, low, high } => {
                self.push("(");
                self.expression(expr);
                self.push(if *negated { " not between " } else { " between " });
                self.expression(low);
                self.push(" and ");
                self.expression(high);
                self.push(")");
            }
            Expr::Like { negated, expr, pattern, escape_char, .. } => {
                self.push("(");
                self.expression(expr);
                self.push(if *negated { " not like " } else { " like " });
                self.expression(pattern);
                if let Some(escape) = escape_char {
                    self.push(" escape ");
                    self.value(&escape.value);
                }
                self.push(")");
            }
            Expr::RLike { negated, expr, pattern, .. } => {
                self.push("(");
                self.expression(expr);
                self.push(if *negated { " not regexp " } else { " regexp " });
                self.expression(pattern);
                self.push(")");
            }
            Expr::MatchAgainst { columns, match_value, opt_search_modifier } => {
                self.push("(match ");
                self.list(columns, ",", |printer, column| {
                    printer.names(&name_parts(column), 3);
                });
                self.push(" against (");
                self.value(&match_value.value);
                self.push(match opt_search_modifier {
                    None | Some(SearchModifier::InNaturalLanguageMode) => "",
                    Some(SearchModifier::InBooleanMode) => " in boolean mode",
                    Some(
                        SearchModifier::WithQueryExpansion
                        | SearchModifier::InNaturalLanguageModeWithQueryExpansion,
                    ) => " with query expansion",
                });
                self.push("))");
            }
            Expr::Exists { subquery, negated } => {
                self.push(if *negated { "(not(exists" } else { "exists" });
                self.subquery(subquery);
                self.push(if *negated { "))" } else { "" });
            }
            Expr::Subquery(query) => self.subquery(query),
            Expr::AnyOp { left, compare_op, right, .. } => {
                self.quantified(left, compare_op, " any ", right);
            }
            Expr::AllOp { left, compare_op, right } => {
                self.quantified(left, compare_op, " all ", right);
            }
            Expr::Tuple(parts) => {
                self.push("(");
                self.list(parts, ",", Self::expression);
                self.push(")");
            }
            Expr::Collate { expr, collation } => {
                self.push("(");
                self.expression(expr);
                self.push(" collate ");
                self.push(&unquoted(collation));
                self.push(")");
            }
            Expr::Case { operand, conditions, else_result, .. } => {
                self.push("(case");
                if let Some(operand) = operand {
                    self.push(" ");
                    self.expression(operand);
                }
                for when in conditions {
                    self.push(" when ");
                    self.expression(&when.condition);
                    self.push(" then ");
                    self.expression(&when.result);
                }
                if let Some(other) = else_result {
                    self.push(" else ");
                    self.expression(other);
                }
                self.push(" end)");
            }
            Expr::Cast { expr, data_type, array: true, format: None, .. } => {
                self.call("cast", &[expr]);
                self.out.pop();
                let ty = match data_type {
                    DataType::SignedInteger => "signed".to_owned(),
                    DataType::UnsignedInteger => "unsigned".to_owned(),
                    DataType::Decimal(ExactNumberInfo::None) => "decimal(10, 0)".to_owned(),
                    DataType::Decimal(ExactNumberInfo::Precision(digits)) => {
                        format!("decimal({digits}, 0)")
                    }
                    other => other.to_string().to_lowercase().replace(',', ", "),
                };
                self.push(&format!(" as {ty} array)"));
            }
            Expr::Cast { expr, data_type, array: false, format: None, .. } => {
                self.call("cast", &[expr]);
                self.out.pop();
                self.push(" as ");
                self.push(&data_type.to_string().to_lowercase());
                if self.introduces && matches!(data_type, DataType::Char(_)) {
                    self.push(" charset utf8mb4");
                }
                self.push(")");
            }
            Expr::Prefixed { prefix, value } if self.introduces => {
                self.push(&prefix.value.to_lowercase());
                match &**value {
                    Expr::Value(value) => match &value.value {
                        Value::SingleQuotedString(text) | Value::DoubleQuotedString(text) => {
                            self.push(&string_literal(text));
                        }
                        other => self.push(&other.to_string()),
                    },
                    other => self.expression(other),
                }
            }
            Expr::Convert { expr, data_type: Some(ty), charset: Some(charset), .. } => {
                self.call("cast", &[expr]);
                self.out.pop();
                self.push(" as ");
                self.push(&ty.to_string().to_lowercase());
                self.push(" charset ");
                self.push(&charset.to_string().to_lowercase());
                self.push(")");
            }
            Expr::Convert { expr, data_type: None, charset: Some(charset), .. } => {
                self.call("convert", &[expr]);
                self.out.pop();
                self.push(" using ");
                self.push(&charset.to_string());
                self.push(")");
            }
            Expr::Extract { field, expr, .. } => {
                self.push("extract(");
                self.push(&field.to_string().to_lowercase());
                self.push(" from ");
                self.expression(expr);
                self.push(")");
            }
            Expr::Trim { expr, trim_where, trim_what, trim_characters: None } => {
                self.push("trim(");
                if let Some(side) = trim_where {
                    self.push(&side.to_string().to_lowercase());
                    self.push(" ");
                }
                if let Some(what) = trim_what {
                    self.expression(what);
                }
                if trim_where.is_some() || trim_what.is_some() {
                    self.push(if trim_what.is_some() { " from " } else { "from " });
                }
                self.expression(expr);
                self.push(")");
            }
            Expr::Position { expr, r#in } => self.call("locate", &[expr, r#in]),
            Expr::Substring { expr, substring_from, substring_for, .. } => {
                let arguments = [Some(expr), substring_from.as_ref(), substring_for.as_ref()];
                let arguments: Vec<&Expr> =
                    arguments.into_iter().flatten().map(|argument| &**argument).collect();
                self.call("substr", &arguments);
            }
            Expr::Interval(interval) => self.interval(interval),
            Expr::Function(function) => self.function(function),
            other => self.other(other),
        }
    }

    fn suffixed(&mut self, inner: &Expr, suffix: &str) {
        self.push("(");
        self.expression(inner);
        self.push(suffix);
        self.push(")");
    }

    fn subquery(&mut self, query: &Query) {
        self.push("(");
        self.query(query);
        self.push(")");
    }

    fn quantified(&mut self, left: &Expr, op: &BinaryOperator, word: &str, right: &Expr) {
        self.push("(");
        self.expression(left);
        self.push(" ");
        self.push(&op.to_string());
        self.push(word);
        match right {
            Expr::Subquery(_) => self.expression(right),
            other => {
                self.push("(");
                self.expression(other);
                self.push(")");
            }
        }
        self.push(")");
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::SingleQuotedString(text) | Value::DoubleQuotedString(text) => {
                if self.introduces {
                    self.push("_utf8mb4");
                }
                self.push(&string_literal(text));
            }
            Value::Null => self.push("NULL"),
            Value::Boolean(truth) => self.push(if *truth { "true" } else { "false" }),
            Value::HexStringLiteral(digits) => self.push(&hex_literal(digits)),
            Value::SingleQuotedByteStringLiteral(bits) => {
                self.push(&hex_literal(&hex_of_bits(bits)));
            }
            other => self.push(&other.to_string()),
        }
    }

    fn unary(&mut self, op: UnaryOperator, expr: &Expr) {
        match op {
            UnaryOperator::Plus => self.expression(expr),
            UnaryOperator::Not | UnaryOperator::BangNot => {
                if let Some(negated) = negation(expr) {
                    return self.expression(&negated);
                }
                self.push("(not(");
                self.expression(expr);
                self.push("))");
            }
            op => {
                self.push(&op.to_string());
                self.push("(");
                self.expression(expr);
                self.push(")");
            }
        }
    }

    fn binary(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) {
        use BinaryOperator as B;
        match op {
            B::And | B::Or => {
                self.push("(");
                let word = if *op == B::And { " and " } else { " or " };
                let (mut parts, mut rest) = (Vec::new(), vec![right, left]);
                while let Some(part) = rest.pop() {
                    match part {
                        Expr::Nested(inner) => rest.push(inner),
                        Expr::BinaryOp { left, op: own, right } if own == op => {
                            rest.extend([&**right, &**left]);
                        }
                        part => parts.push(part),
                    }
                }
                self.list(&parts, word, |printer, part| printer.expression(part));
                self.push(")");
            }
            B::StringConcat => self.call("concat", &[left, right]),
            B::Arrow => self.call("json_extract", &[left, right]),
            B::LongArrow => {
                self.push("json_unquote(");
                self.call("json_extract", &[left, right]);
                self.push(")");
            }
            op => {
                let word = match op {
                    B::Xor => "xor".to_owned(),
                    B::MyIntegerDivide => "DIV".to_owned(),
                    B::NotEq => "<>".to_owned(),
                    op => op.to_string(),
                };
                self.push("(");
                self.expression(left);
                self.push(" ");
                self.push(&word);
                self.push(" ");
                self.expression(right);
                self.push(")");
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[&Expr]) {
        self.push(name);
        self.push("(");
        self.list(arguments, ",", |printer, argument| printer.expression(argument));
        self.push(")");
    }

    fn interval(&mut self, interval: &Interval) {
        self.push("interval ");
        self.expression(&interval.value);
        if let Some(unit) = &interval.leading_field {
            self.push(" ");
            self.push(&unit.to_string().to_lowercase());
        }
    }

    fn function(&mut self, function: &Function) {
        let name = function.name.to_string().to_lowercase().replace('`', "");
        let FunctionArguments::List(list) = &function.args else {
            return match word_call(&name) {
                Some(call) => self.push(call),
                None => self.push(&function.to_string()),
            };
        };
        let plain: Vec<&Expr> = list.args.iter().filter_map(argument).collect();
        let is_plain = plain.len() == list.args.len()
            && list.clauses.is_empty()
            && list.duplicate_treatment.is_none()
            && function.over.is_none();
        match (name.as_str(), &plain[..]) {
            ("date_add" | "adddate", [moment, interval @ Expr::Interval(_)]) if is_plain => {
                return self.moved(moment, " + ", interval);
            }
            ("date_sub" | "subdate", [moment, interval @ Expr::Interval(_)]) if is_plain => {
                return self.moved(moment, " - ", interval);
            }
            ("timestampadd", [unit, amount, base]) if let Some(unit) = argument_word(unit) => {
                self.push("(");
                self.expression(base);
                self.push(" + interval ");
                self.expression(amount);
                self.push(&format!(" {}", unit.to_lowercase()));
                return self.push(")");
            }
            ("match", [against, Expr::Value(mode), columns @ ..]) if is_plain => {
                self.push("(match ");
                self.list(columns, ",", |printer, column| printer.expression(column));
                self.push(" against (");
                self.expression(against);
                if let Value::SingleQuotedString(mode) = &mode.value {
                    self.push(format!(" {}", mode.to_lowercase()).trim_end());
                }
                return self.push("))");
            }
            ("mod", [left, right]) if is_plain => {
                return self.binary(left, &BinaryOperator::Modulo, right);
            }
            _ => {}
        }
        self.push(canonical_name(&name));
        self.push("(");
        if list.duplicate_treatment == Some(DuplicateTreatment::Distinct) {
            self.push("distinct ");
        }
        self.list(&list.args, ",", |printer, each| match argument(each) {
            Some(expr) => printer.expression(expr),
            // COUNT(*).
            None => printer.push("0"),
        });
        for clause in &list.clauses {
            self.clause(clause);
        }
        self.push(")");
        match &function.over {
            None => {}
            Some(WindowType::NamedWindow(name)) => {
                self.push(" OVER ");
                self.name(&name.value);
            }
            Some(WindowType::WindowSpec(window)) => {
                self.push(" OVER (");
                let quoted = self.quoted(window);
                self.push(&quoted);
                self.push(")");
            }
        }
    }

    fn clause(&mut self, clause: &FunctionArgumentClause) {
        match clause {
            FunctionArgumentClause::OrderBy(keys) => {
                self.push(" order by ");
                self.list(keys, ",", Self::sort_key);
            }
            FunctionArgumentClause::Separator(text) => {
                self.push(" separator ");
                self.value(&text.value);
            }
            other => {
                self.push(" ");
                let text = self.quoted(other);
                self.push(&text);
            }
        }
    }

    fn moved(&mut self, moment: &Expr, sign: &str, interval: &Expr) {
        self.push("(");
        self.expression(moment);
        self.push(sign);
        self.expression(interval);
        self.push(")");
    }

    pub(super) fn named_window(&mut self, window: &NamedWindowExpr) {
        let text = self.quoted(window);
        self.push(&text);
    }

    fn other(&mut self, expr: &Expr) {
        let text = self.quoted(expr);
        self.push(&text);
    }

    /// A part as sqlparser writes it, with its names in backticks and its strings as MySQL writes
    /// them.
    fn quoted<T: VisitMut + Clone + ToString>(&self, part: &T) -> String {
        let mut part = part.clone();
        let ControlFlow::Continue(()) = part.visit(&mut Quoter { left_out: self.left_out });
        part.to_string()
    }
}

/// The opposite of an expression that has one of its own form.
fn negation(expr: &Expr) -> Option<Expr> {
    let mut opposite = match expr {
        Expr::Nested(inner) => return negation(inner),
        expr => expr.clone(),
    };
    match &mut opposite {
        Expr::Between { negated, .. }
        | Expr::InList { negated, .. }
        | Expr::InSubquery { negated, .. }
        | Expr::Like { negated, .. }
        | Expr::RLike { negated, .. } => *negated = !*negated,
        Expr::IsNull(inner) => return Some(Expr::IsNotNull(inner.clone())),
        Expr::IsNotNull(inner) => return Some(Expr::IsNull(inner.clone())),
        _ => return None,
    }
    Some(opposite)
}

fn argument(argument: &FunctionArg) -> Option<&Expr> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    }
}

/// Words that are functions without parentheses, as calls.
fn word_call(name: &str) -> Option<&'static str> {
    Some(match name {
        "current_timestamp" | "localtime" | "localtimestamp" => "now()",
        "current_date" => "curdate()",
        "current_time" => "curtime()",
        "current_user" => "current_user()",
        "utc_timestamp" => "utc_timestamp()",
        "utc_date" => "utc_date()",
        "utc_time" => "utc_time()",
        _ => return None,
    })
}

/// Whether a name without quotes is such a word.
fn is_word(name: &Ident) -> bool {
    name.quote_style.is_none()
        && (name.value.starts_with('@') || word_call(&name.value.to_lowercase()).is_some())
}

/// The name that MySQL writes for a function of several names.
fn canonical_name(name: &str) -> &str {
    match name {
        "substring" | "mid" => "substr",
        "current_timestamp" | "localtime" | "localtimestamp" => "now",
        "current_date" => "curdate",
        "current_time" => "curtime",
        "ucase" => "upper",
        "lcase" => "lower",
        "character_length" => "char_length",
        "day" => "dayofmonth",
        "schema" => "database",
        "session_user" | "system_user" => "user",
        "stddev" => "std",
        "variance" => "var_pop",
        other => other,
    }
}

struct Quoter<'a> {
    left_out: Option<&'a str>,
}

impl VisitorMut for Quoter<'_> {
    type Break = std::convert::Infallible;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Self::Break> {
        match expr {
            Expr::Identifier(name) if !is_word(name) => name.quote_style = Some('`'),
            Expr::CompoundIdentifier(names) if !names[0].value.starts_with('@') => {
                if names.len() == 3 && self.left_out == Some(&names[0].value) {
                    names.remove(0);
                }
                names.iter_mut().for_each(|name| name.quote_style = Some('`'));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<Self::Break> {
        if let Value::SingleQuotedString(text) | Value::DoubleQuotedString(text) = &value.value {
            // A placeholder is written as its name.
            value.value = Value::Placeholder(string_literal(text));
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use values::SqlMode;

    use super::super::view_text;
    use crate::cursor::Cursor;

    fn canonical(text: &str) -> String {
        let text = format!("select {text} AS x");
        let query = Cursor::new(&text, SqlMode::default()).unwrap().query().unwrap();
        let text = view_text(&query, None).unwrap();
        text.strip_prefix("select ").unwrap().strip_suffix(" AS `x`").unwrap().to_owned()
    }

    #[test]
    fn expressions_stand_as_mysql_writes_them() {
        for (text, wanted) in [
            ("a and (b and c) and d or e", "((`a` and `b` and `c` and `d`) or `e`)"),
            ("concat(b, 'it''s')", "concat(`b`,'it''s')"),
            (
                "case when x.a>1 then 'y' else null end",
                "(case when (`x`.`a` > 1) then 'y' else NULL end)",
            ),
            ("date_add(d, interval 1 day)", "(`d` + interval 1 day)"),
            ("d - interval 2 hour", "(`d` - interval 2 hour)"),
            ("current_date", "curdate()"),
            ("substring(b from 2 for 3)", "substr(`b`,2,3)"),
            ("position('a' in b)", "locate('a',`b`)"),
            ("j->>'$.a'", "json_unquote(json_extract(`j`,'$.a'))"),
            (
                "group_concat(distinct a order by b desc separator ';')",
                "group_concat(distinct `a` order by `b` desc separator ';')",
            ),
            ("x in ('a', 2) or x is not null", "((`x` in ('a',2)) or (`x` is not null))"),
            ("a not between 1 and -3", "(`a` not between 1 and -(3))"),
            ("mod(a, 2) + a div 2", "((`a` % 2) + (`a` DIV 2))"),
            ("extract(year from d)", "extract(year from `d`)"),
            ("convert(b using utf8mb4)", "convert(`b` using utf8mb4)"),
            ("cast(a as unsigned)", "cast(`a` as unsigned)"),
            ("b collate utf8mb4_bin", "(`b` collate utf8mb4_bin)"),
            ("b like 'a|%' escape '|'", "(`b` like 'a|%' escape '|')"),
            ("-a * ~b", "(-(`a`) * ~(`b`))"),
            ("(a, b) = (1, 2)", "((`a` = 1) and (`b` = 2))"),
            ("a > any (select 1 AS y)", "(`a` > any (select 1 AS `y`))"),
            ("not a", "(not(`a`))"),
            (
                "not (a between 1 and 2) and not a is null",
                "((`a` not between 1 and 2) and (`a` is not null))",
            ),
            ("trim(both 'x' from t.b)", "trim(both 'x' from `t`.`b`)"),
            ("trim(b)", "trim(`b`)"),
            ("trim(leading from b)", "trim(leading from `b`)"),
            ("(a) <=> (b)", "(`a` <=> `b`)"),
        ] {
            assert_eq!(canonical(text), wanted);
        }
    }
}
