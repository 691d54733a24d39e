//! `SELECT ... INTO @a, @b`: the one row of a query as user variables. And a query's value where
//! an expression stands: `SET @a = (SELECT ...)`.
//!
//! Not here: how a query is answered (`select`), files (`outfile`).

use expression::{Level, UserVariable};
use sqlparser::ast::{Expr, Query, SelectItem, SetExpr};
use sqlparser::tokenizer::{Token, TokenWithSpan};
use syntax::Cursor;
use syntax::load::into_format;
use values::datum::Value;
use values::types::ColumnType;
use values::{ErrorCode, SqlMode};

use super::outfile::{Form, OutfileTarget, TextForm};
use super::set::kept_value;
use super::{Session, Statement};
use crate::reply::{OkFigures, Reply};
use results::{ExecutionMode, Pace, Result, SqlError};

/// Where a query's rows go.
enum Into {
    Variables(Vec<String>),
    File(OutfileTarget),
}

/// Columns and first rows of a query.
pub(super) struct FirstRows {
    pub(super) types: Vec<ColumnType>,
    pub(super) rows: Vec<Vec<Value>>,
}

impl Session {
    /// Carries out a SELECT with INTO outside of parentheses.
    pub(super) fn select_into(&mut self, statement: &Statement<'_>) -> Result<Reply> {
        if !statement.how.may_wait {
            return Err(SqlError::WouldWait);
        }
        let text = statement.source_text()?;
        let mut room = self.sql.engine().budget().share();
        room.grow_to(statement.scanned.written_out_bytes())?;
        let tokens = Cursor::new(text, self.variables.mode)?.into_tokens();
        let (tokens, into) = without_into(tokens, text)?;
        let query = self.query_of_tokens(tokens, text, statement.own)?;
        let names = match into {
            Into::Variables(names) => names,
            Into::File(target) => return self.write_file(&query, &target, statement.how),
        };
        let found = self.first_rows(&query, 2, statement.how)?;
        if found.types.len() != names.len() {
            let message = "The used SELECT statements have a different number of columns";
            return Err(SqlError::new(ErrorCode::WrongNumberOfColumns, message));
        }
        if found.rows.len() > 1 {
            return Err(SqlError::new(
                ErrorCode::TooManyRows,
                "Result consisted of more than one row",
            ));
        }
        let affected = found.rows.len() as u64;
        match found.rows.into_iter().next() {
            Some(row) => {
                let zone = self.variables.zone;
                let values = row.iter().zip(&found.types);
                let values = values.map(|(value, ty)| kept_value(ty, value.as_datum(), zone).0);
                let given = names.into_iter().zip(values).collect();
                self.keep_variables(given)?;
            }
            None => {
                let message = "No data - zero rows fetched, selected, or processed";
                self.warnings.borrow_mut().push(
                    Level::Warning,
                    ErrorCode::SpFetchNoData,
                    message.to_string(),
                );
            }
        }
        self.row_count = affected as i64;
        Ok(Reply::Done(OkFigures {
            affected,
            warnings: self.warnings.borrow().count_u16(),
            ..OkFigures::default()
        }))
    }

    /// The value of an expression with sub-queries, and its text.
    pub(super) fn value_of_query(&mut self, expr: &Expr) -> Result<(UserVariable, String)> {
        let mut query = Cursor::new("SELECT NULL", self.variables.mode)?.query()?;
        let SetExpr::Select(select) = query.body.as_mut() else {
            return Err(SqlError::other("SELECT is no SELECT"));
        };
        select.projection = vec![SelectItem::UnnamedExpr(expr.clone())];
        let found = self.first_rows(&query, 1, ExecutionMode::POOL)?;
        let value = found.rows.into_iter().next().and_then(|row| row.into_iter().next());
        let (value, ty) = (value.unwrap_or(Value::Null), found.types.into_iter().next());
        let ty = ty.unwrap_or(ColumnType::VarBinary { bytes: 0 });
        Ok(kept_value(&ty, value.as_datum(), self.variables.zone))
    }

    pub(super) fn first_rows(
        &mut self,
        query: &Query,
        most: usize,
        how: ExecutionMode,
    ) -> Result<FirstRows> {
        let mut stream = self.begun_anew(how, |session| session.query_rows(query, &[], how))?;
        let types = stream.columns().iter().map(|column| column.ty.clone()).collect();
        let mut rows: Vec<Vec<Value>> = Vec::new();
        let mut more = most > 0;
        while more && rows.len() < most {
            more = stream.next(how, &mut |row| {
                rows.push(row.iter().map(|datum| datum.to_value()).collect());
                Ok(if rows.len() < most { Pace::More } else { Pace::Pause })
            })?;
        }
        Ok(FirstRows { types, rows })
    }
}

/// A query that is not run, without the INTO that it may have.
///
/// # Errors
/// 1064 for what is none.
pub(super) fn query_without_into(text: &str, mode: SqlMode) -> Result<Box<Query>> {
    let (tokens, _) = without_into(Cursor::new(text, mode)?.into_tokens(), text)?;
    let mut cursor = Cursor::of_tokens(tokens, text);
    let query = cursor.query()?;
    cursor.expect_end()?;
    Ok(query)
}

/// The tokens of a query without its INTO, and what that says.
fn without_into(tokens: Vec<TokenWithSpan>, text: &str) -> Result<(Vec<TokenWithSpan>, Into)> {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut names: Vec<String> = Vec::new();
    let mut depth = 0u32;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            Token::Word(word)
                if depth == 0
                    && names.is_empty()
                    && word.quote_style.is_none()
                    && word.value.eq_ignore_ascii_case("into") =>
            {
                let mut rest = Cursor::of_tokens(tokens.clone().collect(), text);
                if let Some(target) = file_target(&mut rest)? {
                    kept.extend(rest.into_rest());
                    return Ok((kept, Into::File(target)));
                }
                let mut wants_name = true;
                while let Some(next) = tokens.peek() {
                    match &next.token {
                        Token::Whitespace(_) => {}
                        Token::Comma if !wants_name => wants_name = true,
                        Token::Word(word) if wants_name => match word.value.strip_prefix('@') {
                            Some(name) if !name.is_empty() && !name.starts_with('@') => {
                                names.push(name.to_lowercase());
                                wants_name = false;
                            }
                            _ => return Err(SqlError::syntax(&word.value, 1)),
                        },
                        _ => break,
                    }
                    tokens.next();
                    if !wants_name
                        && tokens.peek().is_some_and(|next| matches!(next.token, Token::Word(_)))
                    {
                        break;
                    }
                }
                if names.is_empty() || wants_name {
                    return Err(SqlError::syntax("INTO", 1));
                }
                continue;
            }
            _ => {}
        }
        kept.push(token);
    }
    Ok((kept, Into::Variables(names)))
}

/// `OUTFILE 'path' [CHARACTER SET name] [FIELDS ...] [LINES ...]`, `OUTFILE 'path' FORMAT PARQUET`,
/// `DUMPFILE 'path'`.
fn file_target(cursor: &mut Cursor<'_>) -> Result<Option<OutfileTarget>> {
    if cursor.take("DUMPFILE") {
        let form = Form::Text(TextForm::Dump);
        return Ok(Some(OutfileTarget { path: cursor.string()?, form }));
    }
    if !cursor.take("OUTFILE") {
        return Ok(None);
    }
    let path = cursor.string()?;
    let form = if cursor.take("FORMAT") {
        cursor.expect("PARQUET")?;
        Form::Parquet
    } else {
        Form::Text(TextForm::Lines(into_format(cursor)?))
    };
    Ok(Some(OutfileTarget { path, form }))
}
