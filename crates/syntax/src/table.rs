//! CREATE TABLE and its parts, as written.
//!
//! Refused: SPATIAL.
//!
//! Not here: a table's options (`table_options`), ALTER TABLE (`alter`), what they do (crate `sql`,
//! `ddl`).

use sqlparser::ast::{Expr, Query};
use sqlparser::tokenizer::Token;
use values::ErrorCode;

use super::cursor::Cursor;
use super::names::TableName;
use super::partition::{PartitionBySpec, partition_by};
use super::select_list::item_texts;
use super::table_options::{TableOptions, table_options};
use super::types::{TypeSpec, attributes, type_spec};
use crate::error::{Error, Result};

/// A column's default as written.
#[derive(Clone, Debug, PartialEq)]
pub enum DefaultSpec {
    /// DEFAULT literal.
    Value(Box<Expr>),
    /// DEFAULT (expression).
    Expression(Box<Expr>),
    /// DEFAULT CURRENT_TIMESTAMP, with the digits given; as an expression where it stands in
    /// brackets, which columns of any type take.
    Now(Option<Box<Expr>>),
}

/// A column as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSpec {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: TypeSpec,
    /// NULL or NOT NULL, if said.
    pub nullable: Option<bool>,
    /// DEFAULT.
    pub default: Option<DefaultSpec>,
    /// ON UPDATE CURRENT_TIMESTAMP.
    pub on_update_now: bool,
    /// AUTO_INCREMENT.
    pub auto_increment: bool,
    /// COMMENT.
    pub comment: String,
    /// PRIMARY KEY.
    pub primary: bool,
    /// UNIQUE.
    pub unique: bool,
    /// GENERATED ALWAYS AS.
    pub computed: Option<ComputedSpec>,
    /// Each CHECK behind it.
    pub checks: Vec<CheckSpec>,
    /// INVISIBLE.
    pub invisible: bool,
    /// REFERENCES behind it.
    pub references: Option<Box<ForeignKeySpec>>,
}

/// What a foreign key does with rows whose parent goes or gets another key, as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReferentialSpec {
    /// NO ACTION, or nothing.
    #[default]
    NoAction,
    /// RESTRICT.
    Restrict,
    /// CASCADE.
    Cascade,
    /// SET NULL.
    SetNull,
    /// SET DEFAULT.
    SetDefault,
}

/// A foreign key as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignKeySpec {
    /// CONSTRAINT's name, if given.
    pub constraint: Option<String>,
    /// The name behind FOREIGN KEY, if given.
    pub index: Option<String>,
    /// Its columns.
    pub columns: Vec<String>,
    /// The table that it refers to.
    pub parent: TableName,
    /// The columns that it refers to; none if none are said.
    pub parent_columns: Vec<String>,
    /// ON DELETE.
    pub on_delete: ReferentialSpec,
    /// ON UPDATE.
    pub on_update: ReferentialSpec,
}

/// How a column is computed, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ComputedSpec {
    /// The expression.
    pub expression: Box<Expr>,
    /// STORED, or PERSISTENT.
    pub stored: bool,
}

/// A condition as written.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckSpec {
    /// Its name, if given.
    pub name: Option<String>,
    /// The condition.
    pub condition: Box<Expr>,
    /// Not NOT ENFORCED.
    pub enforced: bool,
}

/// A part of an index as written.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyPartSpec {
    /// What it is of.
    pub of: KeySourceSpec,
    /// DESC.
    pub descending: bool,
}

/// What a part of an index is of, as written.
#[derive(Clone, Debug, PartialEq)]
pub enum KeySourceSpec {
    /// A column, with the length of its prefix.
    Column(String, Option<u32>),
    /// An expression.
    Expression(Box<Expr>),
}

/// An index as written.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexSpec {
    /// Name, if given.
    pub name: Option<String>,
    /// UNIQUE or PRIMARY.
    pub unique: bool,
    /// PRIMARY KEY.
    pub primary: bool,
    /// COLUMNAR.
    pub columnar: bool,
    /// FULLTEXT.
    pub full_text: bool,
    /// What its keys consist of.
    pub parts: Vec<KeyPartSpec>,
    /// Options behind it.
    pub options: IndexOptions,
}

/// Options behind an index, as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexOptions {
    /// COMMENT.
    pub comment: String,
    /// INVISIBLE.
    pub invisible: bool,
    /// WITH PARSER, by name.
    pub parser: Option<String>,
    /// USING BTREE.
    pub btree: bool,
}

/// A part of a table's definition.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// A column.
    Column(Box<ColumnSpec>),
    /// An index.
    Index(IndexSpec),
    /// A foreign key.
    ForeignKey(ForeignKeySpec),
    /// A CHECK constraint.
    Check(CheckSpec),
}

/// CREATE TABLE.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTable {
    /// TEMPORARY: of the session.
    pub temporary: bool,
    /// OR REPLACE: a table of this name goes.
    pub or_replace: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The table.
    pub name: TableName,
    /// LIKE another.
    pub like: Option<TableName>,
    /// Columns, indexes, constraints.
    pub elements: Vec<Element>,
    /// Options.
    pub options: TableOptions,
    /// PARTITION BY.
    pub partitions: Option<PartitionBySpec>,
    /// AS SELECT.
    pub query: Option<Box<Query>>,
    /// The items of its first SELECT as they were written.
    pub texts: Vec<String>,
    /// IGNORE or REPLACE before it.
    pub on_duplicate: OnDuplicateSpec,
}

/// What becomes of a query's row whose unique key is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDuplicateSpec {
    /// It is an error.
    #[default]
    Refused,
    /// IGNORE: it is left out.
    Ignored,
    /// REPLACE: it takes the other's place.
    Replaces,
}

/// Reads what follows CREATE [OR REPLACE] [TEMPORARY] TABLE.
///
/// # Errors
/// 1064 where the statement stops making sense; 1221 when both words are said; 1235 for what this
/// server does not do yet.
pub fn create_table(
    cursor: &mut Cursor<'_>,
    or_replace: bool,
    temporary: bool,
) -> Result<CreateTable> {
    let if_not_exists = cursor.take_all(&["IF", "NOT", "EXISTS"]);
    if or_replace && if_not_exists {
        return Err(Error::new(
            ErrorCode::WrongUsage,
            "Incorrect usage of OR REPLACE and IF NOT EXISTS",
        ));
    }
    let name = cursor.table_name()?;
    let mut create = CreateTable {
        temporary,
        or_replace,
        if_not_exists,
        name,
        like: None,
        elements: Vec::new(),
        options: TableOptions::default(),
        partitions: None,
        query: None,
        texts: Vec::new(),
        on_duplicate: OnDuplicateSpec::default(),
    };
    if cursor.take("LIKE") {
        create.like = Some(cursor.table_name()?);
        cursor.expect_end()?;
        return Ok(create);
    }
    let begins_query = *cursor.peek_nth(1) == Token::LParen
        || cursor.is_nth(1, "SELECT")
        || cursor.is_nth(1, "WITH");
    if *cursor.peek() == Token::LParen && !begins_query {
        cursor.advance();
        if cursor.take("LIKE") {
            create.like = Some(cursor.table_name()?);
            cursor.expect_token(&Token::RParen)?;
            cursor.expect_end()?;
            return Ok(create);
        }
        create.elements = cursor.list(element)?;
        cursor.expect_token(&Token::RParen)?;
    }
    create.options = table_options(cursor)?;
    create.partitions = partition_by(cursor)?;
    create.on_duplicate = match cursor.take_any(&["IGNORE", "REPLACE"]) {
        Some("IGNORE") => OnDuplicateSpec::Ignored,
        Some(_) => OnDuplicateSpec::Replaces,
        None => OnDuplicateSpec::Refused,
    };
    let explicit = cursor.take("AS");
    let begins = ["SELECT", "WITH", "VALUES", "TABLE"].iter().any(|word| cursor.is(word));
    if explicit || begins || *cursor.peek() == Token::LParen {
        create.texts = item_texts(cursor.rest());
        create.query = Some(cursor.query()?);
    }
    cursor.expect_end()?;
    Ok(create)
}

/// Reads one part of a table's definition.
///
/// # Errors
/// As `create_table`, and those of `column`.
pub fn element(cursor: &mut Cursor<'_>) -> Result<Element> {
    let mut name = None;
    let constraint = cursor.take("CONSTRAINT");
    if constraint && !["PRIMARY", "UNIQUE", "FOREIGN", "CHECK"].iter().any(|word| cursor.is(word)) {
        name = Some(cursor.name()?);
    }
    if cursor.take_all(&["PRIMARY", "KEY"]) {
        let mut spec = index_body(cursor, true)?;
        spec.name = None;
        (spec.unique, spec.primary) = (true, true);
        return Ok(Element::Index(spec));
    }
    if cursor.is("UNIQUE") {
        cursor.advance();
        if cursor.is("FULLTEXT") {
            return Err(cursor.syntax());
        }
        let _word = cursor.take("INDEX") || cursor.take("KEY");
        let mut spec = index_body(cursor, false)?;
        spec.name = spec.name.or(name);
        spec.unique = true;
        return Ok(Element::Index(spec));
    }
    let is_word = |at, word: &str| cursor.is_nth(at, word);
    if cursor.is("COLUMNAR") && (is_word(1, "INDEX") || is_word(1, "KEY")) {
        cursor.advance();
        cursor.advance();
        return Ok(Element::Index(IndexSpec { columnar: true, ..index_body(cursor, false)? }));
    }
    if cursor.is("FULLTEXT") && !constraint {
        cursor.advance();
        let _word = cursor.take("INDEX") || cursor.take("KEY");
        return Ok(Element::Index(IndexSpec { full_text: true, ..index_body(cursor, false)? }));
    }
    if cursor.is("SPATIAL") {
        return Err(Error::unsupported("SPATIAL indexes"));
    }
    if cursor.take_all(&["FOREIGN", "KEY"]) {
        cursor.take_all(&["IF", "NOT", "EXISTS"]);
        let index = match *cursor.peek() {
            Token::LParen => None,
            _ => Some(cursor.name()?),
        };
        let columns = whole_columns(cursor)?;
        let key = references(cursor, columns)?;
        return Ok(Element::ForeignKey(ForeignKeySpec { constraint: name, index, ..key }));
    }
    if cursor.is("CHECK") && *cursor.peek_nth(1) == Token::LParen {
        cursor.advance();
        return Ok(Element::Check(check(cursor, name)?));
    }
    if constraint {
        return Err(cursor.syntax());
    }
    if (cursor.is("INDEX") || cursor.is("KEY")) && is_index(cursor) {
        cursor.advance();
        return Ok(Element::Index(index_body(cursor, false)?));
    }
    Ok(Element::Column(Box::new(column(cursor)?)))
}

/// Tells `KEY name (column)` from a column named `key`.
fn is_index(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.peek_nth(1), Token::LParen)
        || matches!(cursor.peek_nth(2), Token::LParen)
            && (!is_sized_type(cursor.peek_nth(1)) || matches!(cursor.peek_nth(3), Token::Word(_)))
        || cursor.is_nth(1, "USING")
        || cursor.is_nth(2, "USING")
        || cursor.is_nth(1, "IF")
}

fn is_sized_type(token: &Token) -> bool {
    const TYPES: [&str; 12] = [
        "VARCHAR",
        "CHAR",
        "INT",
        "BIGINT",
        "VARBINARY",
        "BINARY",
        "DECIMAL",
        "TINYINT",
        "SMALLINT",
        "ENUM",
        "SET",
        "BIT",
    ];
    matches!(token, Token::Word(word) if word.quote_style.is_none()
        && TYPES.iter().any(|ty| ty.eq_ignore_ascii_case(&word.value)))
}

/// `[name] [USING type] (parts) [options]`.
///
/// # Errors
/// 1064 where it stops making sense.
pub fn index_body(cursor: &mut Cursor<'_>, nameless: bool) -> Result<IndexSpec> {
    cursor.take_all(&["IF", "NOT", "EXISTS"]);
    let mut name = None;
    if *cursor.peek() != Token::LParen && !cursor.is("USING") {
        let given = cursor.name()?;
        name = (!nameless).then_some(given);
    }
    let mut options = IndexOptions::default();
    index_type(cursor, &mut options)?;
    let parts = cursor.parenthesised(index_part)?;
    index_options(cursor, &mut options)?;
    Ok(IndexSpec {
        name,
        unique: false,
        primary: false,
        columnar: false,
        full_text: false,
        parts,
        options,
    })
}

fn index_type(cursor: &mut Cursor<'_>, options: &mut IndexOptions) -> Result<()> {
    if cursor.take("USING") || cursor.take("TYPE") {
        options.btree = cursor.name()?.eq_ignore_ascii_case("BTREE");
    }
    Ok(())
}

/// `column[(length)] [ASC|DESC]` or `(expression) [ASC|DESC]`.
fn index_part(cursor: &mut Cursor<'_>) -> Result<KeyPartSpec> {
    let of = match *cursor.peek() {
        Token::LParen => KeySourceSpec::Expression(bracketed(cursor)?),
        _ => {
            let (name, prefix) = column_part(cursor)?;
            KeySourceSpec::Column(name, prefix)
        }
    };
    let descending = !cursor.take("ASC") && cursor.take("DESC");
    Ok(KeyPartSpec { of, descending })
}

/// A column by which ALTER TABLE is to order rows: `column [ASC|DESC]`.
///
/// # Errors
/// 1064.
pub(super) fn sorted_column(cursor: &mut Cursor<'_>) -> Result<()> {
    cursor.name()?;
    // The column's name, behind those of its table and database.
    for _ in 0..2 {
        if cursor.take_token(&Token::Period) {
            cursor.name()?;
        }
    }
    let _order = cursor.take("ASC") || cursor.take("DESC");
    Ok(())
}

fn column_part(cursor: &mut Cursor<'_>) -> Result<(String, Option<u32>)> {
    let name = cursor.name()?;
    let mut prefix = None;
    if cursor.take_token(&Token::LParen) {
        let length = cursor.number()?;
        prefix = Some(u32::try_from(length).map_err(|_| cursor.syntax())?);
        cursor.expect_token(&Token::RParen)?;
    }
    Ok((name, prefix))
}

/// Reads options behind an index.
///
/// # Errors
/// 1064 when an option lacks its value.
pub fn index_options(cursor: &mut Cursor<'_>, options: &mut IndexOptions) -> Result<()> {
    loop {
        if cursor.take("COMMENT") {
            options.comment = cursor.string()?;
        } else if cursor.is("USING") {
            index_type(cursor, options)?;
        } else if cursor.take("KEY_BLOCK_SIZE") {
            cursor.take_token(&Token::Eq);
            cursor.number()?;
        } else if cursor.take_all(&["WITH", "PARSER"]) {
            options.parser = Some(cursor.name()?);
        } else if let Some(word) = cursor.take_any(&["VISIBLE", "INVISIBLE"]) {
            options.invisible = word == "INVISIBLE";
        } else {
            return Ok(());
        }
    }
}

/// `(column, ..)`: foreign keys are of whole columns.
fn whole_columns(cursor: &mut Cursor<'_>) -> Result<Vec<String>> {
    let parts = cursor.parenthesised(column_part)?;
    match parts.iter().any(|(_, prefix)| prefix.is_some()) {
        true => Err(cursor.syntax()),
        false => Ok(parts.into_iter().map(|(name, _)| name).collect()),
    }
}

/// `REFERENCES table [(columns)] [MATCH ..] [ON DELETE ..] [ON UPDATE ..]`; whatever follows MATCH,
/// it is SIMPLE, as in InnoDB.
fn references(cursor: &mut Cursor<'_>, columns: Vec<String>) -> Result<ForeignKeySpec> {
    cursor.expect("REFERENCES")?;
    let parent = cursor.table_name()?;
    let mut parent_columns = Vec::new();
    if *cursor.peek() == Token::LParen {
        parent_columns = whole_columns(cursor)?;
    }
    let mut key = ForeignKeySpec {
        constraint: None,
        index: None,
        columns,
        parent,
        parent_columns,
        on_delete: ReferentialSpec::NoAction,
        on_update: ReferentialSpec::NoAction,
    };
    loop {
        if cursor.take("MATCH") {
            if cursor.take_any(&["FULL", "PARTIAL", "SIMPLE"]).is_none() {
                return Err(cursor.syntax());
            }
        } else if cursor.take_all(&["ON", "DELETE"]) {
            key.on_delete = referential_action(cursor)?;
        } else if cursor.take_all(&["ON", "UPDATE"]) {
            key.on_update = referential_action(cursor)?;
        } else {
            return Ok(key);
        }
    }
}

fn referential_action(cursor: &mut Cursor<'_>) -> Result<ReferentialSpec> {
    Ok(if cursor.take("RESTRICT") {
        ReferentialSpec::Restrict
    } else if cursor.take("CASCADE") {
        ReferentialSpec::Cascade
    } else if cursor.take_all(&["SET", "NULL"]) {
        ReferentialSpec::SetNull
    } else if cursor.take_all(&["SET", "DEFAULT"]) {
        ReferentialSpec::SetDefault
    } else if cursor.take_all(&["NO", "ACTION"]) {
        ReferentialSpec::NoAction
    } else {
        return Err(cursor.syntax());
    })
}

/// What follows CHECK.
fn check(cursor: &mut Cursor<'_>, name: Option<String>) -> Result<CheckSpec> {
    let condition = bracketed(cursor)?;
    let enforced = !cursor.take("NOT");
    if !cursor.take("ENFORCED") && !enforced {
        return Err(cursor.syntax());
    }
    Ok(CheckSpec { name, condition, enforced })
}

fn bracketed(cursor: &mut Cursor<'_>) -> Result<Box<Expr>> {
    cursor.expect_token(&Token::LParen)?;
    let expression = Box::new(cursor.expression()?);
    cursor.expect_token(&Token::RParen)?;
    Ok(expression)
}

/// What follows AS.
fn computed(cursor: &mut Cursor<'_>) -> Result<ComputedSpec> {
    let expression = bracketed(cursor)?;
    let stored = cursor.take_any(&["STORED", "PERSISTENT"]).is_some();
    if !stored {
        cursor.take("VIRTUAL");
    }
    Ok(ComputedSpec { expression, stored })
}

/// Reads a column: name, type, attributes.
///
/// # Errors
/// 1064 where it stops making sense; those of `types::type_spec`.
pub fn column(cursor: &mut Cursor<'_>) -> Result<ColumnSpec> {
    let name = cursor.name()?;
    column_named(cursor, name)
}

fn column_named(cursor: &mut Cursor<'_>, name: String) -> Result<ColumnSpec> {
    let ty = type_spec(cursor, &name)?;
    let mut column = ColumnSpec {
        name,
        nullable: ty.serial.then_some(false),
        auto_increment: ty.serial,
        unique: ty.serial,
        ty,
        default: None,
        on_update_now: false,
        comment: String::new(),
        primary: false,
        computed: None,
        checks: Vec::new(),
        invisible: false,
        references: None,
    };
    while column_attribute(cursor, &mut column)? {}
    Ok(column)
}

fn column_attribute(cursor: &mut Cursor<'_>, column: &mut ColumnSpec) -> Result<bool> {
    if cursor.take_all(&["NOT", "NULL"]) {
        column.nullable = Some(false);
    } else if cursor.take("NULL") {
        column.nullable = Some(true);
    } else if cursor.take("DEFAULT") {
        let default = default_value(cursor)?;
        let is_expression = |default: &DefaultSpec| matches!(default, DefaultSpec::Expression(_));
        // The last one counts, but not beside one of another kind.
        if column
            .default
            .as_ref()
            .is_some_and(|known| is_expression(known) != is_expression(&default))
        {
            let message = format!("Invalid default value for '{}'", column.name);
            return Err(Error::new(ErrorCode::InvalidDefault, message));
        }
        column.default = Some(default);
    } else if cursor.take_all(&["ON", "UPDATE"]) {
        if !take_now(cursor)? {
            return Err(cursor.syntax());
        }
        column.on_update_now = true;
    } else if cursor.take("AUTO_INCREMENT") {
        // NULL before it means nothing, in MySQL either.
        column.nullable = Some(false);
        column.auto_increment = true;
    } else if cursor.take_all(&["PRIMARY", "KEY"]) || cursor.take("PRIMARY") {
        column.primary = true;
    } else if cursor.take("UNIQUE") {
        cursor.take("KEY");
        column.unique = true;
    } else if cursor.take("KEY") {
        column.primary = true;
    } else if cursor.take("COMMENT") {
        column.comment = cursor.string()?;
    } else if ["COLLATE", "CHARACTER", "CHARSET"].iter().any(|word| cursor.is(word)) {
        attributes(cursor, &mut column.ty)?;
    } else if cursor.take("COLUMN_FORMAT") || cursor.take("STORAGE") {
        cursor.name()?;
    } else if cursor.is("REFERENCES") {
        let key = references(cursor, vec![column.name.clone()])?;
        column.references = Some(Box::new(key));
    } else if cursor.take_all(&["GENERATED", "ALWAYS", "AS"]) || cursor.take("AS") {
        column.computed = Some(computed(cursor)?);
    } else if cursor.take("CONSTRAINT") {
        let name = if cursor.is("CHECK") { None } else { Some(cursor.name()?) };
        if cursor.take("CHECK") {
            column.checks.push(check(cursor, name)?);
        }
    } else if *cursor.peek_nth(1) == Token::LParen && cursor.take("CHECK") {
        column.checks.push(check(cursor, None)?);
    } else if let Some(word) = cursor.take_any(&["VISIBLE", "INVISIBLE"]) {
        column.invisible = word == "INVISIBLE";
    } else {
        return Ok(false);
    }
    Ok(true)
}

pub(super) fn default_value(cursor: &mut Cursor<'_>) -> Result<DefaultSpec> {
    if take_now(cursor)? {
        return Ok(DefaultSpec::Now(None));
    }
    if *cursor.peek() == Token::LParen {
        let value = bracketed(cursor)?;
        return Ok(match is_now(&value) {
            true => DefaultSpec::Now(Some(value)),
            false => DefaultSpec::Expression(value),
        });
    }
    // Not a whole expression: `DEFAULT 1 NOT NULL` goes on with attributes.
    let parsed = cursor.parser_mut().parse_prefix();
    let value = parsed.map_err(|error| cursor.translate(error))?;
    Ok(DefaultSpec::Value(Box::new(value)))
}

/// Whether an expression is CURRENT_TIMESTAMP in one of its spellings, and nothing more.
fn is_now(expr: &Expr) -> bool {
    let text = expr.to_string().to_ascii_uppercase();
    let (name, digits) = text
        .split_once('(')
        .map_or((&*text, None), |(name, rest)| (name, Some(rest.strip_suffix(')').unwrap_or("?"))));
    let is_name = matches!(name, "CURRENT_TIMESTAMP" | "LOCALTIME" | "LOCALTIMESTAMP")
        || name == "NOW" && digits.is_some();
    is_name && digits.is_none_or(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// CURRENT_TIMESTAMP and its other spellings, with `()` or `(digits)`.
fn take_now(cursor: &mut Cursor<'_>) -> Result<bool> {
    let bare = cursor.is("CURRENT_TIMESTAMP")
        || cursor.is("LOCALTIME")
        || cursor.is("LOCALTIMESTAMP")
        || cursor.is("NOW") && *cursor.peek_nth(1) == Token::LParen;
    if !bare {
        return Ok(false);
    }
    cursor.advance();
    if cursor.take_token(&Token::LParen) {
        if *cursor.peek() != Token::RParen {
            cursor.number()?;
        }
        cursor.expect_token(&Token::RParen)?;
    }
    Ok(true)
}
