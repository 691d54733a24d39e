//! EXPLAIN in MySQL's columns: a line for each step of each SELECT, in the order of joining, then
//! those of derived tables and sub-queries.
//!
//! Not here: what is said (`explained`), the same as JSON (`explain_json`).

use values::datum::Value;

use super::explain::ExplainLine;
use super::explained::{ExplainedBlock, ExplainedSubquery, QueryExplanation};
use super::{EXPLAIN_COLUMNS, Listing, maybe, number, text};

/// The lines of a query.
pub fn explain_table(explained: QueryExplanation) -> Listing {
    let mut listing = Listing::new(&EXPLAIN_COLUMNS);
    add(explained, &mut listing);
    listing
}

fn add(explained: QueryExplanation, listing: &mut Listing) {
    match explained {
        QueryExplanation::Block(block) => add_block(*block, listing),
        QueryExplanation::Set(set) => {
            set.sides.into_iter().for_each(|side| add(side, listing));
            if set.has_result {
                let ids: Vec<String> = set.ids.iter().map(u64::to_string).collect();
                let table = format!("<{}{}>", set.name.to_ascii_lowercase(), ids.join(","));
                let extra = if set.sorted { "Using filesort" } else { "" };
                let result = format!("{} RESULT", set.name);
                listing.push(without_table(None, &result, Some(&table), extra));
            }
        }
    }
}

fn add_block(block: ExplainedBlock, listing: &mut Listing) {
    let ExplainedBlock { id, select_type, .. } = block;
    if let Some(message) = block.message {
        listing.push(without_table(Some(id), select_type, None, message));
    }
    let (mut derived, mut in_conditions) = (Vec::new(), Vec::new());
    for (at, table) in block.tables.into_iter().enumerate() {
        let mut line = table.line;
        if at == 0 {
            let groups = block.grouped && !block.in_group_order;
            if groups || block.distinct || block.windows > 0 {
                line.extra.push("Using temporary".to_owned());
            }
            if block.sorted {
                line.extra.push("Using filesort".to_owned());
            }
        }
        listing.push(cells(id, select_type, line));
        derived.extend(table.derived);
        in_conditions.extend(table.subqueries);
    }
    derived.into_iter().for_each(|(query, _)| add(query, listing));
    let subqueries = [block.in_select, block.in_having, block.once, in_conditions];
    for ExplainedSubquery { query, .. } in subqueries.into_iter().flatten() {
        add(query, listing);
    }
}

/// A line in the order of `EXPLAIN_COLUMNS`.
fn cells(id: u64, select_type: &str, line: ExplainLine) -> Vec<Value> {
    let joined = |names: &[String], by| (!names.is_empty()).then(|| names.join(by));
    vec![
        number(id),
        text(select_type),
        text(&line.table),
        maybe(line.partitions.as_deref()),
        text(line.kind),
        maybe(joined(&line.possible_keys, ",")),
        maybe(line.key.as_deref()),
        maybe(line.key_bytes.map(|bytes| bytes.to_string())),
        maybe(joined(&line.references, ",")),
        number(line.rows()),
        text(format!("{:.2}", line.filtered)),
        maybe(joined(&line.extra, "; ")),
    ]
}

fn without_table(
    id: Option<u64>,
    select_type: &str,
    table: Option<&str>,
    extra: &str,
) -> Vec<Value> {
    let mut row = vec![Value::Null; EXPLAIN_COLUMNS.len()];
    row[0] = id.map_or(Value::Null, number);
    row[1] = text(select_type);
    row[2] = maybe(table);
    row[EXPLAIN_COLUMNS.len() - 1] = text(extra);
    row
}
