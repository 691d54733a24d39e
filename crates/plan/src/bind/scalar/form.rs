//! Functions that are written in a form of their own: `SUBSTRING(a FROM 2)`, `EXTRACT(DAY FROM a)`.

use expression::{BIGINT, Kind, Node, boolean, read_as_time};
use sqlparser::ast::{CeilFloorKind, DateTimeField, Expr, TrimWhereField};
use values::datum::Value;

use super::call::call_node;
use super::{Bound, Names, bind, needs_query, unit};

pub(super) fn special(expr: &Expr, names: &Names<'_>) -> Bound<Node> {
    match expr {
        Expr::Substring { expr, substring_from, substring_for, .. } => {
            let mut arguments = vec![bind(expr, names)?];
            match substring_from {
                Some(from) => arguments.push(bind(from, names)?),
                None => arguments.push(Node::constant(Value::Int(1))),
            }
            if let Some(length) = substring_for {
                arguments.push(bind(length, names)?);
            }
            call_node("SUBSTRING", arguments)
        }
        Expr::Trim { trim_where, trim_what, expr, .. } => {
            let mut arguments = vec![bind(expr, names)?];
            if let Some(what) = trim_what {
                arguments.push(bind(what, names)?);
            }
            let name = match trim_where {
                Some(TrimWhereField::Leading) => "LTRIM",
                Some(TrimWhereField::Trailing) => "RTRIM",
                _ => "TRIM",
            };
            call_node(name, arguments)
        }
        Expr::Position { expr, r#in } => {
            call_node("LOCATE", vec![bind(expr, names)?, bind(r#in, names)?])
        }
        Expr::Ceil { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
            call_node("CEILING", vec![bind(expr, names)?])
        }
        Expr::Floor { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
            call_node("FLOOR", vec![bind(expr, names)?])
        }
        Expr::Extract { field, expr, .. } => {
            let unit = unit(&field.to_string())?;
            Ok(Node::new(
                Kind::Extract(unit, Box::new(read_as_time(bind(expr, names)?))),
                BIGINT,
                true,
            ))
        }
        Expr::Tuple(_) => needs_query("row constructors"),
        Expr::Subquery(_) | Expr::InSubquery { .. } | Expr::Exists { .. } => {
            needs_query("sub-queries")
        }
        Expr::RLike { negated, expr, pattern, .. } => {
            let found = call_node("REGEXP_LIKE", vec![bind(expr, names)?, bind(pattern, names)?])?;
            let nullable = found.nullable;
            Ok(match negated {
                true => boolean(Kind::Not(Box::new(found)), nullable),
                false => found,
            })
        }
        other => needs_query(other),
    }
}
