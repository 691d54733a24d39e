//! EXPLAIN of queries that the row executor runs, in MySQL's columns: a line for each step of each
//! SELECT, in the order of joining, then those of derived tables and sub-queries. A sub-query that
//! can be looked up has two numbers: as it is asked for each row, and its members.
//!
//! Not here: one table's look-up (`explain`), the same as a tree (`explain_tree`).

use expression::{Comparison, Kind, Node, Subquery, parts_of};
use values::datum::Value;

use super::explain::{ExplainLine, of_access};
use super::{EXPLAIN_COLUMNS, Listing, ShownAccess, number, text};
use plan::tree::{
    AskedQuery, Body, JoinStep, Member, Query, Relation, Scan, Select, SetOperator, Source,
};

/// The lines of a planned query.
pub fn explain_table(query: &Query) -> Listing {
    let mut table = Table { lines: Vec::new(), selects: 0 };
    let outermost = table.query(query, "PRIMARY");
    let mut listing = Listing::new(&EXPLAIN_COLUMNS);
    if table.selects == 1 {
        table
            .lines
            .iter_mut()
            .filter(|line| line.id() == outermost)
            .for_each(ExplainEntry::is_simple);
    }
    table.lines.into_iter().for_each(|line| listing.push(line.cells()));
    listing
}

/// A line, or what is said where there is no table.
enum ExplainEntry {
    Line(ExplainLine),
    Nothing {
        id: Option<u64>,
        select_type: &'static str,
        table: Option<String>,
        extra: &'static str,
    },
}

impl ExplainEntry {
    fn id(&self) -> u64 {
        match self {
            ExplainEntry::Line(line) => line.id,
            ExplainEntry::Nothing { id, .. } => id.unwrap_or(0),
        }
    }

    fn is_simple(&mut self) {
        let (ExplainEntry::Line(ExplainLine { select_type, .. })
        | ExplainEntry::Nothing { select_type, .. }) = self;
        *select_type = "SIMPLE";
    }

    fn cells(self) -> Vec<Value> {
        match self {
            ExplainEntry::Line(line) => line.cells(),
            ExplainEntry::Nothing { id, select_type, table, extra } => {
                let mut row = vec![Value::Null; EXPLAIN_COLUMNS.len()];
                row[0] = id.map_or(Value::Null, number);
                row[1] = text(select_type);
                row[2] = table.map_or(Value::Null, |name| text(&name));
                row[EXPLAIN_COLUMNS.len() - 1] = text(extra);
                row
            }
        }
    }
}

struct Table {
    lines: Vec<ExplainEntry>,
    /// How many SELECTs were shown.
    selects: u64,
}

/// The SELECT that a line is of.
struct Within<'q> {
    id: u64,
    select_type: &'static str,
    relations: &'q [Relation],
    /// Of each relation, the columns that equal another one's.
    joined: &'q [Vec<usize>],
}

impl Table {
    fn next_id(&mut self) -> u64 {
        self.selects += 1;
        self.selects
    }

    /// Shows a query; the number of its first SELECT.
    fn query(&mut self, query: &Query, select_type: &'static str) -> u64 {
        let id = self.next_id();
        self.query_as(query, select_type, id);
        id
    }

    fn query_as(&mut self, query: &Query, select_type: &'static str, id: u64) {
        match &query.body {
            Body::Select(select) => self.select(select, query, select_type, id),
            Body::Set(set) => {
                let (name, result) = match set.operator {
                    SetOperator::Union => ("UNION", "UNION RESULT"),
                    SetOperator::Intersect => ("INTERSECT", "INTERSECT RESULT"),
                    SetOperator::Except => ("EXCEPT", "EXCEPT RESULT"),
                };
                let mut ids = vec![id];
                for (at, side) in set.sides.iter().enumerate() {
                    match at {
                        0 => self.query_as(side, select_type, id),
                        _ => ids.push(self.query(side, name)),
                    }
                }
                if let [_] = ids[..] {
                    return;
                }
                let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
                let table = Some(format!("<{}{}>", name.to_ascii_lowercase(), ids.join(",")));
                let extra = if query.order.is_empty() { "" } else { "Using filesort" };
                self.lines.push(ExplainEntry::Nothing {
                    id: None,
                    select_type: result,
                    table,
                    extra,
                });
            }
            Body::Recursion(recursion) => {
                self.query_as(&recursion.first, select_type, id);
                self.query(&recursion.next, "RECURSIVE UNION");
            }
            Body::Values(_) => self.nothing(id, select_type, "No tables used"),
        }
    }

    fn nothing(&mut self, id: u64, select_type: &'static str, extra: &'static str) {
        self.lines.push(ExplainEntry::Nothing { id: Some(id), select_type, table: None, extra });
    }

    fn select(&mut self, select: &Select, query: &Query, select_type: &'static str, id: u64) {
        let mut joined = vec![Vec::new(); select.relations.len()];
        find_joined(&select.plan.steps, &mut joined);
        let within = Within { id, select_type, relations: &select.relations, joined: &joined };
        let mut derived = Vec::new();
        let first = self.lines.len();
        let is_told = select.plan.is_known || select.plan.first_row;
        if is_told {
            self.nothing(id, select_type, "Select tables optimized away");
        } else {
            self.steps(&within, &select.plan.steps, &mut derived);
        }
        if select.plan.steps.is_empty() && !is_told {
            self.nothing(id, select_type, "No tables used");
        }
        if let Some(ExplainEntry::Line(line)) = self.lines.get_mut(first) {
            let keys = select.grouping.as_ref().is_some_and(|grouping| !grouping.keys.is_empty());
            let groups = keys && !select.plan.grouped;
            if groups || select.distinct || select.windowing.is_some() {
                line.extra.push("Using temporary".to_owned());
            }
            if !query.order.is_empty() && !select.plan.ordered {
                line.extra.push("Using filesort".to_owned());
            }
        }
        for (query, id, is_lateral) in derived {
            let select_type = if is_lateral { "DEPENDENT DERIVED" } else { "DERIVED" };
            self.query_as(query, select_type, id);
        }
        let plan = &select.plan;
        select.outputs.iter().chain(&select.having).for_each(|node| self.subqueries(node));
        plan.once.iter().for_each(|node| self.subqueries(node));
        plan.steps.iter().for_each(|step| self.subqueries_of(step));
    }

    fn steps<'q>(
        &mut self,
        within: &Within<'q>,
        steps: &'q [JoinStep],
        derived: &mut Vec<(&'q Query, u64, bool)>,
    ) {
        let Within { id, select_type, relations, joined } = *within;
        for step in steps {
            match &step.member {
                Member::Scan(scan) => {
                    let joined = &joined[scan.relation];
                    let relation = &relations[scan.relation];
                    let mut line = match (&relation.source, &scan.access) {
                        (Source::Query(query), _) => {
                            let id = self.next_id();
                            derived.push((query, id, relation.lateral.is_some()));
                            ExplainLine::of_all(format!("<derived{id}>"))
                        }
                        (Source::Table(table), Some(access)) => {
                            let (name, index_use) = (&*relation.name, &relation.index_use);
                            let sorted = false;
                            let shown =
                                ShownAccess { table, name, access, index_use, sorted, joined };
                            of_access(&shown, &|node| joined_column(node, relations))
                        }
                        _ => ExplainLine::of_all(relation.name.clone()),
                    };
                    line.set_rows(scan.examined, step.rows);
                    (line.id, line.select_type) = (id, select_type);
                    add_extra(&mut line, step, scan);
                    self.lines.push(ExplainEntry::Line(line));
                }
                Member::Group(steps, _) => {
                    self.steps(within, steps, derived);
                }
            }
        }
    }

    fn subqueries_of(&mut self, step: &JoinStep) {
        step.filters.iter().chain(&step.after).for_each(|node| self.subqueries(node));
        match &step.member {
            Member::Scan(scan) => {
                let residual = scan.access.iter().flat_map(|access| &access.residual);
                residual.chain(&scan.terms).for_each(|node| self.subqueries(node));
            }
            Member::Group(steps, _) => steps.iter().for_each(|step| self.subqueries_of(step)),
        }
    }

    fn subqueries(&mut self, node: &Node) {
        node.visit(&mut |node| {
            if let Kind::Subquery(subquery) = &node.kind {
                self.subquery(subquery);
            }
        });
    }

    fn subquery(&mut self, subquery: &Subquery) {
        let dependent = if subquery.is_correlated() { "DEPENDENT SUBQUERY" } else { "SUBQUERY" };
        self.query(subquery.query(), dependent);
        if let Some(members) = subquery.members() {
            self.query(&members.query, "MATERIALIZED");
        }
    }
}

/// Finds the columns of relations that others are looked up by.
fn find_joined(steps: &[JoinStep], joined: &mut [Vec<usize>]) {
    for step in steps {
        match &step.member {
            Member::Scan(scan) => {
                for term in scan.access.iter().flat_map(|access| &access.terms) {
                    let Kind::Compare(Comparison::Equal, a, b, _) = &term.kind else { continue };
                    for side in [a, b] {
                        if let Kind::Outer(0, slot) = side.kind {
                            let (relation, column) = parts_of(slot);
                            joined[relation].push(column);
                        }
                    }
                }
            }
            Member::Group(steps, _) => find_joined(steps, joined),
        }
    }
}

/// What MySQL says in Extra of a step.
fn add_extra(line: &mut ExplainLine, step: &JoinStep, scan: &Scan) {
    let filtered = !step.filters.is_empty() || !step.after.is_empty() || !scan.terms.is_empty();
    if filtered && !line.extra.iter().any(|extra| extra == "Using where") {
        line.extra.push("Using where".to_owned());
    }
    if scan.covering.is_some() {
        line.extra.retain(|extra| extra != "Using index condition");
        let leaps = scan.leaps.is_some();
        line.extra.push(if leaps { "Using index for group-by" } else { "Using index" }.to_owned());
    }
    if scan.hash.is_some() {
        line.extra.push("Using join buffer (hash join)".to_owned());
    }
}

/// The column of another relation of the SELECT that a value is.
fn joined_column(node: &Node, relations: &[Relation]) -> Option<String> {
    match node.kind {
        Kind::Outer(0, slot) => {
            let (number, column) = parts_of(slot);
            let relation = relations.get(number)?;
            let Source::Table(table) = &relation.source else { return Some("func".to_owned()) };
            let name = &table.columns.get(column)?.name;
            Some(format!("{}.{}.{name}", table.database, relation.name))
        }
        Kind::Outer(..) | Kind::Call(..) => Some("func".to_owned()),
        _ => None,
    }
}
