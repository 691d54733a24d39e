//! Looks whether a definition fulfils the rules that every stored one does.
//!
//! Not here: the rules' names and words (`broken_rule`), making definitions (`definition`,
//! `alter`).

use values::types::ColumnType;

use crate::broken_rule::BrokenRule;
use crate::error::{Result, Thing};
use crate::foreign_key::{ForeignKey, ReferentialAction};
use crate::partition::validate_partitioning;
use crate::rules::names_in;
use crate::schema::{Column, DefaultValue, Index, MemberIndex, TableDefinition, text_collation};
use crate::table::PRIMARY;

/// Most columns of a table, as in InnoDB.
pub const COLUMNS_MAX: usize = 1017;
/// Most indexes of a table besides the primary key, as in InnoDB.
pub const INDEXES_MAX: usize = 64;
/// Most parts of an index, as in InnoDB.
pub const INDEX_PARTS_MAX: usize = 16;
/// Most characters of a name.
pub const NAME_CHARS_MAX: usize = 64;
/// Characters of a word of an ENUM or SET.
const WORD_CHARS_MAX: usize = 255;

/// Checks the rules every stored definition fulfils.
pub(crate) fn validate(definition: &TableDefinition) -> Result<()> {
    if definition.columns.is_empty() {
        return Err(BrokenRule::NoColumns.into());
    }
    if definition.listed_columns().next().is_none() {
        return Err(BrokenRule::NoVisibleColumn.into());
    }
    if definition.columns.len() > COLUMNS_MAX || definition.slots.len() > usize::from(u16::MAX) {
        return Err(BrokenRule::TooManyColumns.into());
    }
    if definition.indexes.len() + definition.listed_indexes().count() > INDEXES_MAX + 1 {
        return Err(BrokenRule::TooManyIndexes.into());
    }
    for (position, column) in definition.columns.iter().enumerate() {
        if column.is_of_index() {
            continue;
        }
        check_name(Thing::Column, &column.name)?;
        if definition.column(&column.name) != Some(position) {
            return Err(BrokenRule::DuplicateColumn(column.name.clone()).into());
        }
        validate_column(definition, position, column)?;
    }
    if definition.columns.iter().filter(|column| column.auto_increment).count() > 1 {
        return Err(BrokenRule::AutoIncrement.into());
    }
    validate_retention(definition)?;
    validate_columnar(definition)?;
    validate_members(definition)?;
    validate_full_texts(definition)?;
    validate_multi_valued(definition)?;
    validate_columnar_index(definition)?;
    definition.foreign_keys.iter().try_for_each(|key| validate_foreign_key(definition, key))?;
    for check in &definition.checks {
        let names = names_in(&check.condition);
        if let Some(column) = names.into_iter().find(|name| definition.column(name).is_none()) {
            let check = check.name.clone();
            return Err(BrokenRule::CheckOfNoColumn { check, column }.into());
        }
    }
    if definition.key_of_rows().is_some_and(|index| index.invisible) {
        return Err(BrokenRule::InvisiblePrimaryKey.into());
    }
    validate_partitioning(definition)?;
    definition.indexes.iter().try_for_each(|index| validate_index(definition, index))
}

/// Places in rows that no column of a columnar table has: its row ids and versions have them.
const OWN_SLOTS: usize = 2;

fn validate_columnar(definition: &TableDefinition) -> Result<()> {
    if !definition.columnar {
        return Ok(());
    }
    if definition.slots.len() + OWN_SLOTS > usize::from(u16::MAX) {
        return Err(BrokenRule::TooManyColumns.into());
    }
    // Rows that leave one by one would leave holes in every segment.
    if !definition.retention.is_forever() {
        return Err(BrokenRule::ColumnarRetention.into());
    }
    Ok(())
}

fn validate_columnar_index(definition: &TableDefinition) -> Result<()> {
    let Some(index) = &definition.columnar_index else { return Ok(()) };
    check_name(Thing::Index, &index.name)?;
    if definition.columnar {
        return Err(BrokenRule::ColumnarIndexOfColumnar.into());
    }
    // Rows that leave one by one would leave holes in every segment.
    if !definition.retention.is_forever() {
        return Err(BrokenRule::ColumnarIndexRetention.into());
    }
    if definition.slots.len() + OWN_SLOTS > usize::from(u16::MAX) {
        return Err(BrokenRule::TooManyColumns.into());
    }
    for (position, name) in index.columns.iter().enumerate() {
        if definition.column(name).is_none() {
            return Err(BrokenRule::KeyColumn(name.to_string()).into());
        }
        let is_same = |other: &String| other.eq_ignore_ascii_case(name);
        if index.columns[..position].iter().any(is_same) {
            return Err(BrokenRule::DuplicateColumn(name.to_string()).into());
        }
    }
    Ok(())
}

/// Most bytes of the name of a member that has an index.
const MEMBER_BYTES_MAX: usize = 1024;

fn validate_members(definition: &TableDefinition) -> Result<()> {
    for (position, index) in definition.members.iter().enumerate() {
        let MemberIndex { column, member, .. } = index;
        let Some(at) = definition.column(column) else {
            return Err(BrokenRule::KeyColumn(column.clone()).into());
        };
        if definition.columns[at].ty != ColumnType::Json {
            return Err(BrokenRule::MemberColumn(column.clone()).into());
        }
        if member.is_empty() || member.len() > MEMBER_BYTES_MAX {
            return Err(BrokenRule::MemberName(member.clone()).into());
        }
        if definition.member(column, member) != Some(position) {
            return Err(BrokenRule::DuplicateMember(member.clone()).into());
        }
    }
    Ok(())
}

fn validate_full_texts(definition: &TableDefinition) -> Result<()> {
    for index in &definition.full_texts {
        check_name(Thing::Index, &index.name)?;
        if definition.columnar || definition.partitioning.is_some() {
            return Err(BrokenRule::FullTextTable.into());
        }
        if index.columns.len() > INDEX_PARTS_MAX {
            return Err(BrokenRule::TooManyKeyParts.into());
        }
        let mut collation = None;
        for (position, name) in index.columns.iter().enumerate() {
            let Some(at) = definition.column(name) else {
                return Err(BrokenRule::KeyColumn(name.clone()).into());
            };
            if index.columns[..position].iter().any(|other| other.eq_ignore_ascii_case(name)) {
                return Err(BrokenRule::DuplicateColumn(name.clone()).into());
            }
            let ty = &definition.columns[at].ty;
            if *ty == ColumnType::Json {
                return Err(BrokenRule::JsonKey(name.clone()).into());
            }
            let own = text_collation(ty);
            if own.is_none() || collation.is_some_and(|collation| Some(collation) != own) {
                return Err(BrokenRule::FullTextColumn(name.clone()).into());
            }
            collation = own;
        }
    }
    Ok(())
}

fn validate_multi_valued(definition: &TableDefinition) -> Result<()> {
    for of in &definition.multi_valued {
        // The mover of rows into segments knows entries of one for a row.
        if definition.columnar {
            return Err(BrokenRule::MultiValuedColumnar.into());
        }
        validate_parts(definition, &of.index, Some(of.array))?;
    }
    Ok(())
}

/// The smallest limit: a table in cache mode should hold some rows.
const CACHE_BYTES_MIN: u64 = 64 << 10;

fn validate_retention(definition: &TableDefinition) -> Result<()> {
    if (1..CACHE_BYTES_MIN).contains(&definition.retention.bytes_max) {
        return Err(BrokenRule::CacheTooSmall(CACHE_BYTES_MIN).into());
    }
    let Some(name) = &definition.retention.expires_by else { return Ok(()) };
    let Some(position) = definition.column(name) else {
        return Err(BrokenRule::ExpiryColumn(name.to_string()).into());
    };
    if !matches!(definition.columns[position].ty, ColumnType::Int { .. }) {
        return Err(BrokenRule::ExpiryType(name.to_string()).into());
    }
    Ok(())
}

/// What a foreign key says of its own table's columns.
fn validate_foreign_key(definition: &TableDefinition, key: &ForeignKey) -> Result<()> {
    let sets = |action| [key.on_delete, key.on_update].contains(&action);
    for name in &key.columns {
        let Some(at) = definition.column(name) else {
            let (column, key) = (name.clone(), key.name.clone());
            return Err(BrokenRule::ForeignKeyColumnDropped { column, key }.into());
        };
        let column = &definition.columns[at];
        if let Some(computed) = &column.computed {
            if !computed.stored {
                let (column, key) = (name.clone(), key.name.clone());
                return Err(BrokenRule::ForeignKeyOfVirtual { column, key }.into());
            }
            let clause = match (key.on_delete, key.on_update) {
                (ReferentialAction::SetNull, _) => Some("ON DELETE SET NULL"),
                (_, ReferentialAction::SetNull) => Some("ON UPDATE SET NULL"),
                (_, ReferentialAction::Cascade) => Some("ON UPDATE CASCADE"),
                _ => None,
            };
            if let Some(clause) = clause {
                return Err(BrokenRule::ForeignKeyOfComputed(clause.to_owned()).into());
            }
        }
        if !column.nullable && sets(ReferentialAction::SetNull) {
            let (column, key) = (column.name.clone(), key.name.clone());
            return Err(BrokenRule::SetNullOfNotNull { column, key }.into());
        }
    }
    Ok(())
}

fn validate_column(definition: &TableDefinition, position: usize, column: &Column) -> Result<()> {
    let name = &column.name;
    let wrong = |rule: fn(String) -> BrokenRule| Err(rule(name.clone()).into());
    match &column.ty {
        ColumnType::Decimal { precision, scale }
            if (*precision == 0 || *precision > 65 || *scale > 30 || scale > precision) =>
        {
            return wrong(BrokenRule::Precision);
        }
        ColumnType::Char { chars, .. } if *chars > 255 => return wrong(BrokenRule::ColumnLength),
        ColumnType::Binary { bytes } if *bytes > 255 => return wrong(BrokenRule::ColumnLength),
        ColumnType::VarChar { chars, .. } if *chars > 65_535 => {
            return wrong(BrokenRule::ColumnLength);
        }
        ColumnType::VarBinary { bytes } if *bytes > 65_535 => {
            return wrong(BrokenRule::ColumnLength);
        }
        ColumnType::Time { fsp } | ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp }
            if *fsp > 6 =>
        {
            return wrong(BrokenRule::TimePrecision);
        }
        ColumnType::Enum { values, .. } if values.is_empty() || values.len() > 65_535 => {
            return wrong(BrokenRule::EnumValues);
        }
        ColumnType::Set { values, .. }
            if values.is_empty() || values.len() > ColumnType::SET_MEMBERS_MAX =>
        {
            return wrong(BrokenRule::SetValues);
        }
        ColumnType::Enum { values, .. } | ColumnType::Set { values, .. }
            if values.iter().any(|word| word.chars().count() > WORD_CHARS_MAX) =>
        {
            return wrong(BrokenRule::LongWord);
        }
        ColumnType::Bit { bits } if !(1..=64).contains(bits) => return wrong(BrokenRule::Bits),
        _ => {}
    }
    if column.computed.is_some() {
        if column.auto_increment || column.on_update_now || column.default != DefaultValue::None {
            return wrong(BrokenRule::ComputedDefault);
        }
        let in_key = definition.indexes[0].parts.iter().any(|part| part.column == position);
        if in_key && column.computed.as_ref().is_some_and(|computed| !computed.stored) {
            return Err(BrokenRule::VirtualPrimaryKey.into());
        }
    }
    if column.auto_increment {
        let numeric = matches!(
            column.ty,
            ColumnType::Int { .. } | ColumnType::Float(_) | ColumnType::Double(_)
        );
        if !numeric {
            return wrong(BrokenRule::AutoIncrementType);
        }
        let leads = |index: &Index| index.parts.first().is_some_and(|p| p.column == position);
        if !definition.indexes.iter().any(leads) {
            return Err(BrokenRule::AutoIncrement.into());
        }
    }
    if !column.nullable && column.default == DefaultValue::Literal(None) {
        return wrong(BrokenRule::NullDefault);
    }
    Ok(())
}

fn validate_index(definition: &TableDefinition, index: &Index) -> Result<()> {
    validate_parts(definition, index, None)
}

/// What an index says of its parts, but for one that is an array.
fn validate_parts(definition: &TableDefinition, index: &Index, array: Option<usize>) -> Result<()> {
    if index.parts.len() > INDEX_PARTS_MAX {
        return Err(BrokenRule::TooManyKeyParts.into());
    }
    if index.parts.is_empty() && index.id != PRIMARY {
        return Err(BrokenRule::NoKeyParts.into());
    }
    check_name(Thing::Index, &index.name)?;
    for (number, part) in index.parts.iter().enumerate() {
        if array == Some(number) {
            continue;
        }
        let column = &definition.columns[part.column];
        let name = &column.name;
        let long = matches!(column.ty, ColumnType::Text { .. } | ColumnType::Blob { .. });
        if long && part.prefix.is_none() {
            return Err(BrokenRule::TextKeyWithoutLength(name.to_string()).into());
        }
        if column.ty == ColumnType::Json {
            return Err(BrokenRule::JsonKey(name.to_string()).into());
        }
        let stringy = long
            || matches!(
                column.ty,
                ColumnType::Char { .. }
                    | ColumnType::VarChar { .. }
                    | ColumnType::Binary { .. }
                    | ColumnType::VarBinary { .. }
            );
        if part.prefix == Some(0) {
            return Err(BrokenRule::EmptyPrefix(name.to_string()).into());
        }
        if part.prefix.is_some() && !stringy {
            return Err(BrokenRule::PrefixKey.into());
        }
    }
    Ok(())
}

/// Whether a name is one, and not too long.
///
/// # Errors
/// `Definition`: an empty name, one that ends in a space, one of more than `NAME_CHARS_MAX`
/// characters.
pub fn check_name(what: Thing, name: &str) -> Result<()> {
    if name.is_empty() || name.contains('\0') || name.ends_with(' ') {
        return Err(BrokenRule::Name(what, name.to_owned()).into());
    }
    check_length(name)
}

/// The name of a constraint that is no index may also end in spaces, as MySQL has it.
pub(super) fn check_length(name: &str) -> Result<()> {
    match name.chars().count() > NAME_CHARS_MAX {
        true => Err(BrokenRule::LongName(name.to_owned()).into()),
        false => Ok(()),
    }
}

/// Whether values of `old` are stored and ordered in the same bytes under `new`.
pub(crate) fn widens(old: &ColumnType, new: &ColumnType) -> bool {
    match (old, new) {
        (
            ColumnType::VarChar { chars: old_chars, collation: old_collation },
            ColumnType::VarChar { chars, collation },
        ) => old_collation == collation && chars >= old_chars,
        (ColumnType::VarBinary { bytes: old_bytes }, ColumnType::VarBinary { bytes }) => {
            bytes >= old_bytes
        }
        (
            ColumnType::Enum { values: old_values, collation: old_collation },
            ColumnType::Enum { values, collation },
        ) => old_collation == collation && values.starts_with(old_values),
        (
            ColumnType::Set { values: old_values, collation: old_collation },
            ColumnType::Set { values, collation },
        ) => {
            old_collation == collation
                && values.starts_with(old_values)
                && old.bits_bytes() == new.bits_bytes()
        }
        (ColumnType::Bit { bits: old_bits }, ColumnType::Bit { bits }) => {
            bits >= old_bits && old.bits_bytes() == new.bits_bytes()
        }
        (
            ColumnType::Int { width: old_width, unsigned: old_unsigned, .. },
            ColumnType::Int { width, unsigned, .. },
        ) => old_width == width && old_unsigned == unsigned,
        // Numbers stay what they are; how many digits of them are shown changes, as in MySQL 9.7.
        (ColumnType::Float(_), ColumnType::Float(_))
        | (ColumnType::Double(_), ColumnType::Double(_)) => true,
        _ => old == new,
    }
}
