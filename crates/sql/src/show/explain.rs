//! What EXPLAIN says of the way to the rows of one table, in MySQL's words.
//!
//! Not here: queries over several tables (`explained`), how it looks (`explain_table`,
//! `explain_json`, `explain_tree`).

use std::sync::Arc;

use expression::{Environment, Node};
use rows::table::{PartCodec, Table};

use super::explained::QueryExplanation;
use super::{Listing, text};
use plan::index_use::IndexUse;
use plan::optimize::{Sizes, rows_of_way};
use plan::point::{Access, AccessKind, ArrayLookup, IndexKeys, Lookup, ReaderKind, ways};
use results::Result;
use values::temporal::Zone;

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
    let per_char = part.ty.collation().map_or(4, |collation| collation.set().bytes_max().into());
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
    fn possible_keys(&self) -> Vec<String> {
        let mut ways =
            ways(self.table, self.index_use, &self.access.terms, None, ReaderKind::ByRange);
        if let Some(name) = ways.iter().find_map(|way| way.full_text(self.table)) {
            return vec![name.to_owned()];
        }
        ways.retain(|way| !matches!(way.kind, AccessKind::All | AccessKind::Index));
        let arrays: Vec<String> =
            ways.iter().filter_map(|way| way.multi_valued(self.table)).map(str::to_owned).collect();
        ways.retain(|way| way.array.is_none());
        let mut indexes: Vec<usize> = ways.iter().flat_map(Access::indexes).collect();
        let begins = |index: &usize| {
            let first = self.table.indexes[*index].parts.first();
            let is_joined = first.is_some_and(|part| self.joined.contains(&part.column));
            is_joined && self.index_use.looks_up(*index)
        };
        indexes.extend((0..self.table.indexes.len()).filter(begins));
        indexes.sort_unstable();
        indexes.dedup();
        let mut names = names_of(self.table, indexes.into_iter());
        names.extend(arrays);
        names
    }
}

fn names_of(table: &Table, indexes: impl Iterator<Item = usize>) -> Vec<String> {
    indexes.map(|index| table.indexes[index].name.clone()).collect()
}

/// What EXPLAIN says of a statement about one table, or none.
///
/// # Errors
/// Of the store, which is asked how many rows there are.
pub fn explained_table(
    sizes: &Sizes<'_>,
    select_type: &'static str,
    shown: Option<ShownAccess<'_>>,
) -> Result<QueryExplanation> {
    let Some(shown) = shown else {
        return Ok(QueryExplanation::of_nothing(select_type, "No tables used"));
    };
    let (examined, found) = rows_of_way(shown.table, shown.access, sizes)?;
    let mut line = of_access(&shown, &|_| None);
    line.set_rows(examined, found);
    Ok(QueryExplanation::of_table(select_type, line, shown.sorted))
}

/// The way to the rows of a table.
pub struct ExplainLine {
    /// Its alias, or what stands for it.
    pub table: String,
    /// The partitions that are read, of a table that has some.
    pub partitions: Option<String>,
    /// MySQL's name of the kind of way.
    pub kind: &'static str,
    /// The indexes that its conditions are about.
    pub possible_keys: Vec<String>,
    /// The index that is used, or several.
    pub key: Option<String>,
    /// The columns of the parts of it that are used.
    pub key_columns: Vec<String>,
    /// Bytes that MySQL counts for these.
    pub key_bytes: Option<u64>,
    /// What they are compared with.
    pub references: Vec<String>,
    /// About how many rows are looked at.
    pub examined: f64,
    /// How many of a hundred of these are thought to be left.
    pub filtered: f64,
    /// Whether the index's entries tell all that is asked.
    pub covers: bool,
    /// Whether rows are found in a hash table.
    pub hashed: bool,
    /// MySQL's remarks.
    pub extra: Vec<String>,
}

impl ExplainLine {
    /// Of all rows of something.
    pub fn of_all(table: String) -> ExplainLine {
        ExplainLine {
            table,
            partitions: None,
            kind: "ALL",
            possible_keys: Vec::new(),
            key: None,
            key_columns: Vec::new(),
            key_bytes: None,
            references: Vec::new(),
            examined: 1.0,
            filtered: 100.0,
            covers: false,
            hashed: false,
            extra: Vec::new(),
        }
    }

    /// Says how many rows are looked at, and how many of these are found.
    pub fn set_rows(&mut self, examined: f64, found: f64) {
        self.examined = examined.max(1.0);
        self.filtered = (found / self.examined * 100.0).clamp(0.01, 100.0);
    }

    /// About how many rows are looked at.
    pub fn rows(&self) -> u64 {
        self.examined.round() as u64
    }
}

/// What a line says of a way to rows, how many apart. `joined` names the column of a row joined
/// before that a value is.
pub fn of_access(shown: &ShownAccess<'_>, joined: &dyn Fn(&Node) -> Option<String>) -> ExplainLine {
    let ShownAccess { table, access, .. } = *shown;
    if let Some(lookup) = access.array.as_deref() {
        return of_array(shown, lookup);
    }
    let definition = &table.indexes[access.index];
    let references = || {
        let keys = access.keys.first()?;
        let equal = keys.equal.iter().map(|lookup| match lookup {
            Lookup::One(node, _) => Some(joined(node).unwrap_or_else(|| "const".to_owned())),
            Lookup::Any(..) | Lookup::Null => Some("const".to_owned()),
            Lookup::Partitions(_) => None,
        });
        Some(equal.flatten().collect::<Vec<_>>())
    };
    let references = match access.kind {
        AccessKind::FullText => vec!["const".to_owned()],
        AccessKind::Const | AccessKind::Ref => references().unwrap_or_default(),
        _ => Vec::new(),
    };
    let is_constant = references.iter().all(|one| one == "const");
    let kind = match access.kind {
        AccessKind::Const if is_constant => "const",
        AccessKind::Const => "eq_ref",
        AccessKind::Ref => "ref",
        AccessKind::Range => "range",
        AccessKind::Merge => "index_merge",
        AccessKind::FullText => "fulltext",
        AccessKind::MultiValued => "range",
        AccessKind::Index => "index",
        AccessKind::All if access.index > 0 => "index",
        AccessKind::All => "ALL",
    };
    let uses_key = kind != "ALL";
    let parts = |keys: &IndexKeys| keys.parts() + usize::from(keys.between.is_some());
    let parts = match access.kind {
        AccessKind::Index | AccessKind::All => definition.parts.len(),
        _ => access.keys.iter().map(parts).max().unwrap_or(0),
    };
    // MySQL counts none for a full-text search.
    let parts = if access.kind == AccessKind::FullText { 0 } else { parts };
    let own = table.key_parts(access.index).skip(usize::from(table.partition_column().is_some()));
    let key_bytes: u64 = own.take(parts).map(part_bytes).sum();
    let parts = definition.parts.iter().take(if uses_key { parts } else { 0 });
    let key_columns = parts.map(|part| table.columns[part.column].name.clone()).collect();
    let names = match access.full_text(table) {
        Some(name) => name.to_owned(),
        None => names_of(table, access.indexes()).join(","),
    };
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
        key_columns,
        key_bytes: uses_key.then_some(key_bytes),
        references,
        extra,
        partitions: partitions_of(shown),
        ..ExplainLine::of_all(shown.name.to_owned())
    }
}

/// The same of elements that are looked up in a multi-valued index.
fn of_array(shown: &ShownAccess<'_>, lookup: &ArrayLookup) -> ExplainLine {
    let ShownAccess { table, .. } = *shown;
    let index = &table.multi_valued[lookup.index].index;
    let position = table.first_multi_valued() + lookup.index;
    let own = table.key_parts(position).skip(usize::from(table.partition_column().is_some()));
    // MySQL counts a byte for the NULL of the array.
    let key_bytes = own.take(lookup.parts()).map(part_bytes).sum::<u64>() + 1;
    let parts = index.parts.iter().take(lookup.parts());
    let is_ref = lookup.is_of_one();
    ExplainLine {
        kind: if is_ref { "ref" } else { "range" },
        possible_keys: shown.possible_keys(),
        key: Some(index.name.clone()),
        key_columns: parts.map(|part| table.columns[part.column].name.clone()).collect(),
        key_bytes: Some(key_bytes),
        references: vec!["const".to_owned(); if is_ref { lookup.parts() } else { 0 }],
        extra: vec!["Using where".to_owned()],
        partitions: partitions_of(shown),
        ..ExplainLine::of_all(shown.name.to_owned())
    }
}

/// The partitions that are read, as far as literals tell; nothing of a table without any.
fn partitions_of(shown: &ShownAccess<'_>) -> Option<String> {
    let partitioning = shown.table.partitioning.as_ref()?;
    let environment = Environment::bare(&[], Zone::UTC);
    let mut ids = Vec::new();
    for (_, keys) in shown.access.all_keys() {
        match keys.partitions() {
            // What another table's row tells is known when it is there.
            Some(terms) => ids.extend(
                terms
                    .ids(shown.table, &environment.scope())
                    .unwrap_or_else(|_| terms.named_ids(shown.table)),
            ),
            None => ids.extend(partitioning.partitions.iter().map(|partition| partition.id)),
        }
    }
    let read = partitioning.partitions.iter().filter(|partition| ids.contains(&partition.id));
    let names: Vec<&str> = read.map(|partition| &*partition.name).collect();
    (!names.is_empty()).then(|| names.join(","))
}

/// A plan as lines of text.
pub fn plan_text(lines: &[String]) -> Listing {
    let mut listing = Listing::new(&["EXPLAIN"]).long_text(0);
    for line in lines {
        listing.push(vec![text(line)]);
    }
    listing
}
