//! EXPLAIN: which way a statement goes to its rows.
//!
//! A look-up is shown in MySQL's columns; an analytic query as its plan, one line per node.

use rows::datum::Value;
use rows::engine::Engine;
use rows::table::Table;

use super::catalog::approximate_rows;
use super::{Listing, maybe, number, text};
use crate::expression::type_collation;
use crate::index_use::IndexUse;
use crate::point::{Access, AccessKind, Lookup, ways};

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
fn part_bytes(table: &Table, index: usize, part: usize) -> u64 {
    use rows::types::{ColumnType as T, IntWidth as W};
    let part = &table.indexes[index].parts[part];
    let column = &table.columns[part.column];
    let per_char =
        if type_collation(&column.ty) == Some(rows::types::Collation::Binary) { 1 } else { 4 };
    let fraction = |fsp: u8| u64::from(fsp.div_ceil(2));
    let bytes = match &column.ty {
        T::Int { width, .. } => match width {
            W::Tiny => 1,
            W::Small => 2,
            W::Medium => 3,
            W::Int => 4,
            W::Big => 8,
        },
        T::Float => 4,
        T::Double => 8,
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
        T::Json => 0,
    };
    bytes + u64::from(column.nullable)
}

/// The way to one table's rows.
#[derive(Clone, Copy)]
pub struct ShownAccess<'a> {
    /// The table.
    pub table: &'a Table,
    /// Its alias or name.
    pub name: &'a str,
    /// The way.
    pub access: &'a Access,
    /// Among which indexes it was chosen.
    pub index_use: &'a IndexUse,
    /// Whether the rows are sorted afterwards.
    pub sorted: bool,
}

impl ShownAccess<'_> {
    /// The indexes whose keys the conditions narrow, in the table's order.
    fn possible_keys(&self) -> Option<String> {
        let mut ways = ways(self.table, self.index_use, &self.access.terms, None);
        ways.retain(Access::is_narrow);
        ways.sort_by_key(|way| way.index);
        let names: Vec<&str> =
            ways.iter().map(|way| self.table.indexes[way.index].name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(","))
    }
}

/// The lines of EXPLAIN for one table, or for none.
pub fn explain_lines(
    engine: &Engine,
    select_type: &str,
    shown: Option<ShownAccess<'_>>,
) -> Listing {
    let mut listing = Listing::new(&EXPLAIN_COLUMNS);
    let Some(shown) = shown else {
        let mut row = vec![number(1), text(select_type)];
        row.extend(std::iter::repeat_n(Value::Null, 9));
        row.push(text("No tables used"));
        listing.push(row);
        return listing;
    };
    let ShownAccess { table, access, sorted, .. } = shown;
    let kind = match access.kind {
        AccessKind::Const => "const",
        AccessKind::Ref => "ref",
        AccessKind::Range => "range",
        AccessKind::Index => "index",
        AccessKind::All => "ALL",
    };
    let uses_key = access.kind != AccessKind::All;
    let parts = access.equal.len() + usize::from(access.between.is_some());
    let parts = if access.kind == AccessKind::Index {
        table.indexes[access.index].parts.len()
    } else {
        parts.min(table.indexes[access.index].parts.len())
    };
    let key_bytes: u64 = (0..parts).map(|part| part_bytes(table, access.index, part)).sum();
    let rows = approximate_rows(engine, table);
    let estimate = match access.kind {
        AccessKind::Const => 1,
        AccessKind::Ref => (rows / 10).max(1),
        AccessKind::Range => {
            let lists = access.equal.iter().map(|lookup| match lookup {
                Lookup::Any(nodes, _) => nodes.len() as u64,
                _ => 1,
            });
            let product: u64 = lists.product();
            if access.between.is_some() { (rows / 3).max(1) } else { product.max(1) }
        }
        AccessKind::Index | AccessKind::All => rows,
    };
    let references = (access.kind == AccessKind::Const || access.kind == AccessKind::Ref)
        .then(|| vec!["const"; access.equal.len()].join(","));
    let mut extra = Vec::new();
    if !access.residual.is_empty() {
        extra.push("Using where");
    }
    if access.kind == AccessKind::Range && access.residual.is_empty() {
        extra.push("Using index condition");
    }
    if sorted {
        extra.push("Using filesort");
    }
    if access.direction == rows::store::Direction::Backward {
        extra.push("Backward index scan");
    }
    let name = &table.indexes[access.index].name;
    listing.push(vec![
        number(1),
        text(select_type),
        text(shown.name),
        Value::Null,
        text(kind),
        maybe(shown.possible_keys()),
        maybe(uses_key.then_some(name)),
        maybe(uses_key.then(|| key_bytes.to_string())),
        maybe(references),
        number(estimate),
        text("100.00"),
        maybe((!extra.is_empty()).then(|| extra.join("; "))),
    ]);
    listing
}

/// A plan as lines of text.
pub fn plan_text(lines: &[String]) -> Listing {
    let mut listing = Listing::new(&["EXPLAIN"]).long_text(0);
    for line in lines {
        listing.push(vec![text(line)]);
    }
    listing
}
