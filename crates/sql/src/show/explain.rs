//! EXPLAIN: which way a statement goes to the rows of one table, in MySQL's columns.
//!
//! Not here: queries over several tables (`explain_table`), plans as trees (`explain_tree`).

use std::sync::Arc;

use expression::{Node, type_collation};
use rows::table::{PartCodec, Table};
use values::datum::Value;

use super::{Listing, maybe, number, text};
use plan::index_use::IndexUse;
use plan::optimize::{Sizes, rows_of_way};
use plan::point::{Access, AccessKind, IndexKeys, Lookup, ReaderKind, ways};
use results::Result;

/// The columns of EXPLAIN; those ending in `#` are numbers.
pub const EXPLAIN_COLUMNS: [&str; 12] = [
    "id#",
    "select_type",
    "table",
    "partitions",
    "type",
    "possible_keys",
    "key",
    "key_len",
    "ref",
    "rows#",
    "filtered",
    "Extra",
];

/// Bytes that MySQL counts for a key part of a column.
fn part_bytes(part: &PartCodec) -> u64 {
    use values::types::{ColumnType as T, IntWidth as W};
    let per_char =
        if type_collation(&part.ty) == Some(values::types::Collation::Binary) { 1 } else { 4 };
    let fraction = |fsp: u8| u64::from(fsp.div_ceil(2));
    let bytes = match &part.ty {
        T::Int { width, .. } => match width {
            W::Tiny => 1,
            W::Small => 2,
            W::Medium => 3,
            W::Int => 4,
            W::Big => 8,
        },
        T::Float(_) => 4,
        T::Double(_) => 8,
        T::Decimal { precision, scale } => {
            let digits = |n: u8| u64::from(n / 9) * 4 + u64::from(n % 9).div_ceil(2);
            digits(precision - scale) + digits(*scale)
        }
        T::Char { chars, .. } => u64::from(part.prefix.unwrap_or(*chars)) * per_char,
        T::VarChar { chars, .. } => u64::from(part.prefix.unwrap_or(*chars)) * per_char + 2,
        T::Text { .. } => u64::from(part.prefix.unwrap_or(0)) * per_char + 2,
        T::Binary { bytes } => u64::from(part.prefix.unwrap_or(*bytes)),
        T::VarBinary { bytes } => u64::from(part.prefix.unwrap_or(*bytes)) + 2,
        T::Blob { .. } => u64::from(part.prefix.unwrap_or(0)) + 2,
        T::Date => 3,
        T::Time { fsp } => 3 + fraction(*fsp),
        T::DateTime { fsp } => 5 + fraction(*fsp),
        T::Timestamp { fsp } => 4 + fraction(*fsp),
        T::Year => 1,
        T::Enum { values, .. } => {
            if values.len() > 255 {
                2
            } else {
                1
            }
        }
        T::Set { .. } | T::Bit { .. } => part.ty.bits_bytes() as u64,
        T::Json => 0,
    };
    bytes + u64::from(part.nullable)
}

/// The way to one table's rows.
#[derive(Clone, Copy)]
pub struct ShownAccess<'a> {
    /// The table.
    pub table: &'a Arc<Table>,
    /// Its alias or name.
    pub name: &'a str,
    /// The way.
    pub access: &'a Access,
    /// Among which indexes it was chosen.
    pub index_use: &'a IndexUse,
    /// Whether the rows are sorted afterwards.
    pub sorted: bool,
    /// Columns that equal another table's.
    pub joined: &'a [usize],
}

impl ShownAccess<'_> {
    /// The indexes whose keys the conditions narrow, or would in another order of joining; in the
    /// table's order.
    fn possible_keys(&self) -> Option<String> {
        let mut ways =
            ways(self.table, self.index_use, &self.access.terms, None, ReaderKind::ByRange);
        ways.retain(Access::is_narrow);
        let mut indexes: Vec<usize> = ways.iter().flat_map(Access::indexes).collect();
        let begins = |index: &usize| {
            let first = self.table.indexes[*index].parts.first();
            let is_joined = first.is_some_and(|part| self.joined.contains(&part.column));
            is_joined && self.index_use.looks_up(*index)
        };
        indexes.extend((0..self.table.indexes.len()).filter(begins));
        indexes.sort_unstable();
        indexes.dedup();
        (!indexes.is_empty()).then(|| names_of(self.table, indexes.into_iter()))
    }
}

/// The names of indexes, as EXPLAIN lists them.
fn names_of(table: &Table, indexes: impl Iterator<Item = usize>) -> String {
    let names: Vec<&str> = indexes.map(|index| table.indexes[index].name.as_str()).collect();
    names.join(",")
}

/// The lines of EXPLAIN for one table, or for none.
///
/// # Errors
/// Of the store, which is asked how many rows there are.
pub fn explain_lines(
    sizes: &Sizes<'_>,
    select_type: &'static str,
    shown: Option<ShownAccess<'_>>,
) -> Result<Listing> {
    let mut listing = Listing::new(&EXPLAIN_COLUMNS);
    let Some(shown) = shown else {
        let mut row = vec![number(1), text(select_type)];
        row.extend(std::iter::repeat_n(Value::Null, 9));
        row.push(text("No tables used"));
        listing.push(row);
        return Ok(listing);
    };
    let (examined, found) = rows_of_way(shown.table, shown.access, sizes)?;
    let mut line = ExplainLine { id: 1, select_type, ..of_access(&shown, &|_| None) };
    line.set_rows(examined, found);
    if shown.sorted {
        line.extra.push("Using filesort".to_owned());
    }
    listing.push(line.cells());
    Ok(listing)
}

/// One line of EXPLAIN.
pub struct ExplainLine {
    pub id: u64,
    pub select_type: &'static str,
    pub table: String,
    pub kind: &'static str,
    pub possible_keys: Option<String>,
    pub key: Option<String>,
    pub key_bytes: Option<u64>,
    pub references: Option<String>,
    pub rows: u64,
    /// How many of a hundred rows are thought to be left.
    pub filtered: f64,
    pub extra: Vec<String>,
}

impl ExplainLine {
    /// Of all rows of something.
    pub fn of_all(table: String) -> ExplainLine {
        ExplainLine {
            id: 1,
            select_type: "SIMPLE",
            table,
            kind: "ALL",
            possible_keys: None,
            key: None,
            key_bytes: None,
            references: None,
            rows: 1,
            filtered: 100.0,
            extra: Vec::new(),
        }
    }

    /// Says how many rows are looked at, and how many of these are found.
    pub fn set_rows(&mut self, examined: f64, found: f64) {
        let examined = examined.max(1.0);
        self.rows = examined.round() as u64;
        self.filtered = (found / examined * 100.0).clamp(0.01, 100.0);
    }

    /// In the order of `EXPLAIN_COLUMNS`.
    pub fn cells(self) -> Vec<Value> {
        vec![
            number(self.id),
            text(self.select_type),
            text(&self.table),
            Value::Null,
            text(self.kind),
            maybe(self.possible_keys),
            maybe(self.key),
            maybe(self.key_bytes.map(|bytes| bytes.to_string())),
            maybe(self.references),
            number(self.rows),
            text(format!("{:.2}", self.filtered)),
            maybe((!self.extra.is_empty()).then(|| self.extra.join("; "))),
        ]
    }
}

/// What a line says of a way to rows, how many apart. `joined` names the column of a row joined
/// before that a value is.
pub fn of_access(shown: &ShownAccess<'_>, joined: &dyn Fn(&Node) -> Option<String>) -> ExplainLine {
    let ShownAccess { table, access, .. } = *shown;
    let definition = &table.indexes[access.index];
    let references = || {
        let keys = access.keys.first()?;
        let equal = keys.equal.iter().map(|lookup| match lookup {
            Lookup::One(node, _) => joined(node).unwrap_or_else(|| "const".to_owned()),
            Lookup::Any(..) | Lookup::Null => "const".to_owned(),
        });
        Some(equal.collect::<Vec<_>>().join(","))
    };
    let references = match access.kind {
        AccessKind::Const | AccessKind::Ref => references(),
        _ => None,
    };
    let is_constant =
        references.as_ref().is_none_or(|all| all.split(',').all(|one| one == "const"));
    let kind = match access.kind {
        AccessKind::Const if is_constant => "const",
        AccessKind::Const => "eq_ref",
        AccessKind::Ref => "ref",
        AccessKind::Range => "range",
        AccessKind::Merge => "index_merge",
        AccessKind::Index => "index",
        AccessKind::All if access.index > 0 => "index",
        AccessKind::All => "ALL",
    };
    let uses_key = kind != "ALL";
    let parts = |keys: &IndexKeys| keys.equal.len() + usize::from(keys.between.is_some());
    let parts = match access.kind {
        AccessKind::Index | AccessKind::All => definition.parts.len(),
        _ => access.keys.iter().map(parts).max().unwrap_or(0),
    };
    let key_bytes: u64 = table.key_parts(access.index).take(parts).map(part_bytes).sum();
    let names = names_of(table, access.indexes());
    let mut extra = Vec::new();
    if access.kind == AccessKind::Merge {
        extra.push(format!("Using union({names})"));
    }
    if !access.takes_all(false) {
        extra.push("Using where".to_owned());
    }
    if access.kind == AccessKind::Range && access.residual.is_empty() {
        extra.push("Using index condition".to_owned());
    }
    if access.direction == rows::store::Direction::Backward {
        extra.push("Backward index scan".to_owned());
    }
    ExplainLine {
        kind,
        possible_keys: shown.possible_keys(),
        key: uses_key.then_some(names),
        key_bytes: uses_key.then_some(key_bytes),
        references,
        extra,
        ..ExplainLine::of_all(shown.name.to_owned())
    }
}

/// A plan as lines of text.
pub fn plan_text(lines: &[String]) -> Listing {
    let mut listing = Listing::new(&["EXPLAIN"]).long_text(0);
    for line in lines {
        listing.push(vec![text(line)]);
    }
    listing
}
