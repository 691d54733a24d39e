//! Conditions of a plan as text, in the form in which MySQL's EXPLAIN shows them.
//!
//! A plan keeps no text of the statement: conditions were moved, divided and made simpler. They are
//! written from the bound tree; a sub-query within them is `(<subquery>)`, as it has a query block
//! of its own.
//!
//! Invariants
//! 1. A condition that names what has no name in the plan has no text.
//!
//! Not here: texts of views, which are those of the statement (`syntax::view_text`).

use std::fmt::Write;

use expression::{Arithmetic, Comparison, Kind, Node, Subquery, SubqueryForm, parts_of};
use values::datum::Value;
use values::temporal::Zone;
use values::text::write_text;
use values::types::ColumnType;

use super::explained::{SelectsAround, column_name};
use plan::tree::{Relation, Source};

/// What the columns of a condition are called.
pub struct ColumnNames<'q> {
    /// FROM of its SELECT.
    pub relations: &'q [Relation],
    /// The relation whose row the condition is over; `None`: all of them joined.
    pub own: Option<usize>,
    /// The SELECTs around that.
    pub around: Option<&'q SelectsAround<'q>>,
}

/// The text of terms that must all hold: `own` are over the row of `names.own`, `across` over the
/// joined row. `None` if there are none, or one has no text.
pub fn condition_text<'n>(
    own: impl Iterator<Item = &'n Node>,
    across: impl Iterator<Item = &'n Node>,
    names: &ColumnNames<'_>,
) -> Option<String> {
    let joined = ColumnNames { own: None, ..*names };
    let own = own.map(|node| text_of(node, names));
    let terms: Option<Vec<String>> = own.chain(across.map(|node| text_of(node, &joined))).collect();
    let terms = terms.filter(|terms| !terms.is_empty())?;
    match &terms[..] {
        [one] => Some(one.clone()),
        several => Some(format!("({})", several.join(" and "))),
    }
}

fn text_of(node: &Node, names: &ColumnNames<'_>) -> Option<String> {
    let of = |node: &Node| text_of(node, names);
    let list = |nodes: &[Node], by: &str| {
        let texts: Option<Vec<String>> = nodes.iter().map(of).collect();
        Some(texts?.join(by))
    };
    let not = |negated: bool| if negated { "not " } else { "" };
    Some(match &node.kind {
        Kind::Constant(value) => constant(node, value),
        Kind::Parameter(_) => "?".to_owned(),
        Kind::Column(column) => match names.own {
            Some(own) => named(names.relations.get(own)?, *column)?,
            None => slot_name(names.relations, *column)?,
        },
        Kind::Incoming(_) | Kind::Aggregate(_) | Kind::Window(_) => return None,
        Kind::Outer(0, slot) => slot_name(names.relations, *slot)?,
        Kind::Outer(level, slot) => {
            let mut around = names.around?;
            for _ in 1..*level {
                around = around.further?;
            }
            slot_name(around.relations, *slot)?
        }
        Kind::Subquery(subquery) => subquery_text(subquery, names)?,
        Kind::Compare(comparison, a, b, _) => {
            format!("({} {} {})", of(a)?, sign(*comparison), of(b)?)
        }
        Kind::And(nodes) => format!("({})", list(nodes, " and ")?),
        Kind::Or(nodes) => format!("({})", list(nodes, " or ")?),
        Kind::Xor(a, b) => format!("({} xor {})", of(a)?, of(b)?),
        Kind::Not(a) => format!("(not({}))", of(a)?),
        Kind::IsNull(a, negated) => format!("({} is {}null)", of(a)?, not(*negated)),
        Kind::IsTruth(a, truth, negated) => format!("({} is {}{truth})", of(a)?, not(*negated)),
        Kind::InList(a, nodes, negated, _) => {
            format!("({} {}in ({}))", of(a)?, not(*negated), list(nodes, ",")?)
        }
        Kind::Between(nodes, negated, _) => {
            let [a, low, high] = &**nodes;
            format!("({} {}between {} and {})", of(a)?, not(*negated), of(low)?, of(high)?)
        }
        Kind::Like(a, pattern, escape, negated, _) => {
            let mut text = format!("({} {}like {}", of(a)?, not(*negated), of(pattern)?);
            if let Some(escape) = escape.filter(|escape| *escape != '\\') {
                let _ = write!(text, " escape {}", quoted(&escape.to_string()));
            }
            text.push(')');
            text
        }
        Kind::Arithmetic(operator, a, b) => {
            format!("({} {} {})", of(a)?, operator_sign(*operator), of(b)?)
        }
        Kind::Negate(a) => format!("-({})", of(a)?),
        Kind::BitNot(a) => format!("~({})", of(a)?),
        Kind::Case(operand, branches, otherwise, _) => {
            let mut text = "(case".to_owned();
            if let Some(operand) = operand {
                let _ = write!(text, " {}", of(operand)?);
            }
            for (when, then) in branches {
                let _ = write!(text, " when {} then {}", of(when)?, of(then)?);
            }
            if let Some(otherwise) = otherwise {
                let _ = write!(text, " else {}", of(otherwise)?);
            }
            text.push_str(" end)");
            text
        }
        Kind::Call(function, arguments) => {
            format!("{}({})", function.name().to_ascii_lowercase(), list(arguments, ",")?)
        }
        Kind::Cast(a) => format!("cast({} as {})", of(a)?, node.ty.mysql_type_name()),
        Kind::Collated(a) => of(a)?,
        Kind::Once(once) => of(once.node())?,
        Kind::Shift(a, by, unit, back) => {
            let sign = if *back { '-' } else { '+' };
            format!("({} {sign} interval {} {unit})", of(a)?, of(by)?)
        }
        Kind::Extract(unit, a) => format!("extract({unit} from {})", of(a)?),
        Kind::Difference(unit, a, b) => format!("timestampdiff({unit},{},{})", of(a)?, of(b)?),
        Kind::UserVariable(name) => format!("(@{})", identifier(name)),
        Kind::Assign(name, a) => format!("(@{}:={})", identifier(name), of(a)?),
        Kind::SystemVariable(name, global) => {
            format!("@@{}{name}", if *global { "global." } else { "" })
        }
    })
}

fn subquery_text(subquery: &Subquery, names: &ColumnNames<'_>) -> Option<String> {
    const QUERY: &str = "(<subquery>)";
    Some(match &subquery.form {
        SubqueryForm::Scalar => QUERY.to_owned(),
        SubqueryForm::Exists { negated: false } => format!("exists{QUERY}"),
        SubqueryForm::Exists { negated: true } => format!("(not exists{QUERY})"),
        SubqueryForm::Compare { operands, comparison, quantifier } => {
            use expression::Quantifier as Q;
            let operands: Option<Vec<String>> =
                operands.iter().map(|node| text_of(node, names)).collect();
            let operands = match &operands?[..] {
                [one] => one.clone(),
                several => format!("({})", several.join(",")),
            };
            match (comparison, quantifier) {
                (Comparison::Equal, Q::Any) => format!("({operands} in {QUERY})"),
                (Comparison::NotEqual, Q::All) => format!("({operands} not in {QUERY})"),
                (_, Q::Any) => format!("({operands} {} any {QUERY})", sign(*comparison)),
                (_, Q::All) => format!("({operands} {} all {QUERY})", sign(*comparison)),
                (_, Q::Only) => format!("({operands} {} {QUERY})", sign(*comparison)),
            }
        }
    })
}

fn slot_name(relations: &[Relation], slot: usize) -> Option<String> {
    let (relation, column) = parts_of(slot);
    named(relations.get(relation)?, column)
}

/// A column with its table, and its database where that has one.
fn named(relation: &Relation, column: usize) -> Option<String> {
    let name =
        format!("{}.{}", identifier(&relation.name), identifier(column_name(relation, column)?));
    Some(match &relation.source {
        Source::Table(table) => format!("{}.{name}", identifier(&table.database)),
        _ => name,
    })
}

fn identifier(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn constant(node: &Node, value: &Value) -> String {
    let mut text = Vec::new();
    if let Value::Bytes(bytes) = value {
        let is_text = !node.is_digits_literal();
        match std::str::from_utf8(bytes) {
            Ok(text) if is_text => return quoted(text),
            _ => {
                let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
                return format!("0x{}", digits.collect::<String>());
            }
        }
    }
    if value.is_null() {
        return "NULL".to_owned();
    }
    write_text(&node.ty, value.as_datum(), Zone::UTC, &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    match &node.ty {
        ColumnType::Date => format!("DATE{}", quoted(&text)),
        ColumnType::Time { .. } => format!("TIME{}", quoted(&text)),
        ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => {
            format!("TIMESTAMP{}", quoted(&text))
        }
        ColumnType::Enum { .. } | ColumnType::Set { .. } => quoted(&text),
        _ => text,
    }
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
        Comparison::NullSafeEqual => "<=>",
    }
}

fn operator_sign(operator: Arithmetic) -> &'static str {
    match operator {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::IntegerDivide => "DIV",
        Arithmetic::Modulo => "%",
        Arithmetic::BitAnd => "&",
        Arithmetic::BitOr => "|",
        Arithmetic::BitXor => "^",
        Arithmetic::ShiftLeft => "<<",
        Arithmetic::ShiftRight => ">>",
    }
}
