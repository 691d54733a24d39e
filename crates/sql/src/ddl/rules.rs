//! Expressions of definitions: from what was written to the texts that a definition keeps, and from
//! those to the rules that every door obeys (`rows::rules`).
//!
//! Not here: the texts themselves (`syntax::rule`), when rules are asked (`rows`).

use expression::{Environment, Node, array_node};
use rows::alter::ConversionRules;
use rows::ddl::NewCheck;
use rows::rules::{Check, Rules, value_at};
use rows::schema::{
    CheckDefinition, Column, ColumnVisibility, ComputedColumn, DefaultValue, Index, TableDefinition,
};
use sqlparser::ast::{DataType, Expr};
use syntax::rule::{rule, rule_text};
use syntax::table::{CheckSpec, ColumnSpec, ComputedSpec, DefaultSpec};
use values::ErrorCode;
use values::SqlMode;
use values::datum::Value;
use values::temporal::Zone;
use values::text::write_text;
use values::types::ColumnType;

use super::condition::check_condition;
use super::partition::partition_rule;
use crate::write::given_to;
use plan::bind::scalar::{Names, bind, element_type};
use results::{Result, SqlError};

/// How a column is computed, as the definition keeps it.
///
/// # Errors
/// Those of `rule_text`.
pub fn computed_of(spec: &ComputedSpec) -> Result<ComputedColumn> {
    Ok(ComputedColumn { expression: rule_text(&spec.expression)?, stored: spec.stored })
}

/// A condition as `rows` is to keep it; `column`: the column that it stands behind, `unnamed`: what
/// it is called if it has no name.
///
/// # Errors
/// Those of `check_condition` and `rule_text`.
pub fn check_of(spec: &CheckSpec, column: Option<&str>, unnamed: &str) -> Result<NewCheck> {
    check_condition(&spec.condition, spec.name.as_deref().unwrap_or(unnamed))?;
    Ok(NewCheck {
        name: spec.name.clone(),
        condition: rule_text(&spec.condition)?,
        column: column.map(str::to_owned),
        unenforced: !spec.enforced,
    })
}

/// The conditions behind a column. `unnamed`: what the first is called if it has no name.
///
/// # Errors
/// Those of `check_of`.
pub fn checks_of(column: &ColumnSpec, unnamed: &str) -> Result<Vec<NewCheck>> {
    let checks = column.checks.iter();
    checks.map(|spec| check_of(spec, Some(&column.name), unnamed)).collect()
}

/// The value that an expression gives a column of a type for every row and session alike; `None`
/// where it depends on either.
///
/// # Errors
/// Those of evaluating it.
pub fn constant_of(expr: &Expr, ty: &ColumnType, mode: SqlMode) -> Result<Option<Value>> {
    let Ok(node) = bind(expr, &Names::none("default", mode)) else { return Ok(None) };
    let node = given_to(ty, node);
    if !node.is_of_row_alone() {
        return Ok(None);
    }
    let environment = Environment { mode, ..Environment::bare(&[], Zone::UTC) };
    let cell = node.evaluate(&environment.scope())?;
    Ok(Some(cell.datum().to_value()))
}

/// The text that rows which exist hold in a new column, by a default that is an expression; `None`
/// where each has its own. `now`: microseconds since the epoch.
///
/// # Errors
/// Those of evaluating it.
pub fn text_for_all(
    spec: Option<&DefaultSpec>,
    column: &Column,
    now: i64,
    session: ConversionRules,
) -> Result<Option<Vec<u8>>> {
    let (Some(DefaultSpec::Expression(expr) | DefaultSpec::Now(Some(expr))), true) =
        (spec, column.default.is_expression())
    else {
        return Ok(None);
    };
    let node = bind(expr, &Names::none("default", session.mode)).ok().filter(Node::is_constant);
    let Some(node) = node else { return Ok(None) };
    let value = value_at(column, &node, now, session.zone)?;
    let mut text = Vec::new();
    write_text(&column.ty, value.as_datum(), Zone::UTC, &mut text);
    Ok(Some(text).filter(|_| !value.is_null()))
}

/// The rules of a definition.
///
/// # Errors
/// 1054 for a column that is not there, 1901 for what may not stand in such an expression, and what
/// else is wrong with it.
pub fn make_rules(definition: &TableDefinition) -> expression::Result<Rules> {
    Ok(rules_of(definition)?)
}

fn rules_of(definition: &TableDefinition) -> Result<Rules> {
    let mut rules = Rules::default();
    for (position, column) in definition.columns.iter().enumerate() {
        if let Some(computed) = &column.computed
            && column.visibility != ColumnVisibility::OfPartition
        {
            let text = &computed.expression;
            let node = if column.is_of_index() {
                let node = key_part_of(definition, position, text)?;
                check_key_part(definition, position, &node)?;
                node
            } else {
                let node = node_of(definition, text, "GENERATED ALWAYS AS")?;
                check_computed(definition, position, &node, text)?;
                node
            };
            rules.computed.push((position, node));
        }
        if let DefaultValue::Expression(text) = &column.default {
            rules.defaults.push((position, node_of(definition, text, "DEFAULT")?));
        }
    }
    // MySQL looks at them in the order of their names, and what is not enforced must be a condition
    // all the same.
    let mut written: Vec<&CheckDefinition> = definition.checks.iter().collect();
    written.sort_by_key(|check| check.name.to_lowercase());
    for of in written {
        let made = check(definition, of.name.clone(), &of.condition)?;
        if !of.unenforced {
            rules.checks.push(made);
        }
    }
    rules.partition = partition_rule(definition)?;
    rules.asks_session = rules.checks.iter().any(|check| !check.condition.is_of_row_alone());
    Ok(rules)
}

/// The document and the type of an expression that is an array of a type.
pub fn array_cast(expression: &Expr) -> Option<(&Expr, &DataType)> {
    match expression {
        Expr::Nested(inner) => array_cast(inner),
        Expr::Cast { array: true, expr, data_type, .. } => Some((expr, data_type)),
        _ => None,
    }
}

/// What a part of an index is made of, an array of a multi-valued one included.
fn key_part_of(definition: &TableDefinition, position: usize, text: &str) -> Result<Node> {
    let expression = rule(text)?;
    let Some((document, data_type)) = array_cast(&expression) else {
        return node_of_expression(definition, (&expression, text), FUNCTIONAL_INDEX);
    };
    let document = node_of_expression(definition, (document, text), FUNCTIONAL_INDEX)?;
    let element = element_type(data_type)?;
    Ok(array_node(document, element, index_of_column(definition, position)))
}

/// The name of the index that has a column of indexes.
fn index_of_column(definition: &TableDefinition, position: usize) -> &str {
    let has = |index: &&Index| index.parts.iter().any(|part| part.column == position);
    definition.indexes_with_parts().find(has).map_or("", |index| &*index.name)
}

const FUNCTIONAL_INDEX: &str = "functional index";

fn node_of(definition: &TableDefinition, text: &str, clause: &'static str) -> Result<Node> {
    node_of_expression(definition, (&rule(text)?, text), clause)
}

fn node_of_expression(
    definition: &TableDefinition,
    (expression, text): (&Expr, &str),
    clause: &'static str,
) -> Result<Node> {
    let names = Names::of(definition, None, clause, SqlMode::default());
    let node = bind(expression, &names)?;
    // A statement's own.
    let mut is_foreign = node.waits();
    node.visit(&mut |node| {
        use expression::Kind as K;
        is_foreign |= matches!(node.kind, K::UserVariable(_) | K::Assign(..) | K::Parameter(_));
    });
    if is_foreign { Err(not_allowed(text, clause)) } else { Ok(node) }
}

fn check(definition: &TableDefinition, name: String, text: &str) -> Result<Check> {
    Ok(Check { name, condition: node_of(definition, text, "CHECK")?, is_of_view: false })
}

/// What a part of an index may be made of: the row, and no number that the engine makes up.
fn check_key_part(definition: &TableDefinition, position: usize, node: &Node) -> Result<()> {
    let name = index_of_column(definition, position);
    if !node.is_of_row_alone() {
        let message =
            format!("Expression of functional index '{name}' contains a disallowed function.");
        return Err(SqlError::new(ErrorCode::FunctionalIndexFunctionNotAllowed, message));
    }
    let mut is_numbered = false;
    node.visit(&mut |node| {
        is_numbered |= matches!(node.kind, expression::Kind::Column(at)
            if definition.columns[at].auto_increment);
    });
    if is_numbered {
        let message =
            format!("Functional index '{name}' cannot refer to an auto-increment column.");
        return Err(SqlError::new(ErrorCode::FunctionalIndexRefAutoIncrement, message));
    }
    Ok(())
}

/// What a computed column may be made of: the row, computed columns before it, and no number that
/// the engine makes up.
fn check_computed(
    definition: &TableDefinition,
    position: usize,
    node: &Node,
    text: &str,
) -> Result<()> {
    let name = &definition.columns[position].name;
    if !node.is_of_row_alone() {
        return Err(asking_more(node, name).unwrap_or_else(|| {
            not_allowed(text, &format!("GENERATED ALWAYS AS clause of `{name}`"))
        }));
    }
    let mut wrong = None;
    node.visit(&mut |node| {
        let expression::Kind::Column(at) = node.kind else { return };
        let column = &definition.columns[at];
        if column.computed.is_some() && at >= position {
            let message =
                "Generated column can refer only to generated columns defined prior to it.";
            wrong.get_or_insert_with(|| SqlError::new(ErrorCode::GeneratedColumnNonPrior, message));
        }
        if column.auto_increment {
            let message =
                format!("Generated column '{name}' cannot refer to auto-increment column.");
            wrong.get_or_insert_with(|| {
                SqlError::new(ErrorCode::GeneratedColumnRefAutoInc, message)
            });
        }
    });
    wrong.map_or(Ok(()), Err)
}

/// What is wrong with a computed column that asks for more than its row: a function, or a variable.
fn asking_more(node: &Node, column: &str) -> Option<SqlError> {
    let mut wrong = None;
    node.visit(&mut |node| {
        use expression::Kind as K;
        let found = match &node.kind {
            K::Call(function, arguments) if function.asks_more_than(arguments.len()) => {
                let function = function.name().to_ascii_lowercase();
                let message = format!(
                    "Expression of generated column '{column}' contains a disallowed function: \
                     {function}."
                );
                SqlError::new(ErrorCode::GeneratedColumnNamedFunctionIsNotAllowed, message)
            }
            K::SystemVariable(..) => {
                let message = format!(
                    "Default value expression of column '{column}' cannot refer user or system \
                     variables."
                );
                SqlError::new(ErrorCode::DefaultValExprVariables, message)
            }
            _ => return,
        };
        wrong.get_or_insert(found);
    });
    wrong
}

/// Error 1901, MariaDB's.
fn not_allowed(text: &str, clause: &str) -> SqlError {
    let message = format!("Function or expression '{text}' cannot be used in the {clause}");
    SqlError::new(ErrorCode::ExpressionNotAllowed, message)
}
