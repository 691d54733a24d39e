//! INSERT, REPLACE, UPDATE and DELETE, as written.
//!
//! Not here: names and what they do (crate `sql`, `bind` and `write`).

use sqlparser::ast::{Expr, OrderByExpr, Query, SetExpr, TableFactor, TableWithJoins, Value, With};
use sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use super::names::TableName;
use crate::error::Result;

/// What is inserted.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Rows of expressions; `None` stands for DEFAULT. A row may be empty.
    Rows(Vec<Vec<Option<Expr>>>),
    /// A query.
    Query(Box<Query>),
}

/// `column = expression`; `None` stands for DEFAULT.
#[derive(Clone, Debug, PartialEq)]
pub struct AssignmentSpec {
    /// The table, if named.
    pub table: Option<String>,
    /// The column.
    pub column: String,
    /// The value.
    pub value: Option<Expr>,
}

/// An item of RETURNING.
#[derive(Clone, Debug, PartialEq)]
pub enum ReturningItem {
    /// `*`, or `table.*`.
    All(Option<String>),
    /// An expression.
    Value {
        /// The expression.
        expr: Expr,
        /// The column's name, if one is given.
        alias: Option<String>,
        /// As it was written.
        text: String,
    },
}

/// INSERT or REPLACE.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// REPLACE.
    pub replace: bool,
    /// IGNORE.
    pub ignore: bool,
    /// The table.
    pub table: TableName,
    /// PARTITION (..); none: empty.
    pub partitions: Vec<String>,
    /// Columns; `None` means all.
    pub columns: Option<Vec<String>>,
    /// The rows.
    pub source: Source,
    /// The new row's name and its columns', for ON DUPLICATE KEY UPDATE.
    pub alias: Option<(String, Vec<String>)>,
    /// ON DUPLICATE KEY UPDATE.
    pub on_duplicate: Vec<AssignmentSpec>,
    /// RETURNING; none: empty.
    pub returning: Vec<ReturningItem>,
}

/// UPDATE.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// WITH.
    pub with: Option<With>,
    /// IGNORE.
    pub ignore: bool,
    /// Tables; one, without joins, for the plain form.
    pub tables: Vec<TableWithJoins>,
    /// SET.
    pub assignments: Vec<AssignmentSpec>,
    /// WHERE.
    pub selection: Option<Expr>,
    /// ORDER BY.
    pub order: Vec<OrderByExpr>,
    /// LIMIT.
    pub limit: Option<Expr>,
}

/// DELETE.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    /// WITH.
    pub with: Option<With>,
    /// IGNORE.
    pub ignore: bool,
    /// Tables to delete from, in the form for several tables; empty for the plain form.
    pub targets: Vec<TableName>,
    /// Tables read.
    pub tables: Vec<TableWithJoins>,
    /// WHERE.
    pub selection: Option<Expr>,
    /// ORDER BY.
    pub order: Vec<OrderByExpr>,
    /// LIMIT.
    pub limit: Option<Expr>,
    /// RETURNING; none: empty.
    pub returning: Vec<ReturningItem>,
}

/// A writing statement as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// INSERT or REPLACE.
    Insert(Insert),
    /// UPDATE.
    Update(Update),
    /// DELETE.
    Delete(Delete),
}

/// Reads a writing statement.
///
/// # Errors
/// 1064 at the first word that does not belong there; 1235 for what this server does not do yet.
pub fn change(cursor: &mut Cursor<'_>) -> Result<Change> {
    if cursor.take("INSERT") {
        Ok(Change::Insert(insert(cursor, false)?))
    } else if cursor.take("REPLACE") {
        Ok(Change::Insert(insert(cursor, true)?))
    } else if cursor.take("UPDATE") {
        Ok(Change::Update(update(cursor)?))
    } else if cursor.take("DELETE") {
        Ok(Change::Delete(delete(cursor)?))
    } else if let Some(with) = cursor.with()? {
        if cursor.take("UPDATE") {
            return Ok(Change::Update(Update { with: Some(with), ..update(cursor)? }));
        }
        cursor.expect("DELETE")?;
        Ok(Change::Delete(Delete { with: Some(with), ..delete(cursor)? }))
    } else {
        Err(cursor.syntax())
    }
}

/// Whether a name is that of a query of WITH.
pub fn is_of_with(with: Option<&With>, name: &TableName) -> bool {
    let mut named = with.iter().flat_map(|with| &with.cte_tables);
    name.database.is_none()
        && named.any(|query| query.alias.name.value.eq_ignore_ascii_case(&name.table))
}

/// The table of the plain form of UPDATE and DELETE, its name and its alias.
pub fn single_table(
    tables: &[TableWithJoins],
) -> Option<(&TableFactor, TableName, Option<String>)> {
    let [TableWithJoins { relation, joins }] = tables else {
        return None;
    };
    let TableFactor::Table { name, alias, .. } = relation else {
        return None;
    };
    if !joins.is_empty() {
        return None;
    }
    let name = super::names::table_name(name).ok()?;
    Some((relation, name, alias.as_ref().map(|alias| alias.name.value.clone())))
}

/// Reads what follows INSERT or REPLACE.
///
/// # Errors
/// As `change`.
pub fn insert(cursor: &mut Cursor<'_>, replace: bool) -> Result<Insert> {
    cursor.take_any(&["LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY"]);
    let ignore = cursor.take("IGNORE");
    cursor.take("INTO");
    let table = cursor.table_name()?;
    let mut partitions = Vec::new();
    if cursor.take("PARTITION") {
        partitions = cursor.parenthesised(|cursor| cursor.name())?;
    }
    let mut columns = None;
    let query_in_parentheses = cursor.is_nth(1, "SELECT") || cursor.is_nth(1, "WITH");
    if *cursor.peek() == Token::LParen && !query_in_parentheses {
        cursor.advance();
        let mut names = Vec::new();
        if *cursor.peek() != Token::RParen {
            names = cursor.list(column_name)?;
        }
        cursor.expect_token(&Token::RParen)?;
        columns = Some(names);
    }
    let source = if cursor.take("SET") {
        let assignments = cursor.list(assignment)?;
        let (names, row) = assignments.into_iter().map(|item| (item.column, item.value)).unzip();
        columns = Some(names);
        Source::Rows(vec![row])
    } else if cursor.take("VALUES") || cursor.take("VALUE") {
        Source::Rows(cursor.list(values_row)?)
    } else {
        let query = cursor.query()?;
        values_of_query(query)
    };
    let mut alias = None;
    if cursor.take("AS") {
        let name = cursor.name()?;
        let mut names = Vec::new();
        if *cursor.peek() == Token::LParen {
            names = cursor.parenthesised(Cursor::name)?;
        }
        alias = Some((name, names));
    }
    let mut on_duplicate = Vec::new();
    if cursor.take_all(&["ON", "DUPLICATE", "KEY", "UPDATE"]) {
        if replace {
            return Err(cursor.syntax());
        }
        on_duplicate = cursor.list(assignment)?;
    }
    let returning = returning(cursor)?;
    cursor.expect_end()?;
    Ok(Insert {
        replace,
        ignore,
        table,
        partitions,
        columns,
        source,
        alias,
        on_duplicate,
        returning,
    })
}

/// `VALUES ROW(1, 2)` and the like reach us as queries.
fn values_of_query(query: Box<Query>) -> Source {
    if let SetExpr::Values(values) = query.body.as_ref()
        && query.with.is_none()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
    {
        let rows = values.rows.iter();
        return Source::Rows(
            rows.map(|row| row.content.iter().cloned().map(Some).collect()).collect(),
        );
    }
    Source::Query(query)
}

/// A column's name, perhaps with its table's before it.
fn column_name(cursor: &mut Cursor<'_>) -> Result<String> {
    let mut name = cursor.name()?;
    while cursor.take_token(&Token::Period) {
        name = cursor.name()?;
    }
    Ok(name)
}

fn values_row(cursor: &mut Cursor<'_>) -> Result<Vec<Option<Expr>>> {
    cursor.take("ROW");
    cursor.expect_token(&Token::LParen)?;
    let mut row = Vec::new();
    if *cursor.peek() != Token::RParen {
        row = cursor.list(value_or_default)?;
    }
    cursor.expect_token(&Token::RParen)?;
    Ok(row)
}

/// An expression, or `None` for the word DEFAULT.
fn value_or_default(cursor: &mut Cursor<'_>) -> Result<Option<Expr>> {
    if cursor.is("DEFAULT") && *cursor.peek_nth(1) != Token::LParen {
        cursor.advance();
        return Ok(None);
    }
    // The most frequent values need no expression parser.
    if let Token::Placeholder(name) = cursor.peek()
        && matches!(cursor.peek_nth(1), Token::Comma | Token::RParen)
    {
        let value = Value::Placeholder(name.clone());
        cursor.advance();
        return Ok(Some(Expr::Value(value.into())));
    }
    cursor.expression().map(Some)
}

fn assignment(cursor: &mut Cursor<'_>) -> Result<AssignmentSpec> {
    let mut column = cursor.name()?;
    let mut table = None;
    while cursor.take_token(&Token::Period) {
        table = Some(std::mem::replace(&mut column, cursor.name()?));
    }
    if !(cursor.take_token(&Token::Eq) || cursor.take_token(&Token::Assignment)) {
        return Err(cursor.syntax());
    }
    Ok(AssignmentSpec { table, column, value: value_or_default(cursor)? })
}

/// Reads what follows UPDATE.
///
/// # Errors
/// As `change`.
pub fn update(cursor: &mut Cursor<'_>) -> Result<Update> {
    cursor.take("LOW_PRIORITY");
    let ignore = cursor.take("IGNORE");
    let tables = tables(cursor)?;
    cursor.expect("SET")?;
    let assignments = cursor.list(assignment)?;
    let (selection, order, limit) = tail(cursor)?;
    cursor.expect_end()?;
    Ok(Update { with: None, ignore, tables, assignments, selection, order, limit })
}

fn tables(cursor: &mut Cursor<'_>) -> Result<Vec<TableWithJoins>> {
    cursor.list(|cursor| {
        let parsed = cursor.parser_mut().parse_table_and_joins();
        parsed.map_err(|error| cursor.translate(error))
    })
}

type Tail = (Option<Expr>, Vec<OrderByExpr>, Option<Expr>);

fn tail(cursor: &mut Cursor<'_>) -> Result<Tail> {
    let selection = if cursor.take("WHERE") { Some(cursor.expression()?) } else { None };
    let order = if cursor.take_all(&["ORDER", "BY"]) {
        cursor.list(|cursor| {
            let parsed = cursor.parser_mut().parse_order_by_expr();
            parsed.map_err(|error| cursor.translate(error))
        })?
    } else {
        Vec::new()
    };
    let limit = if cursor.take("LIMIT") { Some(row_count(cursor)?) } else { None };
    Ok((selection, order, limit))
}

/// The number of rows behind LIMIT: a literal that is something else is a mistake.
fn row_count(cursor: &mut Cursor<'_>) -> Result<Expr> {
    let is_count = match cursor.peek() {
        Token::Number(digits, _) => digits.bytes().all(|byte| byte.is_ascii_digit()),
        Token::SingleQuotedString(_) | Token::DoubleQuotedString(_) => false,
        _ => true,
    };
    if is_count { cursor.expression() } else { Err(cursor.syntax()) }
}

/// Reads what follows DELETE.
///
/// # Errors
/// As `change`.
pub fn delete(cursor: &mut Cursor<'_>) -> Result<Delete> {
    cursor.take("LOW_PRIORITY");
    cursor.take("QUICK");
    let ignore = cursor.take("IGNORE");
    let mut targets = Vec::new();
    let from_first = cursor.take("FROM");
    if !from_first {
        // DELETE t1, t2 FROM ...
        targets = cursor.list(target)?;
        cursor.expect("FROM")?;
    }
    let tables_read = if from_first && is_using_form(cursor) {
        // DELETE FROM t1, t2 USING ...
        targets = cursor.list(target)?;
        cursor.expect("USING")?;
        tables(cursor)?
    } else if from_first {
        // One table: of several it must be said of which the rows go.
        if *cursor.peek() == Token::LParen {
            return Err(cursor.syntax());
        }
        let parsed = cursor.parser_mut().parse_table_factor();
        let relation = parsed.map_err(|error| cursor.translate(error))?;
        vec![TableWithJoins { relation, joins: Vec::new() }]
    } else {
        tables(cursor)?
    };
    let (selection, order, limit) = tail(cursor)?;
    // Of several tables nothing is given back.
    let returning = if targets.is_empty() { returning(cursor)? } else { Vec::new() };
    cursor.expect_end()?;
    let tables = tables_read;
    Ok(Delete { with: None, ignore, targets, tables, selection, order, limit, returning })
}

/// `[RETURNING item, ...]`; `*` can only be the first of them.
fn returning(cursor: &mut Cursor<'_>) -> Result<Vec<ReturningItem>> {
    if !cursor.take("RETURNING") {
        return Ok(Vec::new());
    }
    let mut is_first = true;
    cursor.list(|cursor| {
        let is_first = std::mem::take(&mut is_first);
        if is_first && cursor.take_token(&Token::Mul) {
            return Ok(ReturningItem::All(None));
        }
        let is_star = *cursor.peek_nth(1) == Token::Period && *cursor.peek_nth(2) == Token::Mul;
        if is_star {
            let table = cursor.name()?;
            (0..2).for_each(|_| drop(cursor.advance()));
            return Ok(ReturningItem::All(Some(table)));
        }
        if cursor.is("DISTINCT") || cursor.is("ALL") {
            return Err(cursor.syntax());
        }
        let before = cursor.rest();
        let expr = cursor.expression()?;
        let behind = if cursor.at_end() { "" } else { cursor.rest() };
        let text = before.strip_suffix(behind).unwrap_or(before);
        let text = text.trim_end().trim_end_matches(';').trim_end().to_string();
        let alias = match cursor.take("AS") {
            true => Some(cursor.name_or_string()?),
            false if matches!(cursor.peek(), Token::Word(_) | Token::SingleQuotedString(_)) => {
                // What ends a SELECT list is no name.
                match ["INTO", "ORDER", "LIMIT", "FROM", "WHERE"].iter().any(|word| cursor.is(word))
                {
                    true => return Err(cursor.syntax()),
                    false => Some(cursor.name_or_string()?),
                }
            }
            false => None,
        };
        Ok(ReturningItem::Value { expr, alias, text })
    })
}

/// A table's name, perhaps followed by `.*`.
fn target(cursor: &mut Cursor<'_>) -> Result<TableName> {
    let first = cursor.name()?;
    if !cursor.take_token(&Token::Period) {
        return Ok(TableName { database: None, table: first });
    }
    if cursor.take_token(&Token::Mul) {
        return Ok(TableName { database: None, table: first });
    }
    let table = cursor.name()?;
    if cursor.take_token(&Token::Period) {
        cursor.expect_token(&Token::Mul)?;
    }
    Ok(TableName { database: Some(first), table })
}

/// Whether a list of names and then USING follow.
fn is_using_form(cursor: &Cursor<'_>) -> bool {
    let mut n = 0;
    loop {
        match cursor.peek_nth(n) {
            Token::Word(word) if word.quote_style.is_none() => {
                let word = word.value.to_ascii_uppercase();
                if word == "USING" {
                    return n > 0;
                }
                if ["WHERE", "JOIN", "ORDER", "LIMIT", "INNER", "LEFT", "ON"]
                    .contains(&word.as_str())
                {
                    return false;
                }
            }
            Token::Word(_) | Token::Comma | Token::Period | Token::Mul => {}
            _ => return false,
        }
        n += 1;
    }
}
