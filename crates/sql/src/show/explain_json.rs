//! EXPLAIN FORMAT=JSON: MySQL's document of version 1 (`explain_json_format_version`), which
//! clients draw plans from.
//!
//! ```text
//! query_block       select_id, cost_info, then one of
//! ├ ordering_operation > duplicates_removal > windowing > grouping_operation > ..
//! │   └ nested_loop: [{table}, ..], or table: ways, rows, conditions, materialized_from_subquery
//! ├ union_result: query_specifications
//! └ message
//! ```
//! Costs are numbers of rows, as the optimizer counts them.
//!
//! Not here: what is said (`explained`).

use std::fmt::Write;

use super::explained::{
    ExplainedBlock, ExplainedSet, ExplainedSubquery, ExplainedTable, QueryExplanation,
};

/// The document of a query; `change` is `update`, `delete` or `insert` for a statement that writes.
pub fn explain_json(explained: &QueryExplanation, change: Option<&'static str>) -> String {
    document(query_block(explained, change))
}

/// The document of a query that is run by column, whose plan these lines are.
pub fn columns_json(lines: &[String]) -> String {
    document(Json::Object(vec![
        ("select_id", Json::Number(1)),
        ("message", Json::text("The query is run by column")),
        ("columnar_plan", Json::List(lines.iter().map(Json::text).collect())),
    ]))
}

fn document(block: Json) -> String {
    let mut text = String::new();
    Json::Object(vec![("query_block", block)]).write(0, &mut text);
    text
}

type Fields = Vec<(&'static str, Json)>;

fn query_block(explained: &QueryExplanation, change: Option<&'static str>) -> Json {
    match explained {
        QueryExplanation::Block(block) => Json::Object(block_fields(block, change)),
        QueryExplanation::Set(set) => Json::Object(set_fields(set)),
    }
}

fn set_fields(set: &ExplainedSet) -> Fields {
    let mut fields = vec![("using_temporary_table", Json::Flag(set.has_result))];
    if set.has_result {
        let ids: Vec<String> = set.ids.iter().map(u64::to_string).collect();
        let name = format!("<{}{}>", set.name.to_ascii_lowercase(), ids.join(","));
        fields.push(("table_name", Json::Text(name)));
        fields.push(("access_type", Json::text("ALL")));
    }
    if set.sorted {
        fields.push(("using_filesort", Json::Flag(true)));
    }
    let sides = set.sides.iter().enumerate().map(|(at, side)| {
        let mut block = query_block(side, None);
        if let (true, true, Json::Object(fields)) = (set.recursive, at > 0, &mut block) {
            fields.insert(fields.len().min(1), ("recursive", Json::Flag(true)));
        }
        specification(false, block)
    });
    fields.push(("query_specifications", Json::List(sides.collect())));
    let name = match set.name {
        "INTERSECT" => "intersect_result",
        "EXCEPT" => "except_result",
        _ => "union_result",
    };
    vec![(name, Json::Object(fields))]
}

fn specification(dependent: bool, block: Json) -> Json {
    Json::Object(vec![
        ("dependent", Json::Flag(dependent)),
        ("cacheable", Json::Flag(!dependent)),
        ("query_block", block),
    ])
}

fn subqueries(name: &'static str, all: &[ExplainedSubquery], fields: &mut Fields) {
    if all.is_empty() {
        return;
    }
    let one = |subquery: &ExplainedSubquery| {
        let block = specification(subquery.dependent, query_block(&subquery.query, None));
        match block {
            Json::Object(mut fields) if subquery.materialized => {
                fields.insert(0, ("using_temporary_table", Json::Flag(true)));
                Json::Object(fields)
            }
            block => block,
        }
    };
    fields.push((name, Json::List(all.iter().map(one).collect())));
}

fn block_fields(block: &ExplainedBlock, change: Option<&'static str>) -> Fields {
    let mut fields = vec![("select_id", Json::Number(block.id))];
    if let Some(message) = block.message {
        fields.push(("message", Json::text(message)));
    } else {
        if change.is_none() {
            let cost = vec![("query_cost", Json::Text(format!("{:.2}", block.cost)))];
            fields.push(("cost_info", Json::Object(cost)));
        }
        fields.extend(operations(block, change));
    }
    subqueries("select_list_subqueries", &block.in_select, &mut fields);
    subqueries("having_subqueries", &block.in_having, &mut fields);
    subqueries("attached_subqueries", &block.once, &mut fields);
    fields
}

/// The tables within what is done to their joined rows.
fn operations(block: &ExplainedBlock, change: Option<&'static str>) -> Fields {
    let mut read = 0.0;
    let mut before = 1.0;
    let mut tables: Vec<Json> = Vec::new();
    for table in &block.tables {
        read += before * table.line.examined;
        before = table.joined_rows;
        tables.push(Json::Object(table_fields(table, read, change)));
    }
    let mut inner: Fields = match tables.len() {
        1 => tables.into_iter().map(|table| ("table", table)).collect(),
        _ => {
            let wrapped = tables.into_iter().map(|table| Json::Object(vec![("table", table)]));
            vec![("nested_loop", Json::List(wrapped.collect()))]
        }
    };
    let mut wrap = |is_there: bool, name, own: Fields| {
        if is_there {
            let fields = own.into_iter().chain(std::mem::take(&mut inner)).collect();
            inner = vec![(name, Json::Object(fields))];
        }
    };
    let hashed = |is_hashed: bool| {
        let table = ("using_temporary_table", Json::Flag(is_hashed));
        vec![table, ("using_filesort", Json::Flag(false))]
    };
    wrap(block.grouped, "grouping_operation", hashed(!block.in_group_order));
    let functions = vec![("functions", Json::Number(block.windows as u64))];
    let windows = vec![("windows", Json::List(vec![Json::Object(functions)]))];
    wrap(block.windows > 0, "windowing", windows);
    wrap(block.distinct, "duplicates_removal", hashed(true));
    let sort = vec![("using_filesort", Json::Flag(true))];
    wrap(block.sorted, "ordering_operation", sort);
    inner
}

fn table_fields(table: &ExplainedTable, read: f64, change: Option<&'static str>) -> Fields {
    let line = &table.line;
    let texts = |all: &[String]| Json::List(all.iter().map(Json::text).collect());
    let mut fields: Fields = Vec::new();
    fields.extend(change.map(|change| (change, Json::Flag(true))));
    fields.push(("table_name", Json::text(&table.alias)));
    fields.push(("access_type", Json::text(line.kind)));
    if !line.possible_keys.is_empty() {
        fields.push(("possible_keys", texts(&line.possible_keys)));
    }
    if let Some(key) = &line.key {
        fields.push(("key", Json::text(key)));
        fields.push(("used_key_parts", texts(&line.key_columns)));
    }
    if let Some(bytes) = line.key_bytes {
        fields.push(("key_length", Json::Text(bytes.to_string())));
    }
    if !line.references.is_empty() {
        fields.push(("ref", texts(&line.references)));
    }
    fields.push(("rows_examined_per_scan", Json::Number(line.rows())));
    if change.is_none() {
        fields.push(("rows_produced_per_join", Json::Number(table.joined_rows.round() as u64)));
    }
    fields.push(("filtered", Json::Text(format!("{:.2}", line.filtered))));
    if line.covers {
        fields.push(("using_index", Json::Flag(true)));
    }
    if line.hashed {
        fields.push(("using_join_buffer", Json::text("hash join")));
    }
    if change.is_none() {
        let cost = vec![
            ("read_cost", Json::Text(format!("{:.2}", line.examined))),
            ("eval_cost", Json::Text(format!("{:.2}", table.joined_rows))),
            ("prefix_cost", Json::Text(format!("{read:.2}"))),
        ];
        fields.push(("cost_info", Json::Object(cost)));
    }
    if !table.used_columns.is_empty() {
        fields.push(("used_columns", texts(&table.used_columns)));
    }
    if let Some(condition) = &table.condition {
        fields.push(("attached_condition", Json::text(condition)));
    }
    if let Some((query, is_lateral)) = &table.derived {
        let query = specification(*is_lateral, query_block(query, None));
        if let Json::Object(mut own) = query {
            own.insert(0, ("using_temporary_table", Json::Flag(true)));
            fields.push(("materialized_from_subquery", Json::Object(own)));
        }
    }
    subqueries("attached_subqueries", &table.subqueries, &mut fields);
    fields
}

/// A JSON value whose members keep their order.
enum Json {
    Text(String),
    Number(u64),
    Flag(bool),
    List(Vec<Json>),
    Object(Fields),
}

impl Json {
    fn text(text: impl AsRef<str>) -> Json {
        Json::Text(text.as_ref().to_owned())
    }

    /// Writes it as MySQL does: two spaces for each level.
    fn write(&self, depth: usize, out: &mut String) {
        match self {
            Json::Text(text) => write_quoted(text, out),
            Json::Number(number) => out.push_str(&number.to_string()),
            Json::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Json::List(all) => {
                let each = all.iter().map(|value| (None, value));
                write_members(('[', ']'), each, depth, out);
            }
            Json::Object(fields) => {
                let each = fields.iter().map(|(name, value)| (Some(*name), value));
                write_members(('{', '}'), each, depth, out);
            }
        }
    }
}

fn write_members<'j>(
    (open, close): (char, char),
    members: impl Iterator<Item = (Option<&'j str>, &'j Json)>,
    depth: usize,
    out: &mut String,
) {
    out.push(open);
    for (at, (name, value)) in members.enumerate() {
        out.push_str(if at > 0 { ",\n" } else { "\n" });
        out.extend(std::iter::repeat_n("  ", depth + 1));
        if let Some(name) = name {
            write_quoted(name, out);
            out.push_str(": ");
        }
        value.write(depth + 1, out);
    }
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
    out.push(close);
}

fn write_quoted(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", control as u32);
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
