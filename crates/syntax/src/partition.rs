//! PARTITION BY and what ALTER TABLE says of partitions, as written.
//!
//! Accepted without effect: where a partition lies, how many rows it is to have, which of MySQL's
//! hashes KEY is to use.
//!
//! Not here: what it means (crate `sql`, `ddl::partition`).

use sqlparser::ast::Expr;
use sqlparser::tokenizer::Token;
use values::ErrorCode;

use super::cursor::Cursor;
use super::names::TableName;
use crate::error::{Error, Result};

/// How rows are divided, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodSpec {
    /// RANGE.
    Range,
    /// LIST.
    List,
    /// HASH.
    Hash,
    /// KEY.
    Key,
}

/// What partitions are told by, as written.
#[derive(Clone, Debug, PartialEq)]
pub enum DividedBySpec {
    /// An expression.
    Expression(Box<Expr>),
    /// COLUMNS, or the columns of KEY.
    Columns(Vec<String>),
}

/// A value of a partition, as written.
#[derive(Clone, Debug, PartialEq)]
pub enum PartitionValueSpec {
    /// MAXVALUE.
    Maximum,
    /// An expression.
    Value(Box<Expr>),
}

/// The values of a partition, as written.
#[derive(Clone, Debug, PartialEq)]
pub enum PartitionValuesSpec {
    /// None.
    Nothing,
    /// VALUES LESS THAN.
    LessThan(Vec<PartitionValueSpec>),
    /// VALUES IN, by rows.
    In(Vec<Vec<PartitionValueSpec>>),
}

/// A partition as written.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionSpec {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: PartitionValuesSpec,
    /// COMMENT.
    pub comment: String,
    /// Its subpartitions; none if none are written.
    pub subpartitions: Vec<SubpartitionSpec>,
}

/// A subpartition as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubpartitionSpec {
    /// Its name.
    pub name: String,
    /// COMMENT.
    pub comment: String,
}

/// SUBPARTITION BY, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct SubpartitionBySpec {
    /// HASH or KEY.
    pub method: MethodSpec,
    /// LINEAR.
    pub linear: bool,
    /// What by.
    pub by: DividedBySpec,
    /// SUBPARTITIONS n.
    pub count: Option<u64>,
}

/// PARTITION BY, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionBySpec {
    /// How.
    pub method: MethodSpec,
    /// LINEAR.
    pub linear: bool,
    /// What by.
    pub by: DividedBySpec,
    /// PARTITIONS n.
    pub count: Option<u64>,
    /// SUBPARTITION BY.
    pub subpartition: Option<SubpartitionBySpec>,
    /// The partitions; none if none are written.
    pub partitions: Vec<PartitionSpec>,
}

/// What is looked at or made again of partitions: the statement about the whole table that does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpkeepSpec {
    /// ANALYZE PARTITION.
    Analyze,
    /// CHECK PARTITION.
    Check,
    /// OPTIMIZE PARTITION.
    Optimize,
    /// REPAIR PARTITION.
    Repair,
}

/// A change of partitions, as written. Names are `None` where it says ALL.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterPartitionSpec {
    /// PARTITION BY.
    Divide(PartitionBySpec),
    /// REMOVE PARTITIONING.
    Remove,
    /// ADD PARTITION (..).
    Add(Vec<PartitionSpec>),
    /// ADD PARTITION PARTITIONS n.
    AddCounted(u64),
    /// DROP PARTITION.
    Drop(Vec<String>),
    /// TRUNCATE PARTITION.
    Truncate(Option<Vec<String>>),
    /// COALESCE PARTITION n.
    Coalesce(u64),
    /// REORGANIZE PARTITION .. INTO; without names and partitions: as they are.
    Reorganize(Vec<String>, Vec<PartitionSpec>),
    /// REBUILD PARTITION.
    Rebuild(Option<Vec<String>>),
    /// EXCHANGE PARTITION .. WITH TABLE.
    Exchange {
        /// The partition.
        partition: String,
        /// The table.
        table: TableName,
        /// Not WITHOUT VALIDATION.
        validate: bool,
    },
    /// ANALYZE, CHECK, OPTIMIZE, REPAIR PARTITION.
    Upkeep(UpkeepSpec, Option<Vec<String>>),
}

/// Reads PARTITION BY, if it is next.
///
/// # Errors
/// 1064 where it stops making sense; 1500 for subpartitions of what is not RANGE or LIST.
pub fn partition_by(cursor: &mut Cursor<'_>) -> Result<Option<PartitionBySpec>> {
    if !cursor.take_all(&["PARTITION", "BY"]) {
        return Ok(None);
    }
    let linear = cursor.take("LINEAR");
    let word = match linear {
        true => cursor.take_any(&["HASH", "KEY"]),
        false => cursor.take_any(&["RANGE", "LIST", "HASH", "KEY"]),
    };
    let method = match word {
        Some("RANGE") => MethodSpec::Range,
        Some("LIST") => MethodSpec::List,
        Some("HASH") => MethodSpec::Hash,
        Some(_) => MethodSpec::Key,
        None => return Err(cursor.syntax()),
    };
    let by_columns = match method {
        MethodSpec::Range | MethodSpec::List => cursor.take("COLUMNS"),
        MethodSpec::Hash => false,
        MethodSpec::Key => true,
    };
    let by = divided_by(cursor, method, by_columns, method == MethodSpec::Key)?;
    let mut count = None;
    if cursor.take("PARTITIONS") {
        count = Some(counted(cursor, "partitions")?);
    }
    let is_listed = matches!(method, MethodSpec::Range | MethodSpec::List);
    let subpartition = subpartition_by(cursor)?;
    if subpartition.is_some() && !is_listed {
        return Err(wrong_mixture());
    }
    let mut partitions = Vec::new();
    if *cursor.peek() == Token::LParen && !cursor.is_nth(1, "SELECT") {
        partitions = cursor.parenthesised(partition)?;
    }
    if count.is_some_and(|count| !partitions.is_empty() && count != partitions.len() as u64) {
        return Err(cursor.syntax());
    }
    if subpartition.is_none() && partitions.iter().any(|it| !it.subpartitions.is_empty()) {
        return Err(wrong_mixture());
    }
    Ok(Some(PartitionBySpec { method, linear, by, count, subpartition, partitions }))
}

/// What rows are divided by: names of columns in brackets, or an expression.
fn divided_by(
    cursor: &mut Cursor<'_>,
    method: MethodSpec,
    by_columns: bool,
    may_be_empty: bool,
) -> Result<DividedBySpec> {
    if method == MethodSpec::Key && cursor.take("ALGORITHM") {
        cursor.take_token(&Token::Eq);
        if !matches!(cursor.number()?, 1 | 2) {
            return Err(cursor.syntax());
        }
    }
    cursor.expect_token(&Token::LParen)?;
    let by = match by_columns {
        true if may_be_empty && *cursor.peek() == Token::RParen => {
            DividedBySpec::Columns(Vec::new())
        }
        true => DividedBySpec::Columns(cursor.list(|cursor| cursor.name())?),
        false => DividedBySpec::Expression(Box::new(cursor.expression()?)),
    };
    cursor.expect_token(&Token::RParen)?;
    Ok(by)
}

/// Reads SUBPARTITION BY, if it is next.
fn subpartition_by(cursor: &mut Cursor<'_>) -> Result<Option<SubpartitionBySpec>> {
    if !cursor.take_all(&["SUBPARTITION", "BY"]) {
        return Ok(None);
    }
    let linear = cursor.take("LINEAR");
    let method = match cursor.take_any(&["HASH", "KEY"]) {
        Some("HASH") => MethodSpec::Hash,
        Some(_) => MethodSpec::Key,
        None => return Err(cursor.syntax()),
    };
    let by = divided_by(cursor, method, method == MethodSpec::Key, false)?;
    let mut count = None;
    if cursor.take("SUBPARTITIONS") {
        count = Some(counted(cursor, "subpartitions")?);
    }
    Ok(Some(SubpartitionBySpec { method, linear, by, count }))
}

/// Error 1500.
fn wrong_mixture() -> Error {
    let message = "It is only possible to mix RANGE/LIST partitioning with HASH/KEY partitioning \
                   for subpartitioning";
    Error::new(ErrorCode::Subpartition, message)
}

/// The number behind PARTITIONS, or SUBPARTITIONS.
fn counted(cursor: &mut Cursor<'_>, what: &str) -> Result<u64> {
    match cursor.number()? {
        0 => {
            let message = format!("Number of {what} = 0 is not an allowed value");
            Err(Error::new(ErrorCode::NoParts, message))
        }
        count => Ok(count),
    }
}

/// `PARTITION name [VALUES ..] [options]`.
fn partition(cursor: &mut Cursor<'_>) -> Result<PartitionSpec> {
    cursor.expect("PARTITION")?;
    let name = cursor.name()?;
    let values = if cursor.take_all(&["VALUES", "LESS", "THAN"]) {
        PartitionValuesSpec::LessThan(match cursor.take("MAXVALUE") {
            true => vec![PartitionValueSpec::Maximum],
            false => cursor.parenthesised(value)?,
        })
    } else if cursor.take_all(&["VALUES", "IN"]) {
        PartitionValuesSpec::In(cursor.parenthesised(values_row)?)
    } else {
        PartitionValuesSpec::Nothing
    };
    let comment = place_options(cursor)?;
    let mut subpartitions = Vec::new();
    if *cursor.peek() == Token::LParen {
        subpartitions = cursor.parenthesised(|cursor| {
            cursor.expect("SUBPARTITION")?;
            let name = cursor.name_or_string()?;
            Ok(SubpartitionSpec { name, comment: place_options(cursor)? })
        })?;
    }
    Ok(PartitionSpec { name, values, comment, subpartitions })
}

/// Options of a partition, of which only COMMENT has an effect.
fn place_options(cursor: &mut Cursor<'_>) -> Result<String> {
    let mut comment = String::new();
    loop {
        let storage = cursor.take("STORAGE");
        if cursor.take("ENGINE") {
            cursor.take_token(&Token::Eq);
            cursor.name_or_string()?;
        } else if storage {
            return Err(cursor.syntax());
        } else if cursor.take("COMMENT") {
            cursor.take_token(&Token::Eq);
            comment = cursor.string()?;
        } else if cursor.take_all(&["DATA", "DIRECTORY"])
            || cursor.take_all(&["INDEX", "DIRECTORY"])
        {
            cursor.take_token(&Token::Eq);
            cursor.string()?;
        } else if cursor.take_any(&["MAX_ROWS", "MIN_ROWS", "NODEGROUP"]).is_some() {
            cursor.take_token(&Token::Eq);
            cursor.number()?;
        } else if cursor.take("TABLESPACE") {
            cursor.take_token(&Token::Eq);
            cursor.name_or_string()?;
        } else {
            break;
        }
    }
    Ok(comment)
}

fn value(cursor: &mut Cursor<'_>) -> Result<PartitionValueSpec> {
    Ok(match cursor.take("MAXVALUE") {
        true => PartitionValueSpec::Maximum,
        false => PartitionValueSpec::Value(Box::new(cursor.expression()?)),
    })
}

/// A value in VALUES IN, or a row of them in brackets.
fn values_row(cursor: &mut Cursor<'_>) -> Result<Vec<PartitionValueSpec>> {
    match *cursor.peek() {
        Token::LParen => cursor.parenthesised(value),
        _ => Ok(vec![value(cursor)?]),
    }
}

/// Names behind a statement about partitions; `None`: ALL.
fn names(cursor: &mut Cursor<'_>) -> Result<Option<Vec<String>>> {
    match cursor.take("ALL") {
        true => Ok(None),
        false => cursor.list(|cursor| cursor.name()).map(Some),
    }
}

/// Reads PARTITION BY or REMOVE PARTITIONING of ALTER TABLE, if that is next.
///
/// # Errors
/// As `partition_by`.
pub fn partition_options(cursor: &mut Cursor<'_>) -> Result<Option<AlterPartitionSpec>> {
    if cursor.take_all(&["REMOVE", "PARTITIONING"]) {
        return Ok(Some(AlterPartitionSpec::Remove));
    }
    Ok(partition_by(cursor)?.map(AlterPartitionSpec::Divide))
}

/// Reads what ALTER TABLE does with single partitions, if that is next: nothing else goes beside
/// it.
///
/// # Errors
/// 1064 where it stops making sense.
pub fn alter_partitions(cursor: &mut Cursor<'_>) -> Result<Option<AlterPartitionSpec>> {
    let is = |cursor: &mut Cursor<'_>, word: &str| cursor.take_all(&[word, "PARTITION"]);
    Ok(Some(if cursor.is_nth(1, "PARTITION") && is(cursor, "ADD") {
        without_log(cursor);
        if cursor.take("PARTITIONS") {
            AlterPartitionSpec::AddCounted(cursor.number()?)
        } else if *cursor.peek() == Token::LParen {
            AlterPartitionSpec::Add(cursor.parenthesised(partition)?)
        } else {
            AlterPartitionSpec::AddCounted(0)
        }
    } else if is(cursor, "DROP") {
        AlterPartitionSpec::Drop(cursor.list(|cursor| cursor.name())?)
    } else if is(cursor, "TRUNCATE") {
        AlterPartitionSpec::Truncate(names(cursor)?)
    } else if is(cursor, "COALESCE") {
        without_log(cursor);
        AlterPartitionSpec::Coalesce(cursor.number()?)
    } else if is(cursor, "REORGANIZE") {
        without_log(cursor);
        let mut of = Vec::new();
        let mut into = Vec::new();
        if !cursor.at_end() {
            of = cursor.list(|cursor| cursor.name())?;
            cursor.expect("INTO")?;
            into = cursor.parenthesised(partition)?;
        }
        AlterPartitionSpec::Reorganize(of, into)
    } else if is(cursor, "REBUILD") {
        without_log(cursor);
        AlterPartitionSpec::Rebuild(names(cursor)?)
    } else if is(cursor, "EXCHANGE") {
        let partition = cursor.name()?;
        cursor.expect("WITH")?;
        cursor.expect("TABLE")?;
        let table = cursor.table_name()?;
        let validate = !cursor.take_all(&["WITHOUT", "VALIDATION"]);
        cursor.take_all(&["WITH", "VALIDATION"]);
        AlterPartitionSpec::Exchange { partition, table, validate }
    } else if is(cursor, "ANALYZE") {
        without_log(cursor);
        AlterPartitionSpec::Upkeep(UpkeepSpec::Analyze, names(cursor)?)
    } else if is(cursor, "CHECK") {
        let names = names(cursor)?;
        while cursor.take_any(&["QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED"]).is_some()
            || cursor.take_all(&["FOR", "UPGRADE"])
        {}
        AlterPartitionSpec::Upkeep(UpkeepSpec::Check, names)
    } else if is(cursor, "OPTIMIZE") {
        without_log(cursor);
        AlterPartitionSpec::Upkeep(UpkeepSpec::Optimize, names(cursor)?)
    } else if is(cursor, "REPAIR") {
        without_log(cursor);
        let names = names(cursor)?;
        while cursor.take_any(&["QUICK", "EXTENDED", "USE_FRM"]).is_some() {}
        AlterPartitionSpec::Upkeep(UpkeepSpec::Repair, names)
    } else {
        return Ok(None);
    }))
}

/// Words about a binary log.
fn without_log(cursor: &mut Cursor<'_>) {
    let _word = cursor.take("NO_WRITE_TO_BINLOG") || cursor.take("LOCAL");
}
