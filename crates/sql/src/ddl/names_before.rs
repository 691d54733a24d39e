//! What the parts of an ALTER TABLE name: columns and indexes that the table has before all of
//! them, and no column that another part of the table is made of (MySQL 9.7:
//! tests/oracle/sql/definitions-read-again.sql).
//!
//! Not here: what the parts do (`alter`), conditions of a column that goes (`rows::alter`).

use rows::rules::names_in;
use rows::schema::{CheckDefinition, DefaultValue};
use rows::table::Table;
use syntax::alter::AlterSpec;
use syntax::table::ColumnSpec;
use values::ErrorCode;

use results::{Result, SqlError};

/// Refuses a part that names what the table has not, or takes a name away that is needed.
///
/// # Errors
/// 1054, 1091 and 1176 for what is not there; 3106 for a column that would be stored otherwise;
/// 3108, 3766 and 3959 for the name of a column that a computed one, a default or a condition has.
pub fn check_names(table: &Table, specs: &[AlterSpec]) -> Result<()> {
    specs.iter().try_for_each(|spec| match spec {
        AlterSpec::Change { old, column, .. } => {
            check_column(table, old)?;
            check_is_stored_as_before(table, old, column)?;
            check_is_free(table, specs, old, Some(&column.name))
        }
        AlterSpec::RenameColumn { from, to } => {
            check_column(table, from)?;
            check_is_free(table, specs, from, Some(to))
        }
        AlterSpec::DropColumn { name, if_exists } => match table.column(name) {
            None if !if_exists => {
                let message = format!("Can't DROP '{name}'; check that column/key exists");
                Err(SqlError::new(ErrorCode::CantDropFieldOrKey, message))
            }
            _ => check_is_free(table, specs, name, None),
        },
        AlterSpec::RenameIndex { from: name, .. } | AlterSpec::SetIndexVisibility { name, .. } => {
            check_index(table, name)
        }
        _ => Ok(()),
    })
}

fn check_column(table: &Table, name: &str) -> Result<()> {
    match table.column(name) {
        Some(_) => Ok(()),
        None => Err(SqlError::unknown_column(name, &table.name)),
    }
}

/// Refuses that a column which was computed when it is read is stored from now on, or the other way
/// round. Here both are stored, but a dump is to load elsewhere.
fn check_is_stored_as_before(table: &Table, old: &str, column: &ColumnSpec) -> Result<()> {
    let known = table.column(old).map(|at| &table.columns[at]);
    let was_virtual =
        known.and_then(|column| column.computed.as_ref()).is_some_and(|computed| !computed.stored);
    let is_virtual = column.computed.as_ref().is_some_and(|computed| !computed.stored);
    if was_virtual == is_virtual {
        return Ok(());
    }
    let message = "'Changing the STORED status' is not supported for generated columns.";
    Err(SqlError::new(ErrorCode::UnsupportedActionOnGeneratedColumn, message))
}

fn check_index(table: &Table, name: &str) -> Result<()> {
    let is_it = |other: &str| other.eq_ignore_ascii_case(name);
    let is_there = is_it("PRIMARY")
        || table.indexes_with_parts().any(|index| is_it(&index.name))
        || table.full_texts.iter().any(|index| is_it(&index.name))
        || table.columnar_index_named(name).is_some();
    if is_there {
        return Ok(());
    }
    let message = format!("Key '{name}' doesn't exist in table '{}'", table.name);
    Err(SqlError::new(ErrorCode::KeyDoesNotExist, message))
}

/// Refuses that a column, which is called `name` so far, goes or is called otherwise, while
/// something that stays as it is names it.
fn check_is_free(
    table: &Table,
    specs: &[AlterSpec],
    name: &str,
    now: Option<&String>,
) -> Result<()> {
    if now.is_some_and(|now| now.eq_ignore_ascii_case(name)) {
        return Ok(());
    }
    let names_it = |text: &str| names_in(text).iter().any(|other| other.eq_ignore_ascii_case(name));
    let is_dropped = |column: &str| {
        specs.iter().any(|spec| match spec {
            AlterSpec::DropColumn { name, .. } => name.eq_ignore_ascii_case(column),
            _ => false,
        })
    };
    let goes = |check: &str| {
        specs.iter().any(|spec| match spec {
            AlterSpec::DropCheck { name, .. } | AlterSpec::DropConstraint { name, .. } => {
                name.eq_ignore_ascii_case(check)
            }
            _ => false,
        })
    };
    // A condition that has no other column goes with one that goes.
    let stays = |condition: &str| {
        now.is_some() || names_in(condition).iter().any(|other| !is_dropped(other))
    };
    let needs_it = |check: &&CheckDefinition| {
        names_it(&check.condition) && stays(&check.condition) && !goes(&check.name)
    };
    if let Some(check) = table.checks.iter().find(needs_it) {
        let message = format!(
            "Check constraint '{}' uses column '{name}', hence column cannot be dropped or renamed.",
            check.name
        );
        return Err(SqlError::new(ErrorCode::DependentByCheckConstraint, message));
    }
    let others = table.columns.iter().filter(|column| {
        !column.is_of_index()
            && !column.name.eq_ignore_ascii_case(name)
            && !is_dropped(&column.name)
    });
    for column in others {
        if column.computed.as_ref().is_some_and(|computed| names_it(&computed.expression)) {
            let message = format!("Column '{name}' has a generated column dependency.");
            return Err(SqlError::new(ErrorCode::DependentByGeneratedColumn, message));
        }
        if let DefaultValue::Expression(text) = &column.default
            && names_it(text)
        {
            let message = format!(
                "Column '{name}' of table '{}' has a default value expression dependency and \
                 cannot be dropped or renamed.",
                table.name
            );
            return Err(SqlError::new(ErrorCode::DependentByDefaultGeneratedValue, message));
        }
    }
    Ok(())
}
