//! Key parts that are expressions: each is a column of the table that nobody sees, computed as
//! GENERATED ALWAYS AS columns are.
//!
//! Invariants
//! 1. Such a column has the type of its expression, whatever becomes of the columns in it.
//! 2. A column that such an expression names is neither dropped nor renamed.
//!
//! Not here: making the columns (`definition`, `alter`), what the expressions mean (`rules`).

use expression::array_parts;
use values::types::ColumnType;

use super::rules::validate;
use crate::broken_rule::BrokenRule;
use crate::error::Result;
use crate::rules::MakeRules;
use crate::schema::{MultiValuedIndex, TableDefinition};

/// From so many characters on a text is one of a type that no index has whole.
const CHARS_MAX: u32 = 16_383;

/// Gives the columns of key parts the types of their expressions; whether that changed one.
///
/// # Errors
/// `Definition` for an expression that no index can have, `Expression` for one that is none.
pub(crate) fn type_key_parts(
    definition: &mut TableDefinition,
    make_rules: MakeRules,
) -> Result<bool> {
    let first = definition.named_columns().len();
    if first == definition.columns.len() {
        return Ok(false);
    }
    let rules = make_rules(definition)?;
    let mut is_changed = false;
    for (position, node) in rules.computed.into_iter().filter(|(at, _)| *at >= first) {
        let element = array_parts(&node).map(|(_, element)| element.clone());
        let ty = if element.is_some() { node.ty.clone() } else { key_type(node.ty)? };
        if let Some(element) = element {
            let of_column = |of: &&mut MultiValuedIndex| of.array_column() == position;
            let of = definition.multi_valued.iter_mut().filter(of_column);
            for index in of.filter(|of| of.element != element) {
                is_changed = true;
                index.element = element.clone();
            }
        }
        let column = &mut definition.columns[position];
        is_changed |= column.ty != ty || column.nullable != node.nullable;
        definition.slots[usize::from(column.slot)] = ty.clone();
        (column.ty, column.nullable) = (ty, node.nullable);
    }
    validate(definition)?;
    Ok(is_changed)
}

/// The type of a column that has values of this type.
fn key_type(ty: ColumnType) -> Result<ColumnType> {
    match ty {
        ColumnType::Json => Err(BrokenRule::FunctionalJson.into()),
        ColumnType::Text { .. }
        | ColumnType::Blob { .. }
        | ColumnType::VarChar { chars: CHARS_MAX.., .. }
        | ColumnType::VarBinary { bytes: CHARS_MAX.. } => Err(BrokenRule::FunctionalText.into()),
        ColumnType::Int { width, unsigned, .. } => {
            Ok(ColumnType::Int { width, unsigned, boolean: false })
        }
        ty => Ok(ty),
    }
}

/// Refuses a definition of whose key parts one names a column that is not there any more.
///
/// # Errors
/// `Definition`.
pub(crate) fn check_key_parts(old: &TableDefinition, new: &TableDefinition) -> Result<()> {
    let gone = old.named_columns().iter().filter(|column| new.column(&column.name).is_none());
    for column in gone {
        if new.is_in_key_part(&column.name) {
            return Err(BrokenRule::FunctionalDependency(column.name.clone()).into());
        }
    }
    Ok(())
}

impl TableDefinition {
    /// Whether a key part that is an expression names this column.
    pub(crate) fn is_in_key_part(&self, name: &str) -> bool {
        let of_index = &self.columns[self.named_columns().len()..];
        let expressions = of_index.iter().filter_map(|column| column.computed.as_ref());
        expressions.into_iter().any(|computed| computed.names(name))
    }
}
