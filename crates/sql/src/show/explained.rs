//! What EXPLAIN says of a query that the row executor runs: for each SELECT its steps in the order
//! of joining, with the queries of derived tables and sub-queries. A sub-query that can be looked
//! up is there twice: as it is asked for each row, and its members.
//!
//! Invariants
//! 1. SELECTs are numbered in the order of the table's lines: those of FROM before those of
//!    expressions, whose queries come behind.
//!
//! Not here: how it looks (`explain_table`, `explain_json`, `explain_tree`), one table's way
//! (`explain`).

use std::collections::BTreeSet;

use expression::{Comparison, Kind, Node, Subquery, parts_of};

use super::ShownAccess;
use super::condition_text::{ColumnNames, condition_text};
use super::explain::{ExplainLine, of_access};
use plan::tree::{
    AskedQuery, Body, JoinStep, Member, Query, Relation, Scan, Select, SetOperator, Source,
};

/// A query, or several that are one.
pub enum QueryExplanation {
    /// A SELECT.
    Block(Box<ExplainedBlock>),
    /// UNION and its kin, or a recursion.
    Set(ExplainedSet),
}

impl QueryExplanation {
    /// Of a planned query.
    pub fn of(query: &Query) -> QueryExplanation {
        let mut maker = ExplanationMaker { selects: 0 };
        let mut explained = maker.query(query, "PRIMARY", None);
        if let (1, QueryExplanation::Block(block)) = (maker.selects, &mut explained) {
            block.select_type = "SIMPLE";
        }
        explained
    }

    /// Of one table, whose rows are sorted afterwards or not.
    pub fn of_table(
        select_type: &'static str,
        line: ExplainLine,
        sorted: bool,
    ) -> QueryExplanation {
        let mut block = ExplainedBlock::new(1, select_type);
        block.cost = line.examined;
        block.sorted = sorted;
        block.tables.push(ExplainedTable::new(line));
        QueryExplanation::Block(Box::new(block))
    }

    /// Of no table, which this says.
    pub fn of_nothing(select_type: &'static str, message: &'static str) -> QueryExplanation {
        let mut block = ExplainedBlock::new(1, select_type);
        block.message = Some(message);
        QueryExplanation::Block(Box::new(block))
    }
}

/// Queries whose rows become one result.
pub struct ExplainedSet {
    /// `UNION`, `INTERSECT` or `EXCEPT`; a recursion is a union.
    pub name: &'static str,
    /// The numbers of the first SELECTs of its sides.
    pub ids: Vec<u64>,
    /// Whether its result has a line of its own.
    pub has_result: bool,
    /// Whether the result is sorted.
    pub sorted: bool,
    /// Whether the last of its sides is repeated.
    pub recursive: bool,
    /// The queries.
    pub sides: Vec<QueryExplanation>,
}

/// A SELECT.
pub struct ExplainedBlock {
    /// Its number.
    pub id: u64,
    /// What it is within the statement.
    pub select_type: &'static str,
    /// What is said where there is no table.
    pub message: Option<&'static str>,
    /// About how many rows are looked at for it.
    pub cost: f64,
    /// GROUP BY.
    pub grouped: bool,
    /// Whether the rows of each group come one after the other.
    pub in_group_order: bool,
    /// DISTINCT.
    pub distinct: bool,
    /// The number of its window functions.
    pub windows: usize,
    /// ORDER BY that no index gives.
    pub sorted: bool,
    /// FROM, in the order of joining.
    pub tables: Vec<ExplainedTable>,
    /// Of what it gives.
    pub in_select: Vec<ExplainedSubquery>,
    /// Of HAVING.
    pub in_having: Vec<ExplainedSubquery>,
    /// Of conditions that no table is needed for.
    pub once: Vec<ExplainedSubquery>,
}

impl ExplainedBlock {
    fn new(id: u64, select_type: &'static str) -> ExplainedBlock {
        ExplainedBlock {
            id,
            select_type,
            message: None,
            cost: 0.0,
            grouped: false,
            in_group_order: false,
            distinct: false,
            windows: 0,
            sorted: false,
            tables: Vec::new(),
            in_select: Vec::new(),
            in_having: Vec::new(),
            once: Vec::new(),
        }
    }
}

/// A table of FROM.
pub struct ExplainedTable {
    /// The way to its rows.
    pub line: ExplainLine,
    /// Its alias.
    pub alias: String,
    /// About how many rows are joined when it is.
    pub joined_rows: f64,
    /// The columns that the SELECT names, if that is known.
    pub used_columns: Vec<String>,
    /// What is asked of its rows beyond what the index answers.
    pub condition: Option<String>,
    /// The query of a derived table, and whether it is run for each row joined before.
    pub derived: Option<(QueryExplanation, bool)>,
    /// Sub-queries of its conditions.
    pub subqueries: Vec<ExplainedSubquery>,
}

impl ExplainedTable {
    fn new(line: ExplainLine) -> ExplainedTable {
        ExplainedTable {
            alias: line.table.clone(),
            joined_rows: line.examined * line.filtered / 100.0,
            line,
            used_columns: Vec::new(),
            condition: None,
            derived: None,
            subqueries: Vec::new(),
        }
    }
}

/// A sub-query of an expression.
pub struct ExplainedSubquery {
    /// Whether it is run for each row.
    pub dependent: bool,
    /// Whether its rows are kept, to be looked up.
    pub materialized: bool,
    /// Its query.
    pub query: QueryExplanation,
}

/// The SELECTs around what is shown.
#[derive(Clone, Copy)]
pub struct SelectsAround<'q> {
    /// FROM of the innermost.
    pub relations: &'q [Relation],
    /// Those around that.
    pub further: Option<&'q SelectsAround<'q>>,
}

struct ExplanationMaker {
    /// How many SELECTs have a number.
    selects: u64,
}

/// A derived table: its place among those of its SELECT, its query, the number of that, and whether
/// it is run for each row joined before.
type DerivedTable<'q> = (usize, &'q Query, u64, bool);

impl ExplanationMaker {
    fn next_id(&mut self) -> u64 {
        self.selects += 1;
        self.selects
    }

    fn query(
        &mut self,
        query: &Query,
        select_type: &'static str,
        around: Option<&SelectsAround<'_>>,
    ) -> QueryExplanation {
        let id = self.next_id();
        self.query_as(query, select_type, id, around)
    }

    fn query_as(
        &mut self,
        query: &Query,
        select_type: &'static str,
        id: u64,
        around: Option<&SelectsAround<'_>>,
    ) -> QueryExplanation {
        match &query.body {
            Body::Select(select) => QueryExplanation::Block(Box::new(self.select(
                select,
                query,
                (select_type, id),
                around,
            ))),
            Body::Set(set) => {
                let name = match set.operator {
                    SetOperator::Union => "UNION",
                    SetOperator::Intersect => "INTERSECT",
                    SetOperator::Except => "EXCEPT",
                };
                let (mut ids, mut sides) = (vec![id], Vec::new());
                for (at, side) in set.sides.iter().enumerate() {
                    if at == 0 {
                        sides.push(self.query_as(side, select_type, id, around));
                    } else {
                        ids.push(self.next_id());
                        sides.push(self.query_as(side, name, self.selects, around));
                    }
                }
                let (has_result, sorted) = (ids.len() > 1, !query.order.is_empty());
                QueryExplanation::Set(ExplainedSet {
                    name,
                    ids,
                    has_result,
                    sorted,
                    recursive: false,
                    sides,
                })
            }
            Body::Recursion(recursion) => {
                let first = self.query_as(&recursion.first, select_type, id, around);
                let next = self.next_id();
                let sides =
                    vec![first, self.query_as(&recursion.next, "RECURSIVE UNION", next, around)];
                QueryExplanation::Set(ExplainedSet {
                    name: "UNION",
                    ids: vec![id, next],
                    has_result: false,
                    sorted: false,
                    recursive: true,
                    sides,
                })
            }
            Body::Values(_) | Body::JsonTable(_) | Body::FullText(_) => {
                let mut block = ExplainedBlock::new(id, select_type);
                block.message = Some("No tables used");
                QueryExplanation::Block(Box::new(block))
            }
        }
    }

    fn select(
        &mut self,
        select: &Select,
        query: &Query,
        (select_type, id): (&'static str, u64),
        around: Option<&SelectsAround<'_>>,
    ) -> ExplainedBlock {
        let plan = &select.plan;
        let mut block = ExplainedBlock::new(id, select_type);
        block.cost = query.cost;
        block.grouped = select.grouping.as_ref().is_some_and(|grouping| !grouping.keys.is_empty());
        block.in_group_order = plan.grouped;
        block.distinct = select.distinct;
        block.windows = select.windowing.as_ref().map_or(0, |windowing| windowing.functions.len());
        block.sorted = !query.order.is_empty() && !plan.ordered;
        let mut derived = Vec::new();
        let is_told = plan.is_known || plan.first_row;
        if is_told {
            block.message = Some("Select tables optimized away");
        } else if plan.steps.is_empty() {
            block.message = Some("No tables used");
        } else {
            self.tables(select, around, &mut block.tables, &mut derived);
        }
        let within = SelectsAround { relations: &select.relations, further: around };
        let within = Some(&within);
        for (at, query, id, is_lateral) in derived {
            let select_type = if is_lateral { "DEPENDENT DERIVED" } else { "DERIVED" };
            block.tables[at].derived =
                Some((self.query_as(query, select_type, id, within), is_lateral));
        }
        self.subqueries(select.outputs.iter(), within, &mut block.in_select);
        self.subqueries(select.having.iter(), within, &mut block.in_having);
        self.subqueries(plan.once.iter(), within, &mut block.once);
        let mut at = 0;
        if block.message.is_none() {
            for step in &plan.steps {
                self.of_step(step, within, &mut block.tables, &mut at);
            }
        }
        block
    }

    fn tables<'q>(
        &mut self,
        select: &'q Select,
        around: Option<&SelectsAround<'_>>,
        tables: &mut Vec<ExplainedTable>,
        derived: &mut Vec<DerivedTable<'q>>,
    ) {
        let relations = &select.relations;
        let mut joined = vec![Vec::new(); relations.len()];
        find_joined(&select.plan.steps, &mut joined);
        let used = used_columns(select);
        let mut joined_rows = 1.0;
        let mut steps = Vec::new();
        flatten(&select.plan.steps, &mut steps);
        for (step, scan) in steps {
            let relation = &relations[scan.relation];
            let mut line = match (&relation.source, &scan.access) {
                (Source::Query(query), _) if matches!(query.body, Body::JsonTable(_)) => {
                    let mut line = ExplainLine::of_all(relation.name.clone());
                    line.extra.push("Table function: json_table".to_owned());
                    line
                }
                (Source::Query(query), _) => {
                    let id = self.next_id();
                    derived.push((tables.len(), query, id, relation.lateral.is_some()));
                    ExplainLine::of_all(format!("<derived{id}>"))
                }
                (Source::Table(table), Some(access)) => {
                    let (name, index_use) = (&*relation.name, &relation.index_use);
                    let joined = &joined[scan.relation];
                    let sorted = false;
                    let shown = ShownAccess { table, name, access, index_use, sorted, joined };
                    of_access(&shown, &|node| joined_column(node, relations))
                }
                _ => ExplainLine::of_all(relation.name.clone()),
            };
            line.set_rows(scan.examined, step.rows);
            add_extra(&mut line, step, scan);
            joined_rows *= step.rows;
            let mut table = ExplainedTable::new(line);
            table.alias.clone_from(&relation.name);
            table.joined_rows = joined_rows;
            table.used_columns = used[scan.relation]
                .iter()
                .filter_map(|column| column_name(relation, *column))
                .map(str::to_owned)
                .collect();
            let names = ColumnNames { relations, own: Some(scan.relation), around };
            let own = scan.access.iter().flat_map(|access| &access.residual).chain(&scan.terms);
            let across = step.filters.iter().chain(&step.after);
            table.condition = condition_text(own, across, &names);
            tables.push(table);
        }
    }

    /// Finds the sub-queries of a step's conditions; `at`: the table that it begins with.
    fn of_step(
        &mut self,
        step: &JoinStep,
        within: Option<&SelectsAround<'_>>,
        tables: &mut [ExplainedTable],
        at: &mut usize,
    ) {
        let found = &mut tables[*at].subqueries;
        self.subqueries(step.filters.iter().chain(&step.after), within, found);
        match &step.member {
            Member::Scan(scan) => {
                let residual = scan.access.iter().flat_map(|access| &access.residual);
                self.subqueries(residual.chain(&scan.terms), within, found);
                *at += 1;
            }
            Member::Group(steps, _) => {
                steps.iter().for_each(|step| self.of_step(step, within, tables, at));
            }
        }
    }

    fn subqueries<'n>(
        &mut self,
        nodes: impl Iterator<Item = &'n Node>,
        within: Option<&SelectsAround<'_>>,
        found: &mut Vec<ExplainedSubquery>,
    ) {
        for node in nodes {
            node.visit(&mut |node| {
                if let Kind::Subquery(subquery) = &node.kind {
                    self.subquery(subquery, within, found);
                }
            });
        }
    }

    fn subquery(
        &mut self,
        subquery: &Subquery,
        within: Option<&SelectsAround<'_>>,
        found: &mut Vec<ExplainedSubquery>,
    ) {
        // The words of a search are no query to MySQL.
        if matches!(subquery.query().body, Body::FullText(_)) {
            return;
        }
        let dependent = subquery.is_correlated();
        let select_type = if dependent { "DEPENDENT SUBQUERY" } else { "SUBQUERY" };
        let query = self.query(subquery.query(), select_type, within);
        found.push(ExplainedSubquery { dependent, materialized: false, query });
        if let Some(members) = subquery.members() {
            let query = self.query(&members.query, "MATERIALIZED", within);
            found.push(ExplainedSubquery { dependent: false, materialized: true, query });
        }
    }
}

/// The scans of steps in the order of joining, those of a group among them.
fn flatten<'q>(steps: &'q [JoinStep], scans: &mut Vec<(&'q JoinStep, &'q Scan)>) {
    for step in steps {
        match &step.member {
            Member::Scan(scan) => scans.push((step, scan)),
            Member::Group(steps, _) => flatten(steps, scans),
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

/// The columns that a SELECT names of each of its relations.
fn used_columns(select: &Select) -> Vec<BTreeSet<usize>> {
    let mut used = vec![BTreeSet::new(); select.relations.len()];
    let mut add_slot = |slot: usize| {
        let (relation, column) = parts_of(slot);
        if let Some(columns) = used.get_mut(relation) {
            columns.insert(column);
        }
    };
    let mut add = |node: &Node| {
        node.visit(&mut |node| match &node.kind {
            Kind::Column(slot) | Kind::Outer(0, slot) => add_slot(*slot),
            Kind::Subquery(subquery) => {
                subquery.free.iter().filter(|(level, _)| *level == 1).for_each(|(_, slot)| {
                    add_slot(*slot);
                });
            }
            _ => {}
        });
    };
    match (&select.grouping, &select.windowing) {
        (Some(grouping), _) => {
            let of_aggregates = grouping.aggregates.iter().flat_map(|aggregate| {
                aggregate.arguments.iter().chain(aggregate.order.iter().map(|(node, _)| node))
            });
            grouping.keys.iter().chain(&grouping.others).chain(of_aggregates).for_each(&mut add);
        }
        (None, Some(windowing)) => windowing.inputs.iter().for_each(&mut add),
        (None, None) => select.outputs.iter().chain(&select.having).for_each(&mut add),
    }
    let mut steps = Vec::new();
    flatten(&select.plan.steps, &mut steps);
    for (step, _) in &steps {
        step.filters.iter().chain(&step.after).for_each(&mut add);
    }
    for (_, scan) in steps {
        let terms = scan.access.iter().flat_map(|access| &access.terms).chain(&scan.terms);
        let hashed = scan.hash.iter().flat_map(|hash| &hash.own);
        for node in terms.chain(hashed) {
            node.visit(&mut |node| {
                if let Kind::Column(column) = node.kind
                    && let Some(columns) = used.get_mut(scan.relation)
                {
                    columns.insert(column);
                }
            });
        }
    }
    used
}

/// The name of a relation's column, where the plan knows it.
pub fn column_name(relation: &Relation, column: usize) -> Option<&str> {
    match &relation.source {
        Source::Table(table) => table.columns.get(column).map(|column| column.name.as_str()),
        Source::Query(query) => query.columns.get(column).map(|column| column.name.as_str()),
        Source::Added(_) | Source::Listing(_) | Source::File(_) => None,
    }
}

/// What MySQL says in Extra of a step.
fn add_extra(line: &mut ExplainLine, step: &JoinStep, scan: &Scan) {
    let filtered = !step.filters.is_empty() || !step.after.is_empty() || !scan.terms.is_empty();
    if filtered && !line.extra.iter().any(|extra| extra == "Using where") {
        line.extra.push("Using where".to_owned());
    }
    if scan.covering.is_some() {
        line.covers = true;
        line.extra.retain(|extra| extra != "Using index condition");
        let leaps = scan.leaps.is_some();
        line.extra.push(if leaps { "Using index for group-by" } else { "Using index" }.to_owned());
    }
    if scan.hash.is_some() {
        line.hashed = true;
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
