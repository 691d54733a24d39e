//! Definitions as statements: SHOW CREATE TABLE.
//!
//! Invariants
//! 1. What SHOW CREATE TABLE prints makes the same table here, and is taken by MySQL and MariaDB.

use rows::foreign_key::{ForeignKey, ReferentialAction};
use rows::schema::{
    CheckDefinition, Column, ColumnarIndex, DefaultValue, FullTextIndex, Index, MemberIndex,
    TableDefinition,
};
use syntax::definition_text;
use values::CharacterSet;
use values::full_text::TextParser;
use values::temporal::Zone;
use values::types::{Collation, ColumnType, string_literal};

use super::column::{bits_literal, literal_in_zone, now_text, zerofilled};
use super::partition::partition_by_text;
use super::storage_options::options_text;

/// A name in backticks.
pub fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

fn column_line(column: &Column, default: Collation, zone: Zone) -> String {
    let mut line = format!("{} {}", quoted(&column.name), column.mysql_type_name());
    let collation = match &column.ty {
        ColumnType::Char { collation, .. }
        | ColumnType::VarChar { collation, .. }
        | ColumnType::Text { collation, .. }
        | ColumnType::Enum { collation, .. }
        | ColumnType::Set { collation, .. } => Some(*collation),
        _ => None,
    };
    if let Some(collation) = long_collation(&column.ty) {
        let set = collation.split('_').next().unwrap_or_default();
        line.push_str(&format!(" CHARACTER SET {set} COLLATE {collation}"));
    } else if let Some(collation) = collation {
        let explicit = column.explicit_collation;
        if explicit || collation.set() != default.set() {
            line.push_str(&format!(" CHARACTER SET {}", collation.set_name()));
        }
        if explicit || (collation != default && says_collation(collation)) || stands_out(collation)
        {
            line.push_str(&format!(" COLLATE {}", collation.name()));
        }
    }
    if let Some(computed) = &column.computed {
        let word = if computed.stored { "STORED" } else { "VIRTUAL" };
        let expression = definition_text(&computed.expression);
        line.push_str(&format!(" GENERATED ALWAYS AS ({expression}) {word}"));
    }
    if !column.nullable {
        line.push_str(" NOT NULL");
    } else if matches!(column.ty, ColumnType::Timestamp { .. }) {
        line.push_str(" NULL");
    }
    match &column.default {
        DefaultValue::Literal(Some(text)) => {
            let literal = match bits_literal(&column.ty, text) {
                Some(bits) => bits,
                None => {
                    string_literal(&zerofilled(column, &literal_in_zone(&column.ty, text, zone)))
                }
            };
            line.push_str(&format!(" DEFAULT {literal}"));
        }
        DefaultValue::CurrentTimestamp => {
            line.push_str(&format!(" DEFAULT {}", now_text(&column.ty)));
        }
        DefaultValue::Expression(text) => {
            line.push_str(&format!(" DEFAULT ({})", definition_text(text)));
        }
        _ if column.computed.is_some() => {}
        DefaultValue::Dropped => {}
        DefaultValue::Literal(None) | DefaultValue::None => {
            let long = matches!(column.ty, ColumnType::Text { .. } | ColumnType::Blob { .. });
            if column.nullable && !long && !column.auto_increment {
                line.push_str(" DEFAULT NULL");
            }
        }
    }
    if column.on_update_now {
        line.push_str(&format!(" ON UPDATE {}", now_text(&column.ty)));
    }
    if column.auto_increment {
        line.push_str(" AUTO_INCREMENT");
    }
    if !column.comment.is_empty() {
        line.push_str(&format!(" COMMENT {}", string_literal(&column.comment)));
    }
    if column.invisible {
        line.push_str(" /*!80023 INVISIBLE */");
    }
    line
}

/// Whether a table or a database names the collation behind its character set: where it is not the
/// set's own, and of utf8mb4 always, which other servers have other defaults of.
pub fn says_collation(collation: Collation) -> bool {
    !collation.is_default() || collation.set() == CharacterSet::UTF8MB4
}

/// Whether each column names it, although it is the table's: it is the set's own neither here nor
/// in MySQL.
fn stands_out(collation: Collation) -> bool {
    !collation.is_default() && collation != Collation::Utf8Mb40900AiCi
}

/// The collation of the widest character set in which a VARCHAR that is too long for utf8mb4 may be
/// so long.
fn long_collation(ty: &ColumnType) -> Option<&'static str> {
    let ColumnType::VarChar { chars: 16_384.., collation } = ty else { return None };
    // Such are of a character set that was kept as utf8mb4.
    if collation.set() != CharacterSet::UTF8MB4 {
        return None;
    }
    let is_narrow = matches!(ty, ColumnType::VarChar { chars: 21_846.., .. });
    Some(match (is_narrow, collation) {
        (false, Collation::Utf8Mb4UnicodeCi) => "utf8mb3_unicode_ci",
        (false, Collation::Utf8Mb4Unicode520Ci) => "utf8mb3_unicode_520_ci",
        (false, Collation::Utf8Mb4Bin) => "utf8mb3_bin",
        (false, _) => "utf8mb3_general_ci",
        (true, Collation::Utf8Mb4Bin) => "latin1_bin",
        (true, _) => "latin1_swedish_ci",
    })
}

fn index_line(definition: &TableDefinition, index: &Index, primary: bool) -> String {
    let parts: Vec<String> = index
        .parts
        .iter()
        .map(|part| {
            let name = quoted(&definition.columns[part.column].name);
            let order = if part.descending { " DESC" } else { "" };
            match (definition.part_expression(part), part.prefix) {
                (Some(expression), _) => format!("({}){order}", definition_text(expression)),
                (None, Some(prefix)) => format!("{name}({prefix}){order}"),
                (None, None) => format!("{name}{order}"),
            }
        })
        .collect();
    let parts = parts.join(",");
    let mut line = match (primary, index.unique) {
        (true, _) => format!("PRIMARY KEY ({parts})"),
        (false, true) => format!("UNIQUE KEY {} ({parts})", quoted(&index.name)),
        (false, false) => format!("KEY {} ({parts})", quoted(&index.name)),
    };
    if index.explicit_btree {
        line.push_str(" USING BTREE");
    }
    if !index.comment.is_empty() {
        line.push_str(&format!(" COMMENT {}", string_literal(&index.comment)));
    }
    if index.invisible {
        line.push_str(" /*!80000 INVISIBLE */");
    }
    line
}

fn full_text_line(index: &FullTextIndex) -> String {
    let columns: Vec<String> = index.columns.iter().map(|name| quoted(name)).collect();
    let mut line = format!("FULLTEXT KEY {} ({})", quoted(&index.name), columns.join(","));
    if !index.comment.is_empty() {
        line.push_str(&format!(" COMMENT {}", string_literal(&index.comment)));
    }
    if index.invisible {
        line.push_str(" /*!80000 INVISIBLE */");
    }
    if index.rules.parser == TextParser::Ngram {
        line.push_str(" /*!50100 WITH PARSER `ngram` */ ");
    }
    line
}

fn columnar_index_line(index: &ColumnarIndex) -> String {
    let columns: Vec<String> = index.columns.iter().map(|name| quoted(name)).collect();
    let mut line = format!("COLUMNAR KEY {} ({})", quoted(&index.name), columns.join(","));
    if !index.comment.is_empty() {
        line.push_str(&format!(" COMMENT {}", string_literal(&index.comment)));
    }
    // To other servers this is a comment, unless something in it would end that.
    match line.contains("*/") {
        false => format!("\n  /*!999999 , {line} */"),
        true => format!(",\n  {line}"),
    }
}

fn member_text(index: &MemberIndex) -> String {
    // What ends a comment would end the one that this stands in, for whom it is one.
    let member = match index.member.contains("*/") {
        false => string_literal(&index.member),
        true => {
            index.member.bytes().fold("X'".to_owned(), |hex, byte| format!("{hex}{byte:02X}")) + "'"
        }
    };
    format!("{}.{member} {}", quoted(&index.column), index.kind.name())
}

/// The statement that makes the table in a session of a zone; `next` is its next AUTO_INCREMENT
/// value, if it has one.
pub fn create_table_text(
    definition: &TableDefinition,
    default: Collation,
    next: Option<u64>,
    zone: Zone,
) -> String {
    let named = definition.named_columns().iter();
    let mut lines: Vec<String> = named.map(|column| column_line(column, default, zone)).collect();
    for (n, index) in definition.indexes_in_order().into_iter().enumerate() {
        if n > 0 || !index.parts.is_empty() {
            lines.push(index_line(definition, index, n == 0));
        }
    }
    lines.extend(definition.full_texts.iter().map(full_text_line));
    let mut keys: Vec<&ForeignKey> = definition.foreign_keys.iter().collect();
    keys.sort_by_key(|key| key.name.to_lowercase());
    let is_said = |action| action != ReferentialAction::NoAction;
    lines.extend(keys.into_iter().map(|key| key.text(&definition.database, is_said)));
    let mut checks: Vec<&CheckDefinition> = definition.checks.iter().collect();
    checks.sort_by_key(|check| check.name.to_lowercase());
    for check in checks {
        let (name, condition) = (quoted(&check.name), definition_text(&check.condition));
        let ending = if check.unenforced { " /*!80016 NOT ENFORCED */" } else { "" };
        lines.push(format!("CONSTRAINT {name} CHECK ({condition}){ending}"));
    }
    let mut lines = lines.join(",\n  ");
    if let Some(index) = &definition.columnar_index {
        lines.push_str(&columnar_index_line(index));
    }
    let temporary = if definition.is_temporary() { "TEMPORARY " } else { "" };
    let mut text = format!(
        "CREATE {temporary}TABLE {} (\n  {lines}\n) ENGINE={}",
        quoted(&definition.name),
        definition.engine
    );
    if let Some(next) = next.filter(|next| *next > 1) {
        text.push_str(&format!(" AUTO_INCREMENT={next}"));
    }
    text.push_str(&format!(" DEFAULT CHARSET={}", default.set_name()));
    if says_collation(default) {
        text.push_str(&format!(" COLLATE={}", default.name()));
    }
    text.push_str(&options_text(&definition.storage_options));
    if !definition.comment.is_empty() {
        text.push_str(&format!(" COMMENT={}", string_literal(&definition.comment)));
    }
    // Options that no other server knows: to them this is a comment.
    let mut ours = String::new();
    if let Some(column) = &definition.retention.expires_by {
        ours.push_str(&format!(" EXPIRES_BY={}", quoted(column)));
    }
    if definition.retention.bytes_max > 0 {
        ours.push_str(&format!(" MAX_BYTES={}", definition.retention.bytes_max));
    }
    if !definition.members.is_empty() {
        let members: Vec<String> = definition.members.iter().map(member_text).collect();
        ours.push_str(&format!(" MEMBER_INDEXES=({})", members.join(",")));
    }
    // A name may have what would end the comment.
    match ours.contains("*/") {
        _ if ours.is_empty() => {}
        true => text.push_str(&ours),
        false => text.push_str(&format!(" /*!999999{ours} */")),
    }
    text.push_str(&partition_by_text(definition));
    text
}
