//! CREATE TABLE: from columns and indexes as written, from another table, from a query.

use std::collections::BTreeMap;

use rows::alter::ConversionRules;
use rows::ddl::{
    ENGINE, KeyPartSource, NewCheck, NewColumnarIndex, NewForeignKey, NewFullText, NewIndex,
    NewKeyPart, NewMember, NewTable,
};
use rows::foreign_key::{ForeignKeyChecks, ReferentialAction};
use rows::schema::{CheckDefinition, Column, DefaultValue, Retention, TableDefinition};
use sqlparser::ast::Expr;
use syntax::rule::rule_text;
use syntax::table::{
    CreateTable, Element, ForeignKeySpec, IndexOptions, IndexSpec, KeyPartSpec, KeySourceSpec,
    ReferentialSpec,
};
use syntax::table_options::{MemberSpec, TableOptions};
use values::ErrorCode;
use values::full_text::{TextParser, TextRules};
use values::types::{Collation, TextDefaults};

use super::column::{column_of, null_in_primary_key};
use super::default_expression::check_order;
use super::engine::engine_of;
use super::partition::partitioning_of;
use super::rules::{array_cast, check_of, checks_of};
use super::storage_options::changed_options;
use results::{Result, SqlError};

/// An index as `rows` is to make it.
///
/// # Errors
/// 3756 for an expression in a primary key, 3762 for one that is a column alone, and those of
/// `rule_text`.
pub fn index_of(spec: &IndexSpec) -> Result<NewIndex> {
    Ok(NewIndex {
        name: spec.name.clone(),
        unique: spec.unique,
        primary: spec.primary,
        parts: spec.parts.iter().map(|part| key_part_of(part, spec)).collect::<Result<_>>()?,
        comment: spec.options.comment.clone(),
        invisible: spec.options.invisible,
        explicit_btree: spec.options.btree,
        implied: false,
    })
}

fn key_part_of(part: &KeyPartSpec, spec: &IndexSpec) -> Result<NewKeyPart> {
    let of = match &part.of {
        KeySourceSpec::Column(name, prefix) => KeyPartSource::Column(name.clone(), *prefix),
        KeySourceSpec::Expression(_) if spec.primary => {
            let message = "The primary key cannot be a functional index";
            return Err(SqlError::new(ErrorCode::FunctionalIndexPrimaryKey, message));
        }
        KeySourceSpec::Expression(expression) if is_column(expression) => {
            return Err(SqlError::new(
                ErrorCode::FunctionalIndexOnField,
                "Functional index on a column is not supported. Consider using a regular index \
                 instead.",
            ));
        }
        KeySourceSpec::Expression(expression) if array_cast(expression).is_some() => {
            if part.descending {
                let message = "Incorrect usage of multi-valued index and explicit index order";
                return Err(SqlError::new(ErrorCode::WrongUsage, message));
            }
            KeyPartSource::Array(rule_text(expression)?)
        }
        KeySourceSpec::Expression(expression) => KeyPartSource::Expression(rule_text(expression)?),
    };
    Ok(NewKeyPart { of, descending: part.descending })
}

fn is_column(expression: &Expr) -> bool {
    match expression {
        Expr::Nested(inner) => is_column(inner),
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => true,
        _ => false,
    }
}

/// The same of a columnar one.
///
/// # Errors
/// 1089 for a part that is no whole column.
pub fn columnar_index_of(spec: &IndexSpec) -> Result<NewColumnarIndex> {
    let whole = |part: &KeyPartSpec| match &part.of {
        KeySourceSpec::Column(name, None) => Ok(name.clone()),
        _ => {
            let message = "Incorrect prefix key; a columnar index has whole columns";
            Err(SqlError::new(ErrorCode::WrongSubKey, message))
        }
    };
    let columns = spec.parts.iter().map(whole).collect::<Result<_>>()?;
    Ok(NewColumnarIndex { name: spec.name.clone(), columns, comment: spec.options.comment.clone() })
}

/// The same of a full-text one; `rules` are those of the settings.
///
/// # Errors
/// 1221 for a part with an order, 3759 for an expression, 1128 for another parser.
pub fn full_text_of(spec: &IndexSpec, rules: TextRules) -> Result<NewFullText> {
    let column = |part: &KeyPartSpec| match &part.of {
        _ if part.descending => {
            let message = "Incorrect usage of spatial/fulltext/hash index and explicit index order";
            Err(SqlError::new(ErrorCode::WrongUsage, message))
        }
        // MySQL passes over the length of a prefix.
        KeySourceSpec::Column(name, _) => Ok(name.clone()),
        KeySourceSpec::Expression(_) => {
            let message = "Fulltext functional index is not supported.";
            Err(SqlError::new(ErrorCode::FulltextFunctionalIndex, message))
        }
    };
    let columns = spec.parts.iter().map(column).collect::<Result<_>>()?;
    let parser = match &spec.options.parser {
        None => TextParser::Words,
        Some(name) if name.eq_ignore_ascii_case("ngram") => TextParser::Ngram,
        Some(name) => {
            let message = format!("Function '{name}' is not defined");
            return Err(SqlError::new(ErrorCode::FunctionNotDefined, message));
        }
    };
    let IndexOptions { comment, invisible, .. } = spec.options.clone();
    let rules = TextRules { parser, ..rules };
    Ok(NewFullText { name: spec.name.clone(), columns, rules, comment, invisible })
}

/// The index that UNIQUE or PRIMARY KEY behind a column makes.
pub fn index_of_column(name: &str, primary: bool) -> NewIndex {
    NewIndex { primary, ..NewIndex::primary(&[name]) }
}

/// A table of columns and indexes as written; `given` are columns of its query, if it has one;
/// full-text indexes have `text_rules`, text that says nothing of it what the database has.
///
/// # Errors
/// Those of its columns, indexes and conditions; the first that MySQL would find as well.
pub fn new_table(
    create: &CreateTable,
    database: &str,
    given: &[Column],
    session: ConversionRules,
    text_rules: TextRules,
    of_database: TextDefaults,
) -> Result<NewTable> {
    let text = create.options.text;
    let collation = text.collation.or(of_database.collation).unwrap_or(Collation::Utf8Mb4GeneralCi);
    let char_bytes = match text.collation {
        None => of_database.char_bytes.unwrap_or(collation.set().bytes_max()),
        Some(collation) => collation.set().bytes_max(),
    };
    let (mut columns, mut indexes): (Vec<Column>, Vec<NewIndex>) = (Vec::new(), Vec::new());
    // MySQL orders keys: the primary one, unique ones, others. Names are made in that order.
    let mut foreign: Vec<NewForeignKey> = Vec::new();
    let mut checks = Vec::new();
    let mut columnar_index = None;
    let mut full_texts = Vec::new();
    for element in &create.elements {
        match element {
            Element::Column(spec) => {
                spec.ty.check_length(&spec.name, char_bytes)?;
                columns.push(column_of(spec, collation, session)?);
                let unnamed = name_of_check(&create.name.table, &checks);
                checks.extend(checks_of(spec, &unnamed)?);
                if spec.primary {
                    indexes.push(index_of_column(&spec.name, true));
                }
                if spec.unique {
                    indexes.push(index_of_column(&spec.name, false));
                }
                foreign.extend(spec.references.iter().map(|key| foreign_key_of(key, database)));
            }
            Element::Index(spec) if spec.columnar => {
                if columnar_index.replace(columnar_index_of(spec)?).is_some() {
                    return Err(SqlError::new(
                        ErrorCode::UnknownError,
                        "A table can have only one columnar index",
                    ));
                }
            }
            Element::Index(spec) if spec.full_text => {
                full_texts.push(full_text_of(spec, text_rules)?);
            }
            Element::Index(spec) => indexes.push(index_of(spec)?),
            Element::ForeignKey(spec) => foreign.push(foreign_key_of(spec, database)),
            Element::Check(spec) => {
                let unnamed = name_of_check(&create.name.table, &checks);
                checks.push(check_of(spec, None, &unnamed)?);
            }
        }
    }
    // Those that the query gives come last, in its order, also where they are written.
    for column in given {
        let is_it = |known: &Column| known.name.eq_ignore_ascii_case(&column.name);
        let written = columns.iter().position(is_it).map(|position| columns.remove(position));
        columns.push(written.unwrap_or_else(|| column.clone()));
    }
    if columns.is_empty() {
        return Err(SqlError::new(
            ErrorCode::TableMustHaveColumns,
            "A table must have at least 1 column",
        ));
    }
    check_order(&columns)?;
    for index in &indexes {
        if index.primary {
            primary_not_null(index, &create.elements, &mut columns)?;
        }
    }
    let of_foreign_keys = indexes_for(&foreign, &indexes);
    indexes.extend(of_foreign_keys);
    let may_be_null = |part: &NewKeyPart| match part.as_column() {
        Some((name, _)) => {
            columns.iter().any(|column| column.nullable && column.name.eq_ignore_ascii_case(name))
        }
        None => true,
    };
    let rank = |index: &NewIndex| match (index.primary, index.unique) {
        (true, _) => 0,
        (false, true) if !index.parts.iter().any(may_be_null) => 1,
        (false, true) => 2,
        (false, false) => 3,
    };
    indexes.sort_by_key(rank);
    let partitioning = match &create.partitions {
        Some(spec) => Some(partitioning_of(spec, &columns, (session.mode, session.zone))?),
        None => None,
    };
    let table = NewTable {
        database: database.to_string(),
        name: create.name.table.clone(),
        columns,
        indexes,
        comment: create.options.comment.clone().unwrap_or_default(),
        engine: engine_of(&create.options).unwrap_or(ENGINE).to_string(),
        storage_options: changed_options(&BTreeMap::new(), &create.options.storage),
        auto_increment_base: create.options.auto_increment.unwrap_or(0),
        retention: Retention {
            expires_by: expires_by(&create.options).flatten(),
            bytes_max: create.options.bytes_max.unwrap_or(0),
        },
        members: create.options.members.iter().flatten().map(new_member).collect(),
        full_texts,
        columnar_index,
        checks,
        foreign_keys: foreign,
        foreign_key_checks: ForeignKeyChecks::On,
        collation: Some(collation),
        partitioning,
    };
    Ok(table)
}

/// What a condition behind these is called, if it is given no name.
fn name_of_check(table: &str, before: &[NewCheck]) -> String {
    let unnamed = before.iter().filter(|check| check.name.is_none()).count();
    CheckDefinition::generated_name(table, unnamed as u64 + 1)
}

/// A foreign key as `rows` is to make it, of a table of some database.
pub fn foreign_key_of(spec: &ForeignKeySpec, database: &str) -> NewForeignKey {
    let action = |written| match written {
        ReferentialSpec::NoAction => ReferentialAction::NoAction,
        ReferentialSpec::Restrict => ReferentialAction::Restrict,
        ReferentialSpec::Cascade => ReferentialAction::Cascade,
        ReferentialSpec::SetNull => ReferentialAction::SetNull,
        ReferentialSpec::SetDefault => ReferentialAction::SetDefault,
    };
    let parent_database = spec.parent.database.as_deref().unwrap_or(database);
    NewForeignKey {
        name: spec.constraint.clone(),
        index: spec.constraint.clone().or_else(|| spec.index.clone()),
        columns: spec.columns.clone(),
        parent: (parent_database.to_owned(), spec.parent.table.clone()),
        parent_columns: spec.parent_columns.clone(),
        on_delete: action(spec.on_delete),
        on_update: action(spec.on_update),
    }
}

/// The indexes that foreign keys need beside those that are written: where one of two would begin
/// with all columns of the other, that one is enough, and of two alike the later.
fn indexes_for(foreign: &[NewForeignKey], written: &[NewIndex]) -> Vec<NewIndex> {
    let is_whole = |(part, column): (&NewKeyPart, &String)| {
        let whole = part.as_column().filter(|(_, prefix)| prefix.is_none());
        whole.is_some_and(|(name, _)| name.eq_ignore_ascii_case(column))
    };
    let begins_with = |index: &[NewKeyPart], columns: &[String]| {
        index.len() >= columns.len() && index.iter().zip(columns).all(is_whole)
    };
    let mut made: Vec<NewIndex> = Vec::new();
    for key in foreign {
        let longer = |index: &NewIndex| {
            index.parts.len() > key.columns.len() && begins_with(&index.parts, &key.columns)
        };
        let is_written = written.iter().any(|index| begins_with(&index.parts, &key.columns));
        if is_written || made.iter().any(longer) {
            continue;
        }
        made.retain(|index| {
            index.parts.len() > key.columns.len()
                || !index.parts.iter().zip(&key.columns).all(is_whole)
        });
        made.push(NewIndex {
            name: key.index.clone(),
            unique: false,
            primary: false,
            parts: key.columns.iter().map(|column| NewKeyPart::column(column)).collect(),
            comment: String::new(),
            invisible: false,
            explicit_btree: false,
            implied: true,
        });
    }
    made
}

/// EXPIRES_BY if it is said; `Some(None)` when it names no column.
pub fn expires_by(options: &TableOptions) -> Option<Option<String>> {
    let name = options.expires_by.clone()?;
    Some(Some(name).filter(|name| !name.is_empty()))
}

/// A column of a primary key that was said to be NULL is an error.
fn primary_not_null(index: &NewIndex, elements: &[Element], columns: &mut [Column]) -> Result<()> {
    for (name, _) in index.parts.iter().filter_map(NewKeyPart::as_column) {
        let said_null = elements.iter().any(|element| {
            matches!(element, Element::Column(spec)
                if spec.name.eq_ignore_ascii_case(name) && spec.nullable == Some(true))
        });
        if said_null {
            return Err(null_in_primary_key());
        }
        for column in columns.iter_mut().filter(|column| column.name.eq_ignore_ascii_case(name)) {
            column.nullable = false;
            if column.default == DefaultValue::Literal(None) {
                return Err(SqlError::new(
                    ErrorCode::InvalidDefault,
                    format!("Invalid default value for '{}'", column.name),
                ));
            }
        }
    }
    Ok(())
}

/// CREATE TABLE ... LIKE.
pub fn new_table_like(source: &TableDefinition, database: &str, name: &str) -> NewTable {
    let mut checks: Vec<&CheckDefinition> = source.checks.iter().collect();
    checks.sort_by_key(|check| check.name.to_lowercase());
    let indexes = source
        .indexes_in_order()
        .into_iter()
        .enumerate()
        .filter(|(n, index)| *n > 0 || !index.parts.is_empty())
        .map(|(n, index)| NewIndex {
            name: (n > 0).then(|| index.name.clone()),
            unique: index.unique,
            primary: n == 0,
            parts: index.parts.iter().map(|part| NewKeyPart::of_index(source, part)).collect(),
            comment: index.comment.clone(),
            invisible: index.invisible,
            explicit_btree: index.explicit_btree,
            implied: index.implied,
        })
        .collect();
    NewTable {
        database: database.to_string(),
        name: name.to_string(),
        columns: source.named_columns().to_vec(),
        indexes,
        comment: source.comment.clone(),
        engine: source.engine.clone(),
        storage_options: source.storage_options.clone(),
        auto_increment_base: 0,
        retention: source.retention.clone(),
        members: source.members.iter().map(NewMember::from).collect(),
        full_texts: source.full_texts.iter().map(NewFullText::from).collect(),
        columnar_index: source.columnar_index.as_ref().map(NewColumnarIndex::from),
        checks: checks
            .into_iter()
            .map(|check| NewCheck {
                unenforced: check.unenforced,
                ..NewCheck::of(&check.condition)
            })
            .collect(),
        foreign_keys: Vec::new(),
        foreign_key_checks: ForeignKeyChecks::On,
        collation: source.collation,
        partitioning: source.partitioning.clone(),
    }
}

/// An index of a member as written.
pub fn new_member(written: &MemberSpec) -> NewMember {
    let MemberSpec { column, member, kind } = written.clone();
    NewMember { column, member, kind }
}
