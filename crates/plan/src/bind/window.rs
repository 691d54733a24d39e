//! Window functions: `f(...) OVER (...)` and the WINDOW clause.
//!
//! ROWS counts rows, RANGE compares keys: a distance is added to the key of the row at hand, and
//! the frame ends where the keys of others pass that sum (MySQL 8.0 manual, 14.20.3).
//!
//! Invariants
//! 1. A frame with a distance in RANGE is sorted by one key, of the type that sums are made in.
//!
//! Not here: aggregates without OVER (`forms`), computing either (`executor`).

use expression::{
    Arithmetic, BIGINT_UNSIGNED, Kind, Node, Unit, arithmetic_node, common_type, shift_node,
};
use sqlparser::ast::{
    self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, WindowFrameBound, WindowFrameUnits,
};
use values::ErrorCode;
use values::types::ColumnType;

use super::Binder;
use super::scope::QueryScope;
use crate::bind::scalar::{Bound, Names, bind, unsupported};
use crate::terms::has;
use crate::tree::{
    AggregateFunction, Frame, FrameBound, WINDOW_FUNCTIONS, Window, WindowCall, WindowFunction,
};
use results::{Result, SqlError};

/// The name that messages give a window without one.
const UNNAMED: &str = "<unnamed window>";

impl Binder<'_> {
    /// Binds a use of a window function.
    pub(super) fn window(
        &self,
        scope: &QueryScope<'_>,
        name: &str,
        call: &ast::Function,
        over: &ast::WindowType,
        names: &Names<'_>,
    ) -> Bound<Node> {
        self.want_literals("a window function")?;
        let allowed = matches!(names.clause, "field list" | "order clause");
        if !allowed || scope.inside_aggregate.get() || scope.inside_window.get() {
            let message = format!("You cannot use the window function '{name}' in this context.'");
            return Err(SqlError::new(ErrorCode::WindowInvalidWindowFuncUse, message).into());
        }
        scope.inside_window.set(true);
        let bound = self.window_function(scope, name, call, over, names);
        scope.inside_window.set(false);
        let function = bound?;
        let (ty, nullable) = (function.ty.clone(), function.nullable);
        let mut windows = scope.windows.borrow_mut();
        let number = windows.iter().position(|known| *known == function).unwrap_or_else(|| {
            let title = match over {
                ast::WindowType::NamedWindow(name) => &name.value,
                ast::WindowType::WindowSpec(_) => UNNAMED,
            };
            scope.window_names.borrow_mut().push(title.to_owned());
            windows.push(function);
            windows.len() - 1
        });
        Ok(Node::new(Kind::Window(number), ty, nullable))
    }

    fn window_function(
        &self,
        scope: &QueryScope<'_>,
        name: &str,
        call: &ast::Function,
        over: &ast::WindowType,
        names: &Names<'_>,
    ) -> Bound<WindowFunction> {
        let FunctionArguments::List(list) = &call.args else { return unsupported(&call.name) };
        if call.filter.is_some() || !call.within_group.is_empty() {
            return unsupported(&call.name);
        }
        match call.null_treatment {
            // It is what they do without it.
            Some(ast::NullTreatment::RespectNulls) if TAKING_NULLS.contains(&name) => {}
            Some(ast::NullTreatment::IgnoreNulls) if TAKING_NULLS.contains(&name) => {
                return unsupported("IGNORE NULLS");
            }
            Some(treatment) => return Err(SqlError::syntax(&treatment.to_string(), 1).into()),
            None => {}
        }
        let window = window_of(scope.named_windows, over, names)?;
        if let Some(function) = AggregateFunction::find(name) {
            let aggregate = self.aggregate_of(function, list, names)?;
            let has_no_frame =
                matches!(function, AggregateFunction::GroupConcat | AggregateFunction::Grouping);
            if aggregate.keeps_values() || has_no_frame {
                return unsupported(format_args!("{name} over a window"));
            }
            let nullable = aggregate.function.result(&aggregate.arguments).1;
            let ty = aggregate.ty.clone();
            return Ok(WindowFunction {
                call: WindowCall::Aggregate(aggregate),
                window,
                ty,
                nullable,
            });
        }
        let mut arguments = Vec::with_capacity(list.args.len());
        for argument in &list.args {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => {
                    arguments.push(bind(expr, names)?);
                }
                _ => return unsupported(&call.name),
            }
        }
        let (call, ty, nullable) = named_call(name, arguments)?;
        Ok(WindowFunction { call, window, ty, nullable })
    }
}

/// Functions that RESPECT NULLS and IGNORE NULLS may be said of.
const TAKING_NULLS: [&str; 5] = ["FIRST_VALUE", "LAG", "LAST_VALUE", "LEAD", "NTH_VALUE"];

/// What a function that is only one over windows computes, its type, and whether it can be NULL.
fn named_call(name: &str, arguments: Vec<Node>) -> Bound<(WindowCall, ColumnType, bool)> {
    let plain = match name {
        "ROW_NUMBER" => Some((WindowCall::RowNumber, BIGINT_UNSIGNED)),
        "RANK" => Some((WindowCall::Rank, BIGINT_UNSIGNED)),
        "DENSE_RANK" => Some((WindowCall::DenseRank, BIGINT_UNSIGNED)),
        "PERCENT_RANK" => Some((WindowCall::PercentRank, ColumnType::Double(None))),
        "CUME_DIST" => Some((WindowCall::CumulativeDistribution, ColumnType::Double(None))),
        _ => None,
    };
    if let Some((call, ty)) = plain {
        return match arguments.is_empty() {
            true => Ok((call, ty, false)),
            false => Err(expression::Error::parameter_count(name).into()),
        };
    }
    let mut arguments = arguments.into_iter();
    let (first, second, third) = (arguments.next(), arguments.next(), arguments.next());
    let (Some(first), None) = (first, arguments.next()) else {
        return match WINDOW_FUNCTIONS.contains(&name) {
            true => Err(expression::Error::parameter_count(name).into()),
            false => unsupported(format_args!("{name} over a window")),
        };
    };
    let like_first = first.ty.clone();
    // A number of rows.
    let second = second.map(Node::with_number);
    Ok(match (name, second, third) {
        ("NTILE", None, None) => {
            refuse_of_rows(&first, "ntile")?;
            (WindowCall::Tile(first.with_number()), BIGINT_UNSIGNED, true)
        }
        ("LAG" | "LEAD", distance, otherwise) => {
            let both: Vec<Node> = [&first].into_iter().chain(&otherwise).cloned().collect();
            let (ty, ahead) = (common_type(&both), name == "LEAD");
            (WindowCall::Neighbour { value: first, distance, otherwise, ahead }, ty, true)
        }
        ("FIRST_VALUE", None, None) => (WindowCall::First(first), like_first, true),
        ("LAST_VALUE", None, None) => (WindowCall::Last(first), like_first, true),
        ("NTH_VALUE", Some(number), None) => {
            refuse_of_rows(&number, "nth_value")?;
            let is_open = matches!(number.kind, Kind::Parameter(_) | Kind::UserVariable(_));
            if !matches!(number.ty, ColumnType::Int { .. }) && !is_open {
                let message = "Incorrect arguments to nth_value";
                return Err(SqlError::new(ErrorCode::WrongArguments, message).into());
            }
            (WindowCall::Nth(first, number), like_first, true)
        }
        ("NTILE" | "FIRST_VALUE" | "LAST_VALUE" | "NTH_VALUE", ..) => {
            return Err(expression::Error::parameter_count(name).into());
        }
        _ => return unsupported(format_args!("{name} over a window")),
    })
}

/// Refuses a number that is one for all rows where it is of a row.
///
/// # Errors
/// 1210, which MySQL 9.7 has for `NTH_VALUE`; for a lone name it says that there is no such
/// variable.
fn refuse_of_rows(number: &Node, function: &str) -> Result<()> {
    let of_row =
        |kind: &Kind| matches!(kind, Kind::Column(_) | Kind::Incoming(_) | Kind::Outer(..));
    match has(number, of_row) {
        true => {
            let message = format!("Incorrect arguments to {function}");
            Err(SqlError::new(ErrorCode::WrongArguments, message))
        }
        false => Ok(()),
    }
}

/// What OVER says.
fn window_of(
    named: &[ast::NamedWindowDefinition],
    over: &ast::WindowType,
    names: &Names<'_>,
) -> Bound<Window> {
    let (spec, title) = match over {
        ast::WindowType::WindowSpec(spec) => (whole_spec(named, spec)?, UNNAMED),
        ast::WindowType::NamedWindow(name) => (named_spec(named, name)?, name.value.as_str()),
    };
    let partition =
        spec.partition_by.iter().map(|expr| bind(expr, names)).collect::<Bound<Vec<Node>>>()?;
    let mut order = Vec::with_capacity(spec.order_by.len());
    for item in &spec.order_by {
        if item.options.nulls_first.is_some() || item.with_fill.is_some() {
            return unsupported("NULLS FIRST");
        }
        order.push((bind(&item.expr, names)?, item.options.asc == Some(false)));
    }
    // TRUE and -1 are none.
    let is_position = |(expr, node): (&Expr, &Node)| {
        let is_literal = match expr {
            Expr::Value(value) => {
                matches!(value.value, ast::Value::Number(..) | ast::Value::Placeholder(_))
            }
            _ => false,
        };
        is_literal && matches!(node.ty, ColumnType::Int { .. })
    };
    let partitioned = spec.partition_by.iter().zip(&partition);
    let ordered =
        spec.order_by.iter().map(|item| &item.expr).zip(order.iter().map(|(node, _)| node));
    if partitioned.chain(ordered).any(is_position) {
        let message = format!(
            "Window '{title}': ORDER BY or PARTITION BY uses legacy position indication which is \
             not supported, use expression."
        );
        return Err(SqlError::new(ErrorCode::WindowIllegalOrderBy, message).into());
    }
    let frame = match &spec.window_frame {
        None if order.is_empty() => Frame::WHOLE,
        None => Frame::SO_FAR,
        Some(frame) => frame_of(frame, title, &mut order, names)?,
    };
    Ok(Window { partition, order, frame })
}

fn frame_of(
    frame: &ast::WindowFrame,
    title: &str,
    order: &mut [(Node, bool)],
    names: &Names<'_>,
) -> Bound<Frame> {
    let counts_rows = match frame.units {
        WindowFrameUnits::Rows => true,
        WindowFrameUnits::Range => false,
        WindowFrameUnits::Groups => return unsupported("GROUPS"),
    };
    let wrong = |number, what: &str| SqlError::new(number, format!("Window '{title}': {what}."));
    if matches!(frame.start_bound, WindowFrameBound::Following(None)) {
        return Err(wrong(
            ErrorCode::WindowFrameStartIllegal,
            "frame start cannot be UNBOUNDED FOLLOWING",
        )
        .into());
    }
    if matches!(frame.end_bound, Some(WindowFrameBound::Preceding(None))) {
        return Err(wrong(
            ErrorCode::WindowFrameEndIllegal,
            "frame end cannot be UNBOUNDED PRECEDING",
        )
        .into());
    }
    let current = WindowFrameBound::CurrentRow;
    let bounds = [&frame.start_bound, frame.end_bound.as_ref().unwrap_or(&current)];
    // MySQL says of an end that is written before its start what it says of a wrong distance.
    let ends_first = matches!(
        bounds,
        [
            WindowFrameBound::Following(_),
            WindowFrameBound::Preceding(_) | WindowFrameBound::CurrentRow
        ] | [WindowFrameBound::CurrentRow, WindowFrameBound::Preceding(_)]
    );
    if ends_first {
        return Err(wrong_distance(title).into());
    }
    let mut distances = Vec::new();
    for bound in bounds {
        if let WindowFrameBound::Preceding(Some(distance))
        | WindowFrameBound::Following(Some(distance)) = bound
        {
            distances.push(Distance::of(distance, title, names)?);
        }
    }
    if !counts_rows && !distances.is_empty() {
        let [(key, _)] = &mut *order else {
            return Err(needs_one_key(title).into());
        };
        *key = key_for_sums(key, &distances, title)?;
    }
    let mut distances = distances.into_iter();
    let [start, end] = bounds.map(|bound| {
        let before = match bound {
            WindowFrameBound::CurrentRow => return FrameBound::Current,
            WindowFrameBound::Preceding(_) => true,
            WindowFrameBound::Following(_) => false,
        };
        let at = match bound {
            WindowFrameBound::Preceding(Some(_)) | WindowFrameBound::Following(Some(_)) => {
                distances.next()
            }
            _ => None,
        };
        let Some(distance) = at else { return FrameBound::Unbounded };
        let node = match &*order {
            [(key, descending)] if !counts_rows => distance.from(key, before != *descending, names),
            _ => distance.amount,
        };
        if before { FrameBound::Before(node) } else { FrameBound::Behind(node) }
    });
    Ok(Frame { counts_rows, start, end })
}

/// Error 3586.
fn wrong_distance(title: &str) -> SqlError {
    let message =
        format!("Window '{title}': frame start or end is negative, NULL or of non-integral type");
    SqlError::new(ErrorCode::WindowFrameIllegal, message)
}

/// How far a frame reaches: a number, or an interval of time.
struct Distance {
    amount: Node,
    unit: Option<Unit>,
}

impl Distance {
    fn of(expr: &Expr, title: &str, names: &Names<'_>) -> Bound<Distance> {
        let (amount, unit) = match expr {
            Expr::Interval(interval) => {
                let Some(field) = &interval.leading_field else {
                    return Err(SqlError::syntax(&interval.to_string(), 1).into());
                };
                let unit = Unit::parse(&field.to_string());
                let unit = unit.ok_or_else(|| SqlError::syntax(&field.to_string(), 1))?;
                (bind(&interval.value, names)?, Some(unit))
            }
            number => (bind(number, names)?, None),
        };
        let negative = match &amount.kind {
            Kind::Constant(values::datum::Value::Int(value)) => *value < 0,
            Kind::Constant(values::datum::Value::Null) | Kind::Negate(_) => true,
            _ => !amount.is_constant(),
        };
        if negative {
            return Err(wrong_distance(title).into());
        }
        Ok(Distance { amount, unit })
    }

    /// The key so far from another.
    fn from(self, key: &Node, minus: bool, names: &Names<'_>) -> Node {
        match self.unit {
            Some(unit) => shift_node(key.clone(), self.amount, unit, minus),
            None => {
                let op = if minus { Arithmetic::Subtract } else { Arithmetic::Add };
                let ty = key.ty.clone();
                let sum = arithmetic_node(op, key.clone(), self.amount, names.mode);
                cast_to(sum, ty)
            }
        }
    }
}

/// A sort key in a type that holds it and its sums with distances.
fn key_for_sums(key: &Node, distances: &[Distance], title: &str) -> Result<Node> {
    // Distances may have digits that keys have not.
    let exact = |scale: u8| ColumnType::Decimal { precision: 65, scale: scale.max(15) };
    let intervals = distances.iter().filter(|distance| distance.unit.is_some()).count();
    let ty = match &key.ty {
        ColumnType::Int { .. } | ColumnType::Year | ColumnType::Bit { .. } => exact(0),
        ColumnType::Decimal { scale, .. } => exact(*scale),
        ColumnType::Float(_) | ColumnType::Double(_) => ColumnType::Double(None),
        ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => {
            ColumnType::DateTime { fsp: 6 }
        }
        ColumnType::Time { .. } => ColumnType::Time { fsp: 6 },
        _ => return Err(needs_one_key(title)),
    };
    let temporal = matches!(ty, ColumnType::DateTime { .. } | ColumnType::Time { .. });
    if temporal && intervals < distances.len() {
        let message = format!(
            "Window '{title}' with RANGE frame has ORDER BY expression of datetime type. Only \
             INTERVAL bound value allowed."
        );
        return Err(SqlError::new(ErrorCode::WindowRangeFrameTemporalType, message));
    }
    if !temporal && intervals > 0 {
        let message = format!(
            "Window '{title}' with RANGE frame has ORDER BY expression of numeric type, INTERVAL \
             bound value not allowed."
        );
        return Err(SqlError::new(ErrorCode::WindowRangeFrameNumericType, message));
    }
    Ok(cast_to(key.clone(), ty))
}

fn needs_one_key(title: &str) -> SqlError {
    let message = format!(
        "Window '{title}' with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY \
         expression, of numeric or temporal type"
    );
    SqlError::new(ErrorCode::WindowRangeFrameOrderType, message)
}

fn cast_to(node: Node, ty: ColumnType) -> Node {
    let nullable = node.nullable;
    Node::new(Kind::Cast(Box::new(node)), ty, nullable)
}

/// The window that the WINDOW clause gives a name, as if it had been written in its place.
///
/// # Errors
/// 3579 when it has none of this name, 3580 when names go round in a circle, and those of windows
/// that are built upon others.
pub fn named_spec(
    named: &[ast::NamedWindowDefinition],
    name: &ast::Ident,
) -> Result<ast::WindowSpec> {
    named_within(named, name, named.len())
}

/// A window as OVER writes it, with what it takes over from the one it is built upon.
///
/// # Errors
/// As `named_spec`.
pub fn whole_spec(
    named: &[ast::NamedWindowDefinition],
    spec: &ast::WindowSpec,
) -> Result<ast::WindowSpec> {
    whole_within(named, spec, UNNAMED, named.len())
}

fn named_within(
    named: &[ast::NamedWindowDefinition],
    name: &ast::Ident,
    steps_left: usize,
) -> Result<ast::WindowSpec> {
    let same = |own: &ast::Ident| own.value.eq_ignore_ascii_case(&name.value);
    let Some(ast::NamedWindowDefinition(_, definition)) = named.iter().find(|d| same(&d.0)) else {
        let message = format!("Window name '{}' is not defined.", name.value);
        return Err(SqlError::new(ErrorCode::WindowNoSuchWindow, message));
    };
    let Some(steps_left) = steps_left.checked_sub(1) else {
        return Err(SqlError::new(
            ErrorCode::WindowCircularityInWindowGraph,
            "There is a circularity in the window dependency graph.",
        ));
    };
    match definition {
        ast::NamedWindowExpr::NamedWindow(other) => named_within(named, other, steps_left),
        ast::NamedWindowExpr::WindowSpec(spec) => {
            whole_within(named, spec, &name.value, steps_left)
        }
    }
}

fn whole_within(
    named: &[ast::NamedWindowDefinition],
    spec: &ast::WindowSpec,
    title: &str,
    steps_left: usize,
) -> Result<ast::WindowSpec> {
    let Some(base_name) = &spec.window_name else { return Ok(spec.clone()) };
    let base = named_within(named, base_name, steps_left)?;
    if !spec.partition_by.is_empty() {
        let message = "A window which depends on another cannot define partitioning.";
        return Err(SqlError::new(ErrorCode::WindowNoChildPartitioning, message));
    }
    if base.window_frame.is_some() {
        let message = format!(
            "Window '{}' has a frame definition, so cannot be referenced by another window.",
            base_name.value
        );
        return Err(SqlError::new(ErrorCode::WindowNoInheritFrame, message));
    }
    if !base.order_by.is_empty() && !spec.order_by.is_empty() {
        let message = format!(
            "Window '{title}' cannot inherit '{}' since both contain an ORDER BY clause.",
            base_name.value
        );
        return Err(SqlError::new(ErrorCode::WindowNoRedefineOrderBy, message));
    }
    let order_by = if spec.order_by.is_empty() { base.order_by } else { spec.order_by.clone() };
    Ok(ast::WindowSpec {
        window_name: None,
        partition_by: base.partition_by,
        order_by,
        window_frame: spec.window_frame.clone(),
    })
}
