//! VIEWS, VIEW_TABLE_USAGE, and the columns of views.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use access::Privilege;
use rows::schema::Column;
use rows::view::{View, ViewCheck};
use sqlparser::ast::visit_relations;
use syntax::names::table_name;
use syntax::{TableName, view_query};

use super::{AskedTables, CATALOG};
use crate::ddl::security_word;
use crate::show::{Listing, text};
use crate::system_schema::ListingContext;
use crate::system_schema::listed_columns::TableFiller;
use crate::write::{all_of, is_updatable};
use plan::bind::{BindSource, Literals, describe_query};
use plan::context::SqlContext;
use plan::tree::OutputColumn;
use results::Result;

/// VIEWS.
pub(super) fn views(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "TABLE_CATALOG",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "VIEW_DEFINITION",
        "CHECK_OPTION",
        "IS_UPDATABLE",
        "DEFINER",
        "SECURITY_TYPE",
        "CHARACTER_SET_CLIENT",
        "COLLATION_CONNECTION",
    ])
    .long_text(3);
    for view in asked.views(facts.sql.engine()) {
        listing.push(vec![
            text(CATALOG),
            text(&view.database),
            text(&view.name),
            text(if may_see_text(&view, facts) { view.query.as_str() } else { "" }),
            text(match view.check {
                None => "NONE",
                Some(ViewCheck::Local) => "LOCAL",
                Some(ViewCheck::Cascaded) => "CASCADED",
            }),
            text(if is_updatable(&view, facts) { "YES" } else { "NO" }),
            text(&view.definer),
            text(security_word(view.security)),
            text(&view.charset_client),
            text(&view.collation_connection),
        ]);
    }
    listing
}

/// VIEW_TABLE_USAGE: the tables and views that each view names.
pub(super) fn view_table_usage(
    facts: &ListingContext<'_>,
    asked: &AskedTables<'_>,
    usage: &mut TableFiller<'_>,
) {
    // Conditions name the tables that views use, not the views.
    let all = AskedTables::all();
    let views = if asked.are_none() { Vec::new() } else { all.views(facts.sql.engine()) };
    for view in views {
        let mut used = BTreeSet::new();
        if let (Ok(query), true) = (view_query(&view.query), may_see_text(&view, facts)) {
            let _all = visit_relations(&query, |relation| {
                // Others are tables of its own WITH.
                if let Ok(TableName { database: Some(database), table }) = table_name(relation) {
                    used.insert((database, table));
                }
                ControlFlow::<()>::Continue(())
            });
        }
        for (database, table) in used {
            usage.push(|column| match column {
                "VIEW_CATALOG" | "TABLE_CATALOG" => Some(text(CATALOG)),
                "VIEW_SCHEMA" => Some(text(&view.database)),
                "VIEW_NAME" => Some(text(&view.name)),
                "TABLE_SCHEMA" => Some(text(&database)),
                "TABLE_NAME" => Some(text(&table)),
                _ => None,
            });
        }
    }
}

/// Whether the statement's principal may see what a view is made of: it is its own, or SHOW VIEW
/// and SELECT are granted on it.
fn may_see_text(view: &View, facts: &ListingContext<'_>) -> bool {
    let held = facts.rights.on_table(&view.database, &view.name);
    view.definer == facts.account || held.has(Privilege::ShowView) && held.has(Privilege::Select)
}

/// The columns of a view, as those of a table would be, whoever may read them.
///
/// # Errors
/// 1356 where a table or column that it names is not there.
pub fn columns_of_view(facts: &SqlContext, view: &View) -> Result<Vec<Column>> {
    // Asked by its name, so that what is wrong with it is told of the view.
    let query = all_of(&[&view.database, &view.name]);
    let source =
        BindSource { query: &query, texts: &[], literals: Literals::Known(&[]), named: true };
    let bound = describe_query(&source, facts)?;
    let column = |output: &OutputColumn| {
        let stored = output.origin.as_ref().and_then(|origin| {
            let table = facts.sql.engine().catalog().table(&origin.database, &origin.org_table);
            let table = table.ok()?;
            Some(table.columns[table.column(&origin.org_name)?].clone())
        });
        let mut column = Column::new(&output.name, output.ty.clone());
        column.nullable = output.nullable;
        if let Some(stored) = stored {
            column.default = stored.default;
            (column.unsigned, column.zerofill) = (stored.unsigned, stored.zerofill);
        }
        column
    };
    Ok(bound.query.columns.iter().map(column).collect())
}
