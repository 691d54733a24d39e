//! Formats of the catalog: which version is the first that keeps a definition as it must be kept.
//!
//! The list of all formats is in the catalog's header.
//!
//! Not here: reading and writing the format (`catalog`, `change`).

use values::language::Language;
use values::types::{Collation, ColumnType};

use crate::schema::{Column, DefaultValue, Index, TableDefinition};

/// Format of the catalog and of all rows under it.
pub const CATALOG_FORMAT: u32 = FORMAT_UNENFORCED;
/// The first format.
pub(super) const FORMAT_FIRST: u32 = 1;
/// Definitions may have a `retention`, which earlier versions would pass over.
pub(super) const FORMAT_RETENTION: u32 = 2;
/// There may be events, which earlier versions do not know.
pub(super) const FORMAT_EVENTS: u32 = 4;
/// Tables may have indexes of members, which earlier versions would not keep up.
pub(super) const FORMAT_MEMBERS: u32 = 5;
/// There may be segments with columns that earlier versions take for damaged. Versions that knew 3
/// and 6 had tables and indexes by column, but none of these columns.
pub(super) const FORMAT_COLUMNS: u32 = 7;
/// Tables may have rules, which earlier versions would not obey.
pub(super) const FORMAT_RULES: u32 = 8;
/// There may be accounts, which earlier versions would let nobody be.
pub(super) const FORMAT_ACCOUNTS: u32 = 9;
/// FLOAT and DOUBLE may have digits, which earlier versions do not know.
pub(super) const FORMAT_DIGITS: u32 = 10;
/// There may be views, which earlier versions do not know.
pub(super) const FORMAT_VIEWS: u32 = 11;
/// Tables may have foreign keys, which earlier versions would not obey.
pub(super) const FORMAT_FOREIGN_KEYS: u32 = 12;
/// Text may compare by Unicode's weights, which earlier versions do not know.
pub(super) const FORMAT_COLLATIONS: u32 = 13;
/// Events and views may have the rights of an account alone, where earlier versions would give them
/// all.
pub(super) const FORMAT_DEFINERS: u32 = 14;
/// Columns may be SET and BIT, and have collations of languages, which earlier versions do not
/// know.
pub(super) const FORMAT_BITS: u32 = 15;
/// Parts of indexes may be expressions, whose columns earlier versions would show, and descend;
/// indexes may be invisible.
pub(super) const FORMAT_KEYS: u32 = 16;
/// Tables may have full-text indexes, which earlier versions would not keep up.
pub(super) const FORMAT_FULL_TEXT: u32 = 17;
/// Tables may have partitions, whose numbers stand in all of their keys.
pub(super) const FORMAT_PARTITIONS: u32 = 18;
/// Texts may be ordered by languages that earlier versions do not know.
pub(super) const FORMAT_LANGUAGES: u32 = 19;
/// There may be prepared transactions, which earlier versions would forget.
pub(super) const FORMAT_PREPARED: u32 = 20;
/// Columns may be invisible, which earlier versions would show, with zeros in front, and without
/// the default that a column has which allows NULL.
pub(super) const FORMAT_INVISIBLE: u32 = 21;
/// Tables may have multi-valued indexes, which earlier versions would not keep up.
pub(super) const FORMAT_MULTI_VALUED: u32 = 22;
/// Texts may be of other character sets than utf8mb4, which earlier versions kept as that.
pub(super) const FORMAT_CHARACTER_SETS: u32 = 23;
/// A CHECK may be NOT ENFORCED, which earlier versions would enforce.
pub(super) const FORMAT_UNENFORCED: u32 = 24;

/// The first format whose versions keep a table as it must be kept.
pub(super) fn format_of(definition: &TableDefinition) -> u32 {
    let is_of_21 = |column: &Column| {
        column.invisible || column.zerofill.is_some() || column.default == DefaultValue::Dropped
    };
    let of_parts = match definition {
        definition if definition.checks.iter().any(|check| check.unenforced) => FORMAT_UNENFORCED,
        definition if !definition.multi_valued.is_empty() => FORMAT_MULTI_VALUED,
        definition if definition.columns.iter().any(is_of_21) => FORMAT_INVISIBLE,
        definition if definition.partitioning.is_some() => FORMAT_PARTITIONS,
        definition if !definition.full_texts.is_empty() => FORMAT_FULL_TEXT,
        definition if definition.indexes.iter().any(|index| has_key_parts(definition, index)) => {
            FORMAT_KEYS
        }
        definition if definition.columns.iter().any(has_bits) => FORMAT_BITS,
        definition if !definition.foreign_keys.is_empty() => FORMAT_FOREIGN_KEYS,
        definition if definition.columns.iter().any(has_digits) => FORMAT_DIGITS,
        definition if definition.has_rules() => FORMAT_RULES,
        definition if definition.columnar || definition.columnar_index.is_some() => FORMAT_COLUMNS,
        definition if !definition.members.is_empty() => FORMAT_MEMBERS,
        definition if !definition.retention.is_forever() => FORMAT_RETENTION,
        _ => FORMAT_FIRST,
    };
    collations_of(definition).map(format_of_collation).fold(of_parts, u32::max)
}

/// The first format whose versions know a collation.
pub(super) fn format_of_collation(collation: Collation) -> u32 {
    match collation {
        Collation::Numbered(_) => FORMAT_CHARACTER_SETS,
        collation if is_of_newer_language(collation) => FORMAT_LANGUAGES,
        Collation::Utf8Mb4OfLanguage(_) => FORMAT_BITS,
        Collation::Binary | Collation::Utf8Mb4Bin | Collation::Utf8Mb4GeneralCi => FORMAT_FIRST,
        _ => FORMAT_COLLATIONS,
    }
}

/// Whether it is a language's by Unicode 9.0.0, or by 4.0.0 with contractions.
fn is_of_newer_language(collation: Collation) -> bool {
    matches!(
        collation,
        Collation::Utf8Mb40900OfLanguage(..)
            | Collation::Utf8Mb4OfLanguage(
                Language::Croatian
                    | Language::Czech
                    | Language::Danish
                    | Language::Lithuanian
                    | Language::Slovak
                    | Language::TraditionalSpanish
            )
    )
}

fn collations_of(definition: &TableDefinition) -> impl Iterator<Item = Collation> {
    let of_columns = definition.columns.iter().filter_map(|column| column.ty.collation());
    of_columns.chain(definition.collation)
}

/// Whether an index is invisible, or has parts that are expressions or descend.
fn has_key_parts(definition: &TableDefinition, index: &Index) -> bool {
    index.invisible
        || index
            .parts
            .iter()
            .any(|part| part.descending || definition.columns[part.column].is_of_index())
}

fn has_digits(column: &Column) -> bool {
    matches!(column.ty, ColumnType::Float(Some(_)) | ColumnType::Double(Some(_)))
}

fn has_bits(column: &Column) -> bool {
    matches!(column.ty, ColumnType::Set { .. } | ColumnType::Bit { .. })
}
