//! ALTER TABLE, as written.
//!
//! Not here: columns and indexes themselves (`table`), what it does (crate `sql`, `ddl::alter`).

use sqlparser::tokenizer::Token;
use values::ErrorCode;
use values::types::Collation;

use super::cursor::Cursor;
use super::names::TableName;
use super::partition::{AlterPartitionSpec, alter_partitions, partition_options};
use super::table::{
    ColumnSpec, DefaultSpec, Element, column, default_value, element, sorted_column,
};
use super::table_options::{TableOptions, table_option};
use super::types::{charset_collation, check_set, collation};
use crate::error::{Error, Result};

/// Where ALTER TABLE puts a column.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaceSpec {
    /// Unsaid.
    Unsaid,
    /// FIRST.
    First,
    /// AFTER a column.
    After(String),
}

/// One change of ALTER TABLE.
#[expect(missing_docs, reason = "fields of a variant are what the grammar calls them")]
#[derive(Clone, Debug, PartialEq)]
pub enum AlterSpec {
    /// ADD COLUMN; `if_not_exists` is MariaDB's.
    AddColumn { column: Box<ColumnSpec>, place: PlaceSpec, if_not_exists: bool },
    /// ADD an index or constraint.
    Add(Element),
    /// DROP COLUMN.
    DropColumn { name: String, if_exists: bool },
    /// DROP INDEX or DROP KEY.
    DropIndex { name: String, if_exists: bool },
    /// DROP PRIMARY KEY.
    DropPrimaryKey,
    /// DROP FOREIGN KEY.
    DropForeignKey { name: String, if_exists: bool },
    /// DROP CONSTRAINT, of whatever kind.
    DropConstraint { name: String, if_exists: bool },
    /// DROP CHECK.
    DropCheck { name: String, if_exists: bool },
    /// ALTER CHECK, or ALTER CONSTRAINT, with [NOT] ENFORCED.
    SetCheckEnforcement { name: String, enforced: bool, is_any_constraint: bool },
    /// MODIFY, or CHANGE with the old name.
    Change { old: String, column: Box<ColumnSpec>, place: PlaceSpec },
    /// RENAME COLUMN.
    RenameColumn { from: String, to: String },
    /// RENAME INDEX.
    RenameIndex { from: String, to: String },
    /// ALTER COLUMN .. SET VISIBLE or SET INVISIBLE.
    SetColumnVisibility { name: String, invisible: bool },
    /// ALTER INDEX .. VISIBLE or INVISIBLE.
    SetIndexVisibility { name: String, invisible: bool },
    /// RENAME TO.
    Rename(TableName),
    /// ALTER COLUMN SET DEFAULT; `None` is DROP DEFAULT.
    SetDefault { name: String, default: Option<DefaultSpec> },
    /// CONVERT TO CHARACTER SET.
    ConvertTo(Collation),
    /// Table options.
    Options(TableOptions),
    /// ALGORITHM: which way it must be possible, in upper case.
    Algorithm(String),
    /// LOCK: what others must be able to do meanwhile, in upper case.
    Lock(String),
    /// What is said of partitions.
    Partitions(AlterPartitionSpec),
    /// Words without effect: FORCE, WITH VALIDATION, ...
    Nothing,
    /// ENABLE or DISABLE KEYS, which InnoDB has not.
    Keys,
}

/// ALTER TABLE.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterTable {
    /// The table.
    pub name: TableName,
    /// The changes, in order.
    pub specs: Vec<AlterSpec>,
}

/// Reads what follows ALTER TABLE.
///
/// # Errors
/// 1064 with the place where the statement stops making sense; 1235 for what this server does not
/// do yet.
pub fn alter_table(cursor: &mut Cursor<'_>) -> Result<AlterTable> {
    cursor.take_all(&["IF", "EXISTS"]);
    let name = cursor.table_name()?;
    let mut specs = Vec::new();
    if !cursor.at_end() {
        loop {
            let is_modifier =
                |spec: &AlterSpec| matches!(spec, AlterSpec::Algorithm(_) | AlterSpec::Lock(_));
            // A change of partitions is the only one, as in MySQL.
            if specs.iter().all(is_modifier)
                && let Some(spec) = alter_partitions(cursor)?
            {
                specs.push(AlterSpec::Partitions(spec));
                break;
            }
            alter_spec(cursor, &mut specs)?;
            if !cursor.take_token(&Token::Comma) {
                break;
            }
        }
    }
    cursor.expect_end()?;
    Ok(AlterTable { name, specs })
}

fn alter_spec(cursor: &mut Cursor<'_>, specs: &mut Vec<AlterSpec>) -> Result<()> {
    if let Some(spec) = partition_options(cursor)? {
        specs.push(AlterSpec::Partitions(spec));
        return Ok(());
    }
    if cursor.take("ADD") {
        alter_add(cursor, specs)?;
        return take_partition_options(cursor, specs);
    }
    let spec = if cursor.take("DROP") {
        alter_drop(cursor)?
    } else if cursor.take("MODIFY") {
        cursor.take("COLUMN");
        cursor.take_all(&["IF", "EXISTS"]);
        let column = Box::new(column(cursor)?);
        AlterSpec::Change { old: column.name.clone(), column, place: place(cursor)? }
    } else if cursor.take("CHANGE") {
        cursor.take("COLUMN");
        cursor.take_all(&["IF", "EXISTS"]);
        let old = cursor.name()?;
        let column = Box::new(column(cursor)?);
        AlterSpec::Change { old, column, place: place(cursor)? }
    } else if cursor.take("RENAME") {
        alter_rename(cursor)?
    } else if cursor.take("ALTER") {
        alter_column(cursor)?
    } else if cursor.take_all(&["CONVERT", "TO"]) {
        cursor.take("CHARACTER");
        let _set = cursor.take("SET") || cursor.take("CHARSET");
        let mut target = charset_collation(&cursor.name_or_string()?)?;
        if cursor.take("COLLATE") {
            let set = target.set();
            target = collation(&cursor.name_or_string()?)?;
            check_set(target, set)?;
        }
        AlterSpec::ConvertTo(target)
    } else if let Some(spec) = algorithm(cursor)? {
        spec
    } else if cursor.take_all(&["ORDER", "BY"]) {
        cursor.list(sorted_column)?;
        AlterSpec::Nothing
    } else if cursor.take_all(&["ENABLE", "KEYS"]) || cursor.take_all(&["DISABLE", "KEYS"]) {
        AlterSpec::Keys
    } else if cursor.take("FORCE")
        || cursor.take_all(&["WITH", "VALIDATION"])
        || cursor.take_all(&["WITHOUT", "VALIDATION"])
    {
        AlterSpec::Nothing
    } else {
        let mut options = TableOptions::default();
        if !table_option(cursor, &mut options)? {
            return Err(cursor.syntax());
        }
        while table_option(cursor, &mut options)? {}
        AlterSpec::Options(options)
    };
    specs.push(spec);
    take_partition_options(cursor, specs)
}

/// Behind options and changes they need no comma.
fn take_partition_options(cursor: &mut Cursor<'_>, specs: &mut Vec<AlterSpec>) -> Result<()> {
    specs.extend(partition_options(cursor)?.map(AlterSpec::Partitions));
    Ok(())
}

/// ALGORITHM and LOCK, also of CREATE and DROP INDEX.
///
/// # Errors
/// 1800 or 1801 when MySQL knows no such value, 1064 when none is next.
pub fn algorithm(cursor: &mut Cursor<'_>) -> Result<Option<AlterSpec>> {
    let Some(word) = cursor.take_any(&["ALGORITHM", "LOCK"]) else { return Ok(None) };
    cursor.take_token(&Token::Eq);
    let known: &[&str] = match word {
        "LOCK" => &["DEFAULT", "NONE", "SHARED", "EXCLUSIVE"],
        _ => &["DEFAULT", "INSTANT", "INPLACE", "NOCOPY", "COPY"],
    };
    let value = cursor.name()?.to_ascii_uppercase();
    if !known.contains(&value.as_str()) {
        let code = match word {
            "LOCK" => ErrorCode::UnknownAlterLock,
            _ => ErrorCode::UnknownAlterAlgorithm,
        };
        let kind = if word == "LOCK" { "LOCK type" } else { "ALGORITHM" };
        return Err(Error::new(code, format!("Unknown {kind} '{value}'")));
    }
    let spec = if word == "LOCK" { AlterSpec::Lock } else { AlterSpec::Algorithm };
    Ok(Some(spec(value)))
}

fn place(cursor: &mut Cursor<'_>) -> Result<PlaceSpec> {
    if cursor.take("FIRST") {
        Ok(PlaceSpec::First)
    } else if cursor.take("AFTER") {
        Ok(PlaceSpec::After(cursor.name()?))
    } else {
        Ok(PlaceSpec::Unsaid)
    }
}

fn alter_add(cursor: &mut Cursor<'_>, specs: &mut Vec<AlterSpec>) -> Result<()> {
    let column_word = cursor.take("COLUMN");
    let if_not_exists = cursor.take_all(&["IF", "NOT", "EXISTS"]);
    if *cursor.peek() == Token::LParen {
        for element in cursor.parenthesised(element)? {
            specs.push(match element {
                Element::Column(column) => {
                    AlterSpec::AddColumn { column, place: PlaceSpec::Unsaid, if_not_exists }
                }
                other => AlterSpec::Add(other),
            });
        }
        return Ok(());
    }
    let element =
        if column_word { Element::Column(Box::new(column(cursor)?)) } else { element(cursor)? };
    specs.push(match element {
        Element::Column(column) => {
            AlterSpec::AddColumn { column, place: place(cursor)?, if_not_exists }
        }
        other => AlterSpec::Add(other),
    });
    Ok(())
}

fn alter_drop(cursor: &mut Cursor<'_>) -> Result<AlterSpec> {
    if cursor.take_all(&["PRIMARY", "KEY"]) {
        return Ok(AlterSpec::DropPrimaryKey);
    }
    if cursor.take_all(&["FOREIGN", "KEY"]) {
        let if_exists = cursor.take_all(&["IF", "EXISTS"]);
        return Ok(AlterSpec::DropForeignKey { name: cursor.name()?, if_exists });
    }
    if cursor.take("CHECK") {
        let if_exists = cursor.take_all(&["IF", "EXISTS"]);
        return Ok(AlterSpec::DropCheck { name: cursor.name()?, if_exists });
    }
    if cursor.take("CONSTRAINT") {
        let if_exists = cursor.take_all(&["IF", "EXISTS"]);
        return Ok(AlterSpec::DropConstraint { name: cursor.name()?, if_exists });
    }
    if cursor.take("INDEX") || cursor.take("KEY") {
        let if_exists = cursor.take_all(&["IF", "EXISTS"]);
        return Ok(AlterSpec::DropIndex { name: cursor.name()?, if_exists });
    }
    cursor.take("COLUMN");
    let if_exists = cursor.take_all(&["IF", "EXISTS"]);
    let name = cursor.name()?;
    let _rule = cursor.take("RESTRICT") || cursor.take("CASCADE");
    Ok(AlterSpec::DropColumn { name, if_exists })
}

fn alter_rename(cursor: &mut Cursor<'_>) -> Result<AlterSpec> {
    if cursor.take("COLUMN") {
        let from = cursor.name()?;
        cursor.expect("TO")?;
        return Ok(AlterSpec::RenameColumn { from, to: cursor.name()? });
    }
    if cursor.take("INDEX") || cursor.take("KEY") {
        let from = cursor.name()?;
        cursor.expect("TO")?;
        return Ok(AlterSpec::RenameIndex { from, to: cursor.name()? });
    }
    let _word = cursor.take("TO") || cursor.take("AS") || cursor.take_token(&Token::Eq);
    Ok(AlterSpec::Rename(cursor.table_name()?))
}

fn alter_column(cursor: &mut Cursor<'_>) -> Result<AlterSpec> {
    if cursor.take("INDEX") {
        let name = cursor.name()?;
        return match cursor.take_any(&["VISIBLE", "INVISIBLE"]) {
            Some(word) => {
                Ok(AlterSpec::SetIndexVisibility { name, invisible: word == "INVISIBLE" })
            }
            None => Err(cursor.syntax()),
        };
    }
    if let Some(word) = cursor.take_any(&["CHECK", "CONSTRAINT"]) {
        let (name, is_any_constraint) = (cursor.name()?, word == "CONSTRAINT");
        let enforced = !cursor.take("NOT");
        cursor.expect("ENFORCED")?;
        return Ok(AlterSpec::SetCheckEnforcement { name, enforced, is_any_constraint });
    }
    cursor.take("COLUMN");
    let name = cursor.name()?;
    if cursor.take_all(&["SET", "DEFAULT"]) {
        let default = Some(default_value(cursor)?);
        return Ok(AlterSpec::SetDefault { name, default });
    }
    if cursor.take_all(&["SET", "INVISIBLE"]) {
        return Ok(AlterSpec::SetColumnVisibility { name, invisible: true });
    }
    if cursor.take_all(&["SET", "VISIBLE"]) {
        return Ok(AlterSpec::SetColumnVisibility { name, invisible: false });
    }
    if cursor.take_all(&["DROP", "DEFAULT"]) {
        return Ok(AlterSpec::SetDefault { name, default: None });
    }
    Err(cursor.syntax())
}
