//! MATCH .. AGAINST: bound as a call over the columns whose first argument is what a query of its
//! own finds out once: how rare the words are that are searched for.
//!
//! Invariants
//! 1. The columns are just those of a full-text index that is visible.
//! 2. One search that stands several times in a statement is one query, so that it is made once,
//!    and whoever sorts by it knows that rows come in its order. Where literals make it the same,
//!    they are pinned.
//!
//! Not here: finding rows by it (`point::access`), its value (`expression`, `full_text`).

use std::sync::Arc;

use expression::{Kind, Node, RESULT_BYTES_MAX, Subquery, SubqueryForm, parts_of};
use rows::table::Table;
use sqlparser::ast::{
    self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName, SearchModifier,
    ValueWithSpan,
};
use syntax::names::name_parts;
use values::ErrorCode;
use values::datum::{Datum, Value};
use values::types::ColumnType;

use super::scope::{ColumnOrigin, QueryScope};
use super::{Binder, Literals};
use crate::bind::scalar::{Bound, Names, bind, call_node, unsupported};
use crate::tree::{AskedQuery, Body, FullTextMode, FullTextQuery, IMPLICIT, OutputColumn};
use results::SqlError;

/// A search that was bound, and where its rows are.
#[derive(Clone, Debug)]
pub(super) struct BoundSearch {
    /// MATCH.
    call: Node,
    /// The relation and columns that it is over.
    columns: Vec<Kind>,
    table: u32,
    mode: FullTextMode,
    /// What is searched for.
    literal: SearchLiteral,
}

/// What is searched for, with its number where it was taken out of the text.
#[derive(Clone, Debug)]
struct SearchLiteral {
    number: Option<u16>,
    value: Value,
}

impl Binder<'_> {
    /// Binds `MATCH (columns) AGAINST (text modifier)` as sqlparser has it.
    pub(super) fn match_against(
        &self,
        scope: &QueryScope<'_>,
        (columns, against): (&[ObjectName], &ValueWithSpan),
        modifier: Option<&SearchModifier>,
        names: &Names<'_>,
    ) -> Bound<Node> {
        let named = |column: &ObjectName| name_parts(column).into_iter().cloned().collect();
        let columns: Vec<Vec<Ident>> = columns.iter().map(named).collect();
        let mode = match modifier {
            None | Some(SearchModifier::InNaturalLanguageMode) => FullTextMode::Natural,
            Some(SearchModifier::InBooleanMode) => FullTextMode::Boolean,
            Some(
                SearchModifier::InNaturalLanguageModeWithQueryExpansion
                | SearchModifier::WithQueryExpansion,
            ) => FullTextMode::Expanded,
        };
        self.search(scope, &columns, (&Expr::Value(against.clone()), mode), names)
    }

    /// Binds the call that MATCH is where more than a literal is searched for.
    pub(super) fn match_call(
        &self,
        scope: &QueryScope<'_>,
        call: &ast::Function,
        names: &Names<'_>,
    ) -> Bound<Node> {
        let FunctionArguments::List(list) = &call.args else { return unsupported("such a MATCH") };
        let arguments = list.args.iter().filter_map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        });
        let arguments: Vec<&Expr> = arguments.collect();
        let [against, Expr::Value(mode), columns @ ..] = &arguments[..] else {
            return unsupported("such a MATCH");
        };
        let ast::Value::SingleQuotedString(mode) = &mode.value else {
            return unsupported("such a MATCH");
        };
        let mode = match mode.as_str() {
            mode if mode.contains("BOOLEAN") => FullTextMode::Boolean,
            mode if mode.contains("EXPANSION") => FullTextMode::Expanded,
            _ => FullTextMode::Natural,
        };
        let named = |column: &&Expr| match column {
            Expr::CompoundIdentifier(names) => Some(names.clone()),
            _ => None,
        };
        let columns: Vec<Vec<Ident>> = columns.iter().filter_map(named).collect();
        self.search(scope, &columns, (against, mode), names)
    }

    fn search(
        &self,
        scope: &QueryScope<'_>,
        columns: &[Vec<Ident>],
        (against, mode): (&Expr, FullTextMode),
        names: &Names<'_>,
    ) -> Bound<Node> {
        self.want_literals("MATCH")?;
        let wrong = |what: &str| {
            SqlError::new(ErrorCode::WrongArguments, format!("Incorrect arguments to {what}"))
        };
        let (mut nodes, mut table, mut positions) = (Vec::new(), None, Vec::new());
        for column in columns {
            let node = bind(&Expr::CompoundIdentifier(column.clone()), names)?;
            let parts: Vec<&str> = column.iter().map(|part| part.value.as_str()).collect();
            let origin = scope.owner(&parts).and_then(|(_, column)| column.origin.as_ref());
            let (own, position) = self.stored_column(origin).ok_or_else(|| wrong("MATCH"))?;
            let known = table.get_or_insert_with(|| Arc::clone(&own));
            if known.id != own.id
                || relation_of(&node) != nodes.first().and_then(relation_of) && !nodes.is_empty()
            {
                return Err(wrong("MATCH").into());
            }
            positions.push(position);
            nodes.push(node);
        }
        let table = table.ok_or_else(|| wrong("MATCH"))?;
        let Some(index) = table.full_text_of(&positions) else {
            let message = "Can't find FULLTEXT index matching the column list";
            return Err(SqlError::new(ErrorCode::FtMatchingKeyNotFound, message).into());
        };
        let against = bind(against, names)?;
        if !is_constant(&against) {
            return Err(wrong("AGAINST").into());
        }
        let literal = self.literal_value(&against);
        if let Some(known) = self.known_search(&nodes, table.id, mode, literal.as_ref()) {
            return Ok(known);
        }
        let own_columns: Vec<Kind> = nodes.iter().map(|node| node.kind.clone()).collect();
        let table_id = table.id;
        let query = FullTextQuery { table, index, against, mode };
        let ty = ColumnType::VarBinary { bytes: RESULT_BYTES_MAX };
        let output = OutputColumn {
            name: "search".to_owned(),
            ty: ty.clone(),
            nullable: false,
            origin: None,
            keeps_digits: false,
            coercibility: IMPLICIT,
        };
        let query = self.query_of(Body::FullText(Box::new(query)), vec![output]);
        let subquery = Subquery::asking(query, SubqueryForm::Scalar);
        let search = Node::new(Kind::Subquery(Box::new(subquery)), ty, false);
        let call = call_node("MATCH AGAINST", std::iter::once(search).chain(nodes).collect())?;
        if let Some(literal) = literal {
            let (call, columns, table) = (call.clone(), own_columns, table_id);
            self.searches.borrow_mut().push(BoundSearch { call, columns, table, mode, literal });
        }
        Ok(call)
    }

    /// The stored column that a name means, also through a derived table or view.
    fn stored_column(&self, origin: Option<&ColumnOrigin>) -> Option<(Arc<Table>, usize)> {
        match origin? {
            ColumnOrigin::Stored(table, at) => Some((Arc::clone(table), *at)),
            ColumnOrigin::Described(column) => {
                let is_it = |table: &&Arc<Table>| {
                    table.database == column.database && table.name == column.org_table
                };
                let table = self.tables.borrow().iter().find(is_it).map(Arc::clone)?;
                let at = table.column(&column.org_name)?;
                Some((table, at))
            }
        }
    }

    /// The literal that a node is, with its value.
    fn literal_value(&self, node: &Node) -> Option<SearchLiteral> {
        match (&node.kind, self.literals) {
            (Kind::Parameter(number), Literals::Known(literals)) => {
                let value = literals.get(usize::from(*number)).map(Datum::to_value)?;
                Some(SearchLiteral { number: Some(*number), value })
            }
            (Kind::Constant(value), _) => {
                Some(SearchLiteral { number: None, value: value.clone() })
            }
            _ => None,
        }
    }

    /// The same search where it was bound before.
    fn known_search(
        &self,
        nodes: &[Node],
        table: u32,
        mode: FullTextMode,
        literal: Option<&SearchLiteral>,
    ) -> Option<Node> {
        let literal = literal?;
        let searches = self.searches.borrow();
        let known = searches.iter().find(|known| {
            known.table == table
                && known.mode == mode
                && known.literal.value == literal.value
                && known.columns.iter().eq(nodes.iter().map(|node| &node.kind))
        })?;
        let mut pinned = self.pinned.borrow_mut();
        for SearchLiteral { number, value } in [literal, &known.literal] {
            pinned.extend(number.map(|number| (number, value.clone())));
        }
        Some(known.call.clone())
    }
}

/// Whether what is searched for is the same for all rows.
fn is_constant(against: &Node) -> bool {
    let mut constant = true;
    against.visit(&mut |node| {
        constant &= !matches!(
            node.kind,
            Kind::Column(_)
                | Kind::Incoming(_)
                | Kind::Outer(..)
                | Kind::Aggregate(_)
                | Kind::Window(_)
                | Kind::Subquery(_)
        );
    });
    constant
}

fn relation_of(node: &Node) -> Option<(u16, usize)> {
    match node.kind {
        Kind::Column(slot) => Some((0, parts_of(slot).0)),
        Kind::Outer(level, slot) => Some((level, parts_of(slot).0)),
        _ => None,
    }
}
